//! The decisions file: what a person decides without a terminal (`tamis.decisions/1`).
//!
//! ```yaml
//! schema: tamis.decisions/1
//! by: An
//! decisions:
//!   0123456789abcdef:      # a finding's key
//!     choose: A            # or write: words | accept: true | reject: why | defer: why
//!     reason: why          # beside choose, write and accept
//!     questions:
//!       - question: the words, or the question's key
//!         answer: words    # or defer: why
//!         owner: who
//! ```

use super::carry::question_words;
use super::yaml::scalar;
use crate::model::fault::Fault;
use crate::model::finding::{Finding, Question};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::FindingKey;
use crate::model::lang::Lang;
use crate::model::nearest::what_there_is;
use crate::model::settled::Proposal;
use crate::model::shown::Shown;
use crate::model::yaml::{FINDINGS_BYTES, Source};
use crate::text::Catalogue;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_yaml::{Location, Spanned};
use std::fmt;

/// Format of decisions files.
pub const SCHEMA: &str = "tamis.decisions/1";

/// What a decisions file says, not yet held against the findings it decides on.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions {
    /// Who decides; `""` only where nothing is decided.
    pub by: String,
    /// In the file's order; entries that decide nothing are left out.
    pub entries: Vec<Entry>,
    /// Name of the file, for messages.
    name: String,
}

/// What is decided on one finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The finding.
    pub key: FindingKey,
    /// The decision; `None` where only questions are answered.
    pub decision: Option<Decision>,
    /// Why; `""` where nothing was written.
    pub reason: String,
    /// Its questions.
    pub questions: Vec<QuestionEntry>,
    at: Location,
    decision_at: Location,
}

/// A decision on a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// An option of a conflict, by its label.
    Choose(String),
    /// Merged or own words.
    Write(String),
    /// The suggestion as it stands.
    Accept,
    /// Not to be applied, with the reason.
    Reject(String),
    /// Not now, with the reason.
    Defer(String),
}

/// What is decided on one question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionEntry {
    /// The question's words or its key.
    pub question: String,
    /// The answer.
    pub answer: Option<String>,
    /// Why not now.
    pub defer: Option<String>,
    /// Who is to answer.
    pub owner: Option<String>,
    at: Location,
}

type Text = Option<Spanned<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: Spanned<String>,
    #[serde(default)]
    by: Text,
    #[serde(default)]
    decisions: Option<Bodies>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    #[serde(default)]
    choose: Text,
    #[serde(default)]
    write: Text,
    #[serde(default)]
    accept: Text,
    #[serde(default)]
    reject: Text,
    #[serde(default)]
    defer: Text,
    #[serde(default)]
    reason: Text,
    #[serde(default)]
    questions: Option<Vec<QuestionBody>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionBody {
    question: Spanned<String>,
    #[serde(default)]
    answer: Text,
    #[serde(default)]
    owner: Text,
    #[serde(default)]
    defer: Text,
}

/// Entries in the file's order, each key with its place.
struct Bodies(Vec<(Spanned<String>, Body)>);

impl<'de> Deserialize<'de> for Bodies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bodies, D::Error> {
        deserializer.deserialize_map(BodiesVisitor)
    }
}

struct BodiesVisitor;

impl<'de> Visitor<'de> for BodiesVisitor {
    type Value = Bodies;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("decisions by finding key")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bodies, A::Error> {
        let mut bodies = Vec::new();
        while let Some((key, body)) = map.next_entry::<Spanned<String>, Option<Body>>()? {
            bodies.push((key, body.unwrap_or_default()));
        }
        Ok(Bodies(bodies))
    }
}

/// The words of a value, where it has any.
fn filled(text: &Text) -> Option<(String, Location)> {
    let text = text.as_ref()?;
    let words = text.value.trim();
    (!words.is_empty()).then(|| (words.to_owned(), text.referenced))
}

