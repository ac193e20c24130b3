//! The terminal guard, in a process of its own: this test program, run again as [`stage`], plays a small screen.

use crate::pty::{Modes, Pty};
use ratatui::Terminal;
use ratatui::style::Style;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::thread;
use tamis::tui::clipboard::bell;
use tamis::tui::frames::{Frames, Sink, Tty};
use tamis::tui::terminal::{Guard, check_terminal, is_entered, leave, resumed, send, suspend};
use tokio::signal::unix::{SignalKind, signal};

const PLAY: &str = "TAMIS_TEST_STAGE";
/// Bytes that no terminal holds while nobody reads.
const FLOOD: usize = 4_000_000;
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?25l";
const LEAVE: &str = "\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// The actor of the tests below; on its own it does nothing.
#[test]
fn stage() {
    match std::env::var_os(PLAY).as_deref().and_then(|play| play.to_str()) {
        Some("screen") => tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(screen()),
        Some("check") => {
            let term = std::env::var_os("TERM");
            say(&format!("check: {:?}", check_terminal(term.as_deref().and_then(|term| term.to_str()))));
        }
        _ => {}
    }
}

fn say(text: &str) {
    std::io::stdout().write_all(format!("\r\n{text}\n").as_bytes()).unwrap();
}

/// A screen that counts its drawings and does what its keys say.
async fn screen() {
    let guard = Guard::enter().unwrap();
    let mut terminal = Terminal::new(Frames::new(Tty)).unwrap();
    let (tell, mut keys) = tokio::sync::mpsc::unbounded_channel();
    thread::spawn(move || {
        let mut key = [0];
        while std::io::stdin().read_exact(&mut key).is_ok() && tell.send(key[0]).is_ok() {}
    });
    let mut term = signal(SignalKind::terminate()).unwrap();
    let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw())).unwrap();
    for drawing in 1.. {
        let size = terminal.size().unwrap();
        terminal
            .draw(|frame| {
                let text = format!("drawing {drawing} at {}x{}", size.width, size.height);
                frame.buffer_mut().set_string(2, 1, text, Style::new());
            })
            .unwrap();
        let key = tokio::select! {
            key = keys.recv() => key,
            _ = continued.recv() => Some(b'c'),
            _ = term.recv() => Some(b't'),
        };
        match key {
            Some(b'c') => {
                if resumed().unwrap() {
                    terminal.clear().unwrap();
                }
            }
            Some(b'z') => {
                suspend().unwrap();
                terminal.clear().unwrap();
            }
            Some(b'e') => std::io::stderr().write_all(b"noise of a library\n").unwrap(),
            Some(b'f') => {
                let (tell, started) = std::sync::mpsc::channel();
                thread::spawn(move || tell.send(()).map(|()| Tty.frame(&vec![b'x'; FLOOD])));
                started.recv().unwrap();
                term.recv().await;
                leave();
                exit();
            }
            Some(b'b') => send(&bell()).unwrap(),
            Some(b'p') => {
                thread::spawn(|| panic!("something broke")).join().unwrap_err();
                assert!(!is_entered());
                terminal.draw(|frame| frame.buffer_mut().set_string(0, 0, "drawn too late", Style::new())).unwrap();
                say("after the panic");
                return;
            }
            Some(b't') => {
                leave();
                leave();
                drop(guard);
                exit();
            }
            Some(b'x') => {
                assert!(std::panic::catch_unwind(|| panic!("in the loop itself")).is_err());
                return;
            }
            _ => break,
        }
    }
    match guard.finish() {
        Some(path) => say(&format!("stray: {}", path.display())),
        None => say("nothing stray"),
    }
    std::io::stderr().write_all(b"standard error is back\n").unwrap();
}

/// Ends as on SIGTERM.
fn exit() -> ! {
    #[expect(clippy::disallowed_methods, reason = "the terminal may take no more bytes, so nothing may be printed")]
    std::process::exit(143)
}

/// The command that plays, quoted for a shell.
fn command() -> String {
    let exe = std::env::current_exe().unwrap();
    format!("'{}' --exact guard::stage --nocapture --test-threads=1", exe.display())
}

