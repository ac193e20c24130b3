//! The real binary: exit codes, output streams, files left behind.

#[path = "common/bench.rs"]
mod bench;

use bench::Bench;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

const CLEAN: &str = "# Notes\n\n## UC-01: Read a note\n### Acceptance Criteria\n- AC-01: The reader sees the note.\n### Error Flow\n- E1: A note that is gone shows \"Not found\".\n";

#[test]
fn a_clean_document_is_reviewed_written_and_exits_with_0() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let ran = bench.run(&["review", "notes.md", "--headless"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = fs::read_to_string(bench.path("notes.findings.yaml")).expect("written");
    assert!(written.starts_with("schema: tamis.findings/1\nprd_source: "), "{written}");
    assert!(
        ran.out.contains("Convergence: 2 critic rounds — the findings file is complete; another run would raise 0 new problems.")
    );
    assert!(ran.out.contains("78 %"), "what two dry rounds are worth");
    assert!(!ran.out.contains("review/DEV"), "progress is no data");
    assert!(ran.err.contains("review/DEV/UC-01"));
}

#[test]
fn every_wrong_call_says_what_where_and_what_to_do() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    bench.write("blank.md", "  \n\n");
    fs::write(bench.path("latin.md"), b"# Caf\xe9\n").expect("written");
    fs::write(bench.path("utf16.md"), b"\xff\xfe#\0 \0A\0").expect("written");
    fs::write(bench.path("nul.md"), b"# A\n\0\n").expect("written");
    fs::create_dir(bench.path("folder.md")).expect("made");
    bench.write("recipe.yaml", "schema: tamis.recipe/1\nname: x\n");
    let rows: &[(&[&str], i32, &[&str])] = &[
        (&["review", "missing.md"], 7, &["missing.md"]),
        (&["review", "folder.md"], 7, &["folder.md"]),
        (&["review", "latin.md"], 7, &["latin.md", "5"]),
        (&["review", "utf16.md"], 7, &["utf16.md", "UTF-16"]),
        (&["review", "nul.md"], 7, &["nul.md", "4"]),
        (&["review", "blank.md"], 2, &["blank.md", "no text"]),
        (&["outline", "missing.md"], 7, &["missing.md"]),
        (&["plan", "notes.md", "--recipe", "refine-pdr"], 2, &["refine-pdr", "refine-prd"]),
        (&["plan", "notes.md", "--recipe", "recipe.yaml"], 2, &["recipe.yaml"]),
        (&["plan", "notes.md", "--dimensions", "DEV,PM"], 2, &["PM", "DEV, SA, PO"]),
        (&["plan", "notes.md", "--agent-cap", "0"], 2, &["--agent-cap"]),
        (&["plan", "notes.md", "--changed", "Nowhere"], 2, &["Nowhere", "UC-01"]),
        (&["plan", "notes.md", "--context", "gone.yaml"], 7, &["gone.yaml"]),
        (&["review", "notes.md", "--agent", "oracle"], 2, &["oracle", "offline"]),
        (&["review", "notes.md", "--agent", "script:gone.yaml"], 7, &["gone.yaml"]),
        (&["review", "notes.md", "--decisions", "gone.yaml"], 7, &["gone.yaml"]),
        (&["review", "notes.md", "--defer-policy"], 2, &["--defer-all"]),
        (&["review", "notes.md", "--fail-on", "blocker"], 2, &["blocker"]),
        (&["scan", "notes.md", "--scope", "UC-9"], 2, &["UC-9", "UC-01"]),
        (&["scan", "notes.md", "--scope", ""], 2, &["empty", "UC-01"]),
        (&["resume"], 2, &["no open run"]),
        (&["resume", "20260101-000000-aaaa"], 2, &["20260101-000000-aaaa"]),
        (&["replay", "../../etc"], 2, &["../../etc"]),
        (&["frobnicate"], 2, &["frobnicate"]),
    ];
    for (args, code, parts) in rows {
        let ran = bench.run(args);
        assert_eq!(ran.code, *code, "{args:?}: {ran:?}");
        for part in *parts {
            assert!(ran.err.contains(part), "{args:?} should mention {part}: {}", ran.err);
        }
        assert!(ran.out.is_empty(), "{args:?} prints no data: {}", ran.out);
        assert!(!ran.err.contains("panicked"), "{args:?}: {}", ran.err);
    }
    assert!(!bench.path("notes.findings.yaml").exists(), "nothing was written");
}

