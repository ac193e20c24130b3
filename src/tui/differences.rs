//! What changes between two texts: word by word for a suggestion, line by line for a file.
//!
//! Both are bounded by the size of their input and by no deadline, so that the same texts give the same answer on every
//! machine.

use super::theme::Role;
use crate::model::shown::Shown;
use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Texts at least this alike are shown as one text with its changes.
pub const ALIKE: f32 = 0.4;
/// Words of both texts together up to which they are compared by word; longer texts are compared by line.
const MAX_WORDS: usize = 8_000;
/// Changed lines of both files together up to which they are compared; a longer stretch is shown as replaced.
const MAX_LINES: usize = 100_000;

/// A part of a text and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Stands in both, in the form of the new text.
    Same(String),
    /// Stands in the new text only.
    Added(String),
    /// Stands in the base only.
    Removed(String),
}

/// How a suggestion is best shown against the words of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Differences {
    /// One text with what is removed and added.
    Inline(Vec<Piece>),
    /// The texts have too little in common: the new one alone, where added are the words that the base does not use.
    Apart(Vec<Piece>),
}

impl Differences {
    /// The pieces in order.
    pub fn pieces(&self) -> &[Piece] {
        match self {
            Differences::Inline(pieces) | Differences::Apart(pieces) => pieces,
        }
    }

    /// As styled text. Where the texts stand apart, nearly every word is new: words stand out by weight, and no sign breaks
    /// up the sentence. Safe to show.
    pub fn spans(&self) -> Vec<(String, Role)> {
        match self {
            Differences::Inline(pieces) => spans(pieces),
            Differences::Apart(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Same(text) | Piece::Removed(text) => (Shown::block(text).to_string(), Role::Text),
                    Piece::Added(text) => (Shown::block(text).to_string(), Role::Added),
                })
                .collect(),
        }
    }
}

/// A line of a file and what became of it. Numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineDiff {
    /// Stands in both.
    Same {
        /// Its number in the old text.
        old: usize,
        /// Its number in the new text.
        new: usize,
        /// The line without its end.
        text: String,
    },
    /// Stands in the new text only.
    Added {
        /// Its number in the new text.
        new: usize,
        /// The line without its end.
        text: String,
    },
    /// Stands in the old text only.
    Removed {
        /// Its number in the old text.
        old: usize,
        /// The line without its end.
        text: String,
    },
    /// So many lines that stand in both are left out.
    Skipped(usize),
}

/// Word differences (by line for very long texts), Chinese and kana by character, composed and decomposed letters alike, any white space alike.
///
/// Same and added pieces joined are the new text in composed form; same and removed pieces joined are the base, white
/// space aside. Within one change what is removed stands first. What is the same but shorter than the changes on both
/// sides of it is shown as changed too, so that a reworded phrase reads as one.
pub fn words(base: &str, new: &str) -> Vec<Piece> {
    let (base, new) = (composed(base), composed(new));
    let (base, new) = comparable(&base, &new);
    let mut pieces = Vec::new();
    for part in gathered(&base, &new) {
        if part.same {
            pieces.push(Piece::Same(new[part.new].concat()));
            continue;
        }
        if !part.base.is_empty() {
            pieces.push(Piece::Removed(base[part.base].concat()));
        }
        if !part.new.is_empty() {
            pieces.push(Piece::Added(new[part.new].concat()));
        }
    }
    pieces
}

/// How alike two texts are, from 0 to 1: the share of characters in words that stand in both, in order. White space
/// does not count; two texts without words are alike.
pub fn ratio(base: &str, new: &str) -> f32 {
    let (base, new) = (composed(base), composed(new));
    let (base, new) = comparable(&base, &new);
    let weight = |tokens: &[&str]| tokens.iter().map(|token| weight(token)).sum::<usize>();
    let all = weight(&base) + weight(&new);
    if all == 0 {
        return 1.0;
    }
    let same: usize = operations(&base, &new)
        .into_iter()
        .map(|operation| match operation {
            DiffOp::Equal { new_index, len, .. } => weight(&new[new_index..new_index + len]),
            _ => 0,
        })
        .sum();
    2.0 * same as f32 / all as f32
}

/// The differences as they are best shown.
pub fn shown(base: &str, new: &str) -> Differences {
    if ratio(base, new) >= ALIKE { Differences::Inline(words(base, new)) } else { Differences::Apart(new_words(base, new)) }
}

/// The new text, its words added where the base does not use them; what joins two added words is added too.
fn new_words(base: &str, new: &str) -> Vec<Piece> {
    let (base, new) = (composed(base).to_lowercase(), composed(new));
    let known: HashSet<&str> = tokens(&base).into_iter().collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut between = String::new();
    for token in tokens(&new) {
        if !token.contains(char::is_alphanumeric) {
            between.push_str(token);
            continue;
        }
        let lacks = !known.contains(token.to_lowercase().as_str());
        match pieces.last_mut() {
            Some(Piece::Added(last)) if lacks => last.extend([between.as_str(), token]),
            Some(Piece::Same(last)) if !lacks => last.extend([between.as_str(), token]),
            Some(Piece::Same(last)) => {
                last.push_str(&between);
                pieces.push(Piece::Added(token.to_owned()));
            }
            _ if !lacks => pieces.push(Piece::Same(format!("{between}{token}"))),
            _ => {
                if !between.is_empty() {
                    pieces.push(Piece::Same(between.clone()));
                }
                pieces.push(Piece::Added(token.to_owned()));
            }
        }
        between.clear();
    }
    match pieces.last_mut() {
        Some(Piece::Same(last)) => last.push_str(&between),
        _ if between.is_empty() => {}
        _ => pieces.push(Piece::Same(between)),
    }
    pieces
}