/// The play, its first drawing seen.
pub fn play() -> Pty {
    let mut pty = Pty::spawn("sh", &["-c", &format!("exec {}", command())], 24, 80, &[(PLAY, "screen")]);
    pty.wait("drawing 1 at 80x24");
    pty
}

fn kill(pty: &Pty, with: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pty.pid()).unwrap()).unwrap(), with).unwrap();
}

/// Whether the terminal is as it was found, by what was written and by the line's modes.
fn is_as_found(pty: &Pty) {
    assert_eq!(pty.modes(), Modes::COOKED);
    let screen = pty.vt();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    let raw = pty.raw_text();
    assert_eq!(raw.matches(ENTER).count(), 1, "{raw:?}");
    assert_eq!(raw.matches(LEAVE).count(), 1, "{raw:?}");
    assert_eq!(raw.matches("\x1b[?1049l").count(), 1);
    let after = raw.split(LEAVE).nth(1).unwrap();
    assert!(!after.contains('\x1b'), "nothing is drawn afterwards: {after:?}");
}

#[test]
fn it_enters_once_asks_nothing_and_leaves_once() {
    let mut pty = play();
    assert_eq!(pty.modes(), Modes::RAW);
    assert!(pty.vt().alternate_screen() && pty.vt().hide_cursor() && pty.vt().bracketed_paste());
    pty.send("q");
    assert!(pty.exit().success());
    is_as_found(&pty);
    let raw = pty.raw_text();
    for question in ["\x1b[c", "\x1b[6n", "\x1b[?u", "\x1b]1", "\x1b[>", "\x1bP", "$p", "?1000h", "?1002h", "?1003h", "?1004h"] {
        assert!(!raw.contains(question), "{question:?} in {raw:?}");
    }
    assert!(pty.screen().iter().any(|row| row == "nothing stray"));
}

#[test]
fn a_panic_in_another_thread_stands_on_the_normal_screen_and_nothing_is_drawn_over_it() {
    let mut pty = play();
    pty.send("p");
    assert!(pty.exit().success());
    is_as_found(&pty);
    let screen = pty.screen().join("\n");
    assert!(screen.contains("something broke") && screen.contains("after the panic"), "{screen}");
    assert!(!screen.contains("drawn too late") && !screen.contains("drawing"));
}

#[test]
fn a_panic_in_the_loop_itself_leaves_first_too() {
    let mut pty = play();
    pty.send("x");
    assert!(pty.exit().success());
    is_as_found(&pty);
    assert!(pty.screen().join("\n").contains("in the loop itself"));
}

#[test]
fn a_signal_leaves_from_beside_the_screen() {
    let mut pty = play();
    kill(&pty, Signal::TERM);
    assert_eq!(pty.exit().exit_code(), 143);
    is_as_found(&pty);
}

#[test]
fn a_terminal_that_takes_no_bytes_does_not_keep_a_dying_process() {
    let mut pty = play();
    pty.stop_reading();
    pty.send("f");
    kill(&pty, Signal::TERM);
    assert_eq!(pty.exit_unread().exit_code(), 143);
    pty.read_on();
    pty.exit();
    assert!(pty.raw().iter().filter(|&&byte| byte == b'x').count() < FLOOD, "the terminal did take it all");
}

#[test]
fn a_sequence_is_sent_between_frames() {
    let mut pty = play();
    pty.send("b");
    pty.wait("drawing 2 at 80x24");
    let raw = pty.raw_text();
    assert_eq!(raw.matches('\x07').count(), 1);
    assert!(raw.contains("\x1b[?2026l\x07\x1b[?2026h"), "{raw:?}");
}

#[test]
fn what_is_written_to_standard_error_is_kept_and_never_painted_over_the_screen() {
    let mut pty = play();
    pty.send("e");
    pty.wait("drawing 2 at 80x24");
    assert!(!pty.raw_text().contains("noise"));
    pty.send("e");
    pty.wait("drawing 3 at 80x24");
    pty.send("q");
    assert!(pty.exit().success());
    is_as_found(&pty);
    let screen = pty.screen();
    assert!(screen.iter().any(|row| row == "standard error is back"), "{screen:?}");
    let path = screen.iter().find_map(|row| row.strip_prefix("stray: ")).expect("the file is named");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "noise of a library\n".repeat(2));
    std::fs::remove_file(path).unwrap();
}

