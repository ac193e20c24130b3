use super::*;
use crate::document::Document;
use crate::model::context::SlimContext;
use crate::text::Catalogue;

/// Whether a rule and a criterion, each with one value, contradict.
fn contradict(rule: &str, criterion: &str) -> bool {
    let text = format!(
        "# T\n\n## Actors\n| Actor | Who |\n|---|---|\n| Customer | x |\n| Agent | x |\n| Khách hàng | x |\n| 客户 | x |\n| 客服 | x |\n\n\
         ## Business Rules\n- BR-01: {rule}\n\n## UC-01: U\n### Acceptance Criteria\n- AC-01: {criterion}\n"
    );
    let doc = Document::parse(text);
    let context = SlimContext::default();
    let catalogue = Catalogue::new(Lang::En);
    let values = stated(&Page::new(&doc, &context, &catalogue));
    let of = |line: u32| values.iter().filter(move |value| value.line == line);
    of(13).any(|one| of(17).any(|other| one.contradicts(other) || other.departs_from(one)))
}

#[test]
fn other_values_for_one_thing_contradict() {
    for (rule, criterion) in [
        (
            "A refund request must be filed within 14 days after delivery.",
            "When the Customer files a refund request within 30 days after delivery, it is accepted.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "Refund requests are filed within 14 hours after delivery.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "The system accepts refund requests filed within one period of 30 days after delivery (BR-01).",
        ),
        ("A session expires after 30 minutes of inactivity.", "Sessions expire after 15 minutes of inactivity."),
        ("A refund is decided by an Agent within 3 business days.", "The Agent must decide a refund within 5 business days."),
        ("Passwords have at least 8 characters.", "Passwords have at least 12 characters (BR-01)."),
        ("An uploaded image has at most 5 MB.", "An uploaded image has at most 8 MB."),
        ("A customer may hold at most 3 open orders.", "A customer may hold at most 5 open orders."),
        (
            "Yêu cầu hoàn tiền phải được gửi trong vòng 14 ngày sau khi giao hàng.",
            "Khi Khách hàng gửi yêu cầu hoàn tiền trong vòng 30 ngày sau khi giao hàng, yêu cầu được nhận.",
        ),
        ("Mật khẩu phải có ít nhất 8 ký tự chữ và số.", "Mật khẩu có ít nhất 10 ký tự chữ và số."),
        ("退款申请必须在签收后 14 天内提交。", "客户在签收后 30 天内提交退款申请时，申请被受理。"),
        ("退款申请必须由客服在 3 个工作日内审批。", "客服必须在 5 个工作日内审批退款申请。"),
    ] {
        assert!(contradict(rule, criterion), "{rule}\n{criterion}");
    }
}

#[test]
fn other_things_other_bounds_and_equal_values_do_not() {
    for (rule, criterion) in [
        (
            "A refund request must be filed within 14 days after delivery.",
            "When the Customer files a refund request within 2 weeks after delivery, it is accepted.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "A refund request of a gold member must be filed within 30 days after delivery.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "A refund request must be filed within 30 days before delivery.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "For example, a refund request is filed within 30 days after delivery.",
        ),
        (
            "A refund request must be filed within 14 days after delivery.",
            "A refund request must be filed within 30 days after delivery, unless the order was a gift.",
        ),
        ("A password has at least 8 characters of any kind.", "A password has at most 64 characters of any kind."),
        ("User sessions expire after 30 minutes of inactivity.", "Admin sessions expire after 15 minutes of inactivity."),
        ("Orders of 1 to 5 items get a discount of 5 %.", "Orders of 6 to 20 items get a discount of 10 %."),
        ("An order of 3 items gets a discount of 5 %.", "An order of 9 items gets a discount of 10 %."),
        ("Availability rises from 95 % to 99 % in a year.", "Availability rises from 40 % to <8 % in a year."),
        ("The delivery takes 5-10 days in the city.", "The delivery takes 3-4 days in the city."),
        ("The Customer must answer the message within 3 days.", "The Agent must answer the message within 5 days."),
        ("The receipt is shown within 2 seconds to the cashier.", "The receipt is shown for at most 30 days to the cashier."),
        ("A fee is due after 14 business days of the quarter.", "A fee is due after 30 calendar days of the quarter."),
        (
            "Phí của hội viên phải được đóng trong vòng 14 ngày sau khi có hóa đơn.",
            "Phí của hội viên vàng phải được đóng trong vòng 30 ngày sau khi có hóa đơn.",
        ),
        ("会员必须在开票后 14 天内缴费。", "金卡会员必须在开票后 30 天内缴费。"),
        ("会员必须在开票后 14 天内缴费。", "会员必须在开票前 30 天内缴费。"),
    ] {
        assert!(!contradict(rule, criterion), "{rule}\n{criterion}");
    }
}

#[test]
fn an_example_in_a_condition_is_no_rule() {
    let text = "# T\n\n## UC-01: U\n### Acceptance Criteria\n- AC-01: When a member pays 5 days after the invoice, it is accepted.\n\n\
                ## UC-02: V\n### Acceptance Criteria\n- AC-01: When a member pays 9 days after the invoice, it is accepted.\n";
    let doc = Document::parse(text.to_owned());
    let (context, catalogue) = (SlimContext::default(), Catalogue::new(Lang::En));
    let values = stated(&Page::new(&doc, &context, &catalogue));
    assert_eq!(values.len(), 2);
    assert!(!values[0].contradicts(&values[1]));
}
