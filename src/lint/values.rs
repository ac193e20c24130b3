//! Values that a document states as binding, each with the words around it, and when two of them contradict.

use super::frame::Frame;
use super::numbers::{Measure, Quantity, numbers, quantities};
use super::page::{Page, sentence_ends};
use super::words::{CLAUSE, Category, Folded, Found, stands_alone};
use crate::model::lang::Lang;
use crate::model::outline::{ItemKind, LineKind, Span};
use std::ops::Range;

/// Which side of the value is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most.
    Upper,
    /// At least.
    Lower,
    /// Exactly, or not said.
    Plain,
}

/// A value in a statement that must hold.
#[derive(Clone, Debug)]
pub struct Stated {
    /// Line the value stands on.
    pub line: u32,
    /// Bytes of the value with its unit.
    pub span: Span,
    /// What and how much.
    pub quantity: Quantity,
    /// Upper, lower or neither.
    pub bound: Bound,
    /// Enclosing section.
    pub section: Option<usize>,
    /// Enclosing unit.
    pub unit: Option<usize>,
    /// The id the statement defines, in its common form.
    pub own: Option<String>,
    /// Ids the statement cites, in their common form.
    pub cites: Vec<String>,
    /// The only value of its measure in the statement.
    pub only: bool,
    clause: Frame,
    sentence: Frame,
    conditional: bool,
    actor: Option<String>,
    /// Other numbers of the sentence, in thousandths: they tell tiers apart.
    others: Vec<i64>,
    exception: bool,
    /// Shared words it takes to speak of the same thing.
    least: usize,
}

/// Every value that binds: in items and obligations, no examples, ranges, figures of success or background.
pub fn stated(page: &Page<'_>) -> Vec<Stated> {
    let actors = actors(page);
    let mut values = Vec::new();
    for item in &page.outline.items {
        let line = item.place.lines.first;
        if !matches!(item.kind, ItemKind::Unit | ItemKind::Metric) && page.is_normative(line) {
            let own = item.id.as_ref().map(|id| id.norm.clone());
            read(page, item.body, own, &actors, &mut values);
        }
    }
    for line in page.lines() {
        let free = page.item_at(line).is_none_or(|(_, item)| item.kind == ItemKind::Unit);
        if free && page.is_normative(line) {
            read(page, page.line_span(line).unwrap_or_default(), None, &actors, &mut values);
        }
    }
    // An item inside another repeats its values.
    values.sort_by_key(|value| (value.span, value.own.is_none()));
    values.dedup_by_key(|value| value.span);
    values
}

/// Names of those who act, folded: declared actors and the ones every document knows.
fn actors(page: &Page<'_>) -> Vec<String> {
    let common = ["user", "customer", "người dùng", "khách hàng", "用户", "客户"].map(str::to_owned);
    let declared = page.outline.actors.iter().map(|actor| Folded::plain(actor.name.trim()));
    let mut actors: Vec<String> = declared.chain(common).filter(|name| !name.is_empty()).collect();
    actors.sort_unstable_by_key(|name| std::cmp::Reverse(name.len()));
    actors.dedup();
    actors
}

fn read(page: &Page<'_>, span: Span, own: Option<String>, actors: &[String], into: &mut Vec<Stated>) {
    if !may_hold_a_value(page.slice(span)) {
        return;
    }
    let folded = page.fold_statement(span);
    let text = folded.text();
    let all = quantities(text);
    if all.is_empty() {
        return;
    }
    let first_line = page.outline.line_of(span.start);
    let cites: Vec<String> = page.references_in(span).iter().map(|reference| reference.id.norm.clone()).collect();
    let lang = page.outline.line(first_line).map(|line| line.lang).unwrap_or_default();
    let row = page.outline.line(first_line).is_some_and(|line| line.kind == LineKind::TableRow);
    let found = CLAUSE.scan(&folded, page.text(), true);
    let mut start = 0;
    for end in sentence_ends(text) {
        let within = start..end;
        start = end;
        let here: Vec<&Quantity> = all.iter().filter(|q| within.contains(&q.start)).collect();
        if here.is_empty() {
            continue;
        }
        let words: Vec<Found> = found.iter().filter(|f| within.contains(&f.start)).copied().collect();
        if words.iter().any(|f| f.category == Category::Example) {
            continue;
        }
        let exception = words.iter().any(|f| f.category == Category::Exception);
        let numbers_here = numbers(&text[within.clone()]);
        let bounds = words.iter().filter(|f| matches!(f.category, Category::Upper | Category::Lower)).map(|f| f.start..f.end);
        let cuts: Vec<Range<usize>> = here.iter().map(|q| q.start..q.end).chain(bounds).collect();
        let whole = frame(text, &within, &cuts, None);
        for quantity in here.iter().filter(|q| !q.in_range) {
            let clause_at = clause(text, &within, quantity, row);
            let actor = acting(&text[clause_at.clone()], actors);
            let mut clause_frame = frame(text, &clause_at, &cuts, actor.as_ref().map(|(_, range)| shift(range, clause_at.start)));
            let mut sentence = whole.clone();
            if lasts(&text[clause_at.start..quantity.start]) {
                clause_frame.add(LASTING);
                sentence.add(LASTING);
            }
            let value_span = folded.source(quantity.start, quantity.end);
            let line = page.outline.line_of(value_span.start);
            let conditional = is_conditional(&text[clause_at.clone()]);
            let others = numbers_here
                .iter()
                .filter(|n| !(quantity.start..quantity.end).contains(&(n.start + within.start)))
                .map(|n| (n.value * 1000.0) as i64)
                .collect();
            into.push(Stated {
                line,
                span: value_span,
                quantity: (*quantity).clone(),
                bound: bound(&words, quantity),
                section: page.outline.line(line).and_then(|l| l.section),
                unit: page.outline.line(line).and_then(|l| l.unit),
                own: own.clone(),
                cites: cites.clone(),
                only: all.iter().filter(|q| q.measure == quantity.measure).count() == 1,
                clause: if clause_frame.weight() < 3 { sentence.clone() } else { clause_frame },
                sentence,
                conditional,
                actor: actor.map(|(name, _)| name),
                others,
                exception,
                least: if lang == Lang::Vi { 5 } else { 3 },
            });
        }
    }
}

