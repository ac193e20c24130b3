//! Who sits where in a run: as the settings and flags name them, as the run records them, and the council that they make.

use super::args::{CarryArgs, PlanArgs};
use super::errands::NoCourier;
use crate::agent::asked::Asked;
use crate::agent::http::{self, Pace, Player, Recorder, Servers};
use crate::agent::paste::{Courier, Paste};
use crate::agent::program::{Place, Reviewer, child};
use crate::agent::{Model, Offline, Script};
use crate::config::agents::{AgentSpec, Keys, Seats, same_model};
use crate::config::programs::Program;
use crate::config::project::{self, Data, Project};
use crate::config::prompts::Prompts;
use crate::config::proxy::Proxy;
use crate::config::roster::{Api, Endpoint, Prices, Rung, Timeouts};
use crate::config::settings::{Entry, SeatWords, Setting, Settings};
use crate::config::variables::Variables;
use crate::config::{Folders, read_text_up_to};
use crate::model::fault::{Fault, FaultKind};
use crate::model::lang::Lang;
use crate::model::shown::Shown;
use crate::model::yaml::SCRIPT_BYTES;
use crate::run::{Agent, Caps, Council, LiveText};
use crate::walls;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// In a folder of recordings: who sat where while they were made.
const SEATS_FILE: &str = "seats.json";
/// The rules of the program.
pub(super) const OFFLINE: &str = "offline";

/// A model at a server, as a run records it: everything but the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ModelRecord {
    /// `openai`, `anthropic`.
    pub kind: String,
    /// Model, as the server calls it.
    pub model: String,
    /// Where it is.
    pub base_url: String,
    max_output: u32,
    #[serde(default = "most_findings")]
    max_findings: usize,
    #[serde(default = "longest_text")]
    max_text: usize,
    #[serde(default)]
    context: Option<u64>,
    stream: bool,
    shape: String,
    #[serde(default)]
    warm_cache: bool,
    #[serde(default)]
    prices: Option<Prices>,
}

fn most_findings() -> usize {
    Entry::MAX_FINDINGS
}

fn longest_text() -> usize {
    Entry::MAX_TEXT
}

/// A seat, as a run records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeatRecord {
    /// As it was named: `offline`, `script:FILE`, a name of the roster, `openai:MODEL`.
    pub word: String,
    /// What that was, where it is a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
}

/// All seats, as a run records them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TableRecord {
    /// Reviews every dimension without a seat of its own.
    pub reviewer: SeatRecord,
    /// Dimensions with a seat of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub dimensions: BTreeMap<String, SeatRecord>,
    /// Looks for what was missed.
    pub critic: SeatRecord,
    /// Says whether two findings are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbiter: Option<SeatRecord>,
    /// Whether the offline rules review beside the models.
    #[serde(default)]
    pub floor: bool,
}

/// Who sits where in a run.
#[derive(Clone)]
pub(super) struct Table {
    /// Who they are, with their keys.
    pub seats: Seats,
    /// What is recorded of them.
    pub record: TableRecord,
    /// Recordings that stand in for servers.
    replays: Option<PathBuf>,
}

/// What a council is made with.
pub(super) struct Tools<'a> {
    /// Where what agents say goes as it comes.
    pub live: Arc<dyn LiveText>,
    /// The texts that models are asked with.
    pub prompts: Arc<Prompts>,
    /// Where answers are recorded.
    pub record: Option<&'a Path>,
    /// Whoever records them, once there is somebody.
    recorder: &'a OnceLock<Arc<Recorder>>,
    /// The environment: a proxy, and what programs get of it.
    pub variables: &'a Variables,
    /// The document, whose project programs may read.
    pub document: &'a Path,
    /// Where private homes of programs are made.
    scratch: PathBuf,
    /// What this run writes itself, perhaps in the project.
    own: Vec<PathBuf>,
    /// Whoever carries questions for a person.
    courier: Arc<dyn Courier>,
}

