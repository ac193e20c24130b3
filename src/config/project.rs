//! A project's own `.tamis.yaml`: data that is in force as it stands, and powers that need trust.
//!
//! Data: recipe, dimensions, granularity, limits on agents, language, thresholds, and paths inside the project. Powers: whoever is
//! asked and how (`agents`, `programs`, `seats`, `caps`), and paths outside or to what usually holds secrets. Powers are not in
//! force before the user trusts these very bytes (`tamis trust`); nothing in the file can change that. Trust is of words: a path
//! that hides behind a link where it leads is never in force, since the link may lead elsewhere tomorrow and no byte here changes.

use super::leads::{Leads, leads, plain};
use super::programs::Program;
use super::programs_file::ProgramFile;
use super::settings::{Entry, Powers, Setting};
use super::settings_file::{AgentFile, CapsFile, Named, Reader, SeatsFile, Text, short};
use super::trust::{Seen, Standing, Trust};
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use crate::model::nearest::what_there_is;
use serde::Deserialize;
use serde_yaml::Spanned;
use std::fmt;
use std::path::{Path, PathBuf};

/// Name of the file.
pub const FILE_NAME: &str = ".tamis.yaml";
/// Format of the file.
pub const SCHEMA: &str = "tamis.project/1";
/// How to go on without it.
const WITHOUT: &str = "or go without the project's file: --no-project";
/// Agents in one wave, and reviewers of a dimension, at most.
const MOST_AGENTS: u64 = 10_000;
const MOST_REPLICAS: u64 = 100;

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    schema: Text,
    #[serde(default)]
    recipe: Text,
    #[serde(default)]
    dimensions: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    granularity: Text,
    #[serde(default)]
    agent_cap: Text,
    #[serde(default)]
    replicas: Text,
    #[serde(default)]
    lang: Text,
    #[serde(default)]
    fail_on: Text,
    #[serde(default)]
    context: Text,
    #[serde(default)]
    criteria: Text,
    #[serde(default)]
    with: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    out: Text,
    #[serde(default)]
    agents: Option<Named<AgentFile>>,
    #[serde(default)]
    programs: Option<Named<ProgramFile>>,
    #[serde(default)]
    seats: Option<SeatsFile>,
    #[serde(default)]
    caps: Option<CapsFile>,
}

/// What is in force of a project's file: its data, without paths outside unless the file is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Recipe: a name, or a path.
    pub recipe: Option<Setting<String>>,
    /// Dimensions to run.
    pub dimensions: Option<Setting<Vec<String>>>,
    /// `auto` or `per-uc`.
    pub granularity: Option<Setting<String>>,
    /// Agents in one wave.
    pub agent_cap: Option<Setting<usize>>,
    /// Reviewers of each dimension and bucket.
    pub replicas: Option<Setting<u32>>,
    /// Language of findings.
    pub lang: Option<Setting<Lang>>,
    /// Severity from which on findings are an exit code.
    pub fail_on: Option<Setting<String>>,
    /// Project knowledge.
    pub context: Option<Setting<PathBuf>>,
    /// The project's own criteria.
    pub criteria: Option<Setting<PathBuf>>,
    /// Documents to compare with.
    pub with: Vec<Setting<PathBuf>>,
    /// Where findings are written.
    pub out: Option<Setting<PathBuf>>,
}

