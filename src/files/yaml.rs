//! Writing YAML that every reader reads alike.
//!
//! A text stands plain only where no reader of YAML 1.1 or 1.2 could take it for anything else; otherwise it stands in
//! double quotes on one line, with control, bidi and invisible characters escaped. Other quoting styles are not used:
//! their line folding differs between readers.

use crate::model::shown::is_hidden;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Characters of a list that stands on one line.
const MAX_FLOW: usize = 90;

/// Words that some reader takes for something else than text.
const NOT_TEXT: [&str; 13] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity", "undefined"];

/// A YAML document whose root is a map, written key by key.
#[derive(Default)]
pub(super) struct Document(String);

impl Document {
    /// Adds a key with its value.
    pub(super) fn value(&mut self, key: &str, value: &Value) {
        self.key(key);
        nested(&mut self.0, value, 0);
    }

    /// Adds a key with a list whose items are made while they are written.
    pub(super) fn list(&mut self, key: &str, items: impl Iterator<Item = Value>) {
        self.key(key);
        let mut items = items.peekable();
        self.0.push_str(if items.peek().is_some() { "\n" } else { " []\n" });
        for item in items {
            list_item(&mut self.0, &item, 1);
        }
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.0
    }

    fn key(&mut self, key: &str) {
        push_text(&mut self.0, key);
        self.0.push(':');
    }
}

/// A text as a YAML scalar.
pub(super) fn scalar(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_text(&mut out, text);
    out
}

fn block_map(out: &mut String, map: &Map<String, Value>, depth: usize) {
    for (index, (key, value)) in map.iter().enumerate() {
        // The first key of a map in a list stands on the line of its dash.
        if index > 0 || out.ends_with('\n') {
            indent(out, depth);
        }
        push_text(out, key);
        out.push(':');
        nested(out, value, depth);
    }
}

/// What follows a key: on its line, or below it and indented.
fn nested(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if !items.is_empty() => match flow(items) {
            Some(line) => {
                out.push(' ');
                out.push_str(&line);
                out.push('\n');
            }
            None => {
                out.push('\n');
                items.iter().for_each(|item| list_item(out, item, depth + 1));
            }
        },
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            block_map(out, map, depth + 1);
        }
        inline => {
            out.push(' ');
            push_inline(out, inline);
            out.push('\n');
        }
    }
}

fn list_item(out: &mut String, item: &Value, depth: usize) {
    indent(out, depth);
    out.push('-');
    match item {
        Value::Object(map) if !map.is_empty() => {
            out.push(' ');
            block_map(out, map, depth + 1);
        }
        other => nested(out, other, depth),
    }
}

/// A list of numbers or simple words, where it is short enough for one line.
fn flow(items: &[Value]) -> Option<String> {
    let mut line = String::from("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            line.push_str(", ");
        }
        match item {
            Value::String(word) if is_simple(word) && is_plain(word) => line.push_str(word),
            Value::Number(_) => push_inline(&mut line, item),
            _ => return None,
        }
        if line.len() > MAX_FLOW {
            return None;
        }
    }
    line.push(']');
    Some(line)
}

fn is_simple(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.'))
}

fn push_inline(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => push_text(out, text),
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn push_text(out: &mut String, text: &str) {
    if is_plain(text) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_escape(c) => push_escape(out, c),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn push_escape(out: &mut String, c: char) {
    let code = c as u32;
    let _ = if code <= 0xffff { write!(out, "\\u{code:04X}") } else { write!(out, "\\U{code:08X}") };
}

/// Characters that a reader may refuse, fold or not show: controls, line separators, bidi marks, what is invisible, and
/// what is no character.
fn needs_escape(c: char) -> bool {
    if (' '..='~').contains(&c) {
        return false;
    }
    c.is_control() || is_hidden(c) || (c as u32 & 0xfffe) == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c)
}

fn is_plain(text: &str) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else {
        return false;
    };
    first.is_alphabetic()
        && !last.is_whitespace()
        && last != ':'
        && !text.chars().any(needs_escape)
        && !text.contains(": ")
        && !text.contains(" #")
        && !NOT_TEXT.iter().any(|word| word.eq_ignore_ascii_case(text))
}
