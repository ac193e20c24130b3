//! The writer on a disk that can fail at every call.

use super::*;
use crate::journal::disk::Disk;
use crate::journal::scan::{Scan, scan};
use crate::journal::writer::Writer;
use crate::model::fault::FaultKind;
use proptest::prelude::*;
use std::io;
use std::sync::{Arc, Mutex};

/// A call that the writer made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Write { offset: u64, bytes: u64 },
    Cut(u64),
    Sync,
}

/// A disk in memory that notes each call, fails the calls it is told to, and knows what would survive a power cut.
#[derive(Default)]
struct Sim {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    calls: Vec<Call>,
    /// Error number of the call of this index, counted from the last `fail`; a failing write writes half.
    failing: Vec<Option<i32>>,
}

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

impl Sim {
    fn note(&mut self, call: Call) -> io::Result<()> {
        self.calls.push(call);
        let failing = if self.failing.is_empty() { None } else { self.failing.remove(0) };
        failing.map_or(Ok(()), |number| Err(io::Error::from_raw_os_error(number)))
    }
}

#[derive(Clone, Default)]
struct SimDisk(Arc<Mutex<Sim>>);

impl SimDisk {
    fn writer(&self) -> Writer {
        Writer::new(Box::new(self.clone()), RUN, &Scan::default())
    }

    fn fail(&self, failing: &[Option<i32>]) {
        self.0.lock().unwrap().failing = failing.to_vec();
    }

    fn take_calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.0.lock().unwrap().calls)
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }

    fn durable(&self) -> Vec<u8> {
        self.0.lock().unwrap().durable.clone()
    }
}

impl Disk for SimDisk {
    fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut sim = self.0.lock().unwrap();
        let done = sim.note(Call::Write { offset, bytes: bytes.len() as u64 });
        let part = if done.is_ok() { bytes } else { &bytes[..bytes.len() / 2] };
        let end = offset as usize + part.len();
        if sim.bytes.len() < end {
            sim.bytes.resize(end, 0);
        }
        sim.bytes[offset as usize..end].copy_from_slice(part);
        done
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        let mut sim = self.0.lock().unwrap();
        sim.note(Call::Cut(len))?;
        sim.bytes.truncate(len as usize);
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        let mut sim = self.0.lock().unwrap();
        sim.note(Call::Sync)?;
        sim.durable = sim.bytes.clone();
        Ok(())
    }
}

fn read(bytes: &[u8]) -> (Vec<Event>, Scan) {
    let mut events = Vec::new();
    let found = scan(bytes, |event| events.push(event)).unwrap();
    (events, found)
}

#[test]
fn a_batch_is_one_write_then_a_sync_and_is_on_the_disk_when_it_is_returned() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    let mut acked = writer.append(vec![started(RUN)], AT).unwrap();
    let first = disk.bytes().len() as u64;
    assert_eq!(disk.take_calls(), [Call::Write { offset: 0, bytes: first }, Call::Sync]);

    acked.extend(writer.append(fixed(1, 3), AT).unwrap());
    let bytes = disk.bytes().len() as u64 - first;
    assert_eq!(disk.take_calls(), [Call::Write { offset: first, bytes }, Call::Sync]);

    assert_eq!(read(&disk.durable()).0, acked);
    assert_eq!(acked.iter().map(|event| event.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn an_empty_batch_touches_nothing() {
    let disk = SimDisk::default();
    assert_eq!(disk.writer().append(vec![], AT).unwrap(), []);
    assert_eq!(disk.take_calls(), []);
}

#[test]
fn what_was_found_is_cut_where_torn_and_synced_before_it_is_used() {
    for (torn, cut) in [(false, None), (true, Some(Call::Cut(700)))] {
        let disk = SimDisk::default();
        let end = Scan { good: 700, next_seq: 2, prev: "aa".into(), ..Scan::default() };
        let mut writer = Writer::new(Box::new(disk.clone()), RUN, &end);
        writer.secure(torn).unwrap();
        assert_eq!(disk.take_calls(), cut.into_iter().chain([Call::Sync]).collect::<Vec<_>>());
        let next = writer.append(fixed(1, 1), AT).unwrap().remove(0);
        assert_eq!((next.seq, next.prev.as_str()), (2, "aa"));
        assert!(matches!(disk.take_calls()[0], Call::Write { offset: 700, .. }));
    }
}

#[test]
fn a_full_disk_leaves_the_journal_as_it_was_and_usable() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    let mut acked = writer.append(vec![started(RUN)], AT).unwrap();
    let before = disk.bytes();
    disk.take_calls();

    disk.fail(&[Some(ENOSPC)]);
    let fault = writer.append(fixed(1, 5), AT).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Io);
    assert!(fault.what.contains(RUN) && fault.what.contains("No space left"), "{}", fault.what);
    assert!(fault.hint.contains("try again"), "{}", fault.hint);
    assert_eq!(disk.bytes(), before);
    let end = before.len() as u64;
    let calls = disk.take_calls();
    assert!(matches!(calls.as_slice(), [Call::Write { .. }, Call::Cut(cut)] if *cut == end), "{calls:?}");

    acked.extend(writer.append(fixed(1, 1), AT).unwrap());
    assert_eq!(read(&disk.durable()).0, acked);
}

