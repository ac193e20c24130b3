//! The texts that models are instructed with: built in, each replaced by the user's own file of the same name.

use super::folders::Folders;
use super::origin::{Origin, read_text};
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// One of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// What holds for every agent.
    System,
    /// The task of one dimension.
    Reviewer,
    /// The task of the completeness critic.
    Critic,
    /// The task of the arbiter.
    Arbiter,
    /// What fences mean.
    Fence,
    /// The shape of a finding and how to fill it.
    Finding,
    /// The shape of the arbiter's answer.
    Verdicts,
    /// Introduces the slim context.
    Context,
    /// Introduces the text under review.
    Document,
    /// The whole document is shown.
    Whole,
    /// A part of it is shown, to a reviewer.
    Scope,
    /// A part of it is shown, to the critic.
    Window,
    /// Introduces the rules and terms that are shown for reference only.
    Cited,
    /// Introduces the user's own criteria (P5).
    Criteria,
    /// Introduces the documents to compare with (P3).
    Others,
    /// There are none.
    NoOthers,
    /// Asks for what of an answer could not be read.
    Repair,
    /// Asks for the rest of a full list.
    Rest,
}

impl Text {
    /// All of them.
    pub const ALL: [Text; 18] = [
        Text::System,
        Text::Reviewer,
        Text::Critic,
        Text::Arbiter,
        Text::Fence,
        Text::Finding,
        Text::Verdicts,
        Text::Context,
        Text::Document,
        Text::Whole,
        Text::Scope,
        Text::Window,
        Text::Cited,
        Text::Criteria,
        Text::Others,
        Text::NoOthers,
        Text::Repair,
        Text::Rest,
    ];

    /// Its name: the file is `NAME.md` in the folder `prompts` of the user's configuration.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// The places in it that are filled in; each must stand in it.
    pub fn places(self) -> &'static [&'static str] {
        self.facts().1
    }

    fn built_in(self) -> &'static str {
        self.facts().2
    }

    fn facts(self) -> (&'static str, &'static [&'static str], &'static str) {
        macro_rules! text {
            ($name:literal, $($place:literal),*) => {
                ($name, &[$($place),*], include_str!(concat!("../../prompts/", $name, ".md")))
            };
        }
        match self {
            Text::System => text!("system", "fence", "answer", "language"),
            Text::Reviewer => text!("reviewer", "dimension", "criteria", "others", "language"),
            Text::Critic => text!("critic", "dimensions", "known", "language"),
            Text::Arbiter => text!("arbiter", "listing", "language"),
            Text::Fence => text!("parts/fence",),
            Text::Finding => text!("parts/finding",),
            Text::Verdicts => text!("parts/verdicts",),
            Text::Context => text!("parts/context", "context"),
            Text::Document => text!("parts/document", "shown", "document"),
            Text::Whole => text!("parts/whole", "total"),
            Text::Scope => text!("parts/scope", "scopes", "lines", "total"),
            Text::Window => text!("parts/window", "lines", "total"),
            Text::Cited => text!("parts/cited", "cited"),
            Text::Criteria => text!("parts/criteria", "criteria"),
            Text::Others => text!("parts/others", "others"),
            Text::NoOthers => text!("parts/no_others",),
            Text::Repair => text!("repair", "errors", "shape"),
            Text::Rest => text!("rest", "known", "shape"),
        }
    }
}

/// The texts in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// One a [`Text::ALL`], in that order.
    texts: Vec<(String, Origin)>,
}

impl Prompts {
    /// The built-in texts.
    pub fn embedded() -> Prompts {
        Prompts { texts: Text::ALL.map(|text| (tidy(text.built_in()), Origin::Embedded)).into() }
    }

    /// The built-in texts, each replaced by `prompts/NAME.md` of the user's configuration where that file is there.
    ///
    /// # Errors
    /// An input fault for a file that cannot be read or is too long. A usage fault, with file and line and the nearest
    /// valid name, for a file that no text is named after and for a placeholder that its text does not have; with the
    /// file, for a placeholder that is missing and for an empty text.
    pub fn load(folders: &Folders) -> Result<Prompts, Fault> {
        let mut prompts = Prompts::embedded();
        let Some(folder) = folders.prompts() else { return Ok(prompts) };
        refuse_strangers(&folder)?;
        for (text, slot) in Text::ALL.into_iter().zip(&mut prompts.texts) {
            let path = folder.join(format!("{}.md", text.name()));
            // A dangling link is there, and said to be unreadable, rather than passed over.
            match fs::symlink_metadata(&path) {
                Ok(_) => {
                    let own = tidy(&read_text(&path)?);
                    check(text, &own, &path)?;
                    *slot = (own, Origin::User(path));
                }
                Err(error) => absent(&path, error)?,
            }
        }
        Ok(prompts)
    }

