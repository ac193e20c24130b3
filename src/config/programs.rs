//! Programs that review: what they are called with, what they may touch, and how their answers are read.

use super::origin::Origin;
use crate::model::walls::Network;
use std::path::PathBuf;
use std::time::Duration;

/// Where a program finds its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Its standard input.
    Stdin,
    /// A file that its arguments name: `{prompt_file}`.
    File,
    /// Its arguments hold it whole: `{prompt}`. Only for programs that take it no other way.
    Argument,
}

/// How a program's output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The whole of it is the answer.
    Text,
    /// One object of `claude -p --output-format json`.
    Claude,
    /// Lines of `codex exec --json`.
    Codex,
    /// One object of `gemini -o json`.
    Gemini,
    /// Lines of `opencode run --format json`.
    Opencode,
    /// The Agent Client Protocol, over standard input and output.
    Acp,
}

impl Format {
    /// All, by their words in the settings.
    pub const ALL: [(&'static str, Format); 6] = [
        ("text", Format::Text),
        ("claude", Format::Claude),
        ("codex", Format::Codex),
        ("gemini", Format::Gemini),
        ("opencode", Format::Opencode),
        ("acp", Format::Acp),
    ];
}

/// A program that reviews.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The word on the command line: `command:claude`.
    pub name: String,
    /// The program and its arguments, never a line for a shell. `{prompt_file}`, `{prompt}`, `{schema_file}`, `{scratch}` and
    /// `{project}` are filled in.
    pub command: Vec<String>,
    /// How its output is read.
    pub format: Format,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Variables of ours that it gets, its key among them; all others it does not see.
    pub pass_env: Vec<String>,
    /// Files of the user's home that are copied into its private one before it begins, relative to both: its own login.
    pub home: Vec<PathBuf>,
    /// What it may read beside the project and the system.
    pub read: Vec<PathBuf>,
    /// Where it may connect to.
    pub network: Network,
    /// How long one answer may take.
    pub timeout: Duration,
    /// Programs at one time.
    pub concurrency: usize,
    /// Findings in one answer at most.
    pub max_findings: usize,
    /// Where it is described.
    pub origin: Origin,
}

impl Program {
    /// How long one answer may take where nobody says.
    pub const TIMEOUT: Duration = Duration::from_secs(900);
    /// Programs at one time where nobody says: each is a whole agent with its own memory.
    pub const CONCURRENCY: usize = 3;
    /// Findings in one answer where nobody says.
    pub const MAX_FINDINGS: usize = 40;

    /// A program of which nothing but its name and its command is said.
    pub fn new(name: String, command: Vec<String>, origin: Origin) -> Program {
        Program {
            name,
            command,
            format: Format::Text,
            env: Vec::new(),
            pass_env: Vec::new(),
            home: Vec::new(),
            read: Vec::new(),
            network: Network::None,
            timeout: Program::TIMEOUT,
            concurrency: Program::CONCURRENCY,
            max_findings: Program::MAX_FINDINGS,
            origin,
        }
    }

    /// Where it finds its prompt.
    pub fn delivery(&self) -> Delivery {
        let holds = |placeholder: &str| self.command.iter().any(|word| word.contains(placeholder));
        match (holds("{prompt_file}"), holds("{prompt}")) {
            (true, _) => Delivery::File,
            (false, true) => Delivery::Argument,
            (false, false) => Delivery::Stdin,
        }
    }
}
