use super::*;
use crate::model::shown::is_hidden;
use proptest::prelude::*;
use ratatui::style::Modifier;

/// Far apart, as hands type.
const SLOW: u64 = 200;

fn press(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
    KeyEvent::new(code, modifiers)
}

fn plain(code: KeyCode) -> KeyEvent {
    press(code, KeyModifiers::NONE)
}

fn ctrl(c: char) -> KeyEvent {
    press(KeyCode::Char(c), KeyModifiers::CONTROL)
}

/// The keys that crossterm makes of bytes that a terminal sends in raw mode.
fn keys_of(bytes: &str) -> Vec<KeyEvent> {
    bytes
        .chars()
        .map(|c| match c {
            '\u{7f}' => plain(KeyCode::Backspace),
            '\r' => plain(KeyCode::Enter),
            '\t' => plain(KeyCode::Tab),
            '\u{1}'..='\u{1a}' => ctrl(char::from(c as u8 + b'a' - 1)),
            _ => plain(KeyCode::Char(c)),
        })
        .collect()
}

/// Sends bytes with so many milliseconds between the keys.
fn send(field: &mut Field, bytes: &str, gap: u64) -> Vec<FieldEvent> {
    let start = field.burst.last.unwrap_or(0) + SLOW;
    (0..).zip(keys_of(bytes)).map(|(at, key)| field.key(key, start + at * gap)).collect()
}

fn typed_into(text: &str, bytes: &str) -> String {
    let mut field = Field::new(text, Lines::Many);
    send(&mut field, bytes, SLOW);
    field.text()
}

fn hit(field: &mut Field, key: KeyEvent) -> FieldEvent {
    let now = field.burst.last.unwrap_or(0) + SLOW;
    field.key(key, now)
}

fn drawn(field: &Field, width: u16, height: u16) -> (Vec<String>, Option<(u16, u16)>) {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    let caret = field.draw(area, &mut buf, FieldStyle::default());
    let rows = (0..height)
        .map(|y| {
            let mut skip = 0;
            (0..width)
                .filter_map(|x| {
                    let symbol = buf[(x, y)].symbol();
                    if skip > 0 {
                        skip -= 1;
                        return None;
                    }
                    skip = ratatui::buffer::CellWidth::cell_width(symbol).saturating_sub(1);
                    Some(symbol)
                })
                .collect::<String>()
                .trim_end()
                .to_owned()
        })
        .collect();
    (rows, caret.map(|caret| (caret.x, caret.y)))
}

#[test]
fn vietnamese_and_korean_input_methods_arrive_whole_in_either_spelling_of_backspace() {
    for gap in [0, 5, SLOW] {
        for (bytes, text) in [
            ("vie\x7fê\x7fệt", "việt"),
            ("vie\x08ê\x08ệt", "việt"),
            ("ㄱ\x7f가", "가"),
            ("x\x7f\x7f가", "가"),
            ("ga\x7f\x7fgặ\x08ặp nha\x08\x08hau", "gặp nhau"),
            ("dd\x7f\x7fđuow\x7f\x7f\x7fươ\x08ợc", "được"),
            ("Tie\u{302}\u{301}ng Vie\u{323}\u{302}t", "Tiếng Việt"),
        ] {
            for lines in [Lines::Many, Lines::One] {
                let mut field = Field::new("", lines);
                send(&mut field, bytes, gap);
                assert_eq!(field.text(), text, "{bytes:?} every {gap} ms");
            }
        }
    }
}

#[test]
fn whole_clusters_go_and_the_caret_never_stands_inside_one() {
    assert_eq!(typed_into("a👩‍💻", "\x7f"), "a");
    assert_eq!(typed_into("a🇻🇳🇻🇳", "\x08"), "a🇻🇳");
    assert_eq!(typed_into("xe\u{20dd}", "\x7f"), "x");
    let mut field = Field::new("a👩‍💻b", Lines::Many);
    hit(&mut field, plain(KeyCode::Left));
    hit(&mut field, plain(KeyCode::Backspace));
    assert_eq!(field.text(), "ab");
    let mut field = Field::new("a👩‍💻b", Lines::Many);
    hit(&mut field, plain(KeyCode::Home));
    hit(&mut field, plain(KeyCode::Right));
    hit(&mut field, plain(KeyCode::Delete));
    assert_eq!(field.text(), "ab");
    // A line that begins with a mark, joined to one before it.
    let mut field = Field::new("e\n\u{301}x", Lines::Many);
    hit(&mut field, plain(KeyCode::Home));
    hit(&mut field, plain(KeyCode::Backspace));
    assert_eq!(field.text(), "éx");
    hit(&mut field, plain(KeyCode::Char('y')));
    assert_eq!(field.text(), "yéx", "the caret went to the cluster's start");
}

