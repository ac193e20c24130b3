//! What is known of terminals, keys and signals, each fact against the real program. Their numbers are those under which the
//! project keeps them.

use crate::desk::{Desk, ENTER, LEAVE, TAMIS, at_conflict, is_as_found, kill, leave, settling};
use crate::guard;
use crate::pty::{Modes, Pty, voluntary_switches};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn m01_a_panic_restores_all_modes_bracketed_paste_too() {
    let mut pty = guard::play();
    pty.send("p");
    assert!(pty.exit().success());
    is_as_found(&pty);
    let raw = pty.raw_text();
    let (off, away) = (raw.find("\x1b[?2004l").expect("paste off"), raw.find("\x1b[?1049l").expect("left"));
    assert!(off < away, "modes first, the screen last");
}

#[test]
fn m02_signals_restore_the_terminal_keep_what_is_typed_and_exit_with_128_and_their_number() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let desk = Desk::new();
        let mut pty = at_conflict(&desk);
        pty.send("onửa câu");
        pty.wait("nửa câu");
        kill(&pty, signal);
        assert_eq!(pty.exit().exit_code(), code, "{signal:?}");
        is_as_found(&pty);
        let end = pty.screen().join("\n");
        assert!(end.contains("resume"), "{signal:?}: {end}");
        let drafts: Vec<_> = desk.records().into_iter().filter(|record| record["op"] == "draft").collect();
        assert_eq!(drafts.last().map(|draft| draft["text"].clone()), Some("nửa câu".into()), "{signal:?}: {drafts:?}");
    }
}

#[test]
fn m02_signals_while_agents_work_restore_the_terminal_too() {
    let council = "schema: tamis.script/1\nname: slow\nsteps:\n  - key: review/*\n    delay_ms: 600000\n    findings: []\n";
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)] {
        let desk = Desk::with("prd-en.md", council);
        let mut pty = desk.review(24, 80);
        pty.wait("running");
        kill(&pty, signal);
        assert_eq!(pty.exit().exit_code(), code, "{signal:?}");
        is_as_found(&pty);
    }
}

#[test]
fn m02_a_terminal_that_takes_no_bytes_does_not_keep_the_process() {
    let desk = Desk::bundled();
    let mut pty = desk.review(100, 250);
    pty.wait("Decide");
    pty.stop_reading();
    // Whole screens, again and again, until the line is full.
    for _ in 0..200 {
        pty.send("\x0c");
    }
    kill(&pty, Signal::TERM);
    assert_eq!(pty.exit_unread().exit_code(), 143);
}

/// Runs the program until a person is needed, types, and hangs up: everything of the terminal's other side is closed.
fn hang_up(program: &str, args: &[&str], desk: &Desk, keys: &str) -> u32 {
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 }).expect("a terminal");
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.cwd(desk.path());
    command.env_clear();
    for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("HOME", "/nowhere")] {
        command.env(name, value);
    }
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let mut child = pair.slave.spawn_command(command).expect("started");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let (mut bytes, mut seen) = ([0; 4096], Vec::new());
    while !seen.contains(&7) {
        let count = reader.read(&mut bytes).expect("it runs");
        seen.extend(&bytes[..count]);
    }
    let mut writer = pair.master.take_writer().expect("a writer");
    writer.write_all(keys.as_bytes()).expect("keys");
    // What is typed is on the screen when its last letter is.
    let last = keys.rsplit(' ').next().unwrap_or_default();
    while !String::from_utf8_lossy(&seen).contains(last) {
        let count = reader.read(&mut bytes).expect("it runs");
        seen.extend(&bytes[..count]);
    }
    drop((reader, writer));
    drop(pair.master);
    let (tell, ended) = channel();
    let mut killer = child.clone_killer();
    std::thread::spawn(move || tell.send(child.wait().expect("a status").exit_code()));
    let code = ended.recv_timeout(Duration::from_secs(60));
    if code.is_err() {
        // Nothing else would ever end it.
        let _ = killer.kill();
    }
    code.expect("a hang-up ends the process")
}

