// The entry for Node.js, which cannot fetch a file.
import { readFile } from 'node:fs/promises';
import load from './web.js';

export { Playground, version } from './web.js';

/** Loads the engine once; see index.d.ts. */
export default async function loadInNode({ wasm = new URL('./web/daemonset_playground_bg.wasm', import.meta.url) } = {}) {
  const address = typeof wasm === 'string' && wasm.startsWith('file:') ? new URL(wasm) : wasm;
  return load({ wasm: address instanceof URL && address.protocol === 'file:' ? await readFile(address) : wasm });
}
