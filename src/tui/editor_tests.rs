use super::*;
use crate::model::lang::Lang;

/// An editor that is a line of shell; `$0` is the file.
fn shell(script: &str) -> Editor {
    Editor::Named(["sh", "-c", script].map(str::to_owned).to_vec())
}

async fn edited(script: &str, text: &str) -> Result<String, Kept> {
    edit_text(&shell(script), text).await
}

#[test]
fn the_editor_is_the_first_that_is_named_split_as_a_shell_would() {
    let named = |words: &[&str]| Ok(Editor::Named(words.iter().map(|&word| word.to_owned()).collect()));
    assert_eq!(choose(Some("code --wait"), Some("vi")), named(&["code", "--wait"]));
    assert_eq!(choose(Some(" "), Some("'/opt/my editor/ed' -x")), named(&["/opt/my editor/ed", "-x"]));
    assert_eq!(choose(None, Some("")), Ok(Editor::Usual));
    assert_eq!(choose(None, None), Ok(Editor::Usual));
    for broken in ["vi 'x", "\"\"", "#"] {
        assert_eq!(choose(None, Some(broken)), Err(Kept::NotACommand(broken.to_owned())));
    }
}

#[test]
fn each_known_editor_gets_the_line_in_its_own_form() {
    for (program, file, line, expected) in [
        ("vi", "a.md", Some(7), vec!["+7", "a.md"]),
        ("/usr/bin/nvim", "/b/a.md", Some(7), vec!["+7", "/b/a.md"]),
        ("nano", "-a.md", Some(1), vec!["+1", "./-a.md"]),
        ("emacs", "+a.md", Some(2), vec!["+2", "./+a.md"]),
        ("hx", "a.md", Some(7), vec!["a.md:7"]),
        ("code", "需求.md", Some(7), vec!["-g", "需求.md:7"]),
        ("my-own", "a.md", Some(7), vec!["a.md"]),
        ("vi", "a.md", None, vec!["a.md"]),
    ] {
        assert_eq!(arguments(program, Path::new(file), line), expected, "{program}");
    }
}

#[tokio::test]
async fn the_text_comes_back_as_it_was_left_without_the_line_end_that_editors_add() {
    assert_eq!(edited("true", "một\nhai").await, Ok("một\nhai".into()));
    assert_eq!(edited("true", "một\n").await, Ok("một\n".into()));
    assert_eq!(edited("true", "").await, Ok(String::new()));
    assert_eq!(edited("printf ' ba\\n' >> \"$0\"", "một").await, Ok("một\n ba".into()));
    assert_eq!(edited(r#"printf 'Tie\314\202\314\201ng\r\nhai\033[m\r\n' > "$0""#, "x").await, Ok("Tiếng\nhai␛[m".into()));
    // As editors do that write a new file and rename it.
    assert_eq!(edited(r#"printf 'new' > "$0.x" && mv "$0.x" "$0""#, "old").await, Ok("new".into()));
}

#[tokio::test]
async fn the_file_is_private_markdown_and_gone_afterwards() {
    let place = tempfile::NamedTempFile::new().unwrap();
    let note = place.path().display().to_string();
    let script = format!(r#"printf '%s %s' "$(stat -c %a "$0")" "$0" > '{note}'"#);
    edited(&script, "x").await.unwrap();
    let note = std::fs::read_to_string(place.path()).unwrap();
    let (mode, path) = note.split_once(' ').unwrap();
    assert_eq!(mode, "600");
    assert!(path.ends_with(".md"));
    assert!(!Path::new(path).exists());
}

#[tokio::test]
async fn whatever_goes_wrong_the_old_text_stays_and_a_sentence_says_why() {
    let big = format!("head -c {} /dev/zero > \"$0\"", MAX_TEXT + 1);
    let missing = Editor::Named(vec!["/no/such/editor".into()]);
    let outcomes = [
        (edited("printf half > \"$0\"; exit 3", "x").await, Kept::Failed("sh".into(), Some(3))),
        (edited("kill -9 $$", "x").await, Kept::Failed("sh".into(), None)),
        (edited(r#"printf '\377' > "$0""#, "x").await, Kept::NoText),
        (edited(&big, "x").await, Kept::TooLong(MAX_TEXT + 1)),
        (edit_text(&missing, "x").await, Kept::Missing("/no/such/editor".into())),
    ];
    for (outcome, expected) in outcomes {
        assert_eq!(outcome, Err(expected));
    }
    assert!(matches!(edited("rm \"$0\"", "x").await, Err(Kept::Trouble(_))));
    for lang in Lang::ALL {
        let words = Catalogue::new(lang);
        let kept = [
            Kept::NotACommand("vi 'x\u{1b}[2J".into()),
            Kept::Missing("hx".into()),
            Kept::Failed("vi".into(), Some(1)),
            Kept::Failed("vi".into(), None),
            Kept::TooLong(MAX_TEXT + 1),
            Kept::NoText,
            Kept::Trouble("disk full".into()),
        ];
        for kept in kept {
            let said = kept.say(&words);
            assert!(!said.starts_with("editor-") && !said.contains(['{', '\u{1b}']), "{said}");
        }
    }
}

#[tokio::test]
async fn the_document_is_opened_at_its_line_with_the_editor_s_own_words_first() {
    let folder = tempfile::tempdir().unwrap();
    let editor = folder.path().join("vi");
    std::os::unix::fs::symlink("/bin/sh", &editor).unwrap();
    let note = folder.path().join("note");
    let script = format!("printf '%s|' \"$@\" > '{}'", note.display());
    // A shell by the name of vi: what follows its script are the arguments that vi would get.
    let words = [editor.to_str().unwrap(), "-c", &script, "sh", "-R"].map(str::to_owned).to_vec();
    edit_document(&Editor::Named(words), Path::new("/d/prd.md"), 12).await.unwrap();
    assert_eq!(std::fs::read_to_string(note).unwrap(), "-R|+12|/d/prd.md|");
}
