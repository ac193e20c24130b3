//! X01: one id, two definitions.

use crate::lint::frame::Frame;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::Folded;
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{Item, ItemId, ItemKind, LineKind, SectionKind, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The rule.
pub const RULE: Rule = Rule {
    id: "X01",
    name: "duplicate id",
    severity: Severity::Critical,
    doc: "Two rules, requirements, use cases or criteria carry the same number (UC-1, UC-01 and UC_1 are one), so whoever cites it \
          cannot know which is meant. A number used twice in a hand-numbered list of criteria is major.",
    suppressed: "A table that lists what headings or bullets define, criteria and steps that start anew in every unit, history, contents.",
    source: "ISO 29148 5.2.8, traceability",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-01: Refunds need an order.\n- BR-02: Refunds over 500 USD need an agent.\n- BR-02: An agent must not decide on an own order.\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-01: Refunds need an order.\n- BR-02: Refunds over 500 USD need an agent.\n- BR-03: An agent must not decide on an own order.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Hoàn tiền phải có đơn hàng.\n- BR-1: Nhân viên không được duyệt đơn của chính mình.\n",
            passes: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Hoàn tiền phải có đơn hàng.\n- BR-02: Nhân viên không được duyệt đơn của chính mình.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 业务规则\n- BR-01：退款必须有订单。\n- BR-01：客服不得审批自己的订单。\n",
            passes: "# 退款\n\n## 业务规则\n- BR-01：退款必须有订单。\n- BR-02：客服不得审批自己的订单。\n",
        },
    ],
    check,
};

fn check(page: &Page<'_>) -> Vec<Hit> {
    let mut hits = duplicate_ids(page);
    hits.extend(duplicate_ordinals(page));
    hits
}

/// Where an id must be unique.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Realm {
    Document,
    Unit(usize),
    Section(usize),
}

fn realm(item: &Item, id: &ItemId) -> Realm {
    // `UC-01-AC-02` names its unit itself; `AC-02` starts anew in every unit or section.
    let local = item.kind == ItemKind::Criterion
        || id.family.len() == 1
        || matches!(id.family.as_str(), "AC" | "EF" | "AF" | "EX" | "ALT" | "STEP" | "S");
    match (local && !id.family.contains('-'), item.unit, item.section) {
        (false, ..) | (true, None, None) => Realm::Document,
        (true, Some(unit), _) => Realm::Unit(unit),
        (true, None, Some(section)) => Realm::Section(section),
    }
}

fn duplicate_ids(page: &Page<'_>) -> Vec<Hit> {
    let mut first: BTreeMap<(Realm, &str), &Item> = BTreeMap::new();
    let mut highest: BTreeMap<String, u64> = BTreeMap::new();
    let items = || page.outline.items.iter().filter_map(|item| Some((item, item.id.as_ref()?)));
    for (_, id) in items() {
        let (series, number) = series(id);
        let top = highest.entry(series).or_default();
        *top = number.max(*top);
    }
    let mut cites: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for reference in &page.outline.references {
        cites.entry(reference.id.norm.as_str()).or_default().insert(reference.line);
    }
    let mut hits = Vec::new();
    for (item, id) in items() {
        if matches!(page.role(item.place.lines.first), SectionKind::Changelog | SectionKind::Toc | SectionKind::Checklist) {
            continue;
        }
        let key = (realm(item, id), id.norm.as_str());
        let Some(earlier) = first.get(&key) else {
            first.insert(key, item);
            continue;
        };
        if earlier.place.lines.first == item.place.lines.first || is_listing(page, earlier, item) {
            continue;
        }
        let cites = cites.get(id.norm.as_str()).into_iter().flatten().take(8).copied().collect();
        if same_words(page, earlier, item) {
            hits.push(say_duplicate(page, id, (earlier, item), None, cites));
            continue;
        }
        let next = next_id(id, highest.entry(series(id).0).or_default());
        hits.push(say_duplicate(page, id, (earlier, item), Some(&next), cites));
    }
    hits
}

/// Whether both definitions say the same, word for word.
fn same_words(page: &Page<'_>, one: &Item, other: &Item) -> bool {
    let words = |item: &Item| Folded::plain(page.slice(item.body)).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = words(one);
    said.chars().any(char::is_alphabetic) && said == words(other)
}

/// A table row that lists what a heading or bullet defines, or rows of two tables with different columns.
fn is_listing(page: &Page<'_>, one: &Item, other: &Item) -> bool {
    let row = |item: &Item| page.outline.line(item.place.lines.first).is_some_and(|line| line.kind == LineKind::TableRow);
    let heading = |item: &Item| page.outline.line(item.place.lines.first).is_some_and(|line| line.kind == LineKind::Heading);
    if row(one) != row(other) {
        return true;
    }
    if heading(one) != heading(other) {
        // A list in front of the chapters, each repeating its title.
        let frame = |item: &Item| Frame::new(&Folded::plain(page.slice(item.body)));
        let (short, long) = (frame(one), frame(other));
        return short.covered_by(&long) >= 0.8 || long.covered_by(&short) >= 0.8;
    }
    row(one)
        && !page.same_table(one.place.lines.first, other.place.lines.first)
        && page.table_head(one.place.lines.first) != page.table_head(other.place.lines.first)
}

