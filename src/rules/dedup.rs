//! Duplicates: which findings of one place are one issue, how one absorbs another without losing a word, and which
//! findings of a round are new (SPEC S0, Phases 2 and 3; DESIGN, "Same issue, opposite issue").

use super::arbiter::{Pairs, Verdicts, Word};
use super::cites::{cites, numbers, without_ids};
use super::enter::label;
use super::fix::{Fix, Tie};
use super::keys::{merged_key, tell_apart};
use super::normal::fold;
use super::place;
use super::similar::Corpus;
use crate::model::finding::{Absorbed, Finding, FixOption, Grounding, Question, Status};
use crate::model::ids::FindingKey;
use crate::model::recipe::Recipe;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What rules alone can say about the findings of a run, by index.
pub struct Ties {
    /// Pairs that are one issue.
    pub same: Vec<(usize, usize)>,
    /// Pairs that may be one issue, with their cosine: the arbiter's zone.
    pub unsure: Vec<(usize, usize, f32)>,
    /// Pairs whose suggestions exclude each other.
    pub exclusive: HashSet<(usize, usize)>,
    /// Words of all findings; `None` where no pair had to be weighed by its words.
    corpus: Option<Corpus>,
}

impl Ties {
    /// Whether something speaks against holding two findings for one, however alike they are.
    fn vetoed(&self, a: usize, b: usize) -> bool {
        self.corpus.as_ref().is_some_and(|corpus| corpus.vetoed(a, b))
    }
}

/// Compares all findings that stand in the same place, two by two.
pub fn ties(findings: &[&Finding]) -> Ties {
    // Thousands of hits of rules need none of this: words and fixes are read where a pair asks for them.
    let words: OnceCell<Corpus> = OnceCell::new();
    let corpus = || words.get_or_init(|| Corpus::new(findings));
    let mut fixes: Vec<OnceCell<Fix>> = Vec::new();
    fixes.resize_with(findings.len(), OnceCell::new);
    let fix = |index: usize| fixes[index].get_or_init(|| Fix::new(findings[index]));
    let mut quotes: Vec<OnceCell<Option<Quoted>>> = Vec::new();
    quotes.resize_with(findings.len(), OnceCell::new);
    let quote = |index: usize| quotes[index].get_or_init(|| Quoted::of(findings[index])).as_ref();
    let mut ties = Ties { same: Vec::new(), unsure: Vec::new(), exclusive: HashSet::new(), corpus: None };
    place::pairs(findings, |a, b| {
        let same_quote = lines_meet(findings[a], findings[b])
            && matches!((quote(a), quote(b)), (Some(one), Some(other)) if one.overlaps(other));
        let rules = (&findings[a].rule, &findings[b].rule);
        if let (Some(one), Some(other)) = rules {
            // Rules assert what they say of one spot: only there do they repeat or exclude each other.
            if same_quote {
                let excludes = fix(a).excludes(fix(b), Tie { same_quote, alike: true });
                if excludes {
                    ties.exclusive.insert((a, b));
                } else if one == other && !corpus().vetoed(a, b) {
                    ties.same.push((a, b));
                }
            }
            return;
        }
        let likeness = corpus().cosine(a, b);
        let alike = !corpus().distinct(likeness, a, b);
        let one_subject = || !corpus().distinct(corpus().cosine_of_words(a, b), a, b);
        if fix(a).excludes(fix(b), Tie { same_quote, alike: alike && one_subject() }) {
            ties.exclusive.insert((a, b));
        } else if alike && same_quote && !corpus().vetoed(a, b) {
            ties.same.push((a, b));
        } else if alike {
            ties.unsure.push((a, b, likeness));
        }
    });
    ties.same.sort_unstable();
    Ties { corpus: words.into_inner(), ..ties }
}

/// Whether two quotes have a line in common, before anything is read of their words.
fn lines_meet(a: &Finding, b: &Finding) -> bool {
    let last = |finding: &Finding| finding.line + finding.quote.matches('\n').count() as u32;
    a.line <= last(b) && b.line <= last(a)
}

/// A quote that stands in the document.
struct Quoted {
    words: String,
    first: u32,
    last: u32,
}

