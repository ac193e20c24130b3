//! What a run looks like after each kind of event.

use super::*;
use crate::model::answer::FaultClass;
use crate::model::gate::{ClosedBy, Op};
use crate::model::plan::{Cell, Plan, Scope, cell_key};
use crate::model::recipe::Granularity;
use crate::model::view::{RoundView, RunView, StepState, StepView};
use proptest::prelude::*;

fn plan() -> Plan {
    let scope = |name: &str| Scope { name: name.into(), uc_id: name.into(), lines: vec![] };
    let cell = |dimension: &str, bucket, replica| Cell { dimension: dimension.into(), bucket, replica, wave: 1 };
    Plan {
        recipe: "refine-prd".into(),
        granularity: Granularity::PerUc,
        lines: 40,
        units: vec!["UC-01".into()],
        scopes: vec![scope("UC-01"), scope("PRD-global")],
        dimensions: vec!["DEV".into()],
        before: vec![],
        buckets: vec![vec![0], vec![1]],
        cells: vec![cell("DEV", 0, 1), cell("DEV", 0, 2), cell("DEV", 1, 1)],
        waves: 1,
        critic_windows: vec![],
        notices: vec![],
    }
}

/// Events numbered and timed in order.
fn events(of: Vec<(Kind, &str, u32, Value)>) -> Vec<Event> {
    of.into_iter().enumerate().map(|(seq, (kind, key, attempt, body))| event(seq as u64, kind, key, attempt, body)).collect()
}

fn started_step(agent: &str) -> Value {
    json!({"input_hash": "h", "agent": agent, "label": "l", "dimension": "DEV", "scopes": ["UC-01"]})
}

#[test]
fn a_plan_shows_all_its_cells_as_waiting() {
    let plan = plan();
    let view = fold(&events(vec![(Kind::Fixed, "plan", 0, serde_json::to_value(&plan).unwrap())]));
    let keys: Vec<String> = plan.cells.iter().map(|cell| cell_key(&plan, cell).0).collect();
    assert_eq!(keys.len(), 3);
    let waiting = |label: &str, scope: &str| StepView {
        label: label.into(),
        dimension: "DEV".into(),
        scopes: vec![scope.into()],
        wave: 1,
        ..StepView::default()
    };
    assert_eq!(view.steps[&keys[0]], waiting("review/DEV/UC-01", "UC-01"));
    assert_eq!(view.steps[&keys[1]], waiting("review/DEV/UC-01/r2", "UC-01"));
    assert_eq!(view.steps[&keys[2]], waiting("review/DEV/PRD-global", "PRD-global"));
    assert_eq!(view.steps.len(), 3);
    assert_eq!(view.plan, Some(plan));
}

#[test]
fn a_plan_that_was_resumed_does_not_put_steps_back() {
    let plan = plan();
    let key = cell_key(&plan, &plan.cells[0]).0;
    let body = serde_json::to_value(&plan).unwrap();
    let view = fold(&events(vec![(Kind::StepDone, &key, 1, json!({"findings": 2})), (Kind::Fixed, "plan", 0, body)]));
    assert_eq!(view.steps[&key].state, StepState::Done { findings: 2, covered: true });
}

