import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('the npm lock file names checksums and no host, so that any registry serves it', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const entries = Object.entries(packages).filter(([name]) => name !== '');
  assert.ok(entries.length > 10);
  for (const [name, entry] of entries) {
    assert.equal(entry.resolved, undefined, name);
    assert.match(entry.integrity, /^sha512-/, name);
  }
});

test('wasm-bindgen is locked at the version that Cargo.toml pins', () => {
  const pinned = read('Cargo.toml').match(/^wasm-bindgen = "=([0-9.]+)"$/m)?.[1];
  const locked = read('Cargo.lock').match(/name = "wasm-bindgen"\nversion = "([0-9.]+)"/)?.[1];
  assert.ok(pinned);
  assert.equal(locked, pinned);
});
