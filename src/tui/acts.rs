//! What each command does.

use super::commands::{Action, Place};
use super::entry::{Purpose, bulk, finding_form};
use super::filter::Row;
use super::layers;
use super::lists;
use super::message::Cmd;
use super::model::{Errand, Layer, Level, Model, Pane, SETTLE, Screen};
use super::port::Wish;
use super::rows::{FOLD, Standing};
use super::sending;
use super::told;
use super::update::{interrupt, record, say, tell};
use crate::model::event::Kind;
use crate::model::finding::{Finding, Severity, Status};
use crate::model::gate::Op;
use crate::model::ids::FindingKey;
use crate::model::view::Found;
use crate::rules::ledger;

/// Does what a command says; whether it can has been asked before.
pub fn act(model: &mut Model, action: Action) -> Vec<Cmd> {
    match action {
        Action::Help => model.layers.push(Layer::Help(0)),
        Action::Log => model.layers.push(Layer::Log(usize::MAX)),
        Action::Palette => layers::open_palette(model),
        Action::Back => return layers::back(model),
        Action::Quit => return layers::ask_to_leave(model),
        Action::Interrupt => return interrupt(model),
        Action::Redraw => return vec![Cmd::Redraw],
        Action::Suspend => {
            let mut cmds = layers::keep_draft(model);
            cmds.push(Cmd::Suspend);
            return cmds;
        }
        Action::Submit => return layers::submit(model),
        Action::Send => return sending::confirm(model),
        Action::Prompt => return prompt(model),
        Action::LineBreak => {}
        Action::Editor => {
            if let Some(Layer::Entry(entry)) = model.layers.last() {
                let text = entry.field.text();
                let mut cmds = layers::keep_draft(model);
                cmds.push(Cmd::Edit(text));
                return cmds;
            }
        }
        Action::OtherOption => other_option(model),
        Action::GoRun => return go(model, Screen::Run),
        Action::GoDecide => return go(model, Screen::Decide),
        Action::GoQuestions => return go(model, Screen::Questions),
        Action::GoFindings => return go(model, Screen::Findings),
        Action::GoReport => return go(model, Screen::Report),
        Action::NextScreen => return turn(model, true),
        Action::PreviousScreen => return turn(model, false),
        Action::GoNeeded => return go_needed(model),
        Action::Up => step(model, -1),
        Action::Down => step(model, 1),
        Action::PageUp => page(model, -(model.page.max(2) as isize - 1)),
        Action::PageDown => page(model, model.page.max(2) as isize - 1),
        Action::First => step(model, isize::MIN / 2),
        Action::Last => step(model, isize::MAX / 2),
        Action::Next => item(model, 1),
        Action::Previous => item(model, -1),
        Action::Undo => return record(Op::Undo {}),
        Action::Redo => return record(Op::Redo {}),
        Action::Copy => return lists::copied_text(model).map(Cmd::Copy).into_iter().collect(),
        Action::CopyToFile => return lists::copied_text(model).map(Cmd::ToFile).into_iter().collect(),
        Action::OpenDocument => return document_line(model).map(Cmd::Look).into_iter().collect(),
        Action::Earlier => look_at(model, earlier(model)),
        Action::Later => look_at(model, later(model)),
        Action::Open => return open(model),
        Action::Unfold if model.screen == Screen::Findings => lists::unfold_out(model),
        Action::Unfold => unfold(model),
        Action::DetailUp => model.findings.scroll = model.findings.scroll.saturating_sub(DETAIL_STEP),
        Action::DetailDown => model.findings.scroll = model.findings.scroll.saturating_add(DETAIL_STEP),
        Action::Follow => follow(model),
        Action::StepMode => {
            model.run.step = !model.run.step;
            say(model, Level::Done, if model.run.step { "hint-step-on" } else { "hint-step-off" });
            return vec![Cmd::Wish(Wish::Step(model.run.step))];
        }
        Action::RetryAll => return retry_all(model),
        Action::Retry => return of_agent(model, "run-asks-again", |step| Wish::Retry { step }),
        Action::Cancel => return of_agent(model, "run-cancels", |step| Wish::Cancel { step }),
        Action::AcceptHole => {
            if let Some(step) = model.current_agent() {
                model.layers.push(Layer::Hole(step));
            }
        }
        Action::Bring => return layers::open_bring(model),
        Action::GoOn => return vec![Cmd::Wish(Wish::Close)],
        Action::StopRounds => {
            return vec![Cmd::Wish(Wish::Record(Op::Stop { reason: String::new() })), Cmd::Wish(Wish::Close)];
        }
        Action::Strike => return strike(model),
        Action::AddFinding => {
            let dimension = model.view().plan.as_ref().and_then(|plan| plan.dimensions.first().cloned()).unwrap_or_default();
            return layers::open_entry(model, Purpose::Add, &finding_form(&dimension), Vec::new());
        }
        Action::Write => return write(model),
        Action::Filter => {
            let text = model.findings.filter.clone();
            return layers::open_entry(model, Purpose::Filter, &text, Vec::new());
        }
        Action::FilterSeverity => {
            model.findings.severity = after(model.findings.severity, &Severity::ALL);
            model.filter_again();
        }
        Action::FilterStatus => {
            model.findings.status = after(model.findings.status, &STATUSES);
            model.filter_again();
        }
        Action::Mark => lists::mark(model),
        Action::MarkAll => lists::mark_all(model),
        _ => return decide(model, action),
    }
    Vec::new()
}

