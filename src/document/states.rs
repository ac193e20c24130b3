//! States and transitions: lists (`DRAFT -> SUBMITTED`), declarations (`States of X: A, B`), tables and state diagrams.

use super::blocks::{Row, Table, trim};
use super::facts::TableFact;
use super::line_map::LineMap;
use super::scene::Scene;
use super::text::plain;
use crate::model::outline::{LineKind, SectionKind, Span, State, Transition};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

const ARROWS: &[&str] = &["-->", "->", "=>", "→", "⇒", "➔", "➜", "⟶", "──>"];
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
#[rustfmt::skip]
const NEXT_HEADS: &[&str] = &[
    "next states", "next", "transitions", "transitions to", "trạng thái kế tiếp", "chuyển sang", "可转换为", "后续状态",
];

/// Words in brackets behind a state, or alone in a cell of its row, that make it an end.
#[rustfmt::skip]
const END_NOTES: &[&str] = &[
    "terminal", "final", "end", "end state", "terminal state", "final state", "trạng thái cuối", "kết thúc", "cuối", "cuối cùng",
    "终态", "终止", "终止状态", "最终", "最终状态", "结束", "结束状态", "endzustand", "終了",
];
/// The same for a start.
#[rustfmt::skip]
const START_NOTES: &[&str] = &[
    "initial", "start", "initial state", "start state", "default", "trạng thái đầu", "khởi tạo", "ban đầu", "bắt đầu", "mặc định",
    "初始", "初态", "初始状态", "起始", "起始状态", "默认", "anfangszustand",
];
/// Phrases in a state's explanation that make it an end; single words such as `final approval` do not.
#[rustfmt::skip]
const END_PHRASES: &[&str] = &["terminal state", "final state", "end state", "trạng thái cuối", "终态", "最终状态", "结束状态", "endzustand"];
/// The same for a start.
#[rustfmt::skip]
const START_PHRASES: &[&str] = &["initial state", "start state", "trạng thái đầu", "trạng thái khởi tạo", "初始状态", "起始状态"];

/// `States of a refund request: DRAFT, SUBMITTED`, `Trạng thái của đơn: A, B`, `订单的状态：A、B`.
static DECLARES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?i:(?:the\s+)?(?:possible\s+|allowed\s+|valid\s+)?(?:states|statuses|status values)(?:\s+(?:of|for)\s+[^:]+)?",
        r"|(?:các\s+)?trạng thái(?:\s+(?:của|cho)\s+[^:]+)?|[\w\s-]+\s(?:states|statuses))|[^:：，,]*状态(?:包括|有)?)\s*[:：]\s*(\S.*)$"
    ))
    .expect("a pattern")
});

/// Characters that the words before the colon may have; counted here, for counted repetitions make a pattern slow to build.
const DECLARATION_HEAD: usize = 80;
/// The same where they are Chinese, which says more in less.
const DECLARATION_HEAD_ZH: usize = 30;

/// The list that a declaration line gives.
fn declared(words: &str) -> Option<&str> {
    let list = DECLARES.captures(words)?.get(1)?;
    let head = &words[..list.start()];
    let most = if head.contains("状态") { DECLARATION_HEAD_ZH } else { DECLARATION_HEAD };
    (head.chars().count() <= most).then_some(list.as_str())
}

/// What stands in the states of a document.
#[derive(Default)]
pub(super) struct Found {
    pub(super) states: Vec<State>,
    pub(super) transitions: Vec<Transition>,
}

