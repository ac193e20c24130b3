//! `update`: what a message does to the model, and what it asks of the loop. No clock, no IO.

use super::commands::{self, Action, Meaning, Place};
use super::entry::Purpose;
use super::field::FieldEvent;
use super::keys;
use super::live::Output;
use super::message::{Cmd, Msg, Now};
use super::model::{Difference, Layer, Level, Message, Model, SETTLE, Screen};
use super::port::{Access, Input, Wish};
use super::rows::{FOLD, Standing, goes_on, is_agent};
use super::{acts, faults, layers, lists, screens, sending};
use crate::model::event::Kind;
use crate::model::gate::Op;
use crate::model::shown::Shown;
use crate::model::view::StepState;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How long a first Ctrl-C counts, in milliseconds.
const ARMED_FOR: u64 = 2_000;
/// How long after a paste single keys are no commands, in milliseconds.
const JUST_PASTED: u64 = 50;
/// How old a draft may become before it is on its way to the disk, in milliseconds.
pub const DRAFT_AFTER: u64 = 800;

/// Takes a message in.
pub fn update(model: &mut Model, msg: Msg, now: Now) -> Vec<Cmd> {
    model.now = now;
    let mut cmds = take_in(model, msg);
    note_decisions(model, &cmds);
    while model.in_flight.is_empty() && !model.typed_ahead.is_empty() {
        let key = model.typed_ahead.remove(0);
        let more = on_key(model, key);
        note_decisions(model, &more);
        cmds.extend(more);
    }
    cmds
}

/// Keys that are kept while a decision is on its way to the disk.
const TYPED_AHEAD: usize = 64;

/// Whether a key must wait: it was pressed for what the screen shows once the decision before it is on the disk.
fn waits(model: &Model, key: &KeyEvent) -> bool {
    let busy = !model.in_flight.is_empty() && model.layers.is_empty();
    busy && keys::name(key).is_some_and(|name| name != "ctrl-c")
}

fn note_decisions(model: &mut Model, cmds: &[Cmd]) {
    for cmd in cmds {
        if let Cmd::Wish(Wish::Record(op)) = cmd
            && !matches!(op, Op::Draft { .. })
        {
            model.in_flight.push(op.clone());
        }
    }
}

/// A decision is on the disk, or will not get there.
fn landed(model: &mut Model, op: &Op) {
    if let Some(place) = model.in_flight.iter().position(|sent| sent == op) {
        model.in_flight.remove(place);
    }
}

fn take_in(model: &mut Model, msg: Msg) -> Vec<Cmd> {
    match msg {
        Msg::Key(key) if waits(model, &key) => {
            if model.typed_ahead.len() < TYPED_AHEAD {
                model.typed_ahead.push(key);
            }
            Vec::new()
        }
        Msg::Key(key) => on_key(model, key),
        Msg::Paste(text) => on_paste(model, &text),
        Msg::Resize => Vec::new(),
        Msg::Input(input) => on_input(model, input),
        Msg::Tick => on_tick(model),
        Msg::Resumed => vec![Cmd::Redraw],
        Msg::Edited(result) => layers::edited(model, result),
        Msg::Looked(result) => {
            if let Err(kept) = result {
                let why = kept.say(&model.words);
                tell(model, Level::Error, why);
            }
            vec![Cmd::Redraw]
        }
        Msg::Copied(copied) => {
            let text = copied.say(&model.words);
            tell(model, Level::Hint, text);
            Vec::new()
        }
    }
}

/// When `update` wants to be called again, in the screen's milliseconds; `None` while nothing moves by itself.
pub fn wake_at(model: &Model) -> Option<u64> {
    let second = model.is_running().then(|| (model.now.ms / 1_000 + 1) * 1_000);
    [second, model.draft_due].into_iter().flatten().min()
}

