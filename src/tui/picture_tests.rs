//! Tests of pictures.

use super::*;
use crate::model::shown::Shown;
use crate::tui::glyphs::UNICODE;
use crate::tui::theme::{Role, Theme};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Block, Widget};
use std::collections::BTreeSet;

const LINES: [&str; 7] = [
    "Tiếng Việt: hệ thống phải ghi lại mỗi thay đổi",
    "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t",
    "系统必须在两秒内响应",
    "한글 \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
    "a<b & \"c\" > d",
    "👩\u{200d}👩\u{200d}👧 🇻🇳 ⚠\u{fe0f}",
    "مرحبا",
];

fn sample() -> Buffer {
    let area = Rect::new(0, 0, 60, 9);
    let mut buffer = Buffer::empty(area);
    Block::bordered().border_set(UNICODE.border).render(area, &mut buffer);
    for (row, line) in (1..).zip(LINES) {
        buffer.set_stringn(1, row, line, 58, Style::new());
    }
    buffer
}

/// The texts of a picture with their x and y as written.
fn texts(svg: &str) -> Vec<(String, String, String)> {
    let part = |text: &str, from: &str, to: &str| {
        let start = text.find(from).expect("attribute") + from.len();
        text[start..start + text[start..].find(to).expect("end")].to_owned()
    };
    svg.split("<text ")
        .skip(1)
        .map(|text| (part(text, "x=\"", "\""), part(text, "y=\"", "\""), part(text, ">", "</text>")))
        .collect()
}

#[test]
fn borders_are_straight_whatever_stands_between_them() {
    let svg = svg(&sample(), &DARK, None);
    let bars: Vec<_> = texts(&svg).into_iter().filter(|(_, _, text)| text == "│").collect();
    assert_eq!(bars.len(), 2 * LINES.len());
    let columns: BTreeSet<&str> = bars.iter().map(|(x, _, _)| x.as_str()).collect();
    let right = format!("{}", PADDING + 59.0 * CELL_WIDTH);
    assert_eq!(columns, BTreeSet::from(["10", right.as_str()]));
    let rows: BTreeSet<&str> = bars.iter().map(|(_, y, _)| y.as_str()).collect();
    assert_eq!(rows.len(), LINES.len());
}

#[test]
fn each_cluster_stands_at_its_column() {
    let svg = svg(&sample(), &LIGHT, None);
    let all = texts(&svg);
    let x = |cluster: &str| all.iter().find(|(_, _, text)| text == cluster).map(|(x, _, _)| x.clone());
    let at = |column: usize| Some(format!("{}", PADDING + column as f64 * CELL_WIDTH));
    assert_eq!(x("e\u{302}\u{301}"), at(3));
    assert_eq!(x("统"), at(3));
    assert_eq!(x("必"), at(5));
    assert_eq!(x("👩\u{200d}👩\u{200d}👧"), at(1));
    assert_eq!(x("🇻🇳"), at(4));
}

#[test]
fn plain_words_are_one_text_as_wide_as_their_cells() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 2));
    buffer.set_string(0, 0, "  a few words   apart │ ế ok", Style::new());
    let svg = svg(&buffer, &DARK, None);
    let all: Vec<(String, String)> = texts(&svg).into_iter().map(|(x, _, text)| (x, text)).collect();
    let at = |column: usize| format!("{}", PADDING + column as f64 * CELL_WIDTH);
    let expected = [(2, "a few words"), (16, "apart"), (22, "│"), (24, "ế"), (26, "ok")];
    assert_eq!(all, expected.map(|(column, text)| (at(column), text.to_owned())));
    assert!(svg.contains(&format!("textLength=\"{}\">apart<", 5.0 * CELL_WIDTH)), "{svg}");
}

