//! The workbench without a terminal: events of a real scripted review, keys as a person presses them, screens as text.

#[path = "../common/mod.rs"]
mod common;
mod stage;

mod findings;
mod first;
mod report;
mod run;
