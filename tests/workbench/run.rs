//! Run and what stands on every screen: rows that keep their place, rounds, output, past moments, header and footer.

use crate::common::{Case, recipe};
use crate::stage::{SIZES, Stage, THEN, events_of, example};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tamis::model::event::{Event, Kind};
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::model::plan::{Plan, cell_key};
use tamis::model::recipe::Granularity;
use tamis::tui::glyphs::Glyphs;
use tamis::tui::message::{Cmd, Msg, Now};
use tamis::tui::model::{SETTLE, Screen};
use tamis::tui::port::{Access, Input, Wish};
use tamis::tui::rows::FOLD;
use tamis::tui::update::wake_at;

/// Findings of the small reviews below, in the language of their document: severity, unit, words.
type Said = [(&'static str, &'static str, &'static str); 3];

const EN: Said = [
    ("critical", "UC-04", "AC-11 accepts a refund request for 30 calendar days, BR-04 for only 14."),
    ("major", "UC-02", "Step 2 takes the locker fee while the door is still closed."),
    ("minor", "", "SM-03 has no date by which it is to be reached."),
];
const VI: Said = [
    ("critical", "UC-04", "AC-11 nhận yêu cầu hoàn phí trong 30 ngày, còn BR-04 chỉ trong 14 ngày."),
    ("major", "UC-02", "Bước 2 thu phí tủ khi cửa ngăn vẫn còn đóng."),
    ("minor", "", "SM-03 không có ngày phải đạt được."),
];
const ZH: Said = [
    ("critical", "UC-04", "AC-11 在 30 天内接受退费申请，BR-04 却只给 14 天。"),
    ("major", "UC-02", "第 2 步在柜门还关着的时候就收了保管费。"),
    ("minor", "", "SM-03 没有写明要在什么日期之前达到。"),
];

/// So many seconds after the run began, as records write it.
fn at(seconds: u64) -> String {
    let seconds = 5 + seconds;
    format!("2026-01-02T03:{:02}:{:02}.000Z", 4 + seconds / 60, seconds % 60)
}

/// An event comes in, recorded so many seconds after the run began.
fn happens(stage: &mut Stage, seconds: u64, kind: Kind, key: &str, attempt: u32, body: &Value) {
    let seq = stage.model.history.events().len() as u64;
    let event =
        Event { v: 1, seq, prev: String::new(), at: at(seconds), kind, key: key.to_owned(), attempt, body: body.clone().into() };
    stage.ms = stage.ms.max(seconds * 1_000);
    stage.input(Input::Event(Box::new(event)));
}

fn starts(stage: &mut Stage, seconds: u64, key: &str, attempt: u32) {
    let body = json!({ "agent": "council", "label": key.split('@').next(), "dimension": "", "scopes": [] });
    happens(stage, seconds, Kind::StepStarted, key, attempt, &body);
}

fn fails(stage: &mut Stage, seconds: u64, key: &str, attempt: u32, last: bool) {
    let reason = if last { "the reviewer cannot be reached" } else { "no answer in time" };
    happens(stage, seconds, Kind::AttemptFailed, key, attempt, &json!({ "reason": reason, "class": "timeout", "final": last }));
}

fn ends(stage: &mut Stage, seconds: u64, key: &str, said: &[(&str, &str, &str)]) {
    let found = |(severity, unit, words): &(&str, &str, &str)| {
        json!({ "dimension": "DEV", "severity": severity, "section": "Business rules", "uc_id": unit, "quote": "", "finding": words,
            "suggestion": "", "auto_fixable": false })
    };
    let answer = json!({ "findings": said.iter().map(found).collect::<Vec<_>>() });
    let usage = json!({ "tokens_in": 1_840 + seconds, "tokens_out": 412 });
    let body = json!({ "findings": said.len(), "agent": "council", "usage": usage, "answer": answer });
    happens(stage, seconds, Kind::StepDone, key, 1, &body);
}

fn says(stage: &mut Stage, key: &str, attempt: u32, text: &str) {
    let now = stage.ms;
    stage.model.outputs.entry(key.to_owned()).or_default().add(attempt, text, now);
    stage.input(Input::Text);
}

/// The plan of a document, as the pipeline records it.
fn plan_of(document: &str) -> (Event, Plan) {
    let events = events_of(document, "", &[SETTLE]);
    let event = events.into_iter().find(|event| event.kind == Kind::Fixed && event.key == "plan").expect("a plan");
    let plan = event.body.read().expect("a plan");
    (event, plan)
}

/// A run before its plan.
fn begun(document: &str, lang: Lang) -> Stage {
    let mut stage = Stage::on(document, lang, Vec::new());
    let names = ["format", "tamis", "run", "pipeline", "document", "document_given", "document_hash"];
    let hashes = ["recipe_hash", "prompts_hash", "context_hash", "agent", "options"];
    let header: serde_json::Map<String, Value> =
        names.into_iter().chain(hashes).map(|name| (name.to_owned(), json!("x"))).collect();
    happens(&mut stage, 0, Kind::RunStarted, "", 0, &Value::Object(header));
    stage
}

/// A run with its plan; its cells' keys, dimension by dimension within a bucket.
fn planned(document: &str, lang: Lang) -> (Stage, Vec<String>) {
    let (event, plan) = plan_of(document);
    let mut stage = begun(document, lang);
    happens(&mut stage, 0, Kind::Fixed, "plan", 0, &event.body.value());
    let keys = plan.cells.iter().map(|cell| cell_key(&plan, cell).0).collect();
    (stage, keys)
}

/// Half a fan-out: agents in every state there is, a minute after the run began.
fn mixed(document: &str, lang: Lang, said: &Said) -> (Stage, Vec<String>) {
    let (mut stage, keys) = planned(document, lang);
    assert!(keys.len() >= 11, "{keys:?}");
    for (index, key) in keys.iter().enumerate().filter(|(index, _)| *index != 9) {
        starts(&mut stage, index as u64 / 4, key, 1);
    }
    fails(&mut stage, 9, &keys[2], 1, false);
    ends(&mut stage, 12, &keys[0], &said[..2]);
    ends(&mut stage, 14, &keys[6], &[]);
    happens(&mut stage, 15, Kind::StepDone, &keys[7], 1, &json!({ "findings": 0, "answer": "not_covered" }));
    fails(&mut stage, 15, &keys[5], 1, false);
    starts(&mut stage, 17, &keys[5], 2);
    fails(&mut stage, 18, &keys[1], 1, true);
    happens(
        &mut stage,
        19,
        Kind::HoleAccepted,
        &keys[1],
        0,
        &json!({ "step": "review", "dimension": "SA", "scopes": [],
        "reason": "the reviewer cannot be reached" }),
    );
    fails(&mut stage, 20, &keys[3], 3, true);
    ends(&mut stage, 41, &keys[8], &said[2..]);
    stage.after(20_900);
    says(&mut stage, &keys[4], 1, "BR-02 and BR-09 are read.\nAC-02 ends with the third try.\n");
    says(&mut stage, &keys[5], 2, "…");
    stage.after(100);
    (stage, keys)
}

fn snapshots(name: &str, stage: &mut Stage) {
    for size in SIZES {
        stage.size = size;
        stage.draw(size);
        insta::assert_snapshot!(format!("run_{name}_{}x{}", size.0, size.1), stage.screen(size));
    }
}

/// The row of the screen at which a text stands.
fn row_of(stage: &mut Stage, text: &str) -> usize {
    let screen = stage.screen(stage.size);
    // The tabs have a cursor of their own.
    let found = screen.lines().enumerate().skip(2).find(|(_, line)| line.contains(text));
    found.unwrap_or_else(|| panic!("{text:?} does not stand on\n{screen}")).0
}

fn last_line(stage: &mut Stage, size: (u16, u16)) -> String {
    stage.draw(size);
    stage.screen(size).lines().last().unwrap_or_default().to_owned()
}

#[test]
fn before_the_plan() {
    snapshots("start", &mut begun(&example("prd-en.md"), Lang::En));
}

#[test]
fn midway_through_the_fan_out() {
    snapshots("midway", &mut mixed(&example("prd-en.md"), Lang::En, &EN).0);
}

#[test]
fn midway_in_vietnamese() {
    let (mut stage, _) = mixed(&example("prd-vi.md"), Lang::Vi, &VI);
    stage.model.given = "yêu-cầu-tủ-khóa-bưu-kiện-đường-phố.md".to_owned();
    snapshots("midway_vi", &mut stage);
}

#[test]
fn midway_in_chinese() {
    let (mut stage, _) = mixed(&example("prd-zh.md"), Lang::Zh, &ZH);
    stage.model.given = "需求文档.md".to_owned();
    snapshots("midway_zh", &mut stage);
}

#[test]
fn at_the_gate_of_a_round() {
    snapshots("round", &mut Stage::at_round(1));
}

#[test]
fn with_all_agents_done() {
    let mut stage = Stage::settling();
    stage.keys("f2");
    snapshots("done", &mut stage);
}

#[test]
fn ascii_stays_ascii() {
    let (mut stage, keys) = mixed(&example("prd-en.md").replace(|c: char| !c.is_ascii(), "-"), Lang::En, &EN);
    stage.model.look.glyphs = Glyphs::choose(true, None, None, None);
    stage.model.outputs.clear();
    says(&mut stage, &keys[4], 1, "plain\n");
    for size in SIZES {
        let screen = stage.screen(size);
        assert!(screen.is_ascii(), "{screen}");
    }
    insta::assert_snapshot!("run_midway_ascii_80x24", stage.screen((80, 24)));
    stage.keys("down down down enter");
    assert!(stage.screen((120, 40)).is_ascii());
    let mut round = Stage::at_round(1);
    round.model.look.glyphs = Glyphs::choose(true, None, None, None);
    round.keys("x a");
    // The document quotes in its own characters; all else is ASCII.
    let document = example("prd-en.md");
    let foreign: String = round.screen((120, 40)).chars().filter(|c| !c.is_ascii() && !document.contains(*c)).collect();
    assert_eq!(foreign, "");
}

#[test]
fn rows_stay_where_they_are_while_a_cursor_stands_among_them() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    // Needs you, failed, two that run: the cursor goes to the second that runs.
    stage.keys("down down down down");
    assert_eq!(stage.model.run.cursor.as_deref(), Some(keys[10].as_str()));
    let cursor = row_of(&mut stage, "►");
    let before = stage.model.agents();
    ends(&mut stage, 70, &keys[4], &EN[..1]);
    assert_eq!((row_of(&mut stage, "►"), stage.model.agents()), (cursor, before.clone()));
    // The one under the cursor itself, one that begins, one that needs somebody now.
    ends(&mut stage, 71, &keys[10], &[]);
    starts(&mut stage, 72, &keys[9], 1);
    starts(&mut stage, 73, "critic/1", 1);
    fails(&mut stage, 74, &keys[11], 3, true);
    assert_eq!(row_of(&mut stage, "►"), cursor);
    assert_eq!(stage.model.agents()[..before.len()], before);
    assert_eq!(stage.model.agents()[before.len()..], ["critic/1"]);
    assert!(stage.screen((80, 24)).contains("PO PRD-global: no answer in time: ! goes there"));
    assert!(stage.cmds.contains(&Cmd::Bell));
    // A row that joined stays too.
    ends(&mut stage, 75, "critic/1", &[]);
    assert_eq!(stage.model.agents()[before.len()..], ["critic/1"]);
    // Esc lets the order go: what needs somebody stands on top, what is done is folded.
    stage.keys("esc");
    let rows = stage.model.agents();
    assert_eq!(rows[..2], [keys[3].clone(), keys[11].clone()]);
    assert_eq!((rows.last().map(String::as_str), rows.contains(&keys[4])), (Some(FOLD), false));
}

#[test]
fn the_list_scrolls_no_more_than_the_cursor_needs_and_stands_still_when_things_happen() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.size = (80, 16);
    stage.draw(stage.size);
    stage.keys("down down down down down down down");
    let (cursor, top) = (row_of(&mut stage, "►"), stage.model.run.top);
    assert!(top > 0);
    for key in [&keys[4], &keys[5]] {
        ends(&mut stage, 80, key, &[]);
        assert_eq!((row_of(&mut stage, "►"), stage.model.run.top), (cursor, top));
    }
    stage.keys("up");
    assert_eq!((row_of(&mut stage, "►"), stage.model.run.top), (cursor - 1, top));
}

