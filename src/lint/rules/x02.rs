//! X02: an id is cited that nothing defines.

use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{Item, ItemKind, Reference, SectionKind, Span};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The rule.
pub const RULE: Rule = Rule {
    id: "X02",
    name: "dangling reference",
    severity: Severity::Critical,
    doc: "The text relies on BR-09, UC-12 or another id that the document does not define although it defines others of its family: \
          what is to happen cannot be looked up. Said once for every id and unit, at its first place.",
    suppressed: "Families that the document does not define at all, ranges and lists of ids, links of a table of contents, \
                 file names, history, ids named as removed or reserved.",
    source: "ISO 29148 5.2.8, traceability",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-01: Refunds need an order.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the period of BR-09 is over, the request is rejected.\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-01: Refunds need an order.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the order of BR-1 is missing, the request is rejected.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Hoàn tiền phải có đơn hàng.\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi yêu cầu, hệ thống xử lý theo BR-09.\n",
            passes: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Hoàn tiền phải có đơn hàng.\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi yêu cầu, hệ thống xử lý theo BR-01.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 业务规则\n- BR-01：退款必须有订单。\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：客户提交时，系统按 BR-09 执行。\n",
            passes: "# 退款\n\n## 业务规则\n- BR-01：退款必须有订单。\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：客户提交时，系统按 BR-01 执行。\n",
        },
    ],
    check,
};

/// Ids of a family that the document defines.
struct Family<'a> {
    /// The first one.
    first: &'a str,
    /// All of them, in order of place.
    ids: Vec<&'a str>,
    /// Title of the section that defines the first one.
    section: String,
}

/// Most ids of a family that are listed one by one.
const LISTED: usize = 6;

fn check(page: &Page<'_>) -> Vec<Hit> {
    let mut defined: HashMap<&str, &str> = HashMap::new();
    let mut families: BTreeMap<&str, Family<'_>> = BTreeMap::new();
    for item in &page.outline.items {
        let Some(id) = &item.id else { continue };
        let new = !defined.contains_key(id.norm.as_str());
        defined.entry(id.norm.as_str()).or_insert(&id.text);
        let family = families.entry(id.family.as_str()).or_insert_with(|| Family {
            first: &id.text,
            ids: Vec::new(),
            section: defining_section(page, item, &id.family),
        });
        if new {
            family.ids.push(&id.text);
        }
    }
    let introduced: HashSet<&str> =
        page.outline.references.iter().filter(|r| opens_its_line(page, r)).map(|r| r.id.norm.as_str()).collect();
    let mut said: BTreeMap<(Option<usize>, &str), Vec<&Reference>> = BTreeMap::new();
    for reference in &page.outline.references {
        let id = &reference.id;
        let known = defined.contains_key(id.norm.as_str()) || !families.contains_key(id.family.as_str());
        if reference.loose || known || is_elsewhere(page, reference) || introduced.contains(id.norm.as_str()) {
            continue;
        }
        let unit = page.outline.line(reference.line).and_then(|line| line.unit);
        said.entry((unit, id.norm.as_str())).or_default().push(reference);
    }
    let mut by_line: BTreeMap<u32, Vec<Vec<&Reference>>> = BTreeMap::new();
    for places in said.into_values() {
        by_line.entry(places[0].line).or_default().push(places);
    }
    by_line.into_iter().map(|(line, ids)| say(page, line, &ids, &families, &defined)).collect()
}

/// Where an id of the family is defined; a heading that is itself the definition says nothing.
fn defining_section(page: &Page<'_>, item: &Item, family: &str) -> String {
    let section = item.section.filter(|_| item.kind != ItemKind::Unit).and_then(|index| page.outline.sections.get(index));
    section.map_or_else(|| family.to_owned(), |section| page.quoted(&section.title))
}

/// Whether nothing but marks stands before the id: a line that begins with an id explains it, in whatever form.
fn opens_its_line(page: &Page<'_>, reference: &Reference) -> bool {
    let start = page.line_span(reference.line).unwrap_or_default().start;
    let before = page.slice(Span::new(start, reference.span.start.max(start)));
    before.chars().all(|c| c.is_whitespace() || c.is_ascii_digit() || "-*+#>|_~[(.)".contains(c))
}