#[test]
fn a_step_goes_through_its_attempts() {
    let all = events(vec![
        (Kind::StepStarted, "critic/1", 1, started_step("script:x")),
        (Kind::AttemptFailed, "critic/1", 1, json!({"reason": "timed out", "class": "timeout", "final": false})),
        (Kind::StepStarted, "critic/1", 2, started_step("script:x")),
        (Kind::AttemptFailed, "critic/1", 1, json!({"reason": "cancelled", "class": "cancelled", "final": false})),
        (
            Kind::StepDone,
            "critic/1",
            2,
            json!({"input_hash": "h", "agent": "offline", "findings": 3, "answer": [], "usage": {"tokens_in": 1200, "tokens_out": 80}}),
        ),
        (Kind::AttemptFailed, "critic/1", 2, json!({"reason": "too late", "class": "x", "final": true})),
    ]);
    let states: Vec<StepState> = (1..=all.len()).map(|n| fold(&all[..n]).steps["critic/1"].state.clone()).collect();
    let done = StepState::Done { findings: 3, covered: true };
    assert_eq!(
        states,
        [
            StepState::Running,
            StepState::Failed { class: Some(FaultClass::Timeout), reason: "timed out".into(), waits: false },
            StepState::Running,
            StepState::Running,
            done.clone(),
            done,
        ]
    );
    let step = &fold(&all).steps["critic/1"];
    assert_eq!((step.usage.tokens_in, step.usage.tokens_out), (1200, 80));
    assert_eq!(
        (step.label.as_str(), step.dimension.as_str(), step.scopes.as_slice()),
        ("l", "DEV", ["UC-01".to_owned()].as_slice())
    );
    assert_eq!((step.attempts, step.agent.as_str()), (2, "offline"));
    assert_eq!((step.started_at.as_str(), step.ended_at.as_str()), (all[2].at.as_str(), all[4].at.as_str()));
    assert_eq!(fold(&all[..3]).steps["critic/1"].ended_at, "");
}

#[test]
fn a_hole_is_told_twice_and_counted_once() {
    let hole =
        json!({"step": "review/DEV/UC-01", "dimension": "DEV", "scopes": ["UC-01"], "reason": "refused", "by": "headless"});
    let other = json!({"step": "review/SA/UC-01", "dimension": "SA", "scopes": ["UC-01"], "reason": "empty answer"});
    let view = fold(&events(vec![
        (Kind::HoleAccepted, "review/DEV/UC-01@abcdef", 0, hole.clone()),
        (Kind::Fixed, "fan_out", 0, json!({"holes": [hole, other], "findings": 7})),
    ]));
    let steps: Vec<&str> = view.holes.iter().map(|hole| hole.step.as_str()).collect();
    assert_eq!(steps, ["review/DEV/UC-01", "review/SA/UC-01"]);
    assert_eq!(view.steps["review/DEV/UC-01@abcdef"].state, StepState::Hole { reason: "refused".into() });
    assert_eq!(view.unknown_kinds, Vec::<String>::new());
}

#[test]
fn rounds_convergence_and_settling_come_from_what_was_fixed() {
    let view = fold(&events(vec![
        (Kind::Fixed, "round/1", 0, json!({"round": 1, "new": ["a", "b"], "duplicates": [{"x": 1}], "dry": 0})),
        (Kind::Fixed, "round/2", 0, json!({"round": 2, "new": [], "duplicates": [], "dry": 1})),
        (
            Kind::Fixed,
            "convergence",
            0,
            json!({"rounds": 2, "new_per_round": [2, 0], "dry_rounds": 1, "converged": false, "stopped_by": "human"}),
        ),
        (Kind::Fixed, "settle", 0, json!({"proposal": {"findings": [], "dropped": []}, "record": {}})),
        (Kind::Fixed, "late/anything", 0, json!("whatever")),
    ]));
    assert_eq!(
        view.rounds,
        [RoundView { round: 1, new: 2, dry: 0, duplicates: 1 }, RoundView { round: 2, new: 0, dry: 1, duplicates: 0 }]
    );
    assert_eq!(view.convergence.unwrap().new_per_round, [2, 0]);
    assert!(view.proposal.is_some());
    assert_eq!(view.unknown_kinds, Vec::<String>::new());
}

