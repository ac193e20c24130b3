//! What a server says about a failure, in whatever shape it says it: short, and never with a key or the request in it.

use super::verdict::holds;
use crate::agent::sse::Decoder;
use serde_json::Value;

/// Characters of a server's own words that are quoted.
const QUOTED: usize = 300;
/// Bytes of an error body that are looked at.
const READ: usize = 1024 * 1024;
/// Characters of one kind.
const KIND: usize = 100;

/// What was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Types and codes, in small letters: `rate_limit_error`, `unsupported_parameter`.
    pub kinds: Vec<String>,
    /// A code that is an HTTP status.
    pub code: Option<u16>,
    /// The parameter it is about; `""` where none is named.
    pub param: String,
    /// The message in small letters, to look for words in.
    pub lower: String,
    /// The message for people, cut.
    pub quote: String,
}

impl Told {
    /// Whether it is of one of these kinds, or its message has one of these phrases; all in small letters.
    pub fn speaks_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.kinds.iter().any(|kind| kind.contains(word)) || self.lower.contains(word))
    }

    /// Whether the same request may go better a moment later, as far as the words tell.
    pub fn passes(&self) -> bool {
        const SPENT: [&str; 3] = ["insufficient_quota", "enforced_spend_limit_reached", "billing"];
        const BUSY: [&str; 3] = ["overloaded", "rate_limit", "ratelimit"];
        // Some servers name every failure so: a code, where there is one, knows better.
        const TROUBLE: [&str; 6] =
            ["api_error", "server_error", "internal_error", "service_unavailable", "timeout", "engine_busy"];
        let kind = |words: &[&str]| self.kinds.iter().any(|kind| words.iter().any(|word| kind.contains(word)));
        !kind(&SPENT) && (kind(&BUSY) || self.code.map_or_else(|| kind(&TROUBLE), passes))
    }

    /// `rate_limit_error: slow down`, as much as was said.
    pub fn words(&self) -> String {
        match (self.kinds.first(), self.quote.as_str()) {
            (None, "") => String::from("no words with it"),
            (None, quote) => quote.to_owned(),
            (Some(kind), "") => kind.clone(),
            (Some(kind), quote) => format!("{kind}: {quote}"),
        }
    }

    fn add(&mut self, value: &Value) {
        let word = match value {
            Value::String(word) => quoted(word, KIND).to_lowercase(),
            Value::Number(number) => number.to_string(),
            _ => return,
        };
        match word.parse::<u16>() {
            Ok(code) => self.code = self.code.or(Some(code)),
            Err(_) if word.is_empty() || self.kinds.contains(&word) => {}
            Err(_) => self.kinds.push(word),
        }
    }

    fn say(&mut self, message: &str) {
        self.quote = quoted(message, QUOTED);
        self.lower = message.chars().take(4000).collect::<String>().to_lowercase();
    }
}

/// Statuses after which the same request may go better.
pub(super) fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

/// The error that a JSON value is or holds; `None` where it is something else.
pub(super) fn error_in(value: &Value) -> Option<Told> {
    // Gemini wraps its errors in a list.
    let value = value.get(0).unwrap_or(value);
    let is_error = value.get("type").and_then(Value::as_str) == Some("error")
        || value.get("object").and_then(Value::as_str) == Some("error");
    // `"error": null` and the like stand in good answers.
    match value.get("error").filter(|error| holds(error) && **error != Value::Bool(false)) {
        Some(error) => Some(told(error)),
        None => is_error.then(|| told(value)),
    }
}

/// The words of an error object, or of something that stands in its place.
fn told(error: &Value) -> Told {
    let mut told = Told::default();
    match error {
        Value::Object(_) => {
            for key in ["type", "code", "status"] {
                told.add(&error[key]);
            }
            told.add(&error["details"]["error_code"]);
            told.kinds.retain(|kind| kind != "error");
            told.param = error["param"].as_str().map(|param| quoted(param, KIND).to_lowercase()).unwrap_or_default();
            let message = ["message", "msg", "detail", "error"].iter().find_map(|key| words_of(&error[*key]));
            told.say(message.as_deref().unwrap_or_default());
        }
        other => told.say(&words_of(other).unwrap_or_default()),
    }
    told
}

/// Text, or the messages of a list of complaints; never the input that they repeat.
fn words_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let said = items.iter().take(5).filter_map(|item| item.as_str().or_else(|| item["msg"].as_str()));
            Some(said.collect::<Vec<_>>().join("; "))
        }
        Value::Object(_) => value["message"].as_str().map(str::to_owned),
        _ => None,
    }
}

/// What the body of a refusal says: JSON, server-sent events, a page of HTML or plain text.
pub(super) fn in_body(body: &[u8]) -> Told {
    let body = &body[..body.len().min(READ)];
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        return error_in(&value).unwrap_or_else(|| told(&value));
    }
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    if decoder.push(body, &mut events).is_ok() {
        decoder.finish(&mut events);
    }
    let in_event = |data: &str| serde_json::from_str::<Value>(data).ok().and_then(|value| error_in(&value));
    if let Some(told) = events.iter().find_map(|event| in_event(&event.data)) {
        return told;
    }
    let mut told = Told::default();
    told.say(&page(&String::from_utf8_lossy(body)));
    told
}

/// What a page says: its title where it is HTML, else its text.
pub(super) fn page(text: &str) -> String {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with('<') {
        return start.to_owned();
    }
    // Letters of ASCII alone change their case here, so the offsets hold for the text itself.
    let lower = start.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let from = at + lower[at..].find('>')? + 1;
        Some(&start[from..from + lower[from..].find("</title")?])
    });
    match title.map(str::trim) {
        Some(title) if !title.is_empty() => format!("a page titled \"{title}\""),
        _ => format!("a page of HTML: {start}"),
    }
}

/// A server's words on one line, at most so many characters, with what looks like a key masked: some servers repeat it.
pub(super) fn quoted(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut after_bearer = false;
    for word in text.chars().take(most * 8).collect::<String>().split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        match secret_in(word) {
            Some(at) => line.extend([&word[..at], "…"]),
            None if after_bearer => line.push('…'),
            None => line.push_str(word),
        }
        after_bearer = word.trim_start_matches(['"', '\'', '(']).eq_ignore_ascii_case("bearer");
    }
    if line.chars().count() > most {
        line = line.chars().take(most - 1).chain(['…']).collect();
    }
    line
}

/// Where in a word something begins that looks like a key: `sk-…`, long enough to be one.
fn secret_in(word: &str) -> Option<usize> {
    word.match_indices("sk-").map(|(at, _)| at).find(|at| {
        let free = word[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        free && word[*at..].chars().take_while(|c| c.is_ascii_alphanumeric() || "-_*.".contains(*c)).count() >= 11
    })
}
