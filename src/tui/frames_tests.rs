use super::*;
use ratatui::Terminal;
use ratatui::style::{Color, Style};

/// Keeps each frame that is written.
struct Kept {
    frames: Vec<String>,
    size: Size,
}

impl Sink for Kept {
    fn frame(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.frames.push(String::from_utf8(bytes.to_vec()).unwrap());
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }
}

fn terminal(width: u16, height: u16) -> Terminal<Frames<Kept>> {
    Terminal::new(Frames::new(Kept { frames: Vec::new(), size: Size { width, height } })).unwrap()
}

fn draw(terminal: &mut Terminal<Frames<Kept>>, text: &str, caret: Option<(u16, u16)>) -> Vec<String> {
    terminal
        .draw(|frame| {
            let area = frame.area();
            frame.buffer_mut().set_stringn(0, 0, text, area.width.into(), Style::new().fg(Color::Green));
            if let Some(caret) = caret {
                frame.set_cursor_position(caret);
            }
        })
        .unwrap();
    std::mem::take(&mut terminal.backend_mut().sink.frames)
}

#[test]
fn a_frame_is_one_write_in_a_synchronized_update_and_nothing_new_is_no_byte() {
    let mut terminal = terminal(20, 3);
    let frames = draw(&mut terminal, "one", None);
    assert_eq!(frames.len(), 1);
    assert!(frames[0].starts_with("\x1b[?2026h\x1b[?25l") && frames[0].ends_with("\x1b[?2026l"), "{:?}", frames[0]);
    assert!(frames[0].contains("one"));
    assert_eq!(draw(&mut terminal, "one", None), Vec::<String>::new());
    let frames = draw(&mut terminal, "two", None);
    assert_eq!(frames.len(), 1);
    assert!(!frames[0].contains("\x1b[?25"), "the cursor is hidden already: {:?}", frames[0]);
}

#[test]
fn the_last_move_before_the_cursor_is_shown_is_to_the_caret() {
    let mut terminal = terminal(20, 3);
    for (text, caret) in [("a", (1, 0)), ("ab", (2, 0)), ("abc", (0, 2))] {
        let frames = draw(&mut terminal, text, Some(caret));
        assert_eq!(frames.len(), 1);
        let end = format!("\x1b[{};{}H\x1b[?25h\x1b[?2026l", caret.1 + 1, caret.0 + 1);
        assert!(frames[0].ends_with(&end), "{:?}", frames[0]);
        assert_eq!(frames[0].matches("\x1b[?25l").count(), 1);
    }
    assert_eq!(draw(&mut terminal, "abc", Some((0, 2))), Vec::<String>::new());
    assert_eq!(draw(&mut terminal, "abc", Some((1, 2))), ["\x1b[?2026h\x1b[3;2H\x1b[?2026l"]);
    assert_eq!(draw(&mut terminal, "abc", None), ["\x1b[?2026h\x1b[?25l\x1b[?2026l"]);
    assert_eq!(draw(&mut terminal, "abc", Some((4, 1))), ["\x1b[?2026h\x1b[2;5H\x1b[?25h\x1b[?2026l"]);
}

#[test]
fn after_a_clear_everything_is_sent_again_the_cursor_too_and_no_question() {
    let mut terminal = terminal(20, 3);
    draw(&mut terminal, "text", Some((4, 0)));
    terminal.clear().unwrap();
    let frames = draw(&mut terminal, "text", Some((4, 0)));
    assert_eq!(frames.len(), 1);
    assert!(frames[0].starts_with("\x1b[?2026h\x1b[?25l\x1b[2J"), "{:?}", frames[0]);
    assert!(frames[0].contains("text") && frames[0].ends_with("\x1b[1;5H\x1b[?25h\x1b[?2026l"));
    assert!(!frames[0].contains("\x1b[6n"));
    terminal.backend_mut().sink.size = Size { width: 10, height: 2 };
    let frames = draw(&mut terminal, "text", None);
    assert_eq!(frames.len(), 1, "a new size is one frame");
    assert!(frames[0].contains("\x1b[2J") && frames[0].contains("text"));
}

#[test]
fn a_screen_of_no_cells_takes_frames() {
    let mut terminal = terminal(0, 0);
    draw(&mut terminal, "", Some((0, 0)));
    assert_eq!(draw(&mut terminal, "", Some((0, 0))), Vec::<String>::new());
}

#[test]
fn what_is_no_text_never_leaves_a_cell() {
    let nasty = ["\x1b[2J", "\x07", "\u{9b}", "\u{202e}", "\u{e0041}", "a\u{200b}", "\n", "\u{7f}", "ệ", "中"];
    let cells = nasty.map(|text| {
        let mut cell = Cell::EMPTY;
        cell.set_symbol(text);
        cell
    });
    let mut frames = Frames::new(Kept { frames: Vec::new(), size: Size { width: 12, height: 1 } });
    frames.draw((0..).zip(&cells).map(|(x, cell)| (x, 0, cell))).unwrap();
    Backend::flush(&mut frames).unwrap();
    let frame = &frames.sink.frames[0];
    assert!(frame.contains("????????ệ中"), "{frame:?}");
    assert!(!frame.chars().any(|c| (c.is_control() && c != '\x1b') || is_hidden(c)));
    assert!(!frame.contains("\x1b[2J"));
}
