//! A run at the workbench: the engine on a thread of its own, the screen on this one, and what they tell each other.
//!
//! The engine never waits for the terminal: a slow line, an editor or a stuck screen hold nobody up. Signals reach the
//! engine, which lets the screen put away what is typed and ends the process even where the terminal takes nothing more.

use super::args::{CarryArgs, LookArgs};
use super::human::HeadlessHuman;
use super::out;
use super::screen::ScreenHuman;
use super::session::{self, Exit, Session, conduct, ended_by_signal, exit_code};
use super::summary::{SummaryOf, summary};
use super::target::{Meta, TargetFiles};
use crate::config::{Environment, Folders};
use crate::files::decisions::Decisions;
use crate::model::event::Event;
use crate::model::fault::{Fault, FaultKind};
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::model::shown::Shown;
use crate::run::{Council, Human, LiveFiles, LiveText, SystemClock, Written};
use crate::text::Catalogue;
use crate::tui::app::{self, Wiring};
use crate::tui::editor;
use crate::tui::glyphs::Glyphs;
use crate::tui::live::Live;
use crate::tui::model::{Look, Model, Opening};
use crate::tui::port::{Access, Ended, Input, Wish};
use crate::tui::terminal;
use crate::tui::theme::Theme;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a signal waits for the screen to put everything away.
const PATIENCE: Duration = Duration::from_millis(800);

/// How it looks and who sits there.
pub struct Seat {
    /// Theme and marks.
    pub look: Look,
    /// What the environment says.
    pub environment: Environment,
}

impl Seat {
    /// The seat in this terminal; `None` where there is none to sit at.
    ///
    /// # Errors
    /// A theme that there is not.
    pub fn find(look: &LookArgs, folders: &Folders) -> Result<Option<Seat>, Fault> {
        let environment = Environment::read();
        if terminal::check_terminal(environment.term.as_deref()).is_err() {
            return Ok(None);
        }
        let name = look.theme.as_deref().or(environment.theme.as_deref()).unwrap_or("terminal");
        let mut theme = Theme::load(name, folders.config.as_ref().map(|config| config.join("themes")).as_deref())?;
        if !environment.truecolor {
            theme = theme.in_256();
        }
        if environment.no_color {
            theme = theme.without_colours();
        }
        let [all, ctype, lang] = &environment.locale;
        let glyphs = Glyphs::choose(look.ascii, all.as_deref(), ctype.as_deref(), lang.as_deref());
        Ok(Some(Seat { look: Look { theme, glyphs }, environment }))
    }
}

/// Live text goes to its side file and to the screen.
struct ScreenLive {
    files: LiveFiles,
    live: Arc<Live>,
}

impl LiveText for ScreenLive {
    fn text(&self, key: &str, attempt: u32, chunk: &str) {
        self.files.text(key, attempt, chunk);
        self.live.push(key, attempt, chunk);
    }
}

/// Whoever carries the run while the screen shows it.
struct Engine {
    carry: CarryArgs,
    folders: Folders,
    run: RunId,
    live: PathBuf,
    council: Council,
    files: TargetFiles,
    human: Arc<ScreenHuman>,
    inputs: UnboundedSender<Input>,
    wishes: UnboundedReceiver<Wish>,
    about: About,
    /// What was written last.
    written: Option<(Arc<ReviewOutcome>, Written)>,
}

/// What the summary says of the run.
struct About {
    lang: Lang,
    recipe: String,
    given: String,
    waves: u32,
    only: Option<String>,
    offline: bool,
}

/// How the engine stopped.
#[derive(Default)]
struct Stopped {
    summary: Option<String>,
    exit: Exit,
    fault: Option<Fault>,
    /// The process was asked to end by a signal.
    signal: Option<Exit>,
}

