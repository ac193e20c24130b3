//! The way to a server: through a proxy where the environment names one, as curl and most clients read it.

use super::base_url::is_loopback;
use super::variables::Variables;
use crate::model::fault::Fault;
use secrecy::SecretString;
use std::net::IpAddr;
use url::{Host, Url};

/// A proxy on the way to servers.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Its address; it may hold a user and a password, so it is never printed.
    pub url: SecretString,
    /// Hosts that are reached without it, as `NO_PROXY` lists them.
    pub no_proxy: Vec<String>,
    /// The variable that names it, for messages.
    pub from: &'static str,
}

impl Proxy {
    /// The proxy on the way to an address; `None` where the way is direct: nothing is set, `NO_PROXY` names the host, or the
    /// server is this machine.
    ///
    /// # Errors
    /// A variable that holds no address of an HTTP proxy. Its value is not repeated.
    pub fn towards(target: &str, variables: &Variables) -> Result<Option<Proxy>, Fault> {
        let Ok(target) = Url::parse(target) else { return Ok(None) };
        if is_loopback(&target) {
            return Ok(None);
        }
        let names: &[&'static str] = match target.scheme() {
            "https" => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
            _ => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
        };
        let Some((from, text)) = names.iter().find_map(|name| Some((*name, variables.get(name)?))) else { return Ok(None) };
        let no_proxy = variables.get("no_proxy").or_else(|| variables.get("NO_PROXY")).unwrap_or_default();
        let no_proxy = list(&no_proxy);
        if is_reached_directly(&target, &no_proxy) {
            return Ok(None);
        }
        let url = read(&text).ok_or_else(|| {
            let hint = "write `http://HOST:PORT`, unset it, or list the server in NO_PROXY";
            Fault::usage(format!("{from} holds no address of an HTTP proxy"), hint)
        })?;
        Ok(Some(Proxy { url: SecretString::from(url), no_proxy, from }))
    }
}

/// The address of an HTTP proxy; `http://` where no scheme is written.
fn read(text: &str) -> Option<String> {
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&text).ok()?;
    let fine = matches!(url.scheme(), "http" | "https") && url.host().is_some() && url.query().is_none();
    fine.then(|| url.to_string())
}

/// Reads the value of `NO_PROXY`: entries between commas or blanks.
pub fn list(text: &str) -> Vec<String> {
    let entries = text.split(|c: char| c == ',' || c.is_whitespace()).map(str::trim);
    entries.filter(|entry| !entry.is_empty()).map(str::to_lowercase).collect()
}

/// Whether `NO_PROXY` names a server: `*`, a domain with all below it, an address, a range of addresses, each with or without
/// a port.
fn is_reached_directly(target: &Url, no_proxy: &[String]) -> bool {
    let port = target.port_or_known_default();
    let host = match target.host() {
        Some(Host::Domain(name)) => Named::Domain(name.trim_end_matches('.').to_lowercase()),
        Some(Host::Ipv4(address)) => Named::Address(address.into()),
        Some(Host::Ipv6(address)) => Named::Address(address.into()),
        None => return false,
    };
    no_proxy.iter().any(|entry| matches_entry(&host, port, entry))
}

enum Named {
    Domain(String),
    Address(IpAddr),
}

fn matches_entry(host: &Named, port: Option<u16>, entry: &str) -> bool {
    if entry == "*" {
        return true;
    }
    let (name, wanted) = with_port(entry);
    if wanted.is_some() && wanted != port {
        return false;
    }
    match host {
        Named::Domain(domain) => {
            let name = name.trim_start_matches("*.").trim_start_matches('.').trim_end_matches('.');
            !name.is_empty() && (domain == name || domain.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')))
        }
        Named::Address(address) => match name.split_once('/') {
            Some((base, bits)) => within(*address, base, bits),
            None => name.parse() == Ok(*address),
        },
    }
}

/// `host:80`, `[::1]:80`, `::1`.
fn with_port(entry: &str) -> (&str, Option<u16>) {
    if let Some((name, rest)) = entry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (name, rest.strip_prefix(':').and_then(|port| port.parse().ok()));
    }
    match entry.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (entry, None),
        },
        _ => (entry, None),
    }
}

