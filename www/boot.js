// Starts the application. A file of its own, since a strict content security policy allows no inline script.

/** Shows in the page why nothing else appears there. */
function explain(error) {
  const place = document.getElementById('boot') ?? document.body.appendChild(document.createElement('p'));
  place.setAttribute('role', 'alert');
  place.textContent =
    typeof WebAssembly === 'object'
      ? `The playground could not start: ${error?.message ?? error}. Reload the page to try again.`
      : 'This browser has no WebAssembly, in which the playground is written, or it is switched off.';
}

const address = (id) => document.getElementById(id).href;
const isFirstVisit = document.documentElement.dataset.visit === 'first';
if (!isFirstVisit) for (const picture of document.querySelectorAll('.shell')) picture.remove();

/** On a first visit the page holds a picture of itself (theme.js): it is painted before the program takes the line. */
const painted = new Promise((next) => {
  if (!isFirstVisit || document.hidden) return next();
  requestAnimationFrame(() => setTimeout(next));
  setTimeout(next, 1000);
});

async function start() {
  await painted;
  const fetched = fetch(address('playground-wasm'));
  // Awaited only below: a failure is told there.
  fetched.catch(() => {});
  const { default: begin, loadParts } = await import(address('playground-js'));
  // What is brought back from the last visit can need any part of the program.
  if (!isFirstVisit) await loadParts?.();
  await begin({ module_or_path: fetched });
}

start().catch((error) => {
  explain(error);
  throw error;
});
