//! Settling from end to end: SPEC's sentences on the sample document, and that arrival order changes nothing.

use super::arbiter::{Decided, DecidedPart, Verdicts};
use super::sample::{document, finding, found, raw, recipe};
use super::settle::{propose, render_citations};
use super::wording::Wording;
use crate::model::arbiter::Verdict;
use crate::model::finding::{Finding, Grounding, RawQuestion, Severity, Status};
use crate::model::ids::FindingKey;
use crate::model::settled::Proposal;
use proptest::prelude::*;

const ERROR_LINE: &str = "If the order is unknown, an error is shown.";

fn settle(findings: &[Finding], verdicts: &Verdicts) -> Proposal {
    propose(findings, &document().1, &recipe(), verdicts, &Wording::default())
}

fn plain(findings: &[Finding]) -> Proposal {
    settle(findings, &Verdicts::default())
}

fn said(verdict: Verdict, members: &[&Finding]) -> Verdicts {
    let members: Vec<FindingKey> = members.iter().map(|finding| finding.key.clone()).collect();
    let suggestion = if verdict == Verdict::Merge { "Say which error, and where it is logged." } else { "" };
    let part = DecidedPart { verdict, members: members.clone(), suggestion: suggestion.to_owned() };
    Verdicts { decided: vec![Decided { members, parts: vec![part], ..Decided::default() }] }
}

fn unstable(members: &[&Finding]) -> Verdicts {
    let members: Vec<FindingKey> = members.iter().map(|finding| finding.key.clone()).collect();
    Verdicts { decided: vec![Decided { members: members.clone(), unstable: vec![members], ..Decided::default() }] }
}

#[test]
fn duplicates_across_lenses_become_one_finding_with_every_finder() {
    let dev = finding("DEV", "minor", ERROR_LINE, "The error text is missing.", "Write the text of E1.");
    let sa = finding("SA", "critical", "an error is shown.", "Missing error text.", "Write it.");
    let proposal = plain(&[sa.clone(), dev.clone()]);
    assert_eq!(proposal.findings.len(), 1);
    let one = &proposal.findings[0];
    assert_eq!((one.id.as_str(), one.severity, one.dimension.as_str()), ("F001", Severity::Critical, "DEV"));
    assert_eq!(one.found_by, ["DEV", "SA"]);
    assert_eq!(one.suggestion, "Write the text of E1.");
    assert_eq!(one.absorbed.len(), 1);
    assert_eq!(one.absorbed[0].finding, "Missing error text.");
    assert_eq!(one.status, Status::Pending);
    assert_eq!(proposal.aliases[&dev.key], one.key);
    assert_eq!(proposal.aliases[&sa.key], one.key);
}

#[test]
fn identical_findings_of_replicas_are_one_and_keep_both_suggestions() {
    let one = finding("DEV", "minor", ERROR_LINE, "The error text is missing.", "Write it.");
    let two = finding("DEV", "minor", ERROR_LINE, "The error text is missing.", "Write the text of E1.");
    let proposal = plain(&[one.clone(), one.clone(), two]);
    assert_eq!(proposal.findings.len(), 1);
    assert_eq!(proposal.findings[0].key, one.key, "one key, no merge");
    assert_eq!(proposal.findings[0].suggestion, "Write the text of E1.");
    assert_eq!(proposal.findings[0].absorbed.len(), 1);
    assert_eq!(plain(&[one.clone(), one]).findings[0].absorbed, []);
}

#[test]
fn the_same_words_of_a_rule_on_two_lines_stay_two() {
    let at = |line: u32| {
        let mut vague = raw("minor", "The form should be fast.", "“fast” is vague.", "Write a number.");
        (vague.rule, vague.line) = (Some("A01".to_owned()), Some(line));
        let mut finding = found("DEV", &vague);
        finding.uc_id = String::new();
        finding.key = super::keys::finding_key(&finding);
        finding
    };
    let proposal = plain(&[at(29), at(20)]);
    assert_eq!(proposal.findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [20, 29]);
    assert_ne!(proposal.findings[0].key, proposal.findings[1].key);
}

