//! Findings: the list, and the one under the cursor with the document's lines.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use super::quoted;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let half = area.height / 2;
    let list = Rect { height: half, ..area };
    let detail = Rect { y: area.y + half, height: area.height - half, ..area };
    let page = usize::from(list.height);
    let cursor = model.findings.cursor;
    let top = cursor.saturating_sub(page.saturating_sub(1));
    for (row, &index) in model.findings.shown.iter().enumerate().skip(top).take(page) {
        let finding = &model.decided.findings[index];
        let mark = if row == cursor { model.look.glyphs.selected } else { " " };
        let text = format!("{mark}{} {} {} {}", finding.id, finding.severity.word(), finding.section, finding.finding);
        painter.put(
            list.x,
            list.y + (row - top) as u16,
            list.width,
            &text,
            if row == cursor { Role::Selected } else { Role::Text },
        );
    }
    if let Some(finding) = model.current_finding() {
        let width = usize::from(detail.width);
        let mut lines: Vec<Spans> = vec![vec![span(finding.section.clone(), Role::Title)]];
        lines.extend(quoted::lines(model, finding.line, &finding.quote, 1, width));
        lines.extend(wrapped(&finding.finding, width, Role::Text));
        lines.extend(wrapped(&finding.suggestion, width, Role::Text));
        painter.lines(detail, &lines);
    }
    Drawn { caret: None, page, lines: 0 }
}
