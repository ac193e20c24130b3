//! The questions that follow an answer which could not be read whole, or may not be whole, and how their answers are joined
//! with it.

use super::{BadItem, Items, NoAnswer, Read, Wanted, items, schema};
use crate::config::prompts::{Prompts, Text};
use crate::model::finding::RawFinding;
use crate::rules::ground::cut;
use serde_json::Value;
use std::collections::HashSet;

/// Errors that are quoted; more would only hide what is asked for.
const QUOTED: usize = 10;
/// Findings of which a reminder is given when the rest is asked for: twice what one answer holds.
const REMINDED: usize = 2 * super::MAX_FINDINGS;
/// Characters of a quote in a reminder.
const QUOTE_START: usize = 60;
/// Words of a finding in a reminder.
const FIRST_WORDS: usize = 12;

/// The follow-up questions, in the words of the prompts in force.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'t>(pub &'t Prompts);

impl Questions<'_> {
    /// The one question about items that could not be read: it quotes the path of each error, says what is allowed, and asks
    /// for the corrected items alone.
    pub fn ask_again(&self, bad: &[BadItem], wanted: &Wanted) -> String {
        let mut errors: Vec<String> = bad.iter().take(QUOTED).map(error).collect();
        if bad.len() > QUOTED {
            errors.push(format!("- and {} more of this kind", bad.len() - QUOTED));
        }
        self.0.fill(Text::Repair, &[("errors", &errors.join("\n")), ("shape", &shape(wanted))])
    }

    /// The same about a text without an answer.
    pub fn no_answer(&self, why: &NoAnswer, wanted: &Wanted) -> String {
        let errors = format!("- {}", line(&why.why));
        self.0.fill(Text::Repair, &[("errors", &errors), ("shape", &shape(wanted))])
    }

    /// The question for what a full list left out, with a reminder of what is in hand.
    pub fn ask_for_rest(&self, known: &[RawFinding], wanted: &Wanted) -> String {
        // The last ones are those a model is most likely to say again.
        let from = known.len().saturating_sub(REMINDED);
        let mut reminders: Vec<String> = known[from..].iter().map(reminder).collect();
        if from > 0 {
            reminders.insert(0, format!("- {from} findings before these"));
        }
        self.0.fill(Text::Rest, &[("known", &reminders.join("\n")), ("shape", &shape(wanted))])
    }
}

fn error(bad: &BadItem) -> String {
    format!("- `{}`: {}", line(&bad.path).replace('`', "'"), line(&bad.problem))
}

/// A model's words on one line.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" "), 300).to_owned()
}

fn reminder(finding: &RawFinding) -> String {
    let words: Vec<&str> = finding.finding.split_whitespace().take(FIRST_WORDS).collect();
    // Texts without spaces between words are as long as their quotes.
    let words = words.join(" ");
    let quote = line(cut(&finding.quote, QUOTE_START));
    let place = if quote.is_empty() { line(&finding.section) } else { format!("\"{quote}\"") };
    format!("- {place}: {}", cut(&words, 2 * QUOTE_START))
}

/// The shape of an answer in a model's words: an example whose values say what is allowed.
fn shape(wanted: &Wanted) -> String {
    let schema = schema(wanted);
    let item = &schema["properties"][wanted.key()]["items"]["properties"];
    let fields = item.as_object().into_iter().flatten();
    let fields: Vec<String> = fields.map(|(name, field)| format!("\"{name}\": {}", allowed(field))).collect();
    format!("{{\"{}\": [{{{}}}]}}", wanted.key(), fields.join(", "))
}

fn allowed(field: &Value) -> String {
    let most = |name: &str| field[name].as_u64().unwrap_or_default();
    match field["type"].as_str().unwrap_or_default() {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a number from 1 to {}", most("maximum")),
        "array" => format!("[at most {}: {}]", most("maxItems"), allowed(&field["items"])),
        _ => match field["enum"].as_array() {
            Some(words) => words.iter().map(Value::to_string).collect::<Vec<_>>().join(" or "),
            None => format!("\"at most {} characters\"", most("maxLength")),
        },
    }
}