#[test]
fn the_exclamation_mark_leads_to_what_needs_somebody() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("down down down");
    fails(&mut stage, 70, &keys[10], 3, true);
    stage.keys("f5 !");
    assert_eq!((stage.model.screen, stage.model.run.cursor.as_deref()), (Screen::Run, Some(keys[3].as_str())));
    stage.keys("r");
    assert_eq!(stage.cmds.last(), Some(&Cmd::Wish(Wish::Retry { step: keys[3].clone() })));
    starts(&mut stage, 71, &keys[3], 4);
    stage.keys("!");
    assert_eq!(stage.model.run.cursor.as_deref(), Some(keys[10].as_str()));
    stage.keys("H");
    assert!(stage.screen((80, 24)).contains("Leave SA PRD-global without an answer?"));
    stage.keys("enter");
    assert_eq!(stage.cmds.last(), Some(&Cmd::Wish(Wish::AcceptHole { step: keys[10].clone() })));
}

#[test]
fn all_that_failed_are_asked_again_at_once() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("R");
    assert!(!stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Wish(Wish::Retry { .. }))), "one alone has its own key");
    fails(&mut stage, 70, &keys[10], 3, true);
    stage.keys("R");
    let asked: Vec<&str> = stage
        .cmds
        .iter()
        .filter_map(|cmd| if let Cmd::Wish(Wish::Retry { step }) = cmd { Some(step.as_str()) } else { None })
        .collect();
    assert_eq!(BTreeSet::from_iter(asked), BTreeSet::from([keys[3].as_str(), keys[10].as_str()]));
    assert!(stage.screen((80, 24)).contains("2 agents are asked again"));
}

