//! How long settling and grounding take: 10,000 findings over 200 places, and 10,000 quotes on 16 MiB of text.
//! Run by hand: `cargo bench --locked --bench settle`.

use tamis::model::finding::{Finding, RawFinding, Status};
use tamis::model::outline::{Line, LineKind, LineSpan, Outline, Place, Section, SectionKind, Span, Unit, UnitKind};
use tamis::model::recipe::{Dimension, Recipe};
use tamis::rules::arbiter::{Verdicts, groups};
use tamis::rules::dedup::split_new;
use tamis::rules::enter::enter;
use tamis::rules::ground::Grounds;
use tamis::rules::settle::propose;
use tamis::rules::wording::Wording;

const PLACES: usize = 200;
const FINDINGS: usize = 10_000;
const SUBJECTS: [&str; 24] = [
    "refund", "card", "order", "invoice", "address", "coupon", "session", "password", "report", "export", "delivery", "stock",
    "price", "tax", "account", "message", "photo", "review", "basket", "search", "filter", "warranty", "seat", "ticket",
];
const EVENTS: [&str; 16] = [
    "is declined",
    "times out",
    "is entered twice",
    "is empty",
    "belongs to another user",
    "was deleted",
    "has expired",
    "is too long",
    "arrives late",
    "is cancelled halfway",
    "exceeds the limit",
    "lacks a currency",
    "is offline",
    "is shared",
    "changes during payment",
    "comes from abroad",
];
const CLAIMS: [&str; 5] = [
    "Nothing says what happens when the {s} {e}.",
    "The behaviour is undefined if a {s} {e} while the user is waiting.",
    "“soon” is ambiguous here: a {s} that {e} may be handled within seconds or days.",
    "AC-{n} contradicts BR-{n} on a {s} that {e}.",
    "No error message is given for a {s} which {e}.",
];

/// A repeatable sequence of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn document(lines_each: usize) -> (String, Outline) {
    let mut dice = Dice(7);
    let (mut text, mut outline) = (String::new(), Outline::default());
    for place in 0..PLACES {
        let heading = outline.lines.len() as u32 + 1;
        let begin = text.len();
        let title = format!("UC-{place:03}: Handle {}", SUBJECTS[place % SUBJECTS.len()]);
        for line in 0..lines_each {
            let start = text.len();
            let kind = if line == 0 { LineKind::Heading } else { LineKind::ListItem };
            match line {
                0 => text.push_str(&format!("## {title}")),
                _ => text.push_str(&format!(
                    "- AC-{place}-{line}: When the **{}** {}, the customer sees a message within {} seconds.",
                    SUBJECTS[dice.roll(SUBJECTS.len())],
                    EVENTS[dice.roll(EVENTS.len())],
                    dice.roll(90)
                )),
            }
            let span = Span::new(start, text.len());
            outline.lines.push(Line { span, kind, section: Some(place), unit: Some(place), ..Line::default() });
            text.push('\n');
        }
        let lines = LineSpan::new(heading, outline.lines.len() as u32);
        let whole = Place { span: Span::new(begin, text.len()), lines };
        outline.sections.push(Section {
            title: title.clone(),
            level: 2,
            parent: None,
            path: vec![title.clone()],
            kind: SectionKind::Other,
            heading: Place { span: Span::new(begin, begin), lines: LineSpan::new(heading, heading) },
            place: whole,
            is_title: false,
        });
        outline.units.push(Unit {
            id: format!("UC-{place:03}"),
            title,
            kind: UnitKind::UseCase,
            place: whole,
            section: Some(place),
            parent: None,
        });
    }
    (text, outline)
}

fn recipe() -> Recipe {
    let dimensions = ["DEV", "SA", "PO"].map(|id| Dimension {
        id: id.to_owned(),
        name: id.to_owned(),
        description: String::new(),
        before: false,
        default: true,
    });
    Recipe {
        schema: "tamis.recipe/1".to_owned(),
        name: "bench".to_owned(),
        purpose: String::new(),
        language: "document".to_owned(),
        granularity: Default::default(),
        dimension_field: "lens".to_owned(),
        conflict_status: Status::NeedsDiscussion,
        minor_recommendation: "APPROVED".to_owned(),
        root: Vec::new(),
        finding_fields: Vec::new(),
        dimensions: dimensions.into(),
        criteria: Vec::new(),
    }
}