/// Joins an answer with the answer to [`Questions::ask_again`] about it: corrected items take the place of the bad ones, what is
/// repeated of the good ones is passed over, and what is still bad, or was not sent again, stays bad and is lost.
pub fn merge(first: Read, second: Read) -> Read {
    let (of_list, of_items): (Vec<BadItem>, Vec<BadItem>) = first.bad.into_iter().partition(BadItem::is_of_list);
    let still_open = second.bad.iter().any(BadItem::is_of_list);
    let mut bad: Vec<BadItem> = if still_open { of_list } else { Vec::new() };
    let good = first.items.len();
    let (items, mut at) = match (first.items, second.items) {
        (Items::Findings(one), Items::Findings(other)) => {
            let (items, at) = placed(one, first.at, other, &of_items, same_finding);
            (Items::Findings(items), at)
        }
        (Items::Parts(one), Items::Parts(other)) => {
            let (items, at) = placed(one, first.at, other, &of_items, |part| (part.members.clone(), part.verdict));
            (Items::Parts(items), at)
        }
        // Two answers to different questions: the first stands.
        (items, _) => (items, first.at),
    };
    let corrected = items.len() - good;
    // Each bad item was corrected, came again as bad, or did not come again.
    let lost = of_items.len().saturating_sub(corrected);
    bad.extend(of_items.into_iter().rev().take(lost).rev());
    let mut read =
        Read { items, at: Vec::new(), bad, repaired: first.repaired || second.repaired, full: first.full || second.full };
    if let Items::Parts(parts) = read.items {
        let most = Wanted::Verdicts { listed: 0 };
        let (parts, places) = items::apart(parts, at, &most, &mut read.bad);
        (read.items, at) = (Items::Parts(parts), places);
    }
    read.at = at;
    read
}

/// Puts new items at the places of the bad ones, in order, and what is left behind all others.
fn placed<T, K: std::hash::Hash + Eq>(
    one: Vec<T>,
    at: Vec<usize>,
    other: Vec<T>,
    bad: &[BadItem],
    key: impl Fn(&T) -> K,
) -> (Vec<T>, Vec<usize>) {
    let mut seen: HashSet<K> = one.iter().map(&key).collect();
    let end = at.iter().copied().chain(bad.iter().map(|bad| bad.index)).max().map_or(0, |last| last + 1);
    let places = bad.iter().map(|bad| bad.index).chain(end..);
    let new: Vec<T> = other.into_iter().filter(|item| seen.insert(key(item))).collect();
    let mut all: Vec<(usize, T)> = at.into_iter().zip(one).chain(places.zip(new)).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(place, item)| (item, place)).unzip()
}

/// What makes two findings of one agent the same: their words, whatever the spaces between them.
fn same_finding(finding: &RawFinding) -> [String; 4] {
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    [&finding.dimension, &finding.quote, &finding.finding, &finding.suggestion].map(|text| fold(text))
}

/// Joins a full list with the answer to [`Questions::ask_for_rest`] about it; exact repetitions are left out. It is full where the rest
/// was full again.
pub fn join_rest(first: Read, rest: Read) -> Read {
    let after = first.at.iter().chain(first.bad.iter().map(|bad| &bad.index)).max().map_or(0, |last| last + 1);
    let new_bad = rest.bad.into_iter().map(|bad| BadItem { index: bad.index + after, ..bad });
    let bad: Vec<BadItem> = first.bad.into_iter().chain(new_bad).collect();
    let (items, at) = match (first.items, rest.items) {
        (Items::Findings(one), Items::Findings(other)) => {
            let mut seen: HashSet<[String; 4]> = one.iter().map(same_finding).collect();
            let new = rest.at.iter().map(|at| at + after).zip(other).filter(|(_, finding)| seen.insert(same_finding(finding)));
            let all = first.at.into_iter().zip(one).chain(new);
            let (at, items) = all.unzip();
            (Items::Findings(items), at)
        }
        (items, _) => (items, first.at),
    };
    Read { items, at, bad, repaired: first.repaired || rest.repaired, full: rest.full }
}
