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
}

/// What the index looks at in a body.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    input_hash: Option<String>,
    answer: Option<Body>,
    reason: Option<String>,
    class: Option<FaultClass>,
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
        recorded.waiting = recorded.entries.iter().map(|(key, entry)| (entry.seq, key.clone())).collect();
        recorded
    }

    fn apply(&mut self, event: &Event) {
        if matches!(
            event.kind,
            Kind::RunStarted | Kind::RunResumed | Kind::RunPaused | Kind::RunFinished | Kind::SendingConfirmed | Kind::Unknown(_)
        ) {
            return;
        }
        if event.kind == Kind::GateReopened {
            self.reopen(&event.key);
            return;
        }
        let fresh = Entry { seq: event.seq, ..Entry::default() };
        let entry = self.entries.entry(event.key.clone()).or_insert(fresh);
        // Bodies of other shapes have none of these fields, or are no maps at all.
        let fields: Fields = event.body.read().unwrap_or_default();
        if let Some(hash) = fields.input_hash {
            entry.input_hash = Some(hash);
        }
        match event.kind {
            Kind::Fixed => entry.fixed = Some(event.body.clone()),
            Kind::StepStarted => entry.attempts = entry.attempts.max(event.attempt),
            // A person's word is no failure of the agent: it spends no retry.
            Kind::AttemptFailed if fields.class == Some(FaultClass::Cancelled) => {}
            Kind::AttemptFailed => entry.failures += 1,
            Kind::StepDone => entry.done = Some(fields.answer.unwrap_or_else(|| serde_json::Value::Null.into())),
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
        let Some(gate) = self.entries.get_mut(key) else { return };
        gate.closed = false;
        gate.reopened = true;
        let from = gate.seq;
        self.entries.retain(|_, entry| entry.seq <= from);
    }

    /// What is recorded under a key, once; `None` where the run goes on live from here.
    ///
    /// # Errors
    /// Something else comes next in the record, or the same key was asked something else.
    pub fn consume(&mut self, key: &str, input_hash: Option<&str>) -> Result<Option<Entry>, Fault> {
        let Some((&seq, next)) = self.waiting.iter().next() else { return Ok(None) };
        if next != key {
            return Err(mismatch(seq, next, key));
        }
        self.waiting.remove(&seq);
        let entry = self.entries.remove(key).unwrap_or_default();
        if let (Some(attempted), Some(recorded)) = (input_hash, entry.input_hash.as_deref())
            && attempted != recorded
        {
            return Err(mismatch(seq, &format!("{key} with input {recorded}"), &format!("{key} with input {attempted}")));
        }
        Ok(Some(entry))
    }

    /// # Errors
    /// Something recorded was never asked for again.
    pub fn all_consumed(&self) -> Result<(), Fault> {
        match self.waiting.iter().next() {
            Some((&seq, key)) => Err(mismatch(seq, key, "the end of the run")),
            None => Ok(()),
        }
    }
}
