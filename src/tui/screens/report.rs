//! Report: whether it can be written and what writing does, what is open, what the findings come to, and the difference
//! against the file that is there.

use super::Drawn;
use super::detail::cited;
use super::models;
use super::painter::{Painter, Spans, span, wrapped};
use crate::model::finding::{Finding, Grounding, Question, Severity, Status};
use crate::model::settled::Hole;
use crate::tui::differences::LineDiff;
use crate::tui::filter;
use crate::tui::model::Model;
use crate::tui::port::{Access, Ended, Preview};
use crate::tui::rows::Standing;
use crate::tui::theme::Role;
use crate::tui::{closing, wrap};
use ratatui::layout::Rect;
use std::collections::BTreeSet;

/// Columns from which the difference stands beside the rest.
const WIDE: u16 = 120;

/// Something open that one can go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// A conflict: index into [`crate::tui::model::Decided::conflicts`].
    Conflict(usize),
    /// A question: index into [`crate::tui::model::Decided::questions`].
    Question(usize),
}

/// What is open: conflicts and policy questions, which hold up writing, then other questions, which do not.
pub fn open_items(model: &Model) -> Vec<Open> {
    let decided = &model.decided;
    let conflict = |(place, &index): (usize, &usize)| decided.findings[index].is_open_conflict().then_some(Open::Conflict(place));
    let conflicts = decided.conflicts.iter().enumerate().filter_map(conflict);
    let questions = |wanted: fn(&Question) -> bool| {
        let fits = move |&(_, &(finding, place)): &(usize, &(usize, usize))| wanted(&decided.findings[finding].blocked_on[place]);
        decided.questions.iter().enumerate().filter(fits).map(|(place, _)| Open::Question(place))
    };
    let policy = questions(Question::blocks_writing);
    conflicts.chain(policy).chain(questions(|question| question.is_open() && !question.blocks_writing())).collect()
}

/// The first of them.
pub fn first_open(model: &Model) -> Option<Open> {
    let open = &model.decided.open;
    let any = !open.conflicts.is_empty() || !open.policy.is_empty() || !open.questions.is_empty();
    any.then(|| open_items(model).first().copied()).flatten()
}

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    if area.height == 0 {
        return Drawn::default();
    }
    let is_wide = area.width >= WIDE && difference_title(model).is_some();
    let left = if is_wide { area.width / 2 - 2 } else { area.width };
    let width = usize::from(left.saturating_sub(1)).max(1);
    let mut head = state(model, width);
    let items = open_items(model);
    let facts = facts(model, width);
    let end = |width: usize| -> Vec<Spans> {
        models::by_agent(model).into_iter().flat_map(|(text, role)| wrapped(&text, width, role)).collect()
    };
    if is_wide {
        // Beside the difference only where nothing of it is cut off there.
        let height = usize::from(area.height);
        let fits = head.len() + usize::from(!items.is_empty()) + items.len() + 1 + facts.len() <= height;
        if fits {
            let mut lines = head;
            lines.extend(open_lines(model, &items, items.len(), width));
            lines.push(Vec::new());
            lines.extend(facts);
            painter.lines(Rect { width: left, ..area }, &lines);
            let right = Rect { x: area.x + left + 2, width: area.width - left - 2, ..area };
            let bar = painter.look.glyphs.border.vertical_left;
            for y in area.top()..area.bottom() {
                painter.put(area.x + left, y, 1, bar, Role::Border);
            }
            let tail = end(usize::from(right.width.saturating_sub(1)).max(1));
            return scrolled(model, &[], &tail, right, painter);
        }
        head = state(model, usize::from(area.width.saturating_sub(1)));
    }
    let height = usize::from(area.height);
    let width = usize::from(area.width.saturating_sub(1));
    let tail = end(width.max(1));
    if head.len() + 2 > height {
        // No room for what stays and what scrolls: all of it scrolls, so that nothing is cut off.
        head.extend(open_lines(model, &items, items.len(), width));
        head.extend(facts);
        return scrolled(model, &head, &tail, area, painter);
    }
    let room = (height - head.len()) / 2;
    head.extend(open_lines(model, &items, room, width));
    painter.lines(area, &head);
    let taken = u16::try_from(head.len()).unwrap_or(u16::MAX).min(area.height);
    let below = Rect { y: area.y + taken, height: area.height - taken, ..area };
    scrolled(model, &facts, &tail, below, painter)
}

