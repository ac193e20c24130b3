//! Clients against servers on loopback: real sockets, real time, and a server that looks at every request.

#[path = "../common/fake_model.rs"]
mod fake_model;

mod acp;
mod answers;
mod canary;
mod caps;
mod doctor;
mod failures;
mod house;
mod mend;
mod named;
mod paste;
mod planted;
#[path = "../common/processes.rs"]
mod processes;
mod programs;
mod replays;
mod seats;
mod tapes;
mod trust;
mod whole;

use fake_model::{Expected, FakeModel, Play};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::time::Duration;
use tamis::agent::http::{Client, Exchange, Failed, Servers};
use tamis::agent::wire::{Call, Prompt};
use tamis::config::roster::{Api, Endpoint, Rung, Timeouts};
use tokio_util::sync::CancellationToken;

const APIS: [Api; 2] = [Api::OpenAi, Api::Anthropic];
/// Must be found nowhere.
const CANARY: &str = "sk-canary/0123+456789abcdef";

fn endpoint(api: Api, base_url: String) -> Endpoint {
    Endpoint {
        name: format!("{}:tiny", api.word()),
        api,
        model: "tiny".into(),
        base_url,
        key: Some(SecretString::from(CANARY)),
        key_from: api.default_key_env().into(),
        headers: vec![("x-team".into(), "reviews".into())],
        max_output: 512,
        max_findings: 40,
        max_text: 2000,
        context: None,
        concurrency: 4,
        prices: None,
        timeouts: Timeouts::default(),
        stream: true,
        shape: Rung::Schema,
        warm_cache: false,
    }
}

fn expected(api: Api, stream: bool) -> Expected {
    Expected { api, key: Some(CANARY.into()), model: "tiny".into(), stream }
}

/// A server with these answers, and a client of it.
async fn pair(api: Api, plays: Vec<Play>) -> (FakeModel, Client) {
    with(api, plays, |_| {}).await
}

/// The same, with settings of the endpoint changed.
async fn with(api: Api, plays: Vec<Play>, change: impl FnOnce(&mut Endpoint)) -> (FakeModel, Client) {
    let mut wanted = endpoint(api, String::new());
    change(&mut wanted);
    let server = FakeModel::start(expected(api, wanted.stream), plays).await;
    wanted.base_url = server.base_url(api);
    let client = Servers::live(None).client(wanted).expect("a client");
    (server, client)
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"findings": {"type": "array", "maxItems": 9, "items": {"type": "string", "maxLength": 99}}},
        "required": ["findings"],
        "additionalProperties": false,
    })
}

fn prompt(own: &str) -> Prompt {
    Prompt { system: "You review.".into(), shared: "1 The export is fast — 导出很快.\n".into(), own: own.into() }
}

async fn ask(client: &Client) -> Result<Exchange, Failed> {
    ask_about(client, "Dimension: wording.").await
}

async fn ask_about(client: &Client, own: &str) -> Result<Exchange, Failed> {
    let (prompt, schema) = (prompt(own), schema());
    let call = Call { prompt: &prompt, turns: &[], schema_name: "findings", schema: &schema };
    client.complete(&call, &mut |_| {}, &CancellationToken::new()).await
}

/// The bodies of all requests are one.
#[track_caller]
fn same_bodies(server: &FakeModel) {
    let seen = server.seen();
    assert!(seen.windows(2).all(|two| two[0].body == two[1].body), "the same request has the same bytes");
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}
