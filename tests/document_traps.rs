//! Traps that real documents hold for a parser, each with a fixture of its own in `tests/fixtures/traps`.

use std::path::Path;
use tamis::document::{Document, read};
use tamis::model::lang::Lang;
use tamis::model::outline::{Item, ItemKind, LineKind, SectionKind, UnitKind};

fn trap(name: &str) -> Document {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traps").join(format!("{name}.md"));
    read(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn units(doc: &Document) -> Vec<&str> {
    doc.outline().units.iter().map(|unit| unit.id.as_str()).collect()
}

fn kinds(doc: &Document) -> Vec<UnitKind> {
    doc.outline().units.iter().map(|unit| unit.kind).collect()
}

fn titles(doc: &Document) -> Vec<&str> {
    doc.outline().sections.iter().map(|section| section.title.as_str()).collect()
}

fn items(doc: &Document, kind: ItemKind) -> Vec<&Item> {
    doc.outline().items.iter().filter(|item| item.kind == kind).collect()
}

fn bodies(doc: &Document, kind: ItemKind) -> Vec<&str> {
    items(doc, kind).into_iter().map(|item| doc.slice(item.body)).collect()
}

fn ids(doc: &Document, kind: ItemKind) -> Vec<&str> {
    items(doc, kind).into_iter().filter_map(|item| item.id.as_ref()).map(|id| id.text.as_str()).collect()
}

fn lines_of(doc: &Document, unit: &str) -> (u32, u32) {
    let found = doc.outline().units.iter().find(|each| each.id == unit).unwrap_or_else(|| panic!("no unit {unit}"));
    (found.place.lines.first, found.place.lines.last)
}

#[test]
fn trap_01_sections_of_one_name_are_told_apart_by_path_and_unit() {
    let doc = trap("01-same-section-names");
    let paths: Vec<String> =
        doc.outline().sections.iter().filter(|s| s.kind == SectionKind::Acceptance).map(|s| s.path_text()).collect();
    assert_eq!(paths, ["UC-01: Lend a book > Acceptance Criteria", "UC-02: Return a book > Acceptance Criteria"]);
    let owners: Vec<_> = items(&doc, ItemKind::Criterion).iter().map(|item| item.unit).collect();
    assert_eq!(owners, [Some(0), Some(1), Some(1)]);
}

#[test]
fn trap_02_front_matter_is_no_heading() {
    let doc = trap("02-front-matter-before-rule");
    assert_eq!(titles(&doc), ["Tool loans", "Scope"]);
    assert_eq!((doc.outline().metadata.version.as_str(), doc.outline().metadata.status.as_str()), ("1.10", "draft"));
    assert!((1..=11).all(|line| doc.outline().line(line).is_some_and(|line| line.kind == LineKind::FrontMatter)));
    assert_eq!(doc.outline().line(12).map(|line| line.kind), Some(LineKind::Blank));
}

#[test]
fn trap_02_a_rule_on_line_1_opens_no_front_matter() {
    let doc = trap("02-rule-that-opens-a-file");
    assert_eq!(titles(&doc), ["Garden plots", "Scope", "Goals"]);
    assert_eq!(doc.outline().line(1).map(|line| line.kind), Some(LineKind::Rule));
}

#[test]
fn trap_03_rulers_in_a_fence_are_no_headings() {
    let doc = trap("03-ruler-in-fence");
    assert_eq!(titles(&doc), ["Printed receipt", "UC-01: Print a receipt"]);
    assert_eq!(doc.outline().line(7).map(|line| line.kind), Some(LineKind::Code));
}

#[test]
fn trap_04_headings_in_fences_and_in_fences_of_lists_are_none() {
    let doc = trap("04-headings-in-fences");
    assert_eq!(units(&doc), ["Write a template", "Read a template"]);
    assert_eq!(doc.outline().sections.len(), 3);
}

#[test]
fn trap_05_setext_headings_count_whatever_the_length_of_their_underline() {
    let doc = trap("05-setext");
    assert_eq!(units(&doc), ["Use Case 1", "Use Case 2"]);
    assert_eq!(lines_of(&doc, "Use Case 1"), (4, 15));
    let kinds: Vec<_> = doc.outline().sections.iter().map(|section| section.kind).collect();
    use SectionKind::*;
    assert_eq!(kinds, [Other, Other, Precondition, MainFlow, Other, ErrorFlow]);
    let heading = doc.outline().sections[1].heading.lines;
    assert_eq!((heading.first, heading.last), (4, 5));
}

#[test]
fn trap_06_headings_stand_right_behind_lists_and_fences() {
    let doc = trap("06-heading-without-blank-line");
    assert_eq!(titles(&doc), ["Shelf labels", "Options", "Requirements", "Requirement: Print labels", "Scenario: One label"]);
    assert_eq!(doc.outline().line(6).map(|line| line.kind), Some(LineKind::Heading));
    assert_eq!(bodies(&doc, ItemKind::Criterion).len(), 2);
}

#[test]
fn trap_07_without_a_title_the_highest_level_with_several_headings_is_the_top() {
    let doc = trap("07-no-title");
    assert_eq!(units(&doc), ["Sort by name", "Sort by date"]);
    assert_eq!(doc.outline().metadata.title, "");
    assert_eq!(doc.outline().top_level_sections(), [1, 2]);
}

#[test]
fn trap_07_several_level_1_headings_are_chapters_and_levels_may_be_skipped() {
    let doc = trap("07-several-titles");
    assert!(doc.outline().sections.iter().all(|section| !section.is_title));
    assert_eq!(units(&doc), ["Part one", "Part two"]);
    assert!(doc.outline().stands_in());
    assert_eq!(doc.outline().section_path_at(5), "Part one > Deep at once");
}

#[test]
fn trap_08_headings_define_and_links_rows_and_diagrams_refer() {
    let doc = trap("08-references-that-look-like-units");
    assert_eq!(units(&doc), ["UC-PD-001", "UC-PD-002"]);
    assert_eq!(ids(&doc, ItemKind::Unit), ["UC-PD-001", "UC-PD-002"]);
    let checked: Vec<(&str, u32)> =
        doc.outline().references.iter().filter(|r| !r.loose).map(|r| (r.id.norm.as_str(), r.line)).collect();
    assert_eq!(checked, [("UC-PD-1", 12), ("UC-PD-2", 13), ("UC-PD-2", 19), ("UC-PD-1", 19), ("UC-PD-2", 19)]);
    let loose: Vec<&str> = doc.outline().references.iter().filter(|r| r.loose).map(|r| r.id.text.as_str()).collect();
    assert_eq!(loose, ["UC-PD-001", "UC-PD-002", "UC-PD-003", "UC-PD-009", "UC-PD-010", "UC-PD-012", "UC-PD-050"]);
}

#[test]
fn trap_09_a_title_that_names_an_area_is_no_unit() {
    assert_eq!(units(&trap("09-title-of-an-area")), ["UC-PR-001"]);
}

#[test]
fn trap_09_a_title_with_a_numbered_id_makes_the_file_a_unit() {
    let doc = trap("09-title-is-the-unit");
    assert_eq!(units(&doc), ["US-009"]);
    assert_eq!(kinds(&doc), [UnitKind::UserStory]);
    assert_eq!(lines_of(&doc, "US-009"), (1, doc.outline().line_count()));
    assert_eq!(ids(&doc, ItemKind::Criterion), ["AC-1", "AC-2"]);
    assert_eq!(items(&doc, ItemKind::Criterion).len(), 2, "the bullets belong to their criterion");
    assert!(bodies(&doc, ItemKind::Criterion)[1].ends_with("the same page is shown"));
}

#[test]
fn trap_10_ids_of_all_forms_are_read() {
    let doc = trap("10-id-forms");
    assert_eq!(units(&doc), ["UC-1.1", "US-1.1", "FR-PO-006A", "Story R.0", "Story 3.1", "FR-A-01", "R1", "R2", "FR1"]);
    assert_eq!(ids(&doc, ItemKind::Metric), ["SC-001"], "a success criterion is a metric, no scenario");
    let cited: Vec<&str> = doc.outline().references.iter().map(|r| r.id.norm.as_str()).collect();
    assert_eq!(cited, ["FR-A-1", "R-1"]);
}

#[test]
fn trap_11_of_nested_units_the_deeper_ones_count_and_keep_their_parent() {
    let doc = trap("11-nested-units");
    assert_eq!(units(&doc), ["UC-1.1", "UC-1.2", "FR-2"]);
    let parents: Vec<Option<&str>> = doc.outline().units.iter().map(|unit| unit.parent.as_deref()).collect();
    assert_eq!(parents, [Some("FR-1"), Some("FR-1"), None]);
    assert_eq!(lines_of(&doc, "UC-1.1"), (7, 10));
    assert_eq!(doc.outline().unit_at(5), None, "what stands before the deeper units lies in none");
}

#[test]
fn trap_12_acceptance_criteria_are_read_in_every_form() {
    let doc = trap("12-acceptance-forms");
    let of = |unit: &str| -> Vec<&str> {
        let index = doc.outline().units.iter().position(|each| each.id == unit).expect("a unit");
        items(&doc, ItemKind::Criterion)
            .into_iter()
            .filter(|item| item.unit == Some(index))
            .map(|item| doc.slice(item.body))
            .collect()
    };
    assert_eq!(of("User Story 1").len(), 2);
    assert!(of("User Story 1")[0].ends_with("**Then**\n   the loan is noted."), "{:?}", of("User Story 1"));
    assert_eq!(of("Requirement 2").len(), 3);
    let numbers: Vec<_> = items(&doc, ItemKind::Criterion).iter().filter_map(|item| item.ordinal).collect();
    assert_eq!(numbers, [1, 2, 1, 7, 7], "numbers are kept as written");
    assert_eq!(of("US-3"), ["Given: a lost book", "When: the reader reports it", "Then: the price is shown"]);
    assert_eq!(of("FR-4").len(), 2);
    assert!(of("FR-4")[1].starts_with("GIVEN a free shelf") && of("FR-4")[1].ends_with("goes to the shelf"));
    assert_eq!(of("US-5").len(), 1);
    assert_eq!(of("US-6").len(), 2);
    assert_eq!(of("US-7"), ["A title is found by its first word.", "No result shows a hint."]);
    let tasks = doc.outline().items.iter().filter(|item| doc.slice(item.body).starts_with("Write the mail")).count();
    assert_eq!(tasks, 0, "a task is no criterion");
}

#[test]
fn trap_13_a_two_column_table_is_a_use_case() {
    let doc = trap("13-use-case-tables");
    assert_eq!(units(&doc), ["UC-01", "UC02"]);
    let names: Vec<&str> = doc.outline().units.iter().map(|unit| unit.title.as_str()).collect();
    assert_eq!(names, ["Order a meal", "Cancel a meal"]);
    assert_eq!(lines_of(&doc, "UC-01"), (5, 12));
    assert_eq!(bodies(&doc, ItemKind::Criterion), ["The order has a number.", "The kitchen sees it."]);
}

#[test]
fn trap_14_long_and_escaped_cells_are_kept_whole() {
    let doc = trap("14-long-cells");
    assert_eq!(units(&doc), ["LST-001", "LST-002"]);
    assert!(doc.outline().units[0].title.ends_with("the earliest first | latest last"), "{}", doc.outline().units[0].title);
    assert_eq!(doc.outline().units[1].title, "List\\<Loan> shall be shown as List<Loan>");
}

#[test]
fn trap_15_requirements_without_list_marker_are_found_above_their_heading() {
    let doc = trap("15-list-text-without-marker");
    assert_eq!(ids(&doc, ItemKind::Requirement), ["FR-004", "FR-005", "FR-001", "FR-004"]);
    assert_eq!(bodies(&doc, ItemKind::Requirement)[0], "The menu MUST scroll.");
    assert_eq!(doc.outline().section_path_at(10), "User Scenarios > Edge Cases");
}

#[test]
fn trap_16_clarifications_are_read_where_they_stand() {
    let doc = trap("16-clarifications-under-another-heading");
    let questions: Vec<(&str, bool, u32)> = doc
        .outline()
        .open_questions
        .iter()
        .map(|question| (question.text.as_str(), question.answer.is_some(), question.place.lines.first))
        .collect();
    assert_eq!(
        questions,
        [
            ("May a guest pay in coins?", true, 7),
            ("who refills the paper?", false, 8),
            ("Is the kiosk outdoors?", true, 13),
            ("Who cleans it?", false, 14)
        ]
    );
    assert_eq!(doc.outline().open_questions[0].answer.as_deref(), Some("No, cards only."));
}

#[test]
fn trap_17_byte_order_mark_crlf_comments_and_html_do_not_disturb() {
    let doc = trap("17-crlf-comments-html");
    assert_eq!(titles(&doc), ["Bikes", "UC-01: Rent a bike"]);
    assert_eq!(ids(&doc, ItemKind::BusinessRule), ["BR-01"]);
    assert_eq!(doc.line_text(1), "# Bikes");
    assert!(doc.outline().lines.iter().all(|line| !doc.slice(line.span).contains('\r')));
    assert_eq!(doc.outline().references, [], "ids in a comment are no references");
    let hidden = doc.text().find("UC-99").expect("the comment");
    assert!(doc.outline().masked.iter().any(|span| span.start <= hidden && hidden < span.end));
}

#[test]
fn trap_18_diagrams_and_directives_before_the_title_are_passed_over() {
    let doc = trap("18-mermaid-and-page");
    assert_eq!(doc.outline().metadata.title, "Pump controller");
    assert_eq!(units(&doc), ["UC-01"]);
    assert_eq!(doc.outline().references, []);
}

#[test]
fn trap_19_languages_are_told_line_by_line() {
    let doc = trap("19-mixed-languages");
    let of = |number: u32| doc.outline().line(number).map(|line| line.lang);
    assert_eq!((of(8), of(10), of(11)), (Some(Lang::Vi), Some(Lang::En), Some(Lang::Zh)));
    assert_eq!(doc.outline().lang, Lang::Vi);
    assert_eq!(doc.outline().transitions.len(), 2);
    assert_eq!(items(&doc, ItemKind::Criterion).len(), 2);
}

#[test]
fn trap_20_very_long_documents_are_read_whole() {
    let chapter = |n: usize| format!("## UC-{n:03}: Chapter {n}\n\n### Acceptance Criteria\n\n- The page shows number {n}.\n\n");
    let text: String = std::iter::once("# Long\n\n".to_owned()).chain((1..=900).map(chapter)).collect();
    let doc = Document::parse(text);
    assert_eq!(doc.outline().line_count(), 2 + 900 * 6);
    assert_eq!(doc.outline().units.len(), 900);
    assert_eq!(items(&doc, ItemKind::Criterion).len(), 900);
    assert_eq!(doc.outline().lines_in_units(), 900 * 6);
}

#[test]
fn trap_21_emoji_and_status_marks_are_passed_over() {
    let doc = trap("21-emoji");
    assert_eq!(units(&doc), ["UC-01"]);
    let kinds: Vec<_> = doc.outline().sections.iter().map(|section| section.kind).collect();
    use SectionKind::*;
    assert_eq!(kinds, [Other, Problem, Other, Acceptance, OutOfScope]);
    assert_eq!(ids(&doc, ItemKind::Criterion), ["AC-01", "AC-02"]);
    assert_eq!((doc.outline().metadata.version.as_str(), doc.outline().metadata.status.as_str()), ("v1.10", "🟡 Đang duyệt"));
    assert_eq!(doc.outline().scope_lines.len(), 1);
}

#[test]
fn trap_22_markers_in_fences_guidelines_and_checklists_ask_nothing() {
    let doc = trap("22-false-clarifications");
    let questions: Vec<&str> = doc.outline().open_questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(questions, ["which hour?"]);
}
