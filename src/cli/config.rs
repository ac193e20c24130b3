//! `tamis config`: the settings in force as YAML that can be read back, with where each comes from. A key is never in it.

use super::args::{ConfigAction, ConfigArgs, ConfigShowArgs};
use super::out;
use crate::config::keys::KeySource;
use crate::config::money;
use crate::config::programs::{Format, Program};
use crate::config::project::Project;
use crate::config::settings::{Entry, FILE_NAME, Setting};
use crate::config::{Flags, Folders, Origin, Settings, Variables};
use crate::model::fault::Fault;
use crate::model::shown::Shown;
use crate::model::walls::Network;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `tamis config show [--origin]`, `tamis config path`.
///
/// # Errors
/// Settings that cannot be meant, or a user without a home folder.
pub fn config(args: &ConfigArgs) -> Result<String, Fault> {
    let folders = Folders::find(None)?;
    match &args.action {
        ConfigAction::Path => match &folders.config {
            Some(config) => Ok(format!("{}\n", Shown::line(&config.join(FILE_NAME).display().to_string()))),
            None => Err(Fault::usage("no home folder is known, so there is no place for settings", "set HOME")),
        },
        ConfigAction::Show(args) => {
            let variables = Variables::read();
            let project = match args.project.no_project {
                true => None,
                false => Project::around(Path::new("."), &folders.state)?,
            };
            let settings = Settings::load(&folders, project.as_ref(), &variables, &flags(args))?;
            let of_project = project.map(|project| about(&project)).unwrap_or_default();
            Ok(shown(&settings, &variables, args.origin) + &of_project)
        }
    }
}

/// What the project's file says beside, as comments: it is no part of the user's settings.
fn about(project: &Project) -> String {
    let standing = if project.is_trusted() { "trusted" } else { "not trusted" };
    let mut lines = vec![format!("the project's file {} ({standing}):", project.seen.path.display())];
    lines.extend(project.ignored());
    let data = &project.data;
    let mut say = |key: &str, value: Option<(String, &Origin)>| {
        lines.extend(value.map(|(value, origin)| format!("{key}: {value}  ({origin})")));
    };
    let text = |setting: &Option<Setting<String>>| setting.clone().map(|setting| setting.value);
    let path = |setting: &PathBuf| setting.display().to_string();
    say("recipe", text(&data.recipe).zip(data.recipe.as_ref().map(|it| &it.origin)));
    say("dimensions", data.dimensions.as_ref().map(|it| (it.value.join(", "), &it.origin)));
    say("granularity", text(&data.granularity).zip(data.granularity.as_ref().map(|it| &it.origin)));
    say("agent_cap", data.agent_cap.as_ref().map(|it| (it.value.to_string(), &it.origin)));
    say("replicas", data.replicas.as_ref().map(|it| (it.value.to_string(), &it.origin)));
    say("fail_on", text(&data.fail_on).zip(data.fail_on.as_ref().map(|it| &it.origin)));
    say("context", data.context.as_ref().map(|it| (path(&it.value), &it.origin)));
    say("criteria", data.criteria.as_ref().map(|it| (path(&it.value), &it.origin)));
    data.with.iter().for_each(|it| say("with", Some((path(&it.value), &it.origin))));
    say("out", data.out.as_ref().map(|it| (path(&it.value), &it.origin)));
    lines.iter().map(|line| format!("# {}\n", Shown::line(line))).collect()
}

fn flags(args: &ConfigShowArgs) -> Flags<'_> {
    Flags {
        agent: args.agent.as_deref(),
        critic: args.critic.as_deref(),
        arbiter: args.arbiter.as_deref(),
        theme: args.theme.as_deref(),
        lang: args.lang.as_deref(),
        max_tokens: args.max_tokens.as_deref(),
        max_cost: args.max_cost.as_deref(),
        max_minutes: args.max_minutes.as_deref(),
    }
}

/// Lines of YAML.
struct Page {
    text: String,
    origins: bool,
}

impl Page {
    /// A key that others stand below.
    fn open(&mut self, depth: usize, key: &str) {
        self.text.push_str(&format!("{}{key}:\n", "  ".repeat(depth)));
    }

    /// A value; `note` is said with or without origins.
    fn noted(&mut self, depth: usize, key: &str, value: &str, note: &str, origin: &Origin) {
        let mut comments: Vec<String> = Vec::new();
        if !note.is_empty() {
            comments.push(note.to_owned());
        }
        if self.origins {
            comments.push(Shown::line(&origin.to_string()).to_string());
        }
        let comment = if comments.is_empty() { String::new() } else { format!("  # {}", comments.join("; ")) };
        self.text.push_str(&format!("{}{key}: {value}{comment}\n", "  ".repeat(depth)));
    }