/// Reads every states section, each with a group of its own; a further declaration line opens a new group.
/// A declaration line counts in any other section too, and the arrows after it between states it declares.
pub(super) fn find(scene: &Scene<'_>) -> Found {
    let Scene { text, lines, blocks, facts, zones, .. } = *scene;
    let mut reader = Reader { text, map: scene.map, found: Found::default(), group: 0, used: false, known: HashMap::new() };
    let (lists, mut chains) = lists_of_states(scene);
    let mut at = Cursor::default();
    let (mut inside, mut section) = (false, None);
    for index in 0..lines.len() {
        let in_states = zones[index] == SectionKind::States;
        if section != lines[index].section || inside != in_states {
            (inside, section) = (in_states, lines[index].section);
            reader.open_group();
        }
        let end = lines.get(index + 1).map_or(text.len(), |next| next.span.start);
        while let Some(item) = blocks.items.get(at.item).filter(|item| item.span.start < end) {
            at.item += 1;
            if in_states && lists.contains(&item.list) {
                reader.line(item.head, chains.remove(&(at.item - 1)));
            } else if !in_states {
                reader.outside(item.head);
            }
        }
        while let Some(table) = blocks.tables.get(at.table).filter(|table| table.span.start < end) {
            at.table += 1;
            if in_states {
                reader.table(table, &facts.tables[at.table - 1]);
            }
        }
        while let Some(fence) = blocks.fences.get(at.fence).filter(|fence| fence.span.start < end) {
            at.fence += 1;
            if in_states && fence.tag == "mermaid" {
                reader.diagram(fence.span);
            }
        }
        if lines[index].kind == LineKind::Paragraph {
            let span = trim(text, lines[index].span);
            if in_states {
                reader.paragraph(span);
            } else {
                reader.outside(span);
            }
        }
    }
    reader.settle();
    reader.found
}

/// How many lists of states before a set of arrows are looked at.
const LOOK_BACK: u32 = 8;

/// How far the blocks were read.
#[derive(Default)]
struct Cursor {
    item: usize,
    table: usize,
    fence: usize,
}

/// Edges of a line of arrows: from and to.
type Edges = Vec<(String, String)>;

/// Lists of states sections whose items are mostly names or arrows between names, not sentences; and the edges of items.
fn lists_of_states(scene: &Scene<'_>) -> (HashSet<usize>, HashMap<usize, Edges>) {
    let mut counts: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut chains = HashMap::new();
    for (index, item) in scene.blocks.items.iter().enumerate() {
        if scene.zone_at(item.span.start) == SectionKind::States {
            let head = scene.slice(item.head);
            let edges = edges_of(head);
            let fits = edges.is_some()
                || (head.contains([':', '：']) && declared(&plain(head)).is_some())
                || is_name(&state_name(name_part(head)));
            chains.extend(edges.map(|edges| (index, edges)));
            let (all, fitting) = counts.entry(item.list).or_default();
            *all += 1;
            *fitting += usize::from(fits);
        }
    }
    let lists = counts.into_iter().filter(|(_, (all, fitting))| fitting * 5 >= all * 4).map(|(list, _)| list).collect();
    (lists, chains)
}

fn has_arrow(text: &str) -> bool {
    ARROWS.iter().any(|arrow| text.contains(arrow))
}

/// Longest chain of arrows in one line.
const LONGEST_CHAIN: usize = 40;

