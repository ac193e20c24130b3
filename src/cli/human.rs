//! The person, headless: answers from a decisions file, deferrals in words, and otherwise: not here.

use crate::files::decisions::{self, Decisions};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Finding;
use crate::model::gate::Op;
use crate::model::settled::Proposal;
use crate::rules::decide;
use crate::run::{BoxFuture, Desk, GateEnd, GateSubject, HoleEnd, Human, StepSpec};
use std::sync::Mutex;

/// Whoever decides without a screen.
pub struct HeadlessHuman {
    /// Answers by finding key.
    pub decisions: Option<Decisions>,
    /// Words with which every open conflict is put off.
    pub defer_all: Option<String>,
    /// Whether policy questions are put off in the same words.
    pub defer_policy: bool,
    /// Whether to stop at every round's gate once.
    pub step: bool,
    /// Where what is still open is left for whoever prints the template.
    pub open: Mutex<Vec<Finding>>,
}

/// Who is named in records made without a decisions file.
const COMMAND_LINE: &str = "command line";

impl HeadlessHuman {
    async fn settle(&self, desk: &Desk<'_>, proposal: &Proposal) -> Result<GateEnd, Fault> {
        if let Some(decisions) = &self.decisions {
            for record in decisions::to_records(decisions, proposal, "")? {
                if desk.records().iter().all(|known| known.op != record.op) {
                    desk.record(record.op, &record.by).await?;
                }
            }
        }
        for op in self.deferrals(&self.open_findings(desk, proposal)) {
            desk.record(op, COMMAND_LINE).await?;
        }
        let open = self.open_findings(desk, proposal);
        if open.is_empty() {
            return Ok(if desk.records().is_empty() { GateEnd::Passed } else { GateEnd::Closed });
        }
        let what = waiting_for(&open);
        *self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = open;
        let hint = "answer them in a decisions file, or put them off with --defer-all REASON (policy questions: --defer-policy)";
        Ok(GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, what, hint)))
    }

    fn open_findings(&self, desk: &Desk<'_>, proposal: &Proposal) -> Vec<Finding> {
        let decided = decide::apply(proposal, &desk.records()).findings;
        decided.into_iter().filter(Finding::blocks_writing).collect()
    }

    /// `--defer-all` puts off conflicts; policy questions only under the switch of their own.
    fn deferrals(&self, open: &[Finding]) -> Vec<Op> {
        let Some(reason) = &self.defer_all else { return Vec::new() };
        let mut ops = Vec::new();
        for finding in open {
            if finding.is_open_conflict() {
                ops.push(Op::Defer { finding: finding.key.clone(), reason: reason.clone() });
            }
            if self.defer_policy {
                let blocking = finding.blocked_on.iter().filter(|question| question.blocks_writing());
                ops.extend(blocking.map(|question| Op::DeferQuestion { question: question.key.clone(), reason: reason.clone() }));
            }
        }
        ops
    }
}

fn waiting_for(open: &[Finding]) -> String {
    let conflicts = open.iter().filter(|finding| finding.is_open_conflict()).count();
    let questions: usize =
        open.iter().map(|finding| finding.blocked_on.iter().filter(|question| question.blocks_writing()).count()).sum();
    let plural = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    match (conflicts, questions) {
        (_, 0) => format!("a person is needed: {} open", plural(conflicts, "conflict")),
        (0, _) => format!("a person is needed: {} open", plural(questions, "policy question")),
        _ => format!("a person is needed: {} and {} open", plural(conflicts, "conflict"), plural(questions, "policy question")),
    }
}

impl Human for HeadlessHuman {
    fn at_gate<'a>(&'a self, desk: Desk<'a>) -> BoxFuture<'a, Result<GateEnd, Fault>> {
        Box::pin(async move {
            match desk.subject {
                GateSubject::Settle(proposal) => self.settle(&desk, proposal).await,
                GateSubject::Round { round, new, .. } if self.step && !desk.waited => {
                    let what = format!("step mode: round {round} added {} findings", new.len());
                    Ok(GateEnd::Wait(Fault::new(FaultKind::NeedsPerson, what, "`tamis replay RUN` shows them; resume to go on")))
                }
                GateSubject::Round { .. } => Ok(if desk.waited { GateEnd::Closed } else { GateEnd::Passed }),
            }
        })
    }

    fn at_hole<'a>(&'a self, _step: &'a StepSpec, _reason: &'a str) -> BoxFuture<'a, HoleEnd> {
        Box::pin(async { HoleEnd::Accept { by: "headless".to_owned() } })
    }
}
