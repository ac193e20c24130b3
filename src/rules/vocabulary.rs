//! Words that say nothing of a finding's subject, and words that say what it claims: lists as data, single words
//! parted by blanks, phrases by commas.

/// English words that only build sentences.
pub const FUNCTION_EN: &str = "
    a an the of to in on at by for from with within into onto over under as is are was were be been being am do
    does did done has have had will would shall should can could may might must this that these those it its they
    them their there here he she his her we our you your i and or but nor so than then if when while where which
    who whom whose what how why not no any some such also only too s t d re";

/// Words that every review says, whatever the finding is about.
pub const GENERIC_EN: &str = "
    missing miss lacks lack lacking without absent never nothing nowhere nobody none defined define defines
    definition undefined specified specify unspecified specification said say says mention mentions described
    describe description explained explain covered cover covers uncovered handled handle handling unhandled given
    give gives unclear clear ambiguous ambiguity vague contradicts contradict contradiction contradictory conflicts
    conflicting inconsistent inconsistency repeats repeat repeated duplicates restates section document prd text
    requirement requirements criterion criteria acceptance case cases flow flows path branch scenario behaviour
    behavior happens happen exist exists need needs needed silent write wrote written writes whether about between
    both same other another each every all system developer reader tester guess guessing ac br uc fr nfr";

/// Vietnamese syllables that only build sentences.
pub const FUNCTION_VI: &str = "
    là và của các những cho với trong ở tại từ đến được bị có không chưa đã sẽ đang thì mà nếu khi như thế nào gì
    sao này đó kia ấy một mỗi mọi để vì do bởi nên phải cần cũng vẫn còn lại ra vào lên xuống theo về hay hoặc
    nhưng ai bao nhiêu rằng thể sự";

/// Vietnamese phrases that every review says.
pub const GENERIC_VI: &str =
    "thiếu, không nêu, chưa nêu, không nói, chưa nói, không rõ, chưa rõ, rõ ràng, rõ, mơ hồ, không có, chưa có,
    không được, chưa được, định nghĩa, quy định, mô tả, đề cập, xử lý, nêu, nói, trường hợp, luồng, nhánh,
    kịch bản, tiêu chí chấp nhận, tiêu chí nghiệm thu, tài liệu, mục, đoạn, mâu thuẫn, trái với, không khớp,
    không nhất quán, lặp lại, trùng lặp, trùng, lặp, cụ thể, đo được, xảy ra, hệ thống, người đọc, phải đoán, đoán,
    viết";

/// Words that ask, by what they ask for, in three languages.
pub const ASKING: [&str; 8] = [
    "who, whom, whose, ai, 谁",
    "when, khi nào, lúc nào, bao giờ, 何时, 什么时候",
    "where, ở đâu, đâu, 哪里, 何处",
    "which, nào, 哪个, 哪些",
    "what, cái gì, gì, 什么",
    "how, thế nào, như thế nào, 如何, 怎么, 怎样",
    "why, vì sao, tại sao, 为什么, 为何",
    "how many, how much, how long, how often, bao nhiêu, bao lâu, 多少, 多久",
];

/// Chinese particles that part words.
pub const PARTICLES_ZH: [char; 6] = ['的', '了', '和', '与', '及', '或'];

/// Chinese phrases that every review says.
pub const GENERIC_ZH: &str =
    "没有说明, 没有定义, 没有描述, 没有规定, 没有, 未说明, 未定义, 未描述, 未规定, 未明确, 未覆盖, 未处理,
    不明确, 不清楚, 不清晰, 不一致, 含糊, 模糊, 歧义, 缺少, 缺失, 缺乏, 遗漏, 矛盾, 冲突, 相反, 重复, 重述, 验收标准, 流程, 分支,
    场景, 章节, 文档, 如何处理, 说明, 定义, 描述, 规定, 明确, 情况, 应该, 必须, 系统, 如果, 怎么";

