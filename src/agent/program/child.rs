//! A program as a child: kept, walled in, watched, and ended in time. Its standard input is closed, what it says is capped, and
//! whatever it leaves behind ends with it.

use crate::model::answer::FaultClass;
use crate::model::walls::{Level, Walls};
use crate::walls::{KEEP, SANDBOX};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// Bytes of an answer at most, with all that a program's format puts around it.
pub const OUTPUT_LIMIT: usize = 16 << 20;
/// Bytes kept of the end of what it writes beside.
const BESIDE: usize = 8 << 10;
/// Before each line of that where it is heard: it is no part of the answer.
const MARK: &str = "stderr: ";
/// How long a keeper may take to put a program away: its own grace, and room.
const PUT_AWAY: Duration = Duration::from_secs(10);

/// What is begun.
#[derive(Clone, Debug)]
pub struct Begin<'a> {
    /// The binary that keeps and walls in: our own.
    pub keeper: &'a Path,
    /// The program with its arguments.
    pub command: &'a [OsString],
    /// What it reads as its standard input.
    pub stdin: Stdin<'a>,
    /// All variables that it has.
    pub env: &'a [(OsString, OsString)],
    /// Where it begins.
    pub folder: &'a Path,
    /// The walls around it, and the level that they must have; `None` for no walls.
    pub walls: Option<(&'a Walls, Level)>,
    /// How long it may take.
    pub time: Duration,
}

/// What a program reads as its standard input.
#[derive(Clone, Copy, Debug)]
pub enum Stdin<'a> {
    /// Nothing: it is closed.
    Nothing,
    /// A file.
    File(&'a Path),
    /// What is written to it while it runs.
    Talk,
}

/// How it ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// What it wrote.
    pub stdout: Vec<u8>,
    /// The end of what it wrote beside.
    pub stderr: String,
    /// Its exit code; 128 and more for a signal.
    pub code: u8,
    /// Until the first byte of anything.
    pub started: Option<Duration>,
}

/// Why it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// What kind of failure.
    pub class: FaultClass,
    /// In words.
    pub what: String,
}

/// Runs a program to its end, or ends it: at its time, when a person says so, when it says too much. What it writes beside is
/// heard as it comes.
///
/// # Errors
/// By name: it cannot be begun, its time is over, it said too much, a person stopped it.
pub async fn run(begin: &Begin<'_>, cancel: &CancellationToken, heard: &mut (dyn FnMut(&str) + Send)) -> Result<Ended, Stopped> {
    let began = Instant::now();
    let mut child = spawn(begin)?;
    // Whoever holds this lets it live: it is dropped on every way out, and the system drops it where we are killed.
    let lifeline = child.stdin.take();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut ended = Ended::default();
    let said = {
        let read = read_all(stdout, stderr, &mut ended, began, heard);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Stopped { class: FaultClass::Cancelled, what: "cancelled by a person".to_owned() }),
            read = timeout_at(began + begin.time, read) => match read {
                Ok(read) => read,
                Err(_) => Err(Stopped {
                    class: FaultClass::Timeout,
                    what: format!("it had not ended after {} seconds", begin.time.as_secs()),
                }),
            },
        }
    };
    if said.is_err() {
        drop(lifeline);
        put_away(&mut child).await;
        return said.map(|()| ended);
    }
    // Its output is closed; a program that closes it and goes on is ended as well.
    let status = match timeout(PUT_AWAY, child.wait()).await {
        Ok(Ok(status)) => status,
        Ok(Err(_)) | Err(_) => {
            drop(lifeline);
            put_away(&mut child).await;
            let what = "it closed its output and did not end".to_owned();
            return Err(Stopped { class: FaultClass::Timeout, what });
        }
    };
    drop(lifeline);
    ended.code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
    Ok(ended)
}

/// Begins a program behind its keeper. Whoever holds its standard input lets it live.
///
/// # Errors
/// It cannot be begun.
pub fn spawn(begin: &Begin<'_>) -> Result<Child, Stopped> {
    command(begin).spawn().map_err(|error| {
        let program = begin.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        let hint = match error.kind() {
            io::ErrorKind::ArgumentListTooLong => "; give it the prompt as a file, `{prompt_file}`, or as its standard input",
            _ => "",
        };
        Stopped { class: FaultClass::Unavailable, what: format!("{program}: {error}{hint}") }
    })
}

