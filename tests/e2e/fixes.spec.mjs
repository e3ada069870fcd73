// A fault in the manifest, the button that mends it, and the one keystroke that takes that back.
import { expect, test } from './support.mjs';
import { button, paste } from './hands.mjs';

const AGENT = `# The agent of every node.
apiVersion: apps/v1
kind: DaemonSet   # one pod per node
metadata:
  name: agent
  labels: {app: agent, "tier": 'node'}  # flow style

spec:
  # Keep the labels in step with the template.
  selector:
    matchLabels:
      app: agent
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 1   # at a time
      maxSurge: 0
  template:
    metadata:
      labels:
        app: agent
    spec:
      tolerations:
      - operator: Exists   # everywhere
      containers:
      - name: agent
        image: agent:1.0
        env:
        - {name: LEVEL, value: "5"}
`;
const NODE_SELECTOR = (indent) => `${indent}# Where.\n${indent}nodeSelector:\n${indent}  kubernetes.io/os: linux # all\n`;

/** Kind of fault, what is put in the place of what, and what the click makes of that; the former text where it is left out. */
const FAULTS = [
  ['a version that is not served any more', 'apps/v1', 'extensions/v1beta1'],
  ['a misspelt field', '  updateStrategy:', '  updateStategy:'],
  ['a tab', '    matchLabels:\n', '\tmatchLabels:\n'],
  ['labels that the selector does not match', '        app: agent\n', '        app: agnet # ?\n', '        app: agent # ?\n'],
  ['a restart policy that no DaemonSet has', '      tolerations:', '      restartPolicy: Never # ?\n      tolerations:', '      restartPolicy: Always # ?\n      tolerations:'],
  ['two budgets', 'maxUnavailable: 1   # at a time\n      maxSurge: 0', 'maxUnavailable: 1   # at a time\n      maxSurge: 2', 'maxUnavailable: 0   # at a time\n      maxSurge: 2'],
  ['a text without quotes', '{app: agent, ', '{app: on, ', '{app: "on", '],
  ['a field a level too high', '  template:\n', `${NODE_SELECTOR('  ')}  template:\n`, null],
];

/** The text in the editor; it is short enough to be all in the page. */
const written = (page) =>
  page.locator('.editor-slot:not([hidden]) .cm-line').evaluateAll((lines) => lines.map((line) => line.textContent).join('\n'));

for (const [kind, from, to, expected] of FAULTS) {
  test(`${kind}: one click mends it, and one Ctrl+Z takes that back`, async ({ open, page }) => {
    await page.setViewportSize({ width: 1440, height: 1200 });
    await open();
    const broken = AGENT.replace(from, to);
    const fixed =
      expected === null ? `${AGENT}${NODE_SELECTOR('      ')}` : AGENT.replace(from, expected ?? from);
    expect(broken).not.toBe(AGENT);
    await paste(page, broken);
    const problems = page.locator('.problems');
    await expect(problems).toBeVisible();
    expect(await written(page)).toBe(broken);
    await button(page, 'Fix').first().click();
    await expect.poll(() => written(page)).toBe(fixed);
    await expect(problems).toHaveCount(0);
    await page.locator('.editor-slot:not([hidden]) .cm-content').press('ControlOrMeta+z');
    await expect.poll(() => written(page)).toBe(broken);
    await expect(problems).toBeVisible();
  });
}
