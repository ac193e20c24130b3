//! The revision of a findings file: its decisions are changed by a person, then it is written again. No agent is asked.

use super::finish::finish;
use crate::model::accounts::Accounts;
use crate::model::fault::Fault;
use crate::model::outcome::{CarryRecord, Lacks, ReviewOutcome};
use crate::model::recipe::Recipe;
use crate::model::settled::{Convergence, Hole, Proposal};
use crate::rules::{decide, recommend};
use crate::run::{Carried, Files, Run, Settling, Written};
use std::sync::Arc;

/// What a findings file says, as far as deciding on it anew needs it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its findings with the decisions they stand under, and what it names as dropped.
    pub proposal: Proposal,
    /// How the critic loop of its review ended.
    pub convergence: Convergence,
    /// Agents of that review.
    pub agents: u32,
    /// What was never answered.
    pub holes: Vec<Hole>,
    /// What was not looked at.
    pub not_covered: Vec<String>,
    /// What was not whole besides holes.
    pub lacks: Lacks,
    /// The recipe that it names.
    pub recipe: Recipe,
}

/// Lets a person decide anew on the findings of a file: returns what was written and where.
///
/// # Errors
/// A person is needed and not here, the journal or the target cannot be written, the target has changed since it was
/// opened, or the record of an earlier process differs.
pub async fn revise(run: &Run, opened: &Opened, files: &dyn Files) -> Result<(Arc<ReviewOutcome>, Written), Fault> {
    let observed = run.effect("read/target", "", || files.observe()).await?;
    let convergence = run.fix("convergence", || opened.convergence.clone()).await?;
    let proposed = || Carried { proposal: opened.proposal.clone(), record: CarryRecord::default() };
    let settled: Carried = run.fix("settle", proposed).await?;
    finish(run, settling(opened, convergence, settled.proposal), &observed, files).await
}

/// From a person's records to what the file says then; all that nobody decides on here is as it was.
fn settling(opened: &Opened, convergence: Convergence, proposal: Proposal) -> Settling {
    let (opened, proposal) = (opened.clone(), Arc::new(proposal));
    Settling::new(Arc::clone(&proposal), move |records| {
        let findings = decide::apply(&proposal, records).findings;
        ReviewOutcome {
            recommendation: recommend::recommend(&findings, &opened.recipe, !opened.holes.is_empty() || opened.lacks.is_cut()),
            lacks: opened.lacks.clone(),
            // The facts of the run that found them stand in the file as they are.
            accounts: Accounts::default(),
            findings,
            dropped: proposal.dropped.clone(),
            convergence: convergence.clone(),
            agents: opened.agents,
            holes: opened.holes.clone(),
            not_covered: opened.not_covered.clone(),
            carry: CarryRecord::default(),
            generated_at: String::new(),
        }
    })
}
