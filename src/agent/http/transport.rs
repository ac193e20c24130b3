//! How a request reaches a server: over a socket, over a socket with a tape running, or from a tape alone.

use super::cassette::{Ended, Recorder, Taping};
use super::fault::{broke, cut, fault, unreached};
use super::play::{Pace, Player, Playing};
use crate::agent::wire::{self, WireFault};
use crate::config::roster::{Api, Endpoint};
use crate::model::answer::FaultClass;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;
use std::sync::{Arc, Once};
use tokio_util::bytes::Bytes;

/// A proxy between us and servers elsewhere; hosts of this machine and of private networks never go through it.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// Its address; a secret, for it may hold a password.
    pub url: SecretString,
    /// Hosts that are reached without it, in the form of `NO_PROXY`.
    pub except: String,
}

/// Where requests of one endpoint go, and the headers of each.
pub(super) struct Address {
    url: reqwest::Url,
    headers: HeaderMap,
}

/// The way to a server.
pub(super) enum Transport {
    /// Sockets.
    Live(reqwest::Client),
    /// Sockets, and what comes is kept.
    Recording(reqwest::Client, Arc<Recorder>),
    /// Recordings. There is nothing here that could open a socket.
    Replaying(Arc<Player>),
}

/// An answer whose body is still to come.
pub(super) struct Response {
    /// HTTP status.
    pub(super) status: u16,
    /// Headers, names in lower case.
    pub(super) headers: Vec<(String, String)>,
    source: Source,
}

enum Source {
    Live(reqwest::Response),
    Recording(reqwest::Response, Box<Taping>),
    Playing(Playing),
}

