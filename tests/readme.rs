//! The README: its key reference is made of the table that keys are dispatched by, and the pictures that it shows are there.

use std::fs;
use std::path::Path;
use tamis::config::agents::Keys;
use tamis::config::settings::{Flags, Settings};
use tamis::config::variables::Variables;
use tamis::model::lang::Lang;
use tamis::text::Catalogue;
use tamis::tui::commands::reference;

const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- /keys -->";

/// What people copy from the README are settings that can be used.
#[test]
fn the_settings_in_the_readme_can_be_copied() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let (_, rest) = readme.split_once("```yaml\nagents:").expect("settings");
    let text = format!("agents:{}", rest.split_once("```").expect("an end").0);
    let variables = Variables::of(|_| None);
    let settings =
        Settings::of("README.md", &text, Path::new("README.md"), &variables, &Flags::default()).expect("they are read");
    let seats = settings.take_seats(&variables, Keys::NotNeeded).expect("they can be taken");
    assert!(seats.named().iter().all(|(_, spec)| spec.endpoint().is_some_and(|endpoint| endpoint.prices.is_some())));
}

/// One test: the first half may write what the second reads.
#[test]
fn keys_are_those_of_the_table_and_every_picture_is_there() {
    keys();
    pictures();
}

fn keys() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = fs::read_to_string(path).expect("README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("a line <!-- keys -->");
    let (_, after) = rest.split_once(END).expect("a line <!-- /keys -->");
    let keys = reference(&Catalogue::new(Lang::En));
    let expected = format!("{before}{BEGIN}{keys}\n{END}{after}");
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(path, &expected).expect("README.md is written");
    } else {
        assert!(readme == expected, "the keys have changed: UPDATE_README=1 cargo test --test readme");
    }
}

fn pictures() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let readme = fs::read_to_string(format!("{root}README.md")).expect("README.md");
    let shown: Vec<&str> =
        readme.split("](screenshots/").skip(1).filter_map(|rest| rest.split_once(')')).map(|(name, _)| name).collect();
    assert!(shown.len() >= 6, "{shown:?}");
    for name in shown {
        assert!(fs::exists(format!("{root}screenshots/{name}")).expect("readable"), "screenshots/{name}");
    }
}