fn within(address: IpAddr, base: &str, bits: &str) -> bool {
    let (Ok(base), Ok(bits)) = (base.parse::<IpAddr>(), bits.parse::<u32>()) else { return false };
    match (address, base) {
        (IpAddr::V4(address), IpAddr::V4(base)) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            address.to_bits() & mask == base.to_bits() & mask
        }
        (IpAddr::V6(address), IpAddr::V6(base)) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            address.to_bits() & mask == base.to_bits() & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use secrecy::ExposeSecret;

    fn towards(target: &str, set: &'static [(&str, &str)]) -> Result<Option<String>, Fault> {
        let variables = Variables::of(|name| set.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned()));
        let proxy = Proxy::towards(target, &variables)?;
        Ok(proxy.map(|proxy| format!("{} {}", proxy.from, proxy.url.expose_secret())))
    }

    #[test]
    fn the_variable_of_the_scheme_goes_first() {
        let set: &[(&str, &str)] = &[("HTTPS_PROXY", "http://s:1"), ("HTTP_PROXY", "http://p:2"), ("ALL_PROXY", "http://a:3")];
        let rows = [
            ("https://host/v1", set, Some("HTTPS_PROXY http://s:1/")),
            ("http://host/v1", set, Some("HTTP_PROXY http://p:2/")),
            ("https://host", &set[1..], Some("ALL_PROXY http://a:3/")),
            (
                "https://host",
                &[("https_proxy", "proxy:3128"), ("HTTPS_PROXY", "http://s:1")],
                Some("https_proxy http://proxy:3128/"),
            ),
            ("https://host", &[("HTTPS_PROXY", " ")], None),
            ("https://host", &[("http_proxy", "http://p:2")], None),
            ("http://127.0.0.1:8080/v1", set, None),
            ("http://localhost/v1", set, None),
            ("no address", set, None),
        ];
        for (target, set, expected) in rows {
            assert_eq!(towards(target, set).expect(target).as_deref(), expected, "{target} {set:?}");
        }
    }

    #[test]
    fn hosts_that_no_proxy_names_are_reached_directly() {
        let rows = [
            ("https://api.example.com", "*", true),
            ("https://api.example.com", "example.com", true),
            ("https://api.example.com", ".example.com", true),
            ("https://api.example.com", "*.example.com", true),
            ("https://API.example.com.", "other, api.EXAMPLE.com", true),
            ("https://api.example.com", "api.example.com:443", true),
            ("https://api.example.com", "api.example.com:8443", false),
            ("https://badexample.com", "example.com", false),
            ("https://example.com.evil", "example.com", false),
            ("https://10.1.2.3", "10.0.0.0/8", true),
            ("https://11.1.2.3", "10.0.0.0/8", false),
            ("https://11.1.2.3", "0.0.0.0/0", true),
            ("https://10.1.2.3:9", "10.1.2.3:9 x", true),
            ("https://[2001:db8::1]", "2001:db8::/32", true),
            ("https://[2001:db8::1]", "2001:db8::1", true),
            ("https://[2001:db8::1]:9", "[2001:db8::1]:9", true),
            ("https://[2001:db8::1]", "::/0", true),
            ("https://10.1.2.3", "10.0.0.0/99,/8,10/x", false),
            ("https://host", ", ,", false),
        ];
        for (target, no_proxy, direct) in rows {
            let url = Url::parse(target).expect(target);
            assert_eq!(is_reached_directly(&url, &list(no_proxy)), direct, "{target} {no_proxy}");
        }
    }

    #[test]
    fn a_bad_proxy_is_a_fault_that_does_not_repeat_it() {
        for set in [&[("HTTPS_PROXY", "socks5://me:canary@host")], &[("HTTPS_PROXY", "http://me:canary@")]]
            as [&'static [(&str, &str)]; 2]
        {
            let fault = towards("https://host", set).expect_err("refused");
            assert!(fault.what.starts_with("HTTPS_PROXY holds no address"), "{}", fault.what);
            assert!(!fault.what.contains("canary") && !fault.hint.contains("canary"));
        }
        let variables = Variables::of(|name| (name == "ALL_PROXY").then(|| "http://me:canary@host:1".to_owned()));
        let proxy = Proxy::towards("https://x", &variables).expect("reads").expect("set");
        assert!(!format!("{proxy:?}").contains("canary"));
    }

    proptest! {
        #[test]
        fn any_list_is_read(text in "(?s).{0,60}") {
            let url = Url::parse("https://10.0.0.1:1").expect("url");
            let _ = is_reached_directly(&url, &list(&text));
        }
    }
}
