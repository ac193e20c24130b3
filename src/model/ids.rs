//! Names of things that are compared, stored and shown: keys of findings, questions, steps and runs.

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The text as stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                $name(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                $name(text)
            }
        }
    };
}

text_id! {
    /// A finding's identity inside a run and across runs: 16 hex digits of a hash (DESIGN, Findings).
    FindingKey
}
text_id! {
    /// A question's identity: hash of the finding's key and the question's words.
    QuestionKey
}
text_id! {
    /// The semantic key of a step or gate: `review/DEV/UC-01@5f2c91`, `critic/2`, `gate/settle`.
    StepKey
}
text_id! {
    /// A run's name: its start in UTC and a random tail, `20261130-191509-k3f9`.
    RunId
}

impl StepKey {
    /// The key without its hash, as people and scripts write it: `review/DEV/UC-01`. A part's last `@` begins the hash;
    /// names may hold others.
    pub fn label(&self) -> String {
        let parts = self.0.split('/');
        parts.map(|part| part.rsplit_once('@').map_or(part, |(name, _)| name)).collect::<Vec<_>>().join("/")
    }
}