#[test]
fn done_agents_unfold_and_fold() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.size = (120, 40);
    row_of(&mut stage, "✓ 3 done · z shows them");
    stage.keys("z");
    assert!(stage.model.agents().contains(&keys[0]));
    let fold = row_of(&mut stage, "✓ 3 done · z folds them");
    assert_eq!(row_of(&mut stage, "DEV UC-01..UC-02 00:12"), fold + 1);
    stage.keys("end");
    assert_eq!(stage.model.run.cursor.as_deref(), Some(keys[8].as_str()));
    // Folding takes the cursor to the line that stands for its row.
    stage.keys("z");
    assert_eq!(stage.model.run.cursor.as_deref(), Some(FOLD));
    stage.keys("enter");
    assert!(stage.model.run.unfolded && stage.model.run.output.is_none());
    // The line stands for no agent: nothing can be cancelled there.
    stage.keys("x");
    assert!(!stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Wish(Wish::Cancel { .. }))));
}

#[test]
fn a_running_agent_is_cancelled_and_needs_somebody_in_words() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("down down down x");
    assert_eq!(stage.cmds.last(), Some(&Cmd::Wish(Wish::Cancel { step: keys[4].clone() })));
    assert!(stage.screen((80, 24)).contains("SA UC-03..UC-04 is told to stop"));
    let body = json!({ "reason": "cancelled by a person", "class": "cancelled", "final": true });
    happens(&mut stage, 70, Kind::AttemptFailed, &keys[4], 1, &body);
    let screen = stage.screen((120, 40));
    let row = screen.lines().find(|line| line.contains('►') && line.contains("SA UC-03")).unwrap_or_else(|| panic!("{screen}"));
    assert!(row.contains("? needs you") && row.contains("told to stop · r asks again, H l"), "{row}");
    assert!(screen.contains("SA UC-03..UC-04: told to stop. r asks again, H leaves the hole"), "{screen}");
}

