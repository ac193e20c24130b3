//! Which findings are listed: rows of the Findings screen, its filters, and how a finding stands.

use super::glyphs::Glyphs;
use super::model::Model;
use super::theme::Role;
use crate::model::finding::{Finding, Severity, Status};
use crate::model::ids::FindingKey;
use crate::model::settled::Dropped;
use crate::model::view::Found;
use unicode_normalization::UnicodeNormalization;

/// A row of the Findings screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A finding that came in, before there is a proposal: index into the feed.
    Came(usize),
    /// A finding: index into the decided ones.
    Finding(usize),
    /// The fold over what is not in the file.
    Fold,
    /// What is not in the file: dropped ones first, then those that a person struck.
    Out(usize),
}

/// A finding that is not in the file.
#[derive(Clone, Copy, Debug)]
pub enum Out<'a> {
    /// Invalidated by another one.
    Dropped(&'a Dropped),
    /// Struck by a person.
    Struck(&'a Finding),
}

impl<'a> Out<'a> {
    /// The finding as it was.
    pub fn finding(&self) -> &'a Finding {
        match self {
            Out::Dropped(dropped) => &dropped.finding,
            Out::Struck(finding) => finding,
        }
    }
}

/// The words of findings as searches compare them, made once for all key presses.
#[derive(Clone, Debug, Default)]
pub struct Haystacks(Vec<(FindingKey, String)>);

impl Haystacks {
    /// The findings that hold the needle, by index; the needle is folded already.
    fn matching(&mut self, findings: &[Finding], needle: &str) -> Vec<bool> {
        let is_current =
            self.0.len() == findings.len() && self.0.iter().zip(findings).all(|((key, _), finding)| *key == finding.key);
        if !is_current {
            self.0 = findings.iter().map(|finding| (finding.key.clone(), haystack(finding))).collect();
        }
        self.0.iter().map(|(_, words)| words.contains(needle)).collect()
    }
}

/// All that people may search a finding for, fields apart.
fn haystack(finding: &Finding) -> String {
    let fields = [
        &finding.id,
        &finding.uc_id,
        &finding.section,
        &finding.dimension,
        &finding.quote,
        &finding.finding,
        &finding.suggestion,
    ];
    let options = finding.options.iter().flat_map(|option| [&option.suggestion, &option.finding]);
    let questions = finding.blocked_on.iter().map(|question| &question.question);
    let rest = finding.found_by.iter().chain(&finding.resolution_edge_cases).chain(questions).chain(options);
    fields.into_iter().chain(rest).map(|field| fold(field)).collect::<Vec<_>>().join("\n")
}

/// Text as searches compare it: composed, in lower case.
pub fn fold(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.nfc().collect::<String>().to_lowercase(),
    }
}

/// How a finding stands for a person: an open conflict waits for them whatever the recipe calls it, and one that is put off
/// is put off.
pub fn standing(finding: &Finding) -> Status {
    match &finding.resolution {
        Some(resolution) if resolution.deferred => Status::Deferred,
        None if finding.is_conflict() => Status::NeedsDiscussion,
        _ => finding.status,
    }
}

/// Whether anybody has decided, also by putting off.
pub fn is_decided(finding: &Finding) -> bool {
    !matches!(standing(finding), Status::Pending | Status::NeedsDiscussion)
}

/// Mark, message id and role of a severity.
pub fn severity(severity: Severity, glyphs: &Glyphs) -> (&'static str, &'static str, Role) {
    match severity {
        Severity::Critical => (glyphs.critical, "findings-critical", Role::Critical),
        Severity::Major => (glyphs.major, "findings-major", Role::Major),
        Severity::Minor => (glyphs.minor, "findings-minor", Role::Minor),
    }
}

