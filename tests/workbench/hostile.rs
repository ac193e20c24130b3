//! Text that attacks the terminal, in every place where text of others is shown: nothing of it reaches a cell or a byte.

use crate::scenes::{Play, State, layers};
use crate::stage::Stage;
use ratatui::Terminal;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use std::io;
use std::sync::OnceLock;
use tamis::model::gate::Op;
use tamis::model::shown::is_hidden;
use tamis::tui::app::settle_scrolls;
use tamis::tui::clipboard::{Copied, sequence};
use tamis::tui::editor::Kept;
use tamis::tui::frames::{Frames, Sink};
use tamis::tui::glyphs::Glyphs;
use tamis::tui::message::Msg;
use tamis::tui::model::{Layer, SETTLE, Screen};
use tamis::tui::port::{Access, Ended, Input, Preview};
use tamis::tui::screens;

/// What attackers write, one kind each.
const ATTACKS: [&str; 17] = [
    "\x1b[2J\x1b[31mred\x1b[6n",
    "\x1b]52;c;cHdu\x07",
    "\x1b]0;pwned\x07",
    "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "\x1bP$qm\x1b\\",
    "\x1b_G;AAAA\x1b\\",
    "\x1b]0;never ended",
    "\x1bc\x1b[?1049l",
    "\u{9b}31m\u{9d}52;c;cHdu\u{9c}\u{90}",
    "bell\x07\x08\x08\x0e\x0f\x7f\0",
    "\u{202e}gnp.exe\u{202c}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}",
    "tags\u{e0001}\u{e0041}\u{e007f}",
    "zero\u{200b}\u{200c}\u{200d}\u{feff}\u{2060}\u{ad}width",
    "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
    "👩\u{200d}💻 🇻🇳 ⚠\u{fe0f} ❤\u{fe0f} ①②③",
    "a\tb\tc\rd",
    "\u{2028}line\u{2029}ends\u{85}",
];

/// All attacks, a hundred marks on one letter, and wide text.
fn attack() -> String {
    format!("{} e{} 需求文档评审", ATTACKS.join(" "), "\u{301}".repeat(100))
}

/// A string of YAML, everything but plain ASCII written as an escape.
fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => format!("\\U{:08x}", c as u32),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// A document whose every part is an attack; one of its lines is a megabyte long.
fn document() -> String {
    // Line ends of the attacks would tear headings apart.
    let attack = attack().replace('\r', "");
    let long = "ngắn 长 ".repeat(100_000);
    format!(
        "# PRD {attack}\n\n> Owner: {attack}\n\n## UC-01: {attack}\n\n### Main flow\n\n1. The user {attack} pays 14 days.\n2. {long}\n\n\
         ### Acceptance criteria\n\n- AC-01: Given {attack}, then 30 days.\n\n## UC-02: Two {attack}\n\n### Main flow\n\n1. The admin waits.\n\n\
         ## Business rules\n\n- BR-01: {attack} 14 days.\n\n## Glossary\n\n| Term | Meaning |\n|---|---|\n| {attack} | {attack} |\n"
    )
}

/// A council whose every answer is an attack.
fn council() -> String {
    let text = quoted(&attack());
    let finding = |quote: &str, more: &str| {
        let quote = quoted(quote);
        format!(
            "{{severity: major, section: {text}, uc_id: {text}, quote: {quote}, finding: {text}, suggestion: {text}, \
             resolution_edge_cases: [{text}], blocked_on: [{text}, {}]{more}}}",
            quoted(&format!("needs-security-decision: {}?", attack()))
        )
    };
    let options = format!(", options: [{text}, {}, {}]", quoted(&format!("{} 14", attack())), quoted("plain\nof two lines"));
    let (review, critic) = (finding("pays 14 days.", &options), finding("then 30 days.", ""));
    format!(
        "  - key: critic/1\n    findings: [{critic}]\n  - key: critic/*\n    findings: []\n  - key: review/*\n    attempts:\n      \
         - {{fail: invalid, reason: {text}}}\n      - {{chunks: [{text}], findings: [{review}]}}\n"
    )
}

fn play() -> &'static Play {
    static PLAY: OnceLock<Play> = OnceLock::new();
    PLAY.get_or_init(|| Play::of(document(), &council()))
}

