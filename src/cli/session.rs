//! A run from the command line: begun or taken up again, carried through without a screen, and what it ended with.

use super::args::{CarryArgs, PlanArgs, ProjectArgs, ResumeArgs, ReviewArgs};
use super::events::EventSink;
use super::human::HeadlessHuman;
use super::inputs;
use super::known::{Asked, Known, REVIEW, Work, council_of, known, refuse_writing_over_inputs, target_path};
use super::seats::{InForce, Table};
use super::sending::{self, Confirm};
use super::summary::{fails_on, summary};
use super::target::{Meta, TargetFiles};
use super::workbench::{self, Seat};
use super::{errands, open, out, scan};
use crate::agent::paste::Courier;
use crate::config::{Flags, Folders, read_text_up_to};
use crate::files::decisions::{self, Decisions};
use crate::journal::{self, Journal, RunFolder, RunState};
use crate::model::accounts::Accounts;
use crate::model::event::{Body, Draft, Event, Header, Kind, Sending};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Severity;
use crate::model::ids::RunId;
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::model::shown::Shown;
use crate::model::yaml::FINDINGS_BYTES;
use crate::pipeline;
use crate::run::{Caps, Clock, Council, FileStore, Human, LiveFiles, LiveText, NoLiveText, Run, SystemClock, Written};
use crate::text::Catalogue;
use crate::tui::app;
use crate::tui::terminal::NoTerminal;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How a command ended: the exit code.
pub type Exit = u8;

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
    /// A decision comes with it: the gate of settling is opened again where it has closed.
    pub reopens: bool,
    /// What has changed since it began, and was accepted.
    pub accepted: Vec<String>,
    /// That the document may be sent, where that is to be recorded.
    pub sending: Option<Sending>,
}

impl Session {
    /// A run, nothing of it decided or confirmed yet.
    pub fn of(folder: RunFolder, journal: Journal, events: Vec<Event>, known: Arc<Known>, resumed: bool) -> Session {
        Session { folder, journal, events, known, resumed, reopens: false, accepted: Vec::new(), sending: None }
    }
}

/// `tamis review FILE`.
///
/// # Errors
/// Everything that keeps the review from its end, with its exit code.
pub fn review(args: &ReviewArgs) -> Result<Exit, Fault> {
    refuse_empty_words(&args.carry)?;
    let folders = Folders::find(args.carry.state_dir.as_deref())?;
    let flags = Flags { lang: args.carry.lang.as_deref(), ..args.carry.flags(args.agents.flags()) };
    let in_force = InForce::read(&folders, &flags, args.carry.project.of(&args.file))?;
    let (plan, carry) = (in_force.plan_args(&args.plan), in_force.carry_args(&args.carry));
    let mut inputs = inputs::load(&args.file, &plan, in_force.lang(), &folders)?;
    inputs.notices.extend(in_force.ignored());
    in_force.check_dimensions(&folders)?;
    let table = Table::of(&in_force.settings, &in_force.variables)?;
    if inputs.subject.context.agent_mode {
        return scan::in_agent_mode(&inputs, &table, &in_force);
    }
    // Whatever is wrong with these is said before there is a run to clean up.
    sending::fit(&mut inputs, &table, &in_force.prompts, plan.window)?;
    table.council(&in_force.tools(Arc::new(NoLiveText), None, &args.file))?;
    carry.decisions.as_deref().map(read_decisions).transpose()?;
    refuse_writing_over_inputs(&args.file, Some(&plan), Some(&table), &carry)?;
    let file = absolute(&args.file)?;
    let options = json!({
        "plan": with_absolute_paths(&plan)?,
        "lang": inputs.subject.lang,
        "out": carry.out.as_deref().map(absolute).transpose()?,
        "seats": table.record,
    });
    let asks_models = !table.is_without_models();
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
        prompts_hash: if asks_models { in_force.prompts.hash() } else { String::new() },
        context_hash: inputs.context_hash.clone(),
        agent: table.record.reviewer.word.clone(),
        options,
    };
    let body = Body::of(&header).map_err(|error| Fault::usage(error.to_string(), ""))?;
    let (journal, began) = Journal::create(&folder, Draft::new(Kind::RunStarted, "", body), &SystemClock.now())?;
    let asked = Some(Asked { record: table.record.clone(), table: Ok(table), in_force });
    let known = Arc::new(Known { header, work: Work::Review(Box::new(inputs)), asked });
    carry_through(Session::of(folder, journal, vec![began], known, false), &carry, &folders)
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
    let flags = args.carry.flags(args.agents.flags());
    let session = match take_up(&id, &folders, &flags, args.carry.project, &args.accept_change) {
        Err(fault) if fault.kind == FaultKind::Locked => return watch_instead(fault, &id, &args.carry, &folders),
        session => session?,
    };
    session.known.refuse_writing_over_inputs(&args.carry)?;
    let in_force = session.known.asked.as_ref().map(|asked| &asked.in_force);
    let fail_on = in_force.and_then(|in_force| in_force.carry_args(&args.carry).fail_on);
    carry_through(session, &CarryArgs { fail_on, ..args.carry.clone() }, &folders)
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

