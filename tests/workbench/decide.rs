//! Decide: every key, the counter, what is said after a decision, taking back, and the screen at all sizes.

use crate::stage::Stage;
use crate::torn::{Told, chinese, frames, hidden, steps, vietnamese, waiting};
use tamis::model::finding::Status;
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::tui::model::Screen;
use tamis::tui::port::{Access, Input};

fn id(stage: &Stage) -> String {
    stage.model.current_conflict().expect("a conflict").id.clone()
}

fn said(stage: &Stage) -> String {
    stage.model.message.as_ref().expect("a message").text.clone()
}

/// How each conflict stands, in order: the choice, `own`, `rejected`, `off`, or `-`.
fn standing(stage: &Stage) -> Vec<String> {
    let findings = stage.model.decided.conflicts.iter().map(|&index| &stage.model.decided.findings[index]);
    findings
        .map(|finding| match &finding.resolution {
            None => "-".to_owned(),
            Some(resolution) if resolution.deferred => "off".to_owned(),
            Some(resolution) => match (&resolution.choice, &resolution.text) {
                (Some(label), _) => label.clone(),
                (_, Some(_)) => "own".to_owned(),
                _ => "rejected".to_owned(),
            },
        })
        .collect()
}

#[test]
fn a_choice_is_saved_told_and_leads_on() {
    let mut stage = Stage::settling();
    assert_eq!(id(&stage), "F001");
    stage.keys("a");
    assert_eq!((id(&stage).as_str(), said(&stage).as_str()), ("F006", "Saved: F001 A · 2 conflicts left"));
    stage.keys("2");
    assert_eq!((id(&stage).as_str(), said(&stage).as_str()), ("F011", "Saved: F006 B · 1 conflict left"));
    // Three is no option here, and says so.
    stage.keys("c");
    assert!(said(&stage).contains("there is no such option"));
    stage.keys("b");
    assert_eq!(standing(&stage), ["A", "B", "B"]);
    assert_eq!(said(&stage), "Saved: F011 B · next: 5 policy questions (!)");
    stage.keys("!");
    assert_eq!(stage.model.screen, Screen::Questions);
}

#[test]
fn a_settled_conflict_can_be_settled_otherwise_and_opened_again() {
    let mut stage = Stage::settling();
    stage.keys("a p 3");
    assert_eq!(standing(&stage), ["C", "-", "-"]);
    assert_eq!(id(&stage), "F006");
    stage.keys("p C");
    assert_eq!(standing(&stage), ["-", "-", "-"]);
    assert_eq!((id(&stage).as_str(), said(&stage).as_str()), ("F001", "Saved: F001 undecided again"));
}

#[test]
fn the_counter_counts_what_can_be_reached() {
    let mut stage = Stage::settling();
    stage.keys("a");
    let all = stage.model.decided.conflicts.len();
    let mut seen = Vec::new();
    for _ in 0..all {
        let screen = stage.screen((120, 40));
        let head = screen.lines().nth(2).expect("a head").to_owned();
        let at = stage.model.conflict + 1;
        assert!(head.starts_with(&format!("{at}/{all} · 2 open · ")), "{head}");
        seen.push(id(&stage));
        stage.keys("n");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), all, "open and settled ones alike");
    stage.keys("p left h");
    assert_eq!(seen.len(), all);
    assert_eq!(id(&stage), "F006", "three back is where it was");
}

#[test]
fn enter_goes_to_the_next_open_one() {
    let mut stage = Stage::settling();
    stage.keys("n a");
    assert_eq!(id(&stage), "F011");
    stage.keys("enter");
    assert_eq!(id(&stage), "F001", "the settled one is passed over");
    stage.keys("enter");
    assert_eq!(id(&stage), "F011");
    stage.keys("a a enter");
    assert_eq!(stage.model.screen, Screen::Questions, "with no conflict left, to what needs somebody next");
}

