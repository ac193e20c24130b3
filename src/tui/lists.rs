//! What commands do on Findings and Report: cursors, marks, folds, jumps, and what is copied.

use super::acts::{current_errand, moved, round_finding};
use super::filter::Row;
use super::model::{Model, Screen};
use super::screens::report::{self, Open};
use crate::model::finding::Finding;
use crate::model::ids::FindingKey;

/// The cursor of Findings by so many rows; the detail begins at its top again.
pub fn to_finding(model: &mut Model, by: isize) {
    model.findings.cursor = moved(model.findings.cursor, by, model.finding_rows());
    model.findings.scroll = 0;
}

/// Down: through what is open, then through the lines; up: the same way back.
pub fn step_report(model: &mut Model, by: isize) {
    let open = report::open_items(model).len();
    let last = open.saturating_sub(1);
    let at = model.report_cursor.min(last);
    if by.abs() > 1 || open == 0 {
        model.report_scroll = model.report_scroll.saturating_add_signed(by);
    } else if by < 0 && model.report_scroll > 0 {
        model.report_scroll -= 1;
    } else if by > 0 && at == last {
        model.report_scroll += 1;
    } else {
        model.report_cursor = moved(at, by, open);
    }
}

/// Folds or unfolds what is not in the file.
pub fn unfold_out(model: &mut Model) {
    model.findings.unfolded = !model.findings.unfolded;
    let last = model.finding_rows().saturating_sub(1);
    model.findings.cursor = model.findings.cursor.min(last);
}

/// To what is open under the cursor of Report.
pub fn jump(model: &mut Model) {
    let items = report::open_items(model);
    match items.get(model.report_cursor.min(items.len().saturating_sub(1))) {
        Some(&Open::Conflict(place)) => {
            model.screen = Screen::Decide;
            (model.conflict, model.conflict_scroll) = (place, 0);
        }
        Some(&Open::Question(place)) => {
            model.screen = Screen::Questions;
            (model.question, model.question_scroll) = (place, 0);
        }
        None => {}
    }
}

/// Marks what stands under the cursor, or takes the mark away, and goes on.
pub fn mark(model: &mut Model) {
    if let Some(key) = model.current_finding().map(|finding| finding.key.clone()) {
        if !model.findings.marked.remove(&key) {
            model.findings.marked.insert(key);
        }
        to_finding(model, 1);
    }
}

/// Marks all that are shown; where all of them are, takes the marks away.
pub fn mark_all(model: &mut Model) {
    let shown: Vec<FindingKey> = model.findings.shown.iter().map(|&index| model.decided.findings[index].key.clone()).collect();
    let all = !shown.is_empty() && shown.iter().all(|key| model.findings.marked.contains(key));
    for key in shown {
        if all {
            model.findings.marked.remove(&key)
        } else {
            model.findings.marked.insert(key)
        };
    }
}

/// Whether Findings shows less than all.
pub fn is_filtered(model: &Model) -> bool {
    let state = &model.findings;
    !state.filter.is_empty() || state.severity.is_some() || state.status.is_some()
}

/// Whether `y` has anything to copy.
pub fn can_copy(model: &Model) -> bool {
    match model.screen {
        Screen::Decide => model.current_conflict().is_some(),
        Screen::Findings => model.finding_row(model.findings.cursor).is_some_and(|row| row != Row::Fold),
        Screen::Questions => model.current_question().is_some(),
        Screen::Report => true,
        Screen::Run if current_errand(model).is_some() => true,
        Screen::Run => match &model.run.output {
            Some(pane) => model.pane_text(pane).is_some_and(|text| !text.is_blank()),
            None => round_finding(model).is_some(),
        },
    }
}

/// What `y` copies: the finding at hand in plain words; on Report what stands there besides the difference.
pub fn copied_text(model: &Model) -> Option<String> {
    let text_of = |finding: &Finding| {
        format!(
            "{} · {} · {}\n{}\n{}\n{}",
            finding.id,
            finding.severity.word(),
            finding.section,
            finding.quote,
            finding.finding,
            finding.suggestion
        )
    };
    match model.screen {
        Screen::Decide => model.current_conflict().map(text_of),
        Screen::Findings => match model.finding_row(model.findings.cursor)? {
            Row::Finding(index) => model.decided.findings.get(index).map(text_of),
            Row::Out(index) => model.out(index).map(|out| text_of(out.finding())),
            Row::Came(index) => model.view().feed.get(index).map(|found| format!("{}\n{}", found.finding, found.quote)),
            Row::Fold => None,
        },
        Screen::Questions => {
            model.current_question().map(|(finding, question)| format!("{}\n{}", question.question, text_of(finding)))
        }
        Screen::Report => Some(report::plain(model)),
        Screen::Run if current_errand(model).is_some() => current_errand(model).map(|errand| errand.text.clone()),
        Screen::Run => match &model.run.output {
            Some(pane) => {
                let output = model.pane_text(pane).filter(|output| !output.is_blank());
                output.map(|output| output.lines.iter().cloned().collect::<Vec<_>>().join("\n"))
            }
            None => round_finding(model).map(|found| found.finding.clone()),
        },
    }
}
