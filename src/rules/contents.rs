//! What a document holds, looked up by name: sections by title, definitions by id, units by id. Checks absences:
//! a finding that says a section or an id is missing is refuted where it stands with text (SPEC S0, Phase 3).

use super::cites::{cites, ids, whole_id};
use super::normal::{fold, is_cjk};
use crate::model::outline::{LineKind, LineSpan, Outline, Unit};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// A document's names.
pub struct Contents<'a> {
    outline: &'a Outline,
    /// Plain title of each section.
    titles: Vec<String>,
    /// Plain heading path of each section.
    paths: Vec<String>,
    by_title: HashMap<String, Vec<usize>>,
    by_path: HashMap<String, usize>,
    /// Lines where an id is defined with words of its own.
    definitions: HashMap<String, Vec<u32>>,
    units: HashMap<String, usize>,
}

/// Words that stand for no unit where an agent must name one.
const NO_UNIT: [&str; 7] = ["prd global", "whole file", "global", "none", "n a", "null", "all"];

impl<'a> Contents<'a> {
    /// Reads the names out of an outline.
    pub fn new(outline: &'a Outline) -> Contents<'a> {
        let titles: Vec<String> = outline.sections.iter().map(|section| plain(&section.title)).collect();
        let paths: Vec<String> = outline.sections.iter().map(|section| plain(&section.path_text())).collect();
        let mut by_title: HashMap<String, Vec<usize>> = HashMap::new();
        let mut by_path = HashMap::new();
        for (index, section) in outline.sections.iter().enumerate() {
            if !section.is_title {
                by_title.entry(titles[index].clone()).or_default().push(index);
                by_path.entry(paths[index].clone()).or_insert(index);
            }
        }
        let mut definitions: HashMap<String, Vec<u32>> = HashMap::new();
        for item in &outline.items {
            if let Some(id) = &item.id
                && !item.body.is_empty()
            {
                let norm = whole_id(&id.text).unwrap_or_else(|| id.norm.clone());
                definitions.entry(norm).or_default().push(item.place.lines.first);
            }
        }
        let mut units = HashMap::new();
        for (index, unit) in outline.units.iter().enumerate() {
            units.entry(unit_name(&unit.id)).or_insert(index);
            if let Some(norm) = whole_id(&unit.id) {
                definitions.entry(norm).or_default().push(unit.place.lines.first);
            }
        }
        Contents { outline, titles, paths, by_title, by_path, definitions, units }
    }

    /// Plain title of a section.
    pub fn title(&self, section: usize) -> &str {
        self.titles.get(section).map_or("", String::as_str)
    }

    /// Plain heading path of a section.
    pub fn path(&self, section: usize) -> &str {
        self.paths.get(section).map_or("", String::as_str)
    }

    /// The section with this heading path, the first in the file where several share it.
    pub fn section_at_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(&plain(path)).copied()
    }

    /// The unit an agent names; `None` for none, an unknown one, and the words for "no unit".
    pub fn unit_named(&self, said: &str) -> Option<usize> {
        let name = unit_name(said);
        if name.is_empty() || NO_UNIT.contains(&name.as_str()) {
            return None;
        }
        let whole = self.units.get(&name).copied();
        whole.or_else(|| match ids(said).into_iter().collect::<Vec<_>>().as_slice() {
            [one] => self.units.get(one).copied(),
            _ => None,
        })
    }

    /// Whether an agent's word for the unit names one at all.
    pub fn names_a_unit(said: &str) -> bool {
        let name = unit_name(said);
        !name.is_empty() && !NO_UNIT.contains(&name.as_str())
    }

    /// Whether `said` is the name of this unit or of the one it lies in.
    pub fn is_unit(&self, said: &str, unit: &Unit) -> bool {
        let name = unit_name(said);
        let own = unit_name(&unit.id);
        name == own
            || unit.parent.as_deref().is_some_and(|parent| unit_name(parent) == name)
            || (whole_id(&unit.id).is_some() && ids(said).contains(&own))
    }

