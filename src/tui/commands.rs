//! The one table of commands: dispatch, footer, help, palette and the README's key reference are made of it.

use super::acts::is_at_needed;
use super::model::{Model, SETTLE, Screen};
use super::update::why_not;
use crate::text::Catalogue;

/// What a person can do. The words for each stand in the catalogue under `do-<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Show the keys that work here.
    Help,
    /// Choose a command by typing.
    Palette,
    /// Show all messages so far.
    Log,
    /// One level back.
    Back,
    /// Leave the workbench.
    Quit,
    /// Cancel what is at hand; twice leaves the workbench.
    Interrupt,
    /// Paint the screen anew.
    Redraw,
    /// Stop the process; the shell's `fg` goes on.
    Suspend,
    /// Go to the run.
    GoRun,
    /// Go to the conflicts.
    GoDecide,
    /// Go to the questions.
    GoQuestions,
    /// Go to the findings.
    GoFindings,
    /// Go to the report.
    GoReport,
    /// The next screen.
    NextScreen,
    /// The screen before.
    PreviousScreen,
    /// Go to what needs a person first.
    GoNeeded,
    /// One up.
    Up,
    /// One down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first.
    First,
    /// To the last.
    Last,
    /// Open what is under the cursor.
    Open,
    /// The next item.
    Next,
    /// The item before.
    Previous,
    /// Take back the last decision.
    Undo,
    /// Bring back what was taken back.
    Redo,
    /// Copy to the terminal's clipboard.
    Copy,
    /// Write what would be copied into a file.
    CopyToFile,
    /// Open the document at this line in the editor.
    OpenDocument,
    /// Look at an earlier moment of the run.
    Earlier,
    /// Look at a later moment of the run.
    Later,
    /// Ask a failed agent again.
    Retry,
    /// Ask every failed agent that waits for a person again.
    RetryAll,
    /// End an agent's attempt.
    Cancel,
    /// Leave a step without an answer.
    AcceptHole,
    /// Wait after each critic round, or no longer.
    StepMode,
    /// Unfold or fold the agents that are done.
    Unfold,
    /// Follow the output's end, or stop following.
    Follow,
    /// Go on to the next round.
    GoOn,
    /// Stop the critic loop here.
    StopRounds,
    /// Strike a finding, or take the strike back.
    Strike,
    /// Add a finding by hand.
    AddFinding,
    /// Take option 1.
    Choose1,
    /// Take option 2.
    Choose2,
    /// Take option 3.
    Choose3,
    /// Take option 4.
    Choose4,
    /// Take option 5.
    Choose5,
    /// Take option 6.
    Choose6,
    /// Take option 7.
    Choose7,
    /// Take option 8.
    Choose8,
    /// Take option 9.
    Choose9,
    /// Merge: own words, begun with what the options say.
    Merge,
    /// Own words.
    OwnWords,
    /// Put off, with a reason.
    Defer,
    /// Reject.
    Reject,
    /// Accept.
    Accept,
    /// Give a reason for what is decided.
    Reason,
    /// Undecided again.
    Clear,
    /// Answer the question.
    Answer,
    /// Name who is to answer.
    Owner,
    /// Show only what has these words.
    Filter,
    /// Show only one severity, then the next.
    FilterSeverity,
    /// Show only one status, then the next.
    FilterStatus,
    /// Mark for a common decision.
    Mark,
    /// Mark all that are shown, or none.
    MarkAll,
    /// Change the words of the suggestion.
    EditWords,
    /// Scroll the detail up.
    DetailUp,
    /// Scroll the detail down.
    DetailDown,
    /// Write the findings file.
    Write,
    /// Save what was typed.
    Submit,
    /// A line break in what is typed.
    LineBreak,
    /// Go on typing in the editor.
    Editor,
    /// Begin with the next option's words.
    OtherOption,
    /// Show an agent's exact prompt, or what lies below it again.
    Prompt,
    /// Confirm that the document is sent.
    Send,
    /// Take in the answer to a question that was carried to a chat.
    Bring,
}

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On every screen while nothing lies over it.
    Everywhere,
    /// In a text area.
    Entry,
    /// In the palette.
    Palette,
    /// In help and in the log.
    Reading,
    /// Where a yes or no is asked.
    Confirm,
    /// Before anything is sent.
    Sending,
    /// On Run.
    Run,
    /// On Run, while a round is looked at.
    Round,
    /// On Run, in an agent's output.
    Output,
    /// On Decide.
    Decide,
    /// On Questions.
    Questions,
    /// On Findings.
    Findings,
    /// On Report.
    Report,
}

