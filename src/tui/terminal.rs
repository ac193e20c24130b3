//! The one guard of the terminal: enters its modes once and leaves them once, for returns, errors, panics and signals alike.
//!
//! The state is the process's, as the terminal is: [`leave`] works from any thread and does its work only the first time.
//! Nothing here ever asks the terminal a question: its answer would arrive among the keys.
//!
//! Job control. Raw mode turns Ctrl-Z into a key; the loop answers it with [`suspend`]. A `kill -TSTP` from outside stops the
//! process where it stands, alternate screen and all (catching it would keep us from stopping for real); after `fg` the loop
//! sees SIGCONT, calls [`resumed`] and draws everything again. Where nobody could continue us (an orphaned process group,
//! such as a terminal window that runs tamis without a shell) the kernel drops the stop and [`suspend`] comes straight back.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::layout::Size;
use rustix::process::Signal;
use rustix::termios::OptionalActions;

/// Alternate screen, bracketed paste, cursor hidden until a frame shows it.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?25l";

/// The reverse, and the end of a frame that may have been cut short; the alternate screen goes last.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// How long [`leave`] waits for a terminal that takes no bytes before it gives the terminal up.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long a stop may take to reach all threads. Later than this it finds the screen entered, as a stop from outside does.
const STOPPING: Duration = Duration::from_millis(200);

/// Where the terminal is; the process opens it once.
const TTY: &str = "/dev/tty";

static STATE: Mutex<State> = Mutex::new(State { entered: false, writing: false, tty: None, stray: None });
static WRITTEN: Condvar = Condvar::new();

struct State {
    /// Whether the modes are on.
    entered: bool,
    /// Whether a frame is on its way; the lock is not held meanwhile, so that a stuck terminal cannot hold up [`leave`].
    writing: bool,
    /// An open file of our own: its flags are not shared with the shell, so it is never non-blocking.
    tty: Option<Arc<File>>,
    stray: Option<Stray>,
}

/// What others write to standard error while the screen is ours.
struct Stray {
    /// The real standard error while ours is redirected.
    real: Option<OwnedFd>,
    /// Takes the text; without a name, so that a killed process leaves nothing behind.
    caught: File,
    /// Where caught text is kept for people, once there is some.
    kept: Option<(File, PathBuf)>,
}

/// Why the workbench cannot run here. The caller adds the headless command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTerminal {
    /// Standard output goes to a file or a pipe.
    #[error("standard output is not a terminal")]
    Output,
    /// Standard input is closed or a device that is no terminal, such as /dev/null.
    #[error("standard input is not a terminal")]
    Input,
    /// The process has no controlling terminal: neither keys nor changes of size would arrive.
    #[error("this process has no controlling terminal")]
    NotControlling,
    /// `TERM` is unset or `dumb`.
    #[error("the terminal is dumb (TERM), it cannot show a screen")]
    Dumb,
}

/// Whether the workbench can run here; to be asked before anything is written. `term` is the value of `TERM`.
///
/// A document piped into standard input is fine: keys then come from the controlling terminal (`/dev/tty`), to which
/// crossterm falls back by itself.
///
/// # Errors
/// The first reason that rules it out.
pub fn check_terminal(term: Option<&str>) -> Result<(), NoTerminal> {
    if !io::stdout().is_terminal() {
        return Err(NoTerminal::Output);
    }
    if matches!(term, None | Some("" | "dumb")) {
        return Err(NoTerminal::Dumb);
    }
    if !io::stdin().is_terminal() && !stdin_is_data() {
        return Err(NoTerminal::Input);
    }
    open_tty().map(drop).map_err(|_| NoTerminal::NotControlling)
}

/// Whether standard input is a file, a pipe or a socket.
fn stdin_is_data() -> bool {
    use rustix::fs::FileType;
    rustix::fs::fstat(rustix::stdio::stdin()).is_ok_and(|stat| {
        matches!(FileType::from_raw_mode(stat.st_mode), FileType::RegularFile | FileType::Fifo | FileType::Socket)
    })
}