#[test]
fn silence_is_said_after_45_seconds() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    assert!(stage.screen((120, 40)).contains("AC-02 ends with the third try."));
    stage.after(44_000);
    assert!(stage.screen((120, 40)).contains("AC-02 ends with the third try."));
    stage.after(1_000);
    let screen = stage.screen((120, 40));
    assert!(screen.contains("no output for 45 s") && !screen.contains("AC-02 ends with the third try."), "{screen}");
    // What an earlier attempt said is not what this one says.
    says(&mut stage, &keys[4], 1, "Half a finding");
    fails(&mut stage, 107, &keys[4], 1, false);
    starts(&mut stage, 108, &keys[4], 2);
    assert!(!stage.screen((120, 40)).contains("Half a finding"));
}

#[test]
fn time_goes_on_only_while_something_runs() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    assert_eq!(wake_at(&stage.model), Some((stage.ms / 1_000 + 1) * 1_000));
    assert!(stage.screen((80, 24)).contains("01:02"), "{}", stage.screen((80, 24)));
    stage.after(1_000);
    assert!(stage.screen((80, 24)).contains("01:03"));
    for key in [&keys[2], &keys[4], &keys[5], &keys[9], &keys[10], &keys[11]] {
        ends(&mut stage, 70, key, &[]);
    }
    // Only somebody who is needed is left.
    assert_eq!(wake_at(&stage.model), None);
    stage.after(600_000);
    assert!(stage.screen((80, 24)).contains("01:10"));
}

#[test]
fn nothing_wakes_with_a_text_area_open_and_its_draft_kept() {
    let mut stage = Stage::settling();
    assert_eq!(wake_at(&stage.model), None);
    stage.keys("m").types("x");
    let due = wake_at(&stage.model).expect("the draft is due");
    let wait = due - stage.ms;
    stage.after(wait);
    let drafts = stage.model.records(SETTLE).iter().filter(|record| matches!(record.op, Op::Draft { .. })).count();
    assert_eq!((drafts, wake_at(&stage.model)), (1, None));
    assert!(!stage.model.layers.is_empty());
}

#[test]
fn the_output_follows_its_end_until_somebody_scrolls_up() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("down down down enter");
    let long = "the collection period ends at midnight ".repeat(6);
    for line in 0..60 {
        says(&mut stage, &keys[4], 1, &format!("{line}: {long}\n"));
    }
    let screen = stage.screen((80, 24));
    assert!(screen.contains("SA UC-03..UC-04 · running · attempt 1 · 01:01"), "{screen}");
    assert!(screen.contains("59: the collection") && screen.contains("follows the end"), "{screen}");
    stage.keys("up up up");
    let before = stage.screen((80, 24));
    assert!(before.contains("f follows the end") && !before.contains("new"), "{before}");
    says(&mut stage, &keys[4], 1, "one\ntwo\nthree\n");
    let after = stage.screen((80, 24));
    assert!(after.contains("↓ 3 new"), "{after}");
    let text = |screen: &str| screen.lines().skip(3).take(17).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(text(&after), text(&before), "what is read does not move");
    stage.keys("end");
    let end = stage.screen((80, 24));
    assert!(end.contains("three") && !end.contains("↓"), "{end}");
    stage.keys("f");
    says(&mut stage, &keys[4], 1, "four\n");
    assert!(!stage.screen((80, 24)).contains("four"));
    stage.keys("f");
    assert!(stage.screen((80, 24)).contains("four"));
    stage.keys("home");
    assert!(stage.screen((80, 24)).contains("BR-02 and BR-09 are read."));
    stage.keys("esc");
    assert!(stage.model.run.output.is_none());
}

