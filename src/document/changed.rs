//! The changed scope: names that a person gives, matched with units and sections (SPEC S0, inputs).

use super::ids;
use crate::model::outline::{ItemId, LineSpan, Outline, Section, Unit, UnitKind};
use crate::model::plan::{Changed, PRD_GLOBAL};
use std::collections::{BTreeMap, BTreeSet};

/// Names that the document does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document has no {}; it has: {}", quoted(.names), listed(.known))]
pub struct UnknownNames {
    /// The names, as given.
    pub names: Vec<String>,
    /// What there is, nearest to the first unknown name first: unit ids, then section paths.
    pub known: Vec<String>,
}

/// Names shown of those that there are.
const SHOWN: usize = 20;

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ")
}

fn listed(known: &[String]) -> String {
    if known.is_empty() {
        return "no unit and no section".to_owned();
    }
    let mut text = known.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if known.len() > SHOWN {
        text.push_str(&format!(", and {} more", known.len() - SHOWN));
    }
    text
}

/// Matches names with the document. A name is a unit's id (case, separators and leading zeros aside), its full heading,
/// or a section's title or path. A section inside a unit means that unit, any other means PRD-global,
/// and so does its own name.
pub fn resolve(outline: &Outline, names: &[String]) -> Result<Changed, UnknownNames> {
    let mut units = BTreeSet::new();
    let mut changed = Changed::default();
    let mut unknown: Vec<String> = Vec::new();
    for name in names {
        if is_global(name) {
            changed.global.push(PRD_GLOBAL.to_owned());
            continue;
        }
        match look_up(outline, name) {
            Meaning::Units(found) => units.extend(found),
            Meaning::Sections(found, outside) => {
                units.extend(found);
                if outside {
                    changed.global.push(name.trim().to_owned());
                }
            }
            Meaning::Gone => changed.gone.push(name.trim().to_owned()),
            Meaning::Nothing => unknown.push(name.trim().to_owned()),
        }
    }
    if let Some(first) = unknown.first() {
        let known = nearest(outline, first);
        return Err(UnknownNames { names: unknown, known });
    }
    changed.units = units.into_iter().collect();
    Ok(changed)
}

/// Why a name means no single part of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSinglePart {
    /// Nothing is called so.
    #[error(transparent)]
    Unknown(#[from] UnknownNames),
    /// The name is empty.
    #[error("the name is empty; the document has: {}", listed(.0))]
    Empty(Vec<String>),
    /// Several parts are called so.
    #[error("“{name}” stands in several places: {}", listed(.places))]
    Several {
        /// The name, as given.
        name: String,
        /// Their paths, those of one path with their lines.
        places: Vec<String>,
    },
}

/// The lines of the one part that a name means: PRD-global, a unit, or a section by its title or path; a unit before a
/// section.
///
/// # Errors
/// Nothing or more than one part is called so.
pub fn named_lines(outline: &Outline, name: &str) -> Result<Vec<LineSpan>, NoSinglePart> {
    if name.trim().is_empty() {
        return Err(NoSinglePart::Empty(nearest(outline, "")));
    }
    let unknown = || UnknownNames { names: vec![name.to_owned()], known: nearest(outline, name) };
    if is_global(name) {
        // Where units cover all lines there is nothing to look at, which is not the same as nothing to find.
        let lines = outline.lines_outside_units();
        return if lines.is_empty() { Err(unknown().into()) } else { Ok(lines) };
    }
    let one_of = |found: Vec<(String, LineSpan)>| match found.as_slice() {
        [] => Err(unknown().into()),
        [(_, lines)] => Ok(vec![*lines]),
        _ => Err(NoSinglePart::Several { name: name.to_owned(), places: told_apart(&found) }),
    };
    if let Meaning::Units(units) = look_up(outline, name) {
        let place = |unit: &Unit| {
            let section = unit.section.and_then(|index| outline.sections.get(index));
            let own = section.filter(|section| section.place.lines.first == unit.place.lines.first && !section.is_title);
            (own.map_or_else(|| unit.id.clone(), Section::path_text), unit.place.lines)
        };
        return one_of(units.iter().filter_map(|&index| outline.units.get(index)).map(place).collect());
    }
    let (folded, path) = (fold_words(name), fold_path(name));
    let place = |section: &Section| (section.path_text(), section.place.lines);
    let sections = outline.sections.iter().filter(|section| !section.is_title);
    // A path says more than a title: where `A > B` or a top-level heading is meant, no deeper heading of that title is.
    let by_path: Vec<_> = sections.clone().filter(|section| section_path(section) == path).map(place).collect();
    let by_title: Vec<_> = sections.filter(|section| fold_words(&section.title) == folded).map(place).collect();
    let is_path = name.contains('>') && !by_path.is_empty();
    let found = if is_path || by_title.is_empty() { by_path } else { by_title };
    if found.is_empty() {
        let titles = outline.sections.iter().filter(|section| section.is_title && fold_words(&section.title) == folded);
        return one_of(titles.map(|section| (section.title.clone(), section.place.lines)).collect());
    }
    one_of(found)
}

