//! The address of a server, checked before anything is sent there.

use super::roster::Api;
use url::{Host, Url};

/// Characters of an address at most.
const MAX_CHARS: usize = 2048;

/// What is wrong with an address, and what to do. Neither repeats it: it may hold a password.
pub type Wrong = (&'static str, &'static str);

/// Checks an address and returns it in its one spelling, without a slash at its end.
///
/// # Errors
/// It is none, or says more than where a server is.
pub fn check(text: &str, api: Api) -> Result<Url, Wrong> {
    const SHAPE: &str = "write `https://HOST/PATH`";
    if text.chars().count() > MAX_CHARS || text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return Err(("the base URL is no address", SHAPE));
    }
    // The library mends `https:host` and `https:///host`; what was meant there is anyone's guess.
    let after = text.split_once("://").map_or("", |(_, rest)| rest);
    let url = Url::parse(text).map_err(|_| ("the base URL is no address", SHAPE))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(("the base URL is neither http nor https", SHAPE));
    }
    if after.is_empty() || after.starts_with('/') || url.host().is_none() {
        return Err(("the base URL names no host", SHAPE));
    }
    if !url.username().is_empty() || url.password().is_some() || authority(after).contains('@') {
        return Err(("the base URL holds a user or a password", "leave them out; a key comes from `key_env` or `key_file`"));
    }
    if url.query().is_some() {
        return Err(("the base URL holds a query", "leave out what begins with `?`; keys never stand in addresses"));
    }
    if url.fragment().is_some() {
        return Err(("the base URL holds a fragment", "leave out what begins with `#`"));
    }
    let path = url.path().trim_end_matches('/');
    if path.ends_with(api.path()) {
        return Err(match api {
            Api::OpenAi => ("the base URL ends in `/chat/completions`, which is added to it", "leave that out"),
            Api::Anthropic => ("the base URL ends in `/v1/messages`, which is added to it", "leave that out"),
        });
    }
    if api == Api::Anthropic && path.ends_with("/v1") {
        return Err(("the base URL ends in `/v1`, and `/v1/messages` is added to it", "leave `/v1` out"));
    }
    Ok(url)
}

/// The one spelling of an address that was checked.
pub fn spelled(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// Whether the address is this machine itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback()),
        // RFC 6761, 6.3: these names are the machine itself, whatever a name server says.
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
        }
        None => false,
    }
}

fn authority(after_scheme: &str) -> &str {
    after_scheme.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_have_one_spelling() {
        let rows = [
            ("https://api.openai.com/v1", "https://api.openai.com/v1"),
            ("HTTPS://API.openai.com:443/v1//", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/v1/", "http://[::1]:8080/v1"),
            ("https://host/a/b", "https://host/a/b"),
        ];
        for (text, expected) in rows {
            assert_eq!(spelled(&check(text, Api::OpenAi).expect(text)), expected);
        }
    }

    #[test]
    fn what_says_more_than_where_is_refused() {
        let rows = [
            ("", "no address"),
            ("api.openai.com/v1", "no address"),
            ("https://a b", "no address"),
            ("https://a\\b", "no address"),
            ("https://", "no address"),
            ("https:///v1", "no host"),
            ("https:host", "no host"),
            ("ftp://host", "neither http nor https"),
            ("file:///etc/passwd", "neither http nor https"),
            ("https://me@host/v1", "a user or a password"),
            ("https://me:word@host/v1", "a user or a password"),
            ("https://@host/v1", "a user or a password"),
            ("https://host/v1?key=x", "a query"),
            ("https://host/v1?", "a query"),
            ("https://host/v1#x", "a fragment"),
            ("https://host/v1/chat/completions", "which is added"),
            ("https://host/v1/chat/completions/", "which is added"),
        ];
        for (text, part) in rows {
            let (what, hint) = check(text, Api::OpenAi).expect_err(text);
            assert!(what.contains(part) && !hint.is_empty(), "{text}: {what}");
        }
        assert!(check("https://host/v1/messages", Api::Anthropic).expect_err("path").0.contains("/v1/messages"));
        assert!(check("https://host/v1", Api::Anthropic).expect_err("path").0.contains("ends in `/v1`"));
        assert!(check("https://host/anthropic", Api::Anthropic).is_ok());
    }

    #[test]
    fn this_machine_has_many_names() {
        let loopback = |text: &str| is_loopback(&check(text, Api::OpenAi).expect(text));
        for text in [
            "http://127.0.0.1",
            "http://127.9.9.9:1",
            "http://localhost:8080/v1",
            "http://LOCALHOST.",
            "http://a.localhost",
            "http://[::1]",
            "http://[::ffff:127.0.0.1]",
            "http://2130706433",
        ] {
            assert!(loopback(text), "{text}");
        }
        for text in [
            "http://128.0.0.1",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "http://notlocalhost",
            "http://[::2]",
            "http://0.0.0.0",
            "http://10.0.0.1",
        ] {
            assert!(!loopback(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_address_or_refused(text in "(https?://)?(?s).{0,60}") {
            if let Ok(url) = check(&text, Api::Anthropic) {
                let spelled = spelled(&url);
                prop_assert!(!spelled.contains(['?', '#', ' ']) && !spelled.ends_with('/'), "{}", spelled);
                prop_assert!(check(&spelled, Api::Anthropic).is_ok_and(|again| again.origin() == url.origin()));
            }
        }
    }
}
