//! Keys: the one table holds what it says, Esc leads back to the top, and what is typed or pasted never acts by accident.

use crate::scenes::{Play, State, layers, purposes};
use crate::stage::{Stage, council, example, key};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::sync::OnceLock;
use tamis::model::event::Kind;
use tamis::tui::commands::{COMMANDS, Command};
use tamis::tui::entry::Purpose;
use tamis::tui::field::Lines;
use tamis::tui::message::{Cmd, Msg};
use tamis::tui::model::{Layer, Level, Model, Screen};
use tamis::tui::picture::buffer_to_text;
use tamis::tui::update::why_not;

/// The bundled example with a conflict of nine options.
fn nine() -> &'static Play {
    static PLAY: OnceLock<Play> = OnceLock::new();
    PLAY.get_or_init(|| {
        let options = (1..=9).map(|days| format!("\"Write {days} days.\"")).collect::<Vec<_>>().join(", ");
        let finding = format!(
            "{{severity: critical, quote: 'within 30 calendar days after the parcel was collected', finding: 'Nine ways to count the \
             days until a refund request is too late.', suggestion: 'Write 1 day.', options: [{options}]}}"
        );
        let steps = format!("  - key: review/PO/UC-03..UC-04\n    findings: [{finding}]\n{}", council("council.yaml"));
        Play::of(example("prd-en.md"), &steps)
    })
}

/// Everything that a person or the loop can observe of a stage.
fn seen(stage: &mut Stage) -> String {
    let model = &stage.model;
    let state = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        model.screen,
        model.layers,
        model.run,
        model.findings,
        (model.conflict, model.conflict_scroll, model.question, model.question_scroll, model.report_scroll),
        model.past.as_ref().map(|(at, _)| *at),
        model.message,
        model.armed.is_some(),
        stage.cmds.len(),
    );
    let text = buffer_to_text(&stage.draw(stage.size));
    format!("{state}\n{text}")
}

/// How to come from a state to a place where keys mean something: the state, and keys from there.
const WAYS: [(State, &str); 43] = [
    (State::Start, ""),
    (State::Midway, ""),
    (State::Midway, "down down down"),
    (State::Midway, "down enter"),
    (State::Midway, "down enter f"),
    (State::Midway, "G enter pageup pageup"),
    (State::Failing, ""),
    (State::Failing, "H"),
    (State::Round, ""),
    (State::FailingTwice, ""),
    (State::Round, "down"),
    (State::Round, "a"),
    (State::Settling, ""),
    (State::Settling, "f3"),
    (State::Settling, "f3 n"),
    (State::Settling, "f3 G"),
    (State::Settling, "f3 a p"),
    (State::Settling, "f3 a p u"),
    (State::Settling, "f3 m"),
    (State::Settling, "f3 d"),
    (State::Settling, "f4"),
    (State::Settling, "f4 n"),
    (State::Settling, "f4 a"),
    (State::Settling, "f5"),
    (State::Settling, "f5 down down"),
    (State::Settling, "f5 enter"),
    (State::Settling, "f5 J J"),
    (State::Settling, "f6"),
    (State::Settling, "f6 G"),
    (State::Settling, "q"),
    (State::Settling, "?"),
    (State::Settling, "? pagedown"),
    (State::Settling, ": down"),
    (State::Decided, "f6"),
    (State::Past, "<"),
    (State::Midway, "p"),
    (State::Midway, "down enter p"),
    (State::Carrying, ""),
    (State::Carrying, "enter"),
    (State::Sending, ""),
    (State::Sending, "down"),
    (State::Sending, "down down"),
    (State::Sending, "G"),
];

fn at(way: (State, &str)) -> Stage {
    // A small screen scrolls, so that moving shows.
    let mut stage = nine().stage(way.0);
    stage.size = (80, 14);
    stage.draw(stage.size);
    stage.keys(way.1);
    stage
}

/// Presses a key, and tells whether anything came of it and in which words it was refused.
fn press(way: (State, &str), name: &str) -> (bool, String) {
    let mut stage = at(way);
    let before = seen(&mut stage);
    stage.model.message = None;
    stage.keys(name);
    let message = stage.model.message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
    (before != seen(&mut stage), message)
}

