//! `outline`, `plan`, `recipes`, `schema`: commands that look and run nothing.

use super::args::{OutlineArgs, PlanCommand, RecipesArgs, SchemaArgs};
use super::seats::{InForce, Table};
use super::{inputs, out, sending};
use crate::config::{self, Folders};
use crate::document;
use crate::files::schema::findings_schema;
use crate::model::fault::Fault;
use crate::model::outline::{LineSpan, Outline, Section, Unit, UnitKind};
use crate::model::plan::{DRY_ROUNDS, MAX_ROUNDS, Plan};
use crate::model::shown::Shown;
use serde_json::{Value, json};

/// `tamis outline FILE [--json]`.
///
/// # Errors
/// The document cannot be read.
pub fn outline(args: &OutlineArgs) -> Result<String, Fault> {
    let document = document::read(&args.file)?;
    let file = args.file.display().to_string();
    let outline = document.outline();
    Ok(if args.json { out::json(&outline_json(&file, outline), true) + "\n" } else { outline_text(&file, outline) })
}

fn outline_text(file: &str, outline: &Outline) -> String {
    let units = outline.units.len();
    let count = if units == 1 { "1 unit".to_owned() } else { format!("{units} units") };
    let mut lines = vec![format!(
        "{}: {} lines, language {}, {count}, {} % of lines inside units",
        Shown::line(file),
        outline.line_count(),
        outline.lang,
        share_inside(outline)
    )];
    for unit in &outline.units {
        let within = unit.parent.as_deref().map(|parent| format!(", in {parent}")).unwrap_or_default();
        lines.push(format!(
            "  {:<9} {}{}  ({}{})",
            range(unit.place.lines),
            Shown::line(&unit.id),
            after_id(unit),
            kind_word(unit.kind),
            Shown::line(&within)
        ));
    }
    lines.push("Sections".to_owned());
    for section in outline.sections.iter() {
        let indent = "  ".repeat(section.level as usize);
        let what = if section.is_title { " (title)".to_owned() } else { section_word(section) };
        lines.push(format!("  {:<9}{indent}{}{what}", range(section.place.lines), Shown::line(&section.title)));
    }
    lines.join("\n") + "\n"
}

fn after_id(unit: &Unit) -> String {
    if unit.title.is_empty() || unit.title == unit.id { String::new() } else { format!("  {}", Shown::line(&unit.title)) }
}

fn section_word(section: &Section) -> String {
    match serde_json::to_value(section.kind) {
        Ok(Value::String(word)) if word != "other" => format!("  [{}]", word.replace('_', " ")),
        _ => String::new(),
    }
}

fn kind_word(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::UseCase => "use case",
        UnitKind::UserStory => "user story",
        UnitKind::Requirement => "requirement",
        UnitKind::FeatureRequirement => "feature requirement",
        UnitKind::IdItem => "item with an id",
        UnitKind::SectionStandIn => "section standing in for a unit",
    }
}

fn range(lines: LineSpan) -> String {
    if lines.first == lines.last { lines.first.to_string() } else { format!("{}-{}", lines.first, lines.last) }
}

/// Per cent of lines that lie inside units, rounded down.
fn share_inside(outline: &Outline) -> u32 {
    outline.lines_in_units() * 100 / outline.line_count().max(1)
}

fn outline_json(file: &str, outline: &Outline) -> Value {
    let unit = |unit: &Unit| {
        json!({
            "id": unit.id, "title": unit.title, "kind": unit.kind, "parent": unit.parent,
            "lines": [unit.place.lines.first, unit.place.lines.last],
            "bytes": [unit.place.span.start, unit.place.span.end],
        })
    };
    let section = |section: &Section| {
        json!({
            "title": section.title, "path": section.path, "level": section.level, "kind": section.kind,
            "is_title": section.is_title,
            "lines": [section.place.lines.first, section.place.lines.last],
            "bytes": [section.place.span.start, section.place.span.end],
        })
    };
    json!({
        "schema": "tamis.outline/1",
        "file": file,
        "lines": outline.line_count(),
        "language": outline.lang,
        "language_share": outline.lang_share,
        "lines_in_units": outline.lines_in_units(),
        "share_in_units": f64::from(outline.lines_in_units()) / f64::from(outline.line_count().max(1)),
        "metadata": outline.metadata,
        "units": outline.units.iter().map(unit).collect::<Vec<_>>(),
        "sections": outline.sections.iter().map(section).collect::<Vec<_>>(),
        "items": outline.items,
        "references": outline.references,
        "glossary": outline.glossary,
        "scope_lines": outline.scope_lines,
        "actors": outline.actors,
        "states": outline.states,
        "transitions": outline.transitions,
        "open_questions": outline.open_questions,
    })
}

