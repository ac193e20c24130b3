//! Every way in which an answer can fail has its name, costs as many requests as it may, and never counts as "nothing found".

use super::APIS;
use crate::fake_model::{Expected, FakeModel, Piece, Play, events};
use crate::house::{House, Question, Task, expected};
use serde_json::{Value, json};
use tamis::config::roster::Api;

const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";
const CLEAN: &str = r#"{"findings":[]}"#;

/// A failure: how the server behaves, its name, and how many requests it takes.
struct Failure {
    how: &'static str,
    play: fn(Api) -> Play,
    class: &'static str,
    requests: usize,
    /// What is said of it.
    says: &'static str,
}

/// A clean stream whose reason for stopping is another one.
fn stops(api: Api, reason: &str) -> Play {
    let clean = if api == Api::OpenAi { "\"stop\"" } else { "\"end_turn\"" };
    replaced(api, CLEAN, &[(clean, &format!("\"{reason}\""))])
}

fn replaced(api: Api, text: &str, changes: &[(&str, &str)]) -> Play {
    let pieces = events(api, text).into_iter().map(|event| {
        let event = changes.iter().fold(event, |event, (from, to)| event.replace(from, to));
        Piece::Bytes(event.into_bytes())
    });
    Play { pieces: pieces.collect(), ..Play::stream(api, text) }
}

fn of(api: Api, openai: Value, anthropic: Value) -> String {
    match api {
        Api::OpenAi => format!("data: {openai}\n\n"),
        Api::Anthropic => format!("event: {}\ndata: {anthropic}\n\n", anthropic["type"].as_str().unwrap_or_default()),
    }
}

/// A stream with one event in place of its text.
fn instead(api: Api, event: String, reason: Option<&str>) -> Play {
    let mut play = match reason {
        Some(reason) => stops(api, reason),
        None => Play::stream(api, CLEAN),
    };
    play.pieces.splice(1..3, [Piece::Bytes(event.into_bytes())]);
    play
}

const FAILURES: [Failure; 21] = [
    Failure {
        how: "cut at the output limit",
        class: "truncated",
        requests: 1,
        says: "output limit",
        play: |api| stops(api, if api == Api::OpenAi { "length" } else { "max_tokens" }),
    },
    Failure {
        how: "declined",
        class: "refused",
        requests: 1,
        says: "declined",
        play: |api| {
            let words = json!({"choices": [{"index": 0, "delta": {"refusal": "I cannot help with that."}}]});
            let details = json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "no"}}});
            instead(api, of(api, words, details), None)
        },
    },
    Failure {
        how: "held back by a filter",
        class: "filtered",
        requests: 1,
        says: "filter",
        play: |api| stops(api, "content_filter"),
    },
    Failure {
        how: "empty",
        class: "empty",
        requests: 1,
        says: "",
        play: |api| {
            let mut play = Play::stream(api, CLEAN);
            play.pieces.drain(1..3);
            play
        },
    },
    Failure { how: "blank", class: "empty", requests: 1, says: "", play: |api| Play::stream(api, " \n ") },
    Failure {
        how: "nothing but thoughts",
        class: "reasoning_only",
        requests: 1,
        says: "",
        play: |api| {
            let thought = json!({"choices": [{"index": 0, "delta": {"reasoning_content": "[] would be right"}}]});
            let thinks =
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "[]"}});
            instead(api, of(api, thought, thinks), None)
        },
    },
    Failure {
        how: "an error inside a success",
        class: "error_inside",
        requests: 1,
        says: "model is gone",
        play: |_| {
            Play::new(
                200,
                "application/json",
                json!({"error": {"type": "invalid_request_error", "message": "the model is gone"}}).to_string(),
            )
        },
    },
    Failure {
        how: "an error amid a stream",
        class: "error_inside",
        requests: 3,
        says: "Overloaded",
        play: |api| {
            let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
            Play::stream_until(api, CLEAN, 2, Piece::Bytes(of(api, error.clone(), error).into_bytes()))
        },
    },
    Failure { how: "JSON for a stream", class: "wrong_format", requests: 1, says: "stream", play: |api| Play::whole(api, CLEAN) },
    Failure {
        how: "a page for an answer",
        class: "wrong_format",
        requests: 1,
        says: "Sign in",
        play: |_| Play::new(200, "text/html", "<html><head><title>Sign in</title></head></html>"),
    },
    Failure {
        how: "broken off",
        class: "broken",
        requests: 3,
        says: "",
        play: |api| Play::stream_until(api, CLEAN, 2, Piece::Break),
    },
    Failure {
        how: "ended without a reason",
        class: "broken",
        requests: 3,
        says: "reason for stopping",
        play: |api| Play::stream_until(api, CLEAN, 3, Piece::Bytes(Vec::new())),
    },
    Failure {
        how: "standing still",
        class: "stalled",
        requests: 3,
        says: "stood still",
        play: |api| Play::stream_until(api, CLEAN, 2, Piece::Stall),
    },
    Failure {
        how: "stopped for an odd reason",
        class: "unknown_stop",
        requests: 1,
        says: "pause_turn",
        play: |api| stops(api, "pause_turn"),
    },
    Failure {
        how: "a wrong key",
        class: "denied",
        requests: 1,
        says: "bad key",
        play: |api| Play::error(api, 401, "authentication_error", "bad key"),
    },
    Failure {
        how: "no money",
        class: "quota",
        requests: 1,
        says: "billing",
        play: |api| Play::error(api, 402, "billing_error", "see billing"),
    },
    Failure {
        how: "a wait of hours",
        class: "quota",
        requests: 1,
        says: "2 h",
        play: |api| Play::error(api, 429, "rate_limit_error", "too much").header("retry-after", 7200),
    },
    Failure {
        how: "a bad request",
        class: "rejected",
        requests: 1,
        says: "messages.0",
        play: |api| Play::error(api, 400, "invalid_request_error", "messages.0: no"),
    },
    Failure {
        how: "no such model",
        class: "rejected",
        requests: 1,
        says: "no such model",
        play: |api| Play::error(api, 404, "not_found_error", "no such model"),
    },
    Failure {
        how: "too long",
        class: "too_long",
        requests: 1,
        says: "too long",
        play: |api| Play::error(api, 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    },
    Failure {
        how: "a server that is down",
        class: "unavailable",
        requests: 3,
        says: "no capacity",
        play: |api| Play::error(api, 500, "api_error", "no capacity").header("retry-after-ms", 1),
    },
];

