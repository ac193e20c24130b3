use super::*;
use crate::model::lang::Lang;
use crate::text::Catalogue;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_text_is_sent_in_one_sequence_and_through_tmux_twice() {
    let plain = "\x1b]52;c;Vmnhu4d0IOS4rQ==\x07";
    assert_eq!(sequence("Việt 中", false).unwrap().bytes(), plain.as_bytes());
    let tmux = sequence("Việt 中", true).unwrap();
    let expected = format!("\x1bPtmux;\x1b\x1b]52;c;Vmnhu4d0IOS4rQ==\x07\x1b\\{plain}");
    assert_eq!(std::str::from_utf8(tmux.bytes()).unwrap(), expected);
    assert_eq!(bell().bytes(), b"\x07");
}

#[test]
fn control_characters_become_marks_but_line_ends_and_tabs() {
    assert_eq!(payload("a\tb\nc\r\nd\u{1b}]52;c;x\u{7}\u{202e}"), "a\tb\nc\nd␛]52;c;x^G⟦U+202E⟧");
}

#[test]
fn a_text_is_sent_up_to_the_limit_and_refused_beyond() {
    let longest = sequence(&"x".repeat(MAX_BYTES), false).unwrap();
    assert!(longest.bytes().len() <= 100_000);
    assert_eq!(sequence(&"x".repeat(MAX_BYTES + 1), false), Err(Copied::TooLong(MAX_BYTES + 1)));
    assert_eq!(copy(&"ệ".repeat(30_000), false), Copied::TooLong(90_000));
}

#[test]
fn no_words_claim_that_anything_was_copied() {
    let outcomes = [
        Copied::Sent,
        Copied::SentToTmux,
        Copied::InTmuxBuffer,
        Copied::NotInTmuxBuffer("exit status: 1".into()),
        Copied::TmuxSilent,
        Copied::TooLong(90_000),
        Copied::NotSent("hang-up".into()),
        Copied::ToFile("/tmp/\u{1b}[2Jx".into()),
        Copied::NotToFile("disk full".into()),
    ];
    for lang in Lang::ALL {
        let words = Catalogue::new(lang);
        for outcome in &outcomes {
            let said = outcome.say(&words);
            assert!(!said.starts_with("clipboard-") && !said.contains(['{', '\u{1b}']), "{said}");
            for claim in ["copied", "Copied", "đã sao chép", "Đã sao chép", "已复制"] {
                assert!(!said.contains(claim), "{said}");
            }
        }
    }
    let english = Catalogue::new(Lang::En);
    assert_eq!(Copied::SentToTmux.say(&english), "Sent to tmux; it passes it on only with “set-clipboard on”.");
    assert!(Copied::TooLong(90_000).say(&english).contains("90 kB are more than a terminal’s clipboard takes (75 kB)"));
}

#[test]
fn files_are_private_new_and_inside_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for name in ["F012.md", "F012.md", "../../x/y", "..", "Tiếng Việt.txt"] {
        let Copied::ToFile(path) = to_file(folder.path(), name, "text\u{1b}\n") else { panic!("written") };
        assert_eq!(path.parent(), Some(folder.path()));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text␛\n");
        paths.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    assert_eq!(paths, ["F012.md", "F012-2.md", "..-..-x-y", "copy.", "Tiếng-Việt.txt"]);
    assert!(matches!(to_file(&folder.path().join("none"), "x", ""), Copied::NotToFile(_)));
}

/// A program in the place of tmux.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("tmux");
    // A link to the shell would read the arguments of tmux; a script does not, and is whole before anybody runs it.
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

#[tokio::test]
async fn tmux_gets_the_text_on_its_input_and_its_answer_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let takes = program(folder.path(), &format!("echo noise; echo noise >&2; (echo \"$@\"; cat) > '{}'", note.display()));
    assert_eq!(load_buffer(&takes, "Việt\n中").await, Copied::InTmuxBuffer);
    assert_eq!(std::fs::read_to_string(note).unwrap(), "load-buffer -w -\nViệt\n中");
    let refuses = program(folder.path(), "cat > /dev/null; exit 1");
    assert_eq!(load_buffer(&refuses, "x").await, Copied::NotInTmuxBuffer("exit status: 1".into()));
    assert!(matches!(load_buffer(Path::new("/no/tmux"), "x").await, Copied::NotInTmuxBuffer(_)));
}

/// On a paused clock a wait for a real process is over at once: the timeout is what answers, and the process is gone.
#[tokio::test(start_paused = true)]
async fn a_tmux_that_never_answers_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let silent = program(folder.path(), "exec tail -f /dev/null");
    assert_eq!(load_buffer(&silent, &"x".repeat(1_000_000)).await, Copied::TmuxSilent);
}
