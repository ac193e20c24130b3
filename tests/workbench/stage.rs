//! A stage: the model on the events of a review, and an engine of cardboard that records what is wished.
//!
//! `before, keys, after`: begin with one of the constructors, press keys by name, look at the screen, the wishes, the records.

use crate::common::{Case, ScriptedHuman};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use tamis::document::Document;
use tamis::model::event::{Body, Event, Kind};
use tamis::model::gate::{GateRecord, Op};
use tamis::model::lang::Lang;
use tamis::model::recipe::Granularity;
use tamis::text::Catalogue;
use tamis::tui::app::settle_scrolls;
use tamis::tui::glyphs::Glyphs;
use tamis::tui::message::{Cmd, Msg, Now};
use tamis::tui::model::{Look, Model, Opening, SETTLE};
use tamis::tui::picture::buffer_to_text;
use tamis::tui::port::{Access, Ended, Input, Wish};
use tamis::tui::screens;
use tamis::tui::theme::Theme;
use tamis::tui::update::update;

/// Sizes at which screens are looked at.
pub const SIZES: [(u16, u16); 4] = [(40, 10), (80, 24), (120, 40), (200, 60)];

pub use crate::common::THEN;

/// A model and what became of it.
pub struct Stage {
    /// The model.
    pub model: Model,
    /// Everything that was asked of the loop, oldest first.
    pub cmds: Vec<Cmd>,
    /// Milliseconds since the screen began.
    pub ms: u64,
    /// The size that scrolling reckons with.
    pub size: (u16, u16),
    /// How the run ends when the gate of settling is left.
    pub ending: Ended,
    /// Whether the disk is slow, and the wishes that wait for it.
    pub holds: bool,
    held: Vec<Wish>,
}