/// History, contents, lists of other documents, and ids said to be gone or to stand in another file.
fn is_elsewhere(page: &Page<'_>, reference: &Reference) -> bool {
    use SectionKind::{Assumptions, Changelog, Checklist, OpenQuestions, Toc};
    const OTHER: [&str; 7] = ["related", "references", "external", "tài liệu liên quan", "tham chiếu", "参考", "相关文档"];
    if matches!(page.role(reference.line), Changelog | Toc | Checklist | OpenQuestions | Assumptions) {
        return true;
    }
    let section =
        page.outline.line(reference.line).and_then(|line| line.section).and_then(|index| page.outline.sections.get(index));
    let other = section.is_some_and(|section| {
        let title = section.title.to_lowercase();
        OTHER.iter().any(|word| title.contains(word))
    });
    let text = page.line_text(reference.line);
    other || text.contains(".md") || text.contains("http") || is_gone(page, reference)
}

/// `BR-09 (removed)`, `BR-09 was withdrawn`, `BR-09 đã bỏ`, `BR-09 已废弃`.
fn is_gone(page: &Page<'_>, reference: &Reference) -> bool {
    const GONE: [&str; 13] = [
        "removed",
        "reserved",
        "deprecated",
        "obsolete",
        "withdrawn",
        "deleted",
        "retired",
        "đã bỏ",
        "đã xóa",
        "dự phòng",
        "已删除",
        "已废弃",
        "预留",
    ];
    let after: String = page.text().get(reference.span.end..).unwrap_or_default().chars().take(32).collect();
    let after = after.to_lowercase();
    let mut rest = after.trim_start_matches([' ', '(', '[', '（', ':', '：', '-', '–', '*', '_', '~', '|']);
    for lead in ["is ", "was ", "has been ", "are ", "were ", "now ", "bị ", "被"] {
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    GONE.iter().any(|word| rest.starts_with(word))
}

fn say(
    page: &Page<'_>,
    line: u32,
    ids: &[Vec<&Reference>],
    families: &BTreeMap<&str, Family<'_>>,
    defined: &HashMap<&str, &str>,
) -> Hit {
    let first = ids[0][0];
    let names = page.list(ids.iter().map(|places| name(places[0])));
    let others: BTreeSet<u32> = ids.iter().flatten().map(|r| r.line).filter(|&other| other != line).take(8).collect();
    let (known, section) = match families.get(first.id.family.as_str()) {
        Some(family) if family.ids.len() <= LISTED => {
            (page.list(family.ids.iter().map(|id| (*id).to_owned())), family.section.clone())
        }
        // A mere "BR-01 … BR-13" would seem to hold the missing id.
        Some(family) => {
            let args = [
                ("count", family.ids.len().to_string().into()),
                ("first", family.first.to_owned().into()),
                ("last", family.ids.last().copied().unwrap_or_default().to_owned().into()),
                ("ids", names.clone().into()),
            ];
            (page.say("lint-X02-others", &args), family.section.clone())
        }
        None => (String::new(), first.id.family.clone()),
    };
    let args = [
        ("ids", names.clone().into()),
        ("place", page.place(line).into()),
        ("known", known.into()),
        ("lines", page.list(others.iter().map(u32::to_string)).into()),
    ];
    let finding = if others.is_empty() { "lint-X02-finding" } else { "lint-X02-again" };
    let near = if ids.len() == 1 { near(&first.id.norm, defined) } else { None };
    let suggestion = match near {
        Some(near) => page.say("lint-X02-near", &[("ids", names.into()), ("near", near.into())]),
        None => page.say("lint-X02-suggestion", &[("ids", names.into()), ("section", section.into())]),
    };
    page.hit(RULE.id, RULE.severity, line, first.span).saying(page.say(finding, &args), suggestion)
}

/// The id as a reader knows it: the `07` of `BR-01/07` is BR-07.
fn name(reference: &Reference) -> String {
    let id = &reference.id;
    if id.text.starts_with(|c: char| c.is_ascii_digit()) { format!("{}-{}", id.family, id.text) } else { id.text.clone() }
}

/// The defined id that differs in one digit, as after a slip of the pen; `None` where several do.
fn near(norm: &str, defined: &HashMap<&str, &str>) -> Option<String> {
    let (family, number) = norm.rsplit_once('-').unwrap_or(("", norm));
    let digits = number.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let changed = digits.flat_map(|(at, _)| ('0'..='9').map(move |digit| (at, digit)));
    let candidates = changed.map(|(at, digit)| {
        let number = format!("{}{digit}{}", &number[..at], &number[at + 1..]);
        let trimmed = number.trim_start_matches('0');
        format!("{family}-{}", if trimmed.is_empty() { "0" } else { trimmed })
    });
    let found: BTreeSet<&str> = candidates.filter_map(|candidate| defined.get(candidate.as_str()).copied()).take(2).collect();
    if found.len() == 1 { found.first().map(|text| (*text).to_owned()) } else { None }
}
