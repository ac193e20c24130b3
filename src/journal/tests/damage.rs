//! Damage to the bytes of a journal: no wrong event is ever accepted, and only a bad end passes for a torn one.

use super::*;
use crate::journal::scan::{Problem, Scan, scan};
use proptest::prelude::*;
use std::io::Read as _;
use std::sync::LazyLock;

static WHOLE: LazyLock<(Vec<u8>, Vec<Event>)> = LazyLock::new(|| journal_bytes(4));

fn judge(bytes: &[u8]) -> (Vec<Event>, Scan) {
    let mut events = Vec::new();
    let found = scan(bytes, |event| events.push(event)).unwrap();
    (events, found)
}

fn is_damaged(found: &Scan) -> bool {
    matches!(found.problem, Some(Problem::Damaged(_)))
}

#[test]
fn cut_at_any_byte_all_whole_records_stay_and_the_rest_is_torn() {
    let (bytes, events) = &*WHOLE;
    let starts = line_starts(bytes);
    for cut in 0..=bytes.len() {
        let (kept, found) = judge(&bytes[..cut]);
        let whole = starts.iter().filter(|start| **start <= cut).count() - 1;
        assert_eq!(kept, events[..whole], "cut at {cut}");
        assert_eq!(found.good as usize, starts[whole], "cut at {cut}");
        let expected = if starts.contains(&cut) { None } else { Some(Problem::Torn) };
        assert_eq!(found.problem, expected, "cut at {cut}");
    }
}

#[test]
fn a_changed_byte_is_always_seen_and_torn_only_in_the_last_line() {
    let (bytes, events) = &*WHOLE;
    let starts = line_starts(bytes);
    let last_line = starts[starts.len() - 2];
    for at in 0..bytes.len() {
        for other in (0..8).map(|bit| bytes[at] ^ (1 << bit)).chain([b'\n', b' ', 0]).filter(|other| *other != bytes[at]) {
            let mut changed = bytes.clone();
            changed[at] = other;
            let (kept, found) = judge(&changed);
            let line = starts.iter().filter(|start| **start <= at).count() - 1;
            assert!(kept.len() <= line, "byte {at} as {other}");
            assert_eq!(kept, events[..kept.len()], "byte {at} as {other}");
            match found.problem {
                Some(Problem::Torn) => assert!(at >= last_line, "byte {at} as {other} passes for a torn tail"),
                Some(_) => {}
                None => panic!("byte {at} as {other} was not seen"),
            }
        }
    }
}

#[test]
fn a_lost_line_feed_is_damage_and_no_torn_tail() {
    let (bytes, events) = &*WHOLE;
    let starts = line_starts(bytes);
    let last_line = starts[starts.len() - 2];
    let mut joined = bytes.clone();
    joined.remove(last_line - 1);
    let (kept, found) = judge(&joined);
    assert!(is_damaged(&found), "{found:?}");
    assert_eq!(kept, events[..3]);
    // The same with the record after it only half there, or a fragment before a whole record.
    assert!(is_damaged(&judge(&joined[..joined.len() - 20]).1));
    let mut overwritten = bytes.clone();
    overwritten[last_line - 1] = b' ';
    assert!(is_damaged(&judge(&overwritten[..overwritten.len() - 20]).1));
    let glued = [&bytes[..last_line], &bytes[last_line..last_line + 30], &bytes[last_line..]].concat();
    assert!(is_damaged(&judge(&glued).1));
}

#[test]
fn records_out_of_place_are_damage_even_at_the_end() {
    let (bytes, _) = &*WHOLE;
    let starts = line_starts(bytes);
    let line = |n: usize| &bytes[starts[n]..starts[n + 1]];
    let why = |lines: &[&[u8]]| match judge(&lines.concat()).1.problem {
        Some(Problem::Damaged(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(&[line(0), line(1), line(1)]), "it says it is record 1");
    assert_eq!(why(&[line(0), line(2)]), "it says it is record 2");
    assert_eq!(why(&[line(0), line(2), line(1)]), "it says it is record 2");
    assert_eq!(why(&[line(1)]), "it says it is record 1");
    // A record of another run with the right number.
    let (other, _) = {
        let state = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(state.path(), &RunId::from("other")).unwrap();
        let (mut journal, _) = Journal::create(&folder, started("other"), AT).unwrap();
        journal.append(fixed(1, 1), AT).unwrap();
        (std::fs::read(folder.journal()).unwrap(), ())
    };
    let foreign = &other[line_starts(&other)[1]..];
    assert_eq!(why(&[line(0), foreign]), "it does not follow from the record before it");
}

#[test]
fn a_blank_line_or_a_run_of_nul_in_the_middle_is_damage() {
    let (bytes, events) = &*WHOLE;
    let second = line_starts(bytes)[1];
    for between in [b"\n".as_slice(), b"\r\n", &[0; 500]] {
        let (kept, found) = judge(&[&bytes[..second], between, &bytes[second..]].concat());
        assert!(is_damaged(&found), "{found:?}");
        assert_eq!(kept, events[..1]);
    }
    let crlf: Vec<u8> = bytes.iter().flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] }).collect();
    assert!(is_damaged(&judge(&crlf).1));
}

#[test]
fn a_line_that_never_ends_is_refused_within_its_cap() {
    let (kept, found) = {
        let mut events: Vec<Event> = Vec::new();
        let endless = std::io::BufReader::new(std::io::repeat(b'x').take(MAX_LINE * 4));
        let found = scan(endless, |event| events.push(event)).unwrap();
        (events, found)
    };
    assert_eq!(kept, []);
    assert_eq!(found.problem, Some(Problem::Damaged("it is longer than 64 MiB".into())));
}

proptest! {
    #[test]
    fn random_bytes_hold_no_event(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let (kept, found) = judge(&bytes);
        prop_assert!(kept.is_empty());
        prop_assert_eq!(found.problem.is_none(), bytes.is_empty());
    }

    /// Stretches removed, doubled, moved or overwritten: what is kept is always a beginning of what was written.
    #[test]
    fn only_a_beginning_of_the_journal_is_ever_accepted(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8, prop::collection::vec(any::<u8>(), 0..40)), 1..4),
    ) {
        let (bytes, events) = &*WHOLE;
        let mut changed = bytes.clone();
        for (from, to, how, noise) in edits {
            if changed.is_empty() {
                break;
            }
            let (a, b) = (from.index(changed.len()), to.index(changed.len()));
            let (a, b) = (a.min(b), a.max(b));
            let stretch = changed[a..b].to_vec();
            let new = match how {
                0 => Vec::new(),
                1 => [stretch.as_slice(), &stretch].concat(),
                2 => noise,
                _ => vec![0; stretch.len()],
            };
            changed.splice(a..b, new);
        }
        let (kept, found) = judge(&changed);
        prop_assert!(kept.len() <= events.len());
        prop_assert_eq!(&kept, &events[..kept.len()]);
        prop_assert_eq!(&changed[..found.good as usize], &bytes[..found.good as usize]);
        prop_assert_eq!(found.problem.is_none(), changed.len() == found.good as usize);
    }
}
