//! The driver itself, on programs whose behaviour is known.

use crate::pty::{Modes, Pty, cpu, voluntary_switches};
use std::time::{Duration, Instant};

fn sh(script: &str) -> Pty {
    Pty::spawn("sh", &["-c", script], 24, 80, &[("PS1", "$ ")])
}

#[test]
fn keys_go_in_and_the_screen_comes_out() {
    let mut pty = Pty::spawn("cat", &[], 24, 80, &[]);
    pty.send("Người dùng 中文\r");
    // Once as echo, once from the program.
    pty.wait_for("the line twice", |pty| pty.screen().iter().filter(|row| *row == "Người dùng 中文").count() == 2);
    assert_eq!(pty.vt().cursor_position(), (2, 0));
    assert_eq!(pty.cell(0, 11).contents(), "中");
    assert!(pty.cell(0, 11).is_wide() && pty.cell(0, 12).is_wide_continuation());
    assert!(pty.raw_text().starts_with("Người dùng 中文\r\n"));
    pty.send("\x04");
    assert!(pty.exit().success());
}

#[test]
fn a_paste_is_bracketed() {
    let mut pty = Pty::spawn("cat", &[], 24, 80, &[]);
    pty.paste("một hai");
    pty.wait("^[[200~một hai^[[201~");
}

#[test]
fn the_size_is_told_and_changes() {
    let mut pty = sh("trap 'echo changed; stty size' WINCH; stty size; while :; do read line; done");
    pty.wait("24 80");
    pty.resize(10, 40);
    pty.wait("changed");
    pty.wait("10 40");
    assert_eq!(pty.screen().len(), 10);
    let mut pty = Pty::spawn("stty", &["size"], 0, 0, &[]);
    pty.wait_for("no size", |pty| pty.raw_text() == "0 0\r\n");
}

#[test]
fn attributes_and_modes_are_seen() {
    let mut pty = sh(r"printf '\033[1;31mred\033[0m \033[?25l\033[?2004h'; stty -icanon -echo -isig; echo set; cat");
    pty.wait("red set");
    assert_eq!(pty.cell(0, 0).fgcolor(), vt100::Color::Idx(1));
    assert!(pty.cell(0, 0).bold() && !pty.cell(0, 4).bold());
    assert!(pty.vt().hide_cursor() && pty.vt().bracketed_paste() && !pty.vt().alternate_screen());
    assert_eq!(pty.modes(), Modes::RAW);
    assert_eq!(Pty::spawn("cat", &[], 24, 80, &[]).modes(), Modes::COOKED);
}

#[test]
fn the_end_is_told_with_its_last_bytes() {
    let mut pty = sh("echo last; exit 3");
    assert_eq!(pty.exit().exit_code(), 3);
    assert_eq!(pty.raw_text(), "last\r\n");
    let mut pty = sh("kill -TERM $$");
    assert_eq!(pty.exit().signal(), Some("Terminated"));
}

#[test]
#[should_panic(expected = "never came: what is not there")]
fn what_never_comes_is_told_when_the_program_has_ended() {
    sh("echo other").wait("what is not there");
}

#[test]
fn work_and_wake_ups_are_counted() {
    let pty = sh("while :; do :; done");
    until("some work", || cpu(pty.pid()) >= Duration::from_millis(50));
    let mut pty = Pty::spawn("cat", &[], 24, 80, &[]);
    pty.send("a\r");
    pty.wait_for("echo and answer", |pty| pty.raw_text() == "a\r\na\r\n");
    let before = voluntary_switches(pty.pid());
    pty.send("b\r");
    until("cat to sleep again", || voluntary_switches(pty.pid()) > before);
    assert_eq!(cpu(pty.pid()).as_millis() % 10, 0);
}

/// Looks again and again until something holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "never came: {what}");
        std::thread::yield_now();
    }
}
