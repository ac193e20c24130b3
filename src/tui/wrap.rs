//! Text by the columns it takes on a terminal: width, wrapping, cutting, padding. A grapheme cluster is never split.
//!
//! Widths are those of ratatui's cells, so that what fits here fits on the screen.

use ratatui::buffer::CellWidth;
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Columns from one tab stop to the next.
pub const TAB: usize = 4;

/// Columns that a text takes on one row. Control characters take none: they are not drawn.
pub fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.graphemes(true).map(cluster_width).sum() }
}

/// Columns that one grapheme cluster takes.
pub fn cluster_width(cluster: &str) -> usize {
    if cluster.contains(char::is_control) { 0 } else { usize::from(cluster.cell_width()) }
}

/// One column a byte.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The text with each tab replaced by the blanks up to the next multiple of `stop` columns of its line.
pub fn expand_tabs(text: &str, stop: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for cluster in text.graphemes(true) {
        column = push_expanded(&mut out, cluster, column, stop);
    }
    Cow::Owned(out)
}

/// Appends a cluster, a tab as blanks; returns the column after it.
fn push_expanded(out: &mut String, cluster: &str, column: usize, stop: usize) -> usize {
    match cluster {
        "\t" => {
            let stop = stop.max(1);
            let blanks = stop - column % stop;
            out.extend(std::iter::repeat_n(' ', blanks));
            column + blanks
        }
        "\n" | "\r\n" => {
            out.push_str(cluster);
            0
        }
        _ => {
            out.push_str(cluster);
            column + cluster_width(cluster)
        }
    }
}

/// Wraps a text into rows of at most `width` columns; tabs become blanks.
///
/// Breaks stand at line feeds, at white space (which is dropped there) and beside wide characters, but not before
/// closing nor after opening punctuation. A word longer than a row is cut between clusters, and a cluster wider than a
/// row stands alone. The blanks at the start of a line are kept on its first row where its first word fits after them.
/// There is always one row or more.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let text = expand_tabs(text, TAB);
    rows(&text, width).into_iter().map(|row| text[row].to_owned()).collect()
}

/// Wraps styled runs as [`wrap`] does their joined text. A cluster that reaches over the end of a run takes the style
/// of the run it begins in.
pub fn wrap_spans<T: Clone>(spans: Vec<(String, T)>, width: usize) -> Vec<Vec<(String, T)>> {
    let mut joined = String::with_capacity(spans.iter().map(|(text, _)| text.len()).sum());
    let mut ends = Vec::with_capacity(spans.len());
    for (text, _) in &spans {
        joined.push_str(text);
        ends.push(joined.len());
    }
    // Where, in the expanded text, which run begins: on borders of clusters only.
    let mut begins: Vec<(usize, usize)> = Vec::new();
    let mut text = String::with_capacity(joined.len());
    let (mut run, mut column) = (0, 0);
    for (at, cluster) in joined.grapheme_indices(true) {
        while ends[run] <= at {
            run += 1;
        }
        if begins.last().is_none_or(|&(_, last)| last != run) {
            begins.push((text.len(), run));
        }
        column = push_expanded(&mut text, cluster, column, TAB);
    }
    let mut first = 0;
    let styled = |row: Range<usize>| {
        while begins.get(first + 1).is_some_and(|&(begin, _)| begin <= row.start) {
            first += 1;
        }
        let mut pieces = Vec::new();
        for (index, &(begin, run)) in begins.iter().enumerate().skip(first) {
            let end = begins.get(index + 1).map_or(text.len(), |&(next, _)| next).min(row.end);
            let begin = begin.max(row.start);
            if begin >= row.end {
                break;
            }
            pieces.push((text[begin..end].to_owned(), spans[run].1.clone()));
        }
        pieces
    };
    rows(&text, width).into_iter().map(styled).collect()
}

/// The rows of a wrapped text as ranges of its bytes, in order; the rules are those of [`wrap`].
///
/// Tabs must be expanded before: here a tab is white space without width.
pub fn rows(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let shown = line.strip_suffix('\r').unwrap_or(line);
        wrap_line(text, start..start + shown.len(), width, &mut out);
        start += line.len() + 1;
    }
    out
}

