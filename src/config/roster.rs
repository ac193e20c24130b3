//! Who reviews: servers, models, limits and prices, as the command line, the environment and the user's settings say.

pub use crate::model::prices::Prices;
use secrecy::SecretString;
use std::fmt;
use std::time::Duration;

/// The wire format that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// Chat completions, as OpenAI and many others serve them: `BASE_URL/chat/completions`.
    OpenAi,
    /// Messages, as Anthropic and some others serve them: `BASE_URL/v1/messages`.
    Anthropic,
}

impl Api {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Api::OpenAi => "openai",
            Api::Anthropic => "anthropic",
        }
    }

    /// What stands behind a base URL.
    pub fn path(self) -> &'static str {
        match self {
            Api::OpenAi => "/chat/completions",
            Api::Anthropic => "/v1/messages",
        }
    }

    /// Where the provider of this name serves it.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Api::OpenAi => "https://api.openai.com/v1",
            Api::Anthropic => "https://api.anthropic.com",
        }
    }

    /// Where its key is looked for unless the settings name another variable.
    pub fn default_key_env(self) -> &'static str {
        match self {
            Api::OpenAi => "OPENAI_API_KEY",
            Api::Anthropic => "ANTHROPIC_API_KEY",
        }
    }
}

/// How the shape of an answer is asked for, from the strictest down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// The server holds the model to a schema, with limits on lists and texts.
    Schema,
    /// The same schema without `maxItems` and `maxLength`, which some servers refuse.
    SchemaWithoutLimits,
    /// The server promises JSON; the schema stands in the prompt.
    Object,
    /// The prompt alone asks for it.
    Prompt,
}

impl Rung {
    /// The word in settings and records.
    pub fn word(self) -> &'static str {
        match self {
            Rung::Schema => "json_schema",
            Rung::SchemaWithoutLimits => "json_schema_without_limits",
            Rung::Object => "json_object",
            Rung::Prompt => "prompt",
        }
    }

    /// The next one down.
    pub fn below(self) -> Option<Rung> {
        match self {
            Rung::Schema => Some(Rung::SchemaWithoutLimits),
            Rung::SchemaWithoutLimits => Some(Rung::Object),
            Rung::Object => Some(Rung::Prompt),
            Rung::Prompt => None,
        }
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To reach the server.
    pub connect: Duration,
    /// Until the first byte of the answer.
    pub first_byte: Duration,
    /// Between two bytes of a stream.
    pub idle: Duration,
    /// For one call.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        let seconds = Duration::from_secs;
        Timeouts { connect: seconds(5), first_byte: seconds(120), idle: seconds(60), total: seconds(600) }
    }
}

/// A model at a server, and how to ask it.
#[derive(Clone)]
pub struct Endpoint {
    /// The name in the roster, or what was written on the command line: `openai:gpt-5-mini`. People see this.
    pub name: String,
    /// Wire format.
    pub api: Api,
    /// Model, as the server calls it.
    pub model: String,
    /// Without a slash at its end.
    pub base_url: String,
    /// The key; `None` where the server wants none. Never printed.
    pub key: Option<SecretString>,
    /// The variable or file that holds the key, for messages.
    pub key_from: String,
    /// Further headers of every request.
    pub headers: Vec<(String, String)>,
    /// Tokens of an answer at most.
    pub max_output: u32,
    /// Findings in one answer at most; a list that is full is asked for the rest.
    pub max_findings: usize,
    /// Characters of one text in an answer at most, where the server holds the model to a schema.
    pub max_text: usize,
    /// Tokens that the model takes in all, question and answer; `None` where nobody said.
    pub context: Option<u64>,
    /// Calls at one time.
    pub concurrency: usize,
    /// Prices, where they are known.
    pub prices: Option<Prices>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// Whether answers come as a stream.
    pub stream: bool,
    /// The first way to ask for the shape of an answer.
    pub shape: Rung,
    /// Mark the shared part of the prompt for the provider's cache, and let the first agent of a bucket go ahead of the others.
    pub warm_cache: bool,
}

impl fmt::Debug for Endpoint {
    /// Without the values of headers: a gateway's may hold a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("api", &self.api)
            .field("model", &self.model)
            .field("base_url", &self.base_url)
            .field("key_from", &self.key_from)
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Scheme, host and port: where the document goes.
    pub fn server(&self) -> String {
        url::Url::parse(&self.base_url).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }
}
