//! Report: what will be written, what holds it up, and what became of it.

use crate::stage::{SIZES, Stage};
use tamis::model::event::Kind;
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::text::Catalogue;
use tamis::tui::message::Cmd;
use tamis::tui::model::Screen;
use tamis::tui::port::{Ended, Input, Preview, Wish};

fn wishes(stage: &Stage) -> Vec<Wish> {
    let wish = |cmd: &Cmd| match cmd {
        Cmd::Wish(wish) => Some(wish.clone()),
        _ => None,
    };
    stage.cmds.iter().filter_map(wish).collect()
}

fn closes(stage: &Stage) -> usize {
    wishes(stage).iter().filter(|wish| **wish == Wish::Close).count()
}

/// All conflicts and policy questions put off, one by one.
fn settled() -> Stage {
    let mut stage = Stage::settling();
    stage.keys("f3");
    while !stage.model.decided.open.conflicts.is_empty() {
        stage.keys("d").types("later").keys("enter");
    }
    stage.keys("f6 enter");
    while !stage.model.decided.open.policy.is_empty() {
        stage.keys("d").types("later").keys("enter");
    }
    stage.keys("f6");
    stage
}

const THERE: &str = "schema: tamis.findings/1\nfindings:\n  - id: F001\n    status: pending\n  - id: F002\n    status: pending\n";
const TEXT: &str = "schema: tamis.findings/1\nfindings:\n  - id: F001\n    status: accepted\n  - id: F002\n    status: pending\n";

fn preview(there: Option<&str>) -> Input {
    let (path, there) = ("prd.findings.yaml".to_owned(), there.map(str::to_owned));
    Input::Preview(Preview { path, there, text: TEXT.to_owned(), ..Preview::default() })
}

fn failed() -> Input {
    let fault =
        Some(("prd.findings.yaml was not written by tamis and stays as it is".to_owned(), "resume with --overwrite".to_owned()));
    Input::Ended(Ended { summary: Vec::new(), written: None, fault })
}

#[test]
fn nothing_is_written_while_something_is_open_and_the_key_leads_there() {
    let mut stage = Stage::settling();
    stage.keys("f5 w");
    assert_eq!((stage.model.screen, closes(&stage)), (Screen::Report, 0), "elsewhere w only leads here");
    stage.keys("w");
    assert_eq!((stage.model.screen, closes(&stage)), (Screen::Decide, 0));
    assert!(stage.screen((80, 24)).contains("Not yet: this is still open"));
    // Enter goes to the one under the cursor.
    let conflicts = stage.model.decided.conflicts.len();
    stage.keys("f6 j enter");
    assert_eq!((stage.model.screen, stage.model.conflict), (Screen::Decide, 1));
    stage.keys("f6");
    for _ in 1..conflicts {
        stage.keys("j");
    }
    stage.keys("enter");
    assert_eq!(stage.model.screen, Screen::Questions);
    let (_, question) = stage.model.current_question().expect("a question");
    assert!(question.blocks_writing(), "policy questions stand before the others");
}

#[test]
fn enter_never_writes() {
    let mut stage = settled();
    stage.input(preview(None));
    stage.keys("enter");
    assert_eq!(closes(&stage), 0);
    stage.keys("f6 w");
    assert_eq!(closes(&stage), 1);
    assert!(stage.model.ended.is_some());
}

#[test]
fn what_writing_does_is_said_before_it_is_done() {
    let mut stage = settled();
    stage.input(preview(None));
    let screen = stage.screen((80, 24));
    assert!(screen.contains("Ready: w writes prd.findings.yaml") && screen.contains("There is no file yet"), "{screen}");
    stage.input(preview(Some(THERE)));
    assert!(stage.screen((80, 24)).contains("The file there is replaced: 1 line comes, 1 goes."));
    let wide = stage.screen((200, 60));
    assert!(wide.contains("4 -     status: pending") && wide.contains("4 +     status: accepted"), "{wide}");
    stage.input(preview(Some(TEXT)));
    assert!(stage.screen((80, 24)).contains("The file there says exactly this already."));
    let refusal = Some("prd.findings.yaml was not written by tamis and stays as it is".to_owned());
    stage.input(Input::Preview(Preview { path: "prd.findings.yaml".to_owned(), refusal, ..Preview::default() }));
    let screen = stage.screen((80, 24));
    assert!(screen.contains("Cannot be written") && screen.contains("--overwrite") && !screen.contains("Ready"), "{screen}");
    stage.input(Input::Preview(Preview { path: "prd.findings.yaml".to_owned(), keeps: true, ..Preview::default() }));
    assert!(stage.screen((80, 24)).contains(".bak"));
}