/// The attacked review in a state, with all that can be told and typed about it.
fn attacked(state: State) -> Stage {
    let text = attack();
    let mut stage = play().stage(state);
    stage.model.given = text.clone();
    stage.model.person = text.clone();
    stage.input(Input::Notice(text.clone()));
    if state == State::ReadOnly {
        stage.model.access = Access::ReadOnly(text.clone());
    }
    for step in stage.model.agents() {
        stage.input(Input::Output { step: step.clone(), text: format!("{text}\n{text}\n{}", "x".repeat(1_000_000)) });
        stage.model.outputs.entry(step).or_default().add(1, &text, 0);
    }
    if state == State::Decided {
        let findings: Vec<_> = stage.model.decided.findings.iter().map(|finding| finding.key.clone()).collect();
        let questions: Vec<_> = stage.model.decided.open.questions.clone();
        for finding in findings {
            stage.record(SETTLE, Op::Write { finding, text: text.clone(), reason: text.clone() });
        }
        for (_, question) in questions {
            stage.record(SETTLE, Op::Assign { question: question.clone(), owner: text.clone() });
            stage.record(SETTLE, Op::DeferQuestion { question, reason: text.clone() });
        }
    }
    let refusal = (state == State::Decided).then(|| text.clone());
    let (there, would) = (format!("a: {text}\nb: {text}\n"), format!("a: {text}\nb: {text} new\n"));
    stage.input(Input::Preview(Preview { path: text.clone(), there: Some(there), text: would, refusal, ..Preview::default() }));
    match state {
        State::Ended => {
            let ended = Ended { summary: vec![text.clone(), text.clone()], written: Some(text.clone()), fault: None };
            stage.input(Input::Ended(ended));
        }
        State::Broken => {
            let fault = Some((text.clone(), text.clone()));
            stage.input(Input::Ended(Ended { summary: vec![text.clone()], written: None, fault }));
        }
        State::Settling => {
            let op = Box::new(Op::Draft { subject: text.clone(), text: text.clone() });
            stage.input(Input::Unsaved { op, why: text.clone() });
            stage.msg(Msg::Edited(Err(Kept::Trouble(text.clone()))));
        }
        State::Past => {
            stage.msg(Msg::Copied(Copied::NotSent(text.clone())));
        }
        _ => {}
    }
    stage
}

/// Calls with every screen under every layer of every attacked state.
fn each(mut with: impl FnMut(&mut Stage, &str)) {
    for state in State::ALL {
        let mut stage = attacked(state);
        stage.model.layers.clear();
        for screen in Screen::ALL {
            stage.model.screen = screen;
            // Areas without a word in them have been seen elsewhere.
            let is_empty = |layer: &Layer| matches!(layer, Layer::Entry(entry) if entry.field.is_empty());
            let layers = layers(&stage.model, &attack()).into_iter().filter(|layer| !layer.as_ref().is_some_and(is_empty));
            for (number, layer) in layers.enumerate() {
                stage.model.layers.extend(layer);
                with(&mut stage, &format!("{state:?} {screen:?} layer {number}"));
                stage.model.layers.clear();
            }
        }
    }
}

fn draw(stage: &mut Stage, (width, height): (u16, u16)) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let drawn = screens::draw(&stage.model, &mut buffer);
    settle_scrolls(&mut stage.model, &drawn);
    buffer
}

#[test]
fn the_attacks_are_seen_as_marks() {
    let mut stage = attacked(State::Settling);
    for screen in [Screen::Decide, Screen::Questions, Screen::Findings] {
        stage.model.screen = screen;
        stage.model.message = None;
        let text = stage.screen((200, 60));
        assert!(text.contains("␛[2J") && !text.contains('\x1b'), "{screen:?}:\n{text}");
    }
}

/// Keeps all bytes.
struct Bytes(Vec<u8>, Size);

impl Sink for Bytes {
    fn frame(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend(bytes);
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.1)
    }
}

/// The first thing in these bytes that a frame may not hold: all but printable text, and sequences of the kinds named here.
fn forbidden(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("bytes that are no UTF-8".to_owned()) };
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() || is_hidden(c)) {
        let Some(after) = rest[at..].strip_prefix("\x1b[") else { return Some(format!("{:?}", &rest[at..].chars().next())) };
        let length = after.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?')).unwrap_or(after.len());
        let (parameters, end) = (&after[..length], after[length..].chars().next());
        let fine = match end {
            Some('m' | 'H' | 'K' | 'J' | 'C') => !parameters.contains('?'),
            Some('h' | 'l') => matches!(parameters, "?25" | "?2026"),
            _ => false,
        };
        if !fine {
            return Some(format!("CSI {parameters} {end:?}"));
        }
        rest = &after[length + 1..];
    }
    None
}

#[test]
fn the_allow_list_itself_finds_what_it_must() {
    assert_eq!(forbidden("\x1b[?2026h\x1b[?25l\x1b[3;4Hế中\x1b[38;5;7m\x1b[2J\x1b[?2026l".as_bytes()), None);
    for attack in ATTACKS.iter().filter(|attack| attack.chars().any(|c| c.is_control() || is_hidden(c))) {
        assert!(forbidden(attack.as_bytes()).is_some(), "{attack:?}");
    }
    for bytes in
        [&b"\x1b[6n"[..], b"\x1b[?1h", b"\x1b[c", b"\x1b[?25", b"\x1b[", b"\x1b", b"\x9b31m", b"\n", b"\x1b[5;1r", b"\x1b[?1049l"]
    {
        assert!(forbidden(bytes).is_some(), "{bytes:?}");
    }
}

