//! What models are told: every demanded point is in the text, agents of a bucket share theirs to the byte, and nothing that a
//! document, a recipe or another model says can get out of its place.

#[path = "../common/bench.rs"]
mod bench;
mod command;
mod data;
mod points;
mod shape;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::agent::prompts::{compose, text};
use tamis::agent::wire::Prompt;
use tamis::config::prompts::Prompts;
use tamis::config::{Folders, context};
use tamis::document::Document;
use tamis::model::context::SlimContext;
use tamis::model::finding::{Finding, Known, RawFinding};
use tamis::model::ids::StepKey;
use tamis::model::lang::Lang;
use tamis::rules::enter::enter;
use tamis::rules::ground::Grounds;
use tamis::rules::plan::{PlanOptions, plan};
use tamis::run::{Ask, Role, Subject};

/// A review that is about to be asked for.
struct Case {
    subject: Subject,
    options: PlanOptions,
}

impl Case {
    fn new(recipe: &str, document: &str) -> Case {
        let folders = Folders { config: None, state: PathBuf::from("/nowhere") };
        let recipe = tamis::config::recipe::load(recipe, &folders).expect("built in").0;
        let document = Document::parse(document.to_owned());
        let lang = document.outline().lang;
        let subject = Subject {
            document: Arc::new(document),
            enabled: Vec::new(),
            context: SlimContext::default(),
            criteria: recipe.criteria.clone(),
            others: Vec::new(),
            lang,
            wording: Default::default(),
            recipe,
        };
        Case { subject, options: PlanOptions::default() }
    }

    fn example(recipe: &str, name: &str) -> Case {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
        let mut case = Case::new(recipe, &std::fs::read_to_string(&path).expect("an example"));
        case.subject.context = context::find(None, &path).expect("reads").expect("beside it").0;
        case
    }

    fn asks(self) -> Vec<Ask> {
        let plan = plan(self.subject.document.outline(), &self.subject.recipe, &self.options).expect("a plan");
        tamis::pipeline::asks(&plan, &Arc::new(self.subject))
    }

    fn ask(self, label: &str) -> Ask {
        let asks = self.asks();
        let labels: Vec<String> = asks.iter().map(|ask| StepKey::from(ask.key.as_str()).label()).collect();
        let at = labels.iter().position(|known| known == label);
        asks[at.unwrap_or_else(|| panic!("no {label} in {labels:?}"))].clone()
    }

    fn prompt(self, label: &str) -> Prompt {
        composed(&self.ask(label))
    }
}

fn composed(ask: &Ask) -> Prompt {
    compose(&Prompts::embedded(), ask)
}

/// All of a prompt with white space folded, so that a phrase is found wherever its lines break.
fn folded(prompt: &Prompt) -> String {
    text(prompt).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn known(finding: &str) -> Known {
    Known { uc_id: "UC-02".into(), section: "Use cases > UC-02: Collect a parcel".into(), finding: finding.into() }
}

/// Findings as a run holds them.
fn findings(ask: &Ask, raws: &[(&str, &str, &str)]) -> Vec<Finding> {
    let document = &ask.subject.document;
    let grounds = Grounds::new(document.text(), document.outline());
    let entered = raws.iter().map(|(quote, finding, suggestion)| {
        let raw = RawFinding {
            severity: "critical".into(),
            quote: (*quote).into(),
            finding: (*finding).into(),
            suggestion: (*suggestion).into(),
            ..RawFinding::default()
        };
        enter(&raw, "critic/2", "SA", &grounds, &ask.subject.recipe)
    });
    entered.collect()
}

/// An arbiter's question about the example.
fn arbiter(case: Case) -> Ask {
    let mut ask = case.ask("critic/1");
    ask.key = "arbiter/5f2c/ab".into();
    ask.role = Role::Arbiter;
    ask.scopes = Vec::new();
    ask.listing = findings(
        &ask,
        &[
            ("the system retries 3 times", "AC-02 holds mechanism.", "Move the three retries to a business rule."),
            (
                "a timeout of 10 seconds",
                "AC-02 says how often and how long to retry.",
                "State the retries in BR-12, refer to it.",
            ),
        ],
    );
    ask
}

fn lang(code: &str) -> Lang {
    Lang::from_code(code).expect("a language")
}
