#!/usr/bin/env bash
# Builds the playground, serves it on this machine only, and opens it. Usage: serve.sh release|dev
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
bash scripts/preflight.sh build
bash scripts/tools.sh build
# The usual port or the next free one; a port that was asked for must be free.
port="$(node - "${PORT:-}" <<'JS'
const asked = Number(process.argv[2]);
const free = (port) =>
  new Promise((answer) => {
    const probe = require('net').createServer();
    probe.once('error', () => answer(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });
(async () => {
  for (const port of asked ? [asked] : Array.from({ length: 20 }, (_, i) => 8080 + i)) {
    if (await free(port)) return console.log(port);
  }
  console.error(`Port ${asked || '8080 to 8099'} is in use: choose another with make serve PORT=9000`);
  process.exit(1);
})();
JS
)"
address="http://localhost:$port"
options=(--port "$port")

# Where no browser can be opened, the address is enough.
if [ "${OPEN:-yes}" != no ] && { [ "$(uname)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${WSL_DISTRO_NAME:-}" ]; }; then
  options+=(--open)
fi

if [ "$1" = release ]; then
  say "Building the playground (about 1 to 3 minutes the first time), then serving it"
  # The page's own policy forbids the inline script with which Trunk reloads it.
  options+=(--release --locked --no-autoreload)
else
  say "Building the playground without optimising (about 1 to 2 minutes the first time), then serving it"
fi
note "Open $address as soon as it says \"server listening\"; stop with Ctrl+C."
exec trunk serve "${options[@]}"
