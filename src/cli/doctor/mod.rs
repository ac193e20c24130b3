//! `tamis doctor`: what this machine, the settings and each reviewer are fit for, and what to do next. Nothing is connected to
//! and no reviewer is begun unless `--probe` asks for it; no secret is in what it says.

mod here;
mod probe;
mod reviewers;
mod sandbox;

use super::args::DoctorArgs;
use super::out;
use super::seats::InForce;
use crate::config::Folders;
use crate::config::project::Project;
use crate::config::secrets::{Redactor, usual_keys};
use crate::config::variables::Variables;
use crate::model::fault::Fault;
use crate::model::shown::Shown;
use serde::Serialize;
use std::path::Path;

/// Schema of the report.
const SCHEMA: &str = "tamis.doctor/1";

/// What was found.
#[derive(Debug, Serialize)]
struct Report {
    schema: &'static str,
    version: &'static str,
    probed: bool,
    checks: Vec<Check>,
    next: Vec<String>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    area: &'static str,
    name: String,
    state: State,
    found: String,
    /// What to do about it; `""` where there is nothing to do.
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
}

/// How it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// It stands in the way.
    Fault,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Note => "note",
            State::Fault => "FAULT",
        }
    }
}

impl Check {
    fn new(area: &'static str, name: impl Into<String>, state: State, found: impl Into<String>) -> Check {
        Check { area, name: name.into(), state, found: found.into(), hint: String::new() }
    }

    fn ok(area: &'static str, name: impl Into<String>, found: impl Into<String>) -> Check {
        Check::new(area, name, State::Ok, found)
    }

    fn hint(self, hint: impl Into<String>) -> Check {
        Check { hint: hint.into(), ..self }
    }

    fn fault(area: &'static str, name: impl Into<String>, fault: &Fault) -> Check {
        Check::new(area, name, State::Fault, fault.what.clone()).hint(fault.hint.clone())
    }
}

/// `tamis doctor [--json] [--probe]`.
///
/// # Errors
/// A user without a home folder where no state folder is given; standard output that cannot be written. Everything else that is
/// wrong is in the report.
pub fn doctor(args: &DoctorArgs) -> Result<u8, Fault> {
    let folders = Folders::find(args.state_dir.as_deref())?;
    let variables = Variables::read();
    let mut checks = here::terminal();
    let project = match args.project.no_project {
        true => Ok(None),
        false => Project::around(Path::new("."), &folders.state),
    };
    let in_force = InForce::of(&folders, &args.agents.flags(), project.clone().ok().flatten());
    checks.extend(here::settings(&folders, &variables, in_force.as_ref().map(|read| &read.settings)));
    checks.extend(here::project(&project));
    checks.extend(here::state(&folders));
    checks.extend(sandbox::sandbox());
    let mut redactor = Redactor::new(&usual_keys(&variables));
    match &in_force {
        Ok(in_force) => {
            let listed = reviewers::list(&in_force.settings, &variables);
            checks.extend(listed.iter().map(reviewers::Listed::check));
            if args.probe {
                checks.extend(probe::probe(&listed, in_force, &folders)?);
            }
            let keys: Vec<_> = listed.iter().filter_map(|one| one.key()).chain(usual_keys(&variables)).collect();
            redactor = Redactor::new(&keys);
        }
        Err(_) => checks.push(
            Check::new("reviewers", "all", State::Note, "not looked at: the settings cannot be read")
                .hint("mend the settings first; `--agent offline` needs none"),
        ),
    }
    let next = next(&checks, args.probe);
    let report = Report { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), probed: args.probe, checks, next };
    let text = if args.json { out::json(&report, true) + "\n" } else { page(&report) };
    out::data(&redactor.redact(&text)).map_err(|error| Fault::io("standard output", error, ""))?;
    Ok(if report.checks.iter().any(|check| check.state == State::Fault) { 2 } else { 0 })
}

/// What to do next: mend what stands in the way, then what reviews.
fn next(checks: &[Check], probed: bool) -> Vec<String> {
    let faults = checks.iter().filter(|check| check.state == State::Fault && !check.hint.is_empty());
    let mut next: Vec<String> = faults.map(|check| format!("{} {}: {}", check.area, check.name, check.hint)).collect();
    // What always works is no news.
    let built_in = ["offline", "paste"];
    let ready =
        |check: &&Check| check.area == "reviewers" && check.state == State::Ok && !built_in.contains(&check.name.as_str());
    match checks.iter().find(ready) {
        Some(one) => next.push(format!("review a document: tamis review FILE --agent {}", one.name)),
        None => {
            next.push("review a document with the built-in rules: tamis review FILE".to_owned());
            next.push(
                "review with a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY and give --agent openai:MODEL or anthropic:MODEL; \
                 without a key, carry the questions to any chat: --agent paste"
                    .to_owned(),
            );
        }
    }
    if !probed {
        next.push(
            "see whether the reviewers answer: tamis doctor --probe (sends your keys to their servers, and may cost)".to_owned(),
        );
    }
    next
}

/// The report for people.
fn page(report: &Report) -> String {
    let mut text = format!("tamis {}\n", report.version);
    let width = report.checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0).min(28);
    let mut area = "";
    for check in &report.checks {
        if check.area != area {
            area = check.area;
            text.push_str(&format!("\n{area}\n"));
        }
        let (name, found) = (Shown::line(&check.name), Shown::line(&check.found));
        text.push_str(&format!("  {:<5}  {:<width$}  {found}\n", check.state.word(), name.as_str()));
        for line in check.hint.lines() {
            text.push_str(&format!("  {:<5}  {:<width$}    {}\n", "", "", Shown::line(line)));
        }
    }
    text.push_str("\nwhat next\n");
    report.next.iter().for_each(|line| text.push_str(&format!("  - {}\n", Shown::line(line))));
    text
}
