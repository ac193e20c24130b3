//! P01: a placeholder stands where a decision belongs.

use crate::lint::gate::Gate;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{CLAUSE, Category, Folded};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{ItemKind, LineKind, SectionKind, Span};

/// The rule.
pub const RULE: Rule = Rule {
    id: "P01",
    name: "dangling placeholder",
    severity: Severity::Major,
    doc: "TBD, TODO, ???, [...] or their Vietnamese and Chinese kin stand where a value or decision belongs. \
          Critical inside a criterion or business rule, because nothing can be built or tested until it is decided.",
    suppressed: "Code, quoted text, checklists, text about placeholders (\"no TBD is left\"), names of states, open questions \
                 (M02 speaks of them); Vietnamese and Chinese terms count only where they fill a whole cell, bullet, bracket or value.",
    source: "ISO 29148 5.2.7",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within TBD days after delivery.\n",
            passes: "# Refunds\n\n## Business Rules\n- BR-01: A refund request must be filed within 14 days after delivery.\n- BR-02: The term continues to be determined by the bank.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Ngoài phạm vi\n- Cập nhật sau\n",
            passes: "# Hoàn tiền\n\n## Ngoài phạm vi\n- Hoàn tiền một phần\n- Đơn ở trạng thái Chờ xác nhận thanh toán\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 业务规则\n| 编号 | 规则 |\n|---|---|\n| BR-01 | 待定 |\n",
            passes: "# 退款\n\n## 业务规则\n| 编号 | 规则 |\n|---|---|\n| BR-01 | 状态为待确认的订单可以退款 |\n",
        },
    ],
    check,
};

fn check(page: &Page<'_>) -> Vec<Hit> {
    let asked = asked_lines(page);
    page.lines()
        .filter(|&line| {
            (page.gate(line) >= Gate::Readable || in_block_quote(page, line))
                && !asked.has(line)
                && page.role(line) != SectionKind::States
        })
        .filter_map(|line| at_line(page, line))
        .collect()
}

fn at_line(page: &Page<'_>, line: u32) -> Option<Hit> {
    let mut spans: Vec<Span> = if in_block_quote(page, line) {
        quoted_mark(page, line).into_iter().collect()
    } else {
        let listed = page.found(line).iter().filter(|f| f.category == Category::Placeholder).map(|f| f.span);
        listed.chain(marks(page, line)).collect()
    };
    spans.retain(|span| !is_state(page, line, *span));
    let first = *spans.first()?;
    if is_about_placeholders(page, line, first) {
        return None;
    }
    let words = page.quoted_list(spans.iter().map(|span| page.slice(*span)));
    let kind = page.item_at(line).map(|(_, item)| item.kind);
    let rules = matches!(kind, Some(ItemKind::Criterion | ItemKind::BusinessRule))
        || matches!(page.role(line), SectionKind::Acceptance | SectionKind::BusinessRules);
    let severity = if rules { Severity::Critical } else { Severity::Major };
    let place = page.place(line);
    let finding = if rules { "lint-P01-rule" } else { "lint-P01-finding" };
    let finding = page.say(finding, &[("words", words.clone().into()), ("place", place.clone().into())]);
    let suggestion = match page.section_of(SectionKind::OpenQuestions) {
        Some(section) => {
            page.say("lint-P01-move", &[("words", words.into()), ("place", place.into()), ("section", section.into())])
        }
        None => page.say("lint-P01-suggestion", &[("words", words.into()), ("place", place.into())]),
    };
    Some(page.hit(RULE.id, severity, line, first).saying(finding, suggestion))
}

/// A line of a block quote outside history, contents and checklists. Notes to the team often stand in one.
fn in_block_quote(page: &Page<'_>, line: u32) -> bool {
    let quote = page.outline.line(line).is_some_and(|line| line.kind == LineKind::Quote);
    quote && !matches!(page.role(line), SectionKind::Changelog | SectionKind::Toc | SectionKind::Checklist)
}

