//! Carrying decisions over from the findings file that a new one replaces (DESIGN, Findings).
//!
//! A decision moves where its finding is certain: by key, or as the only one of its unit, quote and kind on both sides.
//! Whatever is unsure or gone is kept whole and shown, never applied and never lost.

use super::findings::{Carried, Extra, FindingsFile, Kept, MatchedBy, Unmatched};
use crate::model::finding::{Finding, FixOption, Question, Resolution, Status};
use crate::model::ids::FindingKey;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// What became of the earlier decisions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carry {
    /// Those that now stand on findings.
    pub carried: Vec<Carried>,
    /// Those that do not.
    pub unmatched: Vec<Unmatched>,
    /// Keys that a person had added to findings that are still there.
    pub extra: BTreeMap<FindingKey, Extra>,
}

/// Takes the decisions of an earlier file over to the fresh findings of a run.
///
/// Status, resolution, answers, owners and deferrals of questions (matched by their words), and keys that a person added
/// move to the finding that matches. What an earlier file kept unmatched is tried again and kept on.
pub fn carry(findings: &mut [Finding], earlier: &FindingsFile) -> Carry {
    let sources = sources(earlier);
    let matches = match_all(findings, &sources);
    let mut carry = Carry::default();
    let mut taken: HashMap<usize, &Finding> = HashMap::new();
    for (source, found) in sources.iter().zip(matches) {
        let (index, matched_by) = match found {
            Match::Found(index, matched_by) => (index, matched_by),
            Match::Gone => {
                carry.keep(source, Kept::Gone, Vec::new());
                continue;
            }
            Match::Unsure(candidates) => {
                let candidates = candidates.into_iter().map(|index| findings[index].key.clone()).collect();
                carry.keep(source, Kept::Ambiguous, candidates);
                continue;
            }
        };
        let finding = &mut findings[index];
        if let Some(first) = taken.get(&index) {
            // A second decision on one finding: the first stands, another one is shown beside it.
            if !same_decision(first, source.finding) {
                let reason = source.reason.unwrap_or(Kept::Ambiguous);
                carry.keep(source, reason, vec![finding.key.clone()]);
            }
            continue;
        }
        if !source.extra.is_empty() {
            carry.extra.insert(finding.key.clone(), source.extra.clone());
        }
        if !is_decided(source.finding) {
            continue;
        }
        // Also where it does not apply: an older decision never steps in for a newer one.
        taken.insert(index, source.finding);
        let applied = apply(source.finding, finding);
        if let Some(reason) = applied.kept {
            carry.keep(source, reason, vec![finding.key.clone()]);
        }
        if applied.decided || applied.questions > 0 {
            carry.carried.push(Carried {
                key: finding.key.clone(),
                earlier_key: source.finding.key.clone(),
                matched_by,
                status: finding.status,
                questions: applied.questions,
            });
        }
    }
    carry
}

/// An earlier finding whose fate matters, or one that only makes a place less certain.
struct Source<'a> {
    finding: &'a Finding,
    extra: &'a Extra,
    /// Whether it must not be lost.
    matters: bool,
    /// What an earlier carry already knew.
    reason: Option<Kept>,
}

fn sources(earlier: &FindingsFile) -> Vec<Source<'_>> {
    static NONE: LazyLock<Extra> = LazyLock::new(Extra::new);
    let findings = earlier.findings.iter().map(|finding| {
        let extra = earlier.extra.get(&finding.key).unwrap_or(&NONE);
        Source { finding, extra, matters: matters(finding, extra), reason: None }
    });
    let kept = earlier.carried_unmatched.iter().map(|unmatched| Source {
        finding: &unmatched.finding,
        extra: &unmatched.extra,
        matters: true,
        reason: Some(unmatched.reason),
    });
    findings.chain(kept).collect()
}