#[test]
fn unsure_pairs_both_stay_and_name_each_other_unless_the_arbiter_parted_them() {
    let a = finding("DEV", "major", "If the order is unknown", "The error text is missing.", "Write it.");
    let b = finding("SA", "major", "an error is shown.", "The text of the error is missing.", "Write the text.");
    let proposal = plain(&[a.clone(), b.clone()]);
    assert_eq!(proposal.findings.len(), 2);
    assert_eq!(proposal.findings[0].possible_duplicate_of, [proposal.findings[1].key.clone()]);
    assert_eq!(proposal.findings[1].possible_duplicate_of, [proposal.findings[0].key.clone()]);
    let apart = Decided { members: vec![a.key.clone(), b.key.clone()], ..Decided::default() };
    let parted = settle(&[a.clone(), b.clone()], &Verdicts { decided: vec![apart] });
    assert!(parted.findings.iter().all(|finding| finding.possible_duplicate_of.is_empty()));
    assert_eq!(settle(&[a.clone(), b.clone()], &said(Verdict::Duplicate, &[&a, &b])).findings.len(), 1);
}

#[test]
fn an_unstable_verdict_becomes_an_ordinary_question_and_both_stay() {
    let mut fixable = raw("major", "If the order is unknown", "The error text is missing.", "Write it.");
    fixable.auto_fixable = true;
    let a = found("DEV", &fixable);
    let b = finding("SA", "major", "an error is shown.", "The text of the error is missing.", "Write the text.");
    let proposal = settle(&[a.clone(), b.clone()], &unstable(&[&a, &b]));
    assert_eq!(proposal.findings.len(), 2);
    let asking = proposal.findings.iter().find(|finding| finding.key == a.key).unwrap();
    assert_eq!(asking.blocked_on.len(), 1);
    let question = &asking.blocked_on[0];
    assert!(question.policy.is_none() && !question.blocks_writing() && question.is_open());
    assert!(question.question.contains(a.key.as_str()) && question.question.contains(b.key.as_str()));
    assert!(!asking.auto_fixable);
    assert_eq!(asking.possible_duplicate_of, std::slice::from_ref(&b.key));
    let shown = render_citations(&question.question, &proposal);
    assert!(shown.contains("F001") && shown.contains("F002"), "{shown}");
}

#[test]
fn exclusive_suggestions_become_one_finding_with_all_options() {
    let at = |dimension: &str, severity: &str, days: u32| {
        let words = format!("{dimension} reads another window.");
        let fix = format!("Set the refund window to {days} days.");
        finding(dimension, severity, "must be sent within 14 days", &words, &fix)
    };
    let (dev, sa, po) = (at("DEV", "minor", 14), at("SA", "critical", 30), at("PO", "major", 60));
    let proposal = plain(&[po.clone(), dev.clone(), sa.clone()]);
    assert_eq!(proposal.findings.len(), 1);
    let conflict = &proposal.findings[0];
    assert_eq!((conflict.status, conflict.severity), (Status::NeedsDiscussion, Severity::Critical));
    assert!(!conflict.auto_fixable && conflict.is_open_conflict());
    assert_eq!(conflict.suggestion, "", "nothing is chosen yet");
    let options: Vec<_> = conflict.options.iter().map(|option| (option.label.as_str(), option.suggestion.as_str())).collect();
    assert_eq!(
        options,
        [
            ("A", "Set the refund window to 14 days."),
            ("B", "Set the refund window to 30 days."),
            ("C", "Set the refund window to 60 days."),
        ]
    );
    assert_eq!(conflict.options[1].finding, "SA reads another window.");
    assert_eq!(conflict.options[1].found_by, ["SA"]);
    assert_eq!((conflict.options[1].line, conflict.options[1].quote.as_str()), (11, "must be sent within 14 days"));
    assert_eq!(conflict.found_by, ["DEV", "SA", "PO"]);
    assert_eq!(conflict.finding, sa.finding, "the gravest speaks");
    let mut review = recipe();
    review.conflict_status = Status::Pending;
    let pending = propose(&[dev, sa, po], &document().1, &review, &Verdicts::default(), &Wording::default());
    assert_eq!(pending.findings[0].status, Status::Pending);
    assert!(pending.findings[0].is_open_conflict());
}

#[test]
fn the_arbiter_can_call_suggestions_exclusive_and_no_side_is_lost_to_a_duplicate() {
    let a = finding("DEV", "major", "If the order is unknown", "The error text is missing.", "Show a banner.");
    let b = finding("SA", "major", "an error is shown.", "The text of the error is missing.", "Send a mail.");
    let torn = settle(&[a.clone(), b.clone()], &said(Verdict::Exclusive, &[&a, &b]));
    assert_eq!(torn.findings.len(), 1);
    assert_eq!(torn.findings[0].options.len(), 2);
    assert_eq!(torn.findings[0].absorbed.len(), 2);
    let words = "Nothing says how long.";
    let a = finding("DEV", "major", "sent within 14 days", words, "Set the refund window to 14 days.");
    let b = finding("PO", "major", "sent within 14 days", words, "Set the refund window to 30 days.");
    let kept = settle(&[a.clone(), b.clone()], &said(Verdict::Duplicate, &[&a, &b]));
    assert_eq!(kept.findings[0].options.len(), 2, "calling them one would drop a side");
    let parted = settle(&[a.clone(), b.clone()], &said(Verdict::Merge, &[&a, &b]));
    assert!(parted.findings[0].options.is_empty());
}

