//! Behind a window that only shows a run: its journal is followed while another process writes it.

use super::known::Known;
use super::onlooker;
use super::session::Exit;
use super::target::TargetFiles;
use super::workbench::{Signals, runtime};
use crate::journal::{self, Follower, Journal, Lock, News, RunFolder, RunState};
use crate::model::event::{Event, Kind};
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use crate::run::LiveFiles;
use crate::text::Catalogue;
use crate::tui::live::Live;
use crate::tui::port::{Ended, Input, Wish};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

/// Bytes of one side file that are taken at once; a whole one has fewer.
const CHUNK: u64 = 1024 * 1024;

/// Who answers a window that may not change anything.
pub(super) struct Watcher {
    /// The run, where there is one.
    pub folder: Option<RunFolder>,
    /// What it is about and what it writes, where its inputs are as they were.
    pub known: Option<(Arc<Known>, TargetFiles)>,
    /// Why nothing can be changed here.
    pub why: String,
    /// To the screen.
    pub inputs: UnboundedSender<Input>,
    /// From the screen.
    pub wishes: UnboundedReceiver<Wish>,
}

impl Watcher {
    /// Answers until the person leaves; returns the signal that ended the process, if one did.
    pub fn serve(mut self) -> Result<Option<Exit>, Fault> {
        runtime()?.block_on(async {
            let mut signals = Signals::new(self.inputs.clone());
            let mut ended_by = None;
            loop {
                tokio::select! {
                    wish = self.wishes.recv() => match wish {
                        Some(wish) => self.take(wish).await,
                        None => return Ok(ended_by),
                    },
                    exit = signals.next(), if ended_by.is_none() => ended_by = Some(exit),
                }
            }
        })
    }

    async fn take(&self, wish: Wish) {
        let answer = match wish {
            Wish::Output { step, attempt } => {
                let live = self.folder.as_ref().map(|folder| folder.path().join("live"));
                let text = live.map(|live| LiveFiles::read(&live, &step, attempt)).unwrap_or_default();
                Input::Output { step, text }
            }
            Wish::Prompt { step, attempt } => {
                let live = self.folder.as_ref().map(|folder| folder.path().join("live"));
                let text = live.map(|live| LiveFiles::read_prompt(&live, &step, attempt)).unwrap_or_default();
                Input::Prompt { step, text }
            }
            Wish::Record(op) => Input::Unsaved { op: Box::new(op), why: format!("not saved: {}", self.why) },
            Wish::Preview => match self.preview().await {
                Some(preview) => Input::Preview(preview),
                None => return,
            },
            _ => return,
        };
        let _ = self.inputs.send(answer);
    }

    /// What would be written now, as far as that can be told from here.
    async fn preview(&self) -> Option<crate::tui::port::Preview> {
        let (known, files) = self.known.as_ref()?;
        let events = Journal::read(&self.folder.as_ref()?.journal()).ok()?.events;
        let seen = onlooker::look(known, files, events).await;
        Some(files.preview(&*seen.outcome?))
    }
}

/// Tells the screen what another process records, and when that process has ended.
pub(super) struct Herald {
    /// The run.
    pub folder: RunFolder,
    /// What it is about and what it writes, where its inputs are as they were.
    pub known: Option<(Arc<Known>, TargetFiles)>,
    /// Language of the window.
    pub lang: Lang,
    /// The command that takes the run over.
    pub command: String,
    /// To the screen.
    pub inputs: UnboundedSender<Input>,
    /// Live text, to the screen.
    pub live: Arc<Live>,
}

impl Herald {
    /// Follows the run on threads of its own, which end with the process.
    ///
    /// # Errors
    /// No thread is to be had.
    pub fn follow(self, follower: Follower, events: &[Event]) -> Result<(), Fault> {
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
            thread.map(drop).map_err(|error| Fault::io("a thread", error, "free some memory and try again"))
        };
        let (folder, inputs) = (self.folder.clone(), self.inputs.clone());
        let gone = Catalogue::new(self.lang).say("open-holder-gone", &[("command", self.command.as_str().into())]);
        spawn(
            "holder",
            Box::new(move || {
                if Lock::wait_until_free(&folder).is_err() {
                    return;
                }
                // What was running runs no more, which no record says.
                let news = match journal::summary(&folder).state {
                    RunState::Finished => Input::Notice(gone),
                    _ => Input::Ended(Ended { summary: Vec::new(), written: None, fault: Some((gone, String::new())) }),
                };
                let _ = inputs.send(news);
            }),
        )?;
        let mut texts = Texts::new(self.folder.path().join("live"));
        events.iter().for_each(|event| texts.heed(event));
        texts.read_all(&self.live);
        spawn("follower", Box::new(move || self.tell(follower, texts)))
    }

    fn tell(self, mut follower: Follower, mut texts: Texts) {
        loop {
            let News { events, live } = match follower.wait() {
                Ok(news) => news,
                Err(fault) => {
                    let _ = self.inputs.send(Input::Notice(format!("{}; {}", fault.what, fault.hint)));
                    return;
                }
            };
            let finished = events.iter().any(|event| event.kind == Kind::RunFinished);
            for event in events {
                texts.heed(&event);
                if self.inputs.send(Input::Event(Box::new(event))).is_err() {
                    return;
                }
            }
            live.iter().for_each(|name| texts.read(name, &self.live));
            if finished && let Some(ended) = self.end() {
                let _ = self.inputs.send(Input::Ended(ended));
            }
        }
    }

    fn end(&self) -> Option<Ended> {
        let (known, files) = self.known.as_ref()?;
        let events = Journal::read(&self.folder.journal()).ok()?.events;
        super::engine::looked_at(known, files, &events, self.lang).ok()?.1
    }
}

/// What agents say, read from the side files as they grow.
struct Texts {
    folder: PathBuf,
    /// Step, attempt and bytes read, by file name.
    known: HashMap<String, (String, u32, u64)>,
}

impl Texts {
    fn new(folder: PathBuf) -> Texts {
        Texts { folder, known: HashMap::new() }
    }

    /// Learns the names of side files of attempts that run.
    fn heed(&mut self, event: &Event) {
        let name = || LiveFiles::name(&event.key, event.attempt);
        match event.kind {
            Kind::StepStarted => drop(self.known.insert(name(), (event.key.clone(), event.attempt, 0))),
            Kind::StepDone | Kind::AttemptFailed => drop(self.known.remove(&name())),
            _ => {}
        }
    }

    fn read_all(&mut self, live: &Live) {
        let names: Vec<String> = self.known.keys().cloned().collect();
        names.iter().for_each(|name| self.read(name, live));
    }

    /// Hands over what a side file has grown by, up to its last whole character. Live text is worth no fault.
    fn read(&mut self, name: &str, live: &Live) {
        let Some((step, attempt, from)) = self.known.get_mut(name) else { return };
        let Ok(mut file) = File::open(self.folder.join(name)) else { return };
        let mut bytes = Vec::new();
        if file.seek(SeekFrom::Start(*from)).and_then(|_| file.take(CHUNK).read_to_end(&mut bytes)).is_err() {
            return;
        }
        let whole = match std::str::from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => bytes.len(),
        };
        *from += whole as u64;
        live.push(step, *attempt, &String::from_utf8_lossy(&bytes[..whole]));
    }
}
