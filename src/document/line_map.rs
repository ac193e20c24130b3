//! Physical lines, and which of them holds a byte: asked for every block, so it is answered without a search.

use crate::model::outline::{Line, LineSpan, Place, Span};

/// Bytes that share one entry of the map.
const STRIDE: usize = 128;

/// Where lines start.
pub(super) struct LineMap {
    starts: Vec<usize>,
    /// For every stretch of [`STRIDE`] bytes the line that holds its first byte.
    coarse: Vec<u32>,
}

/// Splits a text into physical lines: an unfinished last one counts, line ends are left out of the spans.
pub(super) fn split(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    while start < bytes.len() {
        let stop = text[start..].find('\n').map_or(bytes.len(), |at| start + at);
        let end = if stop > start && bytes[stop - 1] == b'\r' { stop - 1 } else { stop };
        lines.push(Line { span: Span::new(start, end), ..Line::default() });
        start = stop + 1;
    }
    lines
}

impl LineMap {
    /// The map of a text's lines.
    pub(super) fn new(lines: &[Line], length: usize) -> LineMap {
        let starts: Vec<usize> = lines.iter().map(|line| line.span.start).collect();
        let mut coarse = Vec::with_capacity(length / STRIDE + 1);
        let mut line = 0;
        for byte in (0..=length).step_by(STRIDE) {
            while line + 1 < starts.len() && starts[line + 1] <= byte {
                line += 1;
            }
            coarse.push(line as u32);
        }
        LineMap { starts, coarse }
    }

    /// Index (from 0) of the line that holds a byte; the last one for a byte past the end.
    pub(super) fn at(&self, byte: usize) -> usize {
        let stretch = (byte / STRIDE).min(self.coarse.len() - 1);
        let first = self.coarse[stretch] as usize;
        let last = self.coarse.get(stretch + 1).map_or(self.starts.len(), |next| *next as usize + 1);
        first + self.starts[first..last.min(self.starts.len())].partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// The place of a stretch of bytes.
    pub(super) fn place(&self, span: Span) -> Place {
        let first = self.at(span.start);
        let last = self.at(span.end.saturating_sub(1).max(span.start));
        Place { span, lines: LineSpan::new(first as u32 + 1, last as u32 + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_on_its_line() {
        let long = "x".repeat(STRIDE * 3);
        for text in
            ["", "a", "\n", "a\nb\r\n\n\nc", &"\n".repeat(STRIDE * 2), &format!("{long}\n\n{long}\nend"), &format!("{long}\n")]
        {
            let lines = split(text);
            let map = LineMap::new(&lines, text.len());
            for byte in 0..=text.len() + STRIDE {
                let expected = lines.partition_point(|line| line.span.start <= byte).saturating_sub(1);
                assert_eq!(map.at(byte), expected, "byte {byte} of {} bytes", text.len());
            }
        }
    }
}
