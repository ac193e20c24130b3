//! The few sentences that settling itself adds to a findings file. The caller takes them from the catalogue of the
//! run's language (`settle-undecided`, `settle-stands`, `settle-quoted`), giving each variable its own name in braces
//! as its value; the default is English.

/// Sentences with places to fill in, written `{name}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// A question on findings that the arbiter could not place: `{findings}` are their keys.
    pub undecided: String,
    /// Why a finding was dropped: what it calls missing, `{thing}`, stands on line `{line}`.
    pub stands: String,
    /// Why a finding was dropped: another one, `{finding}`, quotes what it calls missing, `{thing}`.
    pub quoted: String,
}

impl Default for Wording {
    fn default() -> Wording {
        Wording {
            undecided: "Do the findings {findings} say the same, or do their suggestions exclude each other?".to_owned(),
            stands: "“{thing}” is not missing: it stands in the document at line {line}.".to_owned(),
            quoted: "“{thing}” is not missing: finding {finding} quotes it.".to_owned(),
        }
    }
}

/// A sentence with its places filled in.
pub fn fill(sentence: &str, values: &[(&str, &str)]) -> String {
    // One pass: a value may itself hold braces.
    let mut filled = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        let place = values.iter().find_map(|(name, value)| {
            let after = rest[open + 1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((*value, after))
        });
        match place {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = &rest[open + 1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once_and_unknown_ones_stay() {
        assert_eq!(fill("{a} and {b}, {c", &[("a", "{b}"), ("b", "2")]), "{b} and 2, {c");
        assert_eq!(fill("", &[]), "");
    }
}
