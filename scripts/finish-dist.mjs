// Trunk's post-build hook: adds the editor to the site, and for a release shrinks the scripts and styles, writes the
// content security policy into the page, and adds the service worker.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build, transform } from 'esbuild';

import { embed } from './embed-dist.mjs';
import { splitProgram } from './split-dist.mjs';

const staging = process.env.TRUNK_STAGING_DIR;
if (!staging) throw new Error('TRUNK_STAGING_DIR is not set: this script is started by trunk');
const release = process.env.TRUNK_PROFILE === 'release';
const root = new URL('..', import.meta.url).pathname;

/** What the page may do: nothing but load its own files. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Bundles the editor with all of CodeMirror that it uses into one module and returns its file name. */
async function bundleEditor() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'www/editor/editor.js')],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: release,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const contents = outputFiles[0].contents;
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  const name = `editor-${hash}.js`;
  writeFileSync(join(staging, name), contents);
  return name;
}

async function shrink() {
  for (const name of readdirSync(staging, { recursive: true })) {
    const loader = /\.js$/.test(name) ? 'js' : /\.css$/.test(name) ? 'css' : undefined;
    if (!loader || name.startsWith('editor-')) continue;
    const path = join(staging, name);
    const { code } = await transform(readFileSync(path, 'utf8'), { loader, minify: true, target: 'es2022', legalComments: 'none' });
    writeFileSync(path, code);
  }
}

/** Writes the list of all files, and a version made from their contents, into the service worker. */
function writeServiceWorker() {
  const files = readdirSync(staging, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.map$/.test(entry.name))
    .map((entry) => relative(staging, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => file !== 'sw.js')
    .sort();
  const version = createHash('sha256');
  for (const file of files) version.update(file).update(readFileSync(join(staging, file)));
  const code = readFileSync(join(root, 'www/sw.js'), 'utf8')
    .replace('__VERSION__', version.digest('hex').slice(0, 16))
    // The page goes by the address of its folder; other pages by their names.
    .replace('__FILES__', JSON.stringify(files.map((file) => (file === 'index.html' ? './' : file))));
  writeFileSync(join(staging, 'sw.js'), code);
}

/** Lessons are plain text for whoever serves them: MkDocs and Jekyll make pages of every Markdown file that they find. */
function keepLessonsAsTheyAre() {
  for (const name of readdirSync(join(staging, 'lessons'), { recursive: true })) {
    if (name.endsWith('.md')) renameSync(join(staging, 'lessons', name), join(staging, 'lessons', name.replace(/\.md$/, '.txt')));
  }
}

/** Puts the first view into the page, in both languages; the styles show the right one, on a first visit only. */
function addShell(page) {
  const views = ['en', 'fr'].map((language) => {
    // Names belong to what can be used: the same ones come with the program.
    const view = readFileSync(join(root, `www/shell/${language}.html`), 'utf8').trim().replace(/ (id|for)="[^"]*"/g, '');
    return `<div class="shell" lang="${language}" inert aria-hidden="true">${view}</div>`;
  });
  const place = '<noscript>';
  if (!page.includes(place)) throw new Error('index.html has no <noscript> to put the first view before');
  return page.replace(place, () => `${views.join('\n')}\n${place}`);
}

keepLessonsAsTheyAre();
const editor = await bundleEditor();
const page = join(staging, 'index.html');
let html = readFileSync(page, 'utf8');
if (release) html = splitProgram({ root, staging, html });
if (release && !process.env.PLAYGROUND_PROFILE) html = addShell(html);
const head = html.indexOf('</head>');
if (head < 0) throw new Error('index.html has no </head>');
// www/editor/loader.js imports it when the browser has nothing better to do.
html = `${html.slice(0, head)}<link id="editor-module" rel="alternate" type="text/javascript" href="./${editor}">${html.slice(head)}`;
// A development server must show what was just built, not what was kept.
const offline = release || process.env.PLAYGROUND_OFFLINE;
if (offline) html = html.replace('</head>', '<link id="service-worker" rel="alternate" type="text/javascript" href="./sw.js"></head>');
if (release) {
  await shrink();
  // Not while developing: Trunk's reload script is inline.
  html = html.replace('<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  if (!html.includes('Content-Security-Policy')) throw new Error('index.html has no <meta charset="utf-8"> to put the policy after');
}
writeFileSync(page, html);
await embed({ root, staging, editor, release, policy: POLICY });
if (offline) writeServiceWorker();
