//! Word lists as data, and the one pass over a text that finds their terms.

mod fold;

pub use fold::{Folded, is_han, is_kana, is_unspaced};

use crate::model::lang::Lang;
use crate::model::outline::Span;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

const LISTS: [(Lang, &str); 3] =
    [(Lang::En, include_str!("en.txt")), (Lang::Vi, include_str!("vi.txt")), (Lang::Zh, include_str!("zh.txt"))];

macro_rules! categories {
    ($($(#[$doc:meta])* $name:ident = $word:literal),* $(,)?) => {
        /// What a term is a sign of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Category { $($(#[$doc])* $name),* }

        impl Category {
            /// All categories, in the order of their bits.
            pub const ALL: &'static [Category] = &[$(Category::$name),*];

            /// The word that names it in the lists.
            pub fn word(self) -> &'static str {
                match self { $(Category::$name => $word),* }
            }
        }
    };
}

categories! {
    /// Vague adjective: every reader judges for themselves.
    Vague = "vague_adj",
    /// Vague quantifier: how many, or which ones?
    VagueAmount = "vague_qty",
    /// Loophole: lets every reader decide for themselves.
    Loophole = "loophole",
    /// Stands where something is still to be decided.
    Placeholder = "placeholder",
    /// How something is done rather than what is seen.
    Mechanism = "mechanism",
    /// Sign that a text speaks of a path that does not go well.
    ErrorCue = "error_cue",
    /// Verb of obligation.
    Obligation = "obligation",
    /// Verb or noun of a use case that only shows things.
    ReadOnly = "read_only",
    /// Name of a state that is an end by its nature.
    Terminal = "terminal",
    /// Makes a value an upper bound.
    Upper = "upper",
    /// Makes a value a lower bound.
    Lower = "lower",
    /// Marks a value as an example, a range or a figure of the past.
    Example = "example",
    /// Marks a deviation from a rule.
    Exception = "exception",
    /// Says that a definition follows or stands elsewhere.
    Defining = "defining",
    /// Says that there is none of something.
    Negated = "negated",
    /// Topic of a policy question: privacy.
    Privacy = "topic_privacy",
    /// Topic of a policy question: security.
    Security = "topic_security",
    /// Topic of a policy question: law.
    Law = "topic_law",
    /// Topic of a policy question: money.
    Money = "topic_money",
    /// Topic of a policy question: product scope.
    Product = "topic_product",
    /// Function word: says nothing about the topic.
    Stop = "stop",
    /// Harmless compound that holds a listed term.
    Harmless = "not",
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Categories(u32);

impl Categories {
    /// The set of these.
    pub const fn of(list: &[Category]) -> Categories {
        let mut bits = 0;
        let mut index = 0;
        while index < list.len() {
            bits |= 1 << list[index] as u32;
            index += 1;
        }
        Categories(bits)
    }

    /// Whether the category is in it.
    pub fn has(self, category: Category) -> bool {
        self.0 & (1 << category as u32) != 0
    }

    fn meets(self, other: Categories) -> bool {
        self.0 & other.0 != 0
    }
}

/// Weak words compete with each other: of two that overlap the longer one speaks (`as appropriate`, not `appropriate`).
const WEAK: Categories = Categories::of(&[Category::Vague, Category::VagueAmount, Category::Loophole, Category::Placeholder]);

/// Where a term may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// Anywhere.
    Any,
    /// Before the end of a clause.
    ClauseEnd,
    /// As all there is in a cell, bullet, bracket or value.
    Whole,
    /// As all there is in a bracket.
    Bracket,
}

/// A term of a list.
#[derive(Clone, Debug)]
struct Term {
    category: Category,
    lang: Lang,
    fit: Fit,
    /// Counts only where no quantity stands in the same statement.
    unmeasured: bool,
    /// As it must be written, where case matters.
    written: Option<&'static str>,
}

/// A term found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is a sign of.
    pub category: Category,
    /// Bytes of the document.
    pub span: Span,
    /// Bytes of the folded text.
    pub start: usize,
    /// One past its last byte of the folded text.
    pub end: usize,
    /// Counts only where no quantity stands in the same statement.
    pub unmeasured: bool,
}

