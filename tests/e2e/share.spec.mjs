// The Share menu, and opening what it copied: in a fresh page, in the page that is open, as an element on another page,
// from a file; and what is said where a link is too long.
import { readFileSync } from 'node:fs';
import { button, command, paste, settle } from './hands.mjs';
import { expect, test } from './support.mjs';

// High enough for the whole manifest: the editor draws what is in sight.
const viewport = { width: 1440, height: 1600 };
test.use({ viewport });

const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

async function share(page, entry) {
  await button(page, 'Share').click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** Copies the state as a link. */
async function link(page) {
  await share(page, 'Copy as link');
  await expect(page.locator('.notice')).toContainText('Copied');
  return copied(page);
}

/** What a person sees and has typed, as far as a link must bring it back. */
const seen = (page) =>
  page.evaluate(() => {
    const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.innerText.replace(/\s+/g, ' ').trim());
    return {
      nodes: texts('.nodes > li, .node-table tbody tr'),
      counters: texts('.counter'),
      tabs: texts('.file-tab'),
      editor: texts('.editor-slot:not([hidden]) .cm-content'),
      tab: document.querySelector('.side [aria-selected=true]')?.id,
      panel: texts('#side-panel'),
      filter: document.querySelector('.search input').value,
      inspector: texts('.inspector'),
      clock: texts('.clock'),
      step: document.querySelector('#step').getAttribute('aria-disabled'),
    };
  });

/** A session with something in every corner: edited text, a branch of the past, a question, a filter. */
async function workOn(page) {
  await settle(page);
  await command(page, 'kubectl taint nodes worker2 disk=full:NoExecute');
  await command(page, 'sim add-node gpu --template gpu');
  await page.locator('.terminal.open .toggle').click();
  await settle(page);
  await button(page, 'Back').click();
  await page.locator('.place.absent .link').first().click();
  await page.getByPlaceholder(/name/i).first().fill('worker');
  await page.locator('.editor-slot:not([hidden]) .cm-content').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('# not yet applied\n');
  // The fix that is offered is one of this text.
  await expect(page.locator('#side-panel')).toContainText('# not yet applied');
  await expect(page.locator('#why-title')).toBeVisible();
}

