//! Soft wrapping of one line of a field: rows by grapheme clusters and columns, broken after a space where one stands, and
//! between wide clusters, as Chinese is written without spaces.

use crate::model::shown::Shown;
use ratatui::buffer::CellWidth;
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The text that stands for a cluster on the screen, and its columns. Hidden characters are marks; a lone combining mark
/// gets a base, so that nothing takes no column.
pub fn shown(cluster: &str) -> (Cow<'_, str>, u16) {
    if matches!(cluster.as_bytes(), [0x20..=0x7e]) {
        return (Cow::Borrowed(cluster), 1);
    }
    let safe = Shown::line(cluster);
    let text = if safe.as_str() == cluster { Cow::Borrowed(cluster) } else { Cow::Owned(safe.as_str().to_owned()) };
    match text.cell_width() {
        0 => (Cow::Owned(format!("◌{text}")), 1),
        width => (text, width),
    }
}

/// The columns of a cluster in rows of `width` columns: never more than a row.
pub fn columns(cluster: &str, width: u16) -> u16 {
    shown(cluster).1.min(width)
}

/// The rows of a line as byte ranges, at least one; each starts at a cluster, and none is wider than `width` but for one
/// space at its end.
pub fn rows(line: &str, width: u16) -> Vec<Range<usize>> {
    let width = width.max(1);
    let mut rows = Vec::new();
    let (mut start, mut used) = (0, 0);
    // Behind the last space of this row, and the columns up to there.
    let mut space: Option<(usize, u16)> = None;
    for (at, cluster) in line.grapheme_indices(true) {
        let columns = columns(cluster, width);
        if columns == 2 && used > 0 && used <= width {
            space = Some((at, used));
        }
        // One space may hang over: it is not to begin the next row.
        let hangs = cluster == " " && used == width;
        if used + columns > width && !hangs {
            let (end, before) = space.take().unwrap_or((at, used));
            rows.push(start..end);
            start = end;
            used -= before;
            if used + columns > width {
                rows.push(start..at);
                (start, used) = (at, 0);
            }
        }
        used += columns;
        if cluster == " " || columns == 2 {
            space = Some((at + cluster.len(), used));
        }
    }
    rows.push(start..line.len());
    rows
}

/// The row that holds a byte of the line: the later one where two meet.
pub fn row_of(rows: &[Range<usize>], byte: usize) -> usize {
    rows.iter().rposition(|row| row.start <= byte).unwrap_or(0)
}

/// The column of a byte in its row.
pub fn column_of(line: &str, row: &Range<usize>, byte: usize, width: u16) -> u16 {
    line[row.start..byte].graphemes(true).map(|cluster| columns(cluster, width.max(1))).sum()
}

/// The cluster at a column of a row, or the row's end; in a row that is not the `last` of its line its last cluster, as its
/// end is the next row's start.
pub fn byte_at(line: &str, row: &Range<usize>, column: u16, width: u16, last: bool) -> usize {
    let mut used = 0;
    let mut at = row.start;
    for (offset, cluster) in line[row.clone()].grapheme_indices(true) {
        at = row.start + offset;
        used += columns(cluster, width.max(1));
        if used > column {
            return at;
        }
    }
    if last { row.end } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrapped(line: &str, width: u16) -> Vec<&str> {
        rows(line, width).into_iter().map(|row| &line[row]).collect()
    }

    #[test]
    fn rows_break_after_a_space_or_between_clusters() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("người dùng đăng nhập", 11), ["người dùng ", "đăng nhập"]);
        assert_eq!(wrapped("需求文档评审", 5), ["需求", "文档", "评审"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("ab cdefgh", 4), ["ab ", "cdef", "gh"]);
        assert_eq!(wrapped("aaaa bbbb", 4), ["aaaa ", "bbbb"]);
        assert_eq!(wrapped("aaaa   b", 4), ["aaaa ", "  b"]);
        assert_eq!(wrapped("e\u{20dd}e\u{20dd}e\u{20dd}", 2), ["e\u{20dd}e\u{20dd}", "e\u{20dd}"]);
        assert_eq!(wrapped("中a", 1), ["中", "a"]);
    }

    #[test]
    fn hidden_characters_and_lone_marks_take_columns() {
        assert_eq!(shown("ệ"), (Cow::Borrowed("ệ"), 1));
        assert_eq!(shown("中").1, 2);
        assert_eq!(shown("\u{202e}"), (Cow::Borrowed("⟦U+202E⟧"), 8));
        assert_eq!(shown("\u{301}"), (Cow::Borrowed("◌\u{301}"), 1));
        assert_eq!(shown("👩\u{200d}💻").0, "👩⟦U+200D⟧💻");
    }

    proptest! {
        #[test]
        fn rows_cover_the_line_and_fit(line in "[a-c \u{301}\u{200d}中ệ👩\u{202e}🇻🇳]{0,60}", width in 1_u16..12) {
            let rows = rows(&line, width);
            prop_assert_eq!(rows.iter().map(|row| &line[row.clone()]).collect::<String>(), line.clone());
            for (at, row) in rows.iter().enumerate() {
                prop_assert!(column_of(&line, row, row.end, width) <= width + u16::from(line[row.clone()].ends_with(' ')));
                prop_assert!(at == 0 || !row.is_empty());
                let last = at + 1 == rows.len();
                for column in 0..width {
                    let byte = byte_at(&line, row, column, width, last);
                    prop_assert_eq!(row_of(&rows, byte), at);
                    prop_assert!(column_of(&line, row, byte, width) <= column);
                }
            }
        }
    }
}
