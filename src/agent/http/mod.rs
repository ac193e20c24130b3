//! Models behind servers: requests are sent, answers read, failures named and, where it helps, the same request sent again.
//!
//! What goes over the wire is made and read in [`wire`](super::wire); here are sockets, time and recordings. No rule about
//! findings and no prompt belongs here, and nothing here reads the environment.

mod cassette;
mod client;
mod fault;
mod limit;
mod play;
mod retry;
mod transport;

pub use cassette::{CassetteFault, Recorder};
pub use client::{Client, Exchange, Failed, Servers};
pub use limit::{Limiter, Permit};
pub use play::{Pace, Player, Recorded};
pub use retry::{MAX_RETRIES, Next, decide};
pub use transport::Proxy;
