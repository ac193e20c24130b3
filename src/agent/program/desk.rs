//! The private folder in which a program answers one question: its home with its own login, its scratch folder, the prompt and
//! the schema. It is gone when the answer is there.

use super::Place;
use crate::config::programs::Program;
use secrecy::SecretString;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Characters of a text in a login from which on it is taken for a secret.
const SECRET: usize = 16;

/// How private folders of a process are called.
fn desk_prefix(process: u32) -> String {
    format!("program-{process}-")
}

/// Removes private folders of processes that were killed: they hold questions, and so the document.
pub(super) fn sweep(scratch: &Path) {
    for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("program-")?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            // What cannot be removed now is tried again the next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A private folder for one answer.
pub(super) struct Desk {
    pub folder: tempfile::TempDir,
    pub home: PathBuf,
    pub tmp: PathBuf,
    pub prompt: PathBuf,
    schema: PathBuf,
    pub text: String,
    project: PathBuf,
    /// Secrets of its login.
    pub secrets: Vec<SecretString>,
}

impl Desk {
    /// Lays it out: prompt and schema as they are, and a copy of the program's own login.
    pub fn lay(place: &Place, program: &Program, text: String, schema: &str) -> io::Result<Desk> {
        DirBuilder::new().recursive(true).mode(0o700).create(&place.scratch)?;
        let folder = tempfile::Builder::new().prefix(&desk_prefix(std::process::id())).tempdir_in(&place.scratch)?;
        // Walls are put around real paths.
        let real = folder.path().canonicalize()?;
        let mut desk = Desk {
            folder,
            home: real.join("home"),
            tmp: real.join("tmp"),
            prompt: real.join("prompt.md"),
            schema: real.join("schema.json"),
            text,
            project: place.project.clone(),
            secrets: Vec::new(),
        };
        for made in [&desk.home, &desk.tmp] {
            DirBuilder::new().mode(0o700).create(made)?;
        }
        fs::write(&desk.prompt, &desk.text)?;
        fs::write(&desk.schema, schema)?;
        for file in &program.home {
            if let Some(from) = place.home.as_ref().map(|home| home.join(file)).filter(|from| from.is_file()) {
                let copied = desk.home.join(file);
                copy(&from, &copied)?;
                desk.secrets.extend(secrets_in(&copied));
            }
        }
        Ok(desk)
    }

    /// A word of the command with its places filled in: no shell ever reads it.
    pub fn filled(&self, word: &str) -> OsString {
        let path = |path: &Path| path.display().to_string();
        let filled = |part: &str| {
            part.replace("{prompt_file}", &path(&self.prompt))
                .replace("{schema_file}", &path(&self.schema))
                .replace("{scratch}", &path(&self.tmp))
                .replace("{project}", &path(&self.project))
        };
        // Around the prompt, never in it: what a document says of places stays as it is.
        word.split("{prompt}").map(filled).collect::<Vec<_>>().join(&self.text).into()
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::copy(from, to).map(|_| ())
}

/// What is secret in a login: as JSON its long words, else the long words of each line.
fn secrets_in(login: &Path) -> Vec<SecretString> {
    let text = fs::read_to_string(login).unwrap_or_default();
    let mut words = Vec::new();
    match serde_json::from_str(&text) {
        Ok(json) => texts(&json, &mut words),
        Err(_) => words.extend(text.split(|c: char| c.is_whitespace() || "=:'\"".contains(c)).map(str::to_owned)),
    }
    words.retain(|word| word.len() >= SECRET && !word.contains(char::is_whitespace));
    words.into_iter().map(SecretString::from).collect()
}

fn texts(json: &Value, into: &mut Vec<String>) {
    match json {
        Value::String(text) => into.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| texts(one, into)),
        Value::Object(all) => all.values().for_each(|one| texts(one, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn long_words_of_a_login_are_its_secrets_whatever_its_form() {
        let folder = tempfile::tempdir().expect("a folder");
        let login = folder.path().join("login");
        for (text, expected) in [
            (r#"{"a": {"token": "0123456789abcdef", "kind": "chat"}, "b": ["fedcba9876543210", "two words of some length"]}"#, 2),
            ("machine example.com\ntoken=0123456789abcdef\n", 1),
            ("", 0),
        ] {
            fs::write(&login, text).expect("written");
            let secrets = secrets_in(&login);
            assert_eq!(secrets.len(), expected, "{text}");
            assert!(secrets.iter().all(|secret| text.contains(secret.expose_secret())));
        }
        assert!(secrets_in(&folder.path().join("gone")).is_empty());
    }
}
