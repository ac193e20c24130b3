//! What an answer cost, who gave it and how, and how an attempt at one can fail.

use super::walls::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an answer, or everything answered so far, cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub tokens_in: u64,
    /// Tokens written, those of reasoning included.
    pub tokens_out: u64,
    /// Of the tokens read, those that the provider had in its cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Of the tokens read, those that were put into the cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_written: u64,
    /// Of the tokens written, those of reasoning.
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    /// The server did not say it of everything: in part these are estimates, or what a call had reserved, on the safe side.
    #[serde(skip_serializing_if = "is_false")]
    pub estimated: bool,
    /// Price in millionths of the seat's currency; `None` where no prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_false(is: &bool) -> bool {
    !is
}

impl Usage {
    /// Tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Both together; the price is known where that of one of them is.
    pub fn plus(self, other: Usage) -> Usage {
        let cost_micros = match (self.cost_micros, other.cost_micros) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        Usage {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            cached: self.cached.saturating_add(other.cached),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            reasoning: self.reasoning.saturating_add(other.reasoning),
            estimated: self.estimated || other.estimated,
            cost_micros,
        }
    }
}

/// Who gave an answer and how it came about. Provenance only: no decision rests on it (DESIGN, rule 4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Who was asked, as on the command line: `openai:MODEL`.
    pub asked: String,
    /// The model that answered, in the server's own words; `""` where it did not say.
    pub answered: String,
    /// The server: scheme, host and port, never a key or a path.
    pub server: String,
    /// Hash of the exact prompt, 16 hex digits; the text itself comes from `tamis prompt`.
    pub prompt: String,
    /// Calls sent, retries included.
    pub calls: u32,
    /// Of these, the same request sent again.
    pub retries: u32,
    /// Items of the answer that could not be read and were left out.
    pub dropped: u32,
    /// The list was full and asking for the rest did not empty it: something may be missing.
    pub may_be_cut: bool,
    /// The text had to be mended before it could be read.
    pub repaired: bool,
    /// How the shape of the answer was asked for: `json_schema`, `json_object` or `prompt`.
    pub shape: String,
    /// How much of the walls around a program held; `None` for whoever is no program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walls: Option<Level>,
    /// Milliseconds from its beginning to the first that a program said; `None` for whoever is no program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<u64>,
}

/// Kinds of failure of an attempt. Each has a name of its own, for none of them means that nothing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultClass {
    /// No answer in time.
    Timeout,
    /// The server could not be reached, or had no capacity however often it was asked.
    Unavailable,
    /// The answer cannot be read or breaks its contract.
    Invalid,
    /// Success was reported with nothing in it.
    Empty,
    /// The model declined.
    Refused,
    /// The provider's filter held the answer back.
    Filtered,
    /// The answer was cut at the output limit.
    Truncated,
    /// The model thought and then said nothing.
    ReasoningOnly,
    /// The stream broke off, or ended without saying why.
    Broken,
    /// The stream stood still.
    Stalled,
    /// A success that holds an error.
    ErrorInside,
    /// Another format than was asked for: JSON for a stream, or a stream for JSON.
    WrongFormat,
    /// The answer stopped for a reason that is not known to be clean.
    UnknownStop,
    /// A wait that is too long, or a spending limit: nothing that a retry helps.
    Quota,
    /// The key is missing, wrong or not allowed to do this.
    Denied,
    /// The server refuses the request as it is.
    Rejected,
    /// The question is longer than the model reads.
    TooLong,
    /// No recording of this request.
    NotRecorded,
    /// The cap on tokens, cost or time is reached: not asked.
    Capped,
    /// Anything else.
    Failed,
    /// A person told the attempt to stop.
    Cancelled,
    /// A person has the question, and is not back with the answer.
    Awaited,
    /// Files of the project changed while a program answered that may change nothing: its answer is in quarantine.
    Tampered,
}

impl FaultClass {
    /// The word in records: `reasoning_only`.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
