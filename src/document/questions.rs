//! Open questions: items of their sections, and inline `[NEEDS CLARIFICATION: …]` markers, each with answer and owner.

use super::blocks::trim;
use super::ids;
use super::references::within;
use super::scene::Scene;
use super::sections::label;
use super::text::plain;
use crate::model::outline::{LineKind, OpenQuestion, SectionKind, Span};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// Case-sensitive: `work that needs clarification` is prose. The question stands behind the colon.
static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\[(?:NEEDS CLARIFICATION|NEEDS-CLARIFICATION|CẦN LÀM RÕ|Cần làm rõ|待澄清|需澄清|需要澄清|待确认)\s*[:：]\s*([^\]]+)\]",
    )
    .expect("a pattern")
});
static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:(?:→|->|=>|⇒)\s*\**(?:(?:answer|trả lời|答案|答|A)\**\s*[:：])?\**|(?:^|\s|\*|\(|（)(?:answer|resolution|resolved|decision|decided|trả lời|đáp án|quyết định|答案|答复|答|回答|决定|结论)\**\s*[:：]\**|(?:^|[?？.。)）]\s*)A\s*[:：])\s*")
        .expect("a pattern")
});
/// A name is shorter; cut here and not in the pattern, whose counted repetitions would cost more than all the rest of it.
const OWNER_CHARS: usize = 60;
static OWNER: LazyLock<Regex> = LazyLock::new(|| {
    // A role that is only mentioned ("May a site owner see …") names nobody: the word wants a colon, or "by" and "to".
    Regex::new(r"(?i)(?:owner|assigned to|assignee|responsible|người phụ trách|phụ trách|负责人|责任人)\s*\**\s*[:：]\s*\**\s*([^,;.()（）。，；\n]+)|(?:\bowned by|\bassigned to)\s+([^,;.()（）。，；\n]+)|(?:^|\s|\()(@[\w.-]+)")
        .expect("a pattern")
});
/// The sign of a question outside its own section.
static QUESTION_MARK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\**Q\d{0,3}\**[:：]").expect("a pattern"));
static QUESTION_LEAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?i:q(?:uestion)?\s*\d*|câu hỏi\s*\d*|问题?\s*\d*|问)\s*[:：.)]\s*").expect("a pattern"));

/// All open questions in file order.
pub(super) fn find(scene: &Scene<'_>) -> Vec<OpenQuestion> {
    let mut found = Vec::new();
    from_lists(scene, &mut found);
    from_tables(scene, &mut found);
    let answers = from_paragraphs(scene, &mut found);
    from_headings(scene, &mut found);
    found.sort_by_key(|question| question.place.span.start);
    for (at, answer) in answers {
        let before = found.partition_point(|question| question.place.span.start < at);
        if let Some(question) = before.checked_sub(1).and_then(|index| found.get_mut(index)) {
            question.answer.get_or_insert(answer);
        }
    }
    from_markers(scene, &mut found);
    found.sort_by_key(|question| question.place.span.start);
    found
}

fn asks(scene: &Scene<'_>, byte: usize) -> bool {
    scene.zone_at(byte) == SectionKind::OpenQuestions
}

fn is_struck(scene: &Scene<'_>, span: Span) -> bool {
    let struck = &scene.blocks.struck;
    let until = struck.partition_point(|stretch| stretch.start < span.end);
    let from = struck.partition_point(|stretch| stretch.end <= span.start);
    struck[from.min(until)..until].iter().any(|stretch| stretch.overlap(span) * 2 > span.len())
}

/// Words that say there is no question.
fn is_none_word(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(
        bare.as_str(),
        "" | "none"
            | "n/a"
            | "na"
            | "nil"
            | "no open questions"
            | "none at this time"
            | "none so far"
            | "không"
            | "không có"
            | "chưa có"
            | "无"
            | "没有"
            | "暂无"
    )
}

/// Bytes of a match that still belong to the question: its question mark.
fn kept(matched: &str) -> usize {
    matched.chars().next().filter(|c| matches!(c, '?' | '？' | '.' | '。' | ')' | '）')).map_or(0, char::len_utf8)
}

