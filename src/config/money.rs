//! Amounts as people write them, read into integers: no binary fraction is ever between a price and a bill.

/// Digits before the point at most: everything below fits into 64 bits with nine digits after it.
const WHOLE_DIGITS: usize = 9;

/// How an amount that falls between two integers is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the next one: a price that is not understated.
    Up,
    /// To the one before: a limit that is not exceeded.
    Down,
}

/// Reads a plain decimal (`2`, `0.25`, `.5`) as a count of `10^-digits`; `digits` is 9 at most.
///
/// # Errors
/// Why it is none, in words.
pub fn decimal(text: &str, digits: usize, rounding: Rounding) -> Result<u64, &'static str> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("is negative");
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() && fraction.is_empty() || !only_digits(whole) || !only_digits(fraction) {
        return Err("is no plain decimal number");
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > WHOLE_DIGITS {
        return Err("is beyond all reason");
    }
    let digits = digits.min(9);
    let kept = &fraction[..fraction.len().min(digits)];
    let rest = &fraction[kept.len()..];
    let mut value: u64 = 0;
    for byte in whole.bytes().chain(kept.bytes()) {
        value = value * 10 + u64::from(byte - b'0');
    }
    for _ in kept.len()..digits {
        value *= 10;
    }
    let between = rest.bytes().any(|byte| byte != b'0');
    Ok(if between && rounding == Rounding::Up { value + 1 } else { value })
}

/// Reads the price of a million tokens as billionths for one token, rounded up.
///
/// # Errors
/// As for [`decimal`].
pub fn price(text: &str) -> Result<u64, &'static str> {
    decimal(text, 3, Rounding::Up)
}

/// Reads a sum as millionths, rounded down.
///
/// # Errors
/// As for [`decimal`].
pub fn sum(text: &str) -> Result<u64, &'static str> {
    decimal(text, 6, Rounding::Down)
}

/// Writes a count of `10^-digits` as the shortest decimal that reads back as it.
pub fn written(value: u64, digits: u32) -> String {
    let unit = 10_u64.pow(digits.min(9));
    let (whole, fraction) = (value / unit, value % unit);
    if fraction == 0 {
        return whole.to_string();
    }
    let padded = format!("{fraction:0width$}", width = digits.min(9) as usize);
    format!("{whole}.{}", padded.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prices_are_exact() {
        let rows = [
            ("0.25", 250),
            ("0.025", 25),
            ("2", 2000),
            (".3", 300),
            ("3.", 3000),
            ("0.1", 100),
            ("0", 0),
            ("000.300", 300),
            ("0.01875", 19),
            ("0.0000001", 1),
            ("999999999", 999_999_999_000),
        ];
        for (text, billionths) in rows {
            assert_eq!(price(text), Ok(billionths), "{text}");
        }
    }

    #[test]
    fn sums_are_never_more_than_was_written() {
        assert_eq!(sum("5"), Ok(5_000_000));
        assert_eq!(sum("0.0000019"), Ok(1));
        assert_eq!(sum("0.0000001"), Ok(0));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in ["", ".", "NaN", ".nan", "inf", ".inf", "1e3", "1,5", "1_000", "0x10", "1.2.3", "+1", "５", "1 2", "$5"] {
            assert_eq!(price(text), Err("is no plain decimal number"), "{text}");
        }
        assert_eq!(price("-0.25"), Err("is negative"));
        assert_eq!(price("1000000000"), Err("is beyond all reason"));
        assert_eq!(price(&"9".repeat(10_000)), Err("is beyond all reason"));
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(value in 0_u64..1_000_000_000_000, digits in 0_u32..4) {
            prop_assume!(value / 10_u64.pow(digits) < 1_000_000_000);
            prop_assert_eq!(decimal(&written(value, digits), digits as usize, Rounding::Up), Ok(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,40}") {
            let _ = price(&text);
            let _ = sum(&text);
        }
    }
}
