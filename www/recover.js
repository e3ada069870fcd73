// Shown when the program has stopped for good: what went wrong, the person's own texts, and the way on. It needs nothing
// of the program, which cannot be trusted any more.

const KEY = 'daemonset-playground';
let shown = false;

/** The editors that stand, by file: what they hold is newer than what was kept. */
const editors = new Map();

/** Remembers an editor and its file's name, to ask it for its text when nothing else can be asked. */
export function register(file, name, editor) {
  editors.set(file, { name, editor });
}

export function unregister(file) {
  editors.delete(file);
}

/** What the page holds at this moment: name and text of each file that has an editor. */
function present() {
  const texts = [];
  for (const { name, editor } of editors.values()) {
    try {
      texts.push({ name, text: editor.getText() });
    } catch {
      // An editor that has broken too; its text was kept when it was last handed over.
    }
  }
  // The plain fields that stand until the editor has been loaded.
  for (const area of document.querySelectorAll('.editor-plain')) texts.push({ name: area.getAttribute('aria-label') ?? '', text: area.value });
  return texts.filter(({ text }) => text.trim());
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Brings what is kept up to what the editors hold, so that a reload goes on with the very last letter. */
function keep(texts) {
  const saved = { version: 1, scenario: '?', ...kept() };
  const files = saved.files ?? [];
  for (const { name, text } of texts) {
    const file = files.find((file) => file.name === name);
    if (file?.text === text) continue;
    if (file) Object.assign(file, { text, applied: false });
    else files.push({ name, text });
  }
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...saved, files }));
  } catch {
    // No room or no permission: the texts can still be copied.
  }
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Replaces the page.
 * @param {string} reason what the program said
 */
export function recover(reason) {
  if (shown) return;
  shown = true;
  const french = document.documentElement.lang === 'fr';
  const say = (english, inFrench) => (french ? inFrench : english);
  const now = present();
  const before = (kept().files ?? []).map(({ text }) => text);
  keep(now);
  const texts = [...new Set([...now.map(({ text }) => text), ...before])].join('\n---\n');
  const area = element('textarea', { class: 'field mono', rows: '16', readonly: '', 'aria-label': say('Your manifests', 'Vos manifestes') });
  area.value = texts;
  const copy = element('button', { class: 'button primary', type: 'button' }, say('Copy the text', 'Copier le texte'));
  copy.addEventListener('click', async () => {
    area.select();
    try {
      await navigator.clipboard.writeText(texts);
      copy.textContent = say('Copied', 'Copié');
    } catch {
      document.execCommand('copy');
    }
  });
  const reload = element('button', { class: 'button', type: 'button' }, say('Reload and go on', 'Recharger et continuer'));
  reload.addEventListener('click', () => location.reload());
  const afresh = element('button', { class: 'button', type: 'button' }, say('Reload with a new cluster', 'Recharger avec un nouveau cluster'));
  afresh.addEventListener('click', () => {
    try {
      localStorage.setItem(`${KEY}.starting`, '1');
    } catch {
      // Without storage nothing was kept anyway.
    }
    location.reload();
  });
  document.body.replaceChildren(
    element(
      'main',
      { class: 'recover' },
      element('h1', {}, say('The playground has stopped', 'Le playground s’est arrêté')),
      element('p', {}, say('A defect of the playground, not of your manifest. Your text is here; nothing is lost.', 'Un défaut du playground, pas de votre manifeste. Votre texte est ici ; rien n’est perdu.')),
      area,
      element('div', { class: 'actions' }, copy, reload, afresh),
      element('details', {}, element('summary', {}, say('What went wrong', 'Ce qui s’est passé')), element('pre', { class: 'mono' }, reason)),
    ),
  );
}

/** Also shows the page when the program stops without a word: out of memory, out of stack. */
export function watch() {
  addEventListener('error', ({ error }) => {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) recover(String(error.stack ?? error));
  });
}
