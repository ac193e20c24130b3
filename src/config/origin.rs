//! Where a text or a setting came from, and reading a text with a cap.

use crate::model::fault::Fault;
use crate::model::yaml::CONFIG_BYTES;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where a text or a setting came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Part of the program.
    Embedded,
    /// The user's configuration folder.
    User(PathBuf),
    /// A path the user gave.
    Given(PathBuf),
    /// Found beside the document.
    Beside(PathBuf),
    /// Nobody said anything.
    Default,
    /// A flag: `--agent`.
    Flag(&'static str),
    /// A variable of the environment: `TAMIS_AGENT`.
    Environment(&'static str),
    /// A line of the user's settings, counted from 1.
    Line(PathBuf, u64),
}

impl Origin {
    /// The file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::Embedded | Origin::Default | Origin::Flag(_) | Origin::Environment(_) => None,
            Origin::User(path) | Origin::Given(path) | Origin::Beside(path) | Origin::Line(path, _) => Some(path),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Embedded => f.write_str("built in"),
            Origin::Default => f.write_str("default"),
            Origin::Flag(name) | Origin::Environment(name) => f.write_str(name),
            Origin::User(path) | Origin::Given(path) | Origin::Beside(path) => write!(f, "{}", path.display()),
            Origin::Line(path, line) => write!(f, "{}:{line}", path.display()),
        }
    }
}

/// Reads a configuration text of at most [`CONFIG_BYTES`], a byte order mark at its start left out.
///
/// # Errors
/// An input fault where the file cannot be read, is a folder, is longer, or is not UTF-8 (with the first bad byte).
pub fn read_text(path: &Path) -> Result<String, Fault> {
    read_text_up_to(path, CONFIG_BYTES)
}

/// Reads a text of at most `max` bytes; else as [`read_text`].
///
/// # Errors
/// As for [`read_text`].
pub fn read_text_up_to(path: &Path, max: usize) -> Result<String, Fault> {
    let shown = &path.display();
    let fault = |error: std::io::Error| Fault::io(shown, error, "check the path and its permissions");
    let file = File::open(path).map_err(fault)?;
    if file.metadata().map_err(fault)?.is_dir() {
        return Err(Fault::io(shown, "is a folder", "give the path of a file"));
    }
    let mut bytes = Vec::new();
    file.take((max as u64).saturating_add(1)).read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() > max {
        return Err(Fault::io(shown, format!("is longer than the {max} bytes that are read"), "shorten the file"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(Fault::io(shown, format!("is not UTF-8: byte {at} begins no character"), "save it as UTF-8"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultKind;
    use std::fs;

    #[test]
    fn a_text_is_read_without_its_byte_order_mark() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a.yaml");
        fs::write(&path, "\u{feff}x: 1\n").expect("written");
        assert_eq!(read_text(&path).expect("reads"), "x: 1\n");
    }

    #[test]
    fn what_is_no_text_is_an_input_fault_that_says_why() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a.yaml");
        let refused = |path: &Path| {
            let fault = read_text(path).expect_err("refused");
            assert_eq!(fault.kind, FaultKind::Io);
            assert!(fault.what.starts_with(&path.display().to_string()), "{}", fault.what);
            fault.what
        };
        assert!(refused(&path).contains("No such file"));
        assert!(refused(folder.path()).contains("is a folder"));
        fs::write(&path, b"ab\xff").expect("written");
        assert!(refused(&path).contains("byte 2 begins no character"));
        fs::write(&path, vec![b'a'; CONFIG_BYTES + 1]).expect("written");
        assert!(refused(&path).contains("is longer than"));
        fs::write(&path, vec![b'a'; CONFIG_BYTES]).expect("written");
        assert_eq!(read_text(&path).expect("reads").len(), CONFIG_BYTES);
        assert_eq!(read_text_up_to(&path, CONFIG_BYTES).expect("reads").len(), CONFIG_BYTES);
        let fault = read_text_up_to(&path, CONFIG_BYTES - 1).expect_err("one byte more");
        assert!(fault.what.contains(&format!("{} bytes", CONFIG_BYTES - 1)), "{}", fault.what);
    }
}
