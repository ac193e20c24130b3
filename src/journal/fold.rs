//! The fold: events into what a run looks like. It never runs anything and takes times from the records alone.

use super::feed;
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::event::{Body, Event, Header, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::gate::{ClosedBy, GateRecord};
use crate::model::ids::StepKey;
use crate::model::plan::{Cell, Plan, cell_key};
use crate::model::settled::{Convergence, Hole, Proposal};
use crate::model::view::{GateView, RoundView, RunView, StepState, StepView};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// Events between two checkpoints of a [`History`].
pub const CHECKPOINT_EVERY: usize = 1_000;

/// The answer of an agent that has nothing to look at a dimension with.
const NOT_COVERED: &str = "\"not_covered\"";
/// Key of the step that writes the findings file.
const WRITE_FINDINGS: &str = "write/findings";

/// What a run looks like after these events.
pub fn fold(events: &[Event]) -> RunView {
    let mut fold = Fold::default();
    events.iter().for_each(|event| fold.apply(event));
    fold.view
}

/// Refuses to go on with a run that holds events of a kind this version does not know (DESIGN, "Journal and files that
/// people keep"): nobody can say what they decided.
///
/// # Errors
/// `Refused`, with the kinds and where the first stands.
pub fn refuse_unknown(events: &[Event]) -> Result<(), Fault> {
    let mut unknown = events.iter().filter(|event| matches!(event.kind, Kind::Unknown(_))).peekable();
    let Some(first) = unknown.peek().map(|event| event.seq) else { return Ok(()) };
    let mut words: Vec<&str> = unknown.map(|event| event.kind.word()).collect();
    words.sort_unstable();
    words.dedup();
    let what = format!("record {first} and maybe more are of a kind this version does not know: {}", words.join(", "));
    Err(Fault::new(FaultKind::Refused, what, "resume it with the version of tamis that wrote it"))
}

/// A view that grows event by event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fold {
    /// The run after the events applied so far.
    pub view: RunView,
    held: Held,
}

/// What a cap holds up, and what was recorded after it did: a refill makes that history.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    /// Whether anything is held.
    any: bool,
    /// Critic rounds recorded since.
    rounds: Vec<u32>,
    /// Gates opened since.
    gates: Vec<String>,
}

/// Step of the hole that stands for all that a cap kept from the arbiter.
const ARBITER: &str = "arbiter";