#[test]
fn merged_words_begin_with_the_first_option_and_go_through_the_others() {
    let mut stage = Stage::settling();
    stage.keys("n m");
    assert!(stage.screen((80, 24)).contains("Words to apply · F006 · begun with A"));
    stage.types(" Mine.").keys("ctrl-t");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("begun with B"), "{screen}");
    assert!(screen.contains("Write 30 calendar days in BR-04"));
    stage.keys("ctrl-t");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("begun with all options"), "{screen}");
    stage.keys("ctrl-t");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("your words") && screen.contains("has it. Mine."), "what was typed comes round again: {screen}");
    stage.keys("enter");
    assert_eq!(standing(&stage), ["-", "own", "-"]);
    let words = "Write 14 calendar days in AC-11, as BR-04 has it. Mine.";
    assert!(matches!(&stage.ops()[..], [Op::Write { text, reason, .. }] if text == words && reason.is_empty()));
    assert_eq!(said(&stage), "Saved: F006 in own words · 2 conflicts left");
    stage.keys("p");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("✓ decided: own words · An · 2026-01-02 03:04 UTC"), "{screen}");
    assert!(screen.contains(&format!("Words: {words}")), "{screen}");
}

#[test]
fn own_words_begin_empty_and_need_words() {
    let mut stage = Stage::settling();
    stage.keys("o enter");
    assert!(stage.ops().is_empty());
    assert_eq!(said(&stage), "This needs words.");
    stage.types("Một cách khác").keys("enter");
    assert_eq!(standing(&stage), ["own", "-", "-"]);
}

#[test]
fn putting_off_needs_a_reason_and_rejecting_does_not() {
    let mut stage = Stage::settling();
    stage.keys("d enter");
    assert!(stage.ops().is_empty());
    stage.types("after the audit").keys("enter");
    assert_eq!(said(&stage), "Saved: F001 put off · 2 conflicts left");
    stage.keys("x enter");
    assert_eq!(standing(&stage), ["off", "rejected", "-"]);
    assert_eq!(stage.model.finding(&stage.model.decided.findings[5].key).map(|finding| finding.status), Some(Status::Rejected));
    stage.keys("p");
    assert!(stage.screen((80, 24)).contains("✗ decided: all rejected · An"));
    stage.keys("p");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("→ put off · An · 2026-01-02 03:04 UTC") && screen.contains("Put off because: after the audit"));
}

#[test]
fn a_reason_joins_the_decision_and_stays_with_it() {
    let mut stage = Stage::settling();
    stage.keys("r");
    assert!(said(&stage).contains("Nothing is decided yet"));
    stage.keys("a p r").types("as the law has it").keys("enter");
    assert_eq!(id(&stage), "F001", "who gives a reason stays to see it");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("✓ decided: A") && screen.contains("Reason: as the law has it"), "{screen}");
    assert!(
        matches!(stage.ops().last(), Some(Op::Choose { label, reason, .. }) if label == "A" && reason == "as the law has it")
    );
}

#[test]
fn taking_back_goes_over_all_screens_and_says_what() {
    let mut stage = Stage::settling();
    stage.keys("a b");
    stage.keys("f5 home down a f4 p a").types("At most 30 kg").keys("enter");
    let ordinary = stage.model.decided.findings[1].clone();
    assert_eq!((ordinary.status, ordinary.id.as_str()), (Status::Accepted, "F002"));
    stage.keys("u");
    assert_eq!(said(&stage), "Taken back: answer to F002");
    assert!(
        stage.model.decided.questions.iter().all(|&(finding, at)| stage.model.decided.findings[finding].blocked_on[at].is_open())
    );
    stage.keys("u");
    assert_eq!(said(&stage), format!("Taken back: {} accepted", ordinary.id));
    stage.keys("f3 u");
    assert_eq!((said(&stage).as_str(), id(&stage).as_str()), ("Taken back: F006 B", "F006"));
    stage.keys("u");
    assert_eq!((said(&stage).as_str(), id(&stage).as_str()), ("Taken back: F001 A", "F001"));
    stage.keys("u");
    assert!(said(&stage).contains("nothing to take back"));
    assert_eq!(standing(&stage), ["-", "-", "-"]);
    stage.keys("ctrl-r U");
    assert_eq!((said(&stage).as_str(), id(&stage).as_str()), ("Brought back: F006 B", "F006"));
    assert_eq!(standing(&stage), ["A", "B", "-"]);
    // A new decision forgets what could be brought back.
    stage.keys("u n a ctrl-r");
    assert!(said(&stage).contains("nothing to bring back"));
    assert_eq!(standing(&stage), ["A", "-", "A"]);
}

