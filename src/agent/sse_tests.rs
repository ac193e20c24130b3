//! Tests of the decoder: what public clients got wrong, any cut of any stream, and the standard read in the plainest way.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Everything that a stream holds, read from these pieces.
fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    for piece in pieces {
        decoder.push(piece, &mut events).unwrap();
    }
    decoder.finish(&mut events);
    events
}

fn event(event: &str, data: &str) -> SseEvent {
    SseEvent { event: event.to_owned(), data: data.to_owned(), unterminated: false }
}

fn cut_off(name: &str, data: &str) -> SseEvent {
    SseEvent { unterminated: true, ..event(name, data) }
}

/// Whole, byte by byte, and with every single cut: the same.
#[track_caller]
fn check(stream: impl AsRef<[u8]>, expected: &[SseEvent]) {
    let stream = stream.as_ref();
    assert_eq!(read([stream]), expected, "whole");
    assert_eq!(read(stream.chunks(1)), expected, "byte by byte");
    for cut in 0..=stream.len() {
        assert_eq!(read([&stream[..cut], b"", &stream[cut..]]), expected, "cut at {cut}");
    }
}

#[test]
fn lines_end_with_lf_crlf_or_cr() {
    // hey-api/hey-api#3054, miruamel/xuan#194 (CRLF CRLF); openai/openai-node#2309, EdamAme-x/pentect#1438,
    // rexxars/eventsource-parser#17 (bare CR, mixed, CRLF split over pieces).
    let expected = [event("a", "1\n2"), event("", "3")];
    for end in ["\n", "\r\n", "\r"] {
        check("event: a|data: 1|data: 2||data: 3||".replace('|', end), &expected);
    }
    check("event: a\r\ndata: 1\rdata: 2\n\r\ndata: 3\r\r", &expected);
    check("data: 1\n\rdata: 2\r\n\ndata: 3\r\r\n", &[event("", "1"), event("", "2"), event("", "3")]);
}