    /// The section an agent means where nothing is quoted: by path, by its title inside the unit, by its title alone.
    pub fn resolve(&self, said: &str, unit: Option<usize>) -> Option<usize> {
        let name = plain(said);
        if name.is_empty() {
            return unit.and_then(|unit| self.outline.units.get(unit)).and_then(|unit| unit.section);
        }
        if let Some(&section) = self.by_path.get(&name) {
            return Some(section);
        }
        let last = plain(said.rsplit('>').next().unwrap_or(said));
        let named = self.by_title.get(&name).or_else(|| self.by_title.get(&last)).map_or(&[][..], Vec::as_slice);
        let scope = unit.or_else(|| self.unit_named(said)).and_then(|unit| self.outline.units.get(unit));
        if let Some(unit) = scope {
            let inside =
                named.iter().copied().find(|&section| within(self.outline.sections[section].place.lines, unit.place.lines));
            return inside.or(unit.section);
        }
        match named {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Line where a thing said to be missing stands with text: a heading of that name, or the definition of that id.
    /// `section` is the heading path the finding stands at; where that lies in a unit, only the unit is searched, for
    /// ids also what lies in no unit: units number their criteria each for itself.
    pub fn line_of_thing(&self, thing: &str, section: &str) -> Option<u32> {
        if let Some(id) = whole_id(thing.trim()) {
            let scope = self.scope(section);
            let counts = |line: &u32| scope.is_none_or(|scope| scope.has(*line)) || self.outline.unit_at(*line).is_none();
            return self.definitions.get(&id).and_then(|lines| lines.iter().copied().find(counts));
        }
        self.sections_named(thing, section).find(|&index| self.holds_text(index)).map(|index| self.lines_of(index).first)
    }

    /// Lines under the headings of that name, the headings left out; searched as [`Contents::line_of_thing`] does.
    pub fn lines_under_thing(&self, thing: &str, section: &str) -> Vec<LineSpan> {
        self.sections_named(thing, section).map(|index| self.lines_under(index)).collect()
    }

    fn sections_named(&self, thing: &str, section: &str) -> impl Iterator<Item = usize> {
        let scope = self.scope(section);
        let named = self.by_title.get(&thing_name(thing)).map_or(&[][..], Vec::as_slice);
        named.iter().copied().filter(move |&index| scope.is_none_or(|scope| within(self.lines_of(index), scope)))
    }

    fn lines_of(&self, section: usize) -> LineSpan {
        self.outline.sections.get(section).map(|section| section.place.lines).unwrap_or_default()
    }

    fn lines_under(&self, section: usize) -> LineSpan {
        let heading = self.outline.sections.get(section).map_or(0, |section| section.heading.lines.last);
        LineSpan::new(heading + 1, self.lines_of(section).last)
    }

    /// Lines of the unit that a section lies in.
    fn scope(&self, section: &str) -> Option<LineSpan> {
        let section = self.outline.sections.get(self.section_at_path(section)?)?;
        self.outline.unit_at(section.heading.lines.first).map(|unit| unit.place.lines)
    }

    /// Whether anything but headings, blank lines, comments and empty tables stands in a section.
    fn holds_text(&self, section: usize) -> bool {
        let lines = self.lines_under(section);
        (lines.first..=lines.last).any(|number| {
            self.outline.line(number).is_some_and(|line| {
                !matches!(line.kind, LineKind::Blank | LineKind::Heading | LineKind::Html | LineKind::TableHead | LineKind::Rule)
            })
        })
    }

    /// Ids in the heading path of a section.
    pub fn section_ids(&self, section: usize) -> BTreeSet<String> {
        self.outline.sections.get(section).map(|section| ids(&section.path_text())).unwrap_or_default()
    }
}

fn within(inner: LineSpan, outer: LineSpan) -> bool {
    outer.first <= inner.first && inner.last <= outer.last
}

/// A unit's name in the form that two spellings share.
fn unit_name(id: &str) -> String {
    whole_id(id).unwrap_or_else(|| plain(id))
}

/// A title or place as compared: folded, lower case, words only, leading numbering dropped.
pub fn plain(text: &str) -> String {
    let folded = fold(text).to_lowercase();
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let numbering = words.iter().take_while(|word| word.bytes().all(|byte| byte.is_ascii_digit())).count();
    let kept = if numbering < words.len() { &words[numbering..] } else { &words[..] };
    kept.join(" ")
}

/// Whether `part` stands in `whole` as whole words; scripts without blanks have no word boundary.
pub fn has_words(whole: &str, part: &str) -> bool {
    if part.is_empty() {
        return false;
    }
    whole.match_indices(part).any(|(at, _)| {
        let before = whole[..at].chars().next_back();
        let after = whole[at + part.len()..].chars().next();
        let open = |c: Option<char>| c.is_none_or(|c| c == ' ' || is_cjk(c));
        let begins_open = part.chars().next().is_some_and(is_cjk) || open(before);
        let ends_open = part.chars().next_back().is_some_and(is_cjk) || open(after);
        begins_open && ends_open
    })
}

/// Words for "section" around a thing's name.
const SECTION_WORDS: [&str; 12] =
    ["section", "heading", "chapter", "mục", "phần", "chương", "章节", "部分", "一节", "小节", "the", "a"];

fn thing_name(thing: &str) -> String {
    let mut name = plain(thing);
    loop {
        let shorter = SECTION_WORDS.iter().find_map(|word| {
            let blank = !word.chars().all(is_cjk);
            let rest = name.strip_suffix(word).or_else(|| name.strip_prefix(word))?;
            let cut = rest.trim();
            (!cut.is_empty() && (!blank || cut.len() < rest.len())).then(|| cut.to_owned())
        });
        match shorter {
            Some(shorter) => name = shorter,
            None => return name,
        }
    }
}

/// Ends of a clause: what may follow where a sentence says that a whole section is missing. Anything else, such as
/// "the section is missing the term X", says something about its content.
const CLAUSE_END: &str = r"(?:\s*$|\s*[.;,:!?)。；，：！？）]|\s+[—–-]|\s+(?:in|from|anywhere|trong|ở)\b)";

static SECTION_MISSING: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const THING: &str = r#"["“”‘’'`*「」『』]*(?P<thing>[^."“”‘’'`*「」『』;,:!?。；，：！？\n]{1,60}?)["“”‘’'`*「」『』]*"#;
    [
        format!(
            r"(?i)\b(?:no|missing|lacks?|lacking|without)\s+(?:an?\s+|the\s+|any\s+|its\s+)?{THING}\s+(?:section|heading|chapter){CLAUSE_END}"
        ),
        format!(
            r"(?i)(?:^|[.;,:]\s+|\bthe\s+)(?:the\s+)?{THING}\s+(?:section|heading|chapter)\s+(?:is|are)\s+(?:missing|absent|not\s+present){CLAUSE_END}"
        ),
        format!(
            r"(?i)(?:^|[.;,:]\s+|\bthe\s+)(?:the\s+)?{THING}\s+(?:section|heading|chapter)\s+(?:does|do)\s+not\s+exist{CLAUSE_END}"
        ),
        format!(r"(?i)(?:thiếu|không\s+có|chưa\s+có)\s+(?:mục|phần|chương)\s+{THING}{CLAUSE_END}"),
        format!(
            r"(?i)(?:mục|phần|chương)\s+{THING}\s+(?:bị\s+thiếu|không\s+có|không\s+tồn\s+tại|chưa\s+có){CLAUSE_END}"
        ),
        format!(r"(?:缺少|缺失|没有|未包含){THING}(?:章节|部分|一节|小节){CLAUSE_END}"),
        format!(r"{THING}(?:章节|部分|一节|小节)(?:缺失|不存在){CLAUSE_END}"),
    ]
    .iter()
    .map(|pattern| Regex::new(pattern).expect("patterns of missing sections compile"))
    .collect()
});

