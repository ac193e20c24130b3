//! A finding: as an agent returns it, and as it lives in a run.

use super::ids::{FindingKey, QuestionKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who found what the offline rules found beside models.
pub const FLOOR: &str = "offline";

/// How bad it is if the document stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Cannot be built, or would be built wrongly.
    Critical,
    /// Someone has to guess.
    Major,
    /// Costs time or clarity.
    Minor,
}

impl Severity {
    /// All severities, worst first.
    pub const ALL: [Severity; 3] = [Severity::Critical, Severity::Major, Severity::Minor];

    /// `critical`, `major` or `minor`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Critical => "critical",
            Severity::Major => "major",
            Severity::Minor => "minor",
        }
    }

    /// Reads a severity as agents write it; `info` counts as minor (SPEC S0), anything else is `None`.
    pub fn read(text: &str) -> Option<Severity> {
        match text.trim().to_ascii_lowercase().as_str() {
            "critical" => Some(Severity::Critical),
            "major" => Some(Severity::Major),
            "minor" | "info" => Some(Severity::Minor),
            _ => None,
        }
    }
}

/// How a finding's quote stands in the document (DESIGN, Grounding).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Grounding {
    /// Verbatim, once, where the agent said.
    Exact,
    /// Found once after dropping emphasis marks, backticks and `<br>` and folding white space.
    Normalised,
    /// Found once, in another section or unit than the agent said.
    Moved,
    /// Found more than once and nothing tells which.
    Ambiguous,
    /// Not in the document: never critical, never auto-fixable, never deleted.
    Missing,
    /// No quote: the finding says that something is absent, and it was checked to be.
    Absence,
}

/// Where a finding stands in its life (SPEC S0, statuses).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has decided.
    Pending,
    /// A conflict of a PRD recipe that a person must settle.
    NeedsDiscussion,
    /// To be applied as it stands, or with the chosen option.
    Accepted,
    /// To be applied in merged or own words.
    Modified,
    /// Not to be applied.
    Rejected,
    /// An ordinary finding put off.
    Deferred,
    /// Applied to the document.
    Applied,
}

/// A question that the document alone cannot answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// Hash of the finding's key and the words.
    #[serde(default)]
    pub key: QuestionKey,
    /// The words.
    pub question: String,
    /// Topic of a policy question (`security`, `privacy`, `money`, `law`, `product`), which only a human answers.
    #[serde(default)]
    pub policy: Option<String>,
    /// Who is to answer.
    #[serde(default)]
    pub owner: Option<String>,
    /// The answer.
    #[serde(default)]
    pub answer: Option<String>,
    /// Who answered.
    #[serde(default)]
    pub answered_by: Option<String>,
    /// When it was answered or put off.
    #[serde(default)]
    pub at: Option<String>,
    /// The words with which a human put it off.
    #[serde(default)]
    pub deferred: Option<String>,
}

impl Question {
    /// Neither answered nor put off in words.
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && self.deferred.is_none()
    }

    /// A policy question that still holds up writing (SPEC S0, Gate).
    pub fn blocks_writing(&self) -> bool {
        self.policy.is_some() && self.is_open()
    }
}

/// One of several ways to settle a conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixOption {
    /// `A`, `B`, `C`, …
    pub label: String,
    /// What would be done.
    pub suggestion: String,
    /// What the member said was wrong; `""` where one finding offered all options itself.
    pub finding: String,
    /// Who says so.
    pub found_by: Vec<String>,
    /// The document's words it rests on.
    pub quote: String,
    /// Line of the quote, from 1; 0 without one.
    pub line: u32,
}

/// What a person decided about a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// Label of the chosen option; `null` where none was chosen.
    pub choice: Option<String>,
    /// Merged or own words; `null` where none were written.
    pub text: Option<String>,
    /// Put off.
    pub deferred: bool,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub by: String,
    /// When.
    pub at: String,
}

/// What a duplicate said before it was absorbed; nothing of it is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absorbed {
    /// Its key.
    pub key: FindingKey,
    /// Its dimension.
    pub dimension: String,
    /// Its words.
    pub finding: String,
    /// Its suggestion.
    pub suggestion: String,
    /// Its quote.
    pub quote: String,
}

