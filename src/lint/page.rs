//! A document made ready for the rules: which lines they may read, and what the word lists found there.

use super::gate::{self, Gate};
use super::quote::quote;
use super::rule::Hit;
use super::words::{Category, Folded, Found, LINE};
use crate::document::Document;
use crate::model::context::SlimContext;
use crate::model::finding::{RawFinding, Severity};
use crate::model::lang::Lang;
use crate::model::outline::{Item, ItemKind, LineKind, Outline, Reference, SectionKind, Span, Unit, UnitKind};
use crate::text::{Catalogue, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A document as the rules see it.
pub struct Page<'a> {
    doc: &'a Document,
    /// Its outline.
    pub outline: &'a Outline,
    /// What the project knows.
    pub context: &'a SlimContext,
    catalogue: &'a Catalogue,
    gates: Vec<Gate>,
    /// What each line's place is for.
    roles: Vec<SectionKind>,
    first_of_kind: BTreeMap<SectionKind, usize>,
    /// The first definition of each id, by its common form.
    defined: HashMap<&'a str, usize>,
    /// Terms of the glossary, folded.
    glossary: HashSet<String>,
    found: Vec<Found>,
    /// Where each line's finds begin in `found`; one entry more than lines.
    starts: Vec<usize>,
    /// The innermost item on each line.
    items: Vec<Option<usize>>,
    /// The table each row belongs to, by its first body row.
    tables: Vec<Option<u32>>,
    /// Other language than the three: English lists fire only on lines that show English.
    foreign: bool,
}

impl<'a> Page<'a> {
    /// Reads a document once for all rules.
    pub fn new(doc: &'a Document, context: &'a SlimContext, catalogue: &'a Catalogue) -> Page<'a> {
        let outline = doc.outline();
        let foreign = outline.lang == Lang::En && outline.lang_share < 60;
        let roles = gate::roles(outline, |number| doc.zone(number));
        let mut page = Page {
            doc,
            outline,
            context,
            catalogue,
            gates: gate::gates(outline, doc.text(), &roles),
            roles,
            first_of_kind: first_of_kind(outline),
            defined: defined(outline),
            glossary: outline.glossary.iter().map(|term| Folded::plain(term.term.trim())).collect(),
            found: Vec::new(),
            starts: Vec::with_capacity(outline.lines.len() + 1),
            items: items_by_line(outline),
            tables: tables_by_line(outline),
            foreign,
        };
        for number in 1..=outline.line_count() {
            page.starts.push(page.found.len());
            if page.gate(number) > Gate::Closed {
                let folded = page.folded(number);
                let english = page.is_english(number);
                page.found.extend(LINE.scan(&folded, doc.text(), english));
            }
        }
        page.starts.push(page.found.len());
        page
    }

    /// The document's text.
    pub fn text(&self) -> &'a str {
        self.doc.text()
    }

