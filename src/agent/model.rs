//! A model behind the `Agent` port: a prompt, a call, its text read item by item, one repair, and the rest of a full list.

use super::answers::{self, Items, Questions, Read, Wanted};
use super::http::{Client, Exchange, Failed};
use super::prompts::{self, Composer};
use super::warming::{self, Warming};
use super::wire::{Call, Prompt, Turn};
use crate::config::prompts::Prompts;
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::estimate::{RESTS, Reserve};
use crate::rules::estimate::tokens;
use crate::rules::price;
use crate::run::{Agent, AgentFault, Answered, Ask, BoxFuture, LiveText, Reply, Role};
use std::sync::Arc;
use std::time::Duration;

/// The calls of an answer watch over their own time, and may wait long for their turn at a busy server.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// A model at a server.
pub struct Model {
    client: Client,
    prompts: Composer,
    live: Arc<dyn LiveText>,
    warming: Warming,
}

impl Model {
    /// A model that is asked with these prompts; what it says goes to `live` as it comes.
    pub fn new(client: Client, prompts: Arc<Prompts>, live: Arc<dyn LiveText>) -> Model {
        let warming = Warming::new(client.endpoint().warm_cache);
        Model { client, prompts: Composer::new(prompts), live, warming }
    }

    /// Asks, reads, has what cannot be read repaired once, and asks for the rest of a full list.
    async fn answer(&self, ask: &Ask) -> Result<Answered, AgentFault> {
        let prompt = self.prompts.compose(ask);
        self.live.prompt(&ask.key, ask.attempt, &prompts::text(&prompt));
        let endpoint = self.client.endpoint();
        let wanted = wanted(ask, endpoint.max_findings);
        let schema = answers::with_short_texts(answers::schema(&wanted), endpoint.max_text);
        let (turns, spent) = (Vec::new(), Spent::default());
        let mut talk = Talk { model: self, ask, prompt: &prompt, schema: &schema, wanted: &wanted, turns, spent };
        match talk.answer().await {
            // A list of which nothing could be read is no clean answer.
            Ok(read) if read.items.is_empty() && !read.bad.is_empty() => {
                let first = read.bad.first().map(|bad| format!("{}: {}", bad.path, bad.problem)).unwrap_or_default();
                let what = format!("asked twice, it gave no item that can be read ({} left out; {first})", read.bad.len());
                let fault = AgentFault { spent: true, ..AgentFault::new(FaultClass::Invalid, what) };
                Err(AgentFault { usage: self.priced(talk.spent.usage), ..fault })
            }
            Ok(read) => Ok(self.answered(&prompt, read, talk.spent)),
            Err(fault) => Err(AgentFault { usage: self.priced(talk.spent.usage), ..fault }),
        }
    }

    fn answered(&self, prompt: &Prompt, read: Read, spent: Spent) -> Answered {
        let endpoint = self.client.endpoint();
        let provenance = Provenance {
            asked: format!("{}:{}", endpoint.api.word(), endpoint.model),
            answered: spent.answered,
            server: endpoint.server(),
            prompt: prompts::hash(prompt),
            calls: spent.calls,
            retries: spent.retries,
            dropped: read.dropped(),
            may_be_cut: read.full,
            repaired: read.repaired,
            shape: spent.shape,
        };
        let reply = match read.items {
            Items::Findings(findings) => Reply::Findings(findings),
            Items::Parts(parts) => Reply::Verdicts(parts),
        };
        Answered { reply, agent: self.name(), usage: self.priced(spent.usage), provenance: Some(provenance) }
    }

    fn priced(&self, usage: Usage) -> Usage {
        let cost_micros = self.client.endpoint().prices.as_ref().map(|prices| price::cost_micros(&usage, prices));
        Usage { cost_micros, ..usage }
    }
}

impl Agent for Model {
    fn name(&self) -> String {
        self.client.endpoint().name.clone()
    }

    fn deadline(&self) -> Duration {
        DEADLINE
    }

    fn reserve(&self, ask: &Ask) -> Reserve {
        let endpoint = self.client.endpoint();
        price::reserve(self.prompts.tokens(ask), u64::from(endpoint.max_output), endpoint.prices.as_ref())
    }

    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        Box::pin(async move { self.answer(&ask).await })
    }
}

/// Tokens of one call that no model takes: a figure above is a mistake of the server.
const ABSURD: u64 = 1_000_000_000;

/// What the server says that a call took, as far as it can be; the estimate where it says nothing or nonsense.
fn honest(said: Usage, estimate: impl FnOnce() -> Usage) -> Usage {
    if said.tokens() == 0 || said.tokens_in > ABSURD || said.tokens_out > ABSURD {
        return estimate();
    }
    let cached = said.cached.min(said.tokens_in);
    let cache_written = said.cache_written.min(said.tokens_in - cached);
    Usage { cached, cache_written, reasoning: said.reasoning.min(said.tokens_out), ..said }
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

/// What is wanted of whoever is asked.
fn wanted(ask: &Ask, most: usize) -> Wanted<'_> {
    match ask.role {
        Role::Arbiter => Wanted::Verdicts { listed: ask.listing.len() },
        role => Wanted::Findings { recipe: &ask.subject.recipe, names_dimension: role == Role::Critic, most },
    }
}

/// What a conversation has cost, and how it was held.
#[derive(Default)]
struct Spent {
    usage: Usage,
    calls: u32,
    retries: u32,
    answered: String,
    shape: String,
}

