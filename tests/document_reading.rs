//! What is read out of documents in English, Vietnamese and Chinese, form by form.

use tamis::document::Document;
use tamis::model::outline::{ItemKind, LineKind, SectionKind, UnitKind};

fn parse(text: &str) -> Document {
    Document::parse(text.to_owned())
}

fn units(text: &str) -> Vec<String> {
    let doc = parse(text);
    let show = |unit: &tamis::model::outline::Unit| format!("{} {}-{}", unit.id, unit.place.lines.first, unit.place.lines.last);
    doc.outline().units.iter().map(show).collect()
}

fn bodies(text: &str, kind: ItemKind) -> Vec<String> {
    let doc = parse(text);
    let items = doc.outline().items.iter().filter(|item| item.kind == kind);
    items.map(|item| doc.slice(item.body).to_owned()).collect()
}

// Units

#[test]
fn non_functional_criteria_and_rule_headings_are_no_units() {
    let text = "# T\n\n## NFR-01: Speed\n\nFast.\n\n## BR-01: Window\n\n14 days.\n\n## AC-1: Shown\n\nShown.\n\n## UC-01: Use\n\nText.\n";
    assert_eq!(units(text), ["UC-01 15-17"]);
    assert_eq!(bodies(text, ItemKind::NonFunctional), ["Speed\n\nFast."]);
    assert_eq!(bodies(text, ItemKind::BusinessRule), ["Window\n\n14 days."]);
    assert_eq!(bodies(text, ItemKind::Criterion), ["Shown\n\nShown."]);
}

#[test]
fn kinds_of_units_stand_side_by_side() {
    let text = "# T\n\n## UC-01: Use\n\n- FR-01: inside the use case\n\n## User Story 2 - Story\n\nText.\n\n## Functional requirements\n\n- FR-02: outside\n- NFR-01: no unit\n";
    assert_eq!(units(text), ["UC-01 3-6", "User Story 2 7-10", "FR-02 13-13"]);
}

#[test]
fn bold_lines_open_use_cases_up_to_the_next_one_or_a_heading() {
    let text = "# T\n\n## Use cases\n\n**Use case: Lend**\n\n1. Step\n\n**UC-02: Return a book**\n\nText.\n\n## Notes\n\nText.\n";
    assert_eq!(units(text), ["Lend 5-8", "UC-02 9-12"]);
    let doc = parse(text);
    assert!(doc.outline().units.iter().all(|unit| unit.kind == UnitKind::UseCase));
}

#[test]
fn bold_bullets_and_rows_are_units_where_no_heading_has_their_id() {
    let bullets = "# T\n\n- **UC-M-01 – Lend**\n  - Step one\n- **UC-M-02 – Return**\n";
    assert_eq!(units(bullets), ["UC-M-01 3-4", "UC-M-02 5-5"]);
    let rows = "# T\n\n## Use cases\n\n| ID | Use case |\n|---|---|\n| UC-01 | Lend |\n| UC-02 | Return |\n";
    assert_eq!(units(rows), ["UC-01 7-7", "UC-02 8-8"]);
    let both = format!("{rows}\n## UC-01: Lend\n\nText.\n\n## UC-02: Return\n\nText.\n");
    assert_eq!(units(&both), ["UC-01 10-13", "UC-02 14-16"]);
}

#[test]
fn ids_of_unknown_letters_are_units_where_they_state_requirements() {
    let table = |head: &str| {
        format!("# T\n\n## {head}\n\n| No | ID | Text |\n|---|---|---|\n| 1 | AUTH-001 | Log in |\n| 2 | AUTH-002 | Log out |\n")
    };
    assert_eq!(units(&table("Functional requirements")), ["AUTH-001 7-7", "AUTH-002 8-8"]);
    assert_eq!(units(&table("Risks")), ["Risks 3-8"]);
    assert_eq!(
        units("# T\n\n### AUTH-001: Log in\n\nText.\n\n### AUTH-002: Log out\n\nText.\n"),
        ["AUTH-001 3-6", "AUTH-002 7-9"]
    );
    let others =
        "# T\n\n## Requirements\n\n- TC-01: a test\n- ADR-01: a decision\n- E1: an error\n- SC-001: a metric\n- BR-01: a rule\n";
    assert_eq!(units(others), ["Requirements 3-9"]);
}

