//! Appends records: one write, then `fdatasync`, and only then are they handed back.

use super::disk::Disk;
use super::record::{self, Encoded, VERSION};
use super::scan::{MAX_JOURNAL, MAX_LINE, Scan};
use crate::model::event::{Draft, Event};
use crate::model::fault::{Fault, FaultKind};
use std::io;

/// The end of a journal and the file it stands in.
pub(super) struct Writer {
    disk: Box<dyn Disk>,
    run: String,
    len: u64,
    next_seq: u64,
    prev: String,
    poisoned: Option<String>,
}

impl Writer {
    /// A writer that goes on where a scan found the last whole record.
    pub fn new(disk: Box<dyn Disk>, run: &str, end: &Scan) -> Writer {
        let (run, prev) = (run.to_owned(), end.prev.clone());
        Writer { disk, run, len: end.good, next_seq: end.next_seq, prev, poisoned: None }
    }

    /// Cuts away whatever stands after the last whole record (`torn`), and makes sure that all before is on the disk: a
    /// process that was killed may have left records that were written but not yet synced.
    pub fn secure(&mut self, torn: bool) -> io::Result<()> {
        if torn {
            self.disk.set_len(self.len)?;
        }
        self.disk.sync_data()
    }

    /// Records the drafts as one batch; see [`super::Journal::append`].
    pub fn append(&mut self, drafts: Vec<Draft>, at: &str) -> Result<Vec<Event>, Fault> {
        if let Some(why) = &self.poisoned {
            return Err(poison_fault(&self.run, why));
        }
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        let (mut seq, mut prev) = (self.next_seq, self.prev.clone());
        let mut batch = Vec::new();
        let mut events = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let (event, encoded) = self.encode(draft, seq, prev, at)?;
            if batch.is_empty() {
                batch = encoded.line;
            } else {
                batch.extend_from_slice(&encoded.line);
            }
            events.push(event);
            (seq, prev) = (seq + 1, encoded.crc);
        }
        self.check_size(batch.len() as u64)?;
        self.put(&batch)?;
        (self.len, self.next_seq, self.prev) = (self.len + batch.len() as u64, seq, prev);
        Ok(events)
    }

    fn encode(&self, draft: Draft, seq: u64, prev: String, at: &str) -> Result<(Event, Encoded), Fault> {
        let Draft { kind, key, attempt, body } = draft;
        let event = Event { v: VERSION, seq, prev, at: at.to_owned(), kind, key, attempt, body };
        let refuse = |why: String| {
            let what = format!("record {seq} of run {} ({} {}) was not written: {why}", self.run, event.kind.word(), event.key);
            Fault::new(FaultKind::Refused, what, "nothing was recorded; what was recorded before is safe")
        };
        if record::is_too_deep(event.body.text()) {
            return Err(refuse("it would not read back: it is nested too deeply".to_owned()));
        }
        let encoded = record::encode(&event).map_err(|error| refuse(format!("it would not read back: {error}")))?;
        if encoded.line.len() as u64 > MAX_LINE {
            return Err(refuse(format!("it is longer than {} MiB", MAX_LINE >> 20)));
        }
        Ok((event, encoded))
    }

    fn check_size(&self, more: u64) -> Result<(), Fault> {
        if self.len + more <= MAX_JOURNAL {
            return Ok(());
        }
        let what = format!("the journal of run {} would grow beyond {} MiB", self.run, MAX_JOURNAL >> 20);
        Err(Fault::new(FaultKind::Io, what, "what was recorded before is safe; begin a new run"))
    }

    /// Writes and syncs, or leaves the file as it was. After a failed sync nobody can tell what is on the disk (the kernel
    /// may have marked the pages clean), so the writer ends there.
    fn put(&mut self, batch: &[u8]) -> Result<(), Fault> {
        if let Err(error) = self.disk.write_all_at(batch, self.len) {
            if let Err(cut) = self.disk.set_len(self.len) {
                return Err(self.poison(format!("{error}, and the half-written record could not be cut off: {cut}")));
            }
            let what = format!("the journal of run {} cannot be written: {error}", self.run);
            let hint = "nothing of it was kept and what was recorded before is safe; make room and try again";
            return Err(Fault::new(FaultKind::Io, what, hint));
        }
        if let Err(error) = self.disk.sync_data() {
            // Nobody was told of these records: cut off, they cannot come back from a cache that the disk never saw.
            // Where this fails too, the next resume reads them as ordinary records or as a torn tail.
            let _ = self.disk.set_len(self.len);
            return Err(self.poison(format!("fdatasync failed: {error}")));
        }
        Ok(())
    }

    fn poison(&mut self, why: String) -> Fault {
        let fault = poison_fault(&self.run, &why);
        self.poisoned = Some(why);
        fault
    }
}

fn poison_fault(run: &str, why: &str) -> Fault {
    let what = format!("the journal of run {run} takes no more records: {why}");
    Fault::new(FaultKind::Io, what, format!("check the disk, then run `tamis resume {run}`: it reads back what was saved"))
}
