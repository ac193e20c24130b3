//! Findings: list, filters, marks, decisions one by one and many at once, and the detail.

use crate::common::{Case, ScriptedHuman};
use crate::stage::{SIZES, Stage, events_of, example};
use tamis::model::event::{Body, Event, Kind};
use tamis::model::finding::{Severity, Status};
use tamis::model::gate::Op;
use tamis::model::lang::Lang;
use tamis::tui::filter::{Row, standing};
use tamis::tui::model::{SETTLE, Screen};
use tamis::tui::port::Input;
use unicode_normalization::UnicodeNormalization;

/// A small document and its findings in one language, waiting at the settle gate.
fn small(lang: Lang, document: &str, steps: &str) -> Stage {
    let human = ScriptedHuman { away: vec![SETTLE.to_owned()], ..ScriptedHuman::default() };
    let case = Case::new(document, steps).human(human);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    let _ = runtime.block_on(case.run());
    let mut events = case.store.events();
    events.retain(|event| event.kind != Kind::RunPaused);
    let mut stage = Stage::on(document, lang, events);
    stage.input(Input::Desk { gate: SETTLE.to_owned() });
    stage
}

const VI: &str = "\
# Tủ giao nhận\n\n## UC-01: Gửi kiện hàng\n- AC-01: Bưu tá gửi một kiện hàng vào ngăn tủ.\n\n## UC-02: Hoàn phí\n- AC-02: Yêu cầu hoàn phí được gửi trong vòng 14 ngày.\n- AC-03: Tiền hoàn phí về đúng phương thức đã trả.\n";

