//! Checks ahead of the fan-out: does the document name a known domain (P0), does it conflict with other documents (P3).

use super::frame::Frame;
use super::numbers::Measure;
use super::page::Page;
use super::rule::Hit;
use super::values::{Stated, stated};
use super::words::{Folded, stands_alone};
use crate::document::Document;
use crate::model::context::SlimContext;
use crate::model::finding::Severity;
use crate::model::outline::{Item, ItemKind, SectionKind, Span};
use crate::text::Catalogue;
use std::collections::{BTreeMap, HashMap};

/// Rule id of the check for a known domain.
const DOMAIN: &str = "P0";
/// Rule id of the check against other documents.
const OTHERS: &str = "P3";
/// Values of one subject that each is compared with; keeps the comparison linear.
const NEIGHBOURS: usize = 64;
/// Share of words from which two texts under one id speak of the same thing.
const SAME_TOPIC: f64 = 0.3;
/// Share of words from which they say the same.
const SAME_TEXT: f64 = 0.95;

/// P0: the context knows domains and the document names none of them. One finding about what is absent, without a quote.
/// `None` where the context names no domain: there is nothing to check, so the step is not covered.
pub fn known_domain(doc: &Document, context: &SlimContext, catalogue: &Catalogue) -> Option<Vec<Hit>> {
    let domains: Vec<&str> = context.domains.iter().map(|domain| domain.trim()).filter(|domain| !domain.is_empty()).collect();
    if domains.is_empty() {
        return None;
    }
    let text = Folded::plain(doc.text());
    let named = domains.iter().any(|domain| {
        let spaced = Folded::plain(&domain.replace(['_', '-'], " "));
        let written = Folded::plain(domain);
        names(&text, &written) || names(&text, &spaced)
    });
    if named {
        return Some(Vec::new());
    }
    let page = Page::new(doc, context, catalogue);
    let list = page.list(domains.iter().map(|domain| page.quoted(domain)));
    let mut hit = page.hit_line(DOMAIN, Severity::Major, 1);
    hit.raw.quote = String::new();
    hit.raw.line = None;
    hit.raw.section = String::new();
    hit.raw.uc_id = String::new();
    hit.raw.missing = Some(domains.join(", "));
    let args = [("domains", list.into())];
    Some(vec![hit.saying(page.say("lint-P0-finding", &args), page.say("lint-P0-suggestion", &args))])
}

/// Whether a word stands alone somewhere in a text, both folded.
fn names(text: &str, word: &str) -> bool {
    !word.is_empty() && text.match_indices(word).any(|(at, _)| stands_alone(text, at, at + word.len()))
}

/// P3: values that contradict those of another document, and ids that another document defines with other words.
/// Each is one finding with an option for either document; `others` holds the files' names and their documents.
pub fn against(doc: &Document, others: &[(String, Document)], catalogue: &Catalogue) -> Vec<Hit> {
    let context = SlimContext::default();
    let page = Page::new(doc, &context, catalogue);
    let values = stated(&page);
    let mut hits: BTreeMap<u32, Hit> = BTreeMap::new();
    for (file, other) in others {
        let there = Page::new(other, &context, catalogue);
        let found = values_against(&page, &values, file, &there).into_iter().chain(ids_against(&page, file, &there));
        for hit in found.filter(|hit| !page.ignores(OTHERS, hit.line)) {
            hits.entry(hit.line).or_insert(hit);
        }
    }
    hits.into_values().collect()
}

fn values_against(page: &Page<'_>, values: &[Stated], file: &str, there: &Page<'_>) -> Vec<Hit> {
    let theirs = stated(there);
    let mut subjects: HashMap<(&Measure, &Frame), Vec<&Stated>> = HashMap::new();
    for value in &theirs {
        subjects.entry(value.subject()).or_default().push(value);
    }
    let contradiction = |value: &Stated| {
        let same = subjects.get(&value.subject()).into_iter().flatten().take(NEIGHBOURS);
        same.copied().find(|other| value.contradicts(other))
    };
    let pairs = values.iter().filter_map(|value| Some((value, contradiction(value)?)));
    pairs.map(|(value, other)| say_value(page, value, file, there, other)).collect()
}

