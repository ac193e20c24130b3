//! What a suggestion would do to the text, read so far that two of them can be told to exclude each other.

use super::cites::{Cite, cites, numbers, without_ids};
use super::contents::plain;
use super::similar::{dice, each_has_own, ids_of_place, meet, wholes};
use super::vocabulary::{EDITS, Edit, entries};
use super::words::{Term, canonical, content, frame, language, pattern, spaced};
use crate::model::finding::Finding;
use crate::model::lang::Lang;
use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A suggestion, read.
pub struct Fix {
    /// Ids it cites, its place's own left out.
    ids: Vec<Term>,
    numbers: Vec<Term>,
    /// Its words without ids, numbers and negations, sorted.
    frame: Vec<Term>,
    /// What it is about, sorted.
    content: Vec<Term>,
    /// Whether it denies what its words say.
    negated: bool,
    /// What it does to which id.
    edits: BTreeSet<(Edit, String)>,
    /// What it does to the quoted spot, where it does one thing only and says so first.
    lead: Option<Edit>,
    /// A word it replaces, and what by.
    rename: Option<(String, String)>,
}

/// How two findings of one place are tied to each other besides their suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// Their quotes overlap by half or more of the shorter one.
    pub same_quote: bool,
    /// Their words are alike enough to speak of one thing.
    pub alike: bool,
}

/// Share of the words of two frames that must agree where only a number differs.
const SAME_FRAME: f32 = 0.7;
/// Share of the words that must agree where only a negation differs.
const SAME_BUT_NEGATED: f32 = 0.8;

impl Fix {
    /// Reads a finding's suggestion.
    pub fn new(finding: &Finding) -> Fix {
        let text = &finding.suggestion;
        let cited = cites(text);
        let place = ids_of_place(finding);
        let bare = canonical(&without_ids(text, &cited));
        let lang = language(&bare);
        let (positive, negations) = without_negations(&bare, lang);
        let wordy = positive.replace(|c: char| c.is_ascii_digit(), " ");
        let (edits, lead) = if EDIT_FINDER.0.is_match(&spaced(&bare)) { edits(text, &cited) } else { Default::default() };
        Fix {
            ids: wholes(cited.into_iter().map(|cite| cite.norm).filter(|id| !place.contains(id))),
            numbers: wholes(numbers(&bare)),
            frame: frame(&wordy, lang),
            content: content(&wordy, lang),
            negated: negations % 2 == 1,
            edits,
            lead,
            rename: rename(text),
        }
    }

    /// Whether two suggestions of one place cannot both apply, so far as their words tell (facts, D: same frame with
    /// another number; the same but negated; opposite edits of one id; a rename and its reverse).
    pub fn excludes(&self, other: &Fix, tie: Tie) -> bool {
        if self.swaps(other) {
            return true;
        }
        let tied = tie.same_quote || tie.alike || meet(&self.ids, &other.ids);
        if !tied {
            return false;
        }
        self.opposite_edits(other) || (tie.same_quote && self.pulls_against(other)) || {
            // One template with another slot is another subject, not another opinion.
            let apart = (each_has_own(&self.ids, &other.ids) && !tie.same_quote) || each_has_own(&self.content, &other.content);
            !apart && (self.other_number(other) || self.denied_by(other))
        }
    }

    fn swaps(&self, other: &Fix) -> bool {
        match (&self.rename, &other.rename) {
            (Some((from, to)), Some((back_from, back_to))) => from == back_to && to == back_from && from != to,
            _ => false,
        }
    }

    fn pulls_against(&self, other: &Fix) -> bool {
        let renamed_apart = match (&self.rename, &other.rename) {
            (Some((from, to)), Some((other_from, other_to))) => from == other_from && to != other_to,
            _ => false,
        };
        let edits_apart = match (self.lead, other.lead) {
            (Some(one), Some(another)) => {
                matches!((one, another), (Edit::Keep | Edit::Move, Edit::Delete) | (Edit::Delete, Edit::Keep | Edit::Move))
            }
            _ => false,
        };
        renamed_apart || edits_apart
    }

    fn opposite_edits(&self, other: &Fix) -> bool {
        let against = |edits: &BTreeSet<(Edit, String)>, deletes: &BTreeSet<(Edit, String)>| {
            edits.iter().any(|(edit, id)| *edit != Edit::Delete && deletes.contains(&(Edit::Delete, id.clone())))
        };
        against(&self.edits, &other.edits) || against(&other.edits, &self.edits)
    }

    fn other_number(&self, other: &Fix) -> bool {
        each_has_own(&self.numbers, &other.numbers) && wide(self, other) && dice(&self.frame, &other.frame) >= SAME_FRAME
    }

