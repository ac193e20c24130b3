//! The findings file: the value, and how it is written (`tamis.findings/1`).

use super::yaml;
use crate::model::accounts::Account;
use crate::model::finding::{Finding, FixOption, Status};
use crate::model::ids::{FindingKey, RunId};
use crate::model::outcome::{Lacks, ReviewOutcome};
use crate::model::recipe::{FINDING_FIELDS, Recipe, RootValue};
use crate::model::settled::{Convergence, Dropped, Hole};
use crate::model::walls::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Format of findings files; its first root key.
pub const SCHEMA: &str = "tamis.findings/1";

/// Keys of a finding that a person or another tool added: kept, not understood.
pub type Extra = Map<String, Value>;

/// What a findings file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingsFile {
    /// The document's path as it was given.
    pub source: String,
    /// The document's version; `""` where it names none.
    pub version: String,
    /// The version the findings were applied to; `""` until then.
    pub applied_to_version: String,
    /// When the file was written, RFC 3339.
    pub generated_at: String,
    /// How far the findings have been applied.
    pub status: FileStatus,
    /// The findings, sorted and numbered.
    pub findings: Vec<Finding>,
    /// `BLOCKED`, `NEEDS_REVISION`, …; `""` where a file that was read has no summary.
    pub recommendation: String,
    /// How the critic loop ended.
    pub convergence: Convergence,
    /// What was looked at and what was not.
    pub coverage: Coverage,
    /// Findings dropped, with the reason.
    pub dropped: Vec<Dropped>,
    /// Decisions taken over from the file that this one replaces.
    pub carried: Vec<Carried>,
    /// Decisions that found no finding of theirs, kept whole.
    pub carried_unmatched: Vec<Unmatched>,
    /// Facts of the run, all durations among them.
    pub run: Run,
    /// Keys that a person added to findings.
    pub extra: BTreeMap<FindingKey, Extra>,
}

/// How far the findings of a file have been applied to the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileStatus {
    /// Not yet.
    #[default]
    PendingReview,
    /// Some of them.
    PartiallyApplied,
    /// All that were accepted.
    Applied,
}

/// What was looked at and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Coverage {
    /// Agents of the fan-out.
    pub agents: u32,
    /// Cells, steps and critic rounds that nobody answered.
    pub holes: Vec<Hole>,
    /// Dimensions for which the reviewer has no rules: not looked at, which is not the same as clean.
    pub not_covered: Vec<String>,
    /// Steps whose list of findings was full to the end, so that something may be missing.
    pub may_be_cut: Vec<String>,
    /// Items of answers that could not be read and were left out, by step.
    pub dropped_items: BTreeMap<String, u32>,
    /// Windows in which the critic read the document; 0 where it read the whole.
    pub critic_windows: u32,
}

impl Coverage {
    /// What was looked at in a review.
    pub fn of(outcome: &ReviewOutcome) -> Coverage {
        let Lacks { may_be_cut, dropped_items, critic_windows } = outcome.lacks.clone();
        let (holes, not_covered) = (outcome.holes.clone(), outcome.not_covered.clone());
        Coverage { agents: outcome.agents, holes, not_covered, may_be_cut, dropped_items, critic_windows }
    }

    /// What was not whole besides holes.
    pub fn lacks(&self) -> Lacks {
        let (may_be_cut, dropped_items) = (self.may_be_cut.clone(), self.dropped_items.clone());
        Lacks { may_be_cut, dropped_items, critic_windows: self.critic_windows }
    }
}

/// Facts of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub finished_at: String,
    /// Milliseconds by part of the run.
    pub durations_ms: BTreeMap<String, u64>,
    /// Version of tamis.
    pub tamis: String,
    /// Recipe name.
    pub recipe: String,
    /// Who reviewed: `offline`, `script:FILE`.
    pub agent: String,
    /// Language of the findings.
    pub lang: String,
    /// Hash of the document's bytes.
    pub document_hash: String,
    /// What the models cost, by agent; empty where nothing cost anything.
    pub usage: BTreeMap<String, Account>,
    /// Programs that answered, with how much of the sandbox held around each: `none`, `files`, `files_and_ports`, `full`; empty
    /// where no program was asked.
    pub sandbox: BTreeMap<String, Level>,
    /// Seats with the models that sat there: `critic` → `openai:MODEL at BASE_URL`; empty where no model was asked.
    pub seats: BTreeMap<String, String>,
    /// Names by which the recipe calls the dimension field and the root keys, so that the file can be read without it.
    pub names: BTreeMap<String, String>,
}

