//! `run`: the Run screen: the matrix of dimensions and scopes, the agents, the rounds, and the findings as they come.
//! Parts keep their place while a run goes on: what grows, grows at its end, so that no row moves under the cursor.
//! What never belongs here: deciding how an agent stands or in which order rows come (that is `rows`).

mod agents;
mod feed;
mod matrix;
mod output;
mod round;
mod status;

use super::Drawn;
use super::painter::{Painter, Spans, span};
use crate::tui::model::Model;
use crate::tui::rows::Standing;
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns from which parts stand side by side.
const WIDE: u16 = 100;
/// Rows of the body below which there is neither matrix nor headings.
const LOW: u16 = 12;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    if let Some(pane) = &model.run.output {
        return output::draw(model, pane, area, painter);
    }
    if let Some(round) = model.at_round() {
        return round::draw(model, round, area, painter);
    }
    painter.spans(area.x, area.y, area.width, &status::line(model, usize::from(area.width)));
    let below = lower(area, 1);
    if area.height < LOW {
        let wanted = u16::try_from(model.agents().len()).unwrap_or(u16::MAX);
        let (upper, rest) = split(below, wanted);
        let drawn = agents::draw(model, upper, painter);
        feed::draw(model, rest, painter);
        return drawn;
    }
    let matrix = matrix::lines(model, usize::from(area.width), usize::from(area.height) * 2 / 5);
    painter.lines(below, &matrix);
    let below = lower(below, u16::try_from(matrix.len()).unwrap_or(u16::MAX));
    let agents_title = model.word("run-agents");
    let feed_title = model.say("run-feed", &[("count", model.view().feed.len().into())]);
    if area.width >= WIDE {
        let (left, right) = beside(below, painter);
        let drawn = agents::draw(model, headed(left, &agents_title, painter), painter);
        feed::draw(model, headed(right, &feed_title, painter), painter);
        return drawn;
    }
    let wanted = u16::try_from(model.agents().len()).unwrap_or(u16::MAX).max(2).saturating_add(1);
    let (upper, rest) = split(below, wanted.min(below.height - below.height / 2));
    let drawn = agents::draw(model, headed(upper, &agents_title, painter), painter);
    feed::draw(model, headed(rest, &feed_title, painter), painter);
    drawn
}

/// The role of how an agent stands.
pub fn role(standing: Standing) -> Role {
    match standing {
        Standing::NeedsYou => Role::NeedsYou,
        Standing::Failed => Role::Failed,
        Standing::Running => Role::Running,
        Standing::Waiting => Role::Waiting,
        Standing::Hole | Standing::Held => Role::Hole,
        Standing::NotCovered => Role::NotCovered,
        Standing::Done => Role::Done,
    }
}

/// What is left below the first rows.
fn lower(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// The first rows, and what is left below them.
fn split(area: Rect, rows: u16) -> (Rect, Rect) {
    (Rect { height: rows.min(area.height), ..area }, lower(area, rows))
}

/// Sixty parts and forty, with a line between.
fn beside(area: Rect, painter: &mut Painter<'_>) -> (Rect, Rect) {
    let left = area.width * 6 / 10;
    let line = painter.look.glyphs.border.vertical_left;
    for y in area.top()..area.bottom() {
        painter.put(area.x + left, y, 1, line, Role::Border);
    }
    (Rect { width: left, ..area }, Rect { x: area.x + left + 1, width: area.width - left - 1, ..area })
}

/// A heading, `─ Agents ─────`; returns what is below it.
fn headed(area: Rect, title: &str, painter: &mut Painter<'_>) -> Rect {
    if area.height == 0 || area.width == 0 {
        return area;
    }
    let line = painter.look.glyphs.border.horizontal_top;
    let title = format!(" {title} ");
    let rest = usize::from(area.width).saturating_sub(wrap::width(&title) + 1);
    let spans = [span(line, Role::Border), span(title, Role::Title), span(line.repeat(rest), Role::Border)];
    painter.spans(area.x, area.y, area.width, &spans);
    lower(area, 1)
}

/// The mark of a severity, in a column as wide as the widest of the set.
fn severity_mark(model: &Model, severity: &str) -> (String, Role) {
    let glyphs = model.look.glyphs;
    let (mark, role) = match severity {
        "critical" => (glyphs.critical, Role::Critical),
        "major" => (glyphs.major, Role::Major),
        "minor" => (glyphs.minor, Role::Minor),
        _ => (glyphs.needs_you, Role::Text),
    };
    (wrap::pad(mark, wrap::width(glyphs.critical)), role)
}

/// `▲ critical `: a severity by mark and word.
fn severity(model: &Model, word: &str) -> Spans {
    let (mark, role) = severity_mark(model, word);
    vec![span(format!("{mark} {} ", wrap::pad(word, 8)), role)]
}