/// A cheap look ahead of reading: some digit begins a word, as in `14 days` but not in `P1` or `BR-16`.
fn may_hold_a_value(text: &str) -> bool {
    let mut previous = b' ';
    text.bytes().any(|byte| {
        let begins = byte.is_ascii_digit() && !(previous.is_ascii_alphanumeric() || matches!(previous, b'-' | b'_' | b'.'));
        previous = byte;
        // Digits of other widths are not ASCII; whatever is not is read in full.
        begins
    }) || (!text.is_ascii() && text.contains(|c: char| !c.is_ascii() && c.is_numeric()))
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Stands in a frame for a value that says how long something lasts: `for at most 30 days` is no `within 2 seconds`.
const LASTING: &str = "for…";

/// Whether `for` opens the phrase that ends before the value.
fn lasts(before: &str) -> bool {
    let mut words = before.split_whitespace().rev().take(4);
    words.any(|word| word == "for")
}

/// The part of a sentence between the marks around a value.
fn clause(text: &str, sentence: &Range<usize>, quantity: &Quantity, row: bool) -> Range<usize> {
    let mark = |at: usize, c: char| match c {
        '|' => row,
        ',' | ':' => !text[at + 1..].starts_with(|next: char| next.is_ascii_digit()),
        _ => matches!(c, ';' | '(' | ')' | '、' | '，' | '；' | '：' | '（' | '）' | '—' | '–'),
    };
    let before = text[sentence.start..quantity.start].char_indices().rev().find(|&(at, c)| mark(sentence.start + at, c));
    let start = before.map_or(sentence.start, |(at, c)| sentence.start + at + c.len_utf8());
    let after = text[quantity.end..sentence.end].char_indices().find(|&(at, c)| mark(quantity.end + at, c));
    let end = after.map_or(sentence.end, |(at, _)| quantity.end + at);
    start..end
}

/// Content words of a stretch, values, bounds and the one who acts cut out.
fn frame(text: &str, within: &Range<usize>, cuts: &[Range<usize>], actor: Option<Range<usize>>) -> Frame {
    let mut cuts: Vec<&Range<usize>> =
        cuts.iter().chain(actor.as_ref()).filter(|cut| cut.start < within.end && within.start < cut.end).collect();
    cuts.sort_unstable_by_key(|cut| cut.start);
    let mut kept = String::new();
    let mut at = within.start;
    for cut in cuts {
        if cut.start > at {
            kept.push_str(&text[at..cut.start]);
        }
        kept.push(' ');
        at = at.max(cut.end).min(within.end);
    }
    kept.push_str(&text[at..within.end]);
    Frame::new(&kept)
}

/// The actor who does what a clause says, and where the name stands: `when the customer files a …`, `客户提交…`.
/// A name that only belongs to a thing (`admin sessions`, `phiên của khách hàng`) does not act.
fn acting(clause: &str, actors: &[String]) -> Option<(String, Range<usize>)> {
    actors.iter().find_map(|actor| {
        let start = clause.find(actor.as_str())?;
        let end = start + actor.len();
        if !stands_alone(clause, start, end) {
            return None;
        }
        let (before, after) = (&clause[..start], &clause[end..]);
        let acts = if actor.is_ascii() { acts_in_english(before, after) } else { leads(before, after) };
        acts.then(|| (actor.clone(), start..end))
    })
}

fn acts_in_english(before: &str, after: &str) -> bool {
    const MODALS: [&str; 9] = ["must", "may", "can", "shall", "will", "should", "has", "have", "is"];
    const DETERMINERS: [&str; 9] = ["a", "an", "the", "their", "its", "his", "her", "one", "each"];
    let named = ["by", "by a", "by an", "by the"]
        .iter()
        .any(|lead| before.trim_end().strip_suffix(lead).is_some_and(|rest| rest.ends_with(' ')));
    let mut words = after.split_whitespace();
    named
        || match (words.next(), words.next()) {
            (Some(verb), _) if MODALS.contains(&verb) => true,
            (Some(_), Some(next)) => DETERMINERS.contains(&next),
            _ => false,
        }
}

/// Vietnamese and Chinese: the name opens the clause, perhaps behind a word of condition, and owns nothing.
fn leads(before: &str, after: &str) -> bool {
    let before = before.trim();
    let opens = ["", "khi", "nếu", "mỗi khi", "sau khi", "-", "当", "如果", "若", "每当"].contains(&before);
    let named = before.ends_with(" do") || before.ends_with(" bởi") || before.ends_with('由');
    (opens || named) && !after.trim_start().starts_with('的') && !after.trim_start().starts_with("của ")
}

fn is_conditional(clause: &str) -> bool {
    const OPENERS: [&str; 11] =
        ["when", "if", "given", "once", "whenever", "while", "and when", "khi", "nếu", "and given", "mỗi khi"];
    let clause = clause.trim().trim_start_matches(['-', '*', ' ']);
    let spaced = OPENERS.iter().any(|opener| clause.strip_prefix(opener).is_some_and(|rest| rest.starts_with(' ')));
    let opens = ["当", "如果", "若", "每当"].iter().any(|opener| clause.starts_with(opener));
    spaced || opens || clause.ends_with('时') || clause.ends_with("的话")
}

/// The bound word nearest to a value: just before it, or behind its unit.
fn bound(words: &[Found], quantity: &Quantity) -> Bound {
    const BEFORE: usize = 24;
    const AFTER: usize = 14;
    let near = words.iter().filter(|f| matches!(f.category, Category::Upper | Category::Lower)).filter_map(|f| {
        let distance = if f.end <= quantity.start { quantity.start - f.end } else { f.start.checked_sub(quantity.end)? };
        let limit = if f.end <= quantity.start { BEFORE } else { AFTER };
        (distance <= limit).then_some((distance, f.category))
    });
    match near.min_by_key(|&(distance, category)| (distance, category)) {
        Some((_, Category::Upper)) => Bound::Upper,
        Some((_, Category::Lower)) => Bound::Lower,
        _ => Bound::Plain,
    }
}

impl Stated {
    /// What a value that contradicts it shares with it: the measure and the words around.
    pub fn subject(&self) -> (&Measure, &Frame) {
        (&self.quantity.measure, &self.clause)
    }

    /// How much its clause says, in words.
    pub fn weight(&self) -> usize {
        self.clause.weight()
    }

    /// Whether both speak of the same thing in the same words and give different values for it.
    pub fn contradicts(&self, other: &Stated) -> bool {
        if self.subject() != other.subject() || self.quantity.same_value(&other.quantity) || self.bound != other.bound {
            return false;
        }
        if matches!(self.quantity.measure, Measure::Count(_)) && self.bound == Bound::Plain {
            return false;
        }
        if self.others != other.others || self.exception || other.exception {
            return false;
        }
        if self.actor.is_some() && other.actor.is_some() && self.actor != other.actor {
            return false;
        }
        // Two short rules that say nothing but this are enough; else it takes more words.
        let bare =
            self.bound != Bound::Plain && self.own.is_some() && other.own.is_some() && !self.conditional && !other.conditional;
        let least =
            self.least.max(other.least) - usize::from(bare && self.clause == self.sentence && other.clause == other.sentence);
        // Short statements count where not a word differs and nothing makes them cases.
        let same = self.sentence == other.sentence && !self.conditional && !other.conditional;
        let short = same && self.own.is_some() && other.own.is_some() && self.clause.weight() >= 2;
        if self.clause.weight() < least && !short {
            return false;
        }
        // Two conditions are cases, or examples, with an outcome each: only one bound with one outcome makes them contradict.
        !(self.conditional && other.conditional) || (self.bound != Bound::Plain && self.sentence == other.sentence)
    }

    /// Whether this statement cites the one that defines `other` and gives another value for the same thing.
    pub fn departs_from(&self, other: &Stated) -> bool {
        let cited = other.own.as_ref().is_some_and(|own| self.cites.contains(own));
        let comparable = self.bound == other.bound || self.bound == Bound::Plain || other.bound == Bound::Plain;
        let both = self.only && other.only && !self.exception && comparable;
        cited
            && both
            && self.quantity.measure == other.quantity.measure
            && !self.quantity.same_value(&other.quantity)
            && (!matches!(self.quantity.measure, Measure::Count(_)) || (self.bound != Bound::Plain && self.bound == other.bound))
            && (self.clause.shared(&other.clause) + 1 >= self.least.max(other.least)
                || (self.sentence == other.sentence && !self.sentence.is_empty()))
            && other.clause.covered_by(&self.sentence) >= 0.5
    }
}

#[cfg(test)]
#[path = "values_tests.rs"]
mod tests;