/// Paints what scrolls: the facts, the difference, of which only the visible lines are made, and what stands at the end.
fn scrolled(model: &Model, facts: &[Spans], tail: &[Spans], area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let title = difference_title(model);
    let gap = usize::from(!facts.is_empty() && title.is_some());
    let before = facts.len() + gap + usize::from(title.is_some());
    let differences: &[LineDiff] = if title.is_some() { &model.difference.lines } else { &[] };
    let after = before + differences.len();
    // An empty line parts the end from what stands above it.
    let total = after + if tail.is_empty() { 0 } else { tail.len() + usize::from(after > 0) };
    let page = usize::from(area.height);
    let top = model.report_scroll.min(total.saturating_sub(page));
    for (line, y) in (top..total.min(top + page)).zip(area.top()..area.bottom()) {
        let spans = match facts.get(line) {
            Some(fact) => fact.clone(),
            None if line + 1 < before => Vec::new(),
            None if line < before => title.clone().into_iter().collect(),
            None if line < after => difference_line(model, &differences[line - before]),
            None => (line + tail.len()).checked_sub(total).and_then(|line| tail.get(line)).cloned().unwrap_or_default(),
        };
        painter.spans(area.x, y, area.width.saturating_sub(1), &spans);
    }
    painter.scroll_mark(area, top, total);
    Drawn { caret: None, page, lines: total }
}

/// Whether it can be written, and what that does.
fn state(model: &Model, width: usize) -> Vec<Spans> {
    let glyphs = model.look.glyphs;
    let mut lines = Vec::new();
    let mut say = |mark: &str, text: &str, role: Role| {
        let text = if mark.is_empty() { text.to_owned() } else { format!("{mark} {text}") };
        lines.extend(wrapped(&text, width, role));
    };
    if let Access::ReadOnly(why) = &model.access {
        say(glyphs.needs_you, why, Role::Notice);
    }
    match &model.ended {
        // It is not this window's to write.
        Some(Ended { fault: Some((what, _)), .. }) if model.access != Access::Write => {
            say(glyphs.needs_you, what, Role::Notice);
            return lines;
        }
        Some(Ended { fault: Some((what, hint)), .. }) => {
            say(glyphs.failed, &model.say("report-not-written", &[("why", what.as_str().into())]), Role::Error);
            if !hint.is_empty() {
                say("", hint, Role::Text);
            }
            say("", &model.word("report-not-written-help"), Role::Hint);
            return lines;
        }
        Some(Ended { written: Some(path), .. }) => {
            say(glyphs.done, &model.say("report-written", &[("path", path.as_str().into())]), Role::Done);
            if model.reopens && model.access == Access::Write {
                say("", &model.word("report-written-help"), Role::Hint);
            }
            return lines;
        }
        _ => {}
    }
    if !model.is_settling() {
        say(glyphs.waiting, &model.word("report-under-way"), Role::Notice);
        return lines;
    }
    let open = &model.decided.open;
    if open.block_writing() {
        let args = [("conflicts", open.conflicts.len().into()), ("policy", open.policy.len().into())];
        let id = match (open.conflicts.len(), open.policy.len()) {
            (0, _) => "report-open-policy",
            (_, 0) => "report-open-conflicts",
            _ => "report-open",
        };
        say(glyphs.needs_you, &model.say(id, &args), Role::Warning);
    }
    if model.access != Access::Write {
        return lines;
    }
    let Some(preview) = &model.preview else {
        let id = if model.desk.is_none() && model.reopens { "report-rests" } else { "report-no-preview" };
        say(glyphs.waiting, &model.word(id), Role::Dim);
        return lines;
    };
    if let Some(refusal) = &preview.refusal {
        say(glyphs.failed, &model.say("report-refused", &[("why", refusal.as_str().into())]), Role::Warning);
        say("", &model.word("report-refused-help"), Role::Hint);
        return lines;
    }
    if !open.block_writing() {
        say(glyphs.done, &model.say("report-ready", &[("path", preview.path.as_str().into())]), Role::Done);
    }
    say("", &effect(model, preview), Role::Text);
    lines
}

/// What writing does to what stands there.
fn effect(model: &Model, preview: &Preview) -> String {
    let difference = &model.difference;
    let args = [("added", difference.added.into()), ("removed", difference.removed.into())];
    match &preview.there {
        _ if preview.keeps => model.word("report-keeps"),
        None => model.word("report-creates"),
        Some(_) if difference.lines.is_empty() => model.word("report-same"),
        Some(_) => model.say("report-replaces", &args),
    }
}

