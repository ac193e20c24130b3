//! The review pipeline on scripted councils and a paused clock: SPEC S0, Phases 1 to 3, and the five rules of the engine.

mod common;

use common::{Case, ScriptedHuman, finding, kinds, recipe};
use std::sync::{Arc, Mutex};
use tamis::model::event::Kind;
use tamis::model::fault::FaultKind;
use tamis::model::finding::{Grounding, Severity, Status};
use tamis::model::gate::{GateRecord, Op};
use tamis::model::ids::FindingKey;
use tamis::model::recipe::Granularity;
use tamis::model::settled::StoppedBy;
use tamis::run::GateSubject;

const DOCUMENT: &str = "\
# Parcel lockers

## UC-01: Reserve a locker
- AC-01: A courier reserves a free locker for one parcel.
- AC-02: A reservation ends after 30 minutes without a drop-off.

## UC-02: Collect a parcel
- AC-03: The recipient opens the locker with the code.
- AC-04: The code is valid for 3 days.

## UC-03: Return a parcel
- AC-05: The sender gets the parcel back.
";

fn step(key: &str, findings: &[String]) -> String {
    format!("  - {{key: \"{key}\", findings: [{}]}}\n", findings.join(", "))
}

/// Findings that are plainly about different things, each with a quote of its own.
fn different(count: usize) -> Vec<String> {
    let quotes = [
        "A courier reserves a free locker for one parcel.",
        "A reservation ends after 30 minutes without a drop-off.",
        "The recipient opens the locker with the code.",
        "The code is valid for 3 days.",
        "The sender gets the parcel back.",
    ];
    let words = [
        "who pays the fee",
        "which colour the label has",
        "how the camera is told",
        "what the insurer needs",
        "when postage is due",
    ];
    (0..count).map(|n| finding("minor", quotes[n], &format!("Nobody says {}.", words[n]))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_critic_loop_follows_the_contracts_table() {
    let rows: [(&[usize], u32, u32, StoppedBy); 6] = [
        (&[0, 0], 2, 2, StoppedBy::Dry),
        (&[4, 0, 0], 3, 2, StoppedBy::Dry),
        (&[0, 3, 0], 3, 1, StoppedBy::Cap),
        (&[2, 1, 0], 3, 1, StoppedBy::Cap),
        (&[0, 3, 1], 3, 0, StoppedBy::Cap),
        (&[2, 2, 1], 3, 0, StoppedBy::Cap),
    ];
    for (new, rounds, dry, stopped_by) in rows {
        let all = different(5);
        let mut next = 0;
        let mut steps = String::new();
        for (index, &count) in new.iter().enumerate() {
            steps += &step(&format!("critic/{}", index + 1), &all[next..next + count]);
            next += count;
        }
        let outcome = Case::new(DOCUMENT, &steps).run().await.expect("a review");
        let convergence = &outcome.convergence;
        assert_eq!((convergence.rounds, convergence.dry_rounds, convergence.stopped_by), (rounds, dry, stopped_by), "{new:?}");
        let counts: Vec<usize> = convergence.new_per_round.iter().map(|&n| n as usize).collect();
        assert_eq!(counts, new);
        assert_eq!(outcome.findings.len(), next, "{new:?}: all of them are in the file");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_known_makes_no_round_wet_and_what_is_not_in_the_document_does_not_either() {
    let known = finding("major", "The code is valid for 3 days.", "Nobody says what the insurer needs.");
    let invented = finding("critical", "The locker explodes.", "Nobody says who clears the debris.");
    let steps = step("review/DEV/*", std::slice::from_ref(&known)) + &step("critic/1", &[known, invented]);
    let outcome = Case::new(DOCUMENT, &steps).run().await.expect("a review");
    assert_eq!(outcome.convergence.new_per_round, [0, 0]);
    assert!(outcome.convergence.converged);
    let ungrounded: Vec<_> = outcome.findings.iter().filter(|f| f.grounding == Grounding::Missing).collect();
    assert_eq!(ungrounded.len(), 1, "kept, though it does not count");
    assert_ne!(ungrounded[0].severity, Severity::Critical);
    assert_eq!(ungrounded[0].severity_given, Some(Severity::Critical));
    assert!(!ungrounded[0].auto_fixable);
}

#[tokio::test(start_paused = true)]
async fn a_checked_absence_makes_a_round_wet() {
    let absence = "{severity: major, quote: \"\", missing: \"Glossary\", finding: \"There is no glossary section.\", suggestion: \"Add a glossary.\", dimension: PO}".to_owned();
    let outcome = Case::new(DOCUMENT, &step("critic/1", &[absence])).run().await.expect("a review");
    assert_eq!(outcome.convergence.new_per_round, [1, 0, 0]);
    assert_eq!(outcome.findings[0].grounding, Grounding::Absence);
    assert_eq!(
        (outcome.findings[0].uc_id.as_str(), outcome.findings[0].found_by.as_slice()),
        ("", ["critic/1".to_owned()].as_slice())
    );
}

#[tokio::test(start_paused = true)]
async fn a_failing_agent_is_a_hole_and_never_a_clean_one() {
    let steps = "  - {key: \"review/SA/*\", attempts: [{fail: unavailable, reason: no route}]}\n";
    let outcome = Case::new(DOCUMENT, steps).run().await.expect("a review");
    assert_eq!(outcome.holes.len(), 1);
    assert_eq!((outcome.holes[0].step.as_str(), outcome.holes[0].reason.as_str()), ("review/SA/whole-file", "no route"));
    assert_eq!(outcome.recommendation, "INCOMPLETE");
}

#[tokio::test(start_paused = true)]
async fn a_failing_critic_is_no_round_at_all() {
    let steps = step("critic/1", &different(1)) + "  - {key: critic/2, attempts: [{fail: timeout}]}\n";
    let outcome = Case::new(DOCUMENT, &steps).run().await.expect("a review");
    let convergence = &outcome.convergence;
    assert_eq!((convergence.rounds, convergence.stopped_by, convergence.converged), (1, StoppedBy::Hole, false));
    assert_eq!(outcome.holes[0].step, "critic/2");
}

#[tokio::test(start_paused = true)]
async fn a_critic_that_names_no_dimension_is_asked_again_and_then_gets_the_first() {
    let nameless = "{severity: minor, quote: \"The code is valid for 3 days.\", finding: \"Nobody says when postage is due.\", dimension: XX}".to_owned();
    let case = Case::new(DOCUMENT, &step("critic/1", &[nameless]));
    let outcome = case.run().await.expect("a review");
    assert_eq!(outcome.findings[0].dimension, "DEV");
    let attempts = case.store.events().iter().filter(|e| e.kind == Kind::StepStarted && e.key == "critic/1").count();
    assert_eq!(attempts, 2);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_severity_is_asked_again() {
    let steps = format!(
        "  - {{key: \"review/DEV/*\", attempts: [{{findings: [{}]}}, {{findings: [{}]}}]}}\n",
        finding("hoch", "The code is valid for 3 days.", "x"),
        finding("info", "The code is valid for 3 days.", "Nobody says when postage is due.")
    );
    let outcome = Case::new(DOCUMENT, &steps).run().await.expect("a review");
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.findings[0].severity, Severity::Minor, "info is written minor");
}

/// A council with everything: duplicates, a conflict, a policy question, a hole, a retry, a wet critic.
fn full_council(delays: [u32; 3]) -> String {
    let [dev, sa, po] = delays;
    format!(
        "  - {{key: \"review/DEV/*\", attempts: [{{delay_ms: {dev}, fail: timeout}}, {{delay_ms: {dev}, findings: [{}, {}]}}]}}\n  - {{key: \"review/SA/*\", attempts: [{{delay_ms: {sa}, findings: [{}, {{severity: critical, quote: \"The sender gets the parcel back.\", finding: \"It is open who holds the deposit.\", suggestion: \"Decide it.\", blocked_on: [\"needs-money-decision: Who holds the deposit?\"]}}]}}]}}\n  - {{key: \"review/PO/*\", attempts: [{{delay_ms: {po}, fail: refused, reason: declined}}]}}\n{}",
        finding("major", "The code is valid for 3 days.", "Nobody says what happens on day 4."),
        "{severity: major, quote: \"A reservation ends after 30 minutes without a drop-off.\", finding: \"Two readings of the end.\", suggestion: \"Pick one.\", options: [\"End after 30 minutes.\", \"End at midnight.\"]}",
        finding("minor", "A courier reserves a free locker for one parcel.", "Nobody says who pays the fee."),
        step(
            "critic/1",
            &different(1)[..1].iter().map(|f| f.replace("who pays the fee", "how tall a parcel may be")).collect::<Vec<_>>()
        ),
    )
}

fn decided() -> ScriptedHuman {
    let settle = |subject: &GateSubject| {
        let GateSubject::Settle(settling) = subject else { return Vec::new() };
        let mut ops = Vec::new();
        for finding in &settling.proposal.findings {
            if finding.is_conflict() {
                ops.push(Op::Choose { finding: finding.key.clone(), label: "B".into(), reason: "simpler".into() });
            }
            for question in finding.blocked_on.iter().filter(|question| question.policy.is_some()) {
                ops.push(Op::Answer { question: question.key.clone(), answer: "The operator.".into() });
            }
        }
        ops
    };
    ScriptedHuman { ops: vec![("gate/settle".into(), Box::new(settle))], away: Vec::new() }
}

#[tokio::test(start_paused = true)]
async fn agents_that_finish_in_any_order_change_nothing() {
    let first = Case::new(DOCUMENT, &full_council([10, 20, 30])).human(decided()).run().await.expect("a review");
    for delays in [[10, 30, 20], [20, 10, 30], [30, 20, 10], [900, 1, 1], [0, 0, 0]] {
        let other = Case::new(DOCUMENT, &full_council(delays)).human(decided()).run().await.expect("a review");
        assert_eq!(other, first, "{delays:?}");
    }
    assert_eq!(first.holes.len(), 1);
    assert!(first.findings.iter().any(|f| f.is_conflict() && f.status == Status::Accepted));
}

#[tokio::test(start_paused = true)]
async fn a_run_cut_off_after_any_record_comes_to_the_same_end() {
    let whole = Case::new(DOCUMENT, &full_council([10, 20, 30])).human(decided());
    let expected = whole.run().await.expect("a review");
    let events = whole.store.events();
    assert!(events.len() > 25, "{}", events.len());
    for n in 0..events.len() {
        let case = Case::new(DOCUMENT, &full_council([10, 20, 30])).human(decided()).resuming(&events, n);
        let outcome = case.run().await.unwrap_or_else(|fault| panic!("cut off after record {n}: {}", fault.what));
        assert_eq!(outcome, expected, "cut off after record {n}: {}", kinds(&events[..n]).last().map_or("", |kind| kind));
    }
}

#[tokio::test(start_paused = true)]
async fn every_view_of_a_run_is_a_fold_of_its_events() {
    let case = Case::new(DOCUMENT, &full_council([10, 20, 30])).human(decided());
    let outcome = case.run().await.expect("a review");
    let events = case.store.events();
    let view = tamis::journal::fold(&events);
    assert_eq!(view.unknown_kinds, Vec::<String>::new(), "every body is read");
    assert!(view.finished);
    assert_eq!(view.holes, outcome.holes);
    assert_eq!(view.convergence.as_ref(), Some(&outcome.convergence));
    let per_round: Vec<u32> = view.rounds.iter().map(|round| round.new).collect();
    assert_eq!(per_round, outcome.convergence.new_per_round);
    assert_eq!(view.proposal.expect("settled").findings.len(), outcome.findings.len());
    assert_eq!(view.written.as_deref(), Some("memory"));
    assert!(view.gates.values().all(|gate| !gate.open));
    let step = |label: &str| view.steps.values().find(|step| step.label == label).expect(label);
    assert_eq!((step("review/DEV/whole-file").dimension.as_str(), step("review/DEV/whole-file").wave), ("DEV", 1));
    let told: Vec<&str> = view.feed.iter().map(|found| found.step.as_str()).collect();
    assert_eq!(
        told,
        ["review/SA/whole-file", "review/SA/whole-file", "review/DEV/whole-file", "review/DEV/whole-file", "critic/1"]
    );
    let halfway = tamis::journal::fold(&events[..events.len() / 2]);
    assert!(!halfway.finished && halfway.written.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_finished_run_answers_from_its_record_and_writes_nothing_twice() {
    let case = Case::new(DOCUMENT, &full_council([1, 2, 3])).human(decided());
    case.run().await.expect("a review");
    let mut events = case.store.events();
    events.pop();
    let again = Case::new(DOCUMENT, &full_council([1, 2, 3])).resuming(&events, events.len());
    again.run().await.expect("a review");
    assert_eq!(*again.files.writes.lock().expect("not poisoned"), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_while_a_conflict_or_a_policy_question_is_open() {
    let nobody = ScriptedHuman { ops: Vec::new(), away: vec!["gate/settle".into()] };
    let case = Case::new(DOCUMENT, &full_council([1, 2, 3])).human(nobody);
    let fault = case.run().await.expect_err("nobody settles");
    assert_eq!(fault.kind, FaultKind::NeedsPerson);
    assert_eq!(*case.files.writes.lock().expect("not poisoned"), 0);
    // A person who closes the gate without settling anything does not get past it either.
    let closes = Case::new(DOCUMENT, &full_council([1, 2, 3]));
    assert_eq!(closes.run().await.expect_err("open items").kind, FaultKind::NeedsPerson);
    assert_eq!(*closes.files.writes.lock().expect("not poisoned"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reopened_run_is_decided_and_written_again() {
    let mut case = Case::new(DOCUMENT, &full_council([1, 2, 3])).human(decided());
    let first = case.run().await.expect("a review");
    let key: FindingKey = first.findings.iter().find(|f| f.is_conflict()).expect("a conflict").key.clone();
    case.reopen().await;
    let chosen = key.clone();
    let other = ScriptedHuman {
        ops: vec![(
            "gate/settle".into(),
            Box::new(move |_| vec![Op::Choose { finding: chosen.clone(), label: "A".into(), reason: String::new() }]),
        )],
        away: Vec::new(),
    };
    // The earlier records stand; on its finding the new one wins.
    case = case.human(other);
    let events = case.store.events();
    let store = events.len();
    let second = case.resuming(&events, store);
    let again = second.run().await.expect("a review");
    let choice = |outcome: &tamis::model::outcome::ReviewOutcome| {
        let finding = outcome.findings.iter().find(|f| f.key == key).expect("still there");
        finding.resolution.as_ref().and_then(|r| r.choice.clone())
    };
    assert_eq!(choice(&first).as_deref(), Some("B"));
    assert_eq!(choice(&again).as_deref(), Some("A"));
    assert_eq!(*second.files.writes.lock().expect("not poisoned"), 2, "once for each end");
}

#[tokio::test(start_paused = true)]
async fn strikes_and_additions_change_neither_counts_nor_dryness() {
    let strike_all = |subject: &GateSubject| {
        let GateSubject::Round { new, .. } = subject else { return Vec::new() };
        let mut ops: Vec<Op> = new.iter().map(|f| Op::Strike { finding: f.key.clone(), reason: "no".into() }).collect();
        ops.push(Op::Add {
            finding: Box::new(tamis::model::finding::RawFinding {
                severity: "major".into(),
                dimension: "PO".into(),
                quote: "The code is valid for 3 days.".into(),
                finding: "Holidays are forgotten.".into(),
                ..Default::default()
            }),
        });
        ops
    };
    let human = ScriptedHuman { ops: vec![("gate/round/1".into(), Box::new(strike_all))], away: Vec::new() };
    let outcome = Case::new(DOCUMENT, &step("critic/1", &different(2))).human(human).run().await.expect("a review");
    assert_eq!(outcome.convergence.new_per_round, [2, 0, 0]);
    let words: Vec<&str> = outcome.findings.iter().map(|f| f.finding.as_str()).collect();
    assert_eq!(words, ["Holidays are forgotten."]);
    assert_eq!(outcome.findings[0].found_by, ["human"]);
}

#[tokio::test(start_paused = true)]
async fn the_gate_shows_what_will_come_out_of_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&seen);
    let decide = decided().ops.remove(0).1;
    let look = move |subject: &GateSubject| {
        let GateSubject::Settle(settling) = subject else { return Vec::new() };
        let ops = decide(subject);
        let record = |op: &Op| GateRecord { op: op.clone(), by: "tester".into(), at: "2026-01-02T03:04:05.000Z".into() };
        let records: Vec<GateRecord> = ops.iter().map(record).collect();
        let mut shown = shown.lock().expect("not poisoned");
        shown.push(settling.outcome(&[], "now"));
        shown.push(settling.outcome(&records, "2026-01-02T03:04:05.000Z"));
        ops
    };
    let human = ScriptedHuman { ops: vec![("gate/settle".into(), Box::new(look))], away: Vec::new() };
    let outcome = Case::new(DOCUMENT, &full_council([1, 2, 3])).human(human).run().await.expect("a review");
    let seen = seen.lock().expect("not poisoned");
    assert_eq!(seen[0].generated_at, "now");
    assert!(seen[0].findings.iter().any(|finding| finding.blocks_writing()), "nothing is decided without records");
    assert_eq!(seen[1], *outcome);
}

/// Strikes and additions at the first round's gate, given as a list of what is done there.
async fn words_after(ops: fn(&FindingKey) -> Vec<Op>) -> Vec<String> {
    let at_round = move |subject: &GateSubject| {
        let GateSubject::Round { new, .. } = subject else { return Vec::new() };
        ops(&new[0].key)
    };
    let human = ScriptedHuman { ops: vec![("gate/round/1".into(), Box::new(at_round))], away: Vec::new() };
    let outcome = Case::new(DOCUMENT, &step("critic/1", &different(1))).human(human).run().await.expect("a review");
    outcome.findings.iter().map(|finding| finding.finding.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_strike_or_addition_that_is_taken_back_was_none() {
    fn strike(key: &FindingKey) -> Op {
        Op::Strike { finding: key.clone(), reason: String::new() }
    }
    fn add() -> Op {
        Op::Add {
            finding: Box::new(tamis::model::finding::RawFinding {
                severity: "major".into(),
                quote: "The code is valid for 3 days.".into(),
                finding: "Holidays are forgotten.".into(),
                ..Default::default()
            }),
        }
    }
    let fee = "Nobody says who pays the fee.";
    assert!(words_after(|key| vec![strike(key)]).await.is_empty());
    assert_eq!(words_after(|key| vec![strike(key), Op::Undo {}]).await, [fee]);
    assert_eq!(words_after(|key| vec![strike(key), Op::Clear { finding: key.clone() }]).await, [fee]);
    assert_eq!(words_after(|_| vec![add(), Op::Undo {}]).await, [fee]);
    assert_eq!(words_after(|_| vec![add(), Op::Undo {}, Op::Redo {}]).await, ["Holidays are forgotten.", fee]);
}

#[tokio::test(start_paused = true)]
async fn a_person_may_stop_the_loop_and_the_report_says_so() {
    let stop = |_: &GateSubject| vec![Op::Stop { reason: "enough for today".into() }];
    let human = ScriptedHuman { ops: vec![("gate/round/1".into(), Box::new(stop))], away: Vec::new() };
    let outcome = Case::new(DOCUMENT, &step("critic/1", &different(1))).human(human).run().await.expect("a review");
    assert_eq!((outcome.convergence.rounds, outcome.convergence.stopped_by), (1, StoppedBy::Human));
}

#[tokio::test(start_paused = true)]
async fn checks_marked_before_run_ahead_and_their_holes_count() {
    let steps = step(
        "before/P0",
        &[finding("major", "The code is valid for 3 days.", "Nobody says when postage is due.").replace(", dimension: DEV", "")],
    ) + "  - {key: before/P3, attempts: [{fail: failed, reason: gone}]}\n";
    let case = Case::with(DOCUMENT, &steps, recipe("review-context"), Granularity::Auto);
    let outcome = case.run().await.expect("a review");
    assert_eq!(outcome.holes[0].step, "before/P3");
    assert_eq!(outcome.findings[0].dimension, "P0");
    let keys = kinds(&case.store.events());
    let at = |wanted: &str| keys.iter().position(|kind| kind.starts_with(wanted)).expect(wanted);
    assert!(at("step_done before/P0") < at("step_started review/"));
    assert_eq!(outcome.agents, 4, "P1, P2, P4 and P5 on the whole file");
}

#[tokio::test(start_paused = true)]
async fn a_delta_keeps_what_it_did_not_look_at() {
    let finding = |uc: &str, quote: &str| tamis::model::finding::Finding {
        uc_id: uc.into(),
        dimension: "DEV".into(),
        quote: quote.into(),
        ..first_finding()
    };
    let mut case = Case::changed(DOCUMENT, "", &["UC-02"]);
    case.files.earlier = vec![
        finding("UC-01", "A courier reserves a free locker for one parcel."),
        finding("UC-01", "This sentence is gone."),
        finding("UC-02", "The code is valid for 3 days."),
    ];
    for (index, one) in case.files.earlier.iter_mut().enumerate() {
        one.key = FindingKey(format!("{index:016}"));
    }
    let outcome = case.run().await.expect("a review");
    let quotes: Vec<&str> = outcome.findings.iter().map(|f| f.quote.as_str()).collect();
    assert_eq!(quotes, ["A courier reserves a free locker for one parcel."], "UC-02 was looked at and is clean now");
}

fn first_finding() -> tamis::model::finding::Finding {
    let raw = tamis::model::finding::RawFinding {
        severity: "major".into(),
        finding: "Nobody says who pays.".into(),
        ..Default::default()
    };
    let document = tamis::document::Document::parse(DOCUMENT.to_owned());
    let grounds = tamis::rules::ground::Grounds::new(document.text(), document.outline());
    tamis::rules::enter::enter(&raw, "DEV", "DEV", &grounds, &recipe("refine-prd"))
}
