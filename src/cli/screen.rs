//! The person at the workbench, as the engine meets them: gates wait for their records, spent retries for their word.

use super::human::HeadlessHuman;
use super::target::TargetFiles;
use crate::model::fault::{Fault, FaultKind};
use crate::model::gate::Op;
use crate::rules::decide;
use crate::run::{BoxFuture, Clock, Desk, GateEnd, GateSubject, HoleEnd, Human, Run, Settling, StepSpec, SystemClock};
use crate::tui::port::{Input, Wish};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// What is wanted at the gate that is open.
enum AtDesk {
    Record(Op),
    Close,
    Preview,
}

/// The person at the screen.
pub struct ScreenHuman {
    inputs: UnboundedSender<Input>,
    /// Who is named in records.
    person: String,
    /// What the command line decides before the person does.
    beforehand: HeadlessHuman,
    files: Mutex<TargetFiles>,
    step: AtomicBool,
    desk: Mutex<Option<UnboundedSender<AtDesk>>>,
    holes: Mutex<HashMap<String, oneshot::Sender<HoleEnd>>>,
    run: Mutex<Option<Run>>,
    /// Decisions that came before their gate was open: the one that reopens a finished run, and those on its heels.
    early: Mutex<Option<Vec<Op>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScreenHuman {
    /// A person who sees `inputs`.
    pub fn new(inputs: UnboundedSender<Input>, person: String, beforehand: HeadlessHuman, files: TargetFiles) -> ScreenHuman {
        let step = AtomicBool::new(beforehand.step);
        let (desk, holes, run, early) = (Mutex::default(), Mutex::default(), Mutex::default(), Mutex::default());
        ScreenHuman { inputs, person, beforehand, files: Mutex::new(files), step, desk, holes, run, early }
    }

    /// The run whose agents can be cancelled.
    pub fn carries(&self, run: Option<Run>) {
        *locked(&self.run) = run;
    }

    /// Who is named in records.
    pub fn person(&self) -> &str {
        &self.person
    }

    /// What this pass writes.
    pub fn writes_to(&self, files: TargetFiles) {
        *locked(&self.files) = files;
    }

    /// A decision that is recorded as soon as the gate of settling is open, before all that follow it until then.
    pub fn begins_with(&self, op: Op) {
        *locked(&self.early) = Some(vec![op]);
    }

    /// Decisions whose gate never opened.
    pub fn unrecorded(&self) -> Vec<Op> {
        locked(&self.early).take().unwrap_or_default()
    }

    /// Whether somebody is awaited at a gate.
    pub fn is_awaited(&self) -> bool {
        locked(&self.desk).is_some()
    }

    /// The person has left: whoever waits for them is told.
    pub fn leaves(&self) {
        locked(&self.desk).take();
    }

    /// Hands a wish to whoever it is for; returns it where nobody can take it now.
    pub fn wishes(&self, wish: Wish) -> Option<Wish> {
        match wish {
            Wish::Record(op) => self.at_desk(AtDesk::Record(op)).and_then(|left| match left {
                AtDesk::Record(op) => self.keep_early(op),
                AtDesk::Close | AtDesk::Preview => None,
            }),
            Wish::Close => self.at_desk(AtDesk::Close).map(|_| Wish::Close),
            Wish::Preview => self.at_desk(AtDesk::Preview).map(|_| Wish::Preview),
            Wish::Retry { step } => self.at_hole(step, HoleEnd::Retry),
            Wish::AcceptHole { step } => {
                let by = self.person.clone();
                self.at_hole(step, HoleEnd::Accept { by })
            }
            Wish::Cancel { step } => {
                let run = locked(&self.run).clone();
                if !run.is_some_and(|run| run.cancel(&step)) {
                    self.tell(Input::Notice(format!("{step}: it does not run any more")));
                }
                None
            }
            Wish::Step(step) => {
                self.step.store(step, Ordering::Relaxed);
                None
            }
            other @ (Wish::Output { .. } | Wish::Prompt { .. } | Wish::Send | Wish::Bring { .. }) => Some(other),
        }
    }

    fn keep_early(&self, op: Op) -> Option<Wish> {
        match &mut *locked(&self.early) {
            Some(early) => {
                early.push(op);
                None
            }
            None => Some(Wish::Record(op)),
        }
    }

    fn at_desk(&self, wish: AtDesk) -> Option<AtDesk> {
        match &*locked(&self.desk) {
            Some(desk) => desk.send(wish).err().map(|unsent| unsent.0),
            None => Some(wish),
        }
    }

    fn at_hole(&self, step: String, end: HoleEnd) -> Option<Wish> {
        if let Some(waiting) = locked(&self.holes).remove(&step) {
            // Whoever waited has gone only where the run ends.
            let _ = waiting.send(end);
        }
        None
    }

    fn tell(&self, input: Input) {
        // Nobody sees it where the screen has closed.
        let _ = self.inputs.send(input);
    }

    async fn wait(&self, desk: &Desk<'_>) -> Result<GateEnd, Fault> {
        let (sender, mut wishes) = unbounded_channel();
        for op in self.unrecorded() {
            // The receiver stands right here.
            let _ = sender.send(AtDesk::Record(op));
        }
        *locked(&self.desk) = Some(sender);
        self.tell(Input::Desk { gate: desk.key.to_owned() });
        let end = self.serve(desk, &mut wishes).await;
        locked(&self.desk).take();
        self.tell(Input::DeskGone);
        end
    }

    async fn serve(&self, desk: &Desk<'_>, wishes: &mut UnboundedReceiver<AtDesk>) -> Result<GateEnd, Fault> {
        while let Some(wish) = wishes.recv().await {
            match wish {
                AtDesk::Record(op) => {
                    if let Err(fault) = desk.record(op.clone(), &self.person).await {
                        let why = format!("not saved: {}; {}", fault.what, fault.hint);
                        self.tell(Input::Unsaved { op: Box::new(op), why });
                    }
                }
                AtDesk::Preview => {
                    if let GateSubject::Settle(settling) = desk.subject {
                        self.tell(Input::Preview(self.preview(desk, settling)));
                    }
                }
                AtDesk::Close => match desk.subject {
                    GateSubject::Round { .. } => return Ok(GateEnd::Closed),
                    GateSubject::Settle(settling) => {
                        let decided = decide::apply(&settling.proposal, &desk.records()).findings;
                        if !decide::open_items(&decided).block_writing() {
                            return Ok(GateEnd::Closed);
                        }
                    }
                },
            }
        }
        let what = "the workbench was left before the end; nothing was written".to_owned();
        Ok(GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, what, "")))
    }

    fn preview(&self, desk: &Desk<'_>, settling: &Settling) -> crate::tui::port::Preview {
        let outcome = settling.outcome(&desk.records(), &SystemClock.now());
        // Looked at with no lock held: a slow folder holds nobody else up.
        let files = locked(&self.files).clone();
        files.preview(&outcome)
    }
}

impl Human for ScreenHuman {
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async move {
            match desk.subject {
                GateSubject::Round { .. } if !self.step.load(Ordering::Relaxed) && !desk.waited => Ok(GateEnd::Passed),
                GateSubject::Round { .. } => self.wait(&desk).await,
                GateSubject::Settle(settling) => {
                    self.beforehand.decide(&desk, &settling.proposal).await?;
                    self.wait(&desk).await
                }
            }
        })
    }

    fn at_hole<'a>(&'a self, step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async move {
            let (sender, answer) = oneshot::channel();
            locked(&self.holes).insert(step.key.clone(), sender);
            match answer.await {
                Ok(end) => end,
                // The screen has gone, and with it the run.
                Err(_) => std::future::pending().await,
            }
        })
    }
}
