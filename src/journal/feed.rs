//! The feed: findings in the order of their arrival, read from answers, rounds and gates.

use crate::model::event::Body;
use crate::model::finding::{RawFinding, Severity};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::FindingKey;
use crate::model::ledger;
use crate::model::view::Found;
use serde::Deserialize;

/// Step of findings that a person added.
const HUMAN: &str = "human";

/// What a reviewer answered; nothing where it answered something else than findings.
pub(super) fn of_answer(label: &str, answer: &Body, at: &str) -> Vec<Found> {
    #[derive(Deserialize)]
    struct Answer {
        findings: Vec<RawFinding>,
    }
    let raws = answer.read().map(|answer: Answer| answer.findings).unwrap_or_default();
    raws.into_iter().map(|raw| returned(raw, label, at, None)).collect()
}

/// What a critic round added. Old journals name keys alone: those are counted elsewhere and have nothing to show.
pub(super) fn of_round(round: u32, new: &[Body], at: &str) -> Vec<Found> {
    #[derive(Deserialize)]
    struct Keyed {
        key: FindingKey,
        severity: Severity,
        section: String,
        uc_id: String,
        line: u32,
        finding: String,
        #[serde(default)]
        suggestion: String,
        quote: String,
    }
    let keyed = new.iter().filter_map(|finding| finding.read::<Keyed>().ok());
    let found = |keyed: Keyed| Found {
        at: at.to_owned(),
        step: format!("critic/{round}"),
        severity: keyed.severity.word().to_owned(),
        section: keyed.section,
        uc_id: keyed.uc_id,
        line: keyed.line,
        finding: keyed.finding,
        suggestion: keyed.suggestion,
        quote: keyed.quote,
        key: Some(keyed.key),
        round: Some(round),
    };
    keyed.map(found).collect()
}

/// What a person added at a round's gate, as far as it stands.
pub(super) fn of_gate(round: u32, records: &[GateRecord]) -> Vec<Found> {
    let added = |record: GateRecord| match record.op {
        Op::Add { finding } => Some(returned(*finding, HUMAN, &record.at, Some(round))),
        _ => None,
    };
    ledger::effective(records).into_iter().filter_map(added).collect()
}

/// Whether a person added it at a round's gate.
pub(super) fn is_added_at(found: &Found, round: u32) -> bool {
    found.round == Some(round) && found.step == HUMAN
}

fn returned(raw: RawFinding, step: &str, at: &str, round: Option<u32>) -> Found {
    Found {
        at: at.to_owned(),
        step: step.to_owned(),
        severity: Severity::read(&raw.severity).map_or(raw.severity, |severity| severity.word().to_owned()),
        section: raw.section,
        uc_id: raw.uc_id,
        line: raw.line.unwrap_or_default(),
        finding: raw.finding,
        suggestion: raw.suggestion,
        quote: raw.quote,
        key: None,
        round,
    }
}
