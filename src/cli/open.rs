//! `open`: a run or a findings file at the workbench: carried on, at rest until somebody decides, or only shown.

use super::args::{CarryArgs, OpenArgs, ProjectArgs};
use super::engine::looked_at;
use super::known::{self, Known, REVISE};
use super::session::{self, Exit, absolute, command_line};
use super::target::{Meta, TargetFiles, written_hash};
use super::unborn::{self, Unborn};
use super::watch::{Herald, Watcher};
use super::workbench::{self, Behind, Carried, Seat, Window, channels, language};
use super::{onlooker, out, revision};
use crate::config::{Flags, Folders};
use crate::document::{self, Document};
use crate::journal::{self, Follower, Journal, Lock, Read, RunFolder};
use crate::model::event::{Event, Header};
use crate::model::fault::{Fault, FaultKind};
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::shown::Shown;
use crate::text::{Catalogue, Value};
use crate::tui::port::{Access, Ended, Input};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `tamis open RUN|FINDINGS`.
///
/// # Errors
/// No terminal, nothing of that name, a journal or file that cannot be read, and whatever keeps decisions from being
/// written.
pub fn open(args: &OpenArgs) -> Result<Exit, Fault> {
    let folders = Folders::find(args.state_dir.as_deref())?;
    let carry = args.carry();
    let seat = Seat::find(&args.look, &folders)?.map_err(|none| {
        let without = "without one, `tamis replay RUN` prints a run and `tamis resume RUN --headless --decisions FILE` decides";
        Fault::usage(format!("open needs a terminal: {none}; {without}"), "")
    })?;
    let place = Place { folders: &folders, carry: &carry };
    let path = Path::new(&args.what);
    if path.is_file() {
        return place.open_file(path, seat);
    }
    let folder = RunFolder::find(&folders.state, &RunId::from(args.what.as_str())).map_err(|fault| {
        let what = format!("there is no findings file {} and no such run", args.what);
        Fault { what, hint: "`tamis runs` lists the runs there are".to_owned(), ..fault }
    })?;
    place.open_run(folder, seat, None)
}

/// Shows a run that another process carries, until the person leaves.
///
/// # Errors
/// The journal cannot be read, or the terminal cannot be used.
pub(super) fn watch(run: &RunId, seat: Seat, folders: &Folders, carry: &CarryArgs) -> Result<(), Fault> {
    let folder = RunFolder::find(&folders.state, run)?;
    Place { folders, carry }.watch(folder, seat).map(drop)
}

/// Where runs live, and what the command line asks for.
struct Place<'a> {
    folders: &'a Folders,
    carry: &'a CarryArgs,
}

