//! What the arbiter is asked and answers: which findings of one place say the same, which exclude each other.

use super::ids::FindingKey;
use serde::{Deserialize, Serialize};

/// Findings of one place that rules alone cannot tell apart; at most [`MAX_MEMBERS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArbiterGroup {
    /// Hash of the place and the members: the step's key is `arbiter/<key>/ab` and `arbiter/<key>/ba`.
    pub key: String,
    /// Unit id or `""`.
    pub uc_id: String,
    /// Heading path.
    pub section: String,
    /// The findings, in settled order; the second asking lists them the other way round.
    pub members: Vec<FindingKey>,
}

/// Findings in one call at most (DESIGN, Findings).
pub const MAX_MEMBERS: usize = 40;

/// What a set of members is to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// They say the same.
    Duplicate,
    /// Their suggestions join into one coherent fix, whose words the arbiter writes.
    Merge,
    /// Their suggestions cannot both apply.
    Exclusive,
}

/// One part of the partition. Members that stand in no part are independent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictPart {
    /// Numbers of the members as listed in that asking, from 1; two or more.
    pub members: Vec<usize>,
    /// What they are to each other.
    pub verdict: Verdict,
    /// The merged suggestion; `""` unless the verdict is `merge`.
    #[serde(default)]
    pub suggestion: String,
}
