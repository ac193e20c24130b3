use super::*;
use proptest::prelude::*;

const EN: &str = "The librarian can extend a loan once, unless another reader has reserved the book.";
const VI: &str = "Thủ thư có thể gia hạn phiếu mượn một lần, trừ khi bạn đọc khác đã đặt trước cuốn sách đó.";
const ZH: &str = "图书管理员可以续借一次，除非其他读者已经预约了这本书。";

#[test]
fn texts_take_what_their_script_takes() {
    for (text, expected) in [
        ("", 0),
        ("a", 1),
        ("loan", 2),
        ("a b c", 3),
        ("2026-12-01", 10),
        ("AC-01: ok", 6),
        ("----------", 4),
        ("\n\n\n\n", 2),
        ("        x", 4),
        ("đ", 1),
        ("ờ", 2),
        ("người", 5),
        ("书", 2),
        ("图书管理员", 8),
        ("도서관", 5),
        ("библиотека", 10),
        ("ห้องสมุด", 16),
        ("🙂", 3),
    ] {
        assert_eq!(tokens(text), expected, "{text:?}");
    }
}

/// Figures of public tokenizers for sentences of this kind: English about a token for four characters, Vietnamese one for
/// two to two and a half, Chinese one to one and a half a character. An estimate lies above them and not far above.
#[test]
fn sentences_lie_a_little_above_what_tokenizers_give() {
    let per_character = |text: &str| tokens(text) as f64 / text.chars().count() as f64;
    for (text, least, most) in [(EN, 0.25, 0.40), (VI, 0.50, 0.75), (ZH, 1.0, 1.6)] {
        let density = per_character(text);
        assert!((least..=most).contains(&density), "{density:.2} for {text}");
    }
    let twice = per_character(VI) / per_character(EN);
    assert!((1.5..=2.5).contains(&twice), "{twice:.2}");
}

fn spans(windows: &Windows) -> Vec<(u32, u32)> {
    windows.spans.iter().map(|span| (span.first, span.last)).collect()
}

/// Tokens of lines, room, overlap, then the windows and the lines that fit none.
type WindowsCase<'a> = (&'a [u64], u64, u32, &'a [(u32, u32)], &'a [u32]);

#[test]
fn windows_fit_the_room_and_overlap() {
    let rows: [WindowsCase; 8] = [
        (&[], 10, 2, &[], &[]),
        (&[5, 5, 5], 15, 2, &[(1, 3)], &[]),
        (&[5, 5, 5, 5], 15, 1, &[(1, 3), (3, 4)], &[]),
        (&[5, 5, 5, 5, 5, 5], 15, 2, &[(1, 3), (2, 4), (3, 5), (4, 6)], &[]),
        (&[5, 5, 5, 5], 15, 0, &[(1, 3), (4, 4)], &[]),
        // The line that follows leaves no room for an overlap.
        (&[5, 5, 14, 5], 15, 2, &[(1, 2), (3, 3), (4, 4)], &[]),
        (&[5, 99, 5], 15, 1, &[(1, 1), (2, 2), (3, 3)], &[2]),
        (&[99], 0, 3, &[(1, 1)], &[1]),
    ];
    for (lines, room, overlap, expected, too_long) in rows {
        let windows = windows(lines, room, overlap);
        assert_eq!(spans(&windows), expected, "{lines:?} in {room}");
        assert_eq!(windows.too_long, too_long, "{lines:?} in {room}");
    }
}

#[test]
fn calls_from_the_least_to_the_most() {
    let asked = Asked { cells: 12, before: 1, windows: 1, places: 0 };
    assert_eq!(calls(asked), Calls { all: Span { least: 15, most: (13 + 3) * 4 }, arbiter: Span::default() });
    let with_arbiter = calls(Asked { places: 5, ..asked });
    // Each place once, in two orders.
    assert_eq!(with_arbiter.arbiter, Span { least: 0, most: 5 * 2 });
    assert_eq!(with_arbiter.all, Span { least: 15, most: 64 + 10 });
    let windowed = calls(Asked { windows: 4, ..asked });
    assert_eq!(windowed.all, Span { least: 13 + 8, most: (13 + 12) * 4 });
    let huge = Asked { cells: u64::MAX, before: u64::MAX, windows: u64::MAX, places: u64::MAX };
    assert_eq!(calls(huge).all, Span { least: u64::MAX, most: u64::MAX });
}

proptest! {
    /// Every line stands in a window, every window begins after the one before and fits, but for lines that never do.
    #[test]
    fn windows_cover_everything(lines in prop::collection::vec(0_u64..40, 0..60), room in 0_u64..60, overlap in 0_u32..8) {
        let cut = windows(&lines, room, overlap);
        let mut covered = 0;
        for span in &cut.spans {
            prop_assert!(span.first <= covered + 1 && span.last > covered, "{:?}", cut.spans);
            prop_assert!(covered + 1 - span.first <= overlap);
            let sum: u64 = (span.first..=span.last).map(|line| lines[line as usize - 1]).sum();
            let alone = span.first == span.last && cut.too_long.contains(&span.first);
            prop_assert!(sum <= room || alone, "{span:?} takes {sum} of {room}");
            covered = span.last;
        }
        prop_assert_eq!(covered as usize, lines.len());
        let too_long: Vec<u32> = (1..=lines.len() as u32).filter(|&line| lines[line as usize - 1] > room).collect();
        prop_assert_eq!(cut.too_long, too_long);
    }

    /// A longer text never takes less, and cutting it in two gains at most a token of rounding on each side.
    #[test]
    fn tokens_add_up(a in "[ -~àđờ书🙂\n]{0,40}", b in "[ -~àđờ书🙂\n]{0,40}") {
        let both = tokens(&format!("{a}{b}"));
        prop_assert!(both + 1 >= tokens(&a));
        prop_assert!(both <= tokens(&a) + tokens(&b) + 1);
    }
}
