use super::*;
use crate::model::fault::FaultKind;

fn folders(config: &Path) -> Folders {
    Folders { config: Some(config.to_owned()), state: PathBuf::from("/nowhere") }
}

fn with(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Prompts, Fault>) {
    let folder = tempfile::tempdir().expect("folder");
    for (name, text) in files {
        let path = folder.path().join("prompts").join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    let loaded = Prompts::load(&folders(folder.path()));
    (folder, loaded)
}

fn refused(files: &[(&str, &str)]) -> Fault {
    with(files).1.expect_err("refused")
}

#[test]
fn every_built_in_text_has_exactly_its_placeholders() {
    for (index, text) in Text::ALL.into_iter().enumerate() {
        assert_eq!(text as usize, index, "{} stands in another place than its number", text.name());
        assert_eq!(check(text, text.built_in(), Path::new(text.name())), Ok(()));
        assert!(!text.built_in().contains('\r'));
    }
}

#[test]
fn without_files_of_ones_own_everything_is_built_in() {
    let (_folder, loaded) = with(&[]);
    let prompts = loaded.expect("loads");
    assert_eq!(prompts, Prompts::embedded());
    assert!(prompts.origins().all(|(_, origin)| *origin == Origin::Embedded));
    let homeless = Folders { config: None, state: "/nowhere".into() };
    assert_eq!(Prompts::load(&homeless).expect("loads"), prompts);
}

#[test]
fn a_file_replaces_the_whole_text_and_changes_the_hash() {
    let (folder, loaded) = with(&[("arbiter.md", "Look ({language}):\r\n{listing}\r\n\r\n"), ("README.md", "mine, {not} read")]);
    let prompts = loaded.expect("loads");
    assert_eq!(prompts.fill(Text::Arbiter, &[("listing", "1 2 3"), ("language", "English")]), "Look (English):\n1 2 3");
    let own = folder.path().join("prompts/arbiter.md");
    let origins: Vec<_> = prompts.origins().filter(|(_, origin)| **origin != Origin::Embedded).collect();
    assert_eq!(origins, [(Text::Arbiter, &Origin::User(own))]);
    assert_ne!(prompts.hash(), Prompts::embedded().hash());
    assert_eq!(prompts.hash().len(), 64);

    let (_folder, part) = with(&[("parts/no_others.md", "Nothing.")]);
    let part = part.expect("loads");
    assert_eq!(part.fill(Text::NoOthers, &[]), "Nothing.");
    assert!(part.hash() != prompts.hash() && part.hash() != Prompts::embedded().hash());
}

#[test]
fn an_unknown_placeholder_is_refused_with_file_line_and_the_nearest_name() {
    let fault = refused(&[("reviewer.md", "Hello.\n\nLook at {dimesion} {criteria} {others}\n")]);
    assert_eq!(fault.kind, FaultKind::Usage);
    assert!(fault.what.contains("prompts/reviewer.md:3: "), "{}", fault.what);
    assert!(fault.what.contains("{dimesion}") && fault.hint.contains("did you mean `dimension`?"), "{fault:?}");
    let none = refused(&[("parts/fence.md", "Fences are {strong}.")]);
    assert!(none.what.contains("fence.md:1: ") && none.hint.contains("there is: nothing"), "{none:?}");
}

#[test]
fn a_missing_placeholder_is_refused_for_every_text_that_has_one() {
    for text in Text::ALL {
        for missing in text.places() {
            let rest: Vec<String> =
                text.places().iter().filter(|place| *place != missing).map(|place| format!("{{{place}}}")).collect();
            let fault = refused(&[(&format!("{}.md", text.name()), &format!("Words {}", rest.join(" ")))]);
            assert!(fault.what.ends_with(&format!("the placeholder `{{{missing}}}` is missing")), "{}", fault.what);
            assert!(fault.what.contains(&format!("prompts/{}.md", text.name())), "{}", fault.what);
            assert!(text.places().iter().all(|place| fault.hint.contains(place)), "{}", fault.hint);
        }
    }
}

#[test]
fn what_cannot_be_used_is_refused_and_not_passed_over() {
    let stranger = refused(&[("reviwer.md", "x")]);
    assert!(stranger.what.contains("no prompt is named `reviwer`") && stranger.hint.contains("`reviewer`"), "{stranger:?}");
    let part = refused(&[("parts/fences.md", "x")]);
    assert!(part.hint.contains("did you mean `parts/fence`?"), "{part:?}");
    assert!(refused(&[("parts/fence.md", " \n\n")]).what.contains("is empty"));
    let long = refused(&[("critic.md", &"x".repeat(crate::model::yaml::CONFIG_BYTES + 1))]);
    assert_eq!(long.kind, FaultKind::Io);
    assert!(long.what.contains("is longer than"), "{}", long.what);

    let folder = tempfile::tempdir().expect("folder");
    fs::write(folder.path().join("prompts"), "no folder").expect("written");
    let fault = Prompts::load(&folders(folder.path())).expect_err("no folder");
    assert!(fault.kind == FaultKind::Io && fault.what.contains("prompts: "), "{fault:?}");

    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir_all(folder.path().join("prompts")).expect("made");
    std::os::unix::fs::symlink("gone", folder.path().join("prompts/system.md")).expect("linked");
    assert_eq!(Prompts::load(&folders(folder.path())).expect_err("dangling").kind, FaultKind::Io);
}

#[test]
fn filling_is_one_pass() {
    let values = [("a", "{b} {{a}} {c}"), ("b", "B")];
    assert_eq!(fill("{a}, {b}", &values), "{b} {{a}} {c}, B");
    assert_eq!(fill("{{a}}", &values), "{{b} {{a}} {c}}");
    assert_eq!(fill("{ a } {A} {} {a b} {a", &values), "{ a } {A} {} {a b} {a");
    assert_eq!(fill("é{b}é {unset}!", &values), "éBé !");
}

#[test]
fn a_line_whose_place_stays_empty_is_left_out() {
    let text = "One\n\n{a}\n\n{b}\n\nTwo {a}\n\n{a}";
    assert_eq!(fill(text, &[("a", ""), ("b", "B\n\nb")]), "One\n\nB\n\nb\n\nTwo");
    assert_eq!(fill(text, &[("a", "A"), ("b", "")]), "One\n\nA\n\nTwo A\n\nA");
}

proptest::proptest! {
    #[test]
    fn any_text_is_searched_and_filled(text in "(?s)[a-c{}_ é\n]{0,60}", value in "(?s)[a-c{}\n]{0,10}") {
        for (at, name) in placeholders(&text) {
            proptest::prop_assert_eq!(&text[at..at + name.len() + 2], format!("{{{name}}}"));
        }
        let _ = fill(&text, &[("a", &value), ("b", "")]);
    }
}
