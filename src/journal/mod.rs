//! `journal`: the record file of a run, its lock, the repair of a torn tail, salvage, and the fold of events into a view.
//! One writer appends; what `append` returned is on disk. Everything read back is checked: the content is untrusted.
//! What never belongs here: what events mean for a review (`pipeline`), who waits for whom (`run`), printing (`cli`).

mod disk;
mod feed;
mod fold;
mod folder;
mod follow;
mod list;
mod lock;
mod record;
mod salvage;
mod scan;
mod store;
mod writer;

#[cfg(test)]
#[allow(clippy::disallowed_macros, clippy::disallowed_methods, reason = "tests break files and talk to children")]
mod tests;

pub use fold::{CHECKPOINT_EVERY, Fold, History, fold, refuse_unknown};
pub use folder::RunFolder;
pub use follow::{Follower, News};
pub use list::{RunState, RunSummary, headers, list, remove, summary};
pub use lock::{Lock, LockError};
pub use record::{FORMAT, VERSION};
pub use salvage::{Salvaged, salvage};
pub use scan::{MAX_JOURNAL, MAX_LINE};
pub use store::{Journal, Opened, Read, Torn};
