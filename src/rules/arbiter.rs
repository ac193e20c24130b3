//! The arbiter: which findings are put before it, how its two answers are read, and what they decide
//! (DESIGN, "Same issue, opposite issue"). A verdict counts only where both orders of asking agree.

use super::dedup::{Classes, Ties, ties, unique};
use super::keys::hash;
use crate::model::arbiter::{ArbiterGroup, MAX_MEMBERS, Verdict, VerdictPart};
use crate::model::finding::Finding;
use crate::model::ids::FindingKey;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What one group's two answers decide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The group's key.
    pub group: String,
    /// All its members; pairs that stand in no part and are not unstable are independent.
    pub members: Vec<FindingKey>,
    /// Sets on which both orders agree.
    pub parts: Vec<DecidedPart>,
    /// Sets on which they do not: a question for a person, and all stay.
    pub unstable: Vec<Vec<FindingKey>>,
}

/// A set of findings and what they are to each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedPart {
    /// What they are to each other.
    pub verdict: Verdict,
    /// The findings, in the group's order.
    pub members: Vec<FindingKey>,
    /// The merged suggestion; `""` unless the verdict is `merge`.
    pub suggestion: String,
}

/// Everything the arbiter has decided in a run, in the order of asking; on one pair the latest word counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// One entry a group.
    pub decided: Vec<Decided>,
}

impl Verdicts {
    /// Adds what a group's answers decide.
    pub fn add(&mut self, decided: Decided) {
        self.decided.push(decided);
    }

    /// The latest word on every pair that was asked.
    pub fn pairs(&self) -> Pairs<'_> {
        let mut pairs = Pairs::default();
        for (round, decided) in self.decided.iter().enumerate() {
            for (index, one) in decided.members.iter().enumerate() {
                for other in &decided.members[index + 1..] {
                    pairs.set(one, other, Word::Independent);
                }
            }
            for set in &decided.unstable {
                pairs.set_all(set, Word::Unstable { round });
            }
            for (part, said) in decided.parts.iter().enumerate() {
                let word = match said.verdict {
                    Verdict::Duplicate => Word::Duplicate,
                    Verdict::Exclusive => Word::Exclusive,
                    Verdict::Merge => Word::Merge { round, part },
                };
                pairs.set_all(&said.members, word);
            }
        }
        pairs
    }
}

/// What the arbiter last said of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// They say the same.
    Duplicate,
    /// Their suggestions join: the part that holds the words.
    Merge {
        /// Index into [`Verdicts::decided`].
        round: usize,
        /// Index into its parts.
        part: usize,
    },
    /// Their suggestions exclude each other.
    Exclusive,
    /// Nothing ties them.
    Independent,
    /// The two orders disagree.
    Unstable {
        /// Index into [`Verdicts::decided`].
        round: usize,
    },
}

/// The latest word on each pair, whatever the order of the two.
#[derive(Default)]
pub struct Pairs<'v> {
    words: HashMap<(&'v str, &'v str), Word>,
}

impl<'v> Pairs<'v> {
    fn set(&mut self, a: &'v FindingKey, b: &'v FindingKey, word: Word) {
        self.words.insert(ordered(a.as_str(), b.as_str()), word);
    }

    fn set_all(&mut self, members: &'v [FindingKey], word: Word) {
        for (index, one) in members.iter().enumerate() {
            for other in &members[index + 1..] {
                self.set(one, other, word);
            }
        }
    }

    /// The latest word on a pair; `None` where it was never asked.
    pub fn word(&self, a: &FindingKey, b: &FindingKey) -> Option<Word> {
        self.words.get(&ordered(a.as_str(), b.as_str())).copied()
    }

    /// Every pair with its word, in the order of the keys.
    pub fn all(&self) -> Vec<(&'v str, &'v str, Word)> {
        let mut all: Vec<_> = self.words.iter().map(|(&(a, b), &word)| (a, b, word)).collect();
        all.sort_unstable_by_key(|&(a, b, _)| (a, b));
        all
    }

