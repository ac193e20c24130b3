//! A recipe: the dimensions and the findings schema of one kind of review (SPEC S0, inputs).

use super::finding::Status;
use serde::{Deserialize, Serialize};

/// How finely the fan-out cuts the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Granularity {
    /// Whole file for small documents, else units.
    #[default]
    Auto,
    /// Always units.
    PerUc,
}

impl Granularity {
    /// `auto` or `per-uc`.
    pub fn word(self) -> &'static str {
        match self {
            Granularity::Auto => "auto",
            Granularity::PerUc => "per-uc",
        }
    }
}

/// One lens or check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// Short id: `DEV`, `P1`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it looks at, in the words the reviewer gets.
    pub description: String,
    /// A step ahead of the fan-out, outside the cap.
    #[serde(default)]
    pub before: bool,
    /// Runs unless switched off with `--dimensions`.
    #[serde(default = "yes")]
    pub default: bool,
}

fn yes() -> bool {
    true
}

/// A root key of the findings file and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootValue {
    /// The document's path as given.
    Source,
    /// The document's version.
    Version,
    /// The version the findings were applied to; empty until then.
    AppliedToVersion,
    /// When the file was written.
    GeneratedAt,
    /// The recipe's name for this kind of review.
    ReviewType,
    /// `pending_review`, `partially_applied` or `applied`.
    Status,
    /// The findings.
    Findings,
    /// The summary.
    Summary,
}

impl RootValue {
    /// All values, in the order the built-in recipes use.
    pub const ALL: [RootValue; 8] = [
        RootValue::Source,
        RootValue::Version,
        RootValue::AppliedToVersion,
        RootValue::GeneratedAt,
        RootValue::ReviewType,
        RootValue::Status,
        RootValue::Findings,
        RootValue::Summary,
    ];

    /// The word in a recipe: `source`, `applied_to_version`, ….
    pub fn word(self) -> &'static str {
        match self {
            RootValue::Source => "source",
            RootValue::Version => "version",
            RootValue::AppliedToVersion => "applied_to_version",
            RootValue::GeneratedAt => "generated_at",
            RootValue::ReviewType => "review_type",
            RootValue::Status => "status",
            RootValue::Findings => "findings",
            RootValue::Summary => "summary",
        }
    }
}

/// A root key with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootKey {
    /// Name in the file.
    pub key: String,
    /// What it holds.
    pub value: RootValue,
}

/// A field of a finding in the file: its name, in the order written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingField {
    /// Name in the file; the recipe's `dimension_field` stands for the dimension.
    pub name: String,
    /// Whether an agent must fill it.
    #[serde(default)]
    pub required: bool,
}

/// Fields of a finding that a recipe can name besides its `dimension_field`, in the order the built-in ones use.
pub const FINDING_FIELDS: [&str; 23] = [
    "id",
    "key",
    "found_by",
    "severity",
    "section",
    "uc_id",
    "line",
    "quote",
    "grounding",
    "finding",
    "suggestion",
    "resolution_edge_cases",
    "auto_fixable",
    "status",
    "options",
    "resolution",
    "blocked_on",
    "possible_duplicate_of",
    "severity_given",
    "section_given",
    "absorbed",
    "rule",
    "missing",
];

/// Root keys of a findings file that are tamis' own, whatever the recipe: a recipe cannot use their names.
pub const OWN_ROOT_KEYS: [&str; 8] =
    ["schema", "convergence_rounds", "convergence", "coverage", "dropped", "carried", "carried_unmatched", "run"];

/// A recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// `tamis.recipe/1`.
    pub schema: String,
    /// Name on the command line.
    pub name: String,
    /// What it is for, in one sentence.
    pub purpose: String,
    /// `document` (the document's own), or `en`, `vi`, `zh`.
    #[serde(default = "document_language")]
    pub language: String,
    /// Default granularity.
    #[serde(default)]
    pub granularity: Granularity,
    /// Name of the field that holds the dimension: `lens`, `check_id`.
    pub dimension_field: String,
    /// Status of an unsettled conflict: `needs_discussion` or `pending`.
    pub conflict_status: Status,
    /// Recommendation when only minor findings stand.
    pub minor_recommendation: String,
    /// Root keys of the findings file, in order.
    #[serde(default)]
    pub root: Vec<RootKey>,
    /// Fields of a finding, in order.
    #[serde(default)]
    pub finding_fields: Vec<FindingField>,
    /// Lenses or checks, in order.
    #[serde(default)]
    pub dimensions: Vec<Dimension>,
    /// The user's own criteria (P5), where no `--criteria` file is given.
    #[serde(default)]
    pub criteria: Vec<String>,
}

fn document_language() -> String {
    "document".to_owned()
}

impl Recipe {
    /// The dimension with this id, whatever the case.
    pub fn dimension(&self, id: &str) -> Option<&Dimension> {
        self.dimensions.iter().find(|dimension| dimension.id.eq_ignore_ascii_case(id))
    }

    /// Position of a dimension in the recipe; unknown ones come last.
    pub fn rank(&self, id: &str) -> usize {
        self.dimensions.iter().position(|dimension| dimension.id == id).unwrap_or(self.dimensions.len())
    }
}
