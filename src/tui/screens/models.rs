//! What models said, took and how they failed, in words: for rows, the output's head, the header and Report.

use super::painter::{Spans, wrapped};
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::settled::Hole;
use crate::model::view::{StepState, StepView};
use crate::tui::closing;
use crate::tui::model::Model;
use crate::tui::money::{grouped, money, percent};
use crate::tui::rows::{self, Standing};
use crate::tui::sandbox;
use crate::tui::theme::Role;
use crate::tui::{faults, wrap};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of failure that a step stands at, where its record says.
fn class(step: &StepView) -> Option<FaultClass> {
    match step.state {
        StepState::Failed { class, .. } => class,
        _ => None,
    }
}

/// The name of the failure that a step stands at.
pub fn fault_name(model: &Model, step: &StepView) -> Option<String> {
    class(step).map(|class| faults::name(&model.words, class))
}

/// What can be done about where a step stands.
pub fn remedy(model: &Model, step: &StepView) -> Option<String> {
    match step.state {
        StepState::Held { .. } => Some(model.word("held-do")),
        // Where another attempt follows by itself, nothing needs to be done yet.
        StepState::Failed { class: Some(class), waits: true, .. } => Some(faults::remedy(&model.words, class, &step.agent)),
        _ => None,
    }
}

/// Whether an answer's list may lack something.
pub fn may_be_cut(step: &StepView) -> bool {
    step.provenance.as_ref().is_some_and(|from| from.may_be_cut)
}

fn dropped(step: &StepView) -> u32 {
    step.provenance.as_ref().map_or(0, |from| from.dropped)
}

/// How many findings an answer brought, and whether it may lack some: `findings: 4+, may be cut`.
pub fn found(model: &Model, step: &StepView, findings: u32) -> (String, Role) {
    let cut = may_be_cut(step);
    let id = if cut { "run-may-be-cut" } else { "run-findings" };
    let mut text = model.say(id, &[("count", findings.into())]);
    let dropped = dropped(step);
    if dropped > 0 {
        text = format!("{text}{}{}", model.look.glyphs.separator, model.say("run-left-out", &[("count", dropped.into())]));
    }
    (text, if cut || dropped > 0 { Role::Warning } else { Role::Dim })
}

/// The currency of the run's prices; `""` where none is known.
fn currency(model: &Model) -> &str {
    model.view().sending.as_ref().map_or("", |sending| sending.estimate.currency.as_str())
}

/// A price in the run's currency: `0.0123 USD`; where none is known, a number that says what it is: `cost 0.0123`.
pub fn price(model: &Model, micros: u64) -> String {
    let (currency, amount) = (currency(model), money(micros, currency(model)));
    if currency.is_empty() { model.say("usage-cost", &[("amount", amount.into())]) } else { amount }
}

/// `12k tok · 0.42 USD`: what all has taken so far, in few columns; `None` while it is nothing.
pub fn spent_short(model: &Model) -> Option<String> {
    let spent = model.view().spent();
    let tokens = (spent.tokens() > 0).then(|| model.say("header-tokens", &[("count", rows::short(spent.tokens()).into())]));
    let cost = spent.cost_micros.map(|micros| price(model, micros));
    let parts: Vec<String> = tokens.into_iter().chain(cost).collect();
    (!parts.is_empty()).then(|| at_most(model, &spent, parts.join(" ")))
}

/// `1 840 tokens in (45 % from the cache) · 412 out · 0.0123 USD`, exact; `None` where nothing was taken.
pub fn usage(model: &Model, usage: &Usage) -> Option<String> {
    let count = |id: &str, count: u64| model.say(id, &[("count", grouped(count).into())]);
    let mut parts = Vec::new();
    if usage.tokens() > 0 {
        parts.push(match percent(usage.cached, usage.tokens_in) {
            Some(percent) => {
                model.say("usage-in-cached", &[("count", grouped(usage.tokens_in).into()), ("percent", percent.into())])
            }
            None => count("usage-in", usage.tokens_in),
        });
        parts.push(match usage.reasoning {
            0 => count("usage-out", usage.tokens_out),
            reasoning => {
                let args = [("count", grouped(usage.tokens_out).into()), ("reasoning", grouped(reasoning).into())];
                model.say("usage-out-reasoning", &args)
            }
        });
    }
    if usage.cache_written > 0 {
        parts.push(count("usage-cache-written", usage.cache_written));
    }
    parts.extend(usage.cost_micros.map(|micros| price(model, micros)));
    (!parts.is_empty()).then(|| at_most(model, usage, parts.join(model.look.glyphs.separator)))
}

