//! Where events go: a journal file with group commit, or memory.

use super::ports::BoxFuture;
use crate::journal::Journal;
use crate::model::event::{Draft, Event};
use crate::model::fault::{Fault, FaultKind};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};

/// Makes events durable, in the order of the calls.
pub trait Store: Send + Sync {
    /// Appends drafts as one batch with one time; resolves once they are durable.
    fn append(&self, drafts: Vec<Draft>, at: String) -> BoxFuture<'_, Result<Vec<Event>, Fault>>;
}

struct Request {
    drafts: Vec<Draft>,
    at: String,
    done: oneshot::Sender<Result<Vec<Event>, Fault>>,
}

/// A journal file behind one writer task: requests that wait while one batch is synced share the next sync.
pub struct FileStore {
    requests: mpsc::UnboundedSender<Request>,
}

impl FileStore {
    /// Starts the writer; must be called inside a runtime.
    pub fn start(journal: Journal) -> FileStore {
        let (requests, incoming) = mpsc::unbounded_channel();
        tokio::spawn(write_batches(Arc::new(Mutex::new(journal)), incoming));
        FileStore { requests }
    }
}

impl Store for FileStore {
    fn append(&self, drafts: Vec<Draft>, at: String) -> BoxFuture<'_, Result<Vec<Event>, Fault>> {
        let (done, answer) = oneshot::channel();
        let sent = self.requests.send(Request { drafts, at, done });
        Box::pin(async move {
            let gone = || Fault::new(FaultKind::Io, "the journal's writer has stopped", "run `tamis resume`");
            sent.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        })
    }
}

async fn write_batches(journal: Arc<Mutex<Journal>>, mut incoming: mpsc::UnboundedReceiver<Request>) {
    while let Some(first) = incoming.recv().await {
        let mut batch = vec![first];
        while let Ok(next) = incoming.try_recv() {
            batch.push(next);
        }
        let at = batch[0].at.clone();
        let shares: Vec<usize> = batch.iter().map(|request| request.drafts.len()).collect();
        let drafts: Vec<Draft> = batch.iter_mut().flat_map(|request| std::mem::take(&mut request.drafts)).collect();
        let writer = Arc::clone(&journal);
        let written = tokio::task::spawn_blocking(move || {
            let mut journal = writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            journal.append(drafts, &at)
        })
        .await
        .unwrap_or_else(|error| {
            Err(Fault::new(FaultKind::Io, format!("the journal's writer failed: {error}"), "run `tamis resume`"))
        });
        answer(batch, &shares, written);
    }
}

/// Hands each request its share of the batch's events, or the batch's fault.
fn answer(batch: Vec<Request>, shares: &[usize], written: Result<Vec<Event>, Fault>) {
    match written {
        Ok(events) => {
            let mut events = events.into_iter();
            for (request, &share) in batch.into_iter().zip(shares) {
                let share = events.by_ref().take(share).collect();
                // A receiver that has gone no longer needs the answer; the events are durable all the same.
                let _ = request.done.send(Ok(share));
            }
        }
        Err(fault) => {
            for request in batch {
                let _ = request.done.send(Err(fault.clone()));
            }
        }
    }
}

/// Keeps events in memory, for tests and for runs that leave no trace.
#[derive(Clone, Default)]
pub struct MemoryStore {
    events: Arc<Mutex<Vec<Event>>>,
}

impl MemoryStore {
    /// A store that already holds events.
    pub fn holding(events: Vec<Event>) -> MemoryStore {
        MemoryStore { events: Arc::new(Mutex::new(events)) }
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

impl Store for MemoryStore {
    fn append(&self, drafts: Vec<Draft>, at: String) -> BoxFuture<'_, Result<Vec<Event>, Fault>> {
        let mut events = self.events.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let from = events.len();
        for draft in drafts {
            let seq = events.len() as u64;
            let Draft { kind, key, attempt, body } = draft;
            events.push(Event { v: 1, seq, prev: String::new(), at: at.clone(), kind, key, attempt, body });
        }
        let appended = events[from..].to_vec();
        Box::pin(async move { Ok(appended) })
    }
}