const VI_STEPS: &str = "  - {key: \"review/DEV/*\", findings: [{severity: major, quote: \"Yêu cầu hoàn phí được gửi trong vòng 14 ngày.\", finding: \"Không rõ 14 ngày tính từ lúc nào.\", suggestion: \"Yêu cầu hoàn phí được gửi trong vòng 14 ngày sau khi lấy kiện hàng.\"}, {severity: minor, quote: \"Bưu tá gửi một kiện hàng vào ngăn tủ.\", finding: \"Thiếu đường lỗi khi ngăn tủ hỏng.\", suggestion: \"Thêm EF-01.\", resolution_edge_cases: [\"Cửa ngăn tủ kẹt khi đang mở.\"]}]}
  - {key: \"review/SA/*\", findings: [{severity: critical, quote: \"Tiền hoàn phí về đúng phương thức đã trả.\", finding: \"Thẻ đã hết hạn thì không hoàn được.\", suggestion: \"Nêu phương thức thay thế.\", blocked_on: [\"needs-money-decision: Ai chịu phí chuyển khoản?\"]}]}
  - {key: \"*\", findings: []}
";

const ZH: &str = "\
# 快递柜\n\n## UC-01：寄存包裹\n- AC-01：快递员把一件包裹放入格口。\n\n## UC-02：退费\n- AC-02：退费申请必须在取件后 14 天内提交。\n- AC-03：退费原路退回付款账户。\n";

const ZH_STEPS: &str = "  - {key: \"review/DEV/*\", findings: [{severity: major, quote: \"退费申请必须在取件后 14 天内提交。\", finding: \"没有说明超过 14 天的申请如何处理。\", suggestion: \"退费申请必须在取件后 14 天内提交，逾期的申请显示原因并拒绝。\"}, {severity: minor, quote: \"快递员把一件包裹放入格口。\", finding: \"格口打不开时怎么办没有写。\", suggestion: \"补充 EF-01。\"}]}
  - {key: \"*\", findings: []}
";

/// The bundled council with the cursor on Findings.
fn findings() -> Stage {
    let mut stage = Stage::settling();
    stage.keys("f5");
    stage
}

fn statuses(stage: &Stage) -> Vec<Status> {
    stage.model.decided.findings.iter().map(standing).collect()
}

fn id(stage: &Stage) -> String {
    stage.model.current_finding().map(|finding| finding.id.clone()).unwrap_or_default()
}

/// To the first finding under the cursor's way that is no conflict.
fn to_ordinary(stage: &mut Stage) {
    while stage.model.current_finding().expect("a finding").is_conflict() {
        stage.keys("j");
    }
}

#[test]
fn a_decision_is_recorded_and_the_cursor_goes_on() {
    let mut stage = findings();
    to_ordinary(&mut stage);
    let (at, first) = (stage.model.findings.cursor, id(&stage));
    stage.keys("a");
    assert_eq!(stage.model.findings.cursor, at + 1);
    let decided = stage.model.decided.findings.iter().find(|finding| finding.id == first).expect("still there");
    assert_eq!(decided.status, Status::Accepted);
    to_ordinary(&mut stage);
    stage.keys("x enter");
    to_ordinary(&mut stage);
    // Putting off needs words.
    stage.keys("d enter");
    assert_eq!(stage.ops().len(), 2);
    stage.types("after the pilot").keys("enter");
    to_ordinary(&mut stage);
    let suggestion = stage.model.current_finding().expect("a finding").suggestion.clone();
    stage.keys("e").types("!").keys("enter");
    let ops = stage.ops();
    assert!(matches!(&ops[0], Op::Accept { .. }));
    assert!(matches!(&ops[1], Op::Reject { reason, .. } if reason.is_empty()));
    assert!(matches!(&ops[2], Op::Defer { reason, .. } if reason == "after the pilot"));
    assert!(matches!(&ops[3], Op::Write { text, .. } if *text == format!("{suggestion}!")), "{:?}", ops[3]);
    stage.keys("k C");
    assert!(matches!(stage.ops().last(), Some(Op::Clear { .. })));
}

#[test]
fn a_conflict_cannot_be_accepted_as_it_stands() {
    let mut stage = findings();
    assert!(stage.model.current_finding().expect("a finding").is_conflict());
    stage.keys("a");
    assert!(stage.ops().is_empty());
    assert!(stage.screen((80, 24)).contains("a conflict is decided on Decide"));
}

#[test]
fn many_are_decided_at_once_and_taken_back_at_once() {
    let mut stage = findings();
    stage.keys("s s s");
    assert_eq!(stage.model.findings.severity, Some(Severity::Minor));
    let before = statuses(&stage);
    let minors = stage.model.findings.shown.len();
    assert!(minors > 2);
    stage.keys("*");
    assert_eq!(stage.model.marked(), (minors, 0));
    stage.keys("a");
    let ops = stage.ops();
    assert_eq!(ops.len(), 1);
    assert!(matches!(&ops[0], Op::Bulk { ops } if ops.len() == minors));
    assert_eq!(stage.model.marked(), (0, 0), "what is decided is marked no longer");
    let accepted = |stage: &Stage| statuses(stage).iter().filter(|&&status| status == Status::Accepted).count();
    assert_eq!(accepted(&stage), minors);
    stage.keys("u");
    assert_eq!(statuses(&stage), before);
    stage.keys("ctrl-r");
    assert_eq!(accepted(&stage), minors);
}

#[test]
fn conflicts_among_the_marked_stop_a_common_acceptance() {
    let mut stage = findings();
    stage.keys("* a");
    let conflicts = stage.model.decided.conflicts.len();
    let total = stage.model.decided.findings.len();
    assert!(stage.ops().is_empty());
    assert_eq!(stage.model.marked(), (total, 0), "the marks stay");
    let said = stage.model.message.as_ref().expect("a message").text.clone();
    assert!(said.contains(&format!("{conflicts} of the {total} marked are conflicts")), "{said}");
    // Rejecting all of them at once is a decision like any other.
    stage.keys("x").types("out of scope").keys("enter");
    assert!(statuses(&stage).iter().all(|&status| status == Status::Rejected));
}

#[test]
fn marks_that_the_filter_hides_are_told() {
    let mut stage = findings();
    stage.keys("j space j space");
    assert_eq!(stage.model.marked(), (2, 0));
    stage.keys("s s s");
    assert_eq!(stage.model.marked(), (2, 2));
    assert!(stage.screen((80, 24)).contains("2 marked, 2 of them not shown"));
    // Own words are for one.
    stage.keys("e");
    assert!(stage.model.layers.is_empty());
    stage.keys("esc");
    assert_eq!(stage.model.marked(), (0, 0), "Esc takes the marks away first");
    assert!(stage.model.findings.severity.is_some());
    stage.keys("esc");
    assert_eq!(stage.model.findings.shown.len(), stage.model.decided.findings.len());
}

#[test]
fn under_a_status_filter_the_next_one_comes_up_by_itself() {
    let mut stage = findings();
    stage.keys("t");
    assert_eq!(stage.model.findings.status, Some(Status::Pending));
    let shown = stage.model.findings.shown.clone();
    stage.keys("a a");
    assert_eq!(stage.model.findings.shown, shown[2..], "none was skipped");
    assert_eq!(stage.model.findings.cursor, 0);
}

#[test]
fn the_filter_works_while_typing_enter_keeps_it_and_esc_clears_it() {
    let mut stage = findings();
    let total = stage.model.decided.findings.len();
    stage.keys("/").types("REFUND");
    let shown = stage.model.findings.shown.len();
    assert!(0 < shown && shown < total);
    stage.keys("enter");
    assert_eq!(stage.model.findings.shown.len(), shown);
    let screen = stage.screen((80, 24));
    assert!(screen.contains(&format!("{shown} of {total} shown · \"REFUND\"")), "{screen}");
    stage.keys("/ esc");
    assert_eq!(stage.model.findings.shown.len(), total);
    stage.keys("/").types("no such words").keys("enter");
    assert!(stage.model.findings.shown.is_empty());
    stage.keys("a x d e space enter");
    assert!(stage.ops().is_empty());
    for size in SIZES {
        stage.screen(size);
    }
}

#[test]
fn composed_and_decomposed_letters_find_each_other() {
    let decomposed: String = VI_STEPS.nfd().collect();
    for (steps, typed) in [(VI_STEPS, "HOÀN PHÍ".nfd().collect::<String>()), (&decomposed, "hoàn phí".to_owned())] {
        let mut stage = small(Lang::Vi, VI, steps);
        stage.keys("f5 /");
        stage.msg(tamis::tui::message::Msg::Paste(typed));
        stage.after(100).keys("enter");
        assert_eq!(stage.model.findings.shown.len(), 2);
    }
    let mut stage = small(Lang::Zh, ZH, ZH_STEPS);
    stage.keys("f5 /").types("格口").keys("enter");
    assert_eq!(stage.model.findings.shown.len(), 1);
}

#[test]
fn the_detail_opens_scrolls_and_closes() {
    let mut stage = findings();
    stage.size = (80, 24);
    stage.keys("J J");
    let scrolled = stage.model.findings.scroll;
    assert!(scrolled > 0);
    stage.keys("K");
    assert!(stage.model.findings.scroll < scrolled);
    let first = id(&stage);
    stage.keys("enter");
    assert!(stage.model.findings.open);
    stage.keys("j pagedown");
    assert_eq!(id(&stage), first, "keys scroll what is open");
    stage.keys("n");
    assert_ne!(id(&stage), first);
    assert_eq!(stage.model.findings.scroll, 0);
    stage.keys("esc");
    assert!(!stage.model.findings.open);
    assert_eq!(stage.model.screen, Screen::Findings);
    // However far the keys went, nothing scrolls past the end.
    stage.keys("J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J J");
    let end = stage.model.findings.scroll;
    stage.keys("J");
    assert_eq!(stage.model.findings.scroll, end);
}

#[test]
fn what_is_not_in_the_file_is_unfolded_with_its_reason() {
    let mut stage = findings();
    assert!(stage.model.outs() > 0, "the council has one that another proves wrong");
    stage.keys("end");
    assert_eq!(stage.model.finding_row(stage.model.findings.cursor), Some(Row::Fold));
    stage.keys("a x e");
    assert!(stage.ops().is_empty() && stage.model.layers.is_empty());
    stage.keys("enter end");
    assert_eq!(stage.model.finding_row(stage.model.findings.cursor), Some(Row::Out(0)));
    assert!(stage.screen((120, 40)).contains("Dropped, not in the file:"));
    stage.keys("z");
    assert_eq!(stage.model.finding_row(stage.model.findings.cursor), Some(Row::Fold));
}

/// Everything that a finding can carry stands in its detail, and no key stands where an id belongs.
#[test]
fn the_detail_holds_all_of_a_finding() {
    let mut stage = findings();
    for at in 0..stage.model.decided.findings.len() {
        stage.model.findings.cursor = at;
        let finding = stage.model.decided.findings[at].clone();
        let screen = {
            stage.model.findings.open = true;
            stage.screen((200, 120))
        };
        let flat: String = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        let first_words = |text: &str| text.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        for text in finding.resolution_edge_cases.iter().chain([&finding.finding]) {
            assert!(flat.contains(&first_words(text)), "{}: {text}\n{screen}", finding.id);
        }
        for option in &finding.options {
            assert!(flat.contains(&first_words(&option.suggestion)), "{}: {}", finding.id, option.label);
        }
        for question in &finding.blocked_on {
            assert!(flat.contains(&first_words(&question.question)), "{}", finding.id);
        }
        for absorbed in &finding.absorbed {
            assert!(flat.contains(&first_words(&absorbed.finding)), "{}", finding.id);
        }
        assert!(flat.contains(&finding.found_by.join(", ")), "{}", finding.id);
        for other in &stage.model.decided.findings {
            assert!(!screen.contains(other.key.as_str()), "{} shows a key", finding.id);
        }
    }
}

#[test]
fn before_settling_the_list_is_read_only_and_says_so() {
    let mut stage = Stage::midway(60);
    stage.keys("f5 j space a x s t /");
    assert!(stage.model.layers.is_empty() && stage.ops().is_empty());
    assert_eq!(stage.model.findings.cursor, 1);
    assert!(stage.screen((80, 24)).contains("as they come in; deciding begins when the critic has finished"));
    let empty = Stage::midway(1).keys("f5").screen((80, 24));
    assert!(empty.contains("Nothing has come in yet."), "{empty}");
}

#[test]
fn hostile_text_stays_text() {
    let evil = "\u{1b}]0;pwn\u{7}\u{202e}gnp.exe \u{200d}";
    let steps = format!(
        "  - {{key: \"review/DEV/*\", findings: [{{severity: major, quote: \"\", finding: {0}, suggestion: {0}, section: {0}}}]}}\n  - {{key: \"*\", findings: []}}\n",
        serde_json::to_string(evil).expect("json")
    );
    let mut stage = small(Lang::En, VI, &steps);
    stage.keys("f5");
    for size in SIZES {
        let screen = stage.screen(size);
        assert!(!screen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{screen}");
    }
    stage.keys("/").types("pwn").keys("enter");
    assert_eq!(stage.model.findings.shown.len(), 1);
}

/// No size and no state of the screen panics, and every row is as wide as the screen.
#[test]
fn every_size_is_drawn() {
    let mut stages = [findings(), Stage::midway(60), small(Lang::Vi, VI, VI_STEPS)];
    for stage in &mut stages {
        stage.keys("f5");
        for keys in ["j", "space", "enter", "esc", "end enter end", "/"] {
            stage.keys(keys);
            // Around every width at which the screen is laid out anew.
            for width in [0, 1, 39, 40, 41, 59, 60, 69, 70, 99, 100, 155, 156] {
                for height in (0..16).chain([29]) {
                    stage.screen((width, height));
                }
            }
        }
    }
}

/// Ten thousand findings, and what a keypress shows of them.
#[test]
fn a_long_list_is_walked_to_its_end() {
    let stage = findings();
    let mut events: Vec<Event> = stage.model.history.events().to_vec();
    let settle = events.iter_mut().find(|event| event.kind == Kind::Fixed && event.key == "settle").expect("a proposal");
    let mut body = settle.body.value();
    let one = body["proposal"]["findings"][1].clone();
    let many: Vec<serde_json::Value> = (0..10_000)
        .map(|index| {
            let mut finding = one.clone();
            finding["key"] = format!("{index:016x}").into();
            finding["id"] = format!("F{:04}", index + 1).into();
            finding
        })
        .collect();
    body["proposal"]["findings"] = many.into();
    settle.body = Body::of(&body).expect("a body");
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, events);
    stage.input(Input::Desk { gate: SETTLE.to_owned() });
    stage.keys("f5 end k");
    assert!(stage.screen((200, 60)).contains("F10000"));
    stage.keys("* x enter");
    assert!(statuses(&stage).iter().all(|&status| status == Status::Rejected));
    stage.keys("u");
    assert!(statuses(&stage).iter().all(|&status| status != Status::Rejected));
}

#[test]
fn pictures_of_the_list() {
    let mut stage = findings();
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("findings_list_{width}x{height}"), stage.screen((width, height)));
    }
    stage.keys("j enter");
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("findings_detail_{width}x{height}"), stage.screen((width, height)));
    }
    stage.keys("esc j space j space / r e f u n d enter s s");
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("findings_filtered_{width}x{height}"), stage.screen((width, height)));
    }
    stage.keys("esc esc j a j space j space");
    insta::assert_snapshot!("findings_marked_80x24", stage.screen((80, 24)));
    insta::assert_snapshot!("findings_marked_120x40", stage.screen((120, 40)));
}