/// Whether a person has put anything into a finding: a decision, an own key, or the finding itself.
fn matters(finding: &Finding, extra: &Extra) -> bool {
    let by_hand = finding.key.as_str().is_empty() || finding.found_by.iter().any(|finder| finder == "human");
    is_decided(finding) || by_hand || !extra.is_empty()
}

fn is_decided(finding: &Finding) -> bool {
    has_verdict(finding) || finding.blocked_on.iter().any(is_worked_on)
}

fn has_verdict(finding: &Finding) -> bool {
    finding.resolution.is_some() || !matches!(finding.status, Status::Pending | Status::NeedsDiscussion)
}

fn is_worked_on(question: &Question) -> bool {
    question.answer.is_some() || question.deferred.is_some() || question.owner.is_some()
}

enum Match {
    Found(usize, MatchedBy),
    Unsure(Vec<usize>),
    Gone,
}

/// Finds for every source that matters its finding: by key, else by place where both sides have exactly one.
fn match_all(findings: &[Finding], sources: &[Source<'_>]) -> Vec<Match> {
    let by_key: HashMap<&str, usize> =
        findings.iter().enumerate().map(|(index, finding)| (finding.key.as_str(), index)).collect();
    let keyed = |source: &Source<'_>| by_key.get(source.finding.key.as_str()).copied();
    let taken: HashSet<usize> = sources.iter().filter_map(keyed).collect();
    let mut candidates: HashMap<Place, Vec<usize>> = HashMap::new();
    for (index, finding) in findings.iter().enumerate().filter(|(index, _)| !taken.contains(index)) {
        if let Some(place) = Place::of(finding) {
            candidates.entry(place).or_default().push(index);
        }
    }
    // Earlier findings that lost their key and share a place: each makes the others unsure. One that was kept unmatched
    // and stands among the findings again is the same one.
    let mut rivals: HashMap<Place, HashSet<&str>> = HashMap::new();
    for source in sources.iter().filter(|source| keyed(source).is_none()) {
        if let Some(place) = Place::of(source.finding) {
            rivals.entry(place).or_default().insert(source.finding.key.as_str());
        }
    }
    let find = |source: &Source<'_>| {
        if !source.matters {
            return Match::Gone;
        }
        if let Some(index) = keyed(source) {
            return Match::Found(index, MatchedBy::Key);
        }
        let Some(place) = Place::of(source.finding) else { return Match::Gone };
        let alone = rivals.get(&place).is_some_and(|keys| keys.len() == 1);
        match candidates.get(&place).map(Vec::as_slice) {
            None | Some([]) => Match::Gone,
            Some([one]) if alone => Match::Found(*one, MatchedBy::Place),
            Some(several) => Match::Unsure(several.to_vec()),
        }
    };
    sources.iter().map(find).collect()
}

/// Unit, quote (or what is missing) and kind: the rule, else the dimension.
#[derive(PartialEq, Eq, Hash)]
struct Place {
    uc_id: String,
    words: String,
    is_absence: bool,
    kind: String,
}

impl Place {
    /// `None` where a finding neither quotes anything nor says what is missing: its place is then everywhere.
    fn of(finding: &Finding) -> Option<Place> {
        let quote = normalised(&finding.quote);
        let is_absence = quote.is_empty();
        let words = if is_absence { normalised(finding.missing.as_deref().unwrap_or_default()) } else { quote };
        let kind = finding.rule.clone().unwrap_or_else(|| finding.dimension.clone());
        (!words.is_empty()).then(|| Place { uc_id: finding.uc_id.clone(), words, is_absence, kind })
    }
}

/// NFC, with white space folded.
fn normalised(text: &str) -> String {
    let folded: Vec<&str> = text.split_whitespace().collect();
    folded.join(" ").nfc().collect()
}

/// How questions are compared: as [`normalised`], case aside.
pub(super) fn question_words(text: &str) -> String {
    normalised(text).to_lowercase()
}

/// What was taken over, and why something was not.
struct Applied {
    decided: bool,
    questions: u32,
    kept: Option<Kept>,
}

