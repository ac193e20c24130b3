//! Settings: every mistake with its line and what there is instead, and who goes before whom.

use super::*;
use crate::model::yaml::CONFIG_BYTES;
use proptest::prelude::*;
use std::os::unix::fs::symlink;

const WHOLE: &str = "\
schema: tamis.config/1
agents:
  fast:
    kind: openai
    model: small/model:free
    base_url: https://example.com/api/v1/
    key_env: MY_KEY
    max_output: 8000
    context: 128000
    concurrency: 6
    prices: {currency: EUR, input: 0.25, cached: 0.025, cache_write: 0.3, output: 2}
    timeouts: {connect: 2.5, first_byte: 100, idle: 50, total: 500}
    headers: {X-Title: tamis}
    stream: false
    shape: json_object
    warm_cache: true
  strong:
    kind: anthropic
    model: large
    key_file: keys/strong
seats:
  reviewer: fast
  dimensions: {DEV: fast, SA: strong}
  critic: strong
  arbiter: none
  replicas: 2
  floor: false
caps: {tokens: 2000000, cost: 5.5, minutes: 60}
theme: dark
lang: vi
";

pub(super) fn of(text: &str, variables: &Variables, flags: &Flags) -> Result<Settings, Fault> {
    Settings::of("config.yaml", text, Path::new("/c/config.yaml"), variables, flags)
}

fn nothing() -> Variables {
    Variables::of(|_| None)
}

fn only(set: &'static [(&str, &str)]) -> Variables {
    Variables::of(|name| set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned()))
}

fn read(text: &str) -> Settings {
    of(text, &nothing(), &Flags::default()).expect(text)
}

fn line(line: u64) -> Origin {
    Origin::Line(PathBuf::from("/c/config.yaml"), line)
}

#[test]
fn everything_is_read_with_its_line() {
    let settings = read(WHOLE);
    let fast = settings.entry("fast").expect("there");
    assert_eq!((fast.name.origin.clone(), fast.api.clone()), (line(3), Setting { value: Api::OpenAi, origin: line(4) }));
    assert_eq!(fast.model, Setting { value: "small/model:free".to_owned(), origin: line(5) });
    assert_eq!(fast.base_url, Setting { value: "https://example.com/api/v1".to_owned(), origin: line(6) });
    assert_eq!(fast.key, Setting { value: KeySource::Variable("MY_KEY".to_owned()), origin: line(7) });
    assert_eq!((fast.max_output.value, fast.context.value, fast.concurrency.value), (8000, Some(128_000), 6));
    let prices = Prices { currency: "EUR".to_owned(), input: 250, cached: 25, cache_write: 300, output: 2000 };
    assert_eq!(fast.prices, Setting { value: Some(prices), origin: line(11) });
    assert_eq!(fast.connect, Setting { value: Duration::from_millis(2500), origin: line(12) });
    assert_eq!(fast.total.value, Duration::from_secs(500));
    assert_eq!(fast.headers, [("X-Title".to_owned(), Setting { value: "tamis".to_owned(), origin: line(13) })]);
    assert_eq!((fast.stream.value, fast.shape.value, fast.warm_cache.value), (false, Rung::Object, true));
    let strong = settings.entry("strong").expect("there");
    assert_eq!(strong.key, Setting { value: KeySource::File("/c/keys/strong".into()), origin: line(20) });
    assert_eq!(strong.base_url, Setting::default_of("https://api.anthropic.com".to_owned()));
    assert_eq!((strong.max_output.clone(), strong.stream.clone()), (Setting::default_of(8192), Setting::default_of(true)));
    assert_eq!(settings.seats.reviewer, Setting { value: "fast".to_owned(), origin: line(22) });
    assert_eq!(settings.seats.dimensions[1], ("SA".to_owned(), Setting { value: "strong".to_owned(), origin: line(23) }));
    assert_eq!((settings.seats.critic.origin.clone(), settings.seats.arbiter.value.as_str()), (line(24), "none"));
    assert_eq!(settings.seats.replicas, Setting { value: Some(2), origin: line(26) });
    assert_eq!(settings.seats.floor, Setting { value: false, origin: line(27) });
    assert_eq!(settings.caps.tokens, Setting { value: Some(2_000_000), origin: line(28) });
    assert_eq!((settings.caps.cost_micros.value, settings.caps.minutes.value), (Some(5_500_000), Some(60)));
    assert_eq!(settings.theme, Setting { value: "dark".to_owned(), origin: line(29) });
    assert_eq!(settings.lang, Setting { value: Some(Lang::Vi), origin: line(30) });
}

