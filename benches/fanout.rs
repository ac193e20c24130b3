//! The engine against the clock: the real binary reviews, headless, against a server on loopback whose every answer takes 200 ms,
//! streamed in 50 pieces. Printed are medians: the wall time beside the ideal one (a wave or a round of the critic after the
//! other, and nothing else), what the process took of the processor, the most memory it held, and the most calls that ran at one
//! time. Run by hand on a quiet machine: `cargo bench --locked --bench fanout`; a word after `--` picks the cases whose name
//! holds it. State and documents lie in `TMPDIR`: each record of a run waits for that disk.

#![expect(clippy::disallowed_macros, reason = "its figures are for people")]

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep_until;

const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");
/// What an answer takes from the moment its request has been read to its last byte.
const ANSWER: Duration = Duration::from_millis(200);
const PIECES: u32 = 50;
/// Rounds of the critic: one that finds something, two that do not.
const ROUNDS: u32 = 3;
const RUNS: usize = 5;
/// How often the memory of the process is looked at; what is read is its highest so far.
const LOOK: Duration = Duration::from_millis(10);
const MB: usize = 1_000_000;
/// Pairs of a thought and a comment that are sent at one time, at most.
const PAIRS: usize = 200;
/// How the critic's question begins, as it stands in a request.
const CRITIC: &[u8] = b"# Your task: what has been missed";

fn main() {
    let chosen = std::env::args().skip(1).find(|word| !word.starts_with('-')).unwrap_or_default();
    let server = Server::start();
    for case in CASES.iter().filter(|case| case.name.contains(&chosen)) {
        // The first one warms the caches of the system.
        let _ = once(&server, case);
        let ran: Vec<Ran> = (0..RUNS).map(|_| once(&server, case)).collect();
        println!("{}", told(case, &ran));
    }
}

/// What is measured.
struct Case {
    name: &'static str,
    /// Use cases of the document, of 25 lines each.
    units: usize,
    plan: &'static [&'static str],
    agents: u32,
    /// Calls at one time, in the settings.
    concurrency: usize,
    /// Whether the offline rules review as well.
    floor: bool,
    /// Bytes around the words of all answers together.
    padding: usize,
    /// No server: a script answers within the process, after the same time.
    script: bool,
}

const TWELVE: Case = Case {
    name: "12 agents + 3 critics",
    units: 12,
    plan: &["--agent-cap", "12"],
    agents: 12,
    concurrency: 12,
    floor: true,
    padding: 0,
    script: false,
};

const WAVES: Case = Case {
    name: "300 agents in waves of 100",
    units: 120,
    plan: &["--agent-cap", "100", "--dimensions", "DEV,SA,PO,QA", "--replicas", "3"],
    agents: 300,
    concurrency: 100,
    ..TWELVE
};

const CASES: [Case; 7] = [
    TWELVE,
    Case { name: "12 agents + 3 critics, no rules beside them", floor: false, ..TWELVE },
    WAVES,
    Case { name: "300 agents in waves of 100, by a script", script: true, ..WAVES },
    Case { name: "300 agents at once, 100 calls at a time", plan: &["--agent-cap", "300"], ..WAVES },
    Case { name: "memory, 1 MB streamed", padding: MB, ..TWELVE },
    Case { name: "memory, 100 MB streamed", padding: 100 * MB, ..TWELVE },
];

/// How one run went.
struct Ran {
    wall: f64,
    cpu: f64,
    peak_mb: f64,
    most: usize,
}

/// One review from the start of the process to its end.
fn once(server: &Server, case: &Case) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("settings/tamis")).expect("a folder for settings");
    fs::write(path("settings/tamis/config.yaml"), settings(server.port, case)).expect("settings");
    fs::write(path("prd.md"), document(case.units)).expect("a document");
    fs::write(path("script.yaml"), script()).expect("a script");
    let by_script: &[&str] = if case.script { &["--agent", "script:script.yaml"] } else { &[] };
    let calls = case.agents + ROUNDS;
    server.book.begin(case.padding / calls as usize);

    let (before, began) = (cpu_of_children(), Instant::now());
    let child = Command::new(TAMIS)
        .args(["review", "prd.md", "--headless", "--events", "events.jsonl", "--defer-all", "measured", "--defer-policy"])
        .args(case.plan)
        .args(by_script)
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("XDG_CONFIG_HOME", path("settings"))
        .env("XDG_STATE_HOME", path("state"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    server.book.client.store(child.id(), Ordering::Relaxed);
    let output = child.wait_with_output().expect("it ends");
    let wall = began.elapsed().as_secs_f64() * 1e3;
    let cpu = (cpu_of_children() - before) * 1e3;

    let book = &server.book;
    book.client.store(0, Ordering::Relaxed);
    assert!(output.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&output.stderr));
    let asked = if case.script { 0 } else { calls as usize };
    assert_eq!(book.requests.load(Ordering::Relaxed), asked, "{}: calls", case.name);
    Ran { wall, cpu, peak_mb: book.peak_kib.load(Ordering::Relaxed) as f64 / 1024.0, most: book.most.load(Ordering::Relaxed) }
}

