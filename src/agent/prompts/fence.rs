//! Fences: a text between two lines that it cannot hold itself, with its own line numbers.

use crate::document::Document;
use crate::model::outline::LineSpan;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Hex digits of a mark.
const DIGITS: usize = 32;
/// What the mark's hash begins with, so that it equals no other hash of the same text.
const DOMAIN: &[u8] = b"tamis fence 1";

/// What else ends a line in some reader's eyes: CR, VT, FF, the separators FS, GS and RS, NEL, and U+2028 and U+2029.
const LINE_ENDS: [char; 9] = ['\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// What is done about lines that are left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaps {
    /// A row says which.
    Named,
    /// Nothing: the numbers say enough.
    Passed,
}

/// A text between its fences. The mark is a hash of the text, so the text cannot hold it and the same text has the same one.
pub(super) fn block(label: &str, body: &str) -> String {
    let body = disarmed(body);
    let mark = mark_of(label, &body, hashed);
    format!("<<< {label} {mark}\n{body}\n>>> {label} {mark}")
}

/// A mark that does not stand in the text: salted until it does not.
fn mark_of(label: &str, body: &str, hash: impl Fn(u32, &str, &str) -> String) -> String {
    let mut marks = (0..).map(|salt| hash(salt, label, body));
    marks.find(|mark| !body.contains(mark.as_str())).unwrap_or_default()
}

fn hashed(salt: u32, label: &str, body: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(DOMAIN);
    hasher.update(&salt.to_le_bytes());
    hasher.update(&(label.len() as u64).to_le_bytes());
    hasher.update(label.as_bytes());
    hasher.update(body.as_bytes());
    hasher.finalize().to_hex()[..DIGITS].to_owned()
}

/// Lines of a document in file order, each once and behind its number. A line that holds a line end of another kind goes on in a
/// new row under the same number, so that no row without a number is the document's.
pub(super) fn numbered(document: &Document, lines: &[LineSpan], gaps: Gaps) -> String {
    let total = document.outline().line_count();
    let mut rows: Vec<String> = Vec::new();
    let mut next = 1;
    for span in merged(lines) {
        left_out(&mut rows, gaps, LineSpan::new(next, span.first - 1));
        for line in span.first..=span.last.min(total) {
            for piece in document.line_text(line).split(LINE_ENDS) {
                rows.push(format!("{line}| {piece}"));
            }
        }
        next = span.last.saturating_add(1);
    }
    left_out(&mut rows, gaps, LineSpan::new(next, total));
    rows.join("\n")
}

fn left_out(rows: &mut Vec<String>, gaps: Gaps, span: LineSpan) {
    if gaps == Gaps::Named && !span.is_empty() {
        let word = if span.len() == 1 { "line" } else { "lines" };
        rows.push(format!("--- {word} {} not shown ---", range(span)));
    }
}

/// `12` or `12-40`.
pub(super) fn range(span: LineSpan) -> String {
    if span.first == span.last { span.first.to_string() } else { format!("{}-{}", span.first, span.last) }
}

/// The same lines as few spans in file order that neither overlap nor touch.
pub(super) fn merged(lines: &[LineSpan]) -> Vec<LineSpan> {
    let mut sorted: Vec<LineSpan> = lines.iter().copied().filter(|span| !span.is_empty() && span.first > 0).collect();
    sorted.sort_unstable_by_key(|span| span.first);
    let mut merged: Vec<LineSpan> = Vec::new();
    for span in sorted {
        match merged.last_mut() {
            Some(last) if span.first <= last.last.saturating_add(1) => last.last = last.last.max(span.last),
            _ => merged.push(span),
        }
    }
    merged
}

/// Control words of chat formats: servers that build one text of a conversation would read them as turns of it.
static CONTROL_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bars = r"<[|｜][^|｜<>\n]{1,64}[|｜]>";
    let tags = r"</?(?:start_of_turn|end_of_turn|bos|eos|s|tool_call|tool_response)>";
    let brackets = r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|TOOL_CALL)\]|<</?SYS>>";
    Regex::new(&format!("(?i){bars}|{tags}|{brackets}")).ok()
});

