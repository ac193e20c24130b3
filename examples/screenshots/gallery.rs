//! The pictures: which moment, which keys, which size, which look.

use crate::scene::Scene;
use crate::stage::Stage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::tui::app::settle_scrolls;
use tamis::tui::glyphs::Glyphs;
use tamis::tui::picture::{DARK, LIGHT, Palette, svg};
use tamis::tui::screens;
use tamis::tui::theme::Theme;

/// Columns and rows of most pictures.
const USUAL: (u16, u16) = (120, 36);

/// A picture that is drawn.
pub struct Picture {
    /// Its name, without an ending.
    pub name: &'static str,
    /// What is drawn.
    pub svg: String,
    /// Whether it is also kept as a PNG.
    pub png: bool,
    /// Width and height.
    pub pixels: (u32, u32),
}

/// How a picture looks.
#[derive(Clone, Copy)]
struct Look {
    theme: &'static str,
    terminal: &'static Palette,
    ascii: bool,
}

const TERMINAL: Look = Look { theme: "terminal", terminal: &DARK, ascii: false };
const IN_DARK: Look = Look { theme: "dark", ..TERMINAL };
const IN_LIGHT: Look = Look { theme: "light", terminal: &LIGHT, ascii: false };
const HIGH_CONTRAST: Look = Look { theme: "high-contrast", ..TERMINAL };
const COLOUR_BLIND: Look = Look { theme: "colour-blind", ..TERMINAL };
const ASCII: Look = Look { ascii: true, ..TERMINAL };

/// All pictures.
pub fn gallery() -> Vec<Picture> {
    let [en, vi, zh] = [Lang::En, Lang::Vi, Lang::Zh].map(Scene::of);
    let mut pictures = Vec::new();
    let mut add = |name, size, look, png, stage: Stage| pictures.push(picture(name, size, look, png, stage));

    // Before anything is sent
    add("sending", (100, 24), TERMINAL, true, en.before_sending());

    // Run
    add("run-fan-out", USUAL, TERMINAL, true, en.at(62_000));
    add("run-needs-you", USUAL, COLOUR_BLIND, false, en.at_hole());
    add("run-output", (100, 24), IN_DARK, false, pressed(en.at(71_000), "down down down down down enter"));
    add("run-round", USUAL, TERMINAL, false, pressed(en.at_gate("gate/round/1"), "down x"));
    add("run-ascii", (80, 24), ASCII, false, en.at(62_000));
    add("run-zh", USUAL, TERMINAL, true, zh.at(62_000));

    // Decide
    add("decide", (120, 40), TERMINAL, true, en.settling());
    add("decide-80x24", (80, 24), TERMINAL, false, en.settling());
    add("decide-merge", (120, 40), COLOUR_BLIND, false, pressed(en.settling(), "m"));
    add("decide-vi", (120, 40), IN_LIGHT, true, vi.settling());

    // Questions
    let mut questions = asked(&en, "How many wrong pick-up codes");
    questions.types("At most 20 a day; after that a support agent has to unlock it");
    add("questions", (100, 30), HIGH_CONTRAST, true, questions);
    let mut questions = asked(&vi, "bao nhiêu lần nhập sai");
    questions.types("Nhiều nhất 20 lần mỗi ngày");
    add("questions-vi", (100, 30), IN_DARK, false, questions);

    // Findings
    add("findings", USUAL, IN_LIGHT, true, pressed(en.settling(), "f5 down a down x enter down down"));
    let mut filtered = pressed(en.settling(), "f5 /");
    filtered.types("refund request");
    add("findings-filtered", USUAL, IN_DARK, false, pressed(filtered, "enter down space down space"));
    add("findings-zh", USUAL, COLOUR_BLIND, false, pressed(zh.settling(), "f5 down down"));

    // Report
    add("report-open", (100, 30), TERMINAL, false, shown(&en, pressed(en.settling(), "a f6")));
    add("report-ready", (100, 30), IN_DARK, false, shown(&en, pressed(settled(&en, "No."), "f6")));
    let mut written = pressed(settled(&en, "No."), "f6");
    en.write(&mut written, "w");
    add("report-written", (100, 30), TERMINAL, false, written);
    add("report-zh", (100, 30), IN_LIGHT, false, shown(&zh, pressed(settled(&zh, "不可以。"), "f6")));

    // What lies over a screen
    add("help", (100, 40), TERMINAL, false, pressed(en.settling(), "?"));
    let mut palette = pressed(en.settling(), ":");
    palette.types("re");
    add("palette", (100, 30), TERMINAL, false, palette);
    pictures
}

fn pressed(mut stage: Stage, keys: &str) -> Stage {
    stage.keys(keys);
    stage
}

/// With the text area open for the question that has these words.
fn asked(scene: &Scene, words: &str) -> Stage {
    let mut stage = pressed(scene.settling(), "f4");
    let asks = |stage: &Stage| stage.model.current_question().is_some_and(|(_, question)| question.question.contains(words));
    for _ in 0..stage.model.decided.questions.len() {
        if asks(&stage) {
            break;
        }
        stage.keys("n");
    }
    assert!(asks(&stage), "nobody asks {words}");
    pressed(stage, "a")
}

/// With every conflict decided and every policy question answered.
fn settled(scene: &Scene, answer: &str) -> Stage {
    let mut stage = scene.settling();
    let conflicts = stage.model.decided.conflicts.len();
    for _ in 0..conflicts {
        stage.keys("a");
    }
    stage.keys("f4");
    while !stage.model.decided.open.policy.is_empty() {
        stage.keys("a").types(answer).keys("enter");
    }
    stage
}

/// With what would be written, over a file in which the conflicts and questions had been put off.
fn shown(scene: &Scene, mut stage: Stage) -> Stage {
    let later = || "not before the next release".to_owned();
    let conflicts = stage.model.decided.conflicts.iter().map(|&index| &stage.model.decided.findings[index]);
    let put_off = conflicts.map(|finding| Op::Defer { finding: finding.key.clone(), reason: later() });
    let asked = stage.model.decided.questions.iter().map(|&(finding, place)| {
        let question = &stage.model.decided.findings[finding].blocked_on[place];
        Op::DeferQuestion { question: question.key.clone(), reason: later() }
    });
    let before: Vec<Op> = put_off.chain(asked).collect();
    scene.preview(&mut stage, Some(before));
    stage
}

fn picture(name: &'static str, size: (u16, u16), look: Look, png: bool, mut stage: Stage) -> Picture {
    stage.model.look.theme = Theme::load(look.theme, None).expect("built in");
    stage.model.look.glyphs = Glyphs::choose(look.ascii, None, None, Some("C.UTF-8"));
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
    // Twice: what scrolls reckons with the size that was drawn last.
    let drawn = screens::draw(&stage.model, &mut buffer);
    settle_scrolls(&mut stage.model, &drawn);
    buffer.reset();
    let drawn = screens::draw(&stage.model, &mut buffer);
    let svg = svg(&buffer, look.terminal, drawn.caret);
    let side = |name: &str| svg.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next()?.parse().ok());
    let pixels = (side("width").unwrap_or_default(), side("height").unwrap_or_default());
    Picture { name, svg, png, pixels }
}
