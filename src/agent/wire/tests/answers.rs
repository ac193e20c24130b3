//! Answers that come in one piece.

use super::*;
use crate::config::roster::Api::{Anthropic, OpenAi};

fn chat(message: &str, finish: &str) -> String {
    format!("{{\"model\":\"m-1\",\"choices\":[{{\"index\":0,\"message\":{message},\"finish_reason\":{finish}}}],\"new\":{{}}}}")
}

fn message(content: &str, stop: &str) -> String {
    format!("{{\"type\":\"message\",\"model\":\"c-1\",\"content\":{content},\"stop_reason\":{stop}}}")
}

#[track_caller]
fn clean(api: Api, body: &str) -> Completion {
    let (result, said) = read(api, false, body);
    assert_eq!(said, "", "what may still fail is not said");
    result.unwrap()
}

#[track_caller]
fn fails(api: Api, body: &str, class: FaultClass) -> WireFault {
    fails_as(api, false, body, class)
}

#[test]
fn a_clean_answer_is_its_text_its_model_and_its_usage() {
    let body = chat("{\"content\":\"[]\"}", "\"stop\"");
    assert_eq!(clean(OpenAi, &body), Completion { text: "[]".into(), model: "m-1".into(), usage: Usage::default() });
    // Blank lines that keep the connection open while the model thinks; a byte order mark.
    assert_eq!(clean(OpenAi, &format!("\u{feff}\n\n   \r\n{body}\n")).text, "[]");
    let counted = body.replace(
        "\"new\"",
        "\"usage\":{\"prompt_tokens\":9.0,\"completion_tokens\":null,\"prompt_tokens_details\":null},\"new\"",
    );
    assert_eq!(clean(OpenAi, &counted).usage, usage([9, 0, 0, 0, 0]));
    let body =
        message(r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"["},{"type":"text","text":"]"}]"#, "\"end_turn\"");
    let body =
        body.replace("\"type\":\"message\"", r#""usage":{"input_tokens":1,"cache_read_input_tokens":4,"output_tokens":2}"#);
    assert_eq!(clean(Anthropic, &body), Completion { text: "[]".into(), model: "c-1".into(), usage: usage([5, 2, 4, 0, 0]) });
}

#[test]
fn each_failure_has_its_name() {
    use FaultClass::*;
    for (message, finish, class) in [
        ("{\"content\":\"[]\"}", "\"length\"", Truncated),
        ("{\"content\":\"[]\"}", "\"content_filter\"", Filtered),
        ("{\"content\":\"[]\"}", "\"tool_calls\"", UnknownStop),
        ("{\"content\":\"[]\"}", "null", UnknownStop),
        ("{\"content\":null,\"refusal\":\"No.\"}", "\"stop\"", Refused),
        ("{\"content\":[{\"type\":\"refusal\",\"refusal\":\"No.\"}]}", "\"stop\"", Refused),
        ("{\"content\":null,\"reasoning_content\":\"hm\"}", "\"stop\"", ReasoningOnly),
        ("{\"content\":\"\"}", "\"stop\"", Empty),
        ("null", "\"stop\"", Empty),
    ] {
        fails(OpenAi, &chat(message, finish), class);
    }
    for (content, stop, class) in [
        ("[{\"type\":\"text\",\"text\":\"[]\"}]", "\"max_tokens\"", Truncated),
        ("[{\"type\":\"text\",\"text\":\"[]\"}]", "\"model_context_window_exceeded\"", Truncated),
        ("[{\"type\":\"text\",\"text\":\"[]\"}]", "\"pause_turn\"", UnknownStop),
        ("[{\"type\":\"text\",\"text\":\"[]\"}]", "null", UnknownStop),
        ("[{\"type\":\"text\",\"text\":\"[]\"}]", "\"refusal\"", Refused),
        ("[{\"type\":\"redacted_thinking\",\"data\":\"x\"}]", "\"end_turn\"", ReasoningOnly),
        ("[]", "\"end_turn\"", Empty),
    ] {
        fails(Anthropic, &message(content, stop), class);
    }
    for api in [OpenAi, Anthropic] {
        fails(api, "", Empty);
        fails(api, "{}", WrongFormat);
        fails(api, "\"ok\"", WrongFormat);
        fails(api, "<html>", WrongFormat);
        fails(api, r#"{"error":{"message":"no","type":"invalid_request_error","code":null}}"#, ErrorInside);
        fails(api, r#"{"error":"no"}"#, ErrorInside);
        assert!(fails(api, r#"{"object":"error","message":"no","code":503}"#, ErrorInside).retry);
        assert!(fails(api, "{malformed json: <<<chaos>>>", Invalid).retry);
        assert!(fails(api, "{\"choices\":[{\"mess", Broken).retry);
    }
    fails(OpenAi, "{\"choices\":[]}", Empty);
}
