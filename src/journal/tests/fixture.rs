//! A journal of format 1 with every kind of event, kept as it was written: later versions must read, fold and go on
//! with it, or refuse it in a sentence (DESIGN, "Journal and files that people keep").

use super::*;
use crate::journal::record;
use crate::model::gate::Op;
use crate::model::view::StepState;
use std::collections::BTreeSet;

const FORMAT_1: &[u8] = include_bytes!("format-1.jsonl");

fn kept() -> (tempfile::TempDir, RunFolder) {
    let state = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(state.path(), &RunId::from(RUN)).unwrap();
    overwrite(&folder, FORMAT_1);
    (state, folder)
}

#[test]
fn the_kept_journal_reads_and_is_written_again_byte_for_byte() {
    let (_state, folder) = kept();
    let read = Journal::read(&folder.journal()).unwrap();
    assert_eq!(read.torn, None);
    let again: Vec<u8> = read.events.iter().flat_map(|event| record::encode(event).unwrap().line).collect();
    assert_eq!(String::from_utf8(again).unwrap(), String::from_utf8(FORMAT_1.to_vec()).unwrap());
    let kinds: BTreeSet<&str> = read.events.iter().map(|event| event.kind.word()).collect();
    assert_eq!(kinds.len(), 13, "{kinds:?}");
    assert_eq!(refuse_unknown(&read.events), Ok(()));
}

#[test]
fn the_kept_journal_folds_to_the_run_it_was() {
    let (_state, folder) = kept();
    let view = fold(&Journal::read(&folder.journal()).unwrap().events);
    assert_eq!(view.unknown_kinds, Vec::<String>::new());
    assert_eq!(view.header.unwrap().run, RUN);
    let state = |key: &str| view.steps[key].state.clone();
    assert_eq!(state("review/DEV/UC-01@4aeb8c"), StepState::Done { findings: 1, covered: true });
    assert_eq!(state("review/SA/UC-01@4aeb8c"), StepState::Hole { reason: "no answer in time".into() });
    assert_eq!(state("review/PO/UC-01@4aeb8c"), StepState::Waiting);
    assert_eq!(state("write/findings"), StepState::Done { findings: 0, covered: true });
    assert_eq!(view.steps.len(), 4);
    assert_eq!(view.feed, [], "this one kept answers in another shape and named new findings by key alone");
    assert_eq!(view.holes.len(), 1);
    assert_eq!(view.rounds.iter().map(|round| (round.new, round.dry)).collect::<Vec<_>>(), [(1, 0), (0, 1), (0, 2)]);
    assert!(view.convergence.unwrap().converged);
    let gate = &view.gates["gate/settle"];
    assert!(gate.open, "it was opened again");
    assert!(matches!(&gate.records[0].op, Op::Choose { label, .. } if label == "B"));
    assert_eq!((view.finished, view.paused, view.written.as_deref()), (false, None, Some("/docs/prd.findings.yaml")));
}

#[test]
fn the_kept_journal_can_be_gone_on_with() {
    let (_state, folder) = kept();
    let mut opened = Journal::open(&folder, AT).unwrap();
    let next = opened.journal.append(fixed(1, 1), AT).unwrap();
    assert_eq!(next[0].seq as usize, opened.events.len());
    assert_eq!(Journal::read(&folder.journal()).unwrap().events.last(), next.last());
}
