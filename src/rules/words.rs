//! Words of findings in three languages, made comparable: English stems, Vietnamese syllables with their tones and
//! pairs of them, Chinese pairs of characters (facts: each language's measure keeps its own units).

use super::vocabulary::{
    ASKING, CUES, FUNCTION_EN, FUNCTION_VI, GENERIC_EN, GENERIC_VI, GENERIC_ZH, PARTICLES_ZH, Relation, entries,
};
use crate::model::lang::Lang;
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A word, syllable pair or character pair, hashed: only ever compared with others of the same process.
pub type Term = u64;

/// A text made ready for reading words: compatibility forms composed, lower case, contractions opened, Vietnamese tone
/// marks in their old places (`hoà` and `hòa` are one word).
pub fn canonical(text: &str) -> String {
    let composed = match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.to_lowercase(),
        _ => text.nfkc().collect::<String>().to_lowercase(),
    };
    if composed.is_ascii() {
        return open_contractions(composed);
    }
    let mut lower = open_contractions(composed.replace('’', "'"));
    for (new, old) in TONE_PLACES {
        if lower.contains(new) {
            lower = replace_at_word_end(&lower, new, old);
        }
    }
    lower
}

fn open_contractions(lower: String) -> String {
    if lower.contains("n't") { lower.replace("can't", "can not").replace("n't", " not") } else { lower }
}

/// Syllable ends that are written in two ways: the modern place of the tone mark, and the one kept here.
const TONE_PLACES: [(&str, &str); 15] = [
    ("oà", "òa"),
    ("oá", "óa"),
    ("oả", "ỏa"),
    ("oã", "õa"),
    ("oạ", "ọa"),
    ("oè", "òe"),
    ("oé", "óe"),
    ("oẻ", "ỏe"),
    ("oẽ", "õe"),
    ("oẹ", "ọe"),
    ("uỳ", "ùy"),
    ("uý", "úy"),
    ("uỷ", "ủy"),
    ("uỹ", "ũy"),
    ("uỵ", "ụy"),
];

fn replace_at_word_end(text: &str, new: &str, old: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, found) in text.match_indices(new) {
        let end = at + found.len();
        let ends_word = !text[end..].starts_with(char::is_alphabetic);
        // After q the u belongs to the consonant: quý stays quý.
        let after_q = text[..at].ends_with('q');
        if ends_word && !after_q {
            out.push_str(&text[from..at]);
            out.push_str(old);
            from = end;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// The language that most of a text's letters speak for; a Chinese character weighs as much as a short word.
pub fn language(text: &str) -> Lang {
    let (mut han, mut vietnamese, mut latin) = (0_usize, 0_usize, 0_usize);
    for c in text.chars() {
        match c {
            'a'..='z' | 'A'..='Z' => latin += 1,
            _ if is_han(c) => han += 1,
            _ if is_vietnamese(c) => vietnamese += 1,
            _ => {}
        }
    }
    match () {
        () if han > 0 && han * 3 >= latin + vietnamese => Lang::Zh,
        // About one letter in four carries a mark in Vietnamese; a borrowed word in an English text is far below.
        () if vietnamese > 0 && vietnamese * 12 >= latin => Lang::Vi,
        () => Lang::En,
    }
}

fn is_han(c: char) -> bool {
    matches!(c as u32, 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn is_vietnamese(c: char) -> bool {
    matches!(
        c as u32,
        0x1ea0..=0x1ef9 | 0x102 | 0x103 | 0x110 | 0x111 | 0x128 | 0x129 | 0x168 | 0x169 | 0x1a0 | 0x1a1 | 0x1af | 0x1b0
    ) || matches!(c, 'à' | 'á' | 'â' | 'ã' | 'è' | 'é' | 'ê' | 'ì' | 'í' | 'ò' | 'ó' | 'ô' | 'õ' | 'ù' | 'ú' | 'ý')
}

/// A stretch of a canonical text.
enum Piece<'t> {
    Word(&'t str),
    Han(&'t str),
    /// Punctuation: words on both sides make no pair.
    Break,
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let kind = |c: char| match () {
                () if is_han(c) => 'h',
                () if c.is_alphanumeric() => 'w',
                () if c.is_whitespace() || c == '\'' => ' ',
                () => '.',
            };
            let own = kind(first);
            let end = rest.char_indices().find(|&(_, c)| kind(c) != own).map_or(rest.len(), |(at, _)| at);
            let (piece, after) = rest.split_at(end);
            rest = after;
            match own {
                'h' => return Some(Piece::Han(piece)),
                'w' => return Some(Piece::Word(piece)),
                '.' => return Some(Piece::Break),
                _ => {}
            }
        }
    })
}

fn term(parts: &[&str]) -> Term {
    // FNV-1a, with a byte between parts that stands in no text.
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for &byte in part.as_bytes().iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }
    hash
}

/// A map by term: a term is a hash already.
pub type TermMap<T> = HashMap<Term, T, BuildHasherDefault<Itself>>;

/// Takes a term for its own hash.
#[derive(Default)]
pub struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, term: u64) {
        self.0 = term;
    }
}

