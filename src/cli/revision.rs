//! A findings file that is opened to decide on it anew: what it says, the document it is about, and whether it can be
//! written again.

use crate::config::{self, Folders, read_text_up_to};
use crate::document::{self, Document};
use crate::files;
use crate::files::carry::marked_conflict;
use crate::files::findings::{FindingsFile, names};
use crate::journal::RunFolder;
use crate::model::event::Header;
use crate::model::fault::{Fault, FaultKind};
use crate::model::lang::Lang;
use crate::model::recipe::Recipe;
use crate::model::settled::Proposal;
use crate::model::yaml::FINDINGS_BYTES;
use crate::pipeline::revise::Opened;
use crate::rules::adopt::adopt;
use crate::text::Catalogue;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A findings file as it was opened.
pub(super) struct Revision {
    /// What it says; every finding has a key and an id.
    pub file: FindingsFile,
    /// The same, as the pipeline takes it.
    pub opened: Opened,
    /// The document that it is about; empty where that is not to be found.
    pub document: Arc<Document>,
    /// Where that is, or would be.
    pub path: PathBuf,
    /// Language of the findings.
    pub lang: Lang,
    /// Hash of the recipe in force.
    pub recipe_hash: String,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// A findings file that can be shown, and why it cannot be written again where that is so.
pub(super) struct Read {
    /// The file.
    pub revision: Revision,
    /// Why its decisions cannot be changed.
    pub refusal: Option<Fault>,
}

/// The text of a findings file.
///
/// # Errors
/// It cannot be read.
pub(super) fn read_text(path: &Path) -> Result<String, Fault> {
    read_text_up_to(path, FINDINGS_BYTES)
}

impl Revision {
    /// What a recorded run revises: the file as it was when the run began.
    ///
    /// # Errors
    /// The copy in the run's folder cannot be read, or the recipe that it names is not there or has changed.
    pub fn recorded(folder: &RunFolder, header: &Header, folders: &Folders) -> Result<Revision, Fault> {
        let text = read_text(&folder.document())?;
        if hash_of(&text) != header.document_hash {
            let what = format!("the copy of {} in the folder of run {} has changed", header.document, header.run);
            return Err(Fault::new(FaultKind::Refused, what, format!("open the file itself: tamis open {}", header.document)));
        }
        let read = read(&text, Path::new(&header.document), folders)?;
        match read.refusal {
            Some(refusal) => Err(Fault { kind: FaultKind::Refused, ..refusal }),
            None if read.revision.recipe_hash != header.recipe_hash => {
                let what = format!("the recipe has changed since run {} began", header.run);
                Err(Fault::new(FaultKind::Refused, what, format!("open the file anew: tamis open {}", header.document)))
            }
            None => Ok(read.revision),
        }
    }
}

/// Hash of a text.
pub(super) fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Reads the text of a findings file that stands at `path`.
///
/// # Errors
/// It is no findings file, or one of another version.
pub(super) fn read(text: &str, path: &Path, folders: &Folders) -> Result<Read, Fault> {
    let mut file = files::read(text, &path.display().to_string())?;
    let shared = own_fields_that_cannot_be_told_apart(&file);
    let (recipe, recipe_hash, unknown) = recipe_of(&file, folders)?;
    let refusal = unknown.or(shared);
    let before: Vec<_> = file.findings.iter().map(|finding| finding.key.clone()).collect();
    adopt(&mut file.findings);
    for (old, finding) in before.iter().zip(&file.findings) {
        if *old != finding.key
            && let Some(extra) = file.extra.remove(old)
        {
            file.extra.insert(finding.key.clone(), extra);
        }
    }
    for finding in &mut file.findings {
        if let Some((status, resolution)) = marked_conflict(finding) {
            (finding.status, finding.resolution) = (status, resolution);
        }
    }
    let lang = Lang::from_code(&file.run.lang).unwrap_or_default();
    let (source, document, notice) = document_of(&file, path, &Catalogue::new(lang));
    let proposal = Proposal { findings: file.findings.clone(), dropped: file.dropped.clone(), ..Proposal::default() };
    let opened = Opened {
        proposal,
        convergence: file.convergence.clone(),
        lacks: file.coverage.lacks(),
        agents: file.coverage.agents,
        holes: file.coverage.holes.clone(),
        not_covered: file.coverage.not_covered.clone(),
        recipe,
    };
    let notices = notice.into_iter().collect();
    let revision = Revision { file, opened, document: Arc::new(document), path: source, lang, recipe_hash, notices };
    Ok(Read { revision, refusal })
}

/// The recipe that a file names, with the hash of its text; the default one, with the fault, where that cannot be had.
fn recipe_of(file: &FindingsFile, folders: &Folders) -> Result<(Recipe, String, Option<Fault>), Fault> {
    let hash = |text: &str| hash_of(text);
    let refused = |fault: Fault| -> Result<_, Fault> {
        let (recipe, _, text) = config::recipe::load(config::recipe::DEFAULT, folders)?;
        Ok((recipe, hash(&text), Some(fault)))
    };
    let name = file.run.recipe.as_str();
    // A name that is a path would be read from wherever this process stands.
    if name.is_empty() || config::recipe::is_path(name) {
        let what = "the file names no recipe by which it could be written again".to_owned();
        return refused(Fault::usage(what, "name it in the file, under run: recipe"));
    }
    match config::recipe::load(name, folders) {
        Err(fault) => refused(fault),
        Ok((recipe, _, _)) if !file.run.names.is_empty() && names(&recipe) != file.run.names => {
            let what = format!("the recipe {name} names the parts of a file otherwise than this file does");
            refused(Fault::usage(what, "put the recipe back that the file was written under"))
        }
        Ok((recipe, _, text)) => Ok((recipe, hash(&text), None)),
    }
}

/// Fields that a person added are kept by the key of their finding.
fn own_fields_that_cannot_be_told_apart(file: &FindingsFile) -> Option<Fault> {
    let mut known = HashSet::new();
    let mut twice = file.findings.iter().filter(|finding| !known.insert(&finding.key));
    let shared = twice.find(|finding| file.extra.contains_key(&finding.key))?;
    let what = format!("several findings have the key \"{}\" and fields of your own, which would be mixed up", shared.key);
    Some(Fault::usage(what, "give each a key of its own in the file"))
}

/// The document that a file is about: beside the file, else from here. With a notice where it is not as it was.
fn document_of(file: &FindingsFile, path: &Path, words: &Catalogue) -> (PathBuf, Document, Option<String>) {
    let source = Path::new(&file.source);
    let beside = path.parent().unwrap_or(Path::new("")).join(source);
    let candidates = [beside.clone(), source.to_owned()];
    let read = |path: &PathBuf| document::read(path).ok().map(|document| (path.clone(), document));
    let found: Vec<(PathBuf, Document)> = match file.source.is_empty() {
        true => Vec::new(),
        false => candidates.iter().filter_map(read).collect(),
    };
    let is_same = |(_, document): &(PathBuf, Document)| document.hash() == file.run.document_hash;
    let best = found.iter().position(is_same).unwrap_or(0);
    let named = [("path", file.source.as_str().into())];
    match found.into_iter().nth(best) {
        Some(found) if is_same(&found) => (found.0, found.1, None),
        Some((path, document)) => (path, document, Some(words.say("open-document-changed", &named))),
        None => (beside, Document::parse(String::new()), Some(words.say("open-document-missing", &named))),
    }
}
