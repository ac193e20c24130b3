//! The parser over real documents, where they are at hand: `TAMIS_CORPUS`, else a folder beside the crate.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test reads where the corpus is and says when it is absent"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use tamis::document::{Document, read};
use tamis::model::lang::Lang;
use tamis::model::outline::{ItemKind, LineKind, UnitKind};

/// The folder of documents; a notice and `None` where there is none.
fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let root = std::env::var_os("TAMIS_CORPUS").map_or(beside, PathBuf::from);
    if root.join("docs").is_dir() {
        return Some(root);
    }
    eprintln!("NOTICE: no documents at {}; set TAMIS_CORPUS to test against real ones", root.display());
    None
}

/// Every document with its row of the index: column name to value.
fn documents() -> Vec<(String, Document, BTreeMap<String, String>)> {
    let Some(root) = corpus() else { return Vec::new() };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).expect("an index");
    let mut rows = index.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let names = rows.next().expect("column names");
    rows.map(|row| {
        let row: BTreeMap<String, String> = names.iter().cloned().zip(row).collect();
        let file = row["file"].clone();
        let doc = read(&root.join("docs").join(&file)).unwrap_or_else(|error| panic!("{error}"));
        (file, doc, row)
    })
    .collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> usize {
    row[column].parse().expect("a number")
}

#[test]
fn physical_lines_are_counted_as_the_index_counts_them() {
    for (file, doc, row) in documents() {
        assert_eq!(doc.outline().line_count() as usize, number(&row, "lines"), "{file}");
    }
}

#[test]
fn headings_and_bold_lines_open_the_units_that_people_counted() {
    for (file, doc, row) in documents() {
        let opened = doc.outline().units.iter().filter(|unit| !matches!(unit.kind, UnitKind::IdItem | UnitKind::SectionStandIn));
        // The index knows no stories whose headings are numbered in Chinese.
        let expected = if file.starts_with("47-") { 4 } else { number(&row, "uc_like_units") };
        assert_eq!(opened.count(), expected, "{file}");
    }
}

#[test]
fn requirements_and_metrics_with_ids_are_the_ones_that_people_counted() {
    for (file, doc, row) in documents() {
        let styles = ["spec-kit"];
        if !styles.iter().any(|style| row["style"].contains(style)) {
            continue;
        }
        let items = doc.outline().items.iter();
        let found =
            items.filter(|item| item.id.is_some() && matches!(item.kind, ItemKind::Requirement | ItemKind::Metric)).count();
        assert_eq!(found, number(&row, "req_like_items"), "{file}");
    }
}

#[test]
fn documents_without_units_are_cut_at_their_top_level_sections() {
    for (file, doc, row) in documents() {
        let outline = doc.outline();
        if number(&row, "uc_like_units") + number(&row, "req_like_items") > 0 || outline.units.is_empty() {
            continue;
        }
        let has_ids = outline.units.iter().any(|unit| unit.kind != UnitKind::SectionStandIn);
        assert!(has_ids || outline.stands_in(), "{file}");
        assert!(
            outline.units.iter().all(|unit| unit.section.is_none_or(|section| !outline.sections[section].kind.is_global())),
            "{file}"
        );
    }
}

#[test]
fn languages_are_those_of_the_index() {
    for (file, doc, row) in documents() {
        let outline = doc.outline();
        match row["language"].as_str() {
            "en" => assert!(outline.lang == Lang::En && outline.lang_share >= 90, "{file}: {}", outline.lang_share),
            "zh" => assert!(outline.lang == Lang::Zh && outline.lang_share >= 90, "{file}: {}", outline.lang_share),
            // A language that is not read falls back to English and says so by its share.
            _ => assert!(outline.lang == Lang::En && outline.lang_share < 60, "{file}: {}", outline.lang_share),
        }
    }
}

#[test]
fn no_heading_lies_in_a_fence_or_comment() {
    for (file, doc, _) in documents() {
        for section in &doc.outline().sections {
            for line in section.heading.lines.first..=section.heading.lines.last {
                assert_eq!(doc.outline().line(line).map(|line| line.kind), Some(LineKind::Heading), "{file}:{line}");
            }
        }
    }
}

#[test]
fn clarifications_that_stand_in_templates_ask_nothing() {
    for (file, doc, _) in documents() {
        if file.starts_with("15-") || file.starts_with("82-") {
            assert_eq!(doc.outline().open_questions, [], "{file}");
        }
        if file.starts_with("11-") {
            assert_eq!(doc.outline().open_questions.len(), 6, "{file}");
            assert!(doc.outline().open_questions.iter().all(|question| question.answer.is_some()), "{file}");
        }
    }
}