/// Paths of places, those that share one with the line they begin on.
fn told_apart(places: &[(String, LineSpan)]) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, _) in places {
        *count.entry(path).or_default() += 1;
    }
    let shown = |(path, lines): &(String, LineSpan)| match count.get(path.as_str()) {
        Some(1) => path.clone(),
        _ => format!("{path} (line {})", lines.first),
    };
    places.iter().map(shown).collect()
}

/// Whether a name is that of all that lies in no unit.
fn is_global(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(PRD_GLOBAL)
}

/// Splits one argument into names: a comma separates only where the whole value, or a longer part of it, is no name.
pub fn split_argument(outline: &Outline, value: &str) -> Vec<String> {
    let parts: Vec<&str> = value.split(',').collect();
    let mut names = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let longest = (at + 1..=parts.len()).rev().find(|&end| {
            end == at + 1 || matches!(look_up(outline, &parts[at..end].join(",")), Meaning::Units(_) | Meaning::Sections(..))
        });
        let end = longest.unwrap_or(at + 1);
        let name = parts[at..end].join(",").trim().to_owned();
        if !name.is_empty() {
            names.push(name);
        }
        at = end;
    }
    names
}

enum Meaning {
    Units(Vec<usize>),
    /// Units that hold such a section, and whether one lies outside all units.
    Sections(Vec<usize>, bool),
    Gone,
    Nothing,
}

fn look_up(outline: &Outline, name: &str) -> Meaning {
    let folded = ids::fold_name(name);
    if folded.is_empty() {
        return Meaning::Nothing;
    }
    let by = |fits: &dyn Fn(&Unit) -> bool| -> Vec<usize> {
        outline.units.iter().enumerate().filter(|(_, unit)| fits(unit)).map(|(index, _)| index).collect()
    };
    let named = by(&|unit| ids::fold_name(&unit.id) == folded || id_of(unit).is_some_and(|id| id.norm == folded));
    if !named.is_empty() {
        return Meaning::Units(named);
    }
    // `UC-1` for `Use Case 1`, `UC-010` for a heading that stands for `UC-008 to UC-024`.
    let asked = id_in(name);
    let kin = by(&|unit| asked.as_ref().is_some_and(|asked| is_kin(unit, asked)));
    if !kin.is_empty() {
        return Meaning::Units(kin);
    }
    let headed = by(&|unit| heading_of(outline, unit).is_some_and(|title| fold_words(title) == folded));
    if !headed.is_empty() {
        return Meaning::Units(headed);
    }
    // A heading that was passed over for the deeper units inside it stands for those.
    let below = by(&|unit| unit.parent.as_deref().is_some_and(|parent| ids::fold_name(parent) == folded));
    if !below.is_empty() {
        return Meaning::Sections(below, true);
    }
    let path = fold_path(name);
    let (mut found, mut any, mut outside) = (Vec::new(), false, false);
    for section in outline.sections.iter().filter(|section| !section.is_title) {
        if fold_words(&section.title) != folded && section_path(section) != path {
            continue;
        }
        any = true;
        match outline.line(section.place.lines.first).and_then(|line| line.unit) {
            Some(unit) => found.push(unit),
            None => outside = true,
        }
    }
    if any {
        return Meaning::Sections(found, outside);
    }
    if may_have_gone(outline, name) { Meaning::Gone } else { Meaning::Nothing }
}

