//! What a journal already answers: looked up by key, in the order in which it was recorded.

use super::mismatch;
use crate::model::answer::FaultClass;
use crate::model::event::{Body, Event, Kind};
use crate::model::fault::Fault;
use crate::model::gate::GateRecord;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// Everything recorded under one key.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// Sequence number of its first event.
    pub seq: u64,
    /// Hash of what was asked, where the kind carries one.
    pub input_hash: Option<String>,
    /// Attempts begun.
    pub attempts: u32,
    /// Attempts that failed.
    pub failures: u32,
    /// The answer of a step that is done.
    pub done: Option<Body>,
    /// Why a step stays a hole.
    pub hole: Option<String>,
    /// A fixed result.
    pub fixed: Option<Body>,
    /// Records of a gate.
    pub records: Vec<GateRecord>,
    /// Whether a gate is closed.
    pub closed: bool,
    /// Whether a closed gate was opened again.
    pub reopened: bool,
    /// Why a cap holds a step up.
    pub held: Option<String>,
    /// Kept through a refill: an answer, an observation, or records of a gate, with no place in the order any more until
    /// it is recorded anew.
    pub loose: bool,
    /// Whether an agent is asked.
    asked: bool,
}

/// Steps whose question grows with what is known: an answer to a shorter one is no answer after a refill.
const GROWING: [&str; 2] = ["critic/", "arbiter/"];
/// Effects that only look: what they saw before the run wrote anything stays true.
const LOOKS: &str = "read/";

/// What the index looks at in a body.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    input_hash: Option<String>,
    answer: Option<Body>,
    reason: Option<String>,
    class: Option<FaultClass>,
    agent: String,
}

/// The index over a journal.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    entries: HashMap<String, Entry>,
    /// First sequence number → key, of what has not been asked for again yet.
    waiting: BTreeMap<u64, String>,
}

impl Recorded {
    /// Reads the events of a journal.
    pub fn read(events: &[Event]) -> Recorded {
        let mut recorded = Recorded::default();
        events.iter().for_each(|event| recorded.apply(event));
        let placed = recorded.entries.iter().filter(|(_, entry)| !entry.loose);
        recorded.waiting = placed.map(|(key, entry)| (entry.seq, key.clone())).collect();
        recorded
    }

    /// Why a cap holds up the first of the steps that are held; `None` where none is.
    pub fn held(&self) -> Option<String> {
        let held = self.entries.values().filter(|entry| entry.held.is_some());
        held.min_by_key(|entry| entry.seq).and_then(|entry| entry.held.clone())
    }

    fn apply(&mut self, event: &Event) {
        match event.kind {
            Kind::RunResumed if event.refills() => return self.refill(),
            Kind::GateReopened => return self.reopen(&event.key),
            Kind::RunStarted | Kind::RunResumed | Kind::SendingConfirmed => return,
            Kind::RunPaused | Kind::RunFinished | Kind::Unknown(_) => return,
            _ => {}
        }
        let fresh = Entry { seq: event.seq, ..Entry::default() };
        let entry = self.entries.entry(event.key.clone()).or_insert(fresh);
        // Bodies of other shapes have none of these fields, or are no maps at all.
        let fields: Fields = event.body.read().unwrap_or_default();
        if entry.loose {
            // Recorded anew: from here on it has its place again.
            (entry.loose, entry.seq) = (false, event.seq);
            if fields.input_hash.is_some() && fields.input_hash != entry.input_hash {
                *entry = Entry {
                    seq: event.seq,
                    attempts: entry.attempts,
                    records: std::mem::take(&mut entry.records),
                    ..Entry::default()
                };
            }
        }
        entry.asked |= event.kind == Kind::StepHeld || !fields.agent.is_empty();
        if let Some(hash) = fields.input_hash {
            entry.input_hash = Some(hash);
        }
        match event.kind {
            Kind::Fixed => entry.fixed = Some(event.body.clone()),
            Kind::StepStarted => {
                entry.attempts = entry.attempts.max(event.attempt);
                entry.held = None;
            }
            // A person's word and a cap are no failures of the agent: they spend no retry.
            Kind::AttemptFailed if matches!(fields.class, Some(FaultClass::Cancelled | FaultClass::Capped)) => {}
            Kind::AttemptFailed => entry.failures += 1,
            Kind::StepDone => entry.done = Some(fields.answer.unwrap_or_else(|| serde_json::Value::Null.into())),
            Kind::StepHeld => entry.held = Some(fields.reason.unwrap_or_default()),
            Kind::HoleAccepted => {
                entry.hole = Some(fields.reason.unwrap_or_default());
            }
            Kind::GateRecord => {
                // A record this version cannot read is caught when the journal is opened for a resume.
                if let Ok(record) = event.body.read() {
                    entry.records.push(record);
                }
            }
            Kind::GateClosed => entry.closed = true,
            _ => {}
        }
    }

