//! What tokens cost: of an answer that was given, and of a question that is about to be asked.

use crate::model::answer::Usage;
use crate::model::estimate::Reserve;
use crate::model::prices::Prices;

/// Billionths in a millionth.
const BILLIONTHS: u128 = 1_000;

/// What a usage costs in millionths of the prices' currency, rounded up. Tokens that came from the cache or went into it
/// are part of the tokens read: they are paid at their own price, and not twice.
pub fn cost_micros(usage: &Usage, prices: &Prices) -> u64 {
    let fresh = usage.tokens_in.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
    sum([
        (fresh, prices.input),
        (usage.cached, prices.cached),
        (usage.cache_written, prices.cache_write),
        (usage.tokens_out, prices.output),
    ])
}

/// What a call reserves before it is sent: the question, all of it at the dearest price at which it may be read, and the
/// longest answer.
pub fn reserve(tokens_in: u64, max_output: u64, prices: Option<&Prices>) -> Reserve {
    let cost = |prices: &Prices| {
        let read = prices.input.max(prices.cached).max(prices.cache_write);
        sum([(tokens_in, read), (max_output, prices.output)])
    };
    Reserve { tokens: tokens_in.saturating_add(max_output), cost_micros: prices.map(cost) }
}

fn sum<const N: usize>(parts: [(u64, u64); N]) -> u64 {
    let billionths = parts.iter().map(|&(tokens, price)| u128::from(tokens) * u128::from(price));
    let micros = billionths.fold(0_u128, u128::saturating_add).div_ceil(BILLIONTHS);
    u64::try_from(micros).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 3 USD for a million tokens read, 0.30 from the cache, 3.75 into it, 15 written.
    fn prices() -> Prices {
        Prices { currency: "USD".into(), input: 3_000, cached: 300, cache_write: 3_750, output: 15_000 }
    }

    #[test]
    fn every_token_is_paid_once_at_its_own_price() {
        let usage = |tokens_in, cached, cache_written, tokens_out| Usage {
            tokens_in,
            tokens_out,
            cached,
            cache_written,
            ..Usage::default()
        };
        for (usage, micros) in [
            (usage(0, 0, 0, 0), 0),
            (usage(1_000_000, 0, 0, 0), 3_000_000),
            (usage(1_000_000, 1_000_000, 0, 0), 300_000),
            (usage(1_000_000, 0, 1_000_000, 0), 3_750_000),
            (usage(1_000, 600, 300, 10), 180 + 1_125 + 300 + 150),
            (usage(0, 0, 0, 1), 15),
            // 300 billionths: rounded up, never to nothing.
            (usage(1, 1, 0, 0), 1),
            // A server that counts its cache beside what it read.
            (usage(10, 1_000, 0, 0), 300),
            (usage(u64::MAX, 0, 0, u64::MAX), u64::MAX),
        ] {
            assert_eq!(cost_micros(&usage, &prices()), micros, "{usage:?}");
        }
    }

    #[test]
    fn a_reserve_holds_the_question_at_its_dearest_and_the_longest_answer() {
        let reserved = reserve(1_000, 200, Some(&prices()));
        assert_eq!(reserved, Reserve { tokens: 1_200, cost_micros: Some(3_750 + 3_000) });
        assert_eq!(reserve(1_000, 200, None), Reserve { tokens: 1_200, cost_micros: None });
        assert!(reserve(0, 0, Some(&prices())).is_free());
        let overflow = reserve(u64::MAX, u64::MAX, Some(&prices()));
        assert_eq!(overflow, Reserve { tokens: u64::MAX, cost_micros: Some(u64::MAX) });
    }

    proptest! {
        /// An answer that stays within what was reserved costs no more than that.
        #[test]
        fn a_reserve_is_never_below_the_cost(
            tokens_in in 0_u64..1_000_000, share in 0_u64..=100, split in 0_u64..=100, max in 0_u64..100_000, out in 0_u64..=100,
            input in 0_u64..100_000, cached in 0_u64..100_000, cache_write in 0_u64..100_000, output in 0_u64..100_000,
        ) {
            let prices = Prices { currency: "USD".into(), input, cached, cache_write, output };
            let from_or_to_cache = tokens_in * share / 100;
            let read = from_or_to_cache * split / 100;
            let usage = Usage {
                tokens_in,
                tokens_out: max * out / 100,
                cached: read,
                cache_written: from_or_to_cache - read,
                ..Usage::default()
            };
            let reserved = reserve(tokens_in, max, Some(&prices));
            prop_assert!(cost_micros(&usage, &prices) <= reserved.cost_micros.unwrap_or(0));
            prop_assert!(usage.tokens() <= reserved.tokens);
        }
    }
}
