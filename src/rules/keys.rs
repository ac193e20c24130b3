//! Keys of findings and questions (DESIGN, Findings): what a finding is about, never where it came in or which line
//! it stands on, so that decisions survive edits elsewhere in the document.

use super::cites::ids;
use super::contents::plain;
use super::normal::fold;
use crate::model::finding::{Finding, Grounding};
use crate::model::ids::{FindingKey, QuestionKey};
use std::collections::{BTreeSet, HashMap};

/// Hex digits of a key.
const LENGTH: usize = 16;

/// 16 hex digits of a hash over parts, each set off from the next so that no two lists of parts run together.
pub fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..LENGTH].to_owned()
}

/// The key of a finding that enters the run: unit, sorted references, quote or the missing thing, dimension, and rule
/// or words. Without a quote in the document the section stands in for the unit, which then is unknown.
pub fn finding_key(finding: &Finding) -> FindingKey {
    let unit = match finding.grounding {
        Grounding::Missing | Grounding::Absence => plain(&finding.section),
        _ => finding.uc_id.clone(),
    };
    let references: BTreeSet<String> = ids(&finding.finding).union(&ids(&finding.quote)).cloned().collect();
    let references = references.into_iter().collect::<Vec<_>>().join(" ");
    let about = match &finding.missing {
        Some(missing) if finding.quote.is_empty() => plain(missing),
        _ => fold(&finding.quote),
    };
    let kind = match &finding.rule {
        Some(rule) => format!("rule {rule}"),
        None => format!("words {}", words(&finding.finding)),
    };
    FindingKey(hash(&["finding", &unit, &references, &about, &finding.dimension, &kind]))
}

/// The key of a finding made of several: a hash of its members' keys, whatever their order; one member keeps its own.
pub fn merged_key<'k>(members: impl IntoIterator<Item = &'k FindingKey>) -> FindingKey {
    let members: BTreeSet<&str> = members.into_iter().map(FindingKey::as_str).collect();
    match members.iter().collect::<Vec<_>>().as_slice() {
        [one] => FindingKey((**one).to_owned()),
        several => {
            let mut parts = vec!["merge"];
            parts.extend(several.iter().map(|key| **key));
            FindingKey(hash(&parts))
        }
    }
}

/// A text by its words; one without words, such as a lone mark, by itself.
fn words(text: &str) -> String {
    Some(plain(text)).filter(|words| !words.is_empty()).unwrap_or_else(|| fold(text))
}

/// The key of a question on a finding.
pub fn question_key(finding: &FindingKey, question: &str) -> QuestionKey {
    QuestionKey(hash(&["question", finding.as_str(), &words(question)]))
}

