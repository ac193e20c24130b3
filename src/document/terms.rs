//! Glossary entries, scope lines and actors.

use super::blocks::trim;
use super::ids;
use super::scene::Scene;
use super::sections::label;
use super::text::plain;
use super::words;
use crate::model::outline::{Actor, LineKind, ScopeLine, SectionKind, Span, Term};
use regex::Regex;
use std::sync::LazyLock;

/// Heads of a column of actors, whatever the section.
const ROLE_HEADS: &[&str] = &["actor", "actors", "role", "user role", "tác nhân", "vai trò", "角色", "参与者", "执行者"];

#[rustfmt::skip]
const TERM_HEADS: &[&str] = &[
    "term", "terms", "thuật ngữ", "từ", "khái niệm", "术语", "词汇", "名词", "begriff", "用語", "용어", "термин", "pojęcie",
    "término", "abbreviation", "acronym", "từ viết tắt", "缩写",
];
#[rustfmt::skip]
const DEFINITION_HEADS: &[&str] = &[
    "definition", "meaning", "description", "explanation", "định nghĩa", "giải thích", "ý nghĩa", "mô tả", "diễn giải",
    "定义", "释义", "说明", "含义", "解释", "erklärung", "definición", "定義", "説明", "정의", "설명", "определение", "definicja",
];
#[rustfmt::skip]
const AVOID_HEADS: &[&str] = &[
    "avoid", "do not use", "don't use", "banned", "not", "synonyms to avoid", "instead of", "tránh dùng", "tránh",
    "không dùng", "từ cấm", "避免使用", "避免", "不要使用", "禁用", "禁用词", "禁止使用",
];
#[rustfmt::skip]
const ACTOR_HEADS: &[&str] = &[
    "actor", "actors", "role", "roles", "user", "user type", "persona", "name", "stakeholder", "vai trò", "tác nhân",
    "người dùng", "tên", "角色", "参与者", "执行者", "用户", "名称", "akteur", "rolle", "actor/role", "アクター", "역할",
];

/// The words of a column's cell; `""` where there is none.
fn cell(scene: &Scene<'_>, cells: &[Span], column: Option<usize>) -> String {
    column.and_then(|column| cells.get(column)).map(|cell| plain(scene.slice(*cell))).unwrap_or_default()
}

/// Name and rest of a list item: `**Term**: meaning`, `Term — meaning`.
fn named(scene: &Scene<'_>, head: Span) -> Option<(String, String)> {
    let (name, rest) = split_name(scene.slice(head))?;
    let name = plain(name);
    (!name.is_empty() && name.chars().count() <= 80).then(|| (name, plain(rest)))
}

/// Splits `**Term**: meaning`, `Term: meaning`, `Term — meaning`, `Term - meaning`.
fn split_name(raw: &str) -> Option<(&str, &str)> {
    let raw = raw.trim();
    for mark in ["**", "__", "`"] {
        if let Some(inner) = raw.strip_prefix(mark)
            && let Some(close) = inner.find(mark)
        {
            let rest = inner[close + mark.len()..]
                .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '-' | '–' | '—'));
            return Some((inner[..close].trim_end_matches([':', '：']), rest));
        }
    }
    let colon = raw.find([':', '：']).map(|at| (at, raw[at..].chars().next().map_or(1, char::len_utf8)));
    let dash = [" — ", " – ", " - ", "——"].iter().filter_map(|sign| raw.find(sign).map(|at| (at, sign.len()))).min();
    let (at, width) = match (colon, dash) {
        (Some(colon), Some(dash)) => colon.min(dash),
        (colon, dash) => colon.or(dash)?,
    };
    Some((&raw[..at], raw[at + width..].trim()))
}

/// `(avoid: booking, claim)` inside a definition.
static AVOID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:\b(?:avoid|do not use|don't use)|tránh dùng|không dùng|避免使用|避免|不要使用|禁用)\s*[:：]\s*([^)）.。;；]+)",
    )
    .expect("a pattern")
});

