//! What one agent says, wrapped; the end is followed until somebody scrolls up.

use super::super::Drawn;
use super::super::models;
use super::super::painter::{Painter, Spans, span, wrapped};
use super::lower;
use crate::model::view::StepView;
use crate::tui::live::Output;
use crate::tui::model::{Model, Pane};
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// The reviewer that never says anything while it works.
const OFFLINE: &str = "offline";

/// Paints the pane: what stands above the text stays there where that leaves half of the rows for the text, else both scroll
/// as one.
pub fn draw(model: &Model, pane: &Pane, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    if pane.prompt.is_some() {
        return prompt(model, pane, area, painter);
    }
    let absent = StepView::default();
    let step = model.view().steps.get(&pane.step).unwrap_or(&absent);
    let inner = painter.framed(area, &title(model, &pane.step, step), Role::BorderFocus);
    let width = usize::from(inner.width);
    let head = models::head(model, step, width);
    let stays = head.len() <= usize::from(inner.height) / 2;
    let (above, head) = if stays { (head, Vec::new()) } else { (Vec::new(), head) };
    painter.lines(inner, &above);
    let body = lower(inner, u16::try_from(above.len()).unwrap_or(u16::MAX));
    let output = model.pane_text(pane).filter(|output| !output.is_blank() && width > 0);
    let Some(output) = output else {
        let silence = match (Standing::of(step) == Standing::Running, step.agent == OFFLINE) {
            (true, true) => "run-output-none-yet",
            (false, true) => "run-output-none",
            (true, false) => "output-nothing-yet",
            (false, false) => "output-nothing",
        };
        // Who was not asked had nothing to say.
        let held = Standing::of(step) == Standing::Held;
        let silence = if held { Vec::new() } else { wrapped(&model.word(silence), width.max(1), Role::Dim) };
        let lines: Vec<Spans> = head.into_iter().chain(silence).collect();
        let page = usize::from(body.height);
        let top = if pane.follow { 0 } else { pane.top.min(lines.len().saturating_sub(page)) };
        painter.lines(body, &lines[top..]);
        painter.scroll_mark(body, top, lines.len());
        return Drawn { caret: None, page, lines: lines.len() };
    };
    let drawn = text(pane, &head, output, body, painter);
    if pane.follow {
        note(&model.word("run-follows"), Role::Dim, area, painter);
    } else if rows::goes_on(step) && model.errand(&pane.step).is_none() {
        note(&new_rows(model, drawn.lines.saturating_sub(pane.seen)), Role::NeedsYou, area, painter);
    }
    drawn
}

/// Paints an agent's exact prompt.
fn prompt(model: &Model, pane: &Pane, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let title = model.say("prompt-title", &[("agent", model.agent_name(&pane.step).into())]);
    let inner = painter.framed(area, &title, Role::BorderFocus);
    note(&model.say("prompt-back", &[("key", "p".into())]), Role::Dim, area, painter);
    let Some(prompt) = model.pane_text(pane).filter(|prompt| !prompt.is_blank()) else {
        let id = if model.pane_text(pane).is_some() { "prompt-none" } else { "prompt-wait" };
        painter.lines(inner, &wrapped(&model.word(id), usize::from(inner.width).max(1), Role::Dim));
        return Drawn { caret: None, page: usize::from(inner.height), lines: 0 };
    };
    text(pane, &[], prompt, inner, painter)
}

/// Paints rows of `head` and then of the text, from where the pane stands.
fn text(pane: &Pane, head: &[Spans], output: &Output, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let (width, page) = (usize::from(area.width), usize::from(area.height));
    if width == 0 {
        return Drawn { caret: None, page, lines: 0 };
    }
    let lines = head.len() + output.rows(width);
    let top = top(pane, output, lines.saturating_sub(page));
    let mut shown: Vec<Spans> = head.iter().skip(top).take(page).cloned().collect();
    let rest = output.page(width, top.saturating_sub(head.len()), page - shown.len());
    shown.extend(rest.into_iter().map(|row| vec![span(row, Role::Text)]));
    painter.lines(area, &shown);
    painter.scroll_mark(area, top, lines);
    Drawn { caret: None, page, lines }
}

/// A word on the frame's lower edge, where it has room.
fn note(text: &str, role: Role, area: Rect, painter: &mut Painter<'_>) {
    let text = format!(" {text} ");
    let width = u16::try_from(wrap::width(&text)).unwrap_or(u16::MAX);
    if width.saturating_add(4) <= area.width && area.height > 1 {
        painter.put(area.right() - 2 - width, area.bottom() - 1, width, &text, role);
    }
}

fn top(pane: &Pane, output: &Output, bottom: usize) -> usize {
    let gone = if pane.prompt.is_some() { 0 } else { output.dropped.saturating_sub(pane.dropped) };
    if pane.follow { bottom } else { pane.top.saturating_sub(gone).min(bottom) }
}

/// `↓ 12 new, f follows`
fn new_rows(model: &Model, new: usize) -> String {
    let stands = model.say("run-follow-off", &[("key", "f".into())]);
    if new == 0 {
        return stands;
    }
    format!(
        "{} {}{}{stands}",
        model.look.glyphs.down,
        model.say("run-new", &[("count", new.into())]),
        model.look.glyphs.separator
    )
}

/// `DEV UC-01..UC-02 · done · attempt 2 · 00:12 · 1840 tokens in, 412 out`
fn title(model: &Model, key: &str, step: &StepView) -> String {
    let mut parts = vec![model.agent_name(key), model.word(Standing::of(step).say())];
    if step.attempts > 0 {
        parts.push(model.say("run-attempt", &[("attempt", step.attempts.into())]));
    }
    parts.extend(rows::elapsed(step, model.now.wall).map(rows::clock));
    if step.usage.tokens() > 0 {
        let args = [("in", rows::short(step.usage.tokens_in).into()), ("out", rows::short(step.usage.tokens_out).into())];
        parts.push(model.say("run-tokens-both", &args));
    }
    parts.join(model.look.glyphs.separator)
}
