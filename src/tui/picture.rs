//! A screen as a picture (SVG) and as text, for documentation and tests.
//!
//! The grid is exact: each cluster stands at its column, whatever its font's advance, so that borders stay straight
//! on rows with wide, combining and composed characters.

use super::colours::{Rgb, between, indexed, number_of};
use super::wrap::cluster_width;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Width of a cell in pixels. Whole pixels, here and below: each letter looks the same wherever it stands.
const CELL_WIDTH: f64 = 9.0;
/// Size of the letters: that at which DejaVu Sans Mono advances by a cell.
const FONT: f64 = 14.95;
/// Size of letters that take two columns; a font draws them as wide as they are high, and rows must not touch.
const WIDE_FONT: f64 = 16.0;
/// Height of a cell: the line height of DejaVu Sans Mono; more would leave gaps in vertical lines.
const CELL_HEIGHT: f64 = 17.0;
/// From the top of a cell to the line that letters stand on.
const BASELINE: f64 = 14.0;
/// Free space around the screen.
const PADDING: f64 = 10.0;
/// Fonts by preference. Never an emoji font: it would draw digits too.
const FONTS: &str = "DejaVu Sans Mono, Noto Sans Mono, Noto Sans Mono CJK SC, monospace";
/// How far a dim letter goes towards its ground.
const DIM: f64 = 0.35;

/// What a terminal shows for its own colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The 16 colours, red, green and blue each.
    pub colours: [[u8; 3]; 16],
    /// Default colour of text.
    pub text: [u8; 3],
    /// Default colour of the ground.
    pub ground: [u8; 3],
}

/// A terminal with a dark ground.
pub const DARK: Palette = Palette {
    colours: [
        [0x48, 0x4f, 0x58],
        [0xff, 0x7b, 0x72],
        [0x3f, 0xb9, 0x50],
        [0xd2, 0x99, 0x22],
        [0x58, 0xa6, 0xff],
        [0xd2, 0x8c, 0xf0],
        [0x39, 0xc5, 0xcf],
        [0xb1, 0xba, 0xc4],
        [0x6e, 0x76, 0x81],
        [0xff, 0xa1, 0x98],
        [0x56, 0xd3, 0x64],
        [0xe3, 0xb3, 0x41],
        [0x79, 0xc0, 0xff],
        [0xe2, 0xb0, 0xff],
        [0x56, 0xd4, 0xdd],
        [0xff, 0xff, 0xff],
    ],
    text: [0xd5, 0xdb, 0xe3],
    ground: [0x11, 0x15, 0x1b],
};

/// A terminal with a light ground.
pub const LIGHT: Palette = Palette {
    colours: [
        [0x24, 0x29, 0x2f],
        [0xb3, 0x1d, 0x28],
        [0x11, 0x63, 0x29],
        [0x7d, 0x4e, 0x00],
        [0x09, 0x50, 0xae],
        [0x82, 0x2c, 0xa5],
        [0x0b, 0x62, 0x6b],
        [0x6e, 0x77, 0x81],
        [0x57, 0x60, 0x6a],
        [0xa4, 0x0e, 0x26],
        [0x1a, 0x7f, 0x37],
        [0x63, 0x3c, 0x01],
        [0x21, 0x8b, 0xff],
        [0xa4, 0x75, 0xf9],
        [0x31, 0x92, 0xaa],
        [0x8c, 0x95, 0x9f],
    ],
    text: [0x1f, 0x23, 0x28],
    ground: [0xff, 0xff, 0xff],
};

impl Palette {
    fn rgb(&self, color: Color, default: Rgb) -> Rgb {
        match color {
            Color::Reset => default,
            Color::Rgb(red, green, blue) => [red, green, blue],
            Color::Indexed(number) if number < 16 => self.colours[usize::from(number)],
            Color::Indexed(number) => indexed(number),
            named => number_of(named).map_or(default, |number| self.colours[number]),
        }
    }
}

