use super::*;
use crate::config::folders::Folders;
use crate::config::settings::{Flags, Settings};
use crate::config::variables::Variables;
use std::os::unix::fs::symlink;

/// A repository with a document in a folder of it, a state folder, and something outside.
struct Place(tempfile::TempDir);

impl Place {
    fn new(text: &str) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        for folder in ["repo/.git", "repo/docs", "outside", "state", "settings"] {
            std::fs::create_dir_all(place.at(folder)).expect("a folder");
        }
        std::fs::write(place.at("repo/docs/prd.md"), "# A document\n").expect("a file");
        std::fs::write(place.at("outside/secret.yaml"), "").expect("a file");
        std::fs::write(place.at("repo/.tamis.yaml"), text).expect("a file");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("a path").join(name)
    }

    fn project(&self) -> Result<Option<Project>, Fault> {
        Project::of_document(&self.at("repo/docs/prd.md"), &self.at("state"))
    }

    fn found(&self) -> Project {
        self.project().expect("it can be meant").expect("there is one")
    }

    fn trust(&self) {
        let seen = Seen::read(&self.at("repo/.tamis.yaml")).expect("read");
        Trust::of(&self.at("state")).add(&seen, String::new()).expect("kept");
    }

    fn settings(&self) -> Settings {
        let folders = Folders { config: Some(self.at("settings")), state: self.at("state") };
        let variables = Variables::of(|_| None);
        Settings::load(&folders, Some(&self.found()), &variables, &Flags::default()).expect("settings")
    }
}

const POWERS: &str = "\
recipe: review-context
lang: vi
programs:
  evil: {command: [sh, -c, 'curl https://example.com']}
agents:
  far: {kind: openai, model: m, base_url: 'https://example.com/v1', key_env: OPENAI_API_KEY}
seats: {reviewer: 'command:evil', critic: far}
caps: {tokens: 5}
";

#[test]
fn data_is_in_force_and_powers_are_not_before_they_are_trusted() {
    let place = Place::new(POWERS);
    let project = place.found();
    assert_eq!(project.standing, Standing::Never);
    assert_eq!(project.data.recipe.as_ref().map(|recipe| recipe.value.as_str()), Some("review-context"));
    let keys: Vec<(&str, u64)> = project.powers.iter().map(|power| (power.key, power.line)).collect();
    assert_eq!(keys, [("agents", 5), ("programs", 3), ("seats", 7), ("caps", 8)]);
    let said = project.ignored().expect("something is ignored");
    assert!(said.contains("`programs` (line 3)") && said.contains("tamis trust"), "{said}");
    let settings = place.settings();
    assert!(settings.programs.is_empty() && settings.roster.is_empty());
    assert_eq!((settings.seats.reviewer.value.as_str(), settings.caps.tokens.value), ("offline", None));
    assert_eq!(settings.lang.value, Some(Lang::Vi));
    place.trust();
    let settings = place.settings();
    assert_eq!((settings.programs.len(), settings.roster.len()), (1, 1));
    assert_eq!((settings.seats.reviewer.value.as_str(), settings.seats.critic.value.as_str()), ("command:evil", "far"));
    assert_eq!(settings.caps.tokens.value, Some(5));
    assert!(settings.seats.critic.origin.to_string().ends_with(".tamis.yaml:7"), "{}", settings.seats.critic.origin);
    assert_eq!(place.found().ignored(), None);
}

#[test]
fn a_file_that_changes_by_a_byte_is_no_longer_trusted_and_cannot_trust_itself() {
    let place = Place::new(POWERS);
    place.trust();
    std::fs::write(place.at("repo/.tamis.yaml"), format!("{POWERS}\n")).expect("a file");
    assert!(matches!(place.found().standing, Standing::Changed(_)));
    assert!(place.settings().programs.is_empty());
    for word in ["trusted: true\n", "yolo: true\n", "trust: [.tamis.yaml]\n", "hooks: {start: ls}\n", "theme: dark\n"] {
        std::fs::write(place.at("repo/.tamis.yaml"), word).expect("a file");
        let fault = place.project().expect_err("no such key");
        assert!(fault.what.contains("unknown key") && fault.hint.contains("--no-project"), "{fault:?}");
    }
}