/// The question at hand that a person carries.
pub fn current_errand(model: &Model) -> Option<&Errand> {
    model.errand(&model.current_agent().filter(|_| model.screen == Screen::Run)?)
}

/// Lines that the detail scrolls at a key press.
const DETAIL_STEP: usize = 3;

/// Statuses in the order of the filter.
pub const STATUSES: [Status; 6] =
    [Status::Pending, Status::NeedsDiscussion, Status::Accepted, Status::Modified, Status::Rejected, Status::Deferred];

/// The next of a list, then none again.
fn after<T: Copy + PartialEq>(current: Option<T>, all: &[T]) -> Option<T> {
    match current {
        None => all.first().copied(),
        Some(current) => all.iter().position(|&one| one == current).and_then(|index| all.get(index + 1)).copied(),
    }
}

/// Commands that decide.
fn decide(model: &mut Model, action: Action) -> Vec<Cmd> {
    if let Some(number) = option_number(action) {
        let Some(finding) = model.current_conflict() else { return Vec::new() };
        let Some(option) = finding.options.get(number) else { return Vec::new() };
        return record(Op::Choose { finding: finding.key.clone(), label: option.label.clone(), reason: String::new() });
    }
    match action {
        Action::Merge => with_conflict(model, |finding| {
            let options: Vec<String> = finding.options.iter().map(|option| option.suggestion.clone()).collect();
            let mut others = options.clone();
            others.push(options.join("\n"));
            (others[0].clone(), others)
        }),
        Action::OwnWords => with_conflict(model, |_| (String::new(), Vec::new())),
        Action::Reason => {
            let Some(finding) = model.current_conflict() else { return Vec::new() };
            let reason = finding.resolution.as_ref().map(|resolution| resolution.reason.clone()).unwrap_or_default();
            layers::open_entry(model, Purpose::Reason(finding.key.clone()), &reason, Vec::new())
        }
        Action::EditWords => {
            let Some(finding) = model.current_finding() else { return Vec::new() };
            let written = finding.resolution.as_ref().and_then(|resolution| resolution.text.clone());
            let options: Vec<String> = finding.options.iter().map(|option| option.suggestion.clone()).collect();
            let proposed = options.first().unwrap_or(&finding.suggestion).clone();
            layers::open_entry(model, Purpose::Words(finding.key.clone()), &written.unwrap_or(proposed), options)
        }
        Action::Answer => with_question(model, |question| (Purpose::Answer(question.key.clone()), question.answer.clone())),
        Action::Owner => with_question(model, |question| (Purpose::Owner(question.key.clone()), question.owner.clone())),
        Action::Defer if model.screen == Screen::Questions => {
            with_question(model, |question| (Purpose::DeferQuestion(question.key.clone()), question.deferred.clone()))
        }
        Action::Defer => {
            let findings = targets(model);
            layers::open_entry(model, Purpose::Defer(findings), "", Vec::new())
        }
        Action::Reject => {
            let findings = targets(model);
            layers::open_entry(model, Purpose::Reject(findings), "", Vec::new())
        }
        Action::Accept => {
            let findings = targets(model);
            let conflicts = marked_conflicts(model);
            if conflicts > 0 {
                let text =
                    model.say("findings-conflicts-among", &[("count", conflicts.into()), ("total", findings.len().into())]);
                tell(model, Level::Hint, text);
                return Vec::new();
            }
            record(bulk(&findings, |finding| Op::Accept { finding, reason: String::new() }))
        }
        Action::Clear if model.screen == Screen::Questions => match model.current_question() {
            Some((_, question)) => record(Op::ClearQuestion { question: question.key.clone() }),
            None => Vec::new(),
        },
        Action::Clear => record(bulk(&targets(model), |finding| Op::Clear { finding })),
        _ => Vec::new(),
    }
}

