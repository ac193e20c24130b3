//! Headings and bold lines that open a unit: `UC-01: …`, `User Story 2 - …`, `Requirement: Name`, `用户故事一：…`.

use super::ids::{self, Class};
use super::words::strip_lead;
use crate::model::outline::{ItemId, UnitKind};

/// What a heading says about the unit it opens.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnitHead {
    pub(super) kind: UnitKind,
    /// As written, or the name where there is no id.
    pub(super) id: String,
    /// What follows the id.
    pub(super) rest: String,
    /// The id it defines.
    pub(super) item: Option<ItemId>,
    /// The last id of a heading that stands for a range.
    pub(super) last: Option<ItemId>,
    /// Letters that name a unit only where the document uses them so (`AUTH-001`).
    pub(super) generic: bool,
}

/// Words before a number or name, by kind and family. Lower case; a language's plural never opens a unit.
#[rustfmt::skip]
const WORDS: &[(UnitKind, &str, &[&str])] = &[
    (UnitKind::UseCase, "USE CASE", &[
        "use case", "use-case", "usecase", "ca sử dụng", "trường hợp sử dụng", "anwendungsfall", "przypadek użycia", "caso de uso",
        "cas d'utilisation", "вариант использования", "用例", "ユースケース", "유스케이스",
    ]),
    (UnitKind::UserStory, "USER STORY", &[
        "user story", "câu chuyện người dùng", "historia de usuario", "história de usuário", "historyjka użytkownika",
        "пользовательская история", "用户故事", "用戶故事", "ユーザーストーリー", "사용자 스토리",
    ]),
    (UnitKind::UserStory, "STORY", &["story", "câu chuyện", "故事"]),
    (UnitKind::Requirement, "REQUIREMENT", &[
        "requirement", "yêu cầu", "anforderung", "requisito", "wymaganie", "требование", "需求", "要求", "요구사항",
    ]),
    (UnitKind::FeatureRequirement, "FEATURE", &["feature", "tính năng", "chức năng", "功能", "機能", "기능"]),
];

/// Marks between an id and what follows it.
pub(super) fn is_delimiter(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, ':' | '：' | '.' | ')' | ']' | '】' | '）' | '-' | '–' | '—' | '|' | '*' | '_' | '`' | '、' | '·' | '~')
}

/// Reads a heading's text, markup already removed.
pub(super) fn read(title: &str) -> Option<UnitHead> {
    let title = strip_lead(title).trim_start_matches(['[', '【', '(', '（', '<', '{', '/']);
    if let Some(found) = ids::any_id_at(title, 0) {
        return read_id(title, found);
    }
    let (kind, family, length) = opening_word(title)?;
    let rest = &title[length..];
    let blank = rest.trim_start_matches([' ', '\u{a0}', '\t']);
    // A word and an id: `Use case UC-01: Pay`, `用例：UC-01`. The word tells the kind where the letters do not.
    let named = blank.trim_start_matches([':', '：', '#']).trim_start();
    let after_word = named.len() < rest.len() || title[..length].ends_with(|c: char| !c.is_ascii());
    if after_word && let Some(found) = ids::any_id_at(named, 0) {
        let unknown = matches!(ids::class(&found.id), Class::Generic) && found.separated;
        if let Some(head) = read_id(named, found) {
            return Some(UnitHead { kind: if unknown { kind } else { head.kind }, generic: false, ..head });
        }
    }
    if let Some(name) = blank.strip_prefix([':', '：']) {
        let name = name.trim().to_owned();
        return (!name.is_empty()).then(|| UnitHead {
            kind,
            id: name.clone(),
            rest: name,
            item: None,
            last: None,
            generic: false,
        });
    }
    let at = blank.strip_prefix('#').map_or(blank, str::trim_start);
    let at = if at.len() == rest.len() { at.strip_prefix('-').unwrap_or(at) } else { at };
    // A Latin word and its number stand apart: `Story3` is a name.
    let apart = at.len() < rest.len() || title[..length].ends_with(|c: char| !c.is_ascii());
    let (digits, norm) = number_at(at).filter(|_| apart)?;
    let end = title.len() - at.len() + digits;
    let id = title[..end].to_owned();
    let item = ItemId { text: id.clone(), family: family.to_owned(), norm: format!("{family}-{norm}") };
    let rest = title[end..].trim_start_matches(is_delimiter).trim_end().to_owned();
    Some(UnitHead { kind, id, rest, item: Some(item), last: None, generic: false })
}

