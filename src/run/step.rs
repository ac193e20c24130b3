//! Steps: one question to one agent, retried until it is answered or a hole; and effects on the world.

use super::ports::{AgentFault, BoxFuture, HoleEnd};
use super::recorded::Entry;
use super::{ATTEMPT_DEADLINE, MAX_FAILURES, Run};
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::event::{Body, Draft, Kind};
use crate::model::fault::Fault;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What a step is: its key, what is asked, and how people see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepSpec {
    /// Semantic key.
    pub key: String,
    /// Hash of what is asked (DESIGN, rule 4).
    pub input_hash: String,
    /// Readable name.
    pub label: String,
    /// Dimension id; `critic` or `arbiter` for those.
    pub dimension: String,
    /// Scope names.
    pub scopes: Vec<String>,
    /// Who is asked.
    pub agent: String,
    /// Wave, from 1; steps of one wave start together, the next wave when all have ended.
    pub wave: u32,
}

/// What an attempt returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// The answer, as recorded.
    pub answer: Body,
    /// Number of findings in it, for views.
    pub findings: u32,
    /// Who answered.
    pub agent: String,
    /// What it cost.
    pub usage: Usage,
    /// How it came about, where a model gave it.
    pub provenance: Option<Provenance>,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Answered.
    Done(Body),
    /// Never answered; the reason of the last failure.
    Hole(String),
}

/// Makes one attempt; the arguments are the step, the attempt's number, from 1, and what tells it to stop.
type Make = Arc<dyn Fn(StepSpec, u32, CancellationToken) -> BoxFuture<'static, Result<Attempt, AgentFault>> + Send + Sync>;

impl Run {
    /// One step: answered from the record, or asked until it is answered or a hole.
    ///
    /// # Errors
    /// The journal cannot be written, or what is recorded differs from what is attempted.
    pub async fn step<F, Fut>(&self, spec: StepSpec, make: F) -> Result<Outcome, Fault>
    where
        F: Fn(StepSpec, u32, CancellationToken) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Attempt, AgentFault>> + Send + 'static,
    {
        let mut outcomes = self.fan_out(vec![spec], make).await?;
        Ok(outcomes.remove(0))
    }

    /// Many steps, wave by wave; returns when every one is final, in the order given (DESIGN, rule 3).
    ///
    /// # Errors
    /// The journal cannot be written, or what is recorded differs from what is attempted.
    pub async fn fan_out<F, Fut>(&self, specs: Vec<StepSpec>, make: F) -> Result<Vec<Outcome>, Fault>
    where
        F: Fn(StepSpec, u32, CancellationToken) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Attempt, AgentFault>> + Send + 'static,
    {
        let make: Make = Arc::new(move |spec, attempt, cancel| Box::pin(make(spec, attempt, cancel)));
        let mut outcomes: Vec<Option<Outcome>> = vec![None; specs.len()];
        let mut open: Vec<(usize, Entry)> = Vec::new();
        for (index, spec) in specs.iter().enumerate() {
            let entry = self.recorded().consume(&spec.key, Some(&spec.input_hash))?.unwrap_or_default();
            match recorded_outcome(&entry) {
                Some(outcome) => outcomes[index] = Some(outcome),
                None => open.push((index, entry)),
            }
        }
        let mut waves: Vec<u32> = open.iter().map(|&(index, _)| specs[index].wave).collect();
        waves.sort_unstable();
        waves.dedup();
        for wave in waves {
            let members: Vec<&(usize, Entry)> = open.iter().filter(|(index, _)| specs[*index].wave == wave).collect();
            let starts = members.iter().map(|(index, entry)| started(&specs[*index], entry.attempts + 1)).collect();
            let cancels: Vec<CancellationToken> = members.iter().map(|(index, _)| self.begin(&specs[*index].key)).collect();
            self.emit(starts).await?;
            let mut running = JoinSet::new();
            for (&(index, ref entry), cancel) in members.into_iter().zip(cancels) {
                let (run, spec, entry, make) = (self.clone(), specs[index].clone(), entry.clone(), Arc::clone(&make));
                running.spawn(async move { (index, run.attempts(spec, entry, cancel, make).await) });
            }
            while let Some(joined) = running.join_next().await {
                let (index, outcome) = joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
                outcomes[index] = Some(outcome?);
            }
        }
        Ok(outcomes.into_iter().map(|outcome| outcome.expect("every step is final")).collect())
    }

    /// Attempts at one step until it is final. The first attempt's start is already recorded.
    async fn attempts(&self, spec: StepSpec, entry: Entry, mut cancel: CancellationToken, make: Make) -> Result<Outcome, Fault> {
        let (mut attempt, mut failures) = (entry.attempts + 1, entry.failures);
        loop {
            let answered = attempt_once(&spec, attempt, &cancel, &make).await;
            self.running().remove(&spec.key);
            let fault = match answered {
                Ok(done) => {
                    self.emit(vec![step_done(&spec, attempt, &done)]).await?;
                    return Ok(Outcome::Done(done.answer));
                }
                Err(fault) => fault,
            };
            failures += 1;
            // Whoever cancels an attempt says themselves whether it is asked again.
            let asks_person = failures >= MAX_FAILURES || fault.class == FaultClass::Cancelled;
            self.emit(vec![attempt_failed(&spec, attempt, &fault, asks_person)]).await?;
            if asks_person {
                match self.inner.human.at_hole(&spec, &fault.reason).await {
                    HoleEnd::Accept { by } => {
                        self.emit(vec![hole_accepted(&spec, &fault.reason, &by)]).await?;
                        return Ok(Outcome::Hole(fault.reason));
                    }
                    HoleEnd::Retry => failures = 0,
                }
            }
            cancel = self.begin(&spec.key);
            if !asks_person {
                // Cut short by a cancel, which then ends the next attempt as it begins.
                let _ = tokio::time::timeout(back_off(failures), cancel.cancelled()).await;
            }
            attempt += 1;
            self.emit(vec![started(&spec, attempt)]).await?;
        }
    }

