//! Ids such as `UC-01`, `FR-PO-006A` or `ISF-CMDS-001`: finding them in text and telling what they name.

use crate::model::outline::ItemId;

/// An id found in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    /// First byte in the text that was searched.
    pub(super) start: usize,
    /// One past its last byte.
    pub(super) end: usize,
    /// The id.
    pub(super) id: ItemId,
    /// Whether a separator stands before the number (`FR-1`, not `FR1`).
    pub(super) separated: bool,
}

/// What an id names, read from its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Use case.
    UseCase,
    /// User story.
    Story,
    /// Requirement in the words `Requirement 3`.
    Requirement,
    /// Functional requirement or feature.
    Feature,
    /// Business rule.
    Rule,
    /// Non-functional requirement.
    NonFunctional,
    /// Acceptance criterion.
    Criterion,
    /// Success criterion or metric.
    Metric,
    /// Known letters that never name a unit: errors, tests, risks, decisions, questions, actors.
    Never,
    /// Any other letters.
    Generic,
}

/// Letters that look like ids but name standards, sizes or priorities.
#[rustfmt::skip]
const NO_IDS: &[&str] = &[
    "UTF", "ISO", "IEC", "IEEE", "SHA", "MD", "RFC", "HTTP", "HTTPS", "TLS", "SSL", "IPV", "GPT", "AES", "RSA", "COVID",
    "WCAG", "EN", "DIN", "ANSI", "CVE", "CWE", "PEP", "ES", "ECMA", "USB", "MP", "H", "PCI", "GDPR", "SOC", "UTC", "GMT",
    "BASE", "CRC", "OAUTH", "EC2", "S3", "PY", "JDK", "X", "I18N", "L10N", "A11Y", "K8S", "CP", "KOI", "GB", "JIS", "ARM",
    "FY", "CO", "PM", "PH", "Y",
];

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | '\u{2010}' | '\u{2011}' | '\u{ff0d}')
}