impl Quoted {
    fn of(finding: &Finding) -> Option<Quoted> {
        if finding.line == 0 || matches!(finding.grounding, Grounding::Missing | Grounding::Absence) {
            return None;
        }
        let last = finding.line + finding.quote.matches('\n').count() as u32;
        Some(Quoted { words: fold(&finding.quote), first: finding.line, last }).filter(|quoted| !quoted.words.is_empty())
    }

    /// Whether both cover half or more of the shorter one, at the same lines.
    fn overlaps(&self, other: &Quoted) -> bool {
        if self.first > other.last || other.first > self.last {
            return false;
        }
        let (short, long) = if self.words.len() <= other.words.len() { (self, other) } else { (other, self) };
        if long.words.contains(&short.words) {
            return true;
        }
        let half = short.words.chars().count().div_ceil(2);
        laps(&short.words, &long.words, half) || laps(&long.words, &short.words, half)
    }
}

/// Whether the end of one text is the beginning of the other, over `least` characters or more.
fn laps(one: &str, other: &str, least: usize) -> bool {
    let count = one.chars().count();
    one.char_indices().take((count + 1).saturating_sub(least)).any(|(at, _)| other.starts_with(&one[at..]))
}

/// Findings that are one issue, by index.
pub struct Classes {
    class_of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Classes {
    /// Joins what the arbiter calls duplicates, then what rules call the same. A class never holds two findings of
    /// different offline rules, two whose suggestions exclude each other, or two that the arbiter holds apart.
    pub fn of(findings: &[&Finding], ties: &Ties, pairs: &Pairs) -> Classes {
        let count = findings.len();
        let mut classes = Classes { class_of: (0..count).collect(), members: (0..count).map(|index| vec![index]).collect() };
        let index_of: HashMap<&str, usize> =
            findings.iter().enumerate().map(|(index, finding)| (finding.key.as_str(), index)).collect();
        let duplicates = pairs.all().into_iter().filter(|&(_, _, word)| word == Word::Duplicate);
        let decided = duplicates.filter_map(|(a, b, _)| Some((*index_of.get(a)?, *index_of.get(b)?)));
        let mut decided: Vec<(usize, usize)> = decided.map(|(a, b)| (a.min(b), a.max(b))).collect();
        decided.sort_unstable();
        let barred = |a: usize, b: usize, by_rule: bool| {
            let different_rules = matches!((&findings[a].rule, &findings[b].rule), (Some(x), Some(y)) if x != y);
            different_rules
                || ties.exclusive.contains(&(a.min(b), a.max(b)))
                || match pairs.word(&findings[a].key, &findings[b].key) {
                    Some(Word::Duplicate) => false,
                    Some(_) => true,
                    None => by_rule && ties.vetoed(a, b),
                }
        };
        for (by_rule, edges) in [(false, &decided), (true, &ties.same)] {
            for &(a, b) in edges {
                classes.join(a, b, |x, y| barred(x, y, by_rule));
            }
        }
        classes.close_up();
        classes
    }

    fn join(&mut self, a: usize, b: usize, barred: impl Fn(usize, usize) -> bool) {
        let (one, other) = (self.class_of[a], self.class_of[b]);
        if one == other || self.members[one].iter().any(|&x| self.members[other].iter().any(|&y| barred(x, y))) {
            return;
        }
        let moved = std::mem::take(&mut self.members[other]);
        for &index in &moved {
            self.class_of[index] = one;
        }
        self.members[one].extend(moved);
    }

    /// Numbers the classes anew, by their lowest member.
    fn close_up(&mut self) {
        let mut kept: Vec<Vec<usize>> = std::mem::take(&mut self.members);
        kept.retain(|members| !members.is_empty());
        for members in &mut kept {
            members.sort_unstable();
        }
        kept.sort_unstable_by_key(|members| members[0]);
        for (class, members) in kept.iter().enumerate() {
            for &index in members {
                self.class_of[index] = class;
            }
        }
        self.members = kept;
    }

    /// The class of a finding.
    pub fn class(&self, index: usize) -> usize {
        self.class_of[index]
    }

    /// The members of every class, ascending.
    pub fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// Pairs of classes on which the arbiter was asked, the lower first.
    pub fn decided(&self, findings: &[&Finding], pairs: &Pairs) -> HashSet<(usize, usize)> {
        if pairs.is_empty() {
            return HashSet::new();
        }
        let class_of: HashMap<&str, usize> =
            findings.iter().enumerate().map(|(index, finding)| (finding.key.as_str(), self.class(index))).collect();
        let asked = pairs.all().into_iter();
        let classes = asked.filter_map(|(a, b, _)| Some((*class_of.get(a)?, *class_of.get(b)?)));
        classes.map(|(a, b)| (a.min(b), a.max(b))).collect()
    }
}

/// One finding a key, the first where several share it.
pub fn unique(findings: &[Finding]) -> Vec<&Finding> {
    let mut seen = HashSet::new();
    findings.iter().filter(|finding| seen.insert(&finding.key)).collect()
}

/// What a round brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewFindings {
    /// Findings that were not decided to be duplicates.
    pub new: Vec<Finding>,
    /// Duplicates, each with the key of the finding it repeats. They belong into the run's list as well: settling
    /// absorbs them, so that no finder and no word is lost.
    pub duplicates_of: Vec<(Finding, FindingKey)>,
}

