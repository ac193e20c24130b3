//! A fixed head above rows that scroll: what Decide and Questions are made of.

use super::Drawn;
use super::painter::{Painter, Spans, span};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// A row of the scrolled part: stretches at columns of their own, so that what stands side by side stays in line.
#[derive(Clone, Debug, Default)]
pub struct Row(pub Vec<Cell>);

/// Stretches from a column on.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Column, from the left edge of the area.
    pub x: u16,
    /// Columns it may take.
    pub width: u16,
    /// What stands there.
    pub spans: Spans,
}

impl From<Spans> for Row {
    fn from(spans: Spans) -> Row {
        Row(vec![Cell { x: 0, width: u16::MAX, spans }])
    }
}

/// Parts with separators between them, broken into rows between parts where they do not fit.
pub fn joined(parts: Vec<Spans>, separator: &str, width: usize) -> Vec<Spans> {
    let mut rows: Vec<Spans> = Vec::new();
    let mut used = 0;
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let needs: usize = part.iter().map(|(text, _)| wrap::width(text)).sum();
        match rows.last_mut() {
            Some(row) if used + wrap::width(separator) + needs <= width => {
                row.push(span(separator, Role::Dim));
                row.extend(part);
                used += wrap::width(separator) + needs;
            }
            _ => {
                rows.push(part);
                used = needs;
            }
        }
    }
    rows
}

/// Paints the head, and below it the rows from `scroll` on; says at the right edge how many are above and below.
pub fn draw(painter: &mut Painter<'_>, area: Rect, head: &[Spans], rows: &[Row], scroll: usize) -> Drawn {
    let head_height = head.len().min(usize::from(area.height.saturating_sub(1)));
    let body_top = area.y + u16::try_from(head_height).unwrap_or(0);
    let body = Rect { y: body_top, height: area.bottom().saturating_sub(body_top), ..area };
    let page = usize::from(body.height);
    let top = scroll.min(rows.len().saturating_sub(page));
    let counts = counts(painter, top, rows.len().saturating_sub(top + page));
    let counts_width = u16::try_from(wrap::width(&counts)).unwrap_or(area.width).min(area.width);
    for (index, (spans, y)) in head.iter().take(head_height).zip(area.top()..).enumerate() {
        let is_last = index + 1 == head_height;
        let width = if is_last { area.width - counts_width } else { area.width };
        painter.spans(area.x, y, width, spans);
        if is_last {
            painter.put(area.x + width, y, counts_width, &counts, Role::Hint);
        }
    }
    for (row, y) in rows.iter().skip(top).zip(body.top()..body.bottom()) {
        for cell in &row.0 {
            let width = cell.width.min(body.width.saturating_sub(cell.x));
            painter.spans(body.x.saturating_add(cell.x), y, width, &cell.spans);
        }
    }
    painter.scroll_mark(body, top, rows.len());
    Drawn { caret: None, page, lines: rows.len() }
}

/// ` ↑3 ↓12`; `""` where everything is seen.
fn counts(painter: &Painter<'_>, above: usize, below: usize) -> String {
    let glyphs = painter.look.glyphs;
    let one = |mark: &str, count: usize| if count > 0 { format!(" {mark}{count}") } else { String::new() };
    format!("{}{}", one(glyphs.up, above), one(glyphs.down, below))
}
