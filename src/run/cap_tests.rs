//! Caps: what is reserved before it starts, what is held up, and what is left of it all in a later process.

use super::*;
use crate::model::estimate::Reserve;
use proptest::prelude::*;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::time::Instant;

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> String {
        "2026-01-01T00:00:00.000Z".into()
    }
}

struct Nobody;

impl Human for Nobody {
    fn at_gate<'a>(&'a self, _desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async { Ok(GateEnd::Passed) })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { HoleEnd::Accept { by: "headless".into() } })
    }
}

fn run(store: &MemoryStore, caps: Caps) -> Run {
    let events = store.events();
    Run::new(Box::new(store.clone()), &events, Arc::new(StillClock), Arc::new(Nobody), Box::new(|_| {})).with_caps(caps)
}

fn tokens(cap: u64) -> Caps {
    Caps { tokens: Some(cap), ..Caps::default() }
}

fn spec(key: &str, tokens: u64) -> StepSpec {
    let reserve = Reserve { tokens, cost_micros: None };
    StepSpec {
        key: key.into(),
        input_hash: "h".into(),
        label: key.into(),
        agent: "m".into(),
        wave: 1,
        reserve,
        ..StepSpec::default()
    }
}

fn costs(tokens_in: u64) -> Usage {
    Usage { tokens_in, ..Usage::default() }
}

fn answer(tokens_in: u64) -> Result<Attempt, AgentFault> {
    Ok(Attempt { answer: json!("x").into(), agent: "m".into(), usage: costs(tokens_in), ..Attempt::default() })
}

fn failure(class: FaultClass, tokens_in: u64) -> Result<Attempt, AgentFault> {
    Err(AgentFault { usage: costs(tokens_in), ..AgentFault::new(class, "declined") })
}

fn kinds(store: &MemoryStore) -> Vec<String> {
    store.events().iter().map(|event| format!("{} {}", event.kind.word(), event.key)).collect()
}

fn is_held(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Held(_))
}

async fn all(run: &Run, specs: Vec<StepSpec>, takes: u64) -> Vec<Outcome> {
    run.fan_out(specs, move |_, _, _| async move { answer(takes) }).await.expect("outcomes")
}

#[tokio::test(start_paused = true)]
async fn steps_start_as_far_as_reserves_fit_and_wait_for_what_others_give_back() {
    let store = MemoryStore::default();
    let run = run(&store, tokens(100));
    let specs = ["a", "b", "c", "d"].map(|key| spec(key, 40)).to_vec();
    let slow = |spec: StepSpec, _, _| async move {
        tokio::time::sleep(Duration::from_secs(if spec.key == "a" { 1 } else { 2 })).await;
        answer(25)
    };
    let outcomes = run.fan_out(specs, slow).await.expect("outcomes");
    // 25 + 25 + 25 are spent, and 40 more would be 115.
    assert_eq!(outcomes.iter().map(is_held).collect::<Vec<_>>(), [false, false, false, true]);
    let order =
        ["step_started a", "step_started b", "step_done a", "step_done b", "step_started c", "step_done c", "step_held d"];
    let told: Vec<String> = kinds(&store);
    assert_eq!(told.len(), order.len(), "{told:?}");
    assert_eq!(told[..3], order[..3]);
    let body = store.events().last().expect("events").body.value();
    assert_eq!(body["class"], "capped");
    assert_eq!(body["reason"], "the cap of 100 tokens is reached: 75 are spent, and the next step takes up to 40");
    assert_eq!((body["label"].as_str(), body["input_hash"].as_str()), (Some("d"), Some("h")));
    assert_eq!(store.events()[0].body.value()["reserve"]["tokens"], 40);
    assert_eq!(run.accounts().total().usage.tokens(), 75);
    assert!(Run::held(&store.events()));
}

#[tokio::test(start_paused = true)]
async fn after_one_that_does_not_fit_nothing_starts_but_what_is_free() {
    let store = MemoryStore::default();
    let run = run(&store, tokens(100));
    let outcomes = all(&run, vec![spec("a", 50), spec("large", 90), spec("small", 1), spec("free", 0)], 40).await;
    assert_eq!(outcomes.iter().map(is_held).collect::<Vec<_>>(), [false, true, true, false]);
    assert_eq!(all(&run, vec![spec("later", 1)], 1).await.iter().filter(|one| is_held(one)).count(), 1);
    assert_eq!(run.accounts().agents["m"].calls, 2);
}

