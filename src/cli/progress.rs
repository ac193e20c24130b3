//! One line for each change of state, from the same events that every other face reads.

use crate::model::event::{Body, Event, Header, Kind};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::StepKey;
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS, Plan};
use crate::model::shown::Shown;
use crate::text::{Catalogue, Value};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The fields that lines show; each kind of event has some of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    run: String,
    agent: String,
    reason: String,
    op: String,
    findings: u64,
    items: u64,
    answer: Option<Body>,
}

/// What an event says to a person; `None` for events that change nothing they see.
pub fn line(event: &Event, words: &Catalogue) -> Option<String> {
    let step = StepKey::from(event.key.as_str()).label();
    let say = |id: &str, args: &[(&str, Value<'_>)]| Some(Shown::line(&words.say(id, args)).to_string());
    if event.kind == Kind::Fixed {
        return fixed(event, &say);
    }
    let fields: Fields = event.body.read().unwrap_or_default();
    let step_arg = ("step", Value::from(step.clone()));
    let gate_arg = ("gate", Value::from(step));
    match &event.kind {
        Kind::RunStarted => {
            let header: Header = event.body.read().ok()?;
            say("progress-began", &[("run", header.run.into()), ("file", header.document_given.into())])
        }
        Kind::RunResumed => say("progress-resumed", &[("run", fields.run.into())]),
        Kind::StepStarted if is_effect(&event.key) => None,
        Kind::StepStarted if event.attempt > 1 => {
            say("progress-again", &[step_arg, ("agent", fields.agent.into()), ("attempt", event.attempt.into())])
        }
        Kind::StepStarted => say("progress-started", &[step_arg, ("agent", fields.agent.into())]),
        Kind::AttemptFailed => say("progress-failed", &[step_arg, ("reason", fields.reason.into())]),
        Kind::StepDone if event.key.starts_with("write/") => {
            let written = fields.answer?.value();
            say("progress-written", &[("path", written["path"].as_str().unwrap_or_default().into())])
        }
        Kind::StepDone if is_effect(&event.key) => None,
        Kind::StepDone if fields.answer.as_ref().is_some_and(|answer| answer.text() == "\"not_covered\"") => {
            say("progress-not-covered", &[step_arg, ("agent", fields.agent.into())])
        }
        Kind::StepDone if event.key.starts_with("arbiter/") => say("progress-answered", &[step_arg]),
        Kind::StepDone => say("progress-done", &[step_arg, ("findings", fields.findings.into())]),
        Kind::StepHeld => say("progress-held", &[step_arg, ("reason", fields.reason.into())]),
        // Said when the run begins, with the address.
        Kind::SendingConfirmed => None,
        Kind::HoleAccepted => say("progress-hole", &[step_arg, ("reason", fields.reason.into())]),
        // Rounds' gates pass by themselves; where one holds the run up, the run says so when it ends.
        Kind::GateOpened | Kind::GateClosed if event.key.starts_with("gate/round/") => None,
        Kind::GateOpened => say("progress-gate-open", &[gate_arg, ("items", fields.items.into())]),
        Kind::GateRecord => {
            let record: GateRecord = event.body.read().ok()?;
            let count = match &record.op {
                // Words that are not given yet are nobody's news.
                Op::Draft { .. } => return None,
                Op::Bulk { ops } => ops.len(),
                _ => 1,
            };
            let op = words.say(&format!("op-{}", fields.op.replace('_', "-")), &[("count", count.into())]);
            say("progress-record", &[gate_arg, ("op", op.into()), ("by", record.by.into())])
        }
        Kind::GateClosed => say("progress-gate-closed", &[gate_arg]),
        Kind::GateReopened => say("progress-gate-reopened", &[gate_arg]),
        Kind::Fixed | Kind::RunPaused | Kind::RunFinished => None,
        Kind::Unknown(kind) => Some(format!("? {}", Shown::line(kind))),
    }
}

/// Reading and writing files: the person hears of what was written, not of the steps.
fn is_effect(key: &str) -> bool {
    key.starts_with("read/") || key.starts_with("write/")
}

/// Fills in a message of the catalogue.
type Say<'a> = dyn Fn(&str, &[(&str, Value<'_>)]) -> Option<String> + 'a;

