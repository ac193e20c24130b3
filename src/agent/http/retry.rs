//! When the same request is sent again, and after how long: the rules of the official SDKs (`openai` 3.57, `anthropic` 2.14).

use crate::agent::wire::{WireFault, is_final};
use crate::model::answer::FaultClass;
use std::time::Duration;

/// How often the same request is sent again at most.
pub const MAX_RETRIES: u32 = 2;
/// The first wait, where the server asks for none.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// No wait of our own is longer.
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// What a server may ask for; a longer wait is told to people instead of being waited out.
const LONGEST_ASKED: Duration = Duration::from_secs(120);
/// By how much of a wait of our own jitter shortens it at most, so that many callers do not come back at one moment.
const JITTER: f64 = 0.25;

/// What comes after a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The same bytes again.
    Again {
        /// After this wait.
        after: Duration,
    },
    /// No more: this is told.
    Spent(WireFault),
}

/// What comes after a failure of a request that was sent `tries` times, counted from 1; `jitter` lies in 0 to 1.
pub fn decide(fault: &WireFault, tries: u32, jitter: f64) -> Next {
    if !fault.retry || is_final(fault.status) {
        return Next::Spent(fault.clone());
    }
    match fault.after {
        Some(wait) if wait > LONGEST_ASKED => Next::Spent(as_quota(fault, wait)),
        _ if tries > MAX_RETRIES => Next::Spent(fault.clone()),
        Some(wait) if !wait.is_zero() => Next::Again { after: wait },
        _ => Next::Again { after: backoff(tries, jitter) },
    }
}

/// How long a pause a failure asks for that holds every caller of its server; none where people are told instead.
pub fn asked_pause(fault: &WireFault) -> Option<Duration> {
    fault.after.filter(|wait| !wait.is_zero() && *wait <= LONGEST_ASKED)
}

fn backoff(tries: u32, jitter: f64) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(10)).min(LONGEST_WAIT);
    doubled.mul_f64(1.0 - JITTER * jitter.clamp(0.0, 1.0))
}

fn as_quota(fault: &WireFault, wait: Duration) -> WireFault {
    let what = format!("{}; the server asks for a wait of {}: not retried", fault.what, in_words(wait));
    WireFault { class: FaultClass::Quota, what, retry: false, ..fault.clone() }
}

/// `45 s`, `6 min`, `2 h 5 min`, `3 d 4 h`; rounded up to what is shown.
fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
    let minutes = seconds.div_ceil(60);
    let (two, small) = match seconds {
        0..=119 => return format!("{seconds} s"),
        120..=7_199 => return format!("{minutes} min"),
        7_200..=172_799 => (format!("{} h", minutes / 60), format!("{} min", minutes % 60)),
        _ => (format!("{} d", minutes / 1440), format!("{} h", minutes % 1440 / 60)),
    };
    if small.starts_with("0 ") { two } else { format!("{two} {small}") }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
