//! `rules`: the pure decisions: plan, convergence, grounding, duplicates, conflicts, order, recommendation.
//! Every function here is a plain function of its arguments and reads like the sentence of the contract it carries out.
//! What never belongs here: a clock, IO, async, randomness, words for people.

pub mod cites;
pub mod contents;
pub mod converge;
pub mod enter;
pub mod ground;
pub mod keys;
pub mod normal;
pub mod plan;
pub mod vocabulary;
pub mod words;

#[cfg(test)]
mod sample;
