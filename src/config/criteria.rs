//! The user's own criteria (P5): a Markdown or text list, one criterion a bullet or a line.

use super::origin::{Origin, read_text};
use crate::model::fault::Fault;
use std::path::Path;

/// Reads a criteria file.
///
/// # Errors
/// An input fault where the file cannot be read, a usage fault where no criterion stands in it.
pub fn load(path: &Path) -> Result<(Vec<String>, Origin, String), Fault> {
    let text = read_text(path)?;
    let criteria = parse(&text);
    if criteria.is_empty() {
        let what = format!("{}: no criterion stands in this file", path.display());
        return Err(Fault::usage(what, "write one criterion a line, or a list with one criterion a bullet"));
    }
    Ok((criteria, Origin::Given(path.to_owned()), text))
}

/// The criteria of a text: its list items where it has any (what else it says introduces them), else its lines.
///
/// Headings, comments and blank lines are no criteria. An indented line without a marker goes on with the item above.
pub fn parse(text: &str) -> Vec<String> {
    let visible = without_comments(text);
    let lines: Vec<&str> = visible.lines().collect();
    if !lines.iter().any(|line| item(line).is_some()) {
        let plain = lines.iter().map(|line| line.trim()).filter(|line| !is_heading(line) && !is_rule(line));
        return plain.map(str::to_owned).collect();
    }
    let mut criteria: Vec<String> = Vec::new();
    let mut inside = false;
    for line in lines {
        match item(line) {
            Some(words) => {
                criteria.push(words.to_owned());
                inside = true;
            }
            None if line.trim().is_empty() => {}
            None if inside && line.starts_with([' ', '\t']) => {
                if let Some(last) = criteria.last_mut() {
                    last.push(' ');
                    last.push_str(line.trim());
                }
            }
            None => inside = false,
        }
    }
    criteria.retain(|criterion| !criterion.trim().is_empty());
    criteria
}

/// The words of a list item: after `-`, `*`, `+`, `1.` or `1)`, and after a task's box.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if after_digits.len() < line.len() {
        after_digits.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+', '•'])?
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let words = rest.trim();
    let after_box = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| words.strip_prefix(mark));
    Some(after_box.unwrap_or(words).trim())
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    after.len() < line.len() && (after.is_empty() || after.starts_with([' ', '\t']))
}

/// Nothing, a horizontal rule, or the underline of a heading.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '))
}

/// The text without HTML comments; an unclosed one reaches to the end.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        out.push_str(&rest[..start]);
        rest = match rest[start..].find("-->") {
            Some(end) => &rest[start + end + "-->".len()..],
            None => "",
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultKind;
    use proptest::prelude::*;

    #[test]
    fn a_list_gives_one_criterion_an_item() {
        let text = "# Ours\n\nWhat we hold every document to:\n\n- First,\n  over two lines\n* Second\n\n  - [ ] Third\n\
                    Words between.\n1. Fourth\n12) Fifth\n-\n<!-- - not this\n- nor this -->\n- **Sixth**\n";
        assert_eq!(parse(text), ["First, over two lines", "Second", "Third", "Fourth", "Fifth", "**Sixth**"]);
    }

    #[test]
    fn a_text_without_list_gives_one_a_line() {
        assert_eq!(
            parse("# Ours\r\n\r\n---\r\nMỗi giới hạn có đơn vị\r\n第二条\r\n-5 degrees are named\r\n"),
            ["Mỗi giới hạn có đơn vị", "第二条", "-5 degrees are named"]
        );
    }

    #[test]
    fn a_file_without_criteria_is_a_fault() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("criteria.md");
        std::fs::write(&path, "# Nothing yet\n\n<!-- - later -->\n").expect("written");
        let fault = load(&path).expect_err("refused");
        assert_eq!(fault.kind, FaultKind::Usage);
        assert!(fault.what.contains("no criterion"));
        std::fs::write(&path, "- one\n").expect("written");
        let (criteria, origin, text) = load(&path).expect("reads");
        assert_eq!((criteria, origin, text.as_str()), (vec!["one".to_owned()], Origin::Given(path), "- one\n"));
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "(?s).{0,200}") {
            for criterion in parse(&text) {
                prop_assert!(!criterion.trim().is_empty());
            }
        }
    }
}