/// A finding as an agent returns it (SPEC S0, Phase 1), before it is grounded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RawFinding {
    /// Dimension id; agents may leave it out where they have one dimension only.
    #[serde(default)]
    pub dimension: String,
    /// As written; read with [`Severity::read`].
    pub severity: String,
    /// Where, in the agent's words.
    #[serde(default)]
    pub section: String,
    /// Unit, in the agent's words.
    #[serde(default)]
    pub uc_id: String,
    /// Verbatim words of the document; `""` reports an absence.
    #[serde(default)]
    pub quote: String,
    /// What is wrong.
    pub finding: String,
    /// What to write instead.
    #[serde(default)]
    pub suggestion: String,
    /// Whether the suggestion can be applied by itself.
    #[serde(default)]
    pub auto_fixable: bool,
    /// What the fix must not forget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolution_edge_cases: Vec<String>,
    /// Questions the document cannot answer, as words or with owner and policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_on: Vec<RawQuestion>,
    /// Two or more ways to settle it where the agent itself sees a contradiction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Line, from 1, that each option rests on, in the order of `options`; 0 where it rests on no line of this document.
    /// Empty where all rest on the finding's own quote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options_at: Vec<u32>,
    /// Rule id of the offline reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Line, from 1, where the agent knows it: tells equal quotes apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is missing, for an absence: a heading or an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A question as agents write it: a string, or a map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RawQuestion {
    /// The words alone.
    Words(String),
    /// The words with whatever is known.
    Full(Question),
}

impl RawQuestion {
    /// The words.
    pub fn words(&self) -> &str {
        match self {
            RawQuestion::Words(words) => words,
            RawQuestion::Full(question) => &question.question,
        }
    }
}

/// A finding inside a run: grounded, keyed, perhaps merged and settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Fixed when it entered the run; a merge's comes from its members'.
    pub key: FindingKey,
    /// `F001`, … in the settled order; `""` before.
    pub id: String,
    /// Dimension of its first finder in recipe order.
    pub dimension: String,
    /// Every finder: a dimension id, `critic/N`, `human`.
    pub found_by: Vec<String>,
    /// Offline rule id, where a rule found it.
    pub rule: Option<String>,
    /// Severity in force.
    pub severity: Severity,
    /// What the agent gave, where grounding lowered it.
    pub severity_given: Option<Severity>,
    /// Heading path where the quote stands.
    pub section: String,
    /// The agent's word for the section, where it differs.
    pub section_given: Option<String>,
    /// Unit the quote lies in, else `""`.
    pub uc_id: String,
    /// Line of the quote, from 1; 0 where it is not in the document.
    pub line: u32,
    /// The document's words, at most 120 characters.
    pub quote: String,
    /// How the quote stands in the document.
    pub grounding: Grounding,
    /// For an absence: what is missing.
    pub missing: Option<String>,
    /// What is wrong.
    pub finding: String,
    /// What to write instead.
    pub suggestion: String,
    /// What the fix must not forget.
    pub resolution_edge_cases: Vec<String>,
    /// Whether the suggestion can be applied by itself.
    pub auto_fixable: bool,
    /// Where it stands.
    pub status: Status,
    /// Ways to settle it; two or more make it a conflict.
    pub options: Vec<FixOption>,
    /// What a person decided.
    pub resolution: Option<Resolution>,
    /// Questions.
    pub blocked_on: Vec<Question>,
    /// Findings that may say the same, unsure.
    pub possible_duplicate_of: Vec<FindingKey>,
    /// Duplicates it absorbed.
    pub absorbed: Vec<Absorbed>,
    /// Struck by a person: out of the file, but known to the critic.
    #[serde(default)]
    pub struck: bool,
}

impl Finding {
    /// Whether it offers alternatives that exclude each other.
    pub fn is_conflict(&self) -> bool {
        self.options.len() >= 2
    }

    /// A conflict that nobody has settled or put off.
    pub fn is_open_conflict(&self) -> bool {
        self.is_conflict() && self.resolution.is_none()
    }

    /// Whether writing must wait for a person because of this finding.
    pub fn blocks_writing(&self) -> bool {
        self.is_open_conflict() || self.blocked_on.iter().any(Question::blocks_writing)
    }
}

/// What the critic is told of a known finding (SPEC S0, Phase 2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Unit id or `""`.
    pub uc_id: String,
    /// Heading path.
    pub section: String,
    /// What is wrong, perhaps cut.
    pub finding: String,
}
