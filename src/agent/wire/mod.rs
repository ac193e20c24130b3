//! What goes over the wire to a model and what comes back: request bodies and readers of answers, pure; no socket here.
//! What servers say is read as JSON values, never as strict types: they differ in fields, types and spelling, and a reader that
//! stumbles over one of these turns a good answer into none, or none into "nothing found".

mod after;
mod chat;
mod messages;
mod reader;
mod refusal;
mod shape;
mod told;
mod verdict;

pub use after::after;
pub use reader::{JSON_LIMIT, Reader, STREAM_LIMIT};
pub use refusal::{is_final, refused};
pub use shape::{as_text, without_limits};
pub use verdict::TEXT_LIMIT;

use crate::config::roster::{Api, Endpoint, Rung};
use crate::model::answer::{FaultClass, Usage};
use serde_json::Value;
use std::time::Duration;

/// A prompt in the order in which it is sent: what all agents of a bucket share comes first, what is this agent's own last,
/// so that providers find the beginning in their caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The instructions that hold for every agent.
    pub system: String,
    /// The fenced texts; byte-identical across the agents of a bucket.
    pub shared: String,
    /// The one dimension, or the critic's or the arbiter's task.
    pub own: String,
}

/// An exchange after the prompt: what the model answered and what it is asked about that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The model's words.
    pub answer: String,
    /// What it is asked next.
    pub question: String,
}

/// One request, whole: the same call gives the same bytes.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The prompt.
    pub prompt: &'a Prompt,
    /// Exchanges after it, oldest first.
    pub turns: &'a [Turn],
    /// Name of the answer's schema: `findings`, `verdicts`.
    pub schema_name: &'a str,
    /// The schema of an answer.
    pub schema: &'a Value,
}

/// What a server has been found to want; learnt from its refusals, and remembered for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// How the shape of an answer is asked for.
    pub rung: Rung,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub max_completion_tokens: bool,
}

/// An answer that ended cleanly: a normal stop, content, no refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// The model, in the server's words; `""` where it did not say.
    pub model: String,
    /// What it cost, without a price.
    pub usage: Usage,
}

/// An answer that did not, or no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct WireFault {
    /// Its name.
    pub class: FaultClass,
    /// In words, with what the server said, cut and without keys.
    pub what: String,
    /// HTTP status; 0 where none came, 200 for an error inside a success.
    pub status: u16,
    /// Whether the same request may go better a moment later.
    pub retry: bool,
    /// How long the server wants to be left alone.
    pub after: Option<Duration>,
    /// What was read and written before it failed, where the server said.
    pub usage: Usage,
}

/// Why a request was refused, where a change of dialect may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Another way of asking for the shape.
    RungBelow,
    /// The other name of the output limit.
    OtherLimit,
}

impl Dialect {
    /// How an endpoint is spoken to at first.
    pub fn first(endpoint: &Endpoint) -> Dialect {
        Dialect { rung: endpoint.shape, max_completion_tokens: false }
    }
}

/// The body of a request: the same call to the same endpoint in the same dialect gives the same bytes.
pub fn request(endpoint: &Endpoint, call: &Call<'_>, dialect: Dialect) -> Vec<u8> {
    let body = match endpoint.api {
        Api::OpenAi => chat::body(endpoint, call, dialect),
        Api::Anthropic => messages::body(endpoint, call, dialect),
    };
    body.to_string().into_bytes()
}

/// What stands behind the base URL of a request.
pub fn path(api: Api) -> &'static str {
    api.path()
}

/// Headers that the format itself asks for; the key and the user's own headers come on top of them.
pub fn protocol_headers(api: Api) -> &'static [(&'static str, &'static str)] {
    match api {
        Api::OpenAi => &[("content-type", "application/json"), ("accept", "application/json, text/event-stream")],
        Api::Anthropic => &[
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("anthropic-version", "2023-06-01"),
        ],
    }
}

#[cfg(test)]
mod tests;
