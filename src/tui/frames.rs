//! Whole frames for the terminal: a back end for ratatui that collects a frame and writes it at once.
//!
//! A frame is wrapped in a synchronized update (`?2026`, sent, never asked for), the cursor is hidden while cells change, and
//! its last move before it is shown is to the caret. A frame that changes nothing is no byte at all. What reaches the
//! terminal is cells, colours, cursor and the sequences named here: a control or hidden character in a cell, should one ever
//! get there, becomes a `?`.

use super::terminal;
use crate::model::shown::is_hidden;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::io;

/// Where frames go.
pub trait Sink {
    /// Takes one whole frame, or drops it where there is no screen any more.
    ///
    /// # Errors
    /// What the terminal answers to a write.
    fn frame(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// The size of the screen.
    ///
    /// # Errors
    /// Where the terminal is gone.
    fn size(&self) -> io::Result<Size>;
}

/// The guarded terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tty;

impl Sink for Tty {
    fn frame(&mut self, bytes: &[u8]) -> io::Result<()> {
        terminal::write(bytes)
    }

    fn size(&self) -> io::Result<Size> {
        terminal::size()
    }
}

/// What the terminal's cursor is known to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    /// Not known: at the start, and after the screen was entered again.
    Unknown,
    Hidden,
    At(Position),
}

/// The back end: `Terminal::new(Frames::new(Tty))`.
#[derive(Debug)]
pub struct Frames<S: Sink> {
    sink: S,
    /// The frame so far.
    cells: Vec<u8>,
    /// The whole frame; kept for its memory.
    out: Vec<u8>,
    /// Where the cursor was put last, shown or not.
    position: Position,
    /// Whether this frame wants it seen.
    visible: bool,
    /// What the terminal has.
    known: Cursor,
}

/// Stands for a cell that must not reach the terminal.
static UNSAFE: Cell = Cell::new("?");

impl<S: Sink> Frames<S> {
    /// A back end that writes to a sink.
    pub fn new(sink: S) -> Frames<S> {
        Frames { sink, cells: Vec::new(), out: Vec::new(), position: Position::ORIGIN, visible: false, known: Cursor::Unknown }
    }

    /// The sink.
    pub fn sink(&self) -> &S {
        &self.sink
    }
}

/// The cell itself, or a mark where its text is anything but text.
fn safe(cell: &Cell) -> &Cell {
    let text = cell.symbol();
    let clean = match text.as_bytes() {
        [byte] => (0x20..0x7f).contains(byte),
        _ => !text.chars().any(|c| c.is_control() || is_hidden(c)),
    };
    if clean { cell } else { &UNSAFE }
}

impl<S: Sink> Backend for Frames<S> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.map(|(x, y, cell)| (x, y, safe(cell))).peekable();
        // The inner back end ends with resets even where there was nothing to draw.
        if content.peek().is_none() {
            return Ok(());
        }
        CrosstermBackend::new(&mut self.cells).draw(content)
    }

    fn append_lines(&mut self, n: u16) -> io::Result<()> {
        CrosstermBackend::new(&mut self.cells).append_lines(n)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.visible = false;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.visible = true;
        Ok(())
    }

    /// Where we put it last: the terminal is never asked.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.position)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.position = position.into();
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // Clearing is how the caller says that the screen may hold anything, its cursor included.
        self.known = Cursor::Unknown;
        if clear_type != ClearType::All {
            queue!(self.cells, MoveTo(self.position.x, self.position.y))?;
        }
        CrosstermBackend::new(&mut self.cells).clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.sink.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.sink.size()?, pixels: Size::ZERO })
    }

    /// The end of a frame: one write, or none.
    fn flush(&mut self) -> io::Result<()> {
        let wanted = if self.visible { Cursor::At(self.position) } else { Cursor::Hidden };
        if self.cells.is_empty() && wanted == self.known {
            return Ok(());
        }
        self.out.clear();
        queue!(self.out, BeginSynchronizedUpdate)?;
        let was_hidden = self.known == Cursor::Hidden;
        let hides = !was_hidden && (!self.cells.is_empty() || wanted == Cursor::Hidden);
        if hides {
            queue!(self.out, Hide)?;
        }
        self.out.append(&mut self.cells);
        if let Cursor::At(Position { x, y }) = wanted {
            queue!(self.out, MoveTo(x, y))?;
            if hides || was_hidden {
                queue!(self.out, Show)?;
            }
        }
        queue!(self.out, EndSynchronizedUpdate)?;
        self.known = wanted;
        self.sink.frame(&self.out)
    }
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