#[test]
fn emoji_are_typed_with_their_joiners_and_nothing_else_hidden_is() {
    assert_eq!(typed_into("", "👩\u{200d}💻"), "👩\u{200d}💻");
    assert_eq!(typed_into("", "👩\u{200d}💻\x7f"), "");
    assert_eq!(typed_into("a", "\u{200d}\u{202e}"), "a⟦U+200D⟧⟦U+202E⟧");
}

#[test]
fn enter_submits_and_four_other_keys_make_a_line() {
    let mut field = Field::new("a", Lines::Many);
    for key in [
        ctrl('j'),
        press(KeyCode::Enter, KeyModifiers::ALT),
        press(KeyCode::Enter, KeyModifiers::SHIFT),
        press(KeyCode::Enter, KeyModifiers::CONTROL),
    ] {
        assert_eq!(hit(&mut field, key), FieldEvent::Changed);
    }
    assert_eq!(hit(&mut field, plain(KeyCode::Enter)), FieldEvent::Submit);
    assert_eq!(field.text(), "a\n\n\n\n");
    let mut field = Field::new("a", Lines::One);
    assert_eq!(hit(&mut field, ctrl('j')), FieldEvent::Moved);
    assert_eq!(hit(&mut field, press(KeyCode::Enter, KeyModifiers::ALT)), FieldEvent::Moved);
    assert_eq!(hit(&mut field, plain(KeyCode::Enter)), FieldEvent::Submit);
    assert_eq!(field.text(), "a");
}

#[test]
fn keys_faster_than_hands_are_a_paste_whose_line_ends_do_not_submit() {
    let long = "x".repeat(200);
    let mut field = Field::new("", Lines::Many);
    let events = send(&mut field, &format!("{long}\r\n\tq\rw\n"), 0);
    assert!(!events.contains(&FieldEvent::Submit));
    assert_eq!(field.text(), format!("{long}\n    q\nw\n"));
    let mut field = Field::new("", Lines::One);
    assert!(!send(&mut field, "abc\rd", 0).contains(&FieldEvent::Submit));
    assert_eq!(field.text(), "abcd");
    for (bytes, gap) in [("ab\r", 0), ("abcdef\r", SLOW), ("abcdef\r", BURST_MS + 1), ("\r", 0)] {
        let mut field = Field::new("", Lines::Many);
        assert_eq!(send(&mut field, bytes, gap).last(), Some(&FieldEvent::Submit), "{bytes:?} every {gap} ms");
    }
    let mut field = Field::new("", Lines::Many);
    send(&mut field, "abcdef", 0);
    assert_eq!(hit(&mut field, plain(KeyCode::Enter)), FieldEvent::Submit, "a person pressed it later");
}

#[test]
fn a_paste_is_cleaned_and_one_undo_takes_it_out() {
    let mut field = Field::new("vor ", Lines::Many);
    assert_eq!(field.paste("a\r\nb\x1b[31mc\td\re\u{301}"), FieldEvent::Changed);
    assert_eq!(field.text(), "vor a\nb␛[31mc    d\né");
    hit(&mut field, ctrl('7'));
    assert_eq!(field.text(), "vor ");
    hit(&mut field, ctrl('y'));
    assert_eq!(field.text(), "vor a\nb␛[31mc    d\né");
    let mut field = Field::new("", Lines::One);
    field.paste("một\r\nhai\n");
    assert_eq!(field.text(), "một hai");
    assert_eq!(field.paste(""), FieldEvent::Moved);
    assert_eq!(Field::new("a\r\nb\u{7}", Lines::One).text(), "a b^G");
}

#[test]
fn a_pasted_mark_is_composed_with_the_text_before_it() {
    let mut field = Field::new("Vie", Lines::Many);
    field.paste("\u{323}\u{302}t");
    assert_eq!(field.text(), "Việt");
    hit(&mut field, ctrl('7'));
    assert_eq!(field.text(), "Vie");
}

