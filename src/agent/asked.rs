//! Whoever is asked with a prompt and answers in text, behind the `Agent` port: the prompt, the answer read item by item, one
//! repair, and the rest of a full list. Who speaks (a server, a program, a person) is a [`Voice`].

use super::answers::{self, Items, Questions, Read, Wanted};
use super::prompts::{self, Composer};
use super::wire::{Call, Prompt, Turn};
use crate::config::prompts::Prompts;
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::estimate::Reserve;
use crate::model::prices::Prices;
use crate::model::walls::Level;
use crate::rules::estimate::tokens;
use crate::rules::price;
use crate::run::{Agent, AgentFault, Answered, Ask, BoxFuture, LiveText, Reply, Role};
use std::sync::Arc;
use std::time::Duration;

/// Whoever speaks watches over its own time, and may wait long for its turn.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Somebody who answers a prompt in text.
pub trait Voice: Send + Sync {
    /// Who it is, and what it takes.
    fn about(&self) -> About<'_>;

    /// One answer; what comes in while it speaks goes to the live text.
    fn say<'a>(&'a self, saying: Saying<'a>) -> BoxFuture<'a, Result<Said, Unsaid>>;
}

/// Who somebody is, and what they take.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The name in the roster, or what was written on the command line.
    pub name: &'a str,
    /// Tokens of an answer at most, which a call reserves.
    pub max_output: u32,
    /// Findings in one answer at most.
    pub max_findings: usize,
    /// Characters of one text in an answer at most.
    pub max_text: usize,
    /// Prices, where they are known.
    pub prices: Option<&'a Prices>,
    /// How many times the rest of a full list is asked for.
    pub rests: u32,
    /// A person carries it: no deadline, no place in a wave, nothing reserved of the caps.
    pub by_hand: bool,
}

/// What is to be answered.
pub struct Saying<'a> {
    /// The question that it is about.
    pub ask: &'a Ask,
    /// The prompt, what was said after it, and the shape of the answer.
    pub call: Call<'a>,
    /// Whether nothing has been said before.
    pub first: bool,
    /// Which question of its step it is, from 1.
    pub number: u32,
    /// Takes what comes in.
    pub live: &'a dyn LiveText,
}

impl Saying<'_> {
    /// Shows what came in.
    pub fn heard(&self, text: &str) {
        self.live.text(&self.ask.key, self.ask.attempt, text);
    }
}

/// An answer, and what it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The text.
    pub text: String,
    /// What it cost, as far as that was said.
    pub usage: Usage,
    /// What was spent in vain before it.
    pub wasted: Usage,
    /// Times it was asked.
    pub calls: u32,
    /// Of these, the same once more.
    pub retries: u32,
    /// Who answered: provenance.
    pub by: Speaker,
}

/// Who answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Speaker {
    /// Whom was asked, as on the command line.
    pub asked: String,
    /// Who answered, in their own words; `""` where they did not say.
    pub answered: String,
    /// The server; `""` for none.
    pub server: String,
    /// How the shape of the answer was asked for.
    pub shape: String,
    /// How much of the walls around a program held.
    pub walls: Option<Level>,
    /// Milliseconds until a program said anything.
    pub started_ms: Option<u64>,
}

/// No answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsaid {
    /// What kind of failure.
    pub class: FaultClass,
    /// In words.
    pub what: String,
    /// What it cost all the same, as far as that was said.
    pub usage: Usage,
    /// Whether it may have been charged for though nobody said so.
    pub may_be_charged: bool,
    /// Times it was asked.
    pub calls: u32,
    /// Of these, the same once more.
    pub retries: u32,
}

/// Somebody who is asked with prompts.
pub struct Asked<V> {
    voice: V,
    prompts: Composer,
    live: Arc<dyn LiveText>,
}

impl<V: Voice> Asked<V> {
    /// Somebody who is asked with these prompts; what they say goes to `live` as it comes.
    pub fn with(voice: V, prompts: Arc<Prompts>, live: Arc<dyn LiveText>) -> Asked<V> {
        Asked { voice, prompts: Composer::new(prompts), live }
    }

    /// Asks, reads, has what cannot be read repaired once, and asks for the rest of a full list.
    async fn answer(&self, ask: &Ask) -> Result<Answered, AgentFault> {
        let prompt = self.prompts.compose(ask);
        self.live.prompt(&ask.key, ask.attempt, &prompts::text(&prompt));
        let about = self.voice.about();
        let wanted = wanted(ask, about.max_findings);
        let schema = answers::with_short_texts(answers::schema(&wanted), about.max_text);
        let (turns, spent) = (Vec::new(), Spent::default());
        let mut talk = Talk { asked: self, ask, prompt: &prompt, schema: &schema, wanted: &wanted, turns, number: 0, spent };
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
        let provenance = Provenance {
            asked: spent.by.asked,
            answered: spent.by.answered,
            server: spent.by.server,
            prompt: prompts::hash(prompt),
            calls: spent.calls,
            retries: spent.retries,
            dropped: read.dropped(),
            may_be_cut: read.full,
            repaired: read.repaired,
            shape: spent.by.shape,
            walls: spent.by.walls,
            started_ms: spent.by.started_ms,
        };
        let reply = match read.items {
            Items::Findings(findings) => Reply::Findings(findings),
            Items::Parts(parts) => Reply::Verdicts(parts),
        };
        Answered { reply, agent: self.name(), usage: self.priced(spent.usage), provenance: Some(provenance) }
    }

    fn priced(&self, usage: Usage) -> Usage {
        let cost_micros = self.voice.about().prices.map(|prices| price::cost_micros(&usage, prices));
        Usage { cost_micros, ..usage }
    }
}

