//! Reading a journal as another process makes it longer.

use super::*;
use crate::model::fault::FaultKind;
use std::io::Write as _;
use std::sync::mpsc::channel;

#[test]
fn what_is_appended_is_told_and_a_record_that_is_being_written_waits() {
    let (_state, folder, events) = run_with(2);
    let mut journal = Journal::open(&folder, AT).unwrap().journal;
    let (mut follower, read) = Follower::begin(&folder).unwrap();
    assert_eq!(read.events, events);
    let appended = journal.append(fixed(3, 2), AT).unwrap();
    assert_eq!(follower.wait().unwrap(), News { events: appended, live: Vec::new() });

    // The next record comes in two pieces, as a reader may see it.
    let whole = std::fs::read(folder.journal()).unwrap();
    let (_other, twin, _) = {
        let (state, twin, _) = run_with(0);
        std::fs::write(twin.journal(), &whole).unwrap();
        (state, twin, ())
    };
    let next = Journal::open(&twin, AT).unwrap().journal.append(fixed(5, 1), AT).unwrap();
    let line = std::fs::read(twin.journal()).unwrap()[whole.len()..].to_vec();
    let mut file = std::fs::OpenOptions::new().append(true).open(folder.journal()).unwrap();
    file.write_all(&line[..line.len() / 2]).unwrap();
    let (tell, told) = channel();
    let waiting = std::thread::spawn(move || tell.send(follower.wait()).unwrap());
    file.write_all(&line[line.len() / 2..]).unwrap();
    assert_eq!(told.recv().unwrap().unwrap().events, next);
    waiting.join().unwrap();
}

#[test]
fn live_text_is_named_also_where_its_folder_comes_later() {
    let (_state, folder, _) = run_with(0);
    let (mut follower, _) = Follower::begin(&folder).unwrap();
    let live = folder.path().join("live");
    std::fs::create_dir(&live).unwrap();
    // The folder itself is no news, but from now on it is watched.
    let (tell, told) = channel();
    let waiting = std::thread::spawn(move || tell.send(follower.wait()).unwrap());
    let mut number = 0;
    let news = loop {
        // Whatever was written before the watch stood is not told, so it is written until it is.
        number += 1;
        std::fs::write(live.join("a.1.txt"), format!("{number}")).unwrap();
        match told.try_recv() {
            Ok(news) => break news.unwrap(),
            Err(_) => std::thread::yield_now(),
        }
    };
    assert_eq!(news, News { events: Vec::new(), live: vec!["a.1.txt".to_owned()] });
    waiting.join().unwrap();
}

#[test]
fn a_journal_that_is_cut_or_rewritten_is_followed_no_further() {
    for (cut, word) in [(true, "cut"), (false, "no record")] {
        let (_state, folder, _) = run_with(2);
        let (mut follower, _) = Follower::begin(&folder).unwrap();
        let mut bytes = std::fs::read(folder.journal()).unwrap();
        match cut {
            true => bytes.truncate(bytes.len() / 2),
            false => bytes.extend(b"something else\nand more\n"),
        }
        std::fs::OpenOptions::new().write(true).truncate(cut).open(folder.journal()).unwrap().write_all(&bytes).unwrap();
        let fault = follower.wait().unwrap_err();
        assert_eq!(fault.kind, FaultKind::Refused);
        assert!(fault.what.contains(RUN) && fault.what.contains(word), "{}", fault.what);
    }
}

#[test]
fn whoever_waits_for_a_free_run_is_told_when_its_holder_lets_go() {
    let (_state, folder, _) = run_with(1);
    let opened = Journal::open(&folder, AT).unwrap();
    let me = format!("process {} on ", std::process::id());
    assert!(Lock::holder(&folder).unwrap().starts_with(&me));
    let (tell, told) = channel();
    let waited = folder.clone();
    let waiting = std::thread::spawn(move || tell.send(Lock::wait_until_free(&waited)).unwrap());
    assert!(told.try_recv().is_err(), "it is held");
    drop(opened);
    told.recv().unwrap().unwrap();
    waiting.join().unwrap();
    assert_eq!(Lock::holder(&folder), None);
    Journal::open(&folder, AT).unwrap();
}

#[test]
fn headers_are_listed_newest_first_and_what_has_none_is_passed_over() {
    let state = tempfile::tempdir().unwrap();
    for (run, at) in [("b", "2026-03-01T10:00:00.000Z"), ("a", "2026-03-02T10:00:00.000Z"), ("c", "2026-03-01T09:00:00.000Z")] {
        let folder = RunFolder::create(state.path(), &RunId::from(run)).unwrap();
        Journal::create(&folder, started(run), at).unwrap();
    }
    RunFolder::create(state.path(), &RunId::from("empty")).unwrap();
    let damaged = RunFolder::create(state.path(), &RunId::from("damaged")).unwrap();
    std::fs::write(damaged.journal(), "no record\n").unwrap();
    let listed = headers(state.path()).unwrap();
    let runs: Vec<&str> = listed.iter().map(|(_, header)| header.run.as_str()).collect();
    assert_eq!(runs, ["a", "b", "c"]);
    assert!(listed.iter().all(|(folder, header)| folder.run().as_str() == header.run));
    assert_eq!(summary(&listed[0].0).state, RunState::Open);
}
