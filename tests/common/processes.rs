//! Processes of this machine, as tests look for them.

use std::time::{Duration, Instant};

/// How long something that must happen may take on a busy machine.
pub const SOON: Duration = Duration::from_secs(20);

/// Waits until something holds; `false` where it never does.
pub fn soon(holds: impl Fn() -> bool) -> bool {
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
pub fn alive(mark: &str) -> Vec<u32> {
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
pub fn mark(n: u32) -> String {
    format!("{}.{n}", 900_000 + std::process::id())
}
