// The way from the application to the editor. The application imports this small module; the editor itself, which is
// much larger, is fetched when the plain field that stands there until then is in sight, the program is whole (ready.js)
// and the browser has nothing better to do, or when the person goes to that field.

/** Fulfilled as soon as somebody can see the element: a narrow page shows one pane at a time. */
const inSight = (element) =>
  new Promise((resolve) => {
    if (!element || !globalThis.IntersectionObserver) return resolve();
    const observer = new IntersectionObserver((entries) => {
      if (element.isConnected && !entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
  });

const idle = () => new Promise((resolve) => (globalThis.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 2000 }) : setTimeout(resolve, 200)));

const focused = (element) => new Promise((resolve) => element?.addEventListener('focus', resolve, { once: true }));

/**
 * The editor's module (see editor.js).
 * @param {HTMLElement} [plain] the field that stands in its place; without one it is fetched at once
 * @returns {Promise<typeof import('./editor.js')>} rejected with the reason when it cannot be fetched
 */
export async function loadEditor(plain) {
  const link = document.getElementById('editor-module');
  if (!link) throw new Error('the page names no editor: <link id="editor-module"> is missing');
  const quiet = inSight(plain)
    .then(() => globalThis.playgroundRest?.whenReady)
    .then(idle);
  await Promise.race([quiet, focused(plain)]);
  const editor = await import(link.href);
  await pause();
  return editor;
}

/** Ends the task: what follows is one of its own. */
const pause = () => new Promise((next) => setTimeout(next));

/** Fulfilled when the browser has drawn once more, or does not draw because nobody looks. */
export const drawn = () =>
  new Promise((next) => {
    requestAnimationFrame(() => setTimeout(next));
    setTimeout(next, 300);
  });
