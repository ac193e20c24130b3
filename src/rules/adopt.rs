//! Findings of a file that people edit: what a hand left out or wrote twice is filled in, so that each can be decided on.

use super::enter::policy_topic;
use super::keys::{finding_key, hash, question_key};
use crate::model::finding::{Finding, Question};
use crate::model::ids::{FindingKey, QuestionKey};
use std::collections::HashSet;

/// Gives findings the keys, ids and keys of questions that they lack, or share with one before them; all else stays.
/// Doing it again changes nothing.
pub fn adopt(findings: &mut [Finding]) {
    let mut keys: HashSet<FindingKey> = HashSet::new();
    let mut ids: HashSet<String> = findings.iter().map(|finding| finding.id.clone()).collect();
    let mut named: HashSet<String> = HashSet::new();
    let mut questions: HashSet<QuestionKey> = HashSet::new();
    let mut number = 0;
    for finding in findings {
        if finding.key.as_str().is_empty() {
            finding.key = finding_key(finding);
        }
        let mut occurrence = 1_u32;
        let base = finding.key.clone();
        while !keys.insert(finding.key.clone()) {
            occurrence += 1;
            finding.key = FindingKey(hash(&["occurrence", base.as_str(), &occurrence.to_string()]));
        }
        if finding.id.trim().is_empty() || !named.insert(finding.id.clone()) {
            finding.id = next_id(&mut number, &ids);
            ids.insert(finding.id.clone());
            named.insert(finding.id.clone());
        }
        let key = finding.key.clone();
        finding.blocked_on.iter_mut().for_each(|question| name(question, &key, &mut questions));
    }
}

/// A question that a hand wrote as mere words has no key, and its topic only in its words.
fn name(question: &mut Question, finding: &FindingKey, taken: &mut HashSet<QuestionKey>) {
    if question.key.as_str().is_empty() {
        question.key = question_key(finding, &question.question);
    }
    question.policy = question.policy.take().or_else(|| policy_topic(&question.question));
    let base = question.key.clone();
    let mut occurrence = 1_u32;
    while !taken.insert(question.key.clone()) {
        occurrence += 1;
        question.key = QuestionKey(hash(&["occurrence", base.as_str(), &occurrence.to_string()]));
    }
}

/// The next id that nobody has: `F001`, `F002`, …
fn next_id(number: &mut u32, taken: &HashSet<String>) -> String {
    loop {
        *number += 1;
        let id = format!("F{number:03}");
        if !taken.contains(&id) {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    fn findings() -> Vec<Finding> {
        let one = |words: &str| sample::finding("DEV", "major", "The form should be fast", words, "");
        vec![one("How fast?"), one("On which line?"), one("For whom?")]
    }

    #[test]
    fn what_has_names_keeps_them() {
        let mut named = findings();
        for (index, finding) in named.iter_mut().enumerate() {
            finding.id = format!("F{:03}", 7 - index);
        }
        let before = named.clone();
        adopt(&mut named);
        assert_eq!(named, before);
    }

    #[test]
    fn what_a_hand_left_out_or_wrote_twice_is_filled_in_once() {
        let mut given = findings();
        given[0].id = "F002".to_owned();
        given[1].id = "F002".to_owned();
        given[2].key = FindingKey::default();
        given[1].key = given[0].key.clone();
        let words = "needs-law-decision: may we?";
        given[2].blocked_on = vec![Question { question: words.to_owned(), ..Question::default() }; 2];
        adopt(&mut given);
        let ids: Vec<&str> = given.iter().map(|finding| finding.id.as_str()).collect();
        assert_eq!(ids, ["F002", "F001", "F003"]);
        let keys: HashSet<&str> = given.iter().map(|finding| finding.key.as_str()).collect();
        assert_eq!(keys.len(), 3);
        assert_eq!(given[2].key, finding_key(&given[2]));
        let question = &given[2].blocked_on[0];
        assert!(question.key != QuestionKey::default() && question.blocks_writing());
        assert_ne!(given[2].blocked_on[1].key, question.key, "each can be answered");
        let once = given.clone();
        adopt(&mut given);
        assert_eq!(given, once);
    }
}
