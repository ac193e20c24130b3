//! Live text: what agents say while they work. Chunks wait here, capped, until the screen takes them; a slow terminal
//! costs text on the screen, never memory and never the run.

use super::wrap;
use crate::model::shown::Shown;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use tokio::sync::Notify;

/// Bytes of one step that wait to be shown; older ones are dropped, for the side file has them all.
const PENDING: usize = 64 * 1024;
/// Bytes of one step that stay on the screen's side.
const KEPT: usize = 256 * 1024;

/// A chunk of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Step key.
    pub step: String,
    /// Attempt, from 1.
    pub attempt: u32,
    /// Text.
    pub text: String,
}

/// Where live text waits.
#[derive(Debug, Default)]
pub struct Live {
    waiting: Mutex<BTreeMap<(String, u32), String>>,
    news: Notify,
}

impl Live {
    /// Takes text in; called by whoever carries the run.
    pub fn push(&self, step: &str, attempt: u32, text: &str) {
        let mut waiting = self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let tail = waiting.entry((step.to_owned(), attempt)).or_default();
        tail.push_str(text);
        keep_tail(tail, PENDING);
        drop(waiting);
        self.news.notify_one();
    }

    /// Resolves when there is text to take.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// All text that waits.
    pub fn take(&self) -> Vec<Chunk> {
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        waiting.into_iter().map(|((step, attempt), text)| Chunk { step, attempt, text }).collect()
    }
}

fn keep_tail(text: &mut String, most: usize) {
    if text.len() > most {
        let mut from = text.len() - most;
        while !text.is_char_boundary(from) {
            from += 1;
        }
        text.drain(..from);
    }
}

/// What one step has said, as far as it is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// The attempt whose text this is.
    pub attempt: u32,
    /// Whole lines, oldest first; the last one may be unfinished.
    pub lines: VecDeque<String>,
    /// Lines dropped at the front.
    pub dropped: usize,
    /// When the last text came, in the screen's milliseconds.
    pub last_at: u64,
    bytes: usize,
    wrapped: RefCell<Wrapped>,
}

/// Rows that whole lines take at one width: remembered, so that a frame wraps only what is new or seen.
#[derive(Clone, Debug, Default)]
struct Wrapped {
    width: usize,
    /// Rows of the first lines; the last line, which may grow, is never among them.
    rows: VecDeque<usize>,
    total: usize,
    /// [`Output::dropped`] as of then.
    dropped: usize,
}

impl PartialEq for Wrapped {
    /// What is remembered is no part of what an output is.
    fn eq(&self, _: &Wrapped) -> bool {
        true
    }
}

/// A line in rows of a width, safe for a terminal.
fn rows_of(line: &str, width: usize) -> Vec<String> {
    let safe = Shown::line(&wrap::expand_tabs(line, wrap::TAB)).to_string();
    wrap::wrap(&safe, width)
}

impl Output {
    /// A text that is there as a whole and is kept whole, however long.
    pub fn whole(text: &str) -> Output {
        Output { lines: text.split('\n').map(str::to_owned).collect(), ..Output::default() }
    }

    /// Adds text that came at `now`; a new attempt begins anew.
    pub fn add(&mut self, attempt: u32, text: &str, now: u64) {
        self.begin(attempt);
        self.last_at = now;
        for (index, piece) in text.split('\n').enumerate() {
            match self.lines.back_mut() {
                Some(last) if index == 0 => last.push_str(piece),
                _ => self.lines.push_back(piece.to_owned()),
            }
            self.bytes += piece.len() + 1;
        }
        while self.bytes > KEPT && self.lines.len() > 1 {
            let gone = self.lines.pop_front().unwrap_or_default();
            self.bytes = self.bytes.saturating_sub(gone.len() + 1);
            self.dropped += 1;
        }
        if self.bytes > KEPT
            && let Some(line) = self.lines.back_mut()
        {
            keep_tail(line, KEPT / 2);
            self.bytes = line.len();
        }
    }

    /// An attempt begins: what an earlier one said goes.
    pub fn begin(&mut self, attempt: u32) {
        if attempt != self.attempt {
            *self = Output { attempt, ..Output::default() };
        }
    }

    /// Rows it takes when wrapped to `width` columns.
    pub fn rows(&self, width: usize) -> usize {
        self.remember(width);
        self.wrapped.borrow().total + self.begun().map_or(0, |line| rows_of(line, width).len())
    }

