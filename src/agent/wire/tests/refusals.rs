//! Statuses other than 200, and how long to wait.

use super::super::{Wants, WireFault, after, refused};
use crate::config::roster::Api::{self, Anthropic, OpenAi};
use crate::model::answer::FaultClass::{self, *};
use std::time::{Duration, SystemTime};

/// Sun, 06 Nov 1994 08:49:37 GMT.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)
}

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn refuse(api: Api, status: u16, body: &str) -> (WireFault, Option<Wants>) {
    let (fault, wants) = refused(api, status, &[], body.as_bytes(), now());
    assert_eq!(fault.status, status);
    (fault, wants)
}

#[track_caller]
fn is(api: Api, status: u16, body: &str, class: FaultClass, retry: bool, wants: Option<Wants>) -> WireFault {
    let (fault, found) = refuse(api, status, body);
    assert_eq!((fault.class, fault.retry, found), (class, retry, wants), "{status} {body}: {fault}");
    fault
}

#[test]
fn each_status_has_its_name() {
    for api in [OpenAi, Anthropic] {
        for (status, class, retry) in [
            (401, Denied, false),
            (403, Denied, false),
            (402, Quota, false),
            (400, Rejected, false),
            (404, Rejected, false),
            (413, Rejected, false),
            (422, Rejected, false),
            (307, Rejected, false),
            (408, Unavailable, true),
            (409, Unavailable, true),
            (429, Unavailable, true),
            (500, Unavailable, true),
            (503, Unavailable, true),
            (529, Unavailable, true),
            (204, Empty, false),
        ] {
            for body in
                ["", "{}", "null", "<html><body>Bad</body></html>", r#"{"error":{"message":"no","code":null,"type":"x"}}"#]
            {
                is(api, status, body, class, retry, None);
            }
        }
    }
}

#[test]
fn money_that_is_spent_is_not_waited_for() {
    for (api, status, body) in [
        (
            OpenAi,
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
        ),
        (
            Anthropic,
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"limit","details":{"error_code":"enforced_spend_limit_reached"}}}"#,
        ),
        (
            Anthropic,
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}"#,
        ),
        (Anthropic, 403, r#"{"type":"error","error":{"type":"billing_error","message":"no"}}"#),
    ] {
        let class = if status == 403 { Denied } else { Quota };
        is(api, status, body, class, false, None);
        let told = headers(&[("x-should-retry", "true"), ("retry-after", "1")]);
        let (fault, _) = refused(api, status, &told, body.as_bytes(), now());
        assert!(fault.class == Denied || (!fault.retry && fault.after.is_none()), "{fault:?}");
    }
}

