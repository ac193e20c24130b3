//! Journals on a real disk: what a resume does with a torn, damaged, empty or foreign one.

use super::*;
use crate::journal::record;
use crate::model::fault::{Fault, FaultKind};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn files(folder: &RunFolder) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn refused(folder: &RunFolder) -> Fault {
    let before = fs::read(folder.journal()).unwrap();
    let opened = Journal::open(folder, AT).unwrap_err();
    assert_eq!(opened.kind, FaultKind::Refused);
    assert_eq!(Journal::read(&folder.journal()).unwrap_err(), opened, "reading says the same as opening");
    assert_eq!(fs::read(folder.journal()).unwrap(), before, "a refused journal stays as it is");
    opened
}

/// A journal whose records were changed and signed anew.
fn resigned(events: &[Event], change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut prev = String::new();
    for event in events {
        let mut value = serde_json::to_value(event).unwrap();
        value["prev"] = prev.into();
        change(&mut value);
        let record = serde_json::to_vec(&value).unwrap();
        prev = record::checksum(&record);
        bytes.extend(format!("{{\"crc\":\"{prev}\",\"r\":").into_bytes());
        bytes.extend(record);
        bytes.extend(b"}\n");
    }
    bytes
}

#[test]
fn what_was_appended_is_read_back() {
    let (_state, folder, events) = run_with(5);
    let read = Journal::read(&folder.journal()).unwrap();
    assert_eq!(read.events, events);
    assert_eq!(read.torn, None);
    assert_eq!(read.header.run, RUN);

    let opened = Journal::open(&folder, AT).unwrap();
    assert_eq!(opened.events, events);
    assert_eq!(opened.notices, Vec::<String>::new());
    assert_eq!(opened.header.document_given, "prd.md");
}

#[test]
fn a_torn_tail_is_set_aside_and_the_next_record_is_not_glued_to_it() {
    let half = b"{\"crc\":\"0123456789abcdef\",\"r\":{\"v\":1,\"seq\":3,\"pre".as_slice();
    let whole_but_bad = b"{\"crc\":\"0123456789abcdef\",\"r\":{\"v\":1}}\n".as_slice();
    let nul = [0_u8; 500];
    let half_and_nul = [half, &nul].concat();
    for tail in [half, whole_but_bad, &nul, &half_and_nul, b"\n", b"\r\n", b"}", b"\xff\xfe\n"] {
        let (_state, folder, mut events) = run_with(2);
        let whole = fs::read(folder.journal()).unwrap();
        overwrite(&folder, &[&whole, tail].concat());

        let read = Journal::read(&folder.journal()).unwrap();
        let torn = Torn { at: whole.len() as u64, bytes: tail.len() as u64 };
        assert_eq!((read.torn, &read.events), (Some(torn), &events));

        let mut opened = Journal::open(&folder, AT).unwrap();
        let aside = folder.path().join("journal.torn.1");
        assert_eq!(opened.events, events);
        assert_eq!(opened.notices.len(), 1);
        let expected =
            format!("{} bytes of an unfinished record at the journal's end were set aside in {}", tail.len(), aside.display());
        assert_eq!(opened.notices[0], expected);
        assert_eq!(fs::read(&aside).unwrap(), tail);
        assert_eq!(fs::metadata(&aside).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read(folder.journal()).unwrap(), whole);

        events.extend(opened.journal.append(fixed(3, 2), AT).unwrap());
        drop(opened);
        let again = Journal::open(&folder, AT).unwrap();
        assert_eq!((again.events, again.notices), (events, vec![]));
    }
}

#[test]
fn a_last_line_with_a_foreign_line_end_is_set_aside_whole() {
    let (_state, folder, events) = run_with(2);
    let whole = fs::read(folder.journal()).unwrap();
    overwrite(&folder, &[&whole[..whole.len() - 1], b"\r\n"].concat());
    let opened = Journal::open(&folder, AT).unwrap();
    assert_eq!(opened.events, events[..2]);
    let start = line_starts(&whole)[2];
    assert_eq!(fs::read(folder.path().join("journal.torn.1")).unwrap(), [&whole[start..whole.len() - 1], b"\r\n"].concat());
}

#[test]
fn what_was_set_aside_is_never_overwritten() {
    let (_state, folder, _) = run_with(1);
    for tail in ["first", "second", "third"] {
        let whole = fs::read(folder.journal()).unwrap();
        overwrite(&folder, &[&whole, tail.as_bytes()].concat());
        Journal::open(&folder, AT).unwrap();
    }
    let aside: Vec<String> = files(&folder).into_iter().filter(|name| name.starts_with("journal.torn")).collect();
    assert_eq!(aside, ["journal.torn.1", "journal.torn.2", "journal.torn.3"]);
    assert_eq!(fs::read_to_string(folder.path().join("journal.torn.2")).unwrap(), "second");
}

