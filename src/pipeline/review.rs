//! The review, as SPEC S0 tells it: fan-out, critic loop, settle.

use super::asks::{self, Question};
use super::finish::{finish, from_record, hash_of, keys};
use crate::model::event::Body;
use crate::model::fault::Fault;
use crate::model::finding::{Finding, Grounding, RawFinding, Status};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::FindingKey;
use crate::model::outcome::{Lacks, ReviewOutcome};
use crate::model::outline::LineSpan;
use crate::model::plan::{Plan, WHOLE_FILE};
use crate::model::settled::{Convergence, Hole, StoppedBy};
use crate::rules::arbiter::Verdicts;
use crate::rules::converge::Counter;
use crate::rules::ground::Grounds;
use crate::rules::{arbiter, decide, dedup, enter, ledger, recommend, settle};
use crate::run::{Ask, Carried, Council, Files, GateSubject, Outcome, Reply, Run, Settling, StepSpec, Subject, Written};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Who found what rules found beside the models.
const FLOOR: &str = "offline";

/// Reviews a document: returns what was written and where.
///
/// # Errors
/// A person is needed and not here, the journal or the target cannot be written, or the record of an earlier process differs.
pub async fn review(
    run: &Run,
    subject: &Arc<Subject>,
    plan: &Plan,
    council: &Council,
    files: &dyn Files,
) -> Result<(Arc<ReviewOutcome>, Written), Fault> {
    let plan: Plan = run.fix("plan", || plan.clone()).await?;
    let mut review = Review::new(run, subject, council, plan.critic_windows.clone());

    // Phase 1: one agent per dimension and bucket, blind to each other.
    review.ask_ahead(&plan).await?;
    review.fan_out(&plan).await?;

    // Phase 2: a critic that reads the whole document, until it is dry.
    let convergence = review.converge().await?;

    // Phase 3: duplicates merge, contradictions become questions, a person settles, one file comes out.
    let observed = run.effect("read/target", "", || files.observe()).await?;
    review.keep_what_was_not_looked_at(&plan, files.earlier(&observed));
    let proposed =
        || settle::propose(&review.findings, subject.document.outline(), &subject.recipe, &review.verdicts, &subject.wording);
    let settled: Carried = run.fix("settle", || files.carry(&observed, proposed())).await?;
    review.findings = Vec::new();
    finish(run, review.settling(&plan, convergence, settled), &observed, files).await
}

/// What a critic round came to, as recorded under `round/N`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Round {
    round: u32,
    new: Arc<Vec<Finding>>,
    /// Repetitions of known findings, each with the key of the one it repeats.
    duplicates: Vec<(Finding, FindingKey)>,
    /// New findings that make the round wet.
    wet: u32,
    dry: u32,
}

/// A review under way: the list of findings and what is decided about them.
struct Review<'a> {
    run: &'a Run,
    subject: &'a Arc<Subject>,
    council: &'a Council,
    grounds: Grounds<'a>,
    findings: Vec<Finding>,
    verdicts: Verdicts,
    /// Groups that the arbiter gave no verdict on.
    unanswered: BTreeSet<String>,
    holes: Vec<Hole>,
    not_covered: Vec<String>,
    /// The windows in which the critic reads; empty where it reads the whole document.
    windows: Vec<LineSpan>,
}