#[test]
fn markup_and_what_xml_may_not_hold_is_harmless() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 2));
    let hostile = "</text><script>alert(1)</script>&#0;";
    buffer.set_string(0, 0, hostile, Style::new());
    buffer.set_string(0, 1, Shown::line("\u{1b}]0;x\u{7}\u{202e}gnp\u{ffff}").as_str(), Style::new());
    buffer[(50, 1)].set_symbol("\u{1}\u{fffe}");
    let svg = svg(&buffer, &DARK, None);
    assert!(!svg.contains("<script") && !svg.contains("&#"));
    assert!(!svg.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{fffe}' | '\u{ffff}')));
    let first: String = {
        let all = texts(&svg);
        let y = all[0].1.clone();
        all.into_iter().filter(|(_, at, _)| *at == y).map(|(_, _, text)| text).collect()
    };
    assert_eq!(first, hostile.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
}

#[test]
fn styles_are_drawn() {
    let draw = |style: Style, caret: Option<Position>| {
        let mut buffer = Buffer::empty(Rect::new(5, 7, 12, 1));
        buffer.set_string(6, 7, "文x", style);
        svg(&buffer, &DARK, caret)
    };
    let plain = draw(Style::new(), None);
    assert!(plain.contains("<g fill=\"#d5dbe3\"><text x=\"19\""), "{plain}");
    assert_eq!(plain.matches("<rect").count(), 1, "only the ground: {plain}");
    let red = draw(Style::new().fg(Color::Red).bg(Color::Indexed(231)), None);
    assert!(red.contains("<g fill=\"#ff7b72\">"), "{red}");
    assert!(red.contains("<rect x=\"19\" y=\"10\" width=\"27\" height=\"17\" fill=\"#ffffff\"/>"), "{red}");
    let reversed = draw(Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::REVERSED), None);
    assert!(reversed.contains("<g fill=\"#11151b\">") && reversed.contains("fill=\"#010203\"/>"), "{reversed}");
    let marks = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT | Modifier::DIM;
    let marked = draw(Style::new().add_modifier(marks), None);
    assert!(marked.contains("font-weight=\"bold\" font-style=\"italic\""), "{marked}");
    assert_eq!(marked.matches("height=\"1\"").count(), 2, "a line below and one through: {marked}");
    assert!(!marked.contains("#d5dbe3"), "dim letters differ: {marked}");
    let caret = draw(Style::new(), Some(Position::new(7, 7)));
    assert!(caret.contains("<rect x=\"19\" y=\"10\" width=\"18\" height=\"17\" fill=\"#d5dbe3\"/>"), "{caret}");
    let hidden = draw(Style::new().add_modifier(Modifier::HIDDEN), Some(Position::new(0, 0)));
    assert!(!hidden.contains("<text"), "{hidden}");
}

#[test]
fn text_has_no_traces_of_covered_cells() {
    let text = buffer_to_text(&sample());
    assert_eq!(text.lines().count(), 9);
    assert!(text.contains("│系统必须在两秒内响应                                      │\n"), "{text}");
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
    buffer.set_string(0, 0, "文x", Style::new());
    assert_eq!(buffer_to_text(&buffer), "文x\n\n");
}

#[test]
fn no_size_panics() {
    for (width, height) in [(0, 0), (0, 3), (3, 0), (1, 1), (500, 100)] {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        for cell in &mut buffer.content {
            cell.set_symbol("文");
        }
        assert_eq!(buffer_to_text(&buffer).lines().count(), usize::from(height));
        assert!(svg(&buffer, &DARK, Some(Position::new(u16::MAX, u16::MAX))).ends_with("</svg>\n"));
    }
}

/// A screen with every role and mark, in the languages of the workbench.
fn gallery(theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, 100, 30);
    let mut buffer = Buffer::empty(area);
    buffer.set_style(area, theme.style(Role::Text));
    let title = " Vòng 2/3 · khô 1/2 · 7 xong 3 đang chạy 1 chờ bạn ";
    let frame = Block::bordered().border_set(UNICODE.border_focus).border_style(theme.style(Role::BorderFocus));
    frame.title(ratatui::text::Span::styled(title, theme.style(Role::Title))).render(area, &mut buffer);
    let words = ["Hệ thống phải ghi mỗi sửa đổi ắẳẵếềểễ", "系统必须在两秒内响应，（见 BR-01）", "The lazy dog 0123456789"];
    for (index, &role) in Role::ALL.iter().enumerate() {
        let (column, row) = if index < 20 { (2, 1 + index) } else { (52, 1 + index - 20) };
        let text = format!("{role:?} {}", words[index % 3]);
        buffer.set_stringn(column as u16, row as u16, text, 46, theme.style(role));
    }
    let marks = [
        UNICODE.selected,
        UNICODE.marked,
        UNICODE.waiting,
        UNICODE.running,
        UNICODE.done,
        UNICODE.failed,
        UNICODE.needs_you,
        UNICODE.hole,
        UNICODE.not_covered,
        UNICODE.critical,
        UNICODE.major,
        UNICODE.minor,
        UNICODE.folded,
        UNICODE.unfolded,
        UNICODE.left,
        UNICODE.right,
        UNICODE.up,
        UNICODE.down,
        UNICODE.ellipsis,
        UNICODE.separator,
        UNICODE.dash,
        UNICODE.times,
        UNICODE.bullet,
        UNICODE.quote,
        UNICODE.bar_full,
        UNICODE.bar_empty,
        UNICODE.branch,
        UNICODE.last_branch,
        UNICODE.stem,
    ];
    buffer.set_stringn(2, 22, marks.join(" "), 96, theme.style(Role::Text));
    for (row, line) in (23..).zip(LINES).take(5) {
        buffer.set_stringn(2, row, line, 90, theme.style(Role::Text));
        buffer.set_stringn(60, row, "│ straight", 20, theme.style(Role::Border));
    }
    buffer
}

#[test]
fn the_gallery_of_each_theme_is_whole() {
    for name in Theme::names(None) {
        let theme = Theme::load(&name, None).expect("built in");
        let buffer = gallery(&theme);
        let text = buffer_to_text(&buffer);
        assert!(Role::ALL.iter().all(|role| text.contains(&format!("{role:?} "))), "{text}");
        let svg = svg(&buffer, &DARK, None);
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert!(svg.len() < 300_000, "{} bytes", svg.len());
    }
}
