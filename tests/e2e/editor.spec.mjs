// The editor's module by itself, in an empty place of the built page: what the application builds on.
import { expect, test } from './support.mjs';

const DAEMONSET = 'apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: node-exporter # exports\n';

/** Makes `window.editor` with the text, and records what it reports. */
async function makeEditor(page, doc, more) {
  await page.evaluate(
    async ([doc, more]) => {
      const { createEditor } = await import(document.getElementById('editor-module').href);
      const place = document.createElement('div');
      place.id = 'editor-under-test';
      document.body.append(place);
      window.changes = [];
      window.applied = 0;
      const asked = {
        none: {},
        complete: {
          complete: (text, position) =>
            position > 0 && text.slice(0, position).endsWith('ki')
              ? [{ label: 'kind', detail: 'string', apply: 'kind: ' }]
              : [],
        },
        hover: { hover: (text, position) => (text.slice(position).startsWith('kind') ? 'What this object is.' : null) },
      }[more];
      window.editor = createEditor(place, {
        doc,
        label: 'Manifest',
        onChange: (text) => window.changes.push(text),
        onApply: () => (window.applied += 1),
        onFix: (id) => (window.fixed = id),
        ...asked,
      });
    },
    [doc, more],
  );
  return page.locator('#editor-under-test .cm-content');
}
const text = (page) => page.evaluate(() => window.editor.getText());

test('typing is reported, and undo brings the text back', async ({ open, page }) => {
  await open();
  const content = await makeEditor(page, DAEMONSET, 'none');
  await expect(content).toHaveAccessibleName('Manifest');
  await content.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('spec: x');
  expect(await text(page)).toBe(`${DAEMONSET}spec: x`);
  expect((await page.evaluate(() => window.changes)).at(-1)).toBe(`${DAEMONSET}spec: x`);
  await page.keyboard.press('Control+z');
  expect(await text(page)).toBe(DAEMONSET);
});

test('text set by the application is not reported, keeps the caret and can be undone', async ({ open, page }) => {
  await open();
  const content = await makeEditor(page, 'image: agent:v1\nname: a\n', 'none');
  await content.click();
  await page.keyboard.press('Control+End');
  await page.evaluate(() => window.editor.setText('image: agent:v22\nname: a\n'));
  expect(await page.evaluate(() => window.changes)).toEqual([]);
  await page.keyboard.type('end');
  expect(await text(page)).toBe('image: agent:v22\nname: a\nend');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  expect(await text(page)).toBe('image: agent:v1\nname: a\n');
});

test('line breaks of Windows become those of YAML', async ({ open, page }) => {
  await open();
  await makeEditor(page, 'a: 1\r\nb: 2\r\n', 'none');
  expect(await text(page)).toBe('a: 1\nb: 2\n');
  await page.evaluate(() => window.editor.setText('a: 1\r\nb: 2\r\nc: 3\r\n'));
  expect(await text(page)).toBe('a: 1\nb: 2\nc: 3\n');
});

test('Ctrl+Enter applies and changes nothing', async ({ open, page }) => {
  await open();
  const content = await makeEditor(page, DAEMONSET, 'none');
  await content.click();
  await page.keyboard.press('Control+Enter');
  expect(await page.evaluate(() => window.applied)).toBe(1);
  expect(await text(page)).toBe(DAEMONSET);
});

test('Tab inserts two spaces; Escape and then Tab leaves the editor', async ({ open, page }) => {
  await open();
  const content = await makeEditor(page, '', 'none');
  await content.click();
  await page.keyboard.press('Tab');
  await page.keyboard.type('a');
  expect(await text(page)).toBe('  a');
  await expect(content).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(content).not.toBeFocused();
  expect(await text(page)).toBe('  a');
});

test('a diagnostic stands at its line and its fix can be applied', async ({ open, page }) => {
  await open();
  await makeEditor(page, DAEMONSET, 'none');
  await page.evaluate(() => {
    const from = window.editor.getText().indexOf('DaemonSet');
    window.editor.setDiagnostics([
      {
        from,
        to: from + 9,
        severity: 'error',
        message: 'no kind "DaemonSet" here',
        source: 'apiserver',
        fixes: [{ label: 'Call it Node', apply: () => window.editor.setText(window.editor.getText().replace('DaemonSet', 'Node')) }],
      },
    ]);
  });
  const mark = page.locator('#editor-under-test .cm-lintRange-error');
  await expect(mark).toHaveText('DaemonSet');
  await mark.hover();
  await expect(page.locator('.cm-tooltip-lint')).toContainText('no kind "DaemonSet" here');
  await page.getByRole('button', { name: 'Call it Node' }).click();
  expect(await text(page)).toBe(DAEMONSET.replace('DaemonSet', 'Node'));
});

test('a fix without a function of its own is reported by its id', async ({ open, page }) => {
  await open();
  await makeEditor(page, 'kind: DaemonSt\n', 'none');
  await page.evaluate(() =>
    window.editor.setDiagnostics([
      { from: 6, to: 14, severity: 'warning', message: 'unknown kind', source: null, fixes: [{ label: 'Correct it', id: 'fix-3' }] },
      // Beyond the end, as after a deletion: it is shown at the end.
      { from: 90, to: 99, severity: 'info', message: 'far away', fixes: null },
    ]),
  );
  await page.locator('.cm-lintRange-warning').hover();
  await page.getByRole('button', { name: 'Correct it' }).click();
  expect(await page.evaluate(() => window.fixed)).toBe('fix-3');
});

test('completion offers what the application says and inserts it', async ({ open, page }) => {
  await open();
  const content = await makeEditor(page, '', 'complete');
  await content.click();
  await page.keyboard.type('ki');
  await expect(page.locator('.cm-tooltip-autocomplete [role=option]')).toHaveText(/kind\s*string/);
  // CodeMirror takes no choice within 75 ms of showing it, so that typing on is not caught: no slow machine shortens that.
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
  expect(await text(page)).toBe('kind: ');
});

test('hover shows what the application says', async ({ open, page }) => {
  await open();
  await makeEditor(page, 'kind: Node\n', 'hover');
  await page.locator('#editor-under-test .cm-line').first().hover({ position: { x: 8, y: 8 } });
  await expect(page.locator('.cm-hover')).toHaveText('What this object is.');
});

test('ranges are marked and cleared, read-only holds, colours follow the page', async ({ open, page, snap }) => {
  await open();
  const content = await makeEditor(page, DAEMONSET, 'none');
  await page.evaluate(() => window.editor.highlightRange(0, 10, 'failed'));
  await expect(page.locator('.cm-mark-failed')).toHaveText('apiVersion');
  await page.evaluate(() => window.editor.clearHighlights());
  await expect(page.locator('.cm-mark-failed')).toHaveCount(0);

  await page.evaluate(() => window.editor.setReadOnly(true));
  await expect(content).toHaveAttribute('aria-readonly', 'true');
  await content.click();
  await page.keyboard.type('zzz');
  expect(await text(page)).toBe(DAEMONSET);

  await page.evaluate(() => document.documentElement.style.setProperty('--code-key', 'rgb(1, 2, 3)'));
  await expect(content.getByText('kind').first()).toHaveCSS('color', 'rgb(1, 2, 3)');
  await page.evaluate(() => window.editor.setTheme('dark'));
  await snap('editor');
  await page.evaluate(() => window.editor.destroy());
  await expect(page.locator('#editor-under-test .cm-editor')).toHaveCount(0);
});