#[test]
fn nothing_said_is_all_defaults() {
    for text in ["", "# later\n", "agents:\nseats:\ncaps:\ntheme:\n", "schema: tamis.config/1\n"] {
        let settings = read(text);
        assert!(settings.roster.is_empty());
        assert_eq!(settings.seats.reviewer, Setting::default_of("offline".to_owned()));
        assert_eq!(settings.seats.critic, Setting::default_of("offline".to_owned()));
        assert_eq!(settings.seats.floor, Setting::default_of(true));
        assert_eq!(settings.caps.tokens, Setting::default_of(None));
        assert_eq!((settings.theme.value.as_str(), settings.lang.value), ("terminal", None));
    }
}

/// An agent with one more line, which stands in line 5.
fn agent(more: &str) -> String {
    format!("agents:\n  a:\n    kind: openai\n    model: m\n    {more}\n")
}

#[test]
fn every_mistake_says_where_what_and_what_instead() {
    let rows: Vec<(String, &str, &str, &str)> = vec![
        ("schema: tamis.config/2\n".into(), ":1:9", "the format is `tamis.config/2`", "write `schema: tamis.config/1`"),
        ("agent: {}\n".into(), ":1:1", "unknown key `agent`", "did you mean `agents`?"),
        ("theme: dark\ncpas: {}\n".into(), ":2:1", "unknown key `cpas`", "did you mean `caps`?"),
        (agent("modle: x"), ":5:5", "unknown key `modle`", "did you mean `model`?"),
        (agent("prices: {inptu: 1}"), ":5:14", "unknown key `inptu`", "did you mean `input`?"),
        (agent("timeouts: {idel: 1}"), ":5:16", "unknown key `idel`", "did you mean `idle`?"),
        ("seats: {revewer: offline}\n".into(), ":1:9", "unknown key `revewer`", "did you mean `reviewer`?"),
        ("caps: {minute: 1}\n".into(), ":1:8", "unknown key `minute`", "did you mean `minutes`?"),
        ("agents:\n  a: {kind: opena, model: m}\n".into(), ":2:13", "unknown kind `opena`", "did you mean `openai`?"),
        ("agents:\n  a: {model: m}\n".into(), ":2:3", "the agent `a` has no `kind`", "add `kind: openai`"),
        ("agents:\n  a: {kind: openai}\n".into(), ":2:3", "the agent `a` has no `model`", "add `model:`"),
        ("agents:\n  a: {kind: openai, model: ''}\n".into(), ":2:28", "the model has no name", "as the server calls it"),
        ("agents:\n  a: {kind: openai, model: 'a b'}\n".into(), ":2:28", "no name of a model", "without blanks"),
        ("agents:\n  a b: {kind: openai, model: m}\n".into(), ":2:3", "no name for an agent: `a b`", "use letters"),
        ("agents:\n  None: {kind: openai, model: m}\n".into(), ":2:3", "`None` has a meaning of its own", "another name"),
        ("agents:\n  a: {kind: openai, model: m}\n  a: {kind: openai, model: n}\n".into(), ":3:3", "a second time", ""),
        ("agents: [a]\n".into(), ":1:9", "", ""),
        (agent("base_url: api.example.com"), ":5:15", "no address", "write `https://HOST/PATH`"),
        (agent("base_url: ftp://example.com"), ":5:15", "neither http nor https", "https://"),
        (agent("base_url: https://me:pw@example.com"), ":5:15", "a user or a password", "key_env"),
        (agent("base_url: https://example.com?key=x"), ":5:15", "a query", "keys never stand in addresses"),
        (agent("base_url: 'https://example.com#x'"), ":5:15", "a fragment", "leave out"),
        (agent("base_url: http://example.com/v1"), ":5:15", "unencrypted", "allow_http: true"),
        (agent("key: sk-canary"), ":5:5", "`key`: a key does not stand in this file", "key_env: NAME"),
        (agent("api_key: sk-canary"), ":5:5", "`api_key`: a key does not stand in this file", "key_file"),
        (agent("API-Key: sk-canary"), ":5:5", "`API-Key`: a key does not stand in this file", "key_file"),
        ("key: sk-canary\n".into(), ":1:1", "`key`: a key does not stand in this file", "key_env"),
        (agent("key_env: sk-canary"), ":5:14", "`key_env` holds no name of a variable", "capital letters"),
        (agent("key_env: canary"), ":5:14", "`key_env` holds no name of a variable", "capital letters"),
        (agent("key_env: A\n    key_file: /k"), ":6:15", "has a `key_env` and a `key_file`, in line 5", "keep one"),
        (agent("key_file: ~/k"), ":5:15", "`~` is not read", "the whole path"),
        (agent("key_file: ''"), ":5:15", "names no file", "the whole path"),
        (agent("max_output: 0"), ":5:17", "`max_output` is too small: `0`", "from 1 to"),
        (agent("max_output: -1"), ":5:17", "`max_output` is no whole number: `-1`", "from 1 to"),
        (agent("max_output: 1.5"), ":5:17", "`max_output` is no whole number: `1.5`", "from 1 to"),
        (agent("max_output: 99999999999999999999"), ":5:17", "is too large", "from 1 to"),
        (agent("context: 8192"), ":5:14", "leaves no room", "make `max_output` smaller"),
        (agent("max_output: 10\n    context: 10"), ":6:14", "leaves no room", "make `max_output` smaller"),
        (agent("concurrency: 0"), ":5:18", "`concurrency` is too small", "from 1 to 1000"),
        (agent("prices: {input: -1, output: 1}"), ":5:21", "the price `input` is negative: `-1`", "0.25"),
        (agent("prices: {input: .nan, output: 1}"), ":5:21", "the price `input` is no plain decimal", "0.25"),
        (agent("prices: {input: 1, output: 1e3}"), ":5:32", "the price `output` is no plain decimal", "0.25"),
        (agent("prices: {input: 1, output: 5000000000}"), ":5:32", "is beyond all reason", "0.25"),
        (agent("prices: {input: 1}"), ":5:13", "say nothing of `output`", "add `output:`"),
        (agent("prices: {currency: usd, input: 1, output: 1}"), ":5:24", "no currency: `usd`", "three capital letters"),
        (agent("timeouts: {idle: 0}"), ":5:22", "`idle` is no time at all", "seconds"),
        (agent("timeouts: {idle: soon}"), ":5:22", "`idle` is no plain decimal number", "seconds"),
        (agent("timeouts: {total: 86401}"), ":5:23", "`total` is beyond all reason", "86400"),
        (agent("headers: {Authorization: canary}"), ":5:15", "`Authorization` carries a secret", "key_env"),
        (agent("headers: {x-api-key: canary}"), ":5:15", "`x-api-key` carries a secret", "key_env"),
        (agent("headers: {A: b, a: c}"), ":5:21", "`a` stands here a second time", "keep one"),
        (agent("stream: no"), ":5:13", "", ""),
        (agent("shape: jsonschema"), ":5:12", "unknown shape `jsonschema`", "did you mean `json_schema`?"),
        (
            "seats: {reviewer: fsat}\nagents:\n  fast: {kind: openai, model: m}\n".into(),
            ":1:19",
            "no agent `fsat`",
            "did you mean `fast`?",
        ),
        ("seats: {critic: offlin}\n".into(), ":1:17", "there is no agent `offlin`", "did you mean `offline`?"),
        ("seats: {critic: none}\n".into(), ":1:17", "only the arbiter can be `none`", "name an agent"),
        ("seats: {arbiter: opena:m}\n".into(), ":1:18", "no kind of agent `opena`", "did you mean `openai`?"),
        ("seats: {arbiter: 'openai:'}\n".into(), ":1:18", "the model has no name", "openai:MODEL"),
        ("seats: {arbiter: 'script:x.yaml'}\n".into(), ":1:18", "has no seat in the settings", "--agent"),
        ("seats: {dimensions: {DEV: nobody}}\n".into(), ":1:27", "there is no agent `nobody`", "offline"),
        ("seats: {dimensions: {DEV: offline, DEV: offline}}\n".into(), ":1:36", "a second time", "keep one"),
        ("seats: {replicas: 0}\n".into(), ":1:19", "`replicas` is too small", "from 1 to 100"),
        ("caps: {tokens: 0}\n".into(), ":1:16", "`tokens` is too small", "from 1"),
        ("caps: {cost: 0}\n".into(), ":1:14", "`cost` is nothing at all", "2.50"),
        ("caps: {cost: -5}\n".into(), ":1:14", "`cost` is negative", "2.50"),
        ("caps: {minutes: 1h}\n".into(), ":1:17", "`minutes` is no whole number", "from 1"),
        ("lang: fr\n".into(), ":1:7", "unknown language `fr`", "there is: en, vi, zh"),
        ("theme: dark\ntheme: light\n".into(), ":2:1", "a second time", "keep one"),
    ];
    for (text, place, what, hint) in rows {
        let fault = of(&text, &nothing(), &Flags::default()).map(|_| ()).expect_err(&text);
        assert_eq!(fault.kind, FaultKind::Usage, "{text}");
        assert!(fault.what.starts_with(&format!("config.yaml{place}: ")), "{text}: {}", fault.what);
        assert!(fault.what.contains(what), "{text}: {}", fault.what);
        assert!(fault.hint.contains(hint), "{text}: {} | {}", fault.what, fault.hint);
        assert!(!fault.what.contains("canary") && !fault.hint.contains("canary"), "{text}: {}", fault.what);
    }
}