#[test]
fn a_question_that_is_too_long_is_told_from_one_that_is_wrong() {
    for (api, body) in [
        (
            OpenAi,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
        ),
        (
            OpenAi,
            r#"{"error":{"message":"no","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        ),
        (OpenAi, r#"{"error":{"message":"litellm.ContextWindowExceededError: no","type":null,"code":"400"}}"#),
        (
            OpenAi,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. Reduce max_tokens.","code":400}"#,
        ),
        (
            Anthropic,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        ),
    ] {
        is(api, 400, body, TooLong, false, None);
    }
}

#[test]
fn another_dialect_is_offered_where_it_may_help() {
    // langgenius/dify#10348, FoundationAgents/MetaGPT#1709.
    let limit = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    is(OpenAi, 400, limit, Rejected, false, Some(Wants::OtherLimit));
    is(
        OpenAi,
        422,
        r#"{"detail":[{"loc":["body","max_completion_tokens"],"msg":"max_completion_tokens: Extra inputs are not permitted","input":1}]}"#,
        Rejected,
        false,
        Some(Wants::OtherLimit),
    );
    is(
        OpenAi,
        400,
        r#"{"error":{"message":"max_tokens is too large: 100000","param":"max_tokens","code":"invalid_value"}}"#,
        Rejected,
        false,
        None,
    );
    is(Anthropic, 400, limit, Rejected, false, None);
    for (api, body) in [
        (
            OpenAi,
            r#"{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#,
        ),
        (OpenAi, r#"{"error":{"message":"'maxItems' is not permitted.","param":"response_format","code":null}}"#),
        (OpenAi, r#"{"error":{"message":"no","param":"response_format","code":null}}"#),
        (OpenAi, r#"{"error":{"code":400,"message":"Failed to parse grammar","type":"invalid_request_error"}}"#),
        (
            Anthropic,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config: Extra inputs are not permitted"}}"#,
        ),
        (
            Anthropic,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format.schema: For 'array' type, property 'maxItems' is not supported"}}"#,
        ),
    ] {
        is(api, 400, body, Rejected, false, Some(Wants::RungBelow));
        // Only a refusal of the request itself is a reason to ask otherwise.
        assert_eq!(refuse(api, 500, body).1, None);
        assert_eq!(refuse(api, 401, body).1, None);
    }
}

#[test]
fn a_wrong_key_is_known_though_the_status_hides_it() {
    // litellm answers 400, Gemini too.
    is(
        OpenAi,
        400,
        r#"{"error":{"message":"No connected db.","type":"no_db_connection","param":null,"code":"400"}}"#,
        Denied,
        false,
        None,
    );
    is(
        OpenAi,
        400,
        r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#,
        Denied,
        false,
        None,
    );
}

#[test]
fn a_refusal_quotes_the_server_briefly_and_neither_key_nor_request() {
    let long = format!(r#"{{"error":{{"message":"{}"}}}}"#, "é ".repeat(5000));
    let fault = refuse(OpenAi, 400, &long).0;
    assert!(fault.what.chars().count() < 400 && fault.what.ends_with('…'), "{fault}");
    let fault =
        refuse(OpenAi, 401, r#"{"error":{"message":"Incorrect API key provided: sk-canary-0123456789abcdef. Find it."}}"#).0;
    assert!(!fault.what.contains("canary") && fault.what.contains("Incorrect API key provided"), "{fault}");
    let fault = refuse(OpenAi, 401, r#"{"error":"bad header Authorization: Bearer canary0123"}"#).0;
    assert!(!fault.what.contains("canary"), "{fault}");
    let fault = refuse(OpenAi, 422, r#"{"detail":[{"msg":"field required","input":{"messages":"secret text"}}]}"#).0;
    assert!(!fault.what.contains("secret") && fault.what.contains("field required"), "{fault}");
    // Cloudflare's page, litellm's events under an error status.
    let fault = refuse(Anthropic, 413, "<html>\n<head><title>413 Request Entity Too Large</title></head>").0;
    assert!(fault.what.contains("413 Request Entity Too Large"), "{fault}");
    let events = "data: {\"error\":{\"message\":\"gone\",\"code\":\"500\"}}\n\ndata: [DONE]\n\n";
    assert!(is(OpenAi, 500, events, Unavailable, true, None).what.ends_with("gone"));
    // Bytes that are no text, JSON that never ends, and more than anyone reads.
    for body in [b"\xFF\xFE{".to_vec(), b"[".repeat(100_000), b"{\"error\":".repeat(400_000)] {
        assert_eq!(refused(OpenAi, 500, &[], &body, now()).0.class, Unavailable);
    }
}

#[test]
fn the_server_may_say_whether_to_try_again() {
    let retry = |status, word| refused(OpenAi, status, &headers(&[("X-Should-Retry", word)]), b"{}", now()).0.retry;
    assert!(!retry(503, "false") && !retry(429, "false"));
    assert!(retry(503, "true") && retry(408, "true"));
    assert!(retry(503, "maybe"));
    // The same bytes can only be refused again.
    assert!(!retry(400, "true") && !retry(401, "true") && !retry(404, "true"));
}

#[track_caller]
fn waits(status: u16, pairs: &[(&str, &str)], expected: Option<Duration>) {
    assert_eq!(after(status, &headers(pairs), now()), expected, "{pairs:?}");
}

#[test]
fn the_wait_is_read_in_all_its_forms() {
    let (ms, s) = (|n| Some(Duration::from_millis(n)), |n| Some(Duration::from_secs(n)));
    waits(429, &[("retry-after-ms", "250"), ("retry-after", "9")], ms(250));
    waits(429, &[("retry-after-ms", "soon"), ("Retry-After", " 9 ")], s(9));
    waits(503, &[("retry-after", "1.5")], ms(1500));
    // interviewstreet/hiring-agent#386, librefang/librefang#4257: a date. Against the server's own clock where it tells it.
    waits(503, &[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], s(30));
    let date = ("date", "Sun, 06 Nov 1994 08:50:00 GMT");
    waits(503, &[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), date], s(7));
    waits(503, &[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], s(0));
    // lobehub/lobehub#13572, CopilotKit/CopilotKit#3727: hours are told as hours, for a person to see.
    waits(429, &[("retry-after", "10800")], s(10_800));
    for nonsense in ["", "-1", "NaN", "inf", "1e300", "tomorrow"] {
        waits(429, &[("retry-after", nonsense)], None);
    }
}

#[test]
fn a_reset_counts_where_its_budget_is_used_up() {
    let (ms, s) = (|n| Some(Duration::from_millis(n)), |n| Some(Duration::from_secs(n)));
    let reset =
        |left: &'static str, reset: &'static str| [("x-ratelimit-remaining-tokens", left), ("x-ratelimit-reset-tokens", reset)];
    waits(429, &reset("0", "6m0s"), s(360));
    waits(429, &reset("0", "1s"), s(1));
    waits(429, &reset("0", "250ms"), ms(250));
    waits(429, &reset("0", "1h1m1.5s"), ms(3_661_500));
    waits(429, &reset("7", "6m0s"), None);
    waits(503, &reset("0", "6m0s"), None);
    for nonsense in ["", "6", "m", "6m0", "6y", "1.2.3s", "99999999999999999999h"] {
        waits(429, &reset("0", nonsense), None);
    }
    let both = [
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", "1994-11-06T08:49:47Z"),
        ("anthropic-ratelimit-input-tokens-remaining", "0"),
        ("anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:49:57Z"),
        ("anthropic-ratelimit-output-tokens-remaining", "8000"),
        ("anthropic-ratelimit-output-tokens-reset", "1994-11-06T09:49:57Z"),
    ];
    waits(429, &both, s(20));
    waits(429, &[both.as_slice(), &[("retry-after", "3")]].concat(), s(3));
}
