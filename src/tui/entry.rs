//! Text areas: what is being typed, for whom, and the record it becomes. What is typed is kept as a draft on the gate, so
//! that leaving the area, the program or the machine loses nothing.

use super::field::{Field, Lines};
use super::model::Model;
use crate::model::finding::{Finding, RawFinding, RawQuestion, Severity};
use crate::model::gate::Op;
use crate::model::ids::{FindingKey, QuestionKey};

/// What the words are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Merged or own words for a conflict, or other words for a suggestion.
    Words(FindingKey),
    /// Why these findings are put off.
    Defer(Vec<FindingKey>),
    /// Why these findings are rejected.
    Reject(Vec<FindingKey>),
    /// Why it was decided as it is.
    Reason(FindingKey),
    /// The answer to a question.
    Answer(QuestionKey),
    /// Who is to answer.
    Owner(QuestionKey),
    /// Why a question is put off.
    DeferQuestion(QuestionKey),
    /// A finding added by hand.
    Add,
    /// Words to show only; never a record.
    Filter,
    /// The answer that was brought back to the question of this step; never a record of a gate.
    Bring(String),
}

/// Why what was typed cannot be recorded: a message id.
pub type Problem = &'static str;

impl Purpose {
    /// The name under which a draft is kept; `None` where nothing is.
    pub fn subject(&self) -> Option<String> {
        let many = |keys: &[FindingKey]| keys.iter().map(FindingKey::as_str).collect::<Vec<_>>().join("+");
        Some(match self {
            Purpose::Words(key) => format!("words/{key}"),
            Purpose::Defer(keys) => format!("defer/{}", many(keys)),
            Purpose::Reject(keys) => format!("reject/{}", many(keys)),
            Purpose::Reason(key) => format!("reason/{key}"),
            Purpose::Answer(key) => format!("answer/{key}"),
            Purpose::Owner(key) => format!("owner/{key}"),
            Purpose::DeferQuestion(key) => format!("defer-question/{key}"),
            Purpose::Add => "add".to_owned(),
            Purpose::Filter | Purpose::Bring(_) => return None,
        })
    }

    /// The name of the draft that a record makes needless: that of the area it can only come from.
    pub fn subject_of(op: &Op) -> Option<String> {
        match op {
            Op::Write { finding, .. } => Purpose::Words(finding.clone()).subject(),
            Op::Answer { question, .. } => Purpose::Answer(question.clone()).subject(),
            Op::Assign { question, .. } => Purpose::Owner(question.clone()).subject(),
            Op::DeferQuestion { question, .. } => Purpose::DeferQuestion(question.clone()).subject(),
            _ => None,
        }
    }

    /// Message id of the area's title.
    pub fn say(&self) -> &'static str {
        match self {
            Purpose::Words(_) => "entry-words",
            Purpose::Defer(_) => "entry-defer",
            Purpose::Reject(_) => "entry-reject",
            Purpose::Reason(_) => "entry-reason",
            Purpose::Answer(_) => "entry-answer",
            Purpose::Owner(_) => "entry-owner",
            Purpose::DeferQuestion(_) => "entry-defer-question",
            Purpose::Add => "entry-add",
            Purpose::Filter => "entry-filter",
            Purpose::Bring(_) => "entry-bring",
        }
    }

    /// One line, or as many as needed.
    pub fn lines(&self) -> Lines {
        match self {
            Purpose::Owner(_) | Purpose::Filter => Lines::One,
            _ => Lines::Many,
        }
    }

    /// The record that the words become.
    ///
    /// # Errors
    /// The words do not do: the message id says what is missing.
    pub fn op(&self, text: &str, model: &Model) -> Result<Op, Problem> {
        let words = text.trim().to_owned();
        let needed = || if words.is_empty() { Err("problem-empty") } else { Ok(words.clone()) };
        Ok(match self {
            Purpose::Words(finding) => {
                let reason = model.finding(finding).map(reason_of).unwrap_or_default();
                Op::Write { finding: finding.clone(), text: needed()?, reason }
            }
            Purpose::Defer(findings) => {
                let reason = needed()?;
                bulk(findings, |finding| Op::Defer { finding, reason: reason.clone() })
            }
            Purpose::Reject(findings) => bulk(findings, |finding| Op::Reject { finding, reason: words.clone() }),
            Purpose::Reason(key) => {
                let finding = model.finding(key).ok_or("problem-gone")?;
                with_reason(finding, needed()?).ok_or("problem-undecided")?
            }
            Purpose::Answer(question) => Op::Answer { question: question.clone(), answer: needed()? },
            Purpose::Owner(question) => Op::Assign { question: question.clone(), owner: words },
            Purpose::DeferQuestion(question) => Op::DeferQuestion { question: question.clone(), reason: needed()? },
            Purpose::Add => Op::Add { finding: Box::new(read_finding(text)?) },
            Purpose::Filter | Purpose::Bring(_) => return Err("problem-gone"),
        })
    }
}

