//! The command line: what there is to say, before any of it is checked against documents or recipes.

use crate::config::Flags;
use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// Exit codes, shown in every help text.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    written
  1    written, and there are findings at or above --fail-on
  2    usage or configuration, or a document with no text
  3    a person is needed; nothing was written
  4    written but incomplete: a hole, something cut, or not converged under --require-converged
  5    locked by another process
  6    journal damaged, or resume refused
  7    input or output failed: unreadable, missing or not UTF-8
  129, 130, 131, 143   ended by SIGHUP, SIGINT, SIGQUIT, SIGTERM
When several apply: 7, 6, 5, 2, 3, 4, 1 in that order.";

/// Exit codes of `tamis open`.
pub const OPEN_EXIT_CODES: &str = "\
Exit codes:
  0    nothing was changed, or what was changed is written
  3    left with decisions that are not written yet; nothing is lost
  4    written again, and the review it is about has a hole or was cut
  2, 5, 6, 7, 129 and up   as everywhere (`tamis --help`); without a terminal: 2";

/// Exit codes of `tamis demo`.
pub const DEMO_EXIT_CODES: &str = "\
Exit codes:
  4    the end without a terminal: the bundled council leaves a question unanswered, as models do, and the file says so
  0, 2, 3, 5, 6, 7, 129 and up   as everywhere (`tamis --help`)";

/// Exit codes of `tamis doctor`.
pub const DOCTOR_EXIT_CODES: &str = "\
Exit codes:
  0    nothing stands in the way
  2    something does: it is marked, and what to do stands below it";

/// Exit codes of `tamis trust`.
pub const TRUST_EXIT_CODES: &str = "\
Exit codes:
  0    trusted, or nothing to trust
  2    no such file, a file that cannot be meant, or another --hash
  3    not trusted: nobody said yes
  7    the record of trust cannot be written";

/// A review that converges in one run.
#[derive(Debug, Parser)]
#[command(name = "tamis", version, about, after_help = EXIT_CODES, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Review a document: plan, fan out, run the critic until it is dry, settle, write one findings file
    #[command(after_help = EXIT_CODES)]
    Review(Box<ReviewArgs>),
    /// Play a bundled council on a bundled document, at its own pace; no model is asked and nothing is sent
    #[command(after_help = DEMO_EXIT_CODES)]
    Demo(DemoArgs),
    /// Print the agents, buckets, waves, calls, tokens and cost of a review; run nothing
    Plan(PlanCommand),
    /// Print the exact text that an agent of a review gets, or the keys there are; run nothing
    Prompt(Box<PromptArgs>),
    /// Print a document's units and sections
    Outline(OutlineArgs),
    /// Run a recipe's checks on one section and print the findings as a JSON array (agent mode)
    Scan(ScanArgs),
    /// List recipes, or show one with its dimensions
    Recipes(RecipesArgs),
    /// List, delete or salvage runs
    Runs(RunsArgs),
    /// Take up a run where it stopped, or reopen a finished one at its settle gate
    #[command(after_help = EXIT_CODES)]
    Resume(ResumeArgs),
    /// Show a run or a findings file at the workbench; changed decisions are written again
    #[command(after_help = OPEN_EXIT_CODES)]
    Open(OpenArgs),
    /// Print what happened in a run
    Replay(ReplayArgs),
    /// Print the JSON Schema of a file that tamis writes
    Schema(SchemaArgs),
    /// Show the settings in force and where they come from, or where the file of settings is
    Config(ConfigArgs),
    /// Say what this machine, the settings and each reviewer are fit for, and what to do next
    #[command(after_help = DOCTOR_EXIT_CODES)]
    Doctor(DoctorArgs),
    /// Let a project's .tamis.yaml name programs, addresses and keys, after you have seen what it says
    #[command(after_help = TRUST_EXIT_CODES)]
    Trust(TrustArgs),
    /// Keep a program: leave nothing of it behind, whatever ends (used by tamis itself)
    #[command(name = crate::walls::KEEP, hide = true)]
    Keep(KeepArgs),
    /// Wall a program in (used by tamis itself)
    #[command(name = crate::walls::SANDBOX, hide = true)]
    Sandbox(SandboxArgs),
    /// Try what walls forbid (used by tamis itself)
    #[command(name = crate::walls::ATTEMPTS, hide = true)]
    Attempts(AttemptsArgs),
}

