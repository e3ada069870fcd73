#!/usr/bin/env bash
# Measures the engine natively and in Chromium, and prints the sizes of what is built. Usage: bench.sh [native] [web]
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail
wanted="${*:-native web}"
bash scripts/preflight.sh build
note "Load of the machine: $(uptime | sed 's/.*load average[s]*: //'). Other work makes wall times longer."

case " $wanted " in *" native "*)
  say "Natively (optimising the engine takes some minutes the first time)"
  cargo bench --locked --bench reconcile --bench rollout --bench scheduler
  ;;
esac

case " $wanted " in *" web "*)
  bash scripts/tools.sh build
  CHROME="$(find_chrome)" || { note "There is no Chromium or Google Chrome: set CHROME to its path."; exit 1; }
  export CHROME
  say "In Chromium, optimised for size as the page is"
  node scripts/bench-web.mjs
  if [ -f dist/index.html ]; then
    say "A first visit, with the CPU slowed four times"
    node scripts/measure-start.mjs
    say "Scrolling and pointing at 5,000 nodes, in Chromium"
    node scripts/scroll.mjs
  fi
  ;;
esac

if [ -f dist/index.html ]; then
  say "Sizes of dist/"
  node scripts/sizes.mjs
fi