/// Mark, message id and role of how a finding stands.
pub fn status(status: Status, glyphs: &Glyphs) -> (&'static str, &'static str, Role) {
    match status {
        Status::Pending => (glyphs.waiting, "findings-pending", Role::Waiting),
        Status::NeedsDiscussion => (glyphs.needs_you, "findings-conflict", Role::NeedsYou),
        Status::Accepted => (glyphs.done, "findings-accepted", Role::Done),
        Status::Modified => (glyphs.running, "findings-modified", Role::Done),
        Status::Rejected => (glyphs.failed, "findings-rejected", Role::Removed),
        Status::Deferred => (glyphs.hole, "findings-deferred", Role::Deferred),
        Status::Applied => (glyphs.done, "findings-applied", Role::Dim),
    }
}

impl Model {
    /// Whether findings are settled, not merely coming in.
    pub fn is_settling(&self) -> bool {
        self.view().proposal.is_some()
    }

    /// What is not in the file: index from 0.
    pub fn out(&self, index: usize) -> Option<Out<'_>> {
        let dropped = self.view().proposal.as_ref().map_or(&[][..], |proposal| proposal.dropped.as_slice());
        match dropped.get(index) {
            Some(dropped) => Some(Out::Dropped(dropped)),
            None => self.decided.struck.get(index - dropped.len()).map(Out::Struck),
        }
    }

    /// How many findings are not in the file.
    pub fn outs(&self) -> usize {
        self.view().proposal.as_ref().map_or(0, |proposal| proposal.dropped.len()) + self.decided.struck.len()
    }

    /// Rows of the Findings screen.
    pub fn finding_rows(&self) -> usize {
        if !self.is_settling() {
            return self.view().feed.len();
        }
        let outs = self.outs();
        let unfolded = if self.findings.unfolded { outs } else { 0 };
        self.findings.shown.len() + usize::from(outs > 0) + unfolded
    }

    /// A row of the Findings screen.
    pub fn finding_row(&self, at: usize) -> Option<Row> {
        if at >= self.finding_rows() {
            return None;
        }
        if !self.is_settling() {
            return Some(Row::Came(at));
        }
        let shown = self.findings.shown.len();
        Some(match self.findings.shown.get(at) {
            Some(&index) => Row::Finding(index),
            None if at == shown => Row::Fold,
            None => Row::Out(at - shown - 1),
        })
    }

    /// The finding that came in under the cursor, before there is a proposal.
    pub fn current_came(&self) -> Option<&Found> {
        match self.finding_row(self.findings.cursor)? {
            Row::Came(index) => self.view().feed.get(index),
            _ => None,
        }
    }

    /// Applies the filters of Findings anew; the cursor stays on its finding where that is still shown.
    pub fn filter_again(&mut self) {
        let under = self.current_finding().map(|finding| finding.key.clone());
        let findings = &self.decided.findings;
        let state = &mut self.findings;
        let needle = fold(state.filter.trim());
        let found = (!needle.is_empty()).then(|| state.haystacks.matching(findings, &needle));
        let fits = |index: usize, finding: &Finding| {
            state.severity.is_none_or(|severity| finding.severity == severity)
                && state.status.is_none_or(|status| standing(finding) == status)
                && found.as_ref().is_none_or(|found| found[index])
        };
        let shown = findings.iter().enumerate().filter(|(index, finding)| fits(*index, finding)).map(|(index, _)| index);
        state.shown = shown.collect();
        let again = under.and_then(|key| state.shown.iter().position(|&index| findings[index].key == key));
        let cursor = again.unwrap_or(state.cursor);
        self.findings.cursor = cursor.min(self.finding_rows().saturating_sub(1));
    }

    /// Marked findings that there are; how many of them the filters hide.
    pub fn marked(&self) -> (usize, usize) {
        let marked = self.findings.marked.len();
        if marked == 0 || self.findings.shown.len() == self.decided.findings.len() {
            return (marked, 0);
        }
        let is_marked = |&&index: &&usize| self.findings.marked.contains(&self.decided.findings[index].key);
        (marked, marked - self.findings.shown.iter().filter(is_marked).count().min(marked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_compare_composed_lower_case() {
        let decomposed: String = "Tiếng VIỆT".nfd().collect();
        assert_eq!(fold(&decomposed), "tiếng việt");
        assert_eq!(fold("REFUND 退款"), "refund 退款");
    }
}