/// One record for one finding, a bulk record for several.
pub fn bulk(findings: &[FindingKey], op: impl Fn(FindingKey) -> Op) -> Op {
    match findings {
        [one] => op(one.clone()),
        many => Op::Bulk { ops: many.iter().cloned().map(op).collect() },
    }
}

fn reason_of(finding: &Finding) -> String {
    finding
        .resolution
        .as_ref()
        .filter(|resolution| !resolution.deferred)
        .map(|resolution| resolution.reason.clone())
        .unwrap_or_default()
}

/// The decision that stands, once more with a reason; `None` where there is none.
fn with_reason(finding: &Finding, reason: String) -> Option<Op> {
    use crate::model::finding::Status;
    let key = finding.key.clone();
    let resolution = finding.resolution.as_ref()?;
    Some(match (&resolution.choice, &resolution.text) {
        (Some(label), _) => Op::Choose { finding: key, label: label.clone(), reason },
        (None, Some(text)) => Op::Write { finding: key, text: text.clone(), reason },
        _ if resolution.deferred => Op::Defer { finding: key, reason },
        _ if finding.status == Status::Rejected => Op::Reject { finding: key, reason },
        _ => Op::Accept { finding: key, reason },
    })
}

/// The form of a finding added by hand, as it stands in the text area.
pub fn finding_form(dimension: &str) -> String {
    // The caret stands at the end: there the words go that are needed.
    format!("severity: major\ndimension: {dimension}\nquote: \nsuggestion: \nfinding: ")
}

/// Reads the form: `name: words`, further lines belong to the name above them.
///
/// # Errors
/// No words for the finding, or a severity that there is not.
pub fn read_finding(text: &str) -> Result<RawFinding, Problem> {
    const NAMES: [&str; 6] = ["severity", "dimension", "quote", "finding", "suggestion", "section"];
    let mut fields: [String; 6] = Default::default();
    let mut current = None;
    for line in text.lines() {
        let named = line.split_once(':').and_then(|(name, words)| {
            let name = name.trim().to_lowercase();
            NAMES.iter().position(|known| *known == name).map(|index| (index, words))
        });
        match (named, current) {
            (Some((index, words)), _) => {
                current = Some(index);
                fields[index] = words.trim().to_owned();
            }
            (None, Some(index)) => {
                fields[index].push('\n');
                fields[index].push_str(line);
            }
            (None, None) => {}
        }
    }
    let [severity, dimension, quote, finding, suggestion, section] = fields.map(|field| field.trim().to_owned());
    if finding.is_empty() {
        return Err("problem-no-finding");
    }
    if Severity::read(&severity).is_none() {
        return Err("problem-severity");
    }
    let blocked_on = Vec::<RawQuestion>::new();
    Ok(RawFinding { severity, dimension, quote, finding, suggestion, section, blocked_on, ..RawFinding::default() })
}

