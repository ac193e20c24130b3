//! The document's own lines around places, with their numbers; the quoted words stand out.

use super::painter::{Spans, span};
use crate::document::Document;
use crate::model::outline::LineSpan;
use crate::model::shown::Shown;
use crate::rules::normal::{Folded, fold};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use std::collections::BTreeMap;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Lines over which a quote is followed.
const QUOTE_LINES: u32 = 8;
/// Bytes of a line that are shown before and after where a mark begins; the rest of a longer one is left out.
const BEFORE: usize = 400;
const AFTER: usize = 1_200;

/// Bytes behind a line in which its quote ends: it has 120 characters at most.
const QUOTE_REST: usize = 4 * 1024;
/// Bytes in which a quote is looked for as grounding finds it; in longer lines, which nobody typed, only as it stands.
const FOLDED: usize = 64 * 1024;

/// A place of the document that something rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Line, from 1; 0 shows nothing.
    pub line: u32,
    /// The quoted words; `""` for the line alone.
    pub quote: String,
    /// Whose place it is, shown before the line's number: labels of options, or nothing.
    pub label: String,
    /// Whether the line is only looked at beside the others and carries no mark.
    pub beside: bool,
}

/// Lines `line - around ..= line + around`, wrapped to `width`; nothing for line 0.
pub fn lines(model: &Model, line: u32, quote: &str, around: u32, width: usize) -> Vec<Spans> {
    places(model, &[Spot { line, quote: quote.to_owned(), ..Spot::default() }], around, width)
}

/// The lines of several places in file order, near ones as one stretch, with `around` lines of context (each cut to one
/// row) and a mark where lines are left out between them.
pub fn places(model: &Model, spots: &[Spot], around: u32, width: usize) -> Vec<Spans> {
    let document = &model.document;
    let glyphs = model.look.glyphs;
    let last_line = document.outline().line_count();
    let mut marked: BTreeMap<u32, Marked> = BTreeMap::new();
    for spot in spots.iter().filter(|spot| (1..=last_line).contains(&spot.line)) {
        let here = marked.entry(spot.line).or_default();
        here.begins |= !spot.beside;
        if !here.label.contains(spot.label.as_str()) {
            here.label.push_str(&spot.label);
        }
        for (line, range) in quote_at(document, spot.line, &spot.quote) {
            marked.entry(line).or_default().ranges.push(range);
        }
    }
    let Some(highest) = marked.keys().next_back().map(|line| (line + around).min(last_line)) else { return Vec::new() };
    let digits = highest.to_string().len().max(3);
    let labels = marked.values().map(|marked| wrap::width(&marked.label)).max().unwrap_or(0).min(4);
    let mark_width = wrap::width(glyphs.selected);
    let gutter_width = mark_width + labels + usize::from(labels > 0) + digits + 1;
    let text_width = width.saturating_sub(gutter_width).max(1);
    let mut out = Vec::new();
    for (index, stretch) in stretches(document, marked.iter().map(|(&line, here)| (line, if here.begins { around } else { 0 })))
        .into_iter()
        .enumerate()
    {
        if index > 0 {
            let gap = wrap::pad_left(glyphs.ellipsis, gutter_width - 1);
            out.push(vec![span(gap, Role::Dim)]);
        }
        for number in stretch.first..=stretch.last {
            let marked = marked.get(&number);
            let (mark, label) = match marked {
                Some(marked) if marked.begins => (glyphs.selected, wrap::beginning(&marked.label, labels)),
                _ => ("", ""),
            };
            let between = if labels > 0 { " " } else { "" };
            let gutter = format!("{}{}{between}{number:>digits$} ", wrap::pad(mark, mark_width), wrap::pad(label, labels));
            let text = document.line_text(number);
            let rows = match marked {
                Some(marked) => wrap::wrap_spans(pieces(text, &marked.ranges, glyphs.ellipsis), text_width),
                None => vec![vec![(context(text, text_width, glyphs.ellipsis), Role::Dim)]],
            };
            for (row, piece) in rows.into_iter().enumerate() {
                let gutter = if row == 0 { gutter.clone() } else { " ".repeat(gutter_width) };
                let mut spans = vec![span(gutter, Role::LineNumber)];
                spans.extend(piece);
                out.push(spans);
            }
        }
    }
    out
}

