//! The offline reviewer: rules instead of a model. Needs no key and no network.

use crate::lint::{self, Hit, Owner};
use crate::model::finding::RawFinding;
use crate::model::recipe::Recipe;
use crate::run::{Agent, AgentFault, Answered, Ask, BoxFuture, FaultClass, Reply, Role, Subject, Usage};
use crate::text::Catalogue;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Name in journals, files and messages.
const NAME: &str = "offline";
/// Dimensions answered ahead of the fan-out by a check of their own (review-context).
const KNOWN_DOMAIN: &str = "P0";
const AGAINST_OTHERS: &str = "P3";

/// Rules behind the `Agent` port. The rules read the document once; each question gets its share of what they found.
#[derive(Default)]
pub struct Offline {
    hits: OnceCell<Arc<Vec<Hit>>>,
}

impl Offline {
    /// A reviewer for one document.
    pub fn new() -> Offline {
        Offline::default()
    }

    async fn hits(&self, subject: &Arc<Subject>) -> Result<Arc<Vec<Hit>>, AgentFault> {
        let read = || async {
            let subject = Arc::clone(subject);
            let work = move || Arc::new(lint::review(&subject.document, &subject.context, &Catalogue::new(subject.lang)));
            tokio::task::spawn_blocking(work)
                .await
                .map_err(|error| AgentFault::new(FaultClass::Failed, format!("the rules stopped: {error}")))
        };
        self.hits.get_or_try_init(read).await.cloned()
    }

    async fn answer(&self, ask: &Ask) -> Result<Reply, AgentFault> {
        let subject = &ask.subject;
        let dimension = ask.dimension.as_ref().map(|dimension| dimension.id.as_str());
        Ok(match (ask.role, dimension) {
            (Role::Before, Some(KNOWN_DOMAIN)) => {
                match lint::known_domain(&subject.document, &subject.context, &Catalogue::new(subject.lang)) {
                    Some(hits) => findings(&hits, |_| true),
                    None => Reply::NotCovered,
                }
            }
            (Role::Before, Some(AGAINST_OTHERS)) if !subject.others.is_empty() => {
                findings(&lint::against(&subject.document, &subject.others, &Catalogue::new(subject.lang)), |_| true)
            }
            // No critic comes after agent mode: what it would say of the section belongs to the dimension closest to it.
            (Role::Section, Some(id)) => {
                let hits = self.hits(subject).await?;
                if !lint::rules().iter().any(|rule| speaks_for(rule.id, id, subject)) {
                    return Ok(Reply::NotCovered);
                }
                findings(&hits, |hit| speaks_for(hit.rule, id, subject) && ask.lines.iter().any(|lines| lines.has(hit.line)))
            }
            (Role::Reviewer | Role::Before, Some(id)) => {
                if !lint::has_rules(id, &subject.recipe, &subject.enabled) {
                    return Ok(Reply::NotCovered);
                }
                let hits = self.hits(subject).await?;
                let owned = |hit: &Hit| owns(hit, id, &subject.recipe, &subject.enabled);
                findings(&hits, |hit| owned(hit) && ask.lines.iter().any(|lines| lines.has(hit.line)))
            }
            (Role::Critic, _) => {
                let hits = self.hits(subject).await?;
                let known: std::collections::HashSet<_> =
                    ask.known.iter().map(|known| (known.uc_id.as_str(), known.finding.as_str())).collect();
                let owned = |hit: &&Hit| matches!(lint::owner(hit.rule, &subject.recipe, &subject.enabled), Owner::Critic);
                let new = hits.iter().filter(owned).filter(|hit| !is_known(&known, &hit.raw));
                Reply::Findings(
                    new.map(|hit| RawFinding {
                        dimension: lint::critics_dimension(hit.rule, &subject.recipe, &subject.enabled).to_owned(),
                        ..hit.raw.clone()
                    })
                    .collect(),
                )
            }
            _ => Reply::NotCovered,
        })
    }
}

/// Whether the critic was told of this already, whole or cut to its first 80 characters.
fn is_known(known: &std::collections::HashSet<(&str, &str)>, raw: &RawFinding) -> bool {
    let cut = raw.finding.char_indices().nth(80).map_or(raw.finding.as_str(), |(at, _)| &raw.finding[..at]);
    let unit = raw.uc_id.as_str();
    known.contains(&(unit, raw.finding.as_str())) || known.contains(&(unit, cut))
}

/// Whether a dimension reports a rule in agent mode: it owns the rule, or is closest to it where the critic does.
fn speaks_for(rule: &str, dimension: &str, subject: &Subject) -> bool {
    let default = subject.recipe.dimensions.iter().filter(|d| d.default || subject.enabled.contains(&d.id));
    let running: Vec<String> = default.map(|dimension| dimension.id.clone()).collect();
    match lint::owner(rule, &subject.recipe, &running) {
        Owner::Dimension(owner) => owner == dimension,
        Owner::Critic => lint::critics_dimension(rule, &subject.recipe, &running) == dimension,
    }
}

fn owns(hit: &Hit, dimension: &str, recipe: &Recipe, enabled: &[String]) -> bool {
    matches!(lint::owner(hit.rule, recipe, enabled), Owner::Dimension(owner) if owner == dimension)
}

fn findings(hits: &[Hit], keep: impl Fn(&Hit) -> bool) -> Reply {
    Reply::Findings(hits.iter().filter(|hit| keep(hit)).map(|hit| hit.raw.clone()).collect())
}

impl Agent for Offline {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn ask(&self, ask: Ask) -> BoxFuture<'_, Result<Answered, AgentFault>> {
        Box::pin(async move {
            let reply = self.answer(&ask).await?;
            if ask.cancel.is_cancelled() {
                return Err(AgentFault::cancelled());
            }
            Ok(Answered { reply, agent: NAME.to_owned(), usage: Usage::default(), provenance: None })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::script::tests::ask;

    #[tokio::test]
    async fn a_cancelled_question_gets_no_answer() {
        let offline = Offline::new();
        assert_eq!(offline.ask(ask()).await.expect("an answer").reply, Reply::Findings(Vec::new()));
        let cancelled = ask();
        cancelled.cancel.cancel();
        assert_eq!(offline.ask(cancelled).await.expect_err("cancelled"), AgentFault::cancelled());
    }
}
