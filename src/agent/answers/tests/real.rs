//! Answers in all the disguises that models give them.

use super::*;
use crate::model::arbiter::Verdict;
use crate::model::finding::{Question, RawQuestion};

#[test]
fn a_list_is_found_in_any_disguise() {
    let (a, b) = (item("a"), item("b"));
    let encoded = serde_json::to_string(&format!("[{a}, {b}]")).unwrap();
    for (name, text) in [
        ("plain", format!("[{a}, {b}]")),
        ("wrapped", format!(r#"{{"findings": [{a}, {b}]}}"#)),
        ("byte order mark", format!("\u{feff}[{a}, {b}]")),
        ("fence", format!("```json\n[{a}, {b}]\n```")),
        ("fence of another kind", format!("~~~JSON5\n{{\"findings\": [{a},\n{b}]}}\n~~~\n")),
        ("unclosed fence", format!("Here:\n```json\n[{a}, {b}]")),
        ("prose with brackets", format!("See [1] and {{UC-01}} (a, b].\n[{a}, {b}]\nSee [2] for {{more}}.")),
        ("vietnamese", format!("Dưới đây là các phát hiện [theo mục]:\n[{a}, {b}]\nHết.")),
        ("chinese", format!("以下是【全部】问题：\n```\n[{a}, {b}]\n```\n以上。")),
        ("think", format!("<think>Maybe [{}]? No, {{ or [ ...</think>\n[{a}, {b}]", item("draft"))),
        ("thinking", format!("<thinking>[{}]</thinking>[{a}, {b}]", item("draft"))),
        ("reasoning", format!("<reasoning>\n{{\"findings\": []}}\n</reasoning>\n{{\"findings\": [{a}, {b}]}}")),
        ("think not closed", format!("<think>Let me see {{ [ \" hm\n[{a}, {b}]")),
        ("think not opened", format!("draft [{} and \" so on</think>[{a}, {b}]", item("draft"))),
        ("two thoughts", format!("<think>[{a}]</think> well <think>{{</think>[{a}, {b}]")),
        ("an example first", format!("Shape: [{}]\nAnswer:\n[{a}, {b}]", item("example"))),
        ("a draft cut off first", format!("[{{\"severity\": \"major, oops\n\nAgain:\n[{a}, {b}]")),
        ("an empty list in a sentence", format!("I would answer [] if it were clean.\n[{a}, {b}]\nElse [].\n")),
        ("encoded twice", encoded.clone()),
        ("encoded twice in a fence", format!("```json\n{encoded}\n```")),
        ("encoded under its key", format!(r#"{{"findings": {encoded}}}"#)),
        ("items encoded", format!("[{}, {}]", serde_json::to_string(&a).unwrap(), serde_json::to_string(&b).unwrap())),
        ("lines", format!("{a}\n{b}\n")),
        ("lines with prose", format!("First: {a}\nSecond: {b}\nThat is all.")),
        ("nested", format!("[[{a}, {b}]]")),
        ("nested apart", format!("[[{a}], [{b}]]")),
        ("another key", format!(r#"{{"summary": "two", "results": [{a}, {b}]}}"#)),
        ("wrapped twice", format!(r#"{{"answer": {{"Findings": [{a}, {b}]}}}}"#)),
        ("trailing commas", format!("[{a}, {b},]")),
        ("no comma between", format!("[{a}\n{b}]")),
        ("comments", format!("[ // the first\n{a}, /* and */ {b}]")),
        ("comments in items", "[{/* x */ \"severity\": \"major\", // why\n \"finding\": \"a\"}, {\"severity\": \"minor\", \"finding\": \"b\"}]".to_owned()),
        ("single quotes", "[{'severity': 'major', 'finding': 'a'}, {'severity': 'minor', 'finding': 'b'}]".to_owned()),
        ("keys without quotes", "{findings: [{severity: \"major\", finding: \"a\"}, {severity: \"minor\", finding: \"b\"}]}".to_owned()),
        ("typographic quotes", "[{“severity”: “major”, “finding”: “a”}, {“severity”: “minor”, “finding”: “b”}]".to_owned()),
        ("words of another language", "[{\"severity\": \"major\", \"finding\": \"a\", \"auto_fixable\": False}, {\"severity\": \"minor\", \"finding\": \"b\", \"uc_id\": None}]".to_owned()),
        ("not a number", "[{\"severity\": \"major\", \"finding\": \"a\", \"line\": NaN}, {\"severity\": \"minor\", \"finding\": \"b\"}]".to_owned()),
        ("a key twice", "[{\"severity\": \"odd\", \"severity\": \"major\", \"finding\": \"a\"}, {\"severity\": \"minor\", \"finding\": \"b\"}]".to_owned()),
        ("line feeds in a string", "[{\"severity\": \"major\", \"quote\": \"one\ntwo\", \"finding\": \"a\"}, {\"severity\": \"minor\", \"finding\": \"b\"}]".to_owned()),
        ("half a character", "[{\"severity\": \"major\", \"quote\": \"x \\ud800 y\", \"finding\": \"a\"}, {\"severity\": \"minor\", \"finding\": \"b\"}]".to_owned()),
        ("other fields first", "Here: [{\"id\": 1, \"title\": \"t\", \"severity\": \"major\", \"finding\": \"a\"}, {\"id\": 2, \"severity\": \"minor\", \"finding\": \"b\", \"confidence\": 0.5}]".to_owned()),
    ] {
        assert_eq!(told(&text), ("a|b".to_owned(), String::new()), "{name}: {text}");
    }
}

#[test]
fn one_finding_alone_is_a_list_of_one() {
    for text in [item("a"), format!("The one: {}", item("a")), format!(r#"{{"findings": {}}}"#, item("a"))] {
        assert_eq!(told(&text).0, "a", "{text}");
    }
}

#[test]
fn clean_is_only_what_says_so() {
    for text in
        ["[]", " [ ] ", "```json\n[]\n```", r#"{"findings": []}"#, "Nothing found.\n\n[]", "<think>[1]</think>\n[]\n", "So: []."]
    {
        let read = review(text).unwrap_or_else(|none| panic!("{text}: {none}"));
        assert!(read.items.is_empty() && read.bad.is_empty() && !read.full, "{text}: {read:?}");
    }
    for text in [
        "",
        "  \n ",
        "null",
        "{}",
        "The document is clean.",
        "I found nothing [] worth saying, but the refund is open.",
        "- [ ] refund is open\n- [ ] no measure\n",
        "<think>[]</think>",
        "[] </think>",
        r#"{"findings": null}"#,
        r#"{"error": {"message": "no"}}"#,
        r#"{"tags": []}"#,
        r#"["DEV", "SA"]"#,
        "[1, 2, 3]",
        "```json\n```",
    ] {
        assert!(review(text).is_err(), "{text}: {:?}", review(text));
    }
}

#[test]
fn a_list_that_is_cut_is_never_whole() {
    let (a, b) = (item("a"), item("b"));
    let whole = format!(r#"{{"findings": [{a}, {b}]}}"#);
    for end in 15..whole.len() - 2 {
        let text = &whole[..end];
        match review(text) {
            Ok(read) => assert!(read.bad.iter().any(|bad| bad.path == "findings"), "{text}: {read:?}"),
            Err(_) => assert!(end < 60, "{text}"),
        }
    }
    let (words, bad) = told(&format!("[{a}, {b}, {{\"severity\": \"major\", \"finding\": \"c and"));
    assert_eq!((words.as_str(), bad.as_str()), ("a|b", "findings[2]|findings"));
    let example = format!("For instance [{a}].\n\n{{\"findings\": [{b}, {{\"sev");
    assert_eq!(told(&example).0, "b");
    assert!(told(&example).1.contains("findings"));
}

#[test]
fn an_empty_list_after_items_is_not_silently_clean() {
    let read = review(&format!("[{}]\n\nFinal answer:\n{{\"findings\": []}}", item("a"))).unwrap();
    assert_eq!((findings(&read).len(), read.bad.len()), (1, 1));
    assert!(read.bad[0].problem.contains("two lists") || read.bad[0].problem.contains("one list"), "{:?}", read.bad);
}

#[test]
fn a_bad_item_says_where_and_what_and_loses_no_other() {
    for (bad, path, says) in [
        (r#"{"severity": "high", "finding": "x"}"#, "findings[1].severity", "critical, major or minor"),
        (r#"{"finding": "x"}"#, "findings[1].severity", "critical"),
        (r#"{"severity": "major", "finding": "  "}"#, "findings[1].finding", "what is wrong"),
        (r#"{"severity": "major", "finding": 7}"#, "findings[1].finding", "expected a string"),
        (r#"{"severity": "major", "finding": "x", "auto_fixable": "yes"}"#, "findings[1].auto_fixable", "boolean"),
        (
            r#"{"severity": "major", "finding": "x", "resolution_edge_cases": ["a", 1]}"#,
            "findings[1].resolution_edge_cases[1]",
            "string",
        ),
        (r#"{"severity": "major", "finding": "x", "blocked_on": [{"owner": "me"}]}"#, "findings[1].blocked_on[0]", "question"),
        (r#""words""#, "findings[1]", "object"),
        ("null", "findings[1]", "object"),
    ] {
        let read = review(&format!("[{}, {bad}, {}]", item("a"), item("b"))).unwrap();
        assert_eq!(findings(&read).len(), 2, "{bad}");
        assert_eq!(read.bad.len(), 1, "{bad}: {:?}", read.bad);
        assert_eq!((read.bad[0].index, read.bad[0].path.as_str()), (1, path), "{bad}");
        assert!(read.bad[0].problem.contains(says), "{bad}: {}", read.bad[0].problem);
    }
    let text = format!("[{}, {{\"severity\": \"major, \"finding\": \"x\", \"quote\": \"y\"}}, {}]", item("a"), item("b"));
    assert_eq!(told(&text), ("a|b".to_owned(), "findings[1]".to_owned()), "{text}");
}

#[test]
fn words_between_wrong_quotation_marks_are_never_half_kept() {
    let text = format!("[{}, {{\"severity\": \"major\", \"finding\": \"The \"Pay\" button, or \"Buy\": which?\"}}]", item("a"));
    let read = review(&text).unwrap();
    let kept = findings(&read).iter().skip(1).all(|finding| finding.finding.contains("which?"));
    assert!(kept, "{read:?}");
    assert_eq!(findings(&read).len() + read.bad.len(), 2);
}

#[test]
fn a_critic_names_a_dimension() {
    let text = |dimension: &str| format!(r#"[{{"dimension": "{dimension}", "severity": "Info", "finding": "x"}}]"#);
    assert_eq!(findings(&critic(&text("dev ")).unwrap())[0].severity, "Info");
    let bad = &critic(&text("UX")).unwrap().bad;
    assert_eq!(bad[0].path, "findings[0].dimension");
    assert!(bad[0].problem.contains("DEV, SA, PO, QA"));
    assert_eq!(findings(&review(&text("UX")).unwrap()).len(), 1, "a reviewer's own dimension counts whatever it says");
}

#[test]
fn only_a_person_answers_a_question() {
    let text = r#"[{"severity": "major", "finding": "x", "section": null, "uc_id": null, "missing": "", "blocked_on": ["needs-law-decision: who?", "",
        {"question": "how long?", "owner": "legal", "policy": "law", "answer": "ten years", "answered_by": "me", "deferred": "later"}]}]"#;
    let read = review(text).unwrap();
    let question = Question {
        question: "how long?".to_owned(),
        owner: Some("legal".to_owned()),
        policy: Some("law".to_owned()),
        ..Question::default()
    };
    let expected = [RawQuestion::Words("needs-law-decision: who?".to_owned()), RawQuestion::Full(question)];
    assert_eq!(findings(&read)[0].blocked_on, expected);
    assert_eq!((findings(&read)[0].missing.clone(), findings(&read)[0].uc_id.as_str()), (None, ""));
}

#[test]
fn long_texts_are_kept_whole_or_refused() {
    let text = |length: usize| format!("[{}]", item(&"đ".repeat(length)));
    assert_eq!(findings(&review(&text(2 * MAX_WORDS)).unwrap())[0].finding.chars().count(), 2 * MAX_WORDS);
    let read = review(&text(2 * MAX_WORDS + 1)).unwrap();
    assert_eq!((read.items.len(), read.bad[0].path.as_str()), (0, "findings[0].finding"));
}

#[test]
fn a_list_as_long_as_it_may_be_is_full() {
    let list = |count: usize| format!("[{}]", vec![item("a"); count].join(","));
    assert!(!review(&list(MAX_FINDINGS - 1)).unwrap().full);
    assert!(review(&list(MAX_FINDINGS)).unwrap().full);
    assert_eq!(review(&list(3 * MAX_FINDINGS)).unwrap().items.len(), 3 * MAX_FINDINGS);
}

#[test]
fn parts_are_a_partition() {
    let read = arbiter(
        r#"```json
        {"parts": [{"members": [1, 2], "verdict": "Duplicate"}, {"members": [3, 5], "verdict": "merge", "suggestion": "both"}]}
        ```"#,
    )
    .unwrap();
    assert_eq!(parts(&read).iter().map(|part| part.verdict).collect::<Vec<_>>(), [Verdict::Duplicate, Verdict::Merge]);
    assert!(arbiter("[]").unwrap().items.is_empty());
    assert!(arbiter(&item("a")).is_err());
    let part = |members: &str, verdict: &str| format!(r#"{{"members": {members}, "verdict": "{verdict}", "suggestion": ""}}"#);
    for (bad, path, says) in [
        (part("[1, 9]", "duplicate"), "parts[1]", "member 9"),
        (part("[3]", "duplicate"), "parts[1]", "two or more"),
        (part("[1, 3]", "merge"), "parts[1]", "words"),
        (part("[1, 3]", "same"), "parts[1].verdict", "duplicate, merge, exclusive"),
        (part("[1, -3]", "duplicate"), "parts[1].members[1]", "invalid value"),
    ] {
        let text = format!("[{}, {bad}, {}]", part("[1, 2]", "exclusive"), part("[4, 5]", "duplicate"));
        let read = arbiter(&text).unwrap();
        assert_eq!((parts(&read).len(), read.bad.len()), (2, 1), "{bad}");
        assert_eq!(read.bad[0].path, path);
        assert!(read.bad[0].problem.contains(says), "{}", read.bad[0].problem);
    }
    let both = format!("[{}, {}, {}]", part("[1, 2]", "duplicate"), part("[2, 3]", "exclusive"), part("[4, 5]", "duplicate"));
    let read = arbiter(&both).unwrap();
    assert_eq!((parts(&read)[0].members.clone(), read.bad.len()), (vec![4, 5], 2), "neither is surer than the other");
}

#[test]
fn large_garbage_is_read_in_one_pass() {
    // A part of the largest size hangs as surely where reading is not linear.
    let size = |unit: &str| if unit == "[" || unit == "[{\"severity\":" { MAX_BYTES } else { MAX_BYTES / 8 };
    let wrapped = |unit: &str| unit.repeat(size(unit) / unit.len());
    for unit in [
        "[",
        "{",
        "[{",
        "\"",
        "[ ",
        "[]",
        "   []",
        "\\",
        "<think>",
        "</think>",
        "findings: [",
        "{\"severity\":",
        "[{\"severity\":",
        "\"findings\": [",
        "{\"finding\":\"x",
        "{severity:",
        "[{\"severity\":\"a\"},",
        "{'finding': '",
        "“",
        ",",
        "\"[",
        "\"{\\\"",
    ] {
        let text = wrapped(unit);
        if let Ok(read) = review(&text) {
            assert!(!(read.items.is_empty() && read.bad.is_empty()), "{unit} is taken for clean");
        }
    }
    let inner = "[{\"severity\": ".repeat(120);
    assert!(review(&format!("{inner}\"{}", "x".repeat(MAX_BYTES - inner.len() - 1))).map_or(true, |read| !read.bad.is_empty()));
    let long = review(&"x".repeat(MAX_BYTES + 1)).unwrap_err();
    assert!(long.why.contains("2097152"), "{long}");
}
