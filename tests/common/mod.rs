//! A review without a process: a document and a scripted council in, events and an outcome out, on a paused clock.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::sync::{Arc, Mutex, OnceLock};
use tamis::agent::Script;
use tamis::config::{self, Folders};
use tamis::document::Document;
use tamis::model::estimate::Reserve;
use tamis::model::event::{Body, Draft, Event, Kind};
use tamis::model::fault::{Fault, FaultKind};
use tamis::model::gate::Op;
use tamis::model::outcome::ReviewOutcome;
use tamis::model::recipe::{Granularity, Recipe};
use tamis::model::settled::Proposal;
use tamis::pipeline::review::review;
use tamis::rules::plan::{PlanOptions, plan};
use tamis::run::{
    Agent, AgentFault, Answered, Ask, BoxFuture, Caps, Carried, Clock, Council, Desk, Files, GateEnd, GateSubject, HoleEnd,
    Human, LiveText, MemoryStore, Run, StepSpec, Subject, Usage, Written,
};

/// A finding, as it stands in the YAML of a script.
pub fn finding(severity: &str, quote: &str, words: &str) -> String {
    format!(
        "{{severity: {severity}, quote: \"{quote}\", finding: \"{words}\", suggestion: \"Say what happens: {words}\", dimension: DEV}}"
    )
}

/// A clock that stands still.
pub struct StillClock;

impl Clock for StillClock {
    fn now(&self) -> String {
        "2026-01-02T03:04:05.000Z".into()
    }
}

/// The moment at which a review begins, in milliseconds since 1970.
pub const THEN: i64 = 1_767_323_045_000;

/// How many times longer everything takes on a tape than a script says: seconds of a demo become the minutes of real agents.
const PACE: u64 = 100;

/// What happened in a review, in its order and with its time; also the clock that tells this time.
#[derive(Default)]
pub struct Tape {
    began: OnceLock<tokio::time::Instant>,
    news: Mutex<Vec<(u64, News)>>,
}

/// What happened.
#[derive(Clone)]
pub enum News {
    /// An event is recorded.
    Event(Box<Event>),
    /// An attempt at a step said something.
    Text(String, u32, String),
}

impl Tape {
    /// Milliseconds since the review began.
    fn ms(&self) -> u64 {
        let began = self.began.get_or_init(tokio::time::Instant::now);
        u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) * PACE
    }

    fn add(&self, news: News) {
        self.news.lock().expect("not poisoned").push((self.ms(), news));
    }

    /// All news so far with the milliseconds since the review began.
    pub fn news(&self) -> Vec<(u64, News)> {
        self.news.lock().expect("not poisoned").clone()
    }
}

impl Clock for Tape {
    fn now(&self) -> String {
        let moment = jiff::Timestamp::from_millisecond(THEN + self.ms() as i64).expect("a moment");
        format!("{moment:.3}")
    }
}

impl LiveText for Tape {
    fn text(&self, key: &str, attempt: u32, chunk: &str) {
        self.add(News::Text(key.to_owned(), attempt, chunk.to_owned()));
    }
}

/// What a person leaves on a gate, from what the gate is about.
pub type Ops = Box<dyn Fn(&GateSubject) -> Vec<Op> + Send + Sync>;

/// A person who leaves what a test says on each gate, and is away where it says so.
#[derive(Default)]
pub struct ScriptedHuman {
    /// Records by gate key.
    pub ops: Vec<(String, Ops)>,
    /// Gates at which nobody is there.
    pub away: Vec<String>,
}

impl Human for ScriptedHuman {
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async move {
            if self.away.iter().any(|gate| gate == desk.key) && !desk.waited {
                return Ok(GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, format!("nobody at {}", desk.key), "")));
            }
            for (gate, ops) in &self.ops {
                for op in if gate == desk.key { ops(desk.subject) } else { Vec::new() } {
                    if desk.records().iter().all(|known| known.op != op) {
                        desk.record(op, "tester").await?;
                    }
                }
            }
            Ok(GateEnd::Closed)
        })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { HoleEnd::Accept { by: "headless".into() } })
    }
}

/// Keeps what would be written.
#[derive(Default)]
pub struct MemoryFiles {
    /// Number of writes.
    pub writes: Mutex<u32>,
    /// Findings of an earlier file.
    pub earlier: Vec<tamis::model::finding::Finding>,
}

