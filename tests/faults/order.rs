//! In what order things reach the disk: a power cut keeps what was synced and may lose all else.

use super::check;
use super::kills::RENAME;
use super::strace::{self, Call, Place, Traced};
use super::subject::{DEFER, DOCUMENT, EVENTS, NOTES, Subject};
use std::collections::HashMap;

/// Calls that write, sync or rename, with all that is written.
const ALL: [&str; 4] = ["-s", "1000000", "-e", "trace=write,pwrite64,fdatasync,fsync,rename,renameat,renameat2,openat,mkdir"];

fn ended(call: &Call) -> usize {
    call.ended.unwrap_or_else(|| panic!("it never returned: {}", call.text))
}

/// Whether one call had returned well before another began.
fn before(one: &Call, other: &Call) -> bool {
    assert!(!one.text.contains("= -1"), "{}", one.text);
    ended(one) < other.began
}

fn rename(traced: &Traced) -> &Call {
    let found: Vec<&Call> = traced.calls.iter().filter(|call| call.name.starts_with("rename")).collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0]
}

/// The first call of a name at a place after another call.
fn next<'a>(traced: &'a Traced, name: &str, place: Place, after: &Call) -> &'a Call {
    let mut later = traced.all(name, place).filter(|call| call.began > after.began);
    later.next().unwrap_or_else(|| panic!("no {name} {place:?} after {}", after.text))
}

/// The append that records a key's end.
fn record<'a>(traced: &'a Traced, kind: &str, key: &str) -> &'a Call {
    let words = format!("\\\"kind\\\":\\\"{kind}\\\",\\\"key\\\":\\\"{key}\\\"");
    let mut found = traced.all("pwrite64", Place::Journal).filter(|call| call.text.contains(&words));
    found.next().unwrap_or_else(|| panic!("no record {kind} {key}"))
}

#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn the_findings_file_is_synced_renamed_synced_and_then_recorded() {
    for subject in [Subject::offline(), Subject::carried(), Subject::council()] {
        let bench = subject.bench();
        let traced = strace::run(&bench, &ALL, &subject.review());
        check::ended(&subject, &bench, &traced.ran);
        let (written, synced) = (traced.all("write", Place::Temp).last().expect("written"), traced.only("fsync", Place::Temp));
        let renamed = rename(&traced);
        let folder = next(&traced, "fsync", Place::Folder, renamed);
        let recorded = record(&traced, "step_done", "write/findings");
        for (kind, key) in [("fixed", "writing"), ("step_started", "write/findings")] {
            let intended = next(&traced, "fdatasync", Place::Journal, record(&traced, kind, key));
            assert!(before(intended, written), "what is about to be written is on record first: {key}");
        }
        assert!(before(written, synced) && before(synced, renamed) && before(renamed, folder) && before(folder, recorded));
    }
}

/// The process was killed between renaming and syncing the folder: whoever finds the file written syncs it before saying so.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_renaming_that_a_killed_process_left_unsynced_is_synced_before_it_is_recorded() {
    for subject in [Subject::offline(), Subject::carried(), Subject::council()] {
        let bench = subject.bench();
        let kill = strace::inject(RENAME, "signal=SIGKILL", "1");
        assert!(strace::run(&bench, &kill.each_ref().map(String::as_str), &subject.review()).killed());
        let folder = bench.folder().display().to_string();
        let options = ["-P", &folder, "-e", "trace=fsync", "-e", "inject=fsync:signal=SIGKILL:when=1"];
        let traced = strace::run(&bench, &options, &subject.resume());
        assert!(traced.killed() && traced.killed_at("fsync").place == Place::Folder);
        assert_ne!(bench.read(super::subject::TARGET), subject.old, "it was renamed");
        let traced = strace::run(&bench, &ALL, &subject.resume());
        check::ended(&subject, &bench, &traced.ran);
        let recorded = record(&traced, "step_done", "write/findings");
        let synced = traced.all("fsync", Place::Folder).any(|call| before(call, recorded));
        assert!(synced, "{}: the folder was not synced", subject.name);
    }
}

/// Shown as saved means saved: every event stands in a synced append before anybody sees it.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn every_record_is_synced_before_it_is_shown() {
    for subject in [Subject::offline(), Subject::council()] {
        let bench = subject.bench();
        let mut args = subject.review();
        args.extend(["--events", EVENTS]);
        let traced = strace::run(&bench, &ALL, &args);
        check::ended(&subject, &bench, &traced.ran);
        let seqs = |text: &str| -> Vec<u64> {
            let parts = text.split("\\\"v\\\":1,\\\"seq\\\":").skip(1);
            parts.map(|part| part.split(',').next().and_then(|seq| seq.parse().ok()).expect("a number")).collect()
        };
        let mut synced: HashMap<u64, &Call> = HashMap::new();
        let mut records = 0;
        for append in traced.all("pwrite64", Place::Journal) {
            let sync = next(&traced, "fdatasync", Place::Journal, append);
            assert!(before(append, sync));
            for seq in seqs(&append.text) {
                assert_eq!(seq, records, "in order, once");
                synced.insert(seq, sync);
                records += 1;
            }
        }
        let mut shown = 0;
        for event in traced.all("write", Place::Events) {
            for seq in seqs(&event.text) {
                assert!(before(synced[&seq], event), "event {seq} was shown before it was saved");
                shown += 1;
            }
        }
        assert_eq!(shown, records, "every record is shown once");
        // Lines for people follow the event they tell of, so none comes before the first record is safe.
        let first = traced.all("write", Place::Stderr).next().expect("progress");
        assert!(before(synced[&0], first));
    }
}

