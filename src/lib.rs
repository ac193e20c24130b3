//! tamis: a review that converges in one run.
//!
//! Rooms, lowest floor first; imports go down only (`tests/architecture.rs` checks it):
//! `model`, `text` · `rules`, `document`, `journal`, `config`, `walls` · `run`, `lint` · `agent`, `pipeline`, `files` · `tui` · `cli`.

#[cfg(windows)]
compile_error!("tamis does not support Windows: replacing a file safely and locking a run need a Unix system");

pub mod agent;
pub mod cli;
pub mod config;
pub mod document;
pub mod files;
pub mod journal;
pub mod lint;
pub mod model;
pub mod pipeline;
pub mod rules;
pub mod run;
pub mod text;
pub mod tui;
pub mod walls;
