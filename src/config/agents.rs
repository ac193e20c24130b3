//! Who is asked: the word of `--agent` and of the seats, read into servers with their keys.

use super::base_url::{self, is_loopback};
use super::keys::KeySource;
use super::origin::Origin;
use super::presets;
use super::programs::{Format, Program};
use super::roster::{Api, Endpoint, Rung, Timeouts};
use super::secrets::{Redactor, usual_keys};
use super::settings::{Entry, Setting, Settings, at};
use super::settings_file::{is_model, short};
use super::variables::Variables;
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::path::PathBuf;
use url::Url;

/// What else a word can be, for hints.
const KINDS: &str = "offline, script:FILE, replay:DIR, command:NAME, acp:COMMAND, paste, openai:MODEL[@BASE_URL] and anthropic:MODEL[@BASE_URL] work too";

/// Somebody who can be asked.
#[derive(Clone, Debug)]
pub enum AgentSpec {
    /// The rules of the program.
    Offline,
    /// A file of answers.
    Script(PathBuf),
    /// A folder of recordings.
    Replay(PathBuf),
    /// A model at a server.
    Endpoint(Box<Endpoint>),
    /// A program on this machine.
    Program(Box<Program>),
    /// A person who carries questions to a chat and answers back.
    Paste,
}

impl AgentSpec {
    /// The server and the model, where it is one.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            AgentSpec::Endpoint(endpoint) => Some(endpoint),
            _ => None,
        }
    }

    /// Whether a model speaks: at a server, or through a program.
    pub fn is_model(&self) -> bool {
        self.endpoint().is_some() || self.program().is_some() || matches!(self, AgentSpec::Paste)
    }

    /// The program, where it is one.
    pub fn program(&self) -> Option<&Program> {
        match self {
            AgentSpec::Program(program) => Some(program),
            _ => None,
        }
    }
}

/// Who sits where.
#[derive(Clone, Debug)]
pub struct Seats {
    /// Reviews every dimension without a seat of its own.
    pub reviewer: AgentSpec,
    /// Dimensions with a seat of their own.
    pub dimensions: BTreeMap<String, AgentSpec>,
    /// Looks for what was missed.
    pub critic: AgentSpec,
    /// Says whether two findings are one; `None` where nobody does, and both stay.
    pub arbiter: Option<AgentSpec>,
    /// Whether the offline rules review beside the models.
    pub floor: bool,
    /// Reviewers for each dimension and bucket; `None` where the settings say nothing.
    pub replicas: Option<u32>,
}

impl Seats {
    /// Every seat with its name: `reviewer`, the dimensions, `critic`, `arbiter`.
    pub fn named(&self) -> Vec<(&str, &AgentSpec)> {
        let mut seats = vec![("reviewer", &self.reviewer)];
        seats.extend(self.dimensions.iter().map(|(name, spec)| (name.as_str(), spec)));
        seats.push(("critic", &self.critic));
        seats.extend(self.arbiter.as_ref().map(|spec| ("arbiter", spec)));
        seats
    }

    /// Knows every key in force, and those that usually are.
    pub fn redactor(&self, variables: &Variables) -> Redactor {
        let seats = self.named();
        let keys = seats.iter().filter_map(|(_, spec)| spec.endpoint()?.key.as_ref());
        let usual = usual_keys(variables);
        Redactor::new(keys.chain(&usual))
    }
}

/// Seats that are one model at one server, each with the first that is: what they say does not count twice.
pub fn same_model(seats: &Seats) -> Vec<(String, String)> {
    let mut first: Vec<(&str, String, &str)> = Vec::new();
    let mut pairs = Vec::new();
    for (name, spec) in seats.named() {
        let Some(endpoint) = spec.endpoint() else { continue };
        let (server, model) = (endpoint.server(), endpoint.model.as_str());
        match first.iter().find(|(_, other, same)| *other == server && *same == model) {
            Some((earlier, ..)) => pairs.push(((*earlier).to_owned(), name.to_owned())),
            None => first.push((name, server, model)),
        }
    }
    pairs
}

/// A seat, as far as words mean something else in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    /// Reviews.
    Reviewer,
    /// Looks for what was missed.
    Critic,
    /// Compares; may be nobody.
    Arbiter,
}

/// Whether whoever takes a seat needs the key of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Servers are asked: a missing key is said at once.
    Needed,
    /// Nothing is sent, as where a review is only estimated: a key that is missing or cannot be read is `None`.
    NotNeeded,
}