impl Address {
    /// Of an endpoint.
    pub(super) fn new(endpoint: &Endpoint) -> Result<Address, WireFault> {
        let rejected = |what: String| fault(FaultClass::Rejected, what, false);
        let url = reqwest::Url::parse(&format!("{}{}", endpoint.base_url, endpoint.api.path()))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
            .ok_or_else(|| rejected(format!("{}: the base URL is none: http:// or https:// and a host", endpoint.name)))?;
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        for (name, value) in wire::protocol_headers(endpoint.api) {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        for (name, value) in &endpoint.headers {
            let bad = || rejected(format!("{}: `{}` is no header that can be sent", endpoint.name, cut(name)));
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
            if ["host", "content-length", "transfer-encoding", "connection"].contains(&name.as_str()) {
                return Err(bad());
            }
            headers.insert(name, secret(value).ok_or_else(bad)?);
        }
        if let Some(key) = &endpoint.key {
            let (name, value) = match endpoint.api {
                Api::OpenAi => ("authorization", SecretString::from(format!("Bearer {}", key.expose_secret()))),
                Api::Anthropic => ("x-api-key", key.clone()),
            };
            let value = secret(value.expose_secret()).ok_or_else(|| {
                let what = format!("{}: the key from {} holds characters that no header takes", endpoint.name, endpoint.key_from);
                fault(FaultClass::Denied, what, false)
            })?;
            headers.insert(name, value);
        }
        Ok(Address { url, headers })
    }
}

/// A header's value that no debug output shows.
fn secret(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Connections to one server, kept open between requests.
pub(super) fn connections(endpoint: &Endpoint, proxy: Option<&Proxy>) -> Result<reqwest::Client, WireFault> {
    static RING: Once = Once::new();
    RING.call_once(|| {
        // Fails only where somebody else installed one; then theirs is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let failed = |error: reqwest::Error| fault(FaultClass::Failed, format!("{}: {}", endpoint.name, broke(&error)), false);
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("tamis/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(endpoint.timeouts.connect)
        .no_proxy();
    let url = url::Url::parse(&endpoint.base_url).ok();
    if url.as_ref().is_some_and(|url| url.scheme() == "http") {
        // Without TLS nothing needs the system's certificates, and machines without any can reach a model of their own.
        builder = builder.tls_certs_only([]);
    }
    if let (Some(proxy), Some(url)) = (proxy, &url)
        && !is_near(url)
    {
        let through = reqwest::Proxy::all(proxy.url.expose_secret()).map_err(failed)?;
        builder = builder.proxy(through.no_proxy(reqwest::NoProxy::from_string(&proxy.except)));
    }
    builder.build().map_err(failed)
}

/// Whether a server stands on this machine or in a private network: loopback, private and link-local addresses, and names that
/// no public zone has.
fn is_near(url: &url::Url) -> bool {
    let ip = match url.host() {
        None => return false,
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            return !name.contains('.') || [".localhost", ".local", ".internal"].iter().any(|end| name.ends_with(end));
        }
        Some(url::Host::Ipv4(ip)) => IpAddr::V4(ip),
        Some(url::Host::Ipv6(ip)) => ip.to_ipv4_mapped().map_or(IpAddr::V6(ip), IpAddr::V4),
    };
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified(),
    }
}

impl Transport {
    /// Sends a request; returns when the head of an answer is there.
    pub(super) async fn send(&self, endpoint: &Endpoint, address: &Address, body: &Bytes) -> Result<Response, WireFault> {
        let (client, recorder) = match self {
            Transport::Live(client) => (client, None),
            Transport::Recording(client, recorder) => (client, Some(recorder)),
            Transport::Replaying(player) => {
                let playing = player.play(endpoint.api, body)?;
                return Ok(Response { status: playing.status(), headers: playing.headers(), source: Source::Playing(playing) });
            }
        };
        let request = client.post(address.url.clone()).headers(address.headers.clone()).body(body.clone());
        let tape = recorder.map(|recorder| Taping::new(recorder, endpoint.api, body));
        let response = request.send().await.map_err(|error| unreached(endpoint, &error.without_url()))?;
        let status = response.status().as_u16();
        let headers: Vec<(String, String)> = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let source = match tape {
            Some(mut tape) => {
                tape.head(status, &headers);
                Source::Recording(response, Box::new(tape))
            }
            None => Source::Live(response),
        };
        Ok(Response { status, headers, source })
    }

    /// Whether an answer to a request can be had at all; a socket may always give one.
    pub(super) fn may_answer(&self, api: Api, body: &[u8]) -> bool {
        match self {
            Transport::Live(_) | Transport::Recording(..) => true,
            Transport::Replaying(player) => player.knows(api, body),
        }
    }

    /// Whether nothing is waited for: no server is there that would want it.
    pub(super) fn is_at_once(&self) -> bool {
        matches!(self, Transport::Replaying(player) if player.pace() == Pace::AtOnce)
    }
}

impl Response {
    /// The next bytes; `None` at the end, an error where it broke off, in words.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, String> {
        match &mut self.source {
            Source::Live(response) => response.chunk().await.map_err(|error| broke(&error)),
            Source::Recording(response, tape) => {
                let chunk = response.chunk().await.map_err(|error| broke(&error))?;
                if let Some(bytes) = &chunk {
                    tape.chunk(bytes);
                }
                Ok(chunk)
            }
            Source::Playing(playing) => playing.chunk().await,
        }
    }

    /// A header's value.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// It has to be kept by nobody.
    pub(super) fn spoil(self) {
        if let Source::Recording(_, tape) = self.source {
            tape.spoil();
        }
    }

    /// Everything that is wanted of it has been read: what is recorded is kept. Dropped without this, it is not.
    pub(super) async fn close(self, ended: Ended) {
        if let Source::Recording(_, tape) = self.source {
            tape.keep(ended).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_hosts_never_go_through_a_proxy() {
        let near = |host: &str| is_near(&url::Url::parse(&format!("http://{host}/v1")).expect("an address"));
        for host in ["localhost:1", "127.0.0.1", "127.9.9.9:80", "[::1]", "10.0.0.1", "172.16.0.9", "192.168.1.4", "169.254.1.1"]
        {
            assert!(near(host), "{host}");
        }
        for host in ["ollama:11434", "a.localhost", "gpu.local", "x.internal.", "[fd00::1]", "[fe80::1]", "[::ffff:10.0.0.1]"] {
            assert!(near(host), "{host}");
        }
        for host in ["api.openai.com", "172.32.0.1", "8.8.8.8", "[2001:db8::1]", "localhost.example.com", "xlocal.dev"] {
            assert!(!near(host), "{host}");
        }
    }
}
