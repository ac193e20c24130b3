//! A field: the text area for answers, merges, reasons and filters.
//!
//! The text, its edits and its history are the text area's of the library; clusters, composition, wrapping and the caret's
//! cell are ours. The text is always as [`typed`] leaves it: composed, LF only, nothing invisible.

use super::field_rows::{byte_at, column_of, columns, row_of, rows, shown};
use super::typed::{TAB, composed, typed};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use std::cell::Cell;
use std::ops::Range;
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Keys this close together, in milliseconds, were not typed by hand.
const BURST_MS: u64 = 8;
/// Characters that make such keys a paste without brackets.
const BURST_CHARS: u32 = 3;
/// Edits that can be undone.
const HISTORY: usize = 10_000;

/// How many lines a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Any number.
    Many,
    /// One: line ends become spaces.
    One,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldEvent {
    /// The text changed.
    Changed,
    /// The field took the key, the text is the same.
    Moved,
    /// Enter: the person is done.
    Submit,
    /// Not a key of the field.
    Ignored,
}

/// The styles of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldStyle {
    /// Text.
    pub text: Style,
    /// Marks that stand for hidden characters.
    pub mark: Style,
}

/// Keys that come faster than hands: a paste on a terminal that does not bracket it.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    /// When the last key came, in milliseconds.
    last: Option<u64>,
    /// Characters so far.
    chars: u32,
    /// Whether the last key was a carriage return that became a line end: a line feed after it is the same end.
    after_return: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    area: TextArea<'static>,
    lines: Lines,
    /// Edits of the library that are undone at once, latest last.
    undo: Vec<usize>,
    /// The same, undone and to be done again.
    redo: Vec<usize>,
    /// The last edit was a typed character; whether it was a space.
    run: Option<bool>,
    burst: Burst,
    /// The column that moves up and down aim at.
    goal: Option<u16>,
    /// Columns and rows of the last drawing.
    size: Cell<(u16, u16)>,
    /// The first row drawn: its line, and its row in that line.
    top: Cell<(usize, usize)>,
}

impl Field {
    /// A field with a text in it, the caret behind it.
    pub fn new(text: &str, lines: Lines) -> Field {
        let text = fitted(typed(text, None), lines);
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_max_histories(HISTORY);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Field {
            area,
            lines,
            undo: Vec::new(),
            redo: Vec::new(),
            run: None,
            burst: Burst::default(),
            goal: None,
            size: Cell::new((u16::MAX, 1)),
            top: Cell::new((0, 0)),
        }
    }