impl Tools<'_> {
    /// With whoever carries questions for a person.
    pub fn carried_by(mut self, courier: Arc<dyn Courier>) -> Self {
        self.courier = courier;
        self
    }

    /// With these files of the run as well, which may lie in the project and change.
    pub fn writing(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.own.extend(files);
        self
    }

    /// A program that reviews, where it works.
    ///
    /// # Errors
    /// A document that is not there.
    pub fn reviewer(&self, program: &Program) -> Result<Reviewer, Fault> {
        Ok(Reviewer::new(program.clone(), self.place(program)?, self.variables.clone()))
    }

    /// Where a program works: in the project of the document, behind the walls that this system has.
    fn place(&self, program: &Program) -> Result<Place, Fault> {
        let document = self.document.canonicalize();
        let document = document.map_err(|error| Fault::io(self.document.display(), error, "check the path"))?;
        walls::hide_ourselves();
        Ok(Place {
            project: project::root_of(&document),
            home: self.variables.get("HOME").map(PathBuf::from),
            scratch: self.scratch.clone(),
            keeper: child::ourselves(),
            level: walls::in_force(&program.network),
            own: [document].into_iter().chain(self.own.iter().cloned()).collect(),
        })
    }
}

impl SeatRecord {
    fn of(word: &str, spec: &AgentSpec) -> SeatRecord {
        // A resume may start in another folder.
        let word = match spec {
            AgentSpec::Script(path) => format!("script:{}", absolute(path)),
            AgentSpec::Replay(path) => format!("replay:{}", absolute(path)),
            _ => word.to_owned(),
        };
        let model = spec.endpoint().map(|endpoint| ModelRecord {
            kind: endpoint.api.word().to_owned(),
            model: endpoint.model.clone(),
            base_url: endpoint.base_url.clone(),
            max_output: endpoint.max_output,
            max_findings: endpoint.max_findings,
            max_text: endpoint.max_text,
            context: endpoint.context,
            stream: endpoint.stream,
            shape: endpoint.shape.word().to_owned(),
            warm_cache: endpoint.warm_cache,
            prices: endpoint.prices.clone(),
        });
        SeatRecord { word, model }
    }

    /// Whoever answers for this seat from recordings: the same requests, and no key.
    fn replayed(&self) -> Option<AgentSpec> {
        let Some(record) = &self.model else { return (self.word == OFFLINE).then_some(AgentSpec::Offline) };
        let api = [Api::OpenAi, Api::Anthropic].into_iter().find(|api| api.word() == record.kind)?;
        let rungs = [Rung::Schema, Rung::SchemaWithoutLimits, Rung::Object, Rung::Prompt];
        Some(AgentSpec::Endpoint(Box::new(Endpoint {
            name: self.word.clone(),
            api,
            model: record.model.clone(),
            base_url: record.base_url.clone(),
            key: None,
            key_from: String::new(),
            headers: Vec::new(),
            max_output: record.max_output,
            max_findings: record.max_findings,
            max_text: record.max_text,
            context: record.context,
            concurrency: usize::MAX >> 4,
            // What is played costs nothing.
            prices: None,
            timeouts: Timeouts::default(),
            stream: record.stream,
            shape: rungs.into_iter().find(|rung| rung.word() == record.shape)?,
            warm_cache: record.warm_cache,
        })))
    }

    /// Whether two records mean another model, or the same one elsewhere.
    fn differs(&self, other: &SeatRecord) -> bool {
        let who = |seat: &SeatRecord| match &seat.model {
            Some(model) => (model.kind.clone(), model.model.clone(), model.base_url.clone()),
            None => (seat.word.clone(), String::new(), String::new()),
        };
        who(self) != who(other)
    }

    /// The seat in words for people.
    fn shown(&self) -> String {
        match &self.model {
            Some(model) => format!("{}:{} at {}", model.kind, model.model, model.base_url),
            None => self.word.clone(),
        }
    }
}

