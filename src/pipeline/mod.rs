//! `pipeline`: the order of work, one readable file a pipeline; reads top-down like the contract.
//! Every effect is a step, every shared decision is fixed, every person is met at a gate; rules decide, agents answer.
//! What never belongs here: screens, files, HTTP, clocks, printing, and decisions that a rule can make.

mod asks;
mod finish;
pub mod review;
pub mod revise;
pub mod scan;

pub use asks::asks;
pub use finish::SETTLE_GATE;
