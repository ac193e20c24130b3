//! What stands on every screen: the header with its counters, the tabs, and the footer with the keys that work now.

use super::painter::{Painter, Span, Spans, span};
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS};
use crate::model::shown::Shown;
use crate::tui::acts;
use crate::tui::commands::{self, Action, Command};
use crate::tui::keys;
use crate::tui::model::{Model, Screen};
use crate::tui::port::Access;
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::layout::Rect;

/// Columns that a document's name keeps where it has that many.
const NAME: usize = 12;
/// Before the name where there is room.
const PROGRAM: &str = "tamis  ";

/// `tamis  prd.md      Round 2/3 · dry 1/2 · 7 done 3 running 1 waiting 1 failed · 01:42`
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let width = usize::from(area.width);
    let name = Shown::line(&model.given).to_string();
    let least = wrap::width(&name).min(NAME) + 2;
    let fits = |right: &Spans| width_of(right) + least <= width;
    let mut rights = rights(model);
    let right = match rights.iter().position(fits) {
        Some(index) => rights.swap_remove(index),
        None => rights.pop().unwrap_or_default(),
    };
    let taken = width_of(&right);
    let room = width.saturating_sub(taken + 2);
    let whole = format!("{PROGRAM}{name}");
    let left = if wrap::width(&whole) <= room { whole } else { name };
    let left = wrap::cut_middle(&left, room, model.look.glyphs.ellipsis);
    painter.put(area.x, area.y, u16::try_from(room).unwrap_or(area.width), &left, Role::Title);
    let x = area.right().saturating_sub(u16::try_from(taken).unwrap_or(area.width)).max(area.x);
    painter.spans(x, area.y, area.right() - x, &right);
}

fn width_of(spans: &[Span]) -> usize {
    spans.iter().map(|(text, _)| wrap::width(text)).sum()
}

/// The right side of the header in all its forms, the widest first.
fn rights(model: &Model) -> Vec<Spans> {
    let sep = model.look.glyphs.separator;
    let rounds = rounds(model, "header-round", "header-dry", sep);
    let rounds_short = self::rounds(model, "header-round-short", "header-dry-short", " ");
    let clock: Spans = vec![span(rows::clock(total(model)), Role::Text)];
    let guest: Spans = match model.access {
        Access::ReadOnly(_) => vec![span(model.word("header-read-only"), Role::NeedsYou)],
        Access::Write => Vec::new(),
    };
    let moment = |id: &str| -> Spans {
        let Some((what, at, of)) = acts::moment(model) else { return Vec::new() };
        vec![span(model.say(id, &[("what", what.into()), ("at", at.into()), ("of", of.into())]), Role::NeedsYou)]
    };
    let full = counts(model, true, &Standing::ALL);
    let marks = counts(model, false, &Standing::ALL);
    let urgent = counts(model, false, &[Standing::NeedsYou, Standing::Failed, Standing::Running]);
    let spent: Spans = super::models::spent_short(model).map(|text| vec![span(text, Role::Text)]).unwrap_or_default();
    let with_spent = |counts: &Spans| {
        (vec![guest.clone(), moment("moment-of"), rounds.clone(), counts.clone(), spent.clone(), clock.clone()], sep)
    };
    // Where something was spent, the widest forms say so; what it came to stands on Report in any case.
    let widest = [with_spent(&full), with_spent(&marks)];
    let full = (vec![guest.clone(), moment("moment-of"), rounds.clone(), full, clock.clone()], sep);
    let short = (vec![guest.clone(), moment("moment-of"), rounds.clone(), marks.clone(), clock.clone()], sep);
    let [spent_full, spent_short] = widest;
    let mut forms: Vec<(Vec<Spans>, &str)> = match spent.is_empty() {
        true => vec![full, short],
        // How many need somebody is worth more in words than money.
        false => vec![spent_full, full, spent_short, short],
    };
    // A past moment's words are worth more than counts; without one, marks say more.
    let past = model.past.is_some();
    if past {
        forms.push((vec![guest.clone(), moment("moment-of"), rounds_short.clone(), clock.clone()], sep));
    }
    forms.push((vec![guest.clone(), moment("moment-short"), rounds_short.clone(), marks, clock.clone()], " "));
    forms.push((vec![guest.clone(), moment("moment-short"), rounds_short.clone(), urgent, clock], " "));
    forms.push((vec![guest.clone(), moment("moment-short"), rounds_short], " "));
    if past {
        forms.push((vec![guest, moment("moment-short")], " "));
    }
    forms.into_iter().map(|(parts, sep)| joined(parts, sep)).collect()
}

fn joined(parts: Vec<Spans>, sep: &str) -> Spans {
    let mut out = Spans::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(span(sep, Role::Dim));
        }
        out.extend(part);
    }
    out
}

fn rounds(model: &Model, round_id: &str, dry_id: &str, sep: &str) -> Spans {
    let view = model.view();
    // A findings file that is revised only says how the rounds of its review ended.
    let told = view.convergence.as_ref().map_or(0, |told| told.dry_rounds);
    let dry = view.rounds.last().map_or(told, |round| round.dry);
    let round = model.say(round_id, &[("round", begun(model).into()), ("cap", MAX_ROUNDS.into())]);
    let dry = model.say(dry_id, &[("dry", dry.into()), ("cap", DRY_ROUNDS.into())]);
    vec![span(round, Role::Text), span(sep, Role::Dim), span(dry, Role::Text)]
}

