//! Reading a findings file back: ours, perhaps edited by hand since, perhaps by another recipe.

use super::findings::{Carried, Coverage, Extra, FileStatus, FindingsFile, Kept, Run, SCHEMA, Unmatched};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::{Absorbed, Finding, FixOption, Grounding, Question, RawQuestion, Resolution, Severity, Status};
use crate::model::ids::FindingKey;
use crate::model::nearest::what_there_is;
use crate::model::settled::{Convergence, Dropped, StoppedBy};
use crate::model::yaml::{FINDINGS_BYTES, Source};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde_json::Value;
use serde_yaml::{Location, Spanned};
use std::collections::BTreeMap;
use std::fmt;

/// Names under which built-in recipes write the dimension, for files whose `run` is gone.
const DIMENSION_NAMES: [&str; 3] = ["lens", "check_id", "dimension"];

/// Whether a text is a findings file of a version that is read here: its first key is `schema: tamis.findings/1`.
pub fn is_findings_file(text: &str) -> bool {
    format_named(text) == Some(SCHEMA)
}

/// The format that the first key of a text names, where that key is `schema`.
fn format_named(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().find(|line| {
        let line = line.trim();
        !(line.is_empty() || line.starts_with('#') || line.starts_with('%') || line == "---")
    })?;
    let value = first.strip_prefix("schema:")?;
    // A comment behind the value is no part of it.
    let value = value.split_once(" #").map_or(value, |(value, _)| value).trim();
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark));
    Some(quoted('"').or_else(|| quoted('\'')).unwrap_or(value))
}

/// Reads a findings file; `name` stands in messages. Keys of findings that are not known are kept as extra ones.
///
/// # Errors
/// An input fault with file, line and column: no findings file, another version, over 16 MiB, or a shape that a findings
/// file does not have.
pub fn read(text: &str, name: &str) -> Result<FindingsFile, Fault> {
    match format_named(text) {
        Some(SCHEMA) => {}
        Some(other) => {
            let what = format!("{name}: the format is `{other}`, this version of tamis reads `{SCHEMA}`");
            return Err(Fault::new(FaultKind::Io, what, "use a version of tamis that knows it"));
        }
        None => {
            let what = format!("{name}: not a findings file: its first key is not `schema: {SCHEMA}`");
            return Err(Fault::new(FaultKind::Io, what, "give a file that tamis wrote"));
        }
    }
    let source = Source { name, text, kind: FaultKind::Io, max_bytes: FINDINGS_BYTES };
    let root: Root = source.read()?;
    Reader { source, names: root.run.names.clone() }.file(root)
}