fn split_words(text: &str) -> Vec<String> {
    text.split([',', ';', '、', '，', '；', '/'])
        .map(|word| word.trim().trim_matches(['"', '“', '”', '\'', '「', '」']).trim().to_owned())
        .filter(|word| !word.is_empty() && !matches!(word.as_str(), "-" | "–" | "—" | "none" | "n/a" | "không" | "无"))
        .collect()
}

/// Glossary entries in file order.
pub(super) fn glossary(scene: &Scene<'_>) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables) {
        let in_glossary = scene.zone_at(table.span.start) == SectionKind::Glossary;
        let (term, definition) = (fact.column(TERM_HEADS), fact.column(DEFINITION_HEADS));
        let avoid = fact.column(AVOID_HEADS);
        let is_glossary = in_glossary || (term.is_some() && (definition.is_some() || avoid.is_some()));
        if !is_glossary {
            continue;
        }
        let term = term.or(Some(0));
        let definition = definition.or_else(|| (0..fact.heads.len()).find(|&at| Some(at) != term && Some(at) != avoid));
        for row in &table.rows {
            let name = cell(scene, &row.cells, term);
            if !name.is_empty() {
                let meaning = cell(scene, &row.cells, definition);
                let avoided = avoid.map_or_else(|| avoided_in(&meaning), |_| split_words(&cell(scene, &row.cells, avoid)));
                terms.push(Term { term: name, definition: meaning, avoid: avoided, place: scene.place(row.span) });
            }
        }
    }
    for item in scene.blocks.items.iter().filter(|item| item.parent.is_none()) {
        if scene.zone_at(item.span.start) != SectionKind::Glossary {
            continue;
        }
        if let Some((name, meaning)) = named(scene, item.head) {
            let whole = plain(scene.slice(item.span));
            terms.push(Term { term: name, definition: meaning, avoid: avoided_in(&whole), place: scene.place(item.span) });
        }
    }
    for paragraph in scene.blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        let raw = scene.slice(paragraph.span);
        if scene.zone_at(paragraph.span.start) == SectionKind::Glossary
            && raw.starts_with("**")
            && let Some((name, meaning)) = named(scene, paragraph.span)
            && !meaning.is_empty()
        {
            let avoid = avoided_in(&meaning);
            terms.push(Term { term: name, definition: meaning, avoid, place: scene.place(paragraph.span) });
        }
    }
    terms.extend(headed_terms(scene));
    terms.sort_by_key(|term| term.place.span.start);
    terms
}

fn avoided_in(definition: &str) -> Vec<String> {
    if !definition.contains([':', '：']) {
        return Vec::new();
    }
    AVOID.captures(definition).map(|found| split_words(&found[1])).unwrap_or_default()
}

/// Headings right under a glossary heading whose text is a paragraph: one term each.
fn headed_terms(scene: &Scene<'_>) -> Vec<Term> {
    let mut terms = Vec::new();
    for section in scene.sections {
        let Some(parent) = section.parent else { continue };
        if scene.sections[parent].kind != SectionKind::Glossary || section.kind != SectionKind::Other {
            continue;
        }
        let body = Span::new(section.heading.span.end, section.place.span.end);
        let first = scene.blocks.paragraphs.partition_point(|paragraph| paragraph.span.start < body.start);
        if let Some(paragraph) = scene.blocks.paragraphs.get(first).filter(|paragraph| body.contains(paragraph.span)) {
            let definition = plain(scene.slice(paragraph.span));
            // `A-F` groups terms, `Project` followed by a sentence is one.
            let grouped =
                scene.blocks.items.iter().any(|item| body.contains(item.span) && item.span.start <= paragraph.span.start);
            if !grouped && definition.chars().count() > 1 {
                let avoid = avoided_in(&definition);
                terms.push(Term { term: section.title.clone(), definition, avoid, place: section.place });
            }
        }
    }
    terms
}

