//! Section words: what a heading, bold label or table label says about the text under it, in every known language.

use crate::model::outline::SectionKind::{self, *};
use aho_corasick::{AhoCorasick, MatchKind};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The words, one block a kind; behind `[cjk]` those that are matched anywhere in a heading.
const DATA: &str = include_str!("section_words.txt");

struct Words {
    exact: HashMap<&'static str, SectionKind>,
    cjk: Vec<(&'static str, SectionKind)>,
    /// Finds the words of `cjk`, the longest of those that start at one place.
    search: AhoCorasick,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let (mut exact, mut cjk_words) = (HashMap::new(), Vec::new());
    let (mut kind, mut cjk) = (Other, false);
    for line in DATA.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            cjk |= name == "cjk";
            kind = kind_named(name);
            continue;
        }
        for word in line.split(';').map(str::trim).filter(|word| !word.is_empty()) {
            if cjk {
                cjk_words.push((word, kind));
                exact.entry(word).or_insert(kind);
            } else {
                exact.entry(word).or_insert(kind);
            }
        }
    }
    let search = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(cjk_words.iter().map(|(word, _)| word))
        .expect("a few hundred words");
    Words { exact, cjk: cjk_words, search }
});

/// The kind of a block's name in the data.
fn kind_named(name: &str) -> SectionKind {
    match name {
        "acceptance" => Acceptance,
        "business_rules" => BusinessRules,
        "non_functional" => NonFunctional,
        "main_flow" => MainFlow,
        "error_flow" => ErrorFlow,
        "precondition" => Precondition,
        "postcondition" => Postcondition,
        "in_scope" => InScope,
        "out_of_scope" => OutOfScope,
        "scope" => Scope,
        "glossary" => Glossary,
        "actors" => Actors,
        "states" => States,
        "open_questions" => OpenQuestions,
        "success_metrics" => SuccessMetrics,
        "problem" => Problem,
        "assumptions" => Assumptions,
        "changelog" => Changelog,
        "toc" => Toc,
        "checklist" => Checklist,
        _ => Other,
    }
}

/// Lower case, NFC, without markup marks, numbering, symbols and closing colon, white space folded: the form headings are
/// compared in.
pub(super) fn fold(title: &str) -> String {
    let composed: Cow<'_, str> =
        if title.is_ascii() || is_nfc(title) { Cow::Borrowed(title) } else { Cow::Owned(title.nfc().collect()) };
    let mut lower = String::with_capacity(composed.len());
    for c in composed.chars() {
        match c {
            '*' | '`' | '~' => {}
            c if c.is_ascii() => {
                let c = if c.is_ascii_whitespace() { ' ' } else { c.to_ascii_lowercase() };
                if !(c == ' ' && lower.ends_with(' ')) {
                    lower.push(c);
                }
            }
            c => lower.extend(c.to_lowercase()),
        }
    }
    let rest = strip_lead(&lower);
    rest.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '.' | '。')).to_owned()
}

/// A title without numbering (`3.`, `1.2`, `一、`, `Phần 3:`), symbols and emoji in front of it.
pub(super) fn strip_lead(title: &str) -> &str {
    let mut rest = title;
    for _ in 0..4 {
        let before = rest.len();
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '{' | '[' | '<' | '/' | '"' | '“' | '「'));
        rest = strip_number(rest);
        if rest.len() == before {
            break;
        }
    }
    rest
}

/// Removes one numbering, if what is left still holds a word.
fn strip_number(title: &str) -> &str {
    let digits = title.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if digits.len() < title.len() && title.starts_with(|c: char| c.is_ascii_digit()) {
        let rest = digits.trim_start_matches([')', '、', '．', '）']);
        // `3 states` and `2. Scope`, but neither `2FA` nor `3D`.
        if rest.starts_with(char::is_whitespace)
            || rest.len() < digits.len()
            || title[..title.len() - digits.len()].ends_with('.')
        {
            return rest.trim_start();
        }
        if rest.starts_with(super::lang::is_han) {
            return rest;
        }
        return title;
    }
    let numerals = title.trim_start_matches(|c| "一二三四五六七八九十".contains(c));
    if numerals.len() < title.len()
        && let Some(rest) = numerals.strip_prefix(['、', '．', '.'])
    {
        return rest.trim_start();
    }
    for lead in ["appendix", "phần", "chương", "phụ lục", "section", "chapter", "part", "anhang"] {
        if let Some(rest) = title.strip_prefix(lead)
            && rest.starts_with([' ', ':'])
        {
            let number_end = rest.trim_start().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.');
            let named = rest.strip_prefix(':').or_else(|| number_end.strip_prefix([':', '.', '-', '–']));
            if let Some(named) = named
                && !named.trim().is_empty()
            {
                return named.trim_start();
            }
        }
    }
    title
}

