//! Agent mode: the recipe's checks run directly on one section, and only the JSON array comes back (SPEC S0).

use super::args::{PlanArgs, ScanArgs};
use super::inputs::{self, Inputs};
use super::out;
use super::seats::{InForce, Table};
use crate::config::{Flags, Folders};
use crate::document::changed::{self, NoSinglePart};
use crate::model::fault::{Fault, FaultKind};
use crate::model::finding::RawFinding;
use crate::model::outline::{LineSpan, Outline};
use crate::model::shown::Shown;
use crate::pipeline;
use crate::run::NoLiveText;
use std::collections::BTreeSet;
use std::sync::Arc;

/// `tamis scan FILE`.
///
/// # Errors
/// No single section to look at, or a reviewer that gave no answer: never an empty array for either.
pub fn scan(args: &ScanArgs) -> Result<u8, Fault> {
    let folders = Folders::find(None)?;
    let flags = Flags { lang: args.lang.as_deref(), ..args.agents.flags() };
    let in_force = InForce::read(&folders, &flags, args.project.of(&args.file))?;
    let plan = PlanArgs {
        recipe: args.recipe.clone(),
        dimensions: args.dimension.clone().map(|dimension| vec![dimension]),
        context: args.context.clone(),
        ..PlanArgs::default()
    };
    let plan = in_force.plan_args(&plan);
    in_force.ignored().iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    let table = Table::of(&in_force.settings, &in_force.variables)?;
    let inputs = inputs::load(&args.file, &plan, in_force.lang(), &folders)?;
    let lines = scope_lines(inputs.subject.document.outline(), args.scope.as_deref())?;
    answer(&inputs, &table, &in_force, lines)
}

/// What `review` does where the context says `_agent_mode: true`.
///
/// # Errors
/// As for `scan`.
pub(super) fn in_agent_mode(inputs: &Inputs, table: &Table, in_force: &InForce) -> Result<u8, Fault> {
    let lines = scope_lines(inputs.subject.document.outline(), None).map_err(|fault| {
        let hint = "the context says `_agent_mode: true`; review a document with one unit, or use `tamis scan FILE --scope ID`";
        Fault::usage(fault.what, hint)
    })?;
    answer(inputs, table, in_force, lines)
}

fn answer(inputs: &Inputs, table: &Table, in_force: &InForce, lines: Vec<LineSpan>) -> Result<u8, Fault> {
    let council = table.council(&in_force.tools(Arc::new(NoLiveText), None, &inputs.file))?;
    // Neither critic nor arbiter is asked.
    let asked = inputs.plan.dimensions.iter().map(|dimension| table.reviewer_of(dimension));
    let to = asked.filter_map(|spec| match (spec.endpoint(), spec.program()) {
        (Some(endpoint), _) => Some(format!("{} ({})", endpoint.server(), endpoint.model)),
        (_, Some(program)) => Some(program.name.clone()),
        (None, None) => None,
    });
    let sent: BTreeSet<String> = match table.is_replayed() {
        true => BTreeSet::new(),
        false => to.map(|to| format!("sends the section to {to}")).collect(),
    };
    sent.iter().for_each(|notice| out::notice(&Shown::line(notice).to_string()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .map_err(|error| Fault::io("runtime", error, "free some memory or file handles and try again"))?;
    let scanned = runtime.block_on(pipeline::scan::scan(&inputs.subject, &inputs.plan.dimensions, lines, &council));
    let scanned =
        scanned.map_err(|fault| Fault::new(FaultKind::Incomplete, fault.to_string(), "ask again, or another reviewer"))?;
    if !scanned.not_covered.is_empty() {
        out::notice(&format!("not covered by this reviewer, and so not clean: {}", scanned.not_covered.join(", ")));
    }
    let array: Vec<serde_json::Value> = scanned.findings.iter().map(as_returned).collect();
    out::data(&(out::json(&array, true) + "\n")).map_err(|error| Fault::io("standard output", error, ""))?;
    Ok(0)
}

/// The answer shape of SPEC S0, Phase 1, in its order.
fn as_returned(raw: &RawFinding) -> serde_json::Value {
    let mut value = serde_json::json!({
        "dimension": raw.dimension, "severity": raw.severity, "section": raw.section, "uc_id": raw.uc_id,
        "quote": raw.quote, "finding": raw.finding, "suggestion": raw.suggestion, "auto_fixable": raw.auto_fixable,
    });
    if !raw.resolution_edge_cases.is_empty() {
        value["resolution_edge_cases"] = serde_json::json!(raw.resolution_edge_cases);
    }
    if !raw.blocked_on.is_empty() {
        value["blocked_on"] = raw.blocked_on.iter().map(|question| question.words()).collect();
    }
    value
}

/// The lines of the one section to look at: named, or the document's only unit.
fn scope_lines(outline: &Outline, scope: Option<&str>) -> Result<Vec<LineSpan>, Fault> {
    let what_there_is = "`tamis outline FILE` lists units and sections";
    let Some(name) = scope else {
        return match outline.units.as_slice() {
            [unit] => Ok(vec![unit.place.lines]),
            units => {
                let what = format!("agent mode looks at one section, but the document has {} units", units.len());
                Err(Fault::usage(what, format!("name one with --scope; {what_there_is}")))
            }
        };
    };
    changed::named_lines(outline, name).map_err(|error| {
        let hint = match &error {
            NoSinglePart::Several { .. } => {
                "give the path of one, as in `A > B`; a path that stands there twice needs a new heading"
            }
            _ => what_there_is,
        };
        Fault::usage(format!("--scope: {}", Shown::line(&error.to_string())), hint)
    })
}
