//! What the findings recommend, and what the critic is told of them (DESIGN, Recommendation; SPEC S0, Phase 2).

use super::ground::cut;
use crate::model::finding::{Finding, Known, Severity, Status};
use crate::model::recipe::Recipe;

/// A critical finding stands.
pub const BLOCKED: &str = "BLOCKED";
/// A major finding stands.
pub const NEEDS_REVISION: &str = "NEEDS_REVISION";
/// Nothing stands.
pub const APPROVED: &str = "APPROVED";
/// Something was not looked at.
pub const INCOMPLETE: &str = "INCOMPLETE";

/// Known findings above which each is cut.
pub const KNOWN_WHOLE: usize = 60;
/// Characters that are left of each.
pub const KNOWN_CUT: usize = 80;

/// The recommendation, from the worst finding that nobody rejected or struck. `incomplete` is a hole or a text that
/// was cut: then no finding and no absence of findings says anything about the whole.
pub fn recommend(findings: &[Finding], recipe: &Recipe, incomplete: bool) -> String {
    if incomplete {
        return INCOMPLETE.to_owned();
    }
    let standing = findings.iter().filter(|finding| finding.status != Status::Rejected && !finding.struck);
    match standing.map(|finding| finding.severity).min() {
        Some(Severity::Critical) => BLOCKED.to_owned(),
        Some(Severity::Major) => NEEDS_REVISION.to_owned(),
        Some(Severity::Minor) => recipe.minor_recommendation.clone(),
        None => APPROVED.to_owned(),
    }
}

/// What the critic is told is known, struck findings included; over 60 findings, the first 80 characters of each.
pub fn known_list(findings: &[Finding]) -> Vec<Known> {
    let limit = if findings.len() > KNOWN_WHOLE { KNOWN_CUT } else { usize::MAX };
    let known = |finding: &Finding| Known {
        uc_id: finding.uc_id.clone(),
        section: finding.section.clone(),
        finding: cut(&finding.finding, limit).to_owned(),
    };
    findings.iter().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    fn of(severities: &[&str]) -> Vec<Finding> {
        severities.iter().map(|severity| sample::finding("DEV", severity, "The form should be fast", "w", "")).collect()
    }

    #[test]
    fn the_worst_standing_finding_decides() {
        let recipe = sample::recipe();
        for (severities, recommended) in [
            (&["minor", "critical", "major"][..], "BLOCKED"),
            (&["minor", "major"][..], "NEEDS_REVISION"),
            (&["minor"][..], "APPROVED_WITH_MINOR_CHANGES"),
            (&[][..], "APPROVED"),
        ] {
            assert_eq!(recommend(&of(severities), &recipe, false), recommended);
            assert_eq!(recommend(&of(severities), &recipe, true), "INCOMPLETE");
        }
        let mut other = recipe.clone();
        other.minor_recommendation = "APPROVED".to_owned();
        assert_eq!(recommend(&of(&["minor"]), &other, false), "APPROVED");
    }

    #[test]
    fn rejected_and_struck_findings_do_not_count_deferred_ones_do() {
        let recipe = sample::recipe();
        let mut findings = of(&["critical", "major", "minor"]);
        findings[0].status = Status::Rejected;
        assert_eq!(recommend(&findings, &recipe, false), "NEEDS_REVISION");
        findings[1].struck = true;
        assert_eq!(recommend(&findings, &recipe, false), "APPROVED_WITH_MINOR_CHANGES");
        findings[2].status = Status::Deferred;
        assert_eq!(recommend(&findings, &recipe, false), "APPROVED_WITH_MINOR_CHANGES");
    }

    #[test]
    fn over_sixty_known_findings_are_cut_to_eighty_characters() {
        let mut finding = sample::finding("DEV", "major", "The form should be fast", &"thẻ 退款 ".repeat(20), "s");
        finding.struck = true;
        let whole = known_list(&vec![finding.clone(); 60]);
        assert_eq!(whole[0].finding, finding.finding);
        let cut = known_list(&vec![finding.clone(); 61]);
        assert_eq!(cut.len(), 61, "struck findings stay known");
        assert_eq!(cut[60].finding.chars().count(), 80);
        assert!(finding.finding.starts_with(&cut[60].finding));
        assert_eq!((&cut[0].section, &cut[0].uc_id), (&finding.section, &finding.uc_id));
    }
}