/// What a review looks at: flags that `plan` and `review` share, recorded with the run.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
pub struct PlanArgs {
    /// Recipe: a name, or a path to a YAML file [default: the project's, else refine-prd]
    #[arg(long, value_name = "R")]
    #[serde(default)]
    pub recipe: Option<String>,
    /// Dimensions to run instead of the recipe's default ones
    #[arg(long, value_name = "D,…", value_delimiter = ',')]
    pub dimensions: Option<Vec<String>>,
    /// How finely to cut the document [default: the recipe's]
    #[arg(long, value_parser = ["auto", "per-uc"])]
    pub granularity: Option<String>,
    /// Review only these units and sections, and all that lies in no unit; '' means the latter alone (repeatable)
    #[arg(long, value_name = "A,B")]
    pub changed: Option<Vec<String>>,
    /// Agents in one wave [default: the project's, else 100]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    pub agent_cap: Option<usize>,
    /// Agents for each dimension and bucket [default: the settings' seats.replicas, else 1]
    #[arg(long, value_name = "K")]
    pub replicas: Option<u32>,
    /// Project knowledge: banned terms, entities, layers, domains [default: context.yaml beside the document]
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// Another document to compare with (repeatable)
    #[arg(long = "with", value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Your own criteria, one a line or bullet [default: the recipe's list]
    #[arg(long, value_name = "FILE")]
    pub criteria: Option<PathBuf>,
    /// Where the document is longer than the critic reads, let it read overlapping windows; the result is then INCOMPLETE
    #[arg(long)]
    #[serde(default)]
    pub window: bool,
}

/// Whether the project's own file counts.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ProjectArgs {
    /// Pass over the project's .tamis.yaml
    #[arg(long)]
    pub no_project: bool,
}

impl ProjectArgs {
    /// The document whose project's file counts; `None` where none does.
    pub fn of<'a>(&self, document: &'a std::path::Path) -> Option<&'a std::path::Path> {
        (!self.no_project).then_some(document)
    }
}

/// Who is asked.
#[derive(Clone, Debug, Default, Args)]
pub struct AgentArgs {
    /// Who reviews [default: TAMIS_AGENT, else the settings' seats, else offline]: offline, script:FILE, replay:DIR,
    /// openai:MODEL[@BASE_URL], anthropic:MODEL[@BASE_URL], command:PROGRAM, acp:COMMAND, paste, or a name from the settings
    #[arg(long, value_name = "WHO")]
    pub agent: Option<String>,
    /// Who is the critic [default: the reviewer]
    #[arg(long, value_name = "WHO")]
    pub critic: Option<String>,
    /// Who is the arbiter, or none [default: the reviewer]
    #[arg(long, value_name = "WHO")]
    pub arbiter: Option<String>,
}

impl AgentArgs {
    /// What the settings take from the command line.
    pub fn flags(&self) -> Flags<'_> {
        Flags {
            agent: self.agent.as_deref(),
            critic: self.critic.as_deref(),
            arbiter: self.arbiter.as_deref(),
            ..Flags::default()
        }
    }
}

