//! The journal of one run: create, open with repair, read, append.

use super::folder::{RunFolder, create_file, open_private, sync_dir};
use super::lock::Lock;
use super::record::{self, Linked};
use super::scan::{MAX_JOURNAL, Problem, Scan, scan};
use super::writer::Writer;
use crate::model::event::{Draft, Event, Header};
use crate::model::fault::{Fault, FaultKind};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// What to do where a run could not be begun.
const NOT_BEGUN: &str = "nothing was recorded; check the disk and make room, or name another --state-dir, then review again";

/// The journal of a run, open for appending. It holds the run's lock.
pub struct Journal {
    writer: Writer,
    _lock: Lock,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}

/// A journal opened for appending.
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// Its header.
    pub header: Header,
    /// All its events.
    pub events: Vec<Event>,
    /// What was repaired, for the user.
    pub notices: Vec<String>,
}

/// A journal read without changing it.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its header.
    pub header: Header,
    /// Its whole records.
    pub events: Vec<Event>,
    /// What follows them: an append that was interrupted, or is being made at this moment.
    pub torn: Option<Torn>,
}

/// The unfinished end of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where it begins, in bytes.
    pub at: u64,
    /// How long it is, in bytes.
    pub bytes: u64,
}

impl Journal {
    /// Begins the journal of a new run: takes the lock, writes the header record, and puts file and folder on the disk.
    /// `at` is the time of the record, RFC 3339 UTC; the lock carries it too.
    ///
    /// # Errors
    /// `Locked`; `Io`, also where the folder has a journal already; `Refused` for a draft that is no `run_started` with a
    /// header.
    pub fn create(folder: &RunFolder, started: Draft, at: &str) -> Result<(Journal, Event), Fault> {
        if let Err(unfit) = record::header_of(&started.kind, &started.body) {
            return Err(Fault::new(FaultKind::Refused, format!("run {} was not begun: {unfit}", folder.run()), ""));
        }
        let lock = signed_lock(folder, at)?;
        let path = folder.journal();
        let file = create_file(&path).map_err(|error| Fault::io(path.display(), error, NOT_BEGUN))?;
        let mut writer = Writer::new(Box::new(file), folder.run().as_str(), &Scan::default());
        let begun = writer.append(vec![started], at).map_err(|fault| Fault { hint: NOT_BEGUN.to_owned(), ..fault });
        let synced = begun.and_then(|events| match sync_dir(folder.path()) {
            Ok(()) => Ok(events),
            Err(error) => Err(Fault::io(path.display(), error, NOT_BEGUN)),
        });
        // A run that its user was not told of is none: no later resume takes it for theirs.
        let event = synced.inspect_err(|_| drop(std::fs::remove_file(&path)))?.remove(0);
        Ok((Journal { writer, _lock: lock }, event))
    }

    /// Opens the journal of a run to go on with it: takes the lock, checks every record, sets a torn tail aside into
    /// `journal.torn.N` beside it, and makes sure that all that is returned is on the disk.
    /// `at` is noted in the lock as the time since which this process holds it.
    ///
    /// # Errors
    /// `Locked`; `Io`; `Refused` where the journal is damaged, empty, or of another version.
    pub fn open(folder: &RunFolder, at: &str) -> Result<Opened, Fault> {
        let lock = signed_lock(folder, at)?;
        let (run, path) = (folder.run().as_str(), folder.journal());
        let fault = |error: io::Error| Fault::io(path.display(), error, "nothing was changed; check the disk and try again");
        folder.tighten().map_err(fault)?;
        let file = match open_private(OpenOptions::new().read(true).write(true), &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(no_run_here(run)),
            opened => opened.map_err(fault)?,
        };
        let mut events = Vec::new();
        let found = scan_file(&file, &path, |event| events.push(event))?;
        let (header, torn) = sound(&found, &path, run)?;
        let mut notices = Vec::new();
        if let Some(torn) = torn {
            let aside = set_aside(&file, torn, folder).map_err(fault)?;
            let Torn { bytes, .. } = torn;
            let aside = aside.display();
            notices.push(format!("{bytes} bytes of an unfinished record at the journal's end were set aside in {aside}"));
        }
        let mut writer = Writer::new(Box::new(file), run, &found);
        writer.secure(torn.is_some()).map_err(fault)?;
        Ok(Opened { journal: Journal { writer, _lock: lock }, header, events, notices })
    }

    /// Reads a journal file without lock or change, also while its run is going on.
    ///
    /// # Errors
    /// `Io`; `Refused` where the journal is damaged, empty, or of another version.
    pub fn read(path: &Path) -> Result<Read, Fault> {
        let file = open_to_read(path)?;
        let mut events = Vec::new();
        let found = scan_file(&file, path, |event| events.push(event))?;
        let (header, torn) = sound(&found, path, &run_of(path))?;
        Ok(Read { header, events, torn })
    }

