//! Before anything is sent: what the run will take and where the document goes is shown, and a person confirms it.

use super::message::Cmd;
use super::model::{Layer, Level, Model};
use super::port::Wish;
use super::update::say;
use crate::model::estimate::Estimate;

/// How long it must have been seen, and the key been let go, before a key sends: in milliseconds. Longer than keyboards wait
/// before they repeat a key that is held down, and than a burst of keys that were typed ahead.
pub const READ_FOR: u64 = 1_000;

/// What is to be confirmed.
#[derive(Clone, Debug)]
pub struct Sending {
    /// What the run will take.
    pub estimate: Box<Estimate>,
    /// The document's name.
    pub file: String,
    /// Seats that are one model: a pair of their names each.
    pub one_model: Vec<(String, String)>,
    /// Lines scrolled.
    pub top: usize,
    /// Since when it has been seen and no key was pressed too early, in the screen's milliseconds; `None` while unseen.
    pub quiet_since: Option<u64>,
    /// Whether it is confirmed and on its way.
    pub sent: bool,
}

impl Sending {
    /// Whether a key that is pressed now can be meant for what stands here.
    fn is_seen(&self, now: u64) -> bool {
        self.quiet_since.is_some_and(|since| now.saturating_sub(since) >= READ_FOR)
    }
}

/// Shows it; below whatever is being typed or read, so that nothing is taken away.
pub fn open(model: &mut Model, estimate: Box<Estimate>, file: String, one_model: Vec<(String, String)>) -> Vec<Cmd> {
    close(model);
    model.typed_ahead.clear();
    let sending = Sending { estimate, file, one_model, top: 0, quiet_since: None, sent: false };
    model.layers.insert(0, Layer::Sending(Box::new(sending)));
    vec![Cmd::Bell]
}

/// A frame was painted: `shown` says whether anything of it could be read there.
pub fn painted(model: &mut Model, shown: bool) {
    let now = model.now.ms;
    if let Some(Layer::Sending(sending)) = model.layers.last_mut() {
        sending.quiet_since = if shown { sending.quiet_since.or(Some(now)) } else { None };
    }
}

/// The person confirms. A key that cannot be an answer to what stands there sends nothing, and the wait begins anew.
pub fn confirm(model: &mut Model) -> Vec<Cmd> {
    let now = model.now.ms;
    let Some(Layer::Sending(sending)) = model.layers.last_mut() else { return Vec::new() };
    if !sending.is_seen(now) {
        sending.quiet_since = sending.quiet_since.map(|_| now);
        say(model, Level::Hint, "sending-too-soon");
        return Vec::new();
    }
    sending.sent = true;
    say(model, Level::Hint, "sending-sent");
    vec![Cmd::Wish(Wish::Send)]
}

/// It is sent, or will not be: nothing is left to confirm.
pub fn close(model: &mut Model) {
    model.layers.retain(|layer| !matches!(layer, Layer::Sending(_)));
}

/// Whether it lies on top and nothing has been sent.
pub fn is_asking(model: &Model) -> bool {
    matches!(model.layers.last(), Some(Layer::Sending(sending)) if !sending.sent)
}

/// Whether nothing has been sent, also while something lies over the question.
pub fn is_open(model: &Model) -> bool {
    model.layers.iter().any(|layer| matches!(layer, Layer::Sending(sending) if !sending.sent))
}
