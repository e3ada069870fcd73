export type * from './web/daemonset_playground.js';
export { Playground, version } from './web/daemonset_playground.js';

/** Where the engine comes from. */
export interface LoadOptions {
  /**
   * The address of `daemonset_playground_bg.wasm` (by default next to the module), a response that holds it, its bytes, or
   * the compiled module.
   */
  wasm?: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module;
}

/**
 * Loads the engine. Call it before anything else; further calls give the same promise.
 *
 * Rejected when the engine cannot be fetched or compiled; another call then tries again.
 */
export default function load(options?: LoadOptions): Promise<void>;