#[test]
fn a_paste_of_a_megabyte_is_taken_edited_and_taken_out() {
    let line = "Người dùng đăng nhập bằng email và mật khẩu.\r\n";
    let text = line.repeat(1_000_000 / line.len());
    for lines in [Lines::Many, Lines::One] {
        let mut field = Field::new("x", lines);
        field.paste(&text);
        let (rows, caret) = drawn(&field, 40, 5);
        assert!(caret.is_some() && rows.iter().any(|row| row.contains("khẩu.")));
        send(&mut field, "yz\x7f", SLOW);
        assert!(field.text().ends_with('y') && field.text().len() > 950_000);
        for _ in 0..2 {
            hit(&mut field, ctrl('7'));
        }
        hit(&mut field, ctrl('7'));
        assert_eq!(field.text(), "x");
    }
}

#[test]
fn typing_is_undone_by_words_and_deletions_one_by_one() {
    let mut field = Field::new("", Lines::Many);
    send(&mut field, "một hai ba", SLOW);
    let undo = press(KeyCode::Char('u'), KeyModifiers::ALT);
    for text in ["một hai ", "một ", ""] {
        assert_eq!(hit(&mut field, undo), FieldEvent::Changed);
        assert_eq!(field.text(), text);
    }
    assert_eq!(hit(&mut field, undo), FieldEvent::Moved);
    for text in ["một ", "một hai ", "một hai ba"] {
        assert_eq!(hit(&mut field, ctrl('y')), FieldEvent::Changed);
        assert_eq!(field.text(), text);
    }
    assert_eq!(hit(&mut field, ctrl('y')), FieldEvent::Moved);
    send(&mut field, "\x7f\x7f", SLOW);
    hit(&mut field, undo);
    assert_eq!(field.text(), "một hai b");
    send(&mut field, "x", SLOW);
    assert_eq!(hit(&mut field, ctrl('y')), FieldEvent::Moved, "a new edit ends what could be done again");
}

#[test]
fn keys_of_deletion() {
    let cases: [(&str, KeyEvent, &str); 9] = [
        ("một hai", ctrl('w'), "một "),
        ("một  ", ctrl('w'), ""),
        ("a\n", ctrl('w'), "a"),
        ("a\nmột hai", ctrl('u'), "a\n"),
        ("a\n", ctrl('u'), "a\n"),
        ("một hai", press(KeyCode::Backspace, KeyModifiers::ALT), "một "),
        ("một hai", press(KeyCode::Char('h'), KeyModifiers::CONTROL | KeyModifiers::ALT), "một "),
        ("một", ctrl('h'), "mộ"),
        ("một", plain(KeyCode::Delete), "một"),
    ];
    for (text, key, after) in cases {
        let mut field = Field::new(text, Lines::Many);
        let event = hit(&mut field, key);
        assert_eq!(field.text(), after, "{text:?} {key:?}");
        assert_eq!(event == FieldEvent::Changed, text != after);
    }
    let mut field = Field::new("một hai\nba", Lines::Many);
    hit(&mut field, plain(KeyCode::Up));
    hit(&mut field, ctrl('k'));
    assert_eq!(field.text(), "mộ\nba");
    hit(&mut field, ctrl('k'));
    assert_eq!(field.text(), "mộba");
}

#[test]
fn keys_of_motion() {
    let at = |keys: &[KeyEvent]| {
        let mut field = Field::new("một hai\nba (bốn)", Lines::Many);
        for key in keys {
            assert_eq!(hit(&mut field, *key), FieldEvent::Moved);
        }
        hit(&mut field, plain(KeyCode::Char('|')));
        field.text()
    };
    let word = |code| press(code, KeyModifiers::CONTROL);
    assert_eq!(at(&[plain(KeyCode::Home)]), "một hai\n|ba (bốn)");
    assert_eq!(at(&[ctrl('a'), ctrl('e')]), "một hai\nba (bốn)|");
    assert_eq!(at(&[word(KeyCode::Left), word(KeyCode::Left)]), "một hai\nba (|bốn)");
    assert_eq!(at(&[ctrl('a'), plain(KeyCode::Left)]), "một hai|\nba (bốn)");
    assert_eq!(at(&[ctrl('a'), plain(KeyCode::Left), plain(KeyCode::Right)]), "một hai\n|ba (bốn)");
    assert_eq!(at(&[word(KeyCode::Home)]), "|một hai\nba (bốn)");
    assert_eq!(at(&[word(KeyCode::Home), word(KeyCode::Right)]), "một |hai\nba (bốn)");
    assert_eq!(at(&[word(KeyCode::Home), word(KeyCode::End)]), "một hai\nba (bốn)|");
    assert_eq!(at(&[plain(KeyCode::Up), plain(KeyCode::Down)]), "một hai\nba (bốn)|", "the column is kept");
    assert_eq!(at(&[plain(KeyCode::PageUp), plain(KeyCode::Up), plain(KeyCode::Up)]), "một hai|\nba (bốn)");
}

