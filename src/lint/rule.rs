//! What a rule is, and what it says when it fires.

use super::page::Page;
use crate::model::finding::{RawFinding, Severity};
use crate::model::lang::Lang;

/// A rule of the offline reviewer.
pub struct Rule {
    /// Id in the catalogue: `A01`.
    pub id: &'static str,
    /// Short name.
    pub name: &'static str,
    /// Usual severity; a rule may raise or lower it where it says so in `doc`.
    pub severity: Severity,
    /// When it fires and why that matters.
    pub doc: &'static str,
    /// What keeps it quiet.
    pub suppressed: &'static str,
    /// Where the idea comes from.
    pub source: &'static str,
    /// A document that fails and one that passes, in each language.
    pub examples: &'static [Example],
    /// Looks through a document; hits come in any order.
    pub(super) check: fn(&Page<'_>) -> Vec<Hit>,
}

/// A small document that a rule fires on, and its cured form on which it stays quiet.
pub struct Example {
    /// Language of both.
    pub lang: Lang,
    /// The rule fires here.
    pub fails: &'static str,
    /// The rule stays quiet here.
    pub passes: &'static str,
}

/// A rule fired.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Id of the rule.
    pub rule: &'static str,
    /// Line, from 1, the quote stands on.
    pub line: u32,
    /// The finding; its `dimension` is left empty for the recipe to fill.
    pub raw: RawFinding,
}

impl Hit {
    /// Fills in the words.
    pub(super) fn saying(mut self, finding: String, suggestion: String) -> Hit {
        self.raw.finding = finding;
        self.raw.suggestion = suggestion;
        self
    }
}
