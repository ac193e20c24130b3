//! Landlock: which files and ports are open to this process and to all that it begins.

use super::calls;
use crate::model::walls::{Level, Network, Walls};
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope,
};
use std::path::Path;

/// What this version knows to close. A system that knows less closes less, and the level says so.
const KNOWN: ABI = ABI::V6;
/// Files are closed from here on: before it, a file could still be cut to nothing.
const FILES: ABI = ABI::V3;
/// Ports are closed from here on.
const PORTS: ABI = ABI::V4;
/// Signals to processes outside are closed from here on.
const SIGNALS: ABI = ABI::V6;

/// The walls cannot be put up.
#[derive(Debug, thiserror::Error)]
pub enum Unwalled {
    /// Landlock.
    #[error("{0}")]
    Rules(#[from] landlock::RulesetError),
    /// The filter of system calls.
    #[error("{0}")]
    Calls(String),
    /// A file or folder that is to be open is not there.
    #[error("{path}: {why}")]
    Path {
        /// Which one.
        path: String,
        /// In words.
        why: String,
    },
}

/// Closes everything but `walls` to this process for good, and says how much of that the system holds.
///
/// # Errors
/// The system has such walls and refuses these; what is to be open and is not there.
pub fn confine(walls: &Walls) -> Result<Level, Unwalled> {
    let ports = match &walls.network {
        Network::None => Some([].as_slice()),
        Network::Ports(ports) => Some(ports.as_slice()),
        Network::Any => None,
    };
    let mut rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(AccessFs::from_all(KNOWN))?;
    if ports.is_some() {
        rules = rules.handle_access(AccessNet::from_all(KNOWN))?;
    }
    let mut rules = rules.scope(Scope::from_all(KNOWN))?.create()?;
    for path in &walls.read {
        rules = rules.add_rule(beneath(path, AccessFs::from_read(KNOWN))?)?;
    }
    for path in &walls.write {
        rules = rules.add_rule(beneath(path, AccessFs::from_all(KNOWN))?)?;
    }
    for port in ports.unwrap_or_default() {
        rules = rules.add_rule(NetPort::new(*port, AccessNet::from_all(KNOWN)))?;
    }
    let status = rules.restrict_self()?;
    let calls = calls::close(&walls.network).map_err(Unwalled::Calls)?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => level(effective_abi, &walls.network, calls),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => Level::None,
    })
}

/// One rule; a file takes what files take.
fn beneath(path: &Path, access: landlock::BitFlags<AccessFs>) -> Result<PathBeneath<PathFd>, Unwalled> {
    let unusable = |why: String| Unwalled::Path { path: path.display().to_string(), why };
    let open = PathFd::new(path).map_err(|error| unusable(error.to_string()))?;
    let is_folder = path.metadata().map_err(|error| unusable(error.to_string()))?.is_dir();
    let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
    Ok(PathBeneath::new(open, access))
}

/// What a system holds of walls.
fn level(abi: ABI, network: &Network, calls: bool) -> Level {
    match network {
        _ if abi < FILES => Level::None,
        Network::Any => Level::Files,
        _ if abi < PORTS => Level::Files,
        Network::None if calls && abi >= SIGNALS => Level::Full,
        Network::None | Network::Ports(_) => Level::FilesAndPorts,
    }
}

/// What this system would hold of walls with that network, without putting any up.
pub fn in_force(network: &Network) -> Level {
    let holds = |abi: ABI| {
        let asked = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::from_all(abi));
        let asked = asked.and_then(|rules| if abi >= PORTS { rules.handle_access(AccessNet::from_all(abi)) } else { Ok(rules) });
        let asked = asked.and_then(|rules| if abi >= SIGNALS { rules.scope(Scope::from_all(abi)) } else { Ok(rules) });
        asked.and_then(Ruleset::create).is_ok()
    };
    let abi = [SIGNALS, PORTS, FILES].into_iter().find(|abi| holds(*abi)).unwrap_or(ABI::Unsupported);
    level(abi, network, calls::are_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_what_is_held_and_no_more() {
        let ports = Network::Ports(vec![443]);
        let table = [
            (ABI::Unsupported, [Level::None, Level::None, Level::None]),
            (ABI::V2, [Level::None, Level::None, Level::None]),
            (ABI::V3, [Level::Files, Level::Files, Level::Files]),
            (ABI::V4, [Level::FilesAndPorts, Level::FilesAndPorts, Level::Files]),
            (ABI::V5, [Level::FilesAndPorts, Level::FilesAndPorts, Level::Files]),
            (ABI::V6, [Level::Full, Level::FilesAndPorts, Level::Files]),
            (ABI::V10, [Level::Full, Level::FilesAndPorts, Level::Files]),
        ];
        for (abi, levels) in table {
            let found = [&Network::None, &ports, &Network::Any].map(|network| level(abi, network, true));
            assert_eq!(found, levels, "{abi:?}");
        }
        assert_eq!(level(ABI::V6, &Network::None, false), Level::FilesAndPorts, "without the filter of calls nothing is full");
    }
}
