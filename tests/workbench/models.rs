//! Models on screen: failures with what can be done, steps held by a cap, who answered and what it took, the question before
//! anything is sent, and the exact prompt.

use crate::scenes::estimate;
use crate::stage::{SIZES, Stage, events_of, example};
use serde_json::{Value, json};
use tamis::model::answer::FaultClass;
use tamis::model::estimate::{Estimate, TooLong};
use tamis::model::event::{Event, Kind, Sending};
use tamis::model::lang::Lang;
use tamis::model::plan::{Plan, cell_key};
use tamis::text::Catalogue;
use tamis::tui::faults;
use tamis::tui::message::Cmd;
use tamis::tui::model::{Layer, SETTLE, Screen};
use tamis::tui::port::{Input, Wish};
use tamis::tui::sending::READ_FOR;

/// Every kind of failure there is: serde names them all when it is given none of them.
fn classes() -> Vec<FaultClass> {
    let error = serde_json::from_str::<FaultClass>("\"?\"").expect_err("no such kind").to_string();
    let (_, named) = error.split_once("expected one of").expect("serde names them");
    named.split('`').skip(1).step_by(2).map(|word| serde_json::from_value(word.into()).expect("a kind")).collect()
}

/// An event comes in, recorded so many seconds after the run began.
fn happens(stage: &mut Stage, seconds: u64, kind: Kind, key: &str, attempt: u32, body: Value) {
    let seq = stage.model.history.events().len() as u64;
    let at = format!("2026-01-02T03:{:02}:{:02}.000Z", 4 + (5 + seconds) / 60, (5 + seconds) % 60);
    let event = Event { v: 1, seq, prev: String::new(), at, kind, key: key.to_owned(), attempt, body: body.into() };
    stage.ms = stage.ms.max(seconds * 1_000);
    stage.input(Input::Event(Box::new(event)));
}

fn starts(stage: &mut Stage, seconds: u64, key: &str, agent: &str, attempt: u32) {
    let body = json!({ "agent": agent, "label": key.split('@').next(), "dimension": "", "scopes": [] });
    happens(stage, seconds, Kind::StepStarted, key, attempt, body);
}

/// A run with its plan, on models that have prices, and the keys of its cells.
fn planned(document: &str, lang: Lang) -> (Stage, Vec<String>) {
    let events = events_of(document, "", &[SETTLE]);
    let plan = events.iter().find(|event| event.kind == Kind::Fixed && event.key == "plan").expect("a plan");
    let body: Plan = plan.body.read().expect("a plan");
    let begun = Event { at: "2026-01-02T03:04:05.000Z".to_owned(), ..events[0].clone() };
    let mut stage = Stage::on(document, lang, vec![begun]);
    happens(&mut stage, 0, Kind::Fixed, "plan", 0, plan.body.value());
    let sending = Sending { estimate: estimate().0, by: "An".to_owned() };
    happens(&mut stage, 0, Kind::SendingConfirmed, "", 0, serde_json::to_value(sending).expect("a value"));
    let keys = body.cells.iter().map(|cell| cell_key(&body, cell).0).collect();
    (stage, keys)
}

/// An agent answers: findings, what it took, and where the answer is from.
fn answers(stage: &mut Stage, seconds: u64, key: &str, findings: usize, usage: Value, provenance: Value) {
    let found = json!({ "dimension": "DEV", "severity": "major", "section": "Business rules", "uc_id": "UC-02", "quote": "",
        "finding": "Step 2 takes the locker fee while the door is still closed.", "suggestion": "", "auto_fixable": false });
    let answer = json!({ "findings": vec![found; findings] });
    let body =
        json!({ "findings": findings, "agent": "openai:gpt-5", "usage": usage, "provenance": provenance, "answer": answer });
    happens(stage, seconds, Kind::StepDone, key, 1, body);
}

fn provenance(changes: Value) -> Value {
    let mut all = json!({ "asked": "openai:gpt-5", "answered": "gpt-5-2025-08-07", "server": "https://api.openai.com",
        "prompt": "5f1d0c9a77e2b480", "calls": 1, "retries": 0, "dropped": 0, "may_be_cut": false, "repaired": false,
        "shape": "json_schema" });
    for (name, value) in changes.as_object().expect("fields") {
        all[name] = value.clone();
    }
    all
}