/// Reads a decisions file; `name` stands in messages. Empty values decide nothing.
///
/// # Errors
/// A usage fault with file, line and column: an unknown key, two decisions on one finding, an answer and a deferral on one
/// question, a reason that is a mere yes or no, or decisions that nobody signs.
pub fn read(text: &str, name: &str) -> Result<Decisions, Fault> {
    // A file to fill in quotes the findings it asks about: it may grow as long as they do.
    let source = Source { max_bytes: FINDINGS_BYTES, ..Source::config(name, text) };
    let file: File = source.read()?;
    if file.schema.value != SCHEMA {
        let what = format!("the format is `{}`, this version of tamis reads `{SCHEMA}`", file.schema.value);
        return Err(source.fault(file.schema.referenced, what, format!("write `schema: {SCHEMA}`")));
    }
    let mut entries = Vec::new();
    for (key, body) in file.decisions.map_or_else(Vec::new, |Bodies(bodies)| bodies) {
        entries.extend(entry(&source, key, &body)?);
    }
    let by = filled(&file.by).map_or_else(String::new, |(by, _)| by);
    if by.is_empty()
        && let Some(entry) = entries.first()
    {
        let at = file.by.map_or(entry.at, |by| by.referenced);
        return Err(source.fault(at, "`by` does not say who decides", "write your name: `by: An`"));
    }
    Ok(Decisions { by, entries, name: name.to_owned() })
}

fn entry(source: &Source<'_>, key: Spanned<String>, body: &Body) -> Result<Option<Entry>, Fault> {
    let mut decisions: Vec<(&str, Decision, Location)> = Vec::new();
    if let Some((label, at)) = filled(&body.choose) {
        decisions.push(("choose", Decision::Choose(label), at));
    }
    if let Some((words, at)) = filled(&body.write) {
        decisions.push(("write", Decision::Write(words), at));
    }
    if let Some((word, at)) = filled(&body.accept) {
        match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => decisions.push(("accept", Decision::Accept, at)),
            "false" | "no" => {}
            _ => return Err(source.fault(at, format!("`accept` is true or false, not `{word}`"), "write `accept: true`")),
        }
    }
    if let Some((why, at)) = reason(source, "reject", &body.reject)? {
        decisions.push(("reject", Decision::Reject(why), at));
    }
    if let Some((why, at)) = reason(source, "defer", &body.defer)? {
        decisions.push(("defer", Decision::Defer(why), at));
    }
    if let [(first, ..), (second, _, at), ..] = decisions.as_slice() {
        let what = format!("`{first}` and `{second}` both stand on the finding `{}`", key.value);
        return Err(source.fault(*at, what, "keep one and leave the other empty"));
    }
    let (decision, decision_at) = match decisions.pop() {
        Some((_, decision, at)) => (Some(decision), at),
        None => (None, key.referenced),
    };
    let reason = match (filled(&body.reason), &decision) {
        (None, _) => String::new(),
        (Some((why, _)), Some(Decision::Choose(_) | Decision::Write(_) | Decision::Accept)) => why,
        (Some((_, at)), Some(_)) => {
            let what = "`reject` and `defer` hold their reason themselves";
            return Err(source.fault(at, what, "move the words there and leave `reason` empty"));
        }
        (Some((_, at)), None) => {
            let what = format!("a reason stands on the finding `{}`, but no decision", key.value);
            return Err(source.fault(at, what, "there is: choose, write, accept, reject, defer"));
        }
    };
    let mut questions = Vec::new();
    for body in body.questions.iter().flatten() {
        questions.extend(question_entry(source, body)?);
    }
    if decision.is_none() && questions.is_empty() {
        return Ok(None);
    }
    Ok(Some(Entry { key: FindingKey(key.value), decision, reason, questions, at: key.referenced, decision_at }))
}

fn question_entry(source: &Source<'_>, body: &QuestionBody) -> Result<Option<QuestionEntry>, Fault> {
    let at = body.question.referenced;
    let answer = filled(&body.answer);
    let defer = reason(source, "defer", &body.defer)?;
    if let (Some(_), Some((_, at))) = (&answer, &defer) {
        let what = "`answer` and `defer` both stand on one question";
        return Err(source.fault(*at, what, "keep one and leave the other empty"));
    }
    let words = |value: Option<(String, Location)>| value.map(|(words, _)| words);
    let (answer, defer, owner) = (words(answer), words(defer), words(filled(&body.owner)));
    if answer.is_none() && defer.is_none() && owner.is_none() {
        return Ok(None);
    }
    Ok(Some(QuestionEntry { question: body.question.value.trim().to_owned(), answer, defer, owner, at }))
}

/// The words of a value that must say why.
fn reason(source: &Source<'_>, key: &str, text: &Text) -> Result<Option<(String, Location)>, Fault> {
    match filled(text) {
        Some((word, at)) if ["true", "yes", "false", "no"].iter().any(|plain| word.eq_ignore_ascii_case(plain)) => {
            Err(source.fault(at, format!("`{key}` needs the words that say why, not `{word}`"), format!("write `{key}: …`")))
        }
        words => Ok(words),
    }
}