/// How an earlier decision found its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// The same key.
    Key,
    /// The only one of its unit, quote and kind.
    Place,
}

/// A decision taken over from the file that this one replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carried {
    /// The finding it now stands on.
    pub key: FindingKey,
    /// The finding it was taken on; the same where it matched by key.
    pub earlier_key: FindingKey,
    /// How it matched.
    pub matched_by: MatchedBy,
    /// The status taken over.
    pub status: Status,
    /// Questions whose answer, owner or deferral was taken over.
    pub questions: u32,
}

/// Why an earlier decision stands on no finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// The finding was not raised again.
    Gone,
    /// Several findings could be meant.
    Ambiguous,
    /// The finding now offers other options.
    OptionsChanged,
    /// A conflict is marked as settled, but nothing says how.
    NoChoice,
    /// It was applied, and the finding was raised again all the same.
    FoundAgain,
    /// A question that was answered is not asked any more.
    QuestionGone,
}

/// A decision that stands on no finding of this file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unmatched {
    /// The finding as it was, with what was decided.
    pub finding: Finding,
    /// Why it stands here.
    pub reason: Kept,
    /// The findings that could be meant.
    pub candidates: Vec<FindingKey>,
    /// Keys that a person added to it.
    pub extra: Extra,
}

/// Counts of findings (struck ones apart).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Findings.
    pub total: usize,
    /// By severity.
    pub by_severity: BTreeMap<String, usize>,
    /// By dimension: every dimension of the recipe, and any other that occurs.
    pub by_dimension: BTreeMap<String, usize>,
    /// Findings with options, settled or not.
    pub conflicts: usize,
    /// Findings rejected; the recommendation does not count them.
    pub rejected: usize,
    /// Questions neither answered nor deferred.
    pub open_questions: usize,
    /// Questions deferred without an answer.
    pub deferred_questions: usize,
    /// `BLOCKED`, `NEEDS_REVISION`, `APPROVED_WITH_MINOR_CHANGES`, `APPROVED` or `INCOMPLETE`.
    pub recommendation: String,
}

/// The file as text.
pub fn render(file: &FindingsFile, recipe: &Recipe) -> String {
    let mut text = yaml::Document::default();
    for (key, entry) in root(file, recipe) {
        match entry {
            Entry::Value(value) => text.value(&key, &value),
            Entry::List(items) => text.list(&key, items),
        }
    }
    text.finish()
}

/// The file as a value: root keys in order, each finding's fields in the recipe's order.
pub fn to_map(file: &FindingsFile, recipe: &Recipe) -> Map<String, Value> {
    let value = |entry: Entry<'_>| match entry {
        Entry::Value(value) => value,
        Entry::List(items) => items.collect(),
    };
    root(file, recipe).into_iter().map(|(key, entry)| (key, value(entry))).collect()
}

/// The value of a root key. Lists of findings are long, so their values are made one by one while they are written.
enum Entry<'a> {
    Value(Value),
    List(Box<dyn Iterator<Item = Value> + 'a>),
}

fn root<'a>(file: &'a FindingsFile, recipe: &'a Recipe) -> Vec<(String, Entry<'a>)> {
    let mut root = vec![("schema".to_owned(), Entry::Value(json!(SCHEMA)))];
    root.extend(recipe.root.iter().map(|key| (key.key.clone(), root_value(file, recipe, key.value))));
    let mut own = |key: &str, entry| root.push((key.to_owned(), entry));
    let run = Run { recipe: recipe.name.clone(), names: names(recipe), ..file.run.clone() };
    own("convergence_rounds", Entry::Value(json!(file.convergence.rounds)));
    own("convergence", Entry::Value(json!(file.convergence)));
    own("coverage", Entry::Value(json!(file.coverage)));
    own("dropped", Entry::List(Box::new(dropped(file, recipe))));
    own("carried", Entry::Value(json!(file.carried)));
    own("carried_unmatched", Entry::List(Box::new(unmatched(file, recipe))));
    own("run", Entry::Value(json!(run)));
    root
}