    /// The text with its places filled in, in one pass: what is filled in is not looked at again. A line that holds nothing
    /// but a place that stays empty is left out, with the blank line after it.
    pub fn fill(&self, text: Text, values: &[(&str, &str)]) -> String {
        fill(&self.of(text).0, values)
    }

    /// Every text with its origin.
    pub fn origins(&self) -> impl Iterator<Item = (Text, &Origin)> {
        Text::ALL.into_iter().map(|text| (text, &self.of(text).1))
    }

    /// Hash over all texts in force: 64 hex digits.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (text, (words, _)) in Text::ALL.into_iter().zip(&self.texts) {
            for part in [text.name(), words] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    fn of(&self, text: Text) -> &(String, Origin) {
        &self.texts[text as usize]
    }
}

/// Line feeds only, and no space at the end, so that the same words give the same prompt.
fn tidy(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end().to_owned()
}

/// What is not there is no error; what is there and cannot be read would silently change nothing.
fn absent(path: &Path, error: std::io::Error) -> Result<(), Fault> {
    if error.kind() == ErrorKind::NotFound {
        return Ok(());
    }
    Err(Fault::io(path.display(), error, "check what it is and its permissions"))
}

/// Markdown files in the folder must be named after a text: a typo would silently change nothing.
fn refuse_strangers(folder: &Path) -> Result<(), Fault> {
    for (inside, prefix) in [(folder.to_owned(), ""), (folder.join("parts"), "parts/")] {
        let entries = match fs::read_dir(&inside) {
            Ok(entries) => entries,
            Err(error) => {
                absent(&inside, error)?;
                continue;
            }
        };
        let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_text).collect();
        paths.sort();
        for path in paths {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{prefix}{stem}");
            if stem != "README" && !Text::ALL.iter().any(|text| text.name() == name) {
                let what = format!("{}: no prompt is named `{name}`", path.display());
                return Err(Fault::usage(what, what_there_is(&name, Text::ALL.map(Text::name))));
            }
        }
    }
    Ok(())
}

/// Whether a text of the user's own can stand in for the built-in one.
fn check(text: Text, own: &str, path: &Path) -> Result<(), Fault> {
    if own.trim().is_empty() {
        let what = format!("{}: the text is empty", path.display());
        return Err(Fault::usage(what, "write the instructions, or delete the file for the built-in ones"));
    }
    let places = text.places();
    let named = placeholders(own);
    if let Some((at, name)) = named.iter().find(|(_, name)| !places.contains(name)) {
        let line = own[..*at].matches('\n').count() + 1;
        let what = format!("{}:{line}: the prompt `{}` has no placeholder `{{{name}}}`", path.display(), text.name());
        let hint = format!(
            "{}; for the word itself write it without braces, or with spaces inside them",
            what_there_is(name, places.iter().copied())
        );
        return Err(Fault::usage(what, hint));
    }
    match places.iter().find(|place| !named.iter().any(|(_, name)| name == *place)) {
        None => Ok(()),
        Some(place) => {
            let what = format!("{}: the placeholder `{{{place}}}` is missing", path.display());
            Err(Fault::usage(
                what,
                format!("put it where its text is to stand; `{}` needs all of: {}", text.name(), places.join(", ")),
            ))
        }
    }
}

/// Every `{name}` of small letters and `_`, with the byte it begins at.
fn placeholders(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let rest = &text[from..];
        let length = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(rest.len());
        if length > 0 && rest[length..].starts_with('}') {
            found.push((open, &rest[..length]));
            from += length + 1;
        }
    }
    found
}

fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let value = |name: &str| values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
    let mut lines: Vec<String> = Vec::new();
    let mut left_out = false;
    for line in text.split('\n') {
        if std::mem::take(&mut left_out) && line.trim().is_empty() {
            continue;
        }
        let mut out = String::new();
        let mut rest = line;
        while let Some(&(at, name)) = placeholders(rest).first() {
            out.push_str(&rest[..at]);
            out.push_str(value(name));
            rest = &rest[at + name.len() + 2..];
        }
        out.push_str(rest);
        if out.trim().is_empty() && !line.trim().is_empty() {
            left_out = true;
        } else {
            lines.push(out);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
#[path = "prompts_tests.rs"]
mod tests;
