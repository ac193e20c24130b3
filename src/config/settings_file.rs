//! The user's `config.yaml`: its shape, and every mistake in it with its line and what there is instead.

use super::base_url::{self, is_loopback};
use super::headers;
use super::keys::{KeySource, is_variable_name};
use super::money::{self, Rounding};
use super::origin::Origin;
use super::programs_file::ProgramFile;
use super::roster::{Api, Prices, Rung, Timeouts};
use super::settings::{Entry, Setting};
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use crate::model::yaml::Source;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::{Location, Spanned};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::time::Duration;

/// Format of the file.
pub const SCHEMA: &str = "tamis.config/1";
/// Words that name a reviewer by themselves.
pub const RESERVED: [&str; 10] =
    ["offline", "none", "script", "replay", "openai", "anthropic", "human", "command", "acp", "paste"];
/// Characters of a name in the roster at most.
const MAX_NAME: usize = 64;
/// Characters of a model's name at most.
const MAX_MODEL: usize = 256;
/// Seconds that anything may take at most: a day.
const MAX_SECONDS: u64 = 86_400;
/// Keys under which people would write the key itself.
const KEY_KEYS: [&str; 8] = ["key", "api_key", "apikey", "secret", "token", "password", "api_token", "auth"];

pub(super) type Text = Option<Spanned<String>>;

/// A map in the order in which it is written, with the places of its keys.
pub(super) struct Named<T>(pub Vec<(Spanned<String>, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    schema: Text,
    #[serde(default)]
    pub agents: Option<Named<AgentFile>>,
    #[serde(default)]
    pub programs: Option<Named<ProgramFile>>,
    #[serde(default)]
    pub seats: Option<SeatsFile>,
    #[serde(default)]
    pub caps: Option<CapsFile>,
    #[serde(default)]
    pub theme: Text,
    #[serde(default)]
    pub lang: Text,
}

/// An entry of the roster.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentFile {
    #[serde(default)]
    kind: Text,
    #[serde(default)]
    model: Text,
    #[serde(default)]
    base_url: Text,
    #[serde(default)]
    key_env: Text,
    #[serde(default)]
    key_file: Text,
    #[serde(default)]
    max_output: Text,
    #[serde(default)]
    max_findings: Text,
    #[serde(default)]
    max_text: Text,
    #[serde(default)]
    context: Text,
    #[serde(default)]
    concurrency: Text,
    #[serde(default)]
    prices: Option<Spanned<PricesFile>>,
    #[serde(default)]
    timeouts: Option<TimeoutsFile>,
    #[serde(default)]
    headers: Option<Named<Spanned<String>>>,
    #[serde(default)]
    stream: Option<Spanned<bool>>,
    #[serde(default)]
    shape: Text,
    #[serde(default)]
    warm_cache: Option<Spanned<bool>>,
    #[serde(default)]
    allow_http: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesFile {
    #[serde(default)]
    currency: Text,
    #[serde(default)]
    input: Text,
    #[serde(default)]
    cached: Text,
    #[serde(default)]
    cache_write: Text,
    #[serde(default)]
    output: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeoutsFile {
    #[serde(default)]
    connect: Text,
    #[serde(default)]
    first_byte: Text,
    #[serde(default)]
    idle: Text,
    #[serde(default)]
    total: Text,
}

/// Who sits where.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatsFile {
    #[serde(default)]
    pub reviewer: Text,
    #[serde(default)]
    pub dimensions: Option<Named<Spanned<String>>>,
    #[serde(default)]
    pub critic: Text,
    #[serde(default)]
    pub arbiter: Text,
    #[serde(default)]
    pub replicas: Text,
    #[serde(default)]
    pub floor: Option<Spanned<bool>>,
}

/// Limits of a run.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CapsFile {
    #[serde(default)]
    pub tokens: Text,
    #[serde(default)]
    pub cost: Text,
    #[serde(default)]
    pub minutes: Text,
}