#[test]
fn a_damaged_middle_is_refused_with_byte_record_and_remedy() {
    let (_state, folder, _) = run_with(4);
    let mut bytes = fs::read(folder.journal()).unwrap();
    let start = line_starts(&bytes)[2];
    bytes[start + 60] ^= 1;
    overwrite(&folder, &bytes);
    let fault = refused(&folder);
    let journal = folder.journal();
    let what = format!(
        "the journal of run {RUN} is damaged at byte {start}, record 2: its checksum does not match ({})",
        journal.display()
    );
    assert_eq!(fault.what, what);
    assert!(fault.hint.contains(&format!("`tamis runs salvage {RUN}`")), "{}", fault.hint);
    assert_eq!(files(&folder), ["journal.jsonl", "lock"]);
}

#[test]
fn a_doubled_record_is_refused() {
    let (_state, folder, _) = run_with(2);
    let bytes = fs::read(folder.journal()).unwrap();
    let last = line_starts(&bytes)[2];
    overwrite(&folder, &[&bytes, &bytes[last..]].concat());
    assert!(refused(&folder).what.contains(&format!("byte {}, record 3: it says it is record 2", bytes.len())));
}

#[test]
fn a_journal_without_a_whole_header_is_no_run_and_no_crash_loop() {
    let (_state, folder, _) = run_with(0);
    let header = fs::read(folder.journal()).unwrap();
    for bytes in [b"".as_slice(), &header[..header.len() - 1], &header[..20], b"\n", &[0; 500]] {
        overwrite(&folder, bytes);
        for _ in 0..2 {
            let fault = refused(&folder);
            assert_eq!(fault.what, format!("run {RUN} was never begun: its journal holds no whole record"));
            assert!(fault.hint.contains(&format!("tamis runs rm {RUN}")), "{}", fault.hint);
        }
    }
    fs::remove_file(folder.journal()).unwrap();
    assert_eq!(Journal::open(&folder, AT).unwrap_err().kind, FaultKind::Refused);
    assert_eq!(Journal::read(&folder.journal()).unwrap_err().kind, FaultKind::Refused);
}

#[test]
fn records_and_headers_of_other_versions_are_refused_in_a_sentence() {
    let (_state, folder, events) = run_with(2);
    overwrite(&folder, &resigned(&events, |_| {}));
    assert_eq!(Journal::read(&folder.journal()).unwrap().events, events, "signing anew changes nothing by itself");

    let says = |bytes: Vec<u8>, words: &str| {
        overwrite(&folder, &bytes);
        let fault = refused(&folder);
        assert!(fault.what.contains(words), "{}", fault.what);
        fault
    };
    let newer = |value: &mut Value| {
        if value["seq"] == 2 {
            *value = json!({"v": 2, "seq": 2, "prev": value["prev"], "something": "else"});
        }
    };
    let fault = says(resigned(&events, newer), "record 2: its version is 2, and this tamis knows version 1");
    assert!(fault.hint.contains("version of tamis that wrote it"), "{}", fault.hint);
    let set = |field: &'static str, to: &'static str| {
        move |value: &mut Value| {
            if value["seq"] == 0 {
                value["body"][field] = to.into();
            }
        }
    };
    says(resigned(&events, set("format", "tamis.journal/2")), "its format is \"tamis.journal/2\"");
    let no_run = |value: &mut Value| {
        if value["seq"] == 0 {
            value["body"].as_object_mut().unwrap().remove("run");
        }
    };
    says(resigned(&events, no_run), "its header cannot be read");
    let other_kind = |value: &mut Value| value["kind"] = "fixed".into();
    says(resigned(&events, other_kind), "a journal begins with run_started, not with fixed");
    let no_event = |value: &mut Value| {
        if value["seq"] == 1 {
            value["attempt"] = (-1).into();
        }
    };
    says(resigned(&events, no_event), "record 1: it is no event");
}

#[test]
fn unknown_kinds_are_read_and_kept_but_stop_a_resume() {
    let (_state, folder, events) = run_with(2);
    let bytes = resigned(&events, |value| {
        if value["seq"] == 1 {
            value["kind"] = "step_dreamt".into();
        }
    });
    overwrite(&folder, &bytes);
    let opened = Journal::open(&folder, AT).unwrap();
    assert_eq!(opened.events[1].kind, Kind::Unknown("step_dreamt".into()));
    let fault = refuse_unknown(&opened.events).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Refused);
    assert!(fault.what.contains("record 1") && fault.what.contains("step_dreamt"), "{}", fault.what);
    assert_eq!(refuse_unknown(&events), Ok(()));
}

