//! M02: an open question without an answer.

use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{CLAUSE, Category, Folded, LINE};
use crate::model::finding::{Question, RawQuestion, Severity};
use crate::model::lang::Lang;
use crate::model::outline::{OpenQuestion, SectionKind};
use std::collections::BTreeMap;

/// The rule.
pub const RULE: Rule = Rule {
    id: "M02",
    name: "open question without answer",
    severity: Severity::Major,
    doc: "A question of the document stands unanswered. It is carried on as a question that the finding waits for; one on security, \
          privacy, money, law or product scope becomes a policy question, which a human alone answers. Minor where somebody owns it.",
    suppressed: "Answered questions, checklists, guidelines about asking questions.",
    source: "SPEC S0, Phase 1: policy questions",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Open Questions\n- Who may see the reason of a refund?\n",
            passes: "# Refunds\n\n## Open Questions\n- Who may see the reason of a refund? Answer: the agent and the customer.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Câu hỏi mở\n- Ai được xem lý do hoàn tiền?\n",
            passes: "# Hoàn tiền\n\n## Câu hỏi mở\n- Ai được xem lý do hoàn tiền? Trả lời: nhân viên và khách hàng.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 待定问题\n- 谁可以查看退款原因？\n",
            passes: "# 退款\n\n## 待定问题\n- 谁可以查看退款原因？（答：客服和客户）\n",
        },
    ],
    check,
};

/// Topics of policy questions, the weightiest first where two are named as often.
const TOPICS: [(Category, &str); 5] = [
    (Category::Privacy, "privacy"),
    (Category::Security, "security"),
    (Category::Law, "law"),
    (Category::Money, "money"),
    (Category::Product, "product"),
];

fn check(page: &Page<'_>) -> Vec<Hit> {
    let mut by_line: BTreeMap<u32, Vec<&OpenQuestion>> = BTreeMap::new();
    for question in &page.outline.open_questions {
        let line = question.place.lines.first;
        let closed = matches!(page.role(line), SectionKind::Checklist | SectionKind::Changelog | SectionKind::Toc);
        if !closed && !asks_readers(page, line) && asks(question) && question.answer.is_none() {
            by_line.entry(line).or_default().push(question);
        }
    }
    by_line.into_iter().map(|(line, questions)| say(page, line, &questions)).collect()
}

/// Whether the entry asks anything: a bare `TBD` under the heading is a placeholder, no question.
pub fn asks(question: &OpenQuestion) -> bool {
    let words = question.text.trim();
    let short = words.chars().count() <= 12;
    words.chars().filter(|c| c.is_alphabetic()).count() >= 2 && !(short && LINE.holds(words, &[Category::Placeholder]))
}

/// Questions of an interview or a guide (`User Research Questions`) are put to somebody else than the authors.
fn asks_readers(page: &Page<'_>, line: u32) -> bool {
    const OPEN: [&str; 9] =
        ["open", "unresolved", "outstanding", "remaining", "pending", "unanswered", "clarif", "issue", "undecided"];
    if page.role(line) != SectionKind::OpenQuestions {
        return false;
    }
    let section = page.outline.line(line).and_then(|l| l.section).and_then(|index| page.outline.sections.get(index));
    let title = section.map(|section| section.title.to_lowercase()).unwrap_or_default();
    let bare = title.trim_matches(|c: char| !c.is_alphabetic());
    bare.ends_with("questions") && bare != "questions" && !OPEN.iter().any(|word| bare.contains(word))
}

