//! Findings files to test with: one that uses every field, and any number of random ones.

use super::findings::{Carried, Coverage, Extra, FileStatus, FindingsFile, Kept, MatchedBy, Run, Unmatched};
use crate::model::accounts::Account;
use crate::model::answer::Usage;
use crate::model::finding::{Absorbed, Finding, FixOption, Grounding, Question, Resolution, Severity, Status};
use crate::model::ids::{FindingKey, QuestionKey, RunId};
use crate::model::recipe::Recipe;
use crate::model::settled::{Convergence, Dropped, Hole, StoppedBy};
use crate::model::walls::Level;
use crate::model::yaml::Source;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// The built-in recipes.
pub(super) fn recipes() -> [Recipe; 2] {
    let texts =
        [include_str!("../../prompts/recipes/refine-prd.yaml"), include_str!("../../prompts/recipes/review-context.yaml")];
    texts.map(|text| Source::config("recipe", text).read().expect("a built-in recipe"))
}

/// A recipe of a user with other root keys, another order and few fields.
pub(super) fn small_recipe() -> Recipe {
    let text = "schema: tamis.recipe/1\nname: small\npurpose: Try.\ndimension_field: aspect\nconflict_status: pending\n\
                minor_recommendation: APPROVED\ndimensions:\n  - {id: ONE, name: One, description: Look.}\nroot:\n\
                \x20 - {key: count, value: summary}\n  - {key: edition, value: version}\n  - {key: results, value: findings}\n\
                finding_fields:\n  - {name: finding}\n  - {name: aspect}\n  - {name: severity}\n";
    Source::config("recipe", text).read().expect("a small recipe")
}

/// An ordinary finding.
pub(super) fn finding(key: &str, dimension: &str) -> Finding {
    Finding {
        key: key.into(),
        id: String::new(),
        dimension: dimension.to_owned(),
        found_by: vec![dimension.to_owned()],
        rule: None,
        severity: Severity::Major,
        severity_given: None,
        section: "Use cases > UC-01 Pay".to_owned(),
        section_given: None,
        uc_id: "UC-01".to_owned(),
        line: 12,
        quote: "The payment is confirmed quickly.".to_owned(),
        grounding: Grounding::Exact,
        missing: None,
        finding: "Nobody can say what quickly means.".to_owned(),
        suggestion: "State after how many seconds the customer sees the confirmation.".to_owned(),
        resolution_edge_cases: Vec::new(),
        auto_fixable: false,
        status: Status::Pending,
        options: Vec::new(),
        resolution: None,
        blocked_on: Vec::new(),
        possible_duplicate_of: Vec::new(),
        absorbed: Vec::new(),
        struck: false,
    }
}

/// An option of a conflict.
pub(super) fn option(label: &str, suggestion: &str) -> FixOption {
    FixOption {
        label: label.to_owned(),
        suggestion: suggestion.to_owned(),
        finding: "Two limits for one thing.".to_owned(),
        found_by: vec!["SA".to_owned()],
        quote: "within 14 days".to_owned(),
        line: 20,
    }
}

/// An open question.
pub(super) fn question(words: &str, policy: Option<&str>) -> Question {
    Question {
        key: QuestionKey::from(format!("q-{words}")),
        question: words.to_owned(),
        policy: policy.map(str::to_owned),
        ..Question::default()
    }
}

