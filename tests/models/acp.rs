//! Agents that speak the Agent Client Protocol, well and badly, through the real binary.

use crate::house::{House, Ran, SIGN_IN};
use crate::processes::{alive, soon};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tamis::agent::program::acp::talk;
use tamis::agent::program::child::{Begin, Stdin};
use tamis::model::answer::FaultClass;
use tokio_util::sync::CancellationToken;

/// The Python itself: shims in front of it look for it with programs of their own.
fn python() -> String {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().expect("python3 runs");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

fn house(seconds: &str) -> House {
    let house = House::new();
    house.write("prd.md", SIGN_IN);
    house.write("agent.py", include_str!("acp_agent.py"));
    let modes = [
        "silent",
        "dies",
        "chatter",
        "version",
        "login",
        "flood",
        "long line",
        "breaks off",
        "hangs",
        "error",
        "asks",
        "writes",
        "max_tokens",
        "refusal",
        "odd",
        "says nothing",
        "empty list",
    ];
    let python = python();
    let mut settings = "programs:\n".to_owned();
    for mode in modes {
        settings.push_str(&format!(
            "  {}: {{command: ['{}', '{}', '{mode}'], format: acp, timeout: {seconds}, network: none}}\n",
            mode.replace(' ', "-"),
            python,
            house.path("agent.py").display()
        ));
    }
    house.settings(&settings);
    house
}

async fn review(house: &House, mode: &str) -> Ran {
    let agent = format!("acp:{}", mode.replace(' ', "-"));
    let args =
        ["review", "prd.md", "--headless", "--dimensions", "DEV", "--granularity", "auto", "--arbiter", "none", "--overwrite"];
    house.run(&[&args[..], &["--agent", &agent, "--critic", "offline", "--events", "events.jsonl"]].concat()).await
}

#[tokio::test]
async fn an_agent_that_keeps_to_the_protocol_reviews_and_is_given_nothing() {
    let house = house("60");
    for mode in ["asks", "writes", "chatter"] {
        let ran = review(&house, mode).await;
        assert_eq!(ran.code, 0, "{mode}: {ran:?}");
        let file = house.findings("prd.md");
        let found = file["findings"].to_string();
        assert!(found.contains("Nothing says how fast.") && !found.contains("another's words"), "{mode}: {found}");
        assert_eq!(file["run"]["sandbox"][format!("acp:{mode}")], "full", "{mode}");
        assert!(!house.path("evil.txt").exists());
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'));
    }
    assert!(soon(|| alive("agent.py").is_empty()), "left: {:?}", alive("agent.py"));
}

#[tokio::test]
async fn each_way_to_fail_has_a_name_and_is_a_hole() {
    let table = [
        ("silent", "1", "timeout", "had not ended"),
        ("dies", "60", "broken", "no licence"),
        ("version", "60", "wrong_format", "version 2"),
        ("login", "60", "denied", "Authentication required"),
        ("flood", "60", "invalid", "more than 16 MiB"),
        ("long line", "60", "invalid", "more than 16 MiB"),
        ("breaks off", "60", "broken", "out of memory"),
        ("error", "60", "quota", "429 rate limit"),
        ("max_tokens", "60", "truncated", "output limit"),
        ("refusal", "60", "refused", "declined"),
        ("odd", "60", "unknown_stop", "moonrise"),
        ("says nothing", "60", "empty", "said nothing"),
    ];
    for (mode, seconds, class, words) in table {
        let house = house(seconds);
        let ran = review(&house, mode).await;
        assert_eq!(ran.code, 4, "{mode}: {ran:?}");
        let classes = house.failed("events.jsonl");
        assert!(!classes.is_empty() && classes.iter().all(|one| one == class), "{mode}: {classes:?}, not {class}: {}", ran.err);
        let holes = house.findings("prd.md")["coverage"]["holes"].to_string();
        assert!(holes.contains(words), "{mode}: {holes}");
        let left = || alive(&house.path("agent.py").display().to_string());
        assert!(soon(|| left().is_empty()), "{mode} leaves {:?}", left());
    }
}

#[tokio::test]
async fn a_command_line_is_words_and_a_clean_answer_is_clean() {
    let house = house("60");
    let ran = review(&house, "empty list").await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let usage = house.findings("prd.md")["run"]["usage"]["acp:empty-list"]["usage"].clone();
    assert_eq!((&usage["tokens_in"], &usage["tokens_out"]), (&1200.into(), &80.into()), "{usage}");
    let agent = format!("acp:{} '{}' 'says nothing'", python(), house.path("agent.py").display());
    let ran = house
        .run(&[
            "review",
            "prd.md",
            "--headless",
            "--dimensions",
            "DEV",
            "--agent",
            &agent,
            "--critic",
            "offline",
            "--arbiter",
            "none",
            "--overwrite",
        ])
        .await;
    assert!(ran.code == 4 && ran.err.contains("said nothing"), "{ran:?}");
    let ran = house.run(&["plan", "prd.md", "--agent", "acp:'my-agent"]).await;
    assert!(ran.code == 2 && ran.err.contains("quotation mark"), "{ran:?}");
}

#[tokio::test]
async fn an_agent_whose_question_is_cancelled_is_told_so_before_it_is_put_away() {
    let house = house("600");
    let (folder, agent) = (house.path(""), house.path("agent.py"));
    let begin = Begin {
        keeper: Path::new(env!("CARGO_BIN_EXE_tamis")),
        command: &[python().into(), agent.clone().into(), "hangs".into()],
        stdin: Stdin::Talk,
        env: &[],
        // As the agent sees it, which compares.
        folder: &folder.canonicalize().expect("a path"),
        walls: None,
        time: Duration::from_secs(600),
    };
    let cancel = CancellationToken::new();
    let mut said = String::new();
    let mut hear = |text: &str| {
        said.push_str(text);
        cancel.cancel();
    };
    let stopped = talk(&begin, "AC1", &cancel, &mut hear).await.expect_err("cancelled");
    assert_eq!(stopped.class, FaultClass::Cancelled, "{stopped:?}");
    assert_eq!(said, "under way, and told to cancel");
    let agent = agent.display().to_string();
    assert!(alive(&agent).is_empty(), "left: {:?}", alive(&agent));
}

/// Whether an agent has said this, as the live text of an answer has it.
fn heard(house: &House, words: &str) -> bool {
    let texts = house.files().into_iter().filter(|(path, _)| path.parent().is_some_and(|folder| folder.ends_with("live")));
    texts.map(|(_, text)| text).any(|text| String::from_utf8_lossy(&text).contains(words))
}

#[test]
fn nothing_is_left_of_an_agent_that_is_under_way_where_we_are_ended() {
    for signal in ["INT", "KILL"] {
        let house = house("600");
        let mut tamis = Command::new(env!("CARGO_BIN_EXE_tamis"))
            .args(["review", "prd.md", "--headless", "--agent", "acp:hangs", "--critic", "offline", "--arbiter", "none"])
            .current_dir(house.path(""))
            .env_clear()
            .env("HOME", house.path("../home"))
            .env("XDG_CONFIG_HOME", house.path("../settings"))
            .env("XDG_STATE_HOME", house.path("../state"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let agent = house.path("agent.py").display().to_string();
        // It has its question: whoever has none yet has nothing that could be cancelled.
        assert!(soon(|| heard(&house, "under way")), "it works");
        assert!(!alive(&agent).is_empty());
        let kill = Command::new("kill").args([&format!("-{signal}"), &tamis.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        tamis.wait().expect("it ends");
        assert!(soon(|| alive(&agent).is_empty()), "{signal} leaves {:?}", alive(&agent));
        assert!(fs::metadata(house.path("prd.md")).is_ok());
    }
}