#[test]
fn http_is_fine_where_nothing_is_given_away() {
    for more in [
        "base_url: http://127.0.0.1:8080/v1",
        "base_url: http://localhost:8080",
        "base_url: 'http://[::1]:8080'",
        "base_url: http://10.0.0.9/v1\n    key_env: none",
        "base_url: http://10.0.0.9/v1\n    allow_http: true",
    ] {
        read(&agent(more));
    }
}

#[test]
fn flags_go_before_the_environment_before_the_file_before_defaults() {
    let variables = only(&[
        ("TAMIS_AGENT", "strong"),
        ("TAMIS_THEME", "light"),
        ("TAMIS_LANG", "zh"),
        ("TAMIS_MAX_TOKENS", "7"),
        ("TAMIS_MAX_COST", "0.5"),
        ("TAMIS_MAX_MINUTES", "9"),
    ]);
    let settings = of(WHOLE, &variables, &Flags::default()).expect("reads");
    let env = Origin::Environment;
    assert_eq!(settings.theme, Setting { value: "light".to_owned(), origin: env("TAMIS_THEME") });
    assert_eq!(settings.lang, Setting { value: Some(Lang::Zh), origin: env("TAMIS_LANG") });
    assert_eq!(settings.caps.tokens, Setting { value: Some(7), origin: env("TAMIS_MAX_TOKENS") });
    assert_eq!(settings.caps.cost_micros, Setting { value: Some(500_000), origin: env("TAMIS_MAX_COST") });
    assert_eq!(settings.caps.minutes, Setting { value: Some(9), origin: env("TAMIS_MAX_MINUTES") });
    let all = Setting { value: "strong".to_owned(), origin: env("TAMIS_AGENT") };
    let seats = &settings.seats;
    assert_eq!((&seats.reviewer, &seats.critic, &seats.arbiter), (&all, &all, &all));
    assert!(seats.dimensions.is_empty(), "one agent for all seats");
    let flags = Flags {
        agent: Some("fast"),
        critic: Some("offline"),
        arbiter: None,
        theme: Some("t.yaml"),
        lang: Some("en"),
        max_tokens: Some("3"),
        max_cost: Some("2"),
        max_minutes: Some("4"),
    };
    let settings = of(WHOLE, &variables, &flags).expect("reads");
    assert_eq!(settings.theme, Setting { value: "t.yaml".to_owned(), origin: Origin::Flag("--theme") });
    assert_eq!(settings.lang, Setting { value: Some(Lang::En), origin: Origin::Flag("--lang") });
    assert_eq!(settings.caps.tokens, Setting { value: Some(3), origin: Origin::Flag("--max-tokens") });
    assert_eq!(settings.caps.cost_micros, Setting { value: Some(2_000_000), origin: Origin::Flag("--max-cost") });
    assert_eq!(settings.caps.minutes, Setting { value: Some(4), origin: Origin::Flag("--max-minutes") });
    assert_eq!(settings.seats.reviewer, Setting { value: "fast".to_owned(), origin: Origin::Flag("--agent") });
    assert_eq!(settings.seats.critic, Setting { value: "offline".to_owned(), origin: Origin::Flag("--critic") });
    assert_eq!(settings.seats.arbiter, Setting { value: "fast".to_owned(), origin: Origin::Flag("--agent") });
    let settings = of("", &only(&[("TAMIS_THEME", " ")]), &Flags::default()).expect("reads");
    assert_eq!(settings.theme.origin, Origin::Default, "a blank variable says nothing");
}