/// Edges of `A -> B`, `A -> B -> C`, `A → B: approved`, `A, B -> C`; `None` where anything between the arrows is no name.
fn edges_of(raw: &str) -> Option<Edges> {
    if !raw.contains(['>', '→', '⇒', '➔', '➜', '⟶']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = raw;
    let first = |rest: &str| {
        ARROWS
            .iter()
            .filter_map(|arrow| rest.find(arrow).map(|at| (at, arrow.len())))
            .min_by_key(|(at, len)| (*at, usize::MAX - len))
    };
    while let Some((at, len)) = first(rest) {
        parts.push(&rest[..at]);
        rest = &rest[at + len..];
        if parts.len() > LONGEST_CHAIN {
            return None;
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(rest);
    let mut names: Vec<Vec<String>> = Vec::with_capacity(parts.len());
    let last = parts.len() - 1;
    for (index, part) in parts.into_iter().enumerate() {
        // `Cancelling: A -> B`: a label may stand before the first state, an event behind the last.
        let part = if index == 0 { part.rsplit([':', '：']).next() } else { part.split([':', '：']).next() }.unwrap_or("");
        let part = if index == last { part.split(['(', '（']).next().unwrap_or("") } else { part };
        let each = part.replace(" / ", ",");
        names.push(each.split([',', '，', '、']).map(state_name).collect());
    }
    if !names.iter().flatten().all(|name| is_name(name)) {
        return None;
    }
    let pairs = names
        .windows(2)
        .flat_map(|pair| pair[0].iter().flat_map(move |from| pair[1].iter().map(move |to| (from.clone(), to.clone()))));
    Some(pairs.collect())
}

/// Whether words may be a state's name: short, without the marks of a sentence.
fn is_name(name: &str) -> bool {
    let words = name.split_whitespace().count();
    let han = name.chars().filter(|c| super::lang::is_han(*c)).count();
    let most = match (han, name.is_ascii()) {
        (0, true) => 4,
        (0, false) => 6,
        _ => 2,
    };
    (1..=most).contains(&words)
        && name.chars().count() <= 32
        && han <= 8
        && !name.contains(['.', ',', '，', '。', '?', '？', '!', '/', '\\', ';', '；', '=', '<', '>'])
        && name.chars().any(char::is_alphabetic)
}

/// A list item's part that may name a state: what stands before a colon or dash.
fn name_part(raw: &str) -> &str {
    let colon = raw.find([':', '：']);
    let dash = [" — ", " – ", " - "].iter().filter_map(|sign| raw.find(sign)).min();
    match (colon, dash) {
        (Some(colon), Some(dash)) => &raw[..colon.min(dash)],
        (Some(at), None) | (None, Some(at)) => &raw[..at],
        (None, None) => raw,
    }
}

struct Reader<'t> {
    text: &'t str,
    map: &'t LineMap,
    found: Found,
    group: u32,
    /// The open group holds something.
    used: bool,
    /// Group and lower-case name to index in `found.states`.
    known: HashMap<(u32, String), usize>,
}

impl Reader<'_> {
    /// A new group, unless the open one is still empty.
    fn open_group(&mut self) {
        if std::mem::take(&mut self.used) {
            self.group += 1;
        }
    }

    fn declare(&mut self, raw: &str, span: Span) -> Option<usize> {
        let (_, note) = split_note(raw);
        let name = state_name(raw);
        if !is_name(&name) {
            return None;
        }
        let note = note.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let index = *self.known.entry((self.group, name.to_lowercase())).or_insert_with(|| {
            let place = self.map.place(span);
            self.found.states.push(State { name, terminal: false, initial: false, place, group: self.group });
            self.found.states.len() - 1
        });
        self.used = true;
        self.note(index, &note);
        Some(index)
    }

    /// Marks a state by a note: words that stand alone, or among others after a comma.
    fn note(&mut self, index: usize, note: &str) {
        for part in note.split([',', ';', '/', '，', '、']).map(str::trim) {
            self.found.states[index].terminal |= END_NOTES.contains(&part);
            self.found.states[index].initial |= START_NOTES.contains(&part);
        }
    }

    /// Marks a state by its explanation.
    fn explain(&mut self, index: usize, words: &str) {
        let lower = words.to_lowercase();
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        self.found.states[index].terminal |= says(END_PHRASES) && !lower.contains("not a") && !lower.contains("non-");
        self.found.states[index].initial |= says(START_PHRASES);
    }

    fn connect(&mut self, from: &str, to: &str, span: Span) {
        let (from, to) = (state_name(from), state_name(to));
        if is_name(&from) && is_name(&to) {
            let place = self.map.place(span);
            self.found.transitions.push(Transition { from, to, place, group: self.group });
            self.used = true;
        }
    }

    /// A list item: arrows, a declaration line, or a state and what it means.
    fn line(&mut self, head: Span, edges: Option<Edges>) {
        let text = self.text;
        let raw = &text[head.start..head.end];
        if let Some(edges) = edges {
            self.connect_all(edges, head);
            return;
        }
        if self.declaration(raw, head) {
            return;
        }
        let name = name_part(raw);
        if let Some(index) = self.declare(name, head) {
            let rest = plain(&raw[name.len()..]);
            let words = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            self.note(index, &words.trim_end_matches(['.', '。']).to_lowercase());
            self.explain(index, words);
        }
    }

    fn paragraph(&mut self, span: Span) {
        let text = self.text;
        let raw = &text[span.start..span.end];
        if !self.declaration(raw, span) {
            self.chain(raw, span);
        }
    }

    /// A line outside the states sections: a declaration, or an arrow between states that one before it declares.
    fn outside(&mut self, span: Span) {
        let text = self.text;
        let raw = &text[span.start..span.end];
        let speaks = ["tate", "tatus", "rạng thái", "状态"].iter().any(|word| raw.contains(word));
        if speaks && raw.contains([':', '：']) && self.declaration(raw, span) {
            return;
        }
        if self.used && has_arrow(raw) {
            let before = self.found.transitions.len();
            self.chain(raw, span);
            let (group, known) = (self.group, &self.known);
            let declared = |name: &str| known.contains_key(&(group, name.to_lowercase()));
            let fits = self.found.transitions[before..].iter().all(|edge| declared(&edge.from) && declared(&edge.to));
            if !fits {
                self.found.transitions.truncate(before);
            }
        }
    }

    /// Connects the states of a line of arrows; false where it is none.
    fn chain(&mut self, raw: &str, span: Span) -> bool {
        let edges = edges_of(raw);
        let found = edges.is_some();
        self.connect_all(edges.unwrap_or_default(), span);
        found
    }

    fn connect_all(&mut self, edges: Edges, span: Span) {
        let place = self.map.place(span);
        self.used |= !edges.is_empty();
        let group = self.group;
        self.found.transitions.extend(edges.into_iter().map(|(from, to)| Transition { from, to, place, group }));
    }

    fn declaration(&mut self, raw: &str, span: Span) -> bool {
        if !raw.contains([':', '：']) {
            return false;
        }
        // Decomposed Vietnamese reads like composed one.
        let words: String = plain(raw).nfc().collect();
        let Some(list) = declared(&words).map(str::to_owned) else {
            return false;
        };
        if has_arrow(&list) {
            self.open_group();
            return self.chain(&list, span);
        }
        let names: Vec<&str> = list
            .trim_end_matches(['.', '。'])
            .split([',', '，', '、', ';', '；', '|'])
            .map(str::trim)
            .map(|name| {
                ["and ", "or ", "và ", "hoặc ", "和", "以及"].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name)
            })
            .filter(|name| !name.is_empty())
            .collect();
        if names.len() < 2 || !names.iter().all(|name| is_name(&state_name(name))) {
            return false;
        }
        self.open_group();
        for name in names {
            self.declare(name, span);
        }
        true
    }

    fn table(&mut self, table: &Table, fact: &TableFact) {
        let text = self.text;
        let cell = |row: &Row, column: usize| row.cells.get(column).map_or("", |cell| &text[cell.start..cell.end]);
        if let (Some(from), Some(to)) = (fact.column(FROM_HEADS), fact.column(TO_HEADS)) {
            for row in &table.rows {
                for from in cell(row, from).split([',', '，', '、']) {
                    for to in cell(row, to).split([',', '，', '、']) {
                        self.connect(from, to, row.span);
                    }
                }
            }
            return;
        }
        let Some(names) = fact.column(STATE_HEADS).or((!fact.heads.is_empty()).then_some(0)) else { return };
        let next = fact.column(NEXT_HEADS).or_else(|| fact.column(TO_HEADS));
        let (ends, starts) = (fact.column(END_NOTES), fact.column(START_NOTES));
        for row in &table.rows {
            let name = cell(row, names);
            let Some(index) = self.declare(name, row.span) else { continue };
            for at in (0..row.cells.len()).filter(|&at| at != names && Some(at) != next) {
                let words = plain(cell(row, at));
                self.note(index, &words.to_lowercase());
                self.explain(index, &words);
            }
            self.found.states[index].terminal |= ends.is_some_and(|at| is_yes(cell(row, at)));
            self.found.states[index].initial |= starts.is_some_and(|at| is_yes(cell(row, at)));
            for target in next.map_or("", |next| cell(row, next)).split([',', '，', '、']) {
                self.connect(name, target, row.span);
            }
        }
    }

    /// A Mermaid state diagram: `[*]` is the start on the left and the end on the right.
    fn diagram(&mut self, span: Span) {
        let text = self.text;
        if !text[span.start..span.end].contains("stateDiagram") {
            return;
        }
        let mut at = span.start;
        for line in text[span.start..span.end].split_inclusive('\n') {
            let here = trim(text, Span::new(at, at + line.len()));
            at += line.len();
            let Some((from, to)) = text[here.start..here.end].split_once("-->") else { continue };
            let (from, to) = (from.trim(), to.split(':').next().unwrap_or("").trim());
            match (from, to) {
                ("[*]", to) => {
                    if let Some(index) = self.declare(to, here) {
                        self.found.states[index].initial = true;
                    }
                }
                (from, "[*]") => {
                    if let Some(index) = self.declare(from, here) {
                        self.found.states[index].terminal = true;
                    }
                }
                (from, to) => {
                    self.declare(from, here);
                    self.declare(to, here);
                    self.connect(from, to, here);
                }
            }
        }
    }

    /// Arrows without a list of states of their own belong to the list before them that knows their ends; where none
    /// does, the ends declare the states.
    fn settle(&mut self) {
        let declared: HashSet<u32> = self.found.states.iter().map(|state| state.group).collect();
        let mut edges = std::mem::take(&mut self.found.transitions);
        for run in edges.chunk_by_mut(|one, other| one.group == other.group) {
            let group = run[0].group;
            if declared.contains(&group) {
                continue;
            }
            let knows = |group: u32, name: &str| self.known.contains_key(&(group, name.to_lowercase()));
            let owner = (group.saturating_sub(LOOK_BACK)..group).rev().find(|&group| {
                let known = run.iter().flat_map(|edge| [&edge.from, &edge.to]).filter(|name| knows(group, name)).count();
                declared.contains(&group) && known >= run.len()
            });
            for edge in run {
                edge.group = owner.unwrap_or(group);
                if owner.is_some() {
                    continue;
                }
                for name in [&edge.from, &edge.to] {
                    self.known.entry((group, name.to_lowercase())).or_insert_with(|| {
                        let (name, place) = (name.clone(), edge.place);
                        self.found.states.push(State { name, terminal: false, initial: false, place, group });
                        self.found.states.len() - 1
                    });
                }
            }
        }
        self.found.transitions = edges;
        self.found.states.sort_by_key(|state| state.place.span.start);
        self.found.transitions.sort_by_key(|transition| transition.place.span.start);
    }
}

