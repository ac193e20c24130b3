//! The only place that prints. Data goes to standard output, progress and notices to standard error;
//! a closed pipe is quiet; what a document or a model said is `Shown` before it comes here.

use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Writes to standard output. A closed pipe is no error: nobody is listening.
///
/// # Errors
/// Any other failure to write, as on a full disk.
pub fn data(text: &str) -> io::Result<()> {
    write_to(&mut io::stdout().lock(), text)
}

/// Writes a line to standard error. Nothing can be done about a failure.
pub fn notice(line: &str) {
    let _ = write_to(&mut io::stderr().lock(), &format!("{line}\n"));
}

fn write_to(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// JSON whose strings hold no raw control, C1 or invisible character: each is `\u`-escaped.
pub fn json<T: Serialize>(value: &T, pretty: bool) -> String {
    let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    escape_hidden(&text.unwrap_or_default())
}

/// Escapes what serde_json leaves raw inside strings. Outside strings JSON text has no such character but line feeds.
fn escape_hidden(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if crate::model::shown::is_hidden(c) || c == '\u{7f}' {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let text = "a\u{1b}[0m\u{9b}\u{202e}\u{e0041}\u{2028}\u{7f}é中";
        let json = json(&text, false);
        assert!(json.chars().all(|c| !c.is_control() && !crate::model::shown::is_hidden(c)), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }
}