impl Place {
    /// All places, in the order of the reference.
    pub const ALL: [Place; 13] = [
        Place::Everywhere,
        Place::Run,
        Place::Output,
        Place::Round,
        Place::Decide,
        Place::Questions,
        Place::Findings,
        Place::Report,
        Place::Entry,
        Place::Palette,
        Place::Reading,
        Place::Confirm,
        Place::Sending,
    ];

    /// Message id of its name.
    pub fn say(self) -> &'static str {
        match self {
            Place::Everywhere => "place-everywhere",
            Place::Entry => "place-entry",
            Place::Palette => "place-palette",
            Place::Reading => "place-reading",
            Place::Confirm => "place-confirm",
            Place::Sending => "place-sending",
            Place::Run => "place-run",
            Place::Round => "place-round",
            Place::Output => "place-output",
            Place::Decide => "place-decide",
            Place::Questions => "place-questions",
            Place::Findings => "place-findings",
            Place::Report => "place-report",
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Command {
    /// What it does.
    pub action: Action,
    /// Where it works.
    pub place: Place,
    /// Keys by name, the one for the footer first.
    pub keys: &'static [&'static str],
    /// Message id of its words.
    pub say: &'static str,
    /// Rank in the footer, the lowest first; 0 keeps it out.
    pub footer: u8,
}

const fn row(action: Action, place: Place, keys: &'static [&'static str], say: &'static str, footer: u8) -> Command {
    Command { action, place, keys, say, footer }
}

