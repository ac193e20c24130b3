//! Chat completions, as OpenAI and many others serve them.

use super::shape::{own, schema_beside, turns};
use super::told::error_in;
use super::verdict::{Gathered, count, holds};
use super::{Call, Dialect, WireFault};
use crate::config::roster::{Endpoint, Rung};
use crate::model::answer::Usage;
use serde_json::{Map, Value, json};

/// Fields in which servers put what a model thinks: DeepSeek, vLLM, llama.cpp; others; OpenRouter; some gateways.
const THOUGHTS: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details", "thinking"];

/// The body of a request. Contents are plain strings: some servers take nothing else. No temperature: some models refuse one.
pub(super) fn body(endpoint: &Endpoint, call: &Call<'_>, dialect: Dialect) -> Value {
    let mut messages = Vec::new();
    if !call.prompt.system.is_empty() {
        messages.push(json!({"role": "system", "content": call.prompt.system}));
    }
    messages.push(json!({"role": "user", "content": format!("{}{}", call.prompt.shared, own(call, dialect))}));
    messages.extend(turns(call));
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", json!(endpoint.model));
    put("messages", Value::Array(messages));
    put("stream", json!(endpoint.stream));
    if endpoint.stream {
        put("stream_options", json!({"include_usage": true}));
    }
    put(if dialect.max_completion_tokens { "max_completion_tokens" } else { "max_tokens" }, json!(endpoint.max_output));
    if let Some(schema) = schema_beside(call, dialect) {
        let named = json!({"name": call.schema_name, "strict": true, "schema": schema});
        put("response_format", json!({"type": "json_schema", "json_schema": named}));
    } else if dialect.rung == Rung::Object {
        put("response_format", json!({"type": "json_object"}));
    }
    Value::Object(body)
}

/// Takes a piece of a stream.
pub(super) fn event(gathered: &mut Gathered, piece: &Value, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
    common(gathered, piece);
    match first_choice(piece) {
        Some(choice) => part(gathered, choice, &choice["delta"], said),
        None => Ok(()),
    }
}

/// Takes a whole answer; `None` where it is no chat completion.
pub(super) fn whole(gathered: &mut Gathered, body: &Value, said: &mut dyn FnMut(&str)) -> Option<Result<(), WireFault>> {
    body.get("choices")?.as_array()?;
    common(gathered, body);
    Some(match first_choice(body) {
        Some(choice) => part(gathered, choice, &choice["message"], said),
        None => {
            // Nothing was cut and nothing refused: there is just nothing.
            gathered.stops(&json!("stop"));
            Ok(())
        }
    })
}

fn common(gathered: &mut Gathered, value: &Value) {
    gathered.names(&value["model"]);
    if value["usage"].is_object() {
        gathered.usage = usage(&value["usage"]);
    }
}

/// The one choice that was asked for; the piece with the usage has none.
fn first_choice(value: &Value) -> Option<&Value> {
    value["choices"].as_array()?.iter().find(|choice| count(&choice["index"]) == 0)
}

fn part(gathered: &mut Gathered, choice: &Value, message: &Value, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
    if let Some(told) = error_in(choice) {
        return Err(gathered.error(&told));
    }
    gathered.thought |= THOUGHTS.iter().any(|field| holds(&message[*field]));
    if let Some(refusal) = message["refusal"].as_str() {
        gathered.refuse(refusal);
    }
    match &message["content"] {
        Value::String(text) => gathered.say(text, said)?,
        Value::Array(parts) => {
            for part in parts {
                match (part["type"].as_str().unwrap_or("text"), part["text"].as_str()) {
                    ("text" | "output_text", Some(text)) => gathered.say(text, said)?,
                    ("refusal", _) => gathered.refuse(part["refusal"].as_str().unwrap_or("no reason given")),
                    ("thinking" | "reasoning", _) => gathered.thought = true,
                    _ => {}
                }
            }
        }
        _ => {}
    }
    gathered.stops(&choice["finish_reason"]);
    Ok(())
}

/// `prompt_tokens` includes those from the cache; `completion_tokens` includes those of reasoning.
fn usage(value: &Value) -> Usage {
    let read = &value["prompt_tokens_details"];
    Usage {
        tokens_in: count(&value["prompt_tokens"]),
        tokens_out: count(&value["completion_tokens"]),
        cached: count(&read["cached_tokens"]),
        cache_written: count(&read["cache_write_tokens"]),
        reasoning: count(&value["completion_tokens_details"]["reasoning_tokens"]),
        ..Usage::default()
    }
}
