// What a pod tells of itself in the page: why it waits, node by node, and who evicted it and why.
import { command, settle } from './hands.mjs';
import { expect, test } from './support.mjs';


test('a pending pod tells node by node which filter says no, and one click gets it a node', async ({ open, page, snap, accessible }) => {
  await open();
  await command(page, 'kubectl cordon worker3');
  await command(page, "kubectl run big --image=big:v1 --overrides='{\"spec\":{\"containers\":[{\"name\":\"big\",\"image\":\"big:v1\",\"resources\":{\"requests\":{\"cpu\":\"6\"}}}]}}'");
  await settle(page);
  await page.locator('.unplaced .pod-button[data-pod="big"]').click();
  const details = page.locator('.inspector');
  await expect(details).toContainText('0/4 nodes are available: ');
  await expect(details.locator('.callout')).toHaveText('No node takes it.');
  const row = (node) => details.locator('tr', { hasText: node });
  await expect(row('control-plane')).toContainText('TaintToleration');
  await expect(row('worker1')).toContainText('NodeResourcesFit');
  await expect(row('worker1')).toContainText('cpu: 6 asked for');
  await expect(row('worker3')).toContainText('NodeUnschedulable');
  await accessible({ include: '.inspector' });
  await snap('pending-pod', { of: details });
  const fix = details.locator('.fix', { hasText: /^sim add-node|sim resize-node/ }).first();
  await fix.getByRole('button').click();
  await settle(page);
  await expect(page.locator('.unplaced')).toHaveCount(0);
  await expect(details).toContainText('Running');
});

test('an evicted pod tells who evicted it and why', async ({ open, page, snap }) => {
  await open();
  await command(page, "sim behaviour '[{match: {image: hungry}, uses: {memory: [{amount: 900Mi}]}}]'");
  await command(page, "kubectl run hungry --image=hungry:v1 --overrides='{\"spec\":{\"nodeName\":\"worker1\"}}'");
  await command(page, "kubectl run calm --image=calm:v1 --overrides='{\"spec\":{\"nodeName\":\"worker2\"}}'");
  await settle(page);
  await command(page, 'sim machine-usage worker1 memory=7Gi');
  await command(page, 'kubectl taint node worker2 broken=disk:NoExecute');
  await settle(page);
  await page.locator('[data-node="worker1"] .pod-button[data-pod="hungry"]').click();
  const details = page.locator('.inspector');
  await expect(details.locator('.callout')).toContainText(/^The kubelet evicted it in step \d+: the node was low on memory/);
  await snap('evicted-pod', { of: details });
  // The other one is gone; going back shows it on its way out.
  await page.locator('.inspector-head .button').click();
  const calm = page.locator('[data-node="worker2"] .pod-button[data-pod="calm"]');
  await expect(calm).toHaveCount(0);
  for (let i = 0; i < 20 && (await calm.count()) === 0; i++) await page.getByRole('button', { name: 'Back', exact: true }).click();
  await calm.click();
  await expect(details.locator('.callout')).toContainText('worker2 has the taint broken=disk:NoExecute, which it does not tolerate.');
});

test('a pod that leaves is seen on its way out, for the eye only, and nothing of it stays', async ({ open, page, accessible }) => {
  await open();
  await settle(page);
  await page.evaluate(() => {
    globalThis.left = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.classList?.contains('leaving')) globalThis.left.push([node.closest('.node').dataset.node, node.getAttribute('aria-hidden'), node.textContent]);
    }).observe(document.querySelector('.nodes'), { childList: true, subtree: true });
  });
  await command(page, 'kubectl delete pod -l app=node-exporter --field-selector spec.nodeName=worker2');
  await page.locator('.terminal.open .toggle').click();
  await settle(page);
  expect(await page.evaluate(() => globalThis.left)).toEqual([['worker2', 'true', '']]);
  await expect(page.locator('.leaving')).toHaveCount(0);
  // Who asks for less motion sees it gone at once.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await command(page, 'kubectl delete pod -l app=node-exporter --field-selector spec.nodeName=worker3');
  await settle(page);
  await expect(page.locator('.leaving')).toHaveCount(0, { timeout: 200 });
  await accessible();
});