/// Carries a run through at the workbench.
///
/// # Errors
/// The terminal or the run's files cannot be used; the run can be taken up again.
pub fn carry_through(
    session: Session,
    carry: &CarryArgs,
    seat: Seat,
    folders: &Folders,
    decisions: Option<Decisions>,
) -> Result<Exit, Fault> {
    let resume_line = session::resume_line(&session, carry);
    let lang = carry.lang.as_deref().and_then(Lang::from_code).unwrap_or(session.inputs.subject.lang);
    let (inputs, from_engine) = unbounded_channel();
    let (wishes, to_engine) = unbounded_channel();
    let live = Arc::new(Live::default());
    let live_folder = session.folder.path().join("live");
    let text = ScreenLive { files: LiveFiles::new(live_folder.clone()), live: Arc::clone(&live) };
    let council = session::council(&session.agent, Arc::new(text))?;
    let files = TargetFiles::new(
        session::target_path(&session, carry)?,
        carry.overwrite,
        Meta::of(&session.header, &session.inputs, &session.events),
    );
    let beforehand = HeadlessHuman {
        decisions,
        defer_all: carry.defer_all.clone(),
        defer_policy: carry.defer_policy,
        step: carry.step,
        open: Mutex::default(),
    };
    let person = seat.environment.user.clone();
    let human = Arc::new(ScreenHuman::new(inputs.clone(), person.clone(), beforehand, files.clone()));
    for notice in session.inputs.notices.iter().cloned().chain(files.early_notice()) {
        let _ = inputs.send(Input::Notice(notice));
    }
    let opening = Opening {
        words: Catalogue::new(lang),
        look: seat.look,
        document: Arc::clone(&session.inputs.subject.document),
        given: session.given.clone(),
        person,
        // The events of a run that begins are shown as they are recorded.
        events: if session.resumed { session.events.clone() } else { Vec::new() },
        access: Access::Write,
        step: carry.step,
    };
    let wiring = Wiring {
        inputs: from_engine,
        wishes,
        live,
        wall: || SystemClock::timestamp().as_millisecond(),
        editor: editor::choose(seat.environment.visual.as_deref(), seat.environment.editor.as_deref()),
        tmux: seat.environment.tmux,
        document: session.file.clone(),
        folder: session.folder.path().to_owned(),
    };
    let engine = Engine {
        carry: carry.clone(),
        folders: folders.clone(),
        run: RunId::from(session.header.run.as_str()),
        live: live_folder,
        council,
        files,
        human,
        inputs,
        wishes: to_engine,
        about: About {
            lang,
            recipe: session.inputs.subject.recipe.name.clone(),
            given: session.given.clone(),
            waves: session.inputs.plan.waves,
            only: session::reviewed_only(&session),
            offline: session.agent == "offline",
        },
        written: None,
    };
    let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || engine.carry(session));
    let thread = thread.map_err(|error| Fault::io("the engine's thread", error, "free some memory and try again"))?;
    let shown = show(opening, wiring);
    let stopped = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    report(stopped, shown, &resume_line)
}

fn show(opening: Opening, wiring: Wiring) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::io("runtime", error, "free some memory or file handles and try again"))?;
    let mut model = Model::new(opening);
    runtime.block_on(app::run(&mut model, wiring))
}

/// What stands on the normal screen after the workbench.
fn report(stopped: Stopped, shown: Result<(), Fault>, resume_line: &str) -> Result<Exit, Fault> {
    let resumable = |fault: Fault| Fault { hint: session::with_resume(&fault.hint, resume_line), ..fault };
    if let Some(summary) = &stopped.summary {
        out::data(summary).map_err(|error| Fault::io("standard output", error, "the findings file itself is complete"))?;
    }
    if let Some(exit) = stopped.signal {
        out::notice(&format!("interrupted; nothing is lost. Resume with: {resume_line}"));
        return Ok(exit);
    }
    shown.map_err(resumable)?;
    match stopped.fault {
        Some(fault) if fault.kind != FaultKind::NeedsPerson => Err(resumable(fault)),
        Some(_) => {
            out::notice(&format!("left before the end; nothing is lost. Resume with: {resume_line}"));
            Ok(FaultKind::NeedsPerson.exit_code())
        }
        None => {
            out::notice(&format!("change decisions with: {resume_line}"));
            Ok(stopped.exit)
        }
    }
}