/// What is open as a list of at most `room` lines with its heading, the one under the cursor among them.
fn open_lines(model: &Model, items: &[Open], room: usize, width: usize) -> Vec<Spans> {
    if items.is_empty() || room == 0 {
        return Vec::new();
    }
    let glyphs = model.look.glyphs;
    let cursor = model.report_cursor.min(items.len() - 1);
    let top = cursor.saturating_sub(room / 2).min(items.len().saturating_sub(room));
    let mut lines = Vec::new();
    for (at, item) in items.iter().enumerate().skip(top).take(room) {
        let here = at == cursor;
        let pointer = if here { glyphs.selected } else { " " };
        let (mark, kind, role, id, words) = match *item {
            Open::Conflict(place) => {
                let finding = &model.decided.findings[model.decided.conflicts[place]];
                (glyphs.needs_you, "report-conflict", Role::NeedsYou, &finding.id, &finding.finding)
            }
            Open::Question(place) => {
                let (finding, question) = model.decided.questions[place];
                let finding = &model.decided.findings[finding];
                let question = &finding.blocked_on[question];
                let (kind, role) = match question.policy {
                    Some(_) => ("report-policy", Role::Policy),
                    None => ("report-question", Role::Text),
                };
                let mark = if question.policy.is_some() { glyphs.needs_you } else { glyphs.bullet };
                (mark, kind, role, &finding.id, &question.question)
            }
        };
        let left = format!("{pointer}{mark} {} {id} ", model.word(kind));
        let rest = width.saturating_sub(wrap::width(&left));
        let words = cited(model, wrap::beginning(words, rest + 32));
        let role = if here { Role::Selected } else { role };
        lines.push(vec![span(left, role), span(wrap::cut(&words, rest, glyphs.ellipsis), if here { role } else { Role::Text })]);
    }
    lines
}

/// What the findings come to, in lines of `width`.
fn facts(model: &Model, width: usize) -> Vec<Spans> {
    let mut lines = Vec::new();
    for (text, role) in fact_list(model) {
        lines.extend(wrapped(&text, width, role));
    }
    lines
}

/// What the findings come to: a fact a line.
fn fact_list(model: &Model) -> Vec<(String, Role)> {
    if let Some(ended) = model.ended.as_ref().filter(|ended| !ended.summary.is_empty()) {
        let summary = ended.summary.iter().map(|line| (line.clone(), Role::Text));
        return summary.chain(models::facts(model)).collect();
    }
    let mut facts = Vec::new();
    if model.is_settling() {
        by_severity(model, &mut facts);
        counted(model, &mut facts);
    } else {
        let feed = &model.view().feed;
        facts.push((model.say("report-so-far", &[("count", feed.len().into())]), Role::Title));
        for severity in Severity::ALL {
            let (mark, id, role) = filter::severity(severity, model.look.glyphs);
            let count = feed.iter().filter(|found| found.severity == severity.word()).count();
            if count > 0 {
                facts.push((format!("{mark} {count} {}", model.word(id)), role));
            }
        }
    }
    coverage(model, &mut facts);
    let outcome = model.preview.as_ref().and_then(|preview| preview.outcome.as_deref());
    if let Some(outcome) = outcome {
        let carry = &outcome.carry;
        if carry.carried + carry.unmatched > 0 {
            let args = [("carried", carry.carried.into()), ("unmatched", carry.unmatched.into())];
            facts.push((model.say("summary-carried", &args), Role::Text));
        }
        let word = outcome.recommendation.as_str().into();
        facts.push((model.say("summary-recommendation", &[("word", word)]), Role::Title));
    }
    if let Some(convergence) = &model.view().convergence {
        let offline = model.view().header.as_ref().is_some_and(|header| header.agent == "offline");
        let lines = closing::lines(convergence, model.view().holes.len(), &models::cut(model), offline, &model.words);
        facts.extend(lines.into_iter().map(|line| (line, Role::Text)));
    }
    facts.extend(models::facts(model));
    facts
}

/// `▲ 3 critical: 1 undecided, 2 accepted`
fn by_severity(model: &Model, facts: &mut Vec<(String, Role)>) {
    let findings = &model.decided.findings;
    facts.push((model.say("findings-all", &[("total", findings.len().into())]), Role::Title));
    for severity in Severity::ALL {
        let (mark, id, role) = filter::severity(severity, model.look.glyphs);
        let of_severity: Vec<&Finding> = findings.iter().filter(|finding| finding.severity == severity).collect();
        if of_severity.is_empty() {
            continue;
        }
        let counts = crate::tui::acts::STATUSES.iter().chain(&[Status::Applied]).filter_map(|&status| {
            let count = of_severity.iter().filter(|finding| filter::standing(finding) == status).count();
            let word = model.word(filter::status(status, model.look.glyphs).1);
            (count > 0).then(|| format!("{count} {word}"))
        });
        let list = counts.collect::<Vec<_>>().join(", ");
        facts.push((format!("{mark} {} {}: {list}", of_severity.len(), model.word(id)), role));
    }
}