#[test]
fn gates_open_take_records_close_and_open_again() {
    let record = json!({"op": "accept", "finding": "k1", "reason": "yes", "by": "An", "at": "2026-03-01T10:00:00.000Z"});
    let all = events(vec![
        (Kind::GateOpened, "gate/settle", 0, json!({"items": 4})),
        (Kind::GateRecord, "gate/settle", 0, record),
        (Kind::GateClosed, "gate/settle", 0, json!({"by": "person"})),
        (Kind::RunFinished, "", 0, json!({"exit": 0, "path": "/docs/prd.findings.yaml"})),
        (Kind::RunResumed, "", 0, json!({"accepted": [], "notices": []})),
        (Kind::GateReopened, "gate/settle", 0, json!({})),
    ]);
    let gate = |n: usize| fold(&all[..n]).gates["gate/settle"].clone();
    assert!(gate(2).open);
    assert!(matches!(&gate(2).records[0].op, Op::Accept { finding, .. } if finding.as_str() == "k1"));
    assert_eq!((gate(3).open, gate(3).closed_by), (false, Some(ClosedBy::Person)));
    assert!(fold(&all[..4]).finished);
    assert!(!fold(&all[..5]).finished, "a run that was taken up again has not ended");
    assert_eq!((gate(6).open, gate(6).closed_by, gate(6).records.len()), (true, None, 1));
    assert_eq!(fold(&all).written.as_deref(), Some("/docs/prd.findings.yaml"));
}

#[test]
fn a_pause_ends_with_the_resume_and_attempts_of_the_old_process_with_it() {
    let all = events(vec![
        (Kind::StepStarted, "review/DEV/UC-01@abcdef", 1, started_step("offline")),
        (Kind::StepDone, "review/SA/UC-01@abcdef", 1, json!({"findings": 1})),
        (Kind::RunPaused, "", 0, json!({"reason": "2 conflicts are open"})),
        (Kind::RunResumed, "", 0, json!({"accepted": [], "notices": []})),
    ]);
    assert_eq!(fold(&all[..3]).paused.as_deref(), Some("2 conflicts are open"));
    let view = fold(&all);
    assert_eq!(view.paused, None);
    assert_eq!(view.steps["review/DEV/UC-01@abcdef"].state, StepState::Waiting);
    assert_eq!(view.steps["review/DEV/UC-01@abcdef"].attempts, 1);
    assert_eq!(view.steps["review/SA/UC-01@abcdef"].state, StepState::Done { findings: 1, covered: true });
}

#[test]
fn a_step_that_waits_for_a_person_says_so_until_it_is_asked_again() {
    let failed = |last| json!({"reason": "declined", "class": "refused", "final": last});
    let state = |all: &[Event]| fold(all).steps["review/DEV/UC-01@abcdef"].state.clone();
    let all = events(vec![
        (Kind::StepStarted, "review/DEV/UC-01@abcdef", 1, started_step("offline")),
        (Kind::AttemptFailed, "review/DEV/UC-01@abcdef", 1, failed(true)),
        (Kind::RunResumed, "", 0, json!({})),
    ]);
    assert_eq!(state(&all[..2]), StepState::Failed { class: Some(FaultClass::Refused), reason: "declined".into(), waits: true });
    assert_eq!(
        state(&all),
        StepState::Failed { class: Some(FaultClass::Refused), reason: "declined".into(), waits: false },
        "nobody is asked in a new process yet"
    );
    let early = events(vec![(Kind::AttemptFailed, "review/DEV/UC-01@abcdef", 1, failed(false))]);
    assert_eq!(state(&early), StepState::Failed { class: Some(FaultClass::Refused), reason: "declined".into(), waits: false });
    assert_eq!(fold(&early).steps["review/DEV/UC-01@abcdef"].label, "review/DEV/UC-01", "named even without its start");
}

#[test]
fn an_agent_without_eyes_for_a_dimension_is_not_clean() {
    let done =
        |answer: Value| events(vec![(Kind::StepDone, "review/PO/UC-01@abcdef", 1, json!({"findings": 0, "answer": answer}))]);
    let state = |answer: Value| fold(&done(answer)).steps["review/PO/UC-01@abcdef"].state.clone();
    assert_eq!(state(json!("not_covered")), StepState::Done { findings: 0, covered: false });
    assert_eq!(state(json!({"findings": []})), StepState::Done { findings: 0, covered: true });
}

