//! A program behind the `Agent` port: it gets its prompt as a file or on its standard input, works within walls in a private
//! home, and what it prints is read as an answer.

pub mod acp;
pub mod child;
mod desk;
pub mod installed;
pub mod output;
pub mod tree;

use super::asked::{About, Said, Saying, Speaker, Unsaid, Voice};
use super::wire::as_text;
use crate::config::Variables;
use crate::config::programs::{Delivery, Format, Program};
use crate::config::secrets::{Redactor, Streamed};
use crate::model::answer::{FaultClass, Usage};
use crate::model::estimate::RESTS;
use crate::model::walls::{Level, Walls};
use crate::run::BoxFuture;
use acp::Talked;
use child::{Begin, Ended, Stdin, Stopped};
use desk::{Desk, sweep};
use installed::Installed;
use output::{Mute, Output, Spoken};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tree::{State, Tree};

/// What every program may read: the system's own files and facts, and itself. Not the user's home, not other processes.
const SYSTEM: [&str; 19] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/etc",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    // Seen by whoever puts the walls up, who is the program a moment later: its own, and nobody else's.
    "/proc/self",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/stat",
    "/proc/version",
    "/proc/sys",
];
/// Of these, what this system has.
pub fn system() -> impl Iterator<Item = PathBuf> {
    SYSTEM.into_iter().map(PathBuf::from).filter(|path| path.exists())
}

/// What every program may write to.
const SINKS: [&str; 2] = ["/dev/null", "/dev/tty"];
/// Variables that every program gets: without them hardly any works, and none of them is a secret.
const PLAIN: [&str; 8] = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR"];
/// Tokens of an answer that its estimate counts on.
pub const MAX_OUTPUT: u32 = 16_000;
/// Characters of one text in an answer at most.
const MAX_TEXT: usize = 2_000;

/// How long a program may take to say its version.
const VERSION_TIME: Duration = Duration::from_secs(30);

/// Where a program works.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder that it may read and begins in.
    pub project: PathBuf,
    /// The user's own home, from which its login is copied.
    pub home: Option<PathBuf>,
    /// Where its private homes are made.
    pub scratch: PathBuf,
    /// The binary that keeps it and walls it in.
    pub keeper: PathBuf,
    /// The level that its walls have here; [`Level::None`] puts none up.
    pub level: Level,
    /// Files of the project that change for other reasons: the document under review, and what tamis itself writes.
    pub own: Vec<PathBuf>,
}

/// What a program is begun with, for one answer.
struct Begun {
    desk: Desk,
    installed: Installed,
    walls: Walls,
    env: Vec<(OsString, OsString)>,
}

/// A program that is asked.
pub struct Reviewer {
    program: Program,
    place: Place,
    variables: Variables,
    turns: Semaphore,
    /// The project's files, where the walls do not hold everything.
    tree: Option<Arc<Tree>>,
}

impl Reviewer {
    /// A program that works there, with the variables of this environment that it is to have.
    pub fn new(program: Program, place: Place, variables: Variables) -> Reviewer {
        let turns = Semaphore::new(program.concurrency.max(1));
        sweep(&place.scratch);
        let tree = (place.level < Level::Full).then(|| Arc::new(Tree::of(&place.project, &place.own)));
        Reviewer { program, place, variables, turns, tree }
    }

    /// What it says of its version, asked the way most programs take it, within the same walls; what it says otherwise, or why
    /// it says nothing, in words.
    pub async fn version(&self) -> String {
        let begun = match self.lay(String::new(), "{}") {
            Ok(begun) => begun,
            Err(Stopped { what, .. }) => return what,
        };
        let command = [begun.installed.path.clone().into(), "--version".into()];
        let begin = self.begin(&begun, &command, Stdin::Nothing, VERSION_TIME);
        let said = match child::run(&begin, &CancellationToken::new(), &mut |_| ()).await {
            Ok(ended) => {
                let said = String::from_utf8_lossy(&ended.stdout).into_owned();
                let line = said.lines().chain(ended.stderr.lines()).find(|line| !line.trim().is_empty());
                line.map_or_else(|| "it says nothing of its version".to_owned(), |line| line.trim().chars().take(80).collect())
            }
            Err(stopped) => stopped.what,
        };
        self.redactor(&begun.desk).redact_cut(&said)
    }

