//! What a run is about, as the command line and its record say: its work, its inputs as they are now, who is asked, and
//! what must not be written over.

use super::args::{CarryArgs, PlanArgs, ProjectArgs};
use super::inputs::{self, Inputs};
use super::revision::Revision;
use super::seats::{InForce, OFFLINE, Table, TableRecord};
use super::session::absolute;
use super::summary::SummaryOf;
use crate::agent::Offline;
use crate::agent::paste::Courier;
use crate::config::{Flags, Folders};
use crate::document::{self, Document};
use crate::journal::RunFolder;
use crate::model::event::{Event, Header, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::lang::Lang;
use crate::model::outcome::ReviewOutcome;
use crate::model::recipe::Recipe;
use crate::pipeline;
use crate::run::{Agent, AgentFault, Answered, Ask, BoxFuture, Council, FaultClass, Files, LiveText, Run, Written};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The pipeline that reviews a document.
pub(super) const REVIEW: &str = "review";
/// The pipeline that revises a findings file.
pub(super) const REVISE: &str = "revise";

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

    /// The same, to add to.
    pub fn notices_mut(&mut self) -> &mut Vec<String> {
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
    /// Who is asked; `None` where nobody is.
    pub asked: Option<Asked>,
}

impl Known {
    /// Path of the document whose lines are quoted.
    pub fn file(&self) -> PathBuf {
        match &self.work {
            Work::Review(_) => PathBuf::from(&self.header.document),
            Work::Revise(revision) => revision.path.clone(),
        }
    }

    /// Answers that could not be recorded, in words.
    pub fn unrecorded(&self) -> Vec<String> {
        self.asked.as_ref().map(|asked| asked.in_force.unrecorded()).unwrap_or_default()
    }

    /// What a run reads it never writes to.
    ///
    /// # Errors
    /// The command line names such a file to be written.
    pub fn refuse_writing_over_inputs(&self, carry: &CarryArgs) -> Result<(), Fault> {
        match self.work {
            Work::Review(_) => {
                let plan = recorded_plan_args(&self.header)?;
                let table = self.asked.as_ref().and_then(|asked| asked.table.as_ref().ok());
                refuse_writing_over_inputs(&self.file(), Some(&plan), table, carry)
            }
            Work::Revise(_) => refuse_writing_over_inputs(&self.file(), None, None, carry),
        }
    }

    /// What the summary says besides the outcome.
    pub fn about<'a>(&'a self, written: &'a Written) -> SummaryOf<'a> {
        let (waves, offline) = match &self.work {
            Work::Review(inputs) => (inputs.plan.waves, self.asked.as_ref().is_some_and(|asked| asked.record.is_offline())),
            Work::Revise(revision) => (0, revision.file.run.agent == OFFLINE),
        };
        let (recipe, file) = (self.work.recipe().name.as_str(), self.header.document_given.as_str());
        let currency = self.asked.as_ref().map(Asked::currency).unwrap_or_default();
        SummaryOf { recipe, file, waves, only: self.reviewed_only(), offline, currency, written }
    }

    /// The scopes of a delta review, which the summary names.
    fn reviewed_only(&self) -> Option<String> {
        let Work::Review(inputs) = &self.work else { return None };
        let asked = self.header.options.pointer("/plan/changed").is_some_and(|changed| !changed.is_null());
        asked.then(|| inputs.plan.scopes.iter().map(|scope| scope.name.as_str()).collect::<Vec<_>>().join(", "))
    }
}

/// Everything a recorded run was about, as it stands now.
///
/// # Errors
/// Something of it cannot be read any more, or has changed since the run began.
pub(super) fn known(
    folder: &RunFolder,
    header: Header,
    events: &[Event],
    folders: &Folders,
    flags: &Flags<'_>,
    project: ProjectArgs,
) -> Result<Known, Fault> {
    let (work, asked) = match header.pipeline.as_str() {
        REVISE => (Work::Revise(Box::new(Revision::recorded(folder, &header, folders)?)), None),
        REVIEW => {
            let mut inputs = unchanged_inputs(folder, &header, folders)?;
            let asked = Asked::recorded(&header, events, folders, flags, project)?;
            inputs.notices.extend(asked.in_force.ignored());
            (Work::Review(Box::new(inputs)), Some(asked))
        }
        other => {
            let what = format!("run {} is a {other}, which this version of tamis does not know", header.run);
            return Err(Fault::new(FaultKind::Refused, what, "use the version of tamis that began it"));
        }
    };
    Ok(Known { header, work, asked })
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
pub(super) fn refuse_writing_over_inputs(
    document: &Path,
    plan: Option<&PlanArgs>,
    table: Option<&Table>,
    carry: &CarryArgs,
) -> Result<(), Fault> {
    let scripts = table.map(Table::files).unwrap_or_default();
    let events = carry.events.as_deref().filter(|name| *name != "-").map(Path::new);
    let context = plan.and_then(|plan| plan.context.as_deref());
    let criteria = plan.and_then(|plan| plan.criteria.as_deref());
    let with = plan.map(|plan| plan.with.as_slice()).unwrap_or_default();
    let inputs = [Some(document), context, criteria, carry.decisions.as_deref()];
    let inputs = inputs.into_iter().flatten().chain(with.iter().map(PathBuf::as_path)).chain(scripts);
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

/// Who is asked in a run, as far as it asks anybody.
pub(super) struct Asked {
    /// What is recorded of the seats.
    pub record: TableRecord,
    /// Who sits there; why nobody can, where a key or a file is missing now: what is recorded needs nobody.
    pub table: Result<Table, Fault>,
    /// Settings, environment and prompts.
    pub in_force: InForce,
}

impl Asked {
    /// Whoever was asked in a recorded run, as they are now; others, where the command line names them.
    fn recorded(
        header: &Header,
        events: &[Event],
        folders: &Folders,
        flags: &Flags<'_>,
        project: ProjectArgs,
    ) -> Result<Asked, Fault> {
        let in_force = InForce::read(folders, flags, project.of(Path::new(&header.document)))?;
        let record = recorded_seats(header, events);
        let named = flags.agent.is_some() || flags.critic.is_some() || flags.arbiter.is_some();
        let table = match named {
            true => Table::of(&in_force.settings, &in_force.variables),
            false => Table::recorded(&record, &in_force.settings, &in_force.variables),
        };
        Ok(Asked { record, table, in_force })
    }

    /// Seats with the models that sit there now; empty where no model is asked.
    pub fn seats(&self) -> BTreeMap<String, String> {
        let record = self.table.as_ref().map_or(&self.record, |table| &table.record);
        record.models()
    }

    /// Currency of the prices in force; `""` where there are none.
    fn currency(&self) -> String {
        let table = self.table.as_ref().ok();
        table.and_then(Table::currency).unwrap_or_default()
    }

    /// What has changed since the run began, by the word that accepts it.
    pub fn changes(&self, header: &Header) -> Vec<(&'static str, Vec<String>)> {
        let mut changes = Vec::new();
        if let Ok(table) = &self.table {
            changes.push(("models", self.record.differences(&table.record)));
        }
        if !header.prompts_hash.is_empty() && header.prompts_hash != self.in_force.prompts.hash() {
            changes.push(("prompts", vec!["the prompts are no longer those that the run began with".to_owned()]));
        }
        changes.retain(|(_, said)| !said.is_empty());
        changes
    }

    fn council(
        &self,
        live: Arc<dyn LiveText>,
        courier: Arc<dyn Courier>,
        carry: &CarryArgs,
        document: &Path,
    ) -> Result<Council, Fault> {
        let events = carry.events.iter().filter(|to| *to != "-").map(PathBuf::from);
        let tools = self
            .in_force
            .tools(live, carry.record.as_deref(), document)
            .writing(events.chain(carry.out.clone()).chain(carry.prompts.clone()));
        let tools = tools.carried_by(courier);
        match &self.table {
            Ok(table) => table.council(&tools),
            Err(fault) => {
                let nobody: Arc<dyn Agent> = Arc::new(Absent { name: self.record.reviewer.word.clone(), why: fault.clone() });
                let floor: Option<Arc<dyn Agent>> = if self.record.floor { Some(Arc::new(Offline::new())) } else { None };
                Ok(Council { floor, ..Council::of_one(nobody, self.record.arbiter.is_some()) })
            }
        }
    }
}

/// The seats of a run as it recorded them last.
fn recorded_seats(header: &Header, events: &[Event]) -> TableRecord {
    let resumed = events.iter().rev().filter(|event| event.kind == Kind::RunResumed);
    let last = resumed.filter_map(|event| serde_json::from_value(event.body.value()["seats"].clone()).ok()).next();
    let first = || header.options.get("seats").and_then(|seats| serde_json::from_value(seats.clone()).ok());
    last.or_else(first).unwrap_or_else(|| TableRecord::of_one(&header.agent))
}

/// Somebody who cannot be asked now; what they answered before stands in the record.
struct Absent {
    name: String,
    why: Fault,
}

impl Agent for Absent {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn ask(&self, _ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        let reason = format!("{}; {}", self.why.what, self.why.hint);
        Box::pin(async move { Err(AgentFault { spent: true, ..AgentFault::new(FaultClass::Denied, reason) }) })
    }
}

/// Who is asked in a run; nobody, where it asks nobody.
///
/// # Errors
/// A script or recordings that cannot be used, a folder for recordings that cannot be written.
pub(super) fn council_of(
    known: &Known,
    live: Arc<dyn LiveText>,
    courier: Arc<dyn Courier>,
    carry: &CarryArgs,
) -> Result<Council, Fault> {
    match &known.asked {
        Some(asked) => asked.council(live, courier, carry, &known.file()),
        None => Ok(Council::of_one(Arc::new(Offline::new()), false)),
    }
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