/// Seconds that all children so far took of the processor.
fn cpu_of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage");
    [usage.user_time(), usage.system_time()].iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum()
}

/// One line about a case.
fn told(case: &Case, ran: &[Ran]) -> String {
    let of = |pick: fn(&Ran) -> f64| {
        let mut values: Vec<f64> = ran.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        (values[values.len() / 2], values[0], values[values.len() - 1])
    };
    let waves = case.agents.div_ceil(case.concurrency as u32) + ROUNDS;
    let ideal = (ANSWER * waves).as_secs_f64() * 1e3;
    let ((wall, least, longest), (cpu, ..), (peak, ..)) = (of(|ran| ran.wall), of(|ran| ran.cpu), of(|ran| ran.peak_mb));
    let most = ran.iter().map(|ran| ran.most).max().unwrap_or(0);
    let Case { name, concurrency, .. } = case;
    let timed = match case.padding {
        0 => format!("of {ideal:.0} ideal: × {:.3}", wall / ideal),
        _ => "in all".to_owned(),
    };
    let ran = format!("{name:46} {wall:5.0} ms [{least:.0}..{longest:.0}] {timed}, CPU {cpu:4.0} ms");
    match case.script {
        true => ran,
        false => format!("{ran}, peak {peak:5.1} MB, {most} of {concurrency} calls at one time"),
    }
}

fn settings(port: u16, case: &Case) -> String {
    format!(
        "schema: tamis.config/1\nagents:\n  mock:\n    kind: openai\n    model: mock\n    base_url: http://127.0.0.1:{port}/v1\n    \
         key_env: none\n    concurrency: {}\nseats: {{reviewer: mock, floor: {}}}\n",
        case.concurrency, case.floor
    )
}

/// What the server says, as a script.
fn script() -> String {
    let took = ANSWER.as_millis();
    let steps = [("critic/1", json!([found()])), ("critic/*", json!([])), ("review/*", json!([]))];
    let steps = steps.map(|(key, findings)| json!({ "key": key, "delay_ms": took, "findings": findings }));
    // JSON is YAML.
    json!({ "schema": "tamis.script/1", "steps": steps }).to_string()
}

/// A requirement document with use cases of 25 lines each.
fn document(units: usize) -> String {
    let actors = ["The courier", "The recipient", "The operator", "The service desk"];
    let acts = ["opens the locker", "gets a new code", "sees the state of the parcel", "is told why it was refused"];
    let mut text = String::from("# Parcel lockers\n\n");
    for unit in 1..=units {
        let _ = write!(text, "## UC-{unit:03}: Use case {unit}\n\n### Acceptance Criteria\n\n");
        for n in 0..8 {
            let (actor, act) = (actors[n % 4], acts[(unit + n) % 4]);
            let _ =
                writeln!(text, "- AC-{unit:03}{n}: {actor} {act} before locker {unit} closes, as said in BR-{unit:03}{}.", n % 4);
        }
        let _ = write!(text, "\n### Business Rules\n\n| ID | Rule |\n|---|---|\n");
        for n in 0..4 {
            let _ = writeln!(text, "| BR-{unit:03}{n} | {} {} in hall {unit}, at locker {n}. |", actors[n], acts[(unit + n) % 4]);
        }
        let _ = write!(text, "\n### Notes\n\nHall {unit} is open from Monday to Friday.\n\n");
    }
    text
}

/// What the critic finds in its first round.
fn found() -> Value {
    json!({
        "dimension": "DEV", "severity": "minor", "section": "UC-002: Use case 2 > Notes", "uc_id": "UC-002",
        "quote": "Hall 2 is open from Monday to Friday.", "missing": "",
        "finding": "The opening hours of hall 2 name the days of the week and leave out public holidays.",
        "suggestion": "Say whether hall 2 is open on public holidays.",
        "auto_fixable": false, "resolution_edge_cases": [], "blocked_on": [],
    })
}

/// What the server has seen of the run under way.
#[derive(Default)]
struct Book {
    requests: AtomicUsize,
    critics: AtomicUsize,
    running: AtomicUsize,
    /// The most requests that ran at one time.
    most: AtomicUsize,
    /// Bytes around the words of each answer.
    padding: AtomicUsize,
    /// The process whose memory is looked at; 0 for none.
    client: AtomicU32,
    peak_kib: AtomicU64,
}

impl Book {
    fn begin(&self, padding: usize) {
        for count in [&self.requests, &self.critics, &self.running, &self.most] {
            count.store(0, Ordering::Relaxed);
        }
        self.peak_kib.store(0, Ordering::Relaxed);
        self.padding.store(padding, Ordering::Relaxed);
    }

    /// Reads the most memory that the process has held so far.
    fn look(&self) {
        let client = self.client.load(Ordering::Relaxed);
        let status =
            if client == 0 { String::new() } else { fs::read_to_string(format!("/proc/{client}/status")).unwrap_or_default() };
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
        self.peak_kib.fetch_max(peak, Ordering::Relaxed);
    }

