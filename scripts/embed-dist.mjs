// The part of Trunk's post-build hook that makes the site embeddable: the loader of the custom element with the names of
// the files of this build, the styles for its shadow tree, the iframe page, and the example pages.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

/** The page's styles for a shadow tree: the element in place of the page, its width in place of the window's. */
export function forShadow(css) {
  return css
    .replace(/:root\[data-theme="?(light|dark)"?\]\s*\{[^}]*\}/g, '')
    .replace(/:root\b/g, ':host')
    .replace(/(^|[\s}])html(?=\s*\{)/g, '$1:host')
    .replace(/(^|[\s}])body(?=\s*\{)/g, '$1.root')
    .replace(/@media\s*(\((?:min|max)-width:[^)]*\)(?:\s*and\s*\((?:min|max)-width:[^)]*\))?)/g, '@container playground $1')
    .replace(/100dvh/g, '100%')
    .replace(/(\d+)dvh/g, '$1cqh')
    // The size of the page's own root element is none of ours.
    .replace(/(\d*\.?\d+)rem\b/g, (_, size) => `${Number(size) * 16}px`);
}

const hashed = (contents) => createHash('sha256').update(contents).digest('hex').slice(0, 16);

/**
 * Writes the files into the folder that Trunk builds.
 * @param {{ root: string, staging: string, editor: string, release: boolean, policy: string }} site
 */
export async function embed({ root, staging, editor, release, policy }) {
  const shrink = async (text, loader) =>
    release ? (await transform(text, { loader, minify: true, target: 'es2022', legalComments: 'none' })).code : text;
  const names = readdirSync(staging);
  const page = readFileSync(join(staging, 'index.html'), 'utf8');
  const linked = (id) => page.match(new RegExp(`id="${id}"[^>]*href="(?:\\./)?([^"]+)"`))?.[1];

  // The styles in the order in which the page names them.
  const sheets = [...page.matchAll(/rel="stylesheet"[^>]*href="(?:\.\/)?([^"]+\.css)"/g)].map(([, name]) => name);
  if (sheets.length === 0) throw new Error('index.html names no styles');
  const styles = sheets.map((name) => forShadow(readFileSync(join(staging, name), 'utf8')));
  const css = await shrink(`${styles.join('\n')}\n${readFileSync(join(root, 'www/element/embed.css'), 'utf8')}`, 'css');
  const cssName = `embed-${hashed(css)}.css`;
  writeFileSync(join(staging, cssName), css);

  const files = { js: linked('playground-js'), wasm: linked('playground-wasm'), css: cssName, editor };
  for (const [what, name] of Object.entries(files)) {
    if (!name || !names.concat(cssName).includes(name)) throw new Error(`the loader cannot name the ${what}: ${name}`);
  }
  const loader = readFileSync(join(root, 'www/element/daemonset-playground.js'), 'utf8').replace('__FILES__;', `${JSON.stringify(files)};`);
  writeFileSync(join(staging, 'daemonset-playground.js'), await shrink(loader, 'js'));

  writeFileSync(join(staging, 'embed-frame.js'), await shrink(readFileSync(join(root, 'www/element/embed-frame.js'), 'utf8'), 'js'));
  writeFileSync(join(staging, 'embed-frame.css'), await shrink(readFileSync(join(root, 'www/element/embed-frame.css'), 'utf8'), 'css'));
  const frame = readFileSync(join(root, 'www/element/embed.html'), 'utf8');
  writeFileSync(join(staging, 'embed.html'), frame.replace('<meta charset="utf-8">', `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`));
  if (existsSync(join(root, 'www/embed'))) cpSync(join(root, 'www/embed'), join(staging, 'embed'), { recursive: true });
}