#[test]
fn a_plan_prints_exactly_the_keys_that_tools_read() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let ran = bench.run(&["plan", "notes.md", "--json", "--recipe", "review-context"]);
    let plan: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(plan["scopes"], serde_json::json!(["whole-file"]));
    assert_eq!(plan["buckets"], serde_json::json!([["whole-file"]]));
    assert_eq!(plan["before"], serde_json::json!(["P0", "P3"]));
    assert_eq!(plan["dimensions"], serde_json::json!(["P1", "P2", "P4", "P5"]));
    assert_eq!((plan["agents"].as_u64(), plan["waves"].as_u64()), (Some(4), Some(1)));
    assert_eq!(plan["critic_rounds"], serde_json::json!({"min": 2, "max": 3}));
    assert!(!bench.path("state").exists(), "a plan leaves nothing behind");
    let delta = bench.run(&["plan", "notes.md", "--json", "--changed", ""]);
    let delta: serde_json::Value = serde_json::from_str(&delta.out).expect("JSON");
    assert_eq!(delta["scopes"], serde_json::json!(["PRD-global"]));
}

#[test]
fn a_plan_needs_no_key_and_a_cap_on_cost_one_currency() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let ran = bench.run(&["plan", "notes.md", "--agent", "openai:m"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("sends to    https://api.openai.com (m)"), "{}", ran.out);
    assert!(ran.err.contains("OPENAI_API_KEY is not set"), "{}", ran.err);
    let ran = bench.run(&["review", "notes.md", "--headless", "--agent", "openai:m"]);
    assert_eq!(ran.code, 2, "a review does: {}", ran.err);
    let roster = |name: &str, currency: &str| {
        format!(
            "  {name}: {{kind: openai, model: {name}, key_env: none, prices: {{currency: {currency}, input: 1, output: 2}}}}\n"
        )
    };
    let text = format!("agents:\n{}{}seats: {{reviewer: one, critic: two}}\n", roster("one", "USD"), roster("two", "VND"));
    let config = bench.run(&["config", "path"]).out;
    let config = Path::new(config.trim());
    fs::create_dir_all(config.parent().expect("a folder")).expect("made");
    fs::write(config, &text).expect("written");
    assert_eq!(bench.run(&["plan", "notes.md"]).code, 0);
    let ran = bench.run(&["review", "notes.md", "--headless", "--max-cost", "1"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    let unpriced = bench.run(&["review", "notes.md", "--headless", "--max-cost", "1", "--critic", "openai:m@http://127.0.0.1:9"]);
    assert_eq!(unpriced.code, 2, "{}", unpriced.err);
    assert!(unpriced.err.contains("no prices of `openai:m@http://127.0.0.1:9` (critic)"), "{}", unpriced.err);
    assert!(ran.err.contains("reviewer is paid in USD, critic in VND") && ran.err.contains("--max-tokens"), "{}", ran.err);
}

#[test]
fn a_person_is_needed_then_decides_in_a_file_and_the_run_goes_on() {
    let bench = Bench::new();
    bench.copy("prd-en.md");
    let first = bench.run(&["review", "prd-en.md"]);
    assert_eq!(first.code, 3, "{first:?}");
    assert!(!bench.path("prd-en.findings.yaml").exists(), "nothing is written while something is open");
    assert!(first.out.starts_with("schema: tamis.decisions/1"), "{}", first.out);
    assert!(first.err.contains("tamis resume "), "{}", first.err);
    bench.write("decisions.yaml", &first.out);
    let unfilled = bench.run(&["resume", "--decisions", "decisions.yaml"]);
    assert_eq!(unfilled.code, 3, "an unfilled template leaves everything open: {unfilled:?}");
    let deferred = bench.run(&["resume", "--defer-all", "next week"]);
    assert_eq!(deferred.code, 3, "policy questions need a switch of their own: {deferred:?}");
    let deferred = bench.run(&["resume", "--defer-all", "next week", "--defer-policy", "--fail-on", "critical"]);
    assert_eq!(deferred.code, 1, "written, with a critical finding: {deferred:?}");
    let written = fs::read_to_string(bench.path("prd-en.findings.yaml")).expect("written");
    assert!(written.contains("next week"));
    assert_eq!(bench.run(&["resume"]).code, 2, "no open run is left");
}

#[test]
fn a_target_that_tamis_did_not_write_stays_as_it_is() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    bench.write("notes.findings.yaml", "mine: yes\n");
    let refused = bench.run(&["review", "notes.md"]);
    assert_eq!(refused.code, 7, "{refused:?}");
    assert!(refused.err.contains("tamis resume "), "{}", refused.err);
    assert_eq!(fs::read_to_string(bench.path("notes.findings.yaml")).expect("there"), "mine: yes\n");
    let replaced = bench.run(&["resume", "--overwrite"]);
    assert_eq!(replaced.code, 0, "{replaced:?}");
    assert_eq!(fs::read_to_string(bench.path("notes.findings.yaml.bak")).expect("kept"), "mine: yes\n");
    assert!(fs::read_to_string(bench.path("notes.findings.yaml")).expect("there").starts_with("schema: tamis.findings/1"));
}

#[test]
fn what_a_run_reads_is_no_place_to_write_to() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    bench.write("other.md", CLEAN);
    std::os::unix::fs::symlink("notes.md", bench.path("link.yaml")).expect("a link");
    let rows: [&[&str]; 5] = [
        &["--out", "notes.md", "--overwrite"],
        &["--out", "link.yaml", "--overwrite"],
        &["--events", "link.yaml"],
        &["--with", "other.md", "--out", "other.md", "--overwrite"],
        &["--with", "other.md", "--events", "other.md"],
    ];
    for args in rows {
        let refused = bench.run(&[&["review", "notes.md"], args].concat());
        assert_eq!(refused.code, 2, "{args:?}: {refused:?}");
        assert!(refused.err.contains("is read by this run and stays as it is"), "{args:?}: {}", refused.err);
    }
    assert_eq!(bench.run(&["runs"]).out, "no runs\n", "nothing was begun");
    assert_eq!(bench.run(&["review", "notes.md", "--step"]).code, 3);
    assert_eq!(bench.run(&["resume", "--out", "notes.md", "--overwrite"]).code, 2);
    for name in ["notes.md", "other.md"] {
        assert_eq!(fs::read_to_string(bench.path(name)).expect("there"), CLEAN, "{name}");
    }
    assert_eq!(bench.run(&["resume"]).code, 0, "the run can go on");
}

