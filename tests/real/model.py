"""A model on loopback for real programs: OpenAI's chat completions and responses, and Gemini's content, streamed. It finds one
thing; told to `read` or `write` it first calls whatever tool it is given to read `prd.md` or to write a file `evil.txt` with.
usage: model.py PORT answer|read|write LOG"""

import http.server
import json
import socketserver
import sys

PORT, MODE, LOG = int(sys.argv[1]), sys.argv[2], sys.argv[3]
FINDING = {
    "dimension": "DEV", "severity": "major", "section": "UC-01", "uc_id": "UC-01", "quote": "The page loads fast.", "missing": "",
    "finding": "Nothing says how fast.", "suggestion": "Name a time.", "auto_fixable": False, "resolution_edge_cases": [],
    "blocked_on": [],
}
TEXT = json.dumps({"findings": [FINDING]})


def shell(line):
    about = {"command": line, "cmd": line, "description": "A file"}
    return dict.fromkeys(["bash", "shell_command", "exec_command", "run_shell_command"], about)


# By what programs call their tools, the plainest way to a file first.
TOOLS = {
    "answer": {},
    "read": {"read": {"filePath": "prd.md"}, "read_file": {"file_path": "prd.md"}, **shell("cat prd.md")},
    "write": {
        "write": {"filePath": "evil.txt", "content": "x"},
        "write_file": {"file_path": "evil.txt", "content": "x"},
        **shell("touch evil.txt"),
    },
}[MODE]


def reach(tools):
    """The name and the arguments of the tool that does it."""
    return next(((name, TOOLS[name]) for name in TOOLS if name in tools), None)


def chat(request):
    tools = [tool["function"]["name"] for tool in request.get("tools", [])]
    results = [message for message in request["messages"] if message["role"] == "tool"]
    call = None if results else reach(tools)
    said, why = {"content": TEXT}, "stop"
    if call:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        said, why = {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}, "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    whole = {"id": "x", "object": "chat.completion.chunk", "model": "tiny-1"}
    yield {**whole, "choices": [{"index": 0, "delta": {"role": "assistant", **said}}]}
    yield {**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": why}], "usage": usage}
    record(tools, call, results)


def responses(request):
    tools = [tool.get("name") for tool in request.get("tools", [])]
    results = [item for item in request["input"] if item.get("type", "").endswith("_call_output")]
    call = None if results else reach(tools)
    item = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]}
    if call:
        item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": call[0], "arguments": json.dumps(call[1])}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "r1", "object": "response", "model": "tiny-1", "status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}
    record(tools, call, results)


def content(request):
    tools = [one["name"] for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
    parts = [part for turn in request["contents"] for part in turn.get("parts", [])]
    results = [part for part in parts if "functionResponse" in part]
    call = None if results else reach(tools)
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": TEXT}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    said = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    yield {"candidates": [said], "usageMetadata": usage, "modelVersion": "tiny-1"}
    record(tools, call, results)


def record(tools, call, results):
    """What was offered, what was called, and what came of the call."""
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(json.dumps({"tools": tools, "called": call and call[0], "results": results}) + "\n")


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer("application/json", json.dumps({"object": "list", "data": [{"id": "tiny", "object": "model"}]}))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path, _, query = self.path.partition("?")
        if path.endswith("/responses"):
            self.answer("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in responses(request)))
        elif path.endswith("/chat/completions"):
            self.answer("text/event-stream", "".join(f"data: {json.dumps(e)}\n\n" for e in chat(request)) + "data: [DONE]\n\n")
        elif path.endswith(":streamGenerateContent"):
            self.answer("text/event-stream", "".join(f"data: {json.dumps(e)}\n\n" for e in content(request)))
        elif path.endswith(":generateContent"):
            self.answer("application/json", json.dumps(next(content(request))))
        else:
            record([], f"unknown path {path}", [])
            self.send_error(404)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True


Server(("127.0.0.1", PORT), Model).serve_forever()