impl<V: Voice> Agent for Asked<V> {
    fn name(&self) -> String {
        self.voice.about().name.to_owned()
    }

    fn deadline(&self) -> Duration {
        if self.voice.about().by_hand { Duration::MAX } else { DEADLINE }
    }

    fn is_capped(&self) -> bool {
        !self.voice.about().by_hand
    }

    fn reserve(&self, ask: &Ask) -> Reserve {
        let about = self.voice.about();
        if about.by_hand {
            return Reserve::default();
        }
        price::reserve(self.prompts.tokens(ask), u64::from(about.max_output), about.prices)
    }

    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        Box::pin(async move { self.answer(&ask).await })
    }
}

/// Tokens of one call that no model takes: a figure above is a mistake of whoever says it.
const ABSURD: u64 = 1_000_000_000;

/// What is said that a call took, as far as it can be; the estimate where nothing or nonsense is said.
fn honest(said: Usage, estimate: impl FnOnce() -> Usage) -> Usage {
    if said.tokens() == 0 || said.tokens_in > ABSURD || said.tokens_out > ABSURD {
        return estimate();
    }
    let cached = said.cached.min(said.tokens_in);
    let cache_written = said.cache_written.min(said.tokens_in - cached);
    Usage { cached, cache_written, reasoning: said.reasoning.min(said.tokens_out), ..said }
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
    by: Speaker,
}

/// The conversation about one question.
struct Talk<'a, V> {
    asked: &'a Asked<V>,
    ask: &'a Ask,
    prompt: &'a Prompt,
    schema: &'a serde_json::Value,
    wanted: &'a Wanted<'a>,
    turns: Vec<Turn>,
    /// Questions put so far.
    number: u32,
    spent: Spent,
}

impl<V: Voice> Talk<'_, V> {
    /// The answer, with what could not be read repaired once and a full list carried on.
    async fn answer(&mut self) -> Result<Read, AgentFault> {
        let text = self.say().await?;
        let mut read = self.read(text).await?;
        for _ in 0..self.asked.voice.about().rests {
            if !read.full {
                break;
            }
            read = self.rest(read).await?;
        }
        Ok(read)
    }

    /// The texts that ask once more.
    fn questions(&self) -> Questions<'_> {
        Questions(self.asked.prompts.texts())
    }

    /// One call with everything said so far.
    async fn say(&mut self) -> Result<String, AgentFault> {
        let call = Call { prompt: self.prompt, turns: &self.turns, schema_name: self.wanted.key(), schema: self.schema };
        self.number += 1;
        let (first, number, live) = (self.turns.is_empty(), self.number, &*self.asked.live);
        let saying = Saying { ask: self.ask, call, first, number, live };
        match self.asked.voice.say(saying).await {
            Ok(Said { text, usage, wasted, calls, retries, by }) => {
                let by_hand = self.asked.voice.about().by_hand;
                let took = if by_hand { usage } else { honest(usage, || self.estimate(tokens(&text))) };
                self.spent = Spent {
                    usage: self.spent.usage.plus(took).plus(wasted),
                    calls: self.spent.calls + calls,
                    retries: self.spent.retries + retries,
                    by,
                };
                Ok(text)
            }
            Err(Unsaid { class, what, usage, may_be_charged, calls, retries }) => {
                let longest = u64::from(self.asked.voice.about().max_output);
                let took = if may_be_charged { honest(usage, || self.estimate(longest)) } else { usage };
                self.spent.usage = self.spent.usage.plus(took);
                self.spent.calls += calls;
                self.spent.retries += retries;
                let fault = if class == FaultClass::Cancelled { AgentFault::cancelled() } else { AgentFault::new(class, what) };
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
                let again = self.extra_turn(text.clone(), question).await?;
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
    async fn rest(&mut self, read: Read) -> Result<Read, AgentFault> {
        let Items::Findings(known) = &read.items else { return Ok(read) };
        let question = self.questions().ask_for_rest(known, self.wanted);
        let text = serde_json::json!({ self.wanted.key(): known }).to_string();
        let more = self.extra_turn(text, question).await?.and_then(|text| answers::read(&text, self.wanted).ok());
        Ok(match more {
            Some(more) => answers::join_rest(read, more),
            None => read,
        })
    }

    /// One more exchange after an answer that stands without it: where it fails, nothing is taken from what was read.
    ///
    /// # Errors
    /// Files were changed meanwhile: then nothing that was said counts, and it is told.
    async fn extra_turn(&mut self, answer: String, question: String) -> Result<Option<String>, AgentFault> {
        match self.turn(answer, question).await {
            Ok(text) => Ok(Some(text)),
            Err(fault) if fault.class == FaultClass::Tampered => Err(fault),
            Err(_) => Ok(None),
        }
    }

    /// One more exchange after an answer; the conversation before it is not repeated, so that it cannot grow.
    ///
    /// # Errors
    /// The call's failure, or the caps have no room for it.
    async fn turn(&mut self, answer: String, question: String) -> Result<String, AgentFault> {
        let said = tokens(&answer).saturating_add(tokens(&question));
        let whole = self.asked.reserve(self.ask);
        let more = price::reserve(said, 0, self.asked.voice.about().prices).plus(whole);
        if !self.asked.voice.about().by_hand && !self.ask.purse.takes(more) {
            let what = "its answer had to be asked for once more, and the caps have no room for that";
            return Err(AgentFault { spent: true, ..AgentFault::new(FaultClass::Capped, what) });
        }
        self.turns = vec![Turn { answer, question }];
        self.say().await
    }
}