/// One part between separators: letters, then perhaps digits.
struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn run(&mut self, fits: impl Fn(u8) -> bool) -> &str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && fits(bytes[self.at]) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// Digits from here on, those of full width (`０１`) in their ASCII form.
    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(c) = self.text[self.at..].chars().next() {
            let folded = match c {
                '0'..='9' => c,
                '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
                _ => break,
            };
            digits.push(folded);
            self.at += c.len_utf8();
        }
        digits
    }

    fn separator(&mut self) -> bool {
        match self.text[self.at..].chars().next() {
            Some(c) if is_separator(c) => {
                self.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }
}

/// Whether a word goes on at a byte, so that an id cannot end (or start) there.
fn word_char(c: char) -> bool {
    // CJK letters are no word characters here: `按BR-02执行` cites BR-02.
    c == '_'
        || (c.is_alphanumeric() && !super::lang::is_han(c) && !matches!(c, '\u{3041}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}'))
}

fn trim_zeros(digits: &str) -> &str {
    let trimmed = digits.trim_start_matches('0');
    if trimmed.is_empty() { "0" } else { trimmed }
}

/// Number with its dotted parts and perhaps one letter, as written from `at`; its end and its common form.
fn number(text: &str, at: usize) -> Option<(usize, String)> {
    let mut parser = Parser { text, at };
    let first = parser.digits();
    if first.is_empty() || first.len() > 9 {
        return None;
    }
    let mut norm = trim_zeros(&first).to_owned();
    loop {
        let before = parser.at;
        if !text[parser.at..].starts_with('.') {
            break;
        }
        parser.at += 1;
        let part = parser.digits();
        if part.is_empty() || part.len() > 9 {
            parser.at = before;
            break;
        }
        norm.push('.');
        norm.push_str(trim_zeros(&part));
    }
    let mut rest = text[parser.at..].chars();
    if let Some(letter) = rest.next()
        && letter.is_ascii_alphabetic()
        && !rest.next().is_some_and(word_char)
    {
        norm.push(letter.to_ascii_uppercase());
        parser.at += 1;
    }
    if text[parser.at..].chars().next().is_some_and(word_char) {
        return None;
    }
    Some((parser.at, norm))
}

/// The id that starts exactly at a byte; the caller has looked at what stands before it.
pub(super) fn id_at(text: &str, start: usize) -> Option<Found> {
    let mut parser = Parser { text, at: start };
    let letters = parser.run(|b| b.is_ascii_uppercase()).len();
    if letters == 0 || letters > LONGEST_SEGMENT {
        return None;
    }
    let mut family = text[start..parser.at].to_owned();
    let mut best: Option<Best> = None;
    // Segments are read as long as they fit; the longest prefix that ends in a number is the id.
    let mut separated = false;
    for _ in 0..MOST_SEGMENTS {
        match segment(&mut parser, (start, letters), separated, &mut family, &mut best) {
            Some(true) if parser.separator() => separated = true,
            Some(false) => separated = false,
            _ => break,
        }
    }
    let best = best?;
    family.truncate(best.family);
    let norm = format!("{family}-{}", best.number);
    let id = ItemId { text: text[start..best.end].to_owned(), family, norm };
    Some(Found { start, end: best.end, id, separated: best.separated })
}

/// Longest segment of an id, and most of them.
const LONGEST_SEGMENT: usize = 12;
const MOST_SEGMENTS: usize = 6;

/// The longest id read so far.
struct Best {
    end: usize,
    /// Length of its family.
    family: usize,
    /// Its number in common form.
    number: String,
    separated: bool,
}

/// Reads one segment: `Some(true)` where another may follow behind a separator, `Some(false)` where its number follows at
/// once, `None` where the id ends.
fn segment(
    parser: &mut Parser<'_>,
    (start, letters): (usize, usize),
    separated: bool,
    family: &mut String,
    best: &mut Option<Best>,
) -> Option<bool> {
    let (text, from) = (parser.text, parser.at);
    if let Some((end, number)) = number(text, from) {
        if !separated && letters == 1 && text[from..end].ends_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        // `UC-01-AC-02` goes on; `BR-01-BR-05` is a range of two ids.
        let mut next = Parser { text, at: end };
        let goes_on = next.separator() && {
            let more = next.run(|b| b.is_ascii_uppercase()) != &text[start..start + letters];
            more && text[next.at..].starts_with(|c: char| c.is_ascii_alphanumeric() || is_separator(c))
        };
        let length = family.len();
        if goes_on {
            family.push('-');
            family.push_str(&number);
        }
        *best = Some(Best { end, family: length, number, separated });
        parser.at = end;
        return goes_on.then_some(true);
    }
    let length = parser.run(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).len();
    let words = &text[from..from + length];
    if !separated {
        // `UC2FA-1`: letters and digits mixed without a separator.
        return words.is_empty().then_some(true);
    }
    if words.is_empty() || words.len() > LONGEST_SEGMENT {
        return None;
    }
    // `AC2` in `UC-01-AC2` is letters and a number, `M2` in `UC-M2-001` is one segment.
    let own = words.trim_end_matches(|c: char| c.is_ascii_digit());
    let more = text[parser.at..].starts_with(is_separator);
    family.push('-');
    if !more && own.len() < words.len() && !own.is_empty() {
        family.push_str(own);
        parser.at = from + own.len();
        return Some(false);
    }
    family.push_str(words);
    Some(true)
}

/// Families whose number may follow after a blank: `UC 1`.
fn spaced_family(letters: &str) -> bool {
    matches!(letters, "UC" | "BR" | "FR" | "NFR" | "REQ" | "AC")
}

/// `UC 1` at a byte.
fn spaced_id_at(text: &str, start: usize) -> Option<Found> {
    let mut parser = Parser { text, at: start };
    let family = parser.run(|b| b.is_ascii_uppercase()).to_owned();
    if !spaced_family(&family) {
        return None;
    }
    let blank = text[parser.at..].chars().next().filter(|&c| c == ' ' || c == '\u{a0}')?;
    let (end, norm) = number(text, parser.at + blank.len_utf8())?;
    let id = ItemId { text: text[start..end].to_owned(), norm: format!("{family}-{norm}"), family };
    Some(Found { start, end, id, separated: true })
}

/// The id that starts at a byte, `UC 1` included.
pub(super) fn any_id_at(text: &str, start: usize) -> Option<Found> {
    // Most words are turned away by what follows their capitals.
    let bytes = text.as_bytes();
    let letters = bytes.get(start..)?.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let next = bytes.get(start + letters)?;
    if letters == 0 || !(next.is_ascii_digit() || matches!(next, b'-' | b'_' | b' ') || *next >= 0x80) {
        return None;
    }
    let found = id_at(text, start).or_else(|| spaced_id_at(text, start))?;
    (!is_no_id(&found)).then_some(found)
}

fn is_no_id(found: &Found) -> bool {
    let base = found.id.family.split('-').next().unwrap_or_default();
    NO_IDS.contains(&base) || (!found.separated && found.id.family == "P" && found.end - found.start == 2)
}

/// All ids of a text, from left to right, without overlap.
pub(super) fn find_ids(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_uppercase() {
            at += 1;
            continue;
        }
        let fresh = !text[..at].chars().next_back().is_some_and(|c| word_char(c) || c == '-' && at > 1 && joined(text, at));
        if fresh && let Some(id) = any_id_at(text, at) {
            at = id.end;
            found.push(id);
            continue;
        }
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
    }
    found
}

