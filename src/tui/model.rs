//! The model: everything the screens are functions of.

use super::commands::Place;
use super::differences::{self, LineDiff};
use super::entry::Entry;
use super::filter::{Haystacks, is_decided};
use super::glyphs::Glyphs;
use super::live::Output;
use super::message::Now;
use super::port::{Access, Ended, Preview};
use super::rows::{self, Standing};
use super::sending::Sending;
use super::theme::Theme;
use crate::document::Document;
use crate::journal::History;
use crate::model::finding::{Finding, Question, Severity, Status};
use crate::model::gate::{GateRecord, Op};
use crate::model::ids::{FindingKey, QuestionKey};
use crate::model::view::RunView;
use crate::rules::{decide, ledger};
use crate::text::{Catalogue, Value};
use crossterm::event::KeyEvent;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Key of the gate at which findings are settled.
pub const SETTLE: &str = "gate/settle";

/// The screens of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Screen {
    /// Agents live, rounds, findings as they come.
    Run,
    /// Conflicts, one at a time.
    Decide,
    /// Questions, one at a time.
    Questions,
    /// All findings.
    Findings,
    /// What will be written.
    Report,
}

impl Screen {
    /// All screens, in the order of their tabs.
    pub const ALL: [Screen; 5] = [Screen::Run, Screen::Decide, Screen::Questions, Screen::Findings, Screen::Report];

    /// Message id of its name.
    pub fn say(self) -> &'static str {
        match self {
            Screen::Run => "screen-run",
            Screen::Decide => "screen-decide",
            Screen::Questions => "screen-questions",
            Screen::Findings => "screen-findings",
            Screen::Report => "screen-report",
        }
    }
}

/// How it looks: theme and marks.
#[derive(Clone, Debug)]
pub struct Look {
    /// Styles by role.
    pub theme: Theme,
    /// Marks.
    pub glyphs: &'static Glyphs,
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something went well; goes with the next key.
    Done,
    /// Something to know; goes with the next key.
    Hint,
    /// Something went wrong; stays until Esc.
    Error,
}

/// A line for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How much it matters.
    pub level: Level,
    /// Its words.
    pub text: String,
}

/// What lies over the screen.
#[derive(Debug)]
pub enum Layer {
    /// The keys that work here; lines scrolled.
    Help(usize),
    /// All messages; lines scrolled.
    Log(usize),
    /// Commands by typing: the field and the cursor.
    Palette(Box<super::field::Field>, usize),
    /// A text area.
    Entry(Box<Entry>),
    /// A yes or no before leaving.
    Leave,
    /// A yes or no before leaving a step without an answer: its key.
    Hole(String),
    /// What is to be confirmed before anything is sent.
    Sending(Box<Sending>),
}

/// A question that the person carries to a chat.
#[derive(Clone, Debug, Default)]
pub struct Errand {
    /// The question, whole.
    pub text: String,
    /// The same, as the pane shows it.
    pub shown: Output,
    /// What was typed or pasted of the answer and not given yet.
    pub draft: String,
}

/// The Run screen's own state.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    /// The row under the cursor, an agent's key or [`rows::FOLD`]; none while nobody has moved it.
    pub cursor: Option<String>,
    /// The rows as they are held while there is a cursor.
    pub order: Vec<String>,
    /// The first row shown.
    pub top: usize,
    /// Whether finished agents are unfolded.
    pub unfolded: bool,
    /// The agent whose output is open.
    pub output: Option<Pane>,
    /// Whether every round waits for the person.
    pub step: bool,
    /// The finding under the cursor while a round is looked at.
    pub round_cursor: usize,
    /// Lines of that finding scrolled.
    pub round_scroll: usize,
}

/// An agent's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    /// Step key.
    pub step: String,
    /// Whether the end is followed.
    pub follow: bool,
    /// First row shown where it is not.
    pub top: usize,
    /// Rows there were when following stopped.
    pub seen: usize,
    /// Lines that the output had dropped by then.
    pub dropped: usize,
    /// The pane over which the exact prompt is shown here, where that is what is shown: the output, or nothing.
    pub prompt: Option<Option<Box<Pane>>>,
}

