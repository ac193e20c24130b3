//! Scenes: one review in all its states, and everything that can lie over a screen. The suites go through all of them.

use crate::stage::{Stage, council, events_of, example};
use std::sync::OnceLock;
use tamis::model::estimate::{Destination, Estimate, Span};
use tamis::model::event::{Event, Kind};
use tamis::model::gate::Op;
use tamis::model::ids::{FindingKey, QuestionKey};
use tamis::model::lang::Lang;
use tamis::tui::entry::{Entry, Purpose, finding_form};
use tamis::tui::field::{Field, Lines};
use tamis::tui::model::{Layer, Model, SETTLE, Screen};
use tamis::tui::port::{Access, Ended, Input, Preview};
use tamis::tui::sending::{READ_FOR, Sending};

/// What a review is about and what it came to, up to its gates.
pub struct Play {
    document: String,
    settling: Vec<Event>,
    round: Vec<Event>,
}

/// Where a review stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing is recorded yet.
    Start,
    /// Agents run.
    Midway,
    /// An agent's retries are spent.
    Failing,
    /// Two agents' retries are spent.
    FailingTwice,
    /// A round is looked at.
    Round,
    /// Everything is open.
    Settling,
    /// Everything is decided, nothing written.
    Decided,
    /// The file is written.
    Ended,
    /// The run came to an end with a fault.
    Broken,
    /// It is to be confirmed that the document is sent.
    Sending,
    /// Agents wait for a person who carries their questions to a chat.
    Carrying,
    /// A past moment is looked at.
    Past,
    /// Another process carries the run.
    ReadOnly,
}

impl State {
    /// All.
    pub const ALL: [State; 13] = [
        State::Start,
        State::Midway,
        State::Failing,
        State::FailingTwice,
        State::Round,
        State::Settling,
        State::Decided,
        State::Ended,
        State::Broken,
        State::Sending,
        State::Carrying,
        State::Past,
        State::ReadOnly,
    ];
}

impl Play {
    /// A review of a document by a scripted council.
    pub fn of(document: String, steps: &str) -> Play {
        let until = |gate: &str| {
            let mut events = events_of(&document, steps, &[gate]);
            // The person is here: the process never paused.
            events.retain(|event| event.kind != Kind::RunPaused);
            events
        };
        let (settling, round) = (until(SETTLE), until("gate/round/1"));
        assert!(settling.iter().any(|event| event.kind == Kind::GateOpened && event.key == SETTLE), "the review got to its gate");
        assert!(round.iter().any(|event| event.kind == Kind::GateOpened && event.key == "gate/round/1"));
        Play { document, settling, round }
    }

    /// The bundled example.
    pub fn bundled() -> &'static Play {
        static PLAY: OnceLock<Play> = OnceLock::new();
        PLAY.get_or_init(|| Play::of(example("prd-en.md"), &council("council.yaml")))
    }

    fn on(&self, events: &[Event]) -> Stage {
        Stage::on(&self.document, Lang::En, events.to_vec())
    }

    /// Events up to and with the `n`-th of a kind, from 1.
    fn up_to(&self, kind: &Kind, n: usize) -> Vec<Event> {
        let places = self.settling.iter().enumerate().filter(|(_, event)| event.kind == *kind);
        let end = places.map(|(place, _)| place + 1).nth(n - 1).expect("so many events");
        self.settling[..end].to_vec()
    }

    /// Two agents were asked, and the last so many of them failed for good.
    fn failing(&self, last: usize) -> Stage {
        let events = self.up_to(&Kind::StepStarted, 2);
        let mut stage = self.on(&events);
        for event in events.iter().filter(|event| event.kind == Kind::StepStarted).skip(2 - last) {
            let body = serde_json::json!({ "reason": "the answer is no list", "class": "invalid", "final": true });
            stage.event(Kind::AttemptFailed, &event.key, body.into());
        }
        stage
    }

    /// The review in a state.
    pub fn stage(&self, state: State) -> Stage {
        match state {
            State::Start => self.on(&[]),
            State::Midway => {
                let mut stage = self.on(&self.up_to(&Kind::StepDone, 3));
                let step = stage.model.agents().first().cloned().expect("an agent");
                let lines = (0..200).map(|line| format!("line {line}\n")).collect::<String>();
                stage.model.outputs.entry(step).or_default().add(1, &lines, 0);
                stage
            }
            State::Failing => self.failing(1),
            State::FailingTwice => self.failing(2),
            State::Round => {
                let mut stage = self.on(&self.round);
                stage.input(Input::Desk { gate: "gate/round/1".to_owned() });
                stage
            }
            State::Settling => {
                let mut stage = self.on(&self.settling);
                stage.input(Input::Desk { gate: SETTLE.to_owned() });
                stage.input(Input::Preview(preview()));
                stage
            }
            State::Decided => {
                let mut stage = self.stage(State::Settling);
                for op in decisions(&stage.model) {
                    stage.record(SETTLE, op);
                }
                assert!(!stage.model.decided.open.block_writing());
                stage
            }
            State::Ended => {
                let mut stage = self.stage(State::Decided);
                stage.event(Kind::GateClosed, SETTLE, serde_json::json!({ "by": "person" }).into());
                stage.input(Input::DeskGone);
                let summary = vec!["4 conflicts settled".to_owned(), "written".to_owned()];
                stage.input(Input::Ended(Ended { summary, written: Some("prd.findings.yaml".to_owned()), fault: None }));
                stage
            }
            State::Broken => {
                let mut stage = self.stage(State::Midway);
                let fault = Some(("the journal cannot be written: no space left".to_owned(), "free some space".to_owned()));
                stage.input(Input::Ended(Ended { summary: Vec::new(), written: None, fault }));
                stage
            }
            State::Sending => {
                let mut stage = self.on(&self.up_to(&Kind::Fixed, 1));
                let (estimate, one_model) = estimate();
                stage.input(Input::Sending { estimate: Box::new(estimate), file: "prd.md".to_owned(), one_model });
                stage.after(READ_FOR);
                stage
            }
            State::Carrying => {
                let mut stage = self.on(&self.up_to(&Kind::StepStarted, 2));
                let text = (0..200).map(|line| format!("line {line} of the question\n")).collect::<String>();
                for step in stage.model.agents().into_iter().take(2) {
                    stage.input(Input::Errand { step, text: text.clone(), about: String::new() });
                }
                stage
            }
            State::Past => {
                let mut stage = self.stage(State::Settling);
                stage.model.screen = Screen::Run;
                stage.keys(", ,");
                assert!(stage.model.past.is_some());
                stage
            }
            State::ReadOnly => {
                let mut stage = self.on(&self.settling);
                stage.model.access = Access::ReadOnly("process 4711 on this machine".to_owned());
                stage
            }
        }
    }
}

