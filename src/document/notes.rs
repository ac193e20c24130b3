//! What stands beside the requirements: version and status, suppression comments, and stretches that rules must not read.

use super::blocks::trim;
use super::front;
use super::scene::Scene;
use super::text::plain;
use super::words;
use crate::model::outline::{Ignore, LineKind, LineSpan, Metadata, Span};

#[rustfmt::skip]
const VERSION: &[&str] = &[
    "version", "document version", "doc version", "prd version", "phiên bản", "版本", "版本号", "文档版本", "wersja", "versión",
    "버전", "バージョン", "версия",
];
#[rustfmt::skip]
const STATUS: &[&str] = &[
    "status", "document status", "state", "trạng thái", "tình trạng", "状态", "文档状态", "estado", "상태", "ステータス", "статус",
];

/// Lines that are searched for version and status when no section bounds them.
const METADATA_LINES: usize = 80;

/// Version, status and title.
pub(super) fn metadata(scene: &Scene<'_>, front_lines: usize) -> Metadata {
    let Scene { text, lines, blocks, facts, sections, .. } = *scene;
    let head = &lines[..front_lines];
    let mut metadata = Metadata {
        version: front::value(text, head, VERSION).unwrap_or_default().to_owned(),
        status: front::value(text, head, STATUS).unwrap_or_default().to_owned(),
        title: sections.iter().find(|section| section.is_title).map(|section| section.title.clone()).unwrap_or_default(),
    };
    if metadata.title.is_empty() {
        metadata.title = front::value(text, head, &["title", "tiêu đề", "标题"]).unwrap_or_default().to_owned();
    }
    let until = lines.len().min(front_lines + METADATA_LINES);
    for line in &lines[front_lines..until] {
        if !matches!(line.kind, LineKind::Paragraph | LineKind::ListItem | LineKind::Quote) {
            continue;
        }
        for part in text[line.span.start..line.span.end].split('|') {
            let Some((name, value)) = pair(part) else { continue };
            fill(&mut metadata, &name, &value);
        }
    }
    for (table, fact) in blocks.tables.iter().zip(&facts.tables).take_while(|(table, _)| scene.line_at(table.span.start) < until)
    {
        let words = |cell: &Span| plain(&text[cell.start..cell.end]);
        if let Some(labels) = &fact.labels {
            for ((label, _), row) in labels.iter().zip(std::iter::once(&table.head).chain(&table.rows)) {
                fill(&mut metadata, label, &row.cells.get(1).map_or(String::new(), words));
            }
        } else if table.rows.len() == 1 {
            // One row of values under their names; more rows are a history.
            for (name, cell) in fact.heads.iter().zip(&table.rows[0].cells) {
                fill(&mut metadata, name, &words(cell));
            }
        }
    }
    metadata
}

/// `**Version**: 1.10`, `- Version: 1.10`, `版本：v1.0`.
fn pair(raw: &str) -> Option<(String, String)> {
    let bare = raw.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '>' | '•'));
    let at = bare.find([':', '：'])?;
    let width = bare[at..].chars().next().map_or(1, char::len_utf8);
    let name = words::fold(&plain(&bare[..at]));
    let value = plain(bare[at + width..].trim_start_matches(['*', '_', ' ']));
    Some((name, value))
}

fn fill(metadata: &mut Metadata, name: &str, value: &str) {
    let value = value.trim();
    if value.is_empty() || value.chars().count() > 60 {
        return;
    }
    if metadata.version.is_empty() && VERSION.contains(&name) {
        metadata.version = value.to_owned();
    } else if metadata.status.is_empty() && STATUS.contains(&name) {
        metadata.status = value.to_owned();
    }
}

/// `<!-- tamis-ignore RULE reason -->` comments.
pub(super) fn ignores(scene: &Scene<'_>) -> Vec<Ignore> {
    let Scene { text, blocks, .. } = *scene;
    let mut found = Vec::new();
    for comment in &blocks.comments {
        let raw = &text[comment.start..comment.end];
        let inner = raw.trim_start_matches("<!--").trim_end_matches("-->").trim();
        let Some(rest) = inner.strip_prefix("tamis-ignore") else { continue };
        if !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let mut parts = rest.trim().splitn(2, char::is_whitespace);
        let (rules, reason) = (parts.next().unwrap_or(""), parts.next().unwrap_or("").trim().trim_matches('"').to_owned());
        let covered = covered_lines(scene, *comment);
        for rule in rules.split(',').filter(|rule| !rule.is_empty()) {
            found.push(Ignore { rule: rule.to_owned(), reason: reason.clone(), lines: covered });
        }
    }
    found
}

