//! The marks of the workbench in two sets: Unicode, one column each, and plain ASCII.
//!
//! A state is told by its mark and its word; marks differ in shape, so that nothing hangs on colour. None of them is
//! an emoji: those change their width and their colours from terminal to terminal.

use ratatui::symbols::{border, scrollbar};

/// One set of marks.
#[derive(Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Before the row under the cursor.
    pub selected: &'static str,
    /// Before a row that a person picked for a command on several.
    pub marked: &'static str,
    /// Waits for its turn.
    pub waiting: &'static str,
    /// Runs.
    pub running: &'static str,
    /// Ended with an answer.
    pub done: &'static str,
    /// Ended without an answer.
    pub failed: &'static str,
    /// Waits for a person.
    pub needs_you: &'static str,
    /// A hole that a person accepted: nobody looked here.
    pub hole: &'static str,
    /// Not asked, for a cap is reached: it is asked when the run goes on under a higher one.
    pub held: &'static str,
    /// Not part of the plan.
    pub not_covered: &'static str,
    /// Severity critical.
    pub critical: &'static str,
    /// Severity major.
    pub major: &'static str,
    /// Severity minor.
    pub minor: &'static str,
    /// Before a group that hides its rows.
    pub folded: &'static str,
    /// Before a group that shows its rows.
    pub unfolded: &'static str,
    /// More to the left.
    pub left: &'static str,
    /// More to the right; also "leads to".
    pub right: &'static str,
    /// More above.
    pub up: &'static str,
    /// More below.
    pub down: &'static str,
    /// In place of what was cut.
    pub ellipsis: &'static str,
    /// Between parts of a header or footer, its blanks included.
    pub separator: &'static str,
    /// Between a name and what is said about it, its blanks included.
    pub dash: &'static str,
    /// Between two numbers or names that span a table.
    pub times: &'static str,
    /// Before an item of a list.
    pub bullet: &'static str,
    /// Before each row of quoted text.
    pub quote: &'static str,
    /// The part of a bar that is reached.
    pub bar_full: &'static str,
    /// The part of a bar that is not reached.
    pub bar_empty: &'static str,
    /// The frame of a pane.
    pub border: border::Set<'static>,
    /// The frame of the pane that has the keyboard.
    pub border_focus: border::Set<'static>,
    /// The bar at the side of a pane that scrolls.
    pub scrollbar: scrollbar::Set<'static>,
    /// Before an item of a tree that others follow; two columns.
    pub branch: &'static str,
    /// Before the last item of a tree; two columns.
    pub last_branch: &'static str,
    /// Before what is below an item that others follow; two columns.
    pub stem: &'static str,
}

/// The Unicode set. Shapes that no East Asian width table calls ambiguous are taken where there is a choice.
pub static UNICODE: Glyphs = Glyphs {
    selected: "►",
    marked: "◆",
    waiting: "·",
    running: "●",
    done: "✓",
    failed: "✗",
    needs_you: "?",
    hole: "○",
    held: "◊",
    not_covered: "–",
    critical: "▲",
    major: "■",
    minor: "▽",
    folded: "⊞",
    unfolded: "⊟",
    left: "←",
    right: "→",
    up: "↑",
    down: "↓",
    ellipsis: "…",
    separator: " · ",
    dash: " — ",
    times: "×",
    bullet: "•",
    quote: "▎",
    bar_full: "█",
    bar_empty: "░",
    border: border::PLAIN,
    border_focus: border::THICK,
    scrollbar: scrollbar::Set { track: "│", thumb: "█", begin: "↑", end: "↓" },
    branch: "├─",
    last_branch: "└─",
    stem: "│ ",
};

/// The ASCII set, for terminals and locales without Unicode.
pub static ASCII: Glyphs = Glyphs {
    selected: ">",
    marked: "#",
    waiting: ".",
    running: "*",
    done: "+",
    failed: "x",
    needs_you: "?",
    hole: "o",
    held: "=",
    not_covered: "-",
    critical: "!!",
    major: "!",
    minor: ":",
    folded: "[+]",
    unfolded: "[-]",
    left: "<-",
    right: "->",
    up: "^",
    down: "v",
    ellipsis: "~",
    separator: " | ",
    dash: " - ",
    times: "x",
    bullet: "*",
    quote: "|",
    bar_full: "=",
    bar_empty: ".",
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    border_focus: border::Set {
        top_left: "#",
        top_right: "#",
        bottom_left: "#",
        bottom_right: "#",
        vertical_left: "#",
        vertical_right: "#",
        horizontal_top: "=",
        horizontal_bottom: "=",
    },
    scrollbar: scrollbar::Set { track: "|", thumb: "#", begin: "^", end: "v" },
    branch: "|-",
    last_branch: "`-",
    stem: "| ",
};

impl Glyphs {
    /// The set to use: ASCII where it is asked for, or where the locale is set and is not UTF-8.
    ///
    /// The locale is the first that is set, and not empty, of `LC_ALL`, `LC_CTYPE` and `LANG`.
    pub fn choose(ascii: bool, lc_all: Option<&str>, lc_ctype: Option<&str>, lang: Option<&str>) -> &'static Glyphs {
        let locale = [lc_all, lc_ctype, lang].into_iter().flatten().find(|value| !value.is_empty());
        if ascii || locale.is_some_and(|locale| !is_utf8(locale)) { &ASCII } else { &UNICODE }
    }
}

