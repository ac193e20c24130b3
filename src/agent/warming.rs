//! Warming a provider's cache: of the agents that share the beginning of a prompt one goes ahead, and the others follow when
//! its answer begins, so that they find the beginning in the cache. Opt-in (SPEC S0, Phase 1: it delays only its own wave).

use super::wire::Prompt;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// Who goes ahead, by the beginning they share.
#[derive(Default)]
pub struct Warming {
    wanted: bool,
    begun: Mutex<HashMap<blake3::Hash, watch::Receiver<bool>>>,
}

/// An agent's turn.
pub enum Turn {
    /// It goes ahead; the others follow when this is dropped.
    Ahead(watch::Sender<bool>),
    /// It follows, or nobody waits for anybody.
    Follows,
}

impl Turn {
    /// The answer has begun: the others may follow.
    pub fn has_begun(&self) {
        if let Turn::Ahead(others) = self {
            others.send_replace(true);
        }
    }
}

impl Warming {
    /// Agents go ahead one by one only where that is wanted.
    pub fn new(wanted: bool) -> Warming {
        Warming { wanted, begun: Mutex::default() }
    }

    /// Waits for this agent's turn. One that goes ahead and fails lets the others follow all the same.
    pub async fn turn(&self, prompt: &Prompt) -> Turn {
        if !self.wanted {
            return Turn::Follows;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(prompt.system.as_bytes()).update(&[0]).update(prompt.shared.as_bytes());
        let (sender, receiver) = watch::channel(false);
        let ahead = {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            match begun.get(&hasher.finalize()) {
                Some(ahead) => Some(ahead.clone()),
                None => begun.insert(hasher.finalize(), receiver),
            }
        };
        match ahead {
            None => Turn::Ahead(sender),
            Some(mut ahead) => {
                // An error says that the one ahead has ended: nothing is left to wait for.
                let _ = ahead.wait_for(|begun| *begun).await;
                Turn::Follows
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn prompt(shared: &str, own: &str) -> Prompt {
        Prompt { system: "s".to_owned(), shared: shared.to_owned(), own: own.to_owned() }
    }

    #[tokio::test(start_paused = true)]
    async fn one_goes_ahead_and_the_others_follow_when_its_answer_begins() {
        let warming = Arc::new(Warming::new(true));
        let ahead = warming.turn(&prompt("a", "DEV")).await;
        assert!(matches!(ahead, Turn::Ahead(_)));
        assert!(matches!(warming.turn(&prompt("b", "DEV")).await, Turn::Ahead(_)), "another beginning waits for nobody");
        let waiting = tokio::spawn({
            let warming = Arc::clone(&warming);
            async move { matches!(warming.turn(&prompt("a", "SA")).await, Turn::Follows) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        ahead.has_begun();
        assert!(waiting.await.expect("no panic"));
        assert!(matches!(warming.turn(&prompt("a", "PO")).await, Turn::Follows), "once begun nobody waits");
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_fails_lets_the_others_follow() {
        let warming = Warming::new(true);
        drop(warming.turn(&prompt("a", "DEV")).await);
        assert!(matches!(warming.turn(&prompt("a", "SA")).await, Turn::Follows));
    }

    #[tokio::test]
    async fn nobody_waits_where_it_is_not_wanted() {
        let warming = Warming::new(false);
        let _first = warming.turn(&prompt("a", "DEV")).await;
        assert!(matches!(warming.turn(&prompt("a", "SA")).await, Turn::Follows));
    }
}
