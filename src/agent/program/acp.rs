//! The client side of the Agent Client Protocol, version 1, for one question: a program that speaks it is asked once and says
//! its answer piece by piece. It is offered nothing: no file, no terminal, and every permission it asks for is refused.
//! <https://agentclientprotocol.com/protocol/overview>: JSON-RPC 2.0, one object a line, over standard input and output.

use super::child::{self, Begin, Noted, OUTPUT_LIMIT, Stopped};
use super::output::{class_of_words, last_line};
use crate::model::answer::{FaultClass, Usage};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// Version of the protocol that is spoken.
const VERSION: u64 = 1;
/// JSON-RPC: there is no such method.
const NO_SUCH_METHOD: i64 = -32601;
/// The protocol's own code for an agent that nobody has logged in to.
const NOT_LOGGED_IN: i64 = -32000;
/// How long a program that is told to cancel may take before it is put away.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talked {
    /// Its text.
    pub text: String,
    /// The model, where the program says it.
    pub model: String,
    /// What it took, where the program says it.
    pub usage: Usage,
    /// Until the first byte of anything.
    pub started: Option<Duration>,
}

/// Asks a program that speaks the protocol; what it says as it works is heard.
///
/// # Errors
/// By name: it cannot be begun, its time is over, it said too much, it broke off or answered with an error, a person stopped it.
pub async fn talk(
    begin: &Begin<'_>,
    question: &str,
    cancel: &CancellationToken,
    heard: &mut (dyn FnMut(&str) + Send),
) -> Result<Talked, Stopped> {
    let began = Instant::now();
    let mut child = child::spawn(begin)?;
    let mut line = Line::of(&mut child, began, heard)?;
    let talked = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        talked = timeout_at(began + begin.time, line.converse(begin.folder, question)) => Some(talked),
    };
    let talked = match talked {
        Some(Ok(talked)) => talked,
        Some(Err(_)) => {
            let what = format!("it had not ended after {} seconds", begin.time.as_secs());
            Err(Trouble::Stopped(Stopped { class: FaultClass::Timeout, what }))
        }
        None => {
            line.cancel().await;
            Err(Trouble::Stopped(Stopped { class: FaultClass::Cancelled, what: "cancelled by a person".to_owned() }))
        }
    };
    let beside = line.ends();
    match talked {
        Ok(talked) => {
            child::put_away(&mut child).await;
            Ok(talked)
        }
        Err(Trouble::Stopped(stopped)) => {
            child::put_away(&mut child).await;
            Err(stopped)
        }
        Err(Trouble::Ended) => Err(ended_early(child::put_away(&mut child).await, &beside)),
    }
}

/// Why there is no answer.
enum Trouble {
    /// For a reason that is known.
    Stopped(Stopped),
    /// It closed its output in the middle.
    Ended,
}

impl From<Stopped> for Trouble {
    fn from(stopped: Stopped) -> Trouble {
        Trouble::Stopped(stopped)
    }
}

fn stopped(class: FaultClass, what: impl Into<String>) -> Trouble {
    Trouble::Stopped(Stopped { class, what: what.into() })
}

fn ended_early(code: Option<u8>, beside: &str) -> Stopped {
    let why = last_line(beside).unwrap_or("it wrote nothing beside");
    let class = match code {
        Some(126 | 127) => FaultClass::Unavailable,
        _ => match class_of_words(why) {
            FaultClass::Failed => FaultClass::Broken,
            class => class,
        },
    };
    let code = code.map_or(String::new(), |code| format!(" (exit code {code})"));
    Stopped { class, what: format!("it ended in the middle: {why}{code}") }
}

/// A conversation under way.
struct Line<'a> {
    /// Lines on their way to the program; whoever writes them is ended with this.
    send: UnboundedSender<String>,
    writer: JoinSet<()>,
    stdout: ChildStdout,
    stderr: Option<ChildStderr>,
    /// Of the standard output: what has come in and is no whole line yet, whole lines, and how much there was.
    rest: Vec<u8>,
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    beside: Noted,
    next: u64,
    session: Option<String>,
    talked: Talked,
    began: Instant,
    heard: &'a mut (dyn FnMut(&str) + Send),
}