/// The table. Within a place, and between a place and `Everywhere`, the first row with the key that can act now acts.
pub static COMMANDS: &[Command] = &[
    // Everywhere
    row(Action::Help, Place::Everywhere, &["?", "f1"], "do-help", 90),
    row(Action::Palette, Place::Everywhere, &[":", "ctrl-p"], "do-palette", 85),
    row(Action::GoRun, Place::Everywhere, &["f2"], "do-go-run", 0),
    row(Action::GoDecide, Place::Everywhere, &["f3"], "do-go-decide", 0),
    row(Action::GoQuestions, Place::Everywhere, &["f4"], "do-go-questions", 0),
    row(Action::GoFindings, Place::Everywhere, &["f5"], "do-go-findings", 0),
    row(Action::GoReport, Place::Everywhere, &["w", "f6"], "do-go-report", 50),
    row(Action::NextScreen, Place::Everywhere, &["tab", "]"], "do-next-screen", 22),
    row(Action::PreviousScreen, Place::Everywhere, &["shift-tab", "["], "do-previous-screen", 0),
    row(Action::GoNeeded, Place::Everywhere, &["!"], "do-go-needed", 5),
    row(Action::Up, Place::Everywhere, &["up", "k"], "do-up", 0),
    row(Action::Down, Place::Everywhere, &["down", "j"], "do-down", 0),
    row(Action::PageUp, Place::Everywhere, &["pageup", "ctrl-u"], "do-page-up", 0),
    row(Action::PageDown, Place::Everywhere, &["pagedown", "ctrl-d"], "do-page-down", 0),
    row(Action::First, Place::Everywhere, &["home", "g"], "do-first", 0),
    row(Action::Last, Place::Everywhere, &["end", "G"], "do-last", 0),
    row(Action::Undo, Place::Everywhere, &["u"], "do-undo", 14),
    row(Action::Redo, Place::Everywhere, &["ctrl-r", "U"], "do-redo", 24),
    row(Action::Copy, Place::Everywhere, &["y"], "do-copy", 0),
    row(Action::CopyToFile, Place::Everywhere, &["Y"], "do-copy-to-file", 0),
    row(Action::OpenDocument, Place::Everywhere, &["E"], "do-open-document", 0),
    row(Action::Log, Place::Everywhere, &["@"], "do-log", 0),
    row(Action::Back, Place::Everywhere, &["esc"], "do-back", 80),
    row(Action::Quit, Place::Everywhere, &["q"], "do-quit", 92),
    row(Action::Interrupt, Place::Everywhere, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Everywhere, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Everywhere, &["ctrl-z"], "do-suspend", 0),
    // Run
    row(Action::Bring, Place::Run, &["b"], "do-bring", 8),
    row(Action::Copy, Place::Run, &["y"], "do-copy-errand", 9),
    row(Action::CopyToFile, Place::Run, &["Y"], "do-errand-to-file", 10),
    row(Action::Retry, Place::Run, &["r"], "do-retry", 10),
    row(Action::RetryAll, Place::Run, &["R"], "do-retry-all", 13),
    row(Action::AcceptHole, Place::Run, &["H"], "do-accept-hole", 11),
    row(Action::Cancel, Place::Run, &["x"], "do-cancel", 12),
    row(Action::Open, Place::Run, &["enter"], "do-open-output", 15),
    row(Action::Prompt, Place::Run, &["p"], "do-prompt", 26),
    row(Action::StepMode, Place::Run, &["s"], "do-step-mode", 20),
    row(Action::Unfold, Place::Run, &["z"], "do-unfold", 25),
    row(Action::Earlier, Place::Run, &["<", ","], "do-earlier", 30),
    row(Action::Later, Place::Run, &[">", "."], "do-later", 31),
    row(Action::Follow, Place::Output, &["f"], "do-follow", 10),
    // A round is looked at
    row(Action::GoOn, Place::Round, &["c"], "do-go-on", 1),
    row(Action::StopRounds, Place::Round, &["S"], "do-stop-rounds", 2),
    row(Action::Strike, Place::Round, &["x", "d"], "do-strike", 3),
    row(Action::AddFinding, Place::Round, &["a", "+"], "do-add-finding", 4),
    row(Action::PageDown, Place::Round, &["pagedown", "ctrl-d"], "do-page-down", 26),
    // Decide
    row(Action::Choose1, Place::Decide, &["a", "1"], "do-choose-a", 10),
    row(Action::Choose2, Place::Decide, &["b", "2"], "do-choose-b", 11),
    row(Action::Choose3, Place::Decide, &["c", "3"], "do-choose-c", 12),
    row(Action::Choose4, Place::Decide, &["4"], "do-choose-d", 12),
    row(Action::Choose5, Place::Decide, &["5"], "do-choose-e", 0),
    row(Action::Choose6, Place::Decide, &["6"], "do-choose-f", 0),
    row(Action::Choose7, Place::Decide, &["7"], "do-choose-g", 0),
    row(Action::Choose8, Place::Decide, &["8"], "do-choose-h", 0),
    row(Action::Choose9, Place::Decide, &["9"], "do-choose-i", 0),
    row(Action::Merge, Place::Decide, &["m"], "do-merge", 13),
    row(Action::OwnWords, Place::Decide, &["o"], "do-own-words", 14),
    row(Action::Defer, Place::Decide, &["d"], "do-defer", 15),
    row(Action::Reject, Place::Decide, &["x"], "do-reject-all", 16),
    row(Action::Reason, Place::Decide, &["r"], "do-reason", 17),
    row(Action::Clear, Place::Decide, &["C"], "do-clear", 0),
    row(Action::Open, Place::Decide, &["enter"], "do-next-open", 0),
    row(Action::Next, Place::Decide, &["n", "right", "l"], "do-next", 18),
    row(Action::Previous, Place::Decide, &["p", "left", "h"], "do-previous", 19),
    // Questions
    row(Action::Answer, Place::Questions, &["enter", "a"], "do-answer", 4),
    row(Action::Owner, Place::Questions, &["o"], "do-owner", 11),
    row(Action::Defer, Place::Questions, &["d"], "do-defer", 12),
    row(Action::Clear, Place::Questions, &["C"], "do-clear", 0),
    row(Action::Next, Place::Questions, &["n", "right", "l"], "do-next", 18),
    row(Action::Previous, Place::Questions, &["p", "left", "h"], "do-previous", 19),
    // Findings
    row(Action::Open, Place::Findings, &["enter"], "do-open-finding", 9),
    row(Action::Accept, Place::Findings, &["a"], "do-accept", 10),
    row(Action::Reject, Place::Findings, &["x"], "do-reject", 11),
    row(Action::Defer, Place::Findings, &["d"], "do-defer", 12),
    row(Action::EditWords, Place::Findings, &["e"], "do-edit-words", 13),
    row(Action::Mark, Place::Findings, &["space"], "do-mark", 14),
    row(Action::MarkAll, Place::Findings, &["*"], "do-mark-all", 0),
    row(Action::Filter, Place::Findings, &["/"], "do-filter", 15),
    row(Action::FilterSeverity, Place::Findings, &["s"], "do-filter-severity", 16),
    row(Action::FilterStatus, Place::Findings, &["t"], "do-filter-status", 17),
    row(Action::Clear, Place::Findings, &["C"], "do-clear", 0),
    row(Action::Next, Place::Findings, &["n"], "do-next", 0),
    row(Action::Previous, Place::Findings, &["p", "N"], "do-previous", 0),
    row(Action::DetailDown, Place::Findings, &["J"], "do-detail-down", 18),
    row(Action::DetailUp, Place::Findings, &["K"], "do-detail-up", 0),
    row(Action::Unfold, Place::Findings, &["z"], "do-unfold-out", 0),
    // Report: Enter never writes, so that no stray one does.
    row(Action::Write, Place::Report, &["w"], "do-write", 10),
    row(Action::Open, Place::Report, &["enter", "o"], "do-open-open", 11),
    // Text areas
    row(Action::Submit, Place::Entry, &["enter"], "do-submit", 10),
    row(Action::LineBreak, Place::Entry, &["ctrl-j", "alt-enter"], "do-line-break", 11),
    row(Action::Editor, Place::Entry, &["ctrl-e", "ctrl-x"], "do-editor", 12),
    row(Action::OtherOption, Place::Entry, &["ctrl-t"], "do-other-option", 13),
    row(Action::Back, Place::Entry, &["esc"], "do-leave-entry", 14),
    row(Action::Interrupt, Place::Entry, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Entry, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Entry, &["ctrl-z"], "do-suspend", 0),
    // Palette
    row(Action::Submit, Place::Palette, &["enter"], "do-run-command", 10),
    row(Action::Up, Place::Palette, &["up"], "do-up", 11),
    row(Action::Down, Place::Palette, &["down"], "do-down", 12),
    row(Action::Back, Place::Palette, &["esc"], "do-back", 13),
    row(Action::Interrupt, Place::Palette, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Palette, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Palette, &["ctrl-z"], "do-suspend", 0),
    // Help and log
    row(Action::Up, Place::Reading, &["up", "k"], "do-up", 10),
    row(Action::Down, Place::Reading, &["down", "j"], "do-down", 11),
    row(Action::PageUp, Place::Reading, &["pageup", "ctrl-u"], "do-page-up", 0),
    row(Action::PageDown, Place::Reading, &["pagedown", "ctrl-d", "space"], "do-page-down", 12),
    row(Action::First, Place::Reading, &["home", "g"], "do-first", 0),
    row(Action::Last, Place::Reading, &["end", "G"], "do-last", 0),
    row(Action::Back, Place::Reading, &["esc", "q", "?", "f1", "@"], "do-back", 13),
    row(Action::Interrupt, Place::Reading, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Reading, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Reading, &["ctrl-z"], "do-suspend", 0),
    // A yes or no
    row(Action::Submit, Place::Confirm, &["enter", "y"], "do-yes", 10),
    row(Action::Back, Place::Confirm, &["esc", "n", "q"], "do-no", 11),
    row(Action::Interrupt, Place::Confirm, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Confirm, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Confirm, &["ctrl-z"], "do-suspend", 0),
    // Before anything is sent
    row(Action::Send, Place::Sending, &["enter", "y"], "do-send", 10),
    row(Action::Back, Place::Sending, &["esc", "n", "q"], "do-not-send", 11),
    row(Action::Up, Place::Sending, &["up", "k"], "do-up", 0),
    row(Action::Down, Place::Sending, &["down", "j"], "do-down", 0),
    row(Action::PageUp, Place::Sending, &["pageup", "ctrl-u"], "do-page-up", 0),
    row(Action::PageDown, Place::Sending, &["pagedown", "ctrl-d", "space"], "do-page-down", 12),
    row(Action::First, Place::Sending, &["home", "g"], "do-first", 0),
    row(Action::Last, Place::Sending, &["end", "G"], "do-last", 0),
    row(Action::Help, Place::Sending, &["?", "f1"], "do-help", 0),
    row(Action::Interrupt, Place::Sending, &["ctrl-c"], "do-interrupt", 0),
    row(Action::Redraw, Place::Sending, &["ctrl-l"], "do-redraw", 0),
    row(Action::Suspend, Place::Sending, &["ctrl-z"], "do-suspend", 0),
];

