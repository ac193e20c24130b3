//! A person at a failed step, and cancelling: a message to an attempt (DESIGN, rule 3).

use super::*;
use serde_json::json;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> String {
        "2026-01-01T00:00:00.000Z".into()
    }
}

/// A person who says what a test sends them to say, and until then nothing.
struct Waiting(tokio::sync::Mutex<UnboundedReceiver<HoleEnd>>);

impl Human for Waiting {
    fn at_gate<'a>(&'a self, _desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async { Ok(GateEnd::Passed) })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { self.0.lock().await.recv().await.expect("the test still runs") })
    }
}

/// A run whose events are waited for, with a line to its person.
struct Bench {
    run: Run,
    store: MemoryStore,
    say: UnboundedSender<HoleEnd>,
    events: UnboundedReceiver<String>,
}

impl Bench {
    fn new(store: MemoryStore) -> Bench {
        let (say, said) = unbounded_channel();
        let (seen, events) = unbounded_channel();
        let tap = Box::new(move |event: &Event| {
            let _ = seen.send(format!("{} {}@{}", event.kind.word(), event.key, event.attempt));
        });
        let human = Arc::new(Waiting(tokio::sync::Mutex::new(said)));
        let run = Run::new(Box::new(store.clone()), &store.events(), Arc::new(StillClock), human, tap);
        Bench { run, store, say, events }
    }

    /// Starts steps beside the test.
    fn start<F, Fut>(&self, keys: &[&str], make: F) -> tokio::task::JoinHandle<Result<Vec<Outcome>, Fault>>
    where
        F: Fn(StepSpec, u32, CancellationToken) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Attempt, AgentFault>> + Send + 'static,
    {
        let spec = |key: &&str| StepSpec { key: (*key).into(), label: (*key).into(), wave: 1, ..StepSpec::default() };
        let specs = keys.iter().map(spec).collect();
        let run = self.run.clone();
        tokio::spawn(async move { run.fan_out(specs, make).await })
    }

    /// Waits until an event is recorded.
    async fn until(&mut self, wanted: &str) {
        while self.events.recv().await.expect("the run goes on") != wanted {}
    }

    /// Class and `final` of each failure of a step.
    fn failures(&self, key: &str) -> Vec<(String, bool)> {
        let failed = |event: &&Event| event.kind == Kind::AttemptFailed && event.key == key;
        let fields = |event: &Event| {
            let body = event.body.value();
            (body["class"].as_str().expect("a class").to_owned(), body["final"].as_bool().expect("a flag"))
        };
        self.store.events().iter().filter(failed).map(fields).collect()
    }
}

fn answer(value: serde_json::Value) -> Result<Attempt, AgentFault> {
    Ok(Attempt { answer: value.into(), agent: "test".into(), ..Attempt::default() })
}

fn done(value: serde_json::Value) -> Outcome {
    Outcome::Done(value.into())
}

fn refused() -> Result<Attempt, AgentFault> {
    Err(AgentFault::new(FaultClass::Refused, "declined"))
}

fn accept() -> HoleEnd {
    HoleEnd::Accept { by: "Lan".into() }
}

