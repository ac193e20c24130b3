//! Who reports what a rule sees: one dimension of a recipe, or the critic.

use super::rules;
use crate::model::recipe::Recipe;

/// Who reports a rule's hits in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The dimension with this id.
    Dimension(&'a str),
    /// The completeness critic: no enabled dimension asks for it.
    Critic,
}

/// What the built-in dimensions ask for: ids of rules, or their first letter with `*`. An id weighs more than a letter,
/// so that `A16` goes to DEV though a dimension with `A*` may stand beside it.
const CLAIMS: &[(&str, &[&str])] = &[
    ("DEV", &["G*", "A16", "A17"]),
    ("SA", &["C*", "S*", "R*", "T*"]),
    ("PO", &["P03", "X03", "X08", "N01", "N03", "M*"]),
    ("QA", &["B*", "A06", "X06", "X07"]),
    ("P1", &["T*"]),
    ("P2", &["A*"]),
    ("P4", &["P*", "X*"]),
];

/// Steps ahead of the fan-out that have a check of their own.
const BEFORE: [&str; 2] = ["P0", "P3"];

/// The one owner of a rule: the enabled dimension that asks for it most exactly, the recipe's first where two do; else the critic.
pub fn owner<'a>(rule: &str, recipe: &'a Recipe, enabled: &[String]) -> Owner<'a> {
    let on = |id: &str| enabled.iter().any(|name| name.eq_ignore_ascii_case(id));
    let mut best: Option<(usize, &'a str)> = None;
    for dimension in recipe.dimensions.iter().filter(|dimension| !dimension.before && on(&dimension.id)) {
        let claim = claim(&dimension.id, rule);
        if claim > best.map_or(0, |(strength, _)| strength) {
            best = Some((claim, &dimension.id));
        }
    }
    best.map_or(Owner::Critic, |(_, id)| Owner::Dimension(id))
}

/// How exactly a dimension asks for a rule: 2 by its id, 1 by its letter, 0 not at all.
fn claim(dimension: &str, rule: &str) -> usize {
    let claims = CLAIMS.iter().filter(|(id, _)| id.eq_ignore_ascii_case(dimension)).flat_map(|(_, claims)| *claims);
    let strength = |claim: &str| match claim.strip_suffix('*') {
        Some(letter) => usize::from(rule.starts_with(letter)),
        None => 2 * usize::from(claim == rule),
    };
    claims.map(|claim| strength(claim)).max().unwrap_or(0)
}

/// Whether the offline reviewer can say anything for a dimension; where not, it is *not covered offline*, never clean.
/// P0 and P3 have checks of their own ([`super::known_domain`], [`super::against`]).
pub fn has_rules(dimension: &str, recipe: &Recipe, enabled: &[String]) -> bool {
    let before = BEFORE.iter().any(|id| id.eq_ignore_ascii_case(dimension) && recipe.dimension(id).is_some());
    let owns = |rule: &super::Rule| matches!(owner(rule.id, recipe, enabled), Owner::Dimension(id) if id.eq_ignore_ascii_case(dimension));
    before || rules::ALL.iter().any(owns)
}

/// Whose view a rule's hit is closest to when the critic reports it: a critic's finding names a dimension of the recipe
/// (SPEC S0, Phase 2). By the rule's first letter, the first of these that runs.
const VIEWS: &[(char, &[&str])] = &[
    ('A', &["DEV", "P2"]),
    ('P', &["DEV", "P4"]),
    ('G', &["DEV", "P4"]),
    ('X', &["SA", "P4"]),
    ('B', &["SA", "P4"]),
    ('C', &["SA", "P4"]),
    ('S', &["SA", "P4"]),
    ('T', &["SA", "P1"]),
    ('R', &["SA", "P4"]),
    ('M', &["PO", "P4"]),
    ('N', &["PO", "P4"]),
];

/// The dimension under which the critic reports a rule's hit: the closest that runs, else the first that does.
pub fn critics_dimension<'a>(rule: &str, recipe: &'a Recipe, enabled: &[String]) -> &'a str {
    let on = |id: &str| enabled.iter().any(|name| name.eq_ignore_ascii_case(id));
    let running: Vec<&str> = recipe.dimensions.iter().filter(|d| !d.before && on(&d.id)).map(|d| d.id.as_str()).collect();
    let views = VIEWS.iter().filter(|(letter, _)| rule.starts_with(*letter)).flat_map(|(_, views)| *views);
    let closest = views.filter_map(|view| running.iter().find(|id| id.eq_ignore_ascii_case(view))).next();
    closest.or(running.first()).copied().unwrap_or_default()
}

#[cfg(test)]
#[path = "owner_tests.rs"]
mod tests;
