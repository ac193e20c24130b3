//! Hand-off to the person's editor, for a long text or for the document at a line.
//!
//! Before: the caller stops reading events and leaves the terminal. The editor runs in our process group on our terminal, so
//! that keys, Ctrl-Z and the size reach it as they would from a shell; Ctrl-C in it may reach us too and is to be ignored
//! meanwhile. After: the caller enters again and draws everything.

use super::typed::typed;
use crate::model::shown::Shown;
use crate::text::Catalogue;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use tokio::process::Command;

/// Editors that are tried, in order, where the person names none.
const DEFAULTS: [&str; 2] = ["nano", "vi"];

/// The longest text that is taken back from an editor, in bytes.
const MAX_TEXT: u64 = 4 * 1024 * 1024;

/// The person's editor as words of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Editor {
    /// Named by the person.
    Named(Vec<String>),
    /// The first of the usual ones that is there.
    Usual,
}

/// Why the old text stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The value of `$VISUAL` or `$EDITOR` is no command: a quotation mark is not closed.
    NotACommand(String),
    /// The program is not there.
    Missing(String),
    /// The editor ended with another code than 0; `None` where a signal ended it.
    Failed(String, Option<i32>),
    /// The editor left more than is taken back, in bytes.
    TooLong(u64),
    /// The editor left bytes that are no text.
    NoText,
    /// A file could not be written or read, or the program not be started.
    Trouble(String),
}

impl Kept {
    /// The sentence for the person.
    pub fn say(&self, words: &Catalogue) -> String {
        let shown = |text: &str| Shown::line(text).to_string();
        match self {
            Kept::NotACommand(value) => words.say("editor-no-command", &[("value", shown(value).into())]),
            Kept::Missing(program) => words.say("editor-missing", &[("program", shown(program).into())]),
            Kept::Failed(program, Some(code)) => {
                words.say("editor-failed", &[("program", shown(program).into()), ("code", code.to_string().into())])
            }
            Kept::Failed(program, None) => words.say("editor-killed", &[("program", shown(program).into())]),
            Kept::TooLong(bytes) => {
                words.say("editor-too-long", &[("size", mebibytes(*bytes).into()), ("max", mebibytes(MAX_TEXT).into())])
            }
            Kept::NoText => words.say("editor-no-text", &[]),
            Kept::Trouble(reason) => words.say("editor-trouble", &[("reason", shown(reason).into())]),
        }
    }
}

fn mebibytes(bytes: u64) -> String {
    bytes.div_ceil(1024 * 1024).to_string()
}

/// Chooses the editor from the values of `$VISUAL` and `$EDITOR`; an empty one is none.
///
/// # Errors
/// Where the value cannot be split as a shell would split it.
pub fn choose(visual: Option<&str>, editor: Option<&str>) -> Result<Editor, Kept> {
    let Some(value) = [visual, editor].into_iter().flatten().find(|value| !value.trim().is_empty()) else {
        return Ok(Editor::Usual);
    };
    match shlex::split(value) {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => Ok(Editor::Named(words)),
        _ => Err(Kept::NotACommand(value.to_owned())),
    }
}

/// The arguments that open a file at a line (counted from 1), as the program wants them; only the file where it is unknown.
pub fn arguments(program: &str, file: &Path, line: Option<u32>) -> Vec<std::ffi::OsString> {
    // A name that looks like an option or a line number is made a path.
    let plain = file.as_os_str().as_encoded_bytes();
    let file = if plain.starts_with(b"-") || plain.starts_with(b"+") { Path::new(".").join(file) } else { file.to_owned() };
    let Some(line) = line else { return vec![file.into()] };
    let at_line = || {
        let mut place = file.clone().into_os_string();
        place.push(format!(":{line}"));
        place
    };
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.as_str() {
        "vi" | "vim" | "nvim" | "view" | "vim.basic" | "vim.tiny" | "nano" | "emacs" | "emacsclient" | "micro" | "kak"
        | "joe" | "jed" | "ne" | "mg" | "mcedit" | "gedit" => vec![format!("+{line}").into(), file.into()],
        "hx" | "helix" | "zed" | "subl" => vec![at_line()],
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => vec!["-g".into(), at_line()],
        _ => vec![file.into()],
    }
}

/// A text that was handed to an editor.
///
/// # Errors
/// Why the old text stays: nothing of it is lost then.
pub async fn edit_text(editor: &Editor, text: &str) -> Result<String, Kept> {
    let mut file = tempfile::Builder::new().prefix("tamis-").suffix(".md").tempfile().map_err(trouble)?;
    let whole = if text.ends_with('\n') || text.is_empty() { text.to_owned() } else { format!("{text}\n") };
    file.write_all(whole.as_bytes()).and_then(|()| file.flush()).map_err(trouble)?;
    // Closed for us, and read again by its name: an editor may put a new file in its place.
    let path = file.into_temp_path();
    run(editor, &path, None).await?;
    let bytes = read(&path)?;
    let new = typed(&String::from_utf8(bytes).map_err(|_| Kept::NoText)?, None);
    Ok(match new.strip_suffix('\n') {
        Some(cut) if !text.ends_with('\n') => cut.to_owned(),
        _ => new,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Kept> {
    let size = std::fs::metadata(path).map_err(trouble)?.len();
    if size > MAX_TEXT { Err(Kept::TooLong(size)) } else { std::fs::read(path).map_err(trouble) }
}

/// Opens the document at a line and waits for the editor to end.
///
/// # Errors
/// As [`edit_text`]; what the editor wrote stays written.
pub async fn edit_document(editor: &Editor, document: &Path, line: u32) -> Result<(), Kept> {
    run(editor, document, Some(line.max(1))).await
}

async fn run(editor: &Editor, file: &Path, line: Option<u32>) -> Result<(), Kept> {
    let (program, status) = match editor {
        Editor::Named(words) => (words[0].clone(), start(words, file, line).await),
        Editor::Usual => {
            let mut tried = (DEFAULTS[0].to_owned(), Err(io::ErrorKind::NotFound.into()));
            for program in DEFAULTS {
                tried = (program.to_owned(), start(&[program.to_owned()], file, line).await);
                if !matches!(&tried.1, Err(error) if error.kind() == io::ErrorKind::NotFound) {
                    break;
                }
            }
            tried
        }
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Kept::Failed(program, status.code())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Kept::Missing(program)),
        Err(error) => Err(trouble(error)),
    }
}

async fn start(words: &[String], file: &Path, line: Option<u32>) -> io::Result<ExitStatus> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(arguments(&words[0], file, line));
    // With a document piped into us, the editor's keys still come from the terminal.
    if !io::stdin().is_terminal()
        && let Ok(tty) = File::open("/dev/tty")
    {
        command.stdin(Stdio::from(tty));
    }
    command.status().await
}

fn trouble(error: impl std::fmt::Display) -> Kept {
    Kept::Trouble(error.to_string())
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
