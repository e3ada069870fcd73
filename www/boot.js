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

import(address('playground-js'))
  .then(({ default: start }) => start({ module_or_path: address('playground-wasm') }))
  .catch((error) => {
    explain(error);
    throw error;
  });
