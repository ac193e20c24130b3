//! Built-in recipes say what they promise, and no wrong recipe gets through.

use super::folders::Folders;
use super::origin::Origin;
use super::recipe::{DEFAULT, list, load};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::Status;
use crate::model::recipe::{FINDING_FIELDS, Granularity, Recipe};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn no_folders() -> Folders {
    Folders { config: None, state: "state".into() }
}

fn built_in(name: &str) -> Recipe {
    let (recipe, origin, text) = load(name, &no_folders()).expect(name);
    assert_eq!(origin, Origin::Embedded);
    assert!(text.contains(&format!("name: {name}")));
    recipe
}

fn ids(recipe: &Recipe, wanted: impl Fn(&crate::model::recipe::Dimension) -> bool) -> Vec<&str> {
    recipe.dimensions.iter().filter(|dimension| wanted(dimension)).map(|dimension| dimension.id.as_str()).collect()
}

fn root(recipe: &Recipe) -> Vec<&str> {
    recipe.root.iter().map(|key| key.key.as_str()).collect()
}

#[test]
fn refine_prd_is_as_the_contract_says() {
    let recipe = built_in(DEFAULT);
    assert_eq!(ids(&recipe, |d| d.default && !d.before), ["DEV", "SA", "PO"]);
    assert_eq!(ids(&recipe, |d| !d.default), ["QA"]);
    assert_eq!(recipe.granularity, Granularity::PerUc);
    assert_eq!((recipe.dimension_field.as_str(), recipe.conflict_status), ("lens", Status::NeedsDiscussion));
    assert_eq!(recipe.minor_recommendation, "APPROVED_WITH_MINOR_CHANGES");
    let keys = ["prd_source", "prd_version", "applied_to_version", "generated_at", "status", "findings", "summary"];
    assert_eq!(root(&recipe), keys);
}

#[test]
fn review_context_is_as_the_contract_says() {
    let recipe = built_in("review-context");
    assert_eq!(ids(&recipe, |d| d.before), ["P0", "P3"]);
    assert_eq!(ids(&recipe, |d| !d.before && d.default), ["P1", "P2", "P4", "P5"]);
    assert_eq!(recipe.granularity, Granularity::Auto);
    assert_eq!((recipe.dimension_field.as_str(), recipe.conflict_status), ("check_id", Status::Pending));
    assert_eq!(recipe.minor_recommendation, "APPROVED");
    assert!(recipe.criteria.len() >= 3, "P5 has a list of its own");
    let keys =
        ["source_file", "source_version", "applied_to_version", "generated_at", "review_type", "status", "findings", "summary"];
    assert_eq!(root(&recipe), keys);
}

#[test]
fn built_in_recipes_write_every_field_in_one_order_and_never_propose_mechanism() {
    for name in ["refine-prd", "review-context"] {
        let recipe = built_in(name);
        let mut expected: Vec<&str> = FINDING_FIELDS.to_vec();
        expected.insert(2, &recipe.dimension_field);
        let fields: Vec<&str> = recipe.finding_fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(fields, expected);
        let required = recipe.finding_fields.iter().filter(|field| field.required).map(|field| field.name.as_str());
        let dimension = recipe.dimension_field.as_str();
        let asked = [dimension, "severity", "section", "uc_id", "quote", "finding", "suggestion", "auto_fixable"];
        assert_eq!(required.collect::<Vec<_>>(), asked);
        for dimension in &recipe.dimensions {
            assert!(dimension.description.contains("business words"), "{}", dimension.id);
            assert!(dimension.description.to_lowercase().contains("never propose a mechanism"), "{}", dimension.id);
        }
    }
}

/// A recipe of the fewest parts, to be broken one by one.
const SMALL: &str = "schema: tamis.recipe/1
name: small
purpose: Try.
dimension_field: aspect
conflict_status: pending
minor_recommendation: APPROVED
dimensions:
  - {id: ONE, name: One, description: Look.}
root:
  - {key: results, value: findings}
finding_fields:
  - {name: finding}
  - {name: aspect}