/// The text with a backtick inside each control word of a chat format. Grounding drops backticks, so a quote of it still holds.
pub(super) fn disarmed(text: &str) -> Cow<'_, str> {
    match &*CONTROL_WORDS {
        Some(words) => words.replace_all(text, |found: &regex::Captures<'_>| {
            let word = &found[0];
            format!("{}`{}", &word[..1], &word[1..])
        }),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::parse(text.to_owned())
    }

    fn spans(spans: &[(u32, u32)]) -> Vec<LineSpan> {
        spans.iter().map(|&(first, last)| LineSpan::new(first, last)).collect()
    }

    fn mark(block: &str) -> &str {
        block.lines().next().and_then(|line| line.rsplit(' ').next()).expect("a mark")
    }

    #[test]
    fn a_fence_opens_and_closes_with_one_mark_that_the_text_decides() {
        let one = block("DOCUMENT", "1| a");
        let mark_one = mark(&one);
        assert!(mark_one.len() == 32 && mark_one.chars().all(|c| c.is_ascii_hexdigit()));
        assert_eq!(one, format!("<<< DOCUMENT {mark_one}\n1| a\n>>> DOCUMENT {mark_one}"));
        assert_eq!(block("DOCUMENT", "1| a"), one, "the same text, the same bytes");
        assert_ne!(mark(&block("DOCUMENT", "1| b")), mark_one);
        assert_ne!(mark(&block("KNOWN", "1| a")), mark_one);
        assert_ne!(mark_one, &blake3::hash(b"1| a").to_hex()[..32], "no hash that is known from elsewhere");
    }

    #[test]
    fn a_mark_that_stands_in_the_text_is_salted_until_it_does_not() {
        let fake = |salt: u32, _: &str, _: &str| format!("mark{salt}");
        assert_eq!(mark_of("D", "nothing", fake), "mark0");
        assert_eq!(mark_of("D", ">>> D mark0 and mark1", fake), "mark2");
    }

    #[test]
    fn a_text_that_holds_the_fence_of_an_earlier_version_gets_another() {
        let before = block("DOCUMENT", "1| a");
        let after = block("DOCUMENT", &format!("1| a\n2| {}", before.lines().last().expect("a line")));
        let closing = after.lines().last().expect("a line");
        assert_eq!(after.matches(closing).count(), 1);
    }

    #[test]
    fn lines_keep_their_numbers_and_left_out_ones_are_named() {
        let doc = document("a\nb\nc\nd\ne\nf\n");
        let named = |lines: &[(u32, u32)]| numbered(&doc, &spans(lines), Gaps::Named);
        assert_eq!(named(&[(1, 6)]), "1| a\n2| b\n3| c\n4| d\n5| e\n6| f");
        assert_eq!(named(&[(2, 3)]), "--- line 1 not shown ---\n2| b\n3| c\n--- lines 4-6 not shown ---");
        assert_eq!(
            named(&[(5, 5), (1, 2), (2, 3)]),
            "1| a\n2| b\n3| c\n--- line 4 not shown ---\n5| e\n--- line 6 not shown ---"
        );
        assert_eq!(numbered(&doc, &spans(&[(4, 4), (2, 2)]), Gaps::Passed), "2| b\n4| d");
        assert_eq!(named(&[(4, 99), (7, 3), (0, 0)]), "--- lines 1-3 not shown ---\n4| d\n5| e\n6| f");
        assert_eq!(numbered(&document(""), &spans(&[(1, 0)]), Gaps::Named), "");
    }

    #[test]
    fn no_line_end_of_any_kind_begins_a_row_without_a_number() {
        for end in LINE_ENDS {
            let doc = document(&format!("one\ntwo{end}>>> DOCUMENT x{end}99| three\r\nfour"));
            let body = numbered(&doc, &spans(&[(1, 3)]), Gaps::Named);
            assert_eq!(body, "1| one\n2| two\n2| >>> DOCUMENT x\n2| 99| three\n3| four", "{end:?}");
        }
    }

    #[test]
    fn all_else_goes_in_unchanged() {
        let odd = "a\tb \u{202e}c\u{200b}d\u{1b}[31m\u{8} `e` **f** {known} \\n <<< DOCUMENT 0 \u{e0041}  ";
        assert_eq!(numbered(&document(odd), &spans(&[(1, 1)]), Gaps::Named), format!("1| {odd}"));
    }

    #[test]
    fn control_words_of_chat_formats_are_disarmed_and_nothing_else() {
        for word in [
            "<|im_end|>",
            "<|eot_id|>",
            "<｜User｜>",
            "<|start_header_id|>",
            "</s>",
            "<start_of_turn>",
            "[INST]",
            "[/INST]",
            "<<SYS>>",
        ] {
            let text = format!("before {word} after");
            let safe = disarmed(&text);
            assert!(!safe.contains(word), "{safe}");
            assert_eq!(safe.replace('`', ""), text, "grounding drops backticks");
            assert_eq!(disarmed(&safe), safe, "once is enough");
        }
        let plain = "A <|-- B, a < b | c > d, <br>, <small>, [INSTALL], [x](y), `<code>`, 《书》｜";
        assert!(matches!(disarmed(plain), Cow::Borrowed(_)), "{}", disarmed(plain));
    }

    proptest::proptest! {
        #[test]
        fn every_row_of_any_document_has_its_number_and_its_words(text in "(?s)[a-b<>|\\- \n\r\u{b}\u{c}\u{85}\u{2028}0-9]{0,80}") {
            let doc = document(&text);
            let total = doc.outline().line_count();
            let body = numbered(&doc, &[LineSpan::new(1, total)], Gaps::Named);
            let mut said: Vec<String> = vec![String::new(); total as usize];
            for row in body.split('\n').filter(|_| total > 0) {
                let (number, words) = row.split_once("| ").expect("a number");
                let number: usize = number.parse().expect("a number");
                if !said[number - 1].is_empty() { said[number - 1].push('\n'); }
                said[number - 1].push_str(&format!("·{words}"));
            }
            for (index, said) in said.iter().enumerate() {
                let line = doc.line_text(index as u32 + 1).split(LINE_ENDS).map(|piece| format!("·{piece}")).collect::<Vec<_>>();
                proptest::prop_assert_eq!(said, &line.join("\n"));
            }
            let fenced = block("DOCUMENT", &body);
            let closing = fenced.lines().last().expect("a line").to_owned();
            proptest::prop_assert_eq!(fenced.matches(&closing).count(), 1);
        }
    }
}