/// Some categories of all three lists, ready to be looked for.
pub struct Deck {
    automaton: AhoCorasick,
    /// What each pattern of the automaton means; one spelling may stand in several lists.
    terms: Vec<Vec<Term>>,
}

/// Words that the rules look for on every line they may read.
pub static LINE: LazyLock<Deck> = LazyLock::new(|| {
    use Category::*;
    Deck::new(Categories::of(&[Vague, VagueAmount, Loophole, Placeholder, Mechanism, ErrorCue, Obligation, Harmless]))
});

/// Words that matter only beside a value, in a question, a title or the name of a state.
pub static CLAUSE: LazyLock<Deck> = LazyLock::new(|| {
    use Category::*;
    Deck::new(Categories::of(&[
        ReadOnly, Terminal, Upper, Lower, Example, Exception, Defining, Negated, Privacy, Security, Law, Money, Product, Harmless,
    ]))
});

/// Function words of all three languages, folded; in Chinese single characters.
pub static STOP: LazyLock<HashSet<String>> = LazyLock::new(|| {
    rows().filter(|(_, category, ..)| *category == Category::Stop).map(|(_, _, term, _)| Folded::plain(term)).collect()
});

/// One row of a list: category, term, flags.
fn rows() -> impl Iterator<Item = (Lang, Category, &'static str, &'static str)> {
    LISTS.iter().flat_map(|&(lang, list)| {
        list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(move |line| {
            let mut fields = line.split('\t');
            let word = fields.next().unwrap_or_default();
            let category = Category::ALL.iter().copied().find(|category| category.word() == word);
            let category = category.expect("every category of the embedded lists is known");
            (lang, category, fields.next().unwrap_or_default(), fields.next().unwrap_or_default())
        })
    })
}

impl Deck {
    fn new(wanted: Categories) -> Deck {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut terms: Vec<Vec<Term>> = Vec::new();
        let mut patterns: Vec<String> = Vec::new();
        for (lang, category, written, flags) in rows().filter(|(_, category, ..)| wanted.has(*category)) {
            let folded = Folded::plain(written);
            let place = *places.entry(folded.clone()).or_insert_with(|| {
                patterns.push(folded);
                terms.push(Vec::new());
                terms.len() - 1
            });
            let fit = match flags {
                flags if flags.contains('e') => Fit::ClauseEnd,
                flags if flags.contains('f') => Fit::Whole,
                flags if flags.contains('b') => Fit::Bracket,
                _ => Fit::Any,
            };
            let written = flags.contains('c').then_some(written);
            terms[place].push(Term { category, lang, fit, unmeasured: flags.contains('w'), written });
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&patterns).expect("the lists are small");
        Deck { automaton, terms }
    }

    /// Every term in a folded text, in order of place. `source` is the document, for terms whose case matters;
    /// `english` says whether the text may be read as English.
    pub fn scan(&self, folded: &Folded, source: &str, english: bool) -> Vec<Found> {
        let text = folded.text();
        let mut japanese = None;
        let mut found: Vec<Found> = Vec::new();
        let mut harmless: Vec<(usize, usize)> = Vec::new();
        for hit in self.automaton.find_overlapping_iter(text) {
            let (start, end) = (hit.start(), hit.end());
            if !stands_alone(text, start, end) {
                continue;
            }
            for term in &self.terms[hit.pattern().as_usize()] {
                let readable = match term.lang {
                    Lang::En => english,
                    Lang::Vi => true,
                    Lang::Zh => !*japanese.get_or_insert_with(|| text.chars().any(is_kana)),
                };
                if !readable || !fits(term.fit, text, start, end) {
                    continue;
                }
                if term.category == Category::Harmless {
                    harmless.push((start, end));
                    continue;
                }
                let span = folded.source(start, end);
                if term.written.is_some_and(|written| source.get(span.start..span.end) != Some(written)) {
                    continue;
                }
                found.push(Found { category: term.category, span, start, end, unmeasured: term.unmeasured });
            }
        }
        settle(&mut found, &mut harmless);
        found
    }

