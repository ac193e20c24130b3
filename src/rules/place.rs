//! Which findings stand in the same place: the same unit, and sections, or references in them, that meet
//! (SPEC S0, Phase 3).

use super::cites::ids;
use super::contents::plain;
use super::similar::ids_of_place;
use crate::model::finding::{Finding, Grounding};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Calls `visit` once for every pair of findings in the same place, the lower index first, in a fixed order.
///
/// Sections meet where they are the same or one lies in the other, and where an ungrounded finding's words name a
/// section's title; a `section` may name several places at once. Findings of one unit also meet in an id that both
/// cite, their unit's own left out. Two findings of offline rules meet only on a line that both quote: rules assert
/// what they say of one spot, and there may be thousands of them in a section.
pub fn pairs(findings: &[&Finding], mut visit: impl FnMut(usize, usize)) {
    let marks: Vec<Marks> = findings.iter().map(|finding| Marks::of(finding)).collect();
    let mut table: HashMap<(Kind, u64), [Vec<u32>; 2]> = HashMap::new();
    for (index, marks) in marks.iter().enumerate() {
        let by_rule = usize::from(findings[index].rule.is_some());
        for &mark in &marks.left {
            table.entry(mark).or_default()[by_rule].push(index as u32);
        }
    }
    let mut seen = vec![u32::MAX; findings.len()];
    for (index, marks) in marks.iter().enumerate() {
        let by_rule = findings[index].rule.is_some();
        for met in &marks.looks_for {
            let Some([free, ruled]) = table.get(met) else { continue };
            let ruled: &[u32] = if by_rule && met.0 != Kind::Line { &[] } else { ruled };
            for &other in free.iter().chain(ruled) {
                let other = other as usize;
                if other > index && seen[other] != index as u32 {
                    seen[other] = index as u32;
                    visit(index, other);
                }
            }
        }
    }
}

/// Kinds of mark that a finding leaves for others to find.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// Its own section.
    Here,
    /// A section around its own.
    Inside,
    /// The title of its section.
    Title,
    /// A place named in words that no section answers to.
    Named,
    /// An id it cites.
    Cites,
    /// A line it quotes.
    Line,
}

struct Marks {
    left: Vec<(Kind, u64)>,
    looks_for: Vec<(Kind, u64)>,
}