/// Something in the file that needs trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Power {
    /// The key.
    pub key: &'static str,
    /// Its line, from 1.
    pub line: u64,
    /// Where it leads, for a key that names paths.
    pub paths: Vec<PathBuf>,
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` (line {})", self.key, self.line)
    }
}

/// A project with a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The file as it was read.
    pub seen: Seen,
    /// Whether it is trusted.
    pub standing: Standing,
    /// What is in force of it.
    pub data: Data,
    /// What of it needs trust.
    pub powers: Vec<Power>,
    /// Paths that lead elsewhere behind links: never in force, trusted or not.
    pub hidden: Vec<Power>,
}

/// The folder of a document's project: the nearest one around it that git knows as its root, else its own.
pub fn root_of(document: &Path) -> PathBuf {
    let around = document.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    around.or(document.parent()).unwrap_or(Path::new("/")).to_owned()
}

/// The nearest file of a project from a folder upwards to the project's root; `None` where there is none.
fn nearest_file(folder: &Path, root: &Path) -> Option<PathBuf> {
    let inside = folder.ancestors().take_while(|above| above.starts_with(root));
    inside.map(|above| above.join(FILE_NAME)).find(|path| path.symlink_metadata().is_ok())
}

impl Project {
    /// The project of a document, as far as it has a file.
    ///
    /// # Errors
    /// A file that cannot be read or meant, with its line.
    pub fn of_document(document: &Path, state: &Path) -> Result<Option<Project>, Fault> {
        // A document that is not there is said where it is read.
        let Ok(document) = document.canonicalize() else { return Ok(None) };
        document.parent().map_or(Ok(None), |folder| Project::around(folder, state))
    }

    /// The project around a folder, as far as it has a file.
    ///
    /// # Errors
    /// As for [`Project::of_document`].
    pub fn around(folder: &Path, state: &Path) -> Result<Option<Project>, Fault> {
        let Ok(folder) = folder.canonicalize() else { return Ok(None) };
        match nearest_file(&folder, &root_of(&folder.join(FILE_NAME))) {
            Some(path) => Project::read(&path, state).map(Some),
            None => Ok(None),
        }
    }

    /// A project's file.
    ///
    /// # Errors
    /// A file that cannot be read or meant, with its line; one that leads out of its project; a record of trust that cannot be
    /// read.
    pub fn read(path: &Path, state: &Path) -> Result<Project, Fault> {
        let without = |fault: Fault| Fault { hint: join(&fault.hint, WITHOUT), ..fault };
        if path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Err(without(Fault::usage(format!("{}: is no regular file", path.display()), "put a file there")));
        }
        let seen = Seen::read(path).map_err(without)?;
        let root = root_of(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let root = root.canonicalize().unwrap_or(root);
        if !seen.path.starts_with(&root) {
            let what = format!("{}: leads out of its project, to {}", path.display(), seen.path.display());
            return Err(without(Fault::usage(what, "put a file there")));
        }
        let standing = Trust::of(state).standing(&seen)?;
        Project::of(seen, &root, standing).map_err(without)
    }

    /// What a file says, its paths seen from its own folder.
    ///
    /// # Errors
    /// Anything that cannot be meant, with its line.
    fn of(seen: Seen, root: &Path, standing: Standing) -> Result<Project, Fault> {
        let name = seen.path.display().to_string();
        let reader = Reader::new(&name, &seen.text, &seen.path);
        let Some(file) = reader.read_as::<File>()? else {
            return Ok(Project { seen, standing, data: Data::default(), powers: Vec::new(), hidden: Vec::new() });
        };
        reader.check_schema(&file.schema, SCHEMA)?;
        let lines = reader.key_lines();
        let (mut powers, mut hidden) = (Vec::new(), Vec::new());
        let note = |list: &mut Vec<Power>, key: &'static str, path: Option<PathBuf>| {
            let line = lines.iter().find(|(known, _)| known == key).map_or(0, |(_, line)| *line);
            match list.iter_mut().find(|power| power.key == key) {
                Some(power) => power.paths.extend(path),
                None => list.push(Power { key, line, paths: path.into_iter().collect() }),
            }
        };
        let said = [file.agents.is_some(), file.programs.is_some(), file.seats.is_some(), file.caps.is_some()];
        let keys = ["agents", "programs", "seats", "caps"].into_iter().zip(said);
        keys.filter(|(_, said)| *said).for_each(|(key, _)| note(&mut powers, key, None));
        let folder = seen.path.parent().unwrap_or(Path::new("/"));
        let trusted = standing == Standing::Trusted;
        // A path outside is in force only where the file is trusted, and one that hides where it leads never is.
        let mut path = |key: &'static str, text: Text| {
            let text = text?;
            let whole = folder.join(&text.value);
            let in_force = match leads(&whole, root) {
                Leads::Inside => true,
                Leads::Outside => {
                    note(&mut powers, key, Some(plain(&whole)));
                    trusted
                }
                Leads::Hidden => {
                    note(&mut hidden, key, Some(whole.clone()));
                    false
                }
            };
            in_force.then(|| reader.setting(text.referenced, whole))
        };
        let recipe = match file.recipe {
            Some(text) if super::recipe::is_path(&text.value) => {
                path("recipe", Some(text)).map(|whole| Setting { value: whole.value.display().to_string(), origin: whole.origin })
            }
            text => text.map(|text| reader.text(text)),
        };
        let (context, criteria, out) = (path("context", file.context), path("criteria", file.criteria), path("out", file.out));
        let with = file.with.unwrap_or_default().into_iter().filter_map(|text| path("with", Some(text))).collect();
        let word = |text: Text, known: &[&str], what: &str| {
            let checked = text.map(|text| match known.contains(&text.value.as_str()) {
                true => Ok(reader.text(text)),
                false => {
                    let hint = what_there_is(&text.value, known.iter().copied());
                    Err(reader.fault(text.referenced, format!("unknown {what} `{}`", short(&text.value)), hint))
                }
            });
            checked.transpose()
        };
        let lang = word(file.lang, &Lang::ALL.map(Lang::code), "language")?;
        let data = Data {
            recipe,
            dimensions: file.dimensions.map(|list| reader.setting(list.referenced, list.value)),
            granularity: word(file.granularity, &["auto", "per-uc"], "granularity")?,
            agent_cap: reader
                .whole("agent_cap", file.agent_cap, 1, MOST_AGENTS)?
                .map(|cap| Setting { value: usize::try_from(cap.value).unwrap_or(1), origin: cap.origin }),
            replicas: reader
                .whole("replicas", file.replicas, 1, MOST_REPLICAS)?
                .map(|count| Setting { value: u32::try_from(count.value).unwrap_or(1), origin: count.origin }),
            lang: lang.and_then(|word| Some(Setting { value: Lang::from_code(&word.value)?, origin: word.origin })),
            fail_on: word(file.fail_on, &["critical", "major", "minor"], "severity")?,
            context,
            criteria,
            with,
            out,
        };
        Ok(Project { seen, standing, data, powers, hidden })
    }

    /// Whether all of it is in force.
    pub fn is_trusted(&self) -> bool {
        self.standing == Standing::Trusted
    }

    /// What the file says of whoever is asked, where it is trusted; nothing of it otherwise. Its seats may name whoever is known
    /// from elsewhere.
    ///
    /// # Errors
    /// Anything that cannot be meant, with its line.
    pub(super) fn powers(&self, known: &Powers) -> Result<Powers, Fault> {
        match self.is_trusted() {
            true => self.read_powers(|seats| seats, known),
            false => Ok(Powers::default()),
        }
    }

    /// Whom the file describes, whether or not it is trusted: to be shown before it is, and never to be asked.
    ///
    /// # Errors
    /// Anything that cannot be meant, with its line.
    pub fn described(&self) -> Result<(Vec<Entry>, Vec<Program>), Fault> {
        // A seat may name somebody of the user's settings: that is not checked here.
        let powers = self.read_powers(|_| None, &Powers::default())?;
        Ok((powers.roster, powers.programs))
    }

    fn read_powers(&self, seats: impl FnOnce(Option<SeatsFile>) -> Option<SeatsFile>, known: &Powers) -> Result<Powers, Fault> {
        let name = self.seen.path.display().to_string();
        let reader = Reader::new(&name, &self.seen.text, &self.seen.path);
        let Some(file) = reader.read_as::<File>()? else { return Ok(Powers::default()) };
        Powers::of(&reader, file.agents, file.programs, seats(file.seats), file.caps, known)
    }

    /// What is ignored, for want of trust or because it hides where it leads, in words; `None` where nothing is.
    pub fn ignored(&self) -> Option<String> {
        let path = self.seen.path.display();
        let keys = |powers: &[Power]| powers.iter().map(Power::to_string).collect::<Vec<_>>().join(", ");
        let since = if self.standing == Standing::Never { "is not trusted" } else { "has changed since it was trusted" };
        let powers = (!self.is_trusted() && !self.powers.is_empty())
            .then(|| format!("{path} {since}: {} ignored; look at it with `tamis trust {path}`", keys(&self.powers)));
        let hidden = (!self.hidden.is_empty()).then(|| {
            format!(
                "{path}: {} ignored, trusted or not: behind a link it leads elsewhere; name the place itself",
                keys(&self.hidden)
            )
        });
        let said: Vec<String> = powers.into_iter().chain(hidden).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// Two hints in one.
fn join(one: &str, other: &str) -> String {
    if one.is_empty() { other.to_owned() } else { format!("{one}; {other}") }
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
