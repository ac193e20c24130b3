//! Ids and numbers that a text cites. Documents define ids in many spellings; here two spellings of one id
//! become one word, so that findings can be compared by what they cite.

use std::collections::BTreeSet;

/// An id cited in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cite {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// The form two spellings share: `UC-1` for `UC-01`, `UC_1`, `uc 1`; `BR-KSP-19`; `NFR-1.2`.
    pub norm: String,
}

/// Families that may stand in lower case or with a blank before the number (`uc 3`).
const FAMILIES: [&str; 12] = ["UC", "BR", "AC", "FR", "NFR", "US", "REQ", "SC", "TC", "RULE", "EP", "NFREQ"];

/// Words that name a kind of unit, with the family they stand for; longest first where one begins another.
const SPOKEN: [(&str, &str); 14] = [
    ("user story", "USER STORY"),
    ("story", "USER STORY"),
    ("use case", "UC"),
    ("requirement", "REQUIREMENT"),
    ("feature", "FEATURE"),
    ("ca sử dụng", "UC"),
    ("câu chuyện người dùng", "USER STORY"),
    ("yêu cầu", "REQUIREMENT"),
    ("tính năng", "FEATURE"),
    ("用户故事", "USER STORY"),
    ("用例", "UC"),
    ("需求", "REQUIREMENT"),
    ("功能", "FEATURE"),
    ("特性", "FEATURE"),
];

/// Letters of one segment at most; longer words are words.
const MAX_SEGMENT: usize = 12;
/// Digits of one number at most; longer ones are no ids.
const MAX_DIGITS: usize = 9;

/// Every id cited, in order of appearance.
pub fn cites(text: &str) -> Vec<Cite> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    // An id ends in a number: after the last digit there is none.
    let end = bytes.iter().rposition(u8::is_ascii_digit).unwrap_or(0);
    while at < end {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() && starts_word(bytes, at) {
            if let Some(cite) = coded(text, at) {
                at = cite.end;
                found.push(cite);
                continue;
            }
            if let Some(cite) = spoken(text, at) {
                at = cite.end;
                found.push(cite);
                continue;
            }
            while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
                at += 1;
            }
            continue;
        }
        // Words outside ASCII: only the first bytes that open one of the spoken names.
        if matches!(byte, 0xe7 | 0xe9 | 0xe5)
            && text.is_char_boundary(at)
            && let Some(cite) = spoken(text, at)
        {
            at = cite.end;
            found.push(cite);
            continue;
        }
        at += 1;
    }
    found
}

/// The ids cited, each once, in their shared form.
pub fn ids(text: &str) -> BTreeSet<String> {
    cites(text).into_iter().map(|cite| cite.norm).collect()
}

/// The shared form of a text that is one id and nothing else.
pub fn whole_id(text: &str) -> Option<String> {
    let text = text.trim();
    match cites(text).as_slice() {
        [one] if one.start == 0 && one.end == text.len() => Some(one.norm.clone()),
        _ => None,
    }
}

/// The text with every id blanked out, so that digits inside ids are no numbers and ids no words.
pub fn without_ids(text: &str, cites: &[Cite]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for cite in cites {
        rest.push_str(&text[from..cite.start]);
        rest.push(' ');
        from = cite.end;
    }
    rest.push_str(&text[from..]);
    rest
}

/// Numbers of a text without ids, as written but for leading zeros, a percent sign kept: `14`, `3.5`, `99.9%`.
pub fn numbers(text_without_ids: &str) -> BTreeSet<String> {
    let bytes = text_without_ids.as_bytes();
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || (is_point(bytes[at]) && digit_at(bytes, at + 1))) {
            at += 1;
        }
        if start > 0 && bytes[start - 1].is_ascii_alphabetic() {
            continue;
        }
        let mut number = text_without_ids[start..at].trim_start_matches('0').to_owned();
        if number.is_empty() || number.starts_with(is_point_char) {
            number.insert(0, '0');
        }
        if bytes.get(at) == Some(&b'%') {
            number.push('%');
        }
        found.insert(number);
    }
    found
}

fn is_point(byte: u8) -> bool {
    matches!(byte, b'.' | b',')
}

fn is_point_char(c: char) -> bool {
    matches!(c, '.' | ',')
}

fn digit_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'_' | b'-'))
}

