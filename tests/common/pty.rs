//! A program in a pseudo-terminal: keys in, bytes and a screen out. Everything waits by reading, nothing sleeps.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use portable_pty::{ChildKiller, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::termios::LocalModes;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Far beyond what anything here takes, also on a busy machine: a test that gets there has failed.
const DEADLINE: Duration = Duration::from_secs(60);

enum News {
    Bytes(Vec<u8>),
    Closed,
    Exited(ExitStatus),
}

/// The modes of the terminal's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Whole lines (`icanon`).
    pub canonical: bool,
    /// What is typed is shown (`echo`).
    pub echo: bool,
    /// Ctrl-C and the like are signals (`isig`).
    pub signals: bool,
}

impl Modes {
    /// As a shell hands a terminal over.
    pub const COOKED: Modes = Modes { canonical: true, echo: true, signals: true };
    /// As a screen program sets it.
    pub const RAW: Modes = Modes { canonical: false, echo: false, signals: false };
}

/// A program in a pseudo-terminal; dropping it kills the program.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    killer: Box<dyn ChildKiller + Send + Sync>,
    pid: u32,
    news: Receiver<News>,
    reading: Arc<(Mutex<bool>, Condvar)>,
    parser: vt100::Parser,
    raw: Vec<u8>,
    closed: bool,
    status: Option<ExitStatus>,
}

impl Pty {
    /// Starts a program. Its environment holds a terminal, a UTF-8 locale and `PATH`, and what `env` adds.
    pub fn spawn(program: impl AsRef<OsStr>, args: &[&str], rows: u16, cols: u16, env: &[(&str, &str)]) -> Pty {
        Pty::spawn_in(Path::new("/"), program, args, rows, cols, env)
    }

