//! How alike two findings are, and what speaks against their being one (DESIGN, "Same issue, opposite issue").
//! Likeness alone never merges: findings made from one template with another slot are more alike than true duplicates.

use super::cites::{Cite, cites, ids, numbers, without_ids};
use super::words::{Term, TermMap, asks, canonical, content, language, relations, terms, word};
use crate::model::finding::Finding;
use crate::model::lang::Lang;
use std::collections::BTreeSet;

/// What is compared of one finding.
pub struct Profile {
    /// Language of its words.
    pub lang: Lang,
    /// Ids cited in its words, its own unit's and its headings' left out.
    pub ids: Vec<Term>,
    /// Numbers in its words and its suggestion.
    pub numbers: Vec<Term>,
    /// Relations its words speak of, one bit each.
    relations: u16,
    /// What its words ask for (who, when, how, …), one bit each: "who unlocks it" is not "when it unlocks".
    asks: u16,
    /// What it is about, sorted.
    content: Vec<Term>,
    /// TF-IDF weights of its words and its suggestion, of length one, sorted by term.
    whole: Vec<(Term, f32)>,
    /// The same of its words alone.
    words: Vec<(Term, f32)>,
}

/// The findings of a run, ready to be compared; weights depend on all of them, not on their order.
pub struct Corpus {
    profiles: Vec<Profile>,
    /// In how many findings a content term stands.
    frequency: TermMap<u32>,
}

/// Below this many findings no word is common.
const COMMON_FROM: usize = 10;

impl Corpus {
    /// Reads every finding.
    pub fn new(findings: &[&Finding]) -> Corpus {
        let mut in_findings: TermMap<u32> = TermMap::default();
        let mut frequency: TermMap<u32> = TermMap::default();
        let mut counted: Vec<(Profile, Counts, Counts)> = Vec::with_capacity(findings.len());
        for finding in findings {
            let (profile, whole, words) = read(finding);
            for (term, _) in &whole {
                *in_findings.entry(*term).or_default() += 1;
            }
            for term in &profile.content {
                *frequency.entry(*term).or_default() += 1;
            }
            counted.push((profile, whole, words));
        }
        let total = findings.len() as f32;
        let weigh = |counts: Counts| {
            let weight = |(term, count): (Term, u32)| {
                let seen = in_findings.get(&term).copied().unwrap_or(0) as f32;
                (term, count as f32 * (((1.0 + total) / (1.0 + seen)).ln() + 1.0))
            };
            let mut vector: Vec<(Term, f32)> = counts.into_iter().map(weight).collect();
            let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
            for (_, weight) in &mut vector {
                *weight /= length;
            }
            vector
        };
        let profiles = counted
            .into_iter()
            .map(|(profile, whole, words)| Profile { whole: weigh(whole), words: weigh(words), ..profile })
            .collect();
        Corpus { profiles, frequency }
    }

    /// What is compared of a finding.
    pub fn profile(&self, index: usize) -> &Profile {
        &self.profiles[index]
    }

    /// TF-IDF cosine of two findings, words and suggestions, 0 to 1: what the zones were measured on.
    pub fn cosine(&self, a: usize, b: usize) -> f32 {
        cosine(&self.profiles[a].whole, &self.profiles[b].whole)
    }

    /// The same of their words alone: whether they speak of one subject, whatever they suggest.
    pub fn cosine_of_words(&self, a: usize, b: usize) -> f32 {
        cosine(&self.profiles[a].words, &self.profiles[b].words)
    }

    /// Whether two findings are so unlike that they are distinct: below the arbiter's zone of their language.
    pub fn distinct(&self, cosine: f32, a: usize, b: usize) -> bool {
        let zone = |index: usize| match self.profiles[index].lang {
            Lang::En => 0.09,
            Lang::Vi => 0.12,
            Lang::Zh => 0.05,
        };
        cosine < f32::min(zone(a), zone(b))
    }

    /// Whether something speaks against merging two findings by rule: other ids, other numbers, another relation, or
    /// rare words on both sides.
    pub fn vetoed(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.profiles[a], &self.profiles[b]);
        each_has_own(&one.ids, &other.ids)
            || each_has_own(&one.numbers, &other.numbers)
            || one.relations != other.relations
            || one.asks != other.asks
            || each_has_own(&one.content, &other.content)
            || (self.has_rare_beyond(a, b) && self.has_rare_beyond(b, a))
    }

    fn has_rare_beyond(&self, a: usize, b: usize) -> bool {
        let total = self.profiles.len();
        let common =
            |term: &Term| total >= COMMON_FROM && self.frequency.get(term).is_some_and(|&count| count as usize * 2 > total);
        beyond(&self.profiles[a].content, &self.profiles[b].content).any(|term| !common(term))
    }
}

