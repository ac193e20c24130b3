//! `script:FILE`: a council read from a file. Per step and attempt it says how long to take, what to say meanwhile, and what
//! to answer or how to fail. Screens, demos and tests run on it.

use crate::model::arbiter::{Verdict, VerdictPart};
use crate::model::finding::{Finding, RawFinding, RawQuestion};
use crate::model::ids::StepKey;
use crate::run::{Agent, AgentFault, Answered, Ask, BoxFuture, FaultClass, LiveText, Provenance, Reply, Role, Usage};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

const SCHEMA: &str = "tamis.script/1";
/// A script is read whole; a larger file is no script.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A script that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// Too large to be a script.
    #[error("the script is larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// Not YAML of the expected shape.
    #[error("{0}")]
    Shape(String),
    /// Another schema.
    #[error("schema is \"{0}\", but this version reads {SCHEMA}")]
    Schema(String),
    /// An entry says nothing or too much.
    #[error("step \"{key}\": {problem}")]
    Entry {
        /// The entry's key.
        key: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    schema: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    steps: Vec<Entry>,
}

/// What one step, or every step whose key matches a pattern, answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// `review/DEV/UC-01`, `critic/2`, `arbiter/*`: the key without hashes; `*` stands for any run of characters.
    key: String,
    /// One entry an attempt; the last one answers all further attempts.
    #[serde(default)]
    attempts: Vec<Take>,
    /// Short form of a single attempt.
    #[serde(default)]
    findings: Option<Vec<ScriptFinding>>,
    /// Short form of a single attempt by the arbiter.
    #[serde(default)]
    verdicts: Option<Vec<ScriptVerdict>>,
    /// Short form: milliseconds until the answer.
    #[serde(default)]
    delay_ms: u64,
}

/// One attempt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Take {
    #[serde(default)]
    delay_ms: u64,
    #[serde(default)]
    chunks: Vec<String>,
    #[serde(default)]
    tokens_in: u64,
    #[serde(default)]
    tokens_out: u64,
    /// Of the tokens read, those from a cache.
    #[serde(default)]
    cached: u64,
    /// Price in millionths.
    #[serde(default)]
    cost_micros: Option<u64>,
    /// The model that is said to have answered.
    #[serde(default)]
    model: Option<String>,
    /// Items that could not be read.
    #[serde(default)]
    dropped: u32,
    /// The list was full to the end.
    #[serde(default)]
    may_be_cut: bool,
    #[serde(default)]
    fail: Option<FaultClass>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    findings: Option<Vec<ScriptFinding>>,
    #[serde(default)]
    verdicts: Option<Vec<ScriptVerdict>>,
}

/// A finding as a script writes it: as an agent returns it, but a misspelt field is an error.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFinding {
    #[serde(default)]
    dimension: String,
    severity: String,
    #[serde(default)]
    section: String,
    #[serde(default)]
    uc_id: String,
    #[serde(default)]
    quote: String,
    finding: String,
    #[serde(default)]
    suggestion: String,
    #[serde(default)]
    auto_fixable: bool,
    #[serde(default)]
    resolution_edge_cases: Vec<String>,
    #[serde(default)]
    blocked_on: Vec<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    missing: Option<String>,
}

/// A verdict as a script writes it: members named by words of their findings, since keys are hashes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptVerdict {
    verdict: Verdict,
    members: Vec<String>,
    #[serde(default)]
    suggestion: String,
}

/// A scripted council.
pub struct Script {
    name: String,
    entries: Vec<(String, Vec<Take>)>,
    live: Arc<dyn LiveText>,
}