fn with_conflict(model: &mut Model, text: impl Fn(&Finding) -> (String, Vec<String>)) -> Vec<Cmd> {
    let Some(finding) = model.current_conflict() else { return Vec::new() };
    let (mut begin, others) = text(finding);
    if let Some(written) = finding.resolution.as_ref().and_then(|resolution| resolution.text.clone()) {
        begin = written;
    }
    let purpose = Purpose::Words(finding.key.clone());
    layers::open_entry(model, purpose, &begin, others)
}

fn with_question(model: &mut Model, text: impl Fn(&crate::model::finding::Question) -> (Purpose, Option<String>)) -> Vec<Cmd> {
    let Some((_, question)) = model.current_question() else { return Vec::new() };
    let (purpose, begin) = text(question);
    layers::open_entry(model, purpose, &begin.unwrap_or_default(), Vec::new())
}

/// The findings a decision is about: the conflict on Decide; on Findings the marked ones, else the one under the cursor.
pub fn targets(model: &Model) -> Vec<FindingKey> {
    match model.screen {
        Screen::Decide => model.current_conflict().map(|finding| finding.key.clone()).into_iter().collect(),
        _ if !model.findings.marked.is_empty() => {
            let marked = |finding: &&Finding| model.findings.marked.contains(&finding.key);
            model.decided.findings.iter().filter(marked).map(|finding| finding.key.clone()).collect()
        }
        _ => model.current_finding().map(|finding| finding.key.clone()).into_iter().collect(),
    }
}

/// How many of the marked findings are conflicts.
fn marked_conflicts(model: &Model) -> usize {
    if model.findings.marked.is_empty() {
        return 0;
    }
    let conflicts = model.decided.conflicts.iter().map(|&index| &model.decided.findings[index].key);
    conflicts.filter(|key| model.findings.marked.contains(key)).count()
}

/// Why a decision cannot be made where the cursor stands.
pub fn why_not_decide(action: Action, place: Place, model: &Model) -> Option<&'static str> {
    if place == Place::Questions {
        return model.current_question().is_none().then_some("why-no-question");
    }
    if place == Place::Decide {
        return model.current_conflict().is_none().then_some("why-no-conflict");
    }
    let current = model.current_finding();
    // The marked ones, wherever the cursor stands; for own words the one under it.
    if !model.findings.marked.is_empty() && action != Action::EditWords {
        return None;
    }
    match (action, current) {
        (_, None) => Some("why-no-finding"),
        (Action::Accept, Some(finding)) if finding.is_conflict() => Some("why-conflict"),
        (Action::EditWords, Some(finding)) => {
            let others = model.findings.marked.len() > usize::from(model.findings.marked.contains(&finding.key));
            others.then_some("why-one-at-a-time")
        }
        _ => None,
    }
}

