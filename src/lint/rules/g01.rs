//! G01: a use case or story without a path that goes wrong.

use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{CLAUSE, Category, Folded, LINE};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{ItemKind, LineKind, SectionKind, Unit, UnitKind};
use std::collections::BTreeSet;

/// The rule.
pub const RULE: Rule = Rule {
    id: "G01",
    name: "no error path",
    severity: Severity::Major,
    doc: "A use case, or a story with two criteria or more, says what happens when all goes well and nowhere what happens when something \
          is missing, refused or fails. Minor where the unit only shows things.",
    suppressed: "An error, exception or alternative section, one word of failure anywhere in the unit, an error section elsewhere that \
                 cites the unit, units without steps or criteria.",
    source: "spec-kit checklist, use-case practice",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## UC-01: File a refund\nActor: Customer\n### Acceptance Criteria\n- AC-01: When the customer files a refund, it gets a number.\n- AC-02: The customer sees the number.\n",
            passes: "# Refunds\n\n## UC-01: File a refund\nActor: Customer\n### Acceptance Criteria\n- AC-01: When the customer files a refund, it gets a number.\n- AC-02: When the order does not exist, the customer sees \"Order not found\".\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## UC-01: Gửi yêu cầu\nTác nhân: Khách hàng\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi yêu cầu, hệ thống cấp một mã.\n- AC-02: Khách thấy mã đó.\n",
            passes: "# Hoàn tiền\n\n## UC-01: Gửi yêu cầu\nTác nhân: Khách hàng\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi yêu cầu, hệ thống cấp một mã.\n### Luồng lỗi\n- E1: Đơn hàng đã hủy thì khách thấy lý do.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## UC-01：提交退款\n执行者：客户\n### 验收标准\n- AC-01：客户提交申请时，系统生成编号。\n- AC-02：客户看到编号。\n",
            passes: "# 退款\n\n## UC-01：提交退款\n执行者：客户\n### 验收标准\n- AC-01：客户提交申请时，系统生成编号。\n- AC-02：订单不存在时，客户看到原因。\n",
        },
    ],
    check,
};

fn check(page: &Page<'_>) -> Vec<Hit> {
    if page.is_foreign() {
        return Vec::new();
    }
    let handled = handled_elsewhere(page);
    let mut criteria = vec![0usize; page.outline.units.len()];
    for unit in page.outline.items.iter().filter(|item| item.kind == ItemKind::Criterion).filter_map(|item| item.unit) {
        if let Some(count) = criteria.get_mut(unit) {
            *count += 1;
        }
    }
    let with_errors: BTreeSet<Option<usize>> = error_units(page);
    let units = page.outline.units.iter().enumerate();
    units
        .filter(|(index, unit)| match unit.kind {
            UnitKind::UseCase => true,
            UnitKind::UserStory => criteria[*index] >= 2,
            _ => false,
        })
        .filter(|(index, unit)| !with_errors.contains(&Some(*index)) && !handled.contains(unit.id.as_str()))
        .filter(|(_, unit)| !is_template(&unit.title) && has_steps(page, unit) && !speaks_of_failure(page, unit))
        .map(|(_, unit)| say(page, unit))
        .collect()
}

/// Units that hold a section for errors with something in it.
fn error_units(page: &Page<'_>) -> BTreeSet<Option<usize>> {
    let sections = page.outline.sections.iter().filter(|section| section.kind == SectionKind::ErrorFlow);
    let filled = sections.filter(|section| section.place.lines.last > section.heading.lines.last);
    filled.map(|section| page.outline.line(section.heading.lines.first).and_then(|line| line.unit)).collect()
}

/// Ids cited in error sections that stand outside every unit.
fn handled_elsewhere<'p>(page: &'p Page<'_>) -> BTreeSet<&'p str> {
    let references = page.outline.references.iter().filter(|reference| {
        let outside = page.outline.line(reference.line).is_some_and(|line| line.unit.is_none());
        outside && page.role(reference.line) == SectionKind::ErrorFlow
    });
    let norms: BTreeSet<&str> = references.map(|reference| reference.id.norm.as_str()).collect();
    let items = page.outline.items.iter().filter(|item| item.kind == ItemKind::Unit).filter_map(|item| item.id.as_ref());
    items.filter(|id| norms.contains(id.norm.as_str())).map(|id| id.text.as_str()).collect()
}

/// `[Brief Title]`: a unit that nobody has filled in yet.
fn is_template(title: &str) -> bool {
    let title = title.trim_start_matches(['-', '–', '—', ':', ' ']);
    title.starts_with(['[', '{', '<'])
}

/// Whether the unit says more than its name.
fn has_steps(page: &Page<'_>, unit: &Unit) -> bool {
    let lines = unit.place.lines;
    let kind = |line: u32| page.outline.line(line).map(|l| l.kind).unwrap_or_default();
    let rows = (lines.first..=lines.last).filter(|&line| matches!(kind(line), LineKind::ListItem | LineKind::TableRow)).count();
    let prose = (lines.first..=lines.last).filter(|&line| kind(line) == LineKind::Paragraph).count();
    rows >= 2 || rows + prose >= 3
}

/// Whether any word of failure stands in the unit; quoted messages count here, as does code.
fn speaks_of_failure(page: &Page<'_>, unit: &Unit) -> bool {
    let mut lines = unit.place.lines.first..=unit.place.lines.last;
    lines.any(|line| page.found(line).iter().any(|f| f.category == Category::ErrorCue))
        || LINE.holds(page.slice(unit.place.span), &[Category::ErrorCue])
}

fn say(page: &Page<'_>, unit: &Unit) -> Hit {
    let line = name_line(page, unit);
    let shows_only = only_shows(&unit.title);
    let severity = if shows_only { Severity::Minor } else { RULE.severity };
    let actor = page.actor_of(unit).map(|actor| page.quoted(&actor)).unwrap_or_else(|| page.say("lint-somebody", &[]));
    let name = if unit.title.trim().is_empty() { unit.id.clone() } else { format!("{} {}", unit.id, page.quoted(&unit.title)) };
    let args = [("unit", name.into()), ("actor", actor.into())];
    let finding = page.say("lint-G01-finding", &args);
    let suggestion = page.say(if shows_only { "lint-G01-shows" } else { "lint-G01-suggestion" }, &args);
    page.hit_line(RULE.id, severity, line).saying(finding, suggestion)
}

/// The line that names the unit: its heading, or the row with its id where the unit is a table.
fn name_line(page: &Page<'_>, unit: &Unit) -> u32 {
    let lines = unit.place.lines;
    let mut head = lines.first..=lines.last.min(lines.first.saturating_add(6));
    head.find(|&line| page.line_text(line).contains(&unit.id)).unwrap_or(lines.first)
}

/// Whether a title begins with a word for showing.
fn only_shows(title: &str) -> bool {
    let folded = Folded::new(title, 0, &[]);
    let found = CLAUSE.scan(&folded, title, true);
    found.iter().any(|f| f.category == Category::ReadOnly && folded.text()[..f.start].trim().is_empty())
}
