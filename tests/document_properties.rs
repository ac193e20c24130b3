//! What holds for every text, whatever is in it.

use proptest::prelude::*;
use std::path::Path;
use tamis::document::{Document, changed, cited};
use tamis::model::outline::{LineSpan, Place, Span};

/// Checks what holds for every outline.
fn check(text: &str) -> Result<(), TestCaseError> {
    let doc = Document::parse(text.to_owned());
    let outline = doc.outline();
    let fits = |span: Span| {
        span.start <= span.end && span.end <= text.len() && text.is_char_boundary(span.start) && text.is_char_boundary(span.end)
    };

    // Lines partition the text: each starts where the one before it ended, plus its line end.
    prop_assert_eq!(outline.lines.len(), text.lines().count());
    let mut next = 0;
    for (line, expected) in outline.lines.iter().zip(text.lines()) {
        prop_assert_eq!(line.span.start, next);
        // A carriage return at the very end counts as the start of a line end that was cut.
        let cut = line.span.end + 1 == text.len();
        prop_assert_eq!(doc.slice(line.span), if cut { expected.strip_suffix('\r').unwrap_or(expected) } else { expected });
        next = line.span.end + text[line.span.end..].find('\n').map_or(0, |at| at + 1);
        prop_assert!(line.section.is_none_or(|section| section < outline.sections.len()));
        prop_assert!(line.unit.is_none_or(|unit| unit < outline.units.len()));
    }
    prop_assert!(next == text.len() || !text.ends_with('\n'));

    let count = outline.line_count();
    let placed = |place: Place| {
        fits(place.span)
            && place.lines.first >= 1
            && place.lines.last <= count
            && place.lines.first <= place.lines.last
            && outline.line_of(place.span.start) == place.lines.first
    };
    let places = outline
        .sections
        .iter()
        .flat_map(|section| [section.heading, section.place])
        .chain(outline.units.iter().map(|unit| unit.place))
        .chain(outline.items.iter().map(|item| item.place))
        .chain(outline.glossary.iter().map(|term| term.place))
        .chain(outline.scope_lines.iter().map(|line| line.place))
        .chain(outline.actors.iter().map(|actor| actor.place))
        .chain(outline.states.iter().map(|state| state.place))
        .chain(outline.transitions.iter().map(|transition| transition.place))
        .chain(outline.open_questions.iter().map(|question| question.place));
    for place in places {
        prop_assert!(placed(place), "{:?}", place);
    }
    for item in &outline.items {
        prop_assert!(fits(item.body) && item.place.span.contains(item.body), "{:?}", item);
    }
    for reference in &outline.references {
        prop_assert!(fits(reference.span) && outline.line_of(reference.span.start) == reference.line, "{:?}", reference);
    }
    for pair in outline.masked.windows(2) {
        prop_assert!(pair[0].end < pair[1].start, "masked stretches are sorted and disjoint: {:?}", pair);
    }
    prop_assert!(outline.masked.iter().all(|span| fits(*span) && !span.is_empty()));
    for ignore in &outline.ignores {
        prop_assert!(ignore.lines.first >= 1 && ignore.lines.last <= count, "{:?}", ignore);
    }

    // Units share no line, lines know their unit, and sections nest.
    for pair in outline.units.windows(2) {
        prop_assert!(pair[0].place.lines.last < pair[1].place.lines.first, "{:?}", pair);
    }
    let in_units = outline.lines.iter().filter(|line| line.unit.is_some()).count() as u32;
    prop_assert_eq!(in_units, outline.lines_in_units());
    for section in &outline.sections {
        if let Some(parent) = section.parent {
            prop_assert!(outline.sections[parent].place.span.contains(section.place.span));
        }
    }

    // Look-ups take any argument.
    let all = LineSpan::new(1, count);
    prop_assert_eq!(cited::cited_by(&doc, &[all]), []);
    let _ = cited::cited_by(&doc, &[LineSpan::new(0, 0), LineSpan::new(count, count + 9)]);
    for unit in &outline.units {
        let found = changed::resolve(outline, std::slice::from_ref(&unit.id));
        prop_assert!(unit.id.trim().is_empty() || found.is_ok_and(|changed| !changed.units.is_empty()), "{:?}", unit.id);
    }
    Ok(())
}