/// A fan-out on models in which everything has happened that can: the keys of its cells.
fn eventful(document: &str, lang: Lang) -> (Stage, Vec<String>) {
    let (mut stage, keys) = planned(document, lang);
    for key in &keys[..8] {
        starts(&mut stage, 1, key, "openai:gpt-5", 1);
    }
    let usage = |tokens_in: u64, cached: u64, cost: u64| json!({ "tokens_in": tokens_in, "tokens_out": 1_412, "cached": cached, "reasoning": 640, "cost_micros": cost });
    answers(&mut stage, 9, &keys[0], 2, usage(18_400, 8_280, 23_750), provenance(json!({})));
    let cut = provenance(json!({ "may_be_cut": true, "dropped": 2, "repaired": true, "calls": 4, "retries": 1 }));
    answers(&mut stage, 14, &keys[1], 40, usage(73_600, 70_000, 61_003), cut);
    answers(&mut stage, 15, &keys[2], 0, usage(18_400, 0, 31_000), provenance(json!({ "answered": "", "shape": "prompt" })));
    let failed = json!({ "reason": "stopped at 16384 tokens", "class": "truncated", "final": true,
        "usage": { "tokens_in": 18_400, "tokens_out": 16_384, "cost_micros": 187_000 } });
    happens(&mut stage, 20, Kind::AttemptFailed, &keys[3], 1, failed);
    let failed = json!({ "reason": "nothing came for 60 s", "class": "stalled", "final": false });
    happens(&mut stage, 21, Kind::AttemptFailed, &keys[4], 1, failed);
    for key in &keys[8..10] {
        happens(&mut stage, 22, Kind::StepHeld, key, 0, json!({ "reason": "--max-cost 0.30 is reached" }));
    }
    stage.after(1_000);
    (stage, keys)
}

fn snapshots(name: &str, stage: &mut Stage, sizes: &[(u16, u16)]) {
    for &size in sizes {
        stage.size = size;
        stage.draw(size);
        insta::assert_snapshot!(format!("models_{name}_{}x{}", size.0, size.1), stage.screen(size));
    }
}