fn say(page: &Page<'_>, line: u32, questions: &[&OpenQuestion]) -> Hit {
    let asked: Vec<Question> = questions.iter().map(|question| ask(question)).collect();
    let owner = questions.iter().find_map(|question| question.owner.as_deref().filter(|owner| !owner.trim().is_empty()));
    let severity = if owner.is_some() { Severity::Minor } else { RULE.severity };
    let words: Vec<String> = questions.iter().map(|question| bare(question)).collect();
    let words = page.quoted_list(words.iter().map(String::as_str));
    let topic = asked.iter().find_map(|question| question.policy.as_deref());
    let args = [
        ("question", words.into()),
        ("place", page.place(line).into()),
        ("owner", owner.unwrap_or_default().to_owned().into()),
        ("topic", topic.map(|topic| page.say(&format!("lint-topic-{topic}"), &[])).unwrap_or_default().into()),
    ];
    let finding = page.say(if topic.is_some() { "lint-M02-policy" } else { "lint-M02-finding" }, &args);
    let suggestion = page.say(if owner.is_some() { "lint-M02-owned" } else { "lint-M02-suggestion" }, &args);
    let mut hit = page.hit(RULE.id, severity, line, questions[0].place.span).saying(finding, suggestion);
    hit.raw.blocked_on = asked.into_iter().map(RawQuestion::Full).collect();
    hit
}

/// The question to wait for; with the prefix and the topic of a policy question where it is one.
fn ask(question: &OpenQuestion) -> Question {
    let words = bare(question);
    let policy = topic(&words);
    let asked = match policy {
        Some(topic) => format!("needs-{topic}-decision: {words}"),
        None => words,
    };
    Question { question: asked, policy: policy.map(str::to_owned), owner: question.owner.clone(), ..Question::default() }
}

/// The question's words alone: no marker around them (`[NEEDS CLARIFICATION: …]`), no owner behind them.
fn bare(question: &OpenQuestion) -> String {
    let flat = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let inner = flat.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|inner| inner.split_once([':', '：']));
    let words = match inner {
        Some((marker, question)) if marker.chars().count() <= 24 && !question.trim().is_empty() => question.trim(),
        _ => flat.as_str(),
    };
    let owner = question.owner.as_deref().map(str::trim).filter(|owner| !owner.is_empty());
    let asked = owner.and_then(|owner| words.rfind(owner)).and_then(|at| words[..at].rfind(['?', '？']));
    match asked {
        Some(end) => words[..end].to_owned() + words[end..].chars().next().map_or("", |c| if c == '?' { "?" } else { "？" }),
        None => words.to_owned(),
    }
}

/// The policy topic a question is about: the one it names most often.
pub fn topic(words: &str) -> Option<&'static str> {
    let found = CLAUSE.scan(&Folded::new(words, 0, &[]), words, true);
    let count = |category: Category| found.iter().filter(|f| f.category == category).count();
    let mut best: Option<(usize, &'static str)> = None;
    for (category, topic) in TOPICS {
        let named = count(category);
        if named > best.map_or(0, |(most, _)| most) {
            best = Some((named, topic));
        }
    }
    best.map(|(_, topic)| topic)
}

#[cfg(test)]
mod tests {
    use super::topic;

    #[test]
    fn topics_of_policy_questions_in_three_languages() {
        for (words, expected) in [
            ("Which roles have permission to export?", Some("security")),
            ("How long may personal data be kept?", Some("privacy")),
            ("Is a contract with the provider needed?", Some("law")),
            ("Who bears the fee of the bank?", Some("money")),
            ("Are partial orders in scope?", Some("product")),
            ("Which colour has the button?", None),
            ("Ai có quyền xem dữ liệu cá nhân?", Some("privacy")),
            ("Mật khẩu dài bao nhiêu?", Some("security")),
            ("Phí chuyển khoản do ai chịu?", Some("money")),
            ("Có cần hợp đồng không?", Some("law")),
            ("Đánh giá có thuộc phạm vi không?", Some("product")),
            ("Nút có giá trị nào?", None),
            ("谁有权限导出？", Some("security")),
            ("个人信息保存多久？", Some("privacy")),
            ("手续费由谁承担？", Some("money")),
            ("是否符合法规？", Some("law")),
            ("一期包含移动端吗？", Some("product")),
            ("按钮是什么颜色？", None),
        ] {
            assert_eq!(topic(words), expected, "{words}");
        }
    }
}
