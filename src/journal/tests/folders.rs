//! Folders, permissions, listing and deletion.

use super::*;
use crate::model::fault::FaultKind;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn id(text: &str) -> RunId {
    RunId::from(text)
}

fn make_run(state: &Path) -> RunFolder {
    let folder = RunFolder::create(state, &id(RUN)).unwrap();
    folder.save_document(b"# PRD\n".as_slice()).unwrap();
    Journal::create(&folder, started(RUN), AT).unwrap();
    folder
}

fn assert_private(state: &Path, folder: &RunFolder) {
    for path in [state, &state.join("runs"), folder.path()] {
        assert_eq!(mode(path), 0o700, "{}", path.display());
    }
    for path in [folder.journal(), folder.lock(), folder.document()] {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

/// The umask belongs to the whole process, so each one is tried in a process of its own: this test, run again.
#[test]
fn folders_and_files_are_the_owners_alone_under_any_umask() {
    const STATE: &str = "TAMIS_TEST_UMASK_STATE";
    if let Some(state) = std::env::var_os(STATE) {
        make_run(Path::new(&state));
        return;
    }
    for umask in ["000", "022", "077", "277"] {
        let parent = tempfile::tempdir().unwrap();
        let state = parent.path().join("deep/state");
        let child = Command::new("sh")
            .args(["-c", "umask \"$0\" && exec \"$@\"", umask])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "journal::tests::folders::folders_and_files_are_the_owners_alone_under_any_umask"])
            .env(STATE, &state)
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        assert_private(&state, &RunFolder::find(&state, &id(RUN)).unwrap());
    }
}

#[test]
fn what_was_left_open_to_others_is_tightened() {
    let parent = tempfile::tempdir().unwrap();
    let state = parent.path().join("state");
    fs::create_dir_all(state.join("runs")).unwrap();
    for path in [&state, &state.join("runs")] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let folder = make_run(&state);
    assert_private(&state, &folder);

    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    for path in [folder.journal(), folder.lock(), folder.document()] {
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    }
    Journal::open(&folder, AT).unwrap();
    assert_private(&state, &folder);
}

#[test]
fn a_folder_that_holds_other_things_keeps_its_mode() {
    let shared = tempfile::tempdir().unwrap();
    fs::set_permissions(shared.path(), Permissions::from_mode(0o755)).unwrap();
    fs::write(shared.path().join("something-else"), "").unwrap();
    let folder = make_run(shared.path());
    assert_eq!(mode(shared.path()), 0o755);
    assert_eq!(mode(&shared.path().join("runs")), 0o700);
    assert_eq!(mode(folder.path()), 0o700);
}

