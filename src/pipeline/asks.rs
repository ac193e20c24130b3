//! The questions of a review: what each agent is asked, and the hash of what was asked.

use crate::document::cited;
use crate::model::arbiter::ArbiterGroup;
use crate::model::event::Body;
use crate::model::finding::{Finding, Known};
use crate::model::outline::LineSpan;
use crate::model::plan::{Cell, Plan, WHOLE_FILE, cell_key};
use crate::model::recipe::Dimension;
use crate::rules::{arbiter, enter};
use crate::run::{Agent, AgentFault, Answered, Ask, Attempt, Council, FaultClass, Purse, Reply, Role, StepSpec, Subject};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A step with the question behind it.
#[derive(Clone)]
pub(super) struct Question {
    pub spec: StepSpec,
    pub ask: Ask,
    pub agent: Arc<dyn Agent>,
}

impl Question {
    fn new(ask: Ask, input_hash: String, dimension: &str, agent: &Arc<dyn Agent>, wave: u32) -> Question {
        let spec = StepSpec {
            key: ask.key.clone(),
            input_hash,
            label: crate::model::ids::StepKey::from(ask.key.as_str()).label(),
            dimension: dimension.to_owned(),
            scopes: ask.scopes.clone(),
            agent: agent.name(),
            wave,
            reserve: agent.reserve(&ask),
            deadline: Some(agent.deadline()),
        };
        Question { spec, ask, agent: Arc::clone(agent) }
    }
}

/// What a review asks before anything is known: the checks ahead of the fan-out, every cell of the plan, and the critic's first
/// round. An arbiter's questions are not among them: they are about findings.
pub fn asks(plan: &Plan, subject: &Arc<Subject>) -> Vec<Ask> {
    let ahead = plan.before.iter().filter_map(|id| subject.recipe.dimension(id));
    let mut asks: Vec<Ask> = ahead.map(|dimension| before_ask(dimension, subject)).collect();
    let buckets = buckets(plan, subject);
    asks.extend(plan.cells.iter().map(|cell| cell_ask(plan, cell, &buckets[cell.bucket], subject)));
    asks.extend(critic_asks(1, &[], &plan.critic_windows, subject));
    asks
}

/// One question per cell of the plan.
pub(super) fn of_cells(plan: &Plan, subject: &Arc<Subject>, council: &Council) -> Vec<Question> {
    let buckets = buckets(plan, subject);
    plan.cells
        .iter()
        .map(|cell| {
            let bucket = &buckets[cell.bucket];
            let hash = input_hash(subject, &[cell.dimension.as_str(), &bucket.hash, &cell.replica.to_string()]);
            let ask = cell_ask(plan, cell, bucket, subject);
            let agent = council.reviewer_of(&cell.dimension);
            // Whoever takes no place waits for none.
            let wave = if agent.is_capped() { cell.wave } else { 1 };
            Question::new(ask, hash, &cell.dimension, agent, wave)
        })
        .collect()
}

/// The same questions put to the floor, once each, and the critic's share of what it knows.
pub(super) fn of_floor(cells: &[Question], floor: &Arc<dyn Agent>, subject: &Arc<Subject>) -> Vec<Question> {
    let put = |key: String, question: &Question| {
        let (ask, spec) = (Ask { key, ..question.ask.clone() }, &question.spec);
        Question::new(ask, spec.input_hash.clone(), &spec.dimension, floor, 1)
    };
    let first = cells.iter().filter(|question| !question.spec.key.contains("/r"));
    let mut questions: Vec<Question> = first
        .filter_map(|question| Some(put(format!("floor/{}", question.spec.key.strip_prefix("review/")?), question)))
        .collect();
    let critic = ask("floor/critic", Role::Critic, subject);
    let hash = input_hash(subject, &["critic", subject.document.hash()]);
    questions.push(Question::new(Ask { scopes: vec![WHOLE_FILE.to_owned()], ..critic }, hash, "critic", floor, 1));
    questions
}

