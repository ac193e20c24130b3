//! The settings in force: flags go before the environment, that before the user's `config.yaml`, that before the defaults.
//! Every value knows where it comes from.

use super::agents::{self, Seat};
use super::folders::Folders;
use super::keys::KeySource;
use super::money;
use super::origin::{Origin, read_text};
use super::programs::Program;
use super::programs_file::ProgramFile;
use super::project::Project;
use super::roster::{Api, Prices, Rung};
use super::secrets::Redactor;
pub use super::settings_file::SCHEMA;
use super::settings_file::{AgentFile, CapsFile, Named, Reader, SeatsFile, short, whole};
use super::variables::{self, Variables};
use crate::model::fault::{Fault, FaultKind};
use crate::model::lang::Lang;
use crate::model::nearest::what_there_is;
use serde_yaml::Spanned;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the file in the user's configuration folder.
pub const FILE_NAME: &str = "config.yaml";
/// Theme where none is named.
const THEME: &str = "terminal";
/// Tokens of a run at most, as a limit that can be written.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// Minutes of a run at most, as a limit that can be written: a month.
const MOST_MINUTES: u64 = 44_640;
/// Reviewers for each dimension and bucket at most.
const MOST_REPLICAS: u64 = 100;

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// A value that nobody set.
    pub fn default_of(value: T) -> Setting<T> {
        Setting { value, origin: Origin::Default }
    }

    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Setting<U> {
        Setting { value: f(self.value), origin: self.origin }
    }
}

/// What the command line says; `None` where it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags<'a> {
    /// `--agent`.
    pub agent: Option<&'a str>,
    /// `--critic`.
    pub critic: Option<&'a str>,
    /// `--arbiter`.
    pub arbiter: Option<&'a str>,
    /// `--theme`.
    pub theme: Option<&'a str>,
    /// `--lang`.
    pub lang: Option<&'a str>,
    /// `--max-tokens`.
    pub max_tokens: Option<&'a str>,
    /// `--max-cost`.
    pub max_cost: Option<&'a str>,
    /// `--max-minutes`.
    pub max_minutes: Option<&'a str>,
}

/// A model at a server, as the roster describes it. The key itself is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name in the roster.
    pub name: Setting<String>,
    /// Wire format.
    pub api: Setting<Api>,
    /// Model, as the server calls it.
    pub model: Setting<String>,
    /// Address, without a slash at its end.
    pub base_url: Setting<String>,
    /// Where the key stands.
    pub key: Setting<KeySource>,
    /// Whether the key may go over a network unencrypted.
    pub allow_http: Setting<bool>,
    /// Tokens of an answer at most.
    pub max_output: Setting<u32>,
    /// Findings in one answer at most.
    pub max_findings: Setting<usize>,
    /// Characters of one text in an answer at most.
    pub max_text: Setting<usize>,
    /// Tokens that the model takes in all.
    pub context: Setting<Option<u64>>,
    /// Calls at one time.
    pub concurrency: Setting<usize>,
    /// Prices.
    pub prices: Setting<Option<Prices>>,
    /// Time to reach the server.
    pub connect: Setting<Duration>,
    /// Time until the first byte.
    pub first_byte: Setting<Duration>,
    /// Time between two bytes.
    pub idle: Setting<Duration>,
    /// Time for one call.
    pub total: Setting<Duration>,
    /// Further headers.
    pub headers: Vec<(String, Setting<String>)>,
    /// Whether answers come as a stream.
    pub stream: Setting<bool>,
    /// The first way to ask for the shape of an answer.
    pub shape: Setting<Rung>,
    /// Whether the shared part of the prompt is marked for the provider's cache.
    pub warm_cache: Setting<bool>,
}

impl Entry {
    /// Tokens of an answer at most where nobody says.
    pub const MAX_OUTPUT: u32 = 8192;
    /// Findings in one answer where nobody says: as many as fit an ordinary output limit.
    pub const MAX_FINDINGS: usize = 40;
    /// Characters of one text where nobody says: about half a page.
    pub const MAX_TEXT: usize = 2000;
    /// Calls at one time where nobody says.
    pub const CONCURRENCY: usize = 8;
}