/// A shell with job control that plays in the foreground.
fn job() -> Pty {
    let mut pty = Pty::spawn("bash", &["--norc", "--noprofile", "-i"], 24, 80, &[(PLAY, "screen"), ("PS1", "ready> ")]);
    pty.wait("ready>");
    pty.send(format!("{}\r", command()));
    pty.wait("drawing 1 at 80x24");
    pty
}

/// Ends the play and asks the shell for the modes that it got back.
fn end_of_job(mut pty: Pty) {
    pty.send("q");
    // What is typed before the prompt could still go to the program.
    pty.wait_for("the prompt", |pty| {
        let raw = pty.raw_text();
        raw.split_once("standard error is back").is_some_and(|(_, after)| after.contains("ready> "))
    });
    assert!(!pty.vt().alternate_screen() && !pty.vt().hide_cursor());
    assert!(pty.raw_text().contains("nothing stray"));
    pty.send("stty -a\r");
    pty.wait_for("cooked modes", |pty| {
        let raw = pty.raw_text();
        let modes = raw.rsplit("stty -a").next().unwrap_or_default();
        [" icanon", " echo ", "isig "].iter().all(|mode| modes.contains(mode))
    });
    pty.send("exit\r");
    pty.exit();
}

#[test]
fn ctrl_z_gives_the_shell_its_screen_and_fg_draws_again_at_the_size_of_then() {
    let mut pty = job();
    pty.send("z");
    pty.wait("Stopped");
    assert!(!pty.vt().alternate_screen() && !pty.vt().hide_cursor());
    assert!(!pty.screen().iter().any(|row| row.contains("drawing")));
    pty.resize(20, 60);
    pty.send("fg\r");
    pty.wait_for("the screen again", |pty| {
        pty.vt().alternate_screen() && pty.screen()[1].contains("drawing") && pty.screen()[1].contains("at 60x20")
    });
    assert!(pty.vt().bracketed_paste() && pty.vt().hide_cursor());
    assert_eq!(pty.modes(), Modes::RAW);
    end_of_job(pty);
}

#[test]
fn after_a_stop_from_outside_fg_sets_the_modes_and_draws_again() {
    let mut pty = job();
    let group = pty.foreground().and_then(Pid::from_raw).unwrap();
    rustix::process::kill_process_group(group, Signal::TSTP).unwrap();
    pty.wait("Stopped");
    pty.send("fg\r");
    pty.wait_for("all drawn again", |pty| {
        let raw = pty.raw_text();
        let again = raw.rsplit("fg").next().unwrap_or_default();
        again.contains(ENTER) && again.contains("\x1b[2J") && pty.screen()[1].contains("drawing 2 at 80x24")
    });
    assert_eq!(pty.modes(), Modes::RAW);
    end_of_job(pty);
}

#[test]
fn a_stop_that_nobody_could_continue_comes_straight_back() {
    let mut pty = play();
    pty.send("z");
    pty.wait_for("the second drawing", |pty| pty.vt().alternate_screen() && pty.screen()[1].contains("drawing 2"));
    pty.send("q");
    assert!(pty.exit().success());
    assert_eq!(pty.modes(), Modes::COOKED);
}

#[test]
fn where_there_is_no_terminal_it_says_why_before_anything_is_written() {
    let command = command();
    for (line, answer) in [
        (command.clone(), "Ok(())"),
        (format!("echo text | {command}"), "Ok(())"),
        (format!("{command} < /etc/passwd"), "Ok(())"),
        (format!("{command} | cat"), "Err(Output)"),
        (format!("{command} < /dev/null"), "Err(Input)"),
        (format!("{command} <&-"), "Err(Input)"),
        (format!("setsid -w {command}"), "Err(NotControlling)"),
        (format!("TERM=dumb {command}"), "Err(Dumb)"),
        (format!("TERM= {command}"), "Err(Dumb)"),
        (format!("unset TERM; {command}"), "Err(Dumb)"),
    ] {
        let mut pty = Pty::spawn("sh", &["-c", &line], 24, 200, &[(PLAY, "check")]);
        assert!(pty.exit().success());
        assert!(pty.screen().iter().any(|row| *row == format!("check: {answer}")), "{line}: {:?}", pty.screen());
        assert!(!pty.raw().contains(&0x1b));
    }
}
