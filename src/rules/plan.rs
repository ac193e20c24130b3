//! The plan of the fan-out (SPEC S0, Phase 1): scopes, buckets, cells, waves.

use crate::model::outline::{LineSpan, Outline, UnitKind};
use crate::model::plan::{Cell, Changed, PRD_GLOBAL, Plan, Scope, WHOLE_FILE};
use crate::model::recipe::{Granularity, Recipe};

/// Units up to which `auto` looks at the whole file.
const FEW_UNITS: usize = 3;
/// Lines up to which `auto` looks at the whole file, and over which PRD-global may be cut.
const FEW_LINES: u32 = 300;

/// What a plan is made from besides document and recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Granularity; the recipe's where `None`.
    pub granularity: Option<Granularity>,
    /// Dimension ids; the recipe's defaults where `None`.
    pub dimensions: Option<Vec<String>>,
    /// The changed scope of a delta review.
    pub changed: Option<Changed>,
    /// Agents in a wave, at least 1.
    pub cap: usize,
    /// Agents per cell, at least 1.
    pub replicas: u32,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions { granularity: None, dimensions: None, changed: None, cap: crate::model::plan::AGENT_CAP, replicas: 1 }
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The cap is below 1.
    #[error("the agent cap is {0}, but a wave needs at least one agent")]
    Cap(usize),
    /// The number of replicas is below 1.
    #[error("the number of replicas is 0, but every cell needs at least one agent")]
    Replicas,
    /// A dimension the recipe does not have.
    #[error("recipe {recipe} has no dimension \"{name}\"; it has {known}")]
    UnknownDimension {
        /// Recipe name.
        recipe: String,
        /// The name given.
        name: String,
        /// What there is.
        known: String,
    },
    /// Nothing to fan out.
    #[error("no dimension is left for the fan-out; recipe {recipe} has {known}")]
    NoDimension {
        /// Recipe name.
        recipe: String,
        /// What there is.
        known: String,
    },
}

/// Makes the plan.
///
/// # Errors
/// A cap or a number of replicas below 1, a dimension the recipe lacks, or none left for the fan-out.
pub fn plan(outline: &Outline, recipe: &Recipe, options: &PlanOptions) -> Result<Plan, PlanError> {
    if options.cap == 0 {
        return Err(PlanError::Cap(options.cap));
    }
    if options.replicas == 0 {
        return Err(PlanError::Replicas);
    }
    let (before, dimensions) = chosen_dimensions(recipe, options.dimensions.as_deref())?;
    let granularity = options.granularity.unwrap_or(recipe.granularity);
    let scopes = scopes(outline, granularity, options.changed.as_ref());
    let groups = (options.cap / dimensions.len()).max(1);
    let buckets = buckets(&scopes, groups);
    let cells = cells(&dimensions, buckets.len(), options.replicas, options.cap);
    Ok(Plan {
        recipe: recipe.name.clone(),
        granularity,
        lines: outline.line_count(),
        units: outline.units.iter().map(|unit| unit.id.clone()).collect(),
        scopes,
        waves: cells.last().map_or(0, |cell| cell.wave),
        cells,
        buckets,
        dimensions,
        before,
        critic_windows: Vec::new(),
        notices: options.changed.as_ref().map(|changed| changed.gone.clone()).unwrap_or_default(),
    })
}

/// The dimensions that run ahead, and those of the fan-out, both in recipe order.
fn chosen_dimensions(recipe: &Recipe, asked: Option<&[String]>) -> Result<(Vec<String>, Vec<String>), PlanError> {
    let known = || recipe.dimensions.iter().map(|dimension| dimension.id.as_str()).collect::<Vec<_>>().join(", ");
    for name in asked.unwrap_or_default() {
        if recipe.dimension(name).is_none() {
            return Err(PlanError::UnknownDimension { recipe: recipe.name.clone(), name: name.clone(), known: known() });
        }
    }
    let chosen = recipe.dimensions.iter().filter(|dimension| match asked {
        Some(names) => names.iter().any(|name| dimension.id.eq_ignore_ascii_case(name)),
        None => dimension.default,
    });
    let (before, dimensions): (Vec<_>, Vec<_>) = chosen.partition(|dimension| dimension.before);
    if dimensions.is_empty() {
        return Err(PlanError::NoDimension { recipe: recipe.name.clone(), known: known() });
    }
    let ids = |list: Vec<&crate::model::recipe::Dimension>| list.into_iter().map(|d| d.id.clone()).collect();
    Ok((ids(before), ids(dimensions)))
}