/// The conversation about one question.
struct Talk<'a> {
    model: &'a Model,
    ask: &'a Ask,
    prompt: &'a Prompt,
    schema: &'a serde_json::Value,
    wanted: &'a Wanted<'a>,
    turns: Vec<Turn>,
    spent: Spent,
}

impl Talk<'_> {
    /// The answer, with what could not be read repaired once and a full list carried on.
    async fn answer(&mut self) -> Result<Read, AgentFault> {
        let warming = self.model.warming.turn(self.prompt).await;
        let text = self.say(&warming).await?;
        drop(warming);
        let mut read = self.read(text).await?;
        for _ in 0..RESTS {
            if !read.full {
                break;
            }
            read = self.rest(read).await;
        }
        Ok(read)
    }

    /// The texts that ask once more.
    fn questions(&self) -> Questions<'_> {
        Questions(self.model.prompts.texts())
    }

    /// One call with everything said so far.
    async fn say(&mut self, warming: &warming::Turn) -> Result<String, AgentFault> {
        let call = Call { prompt: self.prompt, turns: &self.turns, schema_name: self.wanted.key(), schema: self.schema };
        let mut said = |text: &str| {
            warming.has_begun();
            self.model.live.text(&self.ask.key, self.ask.attempt, text);
        };
        let answered = self.model.client.complete(&call, &mut said, &self.ask.cancel).await;
        match answered {
            Ok(Exchange { completion, sent, retries, rung, wasted }) => {
                let Spent { usage, calls, .. } = &self.spent;
                let took = honest(completion.usage, || self.estimate(tokens(&completion.text)));
                self.spent = Spent {
                    usage: usage.plus(took).plus(wasted),
                    calls: calls + sent,
                    retries: self.spent.retries + retries,
                    answered: completion.model,
                    shape: rung.word().to_owned(),
                };
                Ok(completion.text)
            }
            Err(Failed { fault, sent, retries, usage, cancelled }) => {
                let longest = u64::from(self.model.client.endpoint().max_output);
                let took =
                    if may_be_charged(fault.class, cancelled, sent) { honest(usage, || self.estimate(longest)) } else { usage };
                self.spent.usage = self.spent.usage.plus(took);
                self.spent.calls += sent;
                self.spent.retries += retries;
                let what = match fault.class {
                    FaultClass::Denied => format!("{}; the key comes from {}", fault.what, self.model.client.endpoint().key_from),
                    _ => fault.what,
                };
                let fault = if cancelled { AgentFault::cancelled() } else { AgentFault::new(fault.class, what) };
                Err(AgentFault { spent: true, ..fault })
            }
        }
    }

    /// What the call under way takes, where the server does not say: the whole question and so many tokens written.
    fn estimate(&self, tokens_out: u64) -> Usage {
        let turns = self.turns.iter().map(|turn| tokens(&turn.answer).saturating_add(tokens(&turn.question)));
        let prompt = [&self.prompt.system, &self.prompt.shared, &self.prompt.own].into_iter().map(|part| tokens(part));
        Usage { tokens_in: prompt.chain(turns).sum(), tokens_out, estimated: true, ..Usage::default() }
    }

    /// Reads an answer; what of it cannot be read is asked for once more, and then left out and counted.
    async fn read(&mut self, text: String) -> Result<Read, AgentFault> {
        match answers::read(&text, self.wanted) {
            Ok(read) if read.bad.is_empty() => Ok(read),
            Ok(read) => {
                let question = self.questions().ask_again(&read.bad, self.wanted);
                // A repair that fails takes nothing from what was read.
                let again = self.turn(text.clone(), question).await.ok();
                let second = again.and_then(|text| answers::read(&text, self.wanted).ok());
                let read = second.map_or_else(|| read.clone(), |second| answers::merge(read.clone(), second));
                Ok(answers::with_a_dimension(read, &text, self.wanted))
            }
            Err(why) => {
                let question = self.questions().no_answer(&why, self.wanted);
                let again = self.turn(text, question).await?;
                let invalid = |why: answers::NoAnswer| AgentFault {
                    spent: true,
                    ..AgentFault::new(FaultClass::Invalid, format!("asked twice, it gave no list that can be read: {why}"))
                };
                answers::read(&again, self.wanted).map_err(invalid)
            }
        }
    }

    /// Asks for what a full list had no room for. Where that fails the list stays as it is, and may be cut.
    async fn rest(&mut self, read: Read) -> Read {
        let Items::Findings(known) = &read.items else { return read };
        let question = self.questions().ask_for_rest(known, self.wanted);
        let text = serde_json::json!({ self.wanted.key(): known }).to_string();
        let more = self.turn(text, question).await.ok().and_then(|text| answers::read(&text, self.wanted).ok());
        match more {
            Some(more) => answers::join_rest(read, more),
            None => read,
        }
    }

    /// One more exchange after an answer; the conversation before it is not repeated, so that it cannot grow.
    ///
    /// # Errors
    /// The call's failure, or the caps have no room for it.
    async fn turn(&mut self, answer: String, question: String) -> Result<String, AgentFault> {
        let said = tokens(&answer).saturating_add(tokens(&question));
        let whole = Agent::reserve(self.model, self.ask);
        let endpoint = self.model.client.endpoint();
        let more = price::reserve(said, 0, endpoint.prices.as_ref()).plus(whole);
        if !self.ask.purse.takes(more) {
            let what = "its answer had to be asked for once more, and the caps have no room for that";
            return Err(AgentFault { spent: true, ..AgentFault::new(FaultClass::Capped, what) });
        }
        self.turns = vec![Turn { answer, question }];
        self.say(&warming::Turn::Follows).await
    }
}
