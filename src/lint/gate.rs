//! Where rules may fire: what a line is part of matters as much as what it says.

use crate::model::outline::{Item, ItemKind, Line, LineKind, Outline, SectionKind, UnitKind};

/// How far rules may go on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// Code, comments, quotes, tables of contents, history, checklists: nothing may fire.
    #[default]
    Closed,
    /// Text that people read, narrative included.
    Readable,
    /// Text of a unit or of a section with rules: terms matter here.
    Body,
    /// Prose of a unit: sentences with an obligation count, the rest is narrative.
    Obliged,
    /// Says what must hold: defines an id, or stands in a list or table of criteria, rules, flows or scope.
    Normative,
}

/// One gate a line; `roles` says what each line's place is for. Paragraphs of units are [`Gate::Obliged`]: whether a sentence
/// holds an obligation is seen later.
pub fn gates(outline: &Outline, text: &str, roles: &[SectionKind]) -> Vec<Gate> {
    let role = |number: u32| roles.get(number as usize - 1).copied().unwrap_or(SectionKind::Other);
    let content = |line: &Line| text.get(line.span.start..line.span.end).unwrap_or_default();
    let mut gates: Vec<Gate> =
        outline.lines.iter().zip(1..).map(|(line, number)| of_line(outline, line, role(number), content(line))).collect();
    for item in &outline.items {
        let lines = item.place.lines;
        if lines.first == 0 || !defines_norm(item, outline, role(lines.first)) {
            continue;
        }
        for number in lines.first..=lines.last.min(outline.line_count()) {
            let index = number as usize - 1;
            if gates[index] != Gate::Closed && outline.lines[index].kind != LineKind::Heading {
                gates[index] = Gate::Normative;
            }
        }
    }
    gates
}

/// What each line's place is for. History, contents and checklists rule everything below their heading.
pub fn roles(outline: &Outline, zone: impl Fn(u32) -> SectionKind) -> Vec<SectionKind> {
    let mut closed: Vec<Option<SectionKind>> = Vec::with_capacity(outline.sections.len());
    for section in &outline.sections {
        let above = section.parent.and_then(|parent| closed.get(parent).copied().flatten());
        let own =
            matches!(section.kind, SectionKind::Changelog | SectionKind::Toc | SectionKind::Checklist).then_some(section.kind);
        closed.push(above.or(own));
    }
    let above = |line: &Line| line.section.and_then(|index| closed.get(index).copied().flatten());
    outline.lines.iter().zip(1..).map(|(line, number)| above(line).unwrap_or_else(|| zone(number))).collect()
}

fn of_line(outline: &Outline, line: &Line, role: SectionKind, text: &str) -> Gate {
    use SectionKind::*;
    let listed = match line.kind {
        LineKind::ListItem | LineKind::TableRow => true,
        LineKind::Paragraph | LineKind::Heading => false,
        _ => return Gate::Closed,
    };
    if matches!(role, Changelog | Toc | Checklist) || (is_checkbox(text) && !matches!(role, Acceptance)) {
        return Gate::Closed;
    }
    if matches!(role, Glossary | OpenQuestions | Problem | Actors | SuccessMetrics | Assumptions) {
        return Gate::Readable;
    }
    let unit = line.unit.and_then(|index| outline.units.get(index)).map(|unit| unit.kind);
    let real = unit.is_some_and(|kind| kind != UnitKind::SectionStandIn);
    let of_rules = matches!(role, Acceptance | BusinessRules | NonFunctional | InScope | OutOfScope | Scope);
    if line.kind == LineKind::Heading {
        return if unit.is_some() || of_rules { Gate::Body } else { Gate::Readable };
    }
    if listed {
        let flow = matches!(role, MainFlow | ErrorFlow | Precondition | Postcondition | States);
        let plain =
            matches!(unit, Some(UnitKind::UseCase | UnitKind::Requirement | UnitKind::FeatureRequirement | UnitKind::IdItem));
        if of_rules || (real && (flow || plain)) {
            return Gate::Normative;
        }
    }
    match unit {
        Some(
            UnitKind::Requirement | UnitKind::FeatureRequirement | UnitKind::IdItem | UnitKind::UseCase | UnitKind::UserStory,
        ) => Gate::Obliged,
        Some(UnitKind::SectionStandIn) => Gate::Obliged,
        None if of_rules => Gate::Obliged,
        None => Gate::Readable,
    }
}

/// Whether an item says what must hold, wherever it stands.
fn defines_norm(item: &Item, outline: &Outline, role: SectionKind) -> bool {
    use SectionKind::*;
    if matches!(role, Changelog | Toc | Checklist | Glossary | OpenQuestions | Actors) {
        return false;
    }
    match item.kind {
        ItemKind::Criterion | ItemKind::BusinessRule | ItemKind::NonFunctional | ItemKind::Requirement => true,
        ItemKind::Metric => item.id.is_some(),
        ItemKind::Unit => false,
        // Steps and error branches with ids of their own count inside a unit; risks, tests and decisions do not.
        ItemKind::Other => {
            let unit = item.unit.and_then(|index| outline.units.get(index));
            item.id.is_some() && unit.is_some_and(|unit| unit.kind != UnitKind::SectionStandIn)
        }
    }
}

/// `- [ ] …` and `- [x] …`.
pub fn is_checkbox(text: &str) -> bool {
    let rest = text.trim_start().trim_start_matches(['-', '*', '+']);
    let rest = rest.trim_start();
    ["[ ]", "[x]", "[X]"].iter().any(|mark| rest.starts_with(mark)) && rest.len() < text.trim_start().len()
}
