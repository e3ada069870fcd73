// The styles of the page, adapted for a shadow tree.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'node:test';
import { transform } from 'esbuild';
import { forShadow } from '../../scripts/embed-dist.mjs';

test('the page becomes the element, the width of the window that of the element', () => {
  assert.equal(forShadow(':root { --a: 1 }'), ':host { --a: 1 }');
  assert.equal(forShadow(':root[data-theme="dark"] { color-scheme: dark; }\nbody { margin: 0 }'), '\n.root { margin: 0 }');
  assert.equal(forShadow('@media (max-width: 759px) { a { top: 0.5rem } }'), '@container playground (max-width: 759px) { a { top: 8px } }');
  assert.equal(forShadow('@media (min-width: 760px) and (max-width: 1199px) {}'), '@container playground (min-width: 760px) and (max-width: 1199px) {}');
  assert.equal(forShadow('@media (hover: none) {}'), '@media (hover: none) {}');
  assert.equal(forShadow('.app { height: 100dvh; } .t { height: 40dvh }'), '.app { height: 100%; } .t { height: 40cqh }');
});

test('nothing of the page is left in the styles of this site', () => {
  const folder = new URL('../../www/styles/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const css = forShadow(readFileSync(new URL(name, folder), 'utf8'));
    assert.doesNotMatch(css, /\d(rem|dvh)\b|:root|@media[^{]*(min|max)-width/, name);
  }
});

test('the loader can be imported where there is no window, and is small', async () => {
  const source = readFileSync(new URL('../../www/element/daemonset-playground.js', import.meta.url), 'utf8');
  const files = { js: `playground-${'0'.repeat(16)}.js`, wasm: `playground-${'0'.repeat(16)}_bg.wasm`, css: 'embed.css', editor: 'editor.js' };
  const text = source.replace('__FILES__;', `${JSON.stringify(files)};`);
  const { code } = await transform(text, { loader: 'js', minify: true, target: 'es2022' });
  assert.ok(gzipSync(code, { level: 9 }).length <= 6_000, `${gzipSync(code).length} bytes`);
  // A module at a file's address, as import.meta.url wants one.
  const module = await import(`data:text/javascript,${encodeURIComponent(code.replaceAll('import.meta.url', '"https://example.org/x.js"'))}`);
  assert.equal(typeof module.DaemonSetPlayground, 'function');
  console.log(`loader: ${gzipSync(code, { level: 9 }).length} bytes with gzip`);
});