/// How the letters of a cell are drawn.
#[derive(Clone, Copy, PartialEq)]
struct Ink {
    letters: Rgb,
    ground: Rgb,
    line: Rgb,
    modifier: Modifier,
}

impl Ink {
    fn of(cell: &Cell, palette: &Palette, caret: bool) -> Ink {
        let mut letters = palette.rgb(cell.fg, palette.text);
        let mut ground = palette.rgb(cell.bg, palette.ground);
        if cell.modifier.contains(Modifier::REVERSED) != caret {
            (letters, ground) = (ground, letters);
        }
        if cell.modifier.contains(Modifier::DIM) {
            letters = between(letters, ground, DIM);
        }
        let line = palette.rgb(cell.underline_color, letters);
        Ink { letters, ground, line, modifier: cell.modifier }
    }
}

/// A cluster of the screen: where it stands and how many columns it takes.
struct Placed<'a> {
    column: usize,
    width: usize,
    symbol: &'a str,
    cell: &'a Cell,
}

/// The clusters of each row, without the cells that a wide one covers.
fn placed(buffer: &Buffer) -> Vec<Vec<Placed<'_>>> {
    let columns = usize::from(buffer.area.width);
    let row = |row: usize| {
        let cells = &buffer.content[row * columns..(row + 1) * columns];
        let mut clusters = Vec::new();
        let mut column = 0;
        while let Some(cell) = cells.get(column) {
            let width = cluster_width(cell.symbol()).clamp(1, columns - column);
            clusters.push(Placed { column, width, symbol: cell.symbol(), cell });
            column += width;
        }
        clusters
    };
    (0..usize::from(buffer.area.height)).map(row).collect()
}

/// The ground that most of the screen has: that of the theme, else the terminal's.
fn common_ground(buffer: &Buffer, palette: &Palette) -> Rgb {
    let mut counts: BTreeMap<Rgb, usize> = BTreeMap::new();
    for cell in &buffer.content {
        *counts.entry(Ink::of(cell, palette, false).ground).or_default() += 1;
    }
    counts.into_iter().max_by_key(|&(_, count)| count).map_or(palette.ground, |(ground, _)| ground)
}

