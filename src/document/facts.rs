//! What headings, list items and tables say by their own words, read once for all readers.

use super::blocks::{Blocks, Row, Table};
use super::ids::{self, Class};
use super::sections::label;
use super::text::plain;
use super::unit_words::{self, UnitHead};
use super::words;
use crate::model::outline::{SectionKind, Span, UnitKind};

/// A heading's words.
pub(super) struct HeadingFact {
    /// The unit it opens.
    pub(super) unit: Option<UnitHead>,
    /// What its section is for.
    pub(super) kind: SectionKind,
    /// Its section takes no kind from the one around it.
    pub(super) stands_alone: bool,
}

/// The label that opens a list item.
#[derive(Clone, Copy, Default)]
pub(super) struct ItemLabel {
    /// What it announces, where it is one.
    pub(super) kind: Option<SectionKind>,
    /// Where the text behind it begins, counted from the item's head.
    pub(super) rest: usize,
    /// Nothing stands behind it.
    pub(super) alone: bool,
}

/// A table's words.
pub(super) struct TableFact {
    /// Head cells, folded.
    pub(super) heads: Vec<String>,
    /// Of a table with at most two columns of text: the first cell of each row, head included, and what it announces.
    pub(super) labels: Option<Vec<(String, Option<SectionKind>)>>,
    /// The use case it describes.
    pub(super) use_case: Option<UnitHead>,
    /// The column whose head names acceptance criteria.
    pub(super) acceptance: Option<usize>,
}

impl TableFact {
    /// The labels, where at least two rows are labelled by section words: the table is a form, its rows are its fields.
    pub(super) fn form(&self) -> Option<&[(String, Option<SectionKind>)]> {
        let labels = self.labels.as_deref()?;
        let known = labels.iter().filter(|(_, kind)| kind.is_some_and(|kind| kind != SectionKind::Other)).count();
        (known >= 2).then_some(labels)
    }

    /// Cells that hold several items between line breaks, each with what it holds: fields of a form, or the column of
    /// acceptance criteria.
    pub(super) fn cells_of_items<'t>(&self, table: &'t Table) -> Vec<(&'t Row, Span, SectionKind)> {
        let rows = std::iter::once(&table.head).chain(&table.rows);
        let labels = self.form();
        let field = |(index, row): (usize, &'t Row)| {
            let kind = match (labels, self.acceptance) {
                (Some(labels), _) => labels[index].1?,
                (None, Some(_)) if index > 0 => SectionKind::Acceptance,
                _ => return None,
            };
            let column = if labels.is_some() { 1 } else { self.acceptance? };
            row.cells.get(column).map(|cell| (row, *cell, kind))
        };
        rows.enumerate().filter_map(field).collect()
    }

    /// The first column whose head is one of some words, or starts with one and a blank or bracket.
    pub(super) fn column(&self, names: &[&str]) -> Option<usize> {
        self.heads.iter().position(|head| names.contains(&head.as_str())).or_else(|| {
            let begins =
                |head: &String, name: &&str| head.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '(', '（', '/']));
            self.heads.iter().position(|head| names.iter().any(|name| begins(head, name)))
        })
    }
}

/// The words of a document's blocks; each list runs beside that of the blocks.
pub(super) struct Facts {
    pub(super) headings: Vec<HeadingFact>,
    pub(super) items: Vec<ItemLabel>,
    pub(super) tables: Vec<TableFact>,
}

/// Reads the words of all blocks.
pub(super) fn read(text: &str, blocks: &Blocks) -> Facts {
    let headings = blocks.headings.iter().map(|heading| heading_fact(&heading.text)).collect();
    let items = (0..blocks.items.len()).map(|index| item_label(text, blocks, index)).collect();
    let tables = blocks.tables.iter().map(|table| table_fact(text, table)).collect();
    Facts { headings, items, tables }
}

fn heading_fact(title: &str) -> HeadingFact {
    let unit = unit_words::read(title);
    if unit.as_ref().is_some_and(|head| !head.generic) {
        return HeadingFact { unit, kind: SectionKind::Other, stands_alone: true };
    }
    let bare = words::strip_lead(title);
    if let Some(found) = ids::any_id_at(bare, 0) {
        let kind = match ids::class(&found.id) {
            Class::Criterion => SectionKind::Acceptance,
            Class::Rule => SectionKind::BusinessRules,
            Class::NonFunctional => SectionKind::NonFunctional,
            Class::Metric => SectionKind::SuccessMetrics,
            _ => SectionKind::Other,
        };
        return HeadingFact { stands_alone: unit.is_some(), unit, kind };
    }
    if opens_scenario(bare) {
        return HeadingFact { unit, kind: SectionKind::Acceptance, stands_alone: false };
    }
    let known = words::kind_of(title);
    HeadingFact { unit, kind: known.unwrap_or(SectionKind::Other), stands_alone: known == Some(SectionKind::Other) }
}

/// `Scenario: …`, `Scenario 2: …`, `场景：…`, `Kịch bản 1: …`.
fn opens_scenario(title: &str) -> bool {
    let words = ["scenario", "kịch bản", "场景", "情景", "シナリオ", "szenario", "escenario"];
    let Some(length) = words.iter().find_map(|word| unit_words::prefix_length(title, word)) else { return false };
    title[length..].trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || c == '.').starts_with([':', '：'])
}

/// Kinds that the label of a list item may announce.
fn opens_in_list(kind: &SectionKind) -> bool {
    use SectionKind::*;
    matches!(
        kind,
        Acceptance
            | BusinessRules
            | NonFunctional
            | MainFlow
            | ErrorFlow
            | Precondition
            | Postcondition
            | InScope
            | OutOfScope
            | OpenQuestions
            | SuccessMetrics
    )
}