/// Who sits where, in words: a name of the roster, `offline`, `openai:MODEL…`; the arbiter also `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatWords {
    /// Reviews every dimension without a seat of its own.
    pub reviewer: Setting<String>,
    /// Dimensions with a seat of their own, in the order of the file.
    pub dimensions: Vec<(String, Setting<String>)>,
    /// Looks for what was missed.
    pub critic: Setting<String>,
    /// Says whether two findings are one.
    pub arbiter: Setting<String>,
    /// Reviewers for each dimension and bucket.
    pub replicas: Setting<Option<u32>>,
    /// Whether the offline rules review beside the models.
    pub floor: Setting<bool>,
}

/// Limits of a run; `None` is no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Tokens, read and written.
    pub tokens: Setting<Option<u64>>,
    /// Millionths of the currency of the prices.
    pub cost_micros: Setting<Option<u64>>,
    /// Minutes.
    pub minutes: Setting<Option<u64>>,
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where the file is, or would be; `None` where the user has no home folder.
    pub path: Option<PathBuf>,
    /// The roster, in the order of the file.
    pub roster: Vec<Entry>,
    /// Programs that review, in the order of the file.
    pub programs: Vec<Program>,
    /// Who sits where.
    pub seats: SeatWords,
    /// Limits.
    pub caps: Caps,
    /// Theme of the workbench: a name or a file.
    pub theme: Setting<String>,
    /// Language of findings; `None` is the recipe's, else the document's.
    pub lang: Setting<Option<Lang>>,
}

impl Settings {
    /// The settings of this user, and what the project's file says where one is given: its data, and whatever could ask
    /// somebody or write elsewhere as far as it is trusted.
    ///
    /// # Errors
    /// A usage fault with file and line, variable or flag, for anything that cannot be meant, with the nearest thing that can;
    /// an input fault for a file that cannot be read. A file that is absent says nothing.
    pub fn load(folders: &Folders, project: Option<&Project>, variables: &Variables, flags: &Flags) -> Result<Settings, Fault> {
        let path = folders.config.as_ref().map(|config| config.join(FILE_NAME));
        let text = match &path {
            // Opening a pipe would wait for whoever writes into it.
            Some(path) if path.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) => {
                let what = format!("{}: is no regular file", path.display());
                return Err(Fault::usage(what, "put a file there, or remove it"));
            }
            Some(path) if is_there(path) => Some(read_text(path)?),
            _ => None,
        };
        let path = path.unwrap_or_default();
        let name = path.display().to_string();
        // Somebody may have written a key where none belongs: what is wrong is said without it.
        let mut settings = Settings::of_files(&name, text.as_deref().unwrap_or_default(), &path, project, variables, flags)
            .map_err(|fault| Redactor::default().fault(&fault))?;
        settings.path = folders.config.as_ref().map(|_| path);
        Ok(settings)
    }

    /// The settings that a text says; `name` stands in messages.
    ///
    /// # Errors
    /// As for [`Settings::load`].
    pub fn of(name: &str, text: &str, path: &Path, variables: &Variables, flags: &Flags) -> Result<Settings, Fault> {
        Settings::of_files(name, text, path, None, variables, flags)
    }

    fn of_files(
        name: &str,
        text: &str,
        path: &Path,
        project: Option<&Project>,
        variables: &Variables,
        flags: &Flags,
    ) -> Result<Settings, Fault> {
        let reader = Reader::new(name, text, path);
        let file = reader.read()?;
        let user = Powers::of(&reader, file.agents, file.programs, file.seats, file.caps, &Powers::default())?;
        let of_project = project.map(|project| project.powers(&user)).transpose()?.unwrap_or_default();
        let Powers { roster, programs, seats: seats_said, caps: caps_said } = of_project.or(user);
        let said = |flag: Option<&str>, name: &'static str, variable: &'static str| -> Option<Setting<String>> {
            let from_flag = flag.map(|value| Setting { value: value.to_owned(), origin: Origin::Flag(name) });
            let from_variable = || Some(Setting { value: variables.get(variable)?, origin: Origin::Environment(variable) });
            from_flag.or_else(from_variable)
        };
        let seats = seats(seats_said, said(flags.agent, "--agent", variables::AGENT), flags);
        let caps = caps(caps_said, |which| match which {
            Cap::Tokens => said(flags.max_tokens, "--max-tokens", variables::MAX_TOKENS),
            Cap::Cost => said(flags.max_cost, "--max-cost", variables::MAX_COST),
            Cap::Minutes => said(flags.max_minutes, "--max-minutes", variables::MAX_MINUTES),
        })?;
        // What stands in the file is checked also where something else goes before it.
        let lang_of_file = file
            .lang
            .map(|text| {
                lang(&text.value)
                    .map_err(|(what, hint)| reader.fault(text.referenced, what, hint))
                    .map(|lang| reader.setting(text.referenced, Some(lang)))
            })
            .transpose()?;
        let lang = match said(flags.lang, "--lang", variables::LANG) {
            Some(word) => {
                let lang = lang(&word.value).map_err(|(what, hint)| at(&word.origin, &what, &hint))?;
                Setting { value: Some(lang), origin: word.origin }
            }
            None => {
                let of_project = project.and_then(|project| project.data.lang.clone()).map(|lang| lang.map(Some));
                of_project.or(lang_of_file).unwrap_or(Setting::default_of(None))
            }
        };
        let theme = said(flags.theme, "--theme", variables::THEME).or_else(|| file.theme.map(|text| reader.text(text)));
        let theme = theme.unwrap_or_else(|| Setting::default_of(THEME.to_owned()));
        Ok(Settings { path: Some(path.to_owned()), roster, programs, seats, caps, theme, lang })
    }

    /// The entry of the roster with this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.roster.iter().find(|entry| entry.name.value == name)
    }

    /// Checks the dimensions that have a seat of their own against those there are, in every recipe that can be named: a
    /// seat for another recipe's dimension is no mistake.
    ///
    /// # Errors
    /// The first one that there is not, with its line and the nearest one.
    pub fn check_dimensions<'a>(&self, known: impl IntoIterator<Item = &'a str> + Clone) -> Result<(), Fault> {
        for (dimension, word) in &self.seats.dimensions {
            if !known.clone().into_iter().any(|id| id == dimension) {
                let what = format!("`seats.dimensions` names the dimension `{}`, which no recipe has", short(dimension));
                return Err(at(&word.origin, &what, &what_there_is(dimension, known.clone())));
            }
        }
        Ok(())
    }
}