/// A frame's words in one line, without frames and line breaks.
fn words_of(screen: &str) -> String {
    let lines = screen.lines().map(|line| line.trim_matches(|c: char| c.is_whitespace() || "┃━┏┓┗┛█".contains(c)));
    lines.collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text with the blanks taken out: Chinese breaks its lines anywhere.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Opens the agent with this key.
fn open(stage: &mut Stage, key: &str) {
    stage.model.run.output = None;
    stage.model.run.unfolded = true;
    stage.model.run.order = stage.model.agents();
    stage.model.run.cursor = Some(key.to_owned());
    stage.keys("enter");
    assert_eq!(stage.model.run.output.as_ref().map(|pane| pane.step.as_str()), Some(key));
}

#[test]
fn each_failure_is_named_in_the_row_and_told_whole_in_the_output_and_the_hint() {
    for (lang, document) in [(Lang::En, "prd-en.md"), (Lang::Vi, "prd-vi.md"), (Lang::Zh, "prd-zh.md")] {
        let words = Catalogue::new(lang);
        let (mut stage, keys) = planned(&example(document), lang);
        let key = &keys[0];
        for (attempt, class) in (1..).zip(classes()) {
            stage.model.run.output = None;
            stage.model.run.cursor = None;
            starts(&mut stage, u64::from(attempt), key, "anthropic:claude", attempt);
            let failed = json!({ "reason": "the server's words", "class": class.word(), "final": true });
            happens(&mut stage, u64::from(attempt), Kind::AttemptFailed, key, attempt, failed);
            let (name, remedy) = (faults::name(&words, class), faults::remedy(&words, class, "anthropic:claude"));
            let message = stage.model.message.as_ref().expect("a hint").text.clone();
            assert!(message.contains(&name) && message.contains(&remedy), "{lang} {class:?}: {message}");
            let row = stage.screen((120, 40));
            assert!(packed(&row).contains(&packed(&name)), "{lang} {class:?}: no {name:?} on\n{row}");
            open(&mut stage, key);
            for size in [(80, 24), (120, 40)] {
                stage.size = size;
                let output = packed(&words_of(&stage.screen(size)));
                for text in [&name, &remedy, "the server's words"] {
                    assert!(output.contains(&packed(text)), "{lang} {class:?} {size:?}: no {text:?} in {output}");
                }
            }
        }
    }
}

#[test]
fn a_failure_elsewhere_is_named_with_the_way_there() {
    let (mut stage, keys) = planned(&example("prd-en.md"), Lang::En);
    starts(&mut stage, 1, &keys[0], "openai:gpt-5", 1);
    stage.keys("f5");
    let failed = json!({ "reason": "insufficient_quota", "class": "quota", "final": true });
    happens(&mut stage, 2, Kind::AttemptFailed, &keys[0], 1, failed);
    let message = stage.model.message.as_ref().expect("a hint").text.clone();
    assert!(message.contains("the quota is used up") && message.contains("! goes there"), "{message}");
    // A record of another version says no kind: it is told as before.
    starts(&mut stage, 3, &keys[1], "openai:gpt-5", 1);
    happens(&mut stage, 4, Kind::AttemptFailed, &keys[1], 1, json!({ "reason": "gone", "final": true }));
    let message = stage.model.message.as_ref().expect("a hint").text.clone();
    assert!(message.contains("gave no answer"), "{message}");
}

#[test]
fn a_fan_out_on_models() {
    let (mut stage, _) = eventful(&example("prd-en.md"), Lang::En);
    snapshots("fan_out", &mut stage, &SIZES);
    let (mut stage, _) = eventful(&example("prd-vi.md"), Lang::Vi);
    snapshots("fan_out_vi", &mut stage, &[(80, 24), (120, 40)]);
    let (mut stage, _) = eventful(&example("prd-zh.md"), Lang::Zh);
    snapshots("fan_out_zh", &mut stage, &[(80, 24), (120, 40)]);
}

#[test]
fn a_failed_output_says_what_can_be_done() {
    let (mut stage, keys) = eventful(&example("prd-en.md"), Lang::En);
    stage.model.outputs.entry(keys[3].clone()).or_default().add(1, "[{\"dimension\":\"DEV\",\"severity\":\"maj", 1);
    open(&mut stage, &keys[3]);
    snapshots("failed", &mut stage, &SIZES);
    // On a small screen what does not stand there can be scrolled to.
    stage.size = (40, 10);
    let mut read = words_of(&stage.screen((40, 10)));
    for _ in 0..20 {
        stage.keys("down");
        read.push_str(&words_of(&stage.screen((40, 10))));
    }
    let read = packed(&read);
    for text in ["--granularity", "187", "\"severity\":\"maj"] {
        assert!(read.contains(&packed(text)), "{text}: {read}");
    }
}

#[test]
fn an_answer_says_where_it_is_from_and_what_it_took() {
    let (mut stage, keys) = eventful(&example("prd-en.md"), Lang::En);
    open(&mut stage, &keys[1]);
    let step = keys[1].clone();
    stage.input(Input::Output { step, text: "[{\"dimension\": \"SA\"}]".to_owned() });
    snapshots("answer", &mut stage, &SIZES);
    let screen = words_of(&stage.screen((80, 24)));
    for text in [
        "asked openai:gpt-5",
        "answered by gpt-5-2025-08-07",
        "at https://api.openai.com",
        "calls 4, of them retries 1",
        "shape json_schema",
        "prompt 5f1d0c9a77e2b480",
        "the text had to be mended",
        "May be cut",
        "could not be read: 2",
        "73 600 tokens in (95 % from the cache)",
        "1 412 out (640 of them reasoning)",
        "0.0610 USD",
    ] {
        assert!(screen.contains(text), "no {text:?} in {screen}");
    }
    // Who was asked is who answered: said once. A server that does not say is told to have said nothing.
    open(&mut stage, &keys[2]);
    let screen = words_of(&stage.screen((80, 24)));
    assert!(screen.contains("did not say which model answered") && !screen.contains("answered by"), "{screen}");
    let same = provenance(json!({ "asked": "openai:gpt-5@http://127.0.0.1:1/v1", "answered": "gpt-5" }));
    answers(&mut stage, 30, &keys[5], 0, json!({ "tokens_in": 5 }), same);
    open(&mut stage, &keys[5]);
    let screen = words_of(&stage.screen((80, 24)));
    assert!(screen.contains("asked openai:gpt-5@http") && !screen.contains("answered by"), "{screen}");
    assert!(screen.contains("5 tokens in") && !screen.contains('%') && !screen.contains("reasoning"), "{screen}");
}

#[test]
fn a_held_step_says_what_asks_it() {
    let (mut stage, keys) = eventful(&example("prd-en.md"), Lang::En);
    let run = stage.screen((200, 60));
    assert!(run.contains("2 held") && run.contains("◊ held"), "{run}");
    assert!(run.contains("--max-cost 0.30 is reached · `tamis resume` under a higher cap"), "{run}");
    open(&mut stage, &keys[8]);
    snapshots("held", &mut stage, &[(40, 10), (80, 24)]);
    // A critic that is held does not compare anything.
    starts(&mut stage, 30, "critic/1", "openai:gpt-5", 1);
    stage.keys("esc");
    happens(&mut stage, 31, Kind::StepHeld, "critic/1", 1, json!({ "reason": "--max-tokens" }));
    let run = stage.screen((80, 24));
    assert!(run.contains("Round 1: the critic is held by a cap"), "{run}");
}

#[test]
fn what_it_took_stands_in_the_header_where_there_is_room_and_anything_was_taken() {
    let (mut stage, keys) = planned(&example("prd-en.md"), Lang::En);
    starts(&mut stage, 1, &keys[0], "openai:gpt-5", 1);
    let header = |stage: &mut Stage, width: u16| stage.screen((width, 24)).lines().next().unwrap_or_default().to_owned();
    assert!(!header(&mut stage, 120).contains("tok"), "{}", header(&mut stage, 120));
    answers(&mut stage, 3, &keys[0], 0, json!({ "tokens_in": 18_400, "tokens_out": 300 }), provenance(json!({})));
    assert!(header(&mut stage, 120).contains(" · 18k tok · "), "{}", header(&mut stage, 120));
    starts(&mut stage, 4, &keys[1], "openai:gpt-5", 1);
    answers(&mut stage, 5, &keys[1], 0, json!({ "tokens_in": 18_400, "cost_micros": 1_254_900 }), provenance(json!({})));
    assert!(header(&mut stage, 120).contains(" · 37k tok 1.25 USD · "), "{}", header(&mut stage, 120));
    assert!(header(&mut stage, 80).contains("37k tok 1.25 USD"), "{}", header(&mut stage, 80));
    assert!(!header(&mut stage, 40).contains("USD"), "{}", header(&mut stage, 40));
}

#[test]
fn report_says_what_all_took_and_what_may_be_missing() {
    let (mut stage, keys) = eventful(&example("prd-en.md"), Lang::En);
    let other = provenance(json!({ "asked": "critic", "answered": "gpt-5-2025-08-07" }));
    starts(&mut stage, 30, "critic/1", "critic", 1);
    answers(&mut stage, 31, "critic/1", 0, json!({ "tokens_in": 90_000, "tokens_out": 100, "cost_micros": 8_000 }), other);
    stage.keys("f6");
    assert_eq!(stage.model.screen, Screen::Report);
    snapshots("report", &mut stage, &SIZES);
    let (mut vi, _) = eventful(&example("prd-vi.md"), Lang::Vi);
    vi.keys("f6");
    snapshots("report_vi", &mut vi, &[(80, 24)]);
    let (mut zh, _) = eventful(&example("prd-zh.md"), Lang::Zh);
    zh.keys("f6");
    snapshots("report_zh", &mut zh, &[(80, 24)]);
    // A hole for good is told as one; what a cap holds is not.
    let hole = json!({ "step": "review/SA/UC-05", "dimension": "SA", "scopes": [], "reason": "it was given up" });
    assert!(!stage.screen((200, 60)).contains("never answered"));
    happens(&mut stage, 32, Kind::HoleAccepted, &keys[7], 0, hole);
    let report = stage.screen((200, 60));
    assert!(report.contains("Holes, never answered: review/SA/UC-05 (it was given up)\n"), "{report}");
    // Every agent is listed, and a sum that leaves something out says so.
    for key in &keys[4..8] {
        answers(&mut stage, 40, key, 0, json!({ "tokens_in": 1, "cost_micros": 1 }), provenance(json!({})));
    }
    for number in 2..8 {
        let key = format!("critic/{number}");
        starts(&mut stage, 41, &key, "critic", 1);
        answers(&mut stage, 42, &key, 0, json!({ "tokens_in": 2, "cost_micros": 2 }), provenance(json!({})));
    }
    starts(&mut stage, 43, "critic/8", "local", 1);
    answers(&mut stage, 44, "critic/8", 0, json!({ "tokens_in": 7 }), provenance(json!({ "asked": "local", "answered": "" })));
    let report = stage.screen((200, 60));
    assert!(report.contains("critic 7          2 tokens in · 0 out · 0.000002 USD"), "{report}");
    assert!(report.contains("Not in that sum, for they have no price: local"), "{report}");
    stage.keys("y");
    let copied = stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Copy(text) if text.contains("critic 8") && text.contains("0.3")));
    assert!(copied, "what it took is copied too");
}