impl Files for MemoryFiles {
    fn observe(&self) -> BoxFuture<'_, Result<Body, Fault>> {
        Box::pin(async { Ok(serde_json::Value::Null.into()) })
    }

    fn earlier(&self, _observed: &Body) -> Vec<tamis::model::finding::Finding> {
        self.earlier.clone()
    }

    fn prepare(&self, _outcome: &ReviewOutcome) -> String {
        String::new()
    }

    fn carry(&self, _observed: &Body, proposal: Proposal) -> Carried {
        Carried { proposal, record: Default::default() }
    }

    fn write<'a>(&'a self, _: &'a Body, _: Arc<ReviewOutcome>) -> BoxFuture<'a, Result<Written, Fault>> {
        Box::pin(async {
            *self.writes.lock().expect("not poisoned") += 1;
            Ok(Written { path: "memory".into(), hash: String::new(), backup: None })
        })
    }
}

/// An agent that costs: every question reserves some tokens, and takes some where the script does not say otherwise.
struct Paid {
    inner: Arc<dyn Agent>,
    reserves: u64,
    takes: u64,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Agent for Paid {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn reserve(&self, _ask: &Ask) -> Reserve {
        Reserve { tokens: self.reserves, cost_micros: None }
    }

    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        self.asked.lock().expect("not poisoned").push(ask.key.clone());
        Box::pin(async move {
            let mut answered = self.inner.ask(ask).await?;
            if answered.usage == Usage::default() {
                answered.usage.tokens_in = self.takes;
            }
            Ok(answered)
        })
    }
}

/// A review to run, again and again, over one store.
pub struct Case {
    subject: Arc<Subject>,
    plan: tamis::model::plan::Plan,
    council: Council,
    /// The journal.
    pub store: MemoryStore,
    /// The person.
    pub human: Arc<ScriptedHuman>,
    /// The files written.
    pub files: MemoryFiles,
    /// What happened.
    pub tape: Arc<Tape>,
    clock: Arc<dyn Clock>,
    caps: Caps,
    /// Keys of the steps that were asked, in order; of paid agents only.
    pub asked: Arc<Mutex<Vec<String>>>,
}

/// A built-in recipe.
pub fn recipe(name: &str) -> Recipe {
    let folders = Folders { config: None, state: "/nowhere".into() };
    config::recipe::load(name, &folders).expect("built in").0
}

impl Case {
    /// A whole-file review of `document` by refine-prd's lenses, answered by `steps` (the list under `steps:`).
    pub fn new(document: &str, steps: &str) -> Case {
        Case::with(document, steps, recipe("refine-prd"), Granularity::Auto)
    }

    /// A review with a recipe and granularity of its own.
    pub fn with(document: &str, steps: &str, recipe: Recipe, granularity: Granularity) -> Case {
        let options = PlanOptions { granularity: Some(granularity), ..PlanOptions::default() };
        Case::planned(document, steps, recipe, options)
    }

    /// A delta review of these units.
    pub fn changed(document: &str, steps: &str, units: &[&str]) -> Case {
        let outline = Document::parse(document.to_owned());
        let names: Vec<String> = units.iter().map(|unit| (*unit).to_owned()).collect();
        let changed = tamis::document::changed::resolve(outline.outline(), &names).expect("units of the document");
        Case::planned(document, steps, recipe("refine-prd"), PlanOptions { changed: Some(changed), ..PlanOptions::default() })
    }

    fn planned(document: &str, steps: &str, recipe: Recipe, options: PlanOptions) -> Case {
        let document = Document::parse(document.to_owned());
        let plan = plan(document.outline(), &recipe, &options).expect("a plan");
        let enabled = plan.before.iter().chain(&plan.dimensions).cloned().collect();
        let lang = document.outline().lang;
        let subject = Subject {
            document: Arc::new(document),
            recipe,
            enabled,
            context: Default::default(),
            criteria: Vec::new(),
            others: Vec::new(),
            lang,
            wording: Default::default(),
        };
        let steps = if steps.is_empty() { "  []" } else { steps };
        let text = format!("schema: tamis.script/1\nname: council\nsteps:\n{steps}");
        let tape = Arc::new(Tape::default());
        let live = Arc::clone(&tape) as Arc<dyn LiveText>;
        let script = Script::read(&text, "council", live).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let has_arbiter = script.has_arbiter();
        let script: Arc<dyn Agent> = Arc::new(script);
        let council = Council::of_one(script, has_arbiter);
        Case {
            subject: Arc::new(subject),
            plan,
            council,
            store: MemoryStore::default(),
            human: Arc::new(ScriptedHuman::default()),
            files: MemoryFiles::default(),
            tape,
            clock: Arc::new(StillClock),
            caps: Caps::default(),
            asked: Arc::default(),
        }
    }