impl TableRecord {
    fn of(words: &SeatWords, seats: &Seats) -> TableRecord {
        let dimensions = words
            .dimensions
            .iter()
            .filter_map(|(name, word)| Some((name.clone(), SeatRecord::of(&word.value, seats.dimensions.get(name)?))));
        TableRecord {
            reviewer: SeatRecord::of(&words.reviewer.value, &seats.reviewer),
            dimensions: dimensions.collect(),
            critic: SeatRecord::of(&words.critic.value, &seats.critic),
            arbiter: seats.arbiter.as_ref().map(|spec| SeatRecord::of(&words.arbiter.value, spec)),
            floor: seats.floor,
        }
    }

    /// One agent in every seat, as runs recorded it before there were seats.
    pub fn of_one(word: &str) -> TableRecord {
        let seat = SeatRecord { word: word.to_owned(), model: None };
        let arbiter = (word != OFFLINE).then(|| seat.clone());
        TableRecord { reviewer: seat.clone(), dimensions: BTreeMap::new(), critic: seat, arbiter, floor: false }
    }

    /// Whether nobody but the rules is asked.
    pub fn is_offline(&self) -> bool {
        self.named().iter().all(|(_, seat)| seat.word == OFFLINE)
    }

    fn named(&self) -> Vec<(&str, &SeatRecord)> {
        let mut seats = vec![("reviewer", &self.reviewer)];
        seats.extend(self.dimensions.iter().map(|(name, seat)| (name.as_str(), seat)));
        seats.push(("critic", &self.critic));
        seats.extend(self.arbiter.as_ref().map(|seat| ("arbiter", seat)));
        seats
    }

    /// Seats with the models that sit there; empty where there is none.
    pub fn models(&self) -> BTreeMap<String, String> {
        let models = self.named().into_iter().filter(|(_, seat)| seat.model.is_some());
        models.map(|(name, seat)| (name.to_owned(), seat.shown())).collect()
    }

    /// What is different in another table, a sentence a seat.
    pub fn differences(&self, now: &TableRecord) -> Vec<String> {
        let there = now.named();
        let mut said: Vec<String> = Vec::new();
        for (name, then) in self.named() {
            match there.iter().find(|(other, _)| *other == name) {
                Some((_, now)) if then.differs(now) => said.push(format!("{name}: {} is now {}", then.shown(), now.shown())),
                Some(_) => {}
                None => said.push(format!("{name}: {} has no seat any more", then.shown())),
            }
        }
        let here = self.named();
        let new = there.iter().filter(|(name, _)| here.iter().all(|(other, _)| other != name));
        said.extend(new.map(|(name, seat)| format!("{name}: {} has a seat now", seat.shown())));
        said
    }

    /// The words of these seats, as settings.
    fn words(&self) -> SeatWords {
        let word = |seat: &SeatRecord| Setting::default_of(seat.word.clone());
        SeatWords {
            reviewer: word(&self.reviewer),
            dimensions: self.dimensions.iter().map(|(name, seat)| (name.clone(), word(seat))).collect(),
            critic: word(&self.critic),
            arbiter: self.arbiter.as_ref().map_or_else(|| Setting::default_of("none".to_owned()), word),
            replicas: Setting::default_of(None),
            floor: Setting::default_of(self.floor),
        }
    }
}

impl Table {
    /// The seats that the settings name, with their keys.
    ///
    /// # Errors
    /// Somebody who cannot be asked: no such agent, a missing key, recordings that cannot be read; a cap on the cost of
    /// models whose prices cannot be added.
    pub fn of(settings: &Settings, variables: &Variables) -> Result<Table, Fault> {
        Table::with(settings, variables, Keys::Needed)
    }

    /// The same for an estimate: nobody is asked, so nobody needs a key.
    ///
    /// # Errors
    /// As for [`Table::of`], except for keys.
    pub fn to_estimate(settings: &Settings, variables: &Variables) -> Result<Table, Fault> {
        Table::with(settings, variables, Keys::NotNeeded)
    }

