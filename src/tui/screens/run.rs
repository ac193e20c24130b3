//! Run: the matrix of dimensions and scopes, the agents, the rounds, and the findings as they come.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use crate::model::plan::{Plan, cell_key};
use crate::tui::acts;
use crate::tui::model::{Model, Pane};
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns from which the findings stand beside the agents.
const WIDE: u16 = 100;

/// Agents that are listed: those that are done only where they are unfolded.
pub fn listed(model: &Model) -> Vec<String> {
    let view = model.view();
    let over = |key: &String| view.steps.get(key).is_some_and(|step| Standing::of(step) == Standing::Done);
    model.agents().into_iter().filter(|key| model.run.unfolded || !over(key)).collect()
}

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    if let Some(pane) = &model.run.output {
        return output(model, pane, area, painter);
    }
    let matrix = matrix(model, usize::from(area.width));
    let height = u16::try_from(matrix.len()).unwrap_or(0).min(area.height / 2);
    painter.lines(Rect { height, ..area }, &matrix);
    let below = Rect { y: area.y + height, height: area.height - height, ..area };
    let (agents_area, feed_area) = if area.width >= WIDE {
        let left = area.width * 6 / 10;
        (Rect { width: left, ..below }, Rect { x: below.x + left + 1, width: below.width - left - 1, ..below })
    } else {
        let upper = below.height.div_ceil(2);
        (Rect { height: upper, ..below }, Rect { y: below.y + upper, height: below.height - upper, ..below })
    };
    let drawn = agents(model, agents_area, painter);
    match model.at_round() {
        Some(round) => round_panel(model, round, feed_area, painter),
        None => {
            feed(model, feed_area, painter);
            drawn
        }
    }
}

fn matrix(model: &Model, width: usize) -> Vec<Spans> {
    let view = model.view();
    let Some(plan) = &view.plan else { return vec![vec![span(model.word("run-no-plan"), Role::Dim)]] };
    let name_width = plan.dimensions.iter().map(|name| wrap::width(name)).max().unwrap_or(0).max(4) + 1;
    let columns = plan.buckets.len().max(1);
    let column = ((width.saturating_sub(name_width)) / columns).clamp(12, 30);
    let shown = columns.min(width.saturating_sub(name_width) / column).max(1);
    let mut head = vec![span(" ".repeat(name_width), Role::Dim)];
    for bucket in 0..shown.min(plan.buckets.len()) {
        head.push(span(fit(&plan.bucket_label(bucket), column, model), Role::Title));
    }
    if shown < columns {
        head.push(span(format!("+{}", columns - shown), Role::Dim));
    }
    let mut lines = vec![head];
    for dimension in &plan.dimensions {
        let mut line = vec![span(wrap::pad(dimension, name_width), Role::Title)];
        for bucket in 0..shown.min(plan.buckets.len()) {
            line.push(cell(model, plan, dimension, bucket, column));
        }
        lines.push(line);
    }
    lines
}

fn cell(model: &Model, plan: &Plan, dimension: &str, bucket: usize, width: usize) -> (String, Role) {
    let key =
        plan.cells.iter().find(|cell| cell.dimension == dimension && cell.bucket == bucket).map(|cell| cell_key(plan, cell).0);
    let Some(step) = key.and_then(|key| model.view().steps.get(&key)) else { return span(fit("", width, model), Role::Dim) };
    let standing = Standing::of(step);
    let count = match &step.state {
        crate::model::view::StepState::Done { findings, covered: true } => format!(" {findings}"),
        _ => String::new(),
    };
    let text = format!("{} {}{count}", rows::mark(standing, model.look.glyphs), model.word(standing.say()));
    span(fit(&text, width, model), role(standing))
}

fn fit(text: &str, width: usize, model: &Model) -> String {
    wrap::pad(&wrap::cut(text, width.saturating_sub(1), model.look.glyphs.ellipsis), width)
}

/// The role of how an agent stands.
pub fn role(standing: Standing) -> Role {
    match standing {
        Standing::NeedsYou => Role::NeedsYou,
        Standing::Failed => Role::Failed,
        Standing::Running => Role::Running,
        Standing::Waiting => Role::Waiting,
        Standing::Hole => Role::Hole,
        Standing::NotCovered => Role::NotCovered,
        Standing::Done => Role::Done,
    }
}