#[test]
fn keys_of_the_application_are_left_to_it() {
    for lines in [Lines::Many, Lines::One] {
        let mut field = Field::new("text", lines);
        for key in [
            plain(KeyCode::Esc),
            plain(KeyCode::Tab),
            plain(KeyCode::F(1)),
            ctrl('c'),
            ctrl('z'),
            ctrl('l'),
            ctrl('t'),
            ctrl('d'),
        ] {
            assert_eq!(hit(&mut field, key), FieldEvent::Ignored, "{key:?}");
        }
        for kind in [KeyCode::Char('x'), KeyCode::Enter, KeyCode::Backspace] {
            let release = KeyEvent::new_with_kind(kind, KeyModifiers::NONE, KeyEventKind::Release);
            assert_eq!(hit(&mut field, release), FieldEvent::Ignored);
        }
        let repeat = KeyEvent::new_with_kind(KeyCode::Char('x'), KeyModifiers::NONE, KeyEventKind::Repeat);
        assert_eq!(hit(&mut field, repeat), FieldEvent::Changed);
        assert_eq!(field.text(), "textx");
    }
    let mut field = Field::new("text", Lines::One);
    assert_eq!(hit(&mut field, plain(KeyCode::Up)), FieldEvent::Ignored);
    assert_eq!(hit(&mut field, plain(KeyCode::Down)), FieldEvent::Ignored);
}

#[test]
fn long_lines_are_wrapped_and_the_caret_is_where_the_next_character_goes() {
    let field = Field::new("người dùng đăng nhập\n需求文档", Lines::Many);
    let (rows, caret) = drawn(&field, 12, 4);
    assert_eq!(rows, ["người dùng", "đăng nhập", "需求文档", ""]);
    assert_eq!(caret, Some((8, 2)));
    let field = Field::new("abcd", Lines::Many);
    assert_eq!(drawn(&field, 5, 2), (vec!["abcd".into(), String::new()], Some((4, 0))), "behind a full row");
    let mut field = Field::new("abcdefgh", Lines::Many);
    for (left, caret) in [(0, (4, 1)), (3, (1, 1)), (1, (0, 1)), (1, (3, 0))] {
        for _ in 0..left {
            hit(&mut field, plain(KeyCode::Left));
        }
        assert_eq!(drawn(&field, 5, 2), (vec!["abcd".into(), "efgh".into()], Some(caret)));
    }
    hit(&mut field, plain(KeyCode::Down));
    assert_eq!(drawn(&field, 5, 2).1, Some((3, 1)), "down by rows as drawn");
}

#[test]
fn the_caret_s_row_is_drawn_and_no_blank_rows_while_text_is_hidden_above() {
    let mut field = Field::new("1\n2\n3\n4\n5", Lines::Many);
    assert_eq!(drawn(&field, 9, 2), (vec!["4".into(), "5".into()], Some((1, 1))));
    for (y, rows) in [(0, ["4", "5"]), (0, ["3", "4"]), (0, ["2", "3"])] {
        hit(&mut field, plain(KeyCode::Up));
        let (seen, caret) = drawn(&field, 9, 2);
        assert_eq!((seen, caret), (rows.map(str::to_owned).to_vec(), Some((1, y))));
    }
    hit(&mut field, plain(KeyCode::Down));
    assert_eq!(drawn(&field, 9, 2), (vec!["2".into(), "3".into()], Some((1, 1))), "no scrolling without need");
    assert_eq!(drawn(&field, 9, 6).0, ["1", "2", "3", "4", "5", ""]);
    let mut field = Field::new("1\n2\n3\n4\n5", Lines::Many);
    drawn(&field, 9, 2);
    send(&mut field, "\x7f\x7f\x7f\x7f\x7f\x7f", SLOW);
    assert_eq!(drawn(&field, 9, 2), (vec!["1".into(), "2".into()], Some((1, 1))));
}

#[test]
fn hidden_characters_are_drawn_as_marks_in_their_own_style() {
    let field = Field::new("a👩\u{200d}💻", Lines::Many);
    let area = Rect::new(0, 0, 20, 1);
    let mut buf = Buffer::empty(area);
    let mark = Style::new().add_modifier(Modifier::BOLD);
    field.draw(area, &mut buf, FieldStyle { text: Style::new(), mark });
    assert!(!buf[(0, 0)].modifier.contains(Modifier::BOLD) && buf[(1, 0)].modifier.contains(Modifier::BOLD));
    assert!(buf.content.iter().all(|cell| !cell.symbol().chars().any(is_hidden)));
}

