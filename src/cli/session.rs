//! A run from the command line: begun or taken up again, carried through without a screen, and what it ended with.

use super::args::{CarryArgs, PlanArgs, ResumeArgs, ReviewArgs};
use super::events::EventSink;
use super::human::HeadlessHuman;
use super::inputs::{self, Inputs};
use super::revision::Revision;
use super::summary::{SummaryOf, fails_on, summary};
use super::target::{Meta, TargetFiles};
use super::workbench::{self, Seat};
use super::{open, out, scan};
use crate::agent::{Offline, Script};
use crate::config::{Folders, read_text_up_to};
use crate::document::{self, Document};
use crate::files::decisions::{self, Decisions};
use crate::journal::{self, Journal, RunFolder, RunState};
use crate::model::event::{Body, Draft, Event, Header, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Severity;
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::model::recipe::Recipe;
use crate::model::shown::Shown;
use crate::model::yaml::{FINDINGS_BYTES, SCRIPT_BYTES};
use crate::pipeline;
use crate::run::{Agent, Clock, Council, FileStore, Files, Human, LiveFiles, LiveText, NoLiveText, Run, SystemClock, Written};
use crate::text::Catalogue;
use crate::tui::app;
use crate::tui::terminal::NoTerminal;
use serde_json::json;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// How a command ended: the exit code.
pub type Exit = u8;

/// The pipeline that reviews a document.
pub(super) const REVIEW: &str = "review";
/// The pipeline that revises a findings file.
pub(super) const REVISE: &str = "revise";
/// The reviewer that is rules.
const OFFLINE: &str = "offline";

/// What a run does.
pub(super) enum Work {
    /// Reviews a document.
    Review(Box<Inputs>),
    /// Revises the decisions of a findings file.
    Revise(Box<Revision>),
}

impl Work {
    /// The document whose lines are quoted.
    pub fn document(&self) -> &Arc<Document> {
        match self {
            Work::Review(inputs) => &inputs.subject.document,
            Work::Revise(revision) => &revision.document,
        }
    }

    /// The language of findings.
    pub fn lang(&self) -> Lang {
        match self {
            Work::Review(inputs) => inputs.subject.lang,
            Work::Revise(revision) => revision.lang,
        }
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        match self {
            Work::Review(inputs) => &inputs.subject.recipe,
            Work::Revise(revision) => &revision.opened.recipe,
        }
    }

    /// What a person should know.
    pub fn notices(&self) -> &[String] {
        match self {
            Work::Review(inputs) => &inputs.notices,
            Work::Revise(revision) => &revision.notices,
        }
    }

    /// Runs the pipeline.
    ///
    /// # Errors
    /// Whatever the pipeline ends with.
    pub async fn run(&self, run: &Run, council: &Council, files: &dyn Files) -> Result<(Arc<ReviewOutcome>, Written), Fault> {
        match self {
            Work::Review(inputs) => pipeline::review::review(run, &inputs.subject, &inputs.plan, council, files).await,
            Work::Revise(revision) => pipeline::revise::revise(run, &revision.opened, files).await,
        }
    }

    fn notices_mut(&mut self) -> &mut Vec<String> {
        match self {
            Work::Review(inputs) => &mut inputs.notices,
            Work::Revise(revision) => &mut revision.notices,
        }
    }
}

/// What a run is about; nobody needs to hold it for that.
pub(super) struct Known {
    /// Its header.
    pub header: Header,
    /// What it does.
    pub work: Work,
}

impl Known {
    /// Path of the document whose lines are quoted.
    pub fn file(&self) -> PathBuf {
        match &self.work {
            Work::Review(_) => PathBuf::from(&self.header.document),
            Work::Revise(revision) => revision.path.clone(),
        }
    }

    /// What a run reads it never writes to.
    ///
    /// # Errors
    /// The command line names such a file to be written.
    pub fn refuse_writing_over_inputs(&self, carry: &CarryArgs) -> Result<(), Fault> {
        match self.work {
            Work::Review(_) => {
                let plan = recorded_plan_args(&self.header)?;
                refuse_writing_over_inputs(&self.file(), Some(&plan), &self.header.agent, carry)
            }
            Work::Revise(_) => refuse_writing_over_inputs(&self.file(), None, OFFLINE, carry),
        }
    }

    /// What the summary says besides the outcome.
    pub fn about<'a>(&'a self, written: &'a Written) -> SummaryOf<'a> {
        let (waves, offline) = match &self.work {
            Work::Review(inputs) => (inputs.plan.waves, self.header.agent == OFFLINE),
            Work::Revise(revision) => (0, revision.file.run.agent == OFFLINE),
        };
        let (recipe, file) = (self.work.recipe().name.as_str(), self.header.document_given.as_str());
        SummaryOf { recipe, file, waves, only: self.reviewed_only(), offline, written }
    }

    /// The scopes of a delta review, which the summary names.
    fn reviewed_only(&self) -> Option<String> {
        let Work::Review(inputs) = &self.work else { return None };
        let asked = self.header.options.pointer("/plan/changed").is_some_and(|changed| !changed.is_null());
        asked.then(|| inputs.plan.scopes.iter().map(|scope| scope.name.as_str()).collect::<Vec<_>>().join(", "))
    }
}

/// A run that is about to be carried through; its lock is held.
pub(super) struct Session {
    /// Where it lives.
    pub folder: RunFolder,
    /// Where its events go.
    pub journal: Journal,
    /// What is recorded.
    pub events: Vec<Event>,
    /// What it is about.
    pub known: Arc<Known>,
    /// Whether another process began it.
    pub resumed: bool,
}

/// `tamis review FILE`.
///
/// # Errors
/// Everything that keeps the review from its end, with its exit code.
pub fn review(args: &ReviewArgs) -> Result<Exit, Fault> {
    refuse_empty_words(&args.carry)?;
    let folders = Folders::find(args.carry.state_dir.as_deref())?;
    let inputs = inputs::load(&args.file, &args.plan, args.carry.lang.as_deref(), &folders)?;
    if inputs.subject.context.agent_mode {
        return scan::in_agent_mode(&inputs, &args.agent);
    }
    // Whatever is wrong with these is said before there is a run to clean up.
    council(&args.agent, Arc::new(NoLiveText))?;
    args.carry.decisions.as_deref().map(read_decisions).transpose()?;
    refuse_writing_over_inputs(&args.file, Some(&args.plan), &args.agent, &args.carry)?;
    let file = absolute(&args.file)?;
    let options = json!({
        "plan": with_absolute_paths(&args.plan)?,
        "lang": inputs.subject.lang,
        "out": args.carry.out.as_deref().map(absolute).transpose()?,
    });
    let id = new_run_id();
    let folder = RunFolder::create(&folders.state, &id)?;
    let bytes = std::fs::read(&file).map_err(|error| Fault::io(file.display(), error, ""))?;
    folder.save_document(bytes.as_slice())?;
    let header = Header {
        format: journal::FORMAT.to_owned(),
        tamis: env!("CARGO_PKG_VERSION").to_owned(),
        run: id.to_string(),
        pipeline: REVIEW.to_owned(),
        document: file.display().to_string(),
        document_given: args.file.display().to_string(),
        document_hash: inputs.subject.document.hash().to_owned(),
        recipe_hash: inputs.recipe_hash.clone(),
        prompts_hash: String::new(),
        context_hash: inputs.context_hash.clone(),
        agent: with_absolute_script(&args.agent)?,
        options,
    };
    let body = Body::of(&header).map_err(|error| Fault::usage(error.to_string(), ""))?;
    let earlier = unfinished(&folders.state, &header);
    let (journal, began) = Journal::create(&folder, Draft::new(Kind::RunStarted, "", body), &SystemClock.now())?;
    let known = Arc::new(Known { header, work: Work::Review(Box::new(inputs)) });
    carry_through(Session { folder, journal, events: vec![began], known, resumed: false }, &args.carry, &folders, earlier)
}

/// `tamis resume [RUN]`.
///
/// # Errors
/// No such run, a run that is held, damaged or about something that has changed, and everything that ends a review early.
pub fn resume(args: &ResumeArgs) -> Result<Exit, Fault> {
    refuse_empty_words(&args.carry)?;
    let folders = Folders::find(args.carry.state_dir.as_deref())?;
    let id = match &args.run {
        Some(run) => RunId::from(run.as_str()),
        None => newest_open(&folders.state)?,
    };
    let session = match take_up(&id, &folders) {
        Err(fault) if fault.kind == FaultKind::Locked => return watch_instead(fault, &id, &args.carry, &folders),
        session => session?,
    };
    session.known.refuse_writing_over_inputs(&args.carry)?;
    carry_through(session, &args.carry, &folders, None)
}

/// At a terminal a run that another process carries is shown as it goes on; the command fails all the same.
fn watch_instead(locked: Fault, id: &RunId, carry: &CarryArgs, folders: &Folders) -> Result<Exit, Fault> {
    match seat(carry, folders)? {
        Some(seat) => {
            open::watch(id, seat, folders, carry)?;
            Err(locked)
        }
        None => Err(locked),
    }
}

/// The newest run of the same text under the same path, where it is not finished and nobody carries it.
fn unfinished(state: &Path, header: &Header) -> Option<RunId> {
    let same = |other: &Header| other.pipeline == header.pipeline && other.document == header.document;
    let (folder, newest) = journal::headers(state).ok()?.into_iter().find(|(_, other)| same(other))?;
    let run = (newest.document_hash == header.document_hash).then(|| journal::summary(&folder))?;
    let open = matches!(run.state, RunState::Open | RunState::Paused) && !run.in_use;
    open.then_some(run.run)
}

/// Opens a recorded run, with everything it was about, to go on with it.
///
/// # Errors
/// It is held, damaged, or about something that has changed.
pub(super) fn take_up(id: &RunId, folders: &Folders) -> Result<Session, Fault> {
    let folder = RunFolder::find(&folders.state, id)?;
    let opened = Journal::open(&folder, &SystemClock.now())?;
    journal::refuse_unknown(&opened.events)?;
    let mut known = known(&folder, opened.header, folders)?;
    known.work.notices_mut().splice(0..0, opened.notices);
    Ok(Session { folder, journal: opened.journal, events: opened.events, known: Arc::new(known), resumed: true })
}

/// Everything a recorded run was about, as it stands now.
///
/// # Errors
/// Something of it cannot be read any more, or has changed since the run began.
pub(super) fn known(folder: &RunFolder, header: Header, folders: &Folders) -> Result<Known, Fault> {
    let work = match header.pipeline.as_str() {
        REVISE => Work::Revise(Box::new(Revision::recorded(folder, &header, folders)?)),
        REVIEW => Work::Review(Box::new(unchanged_inputs(folder, &header, folders)?)),
        other => {
            let what = format!("run {} is a {other}, which this version of tamis does not know", header.run);
            return Err(Fault::new(FaultKind::Refused, what, "use the version of tamis that began it"));
        }
    };
    Ok(Known { header, work })
}

fn unchanged_inputs(folder: &RunFolder, header: &Header, folders: &Folders) -> Result<Inputs, Fault> {
    let plan = recorded_plan_args(header)?;
    let file = PathBuf::from(&header.document);
    refuse_changed_document(&file, folder, header)?;
    let lang = header.options.get("lang").and_then(|lang| lang.as_str());
    let inputs = inputs::load(&file, &plan, lang, folders)?;
    refuse_changed_inputs(&inputs, header)?;
    Ok(inputs)
}

/// Putting things off needs words.
fn refuse_empty_words(carry: &CarryArgs) -> Result<(), Fault> {
    match &carry.defer_all {
        Some(words) if words.trim().is_empty() => {
            Err(Fault::usage("--defer-all: putting decisions off needs words", "say why, as in --defer-all \"after the pilot\""))
        }
        _ => Ok(()),
    }
}

/// The newest run that is not finished and that nobody has open.
fn newest_open(state: &Path) -> Result<RunId, Fault> {
    let runs = journal::list(state)?;
    let open = runs.iter().find(|run| matches!(run.state, RunState::Open | RunState::Paused) && !run.in_use);
    open.map(|run| run.run.clone()).ok_or_else(|| {
        Fault::usage("there is no open run to resume", "`tamis runs` lists all runs; name a finished one to reopen it")
    })
}

fn recorded_plan_args(header: &Header) -> Result<PlanArgs, Fault> {
    let plan = header.options.get("plan").cloned().unwrap_or_default();
    serde_json::from_value(plan).map_err(|error| {
        Fault::new(
            FaultKind::Refused,
            format!("what run {} was asked for cannot be read: {error}", header.run),
            "it was begun by another version; start a new run of the document",
        )
    })
}

/// A run is about one text: an edited document is refused with what changed.
fn refuse_changed_document(file: &Path, folder: &RunFolder, header: &Header) -> Result<(), Fault> {
    let now = document::read(file)?;
    if now.hash() == header.document_hash {
        return Ok(());
    }
    let changed = document::read(&folder.document()).map(|then| what_changed(&then, &now)).unwrap_or_default();
    let what = format!("{} has changed since run {} began{changed}", file.display(), header.run);
    Err(Fault::new(FaultKind::Refused, what, format!("start a new run: tamis review {}", file.display())))
}

/// ` (12 lines added, 3 removed, in UC-01, Business Rules)`.
fn what_changed(then: &Document, now: &Document) -> String {
    let diff = similar::TextDiff::from_lines(then.text(), now.text());
    let (mut added, mut removed) = (0, 0);
    let mut places: Vec<String> = Vec::new();
    for change in diff.iter_all_changes() {
        let (document, line) = match change.tag() {
            similar::ChangeTag::Equal => continue,
            similar::ChangeTag::Insert => (now, change.new_index()),
            similar::ChangeTag::Delete => (then, change.old_index()),
        };
        if change.tag() == similar::ChangeTag::Insert {
            added += 1
        } else {
            removed += 1
        }
        let place = place_of(document, line.map_or(1, |index| index as u32 + 1));
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let more = if places.len() > 5 { format!(" and {} more places", places.len() - 5) } else { String::new() };
    places.truncate(5);
    format!(" ({added} lines added, {removed} removed, in {}{more})", places.join(", "))
}

fn place_of(document: &Document, line: u32) -> String {
    let outline = document.outline();
    match outline.unit_at(line) {
        Some(unit) => unit.id.clone(),
        None if outline.section_path_at(line).is_empty() => "the text above the first section".to_owned(),
        None => outline.section_path_at(line),
    }
}

fn refuse_changed_inputs(inputs: &Inputs, header: &Header) -> Result<(), Fault> {
    for (what, now, then) in [
        ("the recipe", &inputs.recipe_hash, &header.recipe_hash),
        ("the context, the criteria or another document given with it", &inputs.context_hash, &header.context_hash),
    ] {
        if now != then {
            let what = format!("{what} has changed since run {} began", header.run);
            return Err(Fault::new(FaultKind::Refused, what, format!("start a new run: tamis review {}", header.document)));
        }
    }
    Ok(())
}

/// What a run reads it never writes to: `--overwrite` keeps an old target, but the document is none.
fn refuse_writing_over_inputs(document: &Path, plan: Option<&PlanArgs>, agent: &str, carry: &CarryArgs) -> Result<(), Fault> {
    let script = read_agent(agent)?;
    let events = carry.events.as_deref().filter(|name| *name != "-").map(Path::new);
    let context = plan.and_then(|plan| plan.context.as_deref());
    let criteria = plan.and_then(|plan| plan.criteria.as_deref());
    let with = plan.map(|plan| plan.with.as_slice()).unwrap_or_default();
    let inputs = [Some(document), context, criteria, carry.decisions.as_deref(), script.as_deref()];
    let inputs = inputs.into_iter().flatten().chain(with.iter().map(PathBuf::as_path));
    let mut pairs = inputs.flat_map(|input| [("--out", carry.out.as_deref(), input), ("--events", events, input)]);
    match pairs.find(|(_, output, input)| output.is_some_and(|output| is_same_file(output, input))) {
        None => Ok(()),
        Some((flag, _, input)) => {
            let what = format!("{flag}: {} is read by this run and stays as it is", input.display());
            Err(Fault::usage(what, format!("give another file to {flag}")))
        }
    }
}

/// Whether two paths lead to one file, also over links.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let id = |path: &Path| std::fs::metadata(path).map(|meta| (meta.dev(), meta.ino()));
    matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
}

/// Runs the pipeline to its end, its pause or its fault: at the workbench where there is a terminal, else headless.
/// `earlier` is an unfinished run of the same document, which a person at the workbench is told of.
fn carry_through(session: Session, carry: &CarryArgs, folders: &Folders, earlier: Option<RunId>) -> Result<Exit, Fault> {
    match seat(carry, folders)? {
        Some(seat) => {
            let decisions = carry.decisions.as_deref().map(read_decisions).transpose()?;
            let command = earlier.map(|run| resume_line(run.as_str(), carry.state_dir.as_deref()));
            workbench::carry_through(session, carry, seat, folders, decisions, command)
        }
        None => carry_through_headless(session, carry),
    }
}

/// The seat at the workbench, where one is wanted and there is one.
fn seat(carry: &CarryArgs, folders: &Folders) -> Result<Option<Seat>, Fault> {
    // Events on standard output are for another program, not for a person.
    if carry.headless || carry.events.is_some() {
        return Ok(None);
    }
    match Seat::find(&carry.look, folders)? {
        Ok(seat) => Ok(Some(seat)),
        Err(NoTerminal::Dumb) => {
            out::notice(&format!("{}: going on without the workbench", NoTerminal::Dumb));
            Ok(None)
        }
        Err(_) => Ok(None),
    }
}

/// Runs the pipeline without a screen and prints what came of it.
fn carry_through_headless(session: Session, carry: &CarryArgs) -> Result<Exit, Fault> {
    let to_stdout = carry.events.as_deref() == Some("-");
    let known = Arc::clone(&session.known);
    let resume_line = resume_line(&known.header.run, carry.state_dir.as_deref());
    // From here on there is a run: whatever goes wrong, it can be taken up again.
    let resumable = |fault: Fault| Fault { hint: with_resume(&fault.hint, &resume_line), ..fault };
    known.work.notices().iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    let decisions = carry.decisions.as_deref().map(read_decisions).transpose().map_err(resumable)?;
    let lang = carry.lang.as_deref().and_then(Lang::from_code).unwrap_or(known.work.lang());
    let human = Arc::new(HeadlessHuman {
        decisions,
        defer_all: carry.defer_all.clone(),
        defer_policy: carry.defer_policy,
        step: carry.step,
        open: Mutex::new(Vec::new()),
    });
    let live: Arc<dyn LiveText> = Arc::new(LiveFiles::new(session.folder.path().join("live")));
    let council = council_of(&known, live).map_err(resumable)?;
    let files =
        TargetFiles::new(target_path(&known, carry).map_err(resumable)?, carry.overwrite, Meta::of(&known, &session.events));
    if let Some(notice) = files.early_notice() {
        out::notice(&Shown::line(&notice).to_string());
    }
    let sink = EventSink::open(carry.events.as_deref(), lang, &[&known.file(), files.path()]);
    let sink = Arc::new(sink.map_err(resumable)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .map_err(|error| Fault::io("runtime", error, "free some memory or file handles and try again"))
        .map_err(resumable)?;

    let ended = runtime.block_on(async {
        let (human, shown) = (Arc::clone(&human) as Arc<dyn Human>, Arc::clone(&sink));
        let work = conduct(session, carry, human, &council, &files, move |event: &Event| shown.event(event), |_| ());
        tokio::select! {
            ended = work => Ok(ended),
            signal = ended_by_signal() => Err(signal),
        }
    });
    // A journal write that is under way is finished before the process ends.
    drop(runtime);
    let ended = match ended {
        Ok(ended) => ended,
        Err(exit) => {
            out::notice(&format!("interrupted; nothing is lost. Resume with: {resume_line}"));
            return Ok(exit);
        }
    };
    let unshown = sink.finish().err();
    match ended {
        Ok((outcome, written)) => {
            let words = Catalogue::new(lang);
            let text = summary(&outcome, &known.about(&written), &words);
            print_data(&text, to_stdout)?;
            unshown.map_or_else(|| Ok(exit_code(&outcome, carry)), Err)
        }
        Err(fault) => {
            if fault.kind == FaultKind::NeedsPerson {
                let open = human.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if !open.is_empty() {
                    print_data(&decisions::template(&open, lang), to_stdout)?;
                }
            }
            Err(resumable(match unshown {
                None => fault,
                // Of two faults the one with the first place in the order of exit codes counts; both are told.
                Some(unshown) => Fault { kind: unshown.kind, what: format!("{}; {}", fault.what, unshown.what), ..fault },
            }))
        }
    }
}

/// Prints to standard output, or to standard error where that holds events only.
fn print_data(text: &str, events_on_stdout: bool) -> Result<(), Fault> {
    if events_on_stdout {
        out::notice(text.trim_end());
        return Ok(());
    }
    out::data(text).map_err(|error| Fault::io("standard output", error, "the findings file itself is complete"))
}

pub(super) fn with_resume(hint: &str, resume_line: &str) -> String {
    if hint.is_empty() { format!("resume with: {resume_line}") } else { format!("{hint}\nresume with: {resume_line}") }
}

pub(super) fn resume_line(run: &str, state_dir: Option<&Path>) -> String {
    command_line("resume", run, state_dir)
}

/// A command on a run or file, as it would be typed.
pub(super) fn command_line(command: &str, what: &str, state_dir: Option<&Path>) -> String {
    let state = state_dir.map(|dir| format!(" --state-dir {}", dir.display())).unwrap_or_default();
    format!("tamis {command} {what}{state}")
}

pub(super) fn exit_code(outcome: &ReviewOutcome, carry: &CarryArgs) -> Exit {
    let unconverged = carry.require_converged && !outcome.convergence.converged;
    if !outcome.holes.is_empty() || unconverged {
        return FaultKind::Incomplete.exit_code();
    }
    let severity = carry.fail_on.as_deref().and_then(Severity::read);
    u8::from(severity.is_some_and(|severity| fails_on(&outcome.findings, severity)))
}

pub(super) async fn conduct(
    session: Session,
    carry: &CarryArgs,
    human: Arc<dyn Human>,
    council: &Council,
    files: &TargetFiles,
    show: impl Fn(&Event) + Send + Sync + 'static,
    began: impl FnOnce(Run),
) -> Result<(Arc<ReviewOutcome>, Written), Fault> {
    let Session { journal, mut events, known, resumed, .. } = session;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = FileStore::start(journal);
    if resumed {
        let mut drafts = vec![Draft::new(Kind::RunResumed, "", json!({ "run": files.run_id() }))];
        drafts.extend(reopened_gate(&events, carry));
        use crate::run::Store;
        let appended = store.append(drafts, clock.now()).await?;
        appended.iter().for_each(&show);
        events.extend(appended);
    } else {
        events.iter().for_each(&show);
    }
    let run = Run::new(Box::new(store), &events, clock, human, Box::new(show));
    began(run.clone());
    let ended = known.work.run(&run, council, files).await;
    if let Ok((outcome, written)) = &ended {
        run.finished(exit_code(outcome, carry), &written.path).await?;
    }
    ended
}

/// A settle gate that has closed is opened again where the run is finished, or where decisions come with the resume.
/// Deferrals alone open none: a gate closes only when nothing is left to defer.
fn reopened_gate(events: &[Event], carry: &CarryArgs) -> Option<Draft> {
    const GATE: &str = pipeline::SETTLE_GATE;
    let last = |kind: &Kind, key: &str| events.iter().rposition(|event| event.kind == *kind && event.key == key);
    let closed = last(&Kind::GateClosed, GATE)?;
    let reopened = last(&Kind::GateReopened, GATE).is_some_and(|at| at > closed);
    let finished = last(&Kind::RunFinished, "").is_some_and(|at| at > closed);
    (!reopened && (finished || carry.decisions.is_some())).then(|| Draft::new(Kind::GateReopened, GATE, json!({})))
}

/// Waits for a signal that ends the process; returns the exit code for it.
pub(super) async fn ended_by_signal() -> Exit {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind: SignalKind, counts: fn() -> bool| async move {
        // Without a handler the system's own way of ending the process stays in force.
        let Ok(mut stream) = signal(kind) else { return std::future::pending().await };
        while stream.recv().await.is_some() {
            if counts() {
                return;
            }
        }
    };
    tokio::select! {
        () = wait(SignalKind::hangup(), || true) => 129,
        // An interrupt while an editor has the terminal is meant for the editor.
        () = wait(SignalKind::interrupt(), || !app::has_lent_the_terminal()) => 130,
        () = wait(SignalKind::quit(), || true) => 131,
        () = wait(SignalKind::terminate(), || true) => 143,
    }
}

/// Who reviews, as written on the command line.
fn read_agent(agent: &str) -> Result<Option<PathBuf>, Fault> {
    match agent.split_once(':') {
        None if agent == OFFLINE => Ok(None),
        Some(("script", path)) if !path.is_empty() => Ok(Some(PathBuf::from(path))),
        _ => Err(Fault::usage(format!("--agent: there is no reviewer \"{agent}\""), "give offline or script:FILE")),
    }
}

/// Who is asked in a run; nobody, where it asks nobody.
///
/// # Errors
/// An unknown kind, or a script that cannot be used.
pub(super) fn council_of(known: &Known, live: Arc<dyn LiveText>) -> Result<Council, Fault> {
    match known.work {
        Work::Review(_) => council(&known.header.agent, live),
        Work::Revise(_) => council(OFFLINE, live),
    }
}

/// The council that an agent's name stands for.
///
/// # Errors
/// An unknown kind, or a script that cannot be used.
pub fn council(agent: &str, live: Arc<dyn LiveText>) -> Result<Council, Fault> {
    let Some(path) = read_agent(agent)? else {
        let offline: Arc<dyn Agent> = Arc::new(Offline::new());
        return Ok(Council { reviewer: Arc::clone(&offline), critic: offline, arbiter: None });
    };
    let text = read_text_up_to(&path, SCRIPT_BYTES)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let script = Script::read(&text, &format!("script:{name}"), live)
        .map_err(|error| Fault::usage(format!("{}: {error}", path.display()), "`examples/council.yaml` shows the format"))?;
    let has_arbiter = script.has_arbiter();
    let script: Arc<dyn Agent> = Arc::new(script);
    Ok(Council { reviewer: Arc::clone(&script), critic: Arc::clone(&script), arbiter: has_arbiter.then_some(script) })
}

fn read_decisions(path: &Path) -> Result<Decisions, Fault> {
    decisions::read(&read_text_up_to(path, FINDINGS_BYTES)?, &path.display().to_string())
}

/// `--out`, else what the run recorded, else NAME.findings.yaml beside the document, or the file that is revised.
pub(super) fn target_path(known: &Known, carry: &CarryArgs) -> Result<PathBuf, Fault> {
    if let Some(out) = &carry.out {
        return absolute(out);
    }
    if let Some(out) = known.header.options.get("out").and_then(|out| out.as_str()) {
        return Ok(PathBuf::from(out));
    }
    let document = PathBuf::from(&known.header.document);
    match known.work {
        Work::Review(_) => Ok(document.with_extension("findings.yaml")),
        Work::Revise(_) => Ok(document),
    }
}

pub(super) fn absolute(path: &Path) -> Result<PathBuf, Fault> {
    std::path::absolute(path).map_err(|error| Fault::io(path.display(), error, "give another path"))
}

/// Paths as recorded: a resume may start in another folder.
fn with_absolute_paths(args: &PlanArgs) -> Result<PlanArgs, Fault> {
    let mut args = args.clone();
    args.context = args.context.as_deref().map(absolute).transpose()?;
    args.criteria = args.criteria.as_deref().map(absolute).transpose()?;
    args.with = args.with.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
    if crate::config::recipe::is_path(&args.recipe) {
        args.recipe = absolute(Path::new(&args.recipe))?.display().to_string();
    }
    Ok(args)
}

fn with_absolute_script(agent: &str) -> Result<String, Fault> {
    match read_agent(agent)? {
        Some(path) => Ok(format!("script:{}", absolute(&path)?.display())),
        None => Ok(agent.to_owned()),
    }
}

/// The start in UTC and four random characters.
pub fn new_run_id() -> RunId {
    use std::hash::{BuildHasher, Hasher};
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    // The standard library's hash keys are random for each process and map.
    let mut random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let tail: String = (0..4)
        .map(|_| {
            let letter = LETTERS[(random % 32) as usize];
            random /= 32;
            char::from(letter)
        })
        .collect();
    RunId(format!("{}-{tail}", SystemClock::timestamp().strftime("%Y%m%d-%H%M%S")))
}
