use super::*;
use crate::fake_model::Piece;
use std::path::Path;
use std::sync::Arc;
use tamis::agent::http::{Pace, Player, Recorder};
use tamis::model::answer::FaultClass;

const TEXT: &str = r#"{"findings":["“fast” — 多快?"]}"#;

/// Everything that a folder holds.
fn held(folder: &Path) -> Vec<u8> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.flat_map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file")).collect()
}

fn holds(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// A recording client of a server with these answers.
async fn recording(api: Api, plays: Vec<Play>, folder: &Path) -> (FakeModel, Client, Arc<Recorder>) {
    let server = FakeModel::start(expected(api, true), plays).await;
    let recorder = Arc::new(Recorder::open(folder, [&SecretString::from(CANARY)]).expect("a recorder"));
    let servers = Servers::recording(Arc::clone(&recorder), None);
    let client = servers.client(endpoint(api, server.base_url(api))).expect("a client");
    (server, client, recorder)
}

/// A client of recordings; its server is a name that does not exist.
fn replaying(api: Api, folder: &Path) -> Client {
    let player = Arc::new(Player::open(folder, Pace::AtOnce).expect("a player"));
    let mut endpoint = endpoint(api, "https://nowhere.invalid/v1".into());
    endpoint.key = None;
    Servers::replaying(player).client(endpoint).expect("a client")
}

#[tokio::test]
async fn what_was_recorded_plays_as_it_was_and_holds_no_key() {
    for api in APIS {
        let folder = tempfile::tempdir().expect("a folder");
        let plays = vec![
            Play::error(api, 429, "rate_limit_error", &format!("{CANARY} is too eager")).header("retry-after-ms", 3),
            Play::stream_until(api, TEXT, 2, Piece::Break),
            Play::stream(api, TEXT),
            Play::error(api, 401, "authentication_error", &format!("bad key {CANARY}")),
        ];
        let (server, client, recorder) = recording(api, plays, folder.path()).await;
        let lived = ask(&client).await.expect("an answer");
        let refused = ask_about(&client, "Another.").await.expect_err("refused");
        assert_eq!((lived.sent, lived.retries), (3, 2));
        assert_eq!(recorder.trouble(), []);
        server.checked(4);
        let bytes = held(folder.path());
        for part in [CANARY, "canary", "authorization", "x-api-key", "Bearer"] {
            assert!(!holds(&bytes, part), "{part} in a cassette");
        }
        assert!(holds(&bytes, "too eager") && holds(&bytes, "[key]"));

        let client = replaying(api, folder.path());
        assert_eq!(ask(&client).await.expect("the recorded answer"), lived);
        let replayed = ask_about(&client, "Another.").await.expect_err("the recorded refusal");
        assert_eq!(replayed, refused);
        server.checked(4);
    }
}

#[tokio::test]
async fn a_request_that_was_not_recorded_is_a_named_miss() {
    for api in APIS {
        let folder = tempfile::tempdir().expect("a folder");
        let (server, client, _) = recording(api, vec![Play::stream(api, TEXT)], folder.path()).await;
        ask_about(&client, "Dimension: wording.").await.expect("an answer");
        let client = replaying(api, folder.path());
        let failed = ask_about(&client, "Dimension: worth.").await.expect_err("a miss");
        assert_eq!((failed.fault.class, failed.retries), (FaultClass::NotRecorded, 0));
        assert!(failed.fault.what.contains("wording") && failed.fault.what.contains("worth"), "{failed}");
        server.checked(1);
    }
}

#[tokio::test]
async fn a_dialect_that_was_learnt_before_a_request_was_made_is_found_in_its_recording() {
    let api = Api::OpenAi;
    let folder = tempfile::tempdir().expect("a folder");
    let refused = Play::error(api, 400, "invalid_request_error", "response_format is not supported");
    let plays = vec![refused.clone(), refused, Play::stream(api, TEXT), Play::stream(api, TEXT)];
    let (server, client, _) = recording(api, plays, folder.path()).await;
    let first = ask_about(&client, "One.").await.expect("an answer");
    let second = ask_about(&client, "Two.").await.expect("an answer");
    assert_eq!((first.sent, second.sent, second.rung), (3, 1, Rung::Object));
    server.checked(4);
    // In another order than it was recorded: nothing has been learnt when the second is asked.
    let client = replaying(api, folder.path());
    assert_eq!(ask_about(&client, "Two.").await.expect("the recorded answer"), second);
    assert_eq!(client.rung(), Rung::Object);
}

#[tokio::test]
async fn a_call_that_a_person_stopped_is_not_kept() {
    let api = Api::Anthropic;
    let folder = tempfile::tempdir().expect("a folder");
    let (server, client, recorder) = recording(api, vec![Play::stream_until(api, TEXT, 2, Piece::Stall)], folder.path()).await;
    let cancel = CancellationToken::new();
    let (prompt, schema) = (prompt("Dimension: wording."), schema());
    let call = Call { prompt: &prompt, turns: &[], schema_name: "findings", schema: &schema };
    client.complete(&call, &mut |_| cancel.cancel(), &cancel).await.expect_err("cancelled");
    server.hung_up().await;
    assert_eq!(recorder.trouble(), []);
    assert_eq!(held(folder.path()), b"");
}

#[tokio::test]
async fn what_was_recorded_tells_how_to_ask_again() {
    let folder = tempfile::tempdir().expect("a folder");
    for api in APIS {
        let (_server, client, _) = recording(api, vec![Play::stream(api, TEXT)], folder.path()).await;
        ask(&client).await.expect("an answer");
    }
    let recorded = Player::open(folder.path(), Pace::Real).expect("a player").recorded();
    let told: Vec<_> = recorded.iter().map(|one| (one.api, one.model.as_str(), one.max_output, one.stream)).collect();
    assert_eq!(told, [("anthropic", "tiny", 512, true), ("openai", "tiny", 512, true)]);
}
