//! A small file in the user's state folder that several processes change: one at a time, and whole or not at all.

use super::origin::read_text_up_to;
use crate::model::fault::Fault;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of such a file at most.
const MAX_BYTES: usize = 16 << 20;
/// What to do where one cannot be used.
const HINT: &str = "see that the folder can be written, or give another with --state-dir";

/// A file of this kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    path: PathBuf,
}

impl Store {
    /// A file of this name in the state folder; it need not be there yet.
    pub fn of(state: &Path, name: &str) -> Store {
        Store { path: state.join(name) }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What stands in it; `None` where there is none yet.
    ///
    /// # Errors
    /// An input fault: it is there and cannot be read.
    pub fn read(&self) -> Result<Option<String>, Fault> {
        match self.path.try_exists() {
            Ok(false) => Ok(None),
            Ok(true) => read_text_up_to(&self.path, MAX_BYTES).map(Some),
            Err(error) => Err(self.fault(error)),
        }
    }

    /// Changes what stands in it, while no other process does; returns once it is on the disk.
    ///
    /// # Errors
    /// An input fault: the file or its folder cannot be read or written; whatever `change` refuses. What stood there stays.
    pub fn change<T>(&self, change: impl FnOnce(Option<String>) -> Result<(String, T), Fault>) -> Result<T, Fault> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| self.fault(error))?;
        let lock = self.lock().map_err(|error| self.fault(error))?;
        let (text, value) = change(self.read()?)?;
        let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            File::open(folder)?.sync_all()
        });
        drop(lock);
        written.map(|()| value).map_err(|error| self.fault(error))
    }

    /// Where its lock is.
    pub fn lock_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".lock");
        PathBuf::from(name)
    }

    /// A lock beside the file, which is never replaced itself; the system lets go of it whatever ends the process.
    fn lock(&self) -> std::io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(self.lock_path())?;
        file.lock()?;
        Ok(file)
    }

    fn fault(&self, error: std::io::Error) -> Fault {
        Fault::io(self.path.display(), error, HINT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::of(&folder.path().join("state"), "numbers");
        std::thread::scope(|scope| {
            for writer in 0..12 {
                let store = &store;
                scope.spawn(move || {
                    for n in 0..10 {
                        let line = |text: Option<String>| Ok((text.unwrap_or_default() + &format!("{writer}.{n}\n"), ()));
                        store.change(line).expect("it is written");
                    }
                });
            }
        });
        let text = store.read().expect("it can be read").expect("it is there");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!((lines.len(), text.lines().count()), (120, 120));
    }

    #[test]
    fn a_shorter_text_leaves_nothing_of_the_longer_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::of(folder.path(), "text");
        for text in ["a long text that stands here first\n", "short\n"] {
            store.change(|_| Ok((text.to_owned(), ()))).expect("it is written");
            assert_eq!(store.read().expect("it can be read").as_deref(), Some(text));
        }
        let refused = store.change(|_| Err::<(String, ()), _>(Fault::usage("no", "")));
        assert!(refused.is_err());
        assert_eq!(store.read().expect("it can be read").as_deref(), Some("short\n"), "what was refused changes nothing");
    }
}
