//! Answers of which something cannot be read: one question about it, nothing good lost, what is lost counted.

use super::APIS;
use crate::fake_model::{FakeModel, Play};
use crate::house::{House, Question, Ran, Task, agent, expected, finding, listed};
use serde_json::{Value, json};
use tamis::config::roster::Api;

const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note quickly.\n- AC-02: The writer sees who read the note.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";

fn good() -> Value {
    finding("DEV", "major", "Acceptance Criteria", "The reader sees the note quickly.", "Nobody says how quickly.")
}

fn other() -> Value {
    finding("DEV", "minor", "Acceptance Criteria", "The writer sees who read the note.", "Nobody says where the writer sees it.")
}

/// A finding without its severity.
fn bad() -> Value {
    let mut bad = other();
    bad["severity"] = json!("blocker");
    bad
}

fn is_the_one(question: &Question, task: Task) -> bool {
    question.task == task && (task == Task::Critic || question.shows("AC-01: The reader"))
}

/// A review of which one task's questions get these answers in turn, the last one again and again, and all others `[]`.
async fn reviewed(api: Api, task: Task, answers: Vec<Value>) -> (House, Ran, Vec<Question>) {
    let texts: Vec<String> =
        answers.into_iter().map(|answer| answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)).collect();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = FakeModel::scripted(expected(api), move |_, seen| {
        let question = Question::of(api, seen);
        if !is_the_one(&question, task) {
            return Play::stream(api, &listed(&question, Vec::new()));
        }
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Play::stream(api, &texts[number.min(texts.len() - 1)])
    })
    .await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings("schema: tamis.config/1\nseats: {floor: false, arbiter: none}\n");
    let agent = agent(api, &server);
    let ran =
        house.run(&["review", "notes.md", "--headless", "--agent", &agent, "--dimensions", "DEV", "--events", "e.jsonl"]).await;
    server.checked(server.seen().len());
    let questions: Vec<Question> =
        crate::house::questions(api, &server).into_iter().filter(|one| is_the_one(one, task)).collect();
    (house, ran, questions)
}

fn list(items: &[Value]) -> Value {
    json!({ "findings": items })
}

fn words(file: &Value) -> Vec<&str> {
    let mut words: Vec<&str> =
        file["findings"].as_array().expect("findings").iter().map(|one| one["finding"].as_str().expect("words")).collect();
    words.sort_unstable();
    words
}

#[tokio::test]
async fn one_bad_item_is_asked_for_once_and_put_in_its_place() {
    for api in APIS {
        let (house, ran, asked) = reviewed(api, Task::Reviewer, vec![list(&[bad(), good()]), list(&[other()])]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(asked.len(), 2, "the question, and one about the bad item");
        assert_eq!(asked[1].after.len(), 2, "what was answered, and what is wrong with it");
        let repair = &asked[1].after[1];
        assert!(repair.contains("`findings[0].severity`") && repair.contains("blocker"), "{repair}");
        assert!(!repair.contains("findings[1]"), "{repair}");
        assert_eq!((&asked[0].system, &asked[0].shared), (&asked[1].system, &asked[1].shared), "the same beginning");
        let file = house.findings("notes.md");
        assert_eq!(words(&file), ["Nobody says how quickly.", "Nobody says where the writer sees it."]);
        assert_eq!(file["coverage"]["dropped_items"], json!({}), "{}", file["coverage"]);
    }
}

#[tokio::test]
async fn an_item_that_stays_bad_is_left_out_and_counted() {
    for api in APIS {
        let (house, ran, asked) = reviewed(api, Task::Reviewer, vec![list(&[bad(), good()]), list(&[bad()])]).await;
        assert_eq!(asked.len(), 2, "{ran:?}");
        let file = house.findings("notes.md");
        assert_eq!(words(&file), ["Nobody says how quickly."], "the good one is kept");
        assert_eq!(file["coverage"]["dropped_items"], json!({"review/DEV/UC-01": 1}), "{}", file["coverage"]);
        let done = house.events("e.jsonl");
        let done = done.iter().find(|event| event["kind"] == "step_done" && event["body"]["provenance"]["dropped"] == 1);
        assert_eq!(done.expect("recorded")["body"]["provenance"]["calls"], 2);
    }
}

#[tokio::test]
async fn a_repair_that_fails_takes_nothing_from_what_was_read() {
    for api in APIS {
        let (house, _, asked) = reviewed(api, Task::Reviewer, vec![list(&[good(), bad()]), json!("I am sorry.")]).await;
        assert_eq!(asked.len(), 2);
        let file = house.findings("notes.md");
        assert_eq!(words(&file), ["Nobody says how quickly."]);
        assert_eq!(file["coverage"]["dropped_items"], json!({"review/DEV/UC-01": 1}));
    }
}

#[tokio::test]
async fn a_text_without_an_answer_is_asked_once_more_and_then_named() {
    for api in APIS {
        let (house, ran, asked) = reviewed(api, Task::Reviewer, vec![json!("All is well with this document.")]).await;
        assert_eq!(ran.code, 4, "{ran:?}");
        assert_eq!(asked.len(), 2);
        let file = house.findings("notes.md");
        let reason = file["coverage"]["holes"][0]["reason"].as_str().expect("a hole");
        assert!(reason.contains("asked twice"), "{reason}");
        let events = house.events("e.jsonl");
        let failed: Vec<&Value> = events.iter().filter(|event| event["kind"] == "attempt_failed").collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0]["body"]["class"], "invalid");
        assert!(ran.out.contains("Recommendation: INCOMPLETE"), "{}", ran.out);

        let (house, ran, asked) = reviewed(api, Task::Reviewer, vec![json!("All is well."), list(&[good()])]).await;
        assert_eq!((ran.code, asked.len()), (0, 2), "{ran:?}");
        assert_eq!(words(&house.findings("notes.md")), ["Nobody says how quickly."]);
    }
}

