//! Steps: one question to one agent, retried until it is answered or a hole; and effects on the world.

use super::budget::{Admission, CAP_GRACE};
use super::ports::{AgentFault, BoxFuture, HoleEnd};
use super::recorded::Entry;
use super::{ATTEMPT_DEADLINE, MAX_FAILURES, Run};
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::estimate::Reserve;
use crate::model::event::{Body, Draft, Kind};
use crate::model::fault::{Fault, FaultKind};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;
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
    /// What each attempt reserves of the caps before it starts; one that reserves nothing is never held up.
    pub reserve: Reserve,
    /// How long an attempt may take before it counts as failed; [`ATTEMPT_DEADLINE`] where `None`.
    pub deadline: Option<Duration>,
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
    /// Not asked, or not asked again, because a cap is reached: the reason. A hole for now; a refill asks it.
    Held(String),
}

/// How the attempts at a step ended in this process.
enum End {
    /// For good.
    Final(Outcome),
    /// Nobody here brings the answer: where the question is. The next process asks again.
    Awaited(String),
}

/// How an attempt ended without an answer.
struct Ended {
    fault: AgentFault,
    /// Nobody saw the end of it: what it cost is not known.
    unknown: bool,
    /// The time cap told it to stop.
    capped: bool,
}

impl From<AgentFault> for Ended {
    fn from(fault: AgentFault) -> Ended {
        Ended { fault, unknown: false, capped: false }
    }
}

/// Steps of a wave that begin, or are held up, with one append.
#[derive(Default)]
struct Batch {
    drafts: Vec<Draft>,
    starts: Vec<(usize, Entry, CancellationToken)>,
}

/// Gives a step's reserve back when its attempts are over, however they ended.
struct GivesBack {
    run: Run,
    key: String,
}

impl Drop for GivesBack {
    fn drop(&mut self) {
        self.run.budget().release(&self.key);
        self.run.inner.given_back.notify_waiters();
    }
}

/// Makes one attempt; the arguments are the step, the attempt's number, from 1, and what tells it to stop.
type Make = Arc<dyn Fn(StepSpec, u32, CancellationToken) -> BoxFuture<'static, Result<Attempt, AgentFault>> + Send + Sync>;

