// The way from the first WebAssembly module to the later ones (scripts/wasm/split.mjs): scripts/split-dist.mjs puts this
// in front of wasm-bindgen's script. They come one after the other as soon as the page is drawn. Where something is asked
// for before that, it is fetched at once, and the page stands still until it is there.
const splitFiles = __FILES__.map((name) => new URL(name, import.meta.url));
const splitDone = splitFiles.map(() => false);
const splitModules = [];
let splitFirst;
const splitFetching = [];

/** What the first module imports besides what wasm-bindgen gives it. */
const splitImports = { split: Object.fromEntries(splitFiles.map((_, part) => [`load${part + 1}`, () => splitLoadNow(part)])) };

// The application asks for this (www/ready.js, www/element/daemonset-playground.js): whether it can work without standing
// still, when it can, and when all parts are there.
let splitReady;
let splitWhole;
const playgroundRest = {
  ready: false,
  whenReady: new Promise((ready) => (splitReady = ready)),
  whenWhole: new Promise((whole) => (splitWhole = whole)),
};
globalThis.playgroundRest = playgroundRest;

/** Fetches the later parts before the first is begun, where more than the first view is wanted at once. */
export async function loadParts() {
  await Promise.all(
    splitFiles.map(async (file, part) => {
      splitModules[part] = await WebAssembly.compileStreaming(fetch(file));
    }),
  );
}

/** Takes the functions of the first module when it has been instantiated. */
function splitBegan(exports) {
  splitFirst = exports;
  if (splitModules.length > 0) {
    for (const [part, module] of splitModules.entries()) splitFinish(part, module);
    playgroundRest.ready = true;
    splitReady();
    splitWhole();
    return;
  }
  // After the first frame, which a page in the background does not draw.
  const drawn = new Promise((next) => {
    requestAnimationFrame(() => setTimeout(next));
    setTimeout(next, 300);
  });
  drawn.then(splitLoadLater);
}

function splitFinish(part, module) {
  if (splitDone[part]) return;
  new WebAssembly.Instance(module, { first: splitFirst });
  splitFirst[`split:loaded${part + 1}`].value = 1;
  splitDone[part] = true;
}

async function splitLoadLater() {
  for (const part of splitFiles.keys()) {
    // Where the line is gone for a while, the parts come when it is back.
    for (let pause = 1000; !(await splitLoad(part)); pause = Math.min(2 * pause, 30000)) await new Promise((next) => setTimeout(next, pause));
    playgroundRest.ready = true;
    splitReady();
  }
  splitWhole();
}

/** @returns {Promise<boolean>} whether the part is there now */
async function splitLoad(part) {
  if (splitDone[part]) return true;
  const stop = new AbortController();
  splitFetching[part] = stop;
  try {
    splitFinish(part, await WebAssembly.compileStreaming(fetch(splitFiles[part], { signal: stop.signal })));
  } catch {
    // Stopped because it was asked for at once, or not to be had: asked for again.
  }
  splitFetching[part] = undefined;
  return splitDone[part];
}

function splitLoadNow(part) {
  // Two requests for one address wait for each other.
  splitFetching[part]?.abort();
  const request = new XMLHttpRequest();
  request.open('GET', splitFiles[part], false);
  // Bytes come as the lower halves of characters: a request that is waited for gives no other form.
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  if (request.status !== 200) throw new Error(`a part of the playground could not be fetched (${request.status})`);
  splitFinish(part, new WebAssembly.Module(Uint8Array.from(request.responseText, (character) => character.charCodeAt(0))));
}