#[test]
fn an_edited_document_is_refused_with_what_changed() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    assert_eq!(bench.run(&["review", "notes.md", "--step"]).code, 3);
    bench.write("notes.md", &CLEAN.replace("sees the note", "sees the whole note"));
    let refused = bench.run(&["resume"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.err.contains("1 lines added, 1 removed, in UC-01"), "{}", refused.err);
    bench.write("notes.md", CLEAN);
    assert_eq!(bench.run(&["resume"]).code, 0, "put back, it goes on");
}

#[test]
fn step_mode_stops_at_every_rounds_gate() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    assert_eq!(bench.run(&["review", "notes.md", "--step"]).code, 3);
    assert_eq!(bench.run(&["resume", "--step"]).code, 3);
    assert_eq!(bench.run(&["resume", "--step"]).code, 0, "two dry rounds, two stops");
}

#[test]
fn runs_are_listed_replayed_and_deleted_and_are_nobody_elses_business() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    bench.run(&["review", "notes.md", "--step"]);
    let listed = bench.run(&["runs"]);
    let run = listed.out.split_whitespace().next().expect("a run").to_owned();
    let state = bench.path("state/tamis");
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    let folder = state.join("runs").join(&run);
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let replayed = bench.run(&["replay", &run]);
    assert!(replayed.out.contains("critic/1"), "{}", replayed.out);
    assert_eq!(bench.run(&["runs", "rm", &run]).code, 2, "an open run needs --force");
    assert_eq!(bench.run(&["runs", "rm", &run, "--force"]).code, 0);
    assert_eq!(bench.run(&["runs"]).out, "no runs\n");
}