fn is_yes(cell: &str) -> bool {
    matches!(plain(cell).to_lowercase().as_str(), "yes" | "y" | "x" | "✓" | "✔" | "✅" | "true" | "có" | "是")
}

/// A state's name: brackets, quotes and marks left out, and what follows `when`, `if`, `on` at the end of an arrow.
fn state_name(raw: &str) -> String {
    let (name, _) = split_note(raw);
    let words = plain(name);
    let cut = [" when ", " if ", " on ", " khi ", " nếu ", " after ", " by "].iter().filter_map(|word| words.find(word)).min();
    let quote = |c: char| matches!(c, '"' | '“' | '”' | '「' | '」' | '\'' | '.' | '。' | ':' | '：' | ';');
    words[..cut.unwrap_or(words.len())].trim_matches(|c: char| c.is_whitespace() || quote(c)).to_owned()
}

/// A name and the words in brackets behind it.
fn split_note(raw: &str) -> (&str, &str) {
    match raw.find(['(', '（', '[']).filter(|&at| at > 0) {
        Some(at) => (&raw[..at], &raw[at..]),
        None => (raw, ""),
    }
}

#[cfg(test)]
mod tests {
    use crate::document::Document;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let doc = Document::parse(text.to_owned());
        let states = doc.outline().states.iter().map(|state| {
            let marks = [(state.initial, "+"), (state.terminal, "!")]
                .iter()
                .filter(|(on, _)| *on)
                .map(|(_, mark)| *mark)
                .collect::<String>();
            format!("{}{}{marks}", state.group, state.name)
        });
        let edges = doc.outline().transitions.iter().map(|edge| format!("{}{}>{}", edge.group, edge.from, edge.to));
        (states.collect(), edges.collect())
    }

    #[test]
    fn a_declaration_and_arrows_share_a_group() {
        let (states, edges) =
            read("## States\nStates of a loan: OPEN, LENT (final), LOST\n- OPEN -> LENT\n- OPEN -> LOST: reported missing\n");
        assert_eq!(states, ["0OPEN", "0LENT!", "0LOST"]);
        assert_eq!(edges, ["0OPEN>LENT", "0OPEN>LOST"]);
    }

    #[test]
    fn vietnamese_and_chinese_lists_are_read() {
        let (states, edges) = read(
            "## Trạng thái\n- Nháp (khởi tạo): mới tạo\n- Đã gửi: chờ duyệt\n- Đã đóng: trạng thái cuối\n\nNháp → Đã gửi → Đã đóng\n",
        );
        assert_eq!(states, ["0Nháp+", "0Đã gửi", "0Đã đóng!"]);
        assert_eq!(edges, ["0Nháp>Đã gửi", "0Đã gửi>Đã đóng"]);
        let (states, edges) = read("## 状态流转\n订单的状态：待付款、已付款、已关闭（终态）\n- 待付款 → 已付款\n");
        assert_eq!(states, ["0待付款", "0已付款", "0已关闭!"]);
        assert_eq!(edges, ["0待付款>已付款"]);
    }

    #[test]
    fn tables_and_diagrams_are_read() {
        let (states, edges) = read(
            "## State machine\n| From | To | Event |\n|---|---|---|\n| New | Paid, Void | pay |\n\n## Order lifecycle\n| State | Meaning | Final |\n|---|---|---|\n| Open | Can be edited | |\n| Shut | Done | yes |\n",
        );
        assert_eq!(states, ["0New", "0Paid", "0Void", "1Open", "1Shut!"]);
        assert_eq!(edges, ["0New>Paid", "0New>Void"]);
        let (states, edges) =
            read("## States\n```mermaid\nstateDiagram-v2\n[*] --> Draft\nDraft --> Sent: send\nSent --> [*]\n```\n");
        assert_eq!(states, ["0Draft+", "0Sent!"]);
        assert_eq!(edges, ["0Draft>Sent"]);
    }

    #[test]
    fn arrows_under_a_heading_of_their_own_join_the_list_before() {
        let (states, edges) = read("## States\n- Open\n- Shut (final)\n\n### Transitions\n- Open -> Shut\n");
        assert_eq!(states, ["0Open", "0Shut!"]);
        assert_eq!(edges, ["0Open>Shut"]);
    }

    #[test]
    fn sentences_and_menu_paths_are_no_states() {
        let (states, edges) = read(
            "## Session lifecycle\n- The client sends a prompt and waits for the answer.\n- The server streams chunks until it is done.\n\n## Help\nOpen Settings -> Profile.\n",
        );
        assert_eq!((states.len(), edges.len()), (0, 0), "{states:?} {edges:?}");
        let (states, _) = read("## States\n- Open: awaits final approval\n- Shut: no way back\n");
        assert_eq!(states, ["0Open", "0Shut"], "an approval that is final makes no end");
    }

    #[test]
    fn a_declaration_outside_a_states_section_counts() {
        let (states, edges) =
            read("## Orders\nOrder states: NEW, PAID, SHIPPED.\n\n- NEW -> PAID\n- Menu -> Orders\n\n## Other\nA -> B\n");
        assert_eq!(states, ["0NEW", "0PAID", "0SHIPPED"]);
        assert_eq!(edges, ["0NEW>PAID"]);
    }
}