/// The scopes in order: the whole file, or units (all, or the changed ones) and PRD-global.
fn scopes(outline: &Outline, granularity: Granularity, changed: Option<&Changed>) -> Vec<Scope> {
    if changed.is_none() && granularity == Granularity::Auto && is_small(outline) {
        let all = LineSpan::new(1, outline.line_count());
        return vec![Scope { name: WHOLE_FILE.to_owned(), uc_id: String::new(), lines: vec![all] }];
    }
    let mut scopes: Vec<Scope> = Vec::new();
    for (index, unit) in outline.units.iter().enumerate() {
        if changed.is_none_or(|changed| changed.units.contains(&index)) {
            let name = unique_name(&scopes, &unit.id);
            scopes.push(Scope { name, uc_id: unit.uc_id().to_owned(), lines: vec![unit.place.lines] });
        }
    }
    scopes.extend(global_scopes(outline));
    scopes
}

/// Few units and few lines; sections that stand in for units do not count.
fn is_small(outline: &Outline) -> bool {
    let units = outline.units.iter().filter(|unit| unit.kind != UnitKind::SectionStandIn).count();
    units <= FEW_UNITS && outline.line_count() <= FEW_LINES
}

/// A scope name that is not taken: `UC-02`, then `UC-02 (2)`.
fn unique_name(taken: &[Scope], wanted: &str) -> String {
    let is_taken = |name: &str| taken.iter().any(|scope| scope.name == name);
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    (2..).map(|n| format!("{wanted} ({n})")).find(|name| !is_taken(name)).expect("some number is free")
}

/// PRD-global as one scope, or cut at its top-level sections where units cover under half of the lines
/// and PRD-global itself has over 300.
fn global_scopes(outline: &Outline) -> Vec<Scope> {
    let global = outline.lines_outside_units();
    let length: u32 = global.iter().map(|span| span.len()).sum();
    let top_level = outline.top_level_sections();
    let whole = || vec![Scope { name: PRD_GLOBAL.to_owned(), uc_id: String::new(), lines: global.clone() }];
    if outline.lines_in_units() * 2 >= outline.line_count() || length <= FEW_LINES || top_level.is_empty() {
        return whole();
    }
    let mut cut: Vec<Scope> = Vec::new();
    let mut from = 1;
    for (position, &index) in top_level.iter().enumerate() {
        // Text above the first section goes with it, so that no line is left unread.
        let last = match top_level.get(position + 1) {
            Some(&next) => outline.sections[next].place.lines.first - 1,
            None => outline.line_count(),
        };
        let lines = intersect(&global, LineSpan::new(from, last));
        from = last + 1;
        if !lines.is_empty() {
            let name = unique_name(&cut, &format!("{PRD_GLOBAL}/{}", outline.sections[index].title));
            cut.push(Scope { name, uc_id: String::new(), lines });
        }
    }
    cut
}

fn intersect(spans: &[LineSpan], with: LineSpan) -> Vec<LineSpan> {
    spans
        .iter()
        .map(|span| LineSpan::new(span.first.max(with.first), span.last.min(with.last)))
        .filter(|span| span.first <= span.last)
        .collect()
}

/// Cuts the scopes into `groups` contiguous buckets, larger first; PRD-global has the last one to itself
/// whenever that does not make the largest bucket larger.
fn buckets(scopes: &[Scope], groups: usize) -> Vec<Vec<usize>> {
    let count = scopes.len();
    if groups >= count {
        return (0..count).map(|index| vec![index]).collect();
    }
    let ends_with_global = scopes.last().is_some_and(|scope| scope.name == PRD_GLOBAL);
    let units = count - 1;
    if ends_with_global && groups > 1 && units.div_ceil(groups - 1) <= count.div_ceil(groups) {
        let mut buckets = contiguous(units, groups - 1);
        buckets.push(vec![units]);
        return buckets;
    }
    contiguous(count, groups)
}

/// `0..count` in `groups` contiguous parts whose sizes differ by at most one, larger first.
fn contiguous(count: usize, groups: usize) -> Vec<Vec<usize>> {
    let (size, larger) = (count / groups, count % groups);
    let mut next = 0;
    (0..groups)
        .map(|group| {
            let end = next + size + usize::from(group < larger);
            let bucket = (next..end).collect();
            next = end;
            bucket
        })
        .collect()
}

/// One cell per dimension × bucket × replica, cut into waves of at most `cap`.
fn cells(dimensions: &[String], buckets: usize, replicas: u32, cap: usize) -> Vec<Cell> {
    let mut cells = Vec::new();
    for replica in 1..=replicas {
        for bucket in 0..buckets {
            for dimension in dimensions {
                let wave = (cells.len() / cap) as u32 + 1;
                cells.push(Cell { dimension: dimension.clone(), bucket, replica, wave });
            }
        }
    }
    cells
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
