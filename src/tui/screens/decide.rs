//! Decide: one conflict a screen: the document's lines on top, the options below it, side by side where there is room.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use super::parts::{self, Row};
use super::quoted::{Marks, Spot};
use super::{options, said};
use crate::model::finding::{Absorbed, Finding, Resolution};
use crate::tui::entry::Purpose;
use crate::tui::model::{Layer, Model};
use crate::tui::theme::Role;
use ratatui::layout::Rect;
use std::collections::BTreeSet;

/// Rows of the screen's part from which blank rows stand between the parts of a conflict.
pub const AIRY: u16 = 26;
/// Lines that options may change and that are shown beside those they rest on.
const BESIDE: usize = 4;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let Some(finding) = model.current_conflict() else {
        let id = if model.view().proposal.is_some() { "decide-nothing" } else { "decide-nothing-yet" };
        painter.lines(area, &wrapped(&model.word(id), usize::from(area.width).max(1), Role::Hint));
        return Drawn::default();
    };
    let head = head(model, finding, area);
    // The last columns are left to the scroll mark.
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let is_writing = is_writing(model, finding);
    let mut rows: Vec<Row> = Vec::new();
    let gap = |rows: &mut Vec<Row>| {
        if area.height >= AIRY {
            rows.push(Row::default());
        }
    };
    rows.extend(outcome(model, finding, width));
    rows.extend(drafts(model, finding, width));
    let heading = Row::from(vec![
        span(model.word("decide-options"), Role::Title),
        span(format!("{}{}", model.look.glyphs.separator, model.word("decide-signs")), Role::Dim),
    ]);
    let options = options::rows(model, finding, usize::from(area.width), width);
    let room = usize::from(area.height).saturating_sub(head.len() + rows.len() + options.len() + 1);
    let context = context(model, finding, area, width, room);
    if is_writing {
        // Whoever writes words needs the options beside them.
        rows.extend(options);
        rows.extend(context);
    } else {
        rows.extend(context);
        gap(&mut rows);
        rows.push(heading);
        rows.extend(options);
    }
    gap(&mut rows);
    rows.extend(edge_cases(model, finding, "decide-remember", width));
    rows.extend(relatives(model, finding, width));
    let scroll = if is_writing { 0 } else { model.conflict_scroll };
    parts::draw(painter, area, &head, &rows, scroll)
}

/// Whether a text area for merged or own words of this conflict is open.
fn is_writing(model: &Model, finding: &Finding) -> bool {
    matches!(model.layers.last(), Some(Layer::Entry(entry)) if entry.purpose == Purpose::Words(finding.key.clone()))
}

/// `3/7 · 4 open · ▲ critical · UC-04 · F012 · 2 reviewers disagree`, and how it was decided.
fn head(model: &Model, finding: &Finding, area: Rect) -> Vec<Spans> {
    let all = model.decided.conflicts.len();
    let open = model.decided.open.conflicts.len();
    let left = match open {
        0 => model.word("decide-none-open"),
        _ => model.say("decide-open", &[("open", open.into())]),
    };
    let is_short = area.height < 8;
    let place = match finding.uc_id.as_str() {
        "" if is_short => String::new(),
        "" => section(&finding.section),
        unit => unit.to_owned(),
    };
    let mut first = vec![
        vec![span(format!("{}/{all}", model.conflict + 1), Role::Title)],
        vec![span(left, if open > 0 { Role::NeedsYou } else { Role::Done })],
        vec![said::severity(model, finding.severity)],
    ];
    if !place.is_empty() {
        first.push(vec![span(place, Role::Text)]);
    }
    first.push(vec![span(finding.id.clone(), Role::Title)]);
    first.push(vec![span(disagreement(model, finding), Role::Text)]);
    let mut rows = parts::joined(first, model.look.glyphs.separator, usize::from(area.width));
    if is_short {
        rows.truncate(1);
    }
    let second = match (said::decision(model, finding), &finding.resolution) {
        (Some(decision), Some(resolution)) => {
            vec![vec![decision], vec![span(said::by(model, &resolution.by, &resolution.at), Role::Dim)]]
        }
        _ => Vec::new(),
    };
    rows.extend(parts::joined(second, model.look.glyphs.separator, usize::MAX));
    rows
}

/// The innermost heading of a path.
fn section(path: &str) -> String {
    path.rsplit(" > ").next().unwrap_or_default().to_owned()
}

fn disagreement(model: &Model, finding: &Finding) -> String {
    let finders: BTreeSet<&String> = finding.options.iter().flat_map(|option| &option.found_by).collect();
    match finders.len() {
        0 | 1 => model.say("decide-one-reviewer", &[("ways", finding.options.len().into())]),
        count => model.say("decide-reviewers", &[("count", count.into())]),
    }
}

/// Own words, reason, or the words of putting off.
fn outcome(model: &Model, finding: &Finding, width: usize) -> Vec<Row> {
    let Some(Resolution { text, deferred, reason, .. }) = &finding.resolution else { return Vec::new() };
    let mut rows = Vec::new();
    if let Some(text) = text {
        rows.extend(said::labelled(&model.word("decided-own-words"), &said::bounded(model, text), width, Role::Added));
    }
    if !reason.is_empty() {
        let label = if *deferred { "decided-why-deferred" } else { "decided-reason" };
        rows.extend(said::labelled(&model.word(label), &said::bounded(model, reason), width, Role::Text));
    }
    rows
}

/// Words that were typed about this conflict and not given.
fn drafts(model: &Model, finding: &Finding, width: usize) -> Vec<Row> {
    let key = &finding.key;
    let all = [
        (Purpose::Words(key.clone()), "m"),
        (Purpose::Defer(vec![key.clone()]), "d"),
        (Purpose::Reject(vec![key.clone()]), "x"),
        (Purpose::Reason(key.clone()), "r"),
    ];
    all.iter().flat_map(|(purpose, key)| draft(model, purpose, key, width)).collect()
}

