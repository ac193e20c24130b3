//! The plan: which agents will be asked about what, before any is (SPEC S0, Phase 1).

use super::outline::LineSpan;
use super::recipe::Granularity;
use serde::{Deserialize, Serialize};

/// Name of the scope that is the whole file.
pub const WHOLE_FILE: &str = "whole-file";
/// Name of the scope that holds all that lies in no unit.
pub const PRD_GLOBAL: &str = "PRD-global";
/// Agents in a wave unless told otherwise.
pub const AGENT_CAP: usize = 12;
/// Critic rounds at most.
pub const MAX_ROUNDS: u32 = 3;
/// Dry rounds in a row that end the critic loop.
pub const DRY_ROUNDS: u32 = 2;

/// What one agent can be asked to look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// `whole-file`, a unit's id, `PRD-global` or `PRD-global/<section>`; unique within a plan.
    pub name: String,
    /// `uc_id` of findings in it.
    pub uc_id: String,
    /// Its lines, in file order, disjoint.
    pub lines: Vec<LineSpan>,
}

/// One agent's share: one dimension on one bucket of scopes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Dimension id.
    pub dimension: String,
    /// Index into [`Plan::buckets`].
    pub bucket: usize,
    /// 1 for the first replica.
    pub replica: u32,
    /// Wave, from 1.
    pub wave: u32,
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Recipe name.
    pub recipe: String,
    /// Granularity asked for.
    pub granularity: Granularity,
    /// Physical lines.
    pub lines: u32,
    /// All units of the document, also those a delta leaves out.
    pub units: Vec<String>,
    /// Scopes in order.
    pub scopes: Vec<Scope>,
    /// Dimensions of the fan-out, in recipe order.
    pub dimensions: Vec<String>,
    /// Dimensions that run as steps ahead of it.
    pub before: Vec<String>,
    /// Buckets of scope indexes, contiguous.
    pub buckets: Vec<Vec<usize>>,
    /// Agents of the fan-out, in the order they are started.
    pub cells: Vec<Cell>,
    /// Number of waves.
    pub waves: u32,
    /// Notices: units named in a delta that have gone.
    pub notices: Vec<String>,
}

impl Plan {
    /// Scope names of a bucket.
    pub fn bucket_names(&self, bucket: usize) -> Vec<&str> {
        self.buckets[bucket].iter().map(|&scope| self.scopes[scope].name.as_str()).collect()
    }

    /// A bucket's readable label: its one scope, or first and last with the count between.
    pub fn bucket_label(&self, bucket: usize) -> String {
        let names = self.bucket_names(bucket);
        match names.as_slice() {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [first, .., last] => format!("{first}..{last}"),
        }
    }
}

/// What a delta review looks at, read from `CHANGED_SCOPE`; PRD-global is always part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Indexes into the outline's units, ascending.
    pub units: Vec<usize>,
    /// Units that have gone.
    pub notices: Vec<String>,
}
