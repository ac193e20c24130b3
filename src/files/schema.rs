//! The JSON Schema (draft 2020-12) of a recipe's findings file.

use super::findings::{Carried, Coverage, FileStatus, Kept, Run, SCHEMA};
use crate::model::finding::{Absorbed, FixOption, Grounding, Question, Resolution, Severity, Status};
use crate::model::recipe::{FINDING_FIELDS, Recipe, RootValue};
use crate::model::settled::Convergence;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The schema of the findings files that this recipe writes.
///
/// At the root and in a finding other keys are allowed, because people may add their own; everything below is closed.
pub fn findings_schema(recipe: &Recipe) -> Value {
    // What is written, not what is accepted: every field is there.
    let mut types = Types(SchemaSettings::draft2020_12().for_serialize().into_generator());
    let mut properties = Map::new();
    properties.insert("schema".to_owned(), json!({ "const": SCHEMA }));
    let finding = finding_schema(recipe, &mut types);
    let kept = json!({
        "required": whole_fields(recipe),
        "allOf": [{ "$ref": "#/$defs/FindingFields" }],
    });
    for key in &recipe.root {
        properties.insert(key.key.clone(), root_value(recipe, key.value, &mut types));
    }
    properties.insert("convergence_rounds".to_owned(), json!({ "type": "integer", "minimum": 0 }));
    properties.insert("convergence".to_owned(), types.of::<Convergence>());
    properties.insert("coverage".to_owned(), types.of::<Coverage>());
    let dropped = with(&kept, "reason", json!({ "type": "string" }));
    properties.insert("dropped".to_owned(), list(dropped));
    properties.insert("carried".to_owned(), types.of::<Vec<Carried>>());
    let unmatched = with(&kept, "reason", types.of::<Kept>());
    let unmatched = with(&unmatched, "candidates", list(json!({ "type": "string" })));
    properties.insert("carried_unmatched".to_owned(), list(unmatched));
    properties.insert("run".to_owned(), types.of::<Run>());

    let required: Vec<String> = properties.keys().cloned().collect();
    let mut definitions = types.0.take_definitions(true);
    definitions.values_mut().for_each(close);
    definitions.insert("FindingFields".to_owned(), finding);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Findings of {}", recipe.name),
        "description": recipe.purpose,
        "type": "object",
        "required": required,
        "properties": properties,
        "$defs": definitions,
    })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// A schema of an object with one more mandatory property.
fn with(schema: &Value, name: &str, property: Value) -> Value {
    let mut schema = schema.clone();
    schema["properties"][name] = property;
    if let Some(required) = schema["required"].as_array_mut() {
        required.push(json!(name));
    }
    schema
}

/// Allows no other properties than those an object's schema names.
fn close(schema: &mut Value) {
    if schema.get("properties").is_some() {
        schema["additionalProperties"] = json!(false);
    }
}

/// Schemas of types, collected once each under `$defs`.
struct Types(SchemaGenerator);

impl Types {
    fn of<T: JsonSchema>(&mut self) -> Value {
        self.0.subschema_for::<T>().to_value()
    }
}

fn root_value(recipe: &Recipe, value: RootValue, types: &mut Types) -> Value {
    match value {
        RootValue::Source | RootValue::Version | RootValue::AppliedToVersion | RootValue::GeneratedAt => {
            json!({ "type": "string" })
        }
        RootValue::ReviewType => json!({ "const": recipe.name }),
        RootValue::Status => types.of::<FileStatus>(),
        RootValue::Findings => {
            let named: Vec<&str> = recipe.finding_fields.iter().map(|field| field.name.as_str()).collect();
            list(json!({ "required": named, "allOf": [{ "$ref": "#/$defs/FindingFields" }] }))
        }
        RootValue::Summary => summary(recipe),
    }
}