/// The text of a bundled example.
pub fn example(name: &str) -> String {
    let path = format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The steps of a bundled council.
pub fn council(name: &str) -> String {
    let text = example(name);
    text.split_once("steps:\n").expect("a council").1.to_owned()
}

/// Events of a review that goes on until nobody is at one of the gates `away`, or to its end.
pub fn events_of(document: &str, steps: &str, away: &[&str]) -> Vec<Event> {
    let human = ScriptedHuman { away: away.iter().map(|gate| (*gate).to_owned()).collect(), ..ScriptedHuman::default() };
    let case = Case::with(document, steps, crate::common::recipe("refine-prd"), Granularity::PerUc).human(human);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    // Away from a gate the review ends with the fault that says so; the events are what is wanted.
    let _ = runtime.block_on(case.run());
    case.store.events()
}

impl Stage {
    /// A stage on these events, nobody awaited.
    pub fn on(document: &str, lang: Lang, events: Vec<Event>) -> Stage {
        let model = Model::new(Opening {
            words: Catalogue::new(lang),
            look: Look {
                theme: Theme::load("terminal", None).expect("built in"),
                glyphs: Glyphs::choose(false, None, None, Some("C.UTF-8")),
            },
            document: Arc::new(Document::parse(document.to_owned())),
            given: "prd.md".to_owned(),
            person: "An".to_owned(),
            events,
            access: Access::Write,
            step: false,
        });
        let ending = Ended { summary: vec!["written".to_owned()], written: Some("prd.findings.yaml".to_owned()), fault: None };
        let mut stage = Stage { model, cmds: Vec::new(), ms: 0, size: (80, 24), ending, holds: false, held: Vec::new() };
        stage.model.now = Now { ms: 0, wall: THEN };
        stage
    }

    /// The bundled council on the bundled document, waiting at the settle gate.
    pub fn settling() -> Stage {
        let document = example("prd-en.md");
        let mut events = events_of(&document, &council("council.yaml"), &[SETTLE]);
        // The person is here: the process never paused.
        events.retain(|event| event.kind != Kind::RunPaused);
        let mut stage = Stage::on(&document, Lang::En, events);
        stage.input(Input::Desk { gate: SETTLE.to_owned() });
        stage
    }

    /// The same, waiting after a critic round.
    pub fn at_round(round: u32) -> Stage {
        let document = example("prd-en.md");
        let gate = format!("gate/round/{round}");
        let mut events = events_of(&document, &council("council.yaml"), &[&gate]);
        events.retain(|event| event.kind != Kind::RunPaused);
        let mut stage = Stage::on(&document, Lang::En, events);
        stage.input(Input::Desk { gate });
        stage
    }

    /// The same review, as far as the first `n` of its events.
    pub fn midway(n: usize) -> Stage {
        let document = example("prd-en.md");
        let events = events_of(&document, &council("council.yaml"), &[SETTLE]);
        Stage::on(&document, Lang::En, events.into_iter().take(n).collect())
    }

    /// Hands a message in, and does what an engine would do about the wishes.
    pub fn msg(&mut self, msg: Msg) -> &mut Stage {
        let now = Now { ms: self.ms, wall: THEN + self.ms as i64 };
        let cmds = update(&mut self.model, msg, now);
        // Scrolling and pages reckon with what was drawn last.
        self.draw(self.size);
        for cmd in cmds {
            self.cmds.push(cmd.clone());
            if let Cmd::Wish(wish) = cmd {
                self.carry_out(wish);
            }
        }
        self
    }

    /// News of the run.
    pub fn input(&mut self, input: Input) -> &mut Stage {
        self.msg(Msg::Input(input))
    }

    /// Whether the disk is slow: wishes wait until it is not.
    pub fn holds_records(&mut self, holds: bool) {
        self.holds = holds;
        while !self.holds && !self.held.is_empty() {
            let wish = self.held.remove(0);
            self.carry_out(wish);
        }
    }

    fn carry_out(&mut self, wish: Wish) {
        if self.holds {
            self.held.push(wish);
            return;
        }
        let Some(gate) = self.model.gate().map(str::to_owned) else { return };
        match wish {
            Wish::Record(op) => self.record(&gate, op),
            Wish::Close => {
                self.event(Kind::GateClosed, &gate, serde_json::json!({ "by": "person" }).into());
                self.input(Input::DeskGone);
                if gate == SETTLE {
                    self.input(Input::Ended(self.ending.clone()));
                }
            }
            _ => {}
        }
    }

    /// Leaves a record on a gate, as the journal would.
    pub fn record(&mut self, gate: &str, op: Op) {
        let record = GateRecord { op, by: "An".to_owned(), at: "2026-01-02T03:04:05.000Z".to_owned() };
        self.event(Kind::GateRecord, gate, Body::of(&record).expect("a body"));
    }

    /// Records an event as the journal would.
    pub fn event(&mut self, kind: Kind, key: &str, body: Body) {
        let seq = self.model.history.events().len() as u64;
        // People decide after the last event; on a still clock at the same moment.
        let at = self.model.history.events().last().map_or("2026-01-02T03:04:05.000Z", |event| event.at.as_str()).to_owned();
        let event = Event { v: 1, seq, prev: String::new(), at, kind, key: key.to_owned(), attempt: 0, body };
        self.input(Input::Event(Box::new(event)));
    }

    /// Presses keys by name, blanks between them: `a n ctrl-c f3 enter`.
    pub fn keys(&mut self, names: &str) -> &mut Stage {
        for name in names.split_whitespace() {
            self.ms += 100;
            self.msg(Msg::Key(key(name)));
        }
        self
    }

    /// Types text, a key a character.
    pub fn types(&mut self, text: &str) -> &mut Stage {
        for c in text.chars() {
            self.ms += 100;
            self.msg(Msg::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
        }
        self
    }

    /// Lets time pass.
    pub fn after(&mut self, ms: u64) -> &mut Stage {
        self.ms += ms;
        self.msg(Msg::Tick)
    }

    /// The cells of a frame.
    pub fn draw(&mut self, (width, height): (u16, u16)) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        let drawn = screens::draw(&self.model, &mut buffer);
        settle_scrolls(&mut self.model, &drawn);
        buffer
    }

    /// A frame as text.
    pub fn screen(&mut self, size: (u16, u16)) -> String {
        buffer_to_text(&self.draw(size))
    }

    /// Records so far that are no drafts, oldest first.
    pub fn ops(&self) -> Vec<Op> {
        let gate = self.model.gate().unwrap_or(SETTLE);
        let records = self.model.records(gate).iter().map(|record| record.op.clone());
        records.filter(|op| !matches!(op, Op::Draft { .. })).collect()
    }
}

/// A key by its name.
pub fn key(name: &str) -> KeyEvent {
    let (control, rest) = name.strip_prefix("ctrl-").map_or((false, name), |rest| (true, rest));
    let (alt, rest) = rest.strip_prefix("alt-").map_or((false, rest), |rest| (true, rest));
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::CONTROL, control);
    modifiers.set(KeyModifiers::ALT, alt);
    let code = match rest {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "space" => KeyCode::Char(' '),
        "tab" => KeyCode::Tab,
        "shift-tab" => KeyCode::BackTab,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        _ => match rest.strip_prefix('f').and_then(|number| number.parse().ok()) {
            Some(number) => KeyCode::F(number),
            None => KeyCode::Char(rest.chars().next().expect("a key")),
        },
    };
    KeyEvent::new(code, modifiers)
}
