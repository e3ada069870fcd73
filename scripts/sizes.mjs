// Prints the sizes of the files in dist/, plain and as a server sends them with brotli, and fails above the ceiling.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

/** What the first load should weigh at most with brotli, in bytes (kB = 1000): all that the page needs until it stands. */
const FIRST_LOAD_AIM = 400_000;
/** What it must not pass: a little above what it is. */
const FIRST_LOAD_CEILING = 375_000;
/** What the page fetches by itself as soon as it stands: the parts of the program for the first step, and the rest; the editor. */
const FOLLOWS = ['work-', 'rest-', 'editor-', 'sw.js', 'manifest.webmanifest'];
/** What both together must not pass: splitting costs something, and hides nothing. */
const WHOLE_CEILING = 1_540_000;
/** What of dist/ the first page does not need: fetched when it is asked for, by other pages, or by the service worker. */
const ON_DEMAND = ['lessons/', 'examples/', 'embed/', 'gallery/', 'icons/', 'embed.html', 'embed-', 'daemonset-playground.js'];

/** What the engine of the npm package should weigh at most with brotli. */
const ENGINE_AIM = 200_000;
/** What it must not pass until then. */
const ENGINE_CEILING = 800_000;

if (process.argv[2] === 'npm') {
  const folder = new URL('../target/npm/web/', import.meta.url).pathname;
  let total = 0;
  console.log('Sizes in kB      plain   brotli');
  for (const name of ['daemonset_playground_bg.wasm', 'daemonset_playground.js']) {
    const bytes = readFileSync(join(folder, name));
    const packed = brotliSize(bytes);
    total += packed;
    console.log(`            ${kilobytes(bytes.length)} ${kilobytes(packed)}  ${name}`);
  }
  console.log(`engine               ${kilobytes(total)}  (aim ${ENGINE_AIM / 1000}, ceiling ${ENGINE_CEILING / 1000})`);
  process.exit(total > ENGINE_CEILING ? 1 : 0);
}

const dist = new URL('../dist', import.meta.url).pathname;
const files = readdirSync(dist, { recursive: true })
  .map((name) => join(dist, name))
  .filter((path) => statSync(path).isFile() && !path.endsWith('.map'));

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1).padStart(8);
}

function brotliSize(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;
}

const rows = files.map((path) => {
  const bytes = readFileSync(path);
  const name = relative(dist, path);
  const when = ON_DEMAND.some((start) => name.startsWith(start)) ? 'later' : FOLLOWS.some((start) => name.startsWith(start)) ? 'follows' : 'first';
  return { name, plain: bytes.length, brotli: brotliSize(bytes), when };
});
rows.sort((a, b) => b.brotli - a.brotli);

console.log('Sizes in kB      plain   brotli');
const part = (when) => rows.filter((row) => row.when === when);
const sum = (list, key) => list.reduce((total, row) => total + row[key], 0);
const line = (title, list, more) => console.log(`${title.padEnd(12)}${kilobytes(sum(list, 'plain'))} ${kilobytes(sum(list, 'brotli'))}  ${more}`);
for (const when of ['first', 'follows']) {
  for (const row of part(when)) console.log(`            ${kilobytes(row.plain)} ${kilobytes(row.brotli)}  ${row.name}`);
  if (when === 'first') line('first load', part('first'), `(aim ${FIRST_LOAD_AIM / 1000}, ceiling ${FIRST_LOAD_CEILING / 1000})`);
  else line('follows', part('follows'), `(with the first load ${kilobytes(sum([...part('first'), ...part('follows')], 'brotli')).trim()}, ceiling ${WHOLE_CEILING / 1000})`);
}
if (part('later').length) line('on demand', part('later'), `${part('later').length} files`);
if (sum(part('first'), 'brotli') > FIRST_LOAD_CEILING || sum([...part('first'), ...part('follows')], 'brotli') > WHOLE_CEILING) {
  console.error('The page is above its ceiling.');
  process.exit(1);
}
