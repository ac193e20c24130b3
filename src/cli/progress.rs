//! One line for each change of state, from the same events that every other face reads.

use crate::model::event::{Body, Event, Header, Kind};
use crate::model::gate::GateRecord;
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
        Kind::HoleAccepted => say("progress-hole", &[step_arg, ("reason", fields.reason.into())]),
        // Rounds' gates pass by themselves; where one holds the run up, the run says so when it ends.
        Kind::GateOpened | Kind::GateClosed if event.key.starts_with("gate/round/") => None,
        Kind::GateOpened => say("progress-gate-open", &[gate_arg, ("items", fields.items.into())]),
        Kind::GateRecord => {
            let record: GateRecord = event.body.read().ok()?;
            say("progress-record", &[gate_arg, ("op", fields.op.into()), ("by", record.by.into())])
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
