//! The revision of a findings file on the engine: decided anew by a person, written once, resumed after any record.

mod common;

use common::{Case, MemoryFiles, ScriptedHuman, StillClock, kinds, recipe};
use std::sync::Arc;
use tamis::model::event::{Event, Kind};
use tamis::model::fault::{Fault, FaultKind};
use tamis::model::finding::{Finding, Status};
use tamis::model::gate::Op;
use tamis::model::outcome::ReviewOutcome;
use tamis::model::settled::Proposal;
use tamis::pipeline::SETTLE_GATE;
use tamis::pipeline::revise::{Opened, revise};
use tamis::run::{GateSubject, Human, MemoryStore, Run};

const DOCUMENT: &str = "\
# Parcel lockers

## UC-01: Collect a parcel
- AC-01: The recipient opens the locker with the code.
- AC-02: The code is valid for 3 days.
";

const COUNCIL: &str = r#"  - {key: "review/DEV/*", findings: [{severity: critical, quote: "The code is valid for 3 days.", finding: "Two readings of the end.", suggestion: "Pick one.", options: ["End after 72 hours.", "End at midnight."]}]}
  - {key: "review/SA/*", findings: [{severity: major, quote: "The recipient opens the locker with the code.", finding: "It is open who pays for a new code.", suggestion: "Decide it.", blocked_on: ["needs-money-decision: Who pays for a new code?"]}]}
"#;

type Decide = fn(&[Finding]) -> Vec<Op>;

fn person(decide: Decide) -> ScriptedHuman {
    let ops = move |subject: &GateSubject| match subject {
        GateSubject::Settle(settling) => decide(&settling.proposal.findings),
        GateSubject::Round { .. } => Vec::new(),
    };
    ScriptedHuman { ops: vec![(SETTLE_GATE.into(), Box::new(ops))], away: Vec::new() }
}

/// Everything put off: what a first file often says.
fn put_off(findings: &[Finding]) -> Vec<Op> {
    let reason = || "after the pilot".to_owned();
    let conflict =
        |finding: &Finding| finding.is_conflict().then(|| Op::Defer { finding: finding.key.clone(), reason: reason() });
    let question = |finding: &Finding| {
        finding.blocked_on.first().map(|question| Op::DeferQuestion { question: question.key.clone(), reason: reason() })
    };
    findings.iter().flat_map(|finding| conflict(finding).into_iter().chain(question(finding))).collect()
}

fn settled(findings: &[Finding]) -> Vec<Op> {
    let conflict = findings.iter().find(|finding| finding.is_conflict()).expect("a conflict");
    let asking = findings.iter().find(|finding| !finding.blocked_on.is_empty()).expect("a question");
    vec![
        Op::Choose { finding: conflict.key.clone(), label: "B".into(), reason: "simpler".into() },
        Op::Answer { question: asking.blocked_on[0].key.clone(), answer: "The operator.".into() },
        Op::Reject { finding: asking.key.clone(), reason: "answered".into() },
    ]
}

/// What a review has written, as a file says it.
async fn opened(decide: Decide) -> (Opened, ReviewOutcome) {
    let outcome = Case::new(DOCUMENT, COUNCIL).human(person(decide)).run().await.expect("a review");
    let proposal = Proposal { findings: outcome.findings.clone(), dropped: outcome.dropped.clone(), ..Proposal::default() };
    let opened = Opened {
        lacks: Default::default(),
        proposal,
        convergence: outcome.convergence.clone(),
        agents: outcome.agents,
        holes: outcome.holes.clone(),
        not_covered: outcome.not_covered.clone(),
        recipe: recipe("refine-prd"),
    };
    (opened, ReviewOutcome::clone(&outcome))
}

/// A revision over the first `events`: what came of it, all events, and the number of writes.
async fn revised(opened: &Opened, human: ScriptedHuman, events: &[Event]) -> (Result<ReviewOutcome, Fault>, Vec<Event>, u32) {
    let store = MemoryStore::holding(events.to_vec());
    let files = MemoryFiles::default();
    let human = Arc::new(human) as Arc<dyn Human>;
    let run = Run::new(Box::new(store.clone()), events, Arc::new(StillClock), human, Box::new(|_| {}));
    let ended = revise(&run, opened, &files).await.map(|(outcome, _)| ReviewOutcome::clone(&outcome));
    let writes = *files.writes.lock().expect("not poisoned");
    (ended, store.events(), writes)
}