#[test]
fn one_space_after_the_colon_is_no_part_of_the_value() {
    // inngest/inngest-js#1714.
    check("data:{\"a\":1}\n\ndata: {}\n\ndata:  x\n\n", &[event("", "{\"a\":1}"), event("", "{}"), event("", " x")]);
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_alone() {
    // jpopesculian/eventsource-stream#10: a panic.
    check("\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: \u{feff}3\n\n", &[event("", "1"), event("", "\u{feff}3")]);
    check("\u{feff}", &[]);
}

#[test]
fn comments_and_other_fields_are_no_events() {
    // mnfst/llm-gateway#2053, deepnoodle-ai/dive#206, symfony/ai#1068, docker/docker-agent#2349.
    check(": OPENROUTER PROCESSING\n\n:\n\nid: 7\nretry: 10\nx\ndatax: 1\n\ndata: 1\n:\ndata: 2\n\n", &[event("", "1\n2")]);
    // Re-emitted as data it is data; the reader of the answer knows better.
    check("data: : OPENROUTER PROCESSING\n\n", &[event("", ": OPENROUTER PROCESSING")]);
}

#[test]
fn an_event_needs_a_data_line_which_may_be_empty() {
    check(
        "event: ping\n\n\n\ndata\n\ndata:\ndata:\n\nevent: a\nevent: b\ndata: \n\ndata: z\n\n",
        &[event("", ""), event("", "\n"), event("b", ""), event("", "z")],
    );
}

#[test]
fn what_the_end_cuts_off_is_given_out_and_marked() {
    check("data: 1\n\nevent: e\ndata: [DONE]", &[event("", "1"), cut_off("e", "[DONE]")]);
    check("data: [DONE]\r", &[cut_off("", "[DONE]")]);
    check("data: 1\n\ndat", &[event("", "1")]);
    check("data: 1\n\nevent: error", &[event("", "1")]);
}

#[test]
fn characters_may_be_cut_and_broken_ones_are_replaced() {
    check("data: Việt 中文 🙂\n\n", &[event("", "Việt 中文 🙂")]);
    check(b"data: a\xFFb\xE4\xB8\n\nevent: \xF0\x9F\ndata: c\n\n", &[event("", "a\u{fffd}b\u{fffd}"), event("\u{fffd}", "c")]);
}

#[test]
fn an_event_that_is_too_large_stops_the_reading_and_frees_its_memory() {
    for piece in [1, 7, 1000] {
        let (mut decoder, mut events) = (Decoder::with_limit(20), Vec::new());
        let stream = b"data: 1\n\ndata: 1234567890123456\n\ndata: 2\n\n";
        let failed = stream.chunks(piece).any(|piece| decoder.push(piece, &mut events).is_err());
        assert!(failed, "pieces of {piece}");
        assert_eq!(events, [event("", "1")], "pieces of {piece}");
        assert_eq!(decoder.push(b"data: 3\n\n", &mut events), Err(TooLarge));
        decoder.finish(&mut events);
        assert_eq!(events, [event("", "1")], "pieces of {piece}");
        assert_eq!(decoder.line.capacity() + decoder.data.capacity(), 0);
    }
    // Many lines count together; an endless comment counts too.
    let (mut decoder, mut events) = (Decoder::with_limit(20), Vec::new());
    assert!((0..10).any(|_| decoder.push(b"data: 12\n", &mut events).is_err()));
    let mut decoder = Decoder::with_limit(20);
    assert!((0..30).any(|_| decoder.push(b":", &mut events).is_err()));
    assert_eq!(events, []);
}

#[test]
fn the_buffers_of_a_large_event_are_given_back() {
    let (mut decoder, mut events) = (Decoder::new(), Vec::new());
    let large = vec![b'x'; 1024 * 1024];
    for piece in [b"data: ".as_slice(), &large, b"\n\ndata: 2\n\n"] {
        decoder.push(piece, &mut events).unwrap();
    }
    assert_eq!(events.iter().map(|event| event.data.len()).collect::<Vec<_>>(), [large.len(), 1]);
    assert!(decoder.line.capacity() <= KEPT && decoder.data.capacity() <= KEPT);
}

/// The standard, step by step on the whole text, with nothing to make it fast.
fn plainly(stream: &[u8]) -> Vec<SseEvent> {
    // Line ends are ASCII, so replacing broken bytes first or last is the same, but for a character cut by one of them.
    let stream = stream.strip_prefix(BOM).unwrap_or(stream);
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    let mut at = 0;
    while at < stream.len() {
        match stream[at] {
            b'\r' if stream.get(at + 1) == Some(&b'\n') => {
                lines.push(Vec::new());
                at += 1;
            }
            b'\r' | b'\n' => lines.push(Vec::new()),
            byte => lines.last_mut().unwrap().push(byte),
        }
        at += 1;
    }
    // The text after the last line end is a line where it holds something, else it is none.
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    let (mut events, mut name, mut data) = (Vec::new(), Vec::new(), Vec::<Vec<u8>>::new());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    for line in lines {
        if line.is_empty() {
            if !data.is_empty() {
                events.push(event(&text(&name), &text(&data.join(&b'\n'))));
            }
            name.clear();
            data.clear();
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let value = colon.map_or(&[] as &[u8], |colon| &line[colon + 1..]);
        let value = if value.first() == Some(&b' ') { &value[1..] } else { value };
        match &line[..colon.unwrap_or(line.len())] {
            b"event" => name = value.to_vec(),
            b"data" => data.push(value.to_vec()),
            _ => {}
        }
    }
    if !data.is_empty() {
        events.push(cut_off(&text(&name), &text(&data.join(&b'\n'))));
    }
    events
}

fn streams() -> impl Strategy<Value = Vec<u8>> {
    let parts: Vec<&[u8]> = vec![
        b"data",
        b"data: ",
        b"data:",
        b"event: ",
        b"event",
        b"id: 1",
        b":",
        b" ",
        b"\n",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        BOM,
        b"\xE4\xB8",
        b"\xAD",
        b"\xFF",
        b"{\"a\":1}",
        b"[DONE]",
        "é中🙂".as_bytes(),
    ];
    let part = prop_oneof![4 => select(parts).prop_map(<[u8]>::to_vec), 1 => vec(any::<u8>(), 0..4)];
    vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_cut_of_any_stream_reads_the_same(stream in streams(), cuts in vec(any::<Index>(), 0..12)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]);
        let expected = plainly(&stream);
        prop_assert_eq!(read(pieces), expected.clone());
        prop_assert_eq!(read([stream.as_slice()]), expected);
    }
}
