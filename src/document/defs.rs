//! Where ids are defined. Heading defines, row, bullet or link refers, unless no heading has that id.

use super::blocks::{Blocks, Row, Table, trim};
use super::facts::{Facts, TableFact};
use super::ids::{self, Class, Found};
use super::line_map::LineMap;
use super::text::tag_end;
use super::unit_words::is_delimiter;
use crate::model::outline::{ItemId, Line, SectionKind, Span};
use std::collections::{HashMap, HashSet};

/// What carries a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    /// Section index.
    Heading(usize),
    /// List item index.
    Item(usize),
    /// A line of a paragraph.
    Paragraph,
    /// Table and row index.
    Row(usize, usize),
    /// A part of a cell of a form.
    Cell,
}

/// An id at the place that defines it.
#[derive(Clone, Debug)]
pub(super) struct Def {
    pub(super) id: ItemId,
    /// Where the id itself stands.
    pub(super) at: Span,
    /// The whole definition.
    pub(super) span: Span,
    /// The text after marker and id.
    pub(super) body: Span,
    pub(super) carrier: Carrier,
    /// Definitions of one list or table share a group; headings and paragraphs have 0.
    group: usize,
    /// Only a blank stands between id and text.
    weak: bool,
}

/// An id at the start of a text, marks and symbols before it skipped.
struct Start {
    found: Found,
    /// Where the text after the id begins.
    body: usize,
    /// A delimiter or closing mark follows.
    strong: bool,
    /// The text goes on after the id.
    more: bool,
    /// Nothing but a full stop sets the id apart.
    dotted: bool,
}

/// Reads the id that opens `text[span]`; offsets are absolute.
fn start_id(text: &str, span: Span) -> Option<Start> {
    let raw = &text[span.start..span.end];
    let mut at = 0;
    let mut marked = false;
    while let Some(c) = raw[at..].chars().next() {
        if c == '<' {
            at += tag_end(&raw[at..])?;
        } else if c.is_whitespace()
            || matches!(c, '*' | '_' | '~' | '`' | '[' | '(' | '【' | '（' | '「' | '/')
            || !(c.is_ascii() || c.is_alphanumeric())
        {
            marked |= matches!(c, '*' | '_' | '`' | '[' | '(' | '【' | '/');
            at += c.len_utf8();
        } else {
            break;
        }
    }
    let found = ids::any_id_at(raw, at)?;
    let after = &raw[found.end..];
    // A code span that opens with an id but goes on is code: `R00:00:00 CMD`.
    if raw[..at].ends_with('`') && !after.starts_with('`') {
        return None;
    }
    let mut rest = after.trim_start_matches(['*', '_', '~', '`', ']', ')', '】', '）', '」', '/']);
    let closed = marked && rest.len() < after.len();
    // `FR-001 (P1): …`: what stands in brackets belongs to the id.
    let blank = rest.trim_start();
    if let Some(inner) = blank.strip_prefix(['(', '（'])
        && let Some(close) = inner.find([')', '）'])
        && close <= 60
        && inner[close..].trim_start_matches([')', '）', '*', '_']).trim_start().starts_with([':', '：', '-', '–', '—', '.'])
    {
        rest = inner[close..].trim_start_matches([')', '）', '*', '_']);
    }
    let tail = rest.trim_start();
    let blanks = rest.len() - tail.len();
    let delimited = match tail.chars().next() {
        Some(':' | '：' | '—' | '–' | '|' | '、') => true,
        Some('.') => tail[1..].starts_with(|c: char| c.is_whitespace() || c == '*') || tail.len() == 1,
        Some('-') => blanks > 0 || tail[1..].starts_with(' '),
        Some(')') => true,
        _ => false,
    };
    let more = !tail.is_empty();
    if more && !delimited && !closed && blanks == 0 && !tail.starts_with(super::lang::is_han) {
        return None;
    }
    let body = if delimited { tail.trim_start_matches(is_delimiter) } else { tail };
    let body = span.start + raw.len() - body.len();
    let shift = |found: Found| Found { start: found.start + span.start, end: found.end + span.start, ..found };
    // `**FR-001 Title**: text`: inside bold marks a blank is enough.
    let strong = delimited || closed || !more || (marked && !tail.starts_with([',', '，', '/', '&']));
    let dotted = tail.starts_with('.') && !marked;
    Some(Start { found: shift(found), body, strong, more, dotted })
}

