//! The workbench without a terminal: events of a real scripted review, keys as a person presses them, screens as text.

#[path = "../common/mod.rs"]
mod common;
mod stage;

mod decide;
mod entries;
mod first;
mod questions;
mod run;
mod torn;

// All screens, layers and states at once.
mod scenes;
mod sweep;
