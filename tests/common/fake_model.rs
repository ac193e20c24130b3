//! A model server on loopback that says what it is told to say, and looks at every request as a strict one would.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tamis::config::roster::Api;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }
}

/// What is sent of a body, one after the other.
#[derive(Clone, Debug)]
pub enum Piece {
    /// These bytes, as a chunk of their own.
    Bytes(Vec<u8>),
    /// These bytes so many times.
    Times(Vec<u8>, usize),
    /// Nothing, until the client hangs up.
    Stall,
    /// The connection is closed amid the body.
    Break,
    /// Nothing, until the test says so.
    Until(Arc<Notify>),
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Play {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub pieces: Vec<Piece>,
    /// Nothing at all is sent before the client hangs up.
    pub silent: bool,
}

impl Play {
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Play {
        let pieces = vec![Piece::Bytes(body.into())];
        Play { status, headers: vec![("content-type", kind.to_owned())], pieces, silent: false }
    }

    pub fn header(mut self, name: &'static str, value: impl ToString) -> Play {
        self.headers.push((name, value.to_string()));
        self
    }

    /// A clean answer as a stream, in several pieces.
    pub fn stream(api: Api, text: &str) -> Play {
        let pieces = events(api, text).into_iter().map(|event| Piece::Bytes(event.into_bytes())).collect();
        Play { pieces, ..Play::new(200, "text/event-stream", "") }
    }

    /// The first `events` of a stream, then something else.
    pub fn stream_until(api: Api, text: &str, events: usize, then: Piece) -> Play {
        let mut play = Play::stream(api, text);
        play.pieces.truncate(events);
        play.pieces.push(then);
        play
    }

    /// A clean answer in one piece.
    pub fn whole(api: Api, text: &str) -> Play {
        let body = match api {
            Api::OpenAi => json!({
                "id": "c1", "object": "chat.completion", "model": "tiny-1",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
            }),
            Api::Anthropic => json!({
                "id": "m1", "type": "message", "role": "assistant", "model": "tiny-1",
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                "usage": {"input_tokens": 11, "output_tokens": 7},
            }),
        };
        Play::new(200, "application/json", body.to_string())
    }

    /// A refusal in the words of the API.
    pub fn error(api: Api, status: u16, kind: &str, message: &str) -> Play {
        let error = json!({"type": kind, "message": message, "code": null, "param": null});
        let body = match api {
            Api::OpenAi => json!({"error": error}),
            Api::Anthropic => json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "r1"}),
        };
        Play::new(status, "application/json", body.to_string())
    }
}

/// The events of a clean stream: a beginning, the text in two, and an end.
pub fn events(api: Api, text: &str) -> Vec<String> {
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (one, two) = text.split_at(half);
    match api {
        Api::OpenAi => {
            let piece = |delta: Value, finish: Value| {
                let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
                format!("data: {}\n\n", json!({"object": "chat.completion.chunk", "model": "tiny-1", "choices": [choice]}))
            };
            let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}});
            vec![
                piece(json!({"role": "assistant", "content": null}), Value::Null),
                piece(json!({"content": one}), Value::Null),
                piece(json!({"content": two}), Value::Null),
                piece(json!({}), json!("stop")),
                format!("data: {}\n\ndata: [DONE]\n\n", json!({"model": "tiny-1", "choices": [], "usage": usage})),
            ]
        }
        Api::Anthropic => {
            let event = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or_default());
            let delta = |text: &str| {
                event(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}))
            };
            let usage = json!({"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 1});
            let block = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
            vec![
                event(json!({"type": "message_start", "message": {"model": "tiny-1", "content": [], "usage": usage}}))
                    + &event(block),
                delta(one),
                delta(two),
                event(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}})),
                event(json!({"type": "message_stop"})),
            ]
        }
    }
}

/// What every request must bring.
#[derive(Clone, Debug)]
pub struct Expected {
    pub api: Api,
    pub key: Option<String>,
    pub model: String,
    pub stream: bool,
}

