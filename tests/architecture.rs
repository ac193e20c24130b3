//! The import rule of the house: rooms see lower floors only, never sideways, and `model` is open to all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room → rooms it may see besides itself and `model`.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let floor_one = ["text", "rules", "document", "journal", "config"];
    let mut table = BTreeMap::new();
    table.insert("model", vec![]);
    table.insert("text", vec![]);
    for room in ["rules", "document", "journal", "config", "walls"] {
        table.insert(room, vec![]);
    }
    table.insert("run", floor_one.to_vec());
    table.insert("lint", vec!["text", "document", "rules"]);
    table.insert("agent", vec!["run", "config", "lint", "document", "rules", "text", "walls"]);
    table.insert("pipeline", vec!["run", "rules", "document"]);
    table.insert("files", vec!["text", "document"]);
    table.insert("tui", vec!["text", "rules", "document", "journal", "files", "config"]);
    table.insert(
        "cli",
        vec!["text", "rules", "document", "journal", "config", "run", "lint", "agent", "pipeline", "files", "tui", "walls"],
    );
    table
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("source folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

fn source_files() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    files
        .into_iter()
        .map(|path| {
            let relative = path.strip_prefix(&root).expect("below src").to_path_buf();
            let room = relative.components().next().expect("component").as_os_str().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("readable source");
            (room, relative, text)
        })
        .collect()
}

/// Every room named by a `crate::…` or `tamis::…` path in a text, `use` trees with braces included.
fn rooms_named(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, prefix) in text.match_indices("crate::").chain(text.match_indices("tamis::")) {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &text[at + prefix.len()..];
        if let Some(tree) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut name = String::new();
            let mut at_start = true;
            for c in tree.chars() {
                match c {
                    '{' => {
                        depth += 1;
                        at_start = false;
                    }
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        name.clear();
                        at_start = true;
                    }
                    c if depth == 0 && at_start && (c.is_alphanumeric() || c == '_') => name.push(c),
                    c if depth == 0 && at_start && !c.is_whitespace() => {
                        at_start = false;
                    }
                    _ => {}
                }
                if depth == 0 && !at_start && !name.is_empty() {
                    found.push(std::mem::take(&mut name));
                }
            }
            if !name.is_empty() {
                found.push(name);
            }
        } else {
            found.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    found
}

#[test]
fn imports_go_down_only() {
    let table = allowed();
    let mut broken = Vec::new();
    for (room, path, text) in source_files() {
        if room.ends_with(".rs") {
            continue;
        }
        let may_see = table.get(room.as_str()).unwrap_or_else(|| panic!("room {room} is not in the table"));
        for named in rooms_named(&text) {
            let fine =
                named == room || named == "model" || may_see.contains(&named.as_str()) || !table.contains_key(named.as_str());
            if !fine {
                broken.push(format!("{}: {room} must not see {named}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_inline_braced_and_re_exported_ones() {
    let text = "use crate::{run::{Step, Gate}, rules}; fn f() { crate::lint::all() } pub use crate::files::read; $crate::text::x";
    assert_eq!(rooms_named(text), ["run", "rules", "lint", "files"]);
}

#[test]
fn every_room_says_what_lives_there_and_what_never_may() {
    for room in allowed().keys() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room).join("mod.rs");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.len() >= 3, "{room}/mod.rs opens with three lines or more");
        assert!(head[0].contains(&format!("`{room}`")), "{room}/mod.rs names its room first");
        assert!(head.iter().any(|line| line.contains("never")), "{room}/mod.rs says what never belongs there");
    }
}

#[test]
fn files_stay_readable_in_length() {
    for (_, path, text) in source_files() {
        let lines = text.lines().count();
        assert!(lines <= 800, "{} has {lines} lines", path.display());
    }
}
