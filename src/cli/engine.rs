//! The engine behind a window that may write: passes of the pipeline on a thread of its own, and the rest between them.

use super::args::CarryArgs;
use super::errands::ScreenCourier;
use super::known::Known;
use super::onlooker;
use super::screen::ScreenHuman;
use super::sending::Confirm;
use super::session::{self, Exit, Session, conduct, exit_code};
use super::summary::summary;
use super::target::{Meta, TargetFiles};
use super::unborn::Unborn;
use super::workbench::Signals;
use crate::config::{Flags, Folders};
use crate::model::event::{Event, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::model::shown::Shown;
use crate::run::{Council, Human, LiveFiles, Written};
use crate::text::Catalogue;
use crate::tui::port::{Ended, Input, Wish};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Whoever carries the run while the screen shows it.
pub(super) struct Engine {
    /// What the command line asks for.
    pub carry: CarryArgs,
    /// Where runs live.
    pub folders: Folders,
    /// What the run is about.
    pub known: Arc<Known>,
    /// Folder of live text.
    pub live: PathBuf,
    /// Language of the summary.
    pub lang: Lang,
    /// Who is asked.
    pub council: Council,
    /// What is written.
    pub files: TargetFiles,
    /// The person.
    pub human: Arc<ScreenHuman>,
    /// To the screen.
    pub inputs: UnboundedSender<Input>,
    /// From the screen.
    pub wishes: UnboundedReceiver<Wish>,
    /// What the findings came to last.
    pub outcome: Option<Arc<ReviewOutcome>>,
    /// Changes since the run began that were accepted when this window opened.
    pub accepts: Vec<String>,
    /// What is to be confirmed before anything is sent.
    pub confirm: Option<Confirm>,
    /// The run that the first decision begins, where there is none yet.
    pub unborn: Option<Unborn>,
    /// Questions that the person carries.
    pub errands: Arc<ScreenCourier>,
}

/// How the engine stopped.
#[derive(Default)]
pub(super) struct Stopped {
    /// Summary of what was written last.
    pub summary: Option<String>,
    /// Exit code of what was written last.
    pub exit: Exit,
    /// Why nothing more was written.
    pub fault: Option<Fault>,
    /// The process was asked to end by a signal.
    pub signal: Option<Exit>,
    /// Whether anything was recorded.
    pub touched: bool,
}

impl Engine {
    /// Carries the run, at once or from the first decision on, until the person leaves.
    pub fn carry(mut self, begins: Option<Session>) -> Stopped {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                let fault = Fault::io("runtime", error, "free some memory or file handles and try again");
                return Stopped { fault: Some(fault), ..Stopped::default() };
            }
        };
        // A journal write that is under way is finished before the runtime is dropped.
        runtime.block_on(self.passes(begins))
    }

    /// Passes of the pipeline: the first, and one more whenever a decision reopens what is finished.
    async fn passes(&mut self, begins: Option<Session>) -> Stopped {
        let mut signals = Signals::new(self.inputs.clone());
        let mut stopped = Stopped::default();
        let mut next = match begins {
            Some(session) => Some(session),
            None => self.rest(&mut stopped, &mut signals).await,
        };
        while let Some(session) = next.take() {
            let Some(session) = self.may_send(session, &mut stopped, &mut signals).await else { break };
            stopped.touched = true;
            let left = self.pass(session, &mut stopped, &mut signals).await;
            if left || stopped.signal.is_some() {
                break;
            }
            next = self.rest(&mut stopped, &mut signals).await;
        }
        stopped
    }

    /// Waits for the person to say that the document may be sent, where that is still open; `None` where they leave instead.
    async fn may_send(&mut self, session: Session, stopped: &mut Stopped, signals: &mut Signals) -> Option<Session> {
        let Some(confirm) = self.confirm.take() else { return Some(session) };
        if confirm.before {
            let _ = self.inputs.send(Input::Notice(confirm.said()));
            return Some(Session { sending: Some(confirm.by("confirmed before")), ..session });
        }
        let (estimate, one_model) = (Box::new(confirm.estimate.clone()), confirm.one_model.clone());
        let _ = self.inputs.send(Input::Sending { estimate, file: confirm.file().to_owned(), one_model });
        loop {
            let wish = tokio::select! {
                wish = self.wishes.recv() => wish,
                exit = signals.next(), if stopped.signal.is_none() => {
                    stopped.signal = Some(exit);
                    continue;
                }
            };
            match wish {
                Some(Wish::Send) => {
                    let _ = self.inputs.send(Input::Sent);
                    return Some(Session { sending: Some(confirm.by(self.human.person())), ..session });
                }
                Some(wish) => self.take(wish),
                None => {
                    let what = "nothing was sent: the workbench was left before you said yes";
                    stopped.fault = Some(Fault::new(FaultKind::NeedsPerson, what, ""));
                    return None;
                }
            }
        }
    }

    /// One pass of the pipeline; returns whether the person has left.
    async fn pass(&mut self, session: Session, stopped: &mut Stopped, signals: &mut Signals) -> bool {
        // What this run wrote before is its own, also where it is written again.
        self.files = self.files.with(Meta::of(&session.known, &session.events));
        self.human.writes_to(self.files.clone());
        self.known = Arc::clone(&session.known);
        let tap = self.tap();
        let (human, council, files) = (Arc::clone(&self.human), self.council.clone(), self.files.clone());
        let carrier = Arc::clone(&self.human);
        let carry = self.carry.clone();
        let work = conduct(session, &carry, human as Arc<dyn Human>, &council, &files, tap, |run| carrier.carries(Some(run)));
        tokio::pin!(work);
        let mut left = false;
        let ended = loop {
            tokio::select! {
                ended = &mut work => break Some(ended),
                wish = self.wishes.recv(), if !left => match wish {
                    Some(wish) => self.take(wish),
                    None => {
                        left = true;
                        if !self.human.is_awaited() {
                            break None;
                        }
                        self.human.leaves();
                    }
                },
                exit = signals.next(), if stopped.signal.is_none() => stopped.signal = Some(exit),
            }
        };
        self.human.carries(None);
        match ended {
            Some(Ok((outcome, written))) => self.has_written(outcome, &written, stopped),
            Some(Err(fault)) => self.has_failed(fault, stopped),
            None => stopped.fault = Some(Fault::new(FaultKind::NeedsPerson, "the workbench was left", "")),
        }
        for op in self.human.unrecorded() {
            self.refuse(op, "the run ended before it could be recorded");
        }
        left
    }

    /// Shows every event once: of a run that begins with a decision the screen has seen the beginning already.
    fn tap(&mut self) -> impl Fn(&Event) + Send + Sync + 'static {
        let inputs = self.inputs.clone();
        let shown: VecDeque<(Kind, String)> = self.unborn.take().map(|unborn| unborn.shown).unwrap_or_default();
        let shown = Mutex::new(shown);
        move |event: &Event| {
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            if shown.front().is_some_and(|(kind, key)| *kind == event.kind && *key == event.key) {
                shown.pop_front();
                return;
            }
            let _ = inputs.send(Input::Event(Box::new(event.clone())));
        }
    }

    fn has_written(&mut self, outcome: Arc<ReviewOutcome>, written: &Written, stopped: &mut Stopped) {
        let text = summary(&outcome, &self.known.about(written), &Catalogue::new(self.lang));
        stopped.exit = exit_code(&outcome, &self.carry);
        stopped.summary = Some(text.clone());
        stopped.fault = None;
        let _ = self.inputs.send(Input::Ended(ended(&text, written)));
        self.outcome = Some(outcome);
    }

    fn has_failed(&self, fault: Fault, stopped: &mut Stopped) {
        let told = (Shown::line(&fault.what).to_string(), Shown::line(&fault.hint).to_string());
        let _ = self.inputs.send(Input::Ended(Ended { summary: Vec::new(), written: None, fault: Some(told) }));
        stopped.fault = Some(fault);
    }

    /// Waits, while no pass is under way, for the person to leave, for a decision that opens the gate of settling, or, after
    /// a fault, for their word to try again: the recorded steps answer, and what failed is attempted anew.
    async fn rest(&mut self, stopped: &mut Stopped, signals: &mut Signals) -> Option<Session> {
        loop {
            let wish = tokio::select! {
                wish = self.wishes.recv() => wish?,
                exit = signals.next(), if stopped.signal.is_none() => {
                    stopped.signal = Some(exit);
                    continue;
                }
            };
            match wish {
                // Also after a fault: deciding on goes before writing.
                Wish::Record(op) => match self.begin() {
                    Ok(session) => {
                        self.human.begins_with(op);
                        return Some(Session { reopens: true, ..session });
                    }
                    Err(fault) => self.refuse(op, &format!("{}; {}", fault.what, fault.hint)),
                },
                Wish::Close if stopped.fault.is_some() => match self.begin() {
                    Ok(session) => return Some(session),
                    Err(fault) => self.has_failed(fault, stopped),
                },
                Wish::Preview => {
                    if let Some(outcome) = &self.outcome {
                        let _ = self.inputs.send(Input::Preview(self.files.preview(outcome)));
                    }
                }
                wish => self.take(wish),
            }
        }
    }

    fn begin(&self) -> Result<Session, Fault> {
        match &self.unborn {
            Some(unborn) => unborn.begin(&self.folders),
            None => {
                let id = RunId::from(self.known.header.run.as_str());
                session::take_up(&id, &self.folders, &self.carry.flags(Flags::default()), self.carry.project, &self.accepts)
            }
        }
    }

    fn take(&self, wish: Wish) {
        match self.human.wishes(wish) {
            Some(Wish::Record(op)) => self.refuse(op, "nobody waits for decisions at this moment"),
            Some(Wish::Bring { step, text }) => self.bring(&step, text),
            Some(Wish::Prompt { step, attempt }) => {
                let text = LiveFiles::read_prompt(&self.live, &step, attempt);
                let _ = self.inputs.send(Input::Prompt { step, text });
            }
            Some(Wish::Output { step, attempt }) => {
                let text = LiveFiles::read(&self.live, &step, attempt);
                let _ = self.inputs.send(Input::Output { step, text });
            }
            _ => {}
        }
    }

    fn bring(&self, step: &str, text: String) {
        if !self.errands.bring(step, text) {
            let _ = self.inputs.send(Input::Notice(format!("{step}: nobody waits for this answer any more")));
        }
    }

    fn refuse(&self, op: crate::model::gate::Op, why: &str) {
        let _ = self.inputs.send(Input::Unsaved { op: Box::new(op), why: format!("not saved: {why}") });
    }
}

/// What the screen is told of a run that has written.
pub(super) fn ended(summary: &str, written: &Written) -> Ended {
    Ended { summary: summary.lines().map(str::to_owned).collect(), written: Some(written.path.clone()), fault: None }
}

/// What a finished run came to, gone over in memory; its end as the screen is told.
pub(super) fn looked_at(
    known: &Known,
    files: &TargetFiles,
    events: &[Event],
    lang: Lang,
) -> Result<(Option<Arc<ReviewOutcome>>, Option<Ended>), Fault> {
    let runtime = super::workbench::runtime()?;
    let seen = runtime.block_on(onlooker::look(known, files, events.to_vec()));
    let ended = seen.outcome.as_ref().zip(seen.written.as_ref()).map(|(outcome, written)| {
        let text = summary(outcome, &known.about(written), &Catalogue::new(lang));
        ended(&text, written)
    });
    Ok((seen.outcome, ended))
}