/** A page that has never been here, in a context of its own. */
async function fresh(browser, address) {
  const context = await browser.newContext({ viewport, locale: 'en-GB', serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.locator('.cm-content')).toBeVisible();
  return page;
}

test.beforeEach(({ context }) => context.grantPermissions(['clipboard-read', 'clipboard-write']));

test('a link opens the same state in a fresh page, with the same things looked at', async ({ open, page, browser, site }) => {
  await open();
  await expect(page.locator('.cm-content')).toBeVisible();
  await workOn(page);
  const before = await seen(page);
  expect(before.tab).toBe('tab-why');
  expect(before.nodes.length).toBe(3);
  const address = await link(page);
  expect(address.startsWith(`${site}#s=d1:`), address.slice(0, 80)).toBe(true);

  const other = await fresh(browser, address);
  await expect(other.locator('.notice')).toContainText('comes from a link');
  expect(await seen(other)).toEqual(before);
  // The address is clean again, and a reload goes on with what was opened.
  expect(new URL(other.url()).hash).toBe('');
  await other.locator('#step').click();
  const after = await seen(other);
  await other.waitForTimeout(600);
  await other.reload();
  await expect(other.locator('.cm-content')).toBeVisible();
  await expect(other.locator('.nodes > li')).toHaveCount(5);
  expect((await seen(other)).clock).toEqual(after.clock);
  await other.context().close();
});

test('a table, a chosen node and the events come back, too', async ({ open, page, browser }) => {
  await open();
  await expect(page.locator('.cm-content')).toBeVisible();
  await settle(page);
  await page.locator('.at-end .button').last().click();
  await page.locator('#tab-events').click();
  const before = await seen(page);
  expect(before.panel[0]).toContain('SuccessfulCreate');
  const other = await fresh(browser, await link(page));
  expect(await seen(other)).toEqual(before);
  await other.context().close();

  await page.locator('.at-end .button').first().click();
  await page.locator('#node-worker1').click();
  const chosen = await fresh(browser, await link(page));
  await expect(chosen.locator('.inspector')).toContainText('worker1');
  await chosen.context().close();
});

test('a link that is pasted into the open page replaces it, and what was there comes back', async ({ open, page }) => {
  await open();
  await settle(page);
  const address = await link(page);
  await command(page, 'sim add-node mine');
  await expect(page.locator('[data-node="mine"]')).toBeVisible();
  await page.evaluate((hash) => (location.hash = hash), new URL(address).hash);
  await expect(page.locator('[data-node="mine"]')).toHaveCount(0);
  await page.locator('.notice').getByRole('button', { name: 'Bring it back' }).click();
  await expect(page.locator('[data-node="mine"]')).toBeVisible();
});

test('a link that lost its end changes nothing and says so', async ({ open, page }) => {
  await open();
  await settle(page);
  const { hash } = new URL(await link(page));
  await open(hash.slice(0, hash.length - 20));
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.evaluate((cut) => (location.hash = cut), hash.slice(0, hash.length - 20));
  await expect(page.locator('.notice.trouble')).toContainText('incomplete or was changed');
  await expect(page.locator('.place-text').filter({ hasText: 'available' })).toHaveCount(3);
});

test('a Markdown link holds the same address', async ({ open, page }) => {
  await open();
  await settle(page);
  const address = await link(page);
  await share(page, 'Copy as Markdown link');
  await expect.poll(() => copied(page)).toBe(`[DaemonSet Playground](${address})`);
});

test('the element that is copied shows the state on another page', async ({ open, page, site }) => {
  await open();
  await settle(page);
  await command(page, 'sim add-node shared');
  await page.locator('#tab-events').click();
  await share(page, 'Copy as element for a web page');
  await expect.poll(() => copied(page)).toContain('<daemonset-playground');
  const snippet = await copied(page);
  expect(snippet).toContain(`src="${site}daemonset-playground.js"`);
  expect(snippet).toContain('view="cluster,transport,story');
  // As an author pastes it: between other things of an empty page.
  await page.route(`${site}embed/pasted.html`, (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><html lang="en"><title>Pasted</title><link rel="icon" href="data:,"><p>Before</p>\n${snippet}<p>After</p></html>` }),
  );
  await page.goto(`${site}embed/pasted.html`);
  await expect(page.locator('daemonset-playground').locator('[data-node="shared"]')).toBeVisible();
  await expect(page.locator('daemonset-playground').locator('#side-panel')).toContainText('SuccessfulCreate');
});

test('a file holds the state, and opens where it is dropped', async ({ open, page, browser, site }) => {
  await open();
  await settle(page);
  await command(page, 'sim add-node filed');
  await button(page, 'Share').click();
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Save as file', exact: true }).click()]);
  expect(saved.suggestedFilename()).toMatch(/\.yaml$/);
  const text = readFileSync(await saved.path(), 'utf8');
  expect(text).toContain('sim add-node filed');
  const other = await fresh(browser, site);
  await other.locator('.app').evaluate((app, dropped) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([dropped], 'scenario.yaml', { type: 'text/yaml' }));
    app.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, text);
  await expect(other.locator('[data-node="filed"]')).toBeVisible();
  await other.context().close();
});

test('the menu says how long the link is, and warns where programs cut it', async ({ open, page, accessible }) => {
  await open();
  await settle(page);
  await button(page, 'Share').click();
  await expect(page.locator('.menu-note')).toHaveText(/^The link has \d{2,3} characters\.$/);
  await accessible();
  await page.keyboard.press('Escape');
  // Letters that do not repeat do not shrink.
  const noise = (length) => {
    let [text, number] = ['# ', 1];
    while (text.length < length) text += (number = (number * 48271) % 2147483647).toString(36);
    return text;
  };
  for (const [length, most] of [[2600, '2000'], [5200, '4000']]) {
    await paste(page, noise(length));
    await button(page, 'Share').click();
    await expect(page.locator('.menu-note')).toContainText(`Some chat and mail programs cut at ${most}.`);
    await page.keyboard.press('Escape');
  }
});

test('five thousand nodes are too long for a link, and the file is offered', async ({ open, page }) => {
  test.setTimeout(240_000);
  await open();
  // A cluster that came in as objects; thousands of nodes that one command made are one line.
  const objects = Array.from({ length: 5000 }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${n}`, uid: crypto.randomUUID(), labels: { 'kubernetes.io/hostname': `node-${n}`, 'kubernetes.io/os': 'linux' } },
  }));
  await page.locator('.app').evaluate((app, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'scenario.yaml', { type: 'text/yaml' }));
    app.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, JSON.stringify({ objects }));
  await expect(page.locator('.cluster-bar')).toContainText(/5,?000/, { timeout: 120_000 });
  await button(page, 'Share').click();
  await expect(page.locator('.menu-note')).toContainText(/With \d{6} characters, this state is too long for a link\. Save it as a file instead\./);
  await expect(page.getByRole('menuitem')).toHaveText(['Save as file']);
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Save as file' }).click()]);
  expect(readFileSync(await saved.path(), 'utf8').match(/kind: Node\b/g)).toHaveLength(5000);
});