#[test]
fn a_table_that_maps_ids_to_ids_defines_none() {
    let text = "# T\n\n## Requirements\n\n- FR-01: one\n- FR-02: two\n\n## Traceability\n\n| Requirement | Use case |\n|---|---|\n| FR-01 | UC-01 |\n| FR-02 | UC-02 |\n\n## UC-01: a\n\nT.\n\n## UC-02: b\n\nT.\n";
    assert_eq!(units(text), ["FR-01 5-5", "FR-02 6-6", "UC-01 15-18", "UC-02 19-21"]);
    let doc = parse(text);
    assert_eq!(doc.outline().references.len(), 4);
}

#[test]
fn a_second_definition_of_one_id_stays_one() {
    let text = "## Business rules\n\n- BR-01: a\n- BR-02: b\n- BR-02: c\n";
    let doc = parse(text);
    let norms: Vec<&str> = doc.outline().items.iter().filter_map(|item| item.id.as_ref()).map(|id| id.norm.as_str()).collect();
    assert_eq!(norms, ["BR-1", "BR-2", "BR-2"]);
}

#[test]
fn a_citation_at_the_start_of_an_item_defines_nothing() {
    let text = "## Business rules\n\n- BR-01: a\n\n## Notes\n\n- BR-01 applies to all desks.\n- See also the shelf.\n\nBR-01. That is all.\n";
    let doc = parse(text);
    assert_eq!(doc.outline().items.len(), 1);
    assert_eq!(doc.outline().references.len(), 2);
}

#[test]
fn stand_ins_leave_out_the_global_kinds() {
    let text = "# T\n\n## Scope\n\na\n\n## Export\n\nb\n\n## Glossary\n\nc\n\n## Print\n\nd\n\n## Change history\n\ne\n\n## Success metrics\n\nf\n\n## Problem statement\n\ng\n";
    assert_eq!(units(text), ["Export 7-10", "Print 15-18"]);
    assert_eq!(units("Just text.\n\nMore text.\n"), [] as [&str; 0]);
    assert_eq!(units("# Only a title\n\nText.\n"), [] as [&str; 0]);
}

#[test]
fn vietnamese_and_chinese_headings_open_units() {
    assert_eq!(units("# T\n\n## Ca sử dụng 1: Mượn\n\na\n\n## Yêu cầu 2: In\n\nb\n"), ["Ca sử dụng 1 3-6", "Yêu cầu 2 7-9"]);
    assert_eq!(units("# T\n\n## 用例一：借书\n\na\n\n## 需求 2：打印\n\nb\n\n## 用户故事\n\nc\n"), ["用例一 3-6", "需求 2 7-10"]);
}

#[test]
fn a_part_of_a_unit_named_like_it_is_no_second_definition() {
    let text = "# T\n\n## UC-01: Lend\n\n### UC-01 Main flow\n\nText.\n\n**UC-01: Lend**\n\nText.\n\n| Use case ID | UC-01 |\n|---|---|\n| Actor | Reader |\n| Main flow | 1. a |\n";
    assert_eq!(units(text), ["UC-01 3-16"]);
    let doc = parse(text);
    assert_eq!(doc.outline().items.iter().filter(|item| item.id.is_some()).count(), 1);
}

#[test]
fn a_heading_that_stands_for_a_range_defines_every_id_of_it() {
    let text = "# T\n\n## UC-MGR-008 đến UC-MGR-010: Quản lý\n\nText.\n\n## Other\n\nSee UC-MGR-009.\n";
    let doc = parse(text);
    assert_eq!(units(text), ["UC-MGR-008 đến UC-MGR-010 3-6"]);
    let norms: Vec<&str> = doc.outline().items.iter().filter_map(|item| item.id.as_ref()).map(|id| id.norm.as_str()).collect();
    assert_eq!(norms, ["UC-MGR-8", "UC-MGR-9", "UC-MGR-10"]);
    assert_eq!(doc.outline().references.len(), 1);
}

