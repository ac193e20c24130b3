//! Messages, as Anthropic and some others serve them.

use super::shape::{own, schema_beside, turns};
use super::verdict::{Gathered, count};
use super::{Call, Dialect, WireFault};
use crate::config::roster::Endpoint;
use serde_json::{Map, Value, json};

/// The body of a request. The shared part of the prompt is a block of its own, so that a mark for the cache can end it.
pub(super) fn body(endpoint: &Endpoint, call: &Call<'_>, dialect: Dialect) -> Value {
    let mut blocks = Vec::new();
    // An empty block is refused.
    if !call.prompt.shared.is_empty() {
        let mut shared = json!({"type": "text", "text": call.prompt.shared});
        if endpoint.warm_cache {
            shared["cache_control"] = json!({"type": "ephemeral"});
        }
        blocks.push(shared);
    }
    blocks.push(json!({"type": "text", "text": own(call, dialect)}));
    let mut messages = vec![json!({"role": "user", "content": blocks})];
    messages.extend(turns(call));
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", json!(endpoint.model));
    if !call.prompt.system.is_empty() {
        put("system", json!(call.prompt.system));
    }
    put("messages", Value::Array(messages));
    put("max_tokens", json!(endpoint.max_output));
    put("stream", json!(endpoint.stream));
    if let Some(schema) = schema_beside(call, dialect) {
        put("output_config", json!({"format": {"type": "json_schema", "schema": schema}}));
    }
    Value::Object(body)
}

/// Takes a piece of a stream; `name` is the name of its event, for pieces that do not name themselves.
pub(super) fn event(gathered: &mut Gathered, name: &str, piece: &Value, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
    match piece["type"].as_str().unwrap_or(name) {
        "message_start" => {
            gathered.names(&piece["message"]["model"]);
            spent(gathered, &piece["message"]["usage"]);
            Ok(())
        }
        "content_block_start" => block(gathered, &piece["content_block"], said),
        "content_block_delta" => match (piece["delta"]["type"].as_str(), piece["delta"]["text"].as_str()) {
            (Some("text_delta"), Some(text)) => gathered.say(text, said),
            (Some("thinking_delta"), _) => {
                gathered.thought = true;
                Ok(())
            }
            _ => Ok(()),
        },
        "message_delta" => {
            stopped(gathered, &piece["delta"]);
            spent(gathered, &piece["usage"]);
            Ok(())
        }
        "message_stop" => {
            gathered.done = true;
            Ok(())
        }
        // `ping`, `content_block_stop`, and what a later version adds.
        _ => Ok(()),
    }
}

/// Takes a whole answer; `None` where it is no message.
pub(super) fn whole(gathered: &mut Gathered, body: &Value, said: &mut dyn FnMut(&str)) -> Option<Result<(), WireFault>> {
    let blocks = body.get("content")?.as_array()?;
    gathered.names(&body["model"]);
    spent(gathered, &body["usage"]);
    stopped(gathered, body);
    Some(blocks.iter().try_for_each(|one| block(gathered, one, said)))
}

fn block(gathered: &mut Gathered, block: &Value, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
    match (block["type"].as_str(), block["text"].as_str()) {
        (Some("text"), Some(text)) => gathered.say(text, said),
        (Some("thinking" | "redacted_thinking"), _) => {
            gathered.thought = true;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn stopped(gathered: &mut Gathered, value: &Value) {
    gathered.stops(&value["stop_reason"]);
    let details = &value["stop_details"];
    if details["type"].as_str() == Some("refusal") {
        let words = ["explanation", "category"].iter().find_map(|key| details[*key].as_str());
        gathered.refuse(words.unwrap_or("no reason given"));
    }
}

/// Counts only grow from the first piece to the last, and a later piece may hold but some of them: the greatest of each stands.
/// `input_tokens` excludes what was read from or put into the cache; ours includes it.
fn spent(gathered: &mut Gathered, value: &Value) {
    let usage = &mut gathered.usage;
    let fresh = usage.tokens_in.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
    let fresh = fresh.max(count(&value["input_tokens"]));
    usage.cached = usage.cached.max(count(&value["cache_read_input_tokens"]));
    usage.cache_written = usage.cache_written.max(count(&value["cache_creation_input_tokens"]));
    usage.tokens_in = fresh.saturating_add(usage.cached).saturating_add(usage.cache_written);
    usage.tokens_out = usage.tokens_out.max(count(&value["output_tokens"]));
    let thought = ["reasoning_tokens", "thinking_tokens"].map(|key| count(&value["output_tokens_details"][key]));
    usage.reasoning = usage.reasoning.max(thought[0]).max(thought[1]);
}
