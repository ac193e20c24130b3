//! The hidden commands by which the binary stands around a program that reviews.

use super::args::{AttemptsArgs, KeepArgs, SandboxArgs};
use super::out;
use crate::model::fault::Fault;
use crate::model::shown::Shown;
use crate::model::walls::{Level, Walls};
use crate::walls::{self, Attempts, Kept};

/// Keeps a program, and ends with its exit code.
pub(super) fn keep(args: KeepArgs) -> u8 {
    let (code, why) = walls::keep(&Kept { stdin: args.stdin, relay: args.relay, command: args.command });
    if let Some(why) = why {
        out::notice(&format!("tamis: {}", Shown::line(&why)));
    }
    code
}

/// Walls a program in and lets it take the place of this process.
///
/// # Errors
/// Walls that cannot be read.
pub(super) fn sandbox(args: SandboxArgs) -> Result<u8, Fault> {
    let unreadable = |error: serde_json::Error| Fault::usage(format!("__sandbox: {error}"), "this command is for tamis itself");
    let walls: Walls = serde_json::from_str(&args.walls).map_err(unreadable)?;
    let least = match &args.least {
        Some(word) => serde_json::from_value(word.as_str().into()).map_err(unreadable)?,
        None => Level::None,
    };
    let Some((program, rest)) = args.command.split_first() else { return Ok(walls::CANNOT_BEGIN) };
    let (code, why) = walls::enter(&walls, least, program, rest);
    out::notice(&format!("tamis: {}", Shown::line(&why)));
    Ok(code)
}

/// Tries what walls forbid, and prints what succeeded as JSON.
pub(super) fn attempts(args: &AttemptsArgs) -> String {
    out::json(&Attempts::make(&args.outside, &args.inside), false) + "\n"
}