/// How an agent that obeys ends.
async fn obey(cancel: CancellationToken) -> Result<Attempt, AgentFault> {
    cancel.cancelled().await;
    Err(AgentFault::cancelled())
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_attempt_goes_straight_to_the_person_and_no_other_step_hears_of_it() {
    let mut bench = Bench::new(MemoryStore::default());
    let work = bench.start(&["a", "b"], |spec, _, cancel| async move {
        match spec.key.as_str() {
            "a" => obey(cancel).await,
            _ => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                if cancel.is_cancelled() { refused() } else { answer(json!("b")) }
            }
        }
    });
    bench.until("step_started b@1").await;
    assert!(bench.run.cancel("a"));
    bench.until("attempt_failed a@1").await;
    assert!(!bench.run.cancel("a"), "nothing runs while the person is asked");
    assert!(!bench.run.cancel("c"), "no such step");
    bench.say.send(accept()).expect("somebody waits");
    let outcomes = work.await.expect("joined").expect("outcomes");
    assert_eq!(outcomes, [Outcome::Hole("cancelled by a person".into()), done(json!("b"))]);
    assert_eq!(bench.failures("a"), [("cancelled".to_owned(), true)]);
    assert!(bench.failures("b").is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_fails_in_another_way_after_its_cancel_ends_as_cancelled() {
    let mut bench = Bench::new(MemoryStore::default());
    let work = bench.start(&["a"], |_, _, cancel| async move {
        cancel.cancelled().await;
        refused()
    });
    bench.until("step_started a@1").await;
    assert!(bench.run.cancel("a"));
    bench.say.send(accept()).expect("somebody waits");
    assert_eq!(work.await.expect("joined").expect("outcomes"), [Outcome::Hole("cancelled by a person".into())]);
    assert_eq!(bench.failures("a"), [("cancelled".to_owned(), true)]);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_between_attempts_cuts_the_pause_short_and_nobody_is_asked_again() {
    let mut bench = Bench::new(MemoryStore::default());
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let work = bench.start(&["a"], move |_, _, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { refused() }
    });
    bench.until("attempt_failed a@1").await;
    let before = Instant::now();
    assert!(bench.run.cancel("a"));
    bench.until("attempt_failed a@2").await;
    assert_eq!(Instant::now(), before, "the clock of the test stands: nothing was waited for");
    bench.say.send(accept()).expect("somebody waits");
    assert_eq!(work.await.expect("joined").expect("outcomes"), [Outcome::Hole("cancelled by a person".into())]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(bench.failures("a"), [("refused".to_owned(), false), ("cancelled".to_owned(), true)]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_given_wins_over_a_cancel() {
    let mut bench = Bench::new(MemoryStore::default());
    // An answer that crosses the message on its way.
    let work = bench.start(&["a"], |_, _, cancel| async move {
        cancel.cancelled().await;
        answer(json!("just in time"))
    });
    bench.until("step_started a@1").await;
    assert!(bench.run.cancel("a"));
    assert_eq!(work.await.expect("joined").expect("outcomes"), [done(json!("just in time"))]);
    // A cancel that comes after the answer was recorded.
    bench.until("step_done a@1").await;
    assert!(!bench.run.cancel("a"));
    assert!(bench.failures("a").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_step_can_be_asked_again_and_cancelled_again() {
    let mut bench = Bench::new(MemoryStore::default());
    let work = bench
        .start(&["a"], |_, attempt, cancel| async move { if attempt < 3 { obey(cancel).await } else { answer(json!(attempt)) } });
    for attempt in 1..3 {
        bench.until(&format!("step_started a@{attempt}")).await;
        assert!(bench.run.cancel("a"), "attempt {attempt}");
        bench.until(&format!("attempt_failed a@{attempt}")).await;
        bench.say.send(HoleEnd::Retry).expect("somebody waits");
    }
    assert_eq!(work.await.expect("joined").expect("outcomes"), [done(json!(3))], "the third was told nothing");
}

#[tokio::test(start_paused = true)]
async fn others_go_on_while_a_person_thinks_and_asking_again_works_each_time() {
    let mut bench = Bench::new(MemoryStore::default());
    let work = bench.start(&["a", "b"], |spec, attempt, _| async move {
        match (spec.key.as_str(), attempt) {
            ("a", ..=8) => refused(),
            ("a", _) => answer(json!("a at last")),
            (_, 1) => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                refused()
            }
            _ => answer(json!("b")),
        }
    });
    bench.until("attempt_failed a@3").await;
    bench.until("attempt_failed b@1").await;
    bench.until("step_started b@2").await;
    bench.until("step_done b@2").await;
    let asked_a = |bench: &Bench| bench.failures("a").len();
    assert_eq!(asked_a(&bench), 3, "the person has not answered yet");
    bench.say.send(HoleEnd::Retry).expect("somebody waits");
    bench.until("attempt_failed a@6").await;
    bench.say.send(HoleEnd::Retry).expect("somebody waits");
    assert_eq!(work.await.expect("joined").expect("outcomes"), [done(json!("a at last")), done(json!("b"))]);
    let asked: Vec<bool> = bench.failures("a").into_iter().map(|(_, asked)| asked).collect();
    assert_eq!(asked, [false, false, true, false, false, true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_spends_no_retry_of_a_later_process() {
    let mut bench = Bench::new(MemoryStore::default());
    let work = bench.start(&["a"], |_, _, cancel| obey(cancel));
    bench.until("step_started a@1").await;
    assert!(bench.run.cancel("a"));
    bench.until("attempt_failed a@1").await;
    // The process ends while the person is asked.
    work.abort();
    let later = Bench::new(MemoryStore::holding(bench.store.events()));
    let work = later.start(&["a"], |_, _, _| async { refused() });
    later.say.send(accept()).expect("somebody waits");
    assert_eq!(work.await.expect("joined").expect("outcomes"), [Outcome::Hole("declined".into())]);
    let classes: Vec<String> = later.failures("a").into_iter().map(|(class, _)| class).collect();
    assert_eq!(classes, ["cancelled", "refused", "refused", "refused"]);
}