#[test]
fn a_unit_without_title_takes_the_name_that_its_list_gives() {
    let doc = parse("# T\n\n### Use Case 1:\n* Name: *Lend a book*\n* Actor: Reader\n");
    assert_eq!((doc.outline().units[0].id.as_str(), doc.outline().units[0].title.as_str()), ("Use Case 1", "Lend a book"));
}

#[test]
fn questions_and_criteria_about_an_id_define_it_not_again() {
    let text = "# T\n\n## Requirements\n\n- FR-01: one\n- FR-02: two\n\n## Acceptance criteria\n\n- FR-01: done when seen\n\n## Open questions\n\n- FR-02: how many?\n\n## Review checklist\n\n- [x] FR-01: fine\n";
    let doc = parse(text);
    let defined: Vec<u32> =
        doc.outline().items.iter().filter(|item| item.id.is_some()).map(|item| item.place.lines.first).collect();
    assert_eq!(defined, [5, 6]);
    assert_eq!(doc.outline().references.iter().map(|reference| reference.line).collect::<Vec<_>>(), [10, 14, 18]);
    assert_eq!(bodies(text, ItemKind::Criterion), ["FR-01: done when seen"]);
}

// Items

#[test]
fn labels_open_criteria_in_every_form() {
    let forms = [
        "**Acceptance Criteria:**\n\n- one\n- two\n",
        "**Acceptance Criteria**\n- one\n- two\n",
        "Acceptance Criteria:\n1. one\n2. two\n",
        "- **Acceptance Criteria:**\n  - one\n  - two\n",
        "* Acceptance criteria\n    * one\n    * two\n",
        "**Tiêu chí chấp nhận**:\n\n- one\n- two\n",
        "Tiêu chí nghiệm thu:\n- one\n- two\n",
        "**验收标准**：\n\n- one\n- two\n",
        "验收标准：\n1. one\n2. two\n",
        "### 3.1 验收标准\n\n- [ ] one\n- [x] two\n",
        "| Actor | Reader |\n|---|---|\n| Precondition | A card |\n| Acceptance criteria | one<br>two |\n",
        "| Function | Tiêu chí chấp nhận |\n|---|---|\n| a | one |\n| b | two |\n",
    ];
    for form in forms {
        assert_eq!(bodies(&format!("# T\n\n## UC-01: Use\n\n{form}"), ItemKind::Criterion), ["one", "two"], "{form}");
    }
}

#[test]
fn a_label_ends_at_the_next_one_and_at_a_rule() {
    let text = "# T\n\n## UC-01: Use\n\n**Acceptance Criteria**:\n- one\n\n**Notes**:\n- no criterion\n\n**Business Rules**:\n- a rule\n\n---\n\n- loose\n";
    assert_eq!(bodies(text, ItemKind::Criterion), ["one"]);
    assert_eq!(bodies(text, ItemKind::BusinessRule), ["a rule"]);
    let doc = parse(text);
    let zones: Vec<SectionKind> = [6, 9, 12, 16].into_iter().map(|line| doc.zone(line)).collect();
    assert_eq!(zones, [SectionKind::Acceptance, SectionKind::Other, SectionKind::BusinessRules, SectionKind::Other]);
}

#[test]
fn a_label_with_text_behind_it_is_an_item_and_ends_with_its_list() {
    let text = "## UC-01: Use\n\n**Acceptance criteria**: The form is kept.\n\nThen the desk goes on.\n\n- no criterion\n\n**Business rules**: These hold:\n- one\n- two\n\nMore text.\n\n- loose\n";
    assert_eq!(bodies(text, ItemKind::Criterion), ["The form is kept."]);
    assert_eq!(bodies(text, ItemKind::BusinessRule), ["one", "two"]);
}

