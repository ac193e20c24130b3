//! The slim context: project knowledge every agent gets (SPEC S0, Phase 1).

use serde::{Deserialize, Serialize};

/// Banned terms, canonical entities, layer order, domains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlimContext {
    /// Words not to use, each with what to use instead (`""` where nothing is named).
    pub banned_terms: Vec<BannedTerm>,
    /// Names of the things the product is about.
    pub canonical_entities: Vec<String>,
    /// Layers from outer to inner.
    pub layer_order: Vec<String>,
    /// Known business domains.
    pub domains: Vec<String>,
    /// Skip the pipeline and answer with the checks' findings only.
    pub agent_mode: bool,
}

/// A word not to use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BannedTerm {
    /// The word.
    pub term: String,
    /// What to write instead; `""` where nothing is named.
    pub instead: String,
}
