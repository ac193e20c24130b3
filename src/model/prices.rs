//! What tokens cost.

use serde::{Deserialize, Serialize};

/// Prices in billionths of the currency for a token: 0.25 USD for a million tokens is 250.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// `USD`.
    pub currency: String,
    /// Read.
    pub input: u64,
    /// Read from the cache; as `input` where it is not given.
    pub cached: u64,
    /// Put into the cache; as `input` where it is not given.
    pub cache_write: u64,
    /// Written.
    pub output: u64,
}
