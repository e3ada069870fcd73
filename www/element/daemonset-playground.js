// <daemonset-playground>: the playground on any page. One small script; the application is fetched when the first element
// comes into view, and all elements of a page share it. docs/embedding.md describes attributes, events and methods.
//
// scripts/embed-dist.mjs puts the names of the application's files in place of __FILES__.
const FILES = __FILES__;
const BASE = new URL('./', import.meta.url);

const TAG = 'daemonset-playground';
/** What the JS API offers, and the element too, as methods that give promises. */
const METHODS =
  'kubectl sim step stepOver runToQuiet runUntil back seek steps branches switchBranch snapshot explain lint overhead forecast compare check scenario permalink'.split(' ');

let application;
let memory;
/** Fetches the application once for all elements. */
function load() {
  application ??= import(new URL(FILES.js, BASE).href)
    .then(async (module) => {
      ({ memory } = await module.default({ module_or_path: new URL(FILES.wasm, BASE).href }));
      // Where the editor is, which is fetched only where it is shown (www/editor/loader.js).
      if (!document.getElementById('editor-module')) {
        const link = Object.assign(document.createElement('link'), { id: 'editor-module', href: new URL(FILES.editor, BASE).href });
        link.setAttribute('rel', 'playground-editor');
        document.head.append(link);
      }
      // What is shown in a page of its own first is not all that an element needs.
      await globalThis.playgroundRest?.whenWhole;
      return module;
    })
    .catch((error) => {
      application = undefined;
      throw error;
    });
  return application;
}

const SVG = 'http://www.w3.org/2000/svg';
function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A picture of the nodes that a scenario names, without reading it as YAML: it stands until the application does. */
export function poster(text) {
  const names = [];
  for (const [, one] of text.matchAll(/kind:\s*Node\b[\s\S]{0,400}?\bname:\s*["']?([\w.-]+)/g)) names.push(one);
  for (const [, many] of text.matchAll(/sim add-node((?:\s+[\w.-]+)+)/g)) names.push(...many.trim().split(/\s+/).filter((name) => !name.startsWith('-')));
  const shown = [...new Set(names)].slice(0, 8);
  const columns = Math.min(4, Math.max(1, shown.length));
  const rows = Math.ceil(Math.max(1, shown.length) / columns);
  const cards = shown.map((name, index) => {
    const x = 8 + (index % columns) * 152;
    const y = 8 + Math.floor(index / columns) * 76;
    return shape('g', {},
      shape('rect', { x, y, width: 144, height: 68, rx: 8, fill: 'none', stroke: 'currentColor', 'stroke-opacity': 0.35 }),
      shape('text', { x: x + 12, y: y + 24, 'font-size': 13, fill: 'currentColor' }, name),
      shape('rect', { x: x + 12, y: y + 36, width: 20, height: 20, rx: 5, fill: 'currentColor', 'fill-opacity': 0.15, stroke: 'currentColor', 'stroke-dasharray': '3 2' }));
  });
  return shape('svg', { class: 'poster', viewBox: `0 0 ${columns * 152 + 8} ${rows * 76 + 8}`, role: 'img', 'aria-label': `Nodes: ${shown.join(', ')}` }, ...cards);
}

/** Text that stands indented in HTML, without what all its lines are indented by. */
function outdent(text) {
  const lines = text.replace(/^\s*\n/, '').trimEnd().split('\n');
  const by = Math.min(...lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length));
  return `${lines.map((line) => line.slice(by)).join('\n')}\n`;
}

// Where there is no window (a page that is made on a server) the module can be imported, and does nothing.
const Base = globalThis.HTMLElement ?? class {};

export class DaemonSetPlayground extends Base {
  static observedAttributes = ['theme', 'lang', 'height', 'src', 'lesson', 'view', 'step', 'permalink'];

  /** Bytes of memory that all playgrounds of the page have together; 0 before the first stands. */
  static memory() {
    return memory?.buffer.byteLength ?? 0;
  }

  #mounted;
  #watcher;
  #ready;
  #settle = {};
  #life = 0;
  /** Whether `connectedCallback` has been called: before, attributes are told one by one while the element is upgraded. */
  #standing = false;

  constructor() {
    super();
    this.attachShadow?.({ mode: 'open' });
    this.#renew();
  }

  #renew() {
    this.#ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Who does not ask hears of errors by the event.
    this.#ready.catch(() => {});
  }

  /** Fulfilled when the playground stands. */
  get ready() {
    return this.#ready;
  }

  connectedCallback() {
    const life = ++this.#life;
    this.#standing = true;
    this.#size();
    const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: new URL(FILES.css, BASE).href });
    const inline = this.#inline();
    const box = Object.assign(document.createElement('div'), { className: 'root waiting' });
    box.dataset.theme = this.getAttribute('theme') ?? 'auto';
    if (inline) box.append(poster(inline));
    this.shadowRoot.replaceChildren(link, box);
    if (this.getAttribute('loading') === 'eager' || !globalThis.IntersectionObserver) return void this.#start(life, box, inline);
    this.#watcher = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.#watcher?.disconnect();
        this.#start(life, box, inline);
      },
      { rootMargin: '200px' },
    );
    this.#watcher.observe(this);
  }

  disconnectedCallback() {
    this.#life++;
    this.#standing = false;
    this.#watcher?.disconnect();
    this.#mounted?.unmount();
    this.#mounted?.free();
    this.#mounted = undefined;
    this.shadowRoot.replaceChildren();
    this.#renew();
  }

  attributeChangedCallback(name, before, value) {
    if (before === value || !this.#standing) return;
    if (name === 'height') this.#size();
    else if (name === 'theme') this.#mounted?.setTheme(value ?? 'auto');
    else if (name === 'lang') this.#mounted?.setLanguage(value ?? navigator.language);
    else {
      this.disconnectedCallback();
      this.connectedCallback();
    }
  }

  #size() {
    const height = this.getAttribute('height') ?? '';
    this.style.setProperty('--playground-height', /^\d+$/.test(height) ? `${height}px` : height || '480px');
  }

  /** The scenario that stands in the element, if one does. */
  #inline() {
    const script = this.querySelector('script[type="text/yaml"], script[type="application/yaml"], template');
    const text = script ? (script.content ?? script).textContent : this.textContent;
    return text.trim() ? outdent(text) : undefined;
  }

  async #start(life, box, inline) {
    try {
      const lesson = this.getAttribute('lesson');
      const src = lesson ? new URL(`lessons/${encodeURIComponent(lesson)}.txt`, BASE).href : this.getAttribute('src');
      const [module, scenario] = await Promise.all([load(), src ? this.#fetch(src) : inline]);
      if (life !== this.#life) return;
      box.replaceChildren();
      box.classList.remove('waiting');
      const options = { scenario, lang: this.closest('[lang]')?.lang };
      for (const name of ['permalink', 'step', 'view', 'theme', 'lang']) if (this.hasAttribute(name)) options[name] = this.getAttribute(name);
      this.#mounted = module.mount(box, options, (name, detail) => this.#tell(name, detail));
      // Until it is drawn.
      await this.#mounted.call(() => {});
      if (life !== this.#life) return;
      this.#settle.resolve(this);
      this.#tell('ready', {});
    } catch (error) {
      if (life !== this.#life) return;
      const text = Object.assign(document.createElement('pre'), { className: 'fallback', textContent: `${error.message}\n\n${inline ?? ''}` });
      box.replaceChildren(text);
      box.classList.add('waiting');
      this.#settle.reject(error);
      this.#tell('error', { message: error.message });
    }
  }

  async #fetch(src) {
    const response = await fetch(new URL(src, document.baseURI));
    if (!response.ok) throw new Error(`${src}: ${response.status} ${response.statusText}`);
    return response.text();
  }

  #tell(name, detail) {
    // `error` does not bubble, as that of an image does not: pages listen to it for other reasons.
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: name !== 'error', composed: true }));
  }

  /** Calls a function with a `Playground` that stands for what is shown; the promise gives what it returns. */
  async with(work) {
    await this.#ready;
    return this.#mounted.call(work);
  }

  /** Presses a button of the transport: play, stop, step, stepOver, runToQuiet, back. */
  async press(button) {
    await this.#ready;
    return this.#mounted.press(button);
  }

  /** Number of steps before what is shown; a promise, as all that is asked of it. */
  get position() {
    return this.with((playground) => playground.position);
  }
}

