//! Text folded for comparing quotes (DESIGN, Grounding): emphasis marks, backticks and `<br>` dropped, white space
//! folded, NFC; with the way back to the bytes it came from, and a search that stays fast on large documents.

use memchr::memmem;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A folded text. Offsets of texts up to 4 GiB; documents are at most 16 MiB.
pub struct Folded {
    text: String,
    /// Where runs of unchanged characters begin: (offset here, offset in the original), ascending.
    steps: Vec<(u32, u32)>,
    index: OnceLock<Index>,
}

/// Texts below this size are searched byte by byte: that is faster than building an index.
const INDEX_FROM: usize = 256 * 1024;

/// Folds a text.
pub fn fold(original: &str) -> String {
    if is_folded(original) { original.to_owned() } else { Folded::new(original).text }
}

/// Whether folding would plainly change nothing: most names and sentences.
fn is_folded(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'*' | b'_' | b'`' | b'<');
    let mut before = b' ';
    let inside = text.bytes().all(|byte| {
        let fine = plain(byte) || (byte == b' ' && before != b' ');
        before = byte;
        fine
    });
    inside && before != b' ' || text.is_empty()
}

impl Folded {
    /// Folds a text and remembers where each character came from.
    pub fn new(original: &str) -> Folded {
        let mut folder = Folder { out: String::with_capacity(original.len()), steps: Vec::new(), space: None };
        folder.run(original);
        Folded { text: folder.out, steps: folder.steps, index: OnceLock::new() }
    }

    /// The folded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Byte of the original that the folded character at `at` came from.
    pub fn original(&self, at: usize) -> usize {
        let step = self.steps.partition_point(|&(here, _)| here as usize <= at);
        match step.checked_sub(1).and_then(|before| self.steps.get(before)) {
            Some(&(here, there)) => there as usize + (at - here as usize),
            None => at,
        }
    }

    /// First folded byte that came from byte `original` or one after it.
    pub fn folded(&self, original: usize) -> usize {
        let step = self.steps.partition_point(|&(_, there)| there as usize <= original);
        let Some(&(here, there)) = step.checked_sub(1).and_then(|before| self.steps.get(before)) else {
            return 0;
        };
        let next = self.steps.get(step).map_or(self.text.len(), |&(next, _)| next as usize);
        let mut at = (here as usize + (original - there as usize)).min(next);
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    /// Places where `needle` stands within a range of folded bytes, ascending, at most `limit`.
    pub fn find(&self, needle: &str, within: Range<usize>, limit: usize) -> Vec<usize> {
        let end = within.end.min(self.text.len());
        let start = within.start.min(end);
        if needle.is_empty() || limit == 0 {
            return Vec::new();
        }
        if end - start >= INDEX_FROM && needle.len() >= Index::SHORTEST {
            let index = self.index.get_or_init(|| Index::new(self.text.as_bytes()));
            if let Some(found) = index.find(self.text.as_bytes(), needle.as_bytes(), start..end, limit) {
                return found;
            }
        }
        // The slice may cut a character at either end: bytes of a needle still match whole characters only.
        let haystack = &self.text.as_bytes()[start..end];
        memmem::find_iter(haystack, needle.as_bytes()).take(limit).map(|at| at + start).collect()
    }
}

struct Folder {
    out: String,
    steps: Vec<(u32, u32)>,
    /// Original offset of a blank that is due before the next character.
    space: Option<usize>,
}

impl Folder {
    fn run(&mut self, text: &str) {
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let next = at + c.len_utf8();
            match c {
                '`' => at = next,
                '*' | '_' => {
                    let end = next + text[next..].bytes().take_while(|&byte| byte == c as u8).count();
                    if is_literal(text, at, end, c) {
                        self.push(text, at, end);
                    }
                    at = end;
                }
                '<' => match line_break(&text[at..]) {
                    Some(length) => {
                        self.space.get_or_insert(at);
                        at += length;
                    }
                    None => {
                        self.push(text, at, next);
                        at = next;
                    }
                },
                _ if c.is_whitespace() => {
                    self.space.get_or_insert(at);
                    at = next;
                }
                _ => {
                    let end = next
                        + text[next..].chars().take_while(|&follower| !starts_anew(follower)).map(char::len_utf8).sum::<usize>();
                    if end == next && starts_anew(c) {
                        self.push(text, at, next);
                    } else {
                        // Composed characters all lead back to where they began; there may be more of them than before.
                        for composed in text[at..end].nfc() {
                            self.push_as(composed.encode_utf8(&mut [0; 4]), at);
                        }
                    }
                    at = end;
                }
            }
        }
    }

    fn push(&mut self, text: &str, from: usize, to: usize) {
        self.push_as(&text[from..to], from);
    }

