//! Where a program is installed: found on `PATH` as the shell would, never in the folder that it begins in, and with what it
//! needs of its own installation where that lies outside of the system's folders.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Bytes of a file in which the line of its interpreter stands.
const FIRST_LINE: u64 = 256;

/// A program that can be begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Where it was found; whole.
    pub path: PathBuf,
    /// What it must be able to read of its own.
    pub reads: Vec<PathBuf>,
}

/// Finds a program: by its whole path, or by a name on `PATH`.
///
/// # Errors
/// In words: it is not there, or it cannot be begun.
pub fn find(word: &OsStr, path: Option<&str>) -> Result<Installed, String> {
    let shown = word.to_string_lossy();
    let name = Path::new(word);
    let found = match name.is_absolute() {
        true => name.to_owned(),
        false if word.as_bytes().contains(&b'/') => {
            return Err(format!("`{shown}` is no whole path: the folder that it begins in is the project, which is not asked"));
        }
        false => {
            let all = folders(path).map(|folder| folder.join(name)).find(|path| can_begin(path));
            all.ok_or_else(|| format!("no program `{shown}` is found on PATH"))?
        }
    };
    match (found.exists(), can_begin(&found)) {
        (false, _) => Err(format!("there is no program `{shown}`")),
        (true, false) => Err(format!("`{shown}` cannot be begun: no program, or not allowed to run")),
        (true, true) => Ok(Installed { reads: reads(&found, path), path: found }),
    }
}

/// `PATH` without the folders that depend on where something begins.
pub fn whole_path(path: &str) -> OsString {
    std::env::join_paths(folders(Some(path))).unwrap_or_default()
}

fn folders(path: Option<&str>) -> impl Iterator<Item = PathBuf> + '_ {
    std::env::split_paths(path.unwrap_or_default()).filter(|folder| folder.is_absolute())
}

fn can_begin(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The program itself, the packages around it, its interpreter and what is around that.
fn reads(program: &Path, path: Option<&str>) -> Vec<PathBuf> {
    let mut reads = around(program);
    if let Some(interpreter) = interpreter(program, path) {
        reads.extend(around(&interpreter));
    }
    reads.sort();
    reads.dedup();
    reads
}

/// The file behind a path, the outermost `node_modules` above it, the Python environment whose `bin` it lies in, and where it is
/// a Python its library.
fn around(path: &Path) -> Vec<PathBuf> {
    let Ok(real) = path.canonicalize() else { return Vec::new() };
    let packages = real.ancestors().filter(|above| above.file_name() == Some(OsStr::new("node_modules"))).last();
    let environments = [path, real.as_path()].into_iter().filter_map(|path| path.parent()?.parent());
    let environment =
        environments.filter(|above| above.join("pyvenv.cfg").is_file()).filter_map(|above| above.canonicalize().ok());
    let library = || {
        let library = real.parent()?.parent()?.join("lib");
        let name = real.file_name().filter(|name| name.as_bytes().starts_with(b"python"))?;
        library.join(name).is_dir().then_some(library)
    };
    packages.map(Path::to_owned).into_iter().chain(environment).chain(library()).chain([real.clone()]).collect()
}

/// What a script names in its first line: `#!/path/to/it`, or `#!/usr/bin/env name`.
fn interpreter(program: &Path, path: Option<&str>) -> Option<PathBuf> {
    let mut first = Vec::new();
    File::open(program).ok()?.take(FIRST_LINE).read_to_end(&mut first).ok()?;
    let line = first.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let named = Path::new(words.next()?);
    if named.file_name() != Some(OsStr::new("env")) {
        return Some(named.to_owned());
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    folders(path).map(|folder| folder.join(name)).find(|path| can_begin(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn program(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("can be run");
    }

    #[test]
    fn a_program_in_a_home_folder_reads_its_packages_and_its_interpreter_and_never_the_home() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().canonicalize().expect("a path");
        let node = home.join(".nvm/versions/node/v22");
        program(&node.join("bin/node"), "binary");
        program(&node.join("lib/node_modules/@openai/codex/bin/codex.js"), "#!/usr/bin/env -S node --flag\n");
        symlink("../lib/node_modules/@openai/codex/bin/codex.js", node.join("bin/codex")).expect("a link");
        program(&home.join(".local/share/claude/versions/2.0"), "binary");
        fs::create_dir_all(home.join(".local/bin")).expect("made");
        symlink(home.join(".local/share/claude/versions/2.0"), home.join(".local/bin/claude")).expect("a link");
        program(&home.join("pythons/3.12/bin/python3.12"), "binary");
        fs::create_dir_all(home.join("pythons/3.12/lib/python3.12")).expect("made");
        let python = find(home.join("pythons/3.12/bin/python3.12").as_os_str(), None).expect("found");
        assert_eq!(python.reads, [home.join("pythons/3.12/bin/python3.12"), home.join("pythons/3.12/lib")]);
        program(&home.join("venv/bin/review"), &format!("#!{}\n", home.join("venv/bin/python").display()));
        symlink("/bin/sh", home.join("venv/bin/python")).expect("a link");
        fs::write(home.join("venv/pyvenv.cfg"), "").expect("written");
        let path = format!("relative::{}:{}", node.join("bin").display(), home.join(".local/bin").display());
        let found = |word: &str| find(OsStr::new(word), Some(&path)).expect("found");
        let codex = found("codex");
        assert_eq!(codex.path, node.join("bin/codex"));
        let real = node.join("lib/node_modules/@openai/codex/bin/codex.js");
        assert_eq!(codex.reads, [node.join("bin/node"), node.join("lib/node_modules"), real]);
        assert_eq!(found("claude").reads, [home.join(".local/share/claude/versions/2.0")]);
        let review = found(&home.join("venv/bin/review").display().to_string());
        assert!(review.reads.contains(&home.join("venv")), "{:?}", review.reads);
        for reads in [codex.reads, review.reads] {
            assert!(reads.iter().all(|path| !home.starts_with(path)), "{reads:?}");
        }
    }

    #[test]
    fn what_cannot_be_begun_is_said_and_the_folder_of_the_project_is_not_searched() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        program(&home.join("bin/yes"), "#!/bin/sh\n");
        fs::write(home.join("bin/no"), "").expect("written");
        let path = format!(":.:bin:{}", home.join("bin").display());
        let why = |word: &str| find(OsStr::new(word), Some(&path)).expect_err("not found");
        assert!(find(OsStr::new("yes"), Some(&path)).is_ok());
        assert!(why("no").contains("no program `no` is found on PATH"));
        assert!(why("./yes").contains("no whole path") && why("bin/yes").contains("no whole path"));
        assert!(why(&home.join("bin/no").display().to_string()).contains("cannot be begun"));
        assert!(why(&home.join("bin/gone").display().to_string()).contains("there is no program"));
        assert!(why(&home.join("bin").display().to_string()).contains("cannot be begun"));
        assert_eq!(whole_path(&path), home.join("bin"));
    }
}
