// What people come for, done through the page alone: roll out without a gap, break it and undo it, try it another way
// and compare, look at the cluster as a table, take something away.
import { readFileSync } from 'node:fs';
import { button, card, isQuiet, setImage, settle, stepUntilImageFails, undo } from './hands.mjs';
import { expect, test } from './support.mjs';

const WORKERS = ['worker1', 'worker2', 'worker3'];

test.beforeEach(async ({ open, page }) => {
  await open();
  await settle(page);
});

test('a rollout with surge leaves no node uncovered at any step', async ({ page }) => {
  await button(page, 'Strategy').click();
  await page.getByLabel('maxUnavailable').fill('0');
  await page.getByLabel('maxSurge').fill('1');
  await expect(page.locator('.set-form code')).toContainText('"maxSurge":1,"maxUnavailable":0');
  await button(page, 'Set').click();
  await expect(page.locator('.set-facts')).toContainText('maxSurge 1');
  await setImage(page, 'prom/node-exporter:v1.9.1', 'it works');
  for (let i = 0; i < 120 && !(await isQuiet(page)); i++) {
    await page.locator('#step').click();
    for (const node of WORKERS) {
      await expect(card(page, node).getByText(/\bavailable\b/).first(), `step ${i}: ${node}`).toBeVisible();
    }
  }
  for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.9.1');
});

test('an image that cannot be pulled stops the rollout, and undo brings the old one back', async ({ page }) => {
  await setImage(page, 'prom/node-exporter:broken', 'cannot be pulled');
  await expect(page.locator('#last-command')).toHaveText('kubectl set image daemonset/node-exporter node-exporter=prom/node-exporter:broken');
  // One at a time: the other two still run.
  await stepUntilImageFails(page);
  await undo(page);
  for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.8.2 available');
});

test('two ways of doing the same stand side by side', async ({ page }) => {
  const slider = page.getByRole('slider', { name: 'Timeline' });
  const before = await slider.inputValue();
  await setImage(page, 'prom/node-exporter:v1.9.1', 'it works');
  await settle(page);
  await slider.fill(before);
  await button(page, 'Strategy').click();
  await page.getByLabel('maxUnavailable').fill('100%');
  await button(page, 'Set').click();
  await setImage(page, 'prom/node-exporter:v1.9.1', 'it works');
  await settle(page);
  await button(page, 'Other lines of time').click();
  await page.getByRole('menuitem', { name: 'Compare with this one' }).click();
  const lines = page.getByRole('region', { name: 'Two lines of time' });
  await expect(lines.getByRole('row', { name: /This line/ })).toContainText('3 nodes');
  await expect(lines.getByRole('row', { name: /The other/ })).toContainText('1 node');
  await lines.getByRole('button', { name: 'Close' }).click();
  await expect(lines).toHaveCount(0);
});

test('the table says the same as the cards', async ({ page }) => {
  await button(page, 'As a table').click();
  const table = page.getByRole('table', { name: 'Nodes' });
  await expect(table.getByRole('row')).toHaveCount(5);
  await expect(table.getByRole('row', { name: /worker2/ })).toContainText('v1.8.2 available');
  await expect(table.getByRole('row', { name: /control-plane/ })).toContainText('Taint control-plane is not tolerated');
  await table.getByRole('button', { name: 'Why is there no pod on control-plane?' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Why' })).toContainText('no toleration covers it');
  await button(page, 'As a map').click();
  await expect(card(page, 'worker1').locator('.pod-button')).toBeVisible();
});

test('single keys are shortcuts only where the focus is', async ({ page }) => {
  const slider = page.getByRole('slider', { name: 'Timeline' });
  await slider.press('Home');
  await expect(page.getByText(/^step 0 of/)).toBeVisible();
  await slider.press('ArrowRight');
  await expect(page.getByText(/^step 1 of/)).toBeVisible();
  await slider.press('End');
  await expect(page.getByText('Quiet', { exact: true })).toBeVisible();
  await slider.press('Home');
  await slider.press('Space');
  await expect(button(page, 'Pause')).toBeVisible();
  await slider.press('Space');
  await expect(button(page, 'Play')).toBeVisible();
});

test('the story is searched, and a step is followed back to its beginning', async ({ page }) => {
  await page.getByLabel('Filter the story').fill('scheduler');
  const entries = page.locator('.entry:not(.alike)');
  await expect(entries).toHaveCount(3);
  await entries.first().getByRole('button', { name: /change/ }).click();
  await expect(page.locator('.causes li').first()).toContainText('DaemonSet controller recorded revision 1 and created 3 pods');
  await page.locator('.causes button').last().click();
  await expect(page.getByText(/^step 1 of/)).toBeVisible();
});

test('picture and report can be taken away', async ({ page }) => {
  const save = async (name) => {
    await button(page, 'Session').click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    const file = await download;
    return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
  };
  const svg = await save('Save picture (SVG)');
  expect(svg.name).toBe('node-exporter.svg');
  expect(svg.content.toString()).toContain('>worker1</text>');
  const png = await save('Save picture (PNG)');
  expect(png.name).toBe('node-exporter.png');
  expect(png.content.subarray(1, 4).toString()).toBe('PNG');
  expect(png.content.length).toBeGreaterThan(10_000);
  const report = await save('Save report (Markdown)');
  expect(report.name).toBe('node-exporter.md');
  expect(report.content.toString()).toContain('| worker1 |');
});

test('paper gets the cluster, the chart and the story, and nothing that can only be clicked', async ({ page, snap }) => {
  await page.emulateMedia({ media: 'print' });
  for (const gone of ['.buttons', '.terminal', '.manifest', '.cluster-bar']) await expect(page.locator(gone)).toBeHidden();
  for (const there of ['.set-title h2', '.nodes', '.chart-frame', '.entries', '.legend >> nth=0']) await expect(page.locator(there)).toBeVisible();
  await snap('print', { fullPage: true });
});
