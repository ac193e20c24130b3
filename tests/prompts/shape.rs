//! What goes where: parts that agents share, line numbers, and whole prompts as a model gets them.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use tamis::agent::prompts::{Composer, hash};
use tamis::model::outline::LineSpan;
use tamis::rules::estimate::tokens;

#[test]
fn agents_of_a_bucket_share_everything_but_their_task() {
    for (recipe, example) in [("refine-prd", "prd-en.md"), ("review-context", "prd-vi.md"), ("refine-prd", "prd-zh.md")] {
        let mut case = Case::example(recipe, example);
        case.options.replicas = 2;
        let mut buckets: BTreeMap<Vec<String>, Vec<(String, Prompt)>> = BTreeMap::new();
        for ask in case.asks().iter().filter(|ask| ask.role == Role::Reviewer) {
            let id = ask.dimension.as_ref().expect("a dimension").id.clone();
            buckets.entry(ask.scopes.clone()).or_default().push((id, composed(ask)));
        }
        assert!(buckets.len() > 1, "{recipe} on {example}");
        let mut shared = BTreeSet::new();
        for (scopes, prompts) in &buckets {
            let (first_id, first) = &prompts[0];
            assert!(prompts.len() >= 6);
            assert!(first.shared.ends_with("\n\n"), "the task begins a paragraph where both are sent as one text");
            for (id, prompt) in prompts {
                assert_eq!((&prompt.system, &prompt.shared), (&first.system, &first.shared), "{scopes:?}");
                assert_eq!(prompt.own == first.own, id == first_id, "replicas are asked the same, dimensions are not");
            }
            shared.insert(first.shared.clone());
        }
        assert_eq!(shared.len(), buckets.len(), "each bucket has its own text");
    }
}

#[test]
fn critic_and_reviewers_share_the_system_part_and_rounds_the_document() {
    let asks = Case::example("refine-prd", "prd-en.md").asks();
    let critic = asks.iter().find(|ask| ask.role == Role::Critic).expect("a critic").clone();
    let later = Ask { key: "critic/2".into(), known: vec![known("x")], ..critic.clone() };
    let (critic, later) = (composed(&critic), composed(&later));
    assert_eq!(composed(&asks[0]).system, critic.system);
    assert_eq!((&critic.system, &critic.shared), (&later.system, &later.shared));
    assert_ne!(critic.own, later.own);
}

#[test]
fn the_same_question_gives_the_same_bytes_and_every_part_counts_for_the_hash() {
    let prompt = Case::example("refine-prd", "prd-vi.md").prompt("critic/1");
    assert_eq!(prompt, Case::example("refine-prd", "prd-vi.md").prompt("critic/1"));
    let of =
        |system: &str, shared: &str, own: &str| hash(&Prompt { system: system.into(), shared: shared.into(), own: own.into() });
    let hashes: BTreeSet<String> = [of("ab", "c", "d"), of("a", "bc", "d"), of("a", "b", "cd"), of("", "abcd", "")].into();
    assert_eq!(hashes.len(), 4);
    assert!(hashes.iter().all(|hash| hash.len() == 16));
}

#[test]
fn a_composer_gives_the_same_bytes_whatever_it_composed_before() {
    let composer = Composer::new(Arc::new(Prompts::embedded()));
    for (recipe, example) in [("refine-prd", "prd-en.md"), ("review-context", "prd-vi.md")] {
        let mut asks = Case::example(recipe, example).asks();
        let critic = asks.iter().find(|ask| ask.role == Role::Critic).expect("a critic").clone();
        // Each of these differs from the one before it in one thing that the shared part depends on.
        let window = Ask { lines: vec![LineSpan::new(1, 9)], ..critic };
        let reviewer = Ask { role: Role::Reviewer, ..window.clone() };
        let scoped = Ask { scopes: vec!["UC-01".into()], ..reviewer.clone() };
        let cited = Ask { cited: vec![scoped.subject.document.outline().sections[1].place], ..scoped.clone() };
        asks.extend([window, reviewer, scoped, cited]);
        for ask in asks.iter().chain(asks.iter().rev()) {
            let prompt = composed(ask);
            assert!(composer.compose(ask) == prompt, "{}", ask.key);
            let parts = [&prompt.system, &prompt.shared, &prompt.own];
            assert_eq!(composer.tokens(ask), parts.iter().map(|part| tokens(part)).sum::<u64>(), "{}", ask.key);
        }
    }
}

#[test]
fn nothing_is_left_to_be_filled_in() {
    let mut all = Vec::new();
    for recipe in ["refine-prd", "review-context"] {
        let mut case = Case::example(recipe, "prd-en.md");
        case.subject.others = vec![("other.md".into(), Document::parse("# Other\n".into()))];
        all.extend(case.asks());
    }
    all.push(arbiter(Case::example("refine-prd", "prd-en.md")));
    let names: BTreeSet<&str> = tamis::config::prompts::Text::ALL.iter().flat_map(|text| text.places()).copied().collect();
    for ask in &all {
        let prompt = text(&composed(ask));
        for name in &names {
            assert!(!prompt.contains(&format!("{{{name}}}")), "{} still holds {{{name}}}", ask.key);
        }
        assert!(!prompt.contains("\n\n\n"), "{} has a gap", ask.key);
    }
}