/// What a heading or label says; `None` when no known word stands in it. `Some(Other)` is a known word of no own kind.
pub(super) fn kind_of(title: &str) -> Option<SectionKind> {
    let folded = fold(title);
    if folded.is_empty() || folded.len() > 200 {
        return None;
    }
    if let Some(&kind) = WORDS.exact.get(folded.as_str()) {
        return Some(kind);
    }
    if folded.ends_with("checklist") || folded.ends_with("checklists") {
        return Some(Checklist);
    }
    let mut seen: Vec<SectionKind> = Vec::new();
    let parts = parts(&folded);
    // A title of many parts is a sentence: only whole parts count in it.
    let loose = parts.len() <= 2 && folded.bytes().filter(|b| *b == b' ').count() <= MOST_BLANKS;
    for part in &parts {
        if let Some(kind) = kind_of_part(part, loose)
            && !seen.contains(&kind)
        {
            seen.push(kind);
        }
    }
    // `対象範囲（Out）`
    if seen == [Scope]
        && let Some(side) = parts.iter().find_map(|part| match *part {
            "in" => Some(InScope),
            "out" => Some(OutOfScope),
            _ => None,
        })
    {
        return Some(side);
    }
    let both = seen.contains(&OutOfScope) && seen.iter().any(|kind| matches!(kind, InScope | Scope | Problem));
    if both && !matches!(seen[..], [Scope, OutOfScope] if folded.contains(['(', '（'])) {
        return Some(Scope);
    }
    // `2.1 本期范围（In Scope）`: the narrower word tells.
    seen.iter().copied().find(|kind| matches!(kind, InScope | OutOfScope)).or(seen.first().copied())
}

/// Signs and words between the parts of a title.
const PART_SIGNS: &[char] = &['(', ')', '（', '）', ':', '：', '/', '&', ',', '、', '—', '–', '|', '·', ';', '与', '和', '及'];
const PART_WORDS: &[&str] = &[" - ", " and ", " và ", " und ", " y "];

/// The parts of a title that may each be a section word.
fn parts(folded: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in folded.split(PART_SIGNS) {
        let mut rest = piece;
        while let Some((at, word)) = PART_WORDS.iter().filter_map(|word| rest.find(word).map(|at| (at, word))).min() {
            parts.push(rest[..at].trim());
            rest = &rest[at + word.len()..];
        }
        parts.push(rest.trim());
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Words before a Chinese or Japanese section word that say it is about the document itself.
const OF_DOCUMENT: &[&str] =
    &["文档", "文件", "本文档", "文档的", "版本", "需求", "prd", "prd ", "附录", "附录 ", "评审", "需求评审"];

/// Most blanks of a title in which a part of a part may tell.
const MOST_BLANKS: usize = 8;

fn kind_of_part(part: &str, loose: bool) -> Option<SectionKind> {
    if let Some(&kind) = WORDS.exact.get(part) {
        return Some(kind);
    }
    if part.chars().any(|c| super::lang::is_han(c) || matches!(c, '\u{3041}'..='\u{30ff}')) {
        // A long heading that mentions a word is no section of that kind; a short word needs the heading nearly to itself.
        let length = part.chars().count();
        let room = |word: usize| if word <= 2 { 2 } else { 8 };
        let found = WORDS.search.find_iter(part).map(|hit| WORDS.cjk[hit.pattern().as_usize()]);
        // What closes a section to every rule must be all it says: `商品目录` and `变更记录查询` are features.
        let own = |word: &str| part == word || OF_DOCUMENT.iter().any(|of| part.strip_prefix(of) == Some(word));
        let found = found.filter(|(word, kind)| !matches!(kind, Toc | Changelog | Checklist) || own(word));
        let fitting = found.map(|(word, kind)| (word.chars().count(), kind)).filter(|(word, _)| length <= word + room(*word));
        // Of two words the longer tells, of two of one length the first.
        return fitting.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, kind)| kind);
    }
    if !loose {
        return None;
    }
    // `Product scope`, `Acceptance criteria of the export`: up to three more words on one side.
    let fits = |words: &str| WORDS.exact.get(words).copied().filter(|kind| suits_as_part(words, *kind));
    let tails = part.match_indices(' ').take(3).find_map(|(at, _)| fits(&part[at + 1..]));
    tails.or_else(|| {
        part.match_indices(' ').find_map(|(at, _)| {
            let next = part[at + 1..].split(' ').next().unwrap_or("");
            let follows = matches!(next, "of" | "for" | "của" | "cho" | "für" | "1" | "1a" | "v1");
            follows.then(|| fits(&part[..at])).flatten()
        })
    })
}

/// Words that say that a section or table lists requirements.
#[rustfmt::skip]
const REQUIREMENT_WORDS: &[&str] = &[
    "requirement", "feature", "functional", "capabilit", "user stor", "use case", "yêu cầu", "chức năng", "tính năng", "需求", "功能",
    "用户故事", "用例", "anforderung", "funktion", "requisito", "требован", "要件", "機能", "요구", "기능", "wymagani",
];

