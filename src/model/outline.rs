//! What a document consists of: sections, units and the items inside them, each with its place.
//!
//! All byte offsets are into the document's text as held by `document::Document` (without a BOM);
//! all line numbers are 1-based and count physical lines.

use super::lang::Lang;
use serde::{Deserialize, Serialize};

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Number of bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether no byte is covered.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether `other` lies wholly inside.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Number of bytes both cover.
    pub fn overlap(self, other: Span) -> usize {
        self.end.min(other.end).saturating_sub(self.start.max(other.start))
    }
}

/// Lines `first..=last`, 1-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineSpan {
    /// First line, from 1.
    pub first: u32,
    /// Last line, inclusive; `first - 1` when empty.
    pub last: u32,
}

impl LineSpan {
    /// Lines `first..=last`.
    pub fn new(first: u32, last: u32) -> LineSpan {
        LineSpan { first, last }
    }

    /// Number of lines.
    pub fn len(self) -> u32 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Whether no line is covered.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether the line lies inside.
    pub fn has(self, line: u32) -> bool {
        self.first <= line && line <= self.last
    }
}

/// Where something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Bytes of the document.
    pub span: Span,
    /// Lines of the document.
    pub lines: LineSpan,
}

/// What a section is for, read from its heading in any known language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Acceptance criteria or scenarios.
    Acceptance,
    /// Business rules.
    BusinessRules,
    /// Non-functional requirements.
    NonFunctional,
    /// Main flow of a use case.
    MainFlow,
    /// Alternative, exception or error flow, edge cases.
    ErrorFlow,
    /// Preconditions.
    Precondition,
    /// Postconditions.
    Postcondition,
    /// What is in scope.
    InScope,
    /// What is out of scope, non-goals.
    OutOfScope,
    /// Scope, in and out not told apart.
    Scope,
    /// Glossary, definitions, terminology.
    Glossary,
    /// Actors, roles, users.
    Actors,
    /// States and their transitions.
    States,
    /// Open questions, clarifications asked for.
    OpenQuestions,
    /// Success metrics, KPIs, measurable outcomes.
    SuccessMetrics,
    /// Problem statement, background, goals.
    Problem,
    /// Assumptions, dependencies.
    Assumptions,
    /// Document history.
    Changelog,
    /// Table of contents.
    Toc,
    /// Review or release checklist, template instructions.
    Checklist,
    /// Anything else.
    Other,
}

impl SectionKind {
    /// Kinds that stay in PRD-global and never stand in for a unit (SPEC S0, Phase 1).
    pub fn is_global(self) -> bool {
        use SectionKind::*;
        matches!(self, InScope | OutOfScope | Scope | SuccessMetrics | Problem | Glossary | Changelog | Toc)
    }
}

/// A heading and what stands under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Heading text without markup or trailing `#`s.
    pub title: String,
    /// 1 to 6.
    pub level: u8,
    /// Index of the enclosing section in [`Outline::sections`].
    pub parent: Option<usize>,
    /// Titles from the outermost section down to this one, the document title left out.
    pub path: Vec<String>,
    /// What it is for.
    pub kind: SectionKind,
    /// The heading's own lines (two for a setext heading).
    pub heading: Place,
    /// Heading, text and subsections: to the line before the next heading of its level or above.
    pub place: Place,
    /// Whether it is the document's title (a single level-1 heading), which is no section.
    pub is_title: bool,
}

impl Section {
    /// The path joined by ` > `, as findings name a section.
    pub fn path_text(&self) -> String {
        self.path.join(" > ")
    }
}

/// Which rule found a unit, most specific first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// Use case: heading, setext heading, bold line or two-column table.
    UseCase,
    /// User story.
    UserStory,
    /// Requirement heading (Kiro, OpenSpec).
    Requirement,
    /// FR/REQ/feature heading.
    FeatureRequirement,
    /// List item or table row that defines a requirement id.
    IdItem,
    /// A top-level section that stands in where there is no unit.
    SectionStandIn,
}

/// A use case or what stands for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// As written: `UC-01`, `User Story 2`, `Requirement 3`, or the name where there is no id.
    pub id: String,
    /// What follows the id.
    pub title: String,
    /// How it was found.
    pub kind: UnitKind,
    /// Where it stands, heading included.
    pub place: Place,
    /// Index of the section it is or lies in.
    pub section: Option<usize>,
    /// Id of the enclosing unit-like heading that was passed over for this deeper one.
    pub parent: Option<String>,
}

