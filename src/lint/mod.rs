//! `lint`: the offline reviewer's rules, one small unit each, with their word lists as data.
//! It reads a parsed document and says what is wrong, where, and what to write instead.
//! What never belongs here: judgement, models, files, settling, and anything that prints.

mod frame;
mod numbers;
pub mod words;
