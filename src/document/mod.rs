//! `document`: Markdown to an outline (sections, units, items, references, each with its place), and the changed scope.
//! Here stand decoding, the parser, the section words of each language, and look-ups in one document.
//! What never belongs here: judgement of what the text says (`lint`), plans and decisions (`rules`), words for people.

mod blocks;
pub mod changed;
pub mod cited;
pub mod citing;
mod decode;
mod defs;
mod facts;
mod front;
mod ids;
mod items;
mod lang;
mod line_map;
mod notes;
mod questions;
mod references;
mod scene;
mod sections;
mod states;
mod terms;
mod text;
mod unit_words;
mod units;
mod words;

pub use decode::{DecodeError, MAX_BYTES, ReadError, decode, read};

use crate::model::lang::Lang;
use crate::model::outline::{Line, LineKind, LineSpan, Outline, SectionKind, Span};
use line_map::LineMap;
use scene::Scene;

/// A document's text with everything read out of it.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    hash: String,
    outline: Outline,
    zones: Vec<SectionKind>,
}

impl Document {
    /// Parses a text; its hash is that of the text's bytes. Any text is a document.
    pub fn parse(text: String) -> Document {
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        Document::with_hash(text, hash)
    }

    /// Parses a text under the hash of the bytes it was decoded from.
    fn with_hash(text: String, hash: String) -> Document {
        let (outline, zones) = outline_of(&text);
        Document { text, hash, outline, zones }
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was read out of the text.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// BLAKE3 of the original bytes, as 64 hex digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The text of a span; a bound outside the text or inside a character moves to the nearest place before it.
    pub fn slice(&self, span: Span) -> &str {
        let floor = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(span.start);
        &self.text[start..floor(span.end).max(start)]
    }

    /// The text of a line (from 1) without its line end; `""` outside the document.
    pub fn line_text(&self, number: u32) -> &str {
        self.outline.line(number).map_or("", |line| self.slice(line.span))
    }

    /// The text of whole lines, line ends between them included; `""` outside the document.
    pub fn lines_text(&self, lines: LineSpan) -> &str {
        match (self.outline.line(lines.first), self.outline.line(lines.last.min(self.outline.line_count()))) {
            (Some(first), Some(last)) if first.span.start <= last.span.end => {
                self.slice(Span::new(first.span.start, last.span.end))
            }
            _ => "",
        }
    }

    /// What a line's place says about it: the kind of the label it stands under, else that of its section or of the
    /// nearest section around it that has one. `Other` outside the document.
    pub fn zone(&self, number: u32) -> SectionKind {
        (number as usize).checked_sub(1).and_then(|index| self.zones.get(index)).copied().unwrap_or(SectionKind::Other)
    }

    /// Whether the document has no text: nothing but white space and front matter.
    pub fn is_blank(&self) -> bool {
        self.outline.lines.iter().all(|line| matches!(line.kind, LineKind::Blank | LineKind::FrontMatter))
    }
}

fn outline_of(text: &str) -> (Outline, Vec<SectionKind>) {
    let mut lines = line_map::split(text);
    let map = LineMap::new(&lines, text.len());
    let front_lines = front::line_count(text, &lines);
    for line in &mut lines[..front_lines] {
        line.kind = LineKind::FrontMatter;
    }
    let body = lines.get(front_lines).map_or(text.len(), |line| line.span.start);
    let blocks = blocks::read(text, body, &mut lines, &map);
    let (lang, lang_share) = languages(text, &mut lines);

    let facts = facts::read(text, &blocks);
    let sections = sections::build(&blocks, &facts, &lines, &map);
    sections::assign(&sections, &mut lines);
    let zones = sections::zones(text, &blocks, &facts, &sections, (&lines, &map));
    let defs = defs::find(text, &blocks, &facts, (&lines, &map), &zones);
    let scene = Scene {
        text,
        lines: &lines,
        map: &map,
        blocks: &blocks,
        facts: &facts,
        sections: &sections,
        zones: &zones,
        defs: &defs,
        units: &[],
    };
    let units = units::find(&scene);
    for (index, unit) in units.iter().enumerate() {
        for line in &mut lines[unit.place.lines.first as usize - 1..unit.place.lines.last as usize] {
            line.unit = Some(index);
        }
    }
    let scene = Scene {
        text,
        lines: &lines,
        map: &map,
        blocks: &blocks,
        facts: &facts,
        sections: &sections,
        zones: &zones,
        defs: &defs,
        units: &units,
    };
    let items = items::find(&scene);
    let references = references::find(&scene, &items);
    let (glossary, scope_lines, actors) = (terms::glossary(&scene), terms::scope_lines(&scene), terms::actors(&scene));
    let states = states::find(&scene);
    let open_questions = questions::find(&scene);
    let metadata = notes::metadata(&scene, front_lines);
    let masked = notes::masked(&scene);
    let ignores = notes::ignores(&scene);
    let outline = Outline {
        lines,
        lang,
        lang_share,
        sections,
        units,
        items,
        references,
        glossary,
        scope_lines,
        actors,
        states: states.states,
        transitions: states.transitions,
        open_questions,
        metadata,
        masked,
        ignores,
    };
    (outline, zones)
}

/// Sets each line's language; the document's is what most lines of text speak.
fn languages(text: &str, lines: &mut [Line]) -> (Lang, u8) {
    let mut votes = lang::Votes::default();
    for line in lines.iter_mut() {
        if line.kind == LineKind::Blank {
            continue;
        }
        let (voice, own) = lang::of_line(&text[line.span.start..line.span.end]);
        line.lang = own;
        if !matches!(line.kind, LineKind::Code | LineKind::FrontMatter | LineKind::Html) {
            votes.add(voice);
        }
    }
    let (lang, share) = votes.outcome();
    if lang == Lang::Vi {
        for line in lines.iter_mut().filter(|line| line.lang == Lang::En) {
            if lang::may_be_vietnamese(&text[line.span.start..line.span.end]) {
                line.lang = Lang::Vi;
            }
        }
    }
    (lang, share)
}