impl Pane {
    /// The output of an agent, from its end or its beginning.
    pub fn output(step: &str, follow: bool) -> Pane {
        Pane { step: step.to_owned(), follow, top: 0, seen: 0, dropped: 0, prompt: None }
    }

    /// The exact prompt of an agent, over its output where that is open.
    pub fn prompt(step: &str, over: Option<Pane>) -> Pane {
        Pane { prompt: Some(over.map(Box::new)), ..Pane::output(step, false) }
    }
}

/// The Findings screen's own state.
#[derive(Clone, Debug, Default)]
pub struct FindingsState {
    /// The row under the cursor.
    pub cursor: usize,
    /// Whether the detail fills the screen where there is room for one pane only.
    pub open: bool,
    /// Lines of the detail scrolled.
    pub scroll: usize,
    /// Words to show only.
    pub filter: String,
    /// Severity to show only.
    pub severity: Option<Severity>,
    /// Status to show only.
    pub status: Option<Status>,
    /// Marked for a common decision.
    pub marked: BTreeSet<FindingKey>,
    /// Rows that the filters leave: indexes into the findings.
    pub shown: Vec<usize>,
    /// Whether what is not in the file is unfolded.
    pub unfolded: bool,
    /// The words that the filter searches.
    pub haystacks: Haystacks,
}

/// The difference of what would be written against what is there.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Its lines.
    pub lines: Vec<LineDiff>,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
}

impl Difference {
    /// The difference between two texts.
    pub fn between(there: &str, text: &str) -> Difference {
        let lines = differences::lines(there, text, 2);
        let count = |wanted: fn(&LineDiff) -> bool| lines.iter().filter(|line| wanted(line)).count();
        let added = count(|line| matches!(line, LineDiff::Added { .. }));
        let removed = count(|line| matches!(line, LineDiff::Removed { .. }));
        Difference { lines, added, removed }
    }
}

/// What the findings come to with all decisions so far.
#[derive(Clone, Debug, Default)]
pub struct Decided {
    /// Findings in their order; as they came in, before there is a proposal.
    pub findings: Vec<Finding>,
    /// Findings that a person struck: not in the file.
    pub struck: Vec<Finding>,
    /// How many of them anybody has decided.
    pub decided: usize,
    /// Conflicts, open or settled: indexes into the findings.
    pub conflicts: Vec<usize>,
    /// Questions, open or not: finding and place in its list.
    pub questions: Vec<(usize, usize)>,
    /// What holds up writing, and what else is open.
    pub open: decide::OpenItems,
    /// Words typed but not given, by subject.
    pub drafts: BTreeMap<String, String>,
}