    /// The text of a stretch.
    pub fn slice(&self, span: Span) -> &'a str {
        self.doc.text().get(span.start..span.end).unwrap_or_default()
    }

    /// The text of a line.
    pub fn line_text(&self, number: u32) -> &'a str {
        self.outline.line(number).map_or("", |line| self.slice(line.span))
    }

    /// Numbers of all lines.
    pub fn lines(&self) -> impl Iterator<Item = u32> + use<> {
        1..=self.outline.line_count()
    }

    /// How far rules may go on a line.
    pub fn gate(&self, number: u32) -> Gate {
        (number as usize).checked_sub(1).and_then(|index| self.gates.get(index).copied()).unwrap_or_default()
    }

    /// What the line's place is for.
    pub fn role(&self, number: u32) -> SectionKind {
        (number as usize).checked_sub(1).and_then(|index| self.roles.get(index).copied()).unwrap_or(SectionKind::Other)
    }

    /// A line folded for the word lists, with what must not be read masked.
    pub fn folded(&self, number: u32) -> Folded {
        self.fold(self.outline.line(number).map_or(Span::default(), |line| line.span))
    }

    /// A stretch folded for the word lists, with what must not be read masked.
    pub fn fold(&self, span: Span) -> Folded {
        Folded::new(self.slice(span), span.start, self.masks(span))
    }

    fn masks(&self, span: Span) -> &'a [Span] {
        let masked = &self.outline.masked;
        let first = masked.partition_point(|mask| mask.end <= span.start);
        let last = first + masked[first..].partition_point(|mask| mask.start < span.end);
        &masked[first..last]
    }

    /// Whether English lists may fire on a line.
    pub fn is_english(&self, number: u32) -> bool {
        !self.foreign || shows_english(self.line_text(number))
    }

    /// Every listed word on a line.
    pub fn found(&self, number: u32) -> &[Found] {
        let index = (number as usize).saturating_sub(1);
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&from), Some(&to)) => &self.found[from..to],
            _ => &[],
        }
    }

    /// Words of some categories that count as part of what must hold: on normative lines all,
    /// in prose those in a sentence with an obligation.
    pub fn normative(&self, number: u32, categories: &[Category]) -> Vec<Found> {
        let gate = self.gate(number);
        if gate < Gate::Obliged || is_question(self.line_text(number)) {
            return Vec::new();
        }
        let found = self.found(number);
        let wanted = found.iter().filter(|f| categories.contains(&f.category));
        if gate == Gate::Normative {
            return wanted.copied().collect();
        }
        let base = self.outline.line(number).map_or(0, |line| line.span.start);
        let ends = sentence_ends(self.line_text(number));
        let sentence = |f: &Found| ends.partition_point(|&end| end <= f.span.start.saturating_sub(base));
        let obliged: BTreeSet<usize> = found.iter().filter(|f| f.category == Category::Obligation).map(sentence).collect();
        wanted.filter(|f| obliged.contains(&sentence(f))).copied().collect()
    }

    /// Whether a line is normative, or holds an obligation in the prose of a unit.
    pub fn is_normative(&self, number: u32) -> bool {
        match self.gate(number) {
            Gate::Normative => true,
            Gate::Obliged => self.found(number).iter().any(|f| f.category == Category::Obligation),
            _ => false,
        }
    }

    /// The innermost item on a line, with its index.
    pub fn item_at(&self, number: u32) -> Option<(usize, &'a Item)> {
        let index = (*self.items.get((number as usize).checked_sub(1)?)?)?;
        Some((index, self.outline.items.get(index)?))
    }

    /// The whole statement a line belongs to: its item, else the line.
    pub fn statement(&self, number: u32) -> Span {
        match self.item_at(number) {
            Some((_, item)) if item.kind != ItemKind::Unit => item.place.span,
            _ => self.outline.line(number).map_or(Span::default(), |line| line.span),
        }
    }

    /// The bytes of a line.
    pub fn line_span(&self, number: u32) -> Option<Span> {
        self.outline.line(number).map(|line| line.span)
    }

    /// A statement folded for comparing it with others: what must not be read and the ids it cites are masked.
    pub fn fold_statement(&self, span: Span) -> Folded {
        let cited = self.references_in(span).iter().map(|reference| reference.span);
        let mut masks: Vec<Span> = self.masks(span).iter().copied().chain(cited).collect();
        masks.sort_unstable();
        Folded::new(self.slice(span), span.start, &masks)
    }

    /// Ids cited in a stretch.
    pub fn references_in(&self, span: Span) -> &'a [Reference] {
        let all = &self.outline.references;
        let first = all.partition_point(|reference| reference.span.start < span.start);
        let last = first + all[first..].partition_point(|reference| reference.span.end <= span.end);
        &all[first..last]
    }

    /// Business rules that the statement on a line cites, each once.
    pub fn rules_cited(&self, number: u32) -> Vec<&'a Item> {
        let mut rules: Vec<&Item> = Vec::new();
        for reference in self.references_in(self.statement(number)) {
            let Some(rule) = self.defined.get(reference.id.norm.as_str()).and_then(|&index| self.outline.items.get(index)) else {
                continue;
            };
            if rule.kind == ItemKind::BusinessRule && !rules.iter().any(|known| known.place == rule.place) {
                rules.push(rule);
            }
        }
        rules
    }

    /// Whether the word at a place is one the glossary explains.
    pub fn is_glossary_word(&self, span: Span) -> bool {
        !self.glossary.is_empty() && self.glossary.contains(&Folded::plain(self.slice(span)))
    }

    /// The actor a unit names (`Actor: Customer`), else the first declared actor that it speaks of.
    pub fn actor_of(&self, unit: &Unit) -> Option<String> {
        const LABELS: [&str; 12] = [
            "actor",
            "actors",
            "primary actor",
            "tác nhân",
            "tác nhân chính",
            "vai trò",
            "người dùng",
            "执行者",
            "参与者",
            "角色",
            "主要参与者",
            "主角",
        ];
        let lines = unit.place.lines.first..=unit.place.lines.last.min(unit.place.lines.first + 12);
        for line in lines {
            let text = self.line_text(line).replace('*', "");
            let cells: Vec<&str> = text.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
            let pair = match cells.as_slice() {
                [label, name] => Some((*label, *name)),
                _ => text.split_once([':', '：']),
            };
            let Some((label, name)) = pair else { continue };
            let label = label.trim().trim_start_matches(['-', '+']).trim().trim_end_matches([':', '：']).to_lowercase();
            if LABELS.contains(&label.as_str()) && !name.trim().is_empty() && name.chars().count() <= 60 {
                return Some(name.trim().to_owned());
            }
        }
        let text = self.slice(unit.place.span);
        self.outline
            .actors
            .iter()
            .find(|actor| !actor.name.is_empty() && text.contains(&actor.name))
            .map(|actor| actor.name.clone())
    }

    /// The part of a line behind list marker, number and id.
    pub fn body_on(&self, number: u32) -> Span {
        let line = self.line_span(number).unwrap_or_default();
        match self.item_at(number) {
            Some((_, item)) => {
                Span::new(line.start.max(item.body.start).min(line.end), line.end.min(item.body.end).max(line.start))
            }
            None => line,
        }
    }

    /// Whether the document is in another language than the three: what it lacks cannot be told from word lists.
    pub fn is_foreign(&self) -> bool {
        self.foreign
    }

    /// Whether a comment tells the rule to be quiet on a line.
    pub fn ignores(&self, rule: &str, number: u32) -> bool {
        self.outline.ignores.iter().any(|ignore| ignore.lines.has(number) && ignore.rule.eq_ignore_ascii_case(rule))
    }

    /// What people call the place a line stands in: the id it defines; else its number or section within its unit; else its
    /// section; else the line.
    pub fn place(&self, number: u32) -> String {
        let item = self.item_at(number).map(|(_, item)| item);
        if let Some(id) = item.and_then(|item| item.id.as_ref()) {
            return id.text.clone();
        }
        let section = self.outline.line(number).and_then(|line| line.section).and_then(|index| self.outline.sections.get(index));
        let unit = self.outline.unit_at(number).filter(|unit| unit.kind != UnitKind::SectionStandIn);
        let ordinal = item.and_then(|item| item.ordinal).map(|ordinal| ordinal.to_string());
        let owner = match (unit, section) {
            (Some(unit), _) => unit.id.clone(),
            (None, Some(section)) => self.quoted(&section.title),
            (None, None) => return self.say("lint-line", &[("line", number.into())]),
        };
        match (ordinal, unit, section) {
            (Some(ordinal), ..) => self.say("lint-numbered", &[("number", ordinal.into()), ("owner", owner.into())]),
            (None, Some(unit), Some(section)) if section.heading.lines.first > unit.place.lines.first => {
                self.say("lint-within", &[("section", self.quoted(&section.title).into()), ("owner", owner.into())])
            }
            _ => owner,
        }
    }

    /// [`Page::place`] in words that stay when lines move: never a line number.
    pub fn stable_place(&self, number: u32) -> String {
        let named = self.item_at(number).is_some_and(|(_, item)| item.id.is_some());
        let within =
            self.outline.line(number).is_some_and(|line| line.section.is_some()) || self.outline.unit_at(number).is_some();
        if named || within { self.place(number) } else { self.say("lint-beginning", &[]) }
    }

    /// Sentences one after the other.
    pub fn sentences(&self, sentences: &[String]) -> String {
        sentences.join(if self.catalogue.lang() == Lang::Zh { "" } else { " " })
    }

    /// The title of the first section of a kind, quoted; `None` where the document has none.
    pub fn section_of(&self, kind: SectionKind) -> Option<String> {
        let &index = self.first_of_kind.get(&kind)?;
        self.outline.sections.get(index).map(|section| self.quoted(&section.title))
    }

    /// Words in quotation marks.
    pub fn quoted(&self, words: &str) -> String {
        format!("“{}”", words.trim())
    }

    /// Words one after the other, each in quotation marks and once.
    pub fn quoted_list<'w>(&self, words: impl IntoIterator<Item = &'w str>) -> String {
        let mut seen: Vec<&str> = Vec::new();
        for word in words {
            if !seen.contains(&word) {
                seen.push(word);
            }
        }
        self.list(seen.into_iter().map(|word| self.quoted(word)))
    }

    /// Texts one after the other.
    pub fn list(&self, texts: impl IntoIterator<Item = String>) -> String {
        let comma = if self.catalogue.lang() == Lang::Zh { "、" } else { ", " };
        texts.into_iter().collect::<Vec<_>>().join(comma)
    }

    /// A message in the run's language.
    pub fn say(&self, id: &str, args: &[(&str, Value<'_>)]) -> String {
        let said = self.catalogue.say(id, args);
        // Chinese sets no blank beside its quotation marks; whether an argument brings some is not known to the message.
        if self.catalogue.lang() == Lang::Zh && said.contains('“') {
            return said.replace("” ", "”").replace(" “", "“").replace("”一节 ", "”一节");
        }
        said
    }

    /// A hit on a line, quoting the part of it that holds `focus` (bytes of the document).
    pub fn hit(&self, rule: &'static str, severity: Severity, line: u32, focus: Span) -> Hit {
        let base = self.outline.line(line).map_or(0, |line| line.span.start);
        let text = self.line_text(line);
        let focus = focus.start.saturating_sub(base)..focus.end.saturating_sub(base);
        let raw = RawFinding {
            severity: severity.word().to_owned(),
            section: self.outline.section_path_at(line),
            uc_id: self.outline.unit_at(line).map(|unit| unit.uc_id().to_owned()).unwrap_or_default(),
            quote: quote(text, focus).to_owned(),
            rule: Some(rule.to_owned()),
            line: Some(line),
            ..RawFinding::default()
        };
        Hit { rule, line, raw }
    }

    /// A hit on a line as a whole.
    pub fn hit_line(&self, rule: &'static str, severity: Severity, line: u32) -> Hit {
        let start = self.outline.line(line).map_or(0, |line| line.span.start);
        self.hit(rule, severity, line, Span::new(start, start))
    }

    /// Whether two table rows belong to one table: only rows stand between them.
    pub fn same_table(&self, one: u32, other: u32) -> bool {
        self.table_of(one).is_some() && self.table_of(one) == self.table_of(other)
    }

    /// The header row above a table row; `""` for any other line.
    pub fn table_head(&self, row: u32) -> &'a str {
        let Some(first) = self.table_of(row) else { return "" };
        let head = (first.saturating_sub(3)..first).rev().find(|&line| {
            let head = self.outline.line(line).is_some_and(|l| l.kind == LineKind::TableHead);
            head && self.line_text(line).contains(char::is_alphanumeric)
        });
        head.map_or("", |line| self.line_text(line).trim())
    }

    fn table_of(&self, number: u32) -> Option<u32> {
        self.tables.get((number as usize).checked_sub(1)?).copied().flatten()
    }
}