/// `tamis plan FILE …`.
///
/// # Errors
/// What `review` would refuse as well: it reads the same inputs.
pub fn plan(args: &PlanCommand) -> Result<String, Fault> {
    let folders = Folders::find(None)?;
    let in_force = InForce::read(&folders, &args.agents.flags(), args.project.of(&args.file))?;
    let plan = in_force.plan_args(&args.plan);
    let mut inputs = inputs::load(&args.file, &plan, in_force.lang(), &folders)?;
    inputs.notices.extend(in_force.ignored());
    in_force.check_dimensions(&folders)?;
    let table = Table::to_estimate(&in_force.settings, &in_force.variables)?;
    sending::fit(&mut inputs, &table, &in_force.prompts, plan.window)?;
    let estimate = (!table.is_without_models()).then(|| sending::estimate(&inputs, &table, &in_force.prompts));
    inputs.notices.iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    if let Err(missing) = Table::of(&in_force.settings, &in_force.variables) {
        out::notice(&Shown::line(&format!("a plan needs no key, the review does: {}", missing.what)).to_string());
    }
    let file = args.file.display().to_string();
    if args.json {
        let mut value = plan_json(&inputs.plan);
        if let Some(estimate) = &estimate {
            value["estimate"] = json!(estimate);
        }
        return Ok(out::json(&value, true) + "\n");
    }
    let mut text = plan_text(&file, &inputs.plan);
    if let Some(estimate) = &estimate {
        text.push_str(&format!("takes       {}\n", sending::amounts(estimate)));
        for to in &estimate.destinations {
            text.push_str(&Shown::line(&format!("sends to    {} ({})", to.server, to.models.join(", "))).to_string());
            text.push('\n');
        }
        for (one, other) in table.one_model() {
            text.push_str(&Shown::line(&format!("one model   {one} and {other}")).to_string());
            text.push('\n');
        }
    }
    Ok(text)
}

/// The plan as other tools read it: fan-out dimensions and agents only; what runs ahead stands under `before`.
pub fn plan_json(plan: &Plan) -> Value {
    json!({
        "schema": "tamis.plan/1",
        "recipe": plan.recipe,
        "granularity": plan.granularity,
        "lines": plan.lines,
        "units": plan.units,
        "scopes": plan.scopes.iter().map(|scope| &scope.name).collect::<Vec<_>>(),
        "dimensions": plan.dimensions,
        "before": plan.before,
        "buckets": (0..plan.buckets.len()).map(|bucket| plan.bucket_names(bucket)).collect::<Vec<_>>(),
        "agents": plan.cells.len(),
        "waves": plan.waves,
        "critic_rounds": { "min": DRY_ROUNDS, "max": MAX_ROUNDS },
    })
}

fn plan_text(file: &str, plan: &Plan) -> String {
    let plural = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let mut lines = vec![
        format!(
            "{} on {} ({} lines, {}, {}): {} in {}, then {DRY_ROUNDS} to {MAX_ROUNDS} critic calls",
            plan.recipe,
            Shown::line(file),
            plan.lines,
            plural(plan.units.len(), "unit"),
            plan.granularity.word(),
            plural(plan.cells.len(), "agent"),
            plural(plan.waves as usize, "wave"),
        ),
        format!("dimensions  {}", plan.dimensions.join(", ")),
    ];
    if !plan.before.is_empty() {
        lines.push(format!("ahead       {}", plan.before.join(", ")));
    }
    for bucket in 0..plan.buckets.len() {
        lines.push(format!("bucket {:<4} {}", bucket + 1, Shown::line(&plan.bucket_names(bucket).join(", "))));
    }
    for wave in 1..=plan.waves {
        let cells = plan.cells.iter().filter(|cell| cell.wave == wave);
        let names: Vec<String> = cells
            .map(|cell| {
                let replica = if cell.replica > 1 { format!("/r{}", cell.replica) } else { String::new() };
                format!("{}×{}{replica}", cell.dimension, cell.bucket + 1)
            })
            .collect();
        lines.push(format!("wave {:<6} {} (dimension × bucket)", wave, names.join(" ")));
    }
    lines.join("\n") + "\n"
}

/// `tamis recipes [NAME]`.
///
/// # Errors
/// No such recipe, or one that cannot be used.
pub fn recipes(args: &RecipesArgs) -> Result<String, Fault> {
    let folders = Folders::find(None)?;
    let Some(name) = &args.name else { return Ok(recipe_list(&folders)) };
    let (recipe, origin, _) = config::recipe::load(name, &folders)?;
    let mut lines = vec![
        format!("{} ({origin})", Shown::line(&recipe.name)),
        format!("  {}", Shown::line(&recipe.purpose)),
        format!("  granularity {}, dimension field {}", recipe.granularity.word(), Shown::line(&recipe.dimension_field)),
    ];
    for dimension in &recipe.dimensions {
        let mark = match (dimension.before, dimension.default) {
            (true, _) => " (ahead of the fan-out)",
            (false, true) => "",
            (false, false) => " (off by default)",
        };
        lines.push(format!("  {}  {}{mark}", Shown::line(&dimension.id), Shown::line(&dimension.name)));
        lines.push(format!("      {}", Shown::line(dimension.description.trim())));
    }
    for criterion in &recipe.criteria {
        lines.push(format!("  criterion: {}", Shown::line(criterion)));
    }
    Ok(lines.join("\n") + "\n")
}

fn recipe_list(folders: &Folders) -> String {
    let mut lines = Vec::new();
    for listed in config::recipe::list(folders) {
        match &listed.recipe {
            Ok(recipe) => {
                let dimensions: Vec<&str> = recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect();
                lines.push(format!(
                    "{}  [{}]  {}",
                    Shown::line(&listed.name),
                    dimensions.join(", "),
                    Shown::line(&recipe.purpose)
                ));
            }
            Err(fault) => lines.push(format!("{}  unusable: {}", Shown::line(&listed.name), Shown::line(&fault.what))),
        }
    }
    lines.join("\n") + "\n"
}

/// `tamis schema findings`.
///
/// # Errors
/// No such recipe.
pub fn schema(args: &SchemaArgs) -> Result<String, Fault> {
    let (recipe, _, _) = config::recipe::load(&args.recipe, &Folders::find(None)?)?;
    Ok(out::json(&findings_schema(&recipe), true) + "\n")
}
