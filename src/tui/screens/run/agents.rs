//! The agents, a row each: mark, state, name, elapsed, tokens, and what it says.

use super::super::Drawn;
use super::super::models;
use super::super::painter::{Painter, Spans, span};
use super::role;
use crate::model::view::{StepState, StepView};
use crate::tui::model::Model;
use crate::tui::rows::{self, FOLD, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns from which elapsed times have a place.
const ELAPSED_FROM: usize = 46;
/// Columns from which tokens have one.
const TOKENS_FROM: usize = 64;
/// Columns from which prices have one.
const COST_FROM: usize = 90;

/// Widths of the columns, the same for all rows.
struct Columns {
    state: usize,
    name: usize,
    elapsed: usize,
    tokens: usize,
    cost: usize,
}

impl Columns {
    fn of(model: &Model, keys: &[String], width: usize) -> Columns {
        let steps = || keys.iter().filter_map(|key| model.view().steps.get(key).map(|step| (key, step)));
        let words = steps().map(|(_, step)| wrap::width(&model.word(Standing::of(step).say()))).max().unwrap_or(0);
        let names = steps().map(|(key, _)| wrap::width(&model.agent_name(key))).max().unwrap_or(0);
        let any_tokens = steps().any(|(_, step)| tokens(step) > 0);
        let costs =
            steps().filter_map(|(_, step)| step.usage.cost_micros).map(|micros| wrap::width(&models::price(model, micros)));
        let costs = costs.max().unwrap_or(0);
        let longest = steps().filter_map(|(_, step)| rows::elapsed(step, model.now.wall)).max().unwrap_or(0);
        Columns {
            state: words,
            name: names.min((width / 3).max(20)),
            elapsed: if width >= ELAPSED_FROM { wrap::width(&rows::clock(longest)) } else { 0 },
            tokens: if width >= TOKENS_FROM && any_tokens { 4 + wrap::width(&said_tokens(model, "")) } else { 0 },
            cost: if width >= COST_FROM { costs } else { 0 },
        }
    }
}

/// Paints the rows.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let keys = model.agents();
    let page = usize::from(area.height);
    let at = model.run.cursor.as_ref().and_then(|cursor| keys.iter().position(|key| key == cursor));
    let top = rows::top(model.run.top, at, page, keys.len());
    let scrolls = keys.len() > page && area.width > 1;
    let row = Rect { width: area.width - u16::from(scrolls), ..area };
    let columns = Columns::of(model, &keys[top.min(keys.len())..keys.len().min(top + page)], usize::from(row.width));
    let shown = keys.iter().enumerate().skip(top).take(page);
    for ((index, key), y) in shown.zip(area.top()..area.bottom()) {
        let here = at == Some(index);
        let line = if key == FOLD { fold(model, &keys, here) } else { agent(model, key, here, &columns) };
        painter.spans(row.x, y, row.width, &line);
        if here {
            painter.tint(Rect { y, height: 1, ..row }, Role::Selected);
        }
    }
    painter.scroll_mark(area, top, keys.len());
    Drawn { caret: None, page, lines: keys.len() }
}

/// `✓ 9 done · z shows them`
fn fold(model: &Model, keys: &[String], here: bool) -> Spans {
    let glyphs = model.look.glyphs;
    let is_done = |step: &StepView| Standing::of(step) == Standing::Done;
    let steps = model.view().steps.iter().filter(|(key, step)| rows::is_agent(key) && is_done(step));
    // Rows that are held stay where they are, although they are done: they are not behind this line.
    let count = steps.filter(|(key, _)| model.run.unfolded || !keys.contains(key)).count();
    let text = model.say("run-folded", &[("count", count.into())]);
    let mark = if here { glyphs.selected } else { " " };
    let key = if model.run.unfolded { "run-fold-hides" } else { "run-fold-shows" };
    let key = format!("{}{}", glyphs.separator, model.say(key, &[("key", "z".into())]));
    vec![span(format!("{mark}{} {text}", glyphs.done), Role::Done), span(key, Role::Dim)]
}