impl<'a> Line<'a> {
    fn of(child: &mut Child, began: Instant, heard: &'a mut (dyn FnMut(&str) + Send)) -> Result<Line<'a>, Stopped> {
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Stopped { class: FaultClass::Failed, what: "it has no input or no output".to_owned() });
        };
        let (send, lines) = unbounded_channel();
        let mut writer = JoinSet::new();
        // Beside the reading: a program that writes before it reads would else wait for us, and we for it.
        writer.spawn(write(stdin, lines));
        Ok(Line {
            send,
            writer,
            stdout,
            stderr: child.stderr.take(),
            rest: Vec::new(),
            lines: VecDeque::new(),
            bytes: 0,
            beside: Noted::default(),
            next: 0,
            session: None,
            talked: Talked::default(),
            began,
            heard,
        })
    }

    /// The whole conversation: introduction, a session in that folder, one question.
    async fn converse(&mut self, folder: &Path, question: &str) -> Result<Talked, Trouble> {
        let nothing = json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let ours = json!({ "name": "tamis", "title": "tamis", "version": env!("CARGO_PKG_VERSION") });
        let introduction = json!({ "protocolVersion": VERSION, "clientCapabilities": nothing, "clientInfo": ours });
        let about = self.call("initialize", introduction).await?;
        match about["protocolVersion"].as_u64() {
            Some(VERSION) => {}
            version => {
                let spoken = version.map_or("no version".to_owned(), |version| format!("version {version}"));
                return Err(stopped(FaultClass::WrongFormat, format!("it speaks {spoken} of the protocol, not {VERSION}")));
            }
        }
        let session = self.call("session/new", json!({ "cwd": folder, "mcpServers": [] })).await?;
        let Some(session) = session["sessionId"].as_str() else {
            return Err(stopped(FaultClass::WrongFormat, "it began a session without a name"));
        };
        self.session = Some(session.to_owned());
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": question }] });
        let ended = self.call("session/prompt", prompt).await?;
        (self.talked.usage, self.talked.model) = taken(&ended);
        match ended["stopReason"].as_str() {
            Some("end_turn") if self.talked.text.trim().is_empty() => {
                Err(stopped(FaultClass::Empty, "it ended its turn and said nothing"))
            }
            Some("end_turn") => Ok(std::mem::take(&mut self.talked)),
            Some("max_tokens") => Err(stopped(FaultClass::Truncated, "its answer was cut at the output limit")),
            Some("max_turn_requests") => Err(stopped(FaultClass::Failed, "it asked its model more often than it may")),
            Some("refusal") => Err(stopped(FaultClass::Refused, "it declined")),
            Some("cancelled") => Err(stopped(FaultClass::Failed, "it says that it was cancelled, which nobody did")),
            Some(other) => Err(stopped(FaultClass::UnknownStop, format!("it stopped for `{other}`"))),
            None => Err(stopped(FaultClass::WrongFormat, "it stopped without saying why")),
        }
    }

    /// Tells the program to stop, and waits a little for it to say that it has.
    async fn cancel(&mut self) {
        if let Some(session) = self.session.clone() {
            self.tell(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }));
            let id = self.next.saturating_sub(1);
            let _ = timeout(CANCEL_GRACE, self.answer_to(id)).await;
        }
    }

    /// Lets go of the program's input, which ends it; returns the end of what it wrote beside.
    fn ends(mut self) -> String {
        self.writer.abort_all();
        self.beside.end(self.heard)
    }

    fn tell(&mut self, message: &Value) {
        // Whoever does not listen any more has closed its output as well, which is said there.
        let _ = self.send.send(format!("{message}\n"));
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value, Trouble> {
        let id = self.next;
        self.next += 1;
        self.tell(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = self.answer_to(id).await?;
        match answer.get("error") {
            None => Ok(answer["result"].clone()),
            Some(error) => {
                let words = error["message"].as_str().unwrap_or("an error without words");
                // What went wrong stands in the data as a rule, and "Internal error" in the words.
                let more = error["data"].as_str().or(error["data"]["details"].as_str()).or(error["data"]["message"].as_str());
                let words = more.map_or(words.to_owned(), |more| format!("{words}: {more}"));
                let class = match error["code"].as_i64() {
                    Some(NOT_LOGGED_IN) => FaultClass::Denied,
                    _ => class_of_words(&words),
                };
                Err(stopped(class, format!("{method}: {words}")))
            }
        }
    }

    /// Reads until a call is answered; whatever else comes meanwhile is heard, or refused.
    async fn answer_to(&mut self, id: u64) -> Result<Value, Trouble> {
        loop {
            let line = self.line().await?;
            // What is no message is a program's chatter in the wrong place.
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            match (message["method"].as_str(), message.get("id")) {
                (Some(method), Some(of)) => {
                    let answer = refusal(method, &message["params"], of);
                    self.tell(&answer);
                }
                (Some("session/update"), None) => self.update(&message["params"]),
                (Some(_), None) => {}
                (None, Some(of)) if of.as_u64() == Some(id) => return Ok(message),
                (None, _) => {}
            }
        }
    }

    /// A piece of the answer, a thought, or what it does meanwhile.
    fn update(&mut self, params: &Value) {
        if params["sessionId"].as_str() != self.session.as_deref() {
            return;
        }
        let update = &params["update"];
        let text = update["content"]["text"].as_str();
        match (update["sessionUpdate"].as_str(), text) {
            (Some("agent_message_chunk"), Some(text)) => {
                self.talked.text.push_str(text);
                self.beside.said(text, self.heard);
            }
            (Some("agent_thought_chunk"), Some(text)) => self.beside.said(text, self.heard),
            (Some("tool_call"), _) => {
                let title = update["title"].as_str().unwrap_or("a tool");
                self.beside.said(&format!("\n[{title}]\n"), self.heard);
            }
            _ => {}
        }
    }

    /// The next line of its output; what it writes beside is heard meanwhile.
    async fn line(&mut self) -> Result<Vec<u8>, Trouble> {
        let (mut out, mut beside) = ([0; 16 << 10], [0; 4 << 10]);
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(line);
            }
            let read = match &mut self.stderr {
                Some(stderr) => tokio::select! {
                    read = self.stdout.read(&mut out) => read,
                    read = stderr.read(&mut beside) => {
                        match read {
                            Ok(0) | Err(_) => self.stderr = None,
                            Ok(bytes) => {
                                self.talked.started.get_or_insert_with(|| self.began.elapsed());
                                self.beside.take(&beside[..bytes], self.heard);
                            }
                        }
                        continue;
                    }
                },
                None => self.stdout.read(&mut out).await,
            };
            match read {
                Ok(0) | Err(_) => {
                    self.drain_beside().await;
                    return Err(Trouble::Ended);
                }
                Ok(bytes) => {
                    self.talked.started.get_or_insert_with(|| self.began.elapsed());
                    self.bytes += bytes;
                    if self.bytes > OUTPUT_LIMIT {
                        return Err(stopped(FaultClass::Invalid, format!("it wrote more than {} MiB", OUTPUT_LIMIT >> 20)));
                    }
                    let pieces = out[..bytes].split_inclusive(|byte| *byte == b'\n');
                    // Only what has just come in is looked through: a line may be long.
                    pieces.for_each(|piece| {
                        self.rest.extend_from_slice(piece);
                        if piece.ends_with(b"\n") {
                            self.lines.push_back(std::mem::take(&mut self.rest));
                        }
                    });
                }
            }
        }
    }

    /// What it still writes beside once its output is closed: most often why.
    async fn drain_beside(&mut self) {
        let mut beside = [0; 4 << 10];
        while let Some(stderr) = &mut self.stderr {
            match timeout(CANCEL_GRACE, stderr.read(&mut beside)).await {
                Ok(Ok(bytes @ 1..)) => self.beside.take(&beside[..bytes], self.heard),
                _ => self.stderr = None,
            }
        }
    }
}