#[test]
fn mergeable_suggestions_become_the_arbiters_words_with_the_originals_beside_them() {
    let mut first = raw("minor", "If the order is unknown", "The error text is missing.", "Say which error.");
    first.auto_fixable = true;
    let mut second = raw("major", "an error is shown.", "The text of the error is missing.", "Say where it is logged.");
    second.auto_fixable = true;
    let (a, b) = (found("DEV", &first), found("SA", &second));
    let merged = settle(&[a.clone(), b.clone()], &said(Verdict::Merge, &[&a, &b]));
    assert_eq!(merged.findings.len(), 1);
    let one = &merged.findings[0];
    assert_eq!(one.suggestion, "Say which error, and where it is logged.");
    assert_eq!((one.severity, one.status, one.auto_fixable), (Severity::Major, Status::Pending, true));
    let originals: Vec<&str> = one.absorbed.iter().map(|absorbed| absorbed.suggestion.as_str()).collect();
    assert_eq!(originals, ["Say which error.", "Say where it is logged."]);
}

#[test]
fn independent_suggestions_both_stay() {
    let a = finding("DEV", "major", ERROR_LINE, "Nobody says who is told.", "Name the recipient.");
    let b = finding("SA", "major", ERROR_LINE, "The colour of the banner is open.", "Choose red.");
    let proposal = plain(&[a, b]);
    assert_eq!(proposal.findings.len(), 2);
    assert!(proposal.findings.iter().all(|finding| finding.options.is_empty()));
}

#[test]
fn a_finding_that_another_quotation_refutes_is_dropped_with_the_reason() {
    let quoting = finding("DEV", "major", "a request to pay back", "Who pays back?", "Name the payer.");
    let mut wrong = finding("SA", "critical", "", "Terms are nowhere explained.", "Add a glossary.");
    (wrong.missing, wrong.grounding) = (Some("Glossary".to_owned()), Grounding::Absence);
    let proposal = plain(&[wrong.clone(), quoting.clone()]);
    assert_eq!(proposal.findings.len(), 1);
    assert_eq!(proposal.dropped.len(), 1);
    assert_eq!(proposal.dropped[0].finding, wrong);
    assert!(proposal.dropped[0].reason.contains("Glossary") && proposal.dropped[0].reason.contains(quoting.key.as_str()));
    assert!(render_citations(&proposal.dropped[0].reason, &proposal).contains("F001"));
}

#[test]
fn a_finding_that_the_document_refutes_is_dropped_with_the_line() {
    let wrong = finding("SA", "critical", "", "There is no glossary section.", "Add one.");
    let id = finding("SA", "major", "", "BR-02 is not defined.", "Define it.");
    let right = finding("SA", "major", "", "There is no actors section.", "Add one.");
    let empty = finding("SA", "major", "", "There is no changelog section.", "Add one.");
    let proposal = plain(&[wrong, right, id, empty]);
    let kept: Vec<&str> = proposal.findings.iter().map(|finding| finding.suggestion.as_str()).collect();
    assert_eq!(kept, ["Add one.", "Add one."]);
    let reasons: Vec<&str> = proposal.dropped.iter().map(|dropped| dropped.reason.as_str()).collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons.iter().any(|reason| reason.contains("line 5")), "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason.contains("line 12")), "{reasons:?}");
}

#[test]
fn findings_are_sorted_by_severity_section_line_dimension_and_key() {
    let mut lost = raw("critical", "", "No actor is named.", "");
    lost.section = "Actors".to_owned();
    let mut dev_late = raw("major", "Staff approve by BR-02", "Who is told?", "");
    dev_late.section = "UC-02".to_owned();
    let findings = [
        finding("PO", "minor", "Customers ask for refunds.", "Which customers?", ""),
        found("SA", &dev_late),
        finding("SA", "major", ERROR_LINE, "Which colour has it?", ""),
        finding("DEV", "major", ERROR_LINE, "Nobody hears about it.", ""),
        finding("QA", "major", "must be sent within 14 days", "Working days?", ""),
        found("DEV", &lost),
        finding("PO", "critical", "If the order is unknown", "Whose list of orders?", ""),
        finding("PO", "critical", "Customers ask for refunds.", "Why would they?", ""),
    ];
    let proposal = plain(&findings);
    let order: Vec<(&str, &str, u32)> =
        proposal.findings.iter().map(|finding| (finding.id.as_str(), finding.dimension.as_str(), finding.line)).collect();
    assert_eq!(
        order,
        [
            ("F001", "PO", 3),
            ("F002", "PO", 23),
            ("F003", "DEV", 0),
            ("F004", "QA", 11),
            ("F005", "DEV", 23),
            ("F006", "SA", 23),
            ("F007", "SA", 30),
            ("F008", "PO", 3),
        ],
        "a section that the file lacks comes last within its severity"
    );
}

