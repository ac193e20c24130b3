//! The findings file as the pipeline's `Files` port: observed before settling, carried over, written whole or not at all.

use super::known::{Known, Work};
use crate::config::read_text_up_to;
use crate::files::carry::{Carry, carry};
use crate::files::findings::{self, Coverage, FileStatus, FindingsFile};
use crate::files::replace::{self, State, Target};
use crate::model::accounts::{Account, Accounts};
use crate::model::answer::Usage;
use crate::model::event::{Body, Event, Kind};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::{Finding, Status};
use crate::model::ids::RunId;
use crate::model::outcome::{CarryRecord, ReviewOutcome};
use crate::model::recipe::Recipe;
use crate::model::settled::{Dropped, Proposal};
use crate::model::yaml::FINDINGS_BYTES;
use crate::rules::settle::Citations;
use crate::run::{BoxFuture, Carried, Files, Written};
use crate::tui::port::Preview;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Key of the step that writes the findings file.
const WRITE: &str = "write/findings";

/// A findings file as it was opened.
#[derive(Debug)]
struct Revised {
    path: PathBuf,
    hash: String,
    file: FindingsFile,
}

/// What the file says of the run besides the outcome.
#[derive(Clone, Debug)]
pub struct Meta {
    /// The run that writes.
    id: RunId,
    recipe: Recipe,
    source: String,
    version: String,
    run: findings::Run,
    /// The findings file that is revised, where one is.
    revises: Option<Arc<Revised>>,
    /// Hash of the file as this run last wrote it.
    last_written: Option<String>,
    /// Hash of what this run last set out to write: an interrupted process may have got as far as the renaming.
    intended: Option<String>,
}

impl Meta {
    /// The facts of a run, from what it is about and what it has recorded so far.
    pub fn of(known: &Known, events: &[Event]) -> Meta {
        let intent = |event: &&Event| event.kind == Kind::Fixed && event.key == "writing";
        let (source, version, run, revises) = match &known.work {
            Work::Review(inputs) => {
                let version = inputs.subject.document.outline().metadata.version.clone();
                (known.header.document_given.clone(), version, facts(known, events), None)
            }
            Work::Revise(revision) => {
                let FindingsFile { source, version, run, .. } = revision.file.clone();
                let (path, hash) = (PathBuf::from(&known.header.document), known.header.document_hash.clone());
                (source, version, run, Some(Arc::new(Revised { path, hash, file: revision.file.clone() })))
            }
        };
        Meta {
            recipe: known.work.recipe().clone(),
            id: RunId::from(known.header.run.as_str()),
            source,
            version,
            run,
            revises,
            last_written: written_hash(events),
            intended: events.iter().rev().find(intent).and_then(|event| event.body.read().ok()),
        }
    }
}

/// Facts of a review as the file names them.
fn facts(known: &Known, events: &[Event]) -> findings::Run {
    let header = &known.header;
    findings::Run {
        id: RunId::from(header.run.as_str()),
        started_at: events.first().map(|event| event.at.clone()).unwrap_or_default(),
        tamis: header.tamis.clone(),
        recipe: known.work.recipe().name.clone(),
        agent: agent_name(&header.agent),
        lang: known.work.lang().code().to_owned(),
        document_hash: header.document_hash.clone(),
        seats: known.asked.as_ref().map(|asked| asked.seats()).unwrap_or_default(),
        ..findings::Run::default()
    }
}

/// What cost something, by agent; attempts that failed under `failed attempts`.
fn usage(accounts: &Accounts) -> BTreeMap<String, Account> {
    let agents = accounts.agents.iter().map(|(name, account)| (name.clone(), *account));
    let all = agents.chain([("failed attempts".to_owned(), accounts.failed)]);
    all.filter(|(_, account)| account.usage != Usage::default()).collect()
}

/// Hash of the findings file that a run wrote last; `None` where it wrote none.
pub fn written_hash(events: &[Event]) -> Option<String> {
    let write = |event: &&Event| event.kind == Kind::StepDone && event.key == WRITE;
    let last = events.iter().rev().find(write)?;
    last.body.value()["answer"]["hash"].as_str().map(str::to_owned)
}

