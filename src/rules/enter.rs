//! How a finding enters the run: checked, grounded, lowered where its quote is not in the document, its questions
//! sorted into those that only a human answers and the rest (SPEC S0, Phases 1 and 3).

use super::ground::{Grounds, cut};
use super::keys::{finding_key, question_key};
use crate::model::finding::{Finding, FixOption, Grounding, Question, RawFinding, RawQuestion, Severity, Status};
use crate::model::ids::FindingKey;
use crate::model::recipe::Recipe;

/// Topics of policy questions (SPEC S0, Phase 1).
pub const POLICY_TOPICS: [&str; 5] = ["security", "privacy", "money", "law", "product"];

/// Who returned a finding, which says what it must name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'a> {
    /// A reviewer of one dimension: its findings belong to it, whatever they name.
    Reviewer(&'a str),
    /// The critic, or a person adding by hand: names one of the recipe's dimensions.
    Any,
}

/// Checks what an agent must get right; the error says what is wrong and what there is, and is asked again with.
pub fn validate(raw: &RawFinding, recipe: &Recipe, role: Role) -> Result<(), String> {
    let shown = cut(raw.finding.trim(), 60);
    if raw.finding.trim().is_empty() {
        return Err("a finding without words: `finding` must say what is wrong".to_owned());
    }
    if Severity::read(&raw.severity).is_none() {
        return Err(format!(
            "unknown severity \"{}\" in the finding \"{shown}\": use critical, major or minor",
            cut(&raw.severity, 40)
        ));
    }
    if role == Role::Any && recipe.dimension(raw.dimension.trim()).is_none() {
        let known: Vec<&str> = recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
        return Err(format!(
            "unknown dimension \"{}\" in the finding \"{shown}\": use one of {}",
            cut(&raw.dimension, 40),
            known.join(", ")
        ));
    }
    Ok(())
}

/// The dimension a finding belongs to: a reviewer's own; else the one it names, and where asking again did not help,
/// the recipe's first (SPEC S0, Phase 2).
pub fn dimension_of(raw: &RawFinding, recipe: &Recipe, role: Role) -> String {
    match role {
        Role::Reviewer(own) => own.to_owned(),
        Role::Any => recipe
            .dimension(raw.dimension.trim())
            .or(recipe.dimensions.first())
            .map(|dimension| dimension.id.clone())
            .unwrap_or_default(),
    }
}

/// A raw finding as it lives in the run. `found_by` is a dimension id, `critic/N` or `human`. A severity that
/// [`validate`] would refuse counts as major: neither alarming nor lost.
pub fn enter(raw: &RawFinding, found_by: &str, dimension: &str, grounds: &Grounds, recipe: &Recipe) -> Finding {
    let grounded = grounds.ground(raw);
    let given = Severity::read(&raw.severity).unwrap_or(Severity::Major);
    let lowered = grounded.grounding == Grounding::Missing && given == Severity::Critical;
    let options = options(raw, found_by, grounds, (&grounded.quote, grounded.line));
    let conflict = options.len() >= 2;
    let mut finding = Finding {
        key: FindingKey::default(),
        id: String::new(),
        dimension: dimension.to_owned(),
        found_by: vec![found_by.to_owned()],
        rule: raw.rule.clone(),
        severity: if lowered { Severity::Major } else { given },
        severity_given: lowered.then_some(given),
        section: grounded.section,
        section_given: grounded.section_given,
        uc_id: grounded.uc_id,
        line: grounded.line,
        quote: grounded.quote,
        grounding: grounded.grounding,
        missing: grounded.missing,
        finding: raw.finding.trim().to_owned(),
        suggestion: raw.suggestion.trim().to_owned(),
        resolution_edge_cases: texts(&raw.resolution_edge_cases),
        auto_fixable: raw.auto_fixable && !conflict && grounded.grounding != Grounding::Missing,
        status: if conflict { recipe.conflict_status } else { Status::Pending },
        options,
        resolution: None,
        blocked_on: Vec::new(),
        possible_duplicate_of: Vec::new(),
        absorbed: Vec::new(),
        struck: false,
    };
    finding.key = finding_key(&finding);
    for raw in &raw.blocked_on {
        ask(&mut finding, raw);
    }
    finding
}

