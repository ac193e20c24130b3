//! The loop: waits for keys, news and moments, lets `update` decide, paints when something has changed, and does what
//! `update` asks for. It never waits for anything but all of these at once, and paints at most sixty times a second.

use super::clipboard::Copied;
use super::editor::{Editor, Kept};
use super::frames::Frames;
use super::live::Live;
use super::message::{Cmd, Msg, Now};
use super::model::{Layer, Model, Screen};
use super::port::{Input, Wish};
use super::update::{update, wake_at};
use super::{clipboard, editor, layers, screens, terminal};
use crate::model::fault::Fault;
use crossterm::event::{Event as TermEvent, EventStream};
use ratatui::Terminal;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::Instant;
use tokio_stream::StreamExt;

/// The shortest time between two frames.
const FRAME: Duration = Duration::from_millis(16);

/// Everything the loop needs besides the model.
pub struct Wiring {
    /// News of the run.
    pub inputs: UnboundedReceiver<Input>,
    /// Where wishes go.
    pub wishes: UnboundedSender<Wish>,
    /// Live text.
    pub live: Arc<Live>,
    /// Wall-clock milliseconds, read through the clock's port.
    pub wall: fn() -> i64,
    /// The person's editor, or why there is none.
    pub editor: Result<Editor, Kept>,
    /// Whether tmux stands between.
    pub tmux: bool,
    /// Path of the document.
    pub document: PathBuf,
    /// Folder for copies into files.
    pub folder: PathBuf,
}

/// Shows the model until the person leaves; the terminal is left as it was found.
///
/// # Errors
/// The terminal cannot be used.
pub async fn run(model: &mut Model, mut wiring: Wiring) -> Result<(), Fault> {
    let guard = terminal::Guard::enter().map_err(|error| broken(&error))?;
    let ended = show(model, &mut wiring).await;
    // Also where the terminal went away without a word: what is typed goes on its way to the disk.
    for cmd in layers::keep_draft(model) {
        if let Cmd::Wish(wish) = cmd {
            let _ = wiring.wishes.send(wish);
        }
    }
    let stray = guard.finish();
    if let Some(path) = stray {
        model.log.push(super::model::Message { level: super::model::Level::Hint, text: path.display().to_string() });
    }
    ended.map_err(|error| broken(&error))
}

fn broken(error: &io::Error) -> Fault {
    Fault::io("the terminal", error, "review with --headless, or in another terminal")
}

/// Whether a program that the person opened has the terminal.
static LENT: AtomicBool = AtomicBool::new(false);

/// Whether a program that the person opened has the terminal: an interrupt from the keyboard is meant for it then.
pub fn has_lent_the_terminal() -> bool {
    LENT.load(Ordering::Relaxed)
}

/// One stretch between two waits.
struct Loop<'a> {
    model: &'a mut Model,
    wiring: &'a mut Wiring,
    started: Instant,
    screen: Terminal<Frames<super::frames::Tty>>,
    keys: Option<EventStream>,
    /// What jobs that run beside the loop come back with.
    jobs: (UnboundedSender<Msg>, UnboundedReceiver<Msg>),
    dirty: bool,
    painted: Option<Instant>,
}

/// What woke the loop.
enum Woken {
    Msgs(Vec<Msg>),
    /// The terminal is gone.
    Gone,
    /// Nothing but the time for a frame.
    Frame,
}

