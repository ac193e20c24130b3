//! Decide: one conflict a screen: the document's lines on top, the options below it, side by side where there is room.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use super::quoted;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let Some(finding) = model.current_conflict() else {
        painter.put(area.x, area.y, area.width, &model.word("why-no-conflict"), Role::Dim);
        return Drawn::default();
    };
    let width = usize::from(area.width);
    let mut lines: Vec<Spans> = Vec::new();
    lines.push(vec![span(
        format!(
            "{}/{} {} {} {}",
            model.conflict + 1,
            model.decided.conflicts.len(),
            finding.severity.word(),
            finding.uc_id,
            finding.id
        ),
        Role::Title,
    )]);
    lines.extend(quoted::lines(model, finding.line, &finding.quote, 1, width));
    lines.extend(wrapped(&finding.finding, width, Role::Text));
    for option in &finding.options {
        lines.push(vec![span(format!("{} {}", option.label, option.found_by.join(", ")), Role::OptionLabel)]);
        lines.extend(wrapped(&option.suggestion, width, Role::Text));
    }
    let page = usize::from(area.height);
    let top = model.conflict_scroll.min(lines.len().saturating_sub(page));
    painter.lines(area, &lines[top..]);
    Drawn { caret: None, page, lines: lines.len() }
}
