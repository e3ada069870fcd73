// The terminal as a person uses it, and what goes out and comes in: exports, and the dump of a real cluster.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from './support.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dump = (...sizes) => execFileSync('node', [`${root}/scripts/make-dump.mjs`, ...sizes.map(String)], { maxBuffer: 1 << 28 });

const terminal = (page) => {
  const input = page.locator('#command');
  const log = page.locator('.terminal-output');
  return {
    input,
    log,
    async type(line) {
      await input.fill(line);
      await input.press('Enter');
    },
    async paste(text) {
      await input.evaluate((element, pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, text);
    },
  };
};

test('a command that waits prints as time passes, and Ctrl+C ends a watch', async ({ open, page }) => {
  await open();
  const { input, log, type } = terminal(page);
  await page.locator('#step').click();
  await type('k rollout status ds/node-exporter');
  await expect(log).toContainText('daemon set "node-exporter" successfully rolled out', { timeout: 30_000 });
  await type('kubectl get pods -w');
  await expect(log).toContainText('AGE');
  await input.press('Control+c');
  await expect(log).toContainText('^C');
  await expect(log).toHaveAttribute('role', 'log');
  await type('kubectl gett pods');
  await expect(log).toContainText('Did you mean this?');
});

test('a line that is typed while a command waits runs when that has ended', async ({ open, page }) => {
  await open();
  const { input, log, type } = terminal(page);
  const held = page.locator('#typed-ahead');
  await page.locator('#step').click();
  await type('kubectl rollout status ds/node-exporter');
  await type('kubectl get ns -o name | head -n 1');
  await expect(held).toContainText('kubectl get ns -o name | head -n 1');
  await expect(held).toHaveAttribute('role', 'status');
  await expect(log).toContainText(/successfully rolled out\s*\$ kubectl get ns -o name \| head -n 1\s*namespace\/default/, { timeout: 30_000 });
  await expect(held).toHaveCount(0);
  // A watch never ends by itself; what is clicked goes on beside it, what is typed waits for Ctrl+C.
  await type('kubectl get nodes -w');
  await type('kubectl get pods -o name | wc -l');
  await page.getByRole('button', { name: 'Add worker' }).click();
  await expect(log).toContainText('worker4   Ready');
  await expect(held).toHaveCount(1);
  await input.press('Control+c');
  await expect(log).toContainText(/\^C[\s\S]*\$ kubectl get pods -o name \| wc -l\s*[34]\s*$/);
  await expect(held).toHaveCount(0);
});

test('several lines and here-documents are pasted and typed', async ({ open, page }) => {
  await open();
  const { input, log, type, paste } = terminal(page);
  await paste('kubectl create ns one\nkubectl get ns one -o name\nkubectl get ');
  await expect(log).toContainText('namespace/one created');
  await expect(input).toHaveValue('kubectl get ');
  await type('kubectl apply -f - <<EOF');
  await expect(page.locator('.pending')).toHaveText('kubectl apply -f - <<EOF');
  for (const line of ['apiVersion: v1', 'kind: Namespace', 'metadata:', '  name: two', 'EOF']) await type(line);
  await expect(log).toContainText('namespace/two created');
  await expect(page.locator('.pending')).toHaveCount(0);
  // Clicked changes are commands, too.
  await page.getByRole('button', { name: 'Add worker' }).click();
  await expect(log).toContainText('sim add-node worker4');
});

test('edit opens the object, and applying it saves', async ({ open, page }) => {
  await open();
  const { log, type } = terminal(page);
  await page.locator('#step').click();
  await type('kubectl edit ds node-exporter');
  const editor = page.locator('.editor-slot:not([hidden]) .cm-content');
  await expect(editor).toContainText('Please edit the object below');
  await editor.click();
  await editor.press('ControlOrMeta+Enter');
  await expect(log).toContainText('kubectl replace -f daemonset-node-exporter.yaml');
  await expect(log).toContainText('daemonset.apps/node-exporter replaced');
});

test('the session is exported in three forms', async ({ open, page, accessible }) => {
  await open();
  await page.locator('#step').click();
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('menuitem', { name: 'Export for a real cluster' }).click();
  const sheet = page.getByRole('dialog', { name: 'Export for a real cluster' });
  await expect(sheet.locator('pre')).toContainText('kubectl apply -f node-exporter.yaml');
  await accessible({ include: '#sheet' });
  for (const [name, file, text] of [
    ['KWOK cluster', 'kwok.sh', 'kind: Stage'],
    ['Transcript', 'session.md', '```console'],
    ['Shell script', 'session.sh', '#!/usr/bin/env bash'],
  ]) {
    await sheet.getByText(name).click();
    await expect(sheet.locator('pre')).toContainText(text);
    const [saved] = await Promise.all([page.waitForEvent('download'), sheet.getByRole('button', { name: 'Download' }).click()]);
    expect(saved.suggestedFilename()).toBe(file);
    expect(readFileSync(await saved.path(), 'utf8')).toContain(text);
  }
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
});

test('the dump of a real cluster comes in, says what came, and a change is tried on it', async ({ open, page, accessible, snap }) => {
  await open();
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('menuitem', { name: 'Import a real cluster' }).click();
  const importer = page.getByRole('dialog', { name: 'Import a real cluster' });
  await accessible({ include: '#sheet' });
  await importer.locator('textarea').fill('no dump');
  await importer.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(importer.getByRole('alert')).toContainText('no output of kubectl get');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), importer.getByRole('button', { name: 'Choose the file' }).click()]);
  await chooser.setFiles({ name: 'cluster.json', mimeType: 'application/json', buffer: dump(12, 2, 4) });
  const report = page.getByRole('dialog', { name: 'Your cluster as it stands' });
  await expect(report).toContainText('12 Node', { timeout: 20_000 });
  await expect(report).toContainText('1 × Certificate.cert-manager.io');
  await expect(report).toContainText('1 × Secret: secrets are not read');
  await expect(report).toContainText('3 × StatefulSet');
  await accessible({ include: '#sheet' });
  await snap('import-report');
  await report.getByRole('button', { name: /^Run: Make all pods/ }).click();
  await expect(terminal(page).log).toContainText('restarted');
  const { log, type } = terminal(page);
  await type('kubectl get pods -A --no-headers | wc -l');
  // The line and its answer stand together in the text of the log.
  await expect(log).toContainText(/wc -l\s*1\d\d\s*$/);
});

test('an import can be cancelled', async ({ open, page }) => {
  await open();
  await page.getByRole('button', { name: 'Session' }).click();
  await page.getByRole('menuitem', { name: 'Import a real cluster' }).click();
  const dialog = page.getByRole('dialog');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), dialog.getByRole('button', { name: 'Choose the file' }).click()]);
  await chooser.setFiles({ name: 'cluster.json', mimeType: 'application/json', buffer: dump(400, 2, 4) });
  await expect(dialog.locator('progress')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator('[data-node="worker1"]')).toBeVisible();
});