/// Question, answer and owner of a text.
fn read(raw: &str) -> (String, Option<String>, Option<String>) {
    // Decomposed Vietnamese reads like composed one.
    let words: String = plain(raw).nfc().collect();
    let (question, answer) = match ANSWER.find(&words) {
        Some(at) if at.start() > 0 => {
            (words[..at.start() + kept(at.as_str())].to_owned(), Some(words[at.end()..].trim().to_owned()))
        }
        _ => (words.clone(), None),
    };
    let owner = OWNER
        .captures(&words)
        .and_then(|found| (1..=3).find_map(|group| found.get(group)))
        .map(|owner| owner.as_str().trim().chars().take(OWNER_CHARS).collect::<String>());
    let answer = answer.filter(|answer| !is_none_word(answer) && !is_pending(answer));
    let owner = owner.filter(|owner| !is_none_word(owner) && !is_pending(owner));
    let question = match OWNER.find(&question) {
        Some(at) => without_brackets(&question, at.start()),
        None => question,
    };
    let question = QUESTION_LEAD.replace(question.trim(), "").trim_end_matches(['(', '（', ' ', '-', '–', '—']).to_owned();
    (question, answer, owner)
}

/// A text without the brackets around a byte, where there are some.
fn without_brackets(text: &str, at: usize) -> String {
    let open = text[..at + text[at..].chars().next().map_or(0, char::len_utf8)].rfind(['(', '（']);
    let close = text[at..].find([')', '）']).map(|close| at + close);
    match (open, close) {
        (Some(open), Some(close)) if !text[open..close].contains([')', '）']) => {
            let end = close + text[close..].chars().next().map_or(0, char::len_utf8);
            format!("{}{}", text[..open].trim_end(), &text[end..])
        }
        _ => text.to_owned(),
    }
}

/// An answer that is none yet.
fn is_pending(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '?').to_lowercase();
    matches!(
        bare.as_str(),
        "tbd"
            | "tba"
            | "tbc"
            | "todo"
            | "pending"
            | "open"
            | "?"
            | "??"
            | "???"
            | "unknown"
            | "chưa rõ"
            | "chưa có"
            | "待定"
            | "待确认"
            | "未定"
            | "unassigned"
    )
}

fn from_lists(scene: &Scene<'_>, found: &mut Vec<OpenQuestion>) {
    for (index, item) in scene.blocks.items.iter().enumerate() {
        let nested = item.parent.is_some_and(|parent| asks(scene, scene.blocks.items[parent].span.start));
        if nested || item.head.is_empty() {
            continue;
        }
        let head = scene.slice(item.head);
        // `Q: …` asks wherever it stands, but for lists of questions and answers by turns.
        let asks = asks(scene, item.span.start)
            || (head.starts_with(['Q', '*']) && QUESTION_MARK.is_match(head) && !answered_next(scene.text, item.span.end));
        if !asks {
            continue;
        }
        if label(head).is_some_and(|label| label.kind == Some(SectionKind::OpenQuestions) && head[label.rest..].trim().is_empty())
        {
            continue;
        }
        let (mut text, mut answer, owner) = read(&scene.text[item.head.start..item.span.end]);
        // Nested items speak about the question: only the head is its words.
        if scene.blocks.items.get(index + 1).is_some_and(|next| next.parent == Some(index)) {
            text = read(head).0;
        }
        if is_none_word(&text) {
            continue;
        }
        if answer.is_none() && (item.task == Some(true) || is_struck(scene, item.head)) {
            answer = Some(String::new());
        }
        found.push(OpenQuestion { text, answer, owner, place: scene.place(item.span) });
    }
}

/// Whether the next line of text opens with `A:`.
fn answered_next(text: &str, end: usize) -> bool {
    let next = text[end..].trim_start().trim_start_matches(['-', '*', '+', ' ']);
    next.starts_with("A:") || next.starts_with("A：")
}

