//! Text as the word lists see it, with the way back to the document's bytes.

use crate::model::outline::Span;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Stands for a stretch that rules must not read; no term holds it, so no match crosses it.
pub const MASK: char = '\u{1}';

/// One character of the folded text and where it comes from.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Byte offset in the folded text.
    at: u32,
    /// First byte of its source.
    start: u32,
    /// One past the last byte of its source.
    end: u32,
}

/// A stretch of text after NFKC, lower-casing, folding of white space and of the Vietnamese tone placement, without emphasis marks.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    text: String,
    /// `None` where every byte is its own source.
    marks: Option<Vec<Mark>>,
    base: usize,
}

impl Folded {
    /// Folds `source`, which stands at byte `base` of the document; `masked` (document bytes, sorted) becomes [`MASK`].
    pub fn new(source: &str, base: usize, masked: &[Span]) -> Folded {
        if masked.is_empty() && is_plain(source.as_bytes()) {
            return Folded { text: source.to_ascii_lowercase(), marks: None, base };
        }
        let mut folded =
            Folded { text: String::with_capacity(source.len()), marks: Some(Vec::with_capacity(source.len())), base };
        let mut at = 0;
        for mask in masked {
            let start = mask.start.saturating_sub(base).clamp(at, source.len());
            let end = mask.end.saturating_sub(base).min(source.len());
            if start >= end || !source.is_char_boundary(start) || !source.is_char_boundary(end) {
                continue;
            }
            folded.take(&source[at..start], at);
            folded.push(MASK, start, end);
            at = end;
        }
        folded.take(&source[at..], at);
        folded
    }

    /// Folds a term or any other text that has no place in a document.
    pub fn plain(source: &str) -> String {
        Folded::new(source, 0, &[]).text
    }

    /// The folded text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The document bytes that the folded bytes `start..end` come from.
    pub fn source(&self, start: usize, end: usize) -> Span {
        let Some(marks) = &self.marks else { return Span::new(self.base + start, self.base + end) };
        if start >= end || marks.is_empty() {
            let at = self.base + marks.last().map_or(0, |mark| mark.end as usize);
            return Span::new(at, at);
        }
        let mark = |at: usize| marks[marks.partition_point(|mark| mark.at as usize <= at).saturating_sub(1)];
        Span::new(self.base + mark(start).start as usize, self.base + mark(end - 1).end as usize)
    }

    /// Folds a piece that holds no mask; `offset` is its place in the source.
    fn take(&mut self, piece: &str, offset: usize) {
        let quick = piece.is_ascii() || is_nfkc_quick(piece.chars()) == IsNormalized::Yes;
        if quick {
            for (index, c) in piece.char_indices() {
                self.fold_char(c, offset + index, offset + index + c.len_utf8());
            }
            return;
        }
        // Normalise a starter together with the marks that follow it, so that every result has one source stretch.
        let mut chars = piece.char_indices().peekable();
        let mut group = String::new();
        while let Some((start, first)) = chars.next() {
            group.clear();
            group.push(first);
            let mut end = start + first.len_utf8();
            while let Some((at, mark)) = chars.next_if(|(_, c)| is_combining_mark(*c)) {
                group.push(mark);
                end = at + mark.len_utf8();
            }
            for c in group.nfkc() {
                self.fold_char(c, offset + start, offset + end);
            }
        }
    }

    fn fold_char(&mut self, c: char, start: usize, end: usize) {
        if c.is_ascii() {
            match c {
                '*' => {}
                ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => self.push_blank(start, end),
                MASK => self.push(' ', start, end),
                _ => self.push(c.to_ascii_lowercase(), start, end),
            }
        } else if c.is_whitespace() {
            self.push_blank(start, end);
        } else if !is_invisible(c) {
            for lower in c.to_lowercase() {
                self.push(lower, start, end);
            }
        }
    }

    fn push_blank(&mut self, start: usize, end: usize) {
        if !self.text.ends_with(' ') {
            self.push(' ', start, end);
        }
    }