/// The first definition of each id.
fn defined(outline: &Outline) -> HashMap<&str, usize> {
    let mut defined = HashMap::new();
    for (index, item) in outline.items.iter().enumerate() {
        if let Some(id) = &item.id {
            defined.entry(id.norm.as_str()).or_insert(index);
        }
    }
    defined
}

/// The first section of each kind.
fn first_of_kind(outline: &Outline) -> BTreeMap<SectionKind, usize> {
    let mut first = BTreeMap::new();
    for (index, section) in outline.sections.iter().enumerate() {
        first.entry(section.kind).or_insert(index);
    }
    first
}

/// For each table row the first body row of its table.
fn tables_by_line(outline: &Outline) -> Vec<Option<u32>> {
    let mut current = None;
    let rows = outline.lines.iter().zip(1..).map(|(line, number)| {
        current = if line.kind == LineKind::TableRow { current.or(Some(number)) } else { None };
        current
    });
    rows.collect()
}

/// The innermost item on each line; an item inside another comes later in file order.
fn items_by_line(outline: &Outline) -> Vec<Option<usize>> {
    let mut items = vec![None; outline.lines.len()];
    for (index, item) in outline.items.iter().enumerate() {
        let lines = item.place.lines;
        let first = (lines.first.max(1) as usize - 1).min(items.len());
        let last = (lines.last as usize).min(items.len());
        items[first..last.max(first)].fill(Some(index));
    }
    items
}

