//! The caps of a run: what its attempts reserve before they start, what they cost, and when nothing new starts any more.
//! What was spent is a fold of the journal's events, so that a later process counts exactly what this one did.

use crate::model::answer::Usage;
use crate::model::estimate::Reserve;
use crate::model::event::{Event, Kind};
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long an attempt may take to put its work away once the time cap has told it to stop.
pub const CAP_GRACE: Duration = Duration::from_secs(10);

/// Caps of a run; `None` caps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// Tokens read and written, over all processes of the run.
    pub tokens: Option<u64>,
    /// Price in millionths, over all processes of the run.
    pub cost_micros: Option<u64>,
    /// When this process stops asking.
    pub until: Option<Instant>,
}

/// Whether a reserve fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It does, and is held for the step from now on.
    Granted,
    /// It may, once attempts that are under way have given back what they did not need.
    Wait,
    /// It does not: the reason in words.
    Refused(String),
}

/// What is spent and reserved.
///
/// Three things count against the caps: what ended attempts cost; the whole reserve of those under way; and for good the
/// whole reserve of those whose end nobody saw (a killed process, an agent that did not come back), for the server may
/// have answered and charged for it, and a cap that forgets this is none.
#[derive(Debug, Default)]
pub(super) struct Budget {
    pub caps: Caps,
    /// What ended attempts cost.
    spent: Reserve,
    /// Of attempts whose cost is not known.
    lost: Reserve,
    /// By step key: granted, and the start not recorded yet.
    granted: HashMap<String, Reserve>,
    /// By step key: of attempts under way.
    under_way: HashMap<String, Reserve>,
    /// Why nothing that costs anything starts any more.
    latched: Option<String>,
}

/// What the budget looks at in a body.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    reserve: Reserve,
    usage: Usage,
    unknown: Option<Reserve>,
}

impl Budget {
    /// What these events have spent. Attempts that they leave under way ended with their process.
    pub fn read(events: &[Event], latched: Option<String>) -> Budget {
        let mut budget = Budget { latched, ..Budget::default() };
        events.iter().for_each(|event| budget.apply(event));
        for (_, reserve) in std::mem::take(&mut budget.under_way) {
            budget.lost = budget.lost.plus(reserve);
        }
        budget
    }

    /// Takes in an event that is durable.
    pub fn apply(&mut self, event: &Event) {
        if !matches!(event.kind, Kind::StepStarted | Kind::StepDone | Kind::AttemptFailed) {
            return;
        }
        // A body of another shape reserves and costs nothing that anybody knows of.
        let Fields { reserve, usage, unknown } = event.body.read().unwrap_or_default();
        let before = self.under_way.remove(&event.key);
        if event.kind == Kind::StepStarted {
            self.granted.remove(&event.key);
            self.lost = self.lost.plus(before.unwrap_or_default());
            if !reserve.is_free() {
                self.under_way.insert(event.key.clone(), reserve);
            }
        } else if let Some(unknown) = unknown {
            self.lost = self.lost.plus(unknown);
        } else {
            self.spent = self.spent.plus(cost(usage, before.unwrap_or_default(), event.kind == Kind::StepDone));
        }
    }

    /// The attempt at a step is gone without a record of its end.
    pub fn release(&mut self, key: &str) {
        self.granted.remove(key);
        self.lost = self.lost.plus(self.under_way.remove(key).unwrap_or_default());
    }

    /// Reserves for a step where the caps allow it. What costs nothing is always granted and never held up. Once something
    /// does not fit, nothing else does in this run, however little it would take: which step is asked does not depend
    /// on what happens to be left over.
    pub fn admit(&mut self, key: &str, reserve: Reserve, now: Instant) -> Admission {
        if reserve.is_free() {
            return Admission::Granted;
        }
        if self.caps.until.is_some_and(|until| until <= now) {
            self.time_is_up();
        }
        if let Some(reason) = &self.latched {
            return Admission::Refused(reason.clone());
        }
        let ended = self.spent.plus(self.lost);
        let reserved = self.granted.values().chain(self.under_way.values()).fold(ended, |sum, &one| sum.plus(one));
        if self.over(reserved, reserve).is_none() {
            self.granted.insert(key.to_owned(), reserve);
            return Admission::Granted;
        }
        match self.over(ended, reserve) {
            None => Admission::Wait,
            Some(reason) => {
                self.latched = Some(reason.clone());
                Admission::Refused(reason)
            }
        }
    }

    /// Reserves for one more call of a step that is under way: a repair, the rest of a full list. Returns whether it may be
    /// sent; one that does not fit latches nothing, for the step goes on without it.
    pub fn more(&mut self, key: &str, reserve: Reserve, now: Instant) -> bool {
        let late = self.caps.until.is_some_and(|until| until <= now);
        let counted =
            self.granted.values().chain(self.under_way.values()).fold(self.spent.plus(self.lost), |sum, &one| sum.plus(one));
        if late || self.latched.is_some() || self.over(counted, reserve).is_some() {
            return false;
        }
        let held = self.under_way.entry(key.to_owned()).or_default();
        *held = held.plus(reserve);
        true
    }

    /// Nothing that costs anything starts any more in this process.
    pub fn time_is_up(&mut self) -> String {
        let reason = || "the cap on time is reached: nothing new is asked".to_owned();
        self.latched.get_or_insert_with(reason).clone()
    }

    /// Which cap a reserve exceeds beside what counts already.
    fn over(&self, counted: Reserve, reserve: Reserve) -> Option<String> {
        let with = counted.plus(reserve);
        if let Some(cap) = self.caps.tokens.filter(|&cap| with.tokens > cap) {
            let (counted, takes) = (counted.tokens, reserve.tokens);
            return Some(format!(
                "the cap of {cap} tokens is reached: {counted} are spent, and the next step takes up to {takes}"
            ));
        }
        let cap = self.caps.cost_micros?;
        let Some(takes) = reserve.cost_micros else {
            return Some(format!("the cap of {} on cost cannot be kept: the next step has no known price", money(cap)));
        };
        (with.cost_micros.unwrap_or(0) > cap).then(|| {
            let counted = money(counted.cost_micros.unwrap_or(0));
            format!(
                "the cap of {} on cost is reached: {counted} is spent, and the next step takes up to {}",
                money(cap),
                money(takes)
            )
        })
    }

    /// Everything that counts against the caps.
    #[cfg(test)]
    pub fn counted(&self) -> Reserve {
        let ended = self.spent.plus(self.lost);
        self.granted.values().chain(self.under_way.values()).fold(ended, |sum, &one| sum.plus(one))
    }
}

/// What an attempt that ended cost. Where the server did not say what an answer took, or no price was worked out, the
/// reserve stands in for it; a failure that says nothing may well have cost nothing.
fn cost(usage: Usage, reserve: Reserve, answered: bool) -> Reserve {
    match usage.tokens() {
        0 if usage.cost_micros.is_none() => {
            if answered {
                reserve
            } else {
                Reserve::default()
            }
        }
        tokens => Reserve { tokens, cost_micros: usage.cost_micros.or(reserve.cost_micros) },
    }
}

/// Millionths as people write money: `1.25`, `0.0004`.
fn money(micros: u64) -> String {
    let fraction = format!("{:06}", micros % 1_000_000);
    let shown = fraction.trim_end_matches('0');
    format!("{}.{shown:0<2}", micros / 1_000_000)
}

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;