/// What a finding says of its place (DESIGN: another relation vetoes a merge).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Something is not there.
    Missing,
    /// Two things do not agree.
    Contradicts,
    /// It can be read in two ways.
    Ambiguous,
    /// It says again what stands elsewhere.
    Repeats,
    /// It stands in the wrong place or at the wrong altitude.
    Misplaced,
    /// Nobody could measure or test it.
    Unmeasurable,
    /// A word is used for two things, or two words for one.
    Terminology,
    /// It goes beyond what was asked for.
    Excess,
}

/// Cue words with the relation they speak for; `*` lets a word go on.
pub const CUES: [(Relation, &str); 8] = [
    (
        Relation::Missing,
        "missing, lacks, lack, lacking, absent, no, without, omits, not defined, undefined, not specified, unspecified,
    not covered, does not say, does not state, not handled, nothing says, never says, silent, thiếu, chưa có,
    không có, không nêu, chưa nêu, bỏ sót, chưa quy định, không quy định, chưa định nghĩa, 缺少, 缺失, 缺乏, 遗漏, 没有, 未说明,
    未定义, 未规定, 未描述, 未覆盖, 未处理",
    ),
    (
        Relation::Contradicts,
        "contradict*, conflict*, disagree*, inconsistent*, inconsistency, opposite, mâu thuẫn, trái với, không khớp,
    không nhất quán, ngược với, 矛盾, 冲突, 不一致, 相反, 不符",
    ),
    (
        Relation::Ambiguous,
        "ambiguous, ambiguity, ambiguously, unclear, vague, vaguely, can be read, two readings, mơ hồ, không rõ,
    chưa rõ, nhập nhằng, 歧义, 含糊, 模糊, 不明确, 不清楚, 不清晰",
    ),
    (
        Relation::Repeats,
        "repeat*, restate*, duplicate*, redundant, same as, copies, lặp lại, lặp, trùng, nhắc lại, 重复, 重述, 照抄, 冗余",
    ),
    (
        Relation::Misplaced,
        "misplaced, wrong section, wrong place, altitude, belongs in, belongs to the, does not belong, mechanism,
    implementation detail*, sai chỗ, sai mục, đặt nhầm, cơ chế, chi tiết kỹ thuật, không thuộc, 位置错误, 不属于, 放错,
    实现细节, 实现机制",
    ),
    (
        Relation::Unmeasurable,
        "unmeasurable, not measurable, not measured, measurable, untestable, not testable, cannot be tested,
    can not be tested, không đo được, chưa đo được, đo lường, không kiểm thử được, 不可衡量, 无法衡量, 不可测, 无法测试, 无法验证, 量化",
    ),
    (
        Relation::Terminology,
        "terminology, synonym*, two names, different names, banned term, not the glossary*, thuật ngữ, đồng nghĩa,
    hai tên, 术语, 同义, 两种名称",
    ),
    (
        Relation::Excess,
        "out of scope, beyond the scope, scope creep, gold plating, not asked for, ngoài phạm vi, vượt phạm vi, 超出范围,
    范围外, 范围蔓延",
    ),
];

/// What a suggestion does to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// Puts it in.
    Add,
    /// Takes it out.
    Delete,
    /// Leaves it.
    Keep,
    /// Puts it elsewhere.
    Move,
}

/// Verbs of editing.
pub const EDITS: [(Edit, &str); 4] = [
    (Edit::Add, "add, insert, introduce, thêm, bổ sung, 添加, 增加, 补充, 新增"),
    (Edit::Delete, "delete, remove, drop, strike, xóa, xóa bỏ, bỏ, loại bỏ, gỡ, gỡ bỏ, 删除, 移除, 去掉"),
    (Edit::Keep, "keep, retain, preserve, giữ, giữ lại, giữ nguyên, 保留"),
    (Edit::Move, "move, relocate, shift, chuyển, di chuyển, dời, 移动, 移到, 移至, 移入, 挪到"),
];

/// The entries of a list, split at commas and trimmed.
pub fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}