impl Engine {
    fn carry(mut self, session: Session) -> Stopped {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                let fault = Fault::io("runtime", error, "free some memory or file handles and try again");
                return Stopped { fault: Some(fault), ..Stopped::default() };
            }
        };
        // A journal write that is under way is finished before the runtime is dropped.
        runtime.block_on(self.passes(session))
    }

    /// Passes of the pipeline: the first, and one more whenever a decision reopens what is finished.
    async fn passes(&mut self, session: Session) -> Stopped {
        let signal = ended_by_signal();
        tokio::pin!(signal);
        let mut stopped = Stopped::default();
        let mut next = Some(session);
        while let Some(session) = next.take() {
            // What this run wrote before is its own, also where it is written again.
            self.files = self.files.with(Meta::of(&session.header, &session.inputs, &session.events));
            self.human.writes_to(self.files.clone());
            let tap = {
                let inputs = self.inputs.clone();
                move |event: &Event| drop(inputs.send(Input::Event(Box::new(event.clone()))))
            };
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
                    exit = &mut signal, if stopped.signal.is_none() => {
                        stopped.signal = Some(exit);
                        let _ = self.inputs.send(Input::Leave);
                        end_the_process_in_time(exit);
                    }
                }
            };
            self.human.carries(None);
            match ended {
                Some(Ok((outcome, written))) => {
                    let text = self.summary(&outcome, &written);
                    stopped.exit = exit_code(&outcome, &self.carry);
                    stopped.summary = Some(text.clone());
                    stopped.fault = None;
                    let summary = text.lines().map(str::to_owned).collect();
                    let path = Some(written.path.clone());
                    self.written = Some((outcome, written));
                    let _ = self.inputs.send(Input::Ended(Ended { summary, written: path, fault: None }));
                }
                Some(Err(fault)) => self.ended_by(fault, &mut stopped),
                None => stopped.fault = Some(Fault::new(FaultKind::NeedsPerson, "the workbench was left", "")),
            }
            if left || stopped.signal.is_some() {
                break;
            }
            next = self.after_the_end(&mut stopped, &mut signal).await;
        }
        stopped
    }

    /// Waits, after a pass has ended, for the person to leave, for a decision that reopens the run, or, after a fault, for
    /// their word to try again: the recorded steps answer, and what failed is attempted anew.
    async fn after_the_end(
        &mut self,
        stopped: &mut Stopped,
        signal: &mut (impl Future<Output = Exit> + Unpin),
    ) -> Option<Session> {
        loop {
            let wish = tokio::select! {
                wish = self.wishes.recv() => wish?,
                exit = &mut *signal, if stopped.signal.is_none() => {
                    stopped.signal = Some(exit);
                    let _ = self.inputs.send(Input::Leave);
                    end_the_process_in_time(exit);
                    continue;
                }
            };
            match wish {
                Wish::Record(op) if stopped.fault.is_none() => match session::take_up(&self.run, &self.folders) {
                    Ok(session) => {
                        self.human.begins_with(op);
                        return Some(session);
                    }
                    Err(fault) => {
                        let why = format!("not saved: {}; {}", fault.what, fault.hint);
                        let _ = self.inputs.send(Input::Unsaved { op: Box::new(op), why });
                    }
                },
                Wish::Close if stopped.fault.is_some() => match session::take_up(&self.run, &self.folders) {
                    Ok(session) => return Some(session),
                    Err(fault) => self.ended_by(fault, stopped),
                },
                Wish::Preview => {
                    if let Some((outcome, _)) = &self.written {
                        let _ = self.inputs.send(Input::Preview(self.files.preview(outcome)));
                    }
                }
                wish => self.take(wish),
            }
        }
    }

    fn ended_by(&self, fault: Fault, stopped: &mut Stopped) {
        let told = (Shown::line(&fault.what).to_string(), Shown::line(&fault.hint).to_string());
        let _ = self.inputs.send(Input::Ended(Ended { summary: Vec::new(), written: None, fault: Some(told) }));
        stopped.fault = Some(fault);
    }

    fn take(&self, wish: Wish) {
        match self.human.wishes(wish) {
            Some(Wish::Record(op)) => {
                let why = "not saved: nobody waits for decisions at this moment".to_owned();
                let _ = self.inputs.send(Input::Unsaved { op: Box::new(op), why });
            }
            Some(Wish::Output { step, attempt }) => {
                let text = LiveFiles::read(&self.live, &step, attempt);
                let _ = self.inputs.send(Input::Output { step, text });
            }
            _ => {}
        }
    }

    fn summary(&self, outcome: &ReviewOutcome, written: &Written) -> String {
        let About { lang, recipe, given, waves, only, offline } = &self.about;
        let of = SummaryOf { recipe, file: given, waves: *waves, only: only.clone(), offline: *offline, written };
        summary(outcome, &of, &Catalogue::new(*lang))
    }
}

/// A terminal that takes nothing more must not keep the process alive after a signal.
fn end_the_process_in_time(exit: Exit) {
    let ends = std::thread::Builder::new().name("deadline".to_owned()).spawn(move || {
        let (_never, patience) = std::sync::mpsc::channel::<()>();
        let _ = patience.recv_timeout(PATIENCE);
        terminal::leave();
        #[expect(clippy::disallowed_methods, reason = "the screen is stuck: everything that was given is on the disk")]
        std::process::exit(i32::from(exit));
    });
    // Without a thread the screen's own way out remains.
    drop(ends);
}