    /// Whether a text holds a term of one of these categories.
    pub fn holds(&self, text: &str, categories: &[Category]) -> bool {
        let wanted = Categories::of(categories);
        self.scan(&Folded::new(text, 0, &[]), text, true).iter().any(|found| wanted.has(found.category))
    }
}

/// No term of the lists is longer, in bytes of folded text; keeps settling a line linear.
const LONGEST: usize = 96;

/// Drops what lies in a harmless compound and what overlaps a longer rival; sorts by place.
fn settle(found: &mut Vec<Found>, harmless: &mut [(usize, usize)]) {
    harmless.sort_unstable();
    found.retain(|f| {
        let first = harmless.partition_point(|&(start, _)| start + LONGEST <= f.start);
        !harmless[first..].iter().take_while(|&&(start, _)| start <= f.start).any(|&(_, end)| f.end <= end)
    });
    // A word competes with its own kind, and the weak ones with each other.
    let weak = |category: Category| Categories::of(&[category]).meets(WEAK);
    let mut rivals: Vec<(usize, usize, Category)> = found.iter().map(|f| (f.start, f.end, f.category)).collect();
    rivals.sort_unstable();
    found.retain(|f| {
        let first = rivals.partition_point(|&(start, ..)| start + LONGEST <= f.start);
        let near = rivals[first..].iter().take_while(|&&(start, ..)| start < f.end);
        let longer = |&&(start, end, _): &&(usize, usize, Category)| f.start < end && end - start > f.end - f.start;
        !near.filter(longer).any(|&(_, _, category)| category == f.category || (weak(category) && weak(f.category)))
    });
    found.sort_by_key(|f| (f.start, f.end, f.category));
    found.dedup_by_key(|f| (f.start, f.end, f.category));
}

/// Whether no word goes on at either edge. Scripts without blanks need no boundary.
pub fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let (before, inside, after) = (&text[..start], &text[start..end], &text[end..]);
    let opens = inside.chars().next().is_some_and(needs_boundary);
    let closes = inside.chars().next_back().is_some_and(needs_boundary);
    let inside_a_word = opens && goes_on(before.chars().rev()) || closes && goes_on(after.chars());
    !inside_a_word
}

