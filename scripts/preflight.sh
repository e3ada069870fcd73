#!/usr/bin/env bash
# Checks, before any work, that the machine has what no script here can install, and says how to get what is missing.
# Usage: preflight.sh build|test
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -uo pipefail
purpose="${1:-test}"
missing=0

lacks() { # lacks WHAT HOW…
  missing=$((missing + 1))
  [ "$missing" -eq 1 ] && printf '%sThis machine lacks something that has to be installed by hand:%s\n\n' "$RED" "$PLAIN" >&2
  printf '  %s%s%s\n' "$BOLD" "$1" "$PLAIN" >&2
  shift
  for line in "$@"; do printf '      %s\n' "$line" >&2; done
}

if ! have cargo && ! have rustup; then
  lacks "Rust 1.95 or newer" "Install it from https://rustup.rs, open a new terminal and run the command again."
elif ! have rustup; then
  version="$(cargo --version 2>/dev/null | awk '{ print $2 }')"
  if ! version_at_least "${version:-0.0}" 1.95; then
    lacks "Rust 1.95 or newer (cargo is ${version:-unusable})" "Update it, or install rustup from https://rustup.rs."
  elif [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ]; then
    lacks "Rust's wasm32-unknown-unknown target" "Install it with your package manager, or use rustup from https://rustup.rs."
  fi
fi

if ! have node; then
  lacks "Node.js 20 or newer" "From https://nodejs.org, or with your package manager (Debian: apt install nodejs npm; macOS: brew install node)."
elif ! version_at_least "$(node --version | tr -d v)" 20.0; then
  lacks "Node.js 20 or newer (this is $(node --version))" "From https://nodejs.org, or with a version manager such as nvm."
elif ! have npm; then
  lacks "npm" "It comes with Node.js from https://nodejs.org (Debian: apt install npm)."
fi

have make || lacks "make" "Debian and Ubuntu: apt install make; macOS: xcode-select --install."
have cc || have gcc || have clang ||
  lacks "a C linker (cc)" "Debian and Ubuntu: apt install build-essential; macOS: xcode-select --install."

if [ "$purpose" = test ] && ! can_install_chromium; then
  if [ -n "${CHROME:-}" ] && ! command -v "$CHROME" >/dev/null; then
    lacks "the browser that CHROME names ($CHROME)" "Correct the variable, or unset it."
  elif ! find_chrome >/dev/null; then
    lacks "Chromium or Google Chrome, for the tests in a browser" \
      "Debian: apt install chromium chromium-driver; else from https://www.google.com/chrome." \
      "Where it is installed in an unusual place: CHROME=/path/to/chrome make test."
  fi
fi

if [ "$missing" -gt 0 ]; then
  printf '\nNothing was changed.\n' >&2
  exit 1
fi