fn from_tables(scene: &Scene<'_>, found: &mut Vec<OpenQuestion>) {
    const QUESTIONS: &[&str] =
        &["question", "open question", "issue", "topic", "câu hỏi", "vấn đề", "nội dung", "问题", "待定问题", "frage", "事項"];
    const ANSWERS: &[&str] = &[
        "answer",
        "resolution",
        "decision",
        "outcome",
        "trả lời",
        "câu trả lời",
        "quyết định",
        "kết luận",
        "答案",
        "答复",
        "回答",
        "决定",
        "结论",
        "antwort",
    ];
    const OWNERS: &[&str] =
        &["owner", "assignee", "assigned to", "responsible", "người phụ trách", "phụ trách", "负责人", "责任人", "who"];
    const STATUS: &[&str] = &["status", "state", "trạng thái", "状态"];
    for (table, fact) in scene.blocks.tables.iter().zip(&scene.facts.tables).filter(|(table, _)| asks(scene, table.span.start)) {
        let cell = |row: &super::blocks::Row, at: Option<usize>| {
            at.and_then(|at| row.cells.get(at)).map(|cell| plain(scene.slice(*cell))).filter(|text| !text.is_empty())
        };
        let (answers, owners, status) = (fact.column(ANSWERS), fact.column(OWNERS), fact.column(STATUS));
        let questions = fact.column(QUESTIONS);
        for row in &table.rows {
            let first_text = || {
                row.cells.iter().position(|cell| {
                    let raw = plain(scene.slice(*cell));
                    raw.chars().any(char::is_alphabetic) && ids::any_id_at(&raw, 0).is_none_or(|id| id.end < raw.len())
                })
            };
            let Some(text) = cell(row, questions.or_else(first_text)).filter(|text| !is_none_word(text)) else { continue };
            let mut answer = cell(row, answers).filter(|text| !is_none_word(text) && !is_pending(text));
            let closed = cell(row, status).is_some_and(|status| {
                [
                    "resolved",
                    "closed",
                    "answered",
                    "done",
                    "decided",
                    "đã trả lời",
                    "đã xử lý",
                    "đã chốt",
                    "đóng",
                    "已解决",
                    "已关闭",
                    "已确认",
                    "已答复",
                ]
                .iter()
                .any(|word| status.to_lowercase().contains(word))
            });
            if answer.is_none() && (closed || is_struck(scene, row.span)) {
                answer = Some(String::new());
            }
            let owner = cell(row, owners).filter(|owner| !is_none_word(owner) && !is_pending(owner));
            found.push(OpenQuestion { text, answer, owner, place: scene.place(row.span) });
        }
    }
}

/// Paragraphs of a questions section that ask something. Returned: paragraphs that only answer, each with its place.
fn from_paragraphs(scene: &Scene<'_>, found: &mut Vec<OpenQuestion>) -> Vec<(usize, String)> {
    let mut answers = Vec::new();
    for paragraph in scene.blocks.paragraphs.iter().filter(|paragraph| !paragraph.in_item && !paragraph.in_quote) {
        if !asks(scene, paragraph.span.start) {
            continue;
        }
        let raw = scene.slice(paragraph.span);
        let begin = label(raw).filter(|label| label.kind == Some(SectionKind::OpenQuestions)).map_or(0, |label| label.rest);
        let span = trim(scene.text, Span::new(paragraph.span.start + begin, paragraph.span.end));
        let words: String = plain(scene.slice(span)).nfc().collect();
        if let Some(at) = ANSWER.find(&words).filter(|at| at.start() == 0) {
            answers.push((span.start, words[at.end()..].to_owned()));
            continue;
        }
        let (text, answer, owner) = read(scene.slice(span));
        if text.contains(['?', '？']) && !is_none_word(&text) {
            found.push(OpenQuestion { text, answer, owner, place: scene.place(span) });
        }
    }
    answers
}