/// The comment's own line, or the next line or item when it stands alone.
fn covered_lines(scene: &Scene<'_>, comment: Span) -> LineSpan {
    let Scene { text, lines, blocks, .. } = *scene;
    let own = scene.place(comment).lines;
    let (first, last) = (own.first as usize - 1, own.last as usize - 1);
    let before = &text[lines[first].span.start..comment.start.max(lines[first].span.start)];
    let after = &text[comment.end.min(lines[last].span.end)..lines[last].span.end];
    let marks_only =
        |side: &str| side.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '>' | '|')).is_empty();
    let in_table = matches!(lines[first].kind, LineKind::TableRow | LineKind::TableHead);
    if !(marks_only(before) && marks_only(after)) || in_table {
        return own;
    }
    let Some(next) = (last + 1..lines.len()).find(|&line| lines[line].kind != LineKind::Blank) else { return own };
    let start = trim(text, lines[next].span).start;
    let item = blocks.item_at(start).filter(|&item| scene.line_at(blocks.items[item].span.start) == next);
    match item {
        Some(item) => {
            let place = scene.place(blocks.items[item].span);
            LineSpan::new(next as u32 + 1, place.lines.last)
        }
        None => {
            // A paragraph is covered to its end.
            let index = blocks.paragraphs.partition_point(|paragraph| paragraph.span.start <= start);
            let paragraph = index.checked_sub(1).map(|index| blocks.paragraphs[index].span).filter(|span| span.start == start);
            let last = paragraph.map_or(next as u32 + 1, |span| scene.place(span).lines.last);
            LineSpan::new(next as u32 + 1, last)
        }
    }
}

/// Longest quoted interface text, in bytes.
const LONGEST_QUOTE: usize = 240;

/// Code spans, addresses, comments, tags and quoted interface text: sorted and disjoint.
pub(super) fn masked(scene: &Scene<'_>) -> Vec<Span> {
    let Scene { text, lines, blocks, .. } = *scene;
    let mut spans: Vec<Span> = Vec::new();
    spans.extend(&blocks.code);
    spans.extend(&blocks.comments);
    for &html in &blocks.html {
        // Of an HTML block only the tags: its words are text of the document.
        tags(text, html, &mut spans);
    }
    for link in &blocks.links {
        spans.push(Span::new(link.span.start, link.text.start.max(link.span.start)));
        spans.push(Span::new(link.text.end.min(link.span.end), link.span.end));
        if link.text.start == link.span.start && link.text.end == link.span.end {
            spans.push(link.span);
        }
    }
    for line in lines {
        if matches!(line.kind, LineKind::Blank | LineKind::Code | LineKind::FrontMatter) {
            continue;
        }
        let raw = &text[line.span.start..line.span.end];
        bare_addresses(raw, line.span.start, &mut spans);
        quotes(raw, line.span.start, &mut spans);
    }
    spans.retain(|span| !span.is_empty());
    spans.sort();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

fn tags(text: &str, html: Span, spans: &mut Vec<Span>) {
    let raw = &text[html.start..html.end];
    let mut at = 0;
    while let Some(open) = raw[at..].find('<') {
        let start = at + open;
        // Comments are known already.
        let end = if raw[start..].starts_with("<!--") { None } else { super::text::tag_end(&raw[start..]) };
        if let Some(end) = end {
            spans.push(Span::new(html.start + start, html.start + start + end));
        }
        at = start + end.unwrap_or(1);
    }
}

fn bare_addresses(raw: &str, base: usize, spans: &mut Vec<Span>) {
    let mut at = 0;
    while let Some(found) = raw[at..].find("://") {
        let sign = at + found;
        let scheme = raw[..sign].bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
        let length = raw[sign..]
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '|' | '`' | ']' | '，' | '。' | '）'))
            .unwrap_or(raw.len() - sign);
        if scheme > 0 {
            spans.push(Span::new(base + sign - scheme, base + sign + length));
        }
        at = sign + length.max(3);
    }
}

/// Quoted stretches of a line: straight and curly double quotes, guillemets and corner brackets, each with its partner.
fn quotes(raw: &str, base: usize, spans: &mut Vec<Span>) {
    if !raw.contains(['"', '“', '„', '「', '『', '«']) {
        return;
    }
    let mut open: Option<(usize, char)> = None;
    let last = ['"', '”', '」', '』', '»'].map(|close| (close, raw.rfind(close)));
    for (at, c) in raw.char_indices() {
        match open {
            Some((start, close)) if c == close => {
                let end = at + c.len_utf8();
                if end - start <= LONGEST_QUOTE {
                    spans.push(Span::new(base + start, base + end));
                }
                open = None;
            }
            Some(_) => {}
            None => {
                let close = match c {
                    '"' => '"',
                    '“' | '„' => '”',
                    '「' => '」',
                    '『' => '』',
                    '«' => '»',
                    _ => continue,
                };
                // A mark without a partner opens nothing.
                if last.iter().any(|(mark, found)| *mark == close && found.is_some_and(|found| found > at)) {
                    open = Some((at, close));
                }
            }
        }
    }
}
