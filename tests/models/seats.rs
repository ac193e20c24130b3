//! Who is asked: plans, seats, windows, settings, and runs that go on with others.

use super::APIS;
use crate::fake_model::{Expected, FakeModel, Play};
use crate::house::{CANARY, House, Question, Task, agent, council, expected, finding, listed, questions};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tamis::config::roster::Api;

const DOCUMENT: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note quickly.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";

fn entry(name: &str, api: Api, server: &FakeModel, more: &str) -> String {
    format!("  {name}: {{kind: {}, model: {name}, base_url: \"{}\"{more}}}\n", api.word(), server.base_url(api))
}

/// A server of one model that answers `[]` to everything.
async fn clean(api: Api, model: &str) -> FakeModel {
    FakeModel::scripted(Expected { model: model.into(), ..expected(api) }, move |_, seen| {
        Play::stream(api, &listed(&Question::of(api, seen), Vec::new()))
    })
    .await
}

#[tokio::test]
async fn a_plan_shows_what_a_review_takes_and_asks_nobody() {
    for api in APIS {
        let server = council(api, |_| Vec::new()).await;
        let house = House::new();
        house.write("notes.md", DOCUMENT);
        house.settings(&format!(
            "schema: tamis.config/1\nagents:\n{}seats: {{reviewer: tiny}}\n",
            entry("tiny", api, &server, ", max_output: 1000, prices: {input: 2, output: 10}"),
        ));
        let ran = house.run(&["plan", "notes.md", "--json"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let plan: Value = serde_json::from_str(&ran.out).expect("JSON");
        let estimate = &plan["estimate"];
        let span =
            |name: &str| (estimate[name]["least"].as_u64().expect("least"), estimate[name]["most"].as_u64().expect("most"));
        for name in ["calls", "tokens_in", "tokens_out", "cost_micros"] {
            let (least, most) = span(name);
            assert!(0 < least && least < most, "{name}: {estimate}");
        }
        let origin = format!("http://{}", server.address);
        assert_eq!(estimate["destinations"], json!([{"server": origin, "models": ["tiny"]}]), "{estimate}");
        let shown = house.run(&["plan", "notes.md"]).await;
        assert!(shown.out.contains("USD") && shown.out.contains(&origin), "{}", shown.out);
        server.checked(0);
        // What a review really takes lies within.
        let ran = house.run(&["review", "notes.md", "--headless", "--defer-all", "later", "--defer-policy"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let calls = server.seen().len() as u64;
        let (least, most) = span("calls");
        assert!(least <= calls && calls <= most, "{least} {calls} {most}");
        server.checked(calls as usize);
    }
}

/// A document of many lines, each its own.
fn long() -> String {
    let lines = (1..=400)
        .map(|number| format!("- BR-{number:03}: Rule {number} says what the reader of note {number} may see and do.\n"));
    format!("# Notes\n\n## Business rules\n{}", lines.collect::<String>())
}

#[tokio::test]
async fn a_document_longer_than_the_critic_reads_is_refused_and_read_in_windows_where_that_is_asked_for() {
    for api in APIS {
        let server = council(api, |_| Vec::new()).await;
        let critic = clean(api, "small").await;
        let house = House::new();
        house.write("notes.md", &long());
        house.settings(&format!(
            "schema: tamis.config/1\nagents:\n{}{}seats: {{reviewer: tiny, critic: small, arbiter: none, floor: false}}\n",
            entry("tiny", api, &server, ""),
            entry("small", api, &critic, ", context: 12000, max_output: 1000"),
        ));
        for command in [&["plan", "notes.md"][..], &["review", "notes.md", "--headless"][..]] {
            let ran = house.run(command).await;
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(ran.err.contains("critic") && ran.err.contains("12000") && ran.err.contains("--window"), "{}", ran.err);
        }
        server.checked(0);
        critic.checked(0);
        assert!(!house.path("notes.findings.yaml").exists());
        let ran = house.run(&["review", "notes.md", "--headless", "--window"]).await;
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.out.contains("INCOMPLETE") && ran.out.contains("windows"), "{}", ran.out);
        assert!(!ran.out.contains("is complete"), "{}", ran.out);
        let file = house.findings("notes.md");
        let windows = file["coverage"]["critic_windows"].as_u64().expect("windows");
        assert!(windows >= 2, "{}", file["coverage"]);
        let asked = questions(api, &critic);
        assert_eq!(asked.len() as u64, windows * 2, "every window in both rounds");
        for line in long().lines().filter(|line| line.starts_with("- BR")) {
            assert!(asked.iter().any(|question| question.shows(line)), "no window shows {line}");
        }
        server.checked(server.seen().len());
        critic.checked(critic.seen().len());
    }
}

#[tokio::test]
async fn a_document_longer_than_a_reviewer_reads_is_refused_with_its_sizes() {
    let api = Api::OpenAi;
    let server = clean(api, "tiny").await;
    let house = House::new();
    house.write("notes.md", &long());
    house.settings(&format!(
        "schema: tamis.config/1\nagents:\n{}seats: {{reviewer: tiny}}\n",
        entry("tiny", api, &server, ", context: 6000, max_output: 1000"),
    ));
    for command in [&["plan", "notes.md"][..], &["review", "notes.md", "--headless", "--window"][..]] {
        let ran = house.run(command).await;
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("review/") && ran.err.contains("6000"), "{}", ran.err);
    }
    server.checked(0);
}

#[tokio::test]
async fn seats_sit_where_the_settings_say() {
    let (api, other) = (Api::OpenAi, Api::Anthropic);
    let (reviewer, dimension, critic) = (clean(api, "main").await, clean(other, "special").await, clean(other, "second").await);
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&format!(
        "schema: tamis.config/1\nagents:\n{}{}{}seats:\n  reviewer: main\n  dimensions: {{SA: special}}\n  critic: second\n  arbiter: none\n  replicas: 2\n  floor: false\n",
        entry("main", api, &reviewer, ""),
        entry("special", other, &dimension, ""),
        entry("second", other, &critic, ""),
    ));
    let ran = house.run(&["review", "notes.md", "--headless"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let dimensions = |api, server: &FakeModel| -> Vec<(Task, String)> {
        questions(api, server).into_iter().map(|question| (question.task, question.dimension)).collect()
    };
    let asked = dimensions(api, &reviewer);
    assert!(asked.iter().all(|(task, dimension)| *task == Task::Reviewer && dimension != "SA"), "{asked:?}");
    // Two buckets, two replicas, two dimensions here and one there.
    assert_eq!((asked.len(), dimensions(other, &dimension).len()), (8, 4));
    assert!(dimensions(other, &dimension).iter().all(|(task, dimension)| *task == Task::Reviewer && dimension == "SA"));
    assert_eq!(dimensions(other, &critic), [(Task::Critic, String::new()), (Task::Critic, String::new())]);
    for server in [&reviewer, &dimension, &critic] {
        server.checked(server.seen().len());
        assert!(ran.err.contains(&format!("http://{}", server.address)), "{}", ran.err);
    }
    let run = &house.findings("notes.md")["run"];
    assert_eq!(run["seats"]["SA"], format!("anthropic:special at {}", dimension.base_url(other)), "{run}");
    assert!(run["seats"]["arbiter"].is_null(), "{run}");
    // On the command line, over the settings.
    let agent = format!("openai:main@{}", reviewer.base_url(api));
    let ran = house
        .run(&[
            "review",
            "notes.md",
            "--headless",
            "--agent",
            &agent,
            "--critic",
            "offline",
            "--arbiter",
            "none",
            "--out",
            "b.yaml",
        ])
        .await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(dimension.seen().len(), 4, "--agent sits in every seat: {ran:?}");
}

#[tokio::test]
async fn the_rules_review_beside_a_model_unless_the_settings_say_otherwise() {
    let api = Api::OpenAi;
    let server = clean(api, "tiny").await;
    let document = DOCUMENT.replace("quickly", "in TBD seconds");
    for (floor, by_rules) in [("", true), ("seats: {floor: true}\n", true), ("seats: {floor: false}\n", false)] {
        let house = House::new();
        house.write("notes.md", &document);
        house.settings(&format!("schema: tamis.config/1\n{floor}"));
        let ran = house.run(&["review", "notes.md", "--headless", "--agent", &agent(api, &server)]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let file = house.findings("notes.md");
        let found = file["findings"].as_array().expect("findings").iter().filter(|one| one["rule"].is_string()).count();
        assert_eq!(found > 0, by_rules, "{floor}: {file}");
    }
    server.checked(server.seen().len());
}

#[tokio::test]
async fn a_key_that_is_missing_is_named_before_anything_is_sent_and_not_needed_for_what_is_recorded() {
    for api in APIS {
        let house = House::new().without(api.default_key_env());
        house.write("notes.md", DOCUMENT);
        let ran = house.run(&["review", "notes.md", "--headless", "--agent", &format!("{}:tiny", api.word())]).await;
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(api.default_key_env()), "{}", ran.err);

        let server = clean(api, "tiny").await;
        let key = house.secret("tiny.key", CANARY);
        house.settings(&format!(
            "schema: tamis.config/1\nagents:\n{}seats: {{reviewer: tiny}}\n",
            entry("tiny", api, &server, ", key_file: tiny.key"),
        ));
        let ran = house.run(&["review", "notes.md", "--headless"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let (asked, run) = (server.seen().len(), house.run_id());
        server.checked(asked);
        std::fs::remove_file(&key).expect("removed");
        let ran = house.run(&["review", "notes.md", "--headless", "--out", "other.yaml"]).await;
        assert!(ran.code != 0 && ran.err.contains("tiny.key"), "{ran:?}");
        let ran = house.run(&["resume", &run, "--headless"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = house.run(&["replay", &run]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(server.seen().len(), asked, "everything was recorded");
    }
}

/// A review that waits for a person over a policy question.
async fn waiting(api: Api, model: &str) -> (FakeModel, House, String) {
    let server = FakeModel::scripted(Expected { model: model.into(), ..expected(api) }, move |_, seen| {
        let question = Question::of(api, seen);
        let quote = "The reader sees the note quickly.";
        let mut one = finding("DEV", "major", "Acceptance Criteria", quote, "Nobody says who may read.");
        one["blocked_on"] = json!(["needs-privacy-decision: who may read a note?"]);
        let there = question.dimension == "DEV" && question.shows(quote);
        Play::stream(api, &listed(&question, if there { vec![one] } else { Vec::new() }))
    })
    .await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&settings(api, model, &server));
    let ran = house.run(&["review", "notes.md", "--headless"]).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.out.contains("needs-privacy-decision: who may read a note?"), "{}", ran.out);
    assert!(!house.path("notes.findings.yaml").exists());
    let run = house.run_id();
    (server, house, run)
}

fn settings(api: Api, model: &str, server: &FakeModel) -> String {
    format!(
        "schema: tamis.config/1\nagents:\n  mine: {{kind: {}, model: {model}, base_url: \"{}\"}}\nseats: {{reviewer: mine, floor: false}}\n",
        api.word(),
        server.base_url(api),
    )
}

#[tokio::test]
async fn a_run_goes_on_with_another_model_or_other_prompts_only_where_that_is_said() {
    for api in APIS {
        let (server, house, run) = waiting(api, "first").await;
        let asked = server.seen().len();
        let on = |more: &[&'static str]| -> Vec<String> {
            let fixed = ["resume", &run, "--headless", "--defer-all", "later", "--defer-policy"];
            fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
        };
        let go = async |house: &House, more: &[&'static str]| {
            let words = on(more);
            house.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        house.settings(&settings(api, "second", &server));
        let ran = go(&house, &[]).await;
        assert_eq!(ran.code, 6, "{ran:?}");
        for part in ["reviewer", "first", "second", "--accept-change models"] {
            assert!(ran.err.contains(part), "{part}: {}", ran.err);
        }
        // The prompts, too.
        house.settings(&settings(api, "first", &server));
        let shown =
            std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts/system.md")).expect("text");
        house.secret("prompts/system.md", &format!("{shown}\n- Be brief.\n"));
        let ran = go(&house, &[]).await;
        assert_eq!(ran.code, 6, "{ran:?}");
        assert!(ran.err.contains("prompts") && ran.err.contains("--accept-change prompts"), "{}", ran.err);
        house.settings(&settings(api, "second", &server));
        let ran = go(&house, &["--accept-change", "models"]).await;
        assert_eq!(ran.code, 6, "one is not both: {ran:?}");
        assert!(!house.path("notes.findings.yaml").exists());
        let ran = go(&house, &["--accept-change", "models,prompts"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(server.seen().len(), asked, "everything was recorded");
        assert_eq!(house.findings("notes.md")["findings"][0]["blocked_on"][0]["policy"], "privacy");
        server.checked(asked);
    }
}

#[tokio::test]
async fn settings_are_shown_with_where_they_come_from_and_mistakes_with_their_line() {
    let api = Api::OpenAi;
    let server = clean(api, "tiny").await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&format!("schema: tamis.config/1\nagents:\n{}seats: {{reviewer: tiny}}\n", entry("tiny", api, &server, "")));
    let ran = house.run(&["config", "show", "--origin"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("config.yaml:3") || ran.out.contains("line 3"), "{}", ran.out);
    assert!(ran.out.contains("OPENAI_API_KEY") && !ran.out.contains(CANARY), "{}", ran.out);
    let path = house.run(&["config", "path"]).await;
    assert!(path.out.trim().ends_with("settings/tamis/config.yaml"), "{}", path.out);
    for (text, parts) in [
        (
            "schema: tamis.config/1\nseats: {reviewer: tinny}\nagents:\n  tiny: {kind: openai, model: m}\n",
            &["config.yaml:2", "tinny", "tiny"][..],
        ),
        ("schema: tamis.config/1\nagents:\n  tiny: {kind: opneai, model: m}\n", &["config.yaml:3", "opneai", "openai"]),
        ("schema: tamis.config/1\nagents:\n  tiny: {kind: openai, model: m, api_key: sk-1}\n", &["config.yaml:3", "key_env"]),
        (
            "schema: tamis.config/1\nagents:\n  tiny: {kind: openai, model: m}\nseats:\n  reviewer: tiny\n  dimensions: {DVE: tiny}\n",
            &["config.yaml:6", "DVE", "DEV"],
        ),
    ] {
        house.settings(text);
        let ran = house.run(&["review", "notes.md", "--headless"]).await;
        assert_eq!(ran.code, 2, "{text}: {ran:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{part}: {}", ran.err);
        }
        assert!(!ran.err.contains("sk-1"), "{}", ran.err);
    }
    server.checked(0);
}

#[tokio::test]
async fn seats_that_are_one_model_are_said_to_be_so() {
    let api = Api::Anthropic;
    let server = clean(api, "tiny").await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    let ran = house.run(&["review", "notes.md", "--headless", "--agent", &agent(api, &server), "--events", "e.jsonl"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("reviewer and critic are one model"), "{}", ran.err);
    let kinds: BTreeSet<String> =
        house.events("e.jsonl").iter().map(|event| event["kind"].as_str().expect("a kind").to_owned()).collect();
    assert!(kinds.contains("sending_confirmed"));
    server.checked(server.seen().len());
}

#[tokio::test]
async fn a_section_goes_only_to_those_who_are_asked_about_it() {
    let api = Api::OpenAi;
    let quote = "The reader sees the note quickly.";
    let server =
        council(api, move |_| vec![finding("DEV", "major", "Acceptance Criteria", quote, "Nobody says how quickly.")]).await;
    let critic = clean(Api::Anthropic, "second").await;
    let house = House::new();
    house.write("notes.md", DOCUMENT);
    house.settings(&format!(
        "schema: tamis.config/1\nagents:\n{}{}seats: {{reviewer: tiny, critic: second}}\n",
        entry("tiny", api, &server, ""),
        entry("second", Api::Anthropic, &critic, ""),
    ));
    let ran = house.run(&["scan", "notes.md", "--dimension", "DEV"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let array: Value = serde_json::from_str(&ran.out).expect("a JSON array");
    assert!(array.as_array().is_some_and(|all| all.iter().any(|one| one["finding"] == "Nobody says how quickly.")), "{array}");
    let sent: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("sends ")).collect();
    assert_eq!(sent, [format!("sends the section to http://{} (tiny)", server.address)]);
    critic.checked(0);
    server.checked(server.seen().len());
    // No answer is no empty list.
    let server = FakeModel::scripted(expected(api), move |_, _| Play::error(api, 401, "authentication_error", "bad key")).await;
    let ran = house.run(&["scan", "notes.md", "--agent", &agent(api, &server)]).await;
    assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{ran:?}");
    assert!(ran.err.contains("bad key"), "{}", ran.err);
}

#[tokio::test]
async fn a_run_that_was_stopped_is_not_taken_up_without_its_key() {
    for api in APIS {
        let server = clean(api, "tiny").await;
        let key_file = ", key_file: tiny.key";
        let house = House::new();
        house.write("notes.md", DOCUMENT);
        house.settings(&format!(
            "schema: tamis.config/1\nagents:\n{}seats: {{reviewer: tiny}}\n",
            entry("tiny", api, &server, key_file)
        ));
        let key = house.secret("tiny.key", CANARY);
        // It waits for a person after the first round.
        let ran = house.run(&["review", "notes.md", "--headless", "--step"]).await;
        assert_eq!(ran.code, 3, "{ran:?}");
        let (asked, run) = (server.seen().len(), house.run_id());
        std::fs::remove_file(&key).expect("removed");
        let ran = house.run(&["resume", &run, "--headless"]).await;
        assert!(ran.code != 0 && ran.err.contains("tiny.key"), "{ran:?}");
        assert_eq!(server.seen().len(), asked);
        assert!(!house.path("notes.findings.yaml").exists(), "no hole is made of it");
        house.secret("tiny.key", CANARY);
        let ran = house.run(&["resume", &run, "--headless"]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(house.findings("notes.md")["coverage"]["holes"], json!([]));
        server.checked(server.seen().len());
    }
}