fn command(begin: &Begin<'_>) -> Command {
    let mut command = Command::new(begin.keeper);
    command.arg(KEEP);
    match begin.stdin {
        Stdin::Nothing => {}
        Stdin::File(path) => {
            command.arg("--stdin").arg(path);
        }
        Stdin::Talk => {
            command.arg("--relay");
        }
    }
    command.arg("--");
    if let Some((walls, least)) = begin.walls {
        let walls = serde_json::to_string(walls).unwrap_or_default();
        command.arg(begin.keeper).args([SANDBOX, "--walls", &walls, "--least", least.word(), "--"]);
    }
    command.args(begin.command).env_clear().envs(begin.env.iter().map(|(name, value)| (name, value)));
    command.current_dir(begin.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until the keeper has put everything away, and returns its exit code. A keeper that does not is ended itself.
pub async fn put_away(child: &mut Child) -> Option<u8> {
    match timeout(PUT_AWAY, child.wait()).await {
        Ok(status) => status.ok()?.code().and_then(|code| u8::try_from(code).ok()),
        Err(_) => {
            let _ = child.kill().await;
            None
        }
    }
}

/// Reads both outputs until both are closed.
async fn read_all(
    stdout: Option<impl AsyncRead + Unpin>,
    stderr: Option<impl AsyncRead + Unpin>,
    ended: &mut Ended,
    began: Instant,
    heard: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Stopped> {
    let (Some(mut stdout), Some(mut stderr)) = (stdout, stderr) else { return Ok(()) };
    let (mut out, mut beside) = ([0; 16 << 10], [0; 4 << 10]);
    let (mut out_open, mut beside_open) = (true, true);
    let mut noted = Noted::default();
    while out_open || beside_open {
        tokio::select! {
            read = stdout.read(&mut out), if out_open => match read {
                Ok(0) | Err(_) => out_open = false,
                Ok(bytes) => {
                    ended.started.get_or_insert_with(|| began.elapsed());
                    if ended.stdout.len() + bytes > OUTPUT_LIMIT {
                        let what = format!("it wrote more than {} MiB", OUTPUT_LIMIT >> 20);
                        return Err(Stopped { class: FaultClass::Invalid, what });
                    }
                    ended.stdout.extend_from_slice(&out[..bytes]);
                }
            },
            read = stderr.read(&mut beside), if beside_open => match read {
                Ok(0) | Err(_) => beside_open = false,
                Ok(bytes) => {
                    ended.started.get_or_insert_with(|| began.elapsed());
                    noted.take(&beside[..bytes], heard);
                }
            },
        }
    }
    ended.stderr = noted.end(heard);
    Ok(())
}

/// Keeps the last bytes of a text, whole characters of them.
fn keep_end(kept: &mut String, text: &str) {
    kept.push_str(text);
    if kept.len() > BESIDE {
        let from = (kept.len() - BESIDE..kept.len()).find(|at| kept.is_char_boundary(*at)).unwrap_or(kept.len());
        kept.drain(..from);
    }
}

/// What a program writes beside: heard as it comes, line by line marked as such, and its end kept.
#[derive(Default)]
pub struct Noted {
    words: Words,
    kept: String,
    unfinished: Unfinished,
}

/// Whose line is not at its end where a program is heard.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Unfinished {
    #[default]
    Nobodys,
    Beside,
    Said,
}

impl Noted {
    /// Takes in the next bytes.
    pub fn take(&mut self, bytes: &[u8], heard: &mut (dyn FnMut(&str) + Send)) {
        let (kept, unfinished) = (&mut self.kept, &mut self.unfinished);
        self.words.take(bytes, &mut |text| {
            keep_end(kept, text);
            let mut marked = String::new();
            for line in text.split_inclusive('\n') {
                if *unfinished == Unfinished::Said {
                    marked.push('\n');
                }
                if *unfinished != Unfinished::Beside {
                    marked.push_str(MARK);
                }
                marked.push_str(line);
                *unfinished = if line.ends_with('\n') { Unfinished::Nobodys } else { Unfinished::Beside };
            }
            heard(&marked);
        });
    }

    /// What it says for us is heard, on a line of its own.
    pub fn said(&mut self, text: &str, heard: &mut (dyn FnMut(&str) + Send)) {
        self.end_line(heard);
        heard(text);
        self.unfinished = if text.ends_with('\n') { Unfinished::Nobodys } else { Unfinished::Said };
    }

    fn end_line(&mut self, heard: &mut (dyn FnMut(&str) + Send)) {
        if self.unfinished == Unfinished::Beside {
            heard("\n");
            self.unfinished = Unfinished::Nobodys;
        }
    }

    /// The end of it, without marks; whatever is heard next has a line of its own.
    pub fn end(mut self, heard: &mut (dyn FnMut(&str) + Send)) -> String {
        self.end_line(heard);
        self.kept
    }
}

/// Bytes that come in pieces, as words: a character that is cut waits for its rest.
#[derive(Default)]
struct Words {
    rest: Vec<u8>,
}

impl Words {
    fn take(&mut self, bytes: &[u8], said: &mut dyn FnMut(&str)) {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            // What is cut at the end may become a character; what is none in the middle never does.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let rest = self.rest.split_off(whole);
        said(&String::from_utf8_lossy(&self.rest));
        self.rest = rest;
    }
}

/// Our own binary, also where it has been replaced since it was begun.
pub fn ourselves() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_beside_is_marked_line_by_line_and_kept_without_marks() {
        let text = std::sync::Mutex::new(String::new());
        let mut heard = |piece: &str| text.lock().expect("text").push_str(piece);
        let mut noted = Noted::default();
        // In pieces that cut a line and a character.
        let bytes = "đang đọc\nhai".as_bytes();
        noted.take(&bytes[..1], &mut heard);
        noted.take(&bytes[1..], &mut heard);
        noted.take(b" more", &mut heard);
        noted.said("an answer\nthat goes", &mut heard);
        noted.said(" on", &mut heard);
        noted.take(b"three\n\n", &mut heard);
        noted.said("end\n", &mut heard);
        noted.take(b"four", &mut heard);
        assert_eq!(noted.end(&mut heard), "đang đọc\nhai morethree\n\nfour");
        let expected =
            "stderr: đang đọc\nstderr: hai more\nan answer\nthat goes on\nstderr: three\nstderr: \nend\nstderr: four\n";
        assert_eq!(*text.lock().expect("text"), expected);
    }
}
