//! Templates can be filled in, and a decisions file decides exactly what it says.

use super::decisions::{Decision, Decisions, read, template, to_records};
use super::samples::{any_text, finding, option, question};
use crate::model::fault::FaultKind;
use crate::model::finding::{Finding, Status};
use crate::model::gate::Op;
use crate::model::lang::Lang;
use crate::model::settled::{Dropped, Proposal};
use proptest::prelude::*;

const CONFLICT: &str = "0123456789012345";
const ASKED: &str = "12e4567890123456";
const PLAIN: &str = "aaaabbbbccccdddd";

fn conflict() -> Finding {
    let options = vec![option("A", "Keep 14 days."), option("B", "Keep 30 days.")];
    let blocked_on = vec![question("needs-law-decision: may we?", Some("law")), question("Which colour?", None)];
    let id = "F001".to_owned();
    Finding { id, options, blocked_on, status: Status::NeedsDiscussion, ..finding(CONFLICT, "SA") }
}

fn asked() -> Finding {
    let blocked_on = vec![question("needs-money-decision: who pays?", Some("money"))];
    Finding { id: "F002".to_owned(), uc_id: String::new(), section: String::new(), blocked_on, ..finding(ASKED, "PO") }
}

fn proposal() -> Proposal {
    let plain = Finding { id: "F003".to_owned(), ..finding(PLAIN, "DEV") };
    let dropped = Dropped { finding: finding("dddddddddddddddd", "DEV"), reason: "the section is there".to_owned() };
    Proposal { findings: vec![conflict(), asked(), plain], dropped: vec![dropped], ..Proposal::default() }
}

fn ops(decisions: &Decisions) -> Vec<Op> {
    let records = to_records(decisions, &proposal(), "2026-11-30T10:00:00Z").expect("records");
    assert!(records.iter().all(|record| record.by == decisions.by && record.at == "2026-11-30T10:00:00Z"));
    records.into_iter().map(|record| record.op).collect()
}

/// The file of these entries, signed.
fn file(entries: &str) -> String {
    format!("schema: tamis.decisions/1\nby: An\ndecisions:\n{entries}")
}

fn decided(entries: &str) -> Vec<Op> {
    ops(&read(&file(entries), "d.yaml").expect("reads"))
}

fn refused(text: &str) -> (String, String) {
    let fault = match read(text, "d.yaml") {
        Ok(decisions) => to_records(&decisions, &proposal(), "t").expect_err(text),
        Err(fault) => fault,
    };
    assert_eq!(fault.kind, FaultKind::Usage);
    (fault.what, fault.hint)
}

#[test]
fn the_template_looks_like_this() {
    let findings = proposal().findings;
    insta::assert_snapshot!("template_en", template(&findings, Lang::En));
    insta::assert_snapshot!("template_vi", template(&findings, Lang::Vi));
    insta::assert_snapshot!("template_zh", template(&findings, Lang::Zh));
    insta::assert_snapshot!("template_of_nothing", template(&[finding(PLAIN, "DEV")], Lang::En));
}

#[test]
fn an_unfilled_template_leaves_everything_open() {
    for lang in Lang::ALL {
        for findings in [proposal().findings, vec![]] {
            let decisions = read(&template(&findings, lang), "d.yaml").expect("reads");
            assert!(decisions.entries.is_empty() && decisions.by.is_empty());
            assert!(ops(&decisions).is_empty());
        }
    }
}

#[test]
fn a_filled_template_decides_what_was_filled_in() {
    let text = template(&proposal().findings, Lang::Vi)
        .replace("by: \"\"", "by: Nguyễn An")
        .replacen("choose: \"\"", "choose: b", 1)
        .replacen("reason: \"\"", "reason: \"the law: 30\"", 1)
        .replacen("answer: \"\"", "answer: no", 1)
        .replacen("defer: \"\"", "defer: ~", 1);
    let at = text.rfind("defer: \"\"").expect("the second question");
    let text = format!("{}defer: after the pilot {}", &text[..at], &text[at + "defer: \"\"".len()..]);
    let decisions = read(&text, "d.yaml").expect("reads");
    assert_eq!(decisions.by, "Nguyễn An");
    let findings = proposal().findings;
    let expected = vec![
        Op::Choose { finding: CONFLICT.into(), label: "B".to_owned(), reason: "the law: 30".to_owned() },
        Op::Answer { question: findings[0].blocked_on[0].key.clone(), answer: "no".to_owned() },
        Op::DeferQuestion { question: findings[1].blocked_on[0].key.clone(), reason: "after the pilot".to_owned() },
    ];
    assert_eq!(ops(&decisions), expected);
}

#[test]
fn every_decision_becomes_its_record() {
    let key = || CONFLICT.into();
    let reason = String::new;
    let one = |line: &str| decided(&format!("  \"{CONFLICT}\":\n    {line}\n"));
    assert_eq!(one("choose: A"), [Op::Choose { finding: key(), label: "A".to_owned(), reason: reason() }]);
    assert_eq!(one("write: Keep 21 days."), [Op::Write { finding: key(), text: "Keep 21 days.".to_owned(), reason: reason() }]);
    assert_eq!(one("reject: neither"), [Op::Reject { finding: key(), reason: "neither".to_owned() }]);
    assert_eq!(one("defer: next month"), [Op::Defer { finding: key(), reason: "next month".to_owned() }]);
    assert_eq!(one("accept: false"), []);
    let accepted = Op::Accept { finding: PLAIN.into(), reason: "fine".to_owned() };
    assert_eq!(decided(&format!("  {PLAIN}: {{accept: yes, reason: fine}}\n")), [accepted]);
}