struct Reader<'a> {
    source: Source<'a>,
    names: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn file(&self, root: Root) -> Result<FindingsFile, Fault> {
        let mut file = FindingsFile {
            source: String::new(),
            version: String::new(),
            applied_to_version: String::new(),
            generated_at: String::new(),
            status: FileStatus::default(),
            findings: Vec::new(),
            recommendation: String::new(),
            convergence: root.convergence.unwrap_or_else(no_convergence),
            coverage: root.coverage.unwrap_or_default(),
            dropped: Vec::new(),
            carried: root.carried,
            carried_unmatched: Vec::new(),
            run: root.run,
            extra: BTreeMap::new(),
        };
        for draft in root.dropped {
            let (finding, mut extra) = self.finding(draft);
            file.dropped.push(Dropped { finding, reason: take_text(&mut extra, "reason") });
        }
        for draft in root.unmatched {
            let (finding, mut extra) = self.finding(draft);
            let reason = extra.shift_remove("reason").and_then(|value| serde_json::from_value(value).ok());
            let candidates = extra.shift_remove("candidates").and_then(|value| serde_json::from_value(value).ok());
            file.carried_unmatched.push(Unmatched {
                finding,
                reason: reason.unwrap_or(Kept::Gone),
                candidates: candidates.unwrap_or_default(),
                extra,
            });
        }
        for (key, part) in root.parts {
            match part.value {
                Part::Findings(drafts) => {
                    for draft in drafts {
                        let (finding, extra) = self.finding(draft);
                        if !extra.is_empty() {
                            file.extra.insert(finding.key.clone(), extra);
                        }
                        file.findings.push(finding);
                    }
                }
                Part::Summary(recommendation) => file.recommendation = recommendation,
                Part::Text(text) => self.scalar(&mut file, &key, text, part.referenced)?,
                Part::Number(value) => {
                    let text = self.written(part.referenced).unwrap_or(value);
                    self.scalar(&mut file, &key, text, part.referenced)?;
                }
            }
        }
        Ok(file)
    }

    fn scalar(&self, file: &mut FindingsFile, key: &str, text: String, at: Location) -> Result<(), Fault> {
        let is = |value: &str, built_in: &[&str]| match self.names.get(value) {
            Some(name) => name == key,
            None => built_in.contains(&key),
        };
        if is("source", &["prd_source", "source_file"]) {
            file.source = text;
        } else if is("version", &["prd_version", "source_version"]) {
            file.version = text;
        } else if is("applied_to_version", &["applied_to_version"]) {
            file.applied_to_version = text;
        } else if is("generated_at", &["generated_at"]) {
            file.generated_at = text;
        } else if is("status", &["status"]) {
            file.status = serde_json::from_value(Value::String(text.clone())).map_err(|_| {
                let hint = what_there_is(&text, ["pending_review", "partially_applied", "applied"]);
                self.source.fault(at, format!("unknown status `{text}`"), hint)
            })?;
        }
        Ok(())
    }

    /// What stands at a place of the text: version 1.10 is not 1.1.
    fn written(&self, at: Location) -> Option<String> {
        let text = self.source.text.strip_prefix('\u{feff}').unwrap_or(self.source.text);
        let start = usize::try_from(at.span().byte_offset()?).ok()?;
        let len = usize::try_from(at.span().byte_len()?).ok()?;
        text.get(start..start.checked_add(len)?).map(|plain| plain.trim().to_owned())
    }

    /// The finding of a draft, and what is left of its keys.
    fn finding(&self, draft: Draft) -> (Finding, Extra) {
        let Draft { mut finding, mut extra } = draft;
        let named = self.names.get("dimension").map(String::as_str);
        let key = named.into_iter().chain(DIMENSION_NAMES).find(|name| extra.contains_key(*name));
        if let Some(key) = key {
            finding.dimension = take_text(&mut extra, key);
        }
        (finding, extra)
    }
}

fn take_text(extra: &mut Extra, key: &str) -> String {
    match extra.shift_remove(key) {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

fn no_convergence() -> Convergence {
    Convergence { rounds: 0, new_per_round: Vec::new(), dry_rounds: 0, converged: false, stopped_by: StoppedBy::Human }
}

/// The root as it comes: own keys by name, the recipe's by shape (one list, one map, texts).
#[derive(Default)]
struct Root {
    convergence: Option<Convergence>,
    coverage: Option<Coverage>,
    dropped: Vec<Draft>,
    carried: Vec<Carried>,
    unmatched: Vec<Draft>,
    run: Run,
    parts: Vec<(String, Spanned<Part>)>,
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Root, D::Error> {
        deserializer.deserialize_map(RootVisitor)
    }
}

struct RootVisitor;

impl<'de> Visitor<'de> for RootVisitor {
    type Value = Root;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the root keys of a findings file")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Root, A::Error> {
        let mut root = Root::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "schema" | "convergence_rounds" => {
                    map.next_value::<IgnoredAny>()?;
                }
                "convergence" => root.convergence = map.next_value()?,
                "coverage" => root.coverage = map.next_value()?,
                "dropped" => root.dropped = list(&mut map)?,
                "carried" => root.carried = list(&mut map)?,
                "carried_unmatched" => root.unmatched = list(&mut map)?,
                "run" => root.run = map.next_value::<Option<Run>>()?.unwrap_or_default(),
                _ => root.parts.push((key, map.next_value()?)),
            }
        }
        Ok(root)
    }
}

/// A list, where nothing stands for an empty one.
fn list<'de, A: MapAccess<'de>, T: Deserialize<'de>>(map: &mut A) -> Result<Vec<T>, A::Error> {
    Ok(map.next_value::<Option<Vec<T>>>()?.unwrap_or_default())
}

