//! What a program said, read out of its output: the answer, what it took, and by name what kept it from answering. A success
//! that says nothing is a failure, and so is an error with a friendly exit code.

use crate::config::programs::Format;
use crate::model::answer::{FaultClass, Usage};
use serde_json::Value;

/// How a program ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Output<'a> {
    /// What it wrote for us.
    pub stdout: &'a str,
    /// The end of what it wrote beside it.
    pub stderr: &'a str,
    /// Its exit code.
    pub code: u8,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// The text.
    pub text: String,
    /// The model, where the program says it.
    pub model: String,
    /// What it took, where the program says it.
    pub usage: Usage,
}

/// No answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mute {
    /// What kind of failure.
    pub class: FaultClass,
    /// In words.
    pub what: String,
    /// What it took all the same.
    pub usage: Usage,
}

/// Reads it.
///
/// # Errors
/// By name: an error that the program reports, an exit code, nothing said, half a format.
pub fn read(format: Format, output: &Output<'_>) -> Result<Spoken, Mute> {
    let heard = match format {
        // A conversation is read where it is held.
        Format::Text | Format::Acp => Heard { text: output.stdout.to_owned(), ..Heard::default() },
        Format::Claude => claude(output)?,
        Format::Codex => codex(output),
        Format::Gemini => gemini(output)?,
        Format::Opencode => opencode(output),
    };
    let mute = |class: FaultClass, what: String| Mute { class, what, usage: heard.usage };
    if let Some((class, what)) = &heard.error {
        let what = if what.is_empty() { "it reports an error without words" } else { what };
        let class = match *class {
            FaultClass::Failed => class_of_code(format, output.code, what),
            class => class,
        };
        return Err(mute(class, with_code(what, output.code)));
    }
    if output.code != 0 {
        let why = last_line(output.stderr).or_else(|| last_line(output.stdout)).unwrap_or("it wrote nothing beside");
        return Err(mute(class_of_code(format, output.code, why), with_code(why, output.code)));
    }
    if heard.broken {
        return Err(mute(FaultClass::Broken, "its output broke off in the middle".to_owned()));
    }
    if heard.text.trim().is_empty() {
        let beside = last_line(output.stderr).map(|line| format!("; beside it: {line}")).unwrap_or_default();
        return Err(mute(FaultClass::Empty, format!("it ended well and said nothing{beside}")));
    }
    Ok(Spoken { text: heard.text, model: heard.model, usage: heard.usage })
}

#[derive(Default)]
struct Heard {
    text: String,
    model: String,
    usage: Usage,
    error: Option<(FaultClass, String)>,
    /// The format was begun and not ended.
    broken: bool,
}

fn with_code(what: &str, code: u8) -> String {
    match code {
        0 => format!("{what} (exit code 0 all the same)"),
        // Above these no signal ends a program: gemini gives half of an HTTP status away there.
        129..=143 => format!("{what} (ended by signal {})", code - 128),
        code => format!("{what} (exit code {code})"),
    }
}

pub(super) fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// What an exit code means by itself; gemini gives an HTTP status away in it, as far as eight bits hold it.
fn class_of_code(format: Format, code: u8, why: &str) -> FaultClass {
    match (format, code) {
        (_, 126 | 127) => FaultClass::Unavailable,
        (Format::Gemini, 41 | 145) => FaultClass::Denied,
        _ => class_of_words(why),
    }
}

/// What an error's words say of its kind.
pub(super) fn class_of_words(words: &str) -> FaultClass {
    let words = words.to_ascii_lowercase();
    let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
    if has(&["401", "403", "unauthorized", "api key", "not logged in", "log in", "login", "authenticat"]) {
        FaultClass::Denied
    } else if has(&["429", "quota", "rate limit", "usage limit", "spending", "budget"]) {
        FaultClass::Quota
    } else if has(&["context length", "context window", "too long", "too large"]) {
        FaultClass::TooLong
    } else if has(&["econnrefused", "could not resolve", "enotfound", "network", "unreachable", "502", "503", "overloaded"]) {
        FaultClass::Unavailable
    } else {
        FaultClass::Failed
    }
}

fn error(words: &str) -> (FaultClass, String) {
    (class_of_words(words), words.to_owned())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(String::new, str::to_owned)
}

fn count(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or(0)
}

/// The object that stands alone in an output; lines before it are what a program says to people.
fn object(text: &str) -> Option<Value> {
    let begin = text.find('{')?;
    serde_json::from_str(text[begin..].trim_end()).ok()
}

fn no_object(output: &Output<'_>) -> Heard {
    let said = !output.stdout.trim().is_empty();
    Heard { broken: said && output.code == 0, ..Heard::default() }
}

