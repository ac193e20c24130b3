//! What a run will take, before anything is sent: calls, tokens, money, and where the document goes.

use serde::{Deserialize, Serialize};

/// Further questions about an answer that cannot be read: one, quoting the path of the error.
pub const REPAIRS: u32 = 1;
/// Further questions for the rest of a list that came back full.
pub const RESTS: u32 = 2;

/// From the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// With clean answers.
    pub least: u64,
    /// With full answers, an item of each asked again, and every critic round.
    pub most: u64,
}

/// What one call reserves of the caps before it is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserve {
    /// Tokens to be read and, at most, written.
    pub tokens: u64,
    /// Price of that in millionths; `None` where no prices are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Reserve {
    /// Whether nothing is reserved: no cap holds such a call up.
    pub fn is_free(&self) -> bool {
        self.tokens == 0 && self.cost_micros.unwrap_or(0) == 0
    }

    /// Both together; the price is known where that of one of them is.
    pub fn plus(self, other: Reserve) -> Reserve {
        let cost_micros = match (self.cost_micros, other.cost_micros) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        Reserve { tokens: self.tokens.saturating_add(other.tokens), cost_micros }
    }
}

/// Where the document goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Destination {
    /// Scheme, host and port.
    pub server: String,
    /// Models that are asked there, each once.
    pub models: Vec<String>,
}

/// A question that is longer than the model reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLong {
    /// Label of the step: `review/DEV/UC-01`, `critic`.
    pub step: String,
    /// Who was to be asked.
    pub agent: String,
    /// Tokens of the question and of the longest answer.
    pub tokens: u64,
    /// Tokens that the model takes in all.
    pub context: u64,
}

/// What a run will take.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Agents of the fan-out.
    pub agents: u32,
    /// Calls: reviewers, critic rounds, the arbiter.
    pub calls: Span,
    /// Of these, the arbiter's.
    pub arbiter: Span,
    /// Tokens read.
    pub tokens_in: Span,
    /// Tokens written.
    pub tokens_out: Span,
    /// Price in millionths; `None` where prices are not known for every seat that is asked.
    pub cost_micros: Option<Span>,
    /// Currency of the prices: `USD`.
    pub currency: String,
    /// Where the document goes; empty where it stays here.
    pub destinations: Vec<Destination>,
    /// Questions that no seat can take.
    pub too_long: Vec<TooLong>,
}
