//! Whole reviews by models over both APIs: what is asked, and what is written.

use super::APIS;
use crate::house::{House, Question, Task, agent, council, finding, questions};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tamis::config::roster::Api;

/// What a council says of one of the examples.
struct Case {
    document: &'static str,
    /// How the prompts call the language.
    language: &'static str,
    /// A finding of DEV and one of SA at one place, and one of the critic.
    dev: (&'static str, &'static str),
    sa: (&'static str, &'static str),
    critic: (&'static str, &'static str),
    section: &'static str,
}

const CASES: [Case; 3] = [
    Case {
        document: "prd-en.md",
        language: "English",
        section: "Business rules",
        dev: (
            "BR-04: A refund request must be filed within 14 calendar days",
            "Nothing says which period holds for a refund request that is filed late.",
        ),
        sa: (
            "BR-04: A refund request must be filed within 14 calendar days",
            "A refund request that is filed late has two periods and no answer.",
        ),
        critic: ("BR-11: A recipient must get a reminder 24 hours before", "Nobody says how the reminder reaches a recipient."),
    },
    Case {
        document: "prd-vi.md",
        language: "Vietnamese (tiếng Việt)",
        section: "Quy tắc nghiệp vụ",
        dev: ("BR-01", "Không nói rõ thời hạn nào áp dụng cho mã nhận hàng đã gửi lại."),
        sa: ("BR-01", "Mã nhận hàng đã gửi lại có hai thời hạn và không có câu trả lời."),
        critic: ("BR-02", "Không ai nói lời nhắc đến người nhận bằng cách nào."),
    },
    Case {
        document: "prd-zh.md",
        language: "Chinese (简体中文)",
        section: "业务规则",
        dev: ("BR-01", "没有说明重发的取件码适用哪一个有效期。"),
        sa: ("BR-01", "重发的取件码有两个有效期，没有给出答案。"),
        critic: ("BR-02", "没有说明提醒如何送达。"),
    },
];

impl Case {
    /// The line of the document that begins with the quote's words, which stands in one bucket.
    fn quote(&self, document: &str, start: &str) -> String {
        let line = document.lines().find(|line| line.trim_start_matches("- ").starts_with(start)).expect("a line");
        line.trim_start_matches("- ").to_owned()
    }

