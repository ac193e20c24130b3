//! From a model's text to findings or verdicts: the schema that is asked for, the extractor, the reading of single items,
//! and the questions that put right what could not be read. Pure.
//! What never belongs here: sockets, retries, what a finding means in the document.

mod ask_again;
mod extract;
mod items;
mod mend;
mod scan;
#[cfg(test)]
mod tests;

pub use ask_again::{Questions, join_rest, merge};

use crate::model::arbiter::{MAX_MEMBERS, VerdictPart};
use crate::model::finding::{RawFinding, Severity};
use crate::model::recipe::Recipe;
use serde_json::{Map, Value, json};

/// Bytes of an answer that are read at most; the largest honest answers are far below (trust facts, 2.8).
pub const MAX_BYTES: usize = 2 << 20;
/// Findings in one answer: as many as fit an ordinary output limit when each is of ordinary length. A list that is full is
/// asked for the rest.
pub const MAX_FINDINGS: usize = 40;
/// Characters of a quote: it is cut to 120 once it is grounded, and emphasis marks and table bars come on top.
pub const MAX_QUOTE: usize = 400;
/// Characters of a finding or a suggestion: about half a page, far above what people read with pleasure.
pub const MAX_WORDS: usize = 2000;
/// Characters of a heading path; headings of real documents stay far below.
pub const MAX_SECTION: usize = 300;
/// Characters of an id of a unit or a dimension.
pub const MAX_ID: usize = 80;
/// Characters of an edge case, a question, an option or a missing thing: one sentence.
pub const MAX_SENTENCE: usize = 400;
/// Edge cases or questions of one finding; more of them are findings of their own.
pub const MAX_SENTENCES: usize = 8;

/// What an answer is to hold.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Findings.
    Findings {
        /// Whose dimensions a finding may name.
        recipe: &'a Recipe,
        /// Each must name one of them (a critic's); else they belong to the dimension that was asked about.
        names_dimension: bool,
        /// Findings in one answer at most, [`MAX_FINDINGS`] unless the model is asked for fewer.
        most: usize,
    },
    /// Parts of a partition of numbered findings.
    Verdicts {
        /// How many were listed: they are numbered from 1 to this.
        listed: usize,
    },
}

impl Wanted<'_> {
    /// The key of the list in an answer.
    pub fn key(&self) -> &'static str {
        match self {
            Wanted::Findings { .. } => "findings",
            Wanted::Verdicts { .. } => "parts",
        }
    }

    /// How many items a full list has.
    pub fn most(&self) -> usize {
        match self {
            Wanted::Findings { most, .. } => *most,
            Wanted::Verdicts { listed } => most_parts(*listed),
        }
    }
}

/// Parts hold two members or more, each member in one part.
fn most_parts(listed: usize) -> usize {
    (listed / 2).clamp(1, MAX_MEMBERS)
}

/// JSON Schema of an answer: an object at the root, every property required, nothing else allowed, as servers want it that
/// hold a model to a schema; with limits on every list and text.
pub fn schema(wanted: &Wanted) -> Value {
    let item = match wanted {
        Wanted::Findings { recipe, names_dimension, .. } => finding(recipe, *names_dimension),
        Wanted::Verdicts { listed } => part(*listed),
    };
    let list = json!({"type": "array", "maxItems": wanted.most(), "items": item});
    object([(wanted.key(), list)])
}

/// The same schema with texts of at most so many characters, for models with little room in their answers; the lists of
/// sentences within an item get shorter with them.
pub fn with_short_texts(schema: Value, most: usize) -> Value {
    match schema {
        Value::Object(map) => {
            let shorter = |(key, value): (String, Value)| match value.as_u64() {
                Some(length) if key == "maxLength" => (key, json!(length.min(most as u64))),
                Some(count) if key == "maxItems" && count == MAX_SENTENCES as u64 => {
                    (key, json!(count.min(1 + most as u64 / 250)))
                }
                _ => (key, with_short_texts(value, most)),
            };
            Value::Object(map.into_iter().map(shorter).collect())
        }
        Value::Array(items) => items.into_iter().map(|item| with_short_texts(item, most)).collect(),
        other => other,
    }
}

