//! Caps hold, what was paid for is kept, and a resume under a higher cap asks only what was held.

use super::APIS;
use crate::fake_model::{FakeModel, Piece, Play};
use crate::house::{CANARY, House, Question, agent, expected, finding, listed};
use serde_json::{Value, json};
use tamis::config::roster::Api;

/// What every answer of the fake costs: read and written.
const READ: u64 = 3000;
const WRITTEN: u64 = 7;

/// A clean answer that costs as much as a real one.
fn paid(api: Api, text: &str) -> Play {
    let play = Play::stream(api, text);
    let dear = |piece: &Piece| match piece {
        Piece::Bytes(bytes) => {
            let text = String::from_utf8_lossy(bytes).replace("\"prompt_tokens\":11", "\"prompt_tokens\":3000");
            // Three more come from the cache.
            Piece::Bytes(text.replace("\"input_tokens\":8", "\"input_tokens\":2997").into_bytes())
        }
        other => other.clone(),
    };
    Play { pieces: play.pieces.iter().map(dear).collect(), ..play }
}

/// A server with one finding, on the first bucket.
async fn server(api: Api) -> FakeModel {
    FakeModel::scripted(expected(api), move |_, seen| {
        let question = Question::of(api, seen);
        let quote = "AC-01: The reader sees the note quickly.";
        let there = question.dimension == "DEV" && question.shows(quote);
        let items = if there {
            vec![finding("DEV", "major", "Acceptance Criteria", quote, "Nobody says how quickly.")]
        } else {
            Vec::new()
        };
        paid(api, &listed(&question, items))
    })
    .await
}

const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note quickly.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";

fn house(api: Api, server: &FakeModel, more: &str) -> House {
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&format!(
        "schema: tamis.config/1\nagents:\n  mine:\n    kind: {}\n    model: tiny\n    base_url: \"{}\"\n    max_output: 1000\n    concurrency: 1\n    prices: {{currency: USD, input: 2, output: 10}}\nseats: {{reviewer: mine, floor: false}}\n{more}",
        api.word(),
        server.base_url(api),
    ));
    house
}

/// A file without its times.
fn timeless(mut file: Value) -> Value {
    file["generated_at"] = Value::Null;
    file["run"]["finished_at"] = Value::Null;
    file["run"]["durations_ms"] = Value::Null;
    file
}

fn holes(file: &Value) -> Vec<String> {
    file["coverage"]["holes"]
        .as_array()
        .expect("holes")
        .iter()
        .map(|hole| hole["step"].as_str().expect("a step").to_owned())
        .collect()
}

/// The largest of what was spent before a start and what was reserved then.
fn most(events: &[Value], of: impl Fn(&Value) -> u64) -> u64 {
    let (mut spent, mut most) = (0, 0);
    let mut under_way = std::collections::BTreeMap::new();
    for event in events {
        let (key, body) = (event["key"].as_str().unwrap_or_default(), &event["body"]);
        match event["kind"].as_str() {
            Some("step_started") => {
                under_way.insert(key.to_owned(), of(&body["reserve"]));
            }
            Some("step_done" | "attempt_failed") => {
                under_way.remove(key);
                spent += of(&body["usage"]);
            }
            _ => {}
        }
        most = most.max(spent + under_way.values().sum::<u64>());
    }
    most
}

fn tokens(value: &Value) -> u64 {
    let number = |name: &str| value[name].as_u64().unwrap_or(0);
    number("tokens") + number("tokens_in") + number("tokens_out")
}

fn micros(value: &Value) -> u64 {
    value["cost_micros"].as_u64().unwrap_or(0)
}

