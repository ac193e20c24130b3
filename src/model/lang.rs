//! The three languages tamis speaks and reads.

use serde::{Deserialize, Serialize};

/// A language of documents, rules and messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English, also the fallback for every other language.
    #[default]
    En,
    /// Vietnamese.
    Vi,
    /// Chinese.
    Zh,
}

impl Lang {
    /// All languages, in the order messages list them.
    pub const ALL: [Lang; 3] = [Lang::En, Lang::Vi, Lang::Zh];

    /// The code used on the command line and in files: `en`, `vi` or `zh`.
    pub fn code(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Vi => "vi",
            Lang::Zh => "zh",
        }
    }

    /// Reads a code; `None` for anything but `en`, `vi`, `zh`.
    pub fn from_code(code: &str) -> Option<Lang> {
        Lang::ALL.into_iter().find(|lang| lang.code() == code)
    }
}

impl std::fmt::Display for Lang {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