fn raws(text: &str, outline: &Outline, with_lines: bool) -> Vec<RawFinding> {
    let mut dice = Dice(11);
    (0..FINDINGS)
        .map(|number| {
            let unit = &outline.units[number % PLACES];
            let lines = unit.place.lines;
            let line = lines.first + 1 + dice.roll(lines.len() as usize - 1) as u32;
            let span = outline.lines[line as usize - 1].span;
            let quote = text[span.start + 2..span.end].replace("**", "");
            let claim = CLAIMS[dice.roll(CLAIMS.len())]
                .replace("{s}", SUBJECTS[dice.roll(SUBJECTS.len())])
                .replace("{e}", EVENTS[dice.roll(EVENTS.len())])
                .replace("{n}", &dice.roll(40).to_string());
            RawFinding {
                severity: ["critical", "major", "minor"][dice.roll(3)].to_owned(),
                section: unit.title.clone(),
                uc_id: unit.id.clone(),
                quote,
                finding: claim,
                suggestion: format!("Say in BR-{} that it ends within {} seconds.", dice.roll(40), dice.roll(90)),
                line: with_lines.then_some(line),
                ..RawFinding::default()
            }
        })
        .collect()
}

fn enter_all(text: &str, outline: &Outline, raws: &[RawFinding]) -> Vec<Finding> {
    let (recipe, grounds) = (recipe(), Grounds::new(text, outline));
    let dimension = |index: usize| ["DEV", "SA", "PO"][index % 3];
    raws.iter().enumerate().map(|(index, raw)| enter(raw, dimension(index), dimension(index), &grounds, &recipe)).collect()
}

fn main() {
    divan::main();
}

/// The findings of a run on a document of 60 lines a place, about 1 MB.
fn entered() -> (Outline, Vec<Finding>) {
    let (text, outline) = document(60);
    let raw = raws(&text, &outline, true);
    let findings = enter_all(&text, &outline, &raw);
    (outline, findings)
}

#[divan::bench]
fn propose_10_000_findings_over_200_places(bencher: divan::Bencher) {
    let (outline, findings) = entered();
    let (recipe, wording) = (recipe(), Wording::default());
    bencher.bench(|| propose(divan::black_box(&findings), &outline, &recipe, &Verdicts::default(), &wording));
}

#[divan::bench]
fn propose_10_000_hits_of_rules_in_one_place(bencher: divan::Bencher) {
    let (outline, mut findings) = entered();
    for (index, finding) in findings.iter_mut().enumerate() {
        finding.rule = Some(format!("A{:02}", index % 12));
        finding.uc_id = String::new();
        finding.section = String::new();
    }
    let (recipe, wording) = (recipe(), Wording::default());
    bencher.bench(|| propose(divan::black_box(&findings), &outline, &recipe, &Verdicts::default(), &wording));
}

#[divan::bench]
fn arbiter_groups(bencher: divan::Bencher) {
    let (_, findings) = entered();
    bencher.bench(|| groups(divan::black_box(&findings), &Verdicts::default()));
}

#[divan::bench]
fn split_a_round_of_100_off(bencher: divan::Bencher) {
    let (_, findings) = entered();
    let (known, round) = findings.split_at(FINDINGS - 100);
    bencher.bench(|| split_new(divan::black_box(known), round.to_vec(), &Verdicts::default()));
}

/// Quotes that must be searched for: no agent says its line.
#[divan::bench(sample_count = 10, args = [60, 900])]
fn ground_10_000_quotes(bencher: divan::Bencher, lines_a_place: usize) {
    let (text, outline) = document(lines_a_place);
    let raw = raws(&text, &outline, false);
    bencher.bench(|| enter_all(divan::black_box(&text), &outline, &raw));
}
