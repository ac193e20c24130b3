//! Text areas: drafts that survive, saving that is seen, failures that lose nothing, the caret at every size.

use crate::stage::{SIZES, Stage, example, key};
use crate::torn::{chinese, frames, vietnamese};
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::tui::message::{Cmd, Msg, Now};
use tamis::tui::model::{Layer, Level, SETTLE};
use tamis::tui::port::{Input, Wish};
use tamis::tui::screens;
use tamis::tui::update::update;

fn typed(stage: &Stage) -> String {
    match stage.model.layers.last() {
        Some(Layer::Entry(entry)) => entry.field.text(),
        _ => panic!("no text area is open"),
    }
}

fn drafts(stage: &Stage) -> Vec<String> {
    stage.model.decided.drafts.values().cloned().collect()
}

/// Presses a key without an engine behind it: what is wished stays a wish.
fn press(stage: &mut Stage, name: &str) -> Vec<Op> {
    let now = Now { ms: stage.ms + 100, wall: 0 };
    let cmds = update(&mut stage.model, Msg::Key(key(name)), now);
    cmds.into_iter().filter_map(|cmd| if let Cmd::Wish(Wish::Record(op)) = cmd { Some(op) } else { None }).collect()
}

#[test]
fn a_draft_outlives_esc_and_says_that_it_is_one() {
    let mut stage = Stage::settling();
    stage.keys("d").types("Not before").keys("esc");
    assert!(stage.model.layers.is_empty() && stage.ops().is_empty());
    assert_eq!(drafts(&stage), ["Not before"]);
    let screen = stage.screen((80, 24));
    assert!(screen.contains("Kept as a draft") && screen.contains("\"Why is it put off?\" has a draft; d opens it"), "{screen}");
    stage.keys("d");
    assert_eq!(typed(&stage), "Not before");
    assert!(stage.screen((80, 24)).contains("Why is it put off? · F001 · your draft"));
    stage.types(" Monday").keys("enter");
    assert!(matches!(&stage.ops()[..], [Op::Defer { reason, .. }] if reason == "Not before Monday"));
    assert!(drafts(&stage).is_empty(), "what is given is no draft any longer");
    stage.keys("p");
    assert!(!stage.screen((80, 24)).contains("has a draft"));
}

#[test]
fn a_draft_outlives_the_process() {
    let mut stage = Stage::settling();
    stage.keys("n m").types(" And mine.").after(900);
    assert_eq!(drafts(&stage).len(), 1, "at most a second old");
    let events = stage.model.history.events().to_vec();
    let mut again = Stage::on(&example("prd-en.md"), Lang::En, events);
    again.input(Input::Desk { gate: SETTLE.to_owned() });
    again.keys("n m");
    assert!(typed(&again).ends_with("has it. And mine."));
    assert!(again.screen((80, 24)).contains("your draft"));
    // From a draft, Ctrl-T begins with the first option and comes round to the draft.
    again.keys("ctrl-t");
    assert!(again.screen((80, 24)).contains("begun with A"));
    again.keys("ctrl-t ctrl-t ctrl-t");
    assert!(typed(&again).ends_with("has it. And mine."));
}

#[test]
fn what_was_typed_is_the_draft_whatever_ctrl_t_brought_since() {
    let mut stage = Stage::settling();
    stage.keys("n m").types(" Mine.").keys("ctrl-t esc");
    assert_eq!(drafts(&stage), ["Write 14 calendar days in AC-11, as BR-04 has it. Mine."]);
    // Words that were only brought in are nobody's draft.
    let mut stage = Stage::settling();
    stage.keys("n m ctrl-t esc");
    assert!(drafts(&stage).is_empty() && !stage.screen((80, 24)).contains("draft"));
}

#[test]
fn a_draft_belongs_to_its_item_and_purpose() {
    let mut stage = Stage::settling();
    stage.keys("d").types("one").keys("esc n d");
    assert_eq!(typed(&stage), "");
    stage.types("two").keys("esc x");
    assert_eq!(typed(&stage), "");
    stage.keys("esc f4 a").types("three").keys("esc f3 d");
    assert_eq!(typed(&stage), "two");
    assert_eq!(stage.model.decided.drafts.len(), 3);
    // Emptied, it is gone.
    stage.keys("backspace backspace backspace esc");
    assert_eq!(stage.model.decided.drafts.len(), 2);
}

#[test]
fn while_words_are_on_their_way_nothing_else_happens_to_them() {
    let mut stage = Stage::settling();
    stage.keys("d").types("later");
    let sent = press(&mut stage, "enter");
    assert!(matches!(&sent[..], [Op::Defer { .. }]));
    assert!(stage.screen((80, 24)).contains("Why is it put off? · saving · F001"));
    for name in ["enter", "x", "esc", "ctrl-t", "backspace", "ctrl-e", "ctrl-j"] {
        assert!(press(&mut stage, name).is_empty(), "{name}");
        assert_eq!(typed(&stage), "later", "{name}");
    }
    assert!(!stage.screen((80, 24)).contains("Saved"), "only what is on the disk is called saved");
}