/// What a file says that can have somebody asked: agents, programs, seats and caps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Powers {
    pub roster: Vec<Entry>,
    pub programs: Vec<Program>,
    pub seats: SeatsSaid,
    pub caps: CapsSaid,
}

impl Powers {
    /// What a file says of them, checked; its seats may also name whoever is known from elsewhere.
    ///
    /// # Errors
    /// Anything that cannot be meant, with its line.
    pub fn of(
        reader: &Reader,
        agents: Option<Named<AgentFile>>,
        given: Option<Named<ProgramFile>>,
        seats: Option<SeatsFile>,
        caps: Option<CapsFile>,
        known: &Powers,
    ) -> Result<Powers, Fault> {
        let own = Powers {
            roster: roster(reader, agents)?,
            programs: programs(reader, given)?,
            seats: SeatsSaid::default(),
            caps: CapsSaid::of(reader, caps.unwrap_or_default())?,
        };
        let seats = seats.unwrap_or_default();
        let all = own.clone().or(known.clone());
        check_seats(reader, &seats, (&all.roster, &all.programs))?;
        Ok(Powers { seats: SeatsSaid::of(reader, seats)?, ..own })
    }

    /// This, and where it says nothing what another file says.
    fn or(self, other: Powers) -> Powers {
        let Powers { mut roster, mut programs, seats, caps } = self;
        let new = |entry: &Entry| roster.iter().all(|known| known.name.value != entry.name.value);
        let more: Vec<Entry> = other.roster.into_iter().filter(new).collect();
        roster.extend(more);
        let new = |program: &Program| programs.iter().all(|known| known.name != program.name);
        let more: Vec<Program> = other.programs.into_iter().filter(new).collect();
        programs.extend(more);
        Powers { roster, programs, seats: seats.or(other.seats), caps: caps.or(other.caps) }
    }
}

/// A usage fault about a value from somewhere.
pub(super) fn at(origin: &Origin, what: &str, hint: &str) -> Fault {
    Fault::new(FaultKind::Usage, format!("{origin}: {what}"), hint)
}

