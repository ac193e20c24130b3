//! Gates: where a run waits for a person (DESIGN, rule 2).

use super::Run;
use crate::model::event::{Body, Draft, Kind};
use crate::model::fault::Fault;
use crate::model::finding::Finding;
use crate::model::gate::{ClosedBy, GateRecord, Op};
use crate::model::outcome::ReviewOutcome;
use crate::model::settled::Proposal;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// What a gate is about.
#[derive(Clone, Debug)]
pub enum GateSubject {
    /// A critic round has ended.
    Round {
        /// From 1.
        round: u32,
        /// What it added.
        new: Arc<Vec<Finding>>,
        /// Dry rounds in a row.
        dry: u32,
    },
    /// The findings are to be settled.
    Settle(Arc<Settling>),
}

/// From the records of the gate to what comes out; without a time.
type Settle = dyn Fn(&[GateRecord]) -> ReviewOutcome + Send + Sync;

/// What is settled, and what comes out of it: the pipeline makes its own outcome with the very same function.
pub struct Settling {
    /// The findings as proposed.
    pub proposal: Arc<Proposal>,
    outcome: Box<Settle>,
}

impl Settling {
    /// A proposal and what comes out of it with the records of its gate.
    pub fn new(proposal: Arc<Proposal>, outcome: impl Fn(&[GateRecord]) -> ReviewOutcome + Send + Sync + 'static) -> Settling {
        Settling { proposal, outcome: Box::new(outcome) }
    }

    /// What would come out with these records, settled at a time (RFC 3339). What is still open in it may not be written.
    pub fn outcome(&self, records: &[GateRecord], generated_at: &str) -> ReviewOutcome {
        ReviewOutcome { generated_at: generated_at.to_owned(), ..(self.outcome)(records) }
    }
}

impl std::fmt::Debug for Settling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settling").field("proposal", &self.proposal).finish_non_exhaustive()
    }
}

/// How a person leaves a gate.
#[derive(Clone, Debug)]
pub enum GateEnd {
    /// Nothing waited for a person.
    Passed,
    /// The person is done.
    Closed,
    /// The person is not here: the run stops and can be resumed at this gate.
    Wait(Fault),
}

/// A person's place at a gate: what it is about, and where records are left.
pub struct Desk<'a> {
    run: &'a Run,
    /// The gate's key.
    pub key: &'a str,
    /// What it is about.
    pub subject: &'a GateSubject,
    /// Opened by an earlier process already: the person has seen it wait.
    pub waited: bool,
    records: &'a Mutex<Vec<GateRecord>>,
}

impl Desk<'_> {
    /// Records so far, oldest first.
    pub fn records(&self) -> Vec<GateRecord> {
        self.records.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Leaves a record; returns once it is durable.
    ///
    /// # Errors
    /// The journal cannot be written; the record does not count then.
    pub async fn record(&self, op: Op, by: &str) -> Result<(), Fault> {
        let record = GateRecord { op, by: by.to_owned(), at: self.run.now() };
        let body = Body::of(&record).map_err(|error| super::internal(self.key, error))?;
        self.run.emit(vec![Draft::new(Kind::GateRecord, self.key, body)]).await?;
        self.records.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(record);
        Ok(())
    }
}

impl Run {
    /// A gate: answered from the record where it closed, else opened for the person.
    /// Returns the whole ledger once, when it closes.
    ///
    /// # Errors
    /// The person is not here (the fault they leave), the journal cannot be written, or the record differs.
    pub async fn gate(&self, key: &str, input_hash: &str, items: usize, subject: &GateSubject) -> Result<Vec<GateRecord>, Fault> {
        let entry = self.recorded().consume(key, Some(input_hash))?;
        // One that lost its place to a refill opens anew, with the records that were left on it.
        let waited = entry.as_ref().is_some_and(|entry| !entry.loose);
        let entry = entry.unwrap_or_default();
        if entry.closed {
            return Ok(entry.records);
        }
        if !waited {
            let body = json!({ "items": items, "input_hash": input_hash });
            self.emit(vec![Draft::new(Kind::GateOpened, key, body)]).await?;
        }
        let records = Mutex::new(entry.records);
        let desk = Desk { run: self, key, subject, waited, records: &records };
        let closed_by = match self.inner.human.at_gate(desk).await? {
            GateEnd::Passed => ClosedBy::Itself,
            GateEnd::Closed => ClosedBy::Person,
            GateEnd::Wait(fault) => {
                self.paused(&fault.what).await?;
                return Err(fault);
            }
        };
        self.emit(vec![Draft::new(Kind::GateClosed, key, json!({ "by": closed_by }))]).await?;
        Ok(records.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