/// What the server did not say is an estimate on the safe side, and said to be one.
fn at_most(model: &Model, usage: &Usage, text: String) -> String {
    if usage.estimated { model.say("usage-at-most", &[("usage", text.into())]) } else { text }
}

/// What stands above an agent's output: why it has no answer and what can be done, what may be missing, what it took, and
/// who answered and how.
pub fn head(model: &Model, step: &StepView, width: usize) -> Vec<Spans> {
    let standing = Standing::of(step);
    let mut lines: Vec<(String, Role)> = Vec::new();
    if let Some(text) = state(model, step) {
        let mark = rows::mark(standing, model.look.glyphs);
        lines.push((format!("{mark} {text}"), super::run::role(standing)));
    }
    lines.extend(remedy(model, step).map(|text| (text, Role::Hint)));
    if may_be_cut(step) {
        lines.push((model.word("from-may-be-cut"), Role::Warning));
    }
    if dropped(step) > 0 {
        lines.push((model.say("from-dropped", &[("count", dropped(step).into())]), Role::Warning));
    }
    lines.extend(usage(model, &step.usage).map(|text| (text, Role::Text)));
    let from = match &step.provenance {
        Some(from) => provenance(model, from),
        None if step.agent.is_empty() => Vec::new(),
        None => vec![model.say("from-asked", &[("asked", step.agent.as_str().into())])],
    };
    if !from.is_empty() {
        lines.push((from.join(model.look.glyphs.separator), Role::Dim));
    }
    lines.into_iter().flat_map(|(text, role)| wrapped(&text, width.max(1), role)).collect()
}

/// How a step stands, in words with their reason.
fn state(model: &Model, step: &StepView) -> Option<String> {
    let reason = |reason: &str| -> String {
        match fault_name(model, step) {
            Some(name) => format!("{name}{}{reason}", model.look.glyphs.dash),
            None => reason.to_owned(),
        }
    };
    match &step.state {
        StepState::Failed { class: Some(_), reason: why, waits: true } => Some(reason(why)),
        StepState::Failed { reason: why, waits: true, .. } => {
            Some(model.say("run-needs-you", &[("reason", why.as_str().into())]))
        }
        StepState::Failed { reason: why, .. } => {
            Some(model.say("run-failed", &[("attempt", step.attempts.into()), ("reason", reason(why).into())]))
        }
        StepState::Hole { reason } | StepState::Held { reason } => Some(reason.clone()),
        StepState::Done { covered: false, .. } => Some(model.word("run-not-covered")),
        StepState::Done { findings, .. } => Some(model.say("run-findings", &[("count", (*findings).into())])),
        StepState::Waiting | StepState::Running => None,
    }
}

/// Whether the model that answered is another one than was asked, as far as the names tell: `openai:gpt-5@http://…` asks
/// `gpt-5`.
fn is_other(from: &Provenance) -> bool {
    let model = from.asked.split_once(':').map_or(from.asked.as_str(), |(_, rest)| rest);
    let model = model.rfind("@http").map_or(model, |at| &model[..at]);
    !from.answered.is_empty() && from.answered != model
}