    fn denied_by(&self, other: &Fix) -> bool {
        self.negated != other.negated && wide(self, other) && dice(&self.frame, &other.frame) >= SAME_BUT_NEGATED
    }
}

/// A frame of one word is no frame.
fn wide(a: &Fix, b: &Fix) -> bool {
    a.frame.len() >= 2 && b.frame.len() >= 2
}

/// Words that deny, each with what stays when the denial is taken away.
const NEGATIONS_EN: [(&str, &str); 13] = [
    (" cannot ", " can "),
    (" forbidden ", " allowed "),
    (" forbids ", " allow "),
    (" forbid ", " allow "),
    (" prohibit ", " allow "),
    (" prohibited ", " allowed "),
    (" disallow ", " allow "),
    (" do not ", " "),
    (" does not ", " "),
    (" not ", " "),
    (" no ", " "),
    (" never ", " "),
    (" without ", " with "),
];
const NEGATIONS_VI: [(&str, &str); 6] = [
    (" nghiêm cấm ", " cho phép "),
    (" cấm ", " cho phép "),
    (" không ", " "),
    (" chưa ", " "),
    (" đừng ", " "),
    (" chẳng ", " "),
];
const NEGATIONS_ZH: [(&str, &str); 9] = [
    ("禁止", "允许"),
    ("不得", "可"),
    ("不能", "可"),
    ("没有", "有"),
    ("不要", ""),
    ("不", ""),
    ("未", ""),
    ("无", ""),
    ("勿", ""),
];

static ANY_NEGATION: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let all = NEGATIONS_EN.iter().chain(&NEGATIONS_VI).chain(&NEGATIONS_ZH).map(|(negation, _)| negation.trim());
    AhoCorasick::new(all).expect("negations make an automaton")
});

/// The text without its negations, and how many there were.
fn without_negations(bare: &str, lang: Lang) -> (String, usize) {
    if !ANY_NEGATION.is_match(bare) {
        return (bare.to_owned(), 0);
    }
    let (mut text, list): (String, &[(&str, &str)]) = match lang {
        Lang::En => (spaced(bare), &NEGATIONS_EN),
        Lang::Vi => (spaced(bare), &NEGATIONS_VI),
        Lang::Zh => (bare.to_owned(), &NEGATIONS_ZH),
    };
    let mut count = 0;
    for (negation, rest) in list {
        let found = text.matches(negation).count();
        if found > 0 {
            count += found;
            text = text.replace(negation, rest);
        }
    }
    (text, count)
}

static EDIT_FINDER: LazyLock<(AhoCorasick, Vec<Edit>)> = LazyLock::new(|| {
    let verbs: Vec<(String, Edit)> =
        EDITS.iter().flat_map(|&(edit, list)| entries(list).map(move |verb| (pattern(verb), edit))).collect();
    let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(verbs.iter().map(|(verb, _)| verb));
    (finder.expect("edit verbs make an automaton"), verbs.into_iter().map(|(_, edit)| edit).collect())
});

/// Words after which an id is no longer what is edited: `delete the limit from AC-3`.
const ASIDE: [&str; 19] = [
    " from ", " in ", " of ", " to ", " into ", " at ", " with ", " by ", " for ", " khỏi ", " trong ", " ở ", " vào ", " sang ",
    " từ ", " của ", "从", "到", "中",
];

/// Words between a verb and the id it edits at most.
const REACH: usize = 4;

/// What a suggestion does to which id, and what it does first and only.
fn edits(text: &str, cited: &[Cite]) -> (BTreeSet<(Edit, String)>, Option<Edit>) {
    let mut marked = String::with_capacity(text.len());
    let mut from = 0;
    for (number, cite) in cited.iter().enumerate() {
        marked.push_str(&text[from..cite.start]);
        marked.push_str(&format!(" idmark{number} "));
        from = cite.end;
    }
    marked.push_str(&text[from..]);
    let marked = spaced(&canonical(&marked));
    let (finder, edit_of) = &*EDIT_FINDER;
    let mut edits = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    let mut first = None;
    let mut at = 0;
    while let Some(found) = finder.find(aho_corasick::Input::new(&marked).span(at..marked.len())) {
        let verb = edit_of[found.pattern().as_usize()];
        // The blank that ends one verb may begin the next word.
        let end = if marked[..found.end()].ends_with(' ') { found.end() - 1 } else { found.end() };
        let (before, after) = (&marked[..found.start()], &marked[end..]);
        let denied = [" not", " never", " không", " đừng", "不", "不要", "勿"].iter().any(|word| before.ends_with(word));
        // Not to delete is to keep; other denied edits say nothing.
        let edit = if !denied { Some(verb) } else { (verb == Edit::Delete).then_some(Edit::Keep) };
        if let Some(edit) = edit {
            kinds.insert(edit);
            let words_before = before.split(' ').filter(|word| !word.is_empty()).count();
            if first.is_none() && words_before <= 2 {
                first = Some(edit);
            }
            let object = id_after(after).or_else(|| id_before(before));
            if let Some(id) = object.and_then(|number| cited.get(number)) {
                edits.insert((edit, id.norm.clone()));
            }
        }
        at = end;
    }
    (edits, first.filter(|_| kinds.len() == 1))
}

