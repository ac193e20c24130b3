//! What is written is read back equal, by us and by other readers.

use super::findings::{FindingsFile, render, to_map};
use super::read;
use super::samples::{NASTY, any_file, any_text, finding, full_file, option, recipes, small_recipe};
use crate::model::fault::FaultKind;
use crate::model::finding::{Resolution, Status};
use crate::model::recipe::Recipe;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

fn read_back(file: &FindingsFile, recipe: &Recipe) -> FindingsFile {
    let mut back = read(&render(file, recipe), "f.yaml").expect("reads");
    back.run.names = BTreeMap::new();
    back
}

#[test]
fn a_file_of_each_recipe_is_written_like_this() {
    let [refine, context] = recipes();
    insta::assert_snapshot!("refine_prd", render(&full_file(&refine), &refine));
    insta::assert_snapshot!("review_context", render(&full_file(&context), &context));
    let small = small_recipe();
    insta::assert_snapshot!("small", render(&full_file(&small), &small));
}

#[test]
fn what_is_written_is_read_back_equal() {
    for recipe in recipes() {
        let file = full_file(&recipe);
        assert_eq!(read_back(&file, &recipe), file);
    }
}

#[test]
fn a_recipe_with_few_fields_still_loses_no_decision() {
    let small = small_recipe();
    let file = full_file(&small);
    let back = read_back(&file, &small);
    assert_eq!(back.version, "1.10");
    assert_eq!(back.recommendation, "BLOCKED");
    for (was, is) in file.findings.iter().zip(&back.findings) {
        assert_eq!((&is.finding, &is.dimension, is.severity), (&was.finding, &was.dimension, was.severity));
        assert_eq!((&is.options, &is.resolution, &is.blocked_on), (&was.options, &was.resolution, &was.blocked_on));
        assert_eq!((&is.absorbed, is.status), (&was.absorbed, was.status));
    }
    assert_eq!(back.carried_unmatched, file.carried_unmatched);
    assert_eq!(back.dropped, file.dropped);
}

#[test]
fn struck_findings_are_neither_written_nor_counted() {
    let [recipe, _] = recipes();
    let mut file = full_file(&recipe);
    file.findings[0].struck = true;
    let map = to_map(&file, &recipe);
    assert_eq!(map["findings"].as_array().map(Vec::len), Some(2));
    assert_eq!(map["summary"]["total"], 2);
    assert_eq!(map["summary"]["by_severity"], json!({"critical": 0, "major": 1, "minor": 1}));
    assert_eq!(map["summary"]["open_questions"], 1);
    assert_eq!(map["summary"]["deferred_questions"], 1);
}

#[test]
fn times_inside_findings_stand_in_fields_named_at_only() {
    fn times(value: &Value, name: &str, into: &mut Vec<String>) {
        match value {
            Value::String(text) if text.starts_with("2026-11-30T") => into.push(name.to_owned()),
            Value::Array(items) => items.iter().for_each(|item| times(item, name, into)),
            Value::Object(map) => map.iter().for_each(|(key, value)| times(value, key, into)),
            _ => {}
        }
    }
    for recipe in recipes() {
        let map = to_map(&full_file(&recipe), &recipe);
        let mut names = Vec::new();
        times(&map["findings"], "findings", &mut names);
        assert_eq!(names, ["at", "at"]);
    }
}

#[test]
fn a_hand_edited_file_is_read() {
    let text = "# mine\nschema: 'tamis.findings/1' # ours\nprd_version: 1.10\nprd_source: 2024-01-01\nstatus: applied\nfindings:\n\
                - key: 0011223344556677\n  lens: DEV\n  finding: Which?\n  status: accepted\n  note: 1.5\n  line:\n\
                \x20 options: [{label: A, suggestion: Keep.}, {label: B, suggestion: Drop.}]\n  resolution: {choice: A}\n\
                \x20 blocked_on: [Who pays?, {question: Who signs?, answer: An}]\n  resolution_edge_cases:\n- finding: By hand.\n";
    let file = read(text, "f.yaml").expect("reads");
    assert_eq!((file.version.as_str(), file.source.as_str()), ("1.10", "2024-01-01"));
    assert_eq!(file.status, super::findings::FileStatus::Applied);
    let first = &file.findings[0];
    assert_eq!((first.key.as_str(), first.dimension.as_str(), first.line), ("0011223344556677", "DEV", 0));
    assert_eq!(first.resolution, Some(Resolution { choice: Some("A".to_owned()), ..Resolution::default() }));
    assert_eq!(first.blocked_on[0].question, "Who pays?");
    assert_eq!(first.blocked_on[1].answer.as_deref(), Some("An"));
    assert_eq!(file.extra[&first.key]["note"], 1.5);
    assert_eq!(file.findings[1].finding, "By hand.");
}

