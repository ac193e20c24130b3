//! The real binary in a folder of its own, with state and home beside the documents.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary under test.
pub const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");

/// A folder of its own with state, configuration and documents, and the binary to run in it.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// An empty folder.
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a folder") }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, content: &(impl AsRef<[u8]> + ?Sized)) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("written");
        path
    }

    /// Reads a file of the folder; `None` where there is none.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    /// Copies one of the examples into the folder.
    pub fn copy(&self, example: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
        fs::copy(from, self.path(example)).expect("copied");
        self.path(example)
    }

    /// The binary, in this folder and with nothing of the caller's environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(TAMIS);
        command.args(args);
        command
    }

    /// Any program, as [`Bench::command`] runs the binary.
    pub fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.folder())
            .env_clear()
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().expect("the binary runs"))
    }
}

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Ran {
    /// Exit code; -1 where a signal ended it.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// From a finished process.
    pub fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            signal: output.status.signal(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