impl Script {
    /// Reads a script; `origin` names it where the file gives no name.
    ///
    /// # Errors
    /// Text that is no script: each error says where.
    pub fn read(text: &str, origin: &str, live: Arc<dyn LiveText>) -> Result<Script, ScriptError> {
        if text.len() > MAX_BYTES {
            return Err(ScriptError::TooLarge);
        }
        let file: ScriptFile = serde_yaml::from_str(text).map_err(|error| ScriptError::Shape(error.to_string()))?;
        if file.schema != SCHEMA {
            return Err(ScriptError::Schema(file.schema));
        }
        let entries = file.steps.into_iter().map(takes).collect::<Result<_, _>>()?;
        let name = if file.name.is_empty() { origin.to_owned() } else { file.name };
        Ok(Script { name, entries, live })
    }

    /// Whether the script answers for an arbiter.
    pub fn has_arbiter(&self) -> bool {
        self.entries.iter().any(|(pattern, _)| pattern.starts_with("arbiter/"))
    }

    /// The attempt's part: of the first exact key, else of the first pattern that matches; `None` for an unlisted step.
    fn take(&self, key: &str, attempt: u32) -> Option<&Take> {
        let label = StepKey::from(key).label();
        let exact = self.entries.iter().find(|(pattern, _)| *pattern == label);
        let entry = exact.or_else(|| self.entries.iter().find(|(pattern, _)| matches(pattern, &label)))?;
        let index = (attempt.max(1) as usize - 1).min(entry.1.len() - 1);
        entry.1.get(index)
    }
}

/// An entry's attempts, whichever form it was written in.
fn takes(entry: Entry) -> Result<(String, Vec<Take>), ScriptError> {
    let problem = |problem| ScriptError::Entry { key: entry.key.clone(), problem };
    let short = entry.findings.is_some() || entry.verdicts.is_some();
    if short && !entry.attempts.is_empty() {
        return Err(problem("has both attempts and an answer of its own; write one of them"));
    }
    if !short && entry.attempts.is_empty() {
        return Err(problem("says nothing; write findings, verdicts or attempts"));
    }
    let attempts = if short {
        vec![Take { delay_ms: entry.delay_ms, findings: entry.findings, verdicts: entry.verdicts, ..Take::default() }]
    } else {
        entry.attempts
    };
    for take in &attempts {
        let answers =
            usize::from(take.fail.is_some()) + usize::from(take.findings.is_some()) + usize::from(take.verdicts.is_some());
        if answers != 1 {
            return Err(ScriptError::Entry {
                key: entry.key,
                problem: "an attempt needs exactly one of findings, verdicts and fail",
            });
        }
    }
    Ok((entry.key, attempts))
}

/// Whether a pattern with `*` matches a label.
fn matches(pattern: &str, label: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = label.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

impl Agent for Script {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        Box::pin(async move {
            let Some(take) = self.take(&ask.key, ask.attempt) else {
                let reply = if ask.role == Role::Arbiter { Reply::Verdicts(Vec::new()) } else { Reply::Findings(Vec::new()) };
                return Ok(Answered { reply, agent: self.name.clone(), usage: Usage::default(), provenance: None });
            };
            self.speak(&ask, take).await?;
            if let Some(class) = take.fail {
                let reason =
                    if take.reason.is_empty() { format!("scripted failure: {}", class.word()) } else { take.reason.clone() };
                return Err(AgentFault { usage: usage(take), ..AgentFault::new(class, reason) });
            }
            let reply = match (&take.findings, &take.verdicts) {
                (Some(findings), _) => Reply::Findings(findings.iter().cloned().map(raw).collect()),
                (None, Some(verdicts)) => {
                    Reply::Verdicts(verdicts.iter().filter_map(|verdict| part(verdict, &ask.listing)).collect())
                }
                (None, None) => Reply::Findings(Vec::new()),
            };
            Ok(Answered { reply, agent: self.name.clone(), usage: usage(take), provenance: provenance(&self.name, take) })
        })
    }
}

impl Script {
    /// Takes the scripted time, saying the chunks at even steps of it; a person who cancels cuts it short.
    async fn speak(&self, ask: &Ask, take: &Take) -> Result<(), AgentFault> {
        let pauses = take.chunks.len() as u64 + 1;
        let pause = take.delay_ms / pauses;
        for chunk in &take.chunks {
            wait(pause, ask).await?;
            self.live.text(&ask.key, ask.attempt, chunk);
        }
        wait(take.delay_ms - pause * (pauses - 1), ask).await
    }
}

