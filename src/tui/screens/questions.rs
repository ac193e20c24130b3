//! Questions: what the document cannot answer, one at a time.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use super::quoted;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let Some((finding, question)) = model.current_question() else {
        painter.put(area.x, area.y, area.width, &model.word("why-no-question"), Role::Dim);
        return Drawn::default();
    };
    let width = usize::from(area.width);
    let mut lines: Vec<Spans> =
        vec![vec![span(format!("{}/{}", model.question + 1, model.decided.questions.len()), Role::Title)]];
    lines.extend(wrapped(&question.question, width, Role::Policy));
    lines.extend(quoted::lines(model, finding.line, &finding.quote, 1, width));
    lines.extend(wrapped(&finding.finding, width, Role::Text));
    let page = usize::from(area.height);
    let top = model.question_scroll.min(lines.len().saturating_sub(page));
    painter.lines(area, &lines[top..]);
    Drawn { caret: None, page, lines: lines.len() }
}
