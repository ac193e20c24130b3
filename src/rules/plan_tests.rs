use super::*;
use crate::model::finding::Status;
use crate::model::outline::{Line, Place, Section, SectionKind, Span, Unit};
use crate::model::recipe::Dimension;

fn recipe(dimensions: usize) -> Recipe {
    let dimension = |n: usize| Dimension {
        id: format!("D{n}"),
        name: String::new(),
        description: String::new(),
        before: false,
        default: true,
    };
    Recipe {
        schema: "tamis.recipe/1".into(),
        name: "test".into(),
        purpose: String::new(),
        language: "document".into(),
        granularity: Granularity::Auto,
        dimension_field: "lens".into(),
        conflict_status: Status::NeedsDiscussion,
        minor_recommendation: String::new(),
        root: Vec::new(),
        finding_fields: Vec::new(),
        dimensions: (1..=dimensions).map(dimension).collect(),
        criteria: Vec::new(),
    }
}

fn place(first: u32, last: u32) -> Place {
    Place { span: Span::default(), lines: LineSpan::new(first, last) }
}

/// A document of `lines` lines with `units` units of `each` lines from line 2 on.
fn outline(lines: u32, units: u32, each: u32, kind: UnitKind) -> Outline {
    let unit = |n: u32| Unit {
        id: format!("UC-{:02}", n + 1),
        title: String::new(),
        kind,
        place: place(2 + n * each, 1 + (n + 1) * each),
        section: None,
        parent: None,
    };
    Outline { lines: vec![Line::default(); lines as usize], units: (0..units).map(unit).collect(), ..Outline::default() }
}

fn sizes(plan: &Plan) -> Vec<usize> {
    plan.buckets.iter().map(Vec::len).collect()
}

#[test]
fn the_table_of_the_contract() {
    let auto = Granularity::Auto;
    let per_uc = Granularity::PerUc;
    type Row = (usize, Granularity, u32, u32, Option<usize>, Vec<usize>, usize, u32);
    #[rustfmt::skip]
    let rows: [Row; 16] = [
        // dimensions, granularity, units, lines, changed, buckets, agents, waves
        (6, auto, 8, 400, None, vec![5, 4], 12, 1),
        (3, auto, 8, 400, None, vec![3, 3, 2, 1], 12, 1),
        (3, auto, 3, 300, None, vec![1], 3, 1),
        (3, auto, 3, 301, None, vec![1, 1, 1, 1], 12, 1),
        (3, auto, 4, 60, None, vec![2, 1, 1, 1], 12, 1),
        (3, per_uc, 3, 60, None, vec![1, 1, 1, 1], 12, 1),
        (4, auto, 5, 60, None, vec![2, 2, 2], 12, 1),
        (5, auto, 20, 60, None, vec![11, 10], 10, 1),
        (2, auto, 11, 60, None, vec![2, 2, 2, 2, 2, 2], 12, 1),
        (1, auto, 30, 60, None, vec![3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 1], 12, 1),
        (12, per_uc, 3, 60, None, vec![4], 12, 1),
        (13, per_uc, 3, 60, None, vec![4], 13, 2),
        (13, auto, 3, 60, None, vec![1], 13, 2),
        (6, auto, 8, 60, Some(2), vec![2, 1], 12, 1),
        (3, auto, 8, 60, Some(2), vec![1, 1, 1], 9, 1),
        (3, auto, 0, 301, None, vec![1], 3, 1),
    ];
    for (dimensions, granularity, units, lines, changed, buckets, agents, waves) in rows {
        let options = PlanOptions {
            granularity: Some(granularity),
            changed: changed.map(|n| Changed { units: (0..n).collect(), ..Changed::default() }),
            ..PlanOptions::default()
        };
        let outline = outline(lines, units, 1, UnitKind::UseCase);
        let plan = plan(&outline, &recipe(dimensions), &options).expect("a plan");
        let row = format!("{dimensions} dimensions, {granularity:?}, {units} units, {lines} lines, {changed:?} changed");
        assert_eq!(sizes(&plan), buckets, "{row}");
        assert_eq!((plan.cells.len(), plan.waves), (agents, waves), "{row}");
        let last = *plan.buckets.last().expect("a bucket").last().expect("a scope");
        let global = if sizes(&plan) == [1] && units > 0 { WHOLE_FILE } else { PRD_GLOBAL };
        assert_eq!(plan.scopes[last].name, global, "{row}");
    }
}

#[test]
fn an_empty_changed_scope_means_prd_global_alone() {
    let options = PlanOptions { changed: Some(Changed::default()), ..PlanOptions::default() };
    let plan = plan(&outline(60, 2, 5, UnitKind::UseCase), &recipe(3), &options).expect("a plan");
    assert_eq!(plan.scopes.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), [PRD_GLOBAL]);
    assert_eq!(plan.cells.len(), 3);
    assert_eq!(plan.units, ["UC-01", "UC-02"]);
}

#[test]
fn sections_that_stand_in_do_not_count_for_the_threshold() {
    let small = plan(&outline(300, 9, 5, UnitKind::SectionStandIn), &recipe(3), &PlanOptions::default()).expect("a plan");
    assert_eq!(small.scopes[0].name, WHOLE_FILE);
    let large = plan(&outline(301, 9, 20, UnitKind::SectionStandIn), &recipe(3), &PlanOptions::default()).expect("a plan");
    assert_eq!(large.scopes.len(), 10);
    assert!(large.scopes.iter().all(|scope| scope.uc_id.is_empty()));
}

