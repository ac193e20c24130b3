//! The word of an agent, and who sits where.

use super::super::settings::Flags;
use super::*;
use proptest::prelude::*;
use secrecy::ExposeSecret;
use std::path::Path;
use std::time::Duration;

const CANARY: &str = "canary-0f1e2d3c4b5a";

const ROSTER: &str = "\
agents:
  fast:
    kind: openai
    model: small
    base_url: http://127.0.0.1:8080/v1
    concurrency: 3
    prices: {input: 1, output: 2}
    timeouts: {idle: 0.5}
  strong: {kind: anthropic, model: large, key_env: MY_KEY}
  free: {kind: openai, model: m, base_url: 'https://example.com/v1', key_env: none}
";

fn with_keys() -> Variables {
    Variables::of(|name| ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MY_KEY"].contains(&name).then(|| CANARY.to_owned()))
}

fn without() -> Variables {
    Variables::of(|_| None)
}

fn settings(text: &str, flags: &Flags) -> Settings {
    Settings::of("config.yaml", text, Path::new("/c/config.yaml"), &without(), flags).expect(text)
}

fn roster() -> Settings {
    settings(ROSTER, &Flags::default())
}

#[test]
fn words_are_read_as_the_grammar_says() {
    let endpoint = |api, model, base_url| Word::Endpoint { api, model, base_url };
    let rows = [
        ("offline", Word::Offline),
        ("script:a b.yaml", Word::Script("a b.yaml")),
        ("script:c:d", Word::Script("c:d")),
        ("replay:tapes/one", Word::Replay("tapes/one")),
        ("fast", Word::Name("fast")),
        ("", Word::Name("")),
        ("openai:gpt-5-mini", endpoint(Api::OpenAi, "gpt-5-mini", None)),
        ("anthropic:claude", endpoint(Api::Anthropic, "claude", None)),
        ("openai:m@http://127.0.0.1:8080/v1", endpoint(Api::OpenAi, "m", Some("http://127.0.0.1:8080/v1"))),
        (
            "openai:org/model:free@v2@http://127.0.0.1:8080/v1",
            endpoint(Api::OpenAi, "org/model:free@v2", Some("http://127.0.0.1:8080/v1")),
        ),
        ("openai:org/model:free@v2", endpoint(Api::OpenAi, "org/model:free@v2", None)),
        ("openai:m@HTTPS://Host", endpoint(Api::OpenAi, "m", Some("HTTPS://Host"))),
        ("openai:m@httpbin", endpoint(Api::OpenAi, "m", Some("httpbin"))),
        ("anthropic:claude@20240229", endpoint(Api::Anthropic, "claude@20240229", None)),
        ("openai:m@v1:0", endpoint(Api::OpenAi, "m@v1:0", None)),
        ("openai:m@sha256:6a09e667f3bcc908", endpoint(Api::OpenAi, "m@sha256:6a09e667f3bcc908", None)),
        ("openai:m@1.5", endpoint(Api::OpenAi, "m@1.5", None)),
        ("openai:@cf/meta/llama-3.1", endpoint(Api::OpenAi, "@cf/meta/llama-3.1", None)),
        ("openai:m@localhost:1@http://h", endpoint(Api::OpenAi, "m@localhost:1", Some("http://h"))),
        ("anthropic:İ@http://h", endpoint(Api::Anthropic, "İ", Some("http://h"))),
    ];
    for (word, expected) in rows {
        assert_eq!(read(word), Ok(expected), "{word}");
    }
}

#[test]
fn what_no_word_means_is_refused_with_the_nearest() {
    let rows = [
        ("", "there is no agent ``", "there is: fast, strong, free, offline; offline, script:FILE"),
        ("fsat", "there is no agent `fsat`", "did you mean `fast`?"),
        ("Offline", "there is no agent `Offline`", "did you mean `offline`?"),
        ("none", "there is no agent `none`", "there is: fast"),
        ("script:", "`script:` names no file", "write `script:FILE`"),
        ("replay:", "`replay:` names no folder", "write `replay:FOLDER`"),
        ("openai:", "the model has no name", "openai:MODEL@BASE_URL"),
        ("openai:@http://127.0.0.1", "the model has no name", "openai:MODEL@BASE_URL"),
        ("openai:a b", "no name of a model: `a b`", "without blanks"),
        ("open-ai:m", "there is no kind of agent `open-ai`", "did you mean `openai`?"),
        ("http://127.0.0.1/v1", "there is no kind of agent `http`", "there is: offline"),
        (":m", "there is no kind of agent ``", "there is: offline"),
        ("openai:m@httpbin", "no address", "https://HOST/PATH"),
        ("openai:m@localhost", "`localhost` is an address without", "did you mean `openai:m@http://localhost`?"),
        ("openai:m@localhost:8080", "address without `http://`", "did you mean `openai:m@http://localhost:8080`?"),
        ("openai:m@LOCALHOST/v1", "address without `http://`", "did you mean `openai:m@http://LOCALHOST/v1`?"),
        ("anthropic:m@v2@127.0.0.1", "address without `http://`", "did you mean `anthropic:m@v2@http://127.0.0.1`?"),
        ("openai:m@127.0.0.1:80/v1", "address without `http://`", "did you mean `openai:m@http://127.0.0.1:80/v1`?"),
        ("openai:m@[::1]:8080", "address without `http://`", "did you mean `openai:m@http://[::1]:8080`?"),
        ("openai:m@gpu:8000", "address without `http://`", "did you mean `openai:m@http://gpu:8000`?"),
        ("openai:m@api.example.com/v1", "address without `http://`", "did you mean `openai:m@http://api.example.com/v1`?"),
        ("openai:m@http://me:canary@host", "a user or a password", "key_env"),
        ("openai:m@https://h/v1?key=canary", "a query", "keys never stand"),
        ("openai:m@https://h/v1/chat/completions", "which is added", "leave that out"),
        ("anthropic:m@https://h/v1", "`/v1`", "leave `/v1` out"),
        ("openai:m@http://example.com/v1", "unencrypted (http)", "allow_http: true"),
        ("sk-0123456789abcdefghij", "a key stands where", "put the key in a variable"),
        ("openai:sk-0123456789abcdefghij@http://127.0.0.1/v1", "a key stands where", "put the key in a variable"),
        ("openai:http://127.0.0.1:7001/v1", "no name of a model", "KIND:MODEL@http://"),
        ("openai:m@ftp://x", "no name of a model", "KIND:MODEL@http://"),
        ("openai:m@htps://127.0.0.1/v1", "no name of a model", "KIND:MODEL@http://"),
        ("openai:m@", "no name of a model", "KIND:MODEL@http://"),
        ("openai:a@http://x@http://y", "no name of a model", "KIND:MODEL@http://"),
    ];
    for (word, what, hint) in rows {
        let fault = roster().agent(word, &with_keys()).map(|_| ()).expect_err(word);
        assert!(fault.what.contains(what), "{word}: {}", fault.what);
        assert!(fault.hint.contains(hint), "{word}: {}", fault.hint);
        assert!(!fault.what.contains("canary") && !fault.hint.contains("canary"), "{word}: {}", fault.what);
    }
    let long = "x".repeat(100_000);
    assert!(roster().agent(&long, &without()).expect_err("long").what.len() < 200);
}

fn in_settings(settings: &Settings, word: &str, variables: &Variables) -> Endpoint {
    match settings.agent(word, variables).expect(word) {
        AgentSpec::Endpoint(endpoint) => *endpoint,
        other => panic!("{word}: {other:?}"),
    }
}

fn endpoint_of(word: &str, variables: &Variables) -> Endpoint {
    in_settings(&roster(), word, variables)
}

#[test]
fn a_word_of_the_command_line_takes_what_the_roster_says_of_the_same_model() {
    for word in ["fast", "openai:small@http://127.0.0.1:8080/v1", "openai:small@HTTP://127.0.0.1:8080/v1/"] {
        let endpoint = endpoint_of(word, &without());
        assert_eq!((endpoint.name.as_str(), endpoint.model.as_str()), (word, "small"));
        assert_eq!((endpoint.concurrency, endpoint.timeouts.idle), (3, Duration::from_millis(500)));
        assert_eq!(endpoint.prices.as_ref().expect("known").output, 2000);
        assert_eq!(endpoint.server(), "http://127.0.0.1:8080");
    }
    for word in ["openai:small@http://127.0.0.1:8081/v1", "openai:smal@http://127.0.0.1:8080/v1"] {
        let endpoint = endpoint_of(word, &without());
        assert_eq!((endpoint.concurrency, endpoint.prices), (8, None));
        assert_eq!((endpoint.max_output, endpoint.context, endpoint.timeouts), (8192, None, Timeouts::default()));
    }
    let endpoint = endpoint_of("openai:gpt", &with_keys());
    assert_eq!(endpoint.base_url, "https://api.openai.com/v1");
    assert_eq!(endpoint.key_from, "OPENAI_API_KEY");
    assert_eq!(endpoint_of("strong", &with_keys()).key_from, "MY_KEY");
    assert_eq!(endpoint_of("anthropic:large", &with_keys()).key_from, "MY_KEY");
    assert_eq!(endpoint_of("anthropic:other", &with_keys()).key_from, "ANTHROPIC_API_KEY");
}

#[test]
fn a_missing_key_is_said_at_once_except_where_none_is_needed() {
    for (word, variable) in [("openai:gpt", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("strong", "MY_KEY")] {
        let fault = roster().agent(word, &without()).map(|_| ()).expect_err(word);
        assert_eq!(fault.what, format!("no key for `{word}`: {variable} is not set"));
        assert!(fault.hint.contains("key_env") && fault.hint.contains("key_file"), "{}", fault.hint);
    }
    for word in ["fast", "free", "openai:x@http://localhost:1/v1", "anthropic:x@http://[::1]:1"] {
        assert!(endpoint_of(word, &without()).key.is_none(), "{word}");
    }
    assert!(endpoint_of("free", &with_keys()).key.is_none(), "a server without keys is sent none");
    let key = endpoint_of("fast", &with_keys()).key.expect("one that is set is sent");
    assert_eq!(key.expose_secret(), CANARY);
}

#[test]
fn an_estimate_needs_no_key() {
    let flags = Flags { agent: Some("openai:gpt"), critic: Some("strong"), ..Flags::default() };
    let seats = settings(ROSTER, &flags).take_seats(&without(), Keys::NotNeeded).expect("no key is needed");
    assert!(seats.named().iter().all(|(_, spec)| spec.endpoint().is_some_and(|endpoint| endpoint.key.is_none())));
    let gone = "agents: {a: {kind: openai, model: m, key_file: /nowhere/at/all}}\nseats: {reviewer: a}\n";
    assert!(settings(gone, &Flags::default()).take_seats(&without(), Keys::NotNeeded).is_ok());
    let fault = settings(gone, &Flags::default()).take_seats(&without(), Keys::Needed).map(|_| ()).expect_err("no file");
    assert!(fault.what.contains("/nowhere/at/all"), "{}", fault.what);
    let flags = Flags { agent: Some("fsat"), ..Flags::default() };
    assert!(settings(ROSTER, &flags).take_seats(&without(), Keys::NotNeeded).is_err(), "the word is read all the same");
}

#[test]
fn values_of_headers_are_not_printed() {
    let text = "agents: {a: {kind: openai, model: m, key_env: none, headers: {x-gateway-key: canary-0f1e2d3c4b5a}}}\n";
    let settings = settings(text, &Flags::default());
    let AgentSpec::Endpoint(endpoint) = settings.agent("a", &without()).expect("a") else { panic!("no endpoint") };
    assert_eq!(endpoint.headers, [("x-gateway-key".to_owned(), CANARY.to_owned())]);
    let printed = format!("{endpoint:?} {endpoint:#?}");
    assert!(printed.contains("x-gateway-key") && printed.contains("https://api.openai.com/v1"), "{printed}");
    assert!(!printed.contains(CANARY), "{printed}");
}

#[test]
fn the_example_of_settings_can_be_copied_as_it_is() {
    let settings = settings(include_str!("../../examples/config.yaml"), &Flags::default());
    let seats = settings.take_seats(&with_keys(), Keys::NotNeeded).expect("taken");
    let named: Vec<String> = seats.named().iter().map(|(name, spec)| format!("{name}={}", who(spec))).collect();
    assert_eq!(named.join(" "), "reviewer=fast SA=strong critic=strong arbiter=fast");
    let strong = in_settings(&settings, "strong", &with_keys());
    assert_eq!((strong.context, strong.warm_cache, strong.key_from.as_str()), (Some(200_000), true, "ANTHROPIC_API_KEY"));
    assert_eq!(strong.prices.expect("known").cached, 300);
    assert_eq!(in_settings(&settings, "local", &without()).shape, Rung::Object);
    assert_eq!(settings.caps.cost_micros.value, Some(5_000_000));
}

fn who(spec: &AgentSpec) -> String {
    match spec {
        AgentSpec::Offline => "offline".to_owned(),
        AgentSpec::Script(path) => format!("script {}", path.display()),
        AgentSpec::Replay(path) => format!("replay {}", path.display()),
        AgentSpec::Endpoint(endpoint) => endpoint.name.clone(),
        AgentSpec::Paste => "paste".to_owned(),
        AgentSpec::Program(program) => program.name.clone(),
    }
}

#[test]
fn seats_are_taken_by_whom_the_settings_name() {
    let file = |seats: &str| format!("{ROSTER}seats: {seats}\n");
    let rows: [(&str, Flags, &str); 10] = [
        ("{}", Flags::default(), "reviewer=offline critic=offline"),
        ("{reviewer: fast}", Flags::default(), "reviewer=fast critic=fast arbiter=fast"),
        ("{reviewer: fast, critic: strong}", Flags::default(), "reviewer=fast critic=strong arbiter=fast"),
        ("{reviewer: fast, arbiter: none}", Flags::default(), "reviewer=fast critic=fast"),
        ("{reviewer: fast, arbiter: offline}", Flags::default(), "reviewer=fast critic=fast"),
        (
            "{reviewer: fast, dimensions: {SA: strong, DEV: offline}, critic: strong, arbiter: none}",
            Flags::default(),
            "reviewer=fast DEV=offline SA=strong critic=strong",
        ),
        (
            "{reviewer: fast, dimensions: {SA: strong}, critic: strong, arbiter: none}",
            Flags { agent: Some("free"), ..Flags::default() },
            "reviewer=free critic=free arbiter=free",
        ),
        (
            "{}",
            Flags { agent: Some("offline"), critic: Some("fast"), arbiter: Some("strong"), ..Flags::default() },
            "reviewer=offline critic=fast arbiter=strong",
        ),
        ("{reviewer: fast}", Flags { arbiter: Some("none"), ..Flags::default() }, "reviewer=fast critic=fast"),
        (
            "{}",
            Flags { agent: Some("replay:tapes"), ..Flags::default() },
            "reviewer=replay tapes critic=replay tapes arbiter=replay tapes",
        ),
    ];
    for (seats, flags, expected) in rows {
        let taken = settings(&file(seats), &flags).take_seats(&with_keys(), Keys::Needed).expect(seats);
        let named: Vec<String> = taken.named().iter().map(|(name, spec)| format!("{name}={}", who(spec))).collect();
        assert_eq!(named.join(" "), expected, "{seats} {flags:?}");
        assert_eq!((taken.floor, taken.replicas), (true, None));
    }
}

#[test]
fn a_seat_that_cannot_be_taken_says_who_named_it() {
    let text = format!("{ROSTER}seats: {{reviewer: fast, critic: strong}}\n");
    let fault = settings(&text, &Flags::default()).take_seats(&without(), Keys::Needed).map(|_| ()).expect_err("no key");
    assert_eq!(fault.what, "/c/config.yaml:11: no key for `strong`: MY_KEY is not set");
    let flags = Flags { agent: Some("fsat"), ..Flags::default() };
    let fault = settings(ROSTER, &flags).take_seats(&without(), Keys::Needed).map(|_| ()).expect_err("unknown");
    assert_eq!(fault.what, "--agent: there is no agent `fsat`");
    let flags = Flags { critic: Some("none"), ..Flags::default() };
    let fault = settings(ROSTER, &flags).take_seats(&without(), Keys::Needed).map(|_| ()).expect_err("nobody");
    assert_eq!(fault.what, "--critic: there is no agent `none`");
}

#[test]
fn seats_that_are_one_model_are_named() {
    let text = format!(
        "{ROSTER}seats: {{reviewer: fast, dimensions: {{DEV: strong, SA: 'openai:small@http://127.0.0.1:8080/other'}}, \
         critic: strong, arbiter: free}}\n"
    );
    let seats = settings(&text, &Flags::default()).take_seats(&with_keys(), Keys::Needed).expect("taken");
    let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
    assert_eq!(same_model(&seats), [pair("reviewer", "SA"), pair("DEV", "critic")]);
    let offline = settings("", &Flags::default()).take_seats(&without(), Keys::Needed).expect("taken");
    assert_eq!(same_model(&offline), []);
}

#[test]
fn nothing_that_is_printed_shows_a_key() {
    let text = format!("{ROSTER}seats: {{reviewer: strong, critic: fast}}\n");
    let settings = settings(&text, &Flags::default());
    let variables = with_keys();
    let seats = settings.take_seats(&variables, Keys::Needed).expect("taken");
    assert_eq!(seats.reviewer.endpoint().and_then(|one| one.key.as_ref()).expect("a key").expose_secret(), CANARY);
    let redactor = seats.redactor(&variables);
    for printed in [
        format!("{seats:#?}"),
        format!("{settings:?}"),
        format!("{redactor:?}"),
        format!("{variables:?}"),
        format!("{:?}", seats.critic),
    ] {
        assert!(!printed.contains(CANARY), "{printed}");
    }
    assert_eq!(redactor.redact(&format!("got {CANARY}!")), "got [key]!");
}

proptest! {
    #[test]
    fn any_word_is_read_or_refused(word in "((openai|anthropic|script|replay):)?(?s).{0,40}(@https?://.{0,20})?") {
        let settings = roster();
        for variables in [with_keys(), without()] {
            match settings.agent(&word, &variables) {
                Ok(spec) => {
                    let printed = format!("{spec:?}");
                    prop_assert!(!printed.contains(CANARY));
                }
                Err(fault) => prop_assert!(!fault.what.contains(CANARY) && !fault.hint.contains(CANARY)),
            }
        }
    }
}