impl Unit {
    /// What findings inside it carry as `uc_id`: the id, or `""` for a section that stands in.
    pub fn uc_id(&self) -> &str {
        if self.kind == UnitKind::SectionStandIn { "" } else { &self.id }
    }
}

/// Family of a defined or cited id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemId {
    /// As written, `BR-02`.
    pub text: String,
    /// Upper-case letters before the number, segments joined by `-`: `BR`, `FR-PO`.
    pub family: String,
    /// The form two spellings share: `UC-1` for `UC-01`, `UC_1` and `UC 1`.
    pub norm: String,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// Acceptance criterion or scenario step.
    Criterion,
    /// Business rule.
    BusinessRule,
    /// Non-functional requirement.
    NonFunctional,
    /// Functional requirement.
    Requirement,
    /// Success criterion or metric.
    Metric,
    /// Use case or story defined by a heading.
    Unit,
    /// Any other defined id.
    Other,
}

/// A line, list item, table row or heading that says something checkable; with an id when it defines one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The id it defines.
    pub id: Option<ItemId>,
    /// What it is.
    pub kind: ItemKind,
    /// The whole item, continuation lines included.
    pub place: Place,
    /// The text after marker and id.
    pub body: Span,
    /// Index of the enclosing section.
    pub section: Option<usize>,
    /// Index of the enclosing unit in [`Outline::units`].
    pub unit: Option<usize>,
    /// Number as written in an ordered list.
    pub ordinal: Option<u64>,
}

/// A mention of an id that is not its definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The id cited.
    pub id: ItemId,
    /// Where.
    pub span: Span,
    /// Line, from 1.
    pub line: u32,
    /// Part of a range (`UC-008 to UC-024`), a link in a table of contents, or a file name: not checked for existence.
    pub loose: bool,
}

/// A glossary row or entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The canonical term.
    pub term: String,
    /// What it means.
    pub definition: String,
    /// Words to avoid for it.
    pub avoid: Vec<String>,
    /// Where.
    pub place: Place,
}

/// A line of a scope section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScopeLine {
    /// In, out, or not told apart.
    pub kind: SectionKind,
    /// Where.
    pub place: Place,
}

/// An actor or role, from an actors table or list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// Name as written.
    pub name: String,
    /// Where.
    pub place: Place,
}

/// A declared state of something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Name as written.
    pub name: String,
    /// Declared as an end (`(terminal)`, `(final)`, `trạng thái cuối`, `终态`).
    pub terminal: bool,
    /// Declared as the start.
    pub initial: bool,
    /// Where it is declared.
    pub place: Place,
    /// States of one list or table share a group.
    pub group: u32,
}

/// `from -> to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// Source state as written.
    pub from: String,
    /// Target state as written.
    pub to: String,
    /// Where.
    pub place: Place,
    /// The group of the states it connects.
    pub group: u32,
}

/// An item of an open-questions section, or an inline clarification marker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The question's words.
    pub text: String,
    /// The answer, where one stands beside it.
    pub answer: Option<String>,
    /// Who owns it, where named.
    pub owner: Option<String>,
    /// Where.
    pub place: Place,
}

/// What the document says about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Version, read as text: `1.10` stays `1.10`; `""` when none is given.
    pub version: String,
    /// Status as written; `""` when none is given.
    pub status: String,
    /// The title, `""` when there is none.
    pub title: String,
}

/// What kind of line the Markdown parser saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Nothing but white space.
    #[default]
    Blank,
    /// Part of a heading.
    Heading,
    /// Paragraph text outside lists and tables.
    Paragraph,
    /// Part of a list item.
    ListItem,
    /// Table header or delimiter row.
    TableHead,
    /// Table body row.
    TableRow,
    /// Block quote.
    Quote,
    /// Fenced or indented code.
    Code,
    /// HTML block or comment.
    Html,
    /// Front matter.
    FrontMatter,
    /// Thematic break.
    Rule,
}

/// A physical line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Bytes, line end excluded.
    pub span: Span,
    /// What it is.
    pub kind: LineKind,
    /// Innermost enclosing section.
    pub section: Option<usize>,
    /// Enclosing unit.
    pub unit: Option<usize>,
    /// Language of this line alone.
    pub lang: Lang,
}

