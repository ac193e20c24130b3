//! The real program inside tmux, which is a whole terminal with a shell, a clipboard and windows of its own: job control, the
//! editor, copies. Each test has a server of its own.

use crate::desk::{Desk, TAMIS};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Far beyond what anything here takes.
const DEADLINE: Duration = Duration::from_secs(60);

/// Says, past the catching of what tests print, that a test has tested nothing.
fn skipped(why: &str) {
    // Where even that cannot be written there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// A tmux server with one window; it is gone when this is dropped.
struct Tmux {
    name: String,
}

impl Tmux {
    /// A window of 80 × 24 with a shell in the desk's folder; `None`, with a word about it, where there is no tmux.
    fn new(desk: &Desk, test: &str, options: &[&str], env: &[(&str, &str)]) -> Option<Tmux> {
        if Command::new("tmux").arg("-V").output().is_err() {
            skipped(&format!("{test} needs tmux, which is not here"));
            return None;
        }
        let tmux = Tmux { name: format!("tamis-{test}-{}", std::process::id()) };
        let mut start = tmux.command();
        start.args(["-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"]);
        start.current_dir(desk.path());
        start.arg("env").arg("PS1=ready> ").arg(format!("HOME={}", desk.path().display())).arg("USER=An").arg("LANG=C.UTF-8");
        start.args(env.iter().map(|(name, value)| format!("{name}={value}")));
        start.args(["bash", "--norc", "--noprofile", "-i"]);
        let started = start.output().expect("tmux starts");
        assert!(started.status.success(), "{started:?}");
        for option in options {
            let mut words = vec!["set-option", "-g"];
            words.extend(option.split(' '));
            assert!(tmux.run(&words).status.success(), "{option}");
        }
        tmux.wait("ready>");
        Some(tmux)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").args(["-L", &self.name]);
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command().args(words).output().expect("tmux runs")
    }

    /// Presses keys by tmux's names.
    fn keys(&self, keys: &[&str]) {
        let mut words = vec!["send-keys"];
        words.extend(keys);
        assert!(self.run(&words).status.success(), "{keys:?}");
    }

    /// Types text as it is.
    fn types(&self, text: &str) {
        assert!(self.run(&["send-keys", "-l", text]).status.success(), "{text}");
    }

    fn screen(&self) -> Vec<String> {
        let shown = self.run(&["capture-pane", "-p"]).stdout;
        String::from_utf8_lossy(&shown).lines().map(|row| row.trim_end().to_owned()).collect()
    }

    /// Asks tmux until something holds; every question is a process of its own, so nothing spins.
    fn wait_for(&self, what: &str, holds: impl Fn(&Tmux) -> bool) {
        let end = Instant::now() + DEADLINE;
        while !holds(self) {
            assert!(Instant::now() < end, "never came: {what}\n{}", self.screen().join("\n"));
        }
    }

    fn wait(&self, text: &str) {
        self.wait_for(text, |tmux| tmux.screen().iter().any(|row| row.contains(text)));
    }

    fn ask(&self, format: &str) -> String {
        String::from_utf8_lossy(&self.run(&["display-message", "-p", format]).stdout).trim_end().to_owned()
    }

    /// Starts the small review and waits for its first conflict, and for decisions to be awaited.
    fn review(&self, desk: &Desk, before: &str) {
        self.types(&format!("{before}{}", desk.line()));
        self.keys(&["Enter"]);
        // It goes there by itself as soon as decisions are awaited.
        self.wait("►Decide 0/2");
    }

    /// Opens own words.
    fn own_words(&self) {
        self.keys(&["o"]);
        self.wait_for("a text area", |tmux| tmux.ask("#{cursor_flag}") == "1");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // There may be no server left.
        let _ = self.run(&["kill-server"]);
    }
}

/// The process that runs our program in this folder.
fn process_of(desk: &Desk) -> i32 {
    let processes = std::fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let ours = |pid: &i32| {
        let path = format!("/proc/{pid}");
        let exe = std::fs::read_link(Path::new(&path).join("exe")).ok();
        let folder = std::fs::read_link(Path::new(&path).join("cwd")).ok();
        exe.is_some_and(|exe| exe == Path::new(TAMIS)) && folder.is_some_and(|folder| folder == desk.path())
    };
    let found = processes.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok()).find(ours);
    found.expect("our program")
}