/// How often each term stands in a text, sorted by term.
type Counts = Vec<(Term, u32)>;

fn cosine(a: &[(Term, f32)], b: &[(Term, f32)]) -> f32 {
    let (mut left, mut right) = (0, 0);
    let mut sum = 0.0;
    while let (Some(&(term, weight)), Some(&(other, factor))) = (a.get(left), b.get(right)) {
        if term == other {
            sum += weight * factor;
        }
        left += usize::from(term <= other);
        right += usize::from(other <= term);
    }
    sum
}

/// Terms of one sorted set that the other lacks.
fn beyond<'t>(one: &'t [Term], other: &[Term]) -> impl Iterator<Item = &'t Term> {
    one.iter().filter(|term| other.binary_search(term).is_err())
}

/// Whether both sorted sets hold something that the other lacks.
pub fn each_has_own(a: &[Term], b: &[Term]) -> bool {
    beyond(a, b).next().is_some() && beyond(b, a).next().is_some()
}

/// Whether two sorted sets share something.
pub fn meet(a: &[Term], b: &[Term]) -> bool {
    a.iter().any(|term| b.binary_search(term).is_ok())
}

/// Words taken whole as a sorted set of terms.
pub fn wholes(words: impl IntoIterator<Item = String>) -> Vec<Term> {
    let mut terms: Vec<Term> = words.into_iter().map(|each| word(&each)).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Dice coefficient of two sorted sets: twice what both hold over what they hold together; 0 for two empty ones.
pub fn dice(a: &[Term], b: &[Term]) -> f32 {
    if a.is_empty() && b.is_empty() {
        return 0.0;
    }
    let shared = a.iter().filter(|term| b.binary_search(term).is_ok()).count();
    2.0 * shared as f32 / (a.len() + b.len()) as f32
}

/// Ids of the finding's own unit and of the headings above it: shared by the whole place, they tell nothing apart.
pub fn ids_of_place(finding: &Finding) -> BTreeSet<String> {
    let mut own = ids(&finding.uc_id);
    own.extend(ids(&finding.section));
    own
}

fn read(finding: &Finding) -> (Profile, Counts, Counts) {
    let cited = cites(&finding.finding);
    let bare = canonical(&without_ids(&finding.finding, &cited));
    let place = ids_of_place(finding);
    let own = |cited: Vec<Cite>| wholes(cited.into_iter().map(|cite| cite.norm).filter(|id| !place.contains(id)));
    let fix_cited = cites(&finding.suggestion);
    let fix_bare = canonical(&without_ids(&finding.suggestion, &fix_cited));
    let (own_ids, fix_ids) = (own(cited), own(fix_cited));
    let mut figures = numbers(&bare);
    figures.extend(numbers(&fix_bare));
    let lang = language(&bare);
    let mut words = terms(&bare, lang);
    words.extend(&own_ids);
    let mut whole = words.clone();
    whole.extend(terms(&fix_bare, lang));
    whole.extend(fix_ids);
    let profile = Profile {
        lang,
        ids: own_ids,
        numbers: wholes(figures),
        relations: relations(&bare),
        asks: asks(&bare),
        content: content(&bare, lang),
        whole: Vec::new(),
        words: Vec::new(),
    };
    (profile, counted(whole), counted(words))
}

fn counted(mut terms: Vec<Term>) -> Counts {
    terms.sort_unstable();
    let mut counts: Counts = Vec::with_capacity(terms.len());
    for term in terms {
        match counts.last_mut() {
            Some((last, count)) if *last == term => *count += 1,
            _ => counts.push((term, 1)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    fn pair(a: &str, b: &str) -> Corpus {
        let make = |words: &str| sample::finding("DEV", "major", "The form should be fast", words, "");
        let (a, b) = (make(a), make(b));
        Corpus::new(&[&a, &b])
    }

    #[test]
    fn equal_words_are_one_and_foreign_words_nothing() {
        let same = pair("The card is declined", "A declined card");
        assert!((same.cosine(0, 1) - 1.0).abs() < 1e-6);
        let apart = pair("The card is declined", "Nobody approves refunds");
        assert_eq!(apart.cosine(0, 1), 0.0);
        assert!(apart.distinct(0.0, 0, 1));
        assert!(!apart.cosine(0, 1).is_nan());
        assert_eq!(pair("", "").cosine(0, 1), 0.0);
    }

    #[test]
    fn each_language_has_its_own_zone() {
        let zone = |words: &str, cosine: f32| pair(words, words).distinct(cosine, 0, 1);
        assert!(zone("The card is declined", 0.08) && !zone("The card is declined", 0.09));
        assert!(zone("thẻ bị từ chối", 0.11) && !zone("thẻ bị từ chối", 0.12));
        assert!(zone("银行卡被拒", 0.04) && !zone("银行卡被拒", 0.05));
    }

    #[test]
    fn hard_negatives_from_one_template_are_vetoed_in_three_languages() {
        for (a, b) in [
            ("UC-03 has no error flow for declined card", "UC-03 has no error flow for network timeout"),
            ("AC-5 repeats BR-07", "AC-5 contradicts BR-07"),
            ("AC-1 does not say who approves", "AC-2 does not say who approves"),
            ("The limit of 14 days is not explained", "The limit of 30 days is not explained"),
            ("UC-03 thiếu luồng lỗi khi thẻ bị từ chối", "UC-03 thiếu luồng lỗi khi mạng hết thời gian"),
            ("AC-5 lặp lại BR-07", "AC-5 mâu thuẫn với BR-07"),
            ("Chưa rõ ai duyệt yêu cầu hoàn tiền", "Chưa rõ ai duyệt yêu cầu đổi trả"),
            ("UC-03缺少银行卡被拒的错误流程", "UC-03缺少网络超时的错误流程"),
            ("AC-5重复BR-07", "AC-5与BR-07矛盾"),
            ("未说明由谁审批退款", "未说明由谁审批换货"),
        ] {
            let corpus = pair(a, b);
            assert!(corpus.vetoed(0, 1), "{a} | {b}");
        }
    }

    #[test]
    fn the_same_words_said_otherwise_are_not_vetoed() {
        for (a, b) in [
            ("No error flow is defined for a declined card", "The error flow for declined cards is missing"),
            ("“fast” is ambiguous", "“fast” is vague"),
            ("Thiếu luồng lỗi khi thẻ bị từ chối", "Chưa nêu luồng lỗi nếu thẻ bị từ chối"),
            ("缺少银行卡被拒的错误流程", "未说明银行卡被拒的错误流程"),
        ] {
            assert!(!pair(a, b).vetoed(0, 1), "{a} | {b}");
        }
    }

    #[test]
    fn a_units_own_id_tells_nothing_apart_but_other_ids_do() {
        let make = |words: &str| sample::finding("DEV", "major", "If the order is unknown", words, "");
        let (a, b) = (make("UC-01: the message is missing"), make("The message is missing"));
        assert!(Corpus::new(&[&a, &b]).profile(0).ids.is_empty());
        let (a, b) = (make("UC-01: BR-01 has no message"), make("UC-01: BR-02 has no message"));
        assert!(Corpus::new(&[&a, &b]).vetoed(0, 1));
    }

    #[test]
    fn likeness_does_not_depend_on_order() {
        let words = ["The card is declined", "No declined card", "Who approves?", "thẻ bị từ chối", "银行卡被拒"];
        let findings: Vec<Finding> = words.iter().map(|words| sample::finding("DEV", "major", "", words, "")).collect();
        let forward = Corpus::new(&findings.iter().collect::<Vec<_>>());
        let backward = Corpus::new(&findings.iter().rev().collect::<Vec<_>>());
        for a in 0..words.len() {
            for b in 0..words.len() {
                let turned = backward.cosine(words.len() - 1 - a, words.len() - 1 - b);
                assert_eq!(forward.cosine(a, b).to_bits(), turned.to_bits());
                assert_eq!(forward.cosine(a, b).to_bits(), forward.cosine(b, a).to_bits());
            }
        }
    }

    #[test]
    fn dice_counts_what_is_shared() {
        assert_eq!(dice(&[1, 2, 3], &[2, 3, 4]), 4.0 / 6.0);
        assert_eq!(dice(&[], &[]), 0.0);
        assert_eq!(dice(&[7], &[7]), 1.0);
    }
}