/// Words that say that it lists something else.
const RISK_WORDS: &[&str] = &["risk", "rủi ro", "风险", "question"];

/// Whether a heading path or table head, in lower case, speaks of requirements.
pub(super) fn says_requirement(lower: &str) -> bool {
    REQUIREMENT_WORDS.iter().any(|word| lower.contains(word))
}

/// Whether it speaks of risks or questions.
pub(super) fn says_risk(lower: &str) -> bool {
    RISK_WORDS.iter().any(|word| lower.contains(word))
}

/// Words that mean their kind only when they are the whole heading: `Scope` names one in `MVP Scope` too, `Rules` does not in
/// `Auto-Staking Rules`.
#[rustfmt::skip]
const WHOLE_ONLY: &[&str] = &[
    "questions", "clarification", "history", "changes", "revisions", "steps", "rules", "policies", "metrics", "objective",
    "objectives", "goal", "goals", "purpose", "context", "problem", "the problem", "users", "actor", "roles", "terms", "contents",
    "definitions", "acceptance", "scenarios", "extensions", "exceptions", "guidelines", "included", "excluded", "states",
    "vocabulary", "câu hỏi", "quy tắc", "mục tiêu", "mục đích", "người dùng", "vai trò", "bao gồm", "chỉ số", "phụ thuộc",
    "ziele", "zweck", "usuarios", "пользователи", "роли", "문제", "목표", "사용자", "역할", "가정", "제약", "alternatives",
];

/// Whether a word still means its kind with other words before or behind it.
fn suits_as_part(word: &str, kind: SectionKind) -> bool {
    !matches!(kind, Toc | Changelog | MainFlow) && !WHOLE_ONLY.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_with_numbers_emoji_and_markup_are_read() {
        for (title, kind) in [
            ("3. Scope", Scope),
            ("## 🔴 Scope", Scope),
            ("6.2 Out of Scope for MVP", OutOfScope),
            ("User Scenarios & Testing *(mandatory)*", Other),
            ("Success Criteria *(mandatory)*", SuccessMetrics),
            ("5. Non-Goals (Explicit)", OutOfScope),
            ("Goals and Non-Goals", Scope),
            ("Review & Acceptance Checklist", Checklist),
            ("2.1 本期范围（In Scope）", InScope),
            ("2.2 明确不做（Out of Scope / Non-goals）", OutOfScope),
            ("7. 产品边界与非目标", Scope),
            ("10. 验收标准（可执行、可验证）", Acceptance),
            ("受入条件（Given/When/Then）", Acceptance),
            ("対象範囲（Out）", OutOfScope),
            ("Tiêu chí chấp nhận", Acceptance),
            ("II. Ngoài phạm vi", OutOfScope),
            ("Phần 3: Thuật ngữ", Glossary),
            ("4. Abnahmekriterien", Acceptance),
            ("Sonderfall 1a: Ausnahme 1", ErrorFlow),
            ("Scenariusz główny", MainFlow),
            ("Warunki wstępne", Precondition),
            ("제외 범위", OutOfScope),
            ("용어 정의", Glossary),
            ("Границы", Scope),
            ("Dependencies and Constraints", Assumptions),
            ("Unresolved questions", OpenQuestions),
            ("Appendix A: Glossary", Glossary),
            ("Product scope", Scope),
            ("**Acceptance Criteria:**", Acceptance),
            ("Lịch sử thay đổi", Changelog),
            ("目录", Toc),
            ("目次", Toc),
            ("Mục lục", Toc),
            ("Table of contents", Toc),
            ("1. 变更记录", Changelog),
            ("文档变更记录", Changelog),
        ] {
            assert_eq!(kind_of(title).unwrap_or(Other), kind, "{title}");
        }
    }

    #[test]
    fn headings_that_only_mention_a_word_are_of_no_kind() {
        for title in [
            "Scope discovery",
            "Project Structure",
            "Help Tab Structure",
            "Caveat: Problem Report Loops",
            "Introduction",
            "2FA login",
            "商品目录",
            "工作目录（cwd）",
            "变更记录查询",
        ] {
            assert_eq!(kind_of(title), None, "{title}");
        }
    }

    #[test]
    fn every_word_is_in_folded_form() {
        for word in WORDS.exact.keys().chain(WORDS.cjk.iter().map(|(word, _)| word)) {
            assert_eq!(*word, fold(word), "{word}");
        }
    }

    #[test]
    fn every_block_of_the_data_names_a_kind() {
        let names = DATA.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
        for name in names.filter(|name| !matches!(*name, "other" | "cjk")) {
            assert_ne!(kind_named(name), Other, "{name}");
        }
    }
}
