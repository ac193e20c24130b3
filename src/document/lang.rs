//! The language of a line and of a document (SPEC S0 "Document language"; majority of lines by script).

use crate::model::lang::Lang;
use std::sync::LazyLock;

/// Share of the voting lines, in percent, that a language needs.
const MAJORITY: usize = 60;

/// What a line speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// English.
    En,
    /// Vietnamese.
    Vi,
    /// Chinese.
    Zh,
    /// A language that tamis does not know.
    Other,
    /// Nothing: no words, or none that tell.
    None,
}

/// What the characters of a line say.
#[derive(Default)]
struct Seen {
    han: bool,
    kana: bool,
    foreign_script: bool,
    vietnamese: bool,
    foreign_letter: bool,
    accented: bool,
    ascii_letters: bool,
}

/// Letters that only Vietnamese uses: the Latin block made for it, đ, ơ, ư, and its own combining marks.
fn only_vietnamese(c: char) -> bool {
    matches!(c, 'đ' | 'Đ' | 'ơ' | 'Ơ' | 'ư' | 'Ư' | '\u{1ea0}'..='\u{1ef9}' | '\u{309}' | '\u{31b}' | '\u{323}')
}

/// Letters with marks that Vietnamese shares with other languages.
fn shared_with_vietnamese(c: char) -> bool {
    matches!(c, 'à' | 'á' | 'â' | 'ã' | 'è' | 'é' | 'ê' | 'ì' | 'í' | 'ò' | 'ó' | 'ô' | 'õ' | 'ù' | 'ú' | 'ý' | 'ă' | 'ĩ' | 'ũ')
        || matches!(c, 'À' | 'Á' | 'Â' | 'Ã' | 'È' | 'É' | 'Ê' | 'Ì' | 'Í' | 'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ù' | 'Ú' | 'Ý' | 'Ă')
        || matches!(c, '\u{300}'..='\u{303}')
}

/// Letters of other European languages that Vietnamese and English lack.
fn foreign_latin(c: char) -> bool {
    matches!(c, 'ä' | 'ö' | 'ü' | 'ß' | 'Ä' | 'Ö' | 'Ü' | 'ñ' | 'Ñ' | '¿' | '¡' | 'ç' | 'Ç' | 'ø' | 'Ø' | 'å' | 'Å' | 'æ' | 'œ')
        || matches!(
            c,
            'ą' | 'ć'
                | 'ę'
                | 'ł'
                | 'ń'
                | 'ś'
                | 'ź'
                | 'ż'
                | 'č'
                | 'ď'
                | 'ě'
                | 'ň'
                | 'ř'
                | 'š'
                | 'ť'
                | 'ů'
                | 'ž'
                | 'ő'
                | 'ű'
        )
        || matches!(c, 'Ł' | 'Ś' | 'Ż' | 'Č' | 'Š' | 'Ž' | 'ğ' | 'ı' | 'ş' | 'ț' | 'ș')
}

/// Whether a character is a Han ideograph.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

fn look(line: &str) -> Seen {
    let mut seen = Seen::default();
    if line.is_ascii() {
        seen.ascii_letters = line.bytes().any(|b| b.is_ascii_alphabetic());
        return seen;
    }
    for c in line.chars() {
        match c {
            'a'..='z' | 'A'..='Z' => seen.ascii_letters = true,
            '\0'..='\u{7f}' => {}
            c if is_han(c) => seen.han = true,
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => {
                // The middle dot and the long-vowel mark also stand in Chinese text.
                seen.kana |= !matches!(c, '\u{30fb}' | '\u{30fc}');
            }
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => seen.foreign_script = true,
            '\u{370}'..='\u{6ff}' | '\u{900}'..='\u{10ff}' => seen.foreign_script |= c.is_alphabetic(),
            c if only_vietnamese(c) => seen.vietnamese = true,
            c if foreign_latin(c) => seen.foreign_letter = true,
            c if shared_with_vietnamese(c) => seen.accented = true,
            _ => {}
        }
    }
    seen
}

/// Frequent words of languages in Latin letters that English text does not use.
const FOREIGN: &str = "der das und ist nicht mit ein eine einen des dem den auf wird werden von zu sich sind oder muss soll \
    el los las del que para por una con como debe se su la le les une est pour dans doit et du sur avec qui \
    um uma os com deve il di che della een het van voor w z na nie jest oraz przez lub dla och att som";

/// Frequent words of English.
const ENGLISH: &str = "the of and to is are for with that this be by on or it as an from can must shall should will not when if \
    user has have then which at each their they its given may";

/// Length of the longest of these words.
const LONGEST_WORD: usize = 6;

/// The words of a list as numbers, sorted.
fn keys(list: &str) -> Vec<u64> {
    let mut keys: Vec<u64> = list.split_whitespace().filter_map(|word| key(word.as_bytes())).collect();
    keys.sort_unstable();
    keys
}

static FOREIGN_KEYS: LazyLock<Vec<u64>> = LazyLock::new(|| keys(FOREIGN));
static ENGLISH_KEYS: LazyLock<Vec<u64>> = LazyLock::new(|| keys(ENGLISH));

