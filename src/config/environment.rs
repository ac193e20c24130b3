//! What the environment says about the terminal and the person at it, read once.

/// The variables that the workbench heeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `TERM`.
    pub term: Option<String>,
    /// `NO_COLOR` is set to anything but nothing, or `CLICOLOR` to 0.
    pub no_color: bool,
    /// `COLORTERM` says that the terminal shows 24-bit colours.
    pub truecolor: bool,
    /// `LC_ALL`, `LC_CTYPE` and `LANG`.
    pub locale: [Option<String>; 3],
    /// `VISUAL`.
    pub visual: Option<String>,
    /// `EDITOR`.
    pub editor: Option<String>,
    /// Whether tmux stands between (`TMUX`).
    pub tmux: bool,
    /// The person's name (`USER`, else `LOGNAME`), else `person`.
    pub user: String,
}

impl Environment {
    /// The environment of this process.
    pub fn read() -> Environment {
        Environment::of(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    fn of(get: impl Fn(&str) -> Option<String>) -> Environment {
        let set = |name: &str| get(name).filter(|value| !value.trim().is_empty());
        let truecolor = set("COLORTERM").is_some_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
        Environment {
            term: set("TERM"),
            no_color: set("NO_COLOR").is_some() || get("CLICOLOR").as_deref() == Some("0"),
            truecolor,
            locale: [set("LC_ALL"), set("LC_CTYPE"), set("LANG")],
            visual: set("VISUAL"),
            editor: set("EDITOR"),
            tmux: set("TMUX").is_some(),
            user: set("USER").or_else(|| set("LOGNAME")).unwrap_or_else(|| "person".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_variables_count_as_unset() {
        let environment = Environment::of(|name| match name {
            "NO_COLOR" | "VISUAL" | "USER" => Some(String::new()),
            "EDITOR" => Some("vi".to_owned()),
            "LOGNAME" => Some("lan".to_owned()),
            "COLORTERM" => Some("truecolor".to_owned()),
            _ => None,
        });
        assert!(!environment.no_color && environment.truecolor && !environment.tmux);
        assert_eq!((environment.visual, environment.editor.as_deref()), (None, Some("vi")));
        assert_eq!(environment.user, "lan");
    }
}