    /// At most `page` rows from row `top` on, wrapped to `width` columns and safe for a terminal.
    pub fn page(&self, width: usize, top: usize, page: usize) -> Vec<String> {
        self.remember(width);
        let wrapped = self.wrapped.borrow();
        let mut first = 0;
        let mut before = 0;
        while let Some(&rows) = wrapped.rows.get(first).filter(|&&rows| before + rows <= top) {
            before += rows;
            first += 1;
        }
        let whole = self.lines.len().saturating_sub(1);
        let lines = self.lines.iter().take(whole).skip(first).chain(self.begun());
        lines.flat_map(|line| rows_of(line, width)).skip(top - before).take(page).collect()
    }

    /// The line that may still grow, where it has begun.
    fn begun(&self) -> Option<&String> {
        self.lines.back().filter(|line| !line.is_empty())
    }

    fn remember(&self, width: usize) {
        let mut wrapped = self.wrapped.borrow_mut();
        if wrapped.width != width || wrapped.rows.len() + wrapped.dropped > self.dropped + self.lines.len() {
            *wrapped = Wrapped { width, dropped: self.dropped, ..Wrapped::default() };
        }
        while wrapped.dropped < self.dropped {
            wrapped.total -= wrapped.rows.pop_front().unwrap_or_default();
            wrapped.dropped += 1;
        }
        for line in self.lines.iter().take(self.lines.len().saturating_sub(1)).skip(wrapped.rows.len()) {
            let rows = rows_of(line, width).len();
            wrapped.rows.push_back(rows);
            wrapped.total += rows;
        }
    }

    /// Whether anything was said.
    pub fn is_blank(&self) -> bool {
        self.last_line().is_empty()
    }

    /// The last line with anything in it.
    pub fn last_line(&self) -> &str {
        self.lines.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_text_is_capped_at_its_end_and_taken_once() {
        let live = Live::default();
        for _ in 0..100 {
            live.push("review/DEV/UC-01@1", 1, &"ế".repeat(1_000));
        }
        live.push("critic/1", 2, "x");
        let taken = live.take();
        assert_eq!(taken.len(), 2);
        let long = taken.iter().find(|chunk| chunk.attempt == 1).expect("taken");
        assert!(long.text.len() <= PENDING && long.text.chars().all(|c| c == 'ế'));
        assert_eq!(live.take(), Vec::new());
    }

    #[test]
    fn rows_remembered_are_those_of_a_fresh_wrap() {
        let mut output = Output::default();
        let fresh = |output: &Output, width: usize| {
            let lines = output.lines.iter().enumerate();
            let shown = lines.filter(|(index, line)| index + 1 < output.lines.len() || !line.is_empty());
            shown.flat_map(|(_, line)| rows_of(line, width)).collect::<Vec<_>>()
        };
        let words = ["một hai ba bốn năm", "\n", "需求文档里的一行很长的文字", "\n\n", "x", "\tcode\u{1b}[31m", "\n"];
        for turn in 0..6_000 {
            output.add(1, words[turn % words.len()], 1);
            if turn % 97 == 0 {
                let width = if turn % 2 == 0 { 7 } else { 30 };
                let rows = fresh(&output, width);
                assert_eq!(output.rows(width), rows.len(), "{turn}");
                let top = rows.len() * 2 / 3;
                assert_eq!(output.page(width, top, 9), rows[top..rows.len().min(top + 9)], "{turn}");
                assert_eq!(output.page(width, rows.len() + 3, 9), Vec::<String>::new(), "{turn}");
            }
        }
        output.add(1, &format!("{}\n", "y".repeat(1_000)).repeat(400), 2);
        assert!(output.dropped > 0);
        assert_eq!(output.rows(30), fresh(&output, 30).len());
        output.add(2, "again", 3);
        assert_eq!((output.rows(30), output.page(30, 0, 5)), (1, vec!["again".to_owned()]));
        assert_eq!(output.page(30, 9, 5), Vec::<String>::new());
    }

    #[test]
    fn output_keeps_lines_across_chunks_and_forgets_the_oldest() {
        let mut output = Output::default();
        output.add(1, "one\ntw", 5);
        output.add(1, "o\n", 6);
        assert_eq!(output.lines, ["one", "two", ""]);
        assert_eq!((output.last_line(), output.last_at), ("two", 6));
        output.add(2, "again", 7);
        assert_eq!(output.lines, ["again"]);
        for _ in 0..400 {
            output.add(2, &format!("\n{}", "x".repeat(1_000)), 8);
        }
        assert!(output.dropped > 0 && output.lines.len() < 300);
        output.add(2, &"y".repeat(3 * KEPT), 9);
        assert!(output.lines.iter().map(String::len).sum::<usize>() <= KEPT);
    }
}
