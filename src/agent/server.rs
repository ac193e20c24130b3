//! A model at a server, as a voice: one answer is a call with its retries.

use super::asked::{About, Asked, Said, Saying, Speaker, Unsaid, Voice};
use super::http::{Client, Exchange, Failed};
use super::warming::{self, Warming};
use crate::config::prompts::Prompts;
use crate::model::answer::FaultClass;
use crate::model::estimate::RESTS;
use crate::run::{BoxFuture, LiveText};
use std::sync::Arc;

/// A model at a server.
pub struct Server {
    client: Client,
    warming: Warming,
}

/// A model that is asked over the network or on this machine.
pub type Model = Asked<Server>;

impl Model {
    /// A model that is asked with these prompts; what it says goes to `live` as it comes.
    pub fn new(client: Client, prompts: Arc<Prompts>, live: Arc<dyn LiveText>) -> Model {
        let warming = Warming::new(client.endpoint().warm_cache);
        Asked::with(Server { client, warming }, prompts, live)
    }
}

impl Voice for Server {
    fn about(&self) -> About<'_> {
        let endpoint = self.client.endpoint();
        About {
            name: &endpoint.name,
            max_output: endpoint.max_output,
            max_findings: endpoint.max_findings,
            max_text: endpoint.max_text,
            prices: endpoint.prices.as_ref(),
            rests: RESTS,
            by_hand: false,
        }
    }

    fn say<'a>(&'a self, saying: Saying<'a>) -> BoxFuture<'a, Result<Said, Unsaid>> {
        Box::pin(self.complete(saying))
    }
}

impl Server {
    async fn complete(&self, saying: Saying<'_>) -> Result<Said, Unsaid> {
        let warming = if saying.first { self.warming.turn(saying.call.prompt).await } else { warming::Turn::Follows };
        let mut said = |text: &str| {
            warming.has_begun();
            saying.heard(text);
        };
        let endpoint = self.client.endpoint();
        match self.client.complete(&saying.call, &mut said, &saying.ask.cancel).await {
            Ok(Exchange { completion, sent, retries, rung, wasted }) => {
                let by = Speaker {
                    asked: format!("{}:{}", endpoint.api.word(), endpoint.model),
                    answered: completion.model,
                    server: endpoint.server(),
                    shape: rung.word().to_owned(),
                    ..Speaker::default()
                };
                Ok(Said { text: completion.text, usage: completion.usage, wasted, calls: sent, retries, by })
            }
            Err(Failed { fault, sent, retries, usage, cancelled }) => {
                let may_be_charged = may_be_charged(fault.class, cancelled, sent);
                let (class, what) = match fault.class {
                    class if cancelled => (FaultClass::Cancelled, class.word()),
                    FaultClass::Denied => {
                        (FaultClass::Denied, format!("{}; the key comes from {}", fault.what, endpoint.key_from))
                    }
                    class => (class, fault.what),
                };
                Err(Unsaid { class, what, usage, may_be_charged, calls: sent, retries })
            }
        }
    }
}

/// Whether the server may charge for a call that failed: it began to answer, or nobody knows that it did not. A refusal costs
/// nothing.
fn may_be_charged(class: FaultClass, cancelled: bool, sent: u32) -> bool {
    use FaultClass::{
        Broken, Empty, Filtered, Invalid, ReasoningOnly, Refused, Stalled, Timeout, Truncated, UnknownStop, WrongFormat,
    };
    let began = matches!(
        class,
        Broken | Empty | Filtered | Invalid | ReasoningOnly | Refused | Stalled | Timeout | Truncated | UnknownStop | WrongFormat
    );
    sent > 0 && (cancelled || began)
}