impl NewFindings {
    /// How many make the round wet: new ones whose quote stands in the document, or whose absence was checked.
    pub fn wet(&self) -> u32 {
        self.new.iter().filter(|finding| finding.grounding != Grounding::Missing).count() as u32
    }

    /// Everything that came in, for the run's list: new ones first.
    pub fn all(self) -> Vec<Finding> {
        self.new.into_iter().chain(self.duplicates_of.into_iter().map(|(finding, _)| finding)).collect()
    }
}

/// Parts a round's findings into new ones and duplicates of known ones or of each other (SPEC S0, Phase 2: new means
/// not decided to be a duplicate). A duplicate of findings that a person struck is struck as well.
pub fn split_new(known: &[Finding], incoming: Vec<Finding>, verdicts: &Verdicts) -> NewFindings {
    if incoming.is_empty() {
        return NewFindings::default();
    }
    let incoming = tell_apart(known, incoming);
    let before = unique(known);
    let known_keys: HashMap<&FindingKey, usize> =
        before.iter().enumerate().map(|(index, finding)| (&finding.key, index)).collect();
    let fresh: Vec<&Finding> = unique(&incoming).into_iter().filter(|finding| !known_keys.contains_key(&finding.key)).collect();
    let all: Vec<&Finding> = before.iter().copied().chain(fresh.iter().copied()).collect();
    let pairs = verdicts.pairs();
    let classes = Classes::of(&all, &ties(&all), &pairs);
    let index_of: HashMap<&FindingKey, usize> = all.iter().enumerate().map(|(index, finding)| (&finding.key, index)).collect();
    // The finding that a class is known by: a known one, else the first grounded newcomer.
    let face: Vec<usize> = classes
        .members()
        .iter()
        .map(|members| {
            let grounded = || members.iter().find(|&&index| all[index].grounding != Grounding::Missing);
            let known = members.first().filter(|&&index| index < before.len());
            *known.or_else(grounded).unwrap_or(&members[0])
        })
        .collect();
    let struck = |class: usize| {
        let mut known = classes.members()[class].iter().filter(|&&index| index < before.len()).peekable();
        known.peek().is_some() && known.all(|&index| before[index].struck)
    };
    let mut taken = HashSet::new();
    let mut split: Vec<(Finding, Option<FindingKey>)> = Vec::with_capacity(incoming.len());
    for finding in &incoming {
        let index = index_of[&finding.key];
        let class = classes.class(index);
        let mut finding = finding.clone();
        finding.struck |= struck(class);
        let original = if face[class] == index && index >= before.len() && taken.insert(index) {
            None
        } else {
            Some(all[face[class]].key.clone())
        };
        split.push((finding, original));
    }
    let mut parted = NewFindings::default();
    for (finding, original) in split {
        match original {
            None => parted.new.push(finding),
            Some(key) => parted.duplicates_of.push((finding, key)),
        }
    }
    parted
}

/// One finding out of two that are the same issue: `keep` and `other` may come in any order, the rules decide what
/// stays (SPEC S0, Dedup). Its key is a hash of both keys.
pub fn absorb(keep: Finding, other: Finding, recipe: &Recipe) -> Finding {
    absorb_all(keep, vec![other], recipe)
}

