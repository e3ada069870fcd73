#!/usr/bin/env bash
# Builds the playground, serves it on this machine only, and opens it. Usage: serve.sh release|dev
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
bash scripts/preflight.sh build
bash scripts/tools.sh build
port="${PORT:-8080}"
options=(--port "$port")
[ "${OPEN:-yes}" = no ] || options+=(--open)
if [ "$1" = release ]; then
  say "Building the playground (about 3 minutes the first time), then serving it on http://localhost:$port (stop with Ctrl+C)"
  options+=(--release --locked)
else
  say "Building the playground unoptimised (about 2 minutes the first time), then serving it on http://localhost:$port (stop with Ctrl+C)"
fi
exec trunk serve "${options[@]}"