    fn with(settings: &Settings, variables: &Variables, keys: Keys) -> Result<Table, Fault> {
        let mut seats = settings.take_seats(variables, keys)?;
        // The floor is for models: rules beside rules, or beside a script, would only say things twice.
        seats.floor &= seats.named().iter().any(|(_, spec)| spec.is_model());
        match &seats.reviewer {
            AgentSpec::Replay(folder) => Table::replayed(folder),
            _ => match seats.named().iter().find(|(_, spec)| matches!(spec, AgentSpec::Replay(_))) {
                Some((name, _)) => {
                    let what = format!("the seat {name} plays recordings, but the reviewer does not");
                    Err(Fault::usage(what, "recordings hold all seats: give --agent replay:DIR"))
                }
                None => {
                    if settings.caps.cost_micros.value.is_some() {
                        one_currency(&seats)?;
                    }
                    let record = TableRecord::of(&settings.seats, &seats);
                    Ok(Table { seats, record, replays: None })
                }
            },
        }
    }

    /// The seats that a run recorded, as they are now.
    ///
    /// # Errors
    /// As for [`Table::of`].
    pub fn recorded(record: &TableRecord, settings: &Settings, variables: &Variables) -> Result<Table, Fault> {
        let settings = Settings { seats: record.words(), ..settings.clone() };
        Table::of(&settings, variables)
    }

    /// The seats of the run whose answers were recorded.
    fn replayed(folder: &Path) -> Result<Table, Fault> {
        let path = folder.join(SEATS_FILE);
        let hint = "give the folder of a `tamis review … --record DIR`";
        let text = read_text_up_to(&path, SCRIPT_BYTES).map_err(|fault| Fault::usage(fault.what, hint))?;
        let unusable = |why: String| Fault::usage(format!("{}: {why}", path.display()), hint);
        let record: TableRecord = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
        let seat =
            |seat: &SeatRecord| seat.replayed().ok_or_else(|| unusable(format!("`{}` is no seat of recordings", seat.word)));
        let dimensions = record.dimensions.iter().map(|(name, one)| Ok((name.clone(), seat(one)?)));
        let seats = Seats {
            reviewer: seat(&record.reviewer)?,
            dimensions: dimensions.collect::<Result<_, Fault>>()?,
            critic: seat(&record.critic)?,
            arbiter: record.arbiter.as_ref().map(seat).transpose()?,
            floor: record.floor,
            replicas: None,
        };
        // A resume plays the same recordings.
        let word = format!("replay:{}", absolute(folder));
        let record = TableRecord { reviewer: SeatRecord { word, model: record.reviewer.model.clone() }, ..record };
        Ok(Table { seats, record, replays: Some(folder.to_owned()) })
    }

    /// Whether no model is asked, not even out of recordings.
    pub fn is_without_models(&self) -> bool {
        self.seats.named().iter().all(|(_, spec)| !spec.is_model())
    }

    /// Whether recordings stand in for servers.
    pub fn is_replayed(&self) -> bool {
        self.replays.is_some()
    }

    /// Seats that are one model at one server: a pair of their names each.
    pub fn one_model(&self) -> Vec<(String, String)> {
        same_model(&self.seats)
    }

    /// Currency of the models' prices, where any is known.
    pub fn currency(&self) -> Option<String> {
        let named = self.seats.named().into_iter().filter_map(|(_, spec)| spec.endpoint()?.prices.as_ref());
        named.map(|prices| prices.currency.clone()).next()
    }

    /// Models that are asked over a network or on this machine: where the document goes.
    pub fn endpoints(&self) -> Vec<&Endpoint> {
        match self.replays {
            Some(_) => Vec::new(),
            None => self.seats.named().into_iter().filter_map(|(_, spec)| spec.endpoint()).collect(),
        }
    }

    /// Programs that are asked: where the document goes through them is theirs to say.
    pub fn programs(&self) -> Vec<&Program> {
        self.seats.named().into_iter().filter_map(|(_, spec)| spec.program()).collect()
    }

    /// Who reviews a dimension.
    pub fn reviewer_of(&self, dimension: &str) -> &AgentSpec {
        self.seats.dimensions.get(dimension).unwrap_or(&self.seats.reviewer)
    }