/// Whether a hyphen before a byte joins it to a word (`pre-UC-1`), rather than standing alone or after a number.
fn joined(text: &str, at: usize) -> bool {
    text[..at - 1].chars().next_back().is_some_and(|c| c.is_alphabetic() && word_char(c))
}

/// What an id names.
pub(super) fn class(id: &ItemId) -> Class {
    match id.family.as_str() {
        "USE CASE" => return Class::UseCase,
        "USER STORY" | "STORY" => return Class::Story,
        "REQUIREMENT" => return Class::Requirement,
        "FEATURE" => return Class::Feature,
        _ => {}
    }
    let segments: Vec<&str> = id.family.split('-').collect();
    // `UC-01-AC-02` is a criterion of UC-01, while `UC-PR-001` is a use case of an area named PR.
    let nested = segments.iter().skip(1).any(|segment| segment.bytes().any(|b| b.is_ascii_digit()));
    if nested && let Some(class @ (Class::Rule | Class::Criterion)) = segments.last().map(|segment| class_of_letters(segment)) {
        return class;
    }
    class_of_letters(segments[0])
}

fn class_of_letters(letters: &str) -> Class {
    match letters {
        "UC" | "CU" => Class::UseCase,
        "US" | "HU" => Class::Story,
        "FR" | "REQ" | "RF" | "FEAT" | "FUNC" | "SRS" | "URS" | "BRD" => Class::Feature,
        "BR" | "RB" | "RN" | "RULE" => Class::Rule,
        "NFR" | "RNF" | "QR" | "QAS" => Class::NonFunctional,
        "AC" | "CA" => Class::Criterion,
        "SC" | "KPI" | "SM" | "METRIC" => Class::Metric,
        "E" | "EX" | "EXC" | "ERR" | "TC" | "TEST" | "T" | "TASK" | "ADR" | "DEC" | "RISK" | "RSK" | "OQ" | "Q" | "QST"
        | "ASM" | "ASSUMP" | "CON" | "DEP" | "EC" | "ACT" | "ACTOR" | "UJ" | "PERSONA" | "GOAL" | "G" | "OBJ" | "MSG" | "SCR"
        | "UI" | "EPIC" | "NG" | "OOS" | "STEP" | "S" | "P" | "A" | "W" | "ALT" | "AF" | "EF" | "MF" | "BF" | "PH" | "MS"
        | "V" | "D" | "M" => Class::Never,
        _ => Class::Generic,
    }
}

