//! How much of the walls around programs this system holds, proven from within them.

use super::{Check, State};
use crate::agent::program::{self, child};
use crate::model::walls::{Level, Network, Walls};
use crate::walls::{self, Attempts};
use std::io;
use std::path::Path;
use std::process::Command;

/// The level for each kind of network, by trying from within what it forbids.
pub(super) fn sandbox() -> Vec<Check> {
    let kinds = [("no network", Network::None), ("named ports", Network::Ports(vec![443])), ("any network", Network::Any)];
    kinds.into_iter().map(|(name, network)| check(name, &network)).collect()
}

fn check(name: &str, network: &Network) -> Check {
    let promised = walls::in_force(network);
    match proven(network) {
        Ok(level) if level < promised => {
            let found = format!("{promised} is promised, and {level} is what holds");
            Check::new("sandbox", name, State::Fault, found).hint("let no program review here: give a model or `offline`")
        }
        Ok(Level::None) => Check::new("sandbox", name, State::Note, "none: this system has no Landlock, or not enough of it")
            .hint("programs that review are not walled in; what they change in the project is found out afterwards"),
        Ok(level) => Check::ok("sandbox", name, format!("{level} (tried from within)")),
        Err(error) => Check::new("sandbox", name, State::Fault, format!("it cannot be tried: {error}"))
            .hint("let no program review here: give a model or `offline`"),
    }
}

/// Begins ourselves within walls, and has everything tried there that they forbid.
fn proven(network: &Network) -> io::Result<Level> {
    let folder = tempfile::tempdir()?;
    let real = folder.path().canonicalize()?;
    let (outside, project) = (real.join("outside"), real.join("project"));
    std::fs::create_dir(&project)?;
    let inside = project.join("inside");
    std::fs::write(&outside, "outside")?;
    std::fs::write(&inside, "inside")?;
    let ourselves = child::ourselves().canonicalize()?;
    let read = program::system().chain([project, ourselves.clone()]).collect();
    let walls = Walls { read, write: Vec::new(), network: network.clone() };
    let attempts = attempts(&ourselves, &walls, &outside, &inside)?;
    Ok(attempts.level(network))
}

fn attempts(ourselves: &Path, walls: &Walls, outside: &Path, inside: &Path) -> io::Result<Attempts> {
    let output = Command::new(ourselves)
        .args([walls::SANDBOX, "--walls", &serde_json::to_string(walls)?, "--"])
        .arg(ourselves)
        .arg(walls::ATTEMPTS)
        .args([outside, inside])
        .output()?;
    match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout)?),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}