/// Who reviewed, without the folders of this machine: `script:council.yaml`. The slashes of an address lead to no file here.
fn agent_name(agent: &str) -> String {
    match agent.split_once(':') {
        Some((kind @ ("script" | "replay"), path)) => {
            let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
            format!("{kind}:{}", name.as_deref().unwrap_or(path))
        }
        _ => agent.to_owned(),
    }
}

/// What stood at the target when it was observed.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Observed {
    path: PathBuf,
    hash: Option<String>,
    earlier: Option<FindingsFile>,
}

/// One target file.
#[derive(Clone)]
pub struct TargetFiles {
    path: PathBuf,
    overwrite: bool,
    meta: Meta,
    /// The bytes made ready for the outcome at hand.
    prepared: Arc<Mutex<Option<String>>>,
    /// What stood there when the run looked, once it has.
    observed: Arc<Mutex<Option<Observed>>>,
}

impl TargetFiles {
    /// The findings file at `path`.
    pub fn new(path: PathBuf, overwrite: bool, meta: Meta) -> TargetFiles {
        TargetFiles { path, overwrite, meta, prepared: Arc::default(), observed: Arc::default() }
    }

    /// The same file with what the run has recorded by now.
    pub fn with(&self, meta: Meta) -> TargetFiles {
        TargetFiles::new(self.path.clone(), self.overwrite, meta)
    }

    /// What would be written, beside what is there.
    pub fn preview(&self, outcome: &ReviewOutcome) -> Preview {
        let text = self.text(outcome).unwrap_or_default();
        let preview = Preview { path: shown(&self.path), text, outcome: Some(Box::new(outcome.clone())), ..Preview::default() };
        let now = match self.target() {
            Ok(now) => now,
            Err(fault) => return Preview { refusal: Some(format!("{}; {}", fault.what, fault.hint)), ..preview },
        };
        let observed = locked(&self.observed);
        let opened = self.meta.revises.as_ref().filter(|opened| opened.path == self.path).map(|opened| opened.hash.as_str());
        let expected = match &*observed {
            Some(observed) => self.expected(observed),
            None => opened.or(now.hash()),
        };
        let refusal = match self.is_as_expected(&now, expected) {
            true => now.refusal(),
            false => Some(self.changed(&now)),
        };
        let keeps = refusal.is_some() && self.overwrite;
        if keeps || refusal.is_some() {
            // What to do about a file that is in the way is said in the person's language.
            return Preview { keeps, refusal: refusal.filter(|_| !keeps).map(|fault| fault.what), ..preview };
        }
        let there = now.hash().and_then(|_| read_text_up_to(&self.path, FINDINGS_BYTES).ok());
        Preview { there, ..preview }
    }