/// Waits some milliseconds.
///
/// # Errors
/// A person cancelled the attempt, before or meanwhile.
async fn wait(ms: u64, ask: &Ask) -> Result<(), AgentFault> {
    if ms > 0 {
        ask.cancel.run_until_cancelled(tokio::time::sleep(Duration::from_millis(ms))).await;
    }
    if ask.cancel.is_cancelled() { Err(AgentFault::cancelled()) } else { Ok(()) }
}

fn usage(take: &Take) -> Usage {
    let (tokens_in, tokens_out, cached) = (take.tokens_in, take.tokens_out, take.cached);
    Usage { tokens_in, tokens_out, cached, cost_micros: take.cost_micros, ..Usage::default() }
}

/// Provenance, where the script says anything of it.
fn provenance(name: &str, take: &Take) -> Option<Provenance> {
    let answered = take.model.clone().unwrap_or_default();
    let (dropped, may_be_cut) = (take.dropped, take.may_be_cut);
    let said = !answered.is_empty() || dropped > 0 || may_be_cut;
    said.then(|| Provenance { asked: name.to_owned(), answered, calls: 1, dropped, may_be_cut, ..Provenance::default() })
}

fn raw(finding: ScriptFinding) -> RawFinding {
    RawFinding {
        dimension: finding.dimension,
        severity: finding.severity,
        section: finding.section,
        uc_id: finding.uc_id,
        quote: finding.quote,
        finding: finding.finding,
        suggestion: finding.suggestion,
        auto_fixable: finding.auto_fixable,
        resolution_edge_cases: finding.resolution_edge_cases,
        blocked_on: finding.blocked_on.into_iter().map(RawQuestion::Words).collect(),
        options: finding.options,
        options_at: Vec::new(),
        rule: None,
        line: finding.line,
        missing: finding.missing,
    }
}

