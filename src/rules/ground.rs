//! Grounding: where the words that a finding quotes stand in the document (DESIGN, Grounding). Models misquote,
//! misplace and invent; whatever they say of unit and section is checked against the document.

use super::cites::ids;
use super::contents::{Contents, has_words, plain, thing_missing};
use super::normal::Folded;
use crate::model::finding::{Grounding, RawFinding};
use crate::model::outline::{Outline, Span};
use memchr::memmem;
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::char::canonical_combining_class;

/// Characters of a quote that are kept (SPEC S0, Phase 1).
pub const MAX_QUOTE: usize = 120;

/// Places of one quote that are looked at; more of them can no longer be told apart by reading.
const MAX_HITS: usize = 512;

/// A document made ready for grounding.
pub struct Grounds<'a> {
    text: &'a str,
    outline: &'a Outline,
    folded: Folded,
    contents: Contents<'a>,
}

/// What grounding a finding says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Grounded {
    /// How the quote stands in the document.
    pub grounding: Grounding,
    /// Line of the quote, from 1; 0 where it is not in the document.
    pub line: u32,
    /// Bytes of the whole quote; `None` where it is not in the document.
    pub span: Option<Span>,
    /// Heading path where the quote stands; without a quote in the document the section the agent means, or its words.
    pub section: String,
    /// The agent's words for the section, where they differ.
    pub section_given: Option<String>,
    /// Unit the quote lies in, else `""`.
    pub uc_id: String,
    /// The document's words (the agent's, where they are not in the document), cut to [`MAX_QUOTE`] characters.
    pub quote: String,
    /// What is said to be missing.
    pub missing: Option<String>,
    /// Line where the thing said to be missing stands with text: the finding is wrong.
    pub refuted: Option<u32>,
}

/// A place where the quote stands.
#[derive(Clone, Copy)]
struct Hit {
    span: Span,
    line: u32,
    verbatim: bool,
}

/// The agent's words for the place.
struct Said<'r> {
    section: &'r str,
    name: String,
    /// Single places, where several are named at once.
    pieces: Vec<String>,
    ids: BTreeSet<String>,
    unit: &'r str,
}

