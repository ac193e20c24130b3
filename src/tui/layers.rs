//! What lies over a screen: opened, closed, saved. Words that are typed leave it only for the disk.

use super::editor::Kept;
use super::entry::{Entry, Purpose};
use super::field::{Field, Lines};
use super::live::Output;
use super::message::Cmd;
use super::model::{Errand, Layer, Level, Model, Screen};
use super::port::{Access, Wish};
use super::update::{DRAFT_AFTER, record, say, tell};
use crate::model::gate::Op;
use crate::model::shown::Shown;

/// Opens a text area.
pub fn open_entry(model: &mut Model, purpose: Purpose, text: &str, others: Vec<String>) -> Vec<Cmd> {
    let entry = Entry::open(purpose, text, others, model);
    model.layers.push(Layer::Entry(Box::new(entry)));
    Vec::new()
}

/// Opens the palette.
pub fn open_palette(model: &mut Model) {
    model.layers.push(Layer::Palette(Box::new(Field::new("", Lines::One)), 0));
}

/// The text in the area has changed: its draft is due, and a filter takes effect.
pub fn changed(model: &mut Model) {
    let Some(Layer::Entry(entry)) = model.layers.last() else { return };
    if entry.purpose == Purpose::Filter {
        model.findings.filter = entry.field.text();
        model.findings.scroll = 0;
        model.filter_again();
    } else if entry.draft().is_some() {
        model.draft_due.get_or_insert(model.now.ms + DRAFT_AFTER);
    }
}

/// Puts what is typed on its way to the disk.
pub fn keep_draft(model: &mut Model) -> Vec<Cmd> {
    model.draft_due = None;
    if model.gate().is_none() || model.access != Access::Write {
        return Vec::new();
    }
    let mut cmds = Vec::new();
    for layer in &mut model.layers {
        let Layer::Entry(entry) = layer else { continue };
        if let Some(op) = entry.draft() {
            if let Op::Draft { text, .. } = &op {
                entry.drafted.clone_from(text);
            }
            cmds.extend(record(op));
        }
    }
    cmds
}

/// Closes what lies on top; a text area's words are kept as a draft.
pub fn close(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    match model.layers.last() {
        Some(Layer::Entry(entry)) if entry.purpose == Purpose::Filter => {
            model.findings.filter.clear();
            model.filter_again();
        }
        Some(Layer::Entry(entry)) if matches!(entry.purpose, Purpose::Bring(_)) => {
            let (purpose, text) = (entry.purpose.clone(), entry.field.text());
            if let Purpose::Bring(step) = purpose
                && let Some(errand) = model.errands.get_mut(&step)
            {
                errand.draft = text;
            }
        }
        Some(Layer::Entry(entry)) => {
            let worth_keeping = !entry.words_of_their_own().is_empty();
            cmds = keep_draft(model);
            if worth_keeping {
                say(model, Level::Hint, "hint-draft-kept");
            }
        }
        _ => {}
    }
    model.layers.pop();
    cmds
}

/// Enter on what lies on top.
pub fn submit(model: &mut Model) -> Vec<Cmd> {
    match model.layers.last() {
        Some(Layer::Entry(entry)) if entry.purpose == Purpose::Filter => {
            model.layers.pop();
            Vec::new()
        }
        Some(Layer::Entry(entry)) if matches!(entry.purpose, Purpose::Bring(_)) => bring(model),
        Some(Layer::Entry(entry)) => {
            let op = entry.purpose.op(&entry.field.text(), model);
            match op {
                Ok(op) => send(model, op),
                Err(problem) => {
                    say(model, Level::Hint, problem);
                    Vec::new()
                }
            }
        }
        Some(Layer::Palette(field, cursor)) => {
            let found = super::screens::palette::matches(&field.text(), model);
            let chosen = found.get(*cursor).map(|command| command.action);
            model.layers.pop();
            chosen.map(|action| super::acts::act(model, action)).unwrap_or_default()
        }
        Some(Layer::Leave) => vec![Cmd::Quit],
        Some(Layer::Hole(step)) => {
            let step = step.clone();
            model.layers.pop();
            vec![Cmd::Wish(Wish::AcceptHole { step })]
        }
        _ => Vec::new(),
    }
}

/// Opens the area for the answer to the question at hand, with what was typed of it before.
pub fn open_bring(model: &mut Model) -> Vec<Cmd> {
    let Some(step) = model.current_agent() else { return Vec::new() };
    let Some(errand) = model.errands.get(&step) else { return Vec::new() };
    let text = errand.draft.clone();
    open_entry(model, Purpose::Bring(step), &text, Vec::new())
}

/// An answer goes to whoever waits for it. Whether it can be read is said by what is asked next.
fn bring(model: &mut Model) -> Vec<Cmd> {
    let Some(Layer::Entry(entry)) = model.layers.last() else { return Vec::new() };
    let Purpose::Bring(step) = entry.purpose.clone() else { return Vec::new() };
    let text = entry.field.text();
    if text.trim().is_empty() {
        say(model, Level::Hint, "problem-empty");
        return Vec::new();
    }
    model.layers.pop();
    if model.errands.remove(&step).is_none() {
        say(model, Level::Error, "errand-gone");
        return Vec::new();
    }
    let told = model.say("errand-brought", &[("step", model.agent_name(&step).into())]);
    tell(model, Level::Done, told);
    vec![Cmd::Wish(Wish::Bring { step, text })]
}

