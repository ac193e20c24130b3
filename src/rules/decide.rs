//! Decisions: what people left on the settle gate, applied to the proposal (SPEC S0, Phase 3, Gate and statuses).

use super::ground::cut;
use crate::model::finding::{Finding, Resolution, Status};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::{FindingKey, QuestionKey};
use crate::model::settled::Proposal;
use std::collections::HashMap;

/// A proposal with people's decisions applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decided {
    /// The findings of the file, in the proposal's order and with its ids.
    pub findings: Vec<Finding>,
    /// Findings that a person struck at this gate: out of the file.
    pub struck: Vec<Finding>,
    /// Records that cannot be applied, each a sentence that says what there is; the earlier record on the subject holds.
    pub problems: Vec<String>,
}

/// Applies the records in their order: the last one on a subject wins. Findings are named by their key, by the key of
/// one they took in, or by their id. `Add` and `Stop` are no decisions on a proposal and are left to the caller.
pub fn apply(proposal: &Proposal, records: &[GateRecord]) -> Decided {
    let mut findings = proposal.findings.clone();
    let places = Places::new(proposal);
    let mut problems = Vec::new();
    for record in records {
        if let Err(problem) = decide(&mut findings, &places, record, proposal) {
            problems.push(problem);
        }
    }
    let (struck, findings) = findings.into_iter().partition(|finding: &Finding| finding.struck);
    Decided { findings, struck, problems }
}

/// Where findings and questions stand in the proposal.
struct Places {
    findings: HashMap<String, usize>,
    questions: HashMap<QuestionKey, (usize, usize)>,
}

impl Places {
    fn new(proposal: &Proposal) -> Places {
        let mut findings = HashMap::new();
        let mut questions = HashMap::new();
        for (index, finding) in proposal.findings.iter().enumerate() {
            for absorbed in &finding.absorbed {
                findings.entry(absorbed.key.0.clone()).or_insert(index);
            }
            for (place, question) in finding.blocked_on.iter().enumerate() {
                questions.entry(question.key.clone()).or_insert((index, place));
            }
        }
        for (index, finding) in proposal.findings.iter().enumerate() {
            findings.insert(finding.key.0.clone(), index);
            findings.insert(finding.id.clone(), index);
        }
        for (old, new) in &proposal.aliases {
            if let Some(&index) = findings.get(new.as_str()) {
                findings.insert(old.0.clone(), index);
            }
        }
        Places { findings, questions }
    }

    fn finding(&self, key: &FindingKey, proposal: &Proposal) -> Result<usize, String> {
        self.findings.get(key.as_str()).copied().ok_or_else(|| {
            let dropped = proposal.dropped.iter().find(|dropped| dropped.finding.key == *key);
            match dropped {
                Some(dropped) => format!("finding {key} was dropped: {}", dropped.reason),
                None => format!("no finding {key}: there are {}", named(&proposal.findings)),
            }
        })
    }

    fn question(&self, key: &QuestionKey, proposal: &Proposal) -> Result<(usize, usize), String> {
        self.questions.get(key).copied().ok_or_else(|| {
            let known: Vec<String> = proposal
                .findings
                .iter()
                .flat_map(|finding| finding.blocked_on.iter())
                .map(|question| format!("{} \"{}\"", question.key, cut(&question.question, 60)))
                .collect();
            match known.is_empty() {
                true => format!("no question {key}: the findings ask none"),
                false => format!("no question {key}: there are {}", listed(&known)),
            }
        })
    }
}

fn named(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "no findings".to_owned();
    }
    let names: Vec<String> = findings.iter().map(|finding| format!("{} ({})", finding.key, finding.id)).collect();
    listed(&names)
}

