//! A project's `.tamis.yaml`: data before it is trusted, powers after, and nothing that trusts itself.

use crate::fake_model::FakeModel;
use crate::house::{CANARY, House, SIGN_IN, expected};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use tamis::config::roster::Api;
use tamis::config::trust::hash;

/// A house with a document, and a program that leaves a mark where it can.
fn house() -> House {
    let house = House::new();
    house.write("prd.md", SIGN_IN);
    let program = house.path("reviewer");
    fs::write(&program, "#!/bin/sh\necho '{\"findings\": []}'\n").expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("can be run");
    house
}

/// A project that wants to have a program begun and a server asked with the user's key.
fn powers(house: &House, server: &FakeModel) -> String {
    format!(
        "schema: tamis.project/1\nlang: en\nprograms:\n  mine: {{command: [/bin/sh, '{}']}}\nagents:\n  near: {{kind: openai, model: tiny, \
         base_url: '{}', key_env: OPENAI_API_KEY}}\nseats: {{reviewer: 'command:mine', critic: near, arbiter: none}}\n",
        house.path("reviewer").display(),
        server.base_url(Api::OpenAi)
    )
}

/// Lines of a trace in which something other than ourselves begins, or anything is connected to.
fn beyond(trace: &str) -> Vec<&str> {
    let ours = |line: &&str| line.contains("execve(") && (line.contains("/tamis\"") || line.contains("/proc/self/exe"));
    trace.lines().filter(|line| !ours(line) && !line.contains("+++") && !line.contains("---")).collect()
}

#[tokio::test]
async fn before_trust_nothing_is_begun_and_nothing_is_connected_to() {
    let house = house();
    let server = FakeModel::start(expected(Api::OpenAi), Vec::new()).await;
    let text = powers(&house, &server);
    house.write(".tamis.yaml", &text);
    let strace = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=connect,sendto,sendmsg,execve,execveat"];
    for args in [
        &["review", "prd.md", "--headless", "--overwrite"] as &[&str],
        &["plan", "prd.md"],
        &["prompt", "prd.md"],
        &["scan", "prd.md"],
        &["config", "show", "--origin"],
        &["doctor"],
        &["trust"],
    ] {
        let ran = house.run_under(&strace, args).await;
        let trace = fs::read_to_string(house.path("trace")).expect("a trace");
        assert_eq!(beyond(&trace), Vec::<&str>::new(), "{args:?}");
        assert!(ran.code == 0 || args == ["trust"] && ran.code == 3, "{args:?}: {ran:?}");
        if args != ["trust"] {
            let said = format!("{}{}", ran.out, ran.err);
            assert!(said.contains("is not trusted") && said.contains("`programs` (line 3)"), "{args:?}: {ran:?}");
        }
        assert!(!format!("{ran:?}").contains(CANARY));
    }
    server.checked(0);
    assert_eq!(house.findings("prd.md")["run"]["agent"], "offline");
}

#[tokio::test]
async fn trust_shows_the_exact_words_and_takes_only_the_hash_of_what_was_looked_at() {
    let house = house();
    let server = FakeModel::start(expected(Api::OpenAi), Vec::new()).await;
    let text = powers(&house, &server)
        .replace("{command: [/bin/sh,", "{env: {A: \"\\e]52;c;ZXZpbA==\\a\"}, command: [/bin/sh,")
        .replace("lang: en", "lang: en # \u{202e}");
    house.write(".tamis.yaml", &text);
    let ran = house.run(&["trust"]).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    let program = house.path("reviewer").display().to_string();
    for words in [
        format!("begin the program command:mine: \"/bin/sh\" \"{program}\""),
        "with the key in OPENAI_API_KEY".to_owned(),
        hash(&text),
    ] {
        assert!(ran.out.contains(&words), "{words}: {}", ran.out);
    }
    assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", ran.out);
    let ran = house.run(&["trust", "--hash", &hash("something else")]).await;
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(!ran.err.contains(&hash(&text)), "the hash to write is not handed out: {}", ran.err);
    assert_eq!(house.run(&["trust", "--list"]).await.out, "nothing is trusted\n");
    assert_eq!(house.run(&["trust", "--hash", &hash(&text)]).await.code, 0);
    assert!(house.run(&["trust", "--list"]).await.out.contains(".tamis.yaml"));
    // One byte more, and what is different is shown, and only that.
    house.write(".tamis.yaml", &text.replace("[/bin/sh,", "[/bin/bash, -c,"));
    let ran = house.run(&["trust"]).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.out.contains("What is different") && ran.out.contains("+    4") && ran.out.contains("/bin/bash"), "{}", ran.out);
    assert!(!ran.out.contains("schema: tamis.project/1"), "{}", ran.out);
    let ran = house.run(&["review", "prd.md", "--headless"]).await;
    assert!(ran.code == 0 && ran.err.contains("has changed since it was trusted"), "{ran:?}");
    assert_eq!(house.findings("prd.md")["run"]["agent"], "offline");
    house.write(".tamis.yaml", &text);
    assert_eq!(house.run(&["trust", "--revoke"]).await.code, 0);
    assert_eq!(house.run(&["trust", "--list"]).await.out, "nothing is trusted\n");
    server.checked(0);
}