/// Reviews under a cap, again under the same, and under a higher one.
async fn capped(api: Api, flag: &str, low: &str, high: &str, cap: u64, of: fn(&Value) -> u64) {
    let server = server(api).await;
    let house = house(api, &server, "");
    let ran = house.run(&["review", "notes.md", "--headless", "--events", "e.jsonl", flag, low]).await;
    assert_eq!(ran.code, 4, "{ran:?}");
    let asked = server.seen().len();
    let file = house.findings("notes.md");
    let held = holes(&file);
    assert!(asked >= 1 && !held.is_empty(), "{asked} asked, {held:?} held: {ran:?}");
    assert!(ran.out.contains("Recommendation: INCOMPLETE"), "{}", ran.out);
    assert!(ran.err.contains("the cap of"), "{}", ran.err);
    let events = house.events("e.jsonl");
    let most = most(&events, of);
    assert!(most <= cap, "{most} of {cap}");
    let run = house.run_id();

    // Under the same cap: nothing is asked, and what stands stays.
    let ran = house.run(&["resume", &run, "--headless", flag, low]).await;
    assert_eq!((ran.code, server.seen().len()), (4, asked), "{ran:?}");
    assert_eq!(holes(&house.findings("notes.md")), held);
    assert_eq!(timeless(house.findings("notes.md")), timeless(file));

    // Under a higher one: only what was held.
    let ran = house.run(&["resume", &run, "--headless", "--events", "again.jsonl", flag, high]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let file = house.findings("notes.md");
    assert_eq!(holes(&file), Vec::<String>::new());
    assert!(!ran.out.contains("INCOMPLETE"), "{}", ran.out);
    assert_eq!(file["findings"][0]["finding"], "Nobody says how quickly.");
    let started = |name: &str| -> Vec<String> {
        let events = house.events(name);
        let asked = events.iter().filter(|event| event["kind"] == "step_started" && event["body"]["reserve"].is_object());
        asked.map(|event| event["key"].as_str().expect("a key").to_owned()).collect()
    };
    let (first, second) = (started("e.jsonl"), started("again.jsonl"));
    assert!(
        second.iter().all(|key| !first.contains(key) || key.starts_with("critic/")),
        "asked again: {second:?} after {first:?}"
    );
    let calls = server.seen().len() as u64;
    let used = &file["run"]["usage"]["mine"];
    assert_eq!((&used["calls"], tokens(&used["usage"])), (&json!(calls), calls * (READ + WRITTEN)), "{}", file["run"]);
    // Read at 2 a million (cached ones cost the same where nothing else is said), written at 10.
    assert_eq!(used["usage"]["cost_micros"], json!(calls * (READ * 2 + WRITTEN * 10)), "{}", file["run"]);
    server.checked(calls as usize);
}

#[tokio::test]
async fn a_cap_on_tokens_holds_and_a_higher_one_fills_the_holes() {
    for api in APIS {
        capped(api, "--max-tokens", "16000", "9000000", 16_000, tokens).await;
    }
}

#[tokio::test]
async fn a_cap_on_cost_holds_and_a_higher_one_fills_the_holes() {
    for api in APIS {
        capped(api, "--max-cost", "0.04", "90", 40_000, micros).await;
    }
}

#[tokio::test]
async fn a_cap_on_cost_cannot_be_kept_without_prices_and_nothing_is_asked() {
    let api = Api::OpenAi;
    let server = server(api).await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    let agent = agent(api, &server);
    let ran = house.run(&["review", "notes.md", "--headless", "--agent", &agent, "--max-cost", "5"]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("no prices of"), "{}", ran.err);
    server.checked(0);
}

#[tokio::test]
async fn a_cap_in_the_settings_holds_as_one_on_the_command_line() {
    let api = Api::Anthropic;
    let server = server(api).await;
    let house = house(api, &server, "caps: {tokens: 16000}\n");
    let ran = house.run(&["review", "notes.md", "--headless"]).await;
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("the cap of 16000 tokens"), "{}", ran.err);
    let ran = house.run(&["resume", &house.run_id(), "--headless", "--max-tokens", "9000000"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    server.checked(server.seen().len());
}

#[tokio::test]
async fn no_time_is_no_cap() {
    let api = Api::OpenAi;
    let server = server(api).await;
    let house = house(api, &server, "");
    for minutes in ["0", "-1", "1.5", "soon"] {
        let flag = format!("--max-minutes={minutes}");
        let ran = house.run(&["review", "notes.md", "--headless", &flag]).await;
        assert_eq!(ran.code, 2, "{minutes}: {ran:?}");
        assert!(ran.err.contains("minutes"), "{ran:?}");
    }
    server.checked(0);
}

#[tokio::test]
async fn without_a_key_what_was_held_stays_held() {
    for api in APIS {
        let server = server(api).await;
        let house = house(api, &server, "caps: {tokens: 16000}\n");
        let entry = format!("kind: {}\n", api.word());
        let settings = std::fs::read_to_string(house.settings_path()).expect("settings");
        house.settings(&settings.replace(&entry, &format!("{entry}    key_file: tiny.key\n")));
        let key = house.secret("tiny.key", CANARY);
        let ran = house.run(&["review", "notes.md", "--headless"]).await;
        assert_eq!(ran.code, 4, "{ran:?}");
        let (asked, run, file) = (server.seen().len(), house.run_id(), house.findings("notes.md"));
        std::fs::remove_file(&key).expect("removed");
        let ran = house.run(&["resume", &run, "--headless", "--max-tokens", "9000000"]).await;
        assert_eq!((ran.code, server.seen().len()), (4, asked), "{ran:?}");
        assert!(ran.err.contains("tiny.key"), "{}", ran.err);
        assert_eq!(holes(&house.findings("notes.md")), holes(&file));
        house.secret("tiny.key", CANARY);
        let ran = house.run(&["resume", &run, "--headless", "--max-tokens", "9000000"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(holes(&house.findings("notes.md")), Vec::<String>::new());
        server.checked(server.seen().len());
    }
}