/// A line about a draft that is kept, where one is and its area is not open.
pub fn draft(model: &Model, purpose: &Purpose, key: &str, width: usize) -> Vec<Row> {
    let is_kept = purpose.subject().is_some_and(|subject| model.decided.drafts.contains_key(&subject));
    let is_open = matches!(model.layers.last(), Some(Layer::Entry(entry)) if entry.purpose == *purpose);
    if !is_kept || is_open {
        return Vec::new();
    }
    let what = model.word(purpose.say());
    let words = model.say("draft-kept-here", &[("what", what.into()), ("key", key.into())]);
    wrapped(&format!("{} {words}", model.look.glyphs.needs_you), width, Role::Warning).into_iter().map(Row::from).collect()
}

/// The document's lines that the options rest on, and what is wrong: as much around the lines as leaves the options in
/// sight, within `room` rows; at last nothing but the lines themselves.
fn context(model: &Model, finding: &Finding, area: Rect, width: usize, room: usize) -> Vec<Row> {
    let words = wrapped(&said::bounded(model, &finding.finding), width, Role::Text);
    let is_airy = area.height >= AIRY;
    let room = room.saturating_sub(words.len() + if is_airy { 2 } else { 0 });
    let least = room.max(usize::from(area.height) * 2 / 5);
    let (spots, beside) = spots(model, finding);
    let all: Vec<Spot> = spots.iter().chain(&beside).cloned().collect();
    let marks = Marks::of(&model.document, &all);
    let widest = if is_airy { 2 } else { 1 };
    let wide = (1..=widest).rev().map(|around| (around, room));
    let fitting = wide.chain([(0, least)]).find_map(|(around, room)| {
        let lines = marks.rows(model, around, width);
        (lines.len() <= room).then_some(lines)
    });
    let mut lines = fitting.unwrap_or_else(|| Marks::of(&model.document, &spots).rows(model, 0, width));
    if lines.is_empty() {
        let words = match &finding.missing {
            Some(missing) => model.say("quoted-missing", &[("what", missing.as_str().into())]),
            None => model.word("quoted-nowhere"),
        };
        lines.extend(wrapped(&words, width, Role::Dim));
    }
    if is_airy {
        lines.push(Vec::new());
    }
    lines.extend(words);
    lines.into_iter().map(Row::from).collect()
}

/// The finding's own place and those of its options, with labels where options rest on different lines; and what stands
/// beside them: the other lines that options may change.
fn spots(model: &Model, finding: &Finding) -> (Vec<Spot>, Vec<Spot>) {
    let lines: BTreeSet<u32> = finding.options.iter().map(|option| option.line).filter(|&line| line > 0).collect();
    let own = Spot { line: finding.line, quote: finding.quote.clone(), ..Spot::default() };
    let options = finding.options.iter().map(|option| Spot {
        line: option.line,
        quote: option.quote.clone(),
        label: if lines.len() > 1 { option.label.clone() } else { String::new() },
        beside: false,
    });
    let changed: BTreeSet<u32> =
        finding.options.iter().flat_map(|option| options::changed_lines(&model.document, option)).collect();
    let beside = changed.into_iter().filter(|line| !lines.contains(line) && *line != finding.line);
    let beside = beside.take(BESIDE).map(|line| Spot { line, beside: true, ..Spot::default() }).collect();
    ([own].into_iter().chain(options).collect(), beside)
}

/// What a fix must not forget, below a title by its message id.
pub fn edge_cases(model: &Model, finding: &Finding, title: &str, width: usize) -> Vec<Row> {
    if finding.resolution_edge_cases.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![Row::from(vec![span(model.word(title), Role::Title)])];
    for case in &finding.resolution_edge_cases {
        rows.extend(said::labelled(model.look.glyphs.bullet, &said::bounded(model, case), width, Role::Text));
    }
    rows
}

/// What was absorbed and is not said above, and findings that may say the same.
pub fn relatives(model: &Model, finding: &Finding, width: usize) -> Vec<Row> {
    let above = |absorbed: &Absorbed| {
        absorbed.finding == finding.finding && absorbed.suggestion == finding.suggestion
            || finding.options.iter().any(|option| {
                option.suggestion == absorbed.suggestion && [&option.finding, &finding.finding].contains(&&absorbed.finding)
            })
    };
    let rest: Vec<&Absorbed> = finding.absorbed.iter().filter(|absorbed| !above(absorbed)).collect();
    let mut rows = Vec::new();
    if !rest.is_empty() {
        let title = model.say("decide-absorbed", &[("count", rest.len().into())]);
        rows.push(Row::from(vec![span(title, Role::Title)]));
    }
    for absorbed in rest {
        let said = [&absorbed.finding, &absorbed.suggestion].map(|words| said::bounded(model, words));
        let words = said.join(model.look.glyphs.dash);
        rows.extend(said::labelled(&format!("{} {}", model.look.glyphs.bullet, absorbed.dimension), &words, width, Role::Text));
    }
    let similar: Vec<&Finding> = finding.possible_duplicate_of.iter().filter_map(|key| model.finding(key)).collect();
    if !similar.is_empty() {
        rows.push(Row::from(vec![span(model.word("decide-similar"), Role::Title)]));
    }
    for other in similar {
        let label = format!("{} {}", model.look.glyphs.bullet, other.id);
        rows.extend(said::labelled(&label, &said::bounded(model, &other.finding), width, Role::Text));
    }
    rows
}