/// A text area that is open.
#[derive(Debug)]
pub struct Entry {
    /// What the words are for.
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
    /// The text it began with, before any draft.
    pub begun_with: String,
    /// The words that Ctrl-T brings in turn: options of a conflict, all of them, then what was typed meanwhile.
    pub others: Vec<String>,
    /// How many of them were there when the area was opened.
    given: usize,
    /// Which of them stand in the field, changed or not; none before Ctrl-T where a draft or other words were there first.
    at_other: Option<usize>,
    /// The draft that the area was opened with; `""` without one.
    reopened: String,
    /// Sent on its way to the disk; the area closes when it is there.
    pub sent: Option<Op>,
    /// The draft that is on the disk or on its way there.
    pub drafted: String,
}

impl Entry {
    /// Opens an area: with the draft where one is kept, else with `text`.
    pub fn open(purpose: Purpose, text: &str, others: Vec<String>, model: &Model) -> Entry {
        let draft = purpose.subject().and_then(|subject| model.decided.drafts.get(&subject).cloned());
        let shown = draft.clone().unwrap_or_else(|| text.to_owned());
        let field = Field::new(&shown, purpose.lines());
        let drafted = draft.unwrap_or_default();
        let at_other = others.iter().position(|other| *other == shown);
        let (reopened, given) = (drafted.clone(), others.len());
        Entry { purpose, field, begun_with: text.to_owned(), others, given, at_other, reopened, sent: None, drafted }
    }

    /// Brings the next of the other words into the field. What was typed is kept among them, so that it comes round again.
    pub fn bring_next(&mut self) {
        if self.others.is_empty() {
            return;
        }
        let text = self.field.text();
        if !text.trim().is_empty() && !self.others.contains(&text) {
            self.others.push(text);
        }
        let next = self.at_other.map_or(0, |at| (at + 1) % self.others.len());
        self.at_other = Some(next);
        self.field = Field::new(&self.others[next], self.purpose.lines());
    }

    /// Which of the other words the field began with.
    pub fn at_other(&self) -> Option<usize> {
        self.at_other
    }

    /// Whether the words are those of a draft from before.
    pub fn shows_draft(&self) -> bool {
        !self.reopened.is_empty() && self.field.text() == self.reopened
    }

    /// The record that keeps what is typed, where it is not kept yet.
    pub fn draft(&self) -> Option<Op> {
        let subject = self.purpose.subject()?;
        let text = self.words_of_their_own();
        (text != self.drafted).then_some(Op::Draft { subject, text })
    }

    /// What a person typed and has not given: the field's words, or, where those are as they were brought in, what was
    /// typed before; `""` for nothing.
    pub fn words_of_their_own(&self) -> String {
        let text = self.field.text();
        let (given, typed) = self.others.split_at(self.given);
        if text == self.begun_with || given.contains(&text) {
            return typed.last().cloned().unwrap_or_default();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bulk_of_one_is_the_one() {
        let key = FindingKey::from("k");
        let op = |finding| Op::Clear { finding };
        assert_eq!(bulk(std::slice::from_ref(&key), op), Op::Clear { finding: key.clone() });
        assert!(matches!(bulk(&[key.clone(), key], op), Op::Bulk { ops } if ops.len() == 2));
    }

    #[test]
    fn a_finding_is_read_from_the_form() {
        let text = "severity: critical\ndimension: DEV\nquote: within 30 days\nfinding: BR-04 says 14.\n  And AC-11: 30.\nsuggestion: Write 14.";
        let raw = read_finding(text).expect("whole");
        assert_eq!((raw.severity.as_str(), raw.dimension.as_str()), ("critical", "DEV"));
        assert_eq!(raw.finding, "BR-04 says 14.\n  And AC-11: 30.");
        assert_eq!(raw.suggestion, "Write 14.");
        assert_eq!(read_finding(&finding_form("DEV")), Err("problem-no-finding"));
        assert_eq!(read_finding("severity: huge\nfinding: x"), Err("problem-severity"));
    }
}
