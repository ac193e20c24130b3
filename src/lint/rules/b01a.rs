//! B01a: mechanism inside an acceptance criterion.

use crate::lint::frame::Frame;
use crate::lint::numbers::numbers;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{Category, Folded, Found};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{Item, ItemKind, SectionKind};
use std::collections::HashMap;

/// The rule.
pub const RULE: Rule = Rule {
    id: "B01a",
    name: "mechanism in acceptance criterion",
    severity: Severity::Major,
    doc: "A criterion says how the system works inside (retry counts, timeouts, flags, queues, status codes) rather than what can be seen \
          from outside. The detail is moved to its business rule; the criterion keeps the outcome and cites the rule.",
    suppressed: "One such word without a number; a unit that is itself about it (the word stands in its title); words of the glossary; \
                 code and quoted text.",
    source: "SPEC S0, Phase 2: role-boundary violations",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-02: Refunds are paid by the provider.\n\n## UC-01: Pay a refund\n### Acceptance Criteria\n- AC-01: When the agent approves (BR-02), the system retries 5 times with exponential backoff.\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-02: The payment is retried 5 times with a timeout of 10 seconds.\n\n## UC-01: Pay a refund\n### Acceptance Criteria\n- AC-01: When the provider does not answer (BR-02), the agent sees that the payment failed and can retry.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## UC-01: Trả tiền\n### Tiêu chí chấp nhận\n- AC-01: Khi duyệt, hệ thống gọi API thanh toán và thử lại 5 lần.\n",
            passes: "# Hoàn tiền\n\n## UC-01: Trả tiền\n### Tiêu chí chấp nhận\n- AC-01: Khi cổng thanh toán không trả lời (BR-04), nhân viên thấy lỗi và có thể thử lại.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## UC-01：支付退款\n### 验收标准\n- AC-01：审批通过时，系统调用支付接口并重试 5 次。\n",
            passes: "# 退款\n\n## UC-01：支付退款\n### 验收标准\n- AC-01：支付无响应时（BR-04），客服看到失败并可重试。\n",
        },
    ],
    check,
};

/// For each mechanism word, by its stems, the first business rule that speaks of it.
type Homes = HashMap<Frame, String>;

fn check(page: &Page<'_>) -> Vec<Hit> {
    let homes = homes(page);
    page.lines().filter_map(|line| at_line(page, line, &homes)).collect()
}

fn homes(page: &Page<'_>) -> Homes {
    let mut homes = Homes::new();
    for line in page.lines() {
        for found in page.found(line).iter().filter(|f| f.category == Category::Mechanism) {
            let rule = page.item_at(line).filter(|(_, item)| item.kind == ItemKind::BusinessRule);
            if let Some(id) = rule.and_then(|(_, item)| item.id.as_ref()) {
                homes.entry(Frame::new(&Folded::plain(page.slice(found.span)))).or_insert_with(|| id.text.clone());
            }
        }
    }
    homes
}

fn at_line(page: &Page<'_>, line: u32, homes: &Homes) -> Option<Hit> {
    if !page.found(line).iter().any(|f| f.category == Category::Mechanism) || !is_criterion(page, line) {
        return None;
    }
    let title = page.outline.unit_at(line).map(|unit| Folded::plain(&unit.title)).unwrap_or_default();
    let found: Vec<Found> = page
        .normative(line, &[Category::Mechanism])
        .into_iter()
        .filter(|f| !title.contains(&Folded::plain(page.slice(f.span))) && !page.is_glossary_word(f.span))
        .collect();
    let first = *found.first()?;
    let mut words: Vec<String> = found.iter().map(|f| Folded::plain(page.slice(f.span))).collect();
    words.sort_unstable();
    words.dedup();
    if words.len() < 2 && numbers(page.fold_statement(page.body_on(line)).text()).is_empty() {
        return None;
    }
    let mechanism = page.quoted_list(found.iter().map(|f| page.slice(f.span)));
    let place = page.place(line);
    let finding = page.say("lint-B01a-finding", &[("words", mechanism.clone().into()), ("place", place.clone().into())]);
    let args = [("words", mechanism.into()), ("place", place.into()), ("target", target(page, line, &words, homes).into())];
    Some(page.hit(RULE.id, RULE.severity, line, first.span).saying(finding, page.say("lint-B01a-suggestion", &args)))
}

/// Whether a line belongs to an acceptance criterion.
pub fn is_criterion(page: &Page<'_>, line: u32) -> bool {
    match page.item_at(line) {
        Some((_, item)) if item.kind != ItemKind::Unit => item.kind == ItemKind::Criterion,
        _ => page.role(line) == SectionKind::Acceptance,
    }
}

/// Where the detail belongs: a cited rule that speaks of it, any rule that does, the rule cited, or the section for rules.
fn target(page: &Page<'_>, line: u32, words: &[String], homes: &Homes) -> String {
    let cited = page.rules_cited(line);
    let words: Vec<Frame> = words.iter().map(|word| Frame::new(word)).collect();
    let speaks = |item: &&&Item| {
        let text = Frame::new(&Folded::plain(page.slice(item.body)));
        words.iter().any(|word| word.is_part_of(&text))
    };
    let name = |item: &&Item| item.id.as_ref().map(|id| id.text.clone());
    let known = cited.iter().find(speaks).and_then(name).or_else(|| words.iter().find_map(|word| homes.get(word).cloned()));
    if let Some(id) = known.or_else(|| cited.first().and_then(name)) {
        return id;
    }
    match page.section_of(SectionKind::BusinessRules) {
        Some(section) => page.say("lint-section", &[("section", section.into())]),
        None => page.say("lint-rules-section", &[]),
    }
}
