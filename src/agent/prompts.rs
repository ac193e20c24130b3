//! What a model is told: the texts in force around what one question is about. Pure: one question, one prompt, the same bytes
//! every time. Everything that comes from a document, a recipe, the project or another model goes in as data: fenced, or as JSON.

mod data;
mod fence;

use super::wire::Prompt;
use crate::config::prompts::{Prompts, Text};
use crate::document::Document;
use crate::model::finding::Finding;
use crate::model::lang::Lang;
use crate::model::outline::{LineSpan, Place};
use crate::model::plan::WHOLE_FILE;
use crate::rules::estimate::tokens;
use crate::run::{Ask, Role, Subject};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// The dimension that checks the user's own criteria (review-context).
const OWN_CRITERIA: &str = "P5";
/// The dimension that compares with other documents (review-context).
const AGAINST_OTHERS: &str = "P3";

/// The prompt of a question. `system` and `shared` are byte-identical for all agents of one bucket; what one dimension, the
/// critic or the arbiter is told alone stands in `own`.
pub fn compose(prompts: &Prompts, ask: &Ask) -> Prompt {
    Prompt { system: system(prompts, ask), shared: shared(prompts, ask), own: own(prompts, ask) }
}

/// Composes one prompt after the other: what the agents of a bucket share is written, and its tokens are counted, once for all
/// of them that come in a row.
pub struct Composer {
    prompts: Arc<Prompts>,
    last: Mutex<Option<Shared>>,
}

/// The shared part of a prompt, and all that it depends on.
struct Shared {
    subject: Arc<Subject>,
    role: Role,
    scopes: Vec<String>,
    lines: Vec<LineSpan>,
    cited: Vec<Place>,
    text: String,
    tokens: u64,
}

impl Composer {
    /// Composes from these texts.
    pub fn new(prompts: Arc<Prompts>) -> Composer {
        Composer { prompts, last: Mutex::default() }
    }

    /// The texts that it composes from.
    pub fn texts(&self) -> &Prompts {
        &self.prompts
    }

    /// The prompt of a question, as [`compose`] writes it.
    pub fn compose(&self, ask: &Ask) -> Prompt {
        let shared = self.shared(ask, |shared| shared.text.clone());
        Prompt { system: system(&self.prompts, ask), shared, own: own(&self.prompts, ask) }
    }

    /// Tokens of the prompt of a question, estimated.
    pub fn tokens(&self, ask: &Ask) -> u64 {
        let parts = [system(&self.prompts, ask), own(&self.prompts, ask)];
        self.shared(ask, |shared| shared.tokens) + parts.iter().map(|part| tokens(part)).sum::<u64>()
    }

    fn shared<T>(&self, ask: &Ask, take: impl FnOnce(&Shared) -> T) -> T {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|shared| shared.is_of(ask)) {
            *last = None;
        }
        take(last.get_or_insert_with(|| Shared::of(&self.prompts, ask)))
    }
}

impl Shared {
    fn of(prompts: &Prompts, ask: &Ask) -> Shared {
        let text = shared(prompts, ask);
        Shared {
            subject: Arc::clone(&ask.subject),
            role: ask.role,
            scopes: ask.scopes.clone(),
            lines: ask.lines.clone(),
            cited: ask.cited.clone(),
            tokens: tokens(&text),
            text,
        }
    }

    fn is_of(&self, ask: &Ask) -> bool {
        Arc::ptr_eq(&self.subject, &ask.subject)
            && (self.role, &self.scopes, &self.lines, &self.cited) == (ask.role, &ask.scopes, &ask.lines, &ask.cited)
    }
}

/// Hash of a prompt, 16 hex digits: what the record of an answer names.
pub fn hash(prompt: &Prompt) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [&prompt.system, &prompt.shared, &prompt.own] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// A prompt for people, in the order in which it is sent; blank lines at the end of a part are left out.
pub fn text(prompt: &Prompt) -> String {
    let part = |title: &str, words: &str| format!("===== {title} =====\n\n{}\n", words.trim_end());
    [
        part("system: the same for every agent of its kind", &prompt.system),
        part("shared: the same for every agent of a bucket", &prompt.shared),
        part("own: this agent alone", &prompt.own),
    ]
    .join("\n")
}

fn system(prompts: &Prompts, ask: &Ask) -> String {
    let answer = if ask.role == Role::Arbiter { Text::Verdicts } else { Text::Finding };
    let (fence, answer) = (prompts.fill(Text::Fence, &[]), prompts.fill(answer, &[]));
    prompts.fill(Text::System, &[("fence", &fence), ("answer", &answer), ("language", language(ask.subject.lang))])
}

/// A language by its English name and its own.
fn language(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "English",
        Lang::Vi => "Vietnamese (tiếng Việt)",
        Lang::Zh => "Chinese (简体中文)",
    }
}

fn shared(prompts: &Prompts, ask: &Ask) -> String {
    let mut parts = vec![prompts.fill(Text::Context, &[("context", &context(&ask.subject))])];
    if ask.role != Role::Arbiter {
        let document = &ask.subject.document;
        let lines = shown_lines(ask);
        let fenced = fence::block("DOCUMENT", &fence::numbered(document, &lines, fence::Gaps::Named));
        let shown = shown(prompts, ask, &lines);
        parts.push(prompts.fill(Text::Document, &[("shown", &shown), ("document", &fenced)]));
        if !ask.cited.is_empty() {
            let cited: Vec<LineSpan> = ask.cited.iter().map(|place| place.lines).collect();
            let fenced = fence::block("REFERENCE ONLY", &fence::numbered(document, &cited, fence::Gaps::Passed));
            parts.push(prompts.fill(Text::Cited, &[("cited", &fenced)]));
        }
    }
    // Chat requests send it and the agent's own part as one text: that begins a paragraph of its own.
    parts.iter().map(|part| format!("{part}\n\n")).collect()
}