    /// Files that the seats read.
    pub fn files(&self) -> Vec<&Path> {
        let seats = self.seats.named().into_iter();
        let files = seats.filter_map(|(_, spec)| if let AgentSpec::Script(path) = spec { Some(path.as_path()) } else { None });
        files.collect()
    }

    /// The council that sits there.
    ///
    /// # Errors
    /// A script or recordings that cannot be used, a server whose address or key cannot be sent.
    pub fn council(&self, tools: &Tools<'_>) -> Result<Council, Fault> {
        let mut seated = Seated { tools, servers: self.servers(tools)?, known: Vec::new() };
        let reviewer = seated.agent(&self.record.reviewer.word, &self.seats.reviewer)?;
        let mut dimensions = BTreeMap::new();
        for (name, spec) in &self.seats.dimensions {
            let word = self.record.dimensions.get(name).map_or("", |seat| &seat.word);
            dimensions.insert(name.clone(), seated.agent(word, spec)?.0);
        }
        let critic = seated.agent(&self.record.critic.word, &self.seats.critic)?.0;
        let arbiter = match &self.seats.arbiter {
            Some(spec) => {
                let word = self.record.arbiter.as_ref().map_or("", |seat| &seat.word);
                let (agent, arbitrates) = seated.agent(word, spec)?;
                arbitrates.then_some(agent)
            }
            None => None,
        };
        let floor: Option<Arc<dyn Agent>> = if self.seats.floor { Some(Arc::new(Offline::new())) } else { None };
        Ok(Council { reviewer: reviewer.0, dimensions, floor, critic, arbiter })
    }

    fn servers(&self, tools: &Tools<'_>) -> Result<Servers, Fault> {
        let recordings = |error: crate::agent::http::CassetteFault| Fault::usage(error.to_string(), "record the run anew");
        if let Some(folder) = &self.replays {
            return Ok(Servers::replaying(Arc::new(Player::open(folder, Pace::AtOnce).map_err(recordings)?)));
        }
        let endpoints = self.endpoints();
        let proxies = endpoints.iter().map(|endpoint| Proxy::towards(&endpoint.base_url, tools.variables));
        let proxy = proxies.collect::<Result<Vec<_>, Fault>>()?.into_iter().flatten().next();
        let proxy = proxy.map(|proxy| http::Proxy { url: proxy.url, except: proxy.no_proxy.join(",") });
        let Some(folder) = tools.record else { return Ok(Servers::live(proxy)) };
        let keys = endpoints.iter().filter_map(|endpoint| endpoint.key.as_ref());
        let recorder = Recorder::open(folder, keys).map_err(|error| Fault::io("--record", error, "give another folder"))?;
        let recorder = Arc::clone(tools.recorder.get_or_init(|| Arc::new(recorder)));
        let text = serde_json::to_string_pretty(&self.record).unwrap_or_default();
        let path = folder.join(SEATS_FILE);
        std::fs::write(&path, text).map_err(|error| Fault::io(path.display(), error, "give another folder"))?;
        Ok(Servers::recording(recorder, proxy))
    }
}

/// A cap on the cost is one sum of money: it holds only where every model has prices, all in one currency.
fn one_currency(seats: &Seats) -> Result<(), Fault> {
    let mut priced: Vec<(&str, &str)> = Vec::new();
    for (name, spec) in seats.named() {
        let Some(endpoint) = spec.endpoint() else { continue };
        match &endpoint.prices {
            Some(prices) => priced.push((name, &prices.currency)),
            None => {
                let what = format!("a cap on the cost, but no prices of `{}` ({name})", endpoint.name);
                let hint = "give it `prices` in your config.yaml (`tamis config path`), 0 where it costs nothing; or cap tokens: \
                            --max-tokens, `caps.tokens`";
                return Err(Fault::usage(what, hint));
            }
        }
    }
    let Some(&(first, currency)) = priced.first() else { return Ok(()) };
    match priced.iter().find(|(_, other)| *other != currency) {
        None => Ok(()),
        Some((name, other)) => {
            let what =
                format!("a cap on the cost, but prices in several currencies: {first} is paid in {currency}, {name} in {other}");
            Err(Fault::usage(what, "give all `prices` in one currency, or cap tokens: --max-tokens, `caps.tokens`"))
        }
    }
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Those who have a seat already: one agent serves all seats of the same word.
struct Seated<'a> {
    tools: &'a Tools<'a>,
    servers: Servers,
    known: Vec<(String, Arc<dyn Agent>, bool)>,
}