impl<'a> Grounds<'a> {
    /// Makes a document ready: one pass over its text.
    pub fn new(text: &'a str, outline: &'a Outline) -> Grounds<'a> {
        Grounds { text, outline, folded: Folded::new(text), contents: Contents::new(outline) }
    }

    /// The names of the document.
    pub fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    /// Finds a raw finding's quote, or checks the absence it reports.
    pub fn ground(&self, raw: &RawFinding) -> Grounded {
        let said = Said::new(raw);
        let quote = raw.quote.trim();
        if quote.is_empty() {
            return self.absence(raw, &said);
        }
        let needle = Folded::new(quote);
        if let Some(hit) = raw.line.and_then(|line| self.hit_on_line(quote, &needle, line)) {
            // The agent pointed at this very line: its words for the section only name it.
            return self.stand(hit, if hit.verbatim { Grounding::Exact } else { Grounding::Normalised }, raw, &said);
        }
        let hits = self.hits(quote, &needle, &said);
        let Some(&first) = hits.first() else {
            return self.nowhere(raw, &said, Grounding::Missing);
        };
        let (hit, sure) = match hits.as_slice() {
            [only] => (*only, true),
            _ => self.choose(&hits, &said).unwrap_or((first, false)),
        };
        let grounding = match () {
            () if !sure => Grounding::Ambiguous,
            () if self.section_fit(hit.line, &said) == 0 || !self.unit_fits(hit.line, &said) => Grounding::Moved,
            () if hit.verbatim => Grounding::Exact,
            () => Grounding::Normalised,
        };
        self.stand(hit, grounding, raw, &said)
    }

    /// Every place of the quote, in file order, one a line: the verbatim ones where there are any, else the folded ones.
    fn hits(&self, quote: &str, needle: &Folded, said: &Said) -> Vec<Hit> {
        let all = 0..self.folded.as_str().len();
        let mut starts = self.folded.find(needle.as_str(), all, MAX_HITS);
        if starts.len() == MAX_HITS {
            // Too many to read them all: those where the agent points come first.
            for lines in self.pointed_at(said) {
                starts.extend(self.folded.find(needle.as_str(), lines, MAX_HITS));
            }
            starts.sort_unstable();
            starts.dedup();
        }
        let mut hits: Vec<Hit> = starts.into_iter().map(|start| self.hit(quote, needle, start)).collect();
        if hits.is_empty() && edge_is_markup(quote) {
            let found = memmem::find_iter(self.text.as_bytes(), quote.as_bytes()).take(MAX_HITS);
            hits = found.map(|start| self.literal_hit(start, quote.len())).collect();
        }
        if hits.iter().any(|hit| hit.verbatim) {
            hits.retain(|hit| hit.verbatim);
        }
        hits.dedup_by_key(|hit| hit.line);
        hits
    }

    fn hit_on_line(&self, quote: &str, needle: &Folded, line: u32) -> Option<Hit> {
        let place = self.outline.line(line)?.span;
        let reach = needle.as_str().len();
        let from = self.folded.folded(place.start).saturating_sub(reach);
        let to = self.folded.folded(place.end) + reach;
        let starts = self.folded.find(needle.as_str(), from..to, MAX_HITS);
        let touching = starts
            .into_iter()
            .map(|start| self.hit(quote, needle, start))
            .filter(|hit| hit.span.start <= place.end && place.start < hit.span.end);
        // A hit that begins on the line beats one that only reaches into it, a verbatim one a folded one.
        touching.min_by_key(|hit| (hit.line != line, !hit.verbatim, hit.span.start))
    }

    /// The hit whose folded text begins at `start`.
    fn hit(&self, quote: &str, needle: &Folded, start: usize) -> Hit {
        // Markup at the quote's start was dropped in folding: a verbatim quote begins that much earlier.
        let lead = needle.original(0);
        let origin = self.folded.original(start);
        if let Some(begin) = origin.checked_sub(lead)
            && self.text.get(begin..).is_some_and(|rest| rest.starts_with(quote))
        {
            return self.literal_hit(begin, quote.len());
        }
        let folded = self.folded.as_str();
        let end = start + needle.as_str().len();
        let last = (start..end).rev().find(|&at| folded.is_char_boundary(at)).unwrap_or(start);
        let last = self.folded.original(last);
        let span = Span::new(origin, last + self.text.get(last..).map_or(0, length_with_marks));
        Hit { span, line: self.outline.line_of(origin), verbatim: false }
    }

    fn literal_hit(&self, start: usize, length: usize) -> Hit {
        Hit { span: Span::new(start, start + length), line: self.outline.line_of(start), verbatim: true }
    }

    /// Several places: the agent's section, then its unit choose. `true` where one is left.
    fn choose(&self, hits: &[Hit], said: &Said) -> Option<(Hit, bool)> {
        let fits: Vec<u8> = hits.iter().map(|hit| self.section_fit(hit.line, said)).collect();
        let best = fits.iter().copied().max().unwrap_or(0);
        let mut left: Vec<Hit> = hits.iter().zip(&fits).filter(|&(_, &fit)| fit == best).map(|(hit, _)| *hit).collect();
        if left.iter().any(|hit| self.unit_fits(hit.line, said)) {
            left.retain(|hit| self.unit_fits(hit.line, said));
        }
        left.first().map(|&hit| (hit, left.len() == 1))
    }

    /// How well a line's section fits the agent's words: 3 exactly, 2 by its own title, 1 by a name or id around it,
    /// 0 not at all. No words fit everywhere.
    fn section_fit(&self, line: u32, said: &Said) -> u8 {
        if said.name.is_empty() {
            return 1;
        }
        let Some(section) = self.outline.line(line).and_then(|line| line.section) else { return 0 };
        if self.contents.path(section) == said.name {
            return 3;
        }
        let own = self.contents.title(section);
        if said.pieces.iter().any(|piece| piece == own) {
            return 2;
        }
        let mut above = Some(section);
        let mut titles = Vec::new();
        while let Some(index) = above {
            titles.push(self.contents.title(index));
            above = self.outline.sections.get(index).and_then(|section| section.parent);
        }
        let named = titles.iter().any(|title| has_words(&said.name, title))
            || has_words(self.contents.path(section), &said.name)
            || (!said.ids.is_empty()
                && (!said.ids.is_disjoint(&self.contents.section_ids(section))
                    || !said.ids.is_disjoint(&ids(self.line_text(line)))));
        u8::from(named)
    }

    fn unit_fits(&self, line: u32, said: &Said) -> bool {
        if !Contents::names_a_unit(said.unit) {
            return true;
        }
        self.outline.unit_at(line).is_some_and(|unit| self.contents.is_unit(said.unit, unit))
    }

    /// The text of a line, from 1; empty where there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        self.outline.line(line).and_then(|line| self.text.get(line.span.start..line.span.end)).unwrap_or("")
    }

    /// Folded stretches of the section and the unit that the agent names.
    fn pointed_at(&self, said: &Said) -> Vec<Range<usize>> {
        let unit = self.contents.unit_named(said.unit);
        let section = self.contents.resolve(said.section, unit).map(|index| self.outline.sections[index].place);
        let places = section.into_iter().chain(unit.map(|index| self.outline.units[index].place));
        places.map(|place| self.folded.folded(place.span.start)..self.folded.folded(place.span.end)).collect()
    }

    fn stand(&self, hit: Hit, grounding: Grounding, raw: &RawFinding, said: &Said) -> Grounded {
        let section = self.outline.section_path_at(hit.line);
        let words = self.text.get(hit.span.start..hit.span.end).unwrap_or(&raw.quote);
        let missing = raw.missing.as_deref().map(str::trim).filter(|thing| !thing.is_empty()).map(str::to_owned);
        Grounded {
            grounding,
            line: hit.line,
            span: Some(hit.span),
            section_given: said.given_beside(&section),
            section,
            uc_id: self.outline.unit_at(hit.line).map(|unit| unit.uc_id().to_owned()).unwrap_or_default(),
            quote: cut(words, MAX_QUOTE).to_owned(),
            missing,
            refuted: None,
        }
    }

    /// A finding whose place rests on the agent's words alone.
    fn nowhere(&self, raw: &RawFinding, said: &Said, grounding: Grounding) -> Grounded {
        let unit = self.contents.unit_named(said.unit);
        let section = self
            .contents
            .resolve(said.section, unit)
            .map(|index| self.outline.sections[index].path_text())
            .unwrap_or_else(|| said.section.to_owned());
        let missing = raw.missing.as_deref().map(str::trim).filter(|thing| !thing.is_empty()).map(str::to_owned);
        Grounded {
            grounding,
            line: 0,
            span: None,
            section_given: said.given_beside(&section),
            section,
            uc_id: String::new(),
            quote: cut(raw.quote.trim(), MAX_QUOTE).to_owned(),
            missing,
            refuted: None,
        }
    }

    fn absence(&self, raw: &RawFinding, said: &Said) -> Grounded {
        let mut grounded = self.nowhere(raw, said, Grounding::Absence);
        grounded.missing = grounded.missing.or_else(|| thing_missing(&raw.finding));
        grounded.refuted = grounded.missing.as_deref().and_then(|thing| self.contents.line_of_thing(thing, &grounded.section));
        if grounded.refuted.is_some() {
            grounded.grounding = Grounding::Missing;
        }
        grounded
    }
}