/// The line of a fixed result; of large ones only what is counted is read.
fn fixed(event: &Event, say: &Say<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Round {
        round: u32,
        new: Vec<IgnoredAny>,
        dry: u32,
    }
    #[derive(Deserialize)]
    struct Settled {
        proposal: Proposal,
    }
    #[derive(Deserialize)]
    struct Proposal {
        findings: Vec<Finding>,
        dropped: Vec<IgnoredAny>,
    }
    #[derive(Deserialize)]
    struct Finding {
        options: Vec<IgnoredAny>,
    }
    match event.key.as_str() {
        "plan" => {
            let plan: Plan = event.body.read().ok()?;
            let dimensions = plan.dimensions.join(", ");
            let counts =
                [("agents", plan.cells.len().into()), ("waves", plan.waves.into()), ("scopes", plan.scopes.len().into())];
            say("progress-plan", &[&counts[..], &[("dimensions", dimensions.into())]].concat())
        }
        "settle" => {
            let Settled { proposal } = event.body.read().ok()?;
            let conflicts = proposal.findings.iter().filter(|finding| finding.options.len() >= 2).count();
            say(
                "progress-settled",
                &[
                    ("findings", proposal.findings.len().into()),
                    ("conflicts", conflicts.into()),
                    ("dropped", proposal.dropped.len().into()),
                ],
            )
        }
        key if key.starts_with("round/") => {
            let Round { round, new, dry } = event.body.read().ok()?;
            say(
                "progress-round",
                &[
                    ("round", round.into()),
                    ("cap", MAX_ROUNDS.into()),
                    ("new", new.len().into()),
                    ("dry", dry.into()),
                    ("dry_cap", DRY_ROUNDS.into()),
                ],
            )
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finding::RawFinding;
    use crate::model::lang::Lang;

    #[test]
    fn every_decision_has_its_words_and_a_draft_has_none() {
        let (finding, question, none) = (|| "k".into(), || "q".into(), String::new);
        let ops = [
            Op::Choose { finding: finding(), label: none(), reason: none() },
            Op::Write { finding: finding(), text: none(), reason: none() },
            Op::Accept { finding: finding(), reason: none() },
            Op::Reject { finding: finding(), reason: none() },
            Op::Defer { finding: finding(), reason: none() },
            Op::Answer { question: question(), answer: none() },
            Op::Assign { question: question(), owner: none() },
            Op::DeferQuestion { question: question(), reason: none() },
            Op::Strike { finding: finding(), reason: none() },
            Op::Add { finding: Box::new(RawFinding::default()) },
            Op::Stop { reason: none() },
            Op::Clear { finding: finding() },
            Op::ClearQuestion { question: question() },
            Op::Undo {},
            Op::Redo {},
            Op::Bulk { ops: vec![Op::Undo {}, Op::Redo {}] },
        ];
        let event = |op: Op| {
            let body = Body::of(&GateRecord { op, by: "Lan".into(), at: none() }).expect("JSON");
            let (kind, key) = (Kind::GateRecord, "gate/settle".to_owned());
            Event { v: 1, seq: 0, prev: none(), at: none(), kind, key, attempt: 0, body }
        };
        for lang in [Lang::En, Lang::Vi, Lang::Zh] {
            let words = Catalogue::new(lang);
            let lines: std::collections::BTreeSet<String> =
                ops.iter().map(|op| line(&event(op.clone()), &words).expect("a line")).collect();
            assert_eq!(lines.len(), ops.len(), "{lines:?}");
            assert!(lines.iter().all(|line| !line.contains("op-")), "{lines:?}");
            assert!(lines.iter().any(|line| line.contains('2')), "a bulk is counted: {lines:?}");
            assert_eq!(line(&event(Op::Draft { subject: none(), text: "half".into() }), &words), None);
        }
    }
}
