//! Which runs there are, and how one is deleted.

use super::folder::{RunFolder, is_run_id, runs_dir, sync_dir};
use super::lock::Lock;
use super::record::Meta;
use super::scan::{MAX_LINE, Problem, Scan, scan};
use super::store::{open_to_read, scan_file};
use crate::model::event::{Header, Kind};
use crate::model::fault::Fault;
use crate::model::ids::RunId;
use std::fs;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

/// Begins the name of a run's folder while it is deleted; no run id begins so.
const GONE: &str = ".gone-";

/// How a run stands, as its journal says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Begun and not ended: going on, or interrupted.
    Open,
    /// Waits for a person.
    Paused,
    /// Ended.
    Finished,
    /// Never begun: the folder holds no whole record.
    Empty,
    /// Its journal cannot be used, and why.
    Unusable(String),
}

/// A run in a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Its id.
    pub run: RunId,
    /// How it stands.
    pub state: RunState,
    /// What it is about; `None` where that cannot be read.
    pub header: Option<Header>,
    /// Whole records.
    pub events: u64,
    /// Time of the first; `""` without one.
    pub started_at: String,
    /// Time of the last; `""` without one.
    pub last_at: String,
    /// Whether a process has it open at this moment.
    pub in_use: bool,
}

/// All runs in a state folder, newest first. Whatever is no run's folder is passed over; a state folder that does not
/// exist holds none.
///
/// # Errors
/// `Io` where the folder cannot be read.
pub fn list(state_dir: &Path) -> Result<Vec<RunSummary>, Fault> {
    let mut found: Vec<RunSummary> = folders(state_dir)?.iter().map(summary).collect();
    found.sort_by(|a, b| (&b.started_at, &b.run).cmp(&(&a.started_at, &a.run)));
    Ok(found)
}

fn folders(state_dir: &Path) -> Result<Vec<RunFolder>, Fault> {
    let runs = runs_dir(state_dir);
    let fault = |error: io::Error| Fault::io(runs.display(), error, "name another state folder with --state-dir");
    let entries = match fs::read_dir(&runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(fault)?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(fault)?.file_name();
        let Some(name) = name.to_str().filter(|name| is_run_id(name)) else { continue };
        if let Ok(folder) = RunFolder::find(state_dir, &RunId::from(name)) {
            found.push(folder);
        }
    }
    Ok(found)
}

/// The headers of all runs in a state folder, newest first. Only the first record of each is read, so that this stays
/// quick where there are many; runs without a sound one are passed over.
///
/// # Errors
/// `Io` where the folder cannot be read.
pub fn headers(state_dir: &Path) -> Result<Vec<(RunFolder, Header)>, Fault> {
    let mut found = Vec::new();
    for folder in folders(state_dir)? {
        let Ok(file) = open_to_read(&folder.journal()) else { continue };
        let mut began = None::<Meta>;
        let first = first_line(BufReader::new(file)).and_then(|line| scan(line.as_slice(), |meta| began = Some(meta)).ok());
        if let (Some(header), Some(began)) = (first.and_then(|scan| scan.header), began) {
            found.push((began.at, folder, header));
        }
    }
    found.sort_by(|(at, a, _), (other, b, _)| (other, b.run()).cmp(&(at, a.run())));
    Ok(found.into_iter().map(|(_, folder, header)| (folder, header)).collect())
}

/// The first line, line feed included.
fn first_line(mut reader: impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line).ok()?;
    Some(line)
}

/// Deletes a run for good.
///
/// # Errors
/// `Locked` while a process has it open, whatever `force` says; `Usage` where there is no such run, or where it is not
/// finished and `force` is not given; `Io`.
pub fn remove(state_dir: &Path, run: &RunId, force: bool) -> Result<(), Fault> {
    let folder = RunFolder::find(state_dir, run)?;
    let _lock = Lock::acquire(&folder).map_err(|error| error.fault(&folder))?;
    let state = summary(&folder).state;
    if !force && matches!(state, RunState::Unusable(_)) {
        let what = format!("the journal of run {run} is damaged, and its sound records may still be wanted");
        let hint = format!("`tamis runs salvage {run}` copies them into a new run; --force deletes it all the same");
        return Err(Fault::usage(what, hint));
    }
    if !force && !matches!(state, RunState::Finished | RunState::Empty) {
        let what = format!("run {run} is not finished");
        return Err(Fault::usage(what, format!("`tamis resume {run}` goes on with it; --force deletes it all the same")));
    }
    let runs = runs_dir(state_dir);
    // Renamed first: whatever interrupts the deletion, no half of a run is left that looks like a damaged one.
    let gone = runs.join(format!("{GONE}{run}"));
    #[expect(clippy::disallowed_methods, reason = "a folder is moved away, no file is replaced")]
    let deleted = || {
        sweep(&runs)?;
        fs::rename(folder.path(), &gone)?;
        sync_dir(&runs)?;
        fs::remove_dir_all(&gone)
    };
    deleted().map_err(|error| Fault::io(folder.path().display(), error, "check that the folder is yours"))
}

/// Clears away what interrupted deletions left.
fn sweep(runs: &Path) -> io::Result<()> {
    for entry in fs::read_dir(runs)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(GONE.as_bytes()) {
            // Another process may be deleting it at this moment.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// How a run stands.
pub fn summary(folder: &RunFolder) -> RunSummary {
    let (mut first, mut last) = (None::<Meta>, None::<Meta>);
    let scanned = open_to_read(&folder.journal()).map(|file| {
        scan_file::<Meta>(&file, &folder.journal(), |meta| {
            first.get_or_insert_with(|| meta.clone());
            last = Some(meta);
        })
    });
    let (found, state) = match scanned {
        // No journal at all: the run was interrupted before its first record, or what stands there is not a file.
        Err(fault) if folder.journal().exists() => (Scan::default(), RunState::Unusable(fault.what)),
        Err(_) => (Scan::default(), RunState::Empty),
        Ok(Err(fault)) => (Scan::default(), RunState::Unusable(fault.what)),
        Ok(Ok(found)) => {
            let state = state_of(&found, last.as_ref());
            (found, state)
        }
    };
    let time = |meta: Option<Meta>| meta.map(|meta| meta.at).unwrap_or_default();
    RunSummary {
        run: folder.run().clone(),
        state,
        header: found.header,
        events: found.next_seq,
        started_at: time(first),
        last_at: time(last),
        in_use: Lock::is_held(folder),
    }
}

fn state_of(found: &Scan, last: Option<&Meta>) -> RunState {
    match (&found.problem, last.map(|meta| &meta.kind)) {
        (Some(Problem::Damaged(why) | Problem::Foreign(why)), _) => {
            RunState::Unusable(format!("byte {}, record {}: {why}", found.good, found.next_seq))
        }
        (_, None) => RunState::Empty,
        (_, Some(Kind::RunFinished)) => RunState::Finished,
        (_, Some(Kind::RunPaused)) => RunState::Paused,
        (_, Some(_)) => RunState::Open,
    }
}