/// Puts a question on a finding, unless it stands there; any question makes the finding wait for a person.
pub fn ask(finding: &mut Finding, raw: &RawQuestion) {
    let words = raw.words().trim();
    if words.is_empty() {
        return;
    }
    let key = question_key(&finding.key, words);
    finding.auto_fixable = false;
    if finding.blocked_on.iter().any(|known| known.key == key) {
        return;
    }
    let (named, owner) = match raw {
        RawQuestion::Words(_) => (None, None),
        // Whatever an agent writes as the answer is dropped: only a human answers.
        RawQuestion::Full(question) => (question.policy.clone(), question.owner.clone()),
    };
    let policy = policy_topic(words).or_else(|| named.as_deref().and_then(known_topic));
    finding.blocked_on.push(Question { key, question: words.to_owned(), policy, owner, ..Question::default() });
}

/// The topic of a question that begins `needs-<topic>-decision:` (SPEC S0, Phase 1).
pub fn policy_topic(words: &str) -> Option<String> {
    let (head, _) = words.trim_start().split_once(':')?;
    let head = head.trim().to_ascii_lowercase();
    known_topic(head.strip_prefix("needs-")?.strip_suffix("-decision")?)
}

fn known_topic(topic: &str) -> Option<String> {
    let topic = topic.trim().to_ascii_lowercase();
    POLICY_TOPICS.contains(&topic.as_str()).then_some(topic)
}

/// Labels `A` to `Z`, then `AA`, `AB`, …
pub fn label(index: usize) -> String {
    let mut label = String::new();
    let mut rest = index;
    loop {
        label.insert(0, char::from(b'A' + (rest % 26) as u8));
        match (rest / 26).checked_sub(1) {
            Some(next) => rest = next,
            None => return label,
        }
    }
}

/// Most characters of the line that an option is shown to rest on.
const EVIDENCE: usize = 120;

/// The options, each with the words it rests on: those of its own line where the finding names one, else the finding's.
fn options(raw: &RawFinding, found_by: &str, grounds: &Grounds, (quote, line): (&str, u32)) -> Vec<FixOption> {
    let offered = texts(&raw.options);
    if offered.len() < 2 {
        return Vec::new();
    }
    let evidence = |suggestion: &str| {
        let given = raw.options.iter().position(|option| option.trim() == suggestion);
        match given.and_then(|at| raw.options_at.get(at)) {
            Some(&at) => (cut(if at == 0 { "" } else { grounds.line_text(at).trim() }, EVIDENCE).trim_end().to_owned(), at),
            None => (quote.to_owned(), line),
        }
    };
    let option = |(index, suggestion): (usize, String)| {
        let (quote, line) = evidence(&suggestion);
        let found_by = vec![found_by.to_owned()];
        FixOption { label: label(index), suggestion, finding: String::new(), found_by, quote, line }
    };
    offered.into_iter().enumerate().map(option).collect()
}

