//! A04: a loophole in what must hold.

use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{CLAUSE, Category};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{ItemKind, SectionKind};

/// The rule.
pub const RULE: Rule = Rule {
    id: "A04",
    name: "loophole",
    severity: Severity::Major,
    doc: "\"As appropriate\", \"if possible\", \"nếu cần\", \"必要时\" let whoever builds it decide whether the rule holds at all: \
          nothing is left that a test could fail.",
    suppressed: "Narrative, code and quoted text; a business rule that says in the same sentence what the words mean; \
                 a column called \"if applicable\".",
    source: "INCOSE R8, Femmer et al.",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## UC-01: Pay a refund\n### Acceptance Criteria\n- AC-01: The refund is paid as appropriate.\n",
            passes: "# Refunds\n\nWe usually refund where possible.\n\n## UC-01: Pay a refund\n### Acceptance Criteria\n- AC-01: The refund is paid when an agent approves it.\n- AC-02: The address is marked as required.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## UC-01: Trả tiền\n### Tiêu chí chấp nhận\n- AC-01: Nhân viên gọi cho khách nếu cần.\n",
            passes: "# Hoàn tiền\n\n## UC-01: Trả tiền\n### Tiêu chí chấp nhận\n- AC-01: Nhân viên gọi cho khách khi số tài khoản sai.\n- AC-02: Màn hình hiển thị ghi chú (nếu có).\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## UC-01：支付退款\n### 验收标准\n- AC-01：必要时客服联系客户。\n",
            passes: "# 退款\n\n## UC-01：支付退款\n### 验收标准\n- AC-01：账号错误时客服联系客户。\n",
        },
    ],
    check,
};

fn check(page: &Page<'_>) -> Vec<Hit> {
    page.lines().filter_map(|line| at_line(page, line)).collect()
}

fn at_line(page: &Page<'_>, line: u32) -> Option<Hit> {
    let mut found = page.normative(line, &[Category::Loophole]);
    if found.is_empty() || defines_itself(page, line) {
        return None;
    }
    found.retain(|f| !page.is_glossary_word(f.span));
    let first = *found.first()?;
    let words = page.quoted_list(found.iter().map(|f| page.slice(f.span)));
    let args = [("words", words.into()), ("place", page.place(line).into())];
    let hit = page.hit(RULE.id, RULE.severity, line, first.span);
    Some(hit.saying(page.say("lint-A04-finding", &args), page.say("lint-A04-suggestion", &args)))
}

/// A business rule that says what the words mean, or where that stands.
fn defines_itself(page: &Page<'_>, line: u32) -> bool {
    let rule = page.item_at(line).is_some_and(|(_, item)| item.kind == ItemKind::BusinessRule)
        || page.role(line) == SectionKind::BusinessRules;
    let text = page.slice(page.statement(line));
    rule && CLAUSE.holds(text, &[Category::Defining])
}
