//! Draws the pictures in `screenshots/`: the bundled reviews with their councils, keys as a person presses them, the real
//! screens. `cargo run --release --locked --example screenshots`; with `--check` nothing is written, and what is out of date
//! is named. No clock is read: the same code draws the same bytes.

#[path = "../../tests/common/mod.rs"]
mod common;
mod gallery;
mod scene;
#[path = "../../tests/workbench/stage.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod stage;

use gallery::{Picture, gallery};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Turns a picture into pixels; of Debian's `librsvg2-bin`.
const CONVERTER: &str = "rsvg-convert";
/// Makes pixels small: 64 colours are more than a screen has.
const REDUCER: &str = "pngquant";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => draw(&folder),
        ["--check"] => check(&folder),
        _ => Err(io::Error::other("the only argument is --check")),
    };
    match done {
        Ok(lines) => say(&lines, true),
        Err(error) => say(&[error.to_string()], false),
    }
}

fn say(lines: &[String], well: bool) -> ExitCode {
    let told = lines.iter().try_for_each(|line| writeln!(io::stderr(), "{line}"));
    if well && told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The pictures by the names of their files.
fn files(pictures: &[Picture]) -> BTreeMap<String, String> {
    pictures.iter().map(|picture| (format!("{}.svg", picture.name), picture.svg.clone())).collect()
}

/// Writes all pictures and removes those that are not drawn any more.
fn draw(folder: &Path) -> io::Result<Vec<String>> {
    let pictures = gallery();
    fs::create_dir_all(folder)?;
    let files = files(&pictures);
    for (name, svg) in &files {
        fs::write(folder.join(name), svg)?;
    }
    let mut lines = vec![format!("{} pictures in {}", files.len(), folder.display())];
    let pngs: BTreeSet<String> = pictures.iter().filter(|picture| picture.png).map(|picture| png(picture.name)).collect();
    for name in there(folder)?.into_iter().filter(|name| !files.contains_key(name) && !pngs.contains(name)) {
        fs::remove_file(folder.join(&name))?;
        lines.push(format!("removed {name}"));
    }
    lines.extend(pixels(folder, &pngs)?);
    Ok(lines)
}

/// Makes the PNGs of pictures that are drawn; says which tool was not there.
fn pixels(folder: &Path, pngs: &BTreeSet<String>) -> io::Result<Option<String>> {
    let mut large = false;
    for name in pngs {
        let (from, to) = (folder.join(name).with_extension("svg"), folder.join(name));
        if !run(Command::new(CONVERTER).arg(from).arg("--output").arg(&to))? {
            return Ok(Some(format!("{CONVERTER} is not there, so the PNGs stay as they are (apt-get install librsvg2-bin)")));
        }
        large |= !run(Command::new(REDUCER).args(["--force", "--ext", ".png", "--strip", "--speed", "1", "64"]).arg(&to))?;
    }
    Ok(large.then(|| format!("{REDUCER} is not there, so the PNGs are large (apt-get install pngquant)")))
}

/// Runs a tool; `false` where it is not there.
fn run(command: &mut Command) -> io::Result<bool> {
    match command.status() {
        Ok(status) if status.success() => Ok(true),
        Ok(status) => Err(io::Error::other(format!("{command:?}: {status}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Compares what is there with what would be drawn: letter by letter, PNGs by their size.
fn check(folder: &Path) -> io::Result<Vec<String>> {
    let pictures = gallery();
    let mut files = files(&pictures);
    let mut wrong = Vec::new();
    for picture in pictures.iter().filter(|picture| picture.png) {
        let name = png(picture.name);
        let size = fs::read(folder.join(&name)).ok().and_then(|bytes| png_size(&bytes));
        if size != Some(picture.pixels) {
            wrong.push(format!("{name} is not a picture of {} x {} pixels", picture.pixels.0, picture.pixels.1));
        }
        files.insert(name, String::new());
    }
    for name in there(folder)? {
        match files.remove(&name) {
            None => wrong.push(format!("{name} is drawn by nobody")),
            Some(svg) if name.ends_with(".svg") && fs::read_to_string(folder.join(&name))? != svg => {
                wrong.push(format!("{name} is out of date"));
            }
            Some(_) => {}
        }
    }
    wrong.extend(files.keys().map(|name| format!("{name} is missing")));
    if wrong.is_empty() {
        return Ok(vec![format!("{} pictures are up to date", pictures.len())]);
    }
    wrong.push("draw them again: cargo run --release --locked --example screenshots".to_owned());
    Err(io::Error::other(wrong.join("\n")))
}

fn png(name: &str) -> String {
    format!("{name}.png")
}

/// Names of the pictures in a folder.
fn there(folder: &Path) -> io::Result<BTreeSet<String>> {
    let paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    let is_picture = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "svg" || kind == "png");
    let name = |path: PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(paths.into_iter().filter(is_picture).filter_map(name).collect())
}

/// Width and height in pixels, of the header that every PNG begins with.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    Some((number(0)?, number(4)?))
}
