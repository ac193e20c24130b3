//! Reads a journal line by line and says how far it can be trusted.

use super::record::{self, Linked, Unfit};
use crate::model::event::Header;
use std::io::{self, BufRead, Read as _};

/// Longest line that is read or written, in bytes; the document itself is at most a quarter of it.
pub const MAX_LINE: u64 = 64 << 20;
/// Largest journal that is read or written, in bytes.
pub const MAX_JOURNAL: u64 = 512 << 20;

/// What stopped a scan before the end of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The last line is what an interrupted append leaves.
    Torn,
    /// The file was changed by something else than appends.
    Damaged(String),
    /// Another version of tamis wrote it.
    Foreign(String),
}

impl From<Unfit> for Problem {
    fn from(unfit: Unfit) -> Problem {
        match unfit {
            Unfit::Foreign(why) => Problem::Foreign(why),
            Unfit::Damaged(why) => Problem::Damaged(why),
        }
    }
}

/// How far a journal can be trusted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scan {
    /// The header; `None` where not even the first record is whole.
    pub header: Option<Header>,
    /// Length in bytes of all that was there to read.
    pub len: u64,
    /// Length in bytes of the whole records from the start.
    pub good: u64,
    /// Sequence number that comes next; the number of whole records.
    pub next_seq: u64,
    /// Checksum of the last whole record.
    pub prev: String,
    /// What comes after them, if anything does.
    pub problem: Option<Problem>,
}

/// Reads records until the end or the first bad line, and hands over each good one. Memory: one line.
///
/// A bad line is a torn tail only where nothing follows it. A record with the right checksum in the wrong place is never
/// one, because an append writes it whole or not at all.
pub(super) fn scan<T: Linked>(reader: impl BufRead, keep: impl FnMut(T)) -> io::Result<Scan> {
    go_on(Scan::default(), reader, keep)
}

/// Goes on with a scan from where its whole records end; `reader` begins there.
pub(super) fn go_on<T: Linked>(scan: Scan, mut reader: impl BufRead, mut keep: impl FnMut(T)) -> io::Result<Scan> {
    let mut scan = Scan { problem: None, ..scan };
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            return Ok(scan);
        }
        let ended = line.pop_if(|byte| *byte == b'\n').is_some();
        if read > MAX_LINE {
            scan.problem = Some(Problem::Damaged(format!("it is longer than {} MiB", MAX_LINE >> 20)));
            return Ok(scan);
        }
        let why = match record::unframe(&line) {
            Ok((crc, bytes)) if ended => {
                match accept(&mut scan, bytes) {
                    Ok(event) => keep(event),
                    Err(unfit) => {
                        scan.problem = Some(unfit.into());
                        return Ok(scan);
                    }
                }
                scan.good += read;
                scan.next_seq += 1;
                scan.prev = crc.to_owned();
                continue;
            }
            Ok(_) => "it is unfinished",
            Err(why) => why,
        };
        let last = reader.fill_buf()?.is_empty();
        scan.problem = Some(if last && !record::is_glued(&line) { Problem::Torn } else { Problem::Damaged(why.to_owned()) });
        return Ok(scan);
    }
}

fn accept<T: Linked>(scan: &mut Scan, bytes: &[u8]) -> Result<T, Unfit> {
    let event = record::take(bytes, scan.next_seq, &scan.prev)?;
    if scan.next_seq == 0 {
        scan.header = Some(record::header(bytes)?);
    }
    Ok(event)
}