/// All definitions of a document in file order, and the ids of index rows and links that only refer.
pub(super) fn find(
    text: &str,
    blocks: &Blocks,
    facts: &Facts,
    (lines, map): (&[Line], &LineMap),
    zones: &[SectionKind],
) -> Vec<Def> {
    let mut defs = Vec::new();
    from_headings(text, blocks, facts, &mut defs);
    let by_heading: HashSet<String> = defs.iter().map(|def: &Def| def.id.norm.clone()).collect();
    let mut others = Vec::new();
    from_items(text, blocks, &mut others);
    from_paragraphs(text, blocks, (lines, map), &mut others);
    from_tables(text, blocks, facts, &mut others);
    from_forms(text, blocks, facts, &mut others);
    let zone = |def: &Def| zones[map.at(def.span.start)];
    others.retain(|def| {
        !by_heading.contains(&def.id.norm)
            && !matches!(zone(def), SectionKind::Toc | SectionKind::Changelog | SectionKind::Checklist)
    });
    let at_home: HashSet<String> = others.iter().filter(|def| !is_guest(def, zone(def))).map(|def| def.id.norm.clone()).collect();
    others.retain(|def| !is_guest(def, zone(def)) || !at_home.contains(&def.id.norm));
    drop_weak(&mut others);
    drop_indexes(text, blocks, &mut others);
    defs.append(&mut others);
    drop_lonely(&mut defs);
    defs.sort_by_key(|def| (def.at.start, def.at.end));
    defs
}

/// Whether an item speaks about an id rather than defining it, where another place defines it: a question about a rule, a
/// criterion of a requirement.
fn is_guest(def: &Def, zone: SectionKind) -> bool {
    use SectionKind::*;
    match ids::class(&def.id) {
        Class::Criterion => matches!(zone, OpenQuestions | Assumptions | SuccessMetrics),
        Class::Metric => matches!(zone, OpenQuestions | Assumptions),
        Class::Never | Class::Generic => false,
        _ => matches!(zone, OpenQuestions | Assumptions | SuccessMetrics | Acceptance | Glossary),
    }
}

fn from_headings(text: &str, blocks: &Blocks, facts: &Facts, defs: &mut Vec<Def>) {
    // Level and norm of the defining headings around.
    let mut around: Vec<(u8, String)> = Vec::new();
    for (index, (heading, fact)) in blocks.headings.iter().zip(&facts.headings).enumerate() {
        around.retain(|(level, _)| *level < heading.level);
        let first_line = text[heading.content.start..heading.content.end].lines().next().unwrap_or("").len();
        let content = Span::new(heading.content.start, heading.content.start + first_line);
        let (id, last) = match &fact.unit {
            Some(head) => match &head.item {
                Some(id) => (id.clone(), head.last.clone()),
                None => continue,
            },
            None => match ids::any_id_at(super::words::strip_lead(&heading.text), 0) {
                Some(found) => (found.id, None),
                None => continue,
            },
        };
        // `UC-01 Main flow` below `UC-01` is a part of it.
        if around.iter().any(|(_, norm)| *norm == id.norm) {
            continue;
        }
        around.push((heading.level, id.norm.clone()));
        let raw = &text[content.start..content.end];
        let at = raw.find(id.text.as_str()).map_or(content, |at| {
            let end = match &last {
                Some(last) => raw[at..].find(last.text.as_str()).map_or(at + id.text.len(), |more| at + more + last.text.len()),
                None => at + id.text.len(),
            };
            Span::new(content.start + at, content.start + end)
        });
        let body = Span::new(
            at.end + text[at.end..content.end].len() - text[at.end..content.end].trim_start_matches(is_delimiter).len(),
            content.end,
        );
        let own = |id: ItemId| Def { id, at, span: heading.span, body, carrier: Carrier::Heading(index), group: 0, weak: false };
        defs.push(own(id.clone()));
        // A heading that stands for a range defines every id of it.
        if let Some(last) = last {
            defs.extend(super::references::between(&id, &last).into_iter().map(own));
            defs.push(own(last));
        }
    }
}

/// Whether a stretch begins inside a link.
fn is_linked(blocks: &Blocks, at: usize) -> bool {
    let before = blocks.links.partition_point(|link| link.span.start <= at);
    before > 0 && blocks.links[before - 1].span.end > at
}

fn from_items(text: &str, blocks: &Blocks, defs: &mut Vec<Def>) {
    for (index, item) in blocks.items.iter().enumerate() {
        let Some(start) = start_id(text, item.head) else { continue };
        if is_linked(blocks, start.found.start) || super::references::range_after(text, &start.found).is_some() {
            continue;
        }
        defs.push(Def {
            at: Span::new(start.found.start, start.found.end),
            id: start.found.id,
            span: item.span,
            body: Span::new(start.body.min(item.span.end), item.span.end),
            carrier: Carrier::Item(index),
            group: item.list,
            weak: !start.strong,
        });
    }
}