/// The screen as an SVG picture, with the caret where one is shown (in the screen's own coordinates).
pub fn svg(buffer: &Buffer, palette: &Palette, caret: Option<Position>) -> String {
    let (columns, rows) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let (width, height) = (columns * CELL_WIDTH + 2.0 * PADDING, rows * CELL_HEIGHT + 2.0 * PADDING);
    let ground = common_ground(buffer, palette);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" font-size=\"{FONT}\" shape-rendering=\"crispEdges\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        hex(ground)
    );
    let caret = caret.map(|at| (usize::from(at.x.wrapping_sub(buffer.area.x)), usize::from(at.y.wrapping_sub(buffer.area.y))));
    let rows = placed(buffer);
    let inks_of = |(row, clusters): (usize, &Vec<Placed<'_>>)| -> Vec<Ink> {
        let under_caret = |placed: &Placed<'_>| {
            caret.is_some_and(|(x, y)| y == row && (placed.column..placed.column + placed.width).contains(&x))
        };
        clusters.iter().map(|placed| Ink::of(placed.cell, palette, under_caret(placed))).collect()
    };
    let inks: Vec<Vec<Ink>> = rows.iter().enumerate().map(inks_of).collect();
    // All grounds first: letters reach into the rows above and below.
    for (row, (clusters, inks)) in rows.iter().zip(&inks).enumerate() {
        for run in runs(inks, |a, b| a.ground == b.ground).filter(|run| inks[run.start].ground != ground) {
            rect(&mut out, &clusters[run.clone()], row, 0.0, CELL_HEIGHT, inks[run.start].ground);
        }
    }
    for (row, (clusters, inks)) in rows.iter().zip(&inks).enumerate() {
        for run in runs(inks, |a, b| a == b) {
            letters(&mut out, &clusters[run.clone()], row, inks[run.start]);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Ranges of neighbours that are alike.
fn runs<'a>(inks: &'a [Ink], alike: impl Fn(&Ink, &Ink) -> bool + 'a) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
    let mut start = 0;
    inks.chunk_by(alike).map(move |chunk| {
        let range = start..start + chunk.len();
        start = range.end;
        range
    })
}

fn rect(out: &mut String, clusters: &[Placed<'_>], row: usize, from: f64, height: f64, fill: Rgb) {
    let Some(first) = clusters.first() else { return };
    let columns: usize = clusters.iter().map(|placed| placed.width).sum();
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\" fill=\"{}\"/>",
        x(first.column),
        y(row) + from,
        columns as f64 * CELL_WIDTH,
        hex(fill)
    );
}

/// The letters of a run in one ink, and the lines through and below them.
fn letters(out: &mut String, clusters: &[Placed<'_>], row: usize, ink: Ink) {
    if ink.modifier.contains(Modifier::UNDERLINED) {
        rect(out, clusters, row, BASELINE + 1.0, 1.0, ink.line);
    }
    let hidden = ink.modifier.contains(Modifier::HIDDEN);
    if !hidden && clusters.iter().any(|placed| !placed.symbol.trim().is_empty()) {
        let weight = if ink.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
        let slant = if ink.modifier.contains(Modifier::ITALIC) { " font-style=\"italic\"" } else { "" };
        let _ = write!(out, "<g fill=\"{}\"{weight}{slant}>", hex(ink.letters));
        for word in clusters.chunk_by(joined) {
            let is_blank = |placed: &Placed<'_>| placed.symbol.trim().is_empty();
            let Some(from) = word.iter().position(|placed| !is_blank(placed)) else { continue };
            let to = word.iter().rposition(|placed| !is_blank(placed)).unwrap_or(from);
            let word = &word[from..=to];
            let (x, y) = (x(word[0].column), y(row) + BASELINE);
            let _ = write!(out, "<text x=\"{x}\" y=\"{y}\"");
            if word.len() == 1 && word[0].width > 1 {
                let _ = write!(out, " font-size=\"{WIDE_FONT}\"");
            }
            if word.len() > 1 {
                // Another font than the preferred ones has another advance: the grid stays.
                let _ = write!(out, " textLength=\"{}\"", word.len() as f64 * CELL_WIDTH);
            }
            let text: String = word.iter().map(|placed| placed.symbol).collect();
            let _ = write!(out, ">{}</text>", escaped(&text));
        }
        out.push_str("</g>\n");
    }
    if ink.modifier.contains(Modifier::CROSSED_OUT) {
        rect(out, clusters, row, (CELL_HEIGHT / 2.0).floor(), 1.0, ink.letters);
    }
}

/// Whether two neighbours may be one text: a font of fixed width puts the second where the grid has it. Blanks between words
/// join them only one by one, since XML folds them.
fn joined(before: &Placed<'_>, after: &Placed<'_>) -> bool {
    let plain = |placed: &Placed<'_>| placed.symbol.len() == 1 && matches!(placed.symbol.as_bytes()[0], b' '..=b'~');
    let line = |placed: &Placed<'_>| matches!(placed.symbol, "─" | "━" | "═");
    let blank = |placed: &Placed<'_>| placed.symbol == " ";
    (plain(before) && plain(after) && !(blank(before) && blank(after))) || (line(before) && line(after))
}

fn x(column: usize) -> f64 {
    PADDING + column as f64 * CELL_WIDTH
}

fn y(row: usize) -> f64 {
    PADDING + row as f64 * CELL_HEIGHT
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text for XML: markup escaped, what XML may not hold replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The screen as text, a line a row, blanks at the ends of rows left out.
pub fn buffer_to_text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for clusters in placed(buffer) {
        let row: String = clusters.iter().map(|placed| placed.symbol).collect();
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