    /// What is answered to a request.
    fn answer(&self, request: &[u8]) -> String {
        let is_critic = memchr::memmem::find(request, CRITIC).is_some();
        let finds = is_critic && self.critics.fetch_add(1, Ordering::Relaxed) == 0;
        let findings = if finds { vec![found()] } else { Vec::new() };
        json!({ "findings": findings }).to_string()
    }
}

/// A server of streamed chat completions on a thread of its own.
struct Server {
    port: u16,
    book: Arc<Book>,
}

impl Server {
    /// It ends with the process.
    fn start() -> Server {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let port = listener.local_addr().expect("an address").port();
        let book = Arc::new(Book::default());
        let server = Server { port, book: Arc::clone(&book) };
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(listen(listener, book));
        });
        server
    }
}

async fn listen(listener: std::net::TcpListener, book: Arc<Book>) {
    let listener = TcpListener::from_std(listener).expect("a listener");
    let padding: Arc<[u8]> = Arc::from(padding());
    let looks = Arc::clone(&book);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(LOOK);
        loop {
            ticks.tick().await;
            looks.look();
        }
    });
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let (book, padding) = (Arc::clone(&book), Arc::clone(&padding));
        // A client that hangs up ends it.
        tokio::spawn(async move { serve(stream, &book, &padding).await.ok() });
    }
}

async fn serve(mut stream: TcpStream, book: &Book, padding: &[u8]) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut bytes = Vec::new();
    while let Some(request) = read(&mut stream, &mut bytes).await? {
        let began = tokio::time::Instant::now();
        book.requests.fetch_add(1, Ordering::Relaxed);
        let running = book.running.fetch_add(1, Ordering::Relaxed) + 1;
        book.most.fetch_max(running, Ordering::Relaxed);
        let text = book.answer(&request);
        send(&mut stream, &text, began, book, padding).await?;
    }
    Ok(())
}

/// The body of the next request; `None` where the client is gone.
async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
            let begin = end + 4;
            while bytes.len() < begin + length {
                if stream.read_buf(bytes).await? == 0 {
                    return Ok(None);
                }
            }
            let rest = bytes.split_off(begin + length);
            return Ok(Some(std::mem::replace(bytes, rest).split_off(begin)));
        }
        if stream.read_buf(bytes).await? == 0 {
            return Ok(None);
        }
    }
}

/// Streams an answer so that its last piece leaves when its time is up.
async fn send(stream: &mut TcpStream, text: &str, began: tokio::time::Instant, book: &Book, padding: &[u8]) -> io::Result<()> {
    let mut out = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    chunk(&mut out, event(json!([choice(json!({ "role": "assistant", "content": "" }), None)]), None).as_bytes());
    stream.write_all(&out).await?;
    let (around, pair) = (book.padding.load(Ordering::Relaxed) / PIECES as usize, padding.len() / PAIRS);
    let padded = format!("{text:0$}", PIECES as usize);
    let long = padded.len();
    for number in 1..=PIECES {
        sleep_until(began + ANSWER * number / PIECES).await;
        let piece = |number: u32| long * number as usize / PIECES as usize;
        let words = &padded[piece(number - 1)..piece(number)];
        let mut left = around / pair;
        while left > 0 {
            let pairs = left.min(PAIRS);
            let mut out = Vec::new();
            chunk(&mut out, &padding[..pairs * pair]);
            stream.write_all(&out).await?;
            left -= pairs;
        }
        let mut out = Vec::new();
        chunk(&mut out, event(json!([choice(json!({ "content": words }), None)]), None).as_bytes());
        if number == PIECES {
            let usage = json!({ "prompt_tokens": 10, "completion_tokens": 50, "total_tokens": 60 });
            chunk(&mut out, event(json!([choice(json!({}), Some("stop"))]), None).as_bytes());
            chunk(&mut out, event(json!([]), Some(usage)).as_bytes());
            chunk(&mut out, b"data: [DONE]\n\n");
            out.extend_from_slice(b"0\r\n\r\n");
            // Before the end is sent: a client may ask again the moment it has it.
            book.running.fetch_sub(1, Ordering::Relaxed);
        }
        stream.write_all(&out).await?;
    }
    Ok(())
}

fn choice(delta: Value, finish: Option<&str>) -> Value {
    json!({ "index": 0, "delta": delta, "finish_reason": finish })
}

fn event(choices: Value, usage: Option<Value>) -> String {
    let mut event = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "mock", "choices": choices,
    });
    if let Some(usage) = usage {
        event["usage"] = usage;
    }
    format!("data: {event}\n\n")
}

/// What is no word of an answer: thoughts and comments, in pairs.
fn padding() -> Vec<u8> {
    let thought = event(json!([choice(json!({ "reasoning_content": "and so on ".repeat(6) }), None)]), None);
    let both = format!("{thought}: still at work\n\n");
    both.repeat(PAIRS).into_bytes()
}

fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(format!("{:x}\r\n", bytes.len()).as_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}