";

fn load_text(text: &str) -> Result<Recipe, Fault> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("small.yaml");
    fs::write(&path, text).expect("written");
    load(path.to_str().expect("path"), &no_folders()).map(|(recipe, _, _)| recipe)
}

/// What a broken recipe is refused with: place and words without the folder, and the hint.
fn refused(text: &str) -> (String, String) {
    let fault = load_text(text).expect_err(text);
    assert_eq!(fault.kind, FaultKind::Usage, "{}", fault.what);
    let from = fault.what.find("small.yaml").expect("the file is named");
    (fault.what[from..].to_owned(), fault.hint)
}

#[test]
fn a_recipe_by_path_may_have_other_keys_and_a_subset_of_fields() {
    let recipe = load_text(SMALL).expect("loads");
    assert_eq!(root(&recipe), ["results"]);
    assert_eq!(recipe.finding_fields.len(), 2);
    assert_eq!(recipe.granularity, Granularity::Auto);
    assert_eq!(recipe.language, "document");
}

#[test]
fn a_missing_mandatory_part_says_what_there_is() {
    let without = |key: &str| {
        let at = SMALL.find(&format!("{key}:")).expect("key");
        let end = SMALL[at..].find("\n  - ").map(|first| {
            let mut end = at + first + 1;
            while SMALL[end..].starts_with("  - ") {
                end = SMALL[end..].find('\n').map_or(SMALL.len(), |line| end + line + 1);
            }
            end
        });
        format!("{}{}", &SMALL[..at], &SMALL[end.expect("list")..])
    };
    let (what, hint) = refused(&without("dimensions"));
    assert!(what.starts_with("small.yaml: `dimensions` names none"), "{what}");
    assert!(hint.contains("there is: nothing"), "{hint}");
    let (what, hint) = refused(&without("root"));
    assert!(what.contains("has no key for the findings"), "{what}");
    assert!(hint.contains("applied_to_version"), "{hint}");
    let (what, hint) = refused(&without("finding_fields"));
    assert!(what.contains("does not name `aspect`"), "{what}");
    assert!(hint.contains("possible_duplicate_of"), "{hint}");
    let (what, _) = refused(&SMALL.replace("id: ONE,", "id: ONE, before: true,"));
    assert!(what.contains("`dimensions` names none that the fan-out runs"), "{what}");
}

#[test]
fn what_cannot_be_is_refused_where_it_stands() {
    let cases = [
        ("schema: tamis.recipe/1", "schema: tamis.recipe/2", "small.yaml:1:9: the format is `tamis.recipe/2`"),
        ("name: small", "nmae: small", "small.yaml:2:1: unknown key `nmae`"),
        ("name: small", "name: sm/all", "small.yaml:2:7: the recipe's name is no name"),
        ("purpose: Try.", "purpose: Try.\nlanguage: vn", "small.yaml:4:11: unknown language `vn`"),
        ("purpose: Try.", "purpose: Try.\ngranularity: per-us", "small.yaml:4:14: unknown value `per-us`"),
        ("status: pending", "status: accepted", "small.yaml:5:18: an open conflict has no such status"),
        ("APPROVED\n", "APROVED\n", "small.yaml:6:23: unknown recommendation `APROVED`"),
        ("dimension_field: aspect", "dimension_field: key", "small.yaml:4:18: `key` is a field of every finding"),
        ("id: ONE,", "id: 'O,E',", "small.yaml:8:5: a dimension's id is no name"),
        ("id: ONE,", "id: Critic,", "small.yaml:8:5: `Critic` is the name of a finder"),
        ("description: Look.", "description: ''", "small.yaml:8:5: the dimension `ONE` has an empty name"),
        ("description: Look.}", "descripton: Look.}", "small.yaml:8:26: unknown key `descripton`"),
        (
            "Look.}\n",
            "Look.}\n  - {id: one, name: Again, description: Look.}\n",
            "small.yaml:9:5: the dimension `one` stands here a second time, first in line 8",
        ),
        ("key: results", "key: run", "small.yaml:10:5: the root key `run` is one that tamis writes"),
        ("value: findings", "value: finding", "small.yaml:10:27: unknown value `finding`"),
        (
            "value: findings}\n",
            "value: findings}\n  - {key: again, value: findings}\n",
            "small.yaml:11:5: the root key `again` or its value `findings` stands here a second time",
        ),
        ("{name: finding}\n", "{name: finding}\n  - {name: serverity}\n", "small.yaml:13:5: a finding has no field `serverity`"),
        ("{name: finding}\n", "{name: finding}\n  - {name: finding}\n", "small.yaml:13:5: the field `finding` stands here"),
    ];
    for (from, to, expected) in cases {
        assert!(SMALL.contains(from), "{from}");
        let (what, _) = refused(&SMALL.replacen(from, to, 1));
        assert!(what.starts_with(expected), "{to:?}: {what}");
    }
    let hint = refused(&SMALL.replace("{name: finding}", "{name: finding}\n  - {name: serverity}")).1;
    assert!(hint.starts_with("did you mean `severity`?"), "{hint}");
}