/// Gives findings that share a key but stand on different lines (one rule, the same words twice in a unit) keys of
/// their own, in file order; findings on the line of a known one keep its key, which makes them the same finding.
/// Doing it again changes nothing.
pub fn tell_apart(known: &[Finding], mut incoming: Vec<Finding>) -> Vec<Finding> {
    let mut lines: HashMap<FindingKey, u32> = known.iter().map(|finding| (finding.key.clone(), finding.line)).collect();
    let mut order: Vec<usize> = (0..incoming.len()).collect();
    order.sort_by_key(|&index| incoming[index].line);
    for index in order {
        let base = incoming[index].key.clone();
        let line = incoming[index].line;
        let mut key = base.clone();
        let mut occurrence = 1;
        while lines.get(&key).is_some_and(|&taken| taken != line) {
            occurrence += 1;
            key = FindingKey(hash(&["again", base.as_str(), &occurrence.to_string()]));
        }
        lines.insert(key.clone(), line);
        if key != base {
            for question in &mut incoming[index].blocked_on {
                question.key = question_key(&key, &question.question);
            }
            incoming[index].key = key;
        }
    }
    incoming
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    #[test]
    fn a_key_tells_unit_quote_dimension_and_words() {
        let base = sample::finding("DEV", "major", "The form should be fast", "Fast is not measured.", "Give seconds.");
        assert_eq!(base.key.as_str().len(), 16);
        let same = sample::finding("DEV", "minor", "The form should be fast", "fast is NOT  measured", "Other words.");
        assert_eq!(base.key, same.key, "severity, suggestion, case and punctuation do not count");
        let others = [
            sample::finding("SA", "major", "The form should be fast", "Fast is not measured.", ""),
            sample::finding("DEV", "major", "The form should be", "Fast is not measured.", ""),
            sample::finding("DEV", "major", "The form should be fast", "Nobody measures fast.", ""),
            sample::finding("DEV", "major", "If the order is unknown", "Fast is not measured.", ""),
        ];
        let keys: BTreeSet<_> = others.iter().map(|finding| &finding.key).chain([&base.key]).collect();
        assert_eq!(keys.len(), 5);
    }

    #[test]
    fn a_rule_counts_instead_of_its_words() {
        let mut raw = sample::raw("major", "The form should be fast", "“fast” is vague.", "Give a number.");
        raw.rule = Some("A01".to_owned());
        let english = sample::found("DEV", &raw);
        raw.finding = "“fast” mơ hồ.".to_owned();
        assert_eq!(english.key, sample::found("DEV", &raw).key, "the run's language changes no key");
        raw.rule = Some("A02".to_owned());
        assert_ne!(english.key, sample::found("DEV", &raw).key);
    }

    #[test]
    fn a_key_does_not_depend_on_lines() {
        let before = sample::finding("DEV", "major", "If the order is unknown", "No message is given.", "");
        let text = format!("An added line.\n\n{}", sample::TEXT);
        let outline = sample::outline(&text);
        let grounds = crate::rules::ground::Grounds::new(&text, &outline);
        let raw = sample::raw("major", "If the order is unknown", "No message is given.", "");
        let after = crate::rules::enter::enter(&raw, "DEV", "DEV", &grounds, &sample::recipe());
        assert_ne!(before.line, after.line);
        assert_eq!(before.key, after.key);
    }

    #[test]
    fn absences_in_different_sections_differ() {
        let mut raw = sample::raw("major", "", "There is no error flow.", "Write one.");
        raw.section = "UC-01: Refund".to_owned();
        let first = sample::found("DEV", &raw);
        raw.section = "UC-02: Approve".to_owned();
        assert_ne!(first.key, sample::found("DEV", &raw).key);
    }

    #[test]
    fn a_merge_key_does_not_depend_on_the_order_of_members() {
        let (a, b, c) = (FindingKey::from("a"), FindingKey::from("b"), FindingKey::from("c"));
        assert_eq!(merged_key([&a, &b, &c]), merged_key([&c, &a, &b, &a]));
        assert_ne!(merged_key([&a, &b]), merged_key([&a, &c]));
        assert_eq!(merged_key([&a]), a);
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(question_key(&"k".into(), "Who?"), question_key(&"l".into(), "Who?"));
        assert_eq!(question_key(&"k".into(), "Who  pays?"), question_key(&"k".into(), "who pays"));
    }

    #[test]
    fn one_key_on_two_lines_becomes_two() {
        let at = |line: u32| {
            let mut raw = sample::raw("major", "The form should be fast", "“fast” is vague.", "");
            raw.rule = Some("A01".to_owned());
            raw.line = Some(20);
            raw.blocked_on = vec![crate::model::finding::RawQuestion::Words("How fast?".to_owned())];
            let mut finding = sample::found("DEV", &raw);
            finding.line = line;
            finding
        };
        let told = tell_apart(&[], vec![at(29), at(20), at(20)]);
        assert_eq!(told[1].key, told[2].key, "same line, same finding");
        assert_ne!(told[0].key, told[1].key);
        assert_ne!(told[0].blocked_on[0].key, told[1].blocked_on[0].key);
        assert_eq!(tell_apart(&[], told.clone()), told);
        let again = tell_apart(&told, vec![at(29), at(35)]);
        assert_eq!(again[0].key, told[0].key);
        assert!(!told.iter().any(|known| known.key == again[1].key));
    }
}