/// The decisions as records on the settle gate, in the file's order, all made at the same time.
///
/// # Errors
/// A usage fault with file, line and column: a key that no finding has (with the nearest one), a label that is not among
/// the options, accepting a conflict or choosing where there is none, a question that the finding does not ask.
pub fn to_records(decisions: &Decisions, proposal: &Proposal, at: &str) -> Result<Vec<GateRecord>, Fault> {
    let source = Source::config(&decisions.name, "");
    let mut ops = Vec::new();
    for entry in &decisions.entries {
        let finding = find(&source, entry, proposal)?;
        ops.extend(decision_op(&source, entry, finding)?);
        for asked in &entry.questions {
            ops.extend(question_ops(&source, asked, finding)?);
        }
    }
    Ok(ops.into_iter().map(|op| GateRecord { op, by: decisions.by.clone(), at: at.to_owned() }).collect())
}

fn find<'a>(source: &Source<'_>, entry: &Entry, proposal: &'a Proposal) -> Result<&'a Finding, Fault> {
    let key = entry.key.as_str();
    if let Some(finding) = proposal.findings.iter().find(|finding| finding.key == entry.key) {
        return Ok(finding);
    }
    if let Some(finding) = proposal.findings.iter().find(|finding| finding.id.eq_ignore_ascii_case(key)) {
        let what = format!("`{key}` is a number, which changes from run to run");
        return Err(source.fault(entry.at, what, format!("write the finding's key instead: {}", finding.key)));
    }
    if let Some(dropped) = proposal.dropped.iter().find(|dropped| dropped.finding.key == entry.key) {
        let what = format!("the finding `{key}` was dropped: {}", dropped.reason);
        return Err(source.fault(entry.at, what, "leave it out"));
    }
    let keys = proposal.findings.iter().map(|finding| finding.key.as_str());
    Err(source.fault(entry.at, format!("no finding has the key `{key}`"), what_there_is(key, keys)))
}

fn decision_op(source: &Source<'_>, entry: &Entry, finding: &Finding) -> Result<Option<Op>, Fault> {
    let Some(decision) = &entry.decision else { return Ok(None) };
    let (finding_key, reason) = (finding.key.clone(), entry.reason.clone());
    let labels = || finding.options.iter().map(|option| option.label.as_str());
    Ok(Some(match decision {
        Decision::Choose(label) => {
            if !finding.is_conflict() {
                let what = format!("the finding `{finding_key}` has no options to choose from");
                return Err(source.fault(entry.decision_at, what, "there is: write, accept, reject, defer"));
            }
            let Some(label) = labels().find(|known| known.eq_ignore_ascii_case(label)) else {
                let what = format!("the finding `{finding_key}` has no option `{label}`");
                return Err(source.fault(entry.decision_at, what, what_there_is(label, labels())));
            };
            Op::Choose { finding: finding_key, label: label.to_owned(), reason }
        }
        Decision::Accept if finding.is_conflict() => {
            let what = format!("the finding `{finding_key}` has several options: accepting it says not which");
            let hint = format!("write `choose:` with one of {}", labels().collect::<Vec<_>>().join(", "));
            return Err(source.fault(entry.decision_at, what, hint));
        }
        Decision::Accept => Op::Accept { finding: finding_key, reason },
        Decision::Write(text) => Op::Write { finding: finding_key, text: text.clone(), reason },
        Decision::Reject(why) => Op::Reject { finding: finding_key, reason: why.clone() },
        Decision::Defer(why) => Op::Defer { finding: finding_key, reason: why.clone() },
    }))
}

fn question_ops(source: &Source<'_>, asked: &QuestionEntry, finding: &Finding) -> Result<Vec<Op>, Fault> {
    let words = question_words(&asked.question);
    let is_meant = |question: &&Question| question.key.as_str() == asked.question || question_words(&question.question) == words;
    let Some(question) = finding.blocked_on.iter().find(is_meant) else {
        let known = finding.blocked_on.iter().map(|question| question.question.as_str());
        let what = format!("the finding `{}` does not ask `{}`", finding.key, asked.question);
        return Err(source.fault(asked.at, what, what_there_is(&asked.question, known)));
    };
    let key = || question.key.clone();
    let owner = asked.owner.clone().map(|owner| Op::Assign { question: key(), owner });
    let answer = asked.answer.clone().map(|answer| Op::Answer { question: key(), answer });
    let defer = asked.defer.clone().map(|reason| Op::DeferQuestion { question: key(), reason });
    Ok([owner, answer, defer].into_iter().flatten().collect())
}

