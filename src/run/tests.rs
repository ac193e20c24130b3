use super::*;
use crate::model::gate::Op;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};

struct TestClock;

impl Clock for TestClock {
    fn now(&self) -> String {
        "2026-01-01T00:00:00.000Z".into()
    }
}

/// Leaves the scripted records at every gate, then ends as scripted.
struct TestHuman {
    ops: Vec<Op>,
    end: fn() -> GateEnd,
}

impl Human for TestHuman {
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async move {
            for op in &self.ops {
                desk.record(op.clone(), "tester").await?;
            }
            Ok((self.end)())
        })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { HoleEnd::Accept { by: "headless".into() } })
    }
}

fn run_with(store: &MemoryStore, human: TestHuman) -> Run {
    let events = store.events();
    Run::new(Box::new(store.clone()), &events, Arc::new(TestClock), Arc::new(human), Box::new(|_| {}))
}

fn run(store: &MemoryStore) -> Run {
    run_with(store, TestHuman { ops: Vec::new(), end: || GateEnd::Passed })
}

fn spec(key: &str, wave: u32) -> StepSpec {
    StepSpec { key: key.into(), input_hash: "h".into(), label: key.into(), wave, ..StepSpec::default() }
}

fn answer(value: serde_json::Value) -> Result<Attempt, AgentFault> {
    Ok(Attempt { answer: value.into(), agent: "test".into(), ..Attempt::default() })
}

fn done(value: impl serde::Serialize) -> Outcome {
    Outcome::Done(Body::of(&value).expect("JSON"))
}

fn failure() -> Result<Attempt, AgentFault> {
    Err(AgentFault::new(FaultClass::Timeout, "too slow"))
}

