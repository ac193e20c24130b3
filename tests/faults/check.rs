//! What must hold after a fault, and after the run that it hit has come to its end.

use super::bench::{Bench, Ran};
use super::journal;
use super::subject::{DOCUMENT, EVENTS, NOTES, Subject, TARGET};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;

/// Keys whose values are times.
const TIMES: [&str; 4] = ["at", "generated_at", "started_at", "finished_at"];
/// What times and the run id are replaced by.
const MASK: &str = "·";

/// Says a line to whoever runs the tests, also when they pass.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A findings file without its times and its run's id; everything else is left byte for byte.
pub fn normalised(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let (mut in_run, mut in_durations) = (false, false);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !line.starts_with(' ') {
            in_run = line == "run:\n";
        }
        in_durations = in_run && (line.starts_with("  durations_ms:") || in_durations && line.starts_with("    "));
        let (head, value) = line.split_once(": ").unwrap_or((line, ""));
        let key = head.trim_start_matches([' ', '-']);
        let is_time = TIMES.contains(&key) && value.starts_with("\"2") && value.ends_with("Z\"\n");
        if is_time || (in_run && head == "  id") || (in_durations && !value.is_empty()) {
            out.push_str(&format!("{head}: {MASK}\n"));
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The id in a findings file's `run`.
fn run_id(findings: &[u8]) -> String {
    let text = std::str::from_utf8(findings).expect("UTF-8");
    let (_, run) = text.split_once("\nrun:\n").expect("a run");
    let id = run.lines().find_map(|line| line.strip_prefix("  id: ")).expect("an id");
    id.trim_matches('"').to_owned()
}

/// Runs as `tamis runs` lists them, newest first: id and state.
pub fn runs(bench: &Bench) -> Vec<(String, String)> {
    let ran = bench.run(&["runs"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines = ran.out.lines().filter(|line| *line != "no runs");
    let parts = lines.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    parts.map(|mut parts| (parts.remove(0), parts.remove(0))).collect()
}

/// The folder of a run.
pub fn run_folder(bench: &Bench, run: &str) -> PathBuf {
    bench.path("state/tamis/runs").join(run)
}

/// The journal of a run.
pub fn journal_of(bench: &Bench, run: &str) -> PathBuf {
    run_folder(bench, run).join("journal.jsonl")
}

/// What stands in the bench's folder besides state and home.
fn listing(bench: &Bench) -> Vec<String> {
    let entries = std::fs::read_dir(bench.folder()).expect("a folder");
    let mut names: Vec<String> = entries.map(|entry| entry.expect("entry").file_name().into_string().expect("text")).collect();
    names.retain(|name| !["state", "home", EVENTS, super::strace::LOG].contains(&name.as_str()));
    names.sort();
    names
}

fn is_temp(name: &str) -> bool {
    name.starts_with(".tamis-") && name.ends_with(".tmp")
}

/// After a fault and before anything is done about it: the document is untouched, the target is the old one or complete,
/// and beside them stand at most one temporary file of ours and the old target's backup.
pub fn survives(subject: &Subject, bench: &Bench) {
    assert_eq!(bench.read(DOCUMENT).as_deref(), Some(NOTES.as_bytes()), "the document");
    let target = bench.read(TARGET);
    if target != subject.old {
        let found = target.expect("an old target never vanishes");
        assert_eq!(normalised(&found), subject.findings, "{}: the target is neither the old nor a whole one", subject.name);
    }
    let names = listing(bench);
    let backup = format!("{TARGET}.bak");
    if names.contains(&backup) {
        assert!(subject.keeps_old, "nothing had to be kept");
        assert_eq!(bench.read(&backup), subject.old, "the backup is the old target");
    }
    let others: Vec<&String> = names.iter().filter(|name| ![DOCUMENT, TARGET, &backup].contains(&name.as_str())).collect();
    assert!(others.len() <= 1 && others.iter().all(|name| is_temp(name)), "left over: {others:?}");
}

/// What there is to go on with after a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// No run was begun.
    Nothing,
    /// A run that is open.
    Open,
    /// A run that ended before the fault.
    Finished,
}

/// Brings a disturbed review to its end, as a person would: resume what is open, else review anew.
pub fn recovers(subject: &Subject, bench: &Bench) -> Left {
    survives(subject, bench);
    let listed = runs(bench);
    let state = listed.iter().map(|(_, state)| state.as_str()).find(|state| *state != "empty");
    let left = match state {
        None => {
            let resumed = bench.run(&["resume"]);
            assert!(resumed.code == 2 && resumed.err.contains("no open run"), "{resumed:?}");
            ended(subject, bench, &bench.run(&subject.review()));
            return Left::Nothing;
        }
        Some("open" | "waiting") => {
            ended(subject, bench, &bench.run(&with_events(subject.resume(), bench)));
            Left::Open
        }
        Some("finished") => {
            assert_eq!(bench.read(TARGET).map(|bytes| normalised(&bytes)).as_ref(), Some(&subject.findings));
            Left::Finished
        }
        other => panic!("{}: the run is {other:?}: {listed:?}", subject.name),
    };
    let (run, _) = listed.iter().find(|(_, state)| state != "empty").expect("a run");
    let events = sound_journal(bench, run);
    acknowledged_events_are_kept(bench, &events);
    left
}

/// Arguments with the events file added, where the run before had one.
fn with_events<'a>(mut args: Vec<&'a str>, bench: &Bench) -> Vec<&'a str> {
    if bench.path(EVENTS).exists() {
        args.extend(["--events", EVENTS]);
    }
    args
}

/// After the end of a review: the exit code and the findings file of the undisturbed one, the id of the run that wrote it,
/// the old target kept where it has to be, the document untouched, and nothing left over.
pub fn ended(subject: &Subject, bench: &Bench, ran: &Ran) {
    assert_eq!(ran.code, subject.code, "{}: {ran:?}", subject.name);
    let target = bench.read(TARGET).expect("written");
    assert_eq!(normalised(&target), subject.findings, "{}", subject.name);
    assert_eq!(bench.read(DOCUMENT).as_deref(), Some(NOTES.as_bytes()), "the document");
    let backup = format!("{TARGET}.bak");
    let mut expected = vec![DOCUMENT.to_owned(), TARGET.to_owned()];
    if subject.keeps_old {
        assert_eq!(bench.read(&backup), subject.old, "the backup is the old target");
        expected.push(backup);
    }
    expected.sort();
    assert_eq!(listing(bench), expected, "{}: what stands in the folder", subject.name);
    let finished = runs(bench).into_iter().find(|(_, state)| state == "finished");
    let (run, _) = finished.expect("a finished run");
    assert_eq!(run_id(&target), run);
    sound_journal(bench, &run);
}

/// Reads a finished run's journal and checks that nothing was asked, decided or fixed twice.
fn sound_journal(bench: &Bench, run: &str) -> Vec<Value> {
    let records = journal::records(&journal_of(bench, run));
    let (mut once, mut answered, mut attempts) = (HashSet::new(), HashSet::new(), HashSet::new());
    for record in &records {
        let text = |field: &str| record[field].as_str().expect("text");
        let (kind, key) = (text("kind"), text("key"));
        match kind {
            "run_resumed" => {}
            "step_started" => {
                assert!(!answered.contains(key), "{key} was asked again after it was answered");
                assert!(attempts.insert((key, record["attempt"].as_u64())), "an attempt was made twice: {record}");
            }
            "attempt_failed" => assert!(!answered.contains(key), "{key} failed after it was answered"),
            "step_done" | "hole_accepted" => assert!(answered.insert(key), "{key} was answered twice"),
            "gate_record" => {
                let about = ["op", "finding", "question"].map(|field| record["body"][field].to_string()).join(" ");
                assert!(once.insert(format!("{key} {about}")), "a person decided twice on {key}: {about}");
            }
            _ => assert!(once.insert(format!("{kind} {key}")), "{kind} {key} stands there twice"),
        }
    }
    assert_eq!(records.last().map(|record| &record["kind"]), Some(&Value::from("run_finished")));
    records
}

/// Every event that was shown to somebody as saved is in the journal as it was shown.
pub fn acknowledged_events_are_kept(bench: &Bench, kept: &[Value]) {
    let Some(shown) = bench.read(EVENTS) else { return };
    for line in String::from_utf8(shown).expect("UTF-8").lines() {
        let shown: Value = serde_json::from_str(line).expect("an event");
        let seq = shown["seq"].as_u64().expect("a number");
        assert_eq!(kept.get(seq as usize), Some(&shown), "an event that was shown as saved");
    }
}

/// Counts of what was hit, for the report.
#[derive(Default)]
pub struct Tally(Mutex<BTreeMap<String, u32>>);

impl Tally {
    /// Counts one.
    pub fn add(&self, what: impl Into<String>) {
        *self.0.lock().expect("not poisoned").entry(what.into()).or_default() += 1;
    }

    /// Whether something was counted.
    pub fn has(&self, what: &str) -> bool {
        self.0.lock().expect("not poisoned").contains_key(what)
    }

    /// All counts in one line, with their sum.
    pub fn line(&self) -> String {
        let counts = self.0.lock().expect("not poisoned");
        let parts: Vec<String> = counts.iter().map(|(what, count)| format!("{what} {count}")).collect();
        format!("{}: {}", counts.values().sum::<u32>(), parts.join(", "))
    }
}
