// The page starts: from a sub-path, under a strict content security policy, without a request that leaves it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, SITE, test } from './support.mjs';

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
