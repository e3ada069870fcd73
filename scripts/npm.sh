#!/usr/bin/env bash
# Builds the npm package into target/npm/ and packs it: target/daemonset-playground-VERSION.tgz
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
set -euo pipefail

bash scripts/preflight.sh build
bash scripts/tools.sh npm

package="$ROOT/target/npm"
rm -rf "$package"
mkdir -p "$package"
cp -R npm/. LICENSE "$package/"

for target in web bundler; do
  say "Building the engine for $target (the first time some minutes)"
  # Without the application: Yew never reaches the package.
  wasm-pack build --release --no-pack --target "$target" --out-dir "$package/$target" --out-name daemonset_playground \
    -- --locked
  rm -f "$package/$target/.gitignore" "$package/$target/README.md" "$package/$target/LICENSE" "$package/$target/package.json"
done

# The classes have `[Symbol.dispose]`, which older choices of `lib` do not know.
for types in "$package"/{web,bundler}/daemonset_playground.d.ts; do
  printf '/// <reference lib="esnext.disposable" />\n%s\n' "$(cat "$types")" >"$types"
done

# The version of the crate.
node -e '
  const { readFileSync, writeFileSync } = require("fs");
  const [file] = process.argv.slice(1);
  const version = readFileSync("Cargo.toml", "utf8").match(/^version = "(.*)"$/m)[1];
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file)), version }, null, 2) + "\n");
' "$package/package.json"

say "Packing"
(cd "$package" && npm pack --silent --pack-destination "$ROOT/target")
node scripts/sizes.mjs npm
