// Measures the import of a large cluster in Chromium: node scripts/measure-import.mjs [DUMP] [SITE]. Without a dump, one
// of 5,000 nodes is made. Prints the time, the longest block of the main thread, and the memory of the page's process.
import { chromium } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../tests/e2e/server.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
let [dump, directory = join(root, 'dist')] = process.argv.slice(2);
if (!dump) {
  dump = join(tmpdir(), 'playground-dump.json');
  if (!existsSync(dump)) writeFileSync(dump, execFileSync('node', [join(root, 'scripts/make-dump.mjs')], { maxBuffer: 2 ** 30 }));
}

/** Resident memory of the largest renderer, in MB. */
const renderer = () => Math.max(0, ...readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).map((pid) => {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(profile) || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) return 0;
    return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
  } catch {
    return 0;
  }
}));

const profile = join(tmpdir(), `measure-import-${process.pid}`);
const server = await serve({ directory });
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROME ?? '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await browser.newPage();
await page.addInitScript(() => {
  window.blocks = [];
  new PerformanceObserver((list) => window.blocks.push(...list.getEntries().map(({ startTime, duration }) => [startTime, duration]))).observe({ entryTypes: ['longtask'] });
});
await page.goto(server.url);
await page.getByRole('heading', { level: 1 }).waitFor();
await page.getByRole('button', { name: 'Session' }).click();
await page.getByRole('menuitem', { name: 'Import a real cluster' }).click();
const choose = page.getByRole('button', { name: 'Choose the file' });
const [chooser] = await Promise.all([page.waitForEvent('filechooser'), choose.click()]);
await page.evaluate(() => { window.blocks.length = 0; });
await chooser.setFiles(dump);
const start = await page.evaluate(() => performance.now());
let most = 0;
const watch = setInterval(() => { most = Math.max(most, renderer()); }, 500);
await page.getByRole('dialog', { name: 'Your cluster as it stands' }).waitFor({ timeout: 240_000 });
const seconds = ((await page.evaluate(() => performance.now())) - start) / 1000;
await page.waitForTimeout(1000);
clearInterval(watch);
const blocks = (await page.evaluate(() => window.blocks)).sort((a, b) => b[1] - a[1]);
console.log(`${(statSync(dump).size / 2 ** 20).toFixed(0)} MB, ${await page.locator('.came').innerText()}`.replace(/\n/g, ', '));
console.log(`${seconds.toFixed(1)} s, longest block ${Math.round(blocks[0]?.[1] ?? 0)} ms (${blocks.filter(([, ms]) => ms > 100).length} above 100 ms: ${blocks.slice(0, 5).map(([at, ms]) => `${Math.round(ms)} ms at ${((at - start) / 1000).toFixed(1)} s`).join(', ')})`);
console.log(`memory of the renderer: ${Math.round(most)} MB at most, ${Math.round(renderer())} MB at the end`);
await browser.close();
await server.close();