fn cell_ask(plan: &Plan, cell: &Cell, bucket: &Bucket, subject: &Arc<Subject>) -> Ask {
    Ask {
        scopes: bucket.scopes.clone(),
        lines: bucket.lines.clone(),
        cited: bucket.cited.clone(),
        dimension: subject.recipe.dimension(&cell.dimension).cloned(),
        ..ask(&cell_key(plan, cell).0, Role::Reviewer, subject)
    }
}

fn buckets(plan: &Plan, subject: &Subject) -> Vec<Bucket> {
    (0..plan.buckets.len()).map(|bucket| Bucket::of(plan, bucket, subject)).collect()
}

/// What the agents of one bucket share.
struct Bucket {
    scopes: Vec<String>,
    lines: Vec<LineSpan>,
    cited: Vec<crate::model::outline::Place>,
    hash: String,
}

impl Bucket {
    fn of(plan: &Plan, bucket: usize, subject: &Subject) -> Bucket {
        let scopes: Vec<String> = plan.bucket_names(bucket).into_iter().map(str::to_owned).collect();
        let lines: Vec<LineSpan> = plan.buckets[bucket].iter().flat_map(|&scope| plan.scopes[scope].lines.clone()).collect();
        // A whole-file agent has everything before it already.
        let cited = if scopes == [WHOLE_FILE] { Vec::new() } else { cited::cited_by(&subject.document, &lines) };
        let mut hasher = blake3::Hasher::new();
        for span in &lines {
            for line in span.first..=span.last {
                hasher.update(subject.document.line_text(line).as_bytes());
                hasher.update(b"\n");
            }
        }
        for place in &cited {
            hasher.update(subject.document.slice(place.span).as_bytes());
        }
        Bucket { scopes, lines, cited, hash: hasher.finalize().to_hex()[..16].to_owned() }
    }
}

/// The question of a step ahead of the fan-out.
pub(super) fn before(dimension: &Dimension, subject: &Arc<Subject>, council: &Council) -> Question {
    let hash = input_hash(subject, &[&dimension.id, subject.document.hash()]);
    Question::new(before_ask(dimension, subject), hash, &dimension.id, council.reviewer_of(&dimension.id), 1)
}

fn before_ask(dimension: &Dimension, subject: &Arc<Subject>) -> Ask {
    let lines = vec![LineSpan::new(1, subject.document.outline().line_count())];
    Ask {
        dimension: Some(dimension.clone()),
        scopes: vec![WHOLE_FILE.to_owned()],
        lines,
        ..ask(&format!("before/{}", dimension.id), Role::Before, subject)
    }
}

/// The question of agent mode: one dimension on the section given.
pub(super) fn section(dimension: &Dimension, lines: Vec<LineSpan>, subject: &Arc<Subject>) -> Ask {
    let cited = cited::cited_by(&subject.document, &lines);
    Ask {
        dimension: Some(dimension.clone()),
        lines,
        cited,
        ..ask(&format!("review/{}/section", dimension.id), Role::Section, subject)
    }
}

/// The critic's question in a round; one for each window where it cannot read the document whole.
pub(super) fn critic(
    round: u32,
    known: &[Known],
    windows: &[LineSpan],
    subject: &Arc<Subject>,
    council: &Council,
) -> Vec<Question> {
    let told = serde_json::to_string(known).unwrap_or_default();
    let question = |ask: Ask| {
        let seen: Vec<String> = ask.lines.iter().map(|lines| format!("{}-{}", lines.first, lines.last)).collect();
        let parts = ["critic", subject.document.hash(), &told].into_iter().chain(seen.iter().map(String::as_str));
        let hash = input_hash(subject, &parts.collect::<Vec<_>>());
        Question::new(ask, hash, "critic", &council.critic, 1)
    };
    critic_asks(round, known, windows, subject).into_iter().map(question).collect()
}