/// The lines that the agent sees: its bucket; the whole document for a critic that is given no window.
fn shown_lines(ask: &Ask) -> Vec<LineSpan> {
    if ask.lines.is_empty() { vec![all_of(&ask.subject.document)] } else { ask.lines.clone() }
}

fn all_of(document: &Document) -> LineSpan {
    LineSpan::new(1, document.outline().line_count())
}

/// Says how much of the document is shown.
fn shown(prompts: &Prompts, ask: &Ask, lines: &[LineSpan]) -> String {
    let all = all_of(&ask.subject.document);
    let total = all.last.to_string();
    let merged = fence::merged(lines);
    if merged == [all] || all.is_empty() {
        return prompts.fill(Text::Whole, &[("total", &total)]);
    }
    let ranges: Vec<String> = merged.iter().map(|span| fence::range(*span)).collect();
    let lines = format!("lines {}", ranges.join(", "));
    match ask.role {
        Role::Critic => prompts.fill(Text::Window, &[("lines", &lines), ("total", &total)]),
        _ => {
            let named: Vec<&String> = ask.scopes.iter().filter(|scope| *scope != WHOLE_FILE).collect();
            let scopes = if named.is_empty() { "the lines given".to_owned() } else { data::json(&named) };
            prompts.fill(Text::Scope, &[("scopes", &scopes), ("lines", &lines), ("total", &total)])
        }
    }
}

/// The slim context: only what was given.
fn context(subject: &Subject) -> String {
    let context = &subject.context;
    let banned: Vec<Value> =
        context.banned_terms.iter().map(|banned| json!({ "term": banned.term, "instead": banned.instead })).collect();
    let lists = [
        ("banned_terms", json!(banned)),
        ("canonical_entities", json!(context.canonical_entities)),
        ("layer_order", json!(context.layer_order)),
        ("domains", json!(context.domains)),
    ];
    let given = lists.into_iter().filter(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
    let rows: Vec<String> = given.map(|(name, list)| format!("\"{name}\": {}", data::json(&list))).collect();
    let body = if rows.is_empty() { "{}".to_owned() } else { format!("{{\n{}\n}}", rows.join(",\n")) };
    fence::block("CONTEXT", &body)
}

fn own(prompts: &Prompts, ask: &Ask) -> String {
    let language = language(ask.subject.lang);
    match ask.role {
        Role::Reviewer | Role::Section | Role::Before => reviewer(prompts, ask),
        Role::Critic => {
            let dimensions = ask.subject.recipe.dimensions.iter().map(described);
            let known = fence::block("KNOWN", &data::rows(&ask.known));
            let dimensions = data::rows(&dimensions.collect::<Vec<_>>());
            prompts.fill(Text::Critic, &[("dimensions", &dimensions), ("known", &known), ("language", language)])
        }
        Role::Arbiter => {
            let rows = ask.listing.iter().zip(1..).map(|(finding, number)| listed(finding, number));
            let listing = fence::block("FINDINGS", &data::rows(&rows.collect::<Vec<_>>()));
            prompts.fill(Text::Arbiter, &[("listing", &listing), ("language", language)])
        }
    }
}

fn reviewer(prompts: &Prompts, ask: &Ask) -> String {
    let subject = &ask.subject;
    let (mut dimension, mut criteria, mut others) = (String::new(), String::new(), String::new());
    if let Some(own) = &ask.dimension {
        dimension = data::json(&described(own));
        if own.id == OWN_CRITERIA && !subject.criteria.is_empty() {
            let fenced = fence::block("CRITERIA", &data::rows(&subject.criteria));
            criteria = prompts.fill(Text::Criteria, &[("criteria", &fenced)]);
        }
        if own.id == AGAINST_OTHERS {
            others = others_text(prompts, &subject.others);
        }
    }
    let language = language(subject.lang);
    let values = [("dimension", dimension.as_str()), ("criteria", &criteria), ("others", &others), ("language", language)];
    prompts.fill(Text::Reviewer, &values)
}

fn described(dimension: &crate::model::recipe::Dimension) -> Value {
    json!({ "id": dimension.id, "name": dimension.name, "description": dimension.description.trim() })
}

/// The documents to compare with, each behind its name and in a fence of its own.
fn others_text(prompts: &Prompts, others: &[(String, Document)]) -> String {
    if others.is_empty() {
        return prompts.fill(Text::NoOthers, &[]);
    }
    let one = |(name, document): &(String, Document)| {
        let body = fence::numbered(document, &[all_of(document)], fence::Gaps::Named);
        format!("{}\n{}", data::json(name), fence::block("OTHER DOCUMENT", &body))
    };
    let all: Vec<String> = others.iter().map(one).collect();
    prompts.fill(Text::Others, &[("others", &all.join("\n\n"))])
}

/// A finding as the arbiter sees it: where and what, never who, how grave or how sure.
fn listed(finding: &Finding, number: usize) -> Value {
    let mut listed = json!({ "number": number, "uc_id": finding.uc_id, "section": finding.section, "quote": finding.quote });
    if let Some(missing) = &finding.missing {
        listed["missing"] = json!(missing);
    }
    listed["finding"] = json!(finding.finding);
    listed["suggestion"] = json!(finding.suggestion);
    if !finding.resolution_edge_cases.is_empty() {
        listed["resolution_edge_cases"] = json!(finding.resolution_edge_cases);
    }
    listed
}
