//! Tests of wrapping and cutting.

use super::*;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// `Tiếng Việt` and `한글` in decomposed form.
const DECOMPOSED: &str = "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}";
const FAMILY: &str = "👩\u{200d}👩\u{200d}👧";

#[test]
fn widths_are_columns() {
    for (text, columns) in
        [("", 0), ("abc", 3), ("Tiếng Việt", 10), ("需求文档", 8), (DECOMPOSED, 15), (FAMILY, 2), ("a\u{1b}\tb", 2)]
    {
        assert_eq!(width(text), columns, "{text:?}");
    }
}

#[test]
fn words_wrap_at_white_space_and_lines_stay() {
    assert_eq!(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
    assert_eq!(wrap("the  quick   brown fox", 11), ["the  quick", "brown fox"]);
    assert_eq!(wrap("one\r\ntwo\n\nthree\n", 10), ["one", "two", "", "three", ""]);
    assert_eq!(wrap("", 10), [""]);
    assert_eq!(wrap("   ", 2), [""]);
    assert_eq!(wrap("a\u{a0}b c", 3), ["a\u{a0}b", "c"], "a no-break space does not break");
    assert_eq!(wrap("mỗi yêu cầu có đơn vị", 9), ["mỗi yêu", "cầu có", "đơn vị"]);
}

#[test]
fn the_blanks_at_the_start_of_a_line_stay_on_its_first_row_where_there_is_room() {
    assert_eq!(wrap("  indented code goes on", 12), ["  indented", "code goes on"]);
    assert_eq!(wrap("\tcode", 8), ["    code"]);
    assert_eq!(wrap("      long", 6), ["long"]);
}

#[test]
fn wide_characters_break_anywhere_but_at_punctuation() {
    assert_eq!(wrap("需求文档说明", 5), ["需求", "文档", "说明"]);
    assert_eq!(wrap("系统必须，在五秒内", 8), ["系统必", "须，在五", "秒内"]);
    assert_eq!(wrap("见（文档）", 4), ["见", "（文", "档）"]);
    assert_eq!(wrap("使用API调用", 7), ["使用API", "调用"]);
    assert_eq!(wrap(DECOMPOSED, 10), DECOMPOSED.rsplitn(2, ' ').collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn a_long_word_is_cut_between_clusters() {
    assert_eq!(wrap("see abcdefghij now", 4), ["see", "abcd", "efgh", "ij", "now"]);
    assert_eq!(wrap("see abcdefghij no", 5), ["see", "abcde", "fghij", "no"]);
    let flags = "🇻🇳🇨🇳";
    assert_eq!(wrap(flags, 3), ["🇻🇳", "🇨🇳"]);
    assert_eq!(wrap("abcdef", 4), ["abcd", "ef"]);
    assert_eq!(wrap("abcdef g", 4), ["abcd", "ef g"]);
}

#[test]
fn a_cluster_wider_than_the_row_stands_alone() {
    assert_eq!(wrap("a文b", 1), ["a", "文", "b"]);
    assert_eq!(wrap("a文 b", 0), ["a", "文", "b"]);
    assert_eq!(wrap(FAMILY, 1), [FAMILY]);
}

#[test]
fn tabs_reach_the_next_stop() {
    assert_eq!(expand_tabs("a\tb\n\tc\t文\td", 4), "a   b\n    c   文  d");
    assert_eq!(expand_tabs("no tab", 4), "no tab");
    assert_eq!(expand_tabs("a\tb", 0), "a b");
}

#[test]
fn styled_runs_wrap_as_their_text() {
    let spans = vec![("the ".to_owned(), 1), ("quick bro".to_owned(), 2), ("wn fox".to_owned(), 3)];
    let own = |pieces: &[(&str, u8)]| pieces.iter().map(|&(text, style)| (text.to_owned(), style)).collect::<Vec<_>>();
    assert_eq!(
        wrap_spans(spans, 10),
        [own(&[("the ", 1), ("quick", 2)]), own(&[("bro", 2), ("wn fox", 3)])],
        "the word over two runs stays whole"
    );
    let accent = vec![("e".to_owned(), 1), ("\u{301}x".to_owned(), 2)];
    assert_eq!(wrap_spans(accent, 5), [own(&[("e\u{301}", 1), ("x", 2)])], "a mark stays with its letter");
    assert_eq!(wrap_spans(Vec::<(String, u8)>::new(), 5), [own(&[])]);
    let tab = vec![("ab".to_owned(), 1), ("\tc\n".to_owned(), 2), (String::new(), 3), ("\td".to_owned(), 4)];
    assert_eq!(wrap_spans(tab, 9), [own(&[("ab", 1), ("  c", 2)]), own(&[("    d", 4)])]);
}

#[test]
fn what_is_cut_fits_with_its_ellipsis() {
    assert_eq!(cut("abcdef", 6, "…"), "abcdef");
    assert_eq!(cut("abcdefg", 6, "…"), "abcde…");
    assert_eq!(cut("需求文档", 6, "…"), "需求…", "a wide character leaves a column free");
    assert_eq!(cut("abc", 2, "..."), "..");
    assert_eq!(cut("abc", 0, "…"), "");
    assert_eq!(cut_middle("/home/an/tài liệu/yêu-cầu.md", 16, "…"), "/home…yêu-cầu.md");
    assert_eq!(cut_middle("abc", 1, "…"), "…");
    assert_eq!(cut_middle("abc", 0, "…"), "");
}

#[test]
fn cells_of_a_table_are_padded() {
    assert_eq!(pad("文", 4), "文  ");
    assert_eq!(pad_left("12", 4), "  12");
    assert_eq!(pad("abc", 2), "abc");
    assert_eq!(fit("需求文档", 6, "…"), "需求… ");
    assert_eq!(fit("ab", 3, "…"), "ab ");
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("a"),
        Just("bc"),
        Just(" "),
        Just("  "),
        Just("\n"),
        Just("\t"),
        Just("文"),
        Just("，"),
        Just("（"),
        Just("e\u{301}"),
        Just("\u{301}"),
        Just("\u{200d}"),
        Just("👩"),
        Just(FAMILY),
        Just("🇻🇳"),
        Just("\u{1112}\u{1161}"),
        Just("\u{1b}"),
        Just("\r"),
        Just("\u{a0}"),
        Just("ｶﾞ"),
        Just("\u{fe0f}"),
        Just("क्ष"),
        Just("ệ"),
        Just("⟦U+202E⟧"),
    ];
    prop_oneof![proptest::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()), "(?s).{0,60}"]
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #[test]
    fn nothing_is_lost_and_every_row_fits(text in hostile(), columns in 0_usize..12) {
        let rows = wrap(&text, columns);
        prop_assert!(!rows.is_empty());
        prop_assert_eq!(without_blanks(&rows.concat()), without_blanks(&text));
        for row in &rows {
            let alone = row.graphemes(true).filter(|cluster| cluster_width(cluster) > 0).count() == 1;
            prop_assert!(width(row) <= columns || alone, "{row:?} in {columns}");
        }
    }

    #[test]
    fn no_cluster_is_split(text in hostile(), columns in 0_usize..12) {
        let expanded = expand_tabs(&text, TAB);
        let borders: Vec<usize> = expanded.grapheme_indices(true).map(|(at, _)| at).chain([expanded.len()]).collect();
        for row in rows(&expanded, columns) {
            prop_assert!(row.is_empty() || (borders.contains(&row.start) && borders.contains(&row.end)), "{row:?}");
        }
    }

    #[test]
    fn styled_runs_give_the_same_rows(text in hostile(), cuts in proptest::collection::vec(0_usize..60, 0..4), columns in 0_usize..12) {
        let mut at: Vec<usize> = cuts.into_iter().filter(|&cut| text.is_char_boundary(cut.min(text.len()))).map(|cut| cut.min(text.len())).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let spans: Vec<(String, usize)> = at.windows(2).enumerate().map(|(i, pair)| (text[pair[0]..pair[1]].to_owned(), i)).collect();
        let joined: Vec<String> = wrap_spans(spans, columns).into_iter().map(|row| row.into_iter().map(|(text, _)| text).collect()).collect();
        prop_assert_eq!(joined, wrap(&text, columns));
    }

    #[test]
    fn what_is_cut_or_fitted_never_exceeds(text in hostile(), columns in 0_usize..12, mark in prop_oneof![Just("…"), Just("~"), Just("..."), Just("")]) {
        prop_assert!(width(&cut(&text, columns, mark)) <= columns);
        prop_assert!(width(&cut_middle(&text, columns, mark)) <= columns);
        // The padding may join the last cluster only where that cluster is none of its own.
        if !text.contains(char::is_control) && !text.contains('\n') {
            prop_assert_eq!(width(&fit(&text, columns, mark)), columns);
        }
    }

    #[test]
    fn a_width_is_what_the_screen_uses(text in "[ -~]{0,10}|[\u{300}-\u{310}a文ệ👩\u{200d}\u{fe0f}ｶﾞ]{0,10}") {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 1));
        let (x, _) = buffer.set_stringn(0, 0, &text, 60, Style::new());
        prop_assert_eq!(usize::from(x), width(&text));
    }
}
