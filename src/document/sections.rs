//! Headings to sections, and what each line's place says about it: its zone.

use super::blocks::Blocks;
use super::facts::Facts;
use super::ids;
use super::line_map::LineMap;
use super::text::{self, plain};
use super::words;
use crate::model::outline::{Line, LineKind, LineSpan, Place, Section, SectionKind, Span};
use std::collections::HashMap;

/// The place of whole lines, by index from 0, `last` inclusive.
pub(super) fn lines_place(lines: &[Line], first: usize, last: usize) -> Place {
    let start = lines.get(first).map_or(0, |line| line.span.start);
    let end = lines.get(last).map_or(start, |line| line.span.end);
    Place { span: Span::new(start, end.max(start)), lines: LineSpan::new(first as u32 + 1, last as u32 + 1) }
}

/// Sections of the document, in file order.
pub(super) fn build(blocks: &Blocks, facts: &Facts, lines: &[Line], map: &LineMap) -> Vec<Section> {
    let ones = blocks.headings.iter().filter(|heading| heading.level == 1).count();
    let mut sections: Vec<Section> = Vec::with_capacity(blocks.headings.len());
    let mut open: Vec<usize> = Vec::new();
    let mut in_glossary: Vec<bool> = Vec::new();
    for (heading, fact) in blocks.headings.iter().zip(&facts.headings) {
        let first = map.at(heading.span.start);
        while let Some(&index) = open.last()
            && sections[index].level >= heading.level
        {
            close(&mut sections[index], lines, first.checked_sub(1));
            open.pop();
        }
        let parent = open.iter().rev().copied().find(|&index| !sections[index].is_title);
        let is_title = heading.level == 1 && ones == 1;
        let mut path = parent.map_or_else(Vec::new, |index| sections[index].path.clone());
        if !is_title {
            path.push(heading.text.clone());
        }
        let own = map.place(heading.span);
        let place = lines_place(lines, first, lines.len().saturating_sub(1));
        open.push(sections.len());
        // A heading inside a glossary is a term, whatever word it is.
        let is_term = parent.is_some_and(|index| in_glossary[index]);
        let kind = if is_term { SectionKind::Other } else { fact.kind };
        in_glossary.push(kind == SectionKind::Glossary || is_term);
        sections.push(Section {
            title: heading.text.clone(),
            level: heading.level,
            parent,
            path,
            kind,
            heading: own,
            place,
            is_title,
        });
    }
    sections
}

fn close(section: &mut Section, lines: &[Line], last: Option<usize>) {
    let first = section.place.lines.first as usize - 1;
    section.place = lines_place(lines, first, last.unwrap_or(first).max(first));
}

/// Sets each line's innermost section; the title counts as none.
pub(super) fn assign(sections: &[Section], lines: &mut [Line]) {
    for (index, section) in sections.iter().enumerate() {
        let until = sections.get(index + 1).map_or(lines.len(), |next| next.place.lines.first as usize - 1);
        for line in &mut lines[section.place.lines.first as usize - 1..until] {
            line.section = (!section.is_title).then_some(index);
        }
    }
}

/// A label: `**Acceptance Criteria**:` or `Preconditions: none` at the start of a line or list item.
pub(super) struct Label {
    /// Known kind, if any.
    pub(super) kind: Option<SectionKind>,
    /// Offset in the text that was read at which the rest begins.
    pub(super) rest: usize,
}

/// Longest name before a plain label's colon, in bytes.
const LONGEST_NAME: usize = 96;

/// Most blanks in it: a label is no sentence.
const MOST_BLANKS: usize = 7;

/// Reads the label that opens a text; `None` where it opens with none.
pub(super) fn label(raw: &str) -> Option<Label> {
    let lead = raw.len() - raw.trim_start().len();
    let trimmed = raw[lead..].trim_end();
    for mark in ["**", "__"] {
        let Some(inner) = trimmed.strip_prefix(mark) else { continue };
        let close = inner.find(mark)?;
        let bold = &inner[..close];
        let after = &inner[close + 2..];
        let tail = after.trim_start();
        let colon_inside = bold.trim_end().ends_with([':', '：']);
        let colon_after = tail.starts_with([':', '：']);
        let alone = tail.is_empty() || (tail.starts_with(['(', '（', '*']) && tail.len() < 60);
        if !(colon_inside || colon_after || alone)
            || text::is_step_word(bold)
            || ids::any_id_at(words::strip_lead(bold), 0).is_some()
        {
            return None;
        }
        let mut rest = lead + 2 + close + 2 + (after.len() - tail.len());
        if colon_after {
            rest += tail.chars().next().map_or(0, char::len_utf8);
        }
        return Some(Label { kind: words::kind_of(&plain(bold)), rest });
    }
    let mut start = trimmed.len().min(LONGEST_NAME);
    while !trimmed.is_char_boundary(start) {
        start -= 1;
    }
    let colon = trimmed[..start].find([':', '：'])?;
    let name = &trimmed[..colon];
    if name.is_empty()
        || name.contains(['[', '"', '“', '。', '?', '？', ',', '，'])
        || name.bytes().filter(|b| *b == b' ').nth(MOST_BLANKS).is_some()
        || ids::any_id_at(name, 0).is_some()
    {
        return None;
    }
    let width = trimmed[colon..].chars().next().map_or(1, char::len_utf8);
    let kind = words::kind_of(&plain(name))?;
    Some(Label { kind: Some(kind), rest: lead + colon + width })
}