    /// Whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

fn ordered<'k>(a: &'k str, b: &'k str) -> (&'k str, &'k str) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The groups to put before the arbiter: findings of one place that rules cannot tell apart and on which nothing was
/// asked yet. A place with more of them than one call takes is split, the most alike together; asking again with the
/// verdicts added gives the pairs that the split left out. Members come critical first, then by line.
pub fn groups(findings: &[Finding], already: &Verdicts) -> Vec<ArbiterGroup> {
    let mut findings = unique(findings);
    findings.sort_by(|a, b| a.key.cmp(&b.key));
    let pairs = already.pairs();
    let ties: Ties = ties(&findings);
    let classes = Classes::of(&findings, &ties, &pairs);
    let decided = classes.decided(&findings, &pairs);
    let mut open: BTreeMap<(usize, usize), f32> = BTreeMap::new();
    for &(a, b, likeness) in &ties.unsure {
        let (one, other) = (classes.class(a), classes.class(b));
        let pair = (one.min(other), one.max(other));
        if one != other && !decided.contains(&pair) {
            let best = open.entry(pair).or_insert(likeness);
            *best = best.max(likeness);
        }
    }
    let mut strongest: Vec<((usize, usize), f32)> = open.into_iter().collect();
    strongest.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
    let speakers: Vec<usize> = classes
        .members()
        .iter()
        .map(|members| members.iter().copied().min_by_key(|&index| order(findings[index])).unwrap_or(0))
        .collect();
    let mut clusters = Clusters::default();
    for ((a, b), _) in strongest {
        clusters.join(a, b);
    }
    let mut made: Vec<ArbiterGroup> = clusters.packed(&speakers, &findings).into_iter().map(|members| group(members)).collect();
    made.sort_by(|a, b| (&a.uc_id, &a.section, &a.key).cmp(&(&b.uc_id, &b.section, &b.key)));
    made
}

/// Where a finding comes among the members: the order of settling, so far as it shows without the document.
fn order(finding: &Finding) -> (crate::model::finding::Severity, bool, u32, &FindingKey) {
    (finding.severity, finding.line == 0, finding.line, &finding.key)
}

fn group(mut members: Vec<&Finding>) -> ArbiterGroup {
    members.sort_by_key(|finding| order(finding));
    let (uc_id, section) = members.first().map(|first| (first.uc_id.clone(), first.section.clone())).unwrap_or_default();
    let mut parts = vec!["arbiter", &uc_id, &section];
    parts.extend(members.iter().map(|finding| finding.key.as_str()));
    let key = hash(&parts);
    ArbiterGroup { key, members: members.iter().map(|finding| finding.key.clone()).collect(), uc_id, section }
}

/// Classes that go before the arbiter together, at most [`MAX_MEMBERS`] each.
#[derive(Default)]
struct Clusters {
    of: HashMap<usize, usize>,
    members: Vec<Vec<usize>>,
}

impl Clusters {
    fn cluster(&mut self, class: usize) -> usize {
        let next = self.members.len();
        let cluster = *self.of.entry(class).or_insert(next);
        if cluster == next {
            self.members.push(vec![class]);
        }
        cluster
    }

    fn join(&mut self, a: usize, b: usize) {
        let (one, other) = (self.cluster(a), self.cluster(b));
        if one == other || self.members[one].len() + self.members[other].len() > MAX_MEMBERS {
            return;
        }
        let moved = std::mem::take(&mut self.members[other]);
        for &class in &moved {
            self.of.insert(class, one);
        }
        self.members[one].extend(moved);
    }

    /// Clusters of two or more, those of one unit and section in one call while they fit.
    fn packed<'f>(&self, speakers: &[usize], findings: &[&'f Finding]) -> Vec<Vec<&'f Finding>> {
        let mut calls: BTreeMap<(String, String), Vec<Vec<&'f Finding>>> = BTreeMap::new();
        let mut clusters: Vec<Vec<&'f Finding>> = self
            .members
            .iter()
            .filter(|members| members.len() >= 2)
            .map(|members| members.iter().map(|&class| findings[speakers[class]]).collect())
            .collect();
        for cluster in &mut clusters {
            cluster.sort_by_key(|finding| order(finding));
        }
        clusters.sort_by(|a, b| order(a[0]).cmp(&order(b[0])));
        for cluster in clusters {
            let place = (cluster[0].uc_id.clone(), cluster[0].section.clone());
            let calls = calls.entry(place).or_default();
            match calls.last_mut().filter(|call| call.len() + cluster.len() <= MAX_MEMBERS) {
                Some(call) => call.extend(cluster),
                None => calls.push(cluster),
            }
        }
        calls.into_values().flatten().collect()
    }
}