    /// Hash of what the run expects at the target.
    fn expected<'o>(&self, observed: &'o Observed) -> Option<&'o str> {
        if observed.path == self.path { observed.hash.as_deref() } else { None }
    }

    /// Whether writing takes nothing away that the run does not know: what was observed stands there, what this run wrote
    /// itself, or nothing any more.
    fn is_as_expected(&self, now: &Target, expected: Option<&str>) -> bool {
        now.hash().is_none_or(|hash| Some(hash) == expected || self.is_own(hash))
    }

    fn changed(&self, now: &Target) -> Fault {
        let shown = shown(&self.path);
        let what = match now.state {
            State::Foreign { .. } => format!("{shown} was not written by tamis and stays as it is"),
            _ => format!("{shown} has changed since this run read it and stays as it is"),
        };
        Fault::new(FaultKind::Io, what, "resume with --overwrite to replace it (kept as .bak), or with --out FILE")
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run that writes it.
    pub fn run_id(&self) -> &str {
        self.meta.id.as_str()
    }

    /// What a person should know before an hour of work ends in a refusal.
    pub fn early_notice(&self) -> Option<String> {
        let refusal = match self.target() {
            Ok(target) => target.refusal().filter(|_| !self.overwrite)?,
            Err(fault) => fault,
        };
        Some(format!("{}; {}", refusal.what, refusal.hint))
    }

    /// What stands at the target, as findings on this document under this recipe see it.
    fn target(&self) -> Result<Target, Fault> {
        Ok(Target::observe(&self.path)?.seen_from(&self.meta.source, &self.meta.recipe.name))
    }

    fn look(&self) -> Result<Observed, Fault> {
        let target = self.target()?;
        if let Some(opened) = &self.meta.revises {
            // Decisions are made on what was opened: another text is opened anew.
            if target.hash() != Some(opened.hash.as_str()) && self.path == opened.path && !self.overwrite {
                let what = format!("{} has changed since it was opened", shown(&self.path));
                return Err(Fault::new(FaultKind::Io, what, "open it again: nothing of it was changed"));
            }
            let hash = target.hash().map(str::to_owned);
            return Ok(Observed { path: self.path.clone(), hash, earlier: None });
        }
        Ok(Observed {
            path: self.path.clone(),
            hash: target.hash().map(str::to_owned),
            earlier: target.earlier.map(|file| *file),
        })
    }

    fn file(&self, outcome: &ReviewOutcome) -> Result<FindingsFile, Fault> {
        if let Some(opened) = &self.meta.revises {
            return Ok(revised(&opened.file, outcome));
        }
        let carry: Carry = match &outcome.carry.detail {
            serde_json::Value::Null => Carry::default(),
            detail => serde_json::from_value(detail.clone()).map_err(|error| {
                Fault::new(FaultKind::Refused, format!("the record of carried decisions: {error}"), "start a new run")
            })?,
        };
        Ok(FindingsFile {
            source: self.meta.source.clone(),
            version: self.meta.version.clone(),
            applied_to_version: String::new(),
            generated_at: outcome.generated_at.clone(),
            status: FileStatus::PendingReview,
            findings: cited_by_id(&outcome.findings),
            recommendation: outcome.recommendation.clone(),
            convergence: outcome.convergence.clone(),
            coverage: Coverage::of(outcome),
            dropped: cited_in_reasons(outcome),
            carried: carry.carried,
            carried_unmatched: carry.unmatched,
            run: findings::Run {
                finished_at: outcome.generated_at.clone(),
                durations_ms: durations(&self.meta.run.started_at, &outcome.generated_at),
                usage: match self.meta.revises {
                    Some(_) => self.meta.run.usage.clone(),
                    None => usage(&outcome.accounts),
                },
                sandbox: match self.meta.revises {
                    Some(_) => self.meta.run.sandbox.clone(),
                    None => outcome.accounts.sandbox.clone(),
                },
                ..self.meta.run.clone()
            },
            extra: carry.extra,
        })
    }

    fn text(&self, outcome: &ReviewOutcome) -> Result<String, Fault> {
        Ok(findings::render(&self.file(outcome)?, &self.meta.recipe))
    }

    /// Whether this run wrote a file of this hash, also in a process that was killed before it could say so.
    fn is_own(&self, hash: &str) -> bool {
        [&self.meta.last_written, &self.meta.intended].into_iter().flatten().any(|own| own == hash)
    }

    fn put(&self, observed: Observed, outcome: &ReviewOutcome) -> Result<Written, Fault> {
        let prepared = locked(&self.prepared).take();
        let text = prepared.map_or_else(|| self.text(outcome), Ok)?;
        let mut now = self.target()?;
        let hash = hash_of(&text);
        // The rename of an interrupted process may have gone through: then `replace` only makes sure that it lasts.
        let is_written = now.hash() == Some(hash.as_str());
        if !is_written && !self.is_as_expected(&now, self.expected(&observed)) {
            if !self.overwrite {
                return Err(self.changed(&now));
            }
            // Somebody else's decisions are kept beside, like any other file.
            if let State::Ours { hash } = now.state {
                now.state = State::Foreign { hash };
            }
        }
        let written = replace::replace(&now, text.as_bytes(), self.overwrite)?;
        Ok(Written { path: shown(&self.path), hash, backup: written.backup.map(|path| path.display().to_string()) })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file that was opened with what was decided on it since; facts of its review stay as they were.
fn revised(opened: &FindingsFile, outcome: &ReviewOutcome) -> FindingsFile {
    let to_apply = |finding: &Finding| matches!(finding.status, Status::Accepted | Status::Modified);
    let status = match opened.status {
        FileStatus::Applied if outcome.findings.iter().any(to_apply) => FileStatus::PartiallyApplied,
        status => status,
    };
    FindingsFile {
        generated_at: outcome.generated_at.clone(),
        status,
        findings: outcome.findings.clone(),
        recommendation: outcome.recommendation.clone(),
        ..opened.clone()
    }
}

fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl Files for TargetFiles {
    fn observe(&self) -> BoxFuture<'_, Result<Body, Fault>> {
        Box::pin(async {
            let files = self.clone();
            let observed = blocking(move || files.look()).await?;
            Body::of(&observed).map_err(|error| Fault::io(self.path.display(), error, ""))
        })
    }

    fn earlier(&self, observed: &Body) -> Vec<Finding> {
        let observed = observed.read::<Observed>().ok();
        locked(&self.observed).clone_from(&observed);
        observed.and_then(|observed| observed.earlier).map(|file| file.findings).unwrap_or_default()
    }

    fn prepare(&self, outcome: &ReviewOutcome) -> String {
        // What cannot be rendered is said by `write`.
        let text = self.text(outcome).unwrap_or_default();
        let hash = hash_of(&text);
        *locked(&self.prepared) = Some(text).filter(|text| !text.is_empty());
        hash
    }

    fn carry(&self, observed: &Body, mut proposal: Proposal) -> Carried {
        let earlier = observed.read::<Observed>().ok().and_then(|observed| observed.earlier);
        let Some(earlier) = earlier else { return Carried { proposal, record: CarryRecord::default() } };
        let carry = carry(&mut proposal.findings, &earlier);
        let record = CarryRecord {
            carried: carry.carried.len() as u32,
            unmatched: carry.unmatched.len() as u32,
            detail: serde_json::to_value(&carry).unwrap_or_default(),
        };
        Carried { proposal, record }
    }

    fn write<'a>(&'a self, observed: &'a Body, outcome: Arc<ReviewOutcome>) -> BoxFuture<'a, Result<Written, Fault>> {
        Box::pin(async move {
            let observed = observed.read().unwrap_or(Observed { path: self.path.clone(), hash: None, earlier: None });
            let files = self.clone();
            blocking(move || files.put(observed, &outcome)).await
        })
    }
}

/// Findings whose texts cite others by id instead of by key.
fn cited_by_id(findings: &[Finding]) -> Vec<Finding> {
    let proposal = Proposal { findings: findings.to_vec(), ..Proposal::default() };
    let citations = Citations::of(&proposal);
    let render = |text: &str| citations.render(text);
    let mut rendered = findings.to_vec();
    for finding in &mut rendered {
        finding.finding = render(&finding.finding);
        finding.suggestion = render(&finding.suggestion);
        finding.resolution_edge_cases.iter_mut().for_each(|case| *case = render(case));
        for option in &mut finding.options {
            option.finding = render(&option.finding);
            option.suggestion = render(&option.suggestion);
        }
        finding.blocked_on.iter_mut().for_each(|question| question.question = render(&question.question));
    }
    rendered
}

/// Dropped findings whose reasons cite others by id.
fn cited_in_reasons(outcome: &ReviewOutcome) -> Vec<Dropped> {
    let proposal = Proposal { findings: outcome.findings.clone(), ..Proposal::default() };
    let citations = Citations::of(&proposal);
    let cited = |dropped: &Dropped| Dropped { reason: citations.render(&dropped.reason), ..dropped.clone() };
    outcome.dropped.iter().map(cited).collect()
}

/// Milliseconds from the run's first record to its settling, waiting for people included.
fn durations(started_at: &str, settled_at: &str) -> BTreeMap<String, u64> {
    let moment = |text: &str| text.parse::<jiff::Timestamp>().map(|moment| moment.as_millisecond());
    match (moment(started_at), moment(settled_at)) {
        (Ok(from), Ok(to)) => BTreeMap::from([("total".to_owned(), u64::try_from(to - from).unwrap_or_default())]),
        _ => BTreeMap::new(),
    }
}

/// A path as people read it: from the folder they stand in where it lies below that.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let below = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}

/// File work off the thread that serves the run.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Fault> + Send + 'static) -> Result<T, Fault> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.unwrap_or_else(|error| Err(Fault::new(FaultKind::Io, format!("file work stopped: {error}"), "resume the run")))
}
