//! Reads an answer as its bytes come, and decides by the bytes what it is: servers send streams as `application/json` and errors
//! as `text/event-stream`.

use super::told::{error_in, page, quoted};
use super::verdict::Gathered;
use super::{Completion, WireFault, chat, messages};
use crate::agent::sse::{Decoder, SseEvent};
use crate::config::roster::Api;
use crate::model::answer::FaultClass;
use serde_json::Value;

/// Bytes of an answer that is one piece.
pub const JSON_LIMIT: usize = 16 * 1024 * 1024;
/// Bytes of a stream in all: hundreds of bytes around each few characters, and the thoughts, which are not kept.
pub const STREAM_LIMIT: usize = 512 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// What the bytes are.
#[derive(Debug)]
enum Form {
    /// Too few have come to tell; these have.
    Unknown(Vec<u8>),
    /// Server-sent events.
    Events(Decoder),
    /// Something whole: JSON, or a page.
    Whole(Vec<u8>),
}

/// Reads one answer.
#[derive(Debug)]
pub struct Reader {
    api: Api,
    stream: bool,
    form: Form,
    read: usize,
    events: Vec<SseEvent>,
    gathered: Gathered,
}

impl Reader {
    /// A reader of an answer with status 200 to a request in this format; `stream`: whether a stream was asked for.
    pub fn new(api: Api, stream: bool) -> Reader {
        let gathered = Gathered::default();
        Reader { api, stream, form: Form::Unknown(Vec::new()), read: 0, events: Vec::new(), gathered }
    }

