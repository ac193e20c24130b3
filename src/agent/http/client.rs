//! One call of a model from its beginning to its end: waiting for a turn, sending, reading, and sending again where that helps.

use super::cassette::{Ended, Recorder};
use super::fault::{cancelled, no_answer, redirected, too_slow};
use super::limit::Limiter;
use super::play::Player;
use super::retry::{Next, asked_pause, decide};
use super::transport::{Address, Proxy, Response, Transport, connections};
use crate::agent::wire::{self, Call, Completion, Dialect, Wants, WireFault};
use crate::config::roster::{Endpoint, Rung};
use crate::config::secrets::{Redactor, Streamed};
use crate::model::answer::Usage;
use crate::run::SystemClock;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;
use tokio_util::bytes::Bytes;
use tokio_util::sync::CancellationToken;

/// Of the body of a refusal, this much is read.
const REFUSAL: usize = 64 << 10;
/// How long the end of a body is waited for when the answer in it is over: with it the connection can be used again.
const LINGER: Duration = Duration::from_millis(200);

/// Makes clients. Those of one server and key share its connections, its limit on calls at one time, and what has been learnt
/// of how it wants to be spoken to.
#[derive(Debug)]
pub struct Servers {
    mode: Mode,
    proxy: Option<Proxy>,
    known: Mutex<Vec<Arc<Server>>>,
}

#[derive(Debug)]
enum Mode {
    Live,
    Recording(Arc<Recorder>),
    Replaying(Arc<Player>),
}

/// A server, reached with one key.
struct Server {
    origin: String,
    key: Option<SecretString>,
    transport: Transport,
    limiter: Arc<Limiter>,
    /// By base URL and model: what its answers have shown to work.
    dialects: Mutex<BTreeMap<(String, String), Dialect>>,
}

/// Asks the model of one endpoint. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    endpoint: Endpoint,
    address: Address,
    server: Arc<Server>,
    redactor: Redactor,
}

/// An answer, and what it took to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The answer.
    pub completion: Completion,
    /// Requests sent.
    pub sent: u32,
    /// Of these, the same request sent again.
    pub retries: u32,
    /// How the shape of the answer was asked for in the end.
    pub rung: Rung,
    /// What the requests before the last one cost, where the server said.
    pub wasted: Usage,
}

/// No answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Failed {
    /// The last failure.
    pub fault: WireFault,
    /// Requests sent.
    pub sent: u32,
    /// Of these, the same request sent again.
    pub retries: u32,
    /// What all of them cost, where the server said.
    pub usage: Usage,
    /// A person told it to stop.
    pub cancelled: bool,
}

/// What a call has come to so far.
#[derive(Default)]
struct Tally {
    sent: u32,
    retries: u32,
    usage: Usage,
}

/// How an attempt at one request ended.
enum Attempt {
    Done(Completion),
    Failed(WireFault, Option<Wants>),
    Cancelled(Usage),
}

enum Raced<T> {
    Done(T),
    Late,
    Cancelled,
}

impl Servers {
    /// Servers over sockets.
    pub fn live(proxy: Option<Proxy>) -> Servers {
        Servers { mode: Mode::Live, proxy, known: Mutex::default() }
    }

    /// Servers over sockets, and what they answer is kept.
    pub fn recording(recorder: Arc<Recorder>, proxy: Option<Proxy>) -> Servers {
        Servers { mode: Mode::Recording(recorder), proxy, known: Mutex::default() }
    }

    /// Recordings in place of servers: no socket is opened.
    pub fn replaying(player: Arc<Player>) -> Servers {
        Servers { mode: Mode::Replaying(player), proxy: None, known: Mutex::default() }
    }

