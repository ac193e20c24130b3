//! Before anything is sent: what a review takes, whether every question fits, where the document goes, and that this was
//! confirmed once.

use super::inputs::Inputs;
use super::known::{Known, Work};
use super::seats::Table;
use crate::agent::paste::{self, PASTE};
use crate::agent::program;
use crate::agent::prompts::Composer;
use crate::config::agents::AgentSpec;
use crate::config::prompts::Prompts;
use crate::config::{Folders, Store};
use crate::model::answer::Usage;
use crate::model::estimate::{Destination, Estimate, REPAIRS, RESTS, Span, TooLong};
use crate::model::event::{Event, Kind, Sending};
use crate::model::fault::Fault;
use crate::model::ids::StepKey;
use crate::model::outline::LineSpan;
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS, Plan};
use crate::model::prices::Prices;
use crate::model::shown::Shown;
use crate::pipeline;
use crate::rules::estimate::{Asked, calls, tokens, windows};
use crate::rules::price;
use crate::run::{Ask, Role};
use crate::tui::money::money;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Tokens that the known list adds to a critic's prompt at most: over 60 findings are cut to their first 80 characters.
const KNOWN_LIST: u64 = 4_000;
/// Tokens of the shortest answer.
const NO_FINDINGS: u64 = 8;
/// Tokens of an arbiter's question at most: 40 findings with their suggestions.
const LISTING: u64 = 6_000;
/// Lines that two windows of the critic share.
const OVERLAP: u32 = 20;

/// What a review will take.
pub(super) fn estimate(inputs: &Inputs, table: &Table, texts: &Arc<Prompts>) -> Estimate {
    let mut sum = Sum { priced: true, ..Sum::default() };
    let composer = Composer::new(Arc::clone(texts));
    for ask in pipeline::asks(&inputs.plan, &inputs.subject) {
        if let Some(taker) = Taker::of(seat(table, &ask)) {
            sum.question(&ask, taker, composer.tokens(&ask));
        }
    }
    let places = inputs.subject.document.outline().sections.len() as u64 + 1;
    let (cells, before) = (inputs.plan.cells.len() as u64, inputs.plan.before.len() as u64);
    let arbiter = table.seats.arbiter.as_ref().and_then(Taker::of);
    let critic_reads = inputs.plan.critic_windows.len().max(1) as u64;
    let asked = Asked { cells, before, windows: critic_reads, places: if arbiter.is_some() { places } else { 0 } };
    let calls = calls(asked);
    if let Some(taker) = arbiter {
        sum.call(taker, LISTING, Span { least: 0, most: calls.arbiter.most });
    }
    Estimate {
        agents: u32::try_from(cells).unwrap_or(u32::MAX),
        calls: Span { least: sum.calls.least, most: sum.calls.most },
        arbiter: calls.arbiter,
        tokens_in: sum.tokens_in,
        tokens_out: sum.tokens_out,
        cost_micros: (sum.priced && sum.calls.most > 0).then_some(sum.cost),
        currency: sum.currency,
        destinations: destinations(table),
        too_long: sum.too_long,
    }
}

/// Whoever reads tokens and writes some.
#[derive(Clone, Copy)]
struct Taker<'a> {
    name: &'a str,
    max_output: u32,
    context: Option<u64>,
    prices: Option<&'a Prices>,
}

impl Taker<'_> {
    fn of(spec: &AgentSpec) -> Option<Taker<'_>> {
        match spec {
            AgentSpec::Endpoint(endpoint) => Some(Taker {
                name: &endpoint.name,
                max_output: endpoint.max_output,
                context: endpoint.context,
                prices: endpoint.prices.as_ref(),
            }),
            AgentSpec::Program(program) => {
                Some(Taker { name: &program.name, max_output: program::MAX_OUTPUT, context: None, prices: None })
            }
            AgentSpec::Paste => Some(Taker { name: PASTE, max_output: paste::MAX_OUTPUT, context: None, prices: None }),
            AgentSpec::Offline | AgentSpec::Script(_) | AgentSpec::Replay(_) => None,
        }
    }
}

/// Calls and what they come to.
#[derive(Default)]
struct Sum {
    calls: Span,
    tokens_in: Span,
    tokens_out: Span,
    cost: Span,
    currency: String,
    priced: bool,
    too_long: Vec<TooLong>,
}

impl Sum {
    fn question(&mut self, ask: &Ask, taker: Taker<'_>, tokens_in: u64) {
        let each = u64::from(1 + REPAIRS + RESTS);
        let (times, longest) = match ask.role {
            Role::Critic => (Span { least: DRY_ROUNDS.into(), most: u64::from(MAX_ROUNDS) * each }, tokens_in + KNOWN_LIST),
            _ => (Span { least: 1, most: each }, tokens_in),
        };
        let whole = longest + u64::from(taker.max_output);
        if let Some(context) = taker.context.filter(|&context| whole > context) {
            let step = StepKey::from(ask.key.as_str()).label();
            self.too_long.push(TooLong { step, agent: taker.name.to_owned(), tokens: whole, context });
        }
        self.call(taker, longest, Span { least: 0, most: times.most });
        self.call(taker, tokens_in, Span { least: times.least, most: 0 });
    }

