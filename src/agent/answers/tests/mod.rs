//! Answers as models give them.

mod again;
mod properties;
mod real;
mod schema;

use super::*;
use crate::rules::sample;

/// Reads a reviewer's answer.
fn review(text: &str) -> Result<Read, NoAnswer> {
    read(text, &Wanted::Findings { recipe: &sample::recipe(), names_dimension: false, most: MAX_FINDINGS })
}

/// Reads a critic's answer.
fn critic(text: &str) -> Result<Read, NoAnswer> {
    read(text, &Wanted::Findings { recipe: &sample::recipe(), names_dimension: true, most: MAX_FINDINGS })
}

/// Reads an arbiter's answer about five findings.
fn arbiter(text: &str) -> Result<Read, NoAnswer> {
    read(text, &Wanted::Verdicts { listed: 5 })
}

/// The findings of an answer.
fn findings(read: &Read) -> &[RawFinding] {
    match &read.items {
        Items::Findings(findings) => findings,
        Items::Parts(_) => panic!("parts"),
    }
}

/// The parts of an answer.
fn parts(read: &Read) -> &[VerdictPart] {
    match &read.items {
        Items::Parts(parts) => parts,
        Items::Findings(_) => panic!("findings"),
    }
}

/// The words of the findings, joined, and the paths of what is bad.
fn told(text: &str) -> (String, String) {
    match review(text) {
        Ok(read) => {
            let words: Vec<&str> = findings(&read).iter().map(|finding| finding.finding.as_str()).collect();
            let bad: Vec<&str> = read.bad.iter().map(|bad| bad.path.as_str()).collect();
            (words.join("|"), bad.join("|"))
        }
        Err(none) => (format!("none: {}", none.why), String::new()),
    }
}

/// An item with these words.
fn item(words: &str) -> String {
    format!(r#"{{"severity": "major", "quote": "q", "finding": "{words}"}}"#)
}
