//! How every pipeline that settles findings ends: a person at the gate, the outcome, its intent, the file.

use crate::model::event::Body;
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Finding;
use crate::model::ids::FindingKey;
use crate::model::outcome::ReviewOutcome;
use crate::rules::decide;
use crate::run::{Files, GateSubject, Run, Settling, Written};
use serde::Serialize;
use std::sync::Arc;

/// Key of the gate at which findings are settled.
pub const SETTLE_GATE: &str = "gate/settle";

/// The gate closes only when nothing that holds up writing is left; then there is an outcome, and one file is written.
///
/// # Errors
/// A person is needed and not here, the journal or the target cannot be written, or the record of an earlier process differs.
pub(super) async fn finish(
    run: &Run,
    settling: Settling,
    observed: &Body,
    files: &dyn Files,
) -> Result<(Arc<ReviewOutcome>, Written), Fault> {
    let outcome = Arc::new(settle_with_a_person(run, settling).await?);
    let intent = run.fix("writing", || files.prepare(&outcome)).await?;
    let written = run.effect("write/findings", &intent, || write(files, observed, &outcome)).await?;
    Ok((outcome, from_record("write/findings", &written)?))
}

async fn settle_with_a_person(run: &Run, settling: Settling) -> Result<ReviewOutcome, Fault> {
    let settling = Arc::new(settling);
    let findings = &settling.proposal.findings;
    let open = findings.iter().filter(|finding| finding.blocks_writing()).count();
    let records = run.gate(SETTLE_GATE, &hash_of(&keys(findings)), open, &GateSubject::Settle(Arc::clone(&settling))).await?;
    let outcome = settling.outcome(&records, "");
    let left = decide::open_items(&outcome.findings);
    if left.block_writing() {
        let what = format!("{} conflicts and {} policy questions are open", left.conflicts.len(), left.policy.len());
        return Err(Fault::new(FaultKind::NeedsPerson, what, "settle or defer each of them"));
    }
    Ok(ReviewOutcome { generated_at: run.fix("generated_at", || run.now()).await?, ..outcome })
}

async fn write(files: &dyn Files, observed: &Body, outcome: &Arc<ReviewOutcome>) -> Result<Body, Fault> {
    let written = files.write(observed, Arc::clone(outcome)).await?;
    Body::of(&written).map_err(|error| Fault::new(FaultKind::Refused, error.to_string(), ""))
}

/// What is recorded under a key, as what it was when it was recorded.
pub(super) fn from_record<T: serde::de::DeserializeOwned>(key: &str, answer: &Body) -> Result<T, Fault> {
    answer.read().map_err(|error| {
        let what = format!("what is recorded for {key} cannot be read: {error}");
        Fault::new(FaultKind::Refused, what, "the journal was written by another version; start a new run of the document")
    })
}

/// What a gate is about, as far as a resume compares it.
pub(super) fn keys(findings: &[Finding]) -> Vec<&FindingKey> {
    findings.iter().map(|finding| &finding.key).collect()
}

/// 16 hex digits over a value as JSON.
pub(super) fn hash_of<T: Serialize>(value: &T) -> String {
    let mut hasher = blake3::Hasher::new();
    // Hashing does not fail; a value that JSON cannot hold was refused when it was recorded.
    let _ = serde_json::to_writer(&mut hasher, value);
    hasher.finalize().to_hex()[..16].to_owned()
}
