//! How fast server-sent events are read, and what memory it takes: many small events, and one large event in pieces of 1 KiB,
//! whose time must grow as its size does. Run by hand: `cargo bench --locked --bench sse`.

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher};
use tamis::agent::sse::{Decoder, SseEvent};

// The peak column shows memory: flat for any number of small events, a small multiple of the event for a large one.
#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const PIECE: usize = 1024;
const MB: usize = 1_000_000;

fn main() {
    divan::main();
}

/// As a server of chat completions sends them: about 300 bytes for a few characters.
fn small_events(bytes: usize) -> Vec<u8> {
    let mut stream = Vec::with_capacity(bytes + PIECE);
    for number in 0.. {
        if stream.len() >= bytes {
            break;
        }
        let event = format!(
            "data: {{\"id\":\"chatcmpl-8f3e2a\",\"object\":\"chat.completion.chunk\",\"created\":1764547200,\"model\":\"reviewer-1\",\
             \"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" việt {number}\"}},\
             \"logprobs\":null,\"finish_reason\":null}}]}}\n\n"
        );
        stream.extend_from_slice(event.as_bytes());
    }
    stream
}

/// Reads a stream piece by piece, as a client does that is done with an event before it reads on.
fn read(stream: &[u8], piece: usize) -> usize {
    let (mut decoder, mut events, mut total) = (Decoder::new(), Vec::<SseEvent>::new(), 0);
    for piece in stream.chunks(piece) {
        decoder.push(piece, &mut events).expect("no event is too large");
        total += events.drain(..).map(|event| event.data.len()).sum::<usize>();
    }
    decoder.finish(&mut events);
    total + events.iter().map(|event| event.data.len()).sum::<usize>()
}

/// Megabytes of small events, in pieces as a socket gives them.
#[divan::bench(args = [1, 10, 100], sample_count = 5)]
fn small(bencher: Bencher<'_, '_>, megabytes: usize) {
    let stream = small_events(megabytes * MB);
    bencher.counter(BytesCount::new(stream.len())).bench_local(|| read(&stream, 8 * PIECE));
}

/// Small events in small pieces.
#[divan::bench(sample_count = 5)]
fn small_in_1_kib(bencher: Bencher<'_, '_>) {
    let stream = small_events(10 * MB);
    bencher.counter(BytesCount::new(stream.len())).bench_local(|| read(&stream, PIECE));
}

/// One event of so many megabytes.
#[divan::bench(args = [1, 2, 4, 8], sample_count = 5)]
fn one_large(bencher: Bencher<'_, '_>, megabytes: usize) {
    let stream = [b"data: ".as_slice(), &vec![b'x'; megabytes * MB], b"\n\n"].concat();
    bencher.counter(BytesCount::new(stream.len())).bench_local(|| read(&stream, PIECE));
}