/// The unit word that opens a title, whatever its case, and its length in bytes.
fn opening_word(title: &str) -> Option<(UnitKind, &'static str, usize)> {
    for (kind, family, words) in WORDS {
        for word in *words {
            if let Some(length) = prefix_length(title, word) {
                return Some((*kind, family, length));
            }
        }
    }
    None
}

/// Bytes of a title that spell a word in lower case.
pub(super) fn prefix_length(title: &str, word: &str) -> Option<usize> {
    // A different first letter turns most words away.
    let (first, want) = (title.as_bytes().first()?, word.as_bytes().first()?);
    if first.is_ascii() && first.to_ascii_lowercase() != *want {
        return None;
    }
    let mut expected = word.chars();
    let mut length = 0;
    for c in title.chars() {
        let Some(want) = expected.clone().next() else { return Some(length) };
        let mut folded = c.to_lowercase();
        if folded.next() != Some(want) || folded.next().is_some() {
            return None;
        }
        expected.next();
        length += c.len_utf8();
    }
    expected.next().is_none().then_some(length)
}

/// The number that opens a text, `3.1`, `R.0`, `十二`: its length in bytes and its common form.
fn number_at(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let mut end = 0;
    if bytes.len() > 2 && bytes[0].is_ascii_uppercase() && bytes[1] == b'.' && bytes[2].is_ascii_digit() {
        end = 2;
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let first = digits(end);
    if first == 0 {
        let han: usize = text.chars().take_while(|c| NUMERALS.contains(*c)).map(char::len_utf8).sum();
        let follows = text[han..].chars().next();
        return (han > 0 && !follows.is_some_and(char::is_alphanumeric)).then(|| (han, number_norm(&text[..han])));
    }
    end += first;
    while bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let mut rest = text[end..].chars();
    if rest.next().is_some_and(|c| c.is_ascii_alphabetic()) && !rest.next().is_some_and(char::is_alphanumeric) {
        end += 1;
    }
    (!text[end..].starts_with(char::is_alphanumeric)).then(|| (end, number_norm(&text[..end])))
}

/// Numerals that count units in Chinese headings.
const NUMERALS: &str = "一二三四五六七八九十";

fn read_id(title: &str, found: ids::Found) -> Option<UnitHead> {
    let (kind, generic) = match ids::class(&found.id) {
        Class::UseCase => (UnitKind::UseCase, false),
        Class::Story => (UnitKind::UserStory, false),
        Class::Requirement => (UnitKind::Requirement, false),
        Class::Feature => (UnitKind::FeatureRequirement, false),
        Class::Generic if found.separated => (UnitKind::FeatureRequirement, true),
        _ => return None,
    };
    let mut end = found.end;
    let mut last = None;
    if let Some((range_end, id)) = super::references::range_after(title, &found) {
        end = range_end;
        last = Some(id);
    }
    let rest = title[end..].trim_start_matches(is_delimiter).trim_end().to_owned();
    Some(UnitHead { kind, id: title[..end].to_owned(), rest, item: Some(found.id), last, generic })
}

/// `3.01` to `3.1`, `R.0` to `R.0`, `十二` to `12`.
fn number_norm(number: &str) -> String {
    if number.starts_with(|c: char| c.is_ascii()) {
        let trimmed: Vec<&str> = number
            .split('.')
            .map(|part| match part.trim_start_matches('0') {
                "" => "0",
                rest => rest,
            })
            .collect();
        return trimmed.join(".").to_uppercase();
    }
    let digit = |c: char| "一二三四五六七八九".chars().position(|d| d == c).map_or(0, |at| at + 1);
    let value = match number.split_once('十') {
        Some((tens, ones)) => tens.chars().next().map_or(1, digit) * 10 + ones.chars().next().map_or(0, digit),
        None => number.chars().fold(0, |value, c| value * 10 % 1_000_000 + digit(c)),
    };
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_seen_in_documents_open_units() {
        use UnitKind::*;
        for (title, kind, id, rest) in [
            ("UC-01: File a refund", UseCase, "UC-01", "File a refund"),
            ("3.1 UC-1.1 Login", UseCase, "UC-1.1", "Login"),
            ("✅ UC-PUB-001 — Browse", UseCase, "UC-PUB-001", "Browse"),
            ("Use Case 3", UseCase, "Use Case 3", ""),
            ("Use Case 1:", UseCase, "Use Case 1", ""),
            ("Use case: Delete a person", UseCase, "Delete a person", "Delete a person"),
            ("Ca sử dụng 2: Đăng nhập", UseCase, "Ca sử dụng 2", "Đăng nhập"),
            ("用例一：登录", UseCase, "用例一", "登录"),
            ("User Story 1 - Sell (Priority: P1)", UserStory, "User Story 1", "Sell (Priority: P1)"),
            ("Story 3.1: Export", UserStory, "Story 3.1", "Export"),
            ("Story R.0", UserStory, "Story R.0", ""),
            ("US-009: Reset", UserStory, "US-009", "Reset"),
            ("HU-02 Registrar", UserStory, "HU-02", "Registrar"),
            ("故事一：设计阶段", UserStory, "故事一", "设计阶段"),
            ("用户故事 12：导出", UserStory, "用户故事 12", "导出"),
            ("Requirement 1: Feeds", Requirement, "Requirement 1", "Feeds"),
            ("Requirement: Archive Process", Requirement, "Archive Process", "Archive Process"),
            ("Yêu cầu 4: Xuất tệp", Requirement, "Yêu cầu 4", "Xuất tệp"),
            ("FR-PO-006A: Round", FeatureRequirement, "FR-PO-006A", "Round"),
            ("FR1: Store", FeatureRequirement, "FR1", "Store"),
            ("Feature 2 – Search", FeatureRequirement, "Feature 2", "Search"),
            ("Use case UC-01: Pay", UseCase, "UC-01", "Pay"),
            ("Use Case: UC-01 – Pay", UseCase, "UC-01", "Pay"),
            ("Ca sử dụng UC-01: Trả tiền", UseCase, "UC-01", "Trả tiền"),
            ("Trường hợp sử dụng UC13: Trả tiền", UseCase, "UC13", "Trả tiền"),
            ("用例 UC-01：付款", UseCase, "UC-01", "付款"),
            ("用例UC-01：付款", UseCase, "UC-01", "付款"),
            ("User story US-01: Pay", UserStory, "US-01", "Pay"),
            ("Requirement FR-1: Pay", FeatureRequirement, "FR-1", "Pay"),
            ("Requirement AUTH-1: Log in", Requirement, "AUTH-1", "Log in"),
        ] {
            let head = read(title).unwrap_or_else(|| panic!("{title}"));
            assert_eq!((head.kind, head.id.as_str(), head.rest.as_str()), (kind, id, rest), "{title}");
            assert!(!head.generic, "{title}");
        }
    }

    #[test]
    fn other_headings_open_none() {
        for title in [
            "UC-PR: Purchase Requests Use Cases",
            "Feature Specification: Point of Sale",
            "Requirement Completeness",
            "Use Cases",
            "User Stories",
            "Primary User Story",
            "Requirements 3",
            "NFR-01: Speed",
            "BR-01: Window",
            "AC-1: Shown",
            "Scenario: Direct selection",
            "Story points",
            "Requirement NFR-01: Speed",
        ] {
            assert_eq!(read(title), None, "{title}");
        }
    }

    #[test]
    fn a_heading_may_stand_for_a_range() {
        let head = read("UC-MGR-008 đến UC-MGR-024: Quản lý").expect("a unit");
        assert_eq!(head.id, "UC-MGR-008 đến UC-MGR-024");
        assert_eq!(head.last.expect("a last id").norm, "UC-MGR-24");
    }

    #[test]
    fn numbers_in_words_count() {
        assert_eq!(number_norm("十二"), "12");
        assert_eq!(number_norm("二十"), "20");
        assert_eq!(number_norm("3.01"), "3.1");
    }
}
