//! Windows: a screen on this thread, whoever stands behind it on others, and what they tell each other.
//!
//! The engine never waits for the terminal: a slow line, an editor or a stuck screen hold nobody up. Signals reach whoever
//! stands behind the screen, which puts away what is typed; the process ends even where the terminal takes nothing more.

use super::args::{CarryArgs, LookArgs};
use super::engine::{Engine, Stopped};
use super::errands::{self, ScreenCourier};
use super::human::HeadlessHuman;
use super::known::{self, Known};
use super::out;
use super::screen::ScreenHuman;
use super::sending::Confirm;
use super::session::{self, Exit, Session, ended_by_signal};
use super::target::{Meta, TargetFiles};
use super::unborn::Unborn;
use crate::config::{Environment, Flags, Folders, Settings, Variables};
use crate::document::Document;
use crate::files::decisions::Decisions;
use crate::model::event::Event;
use crate::model::fault::{Fault, FaultKind};
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::run::{BoxFuture, LiveFiles, LiveText, SystemClock};
use crate::text::Catalogue;
use crate::tui::app::{self, Wiring};
use crate::tui::editor;
use crate::tui::glyphs::Glyphs;
use crate::tui::live::Live;
use crate::tui::model::{Look, Model, Opening};
use crate::tui::port::{Access, Ended, Input, Wish};
use crate::tui::terminal::{self, NoTerminal};
use crate::tui::theme::Theme;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a signal waits for the screen to put everything away: what is typed goes to the disk first, which may be slow.
const PATIENCE: Duration = Duration::from_secs(3);

/// How it looks and who sits there.
pub struct Seat {
    /// Theme and marks.
    pub look: Look,
    /// What the environment says.
    pub environment: Environment,
}

impl Seat {
    /// The seat in this terminal, or why there is none to sit at.
    ///
    /// # Errors
    /// A theme that there is not, or settings that cannot be meant.
    pub fn find(look: &LookArgs, folders: &Folders) -> Result<Result<Seat, NoTerminal>, Fault> {
        let environment = Environment::read();
        if let Err(none) = terminal::check_terminal(environment.term.as_deref()) {
            return Ok(Err(none));
        }
        let flags = Flags { theme: look.theme.as_deref(), ..Flags::default() };
        let settings = Settings::load(folders, None, &Variables::read(), &flags)?;
        let mut theme =
            Theme::load(&settings.theme.value, folders.config.as_ref().map(|config| config.join("themes")).as_deref())?;
        if !environment.truecolor {
            theme = theme.in_256();
        }
        if environment.no_color {
            theme = theme.without_colours();
        }
        let [all, ctype, lang] = &environment.locale;
        let glyphs = Glyphs::choose(look.ascii, all.as_deref(), ctype.as_deref(), lang.as_deref());
        Ok(Ok(Seat { look: Look { theme, glyphs }, environment }))
    }
}

/// Live text goes to its side file and to the screen.
struct ScreenLive {
    files: LiveFiles,
    live: Arc<Live>,
}

impl LiveText for ScreenLive {
    fn prompt(&self, key: &str, attempt: u32, text: &str) {
        self.files.prompt(key, attempt, text);
    }

    fn text(&self, key: &str, attempt: u32, chunk: &str) {
        self.files.text(key, attempt, chunk);
        self.live.push(key, attempt, chunk);
    }
}

/// What a window shows as it opens.
pub(super) struct Window {
    /// The document whose lines are quoted.
    pub document: Arc<Document>,
    /// Where it is.
    pub file: PathBuf,
    /// Its name, or that of what is shown, as the person gave it.
    pub given: String,
    /// Language of the words.
    pub lang: Lang,
    /// What is recorded.
    pub events: Vec<Event>,
    /// Whether it may change anything.
    pub access: Access,
    /// Whether every round waits for the person.
    pub step: bool,
    /// Folder for copies into files.
    pub folder: PathBuf,
    /// Nothing is under way: how the run ended, where it did.
    pub rest: Option<Option<Ended>>,
}

/// The ends of a window's channels that whoever stands behind it holds.
pub(super) struct Behind {
    /// To the screen.
    pub inputs: UnboundedSender<Input>,
    /// From the screen.
    pub wishes: UnboundedReceiver<Wish>,
    /// Live text, to the screen.
    pub live: Arc<Live>,
}

/// The screen's own ends.
pub(super) struct Front {
    inputs: UnboundedReceiver<Input>,
    wishes: UnboundedSender<Wish>,
    live: Arc<Live>,
}

