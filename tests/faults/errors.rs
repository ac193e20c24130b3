//! A disk that refuses: full, broken, too small, or not ours to write to.

use super::bench::{Bench, Ran};
use super::check::{self, Left, Tally, say};
use super::journal;
use super::kills::{LINK, RENAME, hit_late, until_unharmed};
use super::strace::{self, Place, Traced, program};
use super::subject::{DEFER, DOCUMENT, EVENTS, Subject, TARGET};
use std::process::Command;

/// Makes the k-th call of a set fail, and with `+` in `when` all after it.
fn refuse_at(bench: &Bench, set: &str, error: &str, when: &str, args: &[&str]) -> Traced {
    let options = strace::inject(set, &format!("error={error}"), when);
    let mut options: Vec<&str> = options.iter().map(String::as_str).collect();
    // Seen, but let through.
    let seen = format!("trace={set},pwrite64,fdatasync");
    options[1] = &seen;
    strace::run(bench, &options, args)
}

/// One error in words, what to do about it, and the line that takes the run up where there is a run.
fn explained(ran: &Ran, runs: &[(String, String)]) {
    assert_eq!(ran.code, 7, "{ran:?}");
    assert_eq!(ran.err.lines().filter(|line| line.starts_with("tamis: ")).count(), 1, "one message: {ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    assert!(ran.out.is_empty(), "nothing is claimed: {ran:?}");
    let after = ran.err.lines().skip_while(|line| !line.starts_with("tamis: ")).skip(1);
    let hints: Vec<&str> = after.collect();
    assert!(!hints.is_empty(), "it says what to do: {ran:?}");
    match runs.iter().find(|(_, state)| state != "empty") {
        Some((run, _)) => assert!(hints.contains(&format!("  resume with: tamis resume {run}").as_str()), "{ran:?}"),
        None => assert!(!hints.concat().contains("tamis resume"), "there is nothing to resume: {ran:?}"),
    }
}

/// What was shown as saved is in the journal already while the error stands.
fn nothing_was_acknowledged_in_vain(bench: &Bench, runs: &[(String, String)]) {
    let begun = runs.iter().find(|(_, state)| state != "empty");
    let kept = begun.map(|(run, _)| journal::records(&check::journal_of(bench, run)));
    check::acknowledged_events_are_kept(bench, &kept.unwrap_or_default());
}

/// Makes every k of a set fail, alone (`""`) or with all that come after it (`"+"`).
fn refused_everywhere(subject: &Subject, set: &str, error: &str, plus: &str, tally: &Tally) {
    let refused = until_unharmed(|k| {
        let bench = subject.bench();
        let mut args = subject.review();
        args.extend(["--events", EVENTS]);
        let traced = refuse_at(&bench, set, error, &format!("{k}{plus}"), &args);
        let Some(first) = traced.refused().first().map(|call| (*call).clone()) else {
            check::ended(subject, &bench, &traced.ran);
            return false;
        };
        tally.add(format!("{} {error}", first.label()));
        if first.place == Place::Live {
            // What an agent says meanwhile is no history: without it the run is whole.
            check::ended(subject, &bench, &traced.ran);
            return true;
        }
        let runs = check::runs(&bench);
        explained(&traced.ran, &runs);
        check::survives(subject, &bench);
        nothing_was_acknowledged_in_vain(&bench, &runs);
        if first.name == "fdatasync" {
            let later = traced.calls.iter().filter(|call| call.name == "pwrite64" && call.began > first.began).count();
            assert_eq!(later, 0, "after a failed sync nothing more is written");
        }
        let left = check::recovers(subject, &bench);
        assert_ne!(left, Left::Finished, "{}: it had not ended", subject.name);
        true
    });
    assert!(refused > 0, "{}: no {set} was made", subject.name);
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_full_or_broken_disk_under_the_journal_is_one_clear_message_and_loses_nothing() {
    let (subject, tally) = (Subject::offline(), Tally::default());
    for plus in ["", "+"] {
        refused_everywhere(&subject, "pwrite64", "ENOSPC", plus, &tally);
        refused_everywhere(&subject, "fdatasync", "EIO", plus, &tally);
    }
    say(&format!("offline, refusals {}", tally.line()));
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_full_or_broken_disk_under_a_council_is_one_clear_message_and_loses_nothing() {
    let (subject, tally) = (Subject::council(), Tally::default());
    refused_everywhere(&subject, "pwrite64", "EIO", "", &tally);
    refused_everywhere(&subject, "fdatasync", "ENOSPC", "", &tally);
    say(&format!("council, refusals {}", tally.line()));
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_full_or_broken_disk_under_the_folders_is_one_clear_message_and_loses_nothing() {
    for subject in [Subject::offline(), Subject::council()] {
        let tally = Tally::default();
        for set in ["fsync", "mkdir", RENAME] {
            refused_everywhere(&subject, set, "ENOSPC", "+", &tally);
            refused_everywhere(&subject, set, "EIO", "", &tally);
        }
        say(&format!("{}, refusals {}", subject.name, tally.line()));
    }
}

/// The calls around the renaming, in a process that has little else left to do.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_full_or_broken_disk_under_the_findings_file_leaves_the_old_one_and_loses_nothing() {
    for subject in [Subject::offline(), Subject::carried(), Subject::council()] {
        let tally = Tally::default();
        for (set, place) in [("write", Place::Temp), ("fsync", Place::Temp), ("fsync", Place::Folder), (RENAME, Place::Temp)] {
            for error in ["ENOSPC", "EIO"] {
                refused_late(&subject, set, place, error, &tally);
            }
        }
        say(&format!("{}, refusals around the renaming {}", subject.name, tally.line()));
    }
}

/// Makes a call of a set at a place fail in a process that takes up a run killed right before the renaming.
fn refused_late(subject: &Subject, set: &str, place: Place, error: &str, tally: &Tally) {
    let (bench, traced) = hit_late(subject, set, place, &format!("error={error}"));
    let hit = traced.refused().into_iter().find(|call| call.place == place).expect("it was hit").label();
    tally.add(format!("{hit} {error}"));
    explained(&traced.ran, &check::runs(&bench));
    check::survives(subject, &bench);
    let is_written = place == Place::Folder;
    assert_eq!(bench.read(TARGET) == subject.old, !is_written, "{}: the target after {hit}", subject.name);
    assert_eq!(check::recovers(subject, &bench), Left::Open);
}

/// Where a file system has no hard links, the old target is copied; where that fails too, it stays where it is.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_target_that_cannot_be_kept_is_not_replaced() {
    let subject = Subject::council();
    let bench = subject.bench();
    let traced = refuse_at(&bench, LINK, "EPERM", "1+", &subject.review());
    assert_eq!(traced.refused().len(), 1, "{:?}", traced.refused());
    check::ended(&subject, &bench, &traced.ran);

    let bench = subject.bench();
    let backup = bench.path(&format!("{TARGET}.bak")).display().to_string();
    let options = ["-e", "trace=link,linkat,openat", "-e", "inject=link,linkat,openat:error=ENOSPC:when=1+", "-P", &backup];
    let traced = strace::run(&bench, &options, &subject.review());
    assert_eq!(traced.refused().len(), 2, "the link and the copy: {:?}", traced.calls);
    explained(&traced.ran, &check::runs(&bench));
    assert_eq!(bench.read(TARGET), subject.old);
    assert_eq!(check::recovers(&subject, &bench), Left::Open);
}

/// The half-written record cannot even be cut off: the next process sets it aside.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_journal_that_can_be_neither_written_nor_cut_back_takes_no_more_records() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let options = [
        "-e",
        "trace=pwrite64,ftruncate",
        "-e",
        "inject=pwrite64:error=ENOSPC:when=9",
        "-e",
        // The first one empties the lock file's note.
        "inject=ftruncate:error=EIO:when=1+",
    ];
    let run = strace::run(&bench, &options, &subject.review());
    assert!(run.ran.code == 7 && check::runs(&bench).iter().all(|(_, state)| state == "empty"), "no lock, no run: {:?}", run.ran);
    let begun = bench.run(&[subject.review(), vec!["--step"]].concat());
    assert_eq!(begun.code, 3, "{begun:?}");
    let (run, _) = check::runs(&bench).into_iter().find(|(_, state)| state == "waiting").expect("a run");
    let journal = check::journal_of(&bench, &run).display().to_string();
    let options = [&options[..], &["-P", &journal]].concat();
    let traced = strace::run(&bench, &options, &subject.resume());
    let refused = traced.refused();
    assert_eq!(refused.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["pwrite64", "ftruncate"]);
    let later = traced.calls.iter().filter(|call| call.name == "pwrite64" && call.began > refused[0].began).count();
    assert_eq!(later, 0, "nothing is written after it");
    assert!(traced.ran.err.contains("takes no more records"), "{:?}", traced.ran);
    explained(&traced.ran, &check::runs(&bench));
    assert_eq!(check::recovers(&subject, &bench), Left::Open);
}

