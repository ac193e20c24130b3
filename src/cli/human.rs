//! The person, headless: answers from a decisions file, deferrals in words, and otherwise: not here.

use crate::files::decisions::{self, Decisions};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Finding;
use crate::model::gate::Op;
use crate::model::settled::Proposal;
use crate::rules::{decide, ledger};
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
    /// Leaves the records that the command line asks for.
    ///
    /// # Errors
    /// The decisions do not fit the findings, or the journal cannot be written.
    pub async fn decide(&self, desk: &Desk<'_>, proposal: &Proposal) -> Result<(), Fault> {
        if let Some(decisions) = &self.decisions {
            for record in decisions::to_records(decisions, proposal, "")? {
                if ledger::effective(&desk.records()).iter().all(|known| known.op != record.op) {
                    desk.record(record.op, &record.by).await?;
                }
            }
        }
        for op in self.deferrals(&self.open_findings(desk, proposal)) {
            desk.record(op, COMMAND_LINE).await?;
        }
        Ok(())
    }

    async fn settle(&self, desk: &Desk<'_>, proposal: &Proposal) -> Result<GateEnd, Fault> {
        self.decide(desk, proposal).await?;
        let open = self.open_findings(desk, proposal);
        if open.is_empty() {
            return Ok(if ledger::effective(&desk.records()).is_empty() { GateEnd::Passed } else { GateEnd::Closed });
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
                GateSubject::Settle(settling) => self.settle(&desk, &settling.proposal).await,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Folders, recipe};
    use crate::document::Document;
    use crate::model::event::{Body, Draft, Kind};
    use crate::model::finding::RawFinding;
    use crate::model::gate::GateRecord;
    use crate::rules::{enter, ground::Grounds, settle};
    use crate::run::{MemoryStore, Run, Settling, Store, SystemClock};
    use std::sync::Arc;

    /// A conflict between A and B.
    fn proposal() -> Proposal {
        let recipe = recipe::load("refine-prd", &Folders { config: None, state: "/nowhere".into() }).expect("built in").0;
        let document = Document::parse("# Loans\n\nA loan ends after 14 days.\n".to_owned());
        let raw = RawFinding {
            severity: "major".into(),
            quote: "A loan ends after 14 days.".into(),
            finding: "Two readings of the end.".into(),
            options: vec!["End at midnight.".into(), "End at closing time.".into()],
            ..RawFinding::default()
        };
        let found = enter::enter(&raw, "DEV", "DEV", &Grounds::new(document.text(), document.outline()), &recipe);
        settle::propose(&[found], document.outline(), &recipe, &Default::default(), &Default::default())
    }

    /// The records that a gate closes with where these were left on it before.
    async fn records_after(ops: Vec<Op>, human: HeadlessHuman) -> Result<Vec<GateRecord>, Fault> {
        let store = MemoryStore::default();
        let mut drafts = vec![Draft::new(Kind::GateOpened, "gate/settle", serde_json::json!({ "items": 1 }))];
        drafts.extend(ops.into_iter().map(|op| {
            let record = GateRecord { op, by: "Lan".to_owned(), at: String::new() };
            Draft::new(Kind::GateRecord, "gate/settle", Body::of(&record).expect("JSON"))
        }));
        let events = store.append(drafts, String::new()).await?;
        let run = Run::new(Box::new(store), &events, Arc::new(SystemClock), Arc::new(human), Box::new(|_| {}));
        let settling = Settling::new(Arc::new(proposal()), |_| unreachable!("nobody looks at what would come out"));
        run.gate("gate/settle", "", 1, &GateSubject::Settle(Arc::new(settling))).await
    }

    fn human(decisions: Option<&str>) -> HeadlessHuman {
        let decisions = decisions.map(|text| decisions::read(text, "d.yaml").expect("a decisions file"));
        HeadlessHuman { decisions, defer_all: None, defer_policy: false, step: false, open: Mutex::default() }
    }

    #[tokio::test]
    async fn a_decision_of_the_file_is_left_once_and_again_where_it_was_taken_back() {
        let key = proposal().findings[0].key.clone();
        let file = format!("schema: tamis.decisions/1\nby: An\ndecisions:\n  \"{key}\": {{choose: B, reason: later}}\n");
        let choose = || Op::Choose { finding: key.clone(), label: "B".to_owned(), reason: "later".to_owned() };
        let left = async |ops: Vec<Op>| -> Vec<Op> {
            let records = records_after(ops, human(Some(&file))).await.expect("closed");
            records.into_iter().map(|record| record.op).collect()
        };
        assert_eq!(left(vec![choose()]).await, [choose()]);
        assert_eq!(left(vec![choose(), Op::Undo {}]).await, [choose(), Op::Undo {}, choose()]);
        assert_eq!(left(vec![Op::Bulk { ops: vec![choose()] }]).await.len(), 1);
    }

    #[tokio::test]
    async fn what_was_taken_back_or_only_drafted_is_open() {
        let key = proposal().findings[0].key.clone();
        let choose = || Op::Choose { finding: key.clone(), label: "B".to_owned(), reason: String::new() };
        let draft = Op::Draft { subject: key.to_string(), text: "End at noo".to_owned() };
        for ops in [vec![draft], vec![choose(), Op::Undo {}], vec![choose(), Op::Clear { finding: key.clone() }]] {
            let fault = records_after(ops.clone(), human(None)).await.expect_err("open");
            assert_eq!(fault.kind, FaultKind::NeedsPerson, "{ops:?}");
        }
        records_after(vec![choose()], human(None)).await.expect("decided");
    }
}