#[test]
fn sentences_that_oblige_are_items_of_their_section() {
    let text = "## Acceptance criteria\n\nThe following must hold:\n\nThe list shall be sorted.\n\nThis part is long.\n\n## Yêu cầu phi chức năng\n\nHệ thống phải trả lời trong 2 giây.\n\n## 业务规则\n\n退款必须在 14 天内提交。\n";
    assert_eq!(bodies(text, ItemKind::Criterion), ["The list shall be sorted."]);
    assert_eq!(bodies(text, ItemKind::NonFunctional), ["Hệ thống phải trả lời trong 2 giây."]);
    assert_eq!(bodies(text, ItemKind::BusinessRule), ["退款必须在 14 天内提交。"]);
}

#[test]
fn nested_lists_belong_to_the_criterion_above_them() {
    let text = "## UC-01: Use\n\n### Acceptance criteria\n\n1. The list shows:\n   - the title\n   - the day\n\n   and nothing else.\n2. It is sorted.\n";
    assert_eq!(
        bodies(text, ItemKind::Criterion),
        ["The list shows:\n   - the title\n   - the day\n\n   and nothing else.", "It is sorted."]
    );
}

#[test]
fn steps_without_a_label_are_criteria_only_when_they_are_marked_or_whole() {
    let text = "## US-1: Story\n\n- **Given** a card\n- **When** it expires\n\nGiven a card, when it expires, then a mail is sent.\n\n- When the desk is closed nobody is there.\n\n当读者来时，桌子是空的。\n";
    assert_eq!(
        bodies(text, ItemKind::Criterion),
        ["**Given** a card", "**When** it expires", "Given a card, when it expires, then a mail is sent."]
    );
    assert_eq!(
        bodies("## Export\n\n- **When** it expires\n", ItemKind::Criterion),
        [] as [&str; 0],
        "a section that stands in has none"
    );
}

#[test]
fn scenarios_in_fences_are_criteria_one_by_one() {
    let text = "## UC-01: Use\n\n```gherkin\nFeature: Loans\nScenario: One\n  Given a card\n  When it is shown\n  Then it works\nScenario: Two\n  Given no card\n\n  Then nothing\n```\n\n```json\n{\"given\": 1}\n```\n";
    let found = bodies(text, ItemKind::Criterion);
    assert_eq!(found, ["Scenario: One\n  Given a card\n  When it is shown\n  Then it works", "Scenario: Two\n  Given no card"]);
}

#[test]
fn rules_requirements_and_metrics_are_told_by_letters_and_sections() {
    let text = "\
## Quy tắc nghiệp vụ
- BR-01: luật
- không mã

## 非功能需求
- 95% 的页面在 2 秒内加载

## Success metrics
| Metric | Target |
|---|---|
| Loans a day | 40 |

## Functional requirements
- FR-01: do it
";
    assert_eq!(bodies(text, ItemKind::BusinessRule), ["luật", "không mã"]);
    assert_eq!(bodies(text, ItemKind::NonFunctional), ["95% 的页面在 2 秒内加载"]);
    assert_eq!(bodies(text, ItemKind::Metric), ["| Loans a day | 40 |"]);
    assert_eq!(bodies(text, ItemKind::Requirement), ["do it"]);
}

#[test]
fn cells_of_a_form_define_what_stands_between_line_breaks() {
    let text = "\
## UC-PUB-001: Xem sách

| Mục | Nội dung |
|---|---|
| **Tác nhân** | Khách |
| **Tiền điều kiện** | Có thẻ |
| **Luồng chính** | 1. Mở trang<br>2. Xem |
| **Quy tắc nghiệp vụ** | BR-PUB-01: Mỗi người một thẻ<br/>**BR-PUB-02**: Thẻ có hạn |
| **Tiêu chí chấp nhận** | AC1: Danh sách hiện ra theo BR-PUB-01 <br> 2. Có phân trang |

## Ghi chú

Xem BR-PUB-02.
";
    let doc = parse(text);
    let show = |item: &tamis::model::outline::Item| {
        let id = item.id.as_ref().map_or("", |id| id.norm.as_str());
        format!("{:?} {id} | {} | {:?} {:?}", item.kind, doc.slice(item.body), item.unit, item.ordinal)
    };
    let items: Vec<String> = doc.outline().items.iter().map(show).collect();
    assert_eq!(
        items,
        [
            "Unit UC-PUB-1 | Xem sách | Some(0) None",
            "BusinessRule BR-PUB-1 | Mỗi người một thẻ | Some(0) None",
            "BusinessRule BR-PUB-2 | Thẻ có hạn | Some(0) None",
            "Criterion AC-1 | Danh sách hiện ra theo BR-PUB-01 | Some(0) None",
            "Criterion  | Có phân trang | Some(0) Some(2)",
        ]
    );
    let cited: Vec<&str> = doc.outline().references.iter().map(|reference| reference.id.norm.as_str()).collect();
    assert_eq!(cited, ["BR-PUB-1", "BR-PUB-2"]);
}