/// The steps of a wave that are under way, each with its index.
type Running = JoinSet<(usize, Result<End, Fault>)>;

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
    /// The journal cannot be written, or what is recorded differs from what is attempted; once everything else is final, that a
    /// person is needed who carries questions and is not here.
    pub async fn fan_out<F, Fut>(&self, specs: Vec<StepSpec>, make: F) -> Result<Vec<Outcome>, Fault>
    where
        F: Fn(StepSpec, u32, CancellationToken) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Attempt, AgentFault>> + Send + 'static,
    {
        let make: Make = Arc::new(move |spec, attempt, cancel| Box::pin(make(spec, attempt, cancel)));
        let mut outcomes: Vec<Option<Outcome>> = vec![None; specs.len()];
        let mut open: Vec<(usize, Entry)> = Vec::new();
        let mut awaited: Vec<String> = Vec::new();
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
            let mut running = JoinSet::new();
            let mut batch = Batch::default();
            for (index, entry) in open.iter().filter(|(index, _)| specs[*index].wave == wave) {
                let spec = &specs[*index];
                let mut admitted = self.try_admit(spec);
                if admitted.is_none() {
                    // It may fit once others are done: those that are admitted begin now.
                    self.begin_batch(std::mem::take(&mut batch), &specs, &make, &mut running).await?;
                    admitted = Some(self.admit(spec).await);
                }
                match admitted.unwrap_or(Ok(())) {
                    Ok(()) => {
                        batch.drafts.push(started(spec, entry.attempts + 1));
                        batch.starts.push((*index, entry.clone(), self.begin(&spec.key)));
                    }
                    Err(reason) => {
                        batch.drafts.push(step_held(spec, &reason));
                        outcomes[*index] = Some(Outcome::Held(reason));
                    }
                }
            }
            self.begin_batch(batch, &specs, &make, &mut running).await?;
            while let Some(joined) = running.join_next().await {
                let (index, outcome) = joined.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
                match outcome? {
                    End::Final(outcome) => outcomes[index] = Some(outcome),
                    End::Awaited(reason) => awaited.push(reason),
                }
            }
        }
        if let Some(where_they_are) = awaited.first() {
            let what = format!("questions that wait for a person to carry them: {}; {where_they_are}", awaited.len());
            return Err(Fault::new(FaultKind::NeedsPerson, what, ""));
        }
        Ok(outcomes.into_iter().map(|outcome| outcome.expect("every step is final")).collect())
    }

    /// Records how the steps of a batch begin, then lets them.
    async fn begin_batch(&self, batch: Batch, specs: &[StepSpec], make: &Make, running: &mut Running) -> Result<(), Fault> {
        self.emit(batch.drafts).await?;
        for (index, entry, cancel) in batch.starts {
            let (run, spec, make) = (self.clone(), specs[index].clone(), Arc::clone(make));
            let gives_back = GivesBack { run: self.clone(), key: spec.key.clone() };
            running.spawn(async move {
                let outcome = run.attempts(spec, entry, cancel, make).await;
                drop(gives_back);
                (index, outcome)
            });
        }
        Ok(())
    }

    /// Reserves what an attempt at a step may take: the reason why not where a cap is reached, `None` where others that are
    /// under way may leave enough.
    fn try_admit(&self, spec: &StepSpec) -> Option<Result<(), String>> {
        match self.budget().admit(&spec.key, spec.reserve, Instant::now()) {
            Admission::Granted => Some(Ok(())),
            Admission::Refused(reason) => Some(Err(reason)),
            Admission::Wait => None,
        }
    }

    /// The same, waiting for the others.
    async fn admit(&self, spec: &StepSpec) -> Result<(), String> {
        let mut given_back = pin!(self.inner.given_back.notified());
        loop {
            // Listens before it looks, so that nothing that is given back in between is missed.
            given_back.as_mut().enable();
            if let Some(admitted) = self.try_admit(spec) {
                return admitted;
            }
            given_back.as_mut().await;
            given_back.set(self.inner.given_back.notified());
        }
    }

    /// Attempts at one step until it is final. The first attempt's start is already recorded.
    async fn attempts(&self, spec: StepSpec, entry: Entry, mut cancel: CancellationToken, make: Make) -> Result<End, Fault> {
        let (mut attempt, mut failures) = (entry.attempts + 1, entry.failures);
        loop {
            let answered = self.attempt_once(&spec, attempt, &cancel, &make).await;
            self.running().remove(&spec.key);
            let ended = match answered {
                Ok(done) => {
                    self.emit(vec![step_done(&spec, attempt, &done)]).await?;
                    return Ok(End::Final(Outcome::Done(done.answer)));
                }
                // Nothing ended: the question is where it was.
                Err(ended) if ended.fault.class == FaultClass::Awaited => return Ok(End::Awaited(ended.fault.reason)),
                Err(ended) => ended,
            };
            if ended.capped {
                let reason = self.budget().time_is_up();
                self.emit(vec![attempt_failed(&spec, attempt, &ended, false), step_held(&spec, &reason)]).await?;
                return Ok(End::Final(Outcome::Held(reason)));
            }
            failures += 1;
            // Whoever cancels an attempt says themselves whether it is asked again; an agent may know that asking is no use.
            let fault = &ended.fault;
            let asks_person = failures >= MAX_FAILURES || fault.class == FaultClass::Cancelled || fault.spent;
            self.emit(vec![attempt_failed(&spec, attempt, &ended, asks_person)]).await?;
            if asks_person {
                match self.inner.human.at_hole(&spec, &fault.reason).await {
                    HoleEnd::Accept { by } => {
                        self.emit(vec![hole_accepted(&spec, &fault.reason, &by)]).await?;
                        return Ok(End::Final(Outcome::Hole(ended.fault.reason)));
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
            let admitted = cancel.run_until_cancelled(self.admit(&spec)).await;
            match admitted {
                Some(Ok(())) => self.emit(vec![started(&spec, attempt)]).await?,
                Some(Err(reason)) => {
                    self.running().remove(&spec.key);
                    self.emit(vec![step_held(&spec, &reason)]).await?;
                    return Ok(End::Final(Outcome::Held(reason)));
                }
                // It ends before anything is asked: it reserves nothing.
                None => self.emit(vec![started(&StepSpec { reserve: Reserve::default(), ..spec.clone() }, attempt)]).await?,
            }
        }
    }

    /// One attempt, waited for until it ends or its time is up; one that fails after it was cancelled ends as cancelled. At
    /// the time cap one that costs something is told to stop, and left behind where it does not soon.
    async fn attempt_once(
        &self,
        spec: &StepSpec,
        number: u32,
        cancel: &CancellationToken,
        make: &Make,
    ) -> Result<Attempt, Ended> {
        if cancel.is_cancelled() {
            return Err(AgentFault::cancelled().into());
        }
        let costs = !spec.reserve.is_free();
        let deadline = spec.deadline.unwrap_or(ATTEMPT_DEADLINE);
        let mut work = pin!(tokio::time::timeout(deadline, make(spec.clone(), number, cancel.clone())));
        let cap = self.budget().caps.until.filter(|_| costs);
        let in_time = match cap {
            Some(until) => tokio::time::timeout_at(until, work.as_mut()).await.ok(),
            None => Some(work.as_mut().await),
        };
        let by_person = |fault: AgentFault| AgentFault { usage: fault.usage, ..AgentFault::cancelled() };
        let late = || AgentFault::new(FaultClass::Timeout, format!("no answer within {} s", deadline.as_secs()));
        match in_time {
            Some(Ok(answered)) => answered.map_err(|fault| if cancel.is_cancelled() { by_person(fault) } else { fault }.into()),
            Some(Err(_)) => {
                let fault = if cancel.is_cancelled() { by_person(late()) } else { late() };
                Err(Ended { fault, unknown: costs, capped: false })
            }
            None => {
                let told_by_person = cancel.is_cancelled();
                let reason = self.budget().time_is_up();
                cancel.cancel();
                let ended = match tokio::time::timeout(CAP_GRACE, work).await {
                    Ok(Ok(Ok(done))) => return Ok(done),
                    Ok(Ok(Err(fault))) => Ended::from(fault),
                    Ok(Err(_)) | Err(_) => Ended { unknown: costs, ..late().into() },
                };
                let fault = match told_by_person {
                    true => by_person(ended.fault),
                    false => AgentFault { usage: ended.fault.usage, ..AgentFault::new(FaultClass::Capped, reason) },
                };
                Err(Ended { fault, capped: !told_by_person, ..ended })
            }
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
                self.emit(vec![attempt_failed(&spec, attempt, &shown.into(), false)]).await?;
                Err(fault)
            }
        }
    }
}

fn recorded_outcome(entry: &Entry) -> Option<Outcome> {
    let done = entry.done.clone().map(Outcome::Done);
    done.or_else(|| entry.hole.clone().map(Outcome::Hole)).or_else(|| entry.held.clone().map(Outcome::Held))
}

/// Half a second, then twice as long after each further failure.
fn back_off(failures: u32) -> Duration {
    Duration::from_millis(500 << failures.saturating_sub(1).min(6))
}

fn draft(kind: Kind, spec: &StepSpec, attempt: u32, body: impl Into<Body>) -> Draft {
    Draft { kind, key: spec.key.clone(), attempt, body: body.into() }
}

fn started(spec: &StepSpec, attempt: u32) -> Draft {
    let mut body = json!({
        "input_hash": spec.input_hash, "agent": spec.agent, "label": spec.label,
        "dimension": spec.dimension, "scopes": spec.scopes,
    });
    if !spec.reserve.is_free() {
        body["reserve"] = json!(spec.reserve);
    }
    draft(Kind::StepStarted, spec, attempt, body)
}

/// `final` says that a person is asked next: whether to ask again or to leave the hole; `unknown` holds the reserve of an
/// attempt of which nobody knows what it cost.
fn attempt_failed(spec: &StepSpec, attempt: u32, ended: &Ended, asks_person: bool) -> Draft {
    let fault = &ended.fault;
    let mut body = json!({ "reason": fault.reason, "class": fault.class, "final": asks_person });
    if fault.usage != Usage::default() {
        body["usage"] = json!(fault.usage);
    }
    if ended.unknown {
        body["unknown"] = json!(spec.reserve);
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

fn step_held(spec: &StepSpec, reason: &str) -> Draft {
    let body = json!({
        "reason": reason, "class": FaultClass::Capped, "label": spec.label, "dimension": spec.dimension,
        "scopes": spec.scopes, "input_hash": spec.input_hash,
    });
    draft(Kind::StepHeld, spec, 0, body)
}
