//! Server-sent events, read from bytes as they come. Time and memory are linear in the bytes read: a byte is looked at once, and
//! only what belongs to an unfinished event is kept. By the WHATWG standard (HTML, 9.2.6), except that an event which the end of
//! the stream cuts off is given out as [`SseEvent::unterminated`]: a last error or `[DONE]` often has no blank line after it.

use memchr::memchr2;

/// Bytes that one event may take, its lines that are ignored included.
pub const EVENT_LIMIT: usize = 16 * 1024 * 1024;

/// A buffer larger than this is given back after the event that needed it.
const KEPT: usize = 64 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One event with data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its `event` field; `""` where it has none.
    pub event: String,
    /// Its `data` lines, joined by line feeds; bytes that are no UTF-8 are U+FFFD.
    pub data: String,
    /// The stream ended before the blank line that ends an event, so the data may be cut.
    pub unterminated: bool,
}

/// An event is larger than [`EVENT_LIMIT`]; nothing after it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {} MiB", EVENT_LIMIT / (1024 * 1024))]
pub struct TooLarge;

/// Reads events from pieces of a stream, however it is cut into pieces.
#[derive(Debug)]
pub struct Decoder {
    /// The line whose end has not come yet.
    line: Vec<u8>,
    /// Data of the event whose end has not come yet.
    data: Vec<u8>,
    /// Whether that event has a `data` line: an empty one counts.
    has_data: bool,
    /// Its name.
    event: Vec<u8>,
    /// Nothing has been read: a byte order mark may come.
    at_start: bool,
    /// The last line ended with CR, and a LF right after it belongs to that end.
    after_cr: bool,
    /// An event was too large.
    failed: bool,
    limit: usize,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::with_limit(EVENT_LIMIT)
    }
}

impl Decoder {
    /// At the beginning of a stream.
    pub fn new() -> Decoder {
        Decoder::default()
    }

    fn with_limit(limit: usize) -> Decoder {
        Decoder {
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            event: Vec::new(),
            at_start: true,
            after_cr: false,
            failed: false,
            limit,
        }
    }

    /// Reads the next piece and appends the events that end in it.
    ///
    /// # Errors
    /// An event is larger than [`EVENT_LIMIT`]; those before it are in `events`.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), TooLarge> {
        if self.failed {
            return Err(TooLarge);
        }
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            self.within(line.len())?;
            if self.line.is_empty() {
                self.end_line(line, events);
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.end_line(&whole, events);
                whole.clear();
                if whole.capacity() <= KEPT {
                    self.line = whole;
                }
            }
            rest = after;
            if bytes[bytes.len() - after.len() - 1] == b'\r' {
                match after.first() {
                    Some(b'\n') => rest = &after[1..],
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
        }
        self.within(rest.len())?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// The stream has ended: gives out the event that has no blank line after it, if there is one.
    pub fn finish(&mut self, events: &mut Vec<SseEvent>) {
        let line = std::mem::take(&mut self.line);
        if !self.failed && !line.is_empty() {
            self.end_line(&line, events);
        }
        if !self.failed && self.has_data {
            let event = self.take_event();
            events.push(SseEvent { unterminated: true, ..event });
        }
        *self = Decoder::with_limit(self.limit);
    }

    fn within(&mut self, more: usize) -> Result<(), TooLarge> {
        if self.data.len() + self.event.len() + self.line.len() + more > self.limit {
            self.failed = true;
            (self.line, self.data) = (Vec::new(), Vec::new());
            return Err(TooLarge);
        }
        Ok(())
    }

    fn end_line(&mut self, line: &[u8], events: &mut Vec<SseEvent>) {
        let line = if std::mem::take(&mut self.at_start) { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if line.is_empty() {
            if self.has_data {
                let event = self.take_event();
                events.push(event);
            }
            self.event.clear();
            return;
        }
        // A comment has an empty name; `id` and `retry` are for those who reconnect, which a model's answer does not allow.
        if let Some(value) = field(line, b"data") {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data.extend_from_slice(value);
        } else if let Some(value) = field(line, b"event") {
            self.event.clear();
            self.event.extend_from_slice(value);
        }
    }

    fn take_event(&mut self) -> SseEvent {
        self.has_data = false;
        let data = String::from_utf8_lossy(&self.data).into_owned();
        self.data.clear();
        if self.data.capacity() > KEPT {
            self.data = Vec::new();
        }
        SseEvent { event: String::from_utf8_lossy(&self.event).into_owned(), data, unterminated: false }
    }
}

/// The value of a line with this field: what stands after the colon, without one space; empty where there is no colon.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(b""),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