impl Seated<'_> {
    /// The agent, and whether it can be an arbiter.
    fn agent(&mut self, word: &str, spec: &AgentSpec) -> Result<(Arc<dyn Agent>, bool), Fault> {
        if let Some((_, agent, arbitrates)) = self.known.iter().find(|(known, ..)| known == word) {
            return Ok((Arc::clone(agent), *arbitrates));
        }
        let (agent, arbitrates): (Arc<dyn Agent>, bool) = match spec {
            AgentSpec::Offline => (Arc::new(Offline::new()), false),
            AgentSpec::Script(path) => {
                let script = script(path, Arc::clone(&self.tools.live))?;
                let arbitrates = script.has_arbiter();
                (Arc::new(script), arbitrates)
            }
            AgentSpec::Endpoint(endpoint) => {
                let client = self.servers.client((**endpoint).clone());
                let client =
                    client.map_err(|fault| Fault::usage(format!("{}: {fault}", endpoint.name), "see `tamis config show`"))?;
                (Arc::new(Model::new(client, Arc::clone(&self.tools.prompts), Arc::clone(&self.tools.live))), true)
            }
            AgentSpec::Program(program) => {
                let reviewer = self.tools.reviewer(program)?;
                (Arc::new(Asked::with(reviewer, Arc::clone(&self.tools.prompts), Arc::clone(&self.tools.live))), true)
            }
            AgentSpec::Paste => {
                let paste = Paste::new(Arc::clone(&self.tools.courier));
                (Arc::new(Asked::with(paste, Arc::clone(&self.tools.prompts), Arc::clone(&self.tools.live))), true)
            }
            AgentSpec::Replay(folder) => {
                let what = format!("recordings in {} are for all seats", folder.display());
                return Err(Fault::new(FaultKind::Usage, what, "give --agent replay:DIR"));
            }
        };
        self.known.push((word.to_owned(), Arc::clone(&agent), arbitrates));
        Ok((agent, arbitrates))
    }
}

fn script(path: &Path, live: Arc<dyn LiveText>) -> Result<Script, Fault> {
    let text = read_text_up_to(path, SCRIPT_BYTES)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Script::read(&text, &format!("script:{name}"), live)
        .map_err(|error| Fault::usage(format!("{}: {error}", path.display()), "`examples/council.yaml` shows the format"))
}

fn value<T: Clone>(setting: &Option<Setting<T>>) -> Option<T> {
    setting.as_ref().map(|setting| setting.value.clone())
}

/// The settings in force, the environment that they were read with, and the texts that models are asked with.
pub(super) struct InForce {
    /// Settings.
    pub settings: Settings,
    /// Environment.
    pub variables: Variables,
    /// Prompts.
    pub prompts: Arc<Prompts>,
    /// The project's own file.
    pub project: Option<Project>,
    recorder: OnceLock<Arc<Recorder>>,
    scratch: PathBuf,
}

impl InForce {
    /// Reads them; of the project around this document as well, where one is given.
    ///
    /// # Errors
    /// Settings, a project's file or prompts that cannot be used.
    pub fn read(
        folders: &Folders,
        flags: &crate::config::settings::Flags<'_>,
        document: Option<&Path>,
    ) -> Result<InForce, Fault> {
        let project = document.map(|document| Project::of_document(document, &folders.state)).transpose()?.flatten();
        InForce::of(folders, flags, project)
    }

    /// The same, with the file of a project that is known.
    ///
    /// # Errors
    /// Settings or prompts that cannot be used.
    pub fn of(folders: &Folders, flags: &crate::config::settings::Flags<'_>, project: Option<Project>) -> Result<InForce, Fault> {
        let variables = Variables::read();
        let settings = Settings::load(folders, project.as_ref(), &variables, flags)?;
        let (prompts, scratch) = (Arc::new(Prompts::load(folders)?), folders.state.join("scratch"));
        Ok(InForce { settings, variables, prompts, project, recorder: OnceLock::new(), scratch })
    }

