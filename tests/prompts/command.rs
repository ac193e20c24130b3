//! `tamis prompt`.

use super::bench::Bench;
use super::*;
use std::fs;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.copy("prd-en.md");
    bench.copy("context.yaml");
    bench
}

#[test]
fn without_a_key_the_keys_are_listed() {
    let bench = bench();
    let ran = bench.run(&["prompt", "prd-en.md"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let rows: Vec<&str> = ran.out.lines().collect();
    assert!(
        rows[0].starts_with("review/DEV/UC-01..UC-02  review/DEV/UC-01..UC-02@")
            || rows[0].starts_with("review/DEV/UC-01  review/DEV/UC-01@"),
        "{rows:?}"
    );
    assert_eq!(rows.last(), Some(&"critic/1  critic/1"));
    let json = bench.run(&["prompt", "prd-en.md", "--recipe", "review-context", "--json"]);
    let read: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(read["keys"][0]["key"], "before/P0");
    assert_eq!(bench.read("state"), None, "nothing is run");
}

#[test]
fn a_key_or_a_label_prints_the_exact_text() {
    let bench = bench();
    let keys = bench.run(&["prompt", "prd-en.md"]).out;
    let (label, key) = keys.lines().next().and_then(|row| row.split_once("  ")).expect("a key");
    let by_label = bench.run(&["prompt", "prd-en.md", "--key", label]);
    let by_key = bench.run(&["prompt", "prd-en.md", "--key", key]);
    assert_eq!((by_label.code, by_key.code), (0, 0), "{by_label:?}");
    assert_eq!(by_label.out, by_key.out);
    let prompt = Case::example("refine-prd", "prd-en.md").prompt(label);
    assert_eq!(by_key.out, text(&prompt));
    let json = bench.run(&["prompt", "prd-en.md", "--key", key, "--json"]);
    let read: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!((read["key"].as_str(), read["shared"].as_str()), (Some(key), Some(prompt.shared.as_str())));
    assert_eq!(read["hash"], tamis::agent::prompts::hash(&prompt));
}

#[test]
fn the_critics_prompt_says_that_nothing_is_known_yet() {
    let ran = bench().run(&["prompt", "prd-en.md", "--key", "critic/1", "--lang", "vi"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("while nothing is known yet"), "{}", ran.err);
    assert!(ran.out.contains("\n[]\n>>> KNOWN ") && ran.out.contains("tiếng Việt"));
}

#[test]
fn a_key_that_matches_nothing_names_the_nearest() {
    let bench = bench();
    for (key, hint) in [
        ("review/DEV/PRD-globl", "did you mean `review/DEV/PRD-global`?"),
        ("critic/2", "only critic/1"),
        ("arbiter/5f2c/ab", "depends on the findings"),
        ("zzz", "without --key all of them are listed"),
    ] {
        let ran = bench.run(&["prompt", "prd-en.md", "--key", key]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(key) && ran.err.contains(hint) && ran.out.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_text_of_ones_own_is_in_force_and_a_wrong_one_is_refused() {
    let bench = bench();
    let folder = bench.path("home/.config/tamis/prompts");
    fs::create_dir_all(&folder).expect("made");
    fs::write(folder.join("critic.md"), "What else?\n\n{dimensions}\n\n{known}\n{language}").expect("written");
    let ran = bench.run(&["prompt", "prd-en.md", "--key", "critic/1"]);
    assert!(ran.out.contains("\nWhat else?\n"), "{ran:?}");
    fs::write(folder.join("critic.md"), "What else?\n{dimensions}\n{knwon}\n").expect("written");
    let ran = bench.run(&["prompt", "prd-en.md"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("prompts/critic.md:3: ") && ran.err.contains("did you mean `known`?"), "{}", ran.err);
}

#[test]
fn nothing_of_a_document_reaches_the_terminal_raw() {
    let bench = Bench::new();
    bench.write("odd.md", "# T\n\n## UC-01: A\n- AC-01: \u{1b}[31mred\u{202e} {known}\n");
    for args in [&["prompt", "odd.md", "--key", "critic/1"][..], &["prompt", "odd.md", "--key", "critic/1", "--json"]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{202e}'), "{}", ran.out);
    }
}
