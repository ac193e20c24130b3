//! One line for each change of state, from the same events that every other face reads.

use crate::model::event::{Event, Header, Kind};
use crate::model::gate::GateRecord;
use crate::model::ids::StepKey;
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS, Plan};
use crate::model::settled::Proposal;
use crate::model::shown::Shown;
use crate::text::{Catalogue, Value};
use serde::Deserialize;

/// What an event says to a person; `None` for events that change nothing they see.
pub fn line(event: &Event, words: &Catalogue) -> Option<String> {
    let key = StepKey::from(event.key.as_str()).label();
    let body = &event.body;
    let text = |field: &str| body.get(field).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    let number = |field: &str| body.get(field).and_then(serde_json::Value::as_u64).unwrap_or_default();
    let say = |id: &str, args: &[(&str, Value<'_>)]| Some(Shown::line(&words.say(id, args)).to_string());
    match &event.kind {
        Kind::RunStarted => {
            let header: Header = read(body)?;
            say("progress-began", &[("run", header.run.into()), ("file", header.document_given.into())])
        }
        Kind::RunResumed => say("progress-resumed", &[("run", text("run").into())]),
        Kind::Fixed => fixed(&event.key, body, &say),
        Kind::StepStarted if is_effect(&event.key) => None,
        Kind::StepStarted if event.attempt > 1 => {
            say("progress-again", &[("step", key.into()), ("agent", text("agent").into()), ("attempt", event.attempt.into())])
        }
        Kind::StepStarted => say("progress-started", &[("step", key.into()), ("agent", text("agent").into())]),
        Kind::AttemptFailed => say("progress-failed", &[("step", key.into()), ("reason", text("reason").into())]),
        Kind::StepDone if event.key.starts_with("write/") => {
            let path = body.pointer("/answer/path").and_then(|value| value.as_str()).unwrap_or_default();
            say("progress-written", &[("path", path.to_owned().into())])
        }
        Kind::StepDone if is_effect(&event.key) => None,
        Kind::StepDone if body.get("answer").is_some_and(|answer| answer == "not_covered") => {
            say("progress-not-covered", &[("step", key.into()), ("agent", text("agent").into())])
        }
        Kind::StepDone if event.key.starts_with("arbiter/") => say("progress-answered", &[("step", key.into())]),
        Kind::StepDone => say("progress-done", &[("step", key.into()), ("findings", number("findings").into())]),
        Kind::HoleAccepted => say("progress-hole", &[("step", key.into()), ("reason", text("reason").into())]),
        // Rounds' gates pass by themselves; where one holds the run up, the run says so when it ends.
        Kind::GateOpened | Kind::GateClosed if event.key.starts_with("gate/round/") => None,
        Kind::GateOpened => say("progress-gate-open", &[("gate", key.into()), ("items", number("items").into())]),
        Kind::GateRecord => {
            let record: GateRecord = read(body)?;
            say("progress-record", &[("gate", key.into()), ("op", text("op").into()), ("by", record.by.into())])
        }
        Kind::GateClosed => say("progress-gate-closed", &[("gate", key.into())]),
        Kind::GateReopened => say("progress-gate-reopened", &[("gate", key.into())]),
        Kind::RunPaused => None,
        Kind::RunFinished => None,
        Kind::Unknown(kind) => Some(format!("? {}", Shown::line(kind))),
    }
}

/// Reading and writing files: the person hears of what was written, not of the steps.
fn is_effect(key: &str) -> bool {
    key.starts_with("read/") || key.starts_with("write/")
}

/// Fills in a message of the catalogue.
type Say<'a> = dyn Fn(&str, &[(&str, Value<'_>)]) -> Option<String> + 'a;

fn fixed(key: &str, body: &serde_json::Value, say: &Say<'_>) -> Option<String> {
    match key {
        "plan" => {
            let plan: Plan = read(body)?;
            say(
                "progress-plan",
                &[
                    ("agents", plan.cells.len().into()),
                    ("waves", plan.waves.into()),
                    ("scopes", plan.scopes.len().into()),
                    ("dimensions", plan.dimensions.join(", ").into()),
                ],
            )
        }
        "settle" => {
            let proposal: Proposal = read(body.get("proposal")?)?;
            let conflicts = proposal.findings.iter().filter(|finding| finding.is_conflict()).count();
            say(
                "progress-settled",
                &[
                    ("findings", proposal.findings.len().into()),
                    ("conflicts", conflicts.into()),
                    ("dropped", proposal.dropped.len().into()),
                ],
            )
        }
        _ if key.starts_with("round/") => {
            let count = |field: &str| body.get(field).and_then(serde_json::Value::as_u64).unwrap_or_default();
            say(
                "progress-round",
                &[
                    ("round", count("round").into()),
                    ("cap", MAX_ROUNDS.into()),
                    ("new", body.get("new").and_then(|new| new.as_array()).map_or(0, Vec::len).into()),
                    ("dry", count("dry").into()),
                    ("dry_cap", DRY_ROUNDS.into()),
                ],
            )
        }
        _ => None,
    }
}

fn read<T: for<'de> Deserialize<'de>>(value: &serde_json::Value) -> Option<T> {
    T::deserialize(value).ok()
}
