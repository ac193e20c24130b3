//! Asks a model one question through the client and shows how that went; no review, no settings. `.ci/llmock` drives it.
//!
//! `cargo run --example ask -- openai http://127.0.0.1:8000/v1 MODEL`

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;
use tamis::agent::http::Servers;
use tamis::agent::wire::{Call, Prompt};
use tamis::config::roster::{Api, Endpoint, Rung, Timeouts};
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let api = [Api::OpenAi, Api::Anthropic].into_iter().find(|api| args.first().is_some_and(|word| word == api.word()));
    let (Some(api), [_, base_url, model]) = (api, args.as_slice()) else {
        return show("usage: ask openai|anthropic BASE_URL MODEL", 2);
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return show(&error.to_string(), 2),
    };
    runtime.block_on(ask(endpoint(api, base_url, model)))
}

async fn ask(endpoint: Endpoint) -> ExitCode {
    let client = match Servers::live(None).client(endpoint) {
        Ok(client) => client,
        Err(fault) => return show(&fault.to_string(), 2),
    };
    let prompt = Prompt { system: String::new(), shared: "The export is fast.".into(), own: "Is that measurable?".into() };
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"answer": {"type": "string", "maxLength": 400}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    let call = Call { prompt: &prompt, turns: &[], schema_name: "answer", schema: &schema };
    match client.complete(&call, &mut |_| {}, &CancellationToken::new()).await {
        Ok(exchange) => {
            let (sent, bytes) = (exchange.sent, exchange.completion.text.len());
            show(&format!("answered: {bytes} bytes, {sent} requests, {}", exchange.rung.word()), 0)
        }
        Err(failed) => show(&format!("{}: {failed}, {} requests", failed.fault.class.word(), failed.sent), 1),
    }
}

fn endpoint(api: Api, base_url: &str, model: &str) -> Endpoint {
    let idle = Duration::from_millis(1500);
    Endpoint {
        name: format!("{}:{model}", api.word()),
        api,
        model: model.into(),
        base_url: base_url.trim_end_matches('/').into(),
        key: Some(secrecy::SecretString::from("no-key-is-wanted")),
        key_from: String::new(),
        headers: Vec::new(),
        max_output: 256,
        max_findings: 40,
        max_text: 2000,
        context: None,
        concurrency: 1,
        prices: None,
        timeouts: Timeouts { idle, first_byte: Duration::from_secs(30), ..Timeouts::default() },
        stream: true,
        shape: Rung::Schema,
        warm_cache: false,
    }
}

fn show(line: &str, code: u8) -> ExitCode {
    let _ = writeln!(std::io::stdout(), "{line}");
    ExitCode::from(code)
}
