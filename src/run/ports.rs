//! The ports: what a pipeline needs from the world. `agent` and `cli` implement them; tests script them.

use super::gate::{Desk, GateEnd};
use super::step::StepSpec;
use crate::document::Document;
use crate::model::answer::{FaultClass, Provenance, Usage};
use crate::model::arbiter::VerdictPart;
use crate::model::context::SlimContext;
use crate::model::estimate::Reserve;
use crate::model::event::Body;
use crate::model::fault::Fault;
use crate::model::finding::{Finding, Known, RawFinding};
use crate::model::lang::Lang;
use crate::model::outcome::{CarryRecord, ReviewOutcome};
use crate::model::outline::{LineSpan, Place};
use crate::model::recipe::{Dimension, Recipe};
use crate::model::settled::Proposal;
use crate::rules::wording::Wording;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Tells the time for people; never decides anything.
pub trait Clock: Send + Sync {
    /// Now, RFC 3339 UTC with milliseconds.
    fn now(&self) -> String;
}

/// The system's clock.
pub struct SystemClock;

impl SystemClock {
    /// The moment, for names and ages of runs.
    #[expect(clippy::disallowed_methods, reason = "this is the port")]
    pub fn timestamp() -> jiff::Timestamp {
        jiff::Timestamp::now()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> String {
        format!("{:.3}", SystemClock::timestamp())
    }
}

/// What is under review and everything every agent may know of it.
#[derive(Debug)]
pub struct Subject {
    /// The document.
    pub document: Arc<Document>,
    /// The recipe in force.
    pub recipe: Recipe,
    /// Dimensions that run, `before` ones included.
    pub enabled: Vec<String>,
    /// Project knowledge.
    pub context: SlimContext,
    /// The user's own criteria (P5).
    pub criteria: Vec<String>,
    /// Other documents to compare with (P3): name and document.
    pub others: Vec<(String, Document)>,
    /// Language of findings.
    pub lang: Lang,
    /// The sentences that settling adds, in that language.
    pub wording: Wording,
}

/// What kind of question an agent gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One dimension on one bucket.
    Reviewer,
    /// One dimension on one section, with no critic to come (agent mode).
    Section,
    /// One dimension ahead of the fan-out.
    Before,
    /// The whole document and what is known.
    Critic,
    /// Findings of one place that rules cannot tell apart.
    Arbiter,
}

/// A question to an agent: a fresh context, and nothing of any other agent.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The step's key.
    pub key: String,
    /// Attempt, from 1.
    pub attempt: u32,
    /// What kind of question.
    pub role: Role,
    /// The one dimension; `None` for critic and arbiter.
    pub dimension: Option<Dimension>,
    /// Scope names.
    pub scopes: Vec<String>,
    /// The lines to review; empty for the arbiter, who gets none of the document, and for a critic that reads it whole.
    pub lines: Vec<LineSpan>,
    /// Rules and terms the text cites, marked as reference only.
    pub cited: Vec<Place>,
    /// What is known, for the critic.
    pub known: Vec<Known>,
    /// Findings to tell apart, in the order they are numbered, for the arbiter.
    pub listing: Vec<Finding>,
    /// What is under review.
    pub subject: Arc<Subject>,
    /// Asked before every call after the first.
    pub purse: Purse,
    /// Told when a person cancels this attempt: the agent puts its work away and answers [`AgentFault::cancelled`]. Its
    /// future is not dropped for it (DESIGN, rule 3).
    pub cancel: CancellationToken,
}

/// What an attempt may spend beside its reserve: whoever wants to send one more call asks here first.
#[derive(Clone, Default)]
pub struct Purse(Option<Arc<dyn Fn(Reserve) -> bool + Send + Sync>>);

impl Purse {
    /// A purse that says whether a reserve fits the caps, and holds it where it does.
    pub fn new(takes: impl Fn(Reserve) -> bool + Send + Sync + 'static) -> Purse {
        Purse(Some(Arc::new(takes)))
    }

    /// Whether one more call may be sent; always, where nothing is capped.
    pub fn takes(&self, reserve: Reserve) -> bool {
        self.0.as_ref().is_none_or(|takes| takes(reserve))
    }
}

impl std::fmt::Debug for Purse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Purse")
    }
}

/// An agent's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Findings, `[]` when clean.
    Findings(Vec<RawFinding>),
    /// A partition, from the arbiter.
    Verdicts(Vec<VerdictPart>),
    /// This agent has nothing that looks at this dimension: neither clean nor a hole.
    NotCovered,
}

