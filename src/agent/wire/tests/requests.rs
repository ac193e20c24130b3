//! The bytes of requests.

use super::super::{Call, Dialect, Prompt, Turn, path, protocol_headers, request, without_limits};
use crate::config::roster::{Api, Endpoint, Rung, Timeouts};
use serde_json::{Value, json};

fn endpoint(api: Api) -> Endpoint {
    Endpoint {
        name: "seat".into(),
        api,
        model: "m-1".into(),
        base_url: "http://127.0.0.1".into(),
        key: None,
        key_from: "KEY".into(),
        headers: Vec::new(),
        max_output: 4096,
        max_findings: 40,
        max_text: 2000,
        context: None,
        concurrency: 1,
        prices: None,
        timeouts: Timeouts::default(),
        stream: true,
        shape: Rung::Schema,
        warm_cache: false,
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"findings": {"type": "array", "maxItems": 40}}})
}

fn sent(endpoint: &Endpoint, turns: &[Turn], rung: Rung) -> String {
    let prompt = Prompt { system: "Rules.".into(), shared: "Text\n".into(), own: "Gaps.".into() };
    let schema = schema();
    let call = Call { prompt: &prompt, turns, schema_name: "findings", schema: &schema };
    let dialect = Dialect { rung, max_completion_tokens: false };
    let bytes = request(endpoint, &call, dialect);
    assert_eq!(bytes, request(endpoint, &call, dialect), "the same call is the same bytes");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_chat_request_is_these_bytes() {
    // moeru-ai/airi#1222: contents are plain strings. No temperature: newer models refuse one.
    assert_eq!(
        sent(&endpoint(Api::OpenAi), &[], Rung::Schema),
        r#"{"model":"m-1","messages":[{"role":"system","content":"Rules."},{"role":"user","content":"Text\nGaps."}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":4096,"response_format":{"type":"json_schema","json_schema":{"name":"findings","strict":true,"schema":{"type":"object","properties":{"findings":{"type":"array","maxItems":40}}}}}}"#
    );
}

#[test]
fn a_messages_request_is_these_bytes() {
    assert_eq!(
        sent(&endpoint(Api::Anthropic), &[], Rung::Schema),
        r#"{"model":"m-1","system":"Rules.","messages":[{"role":"user","content":[{"type":"text","text":"Text\n"},{"type":"text","text":"Gaps."}]}],"max_tokens":4096,"stream":true,"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"findings":{"type":"array","maxItems":40}}}}}}"#
    );
}

#[test]
fn the_shared_part_is_marked_for_the_cache_where_that_is_wanted() {
    let warm = Endpoint { warm_cache: true, ..endpoint(Api::Anthropic) };
    let body: Value = serde_json::from_str(&sent(&warm, &[], Rung::Prompt)).unwrap();
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(body["messages"][0]["content"][1].get("cache_control"), None);
}

#[test]
fn each_rung_asks_for_the_shape_in_its_own_way() {
    let openai = |rung| serde_json::from_str::<Value>(&sent(&endpoint(Api::OpenAi), &[], rung)).unwrap();
    let anthropic = |rung| serde_json::from_str::<Value>(&sent(&endpoint(Api::Anthropic), &[], rung)).unwrap();
    let free = json!({"type": "object", "properties": {"findings": {"type": "array"}}});
    assert_eq!(openai(Rung::SchemaWithoutLimits)["response_format"]["json_schema"]["schema"], free);
    assert_eq!(anthropic(Rung::SchemaWithoutLimits)["output_config"]["format"]["schema"], free);
    assert_eq!(openai(Rung::Object)["response_format"], json!({"type": "json_object"}));
    assert_eq!(openai(Rung::Prompt).get("response_format"), None);
    for rung in [Rung::Object, Rung::Prompt] {
        assert_eq!(anthropic(rung).get("output_config"), None);
        let own = [openai(rung)["messages"][1]["content"].clone(), anthropic(rung)["messages"][0]["content"][1]["text"].clone()];
        for own in own {
            let own = own.as_str().unwrap();
            assert!(
                own.contains("Gaps.\n\n") && own.contains("JSON") && own.trim_end().ends_with(&schema().to_string()),
                "{own}"
            );
        }
        // What is shared stays the same, or no cache finds it.
        assert_eq!(anthropic(rung)["messages"][0]["content"][0]["text"], "Text\n");
    }
    for rung in [Rung::Schema, Rung::SchemaWithoutLimits] {
        assert_eq!(openai(rung)["messages"][1]["content"], "Text\nGaps.");
    }
}

#[test]
fn turns_follow_the_prompt_and_the_limit_has_either_name() {
    let turns = [Turn { answer: "[".into(), question: "Again.".into() }];
    for api in [Api::OpenAi, Api::Anthropic] {
        let body: Value = serde_json::from_str(&sent(&endpoint(api), &turns, Rung::Schema)).unwrap();
        let last: Vec<&Value> = body["messages"].as_array().unwrap().iter().rev().take(2).collect();
        assert_eq!(last, [&json!({"role": "user", "content": "Again."}), &json!({"role": "assistant", "content": "["})]);
    }
    let whole = Endpoint { stream: false, ..endpoint(Api::OpenAi) };
    let (prompt, schema) = (Prompt::default(), schema());
    let call = Call { prompt: &prompt, turns: &[], schema_name: "findings", schema: &schema };
    let bytes = request(&whole, &call, Dialect { rung: Rung::Schema, max_completion_tokens: true });
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(4096), None));
    assert_eq!((&body["stream"], body.get("stream_options")), (&json!(false), None));
    assert_eq!(body["messages"].as_array().unwrap().len(), 1, "no empty system message");
    let bytes = request(&endpoint(Api::Anthropic), &call, Dialect { rung: Rung::Schema, max_completion_tokens: true });
    let body: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&body["max_tokens"], body.get("system")), (&json!(4096), None));
    assert_eq!(body["messages"][0]["content"].as_array().unwrap().len(), 1, "an empty block is refused");
}

#[test]
fn limits_go_at_every_depth_and_names_and_data_stay() {
    let schema = json!({
        "type": "object", "minLength": 1,
        "properties": {
            "maxItems": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 9, "pattern": "a"}},
            "either": {"anyOf": [{"type": "string", "minLength": 1}, {"$ref": "#/$defs/maxLength"}]},
            "kind": {"enum": [{"maxItems": 1}], "default": {"maxLength": 2}},
        },
        "required": ["maxItems"],
        "$defs": {"maxLength": {"type": "string", "maxLength": 5}},
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "maxItems": {"type": "array", "items": {"type": "string", "pattern": "a"}},
            "either": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/maxLength"}]},
            "kind": {"enum": [{"maxItems": 1}], "default": {"maxLength": 2}},
        },
        "required": ["maxItems"],
        "$defs": {"maxLength": {"type": "string"}},
    });
    assert_eq!(without_limits(&schema).to_string(), expected.to_string(), "in the same order");
}

#[test]
fn each_format_has_its_path_and_headers() {
    assert_eq!((path(Api::OpenAi), path(Api::Anthropic)), ("/chat/completions", "/v1/messages"));
    for api in [Api::OpenAi, Api::Anthropic] {
        assert!(protocol_headers(api).contains(&("content-type", "application/json")));
    }
    assert!(protocol_headers(Api::Anthropic).contains(&("anthropic-version", "2023-06-01")));
}
