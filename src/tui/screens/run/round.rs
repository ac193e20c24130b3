//! A round that waits for the person: what it added, one by one, with the document's lines.

use super::super::Drawn;
use super::super::painter::{Painter, Spans, span, wrapped};
use super::super::quoted;
use super::feed::place;
use super::{LOW, WIDE, beside, headed, lower, severity, split};
use crate::model::plan::DRY_ROUNDS;
use crate::model::view::Found;
use crate::tui::acts;
use crate::tui::model::Model;
use crate::tui::rows;
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the list of what the round added, and the one under the cursor.
pub fn draw(model: &Model, round: u32, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let found = model.round_findings(round);
    let dry = model.view().rounds.iter().find(|known| known.round == round).map_or(0, |known| known.dry);
    let new = found.iter().filter(|found| found.key.is_some()).count();
    let args = [("round", round.into()), ("count", new.into()), ("dry", dry.into()), ("cap", DRY_ROUNDS.into())];
    let title = model.say("run-round-ended", &args);
    painter.put(area.x, area.y, area.width, &title, Role::Title);
    let below = lower(area, 1);
    if found.is_empty() {
        let words = wrapped(&model.word("run-round-nothing"), usize::from(area.width).max(1), Role::Text);
        painter.lines(below, &words);
        return Drawn::default();
    }
    let cursor = model.run.round_cursor.min(found.len() - 1);
    if area.width >= WIDE {
        let (left, right) = beside(below, painter);
        let list_title = model.say("run-round-list", &[("at", (cursor + 1).into()), ("of", found.len().into())]);
        list(model, &found, cursor, headed(left, &list_title, painter), painter);
        return detail(model, found[cursor], headed(right, &heading(model, found[cursor]), painter), painter);
    }
    let rows = u16::try_from(found.len()).unwrap_or(u16::MAX);
    let (upper, rest) = split(below, rows.min((below.height / 3).max(1)));
    list(model, &found, cursor, upper, painter);
    let rest = if area.height < LOW { rest } else { headed(rest, &heading(model, found[cursor]), painter) };
    detail(model, found[cursor], rest, painter)
}

fn is_struck(model: &Model, found: &Found) -> bool {
    found.key.as_ref().is_some_and(|key| acts::is_struck(model, key))
}

/// `struck`, `added by you`, or nothing.
fn word(model: &Model, found: &Found) -> Option<(String, Role)> {
    match &found.key {
        Some(_) if is_struck(model, found) => Some((format!("[{}] ", model.word("run-struck")), Role::Removed)),
        None => Some((format!("[{}] ", model.word("run-added")), Role::Added)),
        Some(_) => None,
    }
}

fn list(model: &Model, found: &[&Found], cursor: usize, area: Rect, painter: &mut Painter<'_>) {
    let page = usize::from(area.height);
    let top = rows::top((cursor / page.max(1)) * page, Some(cursor), page, found.len());
    for ((index, found), y) in found.iter().enumerate().skip(top).take(page).zip(area.top()..area.bottom()) {
        let here = index == cursor;
        let mut line = vec![span(if here { model.look.glyphs.selected } else { " " }, Role::Text)];
        line.extend(severity(model, &found.severity));
        line.extend(word(model, found));
        let role = if is_struck(model, found) { Role::Removed } else { Role::Text };
        if !place(found).is_empty() {
            line.push(span(format!("{} ", place(found)), Role::Title));
        }
        line.push(span(found.finding.clone(), role));
        painter.spans(area.x, y, area.width, &line);
        if here {
            painter.tint(Rect { y, height: 1, ..area }, Role::Selected);
        }
    }
    painter.scroll_mark(area, top, found.len());
}

fn heading(model: &Model, found: &Found) -> String {
    let mut parts: Vec<String> = Some(place(found)).filter(|place| !place.is_empty()).map(str::to_owned).into_iter().collect();
    if found.line > 0 {
        parts.push(model.say("run-line", &[("line", found.line.into())]));
    }
    parts.push(match found.key {
        Some(_) => model.agent_name(&found.step),
        None => model.word("run-added"),
    });
    parts.join(model.look.glyphs.separator)
}

fn detail(model: &Model, found: &Found, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let width = usize::from(area.width.saturating_sub(1)).max(1);
    let mut lines: Vec<Spans> = Vec::new();
    let mut head = severity(model, &found.severity);
    head.extend(word(model, found));
    head.push(span(found.section.clone(), Role::Dim));
    lines.push(head);
    lines.extend(wrapped(&found.finding, width, Role::Text));
    if !found.suggestion.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![span(model.word("run-suggestion"), Role::Title)]);
        lines.extend(wrapped(&found.suggestion, width, Role::Text));
    }
    let quoted = quoted::lines(model, found.line, &found.quote, 1, width);
    if !quoted.is_empty() {
        lines.push(Vec::new());
        lines.extend(quoted);
    } else if !found.quote.is_empty() {
        lines.push(Vec::new());
        lines.extend(wrapped(&found.quote, width, Role::Quote));
    }
    let page = usize::from(area.height);
    let top = model.run.round_scroll.min(lines.len().saturating_sub(page));
    painter.lines(area, &lines[top..]);
    painter.scroll_mark(area, top, lines.len());
    Drawn { caret: None, page, lines: lines.len() }
}