#[test]
fn a_script_of_models_is_shown_as_it_was_answered() {
    let steps = "  - key: review/DEV/*
    attempts:
      - fail: truncated
        tokens_in: 900
        tokens_out: 100
        cost_micros: 500
      - findings: [{severity: major, finding: 'The fee is taken while the door is closed.'}]
        tokens_in: 1000
        tokens_out: 200
        cached: 450
        cost_micros: 1500
        model: tiny-2
        dropped: 1
        may_be_cut: true
";
    let document = example("prd-en.md");
    let mut events = events_of(&document, steps, &[SETTLE]);
    events.retain(|event| event.kind != Kind::RunPaused);
    let mut stage = Stage::on(&document, Lang::En, events);
    stage.input(Input::Desk { gate: SETTLE.to_owned() });
    stage.keys("f2 z");
    stage.size = (200, 60);
    let run = stage.screen((200, 60));
    assert!(run.contains("findings: 1+, may be cut · unreadable: 1") && run.contains("✓ done 1+"), "{run}");
    let key = stage.model.agents().into_iter().find(|key| key.starts_with("review/DEV/")).expect("a step");
    open(&mut stage, &key);
    let output = words_of(&stage.screen((200, 60)));
    // Both attempts are counted; without a currency the price is a bare number.
    assert!(output.contains("1 900 tokens in (24 % from the cache) · 300 out · cost 0.0020"), "{output}");
    assert!(output.contains("answered by tiny-2"), "{output}");
}

