//! The text area at the bottom of a screen: what the words are for, the field, and the caret.

use super::painter::{Painter, field_style};
use super::said;
use crate::tui::entry::{Entry, Purpose};
use crate::tui::field::Lines;
use crate::tui::model::{Layer, Model};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::{Position, Rect};

/// Rows of a screen's part below which the area goes without a frame.
const FRAMED_FROM: u16 = 12;
/// Rows that stay for what lies above the area.
const ABOVE: u16 = 3;

/// What is left of the body above the text area, and the area itself: as high as its text needs, up to half of the body.
pub fn split(model: &Model, body: Rect) -> (Rect, Rect) {
    let Some(Layer::Entry(entry)) = model.layers.last() else { return (body, Rect { height: 0, ..body }) };
    let framed = body.height >= FRAMED_FROM;
    let (extra, least) = match entry.purpose.lines() {
        _ if !framed => (1, 3),
        Lines::One => (2, 3),
        Lines::Many => (2, 6),
    };
    let width = usize::from(body.width.saturating_sub(if framed { 3 } else { 1 })).max(1);
    let text = entry.field.text();
    let rows = match entry.purpose.lines() {
        Lines::One => 1,
        // A long text takes all it can get; how many rows it has does not matter.
        Lines::Many if text.len() > usize::from(body.height) * width => usize::MAX,
        Lines::Many => wrap::rows(&text, width).len(),
    };
    // A whole answer is pasted into this one: it gets the room from the beginning.
    let (least, most) = match entry.purpose {
        Purpose::Bring(_) => (body.height.saturating_sub(ABOVE), body.height),
        _ => (least, (body.height / 2).max(least)),
    };
    let wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(extra).clamp(least, most.max(least));
    let height = wanted.min(body.height.saturating_sub(ABOVE)).max(2).min(body.height);
    let above = Rect { height: body.height - height, ..body };
    (above, Rect { y: body.y + above.height, height, ..body })
}

/// Paints the area; returns the caret's cell.
pub fn draw(model: &Model, entry: &Entry, area: Rect, painter: &mut Painter<'_>) -> Option<Position> {
    let title = title(model, entry);
    let inner = if area.height >= 3 && painter.buf.area.height >= FRAMED_FROM + 4 {
        painter.framed(area, &title, Role::BorderFocus)
    } else {
        painter.put(area.x, area.y, area.width, &format!("{} {title}", model.look.glyphs.selected), Role::Title);
        Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
    };
    entry.field.draw(inner, painter.buf, field_style(&model.look))
}

/// `Words to apply · F012 · your draft · begun with B · saving`: what for, about what, and where the words are.
fn title(model: &Model, entry: &Entry) -> String {
    let mut parts = vec![model.word(entry.purpose.say())];
    if entry.sent.is_some() {
        parts.push(model.word("entry-saving"));
    }
    let (id, words) = subject(model, &entry.purpose);
    parts.push(id);
    if entry.shows_draft() {
        parts.push(model.word("entry-draft"));
    } else if let Some(begun) = begun(model, entry) {
        parts.push(begun);
    }
    parts.push(words);
    parts.retain(|part| !part.is_empty());
    parts.join(model.look.glyphs.separator)
}

/// What the words are about: an id or a number, and a question's words.
fn subject(model: &Model, purpose: &Purpose) -> (String, String) {
    let finding = |key| model.finding(key).map(|finding| finding.id.clone()).unwrap_or_default();
    match purpose {
        Purpose::Words(key) | Purpose::Reason(key) => (finding(key), String::new()),
        Purpose::Defer(keys) | Purpose::Reject(keys) => match keys.as_slice() {
            [one] => (finding(one), String::new()),
            many => (model.say("entry-many", &[("count", many.len().into())]), String::new()),
        },
        Purpose::Answer(key) | Purpose::Owner(key) | Purpose::DeferQuestion(key) => match model.question(key) {
            Some((finding, question)) => (finding.id.clone(), said::asked(question).to_owned()),
            None => Default::default(),
        },
        Purpose::Bring(step) => (model.agent_name(step), model.word("entry-bring-how")),
        Purpose::Add | Purpose::Filter => Default::default(),
    }
}

/// Whose words the area began with, where Ctrl-T brings others.
fn begun(model: &Model, entry: &Entry) -> Option<String> {
    let Purpose::Words(key) = &entry.purpose else { return None };
    let at = entry.at_other()?;
    let finding = model.finding(key)?;
    Some(match finding.options.get(at) {
        Some(option) => model.say("entry-begun", &[("label", option.label.as_str().into())]),
        None if at == finding.options.len() => model.word("entry-begun-all"),
        None => model.word("entry-begun-own"),
    })
}
