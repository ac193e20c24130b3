//! Items one by one: each is a finding or a part by itself, or says where it is wrong.

use super::extract::Piece;
use super::{BadItem, Items, MAX_ID, MAX_QUOTE, MAX_SECTION, MAX_SENTENCE, MAX_SENTENCES, MAX_WORDS, Wanted};
use crate::model::arbiter::{Verdict, VerdictPart};
use crate::model::finding::{Question, RawFinding, RawQuestion, Severity};
use crate::model::recipe::Recipe;
use crate::rules::arbiter::check;
use crate::rules::ground::cut;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;

/// Words for what members are to each other.
pub(super) const VERDICTS: [&str; 3] = ["duplicate", "merge", "exclusive"];

/// Where in an item it is wrong, and what.
type Wrong = (String, String);

/// Characters of a model's words in a question back to it.
const SHOWN: usize = 160;

/// Reads all elements: the good items, where each of them stood, and the bad ones.
pub(super) fn read_all(pieces: Vec<Piece>, wanted: &Wanted) -> (Items, Vec<usize>, Vec<BadItem>) {
    match *wanted {
        Wanted::Findings { recipe, names_dimension, .. } => {
            let (items, at, bad) = each(pieces, wanted, |value| finding(value, recipe, names_dimension));
            (Items::Findings(items), at, bad)
        }
        Wanted::Verdicts { listed } => {
            let (parts, at, mut bad) = each(pieces, wanted, |value| part(value, listed));
            let (parts, at) = apart(parts, at, wanted, &mut bad);
            (Items::Parts(parts), at, bad)
        }
    }
}

fn each<T>(pieces: Vec<Piece>, wanted: &Wanted, read: impl Fn(Value) -> Result<T, Wrong>) -> (Vec<T>, Vec<usize>, Vec<BadItem>) {
    let (mut items, mut places, mut bad) = (Vec::new(), Vec::new(), Vec::new());
    for (index, piece) in pieces.into_iter().enumerate() {
        let item = match piece {
            Piece::Value(value) => read(value),
            Piece::Broken(why) => Err((String::new(), why.to_owned())),
        };
        match item {
            Ok(item) => {
                items.push(item);
                places.push(index);
            }
            Err((field, problem)) => bad.push(bad_item(wanted, index, &field, problem)),
        }
    }
    (items, places, bad)
}

fn bad_item(wanted: &Wanted, index: usize, field: &str, problem: String) -> BadItem {
    let dot = if field.is_empty() || field.starts_with('[') { "" } else { "." };
    BadItem { index, path: format!("{}[{index}]{dot}{field}", wanted.key()), problem }
}

/// A finding as models write it; `null` and an absent field are the same.
#[derive(Deserialize)]
struct Draft {
    dimension: Option<String>,
    severity: Option<String>,
    section: Option<String>,
    uc_id: Option<String>,
    quote: Option<String>,
    missing: Option<String>,
    finding: Option<String>,
    suggestion: Option<String>,
    auto_fixable: Option<bool>,
    resolution_edge_cases: Option<Vec<String>>,
    blocked_on: Option<Vec<Asked>>,
    options: Option<Vec<String>>,
    options_at: Option<Vec<u32>>,
    line: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a question must be a string, or an object with `question`, `owner` and `policy`")]
enum Asked {
    Words(String),
    Full { question: String, owner: Option<String>, policy: Option<String> },
}

/// A value as a `T`; the error says which field is wrong.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Wrong> {
    if !value.is_object() {
        return Err((String::new(), "must be an object".to_owned()));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { String::new() } else { path };
        (field, cut(&error.inner().to_string(), SHOWN).to_owned())
    })
}

fn finding(value: Value, recipe: &Recipe, names_dimension: bool) -> Result<RawFinding, Wrong> {
    let draft: Draft = typed(value)?;
    let raw = RawFinding {
        dimension: draft.dimension.unwrap_or_default(),
        severity: draft.severity.unwrap_or_default(),
        section: draft.section.unwrap_or_default(),
        uc_id: draft.uc_id.unwrap_or_default(),
        quote: draft.quote.unwrap_or_default(),
        finding: draft.finding.unwrap_or_default(),
        suggestion: draft.suggestion.unwrap_or_default(),
        auto_fixable: draft.auto_fixable.unwrap_or_default(),
        resolution_edge_cases: draft.resolution_edge_cases.unwrap_or_default(),
        blocked_on: draft.blocked_on.unwrap_or_default().into_iter().filter_map(question).collect(),
        options: draft.options.unwrap_or_default(),
        options_at: draft.options_at.unwrap_or_default(),
        // Only the offline reviewer has rules.
        rule: None,
        // Not asked for: an odd one is no reason to lose the finding.
        line: draft.line.and_then(|line| u32::try_from(line.as_u64()?).ok()),
        missing: draft.missing.filter(|missing| !missing.is_empty()),
    };
    if Severity::read(&raw.severity).is_none() {
        let problem = format!("\"{}\" is no severity: use critical, major or minor", cut(&raw.severity, 40));
        return Err(("severity".to_owned(), problem));
    }
    if raw.finding.trim().is_empty() {
        return Err(("finding".to_owned(), "must say what is wrong".to_owned()));
    }
    if names_dimension && recipe.dimension(raw.dimension.trim()).is_none() {
        let ids: Vec<&str> = recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
        let problem = format!("\"{}\" is no dimension: use one of {}", cut(&raw.dimension, 40), ids.join(", "));
        return Err(("dimension".to_owned(), problem));
    }
    bounded(&raw)?;
    Ok(raw)
}