#[test]
fn a_refill_takes_back_what_was_made_of_a_held_step() {
    let held = |key: &str, label: &str, dimension: &str| {
        let body = json!({"reason": "the cap is reached", "class": "capped", "label": label, "dimension": dimension,
            "scopes": ["UC-01"], "input_hash": "h"});
        (Kind::StepHeld, key.to_owned(), body)
    };
    let fixed = |key: &str, body: Value| (Kind::Fixed, key.to_owned(), body);
    let round = |round: u32| fixed(&format!("round/{round}"), json!({"round": round, "new": [], "dry": round}));
    let record = json!({"op": "accept", "finding": "k1", "reason": "yes", "by": "An", "at": "2026-03-01T10:00:00.000Z"});
    let ended = json!({"rounds": 2, "new_per_round": [0, 0], "dry_rounds": 2, "converged": true, "stopped_by": "dry"});
    let gate = |kind: Kind, key: &str, body: Value| (kind, key.to_owned(), body);
    let all: Vec<Event> = [
        round(1),
        gate(Kind::GateOpened, "gate/round/1", json!({})),
        gate(Kind::GateClosed, "gate/round/1", json!({"by": "itself"})),
        held("arbiter/5f2c/ab", "arbiter/5f2c/ab", "arbiter"),
        held("arbiter/5f2c/ba", "arbiter/5f2c/ba", "arbiter"),
        round(2),
        fixed("convergence", ended),
        fixed("settle", json!({"proposal": {"findings": [], "dropped": []}, "record": {}})),
        gate(Kind::GateOpened, "gate/settle", json!({})),
        gate(Kind::GateRecord, "gate/settle", record),
        gate(Kind::GateClosed, "gate/settle", json!({"by": "person"})),
        gate(Kind::StepDone, "write/findings", json!({"answer": {"path": "/docs/x.yaml"}})),
        gate(Kind::RunFinished, "", json!({"exit": 4, "path": "/docs/x.yaml"})),
        gate(Kind::RunResumed, "", json!({"refill": true})),
        gate(Kind::GateOpened, "gate/settle", json!({})),
    ]
    .into_iter()
    .enumerate()
    .map(|(seq, (kind, key, body))| event(seq as u64, kind, &key, 0, body))
    .collect();
    let before = fold(&all[..13]);
    let holes: Vec<&str> = before.holes.iter().map(|hole| hole.step.as_str()).collect();
    assert_eq!(holes, ["arbiter"], "both orders are one hole");
    assert_eq!((before.rounds.len(), before.finished, before.convergence.is_some()), (2, true, true));
    let mut plain = all[13].clone();
    plain.body = json!({}).into();
    let mut resumed = all[..13].to_vec();
    resumed.push(plain);
    let resumed = fold(&resumed);
    assert_eq!((resumed.rounds.len(), resumed.holes.len(), resumed.proposal.is_some()), (2, 1, true), "nothing is filled");
    let after = fold(&all[..14]);
    assert_eq!(after.rounds.iter().map(|round| round.round).collect::<Vec<_>>(), [1]);
    assert_eq!((after.finished, after.convergence, after.proposal.is_some(), after.holes.len()), (false, None, false, 0));
    for key in ["arbiter/5f2c/ab", "arbiter/5f2c/ba", "write/findings"] {
        assert_eq!(after.steps[key].state, StepState::Waiting, "{key}");
    }
    let gate = &after.gates["gate/settle"];
    assert_eq!((gate.open, gate.closed_by, gate.records.len()), (false, None, 1));
    assert_eq!(after.gates["gate/round/1"].closed_by, Some(ClosedBy::Itself), "it was met before");
    let again = &fold(&all).gates["gate/settle"];
    assert_eq!((again.open, again.records.len()), (true, 1));
}

fn raw(severity: &str, words: &str) -> Value {
    json!({"severity": severity, "section": "Flow", "uc_id": "UC-01", "quote": "in a few days", "finding": words, "line": 7})
}