/// The newest other run of the same text under the same path, where it is not finished and nobody carries it.
fn unfinished(state: &Path, header: &Header) -> Option<RunId> {
    let same = |other: &Header| other.run != header.run && other.pipeline == header.pipeline && other.document == header.document;
    let (folder, newest) = journal::headers(state).ok()?.into_iter().find(|(_, other)| same(other))?;
    let run = (newest.document_hash == header.document_hash).then(|| journal::summary(&folder))?;
    let open = matches!(run.state, RunState::Open | RunState::Paused) && !run.in_use;
    open.then_some(run.run)
}

/// Opens a recorded run, with everything it was about, to go on with it.
///
/// # Errors
/// It is held, damaged, or about something that has changed.
pub(super) fn take_up(
    id: &RunId,
    folders: &Folders,
    flags: &Flags<'_>,
    project: ProjectArgs,
    accepts: &[String],
) -> Result<Session, Fault> {
    let folder = RunFolder::find(&folders.state, id)?;
    let opened = Journal::open(&folder, &SystemClock.now())?;
    journal::refuse_unknown(&opened.events)?;
    let mut known = known(&folder, opened.header, &opened.events, folders, flags, project)?;
    known.work.notices_mut().splice(0..0, opened.notices);
    let accepted = accepted_changes(&known, flags, accepts)?;
    refuse_absent(&known, &opened.events)?;
    let session = Session::of(folder, opened.journal, opened.events, Arc::new(known), true);
    Ok(Session { accepted, ..session })
}

/// Nobody is asked in vain: without a key that is missing now, every open question would become a hole for good. Once a run
/// has been settled, all that it needs is on record.
fn refuse_absent(known: &Known, events: &[Event]) -> Result<(), Fault> {
    let settled = events.iter().any(|event| event.kind == Kind::Fixed && event.key == "settle");
    match known.asked.as_ref().map(|asked| &asked.table) {
        Some(Err(absent)) if !settled => Err(absent.clone()),
        _ => Ok(()),
    }
}

