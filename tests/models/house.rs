//! The real binary in a house of its own, and councils behind fake servers that look into each question.

use crate::fake_model::{Expected, FakeModel, Play, Seen};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tamis::config::roster::Api;

/// A key that must be found nowhere.
pub const CANARY: &str = "zq-canary/0123+4567=89abcdef&x";

/// A document with one unit, which says what is no measure.
pub const SIGN_IN: &str = "# Sign in\n\n## UC-01: A customer signs in\n\n- **AC1**: The page loads fast.\n";

/// A folder with home, settings, state and documents, and the binary to run in it.
pub struct House {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// How the binary ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl House {
    /// With both usual keys in its environment.
    pub fn new() -> House {
        let house = House { folder: tempfile::tempdir().expect("a folder"), variables: Vec::new() };
        for name in ["home", "settings/tamis", "state", "docs", "tmp"] {
            fs::create_dir_all(house.folder.path().join(name)).expect("made");
        }
        house.with("OPENAI_API_KEY", CANARY).with("ANTHROPIC_API_KEY", CANARY)
    }

    /// With this variable set.
    pub fn with(mut self, name: &str, value: &str) -> House {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without this variable.
    pub fn without(mut self, name: &str) -> House {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// A path beside the documents.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("docs").join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    pub fn example(&self, name: &str) {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
        fs::copy(from, self.path(name)).expect("copied");
    }

    /// Where the user's settings are.
    pub fn settings_path(&self) -> PathBuf {
        self.folder.path().join("settings/tamis/config.yaml")
    }

    /// The user's settings.
    pub fn settings(&self, text: &str) {
        fs::write(self.settings_path(), text).expect("written");
    }

    /// A file among the user's settings, for its owner alone.
    pub fn secret(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join("settings/tamis").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("for its owner alone");
        path
    }

    /// Runs the binary to its end while the servers of this test answer.
    pub async fn run(&self, args: &[&str]) -> Ran {
        self.run_under(&[], args).await
    }

    /// The same under another program, which gets the binary with its arguments after its own.
    pub async fn run_under(&self, under: &[&str], args: &[&str]) -> Ran {
        let mut words = under.iter().chain([&env!("CARGO_BIN_EXE_tamis")]);
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words);
        let root = self.folder.path();
        command
            .args(args)
            .current_dir(root.join("docs"))
            .env_clear()
            .env("HOME", root.join("home"))
            .env("XDG_CONFIG_HOME", root.join("settings"))
            .env("XDG_STATE_HOME", root.join("state"))
            .env("TMPDIR", root.join("tmp"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        let output = tokio::task::spawn_blocking(move || command.output()).await.expect("not cancelled").expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let ran = Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ran.err.contains("panicked"), "{args:?}: {ran:?}");
        ran
    }

    /// The findings file beside a document.
    pub fn findings(&self, document: &str) -> Value {
        let path = self.path(document).with_extension("findings.yaml");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_yaml::from_str(&text).expect("YAML")
    }

    /// Events written with `--events FILE`.
    pub fn events(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(name)).expect("events");
        text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
    }

    /// Classes of the attempts that failed, from events written with `--events FILE`.
    pub fn failed(&self, name: &str) -> Vec<String> {
        let failed = self.events(name).into_iter().filter(|event| event["kind"] == "attempt_failed");
        failed.map(|event| event["body"]["class"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Every file of the house but the documents and settings that the test itself put there, with its bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read(&path).expect("a file")));
                }
            }
        }
        files.sort();
        files
    }

    /// The only run there is.
    pub fn run_id(&self) -> String {
        let runs = fs::read_dir(self.folder.path().join("state/tamis/runs")).expect("runs");
        let mut names: Vec<String> = runs.map(|run| run.expect("a run").file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name.starts_with("20"));
        assert_eq!(names.len(), 1, "{names:?}");
        names.remove(0)
    }
}

/// What a fake wants of requests with the usual model and key.
pub fn expected(api: Api) -> Expected {
    Expected { api, key: Some(CANARY.into()), model: "tiny".into(), stream: true }
}

/// `openai:tiny@http://…`
pub fn agent(api: Api, server: &FakeModel) -> String {
    format!("{}:tiny@{}", api.word(), server.base_url(api))
}

/// What a question asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Reviewer,
    Critic,
    Arbiter,
}

/// A question as a fake sees it.
#[derive(Clone, Debug)]
pub struct Question {
    pub task: Task,
    /// A reviewer's dimension; empty for others.
    pub dimension: String,
    pub system: String,
    pub shared: String,
    pub own: String,
    /// What was said after the first question: answers and further questions.
    pub after: Vec<String>,
    pub body: Value,
}

const TITLE: &str = "# Your task: ";

impl Question {
    pub fn of(api: Api, seen: &Seen) -> Question {
        let body = seen.json();
        let messages = body["messages"].as_array().expect("messages").clone();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let (system, first, rest) = match api {
            Api::OpenAi => (text(&messages[0]["content"]), text(&messages[1]["content"]), &messages[2..]),
            Api::Anthropic => {
                let blocks = messages[0]["content"].as_array().expect("blocks");
                let first: Vec<String> = blocks.iter().map(|block| text(&block["text"])).collect();
                (text(&body["system"]), first.concat(), &messages[1..])
            }
        };
        // The last one: a document may hold the words, too.
        let at = first.rfind(TITLE).expect("a task");
        let (shared, own) = first.split_at(at);
        let task = match own[TITLE.len()..].split('\n').next().unwrap_or_default() {
            "one dimension" => Task::Reviewer,
            "what has been missed" => Task::Critic,
            "how findings relate" => Task::Arbiter,
            other => panic!("an unknown task: {other}"),
        };
        let dimension = match task {
            Task::Reviewer => own.split("{\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default(),
            _ => "",
        };
        let dimension = dimension.to_owned();
        let after = rest.iter().map(|message| text(&message["content"])).collect();
        Question { task, dimension, system, shared: shared.to_owned(), own: own.to_owned(), after, body }
    }

    /// Whether the lines that it shows hold a text.
    pub fn shows(&self, text: &str) -> bool {
        self.shared.contains(text)
    }

    /// The schema that goes with it.
    pub fn schema(&self) -> &Value {
        match self.body.get("response_format") {
            Some(format) => &format["json_schema"]["schema"],
            None => &self.body["output_config"]["format"]["schema"],
        }
    }
}

/// A server that answers each question with a list of items.
pub async fn council(api: Api, answer: impl Fn(&Question) -> Vec<Value> + Send + Sync + 'static) -> FakeModel {
    FakeModel::scripted(expected(api), move |_, seen| {
        let question = Question::of(api, seen);
        Play::stream(api, &listed(&question, answer(&question)))
    })
    .await
}

/// Items as the answer to a question.
pub fn listed(question: &Question, items: Vec<Value>) -> String {
    let key = if question.task == Task::Arbiter { "parts" } else { "findings" };
    json!({ key: items }).to_string()
}

/// All questions that a server was asked.
pub fn questions(api: Api, server: &FakeModel) -> Vec<Question> {
    server.seen().iter().map(|seen| Question::of(api, seen)).collect()
}

/// A finding with a quote.
pub fn finding(dimension: &str, severity: &str, section: &str, quote: &str, words: &str) -> Value {
    json!({
        "dimension": dimension, "severity": severity, "section": section, "uc_id": "", "quote": quote, "missing": "",
        "finding": words, "suggestion": format!("Settle this: {words}"), "auto_fixable": false,
        "resolution_edge_cases": [], "blocked_on": [],
    })
}
