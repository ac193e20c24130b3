//! Rows of the Run screen: which agents there are, how each stands, and in which order people need to see them.

use super::glyphs::Glyphs;
use super::live::Output;
use crate::model::ids::StepKey;
use crate::model::view::{RunView, StepState, StepView};
use crate::text::Catalogue;
use std::collections::{BTreeMap, HashSet};

/// Silence after which a running agent's row says so, in milliseconds.
pub const SILENT_AFTER: u64 = 45_000;

/// How an agent stands, in the order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Its retries are spent: a person decides.
    NeedsYou,
    /// An attempt failed; the next one is being waited for.
    Failed,
    /// An attempt runs.
    Running,
    /// Not begun.
    Waiting,
    /// Left without an answer.
    Hole,
    /// Not asked: a cap is reached.
    Held,
    /// Its agent has nothing to look at this with.
    NotCovered,
    /// Answered.
    Done,
}

impl Standing {
    /// All, in the order of rows.
    pub const ALL: [Standing; 8] = [
        Standing::NeedsYou,
        Standing::Failed,
        Standing::Running,
        Standing::Waiting,
        Standing::Hole,
        Standing::Held,
        Standing::NotCovered,
        Standing::Done,
    ];

    /// How a step stands.
    pub fn of(step: &StepView) -> Standing {
        match &step.state {
            StepState::Waiting => Standing::Waiting,
            StepState::Running => Standing::Running,
            StepState::Failed { waits: true, .. } => Standing::NeedsYou,
            StepState::Failed { .. } => Standing::Failed,
            StepState::Done { covered: false, .. } => Standing::NotCovered,
            StepState::Done { .. } => Standing::Done,
            StepState::Hole { .. } => Standing::Hole,
            StepState::Held { .. } => Standing::Held,
        }
    }

    /// Message id of its word.
    pub fn say(self) -> &'static str {
        match self {
            Standing::NeedsYou => "state-needs-you",
            Standing::Failed => "state-failed",
            Standing::Running => "state-running",
            Standing::Waiting => "state-waiting",
            Standing::Hole => "state-hole",
            Standing::Held => "state-held",
            Standing::NotCovered => "state-not-covered",
            Standing::Done => "state-done",
        }
    }
}

/// Whether more of an agent's words can come by itself.
pub fn goes_on(step: &StepView) -> bool {
    matches!(Standing::of(step), Standing::Failed | Standing::Running | Standing::Waiting)
}

/// The mark of how an agent stands.
pub fn mark(standing: Standing, glyphs: &Glyphs) -> &'static str {
    match standing {
        Standing::NeedsYou => glyphs.needs_you,
        Standing::Failed => glyphs.failed,
        Standing::Running => glyphs.running,
        Standing::Waiting => glyphs.waiting,
        Standing::Hole => glyphs.hole,
        Standing::Held => glyphs.held,
        Standing::NotCovered => glyphs.not_covered,
        Standing::Done => glyphs.done,
    }
}

/// Whether a step is an agent's, not the reading or writing of a file.
pub fn is_agent(key: &str) -> bool {
    !key.starts_with("read/") && !key.starts_with("write/")
}

/// A step's name for people, from its key or its label: `DEV UC-01..UC-02`, `P0`, `critic 2`.
pub fn name(words: &Catalogue, key: &str) -> String {
    let label = StepKey::from(key).label();
    let (kind, rest) = label.split_once('/').unwrap_or((&label, ""));
    match kind {
        "review" => rest.replace('/', " "),
        "before" => rest.to_owned(),
        "critic" => words.say("agent-critic", &[("round", rest.into())]),
        "arbiter" => {
            let (group, order) = rest.split_once('/').unwrap_or((rest, ""));
            let reading = if order == "ba" { 2 } else { 1 };
            let group: String = group.chars().take(4).collect();
            words.say("agent-arbiter", &[("group", group.into()), ("reading", reading.into())])
        }
        "late" => words.say("agent-late", &[("agent", name(words, rest).into())]),
        "floor" => match rest {
            "critic" => words.say("agent-floor", &[("agent", "critic".into())]),
            rest => words.say("agent-floor", &[("agent", rest.replace('/', " ").into())]),
        },
        "human" => words.say("agent-human", &[]),
        _ => label,
    }
}

/// Agents counted by how they stand.
pub fn counts(view: &RunView) -> BTreeMap<Standing, usize> {
    let mut counts = BTreeMap::new();
    for step in view.steps.iter().filter(|(key, _)| is_agent(key)).map(|(_, step)| step) {
        *counts.entry(Standing::of(step)).or_default() += 1;
    }
    counts
}