fn apply(earlier: &Finding, finding: &mut Finding) -> Applied {
    let (questions, question_gone) = apply_answers(&earlier.blocked_on, &mut finding.blocked_on);
    let mut applied = Applied { decided: false, questions, kept: question_gone.then_some(Kept::QuestionGone) };
    if !has_verdict(earlier) {
        return applied;
    }
    match verdict(earlier, finding) {
        Ok((status, resolution)) => {
            finding.status = status;
            finding.resolution = resolution;
            applied.decided = true;
        }
        Err(reason) => applied.kept = Some(reason),
    }
    applied
}

/// Status and resolution as they stand on the new finding, or why they cannot.
fn verdict(earlier: &Finding, finding: &Finding) -> Result<(Status, Option<Resolution>), Kept> {
    if earlier.status == Status::Applied {
        return Err(Kept::FoundAgain);
    }
    if earlier.is_conflict() || finding.is_conflict() {
        return settled_conflict(earlier, finding);
    }
    let is_same = without_lines(&earlier.suggestion) == without_lines(&finding.suggestion);
    if earlier.status == Status::Accepted && !is_same {
        // What was accepted is the earlier suggestion; the new one was never seen.
        let mut resolution = earlier.resolution.clone().unwrap_or_default();
        resolution.text.get_or_insert_with(|| earlier.suggestion.clone());
        return Ok((Status::Modified, Some(resolution)));
    }
    Ok((earlier.status, earlier.resolution.clone()))
}

/// How a conflict stands that a hand may have marked as settled in the file; `None` where the marks do not say how.
pub fn marked_conflict(finding: &Finding) -> Option<(Status, Option<Resolution>)> {
    let marked = finding.is_conflict() && has_verdict(finding) && finding.status != Status::Applied;
    marked.then(|| settled_conflict(finding, finding).ok()).flatten()
}

fn settled_conflict(earlier: &Finding, finding: &Finding) -> Result<(Status, Option<Resolution>), Kept> {
    let words = option_words(&earlier.options, &finding.options).ok_or(Kept::OptionsChanged)?;
    let Some(mut resolution) = earlier.resolution.clone() else {
        // Marked by hand in the file: rejecting says all, anything else does not say which option.
        let rejected = earlier.status == Status::Rejected;
        return if rejected { Ok((Status::Rejected, Some(Resolution::default()))) } else { Err(Kept::NoChoice) };
    };
    if resolution.deferred {
        return Ok((finding.status, Some(resolution)));
    }
    if let Some(label) = &resolution.choice {
        let chosen = earlier.options.iter().find(|option| option.label.eq_ignore_ascii_case(label));
        let chosen = words(&chosen.ok_or(Kept::NoChoice)?.suggestion);
        let now = finding.options.iter().find(|option| words(&option.suggestion) == chosen);
        resolution.choice = Some(now.ok_or(Kept::OptionsChanged)?.label.clone());
    } else if resolution.text.is_none() && earlier.status != Status::Rejected {
        return Err(Kept::NoChoice);
    }
    // A choice that was only written as a resolution by hand has the status it would have got.
    let status = match earlier.status {
        Status::Pending | Status::NeedsDiscussion if resolution.choice.is_some() => Status::Accepted,
        Status::Pending | Status::NeedsDiscussion => Status::Modified,
        decided => decided,
    };
    Ok((status, Some(resolution)))
}

/// How the texts of both lists of options are to be compared so that they are the same ones; `None` where they are not.
/// Numbers of lines count only where nothing else tells two options of a list apart.
fn option_words(earlier: &[FixOption], now: &[FixOption]) -> Option<fn(&str) -> String> {
    let all = |options: &[FixOption], words: fn(&str) -> String| {
        let mut all: Vec<String> = options.iter().map(|option| words(&option.suggestion)).collect();
        all.sort();
        all
    };
    if all(earlier, normalised) == all(now, normalised) {
        return Some(normalised);
    }
    let (before, after) = (all(earlier, without_lines), all(now, without_lines));
    let are_distinct = before.windows(2).all(|pair| pair[0] != pair[1]);
    (before == after && are_distinct).then_some(without_lines)
}