fn claude(output: &Output<'_>) -> Result<Heard, Mute> {
    let Some(result) = object(output.stdout) else { return Ok(no_object(output)) };
    let taken = &result["usage"];
    let cached = count(taken, "cache_read_input_tokens");
    let cache_written = count(taken, "cache_creation_input_tokens");
    let usage = Usage {
        tokens_in: count(taken, "input_tokens") + cached + cache_written,
        tokens_out: count(taken, "output_tokens"),
        cached,
        cache_written,
        ..Usage::default()
    };
    let model = result["modelUsage"].as_object().and_then(|models| models.keys().next().cloned()).unwrap_or_default();
    let subtype = text_of(&result["subtype"]);
    let said = text_of(&result["result"]);
    let failed = result["is_error"].as_bool() == Some(true) || (!subtype.is_empty() && subtype != "success");
    let why = match (said.is_empty(), subtype.as_str()) {
        (_, "error_max_turns") => Some((FaultClass::Truncated, "it came to its limit of turns before it answered".to_owned())),
        (_, "error_max_budget_usd") => Some((FaultClass::Quota, "it came to its own budget".to_owned())),
        (false, _) => Some(error(&said)),
        (true, subtype) => Some(error(subtype)),
    };
    let text = match &result["structured_output"] {
        Value::Null => said,
        structured => structured.to_string(),
    };
    Ok(Heard { text, model, usage, error: why.filter(|_| failed), broken: false })
}

fn gemini(output: &Output<'_>) -> Result<Heard, Mute> {
    // What goes wrong is said beside, and then nothing stands here.
    let Some(result) = object(output.stdout).or_else(|| object(output.stderr).filter(|beside| beside["error"].is_object()))
    else {
        return Ok(no_object(output));
    };
    let mut usage = Usage::default();
    let models = result["stats"]["models"].as_object();
    for (_, model) in models.into_iter().flatten() {
        let taken = &model["tokens"];
        usage = usage.plus(Usage {
            tokens_in: count(taken, "prompt"),
            tokens_out: count(taken, "candidates") + count(taken, "thoughts"),
            cached: count(taken, "cached"),
            reasoning: count(taken, "thoughts"),
            ..Usage::default()
        });
    }
    let model = models.and_then(|models| models.keys().next().cloned()).unwrap_or_default();
    let failed = result["error"].as_object().map(|_| {
        let (class, words) = error(&text_of(&result["error"]["message"]));
        // The exit code is the status, cut to eight bits.
        (if matches!(output.code, 41 | 145) { FaultClass::Denied } else { class }, words)
    });
    Ok(Heard { text: text_of(&result["response"]), model, usage, error: failed, broken: false })
}

/// The objects of an output of lines; whether the last line is cut off.
fn lines(text: &str) -> (Vec<Value>, bool) {
    let mut objects = Vec::new();
    let mut cut = false;
    for line in text.lines().map(str::trim).filter(|line| line.starts_with('{')) {
        match serde_json::from_str(line) {
            Ok(object) => objects.push(object),
            Err(_) => cut = true,
        }
    }
    (objects, cut)
}

fn codex(output: &Output<'_>) -> Heard {
    let (events, cut) = lines(output.stdout);
    let mut heard = Heard::default();
    let mut ended = false;
    for event in &events {
        match event["type"].as_str().unwrap_or_default() {
            // An item that is called an error is a warning; only a turn can fail.
            "item.completed" if event["item"]["type"] == "agent_message" => heard.text = text_of(&event["item"]["text"]),
            "turn.completed" => {
                ended = true;
                let taken = &event["usage"];
                heard.usage = heard.usage.plus(Usage {
                    tokens_in: count(taken, "input_tokens"),
                    tokens_out: count(taken, "output_tokens"),
                    cached: count(taken, "cached_input_tokens"),
                    cache_written: count(taken, "cache_write_input_tokens"),
                    reasoning: count(taken, "reasoning_output_tokens"),
                    ..Usage::default()
                });
            }
            "turn.failed" => heard.error = Some(error(&text_of(&event["error"]["message"]))),
            _ => {}
        }
    }
    heard.broken = cut || (!events.is_empty() && !ended);
    heard
}

fn opencode(output: &Output<'_>) -> Heard {
    let (events, cut) = lines(output.stdout);
    let mut heard = Heard::default();
    let mut ended = false;
    for event in &events {
        match event["type"].as_str().unwrap_or_default() {
            "text" => heard.text.push_str(event["part"]["text"].as_str().unwrap_or_default()),
            "step_finish" => {
                ended = true;
                let taken = &event["part"]["tokens"];
                let (cached, cache_written) = (count(&taken["cache"], "read"), count(&taken["cache"], "write"));
                let reasoning = count(taken, "reasoning");
                heard.usage = heard.usage.plus(Usage {
                    tokens_in: count(taken, "input") + cached + cache_written,
                    tokens_out: count(taken, "output") + reasoning,
                    cached,
                    cache_written,
                    reasoning,
                    ..Usage::default()
                });
            }
            "error" => {
                let data = &event["error"]["data"];
                let status = data["statusCode"].as_u64().map(|status| format!("{status}: ")).unwrap_or_default();
                let message = data["message"].as_str().or(event["error"]["name"].as_str()).unwrap_or_default();
                heard.error = Some(error(&format!("{status}{message}")));
            }
            _ => {}
        }
    }
    heard.broken = cut || (!events.is_empty() && !ended);
    heard
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
