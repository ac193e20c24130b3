//! Recordings of exchanges with servers: one file a request, in it the answers that came, with their pace and without keys.

use crate::config::roster::Api;
use crate::config::secrets::Redactor;
use crate::model::shown::Shown;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;
use tokio_util::bytes::Bytes;

/// What a cassette calls itself.
const SCHEMA: &str = "tamis.cassette/1";
/// A longer answer is not recorded, and a longer file is not read: answers are held in memory as they are written and played.
pub(super) const LONGEST: usize = 32 << 20;
/// Headers that are kept: those that decide what is done next. Others may hold what is nobody's business, as cookies do.
const KEPT: [&str; 4] = ["content-type", "retry-after", "retry-after-ms", "request-id"];
const KEPT_FAMILIES: [&str; 2] = ["x-ratelimit-", "anthropic-ratelimit-"];

/// Why a recording cannot be made or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cassette {name}: {why}")]
pub struct CassetteFault {
    /// The file or folder.
    pub name: String,
    /// In words.
    pub why: String,
}

impl CassetteFault {
    pub(super) fn new(name: impl AsRef<str>, why: impl ToString) -> CassetteFault {
        CassetteFault { name: Shown::line(name.as_ref()).to_string(), why: super::fault::cut(&why.to_string()) }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cassette {
    pub(super) schema: String,
    pub(super) request: Asked,
    pub(super) plays: Vec<Play>,
}

/// A request, without its headers: they hold the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) api: String,
    pub(super) path: String,
    pub(super) body: String,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Play {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) ended: Ended,
}

/// Bytes that came together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chunk {
    /// Milliseconds after the chunk before it, the first one after the request.
    pub(super) after_ms: u64,
    /// What came, where it is text by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// What came, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) base64: Option<String>,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ended {
    /// All of it that was wanted is there.
    End,
    /// It broke off or stood still.
    Broken,
}

impl Chunk {
    fn new(after_ms: u64, bytes: &[u8]) -> Chunk {
        match std::str::from_utf8(bytes) {
            Ok(text) => Chunk { after_ms, text: Some(text.to_owned()), base64: None },
            Err(_) => Chunk { after_ms, text: None, base64: Some(STANDARD.encode(bytes)) },
        }
    }

    pub(super) fn bytes(&self) -> Result<Bytes, &'static str> {
        match (&self.text, &self.base64) {
            (Some(text), None) => Ok(Bytes::copy_from_slice(text.as_bytes())),
            (None, Some(text)) => STANDARD.decode(text).map(Bytes::from).map_err(|_| "a chunk's Base64 cannot be read"),
            _ => Err("a chunk holds either `text` or `base64`"),
        }
    }
}

impl Cassette {
    /// Reads a cassette's text and checks that it is what its name says.
    pub(super) fn read(name: &str, text: &[u8]) -> Result<Cassette, CassetteFault> {
        let damaged = |why: &str| CassetteFault::new(name, why);
        let cassette: Cassette = serde_json::from_slice(text).map_err(|error| damaged(&error.to_string()))?;
        if cassette.schema != SCHEMA {
            return Err(damaged(&format!("`schema` is not {SCHEMA}")));
        }
        if cassette.plays.is_empty() {
            return Err(damaged("it holds no answer"));
        }
        let Some(api) = [Api::OpenAi, Api::Anthropic].into_iter().find(|api| api.word() == cassette.request.api) else {
            return Err(damaged("`request.api` is neither openai nor anthropic"));
        };
        if name != file_name(api, cassette.request.body.as_bytes()) || cassette.request.path != api.path() {
            return Err(damaged("its name is not that of the request in it: it was changed or renamed"));
        }
        for chunk in cassette.plays.iter().flat_map(|play| &play.chunks) {
            chunk.bytes().map_err(damaged)?;
        }
        Ok(cassette)
    }
}

/// The name of a request's recording: what is sent, and to which part of an API; not where, so that a recording plays anywhere.
pub(super) fn file_name(api: Api, body: &[u8]) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [api.word().as_bytes(), api.path().as_bytes()] {
        hash.update(part).update(b"\0");
    }
    let hex = hash.update(body).finalize().to_hex();
    format!("{}.json", &hex[..32])
}