#[tokio::test(start_paused = true)]
async fn a_further_attempt_reserves_again_and_is_held_where_it_does_not_fit() {
    let store = MemoryStore::default();
    let run = run(&store, tokens(100));
    let outcome = run.step(spec("a", 60), |_, _, _| async { failure(FaultClass::Broken, 50) }).await.expect("a step");
    assert_eq!(outcome, Outcome::Held("the cap of 100 tokens is reached: 50 are spent, and the next step takes up to 60".into()));
    assert_eq!(kinds(&store), ["step_started a", "attempt_failed a", "step_held a"]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_has_spent_its_retries_is_not_asked_again() {
    let store = MemoryStore::default();
    let spent = |_, _, _| async { Err(AgentFault { spent: true, ..AgentFault::new(FaultClass::Quota, "no credit") }) };
    let outcome = run(&store, Caps::default()).step(spec("a", 10), spent).await.expect("a step");
    assert_eq!(outcome, Outcome::Hole("no credit".into()));
    assert_eq!(kinds(&store), ["step_started a", "attempt_failed a", "hole_accepted a"]);
}

#[tokio::test(start_paused = true)]
async fn a_step_may_have_a_deadline_of_its_own_and_what_nobody_saw_end_counts_whole() {
    let store = MemoryStore::default();
    let spec = StepSpec { deadline: Some(Duration::from_secs(1_000)), ..spec("a", 60) };
    let began = Instant::now();
    let run = run(&store, tokens(100));
    let outcome = run.step(spec, |_, _, _| std::future::pending()).await.expect("a step");
    assert_eq!(began.elapsed().as_secs(), 1_000);
    assert!(is_held(&outcome), "its 60 may have been charged: {outcome:?}");
    assert_eq!(store.events()[1].body.value()["unknown"]["tokens"], 60);
    assert_eq!(store.events()[1].body.value()["reason"], "no answer within 1000 s");
}

#[tokio::test(start_paused = true)]
async fn at_the_time_cap_what_costs_is_told_to_stop_and_what_is_done_is_kept() {
    let store = MemoryStore::default();
    let began = Instant::now();
    let caps = Caps { until: Some(began + Duration::from_secs(60)), ..Caps::default() };
    let specs = ["quick", "obeys", "deaf", "just"].map(|key| spec(key, 10)).into_iter().chain([spec("free", 0)]).collect();
    let make = |spec: StepSpec, _, cancel: CancellationToken| async move {
        match spec.key.as_str() {
            "quick" => answer(3),
            "obeys" => {
                cancel.cancelled().await;
                failure(FaultClass::Cancelled, 4)
            }
            "just" => {
                cancel.cancelled().await;
                answer(5)
            }
            "deaf" => std::future::pending().await,
            _ => {
                tokio::time::sleep(Duration::from_secs(300)).await;
                if cancel.is_cancelled() { failure(FaultClass::Failed, 0) } else { answer(0) }
            }
        }
    };
    let run = run(&store, caps);
    let outcomes = run.fan_out(specs, make).await.expect("outcomes");
    assert_eq!(outcomes.iter().map(is_held).collect::<Vec<_>>(), [false, true, true, false, false]);
    assert_eq!(outcomes[1], Outcome::Held("the cap on time is reached: nothing new is asked".into()));
    let failed = |key: &str| {
        let events = store.events();
        let event = events.iter().find(|event| event.kind == Kind::AttemptFailed && event.key == key).expect(key);
        event.body.value()
    };
    assert_eq!((failed("obeys")["class"].as_str(), failed("obeys")["usage"]["tokens_in"].as_u64()), (Some("capped"), Some(4)));
    assert_eq!((failed("deaf")["class"].as_str(), failed("deaf")["unknown"]["tokens"].as_u64()), (Some("capped"), Some(10)));
    assert!(is_held(&run.step(spec("later", 1), |_, _, _| async { answer(1) }).await.expect("a step")));
    assert_eq!(run.accounts().total().usage.tokens(), 3 + 4 + 5);
}

#[tokio::test(start_paused = true)]
async fn a_kill_counts_what_was_reserved_and_a_plain_resume_leaves_held_steps_held() {
    let store = MemoryStore::default();
    all(&run(&store, tokens(100)), vec![spec("a", 60), spec("b", 60)], 60).await;
    let events = store.events();
    assert_eq!(kinds(&store), ["step_started a", "step_done a", "step_held b"]);
    // Nothing is emitted, whatever the cap is now.
    let again = all(&run(&store, Caps::default()), vec![spec("a", 60), spec("b", 60)], 1).await;
    assert_eq!(again.iter().map(is_held).collect::<Vec<_>>(), [false, true]);
    assert_eq!(store.events(), events);
    // A process that was killed while it asked: the answer may have been charged.
    let killed = MemoryStore::holding(events[..1].to_vec());
    let outcomes = all(&run(&killed, tokens(100)), vec![spec("a", 60), spec("b", 60)], 60).await;
    assert!(outcomes.iter().all(is_held));
    let killed = MemoryStore::holding(events[..1].to_vec());
    let outcomes = all(&run(&killed, tokens(180)), vec![spec("a", 60), spec("b", 60)], 60).await;
    assert_eq!(outcomes.iter().map(is_held).collect::<Vec<_>>(), [false, false], "60 lost and twice 60");
}

#[tokio::test(start_paused = true)]
async fn a_latch_outlives_its_process_until_the_run_is_filled() {
    let store = MemoryStore::default();
    all(&run(&store, tokens(100)), vec![spec("large", 200)], 1).await;
    assert!(is_held(&all(&run(&store, Caps::default()), vec![spec("large", 200), spec("next", 1)], 1).await[1]));
    run(&store, Caps::default()).emit(vec![Draft::new(Kind::RunResumed, "", json!({ "refill": true }))]).await.expect("recorded");
    assert!(!Run::held(&store.events()));
    let filled = all(&run(&store, tokens(500)), vec![spec("large", 200), spec("next", 1)], 1).await;
    assert!(!filled.iter().any(is_held), "{filled:?}");
    // Another process finds everything where it is now.
    assert_eq!(all(&run(&store, tokens(0)), vec![spec("large", 200), spec("next", 1)], 9).await, filled);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_keeps_what_the_attempt_had_cost() {
    let store = MemoryStore::default();
    let run = run(&store, Caps::default());
    let canceller = run.clone();
    let make = move |_, _, cancel: CancellationToken| {
        canceller.cancel("a");
        async move {
            cancel.cancelled().await;
            failure(FaultClass::Cancelled, 9)
        }
    };
    assert_eq!(run.step(spec("a", 10), make).await.expect("a step"), Outcome::Hole("cancelled by a person".into()));
    assert_eq!(run.accounts().failed.usage.tokens(), 9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any steps, costs, failures and cap: what is spent stays within it, and nothing that costs starts after one is held.
    #[test]
    fn any_run_stays_within_its_cap(
        cap in 0_u64..600,
        steps in prop::collection::vec((0_u64..120, 0_u64..=100, 1_u64..20, 0_u32..3), 1..14),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
        let store = MemoryStore::default();
        let run = run(&store, tokens(cap));
        let specs: Vec<StepSpec> = steps.iter().enumerate().map(|(n, step)| spec(&n.to_string(), step.0)).collect();
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let script = steps.clone();
        let make = move |spec: StepSpec, attempt: u32, _| {
            count.fetch_add(1, Ordering::SeqCst);
            let (reserves, share, seconds, failures) = script[spec.key.parse::<usize>().unwrap_or(0)];
            async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                let takes = reserves * share / 100;
                if attempt <= failures { failure(FaultClass::Broken, takes) } else { answer(takes.max(1).min(reserves)) }
            }
        };
        let outcomes = runtime.block_on(run.fan_out(specs, make)).expect("outcomes");
        prop_assert!(run.accounts().total().usage.tokens() <= cap);
        let events = store.events();
        let first_held = events.iter().position(|event| event.kind == Kind::StepHeld).unwrap_or(events.len());
        let late = events[first_held..].iter().filter(|event| event.kind == Kind::StepStarted);
        prop_assert_eq!(late.filter(|event| !event.body.value()["reserve"].is_null()).count(), 0);
        let starts = events.iter().filter(|event| event.kind == Kind::StepStarted).count();
        prop_assert_eq!(asked.load(Ordering::SeqCst) as usize, starts);
        // At no moment is more reserved than the cap leaves.
        for n in 0..=events.len() {
            prop_assert!(super::budget::Budget::read(&events[..n], None).counted().tokens <= cap);
        }
        prop_assert_eq!(outcomes.iter().any(is_held), Run::held(&events));
    }
}