/// What a run is expected to take, and seats of it that are one model.
pub fn estimate() -> (Estimate, Vec<(String, String)>) {
    let span = |least, most| Span { least, most };
    let to = |server: &str, models: &[&str]| Destination {
        server: server.to_owned(),
        models: models.iter().map(|&model| model.to_owned()).collect(),
    };
    let estimate = Estimate {
        agents: 12,
        calls: span(14, 63),
        arbiter: span(0, 8),
        tokens_in: span(118_400, 512_000),
        tokens_out: span(9_000, 240_000),
        cost_micros: Some(span(84_200, 1_930_000)),
        currency: "USD".to_owned(),
        destinations: vec![
            to("https://api.openai.com", &["gpt-5", "gpt-5-mini"]),
            to("https://llm.example.com:8443", &["qwen3-32b"]),
        ],
        too_long: Vec::new(),
    };
    (estimate, vec![("openai:gpt-5".to_owned(), "critic".to_owned())])
}

fn preview() -> Preview {
    let there = "schema: tamis.findings/1\nfindings:\n  - id: F001\n".to_owned();
    let text = format!("{there}    status: accepted\n").repeat(40);
    Preview { path: "prd.findings.yaml".to_owned(), there: Some(there), text, ..Preview::default() }
}

/// Decisions on everything that holds up writing.
pub fn decisions(model: &Model) -> Vec<Op> {
    let conflicts = model.decided.open.conflicts.iter().map(|conflict| Op::Choose {
        finding: conflict.clone(),
        label: "A".to_owned(),
        reason: String::new(),
    });
    let questions =
        model.decided.open.policy.iter().map(|(_, question)| Op::Answer { question: question.clone(), answer: "No".to_owned() });
    conflicts.chain(questions).collect()
}

/// Every purpose of a text area, about things of this review where it has them.
pub fn purposes(model: &Model) -> Vec<Purpose> {
    let findings: Vec<FindingKey> = model.decided.findings.iter().map(|finding| finding.key.clone()).collect();
    let conflict = model.current_conflict().map(|finding| finding.key.clone());
    let finding = conflict.or_else(|| findings.first().cloned()).unwrap_or_else(|| FindingKey::from("0123456789abcdef"));
    let question = model.current_question().map(|(_, question)| question.key.clone());
    let question = question.unwrap_or_else(|| QuestionKey::from("0123456789abcdef"));
    vec![
        Purpose::Words(finding.clone()),
        Purpose::Defer(vec![finding.clone()]),
        Purpose::Defer(findings.clone()),
        Purpose::Reject(findings),
        Purpose::Reason(finding),
        Purpose::Answer(question.clone()),
        Purpose::Owner(question.clone()),
        Purpose::DeferQuestion(question),
        Purpose::Add,
        Purpose::Filter,
        Purpose::Bring("review/DEV/UC-01@4aeb8c".to_owned()),
    ]
}

fn sending(sent: bool) -> Layer {
    let (estimate, one_model) = estimate();
    let (estimate, file) = (Box::new(estimate), "prd.md".to_owned());
    Layer::Sending(Box::new(Sending { estimate, file, one_model, top: 0, quiet_since: None, sent }))
}

/// What can lie over a screen, with `text` typed where text can be typed; nothing at all first.
pub fn layers(model: &Model, text: &str) -> Vec<Option<Layer>> {
    let palette = |typed: &str, cursor| Layer::Palette(Box::new(Field::new(typed, Lines::One)), cursor);
    let step = model.agents().into_iter().next().unwrap_or_else(|| "review/DEV/UC-01".to_owned());
    let mut layers = vec![
        Layer::Help(0),
        Layer::Help(usize::MAX),
        Layer::Log(0),
        Layer::Log(usize::MAX),
        palette("", 0),
        palette("", usize::MAX),
        palette(text, 3),
        Layer::Leave,
        Layer::Hole(step),
        sending(false),
        sending(true),
    ];
    for purpose in purposes(model) {
        let begun = if purpose == Purpose::Add { finding_form("DEV") } else { String::new() };
        layers.push(Layer::Entry(Box::new(Entry::open(purpose.clone(), &begun, vec![text.to_owned()], model))));
        let mut typed = Entry::open(purpose, &begun, vec![text.to_owned()], model);
        typed.field.paste(text);
        layers.push(Layer::Entry(Box::new(typed)));
    }
    std::iter::once(None).chain(layers.into_iter().map(Some)).collect()
}

/// Whether a layer takes text.
pub fn takes_text(layer: &Layer) -> bool {
    matches!(layer, Layer::Entry(_) | Layer::Palette(..))
}