/// One finding out of several that are the same issue: the richer suggestion, the higher severity, every finder, the
/// first finder's dimension; `auto_fixable` only if all were; everything else that was said under `absorbed`.
pub fn absorb_all(first: Finding, mut others: Vec<Finding>, recipe: &Recipe) -> Finding {
    let mut kept = first;
    let keys: Vec<FindingKey> = [&kept].into_iter().chain(&others).map(|finding| finding.key.clone()).collect();
    others.sort_by_cached_key(|finding| seat(finding, recipe));
    let better = |a: &Finding, b: &Finding| match richness(&a.suggestion).cmp(&richness(&b.suggestion)) {
        Ordering::Equal => seat(a, recipe) < seat(b, recipe),
        order => order == Ordering::Greater,
    };
    for other in &mut others {
        if better(other, &kept) {
            std::mem::swap(&mut kept, other);
        }
    }
    others.sort_by_cached_key(|finding| seat(finding, recipe));
    kept.options = joined_options(&kept, &others);
    for other in others {
        take_place(&mut kept, &other);
        kept.severity = kept.severity.min(other.severity);
        kept.severity_given = kept.severity_given.into_iter().chain(other.severity_given).min();
        kept.auto_fixable &= other.auto_fixable;
        kept.struck &= other.struck;
        if recipe.rank(&other.dimension) < recipe.rank(&kept.dimension) {
            kept.dimension = other.dimension.clone();
        }
        kept.missing = kept.missing.or(other.missing.clone());
        kept.rule = kept.rule.or(other.rule.clone());
        let same_words = other.finding == kept.finding && other.suggestion == kept.suggestion && other.key == kept.key;
        kept.absorbed.extend(other.absorbed.iter().cloned());
        if !same_words {
            kept.absorbed.push(remembered(&other));
        }
        kept.found_by.extend(other.found_by);
        kept.resolution_edge_cases.extend(other.resolution_edge_cases);
        kept.blocked_on.extend(other.blocked_on);
        kept.possible_duplicate_of.extend(other.possible_duplicate_of);
    }
    kept.severity_given = kept.severity_given.filter(|&given| given < kept.severity);
    kept.key = merged_key(&keys);
    kept.found_by = finders(kept.found_by, recipe);
    kept.resolution_edge_cases = once(kept.resolution_edge_cases, |text| same_words(text));
    kept.blocked_on = once(kept.blocked_on, |question: &Question| same_words(&question.question));
    kept.possible_duplicate_of = once(kept.possible_duplicate_of, Clone::clone);
    kept.absorbed = once(kept.absorbed, |one| (one.key.clone(), one.finding.clone(), one.suggestion.clone()));
    kept.auto_fixable &= kept.blocked_on.is_empty() && kept.options.is_empty();
    kept.status = if kept.is_conflict() { recipe.conflict_status } else { Status::Pending };
    kept
}

/// What a finding said, kept beside the one that took it in.
pub fn remembered(finding: &Finding) -> Absorbed {
    Absorbed {
        key: finding.key.clone(),
        dimension: finding.dimension.clone(),
        finding: finding.finding.clone(),
        suggestion: finding.suggestion.clone(),
        quote: finding.quote.clone(),
    }
}

/// The order in which members of a merge speak: recipe order, then the file's, then whatever tells them apart.
pub fn seat(finding: &Finding, recipe: &Recipe) -> (usize, bool, u32, String, Vec<String>, String) {
    let words = format!("{}\u{0}{}\u{0}{}", finding.finding, finding.suggestion, finding.quote);
    let rank = recipe.rank(&finding.dimension);
    (rank, finding.line == 0, finding.line, finding.key.0.clone(), finding.found_by.clone(), words)
}

/// How rich a suggestion is: ids and values it names, then its length (SPEC S0, Dedup).
pub fn richness(suggestion: &str) -> (usize, usize) {
    let cited = cites(suggestion);
    let values = numbers(&without_ids(suggestion, &cited)).len();
    let named: BTreeSet<String> = cited.into_iter().map(|cite| cite.norm).collect();
    (named.len() + values, suggestion.chars().count())
}

/// Every finder once, in recipe order, then the critic's rounds and people by name.
pub fn finders(found_by: Vec<String>, recipe: &Recipe) -> Vec<String> {
    let mut finders = once(found_by, Clone::clone);
    finders.sort_by_cached_key(|finder| (recipe.rank(finder), finder.clone()));
    finders
}