fn asks(stage: &mut Stage, estimate: Estimate, one_model: Vec<(String, String)>) {
    stage.input(Input::Sending { estimate: Box::new(estimate), file: "prd.md".to_owned(), one_model });
}

fn sends(stage: &Stage) -> usize {
    stage.cmds.iter().filter(|cmd| **cmd == Cmd::Wish(Wish::Send)).count()
}

fn is_shown(stage: &Stage) -> bool {
    stage.model.layers.iter().any(|layer| matches!(layer, Layer::Sending(_)))
}

#[test]
fn before_anything_is_sent() {
    for (name, lang, sizes) in [("", Lang::En, &SIZES[..]), ("_vi", Lang::Vi, &SIZES[..2]), ("_zh", Lang::Zh, &SIZES[..2])] {
        let mut stage = Stage::on(&example("prd-en.md"), lang, Vec::new());
        let (estimate, one_model) = estimate();
        asks(&mut stage, estimate, one_model);
        snapshots(&format!("sending{name}"), &mut stage, sizes);
    }
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    let (mut unknown, _) = estimate();
    unknown.cost_micros = None;
    unknown.arbiter = tamis::model::estimate::Span::default();
    unknown.too_long =
        vec![TooLong { step: "review/DEV/UC-01".to_owned(), agent: "tiny".to_owned(), tokens: 41_000, context: 32_768 }];
    asks(&mut stage, unknown, Vec::new());
    snapshots("sending_unknown", &mut stage, &[(80, 24)]);
}

