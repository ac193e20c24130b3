use super::*;
use crate::config::agents::AgentSpec;
use crate::config::settings::{Flags, Settings};
use crate::config::variables::Variables;
use std::time::Duration;

fn settings(text: &str) -> Result<Settings, Fault> {
    Settings::of("config.yaml", text, Path::new("/c/config.yaml"), &Variables::of(|_| None), &Flags::default())
}

fn program(settings: &Settings, word: &str) -> Program {
    match settings.agent(word, &Variables::of(|_| None)).expect("somebody") {
        AgentSpec::Program(program) => *program,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_is_read_as_it_is_written_and_goes_before_a_known_one_of_its_name() {
    let text = "programs:\n  codex: {command: [mine, '{prompt}', ''], env: {MODE: ''}, pass_env: [A_1], home: [.a/b], read: [/srv], ports: [1, 65535], timeout: 0.25}\n";
    let read = settings(text).expect("reads");
    let mine = program(&read, "command:codex");
    assert_eq!((mine.command, mine.format), (vec!["mine".to_owned(), "{prompt}".to_owned(), String::new()], Format::Text));
    assert_eq!((mine.network, mine.timeout), (Network::Ports(vec![1, 65535]), Duration::from_millis(250)));
    assert_eq!(program(&settings("").expect("reads"), "command:codex").format, Format::Codex);
}

#[test]
fn a_command_of_the_protocol_is_split_without_a_shell() {
    let text = "programs:\n  talks: {command: [talk], network: any}\n";
    let read = settings(text).expect("reads");
    let words = |word: &str| program(&read, word);
    let odd = words("acp:my-agent --say 'a b' \"$HOME\" ; rm");
    assert_eq!(odd.command, ["my-agent", "--say", "a b", "$HOME", ";", "rm"]);
    assert_eq!((odd.format, odd.network), (Format::Acp, Network::Ports(vec![443])));
    assert_eq!(words("acp:talks").command, ["talk"]);
    let gemini = words("acp:/opt/bin/gemini --acp");
    assert_eq!((gemini.format, gemini.pass_env), (Format::Acp, vec!["GEMINI_API_KEY".to_owned()]));
    assert_eq!(words("acp:opencode acp").network, Network::Any);
    for (word, why) in [("acp:", "names no command"), ("acp:'open", "no command"), ("command:codexx", "there is no program")] {
        let fault = read.agent(word, &Variables::of(|_| None)).expect_err(word);
        assert!(fault.what.contains(why), "{word}: {}", fault.what);
    }
}

#[test]
fn mistakes_have_their_line_and_what_there_is_instead() {
    for (entry, what, hint) in [
        ("{}", "has no `command`", "command:"),
        ("{command: []}", "no command", "1 to 256"),
        ("{command: [a, '{promt_file}']}", "nothing is filled in for `{promt_file}`", "{prompt_file}"),
        ("{command: [\"a\\0\"]}", "a NUL", "leave it out"),
        ("{command: [a], format: jsn}", "unknown format", "text"),
        ("{command: [a], network: some}", "unknown network", "ports: [443]"),
        ("{command: [a], network: none, ports: [1]}", "say two things", "keep one"),
        ("{command: [a], ports: [0]}", "no port", "1 to 65535"),
        ("{command: [a], pass_env: [sk-1]}", "no name of a variable", "capital letters"),
        ("{command: [a], home: [../x]}", "no file of the home folder", ".tool/login.json"),
        ("{command: [a], home: [/etc/passwd]}", "no file of the home folder", ".tool/login.json"),
        ("{command: [a], read: [x]}", "no whole path", "begin it with"),
        ("{command: [a], env: {MY_API_KEY: x}}", "a key does not stand in this file", "pass_env"),
        ("{command: [a], timeout: 0}", "no time at all", "seconds"),
        ("{command: [a], args: [b]}", "unknown key `args`", "command"),
    ] {
        let fault = settings(&format!("programs:\n  mine: {entry}\n")).expect_err(entry);
        assert!(fault.what.starts_with("config.yaml:2:") && fault.what.contains(what), "{entry}: {}", fault.what);
        assert!(fault.hint.contains(hint), "{entry}: {}", fault.hint);
    }
}