/// What an id counts on in, and its number there: `BR-` and 2 for `BR-02`, `UC-1.` and 3 for `UC-1.3`, `FR-PO-` and 6 for `FR-PO-006A`.
fn series(id: &ItemId) -> (String, u64) {
    let bare = id.norm.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_owned(), bare[stem.len()..].parse().unwrap_or(0))
}

/// The next free id of a series, written as wide as the given one.
fn next_id(id: &ItemId, highest: &mut u64) -> String {
    *highest = highest.saturating_add(1);
    let bare = id.text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = bare.len() - stem.len();
    format!("{stem}{:0width$}", *highest)
}

fn say_duplicate(page: &Page<'_>, id: &ItemId, (earlier, item): (&Item, &Item), next: Option<&str>, cites: Vec<u32>) -> Hit {
    let line = item.place.lines.first;
    let first = page.quoted(&shorten(page.slice(earlier.body)));
    let finding = page.say(
        "lint-X01-finding",
        &[("id", id.text.clone().into()), ("line", earlier.place.lines.first.into()), ("first", first.into())],
    );
    let Some(next) = next else {
        let args = [("id", id.text.clone().into()), ("line", earlier.place.lines.first.into())];
        let hit = page.hit(RULE.id, RULE.severity, line, Span::new(item.place.span.start, item.place.span.start));
        return hit.saying(page.say("lint-X01-copy", &args), page.say("lint-X01-copy-suggestion", &args));
    };
    let suggestion = if cites.is_empty() {
        page.say("lint-X01-suggestion", &[("id", id.text.clone().into()), ("next", next.to_owned().into())])
    } else {
        let lines = page.list(cites.iter().map(u32::to_string));
        page.say("lint-X01-cited", &[("id", id.text.clone().into()), ("next", next.to_owned().into()), ("lines", lines.into())])
    };
    page.hit(RULE.id, RULE.severity, line, Span::new(item.place.span.start, item.place.span.start)).saying(finding, suggestion)
}

/// The first words of a text, for naming it.
fn shorten(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat = flat.trim_matches(['|', ' ']);
    match flat.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", flat[..at].trim_end()),
        None => flat.to_owned(),
    }
}

/// A number that stands twice in a list of criteria which people number by hand: all others rise one by one.
fn duplicate_ordinals(page: &Page<'_>) -> Vec<Hit> {
    let mut lists: Vec<Vec<&Item>> = Vec::new();
    for item in page.outline.items.iter().filter(|item| item.ordinal.is_some() && item.kind == ItemKind::Criterion) {
        match lists.last_mut() {
            Some(list) if list.last().is_some_and(|last| (last.section, last.unit) == (item.section, item.unit)) => {
                list.push(item)
            }
            _ => lists.push(vec![item]),
        }
    }
    lists.iter().filter_map(|list| duplicate_ordinal(page, list)).collect()
}

fn duplicate_ordinal(page: &Page<'_>, list: &[&Item]) -> Option<Hit> {
    let pairs: Vec<(&Item, &Item)> = list.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let (twice, rest): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(one, other)| one.ordinal == other.ordinal);
    let by_hand = rest.len() >= 2 && rest.iter().all(|(one, other)| other.ordinal == one.ordinal.map(|n| n.saturating_add(1)));
    let &[(one, other)] = twice.as_slice() else { return None };
    if !by_hand {
        return None;
    }
    let number = other.ordinal.unwrap_or_default();
    let section = other.section.and_then(|index| page.outline.sections.get(index)).map(|section| page.quoted(&section.title));
    let unit = other.unit.and_then(|index| page.outline.units.get(index)).map(|unit| unit.id.clone());
    let place = unit.or(section).unwrap_or_else(|| page.place(other.place.lines.first));
    let args = [
        ("number", number.to_string().into()),
        ("line", one.place.lines.first.into()),
        ("place", place.into()),
        ("next", number.saturating_add(1).to_string().into()),
    ];
    let hit = page.hit(RULE.id, Severity::Major, other.place.lines.first, other.place.span);
    Some(hit.saying(
        page.say("lint-X01-ordinal", &args[..3]),
        page.say("lint-X01-ordinal-suggestion", &[args[0].clone(), args[3].clone()]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_keeps_the_form_of_the_id() {
        for (text, norm, highest, next) in [
            ("BR-02", "BR-2", 9, "BR-10"),
            ("UC-1.3", "UC-1.3", 3, "UC-1.4"),
            ("FR-PO-006A", "FR-PO-6A", 6, "FR-PO-007"),
            ("US1", "US-1", 1, "US2"),
        ] {
            let id = ItemId { text: text.to_owned(), family: String::new(), norm: norm.to_owned() };
            assert_eq!(next_id(&id, &mut { highest }), next);
        }
        let id = ItemId { text: "UC-1.3".to_owned(), family: "UC".to_owned(), norm: "UC-1.3".to_owned() };
        assert_eq!(series(&id), ("UC-1.".to_owned(), 3));
    }
}
