//! Keeper and sandbox, with real children of the real binary.

mod keeper;
mod sandbox;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The program.
const TAMIS: &str = env!("CARGO_BIN_EXE_tamis");
/// How long something that must happen may take on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Waits until something holds; `false` where it never does.
fn soon(holds: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < SOON {
        if holds() {
            return true;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    holds()
}

/// Processes that live and whose command line holds a mark.
fn alive(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        // A process that is dead and not yet waited for has no command line.
        if pid != std::process::id() && String::from_utf8_lossy(&line).contains(mark) {
            found.push(pid);
        }
    }
    found
}

/// A number of seconds that no other test sleeps: the mark of its processes.
fn mark(n: u32) -> String {
    format!("{}.{n}", 900_000 + std::process::id())
}

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
