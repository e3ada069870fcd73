// The way from the application to the editor. The application imports this small module; the editor itself, which is
// much larger, is fetched when the program is whole (ready.js) and the browser has nothing better to do, or when the
// person goes to the plain field that stands there until then.

/** Fulfilled when it is time to fetch the editor. */
function itIsTime() {
  const idle = () => new Promise((resolve) => (globalThis.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 2000 }) : setTimeout(resolve, 200)));
  const wanted = new Promise((resolve) => {
    const looked = (event) => {
      // Inside of the custom element's shadow, too.
      if (!(event.composedPath()[0] instanceof HTMLTextAreaElement)) return;
      removeEventListener('focusin', looked);
      resolve();
    };
    addEventListener('focusin', looked);
  });
  return Promise.race([Promise.resolve(globalThis.playgroundRest?.whenReady).then(idle), wanted]);
}

/**
 * The editor's module (see editor.js).
 * @returns {Promise<typeof import('./editor.js')>} rejected with the reason when it cannot be fetched
 */
export async function loadEditor() {
  const link = document.getElementById('editor-module');
  if (!link) throw new Error('the page names no editor: <link id="editor-module"> is missing');
  await itIsTime();
  const editor = await import(link.href);
  // A task of its own for what is done with it.
  await new Promise((next) => setTimeout(next));
  return editor;
}