/// Everything read out of one document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    /// Physical lines, front matter included, an unfinished last one counted.
    pub lines: Vec<Line>,
    /// The document's language.
    pub lang: Lang,
    /// Share of lines that spoke for `lang`, 0 to 100; under 60 the language fell back to English.
    pub lang_share: u8,
    /// Headings in file order.
    pub sections: Vec<Section>,
    /// Units in file order; they never overlap.
    pub units: Vec<Unit>,
    /// Checkable items in file order.
    pub items: Vec<Item>,
    /// Mentions of ids in file order.
    pub references: Vec<Reference>,
    /// Glossary entries.
    pub glossary: Vec<Term>,
    /// Lines of scope sections.
    pub scope_lines: Vec<ScopeLine>,
    /// Actors.
    pub actors: Vec<Actor>,
    /// States.
    pub states: Vec<State>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// Open questions.
    pub open_questions: Vec<OpenQuestion>,
    /// Version, status, title.
    pub metadata: Metadata,
    /// Inline stretches that rules must not read: code spans, URLs, comments, quoted interface text; sorted, disjoint.
    pub masked: Vec<Span>,
    /// `<!-- tamis-ignore RULE reason -->` comments.
    pub ignores: Vec<Ignore>,
}

/// A suppression comment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ignore {
    /// Rule id as written.
    pub rule: String,
    /// The words after it.
    pub reason: String,
    /// Lines it covers: its own line, or the next line or item when it stands alone.
    pub lines: LineSpan,
}

/// Indices of the top-level sections: the headings one level below the title, or the highest level where several stand
/// (SPEC S0, Phase 1).
pub fn top_level(sections: &[Section]) -> Vec<usize> {
    let plain = || sections.iter().filter(|section| !section.is_title);
    let has_title = sections.iter().any(|section| section.is_title);
    let several = |level: u8| plain().filter(|section| section.level == level).nth(1).is_some();
    let level = (1..=6)
        .find(|&level| if has_title { plain().any(|section| section.level == level) } else { several(level) })
        .or_else(|| plain().map(|section| section.level).min());
    let is_top = |section: &Section| !section.is_title && Some(section.level) == level;
    sections.iter().enumerate().filter(|(_, section)| is_top(section)).map(|(index, _)| index).collect()
}

impl Outline {
    /// Indices of the top-level sections in file order.
    pub fn top_level_sections(&self) -> Vec<usize> {
        top_level(&self.sections)
    }

    /// Whether the units are sections that stand in.
    pub fn stands_in(&self) -> bool {
        !self.units.is_empty() && self.units.iter().all(|unit| unit.kind == UnitKind::SectionStandIn)
    }

    /// Number of physical lines.
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The line (from 1) that holds a byte; the last line for an offset past the end, 0 for an empty document.
    pub fn line_of(&self, byte: usize) -> u32 {
        self.lines.partition_point(|line| line.span.start <= byte) as u32
    }

    /// The line's record; `None` outside the document.
    pub fn line(&self, number: u32) -> Option<&Line> {
        self.lines.get((number as usize).checked_sub(1)?)
    }

    /// The unit a line lies in.
    pub fn unit_at(&self, line: u32) -> Option<&Unit> {
        self.line(line).and_then(|l| l.unit).and_then(|index| self.units.get(index))
    }

    /// The heading path at a line, joined by ` > `; `""` above the first section.
    pub fn section_path_at(&self, line: u32) -> String {
        self.line(line)
            .and_then(|l| l.section)
            .and_then(|index| self.sections.get(index))
            .map(Section::path_text)
            .unwrap_or_default()
    }

    /// The lines that lie in no unit, as disjoint spans in file order.
    pub fn lines_outside_units(&self) -> Vec<LineSpan> {
        let mut spans = Vec::new();
        let mut next = 1;
        for lines in self.units.iter().map(|unit| unit.place.lines) {
            if lines.first > next {
                spans.push(LineSpan::new(next, lines.first - 1));
            }
            next = next.max(lines.last + 1);
        }
        if next <= self.line_count() {
            spans.push(LineSpan::new(next, self.line_count()));
        }
        spans
    }

    /// Lines that lie in a unit.
    pub fn lines_in_units(&self) -> u32 {
        self.units.iter().map(|unit| unit.place.lines.len()).sum()
    }
}
