//! Where the run is, in one line of words: the fan-out, then what each critic round added, then how the rounds ended.

use super::super::header;
use super::super::painter::{Span, Spans, span};
use crate::model::settled::StoppedBy;
use crate::model::view::RoundView;
use crate::tui::model::{Model, SETTLE};
use crate::tui::rows::{self, Standing};
use crate::tui::theme::Role;
use crate::tui::wrap;

/// The line: as many rounds as fit, the latest ones.
pub fn line(model: &Model, width: usize) -> Spans {
    let mut parts: Vec<Span> = match &model.view().convergence {
        Some(end) => {
            let new: Vec<String> = end.new_per_round.iter().map(u32::to_string).collect();
            vec![span(model.say("run-new-per-round", &[("new", new.join(", ").into())]), Role::Text)]
        }
        None => model.view().rounds.iter().map(|round| of_round(model, round)).collect(),
    };
    parts.extend(now(model));
    parts.extend(next(model));
    let sep = model.look.glyphs.separator;
    let total = |parts: &[Span]| parts.iter().map(|(text, _)| wrap::width(text) + wrap::width(sep)).sum::<usize>();
    let room = width + wrap::width(sep);
    if model.run.step && model.view().convergence.is_none() && model.past.is_none() {
        parts.push(span(model.word("run-step-mode"), Role::Dim));
        if total(&parts) > room {
            parts.pop();
        }
    }
    let last = parts.len().saturating_sub(1);
    let from = (0..last).find(|&from| total(&parts[from..]) <= room).unwrap_or(last);
    let mut out = Spans::new();
    for part in parts.into_iter().skip(from) {
        if !out.is_empty() {
            out.push(span(sep, Role::Dim));
        }
        out.push(part);
    }
    out
}

fn of_round(model: &Model, round: &RoundView) -> Span {
    let text = model.say("run-round", &[("round", round.round.into()), ("new", round.new.into()), ("dry", round.dry.into())]);
    span(text, if round.new == 0 { Role::Dry } else { Role::Wet })
}

/// What the person does next, where the run waits at the gate of settling.
fn next(model: &Model) -> Option<Span> {
    if model.desk.as_deref() != Some(SETTLE) || model.past.is_some() {
        return None;
    }
    let open = &model.decided.open;
    Some(match open.conflicts.len() + open.policy.len() {
        0 => span(model.word("run-next-report"), Role::NeedsYou),
        count => span(model.say("run-next-open", &[("count", count.into())]), Role::NeedsYou),
    })
}

/// What goes on now, or how it ended.
fn now(model: &Model) -> Option<Span> {
    let view = model.view();
    if let Some(end) = &view.convergence {
        let (id, role) = match end.stopped_by {
            StoppedBy::Dry => ("run-ended-dry", Role::Done),
            StoppedBy::Cap => ("run-ended-cap", Role::Warning),
            StoppedBy::Hole => ("run-ended-hole", Role::Hole),
            StoppedBy::Human => ("run-ended-person", Role::Warning),
        };
        let text = model.say(id, &[("rounds", end.rounds.into()), ("dry", end.dry_rounds.into())]);
        return Some(span(text, role));
    }
    if view.plan.is_none() {
        return Some(span(model.word("run-no-plan"), Role::Dim));
    }
    let standing = |key: &str| view.steps.get(key).map(Standing::of);
    let round = header::begun(model);
    let now = match standing(&format!("critic/{round}")) {
        Some(Standing::NeedsYou) => span(model.say("run-critic-needs-you", &[("round", round.into())]), Role::NeedsYou),
        Some(Standing::Running | Standing::Failed | Standing::Waiting) => {
            span(model.say("run-critic-reads", &[("round", round.into())]), Role::Running)
        }
        Some(Standing::Held) => span(model.say("run-critic-held", &[("round", round.into())]), Role::Hole),
        Some(_) if view.rounds.iter().all(|known| known.round != round) => {
            span(model.say("run-compares", &[("round", round.into())]), Role::Running)
        }
        // Between two rounds the last one says it all.
        Some(_) => return None,
        None => {
            let of_fan_out = |key: &str| key.starts_with("review/") || key.starts_with("before/");
            let agents: Vec<Standing> =
                view.steps.iter().filter(|(key, _)| of_fan_out(key)).map(|(_, step)| Standing::of(step)).collect();
            let ended = agents.iter().filter(|&&standing| standing >= Standing::Hole).count();
            span(model.say("run-fan-out", &[("ended", ended.into()), ("all", agents.len().into())]), Role::Text)
        }
    };
    Some(now)
}

/// Whether an agent's key is that of a step before the fan-out.
pub fn is_before(key: &str) -> bool {
    rows::is_agent(key) && key.starts_with("before/")
}
