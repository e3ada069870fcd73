// The part of Trunk's post-build hook that splits the program: what a first visit needs in one WebAssembly module, the
// rest in another (scripts/wasm/split.mjs). Which functions a first visit needs was measured: scripts/wasm/first.txt,
// written by `make first`. The middle part, work.txt, is what applying a manifest and stepping need.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { dataOf } from './wasm/data.mjs';
import { parse } from './wasm/module.mjs';
import { instrument, split } from './wasm/split.mjs';

const PARTS = ['first', 'work'].map((name) => new URL(`./wasm/${name}.txt`, import.meta.url));
const hashed = (contents) => createHash('sha256').update(contents).digest('hex').slice(0, 16);

/** What stays the same of a function's name from one build to the next, in eight digits. */
export function mark(name) {
  const lasting = name.replace(/\[[0-9a-f]{8,}\]|::h[0-9a-f]{16}/g, '').replace(/#\d+\}/g, '}').replace(/_\d+$/, '');
  return createHash('sha256').update(lasting).digest('hex').slice(0, 8);
}

/** Puts `part` in the place of the only match. */
function replaceOnce(text, pattern, part) {
  if (text.split(pattern).length !== 2) throw new Error(`wasm-bindgen's script does not have exactly one "${pattern}"`);
  return text.replace(pattern, () => part);
}

/**
 * Splits the program in the folder that Trunk builds.
 * @param {{ root: string, staging: string, html: string }} site
 * @returns {string} the page with the names of the new files
 */
export function splitProgram({ root, staging, html }) {
  const names = readdirSync(staging);
  const wasmName = names.find((name) => /^playground-[0-9a-f]+_bg\.wasm$/.test(name));
  const jsName = names.find((name) => /^playground-[0-9a-f]+\.js$/.test(name));
  if (!wasmName || !jsName) throw new Error('the program is not in the folder that Trunk builds');
  const module = parse(readFileSync(join(staging, wasmName)));
  if (module.names.size === 0) throw new Error('the program has lost the names of its functions: wasm-opt needs -g');
  const nameOf = (index) => module.names.get(module.imports.length + index) ?? '';

  const profiling = process.env.PLAYGROUND_PROFILE;
  const wanted = PARTS.map((file) => new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []));
  let js = readFileSync(join(staging, jsName), 'utf8');
  let first;
  if (profiling) {
    first = instrument(module);
    writeFileSync(profiling, JSON.stringify(module.bodies.map((_, index) => nameOf(index))));
    js = replaceOnce(js, 'wasm = instance.exports;', 'globalThis.programProfile = instance.exports.profile;\nwasm = instance.exports;');
  } else {
    const partOf = module.bodies.map((_, index) => {
      const known = mark(nameOf(index));
      const part = wanted.findIndex((marks) => marks.has(known));
      return part < 0 ? wanted.length : part;
    });
    const found = partOf.filter((part) => part < wanted.length).length;
    const known = wanted.reduce((sum, marks) => sum + marks.size, 0);
    // A renamed function only comes later than it should; when most are unknown, nobody would want to wait for that.
    if (found < known / 2) throw new Error(`of ${known} functions of the first view and of stepping only ${found} are there: make first`);
    const linked = process.env.LINKED ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'wasm32-unknown-unknown/release/playground.wasm');
    const data = existsSync(linked) ? dataOf(module, readFileSync(linked), (index) => partOf[index], PARTS.length + 1) : undefined;
    const { parts, ...counts } = split(module, (index) => partOf[index], data);
    first = parts[0];
    const later = parts.slice(1).map((bytes, place) => {
      const name = `${['work', 'rest'][place]}-${hashed(bytes)}.wasm`;
      writeFileSync(join(staging, name), bytes);
      return name;
    });
    const other = readFileSync(join(root, 'www/split.js'), 'utf8').replace('__FILES__', JSON.stringify(later));
    js = replaceOnce(js, 'wasm = instance.exports;', 'wasm = instance.exports;\nsplitBegan(wasm);');
    js = `${other}${js.replaceAll('const imports = __wbg_get_imports();', 'const imports = { ...__wbg_get_imports(), ...splitImports };')}`;
    console.log(`The program is split: ${JSON.stringify(counts)}${data ? '' : ', without its data'}`);
  }
  writeFileSync(join(staging, wasmName), first);
  writeFileSync(join(staging, jsName), js);

  // Names that tell the contents apart, as those by which they are kept in caches for ever.
  const newWasm = `playground-${hashed(first)}_bg.wasm`;
  const newJs = `playground-${hashed(js)}.js`;
  renameSync(join(staging, wasmName), join(staging, newWasm));
  renameSync(join(staging, jsName), join(staging, newJs));
  return html.replaceAll(wasmName, newWasm).replaceAll(jsName, newJs);
}