    /// Calls of one question; `tokens_in` of each.
    fn call(&mut self, taker: Taker<'_>, tokens_in: u64, times: Span) {
        let add = |sum: &mut Span, least: u64, most: u64| {
            sum.least = sum.least.saturating_add(least.saturating_mul(times.least));
            sum.most = sum.most.saturating_add(most.saturating_mul(times.most));
        };
        let longest = u64::from(taker.max_output);
        add(&mut self.calls, 1, 1);
        add(&mut self.tokens_in, tokens_in, tokens_in);
        add(&mut self.tokens_out, NO_FINDINGS, longest);
        match taker.prices {
            Some(prices) => {
                let least = Usage { tokens_in, tokens_out: NO_FINDINGS, ..Usage::default() };
                let most = price::reserve(tokens_in, longest, Some(prices)).cost_micros.unwrap_or_default();
                add(&mut self.cost, price::cost_micros(&least, prices), most);
                // Sums of several currencies would mean nothing.
                self.priced &= self.currency.is_empty() || self.currency == prices.currency;
                self.currency.clone_from(&prices.currency);
            }
            None => self.priced = false,
        }
    }
}

fn seat<'t>(table: &'t Table, ask: &Ask) -> &'t AgentSpec {
    match &ask.dimension {
        _ if ask.role == Role::Critic => &table.seats.critic,
        Some(dimension) => table.reviewer_of(&dimension.id),
        None => &table.seats.reviewer,
    }
}

/// Servers with the models that are asked there, and programs: whom those ask is theirs to say.
fn destinations(table: &Table) -> Vec<Destination> {
    let mut by_server: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for endpoint in table.endpoints() {
        let models = by_server.entry(endpoint.server()).or_default();
        if !models.contains(&endpoint.model) {
            models.push(endpoint.model.clone());
        }
    }
    for program in table.programs() {
        by_server.entry(program.name.clone()).or_insert_with(|| program.command.first().cloned().into_iter().collect());
    }
    by_server.into_iter().map(|(server, models)| Destination { server, models }).collect()
}

/// The windows in which the critic reads, where it cannot read the document whole.
///
/// # Errors
/// A usage fault with the sizes: a question does not fit, and windows were not asked for or do not help.
pub(super) fn fit(inputs: &mut Inputs, table: &Table, texts: &Arc<Prompts>, windowed: bool) -> Result<(), Fault> {
    let mut too_long = estimate(inputs, table, texts).too_long;
    let is_critic = |long: &TooLong| long.step.starts_with("critic");
    if windowed && too_long.iter().any(is_critic) {
        inputs.plan = Plan { critic_windows: critic_windows(inputs, table, texts), ..inputs.plan.clone() };
        too_long = estimate(inputs, table, texts).too_long;
    }
    if too_long.is_empty() {
        return Ok(());
    }
    let sizes: Vec<String> = too_long
        .iter()
        .take(5)
        .map(|long| format!("{}: up to {} tokens, {} takes {}", long.step, long.tokens, long.agent, long.context))
        .collect();
    let more = if too_long.len() > 5 { format!("; and {} more", too_long.len() - 5) } else { String::new() };
    let what = format!("questions are longer than the model reads: {}{more}", sizes.join("; "));
    let hint = match too_long.iter().all(is_critic) && !windowed {
        true => {
            "give --window to let the critic read overlapping windows (the result is then INCOMPLETE), or a critic with a longer context"
        }
        false => {
            "give a model with a longer context, a smaller max_output in the settings, --granularity per-uc or more --agent-cap"
        }
    };
    Err(Fault::usage(what, hint))
}

fn critic_windows(inputs: &Inputs, table: &Table, texts: &Arc<Prompts>) -> Vec<LineSpan> {
    let Some(endpoint) = table.seats.critic.endpoint() else { return Vec::new() };
    let subject = &inputs.subject;
    let count = subject.document.outline().line_count();
    // The number before each line takes tokens, too.
    let lines: Vec<String> = (1..=count).map(|line| format!("{line}| {}\n", subject.document.line_text(line))).collect();
    // As one text: lines by themselves come to more, each rounded up.
    let whole = tokens(&lines.concat());
    let lines: Vec<u64> = lines.iter().map(|line| tokens(line)).collect();
    let asks = pipeline::asks(&Plan { critic_windows: Vec::new(), ..inputs.plan.clone() }, subject);
    let composer = Composer::new(Arc::clone(texts));
    let critic = asks.iter().filter(|ask| ask.role == Role::Critic).map(|ask| composer.tokens(ask)).max().unwrap_or(0);
    // A window's prompt says a little more than that of the whole.
    let around = critic.saturating_sub(whole) + 200;
    let taken = around + KNOWN_LIST + u64::from(endpoint.max_output);
    let room = endpoint.context.unwrap_or(u64::MAX).saturating_sub(taken).max(1);
    windows(&lines, room, OVERLAP).spans
}

