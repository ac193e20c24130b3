//! Where else a document leans on what some of its lines define or name: what a change of these lines may break.

use super::Document;
use crate::model::outline::{Item, ItemId, ItemKind, LineSpan, SectionKind};
use std::collections::BTreeSet;

/// An id that the lines define or name, with the other places of the document that lean on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaning {
    /// The id as the lines write it.
    pub id: String,
    /// Whether the lines define it; else they name it only, and its definition may be among the places.
    pub defined: bool,
    /// The other places in file order, one a line.
    pub places: Vec<CitedAt>,
}

/// A place that cites or defines an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedAt {
    /// Id of the item or unit that the line belongs to; `""` where it belongs to none.
    pub name: String,
    /// Line, from 1.
    pub line: u32,
}

/// The ids that these lines define or name, those they define first, each with the places outside the lines that lean
/// on it, at most `most` ids; ids without such a place are left out. Change histories and tables of contents lean on nothing.
pub fn leaning_on(doc: &Document, lines: &[LineSpan], most: usize) -> Vec<Leaning> {
    let outline = doc.outline();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let defined = defined_in(doc, lines).into_iter().map(|id| (id, true));
    let named =
        outline.references.iter().filter(|reference| holds(lines, reference.line)).map(|reference| (&reference.id, false));
    for (id, defined) in defined.chain(named) {
        if found.len() == most {
            break;
        }
        if !seen.insert(id.norm.as_str()) {
            continue;
        }
        let places = places_of(doc, id, lines);
        if !places.is_empty() {
            found.push(Leaning { id: id.text.clone(), defined, places });
        }
    }
    found
}

fn holds(lines: &[LineSpan], line: u32) -> bool {
    lines.iter().any(|span| span.has(line))
}

/// Ids that items within the lines define; a short item that goes on over further lines counts with each of them.
fn defined_in<'a>(doc: &'a Document, lines: &[LineSpan]) -> Vec<&'a ItemId> {
    let touches = |item: &&Item| {
        let own = item.place.lines;
        let overlaps = |span: &LineSpan| own.first <= span.last && own.last >= span.first;
        holds(lines, own.first) || own.len() <= MOST_LINES && lines.iter().any(overlaps)
    };
    doc.outline().items.iter().filter(touches).filter_map(|item| item.id.as_ref()).collect()
}

/// Lines that an item may have and still be changed as a whole by a change of one of them.
const MOST_LINES: u32 = 6;

/// Lines, from 1, at which rules, criteria and the like that have these ids (in their shared form) are defined, in file
/// order. Units are left out: whoever names one means something in it.
pub fn defined_at(doc: &Document, ids: &BTreeSet<String>) -> Vec<u32> {
    let is_one = |item: &&Item| item.kind != ItemKind::Unit && item.id.as_ref().is_some_and(|id| ids.contains(&id.norm));
    doc.outline().items.iter().filter(is_one).map(|item| item.place.lines.first).collect()
}

fn places_of(doc: &Document, id: &ItemId, lines: &[LineSpan]) -> Vec<CitedAt> {
    let outline = doc.outline();
    let cites = outline.references.iter().filter(|reference| reference.id.norm == id.norm && !reference.loose);
    let defines = outline.items.iter().filter(|item| item.id.as_ref().is_some_and(|own| own.norm == id.norm));
    let all = cites.map(|reference| reference.line).chain(defines.map(|item| item.place.lines.first));
    let counts = |line: &u32| !holds(lines, *line) && !matches!(doc.zone(*line), SectionKind::Changelog | SectionKind::Toc);
    let numbers: BTreeSet<u32> = all.filter(counts).collect();
    numbers.into_iter().map(|line| CitedAt { name: name_at(doc, line), line }).collect()
}

/// What a line belongs to: the shortest item with an id, else the unit.
fn name_at(doc: &Document, line: u32) -> String {
    let outline = doc.outline();
    let items = outline.items.iter().filter(|item| item.place.lines.has(line));
    let named = items.filter_map(|item| item.id.as_ref().map(|id| (item.place.lines.len(), &id.text)));
    match named.min_by_key(|(length, _)| *length) {
        Some((_, id)) => id.clone(),
        None => outline.unit_at(line).map(|unit| unit.uc_id().to_owned()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Shop\n\n## Business rules\n- BR-04: Within 14 days.\n- BR-05: As BR-04, but for money.\n\n\
        ## Use cases\n### UC-01: Pay\nSee BR-04.\n\n#### Acceptance criteria\n- AC-01: When late (BR-04), it is refused.\n\
        - AC-02: When early, it is taken.\n\n## Change history\n| Version | Change |\n|---|---|\n| 2 | BR-04 shortened |\n";

    fn leaning(first: u32, last: u32) -> Vec<Leaning> {
        let doc = Document::parse(TEXT.to_owned());
        leaning_on(&doc, &[LineSpan::new(first, last)], 9)
    }

    fn only(id: &str, defined: bool, places: Vec<CitedAt>) -> [Leaning; 1] {
        [Leaning { id: id.to_owned(), defined, places }]
    }

    fn at(name: &str, line: u32) -> CitedAt {
        CitedAt { name: name.to_owned(), line }
    }

    #[test]
    fn a_rule_is_followed_to_all_who_cite_it_but_not_into_the_history() {
        let places = vec![at("BR-05", 5), at("UC-01", 9), at("AC-01", 12)];
        assert_eq!(leaning(4, 4), only("BR-04", true, places));
    }

    #[test]
    fn an_id_that_is_only_named_leads_to_its_definition_too() {
        let places = vec![at("BR-04", 4), at("BR-05", 5), at("UC-01", 9)];
        assert_eq!(leaning(12, 12), only("BR-04", false, places));
    }

    #[test]
    fn what_the_lines_hold_themselves_is_no_other_place() {
        let places = vec![at("UC-01", 9), at("AC-01", 12)];
        assert_eq!(leaning(4, 5), only("BR-04", true, places));
    }

    #[test]
    fn ids_are_found_where_they_are_defined() {
        let doc = Document::parse(TEXT.to_owned());
        let ids = ["BR-4", "BR-5", "UC-1", "BR-99"].map(str::to_owned).into();
        assert_eq!(defined_at(&doc, &ids), [4, 5]);
        let both = leaning_on(&doc, &[LineSpan::new(4, 4), LineSpan::new(12, 12)], 9);
        let lines: Vec<u32> = both.iter().flat_map(|one| &one.places).map(|place| place.line).collect();
        assert_eq!(lines, [5, 9]);
        assert!(leaning_on(&doc, &[LineSpan::new(1, 20)], 0).is_empty());
    }

    #[test]
    fn lines_that_nothing_leans_on_say_nothing() {
        assert!(leaning(13, 13).is_empty());
        assert!(leaning(0, 0).is_empty());
        assert!(leaning(900, 901).is_empty());
    }
}
