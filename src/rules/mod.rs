//! `rules`: pure decisions: what a finding rests on, which findings are one, which exclude each other, their order.
//! The same input always gives the same answer, whatever the order in which agents finish.
//! What never belongs here: clocks, files, the network, async code, and words for people (`text`).

pub mod arbiter;
pub mod cites;
pub mod conflict;
pub mod contents;
pub mod decide;
pub mod dedup;
pub mod enter;
pub mod fix;
pub mod ground;
pub mod keys;
pub mod normal;
pub mod place;
pub mod recommend;
#[cfg(test)]
mod sample;
pub mod settle;
#[cfg(test)]
mod settle_tests;
pub mod similar;
pub mod vocabulary;
pub mod wording;
pub mod words;
