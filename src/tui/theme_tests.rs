//! Tests of themes.

use super::*;
use crate::model::fault::FaultKind;
use crate::tui::colours::{READABLE, contrast, linear};
use crate::tui::picture::{DARK, LIGHT, Palette};
use std::collections::BTreeSet;
use std::fs;

/// Built-in themes that bring their own colours.
const OWN: [&str; 4] = ["dark", "light", "high-contrast", "colour-blind"];

fn load(name: &str) -> Theme {
    Theme::load(name, None).unwrap_or_else(|fault| panic!("{}: {}", fault.what, fault.hint))
}

/// Every pair of letters and ground that a role may show: on its own ground, else on that of the screen and of fields.
fn pairs(theme: &Theme) -> Vec<(Role, Rgb, Rgb)> {
    let ground = |role: Role| theme.style(role).bg.and_then(rgb);
    let common: Vec<Rgb> = [Role::Text, Role::Field, Role::FieldFocus].into_iter().filter_map(ground).collect();
    let text = theme.style(Role::Text).fg.and_then(rgb).expect("a text colour of its own");
    let mut out = Vec::new();
    for &role in Role::ALL {
        let letters = theme.style(role).fg.and_then(rgb).unwrap_or(text);
        match ground(role) {
            Some(own) if role != Role::Text => out.push((role, letters, own)),
            _ => out.extend(common.iter().map(|&ground| (role, letters, ground))),
        }
    }
    out
}

#[test]
fn every_pair_of_colours_is_readable_at_every_depth() {
    for name in OWN {
        let least = if name == "high-contrast" { 7.0 } else { READABLE };
        for (depth, least) in [(Depth::Full, least), (Depth::TwoFiftySix, READABLE), (Depth::Sixteen, READABLE)] {
            for (role, letters, ground) in pairs(&load(name).in_depth(depth)) {
                let found = contrast(letters, ground);
                assert!(found >= least, "{name} {depth:?} {role:?}: {letters:?} on {ground:?} is {found:.2} to 1");
            }
        }
    }
}

#[test]
fn themes_with_their_own_colours_leave_nothing_to_the_terminal() {
    for name in OWN {
        let theme = load(name);
        for &role in Role::ALL {
            let style = theme.style(role);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(matches!(color, Color::Rgb(..)), "{name} {role:?}: {color:?}");
            }
            assert!(!style.add_modifier.contains(Modifier::DIM), "{name} {role:?}: how dim is up to the terminal");
        }
        assert!(theme.style(Role::Text).bg.is_some() && theme.style(Role::Text).fg.is_some());
    }
}

#[test]
fn the_default_theme_is_the_terminals_own() {
    let theme = load(DEFAULT);
    assert_eq!(theme.name(), "terminal");
    assert_eq!(theme.style(Role::Text), Style::new().fg(Color::Reset));
    let vanishing = [Color::White, Color::Black, Color::Gray, Color::DarkGray, Color::Yellow, Color::Blue];
    for &role in Role::ALL {
        let style = theme.style(role);
        assert_eq!(style.bg, None, "{role:?}");
        let fine =
            style.fg.is_none_or(|color| color == Color::Reset || (number_of(color).is_some() && !vanishing.contains(&color)));
        assert!(fine, "{role:?}: {:?}", style.fg);
        for palette in [&DARK, &LIGHT] {
            let Palette { colours, text, ground } = palette;
            let letters = style.fg.and_then(number_of).map_or(*text, |number| colours[number]);
            assert!(contrast(letters, *ground) >= READABLE, "{role:?} on {ground:?}: {:.2}", contrast(letters, *ground));
        }
    }
    assert_eq!(load(DEFAULT).in_256(), theme, "nothing to map");
    assert_eq!(load(DEFAULT).in_16(), theme);
}

#[test]
fn no_theme_is_told_by_colour_alone_where_it_matters() {
    for name in Theme::names(None) {
        let theme = load(&name);
        assert!(theme.style(Role::Selected).add_modifier.contains(Modifier::REVERSED), "{name}");
        assert_eq!((theme.style(Role::Selected).fg, theme.style(Role::Selected).bg), (None, None), "{name}");
        assert!(theme.style(Role::Caret).add_modifier.contains(Modifier::REVERSED), "{name}");
        let looks: BTreeSet<String> =
            [Role::Critical, Role::Major, Role::Minor].map(|role| format!("{:?}", theme.style(role))).into();
        assert_eq!(looks.len(), 3, "{name}");
    }
}

