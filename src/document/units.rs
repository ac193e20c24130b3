//! Units: all kinds found that do not overlap, most specific first; of two nested ones the deeper (SPEC S0, Phase 1).

use super::defs::{Carrier, Def};
use super::ids::{self, Class};
use super::scene::Scene;
use super::sections::lines_place;
use super::text::{obliges, plain};
use super::unit_words::{self, UnitHead};
use super::words;
use crate::model::outline::{Place, SectionKind, Unit, UnitKind};
use std::collections::HashMap;

/// A unit that reaches over text: found by heading, bold line or table.
struct Candidate {
    head: UnitHead,
    place: Place,
    section: Option<usize>,
    from_table: bool,
}

/// All units of a document in file order; they never share a line.
pub(super) fn find(scene: &Scene<'_>) -> Vec<Unit> {
    let mut candidates = from_headings(scene);
    from_bold_lines(scene, &mut candidates);
    from_tables(scene, &mut candidates);
    candidates.sort_by_key(|candidate| (candidate.place.lines.first, std::cmp::Reverse(candidate.place.lines.last)));
    let mut units = innermost(candidates);
    if units.is_empty()
        && let Some(unit) = whole_file(scene)
    {
        return vec![unit];
    }
    units.extend(from_items(scene, &units));
    units.sort_by_key(|unit| (unit.place.lines.first, std::cmp::Reverse(unit.place.lines.last)));
    let mut last = 0;
    units.retain(|unit| {
        let free = unit.place.lines.first > last;
        if free {
            last = unit.place.lines.last;
        }
        free
    });
    for unit in units.iter_mut().filter(|unit| unit.title.is_empty()) {
        unit.title = name_inside(scene, unit.place).unwrap_or_default();
    }
    if units.is_empty() { stand_ins(scene) } else { units }
}

/// The name that a list in a unit without title gives: `* Name: Lend a book`.
fn name_inside(scene: &Scene<'_>, place: Place) -> Option<String> {
    const NAMES: &[&str] = &["name", "title", "tên", "tên use case", "名称", "标题", "nombre", "nazwa"];
    let first = scene.blocks.items.partition_point(|item| item.span.start < place.span.start);
    let inside = scene.blocks.items[first..].iter().take(3).filter(|item| place.span.contains(item.span));
    inside.into_iter().find_map(|item| {
        let raw = scene.slice(item.head);
        let (name, value) = raw.split_once([':', '：'])?;
        NAMES.contains(&words::fold(&plain(name)).as_str()).then(|| plain(value.trim_start_matches(['*', ' '])))
    })
}

fn from_headings(scene: &Scene<'_>) -> Vec<Candidate> {
    let heads: Vec<(usize, UnitHead)> = scene
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| !section.is_title)
        .filter_map(|(index, _)| Some((index, scene.facts.headings[index].unit.clone()?)))
        .collect();
    let mut generic: HashMap<String, usize> = HashMap::new();
    for (_, head) in heads.iter().filter(|(_, head)| head.generic) {
        *generic.entry(head.item.as_ref().map_or(String::new(), |id| id.family.clone())).or_default() += 1;
    }
    heads
        .into_iter()
        .filter(|(index, head)| {
            // Unknown letters make a unit where several headings carry them and nothing says they are something else.
            !head.generic
                || (head.item.as_ref().is_some_and(|id| generic[&id.family] >= 2)
                    && scene.zones[scene.sections[*index].place.lines.first as usize - 1] == SectionKind::Other)
        })
        .map(|(index, head)| Candidate { head, place: scene.sections[index].place, section: Some(index), from_table: false })
        .collect()
}

/// Paragraphs that are one bold line and open a unit; each reaches to the next one or to any heading.
fn from_bold_lines(scene: &Scene<'_>, candidates: &mut Vec<Candidate>) {
    let mut opened: Vec<(usize, UnitHead)> = Vec::new();
    for paragraph in scene.blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        let raw = scene.slice(paragraph.span);
        let first = raw.lines().next().unwrap_or("").trim();
        let Some(inner) = first.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")) else { continue };
        if inner.contains("**") {
            continue;
        }
        if let Some(head) = unit_words::read(&plain(inner)).filter(|head| !head.generic && !head.rest.is_empty()) {
            opened.push((scene.line_at(paragraph.span.start), head));
        }
    }
    let headings: Vec<usize> = scene.sections.iter().map(|section| section.place.lines.first as usize - 1).collect();
    for (at, (first, head)) in opened.iter().enumerate() {
        let next_bold = opened.get(at + 1).map_or(scene.lines.len(), |(line, _)| *line);
        let next_heading = headings.get(headings.partition_point(|line| line <= first)).copied().unwrap_or(scene.lines.len());
        let last = next_bold.min(next_heading).saturating_sub(1).max(*first);
        let place = lines_place(scene.lines, *first, last);
        candidates.push(Candidate { head: head.clone(), place, section: scene.lines[*first].section, from_table: false });
    }
}

/// Two-column tables that describe one use case: an id or name row, and rows named as use cases are.
fn from_tables(scene: &Scene<'_>, candidates: &mut Vec<Candidate>) {
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables) {
        if let Some(head) = fact.use_case.clone() {
            let place = scene.place(table.span);
            let section = scene.lines[place.lines.first as usize - 1].section;
            candidates.push(Candidate { head, place, section, from_table: true });
        }
    }
}

