//! The way of a newcomer: from the first conflict to the written file.

use crate::stage::Stage;
use tamis::model::gate::Op;
use tamis::tui::message::Cmd;
use tamis::tui::model::Screen;
use tamis::tui::port::Wish;

#[test]
fn conflicts_and_policy_questions_are_settled_and_the_file_is_written() {
    let mut stage = Stage::settling();
    assert_eq!(stage.model.screen, Screen::Decide);
    let conflicts = stage.model.decided.conflicts.len();
    assert!(conflicts > 0);
    for _ in 0..conflicts {
        stage.keys("a");
    }
    assert!(stage.model.decided.open.conflicts.is_empty());
    // Writing is refused while a policy question is open, and leads to it.
    stage.keys("w w");
    assert_eq!(stage.model.screen, Screen::Questions);
    while !stage.model.decided.open.policy.is_empty() {
        stage.keys("a").types("No").keys("enter");
    }
    stage.keys("w w");
    assert!(stage.cmds.contains(&Cmd::Wish(Wish::Close)));
    assert!(stage.model.ended.is_some());
    assert!(stage.ops().iter().all(|op| matches!(op, Op::Choose { .. } | Op::Answer { .. })));
}

#[test]
fn keys_pressed_while_a_decision_is_on_its_way_are_meant_for_what_comes_after_it() {
    let mut stage = Stage::settling();
    let first = stage.model.current_conflict().expect("a conflict").key.clone();
    stage.holds_records(true);
    stage.keys("b a");
    assert_eq!(stage.ops(), []);
    stage.holds_records(false);
    let ops = stage.ops();
    assert!(matches!(&ops[0], Op::Choose { finding, label, .. } if *finding == first && label == "B"), "{ops:?}");
    assert!(matches!(&ops[1], Op::Choose { finding, label, .. } if *finding != first && label == "A"), "{ops:?}");
}

#[test]
fn after_a_write_that_failed_deciding_and_undoing_go_on() {
    let mut stage = Stage::settling();
    while !stage.model.decided.open.conflicts.is_empty() {
        stage.keys("a");
    }
    stage.keys("f4");
    while !stage.model.decided.open.policy.is_empty() {
        stage.keys("a").types("No").keys("enter");
    }
    stage.ending.fault = Some(("prd.findings.yaml has changed".to_owned(), "move it away".to_owned()));
    stage.keys("w w");
    assert!(stage.model.ended.as_ref().is_some_and(|ended| ended.fault.is_some()));
    let before = stage.ops().len();
    stage.keys("f5 x enter");
    assert_eq!(stage.ops().len(), before + 1, "{:?}", stage.model.message);
}

#[test]
fn leaving_with_decisions_that_are_not_in_the_file_says_so() {
    let mut stage = Stage::settling();
    assert_eq!(stage.model.written_before(), None);
    let written = serde_json::json!({ "answer": { "path": "prd.findings.yaml", "hash": "" } });
    stage.event(tamis::model::event::Kind::StepDone, "write/findings", written.into());
    stage.keys("esc q");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("not in prd.findings.yaml yet"), "{screen}");
}
