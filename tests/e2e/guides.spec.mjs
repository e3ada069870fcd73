// The main job, by clicking and typing: both guides' manifests pasted and stepped through, nodes and labels changed,
// images rolled, the way back and forth, and what a bad manifest gets.
import { readFileSync } from 'node:fs';
import { card, command, paste, settle } from './hands.mjs';
import { expect, test } from './support.mjs';

const manifest = (name) => readFileSync(new URL(`../manifests/${name}`, import.meta.url), 'utf8');
const NODE_EXPORTER = manifest('node-exporter.yaml');
const FLUENT_BIT = manifest('fluent-bit.yaml');
const WORKERS = ['worker1', 'worker2', 'worker3'];

/** What a person does with the page. */
function person(page) {
  const editor = page.locator('.editor-slot:not([hidden]) .cm-content');
  const me = {
    editor,
    card: (node) => card(page, node),
    paste: (text) => paste(page, text),
    async apply() {
      await editor.press('ControlOrMeta+Enter');
    },
    command: (line) => command(page, line),
    settle: () => settle(page),
    /** How many available pods of the chosen DaemonSet the card shows. */
    async expectAvailable(nodes) {
      for (const node of ['control-plane', ...WORKERS]) {
        const shown = card(page, node).getByText(/\bavailable\b/);
        await expect(shown, `available pods on ${node}`).toHaveCount(nodes.includes(node) ? 1 : 0);
      }
    },
    async counters(values) {
      const numbers = page.locator('.counter .value, .counters .value, .counter-value');
      await expect(numbers).toHaveText(values.map(String));
    },
  };
  return me;
}

test('stepping works at once: pods on the workers, none on the control plane, and the reason is named', async ({ open, page }) => {
  await open();
  const me = person(page);
  for (let i = 0; i < 40 && (await page.locator('#step').getAttribute('aria-disabled')) !== 'true'; i++) {
    await page.locator('#step').click();
  }
  await expect(page.locator('#step')).toHaveAttribute('aria-disabled', 'true');
  await me.expectAvailable(WORKERS);
  await expect(me.card('control-plane')).toContainText(/control-plane.*not tolerated/);
});

test('the node exporter of the guide: toleration, label, image', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.paste(NODE_EXPORTER);
  await me.apply();
  await me.settle();
  await me.expectAvailable(WORKERS);

  const tolerating = NODE_EXPORTER.replace(
    '      hostNetwork: true\n',
    '      hostNetwork: true\n      tolerations:\n        - key: node-role.kubernetes.io/control-plane\n          operator: Exists\n          effect: NoSchedule\n',
  );
  await me.paste(tolerating);
  await me.apply();
  await me.settle();
  await me.expectAvailable(['control-plane', ...WORKERS]);

  const selecting = NODE_EXPORTER.replace('      hostNetwork: true\n', '      nodeSelector:\n        monitoring: enabled\n      hostNetwork: true\n');
  await me.paste(selecting);
  await me.apply();
  await me.settle();
  await me.expectAvailable([]);
  await me.command('kubectl label node worker1 monitoring=enabled');
  await me.settle();
  await me.expectAvailable(['worker1']);
});

test('a new image rolls one node at a time, and the log agent of the other guide surges without a gap', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.command('kubectl create namespace logging');
  await me.paste(FLUENT_BIT.replace('      maxUnavailable: 1\n', '      maxUnavailable: 0\n      maxSurge: 1\n'));
  await me.apply();
  await me.settle();
  await me.expectAvailable(WORKERS);
  await me.command('kubectl set image daemonset/fluent-bit -n logging fluent-bit=fluent/fluent-bit:3.2');
  // Step by step: on no worker is there ever no ready pod.
  for (let i = 0; i < 80 && (await page.locator('#step').getAttribute('aria-disabled')) !== 'true'; i++) {
    await page.locator('#step').click();
    for (const node of WORKERS) {
      await expect(me.card(node).getByText(/\b(available|ready)\b/).first(), `step ${i}: ${node}`).toBeVisible();
    }
  }
  await me.expectAvailable(WORKERS);
  await expect(me.card('worker3')).toContainText('3.2');
  // The story names the node of each kubelet.
  await expect(page.locator('#side-panel')).toContainText(/Kubelet on worker\d/);
  await expect(page.locator('#side-panel')).not.toContainText('Kubelet on fluent-bit');
});

