//! Money, shares and counts in words of digits: pure, the same in every language.

/// Millionths in one unit of a currency.
const UNIT: u64 = 1_000_000;

/// A price: `12.40 USD`, `0.0123 USD`; six places where four would show nothing, and no currency where none is known.
pub fn money(micros: u64, currency: &str) -> String {
    let amount = match micros {
        0 => "0.00".to_owned(),
        1..50 => format!("0.{micros:06}"),
        _ => {
            let places = rounded(micros, 100);
            if places < 10_000 { format!("0.{places:04}") } else { in_cents(micros) }
        }
    };
    if currency.is_empty() { amount } else { format!("{amount} {currency}") }
}

fn in_cents(micros: u64) -> String {
    let cents = rounded(micros, UNIT / 100);
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Divided and rounded half up, without overflow.
fn rounded(n: u64, by: u64) -> u64 {
    n / by + u64::from(n % by >= by.div_ceil(2))
}

/// A part of a whole in percent; `None` where there is no whole or no part. Neither 0 nor 100 unless it is exactly that.
pub fn percent(part: u64, whole: u64) -> Option<u64> {
    if part == 0 || whole == 0 {
        return None;
    }
    if part >= whole {
        return Some(100);
    }
    let hundredths = u128::from(part) * 100 + u128::from(whole) / 2;
    u64::try_from(hundredths / u128::from(whole)).ok().map(|percent| percent.clamp(1, 99))
}

/// A count with its thousands apart: `1 234 567`. Blanks mean the same in every language; commas and dots do not.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_as_many_places_as_they_need() {
        let table = [
            (0, "0.00"),
            (1, "0.000001"),
            (49, "0.000049"),
            (50, "0.0001"),
            (149, "0.0001"),
            (150, "0.0002"),
            (12_300, "0.0123"),
            (420_000, "0.4200"),
            (999_949, "0.9999"),
            (999_950, "1.00"),
            (1_000_000, "1.00"),
            (1_004_999, "1.00"),
            (1_005_000, "1.01"),
            (12_400_000, "12.40"),
            (1_234_567_890_000, "1234567.89"),
            (u64::MAX, "18446744073709.55"),
        ];
        for (micros, amount) in table {
            assert_eq!(money(micros, "USD"), format!("{amount} USD"), "{micros}");
            assert_eq!(money(micros, ""), amount, "{micros}");
        }
    }

    #[test]
    fn a_share_is_rounded_but_never_to_all_or_nothing() {
        let table = [
            ((0, 0), None),
            ((0, 10), None),
            ((5, 0), None),
            ((1, 1_000), Some(1)),
            ((45, 100), Some(45)),
            ((1, 3), Some(33)),
            ((2, 3), Some(67)),
            ((999, 1_000), Some(99)),
            ((1_000, 1_000), Some(100)),
            ((u64::MAX, 3), Some(100)),
            ((u64::MAX / 2, u64::MAX), Some(50)),
        ];
        for ((part, whole), share) in table {
            assert_eq!(percent(part, whole), share, "{part} of {whole}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        let table = [(0, "0"), (999, "999"), (1_000, "1 000"), (12_345, "12 345"), (1_234_567, "1 234 567")];
        for (count, text) in table {
            assert_eq!(grouped(count), text);
        }
        assert_eq!(grouped(u64::MAX), "18 446 744 073 709 551 615");
    }
}