    /// Records drafts as one batch: one write at the known end, then `fdatasync`; what it returns is on the disk, and is
    /// what every later reader will see. A batch of none does nothing.
    ///
    /// # Errors
    /// `Io` where writing failed: the file is cut back to the last whole record and the journal can be used again. `Io`
    /// where `fdatasync` failed: from then on every append is refused. `Refused` for a record that no reader would take.
    pub fn append(&mut self, drafts: Vec<Draft>, at: &str) -> Result<Vec<Event>, Fault> {
        self.writer.append(drafts, at)
    }
}

fn signed_lock(folder: &RunFolder, at: &str) -> Result<Lock, Fault> {
    let mut lock = Lock::acquire(folder).map_err(|error| error.fault(folder))?;
    // The note is for people only: on a full disk the lock counts without it.
    let _ = lock.sign(at);
    Ok(lock)
}

/// Opens a journal to read; pipes and the like are refused without waiting for them.
pub(super) fn open_to_read(path: &Path) -> Result<File, Fault> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path).and_then(|file| match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")),
    });
    match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(no_run_here(&run_of(path))),
        opened => opened.map_err(|error| Fault::io(path.display(), error, "the journal could not be read")),
    }
}

/// Scans a file from its start up to the length it has now: a run that is going on may make it longer meanwhile.
pub(super) fn scan_file<T: Linked>(file: &File, path: &Path, keep: impl FnMut(T)) -> Result<Scan, Fault> {
    let fault = |error| Fault::io(path.display(), error, "the journal could not be read");
    let len = file.metadata().map_err(fault)?.len();
    if len > MAX_JOURNAL {
        let what = format!("{}: the journal has {len} bytes, and at most {} MiB are read", path.display(), MAX_JOURNAL >> 20);
        return Err(Fault::new(FaultKind::Refused, what, "it is left as it is; begin a new run"));
    }
    let found = scan(BufReader::with_capacity(1 << 16, file.take(len)), keep).map_err(fault)?;
    Ok(Scan { len, ..found })
}

/// Header and torn tail of a journal that can be used; a fault for one that cannot.
pub(super) fn sound(found: &Scan, path: &Path, run: &str) -> Result<(Header, Option<Torn>), Fault> {
    let Scan { good, next_seq, .. } = *found;
    let torn = match &found.problem {
        None => None,
        Some(Problem::Torn) => Some(Torn { at: good, bytes: found.len - good }),
        Some(Problem::Damaged(why)) => {
            let what =
                format!("the journal of run {run} is damaged at byte {good}, record {next_seq}: {why} ({})", path.display());
            let hint = match next_seq {
                0 => "no record before it can be saved; review the document again".to_owned(),
                n => {
                    format!("`tamis runs salvage {run}` copies the {n} records before it into a new run; this one stays as it is")
                }
            };
            return Err(Fault::new(FaultKind::Refused, what, hint));
        }
        Some(Problem::Foreign(why)) => {
            let what = format!("the journal of run {run} cannot be read at byte {good}, record {next_seq}: {why}");
            return Err(Fault::new(FaultKind::Refused, what, "use the version of tamis that wrote it, or begin a new run"));
        }
    };
    let header = found.header.clone().ok_or_else(|| no_run_here(run))?;
    Ok((header, torn))
}

fn no_run_here(run: &str) -> Fault {
    let what = format!("run {run} was never begun: its journal holds no whole record");
    let hint = format!("there is nothing to go on with; review the document again, and `tamis runs rm {run}` clears this away");
    Fault::new(FaultKind::Refused, what, hint)
}

/// The run a journal file belongs to: the name of its folder.
pub(super) fn run_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).or(path.file_name());
    folder.map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Copies the torn tail into a file of its own, on the disk before the journal is cut. No earlier one is overwritten.
fn set_aside(mut file: &File, torn: Torn, folder: &RunFolder) -> io::Result<PathBuf> {
    let (path, mut aside) = new_torn_file(folder)?;
    file.seek(SeekFrom::Start(torn.at))?;
    let copied = io::copy(&mut file.take(torn.bytes), &mut aside).and_then(|_| aside.sync_all());
    if let Err(error) = copied {
        // Half a copy helps nobody: the journal still has all of it.
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    sync_dir(folder.path())?;
    Ok(path)
}

fn new_torn_file(folder: &RunFolder) -> io::Result<(PathBuf, File)> {
    let mut number = 1_u32;
    loop {
        let path = folder.path().join(format!("journal.torn.{number}"));
        match create_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            made => return Ok((path, made?)),
        }
    }
}