/// What is marked on a line.
#[derive(Default)]
struct Marked {
    begins: bool,
    label: String,
    ranges: Vec<Range<usize>>,
}

/// Stretches of lines, each line with as many around it as it says; those that touch or leave out one line only are joined,
/// blank lines at their ends left out.
fn stretches(document: &Document, lines: impl Iterator<Item = (u32, u32)>) -> Vec<LineSpan> {
    let last_line = document.outline().line_count();
    let mut out: Vec<LineSpan> = Vec::new();
    for (line, around) in lines {
        let (mut first, mut last) = (line.saturating_sub(around).max(1), line.saturating_add(around).min(last_line));
        let is_blank = |number: u32| document.line_text(number).trim().is_empty();
        while first < line && is_blank(first) {
            first += 1;
        }
        while last > line && is_blank(last) {
            last -= 1;
        }
        match out.last_mut() {
            Some(before) if first <= before.last + 2 => before.last = before.last.max(last),
            _ => out.push(LineSpan::new(first, last)),
        }
    }
    out
}

/// Where the quote stands from a line on, as byte ranges of each line it touches. Found as grounding finds it: emphasis,
/// backticks, white space and the form of letters do not matter.
fn quote_at(document: &Document, line: u32, quote: &str) -> Vec<(u32, Range<usize>)> {
    let last = (line + QUOTE_LINES - 1).min(document.outline().line_count());
    let own = document.line_text(line).len();
    let text = document.lines_text(LineSpan::new(line, last));
    let text = &text[..floor(text, own + QUOTE_REST)];
    let found = if text.len() > FOLDED { verbatim(text, quote) } else { folded(text, quote) };
    let Some(Range { start, end }) = found.filter(|found| found.start <= own) else { return Vec::new() };
    let Some(base) = document.outline().line(line).map(|line| line.span.start) else { return Vec::new() };
    let mut out = Vec::new();
    for number in line..=last {
        let Some(own) = document.outline().line(number).map(|line| line.span) else { break };
        let (from, to) = ((base + start).max(own.start), (base + end).min(own.end));
        if from < to {
            out.push((number, from - own.start..to - own.start));
        }
    }
    out
}

/// Where the quote stands as it is.
fn verbatim(text: &str, quote: &str) -> Option<Range<usize>> {
    let start = text.find(quote).filter(|_| !quote.is_empty())?;
    Some(start..start + quote.len())
}

/// Where the quote stands whatever the form of its letters.
fn folded(text: &str, quote: &str) -> Option<Range<usize>> {
    let needle = fold(quote);
    let folded = Folded::new(text);
    let at = folded.find(&needle, 0..folded.as_str().len(), 1).first().copied()?;
    let start = folded.original(at);
    let before_end = folded.as_str()[..at + needle.len()].char_indices().next_back().map_or(at, |(at, _)| at);
    let end = folded.original(before_end);
    Some(start..end + text.get(end..).and_then(|rest| rest.graphemes(true).next()).map_or(0, str::len))
}

/// A marked line as pieces, safe to show: the quoted words in the role of quotes. Of a very long line only what stands
/// around the first mark.
fn pieces(text: &str, ranges: &[Range<usize>], ellipsis: &str) -> Spans {
    let mut ranges: Vec<Range<usize>> = ranges.to_vec();
    ranges.sort_by_key(|range| (range.start, range.end));
    let focus = ranges.first().map_or(0, |range| range.start);
    let from = if text.len() > BEFORE + AFTER { floor(text, focus.saturating_sub(BEFORE)) } else { 0 };
    let to = floor(text, (focus + AFTER).max(from + BEFORE + AFTER));
    let mut out = Vec::new();
    if from > 0 {
        out.push(span(ellipsis, Role::Dim));
    }
    let mut at = from;
    for range in ranges {
        let (start, end) = (floor(text, range.start).clamp(at, to), floor(text, range.end).clamp(at, to));
        out.push(safe(&text[at..start], Role::Text));
        out.push(safe(&text[start..end], Role::Quote));
        at = end;
    }
    out.push(safe(&text[at..to], Role::Text));
    if to < text.len() {
        out.push(span(ellipsis, Role::Dim));
    }
    out.retain(|(text, _)| !text.is_empty());
    out
}