#[test]
fn at_the_smallest_size_all_of_it_can_be_read() {
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    stage.size = (40, 10);
    let (estimate, one_model) = estimate();
    asks(&mut stage, estimate, one_model);
    let mut read = words_of(&stage.screen((40, 10)));
    assert!(read.contains("Enter send") && read.contains("more"), "{read}");
    for _ in 0..20 {
        stage.keys("down");
        read.push_str(&words_of(&stage.screen((40, 10))));
    }
    for text in ["https://api.openai.com", "qwen3-32b", "63", "512 000", "1.93 USD", "miss the same things", "nothing is sent"] {
        assert!(packed(&read).contains(&packed(text)), "{text}: {read}");
    }
    assert!(!words_of(&stage.screen((40, 10))).contains(" more"));
}

#[test]
fn help_says_what_the_keys_do_and_leads_back() {
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    let (estimate, one_model) = estimate();
    asks(&mut stage, estimate, one_model);
    stage.keys("?");
    let help = words_of(&stage.screen((80, 24)));
    assert!(help.contains("Before anything is sent") && help.contains("leave, nothing is sent"), "{help}");
    assert!(!help.contains("on its way"), "nothing is: {help}");
    stage.after(READ_FOR);
    stage.keys("enter");
    assert_eq!(sends(&stage), 0, "what lies below the help is not answered");
    stage.keys("esc");
    assert!(is_shown(&stage) && words_of(&stage.screen((80, 24))).contains("Enter send"));
}

#[test]
fn only_a_key_that_was_pressed_after_reading_sends() {
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    let (estimate, one_model) = estimate();
    asks(&mut stage, estimate.clone(), one_model);
    // Enter is held down: it repeats for five seconds.
    for _ in 0..50 {
        stage.keys("enter");
    }
    assert_eq!((sends(&stage), is_shown(&stage)), (0, true));
    let told = stage.model.message.as_ref().expect("a hint").text.clone();
    assert!(told.contains("Not sent"), "{told}");
    // It is let go, and pressed again; once it is on its way, nothing sends it twice.
    stage.after(READ_FOR);
    stage.keys("enter");
    assert_eq!((sends(&stage), is_shown(&stage)), (1, true));
    stage.after(READ_FOR);
    stage.keys("enter y esc q n");
    assert_eq!((sends(&stage), is_shown(&stage)), (1, true));
    assert!(!stage.cmds.contains(&Cmd::Quit));
    assert!(words_of(&stage.screen((80, 24))).contains("On its way"));
    stage.input(Input::Sent);
    assert!(!is_shown(&stage));
}

#[test]
fn what_has_not_been_painted_is_not_confirmed() {
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    // Too small to show anything but a request for more room.
    stage.size = (39, 9);
    let (estimate, one_model) = estimate();
    asks(&mut stage, estimate.clone(), one_model.clone());
    stage.after(10 * READ_FOR);
    stage.keys("enter");
    assert_eq!(sends(&stage), 0);
    stage.size = (80, 24);
    stage.draw((80, 24));
    stage.keys("enter");
    assert_eq!(sends(&stage), 0, "it has only just appeared");
    stage.after(READ_FOR);
    stage.keys("y");
    assert_eq!(sends(&stage), 1);

    // Below help it cannot be seen: a key there is about help.
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    stage.keys("?");
    asks(&mut stage, estimate, one_model);
    stage.after(10 * READ_FOR);
    stage.keys("enter");
    assert_eq!(sends(&stage), 0);
    stage.keys("esc enter");
    assert_eq!((sends(&stage), is_shown(&stage)), (0, true));
    stage.after(READ_FOR);
    stage.keys("enter");
    assert_eq!(sends(&stage), 1);
}

#[test]
fn leaving_sends_nothing() {
    for way in ["esc", "n", "q", "ctrl-c ctrl-c"] {
        let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
        let (estimate, one_model) = estimate();
        asks(&mut stage, estimate, one_model);
        stage.after(READ_FOR);
        stage.keys(way);
        assert_eq!((sends(&stage), stage.cmds.contains(&Cmd::Quit)), (0, true), "{way}");
    }
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, Vec::new());
    let (estimate, one_model) = estimate();
    asks(&mut stage, estimate, one_model);
    stage.after(READ_FOR);
    stage.keys("ctrl-c");
    assert!(is_shown(&stage), "one Ctrl-C takes nothing away");
}

