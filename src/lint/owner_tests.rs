use super::*;
use crate::model::finding::Status;
use crate::model::recipe::{Dimension, Granularity};

fn recipe(name: &str, dimensions: &[(&str, bool)]) -> Recipe {
    let dimension = |&(id, before): &(&str, bool)| Dimension {
        id: id.to_owned(),
        name: id.to_owned(),
        description: String::new(),
        before,
        default: id != "QA",
    };
    Recipe {
        schema: "tamis.recipe/1".to_owned(),
        name: name.to_owned(),
        purpose: String::new(),
        language: "document".to_owned(),
        granularity: Granularity::Auto,
        dimension_field: "lens".to_owned(),
        conflict_status: Status::Pending,
        minor_recommendation: String::new(),
        root: Vec::new(),
        finding_fields: Vec::new(),
        dimensions: dimensions.iter().map(dimension).collect(),
        criteria: Vec::new(),
    }
}

fn refine() -> Recipe {
    recipe("refine-prd", &[("DEV", false), ("SA", false), ("PO", false), ("QA", false)])
}

fn context() -> Recipe {
    recipe("review-context", &[("P0", true), ("P1", false), ("P2", false), ("P3", true), ("P4", false), ("P5", false)])
}

fn on(ids: &str) -> Vec<String> {
    ids.split_whitespace().map(str::to_owned).collect()
}

/// Rules of the catalogue that this release has not built yet but whose owner is settled.
const LATER: [&str; 12] = ["A06", "A16", "A17", "B01b", "N01", "P03", "R01", "T02", "X03", "X06", "X07", "X08"];

#[test]
fn every_rule_has_one_owner_in_every_built_in_recipe() {
    let mut rules: Vec<&str> = rules::ALL.iter().map(|rule| rule.id).chain(LATER).collect();
    rules.sort_unstable();
    let (refine, context) = (refine(), context());
    let cases = [
        ("refine-prd", &refine, "DEV SA PO"),
        ("refine-prd with QA", &refine, "DEV SA PO QA"),
        ("review-context", &context, "P0 P1 P2 P3 P4 P5"),
    ];
    let mut table = String::new();
    for (name, recipe, enabled) in cases {
        let enabled = on(enabled);
        table.push_str(&format!("{name}\n"));
        for dimension in recipe.dimensions.iter().filter(|dimension| enabled.contains(&dimension.id)) {
            let owned: Vec<&str> =
                rules.iter().copied().filter(|rule| owner(rule, recipe, &enabled) == Owner::Dimension(&dimension.id)).collect();
            let covered = match (owned.is_empty(), has_rules(&dimension.id, recipe, &enabled)) {
                (true, true) => "(a check of its own)",
                (true, false) => "(not covered offline)",
                (false, covered) => ["?", ""][usize::from(covered)],
            };
            table.push_str(&format!("  {:<7}{}{covered}\n", dimension.id, owned.join(" ")));
        }
        let critic: Vec<&str> = rules.iter().copied().filter(|rule| owner(rule, recipe, &enabled) == Owner::Critic).collect();
        table.push_str(&format!("  critic {}\n", critic.join(" ")));
    }
    insta::assert_snapshot!(table.replace(" \n", "\n"));
}

#[test]
fn an_exact_claim_weighs_more_than_a_letter() {
    let both = recipe("own", &[("P2", false), ("DEV", false)]);
    assert_eq!(owner("A16", &both, &on("P2 DEV")), Owner::Dimension("DEV"));
    assert_eq!(owner("A01", &both, &on("P2 DEV")), Owner::Dimension("P2"));
    assert_eq!(owner("A16", &both, &on("P2")), Owner::Dimension("P2"));
    assert_eq!(owner("A16", &both, &on("")), Owner::Critic);
}

#[test]
fn a_dimension_without_rules_is_not_covered() {
    let recipe = context();
    assert!(!has_rules("P5", &recipe, &on("P1 P2 P4 P5")));
    assert!(has_rules("P0", &recipe, &on("P0 P1")));
    assert!(!has_rules("SA", &recipe, &on("P1")));
}

#[test]
fn the_critic_reports_every_rule_under_a_dimension_that_runs() {
    type Row<'a> = (&'a Recipe, &'a str, &'a [(&'a str, &'a str)]);
    let rows: [Row; 3] = [
        (&refine(), "DEV SA PO", &[("P01", "DEV"), ("X02", "SA"), ("A04", "DEV"), ("B01a", "SA"), ("M02", "PO")]),
        (&context(), "P1 P2 P4 P5", &[("C01", "P4"), ("G01", "P4"), ("B02", "P4")]),
        (&context(), "P5", &[("T01", "P5"), ("C01", "P5")]),
    ];
    for (recipe, enabled, rules) in rows {
        for (rule, dimension) in rules {
            assert_eq!(critics_dimension(rule, recipe, &on(enabled)), *dimension, "{rule} with {enabled}");
        }
    }
}