#[test]
fn ctrl_z_and_fg_keep_the_screen_and_the_words() {
    let desk = Desk::new();
    let Some(tmux) = Tmux::new(&desk, "stop", &[], &[]) else { return };
    tmux.review(&desk, "");
    tmux.own_words();
    tmux.types("chưa xong");
    tmux.wait("chưa xong");
    tmux.keys(&["C-z"]);
    tmux.wait("Stopped");
    assert_eq!(tmux.ask("#{alternate_on}#{cursor_flag}"), "01");
    tmux.types("stty -a | grep -c ' icanon'; fg");
    tmux.keys(&["Enter"]);
    tmux.wait("chưa xong");
    tmux.wait_for("the alternate screen", |tmux| tmux.ask("#{alternate_on}") == "1");
    tmux.types(" hẳn");
    tmux.wait("chưa xong hẳn");
}

#[test]
fn a_stop_from_outside_and_fg_draw_everything_anew() {
    let desk = Desk::new();
    let Some(tmux) = Tmux::new(&desk, "tstp", &[], &[]) else { return };
    tmux.review(&desk, "");
    let before = tmux.screen();
    let stop = rustix::process::Pid::from_raw(process_of(&desk)).expect("a pid");
    rustix::process::kill_process(stop, rustix::process::Signal::TSTP).expect("sent");
    tmux.wait("Stopped");
    tmux.types("fg");
    tmux.keys(&["Enter"]);
    tmux.wait_for("the screen as before", |tmux| tmux.screen()[1..20] == before[1..20]);
    tmux.keys(&["?"]);
    tmux.wait_for("keys work", |tmux| tmux.screen()[1..20] != before[1..20]);
}

#[test]
fn vi_gets_the_words_and_all_keys_and_gives_the_words_back() {
    if Command::new("vi").arg("--version").output().is_err() {
        skipped("the round trip through vi needs vi, which is not here");
        return;
    }
    let desk = Desk::new();
    let Some(tmux) = Tmux::new(&desk, "vi", &[], &[("EDITOR", "vi")]) else { return };
    tmux.review(&desk, "");
    tmux.own_words();
    tmux.types("Tiếng Việt");
    tmux.wait("Tiếng Việt");
    tmux.keys(&["C-e"]);
    // The editor shows a screen of its own: the header of the workbench is gone.
    tmux.wait_for("the editor", |tmux| {
        !tmux.screen()[0].contains("Round") && tmux.screen().iter().any(|row| row.contains("Tiếng Việt"))
    });
    // A resize meanwhile is the editor's, and ours when it has ended.
    assert!(tmux.run(&["resize-window", "-x", "100", "-y", "30"]).status.success());
    tmux.types("iXYZ q");
    tmux.keys(&["Escape"]);
    tmux.types(":wq");
    tmux.keys(&["Enter"]);
    tmux.wait_for("the words are back", |tmux| {
        let screen = tmux.screen();
        screen[0].contains("Round") && screen.iter().any(|row| row.contains("XYZ qTiếng Việt"))
    });
    tmux.wait_for("the new size", |tmux| tmux.screen().len() == 30 && tmux.screen()[29].contains("Enter"));
    assert!(desk.records().iter().all(|record| record["op"] == "draft"), "no key of the editor was ours: {:?}", desk.records());
    tmux.types("!");
    tmux.wait("!");
    tmux.keys(&["Enter"]);
    tmux.wait_for("the words in the journal", |_| desk.records().iter().any(|record| record["op"] == "write"));
    let write = desk.records().into_iter().find(|record| record["op"] == "write").expect("there");
    assert!(write["text"].as_str().is_some_and(|text| text.contains("XYZ qTiếng Việt")), "{write}");
}

#[test]
fn an_editor_that_fails_leaves_the_words_as_they_were() {
    let desk = Desk::new();
    let script = desk.path().join("editor.sh");
    std::fs::write(&script, "echo ruined > \"$1\"\nexit 1\n").expect("a script");
    let editor = format!("sh {}", script.display());
    let Some(tmux) = Tmux::new(&desk, "fails", &[], &[("VISUAL", &editor)]) else { return };
    tmux.review(&desk, "");
    tmux.own_words();
    tmux.types("giữ nguyên");
    tmux.wait("giữ nguyên");
    tmux.keys(&["C-e"]);
    tmux.wait_for("it says that it failed", |tmux| {
        let screen = tmux.screen();
        screen[0].contains("Round") && screen.iter().any(|row| row.contains("giữ nguyên")) && screen[22].contains('1')
    });
    assert!(!tmux.screen().iter().any(|row| row.contains("ruined")));
}

