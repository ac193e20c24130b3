//! The rules and terms that a part of a document cites: what an agent gets beside its bucket, for reference only.

use super::Document;
use crate::model::outline::{Item, ItemKind, LineSpan, Place};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeMap, HashSet};

/// Definitions and glossary terms that these lines cite by id or by term and that lie outside them, in file order
/// (SPEC S0, Phase 1: "the rules and terms that this text cites by id").
pub fn cited_by(doc: &Document, lines: &[LineSpan]) -> Vec<Place> {
    let outline = doc.outline();
    let inside = |line: u32| lines.iter().any(|span| span.has(line));
    let cited: HashSet<&str> = outline
        .references
        .iter()
        .filter(|reference| inside(reference.line))
        .map(|reference| reference.id.norm.as_str())
        .collect();
    let mut places: BTreeMap<usize, Place> = BTreeMap::new();
    for item in outline.items.iter().filter(|item| is_rule(item) && !inside(item.place.lines.first)) {
        if item.id.as_ref().is_some_and(|id| cited.contains(id.norm.as_str())) {
            places.insert(item.place.span.start, item.place);
        }
    }
    for place in terms_in(doc, lines) {
        if !inside(place.lines.first) {
            places.entry(place.span.start).or_insert(place);
        }
    }
    places.into_values().collect()
}

/// Whether an item is one that other text may lean on: anything with an id but units and criteria.
fn is_rule(item: &Item) -> bool {
    item.id.is_some() && !matches!(item.kind, ItemKind::Unit | ItemKind::Criterion)
}

/// Places of the glossary terms that stand in these lines as whole words, whatever their case.
fn terms_in(doc: &Document, lines: &[LineSpan]) -> Vec<Place> {
    let glossary = &doc.outline().glossary;
    let (mut patterns, mut owners) = (Vec::new(), Vec::new());
    for (index, term) in glossary.iter().enumerate() {
        let name = term.term.trim().to_lowercase();
        if !name.is_empty() {
            patterns.push(name);
            owners.push(index);
        }
    }
    let Ok(search) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns) else { return Vec::new() };
    let mut found: Vec<bool> = vec![false; glossary.len()];
    for span in lines {
        let text = doc.lines_text(*span).to_lowercase();
        for hit in search.find_iter(&text) {
            let before = text[..hit.start()].chars().next_back();
            let after = text[hit.end()..].chars().next();
            let pattern = &patterns[hit.pattern().as_usize()];
            let bounded = !joins(before, pattern.chars().next()) && !joins(pattern.chars().next_back(), after);
            if bounded {
                found[owners[hit.pattern().as_usize()]] = true;
            }
        }
    }
    glossary.iter().zip(found).filter(|(_, found)| *found).map(|(term, _)| term.place).collect()
}

/// Whether two neighbouring characters belong to one word; CJK letters stand for themselves, and a plural `s` is let pass.
fn joins(left: Option<char>, right: Option<char>) -> bool {
    let word = |c: Option<char>| c.is_some_and(|c| (c.is_alphanumeric() && !super::lang::is_han(c)) || c == '_');
    word(left) && word(right) && right != Some('s')
}
