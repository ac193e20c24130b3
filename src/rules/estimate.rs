//! What a run will take, before anything is sent: tokens of a text, windows of one that is too long, calls of a plan.

use crate::model::estimate::{REPAIRS, RESTS, Span};
use crate::model::outline::LineSpan;
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS};

/// Tokens are counted in parts of this many, so that the sum needs no fractions.
const UNIT: u64 = 6;

/// Tokens that a text takes, estimated without the model's own vocabulary and on the safe side: real tokenizers give
/// less, or hardly more.
///
/// The factors are assumptions about byte-pair vocabularies of 32,000 to 200,000 entries, by what is known of them:
/// providers tell about four characters of English for a token, here it is three, and at least one token a word; small
/// vocabularies take every digit and most punctuation by itself; a letter with a mark is two or three bytes, of which
/// small vocabularies know no whole words, so that it counts as a token or one and a half (Vietnamese comes out about
/// twice as dense as English); a Han, kana or hangul character takes up to two tokens in old vocabularies and under one in
/// new ones, here one and a half; of scripts that are rarer still every character counts one token, two where it takes
/// three bytes, three where it takes four.
pub fn tokens(text: &str) -> u64 {
    let mut units = 0;
    // Units of the run of ASCII letters at hand.
    let mut word = 0;
    let mut before = '\0';
    for letter in text.chars() {
        if letter.is_ascii_alphabetic() {
            word += UNIT / 3;
        } else {
            units += whole_word(word) + alone(letter, before);
            word = 0;
        }
        before = letter;
    }
    (units + whole_word(word)).div_ceil(UNIT)
}

/// A word takes at least one token.
fn whole_word(units: u64) -> u64 {
    if units == 0 { 0 } else { units.max(UNIT) }
}

/// Units of a character that is no ASCII letter, after the one before it.
fn alone(letter: char, before: char) -> u64 {
    match letter {
        // A space goes with the word that follows; rows of them are taken together.
        ' ' if before != ' ' => 0,
        ' ' | '\r' => UNIT / 3,
        '0'..='9' => UNIT,
        // Rules of tables and headings, blank lines: a row of one sign is taken together.
        '\0'..='\x7f' if letter == before => UNIT / 3,
        '\0'..='\x7f' => UNIT,
        '\u{c0}'..='\u{24f}' => UNIT,
        '\u{1e00}'..='\u{1eff}' => UNIT * 3 / 2,
        '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => UNIT * 3 / 2,
        '\u{ff00}'..='\u{ffef}' => UNIT * 3 / 2,
        _ => match letter.len_utf8() {
            ..=2 => UNIT,
            3 => UNIT * 2,
            _ => UNIT * 3,
        },
    }
}

/// A text in windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Lines of each window, in file order; together they are the whole text.
    pub spans: Vec<LineSpan>,
    /// Lines, from 1, that do not fit by themselves: each is a window of its own all the same.
    pub too_long: Vec<u32>,
}

/// Cuts a text into windows of physical lines that take at most `room` tokens each. A window begins with up to
/// `overlap_lines` lines of the one before it, as far as they leave room for the line that follows them, so that nobody
/// misses what stands across a border. `lines` holds the tokens of each line.
pub fn windows(lines: &[u64], room: u64, overlap_lines: u32) -> Windows {
    let mut windows = Windows::default();
    let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
    // The first line that stands in no window yet, and where the window at hand begins.
    let mut next = 0;
    while next < lines.len() {
        let mut taken = lines[next];
        let mut first = next;
        if taken > room {
            windows.too_long.push(number(next));
        } else {
            let overlap = windows.spans.len().min(1) * overlap_lines as usize;
            while first > 0 && next - first < overlap && taken.saturating_add(lines[first - 1]) <= room {
                first -= 1;
                taken += lines[first];
            }
        }
        let mut end = next + 1;
        while end < lines.len() && taken.saturating_add(lines[end]) <= room {
            taken += lines[end];
            end += 1;
        }
        windows.spans.push(LineSpan::new(number(first), number(end - 1)));
        next = end;
    }
    windows
}

/// What a review asks, as far as its number of calls goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Cells of the plan.
    pub cells: u64,
    /// Steps before the fan-out.
    pub before: u64,
    /// Windows that a critic reads in a round; 1 where it reads the document at once.
    pub windows: u64,
    /// Places that the arbiter may be asked about: unit × section; 0 where there is no arbiter.
    pub places: u64,
}

/// Calls that a review takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// All of them.
    pub all: Span,
    /// Of these, the arbiter's.
    pub arbiter: Span,
}

/// The least calls of a review: nothing is found, so that the critic is dry at once and the arbiter has nothing to tell
/// apart. The most: every critic round; each answer is mended once and asked for the rest twice; each place is put before
/// the arbiter once, in both orders. That is no bound for the arbiter: later rounds ask about new pairs, a partition may
/// have to be mended, and a place with more findings than one call takes (40) needs further ones. All of it at every place
/// of a document does not happen, and a figure of six times as much would tell nobody anything; the caps hold all the same.
pub fn calls(asked: Asked) -> Calls {
    let rounds = |rounds: u32| asked.windows.saturating_mul(rounds.into());
    let reviewers = asked.cells.saturating_add(asked.before);
    let arbiter = Span { least: 0, most: asked.places.saturating_mul(ORDERS) };
    let lists = reviewers.saturating_add(rounds(MAX_ROUNDS)).saturating_mul(u64::from(1 + REPAIRS + RESTS));
    let all = Span { least: reviewers.saturating_add(rounds(DRY_ROUNDS)), most: lists.saturating_add(arbiter.most) };
    Calls { all, arbiter }
}

/// Orders in which the arbiter is asked about a group.
const ORDERS: u64 = 2;

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