#[tokio::test]
async fn after_trust_the_program_reviews() {
    let house = house();
    let text = format!(
        "programs:\n  mine: {{command: [/bin/sh, '{}']}}\nseats: {{reviewer: 'command:mine', floor: false}}\n",
        house.path("reviewer").display()
    );
    house.write(".tamis.yaml", &text);
    assert_eq!(house.run(&["trust", "--hash", &hash(&text)]).await.code, 0);
    let ran = house.run(&["review", "prd.md", "--headless"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(house.findings("prd.md")["run"]["agent"], "command:mine");
    // Whoever passes the file over passes over its powers.
    let ran = house.run(&["review", "prd.md", "--headless", "--no-project"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(house.findings("prd.md")["run"]["agent"], "offline");
}

#[tokio::test]
async fn a_link_that_a_later_commit_brings_takes_nothing_out_of_a_trusted_project() {
    let house = house();
    let text = "recipe: review-context\nwith: [other.md, ../secret.md]\ncriteria: criteria.md\n";
    house.write(".tamis.yaml", text);
    fs::create_dir_all(house.path(".git")).expect("a folder");
    house.write("other.md", "# Another\n\nharmless-words\n");
    house.write("criteria.md", "- It is clear.\n");
    fs::write(house.path("../secret.md"), "# Secret\n\nsecret-words\n").expect("written");
    assert_eq!(house.run(&["trust", "--hash", &hash(text)]).await.code, 0);
    let comparing = ["prompt", "prd.md", "--key", "before/P3"];
    let ran = house.run(&comparing).await;
    assert!(ran.out.contains("harmless-words") && ran.out.contains("secret-words"), "what was agreed to is in force: {ran:?}");
    // The file that is trusted stays as it is; what it names in the project becomes a link.
    fs::write(house.path("../key.md"), "# Key\n\nstolen-words\n").expect("written");
    fs::remove_file(house.path("other.md")).expect("removed");
    std::os::unix::fs::symlink(house.path("../key.md"), house.path("other.md")).expect("a link");
    let ran = house.run(&comparing).await;
    assert!(ran.code == 0 && ran.out.contains("secret-words") && !ran.out.contains("stolen-words"), "{ran:?}");
    assert!(ran.err.contains("`with` (line 2)") && ran.err.contains("behind a link"), "{ran:?}");
    // Where something else has changed, every place outside is shown all the same.
    house.write(".tamis.yaml", &format!("{text}lang: vi\n"));
    let ran = house.run(&["trust"]).await;
    let (outside, link) = (house.path("").parent().expect("a folder").join("secret.md"), house.path("other.md"));
    assert!(ran.out.contains(&format!("    {}\n", outside.canonicalize().expect("there").display())), "{}", ran.out);
    assert!(ran.out.contains("trusted or not") && ran.out.contains(&link.display().to_string()), "{}", ran.out);
}

#[tokio::test]
async fn the_data_of_a_project_counts_without_trust_and_flags_go_before_it() {
    let house = house();
    house.write("mine.yaml", "banned_terms: {customer: shopper}\n");
    house.write(".tamis.yaml", "lang: vi\nrecipe: review-context\ndimensions: [P1]\ncontext: mine.yaml\nout: found.yaml\n");
    let ran = house.run(&["review", "prd.md", "--headless"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = fs::read_to_string(house.path("found.yaml")).expect("written where the project says");
    assert!(found.contains("review-context") && !ran.err.contains("trust"), "{found}");
    let ran = house
        .run(&["review", "prd.md", "--headless", "--recipe", "refine-prd", "--dimensions", "PO", "--out", "mine2.yaml"])
        .await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = fs::read_to_string(house.path("mine2.yaml")).expect("written where the flag says");
    assert!(found.contains("refine-prd") && !found.contains("review-context"), "{found}");
    let ran = house.run(&["config", "show", "--origin"]).await;
    assert!(ran.out.contains(".tamis.yaml:1") && ran.out.contains("# recipe: review-context"), "{}", ran.out);
}

#[tokio::test]
async fn the_example_needs_no_trust() {
    let house = house();
    let example = include_str!("../../examples/project.tamis.yaml").replace("docs/context.yaml", "context.yaml");
    house.write("context.yaml", "domains: [sign-in]\n");
    house.write(".tamis.yaml", &example);
    let ran = house.run(&["review", "prd.md", "--headless"]).await;
    assert!([0, 1].contains(&ran.code) && !ran.err.contains("trust"), "{ran:?}");
}

#[tokio::test]
async fn a_file_of_variables_is_never_opened_and_changes_nothing() {
    let house = house().without("OPENAI_API_KEY");
    house.write(".env", "TAMIS_AGENT=openai:tiny\nOPENAI_API_KEY=sk-1\nXDG_CONFIG_HOME=./evil\nCODEX_HOME=./.codex\n");
    let strace = ["strace", "-f", "-qq", "-o", "trace", "-e", "trace=openat,open,openat2,readlink"];
    let ran = house.run_under(&strace, &["review", "prd.md", "--headless"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    let trace = fs::read_to_string(house.path("trace")).expect("a trace");
    assert!(trace.contains("prd.md") && !trace.contains("/.env\"") && !trace.contains("\".env\""), "{trace}");
    assert_eq!(house.findings("prd.md")["run"]["agent"], "offline");
}

#[tokio::test]
async fn a_file_whose_name_looks_like_a_flag_is_a_file() {
    let house = house();
    for name in ["--agent=openai:tiny.md", "-h.md", "--out=evil.yaml.md"] {
        house.write(name, SIGN_IN);
        let ran = house.run(&["review", "--headless", "--", name]).await;
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        assert_eq!(house.findings(name)["run"]["agent"], "offline");
    }
    assert!(!house.path("evil.yaml.md").exists() && !house.path("evil.yaml").exists());
}

#[tokio::test]
async fn a_record_of_trust_that_cannot_be_read_trusts_nothing_and_is_said() {
    let house = house();
    let text = "programs:\n  mine: {command: [/bin/true]}\nseats: {reviewer: 'command:mine'}\n";
    house.write(".tamis.yaml", text);
    assert_eq!(house.run(&["trust", "--hash", &hash(text)]).await.code, 0);
    let record = house.path("../state/tamis/trust.json");
    fs::write(&record, "{\"schema\": \"tamis.trust/1\", \"fil").expect("torn");
    let ran = house.run(&["review", "prd.md", "--headless"]).await;
    assert!(ran.code != 0 && ran.err.contains("trust.json"), "{ran:?}");
    let ran = house.run(&["review", "prd.md", "--headless", "--no-project"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[tokio::test]
async fn twelve_processes_that_change_the_record_lose_nothing() {
    let house = house();
    let project = |n: usize| format!("p{n}");
    for n in 0..12 {
        fs::create_dir_all(house.path(&project(n))).expect("a folder");
        house.write(&format!("{}/.tamis.yaml", project(n)), "lang: vi\n");
    }
    let hash = hash("lang: vi\n");
    let (house, hash) = (Arc::new(house), Arc::new(hash));
    let mut all = tokio::task::JoinSet::new();
    for n in 0..12 {
        let (house, hash, project) = (Arc::clone(&house), Arc::clone(&hash), project(n));
        all.spawn(async move {
            for _ in 0..15 {
                assert_eq!(house.run(&["trust", "--hash", &hash, &project]).await.code, 0);
                assert_eq!(house.run(&["trust", "--revoke", &project]).await.code, 0);
            }
            assert_eq!(house.run(&["trust", "--hash", &hash, &project]).await.code, 0);
        });
    }
    all.join_all().await;
    let listed = house.run(&["trust", "--list"]).await.out;
    assert_eq!(listed.lines().count(), 12, "{listed}");
}
