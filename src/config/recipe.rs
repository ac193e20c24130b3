//! Recipes: built in, in the user's folder, or at a path.

use super::folders::Folders;
use super::origin::{Origin, read_text};
use super::validate;
use crate::model::fault::Fault;
use crate::model::nearest::what_there_is;
use crate::model::recipe::Recipe;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The recipe that is used where none is named.
pub const DEFAULT: &str = "refine-prd";

/// Built-in recipes by name, in the order they are listed.
const BUILT_IN: [(&str, &str); 2] = [
    ("refine-prd", include_str!("../../prompts/recipes/refine-prd.yaml")),
    ("review-context", include_str!("../../prompts/recipes/review-context.yaml")),
];

/// A recipe that can be named, or the fault that keeps it from being used.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Name on the command line.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The recipe.
    pub recipe: Result<Recipe, Fault>,
}

/// Loads a recipe: a path where the name contains `/` or ends in `.yaml` or `.yml`, else the user's own of that name,
/// else the built-in one. Returns its source text too, for the run's record.
///
/// # Errors
/// A usage fault for an unknown name (with the nearest one and all there are) and for a recipe that misses a mandatory
/// part or says something impossible, with file and line; an input fault for a file that cannot be read.
pub fn load(name_or_path: &str, folders: &Folders) -> Result<(Recipe, Origin, String), Fault> {
    if is_path(name_or_path) {
        let path = PathBuf::from(name_or_path);
        return from_file(&path, Origin::Given(path.clone()));
    }
    if let Some(path) = own_recipes(folders).remove(name_or_path) {
        return from_own_file(name_or_path, &path);
    }
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
        return Ok((built_in(name, text)?, Origin::Embedded, (*text).to_owned()));
    }
    let known: Vec<String> = list(folders).into_iter().map(|listed| listed.name).collect();
    let hint = what_there_is(name_or_path, known.iter().map(String::as_str));
    Err(Fault::usage(format!("no recipe is named `{name_or_path}`"), format!("{hint}; a path to a recipe file works too")))
}

/// All recipes that can be named: the built-in ones, each replaced by the user's own of the same name, then the user's
/// others by name.
pub fn list(folders: &Folders) -> Vec<Listed> {
    let mut own = own_recipes(folders);
    let mut all = Vec::new();
    for (name, text) in BUILT_IN {
        all.push(match own.remove(name) {
            Some(path) => listed(name, &path),
            None => Listed { name: name.to_owned(), origin: Origin::Embedded, recipe: built_in(name, text) },
        });
    }
    all.extend(own.iter().map(|(name, path)| listed(name, path)));
    all
}

fn listed(name: &str, path: &Path) -> Listed {
    let recipe = from_own_file(name, path).map(|(recipe, _, _)| recipe);
    Listed { name: name.to_owned(), origin: Origin::User(path.to_owned()), recipe }
}

/// Whether a recipe is named by a path.
pub fn is_path(name: &str) -> bool {
    name.contains('/') || is_recipe_file(Path::new(name))
}

fn is_recipe_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The user's recipe files by name. A folder that is absent or unreadable holds none.
fn own_recipes(folders: &Folders) -> BTreeMap<String, PathBuf> {
    let Some(entries) = folders.recipes().and_then(|folder| fs::read_dir(folder).ok()) else {
        return BTreeMap::new();
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_recipe_file(path) && path.is_file());
    let mut files: Vec<PathBuf> = files.collect();
    // Where `a.yaml` and `a.yml` both lie there, the first in this order is kept.
    files.sort_by(|a, b| b.cmp(a));
    files.into_iter().filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path))).collect()
}

fn built_in(name: &str, text: &str) -> Result<Recipe, Fault> {
    validate::read(&format!("built-in recipe {name}"), text)
}

fn from_file(path: &Path, origin: Origin) -> Result<(Recipe, Origin, String), Fault> {
    let text = read_text(path)?;
    let recipe = validate::read(&path.display().to_string(), &text)?;
    Ok((recipe, origin, text))
}

fn from_own_file(name: &str, path: &Path) -> Result<(Recipe, Origin, String), Fault> {
    let found = from_file(path, Origin::User(path.to_owned()))?;
    if found.0.name != name {
        let what = format!("{}: the recipe calls itself `{}`, the file `{name}`", path.display(), found.0.name);
        return Err(Fault::usage(what, "give both the same name"));
    }
    Ok(found)
}
