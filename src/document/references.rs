//! Mentions of ids that are not their definitions: single ones, ranges (`UC-008 to UC-024`) and slash lists (`UC03/05/06`).

use super::ids::{self, Class, Found};
use super::scene::Scene;
use crate::model::outline::{Item, ItemId, LineKind, Reference, SectionKind, Span};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Words and signs between the two ends of a range.
const RANGE_SIGNS: &[&str] =
    &["–", "—", "~", "～", "…", "...", "..", "至", "到", "đến", "tới", "through", "thru", "until", "to", "bis", "do", "a", "-"];

/// What they start with.
const RANGE_STARTS: &str = "–—~～….至到đtubda-";

/// Longest range whose inner numbers are listed one by one.
const LONGEST_RANGE: u64 = 500;

/// The end of a range that starts with an id: `UC-008 to UC-024`, `BR-01 – 05`.
pub(super) fn range_after(text: &str, first: &Found) -> Option<(usize, ItemId)> {
    let rest = &text[first.end..];
    let gap = rest.len() - rest.trim_start_matches([' ', '\u{a0}', '*', '`', ']', ')']).len();
    let next = rest[gap..].chars().next()?;
    if !RANGE_STARTS.contains(next) {
        return None;
    }
    for sign in RANGE_SIGNS {
        let Some(tail) = rest[gap..].strip_prefix(sign) else { continue };
        let blank = tail.len() - tail.trim_start_matches([' ', '\u{a0}', '*', '`', '[', '(']).len();
        let word = sign.starts_with(|c: char| c.is_alphabetic() && !super::lang::is_han(c));
        if (word || *sign == "-") && (gap == 0 || blank == 0) {
            continue;
        }
        let at = first.end + gap + sign.len() + blank;
        if let Some(last) = ids::any_id_at(text, at) {
            if last.id.family == first.id.family {
                return Some((last.end, last.id));
            }
            continue;
        }
        // A bare number ends a range only after a sign that nothing else uses.
        if !word && *sign != "-" && first.separated {
            let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
            let follows = text[at + digits..].chars().next();
            if (1..=6).contains(&digits) && !follows.is_some_and(|c| c.is_ascii_alphanumeric() || c == '%') {
                let number = text[at..at + digits].trim_start_matches('0');
                let norm = format!("{}-{}", first.id.family, if number.is_empty() { "0" } else { number });
                let id = ItemId { text: text[at..at + digits].to_owned(), family: first.id.family.clone(), norm };
                return Some((at + digits, id));
            }
        }
    }
    None
}

/// The number at the end of a norm, where it is a plain one.
fn plain_number(id: &ItemId) -> Option<u64> {
    id.norm.strip_prefix(id.family.as_str())?.strip_prefix('-')?.parse().ok()
}

