//! What reaches `update`, and what it asks the loop to do.

use super::clipboard::Copied;
use super::editor::Kept;
use super::port::{Input, Wish};
use crossterm::event::KeyEvent;

/// A moment, as the loop knows it; tests set it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Milliseconds since the screen began; never goes back.
    pub ms: u64,
    /// Wall-clock milliseconds since 1970, for elapsed times against records.
    pub wall: i64,
}

/// What happens to the screen.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key went down or repeats.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize,
    /// News of the run.
    Input(Input),
    /// A moment that the model asked for has come.
    Tick,
    /// The process was stopped and goes on.
    Resumed,
    /// The editor ended: the text, or why there is none.
    Edited(Result<String, Kept>),
    /// The editor on the document ended.
    Looked(Result<(), Kept>),
    /// What became of a copy.
    Copied(Copied),
}

/// What `update` asks of the loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Cmd {
    /// Hand a wish to whoever carries the run.
    Wish(Wish),
    /// Leave the screen.
    Quit,
    /// Paint every cell anew.
    Redraw,
    /// Stop the process, as Ctrl-Z does.
    Suspend,
    /// Ring: a person is needed.
    Bell,
    /// Open the editor on this text.
    Edit(String),
    /// Open the editor on the document at this line.
    Look(u32),
    /// Copy to the terminal's clipboard.
    Copy(String),
    /// Write text into a file beside the run.
    ToFile(String),
}