    fn value(&mut self, depth: usize, key: &str, value: impl ToString, origin: &Origin) {
        self.noted(depth, key, &value.to_string(), "", origin);
    }

    fn text(&mut self, depth: usize, key: &str, setting: &Setting<String>) {
        self.value(depth, key, quoted(&setting.value), &setting.origin);
    }

    fn limit<T: ToString>(&mut self, depth: usize, key: &str, setting: &Setting<Option<T>>) {
        let value = setting.value.as_ref().map_or("null".to_owned(), T::to_string);
        self.value(depth, key, value, &setting.origin);
    }

    fn seconds(&mut self, depth: usize, key: &str, setting: &Setting<Duration>) {
        let millis = u64::try_from(setting.value.as_millis()).unwrap_or(u64::MAX);
        self.value(depth, key, money::written(millis, 3), &setting.origin);
    }
}

/// A text in quotes; the escapes of JSON are those of YAML, and nothing invisible stays raw.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let begins_like_a_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let means_something =
        ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str());
    if begins_like_a_word && text.chars().all(plain) && !means_something {
        return text.to_owned();
    }
    out::json(&text, false)
}

fn shown(settings: &Settings, variables: &Variables, origins: bool) -> String {
    let mut page = Page { text: format!("schema: {}\n", crate::config::settings::SCHEMA), origins };
    if !settings.roster.is_empty() {
        page.open(0, "agents");
    }
    for entry in &settings.roster {
        agent(&mut page, entry, variables);
    }
    if !settings.programs.is_empty() {
        page.open(0, "programs");
    }
    settings.programs.iter().for_each(|entry| program(&mut page, entry));
    let seats = &settings.seats;
    page.open(0, "seats");
    page.text(1, "reviewer", &seats.reviewer);
    if !seats.dimensions.is_empty() {
        page.open(1, "dimensions");
        for (dimension, word) in &seats.dimensions {
            page.text(2, &quoted(dimension), word);
        }
    }
    page.text(1, "critic", &seats.critic);
    page.text(1, "arbiter", &seats.arbiter);
    page.limit(1, "replicas", &seats.replicas);
    page.value(1, "floor", seats.floor.value, &seats.floor.origin);
    let caps = &settings.caps;
    page.open(0, "caps");
    page.limit(1, "tokens", &caps.tokens);
    let cost = caps.cost_micros.value.map(|micros| money::written(micros, 6));
    page.limit(1, "cost", &Setting { value: cost, origin: caps.cost_micros.origin.clone() });
    page.limit(1, "minutes", &caps.minutes);
    page.text(0, "theme", &settings.theme);
    page.limit(0, "lang", &settings.lang);
    page.text
}

fn agent(page: &mut Page, entry: &Entry, variables: &Variables) {
    page.open(1, &quoted(&entry.name.value));
    page.value(2, "kind", entry.api.value.word(), &entry.api.origin);
    page.text(2, "model", &entry.model);
    page.text(2, "base_url", &entry.base_url);
    let key = if matches!(entry.key.value, KeySource::File(_)) { "key_file" } else { "key_env" };
    page.noted(2, key, &quoted(&entry.key.value.to_string()), &state_of_key(&entry.key.value, variables), &entry.key.origin);
    page.value(2, "allow_http", entry.allow_http.value, &entry.allow_http.origin);
    page.value(2, "max_output", entry.max_output.value, &entry.max_output.origin);
    page.value(2, "max_findings", entry.max_findings.value, &entry.max_findings.origin);
    page.value(2, "max_text", entry.max_text.value, &entry.max_text.origin);
    page.limit(2, "context", &entry.context);
    page.value(2, "concurrency", entry.concurrency.value, &entry.concurrency.origin);
    match &entry.prices.value {
        None => page.value(2, "prices", "null", &entry.prices.origin),
        Some(prices) => {
            page.open(2, "prices");
            page.value(3, "currency", &prices.currency, &entry.prices.origin);
            for (key, price) in [
                ("input", prices.input),
                ("cached", prices.cached),
                ("cache_write", prices.cache_write),
                ("output", prices.output),
            ] {
                page.value(3, key, money::written(price, 3), &entry.prices.origin);
            }
        }
    }
    page.open(2, "timeouts");
    page.seconds(3, "connect", &entry.connect);
    page.seconds(3, "first_byte", &entry.first_byte);
    page.seconds(3, "idle", &entry.idle);
    page.seconds(3, "total", &entry.total);
    if !entry.headers.is_empty() {
        page.open(2, "headers");
        for (name, value) in &entry.headers {
            page.text(3, &quoted(name), value);
        }
    }
    page.value(2, "stream", entry.stream.value, &entry.stream.origin);
    page.value(2, "shape", entry.shape.value.word(), &entry.shape.origin);
    page.value(2, "warm_cache", entry.warm_cache.value, &entry.warm_cache.origin);
}

