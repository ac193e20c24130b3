//! The palette: commands that work now, found by typing.

use super::painter::{Painter, field_style};
use crate::tui::commands::{self, Command};
use crate::tui::field::Field;
use crate::tui::keys;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::layout::{Position, Rect};

/// Commands that work on the screen below and match what is typed, the best first.
pub fn matches(typed: &str, model: &Model) -> Vec<&'static Command> {
    let commands = commands::available_below(model);
    if typed.trim().is_empty() {
        return commands;
    }
    let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, &Command)> = commands
        .into_iter()
        .filter_map(|command| {
            let words = model.word(command.say);
            pattern.score(Utf32Str::new(&words, &mut buffer), &mut matcher).map(|score| (score, command))
        })
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, command)| command).collect()
}

/// Paints it; returns the caret's cell.
pub fn draw(model: &Model, field: &Field, cursor: usize, body: Rect, painter: &mut Painter<'_>) -> Option<Position> {
    let width = body.width.min(60);
    let height = body.height.min(16);
    let area = Rect { x: body.x + (body.width - width) / 2, y: body.y, width, height };
    painter.clear(area);
    let inner = painter.framed(area, &model.word("do-palette"), Role::BorderFocus);
    if inner.height == 0 {
        return None;
    }
    let caret = field.draw(Rect { height: 1, ..inner }, painter.buf, field_style(&model.look));
    let list = Rect { y: inner.y + 1, height: inner.height - 1, ..inner };
    let found = matches(&field.text(), model);
    let page = usize::from(list.height);
    let top = cursor.saturating_sub(page.saturating_sub(1));
    for (row, command) in found.iter().enumerate().skip(top).take(page) {
        let y = list.y + u16::try_from(row - top).unwrap_or(0);
        let here = row == cursor;
        let mark = if here { model.look.glyphs.selected } else { " " };
        let key = command.keys.first().map(|key| keys::shown(key)).unwrap_or_default();
        let role = if here { Role::Selected } else { Role::Text };
        let room = usize::from(list.width).saturating_sub(wrap::width(&key) + 2);
        let words = wrap::pad(&wrap::cut(&format!("{mark}{}", model.word(command.say)), room, model.look.glyphs.ellipsis), room);
        painter.spans(list.x, y, list.width, &[(words, role), (format!(" {key}"), if here { role } else { Role::Key })]);
    }
    if found.is_empty() {
        painter.put(list.x, list.y, list.width, &model.word("palette-empty"), Role::Dim);
    }
    caret
}
