// Audits the built site with Lighthouse, served as a static host serves it: compressed, under a sub-path. Fails below 95
// in any of the four categories, and when the first view or the first steps have to wait for a later part of the program,
// which scripts/wasm/ then does not foresee. Usage: node scripts/audit.mjs [directory]; CHROME names the browser.
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig } from 'lighthouse';
import { chromium } from 'playwright-core';
import { TYPES } from '../tests/e2e/server.mjs';

const AT_LEAST = 95;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const directory = process.argv[2] ?? 'dist';
const subPath = '/playground/';

const compressed = new Map();
function body(file) {
  if (!compressed.has(file)) {
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    compressed.set(file, brotliCompressSync(readFileSync(file), { params: quality }));
  }
  return compressed.get(file);
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  const inside = path.startsWith(subPath) ? normalize(path.slice(subPath.length) || 'index.html') : '..';
  const file = join(directory, inside);
  if (inside.startsWith('..') || !statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
  const age = /-[0-9a-f]{16}/.test(inside) ? 'max-age=31536000, immutable' : 'no-cache';
  const type = TYPES[extname(file)] ?? 'application/octet-stream';
  response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'br', 'Cache-Control': age, 'X-Content-Type-Options': 'nosniff' });
  response.end(body(file));
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const url = `http://127.0.0.1:${server.address().port}${subPath}`;

const flags = ['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
if (process.getuid?.() === 0) flags.push('--no-sandbox');
let good = true;
for (const [name, config] of [
  ['phone, slow 4G, 4× slowed CPU', undefined],
  ['desk', desktopConfig],
]) {
  // A browser for each: what the page keeps as it is left would make the second one no first visit.
  const chrome = await launch({ chromePath: process.env.CHROME, chromeFlags: flags });
  try {
    const { lhr } = await lighthouse(url, { port: chrome.port, onlyCategories: CATEGORIES, logLevel: 'error' }, config);
    const scores = CATEGORIES.map((id) => [id, Math.round((lhr.categories[id].score ?? 0) * 100)]);
    const metrics = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift', 'speed-index'];
    console.log(`${name}: ${scores.map(([id, score]) => `${id} ${score}`).join(', ')}`);
    console.log(`  ${metrics.map((id) => `${id} ${lhr.audits[id].displayValue}`).join(', ')}`);
    const named = ({ node, url, duration }) => [node?.selector ?? url, duration && `${Math.round(duration)} ms`].filter(Boolean).join(' ');
    for (const { id, score, title, scoreDisplayMode, details } of Object.values(lhr.audits)) {
      const inCategory = CATEGORIES.some((category) => lhr.categories[category].auditRefs.some((ref) => ref.id === id && ref.weight > 0));
      if (inCategory && score !== null && score < 0.9 && scoreDisplayMode !== 'informative') {
        const more = id === 'total-blocking-time' ? lhr.audits['long-tasks'].details : id === 'largest-contentful-paint' ? lhr.audits['largest-contentful-paint-element'].details?.items?.[0] : details;
        console.log(`  below: ${title} (${id}, ${score}): ${(more?.items ?? []).slice(0, 8).map(named).filter(Boolean).join(', ')}`);
      }
    }
    good &&= scores.every(([, score]) => score >= AT_LEAST);
  } finally {
    await chrome.kill();
  }
}

/** The parts of the program that the page stood still for, in a first visit with some steps (www/split.js). */
async function waitedFor() {
  const browser = await chromium.launch({ executablePath: process.env.CHROME, args: flags });
  const page = await browser.newPage({ serviceWorkers: 'block' });
  const found = [];
  await page.route(/\/rest-[0-9a-f]{16}\.wasm$/, (route) => {
    if (route.request().resourceType() !== 'xhr') return;
    found.push(new URL(route.request().url()).pathname);
    return route.continue();
  });
  await page.goto(url);
  await page.locator('.cm-content').waitFor();
  for (let presses = 0; presses < 10; presses += 1) await page.locator('#step').click();
  await page.locator('.pod').first().waitFor();
  await browser.close();
  return found;
}

const waited = await waitedFor();
server.close();
if (!good) console.error(`Below ${AT_LEAST} somewhere.`);
if (waited.length > 0) console.error(`The first steps waited for ${waited.join(', ')}: renew scripts/wasm/ with make first.`);
if (!good || waited.length > 0) {
  process.exitCode = 1;
}
