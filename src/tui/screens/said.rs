//! Who said something, and what a person made of it, in words.

use super::painter::{Span, Spans, span, wrapped};
use super::parts::Row;
use crate::model::finding::{FLOOR, Finding, Question, Resolution, Severity, Status};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;
use std::borrow::Cow;

/// A severity as mark and word.
pub fn severity(model: &Model, severity: Severity) -> Span {
    let glyphs = model.look.glyphs;
    let (mark, role) = match severity {
        Severity::Critical => (glyphs.critical, Role::Critical),
        Severity::Major => (glyphs.major, Role::Major),
        Severity::Minor => (glyphs.minor, Role::Minor),
    };
    span(format!("{mark} {}", severity.word()), role)
}

/// Finders for people: `lens DEV, critic round 2, a person`.
pub fn finders(model: &Model, found_by: &[String]) -> String {
    let name = |finder: &String| match finder.strip_prefix("critic/") {
        Some(round) => model.say("said-critic", &[("round", round.into())]),
        None if finder == "human" => model.word("said-person"),
        None if finder == FLOOR => model.word("said-floor"),
        None => model.say("said-lens", &[("name", finder.as_str().into())]),
    };
    found_by.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// A record's time to the minute: `2026-01-02 03:04 UTC`; as it is where it is no such time.
pub fn when(at: &str) -> String {
    match (at.get(..10), at.get(10..11), at.get(11..16), at.ends_with('Z')) {
        (Some(day), Some("T"), Some(time), true) => format!("{day} {time} UTC"),
        _ => at.to_owned(),
    }
}

/// Who and when, as far as it is known.
pub fn by(model: &Model, by: &str, at: &str) -> String {
    [by.to_owned(), when(at)].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(model.look.glyphs.separator)
}

/// How a conflict was decided, as mark and words; `None` while it is open.
pub fn decision(model: &Model, finding: &Finding) -> Option<Span> {
    let glyphs = model.look.glyphs;
    let resolution = finding.resolution.as_ref()?;
    let (mark, words, role) = match resolution {
        Resolution { deferred: true, .. } => (glyphs.right, model.word("decided-deferred"), Role::Deferred),
        Resolution { choice: Some(label), .. } => {
            (glyphs.done, model.say("decided-choice", &[("label", label.as_str().into())]), Role::Chosen)
        }
        Resolution { text: Some(_), .. } => (glyphs.done, model.word("decided-own"), Role::Chosen),
        _ if finding.status == Status::Rejected => (glyphs.failed, model.word("decided-rejected"), Role::Chosen),
        _ => (glyphs.done, model.word("decided-accepted"), Role::Chosen),
    };
    Some(span(format!("{mark} {words}"), role))
}

/// A question's words without the mark that makes it a policy question (`needs-law-decision:`): that is said beside it.
pub fn asked(question: &Question) -> &str {
    let words = question.question.trim();
    let marked = question.policy.is_some().then(|| words.strip_prefix("needs-")).flatten();
    let rest = marked.and_then(|rest| rest.split_once(':')).filter(|(topic, _)| topic.ends_with("-decision"));
    rest.map(|(_, rest)| rest.trim_start()).filter(|rest| !rest.is_empty()).unwrap_or(words)
}

/// Bytes of a text that are shown at once.
const LONGEST: usize = 16 * 1024;

/// A text as it is; the beginning of a very long one, with what is left out counted.
pub fn bounded<'a>(model: &Model, text: &'a str) -> Cow<'a, str> {
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let shown = beginning(text);
    let more = model.say("text-more", &[("count", text[shown.len()..].chars().count().into())]);
    Cow::Owned(format!("{shown}{} {more}", model.look.glyphs.ellipsis))
}

/// As much of a text as is shown at once.
pub fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Words after what they are: `Reason: …`, wrapped.
pub fn labelled(label: &str, words: &str, width: usize, role: Role) -> Vec<Row> {
    // A full-width colon brings its own blank.
    let label = if label.ends_with('：') { label.to_owned() } else { format!("{label} ") };
    let lead = wrap::width(&label);
    if lead + 16 > width {
        let mut rows: Vec<Row> = wrapped(&label, width, Role::Title).into_iter().map(Row::from).collect();
        rows.extend(wrapped(words, width, role).into_iter().map(Row::from));
        return rows;
    }
    let indented = |(index, spans): (usize, Spans)| {
        let first = if index == 0 { span(label.clone(), Role::Title) } else { span(" ".repeat(lead), Role::Text) };
        Row::from([first].into_iter().chain(spans).collect::<Spans>())
    };
    wrapped(words, width - lead, role).into_iter().enumerate().map(indented).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_a_policy_question_is_not_part_of_its_words() {
        let asked_of = |words: &str, policy: Option<&str>| {
            let question = Question { question: words.to_owned(), policy: policy.map(str::to_owned), ..Question::default() };
            asked(&question).to_owned()
        };
        assert_eq!(asked_of("needs-law-decision: May we?", Some("law")), "May we?");
        assert_eq!(asked_of("needs-law-decision: May we?", None), "needs-law-decision: May we?");
        assert_eq!(asked_of("needs-law-decision:", Some("law")), "needs-law-decision:");
        assert_eq!(asked_of("May we: yes or no?", Some("law")), "May we: yes or no?");
    }

    #[test]
    fn times_are_read_to_the_minute_and_foreign_ones_left_alone() {
        assert_eq!(when("2026-01-02T03:04:05.000Z"), "2026-01-02 03:04 UTC");
        assert_eq!(when("2026-01-02T03:04:05+07:00"), "2026-01-02T03:04:05+07:00");
        assert_eq!(when("gestern"), "gestern");
        assert_eq!(when("ééééééééééZ"), "ééééééééééZ");
        assert_eq!(when(""), "");
    }
}