/// Whether a locale's character set is UTF-8: `vi_VN.UTF-8`, `C.utf8`, `UTF-8`.
fn is_utf8(locale: &str) -> bool {
    let set = locale.split('@').next().unwrap_or_default();
    let set = set.rsplit('.').next().unwrap_or_default();
    set.eq_ignore_ascii_case("utf-8") || set.eq_ignore_ascii_case("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use unicode_width::UnicodeWidthStr;

    /// Marks that may stand in one column of a list, so that their shape alone must tell them apart.
    fn marks(glyphs: &Glyphs) -> Vec<&'static str> {
        vec![
            glyphs.selected,
            glyphs.marked,
            glyphs.waiting,
            glyphs.running,
            glyphs.done,
            glyphs.failed,
            glyphs.needs_you,
            glyphs.hole,
            glyphs.held,
            glyphs.not_covered,
            glyphs.critical,
            glyphs.major,
            glyphs.minor,
            glyphs.folded,
            glyphs.unfolded,
            glyphs.left,
            glyphs.right,
            glyphs.up,
            glyphs.down,
            glyphs.ellipsis,
        ]
    }

    fn sides(set: &border::Set<'static>) -> [&'static str; 8] {
        [
            set.top_left,
            set.top_right,
            set.bottom_left,
            set.bottom_right,
            set.vertical_left,
            set.vertical_right,
            set.horizontal_top,
            set.horizontal_bottom,
        ]
    }

    fn everything(glyphs: &Glyphs) -> Vec<&'static str> {
        let mut all = marks(glyphs);
        all.extend([glyphs.separator, glyphs.dash, glyphs.times, glyphs.bullet, glyphs.quote, glyphs.bar_full, glyphs.bar_empty]);
        all.extend([glyphs.branch, glyphs.last_branch, glyphs.stem]);
        all.extend(sides(&glyphs.border));
        all.extend(sides(&glyphs.border_focus));
        let bar = &glyphs.scrollbar;
        all.extend([bar.track, bar.thumb, bar.begin, bar.end]);
        all
    }

    #[test]
    fn marks_differ_in_shape_within_a_set() {
        for glyphs in [&UNICODE, &ASCII] {
            let all = marks(glyphs);
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
            assert_ne!(glyphs.bar_full, glyphs.bar_empty);
            assert_ne!(glyphs.border, glyphs.border_focus);
            assert_ne!(glyphs.scrollbar.thumb, glyphs.scrollbar.track);
        }
    }

    #[test]
    fn unicode_marks_take_one_column_and_are_no_emoji() {
        let one_column = marks(&UNICODE).into_iter().chain(sides(&UNICODE.border)).chain(sides(&UNICODE.border_focus));
        for mark in one_column.chain([UNICODE.bar_full, UNICODE.bar_empty, UNICODE.quote, UNICODE.times, UNICODE.bullet]) {
            assert_eq!((mark.width(), mark.chars().count()), (1, 1), "{mark}");
        }
        for c in everything(&UNICODE).concat().chars() {
            // The emoji selector widens exactly the characters that have an emoji form; `?` has none either.
            assert_eq!(format!("{c}\u{fe0f}").width(), 1, "{c} has an emoji form");
        }
        let pairs = [UNICODE.branch, UNICODE.last_branch, UNICODE.stem, ASCII.branch, ASCII.last_branch, ASCII.stem];
        assert!(pairs.iter().all(|piece| piece.width() == 2));
    }

    #[test]
    fn the_ascii_set_is_printable_ascii() {
        for mark in everything(&ASCII) {
            assert!(!mark.is_empty() && mark.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{mark:?}");
        }
        for set in [&ASCII.border, &ASCII.border_focus] {
            assert!(sides(set).iter().all(|side| side.len() == 1));
        }
    }

    #[test]
    fn the_locale_chooses_in_its_order_of_priority() {
        let ascii = |all, ctype, lang| *Glyphs::choose(false, all, ctype, lang) == ASCII;
        assert!(!ascii(None, None, None), "nothing is known: Unicode");
        assert!(!ascii(None, None, Some("vi_VN.UTF-8")));
        assert!(!ascii(None, None, Some("de_DE.utf8@euro")));
        assert!(!ascii(None, Some("UTF-8"), Some("C")));
        assert!(!ascii(Some("C.UTF-8"), Some("C"), Some("C")));
        assert!(ascii(Some("C"), Some("en_US.UTF-8"), Some("en_US.UTF-8")));
        assert!(ascii(None, Some("POSIX"), Some("en_US.UTF-8")));
        assert!(ascii(None, None, Some("ja_JP.eucJP")));
        assert!(ascii(None, None, Some("en_US")));
        assert!(!ascii(Some(""), Some(""), Some("en_US.UTF-8")), "an empty value counts as unset");
        assert_eq!(Glyphs::choose(true, None, None, Some("en_US.UTF-8")), &ASCII);
    }
}