fn wrap_line(text: &str, line: Range<usize>, width: usize, out: &mut Vec<Range<usize>>) {
    // The row so far, up to its last word; `gap` columns of white space wait behind it for the next word.
    let mut row = line.start..line.start;
    let (mut taken, mut gap) = (0, 0);
    for atom in atoms(text, line) {
        if atom.blank {
            gap += atom.width;
            continue;
        }
        if taken + gap + atom.width <= width {
            row.end = atom.range.end;
            taken += gap + atom.width;
            gap = 0;
            continue;
        }
        if !row.is_empty() {
            out.push(row);
        }
        (row, taken, gap) = (atom.range.start..atom.range.start, 0, 0);
        if atom.width <= width {
            row.end = atom.range.end;
            taken = atom.width;
            continue;
        }
        for (at, cluster) in text[atom.range.clone()].grapheme_indices(true) {
            let at = atom.range.start + at;
            let wide = cluster_width(cluster);
            if !row.is_empty() && taken + wide > width {
                out.push(row);
                (row, taken) = (at..at, 0);
            }
            row.end = at + cluster.len();
            taken += wide;
        }
    }
    out.push(row);
}

/// What is not broken: a run of white space, or clusters that stay together where they fit.
struct Atom {
    range: Range<usize>,
    width: usize,
    blank: bool,
}

fn atoms(text: &str, line: Range<usize>) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    let mut before: Option<&str> = None;
    for (at, cluster) in text[line.clone()].grapheme_indices(true) {
        let range = line.start + at..line.start + at + cluster.len();
        let (width, blank) = (cluster_width(cluster), is_blank(cluster));
        match atoms.last_mut() {
            Some(last) if last.blank == blank && (blank || !before.is_some_and(|before| may_break(before, cluster))) => {
                last.range.end = range.end;
                last.width += width;
            }
            _ => atoms.push(Atom { range, width, blank }),
        }
        before = Some(cluster);
    }
    atoms
}

/// White space where a row may end; not the spaces that forbid it.
fn is_blank(cluster: &str) -> bool {
    cluster.chars().all(|c| c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

/// Whether a row may end between two clusters that no white space separates.
fn may_break(before: &str, after: &str) -> bool {
    let wide = |cluster: &str| cluster_width(cluster) >= 2;
    (wide(before) || wide(after)) && !after.starts_with(closes) && !before.starts_with(opens)
}

/// Punctuation that does not begin a row.
fn closes(c: char) -> bool {
    "、。，．：；！？）」』】》〉〕］｝〗’”…—～・ー々)]},.:;!?%".contains(c)
}

/// Punctuation that does not end a row.
fn opens(c: char) -> bool {
    "（「『【《〈〔［｛〖‘“([{".contains(c)
}

/// The text where it fits into `width` columns, else its beginning and the ellipsis, together at most `width` columns.
pub fn cut<'a>(text: &'a str, width: usize, ellipsis: &str) -> Cow<'a, str> {
    if self::width(text) <= width {
        return Cow::Borrowed(text);
    }
    let mark = beginning(ellipsis, width);
    let kept = beginning(text, width - self::width(mark));
    Cow::Owned(format!("{kept}{mark}"))
}

/// The text where it fits, else its beginning, the ellipsis and its end, which gets two thirds of the room: for paths,
/// whose end says more.
pub fn cut_middle<'a>(text: &'a str, width: usize, ellipsis: &str) -> Cow<'a, str> {
    if self::width(text) <= width {
        return Cow::Borrowed(text);
    }
    let mark = beginning(ellipsis, width);
    let room = width - self::width(mark);
    let tail = end(text, room - room / 3);
    let head = beginning(&text[..text.len() - tail.len()], room - self::width(tail));
    Cow::Owned(format!("{head}{mark}{tail}"))
}

/// The longest beginning of at most `width` columns.
pub fn beginning(text: &str, width: usize) -> &str {
    let mut taken = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        taken += cluster_width(cluster);
        if taken > width {
            return &text[..at];
        }
    }
    text
}

/// The longest end of at most `width` columns.
pub fn end(text: &str, width: usize) -> &str {
    let mut taken = 0;
    for (at, cluster) in text.grapheme_indices(true).rev() {
        taken += cluster_width(cluster);
        if taken > width {
            return &text[at + cluster.len()..];
        }
    }
    text
}

/// The text with blanks behind it up to `width` columns; a longer one as it is.
pub fn pad(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(self::width(text));
    format!("{text}{:blanks$}", "")
}

/// The text with blanks before it up to `width` columns; a longer one as it is.
pub fn pad_left(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(self::width(text));
    format!("{:blanks$}{text}", "")
}

/// The text cut and padded to exactly `width` columns: a cell of a table.
pub fn fit(text: &str, width: usize, ellipsis: &str) -> String {
    pad(&cut(text, width, ellipsis), width)
}

#[cfg(test)]
#[path = "wrap_tests.rs"]
mod tests;