fn program(page: &mut Page, program: &Program) {
    page.open(1, &quoted(program.name.strip_prefix("command:").unwrap_or(&program.name)));
    let list =
        |words: Vec<String>| format!("[{}]", words.iter().map(|word| out::json(word, false)).collect::<Vec<_>>().join(", "));
    let paths = |paths: &[PathBuf]| list(paths.iter().map(|path| path.display().to_string()).collect());
    let origin = &program.origin;
    page.value(2, "command", list(program.command.clone()), origin);
    let format = Format::ALL.into_iter().find(|(_, format)| *format == program.format);
    page.value(2, "format", format.map_or("text", |(word, _)| word), origin);
    if !program.env.is_empty() {
        page.open(2, "env");
        program.env.iter().for_each(|(name, value)| page.value(3, name, out::json(value, false), origin));
    }
    page.value(2, "pass_env", list(program.pass_env.clone()), origin);
    page.value(2, "home", paths(&program.home), origin);
    page.value(2, "read", paths(&program.read), origin);
    match &program.network {
        Network::None => page.value(2, "network", "none", origin),
        Network::Any => page.value(2, "network", "any", origin),
        Network::Ports(ports) => page.value(2, "ports", format!("{ports:?}"), origin),
    }
    let millis = u64::try_from(program.timeout.as_millis()).unwrap_or(u64::MAX);
    page.value(2, "timeout", money::written(millis, 3), origin);
    page.value(2, "concurrency", program.concurrency, origin);
    page.value(2, "max_findings", program.max_findings, origin);
}

/// Of a key only whether it is there.
fn state_of_key(source: &KeySource, variables: &Variables) -> String {
    match source.read(variables) {
        _ if *source == KeySource::None => "no key".to_owned(),
        Ok(Some(_)) => "set".to_owned(),
        Ok(None) => "not set".to_owned(),
        Err((what, _)) => format!("not usable: {}", Shown::line(&what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "canary-0f1e2d3c4b5a";

    const FILE: &str = "\
programs:
  mine: {command: [/bin/review, 'a \"b\" # c'], env: {MODE: 'x: y'}, pass_env: [MY_KEY], home: [.mine/login], ports: [443, 8443], timeout: 1.5}
  other: {command: [other], format: acp, network: any}
agents:
  fast:
    kind: openai
    model: org/small:free
    base_url: https://example.com/v1
    key_env: MY_KEY
    prices: {input: 0.25, cached: 0.025, output: 2}
    timeouts: {idle: 0.5}
    headers: {X-Title: 'a \"b\" # c'}
  \"no\": {kind: anthropic, model: large, key_env: OTHER_KEY}
  local: {kind: openai, model: m, base_url: 'http://127.0.0.1:1', key_env: none, context: 9000}
seats: {reviewer: fast, dimensions: {DEV: \"no\"}}
caps: {cost: 2.5}
";

    fn variables() -> Variables {
        Variables::of(|name| match name {
            "MY_KEY" => Some(CANARY.to_owned()),
            "TAMIS_LANG" => Some("vi".to_owned()),
            _ => None,
        })
    }

    fn read(text: &str) -> Settings {
        let flags = Flags { max_tokens: Some("1000"), ..Flags::default() };
        Settings::of("config.yaml", text, Path::new("/c/config.yaml"), &variables(), &flags).expect("reads")
    }

    #[test]
    fn every_value_is_shown_with_its_origin_and_no_key() {
        let page = shown(&read(FILE), &variables(), true);
        assert!(!page.contains(CANARY), "{page}");
        insta::assert_snapshot!(page);
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same() {
        let page = shown(&read(FILE), &variables(), false);
        assert!(
            !page.contains(CANARY) && page.contains("key_env: MY_KEY  # set\n") && page.contains("OTHER_KEY  # not set\n"),
            "{page}"
        );
        assert_eq!(shown(&read(&page), &variables(), false), page);
        let bare = shown(&read(""), &variables(), false);
        assert_eq!(shown(&read(&bare), &variables(), false), bare);
    }
}