#[test]
fn m03_a_hang_up_ends_the_process_and_keeps_what_is_typed_also_where_its_signal_was_ignored() {
    let desk = Desk::new();
    let line = desk.line();
    let args: Vec<&str> = line.split(' ').skip(1).collect();
    // The writer of a pseudo-terminal types a line end as it goes; whether that comes in before the hang-up is a race.
    let typed = |desk: &Desk| {
        let text = desk.records().last().and_then(|record| record["text"].as_str().map(str::to_owned));
        text.map(|text| text.trim_end_matches('\n').to_owned())
    };
    // Whether the signal or the end of the terminal's input is seen first, it ends, and the run can be taken up.
    let code = hang_up(TAMIS, &args, &desk, "onửa chừng");
    assert!([3, 7, 129].contains(&code), "{code}");
    assert_eq!(typed(&desk).as_deref(), Some("nửa chừng"));
    let desk = Desk::new();
    let code = hang_up("sh", &["-c", &format!("trap '' HUP; exec {line}")], &desk, "onửa chừng");
    assert!([3, 7, 129].contains(&code), "{code}");
    assert_eq!(typed(&desk).as_deref(), Some("nửa chừng"));
    let mut pty = desk.resume();
    settling(&mut pty);
}

/// All parameters of `CSI … m` that set something, and whether one was empty.
fn renditions(raw: &str) -> (Vec<u32>, bool) {
    let mut numbers = Vec::new();
    let mut empty = false;
    for piece in raw.split("\x1b[").skip(1) {
        let Some(end) = piece.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?')) else { continue };
        if !piece[end..].starts_with('m') {
            continue;
        }
        empty |= end == 0;
        numbers.extend(piece[..end].split([';', ':']).filter_map(|number| number.parse::<u32>().ok()));
    }
    (numbers, empty)
}

fn is_colour(number: &u32) -> bool {
    matches!(number, 30..=38 | 40..=48 | 90..=97 | 100..=107)
}

#[test]
fn m04_no_color_writes_no_colours_and_the_selected_row_still_stands_out() {
    let desk = Desk::new();
    let mut pty = desk.review_in(24, 80, &[("NO_COLOR", "1")]);
    settling(&mut pty);
    pty.send("\x1b[15~");
    pty.wait_for("the list of findings", |pty| pty.screen().iter().any(|row| row.contains("►Findings")));
    let (numbers, empty) = renditions(&pty.raw_text());
    assert!(!numbers.iter().any(is_colour), "{numbers:?}");
    assert!(!empty, "a bare reset would take the selection away");
    let row = selected(&pty).expect("a selected row");
    let attributes = |row: u16| {
        let cell = pty.cell(row, 6);
        (cell.inverse(), cell.bold(), cell.underline())
    };
    let others = (row + 1..row + 3).map(attributes);
    assert!(others.into_iter().all(|other| other != attributes(row)), "{}", pty.screen().join("\n"));
}

/// The row of the list that begins with the mark of the selected one.
fn selected(pty: &Pty) -> Option<u16> {
    (2..10).find(|&row| pty.cell(row, 0).contents() == "►")
}

#[test]
fn m04_an_empty_no_color_is_none_and_dumb_256_colour_terminals_get_no_others() {
    let desk = Desk::new();
    let mut pty = desk.review_in(24, 80, &[("NO_COLOR", "")]);
    settling(&mut pty);
    let (numbers, _) = renditions(&pty.raw_text());
    assert!(numbers.iter().any(is_colour), "{numbers:?}");
    assert!(!pty.raw_text().contains("38;2;"), "no true colours without COLORTERM");
}

#[test]
fn m05_a_mark_and_not_colour_alone_tells_the_selected_row() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("\x1b[15~");
    pty.wait_for("a mark", |pty| pty.screen()[1].contains("►Findings") && selected(pty).is_some());
    let first = selected(&pty);
    pty.send("j");
    pty.wait_for("the mark elsewhere", |pty| selected(pty).is_some_and(|now| Some(now) != first));
}