/// Keys of all agents as people need to see them: needs-you, failed, running (longest first), waiting, then what is over.
pub fn order(view: &RunView) -> Vec<String> {
    let mut keys: Vec<(Standing, &str, usize, &String)> = view
        .steps
        .iter()
        .enumerate()
        .filter(|(_, (key, _))| is_agent(key))
        .map(|(index, (key, step))| {
            let standing = Standing::of(step);
            let begun = if standing == Standing::Running { step.started_at.as_str() } else { "" };
            (standing, begun, plan_order(view, key, index), key)
        })
        .collect();
    keys.sort();
    keys.into_iter().map(|(_, _, _, key)| key.clone()).collect()
}

/// Steps before the fan-out, cells in the plan's order, critics, arbiters.
fn plan_order(view: &RunView, key: &str, index: usize) -> usize {
    let cells = view.plan.as_ref().map(|plan| plan.cells.len()).unwrap_or_default();
    if key.starts_with("before/") {
        return index;
    }
    if key.starts_with("review/") {
        let place = view
            .plan
            .as_ref()
            .and_then(|plan| plan.cells.iter().position(|cell| crate::model::plan::cell_key(plan, cell).0 == key));
        return 1_000 + place.unwrap_or(index);
    }
    let kind = if key.starts_with("critic/") { 2_000 } else { 3_000 };
    kind + cells + index
}

/// Stands in a list of rows for the line that folds the agents that are done.
pub const FOLD: &str = "";

/// The rows of the list: agents by key, then the line of those that are done, then these where they are unfolded.
///
/// While a cursor stands in the list, `held` is the list as it was: its rows stay where they are, also those that are done
/// by now, and new ones join at the end.
pub fn listed(view: &RunView, unfolded: bool, held: Option<&[String]>) -> Vec<String> {
    let is_done = |key: &String| view.steps.get(key).is_some_and(|step| Standing::of(step) == Standing::Done);
    let (done, mut rows): (Vec<String>, Vec<String>) = order(view).into_iter().partition(is_done);
    let before: HashSet<&String> = held.unwrap_or_default().iter().collect();
    if done.iter().any(|key| unfolded || !before.contains(key)) {
        rows.push(FOLD.to_owned());
    }
    if unfolded {
        rows.extend(done);
    }
    let Some(held) = held else { return rows };
    let kept = held.iter().filter(|key| *key == FOLD || view.steps.contains_key(*key)).cloned();
    let new = rows.into_iter().filter(|key| !before.contains(key));
    kept.chain(new).collect()
}

/// The first row shown: where the list stood, moved as little as it takes to show the row at the cursor.
pub fn top(stood: usize, at: Option<usize>, page: usize, rows: usize) -> usize {
    let Some(at) = at else { return 0 };
    let top = stood.min(at).max((at + 1).saturating_sub(page));
    top.min(rows.saturating_sub(page))
}

/// Milliseconds from a record's time to another moment; 0 where either cannot be read.
pub fn since(at: &str, wall: i64) -> u64 {
    at.parse::<jiff::Timestamp>().map_or(0, |at| u64::try_from(wall - at.as_millisecond()).unwrap_or_default())
}

/// How long a step has run or ran, in milliseconds; `None` before it began.
pub fn elapsed(step: &StepView, wall: i64) -> Option<u64> {
    if step.started_at.is_empty() {
        return None;
    }
    let end = step.ended_at.parse::<jiff::Timestamp>().map_or(wall, |at| at.as_millisecond());
    Some(since(&step.started_at, end))
}

/// Seconds for which a running agent has said nothing, where that is long.
pub fn silent(step: &StepView, output: Option<&Output>, now_ms: u64, wall: i64) -> Option<u64> {
    if step.state != StepState::Running {
        return None;
    }
    let running = elapsed(step, wall)?;
    let quiet = match output {
        Some(output) if output.attempt == step.attempts => now_ms.saturating_sub(output.last_at).min(running),
        _ => running,
    };
    (quiet >= SILENT_AFTER).then_some(quiet / 1_000)
}

/// `412`, `1.8k`, `12k`, `3.4M`: a count in at most four columns.
pub fn short(count: u64) -> String {
    let (whole, tenth, unit) = match count {
        0..1_000 => return count.to_string(),
        1_000..1_000_000 => (count / 1_000, count / 100 % 10, "k"),
        _ => (count / 1_000_000, count / 100_000 % 10, "M"),
    };
    if whole < 10 { format!("{whole}.{tenth}{unit}") } else { format!("{whole}{unit}") }
}

/// `01:42`, or `1:02:03` from an hour on.
pub fn clock(ms: u64) -> String {
    let seconds = ms / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes:02}:{seconds:02}") }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
