//! When the critic loop ends (SPEC S0, Phase 2): at two dry rounds in a row, or after three rounds.

use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS};
use crate::model::settled::{Convergence, StoppedBy};

/// The critic loop's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    new_per_round: Vec<u32>,
    dry: u32,
}

impl Counter {
    /// Counts a finished round with its number of new findings.
    pub fn round(&mut self, new: u32) {
        self.new_per_round.push(new);
        self.dry = if new == 0 { self.dry + 1 } else { 0 };
    }

    /// Rounds run.
    pub fn rounds(&self) -> u32 {
        self.new_per_round.len() as u32
    }

    /// Dry rounds in a row.
    pub fn dry(&self) -> u32 {
        self.dry
    }

    /// Why no further round is due; `None` while one is.
    pub fn stop(&self) -> Option<StoppedBy> {
        if self.dry >= DRY_ROUNDS {
            Some(StoppedBy::Dry)
        } else if self.rounds() >= MAX_ROUNDS {
            Some(StoppedBy::Cap)
        } else {
            None
        }
    }

    /// What is recorded of the loop once it has ended.
    pub fn ended(&self, stopped_by: StoppedBy) -> Convergence {
        Convergence {
            rounds: self.rounds(),
            new_per_round: self.new_per_round.clone(),
            dry_rounds: self.dry,
            converged: stopped_by == StoppedBy::Dry,
            stopped_by,
        }
    }
}

/// Upper 95 % bound for the chance that one more round finds something after `dry` dry rounds in a row:
/// 1 − 0.05^(1/n), the solution of (1 − p)^n = 0.05 (SPEC S0, Phase 3). `None` for no dry round.
pub fn chance_of_more(dry: u32) -> Option<f64> {
    (dry > 0).then(|| 1.0 - 0.05_f64.powf(1.0 / f64::from(dry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_contract() {
        let rows: [(&[u32], u32, u32, StoppedBy); 6] = [
            (&[0, 0], 2, 2, StoppedBy::Dry),
            (&[4, 0, 0], 3, 2, StoppedBy::Dry),
            (&[0, 3, 0], 3, 1, StoppedBy::Cap),
            (&[2, 1, 0], 3, 1, StoppedBy::Cap),
            (&[0, 3, 1], 3, 0, StoppedBy::Cap),
            (&[5, 2, 1], 3, 0, StoppedBy::Cap),
        ];
        for (new, rounds, dry, stopped_by) in rows {
            let mut counter = Counter::default();
            for (index, &count) in new.iter().enumerate() {
                assert_eq!(counter.stop(), None, "{new:?} before round {}", index + 1);
                counter.round(count);
            }
            assert_eq!(counter.stop(), Some(stopped_by), "{new:?}");
            let ended = counter.ended(stopped_by);
            assert_eq!((ended.rounds, ended.dry_rounds), (rounds, dry), "{new:?}");
            assert_eq!(ended.converged, stopped_by == StoppedBy::Dry, "{new:?}");
            assert_eq!(ended.new_per_round, new);
        }
    }

    #[test]
    fn a_person_or_a_hole_ends_it_unconverged_whatever_the_counters_say() {
        let mut counter = Counter::default();
        counter.round(0);
        assert!(!counter.ended(StoppedBy::Human).converged);
        assert!(!counter.ended(StoppedBy::Hole).converged);
    }

    #[test]
    fn what_dry_rounds_are_worth() {
        let bound = |n| (chance_of_more(n).expect("a figure") * 10_000.0).round() / 10_000.0;
        assert_eq!(chance_of_more(0), None);
        assert_eq!([bound(1), bound(2), bound(3), bound(5), bound(10)], [0.95, 0.7764, 0.6316, 0.4507, 0.2589]);
    }
}