/// What the program writes without a terminal on one side, and its exit code.
fn headless(desk: &Desk, stdin: Stdio) -> (Vec<u8>, Option<i32>) {
    let line = desk.line();
    let mut words = line.split(' ');
    let output = Command::new(words.next().expect("a program"))
        .args(words)
        .current_dir(desk.path())
        .stdin(stdin)
        .output()
        .expect("it runs");
    ([output.stdout, output.stderr].concat(), output.status.code())
}

#[test]
fn m06_without_a_terminal_it_reviews_headless_and_writes_no_escape() {
    let desk = Desk::new();
    let (bytes, code) = headless(&desk, Stdio::null());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert_eq!(code, Some(3), "{text}");
    assert!(!bytes.contains(&0x1b), "{text}");
    for line in ["{} | cat", "{} < /dev/null", "setsid -w {}", "TERM=dumb {}", "TERM= {}"] {
        let desk = Desk::new();
        let line = line.replace("{}", &desk.line());
        let mut pty = desk.sh(&format!("{line}; echo ended"), &[]);
        pty.exit();
        let raw = pty.raw_text();
        assert!(raw.contains("ended") && !raw.contains('\x1b'), "{line}: {raw}");
        assert_eq!(pty.modes(), Modes::COOKED);
        assert!(raw.contains("UC-04") || raw.contains("resume") || raw.contains("--decisions"), "it says how to go on: {raw}");
        assert!(!raw.contains("panicked"));
    }
}

#[test]
fn m07_a_pipe_on_standard_input_leaves_the_keys_to_the_terminal() {
    let desk = Desk::new();
    let mut pty = desk.sh(&format!("cat prd.md | {}", desk.line()), &[]);
    settling(&mut pty);
    pty.send("a");
    pty.wait("Decide 1/2");
    assert_eq!(leave(&mut pty), 3);
    is_as_found(&pty);
}

/// Every question that terminals answer among the keys.
const QUESTIONS: [&str; 12] = [
    "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[>0q", "\x1b[>q", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?u", "$p", "\x1bP", "\x1b[18t",
];

#[test]
fn m08_nothing_is_ever_asked_of_the_terminal() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    for keys in ["\x1b[15~", "\x0c", "?", "\x1b", ":", "\x1b", "\x1bOQ", "\x1b[17~", "\x1b[14~", "ax\x0c", "\x1b"] {
        pty.send(keys);
        assert!(!pty.is_quiet_for(Duration::from_secs(30)), "{keys:?} shows something");
        while !pty.is_quiet_for(Duration::from_millis(100)) {}
    }
    leave(&mut pty);
    let raw = pty.raw_text();
    for question in QUESTIONS {
        assert!(!raw.contains(question), "{question:?} in {raw:?}");
    }
    assert!(!raw.contains("\x1b]"), "no OSC at all: no colours asked, no title set");
    for mode in ["?1000h", "?1002h", "?1003h", "?1004h", "?1006h", "?2031h", "[>1u", "?9h"] {
        assert!(!raw.contains(mode), "{mode}");
    }
}

#[test]
fn m08_answers_that_nobody_asked_for_lose_no_key_where_that_can_be_helped() {
    // Device attributes, the cursor's place and keyboard flags are taken for what they are.
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("o\x1b[?62;22c\x1b[5;7R\x1b[?0uabc");
    pty.wait("abc");
    pty.send("\x1b");
    pty.wait_for("the area closed", |pty| !pty.screen().iter().any(|row| row.contains("abc")));
    // The answer to a mode report, or news of the colour scheme, swallows all keys up to the next `c` or `u` in the library
    // that reads keys. Never asking is what can be done; after that letter keys are keys again.
    pty.send("\x1b[?2026;2$y\x1b[?997;1n");
    pty.send("c");
    assert_eq!(leave(&mut pty), 3);
    is_as_found(&pty);
}

/// The text areas: keys that open each on the small review.
const AREAS: [(&str, &str); 6] = [
    ("own words", "\x1bORo"),
    ("defer", "\x1bORd"),
    ("answer", "\x1bOSa"),
    ("owner", "\x1bOSo"),
    ("filter", "\x1b[15~/"),
    ("palette", ":"),
];

