//! What a program that reviews may touch, and how much of that the system holds it to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What a program may touch; everything else is closed to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walls {
    /// Files and folders that it may read, and programs there that it may run.
    pub read: Vec<PathBuf>,
    /// Folders and files that it may change as well.
    pub write: Vec<PathBuf>,
    /// Where it may connect to.
    pub network: Network,
}

/// Where a program may connect to. A wall of ports knows no hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nowhere.
    #[default]
    None,
    /// To these TCP ports, on any host, and it may listen on them; it may also look names up.
    Ports(Vec<u16>),
    /// Anywhere.
    Any,
}

/// How much of the walls is in force, the least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing: the system has no such walls.
    #[default]
    None,
    /// Files outside are closed, those inside cannot be changed; the network is open.
    Files,
    /// The same, and only the named TCP ports can be reached.
    FilesAndPorts,
    /// The same, and no network at all, no change of modes, times and owners, no signal to processes outside.
    Full,
}

impl Level {
    /// The word in records and files.
    pub fn word(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Files => "files",
            Level::FilesAndPorts => "files_and_ports",
            Level::Full => "full",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::None => "none",
            Level::Files => "files read-only",
            Level::FilesAndPorts => "files + ports",
            Level::Full => "full",
        })
    }
}
