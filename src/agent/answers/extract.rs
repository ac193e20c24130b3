//! The list in a text: JSON where it is JSON, else item by item, so that one broken item costs no other.
//!
//! A list, an item and an end of thinking are known by how they begin ([`scan::marks`]), so that prose with brackets, fences
//! and examples need no rules of their own. What begins is read as JSON at once and passed over whole, which keeps what
//! stands in its strings from being taken for anything. Where that fails, the list reaches to the next beginning of a list
//! (lists of items never lie in each other), and each beginning of an item inside it is read by itself.

use super::mend;
use super::scan::{self, Kind, Mark, Shape};
use super::{MAX_BYTES, NoAnswer, Wanted};
use serde_json::{Deserializer, Map, Value};

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// JSON, perhaps after mending.
    Value(Value),
    /// Beyond mending: why.
    Broken(&'static str),
}

/// A list that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    /// Its elements.
    pub pieces: Vec<Piece>,
    /// What is wrong with the list as such.
    pub problem: Option<&'static str>,
    /// It was no JSON as it stood.
    pub repaired: bool,
}

/// The list was cut.
pub(super) const NOT_CLOSED: &str = "the list is not closed: the answer breaks off";
const NOT_READ: &str = "the list cannot be read as JSON";
const TWO_LISTS: &str = "one list with items and one that is empty stand in the answer";
const CUT_OFF: &str = "the item is cut off";
const NO_JSON: &str = "the item cannot be read as JSON";

/// How often JSON may stand as text in JSON.
const ENCODED: usize = 2;
/// Objects around a list.
const WRAPPED: usize = 3;

/// Finds the list of an answer.
///
/// # Errors
/// There is none.
pub(super) fn find(text: &str, wanted: &Wanted) -> Result<Found, NoAnswer> {
    if text.len() > MAX_BYTES {
        return Err(no_answer(format!("the answer has {} bytes; at most {MAX_BYTES} are read", text.len())));
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(no_answer("the answer is empty".to_owned()));
    }
    let shape = scan::shape(wanted);
    inside(text, shape, ENCODED)
        .ok_or_else(|| no_answer(format!("the answer holds no JSON list of {} (`{{\"{}\": […]}}`)", wanted.key(), wanted.key())))
}

fn no_answer(why: String) -> NoAnswer {
    NoAnswer { why }
}

fn inside(text: &str, shape: &Shape, encoded: usize) -> Option<Found> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::String(inner)) if encoded > 0 => inside(inner.trim(), shape, encoded - 1),
        Ok(value) => list_in(value, shape, WRAPPED).map(|pieces| Found { pieces, ..Found::default() }),
        Err(_) => best(hits(text, shape)).or_else(|| as_text(text, shape, encoded)),
    }
}

/// A list that stands as text in a string, the last that there is of the first few strings that begin with a bracket.
fn as_text(text: &str, shape: &Shape, encoded: usize) -> Option<Found> {
    const TRIES: usize = 8;
    if encoded == 0 {
        return None;
    }
    let starts = text.match_indices("\"[").chain(text.match_indices("\"{"));
    let mut strict = Strict::new(text);
    let strings = starts.take(TRIES).filter_map(|(at, _)| match strict.value(&text[at..]) {
        Some((Value::String(inner), _)) => inside(inner.trim(), shape, encoded - 1),
        _ => None,
    });
    strings.last()
}

/// Reads JSON at one place after another, within a number of bytes that it may read in vain: nested beginnings would
/// otherwise be read once for each level.
struct Strict {
    left: usize,
}

impl Strict {
    /// Bytes that may be read in vain for each byte of the text, and for short texts.
    const TIMES: usize = 4;
    const LEAST: usize = 64 << 10;

    fn new(text: &str) -> Strict {
        Strict { left: Strict::TIMES * text.len() + Strict::LEAST }
    }

    /// The JSON value at the start of a text, and where it ends.
    fn value(&mut self, text: &str) -> Option<(Value, usize)> {
        if self.left == 0 {
            return None;
        }
        let mut values = Deserializer::from_str(text).into_iter::<Value>();
        match values.next()? {
            Ok(value) => Some((value, values.byte_offset())),
            Err(error) => {
                let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
                let read = if error.is_eof() { text.len() } else { before + error.column() };
                self.left = self.left.saturating_sub(read.max(1));
                None
            }
        }
    }
}