/// What a key does now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// This.
    Do(Action),
    /// Something here, but not now; the message id says why.
    NotNow(&'static Command, &'static str),
    /// Nothing here.
    Nothing,
}

impl PartialEq for Command {
    fn eq(&self, other: &Command) -> bool {
        std::ptr::eq(self, other)
    }
}

/// What a key, by name, does now.
pub fn meaning(key: &str, model: &Model) -> Meaning {
    let mut not_now = Meaning::Nothing;
    for place in model.places() {
        for command in COMMANDS.iter().filter(|command| command.place == place && command.keys.contains(&key)) {
            match why_not(command.action, place, model) {
                None => return Meaning::Do(command.action),
                Some(why) if not_now == Meaning::Nothing => not_now = Meaning::NotNow(command, why),
                Some(_) => {}
            }
        }
    }
    not_now
}

/// The commands that work now, those of the innermost place first; each key once.
pub fn available(model: &Model) -> Vec<&'static Command> {
    available_in(&model.places(), model)
}

/// The commands that work on the screen below whatever lies over it.
pub fn available_below(model: &Model) -> Vec<&'static Command> {
    available_in(&model.screen_places(), model)
}

fn available_in(places: &[Place], model: &Model) -> Vec<&'static Command> {
    let mut taken: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for &place in places {
        for command in COMMANDS.iter().filter(|command| command.place == place) {
            let free = command.keys.iter().any(|key| !taken.contains(key));
            if free && why_not(command.action, place, model).is_none() {
                taken.extend(command.keys);
                found.push(command);
            }
        }
    }
    found
}

