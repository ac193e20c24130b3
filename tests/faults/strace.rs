//! The binary under strace: what it asked of the kernel, in order, and faults put in its way at an exact call.

use super::bench::{Bench, Ran, TAMIS};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// The log's name in the bench's folder.
pub const LOG: &str = "strace.log";

/// Where a program is.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// What a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The run's record file.
    Journal,
    /// The run's lock file.
    Lock,
    /// The document's copy beside the journal.
    Copy,
    /// Live text of agents.
    Live,
    /// Folders of the state.
    State,
    /// The new findings file before it has its name, and its renaming.
    Temp,
    /// The target's backup.
    Backup,
    /// The findings file.
    Target,
    /// The target's folder.
    Folder,
    /// The document itself.
    Document,
    /// The events file.
    Events,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// One thread waking another.
    Wake,
    /// Anything else: libraries, configuration.
    Other,
}

impl Place {
    fn of(call: &str, folder: &str) -> Place {
        // What is written may say anything: only the handle counts, or the paths.
        let about = match call.split_once('(') {
            Some(("write" | "pwrite64", args)) => args.split(',').next().unwrap_or_default(),
            Some((_, args)) => args,
            None => call,
        };
        let has = |part: &str| about.contains(part);
        let is_folder = has(&format!("{folder}>")) || has(&format!("\"{folder}\""));
        match () {
            () if has("/journal.jsonl") => Place::Journal,
            () if has("/lock>") || has("/lock\"") => Place::Lock,
            () if has("/document.md") => Place::Copy,
            () if has("/live") => Place::Live,
            () if has("/state") => Place::State,
            () if has("/.tamis-") => Place::Temp,
            () if has(".findings.yaml.bak") => Place::Backup,
            () if has(".findings.yaml") => Place::Target,
            () if has("/notes.md") => Place::Document,
            () if has("/events.jsonl") => Place::Events,
            () if is_folder => Place::Folder,
            () if has("eventfd") => Place::Wake,
            () if about.starts_with("1<") => Place::Stdout,
            () if about.starts_with("2<") => Place::Stderr,
            () => Place::Other,
        }
    }
}

/// One system call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its thread.
    pub thread: String,
    /// Its name.
    pub name: String,
    /// What it is about.
    pub place: Place,
    /// As strace shows it.
    pub text: String,
    /// Line of the log on which it began.
    pub began: usize,
    /// Line of the log on which it had returned; `None` where it never did.
    pub ended: Option<usize>,
}

impl Call {
    /// Name and place, as in `fsync Temp`.
    pub fn label(&self) -> String {
        format!("{} {:?}", self.name, self.place)
    }
}

/// A process that ran under strace.
pub struct Traced {
    /// How it ended.
    pub ran: Ran,
    /// Its calls, in the order in which they began.
    pub calls: Vec<Call>,
}

impl Traced {
    /// Whether the injected kill hit it.
    pub fn killed(&self) -> bool {
        self.ran.signal == Some(9)
    }

    /// The call that an injected kill hit: the last one that never returned with what kills are put at.
    pub fn killed_at(&self, set: &str) -> &Call {
        let names: Vec<&str> = set.split(',').collect();
        let hit = self.calls.iter().rev().find(|call| call.ended.is_none() && names.contains(&call.name.as_str()));
        hit.unwrap_or_else(|| panic!("killed, but at no {set}"))
    }

    /// Calls that were made to fail.
    pub fn refused(&self) -> Vec<&Call> {
        self.calls.iter().filter(|call| call.text.ends_with("(INJECTED)")).collect()
    }

    /// Which of its thread's calls of its name a call is, from 1: what `when` counts.
    pub fn number(&self, call: &Call) -> usize {
        let same = |other: &&Call| other.name == call.name && other.thread == call.thread && other.began <= call.began;
        self.calls.iter().filter(same).count()
    }

    /// The only call of this name at this place.
    pub fn only(&self, name: &str, place: Place) -> &Call {
        let found: Vec<&Call> = self.all(name, place).collect();
        assert_eq!(found.len(), 1, "{name} {place:?}: {:#?}", self.calls.iter().filter(|c| c.name == name).collect::<Vec<_>>());
        found[0]
    }

    /// Calls of this name at this place.
    pub fn all(&self, name: &str, place: Place) -> impl Iterator<Item = &Call> {
        self.calls.iter().filter(move |call| call.name == name && call.place == place)
    }
}

/// Runs the binary under strace with these further arguments of strace (`-e trace=…`, `-e inject=…`).
pub fn run(bench: &Bench, options: &[&str], args: &[&str]) -> Traced {
    traced(bench, bench.program(path()), options, args)
}

/// The same, and kills both where they have not ended after some seconds: a fault may hit what no disk ever refuses.
pub fn run_within(bench: &Bench, seconds: u32, options: &[&str], args: &[&str]) -> Traced {
    let mut command = bench.program(program("timeout").expect("timeout, of the core utilities"));
    command.arg("--signal=KILL").arg(seconds.to_string()).arg(path());
    traced(bench, command, options, args)
}

fn path() -> PathBuf {
    program("strace").expect("strace is needed for this test: install it (apt-get install strace)")
}

fn traced(bench: &Bench, mut command: Command, options: &[&str], args: &[&str]) -> Traced {
    command.args(["-f", "-y", "-qq", "-o", LOG]).args(options).arg("--").arg(TAMIS).args(args);
    let ran = Ran::of(command.output().expect("strace runs"));
    let log = String::from_utf8_lossy(&bench.read(LOG).expect("a log")).into_owned();
    let folder = std::fs::canonicalize(bench.folder()).expect("a folder").display().to_string();
    Traced { ran, calls: read(&log, &folder) }
}

/// Options that put a fault at calls of a set: `what` is `signal=SIGKILL` or `error=ENOSPC`, `when` is `3` or `3+`.
pub fn inject(set: &str, what: &str, when: &str) -> [String; 4] {
    ["-e".into(), format!("trace={set}"), "-e".into(), format!("inject={set}:{what}:when={when}")]
}

fn read(log: &str, folder: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished: HashMap<&str, usize> = HashMap::new();
    for (at, line) in log.lines().enumerate() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let index = unfinished.remove(&thread).expect("a call that was resumed had begun");
            let (_, result) = resumed.split_once("resumed>").expect("the rest of the call");
            calls[index].text.push_str(result);
            calls[index].ended = (!result.ends_with("= ?")).then_some(at);
            continue;
        }
        // Exits and signals.
        let Some((name, _)) = rest.split_once('(').filter(|_| !rest.starts_with(['+', '-'])) else { continue };
        let (text, ended) = match rest.strip_suffix(" <unfinished ...>") {
            Some(text) => (text, None),
            None => (rest, (!rest.ends_with("= ?")).then_some(at)),
        };
        if rest.len() != text.len() {
            unfinished.insert(thread, calls.len());
        }
        calls.push(Call {
            thread: thread.into(),
            name: name.into(),
            place: Place::of(text, folder),
            text: text.into(),
            began: at,
            ended,
        });
    }
    calls
}
