//! Values with their units: `14 days`, `14 ngày`, `14 天内`, `99.9 %`, `$500`, `500 nghìn đồng`.

use super::words::{is_han, is_unspaced};

/// What a value measures; only values of one measure can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Seconds; calendar days, weeks, months and years included.
    Time,
    /// Working days.
    WorkingDays,
    /// Per cent.
    Percent,
    /// Money of one currency, by its code.
    Money(&'static str),
    /// Bytes.
    Bytes,
    /// Characters of a text.
    Characters,
    /// How often.
    Times,
    /// Points of a screen.
    Pixels,
    /// How many of something, by the word for it.
    Count(String),
}

/// A value read in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// What it measures.
    pub measure: Measure,
    /// The value in the measure's base unit.
    pub value: f64,
    /// Bytes of the folded text, number and unit.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// One end of a range (`5–10 days`, `từ 5 đến 10 ngày`).
    pub in_range: bool,
}

impl Quantity {
    /// Whether two values of one measure are the same; months have no fixed length, so days come near enough.
    pub fn same_value(&self, other: &Quantity) -> bool {
        let months = |q: &Quantity| q.measure == Measure::Time && q.value > 0.0 && (q.value / MONTH).fract() == 0.0;
        let tolerance = if months(self) != months(other) { 0.03 } else { 1e-9 };
        (self.value - other.value).abs() <= tolerance * self.value.abs().max(other.value.abs())
    }
}

/// A number without or with a unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// First byte in the folded text.
    pub start: usize,
    /// One past the last digit.
    pub end: usize,
    /// Its value.
    pub value: f64,
}

/// How a unit is written, what it measures and how many base units it is.
struct Unit {
    word: &'static str,
    measure: Measure,
    factor: f64,
}