#[test]
fn the_question_goes_when_the_run_goes_on_or_ends() {
    let document = example("prd-en.md");
    let ask = || {
        let mut stage = Stage::on(&document, Lang::En, Vec::new());
        let (estimate, one_model) = estimate();
        asks(&mut stage, estimate, one_model);
        stage
    };
    let mut stage = ask();
    starts(&mut stage, 1, "read/document", "", 1);
    assert!(is_shown(&stage), "reading a file sends nothing");
    starts(&mut stage, 1, "review/DEV/UC-01", "openai:gpt-5", 1);
    assert!(!is_shown(&stage));
    let mut stage = ask();
    let sending = Sending { estimate: estimate().0, by: "An".to_owned() };
    happens(&mut stage, 1, Kind::SendingConfirmed, "", 0, serde_json::to_value(sending).expect("a value"));
    assert!(!is_shown(&stage));
    let mut stage = ask();
    let fault = Some(("the journal cannot be written".to_owned(), "free some space".to_owned()));
    stage.input(Input::Ended(tamis::tui::port::Ended { summary: Vec::new(), written: None, fault }));
    assert!(!is_shown(&stage));
}

#[test]
fn the_exact_prompt_of_an_agent() {
    let (mut stage, keys) = eventful(&example("prd-en.md"), Lang::En);
    open(&mut stage, &keys[0]);
    let wished = |stage: &Stage| {
        let wishes = stage.cmds.iter().filter_map(|cmd| match cmd {
            Cmd::Wish(Wish::Prompt { step, attempt }) => Some((step.clone(), *attempt)),
            _ => None,
        });
        wishes.collect::<Vec<_>>()
    };
    stage.keys("p");
    assert_eq!(wished(&stage), [(keys[0].clone(), 1)]);
    assert!(stage.screen((80, 24)).contains("It is being put together."));
    let mut text = "You review one dimension only: DEV.\n\n\u{1b}[31mnot red\u{1b}[0m\n".to_owned();
    for line in 1..=400 {
        text.push_str(&format!("{line}: {}\n", "The locker fee is taken when the door opens. ".repeat(3)));
    }
    text.push_str("The last line.");
    // An answer for another agent comes too late for this one.
    stage.input(Input::Prompt { step: keys[1].clone(), text: "another prompt".to_owned() });
    assert!(!stage.screen((80, 24)).contains("another prompt"));
    stage.input(Input::Prompt { step: keys[0].clone(), text: text.clone() });
    snapshots("prompt", &mut stage, &SIZES);
    stage.size = (80, 24);
    stage.keys("end");
    let end = stage.screen((80, 24));
    assert!(end.contains("The last line.") && !end.contains("You review one dimension only"), "{end}");
    // What the agent says meanwhile moves nothing here.
    stage.keys("up up up");
    let before = stage.screen((80, 24));
    stage.model.outputs.entry(keys[0].clone()).or_default().add(1, &"more\n".repeat(9_000), 1);
    stage.input(Input::Text);
    assert_eq!(stage.screen((80, 24)), before);
    stage.keys("home");
    assert!(stage.screen((80, 24)).contains("You review one dimension only: DEV."));
    stage.keys("y");
    assert!(stage.cmds.contains(&Cmd::Copy(text)), "it is copied as it was sent");
    // Back to the output, and then to the list.
    stage.keys("esc");
    assert!(stage.model.run.output.as_ref().is_some_and(|pane| pane.prompt.is_none()));
    stage.keys("p p");
    assert!(stage.model.run.output.as_ref().is_some_and(|pane| pane.prompt.is_none()));
    stage.keys("esc");
    assert!(stage.model.run.output.is_none());
}

#[test]
fn an_agent_that_has_not_begun_and_one_without_a_prompt() {
    let (mut stage, keys) = planned(&example("prd-en.md"), Lang::En);
    starts(&mut stage, 1, &keys[0], "offline", 1);
    stage.keys("p");
    stage.input(Input::Prompt { step: keys[0].clone(), text: String::new() });
    let screen = words_of(&stage.screen((80, 24)));
    assert!(screen.contains("There is no prompt"), "{screen}");
    stage.keys("y esc");
    assert!(stage.model.run.output.is_none());
    assert!(!stage.cmds.iter().any(|cmd| matches!(cmd, Cmd::Copy(_))), "there is nothing to copy");
}