/// A question sets no norm.
fn is_question(text: &str) -> bool {
    text.trim_end_matches([' ', '*', '|', '_']).ends_with(['?', '？']) || text.contains("是否")
}

/// Whether a line holds one of the words that hardly an English sentence does without.
fn shows_english(text: &str) -> bool {
    const WORDS: [&str; 14] = ["the", "of", "and", "is", "are", "with", "must", "shall", "when", "that", "be", "if", "for", "by"];
    text.split(|c: char| !c.is_alphabetic()).any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Where the sentences of a text end, in bytes; the last one at its end.
pub fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = text
        .char_indices()
        .map(|(index, c)| (index + c.len_utf8(), c))
        .filter(|&(end, c)| match c {
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => text[end..].chars().next().is_some_and(char::is_whitespace),
            _ => false,
        })
        .map(|(end, _)| end)
        .collect();
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::sentence_ends;

    #[test]
    fn sentences_end_at_full_stops_not_at_decimals() {
        let text = "It must hold 99.9 % of the time. Later it may not. 系统必须保存。之后删除";
        let mut start = 0;
        let mut sentences = Vec::new();
        for end in sentence_ends(text) {
            sentences.push(text[start..end].trim());
            start = end;
        }
        assert_eq!(sentences, ["It must hold 99.9 % of the time.", "Later it may not.", "系统必须保存。", "之后删除"]);
        assert_eq!(sentence_ends(""), [0]);
    }
}
