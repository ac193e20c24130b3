//! A person's way through the real program, and what is left when it is killed, stopped or out of room on the way.

use crate::desk::{Desk, LEAVE, at_conflict, is_as_found, kill, leave, settling};
use crate::pty::Pty;
use rustix::process::Signal;
use serde_json::Value;

/// Answers the small review's policy question, which a refused writing leads to, and writes.
fn decide_and_write(pty: &mut Pty, desk: &Desk) {
    pty.send("a");
    pty.wait("Decide 1/2");
    pty.send("b");
    pty.wait("Decide 2/2");
    pty.send("!");
    pty.wait("►Questions");
    pty.send("a");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.send("Nobody, người dùng 中文");
    pty.wait("người dùng");
    pty.send("\r");
    pty.wait("Questions 1/2");
    pty.send("\x1b[17~");
    pty.wait("►Report");
    pty.send("w");
    pty.until("the findings file", || desk.written().is_some());
}

/// What stands on the normal screen after the workbench.
fn afterwards(pty: &Pty) -> String {
    let raw = pty.raw_text();
    raw.split(LEAVE).nth(1).expect("left").replace('\r', "")
}

#[test]
fn from_the_start_to_the_written_file_and_a_second_decision_writes_it_again() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    assert_eq!(pty.raw().iter().filter(|&&byte| byte == 7).count(), 1, "one bell where a person is needed");
    decide_and_write(&mut pty, &desk);
    let first = desk.written().expect("written");
    assert!(first.contains("Nobody, người dùng 中文") && !first.contains('\x1b'), "{first}");
    // The screen says so, then the second thoughts.
    pty.wait("Written: prd.findings.yaml");
    pty.send("\x1bOR");
    pty.wait("►Decide");
    pty.send("b");
    pty.until("the decision", || desk.records().iter().filter(|record| record["op"] == "choose").count() == 3);
    pty.send("\x1b[17~");
    pty.wait("►Report");
    // Writing is offered again once the gate is open again.
    let mut pressed = 0;
    while desk.written().as_ref() == Some(&first) {
        pressed += 1;
        assert!(pressed < 40, "never written again:\n{}", pty.screen().join("\n"));
        pty.send("w");
        pty.is_quiet_for(std::time::Duration::from_millis(500));
    }
    pty.until("the run to be finished again", || desk.journal().matches("run_finished").count() == 2);
    while !pty.is_quiet_for(std::time::Duration::from_millis(300)) {}
    assert_eq!(leave(&mut pty), 0);
    is_as_found(&pty);
    let after = afterwards(&pty);
    assert!(after.contains("prd.findings.yaml") && after.contains("resume"), "{after}");
}

#[test]
fn leaving_before_the_end_keeps_everything_and_says_how_to_go_on() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("a");
    pty.wait("Decide 1/2");
    pty.send("q");
    pty.wait("Leave?");
    pty.send("\r");
    assert_eq!(pty.exit().exit_code(), 3);
    is_as_found(&pty);
    assert!(afterwards(&pty).contains("resume"), "{}", afterwards(&pty));
    assert!(desk.written().is_none());
    let mut again = desk.resume();
    again.wait("Decide 1/2");
}

/// The last draft in the journal.
fn draft(desk: &Desk) -> Option<Value> {
    desk.records().into_iter().rfind(|record| record["op"] == "draft").map(|record| record["text"].clone())
}

#[test]
fn killed_while_typing_the_words_are_there_again() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("o");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.send("Chờ khách hàng trả lời");
    // Within a second of the last key, without anything else being pressed.
    pty.until("the draft", || draft(&desk) == Some("Chờ khách hàng trả lời".into()));
    kill(&pty, Signal::KILL);
    pty.exit();
    let mut again = desk.resume();
    settling(&mut again);
    again.send("o");
    again.wait("Chờ khách hàng trả lời");
    again.send("!\r");
    again.until("the words", || {
        desk.records().iter().any(|record| record["op"] == "write" && record["text"] == "Chờ khách hàng trả lời!")
    });
    again.wait("Decide 1/2");
}

