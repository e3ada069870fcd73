// The panel of insight: what an agent costs, what is risky in its manifest, how long a rollout takes, what a change would
// do, and the same as a Deployment.
import { button, command, paste, settle } from './hands.mjs';
import { expect, test } from './support.mjs';

const field = (page, name) => page.getByRole('textbox', { name });
const panel = (page) => page.locator('#side-panel');

async function show(page, section) {
  await page.getByRole('tab', { name: 'Insight' }).click();
  await button(page, section).click();
}

const AGENT = (image = 'agent:v1', more = '') => `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector:
    matchLabels:
      app: agent
  template:
    metadata:
      labels:
        app: agent
    spec:${more}
      containers:
      - name: agent
        image: ${image}
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
`;

test('what the agent costs on 200 nodes is one number away', async ({ open, page, accessible }) => {
  await open();
  await paste(page, AGENT());
  await settle(page);
  await show(page, 'Cost');
  await field(page, 'On how many nodes?').fill('200');
  await expect(page.locator('#cost-total')).toHaveText('20 CPU and 25 Gi');
  await field(page, 'Price per CPU and hour').fill('0.04');
  await field(page, 'Price per Gi and hour').fill('0.005');
  await expect(panel(page)).toContainText('675.25 a month');
  await field(page, 'CPU per pod').fill('250m');
  await expect(page.locator('#cost-total')).toHaveText('50 CPU and 25 Gi');
  await expect(panel(page)).toContainText('+450m CPU and 0 compared with now');
  await accessible();
  // Prices stay for the next visit.
  await page.waitForTimeout(1500);
  await page.reload();
  await show(page, 'Cost');
  await expect(field(page, 'Price per CPU and hour')).toHaveValue('0.04');
});

test('an agent that asks for nothing is told as that, and may be given numbers', async ({ open, page }) => {
  await open();
  await paste(page, AGENT().split('        resources')[0]);
  await settle(page);
  await show(page, 'Cost');
  await expect(panel(page)).toContainText('asks for nothing');
  await field(page, 'CPU per pod').fill('100m');
  await field(page, 'On how many nodes?').fill('200');
  await expect(page.locator('#cost-total')).toHaveText('20 CPU and 0');
});

test('findings stand at their line and are mended with a click', async ({ open, page, accessible }) => {
  await open();
  await paste(page, AGENT('agent:latest', '\n      hostPID: true'));
  await show(page, 'Check');
  const latest = panel(page).locator('.finding', { hasText: 'has no fixed version' });
  await expect(latest).toBeVisible();
  await latest.getByRole('button', { name: /^line 17/ }).click();
  await expect(page.locator('.cm-activeLine')).toContainText('image:');
  const finding = panel(page).locator('.finding', { hasText: 'Control-plane nodes get no pod' });
  await accessible();
  await finding.getByRole('button', { name: /^Fix/ }).click();
  await expect(page.locator('.cm-content')).toContainText('node-role.kubernetes.io/control-plane');
  await expect(finding).toHaveCount(0);
  await expect(page.locator('.cm-lintRange-warning').first()).toBeVisible();
});

test('budgets stand side by side, and the present one is tried on a copy', async ({ open, page, accessible }) => {
  await open();
  await paste(page, AGENT());
  await settle(page);
  await show(page, 'Rollout');
  await field(page, 'On how many nodes?').fill('300');
  const row = (name) => panel(page).getByRole('row', { name });
  await expect(row(/maxUnavailable 1 /)).toContainText('20 min');
  await expect(row(/maxUnavailable 10%/)).toContainText('40.0 s');
  await expect(row(/maxSurge 10%/).getByRole('cell').nth(1)).toHaveText('0');
  await field(page, 'Another budget').fill('50%');
  await expect(row(/maxUnavailable 50%/)).toContainText('150 at once, 2 times');
  await accessible();
  const before = await page.locator('#last-command').textContent();
  await button(page, 'Try it on a copy of this cluster').click();
  await expect(panel(page)).toContainText('the rollout took 12.0 s (nodes: 3). Nodes without a ready pod at the worst moment: 1.');
  expect(await page.locator('#last-command').textContent()).toBe(before);
});

test('a change tells what it will do, and a bad one gets stuck on the copy only', async ({ open, page, accessible }) => {
  await open();
  await paste(page, AGENT());
  await settle(page);
  await command(page, `sim behaviour '[{"match": {"image": "agent:v2"}, "outcome": {"type": "NeverReady"}}]'`);
  await show(page, 'Change');
  await expect(panel(page)).toContainText('no pod changes');
  await paste(page, AGENT('agent:v2', '\n      nodeSelector:\n        kubernetes.io/hostname: worker2'));
  await expect(panel(page)).toContainText('DESIRED goes from 3 to 1');
  await expect(panel(page)).toContainText('Nodes that lose their pod: 2');
  await expect(panel(page)).toContainText('Pods to replace: 1');
  await accessible();
  await paste(page, AGENT('agent:v2'));
  await button(page, 'Try the rollout on a copy').click();
  await expect(panel(page)).toContainText('got stuck. Nodes with the new pod: 1 of 3');
});

test('a Deployment beside the DaemonSet', async ({ open, page, accessible }) => {
  await open();
  await paste(page, AGENT());
  await settle(page);
  await show(page, 'Compare');
  await field(page, 'Replicas of the Deployment').fill('2');
  await button(page, 'Run both').click();
  await expect(panel(page)).toContainText('DaemonSet: nodes covered: 3 of 3; a new node gets its pod by itself');
  await expect(panel(page)).toContainText('Deployment (2): nodes covered: 2 of 3; a new node gets no pod');
  const row = panel(page).getByRole('row', { name: /new-node/ });
  await expect(row.getByRole('cell')).toHaveText(['1', '0']);
  await accessible();
});

test('all of it by keyboard, in the dark', async ({ open, page, accessible }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open();
  await settle(page);
  await page.locator('#tab-story').focus();
  await page.keyboard.press('End');
  await expect(page.locator('#tab-lesson')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('#tab-insight')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(button(page, 'Check')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(button(page, 'Check')).toHaveAttribute('aria-pressed', 'true');
  await accessible();
});