#[test]
fn the_project_goes_before_the_user_and_flags_go_before_both() {
    let place = Place::new("lang: zh\nseats: {reviewer: mine, floor: false}\n");
    std::fs::write(
        place.at("settings/config.yaml"),
        "programs:\n  mine: {command: [a]}\n  other: {command: [b]}\nlang: en\nseats: {reviewer: 'command:other', critic: offline}\n\
         agents: {mine: {kind: openai, model: m, base_url: 'http://127.0.0.1:1/v1'}}\n",
    )
    .expect("a file");
    place.trust();
    let settings = place.settings();
    let seats = &settings.seats;
    assert_eq!((seats.reviewer.value.as_str(), seats.critic.value.as_str(), seats.floor.value), ("mine", "offline", false));
    assert_eq!(settings.lang.value, Some(Lang::Zh));
    let folders = Folders { config: Some(place.at("settings")), state: place.at("state") };
    let variables = Variables::of(|name| (name == "TAMIS_LANG").then(|| "vi".to_owned()));
    let flags = Flags { agent: Some("offline"), ..Flags::default() };
    let settings = Settings::load(&folders, Some(&place.found()), &variables, &flags).expect("settings");
    assert_eq!((settings.seats.reviewer.value.as_str(), settings.seats.critic.value.as_str()), ("offline", "offline"));
    assert_eq!(settings.lang.value, Some(Lang::Vi));
}

#[test]
fn a_path_that_leaves_the_project_needs_trust_however_it_leaves() {
    let place = Place::new("");
    symlink(place.at("outside/secret.yaml"), place.at("repo/link.yaml")).expect("a link");
    symlink(place.at("outside"), place.at("repo/folder")).expect("a link");
    symlink(place.at("outside/later.yaml"), place.at("repo/dangling.yaml")).expect("a link");
    std::fs::write(place.at("repo/.env"), "KEY=1\n").expect("a file");
    symlink(place.at("repo/.env"), place.at("repo/harmless.md")).expect("a link");
    symlink(place.at("repo/docs"), place.at("repo/inner")).expect("a link");
    let inside =
        ["docs/prd.md", "./docs/../docs/prd.md", "../repo/docs/prd.md", "inner/prd.md", "new.yaml", "new/folder/out.yaml"];
    let said = [
        "../outside/secret.yaml",
        "/etc/passwd",
        "docs/../../out.yaml",
        ".env",
        ".env.local",
        "docs/server.pem",
        ".git/config",
        "..",
    ];
    // What a link decides, and what a link may decide tomorrow.
    let hidden = [
        "link.yaml",
        "folder/secret.yaml",
        "folder/new.yaml",
        "folder/../outside/secret.yaml",
        "folder/../../x/outside/secret.yaml",
        "dangling.yaml",
        "harmless.md",
        "new/../../out.yaml",
    ];
    for (paths, needs, hides) in [(&inside[..], false, false), (&said, true, false), (&hidden, false, true)] {
        for path in paths {
            for key in ["context", "criteria", "out"] {
                std::fs::write(place.at("repo/.tamis.yaml"), format!("{key}: '{path}'\n")).expect("a file");
                for trusted in [false, true] {
                    if trusted {
                        place.trust();
                    }
                    let project = place.found();
                    assert_eq!((!project.powers.is_empty(), !project.hidden.is_empty()), (needs, hides), "{key}: {path}");
                    let data = &project.data;
                    let in_force = [&data.context, &data.criteria, &data.out].into_iter().flatten().count();
                    assert_eq!(in_force, usize::from(!hides && (trusted || !needs)), "{key}: {path}, trusted: {trusted}");
                    assert_eq!(project.ignored().is_some(), in_force == 0, "{key}: {path}, trusted: {trusted}");
                }
            }
        }
    }
    std::fs::write(place.at("repo/.tamis.yaml"), "recipe: ../outside/secret.yaml\nwith: [docs/prd.md, /etc/hosts]\n")
        .expect("a file");
    let project = place.found();
    assert_eq!(project.powers.iter().map(|power| power.key).collect::<Vec<_>>(), ["recipe", "with"]);
    assert_eq!((project.data.recipe.is_none(), project.data.with.len()), (true, 1));
    assert_eq!(project.powers[1].paths, [PathBuf::from("/etc/hosts")]);
    place.trust();
    assert_eq!(place.found().data.with.len(), 2);
}