#[test]
fn a_journal_that_cannot_be_cut_back_takes_no_more() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    let acked = writer.append(vec![started(RUN)], AT).unwrap();
    disk.fail(&[Some(ENOSPC), Some(EIO)]);
    writer.append(fixed(1, 1), AT).unwrap_err();
    disk.take_calls();

    let fault = writer.append(fixed(1, 1), AT).unwrap_err();
    assert!(fault.hint.contains(&format!("tamis resume {RUN}")), "{}", fault.hint);
    assert_eq!(disk.take_calls(), []);
    let (events, found) = read(&disk.bytes());
    assert_eq!(events, acked);
    assert!(found.problem.is_some());
}

#[test]
fn a_failed_sync_acknowledges_nothing_and_poisons_the_journal() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    let acked = writer.append(vec![started(RUN)], AT).unwrap();
    disk.fail(&[None, Some(EIO)]);
    let first = writer.append(fixed(1, 1), AT).unwrap_err();
    assert_eq!(first.kind, FaultKind::Io);
    assert!(first.what.contains("fdatasync failed") && first.what.contains("Input/output error"), "{}", first.what);

    disk.take_calls();
    let second = writer.append(fixed(1, 1), AT).unwrap_err();
    assert_eq!(second.kind, FaultKind::Io);
    assert!(second.hint.contains(&format!("tamis resume {RUN}")), "{}", second.hint);
    assert_eq!(disk.take_calls(), [], "a poisoned journal is never written or synced again");
    assert_eq!(read(&disk.bytes()).0, acked);
}

#[test]
fn a_body_that_would_not_read_back_is_never_written() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    writer.append(vec![started(RUN)], AT).unwrap();
    disk.take_calls();
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let fault = writer.append(vec![Draft::new(Kind::StepDone, "critic/1", deep)], AT).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Refused);
    assert!(fault.what.contains("step_done critic/1"), "{}", fault.what);
    assert_eq!(disk.take_calls(), []);
    writer.append(fixed(1, 1), AT).unwrap();
}

#[test]
fn a_record_longer_than_a_reader_takes_is_never_written() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    writer.append(vec![started(RUN)], AT).unwrap();
    disk.take_calls();
    let long = Draft::new(Kind::StepDone, "critic/1", Value::String("x".repeat(MAX_LINE as usize)));
    let fault = writer.append(vec![long], AT).unwrap_err();
    assert!(fault.what.contains("64 MiB"), "{}", fault.what);
    assert_eq!(disk.take_calls(), []);
}

#[test]
fn what_append_returns_is_what_a_reader_sees() {
    let disk = SimDisk::default();
    let mut writer = disk.writer();
    writer.append(vec![started(RUN)], AT).unwrap();
    let body = json!({"ratio": 0.1 + 0.2, "tiny": 1e-310, "text": "\u{0}\u{2028}\u{1b}[2J\r\n\"\\", "big": u64::MAX});
    let event = writer.append(vec![Draft { attempt: 3, ..Draft::new(Kind::StepDone, "x", body) }], AT).unwrap().remove(0);
    assert_eq!(read(&disk.bytes()).0[1], event);
}

proptest! {
    /// Whatever fails in whatever order: acknowledged events are on the disk, in order, and nothing else was accepted.
    #[test]
    fn acknowledged_events_survive_any_failures(
        batches in prop::collection::vec(0_usize..4, 1..8),
        failing in prop::collection::vec(prop_oneof![3 => Just(None), 1 => Just(Some(ENOSPC)), 1 => Just(Some(EIO))], 0..20),
    ) {
        let disk = SimDisk::default();
        let mut writer = disk.writer();
        let mut acked = writer.append(vec![started(RUN)], AT).unwrap();
        disk.fail(&failing);
        for batch in batches {
            if let Ok(events) = writer.append(fixed(acked.len(), batch), AT) {
                acked.extend(events);
            }
            prop_assert_eq!(&read(&disk.durable()).0, &acked);
            let (now, _) = read(&disk.bytes());
            prop_assert_eq!(&now[..acked.len()], acked.as_slice());
        }
    }
}
