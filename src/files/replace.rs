//! Replacing a file that people keep: whole or not at all, and never one that somebody else wrote or changed meanwhile.
//!
//! New file beside the target → write → fsync → is the target still what was observed? → rename → fsync the folder. What
//! this does not promise: a person who saves in the instant between the last look and the rename loses that save, unless
//! the target did not exist, where the rename itself refuses.

use super::findings::FindingsFile;
use super::read::{is_findings_file, read};
use crate::model::fault::{Fault, FaultKind};
use crate::model::shown::Shown;
use crate::model::yaml::FINDINGS_BYTES;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Symbolic links that are followed at most.
const MAX_LINKS: usize = 40;
/// Numbers of backups that are tried at most.
const MAX_BACKUPS: u32 = 10_000;

/// What stands where a file is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Absent,
    /// A findings file of ours that can be read.
    Ours {
        /// Hash of its bytes.
        hash: String,
    },
    /// Anything else, a findings file that cannot be read any more included.
    Foreign {
        /// Hash of its bytes.
        hash: String,
    },
}

impl State {
    fn hash(&self) -> Option<&str> {
        match self {
            State::Absent => None,
            State::Ours { hash } | State::Foreign { hash } => Some(hash),
        }
    }
}

/// A place to write to, as it was when it was looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The path as given.
    pub path: PathBuf,
    /// What stood there.
    pub state: State,
    /// The findings file that stood there, where it is ours.
    pub earlier: Option<Box<FindingsFile>>,
    /// The file behind symbolic links.
    file: PathBuf,
    /// Why a findings file is foreign all the same, as a sentence after the path.
    foreign: Option<String>,
}

impl Target {
    /// Looks at a place. Symbolic links are followed, also to a file that does not exist yet.
    ///
    /// # Errors
    /// An output fault where a folder or a special file stands there, or where it cannot be read.
    pub fn observe(path: &Path) -> Result<Target, Fault> {
        let file = resolve(path)?;
        let Some(content) = Content::of(path, &file)? else {
            return Ok(Target { path: path.to_owned(), state: State::Absent, earlier: None, file, foreign: None });
        };
        let hash = content.hash;
        let text = content.bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| is_findings_file(text));
        let found = text.map(|text| read(&text, &path.display().to_string()));
        let unread = |fault: Fault| format!("a findings file that cannot be read stays as it is ({})", fault.what);
        let (state, earlier, foreign) = match found {
            Some(Ok(earlier)) => (State::Ours { hash }, Some(Box::new(earlier)), None),
            Some(Err(fault)) => (State::Foreign { hash }, None, Some(unread(fault))),
            None => (State::Foreign { hash }, None, None),
        };
        Ok(Target { path: path.to_owned(), state, earlier, file, foreign })
    }

    /// Hash of what stood there; `None` for an absent file.
    pub fn hash(&self) -> Option<&str> {
        match &self.state {
            State::Absent => None,
            State::Ours { hash } | State::Foreign { hash } => Some(hash),
        }
    }

    /// The fault of replacing this target without being told to overwrite, `None` where that is fine.
    pub fn refusal(&self) -> Option<Fault> {
        let State::Foreign { .. } = self.state else { return None };
        let why = self.foreign.as_deref().unwrap_or("not a findings file that this version of tamis wrote, so it stays as it is");
        Some(self.refused(why))
    }

    /// The document that the findings file there was written for, as its path was given then, and the name of the recipe;
    /// `None` where no findings file of ours stands there. Either is `""` where the file does not say.
    pub fn written_for(&self) -> Option<(&str, &str)> {
        self.earlier.as_deref().map(|earlier| (earlier.source.as_str(), earlier.run.recipe.as_str()))
    }

    /// The fault of replacing this target by the findings on a document under a recipe, `None` where that is fine: as
    /// [`Target::refusal`], and a findings file on another document or under another recipe is as foreign as any other.
    ///
    /// Documents are told apart by file name, because the same one may be given by another path.
    pub fn refusal_for(&self, source: &str, recipe: &str) -> Option<Fault> {
        self.refusal().or_else(|| self.mismatch(source, recipe).map(|why| self.refused(&why)))
    }

    /// This target as the findings on a document under a recipe see it: a findings file on another document or under
    /// another recipe is foreign, so nothing is carried over from it and overwriting keeps it as a backup.
    pub fn seen_from(mut self, source: &str, recipe: &str) -> Target {
        if let Some(why) = self.mismatch(source, recipe)
            && let State::Ours { hash } = self.state
        {
            (self.state, self.earlier, self.foreign) = (State::Foreign { hash }, None, Some(why));
        }
        self
    }

    fn mismatch(&self, source: &str, recipe: &str) -> Option<String> {
        let (other_source, other_recipe) = self.written_for()?;
        let differ = |one: &str, other: &str| !one.is_empty() && !other.is_empty() && one != other;
        if !differ(name_of(other_source), name_of(source)) && !differ(other_recipe, recipe) {
            return None;
        }
        let what = |source: &str, recipe: &str| {
            let source = if source.is_empty() { "a document" } else { source };
            let recipe = if recipe.is_empty() { String::new() } else { format!(" under the recipe {recipe}") };
            Shown::line(&format!("{source}{recipe}")).as_str().to_owned()
        };
        let (theirs, ours) = (what(other_source, other_recipe), what(source, recipe));
        Some(format!("holds the findings on {theirs}, not on {ours}, so it stays as it is"))
    }

    fn refused(&self, why: &str) -> Fault {
        Fault::new(FaultKind::Io, format!("{}: {why}", self.path.display()), way_out(&self.file))
    }
}

