//! States and transitions: lists (`DRAFT -> SUBMITTED`), declarations (`States of X: A, B`), tables and state diagrams.

use super::blocks::{Blocks, line_index, trim};
use super::sections::span_place;
use super::terms::{column, head_words};
use super::text::plain;
use crate::model::outline::{Line, LineKind, SectionKind, Span, State, Transition};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

const ARROWS: &[&str] = &["-->", "->", "=>", "→", "⇒", "➔", "➜", "⟶", "──>"];
#[rustfmt::skip]
const TERMINAL: &[&str] = &[
    "terminal", "final", "end state", "trạng thái cuối", "kết thúc", "cuối cùng", "终态", "终止", "最终", "结束状态", "endzustand",
    "終了",
];
#[rustfmt::skip]
const INITIAL: &[&str] = &[
    "initial", "start state", "starting state", "trạng thái đầu", "khởi tạo", "ban đầu", "初始", "初态", "起始状态",
    "anfangszustand",
];
#[rustfmt::skip]
const FROM_HEADS: &[&str] = &[
    "from", "from state", "source", "current state", "current status", "từ", "từ trạng thái", "trạng thái hiện tại",
    "trạng thái nguồn", "当前状态", "起始状态", "源状态", "从", "原状态",
];
#[rustfmt::skip]
const TO_HEADS: &[&str] = &[
    "to", "to state", "target", "next state", "new state", "next status", "đến", "sang", "đến trạng thái",
    "trạng thái tiếp theo", "trạng thái đích", "trạng thái mới", "下一状态", "目标状态", "到", "新状态",
];
const STATE_HEADS: &[&str] =
    &["state", "status", "name", "trạng thái", "tên trạng thái", "状态", "状态名", "名称", "zustand", "estado", "状態", "상태"];

/// `States of a refund request: DRAFT, SUBMITTED`, `Trạng thái của đơn: A, B`, `订单的状态：A、B`.
static DECLARES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?i:(?:the\s+)?(?:states|statuses|status values)(?:\s+(?:of|for)\s+[^:]{1,60})?|(?:các\s+)?trạng thái(?:\s+(?:của|cho)\s+[^:]{1,60})?|[^:：]{0,30}状态(?:包括|有)?)\s*[:：]\s*(\S.*)$")
        .expect("a pattern")
});

/// What stands in the states of a document.
#[derive(Default)]
pub(super) struct Found {
    pub(super) states: Vec<State>,
    pub(super) transitions: Vec<Transition>,
}

struct Reader<'t> {
    text: &'t str,
    lines: &'t [Line],
    found: Found,
    group: u32,
}

/// Reads every states section, each with a group of its own; a further declaration line opens a new group.
pub(super) fn find(text: &str, blocks: &Blocks, lines: &[Line], zones: &[SectionKind]) -> Found {
    let mut reader = Reader { text, lines, found: Found::default(), group: 0 };
    let mut by_line: HashMap<usize, Vec<Block>> = HashMap::new();
    for (index, item) in blocks.items.iter().enumerate() {
        by_line.entry(line_index(lines, item.span.start)).or_default().push(Block::Item(index));
    }
    for (index, table) in blocks.tables.iter().enumerate() {
        by_line.entry(line_index(lines, table.span.start)).or_default().push(Block::Table(index));
    }
    for (index, fence) in blocks.fences.iter().enumerate().filter(|(_, fence)| fence.tag == "mermaid") {
        let _ = fence;
        by_line.entry(line_index(lines, blocks.fences[index].span.start)).or_default().push(Block::Fence(index));
    }
    let mut inside = false;
    let mut section = None;
    for index in 0..lines.len() {
        if zones[index] != SectionKind::States {
            inside = false;
            continue;
        }
        if !inside || section != lines[index].section {
            inside = true;
            section = lines[index].section;
            reader.open_group();
        }
        for block in by_line.get(&index).into_iter().flatten() {
            match *block {
                Block::Item(item) => reader.line(blocks.items[item].head),
                Block::Table(table) => reader.table(blocks, table),
                Block::Fence(fence) => reader.diagram(blocks.fences[fence].span),
            }
        }
        if lines[index].kind == LineKind::Paragraph {
            reader.paragraph(lines[index].span);
        }
    }
    reader.settle();
    reader.found
}

enum Block {
    Item(usize),
    Table(usize),
    Fence(usize),
}