#[test]
fn keys_in_the_output_are_about_its_agent() {
    let (mut stage, keys) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("down down down enter esc esc");
    assert_eq!(stage.model.run.cursor, None);
    // Without a cursor the first row is at hand: the one that needs somebody. It is answered meanwhile.
    stage.keys("enter");
    ends(&mut stage, 70, &keys[3], &[]);
    assert_eq!(stage.model.current_agent(), Some(keys[3].clone()));
    stage.keys("x");
    assert!(!stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Wish(Wish::Cancel { .. }))));
}

#[test]
fn output_is_read_back_after_the_fact_and_silence_is_said() {
    let mut stage = Stage::settling();
    stage.keys("f2 z down down down enter");
    let step = stage.model.current_agent().expect("an agent");
    let wish = stage.cmds.iter().rev().find_map(|cmd| match cmd {
        Cmd::Wish(Wish::Output { step, attempt }) => Some((step.clone(), *attempt)),
        _ => None,
    });
    assert_eq!(wish, Some((step.clone(), 1)));
    stage.input(Input::Output { step: step.clone(), text: String::new() });
    assert!(stage.screen((80, 24)).contains("It said nothing"), "{}", stage.screen((80, 24)));
    stage.keys("esc down enter");
    let step = stage.model.current_agent().expect("an agent");
    stage.input(Input::Output { step, text: "Reading UC-01\u{1b}[2J against BR-02.\n".to_owned() });
    let screen = stage.screen((80, 24));
    assert!(screen.contains("Reading UC-01␛[2J against BR-02."), "{screen}");
}

#[test]
fn a_round_is_looked_at_finding_by_finding() {
    let mut stage = Stage::at_round(1);
    let found: Vec<String> = stage.model.round_findings(1).iter().map(|found| found.finding.clone()).collect();
    assert!(found.len() > 1);
    let screen = stage.screen((120, 40));
    assert!(screen.contains("Round 1 added 4, dry 0 of 2") && screen.contains("Suggestion"), "{screen}");
    stage.keys("down x");
    assert!(matches!(stage.ops().as_slice(), [Op::Strike { .. }]));
    assert!(stage.screen((80, 24)).contains("[struck]"));
    stage.keys("x");
    assert!(!stage.screen((80, 24)).contains("[struck]"));
    stage.keys("x u");
    assert!(!stage.screen((80, 24)).contains("[struck]"));
    // One by hand: the form keeps what is typed, and the finding is listed among the others.
    stage.keys("a").types("Nobody empties the locker on holidays.").keys("enter");
    assert!(matches!(stage.ops().last(), Some(Op::Add { .. })), "{:?}", stage.ops());
    let screen = stage.screen((120, 40));
    assert!(screen.contains("[added by you]") && screen.contains("Nobody empties the locker"), "{screen}");
    stage.keys("end x");
    assert!(stage.screen((80, 24)).contains("what you added is taken back with u"), "{}", stage.screen((80, 24)));
    stage.keys("u");
    assert!(!stage.screen((120, 40)).contains("Nobody empties the locker"));
    // Enter shows what the critic said.
    stage.keys("enter");
    assert_eq!(stage.model.current_agent().as_deref(), Some("critic/1"));
    stage.keys("esc c");
    assert_eq!(stage.model.desk, None);
}

#[test]
fn the_rounds_are_stopped_by_a_key() {
    let mut stage = Stage::at_round(1);
    stage.keys("S");
    assert!(stage.ops().iter().chain(stage_round_ops(&stage).iter()).any(|op| matches!(op, Op::Stop { .. })));
    assert!(stage.cmds.contains(&Cmd::Wish(Wish::Close)));
}

fn stage_round_ops(stage: &Stage) -> Vec<Op> {
    stage.model.records("gate/round/1").iter().map(|record| record.op.clone()).collect()
}

#[test]
fn long_findings_of_a_round_scroll() {
    let mut stage = Stage::at_round(1);
    stage.size = (40, 10);
    stage.draw(stage.size);
    let before = stage.screen((40, 10));
    stage.keys("pagedown");
    assert_ne!(stage.screen((40, 10)), before);
    assert!(stage.model.run.round_scroll > 0);
    for _ in 0..20 {
        stage.keys("pagedown");
    }
    let end = stage.model.run.round_scroll;
    stage.keys("pagedown");
    assert_eq!(stage.model.run.round_scroll, end);
    stage.keys("down");
    assert_eq!((stage.model.run.round_scroll, stage.model.run.round_cursor), (0, 1));
}