fn settings(api: Api, server: &FakeModel, stream: bool) -> String {
    format!(
        "schema: tamis.config/1\nagents:\n  mine:\n    kind: {}\n    model: tiny\n    base_url: \"{}\"\n    stream: {stream}\n    timeouts: {{idle: 0.3, first_byte: 20}}\nseats: {{reviewer: mine, floor: false}}\n",
        api.word(),
        server.base_url(api),
    )
}

/// The reviewer's question about the only use case.
fn is_the_one(question: &Question) -> bool {
    question.task == Task::Reviewer && question.shows("AC-01: The reader")
}

/// A review in which one question, and only that, is answered like this.
async fn fails(api: Api, failure: &Failure, stream: bool) {
    let play = failure.play;
    let wanted = Expected { stream, ..expected(api) };
    let clean = move || if stream { Play::stream(api, CLEAN) } else { Play::whole(api, CLEAN) };
    let server = FakeModel::scripted(wanted, move |_, seen| match is_the_one(&Question::of(api, seen)) {
        true => play(api),
        false => clean(),
    })
    .await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&settings(api, &server, stream));
    let ran = house.run(&["review", "notes.md", "--headless", "--dimensions", "DEV", "--events", "e.jsonl"]).await;
    let told = format!("{} ({}): {ran:?}", failure.how, api.word());
    assert_eq!(ran.code, 4, "{told}");
    assert!(ran.out.contains("Recommendation: INCOMPLETE"), "{told}");
    let file = house.findings("notes.md");
    let holes = file["coverage"]["holes"].as_array().expect("holes");
    assert_eq!(holes.len(), 1, "{told}");
    let reason = holes[0]["reason"].as_str().expect("a reason");
    assert!(reason.contains(failure.says), "{reason}: {told}");
    assert!(!ran.out.contains("findings file is complete"), "{told}");
    let events = house.events("e.jsonl");
    let failed: Vec<&Value> = events.iter().filter(|event| event["kind"] == "attempt_failed").collect();
    assert_eq!(failed.len(), 1, "one attempt, whatever was retried in it: {told}");
    assert_eq!(failed[0]["body"]["class"], failure.class, "{told}");
    let lines = ran.err.lines().filter(|line| line.contains(reason)).count();
    assert!(lines >= 1, "said on standard error: {told}");
    let asked: Vec<Vec<u8>> =
        server.seen().into_iter().filter(|seen| is_the_one(&Question::of(api, seen))).map(|seen| seen.body).collect();
    assert_eq!(asked.len(), failure.requests, "requests: {told}");
    assert!(asked.windows(2).all(|two| two[0] == two[1]), "the same bytes each time: {told}");
    server.checked(server.seen().len());
}

#[tokio::test]
async fn every_failure_is_named_and_leaves_a_hole() {
    for api in APIS {
        let mut running = tokio::task::JoinSet::new();
        for failure in &FAILURES {
            running.spawn(fails(api, failure, true));
            if running.len() >= 4 {
                running.join_next().await.expect("one").expect("as it should be");
            }
        }
        running.join_all().await;
    }
}

#[tokio::test]
async fn a_stream_that_was_not_asked_for_is_named() {
    for api in APIS {
        let play = |api| Play::stream(api, CLEAN);
        let failure = Failure { how: "a stream for JSON", play, class: "wrong_format", requests: 1, says: "stream" };
        fails(api, &failure, false).await;
    }
}

#[tokio::test]
async fn where_every_question_fails_nothing_is_said_to_be_clean() {
    for api in APIS {
        let server =
            FakeModel::scripted(expected(api), move |_, _| Play::error(api, 401, "authentication_error", "bad key")).await;
        let house = House::new();
        house.write("notes.md", DOCUMENT);
        house.settings(&settings(api, &server, true));
        let ran = house.run(&["review", "notes.md", "--headless", "--dimensions", "DEV,SA"]).await;
        assert_eq!(ran.code, 4, "{ran:?}");
        let file = house.findings("notes.md");
        let holes: Vec<&str> =
            file["coverage"]["holes"].as_array().expect("holes").iter().filter_map(|hole| hole["step"].as_str()).collect();
        assert!(holes.iter().any(|step| step.starts_with("critic")), "{}", file["coverage"]);
        assert_eq!(holes.len(), 5, "{}", file["coverage"]);
        assert_eq!(file["convergence"]["converged"], false, "{}", file["convergence"]);
        server.checked(5);
    }
}
