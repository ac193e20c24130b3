//! What holds for every answer.

use super::*;
use crate::model::finding::{Question, RawQuestion};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn question() -> impl Strategy<Value = RawQuestion> {
    let full = ("[^\\s].{0,20}", option::of(".{0,8}"), option::of(".{0,8}"))
        .prop_map(|(question, owner, policy)| RawQuestion::Full(Question { question, owner, policy, ..Question::default() }));
    prop_oneof!["[^\\s].{0,20}".prop_map(RawQuestion::Words), full]
}

fn raw() -> impl Strategy<Value = RawFinding> {
    let words = ("(?s).{0,20}", "(?s).{0,20}", "(?s).{0,40}", "(?s)[^\\s].{0,40}", "(?s).{0,40}");
    let lists = (vec("(?s).{0,20}", 0..3), vec(question(), 0..3), vec(".{0,9}", 0..3), vec(any::<u32>(), 0..3));
    let severity = prop_oneof![Just("critical"), Just("Major"), Just(" minor "), Just("info")];
    (severity, words, lists, any::<bool>(), option::of(any::<u32>()), option::of(".{1,20}")).prop_map(
        |(
            severity,
            (section, uc_id, quote, finding, suggestion),
            (edge_cases, blocked_on, options, options_at),
            auto_fixable,
            line,
            missing,
        )| {
            RawFinding {
                dimension: "DEV".to_owned(),
                severity: severity.to_owned(),
                section,
                uc_id,
                quote,
                finding,
                suggestion,
                auto_fixable,
                resolution_edge_cases: edge_cases,
                blocked_on,
                options,
                options_at,
                rule: None,
                line,
                missing,
            }
        },
    )
}

/// Pieces of answers and of what breaks them.
fn scrap() -> impl Strategy<Value = String> {
    prop_oneof![
        "(?s).{0,6}",
        proptest::sample::select(vec![
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            "\"",
            "'",
            "“",
            "\\",
            "\\ud83d",
            "\n",
            "```json\n",
            "<think>",
            "</think>",
            "findings",
            "\"findings\": [",
            "{\"severity\": \"major\"",
            "\"finding\": \"x\"",
            "[{'finding': ",
            "//",
            "/*",
            "#",
            "NaN",
            "-",
            "1e",
            ".",
            "null",
            "[]",
            "\u{feff}",
            "🙂",
            "đ",
            "...",
            "(",
            ")",
            "+",
            "/",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn nothing_panics_and_nothing_is_silently_clean(scraps in vec(scrap(), 0..40)) {
        let text = scraps.concat();
        for read in [review(&text), critic(&text), arbiter(&text)].into_iter().flatten() {
            if read.items.is_empty() && read.bad.is_empty() {
                prop_assert!(text.replace(char::is_whitespace, "").contains("[]"), "{text}");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(review(&text).map_or(true, |read| read.items.len() + read.bad.len() <= text.len()));
    }

    #[test]
    fn every_finding_that_is_written_is_read(raws in vec(raw(), 1..5), wrapped: bool, pretty: bool) {
        let list = serde_json::json!(raws);
        let value = if wrapped { serde_json::json!({"findings": list}) } else { list };
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let read = critic(&text).unwrap();
        prop_assert_eq!(findings(&read), &raws[..]);
        prop_assert!(read.bad.is_empty() && !read.repaired);
    }

    #[test]
    fn prose_around_a_list_changes_nothing(raws in vec(raw(), 1..4), before in "(?s)[^\\[\\]{}<>\"']{0,60}", after in "(?s)[^\\[\\]{}<>\"']{0,60}") {
        let text = format!("{before}\n{}\n{after}", serde_json::json!(raws));
        let read = critic(&text).unwrap();
        prop_assert_eq!(findings(&read), &raws[..]);
        prop_assert!(read.bad.is_empty());
    }

    #[test]
    fn a_broken_item_loses_only_itself(count in 2usize..7, broken in 0usize..7, how in 0usize..9) {
        let broken = broken % count;
        let mut items: Vec<String> = (0..count).map(|n| item(&format!("f{n}"))).collect();
        let whole = items[broken].clone();
        items[broken] = match how {
            0 => whole.replace("\"major\"", "\"dire\""),
            1 => whole.replace("\"major\"", "7"),
            2 => whole.replace("\"major\",", "\"major,"),
            3 => whole.replace("\"finding\": ", "\"finding\" "),
            4 => whole.replace("\"q\"", "\"a \"q\" b\""),
            5 => whole.replace(", \"finding\"", " \"finding\""),
            6 => whole.replace("\"q\"", "\"q\\x\""),
            7 => whole.replace("{\"sev", "{sev"),
            _ => whole.replace("\"q\"", "\u{1}"),
        };
        let text = format!("[{}]", items.join(", "));
        let read = review(&text).unwrap();
        let words: Vec<&str> = findings(&read).iter().map(|finding| finding.finding.as_str()).collect();
        for other in (0..count).filter(|n| *n != broken) {
            prop_assert!(words.contains(&format!("f{other}").as_str()), "{}: {:?}", text, read);
        }
        prop_assert_eq!(words.len() + read.bad.iter().filter(|bad| bad.path.contains('[')).count(), count, "{}: {:?}", text, read);
    }
}