/// The footer's commands: those that work now and are ranked, lowest rank first.
pub fn footer(model: &Model) -> Vec<&'static Command> {
    let mut commands: Vec<(u8, &Command)> =
        available(model).into_iter().map(|command| (rank(command, model), command)).filter(|(rank, _)| *rank > 0).collect();
    commands.sort_by_key(|(rank, _)| *rank);
    commands.into_iter().map(|(_, command)| command).collect()
}

/// The rank in the footer now: what comes next in a review stands first, and nothing leads to where one is.
fn rank(command: &Command, model: &Model) -> u8 {
    let nothing_open = model.desk.as_deref() == Some(SETTLE) && !model.decided.open.block_writing();
    match command.action {
        Action::GoReport if model.screen == Screen::Report => 0,
        Action::GoReport if nothing_open && model.past.is_none() => 1,
        Action::GoNeeded if is_at_needed(model) => 0,
        Action::PageDown if model.rows <= model.page => 0,
        _ => command.footer,
    }
}

/// The key reference as a Markdown table a place, for the README.
pub fn reference(words: &Catalogue) -> String {
    let mut out = String::new();
    for place in Place::ALL {
        out.push_str(&format!("\n**{}**\n\n| keys | what |\n| --- | --- |\n", words.say(place.say(), &[])));
        for command in COMMANDS.iter().filter(|command| command.place == place) {
            let keys: Vec<String> = command.keys.iter().map(|key| format!("`{}`", super::keys::shown(key))).collect();
            out.push_str(&format!("| {} | {} |\n", keys.join(" "), words.say(command.say, &[])));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_stands_twice_in_a_place() {
        for place in Place::ALL {
            let mut seen = BTreeSet::new();
            for command in COMMANDS.iter().filter(|command| command.place == place) {
                for key in command.keys {
                    assert!(seen.insert(key), "{key} stands twice in {place:?}");
                }
            }
        }
    }

    #[test]
    fn no_action_hangs_on_a_key_that_terminals_keep_for_themselves() {
        // tmux's prefix, flow control, and the keys that are backspace, tab, newline, return and escape on the wire.
        let kept = ["ctrl-b", "ctrl-s", "ctrl-q", "ctrl-h", "ctrl-i", "ctrl-j", "ctrl-m", "ctrl-["];
        for command in COMMANDS {
            assert!(command.keys.iter().any(|key| !kept.contains(key)), "{:?}", command.action);
            assert!(!command.keys.contains(&"ctrl-h"), "{:?}", command.action);
        }
    }

    #[test]
    fn every_command_has_words() {
        for lang in crate::model::lang::Lang::ALL {
            let words = Catalogue::new(lang);
            for command in COMMANDS {
                assert_ne!(words.say(command.say, &[]), command.say, "{lang}");
                assert_ne!(words.say(command.place.say(), &[]), command.place.say(), "{lang}");
            }
        }
    }
}