test('a node joins, a node leaves, the DaemonSet goes', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.settle();
  await page.getByRole('button', { name: 'Add worker' }).click();
  await me.settle();
  await expect(me.card('worker4')).toContainText('available');
  await me.command('kubectl delete node worker2');
  await me.settle();
  await expect(me.card('worker2')).toHaveCount(0);
  await me.command('kubectl delete daemonset node-exporter');
  await me.settle();
  await expect(page.locator('[data-node] .place')).toHaveCount(0);
});

test('back to the start and forward again is the same state', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.settle();
  const cluster = page.locator('.nodes');
  const end = await cluster.innerText();
  const position = page.getByText(/^step \d+ of \d+$/);
  const total = Number((await position.innerText()).match(/of (\d+)/)[1]);
  for (let i = 0; i < total; i++) await page.getByRole('button', { name: /^(Step )?back$/i }).first().click();
  await expect(position).toHaveText(`step 0 of ${total}`);
  expect(await cluster.innerText()).not.toBe(end);
  for (let i = 0; i < total; i++) await page.locator('#step').click();
  await expect(position).toHaveText(`step ${total} of ${total}`);
  expect(await cluster.innerText()).toBe(end);
});

test('the state survives a reload', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.settle();
  await me.paste('# mine\n' + NODE_EXPORTER);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await me.expectAvailable(WORKERS);
  await expect(me.editor).toContainText('# mine');
});

for (const [name, text, message] of [
  ['a tab', NODE_EXPORTER.replace('  name: node-exporter\n', '\tname: node-exporter\n'), /tab|cannot start any token/i],
  ['no selector', NODE_EXPORTER.replace('  selector:\n    matchLabels:\n      app: node-exporter\n', ''), /selector/],
  ['labels that do not match', NODE_EXPORTER.replace('      labels:\n        app: node-exporter', '      labels:\n        app: other'), /selector|match/i],
  [
    'both budgets zero',
    NODE_EXPORTER.replace('spec:\n', 'spec:\n  updateStrategy:\n    rollingUpdate:\n      maxUnavailable: 0\n      maxSurge: 0\n'),
    /maxUnavailable/,
  ],
  ['an unknown kind', NODE_EXPORTER.replace('kind: DaemonSet', 'kind: DeamonSet'), /DeamonSet/],
]) {
  test(`a bad manifest gets a clear message and keeps its text: ${name}`, async ({ open, page }) => {
    await open();
    const me = person(page);
    await me.paste(text);
    const problems = page.locator('.problems');
    await expect(problems).toContainText(message);
    await expect(problems).toContainText(/line \d+/);
    await expect(me.editor).toContainText('prom/node-exporter:latest');
  });
}

test('five megabytes and ten thousand aliases get an answer', async ({ open, page }) => {
  await open();
  const me = person(page);
  const aliases = 'a: &a [x]\nb: [' + Array(10_000).fill('*a').join(', ') + ']\n';
  await me.paste(aliases);
  await expect(page.locator('.problems')).toContainText(/\S/);
  const big = NODE_EXPORTER + '# ' + 'x'.repeat(5 * 1024 * 1024) + '\n';
  await me.paste(big);
  await expect(page.locator('#step')).toBeVisible();
  await me.paste(NODE_EXPORTER);
  await me.apply();
  await me.settle();
  await me.expectAvailable(WORKERS);
});

/** Types a line and waits for what it prints; `rollout status` lets time pass by itself. */
async function answer(page, line, expected) {
  const blocks = page.locator('.terminal-output .block');
  const before = await blocks.count();
  await page.locator('#command').fill(line);
  await page.locator('#command').press('Enter');
  await expect(blocks).toHaveCount(before + 1);
  const block = blocks.nth(before);
  for (const text of [].concat(expected)) await expect(block, line).toContainText(text, { timeout: 30_000 });
  return block.innerText();
}

