//! What a journal holds: events, each one thing that happened in a run.

use super::estimate::Estimate;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Kinds of event. A kind this version does not know stops a resume and is shown by folds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// First event: what the run is about ([`Header`] in the body).
    RunStarted,
    /// A process took the run up again.
    RunResumed,
    /// A pure result was recorded.
    Fixed,
    /// An attempt at a step began.
    StepStarted,
    /// An attempt failed; others may follow.
    AttemptFailed,
    /// A step has its answer.
    StepDone,
    /// A cap is reached: a step was not asked. Not final; a resume under a higher cap asks it.
    StepHeld,
    /// A step stays without an answer, for good.
    HoleAccepted,
    /// A gate opened with its items.
    GateOpened,
    /// A person left a record on a gate.
    GateRecord,
    /// A gate closed.
    GateClosed,
    /// A closed gate was opened again.
    GateReopened,
    /// It was confirmed that the document may be sent to these servers ([`Sending`] in the body).
    SendingConfirmed,
    /// The process ended while a person is awaited.
    RunPaused,
    /// The run ended and its file is written.
    RunFinished,
    /// Written by another version.
    Unknown(String),
}

const KINDS: [(Kind, &str); 15] = [
    (Kind::RunStarted, "run_started"),
    (Kind::RunResumed, "run_resumed"),
    (Kind::Fixed, "fixed"),
    (Kind::StepStarted, "step_started"),
    (Kind::AttemptFailed, "attempt_failed"),
    (Kind::StepDone, "step_done"),
    (Kind::StepHeld, "step_held"),
    (Kind::HoleAccepted, "hole_accepted"),
    (Kind::GateOpened, "gate_opened"),
    (Kind::GateRecord, "gate_record"),
    (Kind::GateClosed, "gate_closed"),
    (Kind::GateReopened, "gate_reopened"),
    (Kind::SendingConfirmed, "sending_confirmed"),
    (Kind::RunPaused, "run_paused"),
    (Kind::RunFinished, "run_finished"),
];

impl Kind {
    /// The word in the journal.
    pub fn word(&self) -> &str {
        match self {
            Kind::Unknown(word) => word,
            known => KINDS.iter().find(|(kind, _)| kind == known).map_or("", |(_, word)| word),
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(KINDS.iter().find(|(_, known)| *known == word).map_or(Kind::Unknown(word), |(kind, _)| kind.clone()))
    }
}

/// What an event carries, as JSON text: it is parsed only where somebody looks at it, for a proposal of thousands of
/// findings takes ten times its text as a tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Body(Box<RawValue>);

impl Body {
    /// The body that holds a value.
    ///
    /// # Errors
    /// A value that JSON cannot hold: a map with keys that are no text.
    pub fn of<T: Serialize>(value: &T) -> Result<Body, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Body)
    }

    /// The value it holds.
    ///
    /// # Errors
    /// It holds something else.
    pub fn read<'b, T: Deserialize<'b>>(&'b self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// The body as a tree, for a look at single fields of small ones.
    pub fn value(&self) -> serde_json::Value {
        self.read().unwrap_or_default()
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl Default for Body {
    fn default() -> Body {
        serde_json::Value::Null.into()
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Body) -> bool {
        self.text() == other.text()
    }
}

impl From<serde_json::Value> for Body {
    fn from(value: serde_json::Value) -> Body {
        Body(serde_json::value::to_raw_value(&value).unwrap_or_default())
    }
}

/// What is to be recorded; the journal adds version, sequence, chain and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Kind.
    pub kind: Kind,
    /// Step or gate key; `""` for events of the run itself.
    pub key: String,
    /// Attempt, from 1; 0 where attempts mean nothing.
    pub attempt: u32,
    /// Whatever the kind carries.
    pub body: Body,
}

impl Draft {
    /// A draft without attempt.
    pub fn new(kind: Kind, key: impl Into<String>, body: impl Into<Body>) -> Draft {
        Draft { kind, key: key.into(), attempt: 0, body: body.into() }
    }
}

/// A recorded event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Format version, 1.
    pub v: u32,
    /// 0 for the first, then without gaps.
    pub seq: u64,
    /// Checksum of the record before; `""` for the first.
    pub prev: String,
    /// Wall-clock time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Kind.
    pub kind: Kind,
    /// Step or gate key.
    pub key: String,
    /// Attempt, from 1; 0 where attempts mean nothing.
    pub attempt: u32,
    /// Whatever the kind carries.
    pub body: Body,
}

impl Event {
    /// Whether it takes the run up again to ask what a cap has held up: a [`Kind::RunResumed`] whose body says `refill`.
    pub fn refills(&self) -> bool {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Resumed {
            refill: bool,
        }
        self.kind == Kind::RunResumed && self.body.read::<Resumed>().unwrap_or_default().refill
    }
}

/// Body of [`Kind::RunStarted`]: what a resume compares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// `tamis.journal/1`.
    pub format: String,
    /// Version of tamis that began the run.
    pub tamis: String,
    /// Run id.
    pub run: String,
    /// Pipeline: `review`.
    pub pipeline: String,
    /// Absolute path of the document.
    pub document: String,
    /// The document's path as the user gave it.
    pub document_given: String,
    /// Hash of its bytes.
    pub document_hash: String,
    /// Hash of the recipe in force.
    pub recipe_hash: String,
    /// Hash of the prompts in force.
    pub prompts_hash: String,
    /// Hash of the slim context, criteria and other documents in force.
    pub context_hash: String,
    /// Who reviews: `offline`, `script:FILE`.
    pub agent: String,
    /// Everything else that the run was asked for, as given.
    pub options: serde_json::Value,
}

/// Body of [`Kind::SendingConfirmed`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// What the run was expected to take, and where the document goes.
    pub estimate: Estimate,
    /// Who confirmed it: a person's name, or `headless` where naming the destination was the confirmation.
    pub by: String,
}
