//! One writer per run, whatever happens to its process.

use super::*;
use crate::model::fault::FaultKind;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_second_holder_is_refused_and_told_who_has_it_and_what_to_do() {
    let (_state, folder, _) = run_with(1);
    let opened = Journal::open(&folder, "2026-03-01T11:22:33.000Z").unwrap();
    let fault = Journal::open(&folder, AT).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Locked);
    let me = format!("run {RUN} is in use by process {} on ", std::process::id());
    assert!(fault.what.starts_with(&me) && fault.what.ends_with(" since 2026-03-01T11:22:33.000Z"), "{}", fault.what);
    assert!(fault.hint.contains(&format!("tamis replay {RUN}")), "{}", fault.hint);
    drop(opened);
    Journal::open(&folder, AT).unwrap();
}

#[test]
fn a_note_left_in_the_lock_file_holds_nobody_off_and_cannot_speak_to_the_terminal() {
    let (_state, folder, _) = run_with(1);
    std::fs::write(folder.lock(), "{\"pid\":1,\"host\":\"elsewhere\",\"since\":\"ever\"}").unwrap();
    let lock = Lock::acquire(&folder).unwrap();
    for (note, told) in [
        ("", "another process"),
        ("not json", "another process"),
        ("{\"pid\":7,\"host\":\"a\\u001b[2Jb\",\"since\":\"x\\ny\"}", "process 7 on a[2Jb since xy"),
    ] {
        std::fs::write(folder.lock(), note).unwrap();
        let Err(LockError::Held { holder }) = Lock::acquire(&folder) else { panic!("the lock is held") };
        assert_eq!(holder, told);
    }
    assert!(Lock::is_held(&folder));
    drop(lock);
    assert!(!Lock::is_held(&folder));
}

#[test]
fn salvage_keeps_off_a_run_in_use() {
    let (state, folder, _) = run_with(1);
    let target = RunFolder::create(state.path(), &RunId::from("new")).unwrap();
    let _lock = Lock::acquire(&folder).unwrap();
    assert_eq!(salvage(&folder, &target).unwrap_err().kind, FaultKind::Locked);
}

/// The holder is this test, run again in a process of its own.
#[test]
fn the_lock_of_a_killed_process_is_free_and_its_records_are_there() {
    const STATE: &str = "TAMIS_TEST_LOCK_STATE";
    if let Some(state) = std::env::var_os(STATE) {
        let folder = RunFolder::create(Path::new(&state), &RunId::from(RUN)).unwrap();
        let (mut journal, _) = Journal::create(&folder, started(RUN), AT).unwrap();
        journal.append(fixed(1, 2), AT).unwrap();
        println!("\nholding");
        std::io::stdin().lines().for_each(drop);
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "journal::tests::locking::the_lock_of_a_killed_process_is_free_and_its_records_are_there",
        ])
        .env(STATE, state.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).any(|line| line == "holding");
    assert!(said, "the child holds the lock");

    let folder = RunFolder::find(state.path(), &RunId::from(RUN)).unwrap();
    let fault = Journal::open(&folder, AT).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Locked);
    assert!(fault.what.contains(&format!("process {} ", child.id())), "{}", fault.what);

    child.kill().unwrap();
    child.wait().unwrap();
    let opened = Journal::open(&folder, AT).unwrap();
    assert_eq!(opened.events.len(), 3);
    assert_eq!(opened.notices, Vec::<String>::new());
}
