use super::*;
use crate::model::answer::Usage;
use proptest::prelude::*;

fn fault(status: u16, retry: bool, after: Option<Duration>) -> WireFault {
    WireFault { class: FaultClass::Unavailable, what: "busy".into(), status, retry, after, usage: Usage::default() }
}

fn wait(next: &Next) -> Option<Duration> {
    match next {
        Next::Again { after } => Some(*after),
        Next::Spent(_) => None,
    }
}

#[test]
fn waits_double_and_are_shortened_by_a_quarter_at_most() {
    let ms = |n| Some(Duration::from_millis(n));
    for status in [0, 200, 408, 409, 429, 500, 502, 503, 529] {
        let busy = fault(status, true, None);
        assert_eq!(wait(&decide(&busy, 1, 0.0)), ms(500));
        assert_eq!(wait(&decide(&busy, 2, 0.0)), ms(1000));
        assert_eq!(wait(&decide(&busy, 1, 1.0)), ms(375));
        assert_eq!(decide(&busy, 3, 0.0), Next::Spent(busy));
    }
    assert_eq!(backoff(60, 0.0), LONGEST_WAIT);
}

#[test]
fn a_refused_request_is_never_sent_again_whatever_the_fault_says() {
    for status in (400..500).filter(|status| ![408, 409, 429].contains(status)) {
        let refused = fault(status, true, Some(Duration::from_secs(1)));
        assert_eq!(decide(&refused, 1, 0.5), Next::Spent(refused.clone()));
    }
    let spent = fault(429, false, None);
    assert_eq!(decide(&spent, 1, 0.5), Next::Spent(spent));
}

#[test]
fn a_server_is_waited_for_as_it_asks_and_long_waits_are_told() {
    let seconds = |n| Some(Duration::from_secs(n));
    assert_eq!(wait(&decide(&fault(429, true, seconds(120)), 1, 1.0)), seconds(120));
    assert_eq!(wait(&decide(&fault(429, true, seconds(0)), 1, 0.0)), Some(FIRST_WAIT));
    assert_eq!(wait(&decide(&fault(429, true, seconds(1)), 3, 0.0)), None);
    for (asked, words) in [(121, "3 min"), (3600, "60 min"), (7500, "2 h 5 min"), (7200, "2 h"), (273_600, "3 d 4 h")] {
        let Next::Spent(told) = decide(&fault(429, true, seconds(asked)), 1, 0.0) else { panic!("{asked} s are waited out") };
        assert_eq!(told.class, FaultClass::Quota);
        assert_eq!(told.what, format!("busy; the server asks for a wait of {words}: not retried"));
        assert_eq!(asked_pause(&told), None);
    }
    assert_eq!(in_words(Duration::from_millis(1_001)), "2 s");
}

proptest! {
    #[test]
    fn no_wait_is_longer_than_asked_for_or_shorter(asked in 1u64..400_000, tries in 1u32..9, jitter in 0.0f64..=1.0, status in 0u16..600) {
        let asked = Duration::from_millis(asked);
        match decide(&fault(status, true, Some(asked)), tries, jitter) {
            Next::Again { after } => {
                prop_assert_eq!(after, asked);
                prop_assert!(tries <= MAX_RETRIES && asked <= LONGEST_ASKED && !is_final(status));
            }
            Next::Spent(_) => prop_assert!(tries > MAX_RETRIES || asked > LONGEST_ASKED || is_final(status)),
        }
    }
}
