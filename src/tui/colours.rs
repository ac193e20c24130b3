//! Arithmetic on colours: contrast, the 256 colours of terminals, the nearest one that stays readable.
//! Which colour means what stands in the themes.

use ratatui::style::Color;

/// Red, green and blue of sRGB.
pub(super) type Rgb = [u8; 3];

/// Names of a terminal's own 16 colours in the order of their numbers.
pub(super) const NAMES: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("gray", Color::Gray),
    ("dark-gray", Color::DarkGray),
    ("light-red", Color::LightRed),
    ("light-green", Color::LightGreen),
    ("light-yellow", Color::LightYellow),
    ("light-blue", Color::LightBlue),
    ("light-magenta", Color::LightMagenta),
    ("light-cyan", Color::LightCyan),
    ("white", Color::White),
];

/// What xterm shows for its 16 colours: a guess wherever the user chose others.
const XTERM: [Rgb; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// Reads `#rrggbb`.
pub(super) fn from_hex(word: &str) -> Option<Rgb> {
    let digits = word.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue])
}

/// Number of one of the 16 colours.
pub(super) fn number_of(color: Color) -> Option<usize> {
    NAMES.iter().position(|&(_, known)| known == color)
}

/// The colour a terminal shows for a number below 256: 16 of its own, a cube of 6 × 6 × 6, 24 greys.
pub(super) fn indexed(number: u8) -> Rgb {
    match number {
        0..=15 => XTERM[usize::from(number)],
        16..=231 => {
            let step = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let cube = number - 16;
            [step(cube / 36), step(cube / 6 % 6), step(cube % 6)]
        }
        232..=255 => [8 + 10 * (number - 232); 3],
    }
}

/// Contrast ratio of two colours, 1 to 21 (WCAG 2.2).
pub(super) fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
fn luminance(rgb: Rgb) -> f64 {
    let [red, green, blue] = rgb.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Light of one part of a colour, 0 to 1.
pub(super) fn linear(part: u8) -> f64 {
    let part = f64::from(part) / 255.0;
    if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// A colour between two: `share` 0 is `a`, 1 is `b`.
pub(super) fn between(a: Rgb, b: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| (f64::from(a[i]) * (1.0 - share) + f64::from(b[i]) * share).round() as u8)
}

/// Contrast that text needs.
pub(super) const READABLE: f64 = 4.5;

/// Of the colours with these numbers, the nearest one that stays readable on each ground where the colour itself is;
/// where none does, the one with the best contrast.
pub(super) fn nearest(rgb: Rgb, numbers: std::ops::RangeInclusive<u8>, grounds: &[(Rgb, Rgb)]) -> u8 {
    let keeps = |candidate: Rgb| {
        grounds.iter().all(|&(ground, mapped)| contrast(candidate, mapped) >= READABLE.min(contrast(rgb, ground)))
    };
    let worst = |candidate: Rgb| grounds.iter().map(|&(_, mapped)| contrast(candidate, mapped)).fold(f64::INFINITY, f64::min);
    let candidates = || numbers.clone().map(|number| (number, indexed(number)));
    let readable = candidates().filter(|&(_, candidate)| keeps(candidate));
    let closest = readable.min_by_key(|&(number, candidate)| (distance(rgb, candidate), number));
    let found = closest.or_else(|| candidates().max_by(|a, b| worst(a.1).total_cmp(&worst(b.1))));
    found.map_or(*numbers.start(), |(number, _)| number)
}

/// How far apart two colours look: squared, weighted by how much red there is (the "redmean" of T. Riemersma).
fn distance(a: Rgb, b: Rgb) -> i64 {
    let [red, green, blue] = std::array::from_fn(|i| i64::from(a[i]) - i64::from(b[i]));
    let mean = (i64::from(a[0]) + i64::from(b[0])) / 2;
    (512 + mean) * red * red + 1024 * green * green + (767 - mean) * blue * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_six_digits() {
        assert_eq!(from_hex("#0d1117"), Some([13, 17, 23]));
        assert_eq!(from_hex("#ABCDEF"), Some([171, 205, 239]));
        for wrong in ["0d1117", "#fff", "#12345g", "#1234567", "#+12345", "", "#"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 0.01);
        assert!((contrast([118; 3], [255; 3]) - 4.54).abs() < 0.01);
        assert!((contrast([9, 105, 218], [9, 105, 218]) - 1.0).abs() < 0.01);
    }

    #[test]
    fn the_256_colours_are_those_of_xterm() {
        for (number, expected) in [
            (1, [205, 0, 0]),
            (16, [0; 3]),
            (67, [95, 135, 175]),
            (196, [255, 0, 0]),
            (231, [255; 3]),
            (232, [8; 3]),
            (255, [238; 3]),
        ] {
            assert_eq!(indexed(number), expected, "{number}");
        }
    }

    #[test]
    fn the_nearest_colour_is_found() {
        for (hex, expected) in [
            ("#000000", 16),
            ("#ffffff", 231),
            ("#ff0000", 196),
            ("#5f87af", 67),
            ("#808080", 244),
            ("#0d1117", 233),
            ("#79c0ff", 111),
            ("#1f2328", 235),
        ] {
            let rgb = from_hex(hex).expect("hex");
            assert_eq!(nearest(rgb, 16..=255, &[]), expected, "{hex}");
        }
        for number in 16..=255 {
            assert_eq!(indexed(nearest(indexed(number), 16..=255, &[])), indexed(number), "{number}");
        }
        assert_eq!(nearest([200, 10, 10], 0..=15, &[]), 1);
    }

    #[test]
    fn a_colour_that_is_readable_stays_so() {
        let ground = [13, 17, 23];
        let mapped = indexed(233);
        for red in (0..=255).step_by(15) {
            for blue in (0..=255).step_by(15) {
                let rgb = [red, 120, blue];
                let found = indexed(nearest(rgb, 16..=255, &[(ground, mapped)]));
                assert!(contrast(found, mapped) >= READABLE.min(contrast(rgb, ground)), "{rgb:?} became {found:?}");
            }
        }
        let hopeless = nearest([255; 3], 16..=255, &[([0; 3], [118; 3]), ([0; 3], [255; 3])]);
        assert_eq!(contrast(indexed(hopeless), [118; 3]).round(), 5.0, "the best there is: black");
    }
}
