//! A revision that is not begun: a findings file is shown, and only the first decision on it makes a run.

use super::known::{Known, REVISE, Work};
use super::revision::{self, Revision};
use super::session::Session;
use crate::config::Folders;
use crate::journal::{self, Journal, RunFolder};
use crate::model::event::{Body, Draft, Header, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::ids::RunId;
use crate::run::{Clock, SystemClock};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// What is needed to begin a revision.
pub(super) struct Unborn {
    /// What it is about.
    pub known: Arc<Known>,
    /// The text of the findings file as it was opened.
    pub text: String,
    /// Events of the beginning that the screen shows already: kind and key.
    pub shown: VecDeque<(Kind, String)>,
}

/// What a revision of the findings file at `path` is about; `given` is the path as the person gave it.
pub(super) fn known(path: &Path, given: &str, text: &str, revision: Revision) -> Known {
    let header = Header {
        format: journal::FORMAT.to_owned(),
        tamis: env!("CARGO_PKG_VERSION").to_owned(),
        run: super::session::new_run_id().to_string(),
        pipeline: REVISE.to_owned(),
        document: path.display().to_string(),
        document_given: given.to_owned(),
        document_hash: revision::hash_of(text),
        recipe_hash: revision.recipe_hash.clone(),
        prompts_hash: String::new(),
        context_hash: String::new(),
        agent: String::new(),
        options: serde_json::json!({ "lang": revision.lang }),
    };
    Known { header, work: Work::Revise(Box::new(revision)), asked: None }
}

impl Unborn {
    /// Begins the run, with a copy of the file that is revised.
    ///
    /// # Errors
    /// The file has changed since it was opened, or the run cannot be recorded; then there is none.
    pub fn begin(&self, folders: &Folders) -> Result<Session, Fault> {
        let header = &self.known.header;
        let now = revision::read_text(Path::new(&header.document))?;
        if now != self.text {
            let what = format!("{} has changed since it was opened", header.document_given);
            return Err(Fault::new(FaultKind::Io, what, "open it again"));
        }
        let id = RunId::from(header.run.as_str());
        let folder = RunFolder::create(&folders.state, &id)?;
        let began = self.record(&folder).inspect_err(|_| {
            // Nothing was recorded, so there is no run. What cannot be removed is listed as empty.
            let _ = journal::remove(&folders.state, &id, true);
        });
        let (journal, event) = began?;
        Ok(Session::of(folder, journal, vec![event], Arc::clone(&self.known), false))
    }

    fn record(&self, folder: &RunFolder) -> Result<(Journal, crate::model::event::Event), Fault> {
        folder.save_document(self.text.as_bytes())?;
        let body = Body::of(&self.known.header).map_err(|error| Fault::usage(error.to_string(), ""))?;
        Journal::create(folder, Draft::new(Kind::RunStarted, "", body), &SystemClock.now())
    }
}
