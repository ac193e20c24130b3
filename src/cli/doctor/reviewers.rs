//! Everybody who can be asked: found, and with a key where one is needed. Nobody is asked for it.

use super::{Check, State};
use crate::agent::program::installed;
use crate::config::agents::AgentSpec;
use crate::config::presets;
use crate::config::settings::Settings;
use crate::config::variables::Variables;
use crate::model::fault::Fault;
use secrecy::SecretString;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Somebody who can be asked, or why not.
pub(super) struct Listed {
    /// As on the command line.
    pub word: String,
    /// Where it is named, or how it comes to be here.
    from: &'static str,
    /// Who that is.
    pub spec: Result<AgentSpec, Fault>,
    /// Where the program is, where it is one; why it cannot be begun, in words.
    program: Result<Option<PathBuf>, String>,
}

/// The offline rules, whoever has a seat, everybody in the settings, and the known programs that are installed.
pub(super) fn list(settings: &Settings, variables: &Variables) -> Vec<Listed> {
    let mut words: Vec<(String, &'static str)> = vec![("offline".to_owned(), "built in"), ("paste".to_owned(), "built in")];
    let seats = &settings.seats;
    let seated =
        [&seats.reviewer, &seats.critic, &seats.arbiter].into_iter().chain(seats.dimensions.iter().map(|(_, word)| word));
    words.extend(seated.filter(|word| word.value != "none").map(|word| (word.value.clone(), "has a seat")));
    words.extend(settings.roster.iter().map(|entry| (entry.name.value.clone(), "settings")));
    words.extend(settings.programs.iter().map(|program| (program.name.clone(), "settings")));
    words.extend(presets::names().map(|name| (format!("command:{name}"), "installed")));
    let mut listed: Vec<Listed> = Vec::new();
    for (word, from) in words {
        if listed.iter().any(|known| known.word == word) {
            continue;
        }
        let spec = settings.agent(&word, variables);
        let program = spec.as_ref().ok().and_then(AgentSpec::program).map(|program| {
            let word = program.command.first().map_or("", String::as_str);
            installed::find(OsStr::new(word), variables.get("PATH").as_deref()).map(|installed| installed.path)
        });
        let program = program.transpose();
        if from == "installed" && program.is_err() {
            continue;
        }
        listed.push(Listed { word, from, spec, program });
    }
    listed
}

impl Listed {
    /// Whether it can be asked, as far as that is known without asking.
    pub fn check(&self) -> Check {
        let state = match self.from {
            // Whoever has a seat stands in the way of a review; anybody else is only not to be had.
            "has a seat" => State::Fault,
            _ => State::Note,
        };
        let spec = match &self.spec {
            Ok(spec) => spec,
            Err(fault) => return Check::new("reviewers", &self.word, state, &fault.what).hint(&fault.hint),
        };
        match spec {
            AgentSpec::Endpoint(endpoint) => {
                let key = match (&endpoint.key, endpoint.key_from.as_str()) {
                    (_, "none") => "no key is needed".to_owned(),
                    (Some(_), from) => format!("key present ({from})"),
                    (None, from) => format!("no key ({from}), which a server on this machine may not need"),
                };
                let found = format!("{}:{} at {}; {key}; {}", endpoint.api.word(), endpoint.model, endpoint.base_url, self.from);
                Check::ok("reviewers", &self.word, found)
            }
            AgentSpec::Program(_) => match &self.program {
                Ok(path) => {
                    let path = path.as_deref().unwrap_or(Path::new(""));
                    Check::ok("reviewers", &self.word, format!("{}; {}", path.display(), self.from))
                }
                Err(why) => Check::new("reviewers", &self.word, state, why)
                    .hint("install it, or write its whole path into `command` in your config.yaml"),
            },
            AgentSpec::Offline => Check::ok("reviewers", &self.word, "built-in rules; no key, no network"),
            AgentSpec::Paste => Check::ok("reviewers", &self.word, "you carry questions to a chat, and answers back"),
            AgentSpec::Script(path) => Check::ok("reviewers", &self.word, format!("answers out of {}", path.display())),
            AgentSpec::Replay(path) => Check::ok("reviewers", &self.word, format!("recordings in {}", path.display())),
        }
    }

    /// The key that goes with it.
    pub fn key(&self) -> Option<SecretString> {
        self.spec.as_ref().ok()?.endpoint()?.key.clone()
    }
}
