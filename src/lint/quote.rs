//! Cutting the document's own words to what a finding quotes.

use std::ops::Range;

/// Longest quote, in characters (SPEC S0, Phase 1).
pub const LONGEST: usize = 120;
/// Characters kept before the words that matter when a line is cut.
const LEAD: usize = 40;

/// The part of a line that a finding quotes: the line without its marker where it fits, else a stretch around `focus`.
pub fn quote(line: &str, focus: Range<usize>) -> &str {
    let content = content(line);
    let inner = &line[content.clone()];
    if inner.chars().count() <= LONGEST {
        return inner;
    }
    let focus_start = floor(line, focus.start.clamp(content.start, content.end));
    let focus_end = floor(line, focus.end.clamp(focus_start, content.end));
    let fits = line[content.start..focus_end].chars().count() <= LONGEST;
    let start = if fits { content.start } else { begin(line, content.start, focus_start) };
    let hard_end = nth_char(line, start, LONGEST).min(content.end);
    let end = if hard_end < content.end { word_end(line, start, hard_end, focus_end) } else { hard_end };
    line[start..end].trim_end()
}

/// The line without indent, list marker, heading signs, checkbox, and the outer bars of a table row.
fn content(line: &str) -> Range<usize> {
    let mut start = line.len() - line.trim_start().len();
    let end = line.trim_end().len().max(start);
    let rest = &line[start..end];
    let marker = rest.trim_start_matches('#');
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let skipped = if marker.len() < rest.len() && marker.starts_with(' ') {
        Some(marker)
    } else if digits.len() < rest.len() {
        digits.strip_prefix(['.', ')']).filter(|after| after.starts_with(' '))
    } else {
        rest.strip_prefix(['-', '*', '+', '|', '•']).filter(|after| after.starts_with(' ') || rest.starts_with('|'))
    };
    if let Some(after) = skipped {
        let after = after.trim_start();
        let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| after.strip_prefix(mark)).unwrap_or(after);
        start = end - boxed.trim_start().len();
    }
    let inner = &line[start..end];
    let closed = if line.trim_start().starts_with('|') { inner.strip_suffix('|').unwrap_or(inner).trim_end() } else { inner };
    let closed = if closed.is_empty() { line.trim() } else { closed };
    let from = if closed.len() == line.trim().len() { line.len() - line.trim_start().len() } else { start };
    from..from + closed.len()
}

/// Where a cut quote begins: at a word about [`LEAD`] characters before the focus.
fn begin(line: &str, from: usize, focus: usize) -> usize {
    let lead = line[from..focus].char_indices().rev().nth(LEAD - 1).map_or(from, |(at, _)| from + at);
    if lead == from {
        return from;
    }
    match line[lead..focus].find(' ') {
        Some(blank) => lead + blank + 1,
        None => lead,
    }
}

/// Where a cut quote ends: behind the last whole word that fits, but never inside the focus where that fits.
fn word_end(line: &str, start: usize, hard: usize, focus: usize) -> usize {
    let least = focus.clamp(start, hard);
    match line[least..hard].rfind(' ') {
        Some(blank) if least + blank > start => least + blank,
        _ => hard,
    }
}

fn nth_char(line: &str, start: usize, count: usize) -> usize {
    line[start..].char_indices().nth(count).map_or(line.len(), |(at, _)| start + at)
}

fn floor(line: &str, mut at: usize) -> usize {
    at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markers_bars_and_signs_are_left_out() {
        for (line, expected) in [
            ("- AC-01: pays", "AC-01: pays"),
            ("  12. pays", "pays"),
            ("## UC-01: Pay", "UC-01: Pay"),
            ("| BR-01 | pays |", "BR-01 | pays"),
            ("- [ ] pays", "pays"),
            ("**FR-1**: pays", "**FR-1**: pays"),
            ("-", "-"),
            ("|", "|"),
            ("#", "#"),
            ("", ""),
            ("3 days", "3 days"),
        ] {
            assert_eq!(quote(line, 0..0), expected, "{line}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_what_matters() {
        let line = format!("- {} as appropriate {}", "word ".repeat(40), "tail ".repeat(40));
        let at = line.find("as appropriate").expect("there");
        let cut = quote(&line, at..at + 14);
        assert!(cut.contains("as appropriate") && cut.chars().count() <= LONGEST && line.contains(cut));
        assert!(cut.starts_with("word") && cut.ends_with("tail"));
        let line = format!("- AC-01: as appropriate {}", "tail ".repeat(40));
        assert!(quote(&line, 9..23).starts_with("AC-01: as appropriate"));
        let line = "退".repeat(300);
        assert_eq!(quote(&line, 600..603).chars().count(), LONGEST);
    }

    proptest! {
        #[test]
        fn a_quote_is_part_of_the_line_and_short(line in "[^\n\r]{0,300}", from in 0usize..400, len in 0usize..200) {
            let cut = quote(&line, from..from + len);
            prop_assert!(line.contains(cut));
            prop_assert!(cut.chars().count() <= LONGEST);
        }
    }
}