#[test]
fn rows_carry_the_line_numbers_of_the_document() {
    let crlf = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/prd-vi.md")).expect("an example");
    let crlf = Case::new("refine-prd", &crlf.replace('\n', "\r\n"));
    for case in [
        Case::example("refine-prd", "prd-en.md"),
        Case::example("refine-prd", "prd-vi.md"),
        Case::example("review-context", "prd-zh.md"),
        crlf,
    ] {
        for ask in case.asks() {
            let document = Arc::clone(&ask.subject.document);
            let prompt = composed(&ask);
            let body = prompt.shared.split_once("<<< DOCUMENT").expect("a document").1;
            let numbered: Vec<(u32, &str)> = body
                .lines()
                .filter_map(|row| row.split_once("| "))
                .filter_map(|(n, words)| Some((n.parse().ok()?, words)))
                .collect();
            assert!(!numbered.is_empty());
            for (number, words) in &numbered {
                assert_eq!(document.line_text(*number), *words, "{}", ask.key);
            }
            let rows: BTreeSet<u32> = numbered.iter().map(|(number, _)| *number).collect();
            let all = LineSpan::new(1, document.outline().line_count());
            let lines = if ask.lines.is_empty() { vec![all] } else { ask.lines.clone() };
            let asked = lines.iter().flat_map(|span| span.first..=span.last);
            let cited = ask.cited.iter().flat_map(|place| place.lines.first..=place.lines.last);
            assert_eq!(rows, asked.chain(cited).collect(), "{}", ask.key);
        }
    }
}

#[test]
fn what_is_cited_stands_apart_and_is_marked() {
    let prompt = Case::example("refine-prd", "prd-en.md").prompt("review/DEV/UC-05");
    let (document, cited) = prompt.shared.split_once("# Reference only").expect("cited rules");
    let rule = "| - BR-06: A refund must go back";
    assert!(!document.contains(rule) && cited.contains(rule));
    assert!(cited.contains("<<< REFERENCE ONLY "));
    let whole = Case::example("review-context", "prd-en.md").prompt("critic/1");
    assert!(!whole.shared.contains("# Reference only"), "whoever has the whole document has everything");
}

#[test]
fn agent_mode_shows_the_lines_given_and_nothing_else() {
    let ask = Case::example("refine-prd", "prd-en.md").ask("review/DEV/UC-05");
    let section = Ask { key: "review/DEV/section".into(), role: Role::Section, scopes: Vec::new(), cited: Vec::new(), ..ask };
    let prompt = composed(&section);
    assert!(
        prompt.shared.contains("Your scope is a part of the document: the lines given. Shown are lines 147-165, of 180 lines")
    );
    assert!(!prompt.shared.contains("# Reference only"));
    assert!(prompt.own.contains("You review through one dimension only"));
}

#[test]
fn only_given_lists_of_the_context_are_named() {
    let mut case = Case::new("refine-prd", "# T\n\n## UC-01: A\n- AC-01: b\n");
    assert!(case_context(&case).contains("\n{}\n"));
    case.subject.context.domains = vec!["lockers".into()];
    let some = case_context(&case);
    assert!(some.contains("\n{\n\"domains\": [\"lockers\"]\n}\n"), "{some}");
    assert!(!some.contains("\"banned_terms\""));
    let full = Case::example("refine-prd", "prd-en.md").prompt("critic/1").shared;
    for row in [
        "\"banned_terms\": [{\"term\":\"PIN\",\"instead\":\"pick-up code\"},",
        "\"canonical_entities\": [\"parcel\",",
        "\"layer_order\": [\"locker screen\",",
        "\"domains\": [\"parcel delivery\",",
    ] {
        assert!(full.contains(row), "{row}");
    }
}

fn case_context(case: &Case) -> String {
    let subject =
        Subject { context: case.subject.context.clone(), ..Case::new("refine-prd", "# T\n\n## UC-01: A\n- AC-01: b\n").subject };
    Case { subject, options: PlanOptions::default() }.prompt("critic/1").shared
}

#[test]
fn criteria_and_other_documents_go_to_the_dimension_that_asks_for_them() {
    let mut case = Case::example("review-context", "prd-en.md");
    case.subject.criteria = vec!["Every limit states its unit.".into()];
    case.subject.others = vec![("docs/fees.md".into(), Document::parse("# Fees\n\nThe fee is 2 EUR.\n".into()))];
    for ask in case.asks() {
        let (id, own) = (ask.dimension.as_ref().map(|dimension| dimension.id.as_str()), composed(&ask).own);
        assert_eq!(own.contains("\"Every limit states its unit.\""), id == Some("P5"), "{}", ask.key);
        assert_eq!(own.contains("\"docs/fees.md\"\n<<< OTHER DOCUMENT "), id == Some("P3"), "{}", ask.key);
        assert_eq!(own.contains("3| The fee is 2 EUR."), id == Some("P3"), "{}", ask.key);
    }
    let alone = Case::example("review-context", "prd-en.md").prompt("before/P3").own;
    assert!(alone.contains("No other document was handed in"));
}

#[test]
fn whole_prompts_read_well() {
    let reviewer = Case::example("refine-prd", "prd-en.md").prompt("review/DEV/UC-05");
    insta::assert_snapshot!("reviewer_en", text(&reviewer));
    let mut critic = Case::example("refine-prd", "prd-en.md").ask("critic/1");
    critic.known = vec![known("AC-07 leaves the time open."), known("The fee of a refused parcel is not said.")];
    insta::assert_snapshot!("critic_en", text(&composed(&critic)));
    insta::assert_snapshot!("arbiter_en", text(&composed(&arbiter(Case::example("refine-prd", "prd-en.md")))));
    let vietnamese = Case::example("review-context", "prd-vi.md").prompt("before/P0");
    insta::assert_snapshot!("before_vi", text(&vietnamese));
}
