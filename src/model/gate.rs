//! Gates and the records people leave on them (DESIGN, rule 2).

use super::finding::RawFinding;
use super::ids::{FindingKey, QuestionKey};
use serde::{Deserialize, Serialize};

/// What a person does on a gate. Every one is a record; the last on a subject that was not taken back wins
/// ([`ledger`](super::ledger)).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Take option `label` of a conflict.
    Choose {
        /// The conflict.
        finding: FindingKey,
        /// `A`, `B`, …
        label: String,
        /// Why.
        reason: String,
    },
    /// Settle in merged or own words.
    Write {
        /// The finding.
        finding: FindingKey,
        /// The words to apply.
        text: String,
        /// Why.
        reason: String,
    },
    /// Accept an ordinary finding.
    Accept {
        /// The finding.
        finding: FindingKey,
        /// Why.
        reason: String,
    },
    /// Reject a finding, or all options of a conflict.
    Reject {
        /// The finding.
        finding: FindingKey,
        /// Why.
        reason: String,
    },
    /// Put a finding or conflict off, in words.
    Defer {
        /// The finding.
        finding: FindingKey,
        /// The words.
        reason: String,
    },
    /// Answer a question.
    Answer {
        /// The question.
        question: QuestionKey,
        /// The answer.
        answer: String,
    },
    /// Name who is to answer.
    Assign {
        /// The question.
        question: QuestionKey,
        /// Who.
        owner: String,
    },
    /// Put a question off, in words.
    DeferQuestion {
        /// The question.
        question: QuestionKey,
        /// The words.
        reason: String,
    },
    /// Take a finding out of the file; the critic still knows it.
    Strike {
        /// The finding.
        finding: FindingKey,
        /// Why.
        reason: String,
    },
    /// Add a finding by hand.
    Add {
        /// The finding.
        finding: Box<RawFinding>,
    },
    /// Stop the critic loop here.
    Stop {
        /// Why.
        reason: String,
    },
    /// Take a decision back: the finding is as it was proposed, and not struck.
    Clear {
        /// The finding.
        finding: FindingKey,
    },
    /// Open a question again; who is to answer stays named.
    ClearQuestion {
        /// The question.
        question: QuestionKey,
    },
    /// Words typed but not yet given. Never a decision.
    Draft {
        /// What they are about, in the words of whoever keeps them.
        subject: String,
        /// The words; `""` drops them.
        text: String,
    },
    /// Take back the last decision on this gate that still stands.
    Undo {},
    /// Bring back the decision that was taken back last.
    Redo {},
    /// Several at once, taken back at once. Bulks, drafts, undos and redos inside are ignored.
    Bulk {
        /// The decisions, in order.
        ops: Vec<Op>,
    },
}

/// A record on a gate: who did what when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// What.
    #[serde(flatten)]
    pub op: Op,
    /// Who.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// How a gate was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedBy {
    /// Nothing waited for a person.
    Itself,
    /// A person, at the screen or through a decisions file.
    Person,
}