/// A word of up to eight ASCII letters as one number, whatever its case.
fn key(word: &[u8]) -> Option<u64> {
    let mut packed = [0u8; 8];
    packed.get_mut(..word.len())?.copy_from_slice(word);
    packed.make_ascii_lowercase();
    word.is_ascii().then(|| u64::from_le_bytes(packed))
}

/// Whether the frequent words of a line in Latin letters are more foreign than English.
fn speaks_foreign(line: &str) -> bool {
    let (mut foreign, mut english) = (0, 0);
    for word in line.as_bytes().split(|b| !(b.is_ascii_alphabetic() || *b >= 0x80)) {
        if word.is_empty() || word.len() > LONGEST_WORD {
            continue;
        }
        let Some(key) = key(word) else { continue };
        if ENGLISH_KEYS.binary_search(&key).is_ok() {
            english += 1;
            // Three English words before any other settle it.
            if english == 3 && foreign == 0 {
                return false;
            }
        } else if FOREIGN_KEYS.binary_search(&key).is_ok() {
            foreign += 1;
        }
    }
    foreign > english
}

/// What a line speaks for, and the language its rules are read in.
pub(super) fn of_line(line: &str) -> (Voice, Lang) {
    let seen = look(line);
    if seen.kana || seen.foreign_script {
        return (Voice::Other, Lang::En);
    }
    if seen.han {
        return (Voice::Zh, Lang::Zh);
    }
    if seen.vietnamese {
        return (Voice::Vi, Lang::Vi);
    }
    if seen.foreign_letter || (seen.ascii_letters && speaks_foreign(line)) {
        return (Voice::Other, Lang::En);
    }
    // A word of three letters at least; a bare id, number or table rule says nothing.
    let mut words = line.as_bytes().split(|b| !b.is_ascii_alphabetic()).filter(|word| word.len() >= 3);
    if words.nth(1).is_some() { (Voice::En, Lang::En) } else { (Voice::None, Lang::En) }
}

/// Whether a line without letters of its own language may be read as Vietnamese in a Vietnamese document.
pub(super) fn may_be_vietnamese(line: &str) -> bool {
    let seen = look(line);
    seen.accented && !seen.foreign_letter && !seen.foreign_script && !seen.kana && !seen.han
}

/// Counts of voices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Votes {
    en: usize,
    vi: usize,
    zh: usize,
    other: usize,
}

impl Votes {
    pub(super) fn add(&mut self, voice: Voice) {
        match voice {
            Voice::En => self.en += 1,
            Voice::Vi => self.vi += 1,
            Voice::Zh => self.zh += 1,
            Voice::Other => self.other += 1,
            Voice::None => {}
        }
    }

    /// The document's language and the share of lines that spoke for it.
    pub(super) fn outcome(self) -> (Lang, u8) {
        let total = self.en + self.vi + self.zh + self.other;
        if total == 0 {
            return (Lang::En, 100);
        }
        let share = |count: usize| (count * 100 / total) as u8;
        for (count, lang) in [(self.en, Lang::En), (self.vi, Lang::Vi), (self.zh, Lang::Zh)] {
            if count * 100 >= total * MAJORITY {
                return (lang, share(count));
            }
        }
        (Lang::En, share(self.en))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> (Lang, u8) {
        let mut votes = Votes::default();
        for line in text.lines() {
            votes.add(of_line(line).0);
        }
        votes.outcome()
    }

    #[test]
    fn no_frequent_word_is_longer_than_those_looked_at() {
        assert!(FOREIGN.split_whitespace().chain(ENGLISH.split_whitespace()).all(|word| word.len() <= LONGEST_WORD));
    }

    #[test]
    fn a_line_is_told_by_its_letters() {
        for (line, lang) in [
            ("Hệ thống lưu phiếu.", Lang::Vi),
            ("系统保存单据。", Lang::Zh),
            ("The system keeps the slip.", Lang::En),
            ("システムは伝票を保存する。", Lang::En),
            ("He\u{323} tho\u{302}\u{301}ng", Lang::Vi),
        ] {
            assert_eq!(of_line(line).1, lang, "{line}");
        }
    }

    #[test]
    fn a_document_speaks_what_most_of_its_lines_speak() {
        assert_eq!(outcome("Khách gửi yêu cầu.\nNhân viên duyệt.\nStatus is DRAFT then SENT\n"), (Lang::Vi, 66));
        assert_eq!(outcome("客户提交申请。\n客服审批。\nUC-01\n|---|\n"), (Lang::Zh, 100));
        assert_eq!(outcome(""), (Lang::En, 100));
    }

    #[test]
    fn another_language_falls_back_to_english_and_shows_in_the_share() {
        for text in [
            "Die Software soll Abgaben der Studierenden korrigieren.\nDas Ergebnis wird angezeigt und ist nicht änderbar.\n",
            "システムは伝票を保存する。\n利用者は検索できる。\n",
            "시스템은 전표를 저장한다.\n",
            "Система сохраняет документ.\n",
            "El sistema guarda la solicitud.\nEl usuario puede ver los datos que se guardan.\n",
        ] {
            let (lang, share) = outcome(text);
            assert_eq!(lang, Lang::En, "{text}");
            assert!(share < 60, "{text}: {share}");
        }
        assert_eq!(outcome("Khách gửi yêu cầu.\nThe clerk checks the form.\n"), (Lang::En, 50));
    }
}