#[test]
fn killed_right_after_a_decision_is_shown_it_is_there() {
    // What the screen shows as decided is on the disk: whichever moment it is killed at.
    for decided in 1..=2 {
        let desk = Desk::new();
        let mut pty = at_conflict(&desk);
        for number in 1..=decided {
            pty.send("a");
            pty.wait(&format!("Decide {number}/2"));
        }
        kill(&pty, Signal::KILL);
        pty.exit();
        let mut again = desk.resume();
        again.wait(&format!("Decide {decided}/2"));
        again.wait_for("the bell", |pty| pty.raw().contains(&7));
        again.send("u");
        again.wait(&format!("Decide {}/2", decided - 1));
    }
}

#[test]
fn where_the_disk_is_full_nothing_is_called_saved_and_the_words_stay() {
    let desk = Desk::new();
    // Files of at most 150 blocks of 512 bytes: the journal so far fits, a long answer does not.
    let mut pty = desk.sh(&format!("trap '' XFSZ; ulimit -f 150; exec {}", desk.line()), &[]);
    settling(&mut pty);
    let before = desk.records().len();
    pty.send("o");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.paste(&format!("{} the end", "dài ".repeat(40_000)));
    pty.wait("the end");
    pty.wait("not saved");
    pty.send("\r");
    pty.wait("not saved");
    assert_eq!(desk.records().len(), before, "nothing of it is in the journal");
    pty.wait("the end");
    assert!(!pty.screen()[1].contains("Decide 1/2"));
    leave(&mut pty);
    is_as_found(&pty);
    // What was there before is whole.
    let mut again = desk.resume();
    settling(&mut again);
}

#[test]
fn two_windows_on_one_run_the_second_only_looks() {
    let desk = Desk::new();
    let mut first = at_conflict(&desk);
    let run = desk.run().file_name().expect("a name").to_string_lossy().into_owned();
    let mut second = desk.sh(&format!("exec {} open {run} --state-dir state", crate::desk::TAMIS), &[]);
    second.wait("Decide 0/2");
    second.send("\x1bORa");
    second.wait("read-only");
    first.send("a");
    first.wait("Decide 1/2");
    second.wait("Decide 1/2");
    assert_eq!(desk.records().len(), 1);
    second.send("q");
    assert!(!second.exit().success() || second.raw_text().contains(LEAVE));
    is_as_found(&second);
}

#[test]
fn an_agent_that_needs_a_person_rings_once_and_its_hole_is_told() {
    let council = "schema: tamis.script/1\nname: failing\nsteps:\n  - key: review/PO/UC-05\n    attempts:\n      - {fail: refused, reason: no}\n  \
                   - key: review/*\n    findings: []\n  - key: critic/*\n    findings: []\n";
    let desk = Desk::with("prd-en.md", council);
    let mut pty = desk.review(24, 80);
    pty.wait("needs you");
    pty.wait_for("the bell", |pty| pty.raw().contains(&7));
    assert_eq!(pty.raw().iter().filter(|&&byte| byte == 7).count(), 1);
    pty.send("H");
    pty.wait("without an answer");
    pty.send("\r");
    pty.until("the hole", || desk.journal().contains("hole_accepted"));
    pty.wait_for("the second bell: decisions are awaited", |pty| pty.raw().iter().filter(|&&byte| byte == 7).count() == 2);
    leave(&mut pty);
    is_as_found(&pty);
}

#[test]
fn the_cursor_stands_at_the_caret_while_agents_stream() {
    // Chunks come while somebody types at a round's gate: `--step` waits there, and a wave still runs beside nothing.
    let desk = Desk::new();
    let mut pty = desk.sh(&format!("exec {} --step", desk.line()), &[]);
    pty.wait_for("the bell", |pty| pty.raw().contains(&7));
    pty.send("a");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.send("\x1b[1;5H\x1b[1;5F");
    pty.send("xong");
    pty.wait("xong");
    while !pty.is_quiet_for(std::time::Duration::from_millis(200)) {}
    let (row, col) = pty.vt().cursor_position();
    let before: String = (col - 4..col).map(|col| pty.cell(row, col).contents().to_owned()).collect();
    assert_eq!(before, "xong");
    // In every frame the last move before the cursor is shown is to where it then stays.
    for frame in pty.raw_text().split("\x1b[?2026h").skip(1).filter(|frame| frame.contains("\x1b[?25h")) {
        let end = frame.split("\x1b[?25h").next().expect("before");
        let end = end.rsplit("\x1b[").next().expect("the last sequence");
        assert!(end.ends_with('H'), "{frame:?}");
    }
}
