//! What a run has cost: by agent and in all, and which answers may lack something. Made of its events alone.

use super::answer::{Provenance, Usage};
use super::event::{Event, Kind};
use super::ids::StepKey;
use super::walls::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Calls and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Account {
    /// Calls sent, retries included.
    pub calls: u64,
    /// What they cost.
    pub usage: Usage,
}

impl Account {
    fn add(&mut self, calls: u64, usage: Usage) {
        self.calls = self.calls.saturating_add(calls);
        self.usage = self.usage.plus(usage);
    }
}

/// What is to be known of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lacking {
    /// Label of the step: `review/DEV/UC-01`.
    pub step: String,
    /// Items that could not be read and were left out.
    pub dropped: u32,
    /// The list was full to the end: something may be missing.
    pub may_be_cut: bool,
}

/// The accounts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accounts {
    /// Answers, by the agent that gave them.
    pub agents: BTreeMap<String, Account>,
    /// Attempts that failed.
    pub failed: Account,
    /// Answers that lack something, by step key; the latest answer to a step counts.
    pub lacking: BTreeMap<String, Lacking>,
    /// Programs that answered, each with the least of the walls that held around it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sandbox: BTreeMap<String, Level>,
}

/// What the accounts look at in a body.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields {
    agent: String,
    usage: Usage,
    provenance: Option<Provenance>,
}

impl Accounts {
    /// The accounts of these events.
    pub fn of(events: &[Event]) -> Accounts {
        let mut accounts = Accounts::default();
        events.iter().for_each(|event| accounts.apply(event));
        accounts
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        if !matches!(event.kind, Kind::StepDone | Kind::AttemptFailed) {
            return;
        }
        // A body of another shape has cost nothing that anybody knows of.
        let Fields { agent, usage, provenance } = event.body.read().unwrap_or_default();
        if event.kind == Kind::AttemptFailed {
            // A failure that cost nothing may have been a file, or a call that was never sent.
            self.failed.add(u64::from(usage != Usage::default()), usage);
            return;
        }
        // Effects are nobody's answer.
        if agent.is_empty() {
            return;
        }
        let Provenance { calls, dropped, may_be_cut, walls, .. } = provenance.unwrap_or_default();
        if let Some(level) = walls {
            let least = self.sandbox.entry(agent.clone()).or_insert(level);
            *least = level.min(*least);
        }
        self.agents.entry(agent).or_default().add(u64::from(calls.max(1)), usage);
        self.lacking.remove(&event.key);
        if dropped > 0 || may_be_cut {
            let step = StepKey::from(event.key.as_str()).label();
            self.lacking.insert(event.key.clone(), Lacking { step, dropped, may_be_cut });
        }
    }

    /// Everything together, failed attempts included.
    pub fn total(&self) -> Account {
        let mut total = self.failed;
        self.agents.values().for_each(|account| total.add(account.calls, account.usage));
        total
    }

    /// Labels of steps whose answer may be cut.
    pub fn cut(&self) -> Vec<&str> {
        self.lacking.values().filter(|lacking| lacking.may_be_cut).map(|lacking| lacking.step.as_str()).collect()
    }

    /// Items left out, by label of the step.
    pub fn dropped(&self) -> Vec<(&str, u32)> {
        let some = self.lacking.values().filter(|lacking| lacking.dropped > 0);
        some.map(|lacking| (lacking.step.as_str(), lacking.dropped)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(kind: Kind, key: &str, body: Value) -> Event {
        Event { v: 1, seq: 0, prev: String::new(), at: String::new(), kind, key: key.into(), attempt: 1, body: body.into() }
    }

    fn usage(tokens_in: u64, tokens_out: u64, cached: u64, cost: Option<u64>) -> Usage {
        Usage { tokens_in, tokens_out, cached, cost_micros: cost, ..Usage::default() }
    }

    #[test]
    fn accounts_are_kept_by_agent_and_in_all() {
        let done = |key: &str, agent: &str, usage: Usage, provenance: Value| {
            event(Kind::StepDone, key, json!({"agent": agent, "usage": usage, "provenance": provenance, "answer": []}))
        };
        let cut = json!({"calls": 3, "dropped": 2, "may_be_cut": true});
        let events = [
            event(Kind::AttemptFailed, "critic/1", json!({"reason": "x", "usage": usage(50, 5, 0, Some(7))})),
            event(Kind::AttemptFailed, "critic/1", json!({"reason": "no route"})),
            done("review/DEV/UC-01@4aeb8c", "m", usage(100, 10, 40, Some(20)), cut.clone()),
            done("review/SA/UC-01@4aeb8c", "m", usage(100, 20, 0, Some(30)), Value::Null),
            done("critic/1", "offline", Usage::default(), Value::Null),
            event(Kind::StepDone, "write/findings", json!({"agent": "", "answer": {"path": "x"}})),
            event(Kind::StepDone, "odd", json!("text")),
        ];
        let accounts = Accounts::of(&events);
        let names: Vec<&str> = accounts.agents.keys().map(String::as_str).collect();
        assert_eq!(names, ["m", "offline"]);
        assert_eq!(accounts.agents["m"], Account { calls: 4, usage: usage(200, 30, 40, Some(50)) });
        assert_eq!(accounts.agents["offline"], Account { calls: 1, usage: Usage::default() });
        assert_eq!(accounts.failed, Account { calls: 1, usage: usage(50, 5, 0, Some(7)) });
        assert_eq!(accounts.total(), Account { calls: 6, usage: usage(250, 35, 40, Some(57)) });
        assert_eq!(accounts.cut(), ["review/DEV/UC-01"]);
        assert_eq!(accounts.dropped(), [("review/DEV/UC-01", 2)]);
        let walled = |level: &str| done("critic/1", "command:x", Usage::default(), json!({"walls": level}));
        let walls = Accounts::of(&[walled("full"), walled("files"), walled("files_and_ports")]);
        assert_eq!(walls.sandbox, BTreeMap::from([("command:x".to_owned(), Level::Files)]), "the least counts");
        let mut again = accounts.clone();
        again.apply(&done("review/DEV/UC-01@4aeb8c", "m", Usage::default(), Value::Null));
        assert!(again.lacking.is_empty(), "the latest answer counts");
    }
}