#[test]
fn a_document_that_becomes_a_link_out_of_a_trusted_project_counts_no_longer() {
    let place = Place::new("with: [docs/prd2.md]\nout: docs/found.yaml\nseats: {reviewer: offline}\n");
    std::fs::write(place.at("repo/docs/prd2.md"), "# Another\n").expect("a file");
    place.trust();
    let project = place.found();
    assert_eq!((project.data.with.len(), project.data.out.is_some(), project.ignored()), (1, true, None));
    std::fs::remove_file(place.at("repo/docs/prd2.md")).expect("removed");
    for name in ["prd2.md", "found.yaml"] {
        symlink(place.at("outside/secret.yaml"), place.at("repo/docs").join(name)).expect("a link");
    }
    let project = place.found();
    assert!(project.is_trusted(), "not a byte of the file has changed");
    assert_eq!((project.data.with.len(), project.data.out), (0, None));
    let said = place.found().ignored().expect("it is said");
    assert!(said.contains("`with` (line 1)") && said.contains("`out` (line 2)") && said.contains("behind a link"), "{said}");
}

#[test]
fn the_names_of_folders_around_a_project_make_no_secret_of_it() {
    let place = Place::new("");
    let root = place.at("id_work/repo");
    std::fs::create_dir_all(root.join(".git")).expect("a folder");
    for (text, needs) in [("with: [other.md]\n", false), ("with: [id_rsa]\n", true)] {
        std::fs::write(root.join(FILE_NAME), text).expect("a file");
        let project = Project::around(&root, &place.at("state")).expect("read").expect("there is one");
        assert_eq!((!project.powers.is_empty(), project.hidden.is_empty()), (needs, true), "{text}");
    }
}

#[test]
fn what_is_no_file_of_the_project_is_refused_and_never_waited_for() {
    let place = Place::new("");
    let path = place.at("repo/.tamis.yaml");
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(place.project(), Ok(None));
    symlink(place.at("outside/secret.yaml"), &path).expect("a link");
    assert!(place.project().expect_err("outside").what.contains("leads out of its project"));
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("a folder");
    assert!(place.project().expect_err("a folder").what.contains("no regular file"));
    std::fs::remove_dir(&path).expect("removed");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).expect("a pipe");
    assert!(place.project().expect_err("a pipe").what.contains("no regular file"));
}

#[test]
fn without_a_repository_only_the_document_s_own_folder_counts() {
    let place = Place::new("lang: vi\n");
    std::fs::remove_dir(place.at("repo/.git")).expect("removed");
    assert_eq!(place.project(), Ok(None));
    std::fs::write(place.at("repo/docs/.tamis.yaml"), "lang: zh\n").expect("a file");
    assert_eq!(place.found().data.lang.map(|lang| lang.value), Some(Lang::Zh));
    let around = Project::around(&place.at("repo/docs"), &place.at("state")).expect("read");
    assert_eq!(around.and_then(|project| project.data.lang).map(|lang| lang.value), Some(Lang::Zh));
}

#[test]
fn mistakes_have_their_line_and_keys_are_refused() {
    for (text, what) in [
        ("schema: tamis.config/1\n", ":1:9: the format is"),
        ("lang: vi\nrecipes: x\n", ":2:1: unknown key"),
        ("lang: fr\n", ":1:7: unknown language"),
        ("granularity: fine\n", "unknown granularity"),
        ("fail_on: all\n", "unknown severity"),
        ("agent_cap: 0\n", "`agent_cap` is too small"),
        ("api_key: sk-1\n", "a key does not stand in this file"),
        ("lang: &b vi\n", "anchors and aliases"),
    ] {
        let fault = Place::new(text).project().expect_err(text);
        assert!(fault.what.contains(what), "{text}: {}", fault.what);
    }
}
