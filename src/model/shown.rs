//! `Shown`: text from a document, a model or a child, made safe for a terminal. Display only, never stored.

use std::fmt;
use unicode_width::UnicodeWidthChar;

/// Text that holds no control, escape, bidi or invisible character: each is replaced by a visible mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

/// Combining marks after one base character that are shown; more are counted away.
const MAX_COMBINING: usize = 8;
/// Characters that a column can take at most: a base with its marks.
const IN_A_COLUMN: usize = 1 + MAX_COMBINING;

impl Shown {
    /// Makes text safe. Line feeds become spaces: a shown text is one line.
    pub fn line(text: &str) -> Shown {
        Shown(clean(text, false, usize::MAX))
    }

    /// As [`Shown::line`], but of a long text only a beginning that is wider than `columns`: a row never shows more of it.
    pub fn line_start(text: &str, columns: usize) -> Shown {
        Shown(clean(text, false, columns.saturating_add(2).saturating_mul(IN_A_COLUMN)))
    }

    /// Makes text safe and keeps its line feeds.
    pub fn block(text: &str) -> Shown {
        Shown(clean(text, true, usize::MAX))
    }

    /// The safe text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The safe text, ended once it has `most` characters.
fn clean(text: &str, keep_lines: bool, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let (mut combining, mut left) = (0, most);
    for c in text.chars() {
        if left == 0 {
            break;
        }
        if is_combining(c) {
            combining += 1;
            if combining > MAX_COMBINING {
                continue;
            }
        } else {
            combining = 0;
        }
        left -= 1;
        match c {
            '\n' if keep_lines => out.push('\n'),
            '\n' | '\t' => out.push(' '),
            '\r' => {}
            '\u{1b}' => out.push('␛'),
            '\0'..='\u{1f}' | '\u{7f}' => {
                out.push('^');
                out.push(char::from((c as u8) ^ 0x40));
            }
            _ if is_hidden(c) => {
                out.push_str(&format!("⟦U+{:04X}⟧", c as u32));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Whether a character is C1, bidi, zero-width, a tag, a filler or otherwise invisible (facts/trust.md 2.1).
pub fn is_hidden(c: char) -> bool {
    matches!(c as u32,
        0x80..=0x9f | 0xad | 0x61c | 0x115f | 0x1160 | 0x180e
        | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2064 | 0x2066..=0x206f
        | 0x3164 | 0xfe00..=0xfe0e | 0xfeff | 0xffa0 | 0xfff9..=0xfffb
        | 0xe0000..=0xe01ef)
}

/// Whether a character is drawn onto the one before it, in whatever script.
fn is_combining(c: char) -> bool {
    !c.is_ascii() && !is_hidden(c) && c.width() == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn no_escape_control_or_hidden_character_survives() {
        let nasty = "a\u{1b}[31mb\u{9b}2J\u{202e}c\u{200b}d\te\rf\0g\u{e0041}h\u{2028}i";
        let shown = Shown::line(nasty);
        assert_eq!(shown.as_str(), "a␛[31mb⟦U+009B⟧2J⟦U+202E⟧c⟦U+200B⟧d ef^@g⟦U+E0041⟧h⟦U+2028⟧i");
        assert!(!shown.as_str().chars().any(|c| c.is_control() || is_hidden(c)));
    }

    #[test]
    fn the_start_of_a_long_text_is_wider_than_asked_and_no_longer_than_needed() {
        let flood = format!("e{}", "\u{301}".repeat(50)).repeat(100_000);
        for text in ["x".repeat(1_000_000), "\u{1b}".repeat(1_000_000), flood, "중".repeat(400_000), "short".to_owned()] {
            let start = Shown::line_start(&text, 80);
            assert!(Shown::line(&text).as_str().starts_with(start.as_str()));
            assert!(start.as_str() == text || start.as_str().width() > 80, "{start}");
            assert!(start.as_str().chars().count() <= 82 * IN_A_COLUMN);
        }
    }

    #[test]
    fn lines_are_kept_only_in_blocks_and_combining_floods_are_capped() {
        assert_eq!(Shown::line("a\nb").as_str(), "a b");
        assert_eq!(Shown::block("a\nb").as_str(), "a\nb");
        let flood = format!("e{}", "\u{301}".repeat(50));
        assert_eq!(Shown::line(&flood).as_str().chars().count(), 1 + MAX_COMBINING);
        for mark in ['\u{5b0}', '\u{64b}', '\u{941}', '\u{fe0f}', '\u{e31}', '\u{1d167}'] {
            let flood = format!("e{}x", mark.to_string().repeat(50));
            assert_eq!(Shown::line(&flood).as_str().chars().count(), 2 + MAX_COMBINING, "{mark:?}");
        }
        assert_eq!(Shown::line("Tiếng Việt 中文 🔴").as_str(), "Tiếng Việt 中文 🔴");
    }
}
