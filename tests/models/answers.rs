use super::*;
use crate::fake_model::{Piece, rss_kib};
use tamis::model::answer::FaultClass;

const TEXT: &str = r#"{"findings":["“fast” is not measured — 多快?"]}"#;

#[tokio::test]
async fn a_stream_and_a_whole_answer_of_both_apis() {
    for api in APIS {
        for stream in [true, false] {
            let play = if stream { Play::stream(api, TEXT) } else { Play::whole(api, TEXT) };
            let (server, client) = with(api, vec![play.clone(), play], |endpoint| endpoint.stream = stream).await;
            let (prompt, schema) = (prompt("Dimension: wording."), schema());
            let call = Call { prompt: &prompt, turns: &[], schema_name: "findings", schema: &schema };
            let mut said = String::new();
            let exchange =
                client.complete(&call, &mut |text| said.push_str(text), &CancellationToken::new()).await.expect("an answer");
            assert_eq!(exchange.completion.text, TEXT);
            assert_eq!(exchange.completion.model, "tiny-1");
            assert_eq!((exchange.completion.usage.tokens_in, exchange.completion.usage.tokens_out), (11, 7));
            assert_eq!(exchange.completion.usage.cached, if stream { 3 } else { 0 });
            assert_eq!((exchange.sent, exchange.retries, exchange.rung), (1, 0, Rung::Schema));
            if stream {
                assert_eq!(said, TEXT, "said as it comes");
            }
            ask(&client).await.expect("an answer");
            server.checked(2);
            same_bodies(&server);
            assert_eq!(server.seen()[0].header("x-team"), Some("reviews"));
        }
    }
}

#[tokio::test]
async fn bytes_may_come_in_any_pieces() {
    for api in APIS {
        let whole = fake_model::events(api, TEXT).concat().into_bytes();
        for size in [1, 7, 4096] {
            let pieces = whole.chunks(size).map(|bytes| Piece::Bytes(bytes.to_vec())).collect();
            let (server, client) = pair(api, vec![Play { pieces, ..Play::stream(api, TEXT) }]).await;
            assert_eq!(ask(&client).await.expect("an answer").completion.text, TEXT);
            server.checked(1);
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_over_does_not_wait_for_a_body_that_does_not_end() {
    for api in APIS {
        let play = Play::stream_until(api, TEXT, 5, Piece::Stall);
        let (server, client) = pair(api, vec![play]).await;
        assert_eq!(ask(&client).await.expect("an answer").completion.text, TEXT);
        server.hung_up().await;
        server.checked(1);
    }
}

#[tokio::test]
async fn a_refused_schema_goes_down_the_ladder_and_is_remembered() {
    let refuse = |message: &str| Play::error(Api::OpenAi, 400, "invalid_request_error", message);
    let plays = vec![
        refuse("maxItems is not permitted in json_schema"),
        refuse("This response_format type is unavailable now"),
        Play::stream(Api::OpenAi, TEXT),
        Play::stream(Api::OpenAi, TEXT),
    ];
    let (server, client) = pair(Api::OpenAi, plays).await;
    let exchange = ask(&client).await.expect("an answer");
    assert_eq!((exchange.sent, exchange.retries, exchange.rung), (3, 0, Rung::Object));
    let exchange = ask(&client).await.expect("an answer");
    assert_eq!((exchange.sent, exchange.rung), (1, Rung::Object));
    server.checked(4);
    let bodies: Vec<_> = server.seen().iter().map(|seen| seen.body.clone()).collect();
    assert!(bodies[0] != bodies[1] && bodies[1] != bodies[2] && bodies[2] == bodies[3]);
    let asked = |n: usize| server.seen()[n].json()["response_format"]["type"].clone();
    assert_eq!((asked(1), asked(2)), (json!("json_schema"), json!("json_object")));
    assert!(!String::from_utf8_lossy(&bodies[1]).contains("maxItems"));
}

#[tokio::test]
async fn the_other_name_of_the_limit_is_learnt_for_the_server_and_model() {
    let refusal = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let plays = vec![
        Play::error(Api::OpenAi, 400, "invalid_request_error", refusal),
        Play::stream(Api::OpenAi, TEXT),
        Play::stream(Api::OpenAi, TEXT),
    ];
    let server = FakeModel::start(expected(Api::OpenAi, true), plays).await;
    let servers = Servers::live(None);
    let first = servers.client(endpoint(Api::OpenAi, server.base_url(Api::OpenAi))).expect("a client");
    let second = servers.client(endpoint(Api::OpenAi, server.base_url(Api::OpenAi))).expect("a client");
    assert_eq!(ask(&first).await.expect("an answer").sent, 2);
    assert_eq!(ask(&second).await.expect("an answer").sent, 1);
    server.checked(3);
    assert_eq!(server.seen()[2].json()["max_completion_tokens"], 512);
}

#[tokio::test]
async fn a_refusal_that_no_other_dialect_helps_is_told_and_teaches_nothing() {
    let refuse = || Play::error(Api::OpenAi, 400, "invalid_request_error", "the schema of this day is wrong");
    let mut plays: Vec<Play> = (0..4).map(|_| refuse()).collect();
    plays.push(Play::stream(Api::OpenAi, TEXT));
    let (server, client) = pair(Api::OpenAi, plays).await;
    let failed = ask(&client).await.expect_err("refused");
    assert_eq!((failed.fault.class, failed.sent, failed.retries), (FaultClass::Rejected, 4, 0));
    assert_eq!(client.rung(), Rung::Schema);
    assert_eq!(ask(&client).await.expect("an answer").rung, Rung::Schema);
    server.checked(5);
}

#[tokio::test]
async fn memory_stays_flat_over_a_hundred_megabytes() {
    let thought = "0123456789abcdef".repeat(1024);
    let piece = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
    let thoughts = piece(json!({"reasoning_content": thought})).into_bytes();
    let comments = format!(": {}\n\n", "x".repeat(64 << 10)).into_bytes();
    let mut play = Play::stream(Api::OpenAi, TEXT);
    play.pieces.insert(1, Piece::Times(comments, 1300));
    play.pieces.insert(2, Piece::Times(thoughts, 1300));
    let (server, client) = pair(Api::OpenAi, vec![play]).await;
    let before = rss_kib();
    assert_eq!(ask(&client).await.expect("an answer").completion.text, TEXT);
    let most = server.most_rss_kib();
    assert!(most < before + 48 * 1024, "{before} KiB before, {most} KiB at most");
    server.checked(1);
}

#[test]
fn a_call_can_move_between_threads() {
    fn moves<T: Send>(_: T) {}
    let client = Servers::live(None).client(endpoint(Api::OpenAi, "http://127.0.0.1:9/v1".into())).expect("a client");
    moves(ask(&client));
}