#[test]
fn the_feed_holds_findings_in_the_order_of_their_arrival() {
    let keyed = json!({
        "key": "k3", "id": "", "dimension": "DEV", "found_by": ["critic/1"], "severity": "critical", "section": "Rules", "uc_id": "",
        "line": 0, "finding": "third", "quote": "",
    });
    let record = |op: Value| {
        let mut record = op;
        (record["by"], record["at"]) = ("An".into(), "2026-03-01T10:01:00.000Z".into());
        record
    };
    let answer = |raws: Value| json!({"findings": 1, "answer": {"findings": raws}});
    let all = events(vec![
        (Kind::StepDone, "before/P0", 1, answer(json!([raw("info", "first")]))),
        (Kind::StepDone, "review/DEV/UC-01@abcdef", 1, answer(json!([raw("major", "second"), raw("hoch", "odd")]))),
        (Kind::StepDone, "review/SA/UC-01@abcdef", 1, json!({"findings": 0, "answer": "not_covered"})),
        (Kind::StepDone, "critic/1", 1, answer(json!([raw("critical", "third"), raw("minor", "second")]))),
        (Kind::Fixed, "round/1", 0, json!({"round": 1, "new": [keyed], "duplicates": [[{}, "k2"]], "dry": 0})),
        (Kind::GateRecord, "gate/round/1", 0, record(json!({"op": "add", "finding": raw("minor", "by hand")}))),
        (Kind::GateRecord, "gate/round/1", 0, record(json!({"op": "undo"}))),
        (Kind::GateRecord, "gate/round/1", 0, record(json!({"op": "redo"}))),
        (Kind::GateRecord, "gate/settle", 0, record(json!({"op": "add", "finding": raw("minor", "too late")}))),
    ]);
    let words = |n: usize| fold(&all[..n]).feed.into_iter().map(|found| found.finding).collect::<Vec<_>>();
    assert_eq!(words(4), ["first", "second", "odd"], "the critic's are told once, by the round");
    assert_eq!(words(6), ["first", "second", "odd", "third", "by hand"]);
    assert_eq!(words(7), ["first", "second", "odd", "third"]);
    assert_eq!(words(9), words(6));
    let view = fold(&all);
    assert_eq!(view.unknown_kinds, Vec::<String>::new());
    let told: Vec<_> = view
        .feed
        .iter()
        .map(|found| {
            (found.step.as_str(), found.severity.as_str(), found.line, found.key.as_ref().map(|key| key.as_str()), found.round)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("before/P0", "minor", 7, None, None),
            ("review/DEV/UC-01", "major", 7, None, None),
            ("review/DEV/UC-01", "hoch", 7, None, None),
            ("critic/1", "critical", 0, Some("k3"), Some(1)),
            ("human", "minor", 7, None, Some(1)),
        ]
    );
    assert_eq!((view.feed[1].at.as_str(), view.feed[4].at.as_str()), (all[1].at.as_str(), "2026-03-01T10:01:00.000Z"));
    let second = &view.feed[1];
    assert_eq!((second.section.as_str(), second.uc_id.as_str(), second.quote.as_str()), ("Flow", "UC-01", "in a few days"));
}

#[test]
fn the_written_file_is_known_from_its_step() {
    let answer = json!({"findings": 0, "agent": "", "answer": {"path": "/docs/x.yaml", "hash": "h"}});
    let view = fold(&events(vec![(Kind::StepDone, "write/findings", 1, answer)]));
    assert_eq!(view.written.as_deref(), Some("/docs/x.yaml"));
    let paused = fold(&events(vec![(Kind::RunFinished, "", 0, json!({"exit": 7, "path": ""}))]));
    assert_eq!((paused.written, paused.finished), (None, true));
}

#[test]
fn the_header_and_the_times_come_from_the_records() {
    let mut first = event(0, Kind::RunStarted, "", 0, started(RUN).body);
    first.at = "2026-01-01T00:00:00.000Z".into();
    let view = fold(&[first, event(7, Kind::Fixed, "x", 0, json!(null))]);
    assert_eq!(view.header.unwrap().run, RUN);
    assert_eq!(view.started_at, "2026-01-01T00:00:00.000Z");
    assert_eq!(view.last_at, "2026-03-01T10:00:07.000Z");
}

