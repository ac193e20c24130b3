//! Theme files: the built-in ones, the user's own, and what is wrong with them.

use super::colours::{NAMES, from_hex};
use super::theme::{Role, Theme};
use crate::config::read_text;
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use crate::model::yaml::Source;
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use serde_yaml::Spanned;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The theme that is used where none is named.
pub const DEFAULT: &str = "terminal";

/// Format of theme files.
const SCHEMA: &str = "tamis.theme/1";

/// Built-in themes by name, in the order they are listed.
const BUILT_IN: [(&str, &str); 5] = [
    ("terminal", include_str!("../../themes/terminal.yaml")),
    ("dark", include_str!("../../themes/dark.yaml")),
    ("light", include_str!("../../themes/light.yaml")),
    ("high-contrast", include_str!("../../themes/high-contrast.yaml")),
    ("colour-blind", include_str!("../../themes/colour-blind.yaml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    schema: Spanned<String>,
    name: Spanned<String>,
    background: Spanned<Word>,
    text: Spanned<Word>,
    #[serde(default)]
    roles: BTreeMap<Role, Look>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    #[serde(default, deserialize_with = "given")]
    fg: Option<Spanned<Word>>,
    #[serde(default, deserialize_with = "given")]
    bg: Option<Spanned<Word>>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    italic: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reverse: bool,
}

/// The word for a colour; empty where nothing stands, because `#` without quotes begins a comment.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Word, E> {
                Ok(Word(word.to_owned()))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Word, E> {
                Ok(Word(String::new()))
            }
        }
        deserializer.deserialize_any(Words)
    }
}

/// A key that stands there, also with nothing behind it.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Spanned<Word>>, D::Error> {
    Spanned::deserialize(deserializer).map(Some)
}

pub(super) fn load(name_or_path: &str, user_dir: Option<&Path>) -> Result<Theme, Fault> {
    if name_or_path.contains('/') || is_theme_file(Path::new(name_or_path)) {
        return from_file(Path::new(name_or_path));
    }
    if let Some(path) = own(user_dir).remove(name_or_path) {
        let theme = from_file(&path)?;
        if theme.name() != name_or_path {
            let what = format!("{}: the theme calls itself `{}`, the file `{name_or_path}`", path.display(), theme.name());
            return Err(Fault::usage(what, "give both the same name"));
        }
        return Ok(theme);
    }
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
        return read(&format!("built-in theme {name}"), text);
    }
    let known = names(user_dir);
    let hint = what_there_is(name_or_path, known.iter().map(String::as_str));
    Err(Fault::usage(format!("no theme is named `{name_or_path}`"), format!("{hint}; a path to a theme file works too")))
}

pub(super) fn names(user_dir: Option<&Path>) -> Vec<String> {
    let built_in = BUILT_IN.iter().map(|(name, _)| (*name).to_owned());
    let others = own(user_dir).into_keys().filter(|name| BUILT_IN.iter().all(|(known, _)| known != name));
    built_in.chain(others).collect()
}

fn is_theme_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The user's theme files by name. A folder that is absent or unreadable holds none.
fn own(user_dir: Option<&Path>) -> BTreeMap<String, PathBuf> {
    let Some(entries) = user_dir.and_then(|folder| fs::read_dir(folder).ok()) else {
        return BTreeMap::new();
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_theme_file(path) && path.is_file());
    let mut files: Vec<PathBuf> = files.collect();
    // Where `a.yaml` and `a.yml` both lie there, the first in this order is kept.
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path))).collect()
}

fn from_file(path: &Path) -> Result<Theme, Fault> {
    read(&path.display().to_string(), &read_text(path)?)
}

fn read(name: &str, text: &str) -> Result<Theme, Fault> {
    let source = Source::config(name, text);
    let file: ThemeFile = source.read()?;
    if file.schema.value != SCHEMA {
        let what = format!("the format is `{}`, this version reads `{SCHEMA}`", file.schema.value);
        return Err(source.fault(file.schema.referenced, what, format!("write `schema: {SCHEMA}`")));
    }
    if file.name.value.trim().is_empty() {
        return Err(source.fault(file.name.referenced, "the theme's name is empty", "give it the name of the file"));
    }
    let text = Style { fg: colour(&source, &file.text)?, bg: background(&source, &file.background)?, ..Style::new() };
    let mut styles = BTreeMap::new();
    for (&role, look) in &file.roles {
        styles.insert(role, style(&source, look)?);
    }
    // A role that the file does not name is told by its marks, in the colour of the text.
    let style = |role: Role| {
        let own = styles.get(&role).copied().unwrap_or_else(|| Style::new().add_modifier(role.marks()));
        if role == Role::Text { text.patch(own) } else { own }
    };
    Ok(Theme::new(file.name.value, style))
}

fn style(source: &Source<'_>, look: &Look) -> Result<Style, Fault> {
    let part = |word: &Option<Spanned<Word>>| word.as_ref().map(|word| colour(source, word)).transpose();
    let marks = [
        (look.bold, Modifier::BOLD),
        (look.dim, Modifier::DIM),
        (look.italic, Modifier::ITALIC),
        (look.underline, Modifier::UNDERLINED),
        (look.reverse, Modifier::REVERSED),
    ];
    let marks = marks.into_iter().filter(|(on, _)| *on).map(|(_, mark)| mark).collect();
    let style = Style { fg: part(&look.fg)?.flatten(), bg: part(&look.bg)?.flatten(), ..Style::new() };
    Ok(style.add_modifier(marks))
}

fn colour(source: &Source<'_>, word: &Spanned<Word>) -> Result<Option<Color>, Fault> {
    let Word(name) = &word.value;
    if let Some([red, green, blue]) = from_hex(name) {
        return Ok(Some(Color::Rgb(red, green, blue)));
    }
    if name == "default" {
        return Ok(Some(Color::Reset));
    }
    if let Some((_, color)) = NAMES.iter().find(|(known, _)| known == name) {
        return Ok(Some(*color));
    }
    if name.is_empty() {
        let hint = "write `\"#rrggbb\"` with its quotes: without them `#` begins a comment";
        return Err(source.fault(word.referenced, "a colour is missing here", hint));
    }
    let known = NAMES.iter().map(|(name, _)| *name).chain(["default"]);
    let hint = format!("{}; or \"#rrggbb\"", what_there_is(name, known));
    Err(source.fault(word.referenced, format!("unknown colour `{name}`"), hint))
}

fn background(source: &Source<'_>, word: &Spanned<Word>) -> Result<Option<Color>, Fault> {
    let Word(name) = &word.value;
    match from_hex(name) {
        Some([red, green, blue]) => Ok(Some(Color::Rgb(red, green, blue))),
        None if name == "none" => Ok(None),
        None => {
            let what = format!("the background is `{name}`");
            Err(source.fault(word.referenced, what, "write `none` for the terminal's own, or \"#rrggbb\" with its quotes"))
        }
    }
}
