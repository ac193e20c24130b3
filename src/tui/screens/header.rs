//! What stands on every screen: the header with its counters, the tabs, and the footer with the keys that work now.

use super::painter::{Painter, Span};
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS};
use crate::model::shown::Shown;
use crate::tui::commands;
use crate::tui::keys;
use crate::tui::model::{Model, Screen};
use crate::tui::port::Access;
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// `tamis  prd.md        Round 2/3 · dry 1/2 · 7 done 3 running 1 waiting 1 failed · 01:42`
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let sep = model.look.glyphs.separator;
    let width = usize::from(area.width);
    let full = counters(model, sep, true);
    let right = if wrap::width(&full) + 16 <= width { full } else { counters(model, sep, false) };
    let room = width.saturating_sub(wrap::width(&right) + 2);
    let name = Shown::line(&model.given).to_string();
    let left = match room {
        0..12 => String::new(),
        _ => format!("tamis  {}", wrap::cut_middle(&name, room.saturating_sub(7), model.look.glyphs.ellipsis)),
    };
    painter.put(area.x, area.y, area.width, &left, Role::Title);
    let x = area.right().saturating_sub(u16::try_from(wrap::width(&right)).unwrap_or(area.width)).max(area.x);
    painter.put(x, area.y, area.right() - x, &right, Role::Text);
}

fn counters(model: &Model, sep: &str, words: bool) -> String {
    let view = model.view();
    let begun = view.steps.keys().filter(|key| key.starts_with("critic/")).count() as u32;
    // A findings file that is revised only says how the rounds of its review ended.
    let told = view.convergence.as_ref().map_or((0, 0), |told| (told.rounds, told.dry_rounds));
    let rounds = view.rounds.iter().map(|round| round.round).max().unwrap_or(told.0).max(begun);
    let dry = view.rounds.last().map_or(told.1, |round| round.dry);
    let mut parts = vec![
        model.say("header-round", &[("round", rounds.into()), ("cap", MAX_ROUNDS.into())]),
        model.say("header-dry", &[("dry", dry.into()), ("cap", DRY_ROUNDS.into())]),
    ];
    let counts = rows::counts(view);
    let shown = |standing: &Standing| counts.get(standing).is_some_and(|&count| count > 0);
    let order = [
        Standing::Done,
        Standing::Running,
        Standing::Waiting,
        Standing::NeedsYou,
        Standing::Failed,
        Standing::Hole,
        Standing::NotCovered,
    ];
    let counted: Vec<String> = order
        .iter()
        .filter(|standing| shown(standing))
        .map(|standing| match words {
            true => format!("{} {}", counts[standing], model.word(standing.say())),
            false => format!("{}{}", counts[standing], rows::mark(*standing, model.look.glyphs)),
        })
        .collect();
    if !counted.is_empty() {
        parts.push(counted.join(" "));
    }
    parts.push(rows::clock(total(model)));
    if let Some((at, _)) = &model.past {
        parts.insert(0, model.say("header-past", &[("at", (*at).into()), ("of", model.history.events().len().into())]));
    }
    if matches!(model.access, Access::ReadOnly(_)) {
        parts.insert(0, model.word("header-read-only"));
    }
    parts.join(&format!(" {sep} "))
}

/// Milliseconds from the run's start to its last event, or to now while something runs.
fn total(model: &Model) -> u64 {
    let view = model.view();
    let end = match model.is_running() {
        true => model.now.wall,
        false => view.last_at.parse::<jiff::Timestamp>().map_or(0, |at| at.as_millisecond()),
    };
    rows::since(&view.started_at, end)
}

/// `▶Run  Decide 1/3  Questions 2  Findings 24  Report`
pub fn tabs(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let mut x = area.x;
    for screen in Screen::ALL {
        let here = screen == model.screen;
        let mark = if here { model.look.glyphs.selected } else { " " };
        let text = format!("{mark}{} ", tab(model, screen));
        let role = if here { Role::Selected } else { Role::Text };
        x = painter.put(x, area.y, area.right().saturating_sub(x), &text, role);
        if x >= area.right() {
            break;
        }
    }
}

fn tab(model: &Model, screen: Screen) -> String {
    let name = model.word(screen.say());
    let open = &model.decided.open;
    match screen {
        Screen::Decide if !model.decided.conflicts.is_empty() => {
            let all = model.decided.conflicts.len();
            format!("{name} {}/{all}", all - open.conflicts.len())
        }
        Screen::Questions if !model.decided.questions.is_empty() => {
            let all = model.decided.questions.len();
            format!("{name} {}/{all}", all - open.policy.len() - open.questions.len())
        }
        Screen::Findings => {
            let count = if model.view().proposal.is_some() { model.decided.findings.len() } else { model.view().feed.len() };
            format!("{name} {count}")
        }
        _ => name,
    }
}

/// The keys that work now.
pub fn footer(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let width = usize::from(area.width);
    let mut spans: Vec<Span> = Vec::new();
    let mut used = 0;
    let commands = commands::footer(model);
    // Help always has its place: what does not fit stands there.
    let last = commands.iter().find(|command| command.say == "do-help").map(|command| item(model, command));
    let reserved = last.as_ref().map_or(0, |(key, what)| wrap::width(key) + wrap::width(what) + 3);
    for command in commands.iter().filter(|command| command.say != "do-help") {
        let (key, what) = item(model, command);
        let needs = wrap::width(&key) + wrap::width(&what) + 3;
        if used + needs + reserved > width {
            continue;
        }
        used += needs;
        spans.extend([(key, Role::Key), (format!(" {what}  "), Role::Dim)]);
    }
    if let Some((key, what)) = last {
        spans.extend([(key, Role::Key), (format!(" {what}"), Role::Dim)]);
    }
    painter.spans(area.x, area.y, area.width, &spans);
}

fn item(model: &Model, command: &commands::Command) -> (String, String) {
    let key = command.keys.first().map(|key| keys::shown(key)).unwrap_or_default();
    (key, model.word(command.say))
}