impl Fold {
    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        self.view.last_at.clone_from(&event.at);
        match &event.kind {
            Kind::RunStarted => {
                self.view.header = self.body::<Header>(event);
                self.view.started_at.clone_from(&event.at);
            }
            Kind::RunResumed => {
                self.resumed();
                if event.refills() {
                    self.refill();
                }
            }
            Kind::Fixed => self.fixed(event),
            Kind::StepStarted => self.step_started(event),
            Kind::AttemptFailed => self.attempt_failed(event),
            Kind::StepDone => self.step_done(event),
            Kind::StepHeld => self.step_held(event),
            Kind::HoleAccepted => self.hole_accepted(event),
            Kind::SendingConfirmed => self.view.sending = self.body(event),
            Kind::GateOpened => {
                self.gate(event).open = true;
                if self.held.any {
                    self.held.gates.push(event.key.clone());
                }
                // Records that a person left before a refill stand again.
                self.added_by_hand(&event.key);
            }
            Kind::GateRecord => {
                if let Some(record) = self.body::<GateRecord>(event) {
                    self.gate(event).records.push(record);
                    self.added_by_hand(&event.key);
                }
            }
            Kind::GateClosed => self.gate_closed(event),
            Kind::GateReopened => {
                self.view.finished = false;
                let gate = self.gate(event);
                (gate.open, gate.closed_by) = (true, None);
            }
            Kind::RunPaused => self.view.paused = Some(text(event, "reason")),
            Kind::RunFinished => {
                (self.view.finished, self.view.paused) = (true, None);
                self.written(&event.body.value());
            }
            Kind::Unknown(word) => self.note(word.clone()),
        }
    }

    /// Attempts of the process before ended with it; their steps are asked again.
    fn resumed(&mut self) {
        (self.view.finished, self.view.paused) = (false, None);
        for step in self.view.steps.values_mut() {
            match &mut step.state {
                StepState::Running => step.state = StepState::Waiting,
                StepState::Failed { waits, .. } => *waits = false,
                _ => {}
            }
        }
    }

    /// What a cap held up is asked again; what was made of its being unanswered is gone from the view, and the gates that
    /// were met since will open again with what a person left on them.
    fn refill(&mut self) {
        let Held { any, rounds, gates } = std::mem::take(&mut self.held);
        if !any {
            return;
        }
        for (key, step) in &mut self.view.steps {
            let held = matches!(step.state, StepState::Held { .. });
            if held {
                let told = hole_step(&step.label, &step.dimension);
                self.view.holes.retain(|hole| hole.step != told);
            }
            if held || key == WRITE_FINDINGS {
                step.state = StepState::Waiting;
            }
        }
        let is_gone = |round: Option<u32>| round.is_some_and(|round| rounds.contains(&round));
        self.view.rounds.retain(|known| !rounds.contains(&known.round));
        self.view.feed.retain(|found| !is_gone(found.round));
        (self.view.convergence, self.view.proposal) = (None, None);
        for key in gates {
            let gate = self.view.gates.entry(key).or_default();
            (gate.open, gate.closed_by) = (false, None);
        }
    }

    fn fixed(&mut self, event: &Event) {
        #[derive(Deserialize)]
        struct FanOut {
            holes: Vec<Hole>,
        }
        #[derive(Deserialize)]
        struct Settled {
            proposal: Proposal,
        }
        #[derive(Deserialize)]
        struct Round {
            round: u32,
            new: Vec<Body>,
            #[serde(default)]
            duplicates: Vec<IgnoredAny>,
            dry: u32,
        }
        match event.key.as_str() {
            "plan" => {
                if let Some(plan) = self.body::<Plan>(event) {
                    plan.cells.iter().for_each(|cell| self.planned(&plan, cell));
                    self.view.plan = Some(plan);
                }
            }
            "fan_out" => {
                let fan_out = self.body::<FanOut>(event);
                fan_out.into_iter().flat_map(|fan_out| fan_out.holes).for_each(|hole| self.hole(hole));
            }
            "convergence" => self.view.convergence = self.body::<Convergence>(event),
            "settle" => self.view.proposal = self.body::<Settled>(event).map(|settled| settled.proposal),
            key if key.starts_with("round/") => {
                if let Some(Round { round, new, duplicates, dry }) = self.body(event) {
                    let view = RoundView { round, new: count(new.len()), dry, duplicates: count(duplicates.len()) };
                    self.view.rounds.retain(|known| known.round != round);
                    self.view.rounds.push(view);
                    if self.held.any {
                        self.held.rounds.push(round);
                    }
                    self.view.feed.retain(|found| found.round != Some(round));
                    self.view.feed.extend(feed::of_round(round, &new, &event.at));
                }
            }
            _ => {}
        }
    }

    /// A cell of the plan: known by name before it is asked.
    fn planned(&mut self, plan: &Plan, cell: &Cell) {
        let step = self.step(&cell_key(plan, cell).0);
        step.dimension.clone_from(&cell.dimension);
        step.scopes = plan.bucket_names(cell.bucket).into_iter().map(str::to_owned).collect();
        step.wave = cell.wave;
    }

    fn step_started(&mut self, event: &Event) {
        #[derive(Deserialize)]
        struct Started {
            agent: String,
            label: String,
            dimension: String,
            scopes: Vec<String>,
        }
        let started: Option<Started> = event.body.read().ok();
        let step = self.step(&event.key);
        if matches!(step.state, StepState::Hole { .. }) {
            // After a refill it is told more and asked again.
            let told = hole_step(&step.label, &step.dimension);
            self.view.holes.retain(|hole| hole.step != told);
        }
        let step = self.step(&event.key);
        step.state = StepState::Running;
        step.attempts = if event.attempt > 0 { step.attempts.max(event.attempt) } else { step.attempts.saturating_add(1) };
        step.started_at.clone_from(&event.at);
        step.ended_at.clear();
        // A start of another shape leaves what the plan or the key already told.
        if let Some(Started { agent, label, dimension, scopes }) = started {
            (step.agent, step.label, step.dimension, step.scopes) = (agent, label, dimension, scopes);
        }
    }

    /// An answer that is in the journal wins over an attempt that failed later, and a running attempt over an older one.
    fn attempt_failed(&mut self, event: &Event) {
        let step = self.step(&event.key);
        let is_final = matches!(step.state, StepState::Done { .. } | StepState::Hole { .. });
        if is_final || (event.attempt > 0 && event.attempt < step.attempts) {
            return;
        }
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Failed {
            reason: String,
            class: Option<FaultClass>,
            r#final: bool,
            usage: Usage,
        }
        let failed: Failed = event.body.read().unwrap_or_default();
        step.usage = step.usage.plus(failed.usage);
        step.state = StepState::Failed { class: failed.class, reason: failed.reason, waits: failed.r#final };
        step.ended_at.clone_from(&event.at);
    }

    fn step_done(&mut self, event: &Event) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Done {
            findings: u64,
            agent: Option<String>,
            answer: Option<Body>,
            usage: Option<Usage>,
            provenance: Option<Provenance>,
        }
        let done: Done = event.body.read().unwrap_or_default();
        let covered = done.answer.as_ref().is_none_or(|answer| answer.text() != NOT_COVERED);
        let step = self.step(&event.key);
        step.state = StepState::Done { findings: u32::try_from(done.findings).unwrap_or(u32::MAX), covered };
        step.ended_at.clone_from(&event.at);
        step.usage = step.usage.plus(done.usage.unwrap_or_default());
        step.provenance = done.provenance;
        if let Some(agent) = done.agent {
            step.agent = agent;
        }
        match done.answer {
            Some(answer) if event.key == WRITE_FINDINGS => self.written(&answer.value()),
            Some(answer) if event.key.starts_with("review/") || event.key.starts_with("before/") => {
                let label = step.label.clone();
                self.view.feed.extend(feed::of_answer(&label, &answer, &event.at));
            }
            _ => {}
        }
    }

    /// A cap held it up: counted as a hole until it is asked.
    fn step_held(&mut self, event: &Event) {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Fields {
            reason: String,
            label: String,
            dimension: String,
            scopes: Vec<String>,
        }
        let Fields { reason, label, dimension, scopes } = event.body.read().unwrap_or_default();
        let step = self.step(&event.key);
        step.state = StepState::Held { reason: reason.clone() };
        step.ended_at.clone_from(&event.at);
        if !label.is_empty() {
            (step.label, step.dimension, step.scopes) = (label, dimension, scopes);
        }
        let hole = Hole {
            step: hole_step(&step.label, &step.dimension),
            dimension: step.dimension.clone(),
            scopes: step.scopes.clone(),
            reason,
        };
        self.hole(hole);
        self.held.any = true;
    }

    fn hole_accepted(&mut self, event: &Event) {
        let step = self.step(&event.key);
        step.state = StepState::Hole { reason: text(event, "reason") };
        step.ended_at.clone_from(&event.at);
        if let Some(hole) = self.body(event) {
            self.hole(hole);
        }
    }

    fn gate_closed(&mut self, event: &Event) {
        #[derive(Deserialize)]
        struct Closed {
            by: ClosedBy,
        }
        let closed_by = self.body::<Closed>(event).map(|closed| closed.by);
        let gate = self.gate(event);
        (gate.open, gate.closed_by) = (false, closed_by);
    }

    /// A hole is told twice, by the step and by the fan-out's result; it counts once.
    fn hole(&mut self, hole: Hole) {
        if !self.view.holes.iter().any(|known| known.step == hole.step) {
            self.view.holes.push(hole);
        }
    }

    fn written(&mut self, body: &Value) {
        if let Some(path) = body["path"].as_str().filter(|path| !path.is_empty()) {
            self.view.written = Some(path.to_owned());
        }
    }

    /// What a person added at a round's gate, as far as it stands; nothing else arrives while that gate is open.
    fn added_by_hand(&mut self, gate: &str) {
        let Some(round) = gate.strip_prefix("gate/round/").and_then(|round| round.parse().ok()) else { return };
        let records = self.view.gates.get(gate).map(|gate| gate.records.as_slice()).unwrap_or_default();
        self.view.feed.retain(|found| !feed::is_added_at(found, round));
        self.view.feed.extend(feed::of_gate(round, records));
    }

    fn step(&mut self, key: &str) -> &mut StepView {
        let new = || StepView { label: StepKey::from(key).label(), ..StepView::default() };
        self.view.steps.entry(key.to_owned()).or_insert_with(new)
    }

    fn gate(&mut self, event: &Event) -> &mut GateView {
        self.view.gates.entry(event.key.clone()).or_default()
    }

    /// The body as a type; one that does not fit is shown like an unknown kind, and changes nothing else.
    fn body<T: DeserializeOwned>(&mut self, event: &Event) -> Option<T> {
        let read = event.body.read().ok();
        if read.is_none() {
            self.note(format!("{} {} (unreadable body)", event.kind.word(), event.key));
        }
        read
    }

    fn note(&mut self, word: String) {
        if !self.view.unknown_kinds.contains(&word) {
            self.view.unknown_kinds.push(word);
        }
    }
}