/// The channels of a window.
pub(super) fn channels() -> (Front, Behind) {
    let (to_screen, inputs) = unbounded_channel();
    let (wishes, from_screen) = unbounded_channel();
    let live = Arc::new(Live::default());
    (Front { inputs, wishes, live: Arc::clone(&live) }, Behind { inputs: to_screen, wishes: from_screen, live })
}

/// A run that is carried by this process.
pub(super) struct Carried {
    /// What it is about.
    pub known: Arc<Known>,
    /// What is recorded of it.
    pub events: Vec<Event>,
    /// The run itself, where it goes on at once.
    pub session: Option<Session>,
    /// The run that the first decision begins, where there is none yet.
    pub unborn: Option<Unborn>,
    /// What its findings come to, where that is known.
    pub outcome: Option<Arc<ReviewOutcome>>,
    /// Nothing is under way: how it ended, where it did.
    pub rest: Option<Option<Ended>>,
    /// Where it lives, or would.
    pub folder: PathBuf,
    /// What a person should know, the most important last.
    pub notices: Vec<String>,
    /// The command that takes it up again.
    pub command: String,
}

/// Carries a run through at the workbench. `earlier` is the command that takes up an unfinished run of the same document.
///
/// # Errors
/// The terminal or the run's files cannot be used; the run can be taken up again.
pub(super) fn carry_through(
    session: Session,
    carry: &CarryArgs,
    seat: Seat,
    folders: &Folders,
    decisions: Option<Decisions>,
    earlier: Option<String>,
) -> Result<Exit, Fault> {
    let known = Arc::clone(&session.known);
    let words = Catalogue::new(language(&known, carry));
    let say = |command: String| words.say("open-unfinished", &[("command", command.as_str().into())]);
    let carried = Carried {
        // The events of a run that begins are shown as they are recorded.
        events: if session.resumed { session.events.clone() } else { Vec::new() },
        folder: session.folder.path().to_owned(),
        command: session::resume_line(&known.header.run, carry.state_dir.as_deref()),
        session: Some(session),
        known,
        unborn: None,
        outcome: None,
        rest: None,
        notices: earlier.map(say).into_iter().collect(),
    };
    sit(carried, carry, seat, folders, decisions)
}

/// The language of the window: the flag's, else the run's.
pub(super) fn language(known: &Known, carry: &CarryArgs) -> Lang {
    carry.lang.as_deref().and_then(Lang::from_code).unwrap_or(known.work.lang())
}

/// Sits down at a run that this process carries, now or from the first decision on.
///
/// # Errors
/// The terminal or the run's files cannot be used; the run can be taken up again.
pub(super) fn sit(
    carried: Carried,
    carry: &CarryArgs,
    seat: Seat,
    folders: &Folders,
    decisions: Option<Decisions>,
) -> Result<Exit, Fault> {
    let Carried { known, events, session, unborn, outcome, rest, folder, notices, command } = carried;
    let lang = language(&known, carry);
    let (front, Behind { inputs, wishes, live }) = channels();
    let live_folder = folder.join("live");
    let errands = Arc::new(ScreenCourier::new(
        inputs.clone(),
        errands::FolderCourier::of(&folder, carry.prompts.as_deref(), carry.answers.as_deref(), command.clone()),
    ));
    let text = ScreenLive { files: LiveFiles::new(live_folder.clone()), live };
    let council = known::council_of(&known, Arc::new(text), Arc::<ScreenCourier>::clone(&errands), carry)?;
    let recorded = session.as_ref().map_or(events.as_slice(), |session| session.events.as_slice());
    // A run at rest asks nobody.
    let confirm = session.as_ref().and_then(|session| Confirm::of(&known, &session.events, folders));
    let accepts = session.as_ref().map(|session| session.accepted.clone()).unwrap_or_default();
    let files = TargetFiles::new(known::target_path(&known, carry)?, carry.overwrite, Meta::of(&known, recorded));
    let beforehand = HeadlessHuman {
        decisions,
        defer_all: carry.defer_all.clone(),
        defer_policy: carry.defer_policy,
        step: carry.step,
        open: Mutex::default(),
    };
    let person = seat.environment.user.clone();
    let human = Arc::new(ScreenHuman::new(inputs.clone(), person, beforehand, files.clone()));
    for notice in known.work.notices().iter().cloned().chain(files.early_notice()).chain(notices) {
        let _ = inputs.send(Input::Notice(notice));
    }
    let window = Window {
        document: Arc::clone(known.work.document()),
        file: known.file(),
        given: known.header.document_given.clone(),
        lang,
        events,
        access: Access::Write,
        step: carry.step,
        folder,
        rest,
    };
    let (carry, folders, asked) = (carry.clone(), folders.clone(), Arc::clone(&known));
    let engine = Engine {
        carry,
        folders,
        known,
        live: live_folder,
        lang,
        council,
        files,
        human,
        inputs,
        wishes,
        outcome,
        accepts,
        confirm,
        unborn,
        errands,
    };
    let thread = std::thread::Builder::new().name("engine".to_owned()).spawn(move || engine.carry(session));
    let thread = thread.map_err(|error| Fault::io("the engine's thread", error, "free some memory and try again"))?;
    let shown = show(window, front, seat);
    let stopped = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    asked.unrecorded().iter().for_each(|notice| out::notice(notice));
    report(stopped, shown, &command)
}

