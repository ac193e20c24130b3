//! The slim context: what a project says about its words, entities, layers and domains.

use super::origin::{Origin, read_text};
use crate::model::context::{BannedTerm, SlimContext};
use crate::model::fault::Fault;
use crate::model::yaml::Source;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use std::fmt;
use std::path::{Path, PathBuf};

/// Name of the file that is taken where it lies beside the document.
pub const FILE_NAME: &str = "context.yaml";

/// The context in force: the given file, or `context.yaml` beside the document, or none.
///
/// # Errors
/// As [`parse`], and an input fault where the file cannot be read; one beside the document may be absent.
pub fn find(given: Option<&Path>, document: &Path) -> Result<Option<(SlimContext, Origin, String)>, Fault> {
    match (given, beside(document)) {
        (Some(path), _) => load(Origin::Given(path.to_owned()), path).map(Some),
        (None, Some(path)) => load(Origin::Beside(path.clone()), &path).map(Some),
        (None, None) => Ok(None),
    }
}

/// The `context.yaml` beside a document, where there is one.
fn beside(document: &Path) -> Option<PathBuf> {
    let path = document.parent()?.join(FILE_NAME);
    path.is_file().then_some(path)
}

fn load(origin: Origin, path: &Path) -> Result<(SlimContext, Origin, String), Fault> {
    let text = read_text(path)?;
    let context = parse(&path.display().to_string(), &text)?;
    Ok((context, origin, text))
}

/// Reads a context text; `name` stands in messages.
///
/// `banned_terms` is a map of term to what to write instead, a list of terms, or a list of `{term, instead}`.
///
/// # Errors
/// A usage fault with file, line and column: an unknown key (with the nearest one), a wrong shape, anchors or aliases.
pub fn parse(name: &str, text: &str) -> Result<SlimContext, Fault> {
    let file: File = Source::config(name, text).read()?;
    Ok(SlimContext {
        banned_terms: file.banned_terms.0,
        canonical_entities: words(file.canonical_entities),
        layer_order: words(file.layer_order),
        domains: words(file.domains),
        agent_mode: file.agent_mode.unwrap_or(false),
    })
}

fn words(list: Option<Vec<String>>) -> Vec<String> {
    let trimmed = list.unwrap_or_default().into_iter().map(|word| word.trim().to_owned());
    trimmed.filter(|word| !word.is_empty()).collect()
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    banned_terms: Banned,
    #[serde(default)]
    canonical_entities: Option<Vec<String>>,
    #[serde(default)]
    layer_order: Option<Vec<String>>,
    #[serde(default)]
    domains: Option<Vec<String>>,
    #[serde(default, rename = "_agent_mode")]
    agent_mode: Option<bool>,
}

/// Banned terms in any of their three forms; not said is none.
#[derive(Default)]
struct Banned(Vec<BannedTerm>);

impl<'de> Deserialize<'de> for Banned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Banned, D::Error> {
        deserializer.deserialize_any(BannedVisitor)
    }
}

struct BannedVisitor;

impl<'de> Visitor<'de> for BannedVisitor {
    type Value = Banned;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of term to what to write instead, or a list of terms")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Banned, E> {
        Ok(Banned::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Banned, A::Error> {
        let mut terms = Vec::new();
        while let Some((term, instead)) = map.next_entry::<String, Option<String>>()? {
            terms.push(banned(term, instead)?);
        }
        Ok(Banned(terms))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Banned, A::Error> {
        let mut terms = Vec::new();
        while let Some(Entry(term)) = list.next_element()? {
            terms.push(term);
        }
        Ok(Banned(terms))
    }
}

/// One element of a list of banned terms.
struct Entry(BannedTerm);

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a term (in quotes, where it looks like a number), or `term` with `instead`")
    }

