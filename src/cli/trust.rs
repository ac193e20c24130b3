//! `tamis trust`: what a project's file would be allowed, in its exact words, and the user's answer.

use super::args::TrustArgs;
use super::out;
use crate::config::Folders;
use crate::config::programs::Program;
use crate::config::project::{FILE_NAME, Project};
use crate::config::settings::Entry;
use crate::config::trust::{Standing, Trust};
use crate::model::fault::{Fault, FaultKind};
use crate::model::shown::Shown;
use crate::model::walls::Network;
use crate::run::{Clock, SystemClock};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// `tamis trust [FILE] [--hash HASH] [--list] [--revoke]`.
///
/// # Errors
/// No such file, a file that cannot be meant, a `--hash` that is not its own, nobody who says yes; a record that cannot be read
/// or written.
pub(super) fn trust(args: &TrustArgs) -> Result<u8, Fault> {
    let folders = Folders::find(args.state_dir.as_deref())?;
    let trust = Trust::of(&folders.state);
    let say = |text: &str| out::data(text).map_err(|error| Fault::io("standard output", error, ""));
    if args.list {
        return say(&list(&trust)?).map(|()| 0);
    }
    if args.revoke {
        let path = named(args.file.as_deref());
        let path = path.or_else(|| Some(Project::around(Path::new("."), &folders.state).ok()??.seen.path));
        let path = path.unwrap_or_else(|| PathBuf::from(FILE_NAME));
        let what = if trust.remove(&path)? { "is trusted no longer" } else { "was not trusted" };
        return say(&format!("{} {what}\n", Shown::line(&path.display().to_string()))).map(|()| 0);
    }
    let project = match named(args.file.as_deref()) {
        Some(path) => Project::read(&path, &folders.state)?,
        None => Project::around(Path::new("."), &folders.state)?.ok_or_else(|| {
            let what = format!("there is no {FILE_NAME} in this folder's project");
            Fault::usage(what, "name one: `tamis trust FILE`; `tamis trust --list` shows what is trusted")
        })?,
    };
    if project.is_trusted() {
        return say(&format!("{} is trusted already\n", Shown::line(&project.seen.path.display().to_string()))).map(|()| 0);
    }
    if args.hash.is_none() {
        say(&page(&project)?)?;
    }
    agreed(args, &project)?;
    trust.add(&project.seen, SystemClock.now())?;
    say(&format!("{} is trusted as it is now\n", Shown::line(&project.seen.path.display().to_string()))).map(|()| 0)
}

/// The file that is named: itself, or the one in a folder.
fn named(given: Option<&Path>) -> Option<PathBuf> {
    given.map(|path| if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() })
}

/// Whether the user agrees: by the hash of what was looked at, or by a word at a terminal.
fn agreed(args: &TrustArgs, project: &Project) -> Result<(), Fault> {
    if let Some(hash) = &args.hash {
        if hash.eq_ignore_ascii_case(&project.seen.hash) {
            // A file that cannot be meant is not trusted either.
            return project.described().map(|_| ());
        }
        let what = format!("{} is not the file that --hash means", project.seen.path.display());
        return Err(Fault::usage(what, "look at what it says now, `tamis trust FILE`, before you trust it"));
    }
    let nobody = |what: &str, hint: String| Err(Fault::new(FaultKind::NeedsPerson, what, hint));
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let hint = format!(
            "run it at a terminal; or, once a person has looked at the file: tamis trust --hash {} {}",
            project.seen.hash,
            project.seen.path.display()
        );
        return nobody("not trusted: there is nobody to ask", hint);
    }
    out::notice("Trust this file, as it is now? [y/N]");
    let mut line = String::new();
    let read = io::stdin().read_line(&mut line).map_err(|error| Fault::io("standard input", error, ""))?;
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" if read > 0 => Ok(()),
        _ => nobody("not trusted", "its data counts all the same; `--no-project` passes it over".to_owned()),
    }
}

