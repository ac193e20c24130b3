//! Where a run lives: `STATE/runs/RUN/` with `journal.jsonl`, `lock` and `document.md`, readable by their owner alone.

use crate::model::fault::Fault;
use crate::model::ids::RunId;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const RUNS: &str = "runs";
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// Longest run id, in bytes; far below what file systems allow for a name.
const MAX_ID: usize = 100;
const HINT: &str = "check that the state folder exists and is yours, or name another with --state-dir";

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    run: RunId,
    path: PathBuf,
}

impl RunFolder {
    /// Makes the folder of a new run, and the state folder above it where needed; each is 0700 and on the disk when this
    /// returns.
    ///
    /// # Errors
    /// `Usage` for an id that is no run id, `Io` where a folder cannot be made or that of the run exists already.
    pub fn create(state_dir: &Path, run: &RunId) -> Result<RunFolder, Fault> {
        check_id(run)?;
        let runs = runs_dir(state_dir);
        let path = runs.join(run.as_str());
        let made = || {
            make_private(state_dir)?;
            if holds_only_runs(state_dir)? {
                tighten(state_dir, FOLDER_MODE)?;
            }
            make_private(&runs)?;
            tighten(&runs, FOLDER_MODE)?;
            create_private(&path)
        };
        made().map_err(|error| Fault::io(path.display(), error, HINT))?;
        Ok(RunFolder { run: run.clone(), path })
    }

    /// The folder of a run that exists.
    ///
    /// # Errors
    /// `Usage` where there is none, `Io` where that cannot be told.
    pub fn find(state_dir: &Path, run: &RunId) -> Result<RunFolder, Fault> {
        check_id(run)?;
        let path = runs_dir(state_dir).join(run.as_str());
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => Ok(RunFolder { run: run.clone(), path }),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Fault::io(path.display(), error, HINT)),
            _ => Err(no_such_run(run, state_dir)),
        }
    }

    /// The run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The record file.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// The stable file that carries the lock; it is never renamed or replaced, because the lock lives on its inode.
    pub fn lock(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// The document as it was when the run began.
    pub fn document(&self) -> PathBuf {
        self.path.join("document.md")
    }

    /// Keeps the document's bytes beside the journal, 0600 and on the disk. Called before the journal is created, so that
    /// a run with a header always has its document.
    ///
    /// # Errors
    /// `Io`, also where a document is there already.
    pub fn save_document(&self, mut bytes: impl io::Read) -> Result<(), Fault> {
        let path = self.document();
        let mut saved = || {
            let mut file = create_file(&path)?;
            io::copy(&mut bytes, &mut file)?;
            file.sync_all()?;
            sync_dir(&self.path)
        };
        saved().map_err(|error| Fault::io(path.display(), error, HINT))
    }

    /// Takes away what others may do to the folder and the document; journal and lock are tightened as they are opened.
    pub(super) fn tighten(&self) -> io::Result<()> {
        tighten(&self.path, FOLDER_MODE)?;
        match fs::symlink_metadata(self.document()) {
            Ok(meta) if meta.is_file() => tighten(&self.document(), FILE_MODE),
            _ => Ok(()),
        }
    }
}

/// `STATE/runs`.
pub(super) fn runs_dir(state_dir: &Path) -> PathBuf {
    state_dir.join(RUNS)
}

/// Whether a name can be that of a run: ASCII letters, digits and `-`, so that it never leaves its folder or hides.
pub(super) fn is_run_id(name: &str) -> bool {
    (1..=MAX_ID).contains(&name.len())
        && !name.starts_with('-')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn check_id(run: &RunId) -> Result<(), Fault> {
    if is_run_id(run.as_str()) {
        return Ok(());
    }
    Err(Fault::usage(format!("{run:?} is no run id", run = run.as_str()), "`tamis runs` lists the runs there are"))
}

pub(super) fn no_such_run(run: &RunId, state_dir: &Path) -> Fault {
    Fault::usage(format!("there is no run {run} in {}", state_dir.display()), "`tamis runs` lists the runs there are")
}

/// Creates a file that must not exist yet, 0600 whatever the umask.
pub(super) fn create_file(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().read(true).write(true).create_new(true), path)
}

/// Opens a regular file for its owner alone. Links are not followed and pipes do not block: the folder may hold anything.
pub(super) fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let file = options.mode(FILE_MODE).custom_flags(flags.bits() as i32).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    if meta.permissions().mode() & 0o777 != FILE_MODE {
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
    }
    Ok(file)
}

/// Puts a folder's entries on the disk: without this a new file's content can survive a power cut and its name not.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Makes a folder, 0700 whatever the umask, with those above it that are missing; one that exists stays as it is.
fn make_private(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = parent_of(path);
    if parent != path {
        make_private(parent)?;
    }
    match create_private(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

fn create_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(FOLDER_MODE).create(path)?;
    tighten(path, FOLDER_MODE)?;
    sync_dir(parent_of(path))
}

fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

fn tighten(path: &Path, mode: u32) -> io::Result<()> {
    if fs::metadata(path)?.permissions().mode() & 0o777 == mode {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Whether a folder is ours to tighten: a person may name one that others use too, such as `/tmp`.
fn holds_only_runs(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        if entry?.file_name() != RUNS {
            return Ok(false);
        }
    }
    Ok(true)
}