/// What `review` and `resume` share: how the run is carried through.
#[derive(Clone, Debug, Default, Args)]
pub struct CarryArgs {
    /// Never open the workbench
    #[arg(long)]
    pub headless: bool,
    /// Answers to conflicts and questions, by finding key
    #[arg(long, value_name = "FILE")]
    pub decisions: Option<PathBuf>,
    /// Put every open conflict off, in these words
    #[arg(long, value_name = "REASON")]
    pub defer_all: Option<String>,
    /// With --defer-all: put policy questions off too
    #[arg(long, requires = "defer_all")]
    pub defer_policy: bool,
    /// Where to write the findings [default: NAME.findings.yaml beside the document]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a target that tamis did not write or that has changed, keeping it as NAME.bak
    #[arg(long)]
    pub overwrite: bool,
    /// Write every event as JSON Lines to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub events: Option<String>,
    /// Exit with 1 where a finding of this severity or worse stands
    #[arg(long, value_name = "SEVERITY", value_parser = ["critical", "major", "minor"])]
    pub fail_on: Option<String>,
    /// Exit with 4 where the critic was not dry in the end
    #[arg(long)]
    pub require_converged: bool,
    /// Wait for the person after every critic round (headless: stop with exit code 3; `resume` goes on)
    #[arg(long)]
    pub step: bool,
    /// Tokens that the models may take, read and written [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<String>,
    /// What the models may cost, in the currency of their prices [default: no limit]
    #[arg(long, value_name = "AMOUNT")]
    pub max_cost: Option<String>,
    /// Minutes after which nothing new is asked and calls under way are cancelled [default: no limit]
    #[arg(long, value_name = "M")]
    pub max_minutes: Option<String>,
    /// With --agent paste: where questions are laid that a person carries to a chat [default: in the run's own folder]
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
    /// With --agent paste: the folder with answers that a person has brought back, under the names of their questions
    #[arg(long, value_name = "DIR")]
    pub answers: Option<PathBuf>,
    /// Keep what servers answer, to be played with --agent replay:DIR
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Language of findings and summary [default: the document's]
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// How the workbench looks.
    #[command(flatten)]
    pub look: LookArgs,
}

impl CarryArgs {
    /// What the settings take from the command line: the caps.
    pub fn flags<'a>(&'a self, agents: Flags<'a>) -> Flags<'a> {
        Flags {
            max_tokens: self.max_tokens.as_deref(),
            max_cost: self.max_cost.as_deref(),
            max_minutes: self.max_minutes.as_deref(),
            ..agents
        }
    }
}

/// How the workbench looks.
#[derive(Clone, Debug, Default, Args)]
pub struct LookArgs {
    /// Theme of the workbench: terminal, dark, light, high-contrast, colour-blind, or a file [default: TAMIS_THEME, config.yaml, else terminal]
    #[arg(long, value_name = "NAME|FILE")]
    pub theme: Option<String>,
    /// Draw with ASCII only
    #[arg(long)]
    pub ascii: bool,
}

/// `tamis review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// The document: Markdown, UTF-8
    pub file: PathBuf,
    /// What to look at.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Who is asked.
    #[command(flatten)]
    pub agents: AgentArgs,
    /// How to carry it through.
    #[command(flatten)]
    pub carry: CarryArgs,
}

/// `tamis demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Language of the document and the findings
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
    /// Never open the workbench
    #[arg(long)]
    pub headless: bool,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// How the workbench looks.
    #[command(flatten)]
    pub look: LookArgs,
}

/// `tamis plan`.
#[derive(Debug, Args)]
pub struct PlanCommand {
    /// The document: Markdown, UTF-8
    pub file: PathBuf,
    /// Who is asked.
    #[command(flatten)]
    pub agents: AgentArgs,
    /// What to look at.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `tamis prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The document: Markdown, UTF-8
    pub file: PathBuf,
    /// The step: its key or label, such as review/DEV/UC-01, before/P3 or critic/1 [default: list the keys]
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// What to look at.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Language of findings [default: the document's]
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
    /// Print JSON, which holds every character as it is sent
    #[arg(long)]
    pub json: bool,
}

/// `tamis outline`.
#[derive(Debug, Args)]
pub struct OutlineArgs {
    /// The document: Markdown, UTF-8
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `tamis scan`.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The document: Markdown, UTF-8
    pub file: PathBuf,
    /// Recipe: a name, or a path to a YAML file [default: the project's, else refine-prd]
    #[arg(long, value_name = "R")]
    pub recipe: Option<String>,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// One dimension [default: all of the recipe's default ones]
    #[arg(long, value_name = "D")]
    pub dimension: Option<String>,
    /// The unit or section to look at [default: the only unit]
    #[arg(long, value_name = "ID|HEADING")]
    pub scope: Option<String>,
    /// Who is asked.
    #[command(flatten)]
    pub agents: AgentArgs,
    /// Project knowledge [default: context.yaml beside the document]
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// Language of findings [default: the document's]
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
}

/// `tamis recipes`.
#[derive(Debug, Args)]
pub struct RecipesArgs {
    /// Recipe to show
    pub name: Option<String>,
}

/// `tamis runs`.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// What to do with them [default: list]
    #[command(subcommand)]
    pub action: Option<RunsAction>,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub state_dir: Option<PathBuf>,
}

/// What to do with runs.
#[derive(Debug, Subcommand)]
pub enum RunsAction {
    /// Delete a run, or all that are older than some days
    Rm {
        /// Run to delete
        #[arg(required_unless_present = "older_than")]
        run: Option<String>,
        /// Delete runs that began more than this many days ago
        #[arg(long, value_name = "DAYS", conflicts_with = "run")]
        older_than: Option<u32>,
        /// Also delete runs that are not finished
        #[arg(long)]
        force: bool,
    },
    /// Copy what is sound of a damaged run into a new one
    Salvage {
        /// Run to salvage
        run: String,
    },
}

