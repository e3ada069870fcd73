#!/usr/bin/env bash
# Builds the static site in dist/ and prints its sizes.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
bash scripts/preflight.sh build
bash scripts/tools.sh build
say "Building dist/ (about 1 to 3 minutes the first time)"
trunk build --release --locked
node scripts/sizes.mjs
