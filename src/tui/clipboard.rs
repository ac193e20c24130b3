//! Copying text out of the workbench: the terminal's clipboard (OSC 52), tmux's buffer, a file. Nobody tells us whether a
//! terminal took what it was sent, so nothing here claims that anything was copied.

use super::terminal::Sequence;
use crate::model::shown::Shown;
use crate::text::Catalogue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// The longest text that goes into one OSC 52, in bytes: in base64 and with its frame that is the 100,000 bytes at which
/// terminals stop.
pub const MAX_BYTES: usize = 74_994;

/// How long tmux may take.
const TMUX_PATIENCE: Duration = Duration::from_secs(3);

/// What became of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copied {
    /// Sent to the terminal's clipboard.
    Sent,
    /// Sent to tmux, which passes it on or drops it.
    SentToTmux,
    /// tmux took it into its own buffer.
    InTmuxBuffer,
    /// tmux did not take it into its buffer; the reason.
    NotInTmuxBuffer(String),
    /// tmux gave no answer in time.
    TmuxSilent,
    /// Too long for the terminal, in bytes; nothing was sent.
    TooLong(usize),
    /// The terminal refused the bytes.
    NotSent(String),
    /// Written to a file.
    ToFile(PathBuf),
    /// The file could not be written.
    NotToFile(String),
}

impl Copied {
    /// The sentence for the person.
    pub fn say(&self, words: &Catalogue) -> String {
        let reason = |id: &str, reason: &str| words.say(id, &[("reason", reason.into())]);
        match self {
            Copied::Sent => words.say("clipboard-sent", &[]),
            Copied::SentToTmux => words.say("clipboard-sent-tmux", &[]),
            Copied::InTmuxBuffer => words.say("clipboard-tmux-buffer", &[]),
            Copied::NotInTmuxBuffer(why) => reason("clipboard-tmux-refused", why),
            Copied::TmuxSilent => words.say("clipboard-tmux-silent", &[]),
            Copied::TooLong(bytes) => {
                let kilobytes = |bytes: usize| bytes.div_ceil(1000).to_string();
                words.say("clipboard-too-long", &[("size", kilobytes(*bytes).into()), ("max", kilobytes(MAX_BYTES).into())])
            }
            Copied::NotSent(why) => reason("clipboard-not-sent", why),
            Copied::ToFile(path) => {
                let path = Shown::line(&path.to_string_lossy()).to_string();
                words.say("clipboard-file", &[("path", path.into())])
            }
            Copied::NotToFile(why) => reason("clipboard-file-failed", why),
        }
    }
}

/// The text as it leaves: control and hidden characters are marks, line ends and tabs stay.
pub fn payload(text: &str) -> String {
    let pieces: Vec<String> = text.split('\t').map(|piece| Shown::block(piece).to_string()).collect();
    pieces.join("\t")
}

/// OSC 52 for a text; inside tmux once through its passthrough to the terminal around it, and once for tmux itself.
///
/// # Errors
/// [`Copied::TooLong`].
pub fn sequence(text: &str, inside_tmux: bool) -> Result<Sequence, Copied> {
    let text = payload(text);
    if text.len() > MAX_BYTES {
        return Err(Copied::TooLong(text.len()));
    }
    let plain = format!("\x1b]52;c;{}\x07", STANDARD.encode(text));
    let whole = if inside_tmux { format!("\x1bPtmux;{}\x1b\\{plain}", plain.replace('\x1b', "\x1b\x1b")) } else { plain };
    Ok(Sequence::new(whole.into_bytes()))
}

/// Sends a text to the terminal's clipboard, and says what truly happened.
pub fn copy(text: &str, inside_tmux: bool) -> Copied {
    match sequence(text, inside_tmux).map(|sequence| super::terminal::send(&sequence)) {
        Ok(Ok(())) if inside_tmux => Copied::SentToTmux,
        Ok(Ok(())) => Copied::Sent,
        Ok(Err(error)) => Copied::NotSent(error.to_string()),
        Err(refused) => refused,
    }
}

/// Puts a text into tmux's own buffer, from where its paste key takes it. Only where `$TMUX` is set.
pub async fn to_tmux(text: &str) -> Copied {
    load_buffer(Path::new("tmux"), text).await
}

async fn load_buffer(program: &Path, text: &str) -> Copied {
    let text = payload(text);
    let load = async {
        let mut child = Command::new(program)
            .args(["load-buffer", "-w", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(text.as_bytes()).await?;
        }
        child.wait().await
    };
    match tokio::time::timeout(TMUX_PATIENCE, load).await {
        Ok(Ok(status)) if status.success() => Copied::InTmuxBuffer,
        Ok(Ok(status)) => Copied::NotInTmuxBuffer(status.to_string()),
        Ok(Err(error)) => Copied::NotInTmuxBuffer(error.to_string()),
        Err(_) => Copied::TmuxSilent,
    }
}

/// Writes a text to a new file of a name in a folder, readable by its owner only; an earlier file is never overwritten.
pub fn to_file(folder: &Path, name: &str, text: &str) -> Copied {
    let written = new_file(folder, name).and_then(|(mut file, path)| {
        file.write_all(payload(text).as_bytes())?;
        Ok(path)
    });
    match written {
        Ok(path) => Copied::ToFile(path),
        Err(error) => Copied::NotToFile(error.to_string()),
    }
}

fn new_file(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => (stem, format!(".{end}")),
        _ => (name.as_str(), String::new()),
    };
    let stem = if stem.trim_matches('.').is_empty() { "copy" } else { stem };
    for number in 1_u32.. {
        let name = if number == 1 { format!("{stem}{end}") } else { format!("{stem}-{number}{end}") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The bell: a person is needed.
pub fn bell() -> Sequence {
    Sequence::new(vec![7])
}

#[cfg(test)]
#[path = "clipboard_tests.rs"]
mod tests;
