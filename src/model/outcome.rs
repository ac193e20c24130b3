//! What a review comes to: everything the findings file, the summary and the exit code are made of.

use super::accounts::Accounts;
use super::finding::Finding;
use super::settled::{Convergence, Dropped, Hole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A finished review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewOutcome {
    /// Findings in settled order with their decisions.
    pub findings: Vec<Finding>,
    /// Findings dropped, with reasons.
    pub dropped: Vec<Dropped>,
    /// How the critic loop ended.
    pub convergence: Convergence,
    /// Agents of the fan-out.
    pub agents: u32,
    /// What nobody answered.
    pub holes: Vec<Hole>,
    /// Dimensions that the agent has nothing to look at with: never counted as clean.
    pub not_covered: Vec<String>,
    /// What is not whole besides holes.
    pub lacks: Lacks,
    /// What it cost, by agent.
    pub accounts: Accounts,
    /// `BLOCKED`, `NEEDS_REVISION`, …
    pub recommendation: String,
    /// Decisions carried over from an earlier file.
    pub carry: CarryRecord,
    /// When the findings were settled, RFC 3339.
    pub generated_at: String,
}

/// What of a review is not whole although every question was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lacks {
    /// Steps whose list of findings was full to the end, so that something may be missing.
    pub may_be_cut: Vec<String>,
    /// Items that could not be read and were left out, by step.
    pub dropped_items: BTreeMap<String, u32>,
    /// Windows in which the critic read the document; 0 where it read the whole.
    pub critic_windows: u32,
}

impl Lacks {
    /// Of a run's accounts, and of the windows of its critic.
    pub fn of(accounts: &Accounts, critic_windows: usize) -> Lacks {
        Lacks {
            may_be_cut: accounts.cut().into_iter().map(str::to_owned).collect(),
            dropped_items: accounts.dropped().into_iter().map(|(step, count)| (step.to_owned(), count)).collect(),
            critic_windows: u32::try_from(critic_windows).unwrap_or(u32::MAX),
        }
    }

    /// Steps of reviewers and critics of whose findings something may be missing.
    pub fn steps(&self) -> impl Iterator<Item = &str> {
        let lost = self.dropped_items.keys().filter(|step| !step.starts_with("arbiter/") && !self.may_be_cut.contains(step));
        self.may_be_cut.iter().chain(lost).map(String::as_str)
    }

    /// Whether the text or an answer was cut, or findings could not be read: no finding and no absence of findings says
    /// anything about the whole then. What an arbiter left out lacks nothing: both findings stay.
    pub fn is_cut(&self) -> bool {
        self.critic_windows > 0 || self.steps().next().is_some()
    }
}

/// What became of the decisions of the file that this one replaces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CarryRecord {
    /// Decisions that now stand on findings of this run.
    pub carried: u32,
    /// Decisions that match nothing, kept whole.
    pub unmatched: u32,
    /// The full record, in the shape of the room that writes it.
    pub detail: serde_json::Value,
}