/// An answer with who gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The answer.
    pub reply: Reply,
    /// Who answered: the model's own name where there is one.
    pub agent: String,
    /// What it cost.
    pub usage: Usage,
    /// How it came about, where a model gave it.
    pub provenance: Option<Provenance>,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct AgentFault {
    /// Kind.
    pub class: FaultClass,
    /// In words; never names the attempt, so that a repeated failure reads the same.
    pub reason: String,
    /// The agent has spent the retries itself, or knows that none helps: a person is asked next.
    pub spent: bool,
    /// What it cost all the same.
    pub usage: Usage,
}

impl AgentFault {
    /// A failure.
    pub fn new(class: FaultClass, reason: impl Into<String>) -> AgentFault {
        AgentFault { class, reason: reason.into(), spent: false, usage: Usage::default() }
    }

    /// How an attempt ends that a person told to stop.
    pub fn cancelled() -> AgentFault {
        AgentFault::new(FaultClass::Cancelled, "cancelled by a person")
    }
}

/// Someone who can be asked.
pub trait Agent: Send + Sync {
    /// Name for people: `offline`, `script:council.yaml`.
    fn name(&self) -> String;

    /// How long an attempt may take; those that watch over their own time say so.
    fn deadline(&self) -> Duration {
        super::ATTEMPT_DEADLINE
    }

    /// Whether it takes a place among the agents of a wave.
    fn is_capped(&self) -> bool {
        true
    }

    /// What a question reserves of the caps before it is asked; nothing where it costs nothing.
    fn reserve(&self, _ask: &Ask) -> Reserve {
        Reserve::default()
    }

    /// Answers one question.
    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>>;
}

/// Who sits where.
#[derive(Clone)]
pub struct Council {
    /// Reviewers of the fan-out and of the steps before it.
    pub reviewer: Arc<dyn Agent>,
    /// Reviewers of single dimensions, by dimension id.
    pub dimensions: BTreeMap<String, Arc<dyn Agent>>,
    /// Beside the reviewers, whatever they are: what it finds joins the list, and it costs nothing.
    pub floor: Option<Arc<dyn Agent>>,
    /// The completeness critic.
    pub critic: Arc<dyn Agent>,
    /// The arbiter, where there is one.
    pub arbiter: Option<Arc<dyn Agent>>,
}

impl Council {
    /// One agent in every seat; the arbiter's only where it can be one.
    pub fn of_one(agent: Arc<dyn Agent>, arbitrates: bool) -> Council {
        let arbiter = arbitrates.then(|| Arc::clone(&agent));
        Council { reviewer: Arc::clone(&agent), dimensions: BTreeMap::new(), floor: None, critic: agent, arbiter }
    }

    /// Who reviews a dimension.
    pub fn reviewer_of(&self, dimension: &str) -> &Arc<dyn Agent> {
        self.dimensions.get(dimension).unwrap_or(&self.reviewer)
    }
}

/// How a person deals with a step that failed for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoleEnd {
    /// Ask again.
    Retry,
    /// Leave the hole.
    Accept {
        /// Who accepts it; `headless` where nobody is asked.
        by: String,
    },
}

/// The person, or whoever stands in for them.
pub trait Human: Send + Sync {
    /// Waits at a gate.
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>>;

    /// Is told that a step's retries are spent, or that it was cancelled; the step waits for the answer, others go on.
    fn at_hole<'a>(&'a self, step: &'a StepSpec, reason: &'a str) -> BoxFuture<'a, HoleEnd>;
}

/// Decisions of an earlier findings file, carried onto new findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The findings with what was carried over.
    pub proposal: Proposal,
    /// What was carried and what was not, as the files room keeps it.
    pub record: CarryRecord,
}

/// Where the findings file was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Path as people see it.
    pub path: String,
    /// Hash of its bytes.
    pub hash: String,
    /// Where the file that stood there was kept.
    pub backup: Option<String>,
}

/// The findings file.
pub trait Files: Send + Sync {
    /// What stands at the target now: a value that `carry` and `write` understand.
    ///
    /// # Errors
    /// The target cannot be read.
    fn observe(&self) -> BoxFuture<'_, Result<Body, Fault>>;

    /// Findings of an observed earlier file of the same document and recipe; none where there is no such file.
    fn earlier(&self, observed: &Body) -> Vec<Finding>;

    /// Carries decisions of an observed earlier file onto a proposal.
    fn carry(&self, observed: &Body, proposal: Proposal) -> Carried;

    /// Makes the file's bytes ready and returns their hash: recorded before they are written, so that a resume knows its own
    /// file where a process was killed between the renaming and the record of it.
    fn prepare(&self, outcome: &ReviewOutcome) -> String;

    /// Writes the findings file, whole or not at all.
    ///
    /// # Errors
    /// The target is not ours, has changed since it was observed, or cannot be written.
    fn write<'a>(&'a self, observed: &'a Body, outcome: Arc<ReviewOutcome>) -> BoxFuture<'a, Result<Written, Fault>>;
}
