//! A person as the reviewer: questions are files, answers are files, and the run converges however often it stops between them.

use crate::house::{House, Ran, SIGN_IN, finding};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A chat that somebody talks to: reads every question in the folder, and saves an answer under its name.
fn chat(house: &House, answer: impl Fn(&str, &str) -> Option<String>) -> BTreeMap<String, String> {
    fs::create_dir_all(house.path("answers")).expect("made");
    let mut questions = BTreeMap::new();
    for entry in fs::read_dir(house.path("prompts")).expect("questions").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(entry.path()).expect("text");
        if let Some(answer) = answer(&name, &text) {
            fs::write(house.path("answers").join(&name), answer).expect("written");
        }
        questions.insert(name, text);
    }
    questions
}

async fn review(house: &House) -> Ran {
    house.write("prd.md", SIGN_IN);
    let args = [
        "review",
        "prd.md",
        "--headless",
        "--agent",
        "paste",
        "--dimensions",
        "DEV,SA",
        "--arbiter",
        "none",
        "--granularity",
        "auto",
    ];
    house.run(&[&args[..], &["--prompts", "prompts"]].concat()).await
}

async fn resume(house: &House) -> Ran {
    house.run(&["resume", &house.run_id(), "--headless", "--prompts", "prompts", "--answers", "answers"]).await
}

fn said(dimension: &str) -> String {
    let found = finding(dimension, "major", "UC-01", "The page loads fast.", &format!("{dimension}: nothing says how fast."));
    format!("Here is what I found:\n\n```json\n{}\n```\n", json!({ "findings": [found] }))
}

#[tokio::test]
async fn a_review_converges_through_files_that_a_person_carries() {
    let house = House::new();
    let ran = review(&house).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains("questions that wait for a person to carry them: 2"), "{}", ran.err);
    assert!(ran.err.contains("--answers FOLDER") && ran.err.contains("tamis resume"), "{}", ran.err);
    assert!(!house.path("prd.findings.yaml").exists(), "nothing is written with holes");
    let questions = chat(&house, |name, _| Some(said(if name.contains("DEV") { "DEV" } else { "SA" })));
    assert_eq!(questions.len(), 2, "{:?}", questions.keys());
    for (name, text) in &questions {
        assert!(text.contains("AC1") && text.contains("new chat") && !text.contains("nothing says how fast"), "{name}: {text}");
        let mode = fs::metadata(house.path("answers").join(name)).map(|meta| meta.permissions().mode());
        assert!(mode.is_ok());
    }
    // The critic's rounds, one after the other.
    let mut rounds = 0;
    let ran = loop {
        let ran = resume(&house).await;
        if ran.code != 3 {
            break ran;
        }
        rounds += 1;
        assert!(rounds <= 3, "{ran:?}");
        let asked = chat(&house, |_, _| Some("{\"findings\": []}".to_owned()));
        assert_eq!(asked.len(), 1, "{:?}", asked.keys());
        assert!(asked.keys().all(|name| name.starts_with("critic_")), "{:?}", asked.keys());
        assert!(asked.values().all(|text| text.contains("nothing says how fast")), "the critic is told what is known");
    };
    assert_eq!((ran.code, rounds), (0, 2), "{ran:?}");
    let file = house.findings("prd.md");
    let found = file["findings"].to_string();
    assert!(found.contains("DEV: nothing says how fast.") && file["coverage"]["holes"] == json!([]), "{file:?}");
    assert_eq!(fs::read_dir(house.path("prompts")).expect("there").count(), 0, "what is answered lies there no longer");
}

#[tokio::test]
async fn questions_are_for_their_owner_alone_and_lie_in_the_run_where_nobody_says_where() {
    let house = House::new();
    house.write("prd.md", SIGN_IN);
    let ran = house.run(&["review", "prd.md", "--headless", "--agent", "paste", "--dimensions", "DEV"]).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    let folder = house.path(&format!("../state/tamis/runs/{}/prompts", house.run_id()));
    let files: Vec<_> = fs::read_dir(&folder).expect("questions").flatten().collect();
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(file.metadata().expect("there").permissions().mode() & 0o777, 0o600);
    }
    assert!(
        ran.err.contains(&folder.canonicalize().expect("there").display().to_string()) || ran.err.contains("/prompts"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_asked_for_once_more_with_why() {
    let house = House::new();
    assert_eq!(review(&house).await.code, 3);
    chat(&house, |name, _| Some(if name.contains("DEV") { "I found nothing worth a list.".to_owned() } else { said("SA") }));
    let ran = resume(&house).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    let asked = chat(&house, |_, _| Some(said("DEV")));
    assert_eq!(asked.len(), 1, "{:?}", asked.keys());
    let (name, text) = asked.iter().next().expect("one");
    assert!(name.contains("DEV") && name.ends_with("-2.md"), "{name}");
    assert!(text.contains("same chat") && text.contains("I found nothing worth a list."), "{text}");
    // The answers of before need not lie there any more.
    let old: Vec<_> = fs::read_dir(house.path("answers"))
        .expect("there")
        .flatten()
        .filter(|file| !file.file_name().to_string_lossy().contains("-2."))
        .collect();
    old.iter().for_each(|file| fs::remove_file(file.path()).expect("removed"));
    let ran = resume(&house).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    let asked = chat(&house, |_, _| None);
    assert!(asked.len() == 1 && asked.keys().all(|name| name.starts_with("critic_")), "{:?}", asked.keys());
}

#[tokio::test]
async fn what_belongs_to_no_question_is_named_and_a_folder_that_is_not_there_is_said() {
    let house = House::new();
    assert_eq!(review(&house).await.code, 3);
    fs::create_dir_all(house.path("answers")).expect("made");
    house.write("answers/shopping.md", "milk");
    let ran = resume(&house).await;
    assert!(ran.code == 3 && ran.err.contains("answers to no question of this run: shopping.md"), "{ran:?}");
    // Twice the same changes nothing.
    let again = resume(&house).await;
    assert_eq!(again.code, 3);
    let ran = house.run(&["resume", &house.run_id(), "--headless", "--answers", "no-such-folder"]).await;
    assert!(ran.code == 7 && ran.err.contains("no-such-folder"), "{ran:?}");
}

#[tokio::test]
async fn a_person_takes_no_place_in_a_wave_and_is_held_by_no_cap() {
    let house = House::new();
    house.write("prd.md", &format!("{SIGN_IN}\n## UC-02: A customer signs out\n\n- **AC1**: The page is gone at once.\n"));
    let args = [
        "review",
        "prd.md",
        "--headless",
        "--agent",
        "paste",
        "--arbiter",
        "none",
        "--granularity",
        "per-uc",
        "--agent-cap",
        "2",
    ];
    let ran = house.run(&[&args[..], &["--prompts", "prompts", "--max-tokens", "10", "--max-minutes", "1"]].concat()).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    let asked = chat(&house, |_, _| None);
    // All dimensions of all parts at once, whatever a wave holds.
    assert!(asked.len() > 2, "{:?}", asked.keys());
    assert!(!ran.err.contains("cap of"), "{}", ran.err);
}