/// What tmux has in its buffer; `None` for nothing.
fn buffer(tmux: &Tmux) -> Option<String> {
    let shown = tmux.run(&["show-buffer"]);
    shown.status.success().then(|| String::from_utf8_lossy(&shown.stdout).into_owned())
}

#[test]
fn a_copy_reaches_the_clipboard_of_tmux_and_its_words_claim_no_more_than_happened() {
    // The terminal's sequence alone, where tmux takes it and where it does not; then tmux's own command.
    for (test, option, refuses, arrives) in [
        ("copy-on", "set-clipboard on", true, true),
        ("copy-default", "set-clipboard external", true, false),
        ("copy-command", "set-clipboard external", false, true),
        ("copy-off", "set-clipboard off", false, true),
    ] {
        let desk = Desk::with("prd-vi.md", &vietnamese());
        let folder = desk.path().join("bin");
        std::fs::create_dir(&folder).expect("a folder");
        if refuses {
            std::fs::write(folder.join("tmux"), "#!/bin/sh\nexit 1\n").expect("a program");
            let run = Command::new("chmod").arg("+x").arg(folder.join("tmux")).status().expect("chmod");
            assert!(run.success());
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = format!("{}:{}", folder.display(), path.to_string_lossy());
        let Some(tmux) = Tmux::new(&desk, test, &[option], &[("PATH", &path)]) else { return };
        tmux.types(&desk.line());
        tmux.keys(&["Enter"]);
        // With no conflict and no question it goes to the list by itself.
        tmux.wait("F001");
        tmux.keys(&["y"]);
        // What became of it by the command is told last.
        let told = if refuses { "tmux không nhận vào buffer" } else { "Đã nằm trong buffer của tmux" };
        tmux.wait(told);
        let text = buffer(&tmux);
        if arrives {
            let text = text.expect("a buffer");
            assert!(text.contains("Hai cách viết: người dùng đặt chỗ, 中文"), "{option}: {text}");
        } else {
            assert_eq!(text, None, "{option}");
        }
    }
}

fn vietnamese() -> String {
    "schema: tamis.script/1\nname: nhỏ\nsteps:\n  - key: review/PO/*\n    findings:\n      - severity: major\n        quote: ''\n        missing: Phụ lục\n        finding: 'Hai cách \
     viết: người dùng đặt chỗ, 中文'\n        suggestion: Viết một cách.\n  - key: review/*\n    findings: []\n  - key: critic/*\n    findings: []\n"
        .to_owned()
}

#[test]
fn rows_with_wide_text_are_aligned_in_a_real_terminal() {
    let desk = Desk::new();
    let Some(tmux) = Tmux::new(&desk, "wide", &[], &[]) else { return };
    tmux.review(&desk, "");
    tmux.own_words();
    tmux.types("需求文档评审 người dùng đăng nhập 한글 ệ");
    tmux.wait("한글 ệ");
    let columns = |row: &String| {
        // tmux gives the text of cells; a wide character takes two of them.
        use unicode_width::UnicodeWidthChar;
        let mut column = 0;
        let mut last = None;
        for c in row.chars() {
            if c == '┃' {
                last = Some(column);
            }
            column += c.width().unwrap_or(0);
        }
        last
    };
    let sides: Vec<usize> = tmux.screen().iter().filter(|row| row.starts_with('┃')).filter_map(columns).collect();
    assert!(sides.len() >= 3 && sides.iter().all(|&side| side == 79), "{sides:?}\n{}", tmux.screen().join("\n"));
}

#[test]
fn a_window_that_is_closed_ends_the_process_and_keeps_the_words() {
    let desk = Desk::new();
    let Some(tmux) = Tmux::new(&desk, "closed", &[], &[]) else { return };
    tmux.review(&desk, "");
    tmux.own_words();
    tmux.types("trước khi đóng");
    tmux.wait("trước khi đóng");
    let pid = process_of(&desk);
    tmux.run(&["kill-server"]);
    tmux.wait_for("the end of the process", |_| !Path::new(&format!("/proc/{pid}/exe")).exists());
    let draft = desk.records().into_iter().rfind(|record| record["op"] == "draft");
    assert!(draft.is_some_and(|draft| draft["text"] == "trước khi đóng"));
}