/// Writes lines until nobody sends any more.
async fn write(mut stdin: ChildStdin, mut lines: UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// What an answer took and whose it is, where the program says so. The protocol has no word for either yet: there is a draft, and
/// gemini has a place of its own.
fn taken(ended: &Value) -> (Usage, String) {
    let (draft, own) = (&ended["usage"], &ended["_meta"]["quota"]);
    let count = |of: &Value, name: &str| of[name].as_u64().unwrap_or(0);
    let usage = match draft.is_object() {
        true => Usage {
            tokens_in: count(draft, "inputTokens"),
            tokens_out: count(draft, "outputTokens"),
            cached: count(draft, "cachedReadTokens"),
            ..Usage::default()
        },
        false => Usage {
            tokens_in: count(&own["token_count"], "input_tokens"),
            tokens_out: count(&own["token_count"], "output_tokens"),
            ..Usage::default()
        },
    };
    (usage, own["model_usage"][0]["model"].as_str().unwrap_or_default().to_owned())
}

/// The answer to whatever a program asks of us: no permission, and nothing else that we could do for it.
fn refusal(method: &str, params: &Value, id: &Value) -> Value {
    if method != "session/request_permission" {
        let error =
            json!({ "code": NO_SUCH_METHOD, "message": format!("{method} is not offered: this session reads and answers") });
        return json!({ "jsonrpc": "2.0", "id": id, "error": error });
    }
    let options = params["options"].as_array().map_or(&[][..], Vec::as_slice);
    // By kind: where a program puts its options, and what it calls them, is its own affair.
    let rejects = ["reject_once", "reject_always"].into_iter();
    let chosen = rejects.filter_map(|kind| options.iter().find(|option| option["kind"] == kind)).next();
    let outcome = match chosen.and_then(|option| option["optionId"].as_str()) {
        Some(option) => json!({ "outcome": "selected", "optionId": option }),
        None => json!({ "outcome": "cancelled" }),
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_took_is_read_from_the_draft_and_from_where_gemini_says_it() {
        let usage = |tokens_in, tokens_out, cached| Usage { tokens_in, tokens_out, cached, ..Usage::default() };
        let draft = json!({ "usage": { "inputTokens": 1200, "outputTokens": 80, "cachedReadTokens": 400 } });
        assert_eq!(taken(&draft), (usage(1200, 80, 400), String::new()));
        let count = json!({ "input_tokens": 10, "output_tokens": 5 });
        let own = json!({ "token_count": count, "model_usage": [{ "model": "tiny", "token_count": count }] });
        let own = json!({ "stopReason": "end_turn", "_meta": { "quota": own } });
        assert_eq!(taken(&own), (usage(10, 5, 0), "tiny".to_owned()));
        for odd in [json!({}), json!({ "usage": 7, "_meta": [] }), json!({ "usage": { "inputTokens": -1 } }), Value::Null] {
            assert_eq!(taken(&odd), (Usage::default(), String::new()), "{odd}");
        }
    }

    #[test]
    fn permissions_are_refused_by_kind_and_everything_else_is_not_offered() {
        let id = json!("their-7");
        let ask = |options: Value| {
            refusal("session/request_permission", &json!({ "options": options }), &id)["result"]["outcome"].clone()
        };
        let option = |id: &str, kind: &str| json!({ "optionId": id, "name": "Reject", "kind": kind });
        let selected = |id: &str| json!({ "outcome": "selected", "optionId": id });
        let all =
            [option("1", "allow_once"), option("2", "reject_always"), option("3", "reject_once"), option("4", "allow_always")];
        assert_eq!(ask(json!(all)), selected("3"));
        assert_eq!(ask(json!(all[..2])), selected("2"));
        assert_eq!(ask(json!(all[..1])), json!({ "outcome": "cancelled" }));
        assert_eq!(ask(json!([])), json!({ "outcome": "cancelled" }));
        assert_eq!(ask(Value::Null), json!({ "outcome": "cancelled" }));
        for method in ["fs/write_text_file", "fs/read_text_file", "terminal/create", "anything"] {
            let answer = refusal(method, &json!({ "path": "/etc/passwd" }), &id);
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(NO_SUCH_METHOD), &id), "{method}");
            assert!(answer.get("result").is_none());
        }
    }
}
