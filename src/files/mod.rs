//! `files`: the files that people keep: findings and decisions, their schema, and how one is safely replaced.
//! Here values become text that every YAML reader reads alike, and text becomes values again.
//! What never belongs here: deciding what a file says, and the journal of a run.

pub mod carry;
pub mod decisions;
pub mod findings;
mod read;
pub mod replace;
pub mod schema;
mod yaml;

pub use read::{is_findings_file, read};

#[cfg(test)]
mod decisions_tests;
#[cfg(test)]
mod samples;
#[cfg(test)]
#[allow(clippy::disallowed_macros, reason = "a test says what it could not check")]
mod tests;