/// Words that are looked up by their terms, sorted.
fn word_set(words: &str, as_term: impl Fn(&str) -> Term) -> Vec<Term> {
    set(words.split_whitespace().map(as_term).collect())
}

static FUNCTION_WORDS_EN: LazyLock<Vec<Term>> = LazyLock::new(|| word_set(FUNCTION_EN, |word| term(&[word])));
static FUNCTION_WORDS_VI: LazyLock<Vec<Term>> = LazyLock::new(|| word_set(FUNCTION_VI, |word| term(&[word])));
static GENERIC_STEMS_EN: LazyLock<Vec<Term>> = LazyLock::new(|| word_set(GENERIC_EN, |word| term(&[&stem(word)])));

/// The term of a word taken whole, such as an id.
pub fn word(word: &str) -> Term {
    term(&["whole", word])
}

/// Which words are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leave {
    Nothing,
    /// Words that only build sentences.
    Function,
    /// Those, and what every review says (`is missing`, `not defined`, `acceptance criterion`).
    Generic,
}

/// Terms of a canonical text for comparing subjects, repetitions kept, words that only build sentences left out.
pub fn terms(text: &str, lang: Lang) -> Vec<Term> {
    read(text, lang, Leave::Function)
}

/// Terms that tell what a finding is about: what every review says is left out as well. Sorted, each once.
pub fn content(text: &str, lang: Lang) -> Vec<Term> {
    let bare = match lang {
        Lang::En => None,
        Lang::Vi => Some(without_phrases(&spaced(text), &PHRASES_VI)),
        Lang::Zh => Some(without_phrases(text, &PHRASES_ZH)),
    };
    set(read(bare.as_deref().unwrap_or(text), lang, Leave::Generic))
}

/// Every word, for comparing the frames of sentences. Sorted, each once.
pub fn frame(text: &str, lang: Lang) -> Vec<Term> {
    set(read(text, lang, Leave::Nothing))
}

fn set(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn read(text: &str, lang: Lang, leave: Leave) -> Vec<Term> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut before: Option<&str> = None;
    let mut stemmed = String::new();
    let function = if lang == Lang::Vi { &FUNCTION_WORDS_VI } else { &FUNCTION_WORDS_EN };
    for piece in pieces(text) {
        match piece {
            Piece::Break => before = None,
            Piece::Han(run) => {
                before = None;
                han_terms(run, leave, &mut found);
            }
            Piece::Word(word) => {
                let whole = term(&[word]);
                if leave != Leave::Nothing && function.binary_search(&whole).is_ok() {
                    before = None;
                    continue;
                }
                if lang == Lang::Vi {
                    found.push(whole);
                    // A syllable is rarely a word: the pair tells `thanh toán` from `thanh lý`.
                    if let Some(before) = before
                        && leave != Leave::Nothing
                    {
                        found.push(term(&[before, word]));
                    }
                    before = Some(word);
                } else {
                    stem_into(word, &mut stemmed);
                    let stem = term(&[&stemmed]);
                    if leave != Leave::Generic || GENERIC_STEMS_EN.binary_search(&stem).is_err() {
                        found.push(stem);
                    }
                }
            }
        }
    }
    found
}

/// Pairs of characters; particles part the run, a lone character stands for itself.
fn han_terms(run: &str, leave: Leave, found: &mut Vec<Term>) {
    let parts = run.split(|c: char| leave != Leave::Nothing && PARTICLES_ZH.contains(&c));
    for part in parts {
        let bounds: Vec<usize> = part.char_indices().map(|(at, _)| at).chain([part.len()]).collect();
        match bounds.len() {
            0 | 1 => {}
            2 => found.push(term(&[part])),
            _ => found.extend(bounds.windows(3).map(|pair| term(&[&part[pair[0]..pair[2]]]))),
        }
    }
}