impl Marks {
    fn of(finding: &Finding) -> Marks {
        let mark = |kind: Kind, text: &str| {
            let mut hasher = DefaultHasher::new();
            (&finding.uc_id, text).hash(&mut hasher);
            (kind, hasher.finish())
        };
        let (mut left, mut looks_for) = (Vec::new(), Vec::new());
        let steps: Vec<String> = finding.section.split(" > ").map(plain).collect();
        let here = steps.join(">");
        left.push(mark(Kind::Here, &here));
        looks_for.extend([mark(Kind::Here, &here), mark(Kind::Inside, &here)]);
        for depth in 1..steps.len() {
            let around = steps[..depth].join(">");
            left.push(mark(Kind::Inside, &around));
            looks_for.push(mark(Kind::Here, &around));
        }
        if let Some(title) = steps.last().filter(|title| !title.is_empty()) {
            left.push(mark(Kind::Title, title));
            looks_for.push(mark(Kind::Named, title));
        }
        if matches!(finding.grounding, Grounding::Missing | Grounding::Absence) {
            for named in finding.section.split([';', ',', '/', '、', '，', '；', '|', '&']).map(plain) {
                if !named.is_empty() {
                    left.push(mark(Kind::Named, &named));
                    looks_for.extend([mark(Kind::Named, &named), mark(Kind::Title, &named)]);
                }
            }
        }
        let own = ids_of_place(finding);
        let texts = [finding.section_given.as_deref().unwrap_or(""), &finding.finding, &finding.quote];
        let mut cited: Vec<String> = texts.iter().flat_map(|text| ids(text)).filter(|id| !own.contains(id)).collect();
        cited.sort_unstable();
        cited.dedup();
        for id in cited {
            left.push(mark(Kind::Cites, &id));
            looks_for.push(mark(Kind::Cites, &id));
        }
        if finding.rule.is_some() && finding.line > 0 {
            let last = finding.line + finding.quote.matches('\n').count() as u32;
            for line in finding.line..=last {
                left.push(mark(Kind::Line, &line.to_string()));
                looks_for.push(mark(Kind::Line, &line.to_string()));
            }
        }
        Marks { left, looks_for }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    fn meet(a: &Finding, b: &Finding) -> bool {
        let mut met = 0;
        pairs(&[a, b], |_, _| met += 1);
        assert!(met <= 1, "each pair once");
        let mut turned = 0;
        pairs(&[b, a], |_, _| turned += 1);
        assert_eq!(met, turned, "meeting is mutual");
        met == 1
    }

    fn at(uc_id: &str, section: &str, words: &str) -> Finding {
        let mut finding = sample::finding("DEV", "major", "The form should be fast", words, "");
        (finding.uc_id, finding.section, finding.quote) = (uc_id.to_owned(), section.to_owned(), String::new());
        finding
    }

    #[test]
    fn the_same_unit_and_section_is_one_place() {
        assert!(meet(&at("UC-01", "UC-01 > Flow", "a"), &at("UC-01", "UC-01 > Flow", "b")));
        assert!(meet(&at("UC-01", "UC-01 > **Flow**", "a"), &at("UC-01", "UC-01 > flow", "b")));
        assert!(!meet(&at("UC-01", "UC-01 > Flow", "a"), &at("UC-01", "UC-01 > Acceptance", "b")));
        assert!(!meet(&at("UC-01", "Flow", "a"), &at("UC-02", "Flow", "b")), "another unit is another place");
        assert!(!meet(&at("UC-01", "Flow", "a"), &at("", "Flow", "b")));
        assert!(meet(&at("", "", "a"), &at("", "", "b")));
    }

    #[test]
    fn a_section_meets_the_one_it_lies_in_but_not_its_sibling() {
        assert!(meet(&at("UC-01", "UC-01", "a"), &at("UC-01", "UC-01 > Flow > Errors", "b")));
        assert!(!meet(&at("UC-01", "UC-01 > Flow", "a"), &at("UC-01", "UC-01 > Errors", "b")));
    }

    #[test]
    fn references_meet_across_sections_of_a_unit_but_not_its_own_id() {
        assert!(meet(&at("UC-01", "UC-01 > Flow", "BR-02 is unclear"), &at("UC-01", "UC-01 > Rules", "BR_2 repeats")));
        assert!(!meet(&at("UC-01", "UC-01 > Flow", "UC-01 lacks it"), &at("UC-01", "UC-01 > Rules", "UC-01 has it")));
        let mut named = at("UC-01", "UC-01 > Flow", "a");
        named.section_given = Some("AC-3, BR-02".to_owned());
        assert!(meet(&named, &at("UC-01", "UC-01 > Rules", "BR-02 again")));
    }

    #[test]
    fn offline_rules_meet_each_other_only_on_a_line() {
        let ruled = |line: u32, quote: &str| {
            let mut finding = at("UC-01", "UC-01 > Flow", "a");
            (finding.rule, finding.line, finding.quote) = (Some("A01".to_owned()), line, quote.to_owned());
            finding
        };
        assert!(meet(&ruled(7, "x"), &ruled(7, "y")));
        assert!(!meet(&ruled(7, "x"), &ruled(8, "y")));
        assert!(meet(&ruled(7, "x\nz"), &ruled(8, "y")));
        assert!(meet(&ruled(7, "x"), &at("UC-01", "UC-01 > Flow", "b")), "others meet them as usual");
    }

    #[test]
    fn words_that_name_several_sections_meet_each_of_them() {
        let mut several = at("", "Scope, Glossary", "a");
        several.grounding = Grounding::Missing;
        assert!(meet(&several, &at("", "Overview > Glossary", "b")));
        assert!(meet(&several, &at("", "Scope", "b")));
        assert!(!meet(&several, &at("", "Actors", "b")));
    }
}
