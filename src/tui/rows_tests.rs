//! The order of rows, and how it is held.

use super::*;
use crate::model::lang::Lang;

fn step(state: StepState, started_at: &str) -> StepView {
    StepView { state, attempts: 1, started_at: started_at.to_owned(), ..StepView::default() }
}

fn failed(waits: bool) -> StepState {
    StepState::Failed { class: None, reason: "no answer".to_owned(), waits }
}

fn done() -> StepState {
    StepState::Done { findings: 1, covered: true }
}

fn view(steps: &[(&str, StepState, &str)]) -> RunView {
    let steps = steps.iter().map(|(key, state, at)| ((*key).to_owned(), step(state.clone(), at))).collect();
    RunView { steps, ..RunView::default() }
}

#[test]
fn rows_stand_in_the_order_in_which_people_need_them() {
    let hole = StepState::Hole { reason: "no answer".to_owned() };
    let bare = StepState::Done { findings: 0, covered: false };
    let run = view(&[
        ("review/A/done", done(), "2026-01-01T00:00:00Z"),
        ("review/A/hole", hole, "2026-01-01T00:00:00Z"),
        ("review/A/late", StepState::Running, "2026-01-01T00:00:09Z"),
        ("review/A/long", StepState::Running, "2026-01-01T00:00:01Z"),
        ("review/A/needs", failed(true), "2026-01-01T00:00:00Z"),
        ("review/A/none", bare, "2026-01-01T00:00:00Z"),
        ("review/A/retry", failed(false), "2026-01-01T00:00:00Z"),
        ("review/A/wait", StepState::Waiting, ""),
        ("write/findings", StepState::Running, ""),
    ]);
    let names = |rows: Vec<String>| rows.into_iter().map(|key| key.replace("review/A/", "")).collect::<Vec<_>>();
    let open = ["needs", "retry", "long", "late", "wait", "hole", "none", FOLD];
    assert_eq!(names(listed(&run, false, None)), open);
    assert_eq!(names(listed(&run, true, None)), [&open[..], &["done"]].concat());
}

#[test]
fn a_held_list_keeps_its_rows_and_new_ones_join_at_the_end() {
    let before = view(&[("review/A/1", StepState::Running, "1"), ("review/A/2", StepState::Running, "2")]);
    let held = listed(&before, false, None);
    let after = view(&[
        ("review/A/1", done(), "1"),
        ("review/A/2", failed(true), "2"),
        ("critic/1", StepState::Running, "3"),
        ("before/P0", done(), "0"),
    ]);
    assert_eq!(listed(&after, false, Some(&held)), ["review/A/1", "review/A/2", "critic/1", FOLD]);
    assert_eq!(listed(&after, false, None), ["review/A/2", "critic/1", FOLD]);
    // A moment before a row came to be does not show it.
    assert_eq!(listed(&view(&[("review/A/2", done(), "2")]), false, Some(&held)), ["review/A/2"]);
}

#[test]
fn the_list_moves_no_more_than_the_cursor_needs() {
    assert_eq!(top(0, None, 5, 20), 0);
    assert_eq!(top(3, Some(5), 5, 20), 3);
    assert_eq!(top(3, Some(8), 5, 20), 4);
    assert_eq!(top(3, Some(1), 5, 20), 1);
    assert_eq!(top(18, Some(19), 5, 20), 15);
    assert_eq!(top(9, Some(1), 0, 2), 2);
}

#[test]
fn agents_have_names_that_people_read() {
    let words = Catalogue::new(Lang::En);
    let name = |key| name(&words, key);
    assert_eq!(name("review/DEV/UC-01..UC-02@5f2c91"), "DEV UC-01..UC-02");
    assert_eq!(name("review/DEV/UC-01@5f2c91/r2"), "DEV UC-01 r2");
    assert_eq!(name("before/P0"), "P0");
    assert_eq!(name("critic/2"), "critic 2");
    assert_eq!(name("arbiter/5f2c91ab/ba"), "arbiter 5f2c 2/2");
    assert_eq!(name("late/review/SA/UC-05@5f2c91"), "SA UC-05 late");
    assert_eq!(name("something/new"), "something/new");
}

#[test]
fn counts_stay_short() {
    let all = [0, 999, 1_000, 1_849, 9_999, 12_300, 999_999, 3_400_000, 25_000_000].map(short);
    assert_eq!(all, ["0", "999", "1.0k", "1.8k", "9.9k", "12k", "999k", "3.4M", "25M"]);
}
