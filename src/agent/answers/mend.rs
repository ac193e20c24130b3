//! Reads an item that is almost JSON: comments, single or typographic quotation marks, keys without any, stray commas, the
//! words of other languages for true and nothing, line feeds and unescaped quotation marks in texts, halves of characters.
//! One pass, and strict where a guess could lose words: an item that stays in doubt is refused and asked for again.

use super::scan::Shape;
use serde_json::{Map, Value};

/// Brackets in each other; an item has three.
const DEPTH: usize = 16;

/// The item at the start of a text, and where it ends; `None` where it cannot be told for sure.
pub(super) fn item(text: &str, shape: &Shape) -> Option<(Value, usize)> {
    let mut reader = Reader { text, at: 0, shape };
    let value = reader.object(DEPTH)?;
    Some((value, reader.at))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    shape: &'t Shape,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let here = self.rest().starts_with(c);
        self.at += if here { c.len_utf8() } else { 0 };
        here
    }

    /// White space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            let spaces = rest.len() - trimmed.len();
            let comment = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |end| end + 2)
            } else {
                0
            };
            self.at += spaces + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize, closers: &[char]) -> Option<Value> {
        self.skip();
        match self.next()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            c if is_quote(c) => self.string(closers).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let mut object = Map::new();
        self.take('{').then_some(())?;
        loop {
            self.skip();
            if self.take('}') {
                return Some(Value::Object(object));
            }
            if self.take(',') {
                continue;
            }
            let key = if is_quote(self.next()?) { self.string(&[':'])? } else { self.name()?.to_owned() };
            self.skip();
            self.take(':').then_some(())?;
            let value = self.value(depth, &[',', '}'])?;
            object.insert(key, value);
            self.skip();
            matches!(self.next()?, ',' | '}').then_some(())?;
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let mut elements = Vec::new();
        self.take('[').then_some(())?;
        loop {
            self.skip();
            if self.take(']') {
                return Some(Value::Array(elements));
            }
            if self.take(',') {
                continue;
            }
            elements.push(self.value(depth, &[',', ']'])?);
            self.skip();
            matches!(self.next()?, ',' | ']').then_some(())?;
        }
    }

    /// A key, a number or a word without quotation marks.
    fn name(&mut self) -> Option<&str> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-+.".contains(c))).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then_some(&rest[..length])
    }

    fn word(&mut self) -> Option<Value> {
        Some(match self.name()? {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            "null" | "None" | "nil" | "undefined" | "NaN" | "Infinity" | "-Infinity" => Value::Null,
            word if word.chars().all(|c| c.is_ascii_alphabetic()) => Value::String(word.to_owned()),
            number => serde_json::from_str::<serde_json::Number>(number).ok().map(Value::Number)?,
        })
    }

    /// A text; a quotation mark ends it where one of the closers follows, else it is one of the text's own.
    fn string(&mut self, closers: &[char]) -> Option<String> {
        let open = self.next()?;
        self.at += open.len_utf8();
        let mut out = String::new();
        loop {
            let c = self.next()?;
            self.at += c.len_utf8();
            match c {
                '\\' => self.escape(&mut out)?,
                c if closes(open, c) && self.ends(closers) => break,
                c => out.push(c),
            }
        }
        // A field's name before a quotation mark: the text has swallowed what came after it.
        let swallowed = |name: &&&str| out.match_indices(**name).any(|(at, _)| out[at + name.len()..].starts_with(is_quote));
        self.shape.fields.iter().find(swallowed).is_none().then_some(out)
    }

    fn ends(&self, closers: &[char]) -> bool {
        let rest = self.rest().trim_start();
        rest.starts_with(closers) || rest.starts_with("//") || rest.starts_with("/*")
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let c = self.next()?;
        self.at += c.len_utf8();
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '"' | '\'' | '\\' | '/' => out.push(c),
            'u' => match self.unit() {
                None => out.push_str("\\u"),
                Some(unit) => {
                    self.at += 4;
                    out.push(self.character(unit));
                }
            },
            other => out.extend(['\\', other]),
        }
        Some(())
    }

    /// Four hex digits.
    fn unit(&self) -> Option<u16> {
        let hex = self.rest().get(..4).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u16::from_str_radix(hex, 16).ok()
    }

    /// The character that an escape begins; the mark for what cannot be read where its other half is not there.
    fn character(&mut self, unit: u16) -> char {
        let second = self.rest().strip_prefix("\\u").and_then(|rest| Reader { text: rest, at: 0, shape: self.shape }.unit());
        let units = [unit, second.unwrap_or(0)];
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => {
                self.at += if c.len_utf16() == 2 { 6 } else { 0 };
                c
            }
            _ => char::REPLACEMENT_CHARACTER,
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '„' | '`')
}

fn closes(open: char, c: char) -> bool {
    match open {
        '“' | '”' | '„' => matches!(c, '“' | '”' | '"'),
        open => c == open,
    }
}