#[test]
fn a_bulk_is_taken_back_at_once() {
    let mut stage = Stage::settling();
    let pending = |stage: &Stage| stage.model.decided.findings.iter().filter(|finding| finding.status == Status::Pending).count();
    let before = pending(&stage);
    stage.keys("f5 home down space space a");
    assert_eq!(pending(&stage), before - 2);
    stage.keys("f3 u");
    assert_eq!((pending(&stage), said(&stage).as_str()), (before, "Taken back: 2 decisions at once"));
}

#[test]
fn a_window_that_only_reads_decides_nothing() {
    let mut stage = Stage::settling();
    stage.model.access = Access::ReadOnly("another".to_owned());
    for key in ["a", "m", "o", "d", "x", "r", "C", "u"] {
        stage.keys(key);
        assert!(stage.model.layers.is_empty() && stage.ops().is_empty(), "{key}");
    }
    stage.keys("n");
    assert_eq!(id(&stage), "F006", "reading goes on");
}

#[test]
fn what_the_options_rest_on_and_may_break_is_shown() {
    let mut stage = Stage::settling();
    let screen = stage.screen((80, 24));
    for line in ["►A  62 ", "►B  72 ", "►C  73 ", "may touch: BR-01 is cited in AC-10 (line 126)", "from lens DEV"] {
        assert!(screen.contains(line), "{line} in\n{screen}");
    }
    // The other side of the contradiction is shown although no option rests on it.
    stage.keys("n");
    let screen = stage.screen((120, 40));
    assert!(screen.contains("  65 - BR-04") && screen.contains("►138 - AC-11"), "{screen}");
    assert!(screen.contains("Not to be forgotten, whatever is chosen:"));
}

#[test]
fn options_stand_side_by_side_where_there_is_room_and_never_out_of_reach() {
    let mut stage = Stage::settling();
    let first = |stage: &mut Stage, width: u16| {
        let screen = stage.screen((width, 60));
        let row = screen.lines().find(|line| line.contains("[a] A")).expect("an option").to_owned();
        row.matches("] ").count()
    };
    assert_eq!([99, 100, 111, 112, 160].map(|width| first(&mut stage, width)), [1, 2, 2, 3, 3]);
    // At the smallest size everything is reached by scrolling.
    stage.size = (40, 10);
    let mut seen = String::new();
    for _ in 0..80 {
        seen.push_str(&stage.screen((40, 10)));
        stage.keys("down");
    }
    assert!(seen.contains("[c] C") && seen.contains("an hour before"), "{seen}");
    let last = stage.screen((40, 10));
    stage.keys("down down down up");
    assert_ne!(stage.screen((40, 10)), last, "scrolling stops at the end");
}

#[test]
fn one_reviewer_may_see_two_ways() {
    let document = "# Shop\n\n## Rules\n- BR-01: A basket ends after 30 minutes.\n- BR-02: As BR-01 says.\n";
    let told = Told {
        lens: "DEV",
        quote: "A basket ends after 30 minutes.",
        finding: "Two readings of the end.",
        options: &["A basket ends after 60 minutes.", "End at midnight."],
        ..Told::default()
    };
    let mut stage = waiting(document, &steps(&[told]), Lang::En);
    let screen = stage.screen((80, 24));
    assert!(screen.contains("one reviewer, 2 ways"), "{screen}");
    assert!(screen.contains("A basket ends after [-30-]{+60+} minutes."), "{screen}");
    assert!(screen.contains("►  4 - BR-01"), "{screen}");
    assert!(screen.contains("may touch: BR-01 is cited in BR-02 (line 5)"), "{screen}");
}

#[test]
fn what_was_absorbed_and_what_may_be_the_same_is_in_reach() {
    let mut stage = Stage::settling();
    let other = stage.model.decided.findings[3].clone();
    let finding = &mut stage.model.decided.findings[0];
    assert!(finding.absorbed.len() >= 2, "the sides themselves");
    finding.absorbed.push(tamis::model::finding::Absorbed {
        key: "k".into(),
        dimension: "SA".into(),
        finding: "Said once more, in other words.".into(),
        suggestion: "Do the same.".into(),
        quote: String::new(),
    });
    finding.possible_duplicate_of.push(other.key.clone());
    let screen = stage.screen((200, 60));
    assert!(screen.contains("Absorbed: 1"), "what stands in the options is not said twice: {screen}");
    assert!(screen.contains("• SA Said once more, in other words. — Do the same."), "{screen}");
    assert!(screen.contains("These may say the same:") && screen.contains(&format!("• {} ", other.id)), "{screen}");
}