/// A file in which every field says something somewhere.
pub(super) fn full_file(recipe: &Recipe) -> FindingsFile {
    let first = recipe.dimensions[0].id.as_str();
    let last = recipe.dimensions[recipe.dimensions.len() - 1].id.as_str();
    let mut conflict = finding("1111111111111111", first);
    conflict.id = "F001".to_owned();
    conflict.severity = Severity::Critical;
    conflict.found_by = vec![first.to_owned(), "critic/1".to_owned()];
    conflict.status = recipe.conflict_status;
    conflict.options = vec![option("A", "Keep 14 days."), FixOption { line: 0, ..option("B", "Keep 30 days.") }];
    conflict.resolution = Some(Resolution {
        deferred: true,
        reason: "The lawyer is asked on Monday: \"14\" or '30'?".to_owned(),
        by: "Nguyễn An".to_owned(),
        at: "2026-11-30T10:00:00Z".to_owned(),
        ..Resolution::default()
    });
    conflict.resolution_edge_cases = vec!["A return on the last day.".to_owned()];
    conflict.absorbed = vec![Absorbed {
        key: "5555555555555555".into(),
        dimension: last.to_owned(),
        finding: "14 here, 30 there.".to_owned(),
        suggestion: "Choose one.".to_owned(),
        quote: "within 30 days".to_owned(),
    }];
    let mut asked = finding("2222222222222222", last);
    asked.id = "F002".to_owned();
    asked.section = "范围 > Không thuộc phạm vi".to_owned();
    asked.blocked_on = vec![
        question("needs-law-decision: may the address be kept?", Some("law")),
        Question {
            answer: Some("yes".to_owned()),
            answered_by: Some("An".to_owned()),
            owner: Some("Bình".to_owned()),
            at: Some("2026-11-30T10:00:00Z".to_owned()),
            ..question("Who pays for the return?", None)
        },
        Question { deferred: Some("after the pilot".to_owned()), ..question("Which countries?", Some("product")) },
    ];
    asked.possible_duplicate_of = vec!["1111111111111111".into()];
    let mut absent = finding("aaaaaaaaaaaaaaaa", first);
    absent.id = "F003".to_owned();
    absent.severity = Severity::Minor;
    absent.severity_given = Some(Severity::Critical);
    absent.section = String::new();
    absent.section_given = Some("Glossary".to_owned());
    absent.uc_id = String::new();
    absent.line = 0;
    absent.quote = String::new();
    absent.grounding = Grounding::Absence;
    absent.missing = Some("Glossary".to_owned());
    absent.rule = Some("P03".to_owned());
    absent.status = Status::Rejected;
    let mut gone = finding("bbbbbbbbbbbbbbbb", "GONE");
    gone.status = Status::Modified;
    gone.resolution = Some(Resolution { text: Some("Own words.".to_owned()), ..Resolution::default() });
    FindingsFile {
        source: "docs/prd.md".to_owned(),
        version: "1.10".to_owned(),
        applied_to_version: String::new(),
        generated_at: "2026-11-30T10:00:01Z".to_owned(),
        status: FileStatus::PendingReview,
        findings: vec![conflict, asked, absent],
        recommendation: "BLOCKED".to_owned(),
        convergence: Convergence {
            rounds: 3,
            new_per_round: vec![4, 1, 0],
            dry_rounds: 1,
            converged: false,
            stopped_by: StoppedBy::Cap,
        },
        coverage: Coverage {
            agents: 12,
            holes: vec![Hole {
                step: format!("review/{first}/UC-01"),
                dimension: first.to_owned(),
                scopes: vec!["UC-01".to_owned(), "PRD-global".to_owned()],
                reason: "timeout: no answer after 3 attempts".to_owned(),
            }],
            not_covered: vec![last.to_owned()],
            may_be_cut: vec![format!("review/{last}/UC-01")],
            dropped_items: BTreeMap::from([("critic/2".to_owned(), 1)]),
            critic_windows: 3,
        },
        dropped: vec![Dropped { finding: finding("3333333333333333", last), reason: "the section is there: F001".to_owned() }],
        carried: vec![Carried {
            key: "aaaaaaaaaaaaaaaa".into(),
            earlier_key: "4444444444444444".into(),
            matched_by: MatchedBy::Place,
            status: Status::Rejected,
            questions: 0,
        }],
        carried_unmatched: vec![Unmatched {
            finding: gone,
            reason: Kept::Ambiguous,
            candidates: vec!["1111111111111111".into(), "2222222222222222".into()],
            extra: Extra::from_iter([("note".to_owned(), json!("ask An"))]),
        }],
        run: Run {
            id: RunId::from("20261130-100000-k3f9"),
            started_at: "2026-11-30T10:00:00Z".to_owned(),
            finished_at: "2026-11-30T10:00:01Z".to_owned(),
            sandbox: BTreeMap::from([("command:mine".to_owned(), Level::FilesAndPorts)]),
            usage: BTreeMap::from([(
                "fast".to_owned(),
                Account {
                    calls: 14,
                    usage: Usage { tokens_in: 1200, tokens_out: 80, cached: 900, cost_micros: Some(410), ..Usage::default() },
                },
            )]),
            seats: BTreeMap::from([("reviewer".to_owned(), "openai:m at https://models.example/v1".to_owned())]),
            durations_ms: BTreeMap::from([("fan-out".to_owned(), 700), ("critic".to_owned(), 300)]),
            tamis: "0.1.0".to_owned(),
            recipe: recipe.name.clone(),
            agent: "offline".to_owned(),
            lang: "en".to_owned(),
            document_hash: "0e1f".to_owned(),
            names: BTreeMap::new(),
        },
        extra: BTreeMap::from([(
            FindingKey::from("2222222222222222"),
            Extra::from_iter([("ticket".to_owned(), json!(["no", 12, null]))]),
        )]),
    }
}

