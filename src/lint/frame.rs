//! The content words of a statement, for comparing two statements with each other.

use super::words::{STOP, is_han};

/// Content words of a text, numbers, ids and function words left out; sorted, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// English words by their stem, Vietnamese syllables as they are.
    pub words: Vec<String>,
    /// Chinese characters; two of them weigh as much as one word.
    pub han: Vec<char>,
}

impl Frame {
    /// Reads a folded text.
    pub fn new(folded: &str) -> Frame {
        let mut frame = Frame::default();
        let mut buffer = [0; 4];
        for word in folded.split(|c: char| !c.is_alphanumeric()) {
            // Within a word without blanks Chinese characters stand for themselves, what is between them is a word.
            let mut start = 0;
            for (at, c) in word.char_indices().filter(|(_, c)| is_han(*c)) {
                frame.take_word(&word[start..at]);
                start = at + c.len_utf8();
                if !STOP.contains(&*c.encode_utf8(&mut buffer)) {
                    frame.han.push(c);
                }
            }
            frame.take_word(&word[start..]);
        }
        frame.words.sort_unstable();
        frame.words.dedup();
        frame.han.sort_unstable();
        frame.han.dedup();
        frame
    }

    fn take_word(&mut self, word: &str) {
        let counts = word.len() > 1 && !word.contains(|c: char| c.is_numeric()) && !STOP.contains(word);
        if counts && word.chars().nth(1).is_some() {
            self.words.push(stem(word));
        }
    }

    /// Adds a word.
    pub fn add(&mut self, word: &str) {
        if let Err(at) = self.words.binary_search_by(|known| known.as_str().cmp(word)) {
            self.words.insert(at, word.to_owned());
        }
    }

    /// How much it says, in words.
    pub fn weight(&self) -> usize {
        self.words.len() + self.han.len() / 2
    }

    /// How much both say, in words.
    pub fn shared(&self, other: &Frame) -> usize {
        common(&self.words, &other.words) + common(&self.han, &other.han) / 2
    }

    /// What this says and the other does not.
    pub fn beyond(&self, other: &Frame) -> Frame {
        let words = self.words.iter().filter(|word| other.words.binary_search(word).is_err()).cloned().collect();
        let han = self.han.iter().filter(|c| other.han.binary_search(c).is_err()).copied().collect();
        Frame { words, han }
    }

    /// Whether the other says all that this says.
    pub fn is_part_of(&self, other: &Frame) -> bool {
        self.beyond(other).is_empty()
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.han.is_empty()
    }

    /// Twice what both say over all they say, 0 to 1.
    pub fn dice(&self, other: &Frame) -> f64 {
        let all = self.weight() + other.weight();
        if all == 0 { 0.0 } else { 2.0 * self.shared(other) as f64 / all as f64 }
    }

    /// The share of this that the other says too, 0 to 1.
    pub fn covered_by(&self, other: &Frame) -> f64 {
        if self.weight() == 0 { 0.0 } else { self.shared(other) as f64 / self.weight() as f64 }
    }
}

fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short.iter().filter(|item| long.binary_search(item).is_ok()).count()
}

/// Whether a term may take an English plural: plain letters at its end.
pub fn is_simple_word(term: &str) -> bool {
    term.is_ascii() && term.len() > 2 && term.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// The stem of frequent verb forms that endings do not show.
fn irregular(form: &str) -> Option<&'static str> {
    Some(match form {
        "sent" => "send",
        "paid" => "pay",
        "kept" => "keep",
        "held" => "hold",
        "shown" => "show",
        "taken" => "tak",
        "made" => "mak",
        "left" => "leav",
        "lost" => "los",
        "written" => "writ",
        "chosen" => "choos",
        "sold" => "sell",
        "bought" => "buy",
        "built" => "build",
        "found" => "find",
        "begun" => "begin",
        "drawn" => "draw",
        "withdrawn" => "withdraw",
        _ => return None,
    })
}

/// A crude stem, so that `file`, `files`, `filed` and `filing` meet; only English endings are cut.
pub fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    if let Some(root) = irregular(word) {
        return root.to_owned();
    }
    let plural = match word {
        w if (w.ends_with("ies") || w.ends_with("ied")) && w.len() > 4 => format!("{}y", &w[..w.len() - 3]),
        w if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| w.ends_with(end)) => w[..w.len() - 2].to_owned(),
        w if w.ends_with('s') && !w.ends_with("ss") && !w.ends_with("us") && !w.ends_with("is") => w[..w.len() - 1].to_owned(),
        w => w.to_owned(),
    };
    let mut root = match plural.as_str() {
        w if w.ends_with("ing") && w.len() > 5 => &w[..w.len() - 3],
        w if w.ends_with("ed") && w.len() > 4 => &w[..w.len() - 2],
        w => w,
    };
    let bytes = root.as_bytes();
    let doubled = root.len() > 3
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !matches!(bytes[bytes.len() - 1], b's' | b'l' | b'e');
    if doubled {
        root = &root[..root.len() - 1];
    }
    let root = root.strip_suffix('e').unwrap_or(root);
    let root = if root.len() > 5 { root.strip_suffix('y').unwrap_or(root) } else { root };
    root.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::words::Folded;

    fn frame(text: &str) -> Frame {
        Frame::new(&Folded::plain(text))
    }

    #[test]
    fn forms_of_a_word_meet() {
        for words in [
            ["file", "files", "filed", "filing"],
            ["deliver", "delivery", "delivered", "deliveries"],
            ["submit", "submits", "submitted", "submitting"],
            ["send", "sends", "sent", "sending"],
            ["take", "takes", "taken", "taking"],
            ["retry", "retries", "retried", "retrying"],
        ] {
            let stems = words.map(stem);
            assert!(stems.iter().all(|s| *s == stems[0]), "{stems:?}");
        }
        assert_ne!(stem("status"), stem("state"));
    }

    #[test]
    fn a_frame_holds_content_words_only() {
        let rule = frame("BR-01: A refund request must be filed within 14 calendar days after delivery.");
        assert_eq!(rule.words, ["after", "br", "calendar", "day", "deliver", "fil", "refund", "request"]);
        assert_eq!(frame("退款申请必须在签收后 14 天内提交。").weight(), 5);
        assert_eq!(rule.covered_by(&rule), 1.0);
    }
}