impl<'a> Review<'a> {
    fn new(run: &'a Run, subject: &'a Arc<Subject>, council: &'a Council, windows: Vec<LineSpan>) -> Review<'a> {
        let grounds = Grounds::new(subject.document.text(), subject.document.outline());
        Review {
            run,
            subject,
            council,
            grounds,
            findings: Vec::new(),
            verdicts: Verdicts::default(),
            unanswered: BTreeSet::new(),
            holes: Vec::new(),
            not_covered: Vec::new(),
            windows,
        }
    }

    /// The checks that the recipe marks `before`: outside the cap, but their findings join the list and their holes count.
    async fn ask_ahead(&mut self, plan: &Plan) -> Result<(), Fault> {
        let dimensions = plan.before.iter().filter_map(|id| self.subject.recipe.dimension(id));
        let questions: Vec<Question> = dimensions.map(|dimension| asks::before(dimension, self.subject, self.council)).collect();
        let outcomes = self.ask(&questions).await?;
        self.take_in(&questions, outcomes)
    }

    /// All agents of a wave at once, each with a fresh context.
    async fn fan_out(&mut self, plan: &Plan) -> Result<(), Fault> {
        let questions = asks::of_cells(plan, self.subject, self.council);
        let outcomes = self.ask(&questions).await?;
        self.take_in(&questions, outcomes)?;
        self.ask_floor(&questions).await?;
        let summary = serde_json::json!({ "holes": self.holes, "findings": self.findings.len() });
        self.run.fix("fan_out", || summary).await?;
        Ok(())
    }

    /// What rules find beside the models joins the list before the critic is told of it.
    async fn ask_floor(&mut self, cells: &[Question]) -> Result<(), Fault> {
        let Some(floor) = &self.council.floor else { return Ok(()) };
        let questions = asks::of_floor(cells, floor, self.subject);
        let outcomes = self.ask(&questions).await?;
        for (question, outcome) in questions.iter().zip(outcomes) {
            let Outcome::Done(answer) = outcome else { continue };
            let raws = findings_of(&question.spec.key, &answer)?;
            let dimension = question.ask.dimension.as_ref().map(|dimension| dimension.id.as_str());
            let entered = self.enter(&raws, FLOOR, dimension);
            self.join(entered);
        }
        Ok(())
    }

    /// Critic rounds until two in a row are dry, or three have run.
    async fn converge(&mut self) -> Result<Convergence, Fault> {
        let mut counter = Counter::default();
        let stopped_by = loop {
            if let Some(reason) = counter.stop() {
                break reason;
            }
            let round = counter.rounds() + 1;
            let Some(incoming) = self.ask_critic(round).await? else { break StoppedBy::Hole };
            let round = self.take_in_round(round, incoming, &mut counter).await?;
            let records = self.gate_after(&round).await?;
            if self.apply_round_records(&records) {
                break StoppedBy::Human;
            }
        };
        let ended = counter.ended(stopped_by);
        self.run.fix("convergence", || ended).await
    }

    /// One critic, fresh context, the whole document, and what is known. `None` where it failed for good: no round at all.
    async fn ask_critic(&mut self, round: u32) -> Result<Option<Vec<Finding>>, Fault> {
        let known = recommend::known_list(&self.findings);
        let questions = asks::critic(round, &known, &self.windows, self.subject, self.council);
        let outcomes = self.ask(&questions).await?;
        let mut found = Some(Vec::new());
        for (question, outcome) in questions.iter().zip(outcomes) {
            match outcome {
                Outcome::Hole(reason) | Outcome::Held(reason) => {
                    self.holes.push(hole(&question.spec, reason));
                    found = None;
                }
                Outcome::Done(answer) => {
                    let raws = findings_of(&question.spec.key, &answer)?;
                    let entered = self.enter(&raws, &format!("critic/{round}"), None);
                    found.iter_mut().for_each(|found| found.extend(entered.iter().cloned()));
                }
            }
        }
        Ok(found)
    }

    /// Everything joins the list, for settling absorbs duplicates; but neither they nor ungrounded ones make a round wet.
    async fn take_in_round(&mut self, round: u32, incoming: Vec<Finding>, counter: &mut Counter) -> Result<Round, Fault> {
        let all: Vec<Finding> = self.findings.iter().chain(&incoming).cloned().collect();
        self.arbitrate(&all).await?;
        let split = dedup::split_new(&self.findings, incoming, &self.verdicts);
        let wet = split.wet();
        counter.round(wet);
        let record = Round { round, new: Arc::new(split.new), duplicates: split.duplicates_of, wet, dry: counter.dry() };
        let record: Round = self.run.fix(&format!("round/{round}"), || record).await?;
        self.findings.extend(record.new.iter().chain(record.duplicates.iter().map(|(finding, _)| finding)).cloned());
        Ok(record)
    }

    async fn gate_after(&self, round: &Round) -> Result<Vec<GateRecord>, Fault> {
        let subject = GateSubject::Round { round: round.round, new: Arc::clone(&round.new), dry: round.dry };
        self.run
            .gate(&format!("gate/round/{}", round.round), &hash_of(&(round.round, keys(&round.new))), round.new.len(), &subject)
            .await
    }

    /// Strikes, additions and a stop. What is struck stays known; neither touches the counters. Returns whether to stop.
    fn apply_round_records(&mut self, records: &[GateRecord]) -> bool {
        let mut stop = false;
        for record in ledger::effective(records) {
            match &record.op {
                Op::Strike { finding, .. } => self.strike(finding, true),
                Op::Clear { finding } => self.strike(finding, false),
                Op::Add { finding } => {
                    let added = self.enter(std::slice::from_ref(finding), "human", None);
                    self.join(added);
                }
                Op::Stop { .. } => stop = true,
                _ => {}
            }
        }
        stop
    }

    fn strike(&mut self, key: &FindingKey, struck: bool) {
        self.findings.iter_mut().filter(|known| known.key == *key).for_each(|known| known.struck = struck);
    }

    /// Asks the arbiter, where there is one, about findings that rules cannot tell apart: once per place, in both orders.
    async fn arbitrate(&mut self, findings: &[Finding]) -> Result<(), Fault> {
        let Some(seat) = &self.council.arbiter else { return Ok(()) };
        let mut groups = arbiter::groups(findings, &self.verdicts);
        // A question that got no verdict is not put again in every round: its findings both stay.
        groups.retain(|group| !self.unanswered.contains(&group.key));
        let mut questions = Vec::new();
        for group in &groups {
            let members: Vec<Finding> =
                group.members.iter().filter_map(|key| findings.iter().find(|finding| finding.key == *key)).cloned().collect();
            questions.extend(asks::of_arbiter(group, &members, self.subject, seat));
        }
        let mut answers = self.ask(&questions).await?.into_iter();
        for group in &groups {
            let (ab, ba) = (answers.next(), answers.next());
            let held = [&ab, &ba].into_iter().flatten().find_map(|outcome| match outcome {
                Outcome::Held(reason) => Some(reason.clone()),
                _ => None,
            });
            held.into_iter().for_each(|reason| self.arbiter_held(reason));
            let decided = self.verdicts.decided.len();
            if let (Some(Outcome::Done(ab)), Some(Outcome::Done(ba))) = (ab, ba) {
                let (ab, ba) = (verdicts_of("arbiter", &ab)?, verdicts_of("arbiter", &ba)?);
                if let Ok(decided) = arbiter::read(group, &ab, &ba) {
                    self.verdicts.add(decided);
                }
            }
            if self.verdicts.decided.len() == decided {
                self.unanswered.insert(group.key.clone());
            }
        }
        Ok(())
    }

    /// The file says once that a cap kept findings from the arbiter: what they are to each other is open until a refill.
    fn arbiter_held(&mut self, reason: String) {
        let step = "arbiter".to_owned();
        if !self.holes.iter().any(|hole| hole.step == step) {
            self.holes.push(Hole { dimension: step.clone(), step, scopes: Vec::new(), reason });
        }
    }

    /// Findings of the earlier file in units or dimensions that this review leaves out, as long as their words still stand:
    /// a delta adds to what is known, it does not forget it.
    fn keep_what_was_not_looked_at(&mut self, plan: &Plan, earlier: Vec<Finding>) {
        let outline = self.subject.document.outline();
        let units: Vec<&str> = plan.scopes.iter().map(|scope| scope.uc_id.as_str()).collect();
        let whole_file = plan.scopes.iter().any(|scope| scope.name == WHOLE_FILE);
        for finding in earlier {
            let known_unit = outline.units.iter().any(|unit| unit.uc_id() == finding.uc_id && !finding.uc_id.is_empty());
            let left_out = known_unit && !whole_file && !units.contains(&finding.uc_id.as_str());
            let not_asked = !self.subject.enabled.contains(&finding.dimension);
            if !(left_out || not_asked) || finding.quote.is_empty() {
                continue;
            }
            let grounded = self.grounds.ground(&as_returned(&finding));
            if !matches!(grounded.grounding, Grounding::Missing) {
                let (line, section) = (grounded.line, grounded.section);
                let status = if finding.is_conflict() { self.subject.recipe.conflict_status } else { Status::Pending };
                let fresh = Finding { line, section, status, resolution: None, ..finding };
                self.findings.push(fresh);
            }
        }
    }

    /// The proposal with the one way from a person's records to what the review comes to.
    fn settling(&self, plan: &Plan, convergence: Convergence, settled: Carried) -> Settling {
        let Carried { proposal, record } = settled;
        let (proposal, subject) = (Arc::new(proposal), Arc::clone(self.subject));
        let (agents, holes, not_covered) = (plan.cells.len() as u32, self.holes.clone(), self.not_covered.clone());
        let accounts = self.run.accounts();
        let lacks = Lacks::of(&accounts, self.windows.len());
        Settling::new(Arc::clone(&proposal), move |records| {
            let findings = decide::apply(&proposal, records).findings;
            ReviewOutcome {
                recommendation: recommend::recommend(&findings, &subject.recipe, !holes.is_empty() || lacks.is_cut()),
                lacks: lacks.clone(),
                accounts: accounts.clone(),
                findings,
                dropped: proposal.dropped.clone(),
                convergence: convergence.clone(),
                agents,
                holes: holes.clone(),
                not_covered: not_covered.clone(),
                carry: record.clone(),
                generated_at: String::new(),
            }
        })
    }

    /// Asks a set of questions and returns how each ended, in the same order.
    async fn ask(&self, questions: &[Question]) -> Result<Vec<Outcome>, Fault> {
        let specs: Vec<StepSpec> = questions.iter().map(|question| question.spec.clone()).collect();
        let by_key: HashMap<String, Question> =
            questions.iter().map(|question| (question.spec.key.clone(), question.clone())).collect();
        let run = self.run.clone();
        let attempt = move |spec: StepSpec, number: u32, cancel| {
            let question = &by_key[&spec.key];
            let ask = Ask { purse: run.purse(&spec.key), ..question.ask.clone() };
            asks::attempt(Arc::clone(&question.agent), ask, number, cancel)
        };
        self.run.fan_out(specs, attempt).await
    }

    /// Answers of reviewers join the list; unanswered questions become holes, uncovered dimensions are named.
    fn take_in(&mut self, questions: &[Question], outcomes: Vec<Outcome>) -> Result<(), Fault> {
        for (question, outcome) in questions.iter().zip(outcomes) {
            let dimension = &question.spec.dimension;
            match outcome {
                Outcome::Hole(reason) | Outcome::Held(reason) => self.holes.push(hole(&question.spec, reason)),
                Outcome::Done(answer) => match from_record::<Reply>(&question.spec.key, &answer)? {
                    Reply::Findings(raws) => {
                        let entered = self.enter(&raws, dimension, Some(dimension));
                        self.join(entered);
                    }
                    _ => {
                        if !self.not_covered.contains(dimension) {
                            self.not_covered.push(dimension.clone());
                        }
                    }
                },
            }
        }
        Ok(())
    }

    /// Grounds and keys what an agent returned. A critic's finding keeps the dimension it names, else gets the recipe's first.
    fn enter(&self, raws: &[RawFinding], found_by: &str, dimension: Option<&str>) -> Vec<Finding> {
        let recipe = &self.subject.recipe;
        let role = dimension.map_or(enter::Role::Any, enter::Role::Reviewer);
        let enter = |raw| enter::enter(raw, found_by, &enter::dimension_of(raw, recipe, role), &self.grounds, recipe);
        raws.iter().map(enter).collect()
    }

    /// Adds findings to the list; settling gathers those that are the same.
    fn join(&mut self, incoming: Vec<Finding>) {
        let told_apart = crate::rules::keys::tell_apart(&self.findings, incoming);
        self.findings.extend(told_apart);
    }
}

fn hole(spec: &StepSpec, reason: String) -> Hole {
    Hole { step: spec.label.clone(), dimension: spec.dimension.clone(), scopes: spec.scopes.clone(), reason }
}

fn findings_of(key: &str, answer: &Body) -> Result<Vec<RawFinding>, Fault> {
    match from_record(key, answer)? {
        Reply::Findings(raws) => Ok(raws),
        _ => Ok(Vec::new()),
    }
}

fn verdicts_of(key: &str, answer: &Body) -> Result<Vec<crate::model::arbiter::VerdictPart>, Fault> {
    match from_record(key, answer)? {
        Reply::Verdicts(parts) => Ok(parts),
        _ => Ok(Vec::new()),
    }
}

/// A finding as its agent returned it, for grounding it again.
fn as_returned(finding: &Finding) -> RawFinding {
    RawFinding {
        section: finding.section.clone(),
        uc_id: finding.uc_id.clone(),
        quote: finding.quote.clone(),
        finding: finding.finding.clone(),
        ..RawFinding::default()
    }
}