fn critic_asks(round: u32, known: &[Known], windows: &[LineSpan], subject: &Arc<Subject>) -> Vec<Ask> {
    let whole = |key: String, lines: Vec<LineSpan>| {
        let scopes = vec![WHOLE_FILE.to_owned()];
        Ask { known: known.to_vec(), scopes, lines, ..ask(&key, Role::Critic, subject) }
    };
    match windows {
        [] => vec![whole(format!("critic/{round}"), Vec::new())],
        windows => {
            let each = windows.iter().enumerate();
            each.map(|(index, window)| whole(format!("critic/{round}/w{}", index + 1), vec![*window])).collect()
        }
    }
}

/// The arbiter's two questions about a group: its members one way round and the other.
pub(super) fn of_arbiter(
    group: &ArbiterGroup,
    members: &[Finding],
    subject: &Arc<Subject>,
    seat: &Arc<dyn Agent>,
) -> [Question; 2] {
    let question = |order: &str, listing: Vec<Finding>| {
        let key = format!("arbiter/{}/{order}", group.key);
        let listed = serde_json::to_string(&listing).unwrap_or_default();
        let hash = input_hash(subject, &["arbiter", &listed]);
        let ask = Ask { listing, ..ask(&key, Role::Arbiter, subject) };
        Question::new(ask, hash, "arbiter", seat, 1)
    };
    [question("ab", members.to_vec()), question("ba", members.iter().rev().cloned().collect())]
}

fn ask(key: &str, role: Role, subject: &Arc<Subject>) -> Ask {
    Ask {
        key: key.to_owned(),
        attempt: 1,
        role,
        dimension: None,
        scopes: Vec::new(),
        lines: Vec::new(),
        cited: Vec::new(),
        known: Vec::new(),
        listing: Vec::new(),
        subject: Arc::clone(subject),
        purse: Purse::default(),
        cancel: CancellationToken::new(),
    }
}

/// Hash of what is asked: recipe, context, language, criteria and other documents, and the parts of this question.
/// Wording, model and cap are provenance and stay out (DESIGN, rule 4).
fn input_hash(subject: &Subject, parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    let shared = serde_json::json!([subject.recipe, subject.context, subject.criteria, subject.lang]);
    hasher.update(shared.to_string().as_bytes());
    for (_, other) in &subject.others {
        hasher.update(other.hash().as_bytes());
    }
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// One attempt at a question: ask, check, and what is recorded of the answer.
pub(super) async fn attempt(
    agent: Arc<dyn Agent>,
    ask: Ask,
    number: u32,
    cancel: CancellationToken,
) -> Result<Attempt, AgentFault> {
    let ask = Ask { attempt: number, cancel, ..ask };
    let (role, listed, subject) = (ask.role, ask.listing.len(), Arc::clone(&ask.subject));
    let Answered { reply, agent, usage, provenance } = agent.ask(ask).await?;
    check(&reply, role, listed, number, &subject).map_err(|problem| AgentFault::new(FaultClass::Invalid, problem))?;
    let findings = match &reply {
        Reply::Findings(list) => list.len() as u32,
        _ => 0,
    };
    let unfit = |error: serde_json::Error| AgentFault::new(FaultClass::Invalid, error.to_string());
    Ok(Attempt { answer: Body::of(&reply).map_err(unfit)?, findings, agent, usage, provenance })
}

/// Whether an answer keeps its contract; what breaks it is asked again. A critic that names no dimension of the recipe is
/// asked once more, then its finding gets the recipe's first (SPEC S0, Phase 2).
pub(super) fn check(reply: &Reply, role: Role, listed: usize, attempt: u32, subject: &Subject) -> Result<(), String> {
    match (reply, role) {
        (Reply::Findings(raws), Role::Reviewer | Role::Section | Role::Before | Role::Critic) => {
            let role = if role == Role::Critic && attempt == 1 { enter::Role::Any } else { enter::Role::Reviewer("") };
            raws.iter().try_for_each(|raw| enter::validate(raw, &subject.recipe, role))
        }
        (Reply::Verdicts(parts), Role::Arbiter) => arbiter::check(parts, listed),
        (Reply::NotCovered, _) => Ok(()),
        _ => Err("the answer is of another kind than the question".to_owned()),
    }
}