#[test]
fn m09_input_methods_type_right_in_every_text_area() {
    for (what, open) in AREAS {
        let desk = Desk::new();
        let mut pty = at_conflict(&desk);
        pty.send(open);
        // As one chunk and as many, with the backspace of every kind of terminal; then a whole sentence of Telex.
        pty.send("vie\x7fê\x7fệt ");
        pty.wait("việt");
        for byte in "đa\x08ă\x08ặ".as_bytes() {
            pty.send([*byte]);
        }
        pty.send("c");
        pty.wait_for(what, |pty| pty.screen().iter().any(|row| row.contains("việt đặc")));
        pty.send("\x08\x08\x08\x7f가\x7f각");
        pty.wait_for(what, |pty| pty.screen().iter().any(|row| row.contains("việt각") || row.contains("việt 각")));
        let caret = pty.vt().cursor_position();
        assert!(!pty.vt().hide_cursor(), "{what}: the cursor is seen");
        let row = pty.screen()[usize::from(caret.0)].clone();
        assert!(row.contains('각'), "{what}: the cursor is on the row that is typed in: {row:?}");
    }
}

#[test]
fn m10_one_backspace_takes_a_whole_cluster() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("oa👩\u{200d}💻\x7fb\u{1ec7}\x7fe\u{323}\u{302}c");
    pty.wait("abệc");
    pty.send("\r");
    pty.until("the words", || desk.records().iter().any(|record| record["op"] == "write" && record["text"] == "abệc"));
}

#[test]
fn m11_hostile_text_puts_no_sequence_of_its_own_on_the_wire() {
    let attack = r"\e]52;c;cHdu\a\e]0;pwned\a\e[6n\ec\e]0;never \u202Egnp.exe \u009b31m \uE0041 \u200b tab\there";
    let council = format!(
        "schema: tamis.script/1\nname: \"{attack}\"\nsteps:\n  - key: review/PO/UC-03..UC-04\n    attempts:\n      - {{fail: invalid, \
         reason: \"{attack}\"}}\n      - {{chunks: [\"{attack}\"], findings: [{{severity: critical, section: \"{attack}\", quote: within 30 calendar \
         days after the parcel was collected, finding: \"{attack}\", suggestion: \"{attack}\", options: [\"A {attack}\", \"B {attack}\"]}}, {{severity: \
         major, quote: the refund request is approved under BR-17, finding: \"{attack} two\", suggestion: x, blocked_on: \
         [\"needs-security-decision: {attack}?\"]}}]}}\n  - key: review/*\n    findings: []\n  - key: critic/*\n    findings: []\n"
    );
    let desk = Desk::with("prd-en.md", &council.replace(r"\uE0041", r"\U000E0041"));
    let name = "p\x1b]0;x\x07\u{202e}rd.md";
    std::fs::copy(desk.path().join("prd.md"), desk.path().join(name)).expect("a document");
    let quoted = format!("'{name}'");
    let mut pty = desk.sh(&format!("exec {}", desk.line().replace("prd.md", &quoted)), &[]);
    pty.wait("Decide 0/1");
    // Every screen, help, log, an area, a decision, the written file and what stands on the normal screen after it.
    for keys in [
        "\x1bOQ", "\r", "\x1b", "\x1bOS", "ano\r", "\x1b[15~", "\r", "?", "\x1b", "@", "\x1b", "\x1bOR", "ohm\r", "\x1b[17~",
        "G", "w",
    ] {
        pty.send(keys);
        assert!(!pty.is_quiet_for(Duration::from_secs(30)), "{keys:?} shows something");
        while !pty.is_quiet_for(Duration::from_millis(100)) {}
    }
    leave(&mut pty);
    let raw = pty.raw_text();
    let inside = raw.split(ENTER).nth(1).and_then(|rest| rest.split(LEAVE).next()).expect("a screen").replace('\x07', "");
    assert_eq!(raw.matches("\x1b]").count(), 0);
    assert!(raw.matches('\x07').count() <= 2, "bells for a person only");
    let bad = |c: char| c != '\x1b' && (c.is_control() || tamis::model::shown::is_hidden(c));
    assert!(!inside.contains(bad), "{:?}", inside.chars().find(|&c| bad(c)));
    for piece in inside.split('\x1b').skip(1) {
        let rest = piece.strip_prefix('[').unwrap_or_else(|| panic!("only CSI: {:?}", piece.chars().next()));
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?')).expect("an end");
        let sequence = &rest[..=end];
        let mode = ["?25h", "?25l", "?2026h", "?2026l"].contains(&sequence);
        assert!(mode || (rest[end..].starts_with(['m', 'H', 'K', 'J', 'C']) && !sequence.contains('?')), "CSI {sequence}");
    }
    let after = raw.split(LEAVE).nth(1).expect("left");
    let bad = after.chars().find(|&c| !matches!(c, '\r' | '\n') && (c.is_control() || tamis::model::shown::is_hidden(c)));
    assert_eq!(bad, None, "{after:?}");
}