fn tokens(step: &StepView) -> u64 {
    step.usage.tokens()
}

fn said_tokens(model: &Model, count: &str) -> String {
    model.say("run-tokens", &[("count", count.into())])
}

fn agent(model: &Model, key: &str, here: bool, columns: &Columns) -> Spans {
    let Some(step) = model.view().steps.get(key) else { return Vec::new() };
    let ellipsis = model.look.glyphs.ellipsis;
    let standing = Standing::of(step);
    let mark = if here { model.look.glyphs.selected } else { " " };
    let word = wrap::pad(&model.word(standing.say()), columns.state);
    let name = wrap::cut_middle(&model.agent_name(key), columns.name, ellipsis).into_owned();
    let mut line = vec![
        span(format!("{mark}{} {word}", rows::mark(standing, model.look.glyphs)), role(standing)),
        span(format!(" {}", wrap::pad(&name, columns.name)), Role::Text),
    ];
    if columns.elapsed > 0 {
        let clock = rows::elapsed(step, model.now.wall).map(rows::clock).unwrap_or_default();
        line.push(span(format!(" {}", wrap::pad_left(&clock, columns.elapsed)), Role::Dim));
    }
    if columns.tokens > 0 {
        let text = if tokens(step) > 0 { said_tokens(model, &rows::short(tokens(step))) } else { String::new() };
        line.push(span(format!(" {}", wrap::pad_left(&text, columns.tokens)), Role::Dim));
    }
    if columns.cost > 0 {
        let text = step.usage.cost_micros.map(|micros| models::price(model, micros)).unwrap_or_default();
        line.push(span(format!(" {}", wrap::pad_left(&text, columns.cost)), Role::Dim));
    }
    let (said, said_role) = said(model, key, step, standing);
    line.push(span(format!("  {said}"), said_role));
    line
}

/// What stands at a row's end: why it needs somebody, else what the agent said last.
fn said(model: &Model, key: &str, step: &StepView, standing: Standing) -> (String, Role) {
    let output = model.outputs.get(key).filter(|output| output.attempt == step.attempts);
    let sep = model.look.glyphs.separator;
    // What happened comes first: a row may have room for no more.
    let named = |text: String| match models::fault_name(model, step) {
        Some(name) => format!("{name}{sep}{text}"),
        None => text,
    };
    match &step.state {
        StepState::Failed { reason, waits: true, .. } => {
            (named(model.say("run-needs-you", &[("reason", reason.clone().into())])), Role::NeedsYou)
        }
        StepState::Failed { reason, .. } => {
            let args = [("attempt", step.attempts.into()), ("reason", reason.clone().into())];
            (named(model.say("run-failed", &args)), role(standing))
        }
        StepState::Hole { reason } => (reason.clone(), Role::Dim),
        StepState::Held { reason } => (format!("{reason}{sep}{}", model.word("held-row")), role(standing)),
        StepState::Waiting if step.wave > 1 => (model.say("run-wave", &[("wave", step.wave.into())]), Role::Dim),
        StepState::Waiting => (String::new(), Role::Dim),
        StepState::Done { covered: false, .. } => (model.word("run-not-covered"), Role::Dim),
        StepState::Done { findings, .. } => models::found(model, step, *findings),
        StepState::Running if model.errand(key).is_some() => (model.word("errand-row"), Role::NeedsYou),
        StepState::Running => {
            let last = match rows::silent(step, output, model.now.ms, model.now.wall) {
                Some(seconds) => model.say("run-silent", &[("seconds", seconds.into())]),
                None => output.map(|output| output.last_line().to_owned()).unwrap_or_default(),
            };
            match step.attempts {
                0 | 1 => (last, Role::Dim),
                attempt => (format!("{} {last}", model.say("run-attempt", &[("attempt", attempt.into())])), Role::Dim),
            }
        }
    }
}