fn say_value(page: &Page<'_>, value: &Stated, file: &str, there: &Page<'_>, other: &Stated) -> Hit {
    let args = [
        ("place", page.place(value.line).into()),
        ("here", page.stable_place(value.line).into()),
        ("value", page.quoted(page.slice(value.span)).into()),
        ("file", file.to_owned().into()),
        ("line", other.line.into()),
        ("there", there.stable_place(other.line).into()),
        ("other", page.quoted(there.slice(other.span)).into()),
    ];
    let mut hit = page.hit(OTHERS, Severity::Critical, value.line, value.span);
    hit = hit.saying(page.say("lint-P3-value", &args), page.say("lint-P3-value-suggestion", &args));
    hit.raw.options = vec![page.say("lint-P3-value-here", &args), page.say("lint-P3-value-there", &args)];
    hit.raw.options_at = vec![value.line, 0];
    hit
}

/// Ids defined in both with other words. Every document counts its BR-01 anew, so a plain id tells only where both texts speak
/// of one thing; an id with an area (`BR-PAY-01`) is meant to be unique.
fn ids_against(page: &Page<'_>, file: &str, there: &Page<'_>) -> Vec<Hit> {
    let theirs = definitions(there);
    let mine = definitions(page);
    let pairs = mine.into_iter().filter_map(|(norm, item)| Some((item, *theirs.get(norm)?)));
    pairs
        .filter(|(item, other)| differs(page, item, there, other))
        .map(|(item, other)| say_id(page, item, file, there, other))
        .collect()
}

/// The first definition of every rule and requirement, by the common form of its id.
fn definitions<'p>(page: &'p Page<'_>) -> BTreeMap<&'p str, &'p Item> {
    let mut found = BTreeMap::new();
    for item in &page.outline.items {
        let rule = matches!(item.kind, ItemKind::BusinessRule | ItemKind::NonFunctional | ItemKind::Requirement | ItemKind::Unit);
        let closed =
            matches!(page.role(item.place.lines.first), SectionKind::Changelog | SectionKind::Toc | SectionKind::Checklist);
        if let Some(id) = item.id.as_ref().filter(|_| rule && !closed) {
            found.entry(id.norm.as_str()).or_insert(item);
        }
    }
    found
}

fn differs(page: &Page<'_>, item: &Item, there: &Page<'_>, other: &Item) -> bool {
    let (here, theirs) = (page.fold_statement(item.body), there.fold_statement(other.body));
    let words = |folded: &Folded| {
        folded.text().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let (mine, yours) = (Frame::new(here.text()), Frame::new(theirs.text()));
    if mine.is_empty() || yours.is_empty() || words(&here) == words(&theirs) {
        return false;
    }
    let alike = mine.dice(&yours);
    let area = item.id.as_ref().is_some_and(|id| id.family.contains('-'));
    let title = item.kind == ItemKind::Unit;
    // Equal words with another number are for the comparison of values; a title may be worded anew.
    (area || (alike >= SAME_TOPIC && !title)) && alike < SAME_TEXT
}

fn say_id(page: &Page<'_>, item: &Item, file: &str, there: &Page<'_>, other: &Item) -> Hit {
    let line = item.place.lines.first;
    let words = there.slice(other.body).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(80).collect();
    let args = [
        ("id", item.id.as_ref().map(|id| id.text.clone()).unwrap_or_default().into()),
        ("file", file.to_owned().into()),
        ("line", other.place.lines.first.into()),
        ("other", page.quoted(&short).into()),
    ];
    let mut hit = page.hit(OTHERS, Severity::Major, line, Span::new(item.body.start, item.body.start));
    hit = hit.saying(page.say("lint-P3-id", &args), page.say("lint-P3-id-suggestion", &args));
    hit.raw.options = vec![page.say("lint-P3-id-here", &args), page.say("lint-P3-id-there", &args)];
    hit.raw.options_at = vec![line, 0];
    hit
}
