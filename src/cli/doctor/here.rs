//! The terminal, the locale, the settings and the state folder.

use super::{Check, State};
use crate::config::environment::Environment;
use crate::config::project::{self, Project};
use crate::config::settings::Settings;
use crate::config::variables::{self, Variables};
use crate::config::{Folders, Store};
use crate::journal::{self, RunState};
use crate::model::fault::Fault;
use crate::tui::glyphs::{Glyphs, UNICODE};
use crate::tui::terminal;
use std::path::Path;

/// Columns and rows that the workbench is made for.
const SIZE: (u16, u16) = (80, 24);
/// Bytes free below which a run may not be recorded to its end.
const FREE: u64 = 64 << 20;

/// Whether the workbench can run here, and how it would look.
pub(super) fn terminal() -> Vec<Check> {
    let environment = Environment::read();
    let mut checks = Vec::new();
    let term = environment.term.as_deref();
    match terminal::check_terminal(term) {
        Ok(()) => {
            let (columns, rows) = crossterm::terminal::size().unwrap_or_default();
            let found = format!("{}, {columns} x {rows}", term.unwrap_or_default());
            checks.push(match columns >= SIZE.0 && rows >= SIZE.1 {
                true => Check::ok("terminal", "workbench", found),
                false => Check::new("terminal", "workbench", State::Note, found)
                    .hint(format!("it is made for {} x {} and up: smaller screens show less", SIZE.0, SIZE.1)),
            });
        }
        Err(none) => checks.push(
            Check::new("terminal", "workbench", State::Note, format!("not here: {none}"))
                .hint("in a terminal it would open; without one, `tamis review FILE --headless` works"),
        ),
    }
    let colours = match (&environment.no_color, environment.truecolor) {
        (true, _) => "none (NO_COLOR or CLICOLOR)",
        (false, true) => "24 bits (COLORTERM)",
        (false, false) => "256",
    };
    checks.push(Check::ok("terminal", "colours", colours));
    if environment.tmux {
        checks.push(Check::ok("terminal", "tmux", "yes: copies reach your own clipboard with `set -g set-clipboard on`"));
    }
    let [all, ctype, lang] = &environment.locale;
    let glyphs = Glyphs::choose(false, all.as_deref(), ctype.as_deref(), lang.as_deref());
    let locale = [("LC_ALL", all), ("LC_CTYPE", ctype), ("LANG", lang)].into_iter().find_map(|(name, value)| {
        let value = value.as_ref()?;
        Some(format!("{name}={value}"))
    });
    let locale = locale.unwrap_or_else(|| "not set: UTF-8 is taken for granted".to_owned());
    checks.push(match std::ptr::eq(glyphs, &UNICODE) {
        true => Check::ok("terminal", "locale", locale),
        false => Check::new("terminal", "locale", State::Note, format!("{locale}: no UTF-8, so marks are drawn in ASCII"))
            .hint("set LANG to a UTF-8 locale, such as C.UTF-8; Vietnamese and Chinese need it"),
    });
    checks
}

/// The user's settings and what of the environment goes before them.
pub(super) fn settings(folders: &Folders, variables: &Variables, read: Result<&Settings, &Fault>) -> Vec<Check> {
    let path = folders.config.as_ref().map(|config| config.join(crate::config::settings::FILE_NAME));
    let mut checks = vec![match (read, &path) {
        (Err(fault), _) => Check::fault("settings", "config.yaml", fault),
        (Ok(_), None) => Check::ok("settings", "config.yaml", "no home folder is known, so there is none"),
        (Ok(_), Some(path)) if path.exists() => Check::ok("settings", "config.yaml", path.display().to_string()),
        (Ok(_), Some(path)) => Check::ok("settings", "config.yaml", format!("none yet; it would be {}", path.display())),
    }];
    let named =
        [variables::AGENT, variables::THEME, variables::LANG, variables::MAX_TOKENS, variables::MAX_COST, variables::MAX_MINUTES];
    for name in named {
        if let Some(value) = variables.get(name) {
            checks.push(Check::ok("settings", name, format!("{value} (goes before config.yaml)")));
        }
    }
    if let Ok(settings) = read {
        let seats = &settings.seats;
        for (name, word) in [("reviewer", &seats.reviewer), ("critic", &seats.critic), ("arbiter", &seats.arbiter)] {
            checks.push(Check::ok("settings", name, format!("{} ({})", word.value, word.origin)));
        }
    }
    checks
}

/// The project's own file, where there is one.
pub(super) fn project(project: &Result<Option<Project>, Fault>) -> Option<Check> {
    match project {
        Ok(None) => None,
        Ok(Some(project)) => Some(match project.ignored() {
            Some(ignored) => Check::new("settings", project::FILE_NAME, State::Note, ignored),
            None if project.is_trusted() => {
                Check::ok("settings", project::FILE_NAME, format!("{}: trusted", project.seen.path.display()))
            }
            None => Check::ok("settings", project::FILE_NAME, format!("{}: needs no trust", project.seen.path.display())),
        }),
        Err(fault) => Some(Check::fault("settings", project::FILE_NAME, fault)),
    }
}

/// Whether runs can be recorded, how many there are and how much they take.
pub(super) fn state(folders: &Folders) -> Vec<Check> {
    let state = folders.state.as_path();
    // A file that nobody uses is changed under its lock, as those are that matter.
    let store = Store::of(state, "doctor");
    let written = store.change(|_| Ok(("written by tamis doctor\n".to_owned(), ())));
    for left in [store.path().to_owned(), store.lock_path()] {
        // What cannot be removed is overwritten the next time.
        let _ = std::fs::remove_file(left);
    }
    let mut checks = vec![match &written {
        Ok(()) => Check::ok("state", "folder", format!("{}: can be written, and locks hold", state.display())),
        Err(fault) => Check::fault("state", "folder", fault),
    }];
    if written.is_err() {
        return checks;
    }
    if let Ok(disk) = rustix::fs::statvfs(state) {
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        let found = format!("{} free", size(free));
        checks.push(match free >= FREE {
            true => Check::ok("state", "disk", found),
            false => {
                Check::new("state", "disk", State::Fault, found).hint("free some space: a run that cannot be recorded stops")
            }
        });
    }
    match journal::list(state) {
        Ok(runs) => {
            let damaged = runs.iter().filter(|run| matches!(run.state, RunState::Unusable(_))).count();
            let running = runs.iter().filter(|run| run.in_use).count();
            let waiting = runs.iter().filter(|run| matches!(run.state, RunState::Open | RunState::Paused) && !run.in_use).count();
            let found = format!(
                "{} in {}: {running} running, {waiting} to be resumed, {damaged} damaged",
                runs.len(),
                size(bytes_below(state))
            );
            checks.push(match damaged {
                0 => Check::ok("state", "runs", found),
                _ => Check::new("state", "runs", State::Note, found)
                    .hint("`tamis runs` names them; `tamis runs salvage RUN` saves their sound records"),
            });
        }
        Err(fault) => checks.push(Check::fault("state", "runs", &fault)),
    }
    checks
}

/// Bytes of all files below a folder; links are not followed.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_below(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

/// `812 B`, `3 kB`, `41 MB`, `7 GB`.
fn size(bytes: u64) -> String {
    let units = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)];
    let unit = units.into_iter().find(|(_, unit)| bytes >= *unit);
    unit.map_or_else(|| format!("{bytes} B"), |(name, unit)| format!("{} {name}", bytes / unit))
}