/// A dangling link is there: it is said to be unreadable, not passed over.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn roster(reader: &Reader, agents: Option<Named<AgentFile>>) -> Result<Vec<Entry>, Fault> {
    let agents = agents.map_or(Vec::new(), |agents| agents.0);
    let mut roster: Vec<Entry> = Vec::new();
    for (name, agent) in agents {
        let entry = reader.entry(&name, agent)?;
        if let Some(earlier) = roster.iter().find(|earlier| earlier.name.value == entry.name.value) {
            let what = format!("the agent `{}` stands here a second time, first at {}", name.value, earlier.name.origin);
            return Err(reader.fault(name.referenced, what, "give each agent its own name"));
        }
        roster.push(entry);
    }
    Ok(roster)
}

fn programs(reader: &Reader, given: Option<Named<ProgramFile>>) -> Result<Vec<Program>, Fault> {
    let mut programs: Vec<Program> = Vec::new();
    for (name, file) in given.map_or(Vec::new(), |given| given.0) {
        let program = reader.program(&name, file)?;
        if programs.iter().any(|earlier| earlier.name == program.name) {
            let what = format!("the program `{}` stands here a second time", name.value);
            return Err(reader.fault(name.referenced, what, "give each program its own name"));
        }
        programs.push(program);
    }
    Ok(programs)
}

/// Every word of the file is checked, also those that something else goes before.
fn check_seats(reader: &Reader, seats: &SeatsFile, known: (&[Entry], &[Program])) -> Result<(), Fault> {
    let check = |word: &Spanned<String>, seat: Seat| {
        agents::check_seat_word(&word.value, seat, known).map_err(|(what, hint)| reader.fault(word.referenced, what, hint))
    };
    for (word, seat) in [(&seats.reviewer, Seat::Reviewer), (&seats.critic, Seat::Critic), (&seats.arbiter, Seat::Arbiter)] {
        word.as_ref().map(|word| check(word, seat)).transpose()?;
    }
    let mut earlier: Vec<&str> = Vec::new();
    for (dimension, word) in seats.dimensions.iter().flat_map(|dimensions| &dimensions.0) {
        if earlier.contains(&dimension.value.as_str()) {
            let what = format!("the dimension `{}` stands here a second time", short(&dimension.value));
            return Err(reader.fault(dimension.referenced, what, "keep one of them"));
        }
        earlier.push(&dimension.value);
        check(word, Seat::Reviewer)?;
    }
    Ok(())
}

/// What one file says of seats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SeatsSaid {
    reviewer: Option<Setting<String>>,
    dimensions: Vec<(String, Setting<String>)>,
    critic: Option<Setting<String>>,
    arbiter: Option<Setting<String>>,
    replicas: Option<Setting<u64>>,
    floor: Option<Setting<bool>>,
}

impl SeatsSaid {
    fn of(reader: &Reader, file: SeatsFile) -> Result<SeatsSaid, Fault> {
        let text = |text: Option<Spanned<String>>| text.map(|text| reader.text(text));
        let dimensions = file.dimensions.map_or(Vec::new(), |dimensions| dimensions.0);
        Ok(SeatsSaid {
            reviewer: text(file.reviewer),
            dimensions: dimensions.into_iter().map(|(name, word)| (name.value, reader.text(word))).collect(),
            critic: text(file.critic),
            arbiter: text(file.arbiter),
            replicas: reader.whole("replicas", file.replicas, 1, MOST_REPLICAS)?,
            floor: file.floor.map(|floor| reader.setting(floor.referenced, floor.value)),
        })
    }

    /// This, and where it says nothing what another file says.
    fn or(self, other: SeatsSaid) -> SeatsSaid {
        let mut dimensions = self.dimensions;
        let more = other.dimensions.into_iter().filter(|(name, _)| dimensions.iter().all(|(known, _)| known != name));
        let more: Vec<_> = more.collect();
        dimensions.extend(more);
        SeatsSaid {
            reviewer: self.reviewer.or(other.reviewer),
            dimensions,
            critic: self.critic.or(other.critic),
            arbiter: self.arbiter.or(other.arbiter),
            replicas: self.replicas.or(other.replicas),
            floor: self.floor.or(other.floor),
        }
    }
}