fn on_tick(model: &mut Model) -> Vec<Cmd> {
    match model.draft_due {
        Some(due) if due <= model.now.ms => layers::keep_draft(model),
        _ => Vec::new(),
    }
}

/// Shows a line and keeps it in the log.
pub fn tell(model: &mut Model, level: Level, text: String) {
    let message = Message { level, text: Shown::line(&text).to_string() };
    model.log.push(message.clone());
    model.message = Some(message);
}

/// Shows a message of the catalogue.
pub fn say(model: &mut Model, level: Level, id: &str) {
    let text = model.word(id);
    tell(model, level, text);
}

fn on_paste(model: &mut Model, text: &str) -> Vec<Cmd> {
    model.pasted = Some(model.now.ms);
    match model.layers.last_mut() {
        Some(Layer::Entry(entry)) => {
            entry.field.paste(text);
            layers::changed(model);
        }
        Some(Layer::Palette(field, cursor)) => {
            field.paste(text);
            *cursor = 0;
        }
        _ => say(model, Level::Hint, "hint-paste"),
    }
    Vec::new()
}

fn on_key(model: &mut Model, key: KeyEvent) -> Vec<Cmd> {
    let Some(name) = keys::name(&key) else { return Vec::new() };
    if name != "ctrl-c" {
        model.armed = None;
    }
    if model.message.as_ref().is_some_and(|message| message.level != Level::Error || name == "esc") {
        let was_error = model.message.take().is_some_and(|message| message.level == Level::Error);
        if was_error {
            return Vec::new();
        }
    }
    if model.layers.last().is_some_and(|layer| matches!(layer, Layer::Entry(_) | Layer::Palette(..))) {
        return typed(model, key, &name);
    }
    let just_pasted = model.pasted.is_some_and(|at| model.now.ms.saturating_sub(at) < JUST_PASTED);
    if just_pasted && (name.chars().count() == 1 || name == "enter" || name == "space") {
        model.pasted = Some(model.now.ms);
        return Vec::new();
    }
    act_on(model, &name)
}

/// Keys in a text area: commands of the area first, all else is typed.
fn typed(model: &mut Model, key: KeyEvent, name: &str) -> Vec<Cmd> {
    // Enter belongs to the field first: within a burst of typed text it is a line break, not the end.
    if name != "enter"
        && let Meaning::Do(action) = commands::meaning(name, model)
        && action != Action::LineBreak
    {
        return acts::act(model, action);
    }
    let now = model.now.ms;
    match model.layers.last_mut() {
        Some(Layer::Entry(entry)) if entry.sent.is_none() => match entry.field.key(key, now) {
            FieldEvent::Submit => return acts::act(model, Action::Submit),
            FieldEvent::Changed => layers::changed(model),
            FieldEvent::Moved | FieldEvent::Ignored => {}
        },
        Some(Layer::Palette(field, cursor)) => match field.key(key, now) {
            FieldEvent::Submit => return acts::act(model, Action::Submit),
            FieldEvent::Changed => *cursor = 0,
            FieldEvent::Moved | FieldEvent::Ignored => {}
        },
        _ => {}
    }
    Vec::new()
}

fn act_on(model: &mut Model, name: &str) -> Vec<Cmd> {
    match commands::meaning(name, model) {
        Meaning::Do(action) => acts::act(model, action),
        Meaning::NotNow(command, why) => {
            let (what, why) = (model.word(command.say), model.word(why));
            let text =
                model.say("hint-not-now", &[("key", keys::shown(name).into()), ("what", what.into()), ("why", why.into())]);
            tell(model, Level::Hint, text);
            Vec::new()
        }
        Meaning::Nothing => {
            let id = if name.is_ascii() { "hint-no-command" } else { "hint-layout" };
            let text = model.say(id, &[("key", keys::shown(name).into())]);
            tell(model, Level::Hint, text);
            Vec::new()
        }
    }
}