#[test]
fn events_are_json_lines_and_leave_standard_output_to_themselves() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let ran = bench.run(&["review", "notes.md", "--events", "-"]);
    assert_eq!(ran.code, 0);
    let kinds: Vec<String> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["kind"].as_str().expect("kind").to_owned())
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("run_started"));
    assert_eq!(kinds.last().map(String::as_str), Some("run_finished"));
    assert!(ran.err.contains("Convergence:"), "the summary is still shown");
    bench.write("events.jsonl", "{\"mine\": true}\n");
    bench.run(&["review", "notes.md", "--events", "events.jsonl"]);
    let kept = fs::read_to_string(bench.path("events.jsonl")).expect("there");
    assert!(kept.starts_with("{\"mine\": true}\n{\"v\":1"), "a file that is there is added to");
}

#[test]
fn what_a_document_says_never_reaches_the_terminal_raw() {
    let bench = Bench::new();
    let nasty = "# T\u{1b}[2J\u{9b}31m\n\n## UC-01: A\u{202e}B\u{200b}\u{1b}]52;c;ZXZpbA==\u{7}\n- AC-01: TBD \u{1b}[31m\n";
    bench.write("nasty.md", nasty);
    for args in [
        &["outline", "nasty.md"][..],
        &["outline", "nasty.md", "--json"],
        &["plan", "nasty.md"],
        &["plan", "nasty.md", "--json"],
        &["review", "nasty.md", "--defer-all", "x", "--defer-policy"],
        &["review", "nasty.md", "--events", "-", "--defer-all", "x", "--defer-policy"],
        &["scan", "nasty.md", "--recipe", "review-context"],
        &["plan", "nasty.md", "--changed", "\u{1b}[2J\u{202e}"],
    ] {
        let ran = bench.run(args);
        for text in [&ran.out, &ran.err] {
            let bad = text.chars().find(|&c| c != '\n' && (c.is_control() || tamis::model::shown::is_hidden(c)));
            assert_eq!(bad, None, "{args:?}: {text:?}");
        }
    }
}

#[test]
fn agent_mode_returns_the_json_array_and_nothing_else() {
    let bench = Bench::new();
    bench.write("notes.md", &CLEAN.replace("the note.", "a suitable note, etc."));
    let scanned = bench.run(&["scan", "notes.md", "--recipe", "review-context", "--dimension", "P2"]);
    assert_eq!(scanned.code, 0, "{scanned:?}");
    let array: serde_json::Value = serde_json::from_str(&scanned.out).expect("JSON");
    let finding = &array.as_array().expect("an array")[0];
    let keys: Vec<&str> = finding.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["dimension", "severity", "section", "uc_id", "quote", "finding", "suggestion", "auto_fixable"]);
    assert_eq!(finding["dimension"], "P2");
    bench.write("context.yaml", "_agent_mode: true\n");
    let reviewed = bench.run(&["review", "notes.md", "--recipe", "review-context", "--dimensions", "P2"]);
    assert_eq!(reviewed.out, scanned.out, "review behaves the same under _agent_mode");
    assert!(!bench.path("state").exists());
}

#[test]
fn a_closed_pipe_is_quiet() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let mut child = bench
        .command(&["outline", "notes.md", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    assert_eq!(said, "");
}

#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let status = bench.command(&["outline", "notes.md"]).stdout(full).stderr(Stdio::null()).status().expect("ran");
    assert_eq!(status.code(), Some(7));
}

#[test]
fn help_shows_the_exit_codes() {
    let bench = Bench::new();
    for args in [&["--help"][..], &["review", "--help"], &["resume", "--help"]] {
        let ran = bench.run(args);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("When several apply: 7, 6, 5, 2, 3, 4, 1 in that order."), "{args:?}");
    }
    assert_eq!(bench.run(&["--version"]).out, format!("tamis {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_findings_file_names_its_script_but_no_folder_of_the_machine() {
    let bench = Bench::new();
    bench.write("notes.md", CLEAN);
    bench.write("council.yaml", "schema: tamis.script/1\nsteps: []\n");
    let ran = bench.run(&["review", "notes.md", "--agent", "script:council.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = fs::read_to_string(bench.path("notes.findings.yaml")).expect("written");
    assert!(written.contains("agent: \"script:council.yaml\"") || written.contains("agent: script:council.yaml"), "{written}");
    assert!(!written.contains(&bench.path("").display().to_string()), "{written}");
}
