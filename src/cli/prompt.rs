//! `tamis prompt`: the exact text that an agent of a review gets. Nothing is run and nothing is sent.

use super::args::PromptArgs;
use super::seats::InForce;
use super::{inputs, out};
use crate::agent::prompts;
use crate::config::Flags;
use crate::config::Folders;
use crate::model::fault::Fault;
use crate::model::ids::StepKey;
use crate::model::nearest::nearest;
use crate::model::shown::Shown;
use crate::pipeline;
use crate::run::{Ask, Role};
use serde_json::{Value, json};

/// `tamis prompt FILE [--key KEY] …`.
///
/// # Errors
/// What `review` would refuse as well, a prompt of the user's own that cannot be used, and a key that the plan does not have.
pub fn prompt(args: &PromptArgs) -> Result<String, Fault> {
    let folders = Folders::find(None)?;
    let flags = Flags { lang: args.lang.as_deref(), ..Flags::default() };
    let in_force = InForce::read(&folders, &flags, args.project.of(&args.file))?;
    let mut inputs = inputs::load(&args.file, &in_force.plan_args(&args.plan), in_force.lang(), &folders)?;
    inputs.notices.extend(in_force.ignored());
    let texts = &in_force.prompts;
    inputs.notices.iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    let asks = pipeline::asks(&inputs.plan, &inputs.subject);
    let Some(key) = &args.key else { return Ok(if args.json { keys_json(&asks) } else { keys_text(&asks) }) };
    let ask = find(&asks, key)?;
    if ask.role == Role::Critic {
        out::notice("the critic's prompt as it stands while nothing is known yet: each round adds what has been found by then");
    }
    let prompt = prompts::compose(texts, ask);
    if !args.json {
        return Ok(Shown::block(&prompts::text(&prompt)).to_string());
    }
    let parts = json!({
        "schema": "tamis.prompt/1", "key": ask.key, "hash": prompts::hash(&prompt),
        "system": prompt.system, "shared": prompt.shared, "own": prompt.own,
    });
    Ok(out::json(&parts, true) + "\n")
}

fn label(ask: &Ask) -> String {
    StepKey::from(ask.key.as_str()).label()
}

/// The question that a key or a label means.
fn find<'a>(asks: &'a [Ask], key: &str) -> Result<&'a Ask, Fault> {
    if let Some(ask) = asks.iter().find(|ask| ask.key == key) {
        return Ok(ask);
    }
    let labelled: Vec<&Ask> = asks.iter().filter(|ask| label(ask) == key).collect();
    match labelled.as_slice() {
        [one] => Ok(one),
        [] => Err(unknown(asks, key)),
        several => {
            let keys: Vec<&str> = several.iter().map(|ask| ask.key.as_str()).collect();
            let what = format!("--key: `{}` is the label of {} steps", Shown::line(key), several.len());
            Err(Fault::usage(what, format!("give the key of one: {}", keys.join(", "))))
        }
    }
}

fn unknown(asks: &[Ask], key: &str) -> Fault {
    let what = format!("--key: this review has no step `{}`", Shown::line(key));
    let list = "without --key all of them are listed";
    let hint = match key.split('/').next() {
        Some("arbiter") => "what an arbiter is asked depends on the findings, so it is known only once they are there".to_owned(),
        Some("critic") => {
            "before a review has run there is only critic/1; later rounds differ in the list of what is known".to_owned()
        }
        _ => {
            let labels: Vec<String> = asks.iter().map(label).collect();
            match nearest(key, labels.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`? {list}"),
                None => list.to_owned(),
            }
        }
    };
    Fault::usage(what, hint)
}

fn keys_text(asks: &[Ask]) -> String {
    asks.iter().map(|ask| format!("{}  {}\n", Shown::line(&label(ask)), Shown::line(&ask.key))).collect()
}

fn keys_json(asks: &[Ask]) -> String {
    let keys: Vec<Value> = asks.iter().map(|ask| json!({ "key": ask.key, "label": label(ask), "scopes": ask.scopes })).collect();
    out::json(&json!({ "schema": "tamis.prompt-keys/1", "keys": keys }), true) + "\n"
}