/// A question to be carried, or the next one about the same step.
pub fn errand(model: &mut Model, step: String, text: String, about: &str) -> Vec<Cmd> {
    let name = model.agent_name(&step);
    let draft = model.errands.remove(&step).map(|before| before.draft).unwrap_or_default();
    let shown = Output::whole(&Shown::block(&text).to_string());
    model.errands.insert(step, Errand { text, shown, draft });
    let count = model.errands.len();
    let told = match about.lines().find(|line| !line.trim().is_empty()) {
        Some(about) => model.say("errand-again", &[("step", name.into()), ("about", about.into())]),
        None => model.say("errand-waits", &[("count", count.into())]),
    };
    tell(model, Level::Hint, told);
    vec![Cmd::Bell]
}

/// The words of an area go to the disk; it closes when they are there.
fn send(model: &mut Model, op: Op) -> Vec<Cmd> {
    model.draft_due = None;
    if let Some(Layer::Entry(entry)) = model.layers.last_mut() {
        entry.sent = Some(op.clone());
    }
    record(op)
}

/// A record is on the disk: the area it came from closes, and its draft goes.
pub fn saved(model: &mut Model, op: &Op) -> Vec<Cmd> {
    let mut cmds = Vec::new();
    // A reason belongs to what is decided already: who gave it stays to see it.
    let mut was_reason = false;
    if let Some(Layer::Entry(entry)) = model.layers.last()
        && entry.sent.as_ref() == Some(op)
    {
        was_reason = matches!(entry.purpose, Purpose::Reason(_));
        let subject = entry.purpose.subject().filter(|_| !entry.drafted.is_empty());
        cmds.extend(subject.into_iter().flat_map(|subject| record(Op::Draft { subject, text: String::new() })));
        model.layers.pop();
    } else if let Some(subject) = Purpose::subject_of(op).filter(|subject| model.decided.drafts.contains_key(subject)) {
        // The area was closed before its words were on the disk.
        cmds.extend(record(Op::Draft { subject, text: String::new() }));
    }
    if matches!(op, Op::Draft { .. }) {
        return cmds;
    }
    let told = super::told::saved(model, op);
    tell(model, Level::Done, told);
    if !was_reason {
        super::acts::after_decision(model, op);
    }
    if model.screen == Screen::Report && model.desk.as_deref() == Some(super::model::SETTLE) {
        cmds.push(Cmd::Wish(Wish::Preview));
    }
    cmds
}

/// A record did not get to the disk: its area stays open with the words.
pub fn unsaved(model: &mut Model, op: &Op) {
    for layer in &mut model.layers {
        if let Layer::Entry(entry) = layer {
            if entry.sent.as_ref() == Some(op) {
                entry.sent = None;
                // What could not be given is at least kept as a draft, where the disk takes it.
                model.draft_due.get_or_insert(model.now.ms + DRAFT_AFTER);
            }
            if matches!(op, Op::Draft { .. }) {
                entry.drafted.clear();
            }
        }
    }
}

/// What came back from the editor.
pub fn edited(model: &mut Model, result: Result<String, Kept>) -> Vec<Cmd> {
    match result {
        Ok(text) => {
            if let Some(Layer::Entry(entry)) = model.layers.last_mut() {
                entry.field = Field::new(&text, entry.purpose.lines());
                changed(model);
            }
        }
        Err(kept) => {
            let why = kept.say(&model.words);
            tell(model, Level::Error, why);
        }
    }
    vec![Cmd::Redraw]
}

/// Leaves, with all that is typed on its way to the disk.
pub fn leave(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = keep_draft(model);
    cmds.push(Cmd::Quit);
    cmds
}

/// Leaves at once where nothing is going on, else asks.
pub fn ask_to_leave(model: &mut Model) -> Vec<Cmd> {
    if model.is_running() || model.desk.is_some() {
        model.layers.push(Layer::Leave);
        return Vec::new();
    }
    leave(model)
}

/// One level back on the screen itself.
pub fn back(model: &mut Model) -> Vec<Cmd> {
    if super::sending::is_asking(model) {
        return leave(model);
    }
    if !model.layers.is_empty() {
        return close(model);
    }
    match model.screen {
        Screen::Run if model.run.output.is_some() => {
            let pane = model.run.output.take();
            model.run.output = pane.and_then(|pane| pane.prompt.flatten()).map(|below| *below);
        }
        Screen::Run if model.past.is_some() => super::acts::to_now(model),
        Screen::Run if model.run.cursor.is_some() => model.run.cursor = None,
        Screen::Findings if model.findings.open => model.findings.open = false,
        Screen::Findings if !model.findings.marked.is_empty() => model.findings.marked.clear(),
        Screen::Findings if super::lists::is_filtered(model) => {
            model.findings.filter.clear();
            (model.findings.severity, model.findings.status) = (None, None);
            model.filter_again();
        }
        Screen::Run => {}
        _ if model.past.is_some() => super::acts::to_now(model),
        _ => model.screen = Screen::Run,
    }
    Vec::new()
}
