//! Questions that a person carries to a chat: shown, copied, written to a file, answered, and asked once more.

use crate::stage::{SIZES, Stage, events_of, example};
use serde_json::json;
use tamis::model::event::{Event, Kind};
use tamis::model::lang::Lang;
use tamis::model::plan::{Plan, cell_key};
use tamis::tui::message::{Cmd, Msg};
use tamis::tui::model::SETTLE;
use tamis::tui::port::{Input, Wish};

const QUESTION: &str = "# Your task: one dimension\n\nRead lines 1 to 40 of the document.\n";

/// A run whose first two agents wait for a person, and their keys.
fn waiting(document: &str, lang: Lang) -> (Stage, Vec<String>) {
    let events = events_of(document, "", &[SETTLE]);
    let at = |event: &Event| Event { at: "2026-01-02T03:04:05.000Z".to_owned(), ..event.clone() };
    let plan = events.iter().find(|event| event.kind == Kind::Fixed && event.key == "plan").expect("a plan");
    let body: Plan = plan.body.read().expect("a plan");
    let mut stage = Stage::on(document, lang, vec![at(&events[0]), at(plan)]);
    let keys: Vec<String> = body.cells.iter().map(|cell| cell_key(&body, cell).0).take(2).collect();
    for key in &keys {
        let started = json!({ "agent": "paste", "label": key.split('@').next(), "dimension": "", "scopes": [] });
        stage.event(Kind::StepStarted, key, started.into());
        asks(&mut stage, key, QUESTION, "");
    }
    (stage, keys)
}

fn asks(stage: &mut Stage, key: &str, text: &str, about: &str) {
    stage.input(Input::Errand { step: key.to_owned(), text: text.to_owned(), about: about.to_owned() });
}

fn brought(stage: &Stage) -> Vec<(String, String)> {
    let wishes = stage.cmds.iter().filter_map(|cmd| match cmd {
        Cmd::Wish(Wish::Bring { step, text }) => Some((step.clone(), text.clone())),
        _ => None,
    });
    wishes.collect()
}

#[test]
fn the_screens_look_like_this() {
    for (name, lang, size) in [
        ("prd-en.md", Lang::En, SIZES[0]),
        ("prd-en.md", Lang::En, SIZES[1]),
        ("prd-vi.md", Lang::Vi, SIZES[1]),
        ("prd-zh.md", Lang::Zh, SIZES[1]),
        ("prd-en.md", Lang::En, SIZES[3]),
    ] {
        let (mut stage, _) = waiting(&example(name), lang);
        stage.size = size;
        let list = stage.screen(size);
        stage.keys("enter");
        let question = stage.screen(size);
        stage.keys("b");
        stage.msg(Msg::Paste("Here is what I found:\n{\"findings\": []}".to_owned()));
        let answer = stage.screen(size);
        let (width, height) = size;
        insta::assert_snapshot!(format!("errands-{}-{width}x{height}", lang.code()), format!("{list}\n{question}\n{answer}"));
    }
}

#[test]
fn a_question_is_copied_or_written_to_a_file_whole() {
    let (mut stage, _) = waiting(&example("prd-en.md"), Lang::En);
    stage.keys("y Y enter y");
    let copies = stage.cmds.iter().filter(|cmd| matches!(cmd, Cmd::Copy(text) if text == QUESTION)).count();
    let files = stage.cmds.iter().filter(|cmd| matches!(cmd, Cmd::ToFile(text) if text == QUESTION)).count();
    assert_eq!((copies, files), (2, 1));
}

#[test]
fn an_answer_of_ten_thousand_lines_triggers_no_key_and_goes_whole() {
    let (mut stage, keys) = waiting(&example("prd-en.md"), Lang::En);
    let answer: String = (0..10_000).map(|n| format!("q x H {n} \u{1b}[201~ b\n")).collect();
    stage.keys("b");
    stage.msg(Msg::Paste(answer));
    assert!(brought(&stage).is_empty() && !stage.cmds.contains(&Cmd::Quit));
    stage.after(1_000);
    stage.keys("enter");
    let brought = brought(&stage);
    assert_eq!((brought.len(), &brought[0].0), (1, &keys[0]));
    assert!(brought[0].1.contains("q x H 9999") && !brought[0].1.contains('\u{1b}'), "{}", &brought[0].1[..100]);
    assert_eq!(stage.model.errands.keys().collect::<Vec<_>>(), [&keys[1]]);
}

#[test]
fn what_is_typed_stays_when_the_area_is_left() {
    let (mut stage, _) = waiting(&example("prd-en.md"), Lang::En);
    stage.keys("b enter");
    assert!(brought(&stage).is_empty(), "nothing is no answer");
    stage.types("half an answer").keys("esc");
    assert!(stage.model.layers.is_empty() && brought(&stage).is_empty());
    stage.keys("b");
    assert!(stage.screen((80, 24)).contains("half an answer"));
    stage.keys("enter");
    assert_eq!(brought(&stage)[0].1, "half an answer");
}

#[test]
fn an_answer_that_is_not_whole_is_asked_for_again_with_why() {
    let (mut stage, keys) = waiting(&example("prd-en.md"), Lang::En);
    stage.keys("b").types("nothing").keys("enter");
    asks(&mut stage, &keys[0], "the whole talk", "There was no list in it.\nGive it once more.");
    let told = stage.model.message.as_ref().expect("a line").text.clone();
    assert!(told.contains("There was no list in it."), "{told}");
    stage.keys("y");
    assert!(stage.cmds.contains(&Cmd::Copy("the whole talk".to_owned())));
    // One that nobody waits for any more takes no answer.
    stage.keys("b").types("late");
    stage.input(Input::ErrandGone { step: keys[0].clone() });
    stage.keys("enter");
    assert_eq!(brought(&stage).len(), 1);
    let told = stage.model.message.as_ref().expect("a line").text.clone();
    assert!(told.contains("nobody waits"), "{told}");
}

#[test]
fn without_a_question_there_is_nothing_to_bring_and_the_next_one_is_where_a_person_is_needed() {
    let (mut stage, keys) = waiting(&example("prd-en.md"), Lang::En);
    stage.keys("f5 !");
    assert_eq!(stage.model.current_agent(), Some(keys[0].clone()));
    for key in &keys {
        stage.input(Input::ErrandGone { step: key.clone() });
    }
    stage.keys("b");
    assert!(stage.model.layers.is_empty());
}
