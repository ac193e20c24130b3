//! `rules`: the pure decisions: plan, convergence, grounding, duplicates, conflicts, order, recommendation.
//! Every function here is a plain function of its arguments and reads like the sentence of the contract it carries out.
//! What never belongs here: a clock, IO, async, randomness, words for people.

pub mod adopt;
pub mod arbiter;
pub mod cites;
pub mod conflict;
pub mod contents;
pub mod converge;
pub mod decide;
pub mod dedup;
pub mod enter;
pub mod estimate;
pub mod fix;
pub mod ground;
pub mod keys;
pub mod ledger;
pub mod normal;
pub mod place;
pub mod plan;
pub mod price;
pub mod recommend;
#[cfg(test)]
pub(crate) mod sample;
pub mod settle;
#[cfg(test)]
mod settle_tests;
pub mod similar;
pub mod vocabulary;
pub mod wording;
pub mod words;