#[test]
fn an_unknown_name_gets_the_nearest_and_all() {
    let fault = load("refine_prd", &no_folders()).expect_err("unknown");
    assert_eq!(fault.kind, FaultKind::Usage);
    assert!(fault.hint.starts_with("did you mean `refine-prd`? There is: refine-prd, review-context"), "{}", fault.hint);
    assert_eq!(load("none.yaml", &no_folders()).expect_err("missing").kind, FaultKind::Io);
    assert_eq!(load("no/such", &no_folders()).expect_err("missing").kind, FaultKind::Io);
}

fn folders_with(files: &[(&str, &str)]) -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().expect("folder");
    let recipes = folder.path().join("recipes");
    fs::create_dir(&recipes).expect("recipes");
    for (name, text) in files {
        fs::write(recipes.join(name), text).expect("written");
    }
    let folders = Folders { config: Some(folder.path().to_owned()), state: Path::new("state").to_owned() };
    (folder, folders)
}

#[test]
fn the_users_folder_adds_and_replaces_and_a_broken_file_spoils_nothing_else() {
    let own_refine = SMALL.replace("name: small", "name: refine-prd");
    let files = [("small.yml", SMALL), ("refine-prd.yaml", own_refine.as_str()), ("broken.yaml", "x"), ("notes.txt", "x")];
    let (_keep, folders) = folders_with(&files);
    let (recipe, origin, text) = load("small", &folders).expect("loads");
    assert_eq!((recipe.name.as_str(), text.as_str()), ("small", SMALL));
    assert!(matches!(origin, Origin::User(_)));
    assert_eq!(load("refine-prd", &folders).expect("loads").0.dimension_field, "aspect");
    let all = list(&folders);
    let names: Vec<(&str, bool)> = all.iter().map(|listed| (listed.name.as_str(), listed.recipe.is_ok())).collect();
    assert_eq!(names, [("refine-prd", true), ("review-context", true), ("broken", false), ("small", true)]);
    assert!(matches!(all[0].origin, Origin::User(_)));
    assert_eq!(all[1].origin, Origin::Embedded);
    assert_eq!(load("broken", &folders).expect_err("broken").kind, FaultKind::Usage);
}

#[test]
fn a_file_that_calls_itself_otherwise_is_refused() {
    let (_keep, folders) = folders_with(&[("other.yaml", SMALL)]);
    let fault = load("other", &folders).expect_err("refused");
    assert!(fault.what.contains("calls itself `small`, the file `other`"), "{}", fault.what);
}

proptest! {
    #[test]
    fn any_change_of_a_recipe_is_read_or_refused(at in 0..SMALL.len(), with in "(?s).{0,6}") {
        let text = format!("{}{with}{}", &SMALL[..at], &SMALL[at..]);
        if let Err(fault) = load_text(&text) {
            prop_assert!(fault.what.contains("small.yaml"));
        }
    }
}