#[test]
fn a_mistake_in_a_flag_or_a_variable_names_it() {
    type Pairs = &'static [(&'static str, &'static str)];
    let rows: [(Pairs, Flags, &str); 5] = [
        (&[("TAMIS_LANG", "fr")], Flags::default(), "TAMIS_LANG: unknown language `fr`"),
        (&[("TAMIS_MAX_TOKENS", "many")], Flags::default(), "TAMIS_MAX_TOKENS: is no whole number: `many`"),
        (&[("TAMIS_MAX_COST", "0")], Flags::default(), "TAMIS_MAX_COST: is nothing at all: `0`"),
        (&[], Flags { max_minutes: Some("0"), ..Flags::default() }, "--max-minutes: is too small: `0`"),
        (&[("TAMIS_MAX_COST", "1")], Flags { max_cost: Some("-1"), ..Flags::default() }, "--max-cost: is negative: `-1`"),
    ];
    for (set, flags, what) in rows {
        let fault = of("", &only(set), &flags).map(|_| ()).expect_err(what);
        assert_eq!(fault.what, what);
        assert!(!fault.hint.is_empty());
    }
    let fault =
        of("lang: fr\n", &only(&[("TAMIS_LANG", "en")]), &Flags::default()).expect_err("the file is checked all the same");
    assert_eq!(fault.what, "config.yaml:1:7: unknown language `fr`");
}

