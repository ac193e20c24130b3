//! What a review came to, in the run's language: counts, what is open, what is missing, and the convergence line last.

use crate::model::answer::Usage;
use crate::model::finding::{Finding, Grounding, Severity, Status};
use crate::model::outcome::ReviewOutcome;
use crate::model::settled::Hole;
use crate::model::shown::Shown;
use crate::run::Written;
use crate::text::{Catalogue, Value};
use crate::tui::money::{grouped, money, percent};
use crate::tui::{closing, sandbox};

/// What the summary needs besides the outcome.
pub struct SummaryOf<'a> {
    /// Recipe name.
    pub recipe: &'a str,
    /// The document as the user gave it.
    pub file: &'a str,
    /// Waves of the fan-out; 0 where nobody knows.
    pub waves: u32,
    /// What was reviewed, where it was not the whole document.
    pub only: Option<String>,
    /// Whether the offline reviewer answered.
    pub offline: bool,
    /// Currency of the models' prices; `""` where none is known.
    pub currency: String,
    /// Where the file was written.
    pub written: &'a Written,
}

/// The summary: plain lines, each safe for a terminal.
pub fn summary(outcome: &ReviewOutcome, of: &SummaryOf<'_>, words: &Catalogue) -> String {
    let mut lines = Vec::new();
    let mut say = |id: &str, args: &[(&str, Value<'_>)]| lines.push(Shown::line(&words.say(id, args)).to_string());
    let findings = &outcome.findings;
    let count = |wanted: &dyn Fn(&Finding) -> bool| findings.iter().filter(|finding| wanted(finding)).count();

    say("summary-title", &[("recipe", of.recipe.into()), ("file", of.file.into())]);
    let convergence = &outcome.convergence;
    let per_round: Vec<String> = convergence.new_per_round.iter().map(u32::to_string).collect();
    if of.waves > 0 && convergence.rounds == 0 {
        say("summary-agents-alone", &[("agents", outcome.agents.into()), ("waves", of.waves.into())]);
    } else if of.waves > 0 {
        say(
            "summary-agents",
            &[
                ("agents", outcome.agents.into()),
                ("waves", of.waves.into()),
                ("rounds", convergence.rounds.into()),
                ("new", per_round.join(", ").into()),
            ],
        );
    }
    if let Some(only) = &of.only {
        say("summary-only", &[("list", only.as_str().into())]);
    }
    let of_severity = |severity| count(&|finding: &Finding| finding.severity == severity);
    say(
        "summary-findings",
        &[
            ("total", findings.len().into()),
            ("critical", of_severity(Severity::Critical).into()),
            ("major", of_severity(Severity::Major).into()),
            ("minor", of_severity(Severity::Minor).into()),
        ],
    );
    if !findings.is_empty() {
        say("summary-dimensions", &[("list", by_dimension(findings).into())]);
    }
    let conflicts = count(&Finding::is_conflict);
    if conflicts > 0 {
        let deferred = count(&|f: &Finding| f.is_conflict() && f.resolution.as_ref().is_some_and(|r| r.deferred));
        say(
            "summary-conflicts",
            &[("total", conflicts.into()), ("settled", (conflicts - deferred).into()), ("deferred", deferred.into())],
        );
    }
    let questions: usize = findings.iter().map(|f| f.blocked_on.iter().filter(|question| question.is_open()).count()).sum();
    let dropped = outcome.dropped.len();
    let ungrounded = count(&|finding: &Finding| finding.grounding == Grounding::Missing);
    let duplicates = count(&|finding: &Finding| !finding.possible_duplicate_of.is_empty());
    for (id, total) in [
        ("summary-questions", questions),
        ("summary-duplicates", duplicates),
        ("summary-dropped", dropped),
        ("summary-ungrounded", ungrounded),
    ] {
        if total > 0 {
            say(id, &[("total", total.into())]);
        }
    }
    if outcome.carry.carried + outcome.carry.unmatched > 0 {
        say("summary-carried", &[("carried", outcome.carry.carried.into()), ("unmatched", outcome.carry.unmatched.into())]);
    }
    say("summary-recommendation", &[("word", outcome.recommendation.as_str().into())]);
    say("summary-written", &[("path", of.written.path.as_str().into())]);
    if let Some(backup) = &of.written.backup {
        say("summary-backup", &[("path", backup.as_str().into())]);
    }
    if !outcome.holes.is_empty() {
        say("summary-holes", &[("list", by_reason(&outcome.holes).into())]);
    }
    for (id, list) in took(outcome, &of.currency, words) {
        say(&id, &[("list", list.into())]);
    }
    if !outcome.not_covered.is_empty() {
        say("summary-not-covered", &[("list", outcome.not_covered.join(", ").into())]);
    }
    let lacks = &outcome.lacks;
    let cut = closing::cut(lacks.steps(), lacks.critic_windows as usize, words);
    let closing = closing::lines(convergence, outcome.holes.len(), &cut, of.offline, words);
    lines.extend(closing.iter().map(|line| Shown::line(line).to_string()));
    lines.join("\n") + "\n"
}

/// `review/DEV/UC-01, critic/1 (no answer in time); …`: steps with one reason stand together.
fn by_reason(holes: &[Hole]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for hole in holes {
        match reasons.iter_mut().find(|(reason, _)| *reason == hole.reason) {
            Some((_, steps)) => steps.push(&hole.step),
            None => reasons.push((&hole.reason, vec![&hole.step])),
        }
    }
    reasons.iter().map(|(reason, steps)| format!("{} ({reason})", steps.join(", "))).collect::<Vec<_>>().join("; ")
}

/// What the models took in all and by agent, and what of their answers was left out: message ids with what they list.
fn took(outcome: &ReviewOutcome, currency: &str, words: &Catalogue) -> Vec<(String, String)> {
    let accounts = &outcome.accounts;
    let said = |usage: &Usage| -> String {
        let count = |id: &str, count: u64| words.say(id, &[("count", grouped(count).into())]);
        let read = match percent(usage.cached, usage.tokens_in).filter(|_| usage.cached > 0) {
            Some(percent) => {
                words.say("usage-in-cached", &[("count", grouped(usage.tokens_in).into()), ("percent", percent.into())])
            }
            None => count("usage-in", usage.tokens_in),
        };
        let cost = usage.cost_micros.map(|micros| money(micros, currency));
        let text = [read, count("usage-out", usage.tokens_out)].into_iter().chain(cost).collect::<Vec<_>>().join(", ");
        if usage.estimated { words.say("usage-at-most", &[("usage", text.into())]) } else { text }
    };
    let mut lines = Vec::new();
    let total = accounts.total().usage;
    if total != Usage::default() {
        lines.push(("summary-took".to_owned(), said(&total)));
        let paid: Vec<_> = accounts.agents.iter().filter(|(_, account)| account.usage != Usage::default()).collect();
        if paid.len() > 1 {
            let each: Vec<String> = paid.iter().map(|(name, account)| format!("{name}: {}", said(&account.usage))).collect();
            lines.push(("summary-took-each".to_owned(), each.join("; ")));
        }
    }
    let levels: Vec<String> =
        accounts.sandbox.iter().map(|(name, level)| format!("{name}: {}", sandbox::level(words, *level))).collect();
    if !levels.is_empty() {
        lines.push(("summary-sandbox".to_owned(), levels.join("; ")));
    }
    let dropped: Vec<String> = outcome.lacks.dropped_items.iter().map(|(step, count)| format!("{step} ({count})")).collect();
    if !dropped.is_empty() {
        lines.push(("summary-left-out".to_owned(), dropped.join(", ")));
    }
    lines
}

/// `SA 4, DEV 3`, most first, then by name.
fn by_dimension(findings: &[Finding]) -> String {
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for finding in findings {
        *counts.entry(&finding.dimension).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// Whether a finding of this severity or worse stands and is not rejected.
pub fn fails_on(findings: &[Finding], severity: Severity) -> bool {
    findings.iter().any(|finding| finding.severity <= severity && finding.status != Status::Rejected)
}
