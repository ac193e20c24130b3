//! Taking keys out of whatever is shown or kept: known ones in every spelling they travel in, and what looks like one.

use super::variables::Variables;
use crate::model::fault::Fault;
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::bytes::Regex;
use secrecy::{ExposeSecret, SecretString};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

/// What stands where a key stood.
pub const MARK: &str = "[key]";
/// Bytes of a value from which on it is a secret: `x` or `na`, given to a server without keys, would blot out every text.
const MIN_VALUE: usize = 4;
/// Bytes of a value from which on its inside in base64 is told from chance.
const MIN_INSIDE: usize = 9;

/// Keys of well-known services, by how they begin. Keys begin at the border of a word, so that `risk-…` is none.
static LOOKS_LIKE_ONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let kinds = [
        r"\b[sr]k-[A-Za-z0-9_\-]{16,}",
        r"\bgh[pousr]_[A-Za-z0-9]{16,}",
        r"\bgithub_pat_[A-Za-z0-9_]{16,}",
        r"\bglpat-[A-Za-z0-9_\-]{16,}",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}",
        r"\bAIza[0-9A-Za-z_\-]{20,}",
        r"\b(?:gsk|hf|r8|xai|pplx|nvapi|xox[abprs])[_\-][A-Za-z0-9_\-]{16,}",
        r"(?i:\bbearer)[ \t]+[A-Za-z0-9._~+/\-]{8,}=*",
    ];
    Regex::new(&format!("(?-u){}", kinds.join("|"))).ok()
});

/// Takes keys out of texts, in time linear in their length.
#[derive(Clone, Default)]
pub struct Redactor {
    values: Option<AhoCorasick>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor(..)")
    }
}

impl Redactor {
    /// Knows these keys; what merely looks like one goes too.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a SecretString>) -> Redactor {
        let mut spellings: Vec<Vec<u8>> = keys.into_iter().flat_map(|key| spellings(key.expose_secret())).collect();
        spellings.sort();
        spellings.dedup();
        if spellings.is_empty() {
            return Redactor::default();
        }
        Redactor { values: AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings).ok() }
    }

    /// The text without keys.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // Only ASCII was taken out, so that this is text still.
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// The same for bytes that may be no text.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        if let Some(values) = &self.values {
            spans.extend(values.find_iter(bytes).map(|found| found.range()));
        }
        if let Some(pattern) = LOOKS_LIKE_ONE.as_ref() {
            spans.extend(pattern.find_iter(bytes).map(|found| found.range()));
        }
        if spans.is_empty() {
            return Cow::Borrowed(bytes);
        }
        spans.sort_by_key(|span| span.start);
        let mut out = Vec::with_capacity(bytes.len());
        let mut end = 0;
        for span in spans {
            if span.start >= end {
                out.extend_from_slice(&bytes[end..span.start]);
                out.extend_from_slice(MARK.as_bytes());
            }
            end = end.max(span.end);
        }
        out.extend_from_slice(&bytes[end..]);
        Cow::Owned(out)
    }

    /// A fault without keys.
    pub fn fault(&self, fault: &Fault) -> Fault {
        Fault::new(fault.kind, self.redact(&fault.what), self.redact(&fault.hint))
    }

    /// Whether nothing in a text is or looks like a key.
    pub fn is_clean(&self, text: &str) -> bool {
        matches!(self.redact_bytes(text.as_bytes()), Cow::Borrowed(_))
    }
}

/// The variables of keys that a redactor should know whatever is asked: they may be echoed by a server that got them.
pub(super) fn usual_keys(variables: &Variables) -> Vec<SecretString> {
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"].iter().filter_map(|name| variables.secret(name)).collect()
}

/// The ways in which a value is written: as it is, inside JSON, in base64 (alone, or at any place of something longer, as in
/// `user:key`), in an address.
fn spellings(value: &str) -> Vec<Vec<u8>> {
    if value.len() < MIN_VALUE {
        return Vec::new();
    }
    let mut all = vec![value.as_bytes().to_vec()];
    if let Ok(json) = serde_json::to_string(value) {
        all.push(json.as_bytes()[1..json.len() - 1].to_vec());
    }
    all.push(STANDARD_NO_PAD.encode(value).into_bytes());
    all.push(URL_SAFE_NO_PAD.encode(value).into_bytes());
    if value.len() >= MIN_INSIDE {
        for before in 0..3 {
            let mut shifted = vec![0_u8; before];
            shifted.extend_from_slice(value.as_bytes());
            // Characters that also hold bits of what stands before or after are left out.
            let first = (before * 8).div_ceil(6);
            let last = shifted.len() * 8 / 6;
            for encoded in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
                all.push(encoded.as_bytes()[first..last].to_vec());
            }
        }
    }
    for (small, everything) in [(false, false), (true, false), (false, true), (true, true)] {
        all.push(percent_encoded(value, small, everything).into_bytes());
    }
    all
}