/// The last part of a path as people write it.
fn name_of(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// What to do about a target that is not replaced.
fn way_out(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    format!("--overwrite writes and keeps the old file as {name}.bak; --out FILE writes elsewhere")
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file, behind symbolic links.
    pub path: PathBuf,
    /// Hash of its bytes.
    pub hash: String,
    /// Where the old file was kept, if it was.
    pub backup: Option<PathBuf>,
}

/// Replaces a target by these bytes, whole or not at all.
///
/// With `overwrite`, a target that is not ours or that changed since it was observed is kept as `NAME.bak` (`.bak1`, …
/// where that is taken) and then replaced. The new file has the mode of the old one, else what the umask leaves of 0666.
///
/// # Errors
/// An output fault, after which the target is as it was: it is foreign or changed (without `overwrite`), it is read-only,
/// or something could not be written. Only where the folder could not be synced at the end is the new file already there.
pub fn replace(target: &Target, bytes: &[u8], overwrite: bool) -> Result<Written, Fault> {
    let file = &target.file;
    let shown = target.path.display();
    let failed = |error: io::Error| Fault::io(shown.to_string(), error, "the file is as it was; make room or give --out FILE");
    let hash = blake3::hash(bytes).to_hex().to_string();
    let is_written = Content::of(&target.path, file)?.is_some_and(|content| content.hash == hash);
    if !is_written
        && !overwrite
        && let Some(fault) = target.refusal()
    {
        return Err(fault);
    }
    let folder_path = folder_of(file);
    let folder = File::open(folder_path).map_err(failed)?;
    if is_written {
        // By an attempt that was killed before it could say so.
        sync_folder(&folder).map_err(failed)?;
        return Ok(Written { path: file.clone(), hash, backup: None });
    }
    // One writer a folder at a time; released with the handle, also by a kill. Where locks are not to be had, the look
    // before the rename is all there is.
    let _ = folder.lock();
    let prefix = temp_prefix(file);
    sweep(folder_path, &prefix);

    let old = metadata(file).map_err(failed)?;
    if old.as_ref().is_some_and(|old| old.mode() & 0o222 == 0) {
        let what = format!("{shown}: is read-only, so it stays as it is");
        return Err(Fault::new(FaultKind::Io, what, "make it writable, or give --out FILE"));
    }
    let temp = write_temp(folder_path, &prefix, old.as_ref(), bytes).map_err(failed)?;

    if resolve(&target.path)? != *file {
        let what = format!("{shown}: the link leads elsewhere by now, so both files stay as they are");
        return Err(Fault::new(FaultKind::Io, what, "run it again, or give --out FILE"));
    }
    let now = Content::of(&target.path, file)?.map(|content| content.hash);
    let is_as_observed = now.as_deref() == target.state.hash();
    if !is_as_observed && !overwrite {
        let what = format!("{shown}: changed since it was read, so it stays as it is");
        return Err(Fault::new(FaultKind::Io, what, way_out(file)));
    }
    let must_keep = now.is_some() && !(is_as_observed && matches!(target.state, State::Ours { .. }));
    let backup = if must_keep { Some(keep(file).map_err(failed)?) } else { None };
    let renamed = if now.is_none() { temp.persist_noclobber(file) } else { temp.persist(file) };
    if let Err(error) = renamed {
        if error.error.kind() == ErrorKind::AlreadyExists {
            let what = format!("{shown}: was created meanwhile, so it stays as it is");
            return Err(Fault::new(FaultKind::Io, what, way_out(file)));
        }
        return Err(failed(error.error));
    }
    sync_folder(&folder).map_err(|error| {
        Fault::io(shown.to_string(), error, "the file is written, but a loss of power might still undo that; write it again")
    })?;
    Ok(Written { path: file.clone(), hash, backup })
}

/// The file behind symbolic links; the last one may not exist.
fn resolve(path: &Path) -> Result<PathBuf, Fault> {
    let shown = &path.display();
    if path.file_name().is_none() {
        return Err(Fault::io(shown, "is a folder", "give the path of a file"));
    }
    let mut file = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&file) {
            Ok(found) if found.file_type().is_symlink() => {
                let next = fs::read_link(&file).map_err(|error| Fault::io(shown, error, "check the link"))?;
                file = folder_of(&file).join(next);
            }
            Ok(_) => return Ok(file),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if folder_of(&file).is_dir() {
                    return Ok(file);
                }
                let what = format!("the folder {} does not exist", folder_of(&file).display());
                return Err(Fault::io(shown, what, "create it, or give --out FILE"));
            }
            Err(error) => return Err(Fault::io(shown, error, "check the path and its permissions")),
        }
    }
    Err(Fault::io(shown, "is a chain of symbolic links without end", "give --out FILE"))
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn metadata(file: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(file) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a file holds: its hash, and its bytes where they are few enough to be a findings file.
struct Content {
    hash: String,
    bytes: Option<Vec<u8>>,
}

impl Content {
    /// `None` where there is no file.
    fn of(path: &Path, file: &Path) -> Result<Option<Content>, Fault> {
        let shown = path.display().to_string();
        let failed = |error: io::Error| Fault::io(&shown, error, "check its permissions, or give --out FILE");
        match metadata(file).map_err(failed)? {
            None => return Ok(None),
            Some(found) if found.is_dir() => return Err(Fault::io(&shown, "is a folder", "give the path of a file")),
            Some(found) if !found.is_file() => {
                return Err(Fault::io(&shown, "is no regular file", "give the path of a file"));
            }
            Some(_) => {}
        }
        let mut opened = File::open(file).map_err(failed)?;
        let mut bytes = Vec::new();
        (&mut opened).take(FINDINGS_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        hasher.update_reader(opened).map_err(failed)?;
        let bytes = (bytes.len() <= FINDINGS_BYTES).then_some(bytes);
        Ok(Some(Content { hash: hasher.finalize().to_hex().to_string(), bytes }))
    }
}

/// Temporary files of one target begin alike; its name goes in as a hash, because names may be as long as the system
/// allows.
fn temp_prefix(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default();
    let hash = blake3::hash(name.as_encoded_bytes()).to_hex();
    format!(".tamis-{}-", &hash[..16])
}

/// Removes what killed writers of this target left. The folder is locked, so none of them is still at work.
fn sweep(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(".tmp"));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A new file beside the target with its mode and, where that is allowed, its owner; written and synced.
fn write_temp(folder: &Path, prefix: &str, old: Option<&Metadata>, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mode = old.map_or(0o666, |old| old.mode() & 0o777);
    let permissions = Permissions::from_mode(mode);
    let mut temp = tempfile::Builder::new().prefix(prefix).suffix(".tmp").permissions(permissions.clone()).tempfile_in(folder)?;
    if let Some(old) = old {
        let new = temp.as_file().metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Not ours to give away: then the file belongs to whoever writes it, as with any editor.
            let _ = fchown(temp.as_file(), Some(old.uid()), Some(old.gid()));
        }
        temp.as_file().set_permissions(permissions)?;
    }
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    Ok(temp)
}

/// Keeps the file under the first free name of `NAME.bak`, `NAME.bak1`, …, without a moment in which it is gone.
fn keep(file: &Path) -> io::Result<PathBuf> {
    for number in 0..MAX_BACKUPS {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 0 { ".bak".to_owned() } else { format!(".bak{number}") });
        let backup = PathBuf::from(name);
        let kept = fs::hard_link(file, &backup).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Err(error),
            // File systems without hard links.
            _ => copy_new(file, &backup),
        });
        match kept {
            Ok(()) => return Ok(backup),
            // The same file: an attempt that was killed after it had kept the old one.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && is_same_file(file, &backup)? => return Ok(backup),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("{MAX_BACKUPS} backups are there already")))
}