fn root_value<'a>(file: &'a FindingsFile, recipe: &'a Recipe, value: RootValue) -> Entry<'a> {
    Entry::Value(match value {
        RootValue::Source => json!(file.source),
        RootValue::Version => json!(file.version),
        RootValue::AppliedToVersion => json!(file.applied_to_version),
        RootValue::GeneratedAt => json!(file.generated_at),
        RootValue::ReviewType => json!(recipe.name),
        RootValue::Status => json!(file.status),
        RootValue::Findings => return Entry::List(Box::new(findings(file, recipe))),
        RootValue::Summary => summary_value(&summary(file, recipe), recipe),
    })
}

fn findings<'a>(file: &'a FindingsFile, recipe: &'a Recipe) -> impl Iterator<Item = Value> + 'a {
    let named: Vec<&str> = recipe.finding_fields.iter().map(|field| field.name.as_str()).collect();
    let unnamed: Vec<&str> = FINDING_FIELDS.into_iter().filter(|name| !named.contains(name)).collect();
    file.findings.iter().filter(|finding| !finding.struck).map(move |finding| {
        let mut map = fields(finding, &named, recipe);
        for name in unnamed.iter().filter(|name| must_not_be_lost(finding, name)) {
            map.insert((*name).to_owned(), field(finding, name));
        }
        if let Some(extra) = file.extra.get(&finding.key) {
            add_extra(&mut map, extra);
        }
        Value::Object(map)
    })
}

fn dropped<'a>(file: &'a FindingsFile, recipe: &'a Recipe) -> impl Iterator<Item = Value> + 'a {
    let whole = whole_fields(recipe);
    file.dropped.iter().map(move |dropped| {
        let mut map = fields(&dropped.finding, &whole, recipe);
        map.insert("reason".to_owned(), json!(dropped.reason));
        Value::Object(map)
    })
}

fn unmatched<'a>(file: &'a FindingsFile, recipe: &'a Recipe) -> impl Iterator<Item = Value> + 'a {
    let whole = whole_fields(recipe);
    file.carried_unmatched.iter().map(move |unmatched| {
        let mut map = fields(&unmatched.finding, &whole, recipe);
        add_extra(&mut map, &unmatched.extra);
        map.insert("reason".to_owned(), json!(unmatched.reason));
        map.insert("candidates".to_owned(), json!(unmatched.candidates));
        Value::Object(map)
    })
}

/// The recipe's fields, then all others.
fn whole_fields(recipe: &Recipe) -> Vec<&str> {
    let mut all: Vec<&str> = recipe.finding_fields.iter().map(|field| field.name.as_str()).collect();
    let others: Vec<&str> = FINDING_FIELDS.into_iter().filter(|name| !all.contains(name)).collect();
    all.extend(others);
    all
}

fn fields(finding: &Finding, names: &[&str], recipe: &Recipe) -> Map<String, Value> {
    let mut map = Map::with_capacity(names.len() + 2);
    for name in names {
        let value = if *name == recipe.dimension_field { json!(finding.dimension) } else { field(finding, name) };
        map.insert((*name).to_owned(), value);
    }
    map
}

/// A field's value by its name in [`FINDING_FIELDS`].
fn field(finding: &Finding, name: &str) -> Value {
    match name {
        "id" => json!(finding.id),
        "key" => json!(finding.key),
        "found_by" => json!(finding.found_by),
        "severity" => json!(finding.severity.word()),
        "section" => json!(finding.section),
        "uc_id" => json!(finding.uc_id),
        "line" => line(finding.line),
        "quote" => json!(finding.quote),
        "grounding" => json!(finding.grounding),
        "finding" => json!(finding.finding),
        "suggestion" => json!(finding.suggestion),
        "resolution_edge_cases" => json!(finding.resolution_edge_cases),
        "auto_fixable" => json!(finding.auto_fixable),
        "status" => json!(finding.status),
        "options" => finding.options.iter().map(option).collect(),
        "resolution" => json!(finding.resolution),
        "blocked_on" => json!(finding.blocked_on),
        "possible_duplicate_of" => json!(finding.possible_duplicate_of),
        "severity_given" => json!(finding.severity_given),
        "section_given" => json!(finding.section_given),
        "absorbed" => json!(finding.absorbed),
        "rule" => json!(finding.rule),
        "missing" => json!(finding.missing),
        _ => Value::Null,
    }
}

