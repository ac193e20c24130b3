//! S01: a state that nothing leads out of.

use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{CLAUSE, Category, Folded};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::{SectionKind, Span, State, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// The rule.
pub const RULE: Rule = Rule {
    id: "S01",
    name: "state without exit",
    severity: Severity::Major,
    doc: "A declared state is never the start of a transition and is no end by its name or mark: what is in it stays there for ever.",
    suppressed: "States marked as final, names that are ends by nature (approved, đã hủy, 已完成), lists of states without transitions, \
                 lists where most states lack an exit, because the transitions then stand elsewhere.",
    source: "state-machine practice",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## States\nStates of a refund request: DRAFT, SUBMITTED, APPROVED, SUSPENDED\n- DRAFT -> SUBMITTED\n- SUBMITTED -> APPROVED\n- SUBMITTED -> SUSPENDED\n",
            passes: "# Refunds\n\n## States\nStates of a refund request: DRAFT, SUBMITTED, APPROVED, SUSPENDED\n- DRAFT -> SUBMITTED\n- SUBMITTED -> APPROVED\n- SUBMITTED -> SUSPENDED\n- SUSPENDED -> SUBMITTED\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Trạng thái\nCác trạng thái: Nháp, Đã gửi, Tạm dừng, Đã duyệt\n- Nháp -> Đã gửi\n- Đã gửi -> Đã duyệt\n- Đã gửi -> Tạm dừng\n",
            passes: "# Hoàn tiền\n\n## Trạng thái\nCác trạng thái: Nháp, Đã gửi, Tạm dừng, Đã duyệt\n- Nháp -> Đã gửi\n- Đã gửi -> Đã duyệt\n- Đã gửi -> Tạm dừng\n- Tạm dừng -> Đã gửi\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 状态\n状态：草稿、已提交、已挂起、已通过\n- 草稿 -> 已提交\n- 已提交 -> 已通过\n- 已提交 -> 已挂起\n",
            passes: "# 退款\n\n## 状态\n状态：草稿、已提交、已挂起、已通过\n- 草稿 -> 已提交\n- 已提交 -> 已通过\n- 已提交 -> 已挂起\n- 已挂起 -> 已提交\n",
        },
    ],
    check,
};

/// The states and transitions of one thing.
#[derive(Default)]
struct Machine<'a> {
    states: Vec<&'a State>,
    moves: Vec<&'a Transition>,
}

fn check(page: &Page<'_>) -> Vec<Hit> {
    let mut machines: BTreeMap<u32, Machine<'_>> = BTreeMap::new();
    for state in &page.outline.states {
        machines.entry(state.group).or_default().states.push(state);
    }
    for transition in &page.outline.transitions {
        machines.entry(transition.group).or_default().moves.push(transition);
    }
    machines.into_values().flat_map(|machine| dead_ends(page, &machine)).collect()
}

fn dead_ends(page: &Page<'_>, machine: &Machine<'_>) -> Vec<Hit> {
    let sources: BTreeSet<String> = machine.moves.iter().map(|transition| Folded::plain(transition.from.trim())).collect();
    if sources.is_empty() {
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let states: Vec<&State> = machine.states.iter().copied().filter(|state| names.insert(Folded::plain(&state.name))).collect();
    let stuck: Vec<&State> = states
        .iter()
        .copied()
        .filter(|state| !state.terminal && !sources.contains(&Folded::plain(state.name.trim())) && !ends_by_name(&state.name))
        .collect();
    if stuck.len() * 2 > states.len() {
        return Vec::new();
    }
    let mut by_line: BTreeMap<u32, Vec<&State>> = BTreeMap::new();
    for state in stuck {
        by_line.entry(state.place.lines.first).or_default().push(state);
    }
    let closed = |line: u32| matches!(page.role(line), SectionKind::Changelog | SectionKind::Checklist | SectionKind::Toc);
    by_line.into_iter().filter(|(line, _)| !closed(*line)).map(|(line, states)| say(page, machine, line, &states)).collect()
}

/// Whether a state's name is an end by its nature, as a whole: `Approved`, `đã hủy`, `已完成`.
fn ends_by_name(name: &str) -> bool {
    let spaced = name.replace(['_', '-'], " ");
    let folded = Folded::new(&spaced, 0, &[]);
    let text = folded.text().trim();
    CLAUSE.scan(&folded, &spaced, true).iter().any(|f| {
        f.category == Category::Terminal
            && (text.len() == f.end - f.start || !text.is_ascii() || text.ends_with(&folded.text()[f.start..f.end]))
    })
}

fn say(page: &Page<'_>, machine: &Machine<'_>, line: u32, states: &[&State]) -> Hit {
    let names: Vec<&str> = states.iter().map(|state| state.name.trim()).collect();
    let reached: BTreeSet<u32> = machine
        .moves
        .iter()
        .filter(|transition| names.iter().any(|name| Folded::plain(transition.to.trim()) == Folded::plain(name)))
        .map(|transition| transition.place.lines.first)
        .collect();
    let args = [
        ("states", page.quoted_list(names.iter().copied()).into()),
        ("lines", page.list(reached.iter().map(u32::to_string)).into()),
    ];
    let finding = page.say(if reached.is_empty() { "lint-S01-unreached" } else { "lint-S01-finding" }, &args);
    let focus = page.line_span(line).map_or(Span::default(), |span| {
        let at = page.slice(span).find(names[0]).unwrap_or(0);
        Span::new(span.start + at, span.start + at + names[0].len())
    });
    page.hit(RULE.id, RULE.severity, line, focus).saying(finding, page.say("lint-S01-suggestion", &args))
}
