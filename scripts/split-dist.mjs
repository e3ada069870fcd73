// The part of Trunk's post-build hook that splits the program (scripts/wasm/split.mjs): what a first view needs in one
// WebAssembly module, what applying a manifest and stepping need in the next, everything else in the last. Which function
// can come later was measured (`make first`): scripts/wasm/work.txt and rest.txt. A function that was not there when it was
// measured stays in the first part, where it costs bytes and not time.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { dataOf } from './wasm/data.mjs';
import { parse } from './wasm/module.mjs';
import { instrument, split } from './wasm/split.mjs';

const LATER = ['work', 'rest'];
/** Always in the first part: what the libraries of the page do when two things happen at once, which no measurement meets. */
const ALWAYS_FIRST = /drop_in_place::<(?!.*daemonset_playground)|^<?(js_sys|wasm_bindgen\w*|gloo\w*)\[|^<?yew\[\w+\]::scheduler/;
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
  let js = readFileSync(join(staging, jsName), 'utf8');
  let first;
  if (profiling) {
    first = instrument(module);
    writeFileSync(profiling, JSON.stringify(module.bodies.map((_, index) => nameOf(index))));
    js = replaceOnce(js, 'wasm = instance.exports;', 'globalThis.programProfile = instance.exports.profile;\nwasm = instance.exports;');
  } else {
    const lists = LATER.map((name) => new Set(readFileSync(new URL(`./wasm/${name}.txt`, import.meta.url), 'utf8').split('\n')));
    const partOf = module.bodies.map((_, index) => {
      const name = nameOf(index);
      const known = mark(name);
      return ALWAYS_FIRST.test(name) ? 0 : 1 + lists.findIndex((marks) => marks.has(known));
    });
    const linked = process.env.LINKED ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'wasm32-unknown-unknown/release/playground.wasm');
    const data = existsSync(linked) ? dataOf(module, readFileSync(linked), (index) => partOf[index], LATER.length + 1) : undefined;
    const { parts, ...counts } = split(module, (index) => partOf[index], data);
    first = parts[0];
    const later = parts.slice(1).map((bytes, place) => {
      const name = `${LATER[place]}-${hashed(bytes)}.wasm`;
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