/// Ids strictly between the two ends of a range.
pub(super) fn between(first: &ItemId, last: &ItemId) -> Vec<ItemId> {
    match (plain_number(first), plain_number(last)) {
        (Some(from), Some(to)) if from < to && to - from <= LONGEST_RANGE => (from + 1..to)
            .map(|number| {
                let norm = format!("{}-{number}", first.family);
                ItemId { text: norm.clone(), family: first.family.clone(), norm }
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// `Requirement 9`, `User Story 2` in running text.
static WORDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(use case|user story|story|requirement|feature)s?[ \u{a0}](\d+(?:\.\d+)*)\b").expect("a pattern")
});

/// All references of a document, in file order.
pub(super) fn find(scene: &Scene<'_>, items: &[Item]) -> Vec<Reference> {
    let families: HashSet<&str> = items.iter().filter_map(|item| item.id.as_ref()).map(|id| id.family.as_str()).collect();
    let mut texts: HashMap<&str, &ItemId> = HashMap::new();
    for id in items.iter().filter_map(|item| item.id.as_ref()) {
        texts.entry(&id.norm).or_insert(id);
    }
    let worded = families.iter().any(|family| matches!(*family, "USE CASE" | "USER STORY" | "STORY" | "REQUIREMENT" | "FEATURE"));
    let mut references = Vec::new();
    for (index, line) in scene.lines.iter().enumerate() {
        if matches!(line.kind, LineKind::Blank | LineKind::Code | LineKind::FrontMatter | LineKind::Rule) {
            continue;
        }
        let raw = &scene.text[line.span.start..line.span.end];
        let base = line.span.start;
        let zone_is_loose = matches!(scene.zones[index], SectionKind::Changelog | SectionKind::Toc);
        let mut push = |id: ItemId, span: Span, loose: bool| {
            references.push(Reference { id, span, line: index as u32 + 1, loose: loose || zone_is_loose });
        };
        let mut skip_to = 0;
        for found in ids::find_ids(raw) {
            if found.start < skip_to || !counts(&found, &families) {
                continue;
            }
            let span = Span::new(base + found.start, base + found.end);
            if is_hidden(scene, span) {
                continue;
            }
            let own = is_definition(scene, span);
            if let Some((end, last)) = range_after(raw, &found) {
                if !own {
                    push(found.id.clone(), span, true);
                    let whole = Span::new(span.start, base + end);
                    for id in between(&found.id, &last) {
                        if let Some(known) = texts.get(id.norm.as_str()) {
                            push((*known).clone(), whole, true);
                        }
                    }
                    push(last, Span::new(base + end - last_len(raw, end), base + end), true);
                }
                skip_to = end;
                continue;
            }
            let loose = is_file_name(raw, &found) || in_anchor(scene, span);
            if !own {
                push(found.id.clone(), span, loose);
            }
            for (from, to, id) in slash_list(raw, &found) {
                push(id, Span::new(base + from, base + to), loose);
                skip_to = to;
            }
        }
        if worded {
            for captures in WORDED.captures_iter(raw) {
                let (Some(whole), Some(word), Some(number)) = (captures.get(0), captures.get(1), captures.get(2)) else {
                    continue;
                };
                let family = word.as_str().to_uppercase();
                let span = Span::new(base + whole.start(), base + whole.end());
                if !families.contains(family.as_str()) || is_hidden(scene, span) || is_definition(scene, span) {
                    continue;
                }
                let parts: Vec<&str> = number
                    .as_str()
                    .split('.')
                    .map(|part| match part.trim_start_matches('0') {
                        "" => "0",
                        rest => rest,
                    })
                    .collect();
                let norm = format!("{family}-{}", parts.join("."));
                push(ItemId { text: whole.as_str().to_owned(), family, norm }, span, in_anchor(scene, span));
            }
        }
    }
    references.sort_by_key(|reference| (reference.span.start, reference.span.end));
    references
}

/// Length of the id or number that ends a range at `end`.
fn last_len(raw: &str, end: usize) -> usize {
    raw[..end].chars().rev().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).map(char::len_utf8).sum()
}

/// Whether an id's letters are ones that the document defines, or known ones with a separator.
fn counts(found: &Found, families: &HashSet<&str>) -> bool {
    if families.contains(found.id.family.as_str()) {
        // `A1` in a sentence is an id only where the document writes its ids like that.
        return true;
    }
    found.separated && !matches!(ids::class(&found.id), Class::Generic | Class::Never)
}

/// `UC-01.md`, `docs/UC-01-login`: an id inside a file name or slug.
fn is_file_name(raw: &str, found: &Found) -> bool {
    let after = &raw[found.end..];
    let mut rest = after.chars();
    let slug = matches!(rest.next(), Some('-' | '_')) && rest.next().is_some_and(|c| c.is_ascii_lowercase());
    let extension = after.strip_prefix('.').is_some_and(|rest| {
        let letters = rest.chars().take_while(char::is_ascii_alphanumeric).count();
        (2..=5).contains(&letters) && rest.starts_with(|c: char| c.is_ascii_lowercase())
    });
    slug || extension || raw[..found.start].ends_with(['/', '#', '\\'])
}

/// `UC03/05/06`: the numbers after the first, with their places.
fn slash_list(raw: &str, first: &Found) -> Vec<(usize, usize, ItemId)> {
    let mut out = Vec::new();
    let mut at = first.end;
    let Some(_) = plain_number(&first.id) else { return out };
    // A year or part number behind a slash is longer than the numbers in use.
    let most = first.id.text.chars().rev().take_while(char::is_ascii_digit).count() + 1;
    while let Some(rest) = raw[at..].strip_prefix('/') {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let follows = rest[digits..].chars().next();
        let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '-');
        if !(1..=most).contains(&digits) || follows.is_some_and(goes_on) {
            break;
        }
        let number = rest[..digits].trim_start_matches('0');
        let norm = format!("{}-{}", first.id.family, if number.is_empty() { "0" } else { number });
        out.push((at + 1, at + 1 + digits, ItemId { text: rest[..digits].to_owned(), family: first.id.family.clone(), norm }));
        at += 1 + digits;
    }
    out
}

