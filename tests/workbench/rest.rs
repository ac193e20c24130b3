//! Windows at rest and windows that only show.

use crate::stage::{SIZES, Stage, council, events_of, example};
use tamis::model::event::{Body, Kind};
use tamis::model::gate::{GateRecord, Op};
use tamis::model::lang::Lang;
use tamis::tui::message::Cmd;
use tamis::tui::model::Screen;
use tamis::tui::port::{Access, Ended, Input, Wish};
use tamis::tui::update::wake_at;

/// The bundled council as far as the first event that `until` holds for, its process gone.
fn left(until: impl Fn(&Kind, &str) -> bool) -> Stage {
    let document = example("prd-en.md");
    let events = events_of(&document, &council("council.yaml"), &["gate/settle"]);
    let end = events.iter().position(|event| until(&event.kind, &event.key)).expect("such an event");
    Stage::on(&document, Lang::En, events[..=end].to_vec())
}

fn gone() -> Input {
    let fault = Some(("Nobody carries this run any more".to_owned(), String::new()));
    Input::Ended(Ended { summary: Vec::new(), written: None, fault })
}

#[test]
fn at_rest_nothing_ticks_and_the_first_decision_is_wished() {
    let mut stage = left(|kind, key| *kind == Kind::Fixed && key == "settle");
    stage.model.rests(None);
    assert_eq!((stage.model.screen, wake_at(&stage.model)), (Screen::Findings, None));
    assert!(stage.model.can_decide());
    stage.keys("d").types("after the pilot").keys("enter");
    let wished = stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Wish(Wish::Record(Op::Defer { .. }))));
    assert!(wished, "{:?}", stage.cmds);
}

#[test]
fn a_finished_run_is_at_rest_on_its_report() {
    let mut stage = left(|kind, key| *kind == Kind::Fixed && key == "settle");
    let summary = vec!["Findings: 28".to_owned()];
    stage.model.rests(Some(Ended { summary, written: Some("prd.findings.yaml".to_owned()), fault: None }));
    assert_eq!(stage.model.screen, Screen::Report);
    for size in SIZES {
        assert!(stage.screen(size).contains("Findings: 28"), "{size:?}");
    }
}

#[test]
fn whoever_only_looks_stays_where_they_are_while_others_decide() {
    let mut stage = left(|kind, key| *kind == Kind::GateOpened && key == "gate/settle");
    stage.model.access = Access::ReadOnly("process 7".to_owned());
    stage.keys("f5 down down");
    let before = stage.screen((80, 24));
    let finding = stage.model.current_finding().expect("a finding").key.clone();
    let op = Op::Reject { finding: finding.clone(), reason: "no".to_owned() };
    let record = GateRecord { op, by: "Lan".to_owned(), at: "2026-01-02T03:04:05.000Z".to_owned() };
    stage.event(Kind::GateRecord, "gate/settle", Body::of(&record).expect("a body"));
    assert_eq!(stage.model.current_finding().map(|finding| finding.key.clone()), Some(finding));
    assert!(!stage.screen((80, 24)).contains("Saved"), "nothing was saved here");
    stage.keys("x");
    assert!(stage.cmds.iter().all(|cmd| !matches!(cmd, Cmd::Wish(Wish::Record(_)))), "{:?}", stage.cmds);
    assert!(stage.screen((80, 24)).contains("this window is read-only"));
    assert_eq!(before.lines().next(), stage.screen((80, 24)).lines().next(), "the header says so all along");
}

#[test]
fn the_clock_stops_where_the_carrying_process_is_gone_and_goes_on_with_the_next_one() {
    let mut stage = left(|kind, key| *kind == Kind::StepStarted && key.starts_with("review/"));
    stage.model.access = Access::ReadOnly("process 7".to_owned());
    assert!(wake_at(&stage.model).is_some(), "an agent runs");
    stage.input(gone());
    assert_eq!((wake_at(&stage.model), stage.model.screen), (None, Screen::Run));
    assert!(stage.screen((80, 24)).contains("Nobody carries this run any more"));
    let again = events_of(&example("prd-en.md"), &council("council.yaml"), &["gate/settle"]);
    let started = again.into_iter().find(|event| event.kind == Kind::StepStarted).expect("a start");
    for kind in [Kind::RunResumed, Kind::StepStarted] {
        let event = tamis::model::event::Event { kind, ..started.clone() };
        stage.input(Input::Event(Box::new(event)));
    }
    assert!(wake_at(&stage.model).is_some());
}
