# Sourced by the other scripts: where the tools are, and how to write. Works with bash 3.2 (macOS).
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
TOOLS="$ROOT/.tools"
PATH="$TOOLS/bin:$ROOT/node_modules/.bin:$PATH"
[ -d "${CARGO_HOME:-$HOME/.cargo}/bin" ] && PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"
export PATH

# Playwright drives the browser of the machine; it need not download one of its own.
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
export TRUNK_SKIP_VERSION_CHECK=true
# Trunk 0.21 reads NO_COLOR as a boolean and stops at the usual "1".
if [ -n "${NO_COLOR:-}" ]; then export NO_COLOR=true; fi

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  BOLD=$'\033[1m' RED=$'\033[31m' GREEN=$'\033[32m' YELLOW=$'\033[33m' DIM=$'\033[2m' PLAIN=$'\033[0m'
else
  BOLD='' RED='' GREEN='' YELLOW='' DIM='' PLAIN=''
fi

# say TEXT: what is being done now.  note TEXT: a detail.
say() { printf '%s==> %s%s\n' "$BOLD" "$*" "$PLAIN"; }
note() { printf '    %s\n' "$*"; }
have() { command -v "$1" >/dev/null 2>&1; }

# version_at_least HAVE WANT: compares major.minor.
version_at_least() {
  local have_major="${1%%.*}" have_rest="${1#*.}" want_major="${2%%.*}" want_rest="${2#*.}"
  local have_minor="${have_rest%%.*}" want_minor="${want_rest%%.*}"
  [ "$have_major" -gt "$want_major" ] || { [ "$have_major" -eq "$want_major" ] && [ "$have_minor" -ge "$want_minor" ]; }
}

# The program to drive, or nothing. CHROME names it where the usual places are not enough.
find_chrome() {
  local candidate
  if [ -n "${CHROME:-}" ]; then command -v "$CHROME" && return; fi
  for candidate in chromium google-chrome google-chrome-stable chromium-browser chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    command -v "$candidate" && return
  done
  return 1
}

find_chromedriver() {
  local candidate
  if [ -n "${CHROMEDRIVER:-}" ]; then command -v "$CHROMEDRIVER" && return; fi
  for candidate in chromedriver /usr/lib/chromium/chromedriver /usr/lib/chromium-browser/chromedriver /opt/homebrew/bin/chromedriver; do
    command -v "$candidate" && return
  done
  return 1
}

# as_root COMMAND…: as root, or with a sudo that asks for no password; fails where neither is possible.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; elif have sudo && sudo -n true 2>/dev/null; then sudo -n "$@"; else return 1; fi
}
# On Debian itself: the package "chromium" of Ubuntu only points to a snap.
can_install_chromium() {
  have apt-get && grep -qs '^ID=debian' /etc/os-release && as_root true
}