#[test]
fn a_round_that_ends_takes_nobody_away_from_what_is_typed_or_looked_at() {
    let mut stage = Stage::at_round(1);
    stage.input(Input::DeskGone).keys("f5 ?");
    stage.input(Input::Desk { gate: "gate/round/1".to_owned() });
    assert_eq!(stage.model.screen, Screen::Findings);
    assert!(stage.screen((80, 24)).contains("The run now waits for you"));
    stage.keys("esc !");
    assert_eq!(stage.model.screen, Screen::Run);
    stage.input(Input::DeskGone).keys("<");
    stage.input(Input::Desk { gate: "gate/round/1".to_owned() });
    assert!(stage.model.past.is_some() && stage.model.at_round().is_none());
    stage.keys("!");
    assert!(stage.model.past.is_none() && stage.model.at_round().is_some());
}

#[test]
fn past_moments_are_looked_at_in_words_and_change_nothing() {
    let mut stage = Stage::settling();
    stage.keys("f2 <");
    let screen = stage.screen((120, 40));
    assert!(screen.contains("at settling, 6 of 6 moments; Esc returns to now"), "{screen}");
    stage.keys("< < <");
    let screen = stage.screen((80, 24));
    assert!(screen.contains("after round 1, 3 of 6 moments; Esc returns to now"), "{screen}");
    assert!(stage.screen((40, 10)).contains("after round 1 3/6, Esc: now"), "{}", stage.screen((40, 10)));
    // Every screen shows that moment, and none decides.
    let findings = stage.model.view().feed.len();
    stage.keys("f5");
    assert!(stage.screen((80, 24)).contains(&format!("Findings {findings}")));
    assert!(stage.screen((80, 24)).contains("after round 1"));
    stage.keys("a x");
    assert!(stage.ops().is_empty() && stage.model.layers.is_empty());
    stage.keys("f2 >");
    assert!(stage.screen((80, 24)).contains("after round 2"));
    stage.keys("f5 esc");
    assert!(stage.model.past.is_none());
    assert_eq!(stage.model.screen, Screen::Findings);
}

#[test]
fn rounds_and_their_end_are_told_in_words() {
    let mut stage = Stage::settling();
    stage.keys("f2");
    let screen = stage.screen((120, 40));
    let end = "New per round: 4, 1, 0 · Not converged: stopped after 3 rounds · 8 wait for you: ! goes there";
    assert!(screen.contains(end), "{screen}");
    let mut stage = Stage::at_round(2);
    stage.input(Input::DeskGone);
    starts(&mut stage, 9, "critic/3", 1);
    let screen = stage.screen((80, 24));
    assert!(screen.contains("Round 1: 4 new, dry 0 · Round 2: 1 new, dry 0 · Round 3: the critic reads"), "{screen}");
    let (mut stage, _) = planned(&example("prd-en.md"), Lang::En);
    starts(&mut stage, 1, "critic/1", 1);
    assert!(stage.screen((80, 24)).contains("Round 1: the critic reads"));
    fails(&mut stage, 2, "critic/1", 3, true);
    assert!(stage.screen((80, 24)).contains("Round 1: the critic gave no answer"));
    for (by, words) in [
        ("dry", "Converged: 2 dry rounds in a row"),
        ("cap", "Not converged: stopped after 3 rounds"),
        ("hole", "Not converged: the critic left a hole"),
        ("human", "Not converged: a person stopped after 3 rounds"),
    ] {
        let end = json!({ "rounds": 3, "new_per_round": [1, 0, 0], "dry_rounds": 2, "converged": by == "dry", "stopped_by": by });
        happens(&mut stage, 3, Kind::Fixed, "convergence", 0, &end);
        assert!(stage.screen((80, 24)).contains(words), "{}", stage.screen((80, 24)));
    }
}

#[test]
fn step_mode_is_switched_and_stands_on_the_screen() {
    let (mut stage, _) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.keys("s");
    assert_eq!(stage.cmds.last(), Some(&Cmd::Wish(Wish::Step(true))));
    assert!(stage.screen((120, 40)).contains("step mode: each round waits for you"));
    stage.keys("s");
    assert_eq!(stage.cmds.last(), Some(&Cmd::Wish(Wish::Step(false))));
    assert!(!stage.screen((120, 40)).contains("step mode: each"));
}

