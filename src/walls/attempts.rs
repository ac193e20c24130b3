//! What a program would try that its walls forbid. Tried from within, each shows whether the walls hold: what a system says
//! of itself is no proof.

use crate::model::walls::{Level, Network};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What was tried, and whether it succeeded: `true` is a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    /// A file outside was read.
    pub read_outside: bool,
    /// A file of the project was written to, or made.
    pub write_inside: bool,
    /// A port that is not named was taken. Nothing is connected to: the same rule closes both.
    pub take_port: bool,
    /// The mode of a file of the project was changed.
    pub change_mode: bool,
    /// The process outside that began this one could be sent a signal.
    pub signal_outside: bool,
}

impl Attempts {
    /// Tries everything from where this process is. `outside` and `inside` are files that are there.
    pub fn make(outside: &Path, inside: &Path) -> Attempts {
        let made = inside.with_extension("made");
        let write = OpenOptions::new().append(true).open(inside).is_ok() || File::create(&made).is_ok();
        let parent = rustix::process::getppid();
        Attempts {
            read_outside: File::open(outside).is_ok(),
            write_inside: write,
            take_port: TcpListener::bind("127.0.0.1:0").is_ok(),
            change_mode: std::fs::set_permissions(inside, Permissions::from_mode(0o600)).is_ok(),
            signal_outside: parent.is_some_and(|parent| rustix::process::test_kill_process(parent).is_ok()),
        }
    }

    /// The level that these attempts prove for that network.
    pub fn level(&self, network: &Network) -> Level {
        match network {
            _ if self.read_outside || self.write_inside => Level::None,
            Network::Any => Level::Files,
            _ if self.take_port => Level::Files,
            Network::None if !self.change_mode && !self.signal_outside => Level::Full,
            Network::None | Network::Ports(_) => Level::FilesAndPorts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELD: Attempts =
        Attempts { read_outside: false, write_inside: false, take_port: false, change_mode: false, signal_outside: false };

    #[test]
    fn one_hole_is_one_level_less() {
        let ports = Network::Ports(vec![443]);
        let table = [
            (HELD, [Level::Full, Level::FilesAndPorts, Level::Files]),
            (Attempts { signal_outside: true, ..HELD }, [Level::FilesAndPorts, Level::FilesAndPorts, Level::Files]),
            (Attempts { change_mode: true, ..HELD }, [Level::FilesAndPorts, Level::FilesAndPorts, Level::Files]),
            (Attempts { take_port: true, ..HELD }, [Level::Files, Level::Files, Level::Files]),
            (Attempts { write_inside: true, ..HELD }, [Level::None; 3]),
            (Attempts { read_outside: true, ..HELD }, [Level::None; 3]),
        ];
        for (attempts, levels) in table {
            let found = [&Network::None, &ports, &Network::Any].map(|network| attempts.level(network));
            assert_eq!(found, levels, "{attempts:?}");
        }
    }

    #[test]
    fn without_walls_everything_succeeds() {
        let folder = tempfile::tempdir().expect("a folder");
        let (outside, inside) = (folder.path().join("outside"), folder.path().join("inside"));
        std::fs::write(&outside, "").expect("a file");
        std::fs::write(&inside, "").expect("a file");
        let all = Attempts { read_outside: true, write_inside: true, take_port: true, change_mode: true, signal_outside: true };
        assert_eq!(Attempts::make(&outside, &inside), all);
    }
}
