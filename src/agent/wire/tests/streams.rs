//! Answers that come piece by piece.

use super::*;
use crate::config::roster::Api::{Anthropic, OpenAi};

#[test]
fn a_clean_stream_is_its_text_its_model_and_its_usage() {
    let body = chat(&[r#"{"role":"assistant","content":null}"#, r#"{"content":"Việ"}"#, r#"{"content":"t 🙂"}"#], "stop").replace(
        "data: [DONE]",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":33,\"completion_tokens\":12,\"prompt_tokens_details\":{\"cached_tokens\":32,\
         \"cache_write_tokens\":1},\"completion_tokens_details\":{\"reasoning_tokens\":5}},\"timings\":{}}\n\ndata: [DONE]",
    );
    // BDFFZI/Alife#36, groktopus/groktocrawl#385: the piece with the usage has no choice.
    let expected = Completion { text: "Việt 🙂".into(), model: "m-1".into(), usage: usage([33, 12, 32, 1, 5]) };
    assert_eq!(clean(OpenAi, &body), expected);
    // Whatever ends the lines: hey-api/hey-api#3054, openai/openai-node#2309.
    assert_eq!(clean(OpenAi, &body.replace('\n', "\r\n")), expected);
    assert_eq!(clean(OpenAi, &body.replace('\n', "\r")), expected);
    // And with a byte order mark, and without the space: jpopesculian/eventsource-stream#11, inngest/inngest-js#1714.
    assert_eq!(clean(OpenAi, &format!("\u{feff}{}", body.replace("data: ", "data:"))), expected);

    let body = messages(&[r#"{"type":"text_delta","text":"Việ"}"#, r#"{"type":"text_delta","text":"t 🙂"}"#], "end_turn");
    // What was read from and put into the cache is no part of `input_tokens`, and the last piece has the output alone.
    let expected = Completion { text: "Việt 🙂".into(), model: "c-1".into(), usage: usage([127, 9, 100, 20, 0]) };
    assert_eq!(clean(Anthropic, &body), expected);
    assert_eq!(clean(Anthropic, &body.replace('\n', "\r\n")), expected);
    assert_eq!(clean(Anthropic, &messages(&[TEXT], "stop_sequence")).text, "[]");
}

#[test]
fn comments_before_and_between_are_passed_over() {
    // mnfst/llm-gateway#2053, deepnoodle-ai/dive#206, symfony/ai#1068, docker/docker-agent#2349; llama.cpp's bare colon.
    for noise in [":\n\n", ": OPENROUTER PROCESSING\n\n", "data: : OPENROUTER PROCESSING\n\n", "data:\n\n", "\n\n", "id: 1\n\n"] {
        let body = chat(&[r#"{"content":"[]"}"#], "stop");
        assert_eq!(clean(OpenAi, &format!("{noise}{}", body.replace("data: {", &format!("{noise}data: {{")))).text, "[]");
        let body = messages(&[TEXT], "end_turn");
        assert_eq!(clean(Anthropic, &format!("{noise}{}", body.replace("event:", &format!("{noise}event:")))).text, "[]");
    }
}

#[test]
fn a_reason_for_stopping_is_enough_and_done_alone_is_not() {
    // theopenco/llmgateway#1901: no [DONE] after the reason; cut off right behind it.
    let body = chat(&[r#"{"role":"assistant","content":"[]"}"#], "stop");
    assert_eq!(clean(OpenAi, &body.replace("data: [DONE]\n\n", "")).text, "[]");
    assert_eq!(clean(OpenAi, body.trim_end()).text, "[]");
    assert_eq!(clean(OpenAi, body.replace("data: [DONE]", "").trim_end()).text, "[]");
    // NVIDIA/TensorRT-LLM#18289: nothing says why it ended, however it ended.
    let open = body.replace("\"stop\"", "null");
    for open in
        [open.clone(), open.replace("data: [DONE]\n\n", ""), ": waiting\n\n".into(), String::new(), "data: {\"choi".into()]
    {
        assert!(fails(OpenAi, &open, FaultClass::Broken).retry, "{open}");
    }
    let body = messages(&[TEXT], "end_turn");
    let (open, last) = body.split_at(body.find("event: message_delta").unwrap());
    assert_eq!(clean(Anthropic, &body.replace("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "")).text, "[]");
    let fault = fails(Anthropic, open, FaultClass::Broken);
    assert!(fault.retry);
    assert_eq!(fault.usage, usage([127, 1, 100, 20, 0]));
    // Half of the piece that names the reason is no reason.
    assert!(fails(Anthropic, &format!("{open}{}", &last[..60]), FaultClass::Broken).retry);
}

#[test]
fn an_error_inside_a_stream_is_a_failure_with_its_words() {
    // bigduu/Bamboo-agent#98: read as an empty piece.
    let start = chat(&[r#"{"content":"[]"}"#], "stop").replace("data: [DONE]\n\n", "");
    for (error, retry) in [
        (r#"{"code":502,"message":"Provider disconnected"}"#, true),
        (r#"{"code":"429","message":"Provider disconnected","type":null}"#, true),
        (r#"{"code":null,"message":"Provider disconnected","type":"server_error","param":null}"#, true),
        (r#"{"code":400,"message":"Provider disconnected","type":"invalid_request_error"}"#, false),
        (r#"{"code":400,"message":"Provider disconnected","type":"api_error"}"#, false),
        (r#"{"code":1305,"message":"Provider disconnected","type":"rate_limit_exceeded"}"#, true),
        (r#"{"code":429,"message":"Provider disconnected","type":"insufficient_quota"}"#, false),
        (r#""Provider disconnected""#, false),
    ] {
        let fault = fails(OpenAi, &format!("{start}data: {{\"error\":{error}}}\n\n"), FaultClass::ErrorInside);
        assert!(fault.what.contains("Provider disconnected"), "{fault}");
        assert_eq!(fault.retry, retry, "{error}");
        // With nothing before it, in the choice, and as the name of the event.
        fails(OpenAi, &format!("data: {{\"error\":{error}}}\n\ndata: [DONE]\n\n"), FaultClass::ErrorInside);
        fails(OpenAi, &format!("data: {{\"error\":{error}}}"), FaultClass::ErrorInside);
        fails(OpenAi, &format!("data: {{\"choices\":[{{\"delta\":{{}},\"error\":{error}}}]}}\n\n"), FaultClass::ErrorInside);
        let fault = fails(OpenAi, &format!("event: error\ndata: {error}\n\n"), FaultClass::ErrorInside);
        assert!(fault.what.contains("Provider disconnected"), "{fault}");
    }
    // anthropics/anthropic-sdk-python#1918, #688; vercel/ai#2453, #10653: a status of 200 and then `overloaded_error`.
    let body = messages(&[TEXT], "end_turn");
    let start = &body[..body.find("event: content_block_stop").unwrap()];
    for (kind, retry) in
        [("overloaded_error", true), ("rate_limit_error", true), ("api_error", true), ("invalid_request_error", false)]
    {
        let error =
            format!("event: error\ndata: {{\"type\":\"error\",\"error\":{{\"type\":\"{kind}\",\"message\":\"Sorry\"}}}}\n\n");
        let fault = fails(Anthropic, &format!("{start}{error}"), FaultClass::ErrorInside);
        assert_eq!(fault.retry, retry);
        assert_eq!(fault.usage, usage([127, 1, 100, 20, 0]));
        assert!(fault.what.ends_with(&format!("{kind}: Sorry")), "{fault}");
        fails(Anthropic, &error, FaultClass::ErrorInside);
    }
    assert!(fails(Anthropic, "event: error\ndata: gone away\n\n", FaultClass::ErrorInside).what.ends_with("gone away"));
}

#[test]
fn a_null_error_is_no_error() {
    let body = chat(&[r#"{"content":"[]"}"#], "stop").replace("data: {", "data: {\"error\":null,");
    assert_eq!(clean(OpenAi, &body).text, "[]");
}

#[test]
fn content_may_be_a_list_of_parts() {
    // vercel/ai#13703, meilisearch/meilisearch#6327: Mistral's thinking parts.
    let thinking = r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}"#;
    let text = r#"{"content":[{"type":"text","text":"["},{"type":"reference","reference_ids":[1]},{"type":"text","text":"]"}]}"#;
    assert_eq!(clean(OpenAi, &chat(&[thinking, text], "stop")).text, "[]");
    fails(OpenAi, &chat(&[thinking], "stop"), FaultClass::ReasoningOnly);
}

#[test]
fn thoughts_are_no_answer() {
    for field in [
        r#""reasoning_content":"hm""#,
        r#""reasoning":"hm""#,
        r#""reasoning_details":[{"type":"reasoning.text","text":"hm"}]"#,
        r#""thinking":"hm""#,
    ] {
        fails(OpenAi, &chat(&[&format!("{{{field}}}"), r#"{"content":" \n"}"#], "stop"), FaultClass::ReasoningOnly);
        assert_eq!(clean(OpenAi, &chat(&[&format!("{{{field}}}"), r#"{"content":"[]"}"#], "stop")).text, "[]");
    }
    fails(OpenAi, &chat(&[r#"{"reasoning_content":null,"reasoning":"","reasoning_details":[]}"#], "stop"), FaultClass::Empty);
    let thought = r#"{"type":"thinking_delta","thinking":"hm"}"#;
    let signature = r#"{"type":"signature_delta","signature":"x"}"#;
    fails(Anthropic, &messages(&[thought, signature], "end_turn"), FaultClass::ReasoningOnly);
    assert_eq!(clean(Anthropic, &messages(&[thought, signature, TEXT], "end_turn")).text, "[]");
}

#[test]
fn nothing_is_not_no_findings() {
    fails(OpenAi, &chat(&[], "stop"), FaultClass::Empty);
    fails(OpenAi, &chat(&[r#"{"role":"assistant","content":""}"#, r#"{"content":null}"#], "stop"), FaultClass::Empty);
    fails(Anthropic, &messages(&[], "end_turn"), FaultClass::Empty);
}

#[test]
fn a_refusal_is_not_an_answer_whatever_it_stops_with() {
    // openai/openai-ruby#174: content null, a refusal, and a normal stop.
    let body = chat(&[r#"{"content":null,"refusal":"I can't "}"#, r#"{"refusal":"help."}"#], "stop");
    assert!(fails(OpenAi, &body, FaultClass::Refused).what.ends_with("I can't help."));
    // majiayu000/litellm-rs#499: a refusal reported as completed.
    let fault = fails(Anthropic, &messages(&[TEXT], "refusal"), FaultClass::Refused);
    assert_eq!(fault.usage, usage([127, 9, 100, 20, 0]));
    let explained = messages(&[TEXT], "refusal")
        .replace("\"stop_sequence\":null", r#""stop_details":{"type":"refusal","category":"x","explanation":"Not this."}"#);
    assert!(fails(Anthropic, &explained, FaultClass::Refused).what.ends_with("Not this."));
}

#[test]
fn a_cut_filtered_or_unknown_stop_has_its_name_though_the_text_reads_well() {
    // anthropics/anthropic-sdk-python#1850, unslothai/unsloth#10177, jundot/omlx#2817, vllm-project/vllm#46303,
    // genkit-ai/genkit#6259.
    use FaultClass::{Filtered, Truncated, UnknownStop};
    for (stop, class, retry) in [
        ("length", Truncated, false),
        ("max_tokens", Truncated, false),
        ("model_context_window_exceeded", Truncated, false),
        ("content_filter", Filtered, false),
        ("sensitive", Filtered, false),
        ("tool_calls", UnknownStop, false),
        ("function_call", UnknownStop, false),
        ("tool_use", UnknownStop, false),
        ("pause_turn", UnknownStop, false),
        ("a_new_one", UnknownStop, false),
        ("insufficient_system_resource", UnknownStop, true),
        ("network_error", UnknownStop, true),
        ("error", UnknownStop, true),
    ] {
        for fault in [
            fails(OpenAi, &chat(&[r#"{"content":"[]"}"#], stop), class),
            fails(OpenAi, &chat(&[], stop), class),
            fails(Anthropic, &messages(&[TEXT], stop), class),
        ] {
            assert!(fault.what.contains(&format!("({stop})")), "{fault}");
            assert_eq!(fault.retry, retry, "{stop}");
        }
    }
    assert_eq!(clean(OpenAi, &chat(&[r#"{"content":"[]"}"#], "end_turn")).text, "[]");
}

#[test]
fn a_later_normal_stop_does_not_hide_a_cut() {
    let body = chat(&[r#"{"content":"["}"#], "length").replace("data: [DONE]\n\n", "");
    fails(OpenAi, &(body + &chat(&[], "stop")), FaultClass::Truncated);
}

#[test]
fn a_piece_that_is_no_json_breaks_the_answer() {
    let body = chat(&[r#"{"content":"[]"}"#], "stop");
    let fault = fails(OpenAi, &body.replacen("data: {", "data: {malformed json: <<<", 1), FaultClass::Invalid);
    assert!(fault.retry && fault.what.contains("{malformed json"), "{fault}");
    // After the end nothing counts any more.
    assert_eq!(clean(OpenAi, &format!("{body}data: {{malformed\n\n")).text, "[]");
}

#[test]
fn a_stream_is_known_by_its_bytes_and_a_json_answer_to_it_is_wrong() {
    // openclaw/openclaw#97474 (events under another content type) needs no type at all. litellm: JSON for a stream request.
    let whole = r#"{"choices":[{"message":{"content":"[]"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}}"#;
    let fault = fails(OpenAi, whole, FaultClass::WrongFormat);
    assert_eq!((fault.usage, fault.retry), (usage([3, 0, 0, 0, 0]), false));
    let whole = r#" {"type":"message","content":[{"type":"text","text":"[]"}],"stop_reason":"end_turn"}"#;
    fails(Anthropic, whole, FaultClass::WrongFormat);
    for (api, error) in [(OpenAi, r#"{"error":{"message":"Overloaded","code":503}}"#), (Anthropic, OVERLOADED)] {
        assert!(fails(api, error, FaultClass::ErrorInside).retry);
    }
    let fault = fails(OpenAi, "<!DOCTYPE html><html><head><TITLE>Sign in</TITLE>…", FaultClass::WrongFormat);
    assert!(fault.what.contains("Sign in"), "{fault}");
    fails(OpenAi, "date: today", FaultClass::WrongFormat);
    assert!(fails(OpenAi, "{\"choices\":[", FaultClass::Broken).retry);
}

const OVERLOADED: &str = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;

#[test]
fn a_stream_that_nobody_asked_for_is_wrong_and_says_nothing() {
    for (api, body) in [(OpenAi, chat(&[r#"{"content":"[]"}"#], "stop")), (Anthropic, messages(&[TEXT], "end_turn"))] {
        let (result, said) = read(api, false, &body);
        assert_eq!((result.unwrap_err().class, said.as_str()), (FaultClass::WrongFormat, ""));
    }
    let error = format!("data: {OVERLOADED}\n\n");
    fails_as(Anthropic, false, &error, FaultClass::ErrorInside);
}

#[test]
fn a_broken_or_standing_stream_keeps_what_it_cost() {
    let body = messages(&[TEXT], "end_turn");
    let start = &body[..body.find("event: message_delta").unwrap()];
    let begun = || {
        let mut reader = Reader::new(Anthropic, true);
        reader.chunk(start.as_bytes(), &mut |_| {}).unwrap();
        assert!(!reader.is_over());
        reader
    };
    let fault = begun().broken("reset by peer");
    assert_eq!((fault.class, fault.retry, fault.usage), (FaultClass::Broken, true, usage([127, 1, 100, 20, 0])));
    assert!(fault.what.ends_with("reset by peer"));
    let fault = begun().stalled(60);
    assert_eq!((fault.class, fault.retry, fault.usage), (FaultClass::Stalled, true, usage([127, 1, 100, 20, 0])));
    assert!(fault.what.contains("60 s"));
    let mut reader = begun();
    reader.chunk(&body.as_bytes()[start.len()..], &mut |_| {}).unwrap();
    assert!(reader.is_over());
}

#[test]
fn an_answer_without_end_is_stopped() {
    let piece = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(100_000));
    let (mut reader, mut said) = (Reader::new(OpenAi, true), 0);
    let fault = (0..100).find_map(|_| reader.chunk(piece.as_bytes(), &mut |text| said += text.len()).err()).unwrap();
    assert_eq!(fault.class, FaultClass::Invalid);
    assert!(fault.what.contains("longer than 2 MiB"), "{fault}");
    assert_eq!(said, 2_000_000);
    // Thoughts are not kept, and do not count as text.
    let piece = piece.replace("content", "reasoning");
    let mut reader = Reader::new(OpenAi, true);
    (0..100).for_each(|_| reader.chunk(piece.as_bytes(), &mut |_| panic!("a thought is no text")).unwrap());
    assert_eq!(reader.end().unwrap_err().class, FaultClass::Broken);
    // One event or one JSON answer that never ends.
    let megabyte = vec![b' '; 1024 * 1024];
    for start in ["data: {", "{"] {
        let mut reader = Reader::new(OpenAi, true);
        reader.chunk(start.as_bytes(), &mut |_| {}).unwrap();
        let fault = (0..17).find_map(|_| reader.chunk(&megabyte, &mut |_| {}).err()).unwrap();
        assert_eq!(fault.class, FaultClass::Invalid, "{start}");
        assert!(fault.what.contains("16 MiB"), "{fault}");
    }
}

mod any {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No bytes make the reader panic, and none without a reason for stopping make a clean answer.
        #[test]
        fn bytes_are_read_alike_in_any_pieces(
            parts in proptest::collection::vec(prop_oneof![
                Just("data: ".to_owned()), Just("\n\n".to_owned()), Just("{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}".to_owned()),
                Just("{".to_owned()), Just("null".to_owned()), Just("[1]".to_owned()), Just("event: error\n".to_owned()),
                Just("{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}".to_owned()),
                Just("{\"error\":{\"code\":[]}}".to_owned()), Just("\u{feff}".to_owned()), Just(" ".to_owned()), ".{0,3}",
            ], 0..12),
            stream: bool,
        ) {
            let body = parts.concat();
            for api in [OpenAi, Anthropic] {
                prop_assert!(read(api, stream, &body).0.is_err());
            }
        }
    }
}