/// Pieces that documents are made of, and their parts.
fn piece() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "# ",
        "## ",
        "### ",
        "UC-01",
        "UC-1.1: ",
        "User Story 1 - ",
        "Requirement: ",
        "FR-PO-006A",
        "BR-01",
        "AC-1: ",
        "**",
        "*",
        "`",
        "```\n",
        "~~~",
        "- ",
        "1. ",
        "| ",
        " |\n",
        "|---|---|\n",
        "\n",
        "\n\n",
        "\r\n",
        "    ",
        "<!-- ",
        " -->",
        "<br>",
        "[",
        "](#a)",
        "> ",
        "Acceptance Criteria\n",
        "验收标准\n",
        "Tiêu chí chấp nhận\n",
        "Given ",
        "WHEN ",
        "**Then** ",
        "---\n",
        "===\n",
        "States of a: A, B\n",
        "A -> B\n",
        "→ A: x",
        "Q: why?",
        "[NEEDS CLARIFICATION: x]",
        "Glossary\n",
        "Out of scope\n",
        "范围\n",
        " to ",
        " đến ",
        "–",
        "/05/06",
        "\u{feff}",
        "\u{301}",
        "😀",
        "é",
        "\t",
        "\\",
        "version: 1.10\n",
        "<a name=\"uc01\">",
        "https://a.b/c",
        "\"",
        "“",
        "”",
        "：",
        "、",
        "<!-- tamis-ignore A01 x -->",
        "- [ ] ",
        "- [x] ",
        "~~",
        "&nbsp;",
        "stateDiagram-v2\n[*] --> A\n",
        "```mermaid\n",
        "\0",
        "\u{85}",
        "\r",
    ];
    prop_oneof![
        6 => prop::sample::select(PIECES).prop_map(str::to_owned),
        2 => "[a-zA-Z0-9 ]{1,12}",
        1 => "\\PC{0,6}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mixture_of_pieces_is_a_document(pieces in prop::collection::vec(piece(), 0..60)) {
        check(&pieces.concat())?;
    }

    #[test]
    fn any_text_is_a_document(text in "(?s).{0,300}") {
        check(&text)?;
    }

    #[test]
    fn any_bytes_are_a_document_or_a_clear_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match tamis::document::decode(&bytes) {
            Ok(doc) => check(doc.text())?,
            Err(error) => prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
        }
    }
}

fn fixtures() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traps");
    let mut texts: Vec<String> = std::fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| std::fs::read_to_string(entry.expect("entry").path()).expect("text"))
        .collect();
    texts.sort();
    texts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mangled_fixtures_are_documents(which in 0usize..1000, cuts in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0, piece()), 0..6)) {
        let texts = fixtures();
        let mut text: Vec<char> = texts[which % texts.len()].chars().collect();
        for (from, length, put) in cuts {
            let start = (from * text.len() as f64) as usize;
            let end = (start + (length * 40.0) as usize).min(text.len());
            text.splice(start..end, put.chars());
        }
        check(&text.into_iter().collect::<String>())?;
    }
}

#[test]
fn openings_without_end_stay_linear() {
    // Each of these took quadratic time in one reader or another; a test that hangs is the failure.
    for opening in ["[", "<", "`", "*", "(", "“", "<!--", "> ", "- ", "UC-", "![", "\"", "http://", "| ", "~~", "A -> ", "`a``"]
    {
        for lead in ["", "- ", "## Glossary\n- ", "## Open questions\n- Q: ", "| a | b |\n|---|---|\n| "] {
            let text = format!("{lead}{}", opening.repeat(40_000 / opening.len()));
            check(&text).expect("a document");
        }
    }
}
