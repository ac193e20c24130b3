"""An agent that speaks the Agent Client Protocol, well or badly. usage: acp_agent.py MODE"""

import json
import os
import sys

mode = sys.argv[1]
FINDING = {
    "severity": "major", "section": "UC-01", "uc_id": "UC-01", "quote": "The page loads fast.", "missing": "",
    "finding": "Nothing says how fast.", "suggestion": "Name a time.", "auto_fixable": False,
    "resolution_edge_cases": [], "blocked_on": [],
}


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def answer(message, result):
    send({"id": message["id"], "result": result})


def say(kind, text, session="s1"):
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    send({"method": "session/update", "params": {"sessionId": session, "update": update}})


def ask(method, params):
    """Asks the client something, and returns its answer."""
    send({"id": f"ours-{method}", "method": method, "params": params})
    return read()


if mode == "silent":
    sys.stdin.read()
if mode == "dies":
    print("no licence", file=sys.stderr)
    sys.exit(3)
if mode == "chatter":
    print("Welcome! \x1b]52;c;ZXZpbA==\x07")
    send({"id": 99, "result": {"stopReason": "end_turn"}})
    send({"method": "nobody/knows", "params": {}})
    sys.stdout.flush()

hello = read()
assert hello["method"] == "initialize", hello
capabilities = hello["params"]["clientCapabilities"]
assert capabilities == {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}, capabilities
answer(hello, {"protocolVersion": 2 if mode == "version" else 1, "agentCapabilities": {}})
new = read()
assert new["method"] == "session/new" and new["params"]["cwd"] == os.getcwd() and new["params"]["mcpServers"] == [], new
if mode == "login":
    send({"id": new["id"], "error": {"code": -32000, "message": "Authentication required"}})
    sys.stdin.read()
answer(new, {"sessionId": "s1"})
prompt = read()
assert prompt["method"] == "session/prompt" and prompt["params"]["sessionId"] == "s1", prompt
text = prompt["params"]["prompt"][0]["text"]
assert "AC1" in text, text

if mode == "flood":
    while True:
        say("agent_message_chunk", "x" * 10_000)
if mode == "long line":
    sys.stdout.write("x" * (40 << 20))
    sys.stdout.flush()
    sys.stdin.read()
if mode == "breaks off":
    say("agent_message_chunk", '{"findings": [')
    print("out of memory", file=sys.stderr)
    os._exit(9)
if mode == "hangs":
    say("agent_message_chunk", "under way")
    cancel = read()
    assert cancel["method"] == "session/cancel" and cancel["params"] == {"sessionId": "s1"} and "id" not in cancel, cancel
    # Before it answers: whoever waits for the answer hears this first.
    say("agent_message_chunk", ", and told to cancel")
    answer(prompt, {"stopReason": "cancelled"})
    sys.stdin.read()
if mode == "error":
    send({"id": prompt["id"], "error": {"code": -32603, "message": "Internal error", "data": {"details": "429 rate limit"}}})
    sys.stdin.read()

if mode == "asks":
    options = [
        {"optionId": "a", "name": "Reject", "kind": "allow_always"},
        {"optionId": "b", "name": "Allow", "kind": "reject_once"},
    ]
    call = {"toolCallId": "t1", "title": "Write evil.txt", "kind": "edit", "status": "pending"}
    granted = ask("session/request_permission", {"sessionId": "s1", "toolCall": call, "options": options})
    assert granted["result"] == {"outcome": {"outcome": "selected", "optionId": "b"}}, granted
    for method in ["fs/write_text_file", "fs/read_text_file", "terminal/create", "made/up"]:
        refused = ask(method, {"sessionId": "s1", "path": os.path.join(os.getcwd(), "evil.txt"), "content": "x"})
        assert refused["error"]["code"] == -32601 and "result" not in refused, refused
if mode == "writes":
    # It has not asked, and is behind walls all the same.
    try:
        open("evil.txt", "w").close()
        wrote = True
    except OSError:
        wrote = False
    assert not wrote
say("agent_thought_chunk", "thinking \x1b[2J")
say("agent_message_chunk", "another's words", session="another")
said = json.dumps({"findings": [] if mode == "empty list" else [FINDING]})
if mode != "says nothing":
    for at in range(0, len(said), 50):
        say("agent_message_chunk", said[at:at + 50])
reasons = {"max_tokens": "max_tokens", "refusal": "refusal", "odd": "moonrise"}
usage = {"inputTokens": 1200, "outputTokens": 80, "totalTokens": 1280}
answer(prompt, {"stopReason": reasons.get(mode, "end_turn"), "usage": usage})
# It stays until its input is closed.
sys.stdin.read()
