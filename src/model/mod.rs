//! `model`: the pure types every room may see: findings, outlines, recipes, plans, events.
//! No clock, no IO, no async; behaviour here is limited to reading and naming values.
//! What never belongs here: decisions (`rules`), files (`files`, `journal`), words for people (`text`).

pub mod accounts;
pub mod answer;
pub mod arbiter;
pub mod context;
pub mod estimate;
pub mod event;
pub mod fault;
pub mod finding;
pub mod gate;
pub mod ids;
pub mod lang;
pub mod ledger;
pub mod nearest;
pub mod outcome;
pub mod outline;
pub mod plan;
pub mod prices;
pub mod recipe;
pub mod settled;
pub mod shown;
pub mod view;
pub mod walls;
pub mod yaml;
