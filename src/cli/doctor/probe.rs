//! One tiny question to each reviewer, through all that a review goes through: the prompt, the server or the walled-in program,
//! the answer read item by item. Only what was asked for: it sends keys, begins programs, and may cost.

use super::reviewers::Listed;
use super::{Check, State};
use crate::cli::args::PlanArgs;
use crate::cli::inputs::{self, Inputs};
use crate::cli::seats::{InForce, Table};
use crate::cli::{out, workbench};
use crate::config::Folders;
use crate::config::agents::AgentSpec;
use crate::config::settings::{SeatWords, Setting, Settings};
use crate::model::answer::Provenance;
use crate::model::fault::Fault;
use crate::model::shown::Shown;
use crate::pipeline;
use crate::run::{Answered, Ask, LiveText, Reply, Role};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// What is asked about.
const DOCUMENT: &str = "# Sign in\n\n## UC-01: A customer signs in\n\n- **AC1**: The page loads fast.\n";
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// Counts the pieces that an answer comes in.
#[derive(Default)]
struct Pieces(AtomicUsize);

impl LiveText for Pieces {
    fn prompt(&self, _: &str, _: u32, _: &str) {}

    fn text(&self, _: &str, _: u32, _: &str) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Asks everybody who speaks through a server or a program.
///
/// # Errors
/// The question cannot be made; whoever cannot be asked is a check.
pub(super) fn probe(listed: &[Listed], in_force: &InForce, folders: &Folders) -> Result<Vec<Check>, Fault> {
    let folder = tempfile::tempdir().map_err(|error| Fault::io("a folder for the question", error, "free some space"))?;
    let path = folder.path().join("sign-in.md");
    std::fs::write(&path, DOCUMENT).map_err(|error| Fault::io(path.display(), error, "free some space"))?;
    let plan = PlanArgs { dimensions: Some(vec!["DEV".to_owned()]), ..PlanArgs::default() };
    let inputs = inputs::load(&path, &plan, Some("en"), folders)?;
    let ask = question(&inputs)?;
    let runtime = workbench::runtime()?;
    let asked = listed.iter().filter(|one| matches!(one.spec, Ok(AgentSpec::Endpoint(_) | AgentSpec::Program(_))));
    Ok(asked
        .map(|one| {
            out::notice(&format!("asking {} …", Shown::line(&one.word)));
            runtime
                .block_on(answer(one, &ask, in_force, &inputs.file))
                .unwrap_or_else(|fault| Check::fault("answers", &one.word, &fault))
        })
        .collect())
}

fn question(inputs: &Inputs) -> Result<Ask, Fault> {
    let mut asks = pipeline::asks(&inputs.plan, &inputs.subject).into_iter();
    let none = || Fault::usage("the recipe refine-prd has no question to ask", "remove your own recipe of that name");
    asks.find(|ask| ask.role == Role::Reviewer).ok_or_else(none)
}

async fn answer(one: &Listed, ask: &Ask, in_force: &InForce, file: &Path) -> Result<Check, Fault> {
    let word = |word: &str| Setting::default_of(word.to_owned());
    let seats = SeatWords {
        reviewer: word(&one.word),
        dimensions: Vec::new(),
        critic: word(&one.word),
        arbiter: word("none"),
        replicas: Setting::default_of(None),
        floor: Setting::default_of(false),
    };
    let settings = Settings { seats, ..in_force.settings.clone() };
    let table = Table::of(&settings, &in_force.variables)?;
    let pieces = Arc::new(Pieces::default());
    let live: Arc<dyn LiveText> = Arc::<Pieces>::clone(&pieces);
    let tools = in_force.tools(live, None, file);
    let version = match &one.spec {
        Ok(AgentSpec::Program(program)) => format!("version: {}; ", tools.reviewer(program)?.version().await),
        _ => String::new(),
    };
    let council = table.council(&tools)?;
    let began = Instant::now();
    let asking = council.reviewer.ask(ask.clone());
    tokio::pin!(asking);
    let answered = match timeout(PATIENCE, &mut asking).await {
        Ok(answered) => answered,
        Err(_) => {
            // Put away, not dropped: a program would stay.
            ask.cancel.cancel();
            let _ = asking.await;
            let found = format!("no answer within {} s", PATIENCE.as_secs());
            return Ok(Check::new("answers", &one.word, State::Fault, found).hint("try again later, or another reviewer"));
        }
    };
    let took = began.elapsed().as_secs_f32();
    Ok(match answered {
        Ok(Answered { reply, provenance, usage, .. }) => {
            let findings = if let Reply::Findings(findings) = &reply { findings.len() } else { 0 };
            let by = provenance.as_ref().map(spoken).unwrap_or_default();
            let tokens = format!("{} tokens read, {} written", usage.tokens_in, usage.tokens_out);
            let pieces = pieces.0.load(Ordering::Relaxed);
            let found = format!("{version}{took:.1} s, {findings} findings{by}; in {pieces} pieces; {tokens}");
            Check::ok("answers", &one.word, found)
        }
        Err(fault) => Check::new("answers", &one.word, State::Fault, format!("{version}{}: {fault}", fault.class.word()))
            .hint("until it answers, name another reviewer"),
    })
}

fn spoken(by: &Provenance) -> String {
    let who = if by.answered.is_empty() { String::new() } else { format!("; the model that answered is {}", by.answered) };
    let again = if by.repaired { "; the answer had to be repaired" } else { "" };
    format!("{who}; shape asked for: {}{again}", by.shape)
}