/// Ctrl-C: what lies over the screen goes; then it arms, and a second one within two seconds leaves.
pub fn interrupt(model: &mut Model) -> Vec<Cmd> {
    if model.armed.is_some_and(|at| model.now.ms.saturating_sub(at) <= ARMED_FOR) {
        return layers::leave(model);
    }
    let mut cmds = Vec::new();
    if !model.layers.is_empty() && !matches!(model.layers.last(), Some(Layer::Sending(_))) {
        cmds = layers::close(model);
    }
    model.armed = Some(model.now.ms);
    say(model, Level::Hint, "hint-again-to-quit");
    cmds
}

fn on_input(model: &mut Model, input: Input) -> Vec<Cmd> {
    match input {
        Input::Event(event) => return on_event(model, *event),
        Input::Text => {}
        Input::Desk { gate } => return on_desk(model, gate),
        Input::DeskGone => model.desk = None,
        Input::Unsaved { op, why } => {
            landed(model, &op);
            // What was pressed for the screen after it makes no sense now.
            model.typed_ahead.clear();
            layers::unsaved(model, &op);
            tell(model, Level::Error, why);
        }
        Input::Preview(preview) => {
            model.difference = match (&preview.there, &preview.refusal) {
                (_, Some(_)) => Difference::default(),
                (there, None) => Difference::between(there.as_deref().unwrap_or_default(), &preview.text),
            };
            model.preview = Some(preview);
        }
        Input::Output { step, text } => {
            let attempt = model.view().steps.get(&step).map_or(1, |step| step.attempts);
            let output = model.outputs.entry(step).or_default();
            if output.lines.is_empty() {
                output.add(attempt, &text, 0);
            }
        }
        Input::Sending { estimate, file, one_model } => return sending::open(model, estimate, file, one_model),
        Input::Sent => sending::close(model),
        Input::Prompt { step, text } => {
            if model.run.output.as_ref().is_some_and(|pane| pane.prompt.is_some() && pane.step == step) {
                model.prompt = Some((step, Output::whole(&text)));
            }
        }
        Input::Errand { step, text, about } => return layers::errand(model, step, text, &about),
        Input::ErrandGone { step } => {
            model.errands.remove(&step);
        }
        Input::Leave => return layers::leave(model),
        Input::Notice(text) => tell(model, Level::Hint, text),
        Input::Ended(ended) => {
            model.desk = None;
            model.in_flight.clear();
            sending::close(model);
            match &ended.fault {
                Some((what, hint)) => {
                    let text = if hint.is_empty() { what.clone() } else { format!("{what}; {hint}") };
                    tell(model, Level::Error, text);
                    // Where the gate has closed, a decision opens it again.
                    let gate = model.history.now().gates.get(SETTLE);
                    model.reopens = gate.is_some_and(|gate| !gate.open && gate.closed_by.is_some());
                }
                None => {
                    model.reopens = true;
                    let path = ended.written.clone().unwrap_or_default();
                    let text = model.say("hint-written", &[("path", path.into())]);
                    tell(model, Level::Done, text);
                }
            }
            if model.access == Access::Write {
                model.screen = Screen::Report;
                model.report_scroll = 0;
            }
            model.ended = Some(ended);
            model.decide_again();
            return vec![Cmd::Bell, Cmd::Wish(Wish::Preview)];
        }
    }
    Vec::new()
}

