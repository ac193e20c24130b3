//! `lint`: the offline reviewer's rules, one small unit each, with their word lists as data.
//! It reads a parsed document and says what is wrong, where, and what to write instead.
//! What never belongs here: judgement, models, files, settling, and anything that prints.

mod cross;
mod frame;
mod gate;
mod numbers;
mod owner;
mod page;
mod quote;
mod rule;
mod rules;
mod values;
mod words;

pub use cross::{against, known_domain};
pub use owner::{Owner, critics_dimension, has_rules, owner};
pub use rule::{Example, Hit, Rule};

use crate::document::Document;
use crate::model::context::SlimContext;
use crate::text::Catalogue;
use page::Page;

/// Every rule of the offline reviewer, in the order of their ids.
pub fn rules() -> &'static [Rule] {
    rules::ALL
}

/// Everything the rules see in a document, sorted by line, then rule; at most one hit for a rule and line.
/// What a `<!-- tamis-ignore RULE reason -->` comment covers is left out.
pub fn review(doc: &Document, context: &SlimContext, catalogue: &Catalogue) -> Vec<Hit> {
    let page = Page::new(doc, context, catalogue);
    let mut hits: Vec<Hit> = rules().iter().flat_map(|rule| (rule.check)(&page)).collect();
    hits.retain(|hit| !page.ignores(hit.rule, hit.line));
    hits.sort_by(|one, other| (one.line, one.rule).cmp(&(other.line, other.rule)));
    hits.dedup_by(|later, first| (later.line, later.rule) == (first.line, first.rule));
    hits
}
