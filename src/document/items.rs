//! Checkable items: definitions of ids, and criteria, rules, requirements and metrics that carry none.

use super::blocks::trim;
use super::defs::{Carrier, Def};
use super::ids::{self, Class};
use super::scene::Scene;
use super::sections::label;
use super::text::{obliges, opens_with_step, states_step};
use crate::model::outline::{Item, ItemKind, LineKind, SectionKind, Span};

/// The kind of an item without id that stands in a zone; `None` where such items are not listed.
fn kind_of_zone(zone: SectionKind) -> Option<ItemKind> {
    match zone {
        SectionKind::Acceptance => Some(ItemKind::Criterion),
        SectionKind::BusinessRules => Some(ItemKind::BusinessRule),
        SectionKind::NonFunctional => Some(ItemKind::NonFunctional),
        SectionKind::SuccessMetrics => Some(ItemKind::Metric),
        _ => None,
    }
}

/// The kind of a defined id: its letters tell, else its section.
fn kind_of_def(def: &Def, zone: SectionKind) -> ItemKind {
    match ids::class(&def.id) {
        Class::UseCase | Class::Story | Class::Requirement => ItemKind::Unit,
        Class::Feature => ItemKind::Requirement,
        Class::Rule => ItemKind::BusinessRule,
        Class::NonFunctional => ItemKind::NonFunctional,
        Class::Criterion => ItemKind::Criterion,
        Class::Metric if zone == SectionKind::Acceptance => ItemKind::Criterion,
        Class::Metric => ItemKind::Metric,
        Class::Never | Class::Generic => kind_of_zone(zone).unwrap_or(ItemKind::Other),
    }
}

fn is_requirement(scene: &Scene<'_>, def: &Def, zone: SectionKind) -> bool {
    ids::class(&def.id) == Class::Generic && zone == SectionKind::Other && scene.lists_requirements(def) == Some(true)
}

/// All items in file order.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for def in scene.defs {
        let line = scene.line_at(def.at.start);
        let kind = match kind_of_def(def, scene.zones[line]) {
            // Unknown letters number requirements where the section or table says so.
            ItemKind::Other if is_requirement(scene, def, scene.zones[line]) => ItemKind::Requirement,
            kind => kind,
        };
        let (span, body) = match def.carrier {
            Carrier::Heading(section) => heading_reach(scene, def, section, kind),
            _ => (def.span, def.body),
        };
        let ordinal = match def.carrier {
            Carrier::Item(index) => scene.blocks.items[index].ordinal,
            _ => None,
        };
        items.push(item(scene, Some(def), kind, span, body, ordinal));
    }
    let covered = Covered::new(scene.defs, &items);
    from_lists(scene, &covered, &mut items);
    from_tables(scene, &covered, &mut items);
    from_paragraphs(scene, &covered, &mut items);
    from_fences(scene, &covered, &mut items);
    items.sort_by_key(|item| (item.place.span.start, std::cmp::Reverse(item.place.span.end)));
    items
}

/// How far a heading that defines an id reaches: a rule or criterion over its own text, a requirement over the paragraphs
/// right under it, a unit over the heading alone.
fn heading_reach(scene: &Scene<'_>, def: &Def, section: usize, kind: ItemKind) -> (Span, Span) {
    let heading = scene.sections[section].heading.span;
    let first = scene.sections[section].heading.lines.last as usize;
    let mut end = heading.end;
    for line in &scene.lines[first.min(scene.lines.len())..] {
        let goes_on = match kind {
            ItemKind::Unit => false,
            ItemKind::Requirement | ItemKind::Other => matches!(line.kind, LineKind::Blank | LineKind::Paragraph),
            _ => line.kind != LineKind::Heading,
        };
        if !goes_on {
            break;
        }
        if line.kind != LineKind::Blank {
            end = line.span.end;
        }
    }
    let span = trim(scene.text, Span::new(heading.start, end));
    (span, Span::new(def.body.start.min(span.end), span.end))
}

/// Stretches that definitions take up already.
struct Covered(Vec<Span>);

