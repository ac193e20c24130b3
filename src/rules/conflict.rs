//! Conflicts: several findings whose suggestions exclude each other become one finding with all options, those that
//! join become one fix, and findings that the document or another finding refutes are dropped (SPEC S0, Phase 3).

use super::contents::{Contents, thing_missing};
use super::dedup::{absorb_all, finders, relabel, remembered, richness, same_words, seat};
use crate::model::finding::{Absorbed, Finding, FixOption, Grounding};
use crate::model::ids::FindingKey;
use crate::model::recipe::Recipe;
use std::cmp::Reverse;

/// One finding out of several whose suggestions exclude each other: every side is an option, none is dropped; a
/// person chooses. Its words and place are those of the gravest, then richest member.
pub fn combine(first: Finding, others: Vec<Finding>, recipe: &Recipe) -> Finding {
    let mut members: Vec<&Finding> = [&first].into_iter().chain(&others).collect();
    members.sort_by_cached_key(|finding| seat(finding, recipe));
    let options = options(&members, recipe);
    let everyone = everyone(&members);
    let lead = members
        .iter()
        .min_by_key(|finding| (finding.severity, Reverse(richness(&finding.suggestion))))
        .map_or_else(|| first.clone(), |lead| (*lead).clone());
    let mut whole = absorb_all(first, others, recipe);
    if lead.line > 0 {
        whole.line = lead.line;
        whole.quote = lead.quote;
        whole.section = lead.section;
        whole.section_given = lead.section_given;
        whole.uc_id = lead.uc_id;
        whole.grounding = lead.grounding;
    }
    whole.finding = lead.finding;
    whole.suggestion = String::new();
    whole.options = options;
    whole.absorbed = everyone;
    whole.auto_fixable = false;
    whole.status = recipe.conflict_status;
    whole
}

/// One finding out of several whose suggestions the arbiter joined into one; the originals stay beside it.
pub fn join(first: Finding, others: Vec<Finding>, suggestion: &str, recipe: &Recipe) -> Finding {
    let mut members: Vec<&Finding> = [&first].into_iter().chain(&others).collect();
    members.sort_by_cached_key(|finding| seat(finding, recipe));
    let everyone = everyone(&members);
    let mut whole = absorb_all(first, others, recipe);
    whole.suggestion = suggestion.to_owned();
    whole.absorbed = everyone;
    whole
}

/// What every member said, and whatever it had taken in before.
fn everyone(members: &[&Finding]) -> Vec<Absorbed> {
    members.iter().flat_map(|member| [remembered(member)].into_iter().chain(member.absorbed.iter().cloned())).collect()
}

/// All sides as options. Sides with the same words are one option with all its finders, unless nothing else is left.
fn options(members: &[&Finding], recipe: &Recipe) -> Vec<FixOption> {
    let all: Vec<FixOption> = members.iter().flat_map(|member| sides(member)).collect();
    let mut options: Vec<FixOption> = Vec::new();
    for side in &all {
        match options.iter_mut().find(|known| same_words(&known.suggestion) == same_words(&side.suggestion)) {
            Some(known) => join_side(known, side, recipe),
            None => options.push(side.clone()),
        }
    }
    if options.len() < 2 {
        options = all;
    }
    relabel(&mut options);
    options
}

fn sides(member: &Finding) -> Vec<FixOption> {
    if !member.options.is_empty() {
        return member.options.clone();
    }
    let suggestion = if member.suggestion.is_empty() { &member.finding } else { &member.suggestion };
    vec![FixOption {
        label: String::new(),
        suggestion: suggestion.clone(),
        finding: member.finding.clone(),
        found_by: member.found_by.clone(),
        quote: member.quote.clone(),
        line: member.line,
    }]
}

fn join_side(known: &mut FixOption, side: &FixOption, recipe: &Recipe) {
    if !side.finding.is_empty() && same_words(&known.finding) != same_words(&side.finding) {
        if !known.finding.is_empty() {
            known.finding.push('\n');
        }
        known.finding.push_str(&side.finding);
    }
    known.found_by = finders([known.found_by.clone(), side.found_by.clone()].concat(), recipe);
    if known.line == 0 {
        known.line = side.line;
        known.quote = side.quote.clone();
    }
}

/// Why a finding that calls something missing is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// It stands with text at this line.
    AtLine(u32),
    /// Another finding quotes it.
    By(FindingKey),
}

/// What a finding says is missing. A rule says it in a field of its own; of anybody else the words are read.
fn claim(finding: &Finding) -> Option<String> {
    let in_words = || finding.rule.is_none().then(|| thing_missing(&finding.finding)).flatten();
    finding.missing.clone().or_else(in_words)
}

/// Findings that call something missing which stands in the document, by index, with the thing and why: another
/// finding quotes it, or its heading holds text, or the id is defined.
pub fn refuted(findings: &[&Finding], contents: &Contents) -> Vec<(usize, String, Refuted)> {
    let claims: Vec<Option<String>> = findings.iter().map(|finding| claim(finding)).collect();
    let mut quoted: Vec<(u32, &FindingKey)> = findings
        .iter()
        .zip(&claims)
        .filter(|(finding, claim)| {
            claim.is_none() && finding.line > 0 && !matches!(finding.grounding, Grounding::Missing | Grounding::Absence)
        })
        .map(|(finding, _)| (finding.line, &finding.key))
        .collect();
    quoted.sort_unstable();
    let quoting = |thing: &str, section: &str| {
        contents.lines_under_thing(thing, section).into_iter().find_map(|lines| {
            let (line, key) = quoted.get(quoted.partition_point(|&(line, _)| line < lines.first))?;
            (*line <= lines.last).then(|| Refuted::By((*key).clone()))
        })
    };
    let mut refuted = Vec::new();
    for (index, claim) in claims.into_iter().enumerate() {
        let Some(thing) = claim else { continue };
        let section = &findings[index].section;
        let why = quoting(&thing, section).or_else(|| contents.line_of_thing(&thing, section).map(Refuted::AtLine));
        if let Some(why) = why {
            refuted.push((index, thing, why));
        }
    }
    refuted
}