    fn push_as(&mut self, piece: &str, from: usize) {
        if let Some(space) = self.space.take() {
            let joins = match (self.out.chars().next_back(), piece.chars().next()) {
                // White space between two characters of a script without blanks is a line wrap.
                (Some(last), Some(first)) => is_cjk(last) && is_cjk(first),
                (None, _) | (_, None) => true,
            };
            if !joins {
                self.step(space);
                self.out.push(' ');
            }
        }
        self.step(from);
        self.out.push_str(piece);
    }

    fn step(&mut self, from: usize) {
        let here = self.out.len() as u32;
        let follows = self.steps.last().is_some_and(|&(h, t)| t + (here - h) == from as u32);
        if !follows {
            self.steps.push((here, from as u32));
        }
    }
}

/// Whether a run of `*` or `_` is no markup: alone between blanks, after a backslash, or `_` inside a word.
/// At the edge of a text, where a neighbour is unknown, it counts as markup.
fn is_literal(text: &str, start: usize, end: usize, mark: char) -> bool {
    let (Some(before), Some(after)) = (text[..start].chars().next_back(), text[end..].chars().next()) else {
        return false;
    };
    // A dropped backtick parts as a blank does: `* * *` in code is three stars.
    let parts = |c: char| c.is_whitespace() || c == '`';
    (parts(before) && parts(after)) || before == '\\' || (mark == '_' && before.is_alphanumeric() && after.is_alphanumeric())
}

/// Length of a `<br>`, `<br/>` or `<br />` at the start of a text.
fn line_break(text: &str) -> Option<usize> {
    let rest = text.get(..3).filter(|tag| tag.eq_ignore_ascii_case("<br")).map(|_| &text[3..])?;
    let close = rest.trim_start_matches(' ');
    let close = close.strip_prefix('/').unwrap_or(close).trim_start_matches(' ');
    close.strip_prefix('>').map(|after| text.len() - after.len())
}

/// Whether a character never changes or joins under NFC because of what stands before it.
fn starts_anew(c: char) -> bool {
    c.is_ascii() || (canonical_combining_class(c) == 0 && is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes)
}

/// Whether a character belongs to a script written without blanks, its punctuation included.
pub fn is_cjk(c: char) -> bool {
    matches!(c as u32, 0x2e80..=0x2fdf | 0x3001..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xf900..=0xfaff | 0xff01..=0xff0f | 0xff1a..=0xff1f | 0x20000..=0x3ffff)
}

/// Every eighth eight-byte piece of a text, sorted, so that a needle is looked up instead of searched for.
struct Index {
    /// Hash of the piece in the upper half, its offset in the lower.
    pieces: Vec<u64>,
    /// Where the pieces begin whose hash begins with these 16 bits, and one past the last.
    starts: Vec<u32>,
}

impl Index {
    /// Length of a piece, and the distance between pieces.
    const PIECE: usize = 8;
    /// Needles from this length on hold one whole piece wherever they stand.
    const SHORTEST: usize = 2 * Index::PIECE - 1;
    /// Pieces of a needle that are looked at for each alignment, to find a rare one.
    const CHOICES: usize = 4;
    /// So few places are rare enough.
    const RARE: usize = 4;
    /// Candidates beyond which plain search is as good.
    const MAX_CANDIDATES: usize = 20_000;

    fn new(text: &[u8]) -> Index {
        let mut pieces: Vec<u64> = text
            .chunks_exact(Index::PIECE)
            .enumerate()
            .map(|(number, piece)| hash(piece) | (number * Index::PIECE) as u64)
            .collect();
        pieces.sort_unstable();
        let mut starts = Vec::with_capacity((1 << 16) + 1);
        for (at, piece) in pieces.iter().enumerate() {
            while starts.len() <= (piece >> 48) as usize {
                starts.push(at as u32);
            }
        }
        starts.resize((1 << 16) + 1, pieces.len() as u32);
        Index { pieces, starts }
    }

