//! What a review looks at, made from flags and files: the subject, its plan, and the hashes a resume compares.

use super::args::PlanArgs;
use crate::config::{self, Folders, nearest};
use crate::document::{self, Document, changed};
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use crate::model::plan::{AGENT_CAP, Changed, Plan};
use crate::model::recipe::{Granularity, Recipe};
use crate::rules::plan::{PlanError, PlanOptions, plan};
use crate::rules::wording::Wording;
use crate::run::Subject;
use crate::text::{Catalogue, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Inputs of a review, read and checked.
pub struct Inputs {
    /// The document, as it was given.
    pub file: PathBuf,
    /// What is under review.
    pub subject: Arc<Subject>,
    /// The plan.
    pub plan: Plan,
    /// Hash of the recipe in force.
    pub recipe_hash: String,
    /// Hash of context, criteria and other documents in force.
    pub context_hash: String,
    /// What a person should know before the run.
    pub notices: Vec<String>,
}

/// Reads everything a review needs.
///
/// # Errors
/// A file that cannot be read, a recipe, context or name that is not there: each with what there is.
pub fn load(file: &Path, args: &PlanArgs, lang: Option<&str>, folders: &Folders) -> Result<Inputs, Fault> {
    let document = document::read(file)?;
    if document.is_blank() {
        let what = format!("{}: the document has no text", file.display());
        return Err(Fault::usage(what, "give a Markdown document with something to review"));
    }
    let (recipe, _, recipe_text) = config::recipe::load(args.recipe.as_deref().unwrap_or(config::recipe::DEFAULT), folders)?;
    let mut hasher = blake3::Hasher::new();
    let context = match config::context::find(args.context.as_deref(), file)? {
        Some((context, _, text)) => {
            hasher.update(text.as_bytes());
            context
        }
        None => Default::default(),
    };
    let criteria = match &args.criteria {
        Some(path) => {
            let (criteria, _, text) = config::criteria::load(path)?;
            hasher.update(text.as_bytes());
            criteria
        }
        None => recipe.criteria.clone(),
    };
    let others = others(&args.with)?;
    others.iter().for_each(|(_, other)| {
        hasher.update(other.hash().as_bytes());
    });
    let options = plan_options(&document, args)?;
    let plan = plan(document.outline(), &recipe, &options).map_err(|error| plan_fault(error, &recipe))?;
    let lang = findings_language(lang, &recipe, &document);
    let gone = |name: &String| format!("{name} is no longer in the document: nothing of it is reviewed");
    let mut notices: Vec<String> = plan.notices.iter().map(gone).collect();
    notices.extend(language_notice(&document));
    notices.extend(unused_flags(args, &plan));
    let enabled = plan.before.iter().chain(&plan.dimensions).cloned().collect();
    let wording = wording(&Catalogue::new(lang));
    let document = Arc::new(document);
    let subject = Subject { document, recipe, enabled, context, criteria, others, lang, wording };
    Ok(Inputs {
        file: file.to_owned(),
        subject: Arc::new(subject),
        plan,
        recipe_hash: blake3::hash(recipe_text.as_bytes()).to_hex().to_string(),
        context_hash: hasher.finalize().to_hex().to_string(),
        notices,
    })
}

fn others(paths: &[PathBuf]) -> Result<Vec<(String, Document)>, Fault> {
    paths.iter().map(|path| Ok((path.display().to_string(), document::read(path)?))).collect()
}

fn plan_options(document: &Document, args: &PlanArgs) -> Result<PlanOptions, Fault> {
    Ok(PlanOptions {
        granularity: args.granularity.as_deref().map(|word| if word == "auto" { Granularity::Auto } else { Granularity::PerUc }),
        dimensions: args.dimensions.clone(),
        changed: args.changed.as_deref().map(|values| changed_scope(document, values)).transpose()?,
        cap: args.agent_cap.unwrap_or(AGENT_CAP),
        replicas: args.replicas.unwrap_or(1),
    })
}

/// `--changed A,B --changed C`: a comma separates only where the whole value is no name.
fn changed_scope(document: &Document, values: &[String]) -> Result<Changed, Fault> {
    let names: Vec<String> = values.iter().flat_map(|value| changed::split_argument(document.outline(), value)).collect();
    changed::resolve(document.outline(), &names)
        .map_err(|error| Fault::usage(format!("--changed: {error}"), "`tamis outline FILE` lists units and sections"))
}

fn plan_fault(error: PlanError, recipe: &Recipe) -> Fault {
    let hint = match &error {
        PlanError::UnknownDimension { name, .. } => nearest(name, recipe.dimensions.iter().map(|d| d.id.as_str()))
            .map(|near| format!("did you mean {near}?"))
            .unwrap_or_else(|| format!("`tamis recipes {}` shows its dimensions", recipe.name)),
        PlanError::NoDimension { .. } => "name at least one with --dimensions".to_owned(),
        PlanError::Cap(_) => "give --agent-cap 1 or more".to_owned(),
        PlanError::Replicas => "give --replicas 1 or more".to_owned(),
    };
    Fault::usage(error.to_string(), hint)
}

/// The sentences that settling adds; their places are filled in later.
fn wording(words: &Catalogue) -> Wording {
    let say = |id: &str, places: &[&str]| {
        let braced: Vec<(&str, String)> = places.iter().map(|&place| (place, format!("{{{place}}}"))).collect();
        let args: Vec<(&str, Value<'_>)> = braced.iter().map(|(place, text)| (*place, text.as_str().into())).collect();
        words.say(id, &args)
    };
    Wording {
        undecided: say("settle-undecided", &["findings"]),
        stands: say("settle-stands", &["thing", "line"]),
        quoted: say("settle-quoted", &["thing", "finding"]),
    }
}

/// The flag's language, else the recipe's, else the document's.
fn findings_language(flag: Option<&str>, recipe: &Recipe, document: &Document) -> Lang {
    flag.and_then(Lang::from_code).or_else(|| Lang::from_code(&recipe.language)).unwrap_or(document.outline().lang)
}

/// Flags that no dimension of this plan looks at: said, not passed over.
fn unused_flags(args: &PlanArgs, plan: &Plan) -> Vec<String> {
    let runs = |id: &str| plan.before.iter().chain(&plan.dimensions).any(|dimension| dimension == id);
    let mut notices = Vec::new();
    if !args.with.is_empty() && !runs("P3") {
        notices.push("--with is not used: no dimension of this review compares documents (review-context's P3 does)".to_owned());
    }
    if args.criteria.is_some() && !runs("P5") {
        notices.push(
            "--criteria is not used: no dimension of this review checks your own criteria (review-context's P5 does)".to_owned(),
        );
    }
    notices
}

/// A notice where the document's language is mixed or none of the three.
fn language_notice(document: &Document) -> Option<String> {
    let share = document.outline().lang_share;
    (share < 60).then(|| {
        format!("the document's language is mixed or none of en, vi, zh ({share} % of its lines agree); findings are in English unless --lang says otherwise")
    })
}