    /// The plan's flags, with what the project and the settings say where the command line says nothing.
    pub fn plan_args(&self, args: &PlanArgs) -> PlanArgs {
        let nothing = Data::default();
        let data = self.project.as_ref().map_or(&nothing, |project| &project.data);
        let with =
            if args.with.is_empty() { data.with.iter().map(|with| with.value.clone()).collect() } else { args.with.clone() };
        PlanArgs {
            recipe: args.recipe.clone().or_else(|| value(&data.recipe)),
            dimensions: args.dimensions.clone().or_else(|| value(&data.dimensions)),
            granularity: args.granularity.clone().or_else(|| value(&data.granularity)),
            agent_cap: args.agent_cap.or_else(|| value(&data.agent_cap)),
            replicas: args.replicas.or_else(|| value(&data.replicas)).or(self.settings.seats.replicas.value),
            context: args.context.clone().or_else(|| value(&data.context)),
            criteria: args.criteria.clone().or_else(|| value(&data.criteria)),
            with,
            ..args.clone()
        }
    }

    /// The flags of carrying through, with what the project says where the command line says nothing.
    pub fn carry_args(&self, args: &CarryArgs) -> CarryArgs {
        let data = self.project.as_ref().map(|project| &project.data);
        CarryArgs {
            out: args.out.clone().or_else(|| value(&data?.out)),
            fail_on: args.fail_on.clone().or_else(|| value(&data?.fail_on)),
            ..args.clone()
        }
    }

    /// What of the project's file is ignored for want of trust, in words.
    pub fn ignored(&self) -> Option<String> {
        self.project.as_ref().and_then(Project::ignored)
    }

    /// The language of findings that is asked for.
    pub fn lang(&self) -> Option<&'static str> {
        self.settings.lang.value.map(Lang::code)
    }

    /// Refuses seats for dimensions that no recipe has.
    ///
    /// # Errors
    /// A usage fault with the line.
    pub fn check_dimensions(&self, folders: &Folders) -> Result<(), Fault> {
        let recipes: Vec<_> = crate::config::recipe::list(folders).into_iter().filter_map(|listed| listed.recipe.ok()).collect();
        let ids = recipes.iter().flat_map(|recipe| recipe.dimensions.iter().map(|dimension| dimension.id.as_str()));
        self.settings.check_dimensions(ids)
    }

    /// The caps of a process that begins now.
    pub fn caps(&self) -> Caps {
        let caps = &self.settings.caps;
        let minutes = caps.minutes.value.map(|minutes| std::time::Duration::from_secs(minutes.saturating_mul(60)));
        let until = minutes.and_then(|minutes| tokio::time::Instant::now().checked_add(minutes));
        Caps { tokens: caps.tokens.value, cost_micros: caps.cost_micros.value, until }
    }

    /// Answers that could not be recorded, in words: a replay will not find them.
    pub fn unrecorded(&self) -> Vec<String> {
        let trouble = self.recorder.get().map(|recorder| recorder.trouble()).unwrap_or_default();
        trouble.iter().map(|fault| Shown::line(&format!("not recorded: {fault}")).to_string()).collect()
    }

    /// What a council is made with.
    pub fn tools<'a>(&'a self, live: Arc<dyn LiveText>, record: Option<&'a Path>, document: &'a Path) -> Tools<'a> {
        let (prompts, scratch) = (Arc::clone(&self.prompts), self.scratch.clone());
        // Everything else that tamis writes is below its state folder.
        let own = scratch.parent().into_iter().chain(record).map(Path::to_owned).collect();
        Tools {
            live,
            prompts,
            record,
            recorder: &self.recorder,
            variables: &self.variables,
            document,
            scratch,
            own,
            courier: Arc::new(NoCourier),
        }
    }
}
