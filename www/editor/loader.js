// The way from the application to the editor. The application imports this small module; the editor itself, which is
// much larger, is fetched only when it is asked for.

/**
 * The editor's module (see editor.js).
 * @returns {Promise<typeof import('./editor.js')>} rejected with the reason when it cannot be fetched
 */
export async function loadEditor() {
  const link = document.getElementById('editor-module');
  if (!link) throw new Error('the page names no editor: <link id="editor-module"> is missing');
  return import(link.href);
}
