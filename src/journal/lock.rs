//! One writer per run: an OS lock on a file of its own, which the kernel lets go when its process ends, however it ends.

use super::folder::{RunFolder, open_private};
use crate::model::fault::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::time::Duration;

/// A listing takes each lock for an instant to see whether it is free, so a refusal is asked for a few times.
const TRIES: u32 = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);
/// Bytes of the holder's note that are read at most.
const MAX_NOTE: u64 = 4096;

/// The lock of a run, held until dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why a lock was not got.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody has it.
    #[error("held by {holder}")]
    Held {
        /// Who, as they noted it themselves: information only.
        holder: String,
    },
    /// The lock file cannot be used.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// What the holder writes into the lock file. Only the OS lock counts, never this.
#[derive(Serialize, Deserialize)]
struct Note {
    pid: u32,
    host: String,
    since: String,
}

impl Lock {
    /// Takes the lock of a run, without waiting for it.
    ///
    /// # Errors
    /// [`LockError::Held`] with who has it.
    #[expect(clippy::disallowed_methods, reason = "a listing holds each lock for an instant; there is no event to wait for")]
    pub fn acquire(folder: &RunFolder) -> Result<Lock, LockError> {
        let mut file = open_private(OpenOptions::new().read(true).write(true).create(true).truncate(false), &folder.lock())?;
        for tried in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if tried < TRIES => std::thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::WouldBlock) => return Err(LockError::Held { holder: holder(&mut file) }),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        file.set_len(0)?;
        Ok(Lock { file })
    }

    /// Notes who holds it (process, host) and since when, for whoever is refused.
    ///
    /// # Errors
    /// Where the note cannot be written; the lock is held all the same.
    pub fn sign(&mut self, since: &str) -> io::Result<()> {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let note = Note { pid: std::process::id(), host, since: since.to_owned() };
        self.file.rewind()?;
        self.file.write_all(serde_json::to_string(&note)?.as_bytes())
    }

    /// Whether somebody holds the lock of a run at this moment.
    pub fn is_held(folder: &RunFolder) -> bool {
        Lock::holder(folder).is_some()
    }

    /// Who holds the lock of a run at this moment, as they noted it themselves: information only.
    pub fn holder(folder: &RunFolder) -> Option<String> {
        let mut file = open_private(OpenOptions::new().read(true), &folder.lock()).ok()?;
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then(|| holder(&mut file))
    }

    /// Blocks until nobody holds the lock of a run, in the kernel and without waking up meanwhile.
    ///
    /// # Errors
    /// The lock file cannot be used.
    pub fn wait_until_free(folder: &RunFolder) -> io::Result<()> {
        let file = open_private(OpenOptions::new().read(true), &folder.lock())?;
        loop {
            match file.lock_shared() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(()) => return file.unlock(),
            }
        }
    }
}

impl Drop for Lock {
    /// Closing alone would leave the lock with a child that is being started at this moment and has not let go yet.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl LockError {
    /// The fault for a person: who has the run, and what can be done meanwhile.
    pub fn fault(&self, folder: &RunFolder) -> Fault {
        let run = folder.run();
        match self {
            LockError::Held { holder } => Fault::new(
                FaultKind::Locked,
                format!("run {run} is in use by {holder}"),
                format!("wait for it or end it; `tamis open {run}` watches it, `tamis replay {run}` prints it"),
            ),
            LockError::Io(error) => {
                Fault::io(folder.lock().display(), error, "the run is left as it is; check that the folder is yours")
            }
        }
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(MAX_NOTE).read_to_string(&mut text));
    let note: Option<Note> = read.ok().and_then(|_| serde_json::from_str(&text).ok());
    let plain = |text: &str| text.chars().filter(|c| c.is_ascii_graphic()).take(80).collect::<String>();
    note.map_or_else(
        || "another process".to_owned(),
        |note| format!("process {} on {} since {}", note.pid, plain(&note.host), plain(&note.since)),
    )
}
