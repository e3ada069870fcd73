// Without a network: after the first visit everything works, and another version is used when the person says so.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './server.mjs';
import { expect, SITE, test } from './support.mjs';

test.skip(!existsSync(join(SITE, 'sw.js')), 'a development build has no service worker');
test.use({ serviceWorkers: 'allow' });

/** Waits until the page is served by the service worker, which has everything. */
const controlled = (page) => page.evaluate(async () => {
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) await new Promise((done) => navigator.serviceWorker.addEventListener('controllerchange', done, { once: true }));
});

test('the page starts, steps and edits with the server gone', async ({ page, complaints }) => {
  const server = await serve({ directory: SITE });
  await page.goto(server.url);
  await expect(page.locator('#step')).toBeVisible();
  await controlled(page);
  await server.close();
  await page.reload();
  await expect(page.locator('#step')).toBeVisible();
  await expect(page.locator('.cm-content')).toBeVisible();
  await page.getByRole('button', { name: 'Run to quiet' }).click();
  await expect(page.locator('[data-node="worker1"]')).toContainText('available');
  // Any address below the site shows the page.
  await page.goto(`${server.url}?theme=dark`);
  await expect(page.locator('#step')).toBeVisible();
  // Asking for a newer version fails, which is as it should be.
  complaints.length = 0;
});

test('another version is offered, and used when the person says so', async ({ page, complaints }) => {
  const newer = mkdtempSync(join(tmpdir(), 'playground-'));
  cpSync(SITE, newer, { recursive: true });
  const worker = readFileSync(join(newer, 'sw.js'), 'utf8');
  writeFileSync(join(newer, 'sw.js'), worker.replace(/const VERSION ?= ?["'][0-9a-f]+/, (text) => `${text}-newer`));
  const old = await serve({ directory: SITE });
  const port = Number(new URL(old.url).port);
  await page.goto(old.url);
  await expect(page.locator('#step')).toBeVisible();
  await controlled(page);
  await page.reload();
  await expect(page.locator('#step')).toBeVisible();
  await old.close();
  const server = await serve({ directory: newer, port });
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
  await expect(page.getByRole('region', { name: 'Notice' })).toContainText('A new version of the playground is here.');
  await page.getByRole('button', { name: 'Use it now' }).click();
  const names = () => page.evaluate(() => caches.keys()).catch(() => []);
  await expect.poll(async () => (await names()).join(), { timeout: 30_000 }).toMatch(/^[^,]+-newer$/);
  await expect(page.locator('#step')).toBeVisible();
  await page.goto('about:blank');
  await server.close();
  rmSync(newer, { recursive: true });
  // A server of its own is not the one that the test began with.
  complaints.length = 0;
});

test('the site can be installed', async ({ page, open }) => {
  await open();
  const { icons, display, start_url: start } = await page.evaluate(async () => {
    const link = document.querySelector('link[rel=manifest]');
    const manifest = await (await fetch(link.href)).json();
    const sizes = await Promise.all(
      manifest.icons.map(async ({ src, sizes }) => {
        const image = new Image();
        image.src = new URL(src, link.href);
        await image.decode();
        return sizes === 'any' || `${image.naturalWidth}x${image.naturalHeight}` === sizes;
      }),
    );
    return { ...manifest, icons: sizes };
  });
  expect(icons).toEqual([true, true, true, true]);
  expect([display, start]).toEqual(['standalone', './']);
});
