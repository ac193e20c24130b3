//! A person as the way to somebody: they carry the question to any chat, and the answer back. There is no deadline, no place among
//! the agents of a wave is taken, and nothing is charged that we know of. The answer is read as anybody else's.

use super::asked::{About, Said, Saying, Speaker, Unsaid, Voice};
use super::wire::as_text;
use crate::model::answer::{FaultClass, Usage};
use crate::model::estimate::RESTS;
use crate::run::BoxFuture;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The word for it.
pub const PASTE: &str = "paste";
/// Tokens of an answer that its estimate counts on.
pub const MAX_OUTPUT: u32 = 16_000;
/// Findings in one answer at most.
const MAX_FINDINGS: usize = 40;
/// Characters of one text in an answer at most.
const MAX_TEXT: usize = 2_000;

/// A question to be carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    /// Key of its step.
    pub key: String,
    /// Which question of the step it is, from 1: the first, a repair, the rest of a full list.
    pub turn: u32,
    /// The whole text: what was said before stands in it.
    pub text: String,
    /// What is asked about the answer before it; `""` for the first.
    pub about: String,
}

/// Why no answer came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotBrought {
    /// A person told the step to stop.
    Cancelled,
    /// Nobody is here to wait for: where the question lies, and what to do.
    Later(String),
}

/// Whoever hands questions over and takes answers in.
pub trait Courier: Send + Sync {
    /// Hands a question over, and waits for its answer, however long.
    ///
    /// # Errors
    /// No answer came back.
    fn carry<'a>(&'a self, errand: Errand, cancel: &'a CancellationToken) -> BoxFuture<'a, Result<String, NotBrought>>;
}

/// A reviewer behind a person.
pub struct Paste {
    courier: Arc<dyn Courier>,
}

impl Paste {
    /// With whoever hands questions over.
    pub fn new(courier: Arc<dyn Courier>) -> Paste {
        Paste { courier }
    }
}

impl Voice for Paste {
    fn about(&self) -> About<'_> {
        About {
            name: PASTE,
            max_output: MAX_OUTPUT,
            max_findings: MAX_FINDINGS,
            max_text: MAX_TEXT,
            prices: None,
            rests: RESTS,
            by_hand: true,
        }
    }

    fn say<'a>(&'a self, saying: Saying<'a>) -> BoxFuture<'a, Result<Said, Unsaid>> {
        Box::pin(async move {
            let about = saying.call.turns.last().map(|turn| turn.question.clone()).unwrap_or_default();
            saying.heard(&about);
            let errand = Errand { key: saying.ask.key.clone(), turn: saying.number, text: as_text(&saying.call), about };
            match self.courier.carry(errand, &saying.ask.cancel).await {
                Ok(text) => {
                    saying.heard(&text);
                    let by = Speaker { asked: PASTE.to_owned(), shape: "prompt".to_owned(), ..Speaker::default() };
                    Ok(Said { text, calls: 1, by, ..Said::default() })
                }
                Err(why) => {
                    let (class, what) = match why {
                        NotBrought::Cancelled => (FaultClass::Cancelled, "cancelled by a person".to_owned()),
                        NotBrought::Later(what) => (FaultClass::Awaited, what),
                    };
                    Err(Unsaid { class, what, usage: Usage::default(), may_be_charged: false, calls: 0, retries: 0 })
                }
            }
        })
    }
}
