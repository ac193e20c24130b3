//! Tests of differences.

use super::Piece::{Added, Removed, Same};
use super::*;
use proptest::prelude::*;

fn marked(pieces: &[Piece]) -> String {
    spans(pieces).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn words_that_change_are_marked_and_the_rest_stays() {
    for (base, new, expected) in [
        (
            "The system must answer fast.",
            "The system must answer within 2 seconds.",
            "The system must answer [-fast-]{+within 2 seconds+}.",
        ),
        (
            "Hệ thống phải phản hồi nhanh",
            "Hệ thống phải phản hồi trong 2 giây",
            "Hệ thống phải phản hồi [-nhanh-]{+trong 2 giây+}",
        ),
        ("系统必须快速响应请求", "系统必须在2秒内响应请求", "系统必须[-快速-]{+在2秒内+}响应请求"),
        ("same\n  text", "same text", "same text"),
        ("", "all new", "{+all new+}"),
        ("all gone", "", "[-all gone-]"),
        ("", "", ""),
        ("limit: 10 MB", "limit: 20 MB", "limit: [-10-]{+20+} MB"),
    ] {
        assert_eq!(marked(&words(base, new)), expected);
    }
}

#[test]
fn a_decomposed_letter_equals_the_composed_one() {
    let decomposed = "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t";
    assert_eq!(words(decomposed, "Tiếng Việt"), [Same("Tiếng Việt".to_owned())]);
    assert_eq!(ratio(decomposed, "Tiếng Việt"), 1.0);
}

#[test]
fn a_reworded_phrase_reads_as_one_change() {
    let pieces = words("Orders shall be kept on disk for a year.", "Orders shall be erased by the job for a year.");
    assert_eq!(marked(&pieces), "Orders shall be [-kept on disk-]{+erased by the job+} for a year.");
    let pieces = words("the user may open the very long report", "an admin must open the very long summary");
    assert_eq!(marked(&pieces), "[-the user may-]{+an admin must+} open the very long [-report-]{+summary+}");
}

#[test]
fn texts_with_little_in_common_are_shown_apart() {
    let differences = shown("Passwords expire.", "Sessions end after 30 minutes; passwords never expire by themselves.");
    let Differences::Apart(pieces) = &differences else { panic!("{differences:?}") };
    assert_eq!(marked(pieces), "{+Sessions end after 30 minutes+}; passwords {+never+} expire {+by themselves+}.");
    assert!(pieces.iter().all(|piece| !matches!(piece, Removed(_))));
    let alike = shown("The session ends after 20 minutes.", "The session ends after 30 minutes.");
    assert_eq!(marked(alike.pieces()), "The session ends after [-20-]{+30+} minutes.");
    assert!(matches!(alike, Differences::Inline(_)));
    assert!(matches!(shown("", ""), Differences::Inline(pieces) if pieces.is_empty()));
}

#[test]
fn the_ratio_counts_characters_of_common_words() {
    assert_eq!(ratio("", ""), 1.0);
    assert_eq!(ratio(" \n", "\t"), 1.0);
    assert_eq!(ratio("abc", ""), 0.0);
    assert_eq!(ratio("one two", "one six"), 0.5);
    assert!(ratio("a bb", "a cccc bb") < 1.0);
}

#[test]
fn signs_stand_beside_roles_and_nothing_hostile_passes() {
    let pieces = [Same("a ".to_owned()), Removed("b\u{1b}[2J".to_owned()), Added("c\u{202e}".to_owned())];
    assert_eq!(
        spans(&pieces),
        [("a ".to_owned(), Role::Text), ("[-b␛[2J-]".to_owned(), Role::Removed), ("{+c⟦U+202E⟧+}".to_owned(), Role::Added)]
    );
}

fn short(diff: &[LineDiff]) -> Vec<String> {
    let line = |line: &LineDiff| match line {
        LineDiff::Same { old, new, text } => format!("{old} {new} {text}"),
        LineDiff::Added { new, text } => format!("+{new} {text}"),
        LineDiff::Removed { old, text } => format!("-{old} {text}"),
        LineDiff::Skipped(count) => format!("({count})"),
    };
    diff.iter().map(line).collect()
}

#[test]
fn lines_stand_in_hunks_with_their_numbers() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
    let new = "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11a\n11b\n12\n";
    assert_eq!(
        short(&lines(old, new, 1)),
        ["(2)", "3 3 3", "-4 4", "+4 four", "5 5 5", "(4)", "10 10 10", "-11 11", "+11 11a", "+12 11b", "12 13 12"]
    );
    assert_eq!(short(&lines(old, "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12", 0)), ["-1 1", "(11)"]);
    assert_eq!(short(&lines("", "a\nb", 3)), ["+1 a", "+2 b"]);
    assert_eq!(short(&lines("a\r\nb", "a\nb\n", 3)), [""; 0], "ends of lines are not compared");
    assert_eq!(short(&lines("", "", 3)), [""; 0]);
}

