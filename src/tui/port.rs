//! The seam between the screen and whoever carries the run: facts come in, wishes go out.

use crate::model::estimate::Estimate;
use crate::model::event::Event;
use crate::model::gate::Op;
use crate::model::outcome::ReviewOutcome;

/// What the screen is told.
#[derive(Clone, Debug)]
pub enum Input {
    /// An event is on the disk.
    Event(Box<Event>),
    /// Live text has come in; it waits in [`super::live::Live`].
    Text,
    /// A person is awaited at this gate: records may be left now.
    Desk {
        /// The gate's key.
        gate: String,
    },
    /// The gate has closed, or nobody waits at it any longer.
    DeskGone,
    /// A record could not be made durable: what was typed is still only on the screen.
    Unsaved {
        /// What was to be recorded.
        op: Box<Op>,
        /// Why not, and what to do.
        why: String,
    },
    /// What would be written now.
    Preview(Preview),
    /// What one attempt said, read back from its side file.
    Output {
        /// Step key.
        step: String,
        /// Its text.
        text: String,
    },
    /// Nothing has been sent yet: what the run will take and where the document goes, for the person to confirm.
    Sending {
        /// What the run will take.
        estimate: Box<Estimate>,
        /// The document's name.
        file: String,
        /// Seats that are one model: a pair of their names each.
        one_model: Vec<(String, String)>,
    },
    /// That the document may be sent is on the disk.
    Sent,
    /// The exact prompt of an agent; `""` where it has none, as a reviewer that works by rules.
    Prompt {
        /// Step key.
        step: String,
        /// Its text, whole.
        text: String,
    },
    /// A question that the person carries to a chat; another one for the same step takes the place of the one before.
    Errand {
        /// Step key.
        step: String,
        /// The question, whole.
        text: String,
        /// What is wanted once more, where the answer before was not whole; `""` for the first question.
        about: String,
    },
    /// Nobody waits for that answer any more.
    ErrandGone {
        /// Step key.
        step: String,
    },
    /// Something worth a line.
    Notice(String),
    /// The run came to an end, or cannot go on.
    Ended(Ended),
    /// The process is to end: put away what is typed and leave.
    Leave,
}

/// What would be written.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// Path of the target as people see it.
    pub path: String,
    /// What stands there now; `None` for no file.
    pub there: Option<String>,
    /// What would stand there.
    pub text: String,
    /// Why it could not be written, where that is known already.
    pub refusal: Option<String>,
    /// Whether the file there is kept beside the new one.
    pub keeps: bool,
    /// What the review would come to.
    pub outcome: Option<Box<ReviewOutcome>>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Summary lines, each safe for a terminal.
    pub summary: Vec<String>,
    /// Path of the written file; `None` where nothing was written.
    pub written: Option<String>,
    /// What went wrong and what to do, where it did.
    pub fault: Option<(String, String)>,
}

/// What a person wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Leave a record on the gate at which a person is awaited; on a finished run, reopen its settle gate first.
    Record(Op),
    /// Leave the gate: go on, or write.
    Close,
    /// Ask again where the retries are spent.
    Retry {
        /// Step key.
        step: String,
    },
    /// Leave a step without an answer.
    AcceptHole {
        /// Step key.
        step: String,
    },
    /// End the attempt that runs.
    Cancel {
        /// Step key.
        step: String,
    },
    /// The answer to a question that the person carried.
    Bring {
        /// Step key.
        step: String,
        /// The chat's whole answer.
        text: String,
    },
    /// Wait after every critic round, or no longer.
    Step(bool),
    /// Show what would be written.
    Preview,
    /// The document may be sent to where [`Input::Sending`] said.
    Send,
    /// Show the exact prompt of an agent.
    Prompt {
        /// Step key.
        step: String,
        /// Attempt, from 1; 1 for a step that has not begun.
        attempt: u32,
    },
    /// Read back what the last attempt at a step said.
    Output {
        /// Step key.
        step: String,
        /// Attempt.
        attempt: u32,
    },
}

/// Whether this window may change the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// It carries the run.
    Write,
    /// This window only shows it. Why, in a sentence: who carries it, or what has changed, and what to do.
    ReadOnly(String),
}