/// The pieces as styled text with signs that need no colour: `[-removed-]`, `{+added+}`. Safe to show.
pub fn spans(pieces: &[Piece]) -> Vec<(String, Role)> {
    let span = |piece: &Piece| match piece {
        Piece::Same(text) => (Shown::block(text).to_string(), Role::Text),
        Piece::Added(text) => (format!("{{+{}+}}", Shown::block(text)), Role::Added),
        Piece::Removed(text) => (format!("[-{}-]", Shown::block(text)), Role::Removed),
    };
    pieces.iter().map(span).collect()
}

/// Line differences of two files, with `context` unchanged lines around each change and the rest counted. Ends of
/// lines (LF, CRLF, none at the end of the file) are not compared. Nothing for texts with the same lines.
pub fn lines(old: &str, new: &str, context: usize) -> Vec<LineDiff> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = Vec::new();
    let mut reached = 0;
    let operations = line_operations(&old, &new);
    if operations.iter().all(|operation| matches!(operation, DiffOp::Equal { .. })) {
        return out;
    }
    for operation in group_diff_ops(operations, context).into_iter().flatten() {
        let (old_range, new_range) = (operation.old_range(), operation.new_range());
        if old_range.start > reached {
            out.push(LineDiff::Skipped(old_range.start - reached));
        }
        reached = old_range.end;
        if let DiffOp::Equal { .. } = operation {
            let same = |(at, to): (usize, usize)| LineDiff::Same { old: at + 1, new: to + 1, text: new[to].to_owned() };
            out.extend(old_range.zip(new_range).map(same));
        } else {
            out.extend(old_range.map(|at| LineDiff::Removed { old: at + 1, text: old[at].to_owned() }));
            out.extend(new_range.map(|at| LineDiff::Added { new: at + 1, text: new[at].to_owned() }));
        }
    }
    if old.len() > reached {
        out.push(LineDiff::Skipped(old.len() - reached));
    }
    out
}

fn line_operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let same_before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[same_before..], &new[same_before..]);
    let same_after = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_len, new_len) = (old_rest.len() - same_after, new_rest.len() - same_after);
    if old_len + new_len <= MAX_LINES {
        return capture_diff_slices(Algorithm::Histogram, old, new);
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: same_before },
        DiffOp::Replace { old_index: same_before, old_len, new_index: same_before, new_len },
        DiffOp::Equal { old_index: same_before + old_len, new_index: same_before + new_len, len: same_after },
    ]
}

fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Both texts in the parts that are compared: words where there are few enough of them, else lines.
fn comparable<'a>(base: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (base_words, new_words) = (tokens(base), tokens(new));
    if base_words.len() + new_words.len() <= MAX_WORDS {
        return (base_words, new_words);
    }
    (base.split_inclusive('\n').collect(), new.split_inclusive('\n').collect())
}

/// Words, punctuation and runs of white space; joined they are the text.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut blank: Option<Range<usize>> = None;
    for (at, token) in text.split_word_bound_indices() {
        if is_blank(token) {
            let start = blank.map_or(at, |range| range.start);
            blank = Some(start..at + token.len());
            continue;
        }
        out.extend(blank.take().map(|range| &text[range]));
        out.push(token);
    }
    out.extend(blank.map(|range| &text[range]));
    out
}

fn is_blank(token: &str) -> bool {
    token.chars().all(char::is_whitespace)
}

/// Characters of a token that count for how alike texts are.
fn weight(token: &str) -> usize {
    if is_blank(token) { 0 } else { token.chars().count() }
}

fn operations(base: &[&str], new: &[&str]) -> Vec<DiffOp> {
    // One form of white space, so that a broken line differs from none.
    fn folded<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
        tokens.iter().map(|token| if is_blank(token) { " " } else { token }).collect()
    }
    capture_diff_slices(Algorithm::Myers, &folded(base), &folded(new))
}

/// Neighbouring tokens of both texts that are the same, or one change.
struct Part {
    same: bool,
    base: Range<usize>,
    new: Range<usize>,
}

/// The operations, each same part that is shorter than the changes around it joined with them.
fn gathered(base: &[&str], new: &[&str]) -> Vec<Part> {
    // Characters before each token, for the length of a range in one step.
    let sums = |tokens: &[&str]| {
        let mut sum = 0;
        let mut sums = vec![0];
        sums.extend(tokens.iter().map(|token| {
            sum += weight(token);
            sum
        }));
        sums
    };
    let (base_sums, new_sums) = (sums(base), sums(new));
    let size = |part: &Part| {
        let base = base_sums[part.base.end] - base_sums[part.base.start];
        base.max(new_sums[part.new.end] - new_sums[part.new.start])
    };
    let mut parts: Vec<Part> = Vec::new();
    for operation in operations(base, new) {
        let same = matches!(operation, DiffOp::Equal { .. });
        let part = Part { same, base: operation.old_range(), new: operation.new_range() };
        match parts.last_mut() {
            Some(last) if last.same == same => {
                last.base.end = part.base.end;
                last.new.end = part.new.end;
            }
            _ => parts.push(part),
        }
        while let [.., before, between, after] = parts.as_slice()
            && between.same
            && size(between) <= size(before).min(size(after))
        {
            let (base_end, new_end) = (after.base.end, after.new.end);
            parts.truncate(parts.len() - 2);
            if let Some(joined) = parts.last_mut() {
                joined.base.end = base_end;
                joined.new.end = new_end;
            }
        }
    }
    parts
}

#[cfg(test)]
#[path = "differences_tests.rs"]
mod tests;
