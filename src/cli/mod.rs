//! `cli`: arguments, commands, exit codes, output. It wires every other room together and is the only one that prints.
//! Data goes to standard output, progress and notices to standard error; every fault says what, where and what to do.
//! What never belongs here: rules, parsing, or anything a test could not call without a process.

mod args;
mod config;
mod demo;
mod doctor;
mod engine;
mod errands;
mod events;
mod human;
mod inputs;
mod known;
mod look;
mod onlooker;
mod open;
mod out;
mod progress;
mod prompt;
mod revision;
mod runs;
mod scan;
mod screen;
mod seats;
mod sending;
mod session;
pub mod summary;
mod target;
mod trust;
mod unborn;
mod walls;
mod watch;
mod workbench;

use crate::model::fault::Fault;
use crate::model::shown::Shown;
use args::{Cli, Command};
use clap::Parser;
use std::process::ExitCode;

/// The program: reads the command line, does what it says, and returns the documented exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match dispatch(cli.command) {
        Ok(exit) => ExitCode::from(exit),
        Err(fault) => report(&fault),
    }
}

fn dispatch(command: Command) -> Result<u8, Fault> {
    let text = match command {
        Command::Review(args) => return session::review(&args),
        Command::Demo(args) => return demo::demo(&args),
        Command::Resume(args) => return session::resume(&args),
        Command::Open(args) => return open::open(&args),
        Command::Scan(args) => return scan::scan(&args),
        Command::Keep(args) => return Ok(walls::keep(args)),
        Command::Sandbox(args) => return walls::sandbox(args),
        Command::Trust(args) => return trust::trust(&args),
        Command::Doctor(args) => return doctor::doctor(&args),
        Command::Attempts(args) => walls::attempts(&args),
        Command::Plan(args) => look::plan(&args)?,
        Command::Prompt(args) => prompt::prompt(&args)?,
        Command::Outline(args) => look::outline(&args)?,
        Command::Recipes(args) => look::recipes(&args)?,
        Command::Schema(args) => look::schema(&args)?,
        Command::Config(args) => config::config(&args)?,
        Command::Runs(args) => runs::runs(&args)?,
        Command::Replay(args) => runs::replay(&args)?,
    };
    out::data(&text).map_err(|error| Fault::io("standard output", error, ""))?;
    Ok(0)
}

/// Help and version go to standard output; a wrong command line is exit code 2.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        out::notice(text.trim_end());
        ExitCode::from(2)
    } else {
        match out::data(&format!("{}\n", text.trim_end())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(7),
        }
    }
}

fn report(fault: &Fault) -> ExitCode {
    out::notice(&format!("tamis: {}", Shown::line(&fault.what)));
    for hint in fault.hint.lines() {
        out::notice(&format!("  {}", Shown::line(hint)));
    }
    ExitCode::from(fault.kind.exit_code())
}