#[test]
fn pictures_before_settling() {
    let mut stage = Stage::midway(60);
    stage.keys("f5 j");
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("findings_feed_{width}x{height}"), stage.screen((width, height)));
    }
}

#[test]
fn pictures_in_vietnamese_and_chinese() {
    let mut vi = small(Lang::Vi, VI, VI_STEPS);
    vi.keys("f5 j a k");
    let mut zh = small(Lang::Zh, ZH, ZH_STEPS);
    zh.keys("f5 a k");
    for (width, height) in [(80, 24), (120, 40)] {
        insta::assert_snapshot!(format!("findings_vi_{width}x{height}"), vi.screen((width, height)));
        insta::assert_snapshot!(format!("findings_zh_{width}x{height}"), zh.screen((width, height)));
    }
}

/// The feed does not move rows under the cursor.
#[test]
fn what_comes_in_joins_at_the_end() {
    let events = events_of(&example("prd-en.md"), &crate::stage::council("council.yaml"), &[SETTLE]);
    let until = events.iter().position(|event| event.kind == Kind::Fixed && event.key == "fan_out").expect("a fan-out");
    let mut stage = Stage::on(&example("prd-en.md"), Lang::En, events[..until / 2].to_vec());
    stage.keys("f5 j j");
    let under = stage.model.current_came().cloned();
    assert!(under.is_some());
    for event in &events[until / 2..until] {
        stage.input(Input::Event(Box::new(event.clone())));
    }
    assert_eq!(stage.model.current_came().cloned(), under);
}
