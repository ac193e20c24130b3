//! Reviews under a cap: what is held up, what a resume under the same cap and under a higher one comes to.

mod common;

use common::{Case, ScriptedHuman, finding, kinds};
use std::sync::Arc;
use std::time::Duration;
use tamis::journal::fold;
use tamis::model::event::{Event, Kind};
use tamis::model::gate::Op;
use tamis::model::outcome::ReviewOutcome;
use tamis::model::settled::StoppedBy;
use tamis::model::view::StepState;
use tamis::run::{Caps, GateSubject, Run};

const DOCUMENT: &str = "\
# Parcel lockers

## UC-01: Reserve a locker
- AC-01: A courier reserves a free locker for one parcel.
- AC-02: A reservation ends after 30 minutes without a drop-off.

## UC-02: Collect a parcel
- AC-03: The recipient opens the locker with the code.
- AC-04: The code is valid for 3 days.
";

fn step(key: &str, delay_ms: u32, findings: &[String]) -> String {
    format!("  - {{key: \"{key}\", attempts: [{{delay_ms: {delay_ms}, findings: [{}]}}]}}\n", findings.join(", "))
}

const FEE: &str = "Nobody says who pays the fee.";
const CAMERA: &str = "Nobody says how the camera is told.";
const POSTAGE: &str = "Nobody says when postage is due.";

/// Each of the three lenses finds something, and so does the first critic.
fn council() -> String {
    let quote = |n: usize| {
        ["A courier reserves a free locker for one parcel.", "The recipient opens the locker with the code."][n].to_owned()
    };
    step("review/DEV/*", 10, &[finding("major", &quote(0), FEE)])
        + &step("review/SA/*", 20, &[finding("minor", &quote(1), CAMERA)])
        + &step("review/PO/*", 30, &[finding("minor", "The code is valid for 3 days.", POSTAGE)])
        + &step(
            "critic/1",
            10,
            &[finding("major", "A reservation ends after 30 minutes without a drop-off.", "Nobody says what the insurer needs.")],
        )
}

fn tokens(cap: u64) -> Caps {
    Caps { tokens: Some(cap), ..Caps::default() }
}

/// A review in which every question reserves 100 tokens and takes 60.
fn case(steps: &str, cap: Option<u64>) -> Case {
    Case::new(DOCUMENT, steps).paid(100, 60).capped(cap.map_or_else(Caps::default, tokens))
}

async fn uncapped(steps: &str) -> Arc<ReviewOutcome> {
    case(steps, None).run().await.expect("a review")
}

fn asked(case: &Case) -> Vec<String> {
    let label = |key: &String| tamis::model::ids::StepKey::from(key.as_str()).label();
    case.asked.lock().expect("not poisoned").iter().map(label).collect()
}

fn spent(events: &[Event]) -> u64 {
    tamis::model::accounts::Accounts::of(events).total().usage.tokens()
}

/// Takes up what these events record under another cap, and asks what was held up.
async fn refilled(steps: &str, events: &[Event], cap: Option<u64>, human: ScriptedHuman) -> (Case, Arc<ReviewOutcome>) {
    let case = case(steps, cap).human(human).resuming(events, events.len());
    case.refill().await;
    let outcome = case.run().await.expect("a review");
    (case, outcome)
}

