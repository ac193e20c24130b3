//! Killed before every call that changes something, k = 1, 2, … until no call is left to be killed at.

use super::bench::Bench;
use super::check::{self, Left, Tally, say};
use super::strace::{self, Call, Place, Traced};
use super::subject::{EVENTS, Subject, TARGET};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Renaming, whichever call the C library or the kernel has for it.
pub const RENAME: &str = "rename,renameat,renameat2";
/// Keeping the old target under a second name.
pub const LINK: &str = "link,linkat";
/// Removing temporary files.
const UNLINK: &str = "unlink,unlinkat";
/// Processes at a time: they wait for retries more than they compute.
const WORKERS: usize = 4;

/// Tries k = 1, 2, … on several threads until a try says that nothing was hit; returns how many were.
pub fn until_unharmed(attempt: impl Fn(u32) -> bool + Sync) -> u32 {
    let (next, end) = (AtomicU32::new(1), AtomicU32::new(u32::MAX));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::SeqCst);
                    if k >= end.load(Ordering::SeqCst) {
                        return;
                    }
                    match catch_unwind(AssertUnwindSafe(|| attempt(k))) {
                        Ok(true) => {}
                        Ok(false) => drop(end.fetch_min(k, Ordering::SeqCst)),
                        Err(panic) => {
                            say(&format!("failed at k = {k}"));
                            end.store(0, Ordering::SeqCst);
                            failed.lock().expect("not poisoned").get_or_insert(panic);
                        }
                    }
                }
            });
        }
    });
    if let Some(panic) = failed.into_inner().expect("not poisoned") {
        resume_unwind(panic);
    }
    end.into_inner() - 1
}

/// Runs the binary and kills it before its k-th call of a set (in whichever thread comes to its k-th call first).
fn kill_at(bench: &Bench, set: &str, k: u32, args: &[&str]) -> Traced {
    let options = strace::inject(set, "signal=SIGKILL", &k.to_string());
    strace::run(bench, &options.each_ref().map(String::as_str), args)
}

/// What was killed where, and what it left.
#[derive(Default)]
struct Report {
    places: Tally,
    left: Tally,
}

impl Report {
    fn say(&self, what: &str) {
        say(&format!("{what}: kills {}; left {}", self.places.line(), self.left.line()));
    }
}

/// Kills the review at every k of a set.
fn kill_reviews(subject: &Subject, set: &str, report: &Report) {
    let killed = until_unharmed(|k| {
        let bench = subject.bench();
        let mut args = subject.review();
        if set != "write" {
            args.extend(["--events", EVENTS]);
        }
        let traced = kill_at(&bench, set, k, &args);
        if !traced.killed() {
            check::ended(subject, &bench, &traced.ran);
            return false;
        }
        report.places.add(traced.killed_at(set).label());
        report.left.add(format!("{:?}", check::recovers(subject, &bench)));
        true
    });
    assert!(killed > 0, "{}: no {set} was made", subject.name);
}

/// Kills the review at one call, then the process that takes it up at every k of a set.
fn kill_resumes(subject: &Subject, first: (&str, u32), set: &str, report: &Report) -> u32 {
    until_unharmed(|k| {
        let bench = subject.bench();
        let begun = kill_at(&bench, first.0, first.1, &subject.review());
        assert!(begun.killed(), "{}: {first:?} is made", subject.name);
        let traced = kill_at(&bench, set, k, &subject.resume());
        if !traced.killed() {
            check::ended(subject, &bench, &traced.ran);
            return false;
        }
        report.places.add(traced.killed_at(set).label());
        let left = check::recovers(subject, &bench);
        assert_ne!(left, Left::Nothing, "{}: a run that was there is gone", subject.name);
        report.left.add(format!("{left:?}"));
        true
    })
}

/// A run that was killed right before the renaming: it has little left to do but the renaming.
pub fn killed_late(subject: &Subject) -> Bench {
    let bench = subject.bench();
    assert!(kill_at(&bench, RENAME, 1, &subject.review()).killed());
    bench
}

/// Puts a fault at the first call of a set at a place, in a process that takes up a run killed right before the renaming.
pub fn hit_late(subject: &Subject, set: &str, place: Place, what: &str) -> (Bench, Traced) {
    for _ in 0..20 {
        // Which of its thread's calls it is, seen in a process that nothing happens to.
        let bench = killed_late(subject);
        let seen = strace::run(&bench, &["-e", &format!("trace={set}")], &subject.resume());
        check::ended(subject, &bench, &seen.ran);
        let call = seen.calls.iter().find(|call| call.place == place).expect("it is made");
        let number = seen.number(call);
        // No disk refuses one thread that wakes another. How often they do differs from run to run, so what was seen of
        // one process is likely of the next, and no more: where it was another call that was hit, the next try counts.
        let is_wake = |other: &&Call| other.place == Place::Wake && seen.number(other) == number;
        if seen.calls.iter().any(|call| is_wake(&call)) {
            continue;
        }
        let bench = killed_late(subject);
        let [trace, traced, inject, injected] = strace::inject(set, what, &number.to_string());
        let traced = format!("{traced},pwrite64,fdatasync");
        let found = strace::run_within(&bench, 20, &[&trace, &traced, &inject, &injected], &subject.resume());
        let is_hit = |call: &Call| call.place == place && (call.text.ends_with("(INJECTED)") || call.ended.is_none());
        if found.calls.iter().any(is_hit) {
            return (bench, found);
        }
    }
    panic!("{}: {set} {place:?} was never hit", subject.name)
}

