//! Frames of the workbench at 200×60: what a key press costs with few findings and with many. Run by hand:
//! `cargo bench --locked --bench frames`; figures that move go into CHANGELOG.md.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use tamis::document::Document;
use tamis::model::event::{Body, Event, Kind};
use tamis::model::lang::Lang;
use tamis::text::Catalogue;
use tamis::tui::glyphs::Glyphs;
use tamis::tui::model::{Look, Model, Opening, SETTLE, Screen};
use tamis::tui::port::Access;
use tamis::tui::screens;
use tamis::tui::theme::Theme;

fn main() {
    divan::main();
}

const SIZE: Rect = Rect::new(0, 0, 200, 60);
const AT: &str = "2026-01-02T03:04:05.000Z";

/// A document of 3,000 lines in 100 use cases.
fn document() -> String {
    let mut text = String::from("# Parcel lockers\n\n");
    for unit in 1..=100 {
        let _ = write!(text, "## UC-{unit:03}: Use case {unit}\n\n");
        for line in 0..28 {
            let _ = writeln!(text, "- AC-{unit:03}{line:02}: The courier opens locker {line} within {unit} seconds if possible.");
        }
    }
    text
}

fn event(kind: Kind, key: &str, body: Value) -> Event {
    let body = Body::of(&body).expect("a body");
    Event { v: 1, seq: 0, prev: String::new(), at: AT.to_owned(), kind, key: key.to_owned(), attempt: 1, body }
}

fn finding(index: usize) -> Value {
    let (unit, line) = (index % 100 + 1, index % 28);
    let severity = ["critical", "major", "minor"][index % 3];
    json!({
        "key": format!("{index:016x}"), "id": format!("F{:03}", index + 1), "dimension": "DEV",
        "found_by": ["DEV", "critic/1"], "rule": null, "severity": severity, "severity_given": null,
        "section": format!("UC-{unit:03}: Use case {unit}"), "section_given": null, "uc_id": format!("UC-{unit:03}"),
        "line": (unit - 1) * 30 + 5 + line,
        "quote": format!("The courier opens locker {line} within {unit} seconds if possible."),
        "grounding": "exact", "missing": null,
        "finding": format!("'If possible' in AC-{unit:03}{line:02} lets everybody decide alone; a refund of number {index} depends on it."),
        "suggestion": format!("The courier opens locker {line} within {unit} seconds."),
        "resolution_edge_cases": ["The locker is out of order."], "auto_fixable": true, "status": "pending",
        "options": [], "resolution": null, "blocked_on": [], "possible_duplicate_of": [], "absorbed": [],
    })
}

fn model(events: Vec<Event>) -> Model {
    let mut model = Model::new(Opening {
        words: Catalogue::new(Lang::En),
        look: Look {
            theme: Theme::load("dark", None).expect("built in"),
            glyphs: Glyphs::choose(false, None, None, Some("C.UTF-8")),
        },
        document: Arc::new(Document::parse(document())),
        given: "prd.md".to_owned(),
        person: "An".to_owned(),
        events,
        access: Access::Write,
        step: false,
    });
    model.desk = Some(SETTLE.to_owned());
    model
}

/// Settling so many findings, the list scrolled to its middle.
fn settling(count: usize) -> Model {
    let findings: Vec<Value> = (0..count).map(finding).collect();
    let settle = json!({ "proposal": { "findings": findings, "dropped": [] }, "record": { "carried": 0, "unmatched": 0, "detail": null } });
    let mut model = model(vec![event(Kind::Fixed, "settle", settle), event(Kind::GateOpened, SETTLE, json!({}))]);
    assert_eq!(model.decided.findings.len(), count, "the proposal is read");
    model.screen = Screen::Findings;
    model.findings.cursor = count / 2;
    model
}

/// A run into whose feed so many findings have come.
fn coming_in(count: usize) -> Model {
    let raw = |index: usize| {
        let whole = finding(index);
        json!({ "severity": whole["severity"], "section": whole["section"], "quote": whole["quote"], "finding": whole["finding"] })
    };
    let findings: Vec<Value> = (0..count).map(raw).collect();
    let started = json!({ "agent": "script", "label": "review/DEV/UC-001", "dimension": "DEV", "scopes": ["UC-001"] });
    let done = json!({ "findings": count, "answer": { "kind": "findings", "findings": findings } });
    let mut model =
        model(vec![event(Kind::StepStarted, "review/DEV/UC-001", started), event(Kind::StepDone, "review/DEV/UC-001", done)]);
    assert_eq!(model.view().feed.len(), count, "the answer is read");
    model.screen = Screen::Run;
    model
}

fn frame(bencher: divan::Bencher, model: &Model) {
    bencher.with_inputs(|| Buffer::empty(SIZE)).bench_local_refs(|buffer| screens::draw(divan::black_box(model), buffer));
}

#[divan::bench(args = [100, 10_000])]
fn findings_frame(bencher: divan::Bencher, count: usize) {
    frame(bencher, &settling(count));
}

#[divan::bench(args = [100, 10_000])]
fn findings_frame_all_marked(bencher: divan::Bencher, count: usize) {
    let mut model = settling(count);
    model.findings.marked = model.decided.findings.iter().map(|finding| finding.key.clone()).collect();
    frame(bencher, &model);
}

#[divan::bench(args = [100, 10_000])]
fn feed_frame(bencher: divan::Bencher, count: usize) {
    let mut model = coming_in(count);
    model.screen = Screen::Findings;
    frame(bencher, &model);
}

#[divan::bench(args = [100, 10_000])]
fn run_frame(bencher: divan::Bencher, count: usize) {
    frame(bencher, &coming_in(count));
}

#[divan::bench(args = [100, 10_000])]
fn report_frame(bencher: divan::Bencher, count: usize) {
    let mut model = settling(count);
    model.screen = Screen::Report;
    frame(bencher, &model);
}

/// What a decision costs besides its record.
#[divan::bench(args = [100, 10_000])]
fn decide_again(bencher: divan::Bencher, count: usize) {
    let mut model = settling(count);
    bencher.bench_local(|| model.decide_again());
}

/// What a letter in the filter costs.
#[divan::bench(args = [100, 10_000])]
fn filter_again(bencher: divan::Bencher, count: usize) {
    let mut model = settling(count);
    model.findings.filter = "refund of number 77".to_owned();
    model.filter_again();
    bencher.bench_local(|| model.filter_again());
}
