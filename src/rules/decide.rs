//! Decisions: what people left on the settle gate, applied to the proposal (SPEC S0, Phase 3, Gate and statuses).

use super::ground::cut;
use super::ledger;
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

/// Applies the records that stand ([`ledger::effective`]) in their order: the last one on a subject wins. Findings are named
/// by their key, by the key of one they took in, or by their id. `Add` and `Stop` are no decisions on a proposal and are left
/// to the caller.
pub fn apply(proposal: &Proposal, records: &[GateRecord]) -> Decided {
    let mut findings = proposal.findings.clone();
    let places = Places::new(proposal);
    let mut problems = Vec::new();
    for record in &ledger::effective(records) {
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
        Op::Clear { finding } => {
            let index = places.finding(finding, proposal)?;
            let (finding, proposed) = (&mut findings[index], &proposal.findings[index]);
            (finding.struck, finding.status) = (proposed.struck, proposed.status);
            finding.resolution.clone_from(&proposed.resolution);
            return Ok(());
        }
        Op::ClearQuestion { question } => {
            let (index, place) = places.question(question, proposal)?;
            let question = &mut findings[index].blocked_on[place];
            (question.answer, question.answered_by, question.at, question.deferred) = (None, None, None, None);
            return Ok(());
        }
        // The first two are the caller's, the others no decisions: the ledger has read them already.
        Op::Add { .. } | Op::Stop { .. } | Op::Draft { .. } | Op::Undo {} | Op::Redo {} | Op::Bulk { .. } => return Ok(()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finding::{RawFinding, RawQuestion};
    use crate::rules::arbiter::Verdicts;
    use crate::rules::sample;
    use crate::rules::settle::propose;
    use crate::rules::wording::Wording;

    /// F001 a conflict with A and B, F002 an ordinary finding that asks a policy question and another one.
    fn proposal() -> Proposal {
        let mut torn = sample::raw("critical", "must be sent within 14 days", "14 here, 30 there.", "");
        torn.options = vec!["Say 14 days.".to_owned(), "Say 30 days.".to_owned()];
        let mut asking = sample::raw("major", "If the order is unknown", "Who is told?", "Name the role.");
        asking.blocked_on = ["needs-law-decision: may we tell them?", "Who writes the text?"]
            .map(|words| RawQuestion::Words(words.to_owned()))
            .into();
        let findings = [sample::found("SA", &torn), sample::found("DEV", &asking)];
        propose(&findings, &sample::document().1, &sample::recipe(), &Verdicts::default(), &Wording::default())
    }

    fn record(op: Op) -> GateRecord {
        GateRecord { op, by: "Lan".to_owned(), at: "2026-11-30T19:15:09Z".to_owned() }
    }

    fn choose(proposal: &Proposal, label: &str) -> GateRecord {
        let finding = proposal.findings[0].key.clone();
        record(Op::Choose { finding, label: label.to_owned(), reason: "as agreed".to_owned() })
    }

    #[test]
    fn every_way_to_settle_has_its_status() {
        let proposal = proposal();
        let (torn, ordinary) = (proposal.findings[0].key.clone(), proposal.findings[1].key.clone());
        let reason = || "because".to_owned();
        let conflict = |op: Op| apply(&proposal, &[record(op)]).findings[0].clone();
        let plain = |op: Op| apply(&proposal, &[record(op)]).findings[1].clone();

        let chosen = apply(&proposal, &[choose(&proposal, "b")]).findings[0].clone();
        let resolution = chosen.resolution.clone().unwrap();
        assert_eq!((chosen.status, resolution.choice.as_deref()), (Status::Accepted, Some("B")));
        assert_eq!((resolution.by.as_str(), resolution.at.as_str()), ("Lan", "2026-11-30T19:15:09Z"));
        assert!(!chosen.is_open_conflict());

        let own = conflict(Op::Write { finding: torn.clone(), text: " Say 21 days. ".to_owned(), reason: reason() });
        assert_eq!((own.status, own.resolution.unwrap().text.as_deref()), (Status::Modified, Some("Say 21 days.")));
        assert_eq!(conflict(Op::Reject { finding: torn.clone(), reason: reason() }).status, Status::Rejected);

        let put_off = conflict(Op::Defer { finding: torn, reason: " after the audit ".to_owned() });
        assert_eq!(put_off.status, Status::NeedsDiscussion, "a deferred conflict keeps its conflict status");
        let resolution = put_off.resolution.unwrap();
        assert!(resolution.deferred && resolution.reason == "after the audit" && resolution.choice.is_none());

        assert_eq!(plain(Op::Accept { finding: ordinary.clone(), reason: reason() }).status, Status::Accepted);
        assert_eq!(plain(Op::Reject { finding: ordinary.clone(), reason: reason() }).status, Status::Rejected);
        assert_eq!(plain(Op::Defer { finding: ordinary.clone(), reason: reason() }).status, Status::Deferred);
        let words = Op::Write { finding: ordinary, text: "Own words.".to_owned(), reason: reason() };
        assert_eq!(plain(words).status, Status::Modified);
        assert_eq!(apply(&proposal, &[]).findings, proposal.findings);
    }

    #[test]
    fn the_last_record_on_a_subject_wins() {
        let proposal = proposal();
        let finding = proposal.findings[0].key.clone();
        let reject = record(Op::Reject { finding: finding.clone(), reason: String::new() });
        let decided = apply(&proposal, &[choose(&proposal, "A"), reject.clone(), choose(&proposal, "B")]);
        assert_eq!(decided.findings[0].status, Status::Accepted);
        assert_eq!(decided.findings[0].resolution.as_ref().unwrap().choice.as_deref(), Some("B"));
        let defer = record(Op::Defer { finding, reason: "later".to_owned() });
        let decided = apply(&proposal, &[reject, defer]);
        assert_eq!(decided.findings[0].status, Status::NeedsDiscussion, "not what an overruled record left");
        assert!(decided.problems.is_empty());
    }

    #[test]
    fn questions_are_answered_assigned_and_put_off() {
        let proposal = proposal();
        let key = |index: usize| proposal.findings[1].blocked_on[index].key.clone();
        assert_eq!(open_items(&proposal.findings).policy.len(), 1);
        assert_eq!(open_items(&proposal.findings).questions.len(), 1);
        assert!(open_items(&proposal.findings).block_writing());
        let answer = record(Op::Answer { question: key(0), answer: "Yes.".to_owned() });
        let assign = record(Op::Assign { question: key(1), owner: "Legal".to_owned() });
        let put_off = record(Op::DeferQuestion { question: key(0), reason: "next board".to_owned() });
        let decided = apply(&proposal, &[put_off.clone(), answer.clone(), assign, choose(&proposal, "A")]);
        let questions = &decided.findings[1].blocked_on;
        assert_eq!((questions[0].answer.as_deref(), questions[0].answered_by.as_deref()), (Some("Yes."), Some("Lan")));
        assert_eq!((questions[0].deferred.as_deref(), questions[1].owner.as_deref()), (None, Some("Legal")));
        let open = open_items(&decided.findings);
        assert!(!open.block_writing(), "an ordinary open question may be written out");
        assert_eq!(open.questions.len(), 1);
        let last = apply(&proposal, &[answer, put_off]);
        let question = &last.findings[1].blocked_on[0];
        assert_eq!((question.answer.as_deref(), question.deferred.as_deref()), (None, Some("next board")));
        assert!(!question.blocks_writing());
        assert!(open_items(&last.findings).block_writing(), "the conflict is still open");
    }

    #[test]
    fn what_is_cleared_is_as_it_was_proposed() {
        let mut proposal = proposal();
        let (torn, asking) = (proposal.findings[0].key.clone(), proposal.findings[1].key.clone());
        let key = proposal.findings[1].blocked_on[0].key.clone();
        let clear = |finding: &FindingKey| record(Op::Clear { finding: finding.clone() });
        let strike = record(Op::Strike { finding: torn.clone(), reason: String::new() });
        assert_eq!(apply(&proposal, &[choose(&proposal, "A"), clear(&torn)]).findings, proposal.findings);
        assert_eq!(apply(&proposal, &[strike, clear(&torn)]).findings, proposal.findings);

        let clear_question = record(Op::ClearQuestion { question: key.clone() });
        for op in [
            Op::Answer { question: key.clone(), answer: "Yes.".to_owned() },
            Op::DeferQuestion { question: key.clone(), reason: "later".to_owned() },
        ] {
            let assign = record(Op::Assign { question: key.clone(), owner: "Legal".to_owned() });
            let question = apply(&proposal, &[assign, record(op), clear_question.clone()]).findings[1].blocked_on[0].clone();
            assert!(question.is_open() && question.blocks_writing());
            assert_eq!((question.owner.as_deref(), question.at, question.answered_by), (Some("Legal"), None, None));
        }

        // What an earlier file carried over is what was proposed.
        let carried = Resolution { reason: "as last time".to_owned(), ..Resolution::default() };
        (proposal.findings[1].status, proposal.findings[1].resolution) = (Status::Accepted, Some(carried));
        let reject = record(Op::Reject { finding: asking.clone(), reason: String::new() });
        assert_eq!(apply(&proposal, &[reject, clear(&asking)]).findings, proposal.findings);
        let unknown = apply(&proposal, &[clear(&"beef".into()), record(Op::ClearQuestion { question: "beef".into() })]);
        assert_eq!(unknown.problems.len(), 2);
    }

    #[test]
    fn only_what_stands_after_undo_and_redo_is_applied() {
        let proposal = proposal();
        let (a, b) = (choose(&proposal, "A"), choose(&proposal, "B"));
        let (undo, redo) = (record(Op::Undo {}), record(Op::Redo {}));
        let choice = |records: &[GateRecord]| {
            let resolution = apply(&proposal, records).findings[0].resolution.clone();
            resolution.and_then(|resolution| resolution.choice)
        };
        assert_eq!(choice(&[a.clone(), b.clone(), undo.clone()]).as_deref(), Some("A"));
        assert_eq!(choice(&[a.clone(), undo.clone()]), None);
        assert_eq!(choice(&[a, b, undo.clone(), redo]).as_deref(), Some("B"));
        let strike = record(Op::Strike { finding: proposal.findings[0].key.clone(), reason: String::new() });
        assert!(apply(&proposal, &[strike, undo]).struck.is_empty());
    }

    #[test]
    fn what_cannot_be_applied_is_a_problem_that_says_what_there_is() {
        let proposal = proposal();
        let (torn, ordinary) = (proposal.findings[0].key.clone(), proposal.findings[1].key.clone());
        let question = proposal.findings[1].blocked_on[0].key.clone();
        let none = String::new;
        for (op, says) in [
            (Op::Choose { finding: torn.clone(), label: "C".to_owned(), reason: none() }, "there are A, B"),
            (Op::Choose { finding: ordinary.clone(), label: "A".to_owned(), reason: none() }, "no options"),
            (Op::Accept { finding: torn.clone(), reason: none() }, "choose A, B"),
            (Op::Accept { finding: "beef".into(), reason: none() }, ordinary.as_str()),
            (Op::Defer { finding: torn.clone(), reason: "  ".to_owned() }, "in words"),
            (Op::Write { finding: torn.clone(), text: none(), reason: none() }, "may not be empty"),
            (Op::Answer { question: "beef".into(), answer: "Yes".to_owned() }, "may we tell them"),
            (Op::Answer { question: question.clone(), answer: " ".to_owned() }, "may not be empty"),
            (Op::DeferQuestion { question, reason: none() }, "in words"),
        ] {
            let decided = apply(&proposal, &[choose(&proposal, "A"), record(op)]);
            assert_eq!(decided.problems.len(), 1, "{says}");
            assert!(decided.problems[0].contains(says), "{}", decided.problems[0]);
            assert_eq!(decided.findings[0].status, Status::Accepted, "the earlier record holds");
        }
    }

    #[test]
    fn ids_and_keys_of_taken_in_findings_name_a_finding_too() {
        let quote = "If the order is unknown, an error is shown.";
        let a = sample::finding("DEV", "minor", quote, "The error text is missing.", "Write the text of E1.");
        let b = sample::finding("SA", "major", quote, "Missing error text.", "Write it.");
        let (outline, recipe) = (sample::document().1, sample::recipe());
        let proposal = propose(&[a.clone(), b.clone()], &outline, &recipe, &Verdicts::default(), &Wording::default());
        for name in [a.key, b.key, "F001".into(), proposal.findings[0].key.clone()] {
            let decided = apply(&proposal, &[record(Op::Accept { finding: name, reason: String::new() })]);
            assert_eq!((decided.problems.len(), decided.findings[0].status), (0, Status::Accepted));
        }
    }

    #[test]
    fn a_decision_on_a_dropped_finding_says_why_it_is_gone() {
        let wrong = sample::finding("SA", "major", "", "There is no glossary section.", "Add one.");
        let (outline, recipe) = (sample::document().1, sample::recipe());
        let proposal = propose(std::slice::from_ref(&wrong), &outline, &recipe, &Verdicts::default(), &Wording::default());
        let decided = apply(&proposal, &[record(Op::Accept { finding: wrong.key, reason: String::new() })]);
        assert!(decided.problems[0].contains("was dropped") && decided.problems[0].contains("line 5"));
    }

    #[test]
    fn a_struck_finding_leaves_the_file_and_holds_up_nothing() {
        let proposal = proposal();
        let strike = record(Op::Strike { finding: proposal.findings[0].key.clone(), reason: String::new() });
        let decided = apply(&proposal, std::slice::from_ref(&strike));
        assert_eq!((decided.findings.len(), decided.struck.len()), (1, 1));
        assert_eq!(decided.findings[0].id, "F002", "ids that people have seen stay");
        assert!(open_items(&decided.findings).conflicts.is_empty());
        let back = apply(&proposal, &[strike, choose(&proposal, "A")]);
        assert_eq!((back.findings.len(), back.struck.len()), (2, 0));
        let other = [record(Op::Stop { reason: String::new() }), record(Op::Add { finding: Box::new(RawFinding::default()) })];
        assert_eq!(apply(&proposal, &other).findings, proposal.findings);
    }
}
