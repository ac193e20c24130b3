//! Tests of the room: the writer on a failing disk, repair, folders and locks, and the fold.

mod damage;
mod fixture;
mod folders;
mod folding;
mod following;
mod locking;
mod repair;
mod writing;

use super::*;
use crate::model::event::{Body, Draft, Event, Header, Kind};
use crate::model::ids::RunId;
use serde_json::{Value, json};
use tempfile::TempDir;

const AT: &str = "2026-03-01T10:00:00.000Z";
const RUN: &str = "20260301-100000-k3f9";

/// A run's header, as a draft.
fn started(run: &str) -> Draft {
    let header = Header {
        format: FORMAT.into(),
        tamis: "0.1.0".into(),
        run: run.into(),
        pipeline: "review".into(),
        document: "/docs/prd.md".into(),
        document_given: "prd.md".into(),
        document_hash: "d0".into(),
        recipe_hash: "r0".into(),
        prompts_hash: "p0".into(),
        context_hash: "c0".into(),
        agent: "offline".into(),
        options: json!({}),
    };
    Draft::new(Kind::RunStarted, "", serde_json::to_value(header).unwrap())
}

/// Drafts of a few events, numbered from `from`.
fn fixed(from: usize, n: usize) -> Vec<Draft> {
    (from..from + n)
        .map(|i| Draft::new(Kind::Fixed, format!("note/{i}"), json!({"text": format!("Ghi chú {i} — 说明")})))
        .collect()
}

/// A state folder and a run in it whose journal holds a header and `n` further events.
fn run_with(n: usize) -> (TempDir, RunFolder, Vec<Event>) {
    let state = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(state.path(), &RunId::from(RUN)).unwrap();
    let (mut journal, first) = Journal::create(&folder, started(RUN), AT).unwrap();
    let mut events = vec![first];
    events.extend(journal.append(fixed(1, n), AT).unwrap());
    (state, folder, events)
}

/// The bytes of a journal, and its events.
fn journal_bytes(n: usize) -> (Vec<u8>, Vec<Event>) {
    let (_state, folder, events) = run_with(n);
    (std::fs::read(folder.journal()).unwrap(), events)
}

/// Bytes put in place of a run's journal.
fn overwrite(folder: &RunFolder, bytes: &[u8]) {
    std::fs::write(folder.journal(), bytes).unwrap();
}

/// Bytes where each line begins, and the length.
fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

fn event(seq: u64, kind: Kind, key: &str, attempt: u32, body: impl Into<Body>) -> Event {
    Event {
        v: VERSION,
        seq,
        prev: String::new(),
        at: format!("2026-03-01T10:00:{seq:02}.000Z"),
        kind,
        key: key.into(),
        attempt,
        body: body.into(),
    }
}
