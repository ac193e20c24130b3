//! Plays recordings: the answer that was recorded for a request, or a named miss. Nothing here reaches a server.

use super::cassette::{Cassette, CassetteFault, Ended, Play, file_name, is_name, read_bounded};
use super::fault::{cut, fault};
use crate::agent::wire::WireFault;
use crate::config::roster::Api;
use crate::model::answer::FaultClass;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::bytes::Bytes;

/// Recordings that a folder holds at most.
const MOST: usize = 20_000;
/// Characters before and after the first difference that a miss shows.
const AROUND: usize = 20;
/// Hex digits of a fence's mark.
const MARK: usize = 32;

/// How fast an answer plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// As it came.
    #[default]
    Real,
    /// Without waiting.
    AtOnce,
}

/// A folder of recordings. Several answers to one request play in their order, the last one again and again.
#[derive(Debug)]
pub struct Player {
    tapes: BTreeMap<String, Tape>,
    pace: Pace,
}

#[derive(Debug)]
struct Tape {
    cassette: Arc<Cassette>,
    next: Mutex<usize>,
}

/// A recorded request, as far as it tells how its endpoint was set up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recorded {
    /// `openai`, `anthropic`.
    pub api: &'static str,
    /// The model that was asked.
    pub model: String,
    /// The output limit that was sent.
    pub max_output: u64,
    /// Whether a stream was asked for.
    pub stream: bool,
}

impl Player {
    /// Reads the recordings of a folder.
    ///
    /// # Errors
    /// The folder cannot be read, holds no recording, or one of them is damaged.
    pub fn open(folder: &Path, pace: Pace) -> Result<Player, CassetteFault> {
        let shown = folder.display().to_string();
        let failed = |error: std::io::Error| CassetteFault::new(&shown, error);
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            // Other files may lie beside them, such as the names of those who were asked.
            if is_name(&name) {
                files.push(name);
            }
            if files.len() > MOST {
                return Err(CassetteFault::new(&shown, format!("it holds more than {MOST} recordings")));
            }
        }
        files.sort();
        let mut texts = Vec::with_capacity(files.len());
        for name in files {
            let text = read_bounded(&folder.join(&name), &name)?;
            texts.push((name, text));
        }
        if texts.is_empty() {
            return Err(CassetteFault::new(&shown, "it holds no recording"));
        }
        Player::new(texts.iter().map(|(name, text)| (name.as_str(), text.as_slice())), pace)
    }

    /// Recordings that are in memory already: file name and content.
    ///
    /// # Errors
    /// One of them is damaged.
    pub fn new<'t>(texts: impl IntoIterator<Item = (&'t str, &'t [u8])>, pace: Pace) -> Result<Player, CassetteFault> {
        let mut tapes = BTreeMap::new();
        for (name, text) in texts {
            let cassette = Arc::new(Cassette::read(name, text)?);
            tapes.insert(name.to_owned(), Tape { cassette, next: Mutex::new(0) });
        }
        Ok(Player { tapes, pace })
    }

    /// How fast answers play.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The endpoints that the recordings come from, each once: a replay has to ask with the same settings.
    pub fn recorded(&self) -> Vec<Recorded> {
        let mut all: Vec<Recorded> = self.tapes.values().filter_map(|tape| recorded(&tape.cassette)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Whether an answer to a request is recorded.
    pub(super) fn knows(&self, api: Api, body: &[u8]) -> bool {
        self.tapes.contains_key(&file_name(api, body))
    }

    /// The next answer to a request.
    pub(super) fn play(&self, api: Api, body: &[u8]) -> Result<Playing, WireFault> {
        let Some(tape) = self.tapes.get(&file_name(api, body)) else {
            return Err(fault(FaultClass::NotRecorded, self.miss(api, &String::from_utf8_lossy(body)), false));
        };
        let mut next = tape.next.lock().unwrap_or_else(PoisonError::into_inner);
        let play = (*next).min(tape.cassette.plays.len() - 1);
        *next = play + 1;
        Ok(Playing { cassette: Arc::clone(&tape.cassette), play, chunk: 0, pace: self.pace })
    }

    /// What is said of a request that is not recorded: the nearest one that is, and where they part.
    fn miss(&self, api: Api, body: &str) -> String {
        let same_api = self.tapes.iter().filter(|(_, tape)| tape.cassette.request.api == api.word());
        let Some((name, recorded, at)) = same_api
            .map(|(name, tape)| {
                (name, &tape.cassette.request.body, common(&unmarked(&tape.cassette.request.body), &unmarked(body)))
            })
            .max_by_key(|(_, _, at)| *at)
        else {
            return format!("this request is not recorded: there is no recording of {} at all", api.word());
        };
        format!(
            "this request is not recorded; the nearest, {name}, parts from it after {at} bytes: recorded `{}`, asked `{}`",
            around(recorded, at),
            around(body, at),
        )
    }
}

fn recorded(cassette: &Cassette) -> Option<Recorded> {
    let api = [Api::OpenAi, Api::Anthropic].into_iter().find(|api| api.word() == cassette.request.api)?.word();
    let body: serde_json::Value = serde_json::from_str(&cassette.request.body).ok()?;
    let model = body.get("model")?.as_str()?.to_owned();
    let limit = body.get("max_tokens").or_else(|| body.get("max_completion_tokens"));
    let max_output = limit.and_then(serde_json::Value::as_u64).unwrap_or(0);
    let stream = body.get("stream").and_then(serde_json::Value::as_bool).unwrap_or(false);
    Some(Recorded { api, model, max_output, stream })
}

/// Bytes that both begin with, ending at a character's border.
fn common(one: &str, other: &str) -> usize {
    let mut at = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    while !one.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A request with blanks in place of long hex numbers, byte for byte: the marks of fences are hashes of what they hold, and
/// would always be the first difference.
fn unmarked(body: &str) -> String {
    let mut bytes = body.as_bytes().to_vec();
    let mut from = 0;
    while from < bytes.len() {
        let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if length >= MARK {
            bytes[from..from + length].fill(b' ');
        }
        from += length.max(1);
    }
    // Only ASCII was put in place of ASCII.
    String::from_utf8(bytes).unwrap_or_default()
}

/// What stands around a place, safe to show.
fn around(text: &str, at: usize) -> String {
    let start = text[..at].char_indices().rev().take(AROUND).last().map_or(at, |(start, _)| start);
    let end = text[at..].char_indices().nth(AROUND).map_or(text.len(), |(end, _)| at + end);
    cut(&text[start..end])
}

/// An answer that plays.
#[derive(Debug)]
pub(super) struct Playing {
    cassette: Arc<Cassette>,
    play: usize,
    chunk: usize,
    pace: Pace,
}

impl Playing {
    fn play(&self) -> &Play {
        &self.cassette.plays[self.play]
    }

    pub(super) fn status(&self) -> u16 {
        self.play().status
    }

    pub(super) fn headers(&self) -> Vec<(String, String)> {
        self.play().headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
    }

    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        let Some(chunk) = self.play().chunks.get(self.chunk) else {
            return match self.play().ended {
                Ended::End => Ok(None),
                Ended::Broken => Err("it broke off here when it was recorded".into()),
            };
        };
        let (after, bytes) = (chunk.after_ms, chunk.bytes());
        if self.pace == Pace::Real && after > 0 {
            tokio::time::sleep(Duration::from_millis(after)).await;
        }
        self.chunk += 1;
        bytes.map(Some).map_err(str::to_owned)
    }
}