    /// Takes the next bytes; hands new text to `said`.
    ///
    /// # Errors
    /// The answer has failed: nothing more need be read.
    pub fn chunk(&mut self, bytes: &[u8], said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
        self.read = self.read.saturating_add(bytes.len());
        let decided = match &mut self.form {
            Form::Unknown(start) => {
                start.extend_from_slice(bytes);
                skip_blank(start);
                let Some(is_stream) = is_stream(start) else { return self.bounded() };
                let start = std::mem::take(start);
                self.form = if is_stream { Form::Events(Decoder::new()) } else { Form::Whole(Vec::new()) };
                start
            }
            _ => Vec::new(),
        };
        let bytes = if decided.is_empty() { bytes } else { &decided };
        match &mut self.form {
            Form::Whole(body) => {
                // The bound comes first: nothing above it is kept.
                let room = JSON_LIMIT.saturating_sub(body.len());
                body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Form::Events(decoder) => {
                let pushed = decoder.push(bytes, &mut self.events);
                self.take_events(said)?;
                pushed.map_err(|fault| self.gathered.fault(FaultClass::Invalid, fault.to_string()))?;
            }
            Form::Unknown(_) => {}
        }
        self.bounded()
    }

    /// Whether the answer says of itself that it is over: nothing that may still come counts, and the connection may be closed.
    pub fn is_over(&self) -> bool {
        self.gathered.done
    }

    /// The body ended as it should.
    ///
    /// # Errors
    /// What was read is no clean answer.
    pub fn end(mut self) -> Result<Completion, WireFault> {
        match std::mem::replace(&mut self.form, Form::Whole(Vec::new())) {
            Form::Events(mut decoder) => {
                decoder.finish(&mut self.events);
                // Text that only now turns out to be there was not cut off by us: it is in the completion, or nowhere.
                self.take_events(&mut |_| {})?;
                if self.stream { self.gathered.conclude(true) } else { Err(self.unwanted_stream()) }
            }
            Form::Whole(body) | Form::Unknown(body) => self.end_whole(&body),
        }
    }

    /// The connection broke before the body ended.
    pub fn broken(self, why: &str) -> WireFault {
        self.gathered.accident(FaultClass::Broken, format!("the connection broke off: {}", quoted(why, 300)))
    }

    /// Nothing came for so many seconds.
    pub fn stalled(self, seconds: u64) -> WireFault {
        self.gathered.accident(FaultClass::Stalled, format!("the answer stood still for {seconds} s"))
    }

    fn bounded(&self) -> Result<(), WireFault> {
        let limit = if matches!(self.form, Form::Events(_)) { STREAM_LIMIT } else { JSON_LIMIT };
        if self.read <= limit {
            return Ok(());
        }
        let what = format!("the answer is longer than {} MiB on the wire", limit / (1024 * 1024));
        Err(self.gathered.fault(FaultClass::Invalid, what))
    }

    fn take_events(&mut self, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
        let mut events = std::mem::take(&mut self.events);
        let taken = events.drain(..).try_for_each(|event| self.take(&event, said));
        self.events = events;
        taken
    }

    fn take(&mut self, event: &SseEvent, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
        let data = event.data.trim();
        // `: OPENROUTER PROCESSING` comes as data where a gateway passes comments on as such.
        if self.gathered.done || (event.event != "error" && (data.is_empty() || data.starts_with(':'))) {
            return Ok(());
        }
        if data == "[DONE]" {
            self.gathered.done = true;
            return Ok(());
        }
        let piece = match serde_json::from_str::<Value>(data) {
            Ok(piece) => piece,
            Err(_) if event.event == "error" => Value::String(data.to_owned()),
            // Cut off by the end of the stream: whether the answer is whole, its reason for stopping tells.
            Err(_) if event.unterminated => return Ok(()),
            Err(_) => {
                let what = format!("a piece of the stream is not JSON: {}", quoted(data, 100));
                return Err(self.gathered.accident(FaultClass::Invalid, what));
            }
        };
        let told = error_in(&piece).or_else(|| {
            let as_error = || serde_json::json!({"error": piece.clone()});
            (event.event == "error").then(as_error).and_then(|value| error_in(&value))
        });
        if let Some(told) = told {
            return Err(self.gathered.error(&told));
        }
        if !self.stream {
            return Err(self.unwanted_stream());
        }
        match self.api {
            Api::OpenAi => chat::event(&mut self.gathered, &piece, said),
            Api::Anthropic => messages::event(&mut self.gathered, &event.event, &piece, said),
        }
    }

    fn unwanted_stream(&self) -> WireFault {
        self.gathered.fault(FaultClass::WrongFormat, "the server sent a stream although none was asked for")
    }

    fn end_whole(mut self, body: &[u8]) -> Result<Completion, WireFault> {
        let body = body.trim_ascii();
        if body.is_empty() {
            return Err(if self.stream {
                self.gathered.accident(FaultClass::Broken, "the stream ended before anything came")
            } else {
                self.gathered.fault(FaultClass::Empty, "the server reported success with nothing in it")
            });
        }
        let value = match serde_json::from_slice::<Value>(body) {
            Ok(value) => value,
            Err(fault) => return Err(self.unreadable(body, &fault)),
        };
        if let Some(told) = error_in(&value) {
            return Err(self.gathered.error(&told));
        }
        let taken = match self.api {
            // Of a whole answer nothing is said before it is known to be one.
            Api::OpenAi => chat::whole(&mut self.gathered, &value, &mut |_| {}),
            Api::Anthropic => messages::whole(&mut self.gathered, &value, &mut |_| {}),
        };
        match taken {
            None => {
                let what = format!("the server sent JSON that is no answer: {}", quoted(&String::from_utf8_lossy(body), 100));
                Err(self.gathered.fault(FaultClass::WrongFormat, what))
            }
            Some(Err(fault)) => Err(fault),
            Some(Ok(())) if self.stream => {
                let what = "the server sent one JSON answer although a stream was asked for";
                Err(self.gathered.fault(FaultClass::WrongFormat, what))
            }
            Some(Ok(())) => self.gathered.conclude(false),
        }
    }

    /// What it means that a whole body is no JSON.
    fn unreadable(&self, body: &[u8], fault: &serde_json::Error) -> WireFault {
        match body.first() {
            Some(b'{' | b'[') if fault.is_eof() => self.gathered.accident(FaultClass::Broken, "the answer broke off"),
            Some(b'{' | b'[') => self.gathered.accident(FaultClass::Invalid, format!("the answer is no valid JSON: {fault}")),
            _ => {
                let what = quoted(&page(&String::from_utf8_lossy(&body[..body.len().min(64 * 1024)])), 300);
                self.gathered.fault(FaultClass::WrongFormat, format!("the server sent no JSON but {what}"))
            }
        }
    }
}

/// Drops a byte order mark and blank lines, which some servers send to keep a connection open: they tell nothing.
fn skip_blank(start: &mut Vec<u8>) {
    // In any order, so that it does not matter in which pieces they come.
    let mut rest = start.trim_ascii_start();
    while let Some(behind) = rest.strip_prefix(BOM) {
        rest = behind.trim_ascii_start();
    }
    let blank = start.len() - rest.len();
    start.drain(..blank);
}

/// Whether bytes begin a stream of events; `None` while more are needed to tell.
fn is_stream(start: &[u8]) -> Option<bool> {
    if BOM.starts_with(start) {
        return None;
    }
    let fields = [b"data".as_slice(), b"event", b"id", b"retry"];
    let name = start.split(|byte| matches!(byte, b':' | b'\n' | b'\r')).next().unwrap_or_default();
    if name.len() < start.len() {
        // A comment has no name.
        return Some(name.is_empty() || fields.contains(&name));
    }
    if fields.iter().any(|field| field.starts_with(name)) { None } else { Some(false) }
}