impl Covered {
    fn new(defs: &[Def], items: &[Item]) -> Covered {
        let mut spans: Vec<Span> = defs
            .iter()
            .zip(items)
            .filter(|(_, item)| !matches!(item.kind, ItemKind::Unit | ItemKind::Requirement))
            .map(|(_, item)| item.place.span)
            .collect();
        spans.sort();
        // Merged, so that one look-up answers.
        let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match merged.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        Covered(merged)
    }

    fn has(&self, byte: usize) -> bool {
        let after = self.0.partition_point(|span| span.start <= byte);
        after > 0 && self.0[after - 1].end > byte
    }
}

/// An item at a span, with what encloses it.
fn item(scene: &Scene<'_>, def: Option<&Def>, kind: ItemKind, span: Span, body: Span, ordinal: Option<u64>) -> Item {
    let place = scene.place(span);
    let line = &scene.lines[place.lines.first as usize - 1];
    let body = Span::new(body.start.clamp(span.start, span.end), body.end.clamp(span.start, span.end));
    Item { id: def.map(|def| def.id.clone()), kind, place, body, section: line.section, unit: line.unit, ordinal }
}

fn from_lists(scene: &Scene<'_>, covered: &Covered, items: &mut Vec<Item>) {
    // An item inside one that is listed is part of it; inside a label it stands for itself.
    let mut listed: Vec<bool> = Vec::with_capacity(scene.blocks.items.len());
    let defines: std::collections::HashSet<usize> = scene
        .defs
        .iter()
        .filter_map(|def| match def.carrier {
            Carrier::Item(index) => Some(index),
            _ => None,
        })
        .collect();
    for (index, entry) in scene.blocks.items.iter().enumerate() {
        let inside = entry.parent.is_some_and(|parent| listed[parent]);
        let zone = scene.zone_at(entry.span.start);
        let head = scene.slice(entry.head);
        let step = zone == SectionKind::Other && states_step(head) && scene.in_unit(entry.span.start);
        let kind = kind_of_zone(zone).or(step.then_some(ItemKind::Criterion));
        let label = scene.facts.items[index];
        let own = defines.contains(&index);
        let lists = kind.is_some() && !inside && !own && !label.alone && !head.is_empty() && !covered.has(entry.span.start);
        listed.push(inside || lists || (own && kind_of_zone(zone).is_some()));
        if let (true, Some(kind)) = (lists, kind) {
            let start = if label.kind.is_some() { entry.head.start + label.rest } else { entry.head.start };
            let body = trim(scene.text, Span::new(start.min(entry.span.end), entry.span.end));
            items.push(item(scene, None, kind, entry.span, body, entry.ordinal));
        }
    }
}

fn from_tables(scene: &Scene<'_>, covered: &Covered, items: &mut Vec<Item>) {
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables) {
        // `| Acceptance criteria | 1. … <br> 2. … |`: a cell of several criteria.
        for (_, cell, kind) in fact.cells_of_items(table) {
            let Some(kind) = kind_of_zone(kind) else { continue };
            for span in break_parts(scene.text, cell) {
                if !covered.has(span.start) {
                    let (ordinal, body) = numbered(scene.text, span);
                    items.push(item(scene, None, kind, span, body, ordinal));
                }
            }
        }
        let Some(kind) = kind_of_zone(scene.zone_at(table.span.start)) else { continue };
        if fact.form().is_some() || fact.acceptance.is_some() {
            continue;
        }
        for row in table.rows.iter().filter(|row| !covered.has(row.span.start) && row.cells.iter().any(|cell| !cell.is_empty())) {
            items.push(item(scene, None, kind, row.span, row.span, None));
        }
    }
}

/// The number before a part of a cell, and what follows it or a bullet.
fn numbered(text: &str, span: Span) -> (Option<u64>, Span) {
    let raw = &text[span.start..span.end];
    let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let rest = raw[digits..].strip_prefix(['.', ')', '、']).filter(|_| (1..=3).contains(&digits));
    let (ordinal, rest) = match rest {
        Some(rest) => (raw[..digits].parse().ok(), rest),
        None => (None, raw.strip_prefix(['-', '•', '*']).filter(|rest| rest.starts_with(' ')).unwrap_or(raw)),
    };
    let body = trim(text, Span::new(span.end - rest.len(), span.end));
    if body.is_empty() { (None, span) } else { (ordinal, body) }
}