#[test]
fn without_colours_marks_still_tell_roles_apart() {
    for name in Theme::names(None) {
        let theme = load(&name).in_depth(Depth::None);
        for &role in Role::ALL {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg), (Some(Color::Reset), Some(Color::Reset)), "{name} {role:?}");
        }
        let marks = |role: Role| theme.style(role).add_modifier;
        let different = [
            [Role::Text, Role::Selected],
            [Role::Text, Role::Chosen],
            [Role::Selected, Role::Chosen],
            [Role::Text, Role::Added],
            [Role::Text, Role::Removed],
            [Role::Added, Role::Removed],
            [Role::Border, Role::BorderFocus],
            [Role::Field, Role::FieldFocus],
            [Role::Text, Role::NeedsYou],
            [Role::Running, Role::Waiting],
            [Role::Done, Role::Failed],
            [Role::Critical, Role::Major],
            [Role::Major, Role::Minor],
            [Role::Dry, Role::Wet],
            [Role::Text, Role::Error],
            [Role::Text, Role::Search],
            [Role::Text, Role::Caret],
            [Role::Key, Role::Hint],
        ];
        for [a, b] in different {
            assert_ne!(marks(a), marks(b), "{name}: {a:?} and {b:?}");
        }
    }
}

#[test]
fn a_terminal_without_true_colour_gets_none() {
    for name in OWN {
        for (depth, allowed) in [(Depth::TwoFiftySix, 16..=255), (Depth::Sixteen, 0..=15)] {
            let theme = load(name).in_depth(depth);
            for &role in Role::ALL {
                for color in [theme.style(role).fg, theme.style(role).bg].into_iter().flatten() {
                    let number = match color {
                        Color::Indexed(number) => usize::from(number),
                        named => number_of(named).unwrap_or(usize::MAX),
                    };
                    assert!(allowed.contains(&number), "{name} {depth:?} {role:?}: {color:?}");
                }
            }
        }
    }
}

#[test]
fn the_depth_follows_the_environment() {
    for (no_color, colorterm, term, expected) in [
        (Some("1"), Some("truecolor"), Some("xterm-256color"), Depth::None),
        (Some(""), Some("truecolor"), Some("xterm-256color"), Depth::Full),
        (None, Some("24bit"), Some("screen"), Depth::Full),
        (None, None, Some("xterm-direct"), Depth::Full),
        (None, None, Some("xterm-256color"), Depth::TwoFiftySix),
        (None, Some("yes"), Some("alacritty"), Depth::TwoFiftySix),
        (None, None, Some("linux"), Depth::Sixteen),
        (None, None, Some("vt220"), Depth::Sixteen),
        (None, None, None, Depth::Sixteen),
        (None, Some("truecolor"), Some("dumb"), Depth::None),
    ] {
        assert_eq!(Depth::choose(no_color, colorterm, term), expected, "{no_color:?} {colorterm:?} {term:?}");
    }
}

/// A colour as somebody sees it whose eyes lack one kind of cone (Machado, Oliveira, Fernandes 2009, severity 1).
fn seen(rgb: Rgb, matrix: [[f64; 3]; 3]) -> [f64; 3] {
    let light = rgb.map(linear);
    matrix.map(|row| row.iter().zip(light).map(|(weight, part)| weight * part).sum::<f64>().clamp(0.0, 1.0))
}