static ID_MISSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)^\s*(?:(?:is|are)\s+(?:(?:not|never|nowhere)\s+defined|undefined|missing)|does\s+not\s+exist|(?:không|chưa)\s+được\s+định\s+nghĩa|không\s+tồn\s+tại|未定义|没有定义|不存在){CLAUSE_END}"
    ))
    .expect("pattern of missing ids compiles")
});

/// Words without which nothing here says that a section or an id is missing; looked for first, being cheap.
static MISSING_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build([
            "section",
            "heading",
            "chapter",
            "mục",
            "phần",
            "chương",
            "章节",
            "部分",
            "一节",
            "小节",
            "defined",
            "missing",
            "exist",
            "định nghĩa",
            "tồn tại",
            "定义",
            "不存在",
        ])
        .expect("words make an automaton")
});

/// The section or id that a finding's words say is missing, where they say so plainly.
pub fn thing_missing(words: &str) -> Option<String> {
    if !MISSING_WORDS.is_match(words) {
        return None;
    }
    let from_section = SECTION_MISSING
        .iter()
        .filter_map(|pattern| pattern.captures(words))
        .filter_map(|found| found.name("thing"))
        .map(|thing| thing.as_str().trim().to_owned())
        .find(|thing| !thing.is_empty());
    from_section.or_else(|| {
        cites(words)
            .into_iter()
            .find(|cite| ID_MISSING.is_match(&words[cite.end..]))
            .map(|cite| words[cite.start..cite.end].to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::sample;

    #[test]
    fn names_are_compared_without_markup_numbering_and_case() {
        assert_eq!(plain("3.2 **Error Flow**:"), "error flow");
        assert_eq!(plain("UC-01: Pay > Acceptance"), "uc 01 pay acceptance");
        assert_eq!(plain("2024"), "2024");
        assert_eq!(plain("Luo\u{302}\u{300}ng lỗi"), "luồng lỗi");
        assert!(has_words("uc 01 error flow", "error flow"));
        assert!(!has_words("terror flow", "error flow"));
        assert!(has_words("验收标准与错误流程", "错误流程"));
    }

    #[test]
    fn what_is_said_to_be_missing_is_read_in_three_languages() {
        for (words, thing) in [
            ("The document has no glossary section.", "glossary"),
            ("Missing \"Error flow\" section in UC-02", "Error flow"),
            ("The Out of Scope section is missing.", "Out of Scope"),
            ("Tài liệu thiếu mục Thuật ngữ.", "Thuật ngữ"),
            ("Phần “Ngoài phạm vi” không tồn tại", "Ngoài phạm vi"),
            ("文档缺少“术语表”章节。", "术语表"),
            ("范围外部分缺失", "范围外"),
            ("BR-09 is not defined.", "BR-09"),
            ("BR-09 không được định nghĩa", "BR-09"),
            ("引用的BR-09未定义。", "BR-09"),
        ] {
            assert_eq!(thing_missing(words).as_deref(), Some(thing), "{words}");
        }
    }

    #[test]
    fn what_lacks_inside_a_section_is_no_missing_section() {
        for words in [
            "The glossary section is missing the term refund.",
            "AC-3 is missing the declined card.",
            "No error flow for declined cards.",
            "There is no error flow section for declined cards.",
            "Mục Thuật ngữ thiếu từ hoàn tiền.",
            "术语表部分缺失退款一词",
        ] {
            assert_eq!(thing_missing(words), None, "{words}");
        }
    }

    #[test]
    fn a_thing_is_found_only_with_text_and_only_in_its_unit() {
        let (_, outline) = sample::document();
        let contents = Contents::new(&outline);
        assert_eq!(contents.line_of_thing("Glossary", ""), Some(5));
        assert_eq!(contents.line_of_thing("the “glossary” section", ""), Some(5));
        assert_eq!(contents.line_of_thing("Changelog", ""), None, "an empty section is missing");
        assert_eq!(contents.line_of_thing("Error flow", "UC-02: Approve"), None, "only UC-01 has one");
        assert_eq!(contents.line_of_thing("Error flow", "UC-01: Refund"), Some(21));
        assert_eq!(contents.line_of_thing("BR_2", ""), Some(12));
        assert_eq!(contents.line_of_thing("BR-9", ""), None);
        assert_eq!(contents.line_of_thing("BR-02", "UC-02: Approve"), Some(12), "what is global counts for every unit");
        assert_eq!(contents.line_of_thing("AC-01", "UC-02: Approve"), None, "another unit's criterion does not");
        assert_eq!(contents.line_of_thing("AC-01", "UC-01: Refund > Acceptance criteria"), Some(20));
        assert_eq!(contents.line_of_thing("", ""), None);
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_read_without_panic(words in "\\PC{0,80}") {
            let (_, outline) = sample::document();
            let contents = Contents::new(&outline);
            if let Some(thing) = thing_missing(&words) {
                let _ = contents.line_of_thing(&thing, &words);
            }
            let _ = contents.resolve(&words, None);
            let _ = contents.unit_named(&words);
        }
    }
}
