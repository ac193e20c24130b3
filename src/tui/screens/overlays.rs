//! Help, the log, and the questions before something that cannot be taken back.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use crate::tui::commands::{COMMANDS, Place};
use crate::tui::keys;
use crate::tui::model::{Layer, Level, Model};
use crate::tui::theme::Role;
use crate::tui::update::why_not;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Paints what lies over the screen.
pub fn draw(model: &Model, layer: &Layer, body: Rect, painter: &mut Painter<'_>) -> Drawn {
    match layer {
        Layer::Help(top) => {
            reading(model, "do-help", help(model, usize::from(body.width.saturating_sub(4))), *top, body, painter)
        }
        Layer::Log(top) => reading(model, "do-log", log(model, usize::from(body.width.saturating_sub(4))), *top, body, painter),
        Layer::Leave => match model.written_before() {
            Some(path) => ask(model, "ask-leave-unwritten", &[("path", path.into())], body, painter),
            None => ask(model, "ask-leave", &[], body, painter),
        },
        Layer::Hole(step) => {
            let label = model.agent_name(step);
            ask(model, "ask-hole", &[("step", label.into())], body, painter)
        }
        Layer::Sending(sending) => super::sending::draw(model, sending, body, painter),
        Layer::Entry(_) | Layer::Palette(..) => Drawn::default(),
    }
}

fn reading(model: &Model, title: &str, lines: Vec<Spans>, top: usize, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    painter.clear(area);
    let inner = painter.framed(area, &model.word(title), Role::BorderFocus);
    let page = usize::from(inner.height);
    let top = top.min(lines.len().saturating_sub(page));
    painter.lines(inner, &lines[top..]);
    painter.scroll_mark(inner, top, lines.len());
    Drawn { caret: None, page, lines: lines.len() }
}

/// The keys of the screen below and those that work everywhere; what cannot act now is dim.
fn help(model: &Model, width: usize) -> Vec<Spans> {
    let mut lines = Vec::new();
    let mut places = model.screen_places();
    if model.layers.iter().any(|layer| matches!(layer, Layer::Sending(_))) {
        places.insert(0, Place::Sending);
    }
    places.push(Place::Entry);
    for place in places {
        lines.push(vec![span(model.word(place.say()), Role::Title)]);
        for command in COMMANDS.iter().filter(|command| command.place == place) {
            let keys: Vec<String> = command.keys.iter().map(|key| keys::shown(key)).collect();
            let why = why_not(command.action, place, model).filter(|_| place != Place::Entry);
            // A conflict of two has no third option; its key is no news.
            if why == Some("why-no-option") {
                continue;
            }
            let works = why.is_none();
            let (key_role, role) = if works { (Role::Key, Role::Text) } else { (Role::Dim, Role::Dim) };
            let keys = wrap::pad(&wrap::cut(&keys.join(" "), 16, model.look.glyphs.ellipsis), 18);
            let mut what = model.word(command.say);
            if let Some(why) = why {
                what = format!("{what} ({})", model.word(why));
            }
            for (index, line) in wrap::wrap(&what, width.saturating_sub(20).max(10)).into_iter().enumerate() {
                let keys = if index == 0 { keys.clone() } else { " ".repeat(18) };
                lines.push(vec![span(keys, key_role), span(line, role)]);
            }
        }
        lines.push(Vec::new());
    }
    lines
}

fn log(model: &Model, width: usize) -> Vec<Spans> {
    let mut lines = Vec::new();
    for message in &model.log {
        let role = match message.level {
            Level::Error => Role::Error,
            Level::Done => Role::Done,
            Level::Hint => Role::Text,
        };
        lines.extend(wrapped(&message.text, width.max(1), role));
    }
    if lines.is_empty() {
        lines.push(vec![span(model.word("log-empty"), Role::Dim)]);
    }
    lines
}

fn ask(model: &Model, id: &str, args: &[(&str, crate::text::Value<'_>)], body: Rect, painter: &mut Painter<'_>) -> Drawn {
    let width = body.width.min(64);
    let lines = wrapped(&model.say(id, args), usize::from(width.saturating_sub(4)).max(1), Role::Text);
    let height = (u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2)).min(body.height);
    let area = Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height };
    painter.clear(area);
    let inner = painter.framed(area, "", Role::BorderFocus);
    painter.lines(Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner }, &lines);
    Drawn::default()
}
