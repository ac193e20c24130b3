//! Failures below the wire format, in words: nothing of them names a path, a query or a key.

use crate::agent::wire::WireFault;
use crate::config::roster::{Api, Endpoint};
use crate::model::answer::{FaultClass, Usage};
use crate::model::shown::Shown;
use std::error::Error;
use std::io;
use std::time::Duration;

/// Characters of somebody else's words that are told.
const TOLD: usize = 240;

/// A failure without a status.
pub(super) fn fault(class: FaultClass, what: impl Into<String>, retry: bool) -> WireFault {
    WireFault { class, what: what.into(), status: 0, retry, after: None, usage: Usage::default() }
}

/// How an attempt ends that a person told to stop.
pub(super) fn cancelled(usage: Usage) -> WireFault {
    WireFault { usage, ..fault(FaultClass::Cancelled, "cancelled by a person", false) }
}

/// No byte of an answer in time.
pub(super) fn no_answer(endpoint: &Endpoint, within: Duration) -> WireFault {
    fault(FaultClass::Timeout, format!("{} did not begin to answer within {}", endpoint.server(), seconds(within)), true)
}

/// An answer that takes longer than a call may. Asked again it would take as long, and cost as much.
pub(super) fn too_slow(endpoint: &Endpoint, usage: Usage) -> WireFault {
    let what = format!("the answer of {} was not complete after {}", endpoint.server(), seconds(endpoint.timeouts.total));
    WireFault { usage, status: 200, ..fault(FaultClass::Timeout, what, false) }
}

/// A redirect: followed, it would carry the document and the key to somebody else (facts: reqwest keeps `x-api-key`).
pub(super) fn redirected(endpoint: &Endpoint, status: u16, location: Option<&str>) -> WireFault {
    let what = match location.and_then(|location| base_of(endpoint, location)) {
        Some(base) => format!("the server redirects to {base}: not followed; give that address as base URL"),
        None => format!("the server answers {status}, a redirect, without an address: not followed"),
    };
    WireFault { status, ..fault(FaultClass::Rejected, what, false) }
}

/// The base URL that leads to a location, without user, query and fragment.
fn base_of(endpoint: &Endpoint, location: &str) -> Option<String> {
    let mut url = url::Url::parse(&format!("{}{}", endpoint.base_url, endpoint.api.path())).ok()?.join(location).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let text = url.as_str();
    let path = Api::path(endpoint.api);
    Some(cut(text.strip_suffix(path).unwrap_or(text)))
}

/// What kept a request from being answered.
pub(super) fn unreached(endpoint: &Endpoint, error: &reqwest::Error) -> WireFault {
    let server = endpoint.server();
    let why = innermost(error);
    let causes = chain(error);
    let tls =
        causes.iter().any(|cause| cause.contains("certificate") || cause.contains("TLS") || cause.contains("corrupt message"));
    if error.is_dns() || causes.iter().any(|cause| cause.contains("dns error")) {
        fault(FaultClass::Unavailable, format!("{server}: the name cannot be resolved ({why})"), true)
    } else if tls || invalid_data(error) {
        fault(FaultClass::Unavailable, format!("{server}: no secure connection ({why})"), false)
    } else if error.is_connect() && error.is_timeout() {
        let within = seconds(endpoint.timeouts.connect);
        fault(FaultClass::Unavailable, format!("{server} could not be reached within {within}"), true)
    } else if error.is_connect() {
        fault(FaultClass::Unavailable, format!("{server} could not be reached ({why})"), true)
    } else if error.is_builder() {
        fault(FaultClass::Rejected, format!("the request to {server} cannot be made ({why})"), false)
    } else {
        fault(FaultClass::Broken, format!("{server} broke the connection before it answered ({why})"), true)
    }
}

/// Why a body broke off.
pub(super) fn broke(error: &reqwest::Error) -> String {
    innermost(error)
}

/// The last cause, which names the thing itself; what stands before it are layers.
fn innermost(error: &(dyn Error + 'static)) -> String {
    chain(error).pop().unwrap_or_else(|| "no reason given".into())
}

/// The causes below an error, outermost first. The error itself is left out: reqwest writes the address into it.
fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cut(&cause.to_string()));
        next = cause.source();
    }
    causes
}

/// Whether an error below is of the kind under which rustls reports what it cannot accept.
fn invalid_data(error: &(dyn Error + 'static)) -> bool {
    let mut next = error.source();
    while let Some(cause) = next {
        if cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::InvalidData) {
            return true;
        }
        next = cause.source();
    }
    false
}

/// Somebody else's words, safe and short.
pub(super) fn cut(text: &str) -> String {
    Shown::line_start(text, TOLD).as_str().chars().take(TOLD).collect()
}

fn seconds(wait: Duration) -> String {
    if wait.subsec_millis() == 0 { format!("{} s", wait.as_secs()) } else { format!("{} ms", wait.as_millis()) }
}
