//! The schema takes good answers, refuses bad ones, and limits everything.

use super::*;
use serde_json::json;

fn limited(schema: &Value, path: &str) {
    match schema["type"].as_str() {
        Some("object") => {
            assert_eq!(schema["additionalProperties"], json!(false), "{path}");
            let properties = schema["properties"].as_object().unwrap();
            let names: Vec<&String> = properties.keys().collect();
            assert_eq!(schema["required"], json!(names), "{path}");
            properties.iter().for_each(|(name, inner)| limited(inner, &format!("{path}.{name}")));
        }
        Some("array") => {
            assert!(schema["maxItems"].is_u64(), "{path}");
            limited(&schema["items"], path);
        }
        Some("string") => assert!(schema["maxLength"].is_u64() || schema["enum"].is_array(), "{path}"),
        Some("boolean" | "integer") => {}
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn every_list_and_text_is_limited_and_every_field_required() {
    let recipe = sample::recipe();
    for names_dimension in [true, false] {
        limited(&schema(&Wanted::Findings { recipe: &recipe, names_dimension, most: MAX_FINDINGS }), "");
    }
    limited(&schema(&Wanted::Verdicts { listed: 7 }), "");
    let of_critic = schema(&Wanted::Findings { recipe: &recipe, names_dimension: true, most: MAX_FINDINGS });
    let fields = of_critic["properties"]["findings"]["items"]["properties"].as_object().unwrap();
    let names: Vec<&str> = fields.keys().map(String::as_str).collect();
    assert_eq!(
        names.join(" "),
        "dimension severity section uc_id quote missing finding suggestion auto_fixable resolution_edge_cases blocked_on"
    );
}

#[test]
fn good_answers_fit_and_bad_ones_do_not() {
    let recipe = sample::recipe();
    let wanted = Wanted::Findings { recipe: &recipe, names_dimension: true, most: MAX_FINDINGS };
    let validator = jsonschema::validator_for(&schema(&wanted)).unwrap();
    let good = json!({
        "dimension": "DEV", "severity": "minor", "section": "", "uc_id": "", "quote": "", "missing": "Glossary",
        "finding": "No glossary.", "suggestion": "", "auto_fixable": false, "resolution_edge_cases": [], "blocked_on": ["who?"],
    });
    let fits = |item: &Value| validator.is_valid(&json!({"findings": [item]}));
    assert!(fits(&good) && validator.is_valid(&json!({"findings": []})));
    let read = read(&json!({"findings": [good]}).to_string(), &wanted).unwrap();
    assert_eq!(findings(&read)[0].missing.as_deref(), Some("Glossary"), "an absence can be reported");
    for (field, value) in [
        ("dimension", json!("UX")),
        ("severity", json!("info")),
        ("quote", json!("x".repeat(MAX_QUOTE + 1))),
        ("finding", json!(null)),
        ("auto_fixable", json!("no")),
        ("blocked_on", json!(vec!["x"; MAX_SENTENCES + 1])),
        ("more", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(!fits(&bad), "{field}");
    }
    let mut less = good.clone();
    less.as_object_mut().unwrap().remove("quote");
    assert!(!fits(&less));
    assert!(!validator.is_valid(&json!({"findings": vec![good; MAX_FINDINGS + 1]})));
    assert!(!validator.is_valid(&json!([])));
    let validator = jsonschema::validator_for(&schema(&Wanted::Verdicts { listed: 3 })).unwrap();
    let part = |number: u32| json!({"parts": [{"members": [1, number], "verdict": "merge", "suggestion": "both"}]});
    assert!(validator.is_valid(&part(3)) && !validator.is_valid(&part(4)) && !validator.is_valid(&part(0)));
}