    /// The text, in NFC, its lines joined by LF.
    pub fn text(&self) -> String {
        composed(self.area.lines().join("\n"))
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Puts in pasted text at once: one undo takes it out again.
    pub fn paste(&mut self, text: &str) -> FieldEvent {
        self.burst = Burst::default();
        self.run = None;
        let text = if self.lines == Lines::One { text.trim_end_matches(['\r', '\n']) } else { text };
        self.insert(text, false)
    }

    /// Answers a key that came at a time in milliseconds. A release of a key is nothing.
    pub fn key(&mut self, key: KeyEvent, now_ms: u64) -> FieldEvent {
        if key.kind == KeyEventKind::Release {
            return FieldEvent::Ignored;
        }
        let fast = self.burst.last.is_some_and(|last| now_ms.saturating_sub(last) <= BURST_MS);
        if !fast {
            self.burst = Burst::default();
        }
        self.burst.last = Some(now_ms);
        let pasting = self.burst.chars >= BURST_CHARS;
        let after_return = std::mem::take(&mut self.burst.after_return);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match (key.code, control, alt) {
            (KeyCode::Char(c), false, false) => {
                self.burst.chars += 1;
                self.insert(c.encode_utf8(&mut [0; 4]), true)
            }
            (KeyCode::Tab, false, false) if pasting => self.insert(TAB, true),
            (KeyCode::Enter, false, false) if pasting && !key.modifiers.contains(KeyModifiers::SHIFT) => {
                self.burst.after_return = true;
                self.newline()
            }
            (KeyCode::Enter, false, false) if key.modifiers.contains(KeyModifiers::SHIFT) => self.newline(),
            (KeyCode::Enter, false, false) => FieldEvent::Submit,
            (KeyCode::Char('j'), true, false) if after_return => FieldEvent::Moved,
            (KeyCode::Enter, ..) | (KeyCode::Char('j'), true, false) => self.newline(),
            (KeyCode::Backspace, true, _) | (KeyCode::Backspace, _, true) | (KeyCode::Char('h'), true, true) => {
                self.edit(Field::delete_word)
            }
            (KeyCode::Backspace, ..) | (KeyCode::Char('h'), true, false) => self.edit(Field::delete_back),
            (KeyCode::Char('w'), true, false) => self.edit(Field::delete_word),
            (KeyCode::Delete, false, false) => self.edit(Field::delete_on),
            (KeyCode::Char('u'), true, false) => self.edit(Field::delete_to_start),
            (KeyCode::Char('k'), true, false) => self.edit(Field::delete_to_end),
            // Ctrl-_ arrives as Ctrl-7, the older name of the same byte.
            (KeyCode::Char('_' | '7' | '/'), true, false) | (KeyCode::Char('u'), false, true) => self.take_back(),
            (KeyCode::Char('y'), true, false) => self.do_again(),
            _ => self.motion(key.code, control, alt),
        }
    }

    /// Answers a key that only moves the caret.
    fn motion(&mut self, code: KeyCode, control: bool, alt: bool) -> FieldEvent {
        let page = i64::from(self.size.get().1.max(1));
        match (code, control, alt) {
            (KeyCode::Up, false, false) if self.lines == Lines::Many => self.vertical(-1),
            (KeyCode::Down, false, false) if self.lines == Lines::Many => self.vertical(1),
            (KeyCode::PageUp, false, false) if self.lines == Lines::Many => self.vertical(-page),
            (KeyCode::PageDown, false, false) if self.lines == Lines::Many => self.vertical(page),
            (KeyCode::Left, false, false) => self.horizontal(Field::back),
            (KeyCode::Right, false, false) => self.horizontal(Field::on),
            (KeyCode::Left, ..) | (KeyCode::Char('b'), false, true) => self.horizontal(Field::word_back),
            (KeyCode::Right, ..) | (KeyCode::Char('f'), false, true) => {
                self.horizontal(|field| field.area.move_cursor(CursorMove::WordForward))
            }
            (KeyCode::Home, true, _) => self.horizontal(|field| {
                field.area.move_cursor(CursorMove::Top);
                field.area.move_cursor(CursorMove::Head);
            }),
            (KeyCode::End, true, _) => self.horizontal(|field| {
                field.area.move_cursor(CursorMove::Bottom);
                field.area.move_cursor(CursorMove::End);
            }),
            (KeyCode::Home, ..) | (KeyCode::Char('a'), true, false) => {
                self.horizontal(|field| field.area.move_cursor(CursorMove::Head))
            }
            (KeyCode::End, ..) | (KeyCode::Char('e'), true, false) => {
                self.horizontal(|field| field.area.move_cursor(CursorMove::End))
            }
            _ => FieldEvent::Ignored,
        }
    }

    // Places: the library counts characters, clusters and drawing count bytes.

    /// The caret: its line, and its byte in that line.
    fn caret(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        let line = &self.area.lines()[cursor.0];
        (cursor.0, line.char_indices().nth(cursor.1).map_or(line.len(), |(byte, _)| byte))
    }

    /// The cluster before the caret in its line.
    fn cluster_before(&self) -> Option<&str> {
        let (line, byte) = self.caret();
        self.area.lines()[line][..byte].graphemes(true).next_back()
    }

    /// The cluster at the caret.
    fn cluster_at(&self) -> Option<&str> {
        let (line, byte) = self.caret();
        self.area.lines()[line][byte..].graphemes(true).next()
    }

    /// Puts the caret before a character of a line. Tells whether it stands there: the library jumps no further than
    /// 65,535, and its single steps pass over characters without a column.
    fn place(&mut self, line: usize, column: usize) -> bool {
        if let (Ok(line), Ok(column)) = (u16::try_from(line), u16::try_from(column)) {
            self.area.move_cursor(CursorMove::Jump(line, column));
        } else {
            self.step(line, |cursor| cursor.0, CursorMove::Up, CursorMove::Down);
            self.step(column, |cursor| cursor.1, CursorMove::Back, CursorMove::Forward);
        }
        self.area.cursor() == (line, column)
    }

    /// Steps towards a target while each step comes nearer.
    fn step(&mut self, target: usize, part: fn((usize, usize)) -> usize, less: CursorMove, more: CursorMove) {
        let at = |field: &Field| part((field.area.cursor().0, field.area.cursor().1));
        let mut left = at(self).abs_diff(target);
        while left > 0 {
            self.area.move_cursor(if at(self) > target { less } else { more });
            let now = at(self).abs_diff(target);
            if now >= left {
                return;
            }
            left = now;
        }
    }

    /// Puts the caret at a byte of a line.
    fn place_byte(&mut self, line: usize, byte: usize) -> bool {
        let column = self.area.lines()[line][..byte].chars().count();
        self.place(line, column)
    }

    /// Moves a caret inside a cluster to its start: joined lines may have made one of two.
    fn settle(&mut self) {
        let (line, byte) = self.caret();
        let text = &self.area.lines()[line];
        let mut cursor = GraphemeCursor::new(byte, text.len(), true);
        if !matches!(cursor.is_boundary(text, 0), Ok(false)) {
            return;
        }
        if let Ok(Some(start)) = cursor.prev_boundary(text, 0) {
            self.place_byte(line, start);
        }
    }

    // Moves.

    fn horizontal(&mut self, go: impl FnOnce(&mut Field)) -> FieldEvent {
        self.run = None;
        self.goal = None;
        go(self);
        self.settle();
        FieldEvent::Moved
    }

    fn back(&mut self) {
        let (line, byte) = self.caret();
        if let Some(size) = self.cluster_before().map(str::len) {
            self.place_byte(line, byte - size);
        } else if line > 0 {
            self.place_byte(line - 1, self.area.lines()[line - 1].len());
        }
    }

    fn on(&mut self) {
        let (line, byte) = self.caret();
        if let Some(size) = self.cluster_at().map(str::len) {
            self.place_byte(line, byte + size);
        } else if line + 1 < self.area.lines().len() {
            self.place(line + 1, 0);
        }
    }

    fn word_back(&mut self) {
        let before = self.area.cursor();
        self.area.move_cursor(CursorMove::WordBack);
        // With only spaces before it the library goes on to the line above.
        if before.1 > 0 && self.area.cursor().0 != before.0 {
            self.place(before.0, 0);
        }
        self.settle();
    }

    /// Moves by rows as they are drawn, and keeps the column.
    fn vertical(&mut self, by: i64) -> FieldEvent {
        self.run = None;
        let width = self.size.get().0;
        let (mut line, byte) = self.caret();
        let text = &self.area.lines()[line];
        let mut own = rows(text, width);
        let mut row = row_of(&own, byte);
        let goal = self.goal.unwrap_or_else(|| column_of(text, &own[row], byte, width));
        for _ in 0..by.unsigned_abs() {
            if by < 0 && row > 0 {
                row -= 1;
            } else if by < 0 && line > 0 {
                line -= 1;
                own = rows(&self.area.lines()[line], width);
                row = own.len() - 1;
            } else if by > 0 && row + 1 < own.len() {
                row += 1;
            } else if by > 0 && line + 1 < self.area.lines().len() {
                line += 1;
                own = rows(&self.area.lines()[line], width);
                row = 0;
            } else {
                break;
            }
        }
        let byte = byte_at(&self.area.lines()[line], &own[row], goal, width, row + 1 == own.len());
        self.place_byte(line, byte);
        self.goal = Some(goal);
        FieldEvent::Moved
    }

    // Edits. Each says how many edits of the library it took; those are undone together.

    fn edit(&mut self, change: impl FnOnce(&mut Field) -> usize) -> FieldEvent {
        let count = change(self);
        self.run = None;
        self.done(count, false)
    }

    fn done(&mut self, count: usize, with_last: bool) -> FieldEvent {
        self.goal = None;
        self.settle();
        if count == 0 {
            return FieldEvent::Moved;
        }
        self.redo.clear();
        match self.undo.last_mut() {
            Some(last) if with_last => *last += count,
            _ => self.undo.push(count),
        }
        FieldEvent::Changed
    }

    /// Puts text in at the caret, composed with the cluster before it. Typed characters are undone by words.
    fn insert(&mut self, text: &str, by_hand: bool) -> FieldEvent {
        let before = self.cluster_before().unwrap_or_default().to_owned();
        let text = fitted(typed(text, before.chars().next_back()), self.lines);
        if text.is_empty() {
            return FieldEvent::Moved;
        }
        let space = text.chars().all(char::is_whitespace);
        let with_last = by_hand && self.run.is_some_and(|after_space| space || !after_space);
        let whole = composed(format!("{before}{text}"));
        let count = match whole.strip_prefix(before.as_str()) {
            Some(rest) => usize::from(self.area.insert_str(rest)),
            None => match self.delete_before(before.chars().count()) {
                0 => 0,
                count => count + usize::from(self.area.insert_str(&whole)),
            },
        };
        self.run = by_hand.then_some(space);
        self.done(count, with_last)
    }

    fn newline(&mut self) -> FieldEvent {
        self.run = None;
        if self.lines == Lines::One { FieldEvent::Moved } else { self.insert("\n", false) }
    }

    /// Deletes characters of this line before the caret.
    fn delete_before(&mut self, chars: usize) -> usize {
        let cursor = self.area.cursor();
        usize::from(chars > 0 && self.place(cursor.0, cursor.1 - chars) && self.area.delete_str(chars))
    }

    fn delete_back(&mut self) -> usize {
        match self.cluster_before().map(|cluster| cluster.chars().count()) {
            Some(chars) => self.delete_before(chars),
            None => usize::from(self.area.delete_newline()),
        }
    }

    fn delete_on(&mut self) -> usize {
        let below = self.area.cursor().0 + 1 < self.area.lines().len();
        let chars = self.cluster_at().map_or(usize::from(below), |cluster| cluster.chars().count());
        usize::from(chars > 0 && self.area.delete_str(chars))
    }

    fn delete_word(&mut self) -> usize {
        let end = self.area.cursor();
        if end.1 == 0 {
            return self.delete_back();
        }
        self.word_back();
        let start = self.area.cursor();
        usize::from(start.0 == end.0 && start.1 < end.1 && self.area.delete_str(end.1 - start.1))
    }

    fn delete_to_start(&mut self) -> usize {
        self.delete_before(self.area.cursor().1)
    }

    fn delete_to_end(&mut self) -> usize {
        let (line, byte) = self.caret();
        match self.area.lines()[line][byte..].chars().count() {
            0 => self.delete_on(),
            chars => usize::from(self.area.delete_str(chars)),
        }
    }

    fn take_back(&mut self) -> FieldEvent {
        self.travel(|field| &mut field.undo, |field| &mut field.redo, TextArea::undo)
    }

    fn do_again(&mut self) -> FieldEvent {
        self.travel(|field| &mut field.redo, |field| &mut field.undo, TextArea::redo)
    }

    fn travel(
        &mut self,
        from: fn(&mut Field) -> &mut Vec<usize>,
        to: fn(&mut Field) -> &mut Vec<usize>,
        go: fn(&mut TextArea<'static>) -> bool,
    ) -> FieldEvent {
        self.run = None;
        self.goal = None;
        let Some(count) = from(self).pop() else { return FieldEvent::Moved };
        let gone = (0..count).filter(|_| go(&mut self.area)).count();
        self.settle();
        // The library has forgotten what lies further back than its history.
        if gone == 0 {
            return FieldEvent::Moved;
        }
        to(self).push(gone);
        FieldEvent::Changed
    }

    // Drawing.

    /// Draws the field and says at which cell its caret stands; `None` where there is no room. Long lines are wrapped, with
    /// the last column left to a caret behind a full row; the caret's row is always among those drawn.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, style: FieldStyle) -> Option<Position> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let width = (area.width - 1).max(1);
        self.size.set((width, area.height));
        let (caret_line, caret_byte) = self.caret();
        let drawn = self.visible(width, area.height, (caret_line, caret_byte));
        let mut caret = None;
        for y in area.rows() {
            for x in y.columns() {
                buf[x.as_position()].reset();
            }
        }
        buf.set_style(area, style.text);
        for (y, (line, row)) in (area.y..).zip(&drawn) {
            let text = &self.area.lines()[*line];
            let mut x = area.x;
            for cluster in text[row.clone()].graphemes(true) {
                if x >= area.right() {
                    break;
                }
                let (seen, _) = shown(cluster);
                let look = if seen == cluster { style.text } else { style.mark };
                buf.set_stringn(x, y, &seen, usize::from(area.right() - x), look);
                x = x.saturating_add(columns(cluster, width));
            }
            if *line == caret_line && row.start <= caret_byte && caret_byte <= row.end {
                let x = area.x.saturating_add(column_of(text, row, caret_byte, width)).min(area.right() - 1);
                caret = Some(Position { x, y });
            }
        }
        caret
    }

    /// The rows to draw: those of the last drawing as far as the caret allows, and no blank ones while text is hidden above.
    fn visible(&self, width: u16, height: u16, caret: (usize, usize)) -> Vec<(usize, Range<usize>)> {
        let lines = self.area.lines();
        let height = usize::from(height);
        let caret = (caret.0, row_of(&rows(&lines[caret.0], width), caret.1));
        let mut top = self.top.get().min(caret);
        top.1 = top.1.min(rows(&lines[top.0], width).len() - 1);
        let mut drawn = self.rows_from(top, width, height);
        if !drawn.iter().any(|(place, _)| *place == caret) {
            top = self.rows_above(caret, width, height - 1);
            drawn = self.rows_from(top, width, height);
        }
        if drawn.len() < height && top != (0, 0) {
            top = self.rows_above(top, width, height - drawn.len());
            drawn = self.rows_from(top, width, height);
        }
        self.top.set(top);
        drawn.into_iter().map(|((line, _), row)| (line, row)).collect()
    }

    /// At most `count` rows from a place on.
    fn rows_from(&self, top: (usize, usize), width: u16, count: usize) -> Vec<((usize, usize), Range<usize>)> {
        let mut found = Vec::with_capacity(count);
        for (line, text) in self.area.lines().iter().enumerate().skip(top.0) {
            let skip = if line == top.0 { top.1 } else { 0 };
            let own = rows(text, width).into_iter().enumerate().skip(skip);
            found.extend(own.take(count - found.len()).map(|(row, range)| ((line, row), range)));
            if found.len() == count {
                break;
            }
        }
        found
    }

    /// The place at most `count` rows above another.
    fn rows_above(&self, mut place: (usize, usize), width: u16, mut count: usize) -> (usize, usize) {
        loop {
            if place.1 >= count {
                return (place.0, place.1 - count);
            }
            count -= place.1;
            if place.0 == 0 {
                return (0, 0);
            }
            place.0 -= 1;
            place.1 = rows(&self.area.lines()[place.0], width).len();
        }
    }
}

/// The text as a field of so many lines holds it.
fn fitted(text: String, lines: Lines) -> String {
    if lines == Lines::One { text.replace('\n', " ") } else { text }
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