#[test]
fn units_in_tables_and_bold_lines_define_their_ids() {
    let text = "# T\n\n| Use Case ID | UC-01 |\n|---|---|\n| Actor | Reader |\n| Main flow | a |\n\n**Use case 2: Return**\n\nFollows UC-01; see use case 2.\n";
    let doc = parse(text);
    let norms: Vec<&str> = doc.outline().items.iter().filter_map(|item| item.id.as_ref()).map(|id| id.norm.as_str()).collect();
    assert_eq!(norms, ["UC-1", "USE CASE-2"]);
    let cited: Vec<&str> = doc.outline().references.iter().map(|reference| reference.id.norm.as_str()).collect();
    assert_eq!(cited, ["UC-1", "USE CASE-2"]);
}

#[test]
fn definitions_are_read_in_every_dress() {
    for form in [
        "- BR-01: text",
        "- **BR-01**: text",
        "- **BR-01:** text",
        "* `BR-01`: text",
        "1. **BR-01** — text",
        "- [ ] BR-01: text",
        "- BR-01 - text",
        "- BR-01. text",
        "- [BR-01] text",
        "- (BR-01) text",
        "- **BR-01 (new)**: text",
        "- 🔴 **BR-01**: text",
        "- ~~BR-01~~: text",
        "- BR-01：text",
        "- 【BR-01】text",
        "**BR-01**: text",
        "BR-01: text",
        "| ID | Rule |\n|---|---|\n| BR-01 | text |",
        "| ID | Rule |\n|---|---|\n| **BR-01** | text |",
        "| # | Mã | Quy tắc |\n|---|---|---|\n| 1 | BR-01 | text |",
    ] {
        let doc = parse(&format!("## Notes\n\n{form}\n"));
        let items: Vec<(&str, &str)> = doc
            .outline()
            .items
            .iter()
            .map(|item| (item.id.as_ref().map_or("", |id| id.norm.as_str()), doc.slice(item.body)))
            .collect();
        assert_eq!(items, [("BR-1", "text")], "{form}");
        assert_eq!(doc.outline().references, [], "{form}");
    }
}

// Terms, scope, actors

#[test]
fn glossaries_are_tables_and_lists_in_three_languages() {
    for text in [
        "## Glossary\n| Term | Definition | Avoid |\n|---|---|---|\n| loan | A lent book | rental, hire |\n",
        "## Thuật ngữ\n| Thuật ngữ | Định nghĩa | Tránh dùng |\n|---|---|---|\n| loan | A lent book | rental, hire |\n",
        "## 术语表\n| 术语 | 定义 | 避免使用 |\n|---|---|---|\n| loan | A lent book | rental、hire |\n",
        "## Anything\n| Term | Meaning | Do not use |\n|---|---|---|\n| loan | A lent book | rental / hire |\n",
    ] {
        let doc = parse(text);
        let term = &doc.outline().glossary[..];
        assert_eq!(term.len(), 1, "{text}");
        assert_eq!((term[0].term.as_str(), term[0].definition.as_str()), ("loan", "A lent book"), "{text}");
        assert_eq!(term[0].avoid, ["rental", "hire"], "{text}");
    }
    let listed = parse(
        "## Terms\n- **loan**: A lent book (avoid: rental)\n- cart — Where books wait\n\n### Shelf mark\n\nWhere a book stands.\n",
    );
    let terms: Vec<(&str, &[String])> =
        listed.outline().glossary.iter().map(|term| (term.term.as_str(), &term.avoid[..])).collect();
    assert_eq!(terms, [("loan", &["rental".to_owned()][..]), ("cart", &[]), ("Shelf mark", &[])]);
}

