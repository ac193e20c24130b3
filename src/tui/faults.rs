//! Failures of attempts in words: each kind by its name, and what a person can do about it.

use crate::config::roster::Api;
use crate::model::answer::FaultClass;
use crate::text::Catalogue;

/// Message id of a failure's name; what to do about it stands under the same id with `-do` behind it.
fn id(class: FaultClass) -> &'static str {
    match class {
        FaultClass::Timeout => "fault-timeout",
        FaultClass::Unavailable => "fault-unavailable",
        FaultClass::Invalid => "fault-invalid",
        FaultClass::Empty => "fault-empty",
        FaultClass::Refused => "fault-refused",
        FaultClass::Filtered => "fault-filtered",
        FaultClass::Truncated => "fault-truncated",
        FaultClass::ReasoningOnly => "fault-reasoning-only",
        FaultClass::Broken => "fault-broken",
        FaultClass::Stalled => "fault-stalled",
        FaultClass::ErrorInside => "fault-error-inside",
        FaultClass::WrongFormat => "fault-wrong-format",
        FaultClass::UnknownStop => "fault-unknown-stop",
        FaultClass::Quota => "fault-quota",
        FaultClass::Denied => "fault-denied",
        FaultClass::Rejected => "fault-rejected",
        FaultClass::TooLong => "fault-too-long",
        FaultClass::NotRecorded => "fault-not-recorded",
        FaultClass::Capped => "fault-capped",
        FaultClass::Failed => "fault-failed",
        FaultClass::Cancelled => "fault-cancelled",
        FaultClass::Awaited => "fault-awaited",
        FaultClass::Tampered => "fault-tampered",
    }
}

/// The failure's name: `cut off at the output limit`.
pub fn name(words: &Catalogue, class: FaultClass) -> String {
    words.say(id(class), &[])
}

/// What a person can do about it, in a sentence. `agent` is who was asked.
pub fn remedy(words: &Catalogue, class: FaultClass, agent: &str) -> String {
    let id = format!("{}-do", id(class));
    match class {
        FaultClass::Denied => words.say(&id, &[("variable", key_variable(agent).into())]),
        _ => words.say(&id, &[]),
    }
}

/// The variable that a key is looked for in, unless the settings name another one: by who was asked, else both.
fn key_variable(agent: &str) -> String {
    let kind = agent.split_once(':').map(|(kind, _)| kind);
    let all = [Api::OpenAi, Api::Anthropic];
    match all.into_iter().find(|api| Some(api.word()) == kind) {
        Some(api) => api.default_key_env().to_owned(),
        None => all.map(Api::default_key_env).join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lang::Lang;
    use std::collections::BTreeSet;

    /// Every kind of failure there is: serde names them all when it is given none of them.
    fn all() -> Vec<FaultClass> {
        let error = serde_json::from_str::<FaultClass>("\"?\"").expect_err("no such kind").to_string();
        let (_, named) = error.split_once("expected one of").expect("serde names them");
        let words = named.split('`').skip(1).step_by(2);
        words.map(|word| serde_json::from_value(word.into()).expect("a kind")).collect()
    }

    #[test]
    fn every_failure_has_a_name_of_its_own_and_a_way_out_in_every_language() {
        let all = all();
        assert!(all.len() >= 21, "{all:?}");
        for lang in Lang::ALL {
            let words = Catalogue::new(lang);
            let mut names = BTreeSet::new();
            for &class in &all {
                let (name, remedy) = (name(&words, class), remedy(&words, class, "openai:gpt"));
                for text in [&name, &remedy] {
                    assert!(!text.contains("fault-") && !text.contains(['{', '$']), "{lang}: {text}");
                }
                assert!(name.chars().count() <= 40, "{lang}: {name} is too long for a row");
                assert!(remedy.ends_with(['.', '。']) && remedy != name, "{lang}: {remedy}");
                assert!(names.insert(name.clone()), "{lang}: {name} stands twice");
            }
        }
    }

    #[test]
    fn a_key_that_is_not_accepted_is_said_where_to_set() {
        let words = Catalogue::new(Lang::En);
        let say = |agent| remedy(&words, FaultClass::Denied, agent);
        assert!(say("anthropic:claude@http://x").contains("ANTHROPIC_API_KEY") && !say("anthropic:c").contains("OPENAI"));
        assert!(say("openai:gpt").contains("OPENAI_API_KEY") && !say("openai:gpt").contains("ANTHROPIC"));
        assert!(say("fast").contains("OPENAI_API_KEY, ANTHROPIC_API_KEY"));
    }
}
