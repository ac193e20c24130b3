//! The findings as they come, the newest on top.

use super::super::painter::{Painter, Spans, span};
use super::{severity, severity_mark};
use crate::model::shown::Shown;
use crate::model::view::Found;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns below which nobody's name has a place.
const NAMES_FROM: usize = 60;
/// Rows from which a finding gets more than one.
const ROOMY: u16 = 14;

/// Paints as many as fit.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let feed = &model.view().feed;
    if feed.is_empty() {
        painter.lines(area, &[vec![span(model.word("run-feed-empty"), Role::Dim)]]);
        return;
    }
    let width = usize::from(area.width);
    let mut lines: Vec<Spans> = Vec::new();
    for found in feed.iter().rev() {
        if lines.len() >= usize::from(area.height) {
            break;
        }
        match area.height >= ROOMY {
            true => lines.extend(in_rows(model, found, width)),
            false => lines.push(in_one(model, found, width)),
        }
    }
    painter.lines(area, &lines);
}

/// Where it is: the unit, else the last part of the section.
pub fn place(found: &Found) -> &str {
    match found.uc_id.as_str() {
        "" => found.section.rsplit(" > ").next().unwrap_or_default(),
        unit => unit,
    }
}

fn in_one(model: &Model, found: &Found, width: usize) -> Spans {
    let ellipsis = model.look.glyphs.ellipsis;
    if width < NAMES_FROM {
        let (mark, role) = severity_mark(model, &found.severity);
        return vec![
            span(format!("{mark} {} ", found.severity), role),
            span(format!("{} ", wrap::cut(place(found), 12, ellipsis)), Role::Title),
            span(found.finding.clone(), Role::Text),
        ];
    }
    let mut line = severity(model, &found.severity);
    line.push(span(format!("{} ", wrap::fit(&model.agent_name(&found.step), 16, ellipsis)), Role::Dim));
    line.push(span(format!("{} ", wrap::fit(place(found), 10, ellipsis)), Role::Title));
    line.push(span(found.finding.clone(), Role::Text));
    line
}

fn in_rows(model: &Model, found: &Found, width: usize) -> Vec<Spans> {
    let mut head = severity(model, &found.severity);
    head.push(span(place(found).to_owned(), Role::Title));
    head.push(span(format!("  {}", model.agent_name(&found.step)), Role::Dim));
    let text = Shown::line(&found.finding);
    let mut rows = wrap::wrap(text.as_str(), width.saturating_sub(2).max(1));
    if rows.len() > 2 {
        let rest = rows.split_off(1).join(" ");
        rows.push(wrap::cut(&rest, width.saturating_sub(2), model.look.glyphs.ellipsis).into_owned());
    }
    let rows = rows.into_iter().map(|row| vec![span(format!("  {row}"), Role::Text)]);
    std::iter::once(head).chain(rows).collect()
}
