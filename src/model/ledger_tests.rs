//! Undo, redo, drafts and bulks, as tables and as laws.

use super::*;
use proptest::prelude::*;

fn record(op: Op, number: usize) -> GateRecord {
    GateRecord { op, by: "Lan".to_owned(), at: format!("2026-03-01T10:00:{number:02}.000Z") }
}

/// `a` accepts finding a, `u` and `r` undo and redo, `d` drafts, `D` drops the draft, `B` is a bulk of x, y and what is
/// ignored in one, `E` a bulk of nothing that counts.
fn op(letter: char) -> Op {
    let draft = |text: &str| Op::Draft { subject: "F001".to_owned(), text: text.to_owned() };
    let bulk = |ops: Vec<Op>| Op::Bulk { ops };
    match letter {
        'u' => Op::Undo {},
        'r' => Op::Redo {},
        'd' => draft("half a sen"),
        'D' => draft(""),
        'B' => bulk(vec![op('x'), op('u'), op('d'), op('E'), bulk(vec![op('z')]), op('y')]),
        'E' => bulk(vec![op('u'), op('r'), op('d'), bulk(vec![op('z')])]),
        finding => Op::Accept { finding: finding.to_string().into(), reason: String::new() },
    }
}

fn records(letters: &str) -> Vec<GateRecord> {
    letters.chars().enumerate().map(|(number, letter)| record(op(letter), number)).collect()
}

/// The findings accepted, in order.
fn letters(records: &[GateRecord]) -> String {
    let letter = |record: &GateRecord| match &record.op {
        Op::Accept { finding, .. } => finding.to_string(),
        Op::Bulk { .. } => "B".to_owned(),
        other => format!("{other:?}"),
    };
    records.iter().map(letter).collect()
}

#[test]
fn what_stands_is_what_an_editor_would_show() {
    let named = |record: Option<&GateRecord>| record.map_or(String::new(), |record| letters(std::slice::from_ref(record)));
    for (written, stands, undo, redo) in [
        ("", "", "", ""),
        ("u", "", "", ""),
        ("r", "", "", ""),
        ("ab", "ab", "b", ""),
        ("abu", "a", "a", "b"),
        ("abuu", "", "", "a"),
        ("abuuu", "", "", "a"),
        ("abuur", "a", "a", "b"),
        ("abuurr", "ab", "b", ""),
        ("abuurrr", "ab", "b", ""),
        ("abuc", "ac", "c", ""),
        ("abucr", "ac", "c", ""),
        ("uab", "ab", "b", ""),
        ("aduD", "", "", "a"),
        ("audr", "a", "a", ""),
        ("aB", "axy", "B", ""),
        ("aBu", "a", "a", "B"),
        ("aBur", "axy", "B", ""),
        ("auEr", "a", "a", ""),
        ("aE", "a", "a", ""),
    ] {
        let all = records(written);
        assert_eq!(letters(&effective(&all)), stands, "{written}");
        assert_eq!(named(undoable(&all)), undo, "undo after {written}");
        assert_eq!(named(redoable(&all)), redo, "redo after {written}");
    }
}

#[test]
fn members_of_a_bulk_are_by_whom_and_when_the_bulk_is() {
    let all = records("aB");
    let single = effective(&all);
    assert_eq!((single[1].by.as_str(), &single[1].at, &single[2].at), ("Lan", &all[1].at, &all[1].at));
}

#[test]
fn the_last_words_on_a_subject_are_its_draft() {
    let draft = |subject: &str, text: &str| record(Op::Draft { subject: subject.to_owned(), text: text.to_owned() }, 0);
    let all = [draft("a", "tô"), draft("b", "x"), draft("a", "tôi"), record(Op::Undo {}, 0), draft("b", "")];
    assert_eq!(drafts(&all), BTreeMap::from([("a".to_owned(), "tôi".to_owned())]));
    assert_eq!(drafts(&all[..2]).len(), 2);
    assert!(effective(&all).is_empty());
}

#[test]
fn the_new_records_are_read_as_they_are_written() {
    for (letter, line) in [
        ('u', r#"{"op":"undo","by":"Lan","at":"2026-03-01T10:00:00.000Z"}"#),
        ('r', r#"{"op":"redo","by":"Lan","at":"2026-03-01T10:00:00.000Z"}"#),
        ('D', r#"{"op":"draft","subject":"F001","text":"","by":"Lan","at":"2026-03-01T10:00:00.000Z"}"#),
    ] {
        let written = record(op(letter), 0);
        assert_eq!(serde_json::to_string(&written).expect("JSON"), line);
        assert_eq!(serde_json::from_str::<GateRecord>(line).expect("a record"), written);
    }
    let clears =
        vec![op('a'), Op::Clear { finding: "k".into() }, Op::ClearQuestion { question: "q".into() }, Op::Bulk { ops: vec![] }];
    let bulk = record(Op::Bulk { ops: clears }, 0);
    let line = serde_json::to_string(&bulk).expect("JSON");
    assert!(line.contains(r#"{"op":"clear","finding":"k"},{"op":"clear_question","question":"q"}"#), "{line}");
    assert_eq!(serde_json::from_str::<GateRecord>(&line).expect("a record"), bulk);
}

proptest! {
    #[test]
    fn undoing_every_decision_leaves_none_and_redoing_brings_all_back(decided in "[a-cBdD]{0,12}") {
        let count = decided.chars().filter(|letter| !"dD".contains(*letter)).count();
        let undos = "u".repeat(count);
        let undone = effective(&records(&format!("{decided}{undos}")));
        prop_assert_eq!(undone, []);
        let again = records(&format!("{decided}{undos}{}", "r".repeat(count)));
        prop_assert_eq!(effective(&again), effective(&records(&decided)));
    }

    #[test]
    fn an_undo_and_a_redo_change_nothing(written in "[a-curBEdD]{0,16}") {
        let before = records(&written);
        // Where nothing can be undone, the redo would bring back something older.
        prop_assume!(undoable(&before).is_some());
        let after = records(&format!("{written}ur"));
        prop_assert_eq!(effective(&after), effective(&before));
        prop_assert_eq!((undoable(&after), redoable(&after)), (undoable(&before), redoable(&before)));
        prop_assert_eq!(drafts(&after), drafts(&before));
    }
}