/// Documents and the servers that they were sent to, over all runs of this user.
pub(super) struct Sent {
    store: Store,
}

/// A document and a server.
type Pair = (String, String);

impl Sent {
    /// What is kept in the state folder.
    pub fn of(state: &Path) -> Sent {
        Sent { store: Store::of(state, "sent.json") }
    }

    /// Whether a document was sent to all these servers before. What cannot be read is asked again.
    pub fn knows(&self, document: &str, destinations: &[Destination]) -> bool {
        let pairs = pairs(self.store.read().ok().flatten());
        destinations.iter().all(|to| pairs.iter().any(|(one, server)| one == document && *server == to.server))
    }

    /// Keeps that it was confirmed. What cannot be kept is asked again the next time.
    pub fn add(&self, document: &str, destinations: &[Destination]) {
        let _ = self.store.change(|text| {
            let mut pairs = pairs(text);
            for to in destinations {
                let pair = (document.to_owned(), to.server.clone());
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            Ok((serde_json::to_string_pretty(&pairs).unwrap_or_default(), ()))
        });
    }
}

fn pairs(text: Option<String>) -> Vec<Pair> {
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// What is to be confirmed before a run may ask anybody.
pub(super) struct Confirm {
    /// What the run will take.
    pub estimate: Estimate,
    /// Seats that are one model.
    pub one_model: Vec<(String, String)>,
    /// The document was sent to all these servers before.
    pub before: bool,
    file: String,
    document: String,
    sent: Sent,
}

impl Confirm {
    /// What is to be confirmed; `None` where the document stays here, or where this run has it on record already.
    pub fn of(known: &Known, events: &[Event], folders: &Folders) -> Option<Confirm> {
        let (Work::Review(inputs), Some(asked)) = (&known.work, &known.asked) else { return None };
        let table = asked.table.as_ref().ok()?;
        let estimate = estimate(inputs, table, &asked.in_force.prompts);
        let confirmed = events.iter().rev().find(|event| event.kind == Kind::SendingConfirmed);
        let confirmed: Vec<Destination> = confirmed
            .and_then(|event| event.body.read::<Sending>().ok())
            .map(|sending| sending.estimate.destinations)
            .unwrap_or_default();
        let on_record = |to: &Destination| confirmed.iter().any(|known| known.server == to.server);
        if estimate.destinations.iter().all(on_record) {
            return None;
        }
        let sent = Sent::of(&folders.state);
        let document = known.header.document.clone();
        let before = sent.knows(&document, &estimate.destinations);
        let (file, one_model) = (known.header.document_given.clone(), table.one_model());
        Some(Confirm { estimate, one_model, before, file, document, sent })
    }

    /// The document's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// `sends prd.md to https://api.example.com (m): 12 agents, 14 to 68 calls, 40000 to 900000 tokens, 0.12 to 3.40 USD`
    pub fn said(&self) -> String {
        let estimate = &self.estimate;
        let to: Vec<String> =
            estimate.destinations.iter().map(|to| format!("{} ({})", to.server, to.models.join(", "))).collect();
        let mut text = format!("sends {} to {}: {}", self.file, to.join(", "), amounts(estimate));
        for (one, other) in &self.one_model {
            text.push_str(&format!("; {one} and {other} are one model"));
        }
        Shown::line(&text).to_string()
    }

    /// Confirmed: kept for this document and these servers, and for the run to record.
    pub fn by(self, person: &str) -> Sending {
        let Confirm { estimate, document, sent, .. } = self;
        sent.add(&document, &estimate.destinations);
        Sending { estimate, by: person.to_owned() }
    }

    /// Confirmed by naming the destination: for this run alone, for nobody has seen the question.
    pub fn by_naming_it(self) -> Sending {
        Sending { estimate: self.estimate, by: "headless".to_owned() }
    }
}

/// `12 agents, 14 to 68 calls, 40000 to 900000 tokens, 0.12 to 3.40 USD`
pub(super) fn amounts(estimate: &Estimate) -> String {
    let tokens = |pick: fn(&Span) -> u64| pick(&estimate.tokens_in) + pick(&estimate.tokens_out);
    let cost = match &estimate.cost_micros {
        Some(cost) => format!("{} to {}", money(cost.least, &estimate.currency), money(cost.most, &estimate.currency)),
        None => "prices unknown".to_owned(),
    };
    let arbiter = match estimate.arbiter.most {
        0 => String::new(),
        most => format!(" (the arbiter's 0 to {most} among them)"),
    };
    format!(
        "{} agents, {} to {} calls{arbiter}, {} to {} tokens, {cost}",
        estimate.agents,
        estimate.calls.least,
        estimate.calls.most,
        tokens(|span| span.least),
        tokens(|span| span.most),
    )
}
