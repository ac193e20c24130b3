//! B02: an acceptance criterion only restates the business rule it cites.

use super::b01a::is_criterion;
use crate::lint::frame::Frame;
use crate::lint::numbers::{Quantity, quantities};
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{Item, Span};

/// The rule.
pub const RULE: Rule = Rule {
    id: "B02",
    name: "criterion restates its rule",
    severity: Severity::Minor,
    doc: "A criterion repeats the words of the business rule it cites and adds no outcome that could be seen: \
          there is nothing to test beyond the rule, and two places to keep in step.",
    suppressed: "Criteria that say what is seen when the rule is met or broken; rules of fewer than four content words; \
                 other values than the rule's (C01 speaks of those).",
    source: "SPEC S0, Phase 2: an AC that only restates its BR",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within 14 calendar days after delivery.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: A refund request must be filed within 14 calendar days after delivery (BR-01).\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within 14 calendar days after delivery.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When a refund request is filed later than BR-01 allows, the customer sees that the period is over.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng.\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng (BR-01).\n",
            passes: "# Hoàn tiền\n\n## Quy tắc nghiệp vụ\n- BR-01: Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng.\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi quá thời hạn của BR-01, khách thấy thông báo đã hết hạn và yêu cầu bị từ chối.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 业务规则\n- BR-01：退款申请必须在签收后 14 天内提交。\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：退款申请必须在签收后 14 天内提交（BR-01）。\n",
            passes: "# 退款\n\n## 业务规则\n- BR-01：退款申请必须在签收后 14 天内提交。\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：超过 BR-01 的期限时，客户看到“已过期限”，申请不被受理。\n",
        },
    ],
    check,
};

/// A rule must say at least this much, in words, to be restated.
const LEAST: usize = 4;
/// Share of the rule's words that the criterion repeats.
const COVERED: f64 = 0.8;
/// How alike both must be as a whole.
const ALIKE: f64 = 0.7;
/// A criterion that says this many words more than the rule says something of its own.
const OWN: usize = 2;

fn check(page: &Page<'_>) -> Vec<Hit> {
    let citing = page.outline.references.iter().map(|reference| reference.line);
    let mut lines: Vec<u32> = citing.collect();
    lines.dedup();
    let mut hits: Vec<Hit> = Vec::new();
    for line in lines {
        let Some((_, item)) = page.item_at(line).filter(|_| is_criterion(page, line)) else { continue };
        // The quote starts where the criterion does, whichever of its lines holds the reference.
        let first = item.place.lines.first;
        if hits.last().is_some_and(|hit| hit.line == first) {
            continue;
        }
        hits.extend(page.rules_cited(line).into_iter().find_map(|rule| restates(page, item, rule, first)));
    }
    hits
}

fn restates(page: &Page<'_>, item: &Item, rule: &Item, line: u32) -> Option<Hit> {
    let (criterion, values) = read(page, item.body);
    let (law, lawful) = read(page, rule.body);
    if law.weight() < LEAST || law.covered_by(&criterion) < COVERED || law.dice(&criterion) < ALIKE {
        return None;
    }
    if criterion.beyond(&law).weight() >= OWN || !same_values(&values, &lawful) {
        return None;
    }
    let args = [
        ("place", page.place(line).into()),
        ("rule", rule.id.as_ref().map(|id| id.text.clone()).unwrap_or_default().into()),
        ("line", rule.place.lines.first.into()),
    ];
    let hit = page.hit(RULE.id, RULE.severity, line, Span::new(item.body.start, item.body.start));
    Some(hit.saying(page.say("lint-B02-finding", &args), page.say("lint-B02-suggestion", &args)))
}

/// Content words and values of a text; ids left out.
fn read(page: &Page<'_>, span: Span) -> (Frame, Vec<Quantity>) {
    let folded = page.fold_statement(span);
    (Frame::new(folded.text()), quantities(folded.text()))
}

fn same_values(one: &[Quantity], other: &[Quantity]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.measure == b.measure && a.same_value(b))
}
