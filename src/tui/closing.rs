//! The words about convergence that close a summary and the Report screen: how the critic loop ended, and what its dry
//! rounds are worth.

use crate::model::settled::{Convergence, StoppedBy};
use crate::rules::converge::chance_of_more;
use crate::text::{Catalogue, Value};

/// The convergence line, only where the run converged with no hole and nothing was cut, else what happened instead (SPEC S0,
/// Phase 3); below it what the dry rounds are worth, and what they are not worth with the offline reviewer. `cut` names
/// what was not read or said whole.
pub fn lines(convergence: &Convergence, holes: usize, cut: &[String], offline: bool, words: &Catalogue) -> Vec<String> {
    let dry = convergence.dry_rounds;
    let rounds = ("rounds", Value::from(convergence.rounds));
    let first = match convergence.stopped_by {
        StoppedBy::Dry if holes == 0 && cut.is_empty() => words.say("convergence", &[rounds]),
        StoppedBy::Dry if holes == 0 => words.say("converged-but-cut", &[rounds, ("list", cut.join(", ").into())]),
        StoppedBy::Dry => words.say("converged-with-holes", &[rounds, ("holes", holes.into())]),
        StoppedBy::Cap => words.say("stopped-cap", &[rounds, ("dry", dry.into())]),
        StoppedBy::Hole => words.say("stopped-hole", &[rounds]),
        StoppedBy::Human => words.say("stopped-human", &[rounds]),
    };
    let mut lines = vec![first];
    if let Some(chance) = chance_of_more(dry) {
        let percent = (chance * 100.0).round() as u32;
        lines.push(words.say("dry-worth", &[("dry", dry.into()), ("percent", percent.into())]));
    }
    if offline {
        lines.push(words.say("dry-worth-offline", &[]));
    }
    lines
}

/// What was not read or said whole: the steps whose lists may be cut, and the windows of the critic.
pub fn cut<'a>(steps: impl IntoIterator<Item = &'a str>, critic_windows: usize, words: &Catalogue) -> Vec<String> {
    let windows = (critic_windows > 0).then(|| words.say("cut-windows", &[("windows", critic_windows.into())]));
    steps.into_iter().map(str::to_owned).chain(windows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lang::Lang;

    #[test]
    fn only_a_dry_loop_without_holes_is_called_complete() {
        let words = Catalogue::new(Lang::En);
        let ended = |stopped_by, dry_rounds| Convergence {
            rounds: 3,
            new_per_round: vec![1, 0, 0],
            dry_rounds,
            converged: stopped_by == StoppedBy::Dry,
            stopped_by,
        };
        let first = |stopped_by, holes| lines(&ended(stopped_by, 2), holes, &[], false, &words)[0].clone();
        assert!(first(StoppedBy::Dry, 0).starts_with("Convergence: 3"));
        assert!(first(StoppedBy::Dry, 1).contains("not complete"));
        for stopped_by in [StoppedBy::Cap, StoppedBy::Hole, StoppedBy::Human] {
            assert!(first(stopped_by, 0).starts_with("Not converged"));
        }
        assert!(lines(&ended(StoppedBy::Dry, 2), 0, &[], false, &words)[1].contains("78 %"));
        assert_eq!(lines(&ended(StoppedBy::Cap, 0), 0, &[], true, &words).len(), 2, "no figure without a dry round");
        let cut = cut(["review/DEV/UC-01"], 3, &words);
        let said = lines(&ended(StoppedBy::Dry, 2), 0, &cut, false, &words).remove(0);
        assert!(said.contains("review/DEV/UC-01, the critic read 3 windows") && said.contains("not complete"), "{said}");
    }
}