/// The option that a command takes, from 0.
pub fn option_number(action: Action) -> Option<usize> {
    const ALL: [Action; 9] = [
        Action::Choose1,
        Action::Choose2,
        Action::Choose3,
        Action::Choose4,
        Action::Choose5,
        Action::Choose6,
        Action::Choose7,
        Action::Choose8,
        Action::Choose9,
    ];
    ALL.iter().position(|&one| one == action)
}

fn other_option(model: &mut Model) {
    if let Some(Layer::Entry(entry)) = model.layers.last_mut() {
        entry.bring_next();
        layers::changed(model);
    }
}

fn go(model: &mut Model, screen: Screen) -> Vec<Cmd> {
    model.screen = screen;
    if screen == Screen::Report && model.desk.as_deref() == Some(SETTLE) {
        return vec![Cmd::Wish(Wish::Preview)];
    }
    Vec::new()
}

fn turn(model: &mut Model, forward: bool) -> Vec<Cmd> {
    let screens: Vec<Screen> = Screen::ALL
        .into_iter()
        .filter(|screen| match screen {
            Screen::Decide => !model.decided.conflicts.is_empty(),
            Screen::Questions => !model.decided.questions.is_empty(),
            _ => true,
        })
        .collect();
    let at = screens.iter().position(|&screen| screen == model.screen).unwrap_or(0);
    let next = if forward { at + 1 } else { at + screens.len() - 1 } % screens.len();
    go(model, screens[next])
}

/// What needs a person first.
#[derive(Clone, Debug, PartialEq)]
pub enum Needed {
    /// An agent without an answer.
    Agent(String),
    /// A round to look at.
    Round,
    /// A gate, while a past moment is looked at.
    Gate,
    /// A conflict.
    Conflict,
    /// A question that holds up writing.
    Question,
}

/// What needs a person first, where anything does.
pub fn needed(model: &Model) -> Option<Needed> {
    if let Some(step) = model.errands.keys().next() {
        return Some(Needed::Agent(step.clone()));
    }
    let waits = |(key, step): (&String, _)| (Standing::of(step) == Standing::NeedsYou).then(|| Needed::Agent(key.clone()));
    if let Some(agent) = model.history.now().steps.iter().find_map(waits) {
        return Some(agent);
    }
    if model.past.is_some() && model.desk.is_some() {
        return Some(Needed::Gate);
    }
    if model.at_round().is_some() {
        return Some(Needed::Round);
    }
    if !model.decided.open.conflicts.is_empty() {
        return Some(Needed::Conflict);
    }
    (!model.decided.open.policy.is_empty()).then_some(Needed::Question)
}

/// Whether what needs a person first is what the screen shows.
pub fn is_at_needed(model: &Model) -> bool {
    match needed(model) {
        Some(Needed::Agent(step)) => model.screen == Screen::Run && model.current_agent().as_ref() == Some(&step),
        Some(Needed::Round) => model.screen == Screen::Run && model.run.output.is_none(),
        Some(Needed::Conflict) => {
            model.screen == Screen::Decide && model.current_conflict().is_some_and(Finding::is_open_conflict)
        }
        Some(Needed::Question) => {
            let blocks = |(_, question): (&Finding, &crate::model::finding::Question)| question.blocks_writing();
            model.screen == Screen::Questions && model.current_question().is_some_and(blocks)
        }
        Some(Needed::Gate) | None => false,
    }
}

fn go_needed(model: &mut Model) -> Vec<Cmd> {
    if model.past.is_some() {
        to_now(model);
    }
    match needed(model) {
        Some(Needed::Agent(step)) => {
            model.screen = Screen::Run;
            model.run.output = None;
            model.run.order = model.agents();
            model.run.cursor = Some(step);
        }
        Some(Needed::Round) => {
            model.screen = Screen::Run;
            model.run.output = None;
        }
        Some(Needed::Conflict) => {
            model.screen = Screen::Decide;
            to_open_conflict(model);
        }
        Some(Needed::Question) => {
            model.screen = Screen::Questions;
            to_open_question(model);
        }
        Some(Needed::Gate) | None => {}
    }
    Vec::new()
}

