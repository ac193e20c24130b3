//! Documents that reviewers read in two ways: stages that wait at the settle gate with conflicts and questions.

use crate::stage::{SIZES, Stage, events_of, example};
use ratatui::buffer::Buffer;
use tamis::model::event::Kind;
use tamis::model::lang::Lang;
use tamis::tui::model::SETTLE;
use tamis::tui::port::Input;

/// A stage that waits at the settle gate of this review.
pub fn waiting(document: &str, steps: &str, lang: Lang) -> Stage {
    let mut events = events_of(document, steps, &[SETTLE]);
    events.retain(|event| event.kind != Kind::RunPaused);
    let mut stage = Stage::on(document, lang, events);
    stage.input(Input::Desk { gate: SETTLE.to_owned() });
    stage
}

/// What a lens says about PRD-global.
#[derive(Default)]
pub struct Told<'a> {
    /// The lens.
    pub lens: &'a str,
    /// Words of the document.
    pub quote: &'a str,
    /// What is wrong.
    pub finding: &'a str,
    /// What to write instead.
    pub suggestion: &'a str,
    /// Ways to settle it, where the lens itself sees several.
    pub options: &'a [&'a str],
    /// Questions.
    pub asks: &'a [&'a str],
    /// What a fix must not forget.
    pub remember: &'a [&'a str],
}

/// The steps of a council in which the lenses say all this, each at most one thing, and the arbiter finds that those with
/// a suggestion exclude each other.
pub fn steps(told: &[Told<'_>]) -> String {
    let list = |words: &[&str]| format!("[{}]", words.iter().map(|words| quoted(words)).collect::<Vec<_>>().join(", "));
    let mut out = String::new();
    for one in told {
        let fields = [
            format!("quote: {}", quoted(one.quote)),
            format!("finding: {}", quoted(one.finding)),
            format!("suggestion: {}", quoted(one.suggestion)),
            format!("options: {}", list(one.options)),
            format!("blocked_on: {}", list(one.asks)),
            format!("resolution_edge_cases: {}", list(one.remember)),
        ];
        let fields = fields.join(", ");
        out.push_str(&format!(
            "  - key: review/{}/PRD-global\n    findings:\n      - {{severity: critical, {fields}}}\n",
            one.lens
        ));
    }
    let sides: Vec<&str> = told.iter().filter(|one| !one.suggestion.is_empty()).map(|one| one.finding).collect();
    if sides.len() > 1 {
        out.push_str(&format!("  - key: arbiter/*\n    verdicts:\n      - {{verdict: exclusive, members: {}}}\n", list(&sides)));
    }
    out
}

/// A YAML string that keeps every character.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric() => c.to_string(),
        c => format!("\\U{:08X}", u32::from(c)),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// The Vietnamese example with a conflict over two rules and a policy question.
pub fn vietnamese() -> Stage {
    let told = [
        Told {
            lens: "DEV",
            quote: "BR-01: Mã nhận hàng phải có hiệu lực trong 72 giờ",
            finding: "Mã nhận hàng của BR-01 hết hiệu lực sau 72 giờ mà kiện hàng còn nằm tủ 5 ngày (BR-10); từ ngày thứ tư không mã nào mở được ngăn tủ.",
            suggestion: "Rút thời hạn lưu tủ trong BR-10 xuống 72 giờ, để hết cùng lúc với mã nhận hàng.",
            asks: &["needs-product-decision: Một kiện hàng được nằm trong tủ lâu nhất bao nhiêu ngày?"],
            ..Told::default()
        },
        Told {
            lens: "SA",
            quote: "BR-10: Thời hạn lưu tủ phải là 5 ngày",
            finding: "Thời hạn lưu tủ của BR-10 dài hơn hiệu lực của mã nhận hàng; người nhận không còn gì để mở ngăn tủ.",
            suggestion: "BR-10: Thời hạn lưu tủ phải là 3 ngày, tính từ hôm bưu tá ghé tủ.",
            remember: &["Người nhận xin mã nhận hàng mới một giờ trước khi hết hạn."],
            ..Told::default()
        },
    ];
    waiting(&example("prd-vi.md"), &steps(&told), Lang::Vi)
}

/// The Chinese example with a conflict over two rules and a policy question.
pub fn chinese() -> Stage {
    let told = [
        Told {
            lens: "DEV",
            quote: "BR-01：取件码必须在包裹入柜后 72 小时内有效",
            finding: "BR-01 的取件码 72 小时后失效，包裹却可存放 5 天（BR-10）；从第四天起，没有任何取件码能打开格口。",
            suggestion: "把 BR-10 的存放期限缩短为 72 小时，与取件码同时到期。",
            asks: &["needs-product-decision: 一件包裹最多可以在柜中存放多少天？"],
            ..Told::default()
        },
        Told {
            lens: "SA",
            quote: "BR-10：存放期限必须为 5 天",
            finding: "BR-10 的存放期限比取件码的有效期更长；收件人已经没有办法开门。",
            suggestion: "BR-10：存放期限必须为 3 天，从快递员投递的当日算起。",
            remember: &["到期前一小时申请新取件码的收件人。"],
            ..Told::default()
        },
    ];
    waiting(&example("prd-zh.md"), &steps(&told), Lang::Zh)
}

/// A frame at each size, one below the other.
pub fn frames(stage: &mut Stage) -> String {
    let frame = |&(width, height): &(u16, u16)| {
        let screen = stage.screen((width, height));
        format!("=== {width}x{height}\n{}\n", screen.trim_end())
    };
    SIZES.iter().map(frame).collect()
}

/// Characters that may not stand in any cell: controls, bidi marks, tags, and what else is not seen.
pub fn hidden(buffer: &Buffer) -> Vec<char> {
    let cells = buffer.content.iter().flat_map(|cell| cell.symbol().chars());
    cells.filter(|&c| c.is_control() || tamis::model::shown::is_hidden(c)).collect()
}