/// Texts that some reader takes for something else, or changes.
pub(super) const NASTY: [&str; 64] = [
    "",
    " ",
    "~",
    "null",
    "Null",
    "yes",
    "No",
    "y",
    "N",
    "on",
    "OFF",
    "true",
    "False",
    "1.10",
    "1e3",
    "012",
    "0o7",
    "0x1F",
    "1_000",
    "12:30",
    "2024-01-01",
    "2024-01-01T00:00:00Z",
    ".inf",
    "-.INF",
    ".nan",
    "NaN",
    "Infinity",
    "+1",
    "-",
    "- a",
    "? a",
    ": a",
    "a: b",
    "a:",
    "a #b",
    "#a",
    "a, b",
    "[a]",
    "{a}",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'a'",
    "\"a\"",
    "%a",
    "@a",
    "`a",
    "<<",
    "=",
    "---",
    "...",
    "a\nb",
    "a\r\nb",
    "\ta",
    "a ",
    " a",
    "\u{2028}a\u{2029}b\u{85}c",
    "\u{0}\u{1b}[31m\u{7f}\u{9b}",
    "\u{feff}a\u{fffe}\u{ffff}\u{fdd0}",
    "\u{202e}a\u{200b}b\u{e0041}c",
    "👨\u{200d}👩 🔴 \u{1fffe}",
    "Tiếng Việt: 中文 # đủ",
];

/// Any text: nasty, printable, or made of every kind of character.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(NASTY.to_vec()).prop_map(str::to_owned),
        "[ -~]{0,40}",
        "(?s).{0,40}",
        proptest::collection::vec(any::<char>(), 0..12).prop_map(String::from_iter),
        (prop::sample::select(NASTY.to_vec()), prop::sample::select(NASTY.to_vec())).prop_map(|(a, b)| format!("{a}{b}")),
        Just("a very long line ".repeat(700)),
    ]
}

/// A file whose texts are all random.
pub(super) fn any_file() -> impl Strategy<Value = FindingsFile> {
    proptest::collection::vec(any_text(), 24).prop_map(|texts| {
        let mut file = full_file(&recipes()[0]);
        let mut next = texts.iter().cycle().cloned();
        let mut take = || next.next().unwrap_or_default();
        file.source = take();
        file.version = take();
        file.recommendation = take();
        file.run.agent = take();
        file.coverage.holes[0].reason = take();
        file.coverage.not_covered = vec![take(), take()];
        file.dropped[0].reason = take();
        for finding in &mut file.findings {
            finding.section = take();
            finding.uc_id = take();
            finding.quote = take();
            finding.finding = take();
            finding.suggestion = take();
            finding.found_by = vec![take(), take()];
            finding.section_given = Some(take());
            finding.rule = Some(take());
            for option in &mut finding.options {
                option.suggestion = take();
            }
            for question in &mut finding.blocked_on {
                question.question = take();
                question.answer = Some(take());
            }
        }
        file.carried_unmatched[0].extra.insert("note".to_owned(), json!(take()));
        file
    })
}