impl<'r> Said<'r> {
    fn new(raw: &'r RawFinding) -> Said<'r> {
        let section = raw.section.trim();
        let pieces = section
            .split(['>', ';', ',', '/', '、', '，', '；', '|', '\n'])
            .flat_map(|piece| piece.split(" & "))
            .flat_map(|piece| piece.split(" and "))
            .map(plain)
            .filter(|piece| !piece.is_empty())
            .collect();
        Said { section, name: plain(section), pieces, ids: ids(section), unit: raw.uc_id.trim() }
    }

    fn given_beside(&self, section: &str) -> Option<String> {
        (!self.section.is_empty() && self.section != section).then(|| self.section.to_owned())
    }
}

/// Whether folding may have read marks at a quote's edge, or half a tag, otherwise than inside the document.
fn edge_is_markup(quote: &str) -> bool {
    let edge = |c: Option<char>| c.is_some_and(|c| matches!(c, '*' | '_' | '`' | '\\') || canonical_combining_class(c) != 0);
    quote.contains(['<', '>']) || edge(quote.chars().next()) || edge(quote.chars().next_back())
}

/// Bytes of the first character with the combining marks on it.
fn length_with_marks(text: &str) -> usize {
    let mut chars = text.chars();
    let first = chars.next().map_or(0, char::len_utf8);
    let marks = chars.take_while(|&c| canonical_combining_class(c) != 0);
    first + marks.map(char::len_utf8).sum::<usize>()
}

/// The first `limit` characters of a text.
pub fn cut(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    fn ground(quote: &str, with: impl FnOnce(&mut RawFinding)) -> Grounded {
        let (text, outline) = sample::document();
        let mut raw = sample::raw("major", quote, "Something is wrong.", "");
        with(&mut raw);
        Grounds::new(text, &outline).ground(&raw)
    }

    #[test]
    fn a_verbatim_quote_that_stands_once_is_exact() {
        let found = ground("must be sent within 14 days", |_| {});
        assert_eq!((found.grounding, found.line), (Grounding::Exact, 11));
        assert_eq!((found.section.as_str(), found.uc_id.as_str()), ("Business rules", ""));
        let span = found.span.unwrap();
        assert_eq!(&sample::TEXT[span.start..span.end], "must be sent within 14 days");
        let in_unit = ground("If the order is unknown", |_| {});
        assert_eq!((in_unit.section.as_str(), in_unit.uc_id.as_str()), ("UC-01: Refund > Error flow", "UC-01"));
        assert_eq!(ground("**500 USD** need", |_| {}).grounding, Grounding::Exact, "markup quoted as it stands");
    }

    #[test]
    fn dropped_emphasis_backticks_breaks_and_white_space_are_forgiven() {
        let found = ground("above 500 USD need  staff approval before payment", |_| {});
        assert_eq!((found.grounding, found.line), (Grounding::Normalised, 12));
        assert_eq!(found.quote, "above **500 USD** need `staff` approval<br>before payment", "the document's words are kept");
        assert_eq!(ground("“refund request", |_| {}).grounding, Grounding::Missing, "other words are not forgiven");
        assert_eq!(ground("_The form should be_", |raw| raw.line = Some(20)).grounding, Grounding::Normalised);
    }

    #[test]
    fn a_quote_elsewhere_than_said_is_moved_and_the_given_section_is_kept() {
        let found = ground("must be sent within 14 days", |raw| raw.section = "Glossary".to_owned());
        assert_eq!((found.grounding, found.section.as_str()), (Grounding::Moved, "Business rules"));
        assert_eq!(found.section_given.as_deref(), Some("Glossary"));
        let found = ground("If the order is unknown", |raw| raw.uc_id = "UC-02".to_owned());
        assert_eq!((found.grounding, found.uc_id.as_str()), (Grounding::Moved, "UC-01"));
        let found = ground("must be sent within 14 days", |raw| raw.uc_id = "UC-02".to_owned());
        assert_eq!((found.grounding, found.uc_id.as_str()), (Grounding::Moved, ""), "the agent's unit never counts");
    }

    #[test]
    fn other_names_for_the_right_place_are_no_move() {
        for (section, uc_id) in [
            ("UC-01: Refund > Error flow", "UC-01"),
            ("Error flow", "UC_1"),
            ("UC-01", ""),
            ("3. **error flow**:", "PRD-global"),
            ("UC-01, Error flow, E1", "uc-01"),
            ("E1", ""),
        ] {
            let found = ground("If the order is unknown", |raw| {
                raw.section = section.to_owned();
                raw.uc_id = uc_id.to_owned();
            });
            assert_eq!(found.grounding, Grounding::Exact, "{section} / {uc_id}");
        }
        let same = ground("If the order is unknown", |raw| raw.section = "UC-01: Refund > Error flow".to_owned());
        assert_eq!(same.section_given, None);
    }

    #[test]
    fn several_hits_are_told_apart_by_line_then_section_then_unit_else_ambiguous() {
        let quote = "The form should be fast.";
        let by_line = ground(quote, |raw| raw.line = Some(29));
        assert_eq!((by_line.grounding, by_line.line, by_line.uc_id.as_str()), (Grounding::Exact, 29, "UC-02"));
        let by_section = ground(quote, |raw| raw.section = "UC-02: Approve > Acceptance criteria".to_owned());
        assert_eq!((by_section.grounding, by_section.line), (Grounding::Exact, 29));
        let by_unit = ground(quote, |raw| {
            raw.section = "Acceptance criteria".to_owned();
            raw.uc_id = "UC-02".to_owned();
        });
        assert_eq!((by_unit.grounding, by_unit.line), (Grounding::Exact, 29));
        let unsure = ground(quote, |_| {});
        assert_eq!((unsure.grounding, unsure.line), (Grounding::Ambiguous, 20));
        let wrong_line = ground(quote, |raw| raw.line = Some(3));
        assert_eq!((wrong_line.grounding, wrong_line.line), (Grounding::Ambiguous, 20));
    }

    #[test]
    fn a_quote_that_is_not_there_is_missing_and_has_no_unit() {
        let found = ground("Refunds are paid in gold", |raw| {
            raw.uc_id = "UC-01".to_owned();
            raw.section = "Error flow".to_owned();
        });
        assert_eq!((found.grounding, found.line, found.span), (Grounding::Missing, 0, None));
        assert_eq!((found.section.as_str(), found.uc_id.as_str()), ("UC-01: Refund > Error flow", ""));
        assert_eq!(found.quote, "Refunds are paid in gold");
    }

    #[test]
    fn a_quote_is_grounded_first_then_cut() {
        let long = format!("{} ends here", "退款 rule ".repeat(30));
        let text = format!("# T\n\nBefore. {long}. After.\n");
        let outline = sample::outline(&text);
        let grounds = Grounds::new(&text, &outline);
        let found = grounds.ground(&sample::raw("major", &long, "w", ""));
        assert_eq!(found.grounding, Grounding::Exact);
        assert_eq!(found.quote.chars().count(), MAX_QUOTE);
        let wrong_tail = format!("{long} but not");
        assert_eq!(grounds.ground(&sample::raw("major", &wrong_tail, "w", "")).grounding, Grounding::Missing);
    }

    #[test]
    fn an_absence_is_checked_against_headings_and_ids() {
        let absence = |section: &str, uc_id: &str, words: &str, missing: Option<&str>| {
            let (text, outline) = sample::document();
            let mut raw = sample::raw("major", "", words, "");
            raw.section = section.to_owned();
            raw.uc_id = uc_id.to_owned();
            raw.missing = missing.map(str::to_owned);
            let grounded = Grounds::new(text, &outline).ground(&raw);
            (grounded.grounding, grounded.refuted)
        };
        assert_eq!(absence("", "", "No success metric is named.", None), (Grounding::Absence, None));
        assert_eq!(absence("", "", "There is no glossary section.", None), (Grounding::Missing, Some(5)));
        assert_eq!(absence("", "", "Terms are unclear.", Some("Glossary")), (Grounding::Missing, Some(5)));
        assert_eq!(absence("", "", "BR-02 is not defined.", None), (Grounding::Missing, Some(12)));
        assert_eq!(absence("", "", "BR-07 is not defined.", None), (Grounding::Absence, None));
        assert_eq!(absence("", "", "Missing changelog section.", None), (Grounding::Absence, None), "it is empty");
        assert_eq!(absence("", "UC-02", "The error flow section is missing.", None), (Grounding::Absence, None));
        assert_eq!(absence("UC-01", "", "The error flow section is missing.", None), (Grounding::Missing, Some(21)));
    }

    #[test]
    fn a_quote_over_a_line_wrap_is_found_and_its_line_is_where_it_begins() {
        let text = "# T\n\nThe system\nsends **a\nmail** at once.\n";
        let outline = sample::outline(text);
        let found = Grounds::new(text, &outline).ground(&sample::raw("major", "sends a mail", "w", ""));
        assert_eq!((found.grounding, found.line), (Grounding::Normalised, 4));
        assert_eq!(found.quote, "sends **a\nmail");
    }

    #[test]
    fn many_quotes_on_a_large_text_use_the_index() {
        let mut text = String::from("# Large\n\n");
        for number in 0..8000 {
            text.push_str(&format!("- Order {number} is *kept* for {} years.\n", number % 97));
        }
        let outline = sample::outline(&text);
        let grounds = Grounds::new(&text, &outline);
        for number in (0..8000).step_by(7) {
            let quote = format!("Order {number} is kept for {} years", number % 97);
            let found = grounds.ground(&sample::raw("major", &quote, "w", ""));
            assert_eq!((found.grounding, found.line), (Grounding::Normalised, number + 3));
        }
        let common = grounds.ground(&sample::raw("major", "years.", "w", ""));
        assert_eq!(common.grounding, Grounding::Ambiguous);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics_on_any_text(
            text in "(?s).{0,120}", quote in "(?s).{0,40}", section in ".{0,20}", uc_id in ".{0,8}", line in 0u32..9,
        ) {
            let outline = sample::outline(&text);
            let mut raw = sample::raw("major", &quote, &section, "");
            raw.section = section;
            raw.uc_id = uc_id;
            raw.line = Some(line);
            let found = Grounds::new(&text, &outline).ground(&raw);
            proptest::prop_assert!(found.quote.chars().count() <= MAX_QUOTE);
        }

        #[test]
        fn every_stretch_of_a_document_is_found(from in 0usize..sample::TEXT.len(), length in 4usize..60) {
            let text = sample::TEXT;
            let outline = sample::outline(text);
            let quote = text.get(from..(from + length).min(text.len())).unwrap_or("Refund").trim();
            if !quote.is_empty() {
                let found = Grounds::new(text, &outline).ground(&sample::raw("major", quote, "w", ""));
                proptest::prop_assert!(
                    matches!(found.grounding, Grounding::Exact | Grounding::Ambiguous),
                    "{:?} is {:?}", quote, found.grounding
                );
            }
        }
    }
}
