//! `programs` in the settings: what a person wrote about a program, checked.

use super::programs::{Format, Program};
use super::settings_file::{Named, Reader, Text, short};
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use crate::model::walls::Network;
use serde::Deserialize;
use serde_yaml::Spanned;
use std::path::{Path, PathBuf};

/// Words of a command at most.
const MAX_WORDS: usize = 256;
/// Placeholders that are filled in.
const PLACEHOLDERS: [&str; 5] = ["{prompt_file}", "{prompt}", "{schema_file}", "{scratch}", "{project}"];

/// A program as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    #[serde(default)]
    command: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    format: Text,
    #[serde(default)]
    env: Option<Named<Spanned<String>>>,
    #[serde(default)]
    pass_env: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    home: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    read: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    network: Text,
    #[serde(default)]
    ports: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    timeout: Text,
    #[serde(default)]
    concurrency: Text,
    #[serde(default)]
    max_findings: Text,
}

impl Reader<'_> {
    /// A program of the settings; one that is named as a known program stands before it.
    pub(super) fn program(&self, name: &Spanned<String>, given: ProgramFile) -> Result<Program, Fault> {
        let at = name.referenced;
        self.check_name(name)?;
        let Some(command) = given.command else {
            let hint = "add `command:`, a list of words: [my-reviewer, --json, \"{prompt_file}\"]";
            return Err(self.fault(at, format!("the program `{}` has no `command`", name.value), hint));
        };
        let command_at = command.referenced;
        if command.value.is_empty() || command.value.len() > MAX_WORDS {
            return Err(self.fault(command_at, "`command` is no command", format!("write 1 to {MAX_WORDS} words")));
        }
        for word in &command.value {
            self.check_word(word)?;
        }
        let format = match given.format {
            None => Format::Text,
            Some(word) => {
                let known = Format::ALL.iter().find(|(name, _)| *name == word.value);
                known.map(|(_, format)| *format).ok_or_else(|| {
                    let hint = what_there_is(&word.value, Format::ALL.iter().map(|(name, _)| *name));
                    self.fault(word.referenced, format!("unknown format `{}`", short(&word.value)), hint)
                })?
            }
        };
        let variable = |word: &Spanned<String>| match super::keys::is_variable_name(&word.value) {
            true => Ok(word.value.clone()),
            // The value is not repeated: it may be a key.
            false => Err(self.fault(word.referenced, "no name of a variable", "write capital letters, digits and `_`")),
        };
        let env = given.env.map_or(Vec::new(), |env| env.0);
        let holds_a_key =
            |name: &str| ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.split('_').any(|part| part == *word));
        if let Some((name, _)) = env.iter().find(|(name, _)| holds_a_key(&name.value)) {
            let hint = "put it into a variable of your own and pass that on: `pass_env: [NAME]`";
            return Err(self.fault(name.referenced, "a key does not stand in this file", hint));
        }
        let env = env.iter().map(|(name, value)| Ok((variable(name)?, value.value.clone()))).collect::<Result<_, Fault>>()?;
        let pass_env = given.pass_env.unwrap_or_default().iter().map(variable).collect::<Result<_, Fault>>()?;
        let within_home = |word: &Spanned<String>| {
            let path = Path::new(&word.value);
            let plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            match plain && !word.value.is_empty() {
                true => Ok(path.to_owned()),
                false => Err(self.fault(
                    word.referenced,
                    format!("`{}` is no file of the home folder", short(&word.value)),
                    "write it from there on: .tool/login.json",
                )),
            }
        };
        let home = given.home.unwrap_or_default().iter().map(within_home).collect::<Result<_, Fault>>()?;
        let whole = |word: &Spanned<String>| match Path::new(&word.value).is_absolute() {
            true => Ok(PathBuf::from(&word.value)),
            false => Err(self.fault(word.referenced, format!("`{}` is no whole path", short(&word.value)), "begin it with `/`")),
        };
        let read = given.read.unwrap_or_default().iter().map(whole).collect::<Result<_, Fault>>()?;
        let network = self.network(given.network, given.ports)?;
        let count = |name, text, most: u64, default: usize| {
            let value = self.whole(name, text, 1, most)?;
            Ok::<_, Fault>(value.map_or(default, |setting| usize::try_from(setting.value).unwrap_or(default)))
        };
        Ok(Program {
            origin: self.setting(at, ()).origin,
            name: format!("command:{}", name.value),
            command: command.value.into_iter().map(|word| word.value).collect(),
            format,
            env,
            pass_env,
            home,
            read,
            network,
            timeout: self.seconds("timeout", given.timeout, Program::TIMEOUT)?.value,
            concurrency: count("concurrency", given.concurrency, 100, Program::CONCURRENCY)?,
            max_findings: count("max_findings", given.max_findings, Program::MAX_FINDINGS as u64, Program::MAX_FINDINGS)?,
        })
    }

    /// A word of a command holds no placeholder that nobody fills in, and no end of a text.
    fn check_word(&self, word: &Spanned<String>) -> Result<(), Fault> {
        if word.value.contains('\0') {
            return Err(self.fault(word.referenced, "a word with a NUL in it", "leave it out"));
        }
        let open = word.value.find('{').map(|from| &word.value[from..]);
        let placeholder = open.and_then(|rest| rest.find('}').map(|to| &rest[..=to]));
        let named = |text: &&str| text.len() > 2 && text[1..text.len() - 1].bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        match placeholder.filter(named).filter(|text| !PLACEHOLDERS.contains(text)) {
            Some(unknown) => {
                let hint = what_there_is(unknown, PLACEHOLDERS);
                Err(self.fault(word.referenced, format!("nothing is filled in for `{}`", short(unknown)), hint))
            }
            None => Ok(()),
        }
    }

    fn network(&self, word: Text, ports: Option<Vec<Spanned<String>>>) -> Result<Network, Fault> {
        let ports =
            ports.map(|ports| ports.iter().map(|port| self.port(port)).collect::<Result<Vec<u16>, Fault>>()).transpose()?;
        let Some(word) = word else { return Ok(ports.map_or(Network::None, Network::Ports)) };
        match (word.value.as_str(), ports) {
            ("none", None) => Ok(Network::None),
            ("any", None) => Ok(Network::Any),
            ("none" | "any", Some(_)) => {
                Err(self.fault(word.referenced, "`network` and `ports` say two things", "keep one of them"))
            }
            (other, _) => {
                let hint = format!("{}; or name the ports: `ports: [443]`", what_there_is(other, ["none", "any"]));
                Err(self.fault(word.referenced, format!("unknown network `{}`", short(other)), hint))
            }
        }
    }

    fn port(&self, word: &Spanned<String>) -> Result<u16, Fault> {
        word.value.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
            self.fault(word.referenced, format!("no port: `{}`", short(&word.value)), "write a number from 1 to 65535")
        })
    }
}

#[cfg(test)]
#[path = "programs_file_tests.rs"]
mod tests;
