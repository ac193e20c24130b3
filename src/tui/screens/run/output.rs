//! What one agent says, wrapped; the end is followed until somebody scrolls up.

use super::super::Drawn;
use super::super::painter::{Painter, Spans, span, wrapped};
use super::{lower, role};
use crate::model::view::{StepState, StepView};
use crate::tui::live::Output;
use crate::tui::model::{Model, Pane};
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Paints the pane.
pub fn draw(model: &Model, pane: &Pane, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let absent = StepView::default();
    let step = model.view().steps.get(&pane.step).unwrap_or(&absent);
    let inner = painter.framed(area, &title(model, &pane.step, step), Role::BorderFocus);
    let why = why(model, step, usize::from(inner.width));
    let most = inner.height.saturating_sub(1).min(3);
    let rows = u16::try_from(why.len()).unwrap_or(u16::MAX).min(most);
    painter.lines(Rect { height: rows, ..inner }, &why);
    let text = lower(inner, rows);
    let (width, page) = (usize::from(text.width), usize::from(text.height));
    let Some(output) = model.outputs.get(&pane.step).filter(|output| !output.is_blank() && width > 0) else {
        let silence = if Standing::of(step) == Standing::Running { "run-output-none-yet" } else { "run-output-none" };
        painter.lines(text, &wrapped(&model.word(silence), width.max(1), Role::Dim));
        return Drawn { caret: None, page, lines: 0 };
    };
    let lines = output.rows(width);
    let top = top(pane, output, lines.saturating_sub(page));
    let shown: Vec<Spans> = output.page(width, top, page).into_iter().map(|row| vec![span(row, Role::Text)]).collect();
    painter.lines(text, &shown);
    painter.scroll_mark(text, top, lines);
    let following = if pane.follow { model.word("run-follows") } else { new_rows(model, lines.saturating_sub(pane.seen)) };
    let note = format!(" {following} ");
    let note_width = u16::try_from(wrap::width(&note)).unwrap_or(u16::MAX);
    if note_width + 4 <= area.width {
        let role = if pane.follow { Role::Dim } else { Role::NeedsYou };
        painter.put(area.right() - 2 - note_width, area.bottom() - 1, note_width, &note, role);
    }
    Drawn { caret: None, page, lines }
}

fn top(pane: &Pane, output: &Output, bottom: usize) -> usize {
    let gone = output.dropped.saturating_sub(pane.dropped);
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

/// Why it has no answer, and what can be done.
fn why(model: &Model, step: &StepView, width: usize) -> Vec<Spans> {
    let text = match &step.state {
        StepState::Failed { reason, waits: true, .. } => model.say("run-needs-you", &[("reason", reason.clone().into())]),
        StepState::Failed { reason, .. } => {
            model.say("run-failed", &[("attempt", step.attempts.into()), ("reason", reason.clone().into())])
        }
        StepState::Hole { reason } | StepState::Held { reason } => reason.clone(),
        StepState::Done { covered: false, .. } => model.word("run-not-covered"),
        StepState::Done { findings, .. } => model.say("run-findings", &[("count", (*findings).into())]),
        StepState::Waiting | StepState::Running => return Vec::new(),
    };
    let standing = Standing::of(step);
    wrapped(&format!("{} {text}", rows::mark(standing, model.look.glyphs)), width.max(1), role(standing))
}
