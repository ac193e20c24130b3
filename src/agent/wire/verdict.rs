//! What was gathered of an answer, and whether that is one. Nothing but a normal stop with text and no refusal is: everything
//! else has a name, so that it never reads as "nothing found".

use super::told::{Told, quoted};
use super::{Completion, WireFault};
use crate::model::answer::{FaultClass, Usage};
use serde_json::Value;

/// Bytes of text that an answer may have.
pub const TEXT_LIMIT: usize = 2 * 1024 * 1024;
/// Characters of a refusal, a stop reason or a model's name that are kept.
const WORDS: usize = 300;

/// Stops of an answer that is whole.
const CLEAN: [&str; 3] = ["stop", "end_turn", "stop_sequence"];

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub text: String,
    /// The model thought: never kept, only that it did.
    pub thought: bool,
    pub refusal: String,
    pub stop: Option<String>,
    pub model: String,
    pub usage: Usage,
    /// The answer says that nothing comes after this.
    pub done: bool,
}

impl Gathered {
    /// More text.
    pub fn say(&mut self, text: &str, said: &mut dyn FnMut(&str)) -> Result<(), WireFault> {
        if text.is_empty() {
            return Ok(());
        }
        if self.text.len() + text.len() > TEXT_LIMIT {
            let what = format!("the answer is longer than {} MiB", TEXT_LIMIT / (1024 * 1024));
            return Err(self.fault(FaultClass::Invalid, what));
        }
        self.text.push_str(text);
        said(text);
        Ok(())
    }

    /// More of a refusal.
    pub fn refuse(&mut self, words: &str) {
        if self.refusal.len() < 4 * WORDS {
            self.refusal.extend(words.chars().take(WORDS));
        }
    }

    /// A reason for stopping. Where several are given, one that is not clean stands.
    pub fn stops(&mut self, reason: &Value) {
        let Some(reason) = reason.as_str().filter(|reason| !reason.is_empty()) else { return };
        if self.stop.as_deref().is_none_or(|stop| CLEAN.contains(&stop)) {
            self.stop = Some(quoted(reason, 100));
        }
    }

    /// The model's name; the first one stands.
    pub fn names(&mut self, model: &Value) {
        if let Some(model) = model.as_str().filter(|_| self.model.is_empty()) {
            self.model = model.chars().take(WORDS).collect();
        }
    }

    /// A failure inside a success.
    pub fn fault(&self, class: FaultClass, what: impl Into<String>) -> WireFault {
        WireFault { class, what: what.into(), status: 200, retry: false, after: None, usage: self.usage }
    }

    /// The stream broke off, or a like accident that the same request need not meet again.
    pub fn accident(&self, class: FaultClass, what: impl Into<String>) -> WireFault {
        WireFault { retry: true, ..self.fault(class, what) }
    }

    /// An error inside a success.
    pub fn error(&self, told: &Told) -> WireFault {
        let what = format!("the server reported success and then an error: {}", told.words());
        WireFault { retry: told.passes(), ..self.fault(FaultClass::ErrorInside, what) }
    }

    /// What all of it comes to. `stream`: whether it came piece by piece, and so may have broken off.
    pub fn conclude(self, stream: bool) -> Result<Completion, WireFault> {
        if !self.refusal.trim().is_empty() {
            let what = format!("the model declined: {}", quoted(&self.refusal, WORDS));
            return Err(self.fault(FaultClass::Refused, what));
        }
        let Some(stop) = self.stop.as_deref() else {
            return Err(if stream {
                self.accident(FaultClass::Broken, "the stream ended without a reason for stopping")
            } else {
                self.fault(FaultClass::UnknownStop, "the answer names no reason for stopping")
            });
        };
        match stop {
            stop if CLEAN.contains(&stop) => {}
            "length" | "max_tokens" | "max_output_tokens" => {
                let what = format!("the answer was cut at the output limit ({stop})");
                return Err(self.fault(FaultClass::Truncated, what));
            }
            "model_context_window_exceeded" => {
                let what = format!("the answer was cut where the model's context was full ({stop})");
                return Err(self.fault(FaultClass::Truncated, what));
            }
            "refusal" => return Err(self.fault(FaultClass::Refused, "the model declined, without a reason")),
            "content_filter" | "sensitive" => {
                let what = format!("the provider's filter held the answer back ({stop})");
                return Err(self.fault(FaultClass::Filtered, what));
            }
            // These name trouble at the server, not a decision of the model.
            "error" | "network_error" | "insufficient_system_resource" => {
                let what = format!("the server stopped the answer ({stop})");
                return Err(self.accident(FaultClass::UnknownStop, what));
            }
            other => {
                let what = format!("the answer stopped for a reason that is not known to be clean ({other})");
                return Err(self.fault(FaultClass::UnknownStop, what));
            }
        }
        if self.text.trim().is_empty() {
            return Err(if self.thought {
                self.fault(FaultClass::ReasoningOnly, "the model thought and then said nothing")
            } else {
                self.fault(FaultClass::Empty, "the server reported success with nothing in it")
            });
        }
        Ok(Completion { text: self.text, model: self.model, usage: self.usage })
    }
}

/// A count of tokens: 0 where there is none, or where what stands there is no count.
pub(super) fn count(value: &Value) -> u64 {
    // A float to an integer saturates: no number of a server's can be wrong in a worse way than being too large.
    value.as_u64().or_else(|| value.as_f64().map(|number| number as u64)).unwrap_or(0)
}

/// Whether a field holds something: not missing, null, or an empty text or list.
pub(super) fn holds(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}
