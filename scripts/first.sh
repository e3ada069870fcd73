#!/usr/bin/env bash
# Renews what is known of the first view: which functions it needs (scripts/first.mjs) and what it looks like
# (scripts/shell.mjs). Leaves the site in dist/, built with both.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
bash scripts/preflight.sh test
bash scripts/tools.sh test
CHROME="$(find_chrome)" && export CHROME
say "Building the program so that it counts what is called"
PLAYGROUND_PROFILE="$ROOT/target/functions.json" trunk build --release --locked --dist target/first
node scripts/first.mjs target/functions.json target/first
say "Building the site"
trunk build --release --locked
node scripts/shell.mjs
say "Building the site with the new first view"
trunk build --release --locked
node scripts/sizes.mjs
