//! What a status other than 200 means: the failure, whether and when to try again, and whether another dialect may help.

use super::told::{Told, in_body, passes};
use super::{Wants, WireFault, after};
use crate::config::roster::Api;
use crate::model::answer::{FaultClass, Usage};
use std::time::SystemTime;

/// The account has no money or no budget: nothing that waiting helps.
const SPENT: [&str; 5] =
    ["insufficient_quota", "enforced_spend_limit_reached", "billing_error", "billing_hard_limit", "credit balance is too low"];
/// The question is longer than the model reads: llama.cpp, OpenAI, litellm, Anthropic, vLLM.
const TOO_LONG: [&str; 6] = [
    "exceed_context_size",
    "context_length_exceeded",
    "contextwindowexceeded",
    "prompt is too long",
    "maximum context length",
    "exceeds the available context size",
];
/// A key is wrong, told with a status that does not say so.
const KEY: [&str; 4] = ["invalid_api_key", "authentication_error", "no_db_connection", "api key not valid"];
/// Words that a complaint about the asked shape of the answer has.
const SHAPE: [&str; 11] = [
    "response_format",
    "response format",
    "json_schema",
    "output_config",
    "output_format",
    "schema",
    "structured output",
    "maxitems",
    "maxlength",
    "minlength",
    "grammar",
];
/// Names of the output limit, the longer first: it does not contain the other.
const LIMIT: [&str; 2] = ["max_completion_tokens", "max_tokens"];
/// Words that a complaint about a parameter's name, rather than its value, has.
const UNKNOWN: [&str; 8] = [
    "unsupported_parameter",
    "unsupported parameter",
    "not supported",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra inputs",
    "not permitted",
];

/// Reads a refusal: its name, whether and after how long the same request may be sent again, and whether another one helps.
/// `headers` are those of the answer with names in any case; `now` is for waits that are told as a moment.
pub fn refused(api: Api, status: u16, headers: &[(String, String)], body: &[u8], now: SystemTime) -> (WireFault, Option<Wants>) {
    let told = in_body(body);
    let class = class(status, &told);
    let wants = (class == FaultClass::Rejected).then(|| wants(api, status, &told)).flatten();
    let what = format!("{} (HTTP {status}): {}", meaning(class, status), told.words());
    let retry = retry(class, status, headers);
    let after = if class == FaultClass::Quota { None } else { after(status, headers, now) };
    (WireFault { class, what, status, retry, after, usage: Usage::default() }, wants)
}

fn class(status: u16, told: &Told) -> FaultClass {
    match status {
        401 | 403 => FaultClass::Denied,
        402 => FaultClass::Quota,
        _ if told.speaks_of(&SPENT) => FaultClass::Quota,
        408 | 409 | 429 => FaultClass::Unavailable,
        400..=599 if told.speaks_of(&TOO_LONG) => FaultClass::TooLong,
        400..=499 if told.speaks_of(&KEY) => FaultClass::Denied,
        500..=599 => FaultClass::Unavailable,
        204 | 205 => FaultClass::Empty,
        _ => FaultClass::Rejected,
    }
}

fn meaning(class: FaultClass, status: u16) -> &'static str {
    match class {
        FaultClass::Denied => "the key is not accepted or not allowed to do this",
        FaultClass::Quota => "the account has nothing left to spend",
        FaultClass::TooLong => "the question is longer than the model reads",
        FaultClass::Unavailable if status == 429 => "the server asks to slow down",
        FaultClass::Unavailable => "the server could not answer",
        FaultClass::Empty => "the server answered with nothing",
        _ if (300..400).contains(&status) => "the server sends elsewhere, which is not followed",
        _ if status == 404 => "the server knows no such address or model",
        _ => "the server refuses the request",
    }
}

/// A refusal of the request itself: the same body fails again. Timeout, conflict and rate limit are none.
pub fn is_final(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 408 | 409 | 429)
}

/// Whether to send the same bytes again. The server's own `x-should-retry` decides, except where the same bytes can only fail
/// the same way (4xx besides 408, 409 and 429) or where money is spent.
fn retry(class: FaultClass, status: u16, headers: &[(String, String)]) -> bool {
    // Whatever the server says of it: a refusal of this very question stays one.
    let hopeless = is_final(status) || matches!(class, FaultClass::Quota | FaultClass::TooLong);
    let asked = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-should-retry")).map(|(_, value)| value.trim());
    match asked {
        _ if hopeless => false,
        Some("true") => true,
        Some("false") => false,
        _ => class == FaultClass::Unavailable && passes(status),
    }
}

fn wants(api: Api, status: u16, told: &Told) -> Option<Wants> {
    if !matches!(status, 400 | 422) {
        return None;
    }
    let names_limit = LIMIT.iter().any(|name| told.param == *name || told.lower.contains(name));
    if api == Api::OpenAi && names_limit && told.speaks_of(&UNKNOWN) {
        return Some(Wants::OtherLimit);
    }
    (told.speaks_of(&SHAPE) || SHAPE.iter().any(|word| told.param.contains(word))).then_some(Wants::RungBelow)
}
