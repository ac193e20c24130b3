//! Tests of the wire formats: what public clients got wrong, each named after what it shows.

mod answers;
mod refusals;
mod requests;
mod streams;

use super::{Completion, Reader, WireFault};
use crate::config::roster::Api;
use crate::model::answer::{FaultClass, Usage};

/// What became of an answer: whole, byte by byte and in two pieces it must be the same.
#[track_caller]
fn read(api: Api, stream: bool, body: &str) -> (Result<Completion, WireFault>, String) {
    let pieces = |size: usize| {
        let (mut reader, mut said) = (Reader::new(api, stream), String::new());
        for piece in body.as_bytes().chunks(size.max(1)) {
            if let Err(fault) = reader.chunk(piece, &mut |text| said.push_str(text)) {
                return (Err(fault), said);
            }
        }
        (reader.end(), said)
    };
    let whole = pieces(body.len());
    for size in [1, 2, 7, body.len().div_ceil(2)] {
        assert_eq!(pieces(size), whole, "in pieces of {size}");
    }
    whole
}

/// The completion of a stream, which was said piece by piece as well.
#[track_caller]
fn clean(api: Api, body: &str) -> Completion {
    let (result, said) = read(api, true, body);
    let completion = result.unwrap();
    assert_eq!(said, completion.text);
    completion
}

/// The failure of a stream.
#[track_caller]
fn fails(api: Api, body: &str, class: FaultClass) -> WireFault {
    fails_as(api, true, body, class)
}

#[track_caller]
fn fails_as(api: Api, stream: bool, body: &str, class: FaultClass) -> WireFault {
    let fault = read(api, stream, body).0.unwrap_err();
    assert_eq!((fault.class, fault.status), (class, 200), "{fault}");
    fault
}

/// `tokens_in`, `tokens_out`, `cached`, `cache_written`, `reasoning`.
fn usage(counts: [u64; 5]) -> Usage {
    let [tokens_in, tokens_out, cached, cache_written, reasoning] = counts;
    Usage { tokens_in, tokens_out, cached, cache_written, reasoning, ..Usage::default() }
}

/// A stream of chat completions with these deltas and then this reason for stopping.
fn chat(deltas: &[&str], finish: &str) -> String {
    let piece = |delta: &str, finish: &str| {
        format!("data: {{\"model\":\"m-1\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
    };
    let deltas: String = deltas.iter().map(|delta| piece(delta, "null")).collect();
    deltas + &piece("{}", &format!("\"{finish}\"")) + "data: [DONE]\n\n"
}

/// A stream of Messages with these deltas and then this reason for stopping.
fn messages(deltas: &[&str], stop: &str) -> String {
    let event = |name: &str, rest: &str| format!("event: {name}\ndata: {{\"type\":\"{name}\"{rest}}}\n\n");
    let deltas: String =
        deltas.iter().map(|delta| event("content_block_delta", &format!(",\"index\":0,\"delta\":{delta}"))).collect();
    event(
        "message_start",
        r#","message":{"model":"c-1","content":[],"stop_reason":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}"#,
    ) + &event("content_block_start", r#","index":0,"content_block":{"type":"text","text":""}"#)
        + &event("ping", "")
        + &deltas
        + &event("content_block_stop", ",\"index\":0")
        + &event(
            "message_delta",
            &format!(r#","delta":{{"stop_reason":"{stop}","stop_sequence":null}},"usage":{{"output_tokens":9}}"#),
        )
        + &event("message_stop", "")
}

const TEXT: &str = r#"{"type":"text_delta","text":"[]"}"#;