    /// Lets every question reserve and take tokens.
    pub fn paid(mut self, reserves: u64, takes: u64) -> Case {
        let asked = Arc::clone(&self.asked);
        let paid =
            |inner: Arc<dyn Agent>| -> Arc<dyn Agent> { Arc::new(Paid { inner, reserves, takes, asked: Arc::clone(&asked) }) };
        let Council { reviewer, critic, arbiter, dimensions, floor } = self.council;
        self.council = Council { reviewer: paid(reviewer), critic: paid(critic), arbiter: arbiter.map(paid), dimensions, floor };
        self
    }

    /// The same, for reviewers alone.
    pub fn paid_reviewer(self, reserves: u64, takes: u64) -> Case {
        let (critic, arbiter) = (Arc::clone(&self.council.critic), self.council.arbiter.clone());
        let case = self.paid(reserves, takes);
        let reviewer = Arc::clone(&case.council.reviewer);
        let council = Council { reviewer, critic, arbiter, ..case.council };
        Case { council, ..case }
    }

    /// Puts caps on the run.
    pub fn capped(self, caps: Caps) -> Case {
        Case { caps, ..self }
    }

    /// Records that the run is taken up again to ask what a cap held up.
    pub async fn refill(&self) {
        use tamis::run::Store;
        let resumed = Draft::new(Kind::RunResumed, "", serde_json::json!({ "refill": true }));
        self.store.append(vec![resumed], StillClock.now()).await.expect("memory");
    }

    /// Lets the records carry the time of the tape instead of that of a still clock.
    pub fn ticking(self) -> Case {
        Case { clock: Arc::clone(&self.tape) as Arc<dyn Clock>, ..self }
    }

    /// Puts a person at the gates.
    pub fn human(mut self, human: ScriptedHuman) -> Case {
        self.human = Arc::new(human);
        self
    }

    /// Starts from a journal that ends after `n` of `events`.
    pub fn resuming(self, events: &[Event], n: usize) -> Case {
        Case { store: MemoryStore::holding(events[..n].to_vec()), ..self }
    }

    /// Runs, or takes up what the store records.
    pub async fn run(&self) -> Result<Arc<ReviewOutcome>, Fault> {
        let events = self.store.events();
        let human = Arc::clone(&self.human) as Arc<dyn Human>;
        let tape = Arc::clone(&self.tape);
        let tap = Box::new(move |event: &Event| tape.add(News::Event(Box::new(event.clone()))));
        let run = Run::new(Box::new(self.store.clone()), &events, Arc::clone(&self.clock), human, tap).with_caps(self.caps);
        let (outcome, written) = review(&run, &self.subject, &self.plan, &self.council, &self.files).await?;
        run.finished(0, &written.path).await?;
        Ok(outcome)
    }

    /// Begins the journal as the program does: by saying what the run is about.
    pub async fn begin(&self) {
        use tamis::model::event::Header;
        use tamis::run::Store;
        let text = |text: &str| text.to_owned();
        let header = Header {
            format: text(tamis::journal::FORMAT),
            tamis: text(env!("CARGO_PKG_VERSION")),
            run: text("20260102-030405-council"),
            pipeline: text("review"),
            document: text("prd.md"),
            document_given: text("prd.md"),
            document_hash: self.subject.document.hash().to_owned(),
            recipe_hash: String::new(),
            prompts_hash: String::new(),
            context_hash: String::new(),
            agent: text("script:council.yaml"),
            options: serde_json::Value::Null,
        };
        let began = Draft::new(Kind::RunStarted, "", Body::of(&header).expect("a body"));
        let events = self.store.append(vec![began], self.clock.now()).await.expect("memory");
        events.into_iter().for_each(|event| self.tape.add(News::Event(Box::new(event))));
    }

    /// Opens the settle gate of a finished run again.
    pub async fn reopen(&self) {
        use tamis::run::Store;
        let reopened = Draft::new(Kind::GateReopened, "gate/settle", serde_json::json!({}));
        self.store.append(vec![reopened], StillClock.now()).await.expect("memory");
    }
}

/// Kinds and keys of events, `step_done critic/1`.
pub fn kinds(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| format!("{} {}", event.kind.word(), event.key).trim().to_owned()).collect()
}