async fn show(model: &mut Model, wiring: &mut Wiring) -> io::Result<()> {
    let screen = Terminal::new(Frames::new(super::frames::Tty))?;
    let keys = Some(EventStream::new());
    let jobs = tokio::sync::mpsc::unbounded_channel();
    let mut l = Loop { model, wiring, started: Instant::now(), screen, keys, jobs, dirty: true, painted: None };
    l.model.now = l.now();
    let mut continued = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::from_raw(SIGCONT))?;
    loop {
        l.paint_if_due()?;
        let msgs = tokio::select! {
            biased;
            woken = l.woken() => match woken {
                Woken::Msgs(msgs) => msgs,
                Woken::Frame => continue,
                Woken::Gone => return Ok(()),
            },
            _ = continued.recv() => match terminal::resumed()? {
                true => vec![Msg::Resumed],
                false => continue,
            },
        };
        if !terminal::is_entered() {
            // A panic elsewhere has put the terminal back: there is no screen any more.
            return Ok(());
        }
        for msg in msgs {
            let now = l.now();
            let cmds = update(l.model, msg, now);
            l.dirty = true;
            for cmd in cmds {
                if cmd == Cmd::Quit {
                    return Ok(());
                }
                l.perform(cmd).await?;
            }
        }
    }
}

/// Number of the signal with which a stopped process goes on.
const SIGCONT: i32 = 18;

impl Loop<'_> {
    fn now(&self) -> Now {
        let ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Now { ms, wall: (self.wiring.wall)() }
    }

    /// When the loop must go on by itself: for the frame that is owed, or the moment the model asked for.
    fn alarm(&self) -> Option<Instant> {
        let frame = self.dirty.then(|| self.painted.map_or(self.started, |at| at + FRAME));
        let moment = wake_at(self.model).map(|ms| self.started + Duration::from_millis(ms));
        [frame, moment].into_iter().flatten().min()
    }

    /// Waits for whatever comes first, and takes all that has come by then.
    async fn woken(&mut self) -> Woken {
        let alarm = self.alarm();
        let Some(keys) = self.keys.as_mut() else { return Woken::Gone };
        let (wiring, jobs) = (&mut *self.wiring, &mut self.jobs.1);
        let mut msgs = Vec::new();
        tokio::select! {
            biased;
            event = keys.next() => match event {
                Some(Ok(event)) => msgs.extend(of_terminal(event)),
                Some(Err(_)) | None => return Woken::Gone,
            },
            input = wiring.inputs.recv() => match input {
                Some(input) => msgs.push(Msg::Input(input)),
                // Whoever carries the run has gone, which no ordinary end of a run brings about.
                None => return Woken::Gone,
            },
            Some(job) = jobs.recv() => msgs.push(job),
            () = wiring.live.news() => {}
            () = until(alarm) => {
                let due = || wake_at(self.model).is_some_and(|ms| self.started + Duration::from_millis(ms) <= Instant::now());
                if !self.dirty || due() {
                    msgs.push(Msg::Tick);
                } else {
                    return Woken::Frame;
                }
            }
        }
        while let Some(Some(Ok(event))) = ready(std::pin::pin!(keys.next())).await {
            msgs.extend(of_terminal(event));
        }
        while let Ok(input) = self.wiring.inputs.try_recv() {
            msgs.push(Msg::Input(input));
        }
        let chunks = self.wiring.live.take();
        if !chunks.is_empty() {
            let now = self.now();
            for chunk in chunks {
                self.model.outputs.entry(chunk.step).or_default().add(chunk.attempt, &chunk.text, now.ms);
            }
            msgs.push(Msg::Input(Input::Text));
        }
        Woken::Msgs(msgs)
    }

    fn paint_if_due(&mut self) -> io::Result<()> {
        let due = self.painted.is_none_or(|at| at.elapsed() >= FRAME);
        if !self.dirty || !due {
            return Ok(());
        }
        let model = &*self.model;
        let mut drawn = screens::Drawn::default();
        self.screen.draw(|frame| {
            drawn = screens::draw(model, frame.buffer_mut());
            if let Some(caret) = drawn.caret {
                frame.set_cursor_position(caret);
            }
        })?;
        settle_scrolls(self.model, &drawn);
        self.dirty = false;
        self.painted = Some(Instant::now());
        Ok(())
    }

    async fn perform(&mut self, cmd: Cmd) -> io::Result<()> {
        match cmd {
            Cmd::Wish(wish) => {
                // Where nobody carries the run any more, its end has been told already.
                let _ = self.wiring.wishes.send(wish);
            }
            Cmd::Quit => {}
            Cmd::Redraw => self.screen.clear()?,
            Cmd::Bell => terminal::send(&clipboard::bell())?,
            Cmd::Suspend => {
                terminal::suspend()?;
                self.screen.clear()?;
            }
            Cmd::Edit(text) => {
                let edited = match self.wiring.editor.clone() {
                    Ok(editor) => self.aside(editor::edit_text(&editor, &text)).await?,
                    Err(kept) => Err(kept),
                };
                let _ = self.jobs.0.send(Msg::Edited(edited));
            }
            Cmd::Look(line) => {
                let document = self.wiring.document.clone();
                let looked = match self.wiring.editor.clone() {
                    Ok(editor) => self.aside(editor::edit_document(&editor, &document, line)).await?,
                    Err(kept) => Err(kept),
                };
                let _ = self.jobs.0.send(Msg::Looked(looked));
            }
            Cmd::Copy(text) => {
                let copied = clipboard::copy(&text, self.wiring.tmux);
                let sent = !matches!(copied, Copied::TooLong(_));
                let _ = self.jobs.0.send(Msg::Copied(copied));
                if self.wiring.tmux && sent {
                    let jobs = self.jobs.0.clone();
                    tokio::spawn(async move { jobs.send(Msg::Copied(clipboard::to_tmux(&text).await)) });
                }
            }
            Cmd::ToFile(text) => {
                let copied = clipboard::to_file(&self.wiring.folder, "copied.txt", &text);
                let _ = self.jobs.0.send(Msg::Copied(copied));
            }
        }
        Ok(())
    }

    /// Runs a program that has the terminal to itself: keys are not read, modes are left, and entered again after it.
    async fn aside<T>(&mut self, program: impl Future<Output = T>) -> io::Result<T> {
        self.keys = None;
        LENT.store(true, Ordering::Relaxed);
        terminal::leave();
        let ended = program.await;
        let again = terminal::reenter();
        LENT.store(false, Ordering::Relaxed);
        again?;
        self.keys = Some(EventStream::new());
        self.screen.clear()?;
        Ok(ended)
    }
}