for (const name of METHODS) {
  DaemonSetPlayground.prototype[name] = function (...given) {
    return this.with((playground) => {
      if (!playground[name]) throw new Error(`this version has no ${name}`);
      return playground[name](...given);
    });
  };
}

const FENCE = /^\s*#\s*daemonset-playground\b(.*)/;

/** Makes a playground of every code block that begins with `# daemonset-playground view=cluster step=3`. */
export function upgradeFences(root = document) {
  for (const code of root.querySelectorAll('pre > code')) {
    const found = code.textContent.match(FENCE);
    if (!found) continue;
    const element = document.createElement(TAG);
    for (const [, name, value] of found[1].matchAll(/([\w-]+)=(\S+)/g)) element.setAttribute(name, value.replace(/^["']|["']$/g, ''));
    const script = Object.assign(document.createElement('script'), { type: 'text/yaml', textContent: code.textContent });
    element.append(script);
    // Documentation tools wrap the block to colour it or to offer a button.
    const block = code.closest('.highlight, div[class*="language-"]') ?? code.parentElement;
    block.replaceWith(element);
  }
}

if (globalThis.customElements && !customElements.get(TAG)) {
  customElements.define(TAG, DaemonSetPlayground);
  if (new URL(import.meta.url).searchParams.has('fences')) {
    const watch = () => {
      upgradeFences();
      // Instant navigation puts other content into the page.
      new MutationObserver((changes) => {
        for (const place of new Set(changes.map(({ target }) => target))) upgradeFences(place);
      }).observe(document.body, { childList: true, subtree: true });
    };
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', watch);
    else watch();
  }
  // The program is shared: when it stops, it stops everywhere.
  addEventListener('error', ({ error }) => {
    if (!(error instanceof WebAssembly.RuntimeError)) return;
    for (const element of document.querySelectorAll(TAG)) element.dispatchEvent(new CustomEvent('error', { detail: { message: String(error) } }));
  });
}