/// A question without an answer, which only a person gives; `None` where it says nothing.
fn question(asked: Asked) -> Option<RawQuestion> {
    let question = match asked {
        Asked::Words(words) => RawQuestion::Words(words),
        Asked::Full { question, owner, policy } => RawQuestion::Full(Question { question, owner, policy, ..Question::default() }),
    };
    (!question.words().trim().is_empty()).then_some(question)
}

/// Nothing is cut in silence: what is a little longer than was asked for is kept whole, twice as long is refused.
fn bounded(raw: &RawFinding) -> Result<(), Wrong> {
    let texts = [
        ("dimension", raw.dimension.as_str(), MAX_ID),
        ("severity", &raw.severity, MAX_ID),
        ("section", &raw.section, MAX_SECTION),
        ("uc_id", &raw.uc_id, MAX_ID),
        ("quote", &raw.quote, MAX_QUOTE),
        ("missing", raw.missing.as_deref().unwrap_or_default(), MAX_SENTENCE),
        ("finding", &raw.finding, MAX_WORDS),
        ("suggestion", &raw.suggestion, MAX_WORDS),
    ];
    for (field, text, most) in texts {
        short(text, most).map_err(|problem| (field.to_owned(), problem))?;
    }
    let questions: Vec<&str> = raw.blocked_on.iter().map(RawQuestion::words).collect();
    let edge_cases: Vec<&str> = raw.resolution_edge_cases.iter().map(String::as_str).collect();
    let options: Vec<&str> = raw.options.iter().map(String::as_str).collect();
    for (field, texts) in [("resolution_edge_cases", edge_cases), ("blocked_on", questions), ("options", options)] {
        if texts.len() > 2 * MAX_SENTENCES {
            return Err((field.to_owned(), format!("has {} entries: at most {MAX_SENTENCES}", texts.len())));
        }
        for (index, text) in texts.into_iter().enumerate() {
            short(text, MAX_SENTENCE).map_err(|problem| (format!("{field}[{index}]"), problem))?;
        }
    }
    let names = raw.blocked_on.iter().filter_map(|question| match question {
        RawQuestion::Full(full) => Some([full.owner.as_deref(), full.policy.as_deref()]),
        RawQuestion::Words(_) => None,
    });
    for name in names.flatten().flatten() {
        short(name, MAX_ID).map_err(|problem| ("blocked_on".to_owned(), problem))?;
    }
    Ok(())
}

fn short(text: &str, most: usize) -> Result<(), String> {
    match text.chars().count() {
        count if count > 2 * most => Err(format!("has {count} characters: at most {most}")),
        _ => Ok(()),
    }
}

/// A part as models write it.
#[derive(Deserialize)]
struct PartDraft {
    members: Option<Vec<usize>>,
    verdict: Option<String>,
    suggestion: Option<String>,
}

fn part(value: Value, listed: usize) -> Result<VerdictPart, Wrong> {
    let draft: PartDraft = typed(value)?;
    let word = draft.verdict.unwrap_or_default();
    let verdict = match word.trim().to_ascii_lowercase().as_str() {
        "duplicate" => Verdict::Duplicate,
        "merge" => Verdict::Merge,
        "exclusive" => Verdict::Exclusive,
        _ => {
            let problem = format!("\"{}\" is no verdict: use one of {}", cut(&word, 40), VERDICTS.join(", "));
            return Err(("verdict".to_owned(), problem));
        }
    };
    let suggestion = draft.suggestion.unwrap_or_default();
    short(&suggestion, MAX_WORDS).map_err(|problem| ("suggestion".to_owned(), problem))?;
    let part = VerdictPart { members: draft.members.unwrap_or_default(), verdict, suggestion };
    match check(std::slice::from_ref(&part), listed) {
        Ok(()) => Ok(part),
        Err(problem) => Err((String::new(), problem)),
    }
}

/// Parts that share no member with another: of those that do, none is surer than the others, and all are bad.
pub(super) fn apart(
    parts: Vec<VerdictPart>,
    places: Vec<usize>,
    wanted: &Wanted,
    bad: &mut Vec<BadItem>,
) -> (Vec<VerdictPart>, Vec<usize>) {
    let mut stands: HashMap<usize, usize> = HashMap::new();
    for &member in parts.iter().flat_map(|part| &part.members) {
        *stands.entry(member).or_default() += 1;
    }
    let twice = |part: &VerdictPart| part.members.iter().copied().find(|member| stands[member] > 1);
    let (mut kept, mut kept_at) = (Vec::new(), Vec::new());
    for (part, at) in parts.into_iter().zip(places) {
        match twice(&part) {
            Some(member) => {
                let problem = format!("member {member} stands in more than one part: every member may stand in one");
                bad.push(bad_item(wanted, at, "members", problem));
            }
            None => {
                kept.push(part);
                kept_at.push(at);
            }
        }
    }
    bad.sort_by_key(|bad| bad.index);
    (kept, kept_at)
}