#[test]
fn m12_a_megabyte_of_paste_with_carriage_returns_is_one_text() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("o");
    pty.paste(&format!("{}end of it", "một dòng\r\n".repeat(100_000)));
    pty.wait("end of it");
    assert!(desk.records().iter().all(|record| record["op"] == "draft"), "nothing was given");
    pty.send("\r");
    pty.until("the words", || desk.records().iter().any(|record| record["op"] == "write"));
    let written = desk.records().into_iter().find(|record| record["op"] == "write").expect("written");
    let text = written["text"].as_str().expect("a text");
    assert_eq!(text.matches("một dòng\n").count(), 100_000);
    assert!(!text.contains(['\r', '\x1b']));
}

#[test]
fn m12_a_paste_is_never_a_command_not_even_behind_an_end_marker_of_its_own() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    // Nothing takes it: a hint, and nothing else.
    let before = pty.raw().len();
    pty.paste("q\nx\nX\nw\na\n");
    pty.wait_for("a hint", |pty| pty.raw().len() > before);
    pty.paste("one\x1b[201~q\na1\r");
    while !pty.is_quiet_for(Duration::from_millis(300)) {}
    assert!(desk.records().is_empty(), "{:?}", desk.records());
    pty.wait("Decide 0/2");
    // Into an area: text, and the tail is typed.
    pty.send("o");
    pty.paste("một\r\nhai\x1b[31mba\x1b[201~q");
    pty.wait("baq");
    pty.wait("một");
    assert!(desk.records().iter().all(|record| record["op"] == "draft"));
}

#[test]
fn m12_an_unbracketed_paste_with_a_line_end_is_not_submitted() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    pty.send("o");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.send(format!("{}\rsecond line", "x".repeat(200)));
    pty.wait("second line");
    assert!(desk.records().iter().all(|record| record["op"] == "draft"), "{:?}", desk.records());
}

#[test]
fn m13_every_size_is_survived_and_after_a_storm_the_screen_is_as_if_begun_there() {
    let desk = Desk::new();
    let mut pty = desk.review(0, 0);
    pty.until("the gate", || desk.journal().contains("gate/settle"));
    pty.resize(24, 80);
    settling(&mut pty);
    for (rows, cols) in [(1, 1), (0, 0), (24, 0), (0, 80), (9, 39), (300, 500), (10, 40)] {
        pty.resize(rows, cols);
    }
    for step in 0..300_u16 {
        pty.resize(5 + step % 37, 20 + step * 7 % 140);
    }
    pty.resize(30, 100);
    pty.wait_for("the last size", |pty| pty.screen().len() == 30 && pty.screen()[1].contains("Decide 0/2"));
    // Whatever was still under way at another size is over.
    while !pty.is_quiet_for(Duration::from_millis(500)) {}
    let after = pty.screen();
    leave(&mut pty);
    // Times of day aside, a fresh start looks the same.
    let mut fresh = desk.resume();
    settling(&mut fresh);
    fresh.resize(30, 100);
    fresh.wait_for("its size", |pty| pty.screen().len() == 30 && pty.screen()[29].contains("help"));
    while !fresh.is_quiet_for(Duration::from_millis(500)) {}
    let body = |rows: &[String]| rows[2..28].join("\n");
    assert_eq!(body(&after), body(&fresh.screen()));
}

