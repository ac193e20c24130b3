//! A program behind the `Agent` port: it gets its prompt as a file or on its standard input, works within walls in a private
//! home, and what it prints is read as an answer.

pub mod acp;
pub mod child;
pub mod installed;
pub mod output;
pub mod tree;

use super::asked::{About, Said, Saying, Speaker, Unsaid, Voice};
use super::wire::as_text;
use crate::config::Variables;
use crate::config::programs::{Delivery, Format, Program};
use crate::model::answer::{FaultClass, Usage};
use crate::model::estimate::RESTS;
use crate::model::walls::{Level, Walls};
use crate::run::BoxFuture;
use acp::Talked;
use child::{Begin, Ended, Stdin, Stopped};
use installed::Installed;
use output::{Mute, Output, Spoken};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
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
        let desk = match Desk::lay(&self.place, &self.program, String::new(), "{}") {
            Ok(desk) => desk,
            Err(error) => return error.to_string(),
        };
        let program = self.program.command.first().map_or("", String::as_str);
        let installed = match installed::find(OsStr::new(program), self.variables.get("PATH").as_deref()) {
            Ok(installed) => installed,
            Err(why) => return why,
        };
        let (walls, env) = (self.walls(&desk, &installed), self.env(&desk));
        let begin = Begin {
            keeper: &self.place.keeper,
            command: &[installed.path.clone().into(), "--version".into()],
            stdin: Stdin::Nothing,
            env: &env,
            folder: &self.place.project,
            walls: (self.place.level > Level::None).then_some((&walls, self.place.level)),
            time: VERSION_TIME,
        };
        match child::run(&begin, &CancellationToken::new(), &mut |_| ()).await {
            Ok(ended) => {
                let said = String::from_utf8_lossy(&ended.stdout).into_owned();
                let line = said.lines().chain(ended.stderr.lines()).find(|line| !line.trim().is_empty());
                line.map_or_else(|| "it says nothing of its version".to_owned(), |line| line.trim().chars().take(80).collect())
            }
            Err(stopped) => stopped.what,
        }
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
        let (question, schema) = (as_text(&saying.call), saying.call.schema.to_string());
        let desk = Desk::lay(&self.place, &self.program, question, &schema)
            .map_err(|error| nothing(FaultClass::Failed, format!("its folder cannot be made: {error}")))?;
        let mut command: Vec<OsString> = self.program.command.iter().map(|word| desk.filled(word)).collect();
        let path = self.variables.get("PATH");
        let program = command.first().map_or(OsStr::new(""), OsString::as_os_str);
        let installed = installed::find(program, path.as_deref()).map_err(|why| nothing(FaultClass::Unavailable, why))?;
        if let Some(first) = command.first_mut() {
            *first = installed.path.clone().into();
        }
        let (walls, env) = (self.walls(&desk, &installed), self.env(&desk));
        let before = self.state().await;
        let begin = Begin {
            keeper: &self.place.keeper,
            command: &command,
            stdin: match self.program.delivery() {
                _ if self.program.format == Format::Acp => Stdin::Talk,
                Delivery::Stdin => Stdin::File(&desk.prompt),
                Delivery::File | Delivery::Argument => Stdin::Nothing,
            },
            env: &env,
            folder: &self.place.project,
            walls: (self.place.level > Level::None).then_some((&walls, self.place.level)),
            time: self.program.timeout,
        };
        let ended = self.spoken(&begin, &desk.text, saying).await;
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
    async fn spoken(&self, begin: &Begin<'_>, question: &str, saying: &Saying<'_>) -> Result<(Spoken, Option<Duration>), Mute> {
        let mute = |Stopped { class, what }: Stopped| Mute { class, what, usage: Usage::default() };
        let (cancel, mut heard) = (&saying.ask.cancel, |text: &str| saying.heard(text));
        if self.program.format == Format::Acp {
            let Talked { text, model, usage, started } = acp::talk(begin, question, cancel, &mut heard).await.map_err(mute)?;
            return Ok((Spoken { text, model, usage }, started));
        }
        let Ended { stdout, stderr, code, started } = child::run(begin, cancel, &mut heard).await.map_err(mute)?;
        let stdout = String::from_utf8_lossy(&stdout);
        let spoken = output::read(self.program.format, &Output { stdout: &stdout, stderr: &stderr, code })?;
        saying.heard(&spoken.text);
        Ok((spoken, started))
    }

    /// The project, the system and its own installation to read, its own folder to write, and nothing else.
    fn walls(&self, desk: &Desk, installed: &Installed) -> Walls {
        let there = |path: &PathBuf| path.exists();
        let mut read: Vec<PathBuf> = SYSTEM.into_iter().map(PathBuf::from).filter(there).collect();
        read.push(self.place.project.clone());
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

/// How private folders of a process are called.
fn desk_prefix(process: u32) -> String {
    format!("program-{process}-")
}

/// Removes private folders of processes that were killed: they hold questions, and so the document.
fn sweep(scratch: &Path) {
    for entry in fs::read_dir(scratch).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("program-")?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            // What cannot be removed now is tried again the next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A private folder for one answer: home, scratch, prompt and schema. It is removed when the answer is there.
struct Desk {
    folder: tempfile::TempDir,
    home: PathBuf,
    tmp: PathBuf,
    prompt: PathBuf,
    schema: PathBuf,
    text: String,
    project: PathBuf,
}

impl Desk {
    fn lay(place: &Place, program: &Program, text: String, schema: &str) -> io::Result<Desk> {
        DirBuilder::new().recursive(true).mode(0o700).create(&place.scratch)?;
        let folder = tempfile::Builder::new().prefix(&desk_prefix(std::process::id())).tempdir_in(&place.scratch)?;
        // Walls are put around real paths.
        let real = folder.path().canonicalize()?;
        let desk = Desk {
            folder,
            home: real.join("home"),
            tmp: real.join("tmp"),
            prompt: real.join("prompt.md"),
            schema: real.join("schema.json"),
            text,
            project: place.project.clone(),
        };
        for made in [&desk.home, &desk.tmp] {
            DirBuilder::new().mode(0o700).create(made)?;
        }
        fs::write(&desk.prompt, &desk.text)?;
        fs::write(&desk.schema, schema)?;
        for file in &program.home {
            if let Some(from) = place.home.as_ref().map(|home| home.join(file)).filter(|from| from.is_file()) {
                copy(&from, &desk.home.join(file))?;
            }
        }
        Ok(desk)
    }

    /// A word of the command with its places filled in: no shell ever reads it.
    fn filled(&self, word: &str) -> OsString {
        let path = |path: &Path| path.display().to_string();
        let filled = |part: &str| {
            part.replace("{prompt_file}", &path(&self.prompt))
                .replace("{schema_file}", &path(&self.schema))
                .replace("{scratch}", &path(&self.tmp))
                .replace("{project}", &path(&self.project))
        };
        // Around the prompt, never in it: what a document says of places stays as it is.
        word.split("{prompt}").map(filled).collect::<Vec<_>>().join(&self.text).into()
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::copy(from, to).map(|_| ())
}
