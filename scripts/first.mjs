// Measures which functions of the program the first view needs, and which applying and stepping need, and writes down the
// marks of those that can come later: scripts/wasm/work.txt (applying and stepping) and rest.txt (everything else).
// scripts/split-dist.mjs splits the program by them. It drives a build that counts calls, which `make first` makes.
// Usage: node scripts/first.mjs NAMES.json [directory]
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from '../tests/e2e/server.mjs';
import { mark } from './split-dist.mjs';

const marks = JSON.parse(readFileSync(process.argv[2], 'utf8')).map(mark);
const server = await serve({ directory: process.argv[3] ?? 'dist' });
const browser = await chromium.launch({ executablePath: process.env.CHROME, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
const [first, work] = [new Set(), new Set()];

const DESK = { locale: 'en-GB', colorScheme: 'light', viewport: { width: 1350, height: 940 } };
const LAPTOP = { locale: 'fr-FR', colorScheme: 'dark', viewport: { width: 1280, height: 720 } };
const PHONE = { locale: 'fr-FR', colorScheme: 'dark', viewport: { width: 412, height: 823 }, hasTouch: true, isMobile: true };
for (const [visit, hurried] of [[DESK, false], [LAPTOP, true], [PHONE, false], [PHONE, true]]) {
  const page = await browser.newPage({ ...visit, serviceWorkers: 'block' });
  const note = async (into) => {
    const bytes = await page.evaluate(() => [...new Uint8Array(globalThis.programProfile.buffer)]);
    for (const [index, known] of marks.entries()) if (bytes[index]) into.add(known);
  };
  // As if the later parts were still on their way: the first view waits with everything else (www/split.js).
  await page.addInitScript(() => {
    globalThis.playgroundRest = { ready: false };
    globalThis.playgroundRest.whenReady = new Promise((ready) => (globalThis.letWork = ready));
  });
  await page.goto(server.url);
  await page.locator('body > .app').waitFor();
  // What a person can do meanwhile waits, and must not ask for code that is still on its way.
  for (const place of hurried ? ['#step', '.tabs button', '.chip', '#command', 'textarea'] : []) {
    const target = page.locator(place).first();
    if (await target.isVisible()) {
      await target.hover();
      await target.click();
    }
  }
  if (hurried) await page.keyboard.type('# ');
  await page.keyboard.press('Tab');
  await page.setViewportSize({ ...visit.viewport, height: visit.viewport.height - 20 });
  await page.waitForTimeout(1000);
  await note(first);

  await page.evaluate(() => {
    globalThis.playgroundRest.ready = true;
    globalThis.letWork();
  });
  // The manifest is looked at, the editor comes.
  if (visit !== PHONE) await page.locator('.cm-content').first().waitFor();
  if (!hurried) await page.waitForTimeout(2000);
  const press = async (button, times, pause) => {
    for (let left = times; left > 0; left -= 1) {
      await button.click();
      await page.waitForTimeout(pause);
    }
  };
  if (hurried) await press(page.locator('#step'), 4, 0);
  await press(page.locator('#step'), 10, 150);
  await press(page.locator('.transport button:visible').first(), 1, 300);
  await page.waitForTimeout(1000);
  await note(work);
  await page.close();
}
await browser.close();
await server.close();
for (const known of first) work.delete(known);
const rest = new Set(marks.filter((known) => !first.has(known) && !work.has(known)));
for (const [name, known] of [['work', work], ['rest', rest]]) {
  writeFileSync(new URL(`./wasm/${name}.txt`, import.meta.url), `${[...known].sort().join('\n')}\n`);
}
console.log(`Of ${new Set(marks).size} names of functions the first view needs ${first.size}, stepping ${work.size} more.`);
