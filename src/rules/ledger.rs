//! Which decisions stand on a gate. The reading itself lives with the records, for folds follow it too.

pub use crate::model::ledger::{drafts, effective, redoable, undoable};
