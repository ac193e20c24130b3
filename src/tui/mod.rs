//! `tui`: the workbench: what a run looks like on a terminal, and what a person does there.
//! The Elm architecture: `update` turns messages into a new model and commands, screens are functions of the model.
//! It folds events and sends wishes; what never belongs here: asking agents, running pipelines, deciding by rule.

pub mod acts;
pub mod app;
pub mod clipboard;
pub mod closing;
mod colours;
pub mod commands;
pub mod differences;
pub mod editor;
pub mod entry;
pub mod faults;
pub mod field;
mod field_rows;
pub mod filter;
pub mod frames;
pub mod glyphs;
pub mod keys;
pub mod layers;
pub mod lists;
pub mod live;
pub mod message;
pub mod model;
pub mod money;
pub mod picture;
pub mod port;
pub mod rows;
pub mod sandbox;
pub mod screens;
pub mod sending;
pub mod terminal;
pub mod theme;
mod theme_file;
pub mod told;
pub mod typed;
pub mod update;
pub mod wrap;