#[test]
fn the_header_keeps_its_right_edge_and_its_counters_at_every_width() {
    let (mut stage, _) = mixed(&example("prd-en.md"), Lang::En, &EN);
    let names = ["prd.md", "需求文档.md", "yêu-cầu-tủ-khóa-bưu-kiện-đường-phố-phiên-bản-cuối.md", "a\u{1b}[31m.md"];
    for name in names {
        stage.model.given = name.to_owned();
        for width in (40..160).step_by(3) {
            let screen = stage.screen((width, 24));
            let line = screen.lines().next().unwrap_or_default();
            assert!(line.contains("0/3") && line.contains("0/2"), "{width}: {line}");
            assert!(line.ends_with("01:02"), "{width}: {line}");
            assert_eq!(tamis::tui::wrap::width(line), usize::from(width), "{line}");
            if width >= 120 {
                assert!(line.contains("3 done") && line.contains("1 needs you") && line.contains("1 failed"), "{line}");
            }
        }
    }
    stage.model.given = "需求文档.md".to_owned();
    assert!(stage.screen((160, 24)).starts_with("tamis  需求文档.md  "));
    assert!(stage.screen((160, 24)).contains("Round 0/3 · dry 0/2 · 3 done"));
}

#[test]
fn a_window_that_only_shows_says_so() {
    let (mut stage, _) = mixed(&example("prd-en.md"), Lang::En, &EN);
    stage.model.access = Access::ReadOnly("another window".to_owned());
    for size in SIZES {
        assert!(stage.screen(size).contains("read-only"), "{}", stage.screen(size));
    }
    stage.keys("r x s");
    assert!(!stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Wish(_))));
}

#[test]
fn the_tabs_tell_the_screen_at_every_width() {
    for lang in Lang::ALL {
        let mut stage = Stage::settling();
        stage.model.words = tamis::text::Catalogue::new(lang);
        for (screen, id) in Screen::ALL.into_iter().map(|screen| (screen, screen.say())) {
            stage.model.screen = screen;
            let name = stage.model.word(id);
            for width in (40..120).step_by(5) {
                let frame = stage.screen((width, 24));
                let tabs = frame.lines().nth(1).unwrap_or_default();
                // A wide character is followed by a cell of its own in frames as text.
                assert!(tabs.contains(&format!("►{name}")), "{width}: {tabs}");
            }
        }
    }
}

#[test]
fn the_footer_shows_what_a_newcomer_needs() {
    let (mut stage, _) = mixed(&example("prd-en.md"), Lang::En, &EN);
    let footer = last_line(&mut stage, (80, 24));
    for item in ["r retry", "H accept the hole", "Enter output", "s step mode", "? help", "q quit"] {
        assert!(footer.contains(item), "{item}: {footer}");
    }
    stage.keys("down down down");
    let footer = last_line(&mut stage, (80, 24));
    for item in ["! what needs you", "x cancel", "Enter output", "Esc back", "? help"] {
        assert!(footer.contains(item), "{item}: {footer}");
    }
    stage.keys("enter");
    let footer = last_line(&mut stage, (80, 24));
    for item in ["f follow", "x cancel", "Esc back", "? help"] {
        assert!(footer.contains(item), "{item}: {footer}");
    }
    let mut stage = Stage::at_round(1);
    let footer = last_line(&mut stage, (80, 24));
    for item in ["c go on", "S stop the rounds", "x strike", "a add a finding", "? help", "q quit"] {
        assert!(footer.contains(item), "{item}: {footer}");
    }
}

#[test]
fn when_nothing_is_open_the_report_stands_first_in_the_footer() {
    let mut stage = Stage::settling();
    let conflicts = stage.model.decided.conflicts.len();
    for _ in 0..conflicts {
        stage.keys("a");
    }
    stage.keys("f4");
    while !stage.model.decided.open.policy.is_empty() {
        stage.keys("a").types("No").keys("enter");
    }
    for keys in ["f2", "f3", "f4", "f5"] {
        stage.keys(keys);
        let footer = last_line(&mut stage, (80, 24));
        assert!(footer.starts_with("w report"), "{keys}: {footer}");
    }
    stage.keys("w");
    assert!(last_line(&mut stage, (80, 24)).starts_with("w write"), "{}", last_line(&mut stage, (80, 24)));
}

#[test]
fn help_and_a_way_out_stand_in_every_footer() {
    for lang in Lang::ALL {
        let mut stage = Stage::settling();
        stage.model.words = tamis::text::Catalogue::new(lang);
        for keys in ["f2", "f3", "f4", "f5", "f6"] {
            stage.keys(keys);
            for width in [40, 80, 120] {
                let footer = last_line(&mut stage, (width, 24));
                let leaves = ["Esc ", "q "].iter().any(|key| footer.contains(key));
                assert!(footer.contains("? ") && leaves, "{keys} {width}: {footer}");
            }
        }
    }
}