#[test]
fn prd_global_holds_every_line_that_lies_in_no_unit() {
    let plan = plan(&outline(20, 4, 3, UnitKind::UseCase), &recipe(1), &PlanOptions::default()).expect("a plan");
    let global = plan.scopes.last().expect("a scope");
    assert_eq!(global.lines, [LineSpan::new(1, 1), LineSpan::new(14, 20)]);
    assert_eq!(plan.scopes[1].lines, [LineSpan::new(5, 7)]);
}

fn with_sections(mut outline: Outline, starts: &[u32]) -> Outline {
    let total = outline.line_count();
    for (index, &first) in starts.iter().enumerate() {
        let last = starts.get(index + 1).map_or(total, |next| next - 1);
        outline.sections.push(Section {
            title: format!("Section {}", index + 1),
            level: 2,
            parent: None,
            path: vec![format!("Section {}", index + 1)],
            kind: SectionKind::Other,
            heading: place(first, first),
            place: place(first, last),
            is_title: false,
        });
    }
    outline
}

#[test]
fn a_long_prd_global_is_cut_only_where_units_cover_under_half() {
    let options = PlanOptions::default();
    // 900 lines, four units in lines 2 to 81, sections from 5, 400 and 700 on.
    let mostly_global = with_sections(outline(900, 4, 20, UnitKind::UseCase), &[5, 400, 700]);
    let cut = plan(&mostly_global, &recipe(2), &options).expect("a plan");
    let names: Vec<&str> = cut.scopes.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names[4..], ["PRD-global/Section 1", "PRD-global/Section 2", "PRD-global/Section 3"]);
    assert_eq!(cut.scopes[4].lines, [LineSpan::new(1, 1), LineSpan::new(82, 399)], "text above goes with the first");
    assert_eq!(sizes(&cut), [2, 1, 1, 1, 1, 1], "no bucket of its own");
    let covered: u32 = cut.scopes.iter().flat_map(|s| &s.lines).map(|span| span.len()).sum();
    assert_eq!(covered, 900, "every line is in exactly one scope");

    let half = with_sections(outline(900, 4, 113, UnitKind::UseCase), &[5, 500]);
    let whole = plan(&half, &recipe(2), &options).expect("a plan");
    assert_eq!(whole.scopes.last().expect("a scope").name, PRD_GLOBAL, "units cover half");
    let short = with_sections(outline(320, 4, 5, UnitKind::UseCase), &[1, 100]);
    let whole = plan(&short, &recipe(2), &options).expect("a plan");
    assert_eq!(whole.scopes.last().expect("a scope").name, PRD_GLOBAL, "PRD-global has exactly 300 lines");
    let none = outline(900, 0, 0, UnitKind::UseCase);
    assert_eq!(plan(&none, &recipe(2), &options).expect("a plan").scopes.len(), 1, "no section to cut at");
}

#[test]
fn units_with_one_id_stay_two_scopes() {
    let mut twice = outline(400, 2, 5, UnitKind::UseCase);
    twice.units[1].id = "UC-01".into();
    let plan = plan(&twice, &recipe(1), &PlanOptions::default()).expect("a plan");
    let names: Vec<&str> = plan.scopes.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["UC-01", "UC-01 (2)", PRD_GLOBAL]);
    assert_eq!(plan.scopes[1].uc_id, "UC-01");
}

#[test]
fn replicas_count_as_agents_and_add_waves() {
    let options = PlanOptions { replicas: 2, ..PlanOptions::default() };
    let plan = plan(&outline(60, 8, 1, UnitKind::UseCase), &recipe(3), &options).expect("a plan");
    assert_eq!((plan.cells.len(), plan.waves), (24, 2));
    assert!(plan.cells[..12].iter().all(|cell| cell.wave == 1 && cell.replica == 1));
    assert!(plan.cells[12..].iter().all(|cell| cell.wave == 2 && cell.replica == 2));
}

#[test]
fn what_cannot_be_planned_says_what_there_is() {
    let outline = outline(60, 2, 5, UnitKind::UseCase);
    let error = |options| plan(&outline, &recipe(2), &options).expect_err("no plan").to_string();
    assert!(error(PlanOptions { cap: 0, ..PlanOptions::default() }).contains("at least one agent"));
    assert!(error(PlanOptions { replicas: 0, ..PlanOptions::default() }).contains("at least one agent"));
    let unknown = PlanOptions { dimensions: Some(vec!["D9".into()]), ..PlanOptions::default() };
    assert_eq!(error(unknown), "recipe test has no dimension \"D9\"; it has D1, D2");
}

#[test]
fn dimensions_run_in_recipe_order_and_those_marked_before_run_ahead() {
    let mut recipe = recipe(4);
    recipe.dimensions[1].before = true;
    recipe.dimensions[3].default = false;
    let outline = outline(60, 2, 5, UnitKind::UseCase);
    let all = plan(&outline, &recipe, &PlanOptions::default()).expect("a plan");
    assert_eq!(
        (all.before.as_slice(), all.dimensions.as_slice()),
        (["D2".into()].as_slice(), ["D1".into(), "D3".into()].as_slice())
    );
    let chosen = PlanOptions { dimensions: Some(vec!["d4".into(), "D1".into(), "D1".into()]), ..PlanOptions::default() };
    assert_eq!(plan(&outline, &recipe, &chosen).expect("a plan").dimensions, ["D1", "D4"]);
    let only_before = PlanOptions { dimensions: Some(vec!["D2".into()]), ..PlanOptions::default() };
    assert!(matches!(plan(&outline, &recipe, &only_before), Err(PlanError::NoDimension { .. })));
}