/// Reads the two answers to a group: `ab` numbers its members as listed, `ba` the other way round. What both say of a
/// pair is decided, anything else unstable; a merge counts only where both join the very same set, since its words
/// were written for that set.
///
/// The error says what is wrong with which answer; it is asked again.
pub fn read(group: &ArbiterGroup, ab: &[VerdictPart], ba: &[VerdictPart]) -> Result<Decided, String> {
    let count = group.members.len();
    check(ab, count).map_err(|wrong| format!("first order: {wrong}"))?;
    check(ba, count).map_err(|wrong| format!("second order: {wrong}"))?;
    let first = Partition::new(ab, count, |number| number - 1);
    let second = Partition::new(ba, count, |number| count - number);
    let mut agreed: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
    let mut parted = Sets::new(count);
    for a in 0..count {
        for b in a + 1..count {
            let (one, other) = (first.shared(a, b), second.shared(a, b));
            match (one, other) {
                (None, None) => {}
                (Some(x), Some(y)) if first.agrees(x, &second, y) => {
                    agreed.entry((x, y)).or_default().extend([a, b]);
                }
                _ => parted.join(a, b),
            }
        }
    }
    let keys = |members: &BTreeSet<usize>| members.iter().map(|&index| group.members[index].clone()).collect();
    let parts = agreed
        .iter()
        .map(|(&(x, _), members)| DecidedPart {
            verdict: first.parts[x].verdict,
            members: keys(members),
            suggestion: first.parts[x].suggestion.trim().to_owned(),
        })
        .collect();
    let unstable = parted.sets().iter().map(keys).collect();
    Ok(Decided { group: group.key.clone(), members: group.members.clone(), parts, unstable })
}

/// Whether an answer is a partition of some of the `count` members listed; the error says what is wrong.
pub fn check(parts: &[VerdictPart], count: usize) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for part in parts {
        if part.members.len() < 2 {
            return Err("a part needs two or more members; leave single ones out".to_owned());
        }
        for &number in &part.members {
            if number == 0 || number > count {
                return Err(format!("member {number} does not exist: members are numbered 1 to {count}"));
            }
            if !seen.insert(number) {
                return Err(format!("member {number} stands in more than one place: every member may stand in one part"));
            }
        }
        if part.verdict == Verdict::Merge && part.suggestion.trim().is_empty() {
            return Err("a merge needs the merged suggestion's words".to_owned());
        }
    }
    Ok(())
}

/// One answer, its members turned into indexes of the group.
struct Partition<'p> {
    parts: &'p [VerdictPart],
    sets: Vec<BTreeSet<usize>>,
    part_of: Vec<Option<usize>>,
}

impl<'p> Partition<'p> {
    fn new(parts: &'p [VerdictPart], count: usize, index: impl Fn(usize) -> usize) -> Partition<'p> {
        let sets: Vec<BTreeSet<usize>> =
            parts.iter().map(|part| part.members.iter().map(|&number| index(number)).collect()).collect();
        let mut part_of = vec![None; count];
        for (part, set) in sets.iter().enumerate() {
            for &member in set {
                part_of[member] = Some(part);
            }
        }
        Partition { parts, sets, part_of }
    }

    fn shared(&self, a: usize, b: usize) -> Option<usize> {
        self.part_of[a].filter(|_| self.part_of[a] == self.part_of[b])
    }

    fn agrees(&self, part: usize, other: &Partition, other_part: usize) -> bool {
        let verdict = self.parts[part].verdict;
        verdict == other.parts[other_part].verdict && (verdict != Verdict::Merge || self.sets[part] == other.sets[other_part])
    }
}

/// Sets of indexes that were joined directly or through others.
pub struct Sets {
    above: Vec<usize>,
}

impl Sets {
    /// Every index alone.
    pub fn new(count: usize) -> Sets {
        Sets { above: (0..count).collect() }
    }

    /// The lowest index of the set.
    pub fn root(&self, mut index: usize) -> usize {
        while self.above[index] != index {
            index = self.above[index];
        }
        index
    }

    /// Joins two sets.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.above[a.max(b)] = a.min(b);
    }

