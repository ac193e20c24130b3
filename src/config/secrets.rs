//! Taking keys out of whatever is shown or kept: known ones in every spelling they travel in, and what looks like one.

use super::variables::Variables;
use crate::model::fault::Fault;
use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use regex::bytes::Regex;
use secrecy::{ExposeSecret, SecretString};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// What stands where a key stood.
pub const MARK: &str = "[key]";
/// Bytes of a value from which on it is a secret: `none` or `local`, given to a server without keys, would blot out every text
/// that holds these words.
const MIN_VALUE: usize = 8;
/// Bytes of the beginning of a key that are too many to show where a text was cut amid one.
const MIN_START: usize = 4;
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
    values: Option<Values>,
    /// What merely looks like a key stays.
    only_values: bool,
}

/// Known keys in all their spellings.
#[derive(Clone)]
struct Values {
    finder: AhoCorasick,
    spellings: Arc<[Vec<u8>]>,
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
        // Building fails only where the patterns need more states than 31 bits count; keys are headers and far shorter.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings).ok();
        let values = finder.map(|finder| Values { finder, spellings: spellings.into() });
        Redactor { values, only_values: false }
    }

    /// The same for answers and what is kept of them: what merely looks like a key may be a quote from the document, which has
    /// to stay as it is.
    pub fn of_values(self) -> Redactor {
        Redactor { only_values: true, ..self }
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
            spans.extend(values.finder.find_iter(bytes).map(|found| found.range()));
        }
        if let Some(pattern) = LOOKS_LIKE_ONE.as_ref().filter(|_| !self.only_values) {
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

    /// Words that were cut, each cut marked by `…`, without keys and without what a cut left of one.
    pub fn redact_cut(&self, text: &str) -> String {
        let text = self.redact(text);
        let Some(values) = &self.values else { return text.into_owned() };
        let pieces = text.split('…').collect::<Vec<_>>();
        let last = pieces.len() - 1;
        let whole = |(index, piece): (usize, &&str)| {
            let start = values.start_of_one(piece.as_bytes());
            if index < last && piece.len() - start >= MIN_START {
                format!("{}{MARK}", &piece[..start])
            } else {
                (*piece).to_owned()
            }
        };
        pieces.iter().enumerate().map(whole).collect::<Vec<_>>().join("…")
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

impl Values {
    /// Where at the end of some bytes something begins that may be the beginning of a key; their length where nothing does.
    fn start_of_one(&self, bytes: &[u8]) -> usize {
        let longest = self.spellings.iter().map(Vec::len).max().unwrap_or(0);
        let first = bytes.len().saturating_sub(longest.saturating_sub(1));
        let begins = |at: &usize| {
            let rest = &bytes[*at..];
            self.spellings.iter().any(|one| one.len() > rest.len() && one.starts_with(rest))
        };
        (first..bytes.len()).find(begins).unwrap_or(bytes.len())
    }
}

/// Takes known keys out of what comes piece by piece: what may be the beginning of one is held back until it is known not to be.
#[derive(Debug)]
pub struct Streamed {
    redactor: Redactor,
    held: Vec<u8>,
}

impl Streamed {
    /// Knows the keys that a redactor knows. What merely looks like one stays: where it ends, no piece can tell.
    pub fn new(redactor: &Redactor) -> Streamed {
        Streamed { redactor: redactor.clone().of_values(), held: Vec::new() }
    }

    /// Takes a piece; returns what can be shown by now.
    pub fn push<'a>(&mut self, piece: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(values) = &self.redactor.values else { return Cow::Borrowed(piece) };
        if self.held.is_empty() && values.start_of_one(piece) == piece.len() && !values.finder.is_match(piece) {
            return Cow::Borrowed(piece);
        }
        self.held.extend_from_slice(piece);
        let mut end = values.start_of_one(&self.held);
        // A key that is there whole is taken out whole, also where its end may be the beginning of another.
        if let Some(amid) = values.finder.find_iter(&self.held).find(|found| found.start() < end && found.end() > end) {
            end = amid.end();
        }
        let shown = self.redactor.redact_bytes(&self.held[..end]).into_owned();
        self.held.drain(..end);
        Cow::Owned(shown)
    }

    /// What was held back to the end.
    pub fn end(self) -> Vec<u8> {
        self.redactor.redact_bytes(&self.held).into_owned()
    }
}

/// The variables of keys that a redactor should know whatever is asked: they may be echoed by a server that got them.
pub fn usual_keys(variables: &Variables) -> Vec<SecretString> {
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
        let json = &json[1..json.len() - 1];
        all.extend([json.as_bytes().to_vec(), json.replace('/', "\\/").into_bytes()]);
    }
    for encoded in [STANDARD.encode(value), URL_SAFE.encode(value), STANDARD_NO_PAD.encode(value), URL_SAFE_NO_PAD.encode(value)]
    {
        all.push(encoded.into_bytes());
    }
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
        let redactor = Redactor::new(&[SecretString::from("x"), SecretString::from(""), SecretString::from("none")]);
        assert_eq!(redactor.redact("x marks none of the spots"), "x marks none of the spots");
    }

    #[test]
    fn a_quote_that_looks_like_a_key_stays_where_only_known_ones_go() {
        let known = redactor().of_values();
        assert_eq!(
            known.redact("Bearer authentication, sk-abcdefghijklmnop1234"),
            "Bearer authentication, sk-abcdefghijklmnop1234"
        );
        assert_eq!(known.redact("second-canary"), "[key]");
    }

    #[test]
    fn what_a_cut_left_of_a_key_goes() {
        let redactor = redactor();
        for (text, expected) in [
            ("bad key second-can…", "bad key [key]…"),
            ("bad key second-can… (2 s…)", "bad key [key]… (2 s…)"),
            ("bad key second-can", "bad key second-can"),
            ("khách…", "khách…"),
        ] {
            assert_eq!(redactor.redact_cut(text), expected);
        }
    }

    #[test]
    fn nothing_prints_a_key() {
        assert_eq!(format!("{:?}", redactor()), "Redactor(..)");
        let fault = Fault::usage("second-canary is wrong", "not second-canary");
        assert_eq!(redactor().fault(&fault), Fault::usage("[key] is wrong", "not [key]"));
    }

    proptest! {
        #[test]
        fn pieces_come_to_the_same_as_the_whole(
            text in proptest::collection::vec(proptest::sample::select(vec![KEY, "second-canary", "second", "cá", "é", "s", " ", "-"]), 0..12),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
        ) {
            let redactor = redactor();
            let text = text.concat();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.sort_unstable();
            let mut streamed = Streamed::new(&redactor);
            let (mut shown, mut from) = (Vec::new(), 0);
            for to in cuts.into_iter().chain([text.len()]) {
                let piece = streamed.push(&text.as_bytes()[from..to]).into_owned();
                shown.extend_from_slice(&piece);
                from = to;
            }
            shown.extend(streamed.end());
            prop_assert_eq!(String::from_utf8(shown).expect("text"), redactor.of_values().redact(&text).into_owned());
        }

        #[test]
        fn no_key_survives_anywhere(before in "(?s).{0,20}", after in "(?s).{0,20}", key in "[!-~]{8,40}") {
            let redactor = Redactor::new(&[SecretString::from(key.clone())]);
            let redacted = redactor.redact(&format!("{before}{key}{after}")).into_owned();
            let by_chance = format!("{before}{MARK}{after}").contains(&key);
            prop_assert!(!redacted.contains(&key) || by_chance);
        }
    }
}