fn summary(recipe: &Recipe) -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let by_severity: Map<String, Value> =
        Severity::ALL.into_iter().map(|severity| (severity.word().to_owned(), count())).collect();
    let dimensions: Vec<&str> = recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
    let recommendations = ["BLOCKED", "NEEDS_REVISION", recipe.minor_recommendation.as_str(), "APPROVED", "INCOMPLETE"];
    let mut known: Vec<&str> = Vec::new();
    for recommendation in recommendations {
        if !known.contains(&recommendation) {
            known.push(recommendation);
        }
    }
    json!({
        "type": "object",
        "required": [
            "total", "by_severity", "by_dimension", "conflicts", "rejected", "open_questions", "deferred_questions",
            "recommendation",
        ],
        "additionalProperties": false,
        "properties": {
            "total": count(),
            "by_severity": {
                "type": "object",
                "required": Severity::ALL.map(|severity| severity.word()),
                "additionalProperties": false,
                "properties": by_severity,
            },
            "by_dimension": { "type": "object", "required": dimensions, "additionalProperties": count() },
            "conflicts": count(),
            "rejected": count(),
            "open_questions": count(),
            "deferred_questions": count(),
            "recommendation": { "enum": known },
        },
    })
}

/// Fields of a finding that is written whole: the recipe's, then all others.
fn whole_fields(recipe: &Recipe) -> Vec<&str> {
    let dimension = std::iter::once(recipe.dimension_field.as_str());
    dimension.chain(FINDING_FIELDS).collect()
}

fn finding_schema(recipe: &Recipe, types: &mut Types) -> Value {
    let mut properties = Map::new();
    for name in FINDING_FIELDS {
        properties.insert(name.to_owned(), field(name, types));
    }
    properties.insert(recipe.dimension_field.clone(), json!({ "type": "string" }));
    json!({ "type": "object", "properties": properties })
}

fn field(name: &str, types: &mut Types) -> Value {
    let text = || json!({ "type": "string" });
    let text_or_null = || json!({ "type": ["string", "null"] });
    match name {
        "id" => json!({ "type": "string", "pattern": "^(F[0-9]{3,})?$" }),
        "line" => line(),
        "quote" => json!({ "type": "string", "maxLength": 120 }),
        "auto_fixable" => json!({ "type": "boolean" }),
        "severity" => types.of::<Severity>(),
        "severity_given" => json!({ "anyOf": [types.of::<Severity>(), { "type": "null" }] }),
        "grounding" => types.of::<Grounding>(),
        "status" => types.of::<Status>(),
        "resolution" => json!({ "anyOf": [types.of::<Resolution>(), { "type": "null" }] }),
        "blocked_on" => types.of::<Vec<Question>>(),
        "absorbed" => types.of::<Vec<Absorbed>>(),
        "options" => {
            let mut option = types.0.root_schema_for::<FixOption>().to_value();
            option["properties"]["line"] = line();
            if let Some(map) = option.as_object_mut() {
                map.shift_remove("$schema");
                map.shift_remove("$defs");
            }
            close(&mut option);
            list(option)
        }
        "found_by" | "resolution_edge_cases" | "possible_duplicate_of" => list(text()),
        "section_given" | "rule" | "missing" => text_or_null(),
        _ => text(),
    }
}

