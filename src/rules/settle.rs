//! Settling: the run's findings become the proposal that a person settles (SPEC S0, Phase 3): duplicates absorbed,
//! conflicts gathered, refuted ones dropped, the rest sorted and numbered. The order in which findings came in
//! changes nothing.

use super::arbiter::{Pairs, Sets, Verdicts, Word};
use super::conflict::{Refuted, combine, join, refuted};
use super::contents::Contents;
use super::dedup::{Classes, Ties, absorb_all, seat, ties};
use super::enter::ask;
use super::keys::{merged_key, tell_apart};
use super::wording::{Wording, fill};
use crate::model::finding::{Finding, RawQuestion, Severity};
use crate::model::ids::FindingKey;
use crate::model::outline::Outline;
use crate::model::recipe::Recipe;
use crate::model::settled::{Dropped, Proposal};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The proposal: dedup → conflicts → sort → number, on findings that were grounded and demoted when they entered.
/// Struck findings are left out; where the arbiter was not asked or was unsure, both stay and name each other.
pub fn propose(findings: &[Finding], outline: &Outline, recipe: &Recipe, verdicts: &Verdicts, wording: &Wording) -> Proposal {
    let entered = gather(findings, recipe);
    let contents = Contents::new(outline);
    let all: Vec<&Finding> = entered.iter().collect();
    let wrong = refuted(&all, &contents);
    let gone: HashSet<usize> = wrong.iter().map(|&(index, ..)| index).collect();
    let standing: Vec<&Finding> =
        all.iter().enumerate().filter(|(index, _)| !gone.contains(index)).map(|(_, finding)| *finding).collect();

    let ties = ties(&standing);
    let pairs = verdicts.pairs();
    let asked = Asked::new(&standing, &pairs);
    let nodes = Nodes::new(&standing, &ties, &pairs, &asked);
    let mut settled = nodes.settle(&standing, verdicts, recipe);
    let aliases = nodes.rekey(&standing, &mut settled);
    put_questions(&mut settled, verdicts, &pairs, &asked, &nodes, wording);

    let order = Order { outline, contents: &contents, recipe };
    let mut sorted: Vec<(usize, Finding)> = settled.into_iter().collect();
    sorted.sort_by_cached_key(|(_, finding)| order.key(finding));
    let place_of: HashMap<usize, usize> = sorted.iter().enumerate().map(|(place, (node, _))| (*node, place)).collect();
    let mut findings: Vec<Finding> = sorted.into_iter().map(|(_, finding)| finding).collect();
    for (index, finding) in findings.iter_mut().enumerate() {
        finding.id = format!("F{:03}", index + 1);
    }
    let place_of = |index: usize| place_of.get(&nodes.node(index)).copied();
    for (place, near) in near_pairs(&ties.unsure, &asked.words, place_of) {
        let keys: Vec<FindingKey> = near.iter().map(|&other| findings[other].key.clone()).collect();
        findings[place].possible_duplicate_of = keys;
    }
    let reason = |thing: &str, why: Refuted| match why {
        Refuted::AtLine(line) => fill(&wording.stands, &[("thing", thing), ("line", &line.to_string())]),
        Refuted::By(key) => {
            let key = aliases.get(&key).unwrap_or(&key);
            fill(&wording.quoted, &[("thing", thing), ("finding", key.as_str())])
        }
    };
    let mut dropped: Vec<Dropped> = wrong
        .into_iter()
        .map(|(index, thing, why)| Dropped { finding: all[index].clone(), reason: reason(&thing, why) })
        .collect();
    dropped.sort_by_cached_key(|dropped| order.key(&dropped.finding));
    Proposal { findings, dropped, aliases }
}

/// Findings that are not struck, one a key, in the order of their keys.
fn gather(findings: &[Finding], recipe: &Recipe) -> Vec<Finding> {
    let standing: Vec<Finding> = findings.iter().filter(|finding| !finding.struck).cloned().collect();
    let mut by_key: BTreeMap<FindingKey, Vec<Finding>> = BTreeMap::new();
    for finding in tell_apart(&[], standing) {
        by_key.entry(finding.key.clone()).or_default().push(finding);
    }
    let absorbed = |mut same: Vec<Finding>| {
        same.sort_by_cached_key(|finding| (seat(finding, recipe), format!("{finding:?}")));
        one_of(same, |first, others| absorb_all(first, others, recipe))
    };
    by_key.into_values().filter_map(absorbed).collect()
}

/// What several findings become; a single one stays as it is.
fn one_of(members: impl IntoIterator<Item = Finding>, make: impl FnOnce(Finding, Vec<Finding>) -> Finding) -> Option<Finding> {
    let mut members = members.into_iter();
    let first = members.next()?;
    let others: Vec<Finding> = members.collect();
    Some(if others.is_empty() { first } else { make(first, others) })
}