    /// A client for an endpoint. Where several endpoints stand at one server with one key, the lowest `concurrency` holds for
    /// all of them together, and the connect timeout of the first.
    ///
    /// # Errors
    /// The endpoint's URL, key or headers cannot be sent, or the system's certificates cannot be read.
    pub fn client(&self, endpoint: Endpoint) -> Result<Client, WireFault> {
        let address = Address::new(&endpoint)?;
        let server = self.server(&endpoint)?;
        let redactor = Redactor::new(&endpoint.key);
        Ok(Client { inner: Arc::new(Inner { address, server, redactor, endpoint }) })
    }

    fn server(&self, endpoint: &Endpoint) -> Result<Arc<Server>, WireFault> {
        let origin = endpoint.server();
        let key = endpoint.key.as_ref().map(ExposeSecret::expose_secret);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |server: &&Arc<Server>| server.origin == origin && server.key.as_ref().map(ExposeSecret::expose_secret) == key;
        if let Some(server) = known.iter().find(same) {
            server.limiter.lower(endpoint.concurrency);
            return Ok(Arc::clone(server));
        }
        let transport = match &self.mode {
            Mode::Live => Transport::Live(connections(endpoint, self.proxy.as_ref())?),
            Mode::Recording(recorder) => Transport::Recording(connections(endpoint, self.proxy.as_ref())?, Arc::clone(recorder)),
            Mode::Replaying(player) => Transport::Replaying(Arc::clone(player)),
        };
        let limiter = Limiter::new(endpoint.concurrency);
        let server = Arc::new(Server { origin, key: endpoint.key.clone(), transport, limiter, dialects: Mutex::default() });
        known.push(Arc::clone(&server));
        Ok(server)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = &self.inner.endpoint;
        f.debug_struct("Client").field("name", &endpoint.name).field("server", &endpoint.server()).finish_non_exhaustive()
    }
}