#[test]
fn a_run_id_never_leaves_its_folder() {
    let state = tempfile::tempdir().unwrap();
    let long = "x".repeat(200);
    for bad in ["", ".", "..", "../..", "a/b", "/etc", "-rf", ".hidden", "a\0b", "a b", "chạy", &long] {
        for fault in [
            RunFolder::create(state.path(), &id(bad)).unwrap_err(),
            RunFolder::find(state.path(), &id(bad)).unwrap_err(),
            remove(state.path(), &id(bad), true).unwrap_err(),
        ] {
            assert_eq!(fault.kind, FaultKind::Usage, "{bad:?}");
        }
    }
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_is_made_once() {
    let state = tempfile::tempdir().unwrap();
    RunFolder::create(state.path(), &id(RUN)).unwrap();
    assert_eq!(RunFolder::create(state.path(), &id(RUN)).unwrap_err().kind, FaultKind::Io);
}

#[test]
fn a_document_is_kept_once() {
    let state = tempfile::tempdir().unwrap();
    let folder = make_run(state.path());
    assert_eq!(folder.save_document(b"other".as_slice()).unwrap_err().kind, FaultKind::Io);
    assert_eq!(fs::read(folder.document()).unwrap(), b"# PRD\n");
}

fn begin(state: &Path, run: &str, at: &str, more: &[Draft]) -> RunFolder {
    let folder = RunFolder::create(state, &id(run)).unwrap();
    let (mut journal, _) = Journal::create(&folder, started(run), at).unwrap();
    journal.append(more.to_vec(), at).unwrap();
    folder
}

#[test]
fn runs_are_listed_newest_first_and_junk_is_passed_over() {
    let state = tempfile::tempdir().unwrap();
    assert_eq!(list(&state.path().join("nowhere")).unwrap(), []);

    let finished = Draft::new(Kind::RunFinished, "", json!({"exit": 0, "path": "x.yaml"}));
    let paused = Draft::new(Kind::RunPaused, "", json!({"reason": "a person is needed"}));
    begin(state.path(), "finished", "2026-01-01T00:00:00.000Z", &[fixed(1, 2), vec![finished]].concat());
    begin(state.path(), "paused", "2026-01-02T00:00:00.000Z", std::slice::from_ref(&paused));
    begin(state.path(), "again", "2026-01-03T00:00:00.000Z", &[paused, Draft::new(Kind::RunResumed, "", json!({}))]);
    let torn = begin(state.path(), "torn", "2026-01-04T00:00:00.000Z", &fixed(1, 1));
    let bytes = fs::read(torn.journal()).unwrap();
    overwrite(&torn, &[&bytes, b"{\"crc".as_slice()].concat());
    let damaged = begin(state.path(), "damaged", "2026-01-05T00:00:00.000Z", &fixed(1, 2));
    let mut bytes = fs::read(damaged.journal()).unwrap();
    let second = line_starts(&bytes)[1];
    bytes[second + 40] ^= 1;
    overwrite(&damaged, &bytes);

    RunFolder::create(state.path(), &id("empty")).unwrap();
    let foreign = RunFolder::create(state.path(), &id("strange")).unwrap();
    fs::create_dir(foreign.journal()).unwrap();
    let runs = state.path().join("runs");
    fs::write(runs.join("a-file"), "x").unwrap();
    fs::create_dir(runs.join(".hidden")).unwrap();
    fs::create_dir(runs.join("not an id")).unwrap();
    std::os::unix::fs::symlink(torn.path(), runs.join("link")).unwrap();

    let listed = list(state.path()).unwrap();
    let seen: Vec<(&str, &RunState, u64)> = listed.iter().map(|run| (run.run.as_str(), &run.state, run.events)).collect();
    let damage = RunState::Unusable(format!("byte {second}, record 1: its checksum does not match"));
    let RunState::Unusable(strange) = seen[5].1 else { panic!("{seen:?}") };
    assert!(strange.ends_with("it is no regular file"), "{strange}");
    assert_eq!(
        seen,
        [
            ("damaged", &damage, 1),
            ("torn", &RunState::Open, 2),
            ("again", &RunState::Open, 3),
            ("paused", &RunState::Paused, 2),
            ("finished", &RunState::Finished, 4),
            ("strange", seen[5].1, 0),
            ("empty", &RunState::Empty, 0),
        ]
    );
    assert_eq!(listed[4].header.as_ref().unwrap().document_given, "prd.md");
    assert_eq!(listed[4].last_at, "2026-01-01T00:00:00.000Z");
    assert_eq!(fs::read(damaged.journal()).unwrap(), bytes, "listing changes nothing");
    assert!(listed.iter().all(|run| !run.in_use));
}

#[test]
fn an_open_run_is_deleted_by_force_only() {
    let state = tempfile::tempdir().unwrap();
    let folder = begin(state.path(), "open", AT, &fixed(1, 1));
    let fault = remove(state.path(), &id("open"), false).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Usage);
    assert!(fault.hint.contains("--force") && fault.hint.contains("tamis resume open"), "{}", fault.hint);
    assert!(folder.journal().exists());
    remove(state.path(), &id("open"), true).unwrap();
    assert_eq!(fs::read_dir(state.path().join("runs")).unwrap().count(), 0);
    assert_eq!(remove(state.path(), &id("open"), true).unwrap_err().kind, FaultKind::Usage, "there is no such run any more");
}

#[test]
fn finished_and_empty_runs_are_deleted_and_damaged_ones_are_not_by_mistake() {
    let state = tempfile::tempdir().unwrap();
    let finished = Draft::new(Kind::RunFinished, "", json!({"exit": 0, "path": "x.yaml"}));
    begin(state.path(), "finished", AT, &[finished]);
    RunFolder::create(state.path(), &id("empty")).unwrap();
    let damaged = begin(state.path(), "damaged", AT, &fixed(1, 1));
    overwrite(&damaged, b"\n\n");
    // What an interrupted deletion left.
    fs::create_dir(state.path().join("runs/.gone-older")).unwrap();

    remove(state.path(), &id("finished"), false).unwrap();
    remove(state.path(), &id("empty"), false).unwrap();
    let fault = remove(state.path(), &id("damaged"), false).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Usage);
    assert!(fault.hint.contains("runs salvage damaged") && !fault.hint.contains("resume"), "{}", fault.hint);
    let left: Vec<_> = fs::read_dir(state.path().join("runs")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["damaged"]);
}

#[test]
fn a_run_in_use_is_never_deleted() {
    let (state, folder, _) = run_with(1);
    let opened = Journal::open(&folder, AT).unwrap();
    for force in [false, true] {
        assert_eq!(remove(state.path(), &id(RUN), force).unwrap_err().kind, FaultKind::Locked);
    }
    assert!(list(state.path()).unwrap()[0].in_use);
    drop(opened);
    assert!(!list(state.path()).unwrap()[0].in_use);
    remove(state.path(), &id(RUN), true).unwrap();
}
