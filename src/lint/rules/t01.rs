//! T01: a word stands where the document or the project wants another.

use crate::lint::frame::is_simple_word;
use crate::lint::gate::Gate;
use crate::lint::page::Page;
use crate::lint::rule::{Example, Hit, Rule};
use crate::lint::words::{Folded, stands_alone};
use crate::model::finding::Severity;
use crate::model::lang::Lang;
use crate::model::outline::Span;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeMap;

/// The rule.
pub const RULE: Rule = Rule {
    id: "T01",
    name: "banned term",
    severity: Severity::Major,
    doc: "A word stands in a rule, criterion, flow or scope line that the glossary's \"avoid\" column or the project's list of banned \
          terms replaces by another; readers take it for a second thing. Fixed by itself only where one word stands for one, \
          in the same form.",
    suppressed: "The glossary itself, history, narrative, code and quoted text; the word inside a longer term of the glossary.",
    source: "BMAD PRD validation, slim context",
    examples: &[
        Example {
            lang: Lang::En,
            fails: "# Refunds\n\n## Glossary\n| Term | Definition | Avoid |\n|---|---|---|\n| refund request | Asks for money back | claim |\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the customer submits the claim, it gets a number.\n",
            passes: "# Refunds\n\nCustomers claim too much.\n\n## Glossary\n| Term | Definition | Avoid |\n|---|---|---|\n| refund request | Asks for money back, a claim | claim |\n\n## UC-01: File a refund\n### Acceptance Criteria\n- AC-01: When the customer submits the refund request, it gets a number.\n",
        },
        Example {
            lang: Lang::Vi,
            fails: "# Hoàn tiền\n\n## Thuật ngữ\n| Thuật ngữ | Định nghĩa | Tránh dùng |\n|---|---|---|\n| yêu cầu hoàn tiền | Đề nghị trả lại tiền | khiếu nại |\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi khiếu nại, hệ thống cấp một mã.\n",
            passes: "# Hoàn tiền\n\n## Thuật ngữ\n| Thuật ngữ | Định nghĩa | Tránh dùng |\n|---|---|---|\n| yêu cầu hoàn tiền | Đề nghị trả lại tiền | khiếu nại |\n\n## UC-01: Gửi yêu cầu\n### Tiêu chí chấp nhận\n- AC-01: Khi khách gửi yêu cầu hoàn tiền, hệ thống cấp một mã.\n",
        },
        Example {
            lang: Lang::Zh,
            fails: "# 退款\n\n## 术语表\n| 术语 | 定义 | 避免使用 |\n|---|---|---|\n| 退款申请 | 要求退还款项 | 索赔单 |\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：客户提交索赔单时，系统生成编号。\n",
            passes: "# 退款\n\n## 术语表\n| 术语 | 定义 | 避免使用 |\n|---|---|---|\n| 退款申请 | 要求退还款项 | 索赔单 |\n\n## UC-01：提交退款\n### 验收标准\n- AC-01：客户提交退款申请时，系统生成编号。\n",
        },
    ],
    check,
};

/// A spelling to look for.
struct Pattern {
    /// The banned term it is a form of; `None` for a term that is right and hides what lies inside it.
    banned: Option<String>,
    /// Whether it is the term's own form, not a plural.
    plain: bool,
}

/// Banned terms with what to write instead, and the pass that finds them.
struct Terms {
    automaton: AhoCorasick,
    patterns: Vec<Pattern>,
    instead: BTreeMap<String, Vec<String>>,
}

/// One banned word on a line.
struct Use {
    span: Span,
    banned: String,
    plain: bool,
}

fn check(page: &Page<'_>) -> Vec<Hit> {
    let Some(terms) = Terms::of(page) else { return Vec::new() };
    page.lines().filter(|&line| page.gate(line) >= Gate::Body).filter_map(|line| at_line(page, &terms, line)).collect()
}