#[test]
fn scope_lines_know_their_side() {
    let text = "\
# T

## Scope

**In scope:**
- lend
  - with a card

**Out of scope:**
- films

## Ngoài phạm vi
Không có phim.

## 范围
| 范围内 | 范围外 |
|---|---|
| 借书 | 电影 |
";
    let doc = parse(text);
    let lines: Vec<(SectionKind, u32)> =
        doc.outline().scope_lines.iter().map(|line| (line.kind, line.place.lines.first)).collect();
    use SectionKind::*;
    assert_eq!(lines, [(InScope, 6), (OutOfScope, 10), (OutOfScope, 13), (InScope, 18), (OutOfScope, 18)]);
}

#[test]
fn actors_are_declared_by_their_sections_alone() {
    let text = "## Actors\n| ID | Actor | Description |\n|---|---|---|\n| A1 | Reader | lends |\n\n## Vai trò\n- **Thủ thư**: trực quầy\n- Khách\n\n## UC-01: Use\n\nActor: Guard\n\n## Who\n\n| Role | Description |\n|---|---|\n| Clerk | sells |\n\n| Role | Read | Write |\n|---|---|---|\n| Boss | x | x |\n";
    let doc = parse(text);
    let names: Vec<&str> = doc.outline().actors.iter().map(|actor| actor.name.as_str()).collect();
    assert_eq!(names, ["Reader", "Thủ thư", "Khách", "Clerk"]);
}

// Questions

#[test]
fn open_questions_know_their_answers_and_owners() {
    let text = "\
## Open questions

- Q1: Who pays? → Answer: the reader
- When does it open?
  - Owner: Ana
- [x] Is it indoors?
- ~~Is it free?~~
- **Q:** Is it new? **A:** Yes.
- Which key? (owner: Minh)
- None

## Câu hỏi mở

| # | Câu hỏi | Trả lời | Người phụ trách |
|---|---|---|---|
| 1 | Ai duyệt? | | Lan |
| 2 | Mấy ngày? | 14 ngày | |

## 待定问题

1. 谁审批？ 答：客服
2. 几天？
3. 无
";
    let doc = parse(text);
    let show = |question: &tamis::model::outline::OpenQuestion| {
        format!(
            "{} | {} | {}",
            question.text,
            question.answer.as_deref().unwrap_or("?"),
            question.owner.as_deref().unwrap_or("-")
        )
    };
    let questions: Vec<String> = doc.outline().open_questions.iter().map(show).collect();
    assert_eq!(
        questions,
        [
            "Who pays? | the reader | -",
            "When does it open? | ? | Ana",
            "Is it indoors? |  | -",
            "Is it free? |  | -",
            "Is it new? | Yes. | -",
            "Which key? | ? | Minh",
            "Ai duyệt? | ? | Lan",
            "Mấy ngày? | 14 ngày | -",
            "谁审批？ | 客服 | -",
            "几天？ | ? | -",
        ]
    );
}

#[test]
fn questions_may_be_headings_or_paragraphs() {
    let text = "## Open questions\n\n### Q1: Who pays?\n\nThe reader or the town.\n\n### Q2: When?\n\nAnswer: in May.\n\n## Unresolved questions\n\nWho cleans it?\n\nAnswer: the town.\n\nThis part lists what is open.\n";
    let doc = parse(text);
    let questions: Vec<(&str, Option<&str>)> =
        doc.outline().open_questions.iter().map(|question| (question.text.as_str(), question.answer.as_deref())).collect();
    assert_eq!(questions, [("Who pays?", None), ("When?", Some("in May.")), ("Who cleans it?", Some("the town."))]);
}

