//! The offline reviewer on whole documents: examples of every rule, golden tables, and what must hold on any text.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test reads where the corpus is and says when it is absent"
)]

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tamis::document::Document;
use tamis::lint::{Hit, against, known_domain, review, rules};
use tamis::model::context::{BannedTerm, SlimContext};
use tamis::model::finding::{RawQuestion, Severity};
use tamis::model::lang::Lang;
use tamis::text::Catalogue;

fn parse(text: &str) -> Document {
    Document::parse(text.to_owned())
}

fn hits(text: &str) -> Vec<Hit> {
    let doc = parse(text);
    review(&doc, &SlimContext::default(), &Catalogue::new(doc.outline().lang))
}

fn only(text: &str, rule: &str) -> Hit {
    let mut found: Vec<Hit> = hits(text).into_iter().filter(|hit| hit.rule == rule).collect();
    assert_eq!(found.len(), 1, "{rule}: {found:?}");
    found.remove(0)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lint")
}

#[test]
fn every_rule_fires_on_its_failing_examples_and_stays_quiet_on_the_others() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let languages: BTreeSet<Lang> = rule.examples.iter().map(|example| example.lang).collect();
        assert_eq!(languages.len(), Lang::ALL.len(), "{} has examples in every language", rule.id);
        for example in rule.examples {
            let fires = |text: &str| hits(text).iter().any(|hit| hit.rule == rule.id);
            if !fires(example.fails) {
                wrong.push(format!("{} {} stays quiet on\n{}", rule.id, example.lang, example.fails));
            }
            if fires(example.passes) {
                wrong.push(format!("{} {} fires on\n{}", rule.id, example.lang, example.passes));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_rule_says_what_it_is() {
    let mut ids = BTreeSet::new();
    for rule in rules() {
        assert!(ids.insert(rule.id), "{} stands twice", rule.id);
        assert!([rule.name, rule.doc, rule.suppressed, rule.source].iter().all(|text| !text.is_empty()), "{}", rule.id);
    }
    assert_eq!(Vec::from_iter(ids), ["A01", "A04", "B01a", "B02", "C01", "G01", "M02", "P01", "S01", "T01", "X01", "X02"]);
}

/// Documents with what each line of them draws, as `line rule`.
const EXPECTED: &[(&str, &[&str])] = &[
    ("clean-en.md", &[]),
    ("quiet-en.md", &[]),
    ("quiet-vi.md", &[]),
    ("quiet-zh.md", &[]),
    ("seeded-en.md", &["21 P01", "24 S01", "33 X01", "37 G01", "40 C01", "41 B02", "43 T01", "43 X02", "48 B01a", "49 A04"]),
    ("seeded-vi.md", &["19 P01", "24 X01", "27 G01", "30 C01", "31 B02", "33 T01", "33 X02", "38 B01a", "39 A01", "39 A04"]),
    ("seeded-zh.md", &["19 P01", "24 X01", "27 G01", "30 C01", "31 B02", "33 T01", "33 X02", "38 B01a", "39 A01", "39 A04"]),
    (
        "forms-en.md",
        &[
            "22 P01", "23 A04", "27 A01", "35 X01", "36 P01", "40 G01", "48 A04", "49 T01", "50 X02", "51 X01", "52 T01",
            "56 C01", "60 C01", "61 B01a", "62 B02", "66 A01", "74 S01", "78 M02", "79 M02",
        ],
    ),
    (
        "forms-vi.md",
        &[
            "13 P01", "14 A04", "22 X01", "26 G01", "32 A04", "33 T01", "33 X02", "39 C01", "40 B01a", "41 B02", "42 A01",
            "50 S01", "54 M02", "55 M02",
        ],
    ),
    (
        "forms-zh.md",
        &[
            "15 P01", "16 A04", "24 X01", "28 G01", "34 A04", "35 T01", "35 X02", "41 C01", "42 B01a", "43 B02", "44 A01",
            "52 S01", "56 M02", "57 M02",
        ],
    ),
];

#[test]
fn golden_documents_draw_exactly_what_was_planted() {
    let mut wrong = Vec::new();
    for (name, expected) in EXPECTED {
        let text = fs::read_to_string(fixtures().join(name)).expect("fixture");
        let found: Vec<String> = hits(&text).iter().map(|hit| format!("{} {}", hit.line, hit.rule)).collect();
        if found != *expected {
            wrong.push(format!("{name}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing() {
    for (name, expected) in EXPECTED {
        let text = fs::read_to_string(fixtures().join(name)).expect("fixture");
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let doc = tamis::document::decode(windows.as_bytes()).expect("a document");
        let found: Vec<String> = review(&doc, &SlimContext::default(), &Catalogue::new(Lang::En))
            .iter()
            .map(|hit| format!("{} {}", hit.line, hit.rule))
            .collect();
        assert_eq!(found, *expected, "{name}");
    }
}

/// What every hit must be, whatever the document.
fn check_hits(doc: &Document, found: &[Hit]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for hit in found {
        let line = doc.line_text(hit.line);
        let raw = &hit.raw;
        let fine = line.contains(raw.quote.as_str())
            && raw.quote.chars().count() <= 120
            && raw.rule.as_deref() == Some(hit.rule)
            && raw.line == Some(hit.line)
            && raw.dimension.is_empty()
            && Severity::read(&raw.severity).is_some()
            && !raw.finding.is_empty()
            && !raw.suggestion.is_empty()
            && !raw.finding.contains("lint-")
            && !raw.suggestion.contains("lint-")
            && raw.options.len() != 1
            && raw.section == doc.outline().section_path_at(hit.line);
        if !fine {
            return Err(format!("{hit:?}\non {line:?}"));
        }
        if !seen.insert((hit.line, hit.rule)) {
            return Err(format!("{} twice on line {}", hit.rule, hit.line));
        }
    }
    let sorted = found.is_sorted_by_key(|hit| (hit.line, hit.rule));
    if sorted { Ok(()) } else { Err("not sorted".to_owned()) }
}

#[test]
fn quotes_are_verbatim_and_every_message_is_filled_in() {
    for (name, _) in EXPECTED {
        let text = fs::read_to_string(fixtures().join(name)).expect("fixture");
        let doc = parse(&text);
        for lang in Lang::ALL {
            let found = review(&doc, &SlimContext::default(), &Catalogue::new(lang));
            check_hits(&doc, &found).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        }
    }
}

#[test]
fn a_contradiction_is_one_finding_with_an_option_for_each_value() {
    let text = fs::read_to_string(fixtures().join("seeded-en.md")).expect("fixture");
    let hit = only(&text, "C01");
    assert_eq!(hit.line, 40);
    assert_eq!(hit.raw.severity, "critical");
    assert!(!hit.raw.auto_fixable);
    assert_eq!(hit.raw.options.len(), 2);
    assert!(hit.raw.options[0].contains("14 calendar days") && hit.raw.options[0].contains("in BR-01"), "{:?}", hit.raw.options);
    assert!(hit.raw.options[1].contains("30 calendar days") && hit.raw.options[1].contains("in AC-01"), "{:?}", hit.raw.options);
    assert_eq!(hit.raw.uc_id, "UC-01");
}

#[test]
fn three_values_for_one_thing_are_three_options() {
    let rule = |days: u32, id: u32| format!("- BR-0{id}: A refund request must be filed within {days} days after delivery.\n");
    let text = format!("# R\n\n## Business Rules\n{}{}{}", rule(14, 1), rule(30, 2), rule(60, 3));
    let hit = only(&text, "C01");
    assert_eq!((hit.line, hit.raw.options.len()), (5, 3));
}

#[test]
fn a_statement_that_cites_a_rule_may_not_give_another_value() {
    let text = "# R\n\n## Business Rules\n- BR-01: The account is locked for 15 minutes after five wrong passwords.\n\n\
                ## UC-01: Sign in\n### Acceptance Criteria\n- AC-01: When the password is wrong too often (BR-01), the account is locked for 20 minutes.\n";
    assert_eq!(only(text, "C01").line, 8);
    let exception = text.replace("(BR-01)", "(except as in BR-01)");
    assert!(hits(&exception).iter().all(|hit| hit.rule != "C01"));
}

#[test]
fn open_questions_become_questions_to_wait_for() {
    let text = "# R\n\n## Open Questions\n- Which roles have permission to export? Owner: Ana\n- Which colour has the button?\n";
    let found: Vec<Hit> = hits(text).into_iter().filter(|hit| hit.rule == "M02").collect();
    let questions: Vec<_> = found
        .iter()
        .map(|hit| match &hit.raw.blocked_on[..] {
            [RawQuestion::Full(question)] => {
                (question.question.as_str(), question.policy.as_deref(), question.owner.as_deref(), hit.raw.severity.as_str())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        questions,
        [
            ("needs-security-decision: Which roles have permission to export?", Some("security"), Some("Ana"), "minor"),
            ("Which colour has the button?", None, None, "major"),
        ]
    );
    assert!(found.iter().all(|hit| !hit.raw.auto_fixable));
}

#[test]
fn other_languages_are_not_read_as_english() {
    let text = "# Pflichtenheft\n\n## Use Case 1: Kunde anlegen\n\n### Akzeptanzkriterien\n\n- Der Benutzer gibt die relevanten Daten ein.\n\
                - Das System prüft, ob die Eingabe relevant und der Umfang minimal ist.\n- Danach wird der Kunde gespeichert.\n";
    assert_eq!(hits(text), []);
}

#[test]
fn long_lines_and_many_equal_statements_are_read_in_one_go() {
    let line = format!(
        "# R\n\n## UC-01: U\n### Acceptance Criteria\n- AC-01: {}\n",
        "paid as appropriate, TBD in 14 days, retry; ".repeat(4_000)
    );
    let rules: Vec<&str> = hits(&line).iter().map(|hit| hit.rule).collect();
    assert_eq!(rules, ["A04", "B01a", "P01"]);
    let value = |index: usize| format!("- BR-{index}: A refund request must be filed within {index} days after delivery.\n");
    let text = format!("# R\n\n## Business Rules\n{}", (1..2_000).map(value).collect::<String>());
    assert_eq!(only(&text, "C01").raw.options.len(), 4);
}

#[test]
fn a_comment_suppresses_its_rule_and_no_other() {
    let text =
        "# R\n\n## Business Rules\n<!-- tamis-ignore A04 agreed with the board -->\n- BR-01: Paid if possible in TBD days.\n";
    let rules: Vec<&str> = hits(text).iter().map(|hit| hit.rule).collect();
    assert_eq!(rules, ["P01"]);
}

#[test]
fn banned_terms_of_the_project_are_fixed_where_one_word_stands_for_one() {
    let context = SlimContext {
        banned_terms: vec![
            BannedTerm { term: "claim".into(), instead: "order".into() },
            BannedTerm { term: "ticket".into(), instead: String::new() },
        ],
        ..SlimContext::default()
    };
    let line = |text: &str| format!("# R\n\n## UC-01: Pay\n### Acceptance Criteria\n- AC-01: {text}\n");
    for (text, fixable, suggestion) in [
        ("The agent sees the claim.", true, "Write “order” instead of “claim”."),
        ("The agent sees a claim.", true, "Write “an order” instead of “a claim”."),
        ("Claim by claim is shown.", true, "Write “Order” instead of “Claim”. Write “order” instead of “claim”."),
        ("The agent sees all claims.", false, "Write “order” instead of “claims”."),
        ("The agent sees the ticket.", false, "Use the agreed word instead of “ticket”."),
    ] {
        let doc = parse(&line(text));
        let found = review(&doc, &context, &Catalogue::new(Lang::En));
        let hit = found.iter().find(|hit| hit.rule == "T01").unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert_eq!((hit.raw.auto_fixable, hit.raw.suggestion.as_str()), (fixable, suggestion), "{text}");
    }
    for text in ["The agent proclaims it.", "The agent sees \"claim\"."] {
        let found = review(&parse(&line(text)), &context, &Catalogue::new(Lang::En));
        assert!(found.iter().all(|hit| hit.rule != "T01"), "{text}: {found:?}");
    }
}

#[test]
fn mechanism_moves_to_the_rule_that_already_speaks_of_it() {
    let text = fs::read_to_string(fixtures().join("seeded-en.md")).expect("fixture");
    let hit = only(&text, "B01a");
    assert!(hit.raw.suggestion.starts_with("Move ") && hit.raw.suggestion.contains("BR-04"), "{}", hit.raw.suggestion);
    let hit = only(&text, "B02");
    assert!(hit.raw.suggestion.starts_with("Move ") && hit.raw.suggestion.contains("BR-01"), "{}", hit.raw.suggestion);
}

#[test]
fn a_document_names_a_known_domain_or_draws_one_absence() {
    let doc = parse("# Hoàn tiền\n\nTài liệu thuộc miền Thanh toán.\n");
    let catalogue = Catalogue::new(Lang::Vi);
    let context =
        |domains: &[&str]| SlimContext { domains: domains.iter().map(|d| (*d).to_owned()).collect(), ..SlimContext::default() };
    assert_eq!(known_domain(&doc, &context(&[]), &catalogue), None);
    assert_eq!(known_domain(&doc, &context(&["kho", "thanh toán"]), &catalogue), Some(Vec::new()));
    let found = known_domain(&doc, &context(&["kho hàng", "vận_chuyển"]), &catalogue).expect("checked");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].raw.quote.as_str(), found[0].raw.missing.as_deref()), ("", Some("kho hàng, vận_chuyển")));
    assert!(found[0].raw.finding.contains("kho hàng"));
}

#[test]
fn documents_that_disagree_are_found_and_those_that_only_count_alike_are_not() {
    let rules = |text: &str| parse(&format!("# R\n\n## Business Rules\n{text}\n"));
    let catalogue = Catalogue::new(Lang::En);
    let doc = rules(
        "- BR-01: A refund request must be filed within 14 days after delivery.\n- BR-02: An agent decides on refunds.\n\
         - BR-PAY-01: Refunds are paid to the card.",
    );
    let other = rules(
        "- BR-01: A parcel fits into one locker.\n- BR-02: An agent decides on refunds.\n- BR-09: A refund request must be filed within 30 \
         days after delivery.\n- BR-PAY-01: Refunds are paid as a voucher.",
    );
    let found = against(&doc, &[("other.md".to_owned(), other)], &catalogue);
    let lines: Vec<u32> = found.iter().map(|hit| hit.line).collect();
    assert_eq!(lines, [4, 6], "{found:?}");
    assert!(found.iter().all(|hit| hit.rule == "P3" && hit.raw.options.len() == 2));
    assert!(
        found[0].raw.options[1].contains("other.md") && found[0].raw.options[1].contains("30 days"),
        "{:?}",
        found[0].raw.options
    );
    assert!(found[1].raw.finding.contains("BR-PAY-01"));
    assert!(against(&doc, &[("same.md".to_owned(), doc.clone())], &catalogue).is_empty());
}

#[test]
fn well_written_documents_of_others_stay_quiet() {
    let corpus = std::env::var("TAMIS_CORPUS").unwrap_or_else(|_| format!("{}/../shared/corpus", env!("CARGO_MANIFEST_DIR")));
    let docs = Path::new(&corpus).join("docs");
    if !docs.is_dir() {
        println!("NOTICE: no corpus at {corpus}; set TAMIS_CORPUS to run this test");
        return;
    }
    let drawn = |name: &str| -> Vec<String> {
        let doc = tamis::document::read(&docs.join(name)).expect("readable");
        let found = review(&doc, &SlimContext::default(), &Catalogue::new(Lang::En));
        check_hits(&doc, &found).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        found.iter().map(|hit| format!("{} {}", hit.line, hit.rule)).collect()
    };
    assert_eq!(drawn("10-mbe-user-auth.md"), [] as [&str; 0]);
    assert_eq!(drawn("11-mbe-cash-sessions.md"), [] as [&str; 0]);
    assert_eq!(drawn("01-openspec-cli-archive.md"), ["244 A01"]);
    assert_eq!(drawn("05-rpidns-rpz-feeds.md"), ["44 X01", "131 A01"]);
    assert_eq!(drawn("15-gofigeeks-menu.md"), ["49 X01", "50 X01"]);
    let mut total = 0;
    for entry in fs::read_dir(&docs).expect("folder") {
        let name = entry.expect("entry").file_name().to_string_lossy().into_owned();
        total += drawn(&name).len();
    }
    assert!(total <= 45, "{total} hits on the whole corpus: a rule has become noisy");
}

/// Pieces that documents and attackers put together.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("## UC-01: A\n".to_owned()),
        Just("### Acceptance Criteria\n- AC-01: ".to_owned()),
        Just("\n## Business Rules\n- BR-01: ".to_owned()),
        Just("| BR-02 | ".to_owned()),
        Just("|---|---|\n".to_owned()),
        Just("\n## Glossary\n| Term | Avoid |\n|---|---|\n| a | b |\n".to_owned()),
        Just("\n## States\nA -> B\n".to_owned()),
        Just("\n## Open Questions\n- ".to_owned()),
        Just("TBD as appropriate 14 days 30 ngày 5 天 99.9 % $1,2.3,4 ".to_owned()),
        Just("hoà 必要时 nếu cần ".to_owned()),
        Just("within 1-2-3 days ¥百分之5万元 - - ~ to ".to_owned()),
        Just("<!-- tamis-ignore A01 x -->\n".to_owned()),
        Just("`code` \"quoted\" <tbd> [...] ??? ".to_owned()),
        "\\PC{0,40}",
        "[ \n|#*>:：.,。，()0-9%$-]{0,20}",
        any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_text_is_reviewed_without_a_panic(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        let doc = parse(&text);
        for lang in Lang::ALL {
            let found = review(&doc, &SlimContext::default(), &Catalogue::new(lang));
            if let Err(wrong) = check_hits(&doc, &found) {
                return Err(TestCaseError::fail(wrong));
            }
        }
        let context = SlimContext { domains: vec!["x".to_owned()], ..SlimContext::default() };
        known_domain(&doc, &context, &Catalogue::new(Lang::En));
        against(&doc, &[("other.md".to_owned(), parse(&text.replace("14", "15")))], &Catalogue::new(Lang::Zh));
    }
}

fn first_of(text: &str, rule: &str) -> tamis::model::finding::RawFinding {
    hits(text).into_iter().find(|hit| hit.rule == rule).unwrap_or_else(|| panic!("{rule} on {text}")).raw
}

#[test]
fn options_name_places_that_stay_and_each_rests_on_its_own_line() {
    let rule = rules().iter().find(|rule| rule.id == "C01").expect("C01");
    let before = first_of(rule.examples[0].fails, "C01");
    let after = first_of(&rule.examples[0].fails.replacen("\n\n", "\n\nOne more line.\n\n", 1), "C01");
    assert_eq!(before.options, after.options);
    assert!(before.options[0].contains("BR-01") && before.options[0].contains("AC-01"), "{:?}", before.options);
    assert_eq!((before.options_at, after.options_at), (vec![4, 8], vec![6, 10]));
}

#[test]
fn messages_say_what_can_be_done() {
    let rules: String = (1..=8).map(|number| format!("- BR-0{number}: Rule of kind {number}.\n")).collect();
    let text =
        format!("# Refunds\n\n## Business Rules\n{rules}\n## UC-01: Pay\n### Acceptance Criteria\n- AC-01: As BR-01/97 says.\n");
    let missing = first_of(&text, "X02").finding;
    assert!(missing.contains("BR-97") && missing.contains("8 others"), "{missing}");
    let copy = first_of("# R\n\n## Business Rules\n- BR-01: Refunds need an order.\n- BR-01: Refunds need an order.\n", "X01");
    assert!(copy.suggestion.starts_with("Delete one"), "{}", copy.suggestion);
}

#[test]
fn a_placeholder_in_a_block_quote_is_seen_where_it_is_one() {
    let lines = |quote: &str| -> Vec<u32> {
        let found = hits(&format!("# R\n\n## Scope\n\n> {quote}\n"));
        found.iter().filter(|hit| hit.rule == "P01").map(|hit| hit.line).collect()
    };
    for quote in ["[TODO: name the owner]", "TBD", "**TODO:** name the owner", "The term is [TBD]."] {
        assert_eq!(lines(quote), [5], "{quote}");
    }
    for quote in ["Nobody writes TBD here.", "See [TODO list](todo.md).", "TODOS are kept elsewhere."] {
        assert_eq!(lines(quote), [] as [u32; 0], "{quote}");
    }
}