const fn unit(word: &'static str, measure: Measure, factor: f64) -> Unit {
    Unit { word, measure, factor }
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
/// A mean month: `30 days` and `1 month` are taken for the same.
const MONTH: f64 = 30.4375 * DAY;
const KIB: f64 = 1024.0;

/// Units as they stand in folded text, longest spelling of one beginning first.
const UNITS: &[Unit] = {
    use Measure::*;
    &[
        unit("milliseconds", Time, 0.001),
        unit("millisecond", Time, 0.001),
        unit("mili giây", Time, 0.001),
        unit("mili-giây", Time, 0.001),
        unit("mili giây", Time, 0.001),
        unit("毫秒", Time, 0.001),
        unit("ms", Time, 0.001),
        unit("seconds", Time, 1.0),
        unit("second", Time, 1.0),
        unit("secs", Time, 1.0),
        unit("sec", Time, 1.0),
        unit("giây", Time, 1.0),
        unit("秒钟", Time, 1.0),
        unit("秒", Time, 1.0),
        unit("s", Time, 1.0),
        unit("minutes", Time, MINUTE),
        unit("minute", Time, MINUTE),
        unit("mins", Time, MINUTE),
        unit("min", Time, MINUTE),
        unit("phút", Time, MINUTE),
        unit("分钟", Time, MINUTE),
        unit("hours", Time, HOUR),
        unit("hour", Time, HOUR),
        unit("hrs", Time, HOUR),
        unit("hr", Time, HOUR),
        unit("h", Time, HOUR),
        unit("giờ", Time, HOUR),
        unit("tiếng", Time, HOUR),
        unit("个小时", Time, HOUR),
        unit("小时", Time, HOUR),
        unit("business days", WorkingDays, 1.0),
        unit("business day", WorkingDays, 1.0),
        unit("working days", WorkingDays, 1.0),
        unit("working day", WorkingDays, 1.0),
        unit("ngày làm việc", WorkingDays, 1.0),
        unit("个工作日", WorkingDays, 1.0),
        unit("工作日", WorkingDays, 1.0),
        unit("calendar days", Time, DAY),
        unit("calendar day", Time, DAY),
        unit("days", Time, DAY),
        unit("day", Time, DAY),
        unit("ngày", Time, DAY),
        unit("个自然日", Time, DAY),
        unit("自然日", Time, DAY),
        unit("天", Time, DAY),
        unit("日", Time, DAY),
        unit("weeks", Time, 7.0 * DAY),
        unit("week", Time, 7.0 * DAY),
        unit("tuần", Time, 7.0 * DAY),
        unit("个星期", Time, 7.0 * DAY),
        unit("星期", Time, 7.0 * DAY),
        unit("周", Time, 7.0 * DAY),
        unit("months", Time, MONTH),
        unit("month", Time, MONTH),
        unit("tháng", Time, MONTH),
        unit("个月", Time, MONTH),
        unit("years", Time, 12.0 * MONTH),
        unit("year", Time, 12.0 * MONTH),
        unit("năm", Time, 12.0 * MONTH),
        unit("年", Time, 12.0 * MONTH),
        unit("%", Percent, 1.0),
        unit("percent", Percent, 1.0),
        unit("per cent", Percent, 1.0),
        unit("phần trăm", Percent, 1.0),
        unit("usd", Money("USD"), 1.0),
        unit("us dollars", Money("USD"), 1.0),
        unit("dollars", Money("USD"), 1.0),
        unit("dollar", Money("USD"), 1.0),
        unit("$", Money("USD"), 1.0),
        unit("美元", Money("USD"), 1.0),
        unit("đô la", Money("USD"), 1.0),
        unit("eur", Money("EUR"), 1.0),
        unit("euros", Money("EUR"), 1.0),
        unit("euro", Money("EUR"), 1.0),
        unit("€", Money("EUR"), 1.0),
        unit("欧元", Money("EUR"), 1.0),
        unit("gbp", Money("GBP"), 1.0),
        unit("£", Money("GBP"), 1.0),
        unit("vnđ", Money("VND"), 1.0),
        unit("vnd", Money("VND"), 1.0),
        unit("đồng", Money("VND"), 1.0),
        unit("₫", Money("VND"), 1.0),
        unit("đ", Money("VND"), 1.0),
        unit("人民币", Money("CNY"), 1.0),
        unit("元", Money("CNY"), 1.0),
        unit("cny", Money("CNY"), 1.0),
        unit("rmb", Money("CNY"), 1.0),
        unit("bytes", Bytes, 1.0),
        unit("byte", Bytes, 1.0),
        unit("字节", Bytes, 1.0),
        unit("kib", Bytes, KIB),
        unit("kb", Bytes, KIB),
        unit("mib", Bytes, KIB * KIB),
        unit("mb", Bytes, KIB * KIB),
        unit("gib", Bytes, KIB * KIB * KIB),
        unit("gb", Bytes, KIB * KIB * KIB),
        unit("tb", Bytes, KIB * KIB * KIB * KIB),
        unit("characters", Characters, 1.0),
        unit("character", Characters, 1.0),
        unit("chars", Characters, 1.0),
        unit("ký tự", Characters, 1.0),
        unit("kí tự", Characters, 1.0),
        unit("个字符", Characters, 1.0),
        unit("字符", Characters, 1.0),
        unit("个字", Characters, 1.0),
        unit("times", Times, 1.0),
        unit("attempts", Times, 1.0),
        unit("attempt", Times, 1.0),
        unit("retries", Times, 1.0),
        unit("lần", Times, 1.0),
        unit("次", Times, 1.0),
        unit("pixels", Pixels, 1.0),
        unit("px", Pixels, 1.0),
    ]
};

/// Words for powers of ten between a number and its unit.
const SCALES: &[(&str, f64)] = &[
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("nghìn", 1e3),
    ("ngàn", 1e3),
    ("triệu", 1e6),
    ("tỷ", 1e9),
    ("tỉ", 1e9),
    ("千", 1e3),
    ("万", 1e4),
    ("百万", 1e6),
    ("亿", 1e8),
];

/// Signs of money before a number.
const SIGNS: &[(&str, &str)] =
    &[("$", "USD"), ("usd", "USD"), ("€", "EUR"), ("eur", "EUR"), ("£", "GBP"), ("¥", "CNY"), ("₫", "VND"), ("vnd", "VND")];

/// Words after which a number is a label, a date or a clock time, not a value.
const LABELS: &[&str] = &[
    "section",
    "sec",
    "step",
    "steps",
    "phase",
    "figure",
    "fig",
    "table",
    "story",
    "stories",
    "requirement",
    "requirements",
    "release",
    "version",
    "level",
    "tier",
    "priority",
    "page",
    "chapter",
    "appendix",
    "rule",
    "scenario",
    "item",
    "no",
    "no.",
    "option",
    "case",
    "at",
    "bước",
    "mục",
    "điều",
    "giai đoạn",
    "phiên bản",
    "trang",
    "bảng",
    "hình",
    "ngày",
    "tháng",
    "lúc",
    "vào",
    "số",
    "第",
];

/// Chinese measure words: what stands behind one is counted.
const MEASURE_WORDS: &[char] = &['个', '件', '条', '张', '人', '位', '名', '页', '行', '笔', '份', '台', '组', '种'];

/// Numbers of a folded text. No digit run that belongs to an id, a version, a date or a longer number is one.
pub fn numbers(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let mut end = at;
        while end < bytes.len() && (bytes[end].is_ascii_digit() || is_inner_mark(bytes, end)) {
            end += 1;
        }
        at = end;
        if is_free(text, start, end)
            && let Some(value) = read_number(&text[start..end])
        {
            found.push(Number { start, end, value });
        }
    }
    found
}