/// At most twelve of a list, the rest counted.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn decide(findings: &mut [Finding], places: &Places, record: &GateRecord, proposal: &Proposal) -> Result<(), String> {
    let resolution = |choice: Option<&str>, text: Option<&str>, deferred: bool, reason: &str| Resolution {
        choice: choice.map(str::to_owned),
        text: text.map(str::to_owned),
        deferred,
        reason: reason.to_owned(),
        by: record.by.clone(),
        at: record.at.clone(),
    };
    let (key, status, resolved) = match &record.op {
        Op::Choose { finding, label, reason } => {
            let index = places.finding(finding, proposal)?;
            let label = option(&findings[index], label)?;
            (finding, Some(Status::Accepted), resolution(Some(&label), None, false, reason))
        }
        Op::Write { finding, text, reason } => {
            required(text, || format!("finding {finding}: own words may not be empty"))?;
            (finding, Some(Status::Modified), resolution(None, Some(text.trim()), false, reason))
        }
        Op::Accept { finding, reason } => {
            let index = places.finding(finding, proposal)?;
            if findings[index].is_conflict() {
                let labels = labels(&findings[index]);
                return Err(format!("finding {finding} is a conflict: choose {labels}, write own words, reject or defer"));
            }
            (finding, Some(Status::Accepted), resolution(None, None, false, reason))
        }
        Op::Reject { finding, reason } => (finding, Some(Status::Rejected), resolution(None, None, false, reason)),
        Op::Defer { finding, reason } => {
            let index = places.finding(finding, proposal)?;
            required(reason, || format!("finding {finding}: say in words why it is put off"))?;
            // A conflict that is put off keeps its conflict status.
            let status = (!findings[index].is_conflict()).then_some(Status::Deferred);
            (finding, status, resolution(None, None, true, reason.trim()))
        }
        Op::Strike { finding, .. } => {
            let index = places.finding(finding, proposal)?;
            findings[index].struck = true;
            return Ok(());
        }
        Op::Answer { question, answer } => {
            let (index, place) = places.question(question, proposal)?;
            required(answer, || format!("question {question}: an answer may not be empty"))?;
            let question = &mut findings[index].blocked_on[place];
            question.answer = Some(answer.trim().to_owned());
            question.answered_by = Some(record.by.clone());
            question.at = Some(record.at.clone());
            question.deferred = None;
            return Ok(());
        }
        Op::Assign { question, owner } => {
            let (index, place) = places.question(question, proposal)?;
            let owner = owner.trim();
            findings[index].blocked_on[place].owner = (!owner.is_empty()).then(|| owner.to_owned());
            return Ok(());
        }
        Op::DeferQuestion { question, reason } => {
            let (index, place) = places.question(question, proposal)?;
            required(reason, || format!("question {question}: say in words why it is put off"))?;
            let question = &mut findings[index].blocked_on[place];
            question.deferred = Some(reason.trim().to_owned());
            question.at = Some(record.at.clone());
            question.answer = None;
            question.answered_by = None;
            return Ok(());
        }
        Op::Add { .. } | Op::Stop { .. } => return Ok(()),
    };
    let index = places.finding(key, proposal)?;
    let finding = &mut findings[index];
    finding.struck = false;
    finding.status = status.unwrap_or(proposal.findings[index].status);
    finding.resolution = Some(resolved);
    Ok(())
}

fn required(words: &str, problem: impl FnOnce() -> String) -> Result<(), String> {
    if words.trim().is_empty() { Err(problem()) } else { Ok(()) }
}

/// The label as the finding spells it.
fn option(finding: &Finding, label: &str) -> Result<String, String> {
    if !finding.is_conflict() {
        return Err(format!("finding {} offers no options: accept, write own words, reject or defer", finding.key));
    }
    let found = finding.options.iter().find(|option| option.label.eq_ignore_ascii_case(label.trim()));
    found
        .map(|option| option.label.clone())
        .ok_or_else(|| format!("finding {} has no option \"{}\": there are {}", finding.key, cut(label, 40), labels(finding)))
}

fn labels(finding: &Finding) -> String {
    finding.options.iter().map(|option| option.label.as_str()).collect::<Vec<_>>().join(", ")
}

/// What still waits for a person, in the findings' order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenItems {
    /// Conflicts that nobody settled or put off: they hold up writing.
    pub conflicts: Vec<FindingKey>,
    /// Policy questions that nobody answered or put off, with their findings: they hold up writing.
    pub policy: Vec<(FindingKey, QuestionKey)>,
    /// Other open questions: counted in the summary, written out unanswered.
    pub questions: Vec<(FindingKey, QuestionKey)>,
}

impl OpenItems {
    /// Whether nothing may be written yet.
    pub fn block_writing(&self) -> bool {
        !self.conflicts.is_empty() || !self.policy.is_empty()
    }
}

/// What is open in findings that a person has (or has not yet) decided on.
pub fn open_items(findings: &[Finding]) -> OpenItems {
    let mut open = OpenItems::default();
    for finding in findings.iter().filter(|finding| !finding.struck) {
        if finding.is_open_conflict() {
            open.conflicts.push(finding.key.clone());
        }
        for question in finding.blocked_on.iter().filter(|question| question.is_open()) {
            let item = (finding.key.clone(), question.key.clone());
            if question.blocks_writing() { open.policy.push(item) } else { open.questions.push(item) }
        }
    }
    open
}
