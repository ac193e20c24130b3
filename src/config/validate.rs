//! A recipe that cannot be wrong: everything the rest of the program relies on is checked here, once.

use crate::model::fault::Fault;
use crate::model::finding::Status;
use crate::model::lang::Lang;
use crate::model::nearest::what_there_is;
use crate::model::recipe::{FINDING_FIELDS, OWN_ROOT_KEYS, Recipe, RootValue};
use crate::model::yaml::Source;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_yaml::{Location, Spanned};

/// Format of recipe files.
const SCHEMA: &str = "tamis.recipe/1";
/// Recommendations a recipe may give where only minor findings stand.
const MINOR: [&str; 2] = ["APPROVED_WITH_MINOR_CHANGES", "APPROVED"];
/// Characters of a name at most: names become keys, and YAML keys have a limit.
const MAX_NAME: usize = 64;
/// Finders that are no dimension.
const RESERVED: [&str; 3] = ["critic", "human", "offline"];

/// Reads and checks a recipe; `name` stands in messages.
pub(super) fn read(name: &str, text: &str) -> Result<Recipe, Fault> {
    let source = Source::config(name, text);
    let recipe: Recipe = source.read()?;
    // The same text again, this time only for the places of its parts.
    let places: Places = source.read()?;
    let check = Check { source, recipe: &recipe, places: &places };
    check.head()?;
    check.dimensions()?;
    check.root()?;
    check.finding_fields()?;
    Ok(recipe)
}

#[derive(Deserialize)]
struct Places {
    schema: Spanned<IgnoredAny>,
    name: Spanned<IgnoredAny>,
    #[serde(default)]
    language: Option<Spanned<IgnoredAny>>,
    conflict_status: Spanned<IgnoredAny>,
    minor_recommendation: Spanned<IgnoredAny>,
    dimension_field: Spanned<IgnoredAny>,
    #[serde(default)]
    dimensions: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    root: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    finding_fields: Vec<Spanned<IgnoredAny>>,
}

struct Check<'a> {
    source: Source<'a>,
    recipe: &'a Recipe,
    places: &'a Places,
}