/// `tamis resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The run [default: the newest open one]
    pub run: Option<String>,
    /// Go on although these have changed since the run began
    #[arg(long, value_name = "models,prompts", value_delimiter = ',', value_parser = ["models", "prompts"])]
    pub accept_change: Vec<String>,
    /// Who answers from here on; accepts the change of models
    #[command(flatten)]
    pub agents: AgentArgs,
    /// How to carry it through.
    #[command(flatten)]
    pub carry: CarryArgs,
}

/// `tamis open`.
#[derive(Debug, Args)]
pub struct OpenArgs {
    /// A run, or a findings file
    #[arg(value_name = "RUN|FINDINGS")]
    pub what: String,
    /// Where to write [default: where the run wrote, or the file itself]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace a target that tamis did not write or that has changed, keeping it as NAME.bak
    #[arg(long)]
    pub overwrite: bool,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Language of the workbench [default: the findings']
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
    /// How the workbench looks.
    #[command(flatten)]
    pub look: LookArgs,
}

impl OpenArgs {
    /// The same as for any other run that is carried through.
    pub fn carry(&self) -> CarryArgs {
        CarryArgs {
            out: self.out.clone(),
            overwrite: self.overwrite,
            state_dir: self.state_dir.clone(),
            lang: self.lang.clone(),
            look: self.look.clone(),
            ..CarryArgs::default()
        }
    }
}

/// `tamis replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The run
    pub run: String,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Print events as JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// `tamis schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Which file
    #[arg(value_parser = ["findings"])]
    pub file: String,
    /// Recipe whose findings file is meant
    #[arg(long, value_name = "R", default_value = "refine-prd")]
    pub recipe: String,
}

/// `tamis config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to show
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// What to show of the settings.
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Print the settings in force as YAML; of a key, only whether it is set
    Show(Box<ConfigShowArgs>),
    /// Print the path of the file of settings
    Path,
}

/// `tamis config show`: the flags that change settings, to see what they come to.
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    /// Say of every value where it comes from
    #[arg(long)]
    pub origin: bool,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Who sits in every seat
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who looks for what was missed
    #[arg(long, value_name = "AGENT")]
    pub critic: Option<String>,
    /// Who says whether two findings are one
    #[arg(long, value_name = "AGENT|none")]
    pub arbiter: Option<String>,
    /// Tokens of a run at most
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<String>,
    /// Money of a run at most
    #[arg(long, value_name = "SUM", allow_hyphen_values = true)]
    pub max_cost: Option<String>,
    /// Minutes of a run at most
    #[arg(long, value_name = "N")]
    pub max_minutes: Option<String>,
    /// Theme of the workbench
    #[arg(long, value_name = "NAME|FILE")]
    pub theme: Option<String>,
    /// Language of findings
    #[arg(long, value_name = "L", value_parser = ["en", "vi", "zh"])]
    pub lang: Option<String>,
}

/// What the keeper is told.
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// What the program reads as its standard input [default: nothing]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// The program reads what this command reads
    #[arg(long, conflicts_with = "stdin")]
    pub relay: bool,
    /// The program with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What the sandbox is told.
#[derive(Debug, Args)]
pub struct SandboxArgs {
    /// What stays open, as JSON
    #[arg(long, value_name = "JSON")]
    pub walls: String,
    /// The level that must be in force [default: any]
    #[arg(long, value_name = "LEVEL")]
    pub least: Option<String>,
    /// The program with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Files that what is tried is tried on.
#[derive(Debug, Args)]
pub struct AttemptsArgs {
    /// A file outside of the walls
    pub outside: PathBuf,
    /// A file that may be read and not changed
    pub inside: PathBuf,
}

/// `tamis doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
    /// Ask each reviewer one tiny question, too: this sends your keys to their servers, begins the programs, and may cost
    #[arg(long)]
    pub probe: bool,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Who reviews, beside those in the settings
    #[command(flatten)]
    pub agents: AgentArgs,
    /// Whether the project's own file counts.
    #[command(flatten)]
    pub project: ProjectArgs,
}

/// `tamis trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// A project's file, or its folder [default: the .tamis.yaml around this folder]
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Trust it without asking, where this is its hash: for machines, with a hash that a person has looked at
    #[arg(long, value_name = "HASH", conflicts_with_all = ["list", "revoke"])]
    pub hash: Option<String>,
    /// List what is trusted
    #[arg(long, conflicts_with_all = ["revoke", "file"])]
    pub list: bool,
    /// Trust it no longer
    #[arg(long)]
    pub revoke: bool,
    /// Folder for runs [default: the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
}