/// To the next open conflict, beginning with the one at hand.
pub fn to_open_conflict(model: &mut Model) {
    let count = model.decided.conflicts.len();
    let open = |place: &usize| {
        let index = model.decided.conflicts[*place];
        model.decided.findings[index].is_open_conflict()
    };
    if let Some(place) = (0..count).map(|ahead| (model.conflict + ahead) % count).find(open) {
        model.conflict = place;
        model.conflict_scroll = 0;
    }
}

/// To the next question that holds up writing, else the next open one, beginning with the one at hand.
pub fn to_open_question(model: &mut Model) {
    let count = model.decided.questions.len();
    let places: Vec<usize> = (0..count).map(|ahead| (model.question + ahead) % count).collect();
    let question = |place: &usize| {
        let (finding, place) = model.decided.questions[*place];
        &model.decided.findings[finding].blocked_on[place]
    };
    let blocking = places.iter().find(|place| question(place).blocks_writing());
    if let Some(&place) = blocking.or_else(|| places.iter().find(|place| question(place).is_open())) {
        model.question = place;
        model.question_scroll = 0;
    }
}

/// After a decision is on the disk: on to the next open item; to the item of what was taken back or brought back.
pub fn after_decision(model: &mut Model, op: &Op) {
    match (model.screen, op) {
        (_, Op::Undo {} | Op::Redo {}) => {
            let records = model.gate().map(|gate| model.records(gate)).unwrap_or_default();
            let ledger = if matches!(op, Op::Undo {}) { ledger::redoable } else { ledger::undoable };
            if let Some(op) = ledger(records).map(|record| record.op.clone()) {
                show(model, &op);
            }
        }
        (Screen::Decide, Op::Choose { .. } | Op::Write { .. } | Op::Reject { .. } | Op::Defer { .. }) => to_open_conflict(model),
        (Screen::Questions, Op::Answer { .. } | Op::DeferQuestion { .. }) => to_open_question(model),
        (Screen::Findings, Op::Bulk { .. }) => model.findings.marked.clear(),
        (
            Screen::Findings,
            Op::Accept { finding, .. } | Op::Reject { finding, .. } | Op::Defer { finding, .. } | Op::Write { finding, .. },
        ) => {
            model.findings.marked.remove(finding);
            // Where a filter has taken it away, the next one stands under the cursor already.
            if model.current_finding().is_some_and(|current| current.key == *finding) {
                let last = model.findings.shown.len().saturating_sub(1);
                model.findings.cursor = (model.findings.cursor + 1).min(last);
                model.findings.scroll = 0;
            }
        }
        _ => {}
    }
}

/// A page: of what is read, or of the finding of a round that is looked at.
fn page(model: &mut Model, by: isize) {
    let at_round = model.screen == Screen::Run && model.at_round().is_some() && model.run.output.is_none();
    if at_round && model.layers.is_empty() {
        model.run.round_scroll = model.run.round_scroll.saturating_add_signed(by);
    } else {
        step(model, by);
    }
}

/// Brings the item that a record is about to where it can be seen, if it belongs on the screen at hand.
fn show(model: &mut Model, op: &Op) {
    let Some(one) = told::members(op).first() else { return };
    match (model.screen, one) {
        (
            Screen::Decide,
            Op::Choose { finding, .. }
            | Op::Write { finding, .. }
            | Op::Reject { finding, .. }
            | Op::Defer { finding, .. }
            | Op::Clear { finding },
        ) => {
            let is_it = |&index: &usize| model.decided.findings[index].key == *finding;
            if let Some(place) = model.decided.conflicts.iter().position(is_it) {
                (model.conflict, model.conflict_scroll) = (place, 0);
            }
        }
        (
            Screen::Questions,
            Op::Answer { question, .. }
            | Op::Assign { question, .. }
            | Op::DeferQuestion { question, .. }
            | Op::ClearQuestion { question },
        ) => {
            let is_it = |&(finding, place): &(usize, usize)| model.decided.findings[finding].blocked_on[place].key == *question;
            if let Some(place) = model.decided.questions.iter().position(is_it) {
                (model.question, model.question_scroll) = (place, 0);
            }
        }
        _ => {}
    }
}

