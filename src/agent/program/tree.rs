//! A project's files before and after a program answered: where walls do not hold everything, a change that it should not have
//! been able to make is found out.

use rustix::fs::OFlags;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Files whose contents are hashed, in the order of their paths; of all others size and times count.
pub const MOST_FILES: usize = 50_000;
/// Files of a folder without version control that are looked for: a tree without an end is not walked to it.
const MOST_WALKED: usize = 1_000_000;
/// Bytes of a file up to which its contents are hashed; of a larger one size and times count.
pub const MOST_BYTES: u64 = 16 << 20;
/// What git keeps beside the tracked files and runs or obeys: a change there is worse than one in a file.
const OF_GIT: [&str; 4] = [".git/config", ".git/hooks", ".git/info", ".git/HEAD"];

/// A project's tree, looked at again and again.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// What changes for other reasons: the document under review, and whatever tamis itself writes.
    own: Vec<PathBuf>,
    /// Hashes of contents by path, each with the stamp that it was read under.
    known: Mutex<HashMap<PathBuf, (Stamp, [u8; 32])>>,
}

/// How the files stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State(BTreeMap<PathBuf, Found>);

/// A file's place on the disk, its size, and when it and its entry changed: unchanged, so are its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    changed: (i64, i64),
    entry_changed: (i64, i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    mode: u32,
    contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    Hash([u8; 32]),
    Link(PathBuf),
    /// Too large to be hashed, one too many, or nothing that has contents.
    Stamp(Stamp),
}

impl Stamp {
    fn of(meta: &Metadata) -> Stamp {
        Stamp {
            inode: meta.ino(),
            size: meta.len(),
            changed: (meta.mtime(), meta.mtime_nsec()),
            entry_changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

impl Tree {
    /// The tree below a root, without what changes for other reasons.
    pub fn of(root: &Path, own: &[PathBuf]) -> Tree {
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        Tree { root: root.to_owned(), own: own.iter().map(real).collect(), known: Mutex::default() }
    }

    /// How its files stand now. A file that cannot be read counts as one that is not there.
    pub fn state(&self) -> State {
        let mut paths = tracked(&self.root).unwrap_or_else(|| below(&self.root));
        paths.extend(OF_GIT.iter().map(|name| self.root.join(name)).flat_map(|path| match path.is_dir() {
            true => below(&path),
            false => vec![path],
        }));
        paths.retain(|path| !self.own.iter().any(|own| path.starts_with(own)));
        paths.sort();
        let numbered = paths.into_iter().enumerate();
        State(numbered.filter_map(|(n, path)| Some((path.clone(), self.found(&path, n < MOST_FILES).ok()?))).collect())
    }

    fn found(&self, path: &Path, hashes: bool) -> io::Result<Found> {
        let meta = fs::symlink_metadata(path)?;
        let contents = if meta.is_symlink() {
            Contents::Link(fs::read_link(path)?)
        } else if hashes && meta.is_file() && meta.len() <= MOST_BYTES {
            Contents::Hash(self.hash(path, &meta)?)
        } else {
            Contents::Stamp(Stamp::of(&meta))
        };
        Ok(Found { mode: meta.mode(), contents })
    }

    fn hash(&self, path: &Path, meta: &Metadata) -> io::Result<[u8; 32]> {
        let stamp = Stamp::of(meta);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, hash)) = known.get(path).filter(|(of, _)| *of == stamp) {
            return Ok(*hash);
        }
        let mut hasher = blake3::Hasher::new();
        // Whatever stands there by now: a pipe is not waited for, a link not followed.
        let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
        hasher.update_reader(OpenOptions::new().read(true).custom_flags(flags).open(path)?)?;
        let hash = *hasher.finalize().as_bytes();
        known.insert(path.to_owned(), (stamp, hash));
        Ok(hash)
    }

    /// Files that are not in both states as they were, seen from the root.
    pub fn changes(&self, before: &State, after: &State) -> Vec<PathBuf> {
        let all = before.0.keys().chain(after.0.keys().filter(|path| !before.0.contains_key(*path)));
        let changed = all.filter(|path| before.0.get(*path) != after.0.get(*path));
        let mut changed: Vec<PathBuf> = changed.map(|path| path.strip_prefix(&self.root).unwrap_or(path).to_owned()).collect();
        changed.sort();
        changed
    }
}

/// What git tracks, and what lies beside it and is not ignored; `None` where git does not know the folder. Nothing that the
/// repository's own settings name is run.
fn tracked(root: &Path) -> Option<Vec<PathBuf>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.excludesFile=/dev/null"])
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.map(|name| root.join(Path::new(std::ffi::OsStr::from_bytes(name)))).collect())
}

