//! The language of a line and of a document (SPEC S0 "Document language"; majority of lines by script).

use crate::model::lang::Lang;

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
    ascii_letters: usize,
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
    for c in line.chars() {
        match c {
            'a'..='z' | 'A'..='Z' => seen.ascii_letters += 1,
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
fn foreign_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"der"
            | b"das"
            | b"und"
            | b"ist"
            | b"nicht"
            | b"mit"
            | b"ein"
            | b"eine"
            | b"einen"
            | b"des"
            | b"dem"
            | b"den"
            | b"auf"
            | b"wird"
            | b"werden"
            | b"von"
            | b"zu"
            | b"sich"
            | b"sind"
            | b"oder"
            | b"muss"
            | b"soll"
            | b"el"
            | b"los"
            | b"las"
            | b"del"
            | b"que"
            | b"para"
            | b"por"
            | b"una"
            | b"con"
            | b"como"
            | b"debe"
            | b"se"
            | b"su"
            | b"la"
            | b"le"
            | b"les"
            | b"une"
            | b"est"
            | b"pour"
            | b"dans"
            | b"doit"
            | b"et"
            | b"du"
            | b"sur"
            | b"avec"
            | b"qui"
            | b"um"
            | b"uma"
            | b"os"
            | b"com"
            | b"deve"
            | b"il"
            | b"di"
            | b"che"
            | b"della"
            | b"een"
            | b"het"
            | b"van"
            | b"voor"
            | b"w"
            | b"z"
            | b"na"
            | b"nie"
            | b"jest"
            | b"oraz"
            | b"przez"
            | b"lub"
            | b"dla"
            | b"och"
            | b"att"
            | b"som"
    )
}

/// Frequent words of English.
fn english_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"the"
            | b"of"
            | b"and"
            | b"to"
            | b"is"
            | b"are"
            | b"for"
            | b"with"
            | b"that"
            | b"this"
            | b"be"
            | b"by"
            | b"on"
            | b"or"
            | b"it"
            | b"as"
            | b"an"
            | b"from"
            | b"can"
            | b"must"
            | b"shall"
            | b"should"
            | b"will"
            | b"not"
            | b"when"
            | b"if"
            | b"user"
            | b"has"
            | b"have"
            | b"then"
            | b"which"
            | b"at"
            | b"each"
            | b"their"
            | b"they"
            | b"its"
            | b"given"
            | b"may"
    )
}

/// Whether the frequent words of a line in Latin letters are more foreign than English.
fn speaks_foreign(line: &str) -> bool {
    let (mut foreign, mut english) = (0, 0);
    let mut lower = [0u8; 8];
    for word in line.as_bytes().split(|b| !(b.is_ascii_alphabetic() || *b >= 0x80)) {
        if word.is_empty() || word.len() > lower.len() {
            continue;
        }
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        foreign += usize::from(foreign_word(lower));
        english += usize::from(english_word(lower));
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
    if seen.foreign_letter || (seen.ascii_letters > 0 && speaks_foreign(line)) {
        return (Voice::Other, Lang::En);
    }
    // A word of three letters at least; a bare id, number or table rule says nothing.
    let words = line.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() >= 3).count();
    if words >= 2 { (Voice::En, Lang::En) } else { (Voice::None, Lang::En) }
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