/// As [`normalised`], with numbers of lines left out: they move with every edit above them.
fn without_lines(text: &str) -> String {
    static LINES: LazyLock<Regex> = LazyLock::new(|| {
        let numbers = r"\d+(?:(?:\s*[-–,，、]\s*|\s*(?:,\s*)?(?:and|or|to|và|hoặc|đến|和|或|至)\s*)\d+)*";
        let pattern = format!(r"(?i)(?P<word>\b(?:lines?|dòng)\s+){numbers}|第\s*{numbers}\s*行");
        Regex::new(&pattern).expect("a valid pattern")
    });
    LINES.replace_all(&normalised(text), "${word}#").into_owned()
}

/// Takes answers, owners and deferrals over to questions of the same words. Returns how many, and whether one that was
/// worked on is not asked any more.
fn apply_answers(earlier: &[Question], now: &mut [Question]) -> (u32, bool) {
    let mut count = 0;
    let mut gone = false;
    for question in earlier.iter().filter(|question| is_worked_on(question)) {
        let words = question_words(&question.question);
        match now.iter_mut().find(|asked| question_words(&asked.question) == words) {
            // An owner that the document names by now is no answer: only an open question is filled in.
            Some(asked) if asked.is_open() => {
                let Question { owner, answer, answered_by, at, deferred, .. } = question.clone();
                let owner = owner.or(asked.owner.take());
                let filled = Question { owner, answer, answered_by, at, deferred, ..asked.clone() };
                count += u32::from(filled != *asked);
                *asked = filled;
            }
            Some(_) => {}
            None => gone = true,
        }
    }
    (count, gone)
}

fn same_decision(a: &Finding, b: &Finding) -> bool {
    (a.status, &a.resolution, &a.blocked_on) == (b.status, &b.resolution, &b.blocked_on)
}