pub(super) fn moved(at: usize, by: isize, len: usize) -> usize {
    at.saturating_add_signed(by).min(len.saturating_sub(1))
}

/// Up and down: the cursor, or the lines of what is read.
fn step(model: &mut Model, by: isize) {
    match model.layers.last_mut() {
        Some(Layer::Help(top) | Layer::Log(top)) => {
            *top = top.saturating_add_signed(by);
            return;
        }
        Some(Layer::Sending(sending)) => {
            sending.top = sending.top.saturating_add_signed(by);
            return;
        }
        Some(Layer::Palette(field, cursor)) => {
            let (text, at) = (field.text(), *cursor);
            let at = moved(at, by, super::screens::palette::matches(&text, model).len());
            if let Some(Layer::Palette(_, cursor)) = model.layers.last_mut() {
                *cursor = at;
            }
            return;
        }
        Some(_) => return,
        None => {}
    }
    match model.screen {
        Screen::Run if model.run.output.is_some() => scroll_output(model, by),
        Screen::Run => match model.at_round() {
            Some(round) => {
                model.run.round_cursor = moved(model.run.round_cursor, by, model.round_findings(round).len());
                model.run.round_scroll = 0;
            }
            None => move_agent(model, by),
        },
        Screen::Decide => model.conflict_scroll = model.conflict_scroll.saturating_add_signed(by),
        Screen::Questions => model.question_scroll = model.question_scroll.saturating_add_signed(by),
        Screen::Findings if model.findings.open => model.findings.scroll = model.findings.scroll.saturating_add_signed(by),
        Screen::Findings => lists::to_finding(model, by),
        Screen::Report => lists::step_report(model, by),
    }
}

fn move_agent(model: &mut Model, by: isize) {
    let order = model.agents();
    let at = model.run.cursor.as_ref().and_then(|cursor| order.iter().position(|key| key == cursor));
    let next = match at {
        Some(at) => moved(at, by, order.len()),
        None if by > 0 && by < isize::MAX / 4 => 0,
        None => moved(0, by, order.len()),
    };
    model.run.cursor = order.get(next).cloned();
    model.run.order = order;
}

/// Folds or unfolds the agents that are done; a cursor on one of them goes to the line that folds them.
fn unfold(model: &mut Model) {
    model.run.unfolded = !model.run.unfolded;
    let rows = super::rows::listed(model.view(), model.run.unfolded, None);
    if let Some(cursor) = &model.run.cursor
        && !rows.contains(cursor)
    {
        model.run.cursor = rows.iter().any(|key| key == FOLD).then(|| FOLD.to_owned());
    }
    model.run.order = rows;
}

/// Scrolls the output; the end is followed again where it is reached.
fn scroll_output(model: &mut Model, by: isize) {
    let (bottom, rows) = (model.rows.saturating_sub(model.page), model.rows);
    let Some(pane) = &mut model.run.output else { return };
    let output = if pane.prompt.is_some() { None } else { model.outputs.get(&pane.step) };
    let dropped = output.map_or(0, |output| output.dropped);
    let top = if pane.follow { bottom } else { pane.top.saturating_sub(dropped.saturating_sub(pane.dropped)) };
    if pane.follow {
        pane.seen = rows;
    }
    (pane.top, pane.dropped) = (top.saturating_add_signed(by).min(bottom), dropped);
    pane.follow = pane.top >= bottom && (by > 0 || bottom == 0);
}