impl Place<'_> {
    fn command(&self, what: &str) -> String {
        command_line("open", what, self.carry.state_dir.as_deref())
    }

    /// What the settings take from the command line.
    fn flags(&self) -> Flags<'_> {
        self.carry.flags(Flags::default())
    }

    /// A run: carried on where it is not finished, at rest where it is, only shown where it cannot be changed here.
    fn open_run(&self, folder: RunFolder, seat: Seat, notice: Option<&str>) -> Result<Exit, Fault> {
        let Read { header, events, .. } = Journal::read(&folder.journal())?;
        if Lock::is_held(&folder) {
            return self.watch(folder, seat);
        }
        let known = match journal::refuse_unknown(&events)
            .and_then(|()| known::known(&folder, header.clone(), &events, self.folders, &self.flags(), ProjectArgs::default()))
        {
            Ok(known) => Arc::new(known),
            Err(fault) => return self.only_show(&folder, &header, events, &fault, seat),
        };
        known.refuse_writing_over_inputs(self.carry)?;
        let words = Catalogue::new(language(&known, self.carry));
        if !journal::fold(&events).finished {
            let notice = words.say(notice.unwrap_or("open-goes-on"), &[]);
            return self.go_on(folder, seat, notice);
        }
        let files = self.files(&known, &events)?;
        let (outcome, ended) = looked_at(&known, &files, &events, words.lang())?;
        let ended = ended.unwrap_or_else(|| ended_by_record(&events));
        let carried = Carried {
            command: self.command(folder.run().as_str()),
            folder: folder.path().to_owned(),
            notices: at_rest(&known, &words),
            session: None,
            unborn: None,
            rest: Some(Some(ended)),
            known,
            events,
            outcome,
        };
        workbench::sit(carried, self.carry, seat, self.folders, None)
    }

    fn go_on(&self, folder: RunFolder, seat: Seat, notice: String) -> Result<Exit, Fault> {
        let session = match session::take_up(folder.run(), self.folders, &self.flags(), ProjectArgs::default(), &[]) {
            // Somebody else was quicker.
            Err(fault) if fault.kind == FaultKind::Locked => return self.watch(folder, seat),
            session => session?,
        };
        let carried = Carried {
            known: Arc::clone(&session.known),
            events: session.events.clone(),
            folder: session.folder.path().to_owned(),
            command: session::resume_line(folder.run().as_str(), self.carry.state_dir.as_deref()),
            notices: vec![notice],
            session: Some(session),
            unborn: None,
            outcome: None,
            rest: None,
        };
        workbench::sit(carried, self.carry, seat, self.folders, None)
    }

    fn files(&self, known: &Known, events: &[Event]) -> Result<TargetFiles, Fault> {
        Ok(TargetFiles::new(known::target_path(known, self.carry)?, self.carry.overwrite, Meta::of(known, events)))
    }

    /// A findings file: the run that wrote it or decides on it, where there is one; else the file itself.
    fn open_file(&self, path: &Path, seat: Seat) -> Result<Exit, Fault> {
        let given = path.display().to_string();
        let path = absolute(path)?;
        let text = revision::read_text(&path)?;
        let hash = revision::hash_of(&text);
        let revision::Read { revision, refusal } = revision::read(&text, &path, self.folders)?;
        if let Some(folder) = self.run_of(&path, &hash, &revision.file.run.id)
            && self.can_be_carried(&folder)
        {
            return self.open_run(folder, seat, Some("open-kept-decisions"));
        }
        let known = Arc::new(unborn::known(&path, &given, &text, revision));
        known.refuse_writing_over_inputs(self.carry)?;
        let files = self.files(&known, &[])?;
        let seen = workbench::runtime()?.block_on(onlooker::before_it_begins(&known, &files))?;
        let words = Catalogue::new(language(&known, self.carry));
        if let Some(refusal) = refusal {
            let (document, file) = (Arc::clone(known.work.document()), known.file());
            let shown = OnlyShown { document, file, given, lang: words.lang(), events: seen.events, ended: None };
            let notices = known.work.notices().iter().cloned();
            return self.show_only(shown, &refusal, notices.collect(), None, seat);
        }
        let shown = seen.events.iter().map(|event| (event.kind.clone(), event.key.clone())).collect();
        let carried = Carried {
            command: self.command(&given),
            // Nothing of the run is on the disk yet, and copies into files are to be found again.
            folder: path.parent().map(Path::to_owned).unwrap_or_default(),
            notices: at_rest(&known, &words),
            session: None,
            unborn: Some(Unborn { known: Arc::clone(&known), text, shown }),
            rest: Some(None),
            known,
            events: seen.events,
            outcome: seen.outcome,
        };
        workbench::sit(carried, self.carry, seat, self.folders, None)
    }

    /// The run that last wrote a file of this hash, or that decides on it: the one that the file names, or a revision of
    /// it. A run that cannot be read is none.
    fn run_of(&self, path: &Path, hash: &str, named: &RunId) -> Option<RunFolder> {
        let document = path.display().to_string();
        let revises = |header: &Header| header.pipeline == REVISE && header.document == document;
        let headers = journal::headers(&self.folders.state).ok()?;
        let revisions = headers.into_iter().filter(|(_, header)| revises(header)).map(|(folder, _)| folder);
        let named = RunFolder::find(&self.folders.state, named).ok();
        revisions.chain(named).find(|folder| {
            let Ok(read) = Journal::read(&folder.journal()) else { return false };
            match written_hash(&read.events) {
                Some(written) => written == hash,
                None => revises(&read.header) && read.header.document_hash == hash,
            }
        })
    }

    /// Whether a run is carried somewhere, or can be carried here: where its document has changed, the file that it wrote
    /// can still be decided on.
    fn can_be_carried(&self, folder: &RunFolder) -> bool {
        let read = || Journal::read(&folder.journal()).ok();
        let fits = |read: Read| {
            known::known(folder, read.header, &read.events, self.folders, &self.flags(), ProjectArgs::default()).is_ok()
        };
        Lock::is_held(folder) || read().is_some_and(fits)
    }

    /// A run that another process carries.
    fn watch(&self, folder: RunFolder, seat: Seat) -> Result<Exit, Fault> {
        let (follower, Read { header, events, .. }) = Follower::begin(&folder)?;
        let holder = Lock::holder(&folder).unwrap_or_else(|| "another process".to_owned());
        let lang = self.language(&header);
        let words = Catalogue::new(lang);
        let say = |id: &str, name: &str, value: &str| words.say(id, &[(name, Value::from(value))]);
        let known = known::known(&folder, header.clone(), &events, self.folders, &self.flags(), ProjectArgs::default())
            .ok()
            .map(Arc::new);
        let files = known.as_ref().map(|known| self.files(known, &events)).transpose()?;
        let known = known.zip(files);
        let (document, file) = saved_document(&folder, &header, known.as_ref().map(|(known, _)| &**known));
        let (front, Behind { inputs, wishes, live }) = channels();
        let notice = say("open-held", "holder", &holder);
        let _ = inputs.send(Input::Notice(notice.clone()));
        let herald = Herald {
            folder: folder.clone(),
            known: known.clone(),
            lang,
            command: session::resume_line(folder.run().as_str(), self.carry.state_dir.as_deref()),
            inputs: inputs.clone(),
            live,
        };
        herald.follow(follower, &events)?;
        let window = Window {
            document,
            file,
            given: header.document_given,
            lang,
            events,
            access: Access::ReadOnly(notice.clone()),
            step: false,
            folder: folder.path().to_owned(),
            rest: None,
        };
        let command = self.command(folder.run().as_str());
        let watcher = Watcher { folder: Some(folder), known, why: notice, inputs, wishes };
        self.look_on(window, front, watcher, seat, &command)
    }

    fn look_on(
        &self,
        window: Window,
        front: workbench::Front,
        watcher: Watcher,
        seat: Seat,
        command: &str,
    ) -> Result<Exit, Fault> {
        let thread = std::thread::Builder::new().name("watcher".to_owned()).spawn(move || watcher.serve());
        let thread = thread.map_err(|error| Fault::io("a thread", error, "free some memory and try again"))?;
        let shown = workbench::show(window, front, seat);
        let ended_by = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        shown?;
        out::notice(&format!("this window was read-only: nothing was changed. Open it again with: {command}"));
        Ok(ended_by.unwrap_or(0))
    }

    /// A run whose document, recipe or context is not what it was: its own copy of the document is shown.
    fn only_show(&self, folder: &RunFolder, header: &Header, events: Vec<Event>, why: &Fault, seat: Seat) -> Result<Exit, Fault> {
        let (document, file) = saved_document(folder, header, None);
        let shown = OnlyShown {
            document,
            file,
            given: header.document_given.clone(),
            lang: self.language(header),
            // Also where it is not finished: nothing of it runs.
            ended: Some(ended_by_record(&events)),
            events,
        };
        self.show_only(shown, why, Vec::new(), Some(folder), seat)
    }

    fn show_only(
        &self,
        shown: OnlyShown,
        why: &Fault,
        notices: Vec<String>,
        folder: Option<&RunFolder>,
        seat: Seat,
    ) -> Result<Exit, Fault> {
        let words = Catalogue::new(shown.lang);
        let plain = |text: &str| Shown::line(text).to_string();
        let said = [("why", plain(&why.what).into()), ("hint", plain(&why.hint).into())];
        let why = words.say("open-cannot-change", &said);
        let (front, Behind { inputs, wishes, .. }) = channels();
        for notice in notices.into_iter().chain([why.clone()]) {
            let _ = inputs.send(Input::Notice(notice));
        }
        let command = self.command(folder.map_or(shown.given.as_str(), |folder| folder.run().as_str()));
        let window = Window {
            document: shown.document,
            folder: folder.map_or_else(|| self.folders.state.clone(), |folder| folder.path().to_owned()),
            file: shown.file,
            given: shown.given,
            lang: shown.lang,
            events: shown.events,
            access: Access::ReadOnly(why.clone()),
            step: false,
            rest: Some(shown.ended),
        };
        let watcher = Watcher { folder: folder.cloned(), known: None, why, inputs, wishes };
        self.look_on(window, front, watcher, seat, &command)
    }

    fn language(&self, header: &Header) -> Lang {
        let recorded = header.options.get("lang").and_then(|lang| lang.as_str());
        self.carry.lang.as_deref().or(recorded).and_then(Lang::from_code).unwrap_or_default()
    }
}

