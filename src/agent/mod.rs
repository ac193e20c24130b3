//! `agent`: the kinds of reviewer behind the `Agent` port: offline rules and scripted councils, and what models are told.
//! Each answers one question from a fresh context and knows nothing of any other agent.
//! What never belongs here: the order of a review, decisions about findings, files of the run, printing.

pub mod answers;
pub mod asked;
pub mod http;
mod offline;
pub mod paste;
pub mod program;
pub mod prompts;
mod script;
mod server;
pub mod sse;
mod warming;
pub mod wire;

pub use offline::Offline;
pub use script::{Script, ScriptError};
pub use server::{Model, Server};