/// Lines count from 1; where there is none, `null`.
fn line(line: u32) -> Value {
    if line == 0 { Value::Null } else { json!(line) }
}

fn option(option: &FixOption) -> Value {
    let mut value = json!(option);
    value["line"] = line(option.line);
    value
}

/// Fields that are written even where the recipe does not name them, because leaving them out would drop a side of a
/// conflict, a question, a decision, or the text of an absorbed finding.
fn must_not_be_lost(finding: &Finding, name: &str) -> bool {
    match name {
        "key" => finding.is_conflict() || !finding.blocked_on.is_empty() || finding.status != Status::Pending,
        "status" => finding.status != Status::Pending,
        "options" => !finding.options.is_empty(),
        "resolution" => finding.resolution.is_some(),
        "blocked_on" => !finding.blocked_on.is_empty(),
        "absorbed" => !finding.absorbed.is_empty(),
        "resolution_edge_cases" => !finding.resolution_edge_cases.is_empty(),
        _ => false,
    }
}

fn add_extra(map: &mut Map<String, Value>, extra: &Extra) {
    for (key, value) in extra {
        if !map.contains_key(key) {
            map.insert(key.clone(), value.clone());
        }
    }
}

/// Names by which a recipe calls the dimension field and the root keys.
pub fn names(recipe: &Recipe) -> BTreeMap<String, String> {
    let root = recipe.root.iter().map(|key| (key.value.word().to_owned(), key.key.clone()));
    root.chain([("dimension".to_owned(), recipe.dimension_field.clone())]).collect()
}

/// Counts the findings of a file.
pub fn summary(file: &FindingsFile, recipe: &Recipe) -> Summary {
    let mut summary = Summary { recommendation: file.recommendation.clone(), ..Summary::default() };
    for finding in file.findings.iter().filter(|finding| !finding.struck) {
        summary.total += 1;
        *summary.by_severity.entry(finding.severity.word().to_owned()).or_default() += 1;
        *summary.by_dimension.entry(finding.dimension.clone()).or_default() += 1;
        summary.conflicts += usize::from(finding.is_conflict());
        summary.rejected += usize::from(finding.status == Status::Rejected);
        let unanswered = finding.blocked_on.iter().filter(|question| question.answer.is_none());
        let (open, deferred): (Vec<_>, Vec<_>) = unanswered.partition(|question| question.is_open());
        summary.open_questions += open.len();
        summary.deferred_questions += deferred.len();
    }
    for dimension in &recipe.dimensions {
        summary.by_dimension.entry(dimension.id.clone()).or_default();
    }
    summary
}

/// The summary with severities from the worst and dimensions in recipe order.
fn summary_value(summary: &Summary, recipe: &Recipe) -> Value {
    let severities = crate::model::finding::Severity::ALL.map(|severity| severity.word());
    let by_severity: Map<String, Value> = severities
        .into_iter()
        .map(|word| (word.to_owned(), json!(summary.by_severity.get(word).copied().unwrap_or(0))))
        .collect();
    let mut by_dimension: Vec<(&String, &usize)> = summary.by_dimension.iter().collect();
    by_dimension.sort_by_key(|(dimension, _)| recipe.rank(dimension));
    let by_dimension: Map<String, Value> =
        by_dimension.into_iter().map(|(dimension, count)| (dimension.clone(), json!(count))).collect();
    let mut value = json!(summary);
    value["by_severity"] = Value::Object(by_severity);
    value["by_dimension"] = Value::Object(by_dimension);
    value
}
