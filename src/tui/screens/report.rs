//! Report: what will be written, what is open, and the difference against the file that is there.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let width = usize::from(area.width);
    let mut lines: Vec<Spans> = Vec::new();
    if let Some(ended) = &model.ended {
        for line in &ended.summary {
            lines.extend(wrapped(line, width, Role::Text));
        }
    } else if let Some(preview) = &model.preview {
        lines.push(vec![span(preview.path.clone(), Role::Title)]);
        lines.extend(preview.text.lines().map(|line| vec![span(line, Role::Text)]));
    }
    let page = usize::from(area.height);
    let top = model.report_scroll.min(lines.len().saturating_sub(page));
    painter.lines(area, &lines[top..]);
    Drawn { caret: None, page, lines: lines.len() }
}