type Script = dyn Fn(usize, &Seen) -> Play + Send + Sync;

#[derive(Default)]
struct Book {
    seen: Vec<Seen>,
    wrong: Vec<String>,
    running: usize,
    most: usize,
    most_rss_kib: u64,
}

/// The server; it ends with the runtime of its test.
pub struct FakeModel {
    pub address: SocketAddr,
    book: Arc<Mutex<Book>>,
    hung_up: Arc<Notify>,
}

impl FakeModel {
    /// Answers requests in their order; one more than there are answers for is a mistake of the client.
    pub async fn start(expected: Expected, plays: Vec<Play>) -> FakeModel {
        FakeModel::scripted(expected, move |number, _| {
            plays
                .get(number)
                .cloned()
                .unwrap_or_else(|| Play::new(599, "text/plain", format!("request {number} was not expected")))
        })
        .await
    }

    /// Answers each request, counted from 0, as the script says.
    pub async fn scripted(expected: Expected, script: impl Fn(usize, &Seen) -> Play + Send + Sync + 'static) -> FakeModel {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (book, hung_up) = (Arc::new(Mutex::new(Book::default())), Arc::new(Notify::new()));
        let (script, expected): (Arc<Script>, _) = (Arc::new(script), Arc::new(expected));
        let server = FakeModel { address, book: Arc::clone(&book), hung_up: Arc::clone(&hung_up) };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (book, hung_up) = (Arc::clone(&book), Arc::clone(&hung_up));
                let (script, expected) = (Arc::clone(&script), Arc::clone(&expected));
                tokio::spawn(async move { serve(stream, &expected, &*script, &book, &hung_up).await });
            }
        });
        server
    }

    /// The base URL of its API.
    pub fn base_url(&self, api: Api) -> String {
        format!("http://{}{}", self.address, if api == Api::OpenAi { "/v1" } else { "" })
    }

    /// All requests, in their order.
    pub fn seen(&self) -> Vec<Seen> {
        self.book.lock().expect("book").seen.clone()
    }

    /// The most requests that ran at one time.
    pub fn most(&self) -> usize {
        self.book.lock().expect("book").most
    }

    /// The most memory that this process held while a long answer was sent, in KiB.
    pub fn most_rss_kib(&self) -> u64 {
        self.book.lock().expect("book").most_rss_kib
    }

    /// Until the client has hung up on an answer that stood still.
    pub async fn hung_up(&self) {
        self.hung_up.notified().await;
    }

    /// That nothing was wrong with any request, of which there were so many.
    #[track_caller]
    pub fn checked(&self, requests: usize) {
        let book = self.book.lock().expect("book");
        assert_eq!(book.wrong, Vec::<String>::new());
        assert_eq!(book.seen.len(), requests, "requests");
    }
}

/// The memory that this process holds, in KiB; 0 where the system does not tell.
pub fn rss_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