#[test]
fn what_this_version_cannot_read_is_shown_and_changes_nothing_else() {
    let view = fold(&events(vec![
        (Kind::Unknown("step_dreamt".into()), "x", 0, json!({})),
        (Kind::Unknown("step_dreamt".into()), "y", 0, json!({})),
        (Kind::Fixed, "plan", 0, json!({"recipe": 3})),
        (Kind::GateRecord, "gate/settle", 0, json!({"op": "sing"})),
    ]));
    assert_eq!(view.unknown_kinds, ["step_dreamt", "fixed plan (unreadable body)", "gate_record gate/settle (unreadable body)"]);
    assert_eq!(RunView { unknown_kinds: vec![], last_at: String::new(), ..view }, RunView::default());
}

#[test]
fn a_history_steps_back_to_any_moment() {
    let n = 2 * CHECKPOINT_EVERY + 5;
    let all: Vec<Event> = (0..n as u64)
        .map(|seq| {
            let key = format!("critic/{}", seq % 7);
            match seq % 3 {
                0 => event(seq, Kind::StepStarted, &key, 0, started_step("offline")),
                1 => event(seq, Kind::StepDone, &key, 0, json!({"findings": seq})),
                _ => event(seq, Kind::RunResumed, "", 0, json!({})),
            }
        })
        .collect();
    let history = History::new(all.clone());
    let near = |at: usize| [at.saturating_sub(1), at, at + 1];
    for at in [0, 500, CHECKPOINT_EVERY, 2 * CHECKPOINT_EVERY, n].into_iter().flat_map(near) {
        assert_eq!(history.at(at), fold(&all[..at.min(n)]), "after {at} events");
    }
    assert_eq!(*history.now(), fold(&all));
    assert_eq!(history.events(), all);
}

fn any_body() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(serde_json::to_value(plan()).unwrap()),
        Just(json!({"buckets": [[9]], "cells": [{"dimension": "DEV", "bucket": 7, "replica": 1, "wave": 1}]})),
    ];
    let field = prop::sample::select(vec![
        "reason",
        "findings",
        "answer",
        "path",
        "agent",
        "holes",
        "by",
        "round",
        "new",
        "dry",
        "usage",
        "duplicates",
        "label",
        "final",
        "refill",
    ]);
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((field.clone(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())),
        ]
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    let word = prop::sample::select(vec![
        "run_started",
        "run_resumed",
        "fixed",
        "step_started",
        "attempt_failed",
        "step_done",
        "step_held",
        "hole_accepted",
        "gate_opened",
        "gate_record",
        "gate_closed",
        "gate_reopened",
        "run_paused",
        "run_finished",
        "step_dreamt",
    ]);
    let key = prop::sample::select(vec![
        "",
        "plan",
        "fan_out",
        "round/1",
        "convergence",
        "settle",
        "write/findings",
        "critic/1",
        "before/P0",
        "gate/round/1",
    ]);
    (word, key, any::<u32>(), any_body()).prop_map(|(word, key, attempt, body)| {
        let kind = serde_json::from_value(word.into()).unwrap();
        event(0, kind, key, attempt, body)
    })
}

proptest! {
    /// Bodies are untrusted: any of them folds, and the incremental fold agrees with the whole one.
    #[test]
    fn any_events_fold(all in prop::collection::vec(any_event(), 0..30)) {
        let mut step = Fold::default();
        for (n, event) in all.iter().enumerate() {
            step.apply(event);
            prop_assert_eq!(&step.view, &fold(&all[..=n]));
        }
    }

    /// A plan out of a damaged record may point nowhere.
    #[test]
    fn any_plan_has_keys(buckets in prop::collection::vec(prop::collection::vec(0_usize..9, 0..4), 0..4), bucket in 0_usize..9) {
        let mut plan = Plan { buckets, ..plan() };
        plan.cells[0].bucket = bucket;
        let view = fold(&events(vec![(Kind::Fixed, "plan", 0, serde_json::to_value(&plan).unwrap())]));
        prop_assert!(view.steps.contains_key(&cell_key(&plan, &plan.cells[0]).0));
    }
}