#[test]
fn a_decision_after_the_end_opens_the_gate_and_is_written_again() {
    let mut stage = settled();
    stage.keys("w");
    assert!(stage.model.ended.is_some() && stage.model.reopens);
    stage.keys("w");
    assert_eq!(closes(&stage), 1, "what is written is not written twice");
    stage.keys("f5 end k x enter");
    assert!(matches!(
        wishes(&stage).iter().rev().find(|wish| matches!(wish, Wish::Record(_))),
        Some(Wish::Record(Op::Reject { .. }))
    ));
    // The engine opens the gate anew.
    stage.event(Kind::RunResumed, "", serde_json::json!({ "run": "r" }).into());
    stage.event(Kind::GateReopened, "gate/settle", serde_json::json!({}).into());
    stage.input(Input::Desk { gate: "gate/settle".to_owned() });
    assert!(stage.model.ended.is_none());
    stage.keys("f6 w");
    assert_eq!(closes(&stage), 2);
}

#[test]
fn a_fault_stays_readable_and_w_tries_again() {
    let mut stage = settled();
    stage.input(Input::DeskGone).input(failed());
    for size in [(80, 24), (200, 60)] {
        let screen = stage.screen(size);
        assert!(screen.contains("Not written: prd.findings.yaml was not written by tamis"), "{screen}");
        assert!(screen.contains("press w to"), "{screen}");
    }
    stage.keys("esc f5 a");
    assert!(stage.screen((80, 24)).contains("it was not written; w on Report tries again"));
    let before = closes(&stage);
    stage.keys("f6 w");
    assert_eq!(closes(&stage), before + 1);
    // The pass goes on: the fault is told no longer.
    stage.event(Kind::RunResumed, "", serde_json::json!({ "run": "r" }).into());
    assert!(stage.model.ended.is_none());
    stage.input(failed());
    assert!(stage.screen((80, 24)).contains("Not written"));
}

#[test]
fn before_settling_there_is_nothing_to_write() {
    let mut stage = Stage::midway(60);
    stage.keys("w w");
    assert_eq!((stage.model.screen, closes(&stage)), (Screen::Report, 0));
    assert!(stage.screen((80, 24)).contains("nothing is written before the findings are"));
}

#[test]
fn the_report_is_copied_in_plain_words() {
    let mut stage = settled();
    stage.keys("w y");
    let copied = stage.cmds.iter().find_map(|cmd| match cmd {
        Cmd::Copy(text) => Some(text.clone()),
        _ => None,
    });
    assert!(copied.expect("copied").starts_with("✓ Written: prd.findings.yaml\n"));
}

#[test]
fn a_long_difference_is_scrolled_to_its_end() {
    let mut stage = settled();
    let text: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    stage.input(Input::Preview(Preview { path: "prd.findings.yaml".to_owned(), text, ..Preview::default() }));
    stage.keys("end");
    // What each agent took stands below the difference.
    assert!(stage.screen((80, 24)).contains("tokens in") && !stage.screen((80, 24)).contains("line 19999"));
    let pages = (1..=5).find(|_| stage.keys("pageup").screen((80, 24)).contains("line 19999"));
    assert!(pages.is_some(), "{}", stage.screen((80, 24)));
    stage.keys("home");
    assert!(stage.screen((80, 24)).contains("28 findings"));
}

#[test]
fn every_size_is_drawn() {
    let mut open = Stage::settling();
    open.keys("f6").input(preview(Some(THERE)));
    let mut ready = settled();
    ready.input(preview(Some(THERE)));
    let mut fault = settled();
    fault.input(Input::DeskGone).input(failed());
    for stage in [&mut open, &mut ready, &mut fault] {
        for width in [0, 1, 39, 40, 60, 119, 120, 121, 200] {
            for height in (0..20).chain([39, 60]) {
                stage.screen((width, height));
            }
        }
    }
}

#[test]
fn pictures() {
    let mut open = Stage::settling();
    open.keys("f6").input(preview(None));
    let mut ready = settled();
    ready.input(preview(Some(THERE)));
    let mut written = settled();
    written.keys("w");
    let mut fault = settled();
    fault.input(Input::DeskGone).input(failed());
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("report_open_{width}x{height}"), open.screen((width, height)));
        insta::assert_snapshot!(format!("report_ready_{width}x{height}"), ready.screen((width, height)));
        insta::assert_snapshot!(format!("report_written_{width}x{height}"), written.screen((width, height)));
        insta::assert_snapshot!(format!("report_fault_{width}x{height}"), fault.screen((width, height)));
    }
    for (lang, name) in [(Lang::Vi, "vi"), (Lang::Zh, "zh")] {
        open.model.words = Catalogue::new(lang);
        ready.model.words = Catalogue::new(lang);
        insta::assert_snapshot!(format!("report_open_{name}_80x24"), open.screen((80, 24)));
        insta::assert_snapshot!(format!("report_ready_{name}_120x40"), ready.screen((120, 40)));
    }
}