fn on_event(model: &mut Model, event: crate::model::event::Event) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    let decides =
        matches!(event.kind, Kind::GateRecord | Kind::GateReopened) || (event.kind == Kind::Fixed && event.key == "settle");
    let failed = (event.kind == Kind::AttemptFailed).then(|| event.key.clone());
    if event.kind == Kind::StepStarted && event.attempt > 0 {
        // What an earlier attempt said is no news of this one.
        model.outputs.entry(event.key.clone()).and_modify(|output| output.begin(event.attempt));
    }
    if event.kind == Kind::SendingConfirmed || (event.kind == Kind::StepStarted && is_agent(&event.key)) {
        sending::close(model);
    }
    let saved = (event.kind == Kind::GateRecord).then(|| event.body.read::<crate::model::gate::GateRecord>().ok()).flatten();
    if matches!(event.kind, Kind::GateReopened | Kind::RunResumed) {
        // It goes on: what the last pass ended with is told no longer.
        model.ended = None;
        model.message.take_if(|message| message.level == Level::Error);
    }
    model.history.push(event);
    if model.run.cursor.is_some() {
        // Rows that have joined are held from now on, like the others.
        model.run.order = model.agents();
    }
    if let Some(record) = &saved {
        landed(model, &record.op);
    }
    match &saved {
        // What is typed changes no finding.
        Some(record) if matches!(record.op, Op::Draft { .. }) => model.decided.drafts = model.drafts(),
        _ if decides => model.decide_again(),
        _ => {}
    }
    // What somebody else decides moves nothing under a window that only shows it.
    if let Some(record) = saved
        && model.access == Access::Write
    {
        cmds.extend(layers::saved(model, &record.op));
    }
    if let Some(key) = failed
        && model.history.now().steps.get(&key).map(Standing::of) == Some(Standing::NeedsYou)
        && model.access == Access::Write
    {
        let at_hand = model.screen == Screen::Run && model.current_agent().as_ref() == Some(&key);
        let text = needs_you(model, &key, at_hand);
        tell(model, Level::Hint, text);
        cmds.push(Cmd::Bell);
    }
    cmds
}

/// The line for an agent whose retries are spent: what happened, and what can be done or where it stands.
fn needs_you(model: &Model, key: &str, at_hand: bool) -> String {
    let step = model.history.now().steps.get(key);
    let step_name = model.agent_name(key);
    let class = step.and_then(|step| match step.state {
        StepState::Failed { class, .. } => class,
        _ => None,
    });
    let Some((class, step)) = class.zip(step) else {
        let id = if at_hand { "hint-agent-needs-you" } else { "run-needs-you-elsewhere" };
        return model.say(id, &[("step", step_name.into())]);
    };
    let name = faults::name(&model.words, class);
    let remedy = faults::remedy(&model.words, class, &step.agent);
    match at_hand {
        true => model.say("fault-hint", &[("step", step_name.into()), ("name", name.into()), ("do", remedy.into())]),
        false => model.say("fault-elsewhere", &[("step", step_name.into()), ("name", name.into())]),
    }
}

fn on_desk(model: &mut Model, gate: String) -> Vec<Cmd> {
    let settles = gate == SETTLE;
    model.desk = Some(gate);
    model.reopens = false;
    model.decide_again();
    // Nobody is taken away from a past moment, from what is being typed or read.
    let free = model.past.is_none() && model.layers.is_empty();
    if !free {
        say(model, Level::Hint, "run-waits-for-you");
    }
    if !settles {
        (model.run.round_cursor, model.run.round_scroll) = (0, 0);
        if free {
            model.screen = Screen::Run;
            (model.run.output, model.run.cursor) = (None, None);
            say(model, Level::Hint, "hint-round");
        }
        return vec![Cmd::Bell];
    }
    // Questions begin where one holds up writing.
    acts::to_open_question(model);
    if free && model.screen == Screen::Run {
        model.screen = first_screen(model);
    }
    vec![Cmd::Bell, Cmd::Wish(Wish::Preview)]
}

/// Where a person is needed first: conflicts, then questions that hold up writing, then the list.
fn first_screen(model: &mut Model) -> Screen {
    let open = &model.decided.open;
    if !open.conflicts.is_empty() {
        acts::to_open_conflict(model);
        Screen::Decide
    } else if !open.policy.is_empty() {
        acts::to_open_question(model);
        Screen::Questions
    } else {
        Screen::Findings
    }
}

