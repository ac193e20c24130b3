//! `RunView`: what a run looks like at one moment, folded from its events; every face draws from it.

use super::event::Header;
use super::gate::{ClosedBy, GateRecord};
use super::plan::Plan;
use super::settled::{Convergence, Hole, Proposal};
use std::collections::BTreeMap;

/// The state of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StepState {
    /// Planned, not begun.
    #[default]
    Waiting,
    /// An attempt runs.
    Running,
    /// An attempt failed and another may follow.
    Failed {
        /// Why.
        reason: String,
    },
    /// It has its answer.
    Done {
        /// Findings it returned.
        findings: u32,
    },
    /// It stays without an answer.
    Hole {
        /// Why.
        reason: String,
    },
}

/// A step as screens show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepView {
    /// State.
    pub state: StepState,
    /// Attempts begun.
    pub attempts: u32,
    /// When the last attempt began.
    pub started_at: String,
    /// When it ended; `""` while it runs.
    pub ended_at: String,
    /// Who answers or answered.
    pub agent: String,
}

/// A gate as screens show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GateView {
    /// Whether it is open.
    pub open: bool,
    /// Records, oldest first.
    pub records: Vec<GateRecord>,
    /// How it closed.
    pub closed_by: Option<ClosedBy>,
}

/// One critic round.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RoundView {
    /// From 1.
    pub round: u32,
    /// New findings.
    pub new: u32,
    /// Dry rounds in a row after it.
    pub dry: u32,
}

/// A run at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunView {
    /// What the run is about; `None` before its first event.
    pub header: Option<Header>,
    /// When it began.
    pub started_at: String,
    /// Time of the last event folded.
    pub last_at: String,
    /// The plan.
    pub plan: Option<Plan>,
    /// Steps by key.
    pub steps: BTreeMap<String, StepView>,
    /// Gates by key.
    pub gates: BTreeMap<String, GateView>,
    /// Critic rounds.
    pub rounds: Vec<RoundView>,
    /// How the critic loop ended.
    pub convergence: Option<Convergence>,
    /// Holes.
    pub holes: Vec<Hole>,
    /// What a person settles or has settled.
    pub proposal: Option<Proposal>,
    /// Path of the written file.
    pub written: Option<String>,
    /// Whether the run ended.
    pub finished: bool,
    /// Why it waits for a person, where it does.
    pub paused: Option<String>,
    /// Kinds this version does not know.
    pub unknown_kinds: Vec<String>,
}