#[test]
fn what_cannot_be_saved_stays_to_be_saved_again() {
    let mut stage = Stage::settling();
    stage.keys("d").types("later");
    let sent = press(&mut stage, "enter");
    let op = Box::new(sent[0].clone());
    stage.input(Input::Unsaved { op, why: "No space left on the device; free some and save again.".to_owned() });
    assert_eq!(typed(&stage), "later");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("✗ No space left on the device") && !screen.contains("saving"), "{screen}");
    assert_eq!(stage.model.message.as_ref().map(|message| message.level), Some(Level::Error));
    // The disk has room again: the draft is kept, and the second try is the decision.
    stage.after(1_000);
    assert_eq!(drafts(&stage), ["later"]);
    stage.keys("enter");
    assert!(matches!(&stage.ops()[..], [Op::Defer { reason, .. }] if reason == "later"));
    assert!(stage.model.layers.is_empty() && drafts(&stage).is_empty());
}

#[test]
fn an_area_that_was_left_while_saving_leaves_no_draft_behind() {
    let mut stage = Stage::settling();
    stage.keys("o").types("Own words");
    let sent = press(&mut stage, "enter");
    stage.keys("ctrl-c");
    assert!(stage.model.layers.is_empty());
    let record = tamis::model::gate::GateRecord { op: sent[0].clone(), by: "An".into(), at: "2026-01-02T03:04:05.000Z".into() };
    let body = tamis::model::event::Body::of(&record).expect("a body");
    stage.event(tamis::model::event::Kind::GateRecord, SETTLE, body);
    assert!(drafts(&stage).is_empty(), "{:?}", drafts(&stage));
    assert_eq!(stage.model.decided.open.conflicts.len(), 2);
}

#[test]
fn the_caret_is_seen_and_the_context_stays_at_every_size() {
    for open in ["m", "o", "d", "x", "f4 a", "f4 o", "f4 d"] {
        let mut stage = Stage::settling();
        stage.keys(open);
        let is_line = matches!(stage.model.layers.last(), Some(Layer::Entry(entry)) if entry.purpose.lines() == tamis::tui::field::Lines::One);
        for round in 0..10 {
            stage.types("từ 退 ");
            if round % 5 == 0 && !is_line {
                stage.keys("ctrl-j");
            }
            for (width, height) in SIZES.into_iter().chain([(40, 11), (57, 15), (57, 16), (99, 17)]) {
                let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, width, height));
                let caret = screens::draw(&stage.model, &mut buffer).caret.expect("a caret");
                assert!(caret.x < width && caret.y >= 5 && caret.y < height - 2, "{open} {round} {caret:?} at {width}x{height}");
            }
        }
        let text = stage.screen((40, 10));
        let head = text.lines().nth(2).expect("a head");
        assert!(head.starts_with("1/") || head.starts_with("2/"), "what it is about stays above: {text}");
    }
}

#[test]
fn a_title_says_what_the_words_are_for() {
    let mut stage = Stage::settling();
    let mut title = |keys: &str, wanted: &str| {
        stage.keys(keys);
        let screen = stage.screen((120, 40));
        assert!(screen.contains(wanted), "{wanted} in\n{screen}");
        stage.keys("esc");
    };
    title("m", "Words to apply · F001 · begun with A");
    title("o", "Words to apply · F001");
    title("d", "Why is it put off? · F001");
    title("x", "Why is it rejected? (may stay empty) · F001");
    title("f4 p a", "Answer · F002 · What is the highest weight");
    title("o", "Who is to answer? · F002 · What is");
    title("d", "Why is the question put off? · F002 · What is");
    title("f5 space space x", "Why is it rejected? (may stay empty) · 2 findings");
}

#[test]
fn an_open_area() {
    insta::assert_snapshot!(frames(Stage::settling().keys("n m").types(" And tell the recipient.")));
}

#[test]
fn a_long_text_in_an_area() {
    let mut stage = Stage::settling();
    stage.keys("d");
    let lines: Vec<String> = (1..=30).map(|line| format!("line {line} of many")).collect();
    stage.msg(Msg::Paste(lines.join("\r\n")));
    insta::assert_snapshot!(frames(&mut stage));
}

#[test]
fn an_open_area_in_vietnamese() {
    insta::assert_snapshot!(frames(vietnamese().keys("f4 a").types("Chậm nhất 14 ngày")));
}

#[test]
fn an_open_area_in_chinese() {
    insta::assert_snapshot!(frames(chinese().keys("f3 m ctrl-t").types("并通知收件人。")));
}
