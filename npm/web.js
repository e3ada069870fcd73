// The entry for browsers and bundlers. The wasm is fetched when `load` is called, not before.
import init from './web/daemonset_playground.js';

export { Playground, version } from './web/daemonset_playground.js';

let loading;

/** Loads the engine once; see index.d.ts. */
export default function load({ wasm } = {}) {
  loading ??= init({ module_or_path: wasm }).then(
    () => {},
    (error) => {
      // Another call may try again, with another address.
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
