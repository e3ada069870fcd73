// A rollout that does not come to its end is never called quiet: the page says what stands still, why, and what to do.
import { DEVICES, button, card, isQuiet, setImage, settle, step } from './hands.mjs';
import { expect, test } from './support.mjs';

const strip = (page) => page.locator('.standing');

/** Runs until nothing new happens any more. */
async function run(page) {
  await button(page, 'Run to quiet').click();
  await expect(strip(page)).toBeVisible();
}

for (const [where, viewport] of DEVICES) {
  test.describe(`on ${where}`, () => {
    test.use({ viewport });

    test.beforeEach(async ({ open, page }) => {
      await open();
      await settle(page);
    });

    test('a rollout that never gets ready is stuck, names node and reason, and can be undone', async ({ page, accessible }) => {
      await expect(page.getByText('Quiet', { exact: true })).toBeVisible();
      await expect(button(page, 'Undo')).toHaveCount(0);
      await setImage(page, 'prom/node-exporter:v2', 'never gets ready');
      await run(page);
      await expect(page.getByText('Quiet', { exact: true })).toHaveCount(0);
      await expect(page.locator('.clock')).toContainText('Stuck');
      await expect(strip(page)).toContainText('Stuck: 1 of 3 up to date. node-exporter-');
      await expect(strip(page)).toContainText('on worker1 runs, but never gets ready. 2 nodes wait: the budget is used up (1 of 1 unavailable).');
      await expect(page.locator('#announcements')).toContainText('Stuck: 1 of 3 up to date.');
      await expect(card(page, 'worker1')).toContainText('v2 running, not ready');
      await accessible();
      await strip(page).getByRole('button', { name: 'Why?' }).click();
      await expect(page.getByRole('heading', { name: 'Why is this pod not ready?' })).toBeFocused();
      await expect(page.locator('.callout.good')).toHaveCount(0);
      await accessible();
      await strip(page).getByRole('button', { name: 'Undo' }).click();
      await expect(strip(page)).toHaveCount(0);
      await settle(page);
      await expect(page.getByText('Quiet', { exact: true })).toBeVisible();
      // Nothing runs off the side.
      expect(await page.evaluate(() => document.scrollingElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    });

    test('an image that cannot be pulled names the cause, covers nothing, and is forgotten once it is undone', async ({ page }) => {
      await setImage(page, 'prom/node-exporter:oops', 'cannot be pulled');
      await run(page);
      await expect(strip(page)).toContainText('worker1 cannot pull the image prom/node-exporter:oops');
      await expect(strip(page)).toContainText('The kubelet tries again, each time after a longer wait.');
      await expect(page.locator('.notice')).toHaveCount(0);
      // At the top, too, beside what brought it about.
      const undo = page.locator('.set-title').getByRole('button', { name: 'Undo', exact: true });
      await expect(undo).toBeInViewport({ ratio: 1 });
      await expect(button(page, 'Actions for node-exporter')).toBeInViewport({ ratio: 1 });
      await undo.click();
      await expect(strip(page)).toHaveCount(0);
      await settle(page);
      await expect(page.getByText('Quiet', { exact: true })).toBeVisible();
      await expect(undo).toHaveCount(0);
    });

    test('a pod that crashes says so on its card wherever the run stops', async ({ page }) => {
      await setImage(page, 'prom/node-exporter:crash', 'crashes');
      await run(page);
      await expect(strip(page)).toContainText('node-exporter crashes on worker1: Error, exit code 1,');
      for (let i = 0; i < 6; i++) {
        await expect(card(page, 'worker1')).toContainText(/(crash|CrashLoopBackOff|Error).*\d restarts?/);
        await step(page).click();
      }
    });
  });
}

test('a node that waits says for whom, and leads there', async ({ open, page, accessible }) => {
  await open();
  await settle(page);
  await setImage(page, 'prom/node-exporter:v2', 'never gets ready');
  await run(page);
  await card(page, 'worker2').getByRole('button', { name: /^Why/ }).click();
  await expect(page.getByRole('heading', { name: 'Why is the old version still on worker2?' })).toBeVisible();
  await expect(page.locator('.panel .callout')).toContainText('the budget is used up (1 of 1 unavailable), by worker1.');
  await accessible();
  await button(page, 'Look at worker1').click();
  await expect(page.getByRole('heading', { name: 'Why is this pod not ready?' })).toBeVisible();
  await page.locator('.panel .fix').getByRole('button', { name: 'Undo' }).click();
  await settle(page);
  await expect(card(page, 'worker1')).toContainText('v1.8.2 available');
  // The pod is well: what would keep it off is offered, and does not shout.
  await expect(page.getByRole('heading', { name: 'Why is there a pod on worker1?' })).toBeVisible();
  await expect(page.locator('.panel .fix .button').first()).toBeVisible();
  await expect(page.locator('.panel .fix .button.primary')).toHaveCount(0);
});

test('old pods under OnDelete are the next move of the person', async ({ open, page, accessible }) => {
  await open();
  await settle(page);
  await page.locator('#command').fill(`kubectl patch daemonset node-exporter -p '{"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}'`);
  await page.locator('#command').press('Enter');
  await settle(page);
  await setImage(page, 'prom/node-exporter:v2');
  await run(page);
  expect(await isQuiet(page)).toBe(true);
  await expect(strip(page)).toContainText('Your turn: 0 of 3 up to date. 3 nodes wait: with OnDelete an old pod stays until you delete it.');
  await accessible();
  await strip(page).getByRole('button', { name: 'Why?' }).click();
  await button(page, 'Delete the old pod').click();
  await settle(page);
  await expect(strip(page)).toContainText('Your turn: 1 of 3 up to date.');
});

test('it is told in French, too', async ({ open, page }) => {
  await open();
  await settle(page);
  await setImage(page, 'prom/node-exporter:v2', 'never gets ready');
  await run(page);
  await button(page, 'Language').click();
  await page.getByRole('menuitemradio', { name: 'Français' }).click();
  await expect(strip(page)).toContainText('Bloqué : 1 sur 3 à jour.');
  await expect(strip(page)).toContainText('tourne, mais n’est jamais prêt. 2 nœuds attendent : le budget est épuisé (1 sur 1 indisponible).');
  await strip(page).getByRole('button', { name: 'Pourquoi ?' }).click();
  await expect(page.getByRole('heading', { name: 'Pourquoi ce pod n’est-il pas prêt ?' })).toBeVisible();
});
