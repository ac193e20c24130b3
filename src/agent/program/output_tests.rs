//! Outputs as programs really write them, and as they break.

use super::*;

fn reads(format: Format, stdout: &str, stderr: &str, code: u8) -> Result<Spoken, Mute> {
    read(format, &Output { stdout, stderr, code })
}

#[test]
fn an_answer_of_each_format_is_its_text_its_model_and_what_it_took() {
    let claude = r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"findings\": []}","usage":{"input_tokens":5,
        "cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":7},"modelUsage":{"claude-sonnet-4-5":{}}}"#;
    let codex = concat!(
        r#"{"type":"thread.started","thread_id":"t"}"#,
        "\n",
        r#"{"type":"item.completed","item":{"type":"error","message":"model metadata not found"}}"#,
        "\n",
        r#"{"type":"item.completed","item":{"type":"agent_message","text":"{\"findings\": []}"}}"#,
        "\n",
        r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":90,"output_tokens":7,"reasoning_output_tokens":2}}"#,
        "\n"
    );
    let gemini = r#"{"session_id":"s","response":"{\"findings\": []}","stats":{"models":{"gemini-2.5-pro":{"tokens":{"prompt":100,
        "candidates":5,"cached":90,"thoughts":2}}}}}"#;
    let opencode = concat!(
        r#"{"type":"step_start","part":{}}"#,
        "\n",
        r#"{"type":"text","part":{"text":"{\"findings\": []}"}}"#,
        "\n",
        r#"{"type":"step_finish","part":{"tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":90,"write":0}}}}"#,
        "\n"
    );
    let table = [
        (Format::Text, "{\"findings\": []}", "", 0),
        (Format::Claude, claude, "claude-sonnet-4-5", 7),
        (Format::Codex, codex, "", 7),
        (Format::Gemini, gemini, "gemini-2.5-pro", 7),
        (Format::Opencode, opencode, "", 7),
    ];
    for (format, stdout, model, tokens_out) in table {
        let spoken = reads(format, stdout, "some warning\n", 0).expect("an answer");
        assert_eq!((spoken.text.as_str(), spoken.model.as_str()), ("{\"findings\": []}", model), "{format:?}");
        assert_eq!(spoken.usage.tokens_out, tokens_out, "{format:?}");
        if tokens_out > 0 {
            assert_eq!((spoken.usage.tokens_in, spoken.usage.cached), (100, 90), "{format:?}");
        }
    }
}

#[test]
fn a_success_that_says_nothing_is_no_answer() {
    let empty = [
        (Format::Text, " \n"),
        (Format::Claude, ""),
        (Format::Claude, r#"{"type":"result","subtype":"success","is_error":false,"result":""}"#),
        (Format::Codex, ""),
        (Format::Codex, r#"{"type":"turn.completed","usage":{}}"#),
        (Format::Gemini, ""),
        (Format::Gemini, r#"{"response":"","stats":{}}"#),
        (Format::Opencode, ""),
        (Format::Opencode, r#"{"type":"step_finish","part":{"tokens":{}}}"#),
    ];
    for (format, stdout) in empty {
        let mute = reads(format, stdout, "", 0).expect_err("nothing");
        assert_eq!(mute.class, FaultClass::Empty, "{format:?} {stdout}: {}", mute.what);
    }
}

#[test]
fn half_a_format_is_broken_and_not_half_an_answer() {
    let half = [
        (Format::Claude, r#"{"type":"result","subtype":"success","result":"{\"find"#),
        (Format::Codex, "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"[]\"}}\n{\"type\":\"tur"),
        (Format::Codex, r#"{"type":"item.completed","item":{"type":"agent_message","text":"[]"}}"#),
        (Format::Gemini, r#"{"response":"#),
        (Format::Opencode, "{\"type\":\"text\",\"part\":{\"text\":\"[]\"}}\n"),
    ];
    for (format, stdout) in half {
        let mute = reads(format, stdout, "", 0).expect_err("half of it");
        assert_eq!(mute.class, FaultClass::Broken, "{format:?} {stdout}: {}", mute.what);
    }
}

#[test]
fn an_error_is_named_whatever_the_exit_code() {
    use FaultClass::{Denied, Failed, Quota, Truncated, Unavailable};
    let claude_error = r#"{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}"#;
    let claude_turns = r#"{"type":"result","subtype":"error_max_turns","is_error":false,"usage":{"output_tokens":4}}"#;
    let codex_error = r#"{"type":"turn.failed","error":{"message":"unexpected status 429 Too Many Requests"}}"#;
    let gemini_beside = r#"{"error":{"type":"Error","message":"quota exceeded","code":429}}"#;
    let opencode_error =
        r#"{"type":"error","error":{"name":"APIError","data":{"message":"Unauthorized","statusCode":401,"isRetryable":false}}}"#;
    let table = [
        (Format::Claude, claude_error, "", 0, Denied),
        (Format::Claude, claude_error, "", 1, Denied),
        (Format::Claude, claude_turns, "", 1, Truncated),
        (Format::Codex, codex_error, "", 1, Quota),
        (Format::Codex, codex_error, "", 0, Quota),
        (Format::Gemini, "", gemini_beside, 1, Quota),
        (Format::Gemini, "", gemini_beside, 145, Denied),
        (Format::Gemini, "", "Please set an auth method", 41, Denied),
        (Format::Opencode, opencode_error, "", 1, Denied),
        (Format::Text, "", "it went wrong", 3, Failed),
        (Format::Text, "an answer all the same", "", 3, Failed),
        (Format::Text, "", "", 127, Unavailable),
        (Format::Text, "", "connect ECONNREFUSED 127.0.0.1:1", 1, Unavailable),
        (Format::Text, "", "", 137, Failed),
    ];
    for (format, stdout, stderr, code, class) in table {
        let mute = reads(format, stdout, stderr, code).expect_err("no answer");
        assert_eq!(mute.class, class, "{format:?} {stdout} {stderr} {code}: {}", mute.what);
    }
    let told = reads(Format::Text, "", "it went wrong\n\n", 3).expect_err("no answer").what;
    assert_eq!(told, "it went wrong (exit code 3)");
    let told = reads(Format::Text, "", "", 137).expect_err("no answer").what;
    assert_eq!(told, "it wrote nothing beside (ended by signal 9)");
}
