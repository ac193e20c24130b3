//! Live text: what agents say while they work. Chunks wait here, capped, until the screen takes them; a slow terminal
//! costs text on the screen, never memory and never the run.

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
}

impl Output {
    /// Adds text that came at `now`; a new attempt begins anew.
    pub fn add(&mut self, attempt: u32, text: &str, now: u64) {
        if attempt != self.attempt {
            *self = Output { attempt, ..Output::default() };
        }
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
