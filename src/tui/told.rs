//! What the line for the person says when a record is on the disk: what was saved or taken back, how much is left, what
//! comes next.

use super::model::{Model, SETTLE, Screen};
use super::wrap;
use crate::model::gate::Op;
use crate::model::ids::{FindingKey, QuestionKey};
use crate::rules::ledger;

/// Columns that the words of a finding without an id take.
const NAME: usize = 40;

/// The line for a record that is in the model already.
pub fn saved(model: &Model, op: &Op) -> String {
    let records = model.gate().map(|gate| model.records(gate)).unwrap_or_default();
    let (id, what) = match op {
        Op::Undo {} => ("told-undone", ledger::redoable(records).map(|record| &record.op)),
        Op::Redo {} => ("told-redone", ledger::undoable(records).map(|record| &record.op)),
        op => ("told-saved", Some(op)),
    };
    let what = what.map_or_else(|| model.word("did-nothing"), |op| deed(model, op));
    let mut text = model.say(id, &[("what", what.into())]);
    if decides_here(model, op)
        && let Some(left) = left(model)
    {
        text = format!("{text}{}{left}", model.look.glyphs.separator);
    }
    text
}

/// Whether the line says how much is left: after decisions on the screens that go from one open item to the next.
fn decides_here(model: &Model, op: &Op) -> bool {
    let settles = model.gate() == Some(SETTLE);
    let decision = matches!(
        op,
        Op::Choose { .. }
            | Op::Write { .. }
            | Op::Reject { .. }
            | Op::Defer { .. }
            | Op::Answer { .. }
            | Op::DeferQuestion { .. }
    );
    settles && decision && matches!(model.screen, Screen::Decide | Screen::Questions)
}

/// What is left on the screen at hand, else what comes next.
fn left(model: &Model) -> Option<String> {
    let open = &model.decided.open;
    let (conflicts, policy, questions) = (open.conflicts.len(), open.policy.len(), open.questions.len());
    let said = |id: &str, count: usize| Some(model.say(id, &[("count", count.into())]));
    match (model.screen, conflicts, policy, questions) {
        (Screen::Decide, 1.., _, _) => said("told-conflicts-left", conflicts),
        (Screen::Questions, _, 1.., _) => said("told-policy-left", policy),
        (_, 1.., _, _) => said("told-next-conflicts", conflicts),
        (_, 0, 1.., _) => said("told-next-policy", policy),
        (_, 0, 0, 1..) => said("told-questions-may-stay", questions),
        (_, 0, 0, 0) => Some(model.word("told-all-decided")),
    }
}

/// What a record did, in a few words: `F012 A`.
pub fn deed(model: &Model, op: &Op) -> String {
    let of = |id: &str, finding: &FindingKey| model.say(id, &[("id", name(model, finding).into())]);
    let asked = |id: &str, question: &QuestionKey| {
        let finding = model.question(question).map(|(finding, _)| finding.id.clone());
        model.say(id, &[("id", finding.unwrap_or_else(|| question.as_str().to_owned()).into())])
    };
    match op {
        Op::Choose { finding, label, .. } => {
            model.say("did-choose", &[("id", name(model, finding).into()), ("label", label.as_str().into())])
        }
        Op::Write { finding, .. } => of("did-write", finding),
        Op::Accept { finding, .. } => of("did-accept", finding),
        Op::Reject { finding, .. } => of("did-reject", finding),
        Op::Defer { finding, .. } => of("did-defer", finding),
        Op::Clear { finding } => of("did-clear", finding),
        Op::Strike { finding, .. } => of("did-strike", finding),
        Op::Answer { question, .. } => asked("did-answer", question),
        Op::Assign { question, .. } => asked("did-assign", question),
        Op::DeferQuestion { question, .. } => asked("did-defer-question", question),
        Op::ClearQuestion { question } => asked("did-clear-question", question),
        Op::Add { .. } => model.word("did-add"),
        Op::Stop { .. } => model.word("did-stop"),
        Op::Bulk { ops } => model.say("did-bulk", &[("count", ops.len().into())]),
        Op::Draft { .. } | Op::Undo {} | Op::Redo {} => model.word("did-nothing"),
    }
}

/// A finding's id; before it has one, the beginning of its words.
fn name(model: &Model, key: &FindingKey) -> String {
    if let Some(finding) = model.finding(key) {
        return finding.id.clone();
    }
    match model.view().feed.iter().find(|found| found.key.as_ref() == Some(key)) {
        Some(found) => wrap::cut(&found.finding, NAME, model.look.glyphs.ellipsis).into_owned(),
        None => key.as_str().to_owned(),
    }
}

/// The single decisions of a record; those of a bulk one by one.
pub fn members(op: &Op) -> &[Op] {
    match op {
        Op::Bulk { ops } => ops,
        one => std::slice::from_ref(one),
    }
}