/// A write that goes halfway: the kernel takes what fits below the limit and ends the process at the next byte.
#[test]
fn a_file_size_limit_tears_a_real_record_and_the_run_goes_on() {
    let Some(prlimit) = program("prlimit") else { return say("skipped: prlimit is not installed") };
    let subject = Subject::offline();
    for limit in [300, 2500, 7777] {
        let bench = subject.bench();
        let mut command = bench.program(&prlimit);
        command.arg(format!("--fsize={limit}")).arg("--").arg(super::bench::TAMIS).args(subject.review());
        let ran = Ran::of(command.output().expect("prlimit runs"));
        assert!(ran.signal.is_some() || ran.code == 7, "{ran:?}");
        let (run, state) = check::runs(&bench).remove(0);
        let size = std::fs::metadata(check::journal_of(&bench, &run)).map_or(0, |meta| meta.len());
        assert!(size <= limit, "{size} bytes");
        let left = check::recovers(&subject, &bench);
        assert_eq!(left == Left::Open, state == "open", "{state}");
    }
}

/// A state folder on a file system of a few pages, which then gets room.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_full_file_system_stops_the_run_and_room_lets_it_go_on() {
    let (Some(unshare), Some(shell)) = (program("unshare"), program("sh")) else { return say("skipped: no unshare") };
    let subject = Subject::offline();
    let bench = subject.bench();
    std::fs::create_dir(bench.path("small")).expect("made");
    let script = r#"
        set -eu
        mount -t tmpfs -o size=16k tmpfs small || { echo unavailable; exit 0; }
        review() { "$TAMIS" review notes.md --state-dir small --defer-all x --defer-policy; }
        code=0; review 2> err || code=$?
        echo "$code"
        mount -o remount,size=4m small
        code=0; "$TAMIS" resume --state-dir small --defer-all "after the holidays" --defer-policy 2>> err || code=$?
        echo "$code"
    "#;
    let mut command = bench.program(unshare);
    command.args(["-rm".as_ref(), shell.as_os_str(), "-c".as_ref(), script.as_ref()]).env("TAMIS", super::bench::TAMIS);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let ran = Ran::of(command.output().expect("unshare runs"));
    let err = String::from_utf8(bench.read("err").unwrap_or_default()).expect("text");
    if ran.code != 0 || ran.out.starts_with("unavailable") {
        return say(&format!("skipped: no file system of its own can be mounted here ({})", ran.err.trim()));
    }
    let codes: Vec<&str> = ran.out.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(codes, ["7", "0"], "{ran:?} {err}");
    assert!(err.contains("No space left on device") && err.contains("resume with: tamis resume"), "{err}");
    assert_eq!(check::normalised(&bench.read(TARGET).expect("written")), subject.findings);
}