fn object<const N: usize>(properties: [(&str, Value); N]) -> Value {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties: Map<String, Value> = properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn words(most: usize) -> Value {
    json!({"type": "string", "maxLength": most})
}

fn sentences() -> Value {
    json!({"type": "array", "maxItems": MAX_SENTENCES, "items": words(MAX_SENTENCE)})
}

/// Fields in the order of SPEC S0. A quote may be empty: that reports an absence, and `missing` says of what.
fn finding(recipe: &Recipe, names_dimension: bool) -> Value {
    let ids: Vec<&str> = recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
    let dimension = if names_dimension { json!({"type": "string", "enum": ids}) } else { words(MAX_ID) };
    object([
        ("dimension", dimension),
        ("severity", json!({"type": "string", "enum": Severity::ALL.map(Severity::word)})),
        ("section", words(MAX_SECTION)),
        ("uc_id", words(MAX_ID)),
        ("quote", words(MAX_QUOTE)),
        ("missing", words(MAX_SENTENCE)),
        ("finding", words(MAX_WORDS)),
        ("suggestion", words(MAX_WORDS)),
        ("auto_fixable", json!({"type": "boolean"})),
        ("resolution_edge_cases", sentences()),
        ("blocked_on", sentences()),
    ])
}

fn part(listed: usize) -> Value {
    let number = json!({"type": "integer", "minimum": 1, "maximum": listed});
    object([
        ("members", json!({"type": "array", "maxItems": listed, "items": number})),
        ("verdict", json!({"type": "string", "enum": items::VERDICTS})),
        ("suggestion", words(MAX_WORDS)),
    ])
}

/// The good items of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// Findings, before they are grounded.
    Findings(Vec<RawFinding>),
    /// A partition.
    Parts(Vec<VerdictPart>),
}

impl Items {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Items::Findings(findings) => findings.len(),
            Items::Parts(parts) => parts.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What stands in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The good items, in order.
    pub items: Items,
    /// Where each stood in the list, from 0.
    at: Vec<usize>,
    /// What could not be read; empty where all of the answer was.
    pub bad: Vec<BadItem>,
    /// The text had to be mended first.
    pub repaired: bool,
    /// The list had as many items as one answer takes: there may be more.
    pub full: bool,
}

impl Read {
    /// How many items are lost unless they are asked for again.
    pub fn dropped(&self) -> u32 {
        u32::try_from(self.bad.len()).unwrap_or(u32::MAX)
    }
}

/// An item that could not be read, or a list that is not whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadItem {
    /// Its place in the list, from 0; the length of the list where that is not whole.
    pub index: usize,
    /// Where it is wrong: `findings[3].severity`; `findings` for the list as such.
    pub path: String,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

impl BadItem {
    /// Whether it speaks of the list as such and not of one of its items.
    fn is_of_list(&self) -> bool {
        !self.path.contains('[')
    }
}

/// There is nothing in the text that is an answer: never the same as an empty list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NoAnswer {
    /// Why.
    pub why: String,
}

/// Reads an answer. Whatever stands around the list is passed over; an item that cannot be read never loses the others.
///
/// # Errors
/// The text holds no such list; the error says why.
pub fn read(text: &str, wanted: &Wanted) -> Result<Read, NoAnswer> {
    let found = extract::find(text, wanted)?;
    let (repaired, list) = (found.repaired, found.problem);
    let count = found.pieces.len();
    let full = matches!(wanted, Wanted::Findings { .. }) && count >= wanted.most();
    let (items, at, mut bad) = items::read_all(found.pieces, wanted);
    if let Some(problem) = list {
        bad.push(BadItem { index: count, path: wanted.key().to_owned(), problem: problem.to_owned() });
    }
    Ok(Read { items, at, bad, repaired, full })
}

/// A critic's finding that names no dimension of the recipe, also when it was asked again, is not lost: it gets the recipe's
/// first (SPEC S0, Phase 2). `text` is the answer that was read at first.
pub fn with_a_dimension(read: Read, text: &str, wanted: &Wanted) -> Read {
    let Wanted::Findings { recipe, names_dimension: true, most } = *wanted else { return read };
    let (Some(first), Ok(all)) =
        (recipe.dimensions.first(), self::read(text, &Wanted::Findings { recipe, names_dimension: false, most }))
    else {
        return read;
    };
    let nameless = |bad: &BadItem| bad.path.ends_with("].dimension");
    let (Items::Findings(mut items), Items::Findings(found)) = (read.items.clone(), all.items) else { return read };
    let (mut at, mut bad) = (read.at.clone(), read.bad.clone());
    for (place, finding) in all.at.into_iter().zip(found) {
        if bad.iter().any(|bad| bad.index == place && nameless(bad)) {
            bad.retain(|bad| bad.index != place);
            items.push(RawFinding { dimension: first.id.clone(), ..finding });
            at.push(place);
        }
    }
    Read { items: Items::Findings(items), at, bad, ..read }
}
