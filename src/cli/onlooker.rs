//! What a run comes to, found out in memory: its pipeline goes over what is recorded, and nothing is asked or written.

use super::known::{Known, Work};
use super::target::TargetFiles;
use crate::model::event::{Body, Draft, Event, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Finding;
use crate::model::outcome::ReviewOutcome;
use crate::model::settled::Proposal;
use crate::run::{
    Agent, AgentFault, Answered, Ask, BoxFuture, Carried, Clock, Council, Desk, Files, GateEnd, GateSubject, HoleEnd, Human,
    MemoryStore, Run, StepSpec, Store, SystemClock, Written,
};
use std::sync::{Arc, Mutex, PoisonError};

/// What was found out.
pub(super) struct Seen {
    /// The records, those in memory only among them.
    pub events: Vec<Event>,
    /// What the findings come to with all decisions so far; `None` before there is a proposal.
    pub outcome: Option<Arc<ReviewOutcome>>,
    /// Where the file was written; `None` where the run is not at its end.
    pub written: Option<Written>,
}

/// Goes over what is recorded of a run. Before the findings of a review are settled there is nothing to see: agents are
/// still asked then.
pub(super) async fn look(known: &Known, files: &TargetFiles, events: Vec<Event>) -> Seen {
    let settled = events.iter().any(|event| event.kind == Kind::Fixed && event.key == "settle");
    if matches!(known.work, Work::Review(_)) && !settled {
        return Seen { events, outcome: None, written: None };
    }
    let store = MemoryStore::holding(events.clone());
    let human = Arc::new(Onlooker::default());
    let nobody: Arc<dyn Agent> = Arc::new(Nobody);
    // Who was not there is not asked: whether there was an arbiter or a floor stands in the record.
    let asked = |seat: &str| events.iter().any(|event| event.key.starts_with(seat));
    let floor = asked("floor/").then(|| Arc::clone(&nobody));
    let council = Council { floor, ..Council::of_one(nobody, asked("arbiter/")) };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let run = Run::new(Box::new(store.clone()), &events, clock, Arc::clone(&human) as Arc<dyn Human>, Box::new(|_| {}));
    let ended = known.work.run(&run, &council, &Untouched(files)).await;
    let seen = human.seen.lock().unwrap_or_else(PoisonError::into_inner).take().map(Arc::new);
    // Away from a gate the pipeline ends with the fault that says so: what was seen there is what is wanted.
    let (outcome, written) = ended.map_or((seen, None), |(outcome, written)| (Some(outcome), Some(written)));
    Seen { events: store.events(), outcome, written }
}

/// What a revision would look like that is not begun yet, up to the gate at which its person is awaited.
///
/// # Errors
/// What it is about cannot be read.
pub(super) async fn before_it_begins(known: &Known, files: &TargetFiles) -> Result<Seen, Fault> {
    let store = MemoryStore::default();
    let body = Body::of(&known.header).map_err(|error| Fault::usage(error.to_string(), ""))?;
    let began = store.append(vec![Draft::new(Kind::RunStarted, "", body)], SystemClock.now()).await?;
    let mut seen = look(known, files, began).await;
    // The person is here.
    seen.events.retain(|event| event.kind != Kind::RunPaused);
    Ok(seen)
}

/// Looks at the gate of settling and decides nothing.
#[derive(Default)]
struct Onlooker {
    seen: Mutex<Option<ReviewOutcome>>,
}

impl Human for Onlooker {
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async move {
            if let GateSubject::Settle(settling) = desk.subject {
                let outcome = settling.outcome(&desk.records(), &SystemClock.now());
                *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            }
            Ok(GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, "only looked at", "")))
        })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { HoleEnd::Accept { by: "nobody".to_owned() } })
    }
}

/// Answers nothing.
struct Nobody;

impl Agent for Nobody {
    fn name(&self) -> String {
        "nobody".to_owned()
    }

    fn ask(&self, _ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        Box::pin(async { Err(AgentFault::cancelled()) })
    }
}

/// The target, which is looked at and never written.
struct Untouched<'a>(&'a TargetFiles);

impl Files for Untouched<'_> {
    fn observe(&self) -> BoxFuture<'_, Result<Body, Fault>> {
        self.0.observe()
    }

    fn earlier(&self, observed: &Body) -> Vec<Finding> {
        self.0.earlier(observed)
    }

    fn carry(&self, observed: &Body, proposal: Proposal) -> Carried {
        self.0.carry(observed, proposal)
    }

    fn prepare(&self, _outcome: &ReviewOutcome) -> String {
        String::new()
    }

    fn write<'a>(&'a self, _: &'a Body, _: Arc<ReviewOutcome>) -> BoxFuture<'a, Result<Written, Fault>> {
        Box::pin(async { Err(Fault::new(FaultKind::Refused, "only looked at", "")) })
    }
}