    fn push(&mut self, c: char, start: usize, end: usize) {
        if let Some((before, now)) = self.text.chars().next_back().and_then(|previous| move_tone(previous, c)) {
            self.text.pop();
            self.text.push(before);
            self.mark(now, start, end);
        } else {
            self.mark(c, start, end);
        }
    }

    fn mark(&mut self, c: char, start: usize, end: usize) {
        if let Some(marks) = &mut self.marks {
            marks.push(Mark { at: self.text.len() as u32, start: start as u32, end: end as u32 });
        }
        self.text.push(c);
    }
}

/// Whether folding changes nothing but the case: ASCII with single blanks and no emphasis marks.
fn is_plain(source: &[u8]) -> bool {
    source.is_ascii()
        && !source.iter().any(|byte| matches!(byte, b'*' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x01))
        && !source.windows(2).any(|pair| pair == b"  ")
}

/// Format characters that people never see: soft hyphen, zero-width blanks and joiners, byte-order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The old and the new placement of a Vietnamese tone become one: `oà` → `òa`, `oẻ` → `ỏe`, `uỷ` → `ủy`.
/// The tone itself always stays: `bán`, `bạn` and `bàn` are three words.
fn move_tone(previous: char, c: char) -> Option<(char, char)> {
    const TONED: [(char, &str, &str, char); 3] =
        [('o', "àáảãạ", "òóỏõọ", 'a'), ('o', "èéẻẽẹ", "òóỏõọ", 'e'), ('u', "ỳýỷỹỵ", "ùúủũụ", 'y')];
    if c.is_ascii() || !matches!(previous, 'o' | 'u') {
        return None;
    }
    TONED.iter().filter(|(vowel, ..)| *vowel == previous).find_map(|(_, from, to, plain)| {
        let tone = from.chars().position(|toned| toned == c)?;
        Some((to.chars().nth(tone)?, *plain))
    })
}

/// A Chinese character (also used by Japanese and Korean).
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}' | '々' | '〇')
}

/// A character of a script written without blanks: no word boundary is needed beside it.
pub fn is_unspaced(c: char) -> bool {
    is_han(c) || is_kana(c)
}

/// Hiragana or Katakana: the line is Japanese.
pub fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_tone_placement_are_one_word_and_tones_stay() {
        assert_eq!(Folded::plain("hoà thuỷ khoẻ"), Folded::plain("hòa thủy khỏe"));
        assert_eq!(Folded::plain("HOÀ"), Folded::plain("hòa"));
        let words = ["bán", "bạn", "bàn", "ban"].map(Folded::plain);
        for (index, word) in words.iter().enumerate() {
            assert!(words[index + 1..].iter().all(|other| other != word), "{word}");
        }
    }

    #[test]
    fn decomposed_full_width_and_blanks_fold() {
        assert_eq!(Folded::plain("tu\u{300}y  **theo**\tＴＢＤ"), "tùy theo tbd");
        assert_eq!(Folded::plain("tuỳ theo"), "tùy theo");
    }

    #[test]
    fn a_match_leads_back_to_the_bytes_of_the_document() {
        let source = "x ＴＢＤ, thu\u{1ef7}  **lực**";
        let folded = Folded::new(source, 10, &[]);
        let at = folded.text().find("tbd").expect("folded");
        let span = folded.source(at, at + 3);
        assert_eq!(&source[span.start - 10..span.end - 10], "ＴＢＤ");
        let at = folded.text().find("thủy lực").expect("folded");
        let span = folded.source(at, at + "thủy lực".len());
        assert_eq!(&source[span.start - 10..span.end - 10], "thu\u{1ef7}  **lực");
    }

    #[test]
    fn a_mask_cuts_phrases_apart() {
        let source = "as `x` needed";
        let folded = Folded::new(source, 0, &[Span::new(3, 6)]);
        assert_eq!(folded.text(), "as \u{1} needed");
        assert_eq!(folded.source(3, 4), Span::new(3, 6));
    }
}
