// What lessons ask of the browser: files beside the page, and events for the page around this one.

/** The folder of the site, wherever the page stands that shows it. */
// On somebody else's page the loader of the element has said where the editor is (www/element/daemonset-playground.js).
const base = () => (document.getElementById('playground-js') ?? document.getElementById('editor-module'))?.href ?? document.baseURI;

/** The text of a file beside the page; undefined where it cannot be had. */
export async function load(path) {
  try {
    const response = await fetch(new URL(path, base()));
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/** Tells who listens on this page: `window.addEventListener('lesson:complete', …)`. */
export function emit(name, detail) {
  window.dispatchEvent(new CustomEvent(name, { detail: JSON.parse(detail) }));
}
