//! Findings: the list with its filters, and the one under the cursor in full. Side by side where there is room, else one
//! above the other, on the narrowest screens one at a time. Before settling, the list shows what has come in so far.

use super::Drawn;
use super::detail;
use super::painter::{Painter, Spans, span};
use crate::model::finding::{Finding, Severity};
use crate::model::view::Found;
use crate::tui::filter::{self, Out, Row};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns from which list and detail stand side by side.
pub const WIDE: u16 = 100;
/// Columns below which only one of them is shown.
const NARROW: u16 = 60;
/// Columns of a list from which a row is one line; below, the words stand on a second one.
const ONE_LINE: u16 = 70;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    if area.height == 0 {
        return Drawn::default();
    }
    let head = Rect { height: 1, ..area };
    painter.spans(head.x, head.y, head.width, &heading(model));
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    if model.finding_rows() == 0 {
        let empty = if model.is_settling() { "findings-none" } else { "findings-none-yet" };
        let is_filtered = model.is_settling() && !model.decided.findings.is_empty();
        let id = if is_filtered { "findings-none-fits" } else { empty };
        painter.put(body.x, body.y, body.width, &model.word(id), Role::Dim);
        return Drawn::default();
    }
    if model.findings.open {
        return full(model, body, painter);
    }
    if area.width < NARROW {
        let page = list(model, body, painter);
        return Drawn { caret: None, page, lines: 0 };
    }
    let (list_area, detail_area) = if area.width >= WIDE {
        let left = (area.width * 45 / 100).min(100);
        let line = Rect { x: body.x + left, width: 1, ..body };
        rule(line, painter);
        (Rect { width: left, ..body }, Rect { x: line.x + 2, width: body.width - left - 2, ..body })
    } else {
        let upper = body.height.div_ceil(2).saturating_sub(1);
        let line = Rect { y: body.y + upper, height: 1.min(body.height - upper), ..body };
        painter.put(
            line.x,
            line.y,
            line.width,
            &painter.look.glyphs.border.horizontal_top.repeat(line.width.into()),
            Role::Border,
        );
        let below = body.height - upper - line.height;
        (Rect { height: upper, ..body }, Rect { y: line.y + line.height, height: below, ..body })
    };
    let page = list(model, list_area, painter);
    let most = scrolled(model, detail_area, painter);
    // Keys page through the list; what scrolls is the detail.
    Drawn { caret: None, page, lines: if most == 0 { 0 } else { page + most } }
}

fn rule(area: Rect, painter: &mut Painter<'_>) {
    let bar = painter.look.glyphs.border.vertical_left;
    for y in area.top()..area.bottom() {
        painter.put(area.x, y, 1, bar, Role::Border);
    }
}

/// The detail alone.
fn full(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let page = usize::from(area.height);
    let most = scrolled(model, area, painter);
    Drawn { caret: None, page, lines: page + most }
}

/// Paints the detail as far as it is scrolled; returns how far it can be.
fn scrolled(model: &Model, area: Rect, painter: &mut Painter<'_>) -> usize {
    let lines = detail::lines(model, usize::from(area.width.saturating_sub(1)).max(1));
    let most = lines.len().saturating_sub(usize::from(area.height));
    let top = model.findings.scroll.min(most);
    painter.lines(area, &lines[top..]);
    painter.scroll_mark(area, top, lines.len());
    most
}