/// The value in an address; unreserved characters (RFC 3986, 2.3) stay, unless everything is encoded.
fn percent_encoded(value: &str, small: bool, everything: bool) -> String {
    let mut out = String::with_capacity(value.len() * 3);
    for byte in value.bytes() {
        let unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        match (unreserved && !everything, small) {
            (true, _) => out.push(char::from(byte)),
            (false, true) => out.push_str(&format!("%{byte:02x}")),
            (false, false) => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use proptest::prelude::*;

    const KEY: &str = "cánary+/=\"key&7f3a~b";

    fn redactor() -> Redactor {
        Redactor::new(&[SecretString::from(KEY), SecretString::from("second-canary")])
    }

    #[test]
    fn a_key_goes_in_every_spelling() {
        let redactor = redactor();
        let spelled = [
            KEY.to_owned(),
            serde_json::to_string(KEY).expect("json").trim_matches('"').to_owned(),
            STANDARD.encode(KEY),
            URL_SAFE.encode(KEY),
            percent_encoded(KEY, false, false),
            percent_encoded(KEY, true, false),
            percent_encoded(KEY, false, true),
        ];
        for text in spelled {
            let redacted = redactor.redact(&format!("before {text} after {text}")).into_owned();
            assert!(redacted.starts_with("before [key]") && redacted.contains(" after [key]"), "{text}: {redacted}");
            assert!(redacted.len() <= "before [key]== after [key]==".len(), "{redacted}");
        }
        assert_eq!(redactor.redact("x second-canary y"), "x [key] y");
        assert_eq!(redactor.redact_bytes(b"\xff second-canary \xfe").as_ref(), b"\xff [key] \xfe");
    }

    #[test]
    fn base64_of_something_longer_hides_no_key() {
        let redactor = redactor();
        for before in ["", "u", "us", "use", "user:"] {
            for after in ["", "x", "yz"] {
                let encoded = STANDARD.encode(format!("{before}second-canary{after}"));
                let redacted = redactor.redact(&encoded).into_owned();
                assert!(redacted.contains(MARK), "{before}…{after}: {redacted}");
                assert!(redacted.len() <= MARK.len() + before.len() * 2 + after.len() * 2 + 8, "{redacted}");
            }
        }
    }

    #[test]
    fn what_looks_like_a_key_goes_and_what_does_not_stays() {
        let none = Redactor::default();
        let rows = [
            ("key sk-abcdefghijklmnop1234 refused", "key [key] refused"),
            ("sk-ant-api03-abcdefghijklmnop_-1", "[key]"),
            ("sk-proj-abcdefghijklmnop", "[key]"),
            ("ghp_abcdefghijklmnop1234", "[key]"),
            ("id AKIAIOSFODNN7EXAMPLE.", "id [key]."),
            ("Authorization: Bearer abcdef.ghi-jkl==", "Authorization: [key]"),
            ("authorization: bearer  abcdefghijkl", "authorization: [key]"),
            ("gsk_abcdefghijklmnop1234", "[key]"),
            ("AIzaSyA1234567890abcdefghij", "[key]"),
        ];
        for (text, expected) in rows {
            assert_eq!(none.redact(text), expected);
        }
        for text in
            ["risk-based-approach-to-everything", "task-0123456789abcdefgh", "sk-short", "Bearer of news", "AKIA", "", "khách"]
        {
            assert!(matches!(none.redact(text), Cow::Borrowed(_)), "{text}");
            assert!(none.is_clean(text));
        }
    }

    #[test]
    fn a_placeholder_is_no_secret() {
        let redactor = Redactor::new(&[SecretString::from("x"), SecretString::from("")]);
        assert_eq!(redactor.redact("x marks the spot"), "x marks the spot");
    }

    #[test]
    fn nothing_prints_a_key() {
        assert_eq!(format!("{:?}", redactor()), "Redactor(..)");
        let fault = Fault::usage("second-canary is wrong", "not second-canary");
        assert_eq!(redactor().fault(&fault), Fault::usage("[key] is wrong", "not [key]"));
    }

    proptest! {
        #[test]
        fn no_key_survives_anywhere(before in "(?s).{0,20}", after in "(?s).{0,20}", key in "[!-~]{4,40}") {
            let redactor = Redactor::new(&[SecretString::from(key.clone())]);
            let redacted = redactor.redact(&format!("{before}{key}{after}")).into_owned();
            let by_chance = format!("{before}{MARK}{after}").contains(&key);
            prop_assert!(!redacted.contains(&key) || by_chance);
        }
    }
}
