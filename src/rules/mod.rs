//! `rules`: pure decisions: what a finding rests on, which findings are one, which exclude each other, their order.
//! The same input always gives the same answer, whatever the order in which agents finish.
//! What never belongs here: clocks, files, the network, async code, and words for people (`text`).

pub mod cites;
pub mod contents;
pub mod enter;
pub mod ground;
pub mod keys;
pub mod normal;
#[cfg(test)]
mod sample;
pub mod vocabulary;
pub mod words;
