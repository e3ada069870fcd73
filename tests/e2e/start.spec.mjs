// The page starts: from a sub-path, under a strict content security policy, without a request that leaves it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstView } from '../../scripts/shell.mjs';
import { card, step } from './hands.mjs';
import { expect, SITE, test } from './support.mjs';

const RELEASE = existsSync(join(SITE, 'sw.js'));
/** The parts of the program that follow the first view. */
const LATER = /\/(work|rest)-[0-9a-f]{16}\.wasm$/;

test('the page opens with its heading', async ({ open, page, snap }) => {
  await open();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('DaemonSet Playground');
  await expect(page).toHaveTitle('DaemonSet Playground');
  await expect(page.locator('#boot')).toHaveCount(0);
  await snap('start');
});

test('the page itself carries a policy that allows no inline script', async ({ open, page }) => {
  test.skip(!existsSync(join(SITE, 'sw.js')), 'a development build carries none');
  await open();
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
  expect(policy).not.toContain('unsafe-inline');
  expect(await page.locator('script:not([src])').count()).toBe(0);
});

test('a page whose program does not arrive says so', async ({ page, site, complaints }) => {
  await page.route('**/*.wasm', (route) => route.fulfill({ status: 503, body: 'gone' }));
  await page.goto(site);
  await expect(page.getByRole('alert')).toContainText('could not start');
  expect(complaints.length).toBeGreaterThan(0);
  complaints.length = 0;
});

// 320 px is also what 1280 px are at 400 %, and 720 px what 1440 are at 200 %.
for (const width of [1440, 1199, 1024, 800, 720, 390, 320]) {
  test(`nothing lies beside the page at ${width} pixels`, async ({ open, page }) => {
    await page.setViewportSize({ width, height: 850 });
    await open();
    for (const part of ['.top', '.transport']) {
      const box = await page.locator(part).boundingBox();
      expect(Math.round(box.x), part).toBe(0);
      expect(Math.round(box.width), part).toBe(width);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
}

test.describe('before the program arrives', () => {
  test.skip(!RELEASE, 'a development build has its program in one piece');

  for (const [language, locale] of [['en', 'en-GB'], ['fr', 'fr-FR']]) {
    test(`the page shows what the program will draw (${language})`, async ({ browser, site }) => {
      const drawn = await browser.newPage({ locale, serviceWorkers: 'block' });
      const view = await firstView(drawn, site);
      const kept = readFileSync(new URL(`../../www/shell/${language}.html`, import.meta.url), 'utf8').trim();
      expect(kept, 'www/shell/ is older than the first view: make first').toBe(view);
      await drawn.close();

      const waiting = await browser.newPage({ locale, serviceWorkers: 'block' });
      await waiting.route('**/*.wasm', () => {});
      await waiting.goto(site);
      const shown = waiting.locator(`.shell[lang="${language}"]`);
      await expect(shown.locator('[data-node="worker1"]')).toBeVisible();
      await expect(waiting.locator(`.shell:not([lang="${language}"]) .top`)).toBeHidden();
      // For the eyes only: nothing there does anything yet.
      await expect(shown).toHaveAttribute('inert', '');
      await expect(waiting.locator('#boot')).toHaveAttribute('role', 'status');
      await waiting.close();
    });
  }

  test('nothing moves when the program takes over', async ({ open, page }) => {
    await page.addInitScript(() => {
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) globalThis.shifts += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await open();
    await expect(page.locator('.cm-content')).toBeVisible();
    expect(await page.evaluate(() => globalThis.shifts)).toBe(0);
  });

  test('whoever comes back sees nothing of a first visit', async ({ open, page, site }) => {
    await open();
    await step(page).click();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('daemonset-playground'))).toBeTruthy();
    await page.route('**/*.wasm', () => {});
    await page.goto('about:blank');
    await page.goto(site);
    await expect(page.locator('.boot-text')).toBeVisible();
    await expect(page.locator('.shell .top').first()).toBeHidden();
    await page.unroute('**/*.wasm');
  });

  test('what is pressed before the program is whole is done when it is', async ({ open, page }) => {
    let arrive;
    const arrived = new Promise((resolve) => (arrive = resolve));
    await page.route(LATER, async (route) => {
      await arrived;
      await route.continue();
    });
    await open();
    await step(page).click();
    await expect(card(page, 'worker1')).toBeVisible();
    await expect(page.locator('.set-head:not(.none)')).toHaveCount(0);
    arrive();
    await expect(page.locator('.set-head:not(.none)')).toBeVisible();
  });

  test('the first steps wait for no more than they need', async ({ open, page }) => {
    // The last part never comes by itself. What scripts/wasm/ does not know to be needed earlier is fetched by a request
    // that is waited for; `make audit` tells when there are such.
    await page.route(/\/rest-[0-9a-f]{16}\.wasm$/, (route) => route.request().resourceType() === 'xhr' && route.continue());
    await open();
    await expect(page.locator('.cm-content')).toBeVisible();
    for (let presses = 0; presses < 10; presses += 1) await step(page).click();
    await expect(card(page, 'worker1').locator('.pod')).toHaveCount(1);
  });

  test('a part that cannot be fetched comes when the line is back', async ({ open, page, complaints }) => {
    let refused = 0;
    await page.route(LATER, (route) => {
      refused += 1;
      return refused <= 2 ? route.abort() : route.continue();
    });
    await open();
    await step(page).click();
    await expect(page.locator('.set-head:not(.none)')).toBeVisible({ timeout: 15_000 });
    expect(refused).toBeGreaterThan(2);
    complaints.length = 0;
  });
});
