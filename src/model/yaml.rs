//! Reading YAML that anybody may have written: typed, within budgets, every error with its place.
//!
//! Anchors, aliases, merge keys, tags, duplicate keys and several documents are refused, so that what a
//! person sees in the file is what is read.

use super::fault::{Fault, FaultKind};
use super::nearest::what_there_is;
use serde::de::DeserializeOwned;
use serde_yaml::{Error, Location, MergeKeyPolicy, Options, budget::BudgetBreach};

/// Bytes of a configuration, context or criteria file at most.
pub const CONFIG_BYTES: usize = 256 * 1024;
/// Bytes of a script of answers at most.
pub const SCRIPT_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a findings file, and of the decisions on one, at most.
pub const FINDINGS_BYTES: usize = 16 * 1024 * 1024;

/// A YAML text and where it came from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name for messages: the path as the user gave it.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// Kind of the faults it gives.
    pub kind: FaultKind,
    /// Bytes at most.
    pub max_bytes: usize,
}

impl<'a> Source<'a> {
    /// A configuration text: faults are of usage, and the cap is [`CONFIG_BYTES`].
    pub fn config(name: &'a str, text: &'a str) -> Source<'a> {
        Source { name, text, kind: FaultKind::Usage, max_bytes: CONFIG_BYTES }
    }

    /// Reads the text.
    ///
    /// # Errors
    /// A fault with `name:line:column` where the text is too long, is no YAML, uses what is refused here, or does not
    /// have the shape of `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        if self.text.len() > self.max_bytes {
            let what = format!("{}: {} bytes are more than the {} that are read", self.name, self.text.len(), self.max_bytes);
            return Err(Fault::new(self.kind, what, "shorten the file"));
        }
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(self.text);
        serde_yaml::from_str_with_options(text, self.options()).map_err(|error| self.explain(&error))
    }

    /// A fault at a place of this text.
    pub fn fault(&self, at: Location, what: impl std::fmt::Display, hint: impl Into<String>) -> Fault {
        let place =
            if at == Location::UNKNOWN { self.name.to_owned() } else { format!("{}:{}:{}", self.name, at.line(), at.column()) };
        Fault::new(self.kind, format!("{place}: {what}"), hint)
    }

    fn options(&self) -> Options {
        serde_yaml::options! {
            budget: serde_yaml::budget! {
                max_aliases: 0,
                max_anchors: 0,
                max_documents: 1,
                max_depth: 32,
                // A node takes two bytes or more; the cap on bytes is the real limit.
                max_nodes: self.max_bytes / 2,
                max_events: self.max_bytes,
                max_total_scalar_bytes: self.max_bytes,
            },
            merge_keys: MergeKeyPolicy::Error,
            reject_unsupported_tags: true,
            // `no` and `1_000` are words and `007` is an id, also where the type is open.
            strict_booleans: true,
            underscored_numbers_as_strings: true,
            leading_zero_numbers_as_strings: true,
            non_finite_float_policy: serde_yaml::NonFiniteFloatPolicy::AsString,
            emit_comments: false,
            with_snippet: false,
        }
    }

    fn explain(&self, error: &Error) -> Fault {
        let error = error.without_snippet();
        let at = error.location().unwrap_or(Location::UNKNOWN);
        let (what, hint) = match error {
            Error::SerdeUnknownField { field, expected, .. } => {
                (format!("unknown key `{field}`"), what_there_is(field, expected.iter().copied()))
            }
            Error::SerdeUnknownVariant { variant, expected, .. } => {
                (format!("unknown value `{variant}`"), what_there_is(variant, expected.iter().copied()))
            }
            Error::SerdeMissingField { field, .. } => (format!("the key `{field}` is missing"), format!("add `{field}:`")),
            Error::DuplicateMappingKey { key, .. } => {
                let name = key.as_deref().map_or(String::new(), |key| format!(" `{key}`"));
                (format!("the key{name} stands here a second time"), "keep one of them".to_owned())
            }
            Error::NullIntoString { .. } => {
                ("a text is missing here".to_owned(), "write it, or \"\" for an empty one".to_owned())
            }
            Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. }
            | Error::UnknownAnchor { .. } => {
                ("anchors and aliases (`&name`, `*name`) are not read".to_owned(), "write the value out, or in quotes".to_owned())
            }
            Error::Budget { breach: BudgetBreach::Documents { .. }, .. } | Error::MultipleDocuments { .. } => {
                ("a second document begins here".to_owned(), "keep one document in the file".to_owned())
            }
            Error::Budget { .. } => ("nested too deeply, or too much in one file".to_owned(), "simplify the file".to_owned()),
            Error::MergeKeyNotAllowed { .. } => ("merge keys (`<<`) are not read".to_owned(), "write the keys out".to_owned()),
            other => (without_place(&other.to_string()), String::new()),
        };
        self.fault(at, what, hint)
    }
}

/// The crate's messages end with their place, which stands in front of ours already.
fn without_place(message: &str) -> String {
    match message.rfind(" at line ") {
        Some(at) => message[..at].to_owned(),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        name: String,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        list: Vec<String>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        NeedsDiscussion,
        Pending,
    }

    fn read(text: &str) -> Result<Sample, Fault> {
        Source::config("a.yaml", text).read()
    }

    fn refused(text: &str) -> (String, String) {
        let fault = read(text).expect_err(text);
        assert_eq!(fault.kind, FaultKind::Usage);
        (fault.what, fault.hint)
    }

    #[test]
    fn texts_are_read_as_written() {
        let sample = read("\u{feff}name: 1.10\nlist: [no, 007, 2024-01-01, ~x]\n").expect("reads");
        assert_eq!(sample.name, "1.10");
        assert_eq!(sample.list, ["no", "007", "2024-01-01", "~x"]);
    }

    #[test]
    fn every_error_has_its_place_and_the_nearest_name() {
        let (what, hint) = refused("name: a\nlsit: []\n");
        assert_eq!(what, "a.yaml:2:1: unknown key `lsit`");
        assert!(hint.starts_with("did you mean `list`?"), "{hint}");
        let (what, hint) = refused("name: a\nkind: needs-discussion\n");
        assert_eq!(what, "a.yaml:2:7: unknown value `needs-discussion`");
        assert!(hint.starts_with("did you mean `needs_discussion`?"), "{hint}");
        assert_eq!(refused("list: []\n").0, "a.yaml:1:1: the key `name` is missing");
        assert_eq!(refused("name: a\nname: b\n").0, "a.yaml:2:1: the key `name` stands here a second time");
        assert_eq!(refused("name:\n").0, "a.yaml:1:5: a text is missing here");
        assert!(refused("name: [a]\n").0.starts_with("a.yaml:1:7: "));
        assert!(refused("name: 'a\n").0.starts_with("a.yaml:1:7: unclosed quote"));
    }

    #[test]
    fn what_would_hide_or_multiply_content_is_refused() {
        let laughs = "list: &a [x, x]\nname: *a\n";
        assert!(refused(laughs).0.contains("anchors and aliases"));
        assert!(refused("name: *q\n").0.contains("anchors and aliases"));
        assert!(refused("name: a\n<<: {list: []}\n").0.contains("merge keys"));
        assert!(refused("name: a\n---\nname: b\n").0.contains("a second document"));
        assert!(refused("name: !!python/object a\n").0.contains("tag"));
        let deep = format!("name: a\nlist: {}", "[".repeat(100_000));
        assert!(refused(&deep).0.starts_with("a.yaml:"));
        let long = format!("name: {}", "x".repeat(CONFIG_BYTES));
        assert!(refused(&long).0.contains("are more than the"));
    }
}