#[test]
fn no_room_is_no_caret_and_an_area_beyond_the_screen_is_cut() {
    let field = Field::new("text", Lines::Many);
    let mut buf = Buffer::empty(Rect::new(0, 0, 5, 2));
    assert_eq!(field.draw(Rect::new(2, 1, 0, 1), &mut buf, FieldStyle::default()), None);
    assert_eq!(field.draw(Rect::new(9, 9, 3, 3), &mut buf, FieldStyle::default()), None);
    assert_eq!(field.draw(Rect::new(0, 0, 90, 90), &mut buf, FieldStyle::default()), Some(Position { x: 4, y: 0 }));
}

/// Something done to a field.
#[derive(Clone, Debug)]
enum Act {
    Key(KeyEvent, u64),
    Paste(String),
    Draw(u16, u16),
}

fn acts() -> impl Strategy<Value = Act> {
    let text =
        "[a-c (\u{301}\u{302}\u{323}\u{200d}\u{fe0f}中ệ가각👩💻🇻🇳\t\r\n\u{1b}\u{0}\u{7f}\u{9b}\u{202e}\u{1161}\u{20dd}]{0,12}";
    let code = prop_oneof![
        proptest::char::any().prop_map(KeyCode::Char),
        proptest::sample::select("abehijkuwy7_ ([e\u{301}\u{302}\u{200d}👩🇻\u{1161}\u{1112}".chars().collect::<Vec<_>>())
            .prop_map(KeyCode::Char),
        proptest::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Backspace,
            KeyCode::Delete,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Tab,
            KeyCode::Esc,
        ]),
    ];
    let modifiers =
        prop_oneof![4 => Just(0_u8), 2 => Just(2), 1 => Just(4), 1 => 0_u8..8].prop_map(KeyModifiers::from_bits_truncate);
    prop_oneof![
        8 => (code, modifiers, 0_u64..20).prop_map(|(code, modifiers, gap)| Act::Key(press(code, modifiers), gap)),
        2 => text.prop_map(Act::Paste),
        1 => (0_u16..9, 0_u16..4).prop_map(|(width, height)| Act::Draw(width, height)),
    ]
}

proptest! {
    #[test]
    fn whatever_is_done_the_text_is_clean_the_caret_between_clusters_and_undo_goes_back(
        start in "[a-b\u{301}中👩\u{200d}\n]{0,8}",
        one in any::<bool>(),
        acts in proptest::collection::vec(acts(), 0..40),
    ) {
        let lines = if one { Lines::One } else { Lines::Many };
        let mut field = Field::new(&start, lines);
        let first = field.text();
        let mut now = 0;
        for act in acts {
            let before = field.text();
            let event = match act {
                Act::Key(key, gap) => {
                    now += gap;
                    field.key(key, now)
                }
                Act::Paste(text) => field.paste(&text),
                Act::Draw(width, height) => {
                    let (_, caret) = drawn(&field, width, height);
                    prop_assert_eq!(caret.is_some(), width > 0 && height > 0);
                    prop_assert!(caret.is_none_or(|(x, y)| x < width && y < height));
                    FieldEvent::Moved
                }
            };
            let text = field.text();
            prop_assert!(event == FieldEvent::Changed || text == before);
            let control = text.chars().find(|&c| c != '\n' && c.is_control());
            prop_assert_eq!(control, None);
            let joiner = char::from_u32(0x200d);
            prop_assert!(!text.chars().any(|c| is_hidden(c) && Some(c) != joiner));
            prop_assert!(!one || !text.contains('\n'));
            prop_assert_eq!(&composed(text.clone()), &text);
            let (line, byte) = field.caret();
            prop_assert!(byte == 0 || GraphemeCursor::new(byte, field.area.lines()[line].len(), true).is_boundary(&field.area.lines()[line], 0) == Ok(true));
        }
        let last = field.text();
        let steps = std::iter::repeat_with(|| field.take_back()).take_while(|&event| event == FieldEvent::Changed).count();
        prop_assert_eq!(field.text(), first);
        for _ in 0..steps {
            prop_assert_eq!(field.do_again(), FieldEvent::Changed);
        }
        prop_assert_eq!(field.text(), last);
    }
}