impl Check<'_> {
    fn fault(&self, at: Location, what: impl std::fmt::Display, hint: impl Into<String>) -> Fault {
        self.source.fault(at, what, hint)
    }

    fn whole(&self, what: &str, hint: impl Into<String>) -> Fault {
        self.fault(Location::UNKNOWN, what, hint)
    }

    fn head(&self) -> Result<(), Fault> {
        let recipe = self.recipe;
        if recipe.schema != SCHEMA {
            let what = format!("the format is `{}`, this version reads `{SCHEMA}`", recipe.schema);
            return Err(self.fault(self.places.schema.referenced, what, format!("write `schema: {SCHEMA}`")));
        }
        self.is_name("the recipe's name", &recipe.name, self.places.name.referenced)?;
        if recipe.language != "document" && Lang::from_code(&recipe.language).is_none() {
            let at = self.places.language.as_ref().map_or(Location::UNKNOWN, |place| place.referenced);
            let hint = what_there_is(&recipe.language, ["document", "en", "vi", "zh"]);
            return Err(self.fault(at, format!("unknown language `{}`", recipe.language), hint));
        }
        if !matches!(recipe.conflict_status, Status::NeedsDiscussion | Status::Pending) {
            let at = self.places.conflict_status.referenced;
            return Err(self.fault(at, "an open conflict has no such status", "there is: needs_discussion, pending"));
        }
        if !MINOR.contains(&recipe.minor_recommendation.as_str()) {
            let at = self.places.minor_recommendation.referenced;
            let what = format!("unknown recommendation `{}`", recipe.minor_recommendation);
            return Err(self.fault(at, what, what_there_is(&recipe.minor_recommendation, MINOR)));
        }
        Ok(())
    }

    fn dimensions(&self) -> Result<(), Fault> {
        let dimensions = &self.recipe.dimensions;
        if !dimensions.iter().any(|dimension| !dimension.before && dimension.default) {
            let ids: Vec<&str> = dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
            let what = "`dimensions` names none that the fan-out runs by itself";
            let there_is = if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") };
            let hint = format!("add one with id, name and description, without `before: true`; there is: {there_is}");
            return Err(self.whole(what, hint));
        }
        for (index, dimension) in dimensions.iter().enumerate() {
            let at = place(&self.places.dimensions, index);
            self.is_name("a dimension's id", &dimension.id, at)?;
            if RESERVED.iter().any(|word| dimension.id.eq_ignore_ascii_case(word)) {
                let what = format!("`{}` is the name of a finder that is no dimension", dimension.id);
                return Err(self.fault(at, what, "choose another id"));
            }
            let same = dimensions[..index].iter().position(|earlier| earlier.id.eq_ignore_ascii_case(&dimension.id));
            if let Some(first) = same {
                let line = place(&self.places.dimensions, first).line();
                let what = format!("the dimension `{}` stands here a second time, first in line {line}", dimension.id);
                return Err(self.fault(at, what, "give each dimension its own id, whatever the case of its letters"));
            }
            if dimension.name.trim().is_empty() || dimension.description.trim().is_empty() {
                let what = format!("the dimension `{}` has an empty name or description", dimension.id);
                return Err(self.fault(at, what, "say what a reviewer is to look for"));
            }
        }
        Ok(())
    }

    fn root(&self) -> Result<(), Fault> {
        let root = &self.recipe.root;
        if !root.iter().any(|key| key.value == RootValue::Findings) {
            let words: Vec<&str> = RootValue::ALL.iter().map(|value| value.word()).collect();
            let what = "`root` (the root keys of the findings file) has no key for the findings";
            let hint = format!("add `root:` with `- {{key: findings, value: findings}}`; values there are: {}", words.join(", "));
            return Err(self.whole(what, hint));
        }
        for (index, key) in root.iter().enumerate() {
            let at = place(&self.places.root, index);
            self.is_name("a root key", &key.key, at)?;
            if OWN_ROOT_KEYS.contains(&key.key.as_str()) {
                let what = format!("the root key `{}` is one that tamis writes itself", key.key);
                return Err(self.fault(at, what, format!("choose another name than {}", OWN_ROOT_KEYS.join(", "))));
            }
            if root[..index].iter().any(|earlier| earlier.key == key.key || earlier.value == key.value) {
                let what = format!("the root key `{}` or its value `{}` stands here a second time", key.key, key.value.word());
                return Err(self.fault(at, what, "keep one of them"));
            }
        }
        Ok(())
    }

    fn finding_fields(&self) -> Result<(), Fault> {
        let recipe = self.recipe;
        let dimension_field = recipe.dimension_field.as_str();
        self.is_name("the dimension field", dimension_field, self.places.dimension_field.referenced)?;
        if FINDING_FIELDS.contains(&dimension_field) {
            let what = format!("`{dimension_field}` is a field of every finding already");
            let at = self.places.dimension_field.referenced;
            return Err(self.fault(at, what, "choose another name for the field that holds the dimension"));
        }
        let known = || std::iter::once(dimension_field).chain(FINDING_FIELDS);
        for mandatory in [dimension_field, "finding"] {
            if !recipe.finding_fields.iter().any(|field| field.name == mandatory) {
                let what = format!("`finding_fields` (the fields of a finding in the file) does not name `{mandatory}`");
                let all: Vec<&str> = known().collect();
                return Err(self.whole(&what, format!("add `- {{name: {mandatory}}}`; fields there are: {}", all.join(", "))));
            }
        }
        for (index, field) in recipe.finding_fields.iter().enumerate() {
            let at = place(&self.places.finding_fields, index);
            if !known().any(|name| name == field.name) {
                let names: Vec<&str> = known().collect();
                let hint = what_there_is(&field.name, names.iter().copied());
                return Err(self.fault(at, format!("a finding has no field `{}`", field.name), hint));
            }
            if recipe.finding_fields[..index].iter().any(|earlier| earlier.name == field.name) {
                let what = format!("the field `{}` stands here a second time", field.name);
                return Err(self.fault(at, what, "keep one of them"));
            }
        }
        Ok(())
    }

    /// Names go into keys, lists separated by commas, and step labels separated by `/` and `@`.
    fn is_name(&self, what: &str, name: &str, at: Location) -> Result<(), Fault> {
        let fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if !name.is_empty() && name.chars().count() <= MAX_NAME && name.chars().all(fine) {
            return Ok(());
        }
        let hint = format!("use letters, digits, `-`, `_` and `.`, at most {MAX_NAME} of them");
        Err(self.fault(at, format!("{what} is no name: `{name}`"), hint))
    }
}

fn place(places: &[Spanned<IgnoredAny>], index: usize) -> Location {
    places.get(index).map_or(Location::UNKNOWN, |place| place.referenced)
}