#[test]
fn many_scopes_are_seen_through_a_window() {
    let units = (1..=30).map(|unit| format!("## UC-{unit:02}: Number {unit}\n\nAC-{unit:02}: it works.\n")).collect::<String>();
    let document = format!("# Many\n\n## Scope\n\nAll.\n\n{units}");
    let mut recipe = recipe("refine-prd");
    recipe.dimensions.truncate(1);
    let case = Case::with(&document, "", recipe, Granularity::PerUc);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(case.run()).expect("a review");
    let plan = case.store.events().into_iter().find(|event| event.key == "plan").expect("a plan");
    let mut stage = begun(&document, Lang::En);
    happens(&mut stage, 0, Kind::Fixed, "plan", 0, &plan.body.value());
    let columns = stage.model.view().plan.as_ref().map_or(0, |plan| plan.buckets.len());
    for (width, hidden) in [(200, 0), (80, columns - 5), (40, columns - 2)] {
        let screen = stage.screen((width, 24));
        let head = screen.lines().nth(3).unwrap_or_default().to_owned();
        assert!(head.contains("UC-01"), "{screen}");
        assert_eq!(head.contains(&format!("+{hidden}")), hidden > 0, "{screen}");
    }
    // The scope of the agent under the cursor is among those that are seen.
    stage.keys("end up");
    let agent = stage.model.run.cursor.clone().expect("an agent");
    let name = stage.model.agent_name(&agent);
    let scope = name.split(' ').nth(1).unwrap_or_default().to_owned();
    let screen = stage.screen((80, 24));
    let head = screen.lines().nth(3).unwrap_or_default();
    assert!(head.contains(&scope) && head.starts_with('+'), "{scope}\n{screen}");
}

#[test]
fn replicas_and_checks_ahead_have_their_places() {
    let document = example("prd-en.md");
    let (event, _) = plan_of(&document);
    let mut body = event.body.value();
    body["before"] = json!(["P0", "P3"]);
    let cells = body["cells"].as_array().cloned().unwrap_or_default();
    let second: Vec<Value> = cells
        .iter()
        .map(|cell| {
            let mut cell = cell.clone();
            cell["replica"] = json!(2);
            cell
        })
        .collect();
    body["cells"] = Value::Array(cells.into_iter().chain(second).collect());
    let mut stage = begun(&document, Lang::En);
    happens(&mut stage, 0, Kind::Fixed, "plan", 0, &body);
    let plan: Plan = serde_json::from_value(body).expect("a plan");
    let keys: Vec<String> = plan.cells.iter().map(|cell| cell_key(&plan, cell).0).collect();
    starts(&mut stage, 1, "before/P0", 1);
    ends(&mut stage, 2, "before/P0", &EN[..1]);
    starts(&mut stage, 2, "before/P3", 1);
    starts(&mut stage, 3, &keys[0], 1);
    starts(&mut stage, 3, &keys[12], 1);
    ends(&mut stage, 4, &keys[0], &EN);
    let screen = stage.screen((80, 24));
    assert!(screen.contains("first  P0 ✓ done 1   P3 ● running"), "{screen}");
    assert!(screen.contains("● running 1/2"), "{screen}");
    assert!(screen.contains("DEV UC-01..UC-02 r2"), "{screen}");
    ends(&mut stage, 5, &keys[12], &EN[..1]);
    assert!(stage.screen((80, 24)).contains("✓ done 4 2/2"), "{}", stage.screen((80, 24)));
}

#[test]
fn states_differ_without_colour() {
    let (mut stage, _) = mixed(&example("prd-en.md"), Lang::En, &EN);
    let screen = stage.screen((120, 40));
    for state in ["○ hole", "– not covered", "✗ failed", "? needs you", "● running", "· waiting", "✓ done 2"] {
        assert!(screen.contains(state), "{state}\n{screen}");
    }
}

#[test]
fn every_size_is_drawn() {
    let (mut stage, keys) = mixed(&example("prd-zh.md"), Lang::Zh, &ZH);
    let mut round = Stage::at_round(1);
    for width in [0, 1, 2, 3, 39, 40, 41, 45, 46, 59, 60, 63, 64, 99, 100, 101, 130] {
        for height in [0, 1, 2, 9, 10, 11, 12, 15, 16, 17, 18, 24, 31] {
            for keys_before in ["", "enter"] {
                stage.model.run.output = None;
                stage.msg(Msg::Tick).keys(keys_before);
                stage.draw((width, height));
            }
            round.draw((width, height));
        }
    }
    says(&mut stage, &keys[4], 1, &"长".repeat(9_000));
    stage.draw((500, 1_000));
    stage.draw((41, 11));
    assert_eq!(stage.model.now, Now { ms: stage.ms, wall: THEN + stage.ms as i64 });
}

#[test]
fn a_run_is_shown_from_each_of_its_beginnings() {
    for (events, words) in [(0, "Reading the document"), (1, "0 of 12 agents have ended"), (20, "of 12 agents have ended")] {
        let mut stage = Stage::midway(events);
        for size in SIZES {
            assert!(stage.screen(size).contains(words), "{}", stage.screen(size));
        }
    }
}