/// Whether a unit carries an id under other letters of the same meaning, or as part of a range.
fn is_kin(unit: &Unit, asked: &ItemId) -> bool {
    let norm = |id: &ItemId| format!("{}{}", letters(&id.family), id.norm.strip_prefix(id.family.as_str()).unwrap_or_default());
    let Some(head) = super::unit_words::read(&unit.id) else { return false };
    let Some(first) = head.item else { return false };
    let inside = |last: &ItemId| {
        last.norm == asked.norm || super::references::between(&first, last).iter().any(|id| id.norm == asked.norm)
    };
    norm(&first) == norm(asked) || head.last.as_ref().is_some_and(inside)
}

/// The letters that words stand for.
fn letters(family: &str) -> &str {
    match family {
        "USE CASE" => "UC",
        "USER STORY" | "STORY" => "US",
        "REQUIREMENT" => "REQ",
        "FEATURE" => "FEAT",
        other => other,
    }
}

/// Whether a name has the form of an id whose letters name units here.
fn may_have_gone(outline: &Outline, name: &str) -> bool {
    let Some(id) = id_in(name) else { return false };
    let family = |id: &ItemId| letters(id.family.split('-').next().unwrap_or_default()).to_owned();
    outline
        .units
        .iter()
        .filter(|unit| unit.kind != UnitKind::SectionStandIn)
        .filter_map(id_of)
        .any(|own| family(&own) == family(&id))
}

fn id_of(unit: &Unit) -> Option<ItemId> {
    id_in(&unit.id)
}

/// The id that a whole text is, in letters (`UC-01`) or words (`User Story 2`).
fn id_in(text: &str) -> Option<ItemId> {
    let upper = text.trim().to_uppercase();
    if let Some(found) = ids::any_id_at(&upper, 0) {
        return (found.end == upper.len()).then_some(found.id);
    }
    let head = super::unit_words::read(text.trim())?;
    head.item.filter(|_| head.rest.is_empty())
}

fn heading_of<'o>(outline: &'o Outline, unit: &Unit) -> Option<&'o str> {
    let section = &outline.sections[unit.section?];
    (section.place.lines.first == unit.place.lines.first || section.is_title).then_some(section.title.as_str())
}

fn fold_words(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn fold_path(text: &str) -> String {
    text.split('>').map(fold_words).collect::<Vec<_>>().join(" > ")
}

fn section_path(section: &Section) -> String {
    section.path.iter().map(|title| fold_words(title)).collect::<Vec<_>>().join(" > ")
}

/// What there is, nearest to a name first.
fn nearest(outline: &Outline, name: &str) -> Vec<String> {
    let mut known: Vec<String> = outline.units.iter().map(|unit| unit.id.clone()).collect();
    known.extend(outline.sections.iter().filter(|section| !section.is_title).map(Section::path_text));
    let mut seen = BTreeSet::new();
    known.retain(|each| seen.insert(each.clone()));
    let target: Vec<char> = fold_words(name).chars().take(80).collect();
    known.sort_by_cached_key(|each| {
        let last = each.rsplit(" > ").next().unwrap_or(each);
        distance(&target, &fold_words(last).chars().take(80).collect::<Vec<_>>())
    });
    known
}

/// Edit distance between two words.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let next = (corner + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[other.len()]
}
