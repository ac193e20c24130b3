//! Values as JSON in which nothing can pass for the end of a line, a fence or a control word.

use super::fence::disarmed;
use crate::model::shown::is_hidden;
use serde::Serialize;
use std::fmt::Write;

/// A value on one line. Control, line-separating and invisible characters are escaped, which JSON allows in strings only, and
/// only there can they stand.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    let plain = serde_json::to_string(value).unwrap_or_default();
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        if c.is_control() || is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    disarmed(&out).into_owned()
}

/// A JSON array with one value a line; `[]` when there is none.
pub(super) fn rows<T: Serialize>(values: &[T]) -> String {
    if values.is_empty() {
        return "[]".to_owned();
    }
    let rows: Vec<String> = values.iter().map(json).collect();
    format!("[\n{}\n]", rows.join(",\n"))
}
