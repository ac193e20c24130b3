//! `run`: the engine of durable pipelines: step, fix, gate, fan-out, effects, and the ports to the world.
//! A pipeline is a plain async function; whatever it does to the world goes through here, is journaled before its value
//! is used, and on resume is answered from the journal. What never belongs here: rules of a review, words for people, HTTP.

mod budget;
mod gate;
mod live;
mod ports;
mod recorded;
mod step;
mod store;

pub use crate::model::answer::{FaultClass, Provenance, Usage};
pub use budget::{CAP_GRACE, Caps};
pub use gate::{Desk, GateEnd, GateSubject, Settling};
pub use live::{LiveFiles, LiveText, NoLiveText};
pub use ports::{
    Agent, AgentFault, Answered, Ask, BoxFuture, Carried, Clock, Council, Files, HoleEnd, Human, Purse, Reply, Role, Subject,
    SystemClock, Written,
};
pub use step::{Attempt, Outcome, StepSpec};
pub use store::{FileStore, MemoryStore, Store};

use crate::model::accounts::Accounts;
use crate::model::event::{Body, Draft, Event, Kind};
use crate::model::fault::{Fault, FaultKind};
use budget::Budget;
use recorded::Recorded;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Failed attempts after which a step is offered to a person, or stays a hole without one.
pub const MAX_FAILURES: u32 = 3;
/// How long an attempt may take before it counts as failed.
pub const ATTEMPT_DEADLINE: Duration = Duration::from_secs(600);

/// Sees every event once it is durable.
pub type Tap = Box<dyn Fn(&Event) + Send + Sync>;

/// A run in progress. Cloning gives another handle to the same run.
#[derive(Clone)]
pub struct Run {
    inner: Arc<Inner>,
}

struct Inner {
    store: Box<dyn Store>,
    clock: Arc<dyn Clock>,
    human: Arc<dyn Human>,
    recorded: Mutex<Recorded>,
    /// How each attempt under way is told to stop, by step key.
    running: Mutex<HashMap<String, CancellationToken>>,
    budget: Mutex<Budget>,
    /// Told when something was given back to the budget.
    given_back: Notify,
    accounts: Mutex<Accounts>,
    tap: Tap,
}

impl Run {
    /// A run over a store, taking up what `events` record (empty for a run that begins).
    pub fn new(store: Box<dyn Store>, events: &[Event], clock: Arc<dyn Clock>, human: Arc<dyn Human>, tap: Tap) -> Run {
        let recorded = Recorded::read(events);
        // A run that was held up stays so until it is filled: what a kill cut off comes to the same end.
        let budget = Mutex::new(Budget::read(events, recorded.held()));
        let (recorded, running) = (Mutex::new(recorded), Mutex::default());
        let (given_back, accounts) = (Notify::new(), Mutex::new(Accounts::of(events)));
        let inner = Inner { store, clock, human, recorded, running, budget, given_back, accounts, tap };
        Run { inner: Arc::new(inner) }
    }

    /// The run under caps; what the journal already holds counts against them.
    #[must_use]
    pub fn with_caps(self, caps: Caps) -> Run {
        self.budget().caps = caps;
        self
    }

    /// Whether a cap has held up steps that nobody has asked since: a resume under a higher cap has something to fill.
    pub fn held(events: &[Event]) -> bool {
        let mut held: HashSet<&str> = HashSet::new();
        for event in events {
            match event.kind {
                Kind::StepHeld => _ = held.insert(&event.key),
                Kind::StepStarted => _ = held.remove(event.key.as_str()),
                Kind::RunResumed if event.refills() => held.clear(),
                _ => {}
            }
        }
        !held.is_empty()
    }

    /// What the run has cost so far, in all its processes.
    pub fn accounts(&self) -> Accounts {
        locked(&self.inner.accounts).clone()
    }

    /// What the attempt under way at a step may spend beside its reserve.
    pub fn purse(&self, key: &str) -> Purse {
        let (run, key) = (self.clone(), key.to_owned());
        Purse::new(move |reserve| run.budget().more(&key, reserve, tokio::time::Instant::now()))
    }