    /// Everything that a program is begun with.
    fn lay(&self, text: String, schema: &str) -> Result<Begun, Stopped> {
        let desk = Desk::lay(&self.place, &self.program, text, schema)
            .map_err(|error| Stopped { class: FaultClass::Failed, what: format!("its folder cannot be made: {error}") })?;
        let program = self.program.command.first().map_or("", String::as_str);
        let installed = installed::find(OsStr::new(program), self.variables.get("PATH").as_deref())
            .map_err(|what| Stopped { class: FaultClass::Unavailable, what })?;
        let (walls, env) = (self.walls(&desk, &installed), self.env(&desk));
        Ok(Begun { desk, installed, walls, env })
    }

    fn begin<'a>(&'a self, begun: &'a Begun, command: &'a [OsString], stdin: Stdin<'a>, time: Duration) -> Begin<'a> {
        Begin {
            keeper: &self.place.keeper,
            command,
            stdin,
            env: &begun.env,
            folder: &self.place.project,
            walls: (self.place.level > Level::None).then_some((&begun.walls, self.place.level)),
            time,
        }
    }

    /// Knows the secrets that the program has: what it says of them reaches neither a record nor an error.
    fn redactor(&self, desk: &Desk) -> Redactor {
        let passed: Vec<_> = self.program.pass_env.iter().filter_map(|name| self.variables.secret(name)).collect();
        Redactor::new(passed.iter().chain(&desk.secrets))
    }

    /// How the project's files stand, where that is looked at.
    async fn state(&self) -> Option<State> {
        let tree = Arc::clone(self.tree.as_ref()?);
        tokio::task::spawn_blocking(move || tree.state()).await.ok()
    }

    /// Whatever changed in the project since then, in words.
    async fn changed_since(&self, before: Option<State>) -> Option<String> {
        let (before, tree) = (before?, self.tree.as_ref()?);
        let changed = tree.changes(&before, &self.state().await?);
        let named: Vec<String> = changed.iter().take(3).map(|path| path.display().to_string()).collect();
        let more = if changed.len() > 3 { format!(" and {} more", changed.len() - 3) } else { String::new() };
        (!changed.is_empty()).then(|| format!("files of the project changed while it answered: {}{more}", named.join(", ")))
    }

    async fn answer(&self, saying: &Saying<'_>) -> Result<Said, Unsaid> {
        let nothing =
            |class, what: String| Unsaid { class, what, usage: Usage::default(), may_be_charged: false, calls: 0, retries: 0 };
        let stopped = || nothing(FaultClass::Cancelled, "cancelled by a person".to_owned());
        let turn = tokio::select! {
            biased;
            () = saying.ask.cancel.cancelled() => return Err(stopped()),
            turn = self.turns.acquire() => turn.map_err(|_| stopped())?,
        };
        let begun = self.lay(as_text(&saying.call), &saying.call.schema.to_string());
        let begun = begun.map_err(|Stopped { class, what }| nothing(class, what))?;
        let mut command: Vec<OsString> = self.program.command.iter().map(|word| begun.desk.filled(word)).collect();
        if let Some(first) = command.first_mut() {
            *first = begun.installed.path.clone().into();
        }
        let stdin = match self.program.delivery() {
            _ if self.program.format == Format::Acp => Stdin::Talk,
            Delivery::Stdin => Stdin::File(&begun.desk.prompt),
            Delivery::File | Delivery::Argument => Stdin::Nothing,
        };
        let before = self.state().await;
        let begin = self.begin(&begun, &command, stdin, self.program.timeout);
        let redactor = self.redactor(&begun.desk);
        let ended = self.spoken(&begin, &begun.desk.text, &redactor, saying).await;
        drop(turn);
        // Also of an answer that is none: what changed is said before anything else.
        if let Some(what) = self.changed_since(before).await {
            return Err(Unsaid { may_be_charged: true, calls: 1, ..nothing(FaultClass::Tampered, what) });
        }
        match ended {
            Ok((Spoken { text, model, usage }, started)) => {
                let by = Speaker {
                    asked: self.program.name.clone(),
                    answered: model,
                    shape: "prompt".to_owned(),
                    walls: Some(self.place.level),
                    started_ms: started.and_then(|time| u64::try_from(time.as_millis()).ok()),
                    ..Speaker::default()
                };
                Ok(Said { text, usage, calls: 1, by, ..Said::default() })
            }
            Err(Mute { class, what, usage }) => {
                let may_be_charged = !matches!(class, FaultClass::Denied | FaultClass::Unavailable);
                Err(Unsaid { usage, may_be_charged, calls: 1, ..nothing(class, what) })
            }
        }
    }