    /// An effect on the world that no agent answers: reading or writing a file. A failure is the run's failure.
    ///
    /// # Errors
    /// The effect's own fault, or the journal's.
    pub async fn effect<Fut>(&self, key: &str, input_hash: &str, perform: impl FnOnce() -> Fut) -> Result<Body, Fault>
    where
        Fut: Future<Output = Result<Body, Fault>>,
    {
        let entry = self.recorded().consume(key, Some(input_hash))?.unwrap_or_default();
        if let Some(answer) = entry.done {
            return Ok(answer);
        }
        let spec =
            StepSpec { key: key.to_owned(), input_hash: input_hash.to_owned(), label: key.to_owned(), ..StepSpec::default() };
        let attempt = entry.attempts + 1;
        self.emit(vec![started(&spec, attempt)]).await?;
        match perform().await {
            Ok(answer) => {
                let done = Attempt { answer, findings: 0, ..Attempt::default() };
                self.emit(vec![step_done(&spec, attempt, &done)]).await?;
                Ok(done.answer)
            }
            Err(fault) => {
                let shown = AgentFault::new(FaultClass::Failed, fault.what.clone());
                // No person is asked: the run ends, and a resume performs it again.
                self.emit(vec![attempt_failed(&spec, attempt, &shown, false)]).await?;
                Err(fault)
            }
        }
    }
}

/// One attempt, waited for until it ends or its time is up; one that fails after it was cancelled ends as cancelled.
async fn attempt_once(spec: &StepSpec, number: u32, cancel: &CancellationToken, make: &Make) -> Result<Attempt, AgentFault> {
    if cancel.is_cancelled() {
        return Err(AgentFault::cancelled());
    }
    let answered = tokio::time::timeout(ATTEMPT_DEADLINE, make(spec.clone(), number, cancel.clone())).await;
    let late = |_| Err(AgentFault::new(FaultClass::Timeout, format!("no answer within {} s", ATTEMPT_DEADLINE.as_secs())));
    answered.unwrap_or_else(late).map_err(|fault| if cancel.is_cancelled() { AgentFault::cancelled() } else { fault })
}

fn recorded_outcome(entry: &Entry) -> Option<Outcome> {
    match (&entry.done, &entry.hole) {
        (Some(answer), _) => Some(Outcome::Done(answer.clone())),
        (None, Some(reason)) => Some(Outcome::Hole(reason.clone())),
        (None, None) => None,
    }
}

/// Half a second, then twice as long after each further failure.
fn back_off(failures: u32) -> Duration {
    Duration::from_millis(500 << failures.saturating_sub(1).min(6))
}

fn draft(kind: Kind, spec: &StepSpec, attempt: u32, body: impl Into<Body>) -> Draft {
    Draft { kind, key: spec.key.clone(), attempt, body: body.into() }
}

fn started(spec: &StepSpec, attempt: u32) -> Draft {
    let body = json!({
        "input_hash": spec.input_hash, "agent": spec.agent, "label": spec.label,
        "dimension": spec.dimension, "scopes": spec.scopes,
    });
    draft(Kind::StepStarted, spec, attempt, body)
}

/// `final` says that a person is asked next: whether to ask again or to leave the hole.
fn attempt_failed(spec: &StepSpec, attempt: u32, fault: &AgentFault, asks_person: bool) -> Draft {
    let mut body = json!({ "reason": fault.reason, "class": fault.class, "final": asks_person });
    if fault.usage != Usage::default() {
        body["usage"] = json!(fault.usage);
    }
    draft(Kind::AttemptFailed, spec, attempt, body)
}

fn step_done(spec: &StepSpec, attempt: u32, done: &Attempt) -> Draft {
    // Written field by field: the answer goes in as the text it is.
    let mut fields =
        json!({ "input_hash": spec.input_hash, "agent": done.agent, "findings": done.findings, "usage": done.usage });
    if let Some(provenance) = &done.provenance {
        fields["provenance"] = json!(provenance);
    }
    #[derive(serde::Serialize)]
    struct Done<'a> {
        #[serde(flatten)]
        fields: Value,
        answer: &'a Body,
    }
    let body = Body::of(&Done { fields: fields.clone(), answer: &done.answer }).unwrap_or_else(|_| fields.into());
    draft(Kind::StepDone, spec, attempt, body)
}

fn hole_accepted(spec: &StepSpec, reason: &str, by: &str) -> Draft {
    let body = json!({
        "step": spec.label, "dimension": spec.dimension, "scopes": spec.scopes, "reason": reason, "by": by,
    });
    draft(Kind::HoleAccepted, spec, 0, body)
}
