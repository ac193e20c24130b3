//! Trust: which project files may name programs, servers and keys. It is kept in the user's state, by path and by the exact
//! bytes: a file that has changed is not trusted, and no file can trust itself.

use super::origin::read_text;
use super::store::Store;
use crate::model::fault::{Fault, FaultKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Format of the record.
const SCHEMA: &str = "tamis.trust/1";
/// Its name in the state folder.
const FILE_NAME: &str = "trust.json";

/// The user's record of what they trust.
#[derive(Clone, Debug)]
pub struct Trust {
    store: Store,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    schema: String,
    files: BTreeMap<String, Trusted>,
}

/// What was trusted of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trusted {
    /// Hash of its bytes.
    pub hash: String,
    /// When, RFC 3339 UTC.
    pub at: String,
    /// What it said, so that a change can be shown.
    pub text: String,
}

/// How a file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is trusted as it is.
    Trusted,
    /// It was never trusted.
    Never,
    /// It was trusted when it said something else.
    Changed(Box<Trusted>),
}

/// A project's file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its real path.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
    /// Hash of that.
    pub hash: String,
}

impl Seen {
    /// Reads a file, once: what is hashed is what is used.
    ///
    /// # Errors
    /// An input fault: it cannot be read.
    pub fn read(path: &Path) -> Result<Seen, Fault> {
        let real = path.canonicalize().map_err(|error| Fault::io(path.display(), error, "check the path"))?;
        let text = read_text(&real)?;
        let hash = hash(&text);
        Ok(Seen { path: real, text, hash })
    }
}

/// The hash of a text, as `tamis trust --hash` takes it.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Trust {
    /// The record in a state folder.
    pub fn of(state: &Path) -> Trust {
        Trust { store: Store::of(state, FILE_NAME) }
    }

    /// How a file stands.
    ///
    /// # Errors
    /// A record that cannot be read: then nothing is trusted, and why is said.
    pub fn standing(&self, seen: &Seen) -> Result<Standing, Fault> {
        let record = self.record(self.store.read()?)?;
        Ok(match record.files.get(&name(&seen.path)) {
            None => Standing::Never,
            Some(trusted) if trusted.hash == seen.hash => Standing::Trusted,
            Some(trusted) => Standing::Changed(Box::new(trusted.clone())),
        })
    }

    /// Trusts a file as it was seen; returns once that is on the disk.
    ///
    /// # Errors
    /// The record cannot be read or written.
    pub fn add(&self, seen: &Seen, at: String) -> Result<(), Fault> {
        self.change(|files| {
            files.insert(name(&seen.path), Trusted { hash: seen.hash.clone(), at, text: seen.text.clone() });
        })
    }

    /// Trusts a file no longer; says whether it was trusted. The file itself may be gone.
    ///
    /// # Errors
    /// As for [`Trust::add`].
    pub fn remove(&self, path: &Path) -> Result<bool, Fault> {
        let real = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
        self.change(|files| files.remove(&name(&real)).is_some())
    }

    /// Everything that is trusted, by path.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn all(&self) -> Result<BTreeMap<String, Trusted>, Fault> {
        Ok(self.record(self.store.read()?)?.files)
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Trusted>) -> T) -> Result<T, Fault> {
        self.store.change(|text| {
            let mut record = self.record(text)?;
            let value = change(&mut record.files);
            let text = serde_json::to_string_pretty(&record).unwrap_or_default();
            Ok((text + "\n", value))
        })
    }

    fn record(&self, text: Option<String>) -> Result<Record, Fault> {
        let Some(text) = text else { return Ok(Record { schema: SCHEMA.to_owned(), files: BTreeMap::new() }) };
        let unusable = |why: String| {
            let what = format!("{}: {why}", self.store.path().display());
            Fault::new(FaultKind::Usage, what, "remove it, and trust again what you trust: `tamis trust FILE`")
        };
        let record: Record = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
        match record.schema == SCHEMA {
            true => Ok(record),
            false => Err(unusable(format!("the format `{}` is unknown", record.schema))),
        }
    }
}

/// Paths need not be text; the record is.
fn name(path: &Path) -> String {
    path.to_str().map_or_else(|| format!("{:?}", path.as_os_str()), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(folder: &Path, text: &str) -> Seen {
        let path = folder.join(".tamis.yaml");
        std::fs::write(&path, text).expect("a file");
        Seen::read(&path).expect("it can be read")
    }

    #[test]
    fn a_file_is_trusted_as_it_was_and_not_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::of(&folder.path().join("state"));
        let first = seen(folder.path(), "recipe: refine-prd\n");
        assert_eq!(trust.standing(&first), Ok(Standing::Never));
        trust.add(&first, "2026-01-02T03:04:05Z".to_owned()).expect("it is kept");
        assert_eq!(trust.standing(&first), Ok(Standing::Trusted));
        let second = seen(folder.path(), "recipe: refine-prd\ntrusted: true\n");
        match trust.standing(&second).expect("a standing") {
            Standing::Changed(before) => assert_eq!(before.text, first.text),
            other => panic!("{other:?}"),
        }
        assert_eq!(trust.remove(&second.path), Ok(true));
        assert_eq!(trust.remove(&second.path), Ok(false));
        assert_eq!(trust.standing(&first), Ok(Standing::Never));
    }

    #[test]
    fn the_same_words_in_another_place_are_not_trusted_and_a_link_is_its_target() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::of(folder.path());
        let one = seen(folder.path(), "lang: vi\n");
        trust.add(&one, String::new()).expect("it is kept");
        let other = folder.path().join("other");
        std::fs::create_dir(&other).expect("a folder");
        assert_eq!(trust.standing(&seen(&other, "lang: vi\n")), Ok(Standing::Never));
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&one.path, &link).expect("a link");
        assert_eq!(trust.standing(&Seen::read(&link).expect("it can be read")), Ok(Standing::Trusted));
    }

    #[test]
    fn a_record_that_cannot_be_read_trusts_nothing_and_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let trust = Trust::of(folder.path());
        let file = seen(folder.path(), "lang: vi\n");
        for text in ["", "{", "{\"schema\": \"tamis.trust/9\", \"files\": {}}", "[]"] {
            std::fs::write(folder.path().join(FILE_NAME), text).expect("a file");
            assert!(trust.standing(&file).is_err(), "{text}");
            assert!(trust.add(&file, String::new()).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(folder.path().join(FILE_NAME)).expect("a file"), text);
        }
    }
}
