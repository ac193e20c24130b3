//! `--events` and the progress lines: every event goes to the file that was asked for and, in words, to standard error.

use super::{out, progress};
use crate::model::event::Event;
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use crate::model::shown::Shown;
use crate::text::Catalogue;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Where events are shown.
pub struct EventSink {
    words: Catalogue,
    to: To,
    failed: Mutex<Option<String>>,
}

enum To {
    Nowhere,
    Stdout,
    File { name: String, file: Mutex<File> },
}

impl EventSink {
    /// Opens the target; a file that is there is added to, never cut.
    ///
    /// # Errors
    /// A usage fault where the file is one of `forbidden`, whose content is somebody's own, or holds anything but events;
    /// an output fault where it cannot be opened.
    pub fn open(target: Option<&str>, lang: Lang, forbidden: &[&Path]) -> Result<EventSink, Fault> {
        let to = match target {
            None => To::Nowhere,
            Some("-") => To::Stdout,
            Some(name) => {
                check(Path::new(name), forbidden)?;
                let file = OpenOptions::new().create(true).append(true).open(name);
                let file = file.map_err(|error| Fault::io(name, error, "give another file to --events"))?;
                To::File { name: name.to_owned(), file: Mutex::new(file) }
            }
        };
        Ok(EventSink { words: Catalogue::new(lang), to, failed: Mutex::new(None) })
    }

    /// Shows an event.
    pub fn event(&self, event: &Event) {
        let line = || out::json(event, false) + "\n";
        let written = match &self.to {
            To::Nowhere => Ok(()),
            To::Stdout => out::data(&line()),
            To::File { file, .. } => file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write_all(line().as_bytes()),
        };
        if let Err(error) = written {
            self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error.to_string());
        }
        if let Some(text) = progress::line(event, &self.words) {
            out::notice(&text);
        }
    }

    /// # Errors
    /// Some event could not be written; the run itself has lost nothing.
    pub fn finish(&self) -> Result<(), Fault> {
        let failed = self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let name = match &self.to {
            To::File { name, .. } => name.as_str(),
            _ => "standard output",
        };
        match failed {
            Some(error) => Err(Fault::io(name, error, "the run is complete; `tamis replay RUN --json` prints its events")),
            None => Ok(()),
        }
    }
}

/// Bytes of a first line that are looked at; no event is longer than a document.
const FIRST_LINE: u64 = 16 * 1024 * 1024;

/// Whether events may be added to a file: never where it is one of the run's own, and only where it is new, empty, named
/// as a file of JSON lines, or begins with an event.
fn check(file: &Path, forbidden: &[&Path]) -> Result<(), Fault> {
    let shown = Shown::line(&file.display().to_string()).as_str().to_owned();
    if forbidden.iter().any(|other| is_same(file, other)) {
        let what = format!("--events: {shown} is a file of this run itself, so no events are added to it");
        return Err(Fault::usage(what, "give another file, as events.jsonl"));
    }
    let is_named_so = file
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl") || extension.eq_ignore_ascii_case("ndjson"));
    // A pipe or device is somebody who listens; reading would wait for them.
    let has_content = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() > 0);
    if is_named_so || !has_content || begins_with_event(file) {
        return Ok(());
    }
    let what = format!("--events: {shown} is there and holds something else than events, so nothing is added to it");
    Err(Fault::usage(what, "give a new file, or one whose name ends in .jsonl"))
}

fn begins_with_event(file: &Path) -> bool {
    let Ok(opened) = File::open(file) else { return false };
    let mut line = Vec::new();
    let read = BufReader::new(opened.take(FIRST_LINE)).read_until(b'\n', &mut line);
    let value = serde_json::from_slice::<serde_json::Value>(&line);
    read.is_ok() && value.is_ok_and(|value| value.get("kind").is_some())
}

/// Whether two paths lead to one file, also to one that does not exist yet.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// A path without symbolic links; the last part may not exist.
fn real(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return Some(found);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultKind;

    #[test]
    fn events_are_added_to_files_of_events_only() {
        let folder = tempfile::tempdir().expect("folder");
        let open = |name: &str, forbidden: &[&Path]| {
            let path = folder.path().join(name);
            EventSink::open(path.to_str(), Lang::default(), forbidden).map(|_| ())
        };
        let refused = |name: &str, forbidden: &[&Path]| {
            let before = fs::read(folder.path().join(name)).ok();
            let fault = open(name, forbidden).expect_err(name);
            assert_eq!(fault.kind, FaultKind::Usage);
            assert!(fault.what.contains(name) && !fault.hint.is_empty(), "{}", fault.what);
            assert_eq!(fs::read(folder.path().join(name)).ok(), before, "{name}");
        };
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        open("new", &[]).expect("a new file");
        open("new", &[]).expect("an empty file");
        for (name, text) in [("a.md", "# Loans\n"), ("b.json", "{\"a\": 1}\n"), ("c.json", "[\"kind\"]\n"), ("d.txt", "\n")] {
            put(name, text);
            refused(name, &[]);
        }
        put("e.log", "{\"kind\":\"run_started\"}\n{");
        open("e.log", &[]).expect("a file of events");
        put("f.NDJSON", "anything\n");
        open("f.NDJSON", &[]).expect("a name that says so");
    }

    #[test]
    fn events_never_go_to_a_file_of_the_run() {
        let folder = tempfile::tempdir().expect("folder");
        let path = |name: &str| folder.path().join(name);
        let document = path("a.jsonl");
        fs::write(&document, "").expect("written");
        std::os::unix::fs::symlink(&document, path("link.jsonl")).expect("linked");
        let out = path("out.yaml");
        let forbidden = [document.as_path(), out.as_path()];
        for name in ["a.jsonl", "./a.jsonl", "link.jsonl", "out.yaml", "./out.yaml"] {
            let fault = check(&path(name), &forbidden).expect_err(name);
            assert_eq!(fault.kind, FaultKind::Usage, "{name}");
        }
        assert_eq!(check(&path("events"), &forbidden), Ok(()));
    }
}
