//! The real program at a terminal of its own: a folder with a document and a council, and what the runs leave behind.

use crate::pty::{Modes, Pty};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The program.
pub const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");
/// What is written when the screen is entered and left.
pub const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?25l";
pub const LEAVE: &str = "\x1b[?2026l\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?1049l";

/// Two conflicts, a policy question and a plain one; nothing takes any time, and the critic finds no more.
const SMALL: &str = r#"schema: tamis.script/1
name: small
steps:
  - key: review/PO/UC-03..UC-04
    findings:
      - severity: critical
        quote: within 30 calendar days after the parcel was collected
        finding: AC-11 accepts a refund request for 30 days, BR-04 for 14.
        suggestion: Write 14 calendar days in AC-11.
        options: ["Write 14 calendar days in AC-11.", "Write 30 calendar days in BR-04."]
      - severity: major
        quote: When the new PIN is on its way
        finding: AC-09 says PIN where the glossary says pick-up code.
        suggestion: Write pick-up code in AC-09.
        options: ["Write pick-up code in AC-09.", "Write PIN in the glossary."]
      - severity: major
        quote: the refund request is approved under BR-17
        finding: AC-14 leans on BR-17, which is not defined.
        suggestion: Write the missing rule.
        blocked_on: ["needs-security-decision: Who may approve without a look?", "What does BR-17 say?"]
  - key: review/*
    findings: []
  - key: critic/*
    findings: []
"#;

/// A folder to work in.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    /// The bundled English document and a small council.
    pub fn new() -> Desk {
        Desk::with("prd-en.md", SMALL)
    }

    /// A bundled document and a council.
    pub fn with(document: &str, council: &str) -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("prd.md"), bundled(document)).expect("a document");
        std::fs::write(folder.path().join("council.yaml"), council).expect("a council");
        Desk { folder }
    }

    /// The bundled council, without its delays.
    pub fn bundled() -> Desk {
        let lines = bundled("council.yaml");
        let quick = |line: &str| match line.split_once("delay_ms: ") {
            Some((before, _)) => format!("{before}delay_ms: 0\n"),
            None => format!("{line}\n"),
        };
        let text: String = lines.lines().map(quick).collect();
        Desk::with("prd-en.md", &text)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The line of a shell that reviews the document.
    pub fn line(&self) -> String {
        format!("{TAMIS} review prd.md --agent script:council.yaml --state-dir state")
    }

    /// Opens the workbench on a review.
    pub fn review(&self, rows: u16, cols: u16) -> Pty {
        self.review_in(rows, cols, &[])
    }

    /// The same in an environment.
    pub fn review_in(&self, rows: u16, cols: u16, env: &[(&str, &str)]) -> Pty {
        let line: Vec<String> = self.line().split(' ').map(str::to_owned).collect();
        let args: Vec<&str> = line.iter().skip(1).map(String::as_str).collect();
        self.spawn(TAMIS, &args, rows, cols, env)
    }

    /// Takes the newest run up again.
    pub fn resume(&self) -> Pty {
        let run = self.run();
        let name = run.file_name().expect("a name").to_string_lossy().into_owned();
        self.spawn(TAMIS, &["resume", &name, "--state-dir", "state"], 24, 80, &[])
    }

    /// Runs the line of a shell in a terminal.
    pub fn sh(&self, line: &str, env: &[(&str, &str)]) -> Pty {
        self.spawn("sh", &["-c", line], 24, 80, env)
    }

    fn spawn(&self, program: &str, args: &[&str], rows: u16, cols: u16, env: &[(&str, &str)]) -> Pty {
        let home = self.path().to_string_lossy().into_owned();
        let env: Vec<(&str, &str)> = [("HOME", home.as_str()), ("USER", "An")].into_iter().chain(env.iter().copied()).collect();
        Pty::spawn_in(self.path(), program, args, rows, cols, &env)
    }

    /// The only run's folder.
    pub fn run(&self) -> PathBuf {
        let runs: Vec<PathBuf> = runs(self.path());
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs[0].clone()
    }

    /// The text of the run's journal; `""` before there is one.
    pub fn journal(&self) -> String {
        let text = |run: &PathBuf| std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
        runs(self.path()).iter().map(text).collect()
    }

    /// The records on the gates so far, as JSON, drafts too.
    pub fn records(&self) -> Vec<serde_json::Value> {
        let journal = self.journal();
        // The last line may not be whole yet.
        let events = journal.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        events
            .map(|line| line["r"].clone())
            .filter(|event| event["kind"] == "gate_record")
            .map(|event| event["body"].clone())
            .collect()
    }

    /// The findings file; `None` before it is written.
    pub fn written(&self) -> Option<String> {
        std::fs::read_to_string(self.path().join("prd.findings.yaml")).ok()
    }
}

fn runs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("state/runs")) else { return Vec::new() };
    entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(|path| path.join("journal.jsonl").exists()).collect()
}

fn bundled(name: &str) -> String {
    let path = format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Waits until the small review waits for decisions, with its first conflict on the screen.
pub fn settling(pty: &mut Pty) {
    pty.wait("Decide 0/2");
    // Counts are on the screen a little before decisions can be left; then it rings.
    pty.wait_for("the bell", |pty| pty.raw().contains(&7));
}

/// Opens the small review and waits for its first conflict.
pub fn at_conflict(desk: &Desk) -> Pty {
    let mut pty = desk.review(24, 80);
    settling(&mut pty);
    pty
}

/// Sends a signal.
pub fn kill(pty: &Pty, with: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pty.pid()).expect("a pid")).expect("a pid"), with).expect("sent");
}

/// Leaves by Ctrl-C twice; returns the exit code.
pub fn leave(pty: &mut Pty) -> u32 {
    // An Esc that is still on its way would make Alt-Ctrl-C of it.
    while !pty.is_quiet_for(Duration::from_millis(200)) {}
    pty.send("\x03");
    pty.send("\x03");
    pty.exit().exit_code()
}

/// Holds the terminal against how it was found, by what was written and by the line's modes.
pub fn is_as_found(pty: &Pty) {
    assert_eq!(pty.modes(), Modes::COOKED);
    let screen = pty.vt();
    assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
    let raw = pty.raw_text();
    assert_eq!((raw.matches(ENTER).count(), raw.matches(LEAVE).count()), (1, 1), "{raw:?}");
    assert_eq!((raw.matches("\x1b[?1049h").count(), raw.matches("\x1b[?1049l").count()), (1, 1));
    let after = raw.split(LEAVE).nth(1).expect("left");
    assert!(!after.contains('\x1b'), "nothing is drawn afterwards: {after:?}");
}