/// The parts of a cell between `<br>` tags, each trimmed and not empty.
pub(super) fn break_parts(text: &str, cell: Span) -> Vec<Span> {
    let raw = &text[cell.start..cell.end];
    let lower = raw.to_ascii_lowercase();
    let mut parts = Vec::new();
    let mut from = 0;
    loop {
        let stop = lower[from..].find("<br").map(|at| from + at);
        let part = trim(text, Span::new(cell.start + from, cell.start + stop.unwrap_or(raw.len())));
        if !part.is_empty() {
            parts.push(part);
        }
        match stop.and_then(|at| lower[at..].find('>').map(|close| at + close + 1)) {
            Some(next) => from = next,
            None => return parts,
        }
    }
}

/// Paragraphs that state something checkable: what stands behind a label, steps and obligations in their sections, and marked
/// steps inside a unit.
fn from_paragraphs(scene: &Scene<'_>, covered: &Covered, items: &mut Vec<Item>) {
    for paragraph in scene.blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        let line = scene.line_at(paragraph.span.start);
        let zone = scene.zones[line];
        if covered.has(paragraph.span.start) || !(kind_of_zone(zone).is_some() || zone == SectionKind::Other) {
            continue;
        }
        let raw = scene.slice(paragraph.span);
        let Some(kind) = kind_of_zone(zone) else {
            if scene.in_unit(paragraph.span.start) && states_step(raw) {
                items.push(item(scene, None, ItemKind::Criterion, paragraph.span, paragraph.span, None));
            }
            continue;
        };
        let label = label(raw).filter(|label| label.kind == Some(zone)).map(|label| label.rest);
        let body = trim(scene.text, Span::new(paragraph.span.start + label.unwrap_or(0), paragraph.span.end));
        let words = scene.slice(body);
        let step = zone == SectionKind::Acceptance && opens_with_step(words);
        // A sentence that ends in a colon only leads in what follows.
        let states = (label.is_some() || step || obliges(words)) && !words.is_empty() && !words.ends_with([':', '：']);
        if states {
            items.push(item(scene, None, kind, paragraph.span, body, None));
        }
    }
}

/// Scenarios in a fence without language or in Gherkin: each from its `Scenario:` or first `Given` line to a blank line.
fn from_fences(scene: &Scene<'_>, covered: &Covered, items: &mut Vec<Item>) {
    for fence in &scene.blocks.fences {
        if !matches!(fence.tag.as_str(), "" | "gherkin" | "feature" | "text") || covered.has(fence.span.start) {
            continue;
        }
        let line = scene.line_at(fence.span.start);
        if scene.zones[line] != SectionKind::Acceptance && (fence.tag != "gherkin" || scene.lines[line].unit.is_none()) {
            continue;
        }
        let last = scene.line_at(fence.span.end.saturating_sub(1));
        // The scenario being read, and whether `Scenario:` opened it: then its `Given` belongs to it.
        let mut open: Option<(Span, bool)> = None;
        for record in &scene.lines[line..=last] {
            let span = trim(scene.text, record.span);
            let raw = scene.slice(span);
            let closes = span.is_empty() || raw.starts_with("```") || raw.starts_with("~~~");
            let titled = opens_with(raw, "scenario") || raw.starts_with("场景");
            let opens =
                titled || ((opens_with(raw, "given") || raw.starts_with("假如")) && !open.is_some_and(|(_, titled)| titled));
            if (closes || opens)
                && let Some((span, _)) = open.take()
            {
                items.push(item(scene, None, ItemKind::Criterion, span, span, None));
            }
            match &mut open {
                None if opens => open = Some((span, titled)),
                Some((scenario, _)) if !closes => scenario.end = span.end,
                _ => {}
            }
        }
        if let Some((span, _)) = open {
            items.push(item(scene, None, ItemKind::Criterion, span, span, None));
        }
    }
}

/// Whether a line opens with a word in any case.
fn opens_with(line: &str, word: &str) -> bool {
    line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}