/// Kinds a label may open. Actors are declared by sections alone: `Actor: Customer` names one, it declares none.
fn label_opens(kind: SectionKind, has_text: bool) -> bool {
    use SectionKind::*;
    match kind {
        Actors | Toc | Changelog | Checklist => false,
        States | Glossary => !has_text,
        _ => true,
    }
}

/// The effective kind of each line: its section's own or inherited kind, or that of the label it stands under.
pub(super) fn zones(
    source: &str,
    blocks: &Blocks,
    facts: &Facts,
    sections: &[Section],
    (lines, map): (&[Line], &LineMap),
) -> Vec<SectionKind> {
    let mut inherited: Vec<SectionKind> = Vec::with_capacity(sections.len());
    for (section, fact) in sections.iter().zip(&facts.headings) {
        let known = section.kind != SectionKind::Other || (fact.stands_alone && fact.kind == SectionKind::Other);
        let from_parent = section.parent.map_or(SectionKind::Other, |parent| inherited[parent]);
        inherited.push(if known {
            section.kind
        } else if matches!(from_parent, SectionKind::Problem | SectionKind::Actors) {
            SectionKind::Other
        } else {
            from_parent
        });
    }
    let base = |line: usize| lines[line].section.map_or(SectionKind::Other, |section| inherited[section]);
    let mut zones: Vec<SectionKind> = (0..lines.len()).map(base).collect();

    // Labels in paragraphs reach to the next label, heading or rule.
    let mut opened: Vec<(usize, Option<SectionKind>, bool)> = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    for paragraph in blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        let (first, last) = (map.at(paragraph.span.start), map.at(paragraph.span.end));
        starts.push(first);
        for (line, record) in lines.iter().enumerate().take(last + 1).skip(first) {
            let raw = &source[record.span.start..record.span.end];
            if let Some(label) = label(raw) {
                let has_text = !raw[label.rest..].trim().is_empty();
                opened.push((line, label.kind.filter(|&kind| label_opens(kind, has_text)), has_text));
            }
        }
    }
    let (mut next, mut starts) = (opened.iter().peekable(), starts.iter().peekable());
    let mut current: Option<SectionKind> = None;
    let mut has_text = false;
    for line in 0..lines.len() {
        // A label with text behind it says it in that paragraph and the list below; one that stands alone opens a part.
        let new_paragraph = starts.next_if(|start| **start == line).is_some();
        if matches!(lines[line].kind, LineKind::Heading | LineKind::Rule) || (new_paragraph && has_text) {
            current = None;
        }
        if let Some(&(_, kind, text)) = next.next_if(|(at, ..)| *at == line) {
            (current, has_text) = (kind, text);
        }
        if let Some(kind) = current {
            zones[line] = kind;
        }
    }

    // Labels that are list items reach to the end of the item.
    for (item, label) in blocks.items.iter().zip(&facts.items) {
        let Some(kind) = label.kind else { continue };
        let first = map.at(item.span.start);
        if !matches!(zones[first], SectionKind::Other | SectionKind::MainFlow | SectionKind::ErrorFlow) {
            continue;
        }
        let last = map.at(item.span.end.saturating_sub(1));
        zones[first..=last.max(first)].fill(kind);
    }
    contents_without_heading(blocks, map, &mut zones);
    zones
}

/// Least entries of a list of links that is taken for a table of contents.
const LEAST_ENTRIES: usize = 3;

/// Lists whose every entry is a link to a place of this document are tables of contents, also without a heading.
fn contents_without_heading(blocks: &Blocks, map: &LineMap, zones: &mut [SectionKind]) {
    let is_entry = |head: Span| {
        let before = blocks.links.partition_point(|link| link.span.start <= head.start);
        before.checked_sub(1).is_some_and(|index| blocks.links[index].span == head && blocks.links[index].target.starts_with('#'))
    };
    let mut counts: HashMap<usize, (usize, usize)> = HashMap::new();
    for item in &blocks.items {
        let (all, entries) = counts.entry(item.list).or_default();
        *all += 1;
        *entries += usize::from(is_entry(item.head));
    }
    for item in &blocks.items {
        let (all, entries) = counts[&item.list];
        if all == entries && all >= LEAST_ENTRIES {
            let (first, last) = (map.at(item.span.start), map.at(item.span.end.saturating_sub(1)));
            zones[first..=last.max(first)].fill(SectionKind::Toc);
        }
    }
}