/// `UC-01`, `BR-KSP-19`, `FR8`, `UC 3`, `NFR-1.2`, `AC-1a`.
fn coded(text: &str, start: usize) -> Option<Cite> {
    let bytes = text.as_bytes();
    let mut family = String::new();
    let mut at = start;
    loop {
        let segment = at;
        while at < bytes.len() && bytes[at].is_ascii_alphabetic() && at - segment <= MAX_SEGMENT {
            at += 1;
        }
        let letters = &text[segment..at];
        if letters.is_empty() || letters.len() > MAX_SEGMENT {
            return None;
        }
        // Most words end here: what follows them leads to no number.
        match bytes.get(at) {
            Some(b'-' | b'_') => {}
            Some(b' ') if digit_at(bytes, at + 1) => {}
            Some(byte) if byte.is_ascii_digit() => {}
            _ => return None,
        }
        let upper = letters.to_ascii_uppercase();
        if letters != upper && !(family.is_empty() && FAMILIES.contains(&upper.as_str())) {
            return None;
        }
        family.push_str(&upper);
        match bytes.get(at) {
            Some(b'-' | b'_') if bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) => {
                family.push('-');
                at += 1;
            }
            Some(b'-' | b'_') if digit_at(bytes, at + 1) => {
                at += 1;
                break;
            }
            Some(b' ') if digit_at(bytes, at + 1) && FAMILIES.contains(&family.as_str()) => {
                at += 1;
                break;
            }
            Some(digit) if digit.is_ascii_digit() => break,
            _ => return None,
        }
    }
    number_end(text, at).map(|(end, number)| Cite { start, end, norm: format!("{family}-{number}") })
}

/// `User Story 2`, `Yêu cầu 3`, `需求 3`.
fn spoken(text: &str, start: usize) -> Option<Cite> {
    let rest = &text[start..];
    if !opens_spoken(rest) {
        return None;
    }
    for (words, family) in SPOKEN {
        let mut spelled = rest.chars();
        if !words.chars().all(|word| spelled.next().is_some_and(|c| c.to_lowercase().eq(word.to_lowercase()))) {
            continue;
        }
        let mut at = text.len() - spelled.as_str().len();
        if text.as_bytes().get(at) == Some(&b' ') {
            at += 1;
        }
        if let Some((end, number)) = number_end(text, at) {
            return Some(Cite { start, end, norm: format!("{family}-{number}") });
        }
    }
    None
}

/// Whether a text begins like one of the spoken names: looked at first, since every word of a text is tried.
fn opens_spoken(text: &str) -> bool {
    let mut opening = text.bytes();
    match opening.next().map(|byte| byte.to_ascii_lowercase()) {
        Some(b'u' | b's' | b'r' | b'f' | b'c' | b'y' | b't') => {
            matches!(opening.next().map(|byte| byte.to_ascii_lowercase()), Some(b's' | b't' | b'e' | b'a' | 0xc3))
        }
        byte => byte.is_some_and(|byte| !byte.is_ascii()),
    }
}

/// The number at `at` with what belongs to it, leading zeros dropped.
fn number_end(text: &str, at: usize) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let mut end = at;
    while digit_at(bytes, end) {
        end += 1;
    }
    if end == at || end - at > MAX_DIGITS {
        return None;
    }
    let digits = text[at..end].trim_start_matches('0');
    let mut number = if digits.is_empty() { "0".to_owned() } else { digits.to_owned() };
    while matches!(bytes.get(end), Some(b'.')) && digit_at(bytes, end + 1) {
        let part = end;
        end += 1;
        while digit_at(bytes, end) {
            end += 1;
        }
        number.push_str(&text[part..end]);
    }
    if bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
        if bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        number.push(bytes[end].to_ascii_lowercase() as char);
        end += 1;
    }
    Some((end, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_id_share_a_form() {
        for spelling in ["UC-01", "UC_1", "UC 1", "uc-1", "UC01", "Use case 1", "用例 1", "用例1"] {
            assert_eq!(ids(spelling).into_iter().collect::<Vec<_>>(), ["UC-1"], "{spelling}");
        }
        assert_eq!(ids("BR-KSP-19, NFR-1.2 and AC-1a"), ["AC-1a", "BR-KSP-19", "NFR-1.2"].map(String::from).into());
        assert_eq!(ids("theo Yêu cầu 3 và User Story 02"), ["REQUIREMENT-3", "USER STORY-2"].map(String::from).into());
    }

    #[test]
    fn ids_are_seen_beside_characters_without_blanks() {
        assert_eq!(ids("规则BR-02与AC-3重复"), ["AC-3", "BR-2"].map(String::from).into());
        assert_eq!(ids("(UC-01–UC-03)"), ["UC-1", "UC-3"].map(String::from).into());
    }

    #[test]
    fn words_and_units_are_no_ids() {
        assert!(ids("Section 3 within 24 hours, version 2, x86-64bits, a-1-b, section-2").is_empty());
        assert_eq!(whole_id("BR-7"), Some("BR-7".to_owned()));
        assert_eq!(whole_id("BR-7 holds"), None);
        assert_eq!(whole_id(""), None);
    }

    #[test]
    fn numbers_leave_ids_out() {
        let text = "AC-05 allows 3 retries in 1.5 s, 99.9%, 14天内 and 007";
        let rest = without_ids(text, &cites(text));
        assert_eq!(numbers(&rest), ["1.5", "14", "3", "7", "99.9%"].map(String::from).into());
        assert_eq!(numbers("v2 0 0.5 10."), ["0", "0.5", "10"].map(String::from).into());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in ".{0,80}") {
            let found = cites(&text);
            let rest = without_ids(&text, &found);
            let _ = numbers(&rest);
            for cite in &found {
                proptest::prop_assert!(text.is_char_boundary(cite.start) && text.is_char_boundary(cite.end));
            }
        }
    }
}