fn from_paragraphs(text: &str, blocks: &Blocks, (lines, map): (&[Line], &LineMap), defs: &mut Vec<Def>) {
    for paragraph in &blocks.paragraphs {
        if paragraph.in_item {
            continue;
        }
        let (first, last) = (map.at(paragraph.span.start), map.at(paragraph.span.end));
        let mut here: Vec<Def> = Vec::new();
        for (number, line) in lines.iter().enumerate().take(last + 1).skip(first) {
            let span = trim(text, Span::new(line.span.start.max(paragraph.span.start), line.span.end.min(paragraph.span.end)));
            if span.start >= span.end {
                continue;
            }
            let Some(start) = start_id(text, span) else {
                here.extend(worded_line(text, span));
                continue;
            };
            let opens_marked = text[span.start..].starts_with(['*', '_', '/', '[', '【']);
            // In the middle of a paragraph only a marked id opens a new one: prose may wrap before `BR-02.`
            let fits = start.strong && start.more && !start.dotted && (number == first || opens_marked);
            if !fits || is_linked(blocks, start.found.start) || super::references::range_after(text, &start.found).is_some() {
                continue;
            }
            if let Some(before) = here.last_mut() {
                before.span = trim(text, Span::new(before.span.start, span.start));
                before.body.end = before.span.end.max(before.body.start);
            }
            here.push(Def {
                at: Span::new(start.found.start, start.found.end),
                id: start.found.id,
                span: Span::new(span.start, paragraph.span.end),
                body: Span::new(start.body.min(paragraph.span.end), paragraph.span.end),
                carrier: Carrier::Paragraph,
                group: 0,
                weak: false,
            });
        }
        defs.append(&mut here);
    }
}

/// A bold line that opens a unit in words: `**Use case 2: Lend**`.
fn worded_line(text: &str, span: Span) -> Option<Def> {
    let inner = text[span.start..span.end].strip_prefix("**")?.strip_suffix("**")?;
    let head = super::unit_words::read(inner)?;
    let id = head.item?;
    let found = text[span.start..span.end].find(id.text.as_str())?;
    let at = Span::new(span.start + found, span.start + found + id.text.len());
    let end = span.end - 2;
    let body = Span::new(end - text[at.end..end].trim_start_matches(is_delimiter).len(), end);
    Some(Def { id, at, span, body, carrier: Carrier::Paragraph, group: 0, weak: false })
}

/// Heads of columns that hold ids.
const ID_HEADS: &[&str] = &["id", "mã", "编号", "編號", "no", "#", "key", "ref", "code", "ký hiệu", "标识"];

/// The column that holds a table's ids: the first where it opens with ids, else one whose head says so.
fn id_column(text: &str, table: &Table, fact: &TableFact) -> Option<usize> {
    let cells =
        |column: usize| table.rows.iter().filter_map(move |row| row.cells.get(column)).copied().filter(|cell| !cell.is_empty());
    (0..fact.heads.len().min(4)).find(|&column| {
        if column == 0 {
            return cells(0).any(|cell| start_id(text, cell).is_some());
        }
        let name = fact.heads[column].as_str();
        if !(ID_HEADS.contains(&name) || name.ends_with(" id") || name.starts_with("mã ") || name.ends_with("编号")) {
            return false;
        }
        let (mut all, mut alone) = (0, 0);
        for cell in cells(column) {
            all += 1;
            alone += usize::from(start_id(text, cell).is_some_and(|start| !start.more));
        }
        alone > 0 && alone * 2 >= all
    })
}

/// Ids that the cells of a form define: its use case, and the items between line breaks.
fn from_forms(text: &str, blocks: &Blocks, facts: &Facts, defs: &mut Vec<Def>) {
    for (table, fact) in blocks.tables.iter().zip(&facts.tables) {
        if let Some(id) = fact.use_case.as_ref().and_then(|head| head.item.clone())
            && let Some(found) = text[table.span.start..table.span.end].find(id.text.as_str())
        {
            let at = Span::new(table.span.start + found, table.span.start + found + id.text.len());
            defs.push(Def { id, at, span: at, body: Span::new(at.end, at.end), carrier: Carrier::Cell, group: 0, weak: false });
        }
        for (_, cell, _) in fact.cells_of_items(table) {
            for span in super::items::break_parts(text, cell) {
                let Some(start) = start_id(text, span).filter(|start| start.strong && start.more && !start.dotted) else {
                    continue;
                };
                if super::references::range_after(text, &start.found).is_none() {
                    let at = Span::new(start.found.start, start.found.end);
                    let body = Span::new(start.body.min(span.end), span.end);
                    defs.push(Def { id: start.found.id, at, span, body, carrier: Carrier::Cell, group: 0, weak: false });
                }
            }
        }
    }
}

