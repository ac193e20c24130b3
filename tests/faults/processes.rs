//! Processes that are interrupted, that meet on one run, and agents that end in any order.

use super::bench::Bench;
use super::check;
use super::subject::{COUNCIL, NOTES, Subject};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};

/// The council with a first critic that thinks for a minute, unless it is asked again.
fn slow_council() -> String {
    let head = "  - key: critic/1\n    findings:\n";
    let (before, findings) = COUNCIL.split_once(head).expect("the critic is last");
    let indented: String = findings.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "{before}  - key: critic/1\n    attempts:\n      - delay_ms: 60000\n        findings: []\n      - findings:\n{indented}"
    )
}

/// Starts a review and returns when the first critic has been asked, with what was said so far.
fn waiting_for_the_critic(subject: &Subject, bench: &Bench) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut command = bench.command(&subject.review());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    let mut said = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    while !line.contains("critic/1: asked") {
        line.clear();
        assert!(said.read_line(&mut line).expect("text") > 0, "it ended before it asked the critic");
    }
    (child, said)
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("sent");
}

#[test]
fn a_signal_ends_the_process_and_the_run_goes_on_as_if_nothing_had_happened() {
    let subject = Subject::council();
    subject.replace_script(&slow_council());
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let bench = subject.bench();
        let (mut child, mut said) = waiting_for_the_critic(&subject, &bench);
        send(&child, signal);
        let mut rest = String::new();
        said.read_to_string(&mut rest).expect("text");
        assert_eq!(child.wait().expect("ended").code(), Some(code), "{rest}");
        let (run, state) = check::runs(&bench).remove(0);
        assert_eq!(state, "open");
        assert_eq!(rest, format!("interrupted; nothing is lost. Resume with: tamis resume {run}\n"));
        check::survives(&subject, &bench);
        check::ended(&subject, &bench, &bench.run(&subject.resume()));
    }
}

#[test]
fn a_run_belongs_to_one_process_until_that_ends_however_it_ends() {
    let subject = Subject::council();
    subject.replace_script(&slow_council());
    let bench = subject.bench();
    let (mut child, _said) = waiting_for_the_critic(&subject, &bench);
    let (run, state) = check::runs(&bench).remove(0);
    assert_eq!(state, "running");
    let journal = std::fs::read(check::journal_of(&bench, &run)).expect("a journal");
    let holder = format!("process {} on ", child.id());
    for args in [&["resume", &run][..], &["runs", "rm", &run, "--force"], &["runs", "salvage", &run]] {
        let refused = bench.run(args);
        assert_eq!(refused.code, 5, "{args:?}: {refused:?}");
        assert!(refused.err.contains(&holder), "{args:?} names the holder: {refused:?}");
        assert!(refused.err.contains(&format!("tamis replay {run}")), "{args:?} says what can be done: {refused:?}");
    }
    let newest = bench.run(&["resume"]);
    assert!(newest.code == 5 && newest.err.contains(&run), "the only open run is held: {newest:?}");
    let replayed = bench.run(&["replay", &run]);
    assert!(replayed.code == 0 && replayed.out.contains("critic/1: asked"), "{replayed:?}");
    assert_eq!(std::fs::read(check::journal_of(&bench, &run)).expect("a journal"), journal, "nobody else wrote to it");

    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(check::runs(&bench).remove(0).1, "open");
    check::ended(&subject, &bench, &bench.run(&subject.resume()));
}

/// Two people resume at the same moment: one does, the other is told; the file is the one an undisturbed run writes.
#[test]
fn of_two_that_take_a_run_up_at_once_one_does() {
    let subject = Subject::offline();
    for _ in 0..3 {
        let bench = subject.bench();
        assert_eq!(bench.run(&[subject.review(), vec!["--step"]].concat()).code, 3);
        let (run, _) = check::runs(&bench).remove(0);
        let mut args = subject.resume();
        args.insert(1, &run);
        let start = || bench.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        let (one, other) = (start(), start());
        let (one, other) = (one.wait_with_output().expect("ended"), other.wait_with_output().expect("ended"));
        let mut codes = [one.status.code(), other.status.code()];
        codes.sort_unstable();
        // The second one may also come when the first has ended: then it opens the finished run again.
        assert!(codes == [Some(0), Some(5)] || codes == [Some(0), Some(0)], "{one:?} {other:?}");
        let written = bench.read(super::subject::TARGET).expect("written");
        assert_eq!(check::normalised(&written), subject.findings);
    }
}

/// Reviewers answer first come, first served; what they come to is the same whoever is quick.
#[test]
fn agents_that_end_in_any_order_change_nothing() {
    let subject = Subject::council();
    let keys = ["review/DEV/UC-01", "review/SA/UC-01", "review/PO/UC-01", "review/DEV/PRD-global"];
    let mut orders = std::collections::HashSet::new();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
        // Retries wait half a second; the others come before, between and after them.
        let mut script = COUNCIL.replace("    delay_ms: 30\n", "").replace("    delay_ms: 10\n", "");
        for (key, place) in keys.iter().zip(order) {
            let delay = place * 300;
            for (from, to) in [
                (format!("{key}\n    findings:"), format!("{key}\n    delay_ms: {delay}\n    findings:")),
                (
                    format!("{key}\n    attempts:\n      - fail"),
                    format!("{key}\n    attempts:\n      - delay_ms: {delay}\n        fail"),
                ),
            ] {
                script = script.replace(&from, &to);
            }
        }
        subject.replace_script(&script);
        let bench = subject.bench();
        let ran = bench.run(&subject.review());
        check::ended(&subject, &bench, &ran);
        let ended =
            |key: &&str| ran.err.lines().position(|line| line.starts_with(*key) && !line.contains("asked")).expect("it ended");
        orders.insert(keys.iter().map(ended).collect::<Vec<_>>());
    }
    assert!(orders.len() > 2, "they did end in different orders: {orders:?}");
}

/// Two reviews of one document end at one target: the second one to write sees that it has changed, and nothing is lost.
#[test]
fn two_runs_with_one_target_never_mix() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let first = bench.run(&[subject.review(), vec!["--step"]].concat());
    assert_eq!(first.code, 3, "{first:?}");
    let (run, _) = check::runs(&bench).remove(0);
    let second = bench.run(&subject.review());
    check::ended(&subject, &bench, &second);
    let mut args = subject.resume();
    args.insert(1, &run);
    let resumed = bench.run(&args);
    assert_eq!(resumed.code, 0, "its target was looked at when settling began, so it carries over: {resumed:?}");
    assert_eq!(bench.read("notes.md").as_deref(), Some(NOTES.as_bytes()));
}
