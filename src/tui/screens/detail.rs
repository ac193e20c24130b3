//! One finding in full: where it stands, what the document says there, what is wrong, what to write instead, what is asked,
//! what was decided and by whom.

use super::painter::{Spans, span, wrapped};
use super::quoted;
use crate::model::finding::{Absorbed, Finding, Grounding, Question, Severity, Status};
use crate::model::ids::FindingKey;
use crate::model::shown::Shown;
use crate::model::view::Found;
use crate::text::Value;
use crate::tui::differences::{self, Differences, Piece};
use crate::tui::filter::{self, Out, Row};
use crate::tui::model::Model;
use crate::tui::theme::Role;
use crate::tui::wrap;

/// Lines of the document shown before and after the quoted one.
const AROUND: u32 = 1;

/// The finding under the cursor of Findings, wrapped to `width`.
pub fn lines(model: &Model, width: usize) -> Vec<Spans> {
    match model.finding_row(model.findings.cursor) {
        Some(Row::Finding(index)) => match model.decided.findings.get(index) {
            Some(finding) => Detail { model, width, lines: Vec::new() }.whole(finding),
            None => Vec::new(),
        },
        Some(Row::Came(index)) => match model.view().feed.get(index) {
            Some(found) => Detail { model, width, lines: Vec::new() }.came(found),
            None => Vec::new(),
        },
        Some(Row::Out(index)) => match model.out(index) {
            Some(out) => Detail { model, width, lines: Vec::new() }.out(&out),
            None => Vec::new(),
        },
        Some(Row::Fold) => wrapped(&model.word("findings-fold-help"), width, Role::Dim),
        None => Vec::new(),
    }
}

/// Unit and section, or that it is about the whole document.
pub fn place(model: &Model, unit: &str, section: &str) -> String {
    match (unit, section) {
        ("", "") => model.word("findings-whole-document"),
        ("", section) => section.to_owned(),
        (unit, "") => unit.to_owned(),
        (unit, section) if section.contains(unit) => section.to_owned(),
        (unit, section) => format!("{unit} {section}"),
    }
}

/// Unit and innermost section: what fits into a column.
pub fn short_place(model: &Model, unit: &str, section: &str) -> String {
    let innermost = section.rsplit(" > ").next().unwrap_or_default();
    place(model, unit, if !unit.is_empty() && innermost.contains(unit) { "" } else { innermost })
}

/// The text with every key of a finding in it replaced by its id.
pub fn cited(model: &Model, text: &str) -> String {
    const KEY: usize = 16;
    let is_key = |word: &str| word.len() == KEY && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !text.split(|c: char| !c.is_ascii_alphanumeric()).any(is_key) {
        return text.to_owned();
    }
    let pieces = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let piece = |piece: &str| {
        let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let id = is_key(word).then(|| id_of(model, &FindingKey::from(word))).flatten();
        match id {
            Some(id) => format!("{id}{}", &piece[word.len()..]),
            None => piece.to_owned(),
        }
    };
    pieces.map(piece).collect()
}

/// The id of a finding by its key, or by the key of one that it took in.
fn id_of(model: &Model, key: &FindingKey) -> Option<String> {
    let aliases = model.view().proposal.as_ref().map(|proposal| &proposal.aliases);
    let now = aliases.and_then(|aliases| aliases.get(key)).unwrap_or(key);
    let took_in = |finding: &&Finding| finding.absorbed.iter().any(|absorbed| absorbed.key == *now);
    let found = model.finding(now).or_else(|| model.decided.findings.iter().find(took_in));
    found.map(|finding| finding.id.clone())
}

/// `2026-01-02 03:04 UTC` of a record's time.
pub fn moment(at: &str) -> String {
    match at.parse::<jiff::Timestamp>() {
        Ok(at) => at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => at.to_owned(),
    }
}

/// Words that stand in both texts.
fn is_kept(piece: &Piece) -> bool {
    matches!(piece, Piece::Same(text) if text.contains(char::is_alphanumeric))
}

struct Detail<'a> {
    model: &'a Model,
    width: usize,
    lines: Vec<Spans>,
}

