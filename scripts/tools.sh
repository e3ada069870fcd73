#!/usr/bin/env bash
# Installs what is missing of the tools, in the versions that fit, and skips what is there.
# Usage: tools.sh build|npm|test   (npm adds wasm-pack, test adds wasm-pack and a browser)
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
purpose="${1:-test}"

# Rust: 1.95 or newer with rustfmt, clippy and the wasm target.
if have rustup; then
  version="$(rustc --version 2>/dev/null | awk '{ print $2 }' || true)"
  if [ -z "$version" ]; then
    say "Installing the stable Rust toolchain (about 1 minute)"
    rustup toolchain install stable --profile minimal --component rustfmt --component clippy
  elif ! version_at_least "$version" 1.95; then
    say "Updating the stable Rust toolchain from $version (about 1 minute)"
    rustup update stable
  fi
  for component in rustfmt clippy; do
    if ! rustup component list --installed | grep -q "^$component"; then
      say "Adding the Rust component $component (seconds)"
      rustup component add "$component"
    fi
  done
  if ! rustup target list --installed | grep -qx wasm32-unknown-unknown; then
    say "Adding the Rust target wasm32-unknown-unknown (seconds)"
    rustup target add wasm32-unknown-unknown
  fi
fi

# install PROGRAM PACKAGE VERSION MINUTES [cargo install options…]: into .tools/bin, unless that version is on PATH.
install() {
  local program="$1" package="$2" version="$3" minutes="$4"
  shift 4
  if have "$program" && "$program" --version 2>/dev/null | grep -qwF "$version"; then return; fi
  if have cargo-binstall; then
    say "Installing $package $version with cargo binstall"
    if cargo binstall --no-confirm --root "$TOOLS" "$package@$version" </dev/null; then return; fi
    note "No ready-made program was to be had; it is compiled instead."
  fi
  say "Installing $package $version into .tools/ (compiled from source, once; about $minutes minutes on 2 cores)"
  (unset CARGO_TARGET_DIR && cargo install "$package" --version "$version" --root "$TOOLS" --force "$@" </dev/null)
}

# The command line program must have exactly the version of the crate.
wasm_bindgen_version="$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/[^0-9.]/, ""); print }' Cargo.lock)"
# Not --locked: its lock file is not what the registry serves best.
install wasm-bindgen wasm-bindgen-cli "$wasm_bindgen_version" 3
# Unoptimised, since it only starts other programs and compiles in half the time.
install trunk trunk 0.21.14 5 --locked --debug
[ "$purpose" != build ] && install wasm-pack wasm-pack 0.15.1 3 --locked

# npm packages, exactly as the lock file says; again when it has changed.
stamp="$(cksum <package-lock.json)"
if [ "$(cat node_modules/.installed 2>/dev/null || true)" != "$stamp" ]; then
  say "Installing the npm packages of package-lock.json (seconds)"
  npm ci --no-progress </dev/null
  printf '%s\n' "$stamp" >node_modules/.installed
fi

if [ "$purpose" = test ]; then
  if { ! find_chrome || ! find_chromedriver; } >/dev/null && can_install_chromium; then
    say "Installing Chromium and its driver with apt-get (about 1 minute)"
    as_root apt-get update -q
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -y -q --no-install-recommends chromium chromium-driver </dev/null
  fi
  find_chrome >/dev/null || { printf '%sThere is no Chromium or Google Chrome.%s Set CHROME to its path.\n' "$RED" "$PLAIN" >&2; exit 1; }
fi