/// Says that nothing is under way, unless something else is to be known first.
fn at_rest(known: &Known, words: &Catalogue) -> Vec<String> {
    if known.work.notices().is_empty() { vec![words.say("open-rests", &[])] } else { Vec::new() }
}

/// What is shown where nothing can be changed.
struct OnlyShown {
    document: Arc<Document>,
    file: PathBuf,
    given: String,
    lang: Lang,
    events: Vec<Event>,
    ended: Option<Ended>,
}

/// The document as it was when the run began; for a revision, whose copy is the findings file, the one it is about.
fn saved_document(folder: &RunFolder, header: &Header, known: Option<&Known>) -> (Arc<Document>, PathBuf) {
    match known {
        Some(known) => (Arc::clone(known.work.document()), known.file()),
        None if header.pipeline == REVISE => (Arc::new(Document::parse(String::new())), PathBuf::from(&header.document)),
        None => {
            let saved = folder.document();
            let document = document::read(&saved).unwrap_or_else(|_| Document::parse(String::new()));
            (Arc::new(document), saved)
        }
    }
}

/// The end of a run as its records tell it, where they cannot be gone over again.
fn ended_by_record(events: &[Event]) -> Ended {
    let written = journal::fold(events).written;
    Ended { summary: written.iter().map(|path| Shown::line(path).to_string()).collect(), written, fault: None }
}