/// CIE L*a*b* of linear sRGB under D65.
fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
    let y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    let z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn red_green_blind_eyes_tell_opposites_apart() {
    let protanopia = [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
    let deuteranopia =
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
    let apart = |theme: &Theme, a: Role, b: Role, matrix| {
        let lab_of = |role: Role| lab(seen(theme.style(role).fg.and_then(rgb).expect("a colour"), matrix));
        let (a, b) = (lab_of(a), lab_of(b));
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    };
    let opposites = [
        (Role::Added, Role::Removed),
        (Role::Done, Role::Failed),
        (Role::Dry, Role::Wet),
        (Role::Running, Role::Failed),
        (Role::Chosen, Role::NeedsYou),
        (Role::Notice, Role::Error),
        (Role::Critical, Role::Minor),
    ];
    let theme = load("colour-blind");
    for matrix in [protanopia, deuteranopia] {
        for (a, b) in opposites {
            let distance = apart(&theme, a, b, matrix);
            assert!(distance >= 35.0, "{a:?} and {b:?} are {distance:.0} apart");
        }
    }
    // The measure sees what it is for: red and green of equal lightness fall together.
    let naive = Theme::new("naive".into(), |role| {
        Style::new().fg(if role == Role::Added { Color::Rgb(95, 150, 60) } else { Color::Rgb(190, 115, 60) })
    });
    assert!(apart(&naive, Role::Added, Role::Removed, deuteranopia) < 35.0);
}

fn refused(text: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("mine.yaml");
    fs::write(&path, text).expect("written");
    let fault = Theme::load(&path.display().to_string(), None).expect_err(text);
    assert_eq!(fault.kind, FaultKind::Usage, "{}", fault.what);
    (fault.what.replace(&format!("{}/", folder.path().display()), ""), fault.hint)
}

const HEAD: &str = "schema: tamis.theme/1\nname: mine\nbackground: none\ntext: default\n";

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_place() {
    for (text, what, hint) in [
        (format!("{HEAD}roles:\n  titel: {{fg: red}}\n"), "mine.yaml:6:3: unknown value `titel`", "did you mean `title`?"),
        (format!("{HEAD}roles:\n  title: {{fg: rde}}\n"), "mine.yaml:6:15: unknown colour `rde`", "did you mean `red`?"),
        (format!("{HEAD}roles:\n  title: {{fg: \"#12345\"}}\n"), "mine.yaml:6:15: unknown colour `#12345`", "there is: black"),
        (format!("{HEAD}roles:\n  title:\n    fg: #ff0000\n"), "mine.yaml:7:", "write `\"#rrggbb\"` with its quotes"),
        (format!("{HEAD}roles:\n  title: {{blod: true}}\n"), "mine.yaml:6:11: unknown key `blod`", "did you mean `bold`?"),
        (format!("{HEAD}roles:\n  title: {{bold: 7}}\n"), "mine.yaml:6:17: ", ""),
        (format!("{HEAD}rolls: {{}}\n"), "mine.yaml:5:1: unknown key `rolls`", "did you mean `roles`?"),
        (HEAD.replace("none", "blue"), "mine.yaml:3:13: the background is `blue`", "write `none`"),
        (HEAD.replace("theme/1", "theme/2"), "mine.yaml:1:9: the format is `tamis.theme/2`", "write `schema: tamis.theme/1`"),
        (HEAD.replace("mine", "\"\""), "mine.yaml:2:7: the theme's name is empty", "give it"),
        (HEAD.replace("text: default\n", ""), "mine.yaml:3:1: the key `text` is missing", "add `text:`"),
        (String::new(), "mine.yaml", ""),
        ("name: [".to_owned(), "mine.yaml:", ""),
    ] {
        let (found, advice) = refused(&text);
        assert!(found.starts_with(what), "{text}\n{found}");
        assert!(advice.starts_with(hint), "{text}\n{advice}");
    }
}

#[test]
fn a_role_that_a_file_does_not_name_keeps_its_marks() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("mine.yml");
    fs::write(&path, "schema: tamis.theme/1\nname: mine\nbackground: \"#101010\"\ntext: light-cyan\nroles:\n  done: {fg: \"#00ff00\", bg: default, italic: true}\n").expect("written");
    let theme = Theme::load(&path.display().to_string(), None).expect("loads");
    assert_eq!(theme.style(Role::Text), Style::new().fg(Color::LightCyan).bg(Color::Rgb(16, 16, 16)));
    assert_eq!(theme.style(Role::Selected), Style::new().add_modifier(Modifier::REVERSED));
    assert_eq!(theme.style(Role::Done), Style::new().fg(Color::Rgb(0, 255, 0)).bg(Color::Reset).add_modifier(Modifier::ITALIC));
}

#[test]
fn the_users_own_file_comes_before_the_built_in_one() {
    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("dark.yaml"), HEAD.replace("mine", "dark")).expect("written");
    fs::write(folder.path().join("mine.yml"), HEAD).expect("written");
    fs::write(folder.path().join("other.yaml"), HEAD).expect("written");
    fs::write(folder.path().join("note.txt"), "no theme").expect("written");
    let own = Some(folder.path());
    assert_eq!(Theme::load("dark", own).expect("loads").style(Role::Title).fg, None);
    assert!(Theme::load("dark", None).expect("loads").style(Role::Title).fg.is_some());
    assert_eq!(Theme::load("mine", own).expect("loads").name(), "mine");
    assert_eq!(Theme::names(own), ["terminal", "dark", "light", "high-contrast", "colour-blind", "mine", "other"]);
    assert!(
        Theme::load("other", own).expect_err("another name").what.ends_with("the theme calls itself `mine`, the file `other`")
    );
    let fault = Theme::load("drak", own).expect_err("unknown");
    assert_eq!((fault.kind, fault.what.as_str()), (FaultKind::Usage, "no theme is named `drak`"));
    assert_eq!(
        fault.hint,
        "did you mean `dark`? There is: terminal, dark, light, high-contrast, colour-blind, mine, other; a path to a theme file works too"
    );
    let absent = folder.path().join("none.yaml").display().to_string();
    assert_eq!(Theme::load(&absent, own).expect_err("absent").kind, FaultKind::Io);
}