/// A merge stands where one of its members is grounded; else it reports a checked absence where one does.
fn take_place(kept: &mut Finding, other: &Finding) {
    let worth = |finding: &Finding| match finding.grounding {
        Grounding::Missing => 0,
        Grounding::Absence => 1,
        _ => 2,
    };
    if worth(kept) < worth(other) {
        kept.line = other.line;
        kept.quote = other.quote.clone();
        kept.section = other.section.clone();
        kept.section_given = other.section_given.clone();
        kept.uc_id = other.uc_id.clone();
        kept.grounding = other.grounding;
    }
}

fn joined_options(kept: &Finding, others: &[Finding]) -> Vec<FixOption> {
    let all = kept.options.iter().chain(others.iter().flat_map(|other| &other.options)).cloned().collect();
    let mut options = once(all, |option: &FixOption| (same_words(&option.suggestion), same_words(&option.finding)));
    relabel(&mut options);
    options
}

/// Labels options `A`, `B`, `C`, … in their order.
pub fn relabel(options: &mut [FixOption]) {
    for (index, option) in options.iter_mut().enumerate() {
        option.label = label(index);
    }
}

/// Words as compared where a repetition is dropped: nothing but markup, white space and case may differ.
pub fn same_words(text: &str) -> String {
    fold(text).to_lowercase()
}