fn kinds(store: &MemoryStore) -> Vec<String> {
    store.events().iter().map(|event| format!("{} {}", event.kind.word(), event.key).trim().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_fixed_result_is_computed_once_and_read_back() {
    let store = MemoryStore::default();
    assert_eq!(run(&store).fix("plan", || vec![1, 2]).await.expect("fixed"), [1, 2]);
    let again: Vec<i32> = run(&store).fix("plan", || panic!("computed again")).await.expect("read back");
    assert_eq!(again, [1, 2]);
    assert_eq!(kinds(&store), ["fixed plan"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_ends_an_attempt_and_only_spent_retries_make_a_hole() {
    let store = MemoryStore::default();
    let run = run(&store);
    let second =
        run.step(spec("a", 1), |_, attempt, _| async move { if attempt < 3 { failure() } else { answer(json!(attempt)) } });
    assert_eq!(second.await.expect("a step"), done(3));
    let hole = run.step(spec("b", 1), |_, _, _| async { failure() }).await.expect("a step");
    assert_eq!(hole, Outcome::Hole("too slow".into()));
    let failed = store.events().iter().filter(|event| event.kind == Kind::AttemptFailed && event.key == "b").count();
    assert_eq!(failed as u32, MAX_FAILURES);
    assert_eq!(kinds(&store).last().expect("events"), "hole_accepted b");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_never_answers_fails_at_its_deadline() {
    let store = MemoryStore::default();
    let hung = |_, attempt: u32, _| async move {
        if attempt == 1 {
            std::future::pending::<()>().await;
        }
        answer(json!("late"))
    };
    assert_eq!(run(&store).step(spec("a", 1), hung).await.expect("a step"), done("late"));
    assert!(kinds(&store).contains(&"attempt_failed a".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_wave_starts_together_and_the_next_one_when_it_has_ended() {
    let store = MemoryStore::default();
    let specs = vec![spec("a", 1), spec("b", 1), spec("c", 2)];
    let slow_first = |spec: StepSpec, _, _| async move {
        tokio::time::sleep(Duration::from_secs(if spec.key == "a" { 5 } else { 1 })).await;
        answer(json!(spec.key))
    };
    let outcomes = run(&store).fan_out(specs, slow_first).await.expect("outcomes");
    assert_eq!(outcomes, ["a", "b", "c"].map(done));
    let order = ["step_started a", "step_started b", "step_done b", "step_done a", "step_started c", "step_done c"];
    assert_eq!(kinds(&store), order);
}

#[tokio::test(start_paused = true)]
async fn recorded_steps_answer_without_being_asked_again() {
    let store = MemoryStore::default();
    let asked = Arc::new(AtomicU32::new(0));
    for _ in 0..2 {
        let asked = Arc::clone(&asked);
        let count = move |spec: StepSpec, _, _| {
            asked.fetch_add(1, Ordering::SeqCst);
            async move { answer(json!(spec.key)) }
        };
        let outcomes = run(&store).fan_out(vec![spec("a", 1), spec("b", 1)], count).await.expect("outcomes");
        assert_eq!(outcomes.len(), 2);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(store.events().len(), 4, "nothing is emitted again");
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_step_goes_on_with_the_next_attempt_and_its_failures_count() {
    let store = MemoryStore::default();
    run(&store).step(spec("a", 1), |_, _, _| async { answer(json!(1)) }).await.expect("a step");
    let mut events = store.events();
    events.truncate(1);
    let mut failed = events[0].clone();
    (failed.seq, failed.kind) = (1, Kind::AttemptFailed);
    events.push(failed);
    let store = MemoryStore::holding(events);
    let outcome = run(&store).step(spec("a", 1), |_, _, _| async { failure() }).await.expect("a step");
    assert_eq!(outcome, Outcome::Hole("too slow".into()));
    let attempts: Vec<u32> =
        store.events().iter().filter(|event| event.kind == Kind::StepStarted).map(|event| event.attempt).collect();
    assert_eq!(attempts, [1, 2, 3], "one failure was recorded, two more spend the retries");
}

#[tokio::test(start_paused = true)]
async fn the_first_difference_to_the_record_names_seq_recorded_and_attempted() {
    let store = MemoryStore::default();
    run(&store).fix("plan", || 1).await.expect("fixed");
    run(&store).fix("plan", || 1).await.expect("fixed");
    let other_key = run(&store).fix("settle", || 1).await.expect_err("a mismatch");
    assert_eq!(other_key.kind, FaultKind::Refused);
    assert!(other_key.what.contains("record 0 is plan") && other_key.what.contains("settle is attempted"), "{}", other_key.what);

    let store = MemoryStore::default();
    run(&store).step(spec("a", 1), |_, _, _| async { answer(json!(1)) }).await.expect("a step");
    let changed = StepSpec { input_hash: "other".into(), ..spec("a", 1) };
    let other_input = run(&store).step(changed, |_, _, _| async { answer(json!(1)) }).await.expect_err("a mismatch");
    assert!(other_input.what.contains("a with input h") && other_input.what.contains("input other"), "{}", other_input.what);

    let never_asked = run(&store).finished(0, "").await.expect_err("a mismatch");
    assert!(never_asked.what.contains("the end of the run"), "{}", never_asked.what);
}

#[tokio::test(start_paused = true)]
async fn a_gate_returns_its_ledger_once_and_never_asks_twice() {
    let store = MemoryStore::default();
    let stop = Op::Stop { reason: "enough".into() };
    let human = TestHuman { ops: vec![stop.clone()], end: || GateEnd::Closed };
    let subject = GateSubject::Round { round: 1, new: Arc::default(), dry: 0 };
    let records = run_with(&store, human).gate("gate/round/1", "h", 0, &subject).await.expect("records");
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].op.clone(), records[0].by.as_str()), (stop, "tester"));
    let before = store.events();
    let again = run(&store).gate("gate/round/1", "h", 0, &subject).await.expect("records");
    assert_eq!(again, records);
    assert_eq!(store.events(), before);
}

#[tokio::test(start_paused = true)]
async fn a_gate_without_its_person_pauses_the_run_and_keeps_the_records() {
    let store = MemoryStore::default();
    let absent = || GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, "2 conflicts are open", ""));
    let human = TestHuman { ops: vec![Op::Stop { reason: "draft".into() }], end: absent };
    let subject = GateSubject::Round { round: 1, new: Arc::default(), dry: 0 };
    let fault = run_with(&store, human).gate("gate/round/1", "h", 2, &subject).await.expect_err("nobody is here");
    assert_eq!(fault.kind, FaultKind::NeedsPerson);
    assert_eq!(kinds(&store), ["gate_opened gate/round/1", "gate_record gate/round/1", "run_paused"]);
    let records = run(&store).gate("gate/round/1", "h", 2, &subject).await.expect("records");
    assert_eq!(records.len(), 1, "the first process's record counts");
    assert_eq!(kinds(&store).iter().filter(|kind| kind.starts_with("gate_opened")).count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_reopened_gate_makes_what_followed_history() {
    let store = MemoryStore::default();
    let subject = GateSubject::Round { round: 1, new: Arc::default(), dry: 0 };
    let first = run(&store);
    first.gate("gate/settle", "h", 0, &subject).await.expect("records");
    first.fix("outcome", || 1).await.expect("fixed");
    first.emit(vec![Draft::new(Kind::GateReopened, "gate/settle", json!({}))]).await.expect("recorded");
    let again = run(&store);
    again.gate("gate/settle", "h", 0, &subject).await.expect("records");
    assert_eq!(again.fix("outcome", || 2).await.expect("fixed"), 2);
}

#[tokio::test(start_paused = true)]
async fn an_effect_is_performed_until_it_succeeds_and_then_never_again() {
    let store = MemoryStore::default();
    let refused = || async { Err(Fault::new(FaultKind::Io, "no space", "")) };
    let fault = run(&store).effect("write/findings", "h", refused).await.expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::Io);
    let written = run(&store).effect("write/findings", "h", || async { Ok(json!("x").into()) }).await.expect("written");
    assert_eq!(written.text(), "\"x\"");
    let again = run(&store).effect("write/findings", "h", || async { panic!("performed again") }).await.expect("recorded");
    assert_eq!(again, written);
}
