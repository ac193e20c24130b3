//! Live text: what an agent says while it works. Not history: a capped side file per attempt, never synced.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Bytes kept of one attempt's live text.
const CAP: usize = 256 * 1024;
/// Files held open at one time: a run may make more attempts than a process may have files.
const OPEN: usize = 256;

/// Takes text as it comes in.
pub trait LiveText: Send + Sync {
    /// Text of one attempt at one step.
    fn text(&self, key: &str, attempt: u32, chunk: &str);

    /// The exact prompt of one attempt, before it is sent; whoever does not keep it lets it pass.
    fn prompt(&self, _key: &str, _attempt: u32, _text: &str) {}
}

/// Drops live text.
pub struct NoLiveText;

impl LiveText for NoLiveText {
    fn text(&self, _key: &str, _attempt: u32, _chunk: &str) {}
}

/// Writes live text into a folder, one file per attempt. A failure to write is no failure of the run.
pub struct LiveFiles {
    folder: PathBuf,
    kept: Mutex<Kept>,
}

/// By file name.
#[derive(Default)]
struct Kept {
    open: HashMap<String, File>,
    /// Bytes written; [`CAP`] where no more is kept.
    written: HashMap<String, usize>,
}

impl LiveFiles {
    /// Live text below `folder`, which is made when the first text comes.
    pub fn new(folder: PathBuf) -> LiveFiles {
        LiveFiles { folder, kept: Mutex::default() }
    }

    /// What one attempt said, as far as it was kept; `""` for nothing.
    pub fn read(folder: &Path, key: &str, attempt: u32) -> String {
        let bytes = std::fs::read(folder.join(LiveFiles::name(key, attempt))).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The exact prompt of one attempt, whole; `""` where it had none.
    pub fn read_prompt(folder: &Path, key: &str, attempt: u32) -> String {
        let bytes = std::fs::read(folder.join(LiveFiles::prompt_name(key, attempt))).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn prompt_name(key: &str, attempt: u32) -> String {
        format!("{}.prompt", LiveFiles::name(key, attempt))
    }

    /// The name of one attempt's file: keys are too long and too free for file names.
    pub fn name(key: &str, attempt: u32) -> String {
        format!("{}.{attempt}.txt", &blake3::hash(key.as_bytes()).to_hex()[..16])
    }

    fn create(&self, name: &str) -> Option<File> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).ok()?;
        OpenOptions::new().create(true).append(true).mode(0o600).open(self.folder.join(name)).ok()
    }
}

impl LiveText for LiveFiles {
    fn prompt(&self, key: &str, attempt: u32, text: &str) {
        if let Some(mut file) = self.create(&LiveFiles::prompt_name(key, attempt)) {
            // What cannot be kept is no failure of the run; the prompt's hash is recorded all the same.
            let _ = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
        }
    }

    fn text(&self, key: &str, attempt: u32, chunk: &str) {
        let name = LiveFiles::name(key, attempt);
        let mut kept = self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Kept { open, written } = &mut *kept;
        let written = written.entry(name.clone()).or_default();
        if *written + chunk.len() > CAP {
            return;
        }
        if !open.contains_key(&name) && open.len() >= OPEN {
            // Nobody says which attempts are over; those that are not are opened again.
            open.clear();
        }
        let file = match open.entry(name) {
            Entry::Occupied(entry) => Some(entry.into_mut()),
            Entry::Vacant(entry) => self.create(entry.key()).map(|file| entry.insert(file)),
        };
        match file.map(|file| file.write_all(chunk.as_bytes())) {
            Some(Ok(())) => *written += chunk.len(),
            Some(Err(_)) | None => *written = CAP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_attempts_than_files_lose_no_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let live = LiveFiles::new(folder.path().join("live"));
        let keys: Vec<String> = (0..OPEN * 2 + 7).map(|number| format!("review/DEV/{number}")).collect();
        for word in ["one ", "two"] {
            for key in &keys {
                live.text(key, 1, word);
                assert!(live.kept.lock().expect("kept").open.len() <= OPEN);
            }
        }
        for key in &keys {
            assert_eq!(LiveFiles::read(&folder.path().join("live"), key, 1), "one two");
        }
    }

    #[test]
    fn what_is_over_the_cap_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let live = LiveFiles::new(folder.path().to_owned());
        let most = "x".repeat(CAP);
        for text in [most.as_str(), "more"] {
            live.text("critic/1", 1, text);
        }
        live.text("critic/1", 2, "again");
        assert_eq!(LiveFiles::read(folder.path(), "critic/1", 1), most);
        assert_eq!(LiveFiles::read(folder.path(), "critic/1", 2), "again");
    }
}