#[tokio::test(start_paused = true)]
async fn a_file_is_decided_anew_and_written_once_and_nobody_is_asked() {
    let (opened, before) = opened(put_off).await;
    assert_eq!(before.recommendation, "BLOCKED");
    let (after, events, writes) = revised(&opened, person(settled), &[]).await;
    let after = after.expect("a revision");
    assert_eq!(writes, 1);
    let statuses: Vec<(Status, bool)> = after.findings.iter().map(|f| (f.status, f.blocks_writing())).collect();
    assert_eq!(statuses, [(Status::Accepted, false), (Status::Rejected, false)]);
    let conflict = after.findings[0].resolution.as_ref().expect("settled");
    assert_eq!((conflict.choice.as_deref(), conflict.by.as_str()), (Some("B"), "tester"));
    assert_eq!(after.findings[1].blocked_on[0].answer.as_deref(), Some("The operator."));
    assert_eq!((&after.convergence, &after.dropped, after.agents), (&before.convergence, &before.dropped, before.agents));
    let keys = kinds(&events);
    let expected = [
        "step_started read/target",
        "step_done read/target",
        "fixed convergence",
        "fixed settle",
        "gate_opened gate/settle",
        "gate_record gate/settle",
        "gate_record gate/settle",
        "gate_record gate/settle",
        "gate_closed gate/settle",
        "fixed generated_at",
        "fixed writing",
        "step_started write/findings",
        "step_done write/findings",
    ];
    assert_eq!(keys, expected);
    let view = tamis::journal::fold(&events);
    assert_eq!((view.proposal.expect("shown").findings, view.unknown_kinds.len()), (opened.proposal.findings.clone(), 0));
}

#[tokio::test(start_paused = true)]
async fn the_recommendation_is_computed_anew() {
    let (opened, _) = opened(put_off).await;
    let reject_all: Decide = |findings| {
        let reject = |finding: &Finding| Op::Reject { finding: finding.key.clone(), reason: "no".into() };
        findings.iter().map(reject).collect()
    };
    let (after, _, _) = revised(&opened, person(reject_all), &[]).await;
    assert_eq!(after.expect("a revision").recommendation, "APPROVED");
    let nothing: Decide = |_| Vec::new();
    let (same, _, _) = revised(&opened, person(nothing), &[]).await;
    let same = same.expect("a revision");
    assert_eq!((same.findings, same.recommendation.as_str()), (opened.proposal.findings, "BLOCKED"));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_while_a_conflict_or_a_policy_question_is_open() {
    let (mut opened, _) = opened(put_off).await;
    let nothing: Decide = |_| Vec::new();
    for open in [0, 1] {
        let mut undecided = opened.clone();
        undecided.proposal.findings[open].resolution = None;
        undecided.proposal.findings[open].blocked_on.iter_mut().for_each(|question| question.deferred = None);
        let (ended, _, writes) = revised(&undecided, person(nothing), &[]).await;
        assert_eq!((ended.expect_err("open").kind, writes), (FaultKind::NeedsPerson, 0), "{open}");
    }
    opened.holes = vec![tamis::model::settled::Hole {
        step: "review/PO/whole-file".into(),
        dimension: "PO".into(),
        scopes: Vec::new(),
        reason: "declined".into(),
    }];
    let (ended, _, _) = revised(&opened, person(nothing), &[]).await;
    assert_eq!(ended.expect("a revision").recommendation, "INCOMPLETE", "a hole stays one");
}

#[tokio::test(start_paused = true)]
async fn a_revision_cut_off_after_any_record_comes_to_the_same_end() {
    let (opened, _) = opened(put_off).await;
    let (whole, events, _) = revised(&opened, person(settled), &[]).await;
    let whole = whole.expect("a revision");
    for n in 0..events.len() {
        let (again, after, _) = revised(&opened, person(settled), &events[..n]).await;
        let again = again.unwrap_or_else(|fault| panic!("cut off after record {n}: {}", fault.what));
        assert_eq!(again, whole, "cut off after record {n}");
        let decisions = after.iter().filter(|event| event.kind == Kind::GateRecord).count();
        assert_eq!(decisions, 3, "cut off after record {n}: nothing is decided twice");
    }
}