/// A decisions file to fill in: every finding that waits for a person, quoted in comments in the given language.
///
/// It is read as it is, and decides nothing until something is filled in.
pub fn template(findings: &[Finding], lang: Lang) -> String {
    let say = Catalogue::new(lang);
    let mut out = format!("schema: {SCHEMA}\n");
    comment(&mut out, 0, &say.say("decisions-intro", &[]));
    comment(&mut out, 0, &say.say("decisions-by", &[]));
    out.push_str("by: \"\"\n");
    let open: Vec<&Finding> = findings.iter().filter(|finding| finding.blocks_writing()).collect();
    if open.is_empty() {
        out.push_str("decisions: {}\n");
        return out;
    }
    out.push_str("decisions:\n");
    for finding in open {
        out.push('\n');
        template_entry(&mut out, finding, &say);
    }
    out
}

fn template_entry(out: &mut String, finding: &Finding, say: &Catalogue) {
    let section = if finding.section.is_empty() { say.say("decisions-whole-document", &[]) } else { finding.section.clone() };
    let place = if finding.uc_id.is_empty() { "decisions-place-global" } else { "decisions-place-unit" };
    let args = [
        ("id", finding.id.as_str().into()),
        ("severity", finding.severity.word().into()),
        ("unit", finding.uc_id.as_str().into()),
        ("section", section.as_str().into()),
    ];
    comment(out, 2, &say.say(place, &args));
    comment(out, 2, &say.say("decisions-finding", &[("text", finding.finding.as_str().into())]));
    quote(out, "", finding.line, &finding.quote, say);
    let is_open_conflict = finding.is_open_conflict();
    if is_open_conflict {
        for option in &finding.options {
            let args = [("label", option.label.as_str().into()), ("text", option.suggestion.as_str().into())];
            comment(out, 2, &say.say("decisions-option", &args));
            if !option.found_by.is_empty() {
                let finders = option.found_by.join(", ");
                let by = say.say("decisions-option-by", &[("finders", finders.as_str().into())]);
                comment(out, 2, &format!("   {by}"));
            }
            if option.quote != finding.quote {
                quote(out, "   ", option.line, &option.quote, say);
            }
        }
    }
    out.push_str(&format!("  {}:\n", scalar(finding.key.as_str())));
    if is_open_conflict {
        let labels: Vec<&str> = finding.options.iter().map(|option| option.label.as_str()).collect();
        let labels = labels.join(", ");
        let choose = say.say("decisions-choose", &[("labels", labels.as_str().into())]);
        field(out, 4, "choose", &choose);
        for key in ["write", "reject", "defer", "reason"] {
            field(out, 4, key, &say.say(&format!("decisions-{key}"), &[]));
        }
    }
    let questions: Vec<&Question> = finding.blocked_on.iter().filter(|question| question.blocks_writing()).collect();
    if questions.is_empty() {
        return;
    }
    out.push_str("    questions:\n");
    for question in questions {
        let topic = question.policy.as_deref().unwrap_or_default();
        comment(out, 6, &say.say("decisions-question", &[("topic", topic.into())]));
        out.push_str(&format!("      - question: {}\n", scalar(&question.question)));
        field(out, 8, "answer", &say.say("decisions-answer", &[]));
        field(out, 8, "defer", &say.say("decisions-question-defer", &[]));
        field(out, 8, "owner", &say.say("decisions-owner", &[]));
    }
}

fn quote(out: &mut String, shift: &str, line: u32, quote: &str, say: &Catalogue) {
    if !quote.is_empty() && line > 0 {
        // As a text: Fluent would group the digits of a number.
        let line = line.to_string();
        let words = say.say("decisions-quote", &[("line", line.as_str().into()), ("quote", quote.into())]);
        comment(out, 2, &format!("{shift}{words}"));
    }
}

/// A comment line. The text is of a document or a model: nothing in it may end the line.
fn comment(out: &mut String, indent: usize, text: &str) {
    let safe = Shown::line(text).as_str().replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    out.push_str(&" ".repeat(indent));
    out.push_str("# ");
    out.push_str(safe.trim_end());
    out.push('\n');
}

fn field(out: &mut String, indent: usize, key: &str, note: &str) {
    out.push_str(&" ".repeat(indent));
    out.push_str(&format!("{key}: \"\" "));
    comment(out, 1, note);
}