    /// The same in a folder.
    pub fn spawn_in(folder: &Path, program: impl AsRef<OsStr>, args: &[&str], rows: u16, cols: u16, env: &[(&str, &str)]) -> Pty {
        let pair = native_pty_system().openpty(size(rows, cols)).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(folder);
        command.env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, value) in env {
            command.env(name, value);
        }
        let mut child = pair.slave.spawn_command(command).expect("the program starts");
        // Ours would keep the terminal open after the program's end.
        drop(pair.slave);
        let (tell, news) = channel();
        let reading = Arc::new((Mutex::new(true), Condvar::new()));
        let reader = pair.master.try_clone_reader().expect("a reader");
        let (gate, told) = (Arc::clone(&reading), tell.clone());
        thread::spawn(move || read_all(reader, &gate, &told));
        let (killer, pid) = (child.clone_killer(), child.process_id().expect("a process"));
        thread::spawn(move || tell.send(News::Exited(child.wait().expect("a status"))));
        Pty {
            writer: pair.master.take_writer().expect("a writer"),
            master: pair.master,
            killer,
            pid,
            news,
            reading,
            parser: vt100::Parser::new(at_least_one(rows), at_least_one(cols), 1000),
            raw: Vec::new(),
            closed: false,
            status: None,
        }
    }

    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Types bytes, in one write.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.writer.write_all(bytes.as_ref()).and_then(|()| self.writer.flush()).expect("the terminal takes keys");
    }

    /// Pastes as a terminal does that brackets what it pastes.
    pub fn paste(&mut self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~"));
    }

    /// Gives the terminal another size; the program gets SIGWINCH.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.master.resize(size(rows, cols)).expect("a new size");
        self.parser.screen_mut().set_size(at_least_one(rows), at_least_one(cols));
    }

    /// Waits until a text stands on the screen, in one row.
    pub fn wait(&mut self, text: &str) {
        self.wait_for(text, |pty| pty.screen().iter().any(|row| row.contains(text)));
    }

    /// Waits until something holds, and says what it was where it never does.
    pub fn wait_for(&mut self, what: &str, holds: impl Fn(&Pty) -> bool) {
        let end = Instant::now() + DEADLINE;
        while !holds(self) {
            let over = self.closed && self.status.is_some();
            assert!(!over && self.hear(end), "never came: {what}\n{}", self.describe());
        }
    }

    /// Whether nothing at all comes for so long.
    pub fn is_quiet_for(&mut self, time: Duration) -> bool {
        !self.hear(Instant::now() + time)
    }

    /// Waits until a file or a process shows something: looks whenever the program has written, and every few milliseconds.
    pub fn until(&mut self, what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + DEADLINE;
        while !holds() {
            assert!(Instant::now() < end, "never came: {what}\n{}", self.describe());
            self.hear(Instant::now() + Duration::from_millis(5));
        }
    }

    /// Waits for the program's end and for its last byte.
    pub fn exit(&mut self) -> ExitStatus {
        self.wait_for("the end of the program", |pty| pty.closed && pty.status.is_some());
        self.status.clone().expect("ended")
    }

    /// Waits for the program's end without reading what it may still write.
    pub fn exit_unread(&mut self) -> ExitStatus {
        self.wait_for("the end of the program", |pty| pty.status.is_some());
        self.status.clone().expect("ended")
    }

    /// From now on nobody reads what the program writes, as on a line that hangs.
    pub fn stop_reading(&self) {
        *self.reading.0.lock().expect("gate") = false;
    }

    /// Reads on.
    pub fn read_on(&self) {
        *self.reading.0.lock().expect("gate") = true;
        self.reading.1.notify_all();
    }

    /// All bytes that the program wrote, as far as they have been waited for.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// The same as text.
    pub fn raw_text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// The rows of the screen, without spaces at their ends.
    pub fn screen(&self) -> Vec<String> {
        let (_, cols) = self.vt().size();
        self.vt().rows(0, cols.get()).map(|row| row.trim_end().to_owned()).collect()
    }

    /// The emulator's screen: cursor, modes, colours.
    pub fn vt(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// A cell of the screen.
    pub fn cell(&self, row: u16, col: u16) -> &vt100::Cell {
        self.vt().cell(row, col).expect("a cell of the screen")
    }

    /// The modes of the line.
    pub fn modes(&self) -> Modes {
        let flags = self.master.get_termios().expect("modes").local_flags.bits();
        let on = |mode: LocalModes| flags & mode.bits() != 0;
        Modes { canonical: on(LocalModes::ICANON), echo: on(LocalModes::ECHO), signals: on(LocalModes::ISIG) }
    }

    /// The process group that the terminal's keys go to.
    pub fn foreground(&self) -> Option<i32> {
        self.master.process_group_leader()
    }

    /// Takes in one piece of news; whether any came in time.
    fn hear(&mut self, end: Instant) -> bool {
        match self.news.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(News::Bytes(bytes)) => {
                self.parser.process(&bytes);
                self.raw.extend(bytes);
                true
            }
            Ok(News::Closed) => {
                self.closed = true;
                true
            }
            Ok(News::Exited(status)) => {
                self.status = Some(status);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    fn describe(&self) -> String {
        let tail = &self.raw[self.raw.len().saturating_sub(2000)..];
        format!(
            "screen:\n{}\nlast bytes: {:?}\nstatus: {:?}",
            self.screen().join("\n"),
            String::from_utf8_lossy(tail),
            self.status
        )
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.read_on();
        if self.status.is_none() {
            // It may have ended by itself just now.
            let _ = self.killer.kill();
        }
    }
}

fn read_all(mut reader: Box<dyn Read + Send>, gate: &(Mutex<bool>, Condvar), tell: &Sender<News>) {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        drop(gate.1.wait_while(gate.0.lock().expect("gate"), |reading| !*reading));
        match reader.read(&mut bytes) {
            Ok(count) if count > 0 => {
                if tell.send(News::Bytes(bytes[..count].to_vec())).is_err() {
                    return;
                }
            }
            _ => {
                let _ = tell.send(News::Closed);
                return;
            }
        }
    }
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// The emulator knows no empty screen.
fn at_least_one(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap_or(NonZeroU16::MIN)
}

/// The processor time of a process so far, in steps of 10 ms.
pub fn cpu(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    // The program's name, in brackets, may hold anything.
    let (_, fields) = stat.rsplit_once(") ").expect("fields");
    let ticks: u64 = fields.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("ticks")).sum();
    Duration::from_millis(ticks * 10)
}

/// How often the threads of a process have gone to sleep so far: each wake-up is followed by one.
pub fn voluntary_switches(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("a process");
    tasks
        .map(|task| {
            // A thread that has just ended counts no more.
            let status = std::fs::read_to_string(task.expect("a task").path().join("status")).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.map_or(0, |count| count.trim().parse::<u64>().expect("a count"))
        })
        .sum()
}