    fn places(&self, piece: &[u8]) -> &[u64] {
        let hash = hash(piece);
        let bucket = (hash >> 48) as usize;
        let near = &self.pieces[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        let start = near.partition_point(|&entry| entry < hash);
        let length = near[start..].partition_point(|&entry| entry <= hash | 0xffff_ffff);
        &near[start..start + length]
    }

    /// `None` where the needle's pieces are too common for the index to help.
    fn find(&self, text: &[u8], needle: &[u8], within: Range<usize>, limit: usize) -> Option<Vec<usize>> {
        let mut found = BTreeSet::new();
        let mut candidates = 0;
        for alignment in 0..Index::PIECE {
            let last = needle.len() - Index::PIECE;
            let mut best: Option<(usize, &[u64])> = None;
            for offset in (alignment..=last).step_by(Index::PIECE).take(Index::CHOICES) {
                let places = self.places(&needle[offset..offset + Index::PIECE]);
                if best.is_none_or(|(_, fewest)| places.len() < fewest.len()) {
                    best = Some((offset, places));
                }
                if places.len() <= Index::RARE {
                    break;
                }
            }
            let (offset, places) = best?;
            candidates += places.len();
            if candidates > Index::MAX_CANDIDATES {
                return None;
            }
            for place in places {
                let Some(start) = ((place & 0xffff_ffff) as usize).checked_sub(offset) else { continue };
                let end = start + needle.len();
                if within.start <= start && end <= within.end && text.get(start..end) == Some(needle) {
                    found.insert(start);
                }
            }
        }
        Some(found.into_iter().take(limit).collect())
    }
}

/// A hash in the upper 32 bits (multiplication by the golden ratio, finished by a shift).
fn hash(piece: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..piece.len().min(8)].copy_from_slice(&piece[..piece.len().min(8)]);
    let mixed = u64::from_le_bytes(bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_goes_and_words_stay() {
        for (original, folded) in [
            ("The **user** *logs* `in`", "The user logs in"),
            ("a<br>b<BR />c<br/>d", "a b c d"),
            ("snake_case and __bold__ _it_", "snake_case and bold it"),
            ("* item\n* 5 * 3 = 15", "item * 5 * 3 = 15"),
            ("  two\t\u{a0}words \n", "two words"),
            ("hoa\u{300}n tie\u{302}\u{300}n", "hoàn tiền"),
            ("退款\n申请 A 单", "退款申请 A 单"),
            ("\\*kept", "\\*kept"),
            ("High `* * *`, low `*`.", "High * * *, low *."),
            ("a < b <brr>", "a < b <brr>"),
            ("plain words", "plain words"),
            (" ", ""),
            ("two  blanks", "two blanks"),
            ("**", ""),
            ("", ""),
        ] {
            assert_eq!(fold(original), folded, "{original:?}");
            assert_eq!(Folded::new(original).as_str(), folded, "{original:?}");
        }
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let original = "# A\n\nThe **user**  logs `in`.";
        let folded = Folded::new(original);
        for word in ["user", "logs", "in."] {
            let at = folded.as_str().find(word).unwrap();
            assert!(original[folded.original(at)..].starts_with(&word[..1]), "{word}");
            assert_eq!(folded.folded(folded.original(at)), at, "{word}");
        }
    }

    #[test]
    fn the_index_finds_what_plain_search_finds() {
        let line = "Refund request number 17 must be approved by staff; 退款申请必须由员工批准。 ";
        let mut text = String::new();
        for number in 0..6000 {
            text.push_str(line);
            text.push_str(&format!("BR-{number} holds for order {}. ", number * 7));
        }
        let folded = Folded::new(&text);
        assert!(folded.as_str().len() > INDEX_FROM);
        for needle in
            ["BR-4321 holds for order", "order 41993. Refund request", "holds for order 41993.", "nowhere in this text at all"]
        {
            let plain: Vec<usize> = folded.as_str().match_indices(needle).map(|(at, _)| at).collect();
            assert_eq!(folded.find(needle, 0..folded.as_str().len(), 100), plain, "{needle}");
        }
        let common = folded.find("Refund request number", 0..folded.as_str().len(), 5);
        assert_eq!(common.len(), 5);
        assert!(common.windows(2).all(|pair| pair[0] < pair[1]));
    }

    proptest! {
        #[test]
        fn any_text_folds_to_composed_characters_with_a_way_back(text in "\\PC{0,60}") {
            let folded = Folded::new(&text);
            for (at, _) in folded.as_str().char_indices() {
                prop_assert!(folded.original(at) < text.len());
            }
            for at in 0..=text.len() {
                prop_assert!(folded.as_str().is_char_boundary(folded.folded(at)));
            }
            if !text.contains(['*', '_', '`', '<']) {
                let composed: String = folded.as_str().nfc().collect();
                prop_assert_eq!(&composed, folded.as_str());
            }
        }

        #[test]
        fn a_stretch_of_whole_words_is_found_where_it_stands(
            words in prop::collection::vec("[a-z]{1,6}|\\*\\*[a-z]{1,5}\\*\\*|_[a-z]{1,5}_|`[a-z]{1,4}`|退款|hoàn", 3..30),
            from in 0usize..20, length in 1usize..10,
        ) {
            let text = words.join("  ");
            let from = from.min(words.len() - 1);
            let quote = words[from..(from + length).min(words.len())].join(" ");
            let folded = Folded::new(&text);
            let needle = fold(&quote);
            let found = folded.find(&needle, 0..folded.as_str().len(), 64);
            prop_assert!(!found.is_empty(), "{:?} in {:?}", needle, folded.as_str());
        }
    }
}
