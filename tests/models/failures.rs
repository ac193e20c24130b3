use super::*;
use crate::fake_model::Piece;
use std::net::TcpListener;
use std::sync::Arc;
use tamis::model::answer::FaultClass;
use tokio::sync::Notify;

const TEXT: &str = r#"{"findings":[]}"#;

fn busy(api: Api, status: u16) -> Play {
    let kind = if status == 429 { "rate_limit_error" } else { "api_error" };
    Play::error(api, status, kind, "slow down")
}

/// Nothing of the key is in anything that is shown.
#[track_caller]
fn without_key(shown: &str) {
    for part in [CANARY, "canary", "0123+4567"] {
        assert!(!shown.contains(part), "{shown}");
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_the_server_asks() {
    for api in APIS {
        let plays = vec![
            busy(api, 429).header("retry-after-ms", 5).header("retry-after", 100),
            busy(api, 529).header("retry-after", "0.01"),
            Play::stream(api, TEXT),
        ];
        let (server, client) = pair(api, plays).await;
        let exchange = ask(&client).await.expect("an answer");
        assert_eq!((exchange.sent, exchange.retries), (3, 2));
        server.checked(3);
        same_bodies(&server);
    }
}

#[tokio::test]
async fn a_server_that_stays_down_is_asked_three_times_and_then_named() {
    for api in APIS {
        for status in [500, 503, 529] {
            let plays = (0..3).map(|_| busy(api, status).header("retry-after-ms", 1)).collect();
            let (server, client) = pair(api, plays).await;
            let failed = ask(&client).await.expect_err("nothing but failures");
            assert_eq!((failed.fault.class, failed.fault.status), (FaultClass::Unavailable, status));
            assert_eq!((failed.sent, failed.retries, failed.cancelled), (3, 2, false));
            assert!(failed.fault.what.contains("slow down"), "{failed}");
            server.checked(3);
            same_bodies(&server);
        }
    }
}

#[tokio::test]
async fn what_no_retry_helps_is_sent_once() {
    for api in APIS {
        let plays = [
            (Play::error(api, 401, "authentication_error", &format!("bad key {CANARY}.")), FaultClass::Denied),
            (Play::error(api, 403, "permission_error", "no"), FaultClass::Denied),
            (Play::error(api, 404, "not_found_error", "no such model"), FaultClass::Rejected),
            (Play::error(api, 400, "invalid_request_error", "prompt is too long: 9 tokens"), FaultClass::TooLong),
            (busy(api, 429).header("retry-after", 7200), FaultClass::Quota),
            (Play::new(413, "text/html", "<html><head><title>413 too large</title></head></html>"), FaultClass::Rejected),
        ];
        for (play, class) in plays {
            let (server, client) = pair(api, vec![play]).await;
            let failed = ask(&client).await.expect_err("a refusal");
            assert_eq!(failed.fault.class, class, "{failed}");
            assert_eq!((failed.sent, failed.retries), (1, 0));
            without_key(&format!("{failed} {failed:?} {client:?} {:?}", client.endpoint()));
            server.checked(1);
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_or_ends_early_is_asked_for_again() {
    for api in APIS {
        for how in [Piece::Break, Piece::Bytes(Vec::new())] {
            let plays = vec![Play::stream_until(api, TEXT, 2, how), Play::stream(api, TEXT)];
            let (server, client) = pair(api, plays).await;
            let exchange = ask(&client).await.expect("an answer");
            assert_eq!(exchange.completion.text, TEXT);
            assert_eq!((exchange.sent, exchange.retries), (2, 1));
            server.checked(2);
            same_bodies(&server);
        }
    }
}

#[tokio::test]
async fn a_stream_that_stands_still_is_given_up_and_asked_for_again() {
    for api in APIS {
        let plays = vec![Play::stream_until(api, TEXT, 2, Piece::Stall), Play::stream(api, TEXT)];
        let (server, client) = with(api, plays, |endpoint| endpoint.timeouts.idle = ms(300)).await;
        let exchange = ask(&client).await.expect("an answer");
        assert_eq!((exchange.sent, exchange.retries), (2, 1));
        server.hung_up().await;
        server.checked(2);
        same_bodies(&server);
    }
}

#[tokio::test]
async fn what_a_broken_stream_cost_is_counted() {
    let api = Api::Anthropic;
    let plays = vec![Play::stream_until(api, TEXT, 2, Piece::Break), Play::stream(api, TEXT)];
    let (server, client) = pair(api, plays).await;
    let exchange = ask(&client).await.expect("an answer");
    assert_eq!((exchange.wasted.tokens_in, exchange.completion.usage.tokens_in), (11, 11));
    server.checked(2);
}

#[tokio::test]
async fn an_error_inside_a_stream_is_asked_again_where_it_may_pass() {
    let error =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let api = Api::Anthropic;
    let plays = vec![Play::stream_until(api, TEXT, 2, Piece::Bytes(error.into())), Play::stream(api, TEXT)];
    let (server, client) = pair(api, plays).await;
    assert_eq!(ask(&client).await.expect("an answer").retries, 1);
    server.checked(2);
    same_bodies(&server);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_named() {
    for api in APIS {
        let silent = Play { silent: true, ..Play::stream(api, TEXT) };
        let (server, client) = with(api, vec![silent, Play::stream(api, TEXT)], |endpoint| {
            endpoint.timeouts.first_byte = ms(300);
        })
        .await;
        assert_eq!(ask(&client).await.expect("an answer").retries, 1);
        server.hung_up().await;
        server.checked(2);
        same_bodies(&server);
    }
}

#[tokio::test]
async fn a_first_byte_after_the_head_counts_as_the_first() {
    let told = Arc::new(Notify::new());
    let mut play = Play::stream(Api::OpenAi, TEXT);
    play.pieces.insert(0, Piece::Until(Arc::clone(&told)));
    // The gap before the first byte is longer than the one that a stream may have between two.
    let (server, client) = with(Api::OpenAi, vec![play], |endpoint| {
        (endpoint.timeouts.idle, endpoint.timeouts.first_byte) = (ms(200), ms(20_000));
    })
    .await;
    let late = async {
        tokio::time::timeout(ms(600), std::future::pending::<()>()).await.expect_err("pending");
        told.notify_one();
    };
    let (answer, ()) = tokio::join!(ask(&client), late);
    assert_eq!(answer.expect("an answer").retries, 0);
    server.checked(1);
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_not_paid_for_twice() {
    let play = Play::stream_until(Api::Anthropic, TEXT, 2, Piece::Stall);
    let (server, client) = with(Api::Anthropic, vec![play], |endpoint| endpoint.timeouts.total = ms(400)).await;
    let failed = ask(&client).await.expect_err("too slow");
    assert_eq!((failed.fault.class, failed.sent, failed.usage.tokens_in), (FaultClass::Timeout, 1, 11));
    assert!(failed.fault.what.contains("400 ms"), "{failed}");
    server.checked(1);
}

#[tokio::test]
async fn a_redirect_is_named_and_its_target_gets_nothing() {
    for api in APIS {
        for status in [301, 302, 303, 307, 308] {
            let other = TcpListener::bind("127.0.0.1:0").expect("a port");
            other.set_nonblocking(true).expect("a listener that does not wait");
            let target = format!("http://user:pw@{}/other{}?key=1", other.local_addr().expect("an address"), api.path());
            let play = Play::new(status, "text/html", "moved").header("location", target);
            let (server, client) = pair(api, vec![play]).await;
            let failed = ask(&client).await.expect_err("a redirect");
            assert_eq!((failed.fault.class, failed.fault.status, failed.sent), (FaultClass::Rejected, status, 1));
            let base = format!("redirects to http://{}/other: not followed", other.local_addr().expect("an address"));
            assert!(failed.fault.what.contains(&base), "{failed}");
            let nobody = other.accept().expect_err("nobody comes");
            assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
            without_key(&format!("{failed:?}"));
            server.checked(1);
        }
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let client = Servers::live(None).client(endpoint(Api::OpenAi, format!("http://127.0.0.1:{port}/v1"))).expect("a client");
    let failed = ask(&client).await.expect_err("nobody is there");
    assert_eq!((failed.fault.class, failed.fault.status, failed.sent), (FaultClass::Unavailable, 0, 3));
    let what = failed.fault.what.as_str();
    assert!(what.starts_with(&format!("http://127.0.0.1:{port} could not be reached (")), "{what}");
    assert!(what.contains("refused") && !what.contains("/v1"), "{what}");
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_named() {
    let client = Servers::live(None).client(endpoint(Api::OpenAi, "http://nowhere.invalid/v1".into())).expect("a client");
    let failed = ask(&client).await.expect_err("no such name");
    assert_eq!(failed.fault.class, FaultClass::Unavailable);
    assert!(failed.fault.what.contains("nowhere.invalid: the name cannot be resolved"), "{failed}");
}

#[tokio::test]
async fn plain_http_under_an_https_address_is_named_and_not_asked_again() {
    let (server, _) = pair(Api::OpenAi, Vec::new()).await;
    let client = Servers::live(None).client(endpoint(Api::OpenAi, format!("https://{}/v1", server.address))).expect("a client");
    let failed = ask(&client).await.expect_err("no TLS");
    assert_eq!((failed.fault.class, failed.sent), (FaultClass::Unavailable, 1), "{failed}");
    assert!(failed.fault.what.contains("no secure connection"), "{failed}");
    server.checked(0);
}

#[tokio::test]
async fn a_person_stops_a_call_amid_its_stream() {
    for api in APIS {
        let (server, client) = pair(api, vec![Play::stream_until(api, TEXT, 2, Piece::Stall)]).await;
        let cancel = CancellationToken::new();
        let (prompt, schema) = (prompt("Dimension: wording."), schema());
        let call = Call { prompt: &prompt, turns: &[], schema_name: "findings", schema: &schema };
        let failed = client.complete(&call, &mut |_| cancel.cancel(), &cancel).await.expect_err("cancelled");
        assert!(failed.cancelled);
        assert_eq!((failed.fault.class, failed.sent), (FaultClass::Cancelled, 1));
        assert_eq!(failed.usage.tokens_in, if api == Api::Anthropic { 11 } else { 0 });
        server.hung_up().await;
        server.checked(1);
        let failed = client.complete(&call, &mut |_| {}, &cancel).await.expect_err("cancelled");
        assert_eq!((failed.cancelled, failed.sent), (true, 0));
        server.checked(1);
    }
}

#[tokio::test]
async fn under_a_rate_limit_all_calls_are_answered_and_the_cap_holds() {
    for api in APIS {
        let server = FakeModel::scripted(expected(api, true), move |number, _| {
            if number % 3 == 2 { busy(api, 429).header("retry-after-ms", 2) } else { Play::stream(api, TEXT) }
        })
        .await;
        let servers = Servers::live(None);
        let two = |concurrency| {
            let mut endpoint = endpoint(api, server.base_url(api));
            endpoint.concurrency = concurrency;
            servers.client(endpoint).expect("a client")
        };
        let clients = [two(4), two(3)];
        let calls: Vec<_> = (0..24)
            .map(|number: usize| {
                let client = clients[number % 2].clone();
                tokio::spawn(async move { ask_about(&client, &format!("Dimension {number}.")).await })
            })
            .collect();
        let mut answered = 0;
        for call in calls {
            match call.await.expect("a call ends") {
                Ok(exchange) => {
                    assert_eq!(exchange.completion.text, TEXT);
                    answered += 1;
                }
                Err(failed) => assert_eq!((failed.fault.class, failed.sent), (FaultClass::Unavailable, 3)),
            }
        }
        assert!(answered >= 16, "{answered} of 24");
        assert!(server.most() <= 3, "{} at one time: the lower cap holds for both", server.most());
        server.checked(server.seen().len());
    }
}

#[test]
fn an_address_or_a_key_that_cannot_be_sent_is_named() {
    let servers = Servers::live(None);
    let mut odd = endpoint(Api::OpenAi, "ftp://127.0.0.1".into());
    assert_eq!(servers.client(odd.clone()).expect_err("no HTTP").class, FaultClass::Rejected);
    odd.base_url = "http://127.0.0.1:9".into();
    odd.key = Some(SecretString::from(format!("{CANARY}\n")));
    let fault = servers.client(odd.clone()).expect_err("a line feed");
    assert_eq!(fault.class, FaultClass::Denied);
    assert!(fault.what.contains("OPENAI_API_KEY"), "{fault}");
    without_key(&format!("{fault:?}"));
    odd.key = None;
    odd.headers.push(("Host".into(), "elsewhere".into()));
    assert!(servers.client(odd).expect_err("a header of ours").what.contains("`Host`"));
}