/// Who was asked, who answered, where, in how many calls, and how.
fn provenance(model: &Model, from: &Provenance) -> Vec<String> {
    let mut parts = Vec::new();
    let mut say = |id: &str, name: &'static str, value: &str| {
        if !value.is_empty() {
            parts.push(model.say(id, &[(name, value.into())]));
        }
    };
    say("from-asked", "asked", &from.asked);
    say("from-answered", "model", if is_other(from) { &from.answered } else { "" });
    say("from-server", "server", &from.server);
    if from.answered.is_empty() && !from.server.is_empty() {
        parts.push(model.word("from-unsaid"));
    }
    match (from.calls, from.retries) {
        (0, _) => {}
        (calls, 0) => parts.push(model.say("from-calls", &[("calls", calls.into())])),
        (calls, retries) => parts.push(model.say("from-retries", &[("calls", calls.into()), ("retries", retries.into())])),
    }
    let mut say = |id: &str, name: &'static str, value: &str| {
        if !value.is_empty() {
            parts.push(model.say(id, &[(name, value.into())]));
        }
    };
    say("from-shape", "shape", &from.shape);
    say("from-prompt", "hash", &from.prompt);
    if let Some(level) = from.walls {
        parts.push(model.say("from-walls", &[("level", sandbox::level(&model.words, level).into())]));
    }
    if let Some(ms) = from.started_ms {
        parts.push(model.say("from-started", &[("seconds", format!("{}.{}", ms / 1000, ms % 1000 / 100).into())]));
    }
    if from.repaired {
        parts.push(model.word("from-repaired"));
    }
    parts
}

/// What stands on Report among the facts: what may be missing, what all took, and seat by seat.
pub fn facts(model: &Model) -> Vec<(String, Role)> {
    let mut facts = missing(model);
    let spent = model.view().spent();
    let Some(all) = usage(model, &spent) else { return facts };
    facts.push((model.word("models-title"), Role::Title));
    facts.push((all, Role::Text));
    let calls = |count: fn(&Provenance) -> u32| -> u64 {
        let froms = model.view().steps.values().filter_map(|step| step.provenance.as_ref());
        froms.map(|from| u64::from(count(from))).sum()
    };
    let (sent, again) = (calls(|from| from.calls), calls(|from| from.retries));
    if sent > 0 {
        facts.push((model.say("models-calls", &[("calls", sent.into()), ("retries", again.into())]), Role::Text));
    }
    seats(model, &mut facts);
    facts
}

/// Names of the steps that something holds for.
fn names<'a>(model: &'a Model, holds: impl Fn(&StepView) -> bool + 'a) -> impl Iterator<Item = (String, &'a StepView)> + 'a {
    let agents = model.view().steps.iter().filter(|(key, _)| rows::is_agent(key));
    agents.filter(move |(_, step)| holds(step)).map(|(key, step)| (model.agent_name(key), step))
}

/// What may be missing: lists that may be cut, items that were left out, steps that a cap holds.
fn missing(model: &Model) -> Vec<(String, Role)> {
    let mut facts = Vec::new();
    let cut: Vec<String> = names(model, may_be_cut).map(|(name, _)| name).collect();
    if !cut.is_empty() {
        facts.push((model.say("models-cut", &[("list", cut.join(", ").into())]), Role::Warning));
    }
    let left: Vec<(String, u32)> = names(model, |step| dropped(step) > 0).map(|(name, step)| (name, dropped(step))).collect();
    if !left.is_empty() {
        let total: u64 = left.iter().map(|(_, count)| u64::from(*count)).sum();
        let list = left.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ");
        facts.push((model.say("models-dropped", &[("total", total.into()), ("list", list.into())]), Role::Warning));
    }
    let held: Vec<String> = names(model, |step| Standing::of(step) == Standing::Held).map(|(name, _)| name).collect();
    if !held.is_empty() {
        facts.push((model.say("models-held", &[("list", held.join(", ").into())]), Role::Warning));
    }
    facts
}

/// What was not read or said whole.
pub fn cut(model: &Model) -> Vec<String> {
    let lacks = |step: &StepView| may_be_cut(step) || (dropped(step) > 0 && step.dimension != "arbiter");
    let steps: Vec<String> = names(model, lacks).map(|(name, _)| name).collect();
    let windows = model.view().plan.as_ref().map_or(0, |plan| plan.critic_windows.len());
    closing::cut(steps.iter().map(String::as_str), windows, &model.words)
}

