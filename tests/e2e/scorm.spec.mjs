// A lesson inside a learning platform: the page of the SCORM package, with a platform that only takes notes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lessonPage } from '../../scripts/scorm.mjs';
import { expect, test } from './support.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

test('a packaged lesson opens by itself and reports score, status and time', async ({ page, site }) => {
  const source = read('www/lessons/one-pod-per-node.md');
  await page.route('**/lesson-one-pod-per-node.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: lessonPage(read('dist/index.html'), source, 'en') }),
  );
  await page.route('**/scorm.js', (route) => route.fulfill({ contentType: 'text/javascript', body: read('www/scorm/scorm.js') }));
  await page.addInitScript(() => {
    globalThis.values = {};
    globalThis.calls = [];
    const note = (name) => (...given) => {
      globalThis.calls.push(name);
      if (name === 'LMSSetValue') globalThis.values[given[0]] = given[1];
      return name === 'LMSGetValue' ? (globalThis.values[given[0]] ?? '') : 'true';
    };
    globalThis.API = Object.fromEntries(['LMSInitialize', 'LMSGetValue', 'LMSSetValue', 'LMSCommit', 'LMSFinish'].map((name) => [name, note(name)]));
  });
  await page.goto(`${site}lesson-one-pod-per-node.html`);
  await expect(page.getByRole('heading', { name: 'One pod on every node' })).toBeVisible({ timeout: 60_000 });
  const noted = () => page.evaluate(() => ({ ...globalThis.values }));
  expect(await noted()).toEqual({ 'cmi.core.lesson_status': 'incomplete' });
  await page.evaluate(() => {
    dispatchEvent(new CustomEvent('lesson:progress', { detail: { score: 3, max: 12 } }));
  });
  expect(await noted()).toMatchObject({ 'cmi.core.score.raw': '25', 'cmi.core.score.max': '100' });
  await page.evaluate(() => {
    dispatchEvent(new CustomEvent('lesson:complete', { detail: { score: 12, max: 12 } }));
    dispatchEvent(new Event('pagehide'));
  });
  expect(await noted()).toMatchObject({ 'cmi.core.score.raw': '100', 'cmi.core.lesson_status': 'completed' });
  expect((await noted())['cmi.core.session_time']).toMatch(/^\d{4}:\d\d:\d\d\.\d\d$/);
  expect(await page.evaluate(() => globalThis.calls.at(-1))).toBe('LMSFinish');
});
