//! `agent`: the kinds of reviewer behind the `Agent` port: offline rules and scripted councils.
//! Each answers one question from a fresh context and knows nothing of any other agent.
//! What never belongs here: the order of a review, decisions about findings, files of the run, printing.

pub mod http;
mod offline;
mod script;
pub mod sse;
pub mod wire;

pub use offline::Offline;
pub use script::{Script, ScriptError};