#[test]
fn inline_markers_ask_in_three_languages() {
    let text = "## UC-01: Use\n\nThe fee is [NEEDS CLARIFICATION: how much?].\n\n- Phí [CẦN LÀM RÕ: bao nhiêu?]\n\n费用 [待澄清：多少？]\n";
    let doc = parse(text);
    let questions: Vec<&str> = doc.outline().open_questions.iter().map(|question| question.text.as_str()).collect();
    assert_eq!(questions, ["how much?", "bao nhiêu?", "多少？"]);
}

// Metadata, notes, kinds of lines

#[test]
fn version_and_status_are_read_as_text_from_every_form() {
    for text in [
        "---\nversion: 1.10\nstatus: draft\n---\n# T\n",
        "---\nversion: \"1.10\" # the tenth\nstatus: 'draft'\n...\n# T\n",
        "# T\n\n**Version**: 1.10\n**Status**: draft\n",
        "# T\n\n**Version:** 1.10 | **Status:** draft\n",
        "# T\n\n- Phiên bản: 1.10\n- Trạng thái: draft\n",
        "# T\n\n> 版本：1.10\n> 状态：draft\n",
        "# T\n\n| Field | Value |\n|---|---|\n| Version | 1.10 |\n| Status | draft |\n",
        "# T\n\n| Version | Status | Author |\n|---|---|---|\n| 1.10 | draft | Ana |\n",
    ] {
        let doc = parse(text);
        let metadata = &doc.outline().metadata;
        assert_eq!((metadata.version.as_str(), metadata.status.as_str()), ("1.10", "draft"), "{text}");
        assert_eq!(metadata.title, "T", "{text}");
    }
    let history =
        parse("# T\n\n## History\n\n| Version | Date | Change |\n|---|---|---|\n| 1.0 | May | a |\n| 1.1 | June | b |\n");
    assert_eq!(history.outline().metadata.version, "", "a history names many versions");
    let titled = parse("---\ntitle: Loans\n---\n## A\n\n## B\n");
    assert_eq!(titled.outline().metadata.title, "Loans");
}

#[test]
fn suppressions_cover_their_line_or_the_next_line_or_item() {
    let text = "\
## Scope

- one is fast <!-- tamis-ignore A01 measured elsewhere -->

<!-- tamis-ignore B01b,P01 agreed -->
- two
  goes on

<!-- tamis-ignore X01 \"two of them\" -->
A paragraph
of two lines.

- <!-- tamis-ignore A04 --> three
- `<!-- tamis-ignore A99 -->` is code
<!-- tamis-ignored A98 -->
";
    let doc = parse(text);
    let ignores: Vec<(&str, &str, u32, u32)> = doc
        .outline()
        .ignores
        .iter()
        .map(|ignore| (ignore.rule.as_str(), ignore.reason.as_str(), ignore.lines.first, ignore.lines.last))
        .collect();
    assert_eq!(
        ignores,
        [
            ("A01", "measured elsewhere", 3, 3),
            ("B01b", "agreed", 6, 7),
            ("P01", "agreed", 6, 7),
            ("X01", "two of them", 10, 11),
            ("A04", "", 13, 13)
        ]
    );
}

#[test]
fn code_addresses_comments_and_interface_words_are_masked() {
    let text = "## S\n\nSay `x = 1` at [the desk](https://a.b/c?d) or https://e.f/g, <b>bold</b> <!-- no --> \"Order not found\" “退款” 「完了」 and 5\" wide.\n";
    let doc = parse(text);
    let masked: Vec<&str> = doc.outline().masked.iter().map(|span| doc.slice(*span)).collect();
    assert_eq!(
        masked,
        [
            "`x = 1`",
            "[",
            "](https://a.b/c?d)",
            "https://e.f/g,",
            "<b>",
            "</b>",
            "<!-- no -->",
            "\"Order not found\"",
            "“退款”",
            "「完了」"
        ]
    );
}

