//! A key that servers send back in every place and spelling is found in no file and no output.

use super::APIS;
use crate::fake_model::{FakeModel, Piece, Play, events};
use crate::house::{CANARY, House, Question, Ran, agent, expected};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::path::Path;
use tamis::config::roster::Api;

/// The key in an address.
fn percent(key: &str) -> String {
    let unreserved = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    key.bytes().map(|byte| if unreserved(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// What of the key must be found nowhere: its parts, and the spellings that hide them.
fn forbidden() -> Vec<Vec<u8>> {
    let parts = ["zq-canary", "0123+4567", "89abcdef&x", "canary%2F0123"];
    let encoded = [STANDARD_NO_PAD.encode(CANARY), URL_SAFE_NO_PAD.encode(CANARY), STANDARD.encode(format!("user:{CANARY}"))];
    // The beginning of what is encoded may be something else's.
    let encoded = encoded.iter().map(|text| text.as_bytes()[12..28].to_vec());
    parts.iter().map(|part| part.as_bytes().to_vec()).chain(encoded).collect()
}

#[track_caller]
fn nowhere(house: &House, ran: &Ran, kept: &[&Path]) {
    let mut places = house.files();
    places.retain(|(path, _)| !kept.contains(&path.as_path()));
    places.push(("standard output".into(), ran.out.clone().into_bytes()));
    places.push(("standard error".into(), ran.err.clone().into_bytes()));
    for (path, bytes) in places {
        for part in forbidden() {
            let found = bytes.windows(part.len()).position(|window| window == part);
            let around =
                |at: usize| String::from_utf8_lossy(&bytes[at.saturating_sub(80)..(at + 80).min(bytes.len())]).into_owned();
            assert_eq!(found.map(around), None, "{} holds {}", path.display(), String::from_utf8_lossy(&part));
        }
    }
}

/// A document of one unit, so that little is asked.
const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note quickly.\n";

fn named(words: &str) -> Value {
    json!({
        "dimension": words, "severity": "major", "section": words, "uc_id": words, "quote": words, "missing": words,
        "finding": format!("Found {words}"), "suggestion": words, "auto_fixable": true,
        "resolution_edge_cases": [words], "blocked_on": [words],
    })
}

/// How a server gives the key away.
type Leak = fn(Api, &Question, &str) -> Play;

fn error_of(status: u16) -> impl Fn(Api, &str) -> Play {
    move |api, key| Play::error(api, status, &format!("bad_{key}"), &format!("{}you sent {key} in a header", "x".repeat(270)))
}

/// A clean stream with the model's name replaced.
fn stream(api: Api, text: &str, model: &str) -> Play {
    let model = serde_json::to_string(model).expect("JSON");
    let pieces = events(api, text).into_iter().map(|event| event.replace("\"tiny-1\"", &model));
    Play { pieces: pieces.map(|event| Piece::Bytes(event.into_bytes())).collect(), ..Play::stream(api, text) }
}

/// The text of a stream, a few characters a piece: no piece holds the key whole.
fn in_pieces(api: Api, text: &str) -> Play {
    let all = events(api, "§§");
    let characters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    for event in all {
        if !event.contains('§') {
            pieces.push(Piece::Bytes(event.into_bytes()));
            continue;
        }
        if pieces.iter().filter(|piece| matches!(piece, Piece::Bytes(_))).count() > 1 {
            continue;
        }
        for few in characters.chunks(3) {
            let few = serde_json::to_string(&few.iter().collect::<String>()).expect("JSON");
            pieces.push(Piece::Bytes(event.replace("\"§\"", &few).into_bytes()));
        }
    }
    Play { pieces, ..Play::stream(api, text) }
}

const LEAKS: [(&str, Leak); 12] = [
    ("in a refusal", |api, _, key| error_of(401)(api, key)),
    ("in a passing error", |api, _, key| error_of(500)(api, key).header("retry-after-ms", 1)),
    ("in a page", |_, _, key| Play::new(403, "text/html", format!("<html><title>{key}</title><body>{key}</body></html>"))),
    ("in Base64 and percent", |api, _, key| {
        let text = format!("{} {} {}", STANDARD.encode(format!("user:{key}")), percent(key), URL_SAFE_NO_PAD.encode(key));
        Play::error(api, 400, "invalid_request_error", &text)
    }),
    ("in an error inside a success", |api, _, key| {
        Play::new(
            200,
            "application/json",
            Play::error(api, 200, "e", "m").pieces.iter().fold(String::new(), |_, _| {
                json!({"error": {"type": "odd", "message": format!("{}{key}", "y".repeat(285))}}).to_string()
            }),
        )
    }),
    ("in a redirect", |_, _, key| {
        Play::new(307, "text/html", "moved").header("location", format!("http://127.0.0.1:9/{}/{key}?k={key}", percent(key)))
    }),
    ("in headers", |api, _, key| {
        Play::error(api, 429, "rate_limit_error", "busy")
            .header("retry-after", 7200)
            .header("request-id", key)
            .header("x-ratelimit-key", key)
    }),
    ("in the answer and the model's name", |api, question, key| {
        let text =
            crate::house::listed(question, vec![named(&format!("«{key}»")), named(&STANDARD.encode(key)), named(&percent(key))]);
        stream(api, &text, &format!("tiny {key}"))
    }),
    ("in many pieces", |api, question, key| in_pieces(api, &crate::house::listed(question, vec![named(key)]))),
    ("in escapes", |api, question, key| {
        let escaped: String = key.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let play = Play::stream(api, &crate::house::listed(question, vec![named("§§")]));
        let pieces = play.pieces.iter().map(|piece| match piece {
            Piece::Bytes(bytes) => Piece::Bytes(String::from_utf8_lossy(bytes).replace("§§", &escaped).into_bytes()),
            other => other.clone(),
        });
        Play { pieces: pieces.collect(), ..play }
    }),
    ("in what cannot be read", |api, _, key| {
        Play::stream(api, &format!("I will not. {key} {{\"findings\": [{{\"severity\": \"{key}\"}}]}}"))
    }),
    ("before it breaks off", |api, _, key| Play::stream_until(api, &format!("{key} {key}"), 3, Piece::Break)),
];

#[tokio::test]
async fn a_key_that_comes_back_is_kept_nowhere() {
    let mut running = tokio::task::JoinSet::new();
    for api in APIS {
        for (how, leak) in LEAKS {
            running.spawn(comes_back(api, how, leak));
            if running.len() >= 4 {
                running.join_next().await.expect("one").expect("as it should be");
            }
        }
    }
    running.join_all().await;
}

async fn comes_back(api: Api, how: &'static str, leak: Leak) {
    let server = FakeModel::scripted(expected(api), move |_, seen| {
        let sent = seen.header("authorization").or(seen.header("x-api-key")).expect("a key");
        leak(api, &Question::of(api, seen), sent.trim_start_matches("Bearer "))
    })
    .await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    let agent = agent(api, &server);
    let args =
        ["review", "notes.md", "--headless", "--agent", &agent, "--events", "e.jsonl", "--record", "tape", "--dimensions", "DEV"];
    let ran = house.run(&args).await;
    assert!([0, 3, 4].contains(&ran.code), "{how}: {ran:?}");
    server.checked(server.seen().len());
    // Where every answer held it in pieces nothing is recorded, and that is said.
    let none = ["in many pieces", "in escapes"].contains(&how);
    assert_eq!(ran.err.contains("not recorded: "), none, "{how}: {ran:?}");
    nowhere(&house, &ran, &[]);
    // What is played from the recordings holds none either, though nobody knows the key then.
    let house = house.without("OPENAI_API_KEY").without("ANTHROPIC_API_KEY");
    let ran = house
        .run(&["review", "notes.md", "--headless", "--agent", "replay:tape", "--dimensions", "DEV", "--out", "again.yaml"])
        .await;
    assert!(if none { ran.code == 2 } else { [0, 3, 4].contains(&ran.code) }, "{how}: {ran:?}");
    nowhere(&house, &ran, &[]);
}

#[tokio::test]
async fn a_key_from_a_file_that_comes_back_is_kept_nowhere_else() {
    for api in APIS {
        let house = House::new().without("OPENAI_API_KEY").without("ANTHROPIC_API_KEY");
        house.write("notes.md", DOCUMENT);
        let file = house.secret("tiny.key", &format!("{CANARY}\n"));
        let server = FakeModel::scripted(expected(api), move |_, seen| {
            let question = Question::of(api, seen);
            stream(api, &crate::house::listed(&question, vec![named(CANARY)]), CANARY)
        })
        .await;
        house.settings(&format!(
            "schema: tamis.config/1\nagents:\n  mine: {{kind: {}, model: tiny, base_url: \"{}\", key_file: tiny.key}}\nseats: {{reviewer: mine}}\n",
            api.word(),
            server.base_url(api),
        ));
        let shown = house.run(&["config", "show", "--origin"]).await;
        assert_eq!(shown.code, 0, "{shown:?}");
        assert!(shown.out.contains("tiny.key"), "{}", shown.out);
        nowhere(&house, &shown, &[&file]);
        let ran = house.run(&["review", "notes.md", "--headless", "--events", "e.jsonl", "--record", "tape"]).await;
        assert!([0, 3, 4].contains(&ran.code), "{ran:?}");
        server.checked(server.seen().len());
        nowhere(&house, &ran, &[&file]);
        let replayed = house.run(&["replay", &house.run_id(), "--json"]).await;
        assert_eq!(replayed.code, 0, "{replayed:?}");
        nowhere(&house, &replayed, &[&file]);
    }
}