impl Detail<'_> {
    fn whole(mut self, finding: &Finding) -> Vec<Spans> {
        self.head(finding);
        self.decision(finding);
        self.quote(finding);
        self.part("findings-label-wrong", &cited(self.model, &finding.finding));
        if !finding.suggestion.trim().is_empty() {
            self.suggestion(finding);
        }
        self.options(finding);
        self.questions(finding);
        self.list("findings-label-edge-cases", &finding.resolution_edge_cases);
        self.origin(finding);
        self.absorbed(&finding.absorbed);
        self.lines
    }

    fn out(mut self, out: &Out<'_>) -> Vec<Spans> {
        let finding = out.finding();
        self.head(finding);
        let why = match out {
            Out::Dropped(dropped) => self.say("findings-dropped-why", &[("reason", cited(self.model, &dropped.reason).into())]),
            Out::Struck(_) => self.model.word("findings-struck-why"),
        };
        self.text(&why, Role::Warning);
        self.quote(finding);
        self.part("findings-label-wrong", &cited(self.model, &finding.finding));
        if !finding.suggestion.trim().is_empty() {
            self.part("findings-label-suggestion", &cited(self.model, &finding.suggestion));
        }
        self.origin(finding);
        self.lines
    }

    /// A finding as it came in: grounded by nobody yet.
    fn came(mut self, found: &Found) -> Vec<Spans> {
        let (mark, word, role) = match Severity::read(&found.severity) {
            Some(severity) => {
                let (mark, id, role) = filter::severity(severity, self.model.look.glyphs);
                (mark, self.model.word(id), role)
            }
            None => ("", found.severity.clone(), Role::Text),
        };
        let spans = vec![span(format!("{mark} {word} "), role), span(found.step.clone(), Role::Title)];
        self.lines.extend(wrap::wrap_spans(spans, self.width));
        let mut place = place(self.model, &found.uc_id, &found.section);
        if found.line > 0 {
            place = self.at_line(&place, found.line);
        }
        self.text(&place, Role::Dim);
        self.document_lines(found.line, &found.quote);
        if found.line == 0 && !found.quote.is_empty() {
            self.part("findings-label-quote", &found.quote);
        }
        self.part("findings-label-wrong", &found.finding);
        self.lines
    }

    fn say(&self, id: &str, args: &[(&str, Value<'_>)]) -> String {
        self.model.say(id, args)
    }

    fn text(&mut self, text: &str, role: Role) {
        self.lines.extend(wrapped(text, self.width, role));
    }

    /// A heading with a line of room above it.
    fn label(&mut self, id: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
        self.text(&self.model.word(id), Role::Title);
    }

    fn part(&mut self, label: &str, text: &str) {
        self.label(label);
        self.text(text, Role::Text);
    }

    fn list(&mut self, label: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.label(label);
        for item in items {
            let item = cited(self.model, item);
            self.item(&item, Role::Text);
        }
    }

    /// Text behind a bullet, its further lines below its first.
    fn item(&mut self, text: &str, role: Role) {
        let bullet = format!("{} ", self.model.look.glyphs.bullet);
        let indent = wrap::width(&bullet);
        for (index, line) in wrapped(text, self.width.saturating_sub(indent).max(1), role).into_iter().enumerate() {
            let before = if index == 0 { bullet.clone() } else { " ".repeat(indent) };
            self.lines.push(std::iter::once(span(before, Role::Dim)).chain(line).collect());
        }
    }

    fn at_line(&self, place: &str, line: u32) -> String {
        format!("{place}{}{}", self.model.look.glyphs.separator, self.say("findings-line", &[("line", line.into())]))
    }

    fn head(&mut self, finding: &Finding) {
        let (model, glyphs) = (self.model, self.model.look.glyphs);
        let (severity_mark, severity_id, severity_role) = filter::severity(finding.severity, glyphs);
        let (status_mark, status_id, status_role) = filter::status(filter::standing(finding), glyphs);
        let spans = vec![
            span(format!("{} ", finding.id), Role::Title),
            span(format!("{severity_mark} {} ", model.word(severity_id)), severity_role),
            span(format!(" {status_mark} {}", model.word(status_id)), status_role),
        ];
        self.lines.extend(wrap::wrap_spans(spans, self.width));
        let mut place = place(model, &finding.uc_id, &finding.section);
        if finding.line > 0 {
            place = self.at_line(&place, finding.line);
        }
        self.text(&place, Role::Dim);
        if let Some(given) = finding.severity_given.filter(|given| *given != finding.severity) {
            let word = model.word(filter::severity(given, glyphs).1);
            self.text(&self.say("findings-severity-given", &[("word", word.into())]), Role::Warning);
        }
    }

    fn document_lines(&mut self, line: u32, quote: &str) {
        let quoted = quoted::lines(self.model, line, quote, AROUND, self.width);
        if !quoted.is_empty() {
            self.lines.push(Vec::new());
            self.lines.extend(quoted);
        }
    }

    fn quote(&mut self, finding: &Finding) {
        self.document_lines(finding.line, &finding.quote);
        let given = finding.section_given.as_deref().unwrap_or_default();
        let (id, role) = match finding.grounding {
            Grounding::Exact => return,
            Grounding::Normalised => ("findings-grounding-normalised", Role::Dim),
            Grounding::Moved if given.is_empty() => ("findings-grounding-moved", Role::Dim),
            Grounding::Moved => ("findings-grounding-moved-from", Role::Dim),
            Grounding::Ambiguous => ("findings-grounding-ambiguous", Role::Warning),
            Grounding::Missing => ("findings-grounding-missing", Role::Warning),
            Grounding::Absence => ("findings-grounding-absence", Role::Dim),
        };
        if matches!(finding.grounding, Grounding::Missing | Grounding::Ambiguous) && !finding.quote.is_empty() {
            self.part("findings-label-quote", &finding.quote);
        } else {
            self.lines.push(Vec::new());
        }
        let missing = finding.missing.as_deref().unwrap_or_default();
        let mut text = self.say(id, &[("place", given.into())]);
        if !missing.is_empty() {
            text = format!("{text}{}{missing}", self.model.look.glyphs.dash);
        }
        self.text(&text, role);
    }

    /// The suggestion; where it is other words for the quoted ones, with what changes.
    fn suggestion(&mut self, finding: &Finding) {
        let suggestion = cited(self.model, &finding.suggestion);
        self.label("findings-label-suggestion");
        self.against_the_quote(finding, &suggestion);
        let id = if finding.auto_fixable { "findings-fixes-itself" } else { "findings-needs-hands" };
        self.text(&self.model.word(id), Role::Dim);
    }

    fn against_the_quote(&mut self, finding: &Finding, text: &str) {
        let is_grounded = !matches!(finding.grounding, Grounding::Missing | Grounding::Absence) && !finding.quote.is_empty();
        match is_grounded.then(|| differences::shown(&finding.quote, text)) {
            // A text of which nothing stays is no rewording.
            Some(Differences::Inline(pieces)) if pieces.iter().any(is_kept) => {
                self.lines.extend(wrap::wrap_spans(differences::spans(&pieces), self.width));
            }
            _ => self.text(text, Role::Text),
        }
    }

    fn options(&mut self, finding: &Finding) {
        if finding.options.is_empty() {
            return;
        }
        self.label("findings-label-options");
        let chosen = finding.resolution.as_ref().and_then(|resolution| resolution.choice.as_deref());
        for option in &finding.options {
            let is_chosen = chosen == Some(option.label.as_str());
            let mark = if is_chosen { self.model.look.glyphs.done } else { " " };
            let role = if is_chosen { Role::Chosen } else { Role::OptionLabel };
            self.text(&format!("{mark} {} {}", option.label, option.found_by.join(", ")), role);
            self.text(&cited(self.model, &option.suggestion), Role::Text);
        }
    }

    fn questions(&mut self, finding: &Finding) {
        if finding.blocked_on.is_empty() {
            return;
        }
        self.label("findings-label-questions");
        for question in &finding.blocked_on {
            let words = cited(self.model, &question.question);
            self.item(&words, if question.policy.is_some() { Role::Policy } else { Role::Text });
            let (mark, text, role) = self.question_state(question);
            self.text(&format!("  {mark} {text}"), role);
        }
    }

    fn question_state(&self, question: &Question) -> (&'static str, String, Role) {
        let glyphs = self.model.look.glyphs;
        let at = moment(question.at.as_deref().unwrap_or_default());
        let by = question.answered_by.clone().unwrap_or_default();
        if let Some(answer) = &question.answer {
            let args: [(&str, Value<'_>); 3] = [("answer", answer.as_str().into()), ("by", by.into()), ("at", at.into())];
            return (glyphs.done, self.say("findings-question-answered", &args), Role::Done);
        }
        if let Some(reason) = &question.deferred {
            return (glyphs.hole, self.say("findings-question-deferred", &[("reason", reason.as_str().into())]), Role::Deferred);
        }
        let id = if question.policy.is_some() { "findings-question-policy" } else { "findings-question-open" };
        let mut text = self.model.word(id);
        if let Some(owner) = &question.owner {
            text =
                format!("{text}{}{}", glyphs.separator, self.say("findings-question-owner", &[("owner", owner.as_str().into())]));
        }
        (glyphs.needs_you, text, if question.policy.is_some() { Role::NeedsYou } else { Role::Text })
    }

    fn decision(&mut self, finding: &Finding) {
        let Some(resolution) = &finding.resolution else { return };
        let glyphs = self.model.look.glyphs;
        let (mark, id, role) = filter::status(filter::standing(finding), glyphs);
        self.label("findings-label-decision");
        let mut what = self.model.word(id);
        if let Some(label) = &resolution.choice {
            what = format!("{what}{}{}", glyphs.separator, self.say("findings-option", &[("label", label.as_str().into())]));
        }
        if !resolution.by.is_empty() || !resolution.at.is_empty() {
            let (who, when) = (resolution.by.as_str().into(), moment(&resolution.at).into());
            what = format!("{what}{}{}", glyphs.separator, self.say("findings-by", &[("who", who), ("when", when)]));
        }
        // The reversed ground of what needs a person is for what is open.
        let role = if filter::standing(finding) == Status::NeedsDiscussion { Role::Text } else { role };
        self.text(&format!("{mark} {what}"), role);
        if !resolution.reason.is_empty() {
            self.text(&self.say("findings-reason", &[("reason", resolution.reason.as_str().into())]), Role::Text);
        }
        if let Some(text) = &resolution.text {
            self.label("findings-label-own-words");
            self.against_the_quote(finding, text);
        }
    }

    fn origin(&mut self, finding: &Finding) {
        self.lines.push(Vec::new());
        let mut by = self.say("findings-found-by", &[("list", finding.found_by.join(", ").into())]);
        if let Some(rule) = &finding.rule {
            by = format!(
                "{by}{}{}",
                self.model.look.glyphs.separator,
                self.say("findings-rule", &[("rule", rule.as_str().into())])
            );
        }
        self.text(&by, Role::Dim);
        if !finding.possible_duplicate_of.is_empty() {
            let ids = finding.possible_duplicate_of.iter().map(|key| id_of(self.model, key).unwrap_or_else(|| key.to_string()));
            let list = ids.collect::<Vec<_>>().join(", ");
            self.text(&self.say("findings-may-repeat", &[("list", list.into())]), Role::Warning);
        }
    }

    fn absorbed(&mut self, absorbed: &[Absorbed]) {
        if absorbed.is_empty() {
            return;
        }
        self.label("findings-label-absorbed");
        let arrow = self.model.look.glyphs.right;
        for one in absorbed {
            let (finding, suggestion) = (cited(self.model, &one.finding), cited(self.model, &one.suggestion));
            let said = if suggestion.is_empty() { finding } else { format!("{finding} {arrow} {suggestion}") };
            let dimension = Shown::line(&one.dimension);
            self.item(&format!("{dimension}: {said}"), Role::Text);
        }
    }
}
