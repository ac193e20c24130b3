//! Front matter: only where line 1 is `---`, line 2 is neither blank nor a heading, and the block closes again.

use crate::model::outline::Line;

/// Number of lines of the front matter, fences included; 0 when the document has none.
pub(super) fn line_count(text: &str, lines: &[Line]) -> usize {
    let line = |index: usize| lines.get(index).map(|line| text[line.span.start..line.span.end].trim_end());
    if line(0) != Some("---") {
        return 0;
    }
    // A document may open with a horizontal rule: then text, a blank line or a heading follows, not `key: value`.
    match line(1) {
        None | Some("") => return 0,
        Some(second) if second.starts_with('#') || !looks_like_yaml(second) => return 0,
        _ => {}
    }
    let mut index = 1;
    while let Some(content) = line(index) {
        if content == "---" || content == "..." {
            return index + 1;
        }
        let blank_or_comment = content.is_empty() || content.trim_start().starts_with('#');
        if !(blank_or_comment || content.starts_with([' ', '\t']) || looks_like_yaml(content)) {
            return 0;
        }
        index += 1;
    }
    0
}

/// `key:`, `key: value`, `- item`, a closing bracket or a quoted key.
fn looks_like_yaml(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed == "---" || trimmed == "..." {
        return true;
    }
    if trimmed == "-" || trimmed.starts_with("- ") || trimmed.starts_with([']', '}', '[', '{']) {
        return true;
    }
    match trimmed.split_once(':') {
        Some((key, value)) => {
            let key = key.trim_matches(['"', '\'']);
            let plain = !key.is_empty() && key.len() <= 80 && !key.contains(['*', '|', '`', '[']);
            plain && (value.is_empty() || value.starts_with([' ', '\t']))
        }
        None => false,
    }
}

/// The value of a top-level key (any of `names`, in lower case), quotes and a trailing comment removed.
pub(super) fn value<'t>(text: &'t str, lines: &[Line], names: &[&str]) -> Option<&'t str> {
    lines.iter().find_map(|line| {
        let (key, value) = text[line.span.start..line.span.end].split_once(':')?;
        if key.starts_with([' ', '\t']) || !names.contains(&key.trim_matches(['"', '\'']).to_lowercase().as_str()) {
            return None;
        }
        let value = value.trim();
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or("").trim(),
            _ => value.split(" #").next().unwrap_or("").trim(),
        };
        (!value.is_empty() && !matches!(value, "|" | ">" | "~" | "null")).then_some(value)
    })
}