fn counted(model: &Model, facts: &mut Vec<(String, Role)>) {
    let findings = &model.decided.findings;
    let conflicts = model.decided.conflicts.len();
    if conflicts > 0 {
        let open = model.decided.open.conflicts.len();
        let is_deferred = |&&index: &&usize| filter::standing(&findings[index]) == Status::Deferred;
        let deferred = model.decided.conflicts.iter().filter(is_deferred).count();
        let args = [
            ("total", conflicts.into()),
            ("settled", (conflicts - open - deferred).into()),
            ("deferred", deferred.into()),
            ("open", open.into()),
        ];
        facts.push((model.say("report-conflicts", &args), Role::Text));
    }
    let questions = || model.decided.questions.iter().map(|&(finding, place)| &findings[finding].blocked_on[place]);
    if !model.decided.questions.is_empty() {
        let open = &model.decided.open;
        let args = [
            ("total", model.decided.questions.len().into()),
            ("answered", questions().filter(|question| question.answer.is_some()).count().into()),
            ("deferred", questions().filter(|question| question.deferred.is_some()).count().into()),
            ("open", (open.policy.len() + open.questions.len()).into()),
            ("policy", open.policy.len().into()),
        ];
        facts.push((model.say("report-questions", &args), Role::Text));
    }
    let count = |wanted: fn(&Finding) -> bool| findings.iter().filter(|finding| wanted(finding)).count();
    let dropped = model.view().proposal.as_ref().map_or(0, |proposal| proposal.dropped.len());
    for (id, total) in [
        ("summary-duplicates", count(|finding| !finding.possible_duplicate_of.is_empty())),
        ("summary-ungrounded", count(|finding| finding.grounding == Grounding::Missing)),
        ("summary-dropped", dropped),
        ("report-struck", model.decided.struck.len()),
    ] {
        if total > 0 {
            facts.push((model.say(id, &[("total", total.into())]), Role::Text));
        }
    }
}

/// What nobody looked at.
fn coverage(model: &Model, facts: &mut Vec<(String, Role)>) {
    let view = model.view();
    // What a cap holds is no final hole: it is told on its own.
    let holes: Vec<&Hole> = view.holes.iter().filter(|hole| !models::is_held(model, hole)).collect();
    if !holes.is_empty() {
        let list = holes.iter().map(|hole| format!("{} ({})", hole.step, hole.reason)).collect::<Vec<_>>().join("; ");
        facts.push((model.say("summary-holes", &[("list", list.into())]), Role::Warning));
    }
    let is_not_covered = |step: &&crate::model::view::StepView| Standing::of(step) == Standing::NotCovered;
    let steps = view.steps.values().filter(is_not_covered).map(|step| step.dimension.as_str());
    let not_covered: BTreeSet<&str> = steps.filter(|dimension| !dimension.is_empty()).collect();
    if !not_covered.is_empty() {
        let list = not_covered.into_iter().collect::<Vec<_>>().join(", ");
        facts.push((model.say("summary-not-covered", &[("list", list.into())]), Role::Warning));
    }
}

/// The heading above the difference; `None` where none is shown.
fn difference_title(model: &Model) -> Option<(String, Role)> {
    let preview = model.preview.as_ref()?;
    if preview.refusal.is_some() || model.difference.lines.is_empty() {
        return None;
    }
    let args = [("added", model.difference.added.into()), ("removed", model.difference.removed.into())];
    let text = match preview.there {
        Some(_) => model.say("report-difference", &args),
        None => model.say("report-text", &args[..1]),
    };
    Some((text, Role::Title))
}

/// `+  13 + - id: F004`
fn difference_line(model: &Model, line: &LineDiff) -> Spans {
    let numbered = |number: usize, sign: &str, text: &str, role: Role| {
        vec![
            span(format!("{number:>5} "), Role::LineNumber),
            span(format!("{sign} {}", wrap::expand_tabs(text, wrap::TAB)), role),
        ]
    };
    match line {
        LineDiff::Same { new, text, .. } => numbered(*new, " ", text, Role::Dim),
        LineDiff::Added { new, text } => numbered(*new, "+", text, Role::Added),
        LineDiff::Removed { old, text } => numbered(*old, "-", text, Role::Removed),
        LineDiff::Skipped(count) => {
            let text = model.say("report-unchanged", &[("count", (*count).into())]);
            vec![span(format!("      {} {text}", model.look.glyphs.folded), Role::Dim)]
        }
    }
}

/// What stands on the screen besides the difference, as plain lines.
pub fn plain(model: &Model) -> String {
    let state = state(model, usize::MAX).into_iter().map(|line| line.into_iter().map(|(text, _)| text).collect::<String>());
    let facts = fact_list(model).into_iter().chain(models::by_agent(model)).map(|(text, _)| text);
    state.chain(facts).collect::<Vec<_>>().join("\n")
}
