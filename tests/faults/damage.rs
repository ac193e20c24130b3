//! Journals as a crash, a disk or a stranger leaves them.

use super::bench::{Bench, Ran};
use super::check::{self, say};
use super::journal::{framed, records};
use super::kills::until_unharmed;
use super::subject::{DEFER, Subject, TARGET};
use std::path::PathBuf;

/// A run that waits at the gate of its first round, with its id and its journal.
fn begun(subject: &Subject) -> (Bench, String, PathBuf) {
    let bench = subject.bench();
    let ran = bench.run(&[subject.review(), vec!["--step"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    let (run, state) = check::runs(&bench).remove(0);
    assert_eq!(state, "waiting");
    let journal = check::journal_of(&bench, &run);
    (bench, run, journal)
}

fn read(journal: &PathBuf) -> Vec<u8> {
    std::fs::read(journal).expect("a journal")
}

fn put(journal: &PathBuf, bytes: &[u8]) {
    std::fs::write(journal, bytes).expect("written");
}

/// Ends of the lines of a journal, in bytes.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect()
}

fn refused(bench: &Bench, args: &[&str], parts: &[&str]) -> Ran {
    let ran = bench.run(args);
    assert_eq!(ran.code, 6, "{args:?}: {ran:?}");
    for part in parts {
        assert!(ran.err.contains(part), "{args:?} should say {part:?}: {}", ran.err);
    }
    assert!(!ran.err.contains("panicked"), "{ran:?}");
    ran
}

#[test]
fn a_torn_tail_is_set_aside_said_and_never_glued_to() {
    let subject = Subject::offline();
    let (_bench, _, journal) = begun(&subject);
    let whole = read(&journal);
    let ends = line_ends(&whole);
    let (last, before) = (ends[ends.len() - 1], ends[ends.len() - 2]);
    let half = whole[before..before + (last - before) / 2].to_vec();
    let tails: [(&str, Vec<u8>, usize); 7] = [
        ("half a record more", half, last),
        ("NUL bytes", vec![0; 500], last),
        ("more NUL bytes than the rest of the run has records to write over", vec![0; 60_000], last),
        ("a line of NUL bytes", [vec![0; 499], vec![b'\n']].concat(), last),
        ("one byte", b"{".to_vec(), last),
        ("all but the line feed", whole[before..last - 1].to_vec(), before),
        ("all but two bytes", whole[before..last - 2].to_vec(), before),
    ];
    for (what, tail, at) in tails {
        let (bench, run, journal) = begun(&subject);
        let sound = read(&journal);
        let at = if at == last { sound.len() } else { line_ends(&sound)[ends.len() - 2] };
        // Of this journal's own last record where the tail is a part of it.
        let tail = if at == sound.len() { tail } else { sound[at..at + tail.len()].to_vec() };
        put(&journal, &[&sound[..at], &tail].concat());
        let replayed = bench.run(&["replay", &run]);
        let unfinished = format!("({} unfinished bytes follow)", tail.len());
        assert!(replayed.code == 0 && replayed.out.contains(&unfinished), "{what}: {replayed:?}");
        let resumed = bench.run(&subject.resume());
        let aside = check::run_folder(&bench, &run).join("journal.torn.1");
        let notice =
            format!("{} bytes of an unfinished record at the journal's end were set aside in {}", tail.len(), aside.display());
        assert!(resumed.err.contains(&notice), "{what}: {resumed:?}");
        assert_eq!(std::fs::read(&aside).expect("set aside"), tail, "{what}");
        check::ended(&subject, &bench, &resumed);
    }
}

/// A journal cut before any record, and within any record: as if the process had been killed there.
#[test]
#[ignore = "slow: .ci/run runs it with --ignored"]
fn a_journal_cut_anywhere_goes_on() {
    cut_anywhere(&Subject::offline(), 2);
    cut_anywhere(&Subject::carried(), 1);
}

/// Cuts the journal of an ended run before each record, and with `cuts` of 2 also in its middle; the target is the one that
/// stood there then.
fn cut_anywhere(subject: &Subject, cuts: usize) {
    let made = until_unharmed(|k| {
        let (record, middle) = ((k as usize - 1) / cuts, (k as usize - 1) % cuts);
        let bench = subject.bench();
        check::ended(subject, &bench, &bench.run(&subject.review()));
        let (run, _) = check::runs(&bench).remove(0);
        let journal = check::journal_of(&bench, &run);
        let bytes = read(&journal);
        let ends = line_ends(&bytes);
        if record >= ends.len() {
            return false;
        }
        let start = if record == 0 { 0 } else { ends[record - 1] };
        let cut = start + (ends[record] - start) / 2 * middle;
        put(&journal, &bytes[..cut]);
        let is_written = bytes[..cut].windows(WRITTEN.len()).any(|window| window == WRITTEN);
        match &subject.old {
            _ if is_written => {}
            Some(old) => drop(bench.write(TARGET, old)),
            None => std::fs::remove_file(bench.path(TARGET)).expect("removed"),
        }
        check::recovers(subject, &bench);
        true
    });
    say(&format!("{}: resumed from a journal cut at {made} places", subject.name));
    assert!(made > 25, "{}: {made} cuts", subject.name);
}

/// The record that the findings file is written.
const WRITTEN: &[u8] = b"\"kind\":\"step_done\",\"key\":\"write/findings\"";

#[test]
fn decisions_before_and_after_a_torn_tail_are_both_there() {
    let subject = Subject::offline();
    let bench = subject.bench();
    let first = bench.run(&["review", "notes.md", DEFER[0], "conflicts later"]);
    assert_eq!(first.code, 3, "a policy question is open: {first:?}");
    let (run, _) = check::runs(&bench).remove(0);
    let journal = check::journal_of(&bench, &run);
    let tear = || put(&journal, &[read(&journal).as_slice(), b"{\"crc\":\"0123456789abcdef\",\"r\":{\"v\":1,\"se"].concat());
    tear();
    let again = bench.run(&["resume"]);
    assert!(again.code == 3 && again.err.contains("set aside"), "{again:?}");
    tear();
    let ended = bench.run(&["resume", DEFER[0], "questions last", DEFER[2]]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let written = String::from_utf8(bench.read(TARGET).expect("written")).expect("text");
    assert!(written.contains("conflicts later") && written.contains("questions last"), "{written}");
    let folder = check::run_folder(&bench, &run);
    assert!(folder.join("journal.torn.1").exists() && folder.join("journal.torn.2").exists(), "both tails are kept");
}

#[test]
fn an_empty_journal_is_a_run_that_never_began() {
    let subject = Subject::offline();
    for content in [&b""[..], b"{\"crc\":\"0123", &[0; 64]] {
        let (bench, run, journal) = begun(&subject);
        put(&journal, content);
        assert_eq!(check::runs(&bench), [(run.clone(), "empty".to_owned())]);
        let none = bench.run(&["resume"]);
        assert!(none.code == 2 && none.err.contains("no open run"), "{none:?}");
        for args in [["resume", &run], ["replay", &run]] {
            refused(&bench, &args, &["was never begun", "review the document again", &format!("tamis runs rm {run}")]);
        }
        assert_eq!(check::recovers(&subject, &bench), check::Left::Nothing);
        assert_eq!(bench.run(&["runs", "rm", &run]).code, 0);
        assert_eq!(check::runs(&bench).len(), 1, "the run that ended is left");
    }
}

#[test]
fn a_damaged_middle_is_refused_with_its_place_and_salvaged_into_a_new_run() {
    let subject = Subject::offline();
    for record in [1, 5, 12] {
        let (bench, run, journal) = begun(&subject);
        let mut bytes = read(&journal);
        let ends = line_ends(&bytes);
        let (start, end) = (ends[record - 1], ends[record]);
        bytes[(start + end) / 2] ^= 1;
        put(&journal, &bytes);
        let place = format!("damaged at byte {start}, record {record}");
        let salvage = format!("tamis runs salvage {run}");
        refused(&bench, &subject.resume_of(&run), &[&place, "checksum", &salvage]);
        refused(&bench, &["replay", &run], &[&place]);
        let listed = bench.run(&["runs"]);
        assert!(listed.out.contains("damaged") && listed.out.contains(&format!("byte {start}")), "{listed:?}");
        assert_eq!(bench.run(&["resume"]).code, 2, "a damaged run is no open one");

        let salvaged = bench.run(&["runs", "salvage", &run]);
        assert_eq!(salvaged.code, 0, "{salvaged:?}");
        assert!(salvaged.out.starts_with(&format!("{record} sound records are now run ")), "{salvaged:?}");
        assert_eq!(read(&journal), bytes, "the damaged journal stays as it is");
        let line = salvaged.out.lines().find_map(|line| line.strip_prefix("Resume with: tamis resume ")).expect("how to go on");
        let resumed = bench.run(&subject.resume_of(line));
        check::ended(&subject, &bench, &resumed);
        assert!(check::runs(&bench).contains(&(line.to_owned(), "finished".to_owned())));
    }
}

#[test]
fn nothing_can_be_salvaged_without_a_first_record_or_without_damage() {
    let subject = Subject::offline();
    let (bench, run, journal) = begun(&subject);
    refused(&bench, &["runs", "salvage", &run], &["is whole", &format!("tamis resume {run}")]);
    let mut bytes = read(&journal);
    bytes[40] ^= 1;
    put(&journal, &bytes);
    refused(&bench, &["resume", &run], &["damaged at byte 0, record 0", "review the document again"]);
    refused(&bench, &["runs", "salvage", &run], &["not even its first record is whole"]);
    assert_eq!(check::runs(&bench).len(), 1, "a refused salvage leaves no run behind");
}

#[test]
fn what_another_version_wrote_is_named_and_left_alone() {
    let subject = Subject::offline();
    let (bench, run, journal) = begun(&subject);
    let ours = records(&journal);
    assert_eq!(framed(&ours), read(&journal), "records are framed as documented");

    let mut unknown = ours.clone();
    let mut record = ours[3].clone();
    record["kind"] = "vote_taken".into();
    unknown.insert(4, record);
    let other_kind = framed(&unknown);
    put(&journal, &other_kind);
    refused(&bench, &["resume", &run], &["record 4", "vote_taken", "version of tamis that wrote it"]);
    let replayed = bench.run(&["replay", &run]);
    assert!(replayed.code == 0 && replayed.out.contains("? vote_taken"), "{replayed:?}");
    assert_eq!(read(&journal), other_kind);

    let mut newer = ours.clone();
    newer[0]["body"]["format"] = "tamis.journal/2".into();
    let newer = framed(&newer);
    put(&journal, &newer);
    for args in [&subject.resume_of(&run)[..], &["replay", &run]] {
        refused(&bench, args, &["tamis.journal/2", "tamis.journal/1", "version of tamis that wrote it"]);
    }
    assert_eq!(read(&journal), newer);

    let mut newer = ours.clone();
    newer[6]["v"] = 2.into();
    put(&journal, &framed(&newer));
    refused(&bench, &["resume", &run], &["record 6", "its version is 2"]);

    put(&journal, &framed(&ours));
    check::ended(&subject, &bench, &bench.run(&subject.resume()));
}

#[test]
fn records_that_are_missing_doubled_or_swapped_are_damage() {
    let subject = Subject::offline();
    let (bench, run, journal) = begun(&subject);
    let bytes = read(&journal);
    let ends = line_ends(&bytes);
    let line = |n: usize| &bytes[if n == 0 { 0 } else { ends[n - 1] }..ends[n]];
    let all = |order: &[usize]| order.iter().flat_map(|&n| line(n).to_vec()).collect::<Vec<u8>>();
    let whole: Vec<usize> = (0..ends.len()).collect();
    let without_4: Vec<usize> = whole.iter().copied().filter(|&n| n != 4).collect();
    let twice_4: Vec<usize> = whole.iter().flat_map(|&n| if n == 4 { vec![4, 4] } else { vec![n] }).collect();
    let swapped: Vec<usize> = whole
        .iter()
        .map(|&n| {
            if n == 4 {
                5
            } else if n == 5 {
                4
            } else {
                n
            }
        })
        .collect();
    for (order, at) in [(without_4, 4), (twice_4, 5), (swapped, 4)] {
        put(&journal, &all(&order));
        refused(&bench, &["resume", &run], &[&format!("record {at}"), "runs salvage"]);
    }
    // The last record written twice, as by two processes: whole, so no torn tail.
    let last = ends.len() - 1;
    put(&journal, &[&bytes, line(last)].concat());
    refused(&bench, &["resume", &run], &[&format!("record {}", last + 1)]);
    put(&journal, &bytes);
    check::ended(&subject, &bench, &bench.run(&subject.resume()));
}

#[test]
fn a_journal_that_is_no_file_or_is_gone_is_no_crash() {
    let subject = Subject::offline();
    let (bench, run, journal) = begun(&subject);
    std::fs::remove_file(&journal).expect("removed");
    refused(&bench, &["resume", &run], &["was never begun"]);
    std::fs::create_dir(&journal).expect("made");
    let folder = bench.run(&["resume", &run]);
    assert!(folder.code == 7 && folder.err.contains("journal.jsonl"), "{folder:?}");
    assert_eq!(bench.run(&["runs"]).code, 0);
}

/// A longer file is replaced by a shorter one, and nothing of the longer one is left at its end.
#[test]
fn a_shorter_file_has_no_tail_of_the_longer_one() {
    let bench = Bench::new();
    bench.write("notes.md", &super::subject::NOTES.repeat(6).replacen("# Notes", "# Long", 1));
    let long = bench.run(&["review", "notes.md", DEFER[0], DEFER[1], DEFER[2]]);
    assert_eq!(long.code, 0, "{long:?}");
    let longer = bench.read(TARGET).expect("written").len();
    bench.write("notes.md", "# Notes\n\n## UC-01: Read\n### Acceptance Criteria\n- AC-01: The reader sees the note.\n");
    std::fs::remove_file(bench.path(TARGET)).expect("removed");
    let alone = bench.run(&["review", "notes.md", "--out", "alone.yaml"]);
    assert_eq!(alone.code, 0, "{alone:?}");
    let padded = [bench.read("alone.yaml").expect("written"), vec![b'#'; longer]].concat();
    bench.write(TARGET, &padded);
    let short = bench.run(&["review", "notes.md"]);
    assert_eq!(short.code, 0, "{short:?}");
    let written = bench.read(TARGET).expect("written");
    assert!(written.len() < longer && !written.ends_with(b"#"), "{} bytes", written.len());
}