fn safe(text: &str, role: Role) -> (String, Role) {
    (Shown::line(&wrap::expand_tabs(text, wrap::TAB)).to_string(), role)
}

fn context(text: &str, width: usize, ellipsis: &str) -> String {
    // More bytes than any row has columns need not be made safe.
    let head = &text[..floor(text, width.saturating_mul(8))];
    let (safe, _) = safe(head, Role::Dim);
    let cut = wrap::cut(&safe, width, ellipsis).into_owned();
    if head.len() < text.len() && wrap::width(&safe) <= width {
        format!("{}{ellipsis}", wrap::beginning(&cut, width.saturating_sub(1)))
    } else {
        cut
    }
}

/// The nearest boundary of a character at or before a byte.
fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, line: u32, quote: &str) -> Vec<(u32, String)> {
        let document = Document::parse(text.to_owned());
        let cut = |(line, range): (u32, Range<usize>)| (line, document.line_text(line)[range].to_owned());
        quote_at(&document, line, quote).into_iter().map(cut).collect()
    }

    #[test]
    fn a_quote_is_found_behind_emphasis_and_over_lines() {
        let text = "A rule **must be** kept\nfor `14` days.\nAnd more.\n";
        assert_eq!(found(text, 1, "must be"), [(1, "must be".to_owned())]);
        let both = [(1, "must be** kept".to_owned()), (2, "for `14` days".to_owned())];
        assert_eq!(found(text, 1, "must be kept for 14 days"), both);
        assert!(found(text, 1, "And more").is_empty(), "not on the line it is said to be on");
        assert!(found(text, 1, "").is_empty());
        assert!(found(text, 9, "kept").is_empty());
    }

    #[test]
    fn composed_and_decomposed_letters_are_one() {
        let decomposed = "Hoa\u{323}t đo\u{302}\u{323}ng the\u{302}\u{301} nào\n";
        assert_eq!(found(decomposed, 1, "thế"), [(1, "the\u{302}\u{301}".to_owned())]);
    }

    #[test]
    fn in_a_very_long_line_a_quote_is_found_as_it_stands() {
        let text = format!("{}the quote{}\nnext\n", "dài ".repeat(FOLDED), " 长".repeat(FOLDED));
        assert_eq!(found(&text, 1, "the quote"), [(1, "the quote".to_owned())]);
        assert!(found(&text, 1, "The Quote").is_empty() && found(&text, 1, "next").is_empty());
        let rows = pieces(&text[..text.len() - 6], &[FOLDED * 6..FOLDED * 6 + 9], "~");
        assert!(rows.iter().map(|(text, _)| text.len()).sum::<usize>() < 4 * (BEFORE + AFTER));
    }

    #[test]
    fn near_places_are_one_stretch() {
        let document = Document::parse("a\n\nb\nc\n\n\n\nd\ne\n".to_owned());
        let of = |lines: &[u32], around| {
            let lines = lines.iter().map(|&line| (line, around));
            stretches(&document, lines).iter().map(|span| (span.first, span.last)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[1, 3], 0), [(1, 3)], "one line between them is shown rather than left out");
        assert_eq!(of(&[1, 8], 1), [(1, 1), (8, 9)], "blank lines at the ends are left out");
        assert_eq!(of(&[9], 5), [(4, 9)]);
    }

    #[test]
    fn of_a_very_long_line_the_quoted_part_is_shown() {
        let text = format!("{} needle {}", "x".repeat(9_000), "y".repeat(9_000));
        let pieces = pieces(&text, &vec![9_001..9_007; 1], "~");
        let shown: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
        assert!(shown.starts_with('~') && shown.ends_with('~') && shown.contains(" needle "));
        assert!(shown.len() < 2_000);
        assert_eq!(pieces.iter().filter(|(_, role)| *role == Role::Quote).count(), 1);
    }
}