/// The number of the id that directly follows a verb.
fn id_after(text: &str) -> Option<usize> {
    let at = text.find("idmark")?;
    let between = &text[..at];
    let far = between.split(' ').filter(|word| !word.is_empty()).count() > REACH;
    if far || between.contains('|') || ASIDE.iter().any(|aside| between.contains(aside)) {
        return None;
    }
    text[at + "idmark".len()..].split(' ').next()?.parse().ok()
}

/// The number of the id that a Chinese verb takes from before it: `将 AC-3 删除`.
fn id_before(text: &str) -> Option<usize> {
    let mut words = text.split(' ').filter(|word| !word.is_empty()).rev();
    let id = words.next()?.strip_prefix("idmark")?.parse().ok()?;
    words.next().filter(|word| word.ends_with('将') || word.ends_with('把')).map(|_| id)
}

static RENAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let word =
        |name: &str| format!(r#"["“”‘’'`「」『』]*(?P<{name}>[^"“”‘’'`「」『』,.;:。，；：\n]{{1,40}}?)["“”‘’'`「」『』]*"#);
    const END: &str = r"(?:\s*$|\s*[,.;:。，；：)]|\s+(?:in|on|at|everywhere|throughout|trong|ở)\b)";
    let (from, to) = (word("from"), word("to"));
    [
        format!(r"(?i)\b(?:rename|replace|change|substitute)\s+(?:the\s+)?(?:term\s+|word\s+)?{from}\s+(?:to|with|by|into)\s+(?:the\s+)?(?:term\s+|word\s+)?{to}{END}"),
        format!(r"(?i)\b(?:use|write|say)\s+{to}\s+(?:instead\s+of|rather\s+than)\s+{from}{END}"),
        format!(r"(?i)(?:đổi|thay|sửa)\s+(?:từ\s+)?{from}\s+(?:thành|bằng|sang)\s+{to}{END}"),
        format!(r"(?i)(?:dùng|viết)\s+{to}\s+(?:thay\s+cho|thay\s+vì)\s+{from}{END}"),
        format!(r"(?:将|把){from}(?:改为|改成|替换为|换成|统一为){to}{END}"),
        format!(r"(?:使用|改用|用){to}(?:代替|替代|而不是|取代){from}{END}"),
    ]
    .into_iter()
    .map(|pattern| Regex::new(&pattern).expect("patterns of renames compile"))
    .collect()
});

/// Words of which every rename holds one; looked for first, being cheap.
static RENAME_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = "rename,replace,change,substitute,instead,rather,đổi,thay,sửa,改,换,统一为,替,取代,而不是";
    AhoCorasick::builder().ascii_case_insensitive(true).build(words.split(',')).expect("words make an automaton")
});

