//! The keeper: its program's own exit code, and nothing left behind, whatever ends.

use super::{TAMIS, alive, mark, run, soon, text};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// A keeper of a shell; whoever holds its standard input lets it live.
fn kept(script: &str) -> Command {
    let mut command = Command::new(TAMIS);
    command.args(["__keep", "--", "sh", "-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for a line of its output: it is under way.
fn line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("output")).read_line(&mut line).expect("a line");
    line.trim_end().to_owned()
}

#[test]
fn the_exit_code_and_the_output_are_those_of_the_program() {
    for (script, code, said) in [("echo out; echo err >&2; exit 0", 0, "out\n"), ("exit 7", 7, ""), ("kill -9 $$", 137, "")] {
        let child = kept(script).spawn().expect("it starts");
        // The pipe is held until its end.
        let mut child = child;
        let held = child.stdin.take();
        let output = child.wait_with_output().expect("it ends");
        drop(held);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(code), said), "{script}");
    }
    let mut command = Command::new(TAMIS);
    let child = command.args(["__keep", "--", "no-such-program-anywhere"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    let held = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(held);
    assert_eq!(output.status.code(), Some(127));
    assert!(text(&output.stderr).contains("no-such-program-anywhere"), "{}", text(&output.stderr));
}

#[test]
fn a_file_is_what_the_program_reads_and_else_there_is_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let prompt = folder.path().join("prompt.txt");
    std::fs::write(&prompt, "what it is asked\n").expect("a file");
    for (stdin, read) in [(Some(&prompt), "what it is asked\n"), (None, "")] {
        let mut command = Command::new(TAMIS);
        command.arg("__keep");
        if let Some(path) = stdin {
            command.arg("--stdin").arg(path);
        }
        let mut child = command.args(["--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let held = child.stdin.take();
        let output = child.wait_with_output().expect("it ends");
        drop(held);
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), read));
    }
}

#[test]
fn what_the_program_leaves_behind_ends_with_it() {
    let mark = mark(1);
    // A daemon of the old school: its own session, its parent gone.
    let script = format!("setsid sh -c 'sleep {mark} & sleep {mark}' >/dev/null 2>&1 & sleep {mark} >/dev/null 2>&1 & exit 3");
    let mut child = kept(&script).spawn().expect("it starts");
    let held = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(held);
    assert_eq!(output.status.code(), Some(3));
    assert!(soon(|| alive(&mark).is_empty()), "left: {:?}", alive(&mark));
}

#[test]
fn nothing_outlives_whoever_holds_the_other_end() {
    let mark = mark(2);
    let script = format!("setsid sleep {mark} & trap '' HUP; echo ready; sleep {mark}");
    let mut child = kept(&script).spawn().expect("it starts");
    assert_eq!(line(&mut child), "ready");
    assert!(soon(|| alive(&mark).len() >= 2), "it runs");
    drop(child.stdin.take());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(143), "it was told to end");
    assert!(soon(|| alive(&mark).is_empty()), "left: {:?}", alive(&mark));
}

#[test]
fn a_holder_that_is_killed_takes_all_with_it() {
    let mark = mark(3);
    // The holder is a shell that begins the keeper with a pipe that it alone holds, and is then killed.
    let script = format!(
        "mkfifo \"$0/pipe\"; \"{TAMIS}\" __keep -- sh -c 'setsid sleep {mark} & sleep {mark}' <\"$0/pipe\" & exec 9>\"$0/pipe\"; \
         echo ready; read line"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut holder = Command::new("sh")
        .args(["-c", &script])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    assert_eq!(line(&mut holder), "ready");
    assert!(soon(|| alive(&mark).len() >= 3), "it runs: {:?}", alive(&mark));
    holder.kill().expect("it can be killed");
    holder.wait().expect("it ends");
    assert!(soon(|| alive(&mark).is_empty()), "left: {:?}", alive(&mark));
}

#[test]
fn a_program_that_will_not_end_is_killed() {
    let mark = mark(4);
    let script = format!("trap '' TERM HUP INT; echo ready; while :; do sleep {mark}; done");
    let mut child = kept(&script).spawn().expect("it starts");
    assert_eq!(line(&mut child), "ready");
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(137));
    assert!(soon(|| alive(&mark).is_empty()), "left: {:?}", alive(&mark));
}

#[test]
fn a_hundred_programs_leave_no_process() {
    let mark = mark(5);
    for _ in 0..100 {
        let script = format!("setsid sleep {mark} >/dev/null 2>&1 & echo said");
        let mut child = kept(&script).spawn().expect("it starts");
        let held = child.stdin.take();
        let mut said = String::new();
        child.stdout.take().expect("output").read_to_string(&mut said).expect("text");
        assert_eq!((child.wait().expect("it ends").code(), said.as_str()), (Some(0), "said\n"));
        drop(held);
    }
    assert!(soon(|| alive(&mark).is_empty()), "left: {:?}", alive(&mark));
}

#[test]
fn the_hidden_commands_stand_in_no_help() {
    let help = text(&run(Command::new(TAMIS).arg("--help")).stdout);
    assert!(help.contains("review") && !help.contains("__"), "{help}");
}