    /// Sets of two or more, by their lowest index.
    pub fn sets(&self) -> Vec<BTreeSet<usize>> {
        let mut sets: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for index in 0..self.above.len() {
            sets.entry(self.root(index)).or_default().insert(index);
        }
        sets.into_values().filter(|set| set.len() >= 2).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample::finding;

    fn candidates(count: usize) -> Vec<Finding> {
        const SUBJECTS: [&str; 10] =
            ["colour", "length", "author", "tone", "language", "length", "button", "icon", "sound", "place"];
        (0..count)
            .map(|index| {
                let words = format!("The error text has no {} number {index}", SUBJECTS[index % SUBJECTS.len()]);
                finding("DEV", "major", "If the order is unknown", &words, "")
            })
            .collect()
    }

    fn part(verdict: Verdict, members: &[usize]) -> VerdictPart {
        let suggestion = if verdict == Verdict::Merge { "Joined." } else { "" };
        VerdictPart { members: members.to_vec(), verdict, suggestion: suggestion.to_owned() }
    }

    fn group_of(count: usize) -> ArbiterGroup {
        let members = (1..=count).map(|number| FindingKey(format!("k{number}"))).collect();
        ArbiterGroup { key: "g".to_owned(), uc_id: String::new(), section: String::new(), members }
    }

    fn names(sets: &[Vec<FindingKey>]) -> Vec<String> {
        sets.iter().map(|set| set.iter().map(FindingKey::as_str).collect::<Vec<_>>().join("+")).collect()
    }

    #[test]
    fn only_findings_of_one_place_that_rules_cannot_tell_apart_are_asked() {
        let mut findings = candidates(3);
        findings.push(finding("SA", "major", "If the order is unknown", "Nobody approves refunds.", ""));
        findings.push(finding("SA", "major", "must be sent within 14 days", &findings[0].finding.clone(), ""));
        let made = groups(&findings, &Verdicts::default());
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].members.len(), 3);
        assert_eq!((made[0].uc_id.as_str(), made[0].section.as_str()), ("UC-01", "UC-01: Refund > Error flow"));
        assert!(groups(&findings[..1], &Verdicts::default()).is_empty());
        assert!(groups(&[], &Verdicts::default()).is_empty());
    }

    #[test]
    fn groups_do_not_depend_on_the_order_of_findings() {
        let mut findings = candidates(50);
        let forward = groups(&findings, &Verdicts::default());
        findings.reverse();
        assert_eq!(groups(&findings, &Verdicts::default()), forward);
        findings.rotate_left(17);
        assert_eq!(groups(&findings, &Verdicts::default()), forward);
    }

    #[test]
    fn a_large_place_is_split_and_asking_on_leaves_no_pair_out() {
        let findings = candidates(90);
        let mut verdicts = Verdicts::default();
        let mut asked = 0;
        loop {
            let made = groups(&findings, &verdicts);
            if made.is_empty() {
                break;
            }
            for group in made {
                assert!((2..=MAX_MEMBERS).contains(&group.members.len()));
                let decided = read(&group, &[], &[]).unwrap();
                assert!(decided.parts.is_empty() && decided.unstable.is_empty());
                verdicts.add(decided);
                asked += 1;
            }
            assert!(asked < 200, "asking goes on for ever");
        }
        let pairs = verdicts.pairs();
        let all: Vec<&Finding> = findings.iter().collect();
        for (a, b, _) in ties(&all).unsure {
            assert_eq!(pairs.word(&all[a].key, &all[b].key), Some(Word::Independent));
        }
    }

    #[test]
    fn what_was_asked_is_not_asked_again_unless_a_new_finding_comes() {
        let findings = candidates(3);
        let mut verdicts = Verdicts::default();
        let first = groups(&findings, &verdicts).remove(0);
        verdicts.add(read(&first, &[part(Verdict::Duplicate, &[1, 2])], &[part(Verdict::Duplicate, &[2, 3])]).unwrap());
        assert!(groups(&findings, &verdicts).is_empty());
        let mut more = findings.clone();
        more.push(finding("SA", "major", "an error is shown.", "The error text has no smell", ""));
        let next = groups(&more, &verdicts);
        assert_eq!(next.len(), 1);
        assert_eq!(next[0].members.len(), 3, "decided duplicates speak once");
        assert_ne!(next[0].key, first.key);
    }

    #[test]
    fn both_orders_must_agree() {
        let group = group_of(4);
        // 1 and 2 in the first order are 4 and 3 in the second.
        let decided = read(&group, &[part(Verdict::Duplicate, &[1, 2])], &[part(Verdict::Duplicate, &[4, 3])]).unwrap();
        assert_eq!(decided.parts.len(), 1);
        assert_eq!(names(&[decided.parts[0].members.clone()]), ["k1+k2"]);
        assert!(decided.unstable.is_empty());
        let torn = read(&group, &[part(Verdict::Duplicate, &[1, 2])], &[]).unwrap();
        assert!(torn.parts.is_empty());
        assert_eq!(names(&torn.unstable), ["k1+k2"]);
        let other = read(&group, &[part(Verdict::Duplicate, &[1, 2])], &[part(Verdict::Exclusive, &[4, 3])]).unwrap();
        assert_eq!((other.parts.len(), names(&other.unstable)), (0, vec!["k1+k2".to_owned()]));
    }

    #[test]
    fn what_both_say_of_a_pair_counts_where_they_differ_on_the_rest() {
        let group = group_of(4);
        let decided = read(&group, &[part(Verdict::Duplicate, &[1, 2, 3])], &[part(Verdict::Duplicate, &[4, 3])]).unwrap();
        assert_eq!(names(&[decided.parts[0].members.clone()]), ["k1+k2"]);
        assert_eq!(names(&decided.unstable), ["k1+k2+k3"]);
        let word = |a: &str, b: &str| {
            let verdicts = Verdicts { decided: vec![decided.clone()] };
            verdicts.pairs().word(&a.into(), &b.into())
        };
        assert_eq!(word("k2", "k1"), Some(Word::Duplicate));
        assert_eq!(word("k1", "k3"), Some(Word::Unstable { round: 0 }));
        assert_eq!(word("k1", "k4"), Some(Word::Independent));
        assert_eq!(word("k1", "k9"), None);
    }

    #[test]
    fn merged_words_count_only_for_the_set_they_were_written_for() {
        let group = group_of(3);
        let merge = |members: &[usize]| part(Verdict::Merge, members);
        let same = read(&group, &[merge(&[1, 2])], &[merge(&[2, 3])]).unwrap();
        assert_eq!((same.parts.len(), same.parts[0].suggestion.as_str()), (1, "Joined."));
        let wider = read(&group, &[merge(&[1, 2, 3])], &[merge(&[2, 3])]).unwrap();
        assert!(wider.parts.is_empty());
        assert_eq!(names(&wider.unstable), ["k1+k2+k3"]);
    }

    #[test]
    fn an_answer_that_is_no_partition_is_asked_again() {
        let group = group_of(3);
        for (wrong, says) in [
            (vec![part(Verdict::Duplicate, &[0, 1])], "numbered 1 to 3"),
            (vec![part(Verdict::Duplicate, &[1, 4])], "member 4 does not exist"),
            (vec![part(Verdict::Duplicate, &[1])], "two or more members"),
            (vec![part(Verdict::Duplicate, &[1, 1])], "more than one place"),
            (vec![part(Verdict::Duplicate, &[1, 2]), part(Verdict::Exclusive, &[2, 3])], "member 2"),
            (vec![VerdictPart { suggestion: " ".to_owned(), ..part(Verdict::Merge, &[1, 2]) }], "words"),
        ] {
            let told = read(&group, &wrong, &[]).unwrap_err();
            assert!(told.contains(says) && told.starts_with("first order"), "{told}");
            assert!(read(&group, &[], &wrong).unwrap_err().starts_with("second order"));
        }
    }

    #[test]
    fn the_latest_word_on_a_pair_counts() {
        let group = group_of(2);
        let mut verdicts = Verdicts::default();
        verdicts.add(read(&group, &[part(Verdict::Duplicate, &[1, 2])], &[part(Verdict::Duplicate, &[1, 2])]).unwrap());
        verdicts.add(read(&group, &[], &[]).unwrap());
        assert_eq!(verdicts.pairs().word(&"k1".into(), &"k2".into()), Some(Word::Independent));
        let text = serde_json::to_string(&verdicts).unwrap();
        assert_eq!(serde_json::from_str::<Verdicts>(&text).unwrap(), verdicts);
    }

    proptest::proptest! {
        #[test]
        fn any_answer_is_read_or_refused(parts in proptest::collection::vec(
            (proptest::collection::vec(0usize..7, 0..4), 0usize..3), 0..4), count in 0usize..6) {
            let verdicts = [Verdict::Duplicate, Verdict::Merge, Verdict::Exclusive];
            let parts: Vec<VerdictPart> = parts.iter().map(|(members, verdict)| part(verdicts[*verdict], members)).collect();
            let group = group_of(count);
            if let Ok(decided) = read(&group, &parts, &parts) {
                let mut seen = BTreeSet::new();
                for part in &decided.parts {
                    for member in &part.members {
                        proptest::prop_assert!(seen.insert(member.clone()), "a member stands in one part");
                    }
                }
            }
        }
    }
}
