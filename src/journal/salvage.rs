//! Saves what can be trusted of a damaged journal into a new run.

use super::folder::{RunFolder, create_file, sync_dir};
use super::lock::Lock;
use super::record;
use super::store::{open_to_read, scan_file};
use crate::model::event::Event;
use crate::model::fault::{Fault, FaultKind};
use std::fs::File;
use std::io::{self, BufWriter, Write as _};

/// What a salvage did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// Events that stand in the new run.
    pub events: u64,
    /// Bytes of the old journal that do not.
    pub bytes_left: u64,
}

/// Writes the records before the damage into the journal of a new run, whose folder is empty so far, with the document
/// beside it. The header gets the new run's id, so the chain of checksums is made anew; nothing else changes. The old
/// run stays as it is.
///
/// # Errors
/// `Locked` while a process has the old run open; `Refused` where no record is whole, or where the journal is whole and
/// there is nothing to save it from; `Io`.
pub fn salvage(damaged: &RunFolder, target: &RunFolder) -> Result<Salvaged, Fault> {
    let _lock = Lock::acquire(damaged).map_err(|error| error.fault(damaged))?;
    let path = damaged.journal();
    let file = open_to_read(&path)?;
    let mut events: Vec<Event> = Vec::new();
    let found = scan_file(&file, &path, |event| events.push(event))?;
    let run = damaged.run();
    if found.problem.is_none() && !events.is_empty() {
        let what = format!("the journal of run {run} is whole");
        return Err(Fault::new(FaultKind::Refused, what, format!("there is nothing to salvage: `tamis resume {run}`")));
    }
    if events.is_empty() {
        let what = format!("nothing of run {run} can be salvaged: not even its first record is whole");
        return Err(Fault::new(FaultKind::Refused, what, "review the document again"));
    }
    let io_fault = |error: io::Error| Fault::io(target.path().display(), error, "the damaged run is left as it is");
    if damaged.document().exists() {
        target.save_document(File::open(damaged.document()).map_err(io_fault)?)?;
    }
    write_anew(&events, target).map_err(io_fault)?;
    Ok(Salvaged { events: events.len() as u64, bytes_left: found.len - found.good })
}

fn write_anew(events: &[Event], target: &RunFolder) -> io::Result<()> {
    let mut out = BufWriter::new(create_file(&target.journal())?);
    let mut prev = String::new();
    for event in events {
        let mut event = Event { prev, ..event.clone() };
        if event.seq == 0 {
            let mut header = event.body.value();
            header["run"] = target.run().as_str().into();
            event.body = header.into();
        }
        let encoded = record::encode(&event)?;
        out.write_all(&encoded.line)?;
        prev = encoded.crc;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    sync_dir(target.path())
}
