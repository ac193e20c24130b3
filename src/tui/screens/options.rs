//! The options of a conflict: each with what it would write, who says so, what it rests on and what it may break; side by
//! side where there is room.

use super::painter::{Spans, span, wrapped};
use super::parts::{Cell, Row};
use super::said;
use crate::document::Document;
use crate::document::citing::{CitedAt, Leaning, defined_at, leaning_on};
use crate::model::finding::{Finding, FixOption};
use crate::model::outline::LineSpan;
use crate::rules::cites;
use crate::tui::differences;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use std::collections::BTreeSet;

/// Columns of the screen from which options stand side by side.
pub const SIDE_BY_SIDE: usize = 100;
/// Columns that an option beside others needs.
const NARROWEST: usize = 36;
/// Places that are named; the rest is counted.
const PLACES: usize = 5;
/// Bytes of a line and a suggestion up to which they are compared word by word.
const COMPARED: usize = 16 * 1024;
/// Ids that are followed.
const NAMED: usize = 4;

/// The options as rows of `width` columns.
pub fn rows(model: &Model, finding: &Finding, screen_width: usize, width: usize) -> Vec<Row> {
    let count = finding.options.len().max(1);
    let columns = if screen_width < SIDE_BY_SIDE { 1 } else { count.min((width + 1) / (NARROWEST + 1)).max(1) };
    if columns == 1 {
        return finding.options.iter().enumerate().flat_map(|(at, option)| stacked(model, finding, at, option, width)).collect();
    }
    let each = (width + 1) / columns - 1;
    let options: Vec<(usize, &FixOption)> = finding.options.iter().enumerate().collect();
    options.chunks(columns).flat_map(|chunk| beside(model, finding, chunk, each)).collect()
}

/// An option below a rule with its name.
fn stacked(model: &Model, finding: &Finding, at: usize, option: &FixOption, width: usize) -> Vec<Row> {
    let line = model.look.glyphs.border.horizontal_top;
    let mut title = title(model, finding, at, option, width);
    let used: usize = title.iter().map(|(text, _)| wrap::width(text)).sum();
    title.insert(0, span(line.repeat(2), Role::Border));
    title.push(span(line.repeat(width.saturating_sub(used + 2)), Role::Border));
    let mut rows = vec![Row::from(title)];
    let indent = |spans: Spans| Row(vec![Cell { x: 1, width: u16::MAX, spans }]);
    rows.extend(content(model, finding, option, width.saturating_sub(1).max(1)).into_iter().map(indent));
    rows
}

/// Options in frames of one height beside each other.
fn beside(model: &Model, finding: &Finding, options: &[(usize, &FixOption)], each: usize) -> Vec<Row> {
    let inner = each.saturating_sub(4).max(1);
    let contents: Vec<Vec<Spans>> = options.iter().map(|(_, option)| content(model, finding, option, inner)).collect();
    let height = contents.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |x: usize, width: usize, spans: Spans| Cell {
        x: u16::try_from(x).unwrap_or(u16::MAX),
        width: u16::try_from(width).unwrap_or(u16::MAX),
        spans,
    };
    let mut rows = vec![Row::default(); height + 2];
    for (place, ((at, option), lines)) in options.iter().zip(&contents).enumerate() {
        let left = place * (each + 1);
        let chosen = is_chosen(finding, option);
        let (border, role) = match chosen {
            true => (model.look.glyphs.border_focus, Role::Chosen),
            false => (model.look.glyphs.border, Role::Border),
        };
        let title = title(model, finding, *at, option, each.saturating_sub(4));
        let used: usize = title.iter().map(|(text, _)| wrap::width(text)).sum();
        let mut top = vec![span(format!("{}{}", border.top_left, border.horizontal_top), role)];
        top.extend(title);
        top.push(span(border.horizontal_top.repeat(each.saturating_sub(used + 3)), role));
        top.push(span(border.top_right, role));
        rows[0].0.push(cell(left, each, top));
        for row in 0..height {
            let cells = &mut rows[row + 1].0;
            cells.push(cell(left, 1, vec![span(border.vertical_left, role)]));
            if let Some(spans) = lines.get(row) {
                cells.push(cell(left + 2, inner, spans.clone()));
            }
            cells.push(cell(left + each - 1, 1, vec![span(border.vertical_right, role)]));
        }
        let across = border.horizontal_bottom.repeat(each.saturating_sub(2));
        let bottom = format!("{}{across}{}", border.bottom_left, border.bottom_right);
        rows[height + 1].0.push(cell(left, each, vec![span(bottom, role)]));
    }
    rows
}

fn is_chosen(finding: &Finding, option: &FixOption) -> bool {
    finding.resolution.as_ref().is_some_and(|resolution| resolution.choice.as_deref() == Some(option.label.as_str()))
}