/// The value of a root key of the recipe.
enum Part {
    /// The only list.
    Findings(Vec<Draft>),
    /// The only map; of it, the recommendation is read, all else is counted anew.
    Summary(String),
    /// A text.
    Text(String),
    /// What looks like a number or a truth value and is meant as a text.
    Number(String),
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Part, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("findings, a summary, or a text")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Part, A::Error> {
        let mut drafts = Vec::new();
        while let Some(draft) = list.next_element()? {
            drafts.push(draft);
        }
        Ok(Part::Findings(drafts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        let mut recommendation = String::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "recommendation" {
                recommendation = map.next_value::<Option<String>>()?.unwrap_or_default();
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Part::Summary(recommendation))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Part, E> {
        Ok(Part::Text(text.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Part, E> {
        Ok(Part::Text(String::new()))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Part, E> {
        Ok(Part::Number(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Part, E> {
        Ok(Part::Number(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Part, E> {
        Ok(Part::Number(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Part, E> {
        Ok(Part::Number(value.to_string()))
    }
}

/// A finding as it comes: known fields filled in, the dimension and unknown keys beside it.
struct Draft {
    finding: Finding,
    extra: Extra,
}

impl<'de> Deserialize<'de> for Draft {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Draft, D::Error> {
        deserializer.deserialize_map(DraftVisitor)
    }
}

struct DraftVisitor;

impl<'de> Visitor<'de> for DraftVisitor {
    type Value = Draft;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a finding")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Draft, A::Error> {
        let mut draft = Draft { finding: blank(), extra: Extra::new() };
        let finding = &mut draft.finding;
        let mut own_words = false;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => finding.id = text(&mut map)?,
                "key" => finding.key = FindingKey(text(&mut map)?),
                "found_by" => finding.found_by = list(&mut map)?,
                "severity" => finding.severity = map.next_value::<Option<Severity>>()?.unwrap_or(Severity::Minor),
                "section" => finding.section = text(&mut map)?,
                "uc_id" => finding.uc_id = text(&mut map)?,
                "line" => finding.line = map.next_value::<Option<u32>>()?.unwrap_or(0),
                "quote" => finding.quote = text(&mut map)?,
                "grounding" => finding.grounding = map.next_value::<Option<Grounding>>()?.unwrap_or(Grounding::Missing),
                "finding" => finding.finding = text(&mut map)?,
                "suggestion" => finding.suggestion = text(&mut map)?,
                "resolution_edge_cases" => finding.resolution_edge_cases = list(&mut map)?,
                "auto_fixable" => finding.auto_fixable = map.next_value::<Option<bool>>()?.unwrap_or(false),
                "status" => finding.status = map.next_value::<Option<StatusWord>>()?.map_or(Status::Pending, |word| word.0),
                "options" => {
                    let options: Vec<OptionDraft> = list(&mut map)?;
                    finding.options = options.into_iter().map(OptionDraft::option).collect();
                }
                "resolution" => {
                    let written = map.next_value::<Option<WrittenResolution>>()?;
                    finding.resolution = written.and_then(|written| match written {
                        WrittenResolution::Full(draft) => Some(draft.resolution()),
                        WrittenResolution::Words(text) => {
                            own_words = !text.trim().is_empty();
                            own_words.then(|| Resolution { text: Some(text), ..Resolution::default() })
                        }
                    });
                }
                "blocked_on" => {
                    let questions: Vec<RawQuestion> = list(&mut map)?;
                    finding.blocked_on = questions.into_iter().map(question).collect();
                }
                "possible_duplicate_of" => finding.possible_duplicate_of = list(&mut map)?,
                "severity_given" => finding.severity_given = map.next_value()?,
                "section_given" => finding.section_given = map.next_value()?,
                "absorbed" => finding.absorbed = list::<_, Absorbed>(&mut map)?,
                "rule" => finding.rule = map.next_value()?,
                "missing" => finding.missing = map.next_value()?,
                _ => {
                    draft.extra.insert(key, map.next_value()?);
                }
            }
        }
        if own_words {
            settle_by_words(finding);
        }
        Ok(draft)
    }
}

/// A text, where nothing stands for an empty one.
fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<String, A::Error> {
    Ok(map.next_value::<Option<String>>()?.unwrap_or_default())
}

fn question(raw: RawQuestion) -> Question {
    match raw {
        RawQuestion::Words(words) => Question { question: words, ..Question::default() },
        RawQuestion::Full(question) => question,
    }
}

/// A finding of which nothing is known.
fn blank() -> Finding {
    Finding {
        key: FindingKey::default(),
        id: String::new(),
        dimension: String::new(),
        found_by: Vec::new(),
        rule: None,
        severity: Severity::Minor,
        severity_given: None,
        section: String::new(),
        section_given: None,
        uc_id: String::new(),
        line: 0,
        quote: String::new(),
        grounding: Grounding::Missing,
        missing: None,
        finding: String::new(),
        suggestion: String::new(),
        resolution_edge_cases: Vec::new(),
        auto_fixable: false,
        status: Status::Pending,
        options: Vec::new(),
        resolution: None,
        blocked_on: Vec::new(),
        possible_duplicate_of: Vec::new(),
        absorbed: Vec::new(),
        struck: false,
    }
}

/// An option, with whatever a hand left of it.
#[derive(serde::Deserialize)]
#[serde(default)]
#[derive(Default)]
struct OptionDraft {
    label: String,
    suggestion: String,
    finding: Option<String>,
    found_by: Option<Vec<String>>,
    quote: Option<String>,
    line: Option<u32>,
}

impl OptionDraft {
    fn option(self) -> FixOption {
        FixOption {
            label: self.label,
            suggestion: self.suggestion,
            finding: self.finding.unwrap_or_default(),
            found_by: self.found_by.unwrap_or_default(),
            quote: self.quote.unwrap_or_default(),
            line: self.line.unwrap_or(0),
        }
    }
}

/// What mere words as a resolution mean: why, where the finding is rejected or put off, else what is written instead.
fn settle_by_words(finding: &mut Finding) {
    match finding.status {
        Status::Rejected | Status::Deferred => {
            if let Some(resolution) = &mut finding.resolution {
                resolution.reason = resolution.text.take().unwrap_or_default();
            }
        }
        Status::Applied => {}
        _ => finding.status = Status::Modified,
    }
}

/// A status, however a hand spelled it: `Accepted`, `needs discussion`.
struct StatusWord(Status);

/// The words of [`Status`].
const STATUS_WORDS: [&str; 7] = ["pending", "needs_discussion", "accepted", "modified", "rejected", "deferred", "applied"];

impl<'de> Deserialize<'de> for StatusWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StatusWord, D::Error> {
        // As a word of an enum, so that an unknown one is reported at its own place.
        deserializer.deserialize_enum("status", &STATUS_WORDS, StatusVisitor)
    }
}

struct StatusVisitor;

impl<'de> Visitor<'de> for StatusVisitor {
    type Value = StatusWord;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a status")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<StatusWord, A::Error> {
        let (status, rest) = data.variant_seed(self)?;
        rest.unit_variant()?;
        Ok(status)
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<StatusWord, E> {
        let word = given.trim().to_lowercase().replace([' ', '-'], "_");
        if word.is_empty() {
            return Ok(StatusWord(Status::Pending));
        }
        let status = serde_json::from_value(Value::String(word));
        status.map(StatusWord).map_err(|_| E::unknown_variant(given, &STATUS_WORDS))
    }
}

impl<'de> DeserializeSeed<'de> for StatusVisitor {
    type Value = StatusWord;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<StatusWord, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

/// A resolution as written: its parts, or mere words.
enum WrittenResolution {
    Full(ResolutionDraft),
    Words(String),
}

impl<'de> Deserialize<'de> for WrittenResolution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WrittenResolution, D::Error> {
        deserializer.deserialize_any(WrittenResolutionVisitor)
    }
}

struct WrittenResolutionVisitor;

impl<'de> Visitor<'de> for WrittenResolutionVisitor {
    type Value = WrittenResolution;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a resolution (`choice: A` or `text: words`), or words")
    }

    fn visit_str<E: de::Error>(self, words: &str) -> Result<WrittenResolution, E> {
        Ok(WrittenResolution::Words(words.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenResolution, A::Error> {
        ResolutionDraft::deserialize(de::value::MapAccessDeserializer::new(map)).map(WrittenResolution::Full)
    }
}

/// A resolution, with whatever a hand wrote of it: `{choice: A}` is one.
#[derive(serde::Deserialize)]
#[serde(default)]
#[derive(Default)]
struct ResolutionDraft {
    choice: Option<String>,
    text: Option<String>,
    deferred: Option<bool>,
    reason: Option<String>,
    by: Option<String>,
    at: Option<String>,
}

impl ResolutionDraft {
    fn resolution(self) -> Resolution {
        let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Resolution {
            choice: filled(self.choice),
            text: filled(self.text),
            deferred: self.deferred.unwrap_or(false),
            reason: self.reason.unwrap_or_default(),
            by: self.by.unwrap_or_default(),
            at: self.at.unwrap_or_default(),
        }
    }
}
