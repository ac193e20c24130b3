//! The changed scope and what a part of a document cites.

use tamis::document::Document;
use tamis::document::changed::{NoSinglePart, named_lines, resolve, split_argument};
use tamis::document::cited::cited_by;
use tamis::model::outline::LineSpan;
use tamis::model::plan::Changed;

const LOANS: &str = "\
# Loans

## Scope

Books, not films.

## Glossary

| Term | Definition |
|---|---|
| loan | A book in the hands of a reader |
| cart | Where returned books wait |

## Business Rules

- BR-01: A loan lasts 14 days.
- BR-02: A reader has at most five loans.
- BR-03: A lost book is paid.

## Requirements, open

### FR-7: Desk

#### UC-01: Lend a book

##### Acceptance Criteria

- AC-1: The loan lasts as long as BR-1 says.

#### UC-02: Return a book

##### Acceptance Criteria

- AC-2: The book goes to the cart (BR-02 to BR-03).

## UC-03: Pay, then leave

Text.
";

fn loans() -> Document {
    Document::parse(LOANS.to_owned())
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn changed(list: &[&str]) -> Changed {
    resolve(loans().outline(), &names(list)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn units_are_named_by_id_or_heading_whatever_the_spelling() {
    for name in ["UC-02", "uc-2", "UC_02", " UC 2 ", "UC2", "UC-02: Return a book", "uc-02:  return a Book"] {
        assert_eq!(changed(&[name]).units, [1], "{name}");
    }
    assert_eq!(changed(&["UC-03", "UC-01", "UC-3"]).units, [0, 2], "file order, each once");
}

#[test]
fn a_section_inside_a_unit_means_that_unit_and_any_other_prd_global() {
    let path = "Requirements, open > FR-7: Desk > UC-02: Return a book > Acceptance Criteria";
    assert_eq!(changed(&[path]), Changed { units: vec![1], ..Changed::default() });
    assert_eq!(changed(&["Acceptance Criteria"]).units, [0, 1], "a title that stands in several units means them all");
    let scope = changed(&["Scope", "business rules"]);
    assert_eq!((scope.units, scope.global), (vec![], names(&["Scope", "business rules"])));
    assert_eq!(changed(&[]), Changed::default());
}

#[test]
fn a_heading_that_was_passed_over_means_the_units_inside_it() {
    let desk = changed(&["FR-7"]);
    assert_eq!((desk.units, desk.global), (vec![0, 1], names(&["FR-7"])));
}

#[test]
fn a_unit_that_has_gone_is_a_notice_and_anything_else_unknown_an_error() {
    let both = changed(&["UC-09", "UC-01"]);
    assert_eq!((both.units, both.gone), (vec![0], names(&["UC-09"])));
    let error = resolve(loans().outline(), &names(&["Glosary", "ABC-1", "UC-01"])).expect_err("unknown names");
    assert_eq!(error.names, ["Glosary", "ABC-1"]);
    assert_eq!(error.known[0], "Glossary", "the nearest first");
    for known in ["UC-01", "UC-02", "UC-03", "Scope", "Business Rules"] {
        assert!(error.to_string().contains(known), "{error}");
    }
}

#[test]
fn word_ids_go_and_stay_like_letter_ids() {
    let doc = Document::parse("# T\n\n## User Story 1 - Sell\n\nText.\n\n## User Story 2 - Buy\n\nText.\n".to_owned());
    let resolved = |name: &str| resolve(doc.outline(), &names(&[name])).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(resolved("user story 2").units, [1]);
    assert_eq!(resolved("User Story 2 - Buy").units, [1]);
    assert_eq!(resolved("User Story 7").gone, ["User Story 7"]);
}

#[test]
fn letters_stand_for_words_and_ranges_for_their_inner_numbers() {
    let doc = Document::parse("# T\n\n## Use Case 1: a\n\nText.\n\n## UC-M-08 to UC-M-12: b\n\nText.\n".to_owned());
    let resolved = |name: &str| resolve(doc.outline(), &names(&[name])).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(resolved("UC-1").units, [0]);
    assert_eq!(resolved("UC-M-10").units, [1]);
    assert_eq!(resolved("uc-m-12").units, [1]);
    assert_eq!(resolved("UC-M-13").gone, ["UC-M-13"]);
}

#[test]
fn where_sections_stand_in_their_titles_are_the_units() {
    let doc = Document::parse("# T\n\n## Export\n\n### Limits\n\nText.\n\n## Glossary\n\nText.\n".to_owned());
    let resolved = |name: &str| resolve(doc.outline(), &names(&[name]));
    assert_eq!(resolved("export").expect("a unit").units, [0]);
    assert_eq!(resolved("Export > Limits").expect("a section").units, [0]);
    assert_eq!(resolved("Glossary").expect("a section").global, ["Glossary"]);
    assert!(resolved("UC-1").is_err(), "no unit carries such letters");
}

#[test]
fn a_comma_separates_only_where_the_value_is_no_name() {
    let split = |value: &str| split_argument(loans().outline(), value);
    assert_eq!(split("UC-01,UC-02"), ["UC-01", "UC-02"]);
    assert_eq!(split("Requirements, open"), ["Requirements, open"]);
    assert_eq!(split("UC-01, UC-03: Pay, then leave, Scope"), ["UC-01", "UC-03: Pay, then leave", "Scope"]);
    assert_eq!(split("nothing, known"), ["nothing", "known"]);
    assert_eq!(split(""), [] as [&str; 0]);
    assert_eq!(split(" , "), [] as [&str; 0]);
}

fn cited(lines: &[(u32, u32)]) -> Vec<String> {
    let doc = loans();
    let spans: Vec<LineSpan> = lines.iter().map(|(first, last)| LineSpan::new(*first, *last)).collect();
    cited_by(&doc, &spans).into_iter().map(|place| doc.slice(place.span).to_owned()).collect()
}

#[test]
fn rules_and_terms_that_a_part_cites_come_in_file_order() {
    let doc = loans();
    let unit = |index: usize| doc.outline().units[index].place.lines;
    let lines = |index: usize| (unit(index).first, unit(index).last);
    let loan = "| loan | A book in the hands of a reader |";
    assert_eq!(cited(&[lines(0)]), [loan, "- BR-01: A loan lasts 14 days."]);
    let second =
        ["| cart | Where returned books wait |", "- BR-02: A reader has at most five loans.", "- BR-03: A lost book is paid."];
    assert_eq!(cited(&[lines(1)]), second);
    assert_eq!(cited(&[lines(2)]), [] as [&str; 0]);
    assert_eq!(cited(&[lines(0), lines(1)]).len(), 5);
}

#[test]
fn what_lies_inside_the_part_itself_is_not_cited() {
    let doc = loans();
    let all = LineSpan::new(1, doc.outline().line_count());
    assert_eq!(cited_by(&doc, &[all]), []);
    assert_eq!(cited_by(&doc, &[]), []);
}

#[test]
fn terms_are_found_as_whole_words_in_every_language() {
    let text = "# T\n\n## Thuật ngữ\n\n| Thuật ngữ | Định nghĩa |\n|---|---|\n| đơn hàng | Một lần mua |\n| phí | Tiền |\n| 退款 | 退还 |\n| cat | Pet |\n\n## UC-1: a\n\nĐơn hàng mới, phía sau; 申请退款。Concatenate.\n";
    let doc = Document::parse(text.to_owned());
    let terms: Vec<&str> =
        cited_by(&doc, &[doc.outline().units[0].place.lines]).iter().map(|place| doc.slice(place.span)).collect();
    assert_eq!(terms, ["| đơn hàng | Một lần mua |", "| 退款 | 退还 |"]);
}

#[test]
fn prd_global_by_name_adds_nothing_beyond_it() {
    assert_eq!(changed(&["PRD-global", "prd-GLOBAL"]), Changed { global: names(&["PRD-global"; 2]), ..Changed::default() });
    assert_eq!(changed(&["PRD-global", "UC-02"]).units, [1]);
    assert_eq!(split_argument(loans().outline(), "PRD-global,UC-02"), ["PRD-global", "UC-02"]);
}

#[test]
fn a_scope_is_one_part_of_the_document() {
    let doc = loans();
    let outline = doc.outline();
    let first_line = |name: &str| {
        let lines = named_lines(outline, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        outline.line(lines[0].first).map(|line| LOANS[line.span.start..line.span.end].trim().to_owned())
    };
    let path = "Requirements, open > FR-7: Desk > UC-02: Return a book > Acceptance Criteria";
    for (name, heading) in [
        ("uc-2", "#### UC-02: Return a book"),
        ("Glossary", "## Glossary"),
        (path, "##### Acceptance Criteria"),
        ("Loans", "# Loans"),
    ] {
        assert_eq!(first_line(name).as_deref(), Some(heading), "{name}");
    }
    let of_unit = named_lines(outline, "UC-02").expect("a unit");
    let of_path = named_lines(outline, path).expect("a section");
    assert!(of_unit[0].first < of_path[0].first && of_path[0].last <= of_unit[0].last, "the one inside UC-02");
    let error = named_lines(outline, "Acceptance Criteria").expect_err("two of them");
    assert!(error.to_string().contains("FR-7: Desk > UC-01: Lend a book > Acceptance Criteria"), "{error}");
    assert!(error.to_string().contains(path), "{error}");
    assert!(matches!(named_lines(outline, " "), Err(NoSinglePart::Empty(known)) if known.len() > 3));
    assert!(matches!(named_lines(outline, "Glosary"), Err(NoSinglePart::Unknown(_))));
}

#[test]
fn the_scope_prd_global_is_all_that_lies_in_no_unit() {
    let doc = loans();
    let lines = named_lines(doc.outline(), "prd-global").expect("a scope");
    let unit = |line: u32| doc.outline().line(line).and_then(|line| line.unit);
    for line in 1..=doc.outline().line_count() {
        let is_in = lines.iter().any(|span| span.first <= line && line <= span.last);
        assert_eq!(is_in, unit(line).is_none(), "line {line}");
    }
    let covered = Document::parse("## UC-01: Lend\n\nText.\n".to_owned());
    assert!(matches!(named_lines(covered.outline(), "PRD-global"), Err(NoSinglePart::Unknown(_))));
}

#[test]
fn headings_of_one_path_are_told_apart_by_their_lines() {
    let doc = Document::parse("# T\n\n## A\n\nx\n\n## A\n\ny\n".to_owned());
    let error = named_lines(doc.outline(), "A").expect_err("two of them");
    assert!(error.to_string().contains("A (line 3)") && error.to_string().contains("A (line 7)"), "{error}");
}
