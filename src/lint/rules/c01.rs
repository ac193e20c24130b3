//! C01: two values for one thing.

use crate::lint::frame::Frame;
use crate::lint::numbers::Measure;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::values::{Stated, stated};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The rule.
pub const RULE: Rule = Rule {
    id: "C01",
    name: "numeric contradiction",
    severity: Severity::Critical,
    doc: "Two places give different values for the same thing in the same words (14 days here, 30 there), or a statement gives another \
          value than the rule it cites. One finding with one option for each value; people must choose.",
    suppressed: "Strict form: other bounds or actors, other words on either side, other numbers beside the value, tiers of one list or \
                 table, ranges, examples, exceptions, conditions with different outcomes, success metrics, background.",
    source: "ISO 29148, consistency",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within 14 calendar days after delivery.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the Customer files a refund request within 30 calendar days after delivery, it is accepted.\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within 14 calendar days after delivery.\n- BR-02: A refund request of a gold member must be filed within 30 calendar days after delivery.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the Customer files a refund request within 2 weeks after delivery, it is accepted.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng.\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi Khách hàng gửi yêu cầu hoàn tiền trong vòng 30 ngày sau khi giao hàng, yêu cầu được nhận.\n",
            passes: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng.\n- BR-02: Yêu cầu hoàn tiền của hội viên vàng phải được gửi trong vòng 30 ngày sau khi giao hàng.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 业务规则\n- BR-01：退款申请必须在签收后 14 天内提交。\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：客户在签收后 30 天内提交退款申请时，申请被受理。\n",
            passes: "# 退款\n\n## 业务规则\n- BR-01：退款申请必须在签收后 14 天内提交。\n- BR-02：金卡会员的退款申请必须在签收后 30 天内提交。\n",
        },
    ],
    check,
};

/// Values of one subject that each is compared with: more than any real document has, and it keeps the search linear.
const NEIGHBOURS: usize = 64;

/// Most options of one finding; a thing with more values than this needs another look anyway.
const OPTIONS: usize = 4;

fn check(page: &Page<'_>) -> Vec<Hit> {
    let values: Vec<Stated> = stated(page).into_iter().filter(|value| !page.ignores(RULE.id, value.line)).collect();
    let pairs = pairs(page, &values);
    clusters(values.len(), &pairs).into_iter().filter_map(|members| say(page, &values, &members)).collect()
}

/// Contradicting pairs: values of one subject, and values that stand beside a citation of the rule that gives another.
fn pairs(page: &Page<'_>, values: &[Stated]) -> Vec<(usize, usize)> {
    let mut subjects: HashMap<(&Measure, &Frame), Vec<usize>> = HashMap::new();
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, value) in values.iter().enumerate() {
        subjects.entry(value.subject()).or_default().push(index);
        if let Some(own) = &value.own {
            by_id.entry(own).or_default().push(index);
        }
    }
    let mut pairs = BTreeSet::new();
    for list in subjects.values() {
        for (at, &index) in list.iter().enumerate() {
            for &other in list[at + 1..].iter().take(NEIGHBOURS) {
                if apart(page, &values[index], &values[other]) && values[index].contradicts(&values[other]) {
                    pairs.insert((index, other));
                }
            }
        }
    }
    for (index, value) in values.iter().enumerate() {
        for &other in value.cites.iter().filter_map(|id| by_id.get(id.as_str())).flatten().take(NEIGHBOURS) {
            if other != index && value.line != values[other].line && value.departs_from(&values[other]) {
                pairs.insert((index.min(other), index.max(other)));
            }
        }
    }
    pairs.into_iter().collect()
}

/// Whether two values may contradict by their places: never in one table; in one list only where each statement has an id of its own.
fn apart(page: &Page<'_>, one: &Stated, other: &Stated) -> bool {
    if one.line == other.line || page.same_table(one.line, other.line) {
        return false;
    }
    (one.section, one.unit) != (other.section, other.unit) || (one.own.is_some() && other.own.is_some() && one.weight() > 3)
}

/// Values that contradict each other directly or through a third, in order of place.
fn clusters(count: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..count).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for &(one, other) in pairs {
        let (a, b) = (root(&mut parent, one), root(&mut parent, other));
        parent[a.max(b)] = a.min(b);
    }
    let mut members: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &index in pairs.iter().flat_map(|(one, other)| [one, other]) {
        members.entry(root(&mut parent, index)).or_default().insert(index);
    }
    members.into_values().map(|set| set.into_iter().collect()).collect()
}

fn say(page: &Page<'_>, values: &[Stated], members: &[usize]) -> Option<Hit> {
    let mut groups: Vec<Vec<&Stated>> = Vec::new();
    for &index in members {
        let value = &values[index];
        let known = groups.iter().position(|group| group[0].quantity.same_value(&value.quantity));
        match known {
            Some(at) => groups[at].push(value),
            None if groups.len() < OPTIONS => groups.push(vec![value]),
            None => {}
        }
    }
    let (first, later) = (groups.first()?[0], groups.get(1)?[0]);
    let written = |value: &Stated| page.quoted(page.slice(value.span));
    // No line numbers: an option keeps its words when lines move.
    let places = |group: &[&Stated]| {
        let mut named: Vec<String> = Vec::new();
        for place in group.iter().map(|value| page.stable_place(value.line)) {
            if !named.contains(&place) {
                named.push(place);
            }
        }
        page.list(named.into_iter().take(8))
    };
    let options: Vec<String> = groups
        .iter()
        .map(|group| {
            let others: Vec<&Stated> = groups.iter().filter(|other| !std::ptr::eq(*other, group)).flatten().copied().collect();
            page.say(
                "lint-C01-option",
                &[("value", written(group[0]).into()), ("place", places(group).into()), ("others", places(&others).into())],
            )
        })
        .collect();
    let args = [
        ("value", written(later).into()),
        ("place", page.place(later.line).into()),
        ("first", written(first).into()),
        ("first_place", page.place(first.line).into()),
        ("first_line", first.line.into()),
    ];
    let mut hit = page.hit(RULE.id, RULE.severity, later.line, later.span);
    hit = hit.saying(page.say("lint-C01-finding", &args), page.say("lint-C01-suggestion", &args));
    hit.raw.options = options;
    hit.raw.options_at = groups.iter().map(|group| group[0].line).collect();
    Some(hit)
}
