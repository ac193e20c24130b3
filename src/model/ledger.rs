//! How a gate's records read: which decisions stand once drafts are left out and undo and redo are followed.

use super::gate::{GateRecord, Op};
use std::collections::BTreeMap;

/// The decisions of a gate as an editor keeps its history.
#[derive(Default)]
struct History<'a> {
    /// What stands, oldest first.
    done: Vec<&'a GateRecord>,
    /// What was taken back and can be brought back, the next one last.
    undone: Vec<&'a GateRecord>,
}

impl<'a> History<'a> {
    fn of(records: &'a [GateRecord]) -> History<'a> {
        let mut history = History::default();
        for record in records {
            match &record.op {
                Op::Undo {} => history.undone.extend(history.done.pop()),
                Op::Redo {} => history.done.extend(history.undone.pop()),
                _ if decisions(&record.op).next().is_none() => {}
                _ => {
                    history.done.push(record);
                    history.undone.clear();
                }
            }
        }
        history
    }
}

/// The decisions in a record: itself, or the members of a bulk; none in a draft, an undo or a redo.
fn decisions(op: &Op) -> impl Iterator<Item = &Op> {
    let ops = match op {
        Op::Bulk { ops } => ops.as_slice(),
        one => std::slice::from_ref(one),
    };
    ops.iter().filter(|op| !matches!(op, Op::Draft { .. } | Op::Undo {} | Op::Redo {} | Op::Bulk { .. }))
}

/// The decisions that stand, oldest first: drafts left out, undo and redo followed, bulks as the records they hold.
///
/// A new decision forgets what could be redone; an undo with nothing to undo does nothing.
pub fn effective(records: &[GateRecord]) -> Vec<GateRecord> {
    let standing = History::of(records).done.into_iter();
    let single = |record: &GateRecord, op: &Op| GateRecord { op: op.clone(), by: record.by.clone(), at: record.at.clone() };
    standing.flat_map(|record| decisions(&record.op).map(move |op| single(record, op))).collect()
}

/// Words typed but not given, by subject: the last ones, where they are not empty.
pub fn drafts(records: &[GateRecord]) -> BTreeMap<String, String> {
    let mut drafts = BTreeMap::new();
    for record in records {
        if let Op::Draft { subject, text } = &record.op {
            drafts.insert(subject.clone(), text.clone());
        }
    }
    drafts.retain(|_, text| !text.is_empty());
    drafts
}

/// The record, perhaps a bulk, that an undo would take back next.
pub fn undoable(records: &[GateRecord]) -> Option<&GateRecord> {
    History::of(records).done.last().copied()
}

/// The record, perhaps a bulk, that a redo would bring back next.
pub fn redoable(records: &[GateRecord]) -> Option<&GateRecord> {
    History::of(records).undone.last().copied()
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
