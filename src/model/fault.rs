//! What can go wrong for a user: one sentence of what and where, one of what to do, one exit code.

/// Kinds of fault, each with its documented exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Arguments, configuration, a recipe, or a document with no text.
    Usage,
    /// A person has to decide; nothing was written.
    NeedsPerson,
    /// Written, but with a hole or not converged.
    Incomplete,
    /// Another process holds the run or the target.
    Locked,
    /// The journal is damaged, or what is attempted differs from what is recorded.
    Refused,
    /// A file could not be read or written.
    Io,
}

impl FaultKind {
    /// The exit code (issue's table: 7, 6, 5, 2, 3, 4, 1 is the order when several apply).
    pub fn exit_code(self) -> u8 {
        match self {
            FaultKind::Usage => 2,
            FaultKind::NeedsPerson => 3,
            FaultKind::Incomplete => 4,
            FaultKind::Locked => 5,
            FaultKind::Refused => 6,
            FaultKind::Io => 7,
        }
    }
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened, and where.
    pub what: String,
    /// What to do about it; `""` where there is nothing to say.
    pub hint: String,
}

impl Fault {
    /// A fault with what happened and what to do.
    pub fn new(kind: FaultKind, what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault { kind, what: what.into(), hint: hint.into() }
    }

    /// A usage fault.
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Usage, what, hint)
    }

    /// An input or output fault at a path.
    pub fn io(path: impl std::fmt::Display, error: impl std::fmt::Display, hint: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Io, format!("{path}: {error}"), hint)
    }
}
