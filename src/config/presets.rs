//! Programs that are known by name: how each is asked to read and not to write, where its login lies, what it needs to reach.
//! Their own read-only switches are set, and never relied on: the walls around them hold.

use super::origin::Origin;
use super::programs::{Format, Program};
use crate::model::walls::Network;
use std::path::PathBuf;

/// A known program.
struct Preset {
    name: &'static str,
    command: &'static [&'static str],
    format: Format,
    env: &'static [(&'static str, &'static str)],
    pass_env: &'static [&'static str],
    home: &'static [&'static str],
}

const PRESETS: [Preset; 4] = [
    Preset {
        name: "claude",
        command: &[
            "claude",
            "-p",
            "--output-format",
            "json",
            "--permission-mode",
            "plan",
            "--tools",
            "Read,Grep,Glob",
            "--strict-mcp-config",
            "--max-turns",
            "20",
        ],
        format: Format::Claude,
        env: &[("DISABLE_AUTOUPDATER", "1"), ("DISABLE_TELEMETRY", "1")],
        pass_env: &["ANTHROPIC_API_KEY"],
        home: &[".claude/.credentials.json"],
    },
    Preset {
        name: "codex",
        command: &[
            "codex",
            "exec",
            "--json",
            "--skip-git-repo-check",
            "--ephemeral",
            "-s",
            "read-only",
            "--output-schema",
            "{schema_file}",
            "-",
        ],
        format: Format::Codex,
        env: &[],
        pass_env: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        home: &[".codex/auth.json"],
    },
    Preset {
        name: "gemini",
        command: &["gemini", "--approval-mode", "plan", "--skip-trust", "-o", "json"],
        format: Format::Gemini,
        env: &[],
        pass_env: &["GEMINI_API_KEY"],
        home: &[".gemini/oauth_creds.json", ".gemini/settings.json"],
    },
    Preset {
        name: "opencode",
        command: &["opencode", "run", "--pure", "--format", "json"],
        format: Format::Opencode,
        env: &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_PERMISSION", r#"{"edit":"deny","bash":"deny","webfetch":"deny","task":"deny"}"#),
        ],
        pass_env: &["OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
        home: &[".local/share/opencode/auth.json", ".config/opencode/opencode.json"],
    },
];

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// Where a known program may connect to: HTTPS alone; names are looked up as well.
const HTTPS: u16 = 443;

/// A program that speaks the Agent Client Protocol, by its command line; what it needs is known where the program is.
pub fn acp(word: &str, command: Vec<String>) -> Program {
    let name = command.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program));
    let known = find(name).unwrap_or_else(|| Program {
        network: Network::Ports(vec![HTTPS]),
        ..Program::new(String::new(), Vec::new(), Origin::Embedded)
    });
    // It talks to itself over a port that it picks as it begins.
    let network = if name == "opencode" { Network::Any } else { known.network.clone() };
    Program { name: word.to_owned(), command, format: Format::Acp, network, ..known }
}

/// A known program by its name.
pub fn find(name: &str) -> Option<Program> {
    let preset = PRESETS.iter().find(|preset| preset.name == name)?;
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    Some(Program {
        format: preset.format,
        env: preset.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        pass_env: owned(preset.pass_env),
        home: preset.home.iter().map(PathBuf::from).collect(),
        network: Network::Ports(vec![HTTPS]),
        ..Program::new(format!("command:{name}"), owned(preset.command), Origin::Embedded)
    })
}