/// Trimmed texts without empty ones and repetitions.
fn texts(given: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in given.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        if !kept.iter().any(|known| known == text) {
            kept.push(text.to_owned());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample::{self, raw};

    #[test]
    fn an_unknown_severity_is_asked_again_and_info_is_minor() {
        let recipe = sample::recipe();
        let of = |severity: &str| validate(&raw(severity, "", "Words.", ""), &recipe, Role::Reviewer("DEV"));
        assert!(of("critical").is_ok() && of(" Major ").is_ok() && of("info").is_ok());
        let told = of("blocker").unwrap_err();
        assert!(told.contains("blocker") && told.contains("critical, major or minor"), "{told}");
        assert!(of("").is_err());
        assert_eq!(sample::finding("DEV", "info", "", "Words.", "").severity, Severity::Minor);
        assert!(validate(&raw("major", "", "  ", ""), &recipe, Role::Reviewer("DEV")).is_err());
    }

    #[test]
    fn a_critics_dimension_must_be_the_recipes_and_falls_back_to_its_first() {
        let recipe = sample::recipe();
        let mut found = raw("major", "", "Words.", "");
        found.dimension = "sa".to_owned();
        assert!(validate(&found, &recipe, Role::Any).is_ok());
        assert_eq!(dimension_of(&found, &recipe, Role::Any), "SA");
        assert_eq!(dimension_of(&found, &recipe, Role::Reviewer("PO")), "PO");
        found.dimension = "UX".to_owned();
        let told = validate(&found, &recipe, Role::Any).unwrap_err();
        assert!(told.contains("UX") && told.contains("DEV, SA, PO, QA"), "{told}");
        assert!(validate(&found, &recipe, Role::Reviewer("PO")).is_ok());
        assert_eq!(dimension_of(&found, &recipe, Role::Any), "DEV");
    }

    #[test]
    fn an_ungrounded_finding_is_demoted_and_stays() {
        let mut invented = raw("critical", "Refunds are paid in gold", "Gold is unsafe.", "Pay in coins.");
        invented.auto_fixable = true;
        let finding = sample::found("DEV", &invented);
        assert_eq!(finding.grounding, Grounding::Missing);
        assert_eq!((finding.severity, finding.severity_given), (Severity::Major, Some(Severity::Critical)));
        assert!(!finding.auto_fixable);
        invented.severity = "minor".to_owned();
        let minor = sample::found("DEV", &invented);
        assert_eq!((minor.severity, minor.severity_given), (Severity::Minor, None));
        let mut grounded = raw("critical", "must be sent within 14 days", "Calendar or working days?", "Say which.");
        grounded.auto_fixable = true;
        let finding = sample::found("DEV", &grounded);
        assert_eq!((finding.severity, finding.severity_given), (Severity::Critical, None));
        assert!(finding.auto_fixable);
        assert_eq!((finding.status, finding.id.as_str()), (Status::Pending, ""));
    }

    #[test]
    fn a_policy_question_is_told_by_its_prefix_and_any_question_stops_automatic_fixes() {
        let mut asking = raw("major", "must be sent within 14 days", "Who may extend it?", "Name the role.");
        asking.auto_fixable = true;
        let words = |text: &str| RawQuestion::Words(text.to_owned());
        asking.blocked_on = vec![
            words("needs-money-decision: who bears the fee?"),
            words("Needs-LAW-decision: how long is it kept?"),
            words("needs-colour-decision: which blue?"),
            words("Who is told?"),
            words("who is told"),
            words("  "),
        ];
        let finding = sample::found("DEV", &asking);
        let policies: Vec<_> = finding.blocked_on.iter().map(|question| question.policy.as_deref()).collect();
        assert_eq!(policies, [Some("money"), Some("law"), None, None]);
        assert!(!finding.auto_fixable);
        assert!(finding.blocks_writing());
        let keys: std::collections::BTreeSet<_> = finding.blocked_on.iter().map(|question| &question.key).collect();
        assert_eq!(keys.len(), 4);
    }

    #[test]
    fn an_agent_cannot_answer_a_question_itself() {
        let mut asking = raw("major", "must be sent within 14 days", "Who pays?", "");
        asking.blocked_on = vec![RawQuestion::Full(Question {
            question: "Who pays the fee?".to_owned(),
            policy: Some("Money".to_owned()),
            owner: Some("Finance".to_owned()),
            answer: Some("We do.".to_owned()),
            answered_by: Some("a model".to_owned()),
            deferred: Some("later".to_owned()),
            ..Question::default()
        })];
        let question = sample::found("DEV", &asking).blocked_on.remove(0);
        assert!(question.is_open());
        assert_eq!((question.policy.as_deref(), question.owner.as_deref()), (Some("money"), Some("Finance")));
        assert_eq!(question.answered_by, None);
    }

    #[test]
    fn options_make_a_conflict_that_is_never_fixed_by_itself() {
        let mut torn = raw("critical", "must be sent within 14 days", "14 days here, 30 days there.", "");
        torn.auto_fixable = true;
        torn.options = vec!["Say 14 days.".to_owned(), "Say 30 days.".to_owned(), "Say 30 days.".to_owned()];
        let finding = sample::found("SA", &torn);
        let labels: Vec<_> = finding.options.iter().map(|option| option.label.as_str()).collect();
        assert_eq!(labels, ["A", "B"]);
        assert_eq!(finding.status, Status::NeedsDiscussion);
        assert!(finding.is_open_conflict() && !finding.auto_fixable);
        assert_eq!((finding.options[0].line, finding.options[0].finding.as_str()), (11, ""));
        torn.options.truncate(1);
        let single = sample::found("SA", &torn);
        assert!(single.options.is_empty() && single.status == Status::Pending);
    }

    #[test]
    fn each_option_rests_on_its_own_line() {
        let mut torn = raw("critical", "must be sent within 14 days", "14 days here, 30 days there.", "");
        torn.options = vec!["Say 14 days.".to_owned(), "Say 30 days.".to_owned(), "As another file says.".to_owned()];
        torn.options_at = vec![11, 1, 0];
        let (text, _) = sample::document();
        let options = sample::found("SA", &torn).options;
        let evidence = |index: usize| (options[index].quote.as_str(), options[index].line);
        let line = |number: usize| text.lines().nth(number - 1).unwrap_or_default().trim();
        assert_eq!(evidence(0), (cut(line(11), 120), 11));
        assert_eq!(evidence(1), (cut(line(1), 120), 1));
        assert_eq!(evidence(2), ("", 0));
        assert!(!options[0].quote.is_empty() && options[0].quote != options[1].quote);
    }

    #[test]
    fn labels_go_on_after_z() {
        assert_eq!([0, 25, 26, 27, 51, 52, 701, 702].map(label), ["A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]);
    }
}
