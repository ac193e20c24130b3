//! The workbench without a terminal: events of a real scripted review, keys as a person presses them, screens as text.

#[path = "../common/mod.rs"]
mod common;
mod stage;

mod decide;
mod entries;
mod errands;
mod findings;
mod first;
mod models;
mod questions;
mod report;
mod rest;
mod run;
mod torn;

// All screens, layers and states at once.
mod hostile;
mod keys;
mod scenes;
mod sweep;
