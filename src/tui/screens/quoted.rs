//! The document's own lines around a place, with their numbers; the quoted words stand out.

use super::painter::{Spans, span};
use crate::model::shown::Shown;
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;

/// Lines `line - around ..= line + around`, wrapped to `width`; nothing for line 0.
pub fn lines(model: &Model, line: u32, quote: &str, around: u32, width: usize) -> Vec<Spans> {
    let mut out = Vec::new();
    if line == 0 {
        return out;
    }
    let digits = (line + around).to_string().len().max(3);
    let text_width = width.saturating_sub(digits + 3).max(1);
    for number in line.saturating_sub(around).max(1)..=line + around {
        if number > model.document.outline().line_count() {
            continue;
        }
        let text = model.document.line_text(number);
        let here = number == line;
        let mark = if here { model.look.glyphs.selected } else { " " };
        let safe = wrap::expand_tabs(text, 4);
        let safe = Shown::line(&safe).to_string();
        let pieces = if here { marked(&safe, quote) } else { vec![(safe, Role::Dim)] };
        for (index, piece) in wrap::wrap_spans(pieces, text_width).into_iter().enumerate() {
            let gutter = match index {
                0 => format!("{mark}{number:>digits$} "),
                _ => " ".repeat(digits + 2),
            };
            let mut spans = vec![span(gutter, Role::LineNumber)];
            spans.extend(piece);
            out.push(spans);
        }
    }
    out
}

/// The line with the quote in the role of quotes, where it stands verbatim.
fn marked(line: &str, quote: &str) -> Spans {
    let quote = Shown::line(quote);
    match line.find(quote.as_str()).filter(|_| !quote.as_str().is_empty()) {
        Some(at) => {
            let (before, rest) = line.split_at(at);
            let (inside, after) = rest.split_at(quote.as_str().len());
            vec![span(before, Role::Text), span(inside, Role::Quote), span(after, Role::Text)]
        }
        None => vec![span(line, Role::Text)],
    }
}
