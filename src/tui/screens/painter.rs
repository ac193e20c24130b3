//! Putting text on the screen: the one place where strings become cells. Every string is made safe here.

use crate::model::shown::Shown;
use crate::tui::field::FieldStyle;
use crate::tui::model::Look;
use crate::tui::theme::Role;
use crate::tui::wrap;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// A stretch of text in one role.
pub type Span = (String, Role);

/// A line of stretches.
pub type Spans = Vec<Span>;

/// A stretch.
pub fn span(text: impl Into<String>, role: Role) -> Span {
    (text.into(), role)
}

/// Where and how is painted.
pub struct Painter<'a> {
    /// The cells.
    pub buf: &'a mut Buffer,
    /// Theme and marks.
    pub look: &'a Look,
}

impl Painter<'_> {
    /// Puts text at a place, cut to `width` columns; returns the column after it.
    pub fn put(&mut self, x: u16, y: u16, width: u16, text: &str, role: Role) -> u16 {
        let area = self.buf.area;
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return x;
        }
        let width = width.min(area.right() - x);
        let safe = Shown::line_start(text, usize::from(width));
        let cut = wrap::cut(safe.as_str(), usize::from(width), self.look.glyphs.ellipsis);
        let (next, _) = self.buf.set_stringn(x, y, &cut, usize::from(width), self.look.theme.style(role));
        next
    }

    /// Puts stretches one after the other, cut to `width` columns; returns the column after them.
    pub fn spans(&mut self, x: u16, y: u16, width: u16, spans: &[Span]) -> u16 {
        let end = x.saturating_add(width);
        let mut at = x;
        for (text, role) in spans {
            if at >= end {
                break;
            }
            at = self.put(at, y, end - at, text, *role);
        }
        at
    }

    /// Puts lines from the top of an area; those that do not fit are left out.
    pub fn lines(&mut self, area: Rect, lines: &[Spans]) {
        for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
            self.spans(area.x, y, area.width, line);
        }
    }

    /// Gives a whole row the style of a role, keeping what stands there.
    pub fn tint(&mut self, area: Rect, role: Role) {
        let area = area.intersection(self.buf.area);
        if role == Role::Selected {
            // Reversed, every colour would be a patch of its own: a selected row is of one piece.
            self.buf.set_style(area, self.look.theme.style(Role::Text));
        }
        self.buf.set_style(area, self.look.theme.style(role));
    }

    /// Empties an area that lies over something; of a wide letter that it cuts in two nothing is left.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buf.area);
        for y in area.top()..area.bottom() {
            if let Some(x) = area.x.checked_sub(1)
                && let Some(cell) = self.buf.cell_mut((x, y))
                && wrap::width(cell.symbol()) > 1
            {
                cell.set_symbol(" ");
            }
        }
        Clear.render(area, self.buf);
        self.tint(area, Role::Text);
    }

    /// A border with a title; returns what is inside.
    pub fn framed(&mut self, area: Rect, title: &str, role: Role) -> Rect {
        let area = area.intersection(self.buf.area);
        if area.width < 2 || area.height < 2 {
            return Rect { width: 0, height: 0, ..area };
        }
        let block = Block::bordered()
            .border_set(if role == Role::BorderFocus { self.look.glyphs.border_focus } else { self.look.glyphs.border })
            .border_style(self.look.theme.style(role));
        let inner = block.inner(area);
        block.render(area, self.buf);
        if !title.is_empty() && area.width > 4 {
            self.put(area.x + 2, area.y, area.width - 4, &format!(" {title} "), Role::Title);
        }
        inner
    }

    /// A scroll mark at the right edge: how far down, where not all lines fit.
    pub fn scroll_mark(&mut self, area: Rect, top: usize, lines: usize) {
        let page = usize::from(area.height);
        if area.width == 0 || lines <= page || page == 0 {
            return;
        }
        let most = lines - page;
        let y = area.y + u16::try_from(top.min(most) * (page - 1) / most).unwrap_or(0);
        let mark = self.look.glyphs.scrollbar.thumb;
        self.put(area.right() - 1, y, 1, mark, Role::Dim);
    }
}

/// How text areas look.
pub fn field_style(look: &Look) -> FieldStyle {
    FieldStyle { text: look.theme.style(Role::Field), mark: look.theme.style(Role::Warning) }
}

/// Text wrapped to `width` in one role.
pub fn wrapped(text: &str, width: usize, role: Role) -> Vec<Spans> {
    let safe = Shown::block(text);
    safe.as_str().split('\n').flat_map(|line| wrap::wrap(line, width)).map(|line| vec![(line, role)]).collect()
}