/// The model.
pub struct Model {
    /// Words in the run's language.
    pub words: Catalogue,
    /// Theme and marks.
    pub look: Look,
    /// The document under review.
    pub document: Arc<Document>,
    /// Its name, as the user gave it.
    pub given: String,
    /// What the person is called in records.
    pub person: String,
    /// All events.
    pub history: History,
    /// The run at the moment that is looked at, where that is not now: after how many events, and what it was.
    pub past: Option<(usize, Box<RunView>)>,
    /// What agents said.
    pub outputs: HashMap<String, Output>,
    /// The exact prompt that is shown: of which step, and its text.
    pub prompt: Option<(String, Output)>,
    /// Whether this window may change the run.
    pub access: Access,
    /// The gate at which a person is awaited.
    pub desk: Option<String>,
    /// Whether a finished run can be reopened by a decision.
    pub reopens: bool,
    /// What the findings come to.
    pub decided: Decided,
    /// The screen.
    pub screen: Screen,
    /// What lies over it, the top one last.
    pub layers: Vec<Layer>,
    /// The Run screen.
    pub run: RunState,
    /// The conflict on Decide: index into [`Decided::conflicts`].
    pub conflict: usize,
    /// Lines of Decide scrolled.
    pub conflict_scroll: usize,
    /// The question on Questions: index into [`Decided::questions`].
    pub question: usize,
    /// Lines of Questions scrolled.
    pub question_scroll: usize,
    /// The Findings screen.
    pub findings: FindingsState,
    /// What is open under the cursor of Report: index into [`super::screens::report::open_items`].
    pub report_cursor: usize,
    /// Lines of Report scrolled.
    pub report_scroll: usize,
    /// What would be written.
    pub preview: Option<Preview>,
    /// The difference it makes.
    pub difference: Difference,
    /// How the run ended.
    pub ended: Option<Ended>,
    /// The line for the person.
    pub message: Option<Message>,
    /// All lines so far, oldest first.
    pub log: Vec<Message>,
    /// When Ctrl-C was pressed once, in the screen's milliseconds.
    pub armed: Option<u64>,
    /// When text was pasted or came in a burst, in the screen's milliseconds.
    pub pasted: Option<u64>,
    /// Decisions on their way to the disk: until they are there, further keys wait, for they are meant for what comes then.
    pub in_flight: Vec<Op>,
    /// Questions that the person carries, by step key.
    pub errands: BTreeMap<String, Errand>,
    /// Keys that wait.
    pub typed_ahead: Vec<KeyEvent>,
    /// When a draft must be on its way to the disk, in the screen's milliseconds.
    pub draft_due: Option<u64>,
    /// The moment of the last message.
    pub now: Now,
    /// Rows a page of the current screen holds, as drawn last.
    pub page: usize,
    /// Rows of the scrolled part of the current screen, as drawn last.
    pub rows: usize,
}

/// What a model begins with.
pub struct Opening {
    /// Words in the run's language.
    pub words: Catalogue,
    /// Theme and marks.
    pub look: Look,
    /// The document under review.
    pub document: Arc<Document>,
    /// Its name, as the user gave it.
    pub given: String,
    /// What the person is called in records.
    pub person: String,
    /// What is recorded so far.
    pub events: Vec<crate::model::event::Event>,
    /// Whether this window may change the run.
    pub access: Access,
    /// Whether every round waits for the person.
    pub step: bool,
}

impl Model {
    /// The model of a run as far as it is recorded.
    pub fn new(opening: Opening) -> Model {
        let Opening { words, look, document, given, person, events, access, step } = opening;
        let history = History::new(events);
        let mut model = Model {
            words,
            look,
            document,
            given,
            person,
            history,
            past: None,
            outputs: HashMap::new(),
            prompt: None,
            access,
            desk: None,
            reopens: false,
            decided: Decided::default(),
            screen: Screen::Run,
            layers: Vec::new(),
            run: RunState { step, ..RunState::default() },
            conflict: 0,
            conflict_scroll: 0,
            question: 0,
            question_scroll: 0,
            findings: FindingsState::default(),
            report_cursor: 0,
            report_scroll: 0,
            preview: None,
            difference: Difference::default(),
            ended: None,
            message: None,
            log: Vec::new(),
            armed: None,
            pasted: None,
            in_flight: Vec::new(),
            errands: BTreeMap::new(),
            typed_ahead: Vec::new(),
            draft_due: None,
            now: Now::default(),
            page: 1,
            rows: 0,
        };
        model.decide_again();
        model
    }

    /// Nothing is under way: the run ended as told, or a findings file is looked at. A decision opens the gate again.
    pub fn rests(&mut self, ended: Option<Ended>) {
        self.reopens = true;
        self.screen = match &ended {
            Some(ended) if ended.written.is_some() => Screen::Report,
            _ if self.view().proposal.is_some() => Screen::Findings,
            _ => Screen::Run,
        };
        self.ended = ended;
        self.decide_again();
    }

    /// The run at the moment that is looked at.
    pub fn view(&self) -> &RunView {
        self.past.as_ref().map_or_else(|| self.history.now(), |(_, view)| view)
    }