/// Whether an object can only be an item.
fn is_item(object: &Map<String, Value>, shape: &Shape) -> bool {
    shape.telling.iter().any(|name| object.contains_key(*name))
}

/// The elements of the list that a value is or holds.
fn list_in(value: Value, shape: &Shape, levels: usize) -> Option<Vec<Piece>> {
    match value {
        Value::Array(elements) => {
            let elements = elements_of(elements);
            let fits = elements.is_empty() || elements.iter().any(|one| one.as_object().is_some_and(|one| is_item(one, shape)));
            fits.then(|| elements.into_iter().map(Piece::Value).collect())
        }
        Value::Object(object) if is_item(&object, shape) => Some(vec![Piece::Value(Value::Object(object))]),
        Value::Object(mut object) => {
            let key = object.keys().find(|key| shape.lists.iter().any(|name| name.eq_ignore_ascii_case(key))).cloned();
            match key.and_then(|key| object.shift_remove(&key)) {
                Some(Value::Array(elements)) => Some(elements_of(elements).into_iter().map(Piece::Value).collect()),
                Some(Value::String(text)) => list_in(serde_json::from_str(&text).ok()?, shape, levels.checked_sub(1)?),
                Some(Value::Object(one)) => is_item(&one, shape).then(|| vec![Piece::Value(Value::Object(one))]),
                Some(_) => None,
                None if levels == 0 => None,
                None => wrapped(object, shape, levels - 1),
            }
        }
        _ => None,
    }
}

/// The list under a key that says nothing, where there is one such list; an empty one counts only under its own key.
fn wrapped(object: Map<String, Value>, shape: &Shape, levels: usize) -> Option<Vec<Piece>> {
    let inside = |(_, value): (String, Value)| {
        let by_key = value.is_object();
        list_in(value, shape, levels).filter(|pieces| by_key || !pieces.is_empty())
    };
    let mut lists = object.into_iter().filter_map(inside);
    lists.next().filter(|_| lists.next().is_none())
}

/// Elements, lists among them opened and text among them read where it is JSON of an item.
fn elements_of(elements: Vec<Value>) -> Vec<Value> {
    let opened = elements.into_iter().flat_map(|element| match element {
        Value::Array(inner) => inner,
        other => vec![other],
    });
    let read = opened.map(|element| match &element {
        Value::String(text) if text.trim_start().starts_with('{') => serde_json::from_str(text).unwrap_or(element),
        _ => element,
    });
    read.collect()
}

/// How sure it is that a hit is the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// A list that cannot be read at all.
    Unread,
    /// Brackets with nothing in them and no key before them.
    Empty,
    /// Items outside of any list.
    Lines,
    /// A list.
    List,
}

struct Hit {
    rank: Rank,
    found: Found,
}

/// The last of those that are the surest. A list without items does not silently take the place of one with items.
fn best(mut hits: Vec<Hit>) -> Option<Found> {
    let rank = hits.iter().map(|hit| hit.rank).max()?;
    hits.retain(|hit| hit.rank == rank);
    let last = hits.pop()?.found;
    if !last.pieces.is_empty() {
        return Some(last);
    }
    let items = hits.into_iter().rev().find(|hit| !hit.found.pieces.is_empty());
    Some(match items {
        Some(hit) => Found { problem: Some(TWO_LISTS), ..hit.found },
        None => last,
    })
}