/// Each thing once, the first where several count as the same.
fn once<T, K: std::hash::Hash + Eq>(all: Vec<T>, same: impl Fn(&T) -> K) -> Vec<T> {
    let mut seen = HashSet::new();
    all.into_iter().filter(|one| seen.insert(same(one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::arbiter::Verdict;
    use crate::model::finding::Severity;
    use crate::rules::arbiter::{Decided, DecidedPart};
    use crate::rules::sample::{self, finding, recipe};

    /// `same`, `unsure`, `exclusive` or `distinct`.
    fn tie(a: &Finding, b: &Finding) -> &'static str {
        let ties = ties(&[a, b]);
        match () {
            () if !ties.exclusive.is_empty() => "exclusive",
            () if !ties.same.is_empty() => "same",
            () if !ties.unsure.is_empty() => "unsure",
            () => "distinct",
        }
    }

    const QUOTE: &str = "If the order is unknown, an error is shown.";

    #[test]
    fn one_issue_on_overlapping_quotes_is_the_same_in_three_languages() {
        for (a, b) in [
            ("No error text is defined for an unknown order.", "The error text for unknown orders is missing."),
            ("Thiếu nội dung lỗi khi đơn hàng không tồn tại.", "Chưa nêu nội dung lỗi khi đơn hàng không tồn tại."),
            ("缺少订单不存在的错误文案。", "未说明订单不存在的错误文案。"),
        ] {
            let (a, b) = (finding("DEV", "major", QUOTE, a, "x"), finding("SA", "major", "an error is shown.", b, "y"));
            assert_eq!(tie(&a, &b), "same", "{} | {}", a.finding, b.finding);
        }
    }

    #[test]
    fn without_overlapping_quotes_likeness_never_merges() {
        let words = "No error text is defined for an unknown order.";
        let a = finding("DEV", "major", "If the order is unknown", words, "");
        let b = finding("SA", "major", "an error is shown.", words, "");
        assert_eq!(tie(&a, &b), "unsure");
        let ungrounded = finding("SA", "major", "An invented quote", words, "");
        assert_eq!(tie(&a, &Finding { section: a.section.clone(), uc_id: a.uc_id.clone(), ..ungrounded }), "unsure");
    }

    #[test]
    fn template_sentences_with_another_slot_are_never_merged_by_rule() {
        for (a, b) in [
            ("UC-01 has no error flow for a declined card", "UC-01 has no error flow for a network timeout"),
            ("E1 repeats BR-07", "E1 contradicts BR-07"),
            ("Nothing says what BR-01 allows", "Nothing says what BR-02 allows"),
            ("UC-01 thiếu luồng lỗi khi thẻ bị từ chối", "UC-01 thiếu luồng lỗi khi mạng quá hạn"),
            ("E1 lặp lại BR-07", "E1 mâu thuẫn với BR-07"),
            ("UC-01缺少银行卡被拒的错误流程", "UC-01缺少网络超时的错误流程"),
            ("E1重复BR-07", "E1与BR-07矛盾"),
        ] {
            let (a, b) = (finding("DEV", "major", QUOTE, a, ""), finding("SA", "major", QUOTE, b, ""));
            assert_ne!(tie(&a, &b), "same", "{} | {}", a.finding, b.finding);
        }
    }

    #[test]
    fn different_issues_on_one_quote_are_never_merged_by_rule() {
        let (en, vi, zh) = ("If the order is unknown, an error is shown.", "Tiền được hoàn nếu cần", "退款应尽快处理");
        let text = format!("# T\n\n## UC-01: R\n\n- {en}\n- {vi}\n- {zh}\n");
        let outline = sample::outline(&text);
        let grounds = crate::rules::ground::Grounds::new(&text, &outline);
        let issues = [
            ("DEV", en, "The AC prescribes a retry count that belongs in a business rule.", "Move the retry count to BR-02."),
            ("SA", en, "AC-05 says 5 retries while the scope section says 3 retries.", "Use 3 retries everywhere."),
            (
                "PO",
                en,
                "Nothing says what the customer sees if all 5 retries fail.",
                "Add an error flow that tells the customer.",
            ),
            ("DEV", en, "It is undefined what happens after the fifth failed retry.", "State the final state after all retries."),
            (
                "SA",
                en,
                "Retrying a payment may charge twice; that is not addressed.",
                "Say that a repeated call never pays twice.",
            ),
            ("DEV", vi, "“nếu cần” là từ mơ hồ, không đo được.", "Ghi rõ điều kiện hoàn tiền."),
            ("PO", vi, "Chưa nêu ai chịu phí chuyển khoản khi hoàn tiền.", "Ghi rõ bên chịu phí."),
            ("SA", vi, "Chưa nêu thời hạn hoàn tiền.", "Ghi rõ số ngày hoàn tiền."),
            ("DEV", zh, "“尽快”含糊，无法验证。", "改为具体时限，例如2个工作日内。"),
            ("PO", zh, "未说明退款失败时如何通知客户。", "补充通知规则。"),
            ("SA", zh, "未说明退款由谁审批。", "写明审批角色。"),
        ];
        let findings: Vec<Finding> = issues
            .iter()
            .map(|(dimension, quote, words, fix)| {
                let raw = sample::raw("major", quote, words, fix);
                crate::rules::enter::enter(&raw, dimension, dimension, &grounds, &recipe())
            })
            .collect();
        let ties = ties(&findings.iter().collect::<Vec<_>>());
        assert_eq!(ties.same, []);
        assert!(ties.exclusive.is_empty(), "{:?}", ties.exclusive);
        assert!(!ties.unsure.is_empty());
    }

    #[test]
    fn foreign_words_and_other_places_are_distinct() {
        let a = finding("DEV", "major", QUOTE, "The error text is missing.", "");
        let b = finding("SA", "major", QUOTE, "Nobody approves refunds.", "");
        assert_eq!(tie(&a, &b), "distinct");
        let elsewhere = finding("SA", "major", "must be sent within 14 days", "The error text is missing.", "");
        assert_eq!(tie(&a, &elsewhere), "distinct");
    }

    #[test]
    fn offline_rules_are_duplicates_only_of_themselves_on_one_spot() {
        let ruled = |rule: &str, quote: &str| {
            let mut raw = sample::raw("minor", quote, "“fast” is vague; give a number.", "Write a number.");
            raw.rule = Some(rule.to_owned());
            raw.line = Some(20);
            sample::found("DEV", &raw)
        };
        assert_eq!(tie(&ruled("A01", "should be fast."), &ruled("A02", "should be fast.")), "distinct");
        assert_eq!(tie(&ruled("A01", "The form"), &ruled("A01", "fast.")), "distinct");
        assert_eq!(tie(&ruled("A01", "should be fast."), &ruled("A01", "be fast.")), "same");
        let mut model = ruled("A01", "should be fast.");
        model.rule = None;
        assert_eq!(tie(&model, &ruled("A01", "be fast.")), "same");
    }

    #[test]
    fn the_same_issue_with_suggestions_that_exclude_each_other_is_a_conflict() {
        let words = "Nothing says how long a refund may be asked for.";
        let a = finding("DEV", "major", "sent within 14 days", words, "Set the refund window to 14 days.");
        let b = finding("PO", "major", "sent within 14 days", words, "Set the refund window to 30 days.");
        assert_eq!(tie(&a, &b), "exclusive");
    }

    #[test]
    fn quotes_overlap_by_half_of_the_shorter() {
        let overlap = |a: &str, b: &str| {
            let (a, b) = (finding("DEV", "major", a, "w", ""), finding("SA", "major", b, "w", ""));
            Quoted::of(&a).unwrap().overlaps(&Quoted::of(&b).unwrap())
        };
        assert!(overlap("If the order is unknown, an error", "unknown, an error is shown."));
        assert!(overlap("If the order is unknown, an error", "the order"));
        assert!(!overlap("If the order is unknown, an error", "error is shown."));
        assert!(overlap("above **500 USD** need", "500 USD need `staff`"));
        let (a, b) = (finding("DEV", "major", "The form should be fast", "w", ""), {
            let mut raw = sample::raw("major", "The form should be fast", "w", "");
            raw.line = Some(29);
            sample::found("SA", &raw)
        });
        assert!(!Quoted::of(&a).unwrap().overlaps(&Quoted::of(&b).unwrap()), "the same words on another line");
        assert!(Quoted::of(&finding("DEV", "major", "Invented", "w", "")).is_none());
    }

    #[test]
    fn absorbing_keeps_the_richer_suggestion_and_the_higher_severity_and_loses_no_text() {
        let recipe = recipe();
        let mut poor = finding("SA", "critical", QUOTE, "Error text missing.", "Write a good and long error text there.");
        let mut rich = finding("PO", "minor", QUOTE, "No text of the error.", "Cite BR-02 within 5 s.");
        (poor.auto_fixable, rich.auto_fixable) = (true, true);
        poor.resolution_edge_cases = vec!["Empty order.".to_owned()];
        rich.resolution_edge_cases = vec!["empty  order.".to_owned(), "Deleted order.".to_owned()];
        let merged = absorb(poor.clone(), rich.clone(), &recipe);
        assert_eq!(merged, absorb(rich.clone(), poor.clone(), &recipe), "order does not count");
        assert_eq!(merged.suggestion, rich.suggestion, "more ids and values win over length");
        assert_eq!(merged.finding, rich.finding);
        assert_eq!(merged.severity, Severity::Critical);
        assert_eq!((merged.dimension.as_str(), merged.found_by.join(",")), ("SA", "SA,PO".to_owned()));
        assert!(merged.auto_fixable);
        assert_eq!(merged.absorbed, [remembered(&poor)]);
        assert_eq!(merged.resolution_edge_cases, ["empty  order.", "Deleted order."]);
        assert_eq!(merged.key, merged_key([&poor.key, &rich.key]));
        rich.auto_fixable = false;
        assert!(!absorb(poor.clone(), rich.clone(), &recipe).auto_fixable);
        let longer = finding("PO", "minor", QUOTE, "w", "Write an even longer and better error text over there.");
        assert_eq!(absorb(poor.clone(), longer.clone(), &recipe).suggestion, longer.suggestion, "then the longer one");
        let equal = Finding { dimension: "DEV".to_owned(), finding: "x".to_owned(), ..poor.clone() };
        assert_eq!(absorb(poor, equal, &recipe).finding, "x", "then recipe order");
    }

    #[test]
    fn absorbing_joins_questions_and_takes_a_grounded_place() {
        let recipe = recipe();
        let ask = |words: &[&str], quote: &str| {
            let mut raw = sample::raw("critical", quote, "Who decides?", "");
            raw.blocked_on = words.iter().map(|words| crate::model::finding::RawQuestion::Words((*words).to_owned())).collect();
            sample::found("DEV", &raw)
        };
        let grounded = ask(&["Who pays?"], QUOTE);
        let mut invented = ask(&["Who pays?", "needs-law-decision: how long?"], "Invented");
        invented.suggestion = "Name BR-02.".to_owned();
        let merged = absorb(invented, grounded, &recipe);
        assert_eq!((merged.line, merged.grounding, merged.uc_id.as_str()), (23, Grounding::Exact, "UC-01"));
        assert_eq!(merged.suggestion, "Name BR-02.");
        assert_eq!((merged.severity, merged.severity_given), (Severity::Critical, None));
        assert_eq!(merged.blocked_on.len(), 2);
        assert_eq!(merged.blocked_on[1].policy.as_deref(), Some("law"));
    }

    fn decided(verdict: Verdict, members: &[&Finding]) -> Verdicts {
        let keys: Vec<FindingKey> = members.iter().map(|finding| finding.key.clone()).collect();
        let part = DecidedPart { verdict, members: keys.clone(), suggestion: "Joined.".to_owned() };
        Verdicts { decided: vec![Decided { members: keys, parts: vec![part], ..Decided::default() }] }
    }

    #[test]
    fn a_class_never_holds_different_rules_even_through_a_third() {
        let mut first = finding("DEV", "minor", QUOTE, "The error text is vague.", "");
        let third = finding("SA", "minor", "If the order is unknown", "The error text is vague.", "");
        let mut second = finding("PO", "minor", "an error is shown.", "The error text is vague.", "");
        (first.rule, second.rule) = (Some("A01".to_owned()), Some("A02".to_owned()));
        let all = [&first, &third, &second];
        let mut verdicts = decided(Verdict::Duplicate, &[&first, &third]);
        verdicts.add(decided(Verdict::Duplicate, &[&third, &second]).decided.remove(0));
        let classes = Classes::of(&all, &ties(&all), &verdicts.pairs());
        assert_ne!(classes.class(0), classes.class(2));
        assert_eq!(classes.members().len(), 2);
    }

    #[test]
    fn a_round_is_wet_by_what_is_new_and_stands_in_the_document() {
        let known = vec![finding("DEV", "major", QUOTE, "The error text is missing.", "")];
        let by_critic = |quote: &str, words: &str| {
            let mut found = finding("DEV", "major", quote, words, "");
            found.found_by = vec!["critic/1".to_owned()];
            found
        };
        let again = by_critic("an error is shown.", "Missing error text.");
        let invented = by_critic("Refunds are gold", "Gold is unsafe.");
        let new = by_critic("must be sent within 14 days", "Calendar or working days?");
        let absent = by_critic("", "No success metric is named.");
        let split = split_new(&known, vec![again, invented, new.clone(), absent], &Verdicts::default());
        assert_eq!(split.new.len(), 3, "what is not in the document still joins the list");
        assert_eq!(split.wet(), 2, "the new one and the checked absence");
        assert_eq!(split.duplicates_of.len(), 1);
        assert_eq!(split.duplicates_of[0].1, known[0].key);
        assert_eq!(split.all().len(), 4, "duplicates stay in the run's list");
        let dry = split_new(&known, vec![known[0].clone()], &Verdicts::default());
        assert_eq!((dry.new.len(), dry.wet(), dry.duplicates_of.len()), (0, 0, 1), "the same finding is not new");
        let twice = split_new(&known, vec![new.clone(), new], &Verdicts::default());
        assert_eq!((twice.wet(), twice.duplicates_of.len()), (1, 1), "one issue counts once a round");
        assert_eq!(split_new(&known, vec![], &Verdicts::default()), NewFindings::default());
    }

    #[test]
    fn a_refuted_absence_does_not_make_a_round_wet() {
        let wrong = finding("DEV", "major", "", "There is no glossary section.", "");
        assert_eq!(wrong.grounding, Grounding::Missing);
        assert_eq!(split_new(&[], vec![wrong], &Verdicts::default()).wet(), 0);
    }

    #[test]
    fn a_candidate_is_new_until_the_arbiter_calls_it_a_duplicate() {
        let known = vec![finding("DEV", "major", "If the order is unknown", "The error text is missing.", "")];
        let candidate = finding("SA", "major", "an error is shown.", "The text of the error is missing.", "");
        let open = split_new(&known, vec![candidate.clone()], &Verdicts::default());
        assert_eq!(open.wet(), 1);
        let verdicts = decided(Verdict::Duplicate, &[&known[0], &candidate]);
        let closed = split_new(&known, vec![candidate.clone()], &verdicts);
        assert_eq!((closed.wet(), closed.duplicates_of[0].1.clone()), (0, known[0].key.clone()));
        for verdict in [Verdict::Exclusive, Verdict::Merge] {
            let verdicts = decided(verdict, &[&known[0], &candidate]);
            assert_eq!(split_new(&known, vec![candidate.clone()], &verdicts).wet(), 1);
        }
    }

    #[test]
    fn what_a_person_struck_stays_known_and_its_duplicates_are_struck() {
        let mut known = finding("DEV", "major", QUOTE, "The error text is missing.", "");
        known.struck = true;
        let again = finding("SA", "major", QUOTE, "Missing error text.", "");
        let split = split_new(&[known], vec![again], &Verdicts::default());
        assert_eq!(split.wet(), 0);
        assert!(split.duplicates_of[0].0.struck);
    }
}