#[test]
fn every_command_can_be_reached_and_does_something_by_each_of_its_keys() {
    let reached: Vec<(Stage, (State, &str))> = WAYS.iter().map(|&way| (at(way), way)).collect();
    let mut missing = Vec::new();
    for command in COMMANDS {
        for name in command.keys {
            let acts = reached.iter().filter(|(stage, _)| {
                let here = stage.model.places().contains(&command.place);
                here && means(name, &stage.model, command)
            });
            if !acts.into_iter().any(|(_, way)| press(*way, name).0) {
                missing.push(format!("{name} ({:?} in {:?})", command.action, command.place));
            }
        }
    }
    assert!(missing.is_empty(), "never did anything: {missing:#?}");
}

/// Whether the key means this very row of the table now.
fn means(name: &str, model: &Model, command: &Command) -> bool {
    let places = model.places();
    let first = places.iter().find_map(|&place| {
        COMMANDS.iter().find(|row| row.place == place && row.keys.contains(&name) && why_not(row.action, place, model).is_none())
    });
    first.is_some_and(|row| std::ptr::eq(row, command))
}

#[test]
fn what_cannot_act_now_is_refused_with_its_reason() {
    let mut refused = 0;
    for way in WAYS {
        let mut stage = at(way);
        if stage.model.layers.last().is_some_and(|layer| matches!(layer, Layer::Entry(_) | Layer::Palette(..))) {
            continue;
        }
        let places = stage.model.places();
        for command in COMMANDS.iter().filter(|command| places.contains(&command.place)) {
            let Some(why) = why_not(command.action, command.place, &stage.model) else { continue };
            for name in command.keys {
                let rows = places.iter().flat_map(|&place| COMMANDS.iter().filter(move |row| row.place == place));
                let mut rows = rows.filter(|row| row.keys.contains(name));
                let first = rows.next().expect("this one");
                if !std::ptr::eq(first, command) || rows.any(|row| why_not(row.action, row.place, &stage.model).is_none()) {
                    continue;
                }
                refused += 1;
                let before = (stage.cmds.len(), stage.model.layers.len(), stage.model.screen);
                stage.model.message = None;
                stage.keys(name);
                let message = stage.model.message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
                assert!(message.contains(&stage.model.word(why)), "{name} at {way:?}: {message:?}");
                assert_eq!(before, (stage.cmds.len(), stage.model.layers.len(), stage.model.screen), "{name} at {way:?}");
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn a_key_without_a_meaning_says_so() {
    for way in WAYS {
        let stage = at(way);
        if stage.model.layers.is_empty() {
            assert!(press(way, "F").1.contains('?'), "{way:?}");
        }
    }
}

/// What Esc has to take away before the top of Run is reached.
fn levels(model: &Model) -> usize {
    let findings = &model.findings;
    let filtered = !findings.filter.is_empty() || findings.severity.is_some() || findings.status.is_some();
    let on_findings = [findings.open, !findings.marked.is_empty(), filtered];
    let on_run = [model.run.output.is_some(), model.run.cursor.is_some(), model.past.is_some()];
    let count = |all: &[bool]| all.iter().filter(|&&one| one).count();
    let screen = usize::from(model.screen != Screen::Run) * 10;
    2 * model.layers.len() + screen + count(&on_findings) + count(&on_run)
}

#[test]
fn esc_goes_one_level_back_each_time_and_ends_at_the_top_without_leaving() {
    let deeper =
        ["", "?", "@", ":", "q", "down", "down enter", "f5 enter", "f5 * s t enter", "f5 /", "f3 o", "f4 a", "f4 o", "f6 ?"];
    // Where the document is to be sent, Esc leaves, as it says there.
    for state in State::ALL.into_iter().filter(|state| *state != State::Sending) {
        let mut stage = at((state, ""));
        for more in deeper {
            stage.keys(more);
            // An error on the line is taken away by an Esc of its own.
            stage.model.message = None;
            stage.model.armed = None;
            stage.cmds.clear();
            let mut presses = 0;
            while levels(&stage.model) > 0 {
                let (before, layers, screen) = (levels(&stage.model), stage.model.layers.len(), stage.model.screen);
                stage.keys("esc");
                let after = levels(&stage.model);
                let here = format!("{state:?} {more:?} after {presses}: {screen:?} {:?}", stage.model.layers);
                if after == before && screen == Screen::Run {
                    break;
                }
                assert!(after < before, "nothing went back: {here}");
                assert!(layers - stage.model.layers.len() <= 1, "two layers at once: {here}");
                assert!(layers == 0 || stage.model.screen == screen, "a layer and the screen at once: {here}");
                presses += 1;
                assert!(presses < 20, "{here}");
            }
            assert_eq!(stage.model.screen, Screen::Run);
            assert!(stage.model.layers.is_empty() && stage.model.run.output.is_none() && stage.model.past.is_none());
            stage.keys("esc esc esc");
            assert!(stage.model.layers.is_empty() && !stage.cmds.contains(&Cmd::Quit), "{state:?} {more:?}");
            assert!(stage.model.message.is_some(), "the top says so: {state:?} {more:?}");
        }
    }
}

#[test]
fn q_leaves_from_a_screen_and_nowhere_else() {
    for state in State::ALL {
        let mut stage = nine().stage(state);
        for screen in Screen::ALL {
            stage.model.layers.clear();
            stage.model.screen = screen;
            for (number, layer) in layers(&stage.model, "").into_iter().enumerate() {
                stage.model.layers.clear();
                stage.model.screen = screen;
                stage.cmds.clear();
                let (typed, covered) = (layer.as_ref().and_then(text_of), layer.is_some());
                // Where the document is to be sent, it is the key that leaves with nothing sent.
                let declines = matches!(&layer, Some(Layer::Sending(sending)) if !sending.sent);
                stage.model.layers.extend(layer);
                stage.keys("q");
                let here = format!("{state:?} {screen:?} layer {number}");
                let asks = matches!(stage.model.layers.last(), Some(Layer::Leave));
                if let Some(typed) = typed {
                    let now = stage.model.layers.last().and_then(text_of);
                    assert_eq!(now, Some(format!("{typed}q")), "{here}");
                }
                assert_eq!(covered && stage.cmds.contains(&Cmd::Quit), declines, "{here}");
                assert!(covered || asks || stage.cmds.contains(&Cmd::Quit), "{here}");
                // Whoever is awaited, or watches agents, is asked first.
                let busy = stage.model.is_running() || stage.model.desk.is_some();
                assert!(covered || busy == asks, "{here}");
            }
        }
    }
}

fn text_of(layer: &Layer) -> Option<String> {
    match layer {
        Layer::Entry(entry) => Some(entry.field.text()),
        Layer::Palette(field, _) => Some(field.text()),
        _ => None,
    }
}

#[test]
fn ctrl_c_twice_leaves_from_everywhere_and_once_never_does() {
    for state in State::ALL {
        let mut stage = nine().stage(state);
        for (number, layer) in layers(&stage.model, "words").into_iter().enumerate() {
            stage.model.layers.clear();
            stage.model.layers.extend(layer);
            stage.model.armed = None;
            stage.cmds.clear();
            stage.keys("ctrl-c");
            let here = format!("{state:?} layer {number}");
            // What is to be confirmed stays: it is answered, or left for good.
            let stays = |layer: &Layer| matches!(layer, Layer::Sending(_));
            assert!(!stage.cmds.contains(&Cmd::Quit) && stage.model.layers.iter().all(stays), "{here}");
            assert!(stage.model.message.is_some(), "{here}");
            let mut later = |ms: u64, keys: &str| {
                stage.cmds.clear();
                stage.ms += ms;
                stage.keys(keys);
                stage.cmds.contains(&Cmd::Quit)
            };
            // Too late, or with another key between, it counts as the first one again.
            assert!(!later(3_000, "ctrl-c"), "{here}");
            assert!(!later(0, "down ctrl-c"), "{here}");
            assert!(later(0, "ctrl-c"), "{here}");
        }
    }
}

/// A stage with a text area of each purpose open, and the palette.
fn areas(mut with: impl FnMut(&mut Stage, &str, Lines)) {
    let mut stage = nine().stage(State::Settling);
    stage.keys(":");
    with(&mut stage, "the palette", Lines::One);
    for (number, purpose) in purposes(&stage.model).into_iter().enumerate() {
        stage.model.layers.clear();
        stage.model.decided.drafts.clear();
        let entry = tamis::tui::entry::Entry::open(purpose.clone(), "", Vec::new(), &stage.model);
        stage.model.layers.push(Layer::Entry(Box::new(entry)));
        with(&mut stage, &format!("{number} {}", purpose.say()), purpose.lines());
    }
}

fn typed(stage: &Stage) -> String {
    stage.model.layers.last().and_then(text_of).expect("still open")
}

#[test]
fn ctrl_h_and_backspace_and_input_methods_work_in_every_text_area() {
    areas(|stage, what, _| {
        stage.types("vie").keys("ctrl-h").types("ê").keys("backspace").types("ệt");
        assert_eq!(typed(stage), "việt", "{what}");
        stage.keys("ctrl-h ctrl-h ctrl-h ctrl-h ctrl-h");
        assert_eq!(typed(stage), "", "{what}");
        stage.types("👩").types("\u{200d}").types("💻").keys("ctrl-h");
        assert_eq!(typed(stage), "", "{what}");
        assert!(stage.model.layers.len() == 1, "{what}");
    });
}

#[test]
fn ctrl_j_breaks_the_line_where_there_are_lines() {
    areas(|stage, what, lines| {
        stage.types("a").keys("ctrl-j").types("b").keys("alt-enter").types("c");
        let expected = if lines == Lines::Many { "a\nb\nc" } else { "abc" };
        assert_eq!(typed(stage), expected, "{what}");
        assert!(stage.ops().is_empty(), "{what}");
    });
}

#[test]
fn no_letter_typed_into_an_area_is_a_command() {
    let all = "qQwWxXaAbBcCdDeEjJkKuUyYsSnN?:!@/*<>[],.0123456789 ";
    areas(|stage, what, _| {
        stage.cmds.clear();
        stage.types(all);
        assert_eq!(typed(stage), all, "{what}");
        let wishes = stage
            .cmds
            .iter()
            .filter(|cmd| !matches!(cmd, Cmd::Wish(tamis::tui::port::Wish::Record(tamis::model::gate::Op::Draft { .. }))));
        assert_eq!(wishes.count(), 0, "{what}");
    });
}

#[test]
fn a_paste_into_an_area_is_text_whatever_it_holds() {
    const PIECE: &str = "dài 长\r\n";
    areas(|stage, what, lines| {
        let end = |text: &str| if lines == Lines::Many { text.replace(' ', "\n") } else { text.to_owned() };
        stage.msg(Msg::Paste("q\r\nw\rx\nend".to_owned()));
        assert_eq!(typed(stage), end("q w x end"), "{what}");
        // An end marker inside the paste: what is behind it comes as keys.
        stage.types("qw");
        assert_eq!(typed(stage), end("q w x endqw"), "{what}");
        assert!(!typed(stage).contains('\r'));
        // A megabyte takes a while here: one area of each kind, and a tenth of it for the others.
        let pieces = if what.starts_with("the") || what.starts_with('0') { 120_000 } else { 12_000 };
        stage.msg(Msg::Paste(PIECE.repeat(pieces)));
        let text = typed(stage);
        assert_eq!(text.matches("dài 长").count(), pieces, "{what}");
        assert!(!text.contains('\r') && stage.model.layers.len() == 1);
        assert!(stage.ops().is_empty() && !stage.cmds.contains(&Cmd::Quit), "{what}");
    });
}

#[test]
fn an_unbracketed_burst_with_a_newline_is_not_submitted() {
    areas(|stage, what, lines| {
        let burst = "yes\nno";
        for c in burst.chars() {
            stage.ms += 1;
            let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
            stage.msg(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
        let expected = if lines == Lines::Many { "yes\nno" } else { "yesno" };
        assert_eq!(typed(stage), expected, "{what}");
        assert!(stage.ops().is_empty(), "{what}");
    });
}

#[test]
fn a_paste_without_an_area_does_nothing_and_the_keys_behind_it_neither() {
    for way in WAYS {
        let mut stage = at(way);
        if matches!(stage.model.layers.last(), Some(Layer::Entry(_) | Layer::Palette(..))) {
            continue;
        }
        stage.cmds.clear();
        let before = (stage.model.screen, format!("{:?}", stage.model.layers), stage.model.history.events().len());
        stage.msg(Msg::Paste("q\nx\nX\nw\na\n".to_owned()));
        let message = stage.model.message.clone().expect("a hint");
        assert_eq!(message.level, Level::Hint);
        // The tail behind an end marker inside the paste arrives as keys, at once.
        for c in "qxXwa1".chars().chain(['\n']) {
            stage.ms += 1;
            let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
            stage.msg(Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
        let after = (stage.model.screen, format!("{:?}", stage.model.layers), stage.model.history.events().len());
        assert_eq!(before, after, "{way:?}");
        assert!(stage.cmds.is_empty(), "{way:?}: {:?}", stage.cmds);
        // After a moment keys are commands again.
        stage.ms += 100;
        let before = seen(&mut stage);
        stage.keys("?");
        assert_ne!(before, seen(&mut stage), "{way:?}");
    }
}

#[test]
fn full_width_keys_are_the_plain_ones_and_other_layouts_get_a_hint() {
    for (wide, plain) in [("？", "?"), ("ｑ", "q"), ("：", ":"), ("ｊ", "j"), ("［", "["), ("！", "!")] {
        for way in [(State::Midway, "down enter"), (State::Round, ""), (State::Settling, "f3"), (State::Settling, "f5 down")] {
            let (mut one, mut other) = (at(way), at(way));
            one.keys(wide);
            other.keys(plain);
            assert_eq!(seen(&mut one), seen(&mut other), "{wide} at {way:?}");
        }
    }
    let words = nine().stage(State::Settling).model.words;
    let hint = words.say("hint-layout", &[("key", "й".into())]);
    for way in WAYS {
        if at(way).model.layers.is_empty() {
            assert_eq!(press(way, "й").1, hint, "{way:?}");
        }
    }
}

#[test]
fn releases_do_nothing_and_repeats_are_presses() {
    for way in WAYS.into_iter().step_by(3) {
        let mut stage = at(way);
        let before = seen(&mut stage);
        for command in COMMANDS {
            let release = KeyEvent { kind: KeyEventKind::Release, ..key(command.keys[0]) };
            stage.msg(Msg::Key(release));
        }
        assert_eq!(before, seen(&mut stage), "{way:?}");
    }
    let mut stage = at((State::Settling, "f5"));
    let repeat = KeyEvent { kind: KeyEventKind::Repeat, ..key("j") };
    stage.msg(Msg::Key(repeat));
    assert_eq!(stage.model.findings.cursor, 1);
}

#[test]
fn a_key_with_an_error_on_the_line_still_acts_and_only_esc_takes_the_error_away() {
    let mut stage = at((State::Settling, "f5"));
    stage.msg(Msg::Edited(Err(tamis::tui::editor::Kept::NoText)));
    stage.keys("down");
    assert_eq!(stage.model.findings.cursor, 1);
    assert!(stage.model.message.as_ref().is_some_and(|message| message.level == Level::Error));
    stage.keys("esc");
    assert!(stage.model.message.is_none() && stage.model.screen == Screen::Findings);
}

#[test]
fn undo_and_redo_reach_over_every_decision() {
    let mut stage = at((State::Settling, "f3"));
    let begin = format!("{:?}", stage.model.decided.findings);
    let mut states = vec![begin];
    for keys in ["a", "b", "x enter", "f4 a", "f4 o", "f5 a", "f5 down x enter", "f5 * x enter"] {
        stage.keys(keys);
        if matches!(stage.model.layers.last(), Some(Layer::Entry(_))) {
            stage.types("words").keys("enter");
        }
        stage.model.layers.clear();
        let now = format!("{:?}", stage.model.decided.findings);
        if states.last() != Some(&now) {
            states.push(now);
        }
    }
    assert!(states.len() > 5, "{}", states.len());
    let written = stage.model.history.events().iter().filter(|event| event.kind == Kind::GateRecord).count();
    for expected in states.iter().rev().skip(1) {
        stage.keys("u");
        assert_eq!(format!("{:?}", stage.model.decided.findings), *expected);
    }
    for expected in states.iter().skip(1) {
        stage.keys("ctrl-r");
        assert_eq!(format!("{:?}", stage.model.decided.findings), *expected);
    }
    let after = stage.model.history.events().iter().filter(|event| event.kind == Kind::GateRecord).count();
    assert!(after > written, "nothing is ever taken out of the journal");
}

#[test]
fn the_draft_is_kept_when_an_area_is_left_in_any_way() {
    for leave in ["esc", "ctrl-c", "ctrl-z", "ctrl-e"] {
        let mut stage = at((State::Settling, "f3 o"));
        stage.types("nửa câu").keys(leave);
        let drafts = stage.model.decided.drafts.values().cloned().collect::<Vec<_>>();
        assert_eq!(drafts, ["nửa câu"], "{leave}");
        stage.model.layers.clear();
        stage.keys("f3 o");
        assert_eq!(typed(&stage), "nửa câu", "{leave}");
        assert!(matches!(stage.model.layers.last(), Some(Layer::Entry(entry)) if matches!(entry.purpose, Purpose::Words(_))));
    }
    let mut stage = at((State::Settling, "f3 o"));
    stage.types("gone").after(1_000);
    assert_eq!(stage.model.decided.drafts.values().collect::<Vec<_>>(), ["gone"], "a second later it is on the disk");
    // Given for real, the draft goes.
    stage.keys("enter");
    assert!(stage.model.decided.drafts.is_empty() && stage.model.layers.is_empty());
    assert_eq!(stage.ops().len(), 1);
}
