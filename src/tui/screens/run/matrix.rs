//! The matrix: a row a dimension, a column a scope, each cell by mark, word and count.

use super::super::models;
use super::super::painter::{Span, Spans, span};
use super::role;
use super::status::is_before;
use crate::model::plan::{Plan, cell_key};
use crate::model::view::{StepState, StepView};
use crate::tui::model::Model;
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;

/// Columns of a scope: enough for most words of a state with a count.
const COLUMN: std::ops::RangeInclusive<usize> = 14..=30;

/// At most `most` lines, for `width` columns; none before there is a plan.
pub fn lines(model: &Model, width: usize, most: usize) -> Vec<Spans> {
    let Some(plan) = &model.view().plan else { return Vec::new() };
    let mut rows: Vec<Spans> = before(model).into_iter().collect();
    let first = wrap::width(&model.word("run-first"));
    let names = plan.dimensions.iter().map(|name| wrap::width(name)).chain([first]).max().unwrap_or(0);
    let name_width = names.min(width / 3) + 1;
    let window = Window::of(model, plan, width.saturating_sub(name_width));
    rows.push(window.head(model, plan, name_width));
    let room = most.saturating_sub(rows.len()).max(1);
    let all = plan.dimensions.len();
    let shown = if all <= room { all } else { room - 1 };
    for dimension in &plan.dimensions[..shown] {
        let mut line =
            vec![span(wrap::fit(dimension, name_width - 1, model.look.glyphs.ellipsis), Role::Title), span(" ", Role::Text)];
        line.extend(window.buckets().map(|bucket| cell(model, plan, dimension, bucket, window.column)));
        rows.push(line);
    }
    if shown < all {
        rows.push(folded(model, plan, &plan.dimensions[shown..]));
    }
    rows
}

/// `before   P0 ✓ done 2   P3 ✓ done`: the checks that run ahead of the fan-out.
fn before(model: &Model) -> Option<Spans> {
    let steps: Vec<(&String, &StepView)> = model.view().steps.iter().filter(|(key, _)| is_before(key)).collect();
    let planned = model.view().plan.as_ref().map(|plan| plan.before.as_slice()).unwrap_or_default();
    if planned.is_empty() && steps.is_empty() {
        return None;
    }
    let mut line = vec![span(format!("{}  ", model.word("run-first")), Role::Title)];
    for name in planned {
        let step = steps.iter().find(|(key, _)| key.strip_prefix("before/") == Some(name)).map(|(_, step)| *step);
        let waiting = StepView::default();
        line.push(span(format!("{name} "), Role::Text));
        let (text, role) = state(model, &[step.unwrap_or(&waiting)]);
        line.push(span(format!("{text}   "), role));
    }
    Some(line)
}

/// Which scopes are seen.
struct Window {
    first: usize,
    shown: usize,
    all: usize,
    column: usize,
}

impl Window {
    /// As many scopes as fit; the one that the cursor's agent looks at is among them.
    fn of(model: &Model, plan: &Plan, width: usize) -> Window {
        let all = plan.buckets.len();
        let labels = (0..all).map(|bucket| wrap::width(&plan.bucket_label(bucket)) + 2).max().unwrap_or(0);
        let wanted = labels.clamp(*COLUMN.start(), *COLUMN.end());
        let fitting = |column: usize| width / column.max(1);
        let column = if fitting(wanted) >= all { wanted } else { (width / all.max(1)).clamp(*COLUMN.start(), wanted) };
        let shown = match fitting(column) {
            fit if fit >= all => all,
            // Room for the count of those that are not seen.
            _ => (width.saturating_sub(4) / column).max(1),
        };
        let cursor = model.run.cursor.as_ref();
        let at =
            cursor.and_then(|key| plan.cells.iter().find(|cell| cell_key(plan, cell).0 == *key)).map_or(0, |cell| cell.bucket);
        let first = (at + 1).saturating_sub(shown).min(all.saturating_sub(shown));
        Window { first, shown, all, column }
    }

    fn buckets(&self) -> std::ops::Range<usize> {
        self.first..(self.first + self.shown).min(self.all)
    }

    fn head(&self, model: &Model, plan: &Plan, name_width: usize) -> Spans {
        let glyphs = model.look.glyphs;
        let corner = if self.first > 0 { format!("+{}", self.first) } else { String::new() };
        let mut head = vec![span(wrap::pad(&corner, name_width), Role::Dim)];
        for bucket in self.buckets() {
            let label = plan.bucket_label(bucket);
            let cut = wrap::cut_middle(&label, self.column - 1, glyphs.ellipsis);
            head.push(span(wrap::pad(&cut, self.column), Role::Title));
        }
        let hidden = self.all - self.buckets().end;
        if hidden > 0 {
            head.push(span(format!("+{hidden}"), Role::Dim));
        }
        head
    }
}

fn steps_of<'a>(model: &'a Model, plan: &Plan, dimension: &str, bucket: Option<usize>) -> Vec<&'a StepView> {
    let wanted =
        plan.cells.iter().filter(|cell| cell.dimension == dimension && bucket.is_none_or(|bucket| cell.bucket == bucket));
    wanted.filter_map(|cell| model.view().steps.get(&cell_key(plan, cell).0)).collect()
}

fn cell(model: &Model, plan: &Plan, dimension: &str, bucket: usize, width: usize) -> Span {
    let steps = steps_of(model, plan, dimension, Some(bucket));
    if steps.is_empty() {
        return span(" ".repeat(width), Role::Dim);
    }
    let (text, role) = state(model, &steps);
    let text = wrap::cut(&text, width - 1, model.look.glyphs.ellipsis).into_owned();
    span(wrap::pad(&text, width), role)
}

/// How the replicas of a cell stand together: the one that needs people most, with the findings of all where all are done.
fn state(model: &Model, steps: &[&StepView]) -> (String, Role) {
    let standings: Vec<Standing> = steps.iter().map(|step| Standing::of(step)).collect();
    let standing = standings.iter().copied().min().unwrap_or(Standing::Waiting);
    let mut text = format!("{} {}", rows::mark(standing, model.look.glyphs), model.word(standing.say()));
    let findings = |step: &&&StepView| match step.state {
        StepState::Done { findings, covered: true } => Some(findings),
        _ => None,
    };
    let cut = steps.iter().any(|step| models::may_be_cut(step));
    if standing == Standing::Done {
        // `4+`: at least so many, for a list may be cut.
        let more = if cut { "+" } else { "" };
        text.push_str(&format!(" {}{more}", steps.iter().filter_map(|step| findings(&step)).sum::<u32>()));
    }
    if steps.len() > 1 {
        let same = standings.iter().filter(|&&one| one == standing).count();
        text.push_str(&format!(" {same}/{}", steps.len()));
    }
    (text, if cut && standing == Standing::Done { Role::Warning } else { role(standing) })
}

/// `+4: 2 done 5 running`: dimensions for which there is no line, counted.
fn folded(model: &Model, plan: &Plan, dimensions: &[String]) -> Spans {
    let mut line = vec![span(format!("+{}: ", dimensions.len()), Role::Dim)];
    let steps: Vec<Standing> =
        dimensions.iter().flat_map(|dimension| steps_of(model, plan, dimension, None)).map(Standing::of).collect();
    for standing in Standing::ALL {
        let count = steps.iter().filter(|&&one| one == standing).count();
        if count > 0 {
            let mark = rows::mark(standing, model.look.glyphs);
            line.push(span(format!("{mark} {} {count}  ", model.word(standing.say())), role(standing)));
        }
    }
    line
}