/// The word that a suggestion replaces, and what by.
fn rename(text: &str) -> Option<(String, String)> {
    // Capitals outside ASCII begin a sentence at most.
    if !RENAME_WORDS.is_match(text) && !text.contains(['Đ', 'đ']) {
        return None;
    }
    RENAMES.iter().find_map(|pattern| {
        let found = pattern.captures(text)?;
        let (from, to) = (plain(found.name("from")?.as_str()), plain(found.name("to")?.as_str()));
        (!from.is_empty() && !to.is_empty()).then_some((from, to))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    const SAME_QUOTE: Tie = Tie { same_quote: true, alike: true };
    const ALIKE: Tie = Tie { same_quote: false, alike: true };
    const LOOSE: Tie = Tie { same_quote: false, alike: false };

    fn exclude(a: &str, b: &str, tie: Tie) -> bool {
        let fix = |words: &str| Fix::new(&sample::finding("DEV", "major", "The form should be fast", "w", words));
        let (a, b) = (fix(a), fix(b));
        assert_eq!(a.excludes(&b, tie), b.excludes(&a, tie), "exclusion is mutual");
        a.excludes(&b, tie)
    }

    #[test]
    fn the_same_frame_with_another_number_excludes() {
        for (a, b) in [
            ("Set the refund window to 14 days.", "Set the refund window to 30 days."),
            ("State in BR-01 that refunds close after 14 days.", "State in BR-01 that refunds close after 30 days."),
            ("Đặt thời hạn hoàn tiền là 14 ngày.", "Đặt thời hạn hoàn tiền là 30 ngày."),
            ("将退款期限设为14天。", "将退款期限设为30天。"),
        ] {
            assert!(exclude(a, b, ALIKE), "{a} | {b}");
            assert!(!exclude(a, a, ALIKE), "{a}");
        }
    }

    #[test]
    fn another_slot_in_the_same_frame_does_not_exclude() {
        for (a, b) in [
            ("Set the refund window for members to 14 days.", "Set the refund window for guests to 30 days."),
            ("Say that AC-1 ends within 5 seconds.", "Say that AC-2 ends within 3 seconds."),
            ("Limit the password to 8 characters.", "Lock the account after 5 attempts."),
            ("Đặt thời hạn cho thành viên là 14 ngày.", "Đặt thời hạn cho khách là 30 ngày."),
            ("将会员的退款期限设为14天。", "将游客的退款期限设为30天。"),
            ("Give 14 days.", "Give 14 days, or 30 for members."),
        ] {
            assert!(!exclude(a, b, ALIKE), "{a} | {b}");
        }
        assert!(!exclude("Set it to 14 days.", "Set it to 30 days.", LOOSE), "nothing ties them to one subject");
        assert!(exclude("Set it to 14 days.", "Set it to 30 days.", SAME_QUOTE));
    }

    #[test]
    fn one_that_denies_the_other_excludes() {
        for (a, b) in [
            ("Guests must be able to cancel an order.", "Guests must not be able to cancel an order."),
            ("Allow guests to cancel.", "Forbid guests to cancel."),
            ("Khách được hủy đơn hàng đã gửi.", "Khách không được hủy đơn hàng đã gửi."),
            ("允许游客取消订单。", "禁止游客取消订单。"),
            ("游客可以取消订单。", "游客不可以取消订单。"),
        ] {
            assert!(exclude(a, b, ALIKE), "{a} | {b}");
        }
        assert!(!exclude("Guests must not cancel.", "Nobody but staff may refund.", ALIKE));
    }

    #[test]
    fn opposite_edits_of_one_id_exclude() {
        for (a, b) in [
            ("Delete AC-03.", "Keep AC-3 and give it a number."),
            ("Remove the criterion AC-03.", "Move AC-03 to Business rules."),
            ("Add BR-07 for late refunds.", "Drop BR-07."),
            ("Do not delete AC-03.", "Delete AC-03."),
            ("Xóa AC-03.", "Giữ AC-03."),
            ("删除AC-03。", "保留AC-03。"),
            ("将AC-03删除。", "将AC-03移到业务规则。"),
        ] {
            assert!(exclude(a, b, ALIKE), "{a} | {b}");
        }
        for (a, b) in [
            ("Delete the retry count from AC-03.", "Keep AC-03 to the outcome."),
            ("Delete AC-03.", "Keep AC-04."),
            ("Move AC-03 to Business rules.", "Add a number to AC-03."),
        ] {
            assert!(!exclude(a, b, ALIKE), "{a} | {b}");
        }
    }

    #[test]
    fn moving_and_deleting_one_spot_exclude_only_on_the_same_quote() {
        let (a, b) = ("Delete the retry count.", "Move the retry count to Business rules.");
        assert!(exclude(a, b, SAME_QUOTE));
        assert!(!exclude(a, b, LOOSE));
        assert!(!exclude("Delete the count and keep the outcome.", b, SAME_QUOTE), "it does more than one thing");
    }

    #[test]
    fn swapped_renames_exclude() {
        for (a, b) in [
            ("Rename “client” to “customer”.", "Replace the term 'customer' with 'client'."),
            ("Use customer instead of client.", "Use client instead of customer."),
            ("Đổi “khách” thành “người mua”.", "Dùng “khách” thay cho “người mua”."),
            ("将“客户”改为“顾客”。", "用“客户”代替“顾客”。"),
        ] {
            assert!(exclude(a, b, LOOSE), "{a} | {b}");
        }
        assert!(!exclude("Rename client to customer.", "Rename client to buyer.", LOOSE));
        assert!(exclude("Rename client to customer.", "Rename client to buyer.", SAME_QUOTE));
        assert!(!exclude("Rename client to customer.", "Replace client with customer.", SAME_QUOTE));
    }

    proptest::proptest! {
        #[test]
        fn any_suggestions_are_compared_without_panic(a in "\\PC{0,60}", b in "\\PC{0,60}") {
            let _ = exclude(&a, &b, SAME_QUOTE);
            let _ = exclude(&format!("Delete AC-1 {a} 删除"), &format!("将AC-2删除 {b}"), ALIKE);
        }
    }
}