/// Whether a stretch is one where an id is defined.
fn is_definition(scene: &Scene<'_>, span: Span) -> bool {
    let after = scene.defs.partition_point(|def| def.at.start <= span.start);
    after > 0 && scene.defs[after - 1].at.end > span.start
}

/// Inside a comment, a tag, or code that is more than the id itscene.
fn is_hidden(scene: &Scene<'_>, span: Span) -> bool {
    if within(&scene.blocks.html, span).is_some() || within(&scene.blocks.comments, span).is_some() {
        return true;
    }
    within(&scene.blocks.code, span).is_some_and(|code| {
        let inner = scene.text[code.start..code.end].trim_matches(['`', ' ']);
        ids::any_id_at(inner, 0).is_none_or(|id| id.end != inner.len())
    })
}

/// Inside a link that is a whole list entry, as in a table of contents; in a link to another file; or in the address of
/// any link.
fn in_anchor(scene: &Scene<'_>, span: Span) -> bool {
    let before = scene.blocks.links.partition_point(|link| link.span.start <= span.start);
    let Some(link) = before.checked_sub(1).map(|index| &scene.blocks.links[index]).filter(|link| link.span.contains(span)) else {
        return false;
    };
    let entry = || scene.blocks.item_at(span.start).is_some_and(|item| scene.blocks.items[item].head == link.span);
    !link.text.contains(span) || link.target.contains(".md") || (link.target.starts_with('#') && entry())
}

/// The stretch of a sorted list that holds a span.
pub(super) fn within(sorted: &[Span], span: Span) -> Option<Span> {
    let after = sorted.partition_point(|at| at.start <= span.start);
    sorted[..after].last().copied().filter(|at| at.contains(span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn cited(text: &str) -> Vec<String> {
        let doc =
            Document::parse(format!("## Business rules\n- BR-01: a\n- BR-02: b\n- BR-03: c\n- BR-05: d\n\n## Text\n\n{text}\n"));
        let mark = |reference: &Reference| if reference.loose { "~" } else { "" };
        doc.outline().references.iter().map(|reference| format!("{}{}", mark(reference), reference.id.norm)).collect()
    }

    #[test]
    fn every_sign_of_a_range_is_known_by_its_start() {
        for sign in RANGE_SIGNS {
            assert!(RANGE_STARTS.contains(sign.chars().next().expect("a sign")), "{sign}");
        }
    }

    #[test]
    fn ranges_name_both_ends_and_what_is_defined_between_them() {
        for text in [
            "BR-01 to BR-05",
            "BR-01 đến BR-05",
            "BR-01至BR-05",
            "BR-01 ~ 05",
            "BR-01–BR-05",
            "BR-01 – BR-05",
            "**BR-01** - BR-05",
        ] {
            let mut found = cited(text);
            found.sort();
            assert_eq!(found, ["~BR-1", "~BR-2", "~BR-3", "~BR-5"], "{text}");
        }
        assert_eq!(cited("BR-01 to 5 days"), ["BR-1"], "a number behind a word ends no range");
    }

    #[test]
    fn slash_lists_are_single_citations() {
        assert_eq!(cited("see BR-01/02/03 and BR01/2"), ["BR-1", "BR-2", "BR-3", "BR-1", "BR-2"]);
        assert_eq!(cited("BR-01/2026-01 and BR-02/2026"), ["BR-1", "BR-2"]);
    }

    #[test]
    fn file_names_anchors_and_code_are_no_citations_to_check() {
        assert_eq!(cited("see BR-01.md, docs/BR-02 and [x](#BR-03)"), ["~BR-1", "~BR-2", "~BR-3"]);
        assert_eq!(cited("- [BR-01](#br-01)\n- [BR-02](rules.md)\n"), ["~BR-1", "~BR-2"]);
        assert_eq!(cited("as [BR-09](#br-09) says"), ["BR-9"], "a link in a sentence cites");
        assert_eq!(cited("run `get BR-01 now` but see `BR-02`"), ["BR-2"]);
        assert_eq!(cited("<!-- BR-01 -->"), [] as [&str; 0]);
    }

    #[test]
    fn unknown_letters_cite_nothing() {
        assert_eq!(cited("ABC-12 and X9 and BR-09 and NFR-1"), ["BR-9", "NFR-1"]);
    }
}