fn hits(text: &str, shape: &Shape) -> Vec<Hit> {
    let marks = scan::marks(text, shape);
    let thinking_ends = marks.iter().rposition(|mark| mark.kind == Kind::ThinkEnd);
    let mut strict = Strict::new(text);
    let (mut hits, mut next, mut from) = (Vec::new(), 0, 0);
    while let Some(&mark) = marks.get(next) {
        next += 1;
        if mark.at < from {
            continue;
        }
        match mark.kind {
            // Thinking that does not end is passed over as prose.
            Kind::Think if thinking_ends.is_some_and(|end| end >= next) => {
                let end = marks[next..].iter().position(|mark| mark.kind == Kind::ThinkEnd).unwrap_or(0);
                next += end + 1;
            }
            Kind::Think => {}
            // The tag that opened it stood in the prompt: all before it was thinking.
            Kind::ThinkEnd => hits.clear(),
            Kind::Empty => hits.push(Hit { rank: Rank::Empty, found: Found::default() }),
            Kind::Item => {
                let items = Stretch::new(text, &marks, next - 1);
                from = items.end;
                hits.push(Hit { rank: Rank::Lines, found: items.read(false, shape, &mut strict) });
            }
            Kind::Named | Kind::Bare => {
                if let Some((value, length)) = strict.value(&text[mark.at..]) {
                    from = mark.at + length;
                    let pieces = match value {
                        Value::Array(elements) if mark.kind == Kind::Named => {
                            Some(elements_of(elements).into_iter().map(Piece::Value).collect())
                        }
                        value => list_in(value, shape, 0),
                    };
                    hits.extend(pieces.map(|pieces| Hit { rank: Rank::List, found: Found { pieces, ..Found::default() } }));
                } else {
                    let list = Stretch::new(text, &marks, next - 1);
                    from = list.end;
                    let found = list.read(true, shape, &mut strict);
                    let rank = if found.pieces.is_empty() { Rank::Unread } else { Rank::List };
                    hits.push(Hit { rank, found });
                }
            }
        }
    }
    hits
}

/// A list that is no JSON, or items outside of one: up to where something else begins.
struct Stretch<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    items: Vec<usize>,
}

impl<'t> Stretch<'t> {
    fn new(text: &'t str, marks: &[Mark], first: usize) -> Stretch<'t> {
        let start = marks[first].at;
        let begins = |mark: &&Mark| mark.at > start && !matches!(mark.kind, Kind::Item | Kind::Empty);
        let end = marks[first..].iter().find(begins).map_or(text.len(), |mark| mark.at);
        let inside = marks[first..].iter().take_while(|mark| mark.at < end);
        let items = inside.filter(|mark| mark.kind == Kind::Item).map(|mark| mark.at).collect();
        Stretch { text: &text[..end], start, end, items }
    }

    /// Its items. A list must be closed behind the last of them.
    fn read(&self, list: bool, shape: &Shape, strict: &mut Strict) -> Found {
        let mut pieces = Vec::new();
        let mut from = self.start;
        let mut repaired = list;
        let mut whole = true;
        for (index, &at) in self.items.iter().enumerate() {
            if at < from {
                continue;
            }
            if let Some((value, length)) = strict.value(&self.text[at..]) {
                from = at + length;
                pieces.push(Piece::Value(value));
                continue;
            }
            let next = self.items.get(index + 1).copied();
            let text = &self.text[at..next.unwrap_or(self.end)];
            // What comes out must have an item's keys and no others: words between wrong quotation marks turn into keys.
            let mended = mend::item(text, shape).filter(|(value, _)| {
                let keys = value.as_object().into_iter().flatten();
                keys.map(|(key, _)| key).all(|key| scan::is_known(key, shape))
            });
            if let Some((value, length)) = mended {
                repaired = true;
                from = at + length;
                pieces.push(Piece::Value(value));
                continue;
            }
            let closed = scan::closed(text);
            from = at + closed.unwrap_or(text.len());
            let cut = closed.is_none() && next.is_none();
            whole &= !cut;
            pieces.push(Piece::Broken(if cut { CUT_OFF } else { NO_JSON }));
        }
        let tail = self.text[from..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let problem = match (list, pieces.is_empty()) {
            (true, true) if !tail.trim_matches(['[', ' ', '\n', '\r', '\t', '`']).is_empty() => Some(NOT_READ),
            (true, _) if !whole || !tail.starts_with(']') => Some(NOT_CLOSED),
            (false, _) if !whole => Some(NOT_CLOSED),
            _ => None,
        };
        Found { pieces, problem, repaired }
    }
}
