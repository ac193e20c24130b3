//! `--events` and the progress lines: every event goes to the file that was asked for and, in words, to standard error.

use super::{out, progress};
use crate::model::event::Event;
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use crate::text::Catalogue;
use std::fs::{File, OpenOptions};
use std::io::Write;
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
    /// The file cannot be opened.
    pub fn open(target: Option<&str>, lang: Lang) -> Result<EventSink, Fault> {
        let to = match target {
            None => To::Nowhere,
            Some("-") => To::Stdout,
            Some(name) => {
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