/// All files below a folder, not through links, and not what git keeps.
fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => folders.push(entry.path()),
                Ok(kind) if kind.is_dir() => {}
                _ => found.push(entry.path()),
            }
        }
        if found.len() > MOST_WALKED {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn place(git: bool) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        fs::create_dir_all(root.join("docs/deep")).expect("a folder");
        fs::create_dir_all(root.join("state")).expect("a folder");
        for name in ["prd.md", "docs/deep/a.txt", "state/journal"] {
            fs::write(root.join(name), name).expect("a file");
        }
        symlink("docs", root.join("link")).expect("a link");
        if git {
            let run = |args: &[&str]| Command::new("git").args(args).current_dir(&root).output().expect("git runs");
            run(&["init", "-q"]);
            fs::write(root.join(".gitignore"), "ignored\n").expect("a file");
            run(&["add", "."]);
        }
        (folder, root)
    }

    fn tree(root: &Path) -> Tree {
        Tree::of(root, &[root.join("prd.md"), root.join("state")])
    }

    fn names(changes: &[PathBuf]) -> Vec<String> {
        changes.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn every_kind_of_change_is_found_in_a_repository_and_in_a_bare_folder() {
        for git in [false, true] {
            type Change = fn(&Path);
            let changes: [(Change, &str); 6] = [
                (|root| fs::write(root.join("docs/deep/a.txt"), "docs/deep/b.txt").expect("written"), "docs/deep/a.txt"),
                (|root| fs::write(root.join("new.txt"), "").expect("written"), "new.txt"),
                (|root| fs::remove_file(root.join("docs/deep/a.txt")).expect("removed"), "docs/deep/a.txt"),
                (
                    |root| {
                        let mode = fs::Permissions::from_mode(0o777);
                        fs::set_permissions(root.join("docs/deep/a.txt"), mode).expect("changed");
                    },
                    "docs/deep/a.txt",
                ),
                (
                    |root| {
                        fs::remove_file(root.join("link")).expect("removed");
                        symlink("/etc", root.join("link")).expect("a link");
                    },
                    "link",
                ),
                (
                    |root| {
                        let path = root.join("docs/deep/a.txt");
                        let now = fs::metadata(&path).expect("there").modified().expect("a time");
                        fs::write(&path, "docs/deep/c.txt").expect("written");
                        File::options().write(true).open(&path).expect("opened").set_modified(now).expect("set");
                    },
                    "docs/deep/a.txt",
                ),
            ];
            for (change, name) in changes {
                let (_folder, root) = place(git);
                let tree = tree(&root);
                let before = tree.state();
                assert_eq!(tree.changes(&before, &tree.state()), Vec::<PathBuf>::new());
                change(&root);
                assert_eq!(names(&tree.changes(&before, &tree.state())), [name], "git: {git}");
            }
        }
    }

    #[test]
    fn the_document_and_our_own_files_do_not_count_and_hooks_do() {
        let (_folder, root) = place(true);
        let tree = tree(&root);
        let before = tree.state();
        for name in ["prd.md", "state/journal", "ignored"] {
            fs::write(root.join(name), "otherwise").expect("written");
        }
        assert_eq!(tree.changes(&before, &tree.state()), Vec::<PathBuf>::new());
        fs::write(root.join(".git/hooks/post-commit"), "#!/bin/sh\n").expect("written");
        fs::write(root.join(".git/config"), "[core]\n").expect("written");
        assert_eq!(names(&tree.changes(&before, &tree.state())), [".git/config", ".git/hooks/post-commit"]);
    }

    #[test]
    fn what_is_not_hashed_is_told_by_its_size_and_times() {
        let (_folder, root) = place(false);
        let tree = tree(&root);
        let path = root.join("docs/deep/a.txt");
        let before = tree.found(&path, false).expect("there");
        assert_eq!(tree.found(&path, false).expect("there"), before);
        let now = fs::metadata(&path).expect("there").modified().expect("a time");
        fs::write(&path, "docs/deep/b.txt").expect("written");
        File::options().write(true).open(&path).expect("opened").set_modified(now).expect("set");
        assert_ne!(tree.found(&path, false).expect("there"), before);
    }

    #[test]
    fn a_pipe_in_the_tree_is_not_waited_for_and_a_repository_s_settings_run_nothing() {
        let (_folder, root) = place(true);
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        let evil = format!("[core]\n\tfsmonitor = \"touch {}\"\n", root.join("evil").display());
        fs::write(root.join(".git/config"), evil).expect("written");
        let state = tree(&root).state();
        assert!(state.0.contains_key(&root.join("docs/deep/a.txt")));
        assert!(!root.join("evil").exists());
    }
}
