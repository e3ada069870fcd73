// The page itself: what can be done by clicking and by keyboard, on a desk and on a phone, in both themes and languages;
// and that none of it keeps anybody out.
import { readFileSync } from 'node:fs';
import { button, card, paste, settle, step } from './hands.mjs';
import { expect, test } from './support.mjs';

/** The manifest of the first visit. */
const EXAMPLE = readFileSync(new URL('../../www/examples/node-exporter.yaml', import.meta.url), 'utf8');

const WORKERS = ['worker1', 'worker2', 'worker3'];

const lastCommand = (page) => page.locator('#last-command');

test.describe('by clicking', () => {
  test.beforeEach(async ({ open, page }) => {
    await open();
    await settle(page);
  });

  test('each click shows the command that it stands for, and the command can be copied', async ({ context, page }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await expect(lastCommand(page)).toHaveText('kubectl apply -f node-exporter.yaml');
    await button(page, 'Actions for worker1').click();
    await page.getByRole('menuitem', { name: 'Cordon' }).click();
    await expect(lastCommand(page)).toHaveText('kubectl cordon worker1');
    await expect(page.locator('.outcome')).toHaveText('node/worker1 cordoned');
    await expect(card(page, 'worker1')).toContainText('cordoned');
    await button(page, 'Copy the command').click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('kubectl cordon worker1');
  });

  test('a label is added, changed and removed in place', async ({ page }) => {
    const worker1 = card(page, 'worker1');
    await button(page, 'Add a label or a taint to worker1').click();
    await page.keyboard.type('monitoring=enabled');
    await page.keyboard.press('Enter');
    await expect(lastCommand(page)).toHaveText('kubectl label nodes worker1 monitoring=enabled');
    await worker1.getByRole('button', { name: 'Change label monitoring=enabled' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('monitoring=off');
    await page.keyboard.press('Enter');
    await expect(lastCommand(page)).toHaveText('kubectl label nodes worker1 monitoring=off --overwrite');
    await worker1.getByText('monitoring=off').hover();
    await worker1.getByRole('button', { name: 'Remove label monitoring=off' }).click();
    await expect(lastCommand(page)).toHaveText('kubectl label nodes worker1 monitoring-');
    await expect(worker1.getByText('monitoring')).toHaveCount(0);
  });

  test('a NoExecute taint takes the pod away and says why; without it the pod comes back', async ({ page }) => {
    await button(page, 'Add a label or a taint to worker2').click();
    await page.keyboard.type('broken:NoExecute');
    await page.keyboard.press('Enter');
    await settle(page);
    await expect(card(page, 'worker2')).toContainText('Taint broken is not tolerated');
    await card(page, 'worker2').getByText('NoExecute').hover();
    await card(page, 'worker2').getByRole('button', { name: 'Remove taint broken:NoExecute' }).click();
    await settle(page);
    await expect(card(page, 'worker2')).toContainText('available');
  });

  test('the smallest change of a verdict puts the pod on the control plane', async ({ page }) => {
    await button(page, 'Why is there no pod on control-plane?').click();
    const details = page.getByRole('tabpanel', { name: 'Why' });
    await expect(details.getByRole('heading', { level: 2 })).toBeFocused();
    await expect(details.locator('tr.failed')).toContainText('node-role.kubernetes.io/control-plane:NoSchedule');
    // The check shows the taint on the card that it looked at.
    await details.locator('tr.failed').hover();
    await expect(card(page, 'control-plane').locator('.chip.marked')).toContainText('NoSchedule');
    await details.getByRole('button', { name: 'Tolerate the taint' }).click();
    await expect(page.getByText('Edited: makes revision 2')).toBeVisible();
    await page.locator('.apply').click();
    await settle(page);
    await expect(card(page, 'control-plane')).toContainText('available');
    await expect(details).toContainText('every check passes');
  });

  test('a deleted pod comes back, and its details say what it is', async ({ page }) => {
    const tile = card(page, 'worker3').locator('.pod-button');
    const before = await tile.getAttribute('data-pod');
    await tile.click();
    const details = page.getByRole('region', { name: 'Details' });
    await expect(details).toContainText('prom/node-exporter:v1.8.2');
    await details.getByRole('button', { name: 'Delete pod' }).click();
    await expect(lastCommand(page)).toHaveText(`kubectl delete pod ${before}`);
    await settle(page);
    await expect(card(page, 'worker3')).toContainText('available');
    expect(await tile.getAttribute('data-pod')).not.toBe(before);
  });

  test('another image rolls one node at a time', async ({ page }) => {
    await button(page, 'Set image').click();
    await page.getByLabel('Image of container node-exporter').fill('prom/node-exporter:v1.9.1');
    await button(page, 'Set').click();
    for (let i = 0; i < 90 && (await step(page).getAttribute('aria-disabled')) !== 'true'; i++) {
      await step(page).click();
      const available = await page.locator('[data-node] .place-text').filter({ hasText: /\bavailable\b/ }).count();
      expect(available, `available pods after step ${i}`).toBeGreaterThanOrEqual(2);
    }
    for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.9.1');
  });

  test('OnDelete changes nothing until a pod is deleted', async ({ page }) => {
    await paste(page, EXAMPLE.replace('spec:\n', 'spec:\n  updateStrategy:\n    type: OnDelete\n').replace('v1.8.2', 'v1.9.1'));
    await page.keyboard.press('ControlOrMeta+Enter');
    await settle(page);
    for (const node of WORKERS) await expect(card(page, node)).toContainText('v1.8.2');
    await card(page, 'worker1').locator('.pod-button').click();
    await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Delete pod' }).click();
    await settle(page);
    await expect(card(page, 'worker1')).toContainText('v1.9.1');
    await expect(card(page, 'worker2')).toContainText('v1.8.2');
  });

  test('acting in the past makes a branch, and one can go back to the other', async ({ page }) => {
    await page.getByRole('slider', { name: 'Timeline' }).press('Home');
    await expect(page.getByText(/^step 0 of/)).toBeVisible();
    await button(page, 'Add worker').click();
    await expect(card(page, 'worker4')).toBeVisible();
    await button(page, 'Other lines of time').click();
    await page.getByRole('menuitemradio').click();
    await expect(card(page, 'worker4')).toHaveCount(0);
    await expect(card(page, 'worker1')).toContainText('available');
  });

  test('the story opens what a step changed, and goes to its cause', async ({ page }) => {
    const story = page.locator('.side');
    const entry = story.locator('.entry').filter({ hasText: 'Scheduler bound' }).first();
    await entry.getByRole('button', { name: '1 change' }).click();
    await expect(entry).toContainText('+ spec.nodeName: worker1');
    await entry.getByRole('button', { name: /^from step/ }).click();
    await expect(story.locator('.entry.now')).toContainText('DaemonSet controller recorded revision 1');
    await story.getByRole('tab', { name: 'Events' }).click();
    await expect(story).toContainText('SuccessfulCreate');
  });

  test('a counter tells which pods it counts', async ({ page }) => {
    await page.getByRole('slider', { name: 'Timeline' }).press('Home');
    await step(page).click();
    for (let i = 0; i < 3; i++) await step(page).click();
    const ready = page.locator('.counter').nth(2);
    await ready.focus();
    const tip = page.getByRole('tooltip').filter({ hasText: 'Eligible nodes whose pod is ready.' });
    await expect(tip).toBeVisible();
    await expect(tip).toContainText('Not counted: worker1, worker2, worker3');
  });

  test('a new session can be taken back', async ({ page }) => {
    await button(page, 'Session').click();
    await page.getByRole('menuitem', { name: 'Start afresh' }).click();
    await expect(page.getByText('Press Step.')).toBeVisible();
    await button(page, 'Bring it back').click();
    await expect(card(page, 'worker1')).toContainText('available');
  });
});

test('by keyboard alone: step, move among the nodes, open the details and come back', async ({ open, page }) => {
  await open();
  await step(page).focus();
  for (let i = 0; i < 6; i++) await page.keyboard.press('Enter');
  await expect(page.getByText('step 6 of 6')).toBeVisible();
  await page.locator('#node-control-plane').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('#node-worker1')).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.locator('#node-worker3')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Details' }).getByRole('heading', { name: 'worker3' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.locator('#node-worker3')).toBeFocused();
  // Only the active card's controls are stops of the Tab key.
  await page.keyboard.press('Tab');
  await expect(button(page, 'Actions for worker3')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Details' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Cordon' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(button(page, 'Actions for worker3')).toBeFocused();
});

test('the command line is completed with Tab and repeated with the arrow keys', async ({ open, page }) => {
  await open();
  const line = page.locator('#command');
  await line.focus();
  await page.keyboard.type('kubectl cord');
  await page.keyboard.press('Tab');
  await expect(line).toHaveValue('kubectl cordon ');
  await page.keyboard.type('wo');
  await page.keyboard.press('Tab');
  await expect(line).toHaveValue('kubectl cordon worker');
  await expect(page.locator('.choices')).toHaveText('worker1  worker2  worker3');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await expect(card(page, 'worker2')).toContainText('cordoned');
  await page.keyboard.press('ArrowUp');
  await expect(line).toHaveValue('kubectl cordon worker2');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(line).not.toBeFocused();
});

test('the editor completes fields and puts a misspelt one right', async ({ open, page }) => {
  await open();
  await paste(page, EXAMPLE.replace('  selector:', '  selectr:'));
  const problems = page.locator('.problems');
  await expect(problems).toContainText('line 8 unknown field "spec.selectr"');
  await expect(problems).toContainText('Did you mean selector?');
  await button(page, 'Fix').click();
  await expect(problems).toHaveCount(0);
  await page.locator('.cm-content').press('ControlOrMeta+End');
  await page.keyboard.type('  upd');
  await expect(page.locator('.cm-tooltip-autocomplete [role=option]').first()).toContainText('updateStrategy');
});

test('what happened is told to assistive technology once for each step', async ({ open, page }) => {
  await open();
  await step(page).click();
  await expect(page.locator('#announcements')).toHaveText('You applied a manifest');
  await step(page).click();
  await expect(page.locator('#announcements')).toContainText('DaemonSet controller recorded revision 1 and created 3 pods');
});

test('theme, language, position and texts survive a reload', async ({ open, page }) => {
  await open();
  await settle(page);
  await page.getByRole('slider', { name: 'Timeline' }).press('Home');
  for (let i = 0; i < 4; i++) await step(page).click();
  await button(page, 'Theme').click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await button(page, 'Language').click();
  await page.getByRole('menuitemradio', { name: 'Français' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  const position = await page.getByText(/^étape 4 sur/).innerText();
  await page.reload();
  await expect(page.getByText(position)).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(button(page, 'Étape')).toBeVisible();
});

test('a page that goes away while it is still being drawn has kept everything', async ({ open, page }) => {
  await open();
  await settle(page);
  await page.getByRole('slider', { name: 'Timeline' }).press('Home');
  await expect(page.getByText(/^step 0 of/)).toBeVisible();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 20 });
  const kept = await page.evaluate(async () => {
    localStorage.clear();
    for (let clicks = 0; clicks < 2; clicks++) document.querySelector('#step').click();
    // The clicks are heard at once; drawing what they changed takes several slices.
    await new Promise((resolve) => setTimeout(resolve));
    dispatchEvent(new Event('pagehide'));
    return JSON.parse(localStorage.getItem('daemonset-playground')).position;
  });
  expect(kept).toBe(2);
});

test('a hundred nodes are a map that can be grouped and filtered', async ({ open, page, accessible }) => {
  await open();
  await settle(page);
  await button(page, 'Add nodes by template and count').click();
  await page.getByRole('combobox', { name: 'Template' }).selectOption('gpu');
  await page.getByLabel('How many').fill('100');
  await button(page, 'Add').click();
  await expect(page.locator('.cell')).toHaveCount(104);
  await settle(page);
  await page.getByLabel('Group nodes by').selectOption({ label: 'gpu.count' });
  await expect(page.getByRole('region', { name: 'gpu.count=4, 100 nodes' })).toBeVisible();
  await accessible();
  await page.getByLabel('Filter nodes').fill('is:available');
  await expect(page.getByText('3 of 104 nodes')).toBeVisible();
  await page.getByLabel('Filter nodes').fill('nothing-like-this');
  await expect(page.getByText('No node fits the filter.')).toBeVisible();
});

test('when the program stops, the texts are there and a reload goes on', async ({ open, page, complaints }) => {
  await open();
  await settle(page);
  await paste(page, `# mine\n${EXAMPLE}`);
  await page.locator('.cm-content').press('ControlOrMeta+End');
  await page.keyboard.type('# the very last');
  await page.evaluate(() => dispatchEvent(new ErrorEvent('error', { error: new WebAssembly.RuntimeError('unreachable') })));
  await expect(page.getByRole('heading', { name: 'The playground has stopped' })).toBeVisible();
  await expect(page.getByLabel('Your manifests')).toHaveValue(/# mine[^]*# the very last/);
  await button(page, 'Reload and go on').click();
  await expect(page.locator('.cm-content')).toContainText('# mine');
  await expect(card(page, 'worker1')).toContainText('available');
  // The editor holds only what is in sight.
  await page.locator('.cm-content').press('ControlOrMeta+End');
  await expect(page.locator('.cm-content')).toContainText('# the very last');
  complaints.length = 0;
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('everything is within reach and nothing runs off the side', async ({ open, page, accessible, snap }) => {
    await open();
    for (let i = 0; i < 8; i++) await step(page).click();
    await expect(card(page, 'worker1')).toContainText('starting');
    await snap('phone-cluster');
    for (const pane of ['Manifests', 'Story', 'Terminal', 'Cluster']) {
      await page.getByRole('navigation').getByRole('button', { name: pane }).click();
      expect(await page.evaluate(() => document.scrollingElement.scrollWidth), pane).toBeLessThanOrEqual(390);
      await accessible();
      await snap(`phone-${pane.toLowerCase()}`);
    }
    const small = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, a')]
        .filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest('.editor, .unseen, .skip'))
        .map((e) => ({ name: e.getAttribute('aria-label') ?? e.textContent, box: e.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
        .map(({ name, box }) => `${name} ${box.width}x${box.height}`),
    );
    expect(small, 'targets smaller than 24 px').toEqual([]);
  });
});

test('a check and the line of the manifest that it looks at show each other', async ({ open, page }) => {
  await open();
  await paste(page, EXAMPLE.replace('    spec:\n', '    spec:\n      nodeSelector:\n        disk: ssd\n'));
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.getByRole('combobox', { name: 'Node' }).selectOption('worker2');
  const why = page.getByRole('tabpanel', { name: 'Why' });
  await expect(why.getByRole('heading', { name: 'Why is there no pod on worker2?' })).toBeVisible();
  const check = why.locator('tr').filter({ hasText: 'nodeSelector disk=ssd' });
  await expect(check).toContainText('the node has no such label');
  await expect(check).toContainText('metadata.labels.disk');
  await check.hover();
  await expect(page.locator('.cm-mark-failed')).toContainText('ssd');
  await check.getByRole('button', { name: /^line \d+$/ }).click();
  await expect(page.locator('.cm-content')).toBeFocused();
  await expect(check).toHaveClass(/looked-at/);
  await page.keyboard.press('ArrowUp');
  await expect(check).not.toHaveClass(/looked-at/);
});