/// `> [TODO: …]`, `> TBD`: what is quoted from elsewhere may hold the words otherwise.
fn quoted_mark(page: &Page<'_>, line: u32) -> Option<Span> {
    let base = page.line_span(line)?.start;
    let raw = page.line_text(line);
    let opening = raw.len() - raw.trim_start_matches(['>', ' ', '*']).len();
    ["TODO", "TBD"].iter().find_map(|word| {
        let mut places = raw.match_indices(word).map(|(at, _)| at);
        let fits = |at: &usize| {
            let after = &raw[at + word.len()..];
            let closed = after.trim_end_matches(['*', '.', ' ']).is_empty() || after.starts_with([':', '：', ']']);
            (*at == opening || raw[..*at].ends_with('[')) && (closed || after.starts_with("**"))
        };
        places.find(fits).map(|at| Span::new(base + at, base + at + word.len()))
    })
}

/// Signs that are no words: `???`, `[...]`, `<TBD>`, `<insert name>`.
fn marks(page: &Page<'_>, line: u32) -> Vec<Span> {
    let raw = page.line_text(line);
    if !raw.contains(['?', '？', '[', '<']) {
        return Vec::new();
    }
    let folded = page.folded(line);
    let text = folded.text();
    let mut spans = Vec::new();
    for sign in ["???", "[...]", "[..]"] {
        if let Some(at) = text.find(sign) {
            spans.push(folded.source(at, at + sign.len()));
        }
    }
    // Tags are masked as markup: these are read from the line itself, code left out.
    let lower = raw.to_ascii_lowercase();
    let base = page.line_span(line).unwrap_or_default().start;
    for sign in ["<tbd", "<todo", "<placeholder", "<insert ", "<fill in", "<to be ", "<...>"] {
        if let Some(at) = lower.find(sign)
            && let Some(len) = lower[at..].find('>')
            && !lower[..at].ends_with('`')
        {
            spans.push(Span::new(base + at, base + at + len + 1));
        }
    }
    spans
}

/// `TODO` beside `DONE` names a state of a task, as does a word that the document declares as one.
fn is_state(page: &Page<'_>, line: u32, span: Span) -> bool {
    let word = page.slice(span);
    let declared = page.outline.states.iter().any(|state| state.name.eq_ignore_ascii_case(word));
    let text = page.line_text(line);
    let board = word == "TODO" && ["DONE", "DOING", "IN PROGRESS", "IN_PROGRESS"].iter().any(|other| text.contains(other));
    declared || board
}

/// `No TBD is left`, `all [NEEDS CLARIFICATION] markers`: the text speaks about placeholders.
fn is_about_placeholders(page: &Page<'_>, line: u32, span: Span) -> bool {
    let base = page.outline.line(line).map_or(0, |l| l.span.start);
    let before = page.slice(Span::new(base, span.start));
    let near: String = before.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
    let folded = Folded::new(&near, 0, &[]);
    let tail = folded.text().trim_end_matches(['[', '(', '"', '`', '“', ' ', '"']);
    CLAUSE.scan(&Folded::new(tail, 0, &[]), tail, true).iter().any(|f| f.category == Category::Negated && f.end == tail.len())
        || speaks_of_it(page, span)
}

/// `TBD marker`, `TODO placeholder`, `TODO list`; a question behind the words (`NEEDS CLARIFICATION: …`) is M02's.
fn speaks_of_it(page: &Page<'_>, span: Span) -> bool {
    let end = page.text().len().min(span.end);
    let after = page.text().get(end..).unwrap_or_default().trim_start_matches([']', ')', '`', '"', '”', '*']);
    let asks = page.slice(span) == "NEEDS CLARIFICATION" && after.trim_start().starts_with([':', '：']);
    asks || ["marker", "placeholder", "list", "item", "comment", "app"].iter().any(|word| after.trim_start().starts_with(word))
}

/// Lines of open questions: another rule asks about them.
struct Asked(Vec<(u32, u32)>);

fn asked_lines(page: &Page<'_>) -> Asked {
    let questions = page.outline.open_questions.iter().filter(|question| super::m02::asks(question));
    let mut lines: Vec<(u32, u32)> = questions.map(|question| (question.place.lines.first, question.place.lines.last)).collect();
    lines.sort_unstable();
    Asked(lines)
}

impl Asked {
    fn has(&self, line: u32) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= line);
        self.0[..after].iter().rev().take(4).any(|&(_, last)| line <= last)
    }
}