    /// Opens a closed gate again: what was recorded after it is history, no longer an answer.
    fn reopen(&mut self, key: &str) {
        let Some(gate) = self.entries.get_mut(key).filter(|gate| !gate.loose) else { return };
        gate.closed = false;
        gate.reopened = true;
        let from = gate.seq;
        self.entries.retain(|_, entry| entry.seq <= from);
    }

    /// Opens the record at the first step that a cap held up: such steps are asked again, and what was made of their being
    /// unanswered is history. What agents answered stays an answer, and what a person left on a gate stays on it.
    fn refill(&mut self) {
        let Some(first) = self.entries.values().filter(|entry| entry.held.is_some()).map(|entry| entry.seq).min() else { return };
        self.entries.retain(|key, entry| {
            if entry.seq < first {
                return true;
            }
            (entry.held, entry.closed, entry.loose) = (None, false, true);
            entry.asked || key.starts_with(LOOKS) || !entry.records.is_empty()
        });
    }

    /// What is recorded under a key, once; `None` where the run goes on live from here.
    ///
    /// # Errors
    /// Something else comes next in the record, or the same key was asked something else.
    pub fn consume(&mut self, key: &str, input_hash: Option<&str>) -> Result<Option<Entry>, Fault> {
        let seq = match self.waiting.first_key_value() {
            Some((&seq, next)) if next == key => seq,
            _ if self.entries.get(key).is_some_and(|entry| entry.loose) => return self.consume_loose(key, input_hash),
            None => return Ok(None),
            Some((&seq, next)) => return Err(mismatch(seq, next, key)),
        };
        self.waiting.remove(&seq);
        let entry = self.entries.remove(key).unwrap_or_default();
        if let (Some(attempted), Some(recorded)) = (input_hash, entry.input_hash.as_deref())
            && attempted != recorded
        {
            return Err(mismatch(seq, &format!("{key} with input {recorded}"), &format!("{key} with input {attempted}")));
        }
        Ok(Some(entry))
    }

    /// What a refill kept under a key, whatever its place was.
    fn consume_loose(&mut self, key: &str, input_hash: Option<&str>) -> Result<Option<Entry>, Fault> {
        let entry = self.entries.remove(key).unwrap_or_default();
        let (Some(attempted), Some(recorded)) = (input_hash, entry.input_hash.as_deref()) else { return Ok(Some(entry)) };
        if attempted == recorded || !(entry.asked || key.starts_with(LOOKS)) {
            return Ok(Some(entry));
        }
        if GROWING.iter().any(|prefix| key.starts_with(prefix)) {
            // It was told less: asked again, with a number of its own.
            return Ok(Some(Entry { seq: entry.seq, attempts: entry.attempts, loose: true, ..Entry::default() }));
        }
        Err(mismatch(entry.seq, &format!("{key} with input {recorded}"), &format!("{key} with input {attempted}")))
    }

    /// # Errors
    /// Something recorded was never asked for again; what a refill kept may stay unasked.
    pub fn all_consumed(&self) -> Result<(), Fault> {
        match self.waiting.iter().next() {
            Some((&seq, key)) => Err(mismatch(seq, key, "the end of the run")),
            None => Ok(()),
        }
    }
}
