//! `tamis open` on the real binary: without a terminal, and in one of our own.

#[path = "common/bench.rs"]
mod bench;
#[path = "common/pty.rs"]
mod pty;

use bench::{Bench, TAMIS};
use pty::Pty;
use std::fs;
use tamis::journal::{Follower, Journal, RunFolder};
use tamis::model::event::{Event, Kind};
use tamis::model::gate::{GateRecord, Op};
use tamis::model::ids::RunId;

/// A folder with a finished review of the bundled example, everything that is open put off.
struct Desk {
    bench: Bench,
    run: String,
}

const FINDINGS: &str = "prd-en.findings.yaml";
const NOTHING_CHANGED: &str = "Nothing is changed until you decide something";

impl Desk {
    fn new() -> Desk {
        let bench = Bench::new();
        bench.copy("prd-en.md");
        let ran = bench.run(&["review", "prd-en.md", "--defer-all", "after the pilot", "--defer-policy"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let desk = Desk { run: String::new(), bench };
        Desk { run: desk.runs().remove(0), ..desk }
    }

    /// Ids of all runs, newest first.
    fn runs(&self) -> Vec<String> {
        let listed = self.bench.run(&["runs"]).out;
        listed.lines().map(|line| line.split(' ').next().expect("an id").to_owned()).collect()
    }

    fn listing(&self) -> String {
        self.bench.run(&["runs"]).out
    }

    fn folder(&self, run: &str) -> RunFolder {
        let state = self.bench.path("state").join("tamis");
        RunFolder::find(&state, &RunId::from(run)).expect("a run")
    }

    fn events(&self, run: &str) -> Vec<Event> {
        Journal::read(&self.folder(run).journal()).expect("a journal").events
    }

    /// What people left on the gate of settling, drafts among it.
    fn ops(&self, run: &str) -> Vec<(Op, String)> {
        let events = self.events(run);
        let records = events.iter().filter(|event| event.kind == Kind::GateRecord);
        records.map(|event| event.body.read().expect("a record")).map(|record: GateRecord| (record.op, record.by)).collect()
    }

    fn findings(&self) -> String {
        fs::read_to_string(self.bench.path(FINDINGS)).expect("findings")
    }

    fn window(&self, args: &[&str]) -> Pty {
        self.window_with(args, &[])
    }

    fn window_with(&self, args: &[&str], env: &[(&str, &str)]) -> Pty {
        let (home, state) = (self.bench.path("home"), self.bench.path("state"));
        let own = [("HOME", home.to_str().expect("UTF-8")), ("XDG_STATE_HOME", state.to_str().expect("UTF-8")), ("USER", "An")];
        Pty::spawn_in(self.bench.folder(), TAMIS, args, 24, 100, &[&own[..], env].concat())
    }
}

/// Goes to the findings and accepts the first one that the cursor can reach by `downs` steps.
fn accept(window: &mut Pty, downs: usize) {
    window.send("\x1b[15~"); // F5
    window.wait("► F001");
    for step in 1..=downs {
        window.send("j");
        window.wait(&format!("► F{:03}", step + 1));
    }
    window.send("a");
    window.wait("Saved");
}

/// One level back, which takes a text off the screen. Only then comes the next key: Esc and what follows it at once are
/// another key.
fn back(window: &mut Pty, gone: &str) {
    window.send("\x1b");
    window.wait_for(&format!("no {gone}"), |pty| !pty.screen().iter().any(|row| row.contains(gone)));
}

/// Writes and leaves.
fn write_and_leave(window: &mut Pty) {
    window.send("w");
    window.wait("►Report");
    window.send("w");
    window.wait("Written: prd-en.findings.yaml");
    window.send("q");
    assert_eq!(window.exit().exit_code(), 0);
}

#[test]
fn without_a_terminal_it_says_in_one_line_what_does_the_same() {
    let desk = Desk::new();
    for what in [desk.run.as_str(), FINDINGS, "nothing"] {
        let ran = desk.bench.run(&["open", what]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(ran.err.contains("tamis replay RUN") && ran.err.contains("tamis resume RUN --headless"), "{}", ran.err);
        assert!(!ran.err.contains('\x1b'));
    }
    assert_eq!(desk.runs().len(), 1, "nothing was begun");
}

#[test]
fn a_dumb_terminal_gets_no_escape_sequence() {
    let desk = Desk::new();
    let dumb = [("TERM", "dumb")];
    let mut open = desk.window_with(&["open", &desk.run], &dumb);
    assert_eq!(open.exit().exit_code(), 2);
    assert!(open.raw_text().contains("the terminal is dumb") && !open.raw().contains(&0x1b), "{}", open.raw_text());
    let mut review = desk.window_with(&["review", "prd-en.md", "--defer-all", "later", "--defer-policy"], &dumb);
    assert_eq!(review.exit().exit_code(), 0);
    assert!(review.raw_text().contains("going on without the workbench"), "{}", review.raw_text());
    assert!(!review.raw().contains(&0x1b));
}

#[test]
fn what_is_neither_a_run_nor_a_file_is_said_so() {
    let desk = Desk::new();
    desk.bench.write("notes.yaml", "a: 1\n");
    for (what, code, words) in [("20260101-000000-aaaa", 2, "no such run"), ("notes.yaml", 7, "not a findings file")] {
        let mut window = desk.window(&["open", what]);
        assert_eq!(window.exit().exit_code(), code);
        assert!(window.raw_text().contains(words), "{}", window.raw_text());
    }
}

#[test]
fn a_finished_run_is_shown_untouched_and_a_decision_writes_it_again() {
    let desk = Desk::new();
    let (before, events) = (desk.findings(), desk.events(&desk.run).len());
    let mut window = desk.window(&["open", &desk.run]);
    window.wait(NOTHING_CHANGED);
    window.wait("Written: prd-en.findings.yaml");
    window.send("q");
    assert_eq!(window.exit().exit_code(), 0);
    assert!(window.raw_text().contains(&format!("nothing was changed. Open it again with: tamis open {}", desk.run)));
    assert_eq!((desk.events(&desk.run).len(), desk.findings()), (events, before.clone()));

    let mut window = desk.window(&["open", &desk.run]);
    window.wait(NOTHING_CHANGED);
    accept(&mut window, 1);
    let (op, by) = desk.ops(&desk.run).pop().expect("a record");
    assert!(matches!(op, Op::Accept { .. }) && by == "An", "{op:?} by {by}: on the disk before the screen says so");
    assert_eq!(desk.findings(), before, "not written yet");
    write_and_leave(&mut window);
    let after = desk.findings();
    assert_eq!(after.matches("status: accepted").count(), before.matches("status: accepted").count() + 1);
    assert!(desk.listing().contains("finished"));
    assert_eq!(desk.runs().len(), 1);
    assert_eq!(desk.events(&desk.run)[..events].len(), events);
}

#[test]
fn an_unfinished_run_goes_on_and_says_so() {
    let bench = Bench::new();
    bench.copy("prd-en.md");
    assert_eq!(bench.run(&["review", "prd-en.md"]).code, 3);
    let mut desk = Desk { bench, run: String::new() };
    desk.run = desk.runs().remove(0);
    let mut window = desk.window(&["open", &desk.run]);
    window.wait("This run was not finished: it goes on here");
    window.send("q\r");
    assert_eq!(window.exit().exit_code(), 3);
    assert!(window.raw_text().contains(&format!("tamis resume {}", desk.run)));

    let mut second = desk.window(&["review", "prd-en.md"]);
    second.wait(&format!("tamis resume {}", desk.run));
    second.send("q\r");
    assert_eq!(second.exit().exit_code(), 3);
}

#[test]
fn the_target_that_somebody_changed_meanwhile_stays_as_it_is() {
    let desk = Desk::new();
    let mut window = desk.window(&["open", &desk.run]);
    window.wait(NOTHING_CHANGED);
    accept(&mut window, 1);
    let edited = desk.findings() + "# by hand\n";
    desk.bench.write(FINDINGS, &edited);
    window.send("w");
    window.wait("►Report");
    window.send("w");
    window.wait("has changed since this run read it and stays as it is");
    assert_eq!(desk.findings(), edited);
    back(&mut window, "has changed since");
    window.send("q");
    assert_eq!(window.exit().exit_code(), 7);
    assert_eq!(desk.findings(), edited);
}

#[test]
fn a_file_that_a_person_edited_is_decided_on_by_a_run_of_its_own() {
    let desk = Desk::new();
    let edited = desk.findings().replacen("    auto_fixable:", "    my_note: ask Bình\n    auto_fixable:", 1);
    desk.bench.write(FINDINGS, &edited);
    let mut window = desk.window(&["open", FINDINGS]);
    window.wait(NOTHING_CHANGED);
    window.wait("► F001");
    assert_eq!(desk.runs().len(), 1, "no run before the first decision");
    accept(&mut window, 1);
    let revision = desk.runs().remove(0);
    assert!(desk.listing().lines().next().expect("a run").contains("running"), "{}", desk.listing());
    write_and_leave(&mut window);
    let after = desk.findings();
    assert!(after.contains("my_note: ask Bình"), "a person's own field stays");
    assert_eq!(after.matches("status: accepted").count(), edited.matches("status: accepted").count() + 1);
    let line = desk.listing().lines().next().expect("a run").to_owned();
    assert!(line.starts_with(&revision) && line.contains("finished") && line.contains(FINDINGS), "{line}");

    // Opened again it is that run, with all that was decided.
    let mut again = desk.window(&["open", FINDINGS]);
    again.wait("Written: prd-en.findings.yaml");
    again.send("q");
    assert_eq!(again.exit().exit_code(), 0);
    assert_eq!(desk.runs().len(), 2);

    // And it can be taken up without a terminal like any other.
    let resumed = desk.bench.run(&["resume", &revision, "--headless"]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(desk.findings().contains("my_note: ask Bình"));
}

#[test]
fn a_killed_window_leaves_what_was_typed_to_the_next_one() {
    let desk = Desk::new();
    desk.bench.write(FINDINGS, &(desk.findings() + "# by hand\n"));
    let mut window = desk.window(&["open", FINDINGS]);
    window.wait("► F001");
    accept(&mut window, 1);
    let run = desk.runs().remove(0);
    let (mut follower, _) = Follower::begin(&desk.folder(&run)).expect("followed");
    window.send("e");
    window.wait("Words to apply");
    window.send("Ghi rõ ai trả phí");
    loop {
        let news = follower.wait().expect("news");
        let drafts = news.events.iter().filter_map(|event| event.body.read::<GateRecord>().ok());
        if drafts.into_iter().any(|record| matches!(record.op, Op::Draft { text, .. } if text.ends_with("Ghi rõ ai trả phí")))
        {
            break;
        }
    }
    let killed = std::process::Command::new("kill").args(["-9", &window.pid().to_string()]).status().expect("kill");
    assert!(killed.success());
    window.exit();
    assert!(desk.listing().lines().next().expect("a run").contains("open"), "{}", desk.listing());

    let mut next = desk.window(&["open", FINDINGS]);
    next.wait("Decisions on this file were begun and not written");
    assert_eq!(desk.runs().len(), 2, "the same run goes on");
    next.send("\x1b[15~");
    next.wait("► F001");
    next.send("jj");
    next.wait("► F003");
    next.send("e");
    next.wait("Ghi rõ ai trả phí");
}

#[test]
fn a_second_window_only_shows_and_follows_the_first() {
    let desk = Desk::new();
    let mut first = desk.window(&["open", &desk.run]);
    first.wait(NOTHING_CHANGED);
    accept(&mut first, 1);
    // Takes the acceptance back, and what put the question off.
    first.send("uu");
    first.wait("Questions 0/2");
    let (redo, undo) = ("\x12", "u");
    for (command, key, shown) in [("open", redo, "Questions 1/2"), ("resume", undo, "Questions 0/2")] {
        let events = desk.events(&desk.run).len();
        let mut second = desk.window(&[command, &desk.run]);
        second.wait("read-only");
        second.wait("carries this run");
        second.send("\x1b[15~");
        second.wait("► F001");
        second.send("jj");
        second.wait("► F003");
        second.send("a");
        second.wait("this window is read-only");
        assert_eq!(desk.events(&desk.run).len(), events, "nothing is recorded from here");
        first.send(key);
        second.wait(shown);
        second.wait("► F003");
        second.send("q");
        let code = if command == "open" { 0 } else { 5 };
        assert_eq!(second.exit().exit_code(), code);
    }
    let headless = desk.bench.run(&["resume", &desk.run, "--headless"]);
    assert_eq!(headless.code, 5, "{headless:?}");

    let mut watching = desk.window(&["open", &desk.run]);
    watching.wait("carries this run");
    first.send("q\r");
    first.exit();
    watching.wait(&format!("tamis resume {}", desk.run));
}

#[test]
fn a_run_whose_document_has_changed_is_shown_and_its_file_can_still_be_decided_on() {
    let desk = Desk::new();
    let document = fs::read_to_string(desk.bench.path("prd-en.md")).expect("a document");
    desk.bench.write("prd-en.md", &(document + "\nOne line more.\n"));
    let mut run = desk.window(&["open", &desk.run]);
    run.wait("Read-only: ");
    run.wait("prd-en.md has changed since run");
    run.send("\x1b[15~");
    run.wait("► F001");
    run.send("a");
    run.wait("this window is read-only");
    run.send("q");
    assert_eq!(run.exit().exit_code(), 0);

    let mut file = desk.window(&["open", FINDINGS]);
    file.wait("► F001");
    file.send("@");
    file.wait("Text moved or changed: prd-en.md is not as it was reviewed");
    back(&mut file, "Text moved");
    accept(&mut file, 1);
    write_and_leave(&mut file);
    assert!(desk.findings().contains("status: accepted"));
}

#[test]
fn a_file_under_a_recipe_that_is_not_there_is_only_shown() {
    let desk = Desk::new();
    desk.bench.write(FINDINGS, &desk.findings().replace("  recipe: refine-prd\n", "  recipe: house-rules\n"));
    fs::remove_file(desk.bench.path("prd-en.md")).expect("removed");
    let mut window = desk.window(&["open", FINDINGS]);
    window.wait("Read-only: no recipe is named");
    window.send("@");
    window.wait("prd-en.md is not here");
    back(&mut window, "is not here");
    window.send("a");
    window.wait("this window is read-only");
    window.send("q");
    assert_eq!(window.exit().exit_code(), 0);
    assert_eq!(desk.runs().len(), 1);
}