#[test]
fn large_files_are_compared_line_by_line() {
    let old: String = (0..40_000).map(|i| format!("line {i} of a long file\n")).collect();
    assert!(old.len() > 800_000);
    let new = old.replace("line 20000 of", "another line in").replace("line 39999 of a long file\n", "");
    let diff = short(&lines(&old, &new, 1));
    let expected = [
        "(19999)",
        "20000 20000 line 19999 of a long file",
        "-20001 line 20000 of a long file",
        "+20001 another line in a long file",
        "20002 20002 line 20001 of a long file",
        "(19996)",
        "39999 39999 line 39998 of a long file",
        "-40000 line 39999 of a long file",
    ];
    assert_eq!(diff, expected);
    let pieces = words(&old, &new);
    assert_eq!(pieces.len(), 5, "by line: same, removed, added, same, removed");
    assert!(matches!(shown(&old, &new), Differences::Inline(_)));
}

#[test]
fn files_without_a_common_line_are_not_searched_for_ever() {
    // Many lines of few kinds: the worst case of every search.
    let shuffled = |seed: u64| -> String {
        let mut state = seed;
        let mut line = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            format!("{}\n", (state >> 33) % 20)
        };
        (0..200_000).map(|_| line()).collect()
    };
    let (old, new) = (format!("head\n{}", shuffled(1)), format!("head\n{}", shuffled(2)));
    let diff = lines(&old, &new, 0);
    let removed = diff.iter().filter(|line| matches!(line, LineDiff::Removed { .. })).count();
    let added = diff.iter().filter(|line| matches!(line, LineDiff::Added { .. })).count();
    assert!(removed == added && removed > MAX_LINES, "{removed} {added}");
    assert_eq!(diff[0], LineDiff::Skipped(1));
    let chinese: String = old.chars().filter_map(|c| char::from_u32(0x4e00 + u32::from(c))).collect();
    assert_eq!(words(&chinese, &format!("{chinese}\n{chinese}")).len(), 2, "no line in common");
}

/// Texts that share words and characters, in several scripts.
fn texts() -> impl Strategy<Value = String> {
    let words = [
        "the",
        "user",
        "must",
        "phải",
        "hệ",
        "thống",
        "系",
        "统",
        "。",
        ", ",
        " ",
        "  ",
        "\n",
        "10",
        "e\u{301}",
        "👩\u{200d}👩",
        "ひら",
        "カナ",
        "한글",
        "-",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..24).prop_map(|words| words.concat())
}

fn nfc(text: &str) -> String {
    text.nfc().collect()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #[test]
    fn pieces_joined_are_the_texts(base in texts(), new in texts()) {
        let pieces = words(&base, &new);
        let (mut before, mut after) = (String::new(), String::new());
        for piece in &pieces {
            match piece {
                Same(text) => { before.push_str(text); after.push_str(text); }
                Added(text) => after.push_str(text),
                Removed(text) => before.push_str(text),
            }
        }
        prop_assert_eq!(&after, &nfc(&new));
        prop_assert_eq!(without_blanks(&before), without_blanks(&nfc(&base)));
        for pair in pieces.windows(2) {
            prop_assert!(!matches!(pair, [Same(_), Same(_)] | [Added(_), Added(_)] | [Removed(_), Removed(_)] | [Added(_), Removed(_)]), "{pieces:?}");
        }
        prop_assert!(pieces.iter().all(|piece| matches!(piece, Same(text) | Added(text) | Removed(text) if !text.is_empty())));
    }

    #[test]
    fn the_new_text_stands_whole_also_when_apart(base in texts(), new in texts()) {
        let joined: String = new_words(&base, &new).into_iter().map(|piece| match piece { Same(text) | Added(text) | Removed(text) => text }).collect();
        prop_assert_eq!(joined, nfc(&new));
        let share = ratio(&base, &new);
        prop_assert!((0.0..=1.0).contains(&share));
    }

    #[test]
    fn lines_lead_from_the_old_text_to_the_new(
        old in proptest::collection::vec("[abc]", 0..12), new in proptest::collection::vec("[abc]", 0..12), context in 0_usize..4,
    ) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for line in lines(&old.join("\n"), &new.join("\n"), context) {
            match line {
                LineDiff::Same { old, new, text } => { before.push((old, text.clone())); after.push((new, text)); }
                LineDiff::Added { new, text } => after.push((new, text)),
                LineDiff::Removed { old, text } => before.push((old, text)),
                LineDiff::Skipped(count) => prop_assert!(count > 0),
            }
        }
        for (numbered, source) in [(before, &old), (after, &new)] {
            for (number, text) in numbered {
                prop_assert_eq!(&source[number - 1], &text);
            }
        }
    }
}