/// Who sits where. One agent for everything goes before everything that files say of single seats.
fn seats(said: SeatsSaid, all: Option<Setting<String>>, flags: &Flags) -> SeatWords {
    let flag =
        |word: Option<&str>, name: &'static str| word.map(|word| Setting { value: word.to_owned(), origin: Origin::Flag(name) });
    let of_file = |text: Option<Setting<String>>| if all.is_some() { None } else { text };
    let reviewer = all.clone().or(said.reviewer).unwrap_or_else(|| Setting::default_of("offline".to_owned()));
    let as_reviewer = || match &all {
        Some(all) => all.clone(),
        None => Setting::default_of(reviewer.value.clone()),
    };
    SeatWords {
        critic: flag(flags.critic, "--critic").or_else(|| of_file(said.critic)).unwrap_or_else(as_reviewer),
        arbiter: flag(flags.arbiter, "--arbiter").or_else(|| of_file(said.arbiter)).unwrap_or_else(as_reviewer),
        dimensions: if all.is_some() { Vec::new() } else { said.dimensions },
        replicas: said.replicas.map_or(Setting::default_of(None), |replicas| replicas.map(|value| u32::try_from(value).ok())),
        floor: said.floor.unwrap_or(Setting::default_of(true)),
        reviewer,
    }
}

enum Cap {
    Tokens,
    Cost,
    Minutes,
}

/// What one file says of limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CapsSaid {
    tokens: Option<Setting<u64>>,
    cost_micros: Option<Setting<u64>>,
    minutes: Option<Setting<u64>>,
}

impl CapsSaid {
    fn of(reader: &Reader, file: CapsFile) -> Result<CapsSaid, Fault> {
        let cost = file.cost.map(|text| match sum(&text.value) {
            Ok(micros) => Ok(reader.setting(text.referenced, micros)),
            Err(why) => Err(reader.fault(text.referenced, format!("`cost` {why}: `{}`", short(&text.value)), COST_HINT)),
        });
        Ok(CapsSaid {
            tokens: reader.whole("tokens", file.tokens, 1, MOST_TOKENS)?,
            cost_micros: cost.transpose()?,
            minutes: reader.whole("minutes", file.minutes, 1, MOST_MINUTES)?,
        })
    }

    /// This, and where it says nothing what another file says.
    fn or(self, other: CapsSaid) -> CapsSaid {
        CapsSaid {
            tokens: self.tokens.or(other.tokens),
            cost_micros: self.cost_micros.or(other.cost_micros),
            minutes: self.minutes.or(other.minutes),
        }
    }
}

fn caps(file: CapsSaid, said: impl Fn(Cap) -> Option<Setting<String>>) -> Result<Caps, Fault> {
    let number = |said: Option<Setting<String>>, in_file: Option<Setting<u64>>, most: u64| match said {
        Some(word) => {
            let value = whole(&word.value, 1, most)
                .map_err(|(why, hint)| at(&word.origin, &format!("{why}: `{}`", short(&word.value)), &hint))?;
            Ok::<_, Fault>(Setting { value: Some(value), origin: word.origin })
        }
        None => Ok(in_file.map_or(Setting::default_of(None), |setting| setting.map(Some))),
    };
    Ok(Caps {
        tokens: number(said(Cap::Tokens), file.tokens, MOST_TOKENS)?,
        minutes: number(said(Cap::Minutes), file.minutes, MOST_MINUTES)?,
        cost_micros: match said(Cap::Cost) {
            Some(word) => {
                let micros =
                    sum(&word.value).map_err(|why| at(&word.origin, &format!("{why}: `{}`", short(&word.value)), COST_HINT))?;
                Setting { value: Some(micros), origin: word.origin }
            }
            None => file.cost_micros.map_or(Setting::default_of(None), |setting| setting.map(Some)),
        },
    })
}

const COST_HINT: &str = "write a sum above 0 in the currency of your prices, as 2.50";

fn sum(text: &str) -> Result<u64, &'static str> {
    match money::sum(text)? {
        0 => Err("is nothing at all"),
        micros => Ok(micros),
    }
}

fn lang(word: &str) -> Result<Lang, (String, String)> {
    Lang::from_code(word).ok_or_else(|| {
        let hint = what_there_is(word, Lang::ALL.iter().map(|lang| lang.code()));
        (format!("unknown language `{}`", short(word)), hint)
    })
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
