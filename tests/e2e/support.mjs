// What every end-to-end test starts from: the built site on a strict server below a sub-path, and a page that fails the
// test when anything goes wrong in it. A test file begins with
//
//     import { expect, test } from './support.mjs';
//
//     test('what must hold', async ({ open, page }) => {
//       await open();
//       await page.getByRole('button', { name: 'Step' }).click();
//     });
import axe from 'axe-core';
import { test as base, expect } from '@playwright/test';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the built site is. */
export const SITE = resolve(root, process.env.DIST ?? 'dist');

export { expect };

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export const test = base.extend({
  /** The address of the built site; ends with a slash. One server for each worker. */
  site: [
    async ({}, use) => {
      if (!existsSync(join(SITE, 'index.html'))) throw new Error('dist/ is not built: run make build first');
      const server = await serve({ directory: SITE });
      await use(server.url);
      await server.close();
    },
    { scope: 'worker' },
  ],

  /**
   * What the page complained of: errors on its console (a broken content security policy among them), uncaught errors,
   * requests that failed or left the site. The test fails unless this is empty at its end. A test that provokes a
   * complaint takes it out itself: `complaints.length = 0`.
   */
  complaints: async ({}, use) => {
    const complaints = [];
    await use(complaints);
    expect(complaints, 'what the page complained of').toEqual([]);
  },

  page: async ({ page, site, complaints }, use) => {
    const origin = new URL(site).origin;
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.stack ?? error}`));
    page.on('crash', () => complaints.push('the page crashed'));
    page.on('request', (request) => {
      const { protocol, origin: to } = new URL(request.url());
      if (/^https?:$|^wss?:$/.test(protocol) && to !== origin) complaints.push(`left the site: ${request.url()}`);
    });
    page.on('requestfailed', (request) => {
      // Leaving the page ends what is under way.
      const reason = request.failure()?.errorText;
      if (reason !== 'net::ERR_ABORTED') complaints.push(`${reason}: ${request.url()}`);
    });
    await use(page);
  },

  /** Opens the page (`after` follows its address, such as '#s=…') and waits until the application stands. */
  open: async ({ page, site }, use) => {
    await use(async (after = '') => {
      await page.goto(site + after);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    });
  },

  /** Writes test-results/screenshots/NAME.png, of the page or of a locator; `in` names another folder. */
  snap: async ({ page }, use) => {
    await use(async (name, { of = page, in: folder = 'screenshots', ...options } = {}) => {
      await of.screenshot({ path: join(root, 'test-results', folder, `${name}.png`), ...options });
    });
  },

  /** Fails with every violation of WCAG 2.2 A and AA that axe finds in the page. */
  accessible: async ({ page }, use) => {
    await use(async () => {
      // Once for each page, not for each look at it: there are hundreds.
      if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
      // A colour that is still on its way is not the one that is read. The caret of the editor blinks for ever.
      await page.evaluate(() => {
        const ends = (animation) => Number.isFinite(animation.effect?.getComputedTiming().endTime);
        return Promise.allSettled(document.getAnimations().filter(ends).map(({ finished }) => finished));
      });
      const { violations } = await page.evaluate((tags) => window.axe.run(document, { runOnly: tags, resultTypes: ['violations'] }), TAGS);
      const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((n) => n.target.join(' ')).join(', ')}`);
      expect(found, 'violations that axe found').toEqual([]);
    });
  },
});