impl Server {
    fn dialects(&self) -> MutexGuard<'_, BTreeMap<(String, String), Dialect>> {
        self.dialects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.inner.endpoint
    }

    /// How the shape of an answer would be asked for now.
    pub fn rung(&self) -> Rung {
        self.dialect().rung
    }

    /// Asks, and reads the answer; `said` is told its text as it comes, after a retry from the beginning again.
    ///
    /// A failure that may pass is met by sending the same bytes again, within [`MAX_RETRIES`](super::MAX_RETRIES); a refusal of
    /// how the request is put, by putting it another way. Dropping the future closes the connection; so does `cancel`, which
    /// also tells what was spent.
    ///
    /// # Errors
    /// The last failure, by its name.
    pub async fn complete(
        &self,
        call: &Call<'_>,
        said: &mut (dyn FnMut(&str) + Send),
        cancel: &CancellationToken,
    ) -> Result<Exchange, Failed> {
        let server = &self.inner.server;
        let mut tally = Tally::default();
        let mut request: Option<(Dialect, Bytes)> = None;
        let (mut tries, mut renamed) = (0, false);
        loop {
            let Some(permit) = unless(cancel, server.limiter.acquire()).await else {
                return Err(tally.cancelled(Usage::default()));
            };
            // Made once it is sent: what others learnt while this one waited is known then.
            let (dialect, body) = request.get_or_insert_with(|| self.request(call)).clone();
            tally.sent += 1;
            tally.retries += u32::from(tries > 0);
            tries += 1;
            let (fault, wants) = match self.attempt(&body, dialect, said, cancel).await {
                Attempt::Done(completion) => {
                    permit.succeeded();
                    return Ok(tally.exchange(completion, dialect.rung));
                }
                Attempt::Cancelled(usage) => return Err(tally.cancelled(usage)),
                Attempt::Failed(fault, wants) => (fault, wants),
            };
            tally.usage = tally.usage.plus(fault.usage);
            self.hold(&fault);
            if matches!(fault.status, 429 | 529) {
                permit.refused();
            } else {
                drop(permit);
            }
            if let Some(other) = wants.and_then(|wants| step(dialect, wants, &mut renamed)) {
                request = Some((other, self.body(call, other)));
                tries = 0;
                continue;
            }
            match decide(&fault, tries, fastrand::f64()) {
                Next::Spent(fault) => return Err(tally.failed(fault, false)),
                Next::Again { after } => {
                    let seconds = after.as_secs_f64().ceil();
                    said(&format!("\n[{}; asked again in {seconds} s]\n", fault.what));
                    if !server.transport.is_at_once() && unless(cancel, tokio::time::sleep(after)).await.is_none() {
                        return Err(tally.cancelled(Usage::default()));
                    }
                }
            }
        }
    }

    /// Holds all callers of the server where it asks for that.
    fn hold(&self, fault: &WireFault) {
        let server = &self.inner.server;
        if let Some(wait) = asked_pause(fault)
            && matches!(fault.status, 429 | 503 | 529)
            && !server.transport.is_at_once()
        {
            server.limiter.pause(wait);
        }
    }

    /// The endpoint's own way to be asked, or one that its server has been found to want instead.
    fn dialect(&self) -> Dialect {
        let Inner { endpoint, server, .. } = &*self.inner;
        let first = Dialect::first(endpoint);
        let learnt = server.dialects().get(&(endpoint.base_url.clone(), endpoint.model.clone())).copied();
        learnt.map_or(first, |learnt| Dialect { rung: first.rung.max(learnt.rung), ..learnt })
    }

    /// A request was taken as it was put: the next ones are put like that. Where it was put as the settings say, nothing is
    /// learnt: another endpoint may ask the same model in a stricter way.
    fn learn(&self, dialect: Dialect) {
        let Inner { endpoint, server, .. } = &*self.inner;
        if dialect == Dialect::first(endpoint) {
            return;
        }
        server.dialects().insert((endpoint.base_url.clone(), endpoint.model.clone()), dialect);
    }

    fn body(&self, call: &Call<'_>, dialect: Dialect) -> Bytes {
        Bytes::from(wire::request(&self.inner.endpoint, call, dialect))
    }

    /// What is sent first. A recording may come from a moment at which more, or less, was known of the server: there, whatever
    /// is recorded is asked for.
    fn request(&self, call: &Call<'_>) -> (Dialect, Bytes) {
        let Inner { endpoint, server, .. } = &*self.inner;
        let known = self.dialect();
        let first = (known, self.body(call, known));
        if server.transport.may_answer(endpoint.api, &first.1) {
            return first;
        }
        let rungs = std::iter::successors(Some(known.rung), |rung| rung.below());
        let others = rungs.flat_map(|rung| [false, true].map(|max_completion_tokens| Dialect { rung, max_completion_tokens }));
        others
            .map(|dialect| (dialect, self.body(call, dialect)))
            .find(|(_, body)| server.transport.may_answer(endpoint.api, body))
            .unwrap_or(first)
    }

    /// Sends a request once and reads what comes.
    async fn attempt(
        &self,
        body: &Bytes,
        dialect: Dialect,
        said: &mut (dyn FnMut(&str) + Send),
        cancel: &CancellationToken,
    ) -> Attempt {
        let Inner { endpoint, address, server, redactor } = &*self.inner;
        let clock = Deadlines::start(endpoint);
        let sent = race(clock.first, cancel, server.transport.send(endpoint, address, body)).await;
        let response = match sent {
            Raced::Cancelled => return Attempt::Cancelled(Usage::default()),
            Raced::Late => return Attempt::Failed(no_answer(endpoint, clock.first - clock.began), None),
            Raced::Done(Err(fault)) => return self.failure(fault, None),
            Raced::Done(Ok(response)) => response,
        };
        match response.status {
            200..=299 => {
                self.learn(dialect);
                let mut pieces = Streamed::new(redactor);
                let mut tell = |text: &str| said(&String::from_utf8_lossy(&pieces.push(text.as_bytes())));
                match self.read(response, &clock, &mut tell, cancel).await {
                    Attempt::Failed(fault, wants) => self.failure(fault, wants),
                    Attempt::Done(completion) => {
                        said(&String::from_utf8_lossy(&pieces.end()));
                        Attempt::Done(completion)
                    }
                    cancelled => cancelled,
                }
            }
            status @ 300..=399 => {
                let location = response.header("location").map(|location| redactor.redact(location));
                let fault = redirected(endpoint, status, location.as_deref());
                response.close(Ended::End).await;
                self.failure(fault, None)
            }
            _ => self.refused(response, &clock, cancel).await,
        }
    }

    /// Reads an answer.
    async fn read(
        &self,
        mut response: Response,
        clock: &Deadlines,
        said: &mut (dyn FnMut(&str) + Send),
        cancel: &CancellationToken,
    ) -> Attempt {
        let endpoint = &self.inner.endpoint;
        let mut reader = wire::Reader::new(endpoint.api, endpoint.stream);
        // Taken out before anything is read or cut: half a key would not be known for one.
        let mut bytes = Streamed::new(&self.inner.redactor);
        let mut until = clock.first;
        let (mut any, mut over) = (false, None);
        let fault = loop {
            match race(until, cancel, response.chunk()).await {
                Raced::Cancelled => return Attempt::Cancelled(reader.broken("cancelled").usage),
                Raced::Done(Ok(Some(piece))) => {
                    if let Err(fault) = reader.chunk(&bytes.push(&piece), &mut *said) {
                        response.close(Ended::End).await;
                        return Attempt::Failed(fault, None);
                    }
                    any = true;
                    if reader.is_over() {
                        over = over.or(Some(Instant::now() + LINGER));
                    }
                    // Looked at here as well: while bytes keep coming, no timer is.
                    let now = Instant::now();
                    if over.is_some_and(|over| now >= over) {
                        return self.whole(response, reader).await;
                    }
                    if over.is_none() && now >= clock.total {
                        break too_slow(endpoint, reader.broken("too slow").usage);
                    }
                    until = over.unwrap_or_else(|| clock.total.min(now + endpoint.timeouts.idle));
                }
                // Whatever comes or does not come after an answer is over takes nothing from it.
                Raced::Done(_) | Raced::Late if over.is_some() => return self.whole(response, reader).await,
                Raced::Done(Ok(None)) => {
                    if let Err(fault) = reader.chunk(&bytes.end(), &mut *said) {
                        response.close(Ended::End).await;
                        return Attempt::Failed(fault, None);
                    }
                    return self.whole(response, reader).await;
                }
                Raced::Done(Err(why)) => break reader.broken(&why),
                Raced::Late if Instant::now() >= clock.total => break too_slow(endpoint, reader.broken("too slow").usage),
                Raced::Late if any => break reader.stalled(endpoint.timeouts.idle.as_secs()),
                Raced::Late => break no_answer(endpoint, clock.first - clock.began),
            }
        };
        response.close(Ended::Broken).await;
        Attempt::Failed(fault, None)
    }

    /// The body has ended, or all that counts of it has come.
    async fn whole(&self, response: Response, reader: wire::Reader) -> Attempt {
        let completion = match reader.end() {
            Ok(completion) => completion,
            Err(fault) => {
                response.close(Ended::End).await;
                return Attempt::Failed(fault, None);
            }
        };
        let known = self.inner.redactor.clone().of_values();
        let (text, model) = (known.redact(&completion.text), known.redact(&completion.model));
        if *text == completion.text && *model == completion.model {
            response.close(Ended::End).await;
            return Attempt::Done(completion);
        }
        // The bytes hold it in pieces, or in an odd spelling: a recording of them would give it away when it is played.
        response.spoil();
        Attempt::Done(Completion { text: text.into_owned(), model: model.into_owned(), usage: completion.usage })
    }

    /// Reads why a request was refused, as far as anybody wants to know.
    async fn refused(&self, mut response: Response, clock: &Deadlines, cancel: &CancellationToken) -> Attempt {
        let Inner { endpoint, redactor, .. } = &*self.inner;
        let mut body = Vec::new();
        let until = clock.total.min(Instant::now() + endpoint.timeouts.idle);
        let ended = loop {
            match race(until, cancel, response.chunk()).await {
                Raced::Cancelled => return Attempt::Cancelled(Usage::default()),
                Raced::Done(Ok(Some(bytes))) => body.extend_from_slice(&bytes[..bytes.len().min(REFUSAL - body.len())]),
                Raced::Done(Ok(None)) => break Ended::End,
                // The status alone says enough.
                Raced::Done(Err(_)) | Raced::Late => break Ended::Broken,
            }
            if body.len() >= REFUSAL {
                break Ended::End;
            }
        };
        // Before it is cut: half a key would not be known for one.
        let body = redactor.redact_bytes(&body).into_owned();
        let now = SystemClock::timestamp().as_millisecond();
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap_or(0));
        let (fault, wants) = wire::refused(endpoint.api, response.status, &response.headers, &body, now);
        response.close(ended).await;
        self.failure(fault, wants)
    }

    /// A failure without keys in its words.
    fn failure(&self, fault: WireFault, wants: Option<Wants>) -> Attempt {
        let what = self.inner.redactor.redact_cut(&fault.what);
        Attempt::Failed(WireFault { what, ..fault }, wants)
    }
}