fn list(trust: &Trust) -> Result<String, Fault> {
    let all = trust.all()?;
    if all.is_empty() {
        return Ok("nothing is trusted\n".to_owned());
    }
    let line = |path: &String, at: &str| format!("{}  since {}\n", Shown::line(path), Shown::line(at));
    Ok(all.iter().map(|(path, trusted)| line(path, &trusted.at)).collect())
}

/// What the file would be allowed, and what it says; of a file that was trusted before, what is different.
fn page(project: &Project) -> Result<String, Fault> {
    let mut text = format!("{}\nhash {}\n", Shown::line(&project.seen.path.display().to_string()), project.seen.hash);
    let (agents, programs) = project.described()?;
    if project.powers.is_empty() {
        text.push_str("\nIt asks for nothing that needs trust: its data counts as it is.\n");
    } else {
        text.push_str("\nTrusted, it may do this:\n");
    }
    programs.iter().for_each(|program| describe_program(&mut text, program));
    agents.iter().for_each(|agent| describe_agent(&mut text, agent));
    for power in project.powers.iter().filter(|power| !matches!(power.key, "programs" | "agents")) {
        let what = match power.key {
            "seats" => "say who is asked",
            "caps" => "set limits of tokens, money and minutes",
            "out" => "write outside of the project, or where secrets are",
            _ => "read outside of the project, or where secrets are",
        };
        text.push_str(&format!("  {what}: {power}\n"));
        for path in &power.paths {
            text.push_str(&format!("    {}\n", Shown::line(&path.display().to_string())));
        }
    }
    if !project.hidden.is_empty() {
        text.push_str("\nNot in force, trusted or not, for a link decides where it leads:\n");
    }
    for power in &project.hidden {
        for path in &power.paths {
            text.push_str(&format!("  {power}: {}\n", Shown::line(&path.display().to_string())));
        }
    }
    match &project.standing {
        Standing::Changed(before) => {
            text.push_str("\nWhat is different since it was trusted:\n");
            let diff = similar::TextDiff::from_lines(before.text.as_str(), project.seen.text.as_str());
            for change in diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal) {
                let (sign, line) = match change.tag() {
                    similar::ChangeTag::Delete => ('-', change.old_index()),
                    _ => ('+', change.new_index()),
                };
                let words = Shown::line(change.value().trim_end_matches(['\n', '\r']));
                text.push_str(&format!("  {sign} {:>4}  {words}\n", line.map_or(0, |line| line + 1)));
            }
        }
        Standing::Never | Standing::Trusted => {
            text.push_str("\nWhat it says:\n");
            for (number, line) in (1..).zip(project.seen.text.lines()) {
                text.push_str(&format!("  {number:>4}  {}\n", Shown::line(line)));
            }
        }
    }
    text.push('\n');
    Ok(text)
}

fn describe_program(text: &mut String, program: &Program) {
    let words: Vec<String> = program.command.iter().map(|word| out::json(word, false)).collect();
    let mut line = |what: String| text.push_str(&format!("  {}\n", Shown::line(&what)));
    line(format!("begin the program {}: {}", program.name, words.join(" ")));
    for (name, value) in &program.env {
        line(format!("    with the variable {name} set to {}", out::json(value, false)));
    }
    for name in &program.pass_env {
        line(format!("    with your variable {name}"));
    }
    for path in &program.home {
        line(format!("    with a copy of {} out of your home folder", path.display()));
    }
    for path in &program.read {
        line(format!("    reading {}", path.display()));
    }
    line(match &program.network {
        Network::None => "    without a network".to_owned(),
        Network::Any => "    with any network".to_owned(),
        Network::Ports(ports) => {
            let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
            format!("    connecting to the ports {}, on any host", ports.join(", "))
        }
    });
}

fn describe_agent(text: &mut String, agent: &Entry) {
    let what = format!(
        "send documents to {} ({}) with the key in {}, as `{}`",
        agent.base_url.value, agent.model.value, agent.key.value, agent.name.value
    );
    text.push_str(&format!("  {}\n", Shown::line(&what)));
    for (name, value) in &agent.headers {
        let what = format!("    with the header {name}: {}", out::json(&value.value, false));
        text.push_str(&format!("  {}\n", Shown::line(&what)));
    }
}
