//! A small document with its outline, a recipe and findings for the tests of this room.

use super::cites::whole_id;
use super::enter::enter;
use super::ground::Grounds;
use crate::model::finding::{Finding, RawFinding, Status};
use crate::model::outline::{
    Item, ItemId, ItemKind, Line, LineKind, LineSpan, Outline, Place, Section, SectionKind, Span, Unit, UnitKind,
};
use crate::model::recipe::{Dimension, Recipe};

/// The document: line numbers in tests refer to it.
pub const TEXT: &str = "\
# Refund PRD

Customers ask for refunds.

## Glossary

- **refund request**: a request to pay back.

## Business rules

- BR-01: A refund request must be sent within 14 days.
- BR-02: Refunds above **500 USD** need `staff` approval<br>before payment.

## Changelog

## UC-01: Refund

### Acceptance criteria

- AC-01: The form should be fast.
### Error flow

- E1: If the order is unknown, an error is shown.

## UC-02: Approve

### Acceptance criteria

- AC-02: The form should be fast.
- AC-03: Staff approve by BR-02 within 30 days.
";

/// The document with its outline.
pub fn document() -> (&'static str, Outline) {
    (TEXT, outline(TEXT))
}

/// Headings, `UC-` units and `- ID:` items of a plain text; enough for the rules of this room.
pub fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut start = 0;
    let mut open: Vec<usize> = Vec::new();
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let number = index as u32 + 1;
        let body = raw.trim_end_matches('\n');
        let place = Place { span: Span::new(start, start + body.len()), lines: LineSpan::new(number, number) };
        let level = body.bytes().take_while(|&byte| byte == b'#').count();
        let kind = match body {
            "" => LineKind::Blank,
            _ if level > 0 => LineKind::Heading,
            _ if body.starts_with("- ") => LineKind::ListItem,
            _ => LineKind::Paragraph,
        };
        if level > 0 {
            while open.last().is_some_and(|&section| outline.sections[section].level as usize >= level) {
                open.pop();
            }
            let title = body[level..].trim().to_owned();
            let mut path: Vec<String> = open
                .iter()
                .map(|&section| &outline.sections[section])
                .filter(|section| !section.is_title)
                .map(|section| section.title.clone())
                .collect();
            let is_title = level == 1;
            if !is_title {
                path.push(title.clone());
            }
            let parent = open.last().copied();
            open.push(outline.sections.len());
            outline.sections.push(Section {
                title,
                level: level as u8,
                parent,
                path,
                kind: SectionKind::Other,
                heading: place,
                place,
                is_title,
            });
        }
        let section = open.last().copied();
        if let Some((id, _)) = body.strip_prefix("- ").and_then(|item| item.split_once(": "))
            && let Some(norm) = whole_id(id)
        {
            outline.items.push(Item {
                id: Some(ItemId { text: id.to_owned(), family: norm.clone(), norm }),
                kind: ItemKind::Other,
                place,
                body: Span::new(start + id.len() + 4, start + body.len()),
                section,
                unit: None,
                ordinal: None,
            });
        }
        outline.lines.push(Line { span: place.span, kind, section, ..Line::default() });
        start += raw.len();
    }
    let last = outline.lines.len() as u32;
    for index in 0..outline.sections.len() {
        let level = outline.sections[index].level;
        let next = outline.sections[index + 1..].iter().find(|later| later.level <= level);
        let end = next.map_or(last, |next| next.heading.lines.first - 1);
        outline.sections[index].place.lines.last = end;
        let section = &outline.sections[index];
        if section.title.starts_with("UC-") && level == 2 {
            let (id, title) = section.title.split_once(": ").unwrap_or((&section.title, ""));
            let unit = outline.units.len();
            for line in section.place.lines.first..=end {
                outline.lines[line as usize - 1].unit = Some(unit);
            }
            outline.units.push(Unit {
                id: id.to_owned(),
                title: title.to_owned(),
                kind: UnitKind::UseCase,
                place: section.place,
                section: Some(index),
                parent: None,
            });
        }
    }
    outline
}

/// Lenses DEV, SA, PO, QA; conflicts need discussion.
pub fn recipe() -> Recipe {
    let dimension =
        |id: &str| Dimension { id: id.to_owned(), name: id.to_owned(), description: String::new(), before: false, default: true };
    Recipe {
        schema: "tamis.recipe/1".to_owned(),
        name: "refine-prd".to_owned(),
        purpose: String::new(),
        language: "document".to_owned(),
        granularity: Default::default(),
        dimension_field: "lens".to_owned(),
        conflict_status: Status::NeedsDiscussion,
        minor_recommendation: "APPROVED_WITH_MINOR_CHANGES".to_owned(),
        root: Vec::new(),
        finding_fields: Vec::new(),
        dimensions: ["DEV", "SA", "PO", "QA"].map(dimension).into(),
        criteria: Vec::new(),
    }
}

/// A raw finding with a quote, words and a suggestion.
pub fn raw(severity: &str, quote: &str, finding: &str, suggestion: &str) -> RawFinding {
    RawFinding {
        severity: severity.to_owned(),
        quote: quote.to_owned(),
        finding: finding.to_owned(),
        suggestion: suggestion.to_owned(),
        ..RawFinding::default()
    }
}

/// The finding of one dimension on the sample document.
pub fn found(dimension: &str, raw: &RawFinding) -> Finding {
    let (text, outline) = document();
    enter(raw, dimension, dimension, &Grounds::new(text, &outline), &recipe())
}

/// A finding on the sample document by its parts.
pub fn finding(dimension: &str, severity: &str, quote: &str, words: &str, suggestion: &str) -> Finding {
    found(dimension, &raw(severity, quote, words, suggestion))
}