/// Whether a file is named as a recording is.
pub(super) fn is_name(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(|hash| hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Reads a file that is not longer than a cassette may be.
pub(super) fn read_bounded(path: &Path, name: &str) -> Result<Vec<u8>, CassetteFault> {
    let mut bytes = Vec::new();
    let most = LONGEST as u64 * 2;
    let file = File::open(path).map_err(|error| CassetteFault::new(name, error))?;
    if !file.metadata().is_ok_and(|data| data.is_file()) {
        return Err(CassetteFault::new(name, "it is no file"));
    }
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| CassetteFault::new(name, error))?;
    if bytes.len() as u64 > most {
        return Err(CassetteFault::new(name, format!("it is longer than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Keeps what servers answer. A request that is sent several times gets an answer each, in their order. A folder holds one run:
/// what is recorded into it again is added behind what is there.
#[derive(Debug)]
pub struct Recorder {
    folder: PathBuf,
    redactor: Redactor,
    /// Held while a file is read and written anew; in it, what could not be kept.
    trouble: Mutex<Vec<CassetteFault>>,
}

impl Recorder {
    /// Records into a folder, which is made where it is missing, for its owner alone. `keys`: every key that is loaded, so that
    /// none is kept where a server echoes it.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open<'k>(folder: &Path, keys: impl IntoIterator<Item = &'k SecretString>) -> Result<Recorder, CassetteFault> {
        let name = folder.display().to_string();
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| CassetteFault::new(name, error))?;
        let redactor = Redactor::new(keys).of_values();
        Ok(Recorder { folder: folder.to_owned(), redactor, trouble: Mutex::default() })
    }

    /// What could not be kept so far; the exchanges themselves went on.
    pub fn trouble(&self) -> Vec<CassetteFault> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds an answer to its request's cassette. Blocks.
    fn add(&self, api: Api, body: &[u8], play: Play) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let body = self.redactor.redact_bytes(body);
        let name = file_name(api, &body);
        if let Err(fault) = self.write(&name, api, &body, play) {
            trouble.push(fault);
        }
    }

    fn write(&self, name: &str, api: Api, body: &[u8], play: Play) -> Result<(), CassetteFault> {
        let path = self.folder.join(name);
        let mut cassette = if fs::symlink_metadata(&path).is_ok() {
            Cassette::read(name, &read_bounded(&path, name)?)?
        } else {
            let body = String::from_utf8(body.to_vec()).map_err(|_| CassetteFault::new(name, "the request is no text"))?;
            let request = Asked { api: api.word().into(), path: api.path().into(), body };
            Cassette { schema: SCHEMA.into(), request, plays: Vec::new() }
        };
        cassette.plays.push(play);
        let mut text = serde_json::to_vec_pretty(&cassette).map_err(|error| CassetteFault::new(name, error))?;
        text.push(b'\n');
        // Made with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(|error| CassetteFault::new(name, error))?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(|error| CassetteFault::new(name, error))?;
        file.persist(&path).map_err(|error| CassetteFault::new(name, error.error))?;
        Ok(())
    }
}

/// An answer on its way to a cassette.
pub(super) struct Taping {
    recorder: Arc<Recorder>,
    api: Api,
    body: Bytes,
    status: u16,
    headers: BTreeMap<String, String>,
    chunks: Vec<(u64, Bytes)>,
    size: usize,
    before: Instant,
}

impl Taping {
    /// Of a request that is sent now.
    pub(super) fn new(recorder: &Arc<Recorder>, api: Api, body: &Bytes) -> Taping {
        Taping {
            recorder: Arc::clone(recorder),
            api,
            body: body.clone(),
            status: 0,
            headers: BTreeMap::new(),
            chunks: Vec::new(),
            size: 0,
            before: Instant::now(),
        }
    }

    /// The head of the answer.
    pub(super) fn head(&mut self, status: u16, headers: &[(String, String)]) {
        self.status = status;
        let kept = |name: &str| KEPT.contains(&name) || KEPT_FAMILIES.iter().any(|family| name.starts_with(family));
        let redacted = |value: &str| self.recorder.redactor.redact(value).into_owned();
        self.headers =
            headers.iter().filter(|(name, _)| kept(name)).map(|(name, value)| (name.clone(), redacted(value))).collect();
    }

    /// Bytes of its body.
    pub(super) fn chunk(&mut self, bytes: &Bytes) {
        let now = Instant::now();
        let after = u64::try_from((now - self.before).as_millis()).unwrap_or(u64::MAX);
        self.before = now;
        self.size += bytes.len();
        if self.size > LONGEST {
            self.chunks = Vec::new();
        } else {
            self.chunks.push((after, bytes.clone()));
        }
    }

    /// Keeps it.
    pub(super) async fn keep(self, ended: Ended) {
        // Joining fails only where the runtime is being shut down: then nothing is waited for any more.
        let _ = tokio::task::spawn_blocking(move || self.keep_now(ended)).await;
    }

    /// Keeps nothing of it: a key stands in it in a way in which it cannot be taken out.
    pub(super) fn spoil(self) {
        self.lost("an answer with a key in it is not kept");
    }

    fn lost(&self, why: &str) {
        let name = file_name(self.api, &self.recorder.redactor.redact_bytes(&self.body));
        self.recorder.trouble.lock().unwrap_or_else(PoisonError::into_inner).push(CassetteFault::new(name, why));
    }

    fn keep_now(self, ended: Ended) {
        if self.size > LONGEST {
            return self.lost(&format!("an answer of more than {} MiB is not kept", LONGEST >> 20));
        }
        let chunks = without_keys(&self.recorder.redactor, self.chunks);
        let play = Play { status: self.status, headers: self.headers, chunks, ended };
        self.recorder.add(self.api, &self.body, play);
    }
}

/// A key may be cut by the border of two chunks: where one is found in the whole, the answer becomes one chunk.
fn without_keys(redactor: &Redactor, chunks: Vec<(u64, Bytes)>) -> Vec<Chunk> {
    let whole: Vec<u8> = chunks.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    match redactor.redact_bytes(&whole) {
        std::borrow::Cow::Borrowed(_) => chunks.iter().map(|(after, bytes)| Chunk::new(*after, bytes)).collect(),
        std::borrow::Cow::Owned(clean) => vec![Chunk::new(chunks.iter().map(|(after, _)| after).sum(), &clean)],
    }
}

#[cfg(test)]
#[path = "cassette_tests.rs"]
mod tests;
