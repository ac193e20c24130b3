//! `agent`: the kinds of reviewer behind the `Agent` port: offline rules and scripted councils, and what models are told.
//! Each answers one question from a fresh context and knows nothing of any other agent.
//! What never belongs here: the order of a review, decisions about findings, files of the run, printing.

pub mod answers;
pub mod http;
mod model;
mod offline;
pub mod prompts;
mod script;
pub mod sse;
mod warming;
pub mod wire;

pub use model::Model;
pub use offline::Offline;
pub use script::{Script, ScriptError};