/// The arbiter's words on findings that still stand, by index.
struct Asked<'f> {
    index_of: HashMap<&'f str, usize>,
    words: Vec<(usize, usize, Word)>,
}

impl<'f> Asked<'f> {
    fn new(standing: &[&'f Finding], pairs: &Pairs) -> Asked<'f> {
        let index_of: HashMap<&str, usize> =
            standing.iter().enumerate().map(|(index, finding)| (finding.key.as_str(), index)).collect();
        let known = |(a, b, word): (&str, &str, Word)| Some((*index_of.get(a)?, *index_of.get(b)?, word));
        let words = pairs.all().into_iter().filter_map(known).collect();
        Asked { index_of, words }
    }
}

/// What becomes one finding of the proposal: classes of duplicates, joined where the arbiter merges them, then where
/// they exclude each other.
struct Nodes {
    classes: Classes,
    merged: Sets,
    torn: Sets,
    /// Class → the arbiter's part that holds the merged words.
    parts: BTreeMap<usize, (usize, usize)>,
}

impl Nodes {
    fn new(standing: &[&Finding], ties: &Ties, pairs: &Pairs, asked: &Asked) -> Nodes {
        let classes = Classes::of(standing, ties, pairs);
        let count = classes.members().len();
        let (mut merged, mut torn, mut parts) = (Sets::new(count), Sets::new(count), BTreeMap::new());
        for &(a, b, word) in &asked.words {
            let (a, b) = (classes.class(a), classes.class(b));
            if let Word::Merge { round, part } = word
                && a != b
            {
                merged.join(a, b);
                parts.entry(a.min(b)).or_insert((round, part));
            }
        }
        let by_rule = ties.exclusive.iter().copied().filter(|&(a, b)| {
            // The arbiter may join or part what rules hold for a conflict; calling it a duplicate would drop a side.
            let word = pairs.word(&standing[a].key, &standing[b].key);
            !matches!(word, Some(Word::Merge { .. } | Word::Independent))
        });
        let by_arbiter = asked.words.iter().filter(|&&(_, _, word)| word == Word::Exclusive).map(|&(a, b, _)| (a, b));
        for (a, b) in by_rule.chain(by_arbiter) {
            torn.join(merged.root(classes.class(a)), merged.root(classes.class(b)));
        }
        Nodes { classes, merged, torn, parts }
    }

    /// The node of a finding.
    fn node(&self, index: usize) -> usize {
        self.torn.root(self.merged.root(self.classes.class(index)))
    }

    /// One finding a node.
    fn settle(&self, standing: &[&Finding], verdicts: &Verdicts, recipe: &Recipe) -> BTreeMap<usize, Finding> {
        let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for class in 0..self.classes.members().len() {
            joined.entry(self.merged.root(class)).or_default().push(class);
        }
        let mut nodes: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
        for (root, classes) in joined {
            let absorbed = classes.iter().filter_map(|&class| {
                let members = self.classes.members()[class].iter().map(|&index| standing[index].clone());
                one_of(members, |first, others| absorb_all(first, others, recipe))
            });
            let finding = one_of(absorbed, |first, others| join(first, others, &self.words(&classes, verdicts), recipe));
            nodes.entry(self.torn.root(root)).or_default().extend(finding);
        }
        let combined = |(node, members): (usize, Vec<Finding>)| {
            one_of(members, |first, others| combine(first, others, recipe)).map(|finding| (node, finding))
        };
        nodes.into_iter().filter_map(combined).collect()
    }

    /// The arbiter's words for classes that it joins; several merges that share a member keep all their words.
    fn words(&self, classes: &[usize], verdicts: &Verdicts) -> String {
        let parts: BTreeSet<(usize, usize)> = classes.iter().filter_map(|class| self.parts.get(class).copied()).collect();
        let words = parts.iter().map(|&(round, part)| verdicts.decided[round].parts[part].suggestion.as_str());
        words.collect::<Vec<_>>().join("\n")
    }

    /// One key for what several became, from all their keys at once, so that the way there does not count. Returns the
    /// keys that lead to another one now.
    fn rekey(&self, standing: &[&Finding], settled: &mut BTreeMap<usize, Finding>) -> BTreeMap<FindingKey, FindingKey> {
        let mut originals: BTreeMap<usize, Vec<&FindingKey>> = BTreeMap::new();
        for (index, finding) in standing.iter().enumerate() {
            originals.entry(self.node(index)).or_default().push(&finding.key);
        }
        let mut aliases = BTreeMap::new();
        for (node, keys) in originals {
            if let Some(finding) = settled.get_mut(&node).filter(|_| keys.len() > 1) {
                finding.key = merged_key(keys.iter().copied());
                aliases.extend(keys.into_iter().map(|key| (key.clone(), finding.key.clone())));
            }
        }
        aliases
    }
}

/// For each place in the order, the places of findings that may be the same issue: unsure by rule and never asked, or
/// asked without a stable answer.
fn near_pairs(
    unsure: &[(usize, usize, f32)],
    asked: &[(usize, usize, Word)],
    place_of: impl Fn(usize) -> Option<usize>,
) -> BTreeMap<usize, BTreeSet<usize>> {
    let pair = |a: usize, b: usize| {
        let (a, b) = (place_of(a)?, place_of(b)?);
        (a != b).then_some((a.min(b), a.max(b)))
    };
    let decided: HashSet<(usize, usize)> = asked.iter().filter_map(|&(a, b, _)| pair(a, b)).collect();
    let never = unsure.iter().filter_map(|&(a, b, _)| pair(a, b)).filter(|pair| !decided.contains(pair));
    let unstable = asked.iter().filter(|(_, _, word)| matches!(word, Word::Unstable { .. }));
    let unstable = unstable.filter_map(|&(a, b, _)| pair(a, b));
    let mut near: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (a, b) in never.chain(unstable) {
        near.entry(a).or_default().insert(b);
        near.entry(b).or_default().insert(a);
    }
    near
}

/// An unstable verdict becomes a question on the first of the findings it is about.
fn put_questions(
    settled: &mut BTreeMap<usize, Finding>,
    verdicts: &Verdicts,
    pairs: &Pairs,
    asked: &Asked,
    nodes: &Nodes,
    wording: &Wording,
) {
    for (round, decided) in verdicts.decided.iter().enumerate() {
        for set in &decided.unstable {
            let still_unsure = set.iter().enumerate().any(|(index, one)| {
                set[index + 1..].iter().any(|other| pairs.word(one, other) == Some(Word::Unstable { round }))
            });
            let mut named: Vec<usize> = Vec::new();
            for &index in set.iter().filter_map(|key| asked.index_of.get(key.as_str())) {
                let node = nodes.node(index);
                if !named.contains(&node) {
                    named.push(node);
                }
            }
            if !still_unsure || named.len() < 2 {
                continue;
            }
            let keys: Vec<&str> = named.iter().filter_map(|node| settled.get(node)).map(|one| one.key.as_str()).collect();
            let question = fill(&wording.undecided, &[("findings", &keys.join(", "))]);
            if let Some(first) = settled.get_mut(&named[0]) {
                ask(first, &RawQuestion::Words(question));
            }
        }
    }
}

/// The settled order: critical → major → minor, then the section's order in the file (a section that the file lacks
/// comes last), line, dimension order, key.
struct Order<'a> {
    outline: &'a Outline,
    contents: &'a Contents<'a>,
    recipe: &'a Recipe,
}

impl Order<'_> {
    fn key(&self, finding: &Finding) -> (Severity, usize, u32, usize, FindingKey) {
        (finding.severity, self.section(finding), finding.line, self.recipe.rank(&finding.dimension), finding.key.clone())
    }

