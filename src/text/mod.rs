//! `text`: the message catalogue in three languages, in Fluent, one file a subject and language.
//! Here stand words for people: findings of the offline reviewer, summaries, reports.
//! What never belongs here: decisions about what to say, and anything that prints.

use crate::model::lang::Lang;
pub use fluent_bundle::FluentValue as Value;
use fluent_bundle::{FluentArgs, FluentResource, concurrent::FluentBundle};
use std::sync::OnceLock;

/// Catalogue sources: the messages of one subject in each language, in the order of [`Lang::ALL`].
const SUBJECTS: [[&str; 3]; 11] = [
    [include_str!("en/decide.ftl"), include_str!("vi/decide.ftl"), include_str!("zh/decide.ftl")],
    [include_str!("en/decisions.ftl"), include_str!("vi/decisions.ftl"), include_str!("zh/decisions.ftl")],
    [include_str!("en/findings.ftl"), include_str!("vi/findings.ftl"), include_str!("zh/findings.ftl")],
    [include_str!("en/lint.ftl"), include_str!("vi/lint.ftl"), include_str!("zh/lint.ftl")],
    [include_str!("en/models.ftl"), include_str!("vi/models.ftl"), include_str!("zh/models.ftl")],
    [include_str!("en/open.ftl"), include_str!("vi/open.ftl"), include_str!("zh/open.ftl")],
    [include_str!("en/report.ftl"), include_str!("vi/report.ftl"), include_str!("zh/report.ftl")],
    [include_str!("en/run.ftl"), include_str!("vi/run.ftl"), include_str!("zh/run.ftl")],
    [include_str!("en/settle.ftl"), include_str!("vi/settle.ftl"), include_str!("zh/settle.ftl")],
    [include_str!("en/tui.ftl"), include_str!("vi/tui.ftl"), include_str!("zh/tui.ftl")],
    [include_str!("en/workbench.ftl"), include_str!("vi/workbench.ftl"), include_str!("zh/workbench.ftl")],
];

/// The messages of one language.
pub struct Catalogue {
    lang: Lang,
    bundle: &'static FluentBundle<FluentResource>,
}

/// The messages of each language, in the order of [`Lang::ALL`]: parsed once, where the first catalogue of it is asked for.
static BUNDLES: [OnceLock<FluentBundle<FluentResource>>; 3] = [const { OnceLock::new() }; 3];

fn parsed(lang: Lang, column: usize) -> FluentBundle<FluentResource> {
    let id = lang.code().parse().expect("language codes are language identifiers");
    let mut bundle = FluentBundle::new_concurrent(vec![id]);
    // Isolation marks are invisible bidi characters: they would make every quoted word a hidden-character finding.
    bundle.set_use_isolating(false);
    for subject in SUBJECTS {
        let resource = FluentResource::try_new(subject[column].to_owned()).expect("embedded messages parse");
        bundle.add_resource(resource).expect("embedded message ids are unique");
    }
    bundle
}

impl Catalogue {
    /// The catalogue of a language.
    pub fn new(lang: Lang) -> Catalogue {
        let column = Lang::ALL.iter().position(|&known| known == lang).unwrap_or(0);
        Catalogue { lang, bundle: BUNDLES[column].get_or_init(|| parsed(lang, column)) }
    }

    /// The language.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// The message with its variables filled in. A missing message shows its id: the tests rule that out.
    pub fn say(&self, id: &str, args: &[(&str, Value<'_>)]) -> String {
        let Some(pattern) = self.bundle.get_message(id).and_then(|message| message.value()) else {
            return id.to_owned();
        };
        let mut values = FluentArgs::with_capacity(args.len());
        for (name, value) in args {
            values.set(*name, value.clone());
        }
        let mut errors = Vec::new();
        self.bundle.format_pattern(pattern, Some(&values), &mut errors).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// Message ids with the variables each uses, read from the source text.
    fn messages(source: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut current = String::new();
        for line in source.lines() {
            if let Some((id, _)) = line.split_once(" =")
                && line.starts_with(|c: char| c.is_ascii_lowercase())
            {
                current = id.to_owned();
                found.entry(current.clone()).or_default();
            }
            for piece in line.split('$').skip(1) {
                let name: String = piece.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if let Some(variables) = found.get_mut(&current) {
                    variables.insert(name);
                }
            }
        }
        found
    }

    #[test]
    fn every_message_stands_in_every_language_with_the_same_variables() {
        for subject in SUBJECTS {
            let english = messages(subject[0]);
            assert!(!english.is_empty());
            for (column, lang) in Lang::ALL.iter().enumerate() {
                assert_eq!(messages(subject[column]), english, "messages of {lang}");
            }
        }
    }

    #[test]
    fn a_message_is_filled_in_without_invisible_marks() {
        let text = Catalogue::new(Lang::Vi).say("convergence", &[("rounds", 3.into())]);
        assert_eq!(text, "Convergence: 3 vòng critic — file findings đã đầy đủ; chạy lại sẽ lòi ra 0 vấn đề mới.");
    }
}
