//! Markdown text without its marks, and the small word tests that several readers share.

/// A stretch of Markdown as plain words: emphasis marks, backticks, tags and link targets dropped, white space folded.
pub(super) fn plain(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    let links = raw.contains("](");
    while let Some(c) = rest.chars().next() {
        let width = c.len_utf8();
        match c {
            '\\' => {
                // A backslash before punctuation is an escape, elsewhere a backslash.
                match rest[width..].chars().next() {
                    Some(next) if next.is_ascii_punctuation() => {
                        out.push(next);
                        rest = &rest[width + 1..];
                    }
                    _ => {
                        out.push('\\');
                        rest = &rest[width..];
                    }
                }
            }
            '*' => rest = &rest[width..],
            '`' => {
                // Code is taken as it stands, up to a run of as many backticks.
                let run = rest.len() - rest.trim_start_matches('`').len();
                let inner = &rest[run..];
                match inner.find(&rest[..run]) {
                    Some(close) => {
                        out.push_str(&inner[..close]);
                        rest = &inner[close + run..];
                    }
                    None => rest = inner,
                }
            }
            '~' if rest.starts_with("~~") => rest = &rest[2..],
            '_' => {
                // Inside a word it belongs to the word.
                let inside =
                    out.ends_with(char::is_alphanumeric) && rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
                if inside {
                    out.push('_');
                }
                rest = &rest[1..];
            }
            '<' => match tag_end(rest) {
                Some(end) => {
                    if rest[..end].to_ascii_lowercase().starts_with("<br") {
                        out.push(' ');
                    }
                    rest = &rest[end..];
                }
                None => {
                    out.push('<');
                    rest = &rest[1..];
                }
            },
            '!' if rest.starts_with("![") => rest = &rest[1..],
            '[' => match links.then(|| link_parts(rest)).flatten() {
                Some((text, end)) => {
                    out.push_str(&plain(text));
                    rest = &rest[end..];
                }
                None => {
                    out.push('[');
                    rest = &rest[1..];
                }
            },
            '&' if rest.starts_with("&nbsp;") => {
                out.push(' ');
                rest = &rest[6..];
            }
            _ => {
                out.push(c);
                rest = &rest[width..];
            }
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Longest link text, tag or comment inside a line of text, in bytes: what is longer is no mark-up, and a text of nothing
/// but openings stays linear to read.
const LONGEST_MARK: usize = 1024;

/// The first bytes of a text, as many as a mark may have.
fn near(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_MARK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// End of the HTML tag or comment that opens a text.
pub(super) fn tag_end(text: &str) -> Option<usize> {
    let text = near(text);
    if text.starts_with("<!--") {
        return text.find("-->").map(|at| at + 3);
    }
    let inner = text.strip_prefix('<')?;
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
        return None;
    }
    let close = inner.find(['>', '<', '\n'])?;
    inner[close..].starts_with('>').then_some(close + 2)
}

/// Text and end of the inline link that opens a text.
fn link_parts(text: &str) -> Option<(&str, usize)> {
    let text = near(text);
    let close = text.find("](")?;
    // Nested brackets belong to other things; only a plain link is unwrapped.
    if text[1..close].contains('[') {
        return None;
    }
    let end = text[close..].find(')')?;
    Some((&text[1..close], close + end + 1))
}

/// Words that open a step of a scenario, in the languages read.
const STEP_WORDS: &[&str] = &[
    "given",
    "when",
    "then",
    "and",
    "but",
    "if",
    "while",
    "where",
    "cho",
    "khi",
    "thì",
    "và",
    "nhưng",
    "nếu",
    "giả sử",
    "假如",
    "假设",
    "给定",
    "当",
    "如果",
    "那么",
    "则",
    "并且",
    "而且",
    "但是",
    "前提",
    "dado",
    "cuando",
    "entonces",
    "y",
    "gegeben",
    "wenn",
    "dann",
    "zakładając",
    "gdy",
    "wtedy",
    "oraz",
    "дано",
    "когда",
    "тогда",
    "もし",
    "ならば",
];

/// Whether a text is nothing but a step word.
pub(super) fn is_step_word(text: &str) -> bool {
    let bare = text.trim().trim_end_matches([':', '：', ',', '，']).to_lowercase();
    STEP_WORDS.contains(&bare.as_str())
}

/// Whether a sentence obliges: SHALL, MUST, phải, 必须 and their like.
pub(super) fn obliges(text: &str) -> bool {
    const WHOLE: &[&str] = &["shall", "must", "phải", "muss", "müssen", "soll", "darf", "debe", "deve"];
    let word = |word: &str| {
        WHOLE.iter().any(|known| word.eq_ignore_ascii_case(known) || (!known.is_ascii() && word.to_lowercase() == *known))
    };
    text.split(|c: char| !c.is_alphanumeric()).any(word)
        || ["必须", "应当", "不得", "须"].iter().any(|known| text.contains(known))
}

/// Whether a text states a scenario step where no label announces criteria: a marked `**Given**`, or a whole sentence.
pub(super) fn states_step(raw: &str) -> bool {
    let bare = raw.trim_start();
    let marked = ["**", "__"].iter().any(|mark| {
        let word: String = bare.strip_prefix(mark).unwrap_or("").chars().take_while(|c| c.is_alphabetic()).take(16).collect();
        bare.starts_with(mark)
            && matches!(word.to_lowercase().as_str(), "given" | "when" | "then" | "khi" | "当" | "假如" | "给定")
    });
    if marked {
        return true;
    }
    if !bare.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("given ")) {
        return false;
    }
    let lower: String = bare.chars().take(400).flat_map(char::to_lowercase).collect();
    lower.contains("when ") && lower.contains("then ")
}

/// Whether a text opens with a step word (`Given …`, `**WHEN** …`, `当…`), marks before it ignored.
pub(super) fn opens_with_step(raw: &str) -> bool {
    let bare = raw.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '-' | '`'));
    let marked = raw.trim_start().starts_with(['*', '_']);
    let word: String = bare.chars().take_while(|c| c.is_alphabetic()).take(16).collect();
    let lower = word.to_lowercase();
    if matches!(lower.as_str(), "given" | "when" | "then") || (marked && is_step_word(&lower)) {
        return true;
    }
    ["假如", "给定", "当", "如果", "那么"].iter().any(|step| bare.starts_with(step)) || {
        let start: String = bare.chars().take(8).flat_map(char::to_lowercase).collect();
        ["khi ", "giả sử ", "nếu "].iter().any(|step| start.starts_with(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        for (raw, words) in [
            ("**FR-1**: a _small_ `code_x`", "FR-1: a small code_x"),
            ("see [the desk](a.md) and ![x](y.png)", "see the desk and x"),
            ("one<br>two <b>three</b>", "one two three"),
            ("snake_case stays, 2 \\* 3", "snake_case stays, 2 * 3"),
            ("~~old~~ a < b &nbsp; c", "old a < b c"),
            ("`List\\<Loan>` ``a`b``", "List\\<Loan> a`b"),
            ("a [link\nover lines](x)", "a link over lines"),
        ] {
            assert_eq!(plain(raw), words);
        }
    }

    #[test]
    fn steps_are_told_from_prose() {
        assert!(opens_with_step("**Given** a card"));
        assert!(opens_with_step("当用户提交时"));
        assert!(opens_with_step("Khi khách gửi"));
        assert!(states_step("Given a card, when it expires, then a mail is sent"));
        assert!(!states_step("When the desk opens, readers may come in."));
        assert!(!opens_with_step("The desk opens"));
    }
}