#[test]
fn without_conflicts_the_screen_says_where_to_go() {
    let mut stage = waiting("# Shop\n\n## Rules\n- BR-01: One.\n", "", Lang::En);
    stage.keys("f3");
    assert!(said(&stage).contains("there is no conflict"));
    stage.model.screen = Screen::Decide;
    assert!(stage.screen((40, 10)).contains("F4 shows"));
    let mut early = Stage::midway(6);
    early.keys("f3");
    assert!(said(&early).contains("decisions begin when the critic has finished"));
    early.model.screen = Screen::Decide;
    assert!(early.screen((80, 24)).contains("Conflicts are gathered when the critic has finished."));
}

#[test]
fn hostile_words_reach_no_cell() {
    let bad = "\u{1b}]0;owned\u{7} \u{1b}[31mred\u{9b}2J \u{202e}gnp.exe\u{2066} \u{e0041}\u{e0042} a\tb \u{200b}\u{feff}x e\u{301}\u{302}";
    let document = format!("# Shop\n\n## Rules\n- BR-01: A rule {bad} ends.\n- BR-02: Another, as BR-01.\n");
    let options = [format!("One {bad}"), format!("Two {bad}")];
    let told = Told {
        lens: "DEV",
        quote: "BR-01: A rule",
        finding: &format!("Wrong {bad} here"),
        options: &[&options[0], &options[1]],
        asks: &[&format!("needs-law-decision: May we {bad}?"), &format!("Who {bad}?")],
        remember: &[bad],
        ..Told::default()
    };
    let mut stage = waiting(&document, &steps(&[told]), Lang::En);
    assert!(
        stage.model.current_conflict().is_some_and(|finding| finding.finding.contains('\u{202e}')),
        "the words are the bad ones"
    );
    for keys in ["m", "ctrl-t", "enter", "p", "d", "esc", "f4", "a", "esc", "o"] {
        stage.keys(keys);
        for size in crate::stage::SIZES {
            let buffer = stage.draw(size);
            assert_eq!(hidden(&buffer), Vec::<char>::new(), "after {keys} at {size:?}");
        }
        let screen = stage.screen((200, 60));
        assert!(screen.contains("⟦U+202E⟧gnp.exe"), "what is not shown is said: {screen}");
    }
}

#[test]
fn no_size_is_too_odd() {
    let mut stages = [Stage::settling(), vietnamese(), chinese()];
    for stage in &mut stages {
        for keys in ["n", "a", "p", "m", "esc", "f4", "a", "esc"] {
            stage.keys(keys);
            for width in [0, 1, 39, 40, 41, 57, 99, 100, 113, 300] {
                for height in [0, 1, 9, 10, 11, 13, 15, 16, 17, 30] {
                    stage.draw((width, height));
                }
            }
        }
    }
    stages[0].draw((500, 1000));
    stages[0].draw((1000, 500));
}

#[test]
fn news_of_the_run_do_not_move_the_conflict_at_hand() {
    let mut stage = Stage::settling();
    stage.keys("n down");
    let before = stage.screen((80, 24));
    stage.input(Input::Text);
    assert_eq!(stage.screen((80, 24)), before);
}

#[test]
fn a_conflict_with_three_options() {
    insta::assert_snapshot!(frames(&mut Stage::settling()));
}

#[test]
fn a_conflict_with_two_options() {
    insta::assert_snapshot!(frames(Stage::settling().keys("n")));
}

#[test]
fn a_decided_conflict() {
    insta::assert_snapshot!(frames(Stage::settling().keys("n b p r").types("Receipts promise it.").keys("enter")));
}

#[test]
fn a_deferred_conflict() {
    insta::assert_snapshot!(frames(Stage::settling().keys("d").types("After the talk with legal on Monday.").keys("enter p")));
}

#[test]
fn a_conflict_in_vietnamese() {
    insta::assert_snapshot!(frames(&mut vietnamese()));
}

#[test]
fn a_conflict_in_chinese() {
    insta::assert_snapshot!(frames(&mut chinese()));
}
