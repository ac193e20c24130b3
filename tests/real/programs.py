"""What a review by a real program must have shown. usage: programs.py AGENT MODE EXIT LOG OUT"""

import json
import sys

agent, mode, code, log, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
asked = [json.loads(line) for line in open(log, encoding="utf-8")]
out = open(out, encoding="utf-8").read()
called = sorted({one["called"] for one in asked if one["called"]})
results = [json.dumps(one["results"]) for one in asked if one["results"]]
name = agent.partition(":")[2]
# What must have come of a call. Whose own read-only switches leave it a tool is refused by itself; all others by the walls.
WALLS = ["Permission denied", "PermissionDenied"]
# Its own sandbox cannot be put up within walls: whatever it runs fails, what it reads as well.
NO_SANDBOX = ["error building bubblewrap command"]
REFUSED = {
    "codex": NO_SANDBOX,
    "gemini": ["denied by policy"],
    "gemini-talks": ["canceled by the user"],
    "gemini-talks-open": ["canceled by the user"],
}
OUTCOMES = {
    "answer": [],
    "read": NO_SANDBOX if name == "codex" else ["The page loads fast."],
    # There is nothing that it could call.
    "write": [] if name == "opencode" else REFUSED.get(name, WALLS),
}[mode]


def must(holds, what):
    if not holds:
        sys.exit(f"{agent}, {mode}: {what}: {called}, {results}")


must(code == 0, f"exit code {code}")
must(asked, "the model was not asked")
must("Findings: 1 (0 critical, 1 major, 0 minor)" in out, "its finding is not there")
must(f"Sandbox: {agent}: files + ports" in out, "the level of its walls is not said")
must("at most" not in out, "what it took is estimated")
must(bool(called) == bool(OUTCOMES), "the model had other tools than it should have")
must(bool(results) == bool(OUTCOMES), "what came of the call was not told to the model")
wrong = [result for result in results if not any(words in result for words in OUTCOMES)]
must(not wrong, f"what came of the call is not one of {OUTCOMES}")
print(f"{agent}, {mode}: found it; called {', '.join(called) or 'nothing'}" + (f"; {OUTCOMES[0]}" if OUTCOMES else ""))