/// The names of a file's keys, for what must not be among them.
#[derive(Default)]
struct Keys(Vec<(Spanned<String>, Keys)>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keys, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    keys.push(entry);
                }
                Ok(Keys(keys))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Keys, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Keys::default())
            }

            fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_i128<E>(self, _: i128) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_u128<E>(self, _: u128) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
                Ok(Keys::default())
            }

            fn visit_unit<E>(self) -> Result<Keys, E> {
                Ok(Keys::default())
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// The file's text and path, and reading single values of it.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    source: Source<'a>,
    path: &'a Path,
}

impl<'a> Reader<'a> {
    /// Of a text; `name` stands in messages.
    pub fn new(name: &'a str, text: &'a str, path: &'a Path) -> Reader<'a> {
        Reader { source: Source::config(name, text), path }
    }

    /// The whole file, its keys known.
    pub fn read(&self) -> Result<File, Fault> {
        let file: Option<File> = self.read_as()?;
        let Some(file) = file else {
            return Ok(File { schema: None, agents: None, programs: None, seats: None, caps: None, theme: None, lang: None });
        };
        self.check_schema(&file.schema, SCHEMA)?;
        Ok(file)
    }

    /// A file of any shape that holds no key; `None` where nothing stands in it.
    pub fn read_as<T: serde::de::DeserializeOwned>(&self) -> Result<Option<T>, Fault> {
        if let Ok(keys) = self.source.read::<Keys>() {
            self.refuse_keys(&keys)?;
        }
        self.source.read()
    }

    /// The line of each key of the file itself, from 1.
    pub fn key_lines(&self) -> Vec<(String, u64)> {
        let keys = self.source.read::<Keys>().unwrap_or_default();
        keys.0.into_iter().map(|(name, _)| (name.value, name.referenced.line())).collect()
    }

    /// The format that a file names is the one that is read here.
    pub fn check_schema(&self, named: &Text, schema: &str) -> Result<(), Fault> {
        match named.as_ref().filter(|named| named.value != schema) {
            None => Ok(()),
            Some(named) => {
                let what = format!("the format is `{}`, this version reads `{schema}`", short(&named.value));
                Err(self.fault(named.referenced, what, format!("write `schema: {schema}`")))
            }
        }
    }

    /// No key ever stands in the file: what is in it is copied, shown and backed up.
    fn refuse_keys(&self, keys: &Keys) -> Result<(), Fault> {
        let agents = keys.0.iter().filter(|(name, _)| name.value == "agents");
        let entries = agents.flat_map(|(_, agents)| agents.0.iter().flat_map(|(_, entry)| entry.0.iter()));
        let mut all = keys.0.iter().chain(entries);
        let is_key = |name: &str| KEY_KEYS.contains(&name.to_ascii_lowercase().replace('-', "_").as_str());
        match all.find(|(name, _)| is_key(&name.value)) {
            None => Ok(()),
            Some((name, _)) => {
                let hint = "put the key into a variable and name it with `key_env: NAME`, or into a file that is yours alone and \
                            name it with `key_file: /path`; if it was a real one, take it back: it may have been copied";
                let what = format!("`{}`: a key does not stand in this file", name.value);
                Err(self.fault(name.referenced, what, hint))
            }
        }
    }

    /// A fault at a place of the file.
    pub fn fault(&self, at: Location, what: impl fmt::Display, hint: impl Into<String>) -> Fault {
        self.source.fault(at, what, hint)
    }

    fn origin(&self, at: Location) -> Origin {
        Origin::Line(self.path.to_owned(), at.line())
    }

    /// A value with its line.
    pub fn setting<T>(&self, at: Location, value: T) -> Setting<T> {
        Setting { value, origin: self.origin(at) }
    }

    /// A text as it is.
    pub fn text(&self, text: Spanned<String>) -> Setting<String> {
        self.setting(text.referenced, text.value)
    }

    /// A whole number between two others.
    pub fn whole(&self, name: &str, text: Text, least: u64, most: u64) -> Result<Option<Setting<u64>>, Fault> {
        let Some(text) = text else { return Ok(None) };
        let value = whole(&text.value, least, most)
            .map_err(|(why, hint)| self.fault(text.referenced, format!("`{name}` {why}: `{}`", short(&text.value)), hint))?;
        Ok(Some(self.setting(text.referenced, value)))
    }

    fn amount(&self, name: &str, text: &Spanned<String>) -> Result<u64, Fault> {
        money::price(&text.value).map_err(|why| {
            let what = format!("the price `{name}` {why}: `{}`", short(&text.value));
            self.fault(text.referenced, what, "write what a million tokens cost, as 0.25")
        })
    }

    pub fn seconds(&self, name: &str, text: Text, default: Duration) -> Result<Setting<Duration>, Fault> {
        let Some(text) = text else { return Ok(Setting::default_of(default)) };
        let hint = format!("write seconds, above 0, at most {MAX_SECONDS}");
        let refused = |why: &str| self.fault(text.referenced, format!("`{name}` {why}: `{}`", short(&text.value)), hint.clone());
        let millis = money::decimal(&text.value, 3, Rounding::Down).map_err(refused)?;
        match millis {
            0 => Err(refused("is no time at all")),
            millis if millis > MAX_SECONDS * 1000 => Err(refused("is beyond all reason")),
            millis => Ok(self.setting(text.referenced, Duration::from_millis(millis))),
        }
    }

    fn flag(&self, given: Option<Spanned<bool>>, default: bool) -> Setting<bool> {
        given.map_or(Setting::default_of(default), |given| self.setting(given.referenced, given.value))
    }

    fn prices(&self, agent: &str, given: Option<Spanned<PricesFile>>) -> Result<Setting<Option<Prices>>, Fault> {
        let Some(given) = given else { return Ok(Setting::default_of(None)) };
        let at = given.referenced;
        let PricesFile { currency, input, cached, cache_write, output } = given.value;
        let missing = |name: &str| {
            let what = format!("the prices of `{agent}` say nothing of `{name}`");
            self.fault(at, what, format!("add `{name}:`, what a million tokens cost; 0 where they cost nothing"))
        };
        let input = self.amount("input", &input.ok_or_else(|| missing("input"))?)?;
        let output = self.amount("output", &output.ok_or_else(|| missing("output"))?)?;
        let or_input = |name: &str, text: Text| text.map_or(Ok(input), |text| self.amount(name, &text));
        let prices = Prices {
            currency: match currency {
                Some(text) if text.value.len() == 3 && text.value.bytes().all(|byte| byte.is_ascii_uppercase()) => text.value,
                Some(text) => {
                    let what = format!("no currency: `{}`", short(&text.value));
                    return Err(self.fault(text.referenced, what, "write its three capital letters, as USD, EUR, VND, CNY"));
                }
                None => "USD".to_owned(),
            },
            input,
            cached: or_input("cached", cached)?,
            cache_write: or_input("cache_write", cache_write)?,
            output,
        };
        Ok(self.setting(at, Some(prices)))
    }

    fn key(&self, agent: &str, api: Api, env: Text, file: Text) -> Result<Setting<KeySource>, Fault> {
        match (env, file) {
            (Some(env), Some(file)) => {
                let what = format!("`{agent}` has a `key_env` and a `key_file`, in line {}", env.referenced.line());
                Err(self.fault(file.referenced, what, "keep one of them"))
            }
            (Some(env), None) if env.value == "none" => Ok(self.setting(env.referenced, KeySource::None)),
            (Some(env), None) if is_variable_name(&env.value) => Ok(self.setting(env.referenced, KeySource::Variable(env.value))),
            // The value is not repeated: it may be the key itself.
            (Some(env), None) => {
                let hint = "write the name of a variable: capital letters, digits and `_`, as OPENAI_API_KEY; or `none`";
                Err(self.fault(env.referenced, "`key_env` holds no name of a variable", hint))
            }
            (None, Some(file)) if file.value.trim().is_empty() || file.value.starts_with('~') => {
                let what =
                    if file.value.trim().is_empty() { "`key_file` names no file" } else { "`~` is not read in `key_file`" };
                Err(self.fault(file.referenced, what, "write the whole path, as /home/me/.config/tamis/openai.key"))
            }
            (None, Some(file)) => {
                let folder = self.path.parent().unwrap_or(Path::new(""));
                Ok(self.setting(file.referenced, KeySource::File(folder.join(file.value))))
            }
            (None, None) => Ok(Setting::default_of(KeySource::Variable(api.default_key_env().to_owned()))),
        }
    }

    /// The name of an agent or a program.
    pub(super) fn check_name(&self, name: &Spanned<String>) -> Result<(), Fault> {
        let at = name.referenced;
        let agent = name.value.as_str();
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if agent.is_empty() || agent.chars().count() > MAX_NAME || !agent.chars().all(fine) {
            let hint = format!("use letters, digits, `-`, `_` and `.`, at most {MAX_NAME} of them");
            return Err(self.fault(at, format!("no name for an agent: `{}`", short(agent)), hint));
        }
        if RESERVED.iter().any(|word| agent.eq_ignore_ascii_case(word)) {
            return Err(self.fault(at, format!("`{agent}` has a meaning of its own"), "choose another name for this agent"));
        }
        Ok(())
    }

    /// An entry of the roster.
    pub fn entry(&self, name: &Spanned<String>, given: AgentFile) -> Result<Entry, Fault> {
        let at = name.referenced;
        let agent = name.value.as_str();
        self.check_name(name)?;
        let missing = |key: &str, hint: &str| self.fault(at, format!("the agent `{agent}` has no `{key}`"), hint);
        let kind = given.kind.ok_or_else(|| missing("kind", "add `kind: openai` or `kind: anthropic`"))?;
        let api = [Api::OpenAi, Api::Anthropic].into_iter().find(|api| api.word() == kind.value).ok_or_else(|| {
            let hint = what_there_is(&kind.value, ["openai", "anthropic"]);
            self.fault(kind.referenced, format!("unknown kind `{}`", short(&kind.value)), hint)
        })?;
        let model = given.model.ok_or_else(|| missing("model", "add `model:`, as the server calls it"))?;
        is_model(&model.value).map_err(|(what, hint)| self.fault(model.referenced, what, hint))?;
        let (url_at, base_url) = match given.base_url {
            Some(text) => (text.referenced, self.text(text)),
            None => (at, Setting::default_of(api.default_base_url().to_owned())),
        };
        let url = base_url::check(&base_url.value, api).map_err(|(what, hint)| self.fault(url_at, what, hint))?;
        let key = self.key(agent, api, given.key_env, given.key_file)?;
        let allow_http = self.flag(given.allow_http, false);
        if url.scheme() == "http" && !is_loopback(&url) && key.value != KeySource::None && !allow_http.value {
            let hint = "use https; or `key_env: none` for a server without a key; or, in a network you trust, `allow_http: true`";
            return Err(self.fault(url_at, "the key would go over the network unencrypted (http)", hint));
        }
        let max_output = match self.whole("max_output", given.max_output, 1, 10_000_000)? {
            Some(Setting { value, origin }) => Setting { value: u32::try_from(value).unwrap_or(u32::MAX), origin },
            None => Setting::default_of(Entry::MAX_OUTPUT),
        };
        let count = |name, text, most: usize, default| match self.whole(name, text, 1, most as u64)? {
            Some(Setting { value, origin }) => Ok(Setting { value: usize::try_from(value).unwrap_or(most), origin }),
            None => Ok::<_, Fault>(Setting::default_of(default)),
        };
        let max_findings = count("max_findings", given.max_findings, Entry::MAX_FINDINGS, Entry::MAX_FINDINGS)?;
        let max_text = count("max_text", given.max_text, Entry::MAX_TEXT, Entry::MAX_TEXT)?;
        let context_at = given.context.as_ref().map_or(at, |context| context.referenced);
        let context = match self.whole("context", given.context, 1, 1_000_000_000)? {
            Some(Setting { value, .. }) if value <= u64::from(max_output.value) => {
                let what = format!(
                    "an answer of {} tokens (`max_output`) leaves no room for a question in a `context` of {value}",
                    max_output.value
                );
                return Err(self.fault(context_at, what, "make `max_output` smaller, or correct `context`"));
            }
            Some(Setting { value, origin }) => Setting { value: Some(value), origin },
            None => Setting::default_of(None),
        };
        let concurrency = match self.whole("concurrency", given.concurrency, 1, 1000)? {
            Some(Setting { value, origin }) => Setting { value: usize::try_from(value).unwrap_or(usize::MAX), origin },
            None => Setting::default_of(Entry::CONCURRENCY),
        };
        let shape = match given.shape {
            None => Setting::default_of(Rung::Schema),
            Some(text) => {
                let rungs = [Rung::Schema, Rung::Object, Rung::Prompt];
                let rung = rungs.into_iter().find(|rung| rung.word() == text.value).ok_or_else(|| {
                    let hint = what_there_is(&text.value, rungs.iter().map(|rung| rung.word()));
                    self.fault(text.referenced, format!("unknown shape `{}`", short(&text.value)), hint)
                })?;
                self.setting(text.referenced, rung)
            }
        };
        let default = Timeouts::default();
        let timeouts = given.timeouts.unwrap_or(TimeoutsFile { connect: None, first_byte: None, idle: None, total: None });
        Ok(Entry {
            name: self.setting(at, agent.to_owned()),
            api: self.setting(kind.referenced, api),
            model: self.text(model),
            base_url: Setting { value: base_url::spelled(&url), origin: base_url.origin },
            key,
            allow_http,
            max_output,
            max_findings,
            max_text,
            context,
            concurrency,
            prices: self.prices(agent, given.prices)?,
            connect: self.seconds("connect", timeouts.connect, default.connect)?,
            first_byte: self.seconds("first_byte", timeouts.first_byte, default.first_byte)?,
            idle: self.seconds("idle", timeouts.idle, default.idle)?,
            total: self.seconds("total", timeouts.total, default.total)?,
            headers: self.headers(given.headers)?,
            stream: self.flag(given.stream, true),
            shape,
            warm_cache: self.flag(given.warm_cache, false),
        })
    }

    fn headers(&self, given: Option<Named<Spanned<String>>>) -> Result<Vec<(String, Setting<String>)>, Fault> {
        let mut headers: Vec<(String, Setting<String>)> = Vec::new();
        for (name, value) in given.map_or(Vec::new(), |given| given.0) {
            headers::check(&name.value, &value.value, headers.iter().map(|(earlier, _)| earlier.as_str()))
                .map_err(|(what, hint)| self.fault(name.referenced, what, hint))?;
            headers.push((name.value, self.text(value)));
        }
        Ok(headers)
    }
}

/// Whether a text can be the name of a model.
pub(super) fn is_model(model: &str) -> Result<(), (String, &'static str)> {
    if model.is_empty() {
        return Err(("the model has no name".to_owned(), "write it as the server calls it"));
    }
    if model.chars().count() > MAX_MODEL || model.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err((format!("no name of a model: `{}`", short(model)), "write it as the server calls it, without blanks"));
    }
    if model.contains("://") || model.ends_with(['@', ':']) {
        let hint = "write KIND:MODEL@http://… or KIND:MODEL@https://…";
        return Err((format!("no name of a model: `{}`", short(model)), hint));
    }
    Ok(())
}

/// Reads a whole number between two others.
pub(super) fn whole(text: &str, least: u64, most: u64) -> Result<u64, (&'static str, String)> {
    let hint = || format!("write a number from {least} to {most}");
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(("is no whole number", hint()));
    }
    match text.parse::<u64>() {
        Ok(value) if value < least => Err(("is too small", hint())),
        Ok(value) if value <= most => Ok(value),
        _ => Err(("is too large", hint())),
    }
}

/// The beginning of a text, for messages.
pub(super) fn short(text: &str) -> String {
    const CHARS: usize = 80;
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
