//! Following a journal that another process appends to: nothing is written, nothing is locked, and while nothing happens
//! nobody wakes up.

use super::folder::RunFolder;
use super::scan::{MAX_JOURNAL, Problem, Scan, go_on};
use super::store::{Read, open_to_read, scan_file, sound};
use crate::model::event::Event;
use crate::model::fault::{Fault, FaultKind};
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};

/// Name of the folder beside a journal that holds what agents say while they work.
const LIVE: &str = "live";

/// A journal that is read as it grows.
#[derive(Debug)]
pub struct Follower {
    folder: RunFolder,
    file: File,
    /// How far it has been read: always up to the end of a whole record.
    scan: Scan,
    watch: watch::Watch,
}

/// What has happened since the last look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct News {
    /// Whole records that were appended.
    pub events: Vec<Event>,
    /// Names of files beside the journal, in the folder of live text, that have grown.
    pub live: Vec<String>,
}

impl Follower {
    /// Begins to follow, with all that is recorded by now.
    ///
    /// # Errors
    /// As [`Journal::read`](super::Journal::read); `Io` where the system has no watch left.
    pub fn begin(folder: &RunFolder) -> Result<(Follower, Read), Fault> {
        let path = folder.journal();
        let fault = |error: io::Error| Fault::io(path.display(), error, "the journal cannot be watched; look again later");
        // Watched first: what is appended while it is read is news.
        let watch = watch::Watch::on(folder).map_err(fault)?;
        let file = open_to_read(&path)?;
        let mut events = Vec::new();
        let scan = scan_file(&file, &path, |event| events.push(event))?;
        let (header, torn) = sound(&scan, &path, folder.run().as_str())?;
        Ok((Follower { folder: folder.clone(), file, scan, watch }, Read { header, events, torn }))
    }

    /// Blocks until something has happened. A record of which only the beginning stands there yet is left for later.
    ///
    /// # Errors
    /// `Io`; `Refused` where the file was changed by something else than appends.
    pub fn wait(&mut self) -> Result<News, Fault> {
        loop {
            let live = self.watch.wait().map_err(|error| self.unreadable(error))?;
            let events = self.appended()?;
            if !events.is_empty() || !live.is_empty() {
                return Ok(News { events, live });
            }
        }
    }

    fn unreadable(&self, error: io::Error) -> Fault {
        Fault::io(self.folder.journal().display(), error, "the journal cannot be followed any further; open the run again")
    }

    fn appended(&mut self) -> Result<Vec<Event>, Fault> {
        let len = self.file.metadata().map_err(|error| self.unreadable(error))?.len();
        if len < self.scan.good || len > MAX_JOURNAL {
            return Err(self.changed("it was cut or has grown too long"));
        }
        let mut events = Vec::new();
        let reader = BufReader::new((&self.file).take(len - self.scan.good));
        let read = (&self.file).seek(SeekFrom::Start(self.scan.good)).and_then(|_| {
            let scan = std::mem::take(&mut self.scan);
            go_on(scan, reader, |event| events.push(event))
        });
        self.scan = read.map_err(|error| self.unreadable(error))?;
        match &self.scan.problem {
            // The rest of an append that is being made.
            None | Some(Problem::Torn) => Ok(events),
            Some(Problem::Damaged(why) | Problem::Foreign(why)) => Err(self.changed(why)),
        }
    }

    fn changed(&self, why: &str) -> Fault {
        let what = format!("the journal of run {} changed under this window: {why}", self.folder.run());
        Fault::new(FaultKind::Refused, what, "open the run again")
    }
}

#[cfg(target_os = "linux")]
mod watch {
    use super::{LIVE, RunFolder};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::PathBuf;

    /// A watch on a run's folder.
    #[derive(Debug)]
    pub(super) struct Watch {
        inotify: OwnedFd,
        live: PathBuf,
        /// The watch on the folder of live text, once there is one.
        live_watch: Option<i32>,
    }

    impl Watch {
        pub(super) fn on(folder: &RunFolder) -> io::Result<Watch> {
            let inotify = inotify::init(CreateFlags::CLOEXEC)?;
            inotify::add_watch(&inotify, folder.journal(), WatchFlags::MODIFY)?;
            inotify::add_watch(&inotify, folder.path(), WatchFlags::CREATE | WatchFlags::ONLYDIR)?;
            let mut watch = Watch { inotify, live: folder.path().join(LIVE), live_watch: None };
            watch.look_for_live();
            Ok(watch)
        }

        /// Live text is worth no fault: where it cannot be watched it is not shown.
        fn look_for_live(&mut self) {
            if self.live_watch.is_none() {
                self.live_watch = inotify::add_watch(&self.inotify, &self.live, WatchFlags::MODIFY | WatchFlags::ONLYDIR).ok();
            }
        }

        /// Blocks until anything in the folder has changed; returns names of live text that has grown.
        pub(super) fn wait(&mut self) -> io::Result<Vec<String>> {
            let mut live = Vec::new();
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut reader = inotify::Reader::new(&self.inotify, &mut buffer);
            loop {
                match reader.next() {
                    Err(rustix::io::Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                    Ok(event) if event.events().contains(ReadFlags::IGNORED) => {
                        return Err(io::Error::new(io::ErrorKind::NotFound, "it is gone"));
                    }
                    Ok(event) if Some(event.wd()) == self.live_watch => {
                        let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
                        live.extend(name.filter(|name| !live.contains(name)));
                    }
                    Ok(_) => {}
                }
                if reader.is_buffer_empty() {
                    break;
                }
            }
            self.look_for_live();
            Ok(live)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod watch {
    use super::RunFolder;
    use std::io;

    /// Other systems have other watches: there a window shows what stood in the journal when it was opened.
    #[derive(Debug)]
    pub(super) struct Watch;

    impl Watch {
        pub(super) fn on(_folder: &RunFolder) -> io::Result<Watch> {
            Ok(Watch)
        }

        pub(super) fn wait(&mut self) -> io::Result<Vec<String>> {
            loop {
                std::thread::park();
            }
        }
    }
}