#[test]
fn a_journal_over_its_cap_is_refused_before_it_is_read() {
    let (_state, folder, _) = run_with(0);
    fs::OpenOptions::new().write(true).open(folder.journal()).unwrap().set_len(MAX_JOURNAL + 1).unwrap();
    let fault = Journal::read(&folder.journal()).unwrap_err();
    assert!(fault.what.contains("at most 512 MiB are read"), "{}", fault.what);
    assert_eq!(Journal::open(&folder, AT).unwrap_err(), fault);
}

#[test]
fn pipes_links_and_folders_in_a_journals_place_are_refused_without_waiting() {
    let (_state, folder, _) = run_with(0);
    let path = folder.journal();
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();

    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert_eq!(Journal::open(&folder, AT).unwrap_err().kind, FaultKind::Io);
    fs::remove_file(&path).unwrap();

    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(Journal::open(&folder, AT).unwrap_err().kind, FaultKind::Io);
    assert_eq!(Journal::read(&path).unwrap_err().kind, FaultKind::Io);
    fs::remove_file(&path).unwrap();

    fs::create_dir(&path).unwrap();
    assert_eq!(Journal::open(&folder, AT).unwrap_err().kind, FaultKind::Io);
    assert_eq!(Journal::read(&path).unwrap_err().kind, FaultKind::Io);
}

#[test]
fn a_second_journal_for_a_run_is_not_begun() {
    let (_state, folder, _) = run_with(1);
    let before = fs::read(folder.journal()).unwrap();
    let fault = Journal::create(&folder, started(RUN), AT).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Io);
    assert_eq!(fs::read(folder.journal()).unwrap(), before);
}

#[test]
fn a_journal_begins_with_a_header_only() {
    let state = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(state.path(), &RunId::from(RUN)).unwrap();
    let mut other_format = started(RUN);
    let mut header = other_format.body.value();
    header["format"] = "tamis.journal/9".into();
    other_format.body = header.into();
    for draft in [fixed(1, 1).remove(0), Draft::new(Kind::RunStarted, "", json!({})), other_format] {
        assert_eq!(Journal::create(&folder, draft, AT).unwrap_err().kind, FaultKind::Refused);
    }
    assert_eq!(files(&folder), Vec::<String>::new());
}

#[test]
fn salvage_saves_the_records_before_the_damage_into_a_new_run() {
    let (state, folder, events) = run_with(4);
    folder.save_document(b"# PRD\n".as_slice()).unwrap();
    let mut bytes = fs::read(folder.journal()).unwrap();
    let start = line_starts(&bytes)[3];
    bytes[start + 60] ^= 1;
    overwrite(&folder, &bytes);

    let target = RunFolder::create(state.path(), &RunId::from("20260302-080000-ab12")).unwrap();
    let salvaged = salvage(&folder, &target).unwrap();
    assert_eq!(salvaged, Salvaged { events: 3, bytes_left: (bytes.len() - start) as u64 });
    assert_eq!(fs::read(folder.journal()).unwrap(), bytes, "the damaged run stays as it is");
    assert_eq!(fs::read(target.document()).unwrap(), b"# PRD\n");

    let mut opened = Journal::open(&target, AT).unwrap();
    assert_eq!(opened.header.run, "20260302-080000-ab12");
    let told = |events: &[Event]| events.iter().map(|e| (e.seq, e.at.clone(), e.key.clone(), e.body.clone())).collect::<Vec<_>>();
    assert_eq!(told(&opened.events[1..]), told(&events[1..3]));
    let next = opened.journal.append(fixed(3, 1), AT).unwrap();
    assert_eq!(next[0].seq, 3);
    assert_eq!(salvage(&folder, &target).unwrap_err().kind, FaultKind::Io, "a run that exists is not written over");
}

#[test]
fn there_is_nothing_to_salvage_from_a_whole_journal_or_from_none() {
    let (state, folder, _) = run_with(1);
    let target = RunFolder::create(state.path(), &RunId::from("new")).unwrap();
    let fault = salvage(&folder, &target).unwrap_err();
    assert!(fault.what.contains("is whole"), "{}", fault.what);
    for bytes in [b"".as_slice(), b"no journal\nat all\n"] {
        overwrite(&folder, bytes);
        let fault = salvage(&folder, &target).unwrap_err();
        assert!(fault.what.contains("not even its first record"), "{}", fault.what);
    }
    assert_eq!(files(&target), Vec::<String>::new());
}

#[test]
fn a_journal_that_grows_while_it_is_read_shows_whole_records_only() {
    let (_state, folder, events) = run_with(1);
    let opened = Journal::open(&folder, AT).unwrap();
    let read = Journal::read(&folder.journal()).unwrap();
    assert_eq!(read.events, events, "reading needs no lock");
    drop(opened);
}