fn agents(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let keys = listed(model);
    let done = model.agents().len() - keys.len();
    let page = usize::from(area.height).saturating_sub(usize::from(done > 0));
    let at = model.run.cursor.as_ref().and_then(|cursor| keys.iter().position(|key| key == cursor));
    let top = at.map_or(0, |at| at.saturating_sub(page.saturating_sub(1)));
    for (row, key) in keys.iter().enumerate().skip(top).take(page) {
        let y = area.y + u16::try_from(row - top).unwrap_or(0);
        let line = agent(model, key, at == Some(row));
        painter.spans(area.x, y, area.width, &line);
        if at == Some(row) {
            painter.tint(Rect { y, height: 1, ..area }, Role::Selected);
        }
    }
    if done > 0 && area.height > 0 {
        let y = area.y + u16::try_from(keys.len().saturating_sub(top).min(page)).unwrap_or(0);
        let text = model.say("run-folded", &[("count", done.into())]);
        painter.put(area.x, y, area.width, &format!(" {} {text}", model.look.glyphs.done), Role::Done);
    }
    Drawn { caret: None, page, lines: keys.len() }
}

fn agent(model: &Model, key: &str, here: bool) -> Spans {
    let Some(step) = model.view().steps.get(key) else { return Vec::new() };
    let standing = Standing::of(step);
    let mark = if here { model.look.glyphs.selected } else { " " };
    let state = format!("{mark}{} {} ", rows::mark(standing, model.look.glyphs), model.word(standing.say()));
    let mut line = vec![span(wrap::pad(&state, 14), role(standing)), span(format!("{} ", rows::label(key, step)), Role::Text)];
    if let Some(ms) = rows::elapsed(step, model.now.wall) {
        line.push(span(format!("{} ", rows::clock(ms)), Role::Dim));
    }
    if step.tokens_in + step.tokens_out > 0 {
        line.push(span(format!("{}+{} tok ", step.tokens_in, step.tokens_out), Role::Dim));
    }
    let output = model.outputs.get(key);
    let said = match &step.state {
        crate::model::view::StepState::Failed { reason, .. } | crate::model::view::StepState::Hole { reason } => reason.clone(),
        _ => match rows::silent(step, output, model.now.ms, model.now.wall) {
            Some(seconds) => model.say("run-silent", &[("seconds", seconds.into())]),
            None => output.map(|output| output.last_line().to_owned()).unwrap_or_default(),
        },
    };
    line.push(span(said, Role::Dim));
    line
}

fn rounds(model: &Model) -> Vec<Spans> {
    let round = |round: &crate::model::view::RoundView| {
        let text = model.say("run-round", &[("round", round.round.into()), ("new", round.new.into()), ("dry", round.dry.into())]);
        vec![span(text, if round.dry > 0 { Role::Dry } else { Role::Wet })]
    };
    model.view().rounds.iter().map(round).collect()
}

fn feed(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let mut lines = rounds(model);
    let room = usize::from(area.height).saturating_sub(lines.len());
    let feed = &model.view().feed;
    for found in feed.iter().rev().take(room) {
        let text = format!("{} {} {} ", found.severity, found.step, found.finding);
        lines.push(vec![span(text, Role::Text)]);
    }
    painter.lines(area, &lines);
}

fn round_panel(model: &Model, round: u32, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let found = model.round_findings(round);
    let title = model.say("run-round-added", &[("round", round.into()), ("count", found.len().into())]);
    let inner = painter.framed(area, &title, Role::BorderFocus);
    let mut lines = Vec::new();
    for (index, found) in found.iter().enumerate() {
        let here = index == model.run.round_cursor;
        let struck = found.key.as_ref().is_some_and(|key| acts::is_struck(model, key));
        let mark = if here { model.look.glyphs.selected } else { " " };
        let word = if struck { format!(" [{}]", model.word("run-struck")) } else { String::new() };
        lines.push(vec![span(
            format!("{mark}{}{word} {}", found.severity, found.section),
            if here { Role::Selected } else { Role::Text },
        )]);
        if here {
            lines.extend(wrapped(&found.finding, usize::from(inner.width).max(1), Role::Text));
        }
    }
    painter.lines(inner, &lines);
    Drawn { caret: None, page: usize::from(inner.height), lines: 0 }
}

fn output(model: &Model, pane: &Pane, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let inner = painter.framed(area, &pane.step, Role::BorderFocus);
    let empty = crate::tui::live::Output::default();
    let output = model.outputs.get(&pane.step).unwrap_or(&empty);
    let page = usize::from(inner.height);
    let bottom = output.lines.len().saturating_sub(page);
    let top = if pane.follow { bottom } else { pane.top.min(bottom) };
    let lines: Vec<Spans> = output.lines.iter().skip(top).take(page).map(|line| vec![span(line.clone(), Role::Text)]).collect();
    painter.lines(inner, &lines);
    Drawn { caret: None, page, lines: output.lines.len() }
}
