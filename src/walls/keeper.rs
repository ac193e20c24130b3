//! The keeper: a process between tamis and a program that reviews. It ends when the program ends or when tamis does, however
//! that happens, and then nothing is left of whatever the program has begun.

use super::CANNOT_BEGIN;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, set_child_subreaper, setsid, wait};
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long a program that is told to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(3);
/// How often what is left is looked at while it is being killed.
const LOOK: Duration = Duration::from_millis(10);

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What the program reads as its standard input; nothing where there is none.
    pub stdin: Option<PathBuf>,
    /// The program reads what we read ourselves, instead.
    pub relay: bool,
    /// The program with its arguments.
    pub command: Vec<OsString>,
}

/// What happened.
enum News {
    /// The program ended.
    Ended(std::io::Result<ExitStatus>),
    /// Nobody holds the other end of our standard input any more, or it was told to stop.
    Alone,
}

/// Begins the program, waits for its end or for that of whoever holds our standard input, and leaves nothing behind. Returns
/// the program's exit code, 128 and the signal's number where one ended it, and a word for standard error where it could not
/// begin.
pub fn keep(kept: &Kept) -> (u8, Option<String>) {
    // A session of our own: a key in the terminal is not for the program. Whatever it leaves behind becomes ours.
    let _ = setsid();
    if let Err(error) = set_child_subreaper(Some(rustix::process::getpid())) {
        return (CANNOT_BEGIN, Some(format!("the keeper cannot keep: {error}")));
    }
    let mut child = match begin(kept) {
        Ok(child) => child,
        Err((code, why)) => return (code, Some(why)),
    };
    let group = Pid::from_child(&child);
    let (tell, hear) = channel();
    watch_over(tell.clone(), child.stdin.take());
    wait_for(child, tell);
    let code = until_end(&hear, group);
    leave_nothing();
    (code, None)
}

fn begin(kept: &Kept) -> Result<Child, (u8, String)> {
    let Some((program, args)) = kept.command.split_first() else {
        return Err((CANNOT_BEGIN, "nothing to begin".to_owned()));
    };
    let stdin = match &kept.stdin {
        _ if kept.relay => Stdio::piped(),
        Some(path) => Stdio::from(fs::File::open(path).map_err(|error| (CANNOT_BEGIN, format!("{}: {error}", path.display())))?),
        None => Stdio::null(),
    };
    // A group of its own: it can be told as a whole to end.
    let child = Command::new(program).args(args).stdin(stdin).process_group(0).spawn();
    child.map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::NotFound { super::NOT_FOUND } else { CANNOT_BEGIN };
        (code, format!("{}: {error}", program.to_string_lossy()))
    })
}

/// Tells when our standard input ends: the kernel closes it whatever ended the process at its other end. What is read until
/// then is passed on to the program, where it is to be.
fn watch_over(tell: Sender<News>, mut onward: Option<ChildStdin>) {
    // Apart from each other: a program that does not read keeps nobody from seeing the end.
    let (pass, passed) = channel::<Vec<u8>>();
    std::thread::spawn(move || {
        for bytes in passed {
            // A program that does not read any more is left to say so itself.
            if onward.as_mut().is_none_or(|stdin| stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err()) {
                onward = None;
            }
        }
    });
    std::thread::spawn(move || {
        let mut bytes = [0; 16 << 10];
        while let Ok(read @ 1..) = std::io::stdin().read(&mut bytes) {
            let _ = pass.send(bytes[..read].to_vec());
        }
        let _ = tell.send(News::Alone);
    });
}

fn wait_for(mut child: Child, tell: Sender<News>) {
    std::thread::spawn(move || {
        let _ = tell.send(News::Ended(child.wait()));
    });
}

/// Waits for the end, and helps it along where nobody waits any more.
fn until_end(hear: &Receiver<News>, group: Pid) -> u8 {
    match hear.recv() {
        Ok(News::Ended(status)) => return code(status),
        Ok(News::Alone) | Err(_) => {}
    }
    let _ = kill_process_group(group, Signal::TERM);
    let began = Instant::now();
    loop {
        match hear.recv_timeout(GRACE.saturating_sub(began.elapsed())) {
            Ok(News::Ended(status)) => return code(status),
            Ok(News::Alone) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    let _ = kill_process_group(group, Signal::KILL);
    match hear.recv() {
        Ok(News::Ended(status)) => code(status),
        Ok(News::Alone) | Err(_) => CANNOT_BEGIN,
    }
}

fn code(status: std::io::Result<ExitStatus>) -> u8 {
    let Ok(status) = status else { return CANNOT_BEGIN };
    let signalled = || status.signal().map_or(i32::from(CANNOT_BEGIN), |signal| 128 + signal);
    u8::try_from(status.code().unwrap_or_else(signalled)).unwrap_or(u8::MAX)
}

/// Kills whatever is left, round after round: what is being killed may have begun something else, which then becomes ours.
fn leave_nothing() {
    loop {
        let left = children();
        for child in &left {
            let _ = kill_process(*child, Signal::KILL);
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        if left.is_empty() {
            return;
        }
        // Nothing tells when the last one is gone; this is the pause of a keeper with nothing else to do.
        std::thread::park_timeout(LOOK);
    }
}

/// Our children, with those that lost their own parents.
fn children() -> Vec<Pid> {
    let mut found = Vec::new();
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return found };
    for task in tasks.flatten() {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        let pids = text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
        found.extend(pids.filter_map(Pid::from_raw));
    }
    found
}