test('the commands of the node exporter guide, typed line by line', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.paste(NODE_EXPORTER);
  await answer(page, 'kubectl apply -f node-exporter.yaml', 'daemonset.apps/node-exporter created');
  await answer(page, 'kubectl rollout status daemonset/node-exporter', 'daemon set "node-exporter" successfully rolled out');
  await answer(page, 'kubectl get daemonset', /node-exporter +3 +3 +3 +3 +3 +<none> +\d+s/);
  const wide = await answer(page, 'kubectl get pods -o wide -l app=node-exporter', 'NOMINATED NODE');
  for (const worker of WORKERS) expect(wide).toMatch(new RegExp(`1/1 +Running +0 +\\d+s +[\\d.]+ +${worker} `));
  await answer(page, 'kubectl describe daemonset node-exporter', ['Desired Number of Nodes Scheduled: 3', 'SuccessfulCreate', 'prom/node-exporter:latest']);
  await answer(page, 'kubectl label node worker1 monitoring=enabled', 'node/worker1 labeled');
  await answer(page, 'kubectl set image daemonset/node-exporter node-exporter=prom/node-exporter:v1.8.2', 'daemonset.apps/node-exporter image updated');
  await answer(page, 'kubectl rollout status daemonset/node-exporter', [/Waiting for daemon set "node-exporter" rollout to finish: \d out of 3 new pods have been updated/, 'successfully rolled out']);
  await answer(page, 'kubectl get pods -o wide --show-labels', ['LABELS', 'pod-template-generation=2']);
  // The exercise: a Deployment of three, one pod deleted by hand.
  await answer(page, 'kubectl create deployment nginx --image=nginx --replicas=3', 'deployment.apps/nginx created');
  await answer(page, 'kubectl rollout status deployment/nginx', 'deployment "nginx" successfully rolled out');
  await answer(page, 'kubectl rollout history deployment/nginx', ['REVISION  CHANGE-CAUSE', '1         <none>']);
  const pods = await answer(page, 'kubectl get pods -l app=nginx -o name', 'pod/nginx-');
  const pod = pods.match(/pod\/(nginx-\S+)/)[1];
  await answer(page, `kubectl describe pod ${pod}`, ['Controlled By:  ReplicaSet/nginx-', 'Conditions:', 'Successfully assigned default/']);
  await answer(page, `kubectl delete pod ${pod}`, `pod "${pod}" deleted from default namespace`);
  await answer(page, 'kubectl rollout status deployment/nginx', 'successfully rolled out');
  await answer(page, 'kubectl get pods -l app=nginx --no-headers | wc -l', '3');
});

test('the commands of the log agent guide, typed line by line', async ({ open, page }) => {
  await open();
  const me = person(page);
  await me.paste(FLUENT_BIT);
  await answer(page, 'kubectl create namespace logging', 'namespace/logging created');
  const named = await page.locator('.file-tab, [role=tab]').first().innerText();
  const file = named.match(/\S+\.yaml/)?.[0] ?? 'node-exporter.yaml';
  await answer(page, `kubectl apply -f ${file}`, 'daemonset.apps/fluent-bit created');
  await answer(page, 'kubectl rollout status daemonset/fluent-bit -n logging', 'successfully rolled out');
  await answer(page, 'kubectl get daemonset -n logging', /fluent-bit +\d+ +\d+ +\d+ +\d+ +\d+/);
  const pods = await answer(page, 'kubectl get pods -n logging -o wide', 'fluent-bit-');
  await answer(page, 'kubectl describe node worker1', ['Taints:             <none>', 'kubernetes.io/hostname=worker1', 'fluent-bit-']);
  await answer(page, `kubectl describe pod ${pods.match(/fluent-bit-\S+/)[0]} -n logging`, ['Controlled By:  DaemonSet/fluent-bit', 'Limits:', 'Requests:']);
  await answer(page, 'kubectl set image daemonset/fluent-bit -n logging fluent-bit=fluent/fluent-bit:3.2', 'daemonset.apps/fluent-bit image updated');
  await answer(page, 'kubectl rollout status daemonset/fluent-bit -n logging', 'successfully rolled out');
  await answer(page, 'kubectl rollout history daemonset/fluent-bit -n logging', ['1         <none>', '2         <none>']);
  await answer(page, 'kubectl rollout undo daemonset/fluent-bit -n logging', 'daemonset.apps/fluent-bit rolled back');
  await answer(page, 'kubectl rollout status daemonset/fluent-bit -n logging', 'successfully rolled out');
});