    /// What the program says, and how long it took to say anything: in a conversation, or as its output.
    async fn spoken(
        &self,
        begin: &Begin<'_>,
        question: &str,
        redactor: &Redactor,
        saying: &Saying<'_>,
    ) -> Result<(Spoken, Option<Duration>), Mute> {
        let mute = |Stopped { class, what }: Stopped| Mute { class, what, usage: Usage::default() };
        let mut pieces = Streamed::new(redactor);
        let show = |bytes: &[u8]| {
            if !bytes.is_empty() {
                saying.heard(&String::from_utf8_lossy(bytes));
            }
        };
        let said = {
            let (cancel, mut heard) = (&saying.ask.cancel, |text: &str| show(&pieces.push(text.as_bytes())));
            match self.program.format {
                Format::Acp => acp::talk(begin, question, cancel, &mut heard)
                    .await
                    .map_err(mute)
                    .map(|Talked { text, model, usage, started }| (Spoken { text, model, usage }, started)),
                format => match child::run(begin, cancel, &mut heard).await {
                    Ok(Ended { stdout, stderr, code, started }) => {
                        let stdout = String::from_utf8_lossy(&stdout);
                        let spoken = output::read(format, &Output { stdout: &stdout, stderr: &stderr, code });
                        spoken.inspect(|spoken| heard(&spoken.text)).map(|spoken| (spoken, started))
                    }
                    Err(stopped) => Err(mute(stopped)),
                },
            }
        };
        show(&pieces.end());
        // A text may quote what merely looks like a key; an error is nobody's quote.
        let known = redactor.clone().of_values();
        said.map(|(spoken, started)| {
            let (text, model) = (known.redact(&spoken.text).into_owned(), known.redact(&spoken.model).into_owned());
            (Spoken { text, model, ..spoken }, started)
        })
        .map_err(|mute| Mute { what: redactor.redact_cut(&mute.what), ..mute })
    }

    /// The project, the system and its own installation to read, its own folder to write, and nothing else.
    fn walls(&self, desk: &Desk, installed: &Installed) -> Walls {
        let there = |path: &PathBuf| path.exists();
        let mut read: Vec<PathBuf> = system().chain([self.place.project.clone()]).collect();
        read.extend(self.program.read.iter().chain(&installed.reads).filter(|path| there(path)).cloned());
        let mut write: Vec<PathBuf> = SINKS.into_iter().map(PathBuf::from).filter(there).collect();
        write.push(desk.folder.path().to_owned());
        Walls { read, write, network: self.program.network.clone() }
    }

    fn env(&self, desk: &Desk) -> Vec<(OsString, OsString)> {
        let passed = PLAIN.into_iter().chain(self.program.pass_env.iter().map(String::as_str));
        let passed = passed.filter_map(|name| {
            let value = self.variables.get(name)?;
            Some((name.into(), if name == "PATH" { installed::whole_path(&value) } else { value.into() }))
        });
        let own: [(OsString, OsString); 3] = [
            ("HOME".into(), desk.home.clone().into()),
            ("TMPDIR".into(), desk.tmp.clone().into()),
            ("NO_COLOR".into(), "1".into()),
        ];
        let set = self.program.env.iter().map(|(name, value)| (OsString::from(name), desk.filled(value)));
        passed.chain(own).chain(set).collect()
    }
}

impl Voice for Reviewer {
    fn about(&self) -> About<'_> {
        About {
            name: &self.program.name,
            max_output: MAX_OUTPUT,
            max_findings: self.program.max_findings,
            max_text: MAX_TEXT,
            prices: None,
            rests: RESTS,
            by_hand: false,
        }
    }

    fn say<'a>(&'a self, saying: Saying<'a>) -> BoxFuture<'a, Result<Said, Unsaid>> {
        Box::pin(async move { self.answer(&saying).await })
    }
}