fn follow(model: &mut Model) {
    let (bottom, rows) = (model.rows.saturating_sub(model.page), model.rows);
    if let Some(pane) = &mut model.run.output {
        pane.follow = !pane.follow;
        pane.dropped = model.outputs.get(&pane.step).map_or(0, |output| output.dropped);
        (pane.top, pane.seen) = (bottom, rows);
    }
}

fn item(model: &mut Model, by: isize) {
    let around = |at: usize, len: usize| if len == 0 { 0 } else { (at as isize + by).rem_euclid(len as isize) as usize };
    match model.screen {
        Screen::Decide => {
            model.conflict = around(model.conflict, model.decided.conflicts.len());
            model.conflict_scroll = 0;
        }
        Screen::Questions => {
            model.question = around(model.question, model.decided.questions.len());
            model.question_scroll = 0;
        }
        Screen::Findings => lists::to_finding(model, by),
        _ => {}
    }
}

fn open(model: &mut Model) -> Vec<Cmd> {
    match model.screen {
        Screen::Run if model.run.cursor.as_deref() == Some(FOLD) && model.at_round().is_none() => unfold(model),
        Screen::Run => {
            let Some(step) = model.current_agent() else { return Vec::new() };
            let attempt = model.view().steps.get(&step).map_or(1, |step| step.attempts);
            let known = model.outputs.contains_key(&step);
            // What is over is read from its beginning, as it came about.
            let goes_on = model.view().steps.get(&step).is_none_or(super::rows::goes_on);
            model.run.output = Some(Pane::output(&step, goes_on && model.errand(&step).is_none()));
            if !known && attempt > 0 {
                return vec![Cmd::Wish(Wish::Output { step, attempt })];
            }
        }
        Screen::Findings => match model.finding_row(model.findings.cursor) {
            Some(Row::Fold) => lists::unfold_out(model),
            _ => {
                model.findings.open = true;
                model.findings.scroll = 0;
            }
        },
        Screen::Report => lists::jump(model),
        Screen::Decide if !model.decided.open.conflicts.is_empty() => {
            // The next one after this, even where this one is open itself.
            model.conflict = (model.conflict + 1) % model.decided.conflicts.len();
            to_open_conflict(model);
        }
        _ => return go_needed(model),
    }
    Vec::new()
}

/// Opens the exact prompt of the agent at hand; where it is open, leads back to what lies below it.
fn prompt(model: &mut Model) -> Vec<Cmd> {
    if model.run.output.as_ref().is_some_and(|pane| pane.prompt.is_some()) {
        return layers::back(model);
    }
    let Some(step) = model.current_agent() else { return Vec::new() };
    let attempt = model.view().steps.get(&step).map_or(1, |step| step.attempts.max(1));
    // Of another attempt, it may be another text.
    model.prompt = None;
    model.run.output = Some(Pane::prompt(&step, model.run.output.take()));
    vec![Cmd::Wish(Wish::Prompt { step, attempt })]
}

/// A wish about the agent at hand, said at once: what comes of it may take a while.
fn of_agent(model: &mut Model, say: &str, wish: impl Fn(String) -> Wish) -> Vec<Cmd> {
    let Some(step) = model.current_agent() else { return Vec::new() };
    let text = model.say(say, &[("agent", model.agent_name(&step).into())]);
    tell(model, Level::Hint, text);
    vec![Cmd::Wish(wish(step))]
}

/// All failed agents that wait for a person are asked again.
fn retry_all(model: &mut Model) -> Vec<Cmd> {
    let waiting = model.waiting_for_you();
    let text = model.say("run-asks-all-again", &[("count", (waiting.len() as u64).into())]);
    tell(model, Level::Hint, text);
    waiting.into_iter().map(|step| Cmd::Wish(Wish::Retry { step })).collect()
}

/// The finding under the cursor while a round is looked at.
pub fn round_finding(model: &Model) -> Option<&Found> {
    let round = model.at_round()?;
    model.round_findings(round).get(model.run.round_cursor).copied()
}

