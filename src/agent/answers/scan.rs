//! Where in a text a list, an item or thinking may begin: one pass, without reading any of it as JSON.

use super::Wanted;

/// Names of an answer's parts, by which it is known among other texts.
pub(super) struct Shape {
    /// The key of the list, and what models call it instead.
    pub lists: &'static [&'static str],
    /// The fields of an item.
    pub fields: &'static [&'static str],
    /// Of these, those that tell an item from any other object: one of them must be there.
    pub telling: &'static [&'static str],
}

const FINDINGS: Shape = Shape {
    lists: &["findings", "issues"],
    fields: &[
        "dimension",
        "severity",
        "section",
        "uc_id",
        "quote",
        "missing",
        "finding",
        "suggestion",
        "auto_fixable",
        "resolution_edge_cases",
        "blocked_on",
    ],
    telling: &["severity", "finding", "quote"],
};

const PARTS: Shape =
    Shape { lists: &["parts", "verdicts"], fields: &["members", "verdict", "suggestion"], telling: &["members", "verdict"] };

/// First keys that models put before the fields of an item.
const EXTRA: [&str; 6] = ["id", "title", "type", "category", "line", "index"];

/// The names in an answer of this kind.
pub(super) fn shape(wanted: &Wanted) -> &'static Shape {
    match wanted {
        Wanted::Findings { .. } => &FINDINGS,
        Wanted::Verdicts { .. } => &PARTS,
    }
}

/// What may begin at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The bracket of a list that stands under its key.
    Named,
    /// The bracket of a list whose first element is an item.
    Bare,
    /// The brackets of an empty list, alone on their line or at the end of the text.
    Empty,
    /// The brace of an item.
    Item,
    /// The tag that opens thinking.
    Think,
    /// The tag that closes it.
    ThinkEnd,
}

/// A place at which something may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Byte.
    pub at: usize,
    /// What.
    pub kind: Kind,
}

/// Brackets in which a list may stand, as in `[[{…}]]`.
const NESTED: usize = 3;

/// All places at which something may begin, in order; linear in the text, for white space after a bracket is passed at
/// most [`NESTED`] times.
pub(super) fn marks(text: &str, shape: &Shape) -> Vec<Mark> {
    let bytes = text.as_bytes();
    let mut marks = Vec::new();
    let mut line = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let kind = match byte {
            b'[' => list(text, at, line, shape),
            b'{' => {
                let named = shape.fields.iter().chain(&EXTRA);
                key(text, at + 1, named).then_some(Kind::Item)
            }
            b'<' => tag(bytes, at),
            _ => None,
        };
        marks.extend(kind.map(|kind| Mark { at, kind }));
        if matches!(byte, b'{' | b',' | b'"' | b'\'' | 0x9c) {
            // `"findings": [`, in any of its spellings; without quotes only where a key may stand.
            let bare = matches!(byte, b'{' | b',');
            let from = if bare { spaces(bytes, at + 1) } else { at + 1 };
            if let Some(bracket) = named_list(text, from, bare, shape) {
                marks.push(Mark { at: bracket, kind: Kind::Named });
            }
        }
        if byte == b'\n' {
            line = at + 1;
        }
    }
    marks.sort_by_key(|mark| mark.at);
    // A list under its key is seen twice where its first element is an item: as what it is more surely.
    marks.dedup_by(|later, earlier| {
        let same = later.at == earlier.at;
        if same && later.kind == Kind::Named {
            earlier.kind = Kind::Named;
        }
        same
    });
    marks
}

fn list(text: &str, at: usize, line: usize, shape: &Shape) -> Option<Kind> {
    let bytes = text.as_bytes();
    let mut inside = spaces(bytes, at + 1);
    if bytes.get(inside) == Some(&b']') {
        return stands_alone(&text[line..at], &text[inside + 1..]).then_some(Kind::Empty);
    }
    for _ in 1..NESTED {
        if bytes.get(inside) != Some(&b'[') {
            break;
        }
        inside = spaces(bytes, inside + 1);
    }
    let item = bytes.get(inside) == Some(&b'{') && key(text, inside + 1, shape.fields.iter().chain(&EXTRA));
    item.then_some(Kind::Bare)
}