#[test]
fn struck_findings_are_left_out_and_ungrounded_ones_stay() {
    let mut struck = finding("DEV", "critical", ERROR_LINE, "The error text is missing.", "");
    struck.struck = true;
    let invented = finding("SA", "critical", "Refunds are gold", "Gold is unsafe.", "");
    let proposal = plain(&[struck, invented]);
    assert_eq!(proposal.findings.len(), 1);
    assert_eq!(proposal.findings[0].grounding, Grounding::Missing);
    assert_eq!((proposal.findings[0].severity, proposal.findings[0].id.as_str()), (Severity::Major, "F001"));
    assert_eq!(plain(&[]), Proposal::default());
}

#[test]
fn citations_by_key_are_rendered_as_ids_also_of_findings_that_were_taken_in() {
    let dev = finding("DEV", "minor", ERROR_LINE, "The error text is missing.", "Write the text of E1.");
    let sa = finding("SA", "critical", "an error is shown.", "Missing error text.", "Write it.");
    let other = finding("PO", "major", "must be sent within 14 days", "Working days?", "");
    let proposal = plain(&[dev.clone(), sa.clone(), other.clone()]);
    let text = format!("See {}, ({}), {}; not {}x or abc.", dev.key, sa.key, other.key, other.key);
    assert_eq!(render_citations(&text, &proposal), format!("See F001, (F001), F002; not {}x or abc.", other.key));
    assert_eq!(render_citations("退款 без 🔴", &proposal), "退款 без 🔴");
}

#[test]
fn a_conflict_of_duplicates_keeps_every_member_in_reach() {
    let at = |dimension: &str, quote: &str, words: &str, days: u32| {
        finding(dimension, "major", quote, words, &format!("Set the refund window to {days} days."))
    };
    let a = at("DEV", "must be sent within 14 days", "The window is unclear.", 14);
    let b = at("SA", "sent within 14 days", "The window is vague.", 14);
    let c = at("PO", "must be sent within 14 days", "The window is ambiguous.", 30);
    let proposal = plain(&[a.clone(), b.clone(), c.clone()]);
    assert_eq!(proposal.findings.len(), 1);
    let one = &proposal.findings[0];
    assert_eq!(one.options.len(), 2);
    assert_eq!(one.options[0].found_by, ["DEV", "SA"]);
    for member in [&a, &b, &c] {
        assert_eq!(proposal.aliases[&member.key], one.key);
    }
    assert_eq!(one.key, super::keys::merged_key([&c.key, &b.key, &a.key]), "however the merge came about");
}

/// Words from which findings are put together: alike enough for duplicates, conflicts and doubt.
fn any_finding() -> impl Strategy<Value = Finding> {
    let quotes = prop::sample::select(vec![
        ERROR_LINE,
        "If the order is unknown",
        "an error is shown.",
        "must be sent within 14 days",
        "sent within 14 days",
        "The form should be fast",
        "Refunds are gold",
        "",
    ]);
    let words = prop::sample::select(vec![
        "The error text is missing.",
        "Missing error text.",
        "The text of the error is unclear.",
        "The window is unclear.",
        "The refund window is vague.",
        "There is no glossary section.",
        "There is no actors section.",
        "Thiếu nội dung lỗi.",
        "缺少错误文案。",
    ]);
    let fixes = prop::sample::select(vec![
        "",
        "Write the text.",
        "Set the refund window to 14 days.",
        "Set the refund window to 30 days.",
        "Delete AC-01.",
        "Keep AC-01.",
        "Write the text of BR-02.",
    ]);
    let dimension = prop::sample::select(vec!["DEV", "SA", "PO", "QA"]);
    let severity = prop::sample::select(vec!["critical", "major", "minor"]);
    (dimension, severity, quotes, words, fixes, 0usize..6).prop_map(|(dimension, severity, quote, words, fix, kind)| {
        let mut raw = raw(severity, quote, words, fix);
        raw.auto_fixable = true;
        match kind {
            0 => raw.rule = Some("A01".to_owned()),
            1 => raw.blocked_on = vec![RawQuestion::Words("needs-law-decision: may we?".to_owned())],
            2 => raw.options = vec!["One way.".to_owned(), "Another way.".to_owned()],
            _ => {}
        }
        found(dimension, &raw)
    })
}