#[tokio::test]
async fn a_critic_that_twice_names_no_dimension_of_the_recipe_gets_its_first() {
    for api in APIS {
        let mut odd = good();
        odd["dimension"] = json!("UX");
        let (house, ran, asked) = reviewed(api, Task::Critic, vec![list(&[odd.clone()]), list(&[odd]), list(&[])]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let repair = &asked[1].after[1];
        assert!(repair.contains("`findings[0].dimension`") && repair.contains("DEV, SA, PO"), "{repair}");
        let file = house.findings("notes.md");
        assert_eq!(file["findings"][0]["lens"], "DEV", "{file}");
        assert_eq!(file["coverage"]["dropped_items"], json!({}), "{}", file["coverage"]);
        assert_eq!(file["convergence"]["new_per_round"], json!([1, 0, 0]));
    }
}

/// A list as long as one answer may be, each finding with words of its own.
fn full(first: usize) -> Vec<Value> {
    let thing = |number: usize| {
        let letters = |mut n: usize| {
            let mut word = String::new();
            for _ in 0..4 {
                word.push(char::from(b'a' + (n % 26) as u8));
                n /= 26;
            }
            word
        };
        finding(
            "DEV",
            "minor",
            "Acceptance Criteria",
            "",
            &format!("{} {} is missing.", letters(number * 7919 + 31), letters(number * 104_729 + 5)),
        )
    };
    (first..first + 40)
        .map(|number| {
            let mut one = thing(number);
            one["missing"] = json!(format!("AC-{}", 100 + number));
            one
        })
        .collect()
}

#[tokio::test]
async fn a_full_list_is_asked_for_the_rest() {
    for api in APIS {
        let (house, ran, asked) = reviewed(api, Task::Reviewer, vec![list(&full(0)), list(&[other()])]).await;
        assert_eq!(asked.len(), 2, "{ran:?}");
        let rest = &asked[1].after[1];
        assert!(rest.contains("These are in hand") && !rest.contains("Nobody"), "{rest}");
        let file = house.findings("notes.md");
        assert!(words(&file).contains(&"Nobody says where the writer sees it."));
        assert_eq!(file["coverage"]["may_be_cut"], json!([]), "{}", file["coverage"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

#[tokio::test]
async fn a_list_that_is_full_to_the_end_may_be_cut_and_the_file_says_so() {
    for api in APIS {
        let lists = (0..5).map(|number| list(&full(number * 40))).collect();
        let (house, ran, asked) = reviewed(api, Task::Reviewer, lists).await;
        let file = house.findings("notes.md");
        assert_eq!(file["coverage"]["may_be_cut"], json!(["review/DEV/UC-01"]), "{}", file["coverage"]);
        assert!(ran.out.contains("Recommendation: INCOMPLETE"), "{}", ran.out);
        let most = 1 + tamis::model::estimate::RESTS as usize;
        assert_eq!(asked.len(), most, "no more than the plan says");
        assert!(words(&file).len() > 40);
        assert_eq!(ran.code, 4, "{ran:?}");
    }
}
