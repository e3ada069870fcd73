// The five tasks that a person who has never seen the page does without help, each by what is in sight and nothing else:
// on a desk and on a phone.
import { DEVICES, button, card, isQuiet, setImage, settle, stepUntilImageFails, undo } from './hands.mjs';
import { expect, test } from './support.mjs';

const WORKERS = ['worker1', 'worker2', 'worker3'];

/** Shows a part of the page, where a narrow one shows only one. */
async function look(page, pane) {
  const bar = page.getByRole('button', { name: pane, exact: true });
  if (await bar.isVisible()) await bar.click();
}

for (const [where, viewport] of DEVICES) {
  test.describe(`on ${where}`, () => {
    test.use({ viewport });

    test.beforeEach(async ({ open, page }) => {
      await open();
      await settle(page);
    });

    test('find out why a node has no pod', async ({ page }) => {
      await expect(card(page, 'control-plane')).toContainText('Taint control-plane is not tolerated');
      await card(page, 'control-plane').getByRole('button', { name: 'Why is there no pod on control-plane?' }).click();
      await expect(page.getByRole('heading', { name: 'Why is there no pod on control-plane?' })).toBeVisible();
      await expect(page.locator('.checks .failed')).toContainText('no toleration covers it');
      // Any other node, too: one of another system, whose labels fit no pod yet.
      await look(page, 'Cluster');
      await button(page, 'Add nodes by template and count').click();
      await page.getByRole('dialog').locator('select').selectOption('windows');
      await page.getByRole('dialog', { name: 'Add nodes by template and count' }).getByRole('button', { name: 'Add', exact: true }).click();
      await settle(page);
      await expect(card(page, 'windows1').locator('.absent, .pod-button')).toBeVisible();
    });

    test('put the agent on the control plane', async ({ page }) => {
      await card(page, 'control-plane').getByRole('button', { name: /^Why/ }).click();
      await page.getByRole('button', { name: /^Tolerate the taint/ }).click();
      // The change stands in the editor, with what it does.
      await expect(page.locator('.review')).toContainText('tolerations');
      await page.locator('.apply').click();
      await settle(page);
      await look(page, 'Cluster');
      await expect(card(page, 'control-plane').getByText(/\bavailable\b/)).toBeVisible();
    });

    test('roll out a new image with never a node uncovered', async ({ page }) => {
      await button(page, 'Strategy').click();
      // The one field is enough: Kubernetes takes one of the two budgets.
      await page.getByLabel('maxSurge').fill('1');
      await expect(page.getByLabel('maxUnavailable')).toHaveValue('0');
      await button(page, 'Set').click();
      await setImage(page, 'prom/node-exporter:v1.9.1');
      for (let step = 0; step < 120 && !(await isQuiet(page)); step++) {
        await page.locator('#step').click();
        for (const node of WORKERS) await expect(card(page, node).getByText(/\bavailable\b/).first(), `step ${step}: ${node}`).toBeVisible();
      }
      for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.9.1 available');
    });

    test('break the rollout and undo it', async ({ page }) => {
      await setImage(page, 'prom/node-exporter:oops', 'cannot be pulled');
      await stepUntilImageFails(page);
      await undo(page);
      for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.8.2 available');
    });

    test('say how much CPU the agent costs on 200 nodes', async ({ page }) => {
      await button(page, 'Actions for node-exporter').click();
      await page.getByRole('menuitem', { name: 'What it costs' }).click();
      await page.getByLabel('On how many nodes?').fill('200');
      await expect(page.locator('#cost-total')).toContainText('20 CPU');
    });
  });
}