/// Whether empty brackets are an answer and not part of a sentence or a box to tick: the text ends with them. Words after
/// them may say that nothing was read at all, so that it is asked again.
fn stands_alone(before: &str, after: &str) -> bool {
    const NEAR: usize = 64;
    let near = before.len() < NEAR;
    let last = after.len() < NEAR && after.trim_matches(|c: char| c.is_whitespace() || "`~*.。".contains(c)).is_empty();
    let dashes = near && !before.trim().is_empty() && before.trim().chars().all(|c| matches!(c, '-' | '*' | '+'));
    let after_another = before.trim_end().ends_with(']');
    last && !dashes && !after_another
}

/// The bracket of a list whose key begins at `from`.
fn named_list(text: &str, from: usize, bare: bool, shape: &Shape) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = shape.lists.iter().find_map(|name| starts(bytes, from, name).then_some(name.len()))?;
    let mut after = from + length;
    if !bare {
        after += quote(text, after)?;
    }
    after = spaces(bytes, after);
    if bytes.get(after) != Some(&b':') {
        return None;
    }
    after = spaces(bytes, after + 1);
    (bytes.get(after) == Some(&b'[')).then_some(after)
}

/// Whether one of these names stands here as a key, with or without quotes.
fn key<'n>(text: &str, from: usize, names: impl Iterator<Item = &'n &'static str>) -> bool {
    let bytes = text.as_bytes();
    let from = comment(text, spaces(bytes, from));
    let from = from + quote(text, from).unwrap_or(0);
    let mut names = names;
    names.any(|name| {
        let after = from + name.len();
        starts(bytes, from, name) && {
            let after = spaces(bytes, after + quote(text, after).unwrap_or(0));
            bytes.get(after) == Some(&b':')
        }
    })
}

fn starts(bytes: &[u8], at: usize, name: &str) -> bool {
    bytes.get(at..at + name.len()).is_some_and(|here| here.eq_ignore_ascii_case(name.as_bytes()))
}

/// The length of a quotation mark that stands here.
fn quote(text: &str, at: usize) -> Option<usize> {
    let c = text.get(at..)?.chars().next()?;
    matches!(c, '"' | '\'' | '“' | '”' | '`').then(|| c.len_utf8())
}

/// Where a short comment that stands here ends, with the white space behind it.
fn comment(text: &str, from: usize) -> usize {
    const NEAR: usize = 200;
    let bytes = &text.as_bytes()[from..];
    let near = &bytes[..bytes.len().min(NEAR)];
    let end = if near.starts_with(b"/*") {
        near.windows(2).skip(2).position(|two| two == b"*/").map(|at| at + 4)
    } else if near.starts_with(b"//") {
        near.iter().position(|byte| *byte == b'\n')
    } else {
        None
    };
    end.map_or(from, |end| spaces(text.as_bytes(), from + end))
}

fn spaces(bytes: &[u8], from: usize) -> usize {
    bytes[from.min(bytes.len())..].iter().position(|byte| !byte.is_ascii_whitespace()).map_or(bytes.len(), |more| from + more)
}

/// Tags of thinking, in the words of the templates that models are trained with.
fn tag(bytes: &[u8], at: usize) -> Option<Kind> {
    let closes = bytes.get(at + 1) == Some(&b'/');
    let from = at + 1 + usize::from(closes);
    let named = ["think", "thinking", "reasoning", "thought"]
        .iter()
        .any(|name| starts(bytes, from, name) && bytes.get(from + name.len()) == Some(&b'>'));
    named.then_some(if closes { Kind::ThinkEnd } else { Kind::Think })
}

/// The byte after the bracket that closes the one at the start of `text`, strings passed over; `None` where it stays open.
pub(super) fn closed(text: &str) -> Option<usize> {
    let (mut depth, mut string, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether an item may have this key.
pub(super) fn is_known(key: &str, shape: &Shape) -> bool {
    const READ: [&str; 3] = ["options", "options_at", "rule"];
    shape.fields.contains(&key) || EXTRA.contains(&key) || READ.contains(&key)
}