#[test]
fn every_line_has_the_kind_of_its_block() {
    let text = "---\na: b\n---\n# T\n\nText\n\n- item\n  more\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n\n> quote\n> - item\n\n```\ncode\n\nmore\n```\n\n<div>\nx\n</div>\n\n***\n\n    indented\n\nSetext\n======\n";
    let doc = parse(text);
    let kinds: Vec<LineKind> = doc.outline().lines.iter().map(|line| line.kind).collect();
    use LineKind::*;
    assert_eq!(
        kinds,
        [
            FrontMatter,
            FrontMatter,
            FrontMatter,
            Heading,
            Blank,
            Paragraph,
            Blank,
            ListItem,
            ListItem,
            Blank,
            TableHead,
            TableHead,
            TableRow,
            Blank,
            Quote,
            Quote,
            Blank,
            Code,
            Code,
            Blank,
            Code,
            Code,
            Blank,
            Html,
            Html,
            Html,
            Blank,
            Rule,
            Blank,
            Code,
            Blank,
            Heading,
            Heading
        ]
    );
}

#[test]
fn front_matter_needs_a_key_below_and_an_end() {
    for (text, lines) in [
        ("---\na: b\n---\n# T\n", 3),
        ("---\na: b\n...\nText\n", 3),
        ("---\na: b\nText without end\n", 0),
        ("---\n\na: b\n---\n", 0),
        ("---\n# T\n---\n", 0),
        ("---\nJust a sentence.\n---\n", 0),
        ("\n---\na: b\n---\n", 0),
        ("---\nlist:\n  - x: y\n  - z\n- k\n---\n", 6),
    ] {
        let doc = parse(text);
        let found = doc.outline().lines.iter().filter(|line| line.kind == LineKind::FrontMatter).count();
        assert_eq!(found, lines, "{text}");
    }
}

#[test]
fn headings_in_quotes_and_lists_are_no_sections() {
    let doc = parse("# T\n\n> ## Quoted\n\n- ## Listed\n\n## Real ##\n");
    let titles: Vec<&str> = doc.outline().sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["T", "Real"]);
}

#[test]
fn text_right_above_a_rule_is_no_heading() {
    let doc = parse("# T\n\n**Version**: 1.10\n**Status**: draft\n---\n\n**Owner**: Ana\n---\n\nReal heading\n---\n\nText.\n");
    let titles: Vec<&str> = doc.outline().sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["T", "Real heading"]);
    let kinds: Vec<LineKind> = doc.outline().lines[2..11].iter().map(|line| line.kind).collect();
    use LineKind::*;
    assert_eq!(kinds, [Paragraph, Paragraph, Rule, Blank, Paragraph, Rule, Blank, Heading, Heading]);
    assert_eq!((doc.outline().metadata.version.as_str(), doc.outline().metadata.status.as_str()), ("1.10", "draft"));
}

#[test]
fn a_list_of_links_into_the_document_is_a_table_of_contents() {
    let doc =
        parse("# T\n\n- [UC-01](#a)\n- [UC-02](#b)\n  - [UC-03](#c)\n- [UC-04](#d)\n\n***\n- [x](#a)\n- [y](other.md)\n- z\n");
    let zones: Vec<SectionKind> = (3..=11).map(|line| doc.zone(line)).collect();
    use SectionKind::*;
    assert_eq!(zones, [Toc, Toc, Toc, Toc, Other, Other, Other, Other, Other]);
    assert!(doc.outline().references.iter().all(|reference| reference.loose));
    assert_eq!(parse("# T\n\n## Mục lục\n\n1. UC-01\n").zone(5), Toc);
}

#[test]
fn slices_never_cut_a_character() {
    use tamis::model::outline::{LineSpan, Span};
    let doc = parse("é退\nb");
    assert_eq!(doc.slice(Span::new(1, 4)), "é");
    assert_eq!(doc.slice(Span::new(0, 99)), "é退\nb");
    assert_eq!(doc.slice(Span::new(7, 2)), "");
    assert_eq!((doc.line_text(1), doc.line_text(2), doc.line_text(0), doc.line_text(3)), ("é退", "b", "", ""));
    assert_eq!(doc.lines_text(LineSpan::new(1, 9)), "é退\nb");
    assert_eq!(doc.lines_text(LineSpan::new(0, 0)), "");
    assert_eq!(doc.zone(99), SectionKind::Other);
}
