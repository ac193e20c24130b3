//! Keys by name: `a`, `X`, `ctrl-l`, `f2`, `enter`. The command table, the footer and the README speak these names.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// The name of a key press; `None` for releases and keys that have none here.
///
/// Ctrl-H is the backspace of many terminals and input methods and is never anything else. Full-width letters, as Chinese
/// and Vietnamese input methods type them, are the plain ones.
pub fn name(key: &KeyEvent) -> Option<String> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let base = match key.code {
        KeyCode::Char('h') if control => return Some("backspace".to_owned()),
        KeyCode::Char(c) if plain(c) == ' ' => "space".to_owned(),
        KeyCode::Char(c) => {
            let c = plain(c);
            if c.is_control() {
                return None;
            }
            if control { c.to_ascii_lowercase().to_string() } else { c.to_string() }
        }
        KeyCode::Enter => "enter".to_owned(),
        KeyCode::Esc => "esc".to_owned(),
        KeyCode::Tab => "tab".to_owned(),
        KeyCode::BackTab => return Some("shift-tab".to_owned()),
        KeyCode::Backspace => "backspace".to_owned(),
        KeyCode::Delete => "delete".to_owned(),
        KeyCode::Up => "up".to_owned(),
        KeyCode::Down => "down".to_owned(),
        KeyCode::Left => "left".to_owned(),
        KeyCode::Right => "right".to_owned(),
        KeyCode::Home => "home".to_owned(),
        KeyCode::End => "end".to_owned(),
        KeyCode::PageUp => "pageup".to_owned(),
        KeyCode::PageDown => "pagedown".to_owned(),
        KeyCode::F(number) => format!("f{number}"),
        _ => return None,
    };
    let prefix = match (control, alt) {
        (true, true) => "ctrl-alt-",
        (true, false) => "ctrl-",
        (false, true) => "alt-",
        (false, false) => "",
    };
    Some(format!("{prefix}{base}"))
}

/// A letter or sign without the width of East Asian keyboards.
fn plain(c: char) -> char {
    match c as u32 {
        full @ 0xff01..=0xff5e => char::from_u32(full - 0xfee0).unwrap_or(c),
        0x3000 => ' ',
        _ => c,
    }
}

/// How a key is written for people.
pub fn shown(name: &str) -> String {
    match name {
        "enter" => "Enter".into(),
        "esc" => "Esc".into(),
        "space" => "Space".into(),
        "tab" => "Tab".into(),
        "shift-tab" => "Shift-Tab".into(),
        "backspace" => "Backspace".into(),
        "up" => "Up".into(),
        "down" => "Down".into(),
        "left" => "Left".into(),
        "right" => "Right".into(),
        "home" => "Home".into(),
        "end" => "End".into(),
        "pageup" => "PgUp".into(),
        "pagedown" => "PgDn".into(),
        _ => match name.split_once('-') {
            Some((modifier @ ("ctrl" | "alt"), rest)) if !rest.is_empty() => {
                let modifier = if modifier == "ctrl" { "Ctrl" } else { "Alt" };
                format!("{modifier}-{}", rest.to_uppercase())
            }
            _ if name.len() > 1 && name.starts_with('f') => name.to_uppercase(),
            _ => name.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<String> {
        name(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn keys_have_one_name_each() {
        let none = KeyModifiers::NONE;
        for (code, modifiers, expected) in [
            (KeyCode::Char('a'), none, "a"),
            (KeyCode::Char('A'), KeyModifiers::SHIFT, "A"),
            (KeyCode::Char('L'), KeyModifiers::CONTROL, "ctrl-l"),
            (KeyCode::Char('h'), KeyModifiers::CONTROL, "backspace"),
            (KeyCode::Char('j'), KeyModifiers::CONTROL, "ctrl-j"),
            (KeyCode::Char('ｑ'), none, "q"),
            (KeyCode::Char('？'), none, "?"),
            (KeyCode::Char('\u{3000}'), none, "space"),
            (KeyCode::F(2), none, "f2"),
            (KeyCode::Enter, KeyModifiers::ALT, "alt-enter"),
            (KeyCode::BackTab, KeyModifiers::SHIFT, "shift-tab"),
        ] {
            assert_eq!(press(code, modifiers).as_deref(), Some(expected));
        }
        let release = KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::new(KeyCode::Char('a'), none) };
        assert_eq!(name(&release), None);
        assert_eq!(press(KeyCode::Char('\u{1b}'), none), None);
    }

    #[test]
    fn keys_are_written_as_people_know_them() {
        for (name, expected) in [("ctrl-l", "Ctrl-L"), ("f10", "F10"), ("f", "f"), ("-", "-"), ("pagedown", "PgDn"), ("X", "X")] {
            assert_eq!(shown(name), expected);
        }
    }
}
