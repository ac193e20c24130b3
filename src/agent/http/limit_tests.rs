use super::*;
use proptest::prelude::*;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

fn paused<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("runtime").block_on(work)
}

/// Whether a future is still waiting when everything that can go on has gone on.
async fn waits<T>(future: &mut (impl Future<Output = T> + Unpin)) -> bool {
    tokio::select! { biased; _ = future => false, () = async { for _ in 0..8 { tokio::task::yield_now().await } } => true }
}

#[test]
fn halved_on_a_refusal_once_for_all_that_ran_then_and_grown_back_one_by_one() {
    paused(async {
        let limiter = Limiter::new(8);
        let mut running = Vec::new();
        for _ in 0..8 {
            running.push(limiter.acquire().await);
        }
        for permit in running {
            permit.refused();
        }
        assert_eq!(limiter.load(), (4, 0));
        for expected in [5, 6, 7, 8, 8] {
            for _ in 0..limiter.load().0 {
                limiter.acquire().await.succeeded();
            }
            assert_eq!(limiter.load().0, expected);
        }
        for expected in [4, 2, 1, 1] {
            limiter.acquire().await.refused();
            assert_eq!(limiter.load().0, expected);
        }
        limiter.acquire().await.succeeded();
        assert_eq!(limiter.load().0, 2);
    });
}

#[test]
fn a_refusal_breaks_the_row_of_successes() {
    paused(async {
        let limiter = Limiter::new(4);
        limiter.acquire().await.refused();
        limiter.acquire().await.succeeded();
        limiter.acquire().await.refused();
        limiter.acquire().await.succeeded();
        assert_eq!(limiter.load().0, 2, "1 grew by one");
        limiter.lower(1);
        assert_eq!(limiter.load().0, 1);
        limiter.acquire().await.succeeded();
        assert_eq!(limiter.load().0, 1, "never above the lowered cap");
    });
}

#[test]
fn first_come_first_served_and_who_leaves_holds_up_nobody() {
    paused(async {
        let limiter = Limiter::new(1);
        let held = limiter.acquire().await;
        let mut first = Box::pin(limiter.acquire());
        let mut second = Box::pin(limiter.acquire());
        let mut third = Box::pin(limiter.acquire());
        assert!(waits(&mut first).await && waits(&mut second).await && waits(&mut third).await);
        drop(first);
        drop(held);
        assert!(waits(&mut third).await, "the second is before the third");
        let permit = second.await;
        assert!(waits(&mut third).await);
        drop(permit);
        drop(third.await);
        assert_eq!(limiter.load(), (1, 0));
    });
}

#[test]
fn a_pause_holds_all_and_a_longer_one_wins() {
    paused(async {
        let limiter = Limiter::new(2);
        let began = Instant::now();
        limiter.pause(Duration::from_secs(5));
        let mut first = Box::pin(limiter.acquire());
        let mut second = Box::pin(limiter.acquire());
        assert!(waits(&mut first).await && waits(&mut second).await);
        limiter.pause(Duration::from_secs(9));
        limiter.pause(Duration::from_secs(1));
        let _both = (first.await, second.await);
        assert_eq!(began.elapsed().as_secs(), 9);
    });
}

#[test]
fn who_leaves_during_a_pause_hands_on_the_turn() {
    paused(async {
        let limiter = Limiter::new(1);
        limiter.pause(Duration::from_secs(5));
        let mut first = Box::pin(limiter.acquire());
        let mut second = Box::pin(limiter.acquire());
        assert!(waits(&mut first).await && waits(&mut second).await);
        drop(first);
        drop(second.await);
    });
}

#[derive(Clone, Debug)]
struct Caller {
    comes: u64,
    works: u64,
    /// 0, 1: goes well; 2: refused; 3: refused with a pause; 4: leaves after a while, waiting or not.
    ends: u8,
}

fn callers() -> impl Strategy<Value = Vec<Caller>> {
    let caller = (0u64..60, 0u64..30, 0u8..5).prop_map(|(comes, works, ends)| Caller { comes, works, ends });
    prop::collection::vec(caller, 1..40)
}

proptest! {
    #[test]
    fn never_above_the_cap_and_everybody_is_served(cap in 1usize..7, callers in callers()) {
        let most = paused(async move {
            let limiter = Limiter::new(cap);
            let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
            let tasks: Vec<_> = callers.into_iter().map(|caller| {
                let (limiter, now, most) = (Arc::clone(&limiter), Arc::clone(&now), Arc::clone(&most));
                tokio::spawn(async move {
                    let ms = Duration::from_millis;
                    tokio::time::sleep(ms(caller.comes)).await;
                    let work = async {
                        let permit = limiter.acquire().await;
                        let running = now.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(running, Ordering::SeqCst);
                        tokio::time::sleep(ms(caller.works)).await;
                        now.fetch_sub(1, Ordering::SeqCst);
                        permit
                    };
                    match caller.ends {
                        0 | 1 => work.await.succeeded(),
                        2 => work.await.refused(),
                        3 => {
                            limiter.pause(ms(caller.works));
                            work.await.refused();
                        }
                        _ => {
                            let left = tokio::time::timeout(ms(caller.works), limiter.acquire()).await;
                            drop(left);
                        }
                    }
                })
            }).collect();
            for task in tasks {
                task.await.expect("every caller ends");
            }
            assert_eq!(limiter.load().1, 0, "every permit came back");
            most.load(Ordering::SeqCst)
        });
        prop_assert!(most <= cap);
    }
}
