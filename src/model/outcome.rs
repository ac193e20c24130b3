//! What a review comes to: everything the findings file, the summary and the exit code are made of.

use super::finding::Finding;
use super::settled::{Convergence, Dropped, Hole};
use serde::{Deserialize, Serialize};

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
    /// `BLOCKED`, `NEEDS_REVISION`, …
    pub recommendation: String,
    /// Decisions carried over from an earlier file.
    pub carry: CarryRecord,
    /// When the findings were settled, RFC 3339.
    pub generated_at: String,
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
