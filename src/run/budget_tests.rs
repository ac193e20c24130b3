use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn event(kind: Kind, key: &str, body: Value) -> Event {
    Event { v: 1, seq: 0, prev: String::new(), at: String::new(), kind, key: key.into(), attempt: 1, body: body.into() }
}

fn reserve(tokens: u64) -> Reserve {
    Reserve { tokens, cost_micros: Some(tokens * 2) }
}

fn started(key: &str, tokens: u64) -> Event {
    event(Kind::StepStarted, key, json!({ "reserve": reserve(tokens) }))
}

fn done(key: &str, tokens_in: u64) -> Event {
    event(Kind::StepDone, key, json!({ "usage": { "tokens_in": tokens_in, "cost_micros": tokens_in * 2 } }))
}

#[test]
fn money_reads_as_money() {
    for (micros, shown) in
        [(0, "0.00"), (1_250_000, "1.25"), (400, "0.0004"), (5, "0.000005"), (12_000_000, "12.00"), (1_500_000, "1.50")]
    {
        assert_eq!(money(micros), shown);
    }
}

#[test]
fn what_ended_counts_as_it_cost_and_what_nobody_saw_end_as_it_reserved() {
    let failed = |key: &str, body: Value| event(Kind::AttemptFailed, key, body);
    for (events, tokens, why) in [
        (vec![started("a", 100), done("a", 30)], 30, "an answer costs what it cost"),
        (vec![started("a", 100), event(Kind::StepDone, "a", json!({ "answer": [] }))], 100, "a server that does not say"),
        (vec![started("a", 100), failed("a", json!({}))], 0, "a failure that says nothing"),
        (vec![started("a", 100), failed("a", json!({ "usage": { "tokens_in": 7 } }))], 7, "a failure that cost something"),
        (vec![started("a", 100), failed("a", json!({ "unknown": reserve(100) }))], 100, "nobody saw its end"),
        (vec![started("a", 100)], 100, "the process was killed"),
        (vec![started("a", 100), started("a", 100), done("a", 30)], 130, "killed, and asked again"),
        (vec![event(Kind::StepStarted, "a", json!({})), event(Kind::StepDone, "a", json!(3))], 0, "free"),
    ] {
        assert_eq!(Budget::read(&events, None).counted().tokens, tokens, "{why}");
    }
    let no_price = [started("a", 100), event(Kind::StepDone, "a", json!({ "usage": { "tokens_in": 7 } }))];
    assert_eq!(Budget::read(&no_price, None).counted().cost_micros, Some(200), "the reserve's price stands in");
}

#[tokio::test(start_paused = true)]
async fn refusals_name_the_cap_what_is_spent_and_what_it_takes() {
    let now = Instant::now();
    let refused = |caps: Caps, reserve: Reserve| {
        let mut budget = Budget::read(&[started("a", 100), done("a", 60)], None);
        budget.caps = caps;
        match budget.admit("b", reserve, now) {
            Admission::Refused(reason) => {
                assert_eq!(
                    budget.admit("c", Reserve { tokens: 1, cost_micros: Some(0) }, now),
                    Admission::Refused(reason.clone())
                );
                assert_eq!(budget.admit("d", Reserve::default(), now), Admission::Granted, "what is free goes on");
                reason
            }
            other => panic!("{other:?}"),
        }
    };
    let none = Caps::default();
    assert_eq!(
        refused(Caps { tokens: Some(100), ..none }, reserve(50)),
        "the cap of 100 tokens is reached: 60 are spent, and the next step takes up to 50"
    );
    assert_eq!(
        refused(Caps { cost_micros: Some(200), ..none }, reserve(50)),
        "the cap of 0.0002 on cost is reached: 0.00012 is spent, and the next step takes up to 0.0001"
    );
    let unpriced = Reserve { tokens: 1, cost_micros: None };
    assert!(refused(Caps { cost_micros: Some(200), ..none }, unpriced).ends_with("the next step has no known price"));
    assert_eq!(refused(Caps { until: Some(now), ..none }, reserve(1)), "the cap on time is reached: nothing new is asked");
}

#[tokio::test(start_paused = true)]
async fn a_reserve_that_may_fit_later_waits_and_one_that_never_will_does_not() {
    let now = Instant::now();
    let mut budget = Budget { caps: Caps { tokens: Some(100), ..Caps::default() }, ..Budget::default() };
    assert_eq!(budget.admit("a", reserve(60), now), Admission::Granted);
    assert_eq!(budget.admit("b", reserve(60), now), Admission::Wait);
    budget.apply(&started("a", 60));
    assert_eq!(budget.admit("b", reserve(60), now), Admission::Wait);
    budget.apply(&done("a", 40));
    assert_eq!(budget.admit("b", reserve(60), now), Admission::Granted);
    assert!(matches!(budget.admit("c", reserve(61), now), Admission::Refused(_)), "even alone it would not fit");
}

proptest! {
    /// Whatever is asked and whatever it costs within its reserve, what counts never exceeds the cap, and nothing is granted
    /// after a refusal.
    #[test]
    fn the_cap_is_never_exceeded(
        cap in 0_u64..500,
        moves in prop::collection::vec((0_usize..4, 0_u64..120, 0_u64..=100, 0_u8..4), 0..60),
    ) {
        let now = Instant::from_std(std::time::Instant::now());
        let mut budget = Budget { caps: Caps { tokens: Some(cap), ..Caps::default() }, ..Budget::default() };
        let mut running: HashMap<usize, u64> = HashMap::new();
        let mut refused = false;
        for (step, tokens, share, end) in moves {
            let key = step.to_string();
            match running.remove(&step) {
                None => match budget.admit(&key, reserve(tokens), now) {
                    Admission::Granted => {
                        prop_assert!(!refused || tokens == 0);
                        running.insert(step, tokens);
                        budget.apply(&started(&key, tokens));
                    }
                    Admission::Wait => prop_assert!(!running.is_empty()),
                    Admission::Refused(_) => refused = true,
                },
                Some(reserved) => match end {
                    0 => budget.release(&key),
                    1 => budget.apply(&event(Kind::AttemptFailed, &key, json!({ "unknown": reserve(reserved) }))),
                    2 => {
                        let usage = json!({ "usage": { "tokens_in": reserved * share / 100 } });
                        budget.apply(&event(Kind::AttemptFailed, &key, usage));
                    }
                    _ => budget.apply(&done(&key, reserved * share / 100)),
                },
            }
            prop_assert!(budget.counted().tokens <= cap, "{:?}", budget);
        }
    }
}

#[test]
fn a_further_call_of_a_step_counts_from_then_on_and_latches_nothing() {
    let mut budget = Budget { caps: Caps { tokens: Some(100), ..Caps::default() }, ..Budget::default() };
    let now = Instant::now();
    let tokens = |tokens| Reserve { tokens, cost_micros: None };
    assert_eq!(budget.admit("a", tokens(40), now), Admission::Granted);
    assert!(budget.more("a", tokens(50), now));
    assert!(!budget.more("a", tokens(11), now), "90 are reserved");
    assert_eq!(budget.counted(), tokens(90));
    assert_eq!(budget.admit("b", tokens(10), now), Admission::Granted, "the refusal held nothing up");
    let late = Caps { until: Some(now), ..Caps::default() };
    assert!(!Budget { caps: late, ..Budget::default() }.more("a", tokens(1), now));
}
