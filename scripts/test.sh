#!/usr/bin/env bash
# Runs everything, in the order in which mistakes are cheapest to find, and stops at the first failure.
# Usage: test.sh [section…]   (all without one; --list names them)
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail

SECTIONS="format clippy clippy-app clippy-wasm native wasm-check node wasm-browser build npm e2e"
if [ "${1:-}" = --list ]; then printf '%s\n' $SECTIONS; exit; fi
for wanted in "$@"; do
  case " $SECTIONS " in *" $wanted "*) ;; *) printf 'No section is called %s; there are: %s\n' "$wanted" "$SECTIONS" >&2; exit 2 ;; esac
done

started=$SECONDS
bash scripts/preflight.sh test
bash scripts/tools.sh test
CHROME="$(find_chrome)" && export CHROME
logs="target/test-logs"
rm -rf "$logs" && mkdir -p "$logs"
summary=()

# section NAME TITLE FUNCTION: runs it unless others were asked for, keeps its output, stops everything when it fails.
section() {
  local name="$1" title="$2" code=0 begin=$SECONDS
  if [ -n "$wanted_sections" ]; then case " $wanted_sections " in *" $name "*) ;; *) return 0 ;; esac; fi
  printf '\n%s─── %s: %s%s\n' "$BOLD" "$name" "$title" "$PLAIN"
  ("$3") 2>&1 | tee "$logs/$name.log" || code=$?
  if [ "$code" -ne 0 ]; then
    printf '\n%sFAILED: %s (%s)%s\nRun it alone with: make test ONLY=%s\n' "$RED" "$name" "$title" "$PLAIN" "$name" >&2
    exit 1
  fi
  summary+=("$(printf '%-13s %4d s  %s' "$name" $((SECONDS - begin)) "$(closing_line "$logs/$name.log")")")
}

# What the test runner itself said at the end: the tests of all its programs added up.
closing_line() {
  node - "$1" <<'JS'
const text = require('fs').readFileSync(process.argv[2], 'utf8').replace(/\x1b\[[0-9;]*m/g, '');
const cargo = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
const sum = (i) => cargo.reduce((total, m) => total + Number(m[i]), 0);
const node = [...text.matchAll(/^(?:# |ℹ )(pass|fail) (\d+)$/gm)];
const playwright = text.match(/^\s+\d+ (?:passed|skipped|flaky).*$/gm);
if (cargo.length) console.log(`${sum(1)} passed, ${sum(2)} failed, ${sum(3)} ignored`);
else if (node.length) console.log(node.map((m) => `${m[2]} ${m[1]}ed`).join(', '));
else if (playwright) console.log(playwright.map((line) => line.trim()).join(', '));
else console.log('ok');
JS
}
wanted_sections="$*"
WASM="--target wasm32-unknown-unknown"

format() { cargo fmt --all --check; }
clippy() { cargo clippy --locked --all-targets -- -D warnings; }
clippy_app() { cargo clippy --locked --all-targets --features app -- -D warnings; }
clippy_wasm() { cargo clippy --locked $WASM --features app --lib --bin playground --test web -- -D warnings; }
native() { cargo test --locked; }
wasm_check() { cargo check --locked $WASM --lib; }
node_tests() { node --test tests/node/*.test.mjs; }
wasm_browser() {
  # The committed capabilities, and what this machine needs beyond them.
  node -e '
    const { readFileSync, writeFileSync } = require("fs");
    const capabilities = JSON.parse(readFileSync("webdriver.json"));
    const chrome = capabilities["goog:chromeOptions"];
    chrome.binary = process.env.CHROME;
    if (process.getuid?.() === 0) chrome.args.push("--no-sandbox");
    writeFileSync(process.argv[1], JSON.stringify(capabilities));
  ' "$ROOT/target/webdriver.json" || return
  export WASM_BINDGEN_TEST_WEBDRIVER_JSON="$ROOT/target/webdriver.json"
  # Where no driver is installed, wasm-pack fetches the one for the current Google Chrome.
  local driver
  driver="$(find_chromedriver || true)"
  wasm-pack test --headless --chrome ${driver:+--chromedriver "$driver"} -- --locked --test web
}
build() { trunk build --release --locked && node scripts/sizes.mjs; }
npm_package() { bash scripts/npm.sh && node --test tests/npm/*.test.mjs; }
e2e() { playwright test --config tests/e2e/playwright.config.mjs; }

section format "formatting (cargo fmt)" format
section clippy "lints of library and tests" clippy
section clippy-app "lints with the application" clippy_app
section clippy-wasm "lints for wasm32" clippy_wasm
section native "native tests" native
section wasm-check "the engine without the application for wasm32" wasm_check
section node "scripts in Node.js" node_tests
section wasm-browser "tests in headless Chromium (wasm-pack)" wasm_browser
section build "the site in dist/ (release)" build
section npm "the npm package in empty projects" npm_package
section e2e "end to end in Chromium" e2e

printf '\n%s─── Summary%s\n' "$BOLD" "$PLAIN"
printf '%s\n' "${summary[@]}"
printf '%sAll passed%s in %d min %d s.\n' "$GREEN" "$PLAIN" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
