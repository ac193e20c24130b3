//! `runs` and `replay`: what runs there are and what happened in one.

use super::args::{ReplayArgs, RunsAction, RunsArgs};
use super::{out, progress};
use crate::config::Folders;
use crate::journal::{self, Journal, RunFolder, RunState, RunSummary};
use crate::model::event::{Event, Header, Kind};
use crate::model::fault::Fault;
use crate::model::finding::Finding;
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::settled::Proposal;
use crate::model::shown::Shown;
use crate::run::SystemClock;
use crate::text::Catalogue;
use std::path::Path;

/// `tamis runs …`.
///
/// # Errors
/// The state folder cannot be read, or a run cannot be deleted or salvaged.
pub fn runs(args: &RunsArgs) -> Result<String, Fault> {
    let folders = Folders::find(args.state_dir.as_deref())?;
    match &args.action {
        None => Ok(listing(&journal::list(&folders.state)?)),
        Some(RunsAction::Rm { run: Some(run), force, .. }) => {
            journal::remove(&folders.state, &RunId::from(run.as_str()), *force)?;
            Ok(format!("deleted {}\n", Shown::line(run)))
        }
        Some(RunsAction::Rm { older_than, force, .. }) => remove_older(&folders.state, older_than.unwrap_or(0), *force),
        Some(RunsAction::Salvage { run }) => salvage(&folders.state, run),
    }
}

fn listing(runs: &[RunSummary]) -> String {
    if runs.is_empty() {
        return "no runs\n".to_owned();
    }
    let mut text = String::new();
    for run in runs {
        let document = run.header.as_ref().map(|header| header.document_given.as_str()).unwrap_or_default();
        let line = format!("{}  {:<9}  {}  {}", run.run, state_word(run), run.started_at, document);
        text.push_str(Shown::line(line.trim_end()).as_str());
        text.push('\n');
    }
    text
}

fn state_word(run: &RunSummary) -> String {
    match &run.state {
        _ if run.in_use => "running".to_owned(),
        RunState::Open => "open".to_owned(),
        RunState::Paused => "waiting".to_owned(),
        RunState::Finished => "finished".to_owned(),
        RunState::Empty => "empty".to_owned(),
        RunState::Unusable(why) => format!("damaged ({why})"),
    }
}

/// Deletes runs that began more than `days` days ago; open ones stay unless forced, and are named.
fn remove_older(state: &Path, days: u32, force: bool) -> Result<String, Fault> {
    let limit = SystemClock::timestamp() - jiff::SignedDuration::from_hours(24 * i64::from(days));
    let mut text = String::new();
    for run in journal::list(state)? {
        let old = run.started_at.parse::<jiff::Timestamp>().is_ok_and(|began| began < limit);
        if !old {
            continue;
        }
        match journal::remove(state, &run.run, force) {
            Ok(()) => text.push_str(&format!("deleted {}\n", run.run)),
            Err(fault) => text.push_str(&format!("kept {}: {}\n", run.run, Shown::line(&fault.what))),
        }
    }
    if text.is_empty() {
        let unit = if days == 1 { "day" } else { "days" };
        text = format!("no run is older than {days} {unit}\n");
    }
    Ok(text)
}

fn salvage(state: &Path, run: &str) -> Result<String, Fault> {
    let damaged = RunFolder::find(state, &RunId::from(run))?;
    let id = super::session::new_run_id();
    let target = RunFolder::create(state, &id)?;
    let salvaged = journal::salvage(&damaged, &target).inspect_err(|_| {
        // Nothing was salvaged, so there is no new run. What cannot be removed is listed as empty.
        let _ = journal::remove(state, &id, true);
    })?;
    Ok(format!(
        "{} sound records are now run {id}; {} bytes were left in the damaged one, which stays as it is\nResume with: tamis resume {id}\n",
        salvaged.events, salvaged.bytes_left
    ))
}

/// `tamis replay RUN`: the lines the run printed, from its record; nothing runs.
///
/// # Errors
/// No such run, or a journal that cannot be read.
pub fn replay(args: &ReplayArgs) -> Result<String, Fault> {
    let folders = Folders::find(args.state_dir.as_deref())?;
    let folder = RunFolder::find(&folders.state, &RunId::from(args.run.as_str()))?;
    let read = Journal::read(&folder.journal())?;
    let words = Catalogue::new(language_of(&read.events));
    let mut text = String::new();
    for event in &read.events {
        if args.json {
            text.push_str(&out::json(event, false));
            text.push('\n');
        } else if let Some(line) = progress::line(event, &words) {
            text.push_str(&format!("{}  {line}\n", Shown::line(&event.at)));
            findings_in(event).iter().for_each(|finding| text.push_str(&finding_line(finding)));
        }
    }
    if let Some(torn) = &read.torn {
        text.push_str(&format!("({} unfinished bytes follow)\n", torn.bytes));
    }
    Ok(text)
}

/// The findings that a critic round added or that were settled: what a person reads between rounds.
fn findings_in(event: &Event) -> Vec<Finding> {
    #[derive(serde::Deserialize)]
    struct Round {
        new: Vec<Finding>,
    }
    #[derive(serde::Deserialize)]
    struct Settled {
        proposal: Proposal,
    }
    match event.key.as_str() {
        key if key.starts_with("round/") => event.body.read().map(|round: Round| round.new).unwrap_or_default(),
        "settle" => event.body.read().map(|settled: Settled| settled.proposal.findings).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn finding_line(finding: &Finding) -> String {
    let id = if finding.id.is_empty() { finding.key.as_str() } else { &finding.id };
    let place = if finding.uc_id.is_empty() { &finding.section } else { &finding.uc_id };
    let line = format!("{id}  {}  {place}:{}  {}", finding.severity.word(), finding.line, finding.finding);
    format!("    {}\n", Shown::line(&line))
}

/// The language a run spoke.
fn language_of(events: &[Event]) -> Lang {
    let started = events.iter().find(|event| event.kind == Kind::RunStarted);
    let header: Option<Header> = started.and_then(|event| event.body.read().ok());
    let code = header.and_then(|header| header.options["lang"].as_str().map(str::to_owned));
    code.as_deref().and_then(Lang::from_code).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_salvage_that_fails_leaves_no_run() {
        let state = tempfile::tempdir().expect("folder");
        let damaged = RunFolder::create(state.path(), &RunId::from("20260101-000000-aaaa")).expect("folder");
        std::fs::write(damaged.journal(), "no record\n").expect("written");
        salvage(state.path(), damaged.run().as_str()).expect_err("nothing to save");
        let left: Vec<RunId> = journal::list(state.path()).expect("listed").into_iter().map(|run| run.run).collect();
        assert_eq!(left, [damaged.run().clone()]);
        assert!(damaged.journal().exists());
    }

    #[test]
    fn days_are_counted_in_words() {
        let state = tempfile::tempdir().expect("folder");
        assert_eq!(remove_older(state.path(), 1, false), Ok("no run is older than 1 day\n".to_owned()));
        assert_eq!(remove_older(state.path(), 2, false), Ok("no run is older than 2 days\n".to_owned()));
    }
}
