//! Keeper and sandbox, with real children of the real binary.

mod keeper;
#[path = "../common/processes.rs"]
mod processes;
mod sandbox;

use processes::{alive, mark, soon};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program.
const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");
fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The real path of a folder: walls are put around real paths.
fn real(path: &Path) -> std::path::PathBuf {
    path.canonicalize().expect("a path")
}