/// List items, rows and paragraph lines of scope sections.
pub(super) fn scope_lines(scene: &Scene<'_>) -> Vec<ScopeLine> {
    let is_scope = |zone| matches!(zone, SectionKind::InScope | SectionKind::OutOfScope | SectionKind::Scope);
    let mut found = Vec::new();
    let mut listed: Vec<bool> = Vec::with_capacity(scene.blocks.items.len());
    for (item, label) in scene.blocks.items.iter().zip(&scene.facts.items) {
        let inside = item.parent.is_some_and(|parent| listed[parent]);
        let zone = scene.zone_at(item.span.start);
        let lists = is_scope(zone) && !inside && !label.alone && !item.head.is_empty();
        listed.push(inside || lists);
        if lists {
            found.push(ScopeLine { kind: zone, place: scene.place(item.span) });
        }
    }
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables) {
        let zone = scene.zone_at(table.span.start);
        let side =
            |head: &String| words::kind_of(head).filter(|kind| matches!(kind, SectionKind::InScope | SectionKind::OutOfScope));
        let speaks =
            is_scope(zone) || fact.heads.iter().any(|head| ["scope", "phạm vi", "范围"].iter().any(|word| head.contains(word)));
        if !speaks {
            continue;
        }
        let kinds: Vec<Option<SectionKind>> = fact.heads.iter().map(side).collect();
        for row in &table.rows {
            // `| In scope | Out of scope |`: each cell is a line of its own.
            if kinds.iter().flatten().count() >= 2 {
                for (cell, kind) in row.cells.iter().zip(&kinds) {
                    if let (Some(kind), false) = (kind, cell.is_empty()) {
                        found.push(ScopeLine { kind: *kind, place: scene.place(*cell) });
                    }
                }
            } else if is_scope(zone) {
                found.push(ScopeLine { kind: zone, place: scene.place(row.span) });
            }
        }
    }
    for paragraph in scene.blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        let (first, last) = (scene.line_at(paragraph.span.start), scene.line_at(paragraph.span.end));
        if !is_scope(scene.zones[first]) {
            continue;
        }
        let raw = scene.slice(paragraph.span);
        let begin = label(raw).map_or(0, |label| label.rest);
        let span = trim(scene.text, Span::new(paragraph.span.start + begin, paragraph.span.end));
        // `The following is out:` only leads in the list.
        let leads_in = scene.slice(span).ends_with([':', '：']);
        if !span.is_empty() && !leads_in && scene.lines[first..=last].iter().any(|line| line.kind == LineKind::Paragraph) {
            found.push(ScopeLine { kind: scene.zones[first], place: scene.place(span) });
        }
    }
    found.sort_by_key(|line| line.place.span.start);
    found
}

/// Actors of actors sections, from tables and lists.
pub(super) fn actors(scene: &Scene<'_>) -> Vec<Actor> {
    let mut actors = Vec::new();
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables) {
        // Elsewhere a table declares actors where it describes each: a matrix of permissions does not.
        let describes = || {
            fact.heads.first().is_some_and(|head| ROLE_HEADS.contains(&head.as_str())) && fact.column(DEFINITION_HEADS).is_some()
        };
        let in_unit = scene.lines[scene.line_at(table.span.start)].unit.is_some();
        if scene.zone_at(table.span.start) != SectionKind::Actors && (in_unit || !describes()) {
            continue;
        }
        let is_id = |cell: &Span| {
            let raw = plain(scene.slice(*cell));
            raw.bytes().all(|b| b.is_ascii_digit()) || ids::any_id_at(&raw, 0).is_some_and(|id| id.end == raw.len())
        };
        let first_text = table.rows.first().and_then(|row| row.cells.iter().position(|cell| !cell.is_empty() && !is_id(cell)));
        let names = fact.column(ACTOR_HEADS).or(first_text);
        for row in &table.rows {
            let name = cell(scene, &row.cells, names);
            if !name.is_empty() {
                actors.push(Actor { name, place: scene.place(row.span) });
            }
        }
    }
    for item in scene.blocks.items.iter().filter(|item| item.parent.is_none()) {
        if scene.zone_at(item.span.start) != SectionKind::Actors {
            continue;
        }
        let raw = scene.slice(item.head);
        let name = named(scene, item.head).map_or_else(|| plain(raw), |(name, _)| name);
        // A sentence names no actor.
        if !name.is_empty() && name.chars().count() <= 40 && !name.ends_with(['.', '。', '?', '？']) {
            actors.push(Actor { name, place: scene.place(item.span) });
        }
    }
    actors.sort_by_key(|actor| actor.place.span.start);
    actors
}
