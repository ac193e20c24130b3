//! Further headers of every request: none that the program sets itself, none that carries a secret.

use super::secrets::Redactor;
use super::settings_file::short;

/// Headers that the program, or HTTP itself, sets.
const OWN: [&str; 10] = [
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "accept",
    "accept-encoding",
    "te",
    "upgrade",
    "expect",
];
/// Parts of names of headers that carry secrets.
const SECRET: [&str; 9] =
    ["authorization", "api-key", "apikey", "api_key", "cookie", "token", "secret", "password", "credential"];

/// What is wrong, and what to do.
pub type Wrong = (String, &'static str);

/// Checks a header against itself and those before it.
///
/// # Errors
/// It is no header, one that is not for the settings, or one of those before it.
pub fn check<'a>(name: &str, value: &str, earlier: impl Iterator<Item = &'a str> + Clone) -> Result<(), Wrong> {
    // RFC 9110, 5.6.2: the characters of a token.
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(fine) {
        return Err((format!("no name of a header: `{}`", short(name)), "use letters, digits and `-`, as X-Title"));
    }
    let lower = name.to_ascii_lowercase();
    if SECRET.iter().any(|part| lower.contains(part)) || !Redactor::default().is_clean(value) {
        let hint = "the key of a server comes from `key_env` or `key_file`; no other secret is sent";
        return Err((format!("the header `{name}` carries a secret, and none stands in this file"), hint));
    }
    if OWN.contains(&lower.as_str()) {
        return Err((format!("the header `{name}` is set by tamis itself"), "leave it out"));
    }
    if value.len() > 1024 || value.trim() != value || !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        let what = format!("the value of the header `{name}` cannot be sent");
        return Err((what, "use ASCII letters, digits and signs on one line, at most 1024 of them"));
    }
    if earlier.clone().any(|other| other.eq_ignore_ascii_case(name)) {
        return Err((format!("the header `{name}` stands here a second time"), "keep one of them"));
    }
    if earlier.count() >= 32 {
        return Err(("more than 32 headers".to_owned(), "keep those that the server needs"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headers_that_name_and_describe_are_fine() {
        for (name, value) in [("X-Title", "tamis"), ("HTTP-Referer", "https://example.com/a b"), ("anthropic-beta", "x-1,y-2")] {
            assert_eq!(check(name, value, std::iter::empty()), Ok(()), "{name}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let rows = [
            ("authorization", "x", "carries a secret"),
            ("Proxy-Authorization", "x", "carries a secret"),
            ("X-API-Key", "x", "carries a secret"),
            ("api-key", "x", "carries a secret"),
            ("Cookie", "x", "carries a secret"),
            ("X-Auth-Token", "x", "carries a secret"),
            ("x-goog-api-key", "x", "carries a secret"),
            ("X-Title", "Bearer abcdefghijkl", "carries a secret"),
            ("X-Title", "sk-abcdefghijklmnop1", "carries a secret"),
            ("Content-Type", "x", "set by tamis"),
            ("host", "x", "set by tamis"),
            ("", "x", "no name"),
            ("X Title", "x", "no name"),
            ("X-Title:", "x", "no name"),
            ("X-Tiêu", "x", "no name"),
            ("X-Title", "a\r\nHost: b", "cannot be sent"),
            ("X-Title", "é", "cannot be sent"),
            ("X-Title", " a", "cannot be sent"),
        ];
        for (name, value, part) in rows {
            let (what, hint) = check(name, value, std::iter::empty()).expect_err(name);
            assert!(what.contains(part) && !hint.is_empty(), "{name}: {what}");
            assert!(!what.contains("sk-abc") && !what.contains("Bearer"), "{what}");
        }
        assert!(check("x-title", "a", ["X-Title"].into_iter()).expect_err("twice").0.contains("a second time"));
        assert!(check("x-title", "a", std::iter::repeat_n("y", 32)).expect_err("many").0.contains("more than 32"));
    }

    proptest! {
        #[test]
        fn no_accepted_value_ends_a_line(name in "(?s).{0,20}", value in "(?s).{0,40}") {
            if check(&name, &value, std::iter::empty()).is_ok() {
                prop_assert!(!value.contains(['\r', '\n', '\0']) && !name.contains([':', '\r', '\n', ' ']));
            }
        }
    }
}