fn is_same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (fs::metadata(one)?, fs::symlink_metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

fn copy_new(file: &Path, backup: &Path) -> io::Result<()> {
    let mut from = File::open(file)?;
    let mode = from.metadata()?.mode() & 0o777;
    let mut to = OpenOptions::new().write(true).create_new(true).mode(mode).open(backup)?;
    let copied = io::copy(&mut from, &mut to).and_then(|_| to.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(backup);
    }
    copied
}

fn sync_folder(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        // Some network file systems sync no folders.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::findings::render;
    use crate::files::samples::{full_file, recipes};
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    fn folder() -> TempDir {
        tempfile::tempdir().expect("folder")
    }

    fn ours() -> Vec<u8> {
        let [recipe, _] = recipes();
        render(&full_file(&recipe), &recipe).into_bytes()
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).expect("entries");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("metadata").mode() & 0o7777
    }

    fn refused(result: Result<Written, Fault>, words: &str) {
        let fault = result.expect_err(words);
        assert_eq!(fault.kind, FaultKind::Io);
        assert!(fault.what.contains(words), "{}", fault.what);
        assert!(!fault.hint.is_empty());
    }

    #[test]
    fn a_new_file_is_written_whole_with_the_mode_of_new_files() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        let plain = folder.path().join("plain");
        fs::write(&plain, "x").expect("written");
        let target = Target::observe(&path).expect("observed");
        assert_eq!((&target.state, &target.earlier), (&State::Absent, &None));
        let written = replace(&target, b"new", false).expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        let hash = blake3::hash(b"new").to_hex().to_string();
        assert_eq!(written, Written { path: path.clone(), hash, backup: None });
        assert_eq!(mode(&path), mode(&plain));
        assert_eq!(names(&folder), ["f.yaml", "plain"]);
    }

    #[test]
    fn a_findings_file_on_another_document_or_recipe_is_foreign() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(&path, ours()).expect("written");
        let target = Target::observe(&path).expect("observed");
        let (source, recipe) = target.written_for().expect("ours");
        let (source, recipe) = (source.to_owned(), recipe.to_owned());
        assert!(!source.is_empty() && !recipe.is_empty());
        let elsewhere = format!("/elsewhere/{}", name_of(&source));
        assert_eq!(target.refusal_for(&elsewhere, &recipe), None);
        assert_eq!(target.clone().seen_from(&elsewhere, &recipe), target);
        for (other, under) in [("other.md", recipe.as_str()), (source.as_str(), "other")] {
            let fault = target.refusal_for(other, under).expect("refused");
            for words in [&source, &recipe, other, under] {
                assert!(fault.what.contains(words), "{}", fault.what);
            }
            let seen = target.clone().seen_from(other, under);
            assert_eq!((seen.refusal(), seen.earlier.is_none(), seen.hash()), (Some(fault), true, target.hash()));
            refused(replace(&seen, b"new", false), "holds the findings on");
        }
        let written = replace(&target.seen_from("other.md", &recipe), b"new", true).expect("replaced");
        assert_eq!(fs::read(written.backup.expect("kept")).expect("read"), ours());
        assert_eq!(Target::observe(&path).expect("observed").written_for(), None);
    }

    #[test]
    fn our_own_file_is_replaced_and_keeps_its_mode() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(&path, ours()).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("mode");
        let target = Target::observe(&path).expect("observed");
        assert!(matches!(target.state, State::Ours { .. }));
        assert_eq!(target.earlier.as_ref().map(|earlier| earlier.findings.len()), Some(3));
        assert_eq!(replace(&target, b"new", false).expect("replaced").backup, None);
        assert_eq!((fs::read(&path).expect("read"), mode(&path)), (b"new".to_vec(), 0o640));
        assert_eq!(names(&folder), ["f.yaml"]);
    }

    #[test]
    fn what_is_not_ours_stays_unless_told_and_is_then_kept() {
        let broken = [ours(), b"\n  broken: [".to_vec()].concat();
        let newer = b"schema: tamis.findings/2\n".to_vec();
        for (old, words) in [
            (b"mine".to_vec(), "not a findings file"),
            (b"\xff\xfe".to_vec(), "not a findings file"),
            (newer, "not a findings file that this version"),
            (broken, "cannot be read"),
        ] {
            let folder = folder();
            let path = folder.path().join("f.yaml");
            fs::write(&path, &old).expect("written");
            let target = Target::observe(&path).expect("observed");
            assert!(matches!(target.state, State::Foreign { .. }));
            refused(replace(&target, b"new", false), words);
            assert_eq!((fs::read(&path).expect("read"), names(&folder)), (old.clone(), vec!["f.yaml".to_owned()]));
            let written = replace(&target, b"new", true).expect("replaced");
            let backup = written.backup.expect("backup");
            assert_eq!(backup, folder.path().join("f.yaml.bak"));
            assert_eq!((fs::read(&path).expect("read"), fs::read(&backup).expect("read")), (b"new".to_vec(), old));
        }
    }

    #[test]
    fn a_backup_never_takes_the_place_of_another() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(folder.path().join("f.yaml.bak"), "precious").expect("written");
        for (number, expected) in [(1, "f.yaml.bak1"), (2, "f.yaml.bak2")] {
            fs::write(&path, format!("mine {number}")).expect("written");
            let written = replace(&Target::observe(&path).expect("observed"), b"new", true).expect("replaced");
            assert_eq!(written.backup, Some(folder.path().join(expected)));
            assert_eq!(fs::read_to_string(folder.path().join(expected)).expect("read"), format!("mine {number}"));
        }
        assert_eq!(fs::read_to_string(folder.path().join("f.yaml.bak")).expect("read"), "precious");
    }

    #[test]
    fn a_target_that_changed_meanwhile_stays_unless_told() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(&path, ours()).expect("written");
        let target = Target::observe(&path).expect("observed");
        let edited = [ours(), b"# by hand\n".to_vec()].concat();
        fs::write(&path, &edited).expect("edited");
        refused(replace(&target, b"new", false), "changed since it was read");
        assert_eq!(fs::read(&path).expect("read"), edited);
        let written = replace(&target, b"new", true).expect("replaced");
        assert_eq!(fs::read(written.backup.expect("backup")).expect("read"), edited);
        fs::write(&path, ours()).expect("written");
        let gone = Target::observe(&path).expect("observed");
        fs::remove_file(&path).expect("removed");
        refused(replace(&gone, b"new", false), "changed since it was read");
        assert!(!path.exists());
        assert_eq!(replace(&gone, b"new", true).expect("replaced").backup, None);
        let absent = Target::observe(&folder.path().join("new.yaml")).expect("observed");
        fs::write(folder.path().join("new.yaml"), "somebody else").expect("written");
        refused(replace(&absent, b"new", false), "changed since it was read");
    }

    #[test]
    fn an_attempt_that_was_killed_half_way_is_taken_up() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(&path, "mine").expect("written");
        let target = Target::observe(&path).expect("observed");
        // Killed after keeping the old file: its link is the backup.
        fs::hard_link(&path, folder.path().join("f.yaml.bak")).expect("link");
        let written = replace(&target, b"new", true).expect("replaced");
        assert_eq!(written.backup, Some(folder.path().join("f.yaml.bak")));
        assert_eq!(names(&folder), ["f.yaml", "f.yaml.bak"]);
        // Killed after the rename: what is wanted is there.
        let again = replace(&target, b"new", false).expect("there already");
        assert_eq!((again.hash, again.backup), (written.hash, None));
        assert_eq!(names(&folder), ["f.yaml", "f.yaml.bak"]);
    }

    #[test]
    fn links_are_written_through_also_to_nothing() {
        let folder = folder();
        let real = folder.path().join("real.yaml");
        fs::write(&real, ours()).expect("written");
        fs::create_dir(folder.path().join("sub")).expect("folder");
        let link = folder.path().join("sub/link.yaml");
        symlink("../real.yaml", &link).expect("link");
        let target = Target::observe(&link).expect("observed");
        replace(&target, b"new", false).expect("replaced");
        assert_eq!(fs::read(&real).expect("read"), b"new");
        assert!(fs::symlink_metadata(&link).expect("metadata").file_type().is_symlink());
        let dangling = folder.path().join("dangling.yaml");
        symlink("later.yaml", &dangling).expect("link");
        replace(&Target::observe(&dangling).expect("observed"), b"later", false).expect("replaced");
        assert_eq!(fs::read(folder.path().join("later.yaml")).expect("read"), b"later");
        // A link that is bent meanwhile leads to a file that nobody looked at.
        let target = Target::observe(&dangling).expect("observed");
        fs::remove_file(&dangling).expect("removed");
        symlink("elsewhere.yaml", &dangling).expect("link");
        refused(replace(&target, b"new", true), "the link leads elsewhere");
        assert!(!folder.path().join("elsewhere.yaml").exists());
        assert_eq!(fs::read(folder.path().join("later.yaml")).expect("read"), b"later");
        symlink("loop.yaml", folder.path().join("loop.yaml")).expect("link");
        let fault = Target::observe(&folder.path().join("loop.yaml")).expect_err("loop");
        assert!(fault.what.contains("without end"), "{}", fault.what);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let folder = folder();
        for (path, words) in [
            (folder.path().to_owned(), "is a folder"),
            (folder.path().join(".."), "is a folder"),
            (folder.path().join("none/f.yaml"), "does not exist"),
            (PathBuf::from("/dev/null"), "no regular file"),
        ] {
            let fault = Target::observe(&path).expect_err(words);
            assert_eq!(fault.kind, FaultKind::Io);
            assert!(fault.what.contains(words), "{}", fault.what);
        }
    }

    #[test]
    fn a_read_only_file_stays() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        fs::write(&path, ours()).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("mode");
        refused(replace(&Target::observe(&path).expect("observed"), b"new", true), "is read-only");
        assert_eq!(fs::read(&path).expect("read"), ours());
    }

    #[test]
    fn leftovers_of_this_target_are_swept_and_no_others() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        let stale = folder.path().join(format!("{}abc.tmp", temp_prefix(&path)));
        let others = [format!("{}abc.tmp", temp_prefix(Path::new("g.yaml"))), ".tamis-notes.tmp".to_owned()];
        fs::write(&stale, "half").expect("written");
        for other in &others {
            fs::write(folder.path().join(other), "half").expect("written");
        }
        replace(&Target::observe(&path).expect("observed"), b"new", false).expect("replaced");
        assert!(!stale.exists());
        assert!(others.iter().all(|other| folder.path().join(other).exists()));
    }

    #[test]
    fn a_name_may_be_as_long_as_the_system_allows() {
        let folder = folder();
        let path = folder.path().join("n".repeat(255));
        replace(&Target::observe(&path).expect("observed"), b"new", false).expect("replaced");
        assert_eq!(fs::read(&path).expect("read"), b"new");
    }

    #[test]
    fn a_failure_leaves_the_target_and_no_leftovers() {
        // Folders of the kernel take no new files, whoever asks.
        let target = Target::observe(Path::new("/proc/self/f.yaml")).expect("observed");
        let fault = replace(&target, b"new", false).expect_err("refused");
        assert_eq!(fault.kind, FaultKind::Io);
        assert!(fault.what.starts_with("/proc/self/f.yaml: "), "{}", fault.what);
    }

    #[test]
    fn of_several_writers_that_saw_the_same_file_exactly_one_writes() {
        let folder = folder();
        let path = folder.path().join("f.yaml");
        for observed in [false, true] {
            if observed {
                fs::write(&path, ours()).expect("written");
            }
            let target = Target::observe(&path).expect("observed");
            let written: usize = std::thread::scope(|scope| {
                let writers: Vec<_> = (0..8)
                    .map(|n| {
                        let target = &target;
                        scope.spawn(move || replace(target, format!("writer {n}").as_bytes(), false).is_ok())
                    })
                    .collect();
                writers.into_iter().map(|writer| usize::from(writer.join().expect("writer"))).sum()
            });
            assert_eq!(written, 1);
            assert!(fs::read_to_string(&path).expect("read").starts_with("writer "));
            assert_eq!(names(&folder), ["f.yaml"]);
        }
    }
}