/// Why a command cannot act now: a message id; `None` where it can.
pub fn why_not(action: Action, place: Place, model: &Model) -> Option<&'static str> {
    let needs = |there: bool, why: &'static str| (!there).then_some(why);
    let writable = || (model.access != Access::Write).then_some("why-read-only").or(model.past.is_some().then_some("why-past"));
    let decides = || match model.can_decide() {
        true => None,
        false => Some(writable().unwrap_or(match &model.ended {
            Some(ended) if ended.fault.is_some() => "why-not-written",
            _ => "why-not-settling",
        })),
    };
    let agent = |wanted: &[Standing], why: &'static str| {
        let step = model.current_agent().and_then(|key| model.view().steps.get(&key).map(Standing::of));
        needs(step.is_some_and(|standing| wanted.contains(&standing)), why)
    };
    match action {
        Action::GoDecide | Action::GoQuestions if model.view().proposal.is_none() => Some("why-not-settling"),
        Action::GoDecide => needs(!model.decided.conflicts.is_empty(), "why-no-conflict"),
        Action::GoQuestions => needs(!model.decided.questions.is_empty(), "why-no-question"),
        Action::GoNeeded => needs(acts::needed(model).is_some(), "why-nothing-needed"),
        Action::Undo => writable().or_else(|| undoes(model, true)),
        Action::Redo => writable().or_else(|| undoes(model, false)),
        Action::RetryAll => writable().or_else(|| needs(model.waiting_for_you().len() > 1, "why-no-failures")),
        Action::Retry | Action::AcceptHole => writable().or_else(|| agent(&[Standing::NeedsYou], "why-needs-nobody")),
        Action::Prompt => needs(model.current_agent().is_some(), "why-no-agent"),
        Action::Bring => writable().or_else(|| needs(acts::current_errand(model).is_some(), "why-no-errand")),
        Action::Follow => match &model.run.output {
            Some(pane) if pane.prompt.is_some() || model.errand(&pane.step).is_some() => Some("why-whole"),
            Some(pane) => {
                let goes_on = model.view().steps.get(&pane.step).is_none_or(goes_on);
                needs(pane.follow || goes_on, "why-over")
            }
            None => None,
        },
        Action::Send | Action::Back if place == Place::Sending => needs(sending::is_open(model), "why-sent"),
        Action::Cancel => writable().or_else(|| agent(&[Standing::Running, Standing::Failed], "why-not-running")),
        Action::Open if place == Place::Run => needs(model.run.output.is_none(), "why-open")
            .or_else(|| needs(model.current_agent().is_some() || model.run.cursor.as_deref() == Some(FOLD), "why-no-agent")),
        Action::Unfold if place == Place::Findings => needs(model.outs() > 0, "why-none-out"),
        Action::Unfold => needs(model.run.output.is_none() && model.at_round().is_none(), "why-no-list").or_else(|| {
            let done = |step: &crate::model::view::StepView| Standing::of(step) == Standing::Done;
            needs(model.view().steps.values().any(done), "why-none-done")
        }),
        Action::Open if place == Place::Findings => needs(!model.findings.open, "why-open")
            .or_else(|| needs(model.finding_row(model.findings.cursor).is_some(), "why-no-finding")),
        Action::Open => needs(screens::report::first_open(model).is_some(), "why-nothing-open"),
        Action::DetailUp | Action::DetailDown => needs(model.finding_rows() > 0, "why-no-finding"),
        Action::StepMode => writable().or_else(|| needs(model.history.now().convergence.is_none(), "why-rounds-over")),
        Action::Earlier => needs(acts::earlier(model).is_some(), "why-no-earlier"),
        Action::Later => needs(model.past.is_some(), "why-no-later"),
        Action::GoOn | Action::StopRounds | Action::AddFinding => writable(),
        Action::Strike => writable().or_else(|| match acts::round_finding(model) {
            Some(found) => needs(found.key.is_some(), "why-added"),
            None => Some("why-no-finding"),
        }),
        Action::Choose1
        | Action::Choose2
        | Action::Choose3
        | Action::Choose4
        | Action::Choose5
        | Action::Choose6
        | Action::Choose7
        | Action::Choose8
        | Action::Choose9 => decides().or_else(|| {
            let options = model.current_conflict().map_or(0, |finding| finding.options.len());
            needs(acts::option_number(action).is_some_and(|number| number < options), "why-no-option")
        }),
        Action::Merge | Action::OwnWords => decides().or_else(|| needs(model.current_conflict().is_some(), "why-no-conflict")),
        Action::Reason => decides()
            .or_else(|| needs(model.current_conflict().is_some_and(|finding| finding.resolution.is_some()), "problem-undecided")),
        Action::Answer | Action::Owner => decides().or_else(|| needs(model.current_question().is_some(), "why-no-question")),
        Action::Defer | Action::Reject | Action::Accept | Action::Clear | Action::EditWords => {
            decides().or_else(|| acts::why_not_decide(action, place, model))
        }
        Action::Mark | Action::MarkAll | Action::Filter | Action::FilterSeverity | Action::FilterStatus => {
            needs(model.is_settling(), "why-coming-in").or_else(|| needs(!model.decided.findings.is_empty(), "why-no-finding"))
        }
        Action::Next | Action::Previous => match place {
            Place::Decide => needs(model.decided.conflicts.len() > 1, "why-only-one"),
            Place::Questions => needs(model.decided.questions.len() > 1, "why-only-one"),
            _ => None,
        },
        Action::Write => writable().or_else(|| match &model.ended {
            Some(ended) if ended.fault.is_none() => Some("why-written"),
            // It is tried again.
            Some(_) => None,
            None => needs(model.desk.as_deref() == Some(SETTLE), "why-not-settling"),
        }),
        Action::Copy | Action::CopyToFile if place == Place::Run => {
            needs(acts::current_errand(model).is_some(), "why-nothing-to-copy")
        }
        Action::Copy | Action::CopyToFile => needs(lists::can_copy(model), "why-nothing-to-copy"),
        Action::OpenDocument => needs(acts::document_line(model).is_some(), "why-no-line"),
        Action::Back if place == Place::Everywhere => needs(acts::has_level_back(model), "why-top"),
        Action::Back | Action::Editor | Action::LineBreak | Action::OtherOption if is_saving(model) => Some("why-saving"),
        Action::OtherOption => match model.layers.last() {
            Some(Layer::Entry(entry)) => needs(entry.others.len() > 1, "why-no-option"),
            _ => Some("why-no-option"),
        },
        Action::LineBreak => match model.layers.last() {
            Some(Layer::Entry(entry)) => needs(!matches!(entry.purpose, Purpose::Owner(_) | Purpose::Filter), "why-one-line"),
            _ => Some("why-one-line"),
        },
        _ => None,
    }
}

/// Whether a text area's words are on their way to the disk.
fn is_saving(model: &Model) -> bool {
    matches!(model.layers.last(), Some(Layer::Entry(entry)) if entry.sent.is_some())
}

fn undoes(model: &Model, undo: bool) -> Option<&'static str> {
    let records = model.gate().map(|gate| model.records(gate)).unwrap_or_default();
    let there = if undo { crate::rules::ledger::undoable(records) } else { crate::rules::ledger::redoable(records) };
    match (there, undo) {
        (Some(_), _) => None,
        (None, true) => Some("why-nothing-to-undo"),
        (None, false) => Some("why-nothing-to-redo"),
    }
}

/// Sends a record on its way.
pub fn record(op: Op) -> Vec<Cmd> {
    vec![Cmd::Wish(Wish::Record(op))]
}

/// A key press by name, for the palette's and the tests' use.
pub fn press(code: KeyCode) -> Msg {
    Msg::Key(KeyEvent::new(code, KeyModifiers::NONE))
}