#[test]
fn every_byte_of_every_frame_is_on_the_allow_list() {
    let mut terminals: Vec<_> = [(80, 24), (120, 40), (43, 12)]
        .map(|(width, height)| Terminal::new(Frames::new(Bytes(Vec::new(), Size { width, height }))).expect("a terminal"))
        .into();
    let mut number = 0;
    each(|stage, what| {
        number += 1;
        let place = number % terminals.len();
        let terminal = &mut terminals[place];
        let from = terminal.backend().sink().0.len();
        terminal
            .draw(|frame| {
                let drawn = screens::draw(&stage.model, frame.buffer_mut());
                if let Some(caret) = drawn.caret {
                    frame.set_cursor_position(caret);
                }
            })
            .expect("a frame");
        let bytes = &terminal.backend().sink().0[from..];
        assert_eq!(forbidden(bytes), None, "{what}: {:?}", String::from_utf8_lossy(bytes));
    });
    assert!(terminals.iter().all(|terminal| terminal.backend().sink().0.len() > 10_000));
}

/// The frames of a buffer by their upper right corners, and whether each has straight sides that end together: at its lower
/// corners, or where the part that scrolls ends.
fn frames(buffer: &Buffer, glyphs: &Glyphs) -> Vec<((u16, u16), bool)> {
    let area = buffer.area;
    let mut found = Vec::new();
    for set in [glyphs.border, glyphs.border_focus] {
        for (x, y) in (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y))) {
            if buffer[(x, y)].symbol() != set.top_right {
                continue;
            }
            let left = (0..x).rev().find(|&x| buffer[(x, y)].symbol() == set.top_left);
            let sides = |left: u16| (y + 1..area.height).map(move |y| (buffer[(left, y)].symbol(), buffer[(x, y)].symbol()));
            let end = left.and_then(|left| sides(left).find(|sides| *sides != (set.vertical_left, set.vertical_right)));
            let is_straight = match end {
                Some((left, right)) if left == set.bottom_left => right == set.bottom_right,
                Some((left, right)) => left != set.vertical_left && right != set.vertical_right,
                None => left.is_some(),
            };
            found.push(((x, y), is_straight));
        }
    }
    found
}

#[test]
fn no_cell_holds_a_control_or_hidden_character_and_frames_are_straight_around_wide_text() {
    let mut seen = 0;
    let mut sizes = [(40, 10), (80, 24), (120, 40), (59, 17), (200, 60), (24, 5), (100, 12)].into_iter().cycle();
    each(|stage, what| {
        let size = sizes.next().expect("a size");
        let buffer = draw(stage, size);
        for symbol in buffer.content.iter().map(Cell::symbol) {
            if matches!(symbol.as_bytes(), [b' '..=b'~']) {
                continue;
            }
            let bad = symbol.chars().find(|&c| c.is_control() || is_hidden(c));
            assert!(bad.is_none(), "{what} at {size:?}: {symbol:?}");
            // What the terminal draws into one cell is one cluster with few marks.
            assert!(symbol.chars().count() <= 16, "{what} at {size:?}: {symbol:?}");
        }
        let frames = frames(&buffer, stage.model.look.glyphs);
        // A box over the screen covers parts of the frames below; its own is whole.
        let covers_parts =
            matches!(stage.model.layers.last(), Some(Layer::Palette(..) | Layer::Leave | Layer::Hole(_) | Layer::Sending(_)));
        let is_straight = |(_, straight): &((u16, u16), bool)| *straight;
        let right = if covers_parts && size.0 >= 40 { frames.iter().any(is_straight) } else { frames.iter().all(is_straight) };
        assert!(right, "{what} at {size:?}: {frames:?}");
        seen += frames.len();
    });
    assert!(seen > 500, "{seen} frames were looked at");
}

#[test]
fn a_copy_is_one_sequence_and_holds_no_other() {
    for inside_tmux in [false, true] {
        let bytes = sequence(&attack(), inside_tmux).expect("short enough").bytes().to_vec();
        let inner = bytes.iter().filter(|byte| !(0x20..0x7f).contains(*byte)).copied().collect::<Vec<_>>();
        let expected: &[u8] = if inside_tmux { b"\x1b\x1b\x1b\x07\x1b\\\x1b\x07" } else { b"\x1b\x07" };
        let expected: Vec<u8> = expected.iter().copied().filter(|&byte| byte < 0x20).collect();
        assert_eq!(inner, expected);
    }
}

#[test]
fn typed_attacks_are_stored_without_what_cannot_be_seen() {
    let mut stage = play().stage(State::Settling);
    stage.keys("f3 o");
    stage.msg(Msg::Paste(attack()));
    stage.ms += 1_000;
    stage.keys("enter");
    let Some(Op::Write { text, .. }) = stage.ops().pop() else { panic!("own words: {:?}", stage.ops()) };
    let joiner = |c: char| c == '\u{200d}';
    let bad = text.chars().find(|&c| c != '\n' && (c.is_control() || is_hidden(c)) && !joiner(c));
    assert_eq!(bad, None, "{text:?}");
    assert!(text.contains("Tiếng Việt 한글") && text.contains("👩\u{200d}💻"), "{text}");
}
