//! How long a server wants to be left alone.

use std::time::{Duration, SystemTime};

/// The pairs of headers that say how much of something is left and when there is more: `(remaining, reset)`.
const RESETS: [(&str, &str); 6] = [
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"),
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
];

/// The wait that the headers of a refusal ask for: `retry-after-ms`, else `retry-after` in seconds or as a date, else, for a 429,
/// the longest of the resets of what is used up. `None` where none is told or can be read; 0 where its moment has passed.
/// A moment is compared with the server's own `date` where it says one, for our clock may be wrong; else with `now`.
pub fn after(status: u16, headers: &[(String, String)], now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim());
    let there = header("date").and_then(|date| httpdate::parse_http_date(date).ok()).unwrap_or(now);
    let until = |moment: SystemTime| moment.duration_since(there).unwrap_or_default();
    if let Some(wait) = header("retry-after-ms").and_then(|value| seconds(value, 1e-3)) {
        return Some(wait);
    }
    let date = |value: &str| httpdate::parse_http_date(value).ok().map(until);
    if let Some(wait) = header("retry-after").and_then(|value| seconds(value, 1.0).or_else(|| date(value))) {
        return Some(wait);
    }
    if status != 429 {
        return None;
    }
    let moment = |value: &str| {
        let since_epoch = Duration::from_millis(u64::try_from(value.parse::<jiff::Timestamp>().ok()?.as_millisecond()).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(since_epoch).map(until)
    };
    let used_up = RESETS.iter().filter(|(remaining, _)| header(remaining) == Some("0"));
    used_up.filter_map(|(_, reset)| header(reset)).filter_map(|value| go_duration(value).or_else(|| moment(value))).max()
}

/// A number of units of so many seconds; `None` for anything else, negative ones included.
fn seconds(value: &str, unit: f64) -> Option<Duration> {
    value.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number * unit).ok())
}

/// A duration as Go prints it: `6m0s`, `1s`, `250ms`, `1m26.4s`.
fn go_duration(value: &str) -> Option<Duration> {
    let mut rest = value;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, next) = behind.split_at(letters);
        let unit = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        total = total.checked_add(seconds(number, unit)?)?;
        rest = next;
    }
    (!value.is_empty()).then_some(total)
}
