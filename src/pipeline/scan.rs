//! Agent mode (SPEC S0): no plan, no critic, no settling; the recipe's checks run directly on the section given.

use super::asks;
use crate::model::finding::RawFinding;
use crate::model::outline::LineSpan;
use crate::run::{AgentFault, Council, Reply, Role, Subject};
use std::sync::Arc;

/// What the checks say of one section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scanned {
    /// Findings in the order of the dimensions, as an agent returns them.
    pub findings: Vec<RawFinding>,
    /// Dimensions that the agent has nothing to look at with.
    pub not_covered: Vec<String>,
}

/// Asks each dimension about the lines given.
///
/// # Errors
/// A dimension that gave no answer: agent mode has no holes.
pub async fn scan(
    subject: &Arc<Subject>,
    dimensions: &[String],
    lines: Vec<LineSpan>,
    council: &Council,
) -> Result<Scanned, AgentFault> {
    let mut scanned = Scanned::default();
    for dimension in dimensions.iter().filter_map(|id| subject.recipe.dimension(id)) {
        let ask = asks::section(dimension, lines.clone(), subject);
        let answered = council.reviewer_of(&dimension.id).ask(ask).await?;
        asks::check(&answered.reply, Role::Section, 0, 1, subject)
            .map_err(|problem| AgentFault::new(crate::run::FaultClass::Invalid, problem))?;
        match answered.reply {
            Reply::Findings(findings) => {
                let named = |finding: RawFinding| RawFinding { dimension: dimension.id.clone(), ..finding };
                scanned.findings.extend(findings.into_iter().map(named));
            }
            _ => scanned.not_covered.push(dimension.id.clone()),
        }
    }
    Ok(scanned)
}
