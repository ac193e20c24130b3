//! Text that a person typed, pasted or wrote in an editor, made fit to be stored: composed (NFC), lines ended by LF, and
//! nothing invisible in it.

use crate::model::shown::{Shown, is_hidden};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What a tab becomes.
pub const TAB: &str = "    ";

/// Joins emoji into one; kept there, a hidden character anywhere else.
const JOINER: char = '\u{200d}';

/// The text as it is stored: CRLF and CR are LF, tabs four spaces, control and hidden characters the marks with which they
/// are shown, all composed. `before` is the text that it is put behind: an emoji of it may be joined on.
pub fn typed(text: &str, before: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = before;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' => {
                rest.next_if_eq(&'\n');
                out.push('\n');
            }
            '\n' => out.push('\n'),
            '\t' => out.push_str(TAB),
            JOINER if last.is_some_and(is_pictograph) => out.push(JOINER),
            _ if c.is_control() || is_hidden(c) => out.push_str(Shown::line(c.encode_utf8(&mut [0; 4])).as_str()),
            _ => out.push(c),
        }
        last = Some(c);
    }
    composed(out)
}

/// The text in NFC; without work where it is already.
pub fn composed(text: String) -> String {
    if is_nfc_quick(text.chars()) == IsNormalized::Yes { text } else { text.nfc().collect() }
}

/// Whether a character can stand before a joiner: an emoji, its skin tone or its presentation mark.
fn is_pictograph(c: char) -> bool {
    matches!(c as u32, 0xfe0f | 0x2190..=0x2bff | 0x1f000..=0x1faff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_tabs_and_composition_are_settled() {
        assert_eq!(typed("a\r\nb\rc\nd\te", None), "a\nb\nc\nd    e");
        assert_eq!(typed("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t", None), "Tiếng Việt");
        assert_eq!(typed("\u{1112}\u{1161}\u{11ab}", None), "한");
    }

    #[test]
    fn nothing_invisible_is_kept_but_joiners_of_emoji() {
        assert_eq!(typed("a\u{1b}[31mb\u{7f}\0\u{9b}\u{202e}\u{200b}c", None), "a␛[31mb^?^@⟦U+009B⟧⟦U+202E⟧⟦U+200B⟧c");
        assert_eq!(typed("👩\u{200d}💻", None), "👩\u{200d}💻");
        assert_eq!(typed("a\u{200d}b", None), "a⟦U+200D⟧b");
        assert_eq!(typed("\u{200d}", Some('👩')), "\u{200d}");
        assert_eq!(typed("\u{200d}", None), "⟦U+200D⟧");
    }
}