/// Lines count from 1; `null` where there is none.
fn line() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::findings::render;
    use crate::files::samples::{any_file, full_file, recipes, small_recipe};
    use proptest::prelude::*;

    fn validator(recipe: &Recipe) -> jsonschema::Validator {
        let schema = findings_schema(recipe);
        jsonschema::meta::validate(&schema).expect("a schema");
        jsonschema::draft202012::new(&schema).expect("a validator")
    }

    /// The file as another reader sees it.
    fn parsed(recipe: &Recipe) -> Value {
        serde_yaml::from_str(&render(&full_file(recipe), recipe)).expect("YAML")
    }

    fn errors(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    #[test]
    fn written_files_are_valid_for_their_recipe() {
        let [refine, context] = recipes();
        for recipe in [refine, context, small_recipe()] {
            assert_eq!(errors(&validator(&recipe), &parsed(&recipe)), Vec::<String>::new(), "{}", recipe.name);
        }
    }

    #[test]
    fn a_file_of_one_recipe_is_not_valid_for_the_other() {
        let [refine, context] = recipes();
        assert!(!validator(&refine).is_valid(&parsed(&context)));
        assert!(!validator(&context).is_valid(&parsed(&refine)));
    }

    #[test]
    fn every_field_has_to_be_there_and_to_have_its_shape() {
        let [recipe, _] = recipes();
        let validator = validator(&recipe);
        let file = parsed(&recipe);
        let root: Vec<String> = file.as_object().expect("map").keys().cloned().collect();
        for key in &root {
            let mut broken = file.clone();
            broken.as_object_mut().expect("map").shift_remove(key);
            assert!(!validator.is_valid(&broken), "without {key}");
        }
        for list in ["findings", "dropped", "carried_unmatched"] {
            let fields: Vec<String> = file[list][0].as_object().expect("map").keys().cloned().collect();
            for field in fields.iter().filter(|field| *field != "note") {
                let mut broken = file.clone();
                broken[list][0].as_object_mut().expect("map").shift_remove(field);
                assert!(!validator.is_valid(&broken), "{list} without {field}");
                let mut broken = file.clone();
                broken[list][0][field] = json!({ "no": "such shape" });
                assert!(!validator.is_valid(&broken), "{list} with another {field}");
            }
        }
        for below in [
            "/findings/0/options/0",
            "/findings/0/resolution",
            "/findings/0/absorbed/0",
            "/findings/1/blocked_on/0",
            "/summary",
            "/summary/by_severity",
            "/convergence",
            "/coverage",
            "/coverage/holes/0",
            "/carried/0",
            "/run",
        ] {
            let fields: Vec<String> = file.pointer(below).and_then(Value::as_object).expect(below).keys().cloned().collect();
            for field in &fields {
                let mut broken = file.clone();
                broken.pointer_mut(below).and_then(Value::as_object_mut).expect(below).shift_remove(field);
                assert!(!validator.is_valid(&broken), "{below} without {field}");
            }
            let mut broken = file.clone();
            broken.pointer_mut(below).expect(below)["more"] = json!(1);
            assert!(!validator.is_valid(&broken), "{below} with more");
        }
        for (pointer, value) in [
            ("/findings/0/options/0/line", json!(0)),
            ("/findings/0/line", json!(0)),
            ("/findings/0/severity", json!("info")),
            ("/findings/0/status", json!("done")),
            ("/findings/0/quote", json!("x".repeat(121))),
            ("/findings/1/blocked_on/0/question", Value::Null),
            ("/summary/recommendation", json!("FINE")),
            ("/convergence/stopped_by", json!("me")),
            ("/status", json!("done")),
            ("/schema", json!("tamis.findings/2")),
        ] {
            let mut broken = file.clone();
            *broken.pointer_mut(pointer).expect(pointer) = value;
            assert!(!validator.is_valid(&broken), "{pointer}");
        }
    }

    #[test]
    fn what_people_add_is_allowed() {
        let [recipe, _] = recipes();
        let mut file = parsed(&recipe);
        file["findings"][0]["our_ticket"] = json!("T-1");
        file["note"] = json!("mine");
        assert!(validator(&recipe).is_valid(&file));
    }

    #[test]
    fn the_schema_looks_like_this() {
        let [recipe, _] = recipes();
        insta::assert_json_snapshot!("schema_refine_prd", findings_schema(&recipe));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn files_of_any_text_are_valid(mut file in any_file()) {
            let [recipe, _] = recipes();
            file.recommendation = "BLOCKED".to_owned();
            for finding in &mut file.findings {
                finding.quote = finding.quote.chars().take(120).collect();
            }
            let value: Value = serde_yaml::from_str(&render(&file, &recipe)).expect("YAML");
            prop_assert_eq!(errors(&validator(&recipe), &value), Vec::<String>::new());
        }
    }
}