/// When an attempt is given up.
struct Deadlines {
    began: Instant,
    /// Until the first byte of the body. An answer that is no stream begins when it is complete.
    first: Instant,
    total: Instant,
}

impl Deadlines {
    fn start(endpoint: &Endpoint) -> Deadlines {
        let began = Instant::now();
        let total = began + endpoint.timeouts.total;
        let first = if endpoint.stream { total.min(began + endpoint.timeouts.first_byte) } else { total };
        Deadlines { began, first, total }
    }
}

impl Tally {
    fn exchange(self, completion: Completion, rung: Rung) -> Exchange {
        Exchange { completion, sent: self.sent, retries: self.retries, rung, wasted: self.usage }
    }

    fn failed(self, fault: WireFault, cancelled: bool) -> Failed {
        Failed { fault, sent: self.sent, retries: self.retries, usage: self.usage, cancelled }
    }

    fn cancelled(self, usage: Usage) -> Failed {
        let usage = self.usage.plus(usage);
        Failed { usage, ..self.failed(cancelled(usage), true) }
    }
}

/// Another way to put a request that was refused as it was put; `None` where there is none that was not tried in this call.
fn step(used: Dialect, wants: Wants, renamed: &mut bool) -> Option<Dialect> {
    match wants {
        Wants::RungBelow => used.rung.below().map(|rung| Dialect { rung, ..used }),
        Wants::OtherLimit if *renamed => None,
        Wants::OtherLimit => {
            *renamed = true;
            Some(Dialect { max_completion_tokens: !used.max_completion_tokens, ..used })
        }
    }
}

/// What a future gives; `None` where a person stops it before.
async fn unless<T>(cancel: &CancellationToken, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        done = work => Some(done),
    }
}

async fn race<T>(until: Instant, cancel: &CancellationToken, work: impl Future<Output = T>) -> Raced<T> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Raced::Cancelled,
        done = work => Raced::Done(done),
        () = tokio::time::sleep_until(until) => Raced::Late,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_ends_and_the_limit_changes_its_name_once() {
        let mut renamed = false;
        let mut dialect = Dialect { rung: Rung::Schema, max_completion_tokens: false };
        let mut rungs = vec![dialect.rung];
        while let Some(below) = step(dialect, Wants::RungBelow, &mut renamed) {
            assert!(!below.max_completion_tokens);
            dialect = below;
            rungs.push(dialect.rung);
        }
        assert_eq!(rungs, [Rung::Schema, Rung::SchemaWithoutLimits, Rung::Object, Rung::Prompt]);
        let other = step(dialect, Wants::OtherLimit, &mut renamed).expect("the other name");
        assert!(other.max_completion_tokens && other.rung == Rung::Prompt);
        assert_eq!(step(other, Wants::OtherLimit, &mut renamed), None);
    }
}