    /// 0 above the first section, then sections in file order.
    fn section(&self, finding: &Finding) -> usize {
        if finding.line > 0
            && let Some(line) = self.outline.line(finding.line)
            && self.outline.section_path_at(finding.line) == finding.section
        {
            return line.section.map_or(0, |section| section + 1);
        }
        self.contents.section_at_path(&finding.section).map_or(usize::MAX, |section| section + 1)
    }
}

/// A text with every finding that it cites by key cited by its id in the proposal; keys of findings that were taken
/// in lead to the one that took them in, unknown ones stay.
pub fn render_citations(text: &str, proposal: &Proposal) -> String {
    Citations::of(proposal).render(text)
}

/// The ids by which findings are cited, made ready once for many texts.
pub struct Citations<'p> {
    ids: HashMap<&'p str, &'p str>,
}

impl<'p> Citations<'p> {
    /// Ids of the proposal's findings under every key that leads to them.
    pub fn of(proposal: &'p Proposal) -> Citations<'p> {
        let mut ids: HashMap<&str, &str> = HashMap::new();
        for finding in &proposal.findings {
            ids.extend(finding.absorbed.iter().map(|one| (one.key.as_str(), finding.id.as_str())));
        }
        ids.extend(proposal.findings.iter().map(|finding| (finding.key.as_str(), finding.id.as_str())));
        for (entered, now) in &proposal.aliases {
            if let Some(&id) = ids.get(now.as_str()) {
                ids.insert(entered.as_str(), id);
            }
        }
        Citations { ids }
    }

    /// The text with every key in it replaced by the id it leads to.
    pub fn render(&self, text: &str) -> String {
        let mut rendered = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
            let end = rest[start..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |length| start + length);
            rendered.push_str(&rest[..start]);
            let word = &rest[start..end];
            rendered.push_str(self.ids.get(word).unwrap_or(&word));
            rest = &rest[end..];
        }
        rendered.push_str(rest);
        rendered
    }
}
