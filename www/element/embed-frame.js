// The page for iframes: the options of the custom element in its address, and a protocol over postMessage.
//
//   embed.html?src=examples/a.yaml&view=cluster,transport&theme=dark&lang=fr&step=3&origin=https://docs.example.org#s=d1:…
//
// Every message is { source: 'daemonset-playground', version: 1, type, … }. The frame tells `height`, `ready`, `step`, `goal`,
// `lesson:progress`, `lesson:complete` and `error`; the page around may say `call` (with `id`, `method`, `args`; answered by `result`), `press`, and `theme`.
// Messages go to, and are taken from, the origin that the address names, and nobody else; without one, the page's own.
const VERSION = 1;
const SOURCE = 'daemonset-playground';
/** What the page around may call: what changes or tells the state, nothing that reaches out of it. */
const CALLS = new Set(
  'kubectl sim step stepOver runToQuiet runUntil back seek steps branches switchBranch snapshot explain check scenario permalink lint overhead forecast compare'.split(' '),
);

const given = new URLSearchParams(location.search);
const origin = given.get('origin') ?? location.origin;

function tell(type, detail) {
  if (parent !== window) parent.postMessage({ source: SOURCE, version: VERSION, type, ...detail }, origin);
}

const element = document.createElement(SOURCE);
element.setAttribute('loading', 'eager');
for (const name of ['src', 'lesson', 'view', 'step', 'theme', 'lang']) if (given.has(name)) element.setAttribute(name, given.get(name));
if (location.hash.includes('s=')) element.setAttribute('permalink', location.hash);
if (given.has('scenario')) {
  element.append(Object.assign(document.createElement('script'), { type: 'text/yaml', textContent: given.get('scenario') }));
}
for (const type of ['ready', 'step', 'goal', 'lesson:progress', 'lesson:complete', 'error']) element.addEventListener(type, ({ detail }) => tell(type, { detail }));

/** The height at which nothing of the cluster has to be scrolled. */
function height() {
  const cluster = element.shadowRoot.querySelector('.cluster-scroll');
  const more = cluster ? cluster.scrollHeight - cluster.clientHeight : 0;
  return Math.ceil(innerHeight + Math.max(0, more));
}
let told = 0;
function tellHeight() {
  const now = height();
  if (Math.abs(now - told) > 1) tell('height', { height: (told = now) });
}
for (const type of ['ready', 'step']) element.addEventListener(type, () => setTimeout(tellHeight, 50));

addEventListener('message', async ({ data, origin: from, source }) => {
  if (source !== parent || from !== origin || data?.source !== SOURCE) return;
  if (data.version !== VERSION) return tell('error', { detail: { message: `version ${data.version} of the protocol is not known; this is version ${VERSION}` } });
  const { id, type, method, args = [] } = data;
  try {
    if (type === 'press') await element.press(data.button);
    else if (type === 'theme') element.setAttribute('theme', String(data.theme));
    else if (type === 'call' && CALLS.has(method)) tell('result', { id, value: await element[method](...args) });
    else throw new Error(`there is nothing called ${method ?? type}`);
  } catch (error) {
    tell('result', { id, error: error.message });
  }
});

document.body.append(element);