/// Shows a window until the person leaves.
///
/// # Errors
/// The terminal cannot be used.
pub(super) fn show(window: Window, front: Front, seat: Seat) -> Result<(), Fault> {
    let Seat { look, environment } = seat;
    let wiring = Wiring {
        inputs: front.inputs,
        wishes: front.wishes,
        live: front.live,
        wall: || SystemClock::timestamp().as_millisecond(),
        editor: editor::choose(environment.visual.as_deref(), environment.editor.as_deref()),
        tmux: environment.tmux,
        document: window.file,
        folder: window.folder,
    };
    let mut model = Model::new(Opening {
        words: Catalogue::new(window.lang),
        look,
        document: window.document,
        given: window.given,
        person: environment.user,
        events: window.events,
        access: window.access,
        step: window.step,
    });
    if let Some(ended) = window.rest {
        model.rests(ended);
    }
    runtime()?.block_on(app::run(&mut model, wiring))
}

/// A runtime on this thread.
pub(super) fn runtime() -> Result<Runtime, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Fault::io("runtime", error, "free some memory or file handles and try again"))
}

/// What stands on the normal screen after the workbench.
fn report(stopped: Stopped, shown: Result<(), Fault>, command: &str) -> Result<Exit, Fault> {
    let resumable = |fault: Fault| Fault { hint: session::with_resume(&fault.hint, command), ..fault };
    // What was written before the last decisions says nothing of them.
    if let Some(summary) = stopped.summary.as_ref().filter(|_| stopped.fault.is_none()) {
        out::data(summary).map_err(|error| Fault::io("standard output", error, "the findings file itself is complete"))?;
    }
    if let Some(exit) = stopped.signal {
        out::notice(&format!("interrupted; nothing is lost. Resume with: {command}"));
        return Ok(exit);
    }
    shown.map_err(resumable)?;
    match stopped.fault {
        Some(fault) if fault.kind != FaultKind::NeedsPerson => Err(resumable(fault)),
        Some(_) if stopped.summary.is_some() => {
            out::notice(&format!("the last decisions are not in the findings file yet; nothing is lost. Resume with: {command}"));
            Ok(FaultKind::NeedsPerson.exit_code())
        }
        Some(fault) if !stopped.touched => {
            out::notice(&format!("{}. Take it up with: {command}", fault.what));
            Ok(FaultKind::NeedsPerson.exit_code())
        }
        Some(_) => {
            out::notice(&format!("left before the end; nothing is lost. Resume with: {command}"));
            Ok(FaultKind::NeedsPerson.exit_code())
        }
        None if stopped.touched => {
            out::notice(&format!("change decisions with: {command}"));
            Ok(stopped.exit)
        }
        None => {
            out::notice(&format!("nothing was changed. Open it again with: {command}"));
            Ok(0)
        }
    }
}

/// Signals that end the process: the screen is told to leave, and the process ends even where it cannot.
pub(super) struct Signals {
    inputs: UnboundedSender<Input>,
    wait: BoxFuture<'static, Exit>,
}

impl Signals {
    /// Signals from now on.
    pub fn new(inputs: UnboundedSender<Input>) -> Signals {
        Signals { inputs, wait: Box::pin(ended_by_signal()) }
    }

    /// Waits for the first one and returns the exit code for it; not to be asked again after that.
    pub async fn next(&mut self) -> Exit {
        let exit = self.wait.as_mut().await;
        let _ = self.inputs.send(Input::Leave);
        end_the_process_in_time(exit);
        exit
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