/// A canonical text as single words with one blank around each, `|` for punctuation.
pub fn spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push(' ');
    for piece in pieces(text) {
        match piece {
            Piece::Word(word) | Piece::Han(word) => out.push_str(word),
            Piece::Break => out.push('|'),
        }
        out.push(' ');
    }
    out
}

/// Phrases that every review says, found longest first.
struct Phrases {
    finder: AhoCorasick,
    between: &'static str,
}

static PHRASES_VI: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(entries(GENERIC_VI).map(|phrase| format!(" {phrase} ")), " | "));
static PHRASES_ZH: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(entries(GENERIC_ZH).map(str::to_owned), "|"));

impl Phrases {
    fn new(phrases: impl Iterator<Item = String>, between: &'static str) -> Phrases {
        let finder = AhoCorasickBuilder::new().match_kind(MatchKind::LeftmostLongest).build(phrases);
        Phrases { finder: finder.expect("phrases make an automaton"), between }
    }
}

fn without_phrases(text: &str, phrases: &Phrases) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = phrases.finder.find(aho_corasick::Input::new(text).span(from..text.len())) {
        bare.push_str(&text[from..found.start()]);
        bare.push_str(phrases.between);
        // The blank that ends one phrase may begin the next.
        from = if text[..found.end()].ends_with(' ') { found.end() - 1 } else { found.end() };
    }
    bare.push_str(&text[from..]);
    bare
}

/// The stem of an English word, light enough to keep different words apart.
pub fn stem(word: &str) -> String {
    let mut stem = String::new();
    stem_into(word, &mut stem);
    stem
}

fn stem_into(word: &str, stem: &mut String) {
    stem.clear();
    stem.push_str(word);
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    let vowel = |text: &str| text.bytes().any(|byte| b"aeiouy".contains(&byte));
    if stem.ends_with("ies") && stem.len() > 4 {
        stem.truncate(stem.len() - 3);
        stem.push('y');
    } else if stem.ends_with("sses") {
        stem.truncate(stem.len() - 2);
    } else if stem.ends_with('s') && !["ss", "us", "is"].iter().any(|kept| stem.ends_with(kept)) {
        stem.pop();
    }
    for (suffix, least) in [("ing", 3), ("ed", 3), ("ly", 4)] {
        let cut = stem.strip_suffix(suffix).filter(|cut| cut.len() >= least && vowel(cut)).map(str::len);
        if let Some(cut) = cut {
            stem.truncate(cut);
            let doubled = stem.as_bytes().windows(2).last().is_some_and(|pair| pair[0] == pair[1]);
            if doubled && !["ll", "ss", "zz", "ee"].iter().any(|kept| stem.ends_with(kept)) {
                stem.pop();
            }
            break;
        }
    }
    if stem.len() > 7 && stem.ends_with("tion") {
        stem.truncate(stem.len() - 3);
    }
    if stem.len() > 4 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
}

static CUE_FINDER: LazyLock<(AhoCorasick, Vec<Relation>)> = LazyLock::new(|| {
    let cues: Vec<(String, Relation)> =
        CUES.iter().flat_map(|&(relation, list)| entries(list).map(move |cue| (pattern(cue), relation))).collect();
    let finder = AhoCorasick::new(cues.iter().map(|(word, _)| word)).expect("cue words make an automaton");
    (finder, cues.into_iter().map(|(_, relation)| relation).collect())
});

/// A cue as it stands in a spaced text: whole words, unless `*` lets them go on; Chinese has no word boundary.
pub fn pattern(cue: &str) -> String {
    match cue.strip_suffix('*') {
        Some(open) => format!(" {open}"),
        None if cue.starts_with(is_han) => cue.to_owned(),
        None => format!(" {cue} "),
    }
}

/// What a text asks for, one bit a kind: who, when, where, which, what, how, why, how much.
pub fn asks(text: &str) -> u16 {
    let padded = format!(" {} ", spaced(text));
    let asked = |words: &str| {
        entries(words).any(|word| {
            if word.is_ascii() || word.contains(' ') || word == "ai" {
                padded.contains(&format!(" {word} "))
            } else {
                text.contains(word)
            }
        })
    };
    ASKING.iter().enumerate().filter(|(_, words)| asked(words)).fold(0, |bits, (kind, _)| bits | 1 << kind)
}