/// Whether a hole is there only because a cap holds its step. The arbiter's steps share one hole.
pub fn is_held(model: &Model, hole: &Hole) -> bool {
    let is_its = |step: &&StepView| step.label == hole.step || (step.dimension == "arbiter" && hole.step == "arbiter");
    let standings = || model.view().steps.values().filter(is_its).map(Standing::of);
    standings().any(|standing| standing == Standing::Held) && standings().all(|standing| standing != Standing::Hole)
}

/// What one seat was asked and took.
#[derive(Default)]
struct Seat<'a> {
    answers: u32,
    usage: Usage,
    models: BTreeSet<&'a str>,
}

/// Each seat with its answers, what they took, and the models that gave them; then models that sit on several.
fn seats(model: &Model, facts: &mut Vec<(String, Role)>) {
    let mut seats: BTreeMap<&str, Seat<'_>> = BTreeMap::new();
    let mut by_model: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let (mut priced, mut unpriced) = (false, BTreeSet::new());
    for (_, step) in model.view().steps.iter().filter(|(key, _)| rows::is_agent(key)) {
        let from = step.provenance.as_ref();
        let asked = from.map_or(step.agent.as_str(), |from| from.asked.as_str());
        if asked.is_empty() || (from.is_none() && step.usage == Usage::default()) {
            continue;
        }
        let seat = seats.entry(asked).or_default();
        seat.answers += u32::from(matches!(step.state, StepState::Done { .. }));
        seat.usage = seat.usage.plus(step.usage);
        match step.usage.cost_micros {
            Some(_) => priced = true,
            None if step.usage.tokens() > 0 => {
                unpriced.insert(asked);
            }
            None => {}
        }
        if let Some(from) = from.filter(|from| !from.answered.is_empty()) {
            if is_other(from) {
                seat.models.insert(&from.answered);
            }
            by_model.entry((&from.server, &from.answered)).or_default().insert(asked);
        }
    }
    for (asked, seat) in seats {
        let mut parts = vec![model.say("models-seat", &[("asked", asked.into()), ("answers", seat.answers.into())])];
        parts.extend(usage(model, &seat.usage));
        let models = seat.models.into_iter().collect::<Vec<_>>().join(", ");
        if !models.is_empty() {
            parts.push(model.say("from-answered", &[("model", models.into())]));
        }
        facts.push((parts.join(model.look.glyphs.separator), Role::Text));
    }
    // A sum that leaves something out says so.
    if priced && !unpriced.is_empty() {
        let list = unpriced.into_iter().collect::<Vec<_>>().join(", ");
        facts.push((model.say("models-unpriced", &[("list", list.into())]), Role::Warning));
    }
    for ((_, name), seats) in by_model.into_iter().filter(|(_, seats)| seats.len() > 1) {
        let seats = seats.into_iter().collect::<Vec<_>>().join(", ");
        facts.push((model.say("models-one", &[("model", name.into()), ("seats", seats.into())]), Role::Notice));
    }
}

/// What stands at the end of Report: what each agent took, the costliest first.
pub fn by_agent(model: &Model) -> Vec<(String, Role)> {
    let mut agents: Vec<(String, Usage)> =
        names(model, |step| step.usage != Usage::default()).map(|(name, step)| (name, step.usage)).collect();
    if agents.is_empty() {
        return Vec::new();
    }
    // What costs the same stays in the order of the plan.
    agents.sort_by_key(|(_, usage)| Reverse((usage.cost_micros, usage.tokens())));
    let widest = agents.iter().map(|(name, _)| wrap::width(name)).max().unwrap_or(0);
    let line = |(name, took): (String, Usage)| {
        let took = usage(model, &took).unwrap_or_default();
        (format!("{}  {took}", wrap::pad(&name, widest)), Role::Text)
    };
    std::iter::once((model.word("models-agents"), Role::Title)).chain(agents.into_iter().map(line)).collect()
}