/// `### Q1: …?` below a heading for questions: the text under it is its answer where it says so, and asks nothing itself.
fn from_headings(scene: &Scene<'_>, found: &mut Vec<OpenQuestion>) {
    let mut headed: Vec<OpenQuestion> = Vec::new();
    for section in scene.sections {
        let Some(parent) = section.parent else { continue };
        let place = section.place;
        let nested = headed.last().is_some_and(|outer| outer.place.span.contains(place.span));
        if nested || scene.sections[parent].kind != SectionKind::OpenQuestions || !section.title.contains(['?', '？']) {
            continue;
        }
        let (text, _, _) = read(&section.title);
        let (_, answer, owner) = read(scene.slice(place.span));
        headed.push(OpenQuestion { text, answer, owner, place });
    }
    found.retain(|question| {
        let before = headed.partition_point(|outer| outer.place.span.start <= question.place.span.start);
        before == 0 || !headed[before - 1].place.span.contains(question.place.span)
    });
    found.append(&mut headed);
}

/// Inline markers outside code, comments, quotes, checklists and lists of examples.
fn from_markers(scene: &Scene<'_>, found: &mut Vec<OpenQuestion>) {
    let examples = example_lists(scene);
    let mut marked = Vec::new();
    for (index, line) in scene.lines.iter().enumerate() {
        let kind_fits = matches!(line.kind, LineKind::Paragraph | LineKind::ListItem | LineKind::TableRow | LineKind::Heading);
        if !kind_fits || scene.zones[index] == SectionKind::Checklist {
            continue;
        }
        let raw = scene.slice(line.span);
        if !raw.contains('[') {
            continue;
        }
        for captures in MARKER.captures_iter(raw) {
            let (Some(whole), Some(question)) = (captures.get(0), captures.get(1)) else { continue };
            let span = Span::new(line.span.start + whole.start(), line.span.start + whole.end());
            let hidden = within(&scene.blocks.code, span).is_some() || within(&scene.blocks.comments, span).is_some();
            let before = found.partition_point(|known| known.place.span.start <= span.start);
            let listed = before > 0 && found[before - 1].place.span.contains(span);
            let example = scene.blocks.item_at(span.start).is_some_and(|item| examples.contains(&scene.blocks.items[item].list));
            if !(hidden || listed || example) {
                let text = question.as_str().trim().to_owned();
                marked.push(OpenQuestion { text, answer: None, owner: None, place: scene.place(span) });
            }
        }
    }
    found.append(&mut marked);
}

/// Lists that stand right under `*Example of marking unclear requirements:*`, nested ones included.
fn example_lists(scene: &Scene<'_>) -> HashSet<usize> {
    let mut examples = HashSet::new();
    let mut last = 0;
    for item in &scene.blocks.items {
        if item.list == last {
            continue;
        }
        last = item.list;
        let inside = item.parent.is_some_and(|parent| examples.contains(&scene.blocks.items[parent].list));
        if inside || is_example_lead(scene.text[..item.span.start].trim_end().rsplit('\n').next().unwrap_or("")) {
            examples.insert(item.list);
        }
    }
    examples
}

/// Whether a line leads in examples.
fn is_example_lead(line: &str) -> bool {
    let lower = line.to_lowercase();
    let says =
        ["example", "e.g.", "ví dụ", "示例", "例如", "例：", "beispiel", "ejemplo"].iter().any(|word| lower.contains(word));
    says && plain(line).ends_with([':', '：'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_named_with_a_colon_or_by_name_and_never_by_a_mere_mention() {
        for (text, owner) in [
            ("OQ-1: May a site owner see the name?", None),
            ("Who is responsible for refunds?", None),
            ("Ai phụ trách hoàn tiền?", None),
            ("How long? (owner: Lan)", Some("Lan")),
            ("How long? **Owner:** Finance team", Some("Finance team")),
            ("How long? assigned to Minh", Some("Minh")),
            ("Bao lâu? Người phụ trách: Lan", Some("Lan")),
            ("多久？负责人：财务部", Some("财务部")),
            ("How long? (@lan)", Some("@lan")),
        ] {
            assert_eq!(read(text).2.as_deref(), owner, "{text}");
            let decomposed: String = text.nfd().collect();
            assert_eq!(read(&decomposed).2.as_deref(), owner, "{text}, decomposed");
        }
    }
}
