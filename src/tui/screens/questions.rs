//! Questions: what the document cannot answer, one at a time.

use super::Drawn;
use super::painter::{Painter, Spans, span, wrapped};
use super::parts::{self, Row};
use super::{decide, quoted, said};
use crate::model::finding::{Finding, Question};
use crate::model::gate::Op;
use crate::rules::ledger;
use crate::tui::entry::Purpose;
use crate::tui::model::{Model, SETTLE};
use crate::tui::theme::Role;
use ratatui::layout::Rect;

/// Paints the screen.
pub fn draw(model: &Model, area: Rect, painter: &mut Painter<'_>) -> Drawn {
    let Some((finding, question)) = model.current_question() else {
        let id = if model.view().proposal.is_some() { "questions-nothing" } else { "questions-nothing-yet" };
        painter.lines(area, &wrapped(&model.word(id), usize::from(area.width).max(1), Role::Hint));
        return Drawn::default();
    };
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let gap = |rows: &mut Vec<Row>| {
        if area.height >= decide::AIRY {
            rows.push(Row::default());
        }
    };
    let words = wrapped(&said::bounded(model, said::asked(question)), width, Role::Title);
    let mut rows: Vec<Row> = words.into_iter().map(Row::from).collect();
    rows.extend(outcome(model, question, width));
    rows.extend(drafts(model, question, width));
    gap(&mut rows);
    let label = model.say("question-finding", &[("id", finding.id.as_str().into())]);
    rows.extend(said::labelled(&label, &said::bounded(model, &finding.finding), width, Role::Text));
    gap(&mut rows);
    let around = if area.height >= decide::AIRY { 2 } else { 1 };
    rows.extend(quoted::lines(model, finding.line, &finding.quote, around, width).into_iter().map(Row::from));
    if !finding.suggestion.is_empty() {
        gap(&mut rows);
        rows.extend(said::labelled(
            &model.word("question-suggestion"),
            &said::bounded(model, &finding.suggestion),
            width,
            Role::Text,
        ));
    }
    gap(&mut rows);
    rows.extend(decide::edge_cases(model, finding, "question-remember", width));
    rows.extend(decide::relatives(model, finding, width));
    parts::draw(painter, area, &head(model, finding, question, area), &rows, model.question_scroll)
}

/// `2/7 · 4 open · ? policy question: security (only a person answers) · F009 · UC-03`, and how it stands.
fn head(model: &Model, finding: &Finding, question: &Question, area: Rect) -> Vec<Spans> {
    let glyphs = model.look.glyphs;
    let policy = model.decided.open.policy.len();
    let open = policy + model.decided.open.questions.len();
    let left = match (open, policy) {
        (0, _) => model.word("decide-none-open"),
        (_, 0) => model.say("decide-open", &[("open", open.into())]),
        _ => model.say("question-open-count", &[("open", open.into()), ("policy", policy.into())]),
    };
    let kind = match &question.policy {
        Some(topic) => {
            let words = model.say("question-policy", &[("topic", topic.as_str().into())]);
            span(format!("{} {words}", glyphs.marked), Role::Policy)
        }
        None => span(model.word("question-ordinary"), Role::Text),
    };
    let place = if finding.uc_id.is_empty() { Vec::new() } else { vec![span(finding.uc_id.clone(), Role::Text)] };
    let parts = vec![
        vec![span(format!("{}/{}", model.question + 1, model.decided.questions.len()), Role::Title)],
        vec![span(left, if open > 0 { Role::NeedsYou } else { Role::Done })],
        vec![kind],
        vec![span(finding.id.clone(), Role::Title)],
        place,
    ];
    let mut rows = parts::joined(parts, glyphs.separator, usize::from(area.width));
    if area.height < 8 {
        rows.truncate(2);
    }
    rows.push(standing(model, question));
    rows
}

/// How the question stands: mark, word, and who made it so, or what that means for writing.
fn standing(model: &Model, question: &Question) -> Spans {
    let glyphs = model.look.glyphs;
    let at = question.at.clone().unwrap_or_default();
    let (state, more) = if question.answer.is_some() {
        let by = said::by(model, question.answered_by.as_deref().unwrap_or_default(), &at);
        (span(format!("{} {}", glyphs.done, model.word("question-answered")), Role::Done), by)
    } else if question.deferred.is_some() {
        let by = said::by(model, &deferred_by(model, question), &at);
        (span(format!("{} {}", glyphs.right, model.word("decided-deferred")), Role::Deferred), by)
    } else {
        let meaning = if question.blocks_writing() { "question-blocks" } else { "question-may-stay" };
        (span(format!("{} {}", glyphs.needs_you, model.word("question-open")), Role::NeedsYou), model.word(meaning))
    };
    let mut spans = vec![state];
    if !more.is_empty() {
        spans.extend([span(glyphs.separator, Role::Dim), span(more, Role::Dim)]);
    }
    spans
}

/// Who put it off: the last record that stands and did so; nobody's name where it came from an earlier file.
fn deferred_by(model: &Model, question: &Question) -> String {
    let records = ledger::effective(model.records(SETTLE));
    let its = |op: &Op| matches!(op, Op::DeferQuestion { question: key, .. } if *key == question.key);
    records.into_iter().rev().find(|record| its(&record.op)).map(|record| record.by).unwrap_or_default()
}

/// The answer or the words that put it off, and who is to answer.
fn outcome(model: &Model, question: &Question, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(answer) = &question.answer {
        rows.extend(said::labelled(&model.word("question-answer"), &said::bounded(model, answer), width, Role::Added));
    }
    if let Some(deferred) = &question.deferred {
        rows.extend(said::labelled(&model.word("decided-why-deferred"), &said::bounded(model, deferred), width, Role::Text));
    }
    match &question.owner {
        Some(owner) => {
            rows.extend(said::labelled(&model.word("question-owner"), &said::bounded(model, owner), width, Role::Text))
        }
        None if question.is_open() => {
            rows.extend(wrapped(&model.word("question-no-owner"), width, Role::Dim).into_iter().map(Row::from));
        }
        None => {}
    }
    rows
}

fn drafts(model: &Model, question: &Question, width: usize) -> Vec<Row> {
    let key = &question.key;
    let all =
        [(Purpose::Answer(key.clone()), "a"), (Purpose::Owner(key.clone()), "o"), (Purpose::DeferQuestion(key.clone()), "d")];
    all.iter().flat_map(|(purpose, key)| decide::draft(model, purpose, key, width)).collect()
}