/// `12 of 28 shown · severity major · "refund" · 3 marked`
fn heading(model: &Model) -> Spans {
    let (glyphs, state) = (model.look.glyphs, &model.findings);
    if !model.is_settling() {
        let text = model.say("findings-feed", &[("count", model.view().feed.len().into())]);
        return vec![span(text, Role::Notice)];
    }
    let (total, shown) = (model.decided.findings.len(), state.shown.len());
    let mut parts: Vec<(String, Role)> = Vec::new();
    let quoted = (!state.filter.trim().is_empty()).then(|| ("findings-by-words", state.filter.trim().to_owned()));
    let severity = state.severity.map(|one| ("findings-by-severity", model.word(filter::severity(one, glyphs).1)));
    let status = state.status.map(|one| ("findings-by-status", model.word(filter::status(one, glyphs).1)));
    let by: Vec<(&str, String)> = [severity, status, quoted].into_iter().flatten().collect();
    if by.is_empty() {
        parts.push((model.say("findings-all", &[("total", total.into())]), Role::Title));
        parts.push((model.say("findings-decided", &[("count", model.decided.decided.into())]), Role::Text));
    } else {
        parts.push((model.say("findings-shown", &[("shown", shown.into()), ("total", total.into())]), Role::Title));
        parts.extend(by.into_iter().map(|(id, word)| (model.say(id, &[("word", word.into())]), Role::Search)));
    }
    let (marked, hidden) = model.marked();
    if marked > 0 {
        let id = if hidden > 0 { "findings-marked-hidden" } else { "findings-marked" };
        parts.push((model.say(id, &[("count", marked.into()), ("hidden", hidden.into())]), Role::Marked));
    }
    let mut spans = Vec::new();
    for (text, role) in parts {
        if !spans.is_empty() {
            spans.push(span(glyphs.separator, Role::Dim));
        }
        spans.push(span(text, role));
    }
    spans
}

/// Paints the rows around the cursor, those that are visible; returns how many fit.
fn list(model: &Model, area: Rect, painter: &mut Painter<'_>) -> usize {
    let tall: u16 = if area.width >= ONE_LINE { 1 } else { 2 };
    let page = usize::from(area.height / tall).max(1);
    let rows = model.finding_rows();
    let cursor = model.findings.cursor.min(rows.saturating_sub(1));
    let top = cursor.saturating_sub(page / 2).min(rows.saturating_sub(page));
    let room = Rect { width: area.width.saturating_sub(1), ..area };
    let columns = Columns::of(model);
    for at in top..rows.min(top + page) {
        let Some(row) = model.finding_row(at) else { break };
        let y = area.y + u16::try_from(at - top).unwrap_or(u16::MAX).saturating_mul(tall);
        let here = at == cursor;
        let lines = lines_of(model, row, here, tall == 1, &columns);
        for (line, y) in lines.iter().zip(y..area.bottom()) {
            painter.spans(room.x, y, room.width, line);
            if here {
                painter.tint(Rect { y, height: 1, ..room }, Role::Selected);
            }
        }
    }
    let tall = usize::from(tall);
    painter.scroll_mark(area, top * tall, rows * tall);
    page
}

/// Widths of the columns: as wide as their widest word in this language.
struct Columns {
    severity: usize,
    status: usize,
    place: usize,
}

impl Columns {
    fn of(model: &Model) -> Columns {
        let glyphs = model.look.glyphs;
        let width = |mark: &str, id: &str| wrap::width(mark) + 1 + wrap::width(&model.word(id));
        let severities = Severity::ALL.iter().map(|&one| filter::severity(one, glyphs));
        let statuses = crate::tui::acts::STATUSES.iter().map(|&one| filter::status(one, glyphs));
        Columns {
            severity: severities.map(|(mark, id, _)| width(mark, id)).max().unwrap_or(0),
            status: statuses.map(|(mark, id, _)| width(mark, id)).max().unwrap_or(0),
            place: 18,
        }
    }
}

