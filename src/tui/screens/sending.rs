//! Before anything is sent: where the document goes and what the run will take, for the person to confirm.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use crate::model::estimate::Span;
use crate::tui::commands::{Action, COMMANDS, Place};
use crate::tui::keys;
use crate::tui::model::Model;
use crate::tui::money::{grouped, money};
use crate::tui::sending::Sending;
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns at most: longer lines are hard to read.
const WIDEST: u16 = 100;

/// Paints it over the body.
pub fn draw(model: &Model, sending: &Sending, body: Rect, painter: &mut Painter<'_>) -> Drawn {
    let width = body.width.min(WIDEST);
    let lines = lines(model, sending, usize::from(width.saturating_sub(4)).max(1));
    let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2);
    let height = wanted.min(body.height);
    let area = Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height };
    painter.clear(area);
    let inner = painter.framed(area, &model.word("sending-title"), Role::BorderFocus);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
    let page = usize::from(inner.height);
    let top = sending.top.min(lines.len().saturating_sub(page));
    painter.lines(inner, &lines[top..]);
    painter.scroll_mark(inner, top, lines.len());
    let below = lines.len().saturating_sub(top + page);
    if below > 0 {
        let text = format!(" {} {} ", painter.look.glyphs.down, model.say("sending-more", &[("count", below.into())]));
        let columns = u16::try_from(wrap::width(&text)).unwrap_or(u16::MAX);
        if columns.saturating_add(4) <= area.width {
            painter.put(area.right() - 2 - columns, area.bottom() - 1, columns, &text, Role::NeedsYou);
        }
    }
    Drawn { caret: None, page, lines: lines.len() }
}

/// The whole of it, wrapped: where it goes comes first.
fn lines(model: &Model, sending: &Sending, width: usize) -> Vec<Spans> {
    let estimate = &sending.estimate;
    let mut lines: Vec<Spans> = Vec::new();
    let mut say = |text: String, role: Role| lines.extend(wrapped(&text, width, role));
    let file = [("file", sending.file.as_str().into())];
    if estimate.destinations.is_empty() {
        say(model.say("sending-local", &file), Role::Title);
    } else {
        say(model.say("sending-file", &file), Role::Title);
    }
    for destination in &estimate.destinations {
        let models = destination.models.join(", ");
        let args = [("server", destination.server.as_str().into()), ("models", models.into())];
        say(format!("{} {}", model.look.glyphs.bullet, model.say("sending-models", &args)), Role::NeedsYou);
    }
    let span_of = |span: Span, shown: &dyn Fn(u64) -> String| match span {
        Span { least, most } if least == most => shown(most),
        Span { least, most } => model.say("sending-span", &[("least", shown(least).into()), ("most", shown(most).into())]),
    };
    let counted = |id: &str, span: Span| model.say(id, &[("span", span_of(span, &grouped).into())]);
    say(model.say("sending-agents", &[("count", u64::from(estimate.agents).into())]), Role::Text);
    let mut calls = counted("sending-calls", estimate.calls);
    if estimate.arbiter.most > 0 {
        calls = format!("{calls}{}{}", model.look.glyphs.separator, counted("sending-arbiter", estimate.arbiter));
    }
    say(calls, Role::Text);
    say(counted("sending-tokens-in", estimate.tokens_in), Role::Text);
    say(counted("sending-tokens-out", estimate.tokens_out), Role::Text);
    match estimate.cost_micros {
        Some(cost) => {
            let price = |micros: u64| money(micros, &estimate.currency);
            say(model.say("sending-cost", &[("span", span_of(cost, &price).into())]), Role::Text);
        }
        None => say(model.word("sending-cost-unknown"), Role::Warning),
    }
    for (one, other) in &sending.one_model {
        say(model.say("sending-one-model", &[("one", one.as_str().into()), ("other", other.as_str().into())]), Role::Warning);
    }
    for long in &estimate.too_long {
        let args = [
            ("step", model.agent_name(&long.step).into()),
            ("tokens", grouped(long.tokens).into()),
            ("agent", long.agent.as_str().into()),
            ("context", grouped(long.context).into()),
        ];
        say(model.say("sending-too-long", &args), Role::Warning);
    }
    let (send, leave) = (key_of(Action::Send), key_of(Action::Back));
    let ask = if sending.sent {
        model.word("sending-sent")
    } else {
        model.say("sending-ask", &[("send", send.into()), ("leave", leave.into())])
    };
    lines.push(vec![span("", Role::Text)]);
    lines.extend(wrapped(&ask, width, Role::Key));
    lines
}

/// The first key of a command here, as people read it.
fn key_of(action: Action) -> String {
    let command = COMMANDS.iter().find(|command| command.place == Place::Sending && command.action == action);
    command.and_then(|command| command.keys.first()).map(|key| keys::shown(key)).unwrap_or_default()
}
