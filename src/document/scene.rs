//! What the readers of items, terms, states and questions look at: one document as read so far.

use super::blocks::Blocks;
use super::defs::{Carrier, Def};
use super::facts::Facts;
use super::line_map::LineMap;
use super::words;
use crate::model::outline::{Line, Place, Section, SectionKind, Span, Unit, UnitKind};

/// One document as read so far.
#[derive(Clone, Copy)]
pub(super) struct Scene<'t> {
    pub(super) text: &'t str,
    /// With sections assigned, and units once they are known.
    pub(super) lines: &'t [Line],
    pub(super) map: &'t LineMap,
    pub(super) blocks: &'t Blocks,
    pub(super) facts: &'t Facts,
    pub(super) sections: &'t [Section],
    /// The effective kind of each line.
    pub(super) zones: &'t [SectionKind],
    pub(super) defs: &'t [Def],
    /// Empty until they are known.
    pub(super) units: &'t [Unit],
}

impl<'t> Scene<'t> {
    /// The text of a span that a reader found.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        &self.text[span.start..span.end]
    }

    /// Index (from 0) of the line that holds a byte.
    pub(super) fn line_at(&self, byte: usize) -> usize {
        self.map.at(byte)
    }

    /// Lines of a stretch of bytes.
    pub(super) fn place(&self, span: Span) -> Place {
        self.map.place(span)
    }

    /// The effective kind at a byte.
    pub(super) fn zone_at(&self, byte: usize) -> SectionKind {
        self.zones.get(self.line_at(byte)).copied().unwrap_or(SectionKind::Other)
    }

    /// Whether a byte lies inside a unit that is more than a section standing in for one.
    pub(super) fn in_unit(&self, byte: usize) -> bool {
        let unit = self.lines.get(self.line_at(byte)).and_then(|line| line.unit);
        unit.is_some_and(|unit| self.units[unit].kind != UnitKind::SectionStandIn)
    }

    /// Whether the section or table that lists a definition says that it lists requirements; `None` where it says that it
    /// lists something else.
    pub(super) fn lists_requirements(&self, def: &Def) -> Option<bool> {
        let path = self.lines[self.line_at(def.at.start)].section.map(|section| self.sections[section].path_text());
        let head = match def.carrier {
            Carrier::Row(table, _) => self.slice(self.blocks.tables[table].head.span),
            _ => "",
        };
        let context = format!("{} | {head}", path.unwrap_or_default()).to_lowercase();
        (!words::says_risk(&context)).then(|| words::says_requirement(&context))
    }
}