/// Waits until nothing is written and nobody wakes up any more; then counts both for two seconds.
fn idle(pty: &mut Pty, what: &str) {
    loop {
        let before = voluntary_switches(pty.pid());
        // Longer than what is typed waits for its way to the disk.
        if pty.is_quiet_for(Duration::from_millis(1_200)) && voluntary_switches(pty.pid()) == before {
            break;
        }
    }
    let (bytes, switches) = (pty.raw().len(), voluntary_switches(pty.pid()));
    let quiet = pty.is_quiet_for(Duration::from_secs(2));
    assert!(quiet, "{what}: bytes were written: {:?}", String::from_utf8_lossy(&pty.raw()[bytes..]));
    let after = voluntary_switches(pty.pid());
    if after < switches {
        // A thread that waited for work in vain has gone, and its count with it.
        return idle(pty, what);
    }
    assert_eq!(after, switches, "{what}: wake-ups");
}

#[test]
#[ignore = "slow: run by .ci/run"]
fn m14_where_nothing_happens_nothing_is_written_and_nobody_wakes_up() {
    let desk = Desk::new();
    let mut pty = at_conflict(&desk);
    for (what, keys) in [
        ("decide", ""),
        ("run", "\x1bOQ"),
        ("questions", "\x1bOS"),
        ("findings", "\x1b[15~"),
        ("report", "\x1b[17~"),
        ("help", "?"),
        ("an empty text area", "\x1b\x1bORo"),
        ("a text area with words in it", "words"),
        ("the palette", "\x1b:"),
        ("the question before leaving", "\x1b\x1bq"),
    ] {
        pty.send(keys);
        idle(&mut pty, what);
    }
}

#[test]
fn m15_ctrl_z_gives_the_shell_its_screen_and_fg_shows_the_workbench_again() {
    let desk = Desk::new();
    let mut pty = desk.sh("exec bash --norc --noprofile -i", &[("PS1", "ready> ")]);
    pty.wait("ready>");
    pty.send(format!("{}\r", desk.line()));
    settling(&mut pty);
    pty.send("o");
    pty.wait_for("an area", |pty| !pty.vt().hide_cursor());
    pty.send("chưa xong\x1a");
    pty.wait("Stopped");
    // Bracketed paste is the shell's own affair by now.
    assert!(!pty.vt().alternate_screen() && !pty.vt().hide_cursor());
    pty.resize(30, 100);
    pty.send("fg\r");
    pty.wait("chưa xong");
    assert!(pty.vt().alternate_screen() && pty.vt().bracketed_paste() && !pty.vt().hide_cursor());
    assert_eq!(pty.modes(), Modes::RAW);
    pty.wait_for("the new size", |pty| pty.screen()[29].contains("Enter"));
    // What was typed before the stop was safe by then.
    assert!(desk.records().iter().any(|record| record["op"] == "draft" && record["text"] == "chưa xong"));
}

#[test]
fn m16_wide_and_composed_text_keeps_frames_straight() {
    let desk = Desk::new();
    for locale in ["vi", "zh"] {
        let text =
            std::fs::read_to_string(format!("{}/examples/prd-{locale}.md", env!("CARGO_MANIFEST_DIR"))).expect("an example");
        std::fs::write(desk.path().join("prd.md"), text).expect("a document");
        let mut pty = desk.sh(&format!("exec {TAMIS} review prd.md --state-dir state-{locale}"), &[]);
        pty.wait_for("a person is needed", |pty| pty.raw().contains(&7));
        for keys in ["?", "\x1b", "@", "\x1b", ":"] {
            pty.send(keys);
            while !pty.is_quiet_for(Duration::from_millis(200)) {}
            let rows: Vec<u16> = (0..24).collect();
            for (row, col) in rows.iter().flat_map(|&row| (0..80).map(move |col| (row, col))) {
                if pty.cell(row, col).contents() == "┓" {
                    let side = (row + 1..24).map(|row| pty.cell(row, col).contents()).find(|&side| side != "┃" && side != "█");
                    assert_eq!(side, Some("┛"), "{locale}: {}", pty.screen().join("\n"));
                }
            }
        }
    }
}
