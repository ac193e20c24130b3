//! A01: a vague adjective or quantifier in what must hold.

use crate::lint::numbers::quantities;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{Category, Found};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::Span;

/// The rule.
pub const RULE: Rule = Rule {
    id: "A01",
    name: "vague adjective or quantifier",
    severity: Severity::Minor,
    doc: "A criterion, rule, flow or scope line rests on a word that every reader fills in differently: \
          \"appropriate\", \"various\", \"một số\", \"phù hợp\", \"适当\". Two people would build and test two things.",
    suppressed: "Narrative, glossary, code and quoted text; words of the glossary; words of size where the same statement gives a quantity.",
    source: "INCOSE R7, Femmer et al.",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: The system shows an appropriate error.\n",
            passes: "# Refunds\n\nVarious customers asked for appropriate refunds.\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: The system shows \"Order not found\".\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Hệ thống hiển thị một số đơn phù hợp.\n",
            passes: "# Hoàn tiền\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khách nhập một số điện thoại phù hợp với BR-01.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：系统给出适当的提示。\n",
            passes: "# 退款\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：余额足够时系统提示“已提交”。\n",
        },
    ],
    check,
};

const WORDS: [Category; 2] = [Category::Vague, Category::VagueAmount];

/// Words that leave open what to compare with.
const RELATED: [&str; 7] = ["relevant", "similar", "related", "liên quan", "tương tự", "相关", "类似"];

/// Bytes within which an id behind a word belongs to it.
const NEAR: usize = 14;

fn check(page: &Page<'_>) -> Vec<Hit> {
    page.lines().filter_map(|line| at_line(page, line)).collect()
}

fn at_line(page: &Page<'_>, line: u32) -> Option<Hit> {
    let mut found = page.normative(line, &WORDS);
    if found.is_empty() {
        return None;
    }
    if found.iter().any(|f| f.unmeasured) && !quantities(page.fold(page.statement(line)).text()).is_empty() {
        found.retain(|f| !f.unmeasured);
    }
    found.retain(|f| !page.is_glossary_word(f.span) && !points_at_an_id(page, f));
    let first = *found.first()?;
    let words = |of: Category| found.iter().filter(move |f: &&Found| f.category == of).map(|f| page.slice(f.span));
    let amounts = page.quoted_list(words(Category::VagueAmount));
    let judged = page.quoted_list(words(Category::Vague));
    let all = page.quoted_list(found.iter().map(|f| page.slice(f.span)));
    let related = found.iter().all(|f| RELATED.contains(&page.slice(f.span).to_lowercase().as_str()));
    let kind = if related {
        "related"
    } else if judged.is_empty() {
        "amount"
    } else if amounts.is_empty() {
        "judged"
    } else {
        "both"
    };
    let args =
        [("words", all.into()), ("amounts", amounts.into()), ("judged", judged.into()), ("place", page.place(line).into())];
    let finding = page.say(&format!("lint-A01-{kind}"), &args);
    let suggestion = page.say(&format!("lint-A01-{kind}-suggestion"), &args);
    Some(page.hit(RULE.id, RULE.severity, line, first.span).saying(finding, suggestion))
}

/// `similar UC-01`, `tương tự BR-02`: what is meant can be looked up.
fn points_at_an_id(page: &Page<'_>, found: &Found) -> bool {
    !page.references_in(Span::new(found.span.end, found.span.end + NEAR)).is_empty()
}
