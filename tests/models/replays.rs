//! Reviews that are recorded play again without a server, and whatever was not recorded is named.

use super::APIS;
use crate::fake_model::{FakeModel, Play};
use crate::house::{CANARY, House, Question, Task, agent, expected, finding, listed};
use serde_json::Value;

const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note quickly.\n- AC-02: The writer sees who read the note.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";

fn answer(question: &Question) -> Vec<Value> {
    match (question.task, question.dimension.as_str()) {
        (Task::Reviewer, "DEV") if question.shows("AC-01: The reader") => {
            vec![finding("DEV", "major", "Acceptance Criteria", "The reader sees the note quickly.", "Nobody says how quickly.")]
        }
        (Task::Critic, _) if !question.own.contains("Nobody says where") => {
            vec![finding("PO", "minor", "Acceptance Criteria", "The writer sees who read the note.", "Nobody says where.")]
        }
        _ => Vec::new(),
    }
}

/// A file without what is new in every run.
fn timeless(mut file: Value) -> Value {
    file["generated_at"] = Value::Null;
    for field in ["id", "started_at", "finished_at", "durations_ms", "agent", "seats", "usage"] {
        file["run"][field] = Value::Null;
    }
    file
}

#[tokio::test]
async fn a_recorded_review_plays_without_its_server_and_comes_to_the_same() {
    for api in APIS {
        let house = House::new();
        house.write("notes.md", DOCUMENT);
        let server = FakeModel::scripted(expected(api), move |number, seen| {
            let question = Question::of(api, seen);
            // The first answer comes only after it was asked for again.
            if number == 0 {
                return Play::error(api, 503, "api_error", "busy").header("retry-after-ms", 1);
            }
            Play::stream(api, &listed(&question, answer(&question)))
        })
        .await;
        let agent = agent(api, &server);
        let ran = house.run(&["review", "notes.md", "--headless", "--agent", &agent, "--record", "tape"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let lived = house.findings("notes.md");
        let calls = server.seen().len();
        server.checked(calls);
        for entry in std::fs::read_dir(house.path("tape")).expect("a folder") {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
            assert!(!text.contains(CANARY) && !text.to_lowercase().contains("authorization") && !text.contains("x-api-key"));
        }

        // The same without a key, and with nobody to ask.
        let house = house.without("OPENAI_API_KEY").without("ANTHROPIC_API_KEY");
        let ran =
            house.run(&["review", "notes.md", "--headless", "--agent", "replay:tape", "--out", "again.findings.yaml"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.err.contains("sends notes.md"), "nothing is sent: {}", ran.err);
        let played = house.findings("again.md");
        assert_eq!(timeless(played.clone()), timeless(lived.clone()));
        let used = |file: &Value| file["run"]["usage"].as_object().expect("usage").values().next().cloned();
        assert_eq!(used(&played), used(&lived), "{}", played["run"]);
        assert_eq!(server.seen().len(), calls, "nobody was asked");

        // Another document was never asked about.
        house.write("notes.md", &DOCUMENT.replace("quickly", "slowly"));
        let ran =
            house.run(&["review", "notes.md", "--headless", "--agent", "replay:tape", "--out", "other.findings.yaml"]).await;
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.err.contains("not recorded") && ran.err.contains("nearest"), "{}", ran.err);
        let other = house.findings("other.md");
        let reason = other["coverage"]["holes"][0]["reason"].as_str().expect("a hole");
        assert!(reason.contains("quickly") && reason.contains("slowly"), "{reason}");
        assert!(ran.out.contains("INCOMPLETE"), "{}", ran.out);
        assert_eq!(server.seen().len(), calls, "nobody was asked");
    }
}

#[tokio::test]
async fn recordings_that_cannot_be_played_are_named() {
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    std::fs::create_dir(house.path("empty")).expect("made");
    for folder in ["none", "empty"] {
        let ran = house.run(&["review", "notes.md", "--headless", "--agent", &format!("replay:{folder}")]).await;
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(folder) && ran.err.contains("--record"), "{}", ran.err);
    }
}

#[tokio::test]
async fn the_demo_plays_in_three_languages_and_says_what_it_is() {
    for lang in ["en", "vi", "zh"] {
        let house = House::new().without("OPENAI_API_KEY").without("ANTHROPIC_API_KEY");
        let ran = house.run(&["demo", "--headless", "--lang", lang]).await;
        // One question stays unanswered, and the help says so.
        assert_eq!(ran.code, 4, "{lang}: {ran:?}");
        let help = house.run(&["demo", "--help"]).await;
        assert!(help.out.contains("4    the end without a terminal"), "{}", help.out);
        assert!(ran.err.contains("scripted") && ran.err.contains("no model is asked"), "{}", ran.err);
        assert!(!ran.err.contains("sends "), "{}", ran.err);
        let written = house.files().into_iter().find(|(path, _)| path.ends_with("prd.findings.yaml")).expect("a file");
        let file: Value = serde_yaml::from_str(std::str::from_utf8(&written.1).expect("text")).expect("YAML");
        assert_eq!(file["run"]["lang"], lang);
        assert!(file["findings"].as_array().is_some_and(|findings| findings.len() > 5));
        assert_eq!(file["coverage"]["holes"].as_array().map(Vec::len), Some(1), "{lang}: {}", file["coverage"]);
    }
}