fn needs_boundary(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

/// Whether the characters beyond an edge belong to the same word: a letter or digit, or one behind `-`, `_` or an apostrophe.
fn goes_on(mut beyond: impl Iterator<Item = char>) -> bool {
    match beyond.next() {
        Some('-' | '_' | '\'' | '\u{2019}') => beyond.next().is_some_and(needs_boundary),
        Some(c) => needs_boundary(c),
        None => false,
    }
}

fn fits(fit: Fit, text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].trim_end();
    let after = text[end..].trim_start();
    let opened = before.chars().next_back();
    let bracketed =
        matches!(opened, Some('(' | '[' | '【' | '「')) && matches!(after.chars().next(), Some(')' | ']' | '】' | '」'));
    match fit {
        Fit::Any => true,
        Fit::Bracket => bracketed,
        Fit::ClauseEnd => after.chars().next().is_none_or(|c| ",.;:!?)]|，。；：、！？）】".contains(c)),
        Fit::Whole => {
            let ends = after.trim_start_matches(['.', '。', '…', '!', '！', ' ']);
            let closed = ends.is_empty() || ends.starts_with('|');
            let begins = match opened {
                None | Some('|' | ':' | '：' | '>') => true,
                // A bullet: nothing but the marker (and an id, which the caller leaves out) stands before.
                Some('-' | '+' | '•') => before.trim_start().chars().nth(1).is_none(),
                Some('.' | ')') => before.trim_end_matches(['.', ')']).chars().all(|c| c.is_ascii_digit()),
                Some(_) => false,
            };
            bracketed || (begins && closed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(deck: &Deck, text: &str, category: Category) -> Vec<String> {
        let found = deck.scan(&Folded::new(text, 0, &[]), text, true);
        found.iter().filter(|f| f.category == category).map(|f| text[f.span.start..f.span.end].to_owned()).collect()
    }

    #[test]
    fn the_lists_hold_known_categories_and_flags_and_no_term_twice() {
        let mut seen = std::collections::BTreeSet::new();
        for (lang, category, term, flags) in rows() {
            assert!(!term.is_empty() && term.trim() == term, "{lang} {category:?} {term:?}");
            assert!(Folded::plain(term).len() < LONGEST, "{term}");
            assert!(flags.chars().all(|flag| "wcefb".contains(flag)), "{lang} {term}: {flags}");
            assert!(seen.insert((lang, category, Folded::plain(term))), "{lang} {} {term} stands twice", category.word());
        }
    }

    #[test]
    fn the_longest_weak_word_speaks() {
        assert_eq!(words(&LINE, "paid as appropriate, etc.", Category::Loophole), ["as appropriate"]);
        assert!(words(&LINE, "paid as appropriate, etc.", Category::Vague).is_empty());
        assert_eq!(words(&LINE, "必要时适当处理", Category::Loophole), ["必要时"]);
        assert_eq!(words(&LINE, "必要时适当处理", Category::Vague), ["适当"]);
    }

    #[test]
    fn a_word_inside_a_word_is_none() {
        for text in ["insufficient funds", "a non-optimal path", "variously", "TBDs", "retry_various_x"] {
            assert!(words(&LINE, text, Category::Vague).is_empty(), "{text}");
            assert!(words(&LINE, text, Category::VagueAmount).is_empty(), "{text}");
        }
        assert_eq!(words(&LINE, "_various_ forms", Category::VagueAmount), ["various"]);
        assert_eq!(words(&LINE, "价格TBD元", Category::Placeholder), ["TBD"]);
    }

    #[test]
    fn harmless_compounds_stay_quiet() {
        assert!(words(&LINE, "nhập một số điện thoại", Category::VagueAmount).is_empty());
        assert_eq!(words(&LINE, "nhập một số trường", Category::VagueAmount), ["một số"]);
        assert!(words(&LINE, "bấm nút bên phải", Category::Obligation).is_empty());
        assert!(words(&LINE, "账户余额足够时", Category::Vague).is_empty());
        assert!(words(&LINE, "users with sufficient permissions", Category::Vague).is_empty());
    }

    #[test]
    fn a_line_in_two_languages_is_read_with_the_lists_of_both() {
        assert_eq!(words(&LINE, "Hệ thống retry 3 lần rồi ghi vào bộ nhớ đệm", Category::Mechanism), ["retry", "bộ nhớ đệm"]);
        assert_eq!(words(&LINE, "系统 retry 5 次，写入Redis缓存", Category::Mechanism), ["retry", "Redis", "缓存"]);
        assert!(words(&LINE, "この機能は必要時に適当に重试する", Category::Vague).is_empty());
    }

    #[test]
    fn case_matters_where_the_list_says_so() {
        assert_eq!(words(&LINE, "price: TBD", Category::Placeholder), ["TBD"]);
        assert!(words(&LINE, "an xxx rated tbd", Category::Placeholder).is_empty());
        assert!(words(&LINE, "work that needs clarification", Category::Placeholder).is_empty());
    }

    #[test]
    fn some_placeholders_count_only_where_they_are_all_there_is() {
        assert_eq!(words(&LINE, "| BR-1 | Chưa xác định |", Category::Placeholder), ["Chưa xác định"]);
        assert_eq!(words(&LINE, "- 待定", Category::Placeholder), ["待定"]);
        assert_eq!(words(&LINE, "金额（待定）由客服填写", Category::Placeholder), ["待定"]);
        assert!(words(&LINE, "订单状态为待确认时可以取消", Category::Placeholder).is_empty());
        assert!(words(&LINE, "trạng thái Chờ xác nhận thanh toán", Category::Placeholder).is_empty());
        assert!(words(&LINE, "they continue to be determined by the bank", Category::Placeholder).is_empty());
    }
}