/// Longest list item without colon that may be a label, in bytes.
const LONGEST_LABEL: usize = 80;

fn item_label(text: &str, blocks: &Blocks, index: usize) -> ItemLabel {
    let head = &text[blocks.items[index].head.start..blocks.items[index].head.end];
    if let Some(label) = label(head) {
        let kind = label.kind.filter(opens_in_list);
        return ItemLabel { kind, rest: label.rest, alone: kind.is_some() && head[label.rest..].trim().is_empty() };
    }
    // Words alone announce something only where a list follows below them.
    let leads = blocks.items.get(index + 1).is_some_and(|next| next.parent == Some(index));
    let kind = (leads && head.len() <= LONGEST_LABEL).then(|| words::kind_of(&plain(head))).flatten().filter(opens_in_list);
    ItemLabel { kind, rest: head.len(), alone: kind.is_some() }
}

/// What the head of a column of acceptance criteria holds in any language: most heads are turned away by it.
const ACCEPTANCE_HINTS: &[&str] = &[
    "accept",
    "scenario",
    "done",
    "satisf",
    "chấp nhận",
    "nghiệm thu",
    "hoàn thành",
    "验收",
    "接受",
    "驗收",
    "受入",
    "受け入れ",
    "abnahme",
    "akzeptanz",
    "akcept",
    "acept",
    "aceit",
    "прием",
    "приём",
    "인수",
    "완료",
    "수용",
];

fn table_fact(text: &str, table: &Table) -> TableFact {
    let slice = |cell: &Span| words::fold(&plain(&text[cell.start..cell.end]));
    let heads: Vec<String> = table.head.cells.iter().map(slice).collect();
    let rows = || std::iter::once(&table.head).chain(&table.rows);
    let two_columns = rows().all(|row| row.cells.iter().skip(2).all(|cell| cell.is_empty()));
    let labels = two_columns.then(|| {
        rows()
            .map(|row| {
                let label = row.cells.first().map_or(String::new(), slice);
                let kind = words::kind_of(&label);
                (label, kind)
            })
            .collect()
    });
    let use_case = labels.as_deref().and_then(|labels: &[(String, Option<SectionKind>)]| use_case_table(text, table, labels));
    let hints = |head: &String| ACCEPTANCE_HINTS.iter().any(|hint| head.contains(hint));
    let acceptance = |head: &String| hints(head) && words::kind_of(head) == Some(SectionKind::Acceptance);
    let acceptance = heads.iter().position(acceptance);
    TableFact { heads, labels, use_case, acceptance }
}

/// The use case that a two-column table describes: an id or name row, and at least two rows named as use cases are.
fn use_case_table(text: &str, table: &Table, labels: &[(String, Option<SectionKind>)]) -> Option<UnitHead> {
    const IDS: &[&str] = &[
        "use case id",
        "use case",
        "uc id",
        "uc",
        "id",
        "mã use case",
        "mã uc",
        "mã",
        "mã ca sử dụng",
        "用例编号",
        "编号",
        "use case no",
        "use case number",
    ];
    const NAMES: &[&str] = &[
        "use case name",
        "name",
        "title",
        "tên use case",
        "tên",
        "tên uc",
        "tên ca sử dụng",
        "用例名称",
        "名称",
        "use case title",
    ];
    if labels.iter().filter(|(label, kind)| is_template_label(label, *kind)).count() < 2 {
        return None;
    }
    let value = |row: &Row| row.cells.get(1).map_or("", |cell| &text[cell.start..cell.end]);
    let values = std::iter::once(&table.head).chain(&table.rows).map(value);
    let rows: Vec<(&str, &str)> = labels.iter().map(|(label, _)| label.as_str()).zip(values).collect();
    let find = |names: &[&str]| {
        rows.iter().find(|(label, value)| names.contains(label) && !value.is_empty()).map(|(_, value)| plain(value))
    };
    let name = find(NAMES);
    let read = |value: &str| unit_words::read(value).filter(|head| head.kind == UnitKind::UseCase);
    if let Some(mut head) = find(IDS).and_then(|value| read(&value)) {
        if let Some(name) = name {
            head.rest = name;
        }
        return Some(head);
    }
    // `| UC01 | Login |` as the first row of text.
    let (label, value) = rows.iter().find(|(label, _)| !label.is_empty())?;
    if let Some(mut head) = read(&label.to_uppercase()).or_else(|| read(&plain(value))) {
        if read(&label.to_uppercase()).is_some() {
            head.rest = plain(value);
        }
        return Some(head);
    }
    let named =
        rows.iter().any(|(label, _)| label.contains("use case") || label.contains("用例") || label.contains("ca sử dụng"));
    let name = name.or_else(|| find(&["use case", "用例", "ca sử dụng"])).filter(|name| named && !name.is_empty())?;
    Some(UnitHead { kind: UnitKind::UseCase, id: name.clone(), rest: name, item: None, last: None, generic: false })
}

/// Labels that use case templates have.
fn is_template_label(label: &str, kind: Option<SectionKind>) -> bool {
    use SectionKind::*;
    matches!(kind, Some(MainFlow | ErrorFlow | Precondition | Postcondition | Acceptance | BusinessRules | Actors))
        || ["trigger", "description", "summary", "primary actor", "mô tả", "kích hoạt", "描述", "触发", "frequency", "priority"]
            .contains(&label)
        || label.contains("actor")
}