#[test]
fn what_is_no_findings_file_is_refused_with_a_sentence() {
    let refused = |text: &str| {
        let fault = read(text, "f.yaml").expect_err(text);
        assert_eq!(fault.kind, FaultKind::Io);
        fault.what
    };
    let newer = refused("schema: tamis.findings/2\nfindings: []\n");
    assert_eq!(newer, "f.yaml: the format is `tamis.findings/2`, this version of tamis reads `tamis.findings/1`");
    for text in ["", "hello\n", "findings: []\nschema: tamis.findings/1\n", "- schema: tamis.findings/1\n"] {
        assert!(refused(text).contains("not a findings file"), "{text:?}");
    }
    let start = "schema: tamis.findings/1\n";
    let place = refused(&format!("{start}findings:\n- status: acepted\n"));
    assert_eq!(place, "f.yaml:3:11: unknown value `acepted`");
    assert_eq!(refused(&format!("{start}status: aplied\n")), "f.yaml:2:9: unknown status `aplied`");
    assert!(refused(&format!("{start}findings: &a []\n")).contains("anchors and aliases"));
    assert!(refused(&format!("{start}x: {}", "y".repeat(16 * 1024 * 1024))).contains("are more than the"));
}

#[test]
fn ten_thousand_findings_are_read_back() {
    let [recipe, _] = recipes();
    let mut file = full_file(&recipe);
    let one = finding("k", "DEV");
    file.findings =
        (0..10_000).map(|n| crate::model::finding::Finding { key: format!("{n:016}").into(), ..one.clone() }).collect();
    file.extra.clear();
    assert_eq!(read_back(&file, &recipe).findings.len(), 10_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_survives_our_own_reader(file in any_file()) {
        let [recipe, _] = recipes();
        prop_assert_eq!(read_back(&file, &recipe), file);
    }

    #[test]
    fn a_text_stands_on_one_line_without_hidden_characters(text in any_text()) {
        let scalar = super::yaml::scalar(&text);
        prop_assert!(!scalar.chars().any(|c| c.is_control() || crate::model::shown::is_hidden(c)));
        let back: String = serde_yaml::from_str(&scalar).expect("a text");
        prop_assert_eq!(back, text);
    }

    #[test]
    fn any_change_of_a_file_is_read_or_refused(cut in 0usize..4000, with in "(?s).{0,8}") {
        let [recipe, _] = recipes();
        let mut text = render(&full_file(&recipe), &recipe);
        let at = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert_str(at, &with);
        if let Err(fault) = read(&text, "f.yaml") {
            prop_assert!(fault.what.starts_with("f.yaml"));
        }
    }
}

/// Every nasty text in every position: value, in a list on one line, in a list over lines, key.
fn nasty_map() -> Map<String, Value> {
    let mut random = proptest::test_runner::TestRunner::deterministic();
    let mut texts: Vec<String> = NASTY.iter().map(|text| (*text).to_owned()).collect();
    texts.extend((0..400).map(|_| any_text().new_tree(&mut random).expect("text").current()));
    let mut map = Map::new();
    map.insert("values".to_owned(), texts.iter().map(|text| json!({ "v": text, "w": [text] })).collect());
    map.insert("list".to_owned(), json!(texts));
    map.insert("words".to_owned(), json!(["DEV", "critic/1", "no", "1.10", "e1"]));
    map.insert("nested".to_owned(), json!([[1, 2], [[]], [{ "a": [] }], {}, null, true, 1.5, -3]));
    // A key longer than 128 characters would need another notation; names in recipes are at most 64 long.
    let keys = texts.iter().filter(|text| text.chars().count() <= 64);
    map.insert("keys".to_owned(), Value::Object(keys.map(|text| (text.clone(), json!(1))).collect()));
    map
}

fn document(map: &Map<String, Value>) -> String {
    let mut document = super::yaml::Document::default();
    map.iter().for_each(|(key, value)| document.value(key, value));
    document.finish()
}

/// What another reader makes of a text, as JSON; `None` with a visible notice where it is not there.
fn other_reader(program: &str, args: &[&str], yaml: &str) -> Option<Value> {
    let child = Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("NOTICE: {program} is not installed: its reading of our files was not checked");
        return None;
    };
    let mut stdin = child.stdin.take().expect("stdin");
    let yaml = yaml.to_owned();
    let feed = std::thread::spawn(move || stdin.write_all(yaml.as_bytes()));
    let output = child.wait_with_output().expect("output");
    let fed = feed.join().expect("feeder");
    let errors = String::from_utf8_lossy(&output.stderr);
    for (sign, part) in [("No module named 'yaml'", "PyYAML"), ("Is jq installed", "jq")] {
        if errors.contains(sign) {
            eprintln!("NOTICE: {part} is not installed: the reading of our files by {program} was not checked");
            return None;
        }
    }
    assert!(output.status.success(), "{program}: {errors}");
    fed.expect("all was read");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

const PYTHON: &str = "import json, sys, yaml
text = sys.stdin.buffer.read().decode('utf-8')
json.dump(yaml.load(text, getattr(yaml, 'CSafeLoader' if sys.argv[1] == 'c' else 'SafeLoader', yaml.SafeLoader)), sys.stdout)";

#[test]
fn pyyaml_reads_equal_values() {
    let nasty = nasty_map();
    let text = document(&nasty);
    for loader in ["python", "c"] {
        if let Some(value) = other_reader("python3", &["-c", PYTHON, loader], &text) {
            assert_eq!(value, Value::Object(nasty.clone()));
        }
        for recipe in recipes() {
            let file = full_file(&recipe);
            if let Some(value) = other_reader("python3", &["-c", PYTHON, loader], &render(&file, &recipe)) {
                assert_eq!(value, Value::Object(to_map(&file, &recipe)));
            }
        }
    }
}

#[test]
fn yq_reads_equal_values() {
    let nasty = nasty_map();
    // Two programs have this name; both print JSON when told so.
    let about = Command::new("yq").arg("--help").output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let args: &[&str] = if about.is_ok_and(|help| help.contains("mikefarah")) { &["-o=json", "."] } else { &["."] };
    if let Some(value) = other_reader("yq", args, &document(&nasty)) {
        assert_eq!(value, Value::Object(nasty));
    }
    for recipe in recipes() {
        let file = full_file(&recipe);
        if let Some(value) = other_reader("yq", args, &render(&file, &recipe)) {
            assert_eq!(value, Value::Object(to_map(&file, &recipe)));
        }
    }
}

#[test]
fn an_open_conflict_is_counted_as_one() {
    let [recipe, _] = recipes();
    let mut file = full_file(&recipe);
    let mut conflict = finding("c", "SA");
    conflict.options = vec![option("A", "a"), option("B", "b")];
    conflict.status = Status::Rejected;
    file.findings = vec![conflict];
    let summary = super::findings::summary(&file, &recipe);
    assert_eq!((summary.total, summary.conflicts, summary.rejected), (1, 1, 1));
}

#[test]
fn what_a_hand_wrote_of_a_status_or_resolution_is_read() {
    let [recipe, _] = recipes();
    let text = |status: &str, resolution: &str| {
        format!("schema: tamis.findings/1\nfindings:\n  - key: k\n    resolution: {resolution}\n    status: {status}\n")
    };
    let read_one = |status: &str, resolution: &str| {
        let mut file = read(&text(status, resolution), "f.yaml").expect("reads");
        let back = read_back(&file, &recipe);
        assert_eq!(back.findings[0].status, file.findings[0].status);
        let one = file.findings.remove(0);
        (one.status, one.resolution)
    };
    for (word, status) in
        [("Accepted", Status::Accepted), ("REJECTED", Status::Rejected), ("Needs discussion", Status::NeedsDiscussion)]
    {
        assert_eq!(read_one(word, ""), (status, None), "{word}");
    }
    let words = Resolution { text: Some("my own text".to_owned()), ..Resolution::default() };
    for status in ["pending", "accepted", "\"\""] {
        assert_eq!(read_one(status, "\"my own text\""), (Status::Modified, Some(words.clone())), "{status}");
    }
    let reason = Resolution { reason: "not ours".to_owned(), ..Resolution::default() };
    assert_eq!(read_one("rejected", "not ours"), (Status::Rejected, Some(reason)));
    assert_eq!(read_one("pending", "\"\""), (Status::Pending, None));
    let choice = Resolution { choice: Some("A".to_owned()), ..Resolution::default() };
    assert_eq!(read_one("accepted", "{choice: A}"), (Status::Accepted, Some(choice)));
    let fault = read(&text("acepted", ""), "f.yaml").expect_err("no such status");
    assert!(fault.what.starts_with("f.yaml:5:13: unknown value `acepted`"), "{}", fault.what);
    assert!(fault.hint.starts_with("did you mean `accepted`? There is: pending, needs_discussion"), "{}", fault.hint);
    let fault = read(&text("pending", "{coice: [}"), "f.yaml").expect_err("no map");
    assert_eq!(fault.kind, FaultKind::Io);
}