#[test]
fn a_question_is_found_by_words_or_key_and_can_be_given_to_somebody() {
    let question = &conflict().blocked_on[1];
    for name in ["which  COLOUR?", question.key.as_str()] {
        let entries = format!("  {CONFLICT}:\n    questions:\n    - {{question: {name:?}, owner: Bình}}\n");
        assert_eq!(decided(&entries), [Op::Assign { question: question.key.clone(), owner: "Bình".to_owned() }]);
    }
}

#[test]
fn keys_are_read_as_text_whatever_they_look_like() {
    let decisions =
        read(&file(&format!("  {ASKED}: {{reject: no need}}\n  {CONFLICT}: {{reject: never}}\n")), "d").expect("reads");
    let keys: Vec<&str> = decisions.entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, [ASKED, CONFLICT]);
    assert_eq!(decisions.entries[1].decision, Some(Decision::Reject("never".to_owned())));
}

#[test]
fn a_mistake_is_shown_where_it_stands_with_what_there_is() {
    let entry = |line: &str| refused(&file(&format!("  {CONFLICT}:\n    {line}\n")));
    assert_eq!(entry("chose: A").0, "d.yaml:5:5: unknown key `chose`");
    assert!(entry("chose: A").1.starts_with("did you mean `choose`?"));
    assert!(entry("choose: C").0.starts_with("d.yaml:5:13: the finding `0123456789012345` has no option `C`"));
    assert_eq!(entry("choose: C").1, "there is: A, B");
    assert!(entry("accept: true").0.starts_with("d.yaml:5:13: the finding"));
    assert!(entry("accept: perhaps").0.contains("true or false"));
    assert!(entry("{choose: A, write: mine}").0.contains("`choose` and `write` both stand"));
    assert!(entry("reject: true").0.contains("needs the words that say why"));
    assert!(entry("reason: because").0.contains("but no decision"));
    assert!(entry("{reject: a, reason: b}").0.contains("hold their reason themselves"));
    let asks = entry("questions: [{question: Which color?, answer: red}]");
    assert!(asks.0.starts_with("d.yaml:5:28: the finding `0123456789012345` does not ask `Which color?`"), "{}", asks.0);
    assert!(asks.1.starts_with("did you mean `Which colour?`?"), "{}", asks.1);
    assert!(entry("questions: [{question: Which colour?, answer: a, defer: b}]").0.contains("both stand on one question"));
    let unknown = refused(&file("  0123456789012354: {reject: a}\n"));
    assert_eq!(unknown.0, "d.yaml:4:3: no finding has the key `0123456789012354`");
    assert!(unknown.1.starts_with("did you mean `0123456789012345`?"), "{}", unknown.1);
    let number = refused(&file("  F001: {reject: a}\n"));
    assert!(number.1.ends_with(CONFLICT), "{}", number.1);
    assert!(refused(&file("  dddddddddddddddd: {reject: a}\n")).0.contains("was dropped: the section is there"));
    assert!(refused(&file(&format!("  {PLAIN}: {{choose: A}}\n"))).0.contains("has no options"));
    assert!(refused(&file(&format!("  {PLAIN}: {{reject: a}}\n  {PLAIN}: {{defer: a}}\n"))).0.contains("a second time"));
    let unsigned = refused(&file(&format!("  {PLAIN}: {{reject: a}}\n")).replace("by: An", "by:"));
    assert!(unsigned.0.starts_with("d.yaml:"), "{}", unsigned.0);
    assert!(unsigned.0.contains("does not say who decides"));
    assert!(refused("schema: tamis.decisions/2\n").0.starts_with("d.yaml:1:9: the format is"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever a document or a model says, it stays inside its comment or its quotes.
    #[test]
    fn a_template_of_any_text_decides_nothing(texts in proptest::collection::vec(any_text(), 9)) {
        let mut one = conflict();
        one.finding = texts[0].clone();
        one.section = texts[1].clone();
        one.uc_id = texts[2].clone();
        one.quote = texts[3].clone();
        one.options[0].suggestion = texts[4].clone();
        one.options[0].quote = texts[5].clone();
        one.options[0].label = texts[6].clone();
        one.options[1].found_by = vec![texts[7].clone()];
        one.blocked_on[0].question = texts[8].clone();
        for lang in Lang::ALL {
            let text = template(std::slice::from_ref(&one), lang);
            prop_assert!(!text.chars().any(|c| c != '\n' && (c.is_control() || crate::model::shown::is_hidden(c))));
            prop_assert!(read(&text, "d.yaml").expect("reads").entries.is_empty());
            let filled = text.replacen("write: \"\"", "write: mine", 1).replacen("by: \"\"", "by: An", 1);
            let decisions = read(&filled, "d.yaml").expect("reads");
            prop_assert_eq!(&decisions.entries[0].decision, &Some(Decision::Write("mine".to_owned())));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(entries in "(?s).{0,80}") {
        if let Err(fault) = read(&file(&entries), "d.yaml") {
            prop_assert!(fault.what.starts_with("d.yaml"));
        }
    }
}

#[test]
fn a_file_may_be_as_long_as_the_findings_it_quotes() {
    let long = format!("schema: tamis.decisions/1\nby: An\n# {}\ndecisions: {{}}\n", "x".repeat(300 * 1024));
    assert!(read(&long, "d.yaml").expect("reads").entries.is_empty());
}