/// Critic rounds begun.
pub fn begun(model: &Model) -> u32 {
    let view = model.view();
    let asked = view.steps.keys().filter_map(|key| key.strip_prefix("critic/")?.parse().ok());
    let told = view.convergence.as_ref().map_or(0, |told| told.rounds);
    view.rounds.iter().map(|round| round.round).chain(asked).max().unwrap_or(told)
}

/// Agents counted by how they stand: `7 done 3 running`, or `7✓ 3●`.
fn counts(model: &Model, words: bool, wanted: &[Standing]) -> Spans {
    let counts = rows::counts(model.view());
    let order = [
        Standing::Done,
        Standing::Running,
        Standing::Waiting,
        Standing::NeedsYou,
        Standing::Failed,
        Standing::Hole,
        Standing::Held,
        Standing::NotCovered,
    ];
    let mut out = Spans::new();
    for standing in order.into_iter().filter(|standing| wanted.contains(standing)) {
        let Some(count) = counts.get(&standing).filter(|&&count| count > 0) else { continue };
        let blank = if out.is_empty() { "" } else { " " };
        let text = match words {
            true => format!("{count} {}", model.word(standing.say())),
            false => format!("{count}{}", rows::mark(standing, model.look.glyphs)),
        };
        out.extend([span(blank, Role::Text), span(text, super::run::role(standing))]);
    }
    out
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

/// `►Run  Decide 1/3  Questions 2/4  Findings 24  Report`; where that is too wide, the others by name, then by key.
pub fn tabs(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let full: Vec<String> = Screen::ALL.iter().map(|&screen| tab(model, screen)).collect();
    let names = |screen: Screen, full: &String| {
        if screen == model.screen { full.clone() } else { model.word(screen.say()) }
    };
    let keys = |screen: Screen, full: &String| if screen == model.screen { full.clone() } else { key_of(screen) };
    let named: Vec<String> = Screen::ALL.iter().zip(&full).map(|(&screen, full)| names(screen, full)).collect();
    let keyed: Vec<String> = Screen::ALL.iter().zip(&full).map(|(&screen, full)| keys(screen, full)).collect();
    let fits = |tabs: &Vec<String>| tabs.iter().map(|tab| wrap::width(tab) + 2).sum::<usize>() <= usize::from(area.width);
    let shown = [full, named].into_iter().find(fits).unwrap_or(keyed);
    let mut x = area.x;
    for (screen, text) in Screen::ALL.into_iter().zip(shown) {
        let here = screen == model.screen;
        let mark = if here { model.look.glyphs.selected } else { " " };
        let role = match screen {
            _ if here => Role::Selected,
            Screen::Decide if model.decided.conflicts.is_empty() => Role::Dim,
            Screen::Questions if model.decided.questions.is_empty() => Role::Dim,
            _ => Role::Text,
        };
        x = painter.put(x, area.y, area.right().saturating_sub(x), &format!("{mark}{text} "), role);
        if x >= area.right() {
            break;
        }
    }
}

/// The function key that leads to a screen.
fn key_of(screen: Screen) -> String {
    let action = match screen {
        Screen::Run => Action::GoRun,
        Screen::Decide => Action::GoDecide,
        Screen::Questions => Action::GoQuestions,
        Screen::Findings => Action::GoFindings,
        Screen::Report => Action::GoReport,
    };
    let keys = commands::COMMANDS.iter().filter(|command| command.action == action).flat_map(|command| command.keys);
    keys.copied().find(|key| key.len() == 2).map(keys::shown).unwrap_or_default()
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

/// The keys that work now. The ways out and the help always have their place: what does not fit stands there.
pub fn footer(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let width = usize::from(area.width);
    let commands = commands::footer(model);
    let find = |action: Action| commands.iter().copied().find(|command| command.action == action);
    let kept: Vec<&Command> =
        [find(Action::Help), find(Action::Back).or_else(|| find(Action::Quit))].into_iter().flatten().collect();
    let mut last: Spans = kept.iter().flat_map(|command| item(model, command)).collect();
    if let Some((text, _)) = last.last_mut() {
        text.truncate(text.trim_end().len());
    }
    let room = width.saturating_sub(width_of(&last));
    let mut spans = Spans::new();
    let mut used = 0;
    for command in commands.iter().filter(|command| !kept.contains(command)) {
        let item = item(model, command);
        let needs = width_of(&item);
        if used + needs <= room {
            used += needs;
            spans.extend(item);
        }
    }
    spans.extend(last);
    painter.spans(area.x, area.y, area.width, &spans);
}

fn item(model: &Model, command: &Command) -> Spans {
    let key = command.keys.first().map(|key| keys::shown(key)).unwrap_or_default();
    vec![span(key, Role::Key), span(format!(" {}  ", model.word(command.say)), Role::Dim)]
}
