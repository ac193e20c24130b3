//! How the shape of an answer is asked for, rung by rung.

use super::{Call, Dialect};
use crate::config::roster::Rung;
use serde_json::{Map, Value, json};

/// Keywords that some servers refuse although they take the schema around them.
const LIMITS: [&str; 3] = ["maxItems", "maxLength", "minLength"];
/// Keywords whose members are named by the schema's author, not by JSON Schema.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is data, not a schema.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];

/// The schema without limits on the length of lists and texts, at every depth. A property that happens to be called `maxItems`
/// stays.
pub fn without_limits(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| !LIMITS.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), member(key, value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_limits).collect()),
        other => other.clone(),
    }
}

fn member(key: &str, value: &Value) -> Value {
    match value {
        Value::Object(named) if NAMED.contains(&key) => {
            Value::Object(named.iter().map(|(name, schema)| (name.clone(), without_limits(schema))).collect::<Map<_, _>>())
        }
        data if DATA.contains(&key) => data.clone(),
        schema => without_limits(schema),
    }
}

/// The schema that the server is given beside the prompt; `None` on the rungs where the prompt carries it.
pub(super) fn schema_beside(call: &Call<'_>, dialect: Dialect) -> Option<Value> {
    match dialect.rung {
        Rung::Schema => Some(call.schema.clone()),
        Rung::SchemaWithoutLimits => Some(without_limits(call.schema)),
        Rung::Object | Rung::Prompt => None,
    }
}

/// What was said since the first question, as both formats write it.
pub(super) fn turns<'c>(call: &'c Call<'_>) -> impl Iterator<Item = Value> + 'c {
    let said = |role: &str, content: &str| json!({"role": role, "content": content});
    call.turns.iter().flat_map(move |turn| [said("assistant", &turn.answer), said("user", &turn.question)])
}

/// The agent's own part of the prompt, with the schema at its end on the rungs where nothing else tells the server of it.
pub(super) fn own(call: &Call<'_>, dialect: Dialect) -> String {
    let own = &call.prompt.own;
    match dialect.rung {
        Rung::Schema | Rung::SchemaWithoutLimits => own.clone(),
        Rung::Object | Rung::Prompt => format!(
            "{}\n\nAnswer with one JSON object and nothing else: no words around it, no code fence. It must be valid against this \
             JSON Schema:\n{}\n",
            own.trim_end(),
            call.schema
        ),
    }
}

/// A whole conversation as one text, for whoever takes nothing else: the prompt with the schema at its end, then what was said.
pub fn as_text(call: &Call<'_>) -> String {
    let dialect = Dialect { rung: Rung::Prompt, max_completion_tokens: false };
    let parts = [call.prompt.system.trim_end(), call.prompt.shared.trim_end(), &own(call, dialect)];
    let mut text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    for turn in call.turns {
        text.push_str(&format!("\n\nYou answered:\n\n{}\n\n{}\n", turn.answer.trim_end(), turn.question.trim_end()));
    }
    text
}