impl Terms {
    fn of(page: &Page<'_>) -> Option<Terms> {
        let glossary =
            page.outline.glossary.iter().flat_map(|term| term.avoid.iter().map(|word| (word.as_str(), term.term.as_str())));
        let project = page.context.banned_terms.iter().map(|banned| (banned.term.as_str(), banned.instead.as_str()));
        let mut instead: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (word, right) in glossary.chain(project) {
            let banned = Folded::plain(word.trim());
            if !banned.chars().any(char::is_alphabetic) || matches!(banned.as_str(), "none" | "n/a" | "không có" | "không" | "无")
            {
                continue;
            }
            // `Order, avoid: order` bans nothing.
            if banned == Folded::plain(right.trim()) {
                continue;
            }
            let list = instead.entry(banned).or_default();
            let right = right.trim().to_owned();
            if !list.contains(&right) && !right.is_empty() {
                list.push(right);
            }
        }
        if instead.is_empty() {
            return None;
        }
        let right = page.outline.glossary.iter().map(|term| &term.term).chain(&page.context.canonical_entities);
        let right: Vec<String> =
            right.map(|term| Folded::plain(term.trim())).filter(|term| !instead.contains_key(term)).collect();
        let mut spellings: BTreeMap<String, Pattern> = BTreeMap::new();
        for term in right.into_iter().filter(|term| !term.is_empty()) {
            for form in plurals(&term).into_iter().chain([term]) {
                spellings.insert(form, Pattern { banned: None, plain: true });
            }
        }
        for banned in instead.keys() {
            for form in plurals(banned) {
                spellings.entry(form).or_insert_with(|| Pattern { banned: Some(banned.clone()), plain: false });
            }
        }
        for banned in instead.keys() {
            spellings.insert(banned.clone(), Pattern { banned: Some(banned.clone()), plain: true });
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(spellings.keys()).ok()?;
        Some(Terms { automaton, patterns: spellings.into_values().collect(), instead })
    }

    /// Banned words of a folded line that stand alone and inside no longer term, each place once.
    fn uses(&self, folded: &Folded) -> Vec<Use> {
        let text = folded.text();
        let mut matches: Vec<(usize, usize, usize)> = self
            .automaton
            .find_overlapping_iter(text)
            .map(|m| (m.start(), m.end(), m.pattern().as_usize()))
            .filter(|&(start, end, _)| stands_alone(text, start, end))
            .collect();
        matches.sort_unstable_by_key(|&(start, end, _)| (start, std::cmp::Reverse(end)));
        let mut uses = Vec::new();
        let mut covered = 0;
        for (start, end, pattern) in matches {
            if start < covered {
                continue;
            }
            covered = end;
            let pattern = &self.patterns[pattern];
            if let Some(banned) = &pattern.banned {
                uses.push(Use { span: folded.source(start, end), banned: banned.clone(), plain: pattern.plain });
            }
        }
        uses
    }
}

/// Plural forms of an English word or phrase.
fn plurals(term: &str) -> Vec<String> {
    if !is_simple_word(term) {
        return Vec::new();
    }
    match term {
        t if t.ends_with('y') && !t.ends_with("ay") && !t.ends_with("ey") => vec![format!("{}ies", &t[..t.len() - 1])],
        t if t.ends_with(['s', 'x']) || t.ends_with("ch") || t.ends_with("sh") => vec![format!("{t}es")],
        t => vec![format!("{t}s")],
    }
}

fn at_line(page: &Page<'_>, terms: &Terms, line: u32) -> Option<Hit> {
    let uses = terms.uses(&page.folded(line));
    let first = uses.first()?;
    let mut seen: Vec<&str> = Vec::new();
    let mut pairs = Vec::new();
    let mut fixable = true;
    for one in &uses {
        let right = terms.instead.get(&one.banned).map(Vec::as_slice).unwrap_or_default();
        fixable &= one.plain && right.len() == 1;
        let written = page.slice(one.span);
        if !seen.contains(&written) {
            seen.push(written);
            pairs.push(replacement(page, one, right));
        }
    }
    let names = page.quoted_list(seen.iter().copied());
    let mut rights: Vec<&str> = uses.iter().flat_map(|one| &terms.instead[&one.banned]).map(String::as_str).collect();
    rights.dedup();
    let args =
        [("words", names.into()), ("place", page.place(line).into()), ("right", page.quoted_list(rights.iter().copied()).into())];
    let finding = page.say(if rights.is_empty() { "lint-T01-bare" } else { "lint-T01-finding" }, &args);
    let mut hit = page.hit(RULE.id, RULE.severity, line, first.span).saying(finding, page.sentences(&pairs));
    hit.raw.auto_fixable = fixable;
    Some(hit)
}

/// What to write for one use: the canonical term in its place, its first letter and the article before it fitted.
fn replacement(page: &Page<'_>, one: &Use, right: &[String]) -> String {
    let written = page.slice(one.span);
    let [only] = right else {
        let message = if right.is_empty() { "lint-T01-choose-word" } else { "lint-T01-choose" };
        let choices = page.quoted_list(right.iter().map(String::as_str));
        return page.say(message, &[("word", page.quoted(written).into()), ("choices", choices.into())]);
    };
    let fitted = fit_case(only, written);
    if !one.plain {
        return page.say("lint-T01-form", &[("word", page.quoted(written).into()), ("right", page.quoted(&fitted).into())]);
    }
    let (before, after) = match article_before(page, one.span) {
        Some((article, fits)) if fits != starts_with_vowel(&fitted) => {
            let other = if fits { "a" } else { "an" };
            (format!("{article} {written}"), format!("{} {fitted}", fit_case(other, article)))
        }
        _ => (written.to_owned(), fitted),
    };
    page.say("lint-T01-suggestion", &[("word", page.quoted(&before).into()), ("right", page.quoted(&after).into())])
}

/// `a` or `an` right before a word, and whether it is the one for vowels.
fn article_before<'p>(page: &'p Page<'_>, span: Span) -> Option<(&'p str, bool)> {
    let head = page.text().get(..span.start)?.strip_suffix(' ')?;
    let start =
        head.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + head[at..].chars().next().map_or(1, char::len_utf8));
    let word = &head[start..];
    match word {
        "a" | "A" => Some((word, false)),
        "an" | "An" => Some((word, true)),
        _ => None,
    }
}

fn starts_with_vowel(word: &str) -> bool {
    word.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U'])
}

/// The word with a capital first letter where the one it replaces has one; an acronym says nothing about that.
fn fit_case(word: &str, like: &str) -> String {
    let mut chars = word.chars();
    let acronym = like.chars().count() > 1 && !like.contains(char::is_lowercase);
    match (chars.next(), like.chars().next()) {
        (Some(first), Some(model)) if !acronym && model.is_uppercase() && first.is_lowercase() => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => word.to_owned(),
    }
}