fn of_terminal(event: TermEvent) -> Option<Msg> {
    match event {
        TermEvent::Key(key) => Some(Msg::Key(key)),
        TermEvent::Paste(text) => Some(Msg::Paste(text)),
        TermEvent::Resize(..) => Some(Msg::Resize),
        TermEvent::FocusGained | TermEvent::FocusLost | TermEvent::Mouse(_) => None,
    }
}

async fn until(alarm: Option<Instant>) {
    match alarm {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// What a future has ready now; `None` where it would wait.
async fn ready<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
    std::future::poll_fn(|context| match std::pin::Pin::new(&mut future).poll(context) {
        std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

/// Scrolled lines never lead past the end of what was drawn.
pub fn settle_scrolls(model: &mut Model, drawn: &screens::Drawn) {
    (model.page, model.rows) = (drawn.page, drawn.lines);
    let most = drawn.lines.saturating_sub(drawn.page);
    super::sending::painted(model, drawn.lines > 0);
    match model.layers.last_mut() {
        Some(Layer::Help(top) | Layer::Log(top)) => *top = (*top).min(most),
        Some(Layer::Sending(sending)) => sending.top = sending.top.min(most),
        Some(_) => {}
        None => {
            let scroll = match model.screen {
                Screen::Decide => &mut model.conflict_scroll,
                Screen::Questions => &mut model.question_scroll,
                Screen::Findings => &mut model.findings.scroll,
                Screen::Report => &mut model.report_scroll,
                Screen::Run if model.run.output.is_some() => return,
                Screen::Run if model.at_round().is_some() => &mut model.run.round_scroll,
                Screen::Run => {
                    let rows = model.agents();
                    let at = model.run.cursor.as_ref().and_then(|cursor| rows.iter().position(|key| key == cursor));
                    model.run.top = super::rows::top(model.run.top, at, drawn.page, rows.len());
                    return;
                }
            };
            *scroll = (*scroll).min(most);
        }
    }
}