impl Carry {
    /// Keeps what a person put into a source, once.
    fn keep(&mut self, source: &Source<'_>, reason: Kept, candidates: Vec<FindingKey>) {
        if !source.matters {
            return;
        }
        let known = |kept: &Unmatched| kept.finding.key == source.finding.key && same_decision(&kept.finding, source.finding);
        if !source.finding.key.as_str().is_empty() && self.unmatched.iter().any(known) {
            return;
        }
        // A reason that an earlier carry gave says more than that the finding is gone by now.
        let reason = if reason == Kept::Gone { source.reason.unwrap_or(reason) } else { reason };
        let finding = source.finding.clone();
        self.unmatched.push(Unmatched { finding, reason, candidates, extra: source.extra.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::findings::render;
    use crate::files::read;
    use crate::files::samples::{finding, full_file, option, question, recipes};
    use proptest::prelude::*;
    use serde_json::json;

    /// An earlier file of these findings alone.
    fn earlier(findings: Vec<Finding>) -> FindingsFile {
        let mut file = full_file(&recipes()[0]);
        (file.findings, file.carried, file.carried_unmatched) = (findings, Vec::new(), Vec::new());
        file.extra.clear();
        file
    }

    fn decided(key: &str, status: Status) -> Finding {
        let reason = "because".to_owned();
        let resolution = Resolution { reason, by: "An".to_owned(), at: "t".to_owned(), ..Resolution::default() };
        Finding { status, resolution: Some(resolution), ..finding(key, "DEV") }
    }

    fn conflict(key: &str, suggestions: &[&str]) -> Finding {
        let labelled = ["A", "B", "C"].iter().zip(suggestions);
        let options = labelled.map(|(label, words)| option(label, words)).collect();
        Finding { options, status: Status::NeedsDiscussion, ..finding(key, "SA") }
    }

    fn reasons(carry: &Carry) -> Vec<Kept> {
        carry.unmatched.iter().map(|unmatched| unmatched.reason).collect()
    }

    #[test]
    fn a_decision_moves_by_key() {
        let mut now = [finding("k1", "DEV"), finding("k2", "DEV")];
        let old = decided("k2", Status::Rejected);
        let carry = carry(&mut now, &earlier(vec![finding("k1", "DEV"), old.clone()]));
        assert_eq!(now[0], finding("k1", "DEV"));
        assert_eq!((now[1].status, &now[1].resolution), (Status::Rejected, &old.resolution));
        let expected = Carried {
            key: "k2".into(),
            earlier_key: "k2".into(),
            matched_by: MatchedBy::Key,
            status: Status::Rejected,
            questions: 0,
        };
        assert_eq!(carry, Carry { carried: vec![expected], ..Carry::default() });
    }

    #[test]
    fn a_decision_moves_to_the_only_finding_of_its_place() {
        let mut now = [Finding { quote: "The  payment is\nconfirmed quickly.".to_owned(), ..finding("new", "DEV") }];
        let carry = carry(&mut now, &earlier(vec![decided("old", Status::Rejected)]));
        assert_eq!(now[0].status, Status::Rejected);
        assert_eq!((carry.carried[0].matched_by, carry.carried[0].earlier_key.as_str()), (MatchedBy::Place, "old"));
        assert!(carry.unmatched.is_empty());
    }

    #[test]
    fn another_unit_quote_or_kind_is_another_place() {
        let same = finding("new", "DEV");
        let others = [
            Finding { uc_id: "UC-02".to_owned(), ..same.clone() },
            Finding { quote: "Another.".to_owned(), ..same.clone() },
            Finding { dimension: "SA".to_owned(), ..same.clone() },
            Finding { rule: Some("A01".to_owned()), ..same },
        ];
        for other in others {
            let mut now = [other.clone()];
            let old = decided("old", Status::Rejected);
            let carry = carry(&mut now, &earlier(vec![old.clone()]));
            assert_eq!(now, [other]);
            let kept = Unmatched { finding: old, reason: Kept::Gone, candidates: Vec::new(), extra: Extra::new() };
            assert_eq!(carry.unmatched, [kept]);
        }
    }

    #[test]
    fn several_candidates_on_either_side_are_shown_and_never_applied() {
        let old = decided("old", Status::Rejected);
        let mut now = [finding("n1", "DEV"), finding("n2", "DEV")];
        let two_now = carry(&mut now, &earlier(vec![old.clone()]));
        assert!(now.iter().all(|finding| finding.status == Status::Pending));
        assert_eq!(reasons(&two_now), [Kept::Ambiguous]);
        assert_eq!(two_now.unmatched[0].candidates, ["n1".into(), "n2".into()]);
        let mut now = [finding("n1", "DEV")];
        let two_before = carry(&mut now, &earlier(vec![old, finding("other", "DEV")]));
        assert_eq!(now[0].status, Status::Pending);
        assert_eq!(reasons(&two_before), [Kept::Ambiguous]);
    }

    #[test]
    fn a_finding_that_kept_its_key_is_no_candidate_for_another() {
        let mut now = [finding("k", "DEV"), finding("n", "DEV")];
        let carry = carry(&mut now, &earlier(vec![finding("k", "DEV"), decided("old", Status::Rejected)]));
        assert_eq!((now[0].status, now[1].status), (Status::Pending, Status::Rejected));
        assert!(carry.unmatched.is_empty());
    }

    #[test]
    fn absences_match_by_what_is_missing_only() {
        let absent = |key: &str, missing: Option<&str>| Finding {
            quote: String::new(),
            missing: missing.map(str::to_owned),
            ..decided(key, Status::Rejected)
        };
        let fresh = |missing| Finding { status: Status::Pending, resolution: None, ..absent("new", missing) };
        let mut now = [fresh(Some("Glossary"))];
        assert_eq!(carry(&mut now, &earlier(vec![absent("old", Some("Glossary"))])).carried.len(), 1);
        let mut now = [fresh(Some("Scope"))];
        assert_eq!(reasons(&carry(&mut now, &earlier(vec![absent("old", Some("Glossary"))]))), [Kept::Gone]);
        let mut now = [fresh(None)];
        assert_eq!(reasons(&carry(&mut now, &earlier(vec![absent("old", None)]))), [Kept::Gone]);
    }

    #[test]
    fn what_was_accepted_is_the_suggestion_that_was_seen() {
        let mut now = [finding("k", "DEV")];
        carry(&mut now, &earlier(vec![decided("k", Status::Accepted)]));
        assert_eq!((now[0].status, now[0].resolution.clone().and_then(|r| r.text)), (Status::Accepted, None));
        let mut now = [Finding { suggestion: "Something else.".to_owned(), ..finding("k", "DEV") }];
        carry(&mut now, &earlier(vec![decided("k", Status::Accepted)]));
        let text = now[0].resolution.clone().and_then(|resolution| resolution.text);
        assert_eq!((now[0].status, text), (Status::Modified, Some(finding("k", "DEV").suggestion)));
    }

    #[test]
    fn an_applied_finding_that_is_raised_again_is_open_again() {
        let mut now = [finding("k", "DEV")];
        let first = carry(&mut now, &earlier(vec![decided("k", Status::Applied)]));
        assert_eq!((now[0].status, reasons(&first)), (Status::Pending, vec![Kept::FoundAgain]));
    }

    #[test]
    fn a_choice_follows_its_words_not_its_letter() {
        let mut old = conflict("k", &["Keep 14.", "Keep 30."]);
        old.status = Status::Accepted;
        old.resolution = Some(Resolution { choice: Some("B".to_owned()), ..Resolution::default() });
        let mut now = [conflict("k", &["Keep 30.", "Keep 14."])];
        carry(&mut now, &earlier(vec![old.clone()]));
        assert_eq!(now[0].status, Status::Accepted);
        assert_eq!(now[0].resolution.clone().and_then(|resolution| resolution.choice).as_deref(), Some("A"));
        for options in [&["Keep 30.", "Keep 7."][..], &["Keep 14.", "Keep 30.", "Keep 7."], &[]] {
            let mut now = [conflict("k", options)];
            let carry = carry(&mut now, &earlier(vec![old.clone()]));
            assert_eq!((now[0].resolution.clone(), reasons(&carry)), (None, vec![Kept::OptionsChanged]));
        }
    }

    #[test]
    fn a_choice_stands_where_only_numbers_of_lines_moved() {
        let moved = |before: &[&str], after: &[&str]| {
            let choice = Resolution { choice: Some("B".to_owned()), ..Resolution::default() };
            let old = Finding { status: Status::Accepted, resolution: Some(choice), ..conflict("k", before) };
            let mut now = [conflict("k", after)];
            let carry = carry(&mut now, &earlier(vec![old]));
            (now[0].resolution.clone().and_then(|resolution| resolution.choice), reasons(&carry))
        };
        for (keep_14, keep_30, now_30, now_14) in [
            ("14 (line 3); line 5, 9 follow.", "30, see Lines 5 and 9", "30, see lines 6 and 10", "14 (line 4); line 6 follow."),
            ("14 (dòng 3).", "30 (dòng 5, 9).", "30 (dòng 6, 10).", "14 (dòng 4)."),
            ("取 14（第 3 行）", "取 30（第 5、9 行）", "取 30（第 6、10行）", "取 14（第 4 行）"),
        ] {
            let now_30 = now_30.replace("lines", "Lines");
            let found = moved(&[keep_14, keep_30], &[now_30.as_str(), now_14]);
            assert_eq!(found, (Some("A".to_owned()), vec![]), "{keep_14}");
        }
        let number = moved(&["Keep 14 (line 3).", "Keep 30."], &["Keep 15 (line 3).", "Keep 30."]);
        assert_eq!(number, (None, vec![Kept::OptionsChanged]), "other numbers are the decision itself");
        let alike = moved(&["As line 3.", "As line 9."], &["As line 9.", "As line 15."]);
        assert_eq!(alike, (None, vec![Kept::OptionsChanged]), "which line is which is not known");
    }

    #[test]
    fn a_conflict_settled_by_hand_in_the_file_needs_to_say_how() {
        let fresh = conflict("k", &["Keep 14.", "Keep 30."]);
        let by_hand = |status, resolution: Option<Resolution>| {
            let mut now = [fresh.clone()];
            let carry = carry(&mut now, &earlier(vec![Finding { status, resolution, ..fresh.clone() }]));
            (now[0].status, now[0].resolution.is_some(), reasons(&carry))
        };
        assert_eq!(by_hand(Status::Accepted, None), (Status::NeedsDiscussion, false, vec![Kept::NoChoice]));
        assert_eq!(by_hand(Status::Rejected, None), (Status::Rejected, true, vec![]));
        let choice = Resolution { choice: Some("b".to_owned()), ..Resolution::default() };
        assert_eq!(by_hand(Status::NeedsDiscussion, Some(choice)), (Status::Accepted, true, vec![]));
        let unknown = Resolution { choice: Some("D".to_owned()), ..Resolution::default() };
        assert_eq!(by_hand(Status::Accepted, Some(unknown)), (Status::NeedsDiscussion, false, vec![Kept::NoChoice]));
        let words = Resolution { text: Some("Keep 21.".to_owned()), ..Resolution::default() };
        assert_eq!(by_hand(Status::Pending, Some(words)), (Status::Modified, true, vec![]));
        let put_off = Resolution { deferred: true, reason: "later".to_owned(), ..Resolution::default() };
        assert_eq!(by_hand(Status::Pending, Some(put_off)), (Status::NeedsDiscussion, true, vec![]));
    }

    #[test]
    fn an_owner_named_by_the_document_keeps_no_answer_out() {
        let answered = Question { answer: Some("Both.".to_owned()), ..question("Who pays?", None) };
        let owned = Question { owner: Some("Finance".to_owned()), ..question("Who pays?", None) };
        let mut now = vec![owned];
        assert_eq!(apply_answers(&[answered], &mut now), (1, false));
        assert_eq!((now[0].answer.as_deref(), now[0].owner.as_deref()), (Some("Both."), Some("Finance")));
    }

    #[test]
    fn answers_follow_the_words_of_their_question() {
        let answered = |words: &str| Question {
            answer: Some("An does".to_owned()),
            answered_by: Some("An".to_owned()),
            ..question(words, None)
        };
        let mut now =
            [Finding { blocked_on: vec![question("Who  pays?", None), question("When?", None)], ..finding("k", "DEV") }];
        let key = now[0].blocked_on[0].key.clone();
        let old = Finding { blocked_on: vec![answered("who pays?"), answered("Where?")], ..finding("k", "DEV") };
        let carry = carry(&mut now, &earlier(vec![old.clone()]));
        let question = &now[0].blocked_on[0];
        assert_eq!(
            (question.answer.as_deref(), &question.key, question.question.as_str()),
            (Some("An does"), &key, "Who  pays?")
        );
        assert!(now[0].blocked_on[1].is_open());
        assert_eq!((carry.carried[0].questions, carry.carried[0].status), (1, Status::Pending));
        assert_eq!((carry.unmatched[0].reason, &carry.unmatched[0].finding), (Kept::QuestionGone, &old));
    }

    #[test]
    fn what_a_person_wrote_is_kept_even_where_nothing_was_decided() {
        let by_hand = Finding { found_by: vec!["human".to_owned()], ..finding("h", "DEV") };
        let noted = Finding { quote: "Noted.".to_owned(), ..finding("n", "DEV") };
        let still = Finding { quote: "Still.".to_owned(), ..finding("s", "DEV") };
        let mut file = earlier(vec![by_hand, noted, still.clone(), Finding { quote: "x".to_owned(), ..finding("x", "DEV") }]);
        let note = Extra::from_iter([("note".to_owned(), json!("ask"))]);
        file.extra.insert("n".into(), note.clone());
        file.extra.insert("s".into(), note.clone());
        let mut now = [still];
        let carry = carry(&mut now, &file);
        let kept: Vec<(&str, &Extra)> =
            carry.unmatched.iter().map(|unmatched| (unmatched.finding.key.as_str(), &unmatched.extra)).collect();
        assert_eq!(kept, [("h", &Extra::new()), ("n", &note)]);
        assert_eq!(carry.extra, BTreeMap::from([("s".into(), note)]));
        assert!(carry.carried.is_empty());
    }

    /// The file that a run over these findings writes where the earlier one stands.
    fn next_file(mut now: Vec<Finding>, file: &FindingsFile) -> FindingsFile {
        let recipe = &recipes()[0];
        let carry = carry(&mut now, file);
        let mut next = earlier(now);
        (next.carried, next.carried_unmatched, next.extra) = (carry.carried, carry.unmatched, carry.extra);
        read(&render(&next, recipe), "f.yaml").expect("reads")
    }

    #[test]
    fn what_is_unmatched_stays_through_later_runs_and_returns_with_its_finding() {
        let old = decided("k", Status::Rejected);
        let without = next_file(vec![], &earlier(vec![old.clone()]));
        assert_eq!(without.carried_unmatched.len(), 1);
        let again = next_file(vec![], &without);
        assert_eq!(again.carried_unmatched, without.carried_unmatched);
        let back = next_file(vec![finding("k", "DEV")], &again);
        assert_eq!((back.findings[0].status, back.carried_unmatched.len()), (Status::Rejected, 0));
        // What was decided since stands; the older decision is still shown.
        let mut decided_since = next_file(vec![], &again);
        decided_since.findings = vec![decided("k", Status::Deferred)];
        let both = next_file(vec![finding("k", "DEV")], &decided_since);
        assert_eq!(both.findings[0].status, Status::Deferred);
        assert_eq!(both.carried_unmatched[0].finding.status, Status::Rejected);
        let later = next_file(vec![finding("k", "DEV")], &both);
        assert_eq!(later.carried_unmatched, both.carried_unmatched);
    }

    fn any_findings() -> impl Strategy<Value = Vec<Finding>> {
        let one = (0..6u8, 0..3u8, 0..5u8, any::<bool>()).prop_map(|(key, quote, status, answered)| {
            let statuses = [Status::Pending, Status::Accepted, Status::Rejected, Status::Deferred, Status::Applied];
            let mut one = Finding { status: statuses[usize::from(status)], ..finding(&format!("k{key}"), "DEV") };
            one.quote = format!("quote {quote}");
            one.blocked_on = vec![question("Who?", None)];
            one.blocked_on[0].answer = answered.then(|| "An".to_owned());
            one
        });
        proptest::collection::vec(one, 0..6)
    }

    proptest! {
        /// Whatever happens, a decision stands on a finding or is kept whole, and nothing is decided by itself.
        #[test]
        fn no_decision_is_lost_or_invented(before in any_findings(), now in any_findings()) {
            let fresh: Vec<Finding> = now
                .into_iter()
                .map(|one| Finding { status: Status::Pending, blocked_on: vec![question("Who?", None)], ..one })
                .collect();
            let mut after = fresh.clone();
            let carry = carry(&mut after, &earlier(before.clone()));
            for old in before.iter().filter(|old| is_decided(old)) {
                let stands = carry.carried.iter().any(|carried| carried.earlier_key == old.key);
                let kept = carry.unmatched.iter().any(|unmatched| same_decision(&unmatched.finding, old));
                prop_assert!(stands || kept, "{old:?}");
            }
            for (was, is) in fresh.iter().zip(&after) {
                prop_assert!(was == is || carry.carried.iter().any(|carried| carried.key == is.key));
            }
        }
    }
}