/// Of nested candidates the deepest ones, each with the id of the one around it.
fn innermost(candidates: Vec<Candidate>) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut around: Vec<usize> = Vec::new();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    let mut passed = vec![false; candidates.len()];
    for (index, candidate) in candidates.iter().enumerate() {
        while around.last().is_some_and(|&outer| candidates[outer].place.lines.last < candidate.place.lines.first) {
            around.pop();
        }
        let outer = around.last().copied();
        parents.push(outer);
        if let Some(outer) = outer {
            let enclosing = &candidates[outer];
            let same = candidate.head.item.is_some()
                && enclosing.head.item.as_ref().map(|id| &id.norm) == candidate.head.item.as_ref().map(|id| &id.norm);
            if same || (candidate.from_table && enclosing.head.kind == UnitKind::UseCase) {
                passed[index] = true;
                continue;
            }
            for &each in &around {
                passed[each] = true;
            }
        }
        around.push(index);
    }
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| !passed[*index]) {
        units.push(Unit {
            id: candidate.head.id.clone(),
            title: candidate.head.rest.clone(),
            kind: candidate.head.kind,
            place: candidate.place,
            section: candidate.section,
            parent: parents[index].map(|outer| candidates[outer].head.id.clone()),
        });
    }
    units
}

/// Sections whose items are never units.
fn holds_units(zone: SectionKind) -> bool {
    use SectionKind::*;
    !matches!(
        zone,
        Acceptance
            | OpenQuestions
            | NonFunctional
            | SuccessMetrics
            | Glossary
            | Checklist
            | Assumptions
            | BusinessRules
            | Changelog
            | Toc
    )
}

/// List items, bold items and table rows that define a requirement id outside the units found so far.
fn from_items(scene: &Scene<'_>, units: &[Unit]) -> Vec<Unit> {
    let mut families: HashMap<&str, usize> = HashMap::new();
    for def in scene.defs.iter().filter(|def| !matches!(def.carrier, Carrier::Heading(_))) {
        *families.entry(&def.id.family).or_default() += 1;
    }
    let taken = |line: u32| {
        let after = units.partition_point(|unit| unit.place.lines.first <= line);
        after > 0 && units[after - 1].place.lines.last >= line
    };
    let mut found = Vec::new();
    for def in scene.defs {
        let first = scene.line_at(def.span.start);
        let kind_fits = match ids::class(&def.id) {
            Class::UseCase | Class::Story | Class::Requirement | Class::Feature => true,
            Class::Generic => {
                families.get(def.id.family.as_str()).is_some_and(|&count| count >= 2) && names_requirement(scene, def)
            }
            _ => false,
        };
        let carrier_fits = match def.carrier {
            Carrier::Heading(_) | Carrier::Cell => false,
            Carrier::Item(_) | Carrier::Row(..) => true,
            Carrier::Paragraph => scene.text[def.span.start..].starts_with("**"),
        };
        let place = scene.place(def.span);
        if !kind_fits || !carrier_fits || !holds_units(scene.zones[first]) || taken(place.lines.first) {
            continue;
        }
        let title = match def.carrier {
            Carrier::Row(table, row) => scene.blocks.tables[table].rows[row]
                .cells
                .iter()
                .filter(|cell| cell.start >= def.body.start || cell.end > def.body.start)
                .map(|cell| plain(&scene.text[cell.start.max(def.body.start)..cell.end]))
                .find(|cell| !cell.is_empty())
                .unwrap_or_default(),
            Carrier::Item(item) => {
                let end = scene.blocks.items[item].head.end;
                plain(&scene.text[def.body.start.min(end)..end])
            }
            _ => plain(scene.slice(def.body)),
        };
        let section = scene.lines[first].section;
        found.push(Unit { id: def.id.text.clone(), title, kind: UnitKind::IdItem, place, section, parent: None });
    }
    found
}

/// Whether a definition with unknown letters states a requirement: by its section's or table's words, or by an obligation.
fn names_requirement(scene: &Scene<'_>, def: &Def) -> bool {
    scene.lists_requirements(def).is_some_and(|says| says || obliges(scene.slice(def.body)))
}

/// A title that carries a numbered unit id makes the whole file one unit.
fn whole_file(scene: &Scene<'_>) -> Option<Unit> {
    let index = scene.sections.iter().position(|section| section.is_title)?;
    let head = scene.facts.headings[index].unit.clone().filter(|head| head.item.is_some() && !head.generic)?;
    let place = lines_place(scene.lines, 0, scene.lines.len().saturating_sub(1));
    Some(Unit { id: head.id, title: head.rest, kind: head.kind, place, section: Some(index), parent: None })
}

/// Top-level sections in place of units, the global kinds left out.
fn stand_ins(scene: &Scene<'_>) -> Vec<Unit> {
    crate::model::outline::top_level(scene.sections)
        .into_iter()
        .map(|index| (index, &scene.sections[index]))
        .filter(|(_, section)| !section.kind.is_global())
        .map(|(index, section)| Unit {
            id: section.title.clone(),
            title: section.title.clone(),
            kind: UnitKind::SectionStandIn,
            place: section.place,
            section: Some(index),
            parent: None,
        })
        .collect()
}