impl Reader<'_> {
    /// A new group, unless the open one is still empty.
    fn open_group(&mut self) {
        let used = self.found.states.iter().rev().take(1).any(|state| state.group == self.group)
            || self.found.transitions.iter().rev().take(1).any(|transition| transition.group == self.group);
        if used {
            self.group += 1;
        }
    }

    fn declare(&mut self, raw: &str, span: Span) {
        let (name, note) = split_note(raw);
        let name = plain(name);
        let name =
            name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '「' | '」' | '.' | '。')).to_owned();
        if name.is_empty() || name.chars().count() > 40 {
            return;
        }
        let note = note.to_lowercase();
        let (terminal, initial) = (says(&note, TERMINAL), says(&note, INITIAL));
        let group = self.group;
        if let Some(known) =
            self.found.states.iter_mut().rev().take_while(|state| state.group == group).find(|state| same(&state.name, &name))
        {
            known.terminal |= terminal;
            known.initial |= initial;
            return;
        }
        let place = span_place(self.lines, span);
        self.found.states.push(State { name, terminal, initial, place, group });
    }

    fn connect(&mut self, from: &str, to: &str, span: Span) {
        let (from, to) = (state_name(from), state_name(to));
        if from.is_empty() || to.is_empty() || from.chars().count() > 40 || to.chars().count() > 40 {
            return;
        }
        let place = span_place(self.lines, span);
        self.found.transitions.push(Transition { from, to, place, group: self.group });
    }

    /// A list item or line: a chain of arrows, or a state with a note.
    fn line(&mut self, head: Span) {
        let raw = &self.text[head.start..head.end];
        if self.chain(raw, head) || self.declaration(raw, head) {
            return;
        }
        let name_end = raw.find([':', '：']).or_else(|| [" — ", " – ", " - "].iter().filter_map(|sign| raw.find(sign)).min());
        match name_end {
            // What follows the name explains it: it may say that the state is the last one.
            Some(end) => {
                let note = raw[end..].to_string();
                self.declare(&raw[..end], head);
                self.mark(&note);
            }
            None => self.declare(raw, head),
        }
    }

    /// Marks the state declared last by the first words of its explanation.
    fn mark(&mut self, note: &str) {
        let lower = note.to_lowercase();
        let first: String = lower.split(['.', '。', ';']).next().unwrap_or("").chars().take(60).collect();
        if let Some(state) = self.found.states.last_mut() {
            state.terminal |= says(&first, TERMINAL);
            state.initial |= says(&first, INITIAL);
        }
    }

    fn paragraph(&mut self, span: Span) {
        let span = trim(self.text, span);
        let raw = &self.text[span.start..span.end];
        if !self.declaration(raw, span) {
            self.chain(raw, span);
        }
    }

    /// `A -> B`, `A -> B -> C`, `A → B: approved`; both sides short.
    fn chain(&mut self, raw: &str, span: Span) -> bool {
        let mut parts: Vec<&str> = Vec::new();
        let mut rest = raw;
        while let Some((at, arrow)) = ARROWS
            .iter()
            .filter_map(|arrow| rest.find(arrow).map(|at| (at, *arrow)))
            .min_by_key(|(at, arrow)| (*at, usize::MAX - arrow.len()))
        {
            parts.push(&rest[..at]);
            rest = &rest[at + arrow.len()..];
        }
        if parts.is_empty() {
            return false;
        }
        parts.push(rest);
        for pair in parts.windows(2) {
            for from in pair[0].split([',', '，', '、', '/']) {
                for to in split_targets(pair[1]) {
                    self.connect(from, to, span);
                }
            }
        }
        true
    }

    fn declaration(&mut self, raw: &str, span: Span) -> bool {
        let plain_line = plain(raw);
        let Some(captures) = DECLARES.captures(&plain_line) else { return false };
        let list = captures[1].to_string();
        if ARROWS.iter().any(|arrow| list.contains(arrow)) {
            self.open_group();
            return self.chain(&list, span);
        }
        self.open_group();
        for name in list.trim_end_matches(['.', '。']).split([',', '，', '、', ';', '；', '|']) {
            let name = name.trim();
            let name = name.strip_prefix("and ").or_else(|| name.strip_prefix("và ")).unwrap_or(name);
            self.declare(name, span);
        }
        true
    }

    fn table(&mut self, blocks: &Blocks, index: usize) {
        let table = &blocks.tables[index];
        let heads = head_words(self.text, table);
        let cell =
            |row: &super::blocks::Row, column: usize| row.cells.get(column).map_or("", |cell| &self.text[cell.start..cell.end]);
        if let (Some(from), Some(to)) = (column(&heads, FROM_HEADS), column(&heads, TO_HEADS)) {
            let rows: Vec<(String, String, Span)> =
                table.rows.iter().map(|row| (cell(row, from).to_owned(), cell(row, to).to_owned(), row.span)).collect();
            for (from, to, span) in rows {
                for from in from.split([',', '，', '、']) {
                    for to in to.split([',', '，', '、']) {
                        self.connect(from, to, span);
                    }
                }
            }
            return;
        }
        let Some(names) = column(&heads, STATE_HEADS).or((!heads.is_empty()).then_some(0)) else { return };
        let next = column(
            &heads,
            &[
                "next states",
                "next",
                "transitions",
                "transitions to",
                "trạng thái kế tiếp",
                "chuyển sang",
                "可转换为",
                "后续状态",
            ],
        )
        .or_else(|| column(&heads, TO_HEADS));
        let rows: Vec<(String, String, Option<String>, Span)> = table
            .rows
            .iter()
            .map(|row| {
                let notes: Vec<&str> =
                    (0..row.cells.len()).filter(|&at| at != names && Some(at) != next).map(|at| cell(row, at)).collect();
                (cell(row, names).to_owned(), notes.join(" "), next.map(|next| cell(row, next).to_owned()), row.span)
            })
            .collect();
        for (name, note, targets, span) in rows {
            self.declare(&name, span);
            self.mark(&note);
            for target in targets.iter().flat_map(|targets| targets.split([',', '，', '、'])) {
                if !matches!(target.trim(), "" | "-" | "–" | "—") {
                    self.connect(&name, target, span);
                }
            }
        }
    }

    /// A Mermaid state diagram: `[*]` is the start on the left and the end on the right.
    fn diagram(&mut self, span: Span) {
        let text = self.text;
        let raw = &text[span.start..span.end];
        if !raw.contains("stateDiagram") {
            return;
        }
        let mut at = span.start;
        for line in raw.split_inclusive('\n') {
            let here = trim(text, Span::new(at, at + line.len()));
            at += line.len();
            let Some((from, to)) = text[here.start..here.end].split_once("-->") else { continue };
            let (from, to) = (from.trim(), to.split(':').next().unwrap_or("").trim());
            match (from, to) {
                ("[*]", to) => self.declare(&format!("{to} (initial)"), here),
                (from, "[*]") => self.declare(&format!("{from} (terminal)"), here),
                (from, to) => {
                    self.declare(from, here);
                    self.declare(to, here);
                    self.connect(from, to, here);
                }
            }
        }
    }

    /// Without a list of states, the ends of the arrows declare them.
    fn settle(&mut self) {
        let declared: std::collections::HashSet<u32> = self.found.states.iter().map(|state| state.group).collect();
        let loose: Vec<Transition> =
            self.found.transitions.iter().filter(|transition| !declared.contains(&transition.group)).cloned().collect();
        for transition in loose {
            for name in [&transition.from, &transition.to] {
                let known = self.found.states.iter().any(|state| state.group == transition.group && same(&state.name, name));
                if !known {
                    self.found.states.push(State {
                        name: name.clone(),
                        terminal: false,
                        initial: false,
                        place: transition.place,
                        group: transition.group,
                    });
                }
            }
        }
        self.found.states.sort_by_key(|state| (state.place.span.start, state.group));
        self.found.transitions.sort_by_key(|transition| transition.place.span.start);
    }
}

fn says(note: &str, words: &[&str]) -> bool {
    words.iter().any(|word| note.contains(word)) && !note.contains("non-terminal") && !note.contains("not final")
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Targets of an arrow: `B, C` or `B / C`, an event after a colon or in brackets left out.
fn split_targets(raw: &str) -> impl Iterator<Item = &str> {
    let end = raw.find([':', '：']).unwrap_or(raw.len());
    raw[..end].split([',', '，', '、', '/'])
}

/// A state's name at one end of an arrow: brackets, events and marks left out.
fn state_name(raw: &str) -> String {
    let (name, _) = split_note(raw);
    let words = plain(name);
    let cut = [" when ", " if ", " on ", " khi ", " nếu ", " after ", " by "]
        .iter()
        .filter_map(|word| words.find(word))
        .min()
        .unwrap_or(words.len());
    words[..cut]
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '”' | '「' | '」' | '.' | '。' | ':' | '：' | ';'))
        .to_owned()
}

/// A name and the words in brackets behind it.
fn split_note(raw: &str) -> (&str, &str) {
    match raw.find(['(', '（', '[']).filter(|&at| at > 0) {
        Some(at) => (&raw[..at], &raw[at..]),
        None => (raw, ""),
    }
}
