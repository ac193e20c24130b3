//! Asking again, asking for the rest, and joining what comes.

use super::*;

#[test]
fn the_question_quotes_paths_and_says_what_is_allowed() {
    let recipe = sample::recipe();
    let wanted = Wanted::Findings { recipe: &recipe, names_dimension: true, most: MAX_FINDINGS };
    let bad: Vec<BadItem> = (0..12)
        .map(|index| BadItem {
            index,
            path: format!("findings[{index}].severity"),
            problem: "`{shape}`\nis no severity {errors}".to_owned(),
        })
        .collect();
    let prompts = crate::config::prompts::Prompts::embedded();
    let questions = Questions(&prompts);
    let asked = questions.ask_again(&bad, &wanted);
    assert!(asked.contains("`findings[0].severity`: `{shape}` is no severity {errors}"), "{asked}");
    assert!(asked.contains("findings[9].severity") && !asked.contains("findings[10]") && asked.contains("2 more"), "{asked}");
    assert!(
        asked.contains(
            r#"{"findings": [{"dimension": "DEV" or "SA" or "PO" or "QA", "severity": "critical" or "major" or "minor""#
        ),
        "{asked}"
    );
    let none = questions.no_answer(&NoAnswer { why: "the answer is empty".to_owned() }, &Wanted::Verdicts { listed: 4 });
    assert!(
        none.contains("- the answer is empty") && none.contains(r#"{"parts": [{"members": [at most 4: a number from 1 to 4]"#),
        "{none}"
    );
    let known = [
        sample::raw("major", "The {shape} quote", "Who pays for it?", ""),
        RawFinding { section: "Scope".to_owned(), ..sample::raw("minor", "", "No limit.", "") },
    ];
    let rest = questions.ask_for_rest(&known, &wanted);
    assert!(rest.contains("- \"The {shape} quote\": Who pays for it?\n- Scope: No limit.\n"), "{rest}");
    let many = questions.ask_for_rest(&vec![known[0].clone(); 1000], &wanted);
    assert!(many.contains("920 findings before these") && many.len() < 20_000);
}

#[test]
fn corrected_items_take_the_place_of_bad_ones() {
    let bad = r#"{"severity": "odd", "finding": "b"}"#;
    let first = || review(&format!("[{}, {bad}, {}, {bad}]", item("a"), item("c"))).unwrap();
    let merged = |second: &str| {
        let read = merge(first(), review(second).unwrap());
        let words: Vec<String> = findings(&read).iter().map(|finding| finding.finding.clone()).collect();
        (words.join(""), read.dropped())
    };
    assert_eq!(merged(&format!("[{}, {}]", item("b"), item("d"))), ("abcd".to_owned(), 0));
    assert_eq!(merged(&format!("[{}]", item("b"))), ("abc".to_owned(), 1));
    assert_eq!(merged(&format!("[{}, {bad}]", item("b"))), ("abc".to_owned(), 1));
    assert_eq!(merged("[]"), ("ac".to_owned(), 2));
    let all = format!("[{}, {}, {}, {}]", item("a"), item("b"), item("c"), item("d"));
    assert_eq!(merged(&all), ("abcd".to_owned(), 0), "what was good is not taken twice");
}

#[test]
fn a_list_that_broke_off_is_whole_once_the_rest_has_come() {
    let first = || review(&format!("[{}, {{\"severity\": \"maj", item("a"))).unwrap();
    assert_eq!(first().dropped(), 2);
    let whole = merge(first(), review(&format!("[{}, {}]", item("b"), item("c"))).unwrap());
    assert_eq!((findings(&whole).len(), whole.dropped()), (3, 0));
    let again = merge(first(), review(&format!("[{}, {{\"sev", item("b"))).unwrap());
    assert_eq!((findings(&again).len(), again.dropped()), (2, 1), "{again:?}");
}

#[test]
fn corrected_parts_must_fit_the_others() {
    let part = |members: &str, verdict: &str| format!(r#"{{"members": {members}, "verdict": "{verdict}"}}"#);
    let first = || arbiter(&format!("[{}, {}]", part("[1, 2]", "duplicate"), part("[3, 4]", "odd"))).unwrap();
    let good = merge(first(), arbiter(&format!("[{}]", part("[3, 4]", "exclusive"))).unwrap());
    assert_eq!((parts(&good).len(), good.dropped()), (2, 0));
    let across = merge(first(), arbiter(&format!("[{}]", part("[2, 3]", "exclusive"))).unwrap());
    assert_eq!((parts(&across).len(), across.dropped()), (0, 2));
}

#[test]
fn the_rest_comes_after_without_repetitions() {
    let first =
        || review(&format!("[{}]", (0..MAX_FINDINGS).map(|n| item(&format!("f{n}"))).collect::<Vec<_>>().join(","))).unwrap();
    let read = join_rest(first(), review(&format!("[{}, {}, {{\"severity\": 1}}]", item(" f7 "), item("new"))).unwrap());
    assert_eq!((findings(&read).len(), findings(&read)[MAX_FINDINGS].finding.as_str()), (MAX_FINDINGS + 1, "new"));
    assert_eq!((read.full, read.dropped(), read.bad[0].index), (false, 1, MAX_FINDINGS + 2));
    assert!(join_rest(first(), first()).full);
    assert!(!join_rest(first(), review("[]").unwrap()).full);
}
