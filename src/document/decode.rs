//! Bytes and files to text: what is accepted, and one clear sentence for what is not.

use super::Document;
use crate::model::fault::{Fault, FaultKind};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest document taken, in bytes: 16 MiB.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Bytes looked at to tell UTF-16 without a byte order mark from a stray NUL.
const UTF16_PROBE: usize = 4096;

const BARE_LITTLE: &str = "UTF-16 without a byte order mark (little endian)";
const BARE_BIG: &str = "UTF-16 without a byte order mark (big endian)";
// What bytes that are not UTF-8 may be.
const TWO_BYTES: &str = "a two-byte encoding such as GB18030, Big5 or Shift-JIS";
const WINDOWS_1252: &str = "Windows-1252 or another single-byte encoding";
const LATIN_1: &str = "Latin-1 (ISO 8859-1) or another single-byte encoding";

/// Why bytes are no document. Offsets count from the first byte of the file, a byte order mark included.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// More than [`MAX_BYTES`].
    #[error("the document has {bytes} bytes, more than the {} bytes (16 MiB) that are read", MAX_BYTES)]
    TooLarge {
        /// Size in bytes.
        bytes: u64,
    },
    /// A UTF-16 or UTF-32 byte order mark, or the NUL pattern of UTF-16 text without one.
    #[error("the document is {encoding}, not UTF-8 (seen at byte {offset})")]
    Utf16 {
        /// The encoding's name.
        encoding: &'static str,
        /// Where it shows.
        offset: usize,
    },
    /// A NUL byte in otherwise plain bytes.
    #[error("the document holds a NUL byte at byte {offset}: it is binary or damaged, not text")]
    Nul {
        /// Where.
        offset: usize,
    },
    /// A byte that is not UTF-8.
    #[error("the document is not UTF-8 at byte {offset} (0x{byte:02X}): it looks like {guess}")]
    NotUtf8 {
        /// First byte that does not fit.
        offset: usize,
        /// That byte.
        byte: u8,
        /// What the bytes look like instead.
        guess: &'static str,
    },
    /// Every line ends in a carriage return alone.
    #[error("the document's lines end in CR alone (first at byte {offset}); LF or CR LF is expected")]
    CarriageReturns {
        /// The first one.
        offset: usize,
    },
}

impl DecodeError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            DecodeError::TooLarge { .. } => "Split the document and review its parts.",
            DecodeError::Utf16 { encoding, .. } if encoding.starts_with("UTF-32") => {
                "Save it as UTF-8, for example with `iconv -f UTF-32 -t UTF-8`, and try again."
            }
            // Without a mark, `iconv` takes UTF-16 for what its machine would write.
            DecodeError::Utf16 { encoding: BARE_BIG, .. } => {
                "Save it as UTF-8, for example with `iconv -f UTF-16BE -t UTF-8`, and try again."
            }
            DecodeError::Utf16 { encoding: BARE_LITTLE, .. } => {
                "Save it as UTF-8, for example with `iconv -f UTF-16LE -t UTF-8`, and try again."
            }
            DecodeError::Utf16 { .. } => "Save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`, and try again.",
            // `iconv` alone takes the input for what the terminal speaks, which is UTF-8 by now.
            DecodeError::NotUtf8 { guess: LATIN_1, .. } => {
                "Save it as UTF-8, for example with `iconv -f latin1 -t UTF-8`, and try again."
            }
            DecodeError::NotUtf8 { guess: WINDOWS_1252, .. } => {
                "Save it as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`, and try again."
            }
            DecodeError::NotUtf8 { guess: TWO_BYTES, .. } => {
                "Save it as UTF-8, for example with `iconv -f GB18030 -t UTF-8` (or its own encoding), and try again."
            }
            DecodeError::NotUtf8 { .. } => "Get the whole file again, or save it as UTF-8 where it is in another encoding.",
            DecodeError::Nul { .. } => "Give a Markdown file, or remove the byte.",
            DecodeError::CarriageReturns { .. } => "Save it with LF line ends and try again.",
        }
    }
}

