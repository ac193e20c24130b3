//! `RunView`: what a run looks like at one moment, folded from its events; every face draws from it.

use super::answer::{FaultClass, Provenance, Usage};
use super::event::{Header, Sending};
use super::gate::{ClosedBy, GateRecord};
use super::ids::FindingKey;
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
        /// Kind of failure; `None` where the record does not say.
        class: Option<FaultClass>,
        /// Why.
        reason: String,
        /// A person is asked whether it is tried again or stays a hole.
        waits: bool,
    },
    /// It has its answer.
    Done {
        /// Findings it returned.
        findings: u32,
        /// Whether the agent had something to look at this dimension with; where not, no findings does not mean clean.
        covered: bool,
    },
    /// A cap is reached: it was not asked, and is when the run goes on under a higher one.
    Held {
        /// Which cap, in words.
        reason: String,
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
    /// The key as people read it: `review/DEV/UC-01`.
    pub label: String,
    /// Dimension id; `critic` or `arbiter` for those, `""` for effects.
    pub dimension: String,
    /// Scope names.
    pub scopes: Vec<String>,
    /// Wave of a cell of the plan, from 1; 0 for other steps.
    pub wave: u32,
    /// What all its attempts cost so far, failed ones included.
    pub usage: Usage,
    /// Who gave the answer and how, where a model did.
    pub provenance: Option<Provenance>,
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
    /// Repetitions of known findings.
    #[serde(default)]
    pub duplicates: u32,
}

/// A finding as it arrived, before settling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// When, RFC 3339.
    pub at: String,
    /// Label of the step that found it, `review/DEV/UC-01`, `critic/2`; `human` where a person added it.
    pub step: String,
    /// `critical`, `major` or `minor`; as written where it is none of them.
    pub severity: String,
    /// Where, in the finder's words until it is keyed.
    pub section: String,
    /// Unit, in the finder's words until it is keyed.
    pub uc_id: String,
    /// Line, from 1; 0 where nobody said.
    pub line: u32,
    /// What is wrong.
    pub finding: String,
    /// What to do about it; may be empty.
    pub suggestion: String,
    /// The document's words it rests on.
    pub quote: String,
    /// Its key, where a round has given it one.
    pub key: Option<FindingKey>,
    /// The critic round that it came in, or at whose gate a person added it.
    pub round: Option<u32>,
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
    /// Findings in the order of their arrival.
    pub feed: Vec<Found>,
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
    /// Where the document goes and what that takes, as it was confirmed; `None` where it stays here.
    pub sending: Option<Sending>,
    /// Why it waits for a person, where it does.
    pub paused: Option<String>,
    /// Kinds this version does not know.
    pub unknown_kinds: Vec<String>,
}

impl RunView {
    /// What the run has cost so far, failed attempts included.
    pub fn spent(&self) -> Usage {
        self.steps.values().fold(Usage::default(), |sum, step| sum.plus(step.usage))
    }
}