async fn serve(mut stream: TcpStream, expected: &Expected, script: &Script, book: &Mutex<Book>, hung_up: &Notify) {
    while let Some(seen) = read(&mut stream).await {
        let number = {
            let mut book = book.lock().expect("book");
            book.wrong.extend(wrong(&seen, expected));
            book.seen.push(seen.clone());
            book.running += 1;
            book.most = book.most.max(book.running);
            book.seen.len() - 1
        };
        let kept = answer(&mut stream, script(number, &seen), book, hung_up).await;
        if !kept {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if bytes.first() == Some(&0x16) {
            // A TLS handshake.
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            return None;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut lines = head.split("\r\n");
    let line = lines.next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut seen = Seen { line, headers, body: bytes[end + 4..].to_vec() };
    let length: usize = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while seen.body.len() < length {
        if stream.read_buf(&mut seen.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(seen)
}

/// What a strict server would not have.
fn wrong(seen: &Seen, expected: &Expected) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut must = |fine: bool, what: &str| {
        if !fine {
            wrong.push(format!("{what}: {} {:?}", seen.line, String::from_utf8_lossy(&seen.body)));
        }
    };
    let path = if expected.api == Api::OpenAi { "/v1/chat/completions" } else { "/v1/messages" };
    must(seen.line == format!("POST {path} HTTP/1.1"), "method and path");
    must(seen.header("content-type") == Some("application/json"), "content type");
    must(seen.header("user-agent").is_some_and(|agent| agent.starts_with("tamis/")), "user agent");
    must(seen.header("referer").is_none() && seen.header("cookie").is_none(), "nothing about other requests");
    let (bearer, key) = (seen.header("authorization"), seen.header("x-api-key"));
    let own = expected.key.as_ref().map(|key| format!("Bearer {key}"));
    match expected.api {
        Api::OpenAi => must(bearer == own.as_deref() && key.is_none(), "key"),
        Api::Anthropic => {
            must(key == expected.key.as_deref() && bearer.is_none(), "key");
            must(seen.header("anthropic-version").is_some(), "version");
        }
    }
    let Ok(body) = serde_json::from_slice::<Value>(&seen.body) else {
        must(false, "JSON");
        return wrong;
    };
    must(body["model"] == expected.model.as_str(), "model");
    must(body["stream"].as_bool().unwrap_or(false) == expected.stream, "stream");
    let limit = body.get("max_tokens").or_else(|| body.get("max_completion_tokens"));
    must(limit.and_then(Value::as_u64).is_some_and(|limit| limit > 0), "limit");
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let is_message = |message: &Value| message["role"].is_string() && !message["content"].is_null();
    must(!messages.is_empty() && messages.iter().all(is_message), "messages");
    must(messages.last().is_some_and(|last| last["role"] == "user"), "the last word is a question");
    must(body.get("temperature").is_none(), "no temperature");
    if let Some(key) = &expected.key {
        must(!String::from_utf8_lossy(&seen.body).contains(key), "no key in a body");
    }
    wrong
}

/// How the sending of an answer ended.
enum Sent {
    Whole,
    Broken,
    /// The client hung up while nothing came.
    HungUp,
}

/// Sends an answer; whether the connection lives on.
async fn answer(stream: &mut TcpStream, play: Play, book: &Mutex<Book>, hung_up: &Notify) -> bool {
    let sent = send(stream, play, book).await.unwrap_or(Sent::Broken);
    if matches!(sent, Sent::HungUp) {
        hung_up.notify_one();
    }
    matches!(sent, Sent::Whole)
}

async fn send(stream: &mut TcpStream, play: Play, book: &Mutex<Book>) -> std::io::Result<Sent> {
    let running = Running(book);
    if play.silent {
        until_gone(stream).await;
        return Ok(Sent::HungUp);
    }
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n", play.status);
    for (name, value) in &play.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await?;
    for piece in play.pieces {
        match piece {
            Piece::Bytes(bytes) => chunk(stream, &bytes).await?,
            Piece::Times(bytes, times) => {
                for _ in 0..times {
                    chunk(stream, &bytes).await?;
                    let mut book = book.lock().expect("book");
                    book.most_rss_kib = book.most_rss_kib.max(rss_kib());
                }
            }
            Piece::Stall => {
                until_gone(stream).await;
                return Ok(Sent::HungUp);
            }
            Piece::Break => return Ok(Sent::Broken),
            Piece::Until(told) => told.notified().await,
        }
    }
    // Before the end is sent: a client may ask again the moment it has it.
    drop(running);
    stream.write_all(b"0\r\n\r\n").await?;
    Ok(Sent::Whole)
}

/// Counts a request as running until it is dropped.
struct Running<'a>(&'a Mutex<Book>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.lock().expect("book").running -= 1;
    }
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed).await?;
    stream.flush().await
}

async fn until_gone(stream: &mut TcpStream) {
    let mut rest = [0; 64];
    while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}
