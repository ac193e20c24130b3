//! tamis: a review that converges in one run.
//!
//! Rooms, lowest floor first; imports go down only (`tests/architecture.rs` checks it):
//! `model`, `text` · `rules`, `document`, `journal`, `config` · `run`, `lint` · `agent`, `pipeline`, `files` · `cli`.

pub mod document;
pub mod lint;
pub mod model;
pub mod text;
