//! Where the key of a server stands, and reading it: the one place where a key enters the program.

use super::variables::Variables;
use rustix::fs::OFlags;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a key file at most.
const MAX_BYTES: usize = 4096;

/// Where a key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// In a variable of the environment.
    Variable(String),
    /// In a file.
    File(PathBuf),
    /// The server wants none.
    None,
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::Variable(name) => f.write_str(name),
            KeySource::File(path) => write!(f, "{}", path.display()),
            KeySource::None => f.write_str("none"),
        }
    }
}

/// What is wrong, and what to do.
pub type Wrong = (String, String);

impl KeySource {
    /// The key; `None` where the server wants none, or its variable is not set.
    ///
    /// # Errors
    /// A file that is not the user's alone or cannot be read, or a key that no header can carry.
    pub fn read(&self, variables: &Variables) -> Result<Option<SecretString>, Wrong> {
        let key = match self {
            KeySource::Variable(name) => variables.secret(name),
            KeySource::File(path) => Some(read_file(path)?),
            KeySource::None => None,
        };
        match key {
            Some(key) if !key.expose_secret().bytes().all(|byte| byte.is_ascii_graphic()) => {
                let what = format!("the key in {self} holds blanks, line breaks or letters that no key has");
                Err((what, "copy it again, on one line".to_owned()))
            }
            key => Ok(key),
        }
    }
}

/// Whether a word can name a variable for a key. Small letters are refused: a key that was pasted here by mistake would be
/// shown in messages as a name.
pub fn is_variable_name(name: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.len() <= 64 && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(fine)
}

fn read_file(path: &Path) -> Result<SecretString, Wrong> {
    let shown = path.display();
    let failed = |error: std::io::Error| (format!("the key file {shown} cannot be read: {error}"), "check `key_file`".to_owned());
    // A pipe without a writer would be waited for.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let me = rustix::process::geteuid().as_raw();
    if let Err((what, hint)) = is_private(metadata.is_file(), metadata.mode(), metadata.uid(), me) {
        return Err((format!("the key file {shown} {what}"), hint.replace("FILE", &quoted(path))));
    }
    let mut text = String::new();
    file.take(MAX_BYTES as u64 + 1).read_to_string(&mut text).map_err(failed)?;
    let key = SecretString::from(text);
    let trimmed = key.expose_secret().trim();
    if trimmed.is_empty() || trimmed.len() > MAX_BYTES {
        let what = if trimmed.is_empty() { "is empty" } else { "is longer than any key" };
        return Err((format!("the key file {shown} {what}"), "write the key into it, alone, on one line".to_owned()));
    }
    Ok(SecretString::from(trimmed))
}

fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    shlex::try_quote(&text).map_or_else(|_| text.clone(), |quoted| quoted.into_owned())
}

/// Whether a file is one person's alone; `FILE` stands in what to do about it.
fn is_private(is_file: bool, mode: u32, owner: u32, me: u32) -> Result<(), (String, &'static str)> {
    if !is_file {
        return Err(("is no regular file".to_owned(), "write the key into a file of its own"));
    }
    if owner != me {
        return Err(("belongs to another user".to_owned(), "make one of your own, then `chmod 600 FILE`"));
    }
    if mode & 0o177 != 0 {
        let what = format!("can be used by others, or run (mode {:o}, at most 600 is taken)", mode & 0o7777);
        return Err((what, "run `chmod 600 FILE`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn nothing() -> Variables {
        Variables::of(|_| None)
    }

    fn read(path: &Path) -> Result<String, Wrong> {
        let key = KeySource::File(path.to_owned()).read(&nothing())?;
        Ok(key.expect("a file gives a key").expose_secret().to_owned())
    }

    #[test]
    fn only_a_file_of_ones_own_is_private() {
        for mode in [0o100_600, 0o100_400, 0o100_200] {
            assert_eq!(is_private(true, mode, 1000, 1000), Ok(()), "{mode:o}");
        }
        for mode in [0o100_644, 0o100_640, 0o100_604, 0o100_620, 0o100_602, 0o100_610, 0o100_601, 0o100_700, 0o100_777] {
            let (what, hint) = is_private(true, mode, 1000, 1000).expect_err("refused");
            assert!(what.contains(&format!("mode {:o}", mode & 0o7777)), "{what}");
            assert_eq!(hint, "run `chmod 600 FILE`");
        }
        assert!(is_private(true, 0o100_600, 0, 1000).expect_err("another's").0.contains("another user"));
        assert!(is_private(true, 0o100_600, 1000, 0).expect_err("another's").0.contains("another user"));
        assert!(is_private(false, 0o010_600, 1000, 1000).expect_err("a pipe").0.contains("no regular file"));
    }

    #[test]
    fn a_key_file_is_read_without_its_line_break() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("my key");
        fs::write(&path, "canary-key-1\n").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("mode");
        let (what, hint) = read(&path).expect_err("open to all");
        assert!(what.contains("mode 644") && what.contains("my key"), "{what}");
        assert_eq!(hint, format!("run `chmod 600 '{}'`", path.display()));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("mode");
        assert_eq!(read(&path).expect("reads"), "canary-key-1");
    }

    #[test]
    fn what_holds_no_key_is_refused_without_showing_it() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        for (content, part) in [
            ("\n \n".to_owned(), "is empty"),
            ("canary two".to_owned(), "blanks, line breaks"),
            ("canary\ntwo".to_owned(), "blanks, line breaks"),
            ("canaryé".to_owned(), "letters that no key has"),
            ("canary".repeat(1000), "longer than any key"),
        ] {
            fs::write(&path, &content).expect("written");
            fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("mode");
            let (what, hint) = read(&path).expect_err("refused");
            assert!(what.contains(part), "{what}");
            assert!(!format!("{what}{hint}").contains("canary"), "{what}");
        }
        fs::write(&path, b"\xff\xfe").expect("written");
        assert!(read(&path).is_err());
        assert!(read(folder.path()).expect_err("a folder").0.contains("no regular file"));
        assert!(read(&folder.path().join("gone")).expect_err("gone").0.contains("No such file"));
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::Mode::RUSR).expect("a pipe");
        assert!(read(&folder.path().join("pipe")).expect_err("a pipe").0.contains("no regular file"));
    }

    #[test]
    fn a_variable_is_read_when_it_is_set() {
        let source = KeySource::Variable("MY_KEY".to_owned());
        assert!(source.read(&nothing()).expect("unset is no fault").is_none());
        let set = Variables::of(|name| (name == "MY_KEY").then(|| " canary \n".to_owned()));
        assert_eq!(source.read(&set).expect("reads").expect("set").expose_secret(), "canary");
        let broken = Variables::of(|_| Some("can\nary".to_owned()));
        let (what, _) = source.read(&broken).expect_err("two lines");
        assert!(what.contains("MY_KEY") && !what.contains("ary\n"), "{what}");
        assert!(KeySource::None.read(&set).expect("none").is_none());
    }

    #[test]
    fn names_of_variables_are_no_keys() {
        for name in ["OPENAI_API_KEY", "K", "_K1"] {
            assert!(is_variable_name(name), "{name}");
        }
        for name in ["", "1K", "my_key", "sk-abc", "gsk_abc", "A B", "A=B", "É", &"A".repeat(65)] {
            assert!(!is_variable_name(name), "{name}");
        }
    }
}