    fn answer(&self, document: &str, question: &Question) -> Vec<Value> {
        let shown = |(quote, words): (&str, &str), dimension: &str| {
            let quote = self.quote(document, quote);
            let known = question.own.contains(words);
            let there = question.shows(&format!("| - {quote}"));
            (there && !known).then(|| finding(dimension, "major", self.section, &quote, words))
        };
        match (question.task, question.dimension.as_str()) {
            (Task::Reviewer, "DEV") => shown(self.dev, "DEV").into_iter().collect(),
            (Task::Reviewer, "SA") => shown(self.sa, "SA").into_iter().collect(),
            (Task::Critic, _) => shown(self.critic, "PO").into_iter().collect(),
            (Task::Arbiter, _) => {
                let number = |words: &str| {
                    let line = question.own.lines().find(|line| line.contains(words))?;
                    line.strip_prefix("{\"number\":")?.split(',').next()?.parse::<u32>().ok()
                };
                let both = number(self.dev.1).zip(number(self.sa.1));
                both.map(|(dev, sa)| json!({"members": [dev, sa], "verdict": "duplicate", "suggestion": ""}))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

#[tokio::test]
async fn a_whole_review_over_both_apis_in_three_languages() {
    for api in APIS {
        for case in &CASES {
            whole_review(api, case).await;
        }
    }
}

async fn whole_review(api: Api, case: &'static Case) {
    let house = House::new();
    house.example(case.document);
    let text = std::fs::read_to_string(house.path(case.document)).expect("text");
    let document = text.clone();
    let server = council(api, move |question| case.answer(&document, question)).await;
    let agent = agent(api, &server);
    house.settings("schema: tamis.config/1\nseats: {floor: false}\n");
    let ran = house.run(&["review", case.document, "--headless", "--agent", &agent, "--events", "events.jsonl"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains(&format!("sends {} to http://{} (tiny)", case.document, server.address)), "{}", ran.err);

    let file = house.findings(case.document);
    let findings = file["findings"].as_array().expect("findings");
    let words: BTreeSet<&str> = findings.iter().map(|one| one["finding"].as_str().expect("words")).collect();
    assert_eq!(findings.len(), 2, "DEV and SA say the same, the critic something else: {words:?}");
    assert!(words.contains(case.critic.1), "{words:?}");
    let joined = findings.iter().find(|one| one["finding"] != case.critic.1).expect("the joined one");
    assert_eq!(joined["found_by"], json!(["DEV", "SA"]));
    assert_eq!(joined["grounding"], "exact");
    assert_eq!(joined["absorbed"].as_array().map(Vec::len), Some(1), "{joined}");
    let added = findings.iter().find(|one| one["finding"] == case.critic.1).expect("the critic's");
    assert_eq!((&added["lens"], &added["found_by"]), (&json!("PO"), &json!(["critic/1"])));
    assert_eq!(
        file["convergence"],
        json!({
            "rounds": 3, "new_per_round": [1, 0, 0], "dry_rounds": 2, "converged": true, "stopped_by": "dry",
        })
    );
    let coverage = &file["coverage"];
    assert_eq!((&coverage["holes"], &coverage["not_covered"]), (&json!([]), &json!([])));
    let calls = server.seen().len() as u64;
    // Every answer of the fake says the same of its cost.
    let used = &file["run"]["usage"][&agent];
    assert_eq!(used["calls"], json!(calls), "{}", file["run"]);
    let usage = &used["usage"];
    assert_eq!(file["run"]["agent"], agent.as_str());
    assert_eq!((&usage["tokens_in"], &usage["tokens_out"]), (&json!(11 * calls), &json!(7 * calls)), "{}", file["run"]);
    assert_eq!(usage["cached"], json!(3 * calls));
    let seat = format!("{}:tiny at {}", api.word(), server.base_url(api));
    for name in ["reviewer", "critic", "arbiter"] {
        assert_eq!(file["run"]["seats"][name], seat, "{}", file["run"]);
    }
    server.checked(calls as usize);

    let questions = questions(api, &server);
    asked_as_it_should(&questions, case, &text);
    recorded_as_it_should(&house.events("events.jsonl"), &server.base_url(api));
}

fn asked_as_it_should(questions: &[Question], case: &Case, document: &str) {
    let of = |task: Task| questions.iter().filter(|one| one.task == task).collect::<Vec<_>>();
    let (reviewers, critics, arbiters) = (of(Task::Reviewer), of(Task::Critic), of(Task::Arbiter));
    assert_eq!(critics.len(), 3);
    // Every dimension once for each bucket, behind the very same beginning.
    let mut buckets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for reviewer in &reviewers {
        buckets.entry(&reviewer.shared).or_default().push(&reviewer.dimension);
    }
    assert_eq!(buckets.len() * 3, reviewers.len());
    for dimensions in buckets.values_mut() {
        dimensions.sort_unstable();
        assert_eq!(*dimensions, ["DEV", "PO", "SA"]);
    }
    let systems: BTreeSet<&str> = reviewers.iter().chain(&critics).map(|one| one.system.as_str()).collect();
    assert_eq!(systems.len(), 1, "one system text for all");
    for question in questions {
        assert!(question.after.is_empty());
        assert!(question.system.contains(case.language) && question.own.contains(case.language), "{}", question.own);
        assert_eq!(question.body["max_tokens"], 16_384.min(question.body["max_tokens"].as_u64().expect("a limit")));
        let schema = question.schema();
        let list = if question.task == Task::Arbiter { "parts" } else { "findings" };
        let most = schema["properties"][list]["maxItems"].as_u64();
        assert!(most.is_some_and(|most| most > 0), "{schema}");
        assert_eq!(schema["additionalProperties"], false);
    }
    for critic in &critics {
        for line in document.lines().filter(|line| !line.trim().is_empty()) {
            assert!(critic.shows(&format!("| {line}\n")), "a critic sees the whole: {line}");
        }
    }
    let known = |critic: &Question, words: &str| critic.own.contains(words);
    assert!(known(critics[0], case.dev.1) && known(critics[0], case.sa.1) && !known(critics[0], case.critic.1));
    assert!(known(critics[1], case.critic.1) && known(critics[2], case.critic.1));
    // Every listing is asked as it is and turned around, and names neither finder nor weight.
    let rows = |arbiter: &Question| -> Vec<Value> {
        let listed = arbiter.own.lines().filter(|line| line.starts_with("{\"number\":"));
        let rows = listed.map(|line| serde_json::from_str::<Value>(line.trim_end_matches(',')).expect("a row"));
        rows.map(|row| row["finding"].clone()).collect()
    };
    let mut listings: Vec<Vec<Value>> = arbiters.iter().map(|arbiter| rows(arbiter)).collect();
    assert!(!listings.is_empty());
    while let Some(one) = listings.pop() {
        let turned: Vec<Value> = one.into_iter().rev().collect();
        let at = listings.iter().position(|other| *other == turned);
        listings.remove(at.unwrap_or_else(|| panic!("asked in one order only: {turned:?}")));
    }
    for arbiter in &arbiters {
        let listing = arbiter.own.split("FINDINGS").nth(1).expect("a listing");
        assert!(!listing.contains("found_by") && !listing.contains("\"severity\"") && !listing.contains("DEV"), "{listing}");
    }
}

fn recorded_as_it_should(events: &[Value], base_url: &str) {
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().expect("a kind")).collect();
    assert_eq!((kinds[0], kinds[1]), ("run_started", "sending_confirmed"));
    let sending = &events[1]["body"];
    assert_eq!(sending["by"], "headless");
    let origin = base_url.trim_end_matches("/v1");
    assert_eq!(sending["estimate"]["destinations"], json!([{"server": origin, "models": ["tiny"]}]), "{sending}");
    for done in events.iter().filter(|event| event["kind"] == "step_done") {
        let provenance = &done["body"]["provenance"];
        if provenance.is_object() {
            assert_eq!((&provenance["answered"], &provenance["server"]), (&json!("tiny-1"), &json!(origin)));
            assert_eq!((&provenance["calls"], &provenance["shape"]), (&json!(1), &json!("json_schema")));
        }
    }
    let reserved = events.iter().filter(|event| event["kind"] == "step_started" && event["body"]["reserve"].is_object());
    assert!(reserved.count() > 0, "what a question may take is on record before it is asked");
}

#[tokio::test]
async fn the_prompt_that_is_shown_is_the_prompt_that_was_sent() {
    for api in APIS {
        let house = House::new();
        house.example("prd-en.md");
        let server = council(api, |_| Vec::new()).await;
        let ran = house
            .run(&[
                "review",
                "prd-en.md",
                "--headless",
                "--agent",
                &agent(api, &server),
                "--events",
                "e.jsonl",
                "--defer-all",
                "later",
                "--defer-policy",
            ])
            .await;
        assert_eq!(ran.code, 0, "{ran:?}");
        let asked = questions(api, &server);
        let mut looked = 0;
        for done in house.events("e.jsonl").iter().filter(|event| event["kind"] == "step_done") {
            let key = done["key"].as_str().expect("a key");
            if !key.starts_with("review/") {
                continue;
            }
            let shown = house.run(&["prompt", "prd-en.md", "--key", key, "--json"]).await;
            let shown: Value = serde_json::from_str(&shown.out).unwrap_or_else(|error| panic!("{error}: {shown:?}"));
            assert_eq!(shown["hash"], done["body"]["provenance"]["prompt"], "{key}");
            let same = |question: &&Question| {
                question.system == shown["system"]
                    && question.shared.trim_end() == shown["shared"].as_str().unwrap_or("?").trim_end()
                    && shown["own"].as_str().is_some_and(|own| question.own.starts_with(own.trim_end()))
            };
            assert_eq!(asked.iter().filter(same).count(), 1, "{key}");
            looked += 1;
        }
        assert_eq!(looked, 12);
    }
}