/// A name in its common form, for comparing what a person wrote with what the document has:
/// the norm of an id, or the words in lower case with white space folded.
pub(super) fn fold_name(name: &str) -> String {
    let trimmed = name.trim();
    let upper = trimmed.to_uppercase();
    if let Some(found) = any_id_at(&upper, 0)
        && found.end == upper.len()
    {
        return found.id.norm;
    }
    trimmed.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_full_width_count() {
        let found = find_ids("按 UC-０１ 与 BR-1２.０3 执行");
        let ids: Vec<_> = found.iter().map(|found| (found.id.text.as_str(), found.id.norm.as_str())).collect();
        assert_eq!(ids, [("UC-０１", "UC-1"), ("BR-1２.０3", "BR-12.3")]);
    }

    fn norms(text: &str) -> Vec<String> {
        find_ids(text).into_iter().map(|found| found.id.norm).collect()
    }

    fn one(text: &str) -> Found {
        let mut found = find_ids(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn spellings_of_one_id_share_a_norm() {
        for text in ["UC-1", "UC-01", "UC_1", "UC 1", "UC1", "UC001", "UC\u{2011}01", "UC－01"] {
            assert_eq!(norms(text), ["UC-1"], "{text}");
        }
    }

    #[test]
    fn forms_seen_in_documents_are_read_whole() {
        for (text, family, norm) in [
            ("UC-1.1", "UC", "UC-1.1"),
            ("FR-PO-006A", "FR-PO", "FR-PO-6A"),
            ("FR-A-01", "FR-A", "FR-A-1"),
            ("UC-M2-001", "UC-M2", "UC-M2-1"),
            ("ISF-CMDS-001", "ISF-CMDS", "ISF-CMDS-1"),
            ("BR-KSP-19", "BR-KSP", "BR-KSP-19"),
            ("UC-01-AC-02", "UC-1-AC", "UC-1-AC-2"),
            ("US-01-AC2", "US-1-AC", "US-1-AC-2"),
            ("R1", "R", "R-1"),
            ("FR8", "FR", "FR-8"),
        ] {
            let found = one(text);
            assert_eq!((found.id.family.as_str(), found.id.norm.as_str()), (family, norm), "{text}");
            assert_eq!((found.start, found.end), (0, text.len()), "{text}");
        }
    }

    #[test]
    fn ranges_without_blanks_are_two_ids() {
        assert_eq!(norms("UI-01–UI-08"), ["UI-1", "UI-8"]);
        assert_eq!(norms("BR-01-BR-05"), ["BR-1", "BR-5"]);
        assert_eq!(norms("UC-008 đến UC-024"), ["UC-8", "UC-24"]);
    }

    #[test]
    fn ids_end_at_cjk_text_and_punctuation() {
        assert_eq!(norms("系统按BR-09执行。"), ["BR-9"]);
        assert_eq!(norms("(BR-01)."), ["BR-1"]);
        assert_eq!(norms("AC-02：退款"), ["AC-2"]);
    }

    #[test]
    fn standards_priorities_and_words_are_no_ids() {
        for text in
            ["UTF-8", "ISO-27001", "SHA-256", "P1", "COVID-19", "X-Ray", "e-mail", "B2B", "The", "HTTP/2", "nUC-1", "UC-PR: x"]
        {
            assert_eq!(norms(text), [] as [&str; 0], "{text}");
        }
    }

    #[test]
    fn letters_tell_what_an_id_names() {
        for (text, expected) in [
            ("UC-01", Class::UseCase),
            ("UC-SC-001", Class::UseCase),
            ("UC-01-AC-02", Class::Criterion),
            ("UC-01-BR-2", Class::Rule),
            ("HU-01", Class::Story),
            ("FR-PO-1", Class::Feature),
            ("NFR-1", Class::NonFunctional),
            ("SC-001", Class::Metric),
            ("AUTH-001", Class::Generic),
            ("TC-1", Class::Never),
        ] {
            assert_eq!(class(&one(text).id), expected, "{text}");
        }
    }

    #[test]
    fn names_are_compared_without_case_separator_and_zeros() {
        assert_eq!(fold_name(" uc_1 "), "UC-1");
        assert_eq!(fold_name("UC-01"), "UC-1");
        assert_eq!(fold_name("User  Story 1"), "user story 1");
    }
}
