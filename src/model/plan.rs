//! The plan: which agents will be asked about what, before any is (SPEC S0, Phase 1).

use super::ids::StepKey;
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
    /// The windows of lines in which the critic reads a document that is longer than it takes; empty where it reads the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub critic_windows: Vec<LineSpan>,
    /// Notices: names in a delta of units that have gone.
    pub notices: Vec<String>,
}

impl Plan {
    /// Scope names of a bucket; indexes that point nowhere, as a damaged record may hold, name nothing.
    pub fn bucket_names(&self, bucket: usize) -> Vec<&str> {
        let scopes = self.buckets.get(bucket).into_iter().flatten();
        scopes.filter_map(|&scope| self.scopes.get(scope)).map(|scope| scope.name.as_str()).collect()
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

/// Hex digits of a bucket's hash in a step key.
const BUCKET_HASH_DIGITS: usize = 6;

/// The key of a cell's step: `review/DEV/UC-01..UC-05@5f2c91`, with `/r2` for the second replica.
///
/// The hash covers the bucket's scope names joined by line feeds, so that two buckets with one label differ and a key
/// never depends on the order of arrival (DESIGN, rule 4). A `/` inside a scope's name is written `:`.
pub fn cell_key(plan: &Plan, cell: &Cell) -> StepKey {
    let label = plan.bucket_label(cell.bucket).replace('/', ":");
    let hash = blake3::hash(plan.bucket_names(cell.bucket).join("\n").as_bytes()).to_hex();
    let replica = if cell.replica > 1 { format!("/r{}", cell.replica) } else { String::new() };
    StepKey(format!("review/{}/{label}@{}{replica}", cell.dimension, &hash[..BUCKET_HASH_DIGITS]))
}

/// What a delta review looks at, read from `CHANGED_SCOPE`; PRD-global is always part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Indexes into the outline's units, ascending.
    pub units: Vec<usize>,
    /// PRD-global itself, and names of sections that lie in no unit: they mean it.
    pub global: Vec<String>,
    /// Names of units that the document no longer has: a notice each, no error.
    pub gone: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(names: &[&str], buckets: &[&[usize]]) -> Plan {
        Plan {
            recipe: "refine-prd".into(),
            granularity: Granularity::PerUc,
            lines: 10,
            units: vec![],
            scopes: names.iter().map(|name| Scope { name: (*name).into(), uc_id: String::new(), lines: vec![] }).collect(),
            dimensions: vec!["DEV".into()],
            before: vec![],
            buckets: buckets.iter().map(|bucket| bucket.to_vec()).collect(),
            cells: vec![],
            waves: 1,
            critic_windows: vec![],
            notices: vec![],
        }
    }

    fn key(plan: &Plan, bucket: usize, replica: u32) -> String {
        cell_key(plan, &Cell { dimension: "DEV".into(), bucket, replica, wave: 1 }).0
    }

    #[test]
    fn a_cell_key_is_readable_and_tells_buckets_and_replicas_apart() {
        let plan = plan(&["UC-01", "UC-02", "User Story 3", "PRD-global/Scope"], &[&[0], &[0, 1, 2], &[0, 2], &[3]]);
        // The first digits of BLAKE3 over the bytes `UC-01`.
        assert_eq!(key(&plan, 0, 1), "review/DEV/UC-01@4aeb8c");
        assert_eq!(key(&plan, 0, 2), "review/DEV/UC-01@4aeb8c/r2");
        let three = key(&plan, 1, 1);
        let two = key(&plan, 2, 1);
        assert!(three.starts_with("review/DEV/UC-01..User Story 3@"), "{three}");
        assert!(two.starts_with("review/DEV/UC-01..User Story 3@"), "{two}");
        assert_ne!(three, two);
        assert!(key(&plan, 3, 1).starts_with("review/DEV/PRD-global:Scope@"));
    }

    #[test]
    fn labels_of_cell_keys_keep_all_but_the_hash() {
        let plan = plan(&["Contact @ team", "x"], &[&[0], &[0, 1]]);
        assert_eq!(StepKey(key(&plan, 0, 1)).label(), "review/DEV/Contact @ team");
        assert_eq!(StepKey(key(&plan, 0, 3)).label(), "review/DEV/Contact @ team/r3");
        assert_eq!(StepKey(key(&plan, 1, 1)).label(), "review/DEV/Contact @ team..x");
    }

    #[test]
    fn indexes_that_point_nowhere_do_no_harm() {
        let plan = plan(&["UC-01"], &[&[7]]);
        assert_eq!(plan.bucket_names(0), Vec::<&str>::new());
        assert_eq!(plan.bucket_label(9), "");
        assert!(key(&plan, 9, 1).starts_with("review/DEV/@"));
    }
}