#[tokio::test(start_paused = true)]
async fn whatever_the_cap_it_is_kept_and_a_higher_one_comes_to_the_same_file() {
    let expected = uncapped(&council()).await;
    assert_eq!(expected.findings.len(), 4);
    // Six questions of 60 tokens: from nothing asked to nothing held.
    for cap in [0, 99, 100, 159, 160, 219, 220, 280, 340, 400] {
        let first = case(&council(), Some(cap));
        let capped = first.run().await.expect("a review");
        let events = first.store.events();
        assert!(spent(&events) <= cap, "{cap}");
        assert_eq!(capped.holes.is_empty(), cap == 400, "{cap}: {:?}", capped.holes);
        assert_eq!(Run::held(&events), cap < 400, "{cap}");
        if cap == 400 {
            assert_eq!(capped, expected);
            continue;
        }
        assert_eq!(capped.recommendation, "INCOMPLETE", "{cap}");
        assert!(capped.holes.iter().all(|hole| hole.reason.starts_with("the cap of ")), "{cap}");
        let view = fold(&events);
        assert_eq!(view.holes, capped.holes, "{cap}");
        assert_eq!(view.convergence.as_ref(), Some(&capped.convergence));
        assert_eq!(*first.files.writes.lock().expect("not poisoned"), 1, "what is paid is written");
        let (again, outcome) = refilled(&council(), &events, None, ScriptedHuman::default()).await;
        assert_eq!(outcome, expected, "{cap}");
        assert_eq!(*again.files.writes.lock().expect("not poisoned"), 1, "written again");
        // What was answered is not asked again.
        let mut all = [asked(&first), asked(&again)].concat();
        assert_eq!(all.len(), 6, "{cap}: {all:?}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6, "{cap}: {all:?}");
        let view = fold(&again.store.events());
        assert_eq!((view.holes.len(), view.finished, view.unknown_kinds.len()), (0, true, 0));
        assert_eq!(view.convergence.as_ref(), Some(&expected.convergence));
        let per_round: Vec<u32> = view.rounds.iter().map(|round| round.new).collect();
        assert_eq!(per_round, expected.convergence.new_per_round);
        assert_eq!(view.feed.len(), 4, "{cap}: told once");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_under_a_cap_cut_off_after_any_record_comes_to_an_end_within_it() {
    let whole = case(&council(), Some(250));
    let expected = whole.run().await.expect("a review");
    let events = whole.store.events();
    let first_held = events.iter().position(|event| event.kind == Kind::StepHeld).expect("held");
    for n in 0..events.len() {
        let case = case(&council(), Some(250)).resuming(&events, n);
        let outcome = case.run().await.unwrap_or_else(|fault| panic!("cut off after record {n}: {}", fault.what));
        assert!(spent(&case.store.events()) <= 250, "cut off after record {n}");
        let running = |n: usize| {
            let is =
                |event: &&Event, kind: Kind| event.kind == kind && !event.body.value()["agent"].as_str().unwrap_or("").is_empty();
            let count = |kind: Kind| events[..n].iter().filter(|event| is(event, kind.clone())).count();
            count(Kind::StepStarted) > count(Kind::StepDone)
        };
        // Where a kill lost no answer, the same cap comes to the same end.
        if !running(n) && n != first_held {
            assert_eq!(outcome, expected, "cut off after record {n}: {}", kinds(&events[..n]).last().map_or("", |kind| kind));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refill_cut_off_after_any_record_comes_to_the_same_end() {
    let expected = uncapped(&council()).await;
    let first = case(&council(), Some(160));
    first.run().await.expect("a review");
    let before = first.store.events();
    let (whole, _) = refilled(&council(), &before, None, ScriptedHuman::default()).await;
    let events = whole.store.events();
    for n in before.len() + 1..events.len() {
        let case = case(&council(), None).resuming(&events, n);
        let outcome = case.run().await.unwrap_or_else(|fault| panic!("cut off after record {n}: {}", fault.what));
        assert_eq!(outcome, expected, "cut off after record {n}: {}", kinds(&events[..n]).last().map_or("", |kind| kind));
        assert_eq!(fold(&case.store.events()).holes, []);
    }
}

#[tokio::test(start_paused = true)]
async fn a_held_run_can_be_filled_in_several_goes() {
    let expected = uncapped(&council()).await;
    let mut events = Vec::new();
    let mut all = Vec::new();
    for cap in [100, 160, 220, 280, 340, 400, 460] {
        let (case, outcome) = refilled(&council(), &events, Some(cap), ScriptedHuman::default()).await;
        events = case.store.events();
        all.extend(asked(&case));
        assert!(spent(&events) <= cap);
        assert_eq!(fold(&events).holes, outcome.holes, "{cap}");
        if !Run::held(&events) {
            assert_eq!(outcome, expected);
            assert_eq!(all.len(), 6, "{all:?}");
            return;
        }
    }
    panic!("still held: {:?}", kinds(&events));
}

#[tokio::test(start_paused = true)]
async fn a_held_critic_ends_the_rounds_until_it_is_asked() {
    let expected = uncapped(&council()).await;
    let first = case(&council(), Some(300));
    let capped = first.run().await.expect("a review");
    assert_eq!((capped.convergence.rounds, capped.convergence.stopped_by), (1, StoppedBy::Hole));
    assert_eq!(capped.holes[0].step, "critic/2");
    let events = first.store.events();
    let view = fold(&events);
    assert!(matches!(view.steps["critic/2"].state, StepState::Held { .. }));
    let resumed = case(&council(), None).resuming(&events, events.len());
    resumed.refill().await;
    let view = fold(&resumed.store.events());
    assert_eq!((view.rounds.len(), view.convergence, view.proposal.is_none(), view.finished), (1, None, true, false));
    assert_eq!((view.holes.len(), view.steps["critic/2"].state.clone()), (0, StepState::Waiting));
    assert_eq!(resumed.run().await.expect("a review"), expected);
    assert_eq!(asked(&resumed), ["critic/2", "critic/3"]);
}

/// Asking again costs again; all else is as if no cap had been there.
fn but_for_the_cost(outcome: &ReviewOutcome) -> ReviewOutcome {
    ReviewOutcome { accounts: Default::default(), ..outcome.clone() }
}

#[tokio::test(start_paused = true)]
async fn a_critic_that_knew_less_is_asked_again() {
    // The lens is dear, the critic is not: it answered though the lens was held. Only one who is asked for nothing can.
    let steps = council();
    let expected = uncapped(&steps).await;
    let first = Case::new(DOCUMENT, &steps).paid_reviewer(100, 60).capped(tokens(160));
    let capped = first.run().await.expect("a review");
    assert_eq!(capped.holes.iter().map(|hole| hole.step.as_str()).collect::<Vec<_>>(), ["review/PO/whole-file"]);
    assert_eq!(capped.convergence.rounds, 3);
    let events = first.store.events();
    let again = Case::new(DOCUMENT, &steps).paid_reviewer(100, 60).resuming(&events, events.len());
    again.refill().await;
    let outcome = again.run().await.expect("a review");
    assert_eq!(but_for_the_cost(&outcome), but_for_the_cost(&expected));
    assert_eq!(asked(&again), ["review/PO/whole-file"]);
    let events = again.store.events();
    let critics = events.iter().filter(|event| event.kind == Kind::StepStarted && event.key.starts_with("critic/")).count();
    assert_eq!(critics, 6, "each round was asked twice");
    // Another process finds it all.
    let third = Case::new(DOCUMENT, &steps).paid_reviewer(100, 60).resuming(&events, events.len() - 1);
    assert_eq!(but_for_the_cost(&third.run().await.expect("a review")), but_for_the_cost(&expected));
    assert!(asked(&third).is_empty());
}

/// Two lenses say much the same of one place.
fn unsure() -> String {
    let quote = "The code is valid for 3 days.";
    step(
        "review/DEV/*",
        10,
        &[finding("major", quote, "The code's validity after the third day is undefined for the recipient.")],
    ) + &step(
        "review/SA/*",
        20,
        &[finding("major", "The code is valid", "The code's expiry on the third day is unclear to the recipient and courier.")],
    ) + "  - {key: \"arbiter/*\", attempts: [{verdicts: [{verdict: duplicate, members: [\"validity\", \"expiry\"]}]}]}\n"
}

#[tokio::test(start_paused = true)]
async fn a_held_arbiter_leaves_both_and_says_so_until_it_is_asked() {
    let expected = uncapped(&unsure()).await;
    let whole = case(&unsure(), None);
    whole.run().await.expect("a review");
    let order: Vec<String> = asked(&whole);
    let at = order.iter().position(|key| key.starts_with("arbiter/")).expect("the arbiter is asked");
    assert_eq!(expected.findings.len(), 1, "{:?}", expected.findings);
    let cap = 60 * at as u64 + 60;
    let first = case(&unsure(), Some(cap));
    let capped = first.run().await.expect("a review");
    let events = first.store.events();
    assert!(spent(&events) <= cap);
    assert_eq!(capped.findings.len(), 2);
    assert!(capped.holes.iter().any(|hole| hole.step == "arbiter"), "{:?}", capped.holes);
    assert_eq!(fold(&events).holes.iter().filter(|hole| hole.step == "arbiter").count(), 1);
    // The same cap again: the record answers.
    let same = case(&unsure(), Some(cap)).resuming(&events, events.len() - 1);
    assert_eq!(same.run().await.expect("a review"), capped);
    assert!(asked(&same).is_empty());
    let (again, outcome) = refilled(&unsure(), &events, None, ScriptedHuman::default()).await;
    assert_eq!(outcome, expected);
    assert_eq!(fold(&again.store.events()).holes, []);
    assert_eq!(asked(&first).len() + asked(&again).len(), order.len());
}

#[tokio::test(start_paused = true)]
async fn decisions_of_a_person_survive_a_refill() {
    let decide = |subject: &GateSubject| {
        let GateSubject::Settle(settling) = subject else { return Vec::new() };
        let first = settling.proposal.findings.first();
        first.map(|finding| Op::Reject { finding: finding.key.clone(), reason: "known".into() }).into_iter().collect()
    };
    let person = || ScriptedHuman { ops: vec![("gate/settle".into(), Box::new(decide))], away: Vec::new() };
    let first = case(&council(), Some(300)).human(person());
    let capped = first.run().await.expect("a review");
    let key = capped.findings.iter().find(|finding| finding.resolution.is_some()).expect("rejected").key.clone();
    let (again, outcome) = refilled(&council(), &first.store.events(), None, ScriptedHuman::default()).await;
    let decided = outcome.findings.iter().find(|finding| finding.key == key).expect("still there");
    assert_eq!(decided.resolution.as_ref().map(|resolution| resolution.reason.as_str()), Some("known"));
    let view = fold(&again.store.events());
    assert_eq!((view.gates["gate/settle"].records.len(), view.gates["gate/settle"].open), (1, false));
    // It can be decided on anew like any finished run.
    again.reopen().await;
    let events = again.store.events();
    let reopened = case(&council(), None).resuming(&events, events.len());
    assert_eq!(reopened.run().await.expect("a review"), outcome);
    assert!(asked(&reopened).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_held_run_can_be_reopened_without_filling_it() {
    let first = case(&council(), Some(160));
    let capped = first.run().await.expect("a review");
    first.reopen().await;
    let events = first.store.events();
    let again = case(&council(), Some(10_000)).resuming(&events, events.len());
    assert_eq!(again.run().await.expect("a review"), capped);
    assert!(asked(&again).is_empty());
    assert!(Run::held(&again.store.events()));
}

#[tokio::test(start_paused = true)]
async fn at_the_time_cap_a_review_is_written_with_what_it_has() {
    let until = tokio::time::Instant::now() + Duration::from_millis(25);
    let first = Case::new(DOCUMENT, &council()).paid(100, 60).capped(Caps { until: Some(until), ..Caps::default() });
    let capped = first.run().await.expect("a review");
    let steps: Vec<&str> = capped.holes.iter().map(|hole| hole.step.as_str()).collect();
    assert_eq!(steps, ["review/PO/whole-file", "critic/1"]);
    assert_eq!(capped.findings.len(), 2);
    let events = first.store.events();
    let failed = events.iter().find(|event| event.kind == Kind::AttemptFailed).expect("told to stop");
    assert_eq!(failed.body.value()["class"], "capped");
    let (_, outcome) = refilled(&council(), &events, None, ScriptedHuman::default()).await;
    assert_eq!(outcome, uncapped(&council()).await);
}