fn lines_of(model: &Model, row: Row, here: bool, one_line: bool, columns: &Columns) -> Vec<Spans> {
    let glyphs = model.look.glyphs;
    let pointer = if here { glyphs.selected } else { " " };
    match row {
        Row::Finding(index) => match model.decided.findings.get(index) {
            Some(finding) => finding_lines(model, finding, pointer, one_line, columns),
            None => Vec::new(),
        },
        Row::Came(index) => match model.view().feed.get(index) {
            Some(found) => came_lines(model, found, pointer, one_line, columns),
            None => Vec::new(),
        },
        Row::Fold => {
            let mark = if model.findings.unfolded { glyphs.unfolded } else { glyphs.folded };
            let text = model.say("findings-out", &[("count", model.outs().into())]);
            vec![vec![span(format!("{pointer} {mark} {text}"), Role::Dim)]]
        }
        Row::Out(index) => match model.out(index) {
            Some(out) => out_lines(model, &out, pointer, one_line, columns),
            None => Vec::new(),
        },
    }
}

fn finding_lines(model: &Model, finding: &Finding, pointer: &str, one_line: bool, columns: &Columns) -> Vec<Spans> {
    let glyphs = model.look.glyphs;
    let is_marked = model.findings.marked.contains(&finding.key);
    let mark = if is_marked { glyphs.marked } else { " " };
    let (status_mark, status_id, status_role) = filter::status(filter::standing(finding), glyphs);
    let first = vec![
        span(format!("{pointer}{mark}"), if is_marked { Role::Marked } else { Role::Text }),
        span(format!("{} ", wrap::pad(&finding.id, 4)), if is_marked { Role::Marked } else { Role::Text }),
        severity_span(model, finding.severity, columns),
        span(wrap::pad(&format!("{status_mark} {}", model.word(status_id)), columns.status + 1), status_role),
    ];
    let place = detail::short_place(model, &finding.uc_id, &finding.section);
    rest(first, &place, &finding.finding, Role::Text, one_line, columns, glyphs.ellipsis)
}

fn severity_span(model: &Model, severity: Severity, columns: &Columns) -> (String, Role) {
    let (mark, id, role) = filter::severity(severity, model.look.glyphs);
    span(wrap::pad(&format!("{mark} {}", model.word(id)), columns.severity + 1), role)
}

fn came_lines(model: &Model, found: &Found, pointer: &str, one_line: bool, columns: &Columns) -> Vec<Spans> {
    let severity = match Severity::read(&found.severity) {
        Some(severity) => severity_span(model, severity, columns),
        None => span(wrap::pad(&found.severity, columns.severity + 1), Role::Text),
    };
    let step = wrap::fit(&found.step, 20, model.look.glyphs.ellipsis);
    let first = vec![span(format!("{pointer} "), Role::Text), severity, span(format!("{step} "), Role::Dim)];
    let place = detail::short_place(model, &found.uc_id, &found.section);
    rest(first, &place, &found.finding, Role::Text, one_line, columns, model.look.glyphs.ellipsis)
}

fn out_lines(model: &Model, out: &Out<'_>, pointer: &str, one_line: bool, columns: &Columns) -> Vec<Spans> {
    let (id, finding) = match out {
        Out::Dropped(dropped) => ("findings-dropped", &dropped.finding),
        Out::Struck(finding) => ("findings-struck", *finding),
    };
    let first = vec![
        span(format!("{pointer}     "), Role::Text),
        severity_span(model, finding.severity, columns),
        span(format!("{} ", model.word(id)), Role::Dim),
    ];
    let place = detail::short_place(model, &finding.uc_id, &finding.section);
    rest(first, &place, &finding.finding, Role::Dim, one_line, columns, model.look.glyphs.ellipsis)
}

/// The place and the words: on the same line, or the place there and the words below.
fn rest(mut first: Spans, place: &str, words: &str, role: Role, one_line: bool, columns: &Columns, ellipsis: &str) -> Vec<Spans> {
    // A row shows the beginning: no more of a long text is looked at.
    let words = wrap::beginning(words, 400);
    if one_line {
        first.push(span(format!("{} ", wrap::fit(place, columns.place, ellipsis)), Role::Dim));
        first.push(span(words, role));
        return vec![first];
    }
    first.push(span(place, Role::Dim));
    vec![first, vec![span(format!("  {words}"), role)]]
}