/// Events that cannot be shown are a fault of their own, told beside whatever else there is to tell.
#[test]
fn events_that_cannot_be_written_lose_nothing_of_the_run() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let waiting = bench.run(&[subject.review(), vec!["--step", "--events", "/dev/full"]].concat());
    let (run, state) = check::runs(&bench).remove(0);
    assert_eq!((waiting.code, state.as_str()), (7, "waiting"), "{waiting:?}");
    let resume = format!("tamis resume {run}");
    for part in ["step mode: round 1", "/dev/full: No space left", &resume] {
        assert!(waiting.err.contains(part), "{part}: {waiting:?}");
    }
    let missing = bench.run(&[subject.resume(), vec!["--events", "nowhere/events.jsonl"]].concat());
    assert!(missing.code == 7 && missing.err.contains("nowhere/events.jsonl") && missing.err.contains(&resume), "{missing:?}");
    let ended = bench.run(&[subject.resume(), vec!["--events", "/dev/full"]].concat());
    assert!(ended.code == 7 && ended.out.contains("Written: ") && ended.err.contains("the run is complete"), "{ended:?}");
    assert_eq!(check::recovers(&subject, &bench), Left::Finished);
}

/// Somebody who may read the folder but not write to it: the run is kept, and goes on with another target.
#[test]
fn a_folder_that_is_not_ours_to_write_to_keeps_the_run() {
    let is_root = rustix::process::getuid().is_root();
    let setpriv = program("setpriv");
    if is_root && setpriv.is_none() {
        return say("skipped: root may write anywhere, and setpriv is not installed");
    }
    let bench = Bench::new();
    set_mode(&bench, "", 0o755);
    for (folder, mode) in [("documents", 0o555), ("state", 0o777), ("home", 0o777), ("out", 0o777)] {
        std::fs::create_dir(bench.path(folder)).expect("made");
        if folder == "documents" {
            bench.write("documents/notes.md", super::subject::NOTES);
            bench.write("documents/other.md", super::subject::NOTES);
            bench.write("documents/other.findings.yaml", "schema: tamis.findings/1\n");
            bench.write("secret.md", super::subject::NOTES);
            set_mode(&bench, "secret.md", 0o000);
        }
        set_mode(&bench, folder, mode);
    }
    // Whoever it is may not be able to reach the build folder.
    std::fs::copy(super::bench::TAMIS, bench.path("tamis")).expect("copied");
    set_mode(&bench, "tamis", 0o755);
    let run = |args: &[&str]| {
        let binary = bench.path("tamis");
        let mut command: Command = match (&setpriv, is_root) {
            (Some(setpriv), true) => {
                let mut command = bench.program(setpriv);
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(binary);
                command
            }
            _ => bench.program(binary),
        };
        Ran::of(command.args(args).output().expect("it runs"))
    };
    let document = format!("documents/{DOCUMENT}");
    let refused = run(&["review", &document, DEFER[0], DEFER[1], DEFER[2]]);
    assert_eq!(refused.code, 7, "{refused:?}");
    let listed = run(&["runs"]);
    let id = listed.out.split_whitespace().next().expect("a run").to_owned();
    explained(&refused, &[(id, "open".to_owned())]);
    assert!(refused.err.contains("Permission denied") && refused.err.contains("notes.findings.yaml"), "{refused:?}");
    let elsewhere = run(&["resume", DEFER[0], DEFER[1], DEFER[2], "--out", "out/notes.findings.yaml"]);
    assert_eq!(elsewhere.code, 0, "{elsewhere:?}");
    assert!(bench.path("out/notes.findings.yaml").exists());
    let unreadable = run(&["review", "secret.md"]);
    assert!(unreadable.code == 7 && unreadable.err.contains("secret.md"), "{unreadable:?}");
    set_mode(&bench, "documents", 0o755);
}

fn set_mode(bench: &Bench, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(mode)).expect("its mode");
}