/// A run with a header has its document, and its folders are on the disk before anything is built on them.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_new_run_is_on_the_disk_before_it_is_announced() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let traced = strace::run(&bench, &ALL, &subject.review());
    check::ended(&subject, &bench, &traced.ran);
    let header = traced.all("pwrite64", Place::Journal).next().expect("a header");
    for made in traced.all("mkdir", Place::State) {
        let synced = traced.calls.iter().any(|call| call.name == "fsync" && call.began > made.began && before(call, header));
        assert!(synced, "{}", made.text);
    }
    let copied = traced.all("write", Place::Copy).last().expect("the document's copy");
    let synced = traced.only("fsync", Place::Copy);
    assert!(before(copied, synced) && before(synced, header));
    let announced = traced.all("write", Place::Stderr).next().expect("progress");
    let folder = next(&traced, "fsync", Place::State, header);
    assert!(before(next(&traced, "fdatasync", Place::Journal, header), announced) && before(folder, announced));
    for call in traced.calls.iter().filter(|call| call.name == "openat" && [Place::Journal, Place::Lock].contains(&call.place)) {
        assert!(call.text.contains("O_CLOEXEC"), "no child inherits it: {}", call.text);
        assert!(!call.text.contains("O_TRUNC"), "it is never cut by opening it: {}", call.text);
    }
}

/// What a killed process may not have synced is synced before a resumed run builds on it.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_resumed_run_first_makes_sure_of_what_it_found() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let kill = strace::inject("fdatasync", "signal=SIGKILL", "6");
    assert!(strace::run(&bench, &kill.each_ref().map(String::as_str), &subject.review()).killed());
    let traced = strace::run(&bench, &ALL, &subject.resume());
    check::ended(&subject, &bench, &traced.ran);
    let synced = traced.all("fdatasync", Place::Journal).next().expect("a sync");
    let appended = traced.all("pwrite64", Place::Journal).next().expect("an append");
    assert!(before(synced, appended));
}

/// The document is read, and nothing else: by no command is it opened to be written, renamed, cut or given other rights.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn no_command_touches_the_document() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let meta = || std::fs::metadata(bench.path(DOCUMENT)).expect("there");
    let state = |meta: std::fs::Metadata| {
        use std::os::unix::fs::MetadataExt;
        (meta.ino(), meta.mode(), meta.len(), meta.mtime_nsec(), meta.ctime_nsec(), meta.nlink())
    };
    let untouched = state(meta());
    let review = subject.review();
    let step = [review.clone(), vec!["--step"]].concat();
    let (resume, carried) = (subject.resume(), [&["resume"][..], &DEFER].concat());
    std::os::unix::fs::symlink(DOCUMENT, bench.path("link.yaml")).expect("a link");
    let commands: [&[&str]; 15] = [
        &["outline", DOCUMENT],
        &["outline", DOCUMENT, "--json"],
        &["plan", DOCUMENT, "--json"],
        &["scan", DOCUMENT, "--scope", "UC-01"],
        &["recipes"],
        &["schema", "findings"],
        &step,
        &carried,
        &review,
        &["review", DOCUMENT],
        &resume,
        &["runs"],
        &["review", DOCUMENT, "--out", "link.yaml", "--overwrite", "--defer-all", "x", "--defer-policy"],
        &["review", DOCUMENT, "--out", DOCUMENT, "--overwrite", "--defer-all", "x", "--defer-policy"],
        &["review", DOCUMENT, "--events", "link.yaml"],
    ];
    let mut reads = 0;
    for args in commands {
        let traced = strace::run(&bench, &["-e", "trace=%file,%desc"], args);
        assert!(traced.ran.code >= 0, "{args:?}: {:?}", traced.ran);
        for call in traced.calls.iter().filter(|call| call.place == Place::Document) {
            let reading = match call.name.as_str() {
                "open" | "openat" => {
                    call.text.contains("O_RDONLY") && !call.text.contains("O_TRUNC") && !call.text.contains("O_CREAT")
                }
                "read" | "statx" | "fstat" | "newfstatat" | "lseek" | "close" | "readlink" | "fcntl" | "mmap" => true,
                "copy_file_range" | "sendfile" | "splice" => true,
                _ => false,
            };
            assert!(reading, "{args:?}: {}", call.text);
            reads += usize::from(call.name.starts_with("open"));
        }
    }
    assert!(reads >= 10, "the document was read {reads} times");
    assert_eq!(state(meta()), untouched);
    assert_eq!(bench.read(DOCUMENT).as_deref(), Some(NOTES.as_bytes()));
}