fn killed_everywhere(subject: &Subject) {
    let report = Report::default();
    for set in ["pwrite64", "fdatasync", "write", "fsync", "mkdir", "ftruncate", "clone,clone3", RENAME] {
        kill_reviews(subject, set, &report);
    }
    match subject.keeps_old {
        true => kill_reviews(subject, LINK, &report),
        // Opening changes little; seen once, it is seen for all.
        false if subject.old.is_none() => kill_reviews(subject, "openat", &report),
        false => {}
    }
    report.say(&format!("{}, the first process", subject.name));
    for place in ["mkdir State", "write Copy", "fsync Copy", "write Lock", "pwrite64 Journal", "fdatasync Journal"] {
        assert!(report.places.has(place), "{}: never killed at {place}", subject.name);
    }

    // Its file work comes after many calls of the main thread, so the calls around the renaming are reached in a process
    // that takes up a run which was killed right before it and has little left to do.
    let late = Report::default();
    for set in ["pwrite64", "fdatasync", "write", "fsync", "openat", UNLINK, RENAME] {
        let killed = kill_resumes(subject, (RENAME, 1), set, &late);
        assert!(killed > 0, "{}: no {set} was made by the process that takes it up", subject.name);
    }
    for set in ["fdatasync", RENAME] {
        kill_resumes(subject, ("pwrite64", 3), set, &late);
    }
    let (bench, _) = hit_late(subject, "write", Place::Temp, "signal=SIGKILL");
    late.places.add("write Temp");
    late.left.add(format!("{:?}", check::recovers(subject, &bench)));
    late.say(&format!("{}, the process that takes it up", subject.name));

    for place in ["write Lock", "write Temp", "fsync Temp", "fsync Folder", "unlink Temp"] {
        assert!(late.places.has(place), "{}: never killed at {place}", subject.name);
    }
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_killed_offline_review_loses_nothing() {
    killed_everywhere(&Subject::offline());
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_killed_review_over_an_earlier_findings_file_loses_nothing() {
    killed_everywhere(&Subject::carried());
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_killed_council_over_a_foreign_file_loses_nothing() {
    killed_everywhere(&Subject::council());
}

/// Every process gets as far as four records, then it is killed; the run still ends as if nothing had happened.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_run_that_is_killed_again_and_again_still_ends() {
    for subject in [Subject::offline(), Subject::council()] {
        let bench = subject.bench();
        assert!(kill_at(&bench, "fdatasync", 4, &subject.review()).killed());
        let mut kills = 1;
        loop {
            check::survives(&subject, &bench);
            // One to make sure of what is there, then: taken up, a question, its answer, what follows from it.
            let traced = kill_at(&bench, "fdatasync", 5, &subject.resume());
            if !traced.killed() {
                check::ended(&subject, &bench, &traced.ran);
                break;
            }
            kills += 1;
            assert!(kills < 100, "{}: it gets nowhere", subject.name);
            // Its last record may be the last there is.
            if check::runs(&bench).iter().any(|(_, state)| state == "finished") {
                assert_eq!(check::recovers(&subject, &bench), Left::Finished);
                break;
            }
        }
        say(&format!("{}: ended after {kills} kills", subject.name));
    }
}

/// A finished run is opened again with other decisions; killed on the way, it goes on with them.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_finished_run_that_is_opened_again_and_killed_keeps_either_file_whole() {
    let subject = Subject::offline();
    let finished = || {
        let bench = subject.bench();
        check::ended(&subject, &bench, &bench.run(&subject.review()));
        let (run, _) = check::runs(&bench).remove(0);
        (bench, run)
    };
    let again = |run: &str| -> Vec<String> {
        ["resume", run, "--defer-all", "not now", "--defer-policy", "--decisions", "decisions.yaml"].map(str::to_owned).into()
    };
    let (bench, run) = finished();
    let before = check::normalised(&bench.read(TARGET).expect("written"));
    let decisions = decisions_on_all(&before);
    bench.write("decisions.yaml", &decisions);
    let args = again(&run);
    let ran = bench.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code, 0, "{ran:?}");
    let after = check::normalised(&bench.read(TARGET).expect("written"));
    assert_ne!(before, after, "the decisions are in the file");
    let report = Report::default();
    for set in ["pwrite64", "fdatasync", "fsync", RENAME] {
        let killed = until_unharmed(|k| {
            let (bench, run) = finished();
            bench.write("decisions.yaml", &decisions);
            let args = again(&run);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let traced = kill_at(&bench, set, k, &args);
            let found = check::normalised(&bench.read(TARGET).expect("there at every moment"));
            if !traced.killed() {
                assert_eq!(traced.ran.code, 0, "{:?}", traced.ran);
                assert_eq!(found, after);
                return false;
            }
            report.places.add(traced.killed_at(set).label());
            assert!(found == before || found == after, "neither file: {found}");
            let ran = bench.run(&args);
            assert_eq!(ran.code, 0, "{:?}", ran);
            assert_eq!(check::normalised(&bench.read(TARGET).expect("written")), after);
            true
        });
        assert!(killed > 0, "no {set} was made");
    }
    say(&format!("a finished run opened again: kills {}", report.places.line()));
}

/// A decisions file that accepts every finding of a findings file that is no conflict.
fn decisions_on_all(findings: &str) -> String {
    let mut text = "schema: tamis.decisions/1\nby: An\ndecisions:\n".to_owned();
    for finding in findings.split("\n  - id: ").skip(1) {
        let value = |key: &str| {
            let line = finding.lines().find_map(|line| line.trim_start().strip_prefix(key)).expect("a value");
            line.trim().to_owned()
        };
        if value("status:") == "pending" {
            text.push_str(&format!("  {}:\n    accept: true\n", value("key:")));
        }
    }
    text
}
