#!/usr/bin/env bash
# Real programs as reviewers, from the npm registry, against a model on loopback and behind the walls: codex, opencode and gemini,
# with their own read-only switches and with the doors open, over their own output and over the Agent Client Protocol. Each must
# find what the model finds, and read the project where its model wants to; told to write a file, each is to try, and no file may be
# there. The same is tried without walls first: a model that could not make a program write would prove nothing. Nothing is asked
# that costs anything.
# usage: tests/real/programs.sh TAMIS
set -euo pipefail
cd "$(dirname "$0")/../.."
tamis=$(realpath "$1")
programs=${TAMIS_REAL_PROGRAMS:-${XDG_CACHE_HOME:-$HOME/.cache}/tamis-real-programs}
if [[ ! -x $programs/node_modules/.bin/gemini ]]; then
  mkdir -p "$programs"
  npm install --prefix "$programs" --silent --no-audit --no-fund @openai/codex@0.171.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
fi
export PATH=$programs/node_modules/.bin:$PATH
house=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || :; rm -rf "$house"' EXIT
read -r port talk < <(python3 -c 'import socket
sockets = [socket.socket() for _ in range(2)]
[one.bind(("127.0.0.1", 0)) for one in sockets]
print(*[one.getsockname()[1] for one in sockets])')
serve() { # answer, read or write
  if [[ -n $server ]]; then kill "$server"; wait "$server" || :; fi
  : >"$house/log"
  python3 tests/real/model.py "$port" "$1" "$house/log" >"$house/server.log" 2>&1 &
  server=$!
  for _ in $(seq 60); do
    python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/', timeout=2)" 2>/dev/null && return
    kill -0 "$server" || break
    read -rt 0.5 <> <(:) || :
  done
  cat "$house/server.log"
  exit 1
}

mkdir -p "$house"/{home/.gemini,config/tamis,state,docs}
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' >"$house/home/.gemini/settings.json"
local="{\"provider\":{\"local\":{\"npm\":\"@ai-sdk/openai-compatible\",\"options\":{\"baseURL\":\"http://127.0.0.1:$port/v1\",\"apiKey\":\"k\"},\"models\":{\"tiny\":{}}}},\"model\":\"local/tiny\"}"
deny='{"edit":"deny","bash":"deny","webfetch":"deny","task":"deny"}'
codex=(codex exec --json --skip-git-repo-check --ephemeral)
for setting in model_provider=local model=tiny model_providers.local.name=local \
  "model_providers.local.base_url=http://127.0.0.1:$port/v1" model_providers.local.wire_api=responses; do codex+=(-c "$setting"); done
opencode=(opencode run --pure --format json -m local/tiny)
gemini=(gemini --skip-trust -o json -m tiny)
export GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port GEMINI_API_KEY=k
export OPENCODE_CONFIG_CONTENT=$local OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1
entry() { # name, format, ports, permissions of opencode, words
  python3 - "$@" <<'PY'
import json, os, sys
name, form, ports, allowed, *words = sys.argv[1:]
kept = ["GOOGLE_GEMINI_BASE_URL", "OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH"]
env = {key: os.environ[key] for key in kept} | {"OPENCODE_PERMISSION": allowed}
about = {"command": words, "format": form, "ports": json.loads(ports), "timeout": 120, "env": env}
about |= {"home": [".gemini/settings.json"], "pass_env": ["GEMINI_API_KEY"]}
# JSON is YAML.
print(f"  {name}: {json.dumps(about)}")
PY
}
{
  echo programs:
  entry codex codex "[$port]" "$deny" "${codex[@]}" -s read-only --output-schema '{schema_file}' -
  entry codex-open codex "[$port]" "$deny" "${codex[@]}" -s danger-full-access -
  entry opencode opencode "[$port]" "$deny" "${opencode[@]}"
  entry opencode-open opencode "[$port]" '{}' "${opencode[@]}"
  entry opencode-talks acp "[$port, $talk]" '{}' opencode acp --pure --port "$talk"
  entry gemini gemini "[$port]" "$deny" "${gemini[@]}" --approval-mode plan
  entry gemini-open gemini "[$port]" "$deny" "${gemini[@]}" --yolo
  entry gemini-talks acp "[$port]" "$deny" gemini --acp -m tiny
  entry gemini-talks-open acp "[$port]" "$deny" gemini --acp --yolo -m tiny
} >"$house/config/tamis/config.yaml"

document() { # a folder under version control with one document in it
  mkdir -p "$1"
  printf '# Sign in\n\n## UC-01: A customer signs in\n\n- **AC1**: The page loads fast.\n' >"$1/prd.md"
  git -C "$1" init -q
  git -C "$1" add prd.md
  git -C "$1" -c user.name=a -c user.email=a@b.example commit -qm a
}

# Without walls: whoever is asked to write does.
serve write
free() { # name, words
  document "$house/free-$1"
  (cd "$house/free-$1" && HOME=$house/home "${@:2}" <prd.md >"$house/out" 2>&1) || { cat "$house/out"; exit 1; }
  [[ -e $house/free-$1/evil.txt ]] || { echo "$1: the model cannot make it write, which proves nothing"; cat "$house/log"; exit 1; }
  echo "$1: writes evil.txt where nothing holds it"
}
free codex-open "${codex[@]}" -s danger-full-access -
free opencode-open "${opencode[@]}"
free gemini-open "${gemini[@]}" --yolo

review() { # agent
  local code=0
  (cd "$house/docs" && env HOME="$house/home" XDG_CONFIG_HOME="$house/config" XDG_STATE_HOME="$house/state" \
    "$tamis" review prd.md --headless --dimensions DEV --granularity auto --agent "$1" --critic offline --arbiter none --overwrite) \
    >"$house/out" 2>&1 || code=$?
  python3 tests/real/programs.py "$1" "$mode" "$code" "$house/log" "$house/out" || { tail -30 "$house/out"; exit 1; }
  local changed
  changed=$(git -C "$house/docs" status --porcelain | grep -v '^?? prd.findings.yaml$' || :)
  [[ -z $changed ]] || { echo "$1: files changed: $changed"; exit 1; }
  local left
  # By its variables: what a program begins need not name the folder.
  left=$(grep -las "$house/state" /proc/[0-9]*/environ || :)
  [[ -z $left ]] || { echo "$1: processes are left: $left"; exit 1; }
  rm -f "$house/docs/prd.findings.yaml"
  : >"$house/log"
}
document "$house/docs"
for program in codex opencode gemini; do
  echo "$program $(HOME=$house/home "$program" --version 2>/dev/null)"
done
for mode in answer read write; do
  serve "$mode"
  for agent in command:{codex,codex-open,opencode,opencode-open,gemini,gemini-open} acp:{opencode-talks,gemini-talks,gemini-talks-open}; do
    review "$agent"
  done
done
echo "every program answered, and none wrote"