/// What has changed since the run began and is gone on with all the same.
///
/// # Errors
/// A change that nobody accepted, with the words that accept it (DESIGN, rule 4).
fn accepted_changes(known: &Known, flags: &Flags<'_>, accepts: &[String]) -> Result<Vec<String>, Fault> {
    let Some(asked) = &known.asked else { return Ok(Vec::new()) };
    let changes = asked.changes(&known.header);
    let named = flags.agent.is_some() || flags.critic.is_some() || flags.arbiter.is_some();
    let accepted = |word: &str| accepts.iter().any(|accepted| accepted == word) || (word == "models" && named);
    let open: Vec<&(&str, Vec<String>)> = changes.iter().filter(|(word, _)| !accepted(word)).collect();
    if open.is_empty() {
        return Ok(changes.into_iter().map(|(word, _)| word.to_owned()).collect());
    }
    let said: Vec<&str> = open.iter().flat_map(|(_, said)| said.iter().map(String::as_str)).collect();
    let words: Vec<&str> = open.iter().map(|(word, _)| *word).collect();
    let what = format!("since run {} began: {}", known.header.run, said.join("; "));
    let hint = format!("go on all the same with: tamis resume {} --accept-change {}", known.header.run, words.join(","));
    Err(Fault::new(FaultKind::Refused, what, hint))
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

/// The newest run that is not finished and that nobody has open; where there is none, the newest of all, if a cap held it up.
fn newest_open(state: &Path) -> Result<RunId, Fault> {
    let runs = journal::list(state)?;
    let is_held = |run: &&journal::RunSummary| {
        let folder = RunFolder::find(state, &run.run).ok();
        let read = folder.and_then(|folder| Journal::read(&folder.journal()).ok());
        !run.in_use && read.is_some_and(|read| Run::held(&read.events))
    };
    let open = runs.iter().find(|run| matches!(run.state, RunState::Open | RunState::Paused) && !run.in_use);
    let open = open.or_else(|| runs.first().filter(is_held));
    open.map(|run| run.run.clone()).ok_or_else(|| {
        match runs.iter().find(|run| run.in_use) {
            // `resume RUN` says who holds it, and at a terminal shows it.
            Some(held) => {
                let what = format!("the only open run is in use by another process: {}", held.run);
                Fault::new(FaultKind::Locked, what, format!("`tamis open {}` shows it", held.run))
            }
            None => {
                Fault::usage("there is no open run to resume", "`tamis runs` lists all runs; name a finished one to reopen it")
            }
        }
    })
}

/// Runs the pipeline to its end, its pause or its fault: at the workbench where there is a terminal, else headless.
/// A person who begins a run at the workbench is told of an unfinished one of the same document.
fn carry_through(session: Session, carry: &CarryArgs, folders: &Folders) -> Result<Exit, Fault> {
    match seat(carry, folders)? {
        Some(seat) => {
            let decisions = carry.decisions.as_deref().map(read_decisions).transpose()?;
            let earlier = if session.resumed { None } else { unfinished(&folders.state, &session.known.header) };
            let command = earlier.map(|run| resume_line(run.as_str(), carry.state_dir.as_deref()));
            workbench::carry_through(session, carry, seat, folders, decisions, command)
        }
        None => carry_through_headless(session, carry, folders),
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
fn carry_through_headless(mut session: Session, carry: &CarryArgs, folders: &Folders) -> Result<Exit, Fault> {
    let to_stdout = carry.events.as_deref() == Some("-");
    let known = Arc::clone(&session.known);
    let resume_line = resume_line(&known.header.run, carry.state_dir.as_deref());
    // From here on there is a run: whatever goes wrong, it can be taken up again.
    let resumable = |fault: Fault| Fault { hint: with_resume(&fault.hint, &resume_line), ..fault };
    known.work.notices().iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    // Whoever named the destination, here or in their settings, has confirmed it: it is said and recorded.
    if let Some(confirm) = Confirm::of(&known, &session.events, folders) {
        out::notice(&confirm.said());
        session.sending = Some(confirm.by_naming_it());
    }
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
    let headless_line = format!("{resume_line} --headless");
    let errands = Arc::new(errands::FolderCourier::of(
        session.folder.path(),
        carry.prompts.as_deref(),
        carry.answers.as_deref(),
        headless_line,
    ));
    // A folder that is not there is said before anything is asked.
    errands.unused().map_err(resumable)?;
    let courier: Arc<dyn Courier> = Arc::<errands::FolderCourier>::clone(&errands);
    let council = council_of(&known, live, courier, carry).map_err(resumable)?;
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

    let held = Arc::new(AtomicBool::new(Run::held(&session.events)));
    let ended = runtime.block_on(async {
        let (human, shown, held) = (Arc::clone(&human) as Arc<dyn Human>, Arc::clone(&sink), Arc::clone(&held));
        let show = move |event: &Event| {
            match event.kind {
                Kind::StepHeld => held.store(true, Ordering::Relaxed),
                Kind::RunResumed if event.refills() => held.store(false, Ordering::Relaxed),
                _ => {}
            }
            shown.event(event);
        };
        let work = conduct(session, carry, human, &council, &files, show, |_| ());
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
    if let Some(unused) = errands.unused().map_err(resumable)? {
        out::notice(&Shown::line(&unused).to_string());
    }
    let unshown = sink.finish().err();
    known.unrecorded().iter().for_each(|notice| out::notice(notice));
    match ended {
        Ok((outcome, written)) => {
            let words = Catalogue::new(lang);
            let text = summary(&outcome, &known.about(&written), &words);
            print_data(&text, to_stdout)?;
            if held.load(Ordering::Relaxed) {
                out::notice("what the cap held up is asked under a higher one (--max-tokens, --max-cost, --max-minutes)");
                out::notice(&format!("  resume with: {resume_line}"));
            }
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
    if !outcome.holes.is_empty() || outcome.lacks.is_cut() || unconverged {
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
    let Session { journal, mut events, known, resumed, reopens, accepted, sending, .. } = session;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let store = FileStore::start(journal);
    let mut drafts = Vec::new();
    let caps = known.asked.as_ref().map(|asked| asked.in_force.caps()).unwrap_or_default();
    if resumed {
        // What a cap held up is asked where the caps leave room for it now; then the gate of settling opens anew by itself.
        let absent = known.asked.as_ref().and_then(|asked| asked.table.as_ref().err());
        let held = Run::held(&events) && !reopens && leaves_room(&caps, &events);
        if let Some(absent) = absent.filter(|_| held) {
            out::notice(&Shown::line(&format!("what a cap held up stays so: {}; {}", absent.what, absent.hint)).to_string());
        }
        let refills = held && absent.is_none();
        drafts.push(Draft::new(Kind::RunResumed, "", resumed_body(&known, &accepted, files, refills)));
        let decides = carry.decisions.is_some() || reopens;
        drafts.extend(if refills { None } else { reopened_gate(&events, decides) });
    } else {
        events.iter().for_each(&show);
    }
    if let Some(sending) = sending {
        drafts.push(Draft::new(Kind::SendingConfirmed, "", Body::of(&sending).map_err(unrecordable)?));
    }
    if !drafts.is_empty() {
        use crate::run::Store;
        let appended = store.append(drafts, clock.now()).await?;
        appended.iter().for_each(&show);
        events.extend(appended);
    }
    let run = Run::new(Box::new(store), &events, clock, human, Box::new(show)).with_caps(caps);
    began(run.clone());
    let ended = known.work.run(&run, council, files).await;
    if let Ok((outcome, written)) = &ended {
        run.finished(exit_code(outcome, carry), &written.path).await?;
    }
    ended
}

fn unrecordable(error: serde_json::Error) -> Fault {
    Fault::usage(error.to_string(), "this is a defect of tamis; please report it")
}

/// Whether the caps leave room for anything: with tokens and money spent up to them, everything would be held up again. A cap
/// on time begins anew with each process.
fn leaves_room(caps: &Caps, events: &[Event]) -> bool {
    let spent = Accounts::of(events).total().usage;
    let below = |cap: Option<u64>, spent: u64| cap.is_none_or(|cap| spent < cap);
    below(caps.tokens, spent.tokens()) && below(caps.cost_micros, spent.cost_micros.unwrap_or(0))
}

/// What is recorded of a resume: what has changed and was accepted, and who sits where from here on.
fn resumed_body(known: &Known, accepted: &[String], files: &TargetFiles, refills: bool) -> serde_json::Value {
    let mut body = json!({ "run": files.run_id() });
    if refills {
        body["refill"] = json!(true);
    }
    if !accepted.is_empty() {
        body["accepted"] = json!(accepted);
        if let Some(Ok(table)) = known.asked.as_ref().map(|asked| &asked.table) {
            body["seats"] = json!(table.record);
        }
    }
    body
}

/// A settle gate that has closed is opened again where the run is finished, or where decisions come with the resume.
/// Deferrals alone open none: a gate closes only when nothing is left to defer.
fn reopened_gate(events: &[Event], decides: bool) -> Option<Draft> {
    const GATE: &str = pipeline::SETTLE_GATE;
    let last = |kind: &Kind, key: &str| events.iter().rposition(|event| event.kind == *kind && event.key == key);
    let closed = last(&Kind::GateClosed, GATE)?;
    let reopened = last(&Kind::GateReopened, GATE).is_some_and(|at| at > closed);
    let finished = last(&Kind::RunFinished, "").is_some_and(|at| at > closed);
    (!reopened && (finished || decides)).then(|| Draft::new(Kind::GateReopened, GATE, json!({})))
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

fn read_decisions(path: &Path) -> Result<Decisions, Fault> {
    decisions::read(&read_text_up_to(path, FINDINGS_BYTES)?, &path.display().to_string())
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
    if let Some(recipe) = args.recipe.as_ref().filter(|recipe| crate::config::recipe::is_path(recipe)) {
        args.recipe = Some(absolute(Path::new(recipe))?.display().to_string());
    }
    Ok(args)
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