/// Verdicts on some of the findings: a kind and a choice of members for each group.
fn verdicts_on(findings: &[Finding], choices: &[(usize, usize, usize)]) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for &(kind, a, b) in choices {
        let (Some(a), Some(b)) = (findings.get(a % findings.len().max(1)), findings.get(b % findings.len().max(1))) else {
            continue;
        };
        if a.key != b.key {
            let made = match kind {
                0 => said(Verdict::Duplicate, &[a, b]),
                1 => said(Verdict::Merge, &[a, b]),
                2 => said(Verdict::Exclusive, &[a, b]),
                _ => unstable(&[a, b]),
            };
            verdicts.decided.extend(made.decided);
        }
    }
    verdicts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_order_in_which_findings_come_in_changes_nothing(
        findings in prop::collection::vec(any_finding(), 0..14),
        choices in prop::collection::vec((0usize..4, 0usize..14, 0usize..14), 0..4),
        seed in any::<u64>(),
    ) {
        let verdicts = verdicts_on(&findings, &choices);
        let settled = settle(&findings, &verdicts);
        let mut shuffled = findings.clone();
        let mut state = seed | 1;
        for index in (1..shuffled.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.swap(index, (state >> 33) as usize % (index + 1));
        }
        prop_assert_eq!(settle(&shuffled, &verdicts), settled);
    }

    #[test]
    fn nothing_that_was_said_is_lost(
        findings in prop::collection::vec(any_finding(), 0..14),
        choices in prop::collection::vec((0usize..4, 0usize..14, 0usize..14), 0..4),
    ) {
        let proposal = settle(&findings, &verdicts_on(&findings, &choices));
        let text = serde_json::to_string(&proposal).expect("a proposal is plain data");
        for finding in &findings {
            for words in [&finding.finding, &finding.suggestion] {
                let words = serde_json::to_string(words).expect("text");
                prop_assert!(text.contains(words.trim_matches('"')), "{} is lost", words);
            }
            for option in &finding.options {
                prop_assert!(text.contains(&option.suggestion));
            }
            let told = proposal.findings.iter().any(|kept| {
                let key = proposal.aliases.get(&finding.key).unwrap_or(&finding.key);
                kept.key == *key && kept.found_by.contains(&finding.found_by[0]) && kept.severity <= finding.severity
            });
            let dropped = proposal.dropped.iter().any(|dropped| dropped.finding.key == finding.key);
            // A finding with the words of another on another line has a key of its own by now.
            let apart = findings.iter().any(|other| other.key == finding.key && other.line != finding.line);
            prop_assert!(told || dropped || apart, "{:?}", finding);
        }
    }

    #[test]
    fn what_is_proposed_is_consistent(
        findings in prop::collection::vec(any_finding(), 0..14),
        choices in prop::collection::vec((0usize..4, 0usize..14, 0usize..14), 0..4),
    ) {
        let proposal = settle(&findings, &verdicts_on(&findings, &choices));
        let keys: std::collections::BTreeSet<_> = proposal.findings.iter().map(|finding| &finding.key).collect();
        prop_assert_eq!(keys.len(), proposal.findings.len());
        for (index, finding) in proposal.findings.iter().enumerate() {
            prop_assert_eq!(&finding.id, &format!("F{:03}", index + 1));
            prop_assert!(finding.options.len() != 1);
            prop_assert!(!finding.is_conflict() || (!finding.auto_fixable && finding.status == Status::NeedsDiscussion));
            prop_assert!(finding.is_conflict() || finding.status == Status::Pending);
            prop_assert!(finding.blocked_on.is_empty() || !finding.auto_fixable);
            prop_assert!(finding.grounding != Grounding::Missing || finding.severity != Severity::Critical);
            for key in &finding.possible_duplicate_of {
                prop_assert!(keys.contains(key) && *key != finding.key);
            }
        }
        for key in proposal.aliases.values() {
            prop_assert!(keys.contains(key));
        }
        let again = settle(&findings, &verdicts_on(&findings, &choices));
        prop_assert_eq!(again, proposal);
    }
}
