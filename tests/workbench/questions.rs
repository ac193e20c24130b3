//! Questions: every key, what holds up writing and what may stay open, and the screen at all sizes.

use crate::stage::Stage;
use crate::torn::{chinese, frames, vietnamese, waiting};
use tamis::model::finding::Question;
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::tui::commands;
use tamis::tui::model::Screen;

fn asking() -> Stage {
    let mut stage = Stage::settling();
    // The first question of all; the screen begins with the first that holds up writing.
    stage.keys("f4 p");
    stage
}

fn question(stage: &Stage) -> Question {
    stage.model.current_question().expect("a question").1.clone()
}

fn said(stage: &Stage) -> String {
    stage.model.message.as_ref().expect("a message").text.clone()
}

#[test]
fn the_screen_begins_with_a_question_that_holds_up_writing() {
    let mut stage = Stage::settling();
    stage.keys("f4");
    assert!(question(&stage).blocks_writing());
}

#[test]
fn every_question_is_reached_and_the_policy_ones_are_marked() {
    let mut stage = asking();
    let all = stage.model.decided.questions.len();
    let mut keys = Vec::new();
    for _ in 0..all {
        let screen = stage.screen((120, 40));
        let head = screen.lines().nth(2).expect("a head").to_owned();
        assert!(head.starts_with(&format!("{}/{all} · 7 open, 5 hold up writing · ", stage.model.question + 1)), "{head}");
        let question = question(&stage);
        assert_eq!(head.contains("(only a person answers)"), question.policy.is_some(), "{head}");
        assert_eq!(screen.contains("writing waits until you answer it"), question.policy.is_some());
        assert_eq!(screen.contains("may stay open: it is then written out unanswered"), question.policy.is_none());
        keys.push(question.key);
        stage.keys("n");
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

#[test]
fn an_answer_is_saved_and_leads_to_what_still_blocks() {
    let mut stage = asking();
    assert!(question(&stage).policy.is_none());
    stage.keys("enter").types("30 kg").keys("enter");
    assert!(matches!(&stage.ops()[..], [Op::Answer { answer, .. }] if answer == "30 kg"));
    assert!(question(&stage).blocks_writing(), "the next one that holds up writing");
    assert_eq!(said(&stage), "Saved: answer to F002 · 5 policy questions left");
    stage.keys("p");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("✓ answered · An · 2026-01-02 03:04 UTC") && screen.contains("Answer: 30 kg"), "{screen}");
    // Again: the area begins with the answer that stands.
    stage.keys("a");
    assert!(stage.screen((80, 24)).contains("30 kg"));
    stage.keys("esc C");
    assert!(question(&stage).is_open());
    assert_eq!(said(&stage), "Saved: question of F002 open again");
}

#[test]
fn owners_and_reasons_are_kept_beside_the_question() {
    let mut stage = asking();
    stage.keys("! n").keys("f4 o").types("Ines Okafor").keys("enter");
    assert!(stage.screen((80, 24)).contains("Who is to answer: Ines Okafor"));
    stage.keys("d enter");
    assert_eq!(said(&stage), "This needs words.");
    stage.types("Ines is back on Monday").keys("enter");
    assert!(matches!(stage.ops().last(), Some(Op::DeferQuestion { .. })));
    while question(&stage).deferred.is_none() {
        stage.keys("n");
    }
    let screen = stage.screen((80, 24));
    assert!(screen.contains("→ put off · An · 2026-01-02 03:04 UTC"), "{screen}");
    assert!(screen.contains("Put off because: Ines is back on Monday"), "{screen}");
    assert!(screen.contains("Who is to answer: Ines Okafor"), "{screen}");
}

#[test]
fn writing_goes_on_with_ordinary_questions_open_and_says_so() {
    let mut stage = asking();
    stage.keys("f3 a a a !");
    assert_eq!(stage.model.screen, Screen::Questions);
    while !stage.model.decided.open.policy.is_empty() {
        assert!(question(&stage).blocks_writing());
        stage.keys("a").types("No").keys("enter");
    }
    assert_eq!(said(&stage), "Saved: answer to F026 · 2 questions may stay open, w shows the report");
    stage.keys("d").types("later").keys("enter d").types("later").keys("enter");
    assert_eq!(said(&stage).split(" · ").last(), Some("nothing is open, w shows the report"));
}

#[test]
fn a_policy_question_has_no_default_and_no_bulk_answer() {
    let mut stage = asking();
    while question(&stage).policy.is_none() {
        stage.keys("n");
    }
    stage.keys("a");
    let Some(tamis::tui::model::Layer::Entry(entry)) = stage.model.layers.last() else { panic!("an area") };
    assert!(entry.field.is_empty() && entry.others.is_empty());
    stage.keys("ctrl-t enter esc");
    assert!(stage.ops().is_empty());
    // Marked findings do not matter here: one question, one answer.
    stage.keys("f5 * f4 a").types("Yes").keys("enter");
    assert!(matches!(&stage.ops()[..], [Op::Answer { .. }]));
    let mut answers = commands::COMMANDS.iter().filter(|command| command.action == commands::Action::Answer);
    assert!(answers.all(|command| command.place == commands::Place::Questions));
}

#[test]
fn taking_back_leads_to_the_question() {
    let mut stage = asking();
    let first = question(&stage).key;
    stage.keys("a").types("30 kg").keys("enter o").types("Lan").keys("enter u");
    assert!(said(&stage).starts_with("Taken back: owner of the question of F0"));
    assert_ne!(question(&stage).key, first);
    stage.keys("u");
    assert_eq!((said(&stage).as_str(), question(&stage).key), ("Taken back: answer to F002", first));
    stage.keys("ctrl-r");
    assert_eq!(question(&stage).answer.as_deref(), Some("30 kg"));
}

#[test]
fn without_questions_the_screen_says_where_to_go() {
    let mut stage = waiting("# Shop\n\n## Rules\n- BR-01: One.\n", "", Lang::En);
    stage.keys("f4");
    assert!(said(&stage).contains("there is no question"));
    stage.model.screen = Screen::Questions;
    assert!(stage.screen((40, 10)).contains("F3 shows"));
}

#[test]
fn a_policy_question() {
    let mut stage = asking();
    while question(&stage).policy.is_none() {
        stage.keys("n");
    }
    insta::assert_snapshot!(frames(&mut stage));
}

#[test]
fn an_answered_question() {
    insta::assert_snapshot!(frames(asking().keys("a").types("At most 30 kg, says the maker.").keys("enter p")));
}

#[test]
fn a_question_in_vietnamese() {
    insta::assert_snapshot!(frames(vietnamese().keys("f4")));
}

#[test]
fn a_question_in_chinese() {
    insta::assert_snapshot!(frames(chinese().keys("f4")));
}
