//! The sandbox: what a program that tries everything still cannot do.

use super::{TAMIS, real, run, text};
use serde_json::json;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A project, a folder to write in, and what is none of the program's business.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["project", "scratch", "elsewhere"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let place = Place { folder };
        std::fs::write(place.of("project/prd.md"), "# The document\n").expect("a file");
        std::fs::write(place.of("elsewhere/secret"), "the secret\n").expect("a file");
        symlink(place.of("elsewhere/secret"), place.of("project/way-out")).expect("a link");
        place
    }

    fn of(&self, name: &str) -> PathBuf {
        real(self.folder.path()).join(name)
    }

    /// Runs a shell within walls.
    fn within(&self, network: &serde_json::Value, script: &str) -> Output {
        let system = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/dev/null"].map(PathBuf::from);
        let mut read: Vec<PathBuf> = system.into_iter().filter(|path| path.exists()).collect();
        read.push(self.of("project"));
        let walls = json!({ "read": read, "write": [self.of("scratch"), "/dev/null"], "network": network });
        run(Command::new(TAMIS)
            .args(["__sandbox", "--walls", &walls.to_string(), "--", "bash", "-c", script])
            .current_dir(self.of("project")))
    }

    fn denied(&self, network: &serde_json::Value, script: &str) {
        let output = self.within(network, script);
        assert_ne!(output.status.code(), Some(0), "{script} is not denied: {}", text(&output.stdout));
    }

    fn allowed(&self, network: &serde_json::Value, script: &str) -> String {
        let output = self.within(network, script);
        assert_eq!(output.status.code(), Some(0), "{script}: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

fn contents(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_project_can_be_read_and_the_scratch_folder_written() {
    let place = Place::new();
    let none = json!("none");
    assert_eq!(place.allowed(&none, "cat prd.md"), "# The document\n");
    let scratch = place.of("scratch");
    place.allowed(&none, &format!("echo kept > {}/note", scratch.display()));
    assert_eq!(contents(&scratch.join("note")), "kept\n");
}

#[test]
fn nothing_else_can_be_read_or_changed() {
    let place = Place::new();
    for network in [json!("none"), json!({ "ports": [443] }), json!("any")] {
        let elsewhere = place.of("elsewhere");
        for script in [
            format!("cat {}/secret", elsewhere.display()),
            "cat way-out".to_owned(),
            format!("cat /proc/{}/environ", std::process::id()),
            "echo more >> prd.md".to_owned(),
            "echo new > new.md".to_owned(),
            ": > prd.md".to_owned(),
            "truncate -s 0 prd.md".to_owned(),
            "rm prd.md".to_owned(),
            "mv prd.md other.md".to_owned(),
            format!("ln prd.md {}/hard", place.of("scratch").display()),
            "sh -c 'sh -c \"echo deep > deep.md\"'".to_owned(),
            format!("kill -0 {}", std::process::id()),
        ] {
            place.denied(&network, &script);
        }
    }
    assert_eq!(contents(&place.of("project/prd.md")), "# The document\n");
    let mut names: Vec<_> =
        std::fs::read_dir(place.of("project")).expect("a folder").flatten().map(|it| it.file_name()).collect();
    names.sort();
    assert_eq!(names, ["prd.md", "way-out"]);
}

#[test]
fn without_a_network_nothing_is_reached_and_no_mode_or_time_is_changed() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let none = json!("none");
    let connects = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    place.denied(&none, &connects);
    place.denied(&none, "exec 3<>/dev/udp/127.0.0.1/53");
    let document = place.of("project/prd.md");
    let before = std::fs::metadata(&document).expect("a file");
    for script in ["chmod 777 prd.md", "touch -d 2001-01-01 prd.md"] {
        place.denied(&none, script);
    }
    let after = std::fs::metadata(&document).expect("a file");
    assert_eq!(before.permissions().mode(), after.permissions().mode());
    assert_eq!(before.modified().expect("a time"), after.modified().expect("a time"));
    // A port that is named can be reached, and no other.
    place.allowed(&json!({ "ports": [port] }), &connects);
    place.denied(&json!({ "ports": [port.wrapping_add(1)] }), &connects);
    place.allowed(&json!("any"), &connects);
}

#[test]
fn where_less_is_in_force_than_was_promised_nothing_runs() {
    let place = Place::new();
    let walls = json!({ "read": ["/"], "write": [], "network": "any" }).to_string();
    let marker = place.of("scratch/ran");
    let output = run(Command::new(TAMIS).args(["__sandbox", "--walls", &walls, "--least", "full", "--", "touch"]).arg(&marker));
    assert_eq!(output.status.code(), Some(126), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("full was promised"), "{}", text(&output.stderr));
    assert!(!marker.exists());
    let gone = json!({ "read": [place.of("not-there")], "write": [], "network": "none" }).to_string();
    let output = run(Command::new(TAMIS).args(["__sandbox", "--walls", &gone, "--", "true"]));
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("not-there"), "{}", text(&output.stderr));
}