fn open_tty() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(TTY)
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The terminal's modes, held. Dropping it leaves them.
#[derive(Debug)]
pub struct Guard(());

impl Guard {
    /// Enters raw mode, the alternate screen and bracketed paste, hides the cursor, and sends what is written to standard
    /// error, where that is a terminal, to a file meanwhile. Installs the panic hook that leaves first.
    ///
    /// # Errors
    /// Where there is no terminal or it refuses; nothing is left switched on then.
    pub fn enter() -> io::Result<Guard> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let previous = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                leave();
                previous(panic);
            }));
        });
        // NO_COLOR is the theme's: crossterm would turn each colour into a reset of all attributes, bold and reverse too.
        crossterm::style::force_color_output(true);
        reenter()?;
        Ok(Guard(()))
    }

    /// Leaves, and names the file that holds what was written to standard error meanwhile, if anything was.
    pub fn finish(self) -> Option<PathBuf> {
        leave();
        stray_text()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

/// Whether the screen is ours. After a panic in another thread or a signal it no longer is.
pub fn is_entered() -> bool {
    state().entered
}

/// The file with what was written to standard error while the screen was ours; `None` where nothing was.
pub fn stray_text() -> Option<PathBuf> {
    Some(state().stray.as_ref()?.kept.as_ref()?.1.clone())
}

/// Enters again after [`leave`]. The caller reads events again and clears the ratatui terminal, so that all is drawn anew.
///
/// # Errors
/// Where there is no terminal or it refuses; nothing is left switched on then.
pub fn reenter() -> io::Result<()> {
    let mut state = state();
    if state.entered {
        return Ok(());
    }
    let tty = match &state.tty {
        Some(tty) => Arc::clone(tty),
        None => Arc::clone(state.tty.insert(Arc::new(open_tty()?))),
    };
    enable_raw_mode()?;
    if let Err(error) = (&*tty).write_all(ENTER) {
        let _ = disable_raw_mode();
        return Err(error);
    }
    state.entered = true;
    catch_stray(&mut state);
    Ok(())
}

/// Leaves the terminal as it was found: paste off, attributes reset, cursor shown, alternate screen left, then raw mode off
/// and standard error given back. Does nothing when it is left already; never fails, and never waits long for a terminal
/// that takes no bytes.
pub fn leave() {
    let mut state = state();
    if !state.entered {
        return;
    }
    state.entered = false;
    let (mut state, _) =
        WRITTEN.wait_timeout_while(state, PATIENCE, |state| state.writing).unwrap_or_else(PoisonError::into_inner);
    if let Some(tty) = state.tty.clone() {
        let (done, wait) = mpsc::channel();
        // In a thread of its own: a terminal that is stopped or gone must not keep a dying process.
        let started = thread::Builder::new().spawn(move || {
            let _ = (&*tty).write_all(LEAVE);
            // From the background, changing the modes would stop us; the shell has set its own already.
            if in_foreground(&tty) {
                let _ = disable_raw_mode();
            }
            let _ = done.send(());
        });
        if started.is_ok() {
            let _ = wait.recv_timeout(PATIENCE);
        } else {
            let _ = disable_raw_mode();
        }
    }
    release_stray(&mut state);
}

fn in_foreground(tty: &File) -> bool {
    rustix::termios::tcgetpgrp(tty).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Ctrl-Z: leaves, stops the foreground job, and enters again when it is continued. The caller stops reading events before,
/// and reads and draws everything again after.
///
/// # Errors
/// As [`reenter`].
pub fn suspend() -> io::Result<()> {
    leave();
    // The whole group, as the terminal itself does it: a wrapper script or a timer in the same job stops with us.
    rustix::process::kill_current_process_group(Signal::TSTP)?;
    // Another thread may take the signal, and this one would still enter before it stops. Nobody sends here: it only waits,
    // and a stop that takes hold in the meantime is longer than this.
    let (_open, wait) = mpsc::channel::<()>();
    let _ = wait.recv_timeout(STOPPING);
    reenter()
}

/// After SIGCONT: sets all modes again if the screen is ours, as after a stop from outside it may have lost them. Tells
/// whether the caller has to draw everything again.
///
/// # Errors
/// As [`reenter`].
pub fn resumed() -> io::Result<bool> {
    let tty = {
        let state = state();
        let (true, Some(tty)) = (state.entered, state.tty.clone()) else { return Ok(false) };
        tty
    };
    // Not through crossterm: it believes that raw mode is on, and what it keeps is what we found at first.
    let mut modes = rustix::termios::tcgetattr(&*tty)?;
    modes.make_raw();
    rustix::termios::tcsetattr(&*tty, OptionalActions::Now, &modes)?;
    write(ENTER)?;
    Ok(true)
}

/// Bytes for the terminal beside the frames; only this room makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence(Vec<u8>);

impl Sequence {
    /// A sequence that this room has built from its own parts.
    pub(super) fn new(bytes: Vec<u8>) -> Sequence {
        Sequence(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Sends a sequence between two frames. Without a screen of ours nothing is sent.
///
/// # Errors
/// What the terminal answers to a write, such as a hang-up.
pub fn send(sequence: &Sequence) -> io::Result<()> {
    write(sequence.bytes())
}

/// One write to the terminal while the screen is ours; what comes later is dropped, so that no frame lands on the shell's
/// screen.
pub(super) fn write(bytes: &[u8]) -> io::Result<()> {
    let tty = {
        let mut state = state();
        let (true, Some(tty)) = (state.entered, state.tty.clone()) else { return Ok(()) };
        state.writing = true;
        tty
    };
    let written = (&*tty).write_all(bytes);
    state().writing = false;
    WRITTEN.notify_all();
    written
}

/// The size of the terminal in columns and rows; 0 × 0 where it has none.
pub(super) fn size() -> io::Result<Size> {
    let tty = state().tty.clone();
    let size = match tty {
        Some(tty) => rustix::termios::tcgetwinsize(&*tty)?,
        None => rustix::termios::tcgetwinsize(rustix::stdio::stdout())?,
    };
    Ok(Size { width: size.ws_col, height: size.ws_row })
}

/// Sends standard error to a file while the screen is ours: what a library prints would be painted over it. Without a
/// place for the file it stays where it is.
fn catch_stray(state: &mut State) {
    if !io::stderr().is_terminal() {
        return;
    }
    if state.stray.is_none() {
        let Ok(caught) = tempfile::tempfile() else { return };
        state.stray = Some(Stray { real: None, caught, kept: None });
    }
    let Some(stray) = &mut state.stray else { return };
    let Ok(real) = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3) else { return };
    if rustix::stdio::dup2_stderr(&stray.caught).is_ok() {
        stray.real = Some(real);
    }
}

/// Gives standard error back and keeps what was caught in a file with a name.
fn release_stray(state: &mut State) {
    let Some(stray) = &mut state.stray else { return };
    let Some(real) = stray.real.take() else { return };
    let _ = rustix::stdio::dup2_stderr(&real);
    let _ = keep_caught(stray);
}

fn keep_caught(stray: &mut Stray) -> io::Result<()> {
    let mut text = Vec::new();
    stray.caught.rewind()?;
    stray.caught.read_to_end(&mut text)?;
    stray.caught.rewind()?;
    stray.caught.set_len(0)?;
    if text.is_empty() {
        return Ok(());
    }
    if stray.kept.is_none() {
        let file = tempfile::Builder::new().prefix("tamis-stderr-").suffix(".log").tempfile()?;
        stray.kept = Some(file.keep().map_err(|error| error.error)?);
    }
    match &mut stray.kept {
        Some((file, _)) => file.write_all(&text),
        None => Ok(()),
    }
}