/// `.` or `,` between two digits.
fn is_inner_mark(bytes: &[u8], at: usize) -> bool {
    matches!(bytes[at], b'.' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}

/// Whether the digits are a number of their own: no id (`BR-01`, `v1.2`), path or hash before, no date or clock time behind.
fn is_free(text: &str, start: usize, end: usize) -> bool {
    let mut before = text[..start].chars().rev();
    let fine_before = match before.next() {
        None => true,
        Some('-') => {
            // `5-10 days` is a range, ` -5` a sign; `BR-01` and `2024-05` are neither.
            let further = before.next();
            further.is_some_and(|c| c.is_ascii_digit()) && !looks_like_date(text, start)
                || further.is_none_or(char::is_whitespace)
        }
        Some(c) => !(c.is_alphanumeric() && !is_unspaced(c) || matches!(c, '.' | '_' | '/' | '#' | ':' | '\\' | '@')),
    };
    let after = &text[end..];
    let fine_after = !(after.starts_with(':') && after[1..].starts_with(|c: char| c.is_ascii_digit())
        || after.starts_with('/') && after[1..].starts_with(|c: char| c.is_ascii_digit()))
        && !(after.starts_with('-') && after[1..].starts_with(|c: char| c.is_ascii_digit()) && looks_like_date(text, end + 1));
    fine_before && fine_after
}

/// Whether the digits around `at` (just behind a `-`) are part of `2024-05-03`: four digits first, or three groups.
fn looks_like_date(text: &str, at: usize) -> bool {
    let head: String = text[..at].chars().rev().take(11).take_while(|c| c.is_ascii_digit() || *c == '-').collect();
    let digits = head.trim_start_matches('-').chars().take_while(char::is_ascii_digit).count();
    let tail = text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
    digits == 4 || head.matches('-').count() > 1 || tail.starts_with('-') && tail[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// Reads digits with marks: three digits behind every mark make it a thousands mark, else one mark is the decimal one.
fn read_number(text: &str) -> Option<f64> {
    let marks: Vec<(usize, u8)> = text.bytes().enumerate().filter(|(_, b)| !b.is_ascii_digit()).collect();
    let Some(&(first, mark)) = marks.first() else { return text.parse().ok() };
    let uniform = marks.iter().all(|&(_, other)| other == mark);
    let groups = text.split(['.', ',']).skip(1).all(|group| group.len() == 3) && first <= 3 && !text.starts_with('0');
    if uniform && groups && (mark == b',' || marks.len() > 1 || first > 0) {
        return text.replace(['.', ','], "").parse().ok();
    }
    if marks.len() == 1 {
        return text.replace(',', ".").parse().ok();
    }
    // `1.234,56` or `1,234.56`: the last mark is the decimal one.
    let &(last, _) = marks.last()?;
    let digits = |part: &str| part.replace(['.', ','], "");
    format!("{}.{}", digits(&text[..last]), &text[last + 1..]).parse().ok()
}

/// Values with units of a folded text, in order.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let numbers = numbers(text);
    let read: Vec<Option<Quantity>> = numbers.iter().map(|number| quantity(text, number)).collect();
    let in_range = |low: usize, high: usize| {
        let between = &text[numbers[low].end..numbers[high].start];
        let measure = |index: usize| read[index].as_ref().map(|q| &q.measure);
        is_range(between) || (is_range_after_unit(between) && measure(low) == measure(high))
    };
    let ranged: Vec<bool> = (0..numbers.len())
        .map(|index| index > 0 && in_range(index - 1, index) || index + 1 < numbers.len() && in_range(index, index + 1))
        .collect();
    read.into_iter().zip(ranged).filter_map(|(q, in_range)| Some(Quantity { in_range, ..q? })).collect()
}

fn quantity(text: &str, number: &Number) -> Option<Quantity> {
    if is_label(text, number) {
        return None;
    }
    let (measure, factor, end) = measure_of(text, number)?;
    let start = sign_before(text, number.start).map_or(number.start, |(at, _)| at);
    Some(Quantity { measure, value: number.value * factor, start, end, in_range: false })
}

fn is_range(between: &str) -> bool {
    matches!(between.trim(), "-" | "–" | "—" | "~" | "to" | "and" | "đến" | "tới" | "至" | "到" | "或" | "or" | "hoặc")
}

/// `5 days to 10 days`: a word of range somewhere in a short stretch.
fn is_range_after_unit(between: &str) -> bool {
    let words = between.trim();
    words.len() <= 24
        && (["-", "–", "—", "~", "至", "到"].iter().any(|mark| words.ends_with(mark))
            || words.rsplit(' ').next().is_some_and(|word| matches!(word, "to" | "and" | "đến" | "tới" | "or" | "hoặc")))
}

/// Whether the number labels something (`step 3`), or is part of a date (`ngày 14`) or a clock time (`lúc 9`).
fn is_label(text: &str, number: &Number) -> bool {
    let before = text[..number.start].trim_end();
    let labelled = LABELS.iter().any(|label| {
        before
            .strip_suffix(label)
            .is_some_and(|rest| label.chars().all(is_han) || rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric()))
    });
    let year = text[number.end..].starts_with('年') && (1900.0..2200.0).contains(&number.value);
    labelled || year
}

fn sign_before(text: &str, at: usize) -> Option<(usize, &'static str)> {
    let before = text[..at].trim_end();
    SIGNS.iter().find_map(|&(sign, code)| {
        let rest = before.strip_suffix(sign)?;
        let clear = !sign.is_ascii() || sign == "$" || rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        clear.then_some((rest.len(), code))
    })
}

/// What stands behind (or, for money, before) a number: measure, factor and where the unit ends.
fn measure_of(text: &str, number: &Number) -> Option<(Measure, f64, usize)> {
    let mut at = number.end;
    let mut factor = 1.0;
    let rest = |at: usize| &text[at + blanks(&text[at..])..];
    for (word, scale) in SCALES {
        if starts_with_word(rest(at), word) {
            factor = *scale;
            at = text.len() - rest(at).len() + word.len();
            break;
        }
    }
    let behind = rest(at);
    // `14-day period`
    let behind = behind.strip_prefix('-').unwrap_or(behind);
    let begin = text.len() - behind.len();
    let unit = UNITS
        .iter()
        .filter(|unit| starts_with_word(behind, unit.word))
        .filter(|unit| unit.word != "日" || !is_chinese_date(text, number.start))
        .max_by_key(|unit| unit.word.len());
    if let Some(unit) = unit {
        return Some((unit.measure.clone(), factor * unit.factor, begin + unit.word.len()));
    }
    if let Some((_, code)) = sign_before(text, number.start) {
        return Some((Measure::Money(code), factor, at));
    }
    if text[..number.start].ends_with("百分之") {
        return Some((Measure::Percent, 1.0, number.end));
    }
    if let Some(word) = behind.chars().next().filter(|c| MEASURE_WORDS.contains(c)) {
        let noun: String = behind.chars().take_while(|c| is_han(*c)).take(3).collect();
        return Some((Measure::Count(noun), factor, begin + word.len_utf8()));
    }
    let noun: String = behind.chars().take_while(|c| c.is_alphabetic() && !is_unspaced(*c)).collect();
    (noun.chars().count() >= 3).then(|| (Measure::Count(super::frame::stem(&noun)), factor, begin + noun.len()))
}

/// `5月3日`: the day of a date.
fn is_chinese_date(text: &str, start: usize) -> bool {
    text[..start].trim_end().ends_with('月')
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Whether the text begins with the unit and, in scripts with blanks, the word ends there.
fn starts_with_word(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_prefix(word) else { return false };
    let spaced = word.chars().next_back().is_some_and(|c| c.is_alphabetic() && !is_unspaced(c));
    !spaced || rest.chars().next().is_none_or(|c| !c.is_alphanumeric() || is_unspaced(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::words::Folded;

    fn read(text: &str) -> Vec<(Measure, f64)> {
        quantities(&Folded::plain(text)).into_iter().map(|q| (q.measure, q.value)).collect()
    }

    fn one(text: &str) -> (Measure, f64) {
        let all = read(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all.into_iter().next().expect("one")
    }

    #[test]
    fn durations_in_three_languages() {
        for text in [
            "within 14 calendar days",
            "trong vòng 14 ngày sau",
            "签收后 14 天内提交",
            "签收后14天内",
            "2 weeks",
            "14-day period",
            "14日内",
        ] {
            assert_eq!(one(text), (Measure::Time, 14.0 * DAY), "{text}");
        }
        assert_eq!(one("10 s"), (Measure::Time, 10.0));
        assert_eq!(one("250ms"), (Measure::Time, 0.25));
        assert_eq!(one("10 giây"), (Measure::Time, 10.0));
        assert_eq!(one("5 years"), (Measure::Time, 60.0 * MONTH));
        assert_eq!(one("3 ngày làm việc"), (Measure::WorkingDays, 3.0));
        assert_eq!(one("3 个工作日内"), (Measure::WorkingDays, 3.0));
    }

    #[test]
    fn per_cent_money_and_size() {
        assert_eq!(one("99.9 % of"), (Measure::Percent, 99.9));
        assert_eq!(one("99.9% of"), (Measure::Percent, 99.9));
        assert_eq!(one("more than $1,500.50"), (Measure::Money("USD"), 1500.5));
        assert_eq!(one("trên 500.000 VND"), (Measure::Money("VND"), 500_000.0));
        assert_eq!(one("500 nghìn đồng"), (Measure::Money("VND"), 500_000.0));
        assert_eq!(one("超过 3 万元"), (Measure::Money("CNY"), 30_000.0));
        assert_eq!(one("2 MB"), (Measure::Bytes, 2.0 * KIB * KIB));
        assert_eq!(one("3 lần"), (Measure::Times, 3.0));
        assert_eq!(one("at most 20 items"), (Measure::Count("item".into()), 20.0));
    }

    #[test]
    fn ids_versions_dates_and_labels_are_no_values() {
        for text in [
            "see BR-14 days",
            "version 1.2 days",
            "v1.2",
            "2024-05-03 day",
            "step 3 shows",
            "ngày 14 tháng 5",
            "2024年",
            "5月3日",
            "at 10 h",
            "12:30 h",
            "第 3 天",
            "a/5 days",
        ] {
            let all = read(text);
            assert!(all.iter().all(|(measure, _)| matches!(measure, Measure::Count(_))) || all.is_empty(), "{text}: {all:?}");
        }
    }

    #[test]
    fn equal_values_in_other_units_are_the_same() {
        let value = |text: &str| quantities(&Folded::plain(text)).remove(0);
        for (one, other) in
            [("14 days", "2 weeks"), ("1 month", "30 days"), ("12 months", "1 year"), ("1 năm", "365 ngày"), ("1,000 ms", "1 s")]
        {
            assert!(value(one).same_value(&value(other)), "{one} {other}");
        }
        for (one, other) in [
            ("14 days", "30 days"),
            ("1 month", "1 week"),
            ("100 ms", "102 ms"),
            ("14 days", "14 hours"),
            ("14 days", "14 months"),
        ] {
            assert!(!value(one).same_value(&value(other)), "{one} {other}");
        }
    }

    #[test]
    fn ranges_are_marked() {
        for text in
            ["5-10 days", "5–10 days", "from 5 days to 10 days", "từ 5 đến 10 ngày", "5 至 10 天", "between 5 and 10 days"]
        {
            let all = quantities(&Folded::plain(text));
            assert!(!all.is_empty() && all.iter().all(|q| q.in_range), "{text}: {all:?}");
        }
    }
}