fn from_tables(text: &str, blocks: &Blocks, facts: &Facts, defs: &mut Vec<Def>) {
    for (table_index, (table, fact)) in blocks.tables.iter().zip(&facts.tables).enumerate() {
        if fact.use_case.is_some() || fact.form().is_some() {
            continue;
        }
        let Some(column) = id_column(text, table, fact) else { continue };
        for (row_index, row) in table.rows.iter().enumerate() {
            let Some(&cell) = row.cells.get(column) else { continue };
            let Some(start) = start_id(text, cell) else { continue };
            if is_linked(blocks, start.found.start) || super::references::range_after(text, &start.found).is_some() {
                continue;
            }
            let tail = text[start.found.end..cell.end].trim_start();
            if tail.starts_with([',', '，', '/', '&', ';', '、']) || tail.to_lowercase().starts_with("and ") {
                continue;
            }
            defs.push(Def {
                at: Span::new(start.found.start, start.found.end),
                id: start.found.id,
                span: row.span,
                body: row_body(text, row, column, start.body),
                carrier: Carrier::Row(table_index, row_index),
                // Lists count from 1: tables go on below zero.
                group: usize::MAX - table_index,
                weak: false,
            });
        }
    }
}

/// The text of a row behind its id: the rest of the id's cell, else the cells after it.
fn row_body(text: &str, row: &Row, column: usize, rest: usize) -> Span {
    let end = row.cells.last().map_or(row.span.end, |cell| cell.end);
    let own = trim(text, Span::new(rest.min(row.cells[column].end), row.cells[column].end));
    let next = row.cells.iter().skip(column + 1).find(|cell| !cell.is_empty()).map_or(end, |cell| cell.start);
    let start = if own.is_empty() { next } else { own.start };
    Span::new(start.min(end), end)
}

/// An id that only a blank separates from its text defines it where its whole list is written so.
fn drop_weak(defs: &mut Vec<Def>) {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    for def in defs.iter() {
        *sizes.entry(def.group).or_default() += 1;
    }
    let single: HashSet<usize> = sizes.into_iter().filter(|(_, count)| *count < 2).map(|(group, _)| group).collect();
    defs.retain(|def| !def.weak || (def.group != 0 && !single.contains(&def.group)));
}

/// A list or table whose ids are nearly all defined elsewhere at greater length, or whose rows map ids to ids, is an index:
/// it refers.
fn drop_indexes(text: &str, blocks: &Blocks, defs: &mut Vec<Def>) {
    let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut lengths: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (index, def) in defs.iter().enumerate() {
        groups.entry(def.group).or_default().push(index);
        lengths.entry(&def.id.norm).or_default().push((def.group, def.body.len()));
    }
    let mut drop: HashSet<usize> = HashSet::new();
    for (&group, members) in groups.iter().filter(|(group, members)| **group != 0 && members.len() >= 2) {
        let restarts = members.iter().all(|&index| matches!(ids::class(&defs[index].id), Class::Criterion | Class::Never));
        if restarts {
            continue;
        }
        let (mut elsewhere, mut own_length, mut other_length) = (0, 0, 0);
        for &index in members {
            if let Some(&(_, length)) = lengths[defs[index].id.norm.as_str()].iter().find(|(other, _)| *other != group) {
                elsewhere += 1;
                other_length += length;
                own_length += defs[index].body.len();
            }
        }
        let maps_ids = match defs[members[0]].carrier {
            Carrier::Row(table, _) => {
                let table = &blocks.tables[table];
                let mapped =
                    table.rows.iter().filter(|row| row.cells.iter().skip(1).any(|cell| only_ids(&text[cell.start..cell.end])));
                mapped.count() * 2 >= table.rows.len()
            }
            _ => false,
        };
        if elsewhere * 5 >= members.len() * 4 && elsewhere >= 2 && (maps_ids || own_length * 2 < other_length) {
            drop.extend(members);
        }
    }
    let mut index = 0;
    defs.retain(|_| {
        index += 1;
        !drop.contains(&(index - 1))
    });
}

/// Whether a cell holds ids and nothing else that matters.
fn only_ids(cell: &str) -> bool {
    let found = ids::find_ids(cell);
    let covered: usize = found.iter().map(|id| id.end - id.start).sum();
    !found.is_empty() && cell.chars().filter(|c| c.is_alphanumeric()).count() <= covered
}

/// Unknown letters name ids only where two of them are defined, or one with zeros before its number.
fn drop_lonely(defs: &mut Vec<Def>) {
    let mut seen: HashMap<String, HashSet<String>> = HashMap::new();
    for def in defs.iter() {
        seen.entry(def.id.family.clone()).or_default().insert(def.id.norm.clone());
    }
    defs.retain(|def| ids::class(&def.id) != Class::Generic || seen[&def.id.family].len() >= 2 || padded(&def.id.text));
}

fn padded(id: &str) -> bool {
    let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &id[letters.len()..];
    digits.len() >= 2 && digits.starts_with('0') && letters.ends_with(|c: char| !c.is_alphanumeric())
}
