//! One line of a journal: `{"crc":"<16 hex>","r":{…}}`, the checksum taken over the exact bytes of `r`.

use crate::model::event::{Body, Event, Header, Kind};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Version of a record, its `v`.
pub const VERSION: u32 = 1;
/// Format of a journal, in its header.
pub const FORMAT: &str = "tamis.journal/1";

const HEAD: &[u8] = b"{\"crc\":\"";
const MIDDLE: &[u8] = b"\",\"r\":";
const TAIL: &[u8] = b"}";
const CRC_DIGITS: usize = 16;

/// The checksum that a record carries and the next one repeats as `prev`.
pub(super) fn checksum(record: &[u8]) -> String {
    blake3::hash(record).to_hex()[..CRC_DIGITS].to_owned()
}

/// A record made ready to be written.
pub(super) struct Encoded {
    /// The line, line feed included.
    pub line: Vec<u8>,
    /// Its checksum.
    pub crc: String,
}

/// Levels of nesting that a reader takes (serde_json stops at 128, the record itself takes some).
const MAX_NESTING: usize = 120;

/// Whether a JSON text nests deeper than a reader takes: such a record could be written and never read.
pub(super) fn is_too_deep(json: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_NESTING {
                    return true;
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Encodes an event.
pub(super) fn encode(event: &Event) -> Result<Encoded, serde_json::Error> {
    let record = serde_json::to_vec(event)?;
    let crc = checksum(&record);
    let line = [HEAD, crc.as_bytes(), MIDDLE, &record, TAIL, b"\n"].concat();
    Ok(Encoded { line, crc })
}

/// Checksum and bytes of the record on a line (line feed excluded), where the line is whole and unharmed.
pub(super) fn unframe(line: &[u8]) -> Result<(&str, &[u8]), &'static str> {
    let framed = || {
        let rest = line.strip_prefix(HEAD)?;
        let (crc, rest) = rest.split_at_checked(CRC_DIGITS)?;
        let record = rest.strip_prefix(MIDDLE)?.strip_suffix(TAIL)?;
        Some((std::str::from_utf8(crc).ok()?, record))
    };
    let (crc, record) = framed().ok_or("it is no record")?;
    if checksum(record) == crc { Ok((crc, record)) } else { Err("its checksum does not match") }
}

/// Whether a bad line is two lines whose line feed was lost: a whole record ends it, or stands before its last beginning
/// of a record. An interrupted append never looks like that.
pub(super) fn is_glued(line: &[u8]) -> bool {
    let Some(at) = last_record_start(line).filter(|at| *at > 0) else { return false };
    unframe(&line[at..]).is_ok() || unframe(&line[..at]).is_ok() || unframe(&line[..at - 1]).is_ok()
}

fn last_record_start(line: &[u8]) -> Option<usize> {
    line.windows(HEAD.len()).rposition(|window| window == HEAD)
}

/// What links a record to the one before it.
pub(super) trait Linked: DeserializeOwned {
    /// Version, sequence number and the checksum of the record before.
    fn link(&self) -> (u32, u64, &str);
}

impl Linked for Event {
    fn link(&self) -> (u32, u64, &str) {
        (self.v, self.seq, &self.prev)
    }
}

/// An event without its body, for listings.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Meta {
    v: u32,
    seq: u64,
    prev: String,
    /// When.
    pub at: String,
    /// Kind.
    pub kind: Kind,
}

impl Linked for Meta {
    fn link(&self) -> (u32, u64, &str) {
        (self.v, self.seq, &self.prev)
    }
}

/// Why a record whose checksum is right cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unfit {
    /// Another version of tamis wrote it.
    #[error("{0}")]
    Foreign(String),
    /// It does not follow from what stands before it, or is no event.
    #[error("{0}")]
    Damaged(String),
}

/// Reads a record that passed its checksum and has to come next after `prev`.
pub(super) fn take<T: Linked>(record: &[u8], seq: u64, prev: &str) -> Result<T, Unfit> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let foreign = |v| Unfit::Foreign(format!("its version is {v}, and this tamis knows version {VERSION}"));
    let event: T = serde_json::from_slice(record).map_err(|error| match serde_json::from_slice(record) {
        Ok(Version { v }) if v != VERSION => foreign(v),
        _ => Unfit::Damaged(format!("it is no event: {error}")),
    })?;
    let (v, found_seq, found_prev) = event.link();
    if v != VERSION {
        Err(foreign(v))
    } else if found_seq != seq {
        Err(Unfit::Damaged(format!("it says it is record {found_seq}")))
    } else if found_prev != prev {
        Err(Unfit::Damaged("it does not follow from the record before it".to_owned()))
    } else {
        Ok(event)
    }
}

/// Reads the header out of a journal's first record.
pub(super) fn header(record: &[u8]) -> Result<Header, Unfit> {
    #[derive(Deserialize)]
    struct First {
        kind: Kind,
        body: Body,
    }
    let first: First = serde_json::from_slice(record).map_err(|error| Unfit::Damaged(format!("it is no event: {error}")))?;
    header_of(&first.kind, &first.body)
}

/// The header in an event of this kind with this body.
pub(super) fn header_of(kind: &Kind, body: &Body) -> Result<Header, Unfit> {
    if *kind != Kind::RunStarted {
        return Err(Unfit::Damaged(format!("a journal begins with run_started, not with {}", kind.word())));
    }
    let fields = body.value();
    let format = fields["format"].as_str().unwrap_or_default();
    if format != FORMAT {
        return Err(Unfit::Foreign(format!("its format is \"{format}\", and this tamis knows {FORMAT}")));
    }
    Header::deserialize(&fields).map_err(|error| Unfit::Damaged(format!("its header cannot be read: {error}")))
}