/// The verdict on the members that are listed in this asking; `None` where fewer than two are.
fn part(verdict: &ScriptVerdict, listing: &[Finding]) -> Option<VerdictPart> {
    let number = |words: &String| {
        let position = listing.iter().position(|finding| finding.finding.contains(words.as_str()));
        position.map(|index| index + 1)
    };
    let members: Vec<usize> = verdict.members.iter().filter_map(number).collect();
    (members.len() >= 2).then(|| VerdictPart { members, verdict: verdict.verdict, suggestion: verdict.suggestion.clone() })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn patterns_match_labels() {
        for (pattern, label, expected) in [
            ("critic/1", "critic/1", true),
            ("critic/1", "critic/11", false),
            ("review/DEV/*", "review/DEV/UC-01..UC-03", true),
            ("review/*/UC-01", "review/SA/UC-01", true),
            ("review/*/UC-01", "review/SA/UC-02", false),
            ("*", "anything", true),
            ("arbiter/*/ab", "arbiter/5f2c/ab", true),
            ("arbiter/*/ab", "arbiter/5f2c/ba", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(matches(pattern, label), expected, "{pattern} on {label}");
        }
    }

    /// Live text with the time it came at, in milliseconds from the start.
    struct Heard(tokio::time::Instant, std::sync::Mutex<Vec<(u128, String)>>);

    impl LiveText for Heard {
        fn text(&self, _key: &str, _attempt: u32, chunk: &str) {
            self.1.lock().expect("not poisoned").push((self.0.elapsed().as_millis(), chunk.to_owned()));
        }
    }

    /// A critic's question.
    pub fn ask() -> Ask {
        let folders = crate::config::Folders { config: None, state: "/nowhere".into() };
        let subject = crate::run::Subject {
            document: Arc::new(crate::document::Document::parse("# Loans\n".to_owned())),
            recipe: crate::config::recipe::load("refine-prd", &folders).expect("built in").0,
            enabled: Vec::new(),
            context: Default::default(),
            criteria: Vec::new(),
            others: Vec::new(),
            lang: Default::default(),
            wording: Default::default(),
        };
        Ask {
            key: "critic/1".to_owned(),
            attempt: 1,
            role: Role::Critic,
            dimension: None,
            scopes: Vec::new(),
            lines: Vec::new(),
            cited: Vec::new(),
            known: Vec::new(),
            listing: Vec::new(),
            subject: Arc::new(subject),
            purse: Default::default(),
            cancel: Default::default(),
        }
    }

    const SLOW: &str = "schema: tamis.script/1\nsteps:\n  - key: critic/1\n    attempts:\n      - {delay_ms: 100, chunks: [a, b, c], findings: []}\n";

    #[tokio::test(start_paused = true)]
    async fn what_is_said_meanwhile_is_spread_over_the_time_the_answer_takes() {
        let began = tokio::time::Instant::now();
        let heard = Arc::new(Heard(began, std::sync::Mutex::default()));
        let script = Script::read(SLOW, "x", Arc::clone(&heard) as Arc<dyn LiveText>).expect("a script");
        script.ask(ask()).await.expect("an answer");
        let expected = [(25, "a"), (50, "b"), (75, "c")].map(|(at, chunk)| (at, chunk.to_owned()));
        assert_eq!(*heard.1.lock().expect("not poisoned"), expected);
        assert_eq!(began.elapsed().as_millis(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancel_ends_the_scripted_time_at_once() {
        for at in [0, 30, 99] {
            let began = tokio::time::Instant::now();
            let heard = Arc::new(Heard(began, std::sync::Mutex::default()));
            let script = Script::read(SLOW, "x", Arc::clone(&heard) as Arc<dyn LiveText>).expect("a script");
            let ask = ask();
            let cancel = ask.cancel.clone();
            let person = async {
                tokio::time::sleep(Duration::from_millis(at)).await;
                cancel.cancel();
            };
            let (answer, ()) = tokio::join!(script.ask(ask), person);
            assert_eq!(answer.expect_err("cancelled"), AgentFault::cancelled());
            assert_eq!(u64::try_from(began.elapsed().as_millis()), Ok(at));
            assert_eq!(heard.1.lock().expect("not poisoned").len() as u64, at / 25);
        }
    }

    fn error(text: &str) -> String {
        let live = Arc::new(crate::run::NoLiveText);
        Script::read(text, "x", live).err().expect("an error").to_string()
    }

    #[test]
    fn what_is_no_script_says_where() {
        assert!(error("schema: tamis.script/9\n").contains("tamis.script/9"));
        let typo = "schema: tamis.script/1\nsteps:\n  - key: critic/1\n    findigs: []\n";
        assert!(error(typo).contains("findigs"), "{}", error(typo));
        let nothing = "schema: tamis.script/1\nsteps:\n  - key: critic/1\n";
        assert!(error(nothing).contains("says nothing"));
        let both =
            "schema: tamis.script/1\nsteps:\n  - key: critic/1\n    attempts:\n      - fail: timeout\n        findings: []\n";
        assert!(error(both).contains("exactly one"));
    }

    #[test]
    fn the_last_attempt_answers_all_further_ones_and_exact_keys_win() {
        let text = "schema: tamis.script/1\nname: c\nsteps:\n  - key: review/*\n    findings: []\n  - key: review/DEV/UC-01\n    attempts:\n      - fail: timeout\n      - findings: [{severity: major, finding: x}]\n";
        let script = Script::read(text, "x", Arc::new(crate::run::NoLiveText)).expect("a script");
        let key = "review/DEV/UC-01@abc123";
        assert!(script.take(key, 1).expect("listed").fail.is_some());
        assert!(script.take(key, 2).expect("listed").findings.is_some());
        assert!(script.take(key, 7).expect("listed").findings.is_some());
        assert!(script.take("review/SA/UC-02@1", 1).is_some());
        assert!(script.take("critic/1", 1).is_none());
    }
}