/// ` [a] A · ✓ chosen `, cut to `width`.
fn title(model: &Model, finding: &Finding, at: usize, option: &FixOption, width: usize) -> Spans {
    let key = key(at).map(|key| format!("[{key}] ")).unwrap_or_default();
    let glyphs = model.look.glyphs;
    let mut text = format!(" {key}{} ", option.label);
    if is_chosen(finding, option) {
        text = format!("{}{} {} {} ", text.trim_end(), glyphs.separator.trim_end(), glyphs.done, model.word("option-chosen"));
    }
    vec![span(wrap::cut(&text, width, glyphs.ellipsis).into_owned(), Role::OptionLabel)]
}

/// The key that takes an option, from 0.
pub fn key(at: usize) -> Option<char> {
    const KEYS: [char; 9] = ['a', 'b', 'c', '4', '5', '6', '7', '8', '9'];
    KEYS.get(at).copied()
}

fn content(model: &Model, finding: &Finding, option: &FixOption, width: usize) -> Vec<Spans> {
    let mut lines = suggestion(model, finding, option, width);
    let who = said::finders(model, &option.found_by);
    if !who.is_empty() {
        lines.extend(wrapped(&model.say("option-from", &[("who", who.into())]), width, Role::Dim));
    }
    lines.extend(wrapped(&rests_on(model, option), width, Role::Quote));
    if !option.finding.is_empty() {
        let words = match option.finding == finding.finding {
            true => model.word("option-says-above"),
            false => model.say("option-says", &[("words", said::bounded(model, &option.finding).into())]),
        };
        lines.extend(wrapped(&words, width, Role::Text));
    }
    for words in touches(model, option) {
        lines.extend(wrapped(&words, width, Role::Warning));
    }
    lines
}

/// What would be written, with signs for what goes and comes against the line it rests on.
fn suggestion(model: &Model, finding: &Finding, option: &FixOption, width: usize) -> Vec<Spans> {
    let line = if option.line > 0 { option.line } else { finding.line };
    let base = bare(model.document.line_text(line));
    if base.is_empty() || base.len() + option.suggestion.len() > COMPARED {
        return wrapped(&option.suggestion, width, Role::Text);
    }
    wrap::wrap_spans(differences::shown(base, &option.suggestion).spans(), width)
}

/// A line without the mark of its list item.
fn bare(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix(['-', '*', '+']).filter(|rest| rest.starts_with(' ')).unwrap_or(line).trim_start()
}

fn rests_on(model: &Model, option: &FixOption) -> String {
    match (option.line, option.quote.is_empty()) {
        (0, true) => model.word("option-rests-nowhere"),
        (0, false) => model.say("option-rests-unfound", &[("quote", option.quote.as_str().into())]),
        (line, true) => model.say("cited-line", &[("line", line.to_string().into())]),
        (line, false) => model.say("option-rests", &[("line", line.to_string().into()), ("quote", option.quote.as_str().into())]),
    }
}

/// Lines that an option may change: the one it rests on, and those that define what its suggestion names.
pub fn changed_lines(document: &Document, option: &FixOption) -> Vec<u32> {
    let named = defined_at(document, &cites::ids(said::beginning(&option.suggestion)));
    let own = Some(option.line).filter(|&line| line > 0);
    let lines: BTreeSet<u32> = own.into_iter().chain(named.into_iter().take(NAMED)).collect();
    lines.into_iter().collect()
}

/// What a change by this option may break, a sentence an id.
fn touches(model: &Model, option: &FixOption) -> Vec<String> {
    let lines: Vec<LineSpan> = changed_lines(&model.document, option).into_iter().map(|line| LineSpan::new(line, line)).collect();
    leaning_on(&model.document, &lines, NAMED).iter().map(|leaning| touched(model, leaning)).collect()
}

fn touched(model: &Model, leaning: &Leaning) -> String {
    let place = |place: &CitedAt| match place.name.as_str() {
        "" => model.say("cited-line", &[("line", place.line.to_string().into())]),
        name => model.say("cited-at", &[("name", name.into()), ("line", place.line.to_string().into())]),
    };
    let mut places: Vec<String> = leaning.places.iter().take(PLACES).map(place).collect();
    if leaning.places.len() > PLACES {
        places.push(model.say("cited-more", &[("count", (leaning.places.len() - PLACES).into())]));
    }
    let id = if leaning.defined { "option-touches" } else { "option-names" };
    model.say(id, &[("id", leaning.id.as_str().into()), ("places", places.join(", ").into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_compared_without_the_mark_of_its_item() {
        assert_eq!(bare("  - BR-04: fourteen"), "BR-04: fourteen");
        assert_eq!(bare("* one"), "one");
        assert_eq!(bare("**bold** words"), "**bold** words");
        assert_eq!(bare("-5 degrees"), "-5 degrees");
        assert_eq!(bare("   "), "");
    }
}