#[test]
fn dimensions_are_checked_against_all_there_are() {
    let settings = read("seats: {dimensions: {DVE: offline}}\n");
    let fault = settings.check_dimensions(["DEV", "SA"]).expect_err("unknown");
    assert_eq!(fault.what, "/c/config.yaml:1: `seats.dimensions` names the dimension `DVE`, which no recipe has");
    assert!(fault.hint.starts_with("did you mean `DEV`?"), "{}", fault.hint);
    assert_eq!(read(WHOLE).check_dimensions(["DEV", "SA"]), Ok(()));
}

#[test]
fn the_file_of_the_user_is_found_or_absent_or_said_to_be_unreadable() {
    let home = tempfile::tempdir().expect("folder");
    let folders = Folders { config: Some(home.path().to_owned()), state: "/s".into() };
    let load = || Settings::load(&folders, None, &nothing(), &Flags::default());
    let path = home.path().join(FILE_NAME);
    let absent = load().expect("absent says nothing");
    assert_eq!((absent.path.as_deref(), absent.theme.origin), (Some(path.as_path()), Origin::Default));
    std::fs::write(&path, "theme: dark\n").expect("written");
    assert_eq!(load().expect("reads").theme.origin, Origin::Line(path.clone(), 1));
    std::fs::write(&path, "\nlang: sk-0123456789abcdefghij\n").expect("written");
    let fault = load().expect_err("a key in the wrong place");
    assert_eq!(fault.what, format!("{}:2:7: unknown language `[key]`", path.display()));
    std::fs::write(&path, "x".repeat(CONFIG_BYTES + 1)).expect("written");
    assert!(load().expect_err("long").what.contains("is longer than"));
    std::fs::remove_file(&path).expect("removed");
    symlink(home.path().join("gone"), &path).expect("linked");
    assert_eq!(load().expect_err("dangling").kind, FaultKind::Io);
    let nowhere = Folders { config: None, state: "/s".into() };
    assert_eq!(Settings::load(&nowhere, None, &nothing(), &Flags::default()).expect("defaults").path, None);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(?s)(agents|seats|caps|theme): .{0,80}") {
        if let Err(fault) = of(&text, &nothing(), &Flags::default()) {
            prop_assert!(fault.what.starts_with("config.yaml"), "{}", fault.what);
        }
    }
}
