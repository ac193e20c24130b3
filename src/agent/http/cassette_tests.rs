use super::super::play::{Pace, Player};
use super::*;
use crate::model::answer::FaultClass;
use std::os::unix::fs::PermissionsExt;

fn play(text: &str) -> Play {
    let chunks = vec![Chunk::new(3, text.as_bytes()), Chunk::new(4, b"\xff\xfe")];
    Play { status: 200, headers: BTreeMap::new(), chunks, ended: Ended::End }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn texts(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect()
}

fn read_all(playing: Result<super::super::play::Playing, crate::agent::wire::WireFault>) -> Vec<u8> {
    let mut playing = playing.expect("recorded");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("runtime");
    runtime.block_on(async {
        let mut all = Vec::new();
        while let Some(bytes) = playing.chunk().await.expect("a chunk") {
            all.extend_from_slice(&bytes);
        }
        all
    })
}

#[test]
fn the_folder_and_its_files_are_for_their_owner_alone() {
    let above = folder();
    let path = above.path().join("deep/tape");
    let recorder = Recorder::open(&path, []).expect("a recorder");
    recorder.add(Api::OpenAi, b"{}", play("a"));
    assert_eq!(recorder.trouble(), []);
    let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    let name = file_name(Api::OpenAi, b"{}");
    assert_eq!(name.len(), 32 + 5);
    assert_eq!(mode(&path.join(name)), 0o600);
    assert_eq!(texts(&path).len(), 1, "no temporary file is left");
}

#[test]
fn several_answers_play_in_their_order_and_the_last_again_and_again() {
    let folder = folder();
    for text in ["first ", "second "] {
        // A recorder each: what is recorded later is added.
        Recorder::open(folder.path(), []).expect("a recorder").add(Api::Anthropic, b"{}", play(text));
    }
    // Who was asked is kept beside the recordings.
    fs::write(folder.path().join("seats.json"), "{}").expect("written");
    let player = Player::open(folder.path(), Pace::Real).expect("a player");
    for expected in ["first ", "second ", "second "] {
        assert_eq!(read_all(player.play(Api::Anthropic, b"{}")), [expected.as_bytes(), b"\xff\xfe"].concat());
    }
    assert_eq!(player.play(Api::OpenAi, b"{}").expect_err("another API").class, FaultClass::NotRecorded);
}

#[test]
fn answers_play_at_their_pace_or_at_once() {
    let folder = folder();
    Recorder::open(folder.path(), []).expect("a recorder").add(Api::OpenAi, b"{}", play("x"));
    for (pace, expected) in [(Pace::Real, 7), (Pace::AtOnce, 0)] {
        let player = Player::open(folder.path(), pace).expect("a player");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("runtime");
        let took = runtime.block_on(async {
            let mut playing = player.play(Api::OpenAi, b"{}").expect("recorded");
            let began = Instant::now();
            while playing.chunk().await.expect("a chunk").is_some() {}
            began.elapsed().as_millis()
        });
        assert_eq!(took, expected);
    }
}

#[test]
fn a_miss_names_the_nearest_recording_and_shows_where_they_part() {
    let folder = folder();
    let recorder = Recorder::open(folder.path(), []).expect("a recorder");
    let near = r#"{"model":"a","text":"The export is fast. 导出必须很快。 Always."}"#;
    recorder.add(Api::OpenAi, near.as_bytes(), play("x"));
    recorder.add(Api::OpenAi, br#"{"model":"b"}"#, play("x"));
    recorder.add(Api::Anthropic, br#"{"model":"a","text":"The export is fast. "#, play("x"));
    let player = Player::open(folder.path(), Pace::AtOnce).expect("a player");
    let asked = near.replace("很快", "很慢\u{1b}[2J");
    let fault = player.play(Api::OpenAi, asked.as_bytes()).expect_err("a miss");
    let at = near.find('快').expect("the word");
    assert_eq!(fault.class, FaultClass::NotRecorded);
    assert!(!fault.retry);
    assert_eq!(
        fault.what,
        format!(
            "this request is not recorded; the nearest, {}, parts from it after {at} bytes: recorded \
             `xport is fast. 导出必须很快。 Always.\"}}`, asked `xport is fast. 导出必须很慢␛[2J。 Always.\"}}`",
            file_name(Api::OpenAi, near.as_bytes())
        )
    );
    let none = Player::new([], Pace::AtOnce).expect("a player").play(Api::OpenAi, b"{}").expect_err("a miss");
    assert_eq!(none.what, "this request is not recorded: there is no recording of openai at all");
}

#[test]
fn a_damaged_cassette_is_named() {
    let folder = folder();
    let recorder = Recorder::open(folder.path(), []).expect("a recorder");
    recorder.add(Api::OpenAi, b"{}", play("x"));
    let (name, good) = texts(folder.path()).remove(0);
    let path = folder.path().join(&name);
    let both = good.replace(r#""text": "x""#, r#""text": "x", "base64": "eA==""#);
    for (damage, why) in [
        (good[..good.len() / 2].to_owned(), "EOF"),
        (good.replace("cassette/1", "cassette/9"), "`schema` is not tamis.cassette/1"),
        (good.replace(r#""body": "{}""#, r#""body": "{ }""#), "not that of the request"),
        (good.replace("/chat/completions", "/elsewhere"), "not that of the request"),
        (good.replace(r#""openai""#, r#""other""#), "neither openai nor anthropic"),
        (good.replace("//4=", "?"), "Base64"),
        (both, "either `text` or `base64`"),
        (good.replace(r#""status": 200"#, r#""status": 200, "more": 1"#), "unknown field"),
        (String::new(), "EOF"),
    ] {
        assert_ne!(damage, good);
        fs::write(&path, damage).expect("written");
        let fault = Player::open(folder.path(), Pace::Real).expect_err(why).to_string();
        assert!(fault.contains(&name) && fault.contains(why), "{fault}");
    }
    // Nothing is recorded over what cannot be read, and that is told.
    recorder.add(Api::OpenAi, b"{}", play("y"));
    assert_eq!(recorder.trouble().len(), 1);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "");
    fs::remove_file(&path).expect("removed");
    assert!(Player::open(folder.path(), Pace::Real).expect_err("empty").why.contains("no recording"));
    assert!(Player::open(&folder.path().join("none"), Pace::Real).is_err());
}

#[test]
fn keys_are_taken_out_of_requests_answers_and_headers_even_where_chunks_cut_them() {
    let folder = folder();
    let key = "sk-canary/0123456789";
    let recorder = Arc::new(Recorder::open(folder.path(), [&SecretString::from(key)]).expect("a recorder"));
    let body = Bytes::from(format!("{{\"text\":\"{key}\"}}"));
    let mut tape = Taping::new(&recorder, Api::OpenAi, &body);
    let headers = [
        ("content-type", "text/plain"),
        ("request-id", key),
        ("set-cookie", "session=1"),
        ("x-ratelimit-remaining-tokens", "9"),
        ("anthropic-ratelimit-requests-limit", "8"),
        ("retry-after-ms", "7"),
        ("openai-organization", "someone"),
    ];
    tape.head(429, &headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for part in ["you sent sk-can", "ary/01234", "56789, and ", &STANDARD.encode(key), " and sk-canary%2F0123456789"] {
        tape.chunk(&Bytes::from(part.to_owned()));
    }
    tape.keep_now(Ended::Broken);
    assert_eq!(recorder.trouble(), []);
    let (name, text) = texts(folder.path()).remove(0);
    for form in ["canary", "0123456789", &STANDARD.encode(key)[..20]] {
        assert!(!text.contains(form), "{text}");
    }
    let cassette = Cassette::read(&name, text.as_bytes()).expect("readable");
    let kept: Vec<&str> = cassette.plays[0].headers.keys().map(String::as_str).collect();
    assert_eq!(
        kept,
        ["anthropic-ratelimit-requests-limit", "content-type", "request-id", "retry-after-ms", "x-ratelimit-remaining-tokens"]
    );
    let said = cassette.plays[0].chunks[0].text.clone();
    assert_eq!(said.as_deref(), Some("you sent [key], and [key] and [key]"));
}
