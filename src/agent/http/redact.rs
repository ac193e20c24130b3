//! Takes keys out of texts and recordings, in every form in which servers and proxies echo them.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// What stands where a key stood.
const MARK: &str = "[key]";
/// A shorter value is no secret worth the name (`none`, `local`), and taking it out would maim texts.
const SHORTEST: usize = 8;

/// Knows the loaded keys, and nothing else of them than how they look.
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Option<AhoCorasick>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Redactor {
    /// Of these keys.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Redactor {
        let forms: BTreeSet<Vec<u8>> = keys.into_iter().filter(|key| key.len() >= SHORTEST).flat_map(forms).collect();
        if forms.is_empty() {
            return Redactor::default();
        }
        // Building fails only where the patterns need more states than 31 bits count; keys are headers and far shorter.
        Redactor { forms: AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms).ok() }
    }

    /// A text without keys.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.finder(text.as_bytes()) {
            Some(forms) => Cow::Owned(forms.replace_all(text, &vec![MARK; forms.patterns_len()])),
            None => Cow::Borrowed(text),
        }
    }

    /// Bytes without keys.
    pub fn bytes<'t>(&self, bytes: &'t [u8]) -> Cow<'t, [u8]> {
        match self.finder(bytes) {
            Some(forms) => Cow::Owned(forms.replace_all_bytes(bytes, &vec![MARK; forms.patterns_len()])),
            None => Cow::Borrowed(bytes),
        }
    }

    fn finder(&self, bytes: &[u8]) -> Option<&AhoCorasick> {
        self.forms.as_ref().filter(|forms| forms.is_match(bytes))
    }
}

/// As it is, inside JSON, percent-encoded, and in Base64, alone or amid other bytes.
fn forms(key: &str) -> Vec<Vec<u8>> {
    let json = serde_json::Value::from(key).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let mut forms = vec![key.to_owned(), json.replace('/', "\\/"), json, percent(key, true), percent(key, false)];
    forms.extend([STANDARD.encode(key), STANDARD_NO_PAD.encode(key), URL_SAFE.encode(key), URL_SAFE_NO_PAD.encode(key)]);
    forms.extend((0..3).flat_map(|before| [in_base64(key, before, &STANDARD_NO_PAD), in_base64(key, before, &URL_SAFE_NO_PAD)]));
    forms.into_iter().map(String::into_bytes).collect()
}

/// RFC 3986: everything but unreserved characters.
fn percent(key: &str, upper: bool) -> String {
    key.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ if upper => format!("%{byte:02X}"),
            _ => format!("%{byte:02x}"),
        })
        .collect()
}

/// The characters that the key alone decides where `before` bytes, counted modulo three, stand before it.
fn in_base64(key: &str, before: usize, engine: &impl Engine) -> String {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(key.as_bytes());
    let text = engine.encode(&bytes);
    let first = [0, 2, 3][before];
    let last = text.len() - usize::from(bytes.len() % 3 != 0);
    text[first..last].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_values_are_left_alone_and_debug_tells_nothing() {
        let none = Redactor::new(["none", ""]);
        assert_eq!(none.text("none at all"), "none at all");
        let canary = Redactor::new(["sk-canary-0123456789"]);
        assert!(!format!("{canary:?}").contains("canary"));
        assert_eq!(canary.text("bad key sk-canary-0123456789!"), "bad key [key]!");
        assert!(matches!(canary.text("nothing"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn no_form_of_a_key_stays(key in "[ -~é/+]{8,40}", before in "[a-z: ]{0,7}", after in "[a-z: ]{0,7}") {
            let redactor = Redactor::new([key.as_str()]);
            let amid = format!("{before}{key}{after}");
            prop_assert!(!redactor.text(&amid).contains(&key));
            let json = serde_json::Value::from(amid.as_str()).to_string();
            for text in [json.clone(), json.replace('/', "\\/"), format!("?key={}&", percent(&key, true)), percent(&key, false)] {
                prop_assert!(redactor.text(&text).contains(MARK), "{}", text);
            }
            for text in [STANDARD.encode(&amid), URL_SAFE.encode(&amid)] {
                let redacted = redactor.text(&text);
                prop_assert!(redacted.contains(MARK), "{}", text);
                let redacted = redactor.bytes(text.as_bytes()).into_owned();
                prop_assert!(redacted.windows(MARK.len()).any(|window| window == MARK.as_bytes()));
            }
        }
    }
}
