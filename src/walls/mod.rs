//! `walls`: what stands around a program that reviews. The binary runs itself again: as a keeper, which leaves no process of
//! the program behind, and as the program's own beginning, which closes everything it may not touch before the program takes
//! its place. What never belongs here: which program is asked and what it says (`agent`), words for people.

mod attempts;
mod calls;
mod confine;
mod keeper;

pub use attempts::Attempts;
pub use confine::{Unwalled, confine, in_force};
pub use keeper::{Kept, keep};

use crate::model::walls::{Level, Walls};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The hidden command that keeps a program.
pub const KEEP: &str = "__keep";
/// The hidden command that tries what walls forbid.
pub const ATTEMPTS: &str = "__attempts";
/// The hidden command that walls a program in.
pub const SANDBOX: &str = "__sandbox";
/// Exit code of a program that could not be walled in or begun, as shells have it.
pub const CANNOT_BEGIN: u8 = 126;
/// Exit code where there is no such program, as shells have it.
pub const NOT_FOUND: u8 = 127;

/// Closes this process's own memory and environment to other processes of the same user, for good: keys are in both. Where no
/// walls can be put up this alone stands between a program and our keys; whoever may trace everybody, as root may, it does not
/// hold.
pub fn hide_ourselves() {
    // A system that does not know this has nothing to hide behind.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Closes everything but `walls` to this process, and lets the program take its place. Returns only where that fails.
///
/// # Errors
/// The walls cannot be held at `least`, or the program cannot be begun; with the exit code of it.
pub fn enter(walls: &Walls, least: Level, program: &OsString, args: &[OsString]) -> (u8, String) {
    match confine(walls) {
        Err(why) => return (CANNOT_BEGIN, format!("the sandbox cannot be put up: {why}")),
        Ok(level) if level < least => {
            return (CANNOT_BEGIN, format!("the sandbox holds {level} where {least} was promised"));
        }
        Ok(_) => {}
    }
    let error = Command::new(program).args(args).exec();
    let code = if error.kind() == std::io::ErrorKind::NotFound { NOT_FOUND } else { CANNOT_BEGIN };
    (code, format!("{}: {error}", program.to_string_lossy()))
}