    /// A message of the catalogue.
    pub fn say(&self, id: &str, args: &[(&str, Value<'_>)]) -> String {
        self.words.say(id, args)
    }

    /// A message without variables.
    pub fn word(&self, id: &str) -> String {
        self.words.say(id, &[])
    }

    /// Where keys go now, the innermost place first.
    pub fn places(&self) -> Vec<Place> {
        match self.layers.last() {
            Some(Layer::Help(_) | Layer::Log(_)) => return vec![Place::Reading],
            Some(Layer::Palette(..)) => return vec![Place::Palette],
            Some(Layer::Entry(_)) => return vec![Place::Entry],
            Some(Layer::Leave | Layer::Hole(_)) => return vec![Place::Confirm],
            Some(Layer::Sending(_)) => return vec![Place::Sending],
            None => {}
        }
        self.screen_places()
    }

    /// Where keys go when nothing lies over the screen.
    pub fn screen_places(&self) -> Vec<Place> {
        let mut places = match self.screen {
            Screen::Run if self.at_round().is_some() && self.run.output.is_none() => vec![Place::Round, Place::Run],
            Screen::Run if self.run.output.is_some() => vec![Place::Output, Place::Run],
            Screen::Run => vec![Place::Run],
            Screen::Decide => vec![Place::Decide],
            Screen::Questions => vec![Place::Questions],
            Screen::Findings => vec![Place::Findings],
            Screen::Report => vec![Place::Report],
        };
        places.push(Place::Everywhere);
        places
    }

    /// The round whose gate waits for the person; none while a past moment is looked at.
    pub fn at_round(&self) -> Option<u32> {
        let desk = self.desk.as_deref().filter(|_| self.past.is_none());
        desk.and_then(|gate| gate.strip_prefix("gate/round/")).and_then(|round| round.parse().ok())
    }

    /// The file that was written before the decisions of now, where they are not in it.
    pub fn written_before(&self) -> Option<&str> {
        let open = self.desk.as_deref() == Some(SETTLE);
        self.history.now().written.as_deref().filter(|_| open)
    }

    /// Whether decisions on the proposal can be left now.
    pub fn can_decide(&self) -> bool {
        self.access == Access::Write && self.past.is_none() && (self.desk.as_deref() == Some(SETTLE) || self.reopens)
    }

    /// The gate that undo, redo and records go to.
    pub fn gate(&self) -> Option<&str> {
        self.desk.as_deref().or(self.reopens.then_some(SETTLE))
    }

    /// Records on a gate.
    pub fn records(&self, gate: &str) -> &[GateRecord] {
        self.view().gates.get(gate).map_or(&[], |gate| gate.records.as_slice())
    }

    /// The conflict on Decide.
    pub fn current_conflict(&self) -> Option<&Finding> {
        self.decided.conflicts.get(self.conflict).and_then(|&index| self.decided.findings.get(index))
    }

    /// The question on Questions with its finding.
    pub fn current_question(&self) -> Option<(&Finding, &Question)> {
        let &(finding, place) = self.decided.questions.get(self.question)?;
        let finding = self.decided.findings.get(finding)?;
        Some((finding, finding.blocked_on.get(place)?))
    }

    /// The finding under the cursor on Findings.
    pub fn current_finding(&self) -> Option<&Finding> {
        self.findings.shown.get(self.findings.cursor).and_then(|&index| self.decided.findings.get(index))
    }

    /// A question by its key.
    pub fn question(&self, key: &QuestionKey) -> Option<(&Finding, &Question)> {
        self.decided.questions.iter().find_map(|&(finding, place)| {
            let finding = &self.decided.findings[finding];
            finding.blocked_on.get(place).filter(|question| question.key == *key).map(|question| (finding, question))
        })
    }

    /// A finding by its key.
    pub fn finding(&self, key: &FindingKey) -> Option<&Finding> {
        self.decided.findings.iter().find(|finding| finding.key == *key)
    }

    /// The agent that keys are about: the one whose output is open, the critic of the round that is looked at, the one
    /// under the cursor, else the first one of the list.
    pub fn current_agent(&self) -> Option<String> {
        let open = self.run.output.as_ref().map(|pane| pane.step.clone());
        let critic = || self.at_round().map(|round| format!("critic/{round}"));
        let row = || self.run.cursor.clone().or_else(|| self.agents().into_iter().next());
        open.or_else(critic).or_else(row).filter(|key| key != rows::FOLD)
    }

    /// Failed agents that wait for a person.
    pub fn waiting_for_you(&self) -> Vec<String> {
        let steps = self.view().steps.iter().filter(|(_, step)| Standing::of(step) == Standing::NeedsYou);
        steps.map(|(key, _)| key.clone()).collect()
    }

    /// The rows of the list of agents, as shown.
    pub fn agents(&self) -> Vec<String> {
        let held = self.run.cursor.is_some().then_some(self.run.order.as_slice());
        rows::listed(self.view(), self.run.unfolded, held)
    }

    /// An agent's name for people.
    pub fn agent_name(&self, key: &str) -> String {
        rows::name(&self.words, key)
    }

    /// The text of the pane that is open, where it has come: what the agent says, or its prompt.
    pub fn pane_text(&self, pane: &Pane) -> Option<&Output> {
        match &pane.prompt {
            Some(_) => self.prompt.as_ref().filter(|(step, _)| *step == pane.step).map(|(_, text)| text),
            // While the person carries the question, that is what they want to see.
            None => self.errand(&pane.step).map(|errand| &errand.shown).or_else(|| self.outputs.get(&pane.step)),
        }
    }

    /// The question of a step that the person carries; none while an earlier moment is looked at.
    pub fn errand(&self, step: &str) -> Option<&Errand> {
        self.errands.get(step).filter(|_| self.past.is_none())
    }

    /// Whether anything runs, so that elapsed times go on.
    pub fn is_running(&self) -> bool {
        self.past.is_none()
            && self.ended.is_none()
            && self.history.now().steps.iter().any(|(key, step)| {
                rows::is_agent(key) && matches!(rows::Standing::of(step), rows::Standing::Running | rows::Standing::Failed)
            })
    }

    /// Findings of a round, as recorded.
    pub fn round_findings(&self, round: u32) -> Vec<&crate::model::view::Found> {
        self.view().feed.iter().filter(|found| found.round == Some(round)).collect()
    }

    /// Takes the decisions on the gate of settling, or what has come in so far, into [`Model::decided`].
    pub fn decide_again(&mut self) {
        let view = self.view();
        let records = view.gates.get(SETTLE).map_or(&[][..], |gate| gate.records.as_slice());
        let applied = view.proposal.as_ref().map(|proposal| decide::apply(proposal, records)).unwrap_or_default();
        let decide::Decided { findings, struck, .. } = applied;
        let is_conflict = |(index, finding): (usize, &Finding)| finding.is_conflict().then_some(index);
        let conflicts = findings.iter().enumerate().filter_map(is_conflict).collect();
        let asking = |(index, finding): (usize, &Finding)| (0..finding.blocked_on.len()).map(move |place| (index, place));
        let questions = findings.iter().enumerate().flat_map(asking).collect();
        let open = decide::open_items(&findings);
        let decided = findings.iter().filter(|finding| is_decided(finding)).count();
        self.decided = Decided { findings, struck, decided, conflicts, questions, open, drafts: self.drafts() };
        self.conflict = self.conflict.min(self.decided.conflicts.len().saturating_sub(1));
        self.question = self.question.min(self.decided.questions.len().saturating_sub(1));
        self.filter_again();
    }

    /// Words typed but not given at the gate that is open, by subject.
    pub fn drafts(&self) -> BTreeMap<String, String> {
        self.gate().map(|gate| ledger::drafts(self.records(gate))).unwrap_or_default()
    }
}