/// Whether a finding of the round is struck.
pub fn is_struck(model: &Model, key: &FindingKey) -> bool {
    let Some(gate) = model.desk.as_deref() else { return false };
    let mut struck = false;
    for record in ledger::effective(model.records(gate)) {
        match &record.op {
            Op::Strike { finding, .. } if finding == key => struck = true,
            Op::Clear { finding } if finding == key => struck = false,
            _ => {}
        }
    }
    struck
}

fn strike(model: &Model) -> Vec<Cmd> {
    let Some(key) = round_finding(model).and_then(|found| found.key.clone()) else { return Vec::new() };
    match is_struck(model, &key) {
        true => record(Op::Clear { finding: key }),
        false => record(Op::Strike { finding: key, reason: String::new() }),
    }
}

fn write(model: &mut Model) -> Vec<Cmd> {
    if model.ended.as_ref().is_some_and(|ended| ended.fault.is_some()) {
        say(model, Level::Hint, "hint-trying-again");
        return vec![Cmd::Wish(Wish::Close)];
    }
    if model.decided.open.block_writing() {
        say(model, Level::Hint, "hint-still-open");
        return go_needed(model);
    }
    vec![Cmd::Wish(Wish::Close)]
}

/// Whether Esc leads anywhere.
pub fn has_level_back(model: &Model) -> bool {
    model.screen != Screen::Run || model.run.output.is_some() || model.run.cursor.is_some() || model.past.is_some()
}

/// The moments people step through, each as the number of events before it: the plan, the fan-out, each round, settling.
fn moments(model: &Model) -> Vec<usize> {
    let is_moment = |event: &crate::model::event::Event| {
        event.kind == Kind::Fixed
            && (event.key == "plan" || event.key == "fan_out" || event.key == "settle" || event.key.starts_with("round/"))
    };
    model.history.events().iter().enumerate().filter(|(_, event)| is_moment(event)).map(|(index, _)| index + 1).collect()
}

/// The past moment that is looked at: what it is in words, which one it is, from 1, and how many there are.
pub fn moment(model: &Model) -> Option<(String, usize, usize)> {
    let (at, _) = model.past.as_ref()?;
    let moments = moments(model);
    let number = moments.iter().position(|moment| moment == at)? + 1;
    let key = model.history.events().get(at.checked_sub(1)?)?.key.as_str();
    let what = match key.strip_prefix("round/") {
        Some(round) => model.say("moment-round", &[("round", round.into())]),
        None if key == "plan" => model.word("moment-plan"),
        None if key == "fan_out" => model.word("moment-fan-out"),
        None => model.word("moment-settle"),
    };
    Some((what, number, moments.len()))
}

/// The moment before the one that is looked at.
pub fn earlier(model: &Model) -> Option<usize> {
    let at = model.past.as_ref().map_or(model.history.events().len(), |(at, _)| *at);
    moments(model).into_iter().rev().find(|&moment| moment < at)
}

/// The moment after it; none where that is now.
fn later(model: &Model) -> Option<usize> {
    let (at, _) = model.past.as_ref()?;
    moments(model).into_iter().find(|moment| moment > at)
}

/// Back from a past moment.
pub fn to_now(model: &mut Model) {
    look_at(model, None);
}

fn look_at(model: &mut Model, moment: Option<usize>) {
    model.past = moment.map(|at| (at, Box::new(model.history.at(at))));
    model.decide_again();
}

/// The line of the document that is at hand.
pub fn document_line(model: &Model) -> Option<u32> {
    let finding = match model.screen {
        Screen::Run if model.run.output.is_none() => return round_finding(model).map(|found| found.line.max(1)),
        Screen::Decide => model.current_conflict(),
        Screen::Findings => model.current_finding(),
        Screen::Questions => model.current_question().map(|(finding, _)| finding),
        _ => None,
    };
    finding.map(|finding| finding.line.max(1))
}