/// The relations that a canonical text speaks of, one bit each.
pub fn relations(text: &str) -> u16 {
    let (finder, relation_of) = &*CUE_FINDER;
    let spaced = spaced(text);
    finder.find_overlapping_iter(&spaced).fold(0, |bits, found| bits | 1 << relation_of[found.pattern().as_usize()] as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_is_told_by_its_letters() {
        assert_eq!(language("AC-1 has no error flow"), Lang::En);
        assert_eq!(language("The menu says phở"), Lang::En);
        assert_eq!(language("UC-03 thiếu luồng lỗi khi thẻ bị từ chối"), Lang::Vi);
        assert_eq!(language("UC-03缺少银行卡被拒的错误流程"), Lang::Zh);
        assert_eq!(language("该 timeout 值未定义 in UC-03"), Lang::Zh);
        assert_eq!(language("The term “退款” is not the glossary's"), Lang::En);
        assert_eq!(language(""), Lang::En);
    }

    #[test]
    fn stems_join_forms_and_keep_words_apart() {
        for (a, b) in [
            ("declined", "decline"),
            ("declines", "declining"),
            ("specified", "specify"),
            ("specifies", "specify"),
            ("validation", "validate"),
            ("stopped", "stops"),
            ("quickly", "quick"),
            ("classes", "class"),
            ("policies", "policy"),
            ("cancelled", "cancelling"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        for (a, b) in [("user", "use"), ("order", "ordinary"), ("state", "station"), ("access", "acceptance")] {
            assert_ne!(stem(a), stem(b), "{a} {b}");
        }
        assert_eq!(stem("bus"), "bus");
        assert_eq!(stem("tiền"), "tiền");
    }

    #[test]
    fn tone_marks_count_but_not_their_place() {
        assert_eq!(canonical("HOÀ"), "hòa");
        assert_eq!(canonical("thuỷ Quý hoàn"), "thủy quý hoàn");
        let one = |text: &str| terms(&canonical(text), Lang::Vi);
        assert_eq!(one("hoà tiền"), one("hòa tiền"));
        assert_ne!(one("bán"), one("bạn"));
        assert_eq!(canonical("It doesn’t and can't"), "it does not and can not");
    }

    #[test]
    fn vietnamese_and_chinese_words_come_in_pairs() {
        assert_eq!(terms("thanh toán thẻ", Lang::Vi).len(), 5);
        assert_eq!(terms("thanh toán, thẻ", Lang::Vi).len(), 4, "no pair across punctuation");
        assert_eq!(terms("退款申请", Lang::Zh).len(), 3);
        assert_eq!(terms("钱的去向", Lang::Zh).len(), 2);
    }

    #[test]
    fn content_is_what_a_finding_is_about() {
        for (lang, said, about) in [
            (Lang::En, "UC has no error flow defined when the card is declined", "error card declined"),
            (Lang::Vi, "thiếu luồng xử lý khi thẻ hết hạn", "thẻ hết hạn"),
            (Lang::Zh, "缺少银行卡被拒的流程", "银行卡被拒"),
        ] {
            assert_eq!(content(&canonical(said), lang), content(about, lang), "{said}");
        }
    }

    #[test]
    fn relations_are_read_in_three_languages() {
        let bit = |relation: Relation| 1u16 << relation as u16;
        for (text, relation) in [
            ("AC-5 contradicts BR-7", Relation::Contradicts),
            ("AC-5 mâu thuẫn với BR-7", Relation::Contradicts),
            ("AC-5与BR-7矛盾", Relation::Contradicts),
            ("AC-5 repeats BR-7", Relation::Repeats),
            ("AC-5 lặp lại BR-7", Relation::Repeats),
            ("AC-5重复BR-7", Relation::Repeats),
            ("There is no error flow", Relation::Missing),
            ("Thiếu luồng lỗi", Relation::Missing),
            ("未说明错误流程", Relation::Missing),
            ("“fast” is vague", Relation::Ambiguous),
            ("nghĩa chưa rõ", Relation::Ambiguous),
            ("含义不明确", Relation::Ambiguous),
            ("The mechanism stands in an AC", Relation::Misplaced),
            ("无法验证", Relation::Unmeasurable),
            ("The term is a synonym", Relation::Terminology),
            ("vượt phạm vi", Relation::Excess),
        ] {
            assert_eq!(relations(&canonical(text)), bit(relation), "{text}");
        }
        assert_eq!(relations("the node is noted"), 0, "parts of words are no cues");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,60}") {
            let text = canonical(&text);
            for lang in Lang::ALL {
                let _ = (terms(&text, lang), content(&text, lang), frame(&text, lang), relations(&text));
            }
            let _ = language(&text);
        }
    }
}
