//! `screens`: the views. Each is a function of the model that paints cells and says where the caret stands.
//! They build only what is visible, take times from records and the model's moment, and choose roles, never colours.
//! What never belongs here: changing the model, reading clocks or files, deciding anything.

pub mod decide;
pub mod detail;
pub mod entry;
pub mod findings;
pub mod header;
pub mod models;
pub mod options;
pub mod overlays;
pub mod painter;
pub mod palette;
pub mod parts;
pub mod questions;
pub mod quoted;
pub mod report;
pub mod run;
pub mod said;
mod sending;

use super::model::{Layer, Level, Model, Screen};
use super::theme::Role;
use painter::Painter;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// The smallest screen that shows anything but a request for more room.
pub const SMALLEST: (u16, u16) = (40, 10);

/// What was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Where the caret stands; the cursor is hidden without one.
    pub caret: Option<Position>,
    /// Rows that a page of the scrolled part holds.
    pub page: usize,
    /// Lines of the scrolled part; 0 where nothing scrolls.
    pub lines: usize,
}

/// Paints a whole frame.
pub fn draw(model: &Model, buf: &mut Buffer) -> Drawn {
    let area = buf.area;
    let mut painter = Painter { buf, look: &model.look };
    painter.tint(area, Role::Text);
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(model, area, &mut painter);
        return Drawn::default();
    }
    let rows = Rows::of(area);
    header::draw(model, rows.header, &mut painter);
    header::tabs(model, rows.tabs, &mut painter);
    let (body, field) = entry::split(model, rows.body);
    let mut drawn = match model.screen {
        Screen::Run => run::draw(model, body, &mut painter),
        Screen::Decide => decide::draw(model, body, &mut painter),
        Screen::Questions => questions::draw(model, body, &mut painter),
        Screen::Findings => findings::draw(model, body, &mut painter),
        Screen::Report => report::draw(model, body, &mut painter),
    };
    match model.layers.last() {
        Some(Layer::Entry(entry)) => drawn.caret = entry::draw(model, entry, field, &mut painter),
        Some(Layer::Palette(field, cursor)) => drawn.caret = palette::draw(model, field, *cursor, rows.body, &mut painter),
        Some(layer) => drawn = overlays::draw(model, layer, rows.body, &mut painter),
        None => {}
    }
    message(model, rows.message, &mut painter);
    header::footer(model, rows.footer, &mut painter);
    drawn
}

/// The rows of a frame.
struct Rows {
    header: Rect,
    tabs: Rect,
    body: Rect,
    message: Rect,
    footer: Rect,
}

impl Rows {
    fn of(area: Rect) -> Rows {
        let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        let body = Rect { y: area.y + 2, height: area.height - 4, ..area };
        Rows { header: row(0), tabs: row(1), body, message: row(area.height - 2), footer: row(area.height - 1) }
    }
}

fn too_small(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let (width, height) = SMALLEST;
    let has = format!("{}x{}", area.width, area.height);
    let text = model.say("screen-too-small", &[("need", format!("{width}x{height}").into()), ("have", has.into())]);
    painter.put(area.x, area.y, area.width, &text, Role::Text);
}

/// The line for the person.
fn message(model: &Model, area: Rect, painter: &mut Painter<'_>) {
    let Some(message) = &model.message else { return };
    let (mark, role) = match message.level {
        Level::Done => (model.look.glyphs.done, Role::Done),
        Level::Hint => (model.look.glyphs.needs_you, Role::Notice),
        Level::Error => (model.look.glyphs.failed, Role::Error),
    };
    painter.spans(area.x, area.y, area.width, &[(format!("{mark} "), role), (message.text.clone(), role)]);
}
