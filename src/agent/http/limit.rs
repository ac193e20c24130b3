//! How many calls run at a server at one time: fewer after it said that it is too many, more again while it goes well.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// A gate before a server. Callers pass in the order in which they came.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Never passed, whatever goes well.
    cap: usize,
    /// Calls that may run now; 1 to `cap`.
    limit: usize,
    /// Calls that run.
    running: usize,
    /// Successes in a row.
    good: usize,
    /// How often the limit was halved. Calls begun before that say nothing about the limit after it: where twelve are refused
    /// at one moment, that is one reason to halve.
    halved: u64,
    /// The server wants to be left alone until then.
    paused: Option<Instant>,
    /// Who waits, first come first.
    waiting: VecDeque<(u64, Arc<Notify>)>,
    next_ticket: u64,
}

/// The right to have one call running; given back when dropped.
#[derive(Debug)]
pub struct Permit {
    limiter: Arc<Limiter>,
    halved: u64,
}

/// A place in the queue; left when dropped.
struct Place<'a> {
    limiter: &'a Limiter,
    ticket: u64,
    turn: Arc<Notify>,
}

impl Limiter {
    /// A gate that lets `cap` calls run at one time, at least one.
    pub fn new(cap: usize) -> Arc<Limiter> {
        let cap = cap.max(1);
        let state =
            State { cap, limit: cap, running: 0, good: 0, halved: 0, paused: None, waiting: VecDeque::new(), next_ticket: 0 };
        Arc::new(Limiter { state: Mutex::new(state) })
    }

    /// Lowers the cap, where somebody else at the same server wants fewer.
    pub fn lower(&self, cap: usize) {
        let mut state = self.state();
        state.cap = state.cap.min(cap.max(1));
        state.limit = state.limit.min(state.cap);
    }

    /// Calls that may run now, and those that do.
    pub fn load(&self) -> (usize, usize) {
        let state = self.state();
        (state.limit, state.running)
    }

    /// Waits for a turn. Dropping the future leaves the queue.
    pub async fn acquire(self: &Arc<Limiter>) -> Permit {
        let place = self.queue();
        loop {
            let until = match self.enter(place.ticket) {
                Ok(halved) => return Permit { limiter: Arc::clone(self), halved },
                Err(until) => until,
            };
            match until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => place.turn.notified().await,
            }
        }
    }

    /// Holds every caller for a while, as the server asks.
    pub fn pause(&self, wait: Duration) {
        let mut state = self.state();
        let until = Instant::now() + wait;
        state.paused = Some(state.paused.map_or(until, |before| before.max(until)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self) -> Place<'_> {
        let mut state = self.state();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        let turn = Arc::new(Notify::new());
        state.waiting.push_back((ticket, Arc::clone(&turn)));
        Place { limiter: self, ticket, turn }
    }

    /// Passes, or says until when nobody does; `None` where it is a turn that is waited for.
    fn enter(&self, ticket: u64) -> Result<u64, Option<Instant>> {
        let mut state = self.state();
        if state.waiting.front().is_none_or(|(first, _)| *first != ticket) || state.running >= state.limit {
            return Err(None);
        }
        if let Some(until) = state.paused {
            if until > Instant::now() {
                return Err(Some(until));
            }
            state.paused = None;
        }
        state.running += 1;
        Ok(state.halved)
    }
}

impl State {
    /// Tells the first in the queue to look again.
    fn call_first(&self) {
        if let Some((_, turn)) = self.waiting.front() {
            turn.notify_one();
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.waiting.retain(|(ticket, _)| *ticket != self.ticket);
        state.call_first();
    }
}

impl Permit {
    /// The call went well: after as many of these in a row as may run, one more may.
    pub fn succeeded(self) {
        let mut state = self.limiter.state();
        state.good += 1;
        if state.good >= state.limit {
            state.good = 0;
            state.limit = (state.limit + 1).min(state.cap);
        }
    }

    /// The server said that it is too much: half as many may run.
    pub fn refused(self) {
        let mut state = self.limiter.state();
        state.good = 0;
        if state.halved == self.halved {
            state.halved += 1;
            state.limit = (state.limit / 2).max(1);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.running -= 1;
        state.call_first();
    }
}

#[cfg(test)]
#[path = "limit_tests.rs"]
mod tests;
