//! What settling proposes: the findings in their final order, and what was dropped.

use super::finding::Finding;
use super::ids::FindingKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A finding that was dropped, with the reason; never silently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// The finding as it was.
    pub finding: Finding,
    /// Why.
    pub reason: String,
}

/// The proposal a person settles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Findings, sorted and numbered.
    pub findings: Vec<Finding>,
    /// Findings dropped as invalidated.
    pub dropped: Vec<Dropped>,
    /// Keys under which findings entered the run → the key of the finding that took them in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aliases: BTreeMap<FindingKey, FindingKey>,
}

/// How the critic loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// Two dry rounds in a row.
    Dry,
    /// Three rounds.
    Cap,
    /// A critic that failed for good.
    Hole,
    /// A person.
    Human,
}

/// What the critic loop did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Convergence {
    /// Rounds run.
    pub rounds: u32,
    /// New findings of each round.
    pub new_per_round: Vec<u32>,
    /// Dry rounds in a row at the end.
    pub dry_rounds: u32,
    /// Ended by dryness.
    pub converged: bool,
    /// What ended it.
    pub stopped_by: StoppedBy,
}

/// A cell of the fan-out, a step before it, or a critic round that nobody answered, or an arbiter that a cap kept from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hole {
    /// Step label: `review/DEV/UC-01`, `critic/2`; `arbiter` for all that it was to tell apart.
    pub step: String,
    /// Dimension id, `critic` for a critic round, `arbiter`.
    pub dimension: String,
    /// Scope names.
    pub scopes: Vec<String>,
    /// Why the last attempt failed.
    pub reason: String,
}
