// Edits that are made and not applied yet: a suggested change is written once, and what is written is never forgotten.
import { expect, test } from './support.mjs';
import { DEVICES, card, settle, step } from './hands.mjs';

const why = (page) => page.getByRole('tabpanel', { name: 'Why' });
const ask = (page, node) => page.getByRole('button', { name: `Why is there no pod on ${node}?` }).first();
const lines = (page) => page.locator('.editor-slot:not([hidden]) .cm-line');

for (const [where, viewport] of DEVICES) {
  test.describe(`on ${where}`, () => {
    test.use({ viewport });

    test.beforeEach(async ({ open }) => {
      await open();
    });

    test('a suggested change is written once; then Apply stands in its place', async ({ page, accessible }) => {
      await step(page).click();
      await ask(page, 'control-plane').click();
      await why(page).getByRole('button', { name: 'Tolerate the taint' }).click();
      // The editor shows what was written.
      await expect(page.locator('.cm-mark-new').first()).toBeInViewport();
      await expect(lines(page).filter({ hasText: 'node-role.kubernetes.io/control-plane' })).toHaveCount(1);
      if (viewport.width < 760) await page.locator('.pane-story').click();
      await expect(why(page).getByText('In the editor, not applied yet')).toBeVisible();
      await expect(why(page).getByRole('button', { name: 'Tolerate the taint' })).toHaveCount(0);
      await accessible();
      await why(page).getByRole('button', { name: 'Apply' }).click();
      await expect(why(page)).toContainText('covered by a toleration of the template');
      await expect(page.locator('.unapplied')).toHaveCount(0);
      await settle(page);
      if (viewport.width < 760) await page.locator('.pane-cluster').click();
      await expect(card(page, 'control-plane')).toContainText('available');
    });

    test('edits that are not applied are told beside the transport, which goes on with what was applied', async ({ page, accessible }) => {
      await expect(page.locator('.unapplied')).toHaveCount(0);
      await step(page).click();
      await ask(page, 'control-plane').click();
      await why(page).getByRole('button', { name: 'Tolerate the taint' }).click();
      if (viewport.width < 760) await page.locator('.pane-cluster').click();
      await expect(page.locator('.unapplied')).toContainText('Unapplied edits');
      await step(page).click();
      await expect(page.locator('.unapplied')).toBeVisible();
      await accessible();
      await page.locator('.unapplied').getByRole('button', { name: 'Apply' }).click();
      await expect(page.locator('.unapplied')).toHaveCount(0);
      await settle(page);
      await expect(card(page, 'control-plane')).toContainText('available');
    });
  });
}

test('a Windows node that has just joined: only its lasting taint is to be tolerated, and a Linux image is warned of', async ({ open, page, accessible }) => {
  await open();
  await step(page).click();
  await settle(page);
  await page.locator('#command').fill('sim add-node win1 --template windows');
  await page.locator('#command').press('Enter');
  await ask(page, 'win1').click();
  await expect(why(page)).toContainText('goes away by itself when the node is ready');
  await expect(why(page)).toContainText('ErrImagePull');
  await expect(why(page).locator('.button.primary')).toHaveText('Tolerate the taint');
  await expect(why(page).locator('.fix').first()).toContainText('value: windows');
  await expect(why(page).getByRole('button', { name: 'Tolerate every taint' })).toHaveCount(0);
  await accessible();
  await settle(page);
  await expect(card(page, 'win1')).toContainText('Taint os=windows is not tolerated');
});