    fn visit_str<E: de::Error>(self, term: &str) -> Result<Entry, E> {
        banned(term.to_owned(), None).map(Entry)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let full = FullEntry::deserialize(MapAccessDeserializer::new(map))?;
        banned(full.term, full.instead).map(Entry)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FullEntry {
    term: String,
    #[serde(default)]
    instead: Option<String>,
}

fn banned<E: de::Error>(term: String, instead: Option<String>) -> Result<BannedTerm, E> {
    let term = term.trim().to_owned();
    if term.is_empty() {
        return Err(E::custom("a banned term has no letters"));
    }
    Ok(BannedTerm { term, instead: instead.unwrap_or_default().trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fault::FaultKind;
    use proptest::prelude::*;

    fn term(term: &str, instead: &str) -> BannedTerm {
        BannedTerm { term: term.to_owned(), instead: instead.to_owned() }
    }

    fn refused(text: &str) -> Fault {
        let fault = parse("context.yaml", text).expect_err(text);
        assert_eq!(fault.kind, FaultKind::Usage);
        fault
    }

    #[test]
    fn all_parts_are_read() {
        let text = "banned_terms:\n  client: customer\n  no: never\n  khách:\ncanonical_entities: [customer, 订单]\n\
                    layer_order: [screen, service]\ndomains:\n  - retail\n_agent_mode: true\n";
        let context = parse("c", text).expect("reads");
        let expected = SlimContext {
            banned_terms: vec![term("client", "customer"), term("no", "never"), term("khách", "")],
            canonical_entities: vec!["customer".to_owned(), "订单".to_owned()],
            layer_order: vec!["screen".to_owned(), "service".to_owned()],
            domains: vec!["retail".to_owned()],
            agent_mode: true,
        };
        assert_eq!(context, expected);
    }

    #[test]
    fn banned_terms_come_as_lists_too() {
        let context = parse("c", "banned_terms:\n- client\n- {term: user, instead: customer}\n- term: no\n").expect("reads");
        assert_eq!(context.banned_terms, [term("client", ""), term("user", "customer"), term("no", "")]);
    }

    #[test]
    fn nothing_said_is_an_empty_context() {
        for text in ["", "# later\n", "domains:\n", "banned_terms:\n", "banned_terms: []\nlayer_order:\n"] {
            assert_eq!(parse("c", text).expect(text), SlimContext::default());
        }
    }

    #[test]
    fn a_mistake_is_shown_where_it_stands() {
        let fault = refused("domains: [retail]\nbaned_terms: {a: b}\n");
        assert_eq!(fault.what, "context.yaml:2:1: unknown key `baned_terms`");
        assert!(fault.hint.starts_with("did you mean `banned_terms`?"), "{}", fault.hint);
        let fault = refused("banned_terms:\n- {term: user, insted: customer}\n");
        assert_eq!(fault.what, "context.yaml:2:16: unknown key `insted`");
        assert!(refused("domains: retail\n").what.starts_with("context.yaml:1:10: "));
        assert!(refused("domains: []\nbanned_terms: 3\n").what.starts_with("context.yaml:2:"));
        assert!(refused("banned_terms:\n- a\n- ' '\n").what.contains("a banned term has no letters"));
        assert!(refused("banned_terms:\n- a\n- 1.5\n").what.starts_with("context.yaml:3:3: "));
        assert!(refused("domains: &d [a]\nlayer_order: *d\n").what.contains("anchors and aliases"));
        assert!(refused("_agent_mode: maybe\n").what.starts_with("context.yaml:1:14: "));
    }

    #[test]
    fn a_file_is_found_given_beside_or_not_at_all() {
        let folder = tempfile::tempdir().expect("folder");
        let document = folder.path().join("prd.md");
        assert_eq!(find(None, &document).expect("none"), None);
        let beside = folder.path().join(FILE_NAME);
        std::fs::write(&beside, "domains: [retail]\n").expect("written");
        let (context, origin, text) = find(None, &document).expect("reads").expect("found");
        assert_eq!(
            (context.domains, origin, text.as_str()),
            (vec!["retail".to_owned()], Origin::Beside(beside), "domains: [retail]\n")
        );
        let given = folder.path().join("other.yaml");
        assert_eq!(find(Some(&given), &document).expect_err("missing").kind, FaultKind::Io);
        std::fs::write(&given, "domains: [bank]\n").expect("written");
        let (context, origin, _) = find(Some(&given), &document).expect("reads").expect("found");
        assert_eq!((context.domains, origin), (vec!["bank".to_owned()], Origin::Given(given)));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(?s).{0,120}") {
            if let Err(fault) = parse("c", &text) {
                prop_assert!(fault.what.starts_with('c'));
            }
        }
    }
}