/// Why a file could not be read as a document.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing stands at the path.
    #[error("{path}: there is no such file")]
    Missing {
        /// The path as given.
        path: String,
    },
    /// The path is a folder.
    #[error("{path}: this is a folder, not a document")]
    Folder {
        /// The path as given.
        path: String,
    },
    /// A pipe, socket or device: reading it could block for ever.
    #[error("{path}: this is {what}, not a regular file")]
    Special {
        /// The path as given.
        path: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The system refused.
    #[error("{path}: {error}")]
    Io {
        /// The path as given.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The bytes are no document.
    #[error("{path}: {error}")]
    Decode {
        /// The path as given.
        path: String,
        /// Why.
        error: DecodeError,
    },
}

impl From<ReadError> for Fault {
    /// Unreadable, missing and not UTF-8 input is a fault of kind `Io` (exit code 7).
    fn from(error: ReadError) -> Fault {
        let hint = match &error {
            ReadError::Missing { .. } => "Check the path.",
            ReadError::Folder { .. } => "Name one Markdown file inside it.",
            ReadError::Special { .. } => "Copy it into a regular file and give that.",
            ReadError::Io { .. } => "Check that you may read it.",
            ReadError::Decode { error, .. } => error.hint(),
        };
        Fault::new(FaultKind::Io, error.to_string(), hint)
    }
}

/// Bytes to a document: UTF-8 with or without a byte order mark, LF or CR LF.
pub fn decode(bytes: &[u8]) -> Result<Document, DecodeError> {
    if bytes.len() > MAX_BYTES {
        return Err(DecodeError::TooLarge { bytes: bytes.len() as u64 });
    }
    if let Some(encoding) = utf16(bytes) {
        return Err(DecodeError::Utf16 { encoding, offset: 0 });
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let offset = error.valid_up_to();
            if let Some(nul) = bytes[..offset].iter().position(|&b| b == 0) {
                return Err(DecodeError::Nul { offset: nul });
            }
            let cut = error.error_len().is_none();
            return Err(DecodeError::NotUtf8 { offset, byte: bytes[offset], guess: guess(bytes, offset, cut) });
        }
    };
    if let Some(offset) = bytes.iter().position(|&b| b == 0) {
        return Err(DecodeError::Nul { offset });
    }
    if !bytes.contains(&b'\n')
        && let Some(offset) = bytes.iter().position(|&b| b == b'\r')
        && !text[offset..].trim().is_empty()
    {
        return Err(DecodeError::CarriageReturns { offset });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    Ok(Document::with_hash(text, blake3::hash(bytes).to_hex().to_string()))
}

/// The name of a UTF-16 or UTF-32 encoding, from its mark or from NULs at every second byte.
fn utf16(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some("UTF-32 (little endian)"),
        [0, 0, 0xfe, 0xff, ..] => return Some("UTF-32 (big endian)"),
        [0xff, 0xfe, ..] => return Some("UTF-16 (little endian)"),
        [0xfe, 0xff, ..] => return Some("UTF-16 (big endian)"),
        _ => {}
    }
    let probe = &bytes[..bytes.len().min(UTF16_PROBE)];
    let pairs = probe.len() / 2;
    if pairs < 2 {
        return None;
    }
    let zeros = |at: usize| probe.iter().skip(at).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if even + odd < 2 {
        return None;
    }
    // Text in Latin letters has a NUL in nearly every pair; with CJK in it still at its line ends and spaces.
    if odd * 5 > pairs && even * 4 < odd {
        Some(BARE_LITTLE)
    } else if even * 5 > pairs && odd * 4 < even {
        Some(BARE_BIG)
    } else {
        None
    }
}

/// What bytes that are not UTF-8 look like, judged by the bytes above 0x7F around the first misfit.
fn guess(bytes: &[u8], offset: usize, cut_at_end: bool) -> &'static str {
    if cut_at_end && offset + 4 > bytes.len() {
        return "UTF-8 that was cut in the middle of a character";
    }
    let window = &bytes[offset..bytes.len().min(offset + UTF16_PROBE)];
    let (mut pairs, mut single, mut c1) = (0, 0, 0);
    let mut at = 0;
    while at < window.len() {
        if window[at] < 0x80 {
            at += 1;
            continue;
        }
        let mut run = 0;
        while at + run < window.len() && window[at + run] >= 0x80 {
            c1 += usize::from(window[at + run] < 0xa0);
            run += 1;
        }
        if run >= 2 && run % 2 == 0 {
            pairs += 1;
        } else {
            single += 1;
        }
        at += run;
    }
    if pairs > single {
        TWO_BYTES
    } else if c1 > 0 {
        WINDOWS_1252
    } else {
        LATIN_1
    }
}

/// Reads a document from a regular file. It never waits on a pipe or device, and never reads more than
/// [`MAX_BYTES`] and one byte.
pub fn read(path: &Path) -> Result<Document, ReadError> {
    let shown = || path.display().to_string();
    let system = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => ReadError::Missing { path: shown() },
        _ => ReadError::Io { path: shown(), error },
    };
    regular(&std::fs::metadata(path).map_err(system)?, shown)?;
    // What stands at the path may have changed since: opened without waiting, and looked at again.
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, rustix::fs::Mode::empty()).map_err(|errno| system(errno.into()))?;
    let file = File::from(file);
    let size = regular(&file.metadata().map_err(system)?, shown)?;
    if size > MAX_BYTES as u64 {
        return Err(ReadError::Decode { path: shown(), error: DecodeError::TooLarge { bytes: size } });
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(system)?;
    decode(&bytes).map_err(|error| ReadError::Decode { path: shown(), error })
}

/// The size of a regular file; an error for anything else.
fn regular(metadata: &std::fs::Metadata, shown: impl Fn() -> String) -> Result<u64, ReadError> {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(metadata.len());
    }
    if kind.is_dir() {
        return Err(ReadError::Folder { path: shown() });
    }
    let what = if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(ReadError::Special { path: shown(), what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_names_the_encoding_to_read_from() {
        let advice = |bytes: &[u8]| decode(bytes).expect_err("no document").hint();
        assert!(advice(b"# Caf\xe9\n").contains("`iconv -f latin1 -t UTF-8`"));
        assert!(advice(b"# \x93Caf\xe9\x94\n").contains("`iconv -f WINDOWS-1252 -t UTF-8`"));
        assert!(advice(b"# \xd6\xd0\xce\xc4\n").contains("`iconv -f GB18030 -t UTF-8`"));
        assert!(advice(b"\xff\xfe#\0 \0A\0").contains("`iconv -f UTF-16 -t UTF-8`"));
        assert!(!advice("# A\n\n中".as_bytes().split_last().expect("bytes").1).contains("iconv"), "cut, not foreign");
    }
}