/// What is wrong, and what to do.
type Wrong = (String, String);

/// A word, read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word<'a> {
    Offline,
    Paste,
    Script(&'a str),
    Replay(&'a str),
    Command(&'a str),
    Acp(&'a str),
    Endpoint { api: Api, model: &'a str, base_url: Option<&'a str> },
    Name(&'a str),
}

/// Reads a word: the kind ends at the first `:`, the base URL begins at the last `@http`; a model's name may hold `:`, `/`
/// and `@`.
fn read(word: &str) -> Result<Word<'_>, Wrong> {
    if word == "offline" {
        return Ok(Word::Offline);
    }
    if word == "paste" {
        return Ok(Word::Paste);
    }
    let Some((kind, rest)) = word.split_once(':') else { return Ok(Word::Name(word)) };
    let named = |what: &str| match rest.is_empty() {
        true => Err((format!("`{kind}:` names no {what}"), format!("write `{kind}:{}`", what.to_uppercase()))),
        false => Ok(rest),
    };
    let api = match kind {
        "script" => return Ok(Word::Script(named("file")?)),
        "replay" => return Ok(Word::Replay(named("folder")?)),
        "command" => return Ok(Word::Command(named("program")?)),
        "acp" => return Ok(Word::Acp(named("command")?)),
        "openai" => Api::OpenAi,
        "anthropic" => Api::Anthropic,
        _ => {
            let hint = what_there_is(kind, ["offline", "paste", "script", "replay", "command", "acp", "openai", "anthropic"]);
            return Err((format!("there is no kind of agent `{}`", short(kind)), hint));
        }
    };
    // Small letters take as many bytes: the place is the same in the word itself.
    let (model, base_url) = match rest.to_ascii_lowercase().rfind("@http") {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    if let Some((model, host)) = rest.rsplit_once('@').filter(|(_, tail)| base_url.is_none() && is_host(tail)) {
        let what = format!("`{}` is an address without `http://` or `https://`", short(host));
        return Err((what, format!("did you mean `{}`?", short(&format!("{kind}:{model}@http://{host}")))));
    }
    is_model(model).map_err(|(what, hint)| (what, format!("{hint}: `{kind}:MODEL` or `{kind}:MODEL@BASE_URL`")))?;
    Ok(Word::Endpoint { api, model, base_url })
}

/// Whether what follows an `@` is a server, not a part of a model's name: this machine, an address of four numbers or in
/// brackets, a host with a port, or a host's name with a path. Versions (`@20240229`, `@v2`, `@v1:0`, `@sha256:…`) are none.
fn is_host(text: &str) -> bool {
    let (authority, path) = text.split_once('/').map_or((text, None), |(authority, path)| (authority, Some(path)));
    let (host, port) = authority.rsplit_once(':').map_or((authority, ""), |(host, port)| (host, port));
    let is_port = (2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    let labels = |text: &str| text.contains('.') && text.split('.').all(|label| !label.is_empty());
    let is_domain = |text: &str| labels(text) && text.rsplit('.').next().is_some_and(|last| last.parse::<u32>().is_err());
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok()
        || text.starts_with('[')
        || (is_port && !host.is_empty())
        || (path.is_some() && is_domain(host))
}

/// Checks a word of the settings file as far as the file goes: keys are looked for where the seat is taken.
pub(super) fn check_seat_word(word: &str, seat: Seat, known: (&[Entry], &[Program])) -> Result<(), Wrong> {
    if word == "none" {
        return match seat {
            Seat::Arbiter => Ok(()),
            Seat::Reviewer | Seat::Critic => Err(("only the arbiter can be `none`".to_owned(), "name an agent".to_owned())),
        };
    }
    if let Word::Script(_) | Word::Replay(_) = read(word)? {
        let what = format!("`{}` has no seat in the settings", short(word));
        return Err((what, "give scripts and recordings with --agent".to_owned()));
    }
    resolve(word, known).map(|_| ())
}

/// Whom a word means, without a key.
enum Meant {
    Offline,
    Paste,
    Script(PathBuf),
    Replay(PathBuf),
    Program(Box<Program>),
    Entry(Box<Entry>),
}

fn resolve(word: &str, known: (&[Entry], &[Program])) -> Result<Meant, Wrong> {
    let (roster, programs) = known;
    Ok(match read(word)? {
        Word::Offline => Meant::Offline,
        Word::Paste => Meant::Paste,
        Word::Script(path) => Meant::Script(PathBuf::from(path)),
        Word::Replay(path) => Meant::Replay(PathBuf::from(path)),
        Word::Command(name) => {
            let own = programs.iter().find(|program| program.name == word).cloned();
            match own.or_else(|| presets::find(name)) {
                Some(program) => Meant::Program(Box::new(program)),
                None => {
                    let own = programs.iter().filter_map(|program| program.name.strip_prefix("command:"));
                    let names: Vec<&str> = own.chain(presets::names().map(|name: &str| name)).collect();
                    let hint = format!(
                        "{}; describe one of your own under `programs` in your config.yaml",
                        what_there_is(name, names.iter().copied())
                    );
                    return Err((format!("there is no program `{}`", short(name)), hint));
                }
            }
        }
        Word::Acp(line) => {
            let own = programs.iter().find(|program| program.name.strip_prefix("command:") == Some(line));
            match own {
                Some(program) => {
                    Meant::Program(Box::new(Program { name: word.to_owned(), format: Format::Acp, ..program.clone() }))
                }
                None => match shlex::split(line).filter(|words| !words.is_empty()) {
                    Some(words) => Meant::Program(Box::new(presets::acp(word, words))),
                    None => {
                        let hint = "close the quotation mark: acp:'my-agent --acp'; no shell reads it".to_owned();
                        return Err((format!("`{}` is no command", short(line)), hint));
                    }
                },
            }
        }
        Word::Name(name) => match roster.iter().find(|entry| entry.name.value == name) {
            Some(entry) => Meant::Entry(Box::new(entry.clone())),
            None => {
                let names = roster.iter().map(|entry| entry.name.value.as_str()).chain(["offline"]);
                return Err((format!("there is no agent `{}`", short(name)), format!("{}; {KINDS}", what_there_is(name, names))));
            }
        },
        Word::Endpoint { api, model, base_url } => {
            let url = base_url::check(base_url.unwrap_or(api.default_base_url()), api);
            let url = url.map_err(|(what, hint)| (what.to_owned(), hint.to_owned()))?;
            let spelled = base_url::spelled(&url);
            let same = |entry: &&Entry| entry.api.value == api && entry.model.value == model && entry.base_url.value == spelled;
            match roster.iter().find(same) {
                Some(entry) => Meant::Entry(Box::new(entry.clone())),
                None => Meant::Entry(Box::new(unlisted(api, model, spelled))),
            }
        }
    })
}

/// A model that no entry of the roster describes.
fn unlisted(api: Api, model: &str, base_url: String) -> Entry {
    let timeouts = Timeouts::default();
    Entry {
        name: Setting::default_of(model.to_owned()),
        api: Setting::default_of(api),
        model: Setting::default_of(model.to_owned()),
        base_url: Setting::default_of(base_url),
        key: Setting::default_of(KeySource::Variable(api.default_key_env().to_owned())),
        allow_http: Setting::default_of(false),
        max_output: Setting::default_of(Entry::MAX_OUTPUT),
        max_findings: Setting::default_of(Entry::MAX_FINDINGS),
        max_text: Setting::default_of(Entry::MAX_TEXT),
        context: Setting::default_of(None),
        concurrency: Setting::default_of(Entry::CONCURRENCY),
        prices: Setting::default_of(None),
        connect: Setting::default_of(timeouts.connect),
        first_byte: Setting::default_of(timeouts.first_byte),
        idle: Setting::default_of(timeouts.idle),
        total: Setting::default_of(timeouts.total),
        headers: Vec::new(),
        stream: Setting::default_of(true),
        shape: Setting::default_of(Rung::Schema),
        warm_cache: Setting::default_of(false),
    }
}

/// The entry with its key. A server on this machine may go without, unless its entry names where the key stands.
fn endpoint(entry: Entry, word: &str, variables: &Variables, keys: Keys) -> Result<Endpoint, Wrong> {
    let loopback = Url::parse(&entry.base_url.value).is_ok_and(|url| is_loopback(&url));
    let key: Option<SecretString> = match keys {
        Keys::Needed => entry.key.value.read(variables)?,
        Keys::NotNeeded => entry.key.value.read(variables).unwrap_or_default(),
    };
    let named = entry.key.origin != Origin::Default;
    if keys == Keys::Needed && key.is_none() && entry.key.value != KeySource::None && (!loopback || named) {
        let what = format!("no key for `{}`: {} is not set", short(word), entry.key.value);
        let hint = "set it; or name another variable with `key_env`, a file with `key_file`, or `key_env: none` for a server \
                    without keys, under `agents` in your config.yaml (`tamis config path`)";
        return Err((what, hint.to_owned()));
    }
    // An entry of the roster is checked where it is read; a word of the command line is checked here.
    if key.is_some() && !loopback && !entry.allow_http.value && entry.base_url.value.starts_with("http:") {
        let hint = "use https; or, in a network you trust, name the server under `agents` in your config.yaml with \
                    `allow_http: true` (`tamis config path`)";
        return Err((format!("`{}`: the key would go over the network unencrypted (http)", short(word)), hint.to_owned()));
    }
    Ok(Endpoint {
        name: word.to_owned(),
        api: entry.api.value,
        model: entry.model.value,
        base_url: entry.base_url.value,
        key,
        key_from: entry.key.value.to_string(),
        headers: entry.headers.into_iter().map(|(name, value)| (name, value.value)).collect(),
        max_output: entry.max_output.value,
        max_findings: entry.max_findings.value,
        max_text: entry.max_text.value,
        context: entry.context.value,
        concurrency: entry.concurrency.value,
        prices: entry.prices.value,
        timeouts: Timeouts {
            connect: entry.connect.value,
            first_byte: entry.first_byte.value,
            idle: entry.idle.value,
            total: entry.total.value,
        },
        stream: entry.stream.value,
        shape: entry.shape.value,
        warm_cache: entry.warm_cache.value,
    })
}

impl Settings {
    /// Whom a word means.
    ///
    /// # Errors
    /// A usage fault: no such agent or kind (with the nearest one), a bad address, a key that is missing or would be seen by
    /// others.
    pub fn agent(&self, word: &str, variables: &Variables) -> Result<AgentSpec, Fault> {
        self.spec(word, variables, Keys::Needed).map_err(|(what, hint)| Redactor::default().fault(&Fault::usage(what, hint)))
    }

    fn spec(&self, word: &str, variables: &Variables, keys: Keys) -> Result<AgentSpec, Wrong> {
        // A key in the place of a name would be shown, sent and recorded.
        if !Redactor::new(&usual_keys(variables)).is_clean(word) {
            let what = "a key stands where the name of an agent belongs".to_owned();
            return Err((what, "put the key in a variable, and name the model".to_owned()));
        }
        Ok(match resolve(word, (&self.roster, &self.programs))? {
            Meant::Offline => AgentSpec::Offline,
            Meant::Paste => AgentSpec::Paste,
            Meant::Script(path) => AgentSpec::Script(path),
            Meant::Replay(path) => AgentSpec::Replay(path),
            Meant::Program(program) => AgentSpec::Program(program),
            Meant::Entry(entry) => AgentSpec::Endpoint(Box::new(endpoint(*entry, word, variables, keys)?)),
        })
    }

    /// Who sits where, with the keys that are there.
    ///
    /// # Errors
    /// As for [`Settings::agent`], with the flag, the variable or the line that named it; a missing key only where keys are
    /// needed.
    pub fn take_seats(&self, variables: &Variables, keys: Keys) -> Result<Seats, Fault> {
        let seat = |word: &Setting<String>| {
            let spec = self.spec(&word.value, variables, keys);
            spec.map_err(|(what, hint)| Redactor::default().fault(&at(&word.origin, &what, &hint)))
        };
        let words = &self.seats;
        // Where a seat follows the reviewer, what is wrong with the reviewer is said where that stands.
        let reviewer = seat(&words.reviewer)?;
        let dimensions = words.dimensions.iter().map(|(name, word)| Ok((name.clone(), seat(word)?)));
        let arbiter = match words.arbiter.value.as_str() {
            "none" => None,
            // The offline rules compare nothing: both findings stay.
            _ => Some(seat(&words.arbiter)?).filter(|spec| !matches!(spec, AgentSpec::Offline)),
        };
        Ok(Seats {
            reviewer,
            dimensions: dimensions.collect::<Result<_, Fault>>()?,
            critic: seat(&words.critic)?,
            arbiter,
            floor: words.floor.value,
            replicas: words.replicas.value,
        })
    }
}

#[cfg(test)]
#[path = "agents_tests.rs"]
mod tests;