    fn budget(&self) -> MutexGuard<'_, Budget> {
        locked(&self.inner.budget)
    }

    /// Tells the attempt of a step that runs, or the one that follows after a pause, to stop. Returns whether there was one:
    /// a step that is done, a hole or waits for a person has none. Where an answer crosses the message, the answer wins.
    pub fn cancel(&self, key: &str) -> bool {
        let running = self.running();
        let told = running.get(key);
        told.inspect(|cancel| cancel.cancel()).is_some()
    }

    /// An attempt at a step begins, or soon will: from here on it can be cancelled.
    fn begin(&self, key: &str) -> CancellationToken {
        let cancel = CancellationToken::new();
        self.running().insert(key.to_owned(), cancel.clone());
        cancel
    }

    fn running(&self) -> MutexGuard<'_, HashMap<String, CancellationToken>> {
        locked(&self.inner.running)
    }

    /// The wall-clock time now, RFC 3339 UTC.
    pub fn now(&self) -> String {
        self.inner.clock.now()
    }

    /// Records drafts in one append; returns once they are durable.
    pub(crate) async fn emit(&self, drafts: Vec<Draft>) -> Result<(), Fault> {
        if drafts.is_empty() {
            return Ok(());
        }
        let events = self.inner.store.append(drafts, self.now()).await?;
        for event in &events {
            self.budget().apply(event);
            locked(&self.inner.accounts).apply(event);
            (self.inner.tap)(event);
        }
        self.inner.given_back.notify_waiters();
        Ok(())
    }

    /// A pure result that people see or decide on: computed and recorded once; a resume reads it back (DESIGN, rule 1).
    ///
    /// # Errors
    /// The journal cannot be written, or what is recorded differs from what is attempted.
    pub async fn fix<T: Serialize + DeserializeOwned>(&self, key: &str, compute: impl FnOnce() -> T) -> Result<T, Fault> {
        if let Some(entry) = self.recorded().consume(key, None)? {
            let value = entry.fixed.ok_or_else(|| mismatch(entry.seq, "a step", &format!("the fixed result {key}")))?;
            return read_back(key, &value);
        }
        let computed = compute();
        let body = Body::of(&computed).map_err(|error| internal(key, error))?;
        self.emit(vec![Draft::new(Kind::Fixed, key, body)]).await?;
        Ok(computed)
    }

    /// Records that the process stops here because a person is awaited.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn paused(&self, reason: &str) -> Result<(), Fault> {
        self.emit(vec![Draft::new(Kind::RunPaused, "", serde_json::json!({ "reason": reason }))]).await
    }

    /// Records that the run ended.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn finished(&self, exit: u8, path: &str) -> Result<(), Fault> {
        self.recorded().all_consumed()?;
        self.emit(vec![Draft::new(Kind::RunFinished, "", serde_json::json!({ "exit": exit, "path": path }))]).await
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        locked(&self.inner.recorded)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of a resume that meets another history than its own (DESIGN, rule 1).
fn mismatch(seq: u64, recorded: &str, attempted: &str) -> Fault {
    Fault::new(
        FaultKind::Refused,
        format!("the run cannot go on: record {seq} is {recorded}, but now {attempted} is attempted"),
        "it was made by another version or with other inputs; start a new run of the document",
    )
}

fn read_back<T: DeserializeOwned>(key: &str, body: &Body) -> Result<T, Fault> {
    body.read().map_err(|error| {
        Fault::new(
            FaultKind::Refused,
            format!("what is recorded for {key} cannot be read: {error}"),
            "the journal was written by another version; start a new run of the document",
        )
    })
}

fn internal(key: &str, error: impl std::fmt::Display) -> Fault {
    Fault::new(FaultKind::Refused, format!("{key} cannot be recorded: {error}"), "this is a defect of tamis; please report it")
}

#[cfg(test)]
mod cancel_tests;
#[cfg(test)]
mod cap_tests;
#[cfg(test)]
mod tests;
