//! The variables of the environment that settings, keys and the way to a server are read from.

use secrecy::SecretString;
use std::fmt;
use std::sync::Arc;

/// Who reviews.
pub const AGENT: &str = "TAMIS_AGENT";
/// Theme of the workbench.
pub const THEME: &str = "TAMIS_THEME";
/// Language of findings.
pub const LANG: &str = "TAMIS_LANG";
/// Tokens of a run at most.
pub const MAX_TOKENS: &str = "TAMIS_MAX_TOKENS";
/// Money of a run at most.
pub const MAX_COST: &str = "TAMIS_MAX_COST";
/// Minutes of a run at most.
pub const MAX_MINUTES: &str = "TAMIS_MAX_MINUTES";

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Variables by name. A variable that is empty or blank counts as unset.
#[derive(Clone)]
pub struct Variables(Arc<Lookup>);

impl Variables {
    /// The variables of this process.
    pub fn read() -> Variables {
        Variables::of(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Variables from anywhere else.
    pub fn of(get: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Variables {
        Variables(Arc::new(get))
    }

    /// What a variable says, without the blanks around it.
    pub fn get(&self, name: &str) -> Option<String> {
        let value = (self.0)(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// What a variable says that holds a secret.
    pub fn secret(&self, name: &str) -> Option<SecretString> {
        self.get(name).map(SecretString::from)
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Variables(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    #[test]
    fn blank_variables_count_as_unset_and_none_is_printed() {
        let variables = Variables::of(|name| match name {
            "A" => Some(" word \n".to_owned()),
            "B" => Some(" \t".to_owned()),
            _ => None,
        });
        assert_eq!(variables.get("A").as_deref(), Some("word"));
        assert_eq!((variables.get("B"), variables.get("C")), (None, None));
        assert_eq!(variables.secret("A").expect("set").expose_secret(), "word");
        assert_eq!(format!("{variables:?}"), "Variables(..)");
    }
}
