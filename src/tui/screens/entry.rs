//! The text area at the bottom of a screen: what the words are for, the field, and the caret.

use super::painter::{Painter, field_style};
use crate::tui::entry::{Entry, Purpose};
use crate::tui::field::Lines;
use crate::tui::model::{Layer, Model};
use crate::tui::theme::Role;
use ratatui::layout::{Position, Rect};

/// What is left of the body above the text area, and the area itself.
pub fn split(model: &Model, body: Rect) -> (Rect, Rect) {
    let Some(Layer::Entry(entry)) = model.layers.last() else { return (body, Rect { height: 0, ..body }) };
    let wanted = match (entry.purpose.lines(), &entry.purpose) {
        (Lines::One, _) => 3,
        (Lines::Many, Purpose::Add) => 9,
        (Lines::Many, _) => (body.height / 2).clamp(5, 14),
    };
    let height = wanted.min(body.height.saturating_sub(3)).max(3).min(body.height);
    let above = Rect { height: body.height - height, ..body };
    (above, Rect { y: body.y + above.height, height, ..body })
}

/// Paints the area; returns the caret's cell.
pub fn draw(model: &Model, entry: &Entry, area: Rect, painter: &mut Painter<'_>) -> Option<Position> {
    let mut title = model.word(entry.purpose.say());
    if let Purpose::Defer(keys) | Purpose::Reject(keys) = &entry.purpose
        && keys.len() > 1
    {
        title = format!("{title} ({})", keys.len());
    }
    if entry.sent.is_some() {
        title = format!("{title} {} {}", model.look.glyphs.separator, model.word("entry-saving"));
    }
    let inner = painter.framed(area, &title, Role::BorderFocus);
    entry.field.draw(inner, painter.buf, field_style(&model.look))
}
