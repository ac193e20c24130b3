//! `tamis doctor`: what it finds, what it does not touch without `--probe`, and what it never says.

use crate::fake_model::{FakeModel, Play};
use crate::house::{CANARY, House, Ran, agent, council, expected, finding};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tamis::config::roster::Api;

/// The checks of an area: name, state and what was found.
fn checks(report: &Value, area: &str) -> Vec<(String, String, String)> {
    let text = |check: &Value, key: &str| check[key].as_str().expect("a text").to_owned();
    let all = report["checks"].as_array().expect("checks").iter().filter(|check| check["area"] == area);
    all.map(|check| (text(check, "name"), text(check, "state"), text(check, "found"))).collect()
}

fn state_of<'a>(checks: &'a [(String, String, String)], name: &str) -> (&'a str, &'a str) {
    let found = checks.iter().find(|(known, ..)| known == name);
    found.map(|(_, state, found)| (state.as_str(), found.as_str())).unwrap_or_else(|| panic!("{name} is not in {checks:?}"))
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// A program that leaves a mark wherever it runs, and answers with an empty list.
fn program(house: &House) -> String {
    let path = house.path("reviewer");
    fs::write(&path, "#!/bin/sh\necho '{\"findings\": []}'\n").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("can be run");
    path.display().to_string()
}

#[tokio::test]
async fn a_fresh_machine_can_review_offline_and_is_told_what_else_there_is() {
    let house = House::new().without("OPENAI_API_KEY").without("ANTHROPIC_API_KEY");
    let ran = house.run(&["doctor"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in
        ["\nterminal\n", "\nsettings\n", "\nstate\n", "\nsandbox\n", "\nreviewers\n", "\nwhat next\n", "tamis review FILE"]
    {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    let report = json(&house.run(&["doctor", "--json"]).await);
    assert!(report["next"][0].as_str().is_some_and(|next| next.contains("built-in rules")), "{report}");
    assert_eq!(report["schema"], "tamis.doctor/1");
    assert_eq!(state_of(&checks(&report, "reviewers"), "offline").0, "ok");
    assert_eq!(state_of(&checks(&report, "state"), "folder").0, "ok");
    // What it wrote to see that it can write is gone.
    let left: Vec<_> = house.files().into_iter().map(|(path, _)| path).filter(|path| path.ends_with("doctor")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn the_level_of_the_sandbox_is_what_holds_here() {
    let report = json(&House::new().run(&["doctor", "--json"]).await);
    let sandbox = checks(&report, "sandbox");
    assert_eq!(sandbox.len(), 3, "{sandbox:?}");
    for (name, state, found) in sandbox {
        let known = ["full", "files + ports", "files read-only", "none"].iter().any(|level| found.starts_with(level));
        assert!(known && state != "fault", "{name}: {state}, {found}");
    }
}

#[tokio::test]
async fn settings_that_cannot_be_meant_and_a_state_folder_that_is_none_stand_in_the_way() {
    let house = House::new();
    house.settings("seats:\n  reviewer: nobody\n");
    let ran = house.run(&["doctor", "--json"]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    let report = json(&ran);
    let (state, found) = (checks(&report, "settings")).into_iter().map(|(_, state, found)| (state, found)).next().expect("one");
    assert!(state == "fault" && found.contains("config.yaml:2"), "{found}");
    house.settings("");
    house.write("no-folder", "a file");
    let ran = house.run(&["doctor", "--json", "--state-dir", "no-folder/state"]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(state_of(&checks(&json(&ran), "state"), "folder").0, "fault");
}

#[tokio::test]
async fn whoever_has_a_seat_and_cannot_be_asked_stands_in_the_way() {
    let house = House::new().without("OPENAI_API_KEY");
    let settings = "agents:\n  far: {kind: openai, model: m, base_url: 'https://example.com/v1'}\nprograms:\n  gone: {command: [no-such-program]}\n";
    house.settings(settings);
    let ran = house.run(&["doctor", "--json"]).await;
    assert_eq!(ran.code, 0, "nobody of them is asked: {ran:?}");
    let reviewers = checks(&json(&ran), "reviewers");
    assert_eq!(state_of(&reviewers, "far").0, "note");
    assert_eq!(state_of(&reviewers, "command:gone").0, "note");
    for seated in ["far", "command:gone"] {
        let ran = house.run(&["doctor", "--json", "--agent", seated]).await;
        assert_eq!(ran.code, 2, "{ran:?}");
        assert_eq!(state_of(&checks(&json(&ran), "reviewers"), seated).0, "fault");
    }
}

#[tokio::test]
async fn without_being_asked_to_it_connects_to_nothing_and_begins_no_reviewer() {
    let house = House::new();
    let server = FakeModel::start(expected(Api::OpenAi), Vec::new()).await;
    house.settings(&format!(
        "agents:\n  near: {{kind: openai, model: tiny, base_url: '{}'}}\nprograms:\n  mine: {{command: ['{}']}}\n\
         seats: {{reviewer: near, critic: 'command:mine'}}\n",
        server.base_url(Api::OpenAi),
        program(&house)
    ));
    let strace = ["strace", "-f", "-qq", "-o", "calls", "-e", "trace=connect,execve,execveat,sendto,sendmsg"];
    let ran = house.run_under(&strace, &["doctor"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("near") && ran.out.contains("command:mine"), "{}", ran.out);
    let calls = fs::read_to_string(house.path("calls")).expect("calls");
    let mut begun = 0;
    for line in calls.lines() {
        let is_exec = line.contains("execve(");
        begun += usize::from(is_exec);
        let ours = is_exec && (line.contains("/tamis\"") || line.contains("/proc/self/exe"));
        assert!(ours || line.contains("+++") || line.contains("---"), "{line}");
    }
    assert!(begun > 1, "the sandbox was not tried: {calls}");
    server.checked(0);
}

#[tokio::test]
async fn each_reviewer_answers_one_tiny_question_where_that_is_asked_for() {
    let house = House::new();
    for api in [Api::OpenAi, Api::Anthropic] {
        let server = council(api, |question| {
            vec![finding(&question.dimension, "major", "UC-01", "The page loads fast.", "Nothing says how fast.")]
        })
        .await;
        house.settings(&format!("programs:\n  mine: {{command: ['{}']}}\n", program(&house)));
        let ran = house.run(&["doctor", "--json", "--probe", "--agent", &agent(api, &server)]).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let answers = checks(&json(&ran), "answers");
        let (state, found) = state_of(&answers, &agent(api, &server));
        assert!(state == "ok" && found.contains("1 findings") && found.contains("json_schema"), "{found}");
        let (state, found) = state_of(&answers, "command:mine");
        assert!(state == "ok" && found.contains("version: {\"findings\": []}"), "it says that to everything: {found}");
        server.checked(1);
        assert!(!format!("{ran:?}").contains(CANARY));
    }
}

#[tokio::test]
async fn a_reviewer_that_refuses_is_named_with_why_and_without_its_key() {
    let house = House::new();
    let refusal = Play::error(Api::OpenAi, 401, "invalid_api_key", &format!("Incorrect API key provided: {CANARY}"));
    let server = FakeModel::scripted(expected(Api::OpenAi), move |_, _| refusal.clone()).await;
    let ran = house.run(&["doctor", "--json", "--probe", "--agent", &agent(Api::OpenAi, &server)]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    let answers = checks(&json(&ran), "answers");
    let (state, found) = state_of(&answers, &agent(Api::OpenAi, &server));
    assert!(state == "fault" && found.contains("401"), "{found}");
    assert!(!format!("{ran:?}").contains(CANARY), "{ran:?}");
}