/// The step that a hole of a held step names: all that is kept from the arbiter is one hole.
fn hole_step(label: &str, dimension: &str) -> String {
    if dimension == ARBITER { ARBITER.to_owned() } else { label.to_owned() }
}

fn text(event: &Event, field: &str) -> String {
    event.body.value()[field].as_str().unwrap_or_default().to_owned()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// All events of a run, with a checkpoint every [`CHECKPOINT_EVERY`] so that stepping back is quick.
#[derive(Clone, Debug, Default)]
pub struct History {
    events: Vec<Event>,
    /// The fold after each full stretch of [`CHECKPOINT_EVERY`] events.
    checkpoints: Vec<Fold>,
    now: Fold,
}

impl History {
    /// A history of these events.
    pub fn new(events: Vec<Event>) -> History {
        let mut history = History::default();
        events.into_iter().for_each(|event| history.push(event));
        history
    }

    /// Adds the next event.
    pub fn push(&mut self, event: Event) {
        self.now.apply(&event);
        self.events.push(event);
        if self.events.len().is_multiple_of(CHECKPOINT_EVERY) {
            self.checkpoints.push(self.now.clone());
        }
    }

    /// The run after its first `n` events; after all of them where there are fewer.
    pub fn at(&self, n: usize) -> RunView {
        if n >= self.events.len() {
            return self.now.view.clone();
        }
        let full = n / CHECKPOINT_EVERY;
        let mut fold = full.checked_sub(1).map_or_else(Fold::default, |last| self.checkpoints[last].clone());
        self.events[full * CHECKPOINT_EVERY..n].iter().for_each(|event| fold.apply(event));
        fold.view
    }

    /// The run after its last event.
    pub fn now(&self) -> &RunView {
        &self.now.view
    }

    /// The events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}
